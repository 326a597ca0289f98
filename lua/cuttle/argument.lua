--- Argument checks for functions written in Lua. They raise the same messages as the functions written in C, with the
-- line of the script.
-- Does not depend on the functions that use it.
-- @module cuttle.argument

local core = require "cuttle.core"
local options = require "cuttle.options"

local format = string.format

local argument = {}

-- Error level of the script, for a check called by a method. LuaJIT does not count a method that tail calls the check.
local SCRIPT = 3

--- Raises an error about argument `number` of the function `name`.
function argument.bad(number, name, message, ...)
  error(format("bad argument #%d to '%s' (%s)", number, name, format(message, ...)), SCRIPT)
end

--- Calls a function of the core and returns up to three of its results. Its errors are raised at the line of the
-- script.
function argument.call(fn, ...)
  local ok, first, second, third = pcall(fn, ...)
  if not ok then error(first, SCRIPT) end
  return first, second, third
end

--- Raises unless scripts see `class` as the metatable of `self`. `kind` is the name of the type in messages.
function argument.check_self(self, class, name, kind)
  if getmetatable(self) ~= class then argument.raise_self(self, kind or class, name) end
end

--- Raises unless `self` is a world that is not destroyed.
function argument.check_world(self, name)
  if getmetatable(self) ~= "cuttle" then argument.raise_self(self, "world", name) end
  local ok, message = pcall(core.manager_at, self, 1)
  if not ok then error(message, SCRIPT) end
end

--- Raises unless argument `number` of the function `name` is an EntityManager.
function argument.check_entities(value, number, name)
  if getmetatable(value) == "EntityManager" then return end
  local got = core.messages.type_name(value)
  error(format("bad argument #%d to '%s' (EntityManager expected, got %s)", number, name, got), SCRIPT)
end

--- Raises that `self` has the wrong type, for a check called by a method.
function argument.raise_self(self, kind, name)
  error(format("calling '%s' on bad self (%s expected, got %s: a method is called with ':')", name, kind, type(self)),
    SCRIPT + 1)
end

--- Makes the list of a function's options for `argument.options`: see `options.list`.
argument.option_list = options.list

--- Makes the `wanted` of an option that is an integer: see `options.integer`.
argument.integer = options.integer

--- Returns a checked copy of an options table, or an empty table for nil.
function argument.options(given, number, name, list)
  if given == nil then return {} end
  local copy, trouble
  if type(given) == "table" then
    copy, trouble = options.read(given, list)
  else
    trouble = "table expected, got " .. core.messages.type_name(given)
  end
  if not copy then error(format("bad argument #%d to '%s' (%s)", number, name, trouble), SCRIPT) end
  return copy
end

return argument
