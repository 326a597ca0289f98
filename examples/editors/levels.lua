-- The example levels in the formats of their editors: one cave for Tiled and for LDtk, ruins of several rooms for LDtk,
-- a harbour for glTF.
-- Must not depend on files and drawing.

local boxes = require "examples.editors.boxes"
local json = require "cuttle.json"
local pixels = require "examples.editors.pixels"

local levels = {}

local SIZE = pixels.SIZE
local WIDTH, HEIGHT = 12, 8
local GRASS, WALL, WATER, ARROW, SPIKES, HERO, CHEST, DOOR = 0, 1, 2, 3, 4, 5, 6, 7

-- `#` wall, `~` water, `^` spikes, arrows that point up right, up left, down left, down right.
local MAP = {
  "############",
  "#..a..b....#",
  "#...~~.....#",
  "#..~~~~..^^#",
  "#...~~.....#",
  "#..d..c....#",
  "#..........#",
  "############",
}
local TILES = { ["#"] = WALL, ["~"] = WATER, ["^"] = SPIKES, ["."] = GRASS }
local FLIPS = { a = 0, b = 1, c = 3, d = 2 } -- 1: in x, 2: in y

local function each_cell(visit)
  for y, line in ipairs(MAP) do
    for x = 1, #line do
      local letter = line:sub(x, x)
      visit(x - 1, y - 1, TILES[letter] or ARROW, FLIPS[letter] or 0)
    end
  end
end

-- The keys of empty tables that are arrays.
local ARRAYS = {}
for _, key in ipairs { "__neighbours", "__tags", "autoLayerTiles", "entities", "entityInstances", "enums",
  "fieldInstances", "gridTiles", "intGridCsv", "intGridValues", "tilesets" } do ARRAYS[key] = true end

local function encode(value, order)
  return assert(json.encode(value, { indent = 1, order = order, arrays = ARRAYS })) .. "\n"
end

-- Tiled ------------------------------------------------------------------------------------------------------------

local function property(name, kind, value)
  return { name = name, type = kind, value = value }
end

local function object(id, name, class, gid, x, y, more)
  local made = { id = id, name = name, type = class, gid = gid, x = x, y = y, width = SIZE, height = SIZE, rotation = 0,
    visible = true }
  for key, value in pairs(more or {}) do made[key] = value end
  return made
end

--- The cave as `cave.tmj`.
function levels.tiled()
  local data = {}
  each_cell(function(_, _, tile, flips)
    data[#data + 1] = tile + 1 + (flips % 2) * 2 ^ 31 + math.floor(flips / 2) * 2 ^ 30
  end)
  local layer = { id = 1, name = "Ground", type = "tilelayer", x = 0, y = 0, width = WIDTH, height = HEIGHT,
    opacity = 1, visible = true, data = data }
  local things = { id = 2, name = "Things", type = "objectgroup", x = 0, y = 0, opacity = 1, visible = true,
    draworder = "index", objects = {
      object(1, "hero", "Player", HERO + 1, 24, 40, { properties = { property("hp", "int", 12),
        property("target", "object", 3) } }),
      object(2, "chest", "Chest", CHEST + 1, 140, 108, { rotation = -20, width = 24, height = 24,
        properties = { property("loot", "string", "rope") } }),
      object(3, "door", "Door", DOOR + 1 + 2 ^ 31, 160, 32),
    } }
  local tileset = { firstgid = 1, name = "Cave", image = "tiles.png", imagewidth = SIZE * pixels.COUNT,
    imageheight = SIZE, tilewidth = SIZE, tileheight = SIZE, tilecount = pixels.COUNT, columns = pixels.COUNT,
    margin = 0, spacing = 0, tiles = { { id = WALL, type = "Wall", properties = { property("solid", "bool", true) } },
      { id = SPIKES, type = "Spikes", properties = { property("damage", "int", 3) } } } }
  return encode({ type = "map", version = "1.8", tiledversion = "1.8.2", orientation = "orthogonal",
    renderorder = "right-down", infinite = false, width = WIDTH, height = HEIGHT, tilewidth = SIZE, tileheight = SIZE,
    compressionlevel = -1, nextlayerid = 3, nextobjectid = 4, tilesets = { tileset }, layers = { layer, things } },
    { "type", "version" })
end

-- LDtk -------------------------------------------------------------------------------------------------------------

local function field(name, kind, value)
  return { __identifier = name, __type = kind, __value = value, defUid = 1 }
end

local function instance(identifier, iid, tile, x, y, fields)
  return { __identifier = identifier, iid = iid, px = { x, y }, __grid = { math.floor(x / SIZE), math.floor(y / SIZE) },
    __pivot = { 0, 0 }, __tags = {}, width = SIZE, height = SIZE, defUid = 3,
    __tile = { tilesetUid = 1, x = tile * SIZE, y = 0, w = SIZE, h = SIZE }, fieldInstances = fields or {} }
end

local function ldtk_layer(identifier, kind, iid, uid, more)
  local made = { __identifier = identifier, __type = kind, iid = iid, layerDefUid = uid, __cWid = WIDTH,
    __cHei = HEIGHT, __gridSize = SIZE, __opacity = 1, __pxTotalOffsetX = 0, __pxTotalOffsetY = 0, visible = true,
    intGridCsv = {}, gridTiles = {}, autoLayerTiles = {}, entityInstances = {} }
  for key, value in pairs(more) do made[key] = value end
  return made
end

--- The cave as `cave.ldtk`.
function levels.ldtk()
  local cells, tiles = {}, {}
  each_cell(function(x, y, tile, flips)
    cells[#cells + 1] = tile == WALL and 1 or tile == WATER and 2 or 0
    tiles[#tiles + 1] = { px = { x * SIZE, y * SIZE }, src = { tile * SIZE, 0 }, f = flips, t = tile, a = 1 }
  end)
  local function layer_definition(uid, identifier, kind, values)
    return { uid = uid, identifier = identifier, type = kind, gridSize = SIZE, intGridValues = values or {} }
  end
  local defs = {
    tilesets = { { uid = 1, identifier = "Cave", relPath = "tiles.png", tileGridSize = SIZE,
      pxWid = SIZE * pixels.COUNT, pxHei = SIZE, customData = { { tileId = SPIKES, data = "damage 3" } },
      enumTags = { { enumValueId = "Solid", tileIds = { WALL } } } } },
    layers = { layer_definition(11, "Things", "Entities"), layer_definition(12, "Ground", "IntGrid", {
      { value = 1, identifier = "solid", color = "#7a6a5d" },
      { value = 2, identifier = "water", color = "#3f6fb0" } }) },
    entities = {}, enums = {} }
  local things = ldtk_layer("Things", "Entities", "layer-things", 11, { entityInstances = {
    instance("Player", "hero-1", HERO, 24, 24, { field("hp", "Int", 12),
      field("target", "EntityRef", { entityIid = "door-1", layerIid = "layer-things", levelIid = "level-cave",
        worldIid = "world" }) }),
    instance("Chest", "chest-1", CHEST, 144, 92, { field("loot", "String", "rope") }),
    instance("Door", "door-1", DOOR, 160, 16),
  } })
  local ground = ldtk_layer("Ground", "IntGrid", "layer-ground", 12, { intGridCsv = cells, autoLayerTiles = tiles,
    __tilesetDefUid = 1, __tilesetRelPath = "tiles.png" })
  local level = { identifier = "Cave", iid = "level-cave", uid = 20, worldX = 0, worldY = 0, worldDepth = 0,
    pxWid = WIDTH * SIZE, pxHei = HEIGHT * SIZE, fieldInstances = { field("music", "String", "drips.ogg") },
    layerInstances = { things, ground } }
  return encode({ jsonVersion = "1.5.3", worldLayout = "Free", defaultGridSize = SIZE, externalLevels = false,
    defs = defs, levels = { level } }, { "jsonVersion", "identifier" })
end

-- Ruins of LDtk ----------------------------------------------------------------------------------------------------

-- The cells of the ruins are larger than those of the cave.
local CELL = 2 * SIZE

-- Rooms in a world of the layout GridVania: the position in cells, directions and names of neighbours, and the map.
-- `#` wall, `P` player, `C` chest, `L` lamp.
local ROOMS = {
  { name = "Hall", x = 0, y = 0, neighbours = { "e Tower", "s Cellar", "s Crypt" }, map = {
    "############",
    "#..L........",
    "#.P......L..",
    "##..########" } },
  { name = "Tower", x = 12, y = 0, neighbours = { "w Hall", "w Crypt" }, map = {
    "######",
    "....L#",
    ".....#",
    "#....#",
    "#....#",
    ".....#",
    "...C.#",
    "######" } },
  { name = "Cellar", x = 0, y = 4, neighbours = { "n Hall", "e Crypt" }, map = {
    "##..##",
    "#.....",
    "#.C...",
    "######" } },
  { name = "Crypt", x = 6, y = 4, neighbours = { "w Cellar", "n Hall", "e Tower" }, map = {
    "######",
    "......",
    "..L...",
    "######" } },
}
local THINGS = { P = "Player", C = "Chest", L = "Lamp" }

local function iid_of(room)
  return "level-" .. room:lower()
end

local function room_layers(room)
  local cells, things = {}, {}
  for y, line in ipairs(room.map) do
    for x = 1, #line do
      local letter = line:sub(x, x)
      cells[#cells + 1] = letter == "#" and 1 or 0
      local thing = THINGS[letter]
      if thing then
        things[#things + 1] = { __identifier = thing, iid = ("%s-%s-%d"):format(thing, room.name, #things + 1):lower(),
          px = { (x - 0.5) * CELL, (y - 0.5) * CELL }, __pivot = { 0.5, 0.5 }, __tags = {}, width = SIZE, height = SIZE,
          fieldInstances = thing == "Chest" and { field("loot", "String", "rope") } or {} }
      end
    end
  end
  local size = { __gridSize = CELL, __cWid = #room.map[1], __cHei = #room.map }
  local function layer(identifier, kind, uid, key, content)
    local made = ldtk_layer(identifier, kind, ("%s-%s"):format(identifier, room.name):lower(), uid, size)
    made[key] = content
    return made
  end
  return { layer("Things", "Entities", 11, "entityInstances", things),
    layer("Walls", "IntGrid", 12, "intGridCsv", cells) }
end

--- A world of several levels as `ruins.ldtk`.
function levels.ruins()
  local list = {}
  for number, room in ipairs(ROOMS) do
    local neighbours = {}
    for place, text in ipairs(room.neighbours) do
      local direction, name = text:match "(%l) (%a+)"
      neighbours[place] = { levelIid = iid_of(name), dir = direction }
    end
    list[number] = { identifier = room.name, iid = iid_of(room.name), uid = 20 + number, worldX = room.x * CELL,
      worldY = room.y * CELL, worldDepth = 0, pxWid = #room.map[1] * CELL, pxHei = #room.map * CELL,
      __neighbours = neighbours, fieldInstances = {}, layerInstances = room_layers(room) }
  end
  local defs = { entities = {}, enums = {}, tilesets = {}, layers = { { uid = 11, identifier = "Things",
    type = "Entities", gridSize = CELL, intGridValues = {} }, { uid = 12, identifier = "Walls", type = "IntGrid",
    gridSize = CELL, intGridValues = { { value = 1, identifier = "solid", color = "#7a6a5d" } } } } }
  return encode({ jsonVersion = "1.5.3", worldLayout = "GridVania", worldGridWidth = 6 * CELL,
    worldGridHeight = 4 * CELL, defaultGridSize = CELL, externalLevels = false, defs = defs, levels = list },
    { "jsonVersion", "identifier" })
end

-- glTF -------------------------------------------------------------------------------------------------------------

local function quarter(turns)
  local angle = turns * math.pi / 4
  return { 0, math.floor(math.sin(angle) * 1e6 + 0.5) / 1e6, 0, math.floor(math.cos(angle) * 1e6 + 0.5) / 1e6 }
end

--- The appearance of the objects in the harbour, by class.
levels.COLORS = { Pier = "#a0662e", Ship = "#7a6a5d", Mast = "#2b2b33", Boat = "#d09040", Buoy = "#c04040" }

-- Width, height and depth.
local BOXES = {}
for index, box in ipairs { { "Pier", 24, 1, 5 }, { "Ship", 10, 2, 3 }, { "Mast", 1, 6, 1 }, { "Boat", 3, 1.5, 1.25 },
  { "Buoy", 1, 1, 1 } } do
  BOXES[index] = { name = box[1], size = { box[2], box[3], box[4] }, color = levels.COLORS[box[1]] }
end

--- The harbour as `harbour.gltf`: boxes, with their footprints in the nodes' extras.
function levels.gltf()
  local function node(name, number, more)
    local box = BOXES[number]
    local made = { name = name, mesh = number - 1, extras = { class = box.name,
      footprint = { box.size[1], box.size[3] } } }
    for key, value in pairs(more) do made[key] = value end
    return made
  end
  local document = { asset = { version = "2.0", generator = "cuttle's example" }, scene = 0,
    scenes = { { name = "Harbour", nodes = { 0, 1, 4 } } }, nodes = {
      node("pier", 1, { translation = { 12, 0, 4 } }),
      node("ship", 2, { translation = { 9, 0, 11 }, rotation = quarter(0.3), children = { 2, 3 } }),
      node("mast", 3, { translation = { 2, 3, 0 } }),
      node("boat", 4, { translation = { 5, 0, -4 }, rotation = quarter(0.5) }),
      node("buoy.001", 5, { translation = { 19, 0, 12 }, scale = { 1.5, 1.5, 1.5 } }),
    } }
  boxes.add(document, BOXES)
  return encode(document, { "asset", "name" })
end

return levels
