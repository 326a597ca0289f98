--- Loops and items that LuaJIT compiles: iterators of rows and items, and the fields of items.
-- A loop is a struct of the core (ct_walk). Its iterator keeps a pointer to it, increments the row while the run of
-- rows is valid, and calls the core for the next run. An item is a cdata with the address of its cursor
-- (ct_cursor) as a constant integer, which scripts cannot write. The object in C that `c_items` has for an item or
-- a vector keeps this memory alive. Every case but the common one calls the metamethods of this object, so that both
-- behave the same.
--
-- In the interpreter, each expression that yields a pointer allocates, and an allocation may run a finalizer that moves
-- or frees columns. Therefore every access has the same order (see columns.lua):
--   1. It loads `moves`, a counter that changes whenever the memory of columns moves, and then all pointers.
--   2. It checks the row, and that `moves` is unchanged. Then it loads or stores. None of this allocates.
-- The structs of the loop, the cursor, the store and the entity manager do not move, and are in memory that the item or
-- the iterator keeps alive.

local each = require "cuttle.each"
local ffi = require "ffi"
local bit = require "bit"

-- Locals: a script that replaces these globals must not be able to change what compiled code assumes about memory.
local assert, loadstring, select, setmetatable, tostring, type =
  assert, loadstring, select, setmetatable, tostring, type
local concat, find, format, gsub, sub = table.concat, string.find, string.format, string.gsub, string.sub
local cast, istype, typeof = ffi.cast, ffi.istype, ffi.typeof
local lshift, tobit = bit.lshift, bit.tobit

-- CT_WALK_NO_ROW.
local NO_ROW = 0x7FFFFFF0

-- The methods of queries that begin a loop, and the class of vectors in C.
local KINDS, VECTOR = { "each", "rows", "items" }, "vector of an item"

-- CT_MAX_JOINED.
local MOST_JOINED = 8

-- Number of types of items and vectors, which LuaJIT never frees. The items of further definitions are objects in C.
local MOST_TYPES = 8192

-- Replaces $NAME in a text by parts[NAME], also in the parts, and returns the function that the text defines.
local function compile(name, text, parts, ...)
  repeat
    local count
    text, count = gsub(text, "%$(%l+)", parts)
  until count == 0
  return assert(loadstring(text, "=cuttle." .. name))(...)
end

-- The member with the address has a name that is not an identifier, so it cannot hide a field.
local ADDRESS = "\255"
local MEMBERS = "const uint64_t \255;"

-- ------------------------------------------------------------------------------------------------ texts

-- Iterator. It has two arguments in a `for` statement, and usually none if a script calls it. LuaJIT compiles a
-- function with `...` only as a part of its caller. Therefore the step of a kind, `advance`, has fixed arguments: it is
-- compiled even if LuaJIT interprets the loop. It returns true and the values, or nothing if the step in C must be
-- called, which raises, or runs while a debug hook is set.
local ITERATOR = [[
return function(...)
  local passed, $names = advance(select("#", ...))
  if passed then return $names end
  return step(userdata, ...)
end]]

-- Step of rows. LuaJIT checks each upvalue again whenever a loop begins, so there are few. `loop.fence` is the store
-- before a call (see fast.lua).
local ROWS_STEP = [[
local loop, userdata, step, next_run, select, entities, moves = ...
local function advance(arguments)
  local row = loop.row + 1
  $tuples
  local valid = loop.structure == entities.structure
  if valid and listed then
    $follow
  elseif valid and row < loop.stop then
    loop.row = row
  else
    loop.fence = 0
    row = next_run(loop, arguments)
    if row == -1 then return true end
    if row < 0 then return end
  end
  return true, row$results
end]]

-- Step of items. The entity is needed if rows change before the next step.
local ITEMS_STEP = [[
local loop, userdata, step, next_run, select, entities, moves, $items = ...
local function advance(arguments)
  local row, owners = loop.row + 1, loop.owners
  $tuples
  local valid = loop.structure == entities.structure and loop.moves == moves[0]
  if valid and listed then
    $follow
    loop.entity = owners[row]
  elseif valid and row < loop.stop then
    loop.row, loop.entity = row, owners[row]
  else
    loop.fence = 0
    row = next_run(loop, arguments)
    if row == -1 then return true end
    if row < 0 then return end
  end
  return true, $results
end]]

-- Step of an entity and its instances. The core stores the entity in the mailbox (see fast.lua), and the instances in
-- `numbers`, NaN for an absent component. It refuses while a debug hook could run before they are read.
local EACH_STEP = [[
local loop, userdata, step, each_row, select, mailbox, box, numbers = ...
local function advance(arguments)
  loop.fence = 0
  local slot = each_row(box, loop, arguments, numbers)
  if slot > 0 then return true, mailbox[slot]$results end
  if slot == 0 then return true end
end]]

-- The parts of iterators that follow the tuples of a query, for a query without optional managers. Nothing allocates
-- after the check.
local TUPLES = [[
local place = loop.place + $parts
  local listed = place < loop.places
  local tuples = listed and loop.tuples]]
local FOLLOW = [[
row = tuples[place]
    loop.place, loop.row$names = place, row$values]]

local STEPS = { each = EACH_STEP, rows = ROWS_STEP, items = ITEMS_STEP }

-- Opens an item for reading or writing. 'extra' is a condition.
local OPEN = [[
  local cursor = cast(cursor_type, item["\255"])
  local loop, store, entities = cursor.loop, cursor.store, cursor.entities
  local moves, items, offset = store.moves, store.at.$type_[$column], cursor.offset
  local row = tobit(loop.row + offset[0])
  if $extra cursor.checked == entities.structure and row < store.count and store.moves == moves then]]

-- Readers return the value of a field or lane, writers true; nil if the object in C must do the access, which raises or
-- covers the uncommon cases.
local READ = [[
local cast, cursor_type, tobit, lshift, decode = ...
return function(item)
$open
    local value = $decoded
    return value
  end
end]]

local CALL_READ = [[
local cast, cursor_type, read_lane, decode, fence = ...
return function(item)
  fence[0] = 0
  local number = read_lane(cast(cursor_type, item["\255"]), $field, $lane)
  if number == number then
    local value = decode(number)
    return value
  end
end]]

local WRITE = [[
local cast, cursor_type, tobit, lshift, encode = ...
return function(item, value)
  local number = encode(value)
$open
    items[$index + $lane] = number
    return true
  end
end]]

local CALL_WRITE = [[
local cast, cursor_type, write_lane, encode, fence = ...
return function(item, value)
  local number = encode(value)
  fence[0] = 0
  return number and write_lane(cast(cursor_type, item["\255"]), $field, $lane, number) == 1 or nil
end]]

local ROW = [[
local cast, cursor_type, tobit = ...
return function(item)
$open
    return row
  end
end]]

-- Methods of vectors.
local GET = [[
local cast, cursor_type, tobit, lshift, c_get, c_items, is_vector = ...
return function(item)
  if not is_vector(item) then return c_get(item) end
$open
    local i = $index
    return $numbers
  end
  return c_get(c_items[item])
end]]

local SET = [[
local cast, cursor_type, tobit, lshift, c_set, c_items, is_vector, encode, select = ...
return function(item, ...)
  local $lanes = ... -- first: see columns.lua
  if not is_vector(item) then return c_set(item, ...) end
  $encoded
$open
    local i = $index
    $stores
    return
  end
  return c_set(c_items[item], ...)
end]]

local CALL_SET = [[
local cast, cursor_type, write_lanes, c_set, c_items, is_vector, encode, select, fence = ...
return function(item, ...)
  local $lanes = ... -- first: see columns.lua
  if not is_vector(item) then return c_set(item, ...) end
  $encoded
  fence[0] = 0
  if $given write_lanes(cast(cursor_type, item["\255"]), $field, $arguments) == 1 then return end
  return c_set(c_items[item], ...)
end]]

local LETTERS = { "x", "y", "z", "w" }

-- Joins copies of a pattern; $ stands for a letter, # for its number from 0.
local function listed(count, pattern, separator)
  local texts = {}
  for i = 1, count do texts[i] = gsub(gsub(pattern, "%$", LETTERS[i]), "#", tostring(i - 1)) end
  return concat(texts, separator)
end

-- ------------------------------------------------------------------------------------------------ factories

--- Adds the factories of loops and items to the table that the core shares with compiled code.
-- @param compiled that table
-- @param load_number the number of times that this module was loaded
-- @param lanes the result of lanes.lua
-- @param mailbox table in which the core stores an entity
-- @param box pointer to the core's struct of the mailbox
-- @param fence array to which compiled code writes before each call of the core (see fast.lua)
return function(compiled, load_number, lanes, mailbox, box, fence)
  local types, indices = lanes.types, lanes.indices -- functions would use up the limits of calls in a loop

  local function core_function(c_type, name)
    return cast(c_type, cast("void **", compiled.addresses[name])[0])
  end

  -- The first members of ct_walk, ct_entity_manager and ct_cursor, and members of ct_store.
  local entities_text = "struct { const void *slots; int32_t used, moves, structure, guarded; } *"
  local store_text = format([[
    union {
      int32_t count;
      struct {
        char before_at[%d];
        union { float **float_; double **double_; int8_t **int8_t_; uint8_t **uint8_t_; int16_t **int16_t_;
          uint16_t **uint16_t_; int32_t **int32_t_; uint32_t **uint32_t_; } at;
      };
      struct { char before_moves[%d]; int32_t moves; };
    } *]], compiled.offsets.at, compiled.offsets.moves)
  local loop_text = [[
    struct {
      int32_t row, stop, structure, entity, place, places, moves, fence;
      int32_t offset0, offset1, offset2, offset3, offset4, offset5, offset6, offset7;
      const int32_t *owners, *tuples;
    } *]]
  local loop_type, entities_type, store_type = typeof(loop_text), typeof(entities_text), typeof(store_text)
  local counter_type = typeof("const int32_t *")
  local cursor_text = "struct { $ loop; $ store; $ entities; const int32_t *offset; int32_t checked; } *"
  local cursor_type = typeof(cursor_text, loop_type, store_type, entities_type)
  local next_run = core_function("int32_t (*)(void *, int32_t)", "next_run")
  local begin_again = core_function("int32_t (*)(void *)", "begin_again")
  local each_row = core_function("int32_t (*)(void *, void *, int32_t, double *)", "each_row")
  local instances = ffi.new("double[?]", MOST_JOINED)
  local read_lane = core_function("double (*)(void *, uint32_t, uint32_t)", "read_lane")
  local write_lane = core_function("int32_t (*)(void *, uint32_t, uint32_t, double)", "write_lane")
  local write_lanes = core_function("int32_t (*)(void *, uint32_t, double, double, double, double)", "write_lanes")

  local c_items = setmetatable({}, { __mode = "k" }) -- item or vector -> object in C

  -- ---------------------------------------------------------------------------------------------- items

  local type_count = 0

  -- Makes a type with these functions for names; other names are left to the functions in C.
  local function new_type(readers, writers, c_index, c_newindex)
    local metatable = {}
    type_count = type_count + 1

    -- The common case contains no tail call: LuaJIT compiles only some of these in a loop.
    function metatable.__index(item, name)
      local read = readers[name]
      local value = read and read(item)
      if value ~= nil then return value end
      return c_index(c_items[item], name)
    end

    function metatable.__newindex(item, name, value)
      local write = writers[name]
      if write and write(item, value) then return end
      return c_newindex(c_items[item], name, value)
    end

    function metatable.__tostring(item)
      return tostring(c_items[item])
    end

    return ffi.metatype(typeof(format("struct { %s } /* item %d %d */", MEMBERS, type_count, load_number)), metatable)
  end

  -- Adds the functions of one lane.
  local function add_lane(readers, writers, name, field, lane)
    local parts = { open = OPEN, type = field.type, column = field.column, field = field.number, lane = lane,
      index = indices[field.count or 1], extra = "",
      decoded = field.plain and "items[$index + $lane]" or "decode(items[$index + $lane])" }
    if field.access == "call" then
      readers[name] = compile("item", CALL_READ, parts, cast, cursor_type, read_lane, field.decode, fence)
    else
      readers[name] = compile("item", READ, parts, cast, cursor_type, tobit, lshift, field.decode)
    end
    parts.extra = "number and entities.guarded == 0 and"
    if field.access == "direct" then
      writers[name] = compile("item", WRITE, parts, cast, cursor_type, tobit, lshift, field.encode)
    else
      writers[name] = compile("item", CALL_WRITE, parts, cast, cursor_type, write_lane, field.encode, fence)
    end
  end

  -- Returns the methods get and set of the vectors of a field.
  local function vector_methods(field, is_vector)
    local count, c_get, c_set = field.count, compiled.methods[VECTOR].get, compiled.methods[VECTOR].set
    local get, set
    local given = listed(count, "$ and", " ") .. format(' select("#", ...) == %d and', count)
    local parts = { open = OPEN, type = field.type, column = field.column, field = field.number, extra = "",
      index = indices[count], given = given, lanes = listed(count, "$", ", "),
      numbers = listed(count, "items[i + #]", ", "), stores = listed(count, "items[i + #] = $", " "),
      encoded = listed(count, "$", ", ") .. " = " .. listed(count, "encode($)", ", "),
      arguments = listed(count, "$", ", ") .. (", 0"):rep(4 - count) }
    if field.access ~= "call" then
      get = compile("item", GET, parts, cast, cursor_type, tobit, lshift, c_get, c_items, is_vector)
    end
    parts.extra = given .. " entities.guarded == 0 and"
    if field.access == "direct" then
      set = compile("item", SET, parts, cast, cursor_type, tobit, lshift, c_set, c_items, is_vector, field.encode,
        select)
    else
      set = compile("item", CALL_SET, parts, cast, cursor_type, write_lanes, c_set, c_items, is_vector, field.encode,
        select, fence)
    end
    return get, set
  end

  -- Adds the reader of a field with several lanes, which returns the vector of an item.
  local function add_vector(readers, field)
    local vector_type
    local parts, part_writers, name = {}, {}, field.name
    local vectors = setmetatable({}, { __mode = "k" }) -- item -> vector

    local function is_vector(value)
      local result = istype(vector_type, value)
      return result -- no tail call: see lanes.lua
    end

    local get, set
    if field.count <= 4 then get, set = vector_methods(field, is_vector) end
    local c_get, c_set = compiled.methods[VECTOR].get, compiled.methods[VECTOR].set
    get = get or function(vector) return c_get(c_items[vector] or vector) end
    set = set or function(vector, ...) return c_set(c_items[vector] or vector, ...) end
    function parts.get() return get end
    function parts.set() return set end
    for part, lane in each, field.offsets do add_lane(parts, part_writers, part, field, lane) end
    vector_type = new_type(parts, part_writers, compiled.vector_index, compiled.vector_newindex)

    readers[name] = function(item)
      local vector = vectors[item]
      if vector then return vector end
      local c_vector = compiled.item_index(c_items[item], name)
      vector = vector_type(item[ADDRESS])
      vectors[item], c_items[vector] = vector, c_vector
      return vector
    end
  end

  -- Returns the description of a field, or nil if it is left to the item in C.
  local function describe(name, type_name, column, access, number)
    local labels = type(type_name) == "table" and type_name
    local lane_type = types[labels and "enum " .. #labels or type_name]
    if not lane_type or type_name == "entity" then return nil end
    local c_type, encode, decode, count, offsets = lane_type[1], lane_type[2], lane_type[3], lane_type[4], lane_type[5]
    if labels then
      local numbers = {}
      for i = 1, #labels do numbers[labels[i]] = i - 1 end
      encode = function(label) return numbers[label] end
      decode = function(i) return labels[i + 1] end
    end
    return { name = name, type = c_type, column = column,
      access = access, number = number, encode = encode, decode = decode, plain = not labels and type_name ~= "bool",
      count = count, offsets = offsets }
  end

  local classes = {} -- by the texts of all fields

  -- Makes the type of the items of a definition: `fields` has name, type or labels, column and access of each field.
  local function new_class(fields)
    local readers, writers = {}, {}
    for i = 1, #fields, 4 do
      local field = describe(fields[i], fields[i + 1], fields[i + 2], fields[i + 3], (i - 1) / 4)
      if field and field.count then
        add_vector(readers, field)
      elseif field then
        add_lane(readers, writers, field.name, field, 0)
      end
    end
    readers.row = compile("item", ROW, { open = OPEN, type = "int32_t", column = 0, extra = "" }, cast, cursor_type,
      tobit)
    return new_type(readers, writers, compiled.item_index, compiled.item_newindex)
  end

  -- Makes the item for a cursor, whose address has these bytes, or returns nil. `c_item` is the item in C.
  function compiled.item(c_item, bytes, fields)
    local names = {}
    for i = 1, #fields do
      local field = fields[i]
      names[i] = type(field) == "table" and #field .. " labels\0" .. concat(field, "\0") or field
    end
    local key = concat(names, "\0")
    if not classes[key] then
      if type_count >= MOST_TYPES then return nil end
      classes[key] = new_class(fields)
    end
    local item = classes[key](cast("uint64_t", cast("uintptr_t *", bytes)[0]))
    c_items[item] = c_item
    return item
  end

  -- ---------------------------------------------------------------------------------------------- loops

  local makers = {} -- by kind and roles
  local loops = setmetatable({}, { __mode = "k" }) -- iterator -> struct

  -- By name of the method: query or manager -> its first iterator. An iterator refers to this object, so both are weak;
  -- the pool of the object keeps the iterator.
  local firsts = {}
  for i = 1, #KINDS do firsts[KINDS[i]] = setmetatable({}, { __mode = "kv" }) end

  -- Returns the parts TUPLES and FOLLOW of an iterator.
  local function tuple_texts(roles)
    local names, values = "", ""
    if find(roles, "?", 1, true) then return "local listed = false", "" end
    for i = 1, #roles - 1 do
      if sub(roles, i + 1, i + 1) ~= "!" then
        names, values = names .. ", loop.offset" .. i, format("%s, tuples[place + %d]", values, i)
      end
    end
    return (gsub(TUPLES, "%$parts", tostring(#roles))),
      (gsub(gsub(FOLLOW, "%$names", names), "%$values", values))
  end

  local function iterator_text(roles, kind)
    local results, items, count = {}, {}, 0
    for i = 0, #roles - 1 do
      local role = sub(roles, i + 1, i + 1)
      if role ~= "!" then
        count = count + 1
        local row = i == 0 and "row" or format("row + loop.offset%d", i)
        items[count] = "item" .. count
        if kind == "each" then
          local number = format("numbers[%d]", i)
          results[count] = role == "?" and format(", %s == %s and %s or nil", number, number, number) or ", " .. number
        elseif kind == "items" then
          results[count] = role == "?" and format("%s < %d and item%d or nil", row, NO_ROW, count) or items[count]
        elseif i > 0 then
          results[count - 1] = role == "?" and format(", %s < %d and %s or nil", row, NO_ROW, row) or ", " .. row
        end
      end
    end
    local parts = { items = concat(items, ", "), results = concat(results, kind == "items" and ", " or "") }
    parts.tuples, parts.follow = tuple_texts(roles)
    local names = {}
    for i = 1, kind == "each" and count + 1 or count do names[i] = "value" .. i end
    parts.names = concat(names, ", ")
    return (gsub(STEPS[kind] .. "\n" .. ITERATOR, "%$(%l+)", parts))
  end

  local function new_maker(roles, kind)
    local make = assert(loadstring(iterator_text(roles, kind), "=cuttle.loop"))
    for _ = 1, 8 do make() end -- warm-up: LuaJIT must not treat the first closures as constants
    return make
  end

  local function new_iterator(loop, userdata, roles, kind, step, ...)
    local make = makers[kind .. roles] or new_maker(roles, kind)
    makers[kind .. roles] = make
    if kind == "each" then return make(loop, userdata, step, each_row, select, mailbox, box, instances) end
    return make(loop, userdata, step, next_run, select, ...)
  end

  -- Makes the iterator of a loop over `object`. `userdata` keeps the loop alive, whose address has these bytes; `roles`
  -- has "+" for a required manager, "!" excluded, "?" optional; `step` is the iterator in C; `moves` is the
  -- address of the counter of the first store (see walk.h); items follow.
  function compiled.loop(object, userdata, bytes, roles, kind, step, entities, moves, ...)
    local loop = cast(loop_type, cast("void **", bytes)[0])
    local iterator = new_iterator(loop, userdata, roles, kind, step,
      cast(entities_type, cast("void **", entities)[0]), cast(counter_type, cast("void **", moves)[0]), ...)
    loops[iterator] = loop
    firsts[kind][object] = firsts[kind][object] or iterator
    return iterator
  end

  -- Makes a method that begins the first loop of its object again, if it has ended. In compiled code, the coroutine is
  -- not known. Therefore, if break leaves this loop, it stays in use, and the method in C begins other loops.
  local function compile_begin(c_begin, iterators)
    local function begin(self) -- fixed arguments: see ITERATOR
      local iterator = iterators[self]
      local loop = iterator and loops[iterator]
      fence[0] = 0
      return loop and begin_again(loop) == 1 and iterator
    end
    return function(self, ...)
      local iterator = begin(self)
      if iterator then return iterator end
      return c_begin(self, ...)
    end
  end

  if jit.status() then
    local queries, managers = compiled.methods.Query, compiled.methods["component manager"]
    for i = 1, #KINDS do queries[KINDS[i]] = compile_begin(queries[KINDS[i]], firsts[KINDS[i]]) end
    managers.each = compile_begin(managers.each, firsts.each)
  end
end
