--- Methods that LuaJIT compiles: entities:alive, alive_id, m:has, row_of_id, fields, world:rows, column views,
-- readers of grids.
-- The core asks for them when it makes an object while the compiler is on, and keeps its own otherwise.
-- Knows nothing of the rules: all but the common case is left to the core.

local core = require "cuttle.core"

-- The core gives it once, so that scripts cannot reach what compiled code believes. Given already when only this module
-- is loaded anew: what is registered stays.
local compiled = core.take_compiled and core.take_compiled()
local has_ffi, ffi = pcall(require, "ffi")

-- What is said here, in columns.lua and grid_readers.lua of the core's memory must be true of this core:
-- CT_COMPILED_LAYOUT.
local LAYOUT = 8
if not core.take_compiled or compiled and compiled.layout ~= LAYOUT then
  error("cuttle.core is of another version than the Lua files of cuttle: install both from one version", 0)
end
if not compiled or not jit or not has_ffi then return end

local bit = require "bit"

local tobit, band, rshift = bit.tobit, bit.band, bit.rshift
-- What a script puts in the place of these is not called: it would be given the core's functions.
local assert, loadstring, select, type = assert, loadstring, select, type
local find, format, gsub, sub, concat = string.find, string.format, string.gsub, string.sub, table.concat
local status = jit.status
local NOBODY = 0xFFFFFFFF

compiled.load_number = (compiled.load_number or 0) + 1
require "cuttle.columns"(compiled, compiled.load_number)
require "cuttle.grid_readers"(compiled, compiled.load_number)

-- The first members of ct_entity_manager.
local entity_manager = ffi.typeof "struct { const uint16_t *slots; int32_t used, moves; } *"

-- The first members of ct_bind_manager.
local manager = ffi.typeof "struct { void *core; const char *over; } *"

-- The first members of ct_query in src/storage/query.h, and of ct_manager in what it points to.
local query = ffi.typeof(([[
  struct {
    const int32_t *deaths; int32_t deaths_seen, first, stop, run_limit;
    struct {
      union {
        struct { char before_changes[%d]; int32_t changes; };
        struct { char before_count[%d]; int32_t count; };
      } *manager;
      int32_t changes, handed, end_, offset, role;
    } parts[8];
  } *]]):format(compiled.offsets.changes, compiled.offsets.count))

local function core_function(c_type, name)
  return ffi.cast(c_type, ffi.cast("void **", compiled.addresses[name])[0])
end

local row_of_id = core_function("int32_t (*)(const void *, uint32_t)", "row_of_id")
local next_run = core_function("int32_t (*)(void *, int32_t)", "next_run")

-- Compiled code cannot make a number of an entity. But it can put one into a table, where the core finds it.
local mailbox = compiled.mailbox
local mailbox_thread = ffi.cast("void **", compiled.mailbox_thread)[0]
local posted_id = core_function("int32_t (*)(void *)", "posted_id")

-- The id of an entity, or -1 for any other userdata. That the mailbox holds what was put there is nothing to compiled
-- code; where a debug hook runs in between, that may have used it.
local function id_of(e)
  mailbox[1] = e
  local id = posted_id(mailbox_thread)
  if id < 0 or mailbox[1] ~= e then
    mailbox[1] = false
    return -1
  end
  return id
end

-- The factories below get the object and the method of the core. A closure keeps its object, which keeps the memory
-- that the pointer points to, whatever finalizers have done to the object already.

-- Whether an id of 30 bits is alive; nil when the slots were replaced meanwhile. Loading their address allocates where
-- this is interpreted, and may run a finalizer; nothing else does (see columns.lua).
local function alive(entities, id)
  local index, moves, slots = band(id, 0x3FFFFF), entities.moves, entities.slots
  if entities.moves ~= moves then return nil end
  return index < entities.used and slots[index] == rshift(id, 22)
end

function compiled.alive(object, method)
  local entities = ffi.cast(entity_manager, object)
  return function(self, ...)
    local e = ...
    if self == object and type(e) == "userdata" then
      local id = id_of(e)
      if id >= 0 then
        local answer = alive(entities, id)
        if answer ~= nil then return answer end
      end
    end
    return method(self, ...)
  end
end

function compiled.alive_id(object, method)
  local entities = ffi.cast(entity_manager, object)
  return function(self, ...)
    local id = ...
    if self == object and type(id) == "number" then
      local bits = tobit(id)
      if bits == id and bits >= 0 then
        local answer = alive(entities, bits)
        if answer ~= nil then return answer end
      elseif id == NOBODY then
        return false
      end
    end
    return method(self, ...)
  end
end

function compiled.row_of_id(object, method)
  local pointer = ffi.cast(manager, object)
  return function(self, ...)
    local id = ...
    if self == object and type(id) == "number" then
      local bits = tobit(id)
      if bits == id and bits >= 0 then
        local row = row_of_id(pointer, bits)
        if row >= 0 then return row end
        if row == -1 then return nil end
      elseif id == NOBODY and pointer.over == nil then
        return nil
      end
    end
    return method(self, ...)
  end
end

function compiled.has(object, method)
  local pointer = ffi.cast(manager, object)
  return function(self, ...)
    local e = ...
    if self == object and type(e) == "userdata" then
      local id = id_of(e)
      local row = id >= 0 and row_of_id(pointer, id) or -2
      if row >= 0 then return true end
      if row == -1 then return false end
    end
    return method(self, ...)
  end
end

-- ------------------------------------------------------------------------------------------------ fields

local READ, WRITE = "void (*)(void *, uint32_t, %s, double *)",
  "int32_t (*)(void *, uint32_t, %s, double, double, double, double)"
local read_by_id = core_function(READ:format "uint32_t", "read_by_id")
local read_by_instance = core_function(READ:format "double", "read_by_instance")
local write_by_id = core_function(WRITE:format "uint32_t", "write_by_id")
local write_by_instance = core_function(WRITE:format "double", "write_by_instance")

-- A field is read into here; last comes what was asked about, if it was found.
local numbers, ASKED = ffi.new "double[17]", 16

-- Reads a field of an entity or an instance. What was asked about, or nil.
local function read(pointer, field, target)
  if type(target) == "userdata" then
    local id = id_of(target)
    if id < 0 then return nil end
    read_by_id(pointer, field, id, numbers)
    return id
  end
  if type(target) ~= "number" then return nil end
  read_by_instance(pointer, field, target, numbers)
  return target
end

-- Whether a field of an entity or an instance was written.
local function write(pointer, field, target, x, y, z, w)
  if type(target) == "userdata" then
    local id = id_of(target)
    return id >= 0 and write_by_id(pointer, field, id, x, y, z, w) == 1
  end
  return type(target) == "number" and write_by_instance(pointer, field, target, x, y, z, w) == 1
end

-- By how many numbers an item is.
local GETTERS, SETTERS = {}, {}

GETTERS[1] = function(object, method, pointer, field, is_bool)
  return function(self, ...)
    local asked = self == object and read(pointer, field, (...))
    if asked then
      local number = numbers[0]
      if numbers[ASKED] == asked then
        if is_bool then return number ~= 0 end
        return number
      end
    end
    return method(self, ...)
  end
end

GETTERS[2] = function(object, method, pointer, field)
  return function(self, ...)
    local asked = self == object and read(pointer, field, (...))
    if asked then
      local x, y = numbers[0], numbers[1]
      if numbers[ASKED] == asked then return x, y end
    end
    return method(self, ...)
  end
end

GETTERS[3] = function(object, method, pointer, field)
  return function(self, ...)
    local asked = self == object and read(pointer, field, (...))
    if asked then
      local x, y, z = numbers[0], numbers[1], numbers[2]
      if numbers[ASKED] == asked then return x, y, z end
    end
    return method(self, ...)
  end
end

GETTERS[4] = function(object, method, pointer, field)
  return function(self, ...)
    local asked = self == object and read(pointer, field, (...))
    if asked then
      local x, y, z, w = numbers[0], numbers[1], numbers[2], numbers[3]
      if numbers[ASKED] == asked then return x, y, z, w end
    end
    return method(self, ...)
  end
end

SETTERS[1] = function(object, method, pointer, field)
  return function(self, ...)
    local target, x = ...
    if self == object and select("#", ...) == 2 and type(x) == "number"
      and write(pointer, field, target, x, 0, 0, 0) then
      return
    end
    return method(self, ...)
  end
end

-- Of several numbers.
local function vector_setter(lanes)
  return function(object, method, pointer, field)
    return function(self, ...)
      local target, x, y, z, w = ...
      if self == object and select("#", ...) == lanes + 1 and type(x) == "number" and type(y) == "number"
        and (lanes < 3 or type(z) == "number") and (lanes < 4 or type(w) == "number")
        and write(pointer, field, target, x, y, lanes > 2 and z or 0, lanes > 3 and w or 0) then
        return
      end
      return method(self, ...)
    end
  end
end

for lanes = 2, 4 do SETTERS[lanes] = vector_setter(lanes) end

function compiled.getter(object, method, field, lanes, is_bool)
  local factory = GETTERS[lanes]
  return factory and factory(object, method, ffi.cast(manager, object), field, is_bool) or nil
end

function compiled.setter(object, method, field, lanes, is_bool)
  local factory = not is_bool and SETTERS[lanes]
  return factory and factory(object, method, ffi.cast(manager, object), field) or nil
end

-- ------------------------------------------------------------------------------------------------ iterators

-- The iterator of a loop whose steps are the core's: `step` is one function for all loops of a kind.
function compiled.iterator(first, second, step)
  return function()
    return step(first, second)
  end
end

-- LuaJIT must not take the first ones for constants.
for _ = 1, 8 do compiled.iterator() end

-- ------------------------------------------------------------------------------------------------ world:rows

-- The iterator of a loop over managers in these roles ("+" required, "!" excluded, "?" optional). Written out for each
-- combination: a loop over the parts would not be unrolled where it matters. Made anew for each loop, with the same
-- code, so LuaJIT must not take the first one for a constant: it gives that up when it has seen several.
local ITERATOR = [[
local next_run, tobit, type = ...
local function new_iterator(query, step)
  return function(_, last)
    if type(last) ~= "number" then last = -1 end
    $run
    local row = next_run(query, tobit(last))
    $rows
    if row >= 0 then return row$results end
    if row == -2 then return step() end -- raises
  end
end
for _ = 1, 8 do new_iterator() end
return new_iterator
]]

-- Within a run, where none is optional. The managers are read first: they are the same at every step.
local RUN = [[
    do
      local row = tobit(last + 1)
      $managers
      if row > query.first and row < query.stop and query.deaths[0] == query.deaths_seen$unchanged then
        return row$offsets
      end
    end]]

local function write_iterator(roles)
  local managers, unchanged, offsets, rows, results = {}, {}, {}, {}, {}
  for i = 0, #roles - 1 do
    local role = sub(roles, i + 1, i + 1)
    managers[#managers + 1] = format("local manager%d = query.parts[%d].manager", i, i)
    unchanged[#unchanged + 1] = format(" and manager%d.changes == query.parts[%d].changes", i, i)
    if role == "!" then unchanged[#unchanged + 1] = format(" and manager%d.count == query.parts[%d].end_", i, i) end
    if i > 0 and role ~= "!" then
      offsets[#offsets + 1] = format(", tobit(row + query.parts[%d].offset)", i)
      rows[#rows + 1] = format("local row%d = query.parts[%d].handed", i, i)
      results[#results + 1] = format(role == "?" and ", row%d >= 0 and row%d or nil" or ", row%d", i, i)
    end
  end
  local source = gsub(ITERATOR, "$(%l+)", find(roles, "?", 1, true) and {
    run = "",
    rows = concat(rows, "\n    "),
    results = concat(results),
  } or {
    run = RUN,
    rows = "",
    results = concat(offsets),
  })
  source = gsub(source, "$(%l+)", {
    managers = concat(managers, "\n      "),
    unchanged = concat(unchanged),
    offsets = concat(offsets),
  })
  return assert(loadstring(source, "=cuttle.rows"))(next_run, tobit, type)
end

local new_iterators = {}

-- `userdata` is the loop, which begins with its query, `step` the core's iterator, which keeps it.
function compiled.rows(userdata, roles, step)
  local new_iterator = new_iterators[roles] or write_iterator(roles)
  new_iterators[roles] = new_iterator
  return new_iterator(ffi.cast(query, userdata), step)
end

function compiled.enabled()
  return (status())
end
