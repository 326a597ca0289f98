--- What importers share that make grids of tile layers: the list of cells, and what is lost on the way into it.
-- Knows nothing of a particular editor's format.
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

--- A list of empty cells. Fails at the cursor's `key` when there would be too many.
function grids.empty(cursor, key, width, height)
  cursor:count_in(key, "cells", width * height)
  local cells = {}
  for index = 1, width * height do cells[index] = 0 end
  return cells
end

--- The `grid` component of level source over what a mapping says of it.
-- @tparam table components of the entity; its `grid`, if the mapping gave one, lies over the editor's
-- @tparam table grid
function grids.lay(components, grid)
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
