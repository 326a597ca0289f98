-- The forms of glTF: text, binary containers, and files.

-- tags: machine

local cuttle = require "cuttle"
local gltf = require "cuttle.import.gltf"
local gltf_sample = require "spec.support.gltf_sample"
local folder = require "spec.support.folder"
local near = require "spec.support.near"
local binary = gltf_sample.binary
local chunk = gltf_sample.chunk
local container = gltf_sample.container
local encode = gltf_sample.encode
local sample = gltf_sample.sample

local files
before_each(function() files = folder.new() end)
after_each(function() files:remove() end)

local TEXT = '{"asset":{"version":"2.0"},"nodes":[{"name":"a"}]}'

describe("glTF", function()
  it("is imported by cuttle.import.gltf", function()
    assert.equal(gltf, cuttle.import.gltf)
  end)

  it("can be text", function()
    assert.equal("a", assert(gltf("\239\187\191 \n" .. TEXT)).entities[1].name)
  end)

  it("can be the bytes of a container, with the same result", function()
    assert.same(assert(gltf(encode(sample()))), assert(gltf(binary())))
  end)

  it("can be the path of a text file", function()
    assert.equal("a", assert(gltf(files:write("scene", TEXT))).entities[1].name)
  end)

  it("can be the path of a container with any extension", function()
    assert.equal(3, #assert(gltf(files:write("scene", binary()))).entities)
  end)

  it("can be read by the option read, which reads no other files", function()
    local paths = {}
    local function read(path)
      paths[#paths + 1] = path
      return '{"asset":{"version":"2.0"},"buffers":[{"uri":"ship.bin","byteLength":9}],"images":[{"uri":"a.png"}]}'
    end
    assert(gltf("models/ship.gltf", { read = read }))
    assert.same({ "models/ship.gltf" }, paths)
  end)

  it("passes the directory of its path to mappings", function()
    local directory
    assert(gltf("models/ship.gltf", { read = function() return TEXT end,
      components = { a = function(_, _, context) directory = context.directory end } }))
    assert.equal("models/", directory)
  end)

  it("can be a path that begins like the magic number", function()
    local _, message = gltf("glTF-models/none.glb")
    assert.equal("glTF-models/none.glb: cannot read: No such file or directory", message)
  end)

  it("is reported if its file is missing", function()
    local _, message = gltf("no/such/ship.gltf")
    assert.equal("no/such/ship.gltf: cannot read: No such file or directory", message)
  end)

  it("is refused if it is another file format", function()
    local _, message = gltf("ship.fbx", { read = function() return "Kaydara FBX" end })
    assert.equal("ship.fbx: line 1 column 1: expected a value, got 'Kaydara'", message)
  end)
end)

describe("a glTF container", function()
  local json = chunk("JSON", TEXT)

  local function taken(bytes)
    return assert(gltf(bytes)).entities[1].name
  end

  it("does not need a binary chunk", function()
    assert.equal("a", taken(container({ json })))
  end)

  it("may have chunks of unknown types, which are skipped", function()
    assert.equal("a", taken(container({ json, chunk("BIN\0", "12345"), chunk("ABCD", "x"), chunk("ABCD", "") })))
    assert.equal("a", taken(container({ json, chunk("ABCD", "x") })))
  end)

  local function refused(bytes)
    local result, message = gltf(bytes, { name = "ship.glb" })
    assert.is_nil(result)
    return message
  end

  local wrong = {
    { "offset 4: expected a header of 12 bytes, the file ends after 4", "glTF" },
    { "offset 11: expected a header of 12 bytes, the file ends after 11", container({}):sub(1, 11) },
    { "offset 4: glTF 1.0 is older than this importer supports (2.x): export it as glTF 2.0", container({ json }, 1) },
    { "offset 8: the file is truncated: expected 1000 bytes, got 72", container({ json }, 2, 1000) },
    { "offset 8: expected a file of 20 bytes, got 72", container({ json }, 2, 20) },
    { "offset 12: expected the JSON chunk, got the end of the file", container({}) },
    { "offset 12: expected the header of a chunk (8 bytes), 3 are left", container({ "abc" }) },
    { "offset 12: a chunk of 4294967292 bytes, 0 are left", container({ "\252\255\255\255JSON" }) },
    { "offset 12: a chunk of 3 bytes is not padded to a multiple of 4", container({ "\3\0\0\0JSON{} " }) },
    { 'offset 16: expected the JSON chunk first, got "BIN?"', container({ chunk("BIN\0", "1234"), json }) },
    { 'offset 76: a second chunk of type "JSON"', container({ json, json }) },
    { "offset 84: the binary chunk must be the second, got it as chunk 3",
      container({ json, chunk("ABCD", ""), chunk("BIN\0", "") }) },
    { "offset 72: expected the header of a chunk (8 bytes), 4 are left", container({ json, "\0\0\0\0" }) },
    { "offset 20: expected blanks as padding of the JSON chunk, got zero bytes",
      container({ chunk("JSON", '{"asset":{"version":"2.0"}}\0') }) },
    { "line 1 column 1: expected a value, got the end of the text", container({ chunk("JSON", "") }) },
  }
  for _, case in ipairs(wrong) do
    it("is refused: " .. case[1], function()
      assert.equal("ship.glb: " .. case[1], refused(case[2]))
    end)
  end

  it("is refused if it was cut off at any length", function()
    local whole = binary()
    for length = 4, #whole - 1 do
      assert.matches("^ship%.glb: offset %d+: ", refused(whole:sub(1, length)))
    end
  end)
end)

-- The files of a real exporter: assimp (Debian: assimp-utils) converts the scene below.
local assimp = os.execute "command -v assimp >/dev/null 2>&1" == 0

local COLLADA = [[<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset><up_axis>Y_UP</up_axis></asset>
<library_geometries><geometry id="hull" name="hull"><mesh>
<source id="points"><float_array id="numbers" count="9">0 0 0 1 0 0 0 1 0</float_array><technique_common>
<accessor source="#numbers" count="3" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="corners"><input semantic="POSITION" source="#points"/></vertices>
<triangles count="1"><input semantic="VERTEX" source="#corners" offset="0"/><p>0 1 2</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="port" name="port">
<node id="ship" name="ship"><matrix>0 -2 0 10 2 0 0 20 0 0 2 30 0 0 0 1</matrix><instance_geometry url="#hull"/>
<node id="mast" name="mast"><matrix>1 0.5 0 1 0 1 0 2 0 0 1 3 0 0 0 1</matrix><instance_geometry url="#hull"/></node>
</node>
<node id="mirror" name="mirror"><matrix>1 0 0 -5 0 1 0 0 0 0 -1 0 0 0 0 1</matrix><instance_geometry url="#hull"/>
</node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#port"/></scene></COLLADA>
]]

describe("a file of assimp", function()
  if not assimp then
    pending("spawns at the poses of the model (assimp is missing)")
    return
  end

  for extension, format in pairs({ gltf = "gltf2", glb = "glb2" }) do
    it("spawns at the poses of the model: ." .. extension, function()
      local from, to = files:write("port.dae", COLLADA), files:at("port." .. extension)
      assert.equal(0, os.execute(("assimp export %s %s -f%s >/dev/null 2>&1"):format(from, to, format)))
      local world = cuttle.world(cuttle.entity_manager())
      world.mesh:define_resource("hull", {})
      local blob = assert(cuttle.compiler(world):compile(assert(gltf(to, { meshes = true }))))
      local level = assert(world:spawn(assert(cuttle.resource(blob))))
      local mast = level:find "port/ship/mast"
      assert.equal("hull", world.mesh:resource(mast))
      near({ 0, 2, 0, 0, -2, 1, 0, 0, 0, 0, 2, 0, 6, 22, 36, 1 }, { world.transform:world_matrix(mast) }, 2e-6)
      assert.same({ 1, 1, -1 }, { world.transform:local_scale(level:find "port/mirror") })
    end)
  end
end)
