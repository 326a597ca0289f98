--- Turns Tiled's tile layers into `grid` components of level source, and tells what the numbers in their cells mean.
-- Knows nothing of objects, files and how cells are stored.
-- @module cuttle.import.tiled_grids

local data = require "cuttle.import.tiled_data"
local each = require "cuttle.each"
local geometry = require "cuttle.import.tiled_geometry"
local grids = require "cuttle.import.grids"
local tilesets = require "cuttle.import.tiled_tilesets"

local tiled_grids = {}

-- Cells --------------------------------------------------------------------------------------------------------------

-- The global ids of each block without flags, as lists. Every one is looked up once, so that all of them are tiles.
local function read_blocks(import, cursor, holder)
  local blocks, known, split, flips = {}, import.tiles, geometry.split, 0
  data.each(import, cursor, holder, function(block, gid_at)
    local cells = {}
    for index = 1, block.width * block.height do
      local gid, flags = split(gid_at(index))
      if gid ~= 0 then
        if flags ~= 0 then flips = flips + 1 end
        if not known[gid] then tilesets.find(import.ranges, known, cursor, index, gid) end
      end
      cells[index] = gid
    end
    block.cells, blocks[#blocks + 1] = cells, block
  end)
  import.leftovers:count("flips", flips)
  return blocks
end

-- One block that covers all of them. Where they lie over one another the first stays.
local function joined(import, cursor, blocks)
  local left, top, right, bottom = math.huge, math.huge, -math.huge, -math.huge
  for _, block in ipairs(blocks) do
    left, top = math.min(left, block.x), math.min(top, block.y)
    right, bottom = math.max(right, block.x + block.width), math.max(bottom, block.y + block.height)
  end
  local whole = { x = left, y = top, width = right - left, height = bottom - top }
  local cells, further = grids.empty(cursor, "chunks", whole.width, whole.height), 0
  for _, block in ipairs(blocks) do
    for index = 1, #block.cells do
      local column = (index - 1) % block.width
      local row = (index - 1 - column) / block.width
      local place = (block.y - top + row) * whole.width + block.x - left + column + 1
      local gid = block.cells[index]
      if gid ~= 0 and cells[place] ~= 0 then further = further + 1 elseif gid ~= 0 then cells[place] = gid end
    end
  end
  import.leftovers:count("stacked", further)
  whole.cells = cells
  return whole
end

-- The component -------------------------------------------------------------------------------------------------------

-- The cells of an isometric map are parallelograms: the entity's matrix makes them of rectangles.
local function isometric(import, layer, x, y)
  local map = import.map
  local width, height = map.tile_width, map.tile_height
  local corner_x, corner_y = geometry.cell_corner(map)(x, y)
  return { matrix = { 0.5, height / width / 2, 0, 0, -width / height / 2, 0.5, 0, 0, 0, 0, 1, 0,
    layer.x + corner_x + width / 2, layer.y + corner_y - height, 0, 1 } }
end

local function transform_of(import, layer, x, y)
  local map = import.map
  if map.orientation == "isometric" then return isometric(import, layer, x, y) end
  if map.orientation ~= "orthogonal" and not import.warned_of_rows then
    import.warned_of_rows = true
    import.leftovers:warn("the cells of a grid are rectangles in rows: of %s tile layers they have the numbers, but "
      .. "not the places", map.orientation)
  end
  return { position = { layer.x + x * map.tile_width, layer.y + y * map.tile_height, 0 } }
end

--- The grid of a tile layer, and the transform that lays it where the layer's tiles are. No grid for a layer that has
-- no cells.
-- @tparam table import
-- @tparam cursor cursor at the layer
-- @tparam table holder the layer
-- @tparam table layer its description
-- @treturn table or nil
-- @treturn table
function tiled_grids.read(import, cursor, holder, layer)
  local blocks, map = read_blocks(import, cursor, holder), import.map
  local whole = #blocks == 1 and blocks[1] or #blocks > 1 and joined(import, cursor, blocks)
  if not whole or whole.width * whole.height == 0 then return nil, { position = { layer.x, layer.y, 0 } } end
  import.has_grids = true
  return { width = whole.width, height = whole.height, cell_size = { map.tile_width, map.tile_height },
    cells = whole.cells, tiles = import.tiles_name }, transform_of(import, layer, whole.x, whole.y)
end

-- What the numbers mean -----------------------------------------------------------------------------------------------

local function wang_of(tileset, id)
  local found
  for _, set in ipairs(tileset.wang_sets) do
    if set.tiles[id] then
      found = found or {}
      found[set.name] = set.tiles[id]
    end
  end
  return found
end

local function described(import, tile)
  local known = import.described[tile]
  if known then return known end
  known = { id = tile.id, tileset = tile.tileset.name, class = tile.class, image = tile.image, src = tile.src,
    width = tile.width, height = tile.height, fields = tile.fields, animation = tile.animation,
    collision = tile.collision, wang = wang_of(tile.tileset, tile.id),
    solid = tile.fields.solid == true or nil }
  import.described[tile] = known
  return known
end

--- What the global ids of a map mean, for `grid:define_resource`: those that stand in its cells, and all tiles that say
-- something of themselves. A tile has one description in all maps of a world.
function tiled_grids.describe(import)
  local tiles, cursor = {}, import.cursor
  for gid, tile in each, import.tiles do
    cursor:count_in(nil, "cells", 1)
    tiles[gid] = described(import, tile)
  end
  for index, range in ipairs(import.ranges) do
    local after = import.ranges[index + 1]
    for id in each, range.tileset.tiles do
      local gid = range.first + id
      if not tiles[gid] and not (after and gid >= after.first) then
        cursor:count_in(nil, "cells", 1)
        tiles[gid] = described(import, tilesets.tile(range.tileset, id))
      end
    end
  end
  return tiles
end

return tiled_grids
