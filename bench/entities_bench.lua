-- Entities from Lua. What a call into C costs at all is the limit of every method that is called once an entity.

local cuttle = require "cuttle"

return function(bench)
  local N = bench.size(100000, 1000)

  -- One manager for all runs, as in a game: compiled code knows its methods. All memory is warm.
  local entities = cuttle.entity_manager { minimum_free_indices = 0 }
  entities:destroy(entities:create_list(8 * N))

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
    name = "create, one by one, warm",
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
    name = "create, in bulk into a new table, warm",
    items = N,
    run = function() return #entities:create(N) end,
    expect = N,
    teardown = destroy_all,
  }
  bench.case {
    name = "create, in bulk into a reused table, warm",
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
    name = "create, in bulk into a cuttle.list, warm",
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
  for _, count in ipairs { 1000, 10000, 100000 } do
    local n = bench.size(count, 1000)
    bench.case {
      name = ("on_destroy and off_destroy, in mixed order, of %d"):format(count),
      items = n,
      setup = function() return cuttle.entity_manager() end,
      run = function(manager)
        local tokens, done = {}, 0
        for i = 1, n do tokens[i] = manager:on_destroy(print) end
        for i = 1, n do
          if manager:off_destroy(tokens[(i * 7919) % n + 1]) then done = done + 1 end
        end
        return done
      end,
      expect = n,
    }
  end
end
