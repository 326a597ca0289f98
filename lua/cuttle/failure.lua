--- What is wrong with the data, on its way from where it is found to whoever compiles or imports.
-- Knows nothing of levels.
-- @module cuttle.failure

local core = require "cuttle.core"
local json = require "cuttle.json"

local format = string.format

local failure = {}

-- A component's own compile function may catch one and show it.
local Failure = { __tostring = function(trouble) return trouble.message end }

--- Raises bad data; `guard` makes it `nil, message`.
function failure.raise(message, ...)
  error(setmetatable({ message = format(message, ...) }, Failure), 0)
end

--- Whether a raised value is bad data.
function failure.is(value)
  return getmetatable(value) == Failure
end

--- Calls `fn(...)`: its results (up to two), or `nil, message` if it failed. Anything else that is raised passes.
function failure.guard(fn, ...)
  local ok, result, second, third = pcall(fn, ...)
  if ok then return result, second, third end
  if failure.is(result) then return nil, result.message end
  error(result, 0)
end

-- How many names the core compares at once.
local AT_ONCE = 64

--- ` (did you mean 'mesh'?)`, or an empty string. The best of each few names goes on into the next round.
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

--- What is wrong with a table that has __index in its metatable: level source is read raw. Nil for other values.
function failure.index_trouble(value)
  if type(value) ~= "table" or getmetatable(value) == nil then return nil end
  return core.messages.index(value)
end

--- A value for a message, short.
function failure.show(value)
  if type(value) == "string" then
    return format("%q", ((#value > 40 and value:sub(1, 40) .. "..." or value):gsub("%c", "?")))
  end
  if type(value) == "number" or type(value) == "boolean" then return tostring(value) end
  return json.type_name(value)
end

return failure
