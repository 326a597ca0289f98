-- cuttle.stage: levels around a view.

local core = require "cuttle.core"
local cuttle = require "cuttle"
local new_random = require "spec.support.random"
local raises = require "spec.support.raises"
local rounds = require "spec.support.rounds"
local seed = require "spec.support.seed"
local starving = require "spec.support.starving"
local valid = require "spec.support.valid"

describe("a stage", function()
  local world, entities, compiler, resources, loads

  before_each(function()
    entities = cuttle.entity_manager()
    world = cuttle.world(entities)
    world:define("chest", { { "open", "bool" }, { "gold", "int32", 5 } })
    compiler, resources, loads = cuttle.compiler(world), {}, {}
  end)

  after_each(function() valid(world) end)

  local function resource_of(name)
    local source = { entities = { { id = "c", name = "chest of " .. name, components = { chest = {} } } } }
    return assert(cuttle.resource(assert(compiler:compile(source)), name))
  end

  local function load(name)
    loads[#loads + 1] = name
    resources[name] = resources[name] or resource_of(name)
    return resources[name]
  end

  -- Rooms of 10 x 10 in a row: a from 0 to 10, b from 10 to 20, and so on.
  local function row_of(count)
    local index = {}
    for i = 1, count do
      index[i] = { name = string.char(96 + i), x = (i - 1) * 10, y = 0, w = 10, h = 10, depth = 0,
        neighbours = { "a" } }
    end
    return index
  end

  local function new_stage(options)
    options = options or {}
    options.load = options.load or load
    return cuttle.stage(world, row_of(5), options)
  end

  it("spawns the level in which the view is, and unloads it when the view has left it", function()
    local stage = new_stage()
    assert.same({ { "a" }, {} }, { stage:look(5, 5) })
    assert.is_nil(stage:look(6, 5))
    assert.equal("chest of a", world.debug_name:debug_name(stage:level("a"):entity(1)))
    assert.is_nil(stage:level "b")
    assert.same({ { "b" }, { "a" } }, { stage:look(15, 5) })
    assert.is_nil(stage:level "a")
    assert.equal(1, entities:count())
    assert.same({ {}, { "b" } }, { stage:look(15, 50) })
    assert.same({ "a", "b" }, loads)
  end)

  it("spawns one and unloads one level in a call, the nearest and the farthest first", function()
    local stage = new_stage()
    assert.same({ { "b" }, {} }, { stage:look(15, 5, 18, 4) })
    assert.same({ { "a" }, {} }, { stage:look(15, 5, 18, 4) })
    assert.same({ { "c" }, {} }, { stage:look(15, 5, 18, 4) })
    assert.is_nil(stage:look(15, 5, 18, 4))
    assert.same({ { "e" }, { "a" } }, { stage:look(45, 5, 2, 2) })
    assert.same({ {}, { "b" } }, { stage:look(45, 5, 2, 2) })
    assert.same({ {}, { "c" } }, { stage:look(45, 5, 2, 2) })
    assert.is_nil(stage:look(45, 5, 2, 2))
  end)

  it("changes everything at once with `all`", function()
    local stage = new_stage()
    assert.same({ { "b", "a", "c" }, {} }, { stage:look(15, 5, 18, 4, { all = true }) })
    assert.same({ { "e" }, { "a", "b", "c" } }, { stage:look(45, 5, { all = true }) })
    assert.same({ { "e" } }, { (stage:clear()) })
    assert.same({}, stage:clear())
  end)

  it("has a margin, and loads what is ahead without spawning it", function()
    local stage = new_stage { margin = 2, ahead = 10 }
    assert.same({ { "b" }, {} }, { stage:look(15, 5) })
    assert.same({ "a", "c", "b" }, loads)
    assert.same({ { "c" }, {} }, { stage:look(18.5, 5) })
    assert.is_nil(stage:look(18.5, 5))
    assert.same({ "a", "c", "b", "d" }, loads)
  end)

  it("waits for levels that are not ready, and spawns others meanwhile", function()
    local ready = {}
    local stage = new_stage { load = function(name) return ready[name] and load(name) or nil end }
    assert.is_nil(stage:look(15, 5, 18, 4))
    ready.c = true
    assert.same({ { "c" }, {} }, { stage:look(15, 5, 18, 4) })
    ready.a, ready.b = true, true
    assert.same({ { "b", "a" }, {} }, { stage:look(15, 5, 18, 4, { all = true }) })
    assert.same({}, stage:failed())
  end)

  it("does not try a level that failed again until retry", function()
    local broken, calls = true, 0
    local stage = new_stage { load = function(name)
      calls = calls + 1
      if broken then return nil, name .. ".level: no such file" end
      return load(name)
    end }
    for _ = 1, 3 do assert.is_nil(stage:look(5, 5)) end
    assert.equal(1, calls)
    assert.same({ a = "a.level: no such file" }, stage:failed())
    broken = false
    assert.is_nil(stage:look(5, 5))
    assert.is_true(stage:retry "a")
    assert.is_false(stage:retry "a")
    assert.same({ { "a" }, {} }, { stage:look(5, 5) })
    assert.same({}, stage:failed())
  end)

  it("reports a level whose spawn fails", function()
    local stage = new_stage()
    local hook = world.chest:on_add(function() error "no chests today" end)
    assert.is_nil(stage:look(5, 5))
    assert.truthy(stage:failed().a:find("no chests today", 1, true))
    world.chest:off_add(hook)
    stage:retry "a"
    assert.same({ { "a" }, {} }, { stage:look(5, 5) })
  end)

  it("loads a level whose spawn failed again after retry", function()
    local calls = 0
    local stage = new_stage { load = function(name)
      calls = calls + 1
      return load(calls == 1 and "b" or name)
    end }
    local hook = world.chest:on_add(function() if calls == 1 then error "the file is wrong" end end)
    for _ = 1, 2 do assert.is_nil(stage:look(5, 5)) end
    assert.equal(1, calls)
    stage:retry "a"
    assert.same({ { "a" }, {} }, { stage:look(5, 5) })
    assert.truthy(stage:level("a"):find "chest of a")
    world.chest:off_add(hook)
  end)

  it("remembers what happened in a level", function()
    local stage = new_stage { remember = true }
    stage:look(5, 5)
    world.chest:set_open(stage:level("a"):find "chest of a", true)
    stage:look(15, 5)
    assert.same({ "string" }, { type(stage:states().a) })
    stage:look(5, 5)
    assert.is_true(world.chest:open(stage:level("a"):find "chest of a"))
    entities:destroy(stage:level("a"):entity(1))
    stage:look(15, 5)
    stage:look(5, 5)
    assert.is_false(entities:alive(stage:level("a"):entity(1)))
    stage:clear()
    -- Another stage takes the states back.
    local other = new_stage { remember = true, states = stage:states() }
    other:look(5, 5)
    assert.equal(1, stage:states().b and 1)
    assert.equal(0, entities:count())
  end)

  it("forgets what happened in a level without `remember`", function()
    local stage = new_stage()
    stage:look(5, 5)
    world.chest:set_open(stage:level("a"):entity(1), true)
    stage:look(15, 5)
    stage:look(5, 5)
    assert.is_false(world.chest:open(stage:level("a"):entity(1)))
    assert.same({}, stage:states())
  end)

  it("follows levels that a snapshot restores or removes", function()
    local stage = new_stage { remember = true }
    local before = entities:snapshot()
    stage:look(5, 5)
    local inside = entities:snapshot()
    entities:restore(before)
    assert.is_nil(stage:level "a")
    assert.same({ { "a" }, {} }, { stage:look(5, 5) })
    stage:look(15, 5)
    entities:restore(inside)
    assert.is_not_nil(stage:level "a")
    assert.is_nil(stage:level "b")
    assert.same({ { "b" }, { "a" } }, { stage:look(15, 5) })
    assert.equal(1, entities:count())
  end)

  it("keeps a level without entities", function()
    local stage = new_stage { load = function(name)
      loads[#loads + 1] = name
      return assert(cuttle.resource(assert(compiler:compile { entities = {} })))
    end }
    assert.same({ { "a" }, {} }, { stage:look(5, 5) })
    assert.is_nil(stage:look(5, 5))
    assert.same({ "a" }, loads)
    assert.same({ {}, { "a" } }, { stage:look(5, 50) })
  end)

  it("lists its levels", function()
    local stage = new_stage()
    stage:look(10, 5, { all = true })
    local levels = stage:levels()
    assert.equal(stage:level "a", levels.a)
    assert.equal(stage:level "b", levels.b)
    assert.is_nil(levels.c)
    assert.equal("Stage (5 levels)", tostring(stage))
    assert.equal("Stage", getmetatable(stage))
  end)

  it("passes on errors of callbacks after the level was unloaded", function()
    local stage = new_stage()
    stage:look(5, 5)
    entities:on_destroy(function() error "a callback failed" end)
    raises("a callback failed", stage.look, stage, 5, 50)
    assert.is_nil(stage:level "a")
    assert.same({ {}, { "a" } }, { stage:look(5, 50) }) -- the name that the error kept back
    assert.is_nil(stage:look(5, 50))
  end)

  it("keeps the names of changed levels for the next call when an error ends a call", function()
    local broken
    local stage = new_stage { load = function(name) return name == broken and 7 or load(name) end }
    stage:look(5, 5)
    broken = "b"
    raises("load: Resource or nil expected for 'b', got number", stage.look, stage, 15, 5, 6, 6)
    assert.is_nil(stage:level "a")
    broken = nil
    assert.same({ { "b" }, { "a" } }, { stage:look(15, 5, 6, 6) })
    broken = "c"
    raises("got number", stage.look, stage, 30, 5, { all = true })
    broken = nil
    -- Level d was spawned by the call that failed, and is unloaded before its name was returned.
    assert.is_nil(stage:level "d")
    assert.same({ { "c", "d" }, { "b" } }, { stage:look(30, 5, { all = true }) })
  end)

  it("does not return the name of a level that was unloaded before its spawn was returned", function()
    local broken = "c"
    local stage = new_stage { load = function(name) return name == broken and 7 or load(name) end }
    raises("got number", stage.look, stage, 15, 5, 18, 4, { all = true })
    assert.is_truthy(stage:level "a")
    assert.is_truthy(stage:level "b")
    assert.same({ { "b" }, {} }, { stage:look(15, 5) })
    assert.same({ "b" }, stage:clear())
  end)

  it("keeps a level of which an unload could not begin", function()
    local stage = new_stage { remember = true }
    stage:look(5, 5)
    local level, frozen = stage:level "a", nil
    world.chest:set_open(level:entity(1), true)
    world.actor:on_spawn(function() return {} end)
    world.actor:create(level:entity(1), {})
    local snapshot = entities:snapshot()
    world.actor:on_destroy(function() end)
    entities:destroy(level:entity(1))
    -- In the callbacks of a restore nothing can be unloaded.
    world.actor:on_spawn(function() frozen = frozen or { pcall(stage.look, stage, 15, 5) } return {} end)
    entities:restore(snapshot)
    assert.is_false(frozen[1])
    assert.equal(level, stage:level "a")
    assert.same({ { "b" }, { "a" } }, { stage:look(15, 5) })
    stage:look(5, 5)
    assert.is_true(world.chest:open(stage:level("a"):entity(1)))
  end)

  it("does not unload a level whose state cannot be saved", function()
    local stage = new_stage { remember = true }
    stage:look(5, 5)
    local save = assert(cuttle.snapshot(entities:snapshot():tostring()))
    local others = cuttle.entity_manager()
    local other = cuttle.world(others)
    other:define("chest", { { "open", "bool" }, { "gold", "int32", 5 } })
    assert.is_true(others:restore(save))
    local later = cuttle.stage(other, row_of(5), { load = load, remember = true })
    for _ = 1, 2 do
      assert.same({ { "b" }, {} }, { later:look(15, 5) })
      assert.same({ a = "the level's resource 'a' was not given" }, later:failed())
      assert.is_truthy(later:level "a")
      assert.same({ "b" }, later:clear())
    end
    assert.is_true(later:retry "a")
    assert.is_nil(later:look(5, 5))
    later:level("a"):unload()
    assert.same({ { "a" }, {} }, { later:look(5, 5) })
  end)

  it("takes over the levels of a loaded save", function()
    local stage = new_stage { remember = true }
    stage:look(10, 5, { all = true })
    world.chest:set_gold(stage:level("a"):entity(1), 77)
    local names, by_name = {}, {}
    for name in pairs(stage:levels()) do names[#names + 1] = name end
    assert.equal(2, #names)
    for _, name in ipairs(names) do by_name[name] = resources[name] end
    local save = assert(cuttle.snapshot(entities:snapshot():tostring()))
    -- The same stage, after it has moved on.
    stage:look(45, 5, { all = true })
    assert.is_true(entities:restore(save, { resources = by_name }))
    assert.equal(77, world.chest:gold(stage:level("a"):entity(1)))
    assert.is_nil(stage:look(10, 5, { all = true }))
    assert.same({ {}, { "b" } }, { stage:look(5, 5) })
    assert.same({ { "b" }, { "a" } }, { stage:look(15, 5) })
    assert.same({ { "a" }, { "b" } }, { stage:look(5, 5) })
    assert.equal(77, world.chest:gold(stage:level("a"):entity(1)))
    -- A stage of another program, made after the restore and before it.
    for _, first in ipairs { "stage", "restore" } do
      local others = cuttle.entity_manager()
      local other = cuttle.world(others)
      other:define("chest", { { "open", "bool" }, { "gold", "int32", 5 } })
      local later
      if first == "stage" then later = cuttle.stage(other, row_of(5), { load = load, remember = true }) end
      assert.is_true(others:restore(save, { resources = by_name }))
      later = later or cuttle.stage(other, row_of(5), { load = load, remember = true })
      assert.equal(other:levels()[1], later:level "a")
      assert.equal(77, other.chest:gold(later:level("a"):entity(1)))
      assert.is_nil(later:look(10, 5, { all = true }))
      assert.equal(2, others:count())
      assert.same({ {}, { "a" } }, { later:look(15, 5) })
      assert.same({ { "a" }, { "b" } }, { later:look(5, 5) })
      assert.equal(77, other.chest:gold(later:level("a"):entity(1)))
      valid(other)
    end
  end)

  it("leaves levels alone that the game has spawned, with its names too", function()
    local own = assert(world:spawn(load "a", { name = "b" }))
    local stage = new_stage()
    assert.is_nil(stage:level "b")
    assert.same({ { "a", "b" }, {} }, { stage:look(10, 5, { all = true }) })
    assert.is_true(own:count() > 0)
    own:unload()
  end)

  it("registers nothing with its EntityManager, and is collected", function()
    local token = entities:on_restore(function() end)
    local stages = setmetatable({ [new_stage()] = true }, { __mode = "k" })
    assert.equal(token + 1, entities:on_restore(function() end))
    collectgarbage()
    collectgarbage()
    assert.is_nil(next(stages))
  end)

  it("can be used in the callbacks of a restore", function()
    local stage, seen = new_stage(), nil
    local before = entities:snapshot()
    stage:look(5, 5)
    entities:on_restore(function() seen = { stage:level "a", stage:look(15, 5) } end)
    entities:restore(before)
    assert.is_nil(seen[1])
    assert.same({ "b" }, seen[2])
  end)

  it("checks its arguments", function()
    local function bad(text, index, options) raises(text, cuttle.stage, world, index, options) end
    bad("table expected, got nil", nil, { load = load })
    bad("[1]: name: string expected, got nil", { {} }, { load = load })
    bad("[1]: w: finite number expected, got nil", { { name = "a", x = 0, y = 0 } }, { load = load })
    bad("[1]: h: number from 0 on expected, got -1", { { name = "a", x = 0, y = 0, w = 1, h = -1 } }, { load = load })
    bad("[2]: name: 'a' is the name of an earlier level",
      { { name = "a", x = 0, y = 0, w = 1, h = 1 }, { name = "a" } }, { load = load })
    bad("load: required", {}, {})
    bad("load: function expected, got string", {}, { load = "x" })
    bad("margin: finite number from 0 on expected, got -1", {}, { load = load, margin = -1 })
    bad("states: a: string expected, got number", {}, { load = load, states = { a = 1 } })
    bad("unknown option 'aheads' (did you mean 'ahead'?)", {}, { load = load, aheads = 1 })
    raises("world expected", cuttle.stage, {}, {}, { load = load })
    local stage = new_stage { load = function() return 7 end }
    raises("finite number expected, got nil", stage.look, stage, nil, 5)
    raises("finite number expected", stage.look, stage, 0 / 0, 5)
    raises("finite number from 0 on expected, got -1", stage.look, stage, 5, 5, -1)
    raises("all: boolean expected, got number", stage.look, stage, 5, 5, 1, 1, { all = 1 })
    raises("load: Resource or nil expected for 'a', got number", stage.look, stage, 5, 5)
    raises("no level of the index is called 'aa' (did you mean 'a'?)", stage.level, stage, "aa")
    raises("string expected, got number", stage.retry, stage, 7)
    raises("Stage expected, got table", stage.look, {}, 5, 5)
  end)

  it("raises an error of the world at the line of the script", function()
    local other = cuttle.world(cuttle.entity_manager())
    local resource = resource_of "a"
    local stage = cuttle.stage(other, row_of(1), { load = function() return resource end })
    other:destroy()
    local ok, message = pcall(function() local _ = stage:look(5, 5) end)
    assert.is_false(ok)
    assert.matches("stage_spec%.lua:%d+: world is destroyed$", message)
  end)

  -- Calls look with allocation n failing, and again until nothing changes. Returns whether an allocation failed.
  local function look_in_want(fail_in, n)
    local stage = new_stage { remember = true }
    stage:look(5, 5)
    world.chest:set_gold(stage:level("a"):entity(1), 9)
    load "b"
    fail_in(n)
    local ok, spawned, unloaded = pcall(stage.look, stage, 15, 5)
    local failed = fail_in(-1) > 0
    if not ok then assert(tostring(spawned):find("not enough memory", 1, true), spawned) end
    local names = { ok and spawned and spawned[1] or "", ok and spawned and unloaded[1] or "" }
    stage:retry "b"
    spawned, unloaded = stage:look(15, 5)
    if spawned then names = { names[1] .. (spawned[1] or ""), names[2] .. (unloaded[1] or "") } end
    assert.same({ "b", "a" }, names)
    assert.is_nil(stage:look(15, 5))
    assert.same({}, stage:failed())
    assert.equal(1, entities:count())
    stage:look(5, 5)
    assert.equal(9, world.chest:gold(stage:level("a"):entity(1)))
    stage:clear()
    valid(world)
    return failed
  end

  local in_want = core.testing and it or pending
  in_want("returns each name once if the core's memory runs out in between", function()
    local n = 0
    while look_in_want(core.testing.fail_in, n) do n = n + 1 end
    assert.is_true(n > 5)
  end)

  it("returns each name once if Lua's memory runs out in between", function()
    if starving.missing then return pending(starving.missing) end
    starving.with(function()
      local n = 0
      while look_in_want(core.testing.fail_lua_in, n) do n = n + 1 end
      assert.is_true(n > 5)
    end)
  end)

  it("keeps the states of many levels for an hour of frames, in the same memory", function()
    local index, sources = {}, {}
    for i = 0, 49 do
      index[i + 1] = { name = "l" .. i, x = i % 10 * 10, y = math.floor(i / 10) * 10, w = 10, h = 10 }
    end
    for i = 1, 20 do sources[i] = { name = "chest " .. i, components = { transform = {}, chest = {} } } end
    local blob = assert(compiler:compile { entities = sources })
    local stage = cuttle.stage(world, index, { remember = true, load = function(name)
      resources[name] = resources[name] or assert(cuttle.resource(blob, name))
      return resources[name]
    end })
    local frames, opened, again, bytes = rounds(216000, 4000), {}, 0, nil
    -- A camera goes along the rows, to and fro, and crosses a level in 30 frames.
    for frame = 1, frames do
      local step = frame / 3
      local row, column = math.floor(step / 90), step % 90
      local x = row % 2 == 0 and column or 90 - column
      for _, name in ipairs(stage:look(x + 5, row % 5 * 10 + 5, 3, 3) or {}) do
        local chest = stage:level(name):find "chest 7"
        assert.equal(opened[name] or false, world.chest:open(chest))
        if opened[name] then again = again + 1 end
        world.chest:set_open(chest, true)
        opened[name] = true
      end
      world:gc(40)
      if frame == math.floor(frames / 2) or frame == frames then
        world:gc "all"
        world:trim()
        collectgarbage()
        collectgarbage()
        local held, lua = world:memory() + entities:memory(), collectgarbage "count" * 1024
        bytes = bytes or { held, lua }
        assert.is_true(held <= bytes[1] * 1.2 and lua <= bytes[2] * 1.2, ("%d and %d bytes, later %d and %d"):format(
          bytes[1], bytes[2], held, lua))
      end
    end
    assert.is_true(again > frames / 100)
    assert.is_true(entities:count() <= 4 * 20)
    valid(world)
  end)

  it("is the same as a simple rule, for random views, seed " .. seed, function()
    local random, index = new_random(seed), {}
    for i = 1, 12 do
      index[i] = { name = "l" .. i, x = random(50), y = random(50), w = random(20), h = random(20) }
    end
    local stage = cuttle.stage(world, index, { load = load, margin = 3, remember = true })
    local gold, opened = {}, 0
    for _ = 1, rounds(300, 60) do
      local x, y, w, h = random(70), random(70), random(15), random(15)
      stage:look(x, y, w, h, { all = true })
      for _, room in ipairs(index) do
        local touches = math.abs(room.x + room.w / 2 - x) <= (room.w + w) / 2 + 3
          and math.abs(room.y + room.h / 2 - y) <= (room.h + h) / 2 + 3
        local level = stage:level(room.name)
        assert.equal(touches, level ~= nil, room.name)
        if level then
          local chest = level:entity(1)
          assert.equal(gold[room.name] or 5, world.chest:gold(chest))
          if random(3) == 1 then
            gold[room.name], opened = random(100), opened + 1
            world.chest:set_gold(chest, gold[room.name])
          end
        end
      end
    end
    assert.is_true(opened > 0)
    valid(world)
  end)
end)
