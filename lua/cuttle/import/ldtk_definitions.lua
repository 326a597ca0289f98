--- Definitions of an LDtk project, which apply to all its levels: layers, enumerations, entities, table of contents.
-- Does not depend on levels and their contents.
-- @module cuttle.import.ldtk_definitions

local fields = require "cuttle.import.ldtk_fields"
local json = require "cuttle.json"
local tiles = require "cuttle.import.ldtk_tiles"
local unpack = require "cuttle.compat".unpack

local is_null = json.is_null

local definitions = {}

local function strings(cursor, holder, key)
  local list, copy = cursor:maybe(holder, key, "array", {}), {}
  cursor:enter(key)
  for index = 1, #list do copy[index] = cursor:need(list, index, "string") end
  cursor:leave()
  return copy
end

-- The parts of layer definitions that are copied into layers, by uid of the definition.
local function read_layers(cursor, defs)
  local layers = {}
  for _, data in cursor:each(defs, "layers") do
    layers[cursor:need(data, "uid", "integer")] = { values = tiles.values(cursor, data),
      parallax_x = cursor:maybe(data, "parallaxFactorX", "number", 0),
      parallax_y = cursor:maybe(data, "parallaxFactorY", "number", 0),
      tile_pivot_x = cursor:maybe(data, "tilePivotX", "coordinate", 0),
      tile_pivot_y = cursor:maybe(data, "tilePivotY", "coordinate", 0) }
  end
  return layers
end

-- Reads the color of an enumeration value: the number 0xrrggbb.
local function color_of(cursor, data)
  local number = cursor:maybe(data, "color", "integer")
  if not number then return nil end
  local function part(shift) return math.floor(number / shift) % 256 / 255 end
  return { part(65536), part(256), part(1), 1 }
end

local function read_enums(cursor, defs, key, tilesets, enums)
  for _, data in cursor:each(defs, key) do
    local enum = { identifier = cursor:need(data, "identifier", "string"), uid = cursor:maybe(data, "uid", "integer"),
      path = cursor:maybe(data, "externalRelPath", "string"), tags = strings(cursor, data, "tags"), values = {} }
    for index, value in cursor:each(data, "values") do
      enum.values[index] = { id = cursor:need(value, "id", "string"), color = color_of(cursor, value),
        tile = fields.tile(cursor, value, "tileRect", tilesets) }
    end
    enums[enum.identifier] = enum
  end
end

local function read_entities(cursor, defs, tilesets)
  local entities = {}
  for _, data in cursor:each(defs, "entities") do
    local entity = { identifier = cursor:need(data, "identifier", "string"), uid = cursor:maybe(data, "uid", "integer"),
      width = cursor:maybe(data, "width", "coordinate"), height = cursor:maybe(data, "height", "coordinate"),
      pivot = { cursor:maybe(data, "pivotX", "coordinate", 0), cursor:maybe(data, "pivotY", "coordinate", 0) },
      color = fields.color(cursor, data, "color"), tags = strings(cursor, data, "tags"),
      tile = fields.tile(cursor, data, "tileRect", tilesets), doc = cursor:maybe(data, "doc", "string"),
      render_mode = cursor:maybe(data, "renderMode", "string"),
      tile_render_mode = cursor:maybe(data, "tileRenderMode", "string"), fields = {} }
    if #cursor:maybe(data, "nineSliceBorders", "array", {}) > 0 then
      local up, right, down, left = unpack(cursor:numbers(data, "nineSliceBorders", 4))
      entity.nine_slice = { up = up, right = right, down = down, left = left }
    end
    for _, field in cursor:each(data, "fieldDefs") do
      entity.fields[cursor:need(field, "identifier", "string")] = { type = cursor:maybe(field, "__type", "string"),
        doc = cursor:maybe(field, "doc", "string") }
    end
    entities[entity.identifier] = entity
  end
  return entities
end

-- Reads the table of contents: entity instances of the whole project, by identifier of the entity. Before LDtk 1.5 it
-- has only references.
local function read_contents(cursor, document)
  local contents = {}
  for _, data in cursor:each(document, "toc") do
    local list, key = {}, is_null(data.instancesData) and "instances" or "instancesData"
    for index, item in cursor:each(data, key) do
      local iids = key == "instances" and item or cursor:need(item, "iids", "object")
      if iids ~= item then cursor:enter("iids") end
      list[index] = { entity = cursor:need(iids, "entityIid", "string"),
        layer = cursor:maybe(iids, "layerIid", "string"), level = cursor:maybe(iids, "levelIid", "string"),
        world = cursor:maybe(iids, "worldIid", "string") }
      if iids ~= item then cursor:leave() end
      list[index].x = cursor:maybe(item, "worldX", "coordinate")
      list[index].y = cursor:maybe(item, "worldY", "coordinate")
      list[index].width = cursor:maybe(item, "widPx", "coordinate")
      list[index].height = cursor:maybe(item, "heiPx", "coordinate")
    end
    contents[cursor:need(data, "identifier", "string")] = list
  end
  return contents
end

--- Reads the definitions.
-- @tparam cursor cursor at the root
-- @tparam table document
-- @treturn table the project for mappings: `tilesets` by uid; `enums`, `entities` and `contents` by identifier
-- @treturn table the parts of layer definitions that are copied into layers, by uid
function definitions.read(cursor, document)
  local defs = cursor:maybe(document, "defs", "object", {})
  local project = { tilesets = tiles.tilesets(cursor, defs), enums = {} }
  cursor:enter("defs")
  local layers = read_layers(cursor, defs)
  read_enums(cursor, defs, "enums", project.tilesets, project.enums)
  read_enums(cursor, defs, "externalEnums", project.tilesets, project.enums)
  project.entities = read_entities(cursor, defs, project.tilesets)
  cursor:leave()
  project.contents = read_contents(cursor, document)
  return project, layers
end

return definitions
