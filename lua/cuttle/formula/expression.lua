--- Expressions of the formula language: a parser by precedence, which computes types and appends operations.
-- Does not depend on statements.
-- @module cuttle.formula.expression

local failure = require "cuttle.failure"
local functions = require "cuttle.formula.functions"
local lexer = require "cuttle.formula.lexer"
local types = require "cuttle.formula.types"

local number, boolean, entity, text = types.number, types.boolean, types.entity, types.text

local expression = {}

-- A parser has `lexer`, `names`, `build` and `depth`, the nesting of the current token.
local Parser = {}
Parser.__index = Parser

expression.Parser = Parser

--- The largest nesting of parentheses, calls, unary operators, powers and `if`.
expression.NESTING = 32

-- The type of `c and a` until its `or`. `condition` and `chosen` are the values of c and a.
local half = { name = "'and' without 'or'", lanes = 0 }

-- Tokens -------------------------------------------------------------------------------------------------------------

--- Makes a parser at the first token of a text.
function expression.new(lex, names, build)
  return setmetatable({ lexer = lex, names = names, build = build, depth = 0, places = 0 }, Parser)
end

--- Raises a mistake at a byte of the text, by default at the current token.
function Parser:fail(at, message, ...)
  self.lexer:fail(at or self.lexer.at, nil, message, ...)
end

--- Raises a mistake at the current token, with a hint if it is '='.
function Parser:refuse(message, ...)
  local lex = self.lexer
  lex:fail(lex.at, lex.kind == "=" and " (did you mean '=='?)" or nil, message, ...)
end

--- Raises a mistake with a hint.
function Parser:fail_near(at, name, names, message, ...)
  self.lexer:fail(at, failure.hint(name, names), message, ...)
end

--- Raises unless the current token is of a kind, and reads the next one. `where` may have a place for a name.
function Parser:expect(kind, where, name)
  local lex = self.lexer
  if lex.kind ~= kind then self:fail(nil, "expected '%s' %s, got %s", kind, where:format(name), lex:shown()) end
  lex:advance()
end

--- Enters a part that is nested one level deeper.
function Parser:enter()
  self.depth = self.depth + 1
  if self.depth > expression.NESTING then
    self:fail(nil, "the text is nested more than %d levels deep", expression.NESTING)
  end
end

--- Leaves a part that `enter` entered.
function Parser:leave() self.depth = self.depth - 1 end

--- Reads a name, or `_("name")` for a name that is a keyword, and returns it with its place.
function Parser:read_name(what)
  local lex = self.lexer
  local name, at = lex.value, lex.at
  if lex.kind ~= "name" then
    local keyword = lexer.KEYWORDS[lex.kind] and (" (a name that is a keyword is written _(\"%s\"))"):format(lex.kind)
    lex:fail(at, keyword or nil, "expected %s, got %s", what, lex:shown())
  end
  lex:advance()
  if name == "_" and lex.kind == "(" then return self:read_quoted_name(what), at end
  return name, at
end

--- Reads `("name")` after `_`.
function Parser:read_quoted_name(what)
  local lex = self.lexer
  self:expect("(", "after '_'")
  local name = lex.value
  if lex.kind ~= "string" then self:fail(nil, "expected %s as a string, got %s", what, lex:shown()) end
  lex:advance()
  self:expect(")", "after the name")
  return name
end

--- Reads `.x` or `.xy` after a value of a type. Returns the first lane (from 0), the number of lanes and their name.
-- `name` is the local or parameter that the value is, for messages.
function Parser:read_lanes(type, name)
  self.lexer:advance()
  local lane, at = self:read_name "a lane"
  local first, count = types.lanes(type, lane)
  if not first then self.names:no_lane(name, type, lane, at) end
  return first, count, lane
end

-- Checks of types ----------------------------------------------------------------------------------------------------

-- Describes a type, with what to do, for messages.
local function shown(value)
  return value.type == half and half.name or types.shown(value.type)
end

--- Raises unless a value is a boolean.
function Parser:check_boolean(value, at, where, name)
  if value.type ~= boolean then self:fail(at, "boolean expected %s '%s', got %s", where, name, shown(value)) end
end

-- The number of a label of an enum.
local function label_number(self, type, value)
  local place = type.numbers[value.text]
  if not place then
    self:fail_near(value.at, value.text, type.labels, "the enum has no label %s", failure.show(value.text))
  end
  return self.build:constant(place, type)
end

--- Converts string constants to labels of the enum `type`. Other values are returned as they are.
function Parser:to_labels(value, type)
  if value.type ~= text or not type.labels then return value end
  if value.text then return label_number(self, type, value) end
  local a, b = self:to_labels(value.chosen, type), self:to_labels(value.other, type)
  return self.build:select(value.condition, a, b)
end

-- `c and a or b`: the values a and b have one type. A choice between strings becomes one between labels later.
local function choose(self, condition, a, b, at)
  a, b = self:to_labels(a, b.type), self:to_labels(b, a.type)
  if not types.same(a.type, b.type) then
    self:fail(at, "both values of 'and ... or' must have one type, got %s and %s%s", shown(a), shown(b),
      types.difference(a.type, b.type))
  end
  if a.type == text then return { type = text, condition = condition, chosen = a, other = b } end
  return self.build:select(condition, a, b)
end

-- Operators ----------------------------------------------------------------------------------------------------------

local function arithmetic(op)
  return function(self, a, b, at, sign)
    if not (a.type.is_numeric and b.type.is_numeric) then
      self:fail(at, "number or vector expected for '%s', got %s", sign, shown(a.type.is_numeric and b or a))
    end
    if #a ~= #b and #a > 1 and #b > 1 then
      self:fail(at, "'%s' needs vectors of equal length, got %s and %s", sign, shown(a), shown(b))
    end
    return self.build:binary(op, a, b)
  end
end

-- The value of x^n for a constant n.
local function power(self, x, exponent, at)
  local build = self.build
  local n = exponent.type == number and build:number(exponent)
  if not n or n % 1 ~= 0 or n < -4 or n > 4 then
    self:fail(at, "'^' needs a constant whole exponent from -4 to 4")
  end
  if not x.type.is_numeric then self:fail(at, "number or vector expected for '^', got %s", shown(x)) end
  local one = build:constant(1)
  if n == 0 then return build:widen(one, x.type) end
  local result, count = x, math.abs(n)
  if count >= 2 then result = build:binary("MUL", x, x) end
  if count == 3 then result = build:binary("MUL", result, x) end
  if count == 4 then result = build:binary("MUL", result, result) end
  return n > 0 and result or build:binary("DIV", one, result)
end

local function ordered(op, is_swapped)
  return function(self, a, b, at, sign)
    local wrong = a.type ~= number and a or b.type ~= number and b
    if wrong then
      local advice = wrong.type.is_numeric and ": compare lanes, or the length" or ""
      self:fail(at, "number expected for '%s', got %s%s", sign, shown(wrong), advice)
    end
    if is_swapped then a, b = b, a end
    return self.build:operation(op, boolean, a, b)
  end
end

local function equality(op)
  return function(self, a, b, at, sign)
    a, b = self:to_labels(a, b.type), self:to_labels(b, a.type)
    if not types.same(a.type, b.type) then
      self:fail(at, "'%s' cannot compare %s with %s%s", sign, shown(a), shown(b), types.difference(a.type, b.type))
    end
    if a.type == half or a.type == text then self:fail(at, "'%s' cannot compare %s", sign, shown(a)) end
    if #a > 1 then
      self:fail(at, "'%s' cannot compare vectors: compare lanes, or the length of the difference", sign)
    end
    return self.build:operation(op, boolean, a, b)
  end
end

local function conjunction(self, a, b, at)
  self:check_boolean(a, at, "before", "and")
  if b.type == boolean then return self.build:operation("AND", boolean, a, b) end
  if b.type == half then
    local condition = self.build:operation("AND", boolean, a, b.condition)
    return { type = half, condition = condition, chosen = b.chosen }
  end
  return { type = half, condition = a, chosen = b }
end

local function disjunction(self, a, b, at)
  if a.type == half then
    if b.type ~= half then return choose(self, a.condition, a.chosen, b, at) end
    local chosen = choose(self, a.condition, a.chosen, b.chosen, at)
    return { type = half, chosen = chosen, condition = self.build:operation("OR", boolean, a.condition, b.condition) }
  end
  self:check_boolean(a, at, "before", "or")
  self:check_boolean(b, at, "after", "or")
  return self.build:operation("OR", boolean, a, b)
end

-- Left and right precedence, as in Lua, and the function that computes the value.
local BINARY = {
  ["or"] = { 1, 1, disjunction }, ["and"] = { 2, 2, conjunction },
  ["<"] = { 3, 3, ordered "LT" }, [">"] = { 3, 3, ordered("LT", true) },
  ["<="] = { 3, 3, ordered "LE" }, [">="] = { 3, 3, ordered("LE", true) },
  ["=="] = { 3, 3, equality "EQ" }, ["~="] = { 3, 3, equality "NE" },
  ["+"] = { 6, 6, arithmetic "ADD" }, ["-"] = { 6, 6, arithmetic "SUB" },
  ["*"] = { 7, 7, arithmetic "MUL" }, ["/"] = { 7, 7, arithmetic "DIV" }, ["%"] = { 7, 7, arithmetic "MOD" },
  ["^"] = { 10, 9, power },
}
local UNARY = 8

--- The function for an operator of an assignment such as `+=`.
function expression.operator(sign) return BINARY[sign][3] end

-- Operands -----------------------------------------------------------------------------------------------------------

-- Reads the lanes after a value: `.x`, `.xy`. `name` is the local or parameter that the value is.
local function suffixes(self, value, name)
  while self.lexer.kind == "." do
    local first, count = self:read_lanes(value.type, name)
    value, name = self.build:lanes(value, first, count), nil
  end
  return value
end

-- Reads `.field` after a component and returns the field.
local function read_field(self, component, at, is_own)
  if self.lexer.kind ~= "." then
    self:fail(nil, "expected '.' and a field after the component '%s', got %s", component, self.lexer:shown())
  end
  self.lexer:advance()
  local name, field_at = self:read_name "a field"
  return self.names:field(component, at, name, field_at, is_own)
end

--- Reads `.field` after a component of the entity itself and returns the field.
function Parser:read_own_field(component, at) return read_field(self, component, at, true) end

-- A call of a function of cuttle.formula.functions.
local Call = {}
Call.__index = Call

-- Raises a mistake in an argument, or in the call.
function Call:fail(place, ...) self.parser:fail(place and self.places[place] or self.at, ...) end

-- Reads `(a, b, ...)` and calls the function.
local function read_call(self, name, at)
  local places = {}
  local call = setmetatable({ name = name, arguments = {}, places = places, parser = self, at = at }, Call)
  self:enter()
  self:expect("(", "after the function '%s'", name)
  while self.lexer.kind ~= ")" do
    if #places > 0 then self:expect(",", "or ')' in the call of '%s'", name) end
    places[#places + 1] = self.lexer.at
    call.arguments[#call.arguments + 1] = self:read_expression()
  end
  self.lexer:advance()
  self:leave()
  return functions[name](call, self.build)
end

local SPECIAL = {}

-- at(entity, component.field)
function SPECIAL.at(self)
  self:enter()
  self:expect("(", "after the function 'at'")
  local value_at = self.lexer.at
  local value = self:read_expression()
  if value.type ~= entity then self:fail(value_at, "entity expected in 'at', got %s", shown(value)) end
  self:expect(",", "and a field in the call of 'at'")
  local component, at = self:read_name "a component"
  local field = read_field(self, component, at, false)
  self:expect(")", "after the field in the call of 'at'")
  self:leave()
  self.elsewhere = self.elsewhere or {}
  self.elsewhere[#self.elsewhere + 1] = { field = field, at = at }
  return self.build:load_at(value, field)
end

-- has.component
function SPECIAL.has(self)
  self:expect(".", "and a component after 'has'")
  local name, at = self:read_name "a component"
  return self.build:has(self.names:optional(name, at))
end

function SPECIAL.random(self, at)
  self:expect("(", "after the function 'random'")
  self:expect(")", "in the call of 'random', which takes no value")
  self.places = self.places + 1
  return self.build:random(self.places, self.names:seed(at))
end

function SPECIAL._(self, at)
  return self.build:load(self:read_own_field(self:read_quoted_name "a component", at))
end

-- Reads an operand that begins with a name which is neither a local nor a parameter.
local function read_global(self, name, at)
  local lex, known, build = self.lexer, self.names, self.build
  local is_function = functions[name] or SPECIAL[name]
  if lex.kind == "(" and is_function and name ~= "has" then
    return SPECIAL[name] and SPECIAL[name](self, at) or read_call(self, name, at)
  end
  if name == "self" then return build:self() end
  if name == "nobody" then return build:constant(4294967295, entity) end
  if known:is_component(name) then return build:load(self:read_own_field(name, at)) end
  if name == "has" then return SPECIAL.has(self) end
  if is_function then self:fail(nil, "expected '(' after the function '%s', got %s", name, lex:shown()) end
  known:unknown(name, at)
end

local function read_named(self)
  local lex, known = self.lexer, self.names
  local name, at = lex.value, lex.at
  lex:advance()
  local symbol = known:find_local(name)
  if symbol then return suffixes(self, symbol.value, name) end
  if known.parameters[name] then return suffixes(self, known.parameters[name], name) end
  return suffixes(self, read_global(self, name, at))
end

local CONSTANTS = { ["true"] = 1, ["false"] = 0 }

-- Reads an operand: a constant, a name with what follows it, a call, or an expression in parentheses.
local function read_operand(self)
  local lex = self.lexer
  local kind, at = lex.kind, lex.at
  if kind == "name" then return read_named(self) end
  if kind == "(" then
    self:enter()
    lex:advance()
    local value = self:read_expression()
    self:expect(")", "to close the '('")
    self:leave()
    return suffixes(self, value)
  end
  local value
  if kind == "number" then
    value = self.build:constant(lex.value)
  elseif kind == "string" then
    value = { type = text, text = lex.value, at = at }
  elseif CONSTANTS[kind] then
    value = self.build:constant(CONSTANTS[kind], boolean)
  elseif kind == "nil" then
    lex:fail(at, " (did you mean 'nobody'?)", "a formula has no nil")
  else
    self:fail(nil, "expression expected, got %s", lex:shown())
  end
  lex:advance()
  return value
end

local function read_unary(self)
  local lex = self.lexer
  local sign, at = lex.kind, lex.at
  self:enter()
  lex:advance()
  local value = self:read_expression(UNARY)
  self:leave()
  if sign == "not" then
    self:check_boolean(value, at, "after", "not")
    return self.build:operation("NOT", boolean, value)
  end
  if not value.type.is_numeric then
    self:fail(at, "number or vector expected for '-', got %s", shown(value))
  end
  return self.build:operation("NEG", value.type, value)
end

--- Reads an expression of operators that bind more strongly than `least` (default 0) and returns its value.
function Parser:read_expression(least)
  local lex = self.lexer
  local value
  if lex.kind == "-" or lex.kind == "not" then value = read_unary(self) else value = read_operand(self) end
  while true do
    local sign, at = lex.kind, lex.at
    local operator = BINARY[sign]
    if not operator or operator[1] <= (least or 0) then return value end
    lex:advance()
    if sign == "^" then self:enter() end
    local right = self:read_expression(operator[2])
    if sign == "^" then self:leave() end
    value = operator[3](self, value, right, at, sign)
  end
end

return expression
