--- Grid readers that LuaJIT compiles: FFI data, checked at each access.
-- Like a column view, a reader is a cdata that holds only a number. The number is a key of tables that scripts cannot
-- reach. Every case but the common one calls the C reader of the same grid, which looks up its cells again.
-- Does not depend on the memory layout of cells, except for the members of the C reader below.

local bit = require "bit"
local ffi = require "ffi"

-- Locals: replacing these globals in a script has no effect here.
local error, tostring, type = error, tostring, type
local tobit = bit.tobit

-- The first members of a reader in src/bind/component/grid_reader.c, after the header of objects.
local C_READER = [[
  struct {
    char header[%d];
    const int32_t *changes, *deaths;
    const uint32_t *cells;
    int32_t changes_seen, deaths_seen;
    int32_t count;
  } *]]

--- Adds the factory of grid readers to the table that the core shares with compiled code.
-- @param compiled that table
-- @param load_number the number of times that this module was loaded
return function(compiled, load_number)
  local c_index = compiled.grid_reader_index
  local c_reader_pointer = ffi.typeof(C_READER:format(compiled.offsets.header))
  local c_readers, entries = {}, {} -- key -> C reader, and a pointer to its struct
  local last_key = 0
  local metatable = {}

  function metatable.__index(reader, place)
    local entry = entries[reader.key]
    if not entry then error("invalid grid reader", 2) end
    -- In the interpreter, loading a pointer allocates, and a finalizer may replace the cells (see columns.lua).
    local seen = entry.changes_seen
    local changes, deaths, cells = entry.changes, entry.deaths, entry.cells
    if type(place) == "number" and changes[0] == seen and deaths[0] == entry.deaths_seen then
      local i = tobit(place)
      if i == place and i >= 0 and i < entry.count then return cells[i] end
    end
    return c_index(c_readers[reader.key], place)
  end

  function metatable.__newindex()
    error("a reader of cells cannot write them: call set_cell", 2)
  end

  function metatable.__tostring(reader)
    return tostring(c_readers[reader.key])
  end

  function metatable.__gc(reader)
    c_readers[reader.key], entries[reader.key] = nil, nil
  end

  local new_reader = ffi.metatype(ffi.typeof(("struct { const double key; } /* grid reader %d */"):format(load_number)),
    metatable)

  -- Makes the result of grid:reader. The C reader lives as long as the result.
  function compiled.grid_reader(c_reader)
    last_key = last_key + 1
    c_readers[last_key], entries[last_key] = c_reader, ffi.cast(c_reader_pointer, c_reader)
    return new_reader(last_key)
  end
end
