--- Column views that LuaJIT compiles: FFI data, checked at each access.
-- A view is a cdata that holds only a number: the key of an entry in a table that scripts cannot reach. The C core
-- removes the entry when the manager is destroyed. Every case but the common one calls the C view of the same column,
-- so that both behave the same.
--
-- In the interpreter, each expression that yields a pointer allocates, and an allocation may run a finalizer that moves
-- or frees the columns. Therefore every access has the same order:
--   1. It loads `moves`, a counter that changes whenever the memory of columns moves, and then all pointers.
--   2. It checks the row, and that `moves` is unchanged. Then it loads or stores. None of this allocates.
-- Compiled code loads `moves` once, so the comparison costs nothing there. The pointers of an entry point into the
-- block of the manager. The C view in `c_views` keeps this block alive, even after the manager was destroyed.
--
-- Methods read their arguments in the first statement: in a trace that began in a function that they call, LuaJIT 2.1
-- may take the second of `...` for the first.

local each = require "cuttle.each"
local ffi = require "ffi"
local bit = require "bit"

-- Locals: a script that replaces these globals must not be able to change what compiled code assumes about memory.
local error, ipairs, select, setmetatable, tostring, type, unpack =
  error, ipairs, select, setmetatable, tostring, type, unpack
local format = string.format
local tobit, rshift = bit.tobit, bit.rshift
local ROW_SPAN = 2 ^ 22 -- an instance is row + ROW_SPAN * epoch

-- Number of lanes -> function that loads all of them, from item i.
local LOADS = {
  [2] = function(items, i) return items[i], items[i + 1] end,
  [3] = function(items, i) return items[i], items[i + 1], items[i + 2] end,
  [4] = function(items, i) return items[i], items[i + 1], items[i + 2], items[i + 3] end,
  [16] = function(m, i)
    return m[i], m[i + 1], m[i + 2], m[i + 3], m[i + 4], m[i + 5], m[i + 6], m[i + 7],
      m[i + 8], m[i + 9], m[i + 10], m[i + 11], m[i + 12], m[i + 13], m[i + 14], m[i + 15]
  end,
}

-- ------------------------------------------------------------------------------------------------ views

--- Adds the factory of column views to the table that the core shares with compiled code.
-- @param compiled that table
-- @param load_number the number of times that this module was loaded
-- @param lanes the result of lanes.lua
return function(compiled, load_number, lanes)
  local types, item_function, is_number = lanes.types, lanes.item_function, lanes.is_number
  local live = compiled.live_views -- key -> entry; an error message or nil once the manager is destroyed
  local c_index, c_newindex = compiled.view_index, compiled.view_newindex
  local c_accessor_index, c_accessor_newindex = compiled.accessor_index, compiled.accessor_newindex
  local c_views = setmetatable({}, { __mode = "k" }) -- entry -> C view of the same column

  -- Makes a distinct struct type: a type can get a metatable only once, and LuaJIT returns the same type for the same
  -- text.
  local function new_type(members, name)
    return ffi.typeof(format("struct { %s } /* %s %d */", members, name, load_number))
  end

  -- Raises that the manager is destroyed. Called as a statement, so that level 3 is the script.
  local function raise_destroyed(key)
    error(live[key] or "world is destroyed", 3)
  end

  -- Returns the row of a valid row or instance, or nil. Allocates only before it reads the row count: the result is
  -- valid until the caller allocates.
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

  -- Like row_of, for columns that must be updated after deaths. The C view does this and updates deaths_seen.
  local function row_of_flushed(entry, place)
    local deaths_seen, deaths = entry.deaths_seen, entry.deaths
    local row = row_of(entry, place)
    -- A manager that has rows is not destroyed, so the entity manager exists.
    if row and deaths_seen[0] == deaths[0] then return row end
    return nil
  end

  local view_classes = {} -- by field type, column layout, and whether a view writes directly

  -- Returns the C view of a compiled view, and other values unchanged.
  local function c_view_of(value)
    if type(value) ~= "cdata" then return value end
    for _, class in each, view_classes do
      if class.is_view(value) then
        local entry = live[value.key]
        if type(entry) ~= "cdata" then raise_destroyed(value.key) end
        return c_views[entry]
      end
    end
    return value
  end

  -- Adds the methods of all views. A method may be called on any value; the C method raises unless it is a view.
  local function add_common(metatable, methods, class)
    local is_view, to_pointer = class.is_view, class.to_pointer
    local c_count, c_pointer = class.c_view.count, class.c_view.pointer

    function methods.count(view)
      if not is_view(view) then return c_count(view) end
      local entry = live[view.key]
      if type(entry) ~= "cdata" then raise_destroyed(view.key) end
      local count = entry.count[0]
      if count == 0 then return c_count(c_views[entry]) end
      return count
    end

    function methods.pointer(view)
      if not is_view(view) then return c_pointer(view) end
      local entry = live[view.key]
      if type(entry) ~= "cdata" then raise_destroyed(view.key) end
      c_count(c_views[entry]) -- applies pending deaths
      return to_pointer(entry.data[0])
    end

    -- Methods on whole columns are written in C.
    for _, name in ipairs { "totable", "fill", "add_scaled", "scale" } do
      local c_method = class.c_view[name]
      methods[name] = function(view, ...)
        local first = ...
        if not is_view(view) then return c_method(view, ...) end
        local entry = live[view.key]
        if type(entry) ~= "cdata" then raise_destroyed(view.key) end
        return c_method(c_views[entry], c_view_of(first), select(2, ...))
      end
    end

    function metatable.__tostring(view)
      local entry = live[view.key]
      if type(entry) ~= "cdata" then raise_destroyed(view.key) end
      return tostring(c_views[entry])
    end

    function metatable.__eq(a, b)
      return is_view(a) and is_view(b) and a.key == b.key
    end
  end

  -- The lookup is repeated in each method, for scalars and for vectors, because a loop is compiled into one trace and
  -- every function call uses part of its limits.
  local function scalar_metatable(class)
    local metatable, methods = {}, {}
    local is_view, encode, decode, direct, find = class.is_view, class.encode, class.decode, class.direct, class.row_of
    local c_get, c_set, item_of = class.c_view.get, class.c_view.set, class.item_of

    function metatable.__index(view, place)
      if type(place) == "string" then return methods[place] end
      local entry = live[view.key]
      if type(entry) ~= "cdata" then raise_destroyed(view.key) end
      local moves = entry.moves
      local seen, items = moves[0], entry.data[0]
      local row = find(entry, place)
      if row and moves[0] == seen then
        local value = decode(items[item_of(row)])
        return value -- no tail call: LuaJIT compiles only some of these in a loop
      end
      return c_index(c_views[entry], place)
    end

    function metatable.__newindex(view, place, value)
      local entry = live[view.key]
      if type(entry) ~= "cdata" then raise_destroyed(view.key) end
      local moves, number = entry.moves, encode(value)
      local seen, items = moves[0], entry.data[0]
      local row = direct and number and find(entry, place)
      if not row or moves[0] ~= seen then return c_newindex(c_views[entry], place, value) end
      items[item_of(row)] = number
    end

    function methods.get(view, ...)
      local place = ...
      if not is_view(view) then return c_get(view, ...) end
      local entry = live[view.key]
      if type(entry) ~= "cdata" then raise_destroyed(view.key) end
      local moves = entry.moves
      local seen, items = moves[0], entry.data[0]
      local row = find(entry, place)
      if row and moves[0] == seen then
        local value = decode(items[item_of(row)])
        return value -- no tail call: LuaJIT compiles only some of these in a loop
      end
      return c_get(c_views[entry], ...)
    end

    function methods.set(view, ...)
      local place, value = ...
      if not is_view(view) then return c_set(view, ...) end
      local entry = live[view.key]
      if type(entry) ~= "cdata" then raise_destroyed(view.key) end
      local moves, number = entry.moves, encode(value)
      local seen, items = moves[0], entry.data[0]
      local row = direct and number and find(entry, place)
      if not row or moves[0] ~= seen then return c_set(c_views[entry], ...) end
      items[item_of(row)] = number
    end

    add_common(metatable, methods, class)
    return metatable
  end

  -- Makes the type of the accessors that `view[place]` returns.
  local function new_accessor_type(class)
    local metatable = {}
    local encode, parts, direct, find, marked = class.encode, class.parts, class.direct, class.row_of, class.place
    local item_of = class.item_of
    local accessor_type = new_type("const double key; const int32_t row;", class.key .. " part")

    function metatable.__index(accessor, part)
      local entry = live[accessor.key]
      if type(entry) ~= "cdata" then raise_destroyed(accessor.key) end
      local moves, offset = entry.moves, parts[part]
      local seen, items = moves[0], entry.data[0]
      local row = find(entry, accessor.row)
      if row and offset and moves[0] == seen then return items[item_of(row) + offset] end
      return c_accessor_index(c_index(c_views[entry], accessor.row), part)
    end

    function metatable.__newindex(accessor, part, value)
      local entry = live[accessor.key]
      if type(entry) ~= "cdata" then raise_destroyed(accessor.key) end
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
      if type(entry) ~= "cdata" then raise_destroyed(view.key) end
      local row = find(entry, place)
      if not row then return c_index(c_views[entry], place) end
      return new_accessor(view.key, row)
    end

    function metatable.__newindex(view, place, value)
      local entry = live[view.key]
      if type(entry) ~= "cdata" then raise_destroyed(view.key) end
      return c_newindex(c_views[entry], place, value)
    end

    function methods.get(view, ...)
      local place = ...
      if not is_view(view) then return c_get(view, ...) end
      local entry = live[view.key]
      if type(entry) ~= "cdata" then raise_destroyed(view.key) end
      local moves = entry.moves
      local seen, items = moves[0], entry.data[0]
      local row = find(entry, place)
      if row and moves[0] == seen then return load_all(items, item_of(row)) end
      return c_get(c_views[entry], ...)
    end

    function methods.set(view, ...)
      local place, x, y, z, w = ...
      if not is_view(view) then return c_set(view, ...) end
      local entry = live[view.key]
      if type(entry) ~= "cdata" then raise_destroyed(view.key) end
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

  -- ---------------------------------------------------------------------------------------------- construction

  -- The first members of ct_column_window in src/storage/manager_access.h, and the pointer to the row count, which is
  -- unchanged while `count` points to NO_ROWS.
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
    local c_type, encode, decode, width, parts = unpack(types[type_name])
    -- The key is a double, because compiled code reloads it after each store of a number of its type, and few columns
    -- are doubles.
    local view_type = new_type("const double key;", key)
    local class = {
      key = key, direct = direct, c_view = c_view, place = window.marking.open ~= nil and window.marking.place or nil,
      encode = encode, decode = decode, width = width, parts = parts,
      row_of = window.deaths_seen ~= nil and row_of_flushed or row_of,
      entry = entry_type(c_type), item_of = item_function(window.stride / ffi.sizeof(c_type)),
      is_view = function(value)
        local result = ffi.istype(view_type, value)
        return result -- no tail call: see lanes.lua
      end,
      to_pointer = ffi.typeof((direct and window.marking.open == nil and "" or "const ")
        .. (type_name == "entity" and "uint32_t *" or c_type .. " *")),
    }
    class.view = ffi.metatype(view_type, width and vector_metatable(class) or scalar_metatable(class))
    class.c_view = nil -- only its methods are used
    -- Assigned here, because newer LuaJIT compiles a call with this expression as last argument to three results, two
    -- of them undefined.
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

  -- While views are frozen, every compiled view has no rows, so that the C views, which know what may be written, are
  -- used.
  local NO_ROWS, frozen = ffi.new "const int32_t[1]", 0

  --- Freezes or unfreezes all views. Calls nest.
  function compiled.freeze_views(begins)
    frozen = frozen + (begins and 1 or -1)
    for _, entry in each, live do
      if type(entry) == "cdata" then entry.count = frozen > 0 and NO_ROWS or entry.true_count end
    end
  end

  -- ct_column_window; all pointers have the same size.
  local window_pointer = ffi.typeof [[
    struct {
      const void *data, *moves, *count, *epoch, *deaths_seen, *deaths;
      struct { const void *open, *written, *marks, *blocks; int32_t place; } marking;
      int32_t stride;
    } *]]

  -- Makes the result of m:column(field), or returns nil if the C view must serve. `bytes` are those of a
  -- ct_column_window. `direct` means that writing an item has no side effects.
  function compiled.view(type_name, bytes, direct, key, c_view)
    local known, window = types[type_name], ffi.cast(window_pointer, bytes)
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
