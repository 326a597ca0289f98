--- Arguments of functions that are written in Lua: refused in the words of those that are written in C, at the line of
-- the script.
-- Knows nothing of what they are for.
-- @module cuttle.argument

local each = require "cuttle.each"
local failure = require "cuttle.failure"

local format = string.format

local argument = {}

-- From a check that a method calls, the script is two calls up.
local SCRIPT = 3

--- Raises what is wrong with argument `number` of the function `name`.
function argument.bad(number, name, message, ...)
  error(format("bad argument #%d to '%s' (%s)", number, name, format(message, ...)), SCRIPT)
end

--- Returns what a function of the core returns, three values at most. What it raises is raised at the line of the
-- script.
function argument.call(fn, ...)
  local ok, first, second, third = pcall(fn, ...)
  if not ok then error(first, SCRIPT) end
  return first, second, third
end

--- Raises unless `self` is an object whose metatable is `class`, to scripts. `kind` is what messages call it.
function argument.check_self(self, class, name, kind)
  if getmetatable(self) ~= class then argument.raise_self(self, kind or class, name) end
end

--- Raises that `self` is no such object, for a check that a method calls.
function argument.raise_self(self, kind, name)
  error(format("calling '%s' on bad self (%s expected, got %s: a method is called with ':')", name, kind, type(self)),
    SCRIPT + 1)
end

--- A copy of an options table, or an empty one for nil. `known` says which options there are: the type of each, or a
-- function that returns what is expected of a value in its place, or nothing.
function argument.options(options, number, name, known)
  local copy, names = {}, {}
  if options == nil then return copy end
  if type(options) ~= "table" then
    error(format("bad argument #%d to '%s' (table expected, got %s)", number, name, type(options)), SCRIPT)
  end
  for option in each, known do names[#names + 1] = option end
  table.sort(names)
  for option, value in each, options do
    local wanted, trouble = known[option], nil
    if not wanted then
      trouble = format("unknown option '%s'%s", tostring(option), failure.hint(option, names))
    elseif type(wanted) == "function" then
      trouble = wanted(value)
      trouble = trouble and format("%s: %s", option, trouble)
    elseif type(value) ~= wanted then
      trouble = format("%s: %s expected, got %s", option, wanted, type(value))
    end
    if trouble then error(format("bad argument #%d to '%s' (%s)", number, name, trouble), SCRIPT) end
    copy[option] = value
  end
  return copy
end

return argument
