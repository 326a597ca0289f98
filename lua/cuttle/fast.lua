--- Methods that LuaJIT compiles: entities:alive, alive_id, m:has, row_of_id, field accessors, column views, loops and
-- their items, query:list, calls of formulas, grid readers. The core uses them for objects that it makes while the JIT
-- compiler is on, and its own methods otherwise.
-- Contains no rules: every case but the common one calls the core.

local core = require "cuttle.core"

-- The core returns this table only once, so that scripts cannot reach data that compiled code trusts. Nil if this
-- module is loaded again: then the methods of the first load remain.
local compiled = core.take_compiled and core.take_compiled()
local has_ffi, ffi = pcall(require, "ffi")

-- CT_VERSION of the core to which these files belong.
local VERSION = "1.0.0"

-- Version of the memory layout that this file, columns.lua, items.lua and grid_readers.lua assume: CT_COMPILED_LAYOUT.
local LAYOUT = 21
if core.VERSION ~= VERSION or not core.take_compiled or compiled and compiled.layout ~= LAYOUT then
  error("cuttle.core and the Lua files of cuttle have different versions: install both from one version", 0)
end
if not compiled or not jit or not has_ffi then return end

local bit = require "bit"

local tobit, band, rshift = bit.tobit, bit.band, bit.rshift
-- Locals: a script that replaces these globals must not receive the core's functions.
local assert, getmetatable, ipairs, loadstring, pcall, require, select, setmetatable, tostring, type =
  assert, getmetatable, ipairs, loadstring, pcall, require, select, setmetatable, tostring, type
local format, gsub, concat = string.format, string.gsub, table.concat
local status = jit.status
local NOBODY = 0xFFFFFFFF

-- Compiled code cannot convert an entity to a number, but it can store it in a table, the mailbox, where the core reads
-- it. A method stores its target, calls the core, and clears the mailbox. In the interpreter, a debug hook may call
-- methods between these steps; then the core finds an empty mailbox and refuses. The mailbox is cleared only after a
-- test of the result: LuaJIT removes a store that is followed by another one without a test in between.
local mailbox, box = compiled.open_mailbox()
box = ffi.cast("void **", box)[0]

-- LuaJIT may delay a load from memory of the FFI until its value is used, beyond a call of the FFI that changes this
-- memory, but not beyond a store. Therefore each call of the core that may change such memory follows a store here.
local fence = ffi.new "int32_t[1]"

compiled.load_number = (compiled.load_number or 0) + 1
do
  local lanes = require "cuttle.lanes"()
  require "cuttle.columns"(compiled, compiled.load_number, lanes)
  require "cuttle.items"(compiled, compiled.load_number, lanes, mailbox, box, fence)
end
require "cuttle.grid_readers"(compiled, compiled.load_number)

local function core_function(c_type, name)
  return ffi.cast(c_type, ffi.cast("void **", compiled.addresses[name])[0])
end

-- Buffer for the numbers of a field.
local numbers = ffi.new "double[16]"

-- ------------------------------------------------------------------------------------------------ objects

-- Returns a table from objects to pointers to their structs, and a function that fills it. Methods never cast `self`,
-- which may be any value. The keys are weak. The memory behind the pointer lives as long as the object, even after the
-- object was finalized.
local function new_pointers(c_type, pointer)
  local pointers, c_pointer = setmetatable({}, { __mode = "k" }), ffi.typeof(c_type)
  -- Adds the pointer of an object. Does nothing for a value of another type, and if the pointer is there.
  local function find(self)
    if pointers[self] then return end
    local bytes = pointer(self)
    if bytes then pointers[self] = ffi.cast(c_pointer, ffi.cast("void **", bytes)[0]) end
  end
  return { pointers = pointers, find = find }
end

-- The first members of ct_entity_manager.
local entity_managers = new_pointers("struct { const uint16_t *slots; int32_t used, moves; } *",
  compiled.entities_pointer)

-- Members of ct_bind_manager.
local managers = new_pointers(([[
  union {
    struct { char before_destroyed[%d]; const char *destroyed; };
    struct { char before_definition[%d]; uint32_t definition; };
  } *]]):format(compiled.offsets.destroyed, compiled.offsets.definition), compiled.manager_pointer)

local worlds = new_pointers("void *", compiled.world_pointer)
local templates = new_pointers("void *", compiled.template_pointer)
local queries = new_pointers("void *", compiled.query_pointer)
local formulas = new_pointers("void *", compiled.formula_pointer)
local lists = new_pointers("void *", compiled.list_pointer)

-- C type of most functions that methods call, with the mailbox and the struct of the object.
local TEST = "int32_t (*)(void *, void *)"

-- ------------------------------------------------------------------------------------------------ methods

-- Source text of a method. Each method is compiled from its own text, so that its numbers are constants for LuaJIT, and
-- call sites of one method are not slowed down by the others. $test is whether the core did its part. LuaJIT compiles a
-- function with `...` only as a part of its caller. Therefore the common case is a function with fixed arguments, which
-- is compiled also for callers that LuaJIT interprets. It returns true and the results, or nothing. It calls nothing
-- that LuaJIT cannot compile, not even for the first call of an object: a compiled function with such a call is not
-- compiled into its callers.
local METHOD = [[
local objects, find_object, mailbox, box, call, numbers, map, method, select, type, fence = ...
local function common(self, target$arguments)
  local object = objects[self]
  if object$condition then
    $post
    mailbox[1] = target
    fence[0] = 0
    local result = call(box, object$values)
    $read
    local passed = $test
    $clear
    mailbox[1] = false
    if passed then return true, $results end
  end
end
return function(...)
  local passed, $names
  if $count then passed, $names = common(...) end
  if passed then return $returned end
  find_object((...))
  return method(...)
end]]

local NO_ARGUMENT, ONE_ARGUMENT = 'select("#", ...) == 1', 'select("#", ...) == 2'

-- CT_BIND_SLOT_VALUES: the slot of the mailbox for the values of create.
local VALUES = "mailbox[3]"

local LANES = { "x", "y", "z", "w" }

-- Joins copies of a pattern; $ stands for the name or number of each of `count` items.
local function listed(count, pattern, separator, names)
  local texts = {}
  for i = 1, count do texts[i] = gsub(pattern, "%$", names and names[i] or tostring(i - 1)) end
  return concat(texts, separator)
end

-- Replaces a method by one that calls `call` of the core. `parts` has the parts of its text that are not empty, `kind`
-- the pointers of the objects and the function that finds them.
local function compile_method(methods, name, kind, call, parts, map)
  parts.count, parts.names = parts.count or "true", parts.names or "result"
  parts.returned = parts.results and parts.names
  parts.results = parts.results or "nil"
  local text = gsub(METHOD, "%$(%l+)", function(part) return parts[part] or "" end)
  methods[name] = assert(loadstring(text, "=cuttle." .. name))(kind.pointers, kind.find, mailbox, box, call, numbers,
    map, methods[name], select, type, fence)
end

-- Replaces a method that returns an entity. The core returns the slot of the mailbox that has it: a number that LuaJIT
-- does not know, so that it reads the slot after each call.
local function compile_creator(methods, kind, name, count)
  compile_method(methods, "create", kind, core_function(TEST, name),
    { count = count, test = "result > 0", results = "mailbox[result]" })
end

-- ------------------------------------------------------------------------------------------------ EntityManagers

-- Returns whether a 30-bit id is alive, or nil if the slots were reallocated meanwhile. In the interpreter, loading
-- their address allocates and may run a finalizer; no other step does (see columns.lua).
local function alive(entities, id)
  local index, moves, slots = band(id, 0x3FFFFF), entities.moves, entities.slots
  if entities.moves ~= moves then return nil end
  return index < entities.used and slots[index] == rshift(id, 22)
end

local function compile_entity_managers(methods)
  local c_alive_id, pointers, find_pointer = methods.alive_id, entity_managers.pointers, entity_managers.find

  local function is_alive(self, id) -- fixed arguments: see METHOD
    local entities = pointers[self]
    if entities and type(id) == "number" then
      local bits = tobit(id)
      if bits == id and bits >= 0 then return alive(entities, bits) end
      if id == NOBODY then return false end
    end
  end

  function methods.alive_id(...)
    local result = is_alive(...)
    if result ~= nil then return result end
    find_pointer((...))
    return c_alive_id(...)
  end

  for _, name in ipairs { "alive", "destroy" } do
    compile_method(methods, name, entity_managers, core_function(TEST, "posted_" .. name),
      { count = ONE_ARGUMENT, test = "result >= 0", results = "result == 1" })
  end
  compile_creator(methods, entity_managers, "post_created", NO_ARGUMENT)
end

-- ------------------------------------------------------------------------------------------------ rows

local row_of_id = core_function("int32_t (*)(const void *, uint32_t)", "row_of_id")

local function compile_managers(methods)
  local c_row_of_id, pointers, find_pointer = methods.row_of_id, managers.pointers, managers.find

  local function row_of(self, id) -- fixed arguments: see METHOD
    local manager = pointers[self]
    if manager and type(id) == "number" then
      local bits = tobit(id)
      if bits == id and bits >= 0 then
        local row = row_of_id(manager, bits)
        if row >= 0 then return true, row end
        return row == -1
      end
      return id == NOBODY and manager.destroyed == nil
    end
  end

  function methods.row_of_id(...)
    local passed, row = row_of(...)
    if passed then return row end
    find_pointer((...))
    return c_row_of_id(...)
  end

  local NUMBER = "double (*)(void *, void *)"
  compile_method(methods, "has", managers, core_function(TEST, "posted_has"),
    { test = "result >= 0", results = "result == 1" })
  compile_method(methods, "lookup", managers, core_function(NUMBER, "posted_instance"),
    { count = ONE_ARGUMENT, test = "result >= -1", results = "result >= 0 and result or nil" })
  compile_method(methods, "create", managers, core_function("double (*)(void *, void *, int32_t)", "posted_add"),
    { arguments = ", values", values = ", values ~= nil and 1 or 0", post = VALUES .. " = values",
      clear = VALUES .. " = false", test = "result >= 0", results = "result" })
  compile_method(methods, "destroy", managers, core_function(TEST, "posted_remove"),
    { test = "result >= 0", results = "result" })
end

-- ------------------------------------------------------------------------------------------------ fields

local read_number = core_function("double (*)(void *, const void *, uint32_t)", "posted_number")
local load_number = core_function("double (*)(void *, const void *, uint32_t, uint32_t)", "posted_load")
local store_number = core_function("int32_t (*)(void *, const void *, uint32_t, uint32_t, double)", "posted_store")
local READ_NUMBERS = "int32_t (*)(void *, const void *, uint32_t, double *)"
local read_numbers = core_function(READ_NUMBERS, "posted_numbers")
local read_pose = core_function(READ_NUMBERS, "posted_pose")
local write_number = core_function("int32_t (*)(void *, const void *, uint32_t, double)", "posted_write_number")
local write_numbers = core_function("int32_t (*)(void *, const void *, uint32_t, double, double, double, double)",
  "posted_write")

-- Returns the condition of a method of one definition.
local function of_definition(definition) return " and object.definition == " .. definition end

-- Compiles a method that reads `count` numbers of item `number` of the definition.
local function compile_reader(methods, name, definition, number, count, call)
  local results = listed(count, "n$", ", ")
  -- A debug hook that calls this method overwrites the numbers, and clears the mailbox.
  return compile_method(methods, name, managers, call, { condition = of_definition(definition),
    values = ", " .. number .. ", numbers", read = "local " .. results .. " = " .. listed(count, "numbers[$]", ", "),
    test = "result == 1 and mailbox[1] == target", results = results, names = results })
end

-- Getters and setters of one lane have the column and its C type if they only load or store.
local function compile_getter(methods, name, definition, field, lanes, kind, column, c_type)
  if lanes > 1 then return compile_reader(methods, name, definition, field, lanes, read_numbers) end
  local result = kind == "number" and "result" or kind == "bool" and "result ~= 0" or "map[result + 1]"
  return compile_method(methods, name, managers, column and load_number or read_number, {
    condition = of_definition(definition), values = column and format(", %d, %d", column, c_type) or ", " .. field,
    test = "result == result", results = result }, kind)
end

local function compile_setter(methods, name, definition, field, lanes, kind, column, c_type)
  if lanes > 4 then return end
  local given = ", " .. listed(lanes, "$", ", ", LANES)
  local condition, values, map = listed(lanes, ' and type($) == "number"', "", LANES),
    given .. (", 0"):rep(lanes > 1 and 4 - lanes or 0)
  if type(kind) == "table" then
    condition, values, map = " and map[x]", ", map[x]", {}
    for i, label in ipairs(kind) do map[label] = i - 1 end
  elseif kind == "bool" then
    condition, values = ' and type(x) == "boolean"', ", x and 1 or 0"
  end
  local call, place = lanes > 1 and write_numbers or write_number, ", " .. field
  if column and lanes == 1 then call, place = store_number, format(", %d, %d", column, c_type) end
  return compile_method(methods, name, managers, call, { arguments = given,
    count = 'select("#", ...) == ' .. lanes + 2, condition = of_definition(definition) .. condition,
    values = place .. values, test = "result == 1" }, map)
end

function compiled.accessor(methods, name, sets, ...)
  return (sets and compile_setter or compile_getter)(methods, name, ...)
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

  compile_method(methods, "list", queries, core_function(TEST, "posted_list"),
    { count = ONE_ARGUMENT, test = "result == 1", results = "target" })
end

-- ------------------------------------------------------------------------------------------------ lists

local function compile_lists(methods)
  compile_method(methods, "count", lists, core_function(TEST, "posted_count"),
    { count = NO_ARGUMENT, test = "result >= 0", results = "result" })
  compile_method(methods, "clear", lists, core_function(TEST, "posted_clear"), { count = NO_ARGUMENT, test = "true" })
  compile_method(methods, "add", lists, core_function(TEST, "posted_append"),
    { count = ONE_ARGUMENT, test = "result == 0" })
  compile_method(methods, "get", lists, core_function("int32_t (*)(void *, void *, double)", "post_item"),
    { count = ONE_ARGUMENT, condition = ' and type(target) == "number"', values = ", target", test = "result > 0",
      results = "mailbox[result]" })
end

-- Methods of classes, if the compiler is on from the start.
if status() then
  compile_lists(compiled.methods["cuttle.list"])
  compile_queries(compiled.methods.Query)
  compile_method(compiled.formula_class, "__call", formulas, core_function(TEST, "run_formula"),
    { count = NO_ARGUMENT, test = "result >= 0", results = "result" })
  compile_entity_managers(compiled.methods.EntityManager)
  compile_managers(compiled.methods["component manager"])
  compile_creator(compiled.methods.Template, templates, "post_from_template", NO_ARGUMENT)
  compile_creator(compiled.methods.world, worlds, "post_with_components", ONE_ARGUMENT)
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
