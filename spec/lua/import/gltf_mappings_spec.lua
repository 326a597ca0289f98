-- The arguments of glTF mappings, and the use of their results.

local gltf_sample = require "spec.support.gltf_sample"
local changed = gltf_sample.changed
local failure = gltf_sample.failure
local level_source = gltf_sample.level_source
local seen = gltf_sample.seen
local with_nodes = gltf_sample.with_nodes
local NULL = gltf_sample.NULL

describe("the fields of a glTF node", function()
  it("are its extras, with null as nil", function()
    assert.same({ class = "Ship", crew = 12, cargo = { "rum", "rope" }, log = { day = 3 } }, (seen("ship")))
  end)

  it("are empty if it has no extras", function()
    assert.same({}, (seen("mast")))
  end)

  it("are empty if its extras are not an object, but the node holds the extras", function()
    local fields, node = seen("ship", changed(function(_, nodes) nodes[1].extras = { "a", "b" } end))
    assert.same({ {}, { "a", "b" } }, { fields, node.extras })
    fields, node = seen("ship", changed(function(_, nodes) nodes[1].extras = 5 end))
    assert.same({ {}, 5 }, { fields, node.extras })
  end)

  it("may be nested to any depth", function()
    local extras = {}
    for _ = 1, 3000 do extras = { inner = extras, list = { NULL } } end
    local document, depth = with_nodes({ { name = "a", extras = 5 } }), 0
    document.nodes[1].extras = "HERE"
    local text = gltf_sample.encode(document):gsub('"HERE"', (('{"list":[null],"inner":'):rep(3000) .. "{}"
      .. ("}"):rep(3000)))
    local gltf = require "cuttle.import.gltf"
    assert(gltf(text, { components = { a = function(fields)
      while fields.inner do fields, depth = fields.inner, depth + 1 end
    end } }))
    assert.equal(3000, depth)
  end)
end)

describe("the mapping of a glTF node", function()
  local function chosen(extras, name, mappings)
    local taken = {}
    for _, key in ipairs(mappings) do taken[key] = function() return { mark = { key = key } } end end
    local result = level_source(with_nodes({ { name = name, extras = extras } }), { components = taken })
    local mark = result.entities[1].components.mark
    return mark and mark.key
  end

  it("is chosen by the field class", function()
    assert.equal("Ship", chosen({ class = "Ship", type = "Boat" }, "tug", { "Ship", "Boat", "tug", "*" }))
  end)

  it("is chosen by the field type if there is none for its class", function()
    assert.equal("Boat", chosen({ class = "Ship", type = "Boat" }, "tug", { "Boat", "tug", "*" }))
  end)

  it("is chosen by its name if there is none for class and type", function()
    assert.equal("tug", chosen({ class = "Ship", type = 5 }, "tug", { "tug", "*" }))
  end)

  it("is chosen by its name without the number of a copy", function()
    assert.equal("tug", chosen(nil, "tug.012", { "tug", "*" }))
    assert.equal("tug.012", chosen(nil, "tug.012", { "tug", "tug.012" }))
    assert.equal("*", chosen(nil, "tug.x", { "tug", "*" }))
  end)

  it("is the mapping \"*\" if there is no other", function()
    assert.equal("*", chosen(nil, nil, { "tug", "*" }))
    assert.is_nil(chosen(nil, nil, { "tug" }))
  end)

  it("receives the node as an argument", function()
    local _, node = seen("mast")
    assert.same({ "mast", 1, { 0, 4, 0 }, { 1, 2, 1 }, "ship" },
      { node.name, node.index, node.translation, node.scale, node.parent.name })
    assert.is_nil(node.rotation)
    _, node = seen("ship")
    assert.same({ { 0, 0.6, 0, 0.8 } }, { node.rotation, node.parent })
  end)

  it("receives the original name and raw extensions", function()
    local _, node = seen("lamp/quay")
    assert.same({ KHR_lights_punctual = { light = 1 } }, node.extensions)
  end)

  it("receives its context", function()
    local _, _, context = seen("mast", nil, { name = "port.gltf", directory = "models" })
    assert.same({ file = "port.gltf", place = "nodes[2]", directory = "models", version = "2.0",
      scene = { index = 0, name = "harbour", extras = { tide = 2 } } }, context)
  end)

  local function mapped(answer, ...)
    local rest = { ... }
    return level_source(nil, { components = { mast = function() return answer, unpack(rest) end } })
      .entities[1].children[1]
  end

  it("adds components", function()
    assert.same({ transform = { position = { 0, 4, 0 }, scale = { 1, 2, 1 } }, sail = { area = 3 } },
      mapped({ sail = { area = 3 } }).components)
  end)

  it("overrides fields of the file's transform", function()
    assert.same({ position = { 0, 4, 0 }, scale = 3 }, mapped({ transform = { scale = 3 } }).components.transform)
  end)

  it("may return another name, or nothing", function()
    assert.equal("fore_top", mapped(nil, "fore/top").name)
    assert.same({ transform = { position = { 0, 4, 0 }, scale = { 1, 2, 1 } } }, mapped(nil).components)
  end)

  local function complaint(mapping, key)
    return failure(nil, { components = { [key or "mast"] = mapping } })
  end

  it("is named in the error if it raises", function()
    local message = complaint(function() error("no such thing") end)
    assert.matches("glTF text: nodes[2]: the mapping of node mast raised: ", message, 1, true)
    assert.matches("no such thing", message)
  end)

  it("is named by the node's number if the node has no name", function()
    local function nameless(_, node) if not node.name then return 5 end end
    assert.equal("glTF text: nodes[3]: the mapping of node 2 (counted from 0): expected a table of components or nil, "
      .. "got number", complaint(nameless, "*"))
  end)

  local wrong = { { false, ": expected a table of components or nil, got boolean" },
    { { 5 }, ": expected components by name, got the key 1" },
    { { sail = 5 }, ": component sail: expected a table, got number" } }
  for _, case in ipairs(wrong) do
    it("is refused" .. case[2], function()
      assert.equal("glTF text: nodes[2]: the mapping of node mast" .. case[2],
        complaint(function() return case[1] end))
    end)
  end

  it("is refused if it returns a name that is not a string", function()
    assert.equal("glTF text: nodes[2]: the mapping of node mast: expected a string as name, got number",
      complaint(function() return nil, 5 end))
  end)
end)

describe("the meshes of a glTF scene", function()
  local function mesh_of(options, change)
    local roots = level_source(changed(change or function() end), options).entities
    return roots[1].components.mesh, roots[1].children[1].components.mesh, roots[2].components.mesh
  end

  it("are not components by default", function()
    assert.is_nil((mesh_of()))
    assert.is_nil((mesh_of({ meshes = false })))
  end)

  it("become mesh components with their names", function()
    assert.same({ { resource = "hull" }, { resource = "pole" } }, { mesh_of({ meshes = true }) })
  end)

  it("are named by number if they have no name", function()
    local entity = level_source(nil, { meshes = true, scene = "sea" }).entities[1]
    assert.same({ resource = "mesh_2" }, entity.components.mesh)
  end)

  it("may have the number -0", function()
    local gltf = require "cuttle.import.gltf"
    local text = '{"asset":{"version":"2.0"},"nodes":[{"mesh":-0}],"meshes":[{}]}'
    assert.same({ resource = "mesh_0" }, assert(gltf(text, { meshes = true })).entities[1].components.mesh)
  end)

  it("are refused if two have the same name", function()
    local document = changed(function(whole) whole.meshes[2].name = "hull" end)
    assert.equal('glTF text: nodes[2].mesh: mesh 1 and mesh 0 (counted from 0) are both called "hull": rename '
      .. "one in option mesh", failure(document, { meshes = true }))
    assert.is_table(level_source(document))
  end)

  it("become the components that the option mesh returns", function()
    local body = mesh_of({ mesh = function(mesh, node, context)
      return { body = { mass = mesh.extras and mesh.extras.tons, of = node.name, at = context.place } }
    end })
    assert.is_nil(body)
    local roots = level_source(nil, { meshes = true, mesh = function(mesh, node)
      return { body = { mass = mesh.extras and mesh.extras.tons, of = node.name } }, "the " .. mesh.name
    end }).entities
    assert.same({ "the hull", { mass = 40, of = "ship" } }, { roots[1].name, roots[1].components.body })
    assert.is_nil(roots[1].components.mesh)
  end)

  it("are overridden by the node's own mapping", function()
    local roots = level_source(nil, { meshes = true, components = {
      Ship = function() return { mesh = { resource = "wreck" } } end,
      mast = function() return { sail = {} } end } }).entities
    assert.same({ { resource = "wreck" }, { resource = "pole" } },
      { roots[1].components.mesh, roots[1].children[1].components.mesh })
    assert.same({}, roots[1].children[1].components.sail)
  end)

  it("hold their primitives and materials", function()
    local _, node = seen("ship")
    assert.same({ index = 0, name = "hull", resource = "hull", extras = { tons = 40 },
      primitives = { { mode = 4, material = "wood", material_index = 1 }, { mode = 1 } } }, node.mesh)
  end)

  it("are one table for all nodes that share a mesh", function()
    local meshes = {}
    level_source(nil, { mesh = function(mesh) meshes[#meshes + 1] = mesh end })
    assert.equal(3, #meshes)
    assert.equal(meshes[2], meshes[3])
  end)

  it("are not read if no node of the scene has them", function()
    assert.is_table(level_source(changed(function(whole) whole.meshes[3] = "broken" end)))
  end)
end)

describe("a glTF node", function()
  it("can have a camera", function()
    local _, node = seen("eye")
    assert.same({ index = 0, name = "wide", type = "perspective", yfov = 0.5, znear = 0.1, aspect_ratio = 1.5 },
      node.camera)
    _, node = seen("eye", changed(function(_, nodes) nodes[5].camera = 1 end))
    assert.same({ index = 1, type = "orthographic", xmag = 2, ymag = 3, znear = 0, zfar = 9 }, node.camera)
  end)

  it("can have a light", function()
    local _, node = seen("lamp/quay")
    assert.same({ index = 1, name = "glow", type = "spot", color = { 1, 0.5, 0, 1 }, intensity = 20, range = 7,
      inner_cone_angle = 0, outer_cone_angle = 0.7 }, node.light)
    _, node = seen("lamp/quay", changed(function(_, nodes) nodes[4].extensions.KHR_lights_punctual.light = 0 end))
    assert.same({ index = 0, type = "point", color = { 1, 1, 1, 1 }, intensity = 1 }, node.light)
  end)

  it("can have a skin", function()
    local _, node = seen("eye")
    assert.same({ index = 0, name = "sailor", joints = { 1, 2 }, skeleton = 1 }, node.skin)
  end)

  it("has the components that the options camera, light and skin return", function()
    local function part(name)
      return function(described, node) return { [name] = { of = described.name, at = node.index } } end
    end
    local roots = level_source(nil, { camera = part "view", light = part "lamp", skin = part "bones" }).entities
    assert.same({ of = "glow", at = 3 }, roots[2].components.lamp)
    assert.same({ { of = "wide", at = 4 }, { of = "sailor", at = 4 } },
      { roots[3].components.view, roots[3].components.bones })
  end)

  local wrong = {
    { "nodes[1].mesh: unknown mesh 3 (counted from 0, there are 3)", function(_, nodes) nodes[1].mesh = 3 end },
    { "nodes[5].camera: unknown camera -1 (counted from 0, there are 2)",
      function(_, nodes) nodes[5].camera = -1 end },
    { "nodes[5].skin: expected an integer, got \"a\"", function(_, nodes) nodes[5].skin = "a" end },
    { "nodes[4].extensions.KHR_lights_punctual.light: unknown light 1 (counted from 0, there are 0)",
      function(whole) whole.extensions = nil end },
    { "meshes[1].primitives[1].material: unknown material 9 (counted from 0, there are 2)",
      function(whole) whole.meshes[1].primitives[1].material = 9 end },
    { "meshes[1]: expected an object, got 5", function(whole) whole.meshes[1] = 5 end },
    { "cameras[1].perspective.yfov: expected a number, got no value",
      function(whole) whole.cameras[1].perspective.yfov = nil end },
    { 'cameras[1].type: expected "perspective" or "orthographic", got "fisheye"',
      function(whole) whole.cameras[1].type = "fisheye" end },
    { "extensions.KHR_lights_punctual.lights[2].color: expected 3 numbers, got 1",
      function(whole) whole.extensions.KHR_lights_punctual.lights[2].color = { 1 } end },
    { "skins[1].joints[2]: unknown node 6 (counted from 0, there are 6)",
      function(whole) whole.skins[1].joints[2] = 6 end },
  }
  for _, case in ipairs(wrong) do
    it("is refused: " .. case[1], function()
      assert.equal("glTF text: " .. case[1], failure(changed(case[2])))
    end)
  end
end)
