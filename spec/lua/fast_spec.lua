-- tags: ffi

local cuttle = require "cuttle"
local collect = require "spec.support.collect"
local kinds = require "spec.support.kinds"
local raises = require "spec.support.raises"
local seed = require "spec.support.seed"

local NAN, INFINITY = 0 / 0, math.huge

for _, kind in ipairs(kinds) do
  -- An entity manager and a world with methods of the kind.
  local function fixture(rows, options)
    local entities = kind.with(cuttle.entity_manager, { minimum_free_indices = 0 })
    local world = kind.with(cuttle.world, entities)
    local health = kind.with(world.define, world, "health", { { "hp", "float" } }, options)
    local list = entities:create(rows or 0)
    health:create_many(list)
    return world, health, list, entities
  end

  local function rows_of(world, ...)
    return kind.with(world.rows, world, ...)
  end

  describe("alive_id (" .. kind.name .. ")", function()
    it("is true for living entities", function()
      local _, _, list, entities = fixture(3)
      for _, e in ipairs(list) do assert.is_true(entities:alive_id(cuttle.entity_id(e))) end
    end)

    it("is false for a dead entity, and true for the entity that reuses its index", function()
      local _, _, list, entities = fixture(3)
      local old = cuttle.entity_id(list[2])
      entities:destroy(list[2])
      assert.is_false(entities:alive_id(old))
      local new = cuttle.entity_id(entities:create())
      assert.is_false(entities:alive_id(old))
      assert.is_true(entities:alive_id(new))
      assert.equal(old + 2 ^ 22, new)
    end)

    it("is false for every other 32-bit number", function()
      local _, _, list, entities = fixture(3)
      entities:destroy(list[1])
      for generation = 1, 1023 do assert.is_false(entities:alive_id(generation * 2 ^ 22)) end
      for _, id in ipairs { cuttle.NOBODY, 3, 2 ^ 22 + 1, 2 ^ 30, 2 ^ 31 - 1, 2 ^ 31, 2 ^ 32 - 2 } do
        assert.is_false(entities:alive_id(id))
      end
    end)

    it("raises for a value that is not a 32-bit integer", function()
      local _, _, _, entities = fixture(3)
      for _, id in ipairs { -1, 0.5, 2 ^ 32, INFINITY, -INFINITY, NAN } do
        raises("integer in [0, 4294967295] expected, got ", entities.alive_id, entities, id)
      end
      raises("number expected, got string", entities.alive_id, entities, "1")
      raises("number expected, got no value", entities.alive_id, entities)
      raises("number expected, got nil", entities.alive_id, entities, nil)
    end)

    it("raises when it is called on any object but an entity manager", function()
      local world, _, _, entities = fixture(3)
      raises("EntityManager expected", entities.alive_id, world, 1)
      raises("EntityManager expected", entities.alive_id, 1)
      raises("EntityManager expected", entities.alive_id)
    end)

    it("is named in errors", function()
      local _, _, _, entities = fixture(3)
      local message = raises("bad argument #1 to 'alive_id'", function() local x = entities:alive_id(0.5) return x end)
      assert.truthy(message:find("fast_spec.lua:", 1, true))
    end)

    it("is false in destroy callbacks", function()
      local _, _, list, entities = fixture(3)
      local seen
      entities:on_destroy(function(e) seen = entities:alive_id(cuttle.entity_id(e)) end)
      entities:destroy(list[1])
      assert.is_false(seen)
    end)

    it("follows the growth of the manager in a hot loop", function()
      local _, _, _, entities = fixture(1)
      local right = 0
      for i = 0, 999 do
        if entities:alive_id(i) and not entities:alive_id(i + 1) then right = right + 1 end
        entities:create()
      end
      assert.equal(1000, right)
    end)
  end)

  describe("row_of_id (" .. kind.name .. ")", function()
    for _, lookup in ipairs { "hash", "array" } do
      it("finds rows by id, with lookup " .. lookup, function()
        local _, health, list, entities = fixture(100, { lookup = lookup })
        for i, e in ipairs(list) do assert.equal(i - 1, health:row_of_id(cuttle.entity_id(e))) end
        health:destroy(list[10])
        assert.is_nil(health:row_of_id(cuttle.entity_id(list[10])))
        assert.equal(9, health:row_of_id(cuttle.entity_id(list[100])))
        entities:destroy(list[20])
        assert.is_nil(health:row_of_id(cuttle.entity_id(list[20])))
        assert.is_nil(health:row_of_id(cuttle.entity_id(entities:create())))
      end)
    end

    it("is nil for NOBODY and for ids that were never issued", function()
      local _, health = fixture(3)
      for _, id in ipairs { cuttle.NOBODY, 3, 2 ^ 22, 2 ^ 30, 2 ^ 31 - 1, 2 ^ 31, 2 ^ 32 - 2 } do
        assert.is_nil(health:row_of_id(id))
      end
    end)

    it("raises for a value that is not a 32-bit integer", function()
      local _, health = fixture(3)
      for _, id in ipairs { -1, 0.5, 2 ^ 32, INFINITY, NAN } do
        raises("integer in [0, 4294967295] expected, got ", health.row_of_id, health, id)
      end
      raises("number expected, got table", health.row_of_id, health, {})
      raises("number expected, got no value", health.row_of_id, health)
    end)

    it("raises when it is called on any object but a component manager", function()
      local world, health = fixture(3)
      raises("component manager expected", health.row_of_id, world, 1)
      raises("component manager expected", health.row_of_id, nil, 1)
    end)

    it("finds the row of an entity that is being destroyed", function()
      local _, health, list, entities = fixture(3)
      local seen
      entities:on_destroy(function(e) seen = health:row_of_id(cuttle.entity_id(e)) end)
      entities:destroy(list[2])
      assert.equal(1, seen)
      assert.is_nil(health:row_of_id(cuttle.entity_id(list[2])))
    end)

    it("raises for any number after the world was destroyed", function()
      local world, health = fixture(3)
      world:destroy()
      for _, id in ipairs { 0, 99, cuttle.NOBODY, 2 ^ 31, 0.5 } do
        raises("world is destroyed", health.row_of_id, health, id)
      end
    end)

    it("raises after its component was defined again", function()
      local world, health = fixture()
      world:define("health", { { "other", "float" } })
      raises("health was defined again", health.row_of_id, health, 0)
    end)

    it("raises in a hot loop when the world is destroyed inside it", function()
      local world, health = fixture(200)
      local reached
      raises("world is destroyed", function()
        for i = 0, 199 do
          reached = i
          if i == 150 then world:destroy() end
          health:row_of_id(i)
        end
      end)
      assert.equal(150, reached)
    end)
  end)

  describe("methods of entities (" .. kind.name .. ")", function()
    local NUMBERS = {
      { "float", 1.5 }, { "double", 1 / 3 }, { "int8", -128 }, { "uint8", 255 }, { "int16", -3 }, { "uint16", 65535 },
      { "int32", -2 ^ 31 }, { "uint32", 2 ^ 32 - 1 }, { "bool", true }, { "vec2", 1, 2 }, { "vec3", 1, 2, 3 },
      { "vec4", 1, 2, 3, 4 }, { "quat", 0, 0, 1, 0 }, { "color", 0.25, 0.5, 0.75, 1 },
      { "mat4", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 }, { "string", "x" }, { "value", "y" },
      { "enum", "b", more = { "a", "b" } }, { "dvec2", 0.1, 0.2 }, { "dvec3", 0.1, -1e300, 0.3 },
    }

    -- A manager with a field of each type, and three entities with its component.
    local function all_types()
      local world, _, list, entities = fixture(3)
      local fields = {}
      for i, given in ipairs(NUMBERS) do fields[i] = { "f" .. i, given[1], given.more } end
      local all = kind.with(world.define, world, "all", fields)
      all:create_many(list)
      return all, list, entities, world
    end

    it("read and write every type, by entity and by instance", function()
      local all, list = all_types()
      for i, given in ipairs(NUMBERS) do
        local before = { all["f" .. i](all, list[1]) }
        for _, target in ipairs { list[2], all:lookup(list[3]) } do
          for _ = 1, 100 do all["set_f" .. i](all, target, unpack(given, 2)) end
          for _ = 1, 100 do assert.are.same({ unpack(given, 2) }, { all["f" .. i](all, target) }) end
        end
        assert.are.same(before, { all["f" .. i](all, list[1]) })
      end
    end)

    it("give the same in loops over instances, also if a debug hook calls others", function()
      local world, health, list = fixture(200)
      for i = 1, 200, 2 do world.debug_name:create(list[i], { name = "n" .. i }) end
      local query = kind.with(world.query, world, "health", "?debug_name")
      local function check()
        local count = 0
        for e, instance, name in query:each() do
          count = count + 1
          assert.equal(list[count], e)
          assert.equal(health:lookup(e), instance)
          assert.equal(world.debug_name:lookup(e), name)
          health:set_hp(instance, count)
        end
        assert.equal(200, count)
        for e, instance in health:each() do
          count = count - 1
          assert.equal(health:hp(e), health:hp(instance))
        end
        assert.equal(0, count)
      end
      for _ = 1, 5 do check() end
      world:create { transform = {} }
      debug.sethook(function() for _ in world.transform:each() do health:hp(list[7]) end end, "", 1)
      local ok, message = pcall(check)
      debug.sethook()
      assert.is_true(ok, message)
      check()
    end)

    it("keep the values of a hot loop that were read before other calls", function()
      local world, _, list = fixture(100)
      local fields = { { "v", "dvec3" }, { "n", "double" } }
      local one, two = kind.with(world.define, world, "one", fields), kind.with(world.define, world, "two", fields)
      for i = 1, 100 do
        one:create(list[i], { v = { i, i, i }, n = i })
        two:create(list[i], { v = { 0.5, 0.5, 0.5 }, n = 0.5 })
      end
      local function by_entity(first, second, factor)
        for i = 1, 100 do
          local e = list[i]
          local x, y, z = first:v(e)
          local a, b, c = second:v(e)
          first:set_v(e, x + a * factor, y + b * factor, z + c * factor)
        end
      end
      local query = kind.with(world.query, world, "one", "two")
      local function by_instance(first, second, factor)
        for _, i, j in query:each() do
          local x, y, z = first:v(i)
          local a, b, c = second:v(j)
          first:set_v(i, x + a * factor, y + b * factor, z + c * factor)
        end
      end
      local column = kind.with(one.column, one, "n")
      local function by_column()
        local sum = 0
        for i = 0, 99 do
          local before = column[i]
          one:set_n(list[i + 1], before + 1)
          sum = sum + (column[i] - before)
        end
        assert.equal(100, sum)
      end
      local function by_item()
        local sum = 0
        for item in query:items() do
          local before = item.n
          one:set_n(item.entity, before + 1)
          sum = sum + (item.n - before)
        end
        assert.equal(100, sum)
      end
      for round = 1, 20 do
        by_entity(one, two, 1)
        by_instance(one, two, 1)
        for i = 1, 100 do
          assert.are.same({ i + round, i + round, i + round }, { one:v(list[i]) })
        end
        by_column()
        by_item()
      end
    end)

    it("take only instances as numbers", function()
      local all, list = all_types()
      local good = all:lookup(list[2])
      local function get(number) return all:f2(number) end
      local function set(number) return all:set_f2(number, 0.25) end
      for _, bad in ipairs { good + 0.5, good + 2, good - 2 ^ 22, good + 2 ^ 22, -good, 0, 0.5, 2, 2 ^ 22, 2 ^ 53,
        2 ^ 53 + 2, 2 ^ 60, 1 / 0, -1 / 0, NAN } do
        for _, method in ipairs { get, set } do
          local reason = select(2, pcall(method, bad))
          assert.is_string(reason)
          for _ = 1, 100 do method(good) end
          for _ = 1, 100 do assert.are.same({ false, reason }, { pcall(method, bad) }) end
        end
      end
      assert.equal(0.25, all:f2(list[2]))
      assert.equal(0, all:f2(list[3]))
    end)

    it("normalize NaN, and refuse values out of a type's range", function()
      local all, list = all_types()
      for _ = 1, 100 do all:set_f1(list[1], NAN) end
      for _ = 1, 100 do all:set_f2(list[1], -NAN) end
      for _ = 1, 100 do assert.is_true(all:f1(list[1]) ~= all:f1(list[1]) and all:f2(list[1]) ~= all:f2(list[1])) end
      for _ = 1, 100 do
        raises("got 128", all.set_f3, all, list[1], 128)
        raises("got 0.5", all.set_f8, all, list[1], 0.5)
        raises("expected a boolean, got number", all.set_f9, all, list[1], 1)
        raises("number expected, got no value", all.set_f11, all, list[1], 1, 2)
        raises("expected 3 numbers, got 4", all.set_f11, all, list[1], 1, 2, 3, 4)
        raises("number expected, got string", all.set_f11, all, list[1], 1, "2", 3)
      end
      assert.are.same({ 0, 0, 0 }, { all:f11(list[1]) })
    end)

    it("raise in a hot loop for the dead, the stale and any other value, and name the method", function()
      local _, health, list, entities = fixture(200)
      local stale = health:lookup(list[1])
      entities:destroy(list[150])
      local function sum(method)
        local reached
        local ok, message = pcall(function()
          for i = 1, 200 do
            reached = i
            health[method](health, list[i], 1)
          end
        end)
        return ok, message, reached
      end
      for _, method in ipairs { "hp", "set_hp" } do
        local ok, message, reached = sum(method)
        assert.is_false(ok)
        assert.matches("entity(149:0) is dead", message, 1, true)
        assert.equal(150, reached)
      end
      health:destroy(list[1])
      for _, wrong in ipairs { stale, 0, -1, 0.5, NAN, "x", list, entities, health, true } do
        for _, method in ipairs { "hp", "set_hp" } do
          local c_ok, c_message = pcall(health.read, health, wrong, "hp")
          local ok, message = pcall(function() return health[method](health, wrong, 1) end)
          assert.is_false(c_ok or ok)
          assert.equal(c_message:match "%((.*)%)$", message:match "%((.*)%)$")
        end
      end
      raises("bad argument #1 to 'hp' (", function() health:hp(list[150]) end)
    end)

    it("raise on any other object, without an object, and after the world was destroyed", function()
      local world, health, list, entities = fixture(3)
      raises("component manager expected", health.hp, entities, list[1])
      raises("component manager expected", health.set_hp, nil, list[1], 1)
      raises("component manager expected", health.has, entities, list[1])
      raises("EntityManager expected", entities.alive, health, list[1])
      local get, set, has = health.hp, health.set_hp, health.has
      world:destroy()
      for _ = 1, 100 do
        raises("world is destroyed", get, health, list[1])
        raises("world is destroyed", set, health, list[1], 1)
        raises("world is destroyed", has, health, list[1])
      end
    end)

    it("read a component of an entity that is being destroyed, and refuse to write it", function()
      local _, health, list, entities = fixture(100)
      local read, wrote = 0, 0
      entities:on_destroy(function(e)
        if health:hp(e) == 7 then read = read + 1 end
        if pcall(health.set_hp, health, e, 1) then wrote = wrote + 1 end
        assert.is_false(entities:alive(e))
      end)
      for _, e in ipairs(list) do health:set_hp(e, 7) end
      for _, e in ipairs(list) do entities:destroy(e) end
      assert.are.same({ 100, 0 }, { read, wrote })
    end)

    it("return which entities are alive, and which have a component", function()
      local _, health, list, entities = fixture(200)
      local none = entities:create()
      for i = 1, 200, 2 do entities:destroy(list[i]) end
      local alive, having = 0, 0
      for _ = 1, 3 do
        for _, e in ipairs(list) do
          if entities:alive(e) then alive = alive + 1 end
          if health:has(e) then having = having + 1 end
        end
      end
      assert.are.same({ 300, 300, true, false }, { alive, having, entities:alive(none), health:has(none) })
      raises("entity expected, got number", entities.alive, entities, 1)
      raises("entity expected, got no value", entities.alive, entities)
      raises("entity expected, got userdata", health.has, health, entities)
      for _ = 1, 100 do
        for _, name in ipairs { "has", "lookup", "create" } do
          raises("entity expected, got number", health[name], health, health:lookup(list[2]))
          raises("entity expected, got number", health[name], health, 0)
        end
      end
    end)

    it("return their own results when a debug hook reads in between", function()
      local _, health, list = fixture(3)
      for i, e in ipairs(list) do health:set_hp(e, i) end
      local hook, sum = { debug.gethook() }, 0
      for steps = 1, 60 do
        debug.sethook(function()
          health:hp(list[3])
          health:has(list[3])
        end, "", steps)
        for _ = 1, 10 do sum = sum + health:hp(list[1]) + health:hp(list[2]) end
        health:set_hp(list[1], 1)
        debug.sethook(unpack(hook))
      end
      assert.equal(60 * 30, sum)
      assert.are.same({ 1, 2, 3 }, { health:hp(list[1]), health:hp(list[2]), health:hp(list[3]) })
    end)

    it("return and write all numbers of a vector when a debug hook uses other rows in between", function()
      local world, _, list = fixture(2)
      local body = kind.with(world.define, world, "body", { { "spot", "vec3" } })
      for i, e in ipairs(list) do
        world.transform:create(e, { position = { i, i, i } })
        body:create(e, { spot = { i, i, i } })
      end
      local hook, seen = { debug.gethook() }, {}
      for steps = 1, 60 do
        debug.sethook(function()
          body:set_spot(list[2], 2, 2, 2)
          body:spot(list[2])
          world.transform:world_position(list[2])
        end, "", steps)
        for _ = 1, 10 do
          seen[#seen + 1] = ("%d %d %d"):format(body:spot(list[1]))
          seen[#seen + 1] = ("%d %d %d"):format(world.transform:world_position(list[1]))
          body:set_spot(list[1], 1, 1, 1)
        end
        debug.sethook(unpack(hook))
      end
      for _, text in ipairs(seen) do assert.equal("1 1 1", text) end
      assert.are.same({ 2, 2, 2 }, { body:spot(list[2]) })
    end)

    it("create no garbage, and keep no garbage of other objects alive", function()
      local world, health, list = fixture(100)
      local query, out = world:query("health"):where "health.hp > 5", cuttle.list()
      local formula = query:formula "health.hp -= 1"
      local function use()
        for i = 1, 100 do
          health:set_hp(list[i], health:hp(list[i]) + 1)
          query:list(out)
          formula()
        end
      end
      if kind.compiled then assert.is_true(kinds.garbage(use) < 0.1) end
      local weak = setmetatable({ newproxy() }, { __mode = "v" })
      pcall(health.hp, health, weak[1])
      collect()
      assert.is_nil(weak[1])
    end)
  end)

  describe("methods that create and destroy (" .. kind.name .. ")", function()
    -- The results of `f` for each number from 1 to 200, in a loop that LuaJIT compiles.
    local function results_of(f)
      local results = {}
      for i = 1, 200 do results[i] = f(i) end
      return results
    end

    it("return another living entity each time", function()
      local world, _, _, entities = fixture()
      local template = kind.with(world.template, world, { health = { hp = 5 }, transform = {} })
      local seen = {}
      for _, make in ipairs {
        function() return entities:create() end, function() return template:create() end,
      } do
        for _, e in ipairs(results_of(make)) do
          assert.is_true(entities:alive(e))
          assert.is_nil(seen[e])
          seen[e] = true
        end
      end
      assert.equal(400, entities:count())
      assert.equal(200, world.health:count())
      assert.equal(5, world.health:hp(world.health:entity_at(0)))
      assert.is_true(world:validate())
    end)

    it("return what happened to each entity", function()
      local world, health, list, entities = fixture(200)
      local tag = kind.with(world.define, world, "tag", {})
      for i = 1, 200, 2 do entities:destroy(list[i]) end
      local created = results_of(function(i) return i % 2 == 0 and tag:create(list[i]) end)
      local removed = results_of(function(i) return health:destroy(list[i]) end)
      local again = results_of(function(i) return health:destroy(list[i]) end)
      local died = results_of(function(i) return entities:destroy(list[i]) end)
      for i = 1, 200 do
        local alive = i % 2 == 0
        assert.equal(alive and "number" or "boolean", type(created[i]))
        assert.are.same({ alive and 1 or 0, 0, alive }, { removed[i], again[i], died[i] })
      end
      assert.is_true(world:validate())
    end)

    it("raise the errors of the methods in C", function()
      local world, health, list, entities = fixture(100)
      local dead = entities:create()
      entities:destroy(dead)
      local function fail_with(text, f)
        for _ = 1, 100 do raises(text, f) end
      end
      fail_with("already has a health", function() health:create(list[1]) end)
      fail_with("is dead", function() health:create(dead) end)
      fail_with("entity expected, got number", function() health:create(5) end)
      fail_with("entity expected, got nil", function() entities:destroy(nil) end)
      fail_with("stale health instance", function() health:destroy(2 ^ 40) end)
      fail_with("width: required", function() world.grid:create(list[1]) end)
      local template = kind.with(world.template, world, { health = {} })
      world:destroy()
      fail_with("world is destroyed", function() template:create() end)
      fail_with("world is destroyed", function() health:create(list[1]) end)
      fail_with("world is destroyed", function() health:destroy(list[1]) end)
    end)

    it("run the hooks and callbacks of scripts", function()
      local world, health, list, entities = fixture(200)
      local template, calls = kind.with(world.template, world, { health = {} }), {}
      local function count(name) calls[name] = (calls[name] or 0) + 1 end
      for i = 1, 200 do
        if i == 101 then -- the loop is compiled already
          health:on_add(function() count "added" end)
          health:on_remove(function() count "removed" end)
          entities:on_destroy(function() count "died" end)
        end
        health:destroy(list[i])
        health:create(list[i])
        template:create()
        entities:destroy(list[i])
      end
      assert.are.same({ added = 200, removed = 200, died = 100 }, calls)
    end)

    it("release the values of value fields, and keep those of templates", function()
      local world, _, list, entities = fixture(100)
      local bag = kind.with(world.define, world, "bag", { { "loot", "value" } })
      local template = kind.with(world.template, world, { bag = { loot = { 1, 2 } } })
      local weak = setmetatable({}, { __mode = "v" })
      for i = 1, 100 do
        weak[i] = {}
        bag:create(list[i], { loot = weak[i] })
        bag:destroy(list[i])
        assert.are.same({ 1, 2 }, bag:loot(template:create()))
      end
      collect()
      assert.is_nil(next(weak))
      assert.equal(200, entities:count())
    end)

    it("record deaths if the EntityManager has a trace", function()
      local entities = kind.with(cuttle.entity_manager, { trace = true })
      local dead
      for _ = 1, 100 do
        dead = entities:create()
        entities:destroy(dead)
      end
      local world = cuttle.world(entities)
      raises("fast_spec.lua:", function() world.transform:create(dead) end)
    end)

    it("give different components of a multiple manager different ids", function()
      local world, _, list = fixture(100)
      local item = kind.with(world.define, world, "item", { { "n", "int8" } }, { multiple = true })
      for _, e in ipairs(list) do
        item:create(e)
        item:create(e)
      end
      assert.are.same({ 1, 2 }, item:ids(list[1]))
      for _, e in ipairs(list) do assert.equal(2, item:destroy(e)) end
    end)

    it("create from tables of numbers, strings, bools and vectors", function()
      local world, _, list, entities = fixture(200)
      local item = kind.with(world.define, world, "item",
        { { "title", "string" }, { "heavy", "bool" }, { "spot", "vec2" }, { "worth", "int32" },
          { "sort", "enum", { "a", "b" } } })
      local function row_of(e)
        local x, y = item:spot(e)
        return { item:title(e), item:heavy(e), x, y, item:worth(e), item:sort(e) }
      end
      results_of(function(i)
        local values = { title = "n" .. i % 7, heavy = i % 2 == 0, spot = { i, -i }, worth = i }
        return item:create(list[i], values, "ignored")
      end)
      for i, e in ipairs(list) do assert.are.same({ "n" .. i % 7, i % 2 == 0, i, -i, i, "a" }, row_of(e)) end
      local made = results_of(function(i)
        return world:create { item = { title = ("x"):rep(i), sort = i % 50 == 0 and "b" or nil }, health = { hp = i } }
      end)
      for i, e in ipairs(made) do
        assert.are.same({ ("x"):rep(i), false, 0, 0, 0, i % 50 == 0 and "b" or "a" }, row_of(e))
        assert.equal(i, world.health:hp(e))
      end
      assert.equal(400, entities:count())
      assert.is_true(world:validate())
      entities:destroy(made)
      world:gc()
      assert.is_true(world:validate())
    end)

    it("refuse wrong tables as the methods in C do, and create nothing", function()
      local world, health, list, entities = fixture(1)
      local item = kind.with(world.define, world, "item", { { "title", "string" }, { "worth", "float" } })
      local e, tag = list[1], setmetatable({ title = "a" }, { __index = {} })
      local cases = {
        { "unknown field 'titl'", { titl = "a" } }, { "unknown field", { "a" } },
        { "expected a string", { title = 1 } },
        { "worth: expected a number", { title = "a", worth = "1" } }, { "__index", tag },
        { "table of values expected", 5 },
      }
      for _, case in ipairs(cases) do
        local message, values = case[1], case[2]
        for _ = 1, 60 do
          raises(message, function() item:create(e, values) end)
          raises(message, function() world:create { item = values, health = {} } end)
        end
      end
      for _ = 1, 60 do
        raises("unknown component 'itme'", function() world:create { health = {}, itme = {} } end)
        raises("table expected", function() world:create(5) end)
        raises("__index", function() world:create(tag) end)
      end
      assert.are.same({ 1, 0, 1 }, { entities:count(), item:count(), health:count() })
      world:destroy()
      raises("world is destroyed", function() world:create { health = {} } end)
      raises("world is destroyed", function() item:create(e, { title = "a" }) end)
    end)

    it("find components that were defined again, and hooks that were added", function()
      local world, health = fixture()
      local added = 0
      results_of(function(i)
        if i == 100 then
          health = kind.with(world.define, world, "health", { { "title", "string" } })
        end
        if i == 150 then health:on_add(function() added = added + 1 end) end
        local values = i < 100 and { hp = i } or { title = "x" }
        local e = world:create { health = values }
        health:destroy(e)
        assert.is_number(health:create(e, values))
        assert.equal(values.hp or "x", health:get(e)[values.hp and "hp" or "title"])
        health:destroy(e)
        return e
      end)
      assert.equal(102, added)
      assert.equal(0, health:count())
    end)

    it("keep no tables alive", function()
      local world, health, list, entities = fixture(1)
      local weak = setmetatable({}, { __mode = "v" })
      for i = 1, 100 do
        weak[i] = { hp = i }
        health:create(entities:create(), weak[i])
        weak[100 + i] = { health = weak[i] }
        world:create(weak[100 + i])
        weak[200 + i] = { hp = {} }
        pcall(health.create, health, list[1], weak[200 + i])
      end
      collect()
      assert.is_nil(next(weak))
    end)

    it("create with their own values when a debug hook creates with others", function()
      local world, health, list, entities = fixture(1)
      local hook, seen = { debug.gethook() }, {}
      for steps = 1, 60 do
        local given = entities:create(10)
        local others = entities:create(200)
        debug.sethook(function()
          local e = table.remove(others)
          if not e then return end
          health:create(e, { hp = -1 })
          world:create { health = { hp = -2 } }
          health:has(list[1])
        end, "", steps)
        for i = 1, 5 do
          health:create(given[i], { hp = i })
          seen[#seen + 1] = world:create { health = { hp = i } }
          health:create(given[5 + i])
        end
        debug.sethook(unpack(hook))
        for i = 1, 5 do
          assert.equal(i, health:hp(given[i]))
          assert.equal(0, health:hp(given[5 + i]))
          assert.equal(i, health:hp(seen[#seen - 5 + i]))
        end
      end
    end)

    it("return the created entity when a debug hook creates others", function()
      local world, _, _, entities = fixture()
      local template = kind.with(world.template, world, { health = {} })
      local hook, seen = { debug.gethook() }, {}
      for steps = 1, 60 do
        debug.sethook(function()
          entities:create()
          template:create()
        end, "", steps)
        for _ = 1, 5 do
          seen[#seen + 1] = entities:create()
          seen[#seen + 1] = template:create()
        end
        debug.sethook(unpack(hook))
      end
      local found = {}
      for i, e in ipairs(seen) do
        assert.is_nil(found[e])
        found[e] = true
        assert.equal(i % 2 == 0, world.health:has(e))
      end
    end)
  end)

  describe("iterators (" .. kind.name .. ")", function()
    -- Name -> function that begins a loop over all of 100 entities.
    local function loops()
      local world, health, list, entities = fixture(100)
      local all, root = cuttle.list(list), entities:create()
      world.transform:create(root)
      for _, e in ipairs(list) do world.transform:create(e, { parent = root }) end
      entities:destroy(entities:create())
      local mesh, one = world.mesh, entities:create()
      mesh:define_resource("box", {})
      for _ = 1, 100 do mesh:create(one, { resource = "box" }) end
      return {
        join = function() return world:join(health, "transform") end,
        each = function() return health:each() end,
        instances = function() return mesh:instances(one) end,
        children = function() return world.transform:children(root) end,
        list = function() return all:each() end,
        entities = function() return entities:each() end,
      }, world, health, list
    end

    it("visit all, also in hot loops", function()
      for name, loop in pairs((loops())) do
        for _ = 1, 30 do
          local count = 0
          for value in kind.with(loop) do count = count + (value and 1 or 0) end
          assert.equal(name == "entities" and 102 or 100, count, name)
        end
      end
    end)

    it("ignore their arguments and other loops", function()
      for name, loop in pairs((loops())) do
        local a, b = kind.with(loop), kind.with(loop)
        for i = 1, name == "entities" and 102 or 100 do
          assert.are.same({ a("x", {}, i) }, { b() }, name)
        end
        assert.are.same({}, { a() })
        assert.are.same({}, { b({}) })
      end
    end)

    it("name the line of the script in errors", function()
      local all, _, health, list = loops()
      for _, name in ipairs { "join", "each" } do
        local message = raises("health: rows moved during the loop", function()
          local step = kind.with(all[name])
          for _ = 1, 50 do step() end
          health:destroy(list[#list])
          health:destroy(list[1])
          list[#list] = nil
          table.remove(list, 1)
          local e = step()
          return e
        end)
        assert.matches("fast_spec%.lua:%d+: ", message)
      end
    end)

    it("keep the object alive that they iterate over", function()
      local weak = setmetatable({}, { __mode = "v" })
      local step = (function()
        local world, health = fixture(3)
        weak.world = world
        return kind.with(world.join, world, health)
      end)()
      collect()
      assert.is_truthy(step())
      assert.is_truthy(weak.world)
    end)
  end)

  describe("world:rows (" .. kind.name .. ")", function()
    local function gather(...)
      local out = {}
      for a, b, c in ... do out[#out + 1] = table.concat({ a, b, c }, " ") end
      return out
    end

    it("visits all rows of one manager", function()
      local world = fixture(1000)
      local sum, count = 0, 0
      for row in rows_of(world, "health") do
        assert.equal(count, row)
        sum, count = sum + row, count + 1
      end
      assert.equal(1000, count)
    end)

    it("takes up to eight managers, by name or as objects", function()
      local world, health, list = fixture(20)
      local managers = { health }
      for i = 2, 8 do
        managers[i] = world:define("c" .. i, { { "x", "float" } })
        for j = 20, i, -1 do managers[i]:create(list[j]) end
      end
      for n = 1, 8 do
        local expected = {}
        for j = n == 1 and 1 or n, 20 do
          local rows = { j - 1 }
          for i = 2, n do rows[i] = 20 - j end
          expected[#expected + 1] = table.concat(rows, " ")
        end
        local got = {}
        for a, b, c, d, e, f, g, h in rows_of(world, unpack(managers, 1, n)) do
          got[#got + 1] = table.concat({ a, b, c, d, e, f, g, h }, " ")
        end
        assert.same(expected, got)
      end
      raises("too many managers", rows_of, world, "health", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "health")
    end)

    it("returns the first of several components of an entity", function()
      local world, health, list = fixture(4)
      local mesh = world:define("many", { { "x", "float" } }, { multiple = true })
      for _ = 1, 3 do
        for i = 4, 1, -1 do mesh:create(list[i]) end
      end
      assert.same({ "0 3", "1 2", "2 1", "3 0" }, gather(rows_of(world, health, mesh)))
      assert.equal(12, #gather(rows_of(world, mesh, health)))
    end)

    it("skips dead entities and entities that lack a component", function()
      local world, health, list, entities = fixture(600)
      local other = world:define("other", { { "x", "float" } })
      local expected = {}
      for i, e in ipairs(list) do
        if i % 3 ~= 0 then other:create(e) end
      end
      for i, e in ipairs(list) do
        if i % 7 == 0 then entities:destroy(e) end
      end
      for i in ipairs(list) do
        if i % 3 ~= 0 and i % 7 ~= 0 then
          expected[#expected + 1] = ("%d %d"):format(i - 1, i - 1 - math.floor((i - 1) / 3))
        end
      end
      assert.same(expected, gather(rows_of(world, health, "other")))
    end)

    it("ends at once if there are no rows", function()
      local world = fixture(0)
      assert.same({}, gather(rows_of(world, "health")))
    end)

    it("stays at its end", function()
      local world = fixture(2)
      local step, state, row = rows_of(world, "health")
      for _ = 1, 2 do row = step(state, row) end
      assert.is_nil((step(state, row)))
      assert.is_nil((step(state, nil)))
    end)

    it("can be stepped without the previous row", function()
      local world = fixture(3)
      local step = rows_of(world, "health")
      assert.same({ 0, 1, 2 }, { (step()), (step()), (step()) })
      assert.is_nil((step()))
    end)

    it("accepts any value as the previous row", function()
      local world = fixture(300)
      local step = rows_of(world, "health")
      step()
      local rows = { -1, 299, 300, 1e9, 2 ^ 31, -2 ^ 31, 1e300, NAN, 0.5, INFINITY, "x", "7", {}, true, false }
      for _, row in ipairs(rows) do pcall(step, nil, row) end
      pcall(step, nil, nil)
    end)

    it("skips entities that died during the loop", function()
      local world, _, list, entities = fixture(600)
      local seen = {}
      for row in rows_of(world, "health") do
        seen[#seen + 1] = row
        if row % 2 == 0 then entities:destroy(list[row + 2]) end
        if row == 300 then entities:destroy(list[400]) end
      end
      assert.equal(300, #seen)
      for i, row in ipairs(seen) do assert.equal(2 * i - 2, row) end
    end)

    it("skips entities that are being destroyed when a callback steps it", function()
      local world, _, list, entities = fixture(10)
      local step, state, row = rows_of(world, "health")
      row = step(state, row)
      local seen
      entities:on_destroy(function() seen = step(state, row) end)
      entities:destroy(list[2])
      assert.equal(2, seen)
    end)

    it("allows removing the current row", function()
      local world, health, list = fixture(600)
      local visits = {}
      local hp = health:column "hp"
      for i = 0, 599 do hp[i] = i end
      for row in rows_of(world, "health") do
        local name = hp[row]
        visits[name] = (visits[name] or 0) + 1
        if name % 3 == 0 then health:destroy(list[name + 1]) end
      end
      for i = 0, 599 do assert.equal(1, visits[i]) end
      assert.equal(400, health:count())
    end)

    it("allows removing the current rows from any of its managers", function()
      local world, health, list = fixture(300)
      local other = world:define("other", { { "hp", "float" } })
      other:create_many(list)
      local count = 0
      for a, b in rows_of(world, "health", "other") do
        count = count + 1
        if count % 2 == 0 then other:destroy(other:at(b)) else health:destroy(health:at(a)) end
      end
      assert.equal(300, count)
      assert.equal(150, health:count())
      assert.equal(150, other:count())
    end)

    it("raises when another row was removed", function()
      local world, health, list = fixture(300)
      for _, at in ipairs { 0, 1, 100, 200 } do
        local last
        raises("health: rows moved during the loop", function()
          for row in rows_of(world, "health") do
            last = row
            if row == at then health:destroy(list[300]) end
          end
        end)
        assert.equal(at, last)
        health:create(list[300])
      end
    end)

    it("raises when two rows were removed", function()
      local world, health, list = fixture(10)
      raises("health: rows moved during the loop", function()
        for row in rows_of(world, "health") do
          health:destroy(list[row + 1])
          health:destroy(list[row + 2])
        end
      end)
    end)

    it("raises after a gc that moved rows, but not after a gc that moved none", function()
      local world, health, list, entities = fixture(300)
      for _ in rows_of(world, "health") do health:gc() end
      raises("health: rows moved during the loop", function()
        for row in rows_of(world, "health") do
          if row == 200 then
            entities:destroy(list[1])
            health:gc()
          end
        end
      end)
    end)

    it("names the manager whose rows moved", function()
      local world, _, list = fixture(10)
      local other = world:define("other", { { "hp", "float" } })
      other:create_many(list)
      raises("other: rows moved during the loop", function()
        for _ in rows_of(world, "health", "other") do other:destroy(list[10]) end
      end)
    end)

    it("notices every place where the order of rows changes or an entity is dead", function()
      for at = 1, 159 do
        local world, health, list, entities = fixture(160)
        local other, expected = world:define("other", {}), {}
        for i = 1, 160 do expected[i] = ("%d %d"):format(i - 1, i - 1) end
        expected[at], expected[at + 1] = ("%d %d"):format(at - 1, at), ("%d %d"):format(at, at - 1)
        list[at], list[at + 1] = list[at + 1], list[at]
        other:create_many(list)
        assert.same(expected, gather(rows_of(world, health, other)))
        entities:destroy(list[at]) -- the later of the two
        table.remove(expected, at + 1)
        assert.same(expected, gather(rows_of(world, health, other)))
        for i, pair in ipairs(expected) do expected[i] = pair:match "^%d+" end
        assert.same(expected, gather(rows_of(world, health)))
      end
    end)

    it("returns the first of several components if the managers have the same order", function()
      local world, _, list = fixture(100)
      local first = world:define("first", {}, { multiple = true })
      local second = world:define("second", {}, { multiple = true })
      local expected = {}
      for round = 0, 1 do
        first:create_many(list)
        second:create_many(list)
        for i = 0, 99 do expected[#expected + 1] = ("%d %d"):format(round * 100 + i, i) end
      end
      assert.same(expected, gather(rows_of(world, first, second)))
    end)

    it("allows creating rows, and ends at the row that was last at its beginning", function()
      local world, health, _, entities = fixture(10)
      local count = 0
      for row in rows_of(world, "health") do
        assert.equal(count, row)
        count = count + 1
        for _ = 1, 50 do health:create(entities:create()) end
      end
      assert.equal(10, count)
      assert.equal(510, health:count())
    end)

    it("skips entities in a manager with !, which it checks at each step", function()
      local world, health, list = fixture(6)
      local frozen = world:define("frozen", {})
      frozen:create_many { list[2], list[4], list[6] }
      assert.same({ "0", "2", "4" }, gather(rows_of(world, health, "!frozen")))
      local seen = {}
      for row, other in rows_of(world, health, "!frozen") do
        seen[#seen + 1] = row
        assert.is_nil(other)
        if row == 0 then
          frozen:destroy(list[4])
          frozen:destroy(list[2])
          frozen:create(list[3])
        end
      end
      assert.same({ 0, 1, 3, 4 }, seen)
    end)

    it("notices that entities enter and leave a manager with ! in the middle of a run", function()
      for _ = 1, 3 do
        local world, health, list = fixture(400)
        local other, frozen = world:define("other", {}), world:define("frozen", {})
        other:create_many(list)
        frozen:create_many { list[11], list[12] }
        local seen = {}
        for row, same in rows_of(world, health, other, "!frozen") do
          assert.equal(row, same)
          seen[#seen + 1] = row
          if row == 200 then frozen:create(list[203]) end
          if row == 300 then frozen:destroy(frozen:create(list[303])) end
          if row == 310 then -- as many entities as before, but different ones
            frozen:destroy(list[203])
            frozen:create(list[313])
          end
        end
        local expected, left_out = {}, { [10] = true, [11] = true, [202] = true, [312] = true }
        for row = 0, 399 do
          if not left_out[row] then expected[#expected + 1] = row end
        end
        assert.same(expected, seen)
      end
    end)

    it("returns nil if a manager with ? lacks the entity", function()
      local world, health, list = fixture(40)
      local other, third = world:define("other", {}), world:define("third", {})
      for i = 40, 1, -3 do other:create(list[i]) end
      for i = 2, 40 do third:create(list[i]) end
      local expected, got = {}, {}
      for i = 2, 40 do
        local b = i % 3 == 1 and math.floor((40 - i) / 3) or nil
        expected[#expected + 1] = ("%d %s %d"):format(i - 1, tostring(b), i - 2)
      end
      for a, b, c in rows_of(world, health, "?other", "third") do
        got[#got + 1] = ("%d %s %d"):format(a, tostring(b), c)
      end
      assert.same(expected, got)
      local count = 0
      for a, b in rows_of(world, "health", "!third", "?other") do
        count = count + 1
        assert.equal(0, a)
        assert.equal(13, b)
      end
      assert.equal(1, count)
    end)

    it("raises when a manager with ! or ? was defined again, and when rows of a manager with ? moved", function()
      for _, name in ipairs { "!other", "?other" } do
        local world, _, list = fixture(3)
        world:define("other", {})
        local step, state, row = rows_of(world, "health", name)
        row = step(state, row)
        local other = world:define("other", { { "x", "float" } })
        raises("other was defined again", step, state, row)
        other:create_many(list)
        step, state, row = rows_of(world, "health", "?other")
        row = step(state, row)
        other:destroy(list[1])
        row = step(state, row)
        other:destroy(list[3])
        raises("other: rows moved during the loop", step, state, row)
      end
    end)

    it("raises after its world was destroyed", function()
      for _, at in ipairs { 0, 1, 150 } do
        local world = fixture(300)
        local last
        raises("world is destroyed", function()
          for row in rows_of(world, "health") do
            last = row
            if row == at then world:destroy() end
          end
        end)
        assert.equal(at, last)
      end
    end)

    it("raises when its world was destroyed before the first step", function()
      local world = fixture(3)
      local step, state, row = rows_of(world, "health")
      world:destroy()
      raises("world is destroyed", step, state, row)
      raises("world is destroyed", step, state, 1)
    end)

    it("raises when one of its components was defined again", function()
      local world, health = fixture(3)
      local step, state, row = rows_of(world, "health")
      row = step(state, row)
      world:clear()
      world:define("health", { { "other", "float" } })
      assert.is_true(pcall(health.name, health) == false)
      raises("health was defined again", step, state, row)
    end)

    it("names the line of the script in errors", function()
      local world, health, list = fixture(10)
      local message = raises("rows moved", function()
        for _ in rows_of(world, "health") do health:destroy(list[10]) end
      end)
      assert.truthy(message:find("fast_spec.lua:", 1, true))
    end)

    it("refuses wrong managers", function()
      local world = fixture(3)
      raises("unknown component 'helth' (did you mean 'health'?)", rows_of, world, "helth")
      raises("component manager or name expected", rows_of, world)
    end)

    it("keeps its world alive only until it ends", function()
      local weak, loop = setmetatable({}, { __mode = "v" }), {}
      local function make()
        local world = fixture(3)
        weak[1] = world
        loop.step = rows_of(world, "health")
      end
      make()
      collect()
      assert.is_not_nil(weak[1])
      assert.equal(0, (loop.step()))
      loop.step = nil
      collect()
      assert.is_nil(weak[1])
    end)

    it("works or raises an error in finalizers of the same collection", function()
      local done = 0
      local function make()
        local before = newproxy(true)
        local world, health, _, entities = fixture(300)
        local after = newproxy(true)
        local step, state, row = rows_of(world, "health")
        row = step(state, row)
        local function use()
          for _ = 1, 10 do pcall(function() row = step(state, row) or row end) end
          pcall(health.row_of_id, health, 1)
          pcall(entities.alive_id, entities, 1)
          pcall(world.destroy, world)
          pcall(step, state, row)
          pcall(health.row_of_id, health, 1)
          pcall(entities.alive_id, entities, 1)
          done = done + 1
        end
        getmetatable(before).__gc, getmetatable(after).__gc = use, use
      end
      for _ = 1, 20 do make() end
      collect()
      assert.is_true(done >= 38)
    end)

    if kind.compiled then
      it("creates no garbage for a row", function()
        if os.getenv "CUTTLE_TORTURE" == "1" then pending "the collector interrupts the compiler" end
        local world, health, list = fixture(2000)
        local other = world:define("other", { { "hp", "float", 1 } })
        other:create_many(list)
        local a, b = health:column "hp", other:column "hp"
        local function pass()
          for i, j in world:rows("health", "other") do a[i] = a[i] + b[j] end
        end
        local kilobytes = kinds.garbage(pass)
        assert.is_true(kilobytes < 2, kilobytes .. " KB")
      end)
    end
  end)
end

-- Two equal worlds are changed equally and iterated by one kind each. The visited rows and the errors have to be equal.
if #kinds == 2 then
  describe("world:rows, seed " .. seed, function()
    local random

    local function generator(state)
      return function(n)
        state = (state * 69069 + 1) % 2 ^ 31
        return math.floor(state / 2 ^ 16) % n
      end
    end

    -- Makes random changes inside a loop. Returns the visited rows and the error as text.
    local function play(kind, round)
      random = generator((seed + round * 7919) % 2 ^ 31)
      local entities = cuttle.entity_manager { minimum_free_indices = 0 }
      local world = cuttle.world(entities)
      local managers, list = {}, entities:create(20 + random(400))
      for i = 1, 1 + random(3) do
        managers[i] = world:define("m" .. i, { { "x", "float" } },
          { multiple = random(4) == 0, lookup = random(2) == 0 and "hash" or "array" })
        local shuffled = random(3) == 0
        for j, e in ipairs(list) do
          if random(8) > 0 then managers[i]:create(shuffled and list[#list - j + 1] or e) end
        end
      end
      local rate = 1 + random(60)
      local log = {}
      local ok, message = pcall(function()
        for a, b, c in kind.with(world.rows, world, unpack(managers)) do
          log[#log + 1] = table.concat({ a, b, c }, ",")
          if random(rate) == 0 then
            local change, rows = random(12), { a, b, c }
            local i = 1 + random(#managers)
            if change < 5 then
              managers[i]:destroy(managers[i]:at(rows[i]))
            elseif change < 9 then
              entities:destroy(list[1 + random(#list)])
            elseif change < 11 then
              local e = entities:create()
              for _, manager in ipairs(managers) do
                if random(4) > 0 then manager:create(e) end
              end
            else
              managers[i]:gc()
            end
          end
        end
      end)
      log[#log + 1] = tostring(ok) .. " " .. tostring(message):gsub("^.-:%d+: ", "")
      assert.is_true(assert(world:validate()))
      return table.concat(log, "\n")
    end

    it("visits the same rows in both kinds", function()
      for round = 1, 150 do
        assert.equal(play(kinds[1], round), play(kinds[2], round))
      end
    end)
  end)
end

describe("a core of another version", function()
  local VERSION = require("cuttle.core").VERSION

  -- Loads lua/cuttle/fast.lua with the given core.
  local function load_beside(core)
    local own = package.loaded["cuttle.core"]
    package.loaded["cuttle.core"] = core
    local ok, message = pcall(dofile, "lua/cuttle/fast.lua")
    package.loaded["cuttle.core"] = own
    return ok, message
  end

  it("is refused before it is used", function()
    local function with_layout(layout)
      return { VERSION = VERSION, take_compiled = function() return { layout = layout } end }
    end
    local function of_version(version)
      return { VERSION = version, take_compiled = function() end }
    end
    for _, other in ipairs { {}, { VERSION = VERSION }, with_layout(nil), with_layout(0), with_layout(1000),
      of_version(nil), of_version "0.0.1", of_version(VERSION .. "0") } do
      local ok, message = load_beside(other)
      assert.is_false(ok)
      assert.equal("cuttle.core and the Lua files of cuttle have different versions: install both from one version",
        message)
    end
  end)

  it("is not checked again after the module was loaded", function()
    assert.is_true((load_beside { VERSION = VERSION, take_compiled = function() end }))
  end)
end)

-- LuaJIT compiles a function into its callers only if its own trace ends with its return. The first call of an object
-- finds its address, which is not compiled: it must not become a part of such a trace.
describe("A method that is compiled in the first calls of many objects", function()
  -- Returns the functions of compiled methods whose traces continue in the interpreter at a call.
  local function stitched(run)
    local roots, found = {}, {}
    local util = require "jit.util"
    local function on_trace(what, trace, func, _, parent)
      if what == "start" then roots[trace] = not parent and util.funcinfo(func) or nil end
      local info = what == "stop" and roots[trace]
      if info and util.traceinfo(trace).linktype == "stitch" and info.source:find "^=cuttle" then
        found[#found + 1] = info.loc
      end
    end
    jit.flush()
    jit.attach(on_trace, "trace")
    local ok, message = pcall(run)
    jit.attach(on_trace)
    assert(ok, message)
    return found
  end

  -- Calls `use` once with each of many objects, not in a loop of its own, then often with the last one.
  local function use_each(make, use)
    local objects = {}
    for i = 1, 400 do objects[i] = make() end
    jit.off(use)
    for i = 1, #objects do use(objects[i]) end
    for _ = 1, 200 do use(objects[#objects]) end
  end

  it("is compiled as a whole", function()
    if not (rawget(_G, "jit") and jit.status()) then return end
    local entities = cuttle.entity_manager()
    local world = cuttle.world(entities)
    local health = world:define("health", { { "hp", "double" } })
    local e = world:create { health = { hp = 1 } }
    local query = world:query "health"
    local function other() return cuttle.world(entities) end
    local cases = {
      { function() return query:formula "health.hp += 1" end, function(formula) formula() end },
      { cuttle.list, function(list) list:add(e) list:count() list:clear() end },
      { function() return other():define("health", { { "hp", "double" } }) end,
        function(manager) manager:has(e) manager:row_of_id(1) manager:lookup(e) end },
      { cuttle.entity_manager, function(manager) manager:alive_id(1) manager:alive(e) end },
      { function() return world:template { health = {} } end, function(made) made:create() end },
      { function() return health end, function(manager) manager:hp(e) end },
    }
    for _, case in ipairs(cases) do assert.same({}, stitched(function() use_each(case[1], case[2]) end)) end
  end)
end)
