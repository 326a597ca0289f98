--- Writer of the tile descriptions of grids: a Lua file that a game passes to `grid:define_resource`.
-- Does not depend on editors.
-- @module cuttle.cli.tile_resources

local lua_text = require "cuttle.cli.lua_text"

local format = string.format

local tile_resources = {}

--- Returns Lua text that returns `{name = {[value] = description}}`.
-- @tparam table all tile descriptions by name
-- @treturn[1] string
-- @treturn[2] nil
-- @treturn[2] string the error message
function tile_resources.text(all)
  local lines = { "-- Tile descriptions of grids, written by cuttle.",
    "-- for name, tiles in pairs(require \"this file\") do world.grid:define_resource(name, tiles) end",
    "local all, tiles = {}" }
  for _, name in ipairs(lua_text.sorted_keys(all)) do
    local statements = {}
    for count, value in ipairs(lua_text.sorted_keys(all[name])) do
      local text = lua_text.of(all[name][value])
      if not text then
        return nil, format("%s: the properties of tile %.14g are nested too deep for Lua", name, value)
      end
      statements[count] = format("tiles[%s] = %s", lua_text.of(value), text)
    end
    lines[#lines + 1] = "tiles = {}"
    lua_text.append_blocks(lines, statements)
    lines[#lines + 1] = format("all[%s] = tiles", lua_text.of(name))
  end
  lines[#lines + 1] = "return all\n"
  return table.concat(lines, "\n")
end

return tile_resources
