--- Registers of a program: converts the operations of a builder into the flat lists that the core runs.
-- Does not depend on the grammar.
-- @module cuttle.formula.registers

local core = require "cuttle.core"
local failure = require "cuttle.failure"
local types = require "cuttle.formula.types"

local registers = {}

--- The largest number of registers of a program.
registers.LIMIT = 1024

local CODES = core.formula.operations

-- Operations that begin, divide or end a branch.
local BRANCHES = { IF = true, ELSE = true, ELSE_IF = true, END = true }

-- All operations in order: those that are computed once, then the others, each branch after the moves that precede it.
local function in_order(build)
  local code, count, nodes = {}, #build.uniform, build.code
  for place = 1, count do code[place] = build.uniform[place] end
  for place = 1, #nodes do
    local node = nodes[place]
    local before = node.before
    for number = 1, before and #before or 0 do
      count = count + 1
      code[count] = before[number]
    end
    count = count + 1
    code[count] = node
  end
  return code
end

local function use(node, place)
  if node and not node.last then node.last = place end
end

-- Whether a result of an operation is used.
local function is_needed(node)
  if node.op == "STORE" or node.op == "RESULT" or BRANCHES[node.op] then return true end
  if not node.value then return (node.variable or node).last end
  for lane = #node.value, 1, -1 do
    if node.value[lane].last then
      node.from, node.to = lane, node.to or lane
    end
  end
  return node.from
end

-- Sets `last` of each node, the place of its last use, and returns the operations that are needed at their places.
local function find_uses(code)
  for place = #code, 1, -1 do
    local node = code[place]
    if not is_needed(node) then
      code[place] = false
    else
      use(node.a, place)
      use(node.b, place)
      use(node.c, place)
      use(node.row, place)
      if node.op == "STORE" or node.op == "RESULT" then
        for lane = 1, #node.value do use(node.value[lane], place) end
      end
    end
  end
end

-- Groups -------------------------------------------------------------------------------------------------------------

-- Whether nodes are already consecutive: lanes of one load, of a parameter, or of a group.
local function is_consecutive(nodes)
  local first = nodes[1]
  local whole = first.load or first.group
  for place = 1, #nodes do
    local node, offset = nodes[place], place - 1
    if first.register then
      if node.register ~= first.register + offset then return false end
    elseif not whole or (node.load or node.group) ~= whole then
      return false
    elseif (node.lane or node.offset) ~= (first.lane or first.offset) + offset then
      return false
    end
  end
  return true
end

-- Makes the nodes of a store a group: nodes of consecutive registers. A node that has another place is copied.
local function group(store, place)
  local nodes = store.value
  if #nodes == 1 or is_consecutive(nodes) then return end
  local all, copied = { size = #nodes }, {}
  store.before, store.value = false, copied
  for offset, node in ipairs(nodes) do
    if node.load or node.group or node.register then
      node = { op = "MOVE", a = node, last = place }
      store.before = store.before or {}
      store.before[#store.before + 1] = node
    end
    node.group, node.offset, copied[offset] = all, offset - 1, node
  end
end

-- Allocation ---------------------------------------------------------------------------------------------------------

local Allocator = {}
Allocator.__index = Allocator

-- Returns the first of `count` consecutive free registers, and takes them.
function Allocator:take(count)
  local register, run = self.first, 0
  while run < count do
    run = self.taken[register + run] and 0 or run + 1
    if run == 0 then
      register = register + 1
      while self.taken[register] do register = register + 1 end
    end
  end
  if register + count > registers.LIMIT then
    failure.raise("the text needs more than %d registers for constants, parameters, locals and intermediate results",
      registers.LIMIT)
  end
  for offset = 0, count - 1 do self.taken[register + offset] = true end
  self.count = math.max(self.count, register + count)
  return register
end

-- Returns the register of a node that is written, and takes one if it has none.
function Allocator:define(node)
  if node.register then return node.register end
  local all = node.group
  if all then
    all.register = all.register or self:take(all.size)
    node.register = all.register + node.offset
  else
    node.register = self:take(1)
  end
  return node.register
end

-- Frees the register of an operand at its last use. Constants, parameters and results for all entities are kept.
function Allocator:release(node, place)
  if node and node.last == place and not node.uniform then
    self.taken[node.register] = nil
    node.last = false
  end
end

-- Frees the registers of a load whose lanes are unused between the used ones.
local function release_gaps(allocator, load)
  for lane = load.from, load.to do
    local node = load.value[lane]
    if not node.last then allocator.taken[node.register] = nil end
  end
end

-- Encoding -----------------------------------------------------------------------------------------------------------

-- Returns a function(key) -> its number from 0, which adds it to `list` as `add` does.
local function numbering(list, add)
  local numbers, count = {}, 0
  return function(key)
    if not numbers[key] then
      numbers[key], count = count, count + 1
      add(list, key)
    end
    return numbers[key]
  end
end

local Encoder = {}
Encoder.__index = Encoder

function Encoder:emit(op, to, a, b, c, d)
  local list, length = self.operations, self.length
  list[length + 1], list[length + 2], list[length + 3] = CODES[op], to, a or 0
  list[length + 4], list[length + 5], list[length + 6] = b or 0, c or 0, d or 0
  self.length = length + 6
  if op ~= "STATEMENT" then self.count = self.count + 1 end
end

local function register_of(node) return node and node.register or nil end

function Encoder:load(node, place)
  local allocator = self.allocator
  local lanes = node.to - node.from + 1
  local first = allocator:take(lanes)
  for lane = node.from, node.to do node.value[lane].register = first + lane - node.from end
  release_gaps(allocator, node)
  self:emit(node.op, first, self.field(node.field), node.from - 1, lanes, register_of(node.row))
  allocator:release(node.row, place)
end

function Encoder:store(node, place)
  local before = node.before
  for number = 1, before and #before or 0 do
    self:emit("MOVE", self.allocator:define(before[number]), before[number].a.register, 0, 1)
  end
  for number = 1, before and #before or 0 do self.allocator:release(before[number].a, place) end
  local first = node.value[1].register
  if node.op == "STORE" then
    if self.statement ~= node.statement then
      self.statement = node.statement
      self:emit("STATEMENT", 0, node.statement, node.line)
    end
    self:emit("STORE", self.field(node.field), first, node.first, #node.value)
  end
  for lane = 1, #node.value do self.allocator:release(node.value[lane], place) end
  return first
end

-- Operations whose operands are not only registers.
local SPECIAL = {
  FIND = function(self, node) return self.component(node.component), node.a.register end,
  HAS = function(self, node) return self.component(node.component) end,
  RANDOM = function(_, node) return node.place, node.a.register end,
  MOVE = function(_, node) return node.a.register, 0, 1 end,
}

function Encoder:operation(node, place)
  local a, b, c
  if SPECIAL[node.op] then
    a, b, c = SPECIAL[node.op](self, node)
  else
    a, b, c = register_of(node.a), register_of(node.b), register_of(node.c)
  end
  self.allocator:release(node.a, place)
  self.allocator:release(node.b, place)
  self.allocator:release(node.c, place)
  local to = BRANCHES[node.op] and 0 or self.allocator:define(node.variable or node)
  self:emit(node.op, to, a, b, c)
end

-- Gives the constants that are used and all parameters their registers, and returns the values of the constants.
local function allocate_fixed(build, allocator)
  local constants = {}
  for _, node in ipairs(build.constants) do
    if node.last then
      node.register, constants[#constants + 1] = allocator:take(1), node.number
      allocator.first = allocator.count
    end
  end
  for _, node in ipairs(build.parameters) do
    node.register = allocator:take(1)
    allocator.first = allocator.count
  end
  return constants
end

--- Returns the program of a builder, without the values of its parameters.
-- @tparam table build
-- @tparam[opt] table result the value of an expression
-- @treturn table `constants`, `fields`, `components`, `registers`, `operations`, `result`: see core.formula.new
-- @treturn number how many operations it has
-- @treturn number how many registers are temporaries
function registers.program(build, result)
  local allocator = setmetatable({ taken = {}, first = 0, count = 0 }, Allocator)
  local fields, components = {}, {}
  local self = setmetatable({ allocator = allocator, operations = {}, length = 0, count = 0 }, Encoder)
  self.field = numbering(fields, function(list, field)
    list[#list + 1], list[#list + 2] = field.component, field.name
  end)
  self.component = numbering(components, function(list, name) list[#list + 1] = name end)
  local code, shown = in_order(build), nil
  if result then code[#code + 1] = { op = "RESULT", value = result } end
  find_uses(code)
  local constants = allocate_fixed(build, allocator)
  for place = 1, #code do
    local node = code[place]
    if node and (node.op == "STORE" or node.op == "RESULT") then group(node, place) end
  end
  for place = 1, #code do
    local node = code[place]
    if node and node.value and node.field and node.op ~= "STORE" then
      self:load(node, place)
    elseif node and node.value then
      shown = { self:store(node, place), #node.value }
    elseif node then
      self:operation(node, place)
    end
  end
  if result then shown[3] = result.type == types.boolean and "boolean" or "number" end
  return { constants = constants, fields = fields, components = components, registers = allocator.count,
    operations = self.operations, result = result and shown or nil },
    self.count, allocator.count - #constants - #build.parameters
end

return registers
