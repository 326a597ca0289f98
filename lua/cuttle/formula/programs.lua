--- Programs of texts, kept for the next formula of the same text.
-- Does not depend on the grammar, nor on how a program runs.
-- @module cuttle.formula.programs

local compile = require "cuttle.formula.compile"
local core = require "cuttle.core"
local each = require "cuttle.each"

local programs = {}

-- The number of programs that are kept, and the length of their texts. A program takes about 5 KB.
local MOST_KEPT, MOST_BYTES = 64, 4096

local kept, count = {}, 0

local NONE = {}

-- Returns the part of a parameter's value that its program depends on: its type, or the number of its lanes. Returns
-- nil if the value may be invalid.
local function kind_of(value)
  local kind = type(value)
  if kind == "number" or kind == "boolean" then return kind end
  if kind ~= "table" then return core.is_entity(value) and "entity" or nil end
  local lanes = #value
  for place = 1, lanes do
    if place > 4 or type(rawget(value, place)) ~= "number" then return nil end
  end
  return lanes
end

--- Returns the types of parameters by name, for `fits`.
-- @tparam[opt] table parameters name -> value
function programs.kinds(parameters)
  local kinds = {}
  for name, value in each, parameters or NONE do kinds[name] = kind_of(value) end
  return kinds
end

--- Returns whether parameters have exactly these names and types.
-- @tparam[opt] table parameters name -> value
-- @tparam table kinds the result of `kinds`
function programs.fits(parameters, kinds)
  for name, value in each, parameters or NONE do
    if kinds[name] == nil or kinds[name] ~= kind_of(value) then return false end
  end
  for name in each, kinds do
    if (parameters or NONE)[name] == nil then return false end
  end
  return true
end

-- Returns whether the names in the text still mean the same components, in the same roles.
local function means_the_same(entry, source)
  for name, definition in each, entry.definitions do
    if source:definition(name) ~= definition then return false end
  end
  for name, role in each, entry.roles do
    if source:role(name) ~= role then return false end
  end
  return true
end

-- Returns a copy of a program with the values of the source's parameters.
local function with_values(program, source)
  local copy, values = {}, {}
  for key, value in each, program do copy[key] = value end
  for place = 1, #program.parameters, 2 do
    local name = program.parameters[place]
    values[place], values[place + 1] = name, source.parameters[name]
  end
  copy.parameters = values
  return copy
end

local function keep(key, source, program)
  local entry = { program = program, kinds = programs.kinds(source.parameters), definitions = {}, roles = {} }
  for name, component in each, program.found do
    local definition = source:definition(name)
    if component and not definition then return end
    entry.definitions[name] = definition
    entry.roles[name] = component and source:role(name) or nil
  end
  if not kept[key] then count = count + 1 end
  if count > MOST_KEPT then kept, count = {}, 1 end
  kept[key] = entry
end

--- Compiles a text, or returns the program that an equal text had in an equal source.
-- @tparam table source see `cuttle.formula.compile`
-- @return the results of `cuttle.formula.compile`
function programs.compile(source)
  local key = (source.kind or "statements") .. " " .. source.text
  local entry = kept[key]
  if entry and programs.fits(source.parameters, entry.kinds) and means_the_same(entry, source) then
    return with_values(entry.program, source)
  end
  local program, trouble = compile(source)
  if not program then return nil, trouble end
  if #source.text <= MOST_BYTES then keep(key, source, program) end
  program.found = nil
  return program
end

return programs
