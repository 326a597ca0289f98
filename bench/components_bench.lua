-- Components from Lua: creating, looking up, reading, writing, destroying.

local cuttle = require "cuttle"

local POSITION = { { "x", "float" }, { "y", "float" }, { "z", "float" } }
local VELOCITY = { { "x", "float", 1 }, { "y", "float", 1 }, { "z", "float", 1 } }

return function(bench)
  local N = bench.size(100000, 1000)

  -- One world for all runs, as in a game, so that compiled code is specialised on its methods. All memory is warm.
  local entities = cuttle.entity_manager { minimum_free_indices = 0 }
  local world = cuttle.world(entities)
  local position = world:define("position", POSITION, { lookup = "array" })
  local velocity = world:define("velocity", VELOCITY, { lookup = "array" })
  local x = position:column "x"

  world:create({ position = {}, velocity = {} }, 2 * N, cuttle.list())

  function bench.bytes() return world:memory() + entities:memory() end

  local function clear()
    world:clear { entities = true }
  end
  clear()

  local function reused()
    local out = {}
    for i = 1, N do out[i] = false end
    return { out = out, list = cuttle.list() }
  end

  local function living()
    local state = reused()
    world:create({ position = { x = 1 }, velocity = {} }, N, state.list)
    state.items = bench.shuffled(state.list:totable())
    state.list = cuttle.list(state.items)
    state.ids, state.rows, state.instances = {}, {}, {}
    for i = 1, N do
      state.ids[i] = cuttle.entity_id(state.items[i])
      state.rows[i] = position:row(state.items[i])
      state.instances[i] = false
    end
    return state
  end

  -- ---------------------------------------------------------------- creating

  bench.case {
    name = "create with two components, one by one",
    items = N,
    setup = reused,
    run = function()
      local before, components = velocity:count(), { position = { x = 1 }, velocity = {} }
      for _ = 1, N do world:create(components) end
      return velocity:count() - before
    end,
    expect = N,
    teardown = clear,
  }
  local template = world:template { position = { x = 1 }, velocity = {} }
  bench.case {
    name = "create with two components, one by one, by a template",
    items = N,
    setup = reused,
    run = function()
      local before = velocity:count()
      for _ = 1, N do template:create() end
      return velocity:count() - before
    end,
    expect = N,
    teardown = clear,
    limit = "create with two components, one by one",
  }
  bench.case {
    name = "create with two components, in bulk, table",
    items = N,
    setup = reused,
    run = function(state)
      local before = velocity:count()
      world:create({ position = { x = 1 }, velocity = {} }, N, state.out)
      return velocity:count() - before
    end,
    expect = N,
    teardown = clear,
  }
  bench.case {
    name = "create with two components, in bulk, list",
    items = N,
    setup = reused,
    run = function(state)
      local before = velocity:count()
      world:create({ position = { x = 1 }, velocity = {} }, N, state.list)
      return velocity:count() - before
    end,
    expect = N,
    teardown = clear,
  }

  -- ---------------------------------------------------------------- one field of random entities

  bench.case {
    name = "limit: a C function called with an entity",
    items = N,
    setup = living,
    run = function(state)
      local tag, items, sum = cuttle.tag, state.items, 0
      for i = 1, N do sum = sum + tag(items[i]) end
      return sum
    end,
    expect = N,
    teardown = clear,
  }
  bench.case {
    name = "read one field, by a method with an entity",
    items = N,
    setup = living,
    run = function(state)
      local items, sum = state.items, 0
      for i = 1, N do sum = sum + position:x(items[i]) end
      return sum
    end,
    expect = N,
    teardown = clear,
    limit = "limit: a C function called with an entity",
  }
  bench.case {
    name = "read one field, by lookup_many and a column",
    items = N,
    setup = living,
    run = function(state)
      local instances, sum = position:lookup_many(state.list, state.instances), 0
      for i = 1, N do sum = sum + x[instances[i]] end
      return sum
    end,
    expect = N,
    teardown = clear,
  }
  bench.case {
    name = "read one field, by row_of_id and a column",
    items = N,
    setup = living,
    run = function(state)
      local ids, sum = state.ids, 0
      for i = 1, N do sum = sum + x[position:row_of_id(ids[i])] end
      return sum
    end,
    expect = N,
    teardown = clear,
  }
  bench.case {
    name = "read one field, by row",
    items = N,
    setup = living,
    run = function(state)
      local rows, sum = state.rows, 0
      for i = 1, N do sum = sum + x[rows[i]] end
      return sum
    end,
    expect = N,
    teardown = clear,
  }
  bench.case {
    name = "write one field, by a method with an entity",
    items = N,
    setup = living,
    run = function(state)
      local items = state.items
      for i = 1, N do position:set_x(items[i], 2) end
      return position:x(items[1])
    end,
    expect = 2,
    teardown = clear,
    limit = "limit: a C function called with an entity",
  }
  bench.case {
    name = "write one field, by row_of_id and a column",
    items = N,
    setup = living,
    run = function(state)
      local ids = state.ids
      for i = 1, N do x[position:row_of_id(ids[i])] = 2 end
      return x[position:row_of_id(ids[1])]
    end,
    expect = 2,
    teardown = clear,
  }

  bench.case {
    name = "write one field, by row",
    items = N,
    setup = living,
    run = function(state)
      local rows = state.rows
      for i = 1, N do x[rows[i]] = 2 end
      return x[rows[1]]
    end,
    expect = 2,
    teardown = clear,
  }
  bench.case {
    name = "move a root transform, by a method with an entity",
    items = N,
    setup = function()
      local state = reused()
      world:create({ transform = {} }, N, state.out)
      return state
    end,
    run = function(state)
      local transform, items = world.transform, state.out
      for i = 1, N do transform:set_local_position(items[i], i, 0, 0) end
      return (transform:world_position(items[N]))
    end,
    expect = N,
    teardown = clear,
    limit = "limit: a C function called with an entity",
  }

  -- ---------------------------------------------------------------- several components on one entity

  local part = world:define("part", { { "x", "float" } }, { multiple = true })

  -- The cost must be the same for few and many components, with any ids.
  local function on_one_entity(kind, count, id_of)
    bench.case {
      name = "create components on one entity, " .. kind,
      items = count,
      setup = function()
        local ids = {}
        for i = 1, id_of and count or 0 do ids[i] = id_of(i, count) end
        return { ids = ids, values = {} }
      end,
      run = function(state)
        local e, before, ids, values = entities:create(), part:count(), state.ids, state.values
        for i = 1, count do
          values.id = ids[i]
          part:create(e, values)
        end
        return part:count() - before
      end,
      expect = count,
      teardown = clear,
      limit = id_of and "create components on one entity, without ids",
      bytes = function() return part:memory() end,
    }
  end
  for _, count in ipairs { N / 100, N / 10, N } do
    on_one_entity("without ids", count)
    on_one_entity("descending ids", count, function(i, n) return n + 1 - i end)
    on_one_entity("string ids", count, function(i) return "part " .. i end)
  end

  -- ---------------------------------------------------------------- destroying

  bench.case {
    name = "destroy with two components, one by one, gc after",
    items = N,
    setup = living,
    run = function(state)
      local items = state.items
      for i = 1, N do entities:destroy(items[i]) end
      return world:gc()
    end,
    expect = 2 * N,
    teardown = clear,
  }
  bench.case {
    name = "destroy with two components, in bulk, table, gc after",
    items = N,
    setup = living,
    run = function(state)
      entities:destroy(state.items)
      return world:gc()
    end,
    expect = 2 * N,
    teardown = clear,
  }
  bench.case {
    name = "destroy with two components, in bulk, list, gc after",
    items = N,
    setup = living,
    run = function(state)
      entities:destroy(state.list)
      return world:gc()
    end,
    expect = 2 * N,
    teardown = clear,
  }
end
