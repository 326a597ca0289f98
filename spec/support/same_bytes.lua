-- Levels with contents of every kind, which must compile to the same bytes on every host: fields of every type,
-- computed poses, strings, references, opaque data, and imported files. This host writes its bytes, and a caller
-- compares them with those of another.

local cuttle = require "cuttle"
local gltf_sample = require "spec.support.gltf_sample"
local ldtk_sample = require "spec.support.ldtk_sample"
local tiled_sample = require "spec.support.tiled_sample"

local same_bytes = {}

local SCHEMA = {
  { "float", "float" }, { "double", "double" }, { "int8", "int8" }, { "uint8", "uint8" }, { "int16", "int16" },
  { "uint16", "uint16" }, { "int32", "int32" }, { "uint32", "uint32" }, { "bool", "bool" }, { "vec2", "vec2" },
  { "vec3", "vec3" }, { "vec4", "vec4" }, { "quat", "quat" }, { "mat4", "mat4" }, { "color", "color" },
  { "target", "entity" }, { "string", "string" }, { "dvec2", "dvec2" }, { "dvec3", "dvec3" },
}

function same_bytes.world()
  local world = cuttle.world(cuttle.entity_manager())
  world:define("everything", SCHEMA)
  world:define("part", { { "size", "int16" }, { "label", "string", "none" } }, { multiple = true })
  world.mesh:define_resource("hull", {})
  return world
end

local function compiler_of(world)
  local compiler = cuttle.compiler(world)
  compiler:register("route", function(config, context)
    local writer = context.writer()
    writer:u8(1):u16(2):u32(3):i8(-4):i16(-5):i32(-6):f32(config.length):f64(config.length):string "route"
    return writer:tostring()
  end, 1000)
  return compiler
end

-- Numbers from -64 to 64 that are exact in any arithmetic.
local function numbers()
  local state = 12345
  return function()
    state = (state * 69069 + 1) % 2 ^ 32
    return state / 2 ^ 25 - 64
  end
end

local function vector(number, width)
  local lanes = {}
  for i = 1, width do lanes[i] = number() end
  return lanes
end

local function everything(number, i)
  local matrix = vector(number, 16)
  local function small() return number() * 1e-300 end
  matrix[4], matrix[8], matrix[12], matrix[16] = 0, 0, 0, 1
  return { float = number(), double = number() * 1e-300, int8 = -i, uint8 = 255 - i, int16 = -i * 300, uint16 = i * 300,
    int32 = -2 ^ 31 + i, uint32 = 2 ^ 32 - 1 - i, bool = i % 2 == 0, vec2 = vector(number, 2), vec3 = vector(number, 3),
    vec4 = vector(number, 4), quat = { 0, 0.6, 0, 0.8 }, mat4 = matrix, color = vector(number, 4),
    target = "entity " .. i % 7 + 1, dvec2 = vector(small, 2), dvec3 = vector(small, 3),
    string = ("x"):rep(i) .. "\195\164\0end" }
end

-- Poses in every form, nested many levels deep.
local function transform(number, i)
  local pose = { position = vector(number, 3) }
  if i % 3 == 0 then pose.rotation = vector(number, 4) end
  if i % 3 == 1 then pose.scale = vector(number, 3) end
  if i % 3 == 2 then pose.rotation, pose.scale = vector(number, 4), { 0.1, 1e-30, 1e20 } end
  return pose
end

local function by_hand()
  local number, level = numbers(), {}
  for i = 1, 40 do
    level[i] = { name = "entity " .. i, parent = i > 1 and i % 5 ~= 0 and "entity " .. math.floor(i / 2 + 0.5) or nil,
      components = { transform = transform(number, i), everything = everything(number, i),
        part = { { id = i, size = i }, { id = "part", label = "p" .. i % 3 } } } }
    if level[i].parent == level[i].name then level[i].parent = nil end
    if i % 4 == 0 then level[i].components.mesh = { resource = "hull", color = vector(number, 4) } end
    if i % 4 == 1 then level[i].components.point_mass = { mass = 0.1 * i, velocity = vector(number, 3) } end
    if i % 4 == 2 then level[i].components.actor = { shape = "box", mass = 1 / i } end
    if i % 4 == 3 then level[i].components.route = { length = number() / 3 } end
  end
  return { entities = level }
end

local JSON = [[{ "entities": [ { "name": "json", "components": { "transform": { "position": [0.1, -1e-7, 123456.789],
  "rotation": [0.1, 0.2, 0.3, 0.4], "scale": [3, 0.3333333333333333, 1e-3] }, "everything": { "double": 0.1,
  "float": 16777217, "string": "\u00e4\ud83d\ude00" } } } ] }]]

local function imported(importer, text, options)
  return assert(cuttle.import[importer](text, options))
end

-- More objects than a tracing compiler needs for compilation, for which a rounded product and sum cancel out.
local function isometric()
  local objects = {}
  for i = 1, 200 do objects[i] = { id = i, name = "o" .. i, x = i, y = i + 480, point = true, visible = true } end
  return { type = "map", version = "1.10", orientation = "isometric", width = 10, height = 10, tilewidth = 64,
    tileheight = 48, infinite = false, tilesets = {}, layers = { { type = "objectgroup", id = 1, name = "objects",
    objects = objects, x = 0, y = 0, visible = true, opacity = 1 } } }
end

-- Name -> level
local function sources()
  return {
    by_hand = by_hand(),
    json = JSON,
    empty = { entities = {} },
    gltf = imported("gltf", gltf_sample.encode(gltf_sample.sample())),
    ldtk = imported("ldtk", ldtk_sample.encode(ldtk_sample.sample()), { tiles = true }),
    isometric = imported("tiled", tiled_sample.encode(isometric())),
    tiled = imported("tiled", tiled_sample.encode(tiled_sample.sample()), { tiles = true }),
  }
end

-- "NAME.ORDER" -> blob
function same_bytes.blobs()
  local compiler, blobs = compiler_of(same_bytes.world()), {}
  for name, source in pairs(sources()) do
    for _, order in ipairs { "little", "big" } do
      blobs[name .. "." .. order] = assert(compiler:compile(source, { name = name, endian = order }))
    end
  end
  return blobs
end

-- Writes all blobs into an existing folder.
function same_bytes.write(folder)
  for name, blob in pairs(same_bytes.blobs()) do
    local file = assert(io.open(folder .. "/" .. name, "wb"))
    assert(file:write(blob))
    file:close()
  end
end

return same_bytes
