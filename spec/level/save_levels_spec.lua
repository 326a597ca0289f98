-- Levels in saves: after a restore they find, unload, restart and patch their entities.

local core = require "cuttle.core"
local cuttle = require "cuttle"
local raises = require "spec.support.raises"
local saves = require "spec.support.saves"
local seed = require "spec.support.seed"
local valid = require "spec.support.valid"

local HEALTH = { { "hp", "float", 100 }, { "target", "entity" }, { "title", "string" }, { "loot", "value" },
  { "state", "enum", { "idle", "run" } } }

local function new_world()
  local entities = cuttle.entity_manager()
  local world = cuttle.world(entities, { name = "world" })
  world:define("health", HEALTH)
  saves.define_resources(world)
  return world, entities
end

local function at(name, x, children)
  return { name = name, components = { transform = { position = { x, 0, 0 } }, health = {} }, children = children }
end

local VILLAGE = { entities = { at("hut", 1, { at("door", 2), at("bed", 3) }), at("well", 4) } }
local LARGER = { entities = { at("well", 4), at("hut", 1, { at("door", 2), at("bed", 3) }), at("tower", 9) } }

local function compile(world, source, name)
  return assert(cuttle.resource(assert(cuttle.compiler(world):compile(source)), name))
end

local function save_of(entities) return assert(cuttle.snapshot(entities:snapshot():tostring())) end

-- A save of a level of the village, and what was in it.
local function saved(options, name)
  local world, entities = new_world()
  local level = assert(world:spawn(compile(world, VILLAGE, name or "village"), options))
  return save_of(entities), level, world, entities
end

-- Another program that has restored the save, with the resources.
local function loaded(save, sources)
  local world, entities = new_world()
  local resources = {}
  for name, source in pairs(sources or {}) do resources[name] = compile(world, source, name) end
  assert.are.same({ true, {} }, { entities:restore(save, { resources = resources }) })
  valid(world)
  return world, entities, world:levels()
end

describe("a level in a save", function()
  it("has the name of its spawn, or else that of its resource", function()
    local save, level = saved({ name = "the village\0of elves" })
    assert.are.equal("the village\0of elves", level:name())
    local _, _, levels = loaded(save)
    assert.are.equal("the village\0of elves", levels[1]:name())
    save, level = saved()
    assert.are.equal("village", level:name())
    _, _, levels = loaded(save)
    assert.are.equal("village", levels[1]:name())
  end)

  it("is in world:levels after the restore, with its entities and names", function()
    local save, level = saved()
    local world, _, levels = loaded(save)
    local own = levels[1]
    assert.are.equal(1, #levels)
    assert.are.same(level:entities(), own:entities())
    assert.are.same(level:roots(), own:roots())
    for _, path in ipairs { "hut", "hut/door", "door", "well" } do
      assert.are.equal(assert(level:find(path)), own:find(path))
    end
    assert.is_nil(own:find "hut/well")
    assert.are.same({ 1, 4 }, { own:copy_range(1) })
    assert.are.same({}, own:skipped())
    assert.are.equal("Level (4 entities)", tostring(own))
    assert.are.equal(4, own:unload())
    assert.are.same({}, world:levels())
    valid(world)
  end)

  it("has the entities that died, and those that were lost to other ids", function()
    local _, level, world, entities = saved()
    entities:destroy(level:find "door")
    world.health:destroy(level:find "well")
    local _, others, levels = loaded(save_of(entities))
    assert.are.same(level:entities(), levels[1]:entities())
    assert.is_nil(levels[1]:find "hut/door")
    assert.are.equal(3, levels[1]:unload())
    assert.are.equal(0, others:count())
  end)

  it("cannot restart or be patched without its resource", function()
    local save = saved()
    local world, entities, levels = loaded(save)
    local hash, resource = entities:hash(), compile(world, LARGER)
    assert.are.same({ nil, "the level's resource 'village' was not given" }, { levels[1]:restart() })
    assert.are.same({ nil, "the level's resource 'village' was not given" }, { levels[1]:patch(resource) })
    assert.are.equal(hash, entities:hash())
    assert.are.same({ nil, "the level's resource '' was not given" },
      { select(3, loaded(saved(nil, ""), { other = VILLAGE }))[1]:restart() })
  end)

  it("restarts with its options, and follows newer versions", function()
    local world, entities = new_world()
    local parent = world:create { transform = { position = { 100, 0, 0 } }, model = { resource = "leg" } }
    assert(world:spawn(compile(world, VILLAGE, "village"), { position = { 0, 10, 0 }, parent = parent,
      parent_node = "knee", unknown = "error", overrides = {
        ["hut/door"] = { health = { hp = 7, target = parent, title = "oak", loot = { 1, { "two" } }, state = "run" },
          mesh = { { id = "lock", resource = "box", visible = false }, { id = 5, resource = "box" } } } } }))
    local other, others, levels = loaded(save_of(entities), { village = VILLAGE })
    local level = levels[1]
    assert.are.equal(level, level:restart())
    local door = level:find "hut/door"
    assert.are.same({ hp = 7, target = parent, title = "oak", loot = { 1, { "two" } }, state = "run" },
      other.health:get(door))
    assert.are.same({ "lock", 5 }, other.mesh:ids(door))
    assert.is_false(other.mesh:visible(other.mesh:lookup(door, "lock")))
    assert.are.equal(2, other.transform:parent_node(level:find "hut"))
    assert.are.same({ 101, 11, 0 }, { other.transform:world_position(level:find "hut") })
    valid(other)
    local counts = assert(level:patch(compile(other, LARGER, "village")))
    assert.are.same({ 1, 0 }, { counts.added, counts.removed })
    assert.are.same({ 109, 11, 0 }, { other.transform:world_position(level:find "tower") })
    others:destroy(parent)
    local hash = others:hash()
    local done, message = level:restart()
    assert.is_nil(done)
    assert.matches("^village: parent: ", message)
    assert.are.equal(hash, others:hash())
  end)

  it("has the copies of spawn_many, with or without poses", function()
    local world, entities = new_world()
    local resource = compile(world, VILLAGE, "village")
    assert(world:spawn_many(resource, { positions = { 10, 0, 0, 20, 0, 0 }, scales = { 1, 2 } }))
    assert(world:spawn_many(resource, 3, { angle = 0 }))
    local other, _, levels = loaded(save_of(entities), { village = VILLAGE })
    assert.are.same({ 8, 12 }, { levels[1]:count(), levels[2]:count() })
    assert.are.same({ 5, 4 }, { levels[1]:copy_range(2) })
    assert.are.same({ 9, 4 }, { levels[2]:copy_range(3) })
    assert.is_nil(levels[1]:copy_range(3))
    assert(levels[1]:restart())
    assert.are.same({ 28, 0, 0 }, { other.transform:world_position(levels[1]:entity(8)) })
    assert.are.equal(20, assert(levels[1]:patch(compile(other, LARGER))).added + 18)
    valid(other)
  end)

  it("restarts from another version of its resource, but is not patched before", function()
    local save, level = saved()
    local world, entities, levels = loaded(save, { village = LARGER })
    local own, hash = levels[1], entities:hash()
    assert.are.equal(level:find "well", own:find "well")
    assert.is_nil(own:find "tower")
    assert.are.same({ nil, "the level was spawned from another version of 'village'" },
      { own:patch(compile(world, LARGER)) })
    local before = entities:snapshot()
    local failing = world.health:on_add(function() error("no", 0) end)
    assert.are.same({ nil, "village: no" }, { own:restart() })
    world.health:off_add(failing)
    assert.are.equal(4, own:count())
    assert.are.equal(own, own:restart())
    assert.are.equal(5, own:count())
    assert.is_truthy(own:find "tower")
    assert.are.equal(0, assert(own:patch(compile(world, LARGER, "village"))).added)
    collectgarbage()
    assert.is_true(entities:restore(before))
    assert.are.same({ 4, hash }, { own:count(), entities:hash() })
    assert.is_nil(own:find "tower")
    assert.are.same({ nil, "the level was spawned from another version of 'village'" },
      { own:patch(compile(world, LARGER)) })
    assert(own:restart())
    assert.is_truthy(own:find "tower")
    valid(world)
  end)

  it("uses the resource that a level of the same name still holds", function()
    local save, level, world, entities = saved()
    assert.is_true(entities:restore(save))
    assert.are.equal(0, level:count())
    local again = world:levels()[1]
    assert.are.not_equal(level, again)
    assert.are.equal(again, again:restart())
    -- A level that was restored holds its resource, too.
    assert.is_true(entities:restore(save))
    assert.is_truthy(world:levels()[1]:restart())
    world:levels()[1]:unload()
    assert.is_true(entities:restore(save))
    assert.is_nil((world:levels()[1]:restart()))
  end)

  it("uses the same version that is held, before another one; without a name only the same version", function()
    local save, level, world, entities = saved()
    assert(world:spawn(compile(world, LARGER, "village")))
    assert.is_true(entities:restore(save))
    assert.is_truthy(world:levels()[1]:patch(level and compile(world, LARGER)))
    local unnamed, _, other, others = saved(nil, "")
    assert.is_true(others:restore(unnamed))
    assert.is_truthy(other:levels()[1]:restart())
    other:levels()[1]:unload()
    assert(other:spawn(compile(other, LARGER)))
    assert.is_true(others:restore(unnamed))
    assert.are.same({ nil, "the level's resource '' was not given" }, { other:levels()[1]:restart() })
  end)

  it("uses the given resource before one that is held", function()
    local save, _, world, entities = saved()
    local larger = compile(world, LARGER, "other name")
    assert.is_true(entities:restore(save, { resources = { village = larger, unused = larger } }))
    assert(world:levels()[1]:restart())
    assert.is_truthy(world:levels()[1]:find "tower")
  end)

  it("is saved again, with and without its resource", function()
    local save = saved { position = { 1, 2, 3 }, overrides = { well = { health = { hp = 1 } } } }
    for _, sources in ipairs { {}, { village = VILLAGE }, { village = LARGER } } do
      local _, entities = loaded(save, sources)
      assert.are.equal(save:tostring(), entities:snapshot():tostring())
    end
    local world, _, levels = loaded(save_of(select(2, loaded(save))), { village = VILLAGE })
    assert(levels[1]:restart())
    assert.are.equal(1, world.health:hp(levels[1]:find "well"))
  end)

  it("is left out when all its entities are dead, and levels keep their order", function()
    local world, entities = new_world()
    local resource, levels = compile(world, VILLAGE, "village"), {}
    for i = 1, 6 do levels[i] = assert(world:spawn(resource, { position = { i, 0, 0 } })) end
    levels[2]:unload()
    entities:destroy(levels[5]:list())
    assert(levels[1]:restart())
    local found = {}
    for i, level in ipairs(select(3, loaded(save_of(entities)))) do found[i] = level:entity(1) end
    assert.are.same({ levels[3]:entity(1), levels[4]:entity(1), levels[6]:entity(1), levels[1]:entity(1) }, found)
  end)

  it("belongs to its world", function()
    local function several(...)
      local entities, worlds = cuttle.entity_manager(), {}
      for _, name in ipairs { ... } do
        worlds[name] = cuttle.world(entities, { name = name })
        worlds[name]:define("health", HEALTH)
      end
      return entities, worlds
    end
    local entities, worlds = several("a", "b")
    assert(worlds.a:spawn(compile(worlds.a, VILLAGE, "a")))
    assert(worlds.b:spawn(compile(worlds.b, LARGER, "b")))
    local save = save_of(entities)
    local others, other = several("b", "a")
    assert.is_true(others:restore(save))
    assert.are.same({ 4, 5 }, { other.a:levels()[1]:count(), other.b:levels()[1]:count() })
    assert.are.equal(#save:tostring(), #others:snapshot():tostring())
  end)

  it("has the component types that were skipped", function()
    local world, entities = new_world()
    world:define("gone", { { "x", "float" } })
    local blob = assert(cuttle.compiler(world):compile { entities = { { name = "a", components = { gone = {} } } } })
    local other, others = new_world()
    assert(other:spawn(cuttle.resource(blob, "g")))
    local save = save_of(others)
    assert.is_true(others:restore(save, { resources = { g = cuttle.resource(blob) } }))
    assert.are.same({ gone = 1 }, other:levels()[1]:skipped())
    assert.is_true(entities:validate())
  end)

  it("is in memory snapshots that are taken after the restore", function()
    local save = saved()
    local world, entities, levels = loaded(save, { village = VILLAGE })
    local snapshot = entities:snapshot()
    levels[1]:unload()
    world:gc "all"
    levels = nil
    collectgarbage()
    assert.is_true(entities:restore(snapshot))
    assert.are.equal(4, world:levels()[1]:count())
    assert(world:levels()[1]:restart())
    assert.is_nil(levels)
    valid(world)
  end)

  it("keeps its resources alive, whatever else is collected", function()
    for _, sources in ipairs { {}, { village = VILLAGE }, { village = LARGER } } do
      local world, entities, levels = loaded((saved()), sources)
      collectgarbage()
      collectgarbage()
      assert.is_truthy(levels[1]:find "hut/bed")
      levels[1]:restart()
      collectgarbage()
      assert.is_truthy(world:levels()[1]:find "hut/bed")
      entities:snapshot():tostring()
      valid(world)
    end
  end)

  it("is there in on_restore, and replaces the levels of before", function()
    local save = saved()
    local world, entities = new_world()
    local old, count = assert(world:spawn(compile(world, LARGER))), nil
    entities:on_restore(function() count = #world:levels() end)
    assert.is_true(entities:restore(save))
    assert.are.same({ 1, 0 }, { count, old:count() })
    assert(old:restart())
    assert.are.equal(2, #world:levels())
    assert.is_true(entities:restore(save))
    assert.are.same({ 1, 0 }, { #world:levels(), old:count() })
  end)

  it("is not made by a restore that fails", function()
    local save = saved()
    local world, entities = new_world()
    world:define("health", { { "hp", "string" } })
    local level = assert(world:spawn(compile(world, { entities = { { name = "a" } } })))
    assert.is_nil((entities:restore(save)))
    assert.are.same({ level }, world:levels())
  end)
end)

describe("entities:restore", function()
  it("takes resources by name, also for snapshots in memory, where they have no effect", function()
    local save, level, world, entities = saved()
    local resource = compile(world, VILLAGE)
    assert.is_true(entities:restore(entities:snapshot(), { resources = { village = resource } }))
    assert.are.equal(4, level:count())
    raises("resources: table expected, got number", entities.restore, entities, save, { resources = 1 })
    raises("resources: village: Resource expected, got table", entities.restore, entities, save,
      { resources = { village = {} } })
    raises("resources: names expected as keys, got number", entities.restore, entities, save,
      { resources = { resource } })
    raises("unknown option 'resource' (did you mean 'resources'?)", entities.restore, entities, save,
      { resource = {} })
    raises("table expected, got string", entities.restore, entities, save, "village")
  end)
end)

describe("the name of a resource", function()
  it("is the second argument of cuttle.resource, in saves and messages", function()
    local world = new_world()
    local blob = assert(cuttle.compiler(world):compile(VILLAGE))
    raises("string expected, got number", cuttle.resource, blob, 3)
    assert.are.same({ nil, "village: not an entity resource: 1 bytes are less than its header" },
      { cuttle.resource("x", "village") })
    -- The second result of compile is not a name.
    assert.is_truthy(cuttle.resource(cuttle.compiler(world):compile(VILLAGE)))
  end)

  it("of cuttle.load is its path, or the option name", function()
    local world, entities = new_world()
    local blob = assert(cuttle.compiler(world):compile(VILLAGE))
    local function read() return blob end
    for _, name in ipairs { "a.level", "village" } do
      local resource = assert(cuttle.load("a.level", { read = read, name = name ~= "a.level" and name or nil }))
      local level = assert(world:spawn(resource))
      local _, _, levels = loaded(save_of(entities), { [name] = VILLAGE })
      assert.is_truthy(levels[1]:restart())
      level:unload()
    end
    raises("name: string expected, got number", cuttle.load, "a.level", { name = 1 })
    assert.are.same({ nil, "a.level: not an entity resource: 1 bytes are less than its header" },
      { cuttle.load("a.level", { read = function() return "x" end, name = "village" }) })
  end)
end)

describe("levels in a save, when memory runs out, seed " .. seed .. ",", function()
  if not core.testing then return end
  local fail_in, fail_lua_in = core.testing.fail_in, core.testing.fail_lua_in

  after_each(function()
    fail_in(-1)
    fail_lua_in(-1)
  end)

  -- Calls fn with its nth allocation failing, for each n, until none fails. A normal run takes every third n.
  local function with_failures(fail, fn, check)
    local step = os.getenv "CUTTLE_LONG" == "1" and 1 or 3
    for n = seed % step, 3000, step do
      collectgarbage()
      collectgarbage "stop"
      fail(n)
      local ran, message = pcall(fn)
      fail(-1)
      collectgarbage "restart"
      if ran then return n end
      assert.is_truthy(tostring(message):find("not enough memory", 1, true), message)
      check()
    end
    error "the call failed with every number of allocations"
  end

  it("are written and restored completely or not at all", function()
    local save, _, _, origin = saved { position = { 1, 2, 3 }, overrides = { well = { health = { hp = 1 } } } }
    local snapshot = origin:snapshot()
    for _, fail in ipairs { fail_in, fail_lua_in } do
      local text
      assert.is_true(with_failures(fail, function() text = snapshot:tostring() end, function() end) > 1)
      assert.are.equal(save:tostring(), text)
      for _, source in ipairs { VILLAGE, LARGER } do
        local world, entities = new_world()
        local level = assert(world:spawn(compile(world, { entities = { { name = "a" } } }, "x")))
        local options = { resources = { village = compile(world, source) } }
        local hash = entities:hash()
        with_failures(fail, function() entities:restore(save, options) end, function()
          if entities:hash() == hash then
            assert.are.same({ level }, world:levels())
          else
            assert.are.equal(4, world:levels()[1]:count())
          end
          valid(world)
        end)
        local own = world:levels()[1]
        with_failures(fail, function()
          local done, message = own:restart()
          if not done then error(message, 0) end
        end, function()
          assert.are.equal(4, own:count())
          valid(world)
        end)
        assert.are.equal(source == LARGER and 5 or 4, own:count())
      end
    end
  end)
end)
