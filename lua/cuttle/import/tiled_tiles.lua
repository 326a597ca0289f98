--- Conversion of the cells of Tiled's tile layers to entities of level source.
-- Does not depend on objects, files and the encoding of cells.
-- @module cuttle.import.tiled_tiles

local data = require "cuttle.import.tiled_data"
local geometry = require "cuttle.import.tiled_geometry"
local compact_list = require "cuttle.import.compact_list"
local source = require "cuttle.import.source"
local tilesets = require "cuttle.import.tiled_tilesets"

local floor = math.floor

local tiles = {}

-- The description of a tile for mappings.
local function describe(tile, gid, flags, cx, cy, transform)
  local flip_x, flip_y, flip_diagonal, rotate_120 = geometry.flags(flags)
  return { id = tile.id, gid = gid, cx = cx, cy = cy, px = { transform.position[1], transform.position[2] },
    flip_x = flip_x, flip_y = flip_y, flip_diagonal = flip_diagonal, rotate_120 = rotate_120, tileset = tile.tileset,
    class = tile.class, image = tile.image, src = tile.src, width = tile.width, height = tile.height,
    fields = tile.fields, references = tile.references, animation = tile.animation, collision = tile.collision,
    probability = tile.probability }
end

-- Makes the entity of a tile from the result of its mapping; nil if the result is false.
local function entity(cursor, transform, returned, name, instance)
  if returned == false then return nil end
  local node = { name = name ~= nil and source.chosen_name(cursor, "a tile", nil, name) or nil,
    components = source.components(cursor, "a tile", transform, returned) }
  source.make_instance(cursor, "a tile", node, instance)
  return node
end

--- Appends an entity for each cell that is not empty, row by row, chunk by chunk.
-- @tparam table import
-- @tparam cursor cursor at the layer
-- @tparam table holder the layer
-- @tparam table layer its description
-- @tparam table children the array to append to
-- @tparam[opt] function mapping option `tile`
-- @treturn table the children, or a lazy list if the options request it
function tiles.append(import, cursor, holder, layer, children, mapping)
  local corner, map = geometry.cell_corner(import.map), import.map
  local append = function(node) children[#children + 1] = node end
  if import.options.lazy and not mapping then append, children = compact_list.list() end
  data.each(import, cursor, holder, function(block, gid_at)
    for index = 1, block.width * block.height do
      local gid, flags = geometry.split(gid_at(index))
      if gid ~= 0 then
        local tile = tilesets.find(import.ranges, import.tiles, cursor, index, gid)
        local cx, cy = block.x + (index - 1) % block.width, block.y + floor((index - 1) / block.width)
        local x, y = corner(cx, cy)
        local transform = geometry.tile_transform(x, y, tile, flags, map)
        local node
        if mapping then
          cursor:enter(index)
          local described = describe(tile, gid, flags, cx, cy, transform)
          node = entity(cursor, transform, source.call(cursor, "a tile", mapping, described, layer))
          cursor:leave()
        else
          node = { components = import.leftovers:components(transform, tile.fields) }
        end
        cursor:count_tile_entity(node and append(node))
      end
    end
  end)
  return children
end

--- Returns the number of cells of a tile layer that are not empty.
function tiles.filled(import, cursor, holder)
  local count = 0
  data.each(import, cursor, holder, function(block, gid_at)
    for index = 1, block.width * block.height do
      if gid_at(index) ~= 0 then count = count + 1 end
    end
  end)
  return count
end

--- Returns the cells of a tile layer as stored: {x=, y=, width=, height=, gids=}, one table for each chunk.
function tiles.cells(import, cursor, holder)
  local blocks = {}
  data.each(import, cursor, holder, function(block, gid_at)
    local gids = {}
    for index = 1, block.width * block.height do gids[index] = gid_at(index) end
    block.gids, blocks[#blocks + 1] = gids, block
  end)
  return blocks
end

return tiles
