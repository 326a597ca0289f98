-- Levels: compile, load, spawn, restart, unload. Must not depend on how a level is stored.

local cuttle = require "cuttle"
local levels = require "bench.levels"
local has_ffi, ffi = pcall(require, "ffi")

-- Bytes of a row with its owner, which a spawn must write.
local ROW_BYTES = { transform = 184, mesh = 37, actor = 16 }

-- Adds an actor to every other entity.
local function add_actor(entity, i)
  if i % 2 == 0 then entity.components.actor = { shape = "box", mass = 1 } end
end

local function held(state) return state.world:memory() + state.world.entities:memory() end

local function grid_vania()
  local folder = os.getenv "CUTTLE_LEVELS" or "../shared/levels"
  local file = io.open(folder .. "/WorldMap_GridVania_layout.ldtk")
  if not file then return end
  file:close()
  return assert(cuttle.import.ldtk(folder .. "/WorldMap_GridVania_layout.ldtk", { tiles = true }))
end

return function(bench)
    -- Adds the cases of one level. 'rows' has its number of components of each type, for the limit.
  local function lines(name, level_source, rows)
    local world = levels.world()
    local entities = world.entities
    local compiler = cuttle.compiler(world)
    local blob = assert(compiler:compile(level_source))
    local resource = assert(cuttle.resource(blob))
    local count = resource:entity_count()
    local bytes = 0
    for component, number in pairs(rows) do bytes = bytes + number * ROW_BYTES[component] end

    local memcpy = ("%s: memcpy of the bytes written"):format(name)
    if has_ffi then
      local from, to = ffi.new("char[?]", bytes), ffi.new("char[?]", bytes)
      ffi.fill(from, bytes, 1)
      ffi.fill(to, bytes, 2)
      bench.case {
        name = memcpy,
        items = count,
        bytes = bytes,
        setup = function() to[bytes - 1] = 0 end,
        run = function()
          ffi.copy(to, from, bytes)
          return to[bytes - 1]
        end,
        expect = 1,
      }
    end
    local limit = has_ffi and memcpy or nil

    bench.case {
      name = name .. ": compile",
      items = count,
      run = function() return #assert(compiler:compile(level_source)) end,
      expect = #blob,
    }
    levels.load_case(bench, name .. ": load, with all checks", blob, count)
    local function fresh() return { world = levels.world() } end
    -- Allocates memory for one level, and returns it to the managers.
    local function warm()
      local state = fresh()
      assert(state.world:spawn(resource))
      state.world:clear { entities = true }
      return state
    end
    local function spawned()
      local state = warm()
      state.level = assert(state.world:spawn(resource))
      return state
    end
    local function destroy(state) state.world:destroy() end
    local function spawn(state) return state.world:spawn(resource):count() end

    -- Earlier worlds are kept, so that no memory is used again: every page is used for the first time.
    local kept = {}
    bench.case {
      name = name .. ": spawn",
      cold = true,
      items = count,
      limit = limit,
      bytes = held,
      setup = fresh,
      run = spawn,
      expect = count,
      teardown = function(state) kept[#kept + 1] = state end,
    }
    for _, state in ipairs(kept) do destroy(state) end
    bench.case {
      name = name .. ": spawn",
      items = count,
      limit = limit,
      bytes = held,
      setup = warm,
      run = spawn,
      expect = count,
      teardown = destroy,
    }
    bench.case {
      name = name .. ": unload",
      items = count,
      limit = limit,
      bytes = held,
      setup = spawned,
      run = function(state) return state.level:unload() end,
      expect = count,
      teardown = destroy,
    }
    bench.case {
      name = name .. ": restart, memory warm, gc before",
      items = count,
      limit = limit,
      bytes = held,
      setup = function()
        local state = spawned()
        assert(state.level:restart())
        state.world:gc()
        return state
      end,
      run = function(state) return state.level:restart():count() end,
      expect = count,
      teardown = destroy,
    }
    world:clear { entities = true }
    local level = assert(world:spawn(resource))
    bench.note(("%s: %.0f bytes held per entity by world and entity manager, with maps and spare capacity"):format(name,
      (world:memory() + entities:memory()) / level:count()))
    world:destroy()
  end

  -- Many copies of a small level, compared with as many spawns of it.
  local function copies(name, prefab)
    local world = levels.world()
    local resource = assert(cuttle.resource((assert(cuttle.compiler(world):compile(prefab)))))
    local number = bench.size(1000, 50)
    local count = resource:entity_count() * number
    local positions, angles = {}, {}
    for i = 1, number do
      positions[3 * i - 2], positions[3 * i - 1], positions[3 * i], angles[i] = i, i % 7, 0, i
    end
    local function clear() world:clear { entities = true } end
    local function many(poses) return function() return world:spawn_many(resource, poses):count() end end

    local one_by_one = ("%d copies of %s: spawned one by one"):format(number, name)
    bench.case {
      name = one_by_one,
      items = count,
      run = function()
        local spawned = 0
        for i = 1, number do
          spawned = spawned + world:spawn(resource, { position = { i, i % 7, 0 }, angle = i }):count()
        end
        return spawned
      end,
      expect = count,
      teardown = clear,
    }
    for _, case in ipairs {
      { "positions and angles", { positions = positions, angles = angles } },
      { "positions", { positions = positions } },
      { "their number", number },
    } do
      bench.case {
        name = ("%d copies of %s: spawn_many by %s"):format(number, name, case[1]),
        items = count,
        limit = one_by_one,
        run = many(case[2]),
        expect = count,
        teardown = clear,
      }
    end
    world:destroy()
  end

  copies("one entity", { entities = { { components = { transform = { position = { 1, 2, 3 } } } } } })
  local parts = {}
  for i = 1, 9 do
    parts[i] = { components = { transform = { position = { i, 0, 0 } }, mesh = { { resource = "crate" } } } }
  end
  copies("ten entities", { entities = { { children = parts, components = { transform = {} } } } })

  for _, count in ipairs(bench.sizes({ 1000, 10000, 100000 }, 200)) do
    lines("a level", levels.source(count, add_actor), { transform = count, mesh = count, actor = count / 2 })
  end
  local vania = grid_vania()
  if vania then
    local count = 0
    local function visit(list)
      for _, entity in ipairs(list) do
        count = count + 1
        visit(entity.children or {})
      end
    end
    visit(vania.entities)
    lines("GridVania with tiles", vania, { transform = count })
  end
end
