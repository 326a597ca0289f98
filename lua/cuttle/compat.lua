--- Differences between Lua versions.
-- Does not depend on the rest of cuttle.
-- @module cuttle.compat

-- luacheck: std max
local compat = {
  unpack = table.unpack or unpack,
  -- Compiles a string; `load` of Lua 5.1 accepts only a function.
  loadstring = loadstring or load,
  ldexp = math.ldexp or function(number, exponent) return number * 2.0 ^ exponent end,
}

local floor, kind_of = math.floor, math.type

local function integer(value)
  local whole = kind_of(value) == "float" and value % 1 == 0 and value >= -2 ^ 53 and value <= 2 ^ 53
  if whole and (value ~= 0 or 1 / value > 0) then return floor(value) end
end

--- Converts the whole floats up to 2^53 in a decoded document into integers (lua-cjson returns floats). Does nothing in
-- Lua versions without an integer type.
function compat.integers(document)
  if not kind_of then return document end
  local open = { document }
  while #open > 0 do
    local holder = table.remove(open)
    if type(holder) ~= "table" then return integer(holder) or holder end -- the document is a plain value
    for key, value in pairs(holder) do
      if type(value) == "table" then
        open[#open + 1] = value
      else
        holder[key] = integer(value) or value
      end
    end
  end
  return document
end

return compat
