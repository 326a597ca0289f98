--- Functions shared by the importers of tile layers as grids.
-- Does not depend on the format of an editor.
-- @module cuttle.import.grids

local each = require "cuttle.each"
local source = require "cuttle.import.source"

local grids = {}

--- Checks option `tiles`: true, false, or "grid". Raises.
function grids.check_option(importer, number, tiles)
  if type(tiles) == "string" and tiles ~= "grid" then
    source.bad_argument(importer, number, "option \"tiles\": expected true, false or \"grid\", got %q", tiles)
  end
end

--- Makes a list of empty cells. Raises an error at the cursor's `key` if there would be too many.
function grids.empty(cursor, key, width, height)
  cursor:count_in(key, "cells", width * height)
  local cells = {}
  for index = 1, width * height do cells[index] = 0 end
  return cells
end

--- Stores the flips of a cell: the sum of 1 horizontal, 2 vertical and 4 diagonal. The list is made for the first flip.
-- @tparam table holder has `cells`, and gets `flips`
-- @tparam number place the index of the cell
-- @tparam number flips
function grids.flip(holder, place, flips)
  if flips == 0 then return end
  if not holder.flips then
    local list = {}
    for index = 1, #holder.cells do list[index] = 0 end
    holder.flips = list
  end
  holder.flips[place] = flips
end

--- Adds a `grid` component to the components of an entity.
-- @tparam table components if the mapping returned a `grid`, its fields replace those of the editor
-- @tparam table grid
function grids.merge(components, grid)
  local given = components.grid
  if given == nil then
    components.grid = grid
    return components
  end
  local merged = {}
  for key, value in each, grid do merged[key] = value end
  for key, value in each, given do merged[key] = value end
  components.grid = merged
  return components
end

return grids
