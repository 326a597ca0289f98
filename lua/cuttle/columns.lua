--- Column views that LuaJIT compiles: FFI data, checked at each access.
-- A view is a cdata that holds nothing but a number. What the number stands for lies in a table that scripts cannot
-- reach; the C core takes it out when the manager goes. All but the common case is left to the C view of the same
-- column, so that both behave alike.
--
-- Where this code is interpreted, each step that yields a pointer allocates, and an allocation may run a finalizer that
-- moves or frees the columns. Therefore every access has the same order:
--   1. It loads `moves`, a counter that changes whenever the memory of columns does, and then all pointers.
--   2. It checks the row, and that `moves` is unchanged. It loads or stores. None of this allocates.
-- Compiled code loads `moves` once, so the comparison costs nothing there. The pointers of an entry lead into the block
-- of the manager, which the C view in `c_views` keeps, also when the manager has ended.

local field_types = require "cuttle.field_types"
local each = require "cuttle.each"
local ffi = require "ffi"
local bit = require "bit"

-- What a script puts in the place of these is not called: what is said of memory here would be the script's word.
local error, ipairs, select, setmetatable, tonumber, tostring, type, unpack =
  error, ipairs, select, setmetatable, tonumber, tostring, type, unpack
local format, match = string.format, string.match
local tobit, lshift, rshift, floor = bit.tobit, bit.lshift, bit.rshift, math.floor
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

-- Type of a lane -> C type, what is written, what is loaded.
local LANES = {
  float = { "float", real, as_number },
  double = { "double", real, as_number },
  uint32 = { "uint32_t", uint32, as_number },
  bool = { "uint8_t", bool, as_bool },
  entity = { "int32_t", entity, as_entity },
}

-- The offsets of the parts of a vector: by letters, or by numbers from 1.
local function offsets_of(info)
  local offsets = {}
  for i = 1, info.lanes do offsets[info.parts and info.parts:sub(i, i) or i] = i - 1 end
  return offsets
end

-- Type of a field -> C type, what is written, what is loaded; of vectors also the count of numbers, and the offsets of
-- their parts. Strings and values have no entry: the C view serves them.
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

-- Enums are told apart by how many labels they have.
setmetatable(TYPES, {
  __index = function(types, name)
    local labels = tonumber(match(name, "^enum (%d+)$"))
    if not labels then return nil end
    types[name] = { "uint8_t", whole_within(0, labels - 1), as_number }
    return types[name]
  end,
})

-- How many numbers -> all of them, from item i on.
local LOADS = {
  [2] = function(items, i) return items[i], items[i + 1] end,
  [3] = function(items, i) return items[i], items[i + 1], items[i + 2] end,
  [4] = function(items, i) return items[i], items[i + 1], items[i + 2], items[i + 3] end,
  [16] = function(m, i)
    return m[i], m[i + 1], m[i + 2], m[i + 3], m[i + 4], m[i + 5], m[i + 6], m[i + 7],
      m[i + 8], m[i + 9], m[i + 10], m[i + 11], m[i + 12], m[i + 13], m[i + 14], m[i + 15]
  end,
}

-- From a row to its item, by how many numbers there are from one item to the next. In integers: LuaJIT multiplies in
-- doubles, and a loop over vectors would take twice as long.
local ITEMS = {
  function(row) return row end,
  function(row) return lshift(row, 1) end,
  function(row) return tobit(lshift(row, 1) + row) end,
  function(row) return lshift(row, 2) end,
  [16] = function(row) return lshift(row, 4) end,
}

local function item_function(step)
  return ITEMS[step] or function(row) return tobit(row * step) end
end

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

  -- Returns the checked row of a row or instance, or nil. It allocates before it reads: the row is valid until the
  -- caller allocates.
  local function row_of(entry, place)
    local count, epoch = entry.count, entry.epoch
    if type(place) ~= "number" then return nil end
    local row = tobit(place)
    if row == place and row >= 0 and row < count[0] then return row end
    local offset = place - epoch[0] * ROW_SPAN -- a row, if this is an instance that is not stale
    row = tobit(offset)
    if row == offset and row >= 0 and row < count[0] then return row end
    return nil
  end

  -- The same for a column that deaths leave behind: the C view sees to it that they are deaths_seen.
  local function row_of_flushed(entry, place)
    local deaths_seen, deaths = entry.deaths_seen, entry.deaths
    local row = row_of(entry, place)
    -- A manager with a row has not ended, so the entity manager is there.
    if row and deaths_seen[0] == deaths[0] then return row end
    return nil
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
      return to_pointer(entry.data[0])
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
    local c_get, c_set, item_of = class.c_view.get, class.c_view.set, class.item_of

    function metatable.__index(view, place)
      if type(place) == "string" then return methods[place] end
      local entry = live[view.key]
      if type(entry) ~= "cdata" then raise_gone(view.key) end
      local moves = entry.moves
      local seen, items = moves[0], entry.data[0]
      local row = find(entry, place)
      if row and moves[0] == seen then return decode(items[item_of(row)]) end
      return c_index(c_views[entry], place)
    end

    function metatable.__newindex(view, place, value)
      local entry = live[view.key]
      if type(entry) ~= "cdata" then raise_gone(view.key) end
      local moves, number = entry.moves, encode(value)
      local seen, items = moves[0], entry.data[0]
      local row = direct and number and find(entry, place)
      if not row or moves[0] ~= seen then return c_newindex(c_views[entry], place, value) end
      items[item_of(row)] = number
    end

    function methods.get(view, ...)
      if not is_view(view) then return c_get(view, ...) end
      local entry = live[view.key]
      if type(entry) ~= "cdata" then raise_gone(view.key) end
      local moves = entry.moves
      local seen, items = moves[0], entry.data[0]
      local row = find(entry, (...))
      if row and moves[0] == seen then return decode(items[item_of(row)]) end
      return c_get(c_views[entry], ...)
    end

    function methods.set(view, ...)
      if not is_view(view) then return c_set(view, ...) end
      local entry = live[view.key]
      if type(entry) ~= "cdata" then raise_gone(view.key) end
      local place, value = ...
      local moves, number = entry.moves, encode(value)
      local seen, items = moves[0], entry.data[0]
      local row = direct and number and find(entry, place)
      if not row or moves[0] ~= seen then return c_set(c_views[entry], ...) end
      items[item_of(row)] = number
    end

    add_common(metatable, methods, class)
    return metatable
  end

  -- The accessor that `view[place]` returns.
  local function new_accessor_type(class)
    local metatable = {}
    local encode, parts, direct, find, marked = class.encode, class.parts, class.direct, class.row_of, class.place
    local item_of = class.item_of
    local accessor_type = new_type("const double key; const int32_t row;", class.key .. " part")

    function metatable.__index(accessor, part)
      local entry = live[accessor.key]
      if type(entry) ~= "cdata" then raise_gone(accessor.key) end
      local moves, offset = entry.moves, parts[part]
      local seen, items = moves[0], entry.data[0]
      local row = find(entry, accessor.row)
      if row and offset and moves[0] == seen then return items[item_of(row) + offset] end
      return c_accessor_index(c_index(c_views[entry], accessor.row), part)
    end

    function metatable.__newindex(accessor, part, value)
      local entry = live[accessor.key]
      if type(entry) ~= "cdata" then raise_gone(accessor.key) end
      local moves, offset, number = entry.moves, parts[part], encode(value)
      local seen, items = moves[0], entry.data[0]
      local open, written, marks, blocks
      if marked then open, written, marks, blocks = entry.open, entry.written, entry.marks[0], entry.blocks[0] end
      local row = direct and offset and number and find(entry, accessor.row)
      if not row or moves[0] ~= seen or (marked and open[0] == 0) then
        return c_accessor_newindex(c_index(c_views[entry], accessor.row), part, value)
      end
      items[item_of(row) + offset] = number
      if marked then marks[row * 2 + marked], blocks[rshift(row, 5)], written[0] = 1, 1, 1 end
    end

    function metatable.__eq(a, b)
      return ffi.istype(accessor_type, a) and ffi.istype(accessor_type, b) and a.key == b.key and a.row == b.row
    end

    return ffi.metatype(accessor_type, metatable)
  end

  local function vector_metatable(class)
    local metatable, methods = {}, {}
    local is_view, encode, direct, width = class.is_view, class.encode, class.direct and class.width <= 4, class.width
    local find, marked, item_of = class.row_of, class.place, class.item_of
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
      local moves = entry.moves
      local seen, items = moves[0], entry.data[0]
      local row = find(entry, (...))
      if row and moves[0] == seen then return load_all(items, item_of(row)) end
      return c_get(c_views[entry], ...)
    end

    function methods.set(view, ...)
      if not is_view(view) then return c_set(view, ...) end
      local entry = live[view.key]
      if type(entry) ~= "cdata" then raise_gone(view.key) end
      local place, x, y, z, w = ...
      local numbers = is_number(x) and is_number(y) and (width < 3 or is_number(z)) and (width < 4 or is_number(w))
      local moves = entry.moves
      local seen, items = moves[0], entry.data[0]
      local open, written, marks, blocks
      if marked then open, written, marks, blocks = entry.open, entry.written, entry.marks[0], entry.blocks[0] end
      local row = direct and numbers and select("#", ...) == width + 1 and find(entry, place)
      if not row or moves[0] ~= seen or (marked and open[0] == 0) then
        return c_set(c_views[entry], ...)
      end
      local item = item_of(row)
      items[item], items[item + 1] = encode(x), encode(y)
      if width > 2 then items[item + 2] = encode(z) end
      if width > 3 then items[item + 3] = encode(w) end
      if marked then marks[row * 2 + marked], blocks[rshift(row, 5)], written[0] = 1, 1, 1 end
    end

    add_common(metatable, methods, class)
    return metatable
  end

  -- ---------------------------------------------------------------------------------------------- making them

  -- The first members of ct_column_window in src/storage/manager_check.h; and where the count stands, whatever `count`
  -- is.
  local function entry_type(c_type)
    return ffi.typeof(format([[struct {
      %s **data;
      const int32_t *moves;
      const int32_t *count;
      const int32_t *epoch;
      const int32_t *deaths_seen, *deaths;
      const int32_t *open;
      uint8_t *written;
      uint8_t **marks, **blocks;
      const int32_t *true_count;
    }]], c_type))
  end

  local function new_class(type_name, window, direct, c_view, key)
    local c_type, encode, decode, width, parts = unpack(TYPES[type_name])
    -- The key is a double, which few columns are: compiled code loads it anew after storing a number of its type.
    local view_type = new_type("const double key;", key)
    local class = {
      key = key, direct = direct, c_view = c_view, place = window.marking.open ~= nil and window.marking.place or nil,
      encode = encode, decode = decode, width = width, parts = parts,
      row_of = window.deaths_seen ~= nil and row_of_flushed or row_of,
      entry = entry_type(c_type), item_of = item_function(window.stride / ffi.sizeof(c_type)),
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
      const void *data, *moves, *count, *epoch, *deaths_seen, *deaths;
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
