--- Writer of Lua values as text, for files that a game loads with `require`.
-- Does not depend on the meaning of the values.
-- @module cuttle.cli.lua_text

local each = require "cuttle.each"

local concat, format, sort = table.concat, string.format, table.sort

local lua_text = {}

-- Lua cannot parse tables nested deeper than about 200.
local DEEPEST = 100

-- Limited because a Lua function has a limited number of constants.
local ITEMS_AT_ONCE = 500

local function number_text(value)
  if value ~= value then return "0/0" end
  if value - value ~= 0 then return value > 0 and "1/0" or "-1/0" end
  return (format(value % 1 == 0 and value > -2 ^ 53 and value < 2 ^ 53 and "%.0f" or "%.17g", value):gsub(",", "."))
end

--- Returns the keys of a table in order: numbers, then strings.
function lua_text.sorted_keys(value)
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
  for _, key in ipairs(lua_text.sorted_keys(value)) do
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

--- Returns the Lua text of a string, number, boolean, or table of these. Returns nil if tables are nested deeper than
-- Lua can parse.
function lua_text.of(value)
  return write(value, 1)
end

--- Appends statements in blocks: functions of limited size that are called at once.
-- @tparam table lines
-- @tparam table statements
function lua_text.append_blocks(lines, statements)
  for count, statement in ipairs(statements) do
    if count % ITEMS_AT_ONCE == 1 then lines[#lines + 1] = ";(function()" end
    lines[#lines + 1] = "  " .. statement
    if count % ITEMS_AT_ONCE == 0 or count == #statements then lines[#lines + 1] = "end)()" end
  end
end

return lua_text
