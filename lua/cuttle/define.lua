--- world:define: a component described by a script, taken apart.
-- Knows nothing of how components are kept.

local argument = require "cuttle.argument"
local core = require "cuttle.core"
local each = require "cuttle.each"
local failure = require "cuttle.failure"

local core_define, type_name = core.define, core.messages.type_name

local define = {}

local NAMED = { "default" }

-- The default of a field, which stands in third place or has its name; what else has a name is refused.
local function read_default(entry, name)
  for key in each, entry do
    if type(key) ~= "number" and key ~= "default" then
      failure.raise("%s: unknown key '%s'%s", name, tostring(key), failure.hint(key, NAMED))
    elseif type(key) == "number" and key ~= 1 and key ~= 2 and key ~= 3 then
      failure.raise("%s: {name, type, default} expected, got a value at [%s]", name, tostring(key))
    end
  end
  local third, named = rawget(entry, 3), rawget(entry, "default")
  if third ~= nil and named ~= nil then failure.raise("%s: two defaults, one of them by name", name) end
  if third == nil then return named end
  return third
end

-- The name, type and default of a field.
local function read_field(entry, place)
  if type(entry) ~= "table" then failure.raise("field %d: {name, type, default} expected", place) end
  local name, field_type = rawget(entry, 1), rawget(entry, 2)
  if type(name) ~= "string" then failure.raise("field %d: name expected ({name, type, default})", place) end
  if type(field_type) ~= "string" then failure.raise("%s: type expected, got %s", name, type_name(field_type)) end
  if #entry > 3 then failure.raise("%s: {name, type, default} expected, got %d values", name, #entry) end
  return name, field_type, read_default(entry, name)
end

local function read_schema(schema)
  local names, types, defaults, keys = {}, {}, {}, 0
  for _ in each, schema do keys = keys + 1 end
  if keys ~= #schema then failure.raise "array of {name, type, default} expected" end
  for place = 1, #schema do
    names[place], types[place], defaults[place] = read_field(rawget(schema, place), place)
  end
  return { names = names, types = types, defaults = defaults }
end

local function check_lookup(lookup)
  if lookup ~= "hash" and lookup ~= "array" then return '"hash" or "array" expected, got ' .. failure.show(lookup) end
end

local OPTIONS = argument.option_list { { "lookup", check_lookup }, { "multiple", "boolean" } }

--- Defines a component, or returns the manager of the one that was defined like that before.
-- @param world a world
-- @tparam string name
-- @tparam table schema an array of `{name, type, default}`; the default may be given by name, `default = 100`
-- @tparam[opt] table options `multiple` (an entity may have several), `lookup` ("hash" or "array")
-- @return its manager
function define.define(world, name, schema, options)
  argument.check_self(world, "cuttle", "define", "world")
  if type(name) ~= "string" then argument.bad(1, "define", "string expected, got %s", type(name)) end
  options = argument.options(options, 3, "define", OPTIONS)
  if type(schema) ~= "table" then argument.bad(2, "define", "table expected, got %s", type(schema)) end
  local read, trouble = failure.guard(read_schema, schema)
  if not read then argument.bad(2, "define", "%s", trouble) end
  local manager, number, problem = argument.call(core_define, world, name, read.names, read.types, read.defaults,
    options.multiple, options.lookup == "array")
  if not manager then argument.bad(number, "define", "%s", problem) end
  return manager
end

core.add_methods("world", define)

return define
