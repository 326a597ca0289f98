--- Methods that LuaJIT compiles: entities:alive, alive_id, m:has, row_of_id, field accessors, column views, loops and
-- their items, calls of formulas, grid readers. The core uses them for objects that it makes while the JIT compiler is
-- on, and its own methods otherwise.
-- Contains no rules: every case but the common one calls the core.

local core = require "cuttle.core"

-- The core returns this table only once, so that scripts cannot reach data that compiled code trusts. Nil if this
-- module is loaded again: then the methods of the first load remain.
local compiled = core.take_compiled and core.take_compiled()
local has_ffi, ffi = pcall(require, "ffi")

-- CT_VERSION of the core to which these files belong.
local VERSION = "0.1.0"

-- Version of the memory layout that this file, columns.lua, items.lua and grid_readers.lua assume: CT_COMPILED_LAYOUT.
local LAYOUT = 13
if core.VERSION ~= VERSION or not core.take_compiled or compiled and compiled.layout ~= LAYOUT then
  error("cuttle.core and the Lua files of cuttle have different versions: install both from one version", 0)
end
if not compiled or not jit or not has_ffi then return end

local bit = require "bit"

local tobit, band, rshift = bit.tobit, bit.band, bit.rshift
-- Locals: a script that replaces these globals must not receive the core's functions.
local assert, getmetatable, ipairs, loadstring, pcall, require, select, setmetatable, tostring, type =
  assert, getmetatable, ipairs, loadstring, pcall, require, select, setmetatable, tostring, type
local gsub, concat = string.gsub, table.concat
local status = jit.status
local NOBODY = 0xFFFFFFFF

compiled.load_number = (compiled.load_number or 0) + 1
do
  local lanes = require "cuttle.lanes"()
  require "cuttle.columns"(compiled, compiled.load_number, lanes)
  require "cuttle.items"(compiled, compiled.load_number, lanes)
end
require "cuttle.grid_readers"(compiled, compiled.load_number)

local function core_function(c_type, name)
  return ffi.cast(c_type, ffi.cast("void **", compiled.addresses[name])[0])
end

-- Compiled code cannot convert an entity to a number, but it can store it in a table, the mailbox, where the core reads
-- it. A method stores its target, calls the core, and clears the mailbox. In the interpreter, a debug hook may call
-- methods between these steps; then the core finds an empty mailbox and refuses. The mailbox is cleared only after a
-- test of the result: LuaJIT removes a store that is followed by another one without a test in between.
local mailbox, box = compiled.open_mailbox()
box = ffi.cast("void **", box)[0]

-- ------------------------------------------------------------------------------------------------ objects

-- Returns a table from objects to pointers to their structs, and a function that fills it. Methods never cast `self`,
-- which may be any value. The keys are weak. The memory behind the pointer lives as long as the object, even after the
-- object was finalized.
local function new_pointers(c_type, pointer)
  local pointers, c_pointer = setmetatable({}, { __mode = "k" }), ffi.typeof(c_type)
  -- Adds the pointer of an object and returns it, or returns nil for a value of another type.
  local function find_pointer(self)
    local bytes = pointer(self)
    if not bytes then return nil end
    pointers[self] = ffi.cast(c_pointer, ffi.cast("void **", bytes)[0])
    return pointers[self]
  end
  return pointers, find_pointer
end

-- The first members of ct_entity_manager.
local managers_of_entities, find_entities = new_pointers("struct { const uint16_t *slots; int32_t used, moves; } *",
  compiled.entities_pointer)

-- Members of ct_bind_manager.
local managers, find_manager = new_pointers(([[
  union {
    struct { char before_destroyed[%d]; const char *destroyed; };
    struct { char before_definition[%d]; uint32_t definition; };
  } *]]):format(compiled.offsets.destroyed, compiled.offsets.definition), compiled.manager_pointer)

-- ------------------------------------------------------------------------------------------------ EntityManagers

local posted_alive = core_function("int32_t (*)(void *, const void *)", "posted_alive")

-- Returns whether a 30-bit id is alive, or nil if the slots were reallocated meanwhile. In the interpreter, loading
-- their address allocates and may run a finalizer; no other step does (see columns.lua).
local function alive(entities, id)
  local index, moves, slots = band(id, 0x3FFFFF), entities.moves, entities.slots
  if entities.moves ~= moves then return nil end
  return index < entities.used and slots[index] == rshift(id, 22)
end

local function compile_entity_managers(methods)
  local c_alive, c_alive_id = methods.alive, methods.alive_id

  function methods.alive(self, ...)
    local e = ...
    local entities = managers_of_entities[self] or find_entities(self)
    if entities then
      mailbox[1] = e
      local result = posted_alive(box, entities)
      if result >= 0 then
        mailbox[1] = false
        return result == 1
      end
      mailbox[1] = false
    end
    return c_alive(self, ...)
  end

  function methods.alive_id(self, ...)
    local id = ...
    local entities = managers_of_entities[self] or find_entities(self)
    if entities and type(id) == "number" then
      local bits = tobit(id)
      if bits == id and bits >= 0 then
        local result = alive(entities, bits)
        if result ~= nil then return result end
      elseif id == NOBODY then
        return false
      end
    end
    return c_alive_id(self, ...)
  end
end

-- ------------------------------------------------------------------------------------------------ rows

local posted_has = core_function("int32_t (*)(void *, const void *)", "posted_has")
local posted_instance = core_function("double (*)(void *, const void *)", "posted_instance")
local row_of_id = core_function("int32_t (*)(const void *, uint32_t)", "row_of_id")

local function compile_managers(methods)
  local c_has, c_lookup, c_row_of_id = methods.has, methods.lookup, methods.row_of_id

  function methods.has(self, ...)
    local e = ...
    local manager = managers[self] or find_manager(self)
    if manager then
      mailbox[1] = e
      local result = posted_has(box, manager)
      if result >= 0 then
        mailbox[1] = false
        return result == 1
      end
      mailbox[1] = false
    end
    return c_has(self, ...)
  end

  function methods.lookup(self, ...)
    local e = ...
    local manager = managers[self] or find_manager(self)
    if manager and select("#", ...) == 1 then
      mailbox[1] = e
      local instance = posted_instance(box, manager)
      if instance >= -1 then
        mailbox[1] = false
        if instance >= 0 then return instance end
        return nil
      end
      mailbox[1] = false
    end
    return c_lookup(self, ...)
  end

  function methods.row_of_id(self, ...)
    local id = ...
    local manager = managers[self] or find_manager(self)
    if manager and type(id) == "number" then
      local bits = tobit(id)
      if bits == id and bits >= 0 then
        local row = row_of_id(manager, bits)
        if row >= 0 then return row end
        if row == -1 then return nil end
      elseif id == NOBODY and manager.destroyed == nil then
        return nil
      end
    end
    return c_row_of_id(self, ...)
  end
end

-- ------------------------------------------------------------------------------------------------ fields

local read_number = core_function("double (*)(void *, const void *, uint32_t)", "posted_number")
local READ_NUMBERS = "int32_t (*)(void *, const void *, uint32_t, double *)"
local read_numbers = core_function(READ_NUMBERS, "posted_numbers")
local read_pose = core_function(READ_NUMBERS, "posted_pose")
local write_numbers = core_function("int32_t (*)(void *, const void *, uint32_t, double, double, double, double)",
  "posted_write")

-- Buffer for the numbers of a field.
local numbers = ffi.new "double[16]"

-- Source text of a method. Each method is compiled from its own text, so that its numbers are constants for LuaJIT, and
-- call sites of one method are not slowed down by the others. $expected tests whether the core did its part.
local METHOD = [[
local managers, find_manager, mailbox, box, call, numbers, map, method, select, type = ...
return function(self, ...)
  local target$arguments = ...
  local manager = managers[self] or find_manager(self)
  if manager and manager.definition == $definition$condition then
    mailbox[1] = target
    local result = call(box, manager, $field$values)
    if result == $expected then
      $results
    end
    mailbox[1] = false
  end
  return method(self, ...)
end]]

local RETURN = [[
mailbox[1] = false
      return $]]

-- A debug hook that calls this method overwrites the numbers, and clears the mailbox.
local RETURN_NUMBERS = [[
local $names = $numbers
      if mailbox[1] == target then
        mailbox[1] = false
        return $names
      end]]

local LANES = { "x", "y", "z", "w" }

-- Joins copies of a pattern; $ stands for the name or number of each of `count` items.
local function listed(count, pattern, separator, names)
  local texts = {}
  for i = 1, count do texts[i] = gsub(pattern, "%$", names and names[i] or tostring(i - 1)) end
  return concat(texts, separator)
end

local function compile_method(methods, name, parts, call, map)
  local text = gsub(METHOD, "%$(%l+)", parts)
  methods[name] = assert(loadstring(text, "=cuttle." .. name))(managers, find_manager, mailbox, box, call,
    numbers, map, methods[name], select, type)
end

-- Compiles a method that reads `count` numbers of item `number` of the definition.
local function compile_reader(methods, name, definition, number, count, call)
  local results = gsub(RETURN_NUMBERS, "%$(%l+)", {
    names = listed(count, "n$", ", "), numbers = listed(count, "numbers[$]", ", "),
  })
  return compile_method(methods, name, { definition = definition, field = number, arguments = "", condition = "",
    values = ", numbers", expected = "1", results = results }, call)
end

local function compile_getter(methods, name, definition, field, lanes, kind)
  if lanes > 1 then return compile_reader(methods, name, definition, field, lanes, read_numbers) end
  local result = kind == "number" and "result" or kind == "bool" and "result ~= 0" or "map[result + 1]"
  local results = gsub(RETURN, "%$", result)
  return compile_method(methods, name, { definition = definition, field = field, arguments = "", condition = "",
    values = "", expected = "result", results = results }, read_number, type(kind) == "table" and kind or nil)
end

local function compile_setter(methods, name, definition, field, lanes, kind)
  local map
  if lanes > 4 then return end
  local parts = { definition = definition, field = field, expected = "1", results = (gsub(RETURN, "%$", "")) }
  parts.arguments = ", " .. listed(lanes, "$", ", ", LANES)
  parts.condition = " and select(\"#\", ...) == " .. lanes + 1
  parts.values = parts.arguments .. (", 0"):rep(4 - lanes)
  if type(kind) == "table" then
    map = {}
    for i, label in ipairs(kind) do map[label] = i - 1 end
    parts.condition = parts.condition .. " and map[x]"
    parts.values = ", map[x], 0, 0, 0"
  elseif kind == "bool" then
    parts.condition = parts.condition .. ' and type(x) == "boolean"'
    parts.values = ", x and 1 or 0, 0, 0, 0"
  else
    parts.condition = parts.condition .. listed(lanes, ' and type($) == "number"', "", LANES)
  end
  return compile_method(methods, name, parts, write_numbers, map)
end

function compiled.accessor(methods, name, sets, definition, field, lanes, kind)
  return (sets and compile_setter or compile_getter)(methods, name, definition, field, lanes, kind)
end

-- Parts of a pose in the order of ct_transform_part, each with its number of values.
local POSES = { "world_position", 3, "world_rotation", 4, "world_scale", 3, "world_angle", 1, "local_angle", 1,
  "pose_2d", 5 }

function compiled.own_methods(methods, type_name, definition)
  if type_name ~= "transform" then return end
  for i = 1, #POSES, 2 do
    compile_reader(methods, POSES[i], definition, (i - 1) / 2, POSES[i + 1], read_pose)
  end
end

-- ------------------------------------------------------------------------------------------------ fields of matches

-- The number of values up to which the buffer between the core and a table is kept.
local MOST_KEPT_NUMBERS = 2 ^ 17

-- Copies the values of a table to a buffer. Returns whether all are numbers.
local function pack(values, to, count)
  for i = 1, count do
    local value = values[i]
    if type(value) ~= "number" then return false end
    to[i - 1] = value
  end
  return true
end

-- read and write of queries: the core reads or writes a buffer of doubles, and compiled loops copy it. Tables with a
-- metatable are left to the methods in C, which use raw accesses.
local function compile_queries(methods)
  local c_read, c_write = methods.read, methods.write
  local read_packed, packed_room, write_packed = compiled.read_packed, compiled.packed_room, compiled.write_packed
  local doubles = ffi.typeof "double *"
  local kept -- buffer, a userdata; nil while it is in use, because a finalizer may call these methods

  function methods.read(self, ...)
    local path, out = ...
    if getmetatable(out) == nil then
      local buffer = kept
      kept = nil
      local ok, result, matches, count, packed = pcall(read_packed, self, path, out, buffer)
      if ok and result then
        local from = ffi.cast(doubles, packed)
        for i = 1, count do result[i] = from[i - 1] end
        kept = count <= MOST_KEPT_NUMBERS and packed or nil
        return result, matches
      end
      kept = buffer
    end
    return c_read(self, ...)
  end

  function methods.write(self, ...)
    local path, values = ...
    if type(values) == "table" and getmetatable(values) == nil then
      local buffer, matches = kept, nil
      kept = nil
      local ok, count, packed = pcall(packed_room, self, path, buffer)
      if ok and count and #values == count and pack(values, ffi.cast(doubles, packed), count) then
        ok, matches = pcall(write_packed, self, path, packed, count)
        kept = count <= MOST_KEPT_NUMBERS and packed or nil
      else
        kept = buffer
      end
      if ok and matches then return matches end
    end
    return c_write(self, ...)
  end
end

-- ------------------------------------------------------------------------------------------------ formulas

local run_formula = core_function("int32_t (*)(void *)", "run_formula")
local formulas, find_formula = new_pointers("void *", compiled.formula_pointer)

local function compile_formulas(class)
  local c_call = class.__call

  function class.__call(self, ...)
    local formula = formulas[self] or find_formula(self)
    if formula and select("#", ...) == 0 then
      local count = run_formula(formula)
      if count >= 0 then return count end
    end
    return c_call(self, ...)
  end
end

-- Methods of classes, if the compiler is on from the start.
if status() then
  compile_queries(compiled.methods.Query)
  compile_formulas(compiled.formula_class)
  compile_entity_managers(compiled.methods.EntityManager)
  compile_managers(compiled.methods["component manager"])
end

-- ------------------------------------------------------------------------------------------------ iterators

-- Makes the iterator of a loop whose steps run in the core: `step` is one function for all loops of a kind.
function compiled.iterator(first, second, step)
  return function()
    return step(first, second)
  end
end

-- Warm-up: LuaJIT must not treat the first closures as constants.
for _ = 1, 8 do compiled.iterator() end

function compiled.enabled()
  return (status())
end
