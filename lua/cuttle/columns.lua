--- Column views that LuaJIT compiles: FFI data, checked at each access.
-- A view is a cdata that holds nothing but a number. What the number stands for lies in a table that scripts cannot
-- reach; the C core takes it out when the manager goes. All but the common case is left to the C view of the same
-- column, so that both behave alike.
-- Knows nothing of how a manager finds its rows.

local each = require "cuttle.each"
local ffi = require "ffi"
local bit = require "bit"

-- What a script puts in the place of these is not called: what is said of memory here would be the script's word.
local error, ipairs, select, setmetatable, tonumber, tostring, type, unpack =
  error, ipairs, select, setmetatable, tonumber, tostring, type, unpack
local format, match = string.format, string.match
local tobit, rshift, floor = bit.tobit, bit.rshift, math.floor
local ROW_SPAN = 2 ^ 22 -- an instance is row + ROW_SPAN * epoch
local NOBODY = 0xFFFFFFFF

-- ------------------------------------------------------------------------------------------------ writing one number
-- What an item is to Lua, and what is written of a value: nil when that is the C view's business. All is decided before
-- a pointer to the item is made: compiled code then need not keep it for those who leave the trace.

local function as_number(value)
  return value
end

local function as_bool(value)
  return value ~= 0
end

-- Loaded signed: what is nobody's apart, that is a small integer to compiled code, which costs it less.
local function as_entity(value)
  if value < 0 then return value + 2 ^ 32 end
  return value
end

local function is_number(value)
  return type(value) == "number"
end

-- The one NaN that is stored; others are forged values to LuaJIT. As a number and not through its bits: compiled code
-- takes it that memory written as one type is never read as another.
local QUIET_NAN = ffi.cast("double *", ffi.new("uint64_t[1]", 0x7FF8000000000000ULL))[0]

local function real(value)
  if type(value) ~= "number" then return nil end
  if value == value then return value end
  return QUIET_NAN
end

-- An FFI store would wrap silently.
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

local NUMBERED = {}
for i = 1, 16 do NUMBERED[i] = i - 1 end
local XY, XYZ = { x = 0, y = 1 }, { x = 0, y = 1, z = 2 }
local XYZW, RGBA = { x = 0, y = 1, z = 2, w = 3 }, { r = 0, g = 1, b = 2, a = 3 }

-- Type of a field -> C type, what is written, what is loaded; and for vectors how many numbers, and which part has
-- which name.
local TYPES = {
  float = { "float", real, as_number },
  double = { "double", real, as_number },
  int8 = { "int8_t", whole_within(-128, 127), as_number },
  uint8 = { "uint8_t", whole_within(0, 255), as_number },
  int16 = { "int16_t", whole_within(-32768, 32767), as_number },
  uint16 = { "uint16_t", whole_within(0, 65535), as_number },
  int32 = { "int32_t", whole_within(-2 ^ 31, 2 ^ 31 - 1), as_number },
  uint32 = { "uint32_t", uint32, as_number },
  bool = { "uint8_t", bool, as_bool },
  entity = { "int32_t", entity, as_entity },
  vec2 = { "float", real, as_number, 2, XY },
  vec3 = { "float", real, as_number, 3, XYZ },
  vec4 = { "float", real, as_number, 4, XYZW },
  quat = { "float", real, as_number, 4, XYZW },
  color = { "float", real, as_number, 4, RGBA },
  mat4 = { "float", real, as_number, 16, NUMBERED },
}

-- Enums are told apart by how many labels they have.
setmetatable(TYPES, {
  __index = function(types, name)
    local labels = tonumber(match(name, "^enum (%d+)$"))
    if not labels then return nil end
    types[name] = { "uint8_t", whole_within(0, labels - 1), as_number }
    return types[name]
  end,
})

-- How many numbers -> all of them.
local LOADS = {
  [2] = function(item) return item[0], item[1] end,
  [3] = function(item) return item[0], item[1], item[2] end,
  [4] = function(item) return item[0], item[1], item[2], item[3] end,
  [16] = function(m)
    return m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8], m[9], m[10], m[11], m[12], m[13], m[14], m[15]
  end,
}

-- ------------------------------------------------------------------------------------------------ views

--- Makes the factories of views known to the core.
-- @param compiled the table of that name that the core shares with compiled code
-- @param load_number how often this module was loaded
return function(compiled, load_number)
  local live = compiled.live_views -- key -> entry; a text, or nothing, when it is gone
  local c_index, c_newindex = compiled.view_index, compiled.view_newindex
  local c_accessor_index, c_accessor_newindex = compiled.accessor_index, compiled.accessor_newindex
  local c_views = setmetatable({}, { __mode = "k" }) -- entry -> C view of the same column

  -- A struct that is no other: a metatable cannot be given twice, and test runners answer an old type to an old text.
  local function new_type(members, name)
    return ffi.typeof(format("struct { %s } /* %s %d */", members, name, load_number))
  end

  -- Called as a statement, so that level 3 is the script.
  local function raise_gone(key)
    error(live[key] or "world is destroyed", 3)
  end

  -- The checked row of a row or instance, or nil.
  local function row_of(entry, place)
    if type(place) ~= "number" then return nil end
    local row = tobit(place)
    if row == place and row >= 0 and row < entry.count[0] then return row end
    local offset = place - entry.epoch[0] * ROW_SPAN -- a row, if this is an instance that is not stale
    row = tobit(offset)
    if row == offset and row >= 0 and row < entry.count[0] then return row end
    return nil
  end

  -- The same for a column that deaths leave behind: the C view sees to it that they are deaths_seen.
  local function row_of_flushed(entry, place)
    if entry.deaths_seen[0] ~= entry.deaths[0] then return nil end
    return row_of(entry, place)
  end

  local view_classes = {} -- by field type, layout of the column, and whether a view writes directly

  -- The C view for a compiled one; other values are themselves.
  local function c_view_of(value)
    if type(value) ~= "cdata" then return value end
    for _, class in each, view_classes do
      if class.is_view(value) then
        local entry = live[value.key]
        if type(entry) ~= "cdata" then raise_gone(value.key) end
        return c_views[entry]
      end
    end
    return value
  end

  -- Tells the manager that a row was written, where that has consequences: CT_MARK_BLOCK rows to a block.
  local function mark(entry, row, place)
    entry.marks[0][row].mark[place] = 1
    entry.blocks[0][rshift(row, 5)] = 1
    entry.written[0] = 1
  end

  -- What all views have. A method may be called on anything: `is_view` tells, and the C method refuses what is none.
  local function add_common(metatable, methods, class)
    local is_view, to_pointer = class.is_view, class.to_pointer
    local c_count, c_pointer = class.c_view.count, class.c_view.pointer

    function methods.count(view)
      if not is_view(view) then return c_count(view) end
      local entry = live[view.key]
      if type(entry) ~= "cdata" then raise_gone(view.key) end
      local count = entry.count[0]
      if count == 0 then return c_count(c_views[entry]) end
      return count
    end

    function methods.pointer(view)
      if not is_view(view) then return c_pointer(view) end
      local entry = live[view.key]
      if type(entry) ~= "cdata" then raise_gone(view.key) end
      c_count(c_views[entry]) -- settles deaths
      return to_pointer(entry.data[0][0].item)
    end

    -- Whole columns in one call are C's.
    for _, name in ipairs { "totable", "fill", "add_scaled", "scale" } do
      local c_method = class.c_view[name]
      methods[name] = function(view, ...)
        if not is_view(view) then return c_method(view, ...) end
        local entry = live[view.key]
        if type(entry) ~= "cdata" then raise_gone(view.key) end
        return c_method(c_views[entry], c_view_of((...)), select(2, ...))
      end
    end

    function metatable.__tostring(view)
      local entry = live[view.key]
      if type(entry) ~= "cdata" then raise_gone(view.key) end
      return tostring(c_views[entry])
    end

    function metatable.__eq(a, b)
      return is_view(a) and is_view(b) and a.key == b.key
    end
  end

  -- The look-up is written out in each method, for scalars and for vectors: a loop is one trace, of whose room every
  -- function in between takes some. Loops over up to 14 scalar columns compile so; over 6, with one factory for both.
  local function scalar_metatable(class)
    local metatable, methods = {}, {}
    local is_view, encode, decode, direct, find = class.is_view, class.encode, class.decode, class.direct, class.row_of
    local c_get, c_set = class.c_view.get, class.c_view.set

    function metatable.__index(view, place)
      if type(place) == "string" then return methods[place] end
      local entry = live[view.key]
      if type(entry) ~= "cdata" then raise_gone(view.key) end
      local row = find(entry, place)
      if not row then return c_index(c_views[entry], place) end
      return decode(entry.data[0][row].item[0])
    end

    function metatable.__newindex(view, place, value)
      local entry = live[view.key]
      if type(entry) ~= "cdata" then raise_gone(view.key) end
      local row, number = direct and find(entry, place), encode(value)
      if not row or not number then return c_newindex(c_views[entry], place, value) end
      entry.data[0][row].item[0] = number
    end

    function methods.get(view, ...)
      if not is_view(view) then return c_get(view, ...) end
      local entry = live[view.key]
      if type(entry) ~= "cdata" then raise_gone(view.key) end
      local row = find(entry, (...))
      if not row then return c_get(c_views[entry], ...) end
      return decode(entry.data[0][row].item[0])
    end

    function methods.set(view, ...)
      if not is_view(view) then return c_set(view, ...) end
      local entry = live[view.key]
      if type(entry) ~= "cdata" then raise_gone(view.key) end
      local place, value = ...
      local row, number = direct and find(entry, place), encode(value)
      if not row or not number then return c_set(c_views[entry], ...) end
      entry.data[0][row].item[0] = number
    end

    add_common(metatable, methods, class)
    return metatable
  end

  -- The accessor that `view[place]` returns.
  local function new_accessor_type(class)
    local metatable = {}
    local encode, parts, direct, find, marked = class.encode, class.parts, class.direct, class.row_of, class.place
    local accessor_type = new_type("const double key; const int32_t row;", class.key .. " part")

    function metatable.__index(accessor, part)
      local entry = live[accessor.key]
      if type(entry) ~= "cdata" then raise_gone(accessor.key) end
      local row, offset = find(entry, accessor.row), parts[part]
      if row and offset then return entry.data[0][row].item[offset] end
      return c_accessor_index(c_index(c_views[entry], accessor.row), part)
    end

    function metatable.__newindex(accessor, part, value)
      local entry = live[accessor.key]
      if type(entry) ~= "cdata" then raise_gone(accessor.key) end
      local row, offset, number = find(entry, accessor.row), parts[part], encode(value)
      if not direct or not row or not offset or not number or (marked and entry.open[0] == 0) then
        return c_accessor_newindex(c_index(c_views[entry], accessor.row), part, value)
      end
      entry.data[0][row].item[offset] = number
      if marked then mark(entry, row, marked) end
    end

    function metatable.__eq(a, b)
      return ffi.istype(accessor_type, a) and ffi.istype(accessor_type, b) and a.key == b.key and a.row == b.row
    end

    return ffi.metatype(accessor_type, metatable)
  end

  local function vector_metatable(class)
    local metatable, methods = {}, {}
    local is_view, encode, direct, width = class.is_view, class.encode, class.direct and class.width <= 4, class.width
    local find, marked = class.row_of, class.place
    local c_get, c_set = class.c_view.get, class.c_view.set
    local new_accessor, load_all = new_accessor_type(class), LOADS[width]

    function metatable.__index(view, place)
      if type(place) == "string" then return methods[place] end
      local entry = live[view.key]
      if type(entry) ~= "cdata" then raise_gone(view.key) end
      local row = find(entry, place)
      if not row then return c_index(c_views[entry], place) end
      return new_accessor(view.key, row)
    end

    function metatable.__newindex(view, place, value)
      local entry = live[view.key]
      if type(entry) ~= "cdata" then raise_gone(view.key) end
      return c_newindex(c_views[entry], place, value)
    end

    function methods.get(view, ...)
      if not is_view(view) then return c_get(view, ...) end
      local entry = live[view.key]
      if type(entry) ~= "cdata" then raise_gone(view.key) end
      local row = find(entry, (...))
      if not row then return c_get(c_views[entry], ...) end
      return load_all(entry.data[0][row].item)
    end

    function methods.set(view, ...)
      if not is_view(view) then return c_set(view, ...) end
      local entry = live[view.key]
      if type(entry) ~= "cdata" then raise_gone(view.key) end
      local place, x, y, z, w = ...
      local row = direct and select("#", ...) == width + 1 and find(entry, place)
      local numbers = is_number(x) and is_number(y) and (width < 3 or is_number(z)) and (width < 4 or is_number(w))
      if not row or not numbers or (marked and entry.open[0] == 0) then
        return c_set(c_views[entry], ...)
      end
      local item = entry.data[0][row].item
      item[0], item[1] = encode(x), encode(y)
      if width > 2 then item[2] = encode(z) end
      if width > 3 then item[3] = encode(w) end
      if marked then mark(entry, row, marked) end
    end

    add_common(metatable, methods, class)
    return metatable
  end

  -- ---------------------------------------------------------------------------------------------- making them

  -- A column is an array of structs as long as its stride, in which the item has its place. The first members of
  -- ct_column_window in src/storage/manager_check.h; and where the count stands, whatever `count` is.
  local function entry_type(window, c_type, width)
    return ffi.typeof(format([[struct {
      struct { %s item[%d]; char after[%d]; } **data;
      const int32_t *count;
      const uint32_t *epoch;
      const uint64_t *deaths_seen, *deaths;
      const int32_t *open;
      uint8_t *written;
      struct { uint8_t mark[2]; } **marks;
      uint8_t **blocks;
      const int32_t *true_count;
    }]], c_type, width, window.stride - width * ffi.sizeof(c_type)))
  end

  local function new_class(type_name, window, direct, c_view, key)
    local c_type, encode, decode, width, parts = unpack(TYPES[type_name])
    -- The key is a double, which few columns are: compiled code loads it anew after storing a number of its type.
    local view_type = new_type("const double key;", key)
    local class = {
      key = key, direct = direct, c_view = c_view, place = window.marking.open ~= nil and window.marking.place or nil,
      encode = encode, decode = decode, width = width, parts = parts,
      row_of = window.deaths_seen ~= nil and row_of_flushed or row_of,
      entry = entry_type(window, c_type, width or 1),
      is_view = function(value) return ffi.istype(view_type, value) end,
      to_pointer = ffi.typeof((direct and window.marking.open == nil and "" or "const ")
        .. (type_name == "entity" and "uint32_t *" or c_type .. " *")),
    }
    class.view = ffi.metatype(view_type, width and vector_metatable(class) or scalar_metatable(class))
    class.c_view = nil -- its methods were all that was wanted
    -- Alone, as nothing else: as the last argument of a call newer LuaJIT compiles it to three results, two of them
    -- whatever lay on its stack.
    class.copied = ffi.offsetof(class.entry, "true_count")
    return class
  end

  local function class_of(type_name, window, direct, c_view)
    local marked = window.marking.open ~= nil
    local key = format("%s %d%s%s%s", type_name, window.stride, direct and "" or " read-only",
      marked and " marked " .. window.marking.place or "", window.deaths_seen ~= nil and " deaths_seen" or "")
    view_classes[key] = view_classes[key] or new_class(type_name, window, direct, c_view, key)
    return view_classes[key]
  end

  -- While something is frozen no view sees a row, and leaves all to the C views, which know what may be written.
  local NO_ROWS, frozen = ffi.new "const int32_t[1]", 0

  --- Begins and ends that, for all views there are; as often as it has begun it has to end.
  function compiled.freeze_views(begins)
    frozen = frozen + (begins and 1 or -1)
    for _, entry in each, live do
      if type(entry) == "cdata" then entry.count = frozen > 0 and NO_ROWS or entry.true_count end
    end
  end

  -- ct_column_window, of which all pointers have one size.
  local window_pointer = ffi.typeof [[
    struct {
      const void *data, *count, *epoch, *deaths_seen, *deaths;
      struct { const void *open, *written, *marks, *blocks; int32_t place; } marking;
      int32_t stride;
    } *]]

  -- What m:column(field) returns; nil: the C view serves. `bytes` are those of a ct_column_window; `direct`: writing an
  -- item has no consequences.
  function compiled.view(type_name, bytes, direct, key, c_view)
    local known, window = TYPES[type_name], ffi.cast(window_pointer, bytes)
    if not known then return nil end
    local alignment = ffi.sizeof(known[1])
    if window.stride % alignment ~= 0 then return nil end
    local class = class_of(type_name, window, direct, c_view)
    local entry = class.entry()
    ffi.copy(entry, bytes, class.copied)
    entry.true_count = entry.count
    if frozen > 0 then entry.count = NO_ROWS end
    c_views[entry] = c_view
    live[key] = entry
    return class.view(key)
  end
end
