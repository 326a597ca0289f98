-- define with the option migrate.

-- tags: ffi

local core = require "cuttle.core"
local cuttle = require "cuttle"
local kinds = require "spec.support.kinds"
local new_random = require "spec.support.random"
local raises = require "spec.support.raises"
local rounds = require "spec.support.rounds"
local seed = require "spec.support.seed"
local slow = require "spec.support.slow"

local OLD = { { "hp", "float", 5 }, { "title", "string", "none" }, { "target", "entity" },
  { "state", "enum", { "idle", "run", "jump" } }, { "bag", "value" } }

-- Fields of many types, with and without defaults.
local MORE = {
  { "f", "float", 1.5 }, { "d", "double", 0.1 }, { "i8", "int8", -3 }, { "u16", "uint16", 60000 },
  { "b", "bool", true },
  { "v2", "vec2", { 1, 2 } }, { "d2", "dvec2", { 0.1, 0.2 } },
  { "q", "quat", { 0, 1, 0, 0 } }, { "m", "mat4" }, { "c", "color", { 1, 0, 0, 1 } },
  { "e", "entity" }, { "s", "string", "hello" }, { "n", "enum", { "low", "high" }, "high" }, { "v", "value" },
}

local function joined(...)
  local all = {}
  for _, fields in ipairs { ... } do
    for _, field in ipairs(fields) do all[#all + 1] = field end
  end
  return all
end

for _, kind in ipairs(kinds) do
  describe(("define with migrate (%s)"):format(kind.name), function()
    local entities, world, m, list, bag

    before_each(function()
      entities = cuttle.entity_manager()
      world = cuttle.world(entities)
      m = world:define("health", OLD)
      list = entities:create(6)
      bag = { 1 }
      for place = 1, 5 do
        m:create(list[place], { hp = place, title = "t" .. place, target = list[6], bag = bag,
          state = place % 2 == 0 and "run" or "jump" })
      end
      m:destroy(list[2]) -- rows are no longer in the order of entities
    end)

    after_each(function()
      assert.is_true(assert(world:validate()))
      assert.is_true(assert(entities:validate()))
    end)

    local function migrate(fields, options)
      options = options or {}
      options.migrate = true
      return world:define("health", fields, options)
    end

    it("keeps fields that fit by name and type, and gives new fields their defaults", function()
      local before = {}
      for e in m:each() do before[#before + 1] = e end
      local now, dropped = migrate(joined(MORE, { OLD[5], OLD[3], OLD[1], OLD[4], OLD[2] }))
      assert.same({}, dropped)
      assert.equal(world.health, now)
      assert.not_equal(m, now)
      assert.equal(4, now:count())
      local after = {}
      for e in now:each() do after[#after + 1] = e end
      assert.same(before, after)
      for _, place in ipairs { 1, 3, 4, 5 } do
        local e = list[place]
        assert.same({ place, "t" .. place, list[6], place == 4 and "run" or "jump" },
          { now:hp(e), now:title(e), now:target(e), now:state(e) })
        assert.equal(bag, now:bag(e))
        local new = now:get(world:create { health = {} })
        for _, field in ipairs(MORE) do assert.same(new[field[1]], now:get(e)[field[1]]) end
        assert.same({ "hello", "high" }, { now:s(e), now:n(e) })
      end
      assert.is_false(now:has(list[2]))
    end)

    it("returns a list of what was dropped, in the order of the fields", function()
      local now, dropped = migrate { { "hp", "double", 9 }, { "state", "enum", { "run", "walk" }, "walk" } }
      assert.same({ "health.hp was float, is double", "health.title is gone (string)", "health.target is gone (entity)",
        "health.state: label 'jump' is gone", "health.bag is gone (value)" }, dropped)
      assert.same({ 9, "walk", "run" }, { now:hp(list[1]), now:state(list[1]), now:state(list[4]) })
    end)

    it("returns the existing manager and an empty list if nothing has changed", function()
      local now, dropped = migrate(OLD)
      assert.equal(m, now)
      assert.same({}, dropped)
      local other, none = world:define("other", OLD, { migrate = true })
      assert.same({}, none)
      assert.equal(0, other:count())
      assert.equal(1, select("#", world:define("other", OLD)))
      assert.equal(1, select("#", world:define("other", OLD, { migrate = false })))
    end)

    it("is named in the message of a define without it", function()
      raises("health is defined with other fields and has 4 rows: destroy the components first, or keep what fits by "
        .. "{migrate = true}", world.define, world, "health", {})
      assert.equal(m, world.health)
      assert.equal(4, m:count())
    end)

    it("may change the lookup, and may leave no fields", function()
      local now, dropped = migrate({}, { lookup = "array" })
      assert.equal(5, #dropped)
      assert.equal(4, now:count())
      assert.is_true(now:has(list[5]))
      assert.is_nil(now:row(list[2]))
      now = migrate({ { "x", "float", 3 } })
      assert.equal(3, now:x(list[5]))
    end)

    it("makes the old manager, its instances, views and loops stale", function()
      local view = kind.with(function() return m:column "hp" end)
      local instance = m:lookup(list[1])
      local stale = "health was defined again"
      local now, count = migrate(joined(OLD, MORE)), 0
      local function define_anew()
        count = count + 1
        now = migrate(joined(OLD, { { "x" .. count, "float" } }))
      end
      raises(stale, m.hp, m, list[1])
      raises(stale, m.count, m)
      raises(stale, function() return view[0] end)
      raises(stale, function() view[0] = 1 end)
      raises("stale health instance", now.hp, now, instance)
      assert.equal(1, now:hp(now:lookup(list[1])))
      for name, step in pairs {
        each = function() for _ in now:each() do define_anew() end end,
        join = function() for _ in world:join("health") do define_anew() end end,
        joined = function() for _ in world:join(now) do define_anew() end end,
        rows = function() for _ in world:rows("health", "?transform") do define_anew() end end,
        optional = function()
          world:create { transform = {} }
          world:create { transform = {} }
          for _ in world:rows("transform", "!health") do define_anew() end
        end,
      } do
        local ok, message = pcall(kind.with, step)
        assert.is_false(ok, name)
        assert.matches(stale, message, 1, true)
        assert.equal(now, world.health)
      end
    end)

    it("makes templates with the component stale", function()
      local template = world:template { health = { hp = 3 }, transform = {} }
      migrate(MORE)
      raises("health was defined again", template.create, template)
      assert.equal(0, world.transform:count())
    end)

    it("keeps hooks, and does not call them", function()
      local calls = {}
      m:on_add(function(e) calls[#calls + 1] = { "add", e } end)
      m:on_remove(function(e) calls[#calls + 1] = { "remove", e } end)
      local now = migrate(MORE)
      assert.same({}, calls)
      now:create(list[2])
      now:destroy(list[1])
      entities:destroy(list[3])
      assert.same({ { "add", list[2] }, { "remove", list[1] }, { "remove", list[3] } }, calls)
    end)

    it("is refused in hooks of the component, and in batches of the world", function()
      local hits = 0
      local function try()
        hits = hits + 1
        raises("world is in use", migrate, MORE)
      end
      local adding, removing = m:on_add(try), m:on_remove(try)
      m:create(list[2])
      m:destroy(list[2])
      entities:destroy(list[1])
      world.transform:batch(try)
      assert.equal(4, hits)
      m:off_add(adding)
      m:off_remove(removing) -- otherwise it runs for a later world when this one is collected
      assert.equal(m, world.health)
      assert.equal(3, world:gc "all" + 2)
    end)

    it("may run in a callback of the entity manager", function()
      local token = entities:on_destroy(function(e)
        if e ~= list[1] then return end
        assert.equal(1, m:hp(e))
        m = migrate(joined(OLD, MORE))
      end)
      entities:destroy(list[1])
      entities:off_destroy(token)
      assert.equal(3, m:hp(list[3]))
      assert.is_false(m:has(list[1]))
      world:gc "all"
      assert.equal(3, m:count())
    end)

    it("does not disturb a collection of dead rows that has begun", function()
      entities:destroy(list[3])
      local now = migrate(MORE)
      world:gc()
      assert.equal(3, now:count())
      local again = entities:create(6000)
      now:create_many(again)
      entities:destroy(again)
      now = migrate(OLD)
      world:gc "all"
      assert.equal(3, now:count())
      assert.same({ 5, "none" }, { now:hp(list[1]), now:title(list[1]) })
    end)

    it("does not change earlier snapshots, which are refused with the name of the component", function()
      world.health:set_bag(list[1], nil)
      local plain = world:define("plain", { { "x", "float" } })
      plain:create(list[1])
      local others = cuttle.entity_manager()
      local other = cuttle.world(others)
      other:define("plain", { { "x", "float", 2 } })
      local e = other:create { plain = {} }
      local snapshot = others:snapshot()
      local p = other:define("plain", { { "x", "float", 2 }, { "y", "float", 4 } }, { migrate = true })
      raises("component 'plain' of world 'world1' was defined with other fields", others.restore, others, snapshot)
      assert.same({ 2, 4 }, { p:x(e), p:y(e) })
      snapshot = others:snapshot()
      p:set_y(e, 7)
      others:restore(snapshot)
      assert.equal(4, p:y(e))
    end)

    it("does not change levels, which spawn, restart and unload", function()
      local source = { entities = { { name = "a", components = { health = { hp = 7, title = "level" } } },
        { name = "b", components = { health = {} } } } }
      local resource = assert(cuttle.resource((assert(cuttle.compiler(world):compile(source)))))
      local level = assert(world:spawn(resource, { overrides = { b = { health = { title = "own" } } } }))
      local now = migrate(joined(MORE, OLD))
      for _ = 1, 2 do
        local a = level:find "a"
        assert.same({ 7, "level", "hello" }, { now:hp(a), now:title(a), now:s(a) })
        assert.equal("own", now:title(level:find "b"))
        assert.equal(level, assert(level:restart()))
      end
      level:unload()
      world:gc "all"
      assert.equal(4, now:count())
      migrate { { "hp", "int8" }, { "title", "string" } }
      local again, message = level:restart()
      assert.is_nil(again)
      assert.matches("health: the resource was compiled for other fields (hp was float, is int8)", message, 1, true)
    end)

    it("keeps attached tables, other components and other worlds", function()
      local other = cuttle.world(entities)
      other:define("health", OLD):create(list[1], { hp = 9 })
      world.transform:create(list[1], { position = { 1, 2, 3 } })
      world:attach("notes")[list[1]] = "kept"
      migrate(MORE)
      assert.equal(9, other.health:hp(list[1]))
      assert.equal("kept", world:attach("notes")[list[1]])
      assert.same({ 1, 2, 3 }, { world.transform:local_position(list[1]) })
    end)
  end)
end

describe("define with migrate, of a component that is multiple,", function()
  local entities, world, m, e

  before_each(function()
    entities = cuttle.entity_manager()
    world = cuttle.world(entities)
    m = world:define("tag", { { "x", "float" } }, { multiple = true })
    e = entities:create(3)
    for place, id in ipairs { "a", 7, "b", false, "c" } do
      m:create(e[place % 2 + 1], { x = place, id = id or nil })
    end
    m:destroy(m:lookup(e[2], "a"))
  end)

  after_each(function() assert.is_true(assert(world:validate())) end)

  it("keeps ids, their order and the counter", function()
    local before = { m:ids(e[1]), m:ids(e[2]) }
    local now, dropped = world:define("tag", { { "s", "string", "z" }, { "x", "float" } },
      { multiple = true, migrate = true })
    assert.same({}, dropped)
    assert.same(before, { now:ids(e[1]), now:ids(e[2]) })
    assert.equal(3, now:x(now:lookup(e[2], "b")))
    assert.equal("z", now:s(now:lookup(e[1], 7)))
    assert.equal(9, now:id(now:create(e[3])))
  end)

  it("may make it single if no entity has several, and reports that ids are dropped", function()
    raises(cuttle.entity_tostring(e[1]) .. " has several tag, one is allowed then: destroy the others first",
      world.define, world, "tag", { { "x", "float" } }, { migrate = true })
    assert.equal(m, world.tag)
    m:destroy(m:lookup(e[2], "b"))
    m:destroy(m:lookup(e[1], 7))
    local now, dropped = world:define("tag", { { "x", "float" } }, { migrate = true })
    assert.same({ "tag: ids are gone" }, dropped)
    assert.same({ 4, 5 }, { now:x(e[1]), now:x(e[2]) })
  end)

  it("may make a single component multiple, with numbers as ids", function()
    local one = world:define("one", { { "x", "float" } })
    one:create_many(e, { x = { 1, 2, 3 } })
    local many, dropped = world:define("one", { { "x", "float" } }, { multiple = true, migrate = true })
    assert.same({}, dropped)
    assert.same({ { 1 }, { 2 }, { 3 } }, { many:ids(e[1]), many:ids(e[2]), many:ids(e[3]) })
    assert.equal(4, many:id(many:create(e[2], { x = 9 })))
    assert.same({ 2, 4 }, many:ids(e[2]))
    assert.equal(2, many:x(e[2]))
  end)
end)

describe("define with migrate", function()
  it(("gives the expected values through random sequences of fields, seed %d"):format(seed), function()
    local random = new_random(seed)
    local entities = cuttle.entity_manager { minimum_free_indices = 0 }
    local world = cuttle.world(entities)
    local TYPES = { "float", "double", "int8", "uint16", "bool", "vec3", "dvec3", "mat4", "string", "value",
      "entity" }
    local names, expected, fields = { "a", "b", "c", "d", "e" }, {}, {}
    local function value(kind)
      if kind == "bool" then return random(2) == 1 end
      if kind == "string" then return "s" .. random(9) end
      if kind == "value" then return { random(9) } end
      if kind == "vec3" or kind == "dvec3" then return { random(9), 2, 3 } end
      if kind == "mat4" then return { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, random(9), 0, 0, 1 } end
      if kind == "entity" then return nil end
      return random(100)
    end
    world:define("thing", fields)
    for _ = 1, rounds(300, 40) do
      local action = random(4)
      if action == 1 then
        local now = {}
        for _, name in ipairs(names) do
          if random(3) > 1 then now[#now + 1] = { name, TYPES[random(#TYPES)] } end
        end
        if random(2) == 1 then now = joined(fields, {}) end
        local kept = {}
        for _, field in ipairs(now) do
          for _, old in ipairs(fields) do
            kept[field[1]] = kept[field[1]] or (old[1] == field[1] and old[2] == field[2])
          end
        end
        local m = world:define("thing", now, { migrate = true, multiple = random(2) == 1,
          lookup = random(2) == 1 and "hash" or "array" })
        fields = now
        for e, values in pairs(expected) do
          local next_values = {}
          for _, field in ipairs(fields) do
            if kept[field[1]] then next_values[field[1]] = values[field[1]] end
          end
          expected[e] = next_values
          for name, was in pairs(next_values) do assert.same(was, m:get(e)[name]) end
        end
      elseif action == 2 then
        local e, values = entities:create(), {}
        for _, field in ipairs(fields) do values[field[1]] = value(field[2]) end
        world.thing:create(e, values)
        expected[e] = values
      else
        local e = next(expected)
        if e and action == 3 then
          entities:destroy(e)
          expected[e] = nil
        end
        if random(2) == 1 then world:gc() end
      end
      assert.is_true(assert(world:validate()))
    end
  end)

  it("survives finalizers that create, destroy, define and collect in the middle of it", function()
    local entities = cuttle.entity_manager()
    local world = cuttle.world(entities)
    local list = entities:create(50)
    world:define("health", OLD):create_many(list, { title = "x" })
    local runs, budget = 0, 0
    local function haunt(round)
      getmetatable(newproxy(true)).__gc = function()
        runs, budget = runs + 1, budget - 1
        if budget > 0 then haunt(round) else collectgarbage("setpause", 200) end
        pcall(function() world.health:create(entities:create(), { title = "ghost", bag = { 1 } }) end)
        pcall(function() entities:destroy(list[round % 50 + 1]) end)
        pcall(function() world:define("health", { { "ghost", "string" } }, { migrate = true }) end)
        pcall(function() world:gc() end)
        pcall(function() world.health:write(list[1], "title", "ghost") end)
      end
    end
    local mul = collectgarbage("setstepmul", 1e8)
    for round = 1, slow and 2 or 10 do
      budget = 6
      haunt(round)
      collectgarbage("setpause", 1)
      collectgarbage()
      local ok, message = pcall(world.define, world, "health", round % 2 == 0 and OLD or joined(MORE, OLD),
        { migrate = true, lookup = "array" })
      budget = 0
      collectgarbage("setpause", 200)
      if not ok then assert.matches("world is in use", message) end
      assert.is_true(assert(world:validate()))
    end
    collectgarbage("setstepmul", mul)
    assert.is_true(runs > 0)
    assert.is_true(assert(entities:validate()))
  end)

  it("changes nothing when memory runs out", function()
    if not (core.testing and core.testing.fail_in) then return end
    for allowed = 0, 300 do
      local entities = cuttle.entity_manager()
      local world = cuttle.world(entities)
      local m = world:define("health", OLD)
      local list = entities:create(40)
      m:create_many(list, { title = "x" })
      core.testing.fail_in(allowed)
      local ok, now = pcall(world.define, world, "health", joined(MORE, OLD), { migrate = true })
      core.testing.fail_in(-1)
      assert.is_true(assert(world:validate()))
      if ok then
        assert.equal("x", now:title(list[40]))
        assert.is_true(allowed > 2)
        return
      end
      assert.matches("not enough memory", now)
      assert.equal(m, world.health)
      assert.equal("x", m:title(list[40]))
      m:create(entities:create())
    end
    error "the call failed with every number of allocations"
  end)

  it("checks its options", function()
    local world = cuttle.world(cuttle.entity_manager())
    raises("migrate: boolean expected, got string", world.define, world, "health", OLD, { migrate = "yes" })
    raises("did you mean 'migrate'?", world.define, world, "health", OLD, { migrat = true })
    raises("transform is a built-in component", world.define, world, "transform", OLD, { migrate = true })
  end)
end)
