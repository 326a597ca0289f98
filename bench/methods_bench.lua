-- Methods in many worlds. Games make a world for each match, and call the same lines of Lua in each.

local cuttle = require "cuttle"

return function(bench)
  local N = bench.size(2000, 100)
  local FIELDS = { { "hp", "float" }, { "on", "bool" }, { "state", "enum", { "idle", "run" } } }
  local entities = cuttle.entity_manager { minimum_free_indices = 0 } -- ids are used again

  local function new_world(names)
    local world = cuttle.world(entities)
    for _, name in ipairs(names) do world:define(name, FIELDS) end
    return world
  end

  local function populate(world, name)
    local items = world:create({ transform = {}, [name] = { hp = 1, on = true, state = "run" } }, N)
    return { world = world, items = items, manager = world[name], transforms = world.transform }
  end

  -- The cost of one line of Lua in the n-th world that it is used with.
  local LINES = {
    { "read a number", N, function(s)
      local m, items, sum = s.manager, s.items, 0
      for i = 1, N do sum = sum + m:hp(items[i]) end
      return sum
    end },
    { "read an enum", N, function(s)
      local m, items, count = s.manager, s.items, 0
      for i = 1, N do if m:state(items[i]) == "run" then count = count + 1 end end
      return count
    end },
    { "write a number", N, function(s)
      local m, items = s.manager, s.items
      for i = 1, N do m:set_hp(items[i], 1) end
      return #items
    end },
    { "has", N, function(s)
      local m, items, count = s.manager, s.items, 0
      for i = 1, N do if m:has(items[i]) then count = count + 1 end end
      return count
    end },
    { "world_position", 0, function(s)
      local m, items, sum = s.transforms, s.items, 0
      for i = 1, N do sum = sum + m:world_position(items[i]) end
      return sum
    end },
    { "destroy a component", N, function(s)
      local m, items, count = s.manager, s.items, 0
      for i = 1, N do count = count + m:destroy(items[i]) end
      return count
    end },
    { "create a component of a table", N, function(s)
      local m, items = s.manager, s.items
      m:destroy_many(items)
      for i = 1, N do m:create(items[i], { hp = i }) end
      return m:count()
    end },
  }

  for _, line in ipairs(LINES) do
    local worlds = 0
    for _, nth in ipairs { 1, 10, 200 } do
      bench.case {
        name = ("%s, world %d"):format(line[1], nth),
        items = N,
        setup = function()
          -- The line has been used with nth - 1 other worlds.
          while worlds < nth - 1 do
            worlds = worlds + 1
            local world = new_world { "health" }
            line[3](populate(world, "health"))
            world:destroy { entities = true }
          end
          return populate(new_world { "health" }, "health")
        end,
        run = line[3],
        expect = line[2],
        teardown = function(s) s.world:destroy { entities = true } end,
        limit = nth > 1 and line[1] .. ", world 1" or nil,
      }
    end
  end

  local EIGHT = { "a", "b", "c", "d", "e", "f", "g", "h" }
  bench.case {
    name = "read a number, one line over eight components in turn",
    items = N,
    setup = function()
      local world = new_world(EIGHT)
      local s = { world = world, managers = {}, items = {} }
      for i, name in ipairs(EIGHT) do
        s.items[i], s.managers[i] = world:create({ [name] = { hp = 1 } }, N / 4), world[name]
      end
      return s
    end,
    run = function(s)
      local sum, managers, items = 0, s.managers, s.items
      for i = 1, N do
        local k = i % 8 + 1
        sum = sum + managers[k]:hp(items[k][i % 16 + 1])
      end
      return sum
    end,
    expect = N,
    teardown = function(s) s.world:destroy { entities = true } end,
    limit = "read a number, world 1",
  }

  local M = bench.size(200, 10)
  bench.case {
    name = "a world made and destroyed",
    items = M,
    run = function()
      for _ = 1, M do cuttle.world(entities):destroy() end
      return M
    end,
    expect = M,
  }
  bench.case {
    name = "a world made and destroyed, beside 3,000 others",
    items = M,
    setup = function()
      local others = {}
      for i = 1, bench.size(3000, 20) do others[i] = cuttle.world(entities) end
      return others
    end,
    run = function()
      for _ = 1, M do cuttle.world(entities):destroy() end
      return M
    end,
    expect = M,
    teardown = function(others)
      for _, world in ipairs(others) do world:destroy() end
    end,
    limit = "a world made and destroyed",
  }
end
