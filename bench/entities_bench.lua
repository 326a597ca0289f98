-- Entities from Lua. What a call into C costs at all is the limit of every method that is called once an entity.

local cuttle = require "cuttle"

return function(bench)
  local N = bench.size(100000, 1000)

  local function new_entities()
    return cuttle.entity_manager { minimum_free_indices = 0 }
  end

  -- As many have lived and died before: all memory is warm.
  local function warm()
    local entities = new_entities()
    entities:destroy(entities:create_list(N))
    return { entities = entities, out = {} }
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
    local entities = new_entities()
    local items = shuffled(entities:create(N))
    local ids = {}
    for i = 1, N do ids[i] = cuttle.entity_id(items[i]) end
    return { entities = entities, items = items, ids = ids, list = cuttle.list(items) }
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
  }
  bench.case {
    name = "create, one by one, warm",
    items = N,
    setup = warm,
    run = function(state)
      local entities = state.entities
      for _ = 1, N do entities:create() end
      return entities:count()
    end,
    expect = N,
    limit = "limit: a C function called with an entity",
  }
  bench.case {
    name = "create, in bulk into a new table, warm",
    items = N,
    setup = warm,
    run = function(state) return #state.entities:create(N) end,
    expect = N,
  }
  bench.case {
    name = "create, in bulk into a reused table, warm",
    items = N,
    setup = function()
      local state = warm()
      for i = 1, N do state.out[i] = false end
      return state
    end,
    run = function(state) return #state.entities:create(N, state.out) end,
    expect = N,
  }
  bench.case {
    name = "create, in bulk into a cuttle.list, warm",
    items = N,
    setup = warm,
    run = function(state) return state.entities:create_list(N):count() end,
    expect = N,
  }
  bench.case {
    name = "alive, random order",
    items = N,
    setup = living,
    run = function(state)
      local entities, items, count = state.entities, state.items, 0
      for i = 1, N do
        if entities:alive(items[i]) then count = count + 1 end
      end
      return count
    end,
    expect = N,
    limit = "limit: a C function called with an entity",
  }
  bench.case {
    name = "alive_id, numbers in a table, random order",
    items = N,
    setup = living,
    run = function(state)
      local entities, ids, count = state.entities, state.ids, 0
      for i = 1, N do
        if entities:alive_id(ids[i]) then count = count + 1 end
      end
      return count
    end,
    expect = N,
  }
  bench.case {
    name = "destroy, one by one, random order",
    items = N,
    setup = living,
    run = function(state)
      local entities, items = state.entities, state.items
      for i = 1, N do entities:destroy(items[i]) end
      return entities:count()
    end,
    expect = 0,
    limit = "limit: a C function called with an entity",
  }
  bench.case {
    name = "destroy, in bulk from a table, random order",
    items = N,
    setup = living,
    run = function(state) return state.entities:destroy(state.items) end,
    expect = N,
  }
  bench.case {
    name = "destroy, in bulk from a cuttle.list, random order",
    items = N,
    setup = living,
    run = function(state) return state.entities:destroy(state.list) end,
    expect = N,
  }
end
