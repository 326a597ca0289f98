-- The import of a glTF scene as a level: hierarchy, scenes, and refused trees, versions and extensions.

local cuttle = require "cuttle"
local gltf_sample = require "spec.support.gltf_sample"
local rounds = require "spec.support.rounds"
local changed = gltf_sample.changed
local encode = gltf_sample.encode
local failure = gltf_sample.failure
local gltf = require "cuttle.import.gltf"
local level_source = gltf_sample.level_source
local sample = gltf_sample.sample
local with_nodes = gltf_sample.with_nodes
local NULL = gltf_sample.NULL

local function warnings(document, options)
  return select(2, assert(gltf(encode(document or sample()), options)))
end

local function names_of(entities)
  local names = {}
  for index, entity in ipairs(entities) do names[index] = entity.name or "" end
  return names
end

describe("the hierarchy of a glTF scene", function()
  it("is a level of version 1 with the scene's nodes as roots", function()
    local result = level_source()
    assert.equal(1, result.version)
    assert.same({ "ship", "lamp_quay", "eye" }, names_of(result.entities))
  end)

  it("keeps children below their parents, in the file's order", function()
    local document = changed(function(_, nodes) nodes[1].children = { 2, 1 } end)
    assert.same({ "", "mast" }, names_of(level_source(document).entities[1].children))
  end)

  it("uses the index of each node, from 0 on, as its id", function()
    local entities = level_source().entities
    assert.same({ 0, 1, 2, 3 }, { entities[1].id, entities[1].children[1].id, entities[1].children[2].id,
      entities[2].id })
  end)

  it("has no empty children", function()
    assert.is_nil(level_source().entities[2].children)
  end)

  it("has no empty names", function()
    local document = changed(function(_, nodes) nodes[2].name = "" end)
    local children = level_source(document).entities[1].children
    assert.same({}, { children[1].name, children[2].name })
  end)

  it("omits nodes outside the scene", function()
    local document = changed(function(_, nodes) nodes[7] = { name = "spare", translation = "broken" } end)
    assert.equal(3, #level_source(document).entities)
  end)

  it("can be as deep as the file", function()
    local nodes, count = {}, rounds(20000, 5000)
    for index = 1, count do nodes[index] = { children = index < count and { index } or nil } end
    local entity, depth = level_source(with_nodes(nodes)).entities[1], 0
    while entity do
      entity, depth = entity.children and entity.children[1], depth + 1
    end
    assert.equal(count, depth)
  end)

  it("may have no nodes and no scenes", function()
    assert.same({ version = 1, entities = {} }, level_source({ asset = { version = "2.0" } }))
  end)

  it("accepts null for missing values", function()
    local document = with_nodes({ { name = NULL, mesh = NULL, matrix = NULL, translation = NULL, children = NULL,
      extras = NULL, extensions = NULL, camera = NULL, skin = NULL, rotation = NULL, scale = NULL } })
    document.scenes, document.scene, document.meshes, document.extensionsRequired = NULL, NULL, NULL, NULL
    assert.same({ { id = 0, components = { transform = { position = { 0, 0, 0 } } } } },
      level_source(document).entities)
  end)

  it("compiles, and its entities are found by path", function()
    local world = cuttle.world(cuttle.entity_manager())
    world.mesh:define_resource("hull", {})
    world.mesh:define_resource("pole", {})
    local result = level_source(nil, { meshes = true })
    local level = assert(world:spawn(assert(cuttle.resource(assert(cuttle.compiler(world):compile(result))))))
    assert.equal(5, level:count())
    assert.same({ "pole", 2 }, { world.mesh:resource(level:find "ship/mast"),
      (select(2, world.transform:local_scale(level:find "ship/mast"))) })
  end)
end)

describe("the imported glTF scene", function()
  local function roots(scene, change)
    return names_of(level_source(changed(change or function() end), { scene = scene }).entities)
  end

  it("is the file's default scene", function()
    assert.same({ "buoy.001" }, roots(nil, function(document) document.scene = 1 end))
  end)

  it("is the first scene if the file has no default", function()
    assert.same({ "ship", "lamp_quay", "eye" }, roots(nil, function(document) document.scene = nil end))
  end)

  it("consists of all roots if the file has no scenes", function()
    assert.same({ "ship", "lamp_quay", "eye", "buoy.001" }, roots(nil, function(document)
      document.scene, document.scenes = nil, nil
    end))
  end)

  it("can be chosen by index, from 0 on", function()
    assert.same({ "buoy.001" }, roots(1))
    assert.equal("ship", roots(0)[1])
  end)

  it("can be chosen by name", function()
    assert.same({ "buoy.001" }, roots("sea"))
  end)

  it("can be an empty scene", function()
    assert.same({}, roots(1, function(document) document.scenes[2].nodes = nil end))
  end)

  it("is refused if no scene has the name", function()
    assert.equal("glTF text: unknown scene \"see\" (did you mean 'sea'?)", failure(nil, { scene = "see" }))
  end)

  it("is refused if two scenes have the name", function()
    assert.equal('glTF text: scenes[2].name: "harbour" is also the name of scenes[1]: pass option scene as a number',
      failure(changed(function(document) document.scenes[2].name = "harbour" end), { scene = "harbour" }))
  end)

  it("is refused if its index is too large", function()
    assert.equal("glTF text: unknown scene 2 (counted from 0, there are 2)", failure(nil, { scene = 2 }))
    assert.equal("glTF text: scene: unknown scene 7 (counted from 0, there are 2)",
      failure(changed(function(document) document.scene = 7 end)))
  end)
end)

describe("a glTF hierarchy is refused for", function()
  local function refused(nodes, roots)
    local document = with_nodes(nodes)
    if roots then document.scenes = { { nodes = roots } } end
    return failure(document)
  end

  it("a node with two parents", function()
    assert.equal('glTF text: nodes[2].children[1]: node 2 "c" is already a child of node 0 "a" (counted from 0)',
      refused({ { name = "a", children = { 2 } }, { children = { 2 } }, { name = "c" } }))
  end)

  it("a repeated child", function()
    assert.equal("glTF text: nodes[1].children[2]: node 1 is already a child of node 0 (counted from 0)",
      refused({ { children = { 1, 1 } }, {} }))
  end)

  it("a node that is its own child", function()
    assert.equal("glTF text: nodes: node 1 is its own ancestor (cycle: 1 > 1, counted from 0)",
      refused({ {}, { children = { 1 } } }))
  end)

  it("a cycle that no root reaches", function()
    assert.equal('glTF text: nodes: node 1 "b" is its own ancestor (cycle: 1 > 2 > 1, counted from 0)',
      refused({ {}, { name = "b", children = { 2 } }, { children = { 1 } } }, { 0 }))
  end)

  it("a long cycle, of which the message shows a part", function()
    local nodes = {}
    for index = 1, 1000 do nodes[index] = { children = { index % 1000 } } end
    assert.matches("cycle: ... > 992 > 993 > .* > 999 > 0, counted from 0", refused(nodes))
  end)

  it("a scene with a node and its parent", function()
    assert.equal("glTF text: scenes[1].nodes[2]: expected a root, got node 1, a child of node 0 (counted from 0)",
      refused({ { children = { 1 } }, {} }, { 0, 1 }))
  end)

  it("a scene with a repeated node", function()
    assert.equal("glTF text: scenes[1].nodes[2]: node 0 is already in the scene (counted from 0)",
      refused({ {} }, { 0, 0 }))
  end)

  it("a child that does not exist", function()
    assert.equal("glTF text: nodes[1].children[1]: unknown node 1 (counted from 0, there are 1)",
      refused({ { children = { 1 } } }))
    assert.equal("glTF text: nodes[1].children[1]: unknown node -1 (counted from 0, there are 1)",
      refused({ { children = { -1 } } }))
    assert.equal("glTF text: nodes[1].children[1]: expected an integer, got 0.5",
      refused({ { children = { 0.5 } } }))
  end)

  it("a node of the scene that does not exist", function()
    assert.equal("glTF text: scenes[1].nodes[1]: unknown node 4 (counted from 0, there are 1)",
      refused({ {} }, { 4 }))
  end)

  it("a child that is not an object", function()
    assert.equal("glTF text: nodes[2]: expected an object, got 5", refused({ { children = { 1 } }, 5 }))
    assert.equal("glTF text: nodes[1].children[2]: node 1 is already a child of node 0 (counted from 0)",
      refused({ { children = { 1, 1 } }, 5 }))
  end)
end)

describe("a glTF version", function()
  local function versions(version, least)
    return { asset = { version = version, minVersion = least } }
  end

  it("can be 2 with any minor number", function()
    for _, version in ipairs({ "2.0", "2.1", "2.12" }) do assert.is_table(level_source(versions(version))) end
  end)

  it("may have the minimum 2.0", function()
    assert.is_table(level_source(versions("2.1", "2.0")))
  end)

  local wrong = {
    { { "1.0" }, "asset.version: glTF 1.0 is older than this importer supports (2.x): export it as glTF 2.0" },
    { { 1 }, "asset.version: glTF 1.0 is older than this importer supports (2.x): export it as glTF 2.0" },
    { { "3.0" }, "asset.version: glTF 3.0 is newer than this importer supports (2.x): export it as glTF 2.0" },
    { { "2" }, 'asset.version: expected a version such as "2.0", got "2"' },
    { { 2 }, "asset.version: expected a string, got 2" },
    { {}, "asset.version: expected a string, got no value" },
    { { "2.1", "2.1" }, "asset.minVersion: the file requires glTF 2.1, but this importer supports 2.0" },
    { { "2.0", "2.1" }, "asset.minVersion: 2.1 is greater than the version, 2.0" },
    { { "2.0", "3.0" }, "asset.minVersion: 3.0 is greater than the version, 2.0" },
    { { "2.0", "x" }, 'asset.minVersion: expected a version such as "2.0", got "x"' },
  }
  for _, case in ipairs(wrong) do
    it("is refused: " .. case[2], function()
      assert.equal("glTF text: " .. case[2], failure(versions(case[1][1], case[1][2])))
    end)
  end
end)

describe("an extension that a glTF file requires", function()
  local function requiring(...)
    local document = with_nodes({})
    document.extensionsRequired = { ... }
    return document
  end

  it("is accepted if it does not change nodes", function()
    for _, name in ipairs({ "KHR_texture_transform", "KHR_materials_transmission", "KHR_mesh_quantization",
      "EXT_meshopt_compression", "KHR_xmp_json_ld", "EXT_texture_webp", "EXT_mesh_gpu_instancing" }) do
      assert.is_table(level_source(requiring(name)))
    end
  end)

  it("is refused with its name if it is unknown", function()
    assert.equal('glTF text: extensionsRequired[2]: unknown extension "MSFT_lod": list it in option '
      .. "extensions if the game does not need it", failure(requiring("KHR_lights_punctual", "MSFT_lod")))
  end)

  it("is accepted if the option extensions has its name", function()
    assert.is_table(level_source(requiring("VENDOR_fog"), { extensions = { "VENDOR_fog" } }))
  end)

  it("is refused if it is not a name", function()
    assert.equal("glTF text: extensionsRequired[1]: expected a string, got 5", failure(requiring(5)))
  end)

  it("is reported once in a warning if it is used but not required", function()
    local document = sample()
    document.extensionsUsed = { "VENDOR_fog", "KHR_lights_punctual", "KHR_texture_transform", "VENDOR_fog" }
    local options = { fields = "props" }
    assert.same({ 'glTF text: extension "VENDOR_fog" is ignored: list it in option extensions if the game does '
      .. "not need it" }, warnings(document, options))
    options.extensions = { "VENDOR_fog" }
    assert.same({}, warnings(document, options))
  end)
end)

describe("a node with a parent that a glTF scene lists", function()
  local function stray()
    return changed(function(document) document.scenes[1].nodes = { 1, 2, 4 } end)
  end

  it("is a root if the scene does not have the parent", function()
    local entities = level_source(stray()).entities
    assert.same({ "mast", "eye" }, { entities[1].name, entities[3].name })
    assert.same({ 0, 4, 0 }, entities[1].components.transform.position)
  end)

  it("has no parent for mappings", function()
    local parent = "not called"
    level_source(stray(), { components = { mast = function(_, node) parent = node.parent end } })
    assert.is_nil(parent)
  end)

  it("is reported in a warning", function()
    assert.same({ 'glTF text: node 1 "mast" is in the scene without its parent, node 0 "ship" (and 1 more) '
      .. "(counted from 0)" }, warnings(stray(), { fields = "props" }))
  end)

  it("is refused if the scene has the parent or another ancestor", function()
    assert.equal('glTF text: scenes[1].nodes[2]: expected a root, got node 1 "mast", a child of node 0 "ship" '
      .. "(counted from 0)", failure(changed(function(document) document.scenes[1].nodes = { 0, 1 } end)))
    assert.matches("expected a root, got node 4 \"eye\", a child of node 2", failure(changed(function(document)
      document.nodes[3].children = { 4 }
    end)), 1, true)
  end)
end)

describe("extras of a glTF file without a mapping", function()
  it("are counted in a warning", function()
    assert.same({ "glTF text: 4 custom fields are left out (1 part without a mapping): option components maps them, "
      .. "option fields keeps them" }, warnings())
    assert.same({}, warnings(nil, { components = { Ship = function() end } }))
    assert.same({}, (select(3, gltf(encode(sample())))))
  end)

  it("are kept in the component of option fields, whatever they are", function()
    local document = changed(function(whole) whole.nodes[2].extras = "tall" end)
    local ship = level_source(document, { fields = "props" }).entities[1]
    assert.same({ value = { class = "Ship", crew = 12, cargo = { "rum", "rope" }, log = { day = 3 } } },
      ship.components.props)
    assert.same({ value = "tall" }, ship.children[1].components.props)
    assert.is_nil(ship.children[2].components.props)
  end)

  it("are not kept if the node has a mapping", function()
    local ship = level_source(nil, { fields = "props", components = { Ship = function() return {} end } }).entities[1]
    assert.is_nil(ship.components.props)
  end)
end)
