--- Builder of programs: the operations of a text in order, with common subexpressions shared.
-- Does not depend on the grammar, nor on registers.
-- @module cuttle.formula.builder

local core = require "cuttle.core"
local field_types = require "cuttle.field_types"
local types = require "cuttle.formula.types"

local new_table = core.formula.table

local builder = {}

-- A node is one number of an entity: a constant, a lane of a parameter, a lane that was loaded, a variable, or the
-- result of an operation on other nodes. Nodes are counted from 1, and 0 is an operand that an operation does not have.
-- A value is an array of nodes, one for each lane, with `type`.
--
-- `code` holds the operations in order, six items for each, as core.formula.registers takes them
-- (src/world/formula_registers.h, where a node is a value). `uniform_code` holds those that are computed once for each
-- call. `uniform` is the set of nodes that are the same for all entities. `known` has the nodes and values that were
-- computed in the current branch or outside of it, `outer` those outside of each open branch. `uses` describes the
-- fields, `fields` has the component and the name of each, `storages` what the core needs of it, and `components` the
-- names for FIND and HAS.
--
-- A local has a new value after each assignment, unless the assignment is in a branch that opened after its
-- declaration: then it becomes a variable, a node that MOVE changes for the entities of the branch.

local Builder = {}
Builder.__index = Builder

-- The largest number of operations.
local LIMIT = 4096

--- The largest number of registers.
builder.REGISTERS = 1024

-- The number of items of an operation.
local ITEMS = 6

-- The reciprocals of powers of two: a product with one is exactly the quotient, and takes less time.
local RECIPROCALS = {}
for exponent = 0, 32 do RECIPROCALS[2 ^ exponent] = 2 ^ -exponent end

-- More than the largest node. A kind and three nodes are one exact number.
local NODES = 65536

local CODES = core.formula.operations
local ADD, SUB, MUL, DIV, NEG, SELECT, ALIVE =
  CODES.ADD, CODES.SUB, CODES.MUL, CODES.DIV, CODES.NEG, CODES.SELECT, CODES.ALIVE
local ROUND, MOVE, LOAD, LOAD_AT, STATEMENT, STORE =
  CODES.ROUND, CODES.MOVE, CODES.LOAD, CODES.LOAD_AT, CODES.STATEMENT, CODES.STORE

assert(SELECT < 2 ^ 53 / NODES ^ 3, "more kinds of operations on three nodes")

--- Makes an empty program. `lexer` is for errors and lines.
function builder.new(lexer)
  -- Growing tables would take a fifth of the time, so the tables begin with room for a usual text of this length.
  local items, nodes = #lexer.text, #lexer.text / 4
  local self = setmetatable({
    lexer = lexer, code = new_table(items, 0), uniform_code = {}, uniform = new_table(nodes, 1), nodes = 0,
    operations = 0, constants = {}, constant_nodes = {}, numbers = new_table(nodes, 0), parameters = 0, fields = {},
    uses = {}, storages = {}, storage_uses = {}, components = {}, variables = {}, branches = {},
    known = new_table(0, nodes), outer = {}, statements = 0,
  }, Builder)
  self.uniform[0], self.uniform_known = true, self.known
  return self
end

-- The limits of texts and operations keep the number of nodes below NODES.
local function new_node(self)
  local node = self.nodes + 1
  self.nodes = node
  return node
end

-- Appends an operation and returns its result.
local function append(self, list, kind, to, a, b, c, d)
  local length, operations = #list, self.operations + 1
  if operations > LIMIT then
    self.lexer:fail(self.lexer.at, nil, "the text has more than %d operations", LIMIT)
  end
  self.operations = operations
  list[length + 1] = kind
  list[length + 2] = to
  list[length + 3] = a or 0
  list[length + 4] = b or 0
  list[length + 5] = c or 0
  list[length + 6] = d or 0
  return to
end

-- Returns a value, with room for its lanes.
local function new_value(type, lanes)
  if lanes == 1 then return { type = type, 0 } end
  if lanes == 2 then return { type = type, 0, 0 } end
  if lanes == 3 then return { type = type, 0, 0, 0 } end
  return { type = type, 0, 0, 0, 0 }
end

-- Constants and parameters -------------------------------------------------------------------------------------------

local function constant_node(self, number)
  local key = (number ~= 0 or 1 / number > 0) and number or "-0"
  local node = self.constant_nodes[key]
  if not node then
    node = new_node(self)
    local constants = self.constants
    constants[#constants + 1], constants[#constants + 2], self.constant_nodes[key] = node, number, node
    self.numbers[node], self.uniform[node] = number, true
  end
  return node
end

--- Returns a constant of one lane.
function Builder:constant(number, type)
  return { type = type or types.number, constant_node(self, number) }
end

--- Returns the number of a constant of one lane; nil if the value is no constant.
function Builder:number(value) return self.numbers[value[1]] end

--- Adds a parameter and returns its value. Parameters come before everything else.
function Builder:parameter(type)
  local value = new_value(type, type.lanes)
  for lane = 1, type.lanes do
    local node = new_node(self)
    self.uniform[node], value[lane] = true, node
  end
  self.parameters = self.nodes
  return value
end

-- Operations ---------------------------------------------------------------------------------------------------------

-- Returns the constant that is the result of an operation, or nil. Results of whole numbers, and those of a division by
-- a power of two, are exact, so they are computed here. Other results are left to the core, because some hosts round
-- twice. LuaJIT on ARM computes with integers where it can, which have no -0; a quotient is never an integer there.
local function fold(self, kind, x, y)
  local result
  if kind == NEG then return constant_node(self, -(x / 1)) end
  if not y or x % 1 ~= 0 or y % 1 ~= 0 then return nil end
  if kind == ADD then result = x + y elseif kind == SUB then result = x - y end
  if kind == MUL then result = x / 1 * y end
  if kind == DIV and y > 0 and 2 ^ 53 % y == 0 then result = x / y end
  return result and result <= 2 ^ 53 and result >= -2 ^ 53 and constant_node(self, result) or nil
end

-- The node of an operation on one to three nodes.
local function node_of(self, kind, a, b, c)
  local numbers, uniform, versions = self.numbers, self.uniform, self.variables
  if numbers[a] then
    local folded = fold(self, kind, numbers[a], numbers[b])
    if folded then return folded end
  end
  local reciprocal = kind == DIV and RECIPROCALS[numbers[b]]
  if reciprocal then kind, b = MUL, constant_node(self, reciprocal) end
  local known, list = self.known, self.code
  local is_uniform = uniform[a] and uniform[b] and uniform[c] and kind ~= ALIVE -- entities die
  if is_uniform then known, list = self.uniform_known, self.uniform_code end
  local key = ((kind * NODES + (versions[a] or a)) * NODES + (versions[b] or b)) * NODES + (versions[c] or c)
  local node = known[key]
  if not node then
    node = append(self, list, kind, new_node(self), a, b, c)
    known[key] = node
    if is_uniform then uniform[node] = true end
  end
  return node
end

--- Returns the value of an operation for each lane. A number is the operand of all lanes.
function Builder:operation(op, type, x, y, z)
  local kind, lanes = CODES[op], type.lanes
  if lanes == 1 then return { type = type, node_of(self, kind, x[1], y and y[1] or 0, z and z[1] or 0) } end
  local value = new_value(type, lanes)
  for lane = 1, lanes do
    value[lane] = node_of(self, kind, x[lane] or x[1], y and (y[lane] or y[1]) or 0, z and (z[lane] or z[1]) or 0)
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
  local value = new_value(type, type.lanes)
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
  count = count or 1
  local value = new_value(types.vectors[count], count)
  for lane = 1, count do value[lane] = x[first + lane] end
  return value
end

-- Fields and entities ------------------------------------------------------------------------------------------------

-- Returns how the text uses a field: `number`, from 0, `is_read`, `is_written`, and `storage`, the use of the first
-- field with its storage, whose `version` is the number of stores to this storage so far.
local function use_of(self, field)
  local use = self.uses[field]
  if not use then
    local storages, fields = self.storages, self.fields
    use = { number = #storages, is_read = false, is_written = false, version = 0, storage = false }
    use.storage = self.storage_uses[field.storage] or use
    self.uses[field], self.storage_uses[field.storage] = use, use.storage
    storages[use.number + 1] = use.storage.number * 16 + (field.plain and field.value_type.lanes or 0)
    fields[#fields + 1], fields[#fields + 2] = field.component, field.name
  end
  return use
end

-- Returns the number of a component for FIND or HAS, from 0.
local function component_number(self, name)
  local components = self.components
  for number = 1, #components do
    if components[number] == name then return number - 1 end
  end
  components[#components + 1] = name
  return #components - 1
end

local function append_load(self, kind, field, use, row)
  local type = field.value_type
  local lanes, value = type.lanes, new_value(type, type.lanes)
  for lane = 1, lanes do value[lane] = new_node(self) end
  append(self, self.code, kind, value[1], use.number, 0, lanes, row)
  return value
end

-- Returns the key of the value that a field has after the stores so far.
local function field_key(use)
  return -(use.storage.version * NODES + use.number) - 1 -- keys of operations are not negative
end

-- Returns the value that a store left in a field. `store` has the stored lanes from `first` (0) on, and the value of
-- all lanes before the store.
local function value_after(self, field, store)
  local value = new_value(field.value_type, #store.before)
  for lane = 1, #store.before do
    local node = store.lanes[lane - store.first]
    if node and field_types[field.type].lane ~= "double" then node = node_of(self, ROUND, node, 0, 0) end
    value[lane] = node or store.before[lane]
  end
  return value
end

-- Returns the value of a field of the entity if it was loaded or stored before, else nil.
local function known_value(self, field, key)
  local known = self.known
  local value = known[key]
  if value and value.before then
    value = value_after(self, field, value)
    known[key] = value
  end
  return value
end

--- Returns the value of a field of the entity.
function Builder:load(field)
  local use = use_of(self, field)
  local key = field_key(use)
  use.is_read = true
  local value = known_value(self, field, key)
  if not value then
    value = append_load(self, LOAD, field, use)
    self.known[key] = value
  end
  return value
end

-- Returns the node of an operation that has no equal operations except those of the same key.
local function shared(self, key, op, a, b)
  local known = self.known
  if not known[key] then known[key] = append(self, self.code, CODES[op], new_node(self), a, b) end
  return known[key]
end

--- Returns whether the text writes a field, or another one of its storage.
function Builder:is_written(field) return use_of(self, field).storage.version > 0 end

--- Returns the value of a field of another entity.
function Builder:load_at(entity, field)
  local use = use_of(self, field)
  use.is_read = true
  local id = self.variables[entity[1]] or entity[1]
  local number = component_number(self, field.component)
  local row = shared(self, "find " .. number .. "#" .. id, "FIND", number, entity[1])
  local known, key = self.known, "at " .. field.path .. "#" .. id
  if not known[key] then known[key] = append_load(self, LOAD_AT, field, use, row) end
  return known[key]
end

--- Returns the entity itself.
function Builder:self()
  return { type = types.entity, shared(self, "self", "SELF") }
end

--- Returns whether the entity has an optional component.
function Builder:has(component)
  return { type = types.boolean, shared(self, "has " .. component, "HAS", component_number(self, component)) }
end

--- Returns a random number for a place in the text.
function Builder:random(place, seed)
  return { type = types.number, append(self, self.code, CODES.RANDOM, new_node(self), place, seed[1]) }
end

-- Statements ---------------------------------------------------------------------------------------------------------

--- Begins a statement at a line of the text. Stores name it in errors.
function Builder:statement(line)
  self.statements = self.statements + 1
  self.line = line
end

-- Returns a value whose nodes do not change when a variable does, except those that are already in their place.
local function settle(self, value, place)
  local lanes = #value
  local settled = new_value(value.type, lanes)
  for lane = 1, lanes do
    local node = value[lane]
    if self.variables[node] and not (place and place[lane] == node) then
      node = append(self, self.code, MOVE, new_node(self), node)
    end
    settled[lane] = node
  end
  return settled
end

--- Appends a store of lanes from `first` (0) on. Later loads in the branch take the stored value, if every match has
-- the component (`is_required`).
function Builder:store(field, first, value, is_required)
  local use = use_of(self, field)
  local before = #value == field.value_type.lanes and value or known_value(self, field, field_key(use))
  use.is_written, use.storage.version = true, use.storage.version + 1
  append(self, self.code, STATEMENT, first, self.statements, self.line)
  append(self, self.code, STORE, use.number, value[1], value[2], value[3], value[4])
  self.operations = self.operations - 1 -- STATEMENT computes nothing
  if field.plain and is_required and before then
    self.known[field_key(use)] = { first = first, lanes = settle(self, value), before = before }
  end
end

--- Declares a local of the current branch.
function Builder:declare(value)
  return { type = value.type, depth = #self.branches, value = settle(self, value) }
end

-- Inserts a MOVE before the outermost branch that opened after a local was declared.
local function move_before(self, depth, variable, node)
  local code, place = self.code, self.branches[depth + 1]
  append(self, code, MOVE, variable, node)
  for item = #code, place + ITEMS, -1 do code[item] = code[item - ITEMS] end
  code[place], code[place + 1], code[place + 2] = MOVE, variable, node
  code[place + 3], code[place + 4], code[place + 5] = 0, 0, 0
  for inner = depth + 1, #self.branches do self.branches[inner] = self.branches[inner] + ITEMS end
end

-- Makes a local a variable, with its value from before the outermost branch that opened after its declaration.
local function make_variable(self, symbol)
  local variable = { type = symbol.type }
  for lane, node in ipairs(symbol.value) do
    local fresh = new_node(self)
    variable[lane], self.variables[fresh] = fresh, fresh
    move_before(self, symbol.depth, fresh, node)
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
    if node ~= old[lane] then
      local variable = append(self, self.code, MOVE, symbol.value[lane], node)
      self.variables[variable] = new_node(self) -- operations on the contents until now are no longer equal
    end
  end
end

-- Begins a part of the innermost branch with the operations that are known outside.
local function open(self)
  self.known = setmetatable({}, { __index = self.outer[#self.branches] })
end

--- Opens a branch for the entities whose condition is true.
function Builder:open_branch(condition)
  local depth = #self.branches + 1
  self.branches[depth], self.outer[depth] = #self.code + 1, self.known -- the place of the IF
  append(self, self.code, CODES.IF, 0, condition[1])
  open(self)
end

--- Begins the part of the branch for the remaining entities.
function Builder:other_branch()
  append(self, self.code, CODES.ELSE, 0)
  open(self)
end

--- Restricts the part after other_branch to the entities whose condition is true.
function Builder:else_if(condition)
  append(self, self.code, CODES.ELSE_IF, 0, condition[1])
end

--- Closes the branch.
function Builder:close_branch()
  local depth = #self.branches
  append(self, self.code, CODES.END, 0)
  self.known, self.branches[depth], self.outer[depth] = self.outer[depth], nil, nil
end

return builder
