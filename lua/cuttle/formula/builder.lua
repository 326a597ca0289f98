--- Builder of programs: the operations of a text in order, with common subexpressions shared.
-- Does not depend on the grammar, nor on registers.
-- @module cuttle.formula.builder

local failure = require "cuttle.failure"
local types = require "cuttle.formula.types"

local max = math.max

local builder = {}

-- A node is one number of an entity: a constant, a lane of a parameter, a lane that was loaded, a variable, or the
-- result of an operation on other nodes. A value is an array of nodes, one for each lane, with `type`. Every node has
-- an `id`, and `uniform` if it is the same for all entities.
--
-- `code` holds the operations in order. `uniform` holds those that are computed once for each call; they come first.
--
-- A local has a new value after each assignment, unless the assignment is in a branch that opened after its
-- declaration: then it becomes a variable, a node that MOVE changes for the entities of the branch.

local Builder = {}
Builder.__index = Builder

--- The largest number of operations, and of ids that fit in the key of an operation.
builder.LIMIT = 4096
local IDS = 65536

local CODES = {}
for code, op in ipairs {
  "NEG", "NOT", "ABS", "SIGN", "FLOOR", "CEIL", "SQRT", "SIN", "COS", "EXP", "LOG", "ADD", "SUB", "MUL", "DIV", "MOD",
  "MIN", "MAX", "ATAN2", "EQ", "NE", "LT", "LE", "AND", "OR", "SELECT", "ALIVE",
} do CODES[op] = code end

-- The entities of a call differ in these even if all operands are equal.
local NEVER_UNIFORM = { ALIVE = true }

--- Makes an empty program. `lexer` is for errors and lines.
function builder.new(lexer)
  return setmetatable({
    lexer = lexer, code = {}, uniform = {}, constants = {}, constant_nodes = {}, parameters = {}, operations = 0,
    ids = 0, branches = {}, known = { {} }, versions = {}, reads = {}, writes = {}, statements = 0,
  }, Builder)
end

-- The fields `last` and `register` belong to cuttle.formula.registers. All fields are in the constructor, so that the
-- table does not grow.
local function new_node(self, op, a, b, c, uniform)
  self.ids = self.ids + 1
  if self.ids >= IDS then failure.raise("the text has more than %d operations", builder.LIMIT) end
  return { op = op, id = self.ids, a = a, b = b, c = c, uniform = uniform, last = false, register = false }
end

local function append(self, list, node)
  self.operations = self.operations + 1
  if self.operations > builder.LIMIT then
    self.lexer:fail(self.lexer.at, nil, "the text has more than %d operations", builder.LIMIT)
  end
  list[#list + 1] = node
  return node
end

-- Constants and parameters -------------------------------------------------------------------------------------------

local function constant_node(self, number)
  local key = (number ~= 0 or 1 / number > 0) and number or "-0"
  local node = self.constant_nodes[key]
  if not node then
    node = new_node(self, "constant", nil, nil, nil, true)
    node.number = number
    self.constants[#self.constants + 1], self.constant_nodes[key] = node, node
  end
  return node
end

--- Returns a constant of one lane.
function Builder:constant(number, type)
  return { type = type or types.number, constant_node(self, number) }
end

--- Adds a parameter and returns its value.
function Builder:parameter(type)
  local value = { type = type }
  for lane = 1, type.lanes do
    local node = new_node(self, "parameter", nil, nil, nil, true)
    self.parameters[#self.parameters + 1], value[lane] = node, node
  end
  return value
end

-- Operations ---------------------------------------------------------------------------------------------------------

-- Results of whole numbers are exact, so they are computed here. Other results are left to the core, because some hosts
-- round twice.
local EXACT = {
  ADD = function(a, b) return a + b end,
  SUB = function(a, b) return a - b end,
  MUL = function(a, b) return a * b end,
}

local function fold(self, op, a, b)
  if a.op ~= "constant" then return nil end
  if op == "NEG" then return constant_node(self, -a.number) end
  if not EXACT[op] or b.op ~= "constant" or a.number % 1 ~= 0 or b.number % 1 ~= 0 then return nil end
  local result = EXACT[op](a.number, b.number)
  return result <= 2 ^ 53 and result >= -2 ^ 53 and constant_node(self, result) or nil
end

-- The node of an operation on one to three nodes.
local function node_of(self, op, a, b, c)
  local folded = fold(self, op, a, b)
  if folded then return folded end
  local key = ((CODES[op] * IDS + a.id) * IDS + (b and b.id or 0)) * IDS + (c and c.id or 0)
  local uniform = not NEVER_UNIFORM[op] and a.uniform and (not b or b.uniform) and (not c or c.uniform)
  local known = uniform and self.known[1] or self.known[#self.known]
  local node = known[key]
  if not node then
    node = new_node(self, op, a, b, c, uniform)
    known[key] = append(self, uniform and self.uniform or self.code, node)
  end
  return node
end

--- Returns the value of an operation for each lane. A number is the operand of all lanes.
function Builder:operation(op, type, x, y, z)
  if type.lanes == 1 and #x == 1 then return { type = type, node_of(self, op, x[1], y and y[1], z and z[1]) } end
  local value = { type = type }
  for lane = 1, max(#x, y and #y or 0, z and #z or 0) do
    value[lane] = node_of(self, op, x[lane] or x[1], y and (y[lane] or y[1]), z and (z[lane] or z[1]))
  end
  return value
end

--- Returns the value of an arithmetic operation on two numbers or vectors.
function Builder:binary(op, x, y)
  return self:operation(op, #x > #y and x.type or y.type, x, y)
end

--- Returns `condition and x or y`.
function Builder:select(condition, x, y)
  return self:operation("SELECT", x.type, condition, x, y)
end

--- Returns a value with its only lane repeated for all lanes of a type.
function Builder.widen(_, x, type)
  local value = { type = type }
  for lane = 1, type.lanes do value[lane] = x[lane] or x[1] end
  return value
end

--- Returns a value of the lanes of several values, in order.
function Builder.compose(_, type, parts)
  local value = { type = type }
  for _, part in ipairs(parts) do
    for _, node in ipairs(part) do value[#value + 1] = node end
  end
  return value
end

--- Returns some lanes of a value: a number, or a vector. `first` counts from 0.
function Builder.lanes(_, x, first, count)
  local value = { type = types.vectors[count or 1] }
  for lane = 1, count or 1 do value[lane] = x[first + lane] end
  return value
end

-- Fields and entities ------------------------------------------------------------------------------------------------

-- Returns the node for a key that is not an operation on nodes; `make` makes it.
local function shared(self, key, make, ...)
  local known = self.known[#self.known]
  if not known[key] then known[key] = make(self, ...) end
  return known[key]
end

local function append_load(self, op, field, row)
  local load = append(self, self.code, { op = op, field = field, row = row })
  local value = { type = field.value_type }
  for lane = 1, field.value_type.lanes do
    local node = new_node(self, "loaded")
    node.load, node.lane, value[lane] = load, lane, node
  end
  load.value = value
  return value
end

--- Returns the value of a field of the entity.
function Builder:load(field)
  self.reads[field.path] = true
  local known, version = self.known[#self.known], self.versions[field.storage] or 0
  local load = known[field]
  if not load or load.version ~= version then
    load = { version = version, value = append_load(self, "LOAD", field) }
    known[field] = load
  end
  return load.value
end

local function append_single(self, op, a, component)
  local node = new_node(self, op, a)
  node.component = component
  return append(self, self.code, node)
end

--- Returns the value of a field of another entity.
function Builder:load_at(entity, field)
  self.reads[field.path] = true
  local id = entity[1].id
  local row = shared(self, "find " .. field.component .. "#" .. id, append_single, "FIND", entity[1], field.component)
  return shared(self, "at " .. field.path .. "#" .. id, append_load, "LOAD_AT", field, row)
end

--- Returns the entity itself.
function Builder:self()
  return { type = types.entity, shared(self, "self", append_single, "SELF") }
end

--- Returns whether the entity has an optional component.
function Builder:has(component)
  return { type = types.boolean, shared(self, "has " .. component, append_single, "HAS", nil, component) }
end

--- Returns a random number for a place in the text.
function Builder:random(place, seed)
  local node = append_single(self, "RANDOM", seed[1])
  node.place = place
  return { type = types.number, node }
end

-- Statements ---------------------------------------------------------------------------------------------------------

--- Begins a statement at a line of the text. Stores name it in errors.
function Builder:statement(line)
  self.statements = self.statements + 1
  self.line = line
end

-- Appends a store of lanes from `first` (0) on.
function Builder:store(field, first, value)
  self.writes[field.path] = true
  self.versions[field.storage] = (self.versions[field.storage] or 0) + 1
  append(self, self.code, { op = "STORE", field = field, first = first, value = value, statement = self.statements,
    line = self.line })
end

-- Returns a value whose nodes do not change when a variable does, except those that are already in their place.
local function settle(self, value, place)
  local settled = { type = value.type }
  for lane, node in ipairs(value) do
    if node.op == "variable" and not (place and place[lane] == node) then
      node = append(self, self.code, new_node(self, "MOVE", node))
    end
    settled[lane] = node
  end
  return settled
end

--- Declares a local of the current branch.
function Builder:declare(value)
  return { type = value.type, depth = #self.branches, value = settle(self, value) }
end

-- Makes a local a variable, with its value from before the outermost branch that opened after its declaration.
local function make_variable(self, symbol)
  local variable = { type = symbol.type }
  local before = self.branches[symbol.depth + 1].before
  for lane, node in ipairs(symbol.value) do
    local fresh = new_node(self, "variable")
    variable[lane] = fresh
    append(self, before, { op = "MOVE", variable = fresh, a = node })
  end
  symbol.value, symbol.is_variable = variable, true
end

--- Assigns to a local.
function Builder:assign(symbol, value)
  if symbol.depth == #self.branches then
    symbol.value, symbol.is_variable = settle(self, value), false
    return
  end
  local old = symbol.value
  if not symbol.is_variable then make_variable(self, symbol) end
  local settled = settle(self, value, old)
  for lane, node in ipairs(settled) do
    local variable = symbol.value[lane]
    if node ~= old[lane] then
      append(self, self.code, { op = "MOVE", variable = variable, a = node })
      -- Operations on the contents until now are no longer equal.
      self.ids = self.ids + 1
      variable.id = self.ids
    end
  end
end

-- A branch begins with the operations that are known outside.
local function open(self)
  self.known[#self.known + 1] = setmetatable({}, { __index = self.known[#self.known] })
end

--- Opens a branch for the entities whose condition is true.
function Builder:open_branch(condition)
  local branch = append(self, self.code, { op = "IF", a = condition[1], before = {} })
  self.branches[#self.branches + 1] = branch
  open(self)
end

--- Begins the part of the branch for the remaining entities.
function Builder:other_branch()
  self.known[#self.known] = nil
  append(self, self.code, { op = "ELSE" })
  open(self)
end

--- Restricts the part after other_branch to the entities whose condition is true.
function Builder:else_if(condition)
  append(self, self.code, { op = "ELSE_IF", a = condition[1] })
end

--- Closes the branch.
function Builder:close_branch()
  self.known[#self.known] = nil
  append(self, self.code, { op = "END" })
  self.branches[#self.branches] = nil
end

return builder
