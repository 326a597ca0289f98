--- Registers of a program: converts the operations of a builder into the flat lists that the core runs.
-- Does not depend on the grammar.
-- @module cuttle.formula.registers

local builder = require "cuttle.formula.builder"
local core = require "cuttle.core"
local failure = require "cuttle.failure"
local types = require "cuttle.formula.types"

local new_table = core.formula.table

local registers = {}

--- The largest number of registers of a program.
registers.LIMIT = 1024

local CODES, ITEMS = core.formula.operations, builder.ITEMS
local LAST_LANE, STATEMENT, LOAD, STORE, FIND, LOAD_AT, HAS, RANDOM, MOVE =
  CODES.SELECT, CODES.STATEMENT, CODES.LOAD, CODES.STORE, CODES.FIND, CODES.LOAD_AT, CODES.HAS, CODES.RANDOM, CODES.MOVE

-- Operations that begin, divide or end a branch, and the change of the depth from the end of the text.
local BRANCHES = { [CODES.IF] = -1, [CODES.ELSE] = 0, [CODES.ELSE_IF] = 0, [CODES.END] = 1 }

-- The kind of an operation that is not needed; no kind of the core.
local DROPPED = 65536

-- A program in work:
--
-- - `last`: node -> the place of the operation that uses it last, where its register becomes free
-- - `register`: node -> its register; `taken`: the set of registers in use; `free`: none below this one is free
-- - `groups`: node -> the array of nodes that get consecutive registers with it

-- Uses ---------------------------------------------------------------------------------------------------------------

-- Sets the last use of each lane of a value.
local function use_value(last, value, place)
  for lane = 1, #value do
    local node = value[lane]
    last[node] = last[node] or place
  end
end

local function is_used(last, value)
  for lane = 1, #value do
    if last[value[lane]] then return true end
  end
  return false
end

-- Whether a later store writes all lanes of a field for all matches, before the field is loaded. `overwritten` has such
-- fields; it is extended if this store is one.
local function is_overwritten(overwritten, field, value, depth)
  if overwritten[field.storage] == field then return true end
  if depth == 0 and field.plain and #value == field.value_type.lanes then overwritten[field.storage] = field end
  return false
end

-- Finds the last uses in a list of operations, and drops operations without a use.
local function find_uses(last, code)
  local overwritten, depth = {}, 0
  for place = #code - ITEMS + 1, 1, -ITEMS do
    local kind, to, a, b, c = code[place], code[place + 1], code[place + 2], code[place + 3], code[place + 4]
    if kind <= LAST_LANE then
      if last[to] then
        last[a], last[b], last[c] = last[a] or place, last[b] or place, last[c] or place
      else
        code[place] = DROPPED
      end
    elseif kind == LOAD or kind == LOAD_AT then
      local row = code[place + 5]
      if is_used(last, to) then
        last[row], overwritten[a.storage] = last[row] or place, nil
      else
        code[place] = DROPPED
      end
    elseif kind == STORE then
      if is_overwritten(overwritten, to, a, depth) then code[place] = DROPPED else use_value(last, a, place) end
    elseif BRANCHES[kind] then
      depth = depth + BRANCHES[kind]
      last[a] = last[a] or place
    elseif last[to] then
      local operand = (kind == FIND or kind == RANDOM) and b or kind ~= HAS and a or 0
      last[operand] = last[operand] or place
    else
      code[place] = DROPPED
    end
  end
end

-- Registers ----------------------------------------------------------------------------------------------------------

-- Returns the first of `count` consecutive free registers, and takes them.
local function take(self, count)
  local taken, register, run = self.taken, self.free, 0
  while run < count do
    if taken[register + run] then
      register, run = register + run + 1, 0
    else
      run = run + 1
    end
  end
  local stop = register + count
  if stop > self.count then
    self.count = stop
    if stop > registers.LIMIT then
      failure.raise("the text needs more than %d registers for constants, parameters, locals and intermediate results",
        registers.LIMIT)
    end
  end
  for place = register, stop - 1 do taken[place] = true end
  if register == self.free then self.free = stop end
  return register
end

-- Takes registers for the lanes from `first` to `last` of a value.
local function take_lanes(self, value, first, last)
  local from = take(self, last - first + 1) - first
  for lane = first, last do self.register[value[lane]] = from + lane end
end

-- Returns the register of a node that is written, and takes one if it has none.
local function define(self, node)
  local register = self.register
  if not register[node] then
    local group = self.groups[node]
    if group then take_lanes(self, group, 1, #group) else register[node] = take(self, 1) end
  end
  return register[node]
end

-- Frees the register of a node after its last use. Constants, parameters and results for all entities keep theirs.
local function free(self, node)
  if self.uniform[node] then return end
  local register = self.register[node]
  self.taken[register], self.last[node] = nil, nil
  if register < self.free then self.free = register end
end

-- Gives the nodes of a list registers that are never free again. Returns the nodes' numbers, if `numbers` has them.
local function take_fixed(self, nodes, is_needed, numbers)
  local values = {}
  for place = 1, #nodes do
    local node = nodes[place]
    if is_needed or self.last[node] then self.register[node], values[#values + 1] = take(self, 1), numbers[node] end
  end
  return values
end

-- Groups -------------------------------------------------------------------------------------------------------------

-- Whether nodes will have consecutive registers: those of parameters, of one load, or of a group.
local function is_consecutive(self, nodes)
  local first = nodes[1]
  local register, whole = self.register[first], self.groups[first] or self.loads[first]
  if not (register or whole) then return false end
  local offset = 0
  while not register and whole[offset + 1] ~= first do offset = offset + 1 end
  for place = 2, #nodes do
    if register and self.register[nodes[place]] ~= register + place - 1 then return false end
    if not register and whole[offset + place] ~= nodes[place] then return false end
  end
  return true
end

-- Makes the nodes of a stored value a group of consecutive registers. Returns the group; its nodes differ from those of
-- the value where these have another place, so that they are copied.
local function group(self, value)
  if #value == 1 or is_consecutive(self, value) then return value end
  local nodes, groups = {}, self.groups
  for lane = 1, #value do
    local node = value[lane]
    if self.loads[node] or groups[node] or self.register[node] then
      self.nodes = self.nodes + 1
      node = self.nodes
    end
    nodes[lane], groups[node] = node, nodes
  end
  return nodes
end

-- Encoding -----------------------------------------------------------------------------------------------------------

local function emit(self, kind, to, a, b, c, d)
  local list, length = self.operations, self.length
  list[length + 1], list[length + 2], list[length + 3] = kind, to, a
  list[length + 4], list[length + 5], list[length + 6] = b, c, d
  self.length, self.emitted = length + ITEMS, self.emitted + 1
end

-- Returns the number of a field, from 0.
local function field_number(self, field)
  local fields = self.fields
  local number = self.numbers[field]
  if not number then
    number = #fields / 2
    self.numbers[field] = number
    fields[#fields + 1], fields[#fields + 2] = field.component, field.name
  end
  return number
end

-- Returns the number of a component, from 0.
local function component_number(self, name)
  local components = self.components
  for number = 1, #components do
    if components[number] == name then return number - 1 end
  end
  components[#components + 1] = name
  return #components - 1
end

local function load(self, place, kind, value, field, row)
  local last, register = self.last, self.register
  local from, to = 1, #value
  while not last[value[from]] do from = from + 1 end
  while not last[value[to]] do to = to - 1 end
  take_lanes(self, value, from, to)
  for lane = from, to do
    if not last[value[lane]] then free(self, value[lane]) end
  end
  emit(self, kind, register[value[from]], field_number(self, field), from - 1, to - from + 1, register[row])
  if last[row] == place then free(self, row) end
end

-- Copies the nodes of a value to its group, and frees their registers. Returns the first register.
local function gather(self, value, nodes, place)
  local last = self.last
  for lane = 1, #value do
    if nodes[lane] ~= value[lane] then
      emit(self, MOVE, define(self, nodes[lane]), self.register[value[lane]], 0, 1, 0)
      last[nodes[lane]] = place
    end
  end
  for lane = 1, #value do
    if last[value[lane]] == place then free(self, value[lane]) end
    if last[nodes[lane]] == place then free(self, nodes[lane]) end
  end
  return self.register[nodes[1]]
end

local function store(self, place, field, value, first, statement, line)
  local from = gather(self, value, self.stored[place], place)
  if self.statement ~= statement then
    self.statement = statement
    emit(self, STATEMENT, 0, statement, line, 0, 0)
    self.emitted = self.emitted - 1
  end
  emit(self, STORE, field_number(self, field), from, first, #value, 0)
end

-- Operations whose operands are not only registers: their operands, and the node among them.
local function special(self, kind, a, b)
  local register = self.register
  if kind == HAS then return component_number(self, a), 0, 0, 0 end
  if kind == FIND then return component_number(self, a), register[b], 0, b end
  if kind == RANDOM then return a, register[b], 0, b end
  return register[a], 0, kind == MOVE and 1 or 0, a
end

local function encode(self, code)
  local register, last = self.register, self.last
  for place = 1, #code, ITEMS do
    local kind, to, a, b, c = code[place], code[place + 1], code[place + 2], code[place + 3], code[place + 4]
    if kind <= LAST_LANE then
      local first, second, third = register[a], register[b], register[c]
      if last[a] == place then free(self, a) end
      if last[b] == place then free(self, b) end
      if last[c] == place then free(self, c) end
      emit(self, kind, define(self, to), first, second, third, 0)
    elseif kind == LOAD or kind == LOAD_AT then
      load(self, place, kind, to, a, code[place + 5])
    elseif kind == STORE then
      store(self, place, to, a, b, c, code[place + 5])
    elseif kind ~= DROPPED then
      local first, second, third, node = special(self, kind, a, b)
      if last[node] == place then free(self, node) end
      emit(self, kind, BRANCHES[kind] and 0 or define(self, to), first, second, third, 0)
    end
  end
end

--- Returns the program of a builder, without the values of its parameters.
-- @tparam table build
-- @tparam[opt] table result the value of an expression
-- @treturn table `constants`, `fields`, `components`, `registers`, `operations`, `result`: see core.formula.new
-- @treturn number how many operations it has
-- @treturn number how many registers are temporaries
function registers.program(build, result)
  local code, nodes = build.code, build.nodes
  local last, register = new_table(nodes, 1), new_table(nodes, 1)
  local self = { last = last, register = register, taken = new_table(nodes, 1), free = 0, count = 0, groups = {},
    stored = {}, loads = build.loads, uniform = build.uniform, nodes = nodes,
    operations = new_table(#build.uniform_code + #code + build.statements * ITEMS, 0), length = 0, emitted = 0,
    numbers = {}, fields = {}, components = {} }
  register[0] = 0
  if result then use_value(last, result, #code + 1) end
  find_uses(last, code)
  find_uses(last, build.uniform_code)
  local constants = take_fixed(self, build.constants, false, build.numbers)
  take_fixed(self, build.parameters, true, build.numbers)
  for place = 1, #code, ITEMS do
    if code[place] == STORE then self.stored[place] = group(self, code[place + 2]) end
  end
  local result_nodes = result and group(self, result)
  encode(self, build.uniform_code)
  encode(self, code)
  local shown
  if result then
    local first = gather(self, result, result_nodes, #code + 1)
    shown = { first, #result, result.type == types.boolean and "boolean" or "number" }
  end
  return { constants = constants, fields = self.fields, components = self.components, registers = self.count,
    operations = self.operations, result = shown },
    self.emitted, self.count - #constants - #build.parameters
end

return registers
