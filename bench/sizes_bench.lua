-- Entities with components from Lua, in several styles and sizes: the cost per item should not grow. Plain Lua tables,
-- one for each entity, do the same without checks.

local cuttle = require "cuttle"

local POSITION = { { "x", "float" }, { "y", "float" }, { "z", "float" } }
local VELOCITY = { { "x", "float", 1 }, { "y", "float", 1 }, { "z", "float", 1 } }
local COMPONENTS = { position = { x = 1 }, velocity = {} }

-- The functions have no upvalues that change, so each loop is compiled once and runs at all sizes.
local function create_each(world, n)
  for _ = 1, n do world:create(COMPONENTS) end
end

local function create_by(template, n)
  for _ = 1, n do template:create() end
end

local function create_tables(out, n)
  for i = 1, n do out[i] = { position = { x = 1, y = 0, z = 0 }, velocity = { x = 1, y = 1, z = 1 } } end
end

local function read_tables(items, n)
  local sum = 0
  for i = 1, n do sum = sum + items[i].position.x end
  return sum
end

local function read_each(position, items, n)
  local sum = 0
  for i = 1, n do sum = sum + position:x(items[i]) end
  return sum
end

local function read_by_id(position, x, ids, n)
  local sum = 0
  for i = 1, n do sum = sum + x[position:row_of_id(ids[i])] end
  return sum
end

local function read_by_row(x, rows, n)
  local sum = 0
  for i = 1, n do sum = sum + x[rows[i]] end
  return sum
end

return function(bench)
  local entities = cuttle.entity_manager { minimum_free_indices = 0 }
  local world = cuttle.world(entities)
  local position = world:define("position", POSITION, { lookup = "array" })
  world:define("velocity", VELOCITY, { lookup = "array" })
  local x = position:column "x"
  local template = world:template(COMPONENTS)
  local list = cuttle.list()
  function bench.bytes() return world:memory() + entities:memory() end
  local function clear() world:clear { entities = true } end

  local function measure(n)
    world:create(COMPONENTS, n, list) -- all memory is warm
    clear()

    local function creating(name, run)
      bench.case {
        name = "create with two components, " .. name,
        items = n,
        run = function()
          run()
          return position:count()
        end,
        check = function(count) return count >= n and count % n == 0 end,
        teardown = clear,
      }
    end

    -- Living entities in random order, created once and read by many runs.
    local state
    local function living()
      if state then return state end
      world:create(COMPONENTS, n, list)
      state = { items = bench.shuffled(list:totable()), ids = {}, rows = {} }
      for i = 1, n do
        state.ids[i] = cuttle.entity_id(state.items[i])
        state.rows[i] = position:row(state.items[i])
      end
      return state
    end

    local function reading(name, limit, run)
      local kind = "read one field, random entity, "
      limit = limit and kind .. limit
      bench.case { name = kind .. name, limit = limit, items = n, setup = living, run = run, expect = n }
    end

    bench.case {
      name = "create with two components, plain Lua tables",
      items = n,
      bytes = 0,
      setup = function() return {} end,
      run = function(out)
        create_tables(out, n)
        return #out
      end,
      expect = n,
    }
    creating("world:create each", function() create_each(world, n) end)
    creating("a template each", function() create_by(template, n) end)
    creating("in bulk", function() world:create(COMPONENTS, n, list) end)

    local tables = {}
    bench.case {
      name = "read one field, random entity, plain Lua tables",
      items = n,
      bytes = 0,
      setup = function()
        if #tables == 0 then create_tables(tables, n) end
        return bench.shuffled(tables)
      end,
      run = function() return read_tables(tables, n) end,
      expect = n,
    }
    tables = nil
    reading("by row", nil, function(s) return read_by_row(x, s.rows, n) end)
    reading("row_of_id and a column", "by row", function(s) return read_by_id(position, x, s.ids, n) end)
    reading("a method", "by row", function(s) return read_each(position, s.items, n) end)
    clear()

    bench.case {
      name = "destroy with two components, in bulk, gc after",
      items = n,
      setup = function()
        world:create(COMPONENTS, n, list)
        return bench.shuffled(list:totable())
      end,
      run = function(items)
        entities:destroy(items)
        return world:gc()
      end,
      check = function(count) return count % (2 * n) == 0 end,
      teardown = clear,
    }
  end

  for _, n in ipairs(bench.sizes({ 1000, 10000, 100000, 1000000 }, 1000)) do measure(n) end
end
