--- Methods that LuaJIT compiles: entities:alive_id, m:row_of_id, world:rows and column views.
-- The core asks for them when it makes an object while the compiler is on, and keeps its own otherwise.
-- Knows nothing of the rules: all but the common case is left to the core.

local core = require "cuttle.core"

-- Taken out, so that scripts cannot reach what compiled code believes. Gone already when only this module is loaded
-- anew: what is registered stays.
local compiled = core.compiled
core.compiled = nil
local has_ffi, ffi = pcall(require, "ffi")

-- What is said here and in columns.lua of the core's memory must be true of this core: CT_COMPILED_LAYOUT.
local LAYOUT = 1
if compiled and compiled.layout ~= LAYOUT then
  error("cuttle.core is of another version than the Lua files of cuttle: install both from one version", 0)
end
if not compiled or not jit or not has_ffi then return end

local bit = require "bit"

local tobit, band, rshift = bit.tobit, bit.band, bit.rshift
local NOBODY = 0xFFFFFFFF

compiled.load_number = (compiled.load_number or 0) + 1
require "cuttle.columns"(compiled, compiled.load_number)

-- The first members of ct_entity_manager.
local entity_manager = ffi.typeof "struct { const uint16_t *slots; int32_t used; } *"

-- The first member of ct_bind_manager, and what loops watch in a ct_manager.
local manager_type = ("struct { struct { char skipped[%d]; int32_t changes; } *core; }")
  :format(compiled.offsets.changes)
local manager = ffi.typeof(manager_type .. " *")

-- The first members of loop in src/bind/loops.c.
local loop = ffi.typeof(([[
  struct {
    const int32_t *deaths; int32_t deaths_seen, stop;
    struct { %s *manager; int32_t changes, handed, offset; } parts[8];
  } *]]):format(manager_type))

local function core_function(c_type, name)
  return ffi.cast(c_type, ffi.cast("void **", compiled.addresses[name])[0])
end

local row_of_id = core_function("int32_t (*)(const void *, uint32_t)", "row_of_id")
local next_run = core_function("int32_t (*)(void *, int32_t)", "next_run")

-- The makers below get the object and the method of the core. A closure keeps its object, which keeps the memory that
-- the pointer points to, whatever finalizers have done to the object already.

function compiled.alive_id(object, method)
  local entities = ffi.cast(entity_manager, object)
  return function(self, ...)
    local id = ...
    if self == object and type(id) == "number" then
      local bits = tobit(id)
      if bits == id and bits >= 0 then
        local index = band(bits, 0x3FFFFF)
        return index < entities.used and entities.slots[index] == rshift(bits, 22)
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
      elseif id == NOBODY and pointer.core ~= nil then
        return nil
      end
    end
    return method(self, ...)
  end
end

-- ------------------------------------------------------------------------------------------------ world:rows

-- The iterator of a loop over `count` managers. Written out for each count: a loop over the parts would not be
-- unrolled where it matters. Made anew for each loop, with the same code, so LuaJIT must not take the first one for a
-- constant: it gives that up when it has seen several.
local ITERATOR = [[
local next_run, tobit = ...
local function new_iterator(loop, step)
  return function(_, last)
    if last then
      local row = last + 1
      $cores
      if row < loop.stop and loop.deaths[0] == loop.deaths_seen$unchanged then
        local at = tobit(row)
        return row$offsets
      end
    end
    local row = next_run(loop, last or -1)
    local at = row
    if row >= 0 then return row$offsets end
    if row == -2 then return step() end -- raises
  end
end
for _ = 1, 8 do new_iterator() end
return new_iterator
]]

local function write_iterator(count)
  local cores, unchanged, offsets = {}, {}, {}
  for i = 0, count - 1 do
    cores[#cores + 1] = ("local core%d = loop.parts[%d].manager.core"):format(i, i)
    unchanged[#unchanged + 1] = (" and core%d ~= nil and core%d.changes == loop.parts[%d].changes"):format(i, i, i)
    if i > 0 then offsets[#offsets + 1] = (", tobit(at + loop.parts[%d].offset)"):format(i) end
  end
  local source = ITERATOR:gsub("$(%l+)", {
    cores = table.concat(cores, "\n      "),
    unchanged = table.concat(unchanged),
    offsets = table.concat(offsets),
  })
  return assert(loadstring(source, "=cuttle.rows"))(next_run, tobit)
end

local new_iterators = {}

-- `userdata` is the loop, `step` the core's iterator, which keeps it.
function compiled.rows(userdata, count, step)
  local new_iterator = new_iterators[count] or write_iterator(count)
  new_iterators[count] = new_iterator
  return new_iterator(ffi.cast(loop, userdata), step)
end

function compiled.enabled()
  return (jit.status())
end
