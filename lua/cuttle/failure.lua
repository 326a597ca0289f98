--- Errors in data: raised where an error is found, and caught by the function that compiles or imports.
-- Does not depend on levels.
-- @module cuttle.failure

local core = require "cuttle.core"
local json = require "cuttle.json"

local format = string.format

local failure = {}

-- For scripts: a component's compile function may catch such an error and print it.
local Failure = { __tostring = function(trouble) return trouble.message end }

--- Raises a data error; `guard` converts it into `nil, message`.
function failure.raise(message, ...)
  error(setmetatable({ message = format(message, ...) }, Failure), 0)
end

--- Returns whether a raised value is a data error.
function failure.is(value)
  return getmetatable(value) == Failure
end

--- Calls `fn(...)` and returns up to four results, or `nil, message` after a data error. Raises other errors again.
function failure.guard(fn, ...)
  local ok, result, second, third, fourth = pcall(fn, ...)
  if ok then return result, second, third, fourth end
  if failure.is(result) then return nil, result.message end
  error(result, 0)
end

-- The largest number of names that the core compares in one call.
local AT_ONCE = 64

--- Returns ` (did you mean 'mesh'?)`, or an empty string. A long list is compared in groups; the best name of each
-- group enters the next round.
function failure.hint(name, names)
  name = tostring(name)
  while #names > AT_ONCE do
    local winners = {}
    for first = 1, #names, AT_ONCE do
      local some = {}
      for place = first, math.min(first + AT_ONCE - 1, #names) do some[#some + 1] = names[place] end
      winners[#winners + 1] = core.messages.nearest(name, some)
    end
    names = winners
  end
  local near = core.messages.nearest(name, names)
  return near and format(" (did you mean '%s'?)", near) or ""
end

--- Returns what is wrong with a table whose metatable has __index (level source is read raw); nil for other values.
function failure.index_trouble(value)
  if type(value) ~= "table" or getmetatable(value) == nil then return nil end
  return core.messages.index(value)
end

--- Formats a value for a message, shortened if it is long.
function failure.show(value)
  if type(value) == "string" then
    return format("%q", ((#value > 40 and value:sub(1, 40) .. "..." or value):gsub("%c", "?")))
  end
  if type(value) == "number" or type(value) == "boolean" then return tostring(value) end
  return json.type_name(value)
end

return failure
