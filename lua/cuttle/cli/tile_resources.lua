--- Writer of the tile descriptions of grids: a Lua file that a game passes to `grid:define_resource`.
-- Does not depend on editors.
-- @module cuttle.cli.tile_resources

local each = require "cuttle.each"

local concat, format, sort = table.concat, string.format, table.sort

local tile_resources = {}

-- Lua cannot parse tables nested deeper than about 200.
local DEEPEST = 100

-- Limited because a Lua function has a limited number of constants.
local TILES_AT_ONCE = 500

local function number_text(value)
  if value ~= value then return "0/0" end
  if value - value ~= 0 then return value > 0 and "1/0" or "-1/0" end
  return (format(value % 1 == 0 and value > -2 ^ 53 and value < 2 ^ 53 and "%.0f" or "%.17g", value):gsub(",", "."))
end

local function sorted_keys(value)
  local keys = {}
  for key in each, value do keys[#keys + 1] = key end
  sort(keys, function(a, b)
    if type(a) ~= type(b) then return type(a) == "number" end
    return a < b
  end)
  return keys
end

local write

-- Returns nil if tables are nested deeper than DEEPEST.
local function table_text(value, depth)
  if depth > DEEPEST then return nil end
  local parts, next_index = {}, 1
  for _, key in ipairs(sorted_keys(value)) do
    local text = write(value[key], depth + 1)
    if not text then return nil end
    if key == next_index then
      next_index = next_index + 1
    else
      text = format("[%s] = %s", write(key, depth), text)
    end
    parts[#parts + 1] = text
  end
  return parts[1] and "{ " .. concat(parts, ", ") .. " }" or "{}"
end

function write(value, depth)
  if type(value) == "table" then return table_text(value, depth) end
  if type(value) == "number" then return number_text(value) end
  if type(value) == "string" then return (format("%q", value):gsub("\r", "\\r")) end
  return tostring(value)
end

--- Returns Lua text that returns `{name = {[value] = description}}`.
-- @tparam table all tile descriptions by name
-- @treturn[1] string
-- @treturn[2] nil
-- @treturn[2] string the error message
function tile_resources.text(all)
  local lines = { "-- Tile descriptions of grids, written by cuttle.",
    "-- for name, tiles in pairs(require \"this file\") do world.grid:define_resource(name, tiles) end",
    "local all = {}" }
  for _, name in ipairs(sorted_keys(all)) do
    lines[#lines + 1] = format("all[%q] = {}", name)
    for count, value in ipairs(sorted_keys(all[name])) do
      if count % TILES_AT_ONCE == 1 then
        if count > 1 then lines[#lines + 1] = "end)()" end
        lines[#lines + 1] = format(";(function() local tiles = all[%q]", name)
      end
      local text = write(all[name][value], 1)
      if not text then
        return nil, format("%s: the properties of tile %.14g are nested too deep for Lua", name, value)
      end
      lines[#lines + 1] = format("  tiles[%s] = %s", number_text(value), text)
    end
    if each(all[name]) ~= nil then lines[#lines + 1] = "end)()" end
  end
  lines[#lines + 1] = "return all\n"
  return concat(lines, "\n")
end

return tile_resources
