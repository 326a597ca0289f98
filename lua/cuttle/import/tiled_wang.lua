--- Describes the Wang sets of a Tiled tileset: which terrains meet at the corners and edges of a tile.
-- Knows nothing of what a tile is besides.
-- @module cuttle.import.tiled_wang

local fields = require "cuttle.import.tiled_fields"

local wang = {}

local CORNERS_AND_EDGES = 8

-- The tile that stands for a set or a terrain; -1 is none.
local function shown(cursor, data)
  local id = cursor:maybe(data, "tile", "integer", -1)
  return id >= 0 and id or nil
end

local function read_colors(import, cursor, data, directory)
  local colors = {}
  for index, item in cursor:each(data, "colors") do
    local class = fields.class(cursor, item)
    colors[index] = { name = cursor:maybe(item, "name", "string", ""), class = class, tile = shown(cursor, item),
      color = fields.color(cursor, item, "color"), probability = cursor:maybe(item, "probability", "number", 1),
      fields = fields.read(import, cursor, item, class, "wangcolor", directory) }
  end
  return colors
end

-- Before Tiled 1.5 a tile had its terrains in another form, which is passed over.
local function read_tiles(cursor, data)
  local tiles = {}
  for _, item in cursor:each(data, "wangtiles") do
    local ids, list = {}, cursor:maybe(item, "wangid", "array", {})
    cursor:enter("wangid")
    for index = 1, #list do ids[index] = cursor:need(list, index, "integer") end
    cursor:leave()
    if #ids == CORNERS_AND_EDGES then tiles[cursor:need(item, "tileid", "integer")] = ids end
  end
  return tiles
end

--- Reads the Wang sets of a tileset.
-- @tparam table import
-- @tparam cursor cursor at the tileset
-- @tparam table data the tileset
-- @tparam string directory of the file that the cursor is in, nil if unknown
-- @treturn table {name=, class=, type=, tile=, fields=, colors=, tiles=}, ...; `colors`: {name=, class=, color=, tile=,
-- probability=, fields=}, ...; `tiles`: by id, places in `colors` (0: none) from the upper edge on, clockwise: edge,
-- corner, edge, ...
function wang.read(import, cursor, data, directory)
  local sets = {}
  for index, item in cursor:each(data, "wangsets") do
    local class = fields.class(cursor, item)
    sets[index] = { name = cursor:maybe(item, "name", "string", ""), class = class, tile = shown(cursor, item),
      type = cursor:maybe(item, "type", "string"), colors = read_colors(import, cursor, item, directory),
      tiles = read_tiles(cursor, item), fields = fields.read(import, cursor, item, class, "wangset", directory) }
  end
  return sets
end

return wang
