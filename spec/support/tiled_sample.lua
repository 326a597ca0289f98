-- Small Tiled maps as Lua tables, and functions that import them.

local tiled = require "cuttle.import.tiled"
local json = require "cuttle.json"
local encode = require("spec.support.ldtk_sample").encode
local importing = require "spec.support.importing"

local FLIP_X, FLIP_Y, FLIP_DIAGONAL, ROTATE_120 = 2 ^ 31, 2 ^ 30, 2 ^ 29, 2 ^ 28

local function with(base, parts)
  for key, value in pairs(parts or {}) do base[key] = value end
  return base
end

local function property(name, kind, value, type_name)
  return { name = name, type = kind, value = value, propertytype = type_name }
end

local function object(id, name, class, x, y, parts)
  return with({ id = id, name = name, type = class, x = x, y = y, width = 10, height = 20, rotation = 0,
    visible = true }, parts)
end

local function layer(id, name, kind, parts)
  return with({ id = id, name = name, type = kind, opacity = 1, visible = true, x = 0, y = 0 }, parts)
end

local function things(id, name, objects, parts)
  return layer(id, name, "objectgroup", with({ draworder = "topdown", objects = objects }, parts))
end

local function floor(id, name, width, height, data, parts)
  return layer(id, name, "tilelayer", with({ width = width, height = height, data = data }, parts))
end

local function group(id, name, layers, parts)
  return layer(id, name, "group", with({ layers = layers }, parts))
end

-- Ids 1 to 6 in 3 columns, with 8 x 12 pixels, unlike the cells of 16 x 16.
local function tileset(parts)
  return with({ firstgid = 1, name = "Ground", tilewidth = 8, tileheight = 12, tilecount = 6, columns = 3, margin = 1,
    spacing = 2, image = "img/ground.png", imagewidth = 32, imageheight = 28, tiles = {
      { id = 1, type = "Wall", properties = { property("hard", "bool", true), property("hp", "int", 5) },
        animation = { { tileid = 1, duration = 100 }, { tileid = 2, duration = 50 } },
        objectgroup = { type = "objectgroup", objects = { object(1, "", "Box", 1, 2, { width = 3, height = 4 }) } } },
    } }, parts)
end

local function map(layers, parts)
  return with({ type = "map", version = "1.10", tiledversion = "1.10.2", orientation = "orthogonal",
    renderorder = "right-down", infinite = false, width = 3, height = 2, tilewidth = 16, tileheight = 16,
    nextlayerid = 9, nextobjectid = 99, compressionlevel = -1, tilesets = { tileset() }, layers = layers }, parts)
end

-- A floor, a group with objects, and an image layer.
local function sample()
  return map({
    floor(1, "Floor", 3, 2, { 1, 2 + FLIP_X, 0, 3 + FLIP_Y, 0, 6 + FLIP_DIAGONAL }, { opacity = 0.5 }),
    group(2, "Town", {
      things(3, "Things", {
        object(1, "hero", "Player", 40, 50, { rotation = 90, properties = {
          property("hp", "int", 12), property("speed", "float", 1.5), property("boss", "bool", true),
          property("title", "string", "Eve"), property("tint", "color", "#800080ff"),
          property("sound", "file", "../a/b.ogg"), property("target", "object", 2), property("gone", "object", 77),
          property("nobody", "object", 0) } }),
        object(2, "door", "Door", 8, 9),
        object(3, "wall", "", 32, 32, { gid = 2, width = 16, height = 24 }),
      }, { offsetx = 1, offsety = 2, color = "#ff0000" }),
    }, { offsetx = 10, offsety = 20, opacity = 0.5, visible = false, parallaxx = 0.5, tintcolor = "#ff808080" }),
    layer(4, "Sky", "imagelayer", { image = "sky.png", repeatx = true, offsetx = -3, parallaxy = 0 }),
  })
end

-- Functions that import a document.
local import, level_source, failure = importing.ways(tiled, encode, sample)

-- A changed sample(): change(document, floor, group, things, image_layer).
local function changed(change)
  local document = sample()
  local layers = document.layers
  change(document, layers[1], layers[2], layers[2].layers[1], layers[3])
  return document
end

-- The arguments of the mapping of an object by its name, or of the only object of a map, if it is a table.
local function seen(target, options, document)
  local found
  if type(target) == "table" then document, target = map({ things(1, "Things", { target }) }), target.name end
  options = with({}, options)
  options.components = { ["*"] = function(values, one, context)
    if one.name == target then found = { values, one, context } end
  end }
  level_source(document, options)
  return found[1], found[2], found[3]
end

-- The position of a point after a transform, for example of a pixel of a tile's image.
local function moved(transform, x, y)
  local scale, angle = transform.scale or { 1, 1 }, transform.angle or 0
  x, y = x * scale[1], y * scale[2]
  local c, s = math.cos(angle), math.sin(angle)
  return transform.position[1] + c * x - s * y, transform.position[2] + s * x + c * y
end

-- The option `read` for files by path, target are Lua tables or texts.
local function reader(files)
  return function(path)
    local file = files[path]
    if type(file) == "table" then return encode(file) end
    return file, not file and "no such file" or nil
  end
end

return { NULL = json.null, FLIP_X = FLIP_X, FLIP_Y = FLIP_Y, FLIP_DIAGONAL = FLIP_DIAGONAL, ROTATE_120 = ROTATE_120,
  encode = encode, with = with, property = property, object = object, things = things, floor = floor, group = group,
  layer = layer, tileset = tileset, map = map, sample = sample, import = import, level_source = level_source,
  failure = failure, changed = changed, seen = seen, moved = moved, reader = reader }
