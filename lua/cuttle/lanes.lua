--- Field types for Lua code that LuaJIT compiles: their C types, conversions and addresses of items.
-- Does not depend on columns or items of loops.

local field_types = require "cuttle.field_types"
local each = require "cuttle.each"
local ffi = require "ffi"
local bit = require "bit"

-- Locals: a script that replaces these globals must not be able to change what compiled code assumes about memory.
local assert, loadstring, setmetatable, tonumber, type = assert, loadstring, setmetatable, tonumber, type
local format, match = string.format, string.match
local tobit, lshift, floor = bit.tobit, bit.lshift, math.floor
local NOBODY = 0xFFFFFFFF

-- ------------------------------------------------------------------------------------------------ conversion of items
-- Conversions of an item to and from Lua. A conversion to an item returns nil if the core must handle the value. It
-- is complete before a pointer to the item is made, so that compiled code need not keep the pointer for side exits.

local function as_number(value)
  return value
end

local function as_bool(value)
  return value ~= 0
end

-- Entities are loaded as signed integers: except for NOBODY they are small integers, which compiled code handles
-- faster.
local function as_entity(value)
  if value < 0 then return value + 2 ^ 32 end
  return value
end

local function is_number(value)
  return type(value) == "number"
end

-- The only NaN that is stored; LuaJIT would read others as forged values. It is made as a number, not from its bits:
-- compiled code assumes that memory written as one type is never read as another.
local QUIET_NAN = ffi.cast("double *", ffi.new("uint64_t[1]", 0x7FF8000000000000ULL))[0]

local function real(value)
  if type(value) ~= "number" then return nil end
  if value == value then return value end
  return QUIET_NAN
end

-- Checks the range, because an FFI store would wrap silently.
local function whole_within(low, high)
  return function(value)
    if type(value) ~= "number" then return nil end
    local whole = tobit(value)
    if whole ~= value or whole < low or whole > high then return nil end
    return whole
  end
end

local function uint32(value)
  if type(value) ~= "number" or not (value >= 0 and value <= NOBODY) or floor(value) ~= value then return nil end
  return value
end

local function bool(value)
  if type(value) ~= "boolean" then return nil end
  return value and 1 or 0
end

local function entity(value)
  if type(value) ~= "number" then return nil end
  local id = tobit(value)
  if id == value and id >= 0 and id < 2 ^ 30 then return id end
  if value == NOBODY then return -1 end
  return nil
end

-- ------------------------------------------------------------------------------------------------ types

-- Lane type -> C type, conversion to an item, conversion from an item.
local LANES = {
  float = { "float", real, as_number },
  double = { "double", real, as_number },
  uint32 = { "uint32_t", uint32, as_number },
  bool = { "uint8_t", bool, as_bool },
  entity = { "int32_t", entity, as_entity },
}

-- The offsets of the parts of a vector, by letter, or by number from 1.
local function offsets_of(info)
  local offsets = {}
  for i = 1, info.lanes do offsets[info.parts and info.parts:sub(i, i) or i] = i - 1 end
  return offsets
end

-- Field type -> C type, conversion to an item, conversion from an item; for vectors also the number of lanes and the
-- offsets of the parts. Strings and values have no entry: the C view serves them.
local TYPES = {}
for name, info in each, field_types do
  local lane = LANES[info.lane]
  if info.number and not lane then lane = { info.lane .. "_t", whole_within(info.low, info.high), as_number } end
  if lane and info.lanes > 1 then
    TYPES[name] = { lane[1], lane[2], lane[3], info.lanes, offsets_of(info) }
  else
    TYPES[name] = lane
  end
end

-- Enum types differ in the number of labels.
setmetatable(TYPES, {
  __index = function(types, name)
    local labels = tonumber(match(name, "^enum (%d+)$"))
    if not labels then return nil end
    types[name] = { "uint8_t", whole_within(0, labels - 1), as_number }
    return types[name]
  end,
})

-- Texts of functions from a row to its first item, by the stride in items. They use integers: LuaJIT would multiply in
-- doubles, which makes a loop over vectors twice as slow. They contain no tail call: a hot function that ends with the
-- tail call of a built-in function is traced into its caller, which fails in a loop, and LuaJIT then excludes the
-- function and all loops that call it.
local INDICES = { "row", "lshift(row, 1)", "tobit(lshift(row, 1) + row)", "lshift(row, 2)", [16] = "lshift(row, 4)" }

local function item_function(step)
  local text = "local lshift, tobit = ... return function(row) local item = %s return item end"
  local index = INDICES[step] or "tobit(row * " .. step .. ")"
  return assert(loadstring(format(text, index), "=cuttle.lanes"))(lshift, tobit)
end

local given = { types = TYPES, indices = INDICES, item_function = item_function, is_number = is_number }

--- Returns the table of types and functions on the first call, nil on later ones: compiled code trusts its contents, so
-- scripts must not get it.
return function()
  local lanes = given
  given = nil
  return lanes
end
