-- The plugins of examples/plugins, built and loaded as plugins, and their scripts in processes of their own.

local core = require "cuttle.core"
local cuttle = require "cuttle"
local collect = require "spec.support.collect"
local new_random = require "spec.support.random"
local everything = require "spec.support.play"
local plugins = require "spec.support.plugins"
local raises = require "spec.support.raises"
local seed = require "spec.support.seed"
local SLOW = require "spec.support.slow"
local valid = require "spec.support.valid"

local fail_in = core.testing and core.testing.fail_in

-- Tests that apply to the manager of every plugin. `values` are those of one component.
local function tests_of_any_manager(name, values, get)
  it("has the functions of every manager: lookup, join, rows, gc, inspect, validate, memory", function()
    local s = get()
    local list = s.world:create({ transform = {}, [name] = values }, 4)
    local manager = s.manager
    assert.equal(manager, s.world[name])
    assert.equal(list[2], manager:entity(manager:lookup(list[2])))
    manager:destroy(list[2])
    assert.is_nil(manager:lookup(list[2]))
    s.entities:destroy(list[1])
    assert.is_false(manager:has(list[1]))
    local seen, rows = {}, 0
    for e in s.world:join("transform", name) do seen[e] = true end
    assert.same({ [list[3]] = true, [list[4]] = true }, seen)
    for _ in s.world:rows(name) do rows = rows + 1 end
    assert.equal(2, rows)
    assert.equal(1, manager:gc "all")
    assert.equal(2, manager:count())
    assert.is_table(s.world:inspect(list[3])[name])
    assert.is_true(manager:memory() > 0)
    valid(s.world)
  end)

  it("is compiled, spawned, restarted and unloaded", function()
    local s = get()
    local source = { entities = {} }
    for i = 1, 5 do source.entities[i] = { name = "e" .. i, components = { transform = {}, [name] = values } } end
    local blob = assert(cuttle.compiler(s.world):compile(source))
    local level = assert(s.world:spawn(assert(cuttle.resource(blob))))
    assert.equal(5, s.manager:count())
    for field, value in pairs(values) do
      assert.equal(value, s.manager:read(level:find "e3", field))
    end
    assert(level:restart())
    s.manager:gc "all"
    assert.equal(5, s.manager:count())
    valid(s.world)
    level:unload()
    s.world:gc()
    valid(s.world)
  end)

  it("is restored by a snapshot with its own data, here and in another manager", function()
    local s = get()
    local list = s.world:create({ transform = {}, [name] = values }, 20)
    for _ = 1, 5 do s.entities:destroy(list[s.random(20)]) end
    s.play(s)
    local snapshot, hash, seen = s.entities:snapshot(), s.entities:hash(), s.seen(s)
    for round = 1, 3 do
      for i = round, 20, 4 do s.manager:destroy(list[i]) end
      s.manager:gc "all"
      s.world:create({ transform = {}, [name] = values }, round * 30)
      s.entities:destroy(list[round + 10])
      s.play(s)
      s.entities:restore(snapshot)
      valid(s.world)
      assert.equal(hash, s.entities:hash())
      assert.same(seen, s.seen(s))
      s.entities:restore(snapshot)
    end
    local others = cuttle.entity_manager()
    local other = cuttle.world(others)
    local another = { entities = others, world = other, manager = s.plugin.define(other) }
    for _ = 1, 2 do
      others:restore(snapshot)
      valid(other)
      assert.equal(hash, others:hash())
      assert.same(seen, s.seen(another))
      s.play(another)
    end
  end)

  it("is restored by a save in another program", function()
    local s = get()
    local list = s.world:create({ transform = {}, [name] = values }, 20)
    s.entities:destroy { list[3], list[5], list[20] }
    s.play(s)
    local text, hash, kept = s.entities:snapshot():tostring(), s.entities:hash(), s.kept(s)
    for _ = 1, 2 do
      local others = cuttle.entity_manager()
      local other = cuttle.world(others)
      local another = { entities = others, world = other, manager = s.plugin.define(other) }
      assert.is_true(others:restore(assert(cuttle.snapshot(text))))
      valid(other)
      assert.equal(hash, others:hash())
      assert.equal(17, another.manager:count())
      assert.equal(kept, s.kept(another))
      s.play(another)
      valid(other)
    end
  end)

  it("is defined once, and not after its world was destroyed", function()
    local s = get()
    s.world:create({ [name] = values }, 3)
    assert.equal(s.manager, s.plugin.define(s.world))
    assert.equal(3, s.manager:count())
    raises("world expected, got nil", s.plugin.define, nil)
    s.world:destroy()
    raises("world is destroyed", s.plugin.define, s.world)
    raises("world is destroyed", s.manager.count, s.manager)
    assert.is_true(s.entities:validate())
  end)

  it("keeps rows and its own data consistent during random changes", function()
    local s = get()
    local random, living = s.random, {}
    for _ = 1, 300 do
      local kind = random(5)
      if kind == 1 then
        for _, e in ipairs(s.world:create({ transform = {}, [name] = values }, random(20))) do
          living[#living + 1] = e
        end
      elseif kind == 2 and #living > 0 then
        s.entities:destroy(table.remove(living, random(#living)))
      elseif kind == 3 and #living > 0 then
        s.manager:destroy(living[random(#living)])
      elseif kind == 4 then
        s.world:gc()
      else
        s.play(s)
      end
      valid(s.world)
    end
    s.manager:gc "all"
    valid(s.world)
  end)

  if fail_in then
    it("is unchanged if any allocation fails", function()
      local operations = {
        function(s) s.second = cuttle.world(s.entities) s.plugin.define(s.second) end,
        function(s) s.world:create({ transform = {}, [name] = values }, 100) end,
        function(s) s.manager:create_many(s.entities:create(3), values) end,
        function(s) s.play(s) end,
        function(s) assert(s.world:spawn(s.resource)) end,
        function(s) s.entities:restore(s.entities:snapshot()) end,
      }
      for number, operation in ipairs(operations) do
        local n, ok = -1, false
        while not ok do
          local message
          n = n + 1
          get "rid of the last one"
          local s = get()
          s.world:create({ transform = {}, [name] = values }, 2)
          local blob = assert(cuttle.compiler(s.world):compile { entities = {
            { components = { transform = {}, [name] = values } }, { components = { [name] = values } } } })
          s.resource = assert(cuttle.resource(blob))
          fail_in(n)
          ok, message = pcall(operation, s)
          fail_in(-1)
          if not ok then assert.matches("not enough memory", message) end
          if not ok then assert.equal(2, s.manager:count(), "operation " .. number) end
          valid(s.world)
        end
      end
    end)
  end

  it("is collected with its world", function()
    local s = get()
    local weak = setmetatable({ s.world, s.manager }, { __mode = "v" })
    s.world:create({ [name] = values }, 10)
    local survivor = s.entities
    get "nothing"
    s = nil -- luacheck: ignore
    collect()
    assert.is_nil(weak[1])
    assert.is_nil(weak[2])
    survivor:destroy(survivor:create())
    assert.is_true(survivor:validate())
  end)
end

describe("the example plugins (seed " .. seed .. ")", function()
  local folder, random

  setup(function()
    folder = plugins.new_folder()
  end)

  teardown(function()
    plugins.remove_folder(folder)
  end)

  -- A world with the plugin's component and the functions that a test needs.
  local function scene(plugin, actions)
    local s = { plugin = plugin, play = actions.play, seen = actions.seen, kept = actions.kept,
      random = random, entities = cuttle.entity_manager() }
    s.world = cuttle.world(s.entities)
    s.manager = plugin.define(s.world)
    return s
  end

  -- Builds and loads a plugin before the enclosing tests. Returns a function that creates a scene. `actions`: `play`
  -- changes the plugin's data, `seen` returns it and may change it, `kept` returns the part that a save holds.
  local function scenes_of(name, source, actions)
    local plugin
    setup(function()
      plugins.build(folder, name, "examples/plugins/" .. source)
      plugin = plugins.load(folder, name)
    end)
    return function() return scene(plugin, actions) end
  end

  local current
  local function getter(make)
    return function(clear)
      current = not clear and (current or make()) or nil
      return current
    end
  end

  before_each(function()
    current, random = nil, new_random(seed)
  end)

  describe("the plugin health_bar in C", function()
    local make = scenes_of("health_bar", "health_bar.c", {
      play = function(it) it.manager:regenerate(0.5) end,
      seen = function(it) return it.manager:fallen() end,
      kept = function(it) return it.manager:fallen() end })
    local s
    before_each(function() s = make() end)

    tests_of_any_manager("health_bar", { hp = 20, maximum = 40, rate = 2 }, getter(make))

    it("has defaults", function()
      local e = s.entities:create()
      s.manager:create(e)
      assert.same({ hp = 100, maximum = 100, rate = 1 }, s.manager:get(e))
    end)

    it("regenerates over time, up to the maximum", function()
      local list = s.entities:create(3)
      s.manager:create_many(list, { hp = { 10, 95, 100 }, maximum = 100, rate = { 2, 4, 50 } })
      assert.equal(2, s.manager:regenerate(1))
      assert.same({ 12, 99, 100 }, { s.manager:hp(list[1]), s.manager:hp(list[2]), s.manager:hp(list[3]) })
      assert.equal(1, s.manager:regenerate(10))
      assert.same({ 32, 100, 100 }, { s.manager:hp(list[1]), s.manager:hp(list[2]), s.manager:hp(list[3]) })
    end)

    it("takes damage by entity and by instance, and returns the remaining hp", function()
      local e = s.entities:create()
      local instance = s.manager:create(e, { hp = 50 })
      assert.equal(20, s.manager:damage(e, 30))
      assert.equal(15, s.manager:damage(instance, 5))
      assert.equal(0, s.manager:damage(e, 1000))
      assert.equal(0, s.manager:column "hp"[0])
    end)

    it("counts dead entities that have a bar", function()
      local list = s.world:create({ health_bar = {} }, 5)
      s.entities:destroy(s.entities:create())
      s.entities:destroy({ list[1], list[2] })
      assert.equal(2, s.manager:fallen())
      s.manager:gc "all"
      assert.equal(0, s.manager:fallen())
      s.entities:destroy(list)
      assert.equal(3, s.manager:fallen())
    end)

    it("stores every NaN as the quiet NaN", function()
      local e = s.entities:create()
      s.manager:create(e, { hp = 0 / 0, rate = 1 / 0 })
      s.manager:regenerate(0)
      s.manager:damage(e, 1 / 0)
      valid(s.world)
    end)

    it("refuses wrong arguments, and names them", function()
      local e = s.entities:create()
      raises("number expected, got no value", s.manager.regenerate, s.manager)
      raises("number from 0 on expected", s.manager.regenerate, s.manager, -1)
      raises("number from 0 on expected", s.manager.regenerate, s.manager, 0 / 0)
      raises("entity(0:0) has no health_bar", s.manager.damage, s.manager, e, 1)
      s.manager:create(e)
      raises("number expected, got table", s.manager.damage, s.manager, e, {})
      raises("number from 0 on expected", s.manager.damage, s.manager, e, -5)
      raises("entity expected, got nil", s.manager.damage, s.manager, nil, 5)
      raises("stale health_bar instance", s.manager.damage, s.manager, 3, 5)
      raises("component manager expected, got userdata", s.manager.damage, s.world.transform, e, 5)
      s.entities:destroy(e)
      raises("entity(0:0) is dead", s.manager.damage, s.manager, e, 1)
      s.world:destroy()
      raises("world is destroyed", s.manager.regenerate, s.manager, 1)
      raises("world is destroyed", s.manager.fallen, s.manager)
    end)

    it("is part of random play with snapshots", function()
      local actions = {}
      for name, action in pairs(everything.actions) do actions[name] = action end
      actions.regenerate = { weight = 6, make = function() return 0.5 end, play = function(run, seconds)
        run:manager("field", "health_bar"):regenerate(seconds)
        for _, list in pairs(run.state.worlds.field.health_bar.of) do
          list[1].hp = math.min(list[1].hp + list[1].rate * seconds, list[1].maximum)
        end
      end }
      local fields = { { "hp", "float", 100 }, { "maximum", "float", 100 }, { "rate", "float", 1 } }
      everything.with("health_bar", fields, s.plugin.define, function()
        for run = 1, SLOW and 1 or 4 do everything.random { seed = seed + run, steps = 150, actions = actions } end
      end)
    end)

    it("runs its example script", function()
      local played, output = plugins.run(folder, "examples/plugins/health_bar.lua")
      assert.is_true(played, output)
      assert.matches("after %d+ s %d+ of 100 have fallen", output)
    end)
  end)

  describe("the plugin crowd in C", function()
    local make = scenes_of("crowd", "crowd.c", {
      play = function(it) it.manager:separate(2) end,
      seen = function(it) return it.manager:separate(2) end,
      kept = function(it) return it.manager:separate(2) > 0 end })
    local s
    before_each(function() s = make() end)

    tests_of_any_manager("disc", { radius = 2 }, getter(make))

    it("pushes discs apart that overlap, each by half", function()
      local a = s.world:create { transform = {}, disc = { radius = 2 } }
      local b = s.world:create { transform = { position = { 3.5, 0, 5 } }, disc = {} }
      s.world:create { transform = { position = { 0, 9, 0 } }, disc = {} }
      assert.equal(0, s.manager:separate(4))
      s.manager:set_radius(b, 2)
      assert.equal(1, s.manager:separate(4))
      local x, y, z = s.world.transform:world_position(b)
      assert.is_true(math.abs(x - 3.76) < 1e-6 and y == 0 and z == 5)
      assert.is_true(math.abs(s.world.transform:world_position(a) + 0.26) < 1e-6)
      assert.equal(0, s.manager:separate(4))
    end)

    it("pushes discs at one place apart along x, and ignores discs without a transform", function()
      local list = s.world:create({ transform = {}, disc = {} }, 2)
      s.world:create { disc = {} }
      assert.equal(1, s.manager:separate(4))
      assert.is_true(s.world.transform:world_position(list[1]) < -1)
      assert.is_true(s.world.transform:world_position(list[2]) > 1)
    end)

    it("refuses wrong arguments", function()
      raises("number expected, got no value", s.manager.separate, s.manager)
      raises("number from 1e-6 to 1e6 expected", s.manager.separate, s.manager, 0)
      raises("number from 1e-6 to 1e6 expected", s.manager.separate, s.manager, 0 / 0)
      s.world:destroy()
      raises("world is destroyed", s.manager.separate, s.manager, 1)
    end)

    it("runs its example script", function()
      local played, output = plugins.run(folder, "examples/plugins/crowd.lua")
      assert.is_true(played, output)
      assert.matches("pairs overlapped at first", output, 1, true)
    end)
  end)

  if not plugins.has_cxx() then
    pending "grid in C++ (no C++ compiler is installed)"
    return
  end

  describe("the plugin grid in C++", function()
    local make = scenes_of("grid", "grid.cpp", {
      play = function(it)
        it.manager:rebuild(5)
        it.manager:within(0, 0, 0, 10)
      end,
      seen = function(it)
        local list = it.manager:within(0, 0, 0, 10):totable()
        return { list, it.manager:queries() }
      end,
      kept = function(it) return it.manager:rebuild() end })
    local s
    before_each(function() s = make() end)

    local function names(list)
      local set = {}
      for e in list:each() do
        assert.is_nil(set[e], "returned twice")
        set[e] = true
      end
      return set
    end

    tests_of_any_manager("grid_member", { radius = 2 }, getter(make))

    local function place(x, y, z, radius)
      return s.world:create { transform = { position = { x, y, z } }, grid_member = { radius = radius } }
    end

    it("finds entities within a distance, which includes their radius", function()
      local near, far, wide = place(3, 0, 0, 0), place(20, 0, 0, 0), place(20, 0, 0, 15)
      place(-3, -40, 0, 1)
      assert.equal(4, s.manager:rebuild(4))
      local list, count = s.manager:within(0, 0, 0, 5)
      assert.same({ [near] = true, [wide] = true }, names(list))
      assert.equal(2, count)
      assert.same({ [far] = true, [wide] = true }, names(s.manager:within(20, 0, 0, 1)))
      assert.equal(2, s.manager:queries())
    end)

    it("fills a given list", function()
      local e, list = place(0, 0, 0, 0), cuttle.list { s.entities:create(), s.entities:create() }
      s.manager:rebuild()
      assert.equal(list, (s.manager:within(0, 0, 0, 1, list)))
      assert.same({ e }, list:totable())
      assert.equal(0, select(2, s.manager:within(9, 9, 9, 1, list)))
      assert.equal(0, list:count())
    end)

    it("uses positions in the world", function()
      local parent = s.world:create { transform = { position = { 100, 0, 0 } } }
      local child = s.world:create { transform = { position = { 1, 0, 0 }, parent = parent }, grid_member = {} }
      s.manager:rebuild(3)
      assert.same({ [child] = true }, names(s.manager:within(101, 0, 0, 0.5)))
      s.world.transform:set_local_position(parent, 200, 0, 0)
      s.manager:rebuild(3)
      assert.same({ [child] = true }, names(s.manager:within(201, 0, 0, 0.5)))
    end)

    it("omits entities without a transform or with a position that is not finite", function()
      s.world:create { grid_member = {} }
      place(0 / 0, 0, 0, 1)
      place(1 / 0, 0, 0, 1)
      local e = place(1e30, -1e30, 0, 1)
      assert.equal(1, s.manager:rebuild(0.001))
      assert.same({}, names(s.manager:within(0, 0, 0, 1e18)))
      s.world.transform:set_local_position(e, 1, 1, 1)
      s.manager:rebuild(0.001)
      assert.same({ [e] = true }, names(s.manager:within(0, 0, 0, 1e18)))
      valid(s.world)
    end)

    it("omits dead entities and removed components at once", function()
      local a, b, c = place(0, 0, 0, 1), place(0, 0, 0, 1), place(0, 0, 0, 1)
      s.manager:rebuild()
      s.entities:destroy(a)
      assert.same({ [b] = true, [c] = true }, names(s.manager:within(0, 0, 0, 1)))
      s.manager:destroy(b)
      assert.same({ [c] = true }, names(s.manager:within(0, 0, 0, 1)))
      s.manager:gc "all"
      assert.same({ [c] = true }, names(s.manager:within(0, 0, 0, 1)))
      valid(s.world)
      s.world:clear()
      assert.same({}, names(s.manager:within(0, 0, 0, 1)))
      valid(s.world)
    end)

    it("uses a new radius at once", function()
      local e = place(0, 0, 0, 0)
      s.manager:rebuild(1)
      s.manager:set_radius(e, 50)
      assert.same({ [e] = true }, names(s.manager:within(40, 0, 0, 1)))
      s.manager:column "radius"[0] = 5
      assert.same({}, names(s.manager:within(40, 0, 0, 1)))
      s.manager:set_radius(e, -7)
      assert.same({ [e] = true }, names(s.manager:within(0, 0, 0, 0)))
      valid(s.world)
    end)

    it("finds the same entities as a search of all", function()
      for _, size in ipairs { 0.5, 7, 60 } do
        local positions, members = {}, s.world:create({ transform = {}, grid_member = {} }, 300)
        for i, e in ipairs(members) do
          positions[i] = { random(101) - 51, random(101) - 51, random(9) - 5, random(4) - 1 }
          s.world.transform:set_local_position(e, positions[i][1], positions[i][2], positions[i][3])
          s.manager:set_radius(e, positions[i][4])
        end
        s.manager:rebuild(size)
        for _ = 1, 50 do
          local x, y, z, r = random(121) - 61, random(121) - 61, random(9) - 5, random(30) - 1
          local expected = {}
          for i, at in ipairs(positions) do
            local d2 = (at[1] - x) ^ 2 + (at[2] - y) ^ 2 + (at[3] - z) ^ 2
            if d2 <= (r + at[4]) ^ 2 then expected[members[i]] = true end
          end
          assert.same(expected, names(s.manager:within(x, y, z, r)))
        end
        s.entities:destroy(members)
        s.manager:gc "all"
        valid(s.world)
      end
    end)

    it("includes its own memory in memory()", function()
      local before = s.manager:memory()
      s.world:create({ transform = {}, grid_member = {} }, 1000)
      s.manager:rebuild()
      assert.is_true(s.manager:memory() > before + 1000 * 80)
    end)

    it("refuses wrong arguments, and names them", function()
      raises("number expected, got string", s.manager.rebuild, s.manager, "x")
      raises("number from 1e-6 to 1e6 expected", s.manager.rebuild, s.manager, 0)
      raises("number from 1e-6 to 1e6 expected", s.manager.rebuild, s.manager, 0 / 0)
      raises("bad argument #3", s.manager.within, s.manager, 0)
      raises("finite number expected", s.manager.within, s.manager, 0 / 0, 0, 0, 1)
      raises("finite number expected", s.manager.within, s.manager, 0, 0, 1 / 0, 1)
      raises("number from 0 on expected", s.manager.within, s.manager, 0, 0, 0, -1)
      raises("cuttle.list or nothing expected, got table", s.manager.within, s.manager, 0, 0, 0, 1, {})
      raises("component manager expected, got table", s.manager.within, {}, 0, 0, 0, 1)
      s.world:destroy()
      raises("world is destroyed", s.manager.rebuild, s.manager)
      raises("world is destroyed", s.manager.within, s.manager, 0, 0, 0, 1)
      raises("world is destroyed", s.manager.queries, s.manager)
    end)

    it("runs its example script", function()
      local played, output = plugins.run(folder, "examples/plugins/grid.lua")
      assert.is_true(played, output)
      assert.matches("10000 queries", output)
    end)
  end)

  describe("the plugin spatial_hash in C++", function()
    local function found(manager, x, y, r)
      local list = manager:within(x, y, r):totable()
      table.sort(list, function(a, b) return cuttle.entity_id(a) < cuttle.entity_id(b) end)
      return list
    end

    local make = scenes_of("spatial_hash", "spatial_hash.cpp", {
      play = function(it)
        it.manager:follow()
        it.manager:within(0, 0, 10)
      end,
      seen = function(it)
        it.manager:follow()
        return found(it.manager, 0, 0, 10)
      end,
      kept = function(it)
        it.manager:follow()
        return #found(it.manager, 0, 0, 10)
      end })
    local s
    before_each(function() s = make() end)

    tests_of_any_manager("spatial_hash", {}, getter(make))

    local function place(x, y) return s.world:create { transform = { position = { x, y, 0 } } } end

    it("reads all poses once, and then the changed ones", function()
      local a, b = place(3, 4), place(20, 0)
      assert.equal(2, s.manager:follow())
      assert.equal(0, s.manager:follow())
      assert.same({ a }, found(s.manager, 0, 0, 5))
      s.world.transform:set_local_position(b, 0, -5)
      assert.equal(1, s.manager:follow())
      assert.same({ a, b }, found(s.manager, 0, 0, 5))
      s.entities:destroy(a)
      assert.same({ b }, found(s.manager, 0, 0, 5))
      s.world.transform:destroy(b)
      assert.equal(2, s.manager:follow())
      assert.same({}, found(s.manager, 0, 0, 1e9))
      s.world:clear()
      assert.equal(0, s.manager:follow())
    end)

    it("can change its cell size", function()
      local e = place(3, 4)
      s.manager:follow()
      assert.equal(s.manager, s.plugin.define(s.world, 0.01))
      assert.equal(1, s.manager:follow())
      assert.same({ e }, found(s.manager, 3, 4, 0.001))
    end)

    it("finds the same entities as a search of all, during random changes", function()
      local living = {}
      for _ = 1, SLOW and 20 or 60 do
        for _ = 1, random(8) do
          local x, y = random(101) - 51, random(101) - 51
          local e = living[random(#living + 20)]
          if not e then
            living[#living + 1] = place(x, y)
          elseif random(4) == 1 then
            s.entities:destroy(table.remove(living, random(#living)))
          elseif random(4) == 1 then
            s.world.transform:set_local_position(e, 0 / 0, x)
          elseif random(3) == 1 then
            s.world.transform:link(e, place(x, y))
          else
            s.world.transform:set_world_position(e, x, y, 0)
          end
        end
        s.manager:follow()
        local x, y, r = random(121) - 61, random(121) - 61, random(40) - 1
        local expected = {}
        for e in s.entities:each() do
          if s.world.transform:has(e) then
            local px, py = s.world.transform:world_position(e)
            if (px - x) ^ 2 + (py - y) ^ 2 <= r ^ 2 then expected[#expected + 1] = e end
          end
        end
        table.sort(expected, function(a, b) return cuttle.entity_id(a) < cuttle.entity_id(b) end)
        assert.same(expected, found(s.manager, x, y, r))
      end
      valid(s.world)
    end)

    it("refuses wrong arguments, and names them", function()
      raises("number from 1e-6 to 1e6 expected", s.plugin.define, s.world, 0)
      raises("finite number expected", s.manager.within, s.manager, 0 / 0, 0, 1)
      raises("number from 0 on expected", s.manager.within, s.manager, 0, 0, -1)
      raises("cuttle.list or nothing expected, got table", s.manager.within, s.manager, 0, 0, 1, {})
      s.world:destroy()
      raises("world is destroyed", s.manager.follow, s.manager)
      raises("world is destroyed", s.manager.within, s.manager, 0, 0, 1)
    end)

    it("runs its example script", function()
      local played, output = plugins.run(folder, "examples/plugins/spatial_hash.lua")
      assert.is_true(played, output)
      assert.matches("each of 60 frames: 99.5 updated", output, 1, true)
    end)
  end)

  describe("the plugin waves in C", function()
    local waves, entities, world, blob

    setup(function()
      plugins.build(folder, "waves", "examples/plugins/waves.c")
      waves = plugins.load(folder, "waves")
    end)

    before_each(function()
      entities = cuttle.entity_manager()
      world = cuttle.world(entities)
      blob = assert(cuttle.compiler(world):compile { entities = { { name = "camp", children = {
        { name = "chief", components = { transform = {}, point_mass = { mass = 1 } } },
        { name = "orc", components = { transform = { position = { 1, 0, 0 } }, point_mass = { mass = 2 } } } } } } })
    end)

    it("spawns with a pose and an override, finds, and joins", function()
      local level = assert(waves.spawn(world, assert(waves.load(blob)), 3))
      assert.equal(3, level:count())
      assert.equal(level:find "chief", waves.chief(level))
      assert.equal(300, world.point_mass:mass(level:find "chief"))
      assert.same({ 302, (300 * 30 + 2 * 31) / 302 }, { waves.weigh(world) })
      entities:destroy(level:find "chief")
      assert.is_nil(waves.chief(level))
      assert.same({ 2, 31 }, { waves.weigh(world) })
    end)

    it("adds a script-defined component with any fields", function()
      local e, other = entities:create(), entities:create()
      raises("the script defines no 'armour'", waves.arm, world, e, 5)
      world:define("armour", { { "strength", "float" } })
      waves.arm(world, e, 5)
      assert.equal(5, world.armour:strength(e))
      raises("armour: there is one already", waves.arm, world, e, 6)
      world:define("armour", { { "colour", "string", default = "red" }, { "strength", "float" },
        { "weight", "double" } }, { migrate = true })
      waves.arm(world, other, 6)
      assert.same({ colour = "red", strength = 6, weight = 0 }, world.armour:get(other))
      world:define("armour", { { "strength", "string" } }, { migrate = true })
      raises("armour", waves.arm, world, entities:create(), 7)
      assert.equal(2, world.armour:count())
      valid(world)
    end)

    it("restarts with the same overrides, and unloads", function()
      local level = assert(waves.spawn(world, assert(waves.load(blob)), 2))
      local chief = waves.chief(level)
      assert.equal(level, waves.again(level))
      assert.is_false(entities:alive(chief))
      assert.equal(200, world.point_mass:mass(waves.chief(level)))
      assert.equal(3, waves.clear(level))
      assert.equal(0, waves.clear(level))
      assert.equal(0, entities:count())
      valid(world)
    end)

    it("patches a level from a newer resource", function()
      local level = assert(waves.spawn(world, assert(waves.load(blob)), 2))
      local orc = level:find "orc"
      local newer = assert(waves.load(assert(cuttle.compiler(world):compile { entities = { { name = "camp", children = {
        { name = "chief", components = { transform = {}, point_mass = { mass = 5 } } },
        { name = "orc", components = { transform = { position = { 1, 0, 0 } }, point_mass = { mass = 3 } } },
        { name = "dog" } } } } })))
      assert.same({ 1, 1, 0 }, { waves.follow(level, newer) })
      assert.equal(3, world.point_mass:mass(orc))
      assert.equal(200, world.point_mass:mass(waves.chief(level)))
      raises("Resource expected, got nil", waves.follow, level)
      level:unload()
      assert.same({ nil, "wave: the level is unloaded" }, { waves.follow(level, newer) })
      level = assert(waves.spawn(world, newer, 2))
      entities:on_destroy(function() error("a callback", 0) end)
      raises("a callback", waves.follow, level, assert(waves.load(blob)))
      assert.equal(3, level:count())
    end)

    it("returns the error of a wrong resource, and changes nothing", function()
      local function refuses(message, ...) assert.same({ n = 2, message = message }, { n = select("#", ...),
        message = select(2, ...) }) end
      refuses("wave: not an entity resource: 4 bytes are less than its header", waves.load "CTLR")
      local other = assert(cuttle.compiler(world):compile { entities = { { name = "camp" } } })
      refuses("wave: overrides: camp/chief: no entity of the resource is called 'chief'",
        waves.spawn(world, assert(waves.load(other)), 1))
      local resource = assert(waves.load(blob))
      raises("world expected, got nil", waves.spawn, nil, resource, 1)
      raises("Resource expected, got number", waves.spawn, world, 5, 1)
      raises("Level expected, got table", waves.chief, {})
      local level = assert(waves.spawn(world, resource, 1))
      entities:on_destroy(function() error("a callback", 0) end)
      raises("a callback", waves.again, level)
      assert.equal(3, level:count())
      raises("a callback", waves.clear, level)
      world:destroy()
      raises("world is destroyed", waves.spawn, world, resource, 1)
      raises("world is destroyed", waves.chief, level)
      raises("world is destroyed", waves.again, level)
      raises("world is destroyed", waves.clear, level)
      assert.equal(0, entities:count())
    end)

    it("runs its example script", function()
      local played, output = plugins.run(folder, "examples/plugins/waves.lua")
      assert.is_true(played, output)
      assert.matches("36 were left at the end", output)
    end)
  end)
end)
