--- Statements of the formula language.
-- Does not depend on registers.
-- @module cuttle.formula.statements

local expression = require "cuttle.formula.expression"
local lexer = require "cuttle.formula.lexer"
local types = require "cuttle.formula.types"

local Parser = expression.Parser

local statements = {}

--- The largest number of statements of a text.
statements.LIMIT = 256

-- Converts a value for an assignment to a target of a type, and raises if it has another type.
local function convert(self, value, type, at, target)
  value = self:to_labels(value, type)
  if types.same(value.type, type) then return value end
  local advice = types.difference(value.type, type)
  if value.type == types.number and type.is_numeric then
    advice = (": write %s(x) for all lanes"):format(type.name)
  end
  self:fail(at, "%s expected for '%s', got %s%s", type.name, target, value.type.name, advice)
end

-- Targets ------------------------------------------------------------------------------------------------------------

-- A target is a local (`symbol`) or a field, with `first` and `count` if it is some lanes of it.

-- Returns the text of a target for messages.
local function path_of(target) return target.name .. (target.lane and "." .. target.lane or "") end

local function read_lanes(self, target)
  if self.lexer.kind == "." then
    target.first, target.count, target.lane = self:read_lanes(target.type, target.symbol and target.name)
    target.part_type = types.vectors[target.count]
  end
  return target
end

local function read_field_target(self, component, at)
  local field = self:read_own_field(component, at)
  if not field.writable then self:fail(at, "the field '%s' is read-only", field.path) end
  return read_lanes(self, { name = field.path, field = field, type = field.value_type, first = false, count = 0,
    lane = false, part_type = false })
end

local function read_target(self)
  local lex, names = self.lexer, self.names
  local name, at = lex.value, lex.at
  lex:advance()
  local symbol = names:find_local(name)
  if symbol then return read_lanes(self, { name = name, symbol = symbol, type = symbol.type }) end
  if names.parameters[name] then self:fail(at, "the parameter '%s' is read-only in the text", name) end
  if names:is_function_or_value(name) and not (lex.kind == "." and names:is_component(name)) then
    self:fail(at, "'%s' cannot be assigned to", name)
  end
  if name == "_" and lex.kind == "(" then
    return read_field_target(self, self:read_quoted_name "a component", at)
  end
  if lex.kind ~= "." and not names:is_component(name) then
    if lex.kind == "=" then
      lex:fail(at, (" (did you mean 'local %s'?)"):format(name), "no local '%s' to assign to", name)
    end
    names:unknown(name, at)
  end
  return read_field_target(self, name, at)
end

-- The value of a target before the assignment.
local function current(self, target)
  local value = target.symbol and target.symbol.value or self.build:load(target.field)
  return target.first and self.build:lanes(value, target.first, target.count) or value
end

-- A value with some of its lanes replaced.
local function replaced(value, first, part)
  local copy = { type = value.type }
  for lane = 1, #value do copy[lane] = part[lane - first] or value[lane] end
  return copy
end

local function write(self, target, value)
  if target.field then
    self.build:store(target.field, target.first or 0, value, self.names:is_required(target.field.component))
  else
    local symbol = target.symbol
    self.build:assign(symbol, target.first and replaced(symbol.value, target.first, value) or value)
  end
end

-- Statements ---------------------------------------------------------------------------------------------------------

local COMPOUND = { ["+="] = "+", ["-="] = "-", ["*="] = "*", ["/="] = "/" }

local function read_assignment(self)
  local lex = self.lexer
  local target = read_target(self)
  local sign, at = lex.kind, lex.at
  if sign ~= "=" and not COMPOUND[sign] then
    local hint = sign == "==" and " (did you mean '='?)" or nil
    lex:fail(at, hint, "expected '=', '+=', '-=', '*=' or '/=' after '%s', got %s", path_of(target), lex:shown())
  end
  lex:advance()
  local value_at = lex.at
  local value = self:read_expression()
  if COMPOUND[sign] then
    value = expression.operator(COMPOUND[sign])(self, current(self, target), value, at, sign)
  end
  write(self, target, convert(self, value, target.part_type or target.type, value_at, path_of(target)))
end

local function read_local(self)
  local lex = self.lexer
  lex:advance()
  local name, at = lex.value, lex.at
  if lex.kind ~= "name" then self:fail(nil, "expected a name after 'local', got %s", lex:shown()) end
  self.names:check_local(name, at)
  lex:advance()
  self:expect("=", "and a value for the local '%s'", name)
  local value_at = lex.at
  local value = self:read_expression()
  if value.type == types.text or not value[1] then
    self:fail(value_at, "a local cannot hold %s", value.type == types.text and "a string" or value.type.name)
  end
  self.names:declare(name, value, at)
end

local function begin_statement(self)
  if self.build.statements >= statements.LIMIT then
    self:fail(nil, "the text has more than %d statements", statements.LIMIT)
  end
  self.build:statement(self.lexer:line_of(self.lexer.at))
end

-- Reads `condition then`, and opens a branch with it.
local function read_condition(self, keyword, open)
  local lex = self.lexer
  local at = lex.at
  local condition = self:read_expression()
  if lex.kind == "=" then
    self:refuse("expected 'then' after the condition of '%s', got %s", keyword, lex:shown())
  end
  self:check_boolean(condition, at, "after", keyword)
  self:expect("then", "after the condition of '%s'", keyword)
  open(self.build, condition)
end

local function read_if(self)
  local lex, build, names = self.lexer, self.build, self.names
  local line = lex:line_of(lex.at)
  self:enter()
  lex:advance()
  read_condition(self, "if", build.open_branch)
  local can_go_on = true
  while true do
    names:open()
    self:read_block(line)
    names:close()
    local kind = lex.kind
    if kind == "end" or not can_go_on then break end
    build:other_branch()
    can_go_on = kind == "elseif"
    if can_go_on then begin_statement(self) end
    lex:advance()
    if can_go_on then read_condition(self, "elseif", build.else_if) end
  end
  if lex.kind ~= "end" then self:fail(nil, "expected 'end' for the 'if' in line %d, got %s", line, lex:shown()) end
  lex:advance()
  build:close_branch()
  self:leave()
end

local ENDS = { ["end"] = true, ["else"] = true, ["elseif"] = true, [lexer.END] = true }

-- Reads statements until the end of a block. `line` is the line of its `if`; nil for the whole text.
function Parser:read_block(line)
  local lex = self.lexer
  while not ENDS[lex.kind] do
    if lex.kind == ";" then
      lex:advance()
    else
      begin_statement(self)
      if lex.kind == "local" then
        read_local(self)
      elseif lex.kind == "if" then
        read_if(self)
      elseif lex.kind == "name" then
        read_assignment(self)
      elseif lexer.KEYWORDS[lex.kind] then
        self:fail(nil, "a formula has no '%s'", lex.kind)
      else
        self:fail(nil, "statement expected, got %s", lex:shown())
      end
    end
  end
  if not line and lex.kind ~= lexer.END then self:fail(nil, "'%s' without 'if'", lex.kind) end
end

-- Raises if the text writes a field that it reads from other entities.
local function check_elsewhere(self)
  for _, read in ipairs(self.elsewhere or {}) do
    if self.build:is_written(read.field) then
      self:fail(read.at, "the text writes '%s', so 'at' cannot read it", read.field.path)
    end
  end
end

--- Reads a text of statements.
function statements.read(parser)
  parser:read_block()
  if parser.build.statements == 0 then parser:fail(nil, "statement expected, got %s", lexer.END) end
  check_elsewhere(parser)
end

return statements
