-- A map of 1,000,000 cells as one grid component: compiling, loading, spawning, reading, queries. The limit of reads is
-- a plain FFI array, that of a spawn the copy of its cells. Items are cells, for queries the cells that they read.

local cuttle = require "cuttle"

local has_ffi, ffi = pcall(require, "ffi")

local function new_world() return cuttle.world(cuttle.entity_manager()) end

-- Sums up cells, like a script.
local function sum_of(cells, count)
  local sum = 0
  for i = 0, count - 1 do sum = sum + cells[i] end
  return sum
end

local function levels(bench, side, values)
  local cells, world = side * side, new_world()
  local source = { entities = { { components = { grid = values } } } }
  local blob = assert(cuttle.compiler(world):compile(source))
  bench.case { name = "compile a table", items = cells, expect = #blob, bytes = #blob,
    run = function() return #cuttle.compiler(world):compile(source) end }
  bench.case { name = "cuttle.resource", items = cells, expect = #blob, bytes = #blob,
    run = function() return cuttle.resource(blob):bytes() end }
  if has_ffi then
    local from, to = ffi.new("uint32_t[?]", cells), ffi.new("uint32_t[?]", cells)
    bench.case { name = "a copy of its cells", items = cells, bytes = cells * 4, expect = 0,
      run = function()
        ffi.copy(to, from, cells * 4)
        return to[0]
      end }
  end
  bench.case { name = "spawn", items = cells, limit = has_ffi and "a copy of its cells" or nil, expect = 1,
    setup = function() return { world = new_world(), resource = assert(cuttle.resource(blob)) } end,
    run = function(state) return state.world:spawn(state.resource):count() end,
    teardown = function(state) state.world:destroy() end }
end

local function reads(bench, side, grid, e, values)
  local cells, sum, limit = side * side, 0, nil
  for _, value in ipairs(values.cells) do sum = sum + value end
  if has_ffi then
    limit = "read each cell of an FFI array"
    local array = ffi.new("uint32_t[?]", cells)
    for i, value in ipairs(values.cells) do array[i - 1] = value end
    bench.case { name = limit, items = cells, expect = sum, run = function() return sum_of(array, cells) end }
  end
  local reader = grid:reader(e)
  bench.case { name = "read each cell through a reader", items = cells, limit = limit, expect = sum,
    run = function() return sum_of(reader, cells) end }
  bench.case { name = "grid:cell of a row", items = side, expect = 0,
    run = function()
      local found = 0
      for x = 0, side - 1 do found = found + grid:cell(e, x, 0) end
      return found
    end }
  bench.case { name = "grid:set_cell of a row", items = side, expect = 0,
    run = function()
      for x = 0, side - 1 do grid:set_cell(e, x, 0, 0) end
      return grid:cell(e, 0, 0)
    end }
  local out = {}
  bench.case { name = "rectangle of 32 x 32", items = 32 * 32, check = function(count) return count > 0 end,
    run = function() return (select(2, grid:rectangle(e, 0.5, 0.5, 31.5, 31.5, out))) end }
  bench.case { name = "ray along a row, past empty cells", items = side, expect = 0,
    run = function() return select("#", (grid:ray(e, -1, 0.5, side + 1, 0.5))) - 1 end }
end

-- Boxes of half a cell that move by less than a cell or by 1,000, in a map with a wall in one of seven cells.
local function moves(bench, side)
  local world, cells = new_world(), {}
  for i = 1, side * side do cells[i] = i * 7919 % 7 == 0 and 1 or 0 end
  local grid, e = world.grid, world:create { grid = { width = side, height = side, cells = cells } }
  local function case(name, dx, dy)
    bench.case { name = name, items = 1000, check = function(hits) return hits > 0 and hits <= 2000 end,
      run = function()
        local hits = 0
        for i = 1, 1000 do
          local _, _, hit_x, hit_y = grid:move(e, i * 7 % side + 0.5, i * 3 % side + 0.5, 0.25, 0.25, dx, dy)
          hits = hits + math.abs(hit_x) + math.abs(hit_y)
        end
        return hits
      end }
  end
  case("grid:move by 0.7 cells", 0.7, 0.3)
  case("grid:move by 1,000 cells", 1000, 300)
  world:destroy()
end

return function(bench)
  local side = bench.size(1000, 20)
  local values = { width = side, height = side, cells = {} }
  for i = 1, side * side do values.cells[i] = i > side and i * 7919 % 1000 or 0 end
  levels(bench, side, values)
  local world = new_world()
  reads(bench, side, world.grid, world:create { grid = values }, values)
  moves(bench, side)
end
