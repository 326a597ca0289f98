-- The page "Mappings": its tables list all keys that mappings receive, and no others.

local file = require "spec.support.file"
local gltf = require "cuttle.import.gltf"
local json = require "cuttle.json"
local ldtk = require "cuttle.import.ldtk"
local tiled = require "cuttle.import.tiled"

-- The keys of each table, by heading and name: those in the rows "| `name` | keys |". Text in brackets is removed.
local function read_page()
  local page, heading = {}, nil
  for line in file.read("docs/editors/mappings.md"):gmatch "[^\n]+" do
    heading = line:match "^## (.*)" or heading
    local name, keys = line:match "^| `(%l[%l_]*)`[^|]*| (.*) |$"
    if heading and name then
      page[heading] = page[heading] or {}
      page[heading][name] = page[heading][name] or {}
      for key in keys:gsub("%b()", ""):gsub("%b{}", ""):gmatch "[^,]+" do
        page[heading][name][assert(key:match "^%s*`?([%l_%d]+)", keys)] = true
      end
    end
  end
  return page
end

-- Keys of the importer's own, which are not for mappings.
local INTERNAL = { tileset = { limit = true } }

-- Returns a recorder: function(name, ...) adds the keys of tables to `seen[name]`. Lists are recorded item by item.
local function recorder()
  local seen = {}
  local function record(name, item)
    for key in pairs(item or {}) do
      if type(key) == "number" then
        record(name, item[key])
      elseif not (INTERNAL[name] or {})[key] then
        seen[name] = seen[name] or {}
        seen[name][key] = true
      end
    end
  end
  return seen, record
end

local function each_value(table_by_key, fn)
  for _, item in pairs(table_by_key) do fn(item) end
end

-- LDtk -------------------------------------------------------------------------------------------------------------

local RECTANGLE = { tilesetUid = 1, x = 0, y = 0, w = 16, h = 16 }

local function ldtk_layer(kind, parts)
  local layer = { __identifier = kind, __type = kind, iid = "iid of " .. kind, __cWid = 1, __cHei = 1, __gridSize = 16,
    __opacity = 1, __tilesetDefUid = 1, __tilesetRelPath = "a.png", layerDefUid = 2, visible = true }
  for key, value in pairs(parts) do layer[key] = value end
  return layer
end

local function ldtk_project()
  local tile = { px = { 0, 0 }, src = { 0, 0 }, f = 0, t = 3, a = 1 }
  return { jsonVersion = "1.5.3", worldLayout = "Free",
    toc = { { identifier = "Hero", instancesData = { { worldX = 1, worldY = 2, widPx = 3, heiPx = 4,
      iids = { entityIid = "e", layerIid = "l", levelIid = "v", worldIid = "w" } } } } },
    defs = {
      tilesets = { { uid = 1, identifier = "Ground", relPath = "a.png", tileGridSize = 16, pxWid = 64, pxHei = 64,
        customData = { { tileId = 3, data = "ice" } }, enumTags = { { enumValueId = "Cold", tileIds = { 3 } } } } },
      layers = { { uid = 2, identifier = "IntGrid", intGridValues = { { value = 1, identifier = "rock",
        color = "#ff0000", groupUid = 4 } } } },
      enums = { { identifier = "Mood", uid = 5, externalRelPath = "moods.txt", tags = { "a" },
        values = { { id = "Calm", color = 255, tileRect = RECTANGLE } } } },
      entities = { { identifier = "Hero", uid = 6, width = 16, height = 16, pivotX = 0.5, pivotY = 1, color = "#00ff00",
        tags = { "a" }, tileRect = RECTANGLE, doc = "text", renderMode = "Tile", tileRenderMode = "NineSlice",
        nineSliceBorders = { 1, 2, 3, 4 }, fieldDefs = { { identifier = "hp", __type = "Int", doc = "text" } } } } },
    worlds = { { identifier = "Over", iid = "w", worldLayout = "Free", levels = { { identifier = "Cave", iid = "v",
      uid = 7, worldX = 0, worldY = 0, worldDepth = 0, pxWid = 16, pxHei = 16, __bgColor = "#000000",
      bgRelPath = "sky.png", __bgPos = { topLeftPx = { 0, 0 }, scale = { 1, 1 }, cropRect = { 0, 0, 1, 1 } },
      __neighbours = { { levelIid = "v", dir = "n" } }, fieldInstances = {}, layerInstances = {
        ldtk_layer("Entities", { entityInstances = { { __identifier = "Hero", iid = "e", px = { 0, 0 },
          __grid = { 0, 0 }, __pivot = { 0, 0 }, __tags = { "a" }, __tile = RECTANGLE, __smartColor = "#ff8000",
          width = 16, height = 16, fieldInstances = { { __identifier = "self", __type = "EntityRef",
            __value = { entityIid = "e", layerIid = "l", levelIid = "v", worldIid = "w" } } } } } }),
        ldtk_layer("IntGrid", { intGridCsv = { 1 }, autoLayerTiles = { tile } }) } } } } } }
end

local function ldtk_keys()
  local seen, record = recorder()
  local document = ldtk_project()
  assert(ldtk(assert(json.encode(document)), {
    directory = "",
    components = { ["*"] = function(_, entity, context)
      record("entity", entity)
      record("reference", entity.references.self)
      record("context", context)
      record("project", context.project)
      each_value(context.project.entities, function(one)
        record("definition", one)
        record("field", one.fields.hp)
      end)
      each_value(context.project.enums, function(one)
        record("enum", one)
        record("enum_value", one.values)
      end)
      each_value(context.project.tilesets, function(one) record("tileset", one) end)
      each_value(context.project.contents, function(one) record("content", one) end)
    end },
    tile = function(tile) record("tile", tile) end,
    int_grid = function(_, cell) record("cell", cell) end,
    layer = function(layer)
      record("layer", layer)
      record("int_grid_value", layer.values)
    end,
    level = function(_, level)
      record("level", level)
      record("background", level.background)
      record("neighbour", level.neighbours)
    end,
  }))
  return seen
end

-- Tiled ------------------------------------------------------------------------------------------------------------

local function tiled_map()
  local wang_color = { name = "Sand", class = "Dry", color = "#ff0000", tile = 0, probability = 1 }
  local tile = { id = 0, type = "Wall", image = "a.png", imagewidth = 16, imageheight = 16, probability = 0.5,
    animation = { { tileid = 0, duration = 100 } }, objectgroup = { objects = {
      { id = 1, name = "box", type = "Box", x = 0, y = 0, polygon = { { x = 0, y = 0 } } },
      { id = 2, x = 0, y = 0, text = { text = "a" } } } } }
  return { type = "map", version = "1.10", class = "Cave", orientation = "orthogonal", width = 1, height = 1,
    tilewidth = 16, tileheight = 16, backgroundcolor = "#000000", tilesets = { { firstgid = 1, source = "set.tsj" } },
    layers = {
      { type = "group", id = 1, name = "Group", layers = {
        { type = "tilelayer", id = 2, name = "Ground", class = "Ground", width = 1, height = 1, data = { 1 },
          tintcolor = "#ffffff" } } },
      { type = "imagelayer", id = 3, name = "Sky", image = "sky.png", repeatx = true, transparentcolor = "#ff00ff" },
      { type = "objectgroup", id = 4, name = "Things", color = "#ff0000", objects = {
        { id = 1, name = "a", type = "A", gid = 1, x = 0, y = 16 },
        { id = 2, x = 0, y = 0, polyline = { { x = 0, y = 0 } } },
        { id = 3, template = "door.tj", x = 0, y = 0,
          properties = { { name = "to", type = "object", value = 1 } } },
        { id = 4, x = 0, y = 0, text = { text = "a", color = "#ffffff" } } } } } },
    { name = "Set", class = "Stone", tilewidth = 16, tileheight = 16, tilecount = 1, columns = 1, image = "a.png",
      imagewidth = 16, imageheight = 16, transparentcolor = "#ff00ff", backgroundcolor = "#000000",
      grid = { width = 16, height = 16 }, tiles = { tile }, wangsets = { { name = "Terrain", class = "Land",
        type = "corner", tile = 0, colors = { wang_color }, wangtiles = {} } } }
end

local function tiled_keys()
  local seen, record = recorder()
  local map, tileset = tiled_map()
  local texts = { ["cave.tmj"] = assert(json.encode(map)), ["set.tsj"] = assert(json.encode(tileset)),
    ["door.tj"] = [[{ "type": "template", "object": { "name": "door", "width": 8 } }]] }
  local function record_tile(tile)
    record("tile", tile)
    record("shape", tile.collision)
    record("frame", tile.animation)
    record("tileset", tile.tileset)
    record("wang_set", tile.tileset.wang_sets)
    record("wang_color", tile.tileset.wang_sets[1].colors)
  end
  local world = [[{ "type": "world", "maps": [ { "fileName": "cave.tmj", "width": 16, "height": 16 } ] }]]
  assert(tiled(world, { directory = "", read = function(path) return texts[path] end,
    components = { ["*"] = function(_, object, context)
      record("object", object)
      record("text", object.text)
      record("reference", object.references.to)
      record("context", context)
    end },
    tile = record_tile,
    layer = function(layer)
      record("layer", layer)
      record("total", layer.total)
      if layer.cells then record("block", layer.cells()) end
    end,
    map = function(_, one)
      record("map", one)
      record("world", one.world)
    end,
  }))
  return seen
end

-- glTF -------------------------------------------------------------------------------------------------------------

local function scene()
  local instances = { EXT_mesh_gpu_instancing = { attributes = { TRANSLATION = 0 } } }
  return { asset = { version = "2.0" }, scene = 0, scenes = { { name = "Port", nodes = { 0, 1, 2, 3 }, extras = {} } },
    extensionsUsed = { "KHR_lights_punctual", "EXT_mesh_gpu_instancing" },
    extensions = { KHR_lights_punctual = { lights = { { name = "sun", type = "spot", range = 5, extras = {} } } } },
    materials = { { name = "wood" } }, meshes = { { name = "hull", extras = {}, primitives = { { material = 0 } } } },
    skins = { { name = "skin", joints = { 0 }, skeleton = 0, extras = {} } },
    cameras = { { name = "eye", type = "perspective", extras = {}, perspective = { znear = 1, zfar = 2, yfov = 1,
      aspectRatio = 1 } }, { type = "orthographic", orthographic = { znear = 1, zfar = 2, xmag = 1, ymag = 1 } } },
    bufferViews = { { buffer = 0, byteOffset = 0, byteLength = 12 } }, buffers = { { uri =
      "data:application/octet-stream;base64,AAAAAAAAAAAAAAAA", byteLength = 12 } },
    accessors = { { bufferView = 0, componentType = 5126, count = 1, type = "VEC3" } },
    nodes = { { name = "ship", mesh = 0, skin = 0, camera = 0, extras = { class = "Ship" }, translation = { 0, 0, 0 },
      rotation = { 0, 0, 0, 1 }, scale = { 1, 1, 1 }, children = { 4 },
      extensions = { KHR_lights_punctual = { light = 0 } } }, { camera = 1 },
      { matrix = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 } }, { mesh = 0, extensions = instances },
      { name = "mast" } } }
end

local function gltf_keys()
  local seen, record = recorder()
  local function part(kind)
    return function(one) record(kind, one) end
  end
  assert(gltf(assert(json.encode(scene())), {
    directory = "",
    components = { ["*"] = function(_, node, context)
      record("node", node)
      record("context", context)
      record("scene", context.scene)
    end },
    mesh = function(mesh)
      record("mesh", mesh)
      record("primitive", mesh.primitives)
    end,
    skin = part "skin", camera = part "camera", light = part "light",
  }))
  return seen
end

-- The keys of tables as text: one line for each table.
local function lines_of(keys_by_name)
  local lines = {}
  for name, set in pairs(keys_by_name) do
    local keys = {}
    for key in pairs(set) do keys[#keys + 1] = key end
    table.sort(keys)
    lines[#lines + 1] = name .. ": " .. table.concat(keys, ", ")
  end
  table.sort(lines)
  return table.concat(lines, "\n")
end

describe("the page about mappings", function()
  local page = read_page()

  for heading, keys_of in pairs({ LDtk = ldtk_keys, Tiled = tiled_keys, glTF = gltf_keys }) do
    it("lists the keys that mappings of " .. heading .. " receive", function()
      assert.equal(lines_of(keys_of()), lines_of(page[heading]))
    end)
  end
end)
