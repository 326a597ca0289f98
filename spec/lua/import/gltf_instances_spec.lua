-- glTF nodes with instances (EXT_mesh_gpu_instancing), which become one entity for each instance.

-- tags: machine

local cuttle = require "cuttle"
local gltf = require "cuttle.import.gltf"
local gltf_sample = require "spec.support.gltf_sample"
local near = require "spec.support.near"
local chunk = gltf_sample.chunk
local container = gltf_sample.container
local encode = gltf_sample.encode
local failure = gltf_sample.failure
local forest = gltf_sample.forest
local level_source = gltf_sample.level_source
local TREES = gltf_sample.TREES

-- Returns a changed forest().
local function changed(change)
  local document = forest()
  change(document, document.accessors, document.bufferViews, document.buffers)
  return document
end

describe("a glTF node with instances", function()
  it("has an entity for each instance as its children, before its other children", function()
    local tree = level_source(forest()).entities[1]
    assert.equal("tree", tree.name)
    assert.equal(0, tree.id)
    assert.same({ 100, 0, 0 }, tree.components.transform.position)
    assert.equal(3, #tree.children)
    assert.equal("bench", tree.children[3].name)
  end)

  it("gives each instance its pose, but no name and no id", function()
    local children = level_source(forest()).entities[1].children
    local first, second = children[1].components.transform, children[2].components.transform
    assert.same({ 1, 0.5, -2 }, first.position)
    assert.same({ 0, 1, 0, 0 }, first.rotation)
    assert.same({ 10, 0, 0.125 }, second.position)
    assert.same({ 0, 0, 0, -1 }, second.rotation)
    assert.is_nil(first.scale)
    assert.same({ nil, nil }, { children[1].name, children[1].id })
  end)

  it("spawns all instances at their places", function()
    local world = cuttle.world(cuttle.entity_manager())
    local level = assert(world:spawn(cuttle.resource(assert(cuttle.compiler(world):compile(level_source(forest()))))))
    assert.equal(4, level:count())
    near({ 101, 0.5, -2 }, { world.transform:world_position(level:entity(2)) }, 1e-5)
  end)

  it("adds its mesh to each instance, and not to itself", function()
    local tree = level_source(forest(), { meshes = true }).entities[1]
    assert.is_nil(tree.components.mesh)
    assert.same({ resource = "oak" }, tree.children[1].components.mesh)
    assert.same({ resource = "oak" }, tree.children[2].components.mesh)
  end)

  it("calls mappings for each instance, with its number and with the node as parent", function()
    local seen = {}
    local entities = level_source(forest(), { components = { Tree = function(fields, node)
      seen[#seen + 1] = { fields.class, node.instance, node.parent.name, node.translation[1] }
      return { wood = { age = node.instance } }, "tree " .. node.instance
    end } }).entities
    assert.same({ { "Tree", 0, "tree", 1 }, { "Tree", 1, "tree", 10 } }, seen)
    assert.is_nil(entities[1].components.wood)
    assert.same({ "tree 0", { age = 0 } }, { entities[1].children[1].name, entities[1].children[1].components.wood })
  end)

  it("keeps its light and camera", function()
    local document = changed(function(whole)
      whole.cameras = { { type = "perspective", perspective = { yfov = 1, znear = 1 } } }
      whole.nodes[1].camera = 0
    end)
    local calls = 0
    local tree = level_source(document, { camera = function()
      calls = calls + 1
      return { eye = {} }
    end }).entities[1]
    assert.equal(1, calls)
    assert.same({}, tree.components.eye)
  end)

  it("keeps its custom fields, and adds none to instances", function()
    local tree = level_source(forest(), { fields = "props" }).entities[1]
    assert.same({ value = { class = "Tree" } }, tree.components.props)
    assert.is_nil(tree.children[1].components.props)
  end)

  it("counts its instances as elements", function()
    local document = changed(function(whole) whole.nodes[2].extensions = whole.nodes[1].extensions end)
    assert.equal(4, #level_source(document, { max_elements = 6 }).entities[1].children + 1)
    assert.equal("glTF text: nodes[2].extensions.EXT_mesh_gpu_instancing[2]: the document has more than 5 elements "
      .. "(option max_elements)",
      failure(document, { max_elements = 5 }))
    assert.equal("glTF text: accessors[1].count: the document has more than 1 elements (option max_elements)",
      failure(document, { max_elements = 1 }))
  end)

  it("has no instances if there are no poses", function()
    local tree = level_source(changed(function(document)
      document.nodes[1].extensions.EXT_mesh_gpu_instancing.attributes = { _ID = 0 }
    end), { meshes = true }).entities[1]
    assert.same({ resource = "oak" }, tree.components.mesh)
    assert.equal(1, #tree.children)
  end)

  it("has no instances, and adds a warning, if its poses are compressed", function()
    local document = changed(function(_, _, views) views[1].extensions = { EXT_meshopt_compression = {} } end)
    local result, warnings = gltf(encode(document), { fields = "props" })
    assert.equal(1, #result.entities[1].children)
    assert.same({ 'glTF text: the instances of node 0 "tree" are left out: their poses are compressed '
      .. "(EXT_meshopt_compression)" }, warnings)
  end)
end)

describe("the poses of glTF instances", function()
  local function same(result) assert.same(level_source(forest()), (assert(result))) end

  it("are read from the chunk of a container", function()
    local document = changed(function(_, _, _, buffers) buffers[1].uri = nil end)
    same(gltf(container({ chunk("JSON", encode(document)), chunk("BIN\0", TREES) })))
  end)

  it("are read from a separate file with an escaped name", function()
    local path_read
    same(gltf(encode(forest("a%20b.bin")), { directory = "models/", read = function(path)
      path_read = path
      return TREES
    end }))
    assert.equal("models/a b.bin", path_read)
  end)

  it("are read with the option read by their plain path if a text has no directory", function()
    local path_read
    local function read(path)
      path_read = path
      return TREES
    end
    same(gltf(encode(forest("a%20b.bin")), { read = read }))
    assert.equal("a b.bin", path_read)
    path_read = nil
    same(gltf(container({ chunk("JSON", encode(forest("a%20b.bin"))) }), { read = read }))
    assert.equal("a b.bin", path_read)
  end)

  it("are reported with their place if they cannot be read", function()
    assert.equal('glTF text: buffers[1].uri: "a.bin" is a separate file: pass option directory, or import by path',
      failure(forest("a.bin")))
    local _, message = gltf(encode(forest("a.bin")), { directory = "no/such" })
    assert.equal("glTF text: buffers[1].uri: cannot read no/such/a.bin: No such file or directory", message)
    assert.equal("glTF text: buffers[1]: the buffer has no uri, and the file no binary chunk",
      failure(changed(function(_, _, _, buffers) buffers[1].uri = nil end)))
    assert.matches("buffers[1].uri: not base64: character 1 is", failure(forest("data:;base64,??")), 1, true)
    assert.matches("buffers[1].uri: expected base64 in a data URI", failure(forest("data:,xyz")), 1, true)
  end)

  local wrong = {
    { "nodes[1].extensions.EXT_mesh_gpu_instancing.attributes.TRANSLATION: unknown accessor 9",
      function(document) document.nodes[1].extensions.EXT_mesh_gpu_instancing.attributes.TRANSLATION = 9 end },
    { "accessors[1].bufferView: unknown buffer view 9", function(_, list) list[1].bufferView = 9 end },
    { 'accessors[1].type: expected "VEC3", got "VEC4"', function(_, list) list[1].type = "VEC4" end },
    { "accessors[1].count: expected 1 or more, got 0", function(_, list) list[1].count = 0 end },
    { "accessors[1].componentType: expected floats, or normalized bytes or shorts, got 5123",
      function(_, list) list[1].componentType = 5123 end },
    { "accessors[2].componentType: expected floats", function(_, list) list[2].normalized = false end },
    { "accessors[1].sparse: sparse accessors are not supported", function(_, list) list[1].sparse = {} end },
    { "bufferViews[1].byteLength: 24 bytes are less than 1000000000 items of 12 bytes",
      function(_, list) list[1].count = 1e9 end },
    { "bufferViews[1].byteStride: expected 12 to 252, got 4", function(_, _, views) views[1].byteStride = 4 end },
    { "bufferViews[1].byteStride: expected 12 to 252, got 0", function(_, _, views) views[1].byteStride = 0 end },
    { "buffers[1]: a view covers bytes 999 to 1023, but the buffer has 44",
      function(_, _, views) views[1].byteOffset = 999 end },
    { "nodes[1].extensions.EXT_mesh_gpu_instancing.attributes.ROTATION: expected 2 items, as in TRANSLATION, got 1",
      function(_, list) list[2].count = 1 end },
    { "accessors[1]: item 2 has a number that is not finite", function(_, _, _, buffers)
      buffers[1].uri = "data:;base64," .. gltf_sample.base64(TREES:sub(1, 14) .. "\128\127" .. TREES:sub(17))
    end },
    { "nodes[1].extensions.EXT_mesh_gpu_instancing[1].rotation: expected a quaternion of length 1, got length 0",
      function(_, _, _, buffers)
        buffers[1].uri = "data:;base64," .. gltf_sample.base64(TREES:sub(1, 24) .. ("\0"):rep(20))
      end },
  }
  for _, case in ipairs(wrong) do
    it("are refused: " .. case[1], function()
      assert.matches("glTF text: " .. case[1], failure(changed(case[2])), 1, true)
    end)
  end
end)
