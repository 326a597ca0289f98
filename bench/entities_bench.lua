-- Entities from Lua. The limit of every method that is called once per entity is the cost of a call into C.

local cuttle = require "cuttle"

return function(bench)
  local N = bench.size(100000, 1000)

  -- One manager for all runs, as in a game, so that compiled code is specialised on its methods. All memory is warm.
  local entities = cuttle.entity_manager { minimum_free_indices = 0 }
  entities:destroy(entities:create_list(8 * N))

  function bench.bytes() return entities:memory() end

  local function destroy_all()
    local list = cuttle.list()
    for e in entities:each() do list:add(e) end
    entities:destroy(list)
  end

  local function living()
    local items = bench.shuffled(entities:create(N))
    local ids = {}
    for i = 1, N do ids[i] = cuttle.entity_id(items[i]) end
    return { items = items, ids = ids, list = cuttle.list(items) }
  end

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
    teardown = destroy_all,
  }
  bench.case {
    name = "create, one by one",
    items = N,
    run = function()
      local before = entities:count()
      for _ = 1, N do entities:create() end
      return entities:count() - before
    end,
    expect = N,
    teardown = destroy_all,
    limit = "limit: a C function called with an entity",
  }
  bench.case {
    name = "create, in bulk into a new table",
    items = N,
    run = function() return #entities:create(N) end,
    expect = N,
    teardown = destroy_all,
  }
  bench.case {
    name = "create, in bulk into a reused table",
    items = N,
    setup = function()
      local out = {}
      for i = 1, N do out[i] = false end
      return out
    end,
    run = function(out) return #entities:create(N, out) end,
    expect = N,
    teardown = destroy_all,
  }
  bench.case {
    name = "create, in bulk into a cuttle.list",
    items = N,
    run = function() return entities:create_list(N):count() end,
    expect = N,
    teardown = destroy_all,
  }
  bench.case {
    name = "alive, random order",
    items = N,
    setup = living,
    run = function(state)
      local items, count = state.items, 0
      for i = 1, N do
        if entities:alive(items[i]) then count = count + 1 end
      end
      return count
    end,
    expect = N,
    teardown = destroy_all,
    limit = "limit: a C function called with an entity",
  }
  bench.case {
    name = "alive_id, numbers in a table, random order",
    items = N,
    setup = living,
    run = function(state)
      local ids, count = state.ids, 0
      for i = 1, N do
        if entities:alive_id(ids[i]) then count = count + 1 end
      end
      return count
    end,
    expect = N,
    teardown = destroy_all,
  }
  bench.case {
    name = "destroy, one by one, random order",
    items = N,
    setup = living,
    run = function(state)
      local items = state.items
      local before = entities:count()
      for i = 1, N do entities:destroy(items[i]) end
      return before - entities:count()
    end,
    expect = N,
    teardown = destroy_all,
    limit = "limit: a C function called with an entity",
  }
  bench.case {
    name = "destroy, in bulk from a table, random order",
    items = N,
    setup = living,
    run = function(state) return entities:destroy(state.items) end,
    expect = N,
    teardown = destroy_all,
  }
  bench.case {
    name = "destroy, in bulk from a cuttle.list, random order",
    items = N,
    setup = living,
    run = function(state) return entities:destroy(state.list) end,
    expect = N,
    teardown = destroy_all,
  }

  -- ---------------------------------------------------------------- lists, attached tables

  local function adding() return { items = entities:create(N), list = cuttle.list() } end

  bench.case {
    name = "list:add, entities of a table",
    items = N,
    setup = adding,
    run = function(state)
      local list, items = state.list, state.items
      for i = 1, N do list:add(items[i]) end
      return list:count()
    end,
    expect = N,
    teardown = destroy_all,
    limit = "limit: a C function called with an entity",
  }
  bench.case {
    name = "list:get, into a table",
    items = N,
    setup = function()
      local state = adding()
      state.list = cuttle.list(state.items)
      return state
    end,
    run = function(state)
      local list, items = state.list, state.items
      for i = 1, N do items[i] = list:get(i) end
      return list:count()
    end,
    expect = N,
    teardown = destroy_all,
    limit = "limit: a C function called with an entity",
  }
  local world = cuttle.world(entities)
  local attached = world:attach "of this bench"
  local kept = entities:create()
  attached[kept] = true
  bench.case {
    name = "destroy, in bulk from a cuttle.list, a table attached, no entries",
    items = N,
    setup = living,
    run = function(state) return entities:destroy(state.list) end,
    expect = N,
    teardown = destroy_all,
    limit = "destroy, in bulk from a cuttle.list, random order",
  }
end
