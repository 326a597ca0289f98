-- A small LDtk project as Lua tables, and functions that import it.

local ldtk = require "cuttle.import.ldtk"
local json = require "cuttle.json"
local importing = require "spec.support.importing"

local NULL = json.null

local function encode(value)
  if value == NULL then return "null" end
  if type(value) == "string" then
    return '"' .. value:gsub('[%c"\\]', function(c) return ("\\u%04x"):format(c:byte()) end) .. '"'
  elseif type(value) == "number" then
    return value == math.huge and "1e999" or ("%.17g"):format(value)
  elseif type(value) ~= "table" then
    return tostring(value)
  end
  local parts = {}
  if #value > 0 or next(value) == nil then
    for index = 1, #value do parts[index] = encode(value[index]) end
    return "[" .. table.concat(parts, ",") .. "]"
  end
  for key, item in pairs(value) do parts[#parts + 1] = encode(key) .. ":" .. encode(item) end
  return "{" .. table.concat(parts, ",") .. "}"
end

local function field(name, kind, value)
  return { __identifier = name, __type = kind, __value = value, __tile = NULL, defUid = 1 }
end

local function reference(iid)
  return { entityIid = iid, layerIid = "layer-a", levelIid = "level-a", worldIid = "world" }
end

local function entity(name, iid, x, y, fields)
  return { __identifier = name, iid = iid, px = { x, y }, __grid = { math.floor(x / 16), math.floor(y / 16) },
    __pivot = { 0.5, 1 }, __tags = { "actor" }, __tile = { tilesetUid = 7, x = 16, y = 32, w = 16, h = 24 },
    __smartColor = "#ff8000", width = 16, height = 24, defUid = 3, fieldInstances = fields or {} }
end

local function layer(name, kind, iid, parts)
  local data = { __identifier = name, __type = kind, iid = iid, __cWid = 3, __cHei = 2, __gridSize = 16,
    __opacity = 0.5, __pxTotalOffsetX = 0, __pxTotalOffsetY = -8, __tilesetDefUid = NULL, __tilesetRelPath = NULL,
    layerDefUid = 1, visible = true, intGridCsv = {}, autoLayerTiles = {}, gridTiles = {}, entityInstances = {} }
  for key, value in pairs(parts or {}) do data[key] = value end
  return data
end

local function level(name, iid, x, y, layers, fields)
  return { identifier = name, iid = iid, uid = 0, worldX = x, worldY = y, worldDepth = 1, pxWid = 48, pxHei = 32,
    __bgColor = "#000000", __bgPos = NULL, bgRelPath = NULL, externalRelPath = NULL, fieldInstances = fields or {},
    __neighbours = { { levelIid = "level-b", dir = "e" } }, layerInstances = layers or {} }
end

local function project(levels)
  return { jsonVersion = "1.5.3", worldLayout = "Free", defaultGridSize = 16, externalLevels = false, worlds = {},
    levels = levels,
    defs = {
      tilesets = { { uid = 7, identifier = "Ground", relPath = "ground.png", tileGridSize = 16, pxWid = 64, pxHei = 64,
        customData = { { tileId = 5, data = "slow" } },
        enumTags = { { enumValueId = "Water", tileIds = { 5, 6 } } } } },
      layers = { { uid = 1, identifier = "Walls", parallaxFactorX = 0.25, parallaxFactorY = 0, intGridValues = {
        { value = 2, identifier = "brick", color = "#ff0000", groupUid = 0 } } } } } }
end

local FIELDS = {
  field("hp", "Int", 12), field("speed", "Float", 1.5), field("boss", "Bool", true), field("title", "String", "Eve"),
  field("story", "Multilines", "one\ntwo"), field("tint", "Color", "#0080ff"), field("item", "LocalEnum.Item", "Bow"),
  field("mood", "ExternEnum.Mood", "calm"), field("sound", "FilePath", "a/b.ogg"),
  field("home", "Point", { cx = 2, cy = 3 }), field("target", "EntityRef", reference("door-1")),
  field("gone", "EntityRef", reference("elsewhere")),
  field("icon", "Tile", { tilesetUid = 7, x = 1, y = 2, w = 3, h = 4 }),
  field("nothing", "Int", NULL), field("path", "Array<Point>", { { cx = 0, cy = 1 }, { cx = 1, cy = 1 } }),
  field("targets", "Array<EntityRef>", { reference("elsewhere"), reference("door-1") }),
  field("words", "Array<String>", { "a", NULL, "c" }), field("tints", "Array<Color>", { "#ffffff" }),
  field("future", "Gadget", "kept"),
}

local function tile(x, y, flip, id)
  return { px = { x, y }, src = { 16, 0 }, f = flip, t = id or 1, a = 0.75, d = { 1 } }
end

-- Two levels: A with entities, walls and tiles; B with a door.
local function sample()
  return project({
    level("A", "level-a", 100, 200, {
      layer("Things", "Entities", "layer-a", { entityInstances = { entity("Player", "player-1", 8, 16, FIELDS),
        entity("Door", "door-1", 32, 16) } }),
      layer("Walls", "IntGrid", "layer-w", { intGridCsv = { 0, 2, 0, 0, 0, 1 }, __tilesetDefUid = 7,
        __tilesetRelPath = "ground.png", autoLayerTiles = { tile(0, 0, 0, 5), tile(16, 0, 1), tile(32, 16, 2) } }),
      layer("Floor", "Tiles", "layer-f", { gridTiles = { tile(16, 16, 3) } }),
    }, { field("music", "String", "theme.ogg") }),
    level("B", "level-b", 148, 200, {
      layer("Things", "Entities", "layer-b", { entityInstances = { entity("Door", "door-2", 0, 0, {
        field("back", "EntityRef", reference("player-1")) }) } }),
    }),
  })
end

-- The sample with `count` tiles in each of two layers, some of them flipped.
local function tiled(count)
  local document = sample()
  for number, key in ipairs({ "autoLayerTiles", "gridTiles" }) do
    local list = {}
    for index = 1, count do
      list[index] = { px = { index % 3 * 16, math.floor(index / 3) % 2 * 16 }, src = { 16 * number, 0 },
        f = index % 7 == 0 and 1 or 0, t = index % 9, d = { index }, a = 1 }
    end
    document.levels[1].layerInstances[number + 1][key] = list
  end
  return document
end

local _, level_source, failure = importing.ways(ldtk, encode, sample)

-- A changed sample().
local function changed(change)
  local document = sample()
  change(document, document.levels[1], document.levels[1].layerInstances[1])
  return document
end

-- The sample as text with separate level files, and these by path: prefix1.ldtkl, prefix2.ldtkl.
local function split(prefix)
  local whole, parts = sample(), {}
  whole.externalLevels = true
  for index, one in ipairs(whole.levels) do
    local path = prefix .. index .. ".ldtkl"
    parts[path] = encode(one)
    one.layerInstances, one.externalRelPath = NULL, path
  end
  return encode(whole), parts
end

-- The arguments of the mapping of Player.
local function player(document, options)
  local seen
  options = options or {}
  options.components = { Player = function(...) seen = { ... } end }
  level_source(document, options)
  return seen[1], seen[2], seen[3]
end

return { NULL = NULL, encode = encode, field = field, reference = reference, project = project, sample = sample,
  tiled = tiled, split = split, changed = changed, level_source = level_source, failure = failure, player = player }
