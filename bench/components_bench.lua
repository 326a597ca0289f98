-- Components from Lua: creating, looking up, reading, writing, destroying.

local cuttle = require "cuttle"

local POSITION = { { "x", "float" }, { "y", "float" }, { "z", "float" } }
local VELOCITY = { { "x", "float", 1 }, { "y", "float", 1 }, { "z", "float", 1 } }

return function(bench)
  local N = bench.size(100000, 1000)

  local function new_world()
    local entities = cuttle.entity_manager { minimum_free_indices = 0 }
    local world = cuttle.world(entities)
    return {
      entities = entities, world = world, out = {}, list = cuttle.list(),
      position = world:define("position", POSITION, { lookup = "array" }),
      velocity = world:define("velocity", VELOCITY, { lookup = "array" }),
    }
  end

  -- As many have lived and died before: all memory is warm.
  local function warm()
    local state = new_world()
    state.world:create({ position = {}, velocity = {} }, N, state.list)
    state.world:clear { entities = true }
    for i = 1, N do state.out[i] = false end
    return state
  end

  local function shuffled(items)
    local seed = 1
    for i = #items, 2, -1 do
      seed = seed * 16807 % 2147483647
      local j = seed % i + 1
      items[i], items[j] = items[j], items[i]
    end
    return items
  end

  local function living()
    local state = warm()
    state.world:create({ position = { x = 1 }, velocity = {} }, N, state.list)
    state.items = shuffled(state.list:totable())
    state.list = cuttle.list(state.items)
    state.ids, state.rows = {}, {}
    for i = 1, N do
      state.ids[i] = cuttle.entity_id(state.items[i])
      state.rows[i] = state.position:row(state.items[i])
    end
    state.x = state.position:column "x"
    state.instances = {}
    return state
  end

  local function destroy(state)
    state.world:destroy()
  end

  -- ---------------------------------------------------------------- creating

  bench.case {
    name = "create with two components, one by one, warm",
    items = N,
    setup = warm,
    run = function(state)
      local world, components = state.world, { position = { x = 1 }, velocity = {} }
      for _ = 1, N do world:create(components) end
      return state.velocity:count()
    end,
    expect = N,
    teardown = destroy,
  }
  bench.case {
    name = "create with two components, in bulk, table, warm",
    items = N,
    setup = warm,
    run = function(state)
      state.world:create({ position = { x = 1 }, velocity = {} }, N, state.out)
      return state.velocity:count()
    end,
    expect = N,
    teardown = destroy,
  }
  bench.case {
    name = "create with two components, in bulk, list, warm",
    items = N,
    setup = warm,
    run = function(state)
      state.world:create({ position = { x = 1 }, velocity = {} }, N, state.list)
      return state.velocity:count()
    end,
    expect = N,
    teardown = destroy,
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
    teardown = destroy,
  }
  bench.case {
    name = "read one field, by a method with an entity",
    items = N,
    setup = living,
    run = function(state)
      local position, items, sum = state.position, state.items, 0
      for i = 1, N do sum = sum + position:x(items[i]) end
      return sum
    end,
    expect = N,
    limit = "limit: a C function called with an entity",
    teardown = destroy,
  }
  bench.case {
    name = "read one field, by lookup_many and a column",
    items = N,
    setup = living,
    run = function(state)
      local x, instances, sum = state.x, state.position:lookup_many(state.list, state.instances), 0
      for i = 1, N do sum = sum + x[instances[i]] end
      return sum
    end,
    expect = N,
    teardown = destroy,
  }
  bench.case {
    name = "read one field, by row_of_id and a column",
    items = N,
    setup = living,
    run = function(state)
      local position, ids, x, sum = state.position, state.ids, state.x, 0
      for i = 1, N do sum = sum + x[position:row_of_id(ids[i])] end
      return sum
    end,
    expect = N,
    teardown = destroy,
  }
  bench.case {
    name = "read one field, by row",
    items = N,
    setup = living,
    run = function(state)
      local rows, x, sum = state.rows, state.x, 0
      for i = 1, N do sum = sum + x[rows[i]] end
      return sum
    end,
    expect = N,
    teardown = destroy,
  }
  bench.case {
    name = "write one field, by a method with an entity",
    items = N,
    setup = living,
    run = function(state)
      local position, items = state.position, state.items
      for i = 1, N do position:set_x(items[i], 2) end
      return position:x(items[1])
    end,
    expect = 2,
    limit = "limit: a C function called with an entity",
    teardown = destroy,
  }
  bench.case {
    name = "write one field, by row_of_id and a column",
    items = N,
    setup = living,
    run = function(state)
      local position, ids, x = state.position, state.ids, state.x
      for i = 1, N do x[position:row_of_id(ids[i])] = 2 end
      return x[N - 1]
    end,
    expect = 2,
    teardown = destroy,
  }

  -- ---------------------------------------------------------------- destroying

  bench.case {
    name = "destroy with two components, one by one, gc after",
    items = N,
    setup = living,
    run = function(state)
      local entities, items = state.entities, state.items
      for i = 1, N do entities:destroy(items[i]) end
      return state.world:gc()
    end,
    expect = 2 * N,
    teardown = destroy,
  }
  bench.case {
    name = "destroy with two components, in bulk, table, gc after",
    items = N,
    setup = living,
    run = function(state)
      state.entities:destroy(state.items)
      return state.world:gc()
    end,
    expect = 2 * N,
    teardown = destroy,
  }
  bench.case {
    name = "destroy with two components, in bulk, list, gc after",
    items = N,
    setup = living,
    run = function(state)
      state.entities:destroy(state.list)
      return state.world:gc()
    end,
    expect = 2 * N,
    teardown = destroy,
  }
end
