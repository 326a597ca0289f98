--- Arguments of functions that are written in Lua: refused in the words of those that are written in C, at the line of
-- the script.
-- Knows nothing of what they are for.
-- @module cuttle.argument

local core = require "cuttle.core"
local options = require "cuttle.options"

local format = string.format

local argument = {}

-- From a check that a method calls, the script is two calls up: LuaJIT counts no method that returns what a check does.
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

--- The same for a world, and where it is destroyed.
function argument.check_world(self, name)
  if getmetatable(self) ~= "cuttle" then argument.raise_self(self, "world", name) end
  local ok, message = pcall(core.manager_at, self, 1)
  if not ok then error(message, SCRIPT) end
end

--- Raises that `self` is no such object, for a check that a method calls.
function argument.raise_self(self, kind, name)
  error(format("calling '%s' on bad self (%s expected, got %s: a method is called with ':')", name, kind, type(self)),
    SCRIPT + 1)
end

--- The options that a function has, for `argument.options`: see `options.list`.
argument.option_list = options.list

--- A copy of an options table, or an empty one for nil.
function argument.options(given, number, name, list)
  if given == nil then return {} end
  local copy, trouble
  if type(given) == "table" then
    copy, trouble = options.read(given, list)
  else
    trouble = "table expected, got " .. type(given)
  end
  if not copy then error(format("bad argument #%d to '%s' (%s)", number, name, trouble), SCRIPT) end
  return copy
end

return argument
