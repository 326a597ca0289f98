-- world:spawn and levels.

local core = require "cuttle.core"
local cuttle = require "cuttle"
local collect = require "spec.support.collect"
local raises = require "spec.support.raises"
local valid = require "spec.support.valid"

local TREE = { entities = {
  { name = "car",
    components = { transform = { position = { 1, 0, 0 } }, health = { hp = 5, target = "lamp" } },
    children = {
      { name = "seat", children = {
        { name = "driver", components = { transform = { position = { 0, 1, 0 } } } } } },
      { name = "bulb" },
    } },
  { name = "lamp", components = { transform = { position = { 4, 0, 0 } }, wheel = { { id = "a" }, {} } },
    children = { { name = "bulb", components = { transform = { scale = 2 } } } } },
} }

local function define(world)
  world:define("health", { { "hp", "float", 100 }, { "target", "entity" }, { "title", "string", "orc" } })
  world:define("wheel", { { "radius", "float", 1 } }, { multiple = true })
  return world
end

describe("world:spawn", function()
  local entities, world

  before_each(function()
    entities = cuttle.entity_manager()
    world = define(cuttle.world(entities))
  end)

  local function load(source, maker)
    return assert(cuttle.resource((assert(cuttle.compiler(maker or world):compile(source)))))
  end

  local function position(e)
    local m = { world.transform:read(e, "world_matrix") }
    return { m[13], m[14], m[15] }
  end

  local function rows(name) return world:manager(name):count() end

  describe("creates", function()
    it("every entity of the resource, in its order", function()
      local level = world:spawn(load(TREE))
      assert.equal(6, level:count())
      assert.equal(6, entities:count())
      local names = {}
      for i, e in ipairs(level:entities()) do names[i] = world.debug_name:debug_name(e) end
      assert.are.same({ "car", "seat", "driver", "bulb", "lamp", "bulb" }, names)
      valid(world)
    end)

    it("components with their values", function()
      local level = world:spawn(load(TREE))
      assert.equal(5, world.health:hp(level:find "car"))
      assert.equal("orc", world.health:title(level:find "car"))
      assert.are.same({ "a", 1 }, world.wheel:ids(level:find "lamp"))
    end)

    it("references between the entities", function()
      local level = world:spawn(load(TREE))
      assert.equal(level:find "lamp", world.health:target(level:find "car"))
    end)

    it("transforms linked to the nearest ancestor that has one", function()
      local level = world:spawn(load(TREE))
      assert.are.same({ 1, 1, 0 }, position(level:find "driver"))
    end)

    it("independent levels of the same resource, any number of times", function()
      local resource = load(TREE)
      local first, second = world:spawn(resource), world:spawn(resource)
      assert.are_not.equal(first:find "car", second:find "car")
      assert.equal(second:find "lamp", world.health:target(second:find "car"))
      assert.equal(12, entities:count())
      valid(world)
    end)

    it("levels of one resource in several worlds of one entity manager", function()
      local other = define(cuttle.world(entities))
      local resource = load(TREE)
      local here, there = world:spawn(resource), other:spawn(resource)
      assert.is_false(world.transform:has(there:find "car"))
      assert.is_true(other.transform:has(there:find "car"))
      assert.is_true(world.transform:has(here:find "car"))
    end)

    it("nothing from an empty resource", function()
      local level = world:spawn(load { entities = {} })
      assert.equal(0, level:count())
      assert.are.same({}, level:entities())
    end)

    it("more than ten thousand entities at once", function()
      local source = { entities = {} }
      for i = 1, 12000 do
        source.entities[i] = { name = "e" .. i % 100, components = { health = { hp = i }, wheel = { {}, {} } } }
      end
      local level = world:spawn(load(source))
      assert.equal(12000, level:count())
      assert.equal(24000, rows "wheel")
      assert.equal(7777, world.health:hp(level:entity(7777)))
      valid(world)
    end)

    it("entities at indices of dead ones that were not collected", function()
      entities = cuttle.entity_manager { minimum_free_indices = 0 }
      world = define(cuttle.world(entities))
      local resource = load(TREE)
      for _ = 1, 20 do
        local level = world:spawn(resource)
        assert.equal(5, world.health:hp(level:find "car"))
        level:unload()
        valid(world)
      end
      world:gc()
      assert.equal(0, rows "transform")
      valid(world)
    end)
  end)

  describe("with a pose", function()
    it("moves the roots and their descendants", function()
      local level = world:spawn(load(TREE), { position = { 10, 0, 0 } })
      assert.are.same({ 11, 0, 0 }, position(level:find "car"))
      assert.are.same({ 11, 1, 0 }, position(level:find "driver"))
      assert.are.same({ 14, 0, 0 }, position(level:find "lamp"))
      valid(world)
    end)

    it("composes it with each root's own pose", function()
      local level = world:spawn(load(TREE), { scale = 3, angle = math.pi / 2 })
      local at = position(level:find "lamp")
      assert.near(0, at[1], 1e-5)
      assert.near(12, at[2], 1e-5)
      local scale = { world.transform:read(level:find "lamp/bulb", "world_matrix") }
      assert.near(6, math.sqrt(scale[1]^2 + scale[2]^2 + scale[3]^2), 1e-5)
      valid(world)
    end)

    it("accepts a rotation, and normalizes it", function()
      local level = world:spawn(load(TREE), { rotation = { 0, 0, 5, 5 } })
      local at = position(level:find "car")
      assert.near(1, at[2], 1e-5)
      valid(world)
    end)
  end)

  describe("with a parent", function()
    it("links the roots to it, relative to its pose", function()
      local parent = world:create { transform = { position = { 0, 0, 7 } } }
      local level = world:spawn(load(TREE), { parent = parent, position = { 1, 0, 0 } })
      assert.are.same({ 2, 0, 7 }, position(level:find "car"))
      assert.are.same({ 2, 1, 7 }, position(level:find "driver"))
      valid(world)
    end)

    it("raises if the parent is dead, has no transform or is not an entity", function()
      local resource = load(TREE)
      local dead, bare = entities:create(), entities:create()
      entities:destroy(dead)
      raises("parent: entity(0:0) is dead", function() world:spawn(resource, { parent = dead }) end)
      raises("parent: entity(1:0) has no transform", function() world:spawn(resource, { parent = bare }) end)
      raises("parent: entity expected, got number", function() world:spawn(resource, { parent = 5 }) end)
      assert.equal(1, entities:count())
    end)
  end)

  describe("raises", function()
    it("for an argument that is not a Resource", function()
      raises("Resource expected, got nil", function() world:spawn(nil) end)
      raises("Resource expected, got string", function() world:spawn("level.bin") end)
    end)

    it("for options of a wrong type or name", function()
      local resource = load(TREE)
      raises("bad argument #2 to 'spawn' (unknown option 'postion' (did you mean 'position'?))",
        function() world:spawn(resource, { postion = { 1, 2, 3 } }) end)
      raises("position: expected 3 numbers, got 2", function() world:spawn(resource, { position = { 1, 2 } }) end)
      raises("scale: expected 3 numbers, got string", function() world:spawn(resource, { scale = "big" }) end)
      raises("angle: not together with rotation",
        function() world:spawn(resource, { angle = 1, rotation = { 0, 0, 0, 1 } }) end)
      raises('unknown: "skip" or "error" expected', function() world:spawn(resource, { unknown = "ignore" }) end)
      raises("table expected, got number", function() world:spawn(resource, 5) end)
      assert.equal(0, entities:count())
    end)

    it("if the world is destroyed", function()
      local resource = load(TREE)
      world:destroy()
      raises("world is destroyed", function() world:spawn(resource) end)
    end)
  end)

  describe("with a component type that is not defined in the world", function()
    local resource

    before_each(function()
      resource = load(TREE)
      world = cuttle.world(entities)
    end)

    it("skips it, and level:skipped returns the number", function()
      local level = world:spawn(resource)
      assert.are.same({ health = 1, wheel = 2 }, level:skipped())
      assert.equal(6, level:count())
      valid(world)
    end)

    it('refuses it with unknown = "error"', function()
      local level, message = world:spawn(resource, { unknown = "error" })
      assert.is_nil(level)
      assert.equal("health: 1 instance of a component type that the world does not know", message)
      assert.equal(0, entities:count())
    end)

    it("skips nothing if all types are defined", function()
      assert.are.same({}, define(world):spawn(resource):skipped())
    end)
  end)

  describe("that fails", function()
    it("because a component has other fields spawns nothing", function()
      local resource = load(TREE)
      world = cuttle.world(entities)
      world:define("health", { { "hp", "double" } })
      local level, message = world:spawn(resource)
      assert.is_nil(level)
      assert.equal("health: the resource was compiled for other fields (hp was float, is double): compile it again",
        message)
      assert.equal(0, entities:count())
      assert.equal(0, rows "transform")
    end)

    it("names the file of the resource in the message", function()
      local path = os.tmpname()
      cuttle.compiler(world):compile_file(path, path)
      local file = assert(io.open(path, "wb"))
      file:write((assert(cuttle.compiler(world):compile(TREE))))
      file:close()
      local resource = assert(cuttle.load(path))
      os.remove(path)
      local _, message = cuttle.world(entities):spawn(resource, { unknown = "error" })
      assert.equal(path .. ": health: 1 instance", message:sub(1, #path + 20))
    end)

    it("leaves nothing if any allocation fails", function()
      if not core.testing then pending "only test builds make allocations fail" end
      local resource = load(TREE)
      local fail_in, failures, done = core.testing.fail_in, 0
      repeat
        local own_entities = cuttle.entity_manager()
        local other = own_entities:create()
        local w = define(cuttle.world(own_entities))
        fail_in(failures)
        local level, message = w:spawn(resource)
        fail_in(-1)
        if not level then
          assert.equal("not enough memory", message)
          assert.equal(1, own_entities:count())
          assert.is_true(own_entities:alive(other))
          for name, manager in w:managers() do assert.equal(0, manager:count(), name) end
        end
        valid(w)
        failures, done = failures + 1, level ~= nil
      until done
      assert.is_true(failures > 5)
    end)

    it("for lack of free entities spawns nothing", function()
      local resource = load(TREE)
      local list = entities:create_list(cuttle.MAX_ENTITIES - 5)
      local level, message = world:spawn(resource)
      assert.is_nil(level)
      assert.equal("entity manager is full (4194299 alive): 5 of 6 fit", message)
      entities:destroy(list:get(1))
      assert.equal(6, world:spawn(resource):count())
    end)
  end)

  describe("gives a level, which", function()
    local level

    before_each(function() level = world:spawn(load(TREE)) end)

    it("returns its entities one by one, in a table and in a list", function()
      local all = level:entities()
      assert.equal(level:entity(1), all[1])
      assert.equal(level:entity(6), all[6])
      assert.are.same(all, level:list():totable())
      assert.is_nil(level:entity(0))
      assert.is_nil(level:entity(7))
    end)

    it("returns its roots", function()
      assert.are.same({ level:find "car", level:find "lamp" }, level:roots())
    end)

    it("finds the first entity of a name in the resource's order", function()
      assert.equal(level:entity(4), level:find "bulb")
    end)

    it("finds children by path", function()
      assert.equal(level:entity(6), level:find "lamp/bulb")
      assert.equal(level:entity(3), level:find "car/seat/driver")
      assert.equal(level:entity(3), level:find "seat/driver")
    end)

    it("finds nothing by names and paths that do not exist", function()
      for _, path in ipairs { "", "/", "x", "car/driver", "/car", "car/", "lamp/bulb/x", "ca", "car\0" } do
        assert.is_nil(level:find(path), path)
      end
    end)

    it("finds living entities only", function()
      entities:destroy(level:find "bulb")
      assert.equal(level:entity(6), level:find "bulb")
      entities:destroy(level:find "bulb")
      assert.is_nil(level:find "bulb")
    end)

    it("finds by the names in the resource, even after entities were renamed", function()
      local car = level:find "car"
      world.debug_name:set_debug_name(car, "truck")
      assert.equal(car, level:find "car")
      assert.is_nil(level:find "truck")
    end)

    it("still returns dead entities", function()
      entities:destroy(level:find "car")
      assert.equal(6, level:count())
      assert.equal(6, #level:entities())
    end)

    it("refuses a path that is not a string", function()
      raises("string expected, got nil", function() level:find(nil) end)
    end)

    it("has a text with the number of its entities", function()
      assert.equal("Level (6 entities)", tostring(level))
    end)

    describe("when it is unloaded", function()
      it("destroys its living entities", function()
        local other = entities:create()
        entities:destroy(level:find "car")
        assert.equal(5, level:unload())
        assert.equal(1, entities:count())
        assert.is_true(entities:alive(other))
        valid(world)
      end)

      it("is empty", function()
        level:unload()
        assert.equal(0, level:count())
        assert.are.same({}, level:entities())
        assert.are.same({}, level:roots())
        assert.equal(0, level:list():count())
        assert.is_nil(level:find "car")
        assert.is_nil(level:entity(1))
      end)

      it("does nothing the second time", function()
        level:unload()
        assert.equal(0, level:unload())
      end)

      it("moves no rows, which gc removes", function()
        local before = rows "transform"
        level:unload()
        assert.equal(before, rows "transform")
        world:gc()
        assert.equal(0, rows "transform")
      end)

      it("runs destroy callbacks for each entity, which can read its components", function()
        local names = {}
        entities:on_destroy(function(e) names[#names + 1] = world.debug_name:debug_name(e) end)
        level:unload()
        assert.are.same({ "car", "seat", "driver", "bulb", "lamp", "bulb" }, names)
      end)

      it("runs every callback before it raises the first error", function()
        local calls = 0
        entities:on_destroy(function()
          calls = calls + 1
          error("callback " .. calls, 0)
        end)
        raises("callback 1", function() level:unload() end)
        assert.equal(6, calls)
        assert.equal(0, level:count())
        assert.equal(0, entities:count())
      end)

      it("tolerates unload and restart in its own callbacks", function()
        local results = {}
        entities:on_destroy(function()
          results[1] = level:unload()
          results[2], results[3] = level:restart()
        end)
        assert.equal(6, level:unload())
        assert.are.same({ 0, nil, "the level is being unloaded" }, { results[1], results[2], results[3] })
        assert.equal(0, entities:count())
      end)
    end)

    describe("when it is restarted", function()
      it("has the state of its spawn", function()
        local old = level:find "car"
        world.health:set_hp(old, 1)
        entities:destroy(level:find "lamp")
        assert.equal(level, level:restart())
        assert.is_false(entities:alive(old))
        assert.equal(6, entities:count())
        assert.equal(5, world.health:hp(level:find "car"))
        valid(world)
      end)

      it("has the options of its spawn, even if the table changed", function()
        local options = { position = { 10, 0, 0 } }
        level = world:spawn(load(TREE), options)
        options.position[1], options.scale = 99, 5
        level:restart()
        assert.are.same({ 11, 0, 0 }, position(level:find "car"))
      end)

      it("can be restarted after it was unloaded", function()
        level:unload()
        assert.equal(level, level:restart())
        assert.equal(6, level:count())
      end)

      it("is unchanged if its parent has died", function()
        local parent = world:create { transform = {} }
        level = world:spawn(load(TREE), { parent = parent })
        local car = level:find "car"
        entities:destroy(parent)
        local result, message = level:restart()
        assert.is_nil(result)
        assert.matches("parent: entity%(%d+:%d+%) is dead", message)
        assert.equal(car, level:find "car")
      end)

      it("is unchanged if a component was defined with other fields", function()
        level:unload()
        world:gc()
        world:define("wheel", { { "radius", "double" } }, { multiple = true })
        local result, message = level:restart()
        assert.is_nil(result)
        assert.matches("^wheel: the resource was compiled for other fields", message)
      end)

      it("has its new entities if a callback of an old one raises, and the error is raised at the end", function()
        local old = level:find "car"
        local token = entities:on_destroy(function() error("stop", 0) end)
        assert.error(function() level:restart() end, "stop")
        assert.is_false(entities:alive(old))
        assert.equal(6, level:count())
        assert.equal(6, entities:count())
        entities:off_destroy(token)
        assert.equal(level, level:restart())
      end)

      it("is unchanged if old and new entities do not fit", function()
        local list = entities:create_list(cuttle.MAX_ENTITIES - entities:count())
        local car = level:find "car"
        local result, message = level:restart()
        assert.is_nil(result)
        assert.matches("entity manager is full (4194304 alive): 0 of 6 fit", message, 1, true)
        assert.equal(car, level:find "car")
        assert.equal(cuttle.MAX_ENTITIES, entities:count())
        list:clear()
      end)

      it("has its new entities in all hooks, while the old ones are alive", function()
        local own, old, seen = level, level:find "car", {}
        world.health:on_add(function(e) seen[#seen + 1] = e == own:find "car" and entities:alive(old) end)
        world.health:on_remove(function(e)
          seen[#seen + 1] = e == old and own:find "car" ~= old and entities:alive(own:find "car")
          seen[#seen + 1] = own:unload() == 0 and select(2, own:restart())
        end)
        assert.equal(own, own:restart())
        assert.are.same({ true, true, "the level is being unloaded" }, seen)
      end)

      it("becomes the last of world:levels, but keeps its place if it fails", function()
        local other = assert(world:spawn(load(TREE)))
        world.health:on_add(function() error("stop", 0) end)
        assert.is_nil((level:restart()))
        assert.are.same({ level, other }, world:levels())
        world:clear()
      end)

      it("keeps entities that got the ids of old ones while hooks ran", function()
        local own = cuttle.entity_manager { minimum_free_indices = 0 }
        local small = cuttle.world(own)
        small:define("health", { { "hp", "float" } })
        local blob = assert(cuttle.compiler(small):compile { entities = { { components = { health = {} } } } })
        local single = assert(small:spawn(assert(cuttle.resource(blob))))
        local old, reused = single:entity(1), nil
        small.health:on_add(function()
          if reused then return end
          reused = old
          repeat
            own:destroy(reused)
            reused = own:create()
          until reused == old
        end)
        assert.equal(single, single:restart())
        assert.is_true(own:alive(reused))
        assert.are_not.equal(reused, single:entity(1))
        assert.equal(2, own:count())
        valid(small)
      end)
    end)

    it("without entities can be spawned, restarted and unloaded any number of times", function()
      local empty = assert(world:spawn(load { entities = {} }))
      assert.equal(0, empty:count())
      for _ = 1, 20 do
        assert.equal(empty, assert(empty:restart()))
        assert.equal(0, empty:unload())
      end
      collectgarbage()
      assert.equal(0, empty:count())
      assert.same({}, empty:entities())
      valid(world)
      world:destroy()
      raises("world is destroyed", empty.count, empty)
    end)

    describe("when its world is destroyed", function()
      it("is unloaded", function()
        local other = entities:create()
        world:destroy()
        assert.equal(1, entities:count())
        assert.is_true(entities:alive(other))
      end)

      it("raises in all methods", function()
        world:destroy()
        for _, method in ipairs { "count", "entities", "roots", "list", "restart", "unload", "skipped" } do
          raises("world is destroyed", function() level[method](level) end)
        end
      end)

      it("is unloaded even if no script refers to it", function()
        level = nil -- luacheck: ignore
        collectgarbage()
        assert.equal(6, entities:count())
        world:destroy()
        assert.equal(0, entities:count())
      end)

      it("is unloaded when the world is collected", function()
        level, world = nil, nil
        collect()
        assert.equal(0, entities:count())
      end)

      it("runs callbacks, and world:destroy raises their first error", function()
        entities:on_destroy(function() error("last words", 0) end)
        raises("last words", function() world:destroy() end)
        raises("world is destroyed", function() world:gc() end)
      end)
    end)

    it("does not treat an entity with a reused id as its own", function()
      entities = cuttle.entity_manager { minimum_free_indices = 0 }
      world = define(cuttle.world(entities))
      level = world:spawn(load { entities = { { name = "a" } } })
      local old = level:entity(1)
      entities:destroy(old)
      local reused
      repeat
        reused = entities:create()
        if reused ~= old then entities:destroy(reused) end
      until reused == old
      assert.is_nil(level:find "a")
      assert.equal(old, level:entity(1))
      assert.are.same({ old }, level:list():totable())
      assert.equal(0, level:unload())
      assert.is_true(entities:alive(reused))
    end)

    it("does not treat entities with reused ids as its own, for many ids", function()
      entities = cuttle.entity_manager { minimum_free_indices = 0 }
      world = define(cuttle.world(entities))
      local source = { entities = {} }
      for i = 1, 300 do source.entities[i] = { name = "e" .. i } end
      local resource = load(source)
      for _, fail_at in ipairs { -1, 0 } do
        level = world:spawn(resource)
        local kept = world:spawn(resource)
        local old, own = level:entities(), kept:entities()
        entities:destroy(old)
        local reused
        repeat
          if reused then entities:destroy(reused) end
          -- The index of reused ids may not get memory.
          if core.testing then core.testing.fail_in(fail_at) end
          reused = entities:create(300)
          if core.testing then core.testing.fail_in(-1) end
        until entities:alive(old[1])
        assert.is_true(entities:alive(old[300]))
        for i = 1, 300 do
          assert.is_nil(level:find("e" .. i))
          assert.equal(old[i], level:entity(i))
          assert.equal(own[i], kept:find("e" .. i))
        end
        assert.equal(0, level:unload())
        assert.equal(300, entities:destroy(reused))
        assert.equal(300, kept:unload())
        valid(world)
      end
    end)

    it("without living entities is not kept alive by its world", function()
      local resource, levels = load { entities = { {} } }, setmetatable({}, { __mode = "k" })
      for _ = 1, 200 do
        local bullet = world:spawn(resource)
        levels[bullet] = true
        entities:destroy(bullet:entity(1))
      end
      collect()
      local kept = 0
      for _ in pairs(levels) do kept = kept + 1 end
      assert.is_true(kept < 50, kept)
      level:unload()
      valid(world)
    end)
  end)

  describe("in a destroy callback", function()
    it("works, and does not change the dying entity", function()
      local resource = load { entities = { { name = "blast", components = { transform = {} } } } }
      local blasts = {}
      local token = entities:on_destroy(function() blasts[#blasts + 1] = world:spawn(resource) end)
      local level = world:spawn(load(TREE))
      level:unload()
      entities:off_destroy(token)
      assert.equal(6, #blasts)
      assert.equal(6, entities:count())
      valid(world)
    end)

    it("fails while the world is destroyed, and does not prevent that", function()
      local resource = load { entities = { {} } }
      world:spawn(resource)
      local message
      entities:on_destroy(function() message = select(2, pcall(world.spawn, world, resource)) end)
      world:destroy()
      assert.matches("world is being destroyed", message)
      raises("world is destroyed", function() world:spawn(resource) end)
    end)

    it("keeps the world in use, so that it cannot be destroyed there", function()
      local level = world:spawn(load(TREE))
      local message
      entities:on_destroy(function() message = select(2, pcall(world.destroy, world)) end)
      level:unload()
      assert.matches("world is in use", message)
    end)
  end)
end)
