--- Wang sets of a Tiled tileset: the terrains at the corners and edges of tiles.
-- Does not depend on other data of tiles.
-- @module cuttle.import.tiled_wang

local fields = require "cuttle.import.tiled_fields"

local wang = {}

local CORNERS_AND_EDGES = 8

-- The tile that represents a set or a terrain in the editor; -1 means none.
local function tile_of(cursor, data)
  local id = cursor:maybe(data, "tile", "integer", -1)
  return id >= 0 and id or nil
end

local function read_colors(import, cursor, data, directory)
  local colors = {}
  for index, item in cursor:each(data, "colors") do
    local class = fields.class(cursor, item)
    colors[index] = { name = cursor:maybe(item, "name", "string", ""), class = class, tile = tile_of(cursor, item),
      color = fields.color(cursor, item, "color"), probability = cursor:maybe(item, "probability", "number", 1),
      fields = fields.read(import, cursor, item, class, "wangcolor", directory) }
  end
  return colors
end

-- Reads the terrains of tiles. The different format of versions before Tiled 1.5 is ignored.
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
-- probability=, fields=}, ...; `tiles`: by id, indices of `colors` (0: none), clockwise from the upper edge: edge,
-- corner, edge, ...
function wang.read(import, cursor, data, directory)
  local sets = {}
  for index, item in cursor:each(data, "wangsets") do
    local class = fields.class(cursor, item)
    sets[index] = { name = cursor:maybe(item, "name", "string", ""), class = class, tile = tile_of(cursor, item),
      type = cursor:maybe(item, "type", "string"), colors = read_colors(import, cursor, item, directory),
      tiles = read_tiles(cursor, item), fields = fields.read(import, cursor, item, class, "wangset", directory) }
  end
  return sets
end

return wang
