-- Unusual amounts with a cost per item that must not grow: many small levels, many callbacks. Other benches have
-- further extremes: 100,000 components on one entity in components_bench.lua, wide and deep hierarchies in
-- hierarchy_bench.c and gc_bench.c.

local cuttle = require "cuttle"

return function(bench)
  -- ---------------------------------------------------------------- levels

  local function levels(n)
    local entities = cuttle.entity_manager { minimum_free_indices = 0 }
    local world = cuttle.world(entities)
    local resource = assert(cuttle.resource((assert(cuttle.compiler(world):compile {
      entities = { { components = { transform = { position = { 1, 2, 3 } } } } },
    }))))
    local function spawn(state)
      for i = 1, n do state[i] = assert(world:spawn(resource)) end
      return state
    end
    local function held() return world:memory() + entities:memory() end
    local function clear()
      world:clear { entities = true }
    end

    bench.case {
      name = "levels of one entity: spawn",
      items = n,
      bytes = held,
      setup = function() return {} end,
      run = function(state) return #spawn(state) end,
      expect = n,
      -- The spawns of the next run would release levels that were only cleared.
      teardown = function(state)
        for i = 1, n do state[i]:unload() end
        clear()
      end,
    }
    bench.case {
      name = "levels of one entity: unload, random order",
      items = n,
      bytes = held,
      setup = function() return bench.shuffled(spawn {}) end,
      run = function(state)
        local count = 0
        for i = 1, n do count = count + state[i]:unload() end
        return count
      end,
      expect = n,
      teardown = clear,
    }
    world:destroy()
  end
  for _, n in ipairs(bench.sizes({ 1000, 10000, 100000 }, 200)) do levels(n) end

  -- ---------------------------------------------------------------- callbacks

  local function nothing() end

  local function callbacks(n)
    bench.case {
      name = "on_destroy, then off_destroy, in mixed order",
      items = n,
      setup = function() return cuttle.entity_manager() end,
      run = function(manager)
        local tokens, done = {}, 0
        for i = 1, n do tokens[i] = manager:on_destroy(nothing) end
        for i = 1, n do
          if manager:off_destroy(tokens[(i * 7919) % n + 1]) then done = done + 1 end
        end
        return done
      end,
      expect = n,
    }
    bench.case {
      name = "a death with as many callbacks, ns a callback",
      items = n,
      setup = function()
        local state = { entities = cuttle.entity_manager(), heard = 0 }
        local function hear() state.heard = state.heard + 1 end
        for _ = 1, n do state.entities:on_destroy(hear) end
        state.e = state.entities:create()
        return state
      end,
      run = function(state)
        state.entities:destroy(state.e)
        return state.heard
      end,
      expect = n,
    }
  end
  for _, n in ipairs(bench.sizes({ 1000, 10000, 100000 }, 1000)) do callbacks(n) end
end
