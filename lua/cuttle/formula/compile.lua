--- Compiler of formulas: converts a text into a program for core.formula.new.
-- Does not depend on the methods that run formulas.
--
-- The text goes through the files of this folder in one pass: `lexer` makes tokens, `statements` and `expression` are
-- the grammar with the checks of types, `names` finds locals, parameters and fields, and `builder` collects operations.
-- Then the core gives each result a register.
-- @module cuttle.formula.compile

local api = require("cuttle.core").formula
local builder = require "cuttle.formula.builder"
local expression = require "cuttle.formula.expression"
local failure = require "cuttle.failure"
local lexer = require "cuttle.formula.lexer"
local names = require "cuttle.formula.names"
local statements = require "cuttle.formula.statements"
local types = require "cuttle.formula.types"

-- Whether the result of an expression is accepted, by the kind that the caller expects.
local ACCEPTED = {
  condition = function(type) return type == types.boolean, "boolean" end,
  number = function(type) return type == types.number, "number" end,
  numbers = function(type) return type.is_numeric, "number or vector" end,
}

local function read_expression(parser, kind)
  local lex = parser.lexer
  local value = parser:read_expression()
  if lex.kind ~= lexer.END then parser:refuse("expected an operator or the end of the text, got %s", lex:shown()) end
  local is_accepted, expected = ACCEPTED[kind](value.type)
  if not is_accepted then parser:fail(1, "expected an expression of type %s, got %s", expected, value.type.name) end
  return value
end

-- A local: a script that replaces this function must not receive operations of others.
local assign_registers = api.registers

-- Returns the program of a builder, without the values of its parameters. `value` is that of an expression, or nil.
local function new_program(build, value)
  local operations, constants, count, operation_count, first = assign_registers(build.uniform_code, build.code,
    build.nodes, build.constants, build.parameters, build.storages, value)
  if not operations then
    failure.raise("the text needs more than %d registers for constants, parameters, locals and intermediate results",
      builder.REGISTERS)
  end
  local description = { uses = build.uses, operations = operation_count,
    temporaries = count - #constants - build.parameters }
  return { constants = constants, fields = build.fields, components = build.components, registers = count,
    operations = operations, result = value and { first, #value }, description = description }
end

local function compile(source)
  local lex = lexer.new(source.text)
  local build = builder.new(lex)
  local known = names.new(source, lex, build)
  local parser = expression.new(lex, known, build)
  local value
  if source.kind then value = read_expression(parser, source.kind) else statements.read(parser) end
  local program = new_program(build, value)
  program.parameters = known.values
  program.order, program.optionals, program.found = known.order, known.optionals, known.found
  return program
end

--- Compiles a text. A source has:
--
-- - `text`, and `method`, the name of the calling method for errors
-- - `parameters`: name -> value, or nil
-- - `methods`: the set of names that parameters and locals cannot have
-- - `kind`: nil for statements; "condition", "number" or "numbers" for an expression
-- - `:fields(name)`: the list of the fields of a component of the world, or nil
-- - `:definition(name)`: a number that is equal for components of equal name and fields; nil if it is unknown; false if
--   there is no such component
-- - `:component_names()`: the sorted names of all components of the world
-- - `:role(name)`: "required", "optional" or "excluded" in the query, nil; "any" if the query is made from the text
-- - `:query_names()`: the components of the query
-- @tparam table source
-- @treturn[1] table the program for core.formula.new. Also: `order`, the components of the entity itself in order of
-- appearance; `optionals`, the set of those in `has`; `found`, whether each name that was looked up is a component;
-- `description`, as the result of `describe`, but with `uses` of builder.lua for the lists of fields
-- @treturn[2] nil
-- @treturn[2] string `line 2: no field 'velocty' in transform, column 7 (did you mean 'velocity'?)`
return function(source)
  return failure.guard(compile, source)
end
