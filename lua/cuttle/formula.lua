--- Methods of worlds, queries and formulas that take texts of the formula language.
-- Does not depend on the grammar, nor on how a program runs.

local argument = require "cuttle.argument"
local core = require "cuttle.core"
local each = require "cuttle.each"
local programs = require "cuttle.formula.programs"
local unpack = require "cuttle.compat".unpack

-- A local: a script that replaces this function must not receive programs, which are kept.
local api, new_in_core, type_name = core.formula, core.formula.new, core.messages.type_name

local world_methods, query_methods, formula_methods = {}, {}, {}

-- formula -> what it does: see `describe`
local descriptions = setmetatable({}, { __mode = "k" })

-- Names that parameters and locals cannot have, because scripts call them on formulas.
local METHODS = { describe = true }

-- The largest number of components of a query.
local MOST_COMPONENTS = 8

-- Methods call the functions below through argument.call, which adds the line of the script to errors. So these
-- functions raise without a line.

local function fail(message, ...) error(message:format(...), 0) end

-- Calls a function of the core, whose errors have no line.
local function call(fn, ...)
  local ok, first, second, third = pcall(fn, ...)
  if not ok then error(first, 0) end
  return first, second, third
end

local function check(text, what, parameters, method)
  if type(text) ~= "string" then
    fail("bad argument #1 to '%s' (%s expected as a string, got %s)", method, what, type_name(text))
  end
  if parameters ~= nil and type(parameters) ~= "table" then
    fail("bad argument #2 to '%s' (table of parameters expected, got %s)", method, type_name(parameters))
  end
end

-- Compiling ----------------------------------------------------------------------------------------------------------

-- A source for the compiler, which looks up components of a world and a query.
local Source = {}
Source.__index = Source

-- Makes a source. `names` and `roles` are those of the components of the query, in order; nil if there is no query yet.
local function new_source(world, text, parameters, kind, method, names, roles)
  return setmetatable({ world = world, text = text, parameters = parameters, kind = kind, method = method,
    methods = METHODS, names = names, roles = roles }, Source)
end

function Source:fields(name) return api.fields(self.world, name) end

function Source:definition(name) return api.definition(self.world, name) end

function Source:component_names()
  local list = {}
  for name in each, core.schema.component_types(self.world) do list[#list + 1] = name end
  table.sort(list)
  return list
end

function Source:role(name)
  if not self.names then return "any" end
  for place = 1, #self.names do
    if self.names[place] == name then return self.roles[place] end
  end
end

function Source:query_names() return self.names end

local function new_formula(query, program, method)
  local formula = call(new_in_core, query, program, method)
  descriptions[formula] = program.description
  return formula
end

-- Makes a formula over a query that exists.
local function over_query(query, text, parameters, kind, method, what)
  check(text, what, parameters, method)
  local world, names, roles = call(api.parts, query)
  local program, trouble = programs.compile(new_source(world, text, parameters, kind, method, names, roles))
  if not program then error(trouble, 0) end
  return new_formula(query, program, method)
end

-- The arguments of world:query for a program: its components, a required one first; or nil and a message.
local function query_arguments(program)
  local required, all = nil, {}
  for _, name in ipairs(program.order) do
    if program.optionals[name] then
      all[#all + 1] = "?" .. name
    elseif not required then
      required = name
    else
      all[#all + 1] = name
    end
  end
  if not required then
    return nil, #all > 0 and "the text requires no component: one must occur outside of 'has'"
      or "the text names no component"
  end
  table.insert(all, 1, required)
  if #all > MOST_COMPONENTS then
    return nil, ("the text names %d components, more than %d"):format(#all, MOST_COMPONENTS)
  end
  return all
end

-- Makes a formula over a query of the components that the text names.
local function over_world(world, text, parameters)
  check(text, "text", parameters, "formula")
  local program, trouble = programs.compile(new_source(world, text, parameters, nil, "formula"))
  if not program then error(trouble, 0) end
  local names, problem = query_arguments(program)
  if not names then fail("bad argument #1 to 'formula' (%s)", problem) end
  return new_formula(call(world.query, world, unpack(names)), program, "formula")
end

--- Makes a formula over the entities that have the components which the text names.
-- @param world a world
-- @tparam string text
-- @tparam[opt] table parameters name -> number, boolean, entity or table of 2 to 4 numbers
function world_methods.formula(world, text, parameters)
  argument.check_world(world, "formula")
  return (argument.call(over_world, world, text, parameters))
end

--- Makes a formula over the matches of a query.
-- @param query a query
-- @tparam string text
-- @tparam[opt] table parameters
function query_methods.formula(query, text, parameters)
  argument.check_self(query, "Query", "formula", "query")
  return (argument.call(over_query, query, text, parameters, nil, "formula", "text"))
end

-- Conditions and expressions -----------------------------------------------------------------------------------------

-- Compiled texts that a query keeps; more are compiled again.
local MOST_KEPT = 64

-- Returns the entry of a text in the table of a query, unless one of its components was defined again.
local function find_kept(kept, key)
  local entry = kept[key]
  return entry and not api.ended(entry.formula) and entry or nil
end

local function keep(kept, key, entry)
  kept.count = (kept.count or 0) + (kept[key] and 0 or 1)
  if kept.count > MOST_KEPT then
    for other in each, kept do kept[other] = nil end
    kept.count = 1
  end
  kept[key] = entry
  return entry
end

local function new_condition(query, condition, parameters)
  local formula = over_query(query, condition, parameters, "condition", "where", "condition")
  return { formula = formula, query = call(api.where, query, formula) }
end

-- Returns a query with a condition: the same one for the same text without parameters.
local function with_condition(query, condition, parameters)
  if parameters ~= nil or type(condition) ~= "string" then return new_condition(query, condition, parameters).query end
  local kept, key = call(api.kept, query), "where " .. condition
  return (find_kept(kept, key) or keep(kept, key, new_condition(query, condition))).query
end

--- Returns a query of the matches for which a condition is true at the time of use.
-- @param query a query
-- @tparam string condition
-- @tparam[opt] table parameters
function query_methods.where(query, condition, parameters)
  argument.check_self(query, "Query", "where", "query")
  return (argument.call(with_condition, query, condition, parameters))
end

--- Changes a parameter of a query's condition.
-- @param query a query that `where` made
-- @tparam string name
-- @param value
function query_methods.set(query, name, value)
  argument.check_self(query, "Query", "set", "query")
  argument.call(api.set, query, name, value)
end

local function set_parameters(formula, parameters)
  for name, value in each, parameters do formula[name] = value end
end

-- Returns the formula of an expression with these values of its parameters.
local function expression(query, text, parameters, kind, method)
  check(text, "expression", parameters, method)
  local kept = call(api.kept, query)
  local key = kind .. " " .. text
  local entry = find_kept(kept, key)
  if entry and programs.fits(parameters, entry.kinds) then
    if parameters then call(set_parameters, entry.formula, parameters) end
    return entry.formula
  end
  entry = { formula = over_query(query, text, parameters, kind, method), kinds = programs.kinds(parameters) }
  return keep(kept, key, entry).formula
end

-- The types of expressions of the methods that evaluate one for all matches.
local KINDS = { sum = "numbers", min = "numbers", max = "numbers", lowest = "number", highest = "number" }

for method, kind in each, KINDS do
  local evaluate = api[method]
  query_methods[method] = function(query, text, parameters)
    argument.check_self(query, "Query", method, "query")
    local formula = argument.call(expression, query, text, parameters, kind, method)
    local ok, first, second, third, fourth = pcall(evaluate, formula)
    if not ok then error(first, 2) end
    if fourth ~= nil then return first, second, third, fourth end
    if third ~= nil then return first, second, third end
    if second ~= nil then return first, second end
    return first
  end
end

--- Returns the entities in ascending order of an expression.
-- @param query a query
-- @tparam string text the expression
-- @param[opt] out a cuttle.list
function query_methods.sorted(query, text, out)
  argument.check_self(query, "Query", "sorted", "query")
  if out ~= nil and getmetatable(out) ~= "cuttle.list" then
    argument.bad(2, "sorted", "cuttle.list expected, got %s", type_name(out))
  end
  local formula = argument.call(expression, query, text, nil, "number", "sorted")
  return (argument.call(api.sorted, formula, out))
end

-- Formulas -----------------------------------------------------------------------------------------------------------

-- Returns the sorted paths of the fields whose use has a flag.
local function paths(uses, flag)
  local list = {}
  for field, use in each, uses do list[#list + 1] = use[flag] and field.path or nil end
  table.sort(list)
  return list
end

--- Returns what a formula does.
-- @param formula a formula
-- @treturn table `reads` and `writes` (sorted lists of "component.field"), `operations`, `temporaries`
function formula_methods.describe(formula)
  argument.check_self(formula, "Formula", "describe", "formula")
  argument.call(api.check, formula)
  local known = descriptions[formula]
  return { reads = paths(known.uses, "is_read"), writes = paths(known.uses, "is_written"),
    operations = known.operations, temporaries = known.temporaries }
end

core.add_methods("world", world_methods)
core.add_methods("Query", query_methods)
core.add_methods("Formula", formula_methods)

local formula = {}

--- Returns a query of the entities that have the components of a condition and meet it. Raises if the condition has a
-- mistake.
-- @param world a world
-- @tparam string condition
function formula.matching(world, condition)
  local program, trouble = programs.compile(new_source(world, condition, nil, "condition"))
  if not program then error(trouble, 0) end
  local names, problem = query_arguments(program)
  if not names then error(problem, 0) end
  return world:query(unpack(names)):where(condition)
end

return formula
