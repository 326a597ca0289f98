--- Conversion of Tiled's tile layers to `grid` components of level source and tile descriptions.
-- Does not depend on objects, files and the encoding of cells.
-- @module cuttle.import.tiled_grids

local data = require "cuttle.import.tiled_data"
local each = require "cuttle.each"
local geometry = require "cuttle.import.tiled_geometry"
local grids = require "cuttle.import.grids"
local tilesets = require "cuttle.import.tiled_tilesets"

local tiled_grids = {}

-- Cells --------------------------------------------------------------------------------------------------------------

-- Tiled's flags as flips of a grid; the flag for a rotation by 120 degrees has none.
local function flips_of(flags)
  local flip_x, flip_y, diagonal = geometry.flags(flags)
  return (flip_x and 1 or 0) + (flip_y and 2 or 0) + (diagonal and 4 or 0)
end

-- Reads the global ids and flips of each block, as lists. Each id is looked up once, so that an unknown one is an
-- error.
local function read_blocks(import, cursor, holder)
  local blocks, known, split, rotated = {}, import.tiles, geometry.split, 0
  data.each(import, cursor, holder, function(block, gid_at)
    local cells, flips = {}, {}
    for index = 1, block.width * block.height do
      local gid, flags = split(gid_at(index))
      if gid ~= 0 then
        if flags ~= 0 then flips[index] = flips_of(flags) end
        if flags % 2 == 1 then rotated = rotated + 1 end
        if not known[gid] then tilesets.find(import.ranges, known, cursor, index, gid) end
      end
      cells[index] = gid
    end
    block.cells, block.flipped, blocks[#blocks + 1] = cells, flips, block
  end)
  import.leftovers:count("rotated", rotated)
  return blocks
end

-- Joins blocks into one that covers all of them. Of several tiles in one cell the first is stored.
local function join_blocks(import, cursor, blocks)
  local left, top, right, bottom = math.huge, math.huge, -math.huge, -math.huge
  for _, block in ipairs(blocks) do
    left, top = math.min(left, block.x), math.min(top, block.y)
    right, bottom = math.max(right, block.x + block.width), math.max(bottom, block.y + block.height)
  end
  local whole = { x = left, y = top, width = right - left, height = bottom - top, flipped = {} }
  local cells, further = grids.empty(cursor, "chunks", whole.width, whole.height), 0
  for _, block in ipairs(blocks) do
    for index = 1, #block.cells do
      local column = (index - 1) % block.width
      local row = (index - 1 - column) / block.width
      local place = (block.y - top + row) * whole.width + block.x - left + column + 1
      local gid = block.cells[index]
      if gid ~= 0 and cells[place] ~= 0 then
        further = further + 1
      elseif gid ~= 0 then
        cells[place], whole.flipped[place] = gid, block.flipped[index]
      end
    end
  end
  import.leftovers:count("stacked", further)
  whole.cells = cells
  return whole
end

-- Components ----------------------------------------------------------------------------------------------------------

-- The transform of an isometric layer. Its cells are parallelograms: the matrix converts rectangles to them.
local function isometric(import, layer, x, y)
  local map = import.map
  local width, height = map.tile_width, map.tile_height
  local corner_x, corner_y = geometry.cell_corner(map)(x, y)
  return { matrix = { 0.5, height / width / 2, 0, 0, -width / height / 2, 0.5, 0, 0, 0, 0, 1, 0,
    layer.x + corner_x + geometry.half(width), layer.y + corner_y - height, 0, 1 } }
end

-- The transform of an oblique layer, whose cells are parallelograms, too.
local function oblique(import, layer, x, y)
  local map = import.map
  local left, top = import.projection(x * map.tile_width, y * map.tile_height)
  return { matrix = { 1, map.skew_y / map.tile_width, 0, 0, map.skew_x / map.tile_height, 1, 0, 0, 0, 0, 1, 0,
    layer.x + left, layer.y + top, 0, 1 } }
end

local function transform_of(import, layer, x, y)
  local map = import.map
  if map.orientation == "isometric" then return isometric(import, layer, x, y) end
  if map.orientation == "oblique" then return oblique(import, layer, x, y) end
  if map.orientation ~= "orthogonal" and not import.warned_of_rows then
    import.warned_of_rows = true
    import.leftovers:warn("grids of %s tile layers have the right numbers, but not the positions of their cells: the "
      .. "cells of a grid are rectangles in rows", map.orientation)
  end
  return { position = { layer.x + x * map.tile_width, layer.y + y * map.tile_height, 0 } }
end

--- Returns the grid of a tile layer, and the transform that places it over the layer's tiles. No grid if the layer has
-- no cells.
-- @tparam table import
-- @tparam cursor cursor at the layer
-- @tparam table holder the layer
-- @tparam table layer its description
-- @treturn table or nil
-- @treturn table
function tiled_grids.read(import, cursor, holder, layer)
  local blocks, map = read_blocks(import, cursor, holder), import.map
  local whole = #blocks == 1 and blocks[1] or #blocks > 1 and join_blocks(import, cursor, blocks)
  if not whole or whole.width * whole.height == 0 then return nil, { position = { layer.x, layer.y, 0 } } end
  import.has_grids = true
  for place, flips in each, whole.flipped do grids.flip(whole, place, flips) end
  return { width = whole.width, height = whole.height, cell_size = { map.tile_width, map.tile_height },
    cells = whole.cells, flips = whole.flips, tiles = import.tiles_name }, transform_of(import, layer, whole.x, whole.y)
end

-- Tile descriptions ---------------------------------------------------------------------------------------------------

-- The wang tiles of a tile by the names of their sets, or nil.
local function wang_of(tileset, id)
  if not tileset.wang_of then
    tileset.wang_of = {}
    for _, set in ipairs(tileset.wang_sets) do
      for tile, wang in each, set.tiles do
        local found = tileset.wang_of[tile] or {}
        tileset.wang_of[tile], found[set.name] = found, wang
      end
    end
  end
  return tileset.wang_of[id]
end

local function describe_tile(import, tile)
  local known = import.described[tile]
  if known then return known end
  known = { id = tile.id, tileset = tile.tileset.name, class = tile.class, image = tile.image, src = tile.src,
    width = tile.width, height = tile.height, fields = tile.fields, animation = tile.animation,
    collision = tile.collision, wang = wang_of(tile.tileset, tile.id),
    solid = tile.fields.solid == true or nil }
  import.described[tile] = known
  return known
end

--- Returns the tile descriptions of a map for `grid:define_resource`: of all tiles in its cells, and of all tiles with
-- data of their own. A tile has one description in all maps of a world.
function tiled_grids.describe(import)
  local tiles, cursor = {}, import.cursor
  for gid, tile in each, import.tiles do
    cursor:count_in(nil, "cells", 1)
    tiles[gid] = describe_tile(import, tile)
  end
  for index, range in ipairs(import.ranges) do
    local after = import.ranges[index + 1]
    for id in each, range.tileset.tiles do
      local gid = range.first + id
      if not tiles[gid] and not (after and gid >= after.first) then
        cursor:count_in(nil, "cells", 1)
        tiles[gid] = describe_tile(import, tilesets.tile(range.tileset, id))
      end
    end
  end
  return tiles
end

return tiled_grids
