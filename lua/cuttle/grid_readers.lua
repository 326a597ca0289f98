--- Readers of grids that LuaJIT compiles: FFI data, checked at each access.
-- As with column views, a reader is a cdata that holds nothing but a number; what it stands for lies in tables that
-- scripts cannot reach. All but the common case is left to the C reader of the same grid, which finds its cells anew.
-- Knows nothing of where cells lie, but for what the C reader says.

local bit = require "bit"
local ffi = require "ffi"

-- What a script puts in the place of these is not called.
local error, tostring, type = error, tostring, type
local tobit = bit.tobit

-- The first members of a reader in src/bind/component/grid_reader.c, behind the header of objects.
local C_READER = [[
  struct {
    char header[%d];
    const int32_t *changes, *deaths;
    const uint32_t *cells;
    int32_t changes_seen, deaths_seen;
    int32_t count;
  } *]]

--- Makes the factory of readers known to the core.
-- @param compiled the table of that name that the core shares with compiled code
-- @param load_number how often this module was loaded
return function(compiled, load_number)
  local c_index = compiled.grid_reader_index
  local c_reader_pointer = ffi.typeof(C_READER:format(compiled.offsets.header))
  local c_readers, entries = {}, {} -- key -> C reader, and a pointer to what it holds
  local last_key = 0
  local metatable = {}

  function metatable.__index(reader, place)
    local entry = entries[reader.key]
    if not entry then error("the reader was made by nobody", 2) end
    -- Where this is interpreted, loading a pointer allocates, and a finalizer may replace the cells (see columns.lua).
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

  -- What grid:reader returns. The C reader stays as long as it.
  function compiled.grid_reader(c_reader)
    last_key = last_key + 1
    c_readers[last_key], entries[last_key] = c_reader, ffi.cast(c_reader_pointer, c_reader)
    return new_reader(last_key)
  end
end
