--- Names in a formula: locals, parameters, components with their fields, and functions.
-- Does not depend on the grammar.
-- @module cuttle.formula.names

local builder = require "cuttle.formula.builder"
local core = require "cuttle.core"
local each = require "cuttle.each"
local failure = require "cuttle.failure"
local functions = require "cuttle.formula.functions"
local lexer = require "cuttle.formula.lexer"
local types = require "cuttle.formula.types"

local format, sort = string.format, table.sort

local names = {}

-- Functions whose arguments are not values, and names of values.
local SPECIAL = { at = true, has = true, random = true, _ = true }
local VALUES = { self = true, nobody = true }

local Names = {}
Names.__index = Names

--- Returns whether the language has a function or value of a name.
function Names.is_function_or_value(_, name)
  return VALUES[name] or functions[name] ~= nil or SPECIAL[name] and name ~= "_"
end

-- Returns the kind of a reserved name for messages, or nil.
local function reserved_kind(self, name)
  if lexer.KEYWORDS[name] or VALUES[name] then return "a keyword" end
  if functions[name] or SPECIAL[name] then return "a function" end
  if self.source.methods[name] then return "a method of formulas" end
end

-- Parameters ---------------------------------------------------------------------------------------------------------

-- Raises a mistake in the parameters.
local function refuse(self, message, ...)
  failure.raise("bad argument #2 to '%s' (%s)", self.source.method, format(message, ...))
end

-- Returns the type of a parameter's value.
local function type_of_parameter(self, name, value)
  local kind = type(value)
  if kind == "number" then return types.number end
  if kind == "boolean" then return types.boolean end
  if core.is_entity(value) then return types.entity end
  local expected = "number, boolean, entity or table of 2 to 4 numbers expected, got "
  if kind ~= "table" then
    refuse(self, "the parameter '%s': %s%s", name, expected, core.messages.type_name(value))
  end
  local count = #value
  for place = 1, count do
    if type(rawget(value, place)) ~= "number" then
      refuse(self, "the parameter '%s': number expected at [%d], got %s", name, place,
        core.messages.type_name(rawget(value, place)))
    end
    if place > 4 then break end
  end
  if count < 2 or count > 4 then refuse(self, "the parameter '%s': %sa table of %d", name, expected, count) end
  return types.vectors[count]
end

local function check_parameter_name(self, name)
  if type(name) ~= "string" then
    refuse(self, "names of parameters are strings, got %s", core.messages.type_name(name))
  end
  if not name:find "^[A-Za-z_][A-Za-z0-9_]*$" then
    refuse(self, "the parameter %s has a name that a formula cannot use", failure.show(name))
  end
  local kind = reserved_kind(self, name)
  if kind then refuse(self, "the parameter '%s' has the name of %s", name, kind) end
end

-- Adds all parameters to the builder, in the order of their names.
local function add_parameters(self, given)
  local sorted = {}
  for name in each, given do
    check_parameter_name(self, name)
    sorted[#sorted + 1] = name
  end
  sort(sorted)
  if #sorted > builder.REGISTERS then refuse(self, "%d parameters are too many", #sorted) end
  for _, name in ipairs(sorted) do
    self.parameters[name] = self.build:parameter(type_of_parameter(self, name, given[name]))
    self.values[#self.values + 1], self.values[#self.values + 2] = name, given[name]
  end
end

--- Makes the names of a text.
-- @tparam table source what the text can name: see `cuttle.formula.compile`
-- @tparam table lex the lexer, for errors
-- @tparam table build the builder
function names.new(source, lex, build)
  local self = setmetatable({
    source = source, lexer = lex, build = build, parameters = {}, values = {}, scope = {}, scopes = {}, declared = {},
    components = {}, order = {}, optionals = {}, found = {},
  }, Names)
  add_parameters(self, source.parameters or {})
  return self
end

--- Returns the value of the parameter `seed` for `random`, or the constant 0.
function Names:seed(at)
  local seed = self.parameters.seed
  if seed and seed.type ~= types.number then
    self.lexer:fail(at, nil, "number expected for the parameter 'seed' of 'random', got %s", seed.type.name)
  end
  return seed or self.build:constant(0)
end

-- Locals -------------------------------------------------------------------------------------------------------------

--- Opens a block. Locals that are declared in it end with it.
function Names:open()
  self.scopes[#self.scopes + 1], self.scope = self.scope, setmetatable({}, { __index = self.scope })
end

--- Closes a block.
function Names:close() self.scope, self.scopes[#self.scopes] = self.scopes[#self.scopes], nil end

--- Raises unless a local can have this name.
function Names:check_local(name, at)
  local kind = reserved_kind(self, name) or self.components[name] and "a component of the text"
  if kind then self.lexer:fail(at, nil, "the local '%s' has the name of %s", name, kind) end
end

--- Declares a local that was read at a place.
function Names:declare(name, value, at)
  self:check_local(name, at) -- the value may have named a component
  self.declared[name] = "local"
  self.scope[name] = self.build:declare(value)
end

--- Returns the local of a name, or nil.
function Names:find_local(name) return self.scope[name] end

-- Components ---------------------------------------------------------------------------------------------------------

-- Components with their fields by name, by the number of their definition. A component takes about 1 KB.
local described, described_count = {}, 0
local MOST_DESCRIBED = 256

-- Returns the component with a definition (nil: it has no number); nil if there is none.
local function describe(self, name, definition)
  local list = self.source:fields(name)
  if not list then return nil end
  local component = { name = name, list = list, fields = {} }
  for _, field in ipairs(list) do component.fields[field.name] = field end
  if definition then
    if described_count == MOST_DESCRIBED then described, described_count = {}, 0 end
    described[definition], described_count = component, described_count + 1
  end
  return component
end

-- Returns a component with its fields by name; nil if there is none. The result is kept for the text.
local function find_component(self, name)
  local component = self.found[name]
  if component == nil then
    local definition = self.source:definition(name)
    component = definition ~= false and (described[definition or 0] or describe(self, name, definition)) or false
    self.found[name] = component
  end
  return component or nil
end

-- Raises that a component is unknown.
local function unknown_component(self, name, at)
  self.lexer:fail(at, failure.hint(name, self.source:component_names()), "no component '%s'", name)
end

-- Marks a component as named by the text: "own" if it is a component of the entity itself (`is_own`), else "other".
local function name_component(self, component, at, is_own)
  local name = component.name
  local kind = self.declared[name] or self.parameters[name] and "parameter"
  if kind then self.lexer:fail(at, nil, "the %s '%s' has the name of a component of the text", kind, name) end
  if not is_own or self.components[name] == "own" then
    self.components[name] = self.components[name] or "other"
    return
  end
  local role = self.source:role(name)
  if role == "excluded" then
    self.lexer:fail(at, nil, "the query excludes the component '%s' ('!%s')", name, name)
  elseif not role then
    self.lexer:fail(at, failure.hint(name, self.source:query_names()), "the query has no component '%s'", name)
  end
  self.order[#self.order + 1], self.components[name] = name, "own"
end

--- Returns whether a name is a component of the world.
function Names:is_component(name) return find_component(self, name) ~= nil end

--- Returns whether every match has a component. If the query is made from the text, the text may still ask for
-- `has.name`.
function Names:is_required(name)
  local role = self.source:role(name)
  return role == "required" or role == "any" and not self.source.text:find("has", 1, true)
end

-- Storage that several fields share: a store to one changes the others.
local SHARED = { ["transform.local_angle"] = "transform.local_rotation" }

-- Refuses fields that formulas do not have.
local function check_type(self, path, field, at)
  if types.of_field(field.type, field.labels) then return end
  self.lexer:fail(at, nil, "the field '%s' has the type %s, which formulas do not have", path, field.type)
end

--- Returns the field of a component for the builder.
-- @tparam string name the component
-- @tparam number at where the text names it
-- @tparam string field_name
-- @tparam number field_at
-- @tparam boolean is_own whether the field belongs to the entity itself
function Names:field(name, at, field_name, field_at, is_own)
  local component = find_component(self, name) or unknown_component(self, name, at)
  local field = component.fields[field_name]
  if not field then
    local known = {}
    for _, other in ipairs(component.list) do known[#known + 1] = other.name end
    self.lexer:fail(field_at, failure.hint(field_name, known), "no field '%s' in %s", field_name, name)
  end
  if not field.path then
    local path = name .. "." .. field_name
    check_type(self, path, field, field_at)
    field.path, field.component, field.storage = path, name, SHARED[path] or path
    field.value_type = types.of_field(field.type, field.labels)
  end
  name_component(self, component, at, is_own)
  return field
end

--- Marks a component as optional and returns its name, for `has.name`.
function Names:optional(name, at)
  local component = find_component(self, name) or unknown_component(self, name, at)
  name_component(self, component, at, true)
  if self.source:role(name) == "required" then
    self.lexer:fail(at, nil, "the query requires '%s': 'has' is for optional components ('?%s')", name, name)
  end
  self.optionals[name] = true
  return name
end

-- Unknown names ------------------------------------------------------------------------------------------------------

--- Raises that a name is unknown.
function Names:unknown(name, at)
  local known = {}
  for other in each, self.scope do known[#known + 1] = other end
  for _, scope in ipairs(self.scopes) do
    for other in each, scope do known[#known + 1] = other end
  end
  for other in each, self.parameters do known[#known + 1] = other end
  for other in each, functions do known[#known + 1] = other end
  for other in each, VALUES do known[#known + 1] = other end
  for other in each, SPECIAL do known[#known + 1] = other ~= "_" and other or nil end
  for _, other in ipairs(self.source:component_names()) do known[#known + 1] = other end
  sort(known)
  self.lexer:fail(at, failure.hint(name, known), "no local, parameter, component or function '%s'", name)
end

--- Raises that a local or parameter has no such lane. If the name is also that of a component, the message mentions it.
function Names:no_lane(name, type, lane, at)
  local hint = failure.hint(lane, types.lane_names(type))
  if name and find_component(self, name) then
    hint = format(" ('%s' is %s here, not the component; rename it)", name,
      self:find_local(name) and "a local" or "a parameter")
  end
  self.lexer:fail(at, hint, "%s has no lane '%s'", types.shown(type), lane)
end

return names
