--- world:define: checks the arguments and converts the schema into flat arrays for the core.
-- Does not depend on how components are stored.

local argument = require "cuttle.argument"
local core = require "cuttle.core"
local each = require "cuttle.each"
local failure = require "cuttle.failure"

local core_define, type_name = core.define, core.messages.type_name

local define = {}

local NAMED = { "default" }
local ROW, ENUM_ROW = "{name, type, default}", '{name, "enum", {label, ...}, default}'

-- Raises if the entry of a field has a named value other than `default`, or values after place `last`.
local function check_keys(entry, name, row, last)
  if #entry > last then failure.raise("%s: %s expected, got %d values", name, row, #entry) end
  for key in each, entry do
    if type(key) ~= "number" and key ~= "default" then
      failure.raise("%s: unknown key '%s'%s", name, tostring(key), failure.hint(key, NAMED))
    elseif type(key) == "number" and not (key >= 1 and key <= last and key % 1 == 0) then
      failure.raise("%s: %s expected, got a value at [%s]", name, row, tostring(key))
    end
  end
end

-- The default of a field: the last value of the entry, or the value named `default`.
local function read_default(entry, name, last)
  local value, named = rawget(entry, last), rawget(entry, "default")
  if value ~= nil and named ~= nil then failure.raise("%s: two defaults, by position and by name", name) end
  if value == nil then return named end
  return value
end

-- The labels of an enum as one string, each followed by a zero byte.
local function read_labels(labels, name)
  if type(labels) ~= "table" then
    failure.raise("%s: labels expected (%s), got %s", name, ENUM_ROW, type_name(labels))
  end
  local read, keys = {}, 0
  for _ in each, labels do keys = keys + 1 end
  if keys ~= #labels then failure.raise("%s: array of labels expected", name) end
  for place = 1, #labels do
    local label = rawget(labels, place)
    if type(label) ~= "string" then
      failure.raise("%s: label %d: string expected, got %s", name, place, type_name(label))
    end
    if label == "" or label:find("%z") then failure.raise("%s: label %d: %s", name, place,
      label == "" and "a label cannot be empty" or "a label cannot hold a zero byte") end
    read[place] = label .. "\0"
  end
  return table.concat(read)
end

-- The name, type, default and labels of a field.
local function read_field(entry, place)
  if type(entry) ~= "table" then failure.raise("field %d: %s expected", place, ROW) end
  local name, field_type = rawget(entry, 1), rawget(entry, 2)
  if type(name) ~= "string" then failure.raise("field %d: name expected (%s)", place, ROW) end
  if type(field_type) ~= "string" then failure.raise("%s: type expected, got %s", name, type_name(field_type)) end
  local is_enum = field_type == "enum"
  local last = is_enum and 4 or 3
  check_keys(entry, name, is_enum and ENUM_ROW or ROW, last)
  local labels = is_enum and read_labels(rawget(entry, 3), name) or nil
  return name, field_type, read_default(entry, name, last), labels
end

local function read_schema(schema)
  local names, types, defaults, labels, keys = {}, {}, {}, {}, 0
  for _ in each, schema do keys = keys + 1 end
  if keys ~= #schema then failure.raise "array of {name, type, default} expected" end
  for place = 1, #schema do
    names[place], types[place], defaults[place], labels[place] = read_field(rawget(schema, place), place)
  end
  return { names = names, types = types, defaults = defaults, labels = labels }
end

-- Converts the option `hidden` into a set of field places. Returns nil and a message for an unknown name.
local function read_hidden(hidden, names)
  local marks, places = {}, {}
  for place, name in ipairs(names) do places[name] = place end
  for place = 1, #hidden do
    local name = rawget(hidden, place)
    if not places[name] then return nil, ("hidden: no field '%s'%s"):format(name, failure.hint(name, names)) end
    marks[places[name]] = true
  end
  return marks
end

local function check_hidden(hidden)
  if type(hidden) ~= "table" then return "array of field names expected, got " .. type_name(hidden) end
  local keys = 0
  for _, name in each, hidden do
    if type(name) ~= "string" then return "name of a field expected, got " .. type_name(name) end
    keys = keys + 1
  end
  if keys ~= #hidden then return "array of field names expected" end
end

local function check_lookup(lookup)
  if lookup ~= "hash" and lookup ~= "array" then return '"hash" or "array" expected, got ' .. failure.show(lookup) end
end

local OPTIONS = argument.option_list { { "hidden", check_hidden }, { "lookup", check_lookup },
  { "migrate", "boolean" }, { "multiple", "boolean" } }

--- Defines a component type and returns its manager. If the same type was defined before, returns that manager.
-- @param world a world
-- @tparam string name
-- @tparam table schema an array of `{name, type, default}`; the default may be given by name, `default = 100`.
-- An enum is `{name, "enum", {label, ...}, default}`; its default is the first label if none is given
-- @tparam[opt] table options `multiple` (an entity may have several), `lookup` ("hash" or "array"), `migrate` (existing
-- components keep the fields that fit by name and type), `hidden` (an array of field names that get no methods)
-- @return its manager
-- @treturn[opt] table with `migrate`: one sentence for each field or component that was dropped
function define.define(world, name, schema, options)
  argument.check_self(world, "cuttle", "define", "world")
  if type(name) ~= "string" then argument.bad(1, "define", "string expected, got %s", type(name)) end
  options = argument.options(options, 3, "define", OPTIONS)
  if type(schema) ~= "table" then argument.bad(2, "define", "table expected, got %s", type(schema)) end
  local read, trouble = failure.guard(read_schema, schema)
  if not read then argument.bad(2, "define", "%s", trouble) end
  local hidden, unknown = read_hidden(options.hidden or {}, read.names)
  if not hidden then argument.bad(3, "define", "%s", unknown) end
  local manager, more, problem = argument.call(core_define, world, name, read.names, read.types, read.defaults,
    read.labels, hidden, options.multiple, options.lookup == "array", options.migrate)
  if not manager then argument.bad(more, "define", "%s", problem) end
  if options.migrate then return manager, more end
  return manager
end

core.add_methods("world", define)

return define
