-- A small glTF document as Lua tables, binary containers, and functions that import them.

local bytes = require "examples.editors.bytes"
local gltf = require "cuttle.import.gltf"
local ldtk_sample = require "spec.support.ldtk_sample"
local importing = require "spec.support.importing"

local NULL, encode = ldtk_sample.NULL, ldtk_sample.encode
local base64, floats, number = bytes.base64, bytes.floats, bytes.number

-- A harbour: two ships with masts, a lamp, a camera; and a second scene with a buoy.
local function sample()
  return {
    asset = { version = "2.0", generator = "by hand" },
    scene = 0,
    scenes = { { name = "harbour", nodes = { 0, 3, 4 }, extras = { tide = 2 } }, { name = "sea", nodes = { 5 } } },
    nodes = {
      { name = "ship", mesh = 0, translation = { 10, 0, -2 }, rotation = { 0, 0.6, 0, 0.8 }, children = { 1, 2 },
        extras = { class = "Ship", crew = 12, cargo = { "rum", NULL, "rope" }, captain = NULL,
          log = { day = 3, wind = NULL } } },
      { name = "mast", mesh = 1, translation = { 0, 4, 0 }, scale = { 1, 2, 1 } },
      { mesh = 1, matrix = { 1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0, 2, 0, 0, 1 } },
      { name = "lamp/quay", extensions = { KHR_lights_punctual = { light = 1 } } },
      { name = "eye", camera = 0, skin = 0 },
      { name = "buoy.001", mesh = 2, extras = { type = "Float" } },
    },
    meshes = { { name = "hull", primitives = { { material = 1 }, { mode = 1 } }, extras = { tons = 40 } },
      { name = "pole", primitives = { {} } }, { primitives = { { material = 0 } } } },
    materials = { {}, { name = "wood" } },
    cameras = { { name = "wide", type = "perspective", perspective = { yfov = 0.5, znear = 0.1, aspectRatio = 1.5 } },
      { type = "orthographic", orthographic = { xmag = 2, ymag = 3, znear = 0, zfar = 9 } } },
    skins = { { name = "sailor", joints = { 1, 2 }, skeleton = 1 } },
    extensions = { KHR_lights_punctual = { lights = { { type = "point" },
      { name = "glow", type = "spot", color = { 1, 0.5, 0 }, intensity = 20, range = 7,
        spot = { outerConeAngle = 0.7 } } } } },
    extensionsUsed = { "KHR_lights_punctual" },
    extensionsRequired = { "KHR_lights_punctual", "KHR_materials_unlit", "KHR_draco_mesh_compression" },
  }
end

-- A document with given nodes, whose scene has all roots.
local function with_nodes(nodes)
  return { asset = { version = "2.0" }, nodes = nodes }
end

local _, level_source, failure = importing.ways(gltf, encode, sample)

-- A changed sample().
local function changed(change)
  local document = sample()
  change(document, document.nodes)
  return document
end

-- The arguments of the mapping "*" for the first node with a name.
local function seen(name, document, options)
  local found
  options = options or {}
  options.components = { ["*"] = function(fields, node, context)
    if node.name == name and not found then found = { fields, node, context } end
  end }
  level_source(document, options)
  return found[1], found[2], found[3]
end

local function chunk(kind, data)
  local padded = data .. ((kind == "JSON" and " " or "\0"):rep(-#data % 4))
  return number(#padded) .. kind .. padded
end

-- A container of chunks; `version` is 2 and `length` correct by default.
local function container(chunks, version, length)
  local body = table.concat(chunks)
  return "glTF" .. number(version or 2) .. number(length or #body + 12) .. body
end

-- The document as a container with a binary chunk.
local function binary(document)
  return container({ chunk("JSON", encode(document or sample())), chunk("BIN\0", "\1\2\3\4\5") })
end

-- Two instances of one node in a separate buffer: positions as floats, rotations as normalized shorts, four bytes
-- apart.
local TREES = floats(1, 0.5, -2, 10, 0, 0.125) .. "\0\0\255\127\0\0\0\0....\0\0\0\0\0\0\1\128"

-- A node with instances. The buffer's bytes are inline unless `uri` is given.
local function forest(uri)
  return {
    asset = { version = "2.0" }, extensionsUsed = { "EXT_mesh_gpu_instancing" },
    nodes = { { name = "tree", mesh = 0, translation = { 100, 0, 0 }, extras = { class = "Tree" }, children = { 1 },
      extensions = { EXT_mesh_gpu_instancing = { attributes = { TRANSLATION = 0, ROTATION = 1, _ID = 7 } } } },
      { name = "bench" } },
    meshes = { { name = "oak", primitives = { {} } } },
    accessors = { { bufferView = 0, componentType = 5126, count = 2, type = "VEC3" },
      { bufferView = 1, componentType = 5122, normalized = true, count = 2, type = "VEC4" } },
    bufferViews = { { buffer = 0, byteLength = 24 },
      { buffer = 0, byteOffset = 24, byteLength = 20, byteStride = 12 } },
    buffers = { { byteLength = #TREES, uri = uri or "data:application/octet-stream;base64," .. base64(TREES) } },
  }
end

return { TREES = TREES, base64 = base64, forest = forest, floats = floats, NULL = NULL, encode = encode,
  sample = sample, with_nodes = with_nodes, level_source = level_source,
  failure = failure, changed = changed, seen = seen, number = number, chunk = chunk, container = container,
  binary = binary }
