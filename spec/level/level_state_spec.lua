-- States of levels: level:save, the spawn option `state`, level:left.

local core = require "cuttle.core"
local cuttle = require "cuttle"
local raises = require "spec.support.raises"
local slow = require "spec.support.slow"
local valid = require "spec.support.valid"

local HEALTH = { { "hp", "int32", 100 }, { "target", "entity" }, { "mood", "enum", { "calm", "cross" } } }

local function new_world(fields)
  local entities = cuttle.entity_manager()
  local world = cuttle.world(entities, { name = "world" })
  world:define("health", fields or HEALTH)
  world:define("bag", { { "things", "value" } })
  return world, entities
end

local HUT = { entities = {
  { id = "hut", name = "hut", components = { transform = { position = { 1, 0, 0 } } }, children = {
    { id = "chest", name = "chest", components = { transform = { position = { 2, 0, 0 } }, health = { hp = 7 } } },
    { id = "orc", name = "orc", components = { transform = {}, health = { target = "chest" }, actor = {} } } } },
  { id = "floor", name = "floor", components = { grid = { width = 20, height = 10 } } } } }

local function compile(world, source)
  return assert(cuttle.resource(assert(cuttle.compiler(world):compile(source)), "hut"))
end

describe("the state of a level", function()
  local world, entities, resource, level

  before_each(function()
    world, entities = new_world()
    resource = compile(world, HUT)
    level = assert(world:spawn(resource, { position = { 10, 0, 0 } }))
  end)

  after_each(function() valid(world) end)

  -- Unloads the level, and spawns it with its state.
  local function again(options)
    options = options or { position = { 10, 0, 0 } }
    options.state = assert(level:save())
    level:unload()
    level = assert(world:spawn(resource, options))
    return level
  end

  it("has only what differs from the resource", function()
    local empty = #level:save()
    assert.is_true(empty < 64)
    world.health:set_hp(level:find "chest", 8)
    local changed = level:save()
    assert.is_true(#changed > empty and #changed < 256)
    world.health:set_hp(level:find "chest", 7)
    assert.equal(empty, #level:save())
  end)

  it("has the options of the level, such as its pose, for the comparison", function()
    level:unload()
    level = assert(world:spawn(resource, { position = { 3, 4, 5 }, scale = 2,
      overrides = { chest = { health = { hp = 1 }, point_mass = {} } } }))
    assert.is_true(#level:save() < 64)
  end)

  it("keeps the changed cells of a grid, without the others", function()
    world.grid:set_cell(level:find "floor", 3, 4, 70000)
    world.grid:set_flips(level:find "floor", 3, 4, true, false, true)
    local state = level:save()
    assert.is_true(#state < 300)
    local floor = again():find "floor"
    assert.equal(70000, world.grid:cell(floor, 3, 4))
    assert.same({ true, false, true }, { world.grid:flips(floor, 3, 4) })
    assert.equal(0, world.grid:cell(floor, 4, 4))
    assert.equal(state, level:save())
  end)

  it("keeps dead entities dead, without a callback or hook for them", function()
    local calls = {}
    entities:destroy(level:find "orc")
    local state = level:save()
    level:unload()
    entities:on_destroy(function(e) calls[#calls + 1] = e end)
    world.health:on_add(function(_, _, reason) calls[#calls + 1] = reason end)
    world.actor:on_spawn(function() calls[#calls + 1] = "body" return {} end)
    level = assert(world:spawn(resource, { state = state }))
    assert.same({ "spawn" }, calls)
    assert.is_nil(level:find "orc")
    assert.is_false(entities:alive(level:entity(3)))
    assert.equal(4, level:count())
    assert.equal(3, entities:count())
  end)

  it("shows hooks and on_spawn the saved values, and makes bodies for added actors", function()
    local chest = level:find "chest"
    world.health:set_hp(chest, 1)
    world.actor:create(chest, { shape = "box" })
    local state = level:save()
    level:unload()
    local seen, shapes = {}, {}
    world.health:on_add(function(e) seen[#seen + 1] = world.health:hp(e) end)
    world.actor:on_spawn(function(_, values) shapes[#shapes + 1] = values.shape return values end)
    level = assert(world:spawn(resource, { state = state }))
    table.sort(shapes)
    assert.same({ 1, 100 }, seen)
    assert.same({ "", "box" }, shapes)
    assert.is_table(world.actor:body(level:find "chest"))
  end)

  it("spawns nothing if a hook fails", function()
    entities:destroy(level:find "orc")
    world.point_mass:create(level:find "chest")
    local state = level:save()
    level:unload()
    world:gc "all"
    local before = entities:count()
    world.point_mass:on_add(function() error "no masses" end)
    local failed, message = world:spawn(resource, { state = state })
    assert.is_nil(failed)
    assert.truthy(message:find("no masses", 1, true))
    assert.equal(before, entities:count())
    assert.equal(0, world.point_mass:count())
  end)

  it("is applied before entities get their opaque data, except to entities that a spawner has seen", function()
    world:register_spawner("sound", function(lookup, count, index)
      for i = 1, count do world.bag:create(lookup[index[i] + 1], { things = i }) end
    end)
    local compiler = cuttle.compiler(world)
    compiler:register("sound", function() return "x" end)
    local sound = { sound = {} }
    local source = { entities = { { name = "a", components = sound }, { name = "b", components = sound } } }
    local opaque = assert(cuttle.resource(assert(compiler:compile(source))))
    local own = assert(world:spawn(opaque))
    entities:destroy(own:find "a")
    world.bag:set_things(own:find "b", "changed")
    local state = own:save()
    own:unload()
    local died = {}
    entities:on_destroy(function(e) died[#died + 1] = e end)
    own = assert(world:spawn(opaque, { state = state }))
    assert.equal("changed", world.bag:things(own:find "b"))
    assert.is_nil(own:find "a")
    assert.equal(1, #died)
    own:unload()
  end)

  it("keeps a child of a dead parent where it was", function()
    world.transform:set_local_angle(level:find "hut", 1)
    local orc = level:find "orc"
    world.transform:set_local_position(orc, 0, 5, 0)
    local chest = level:find "chest"
    entities:destroy(level:find "hut")
    local x, y = world.transform:world_position(orc)
    local cx, cy = world.transform:world_position(chest)
    again()
    assert.is_nil(world.transform:parent(level:entity(3)))
    assert.same({ x, y, 0 }, { world.transform:world_position(level:entity(3)) })
    assert.same({ cx, cy, 0 }, { world.transform:world_position(level:entity(2)) })
  end)

  it("keeps parents that changed places", function()
    local hut, chest = level:find "hut", level:find "chest"
    world.transform:unlink(chest)
    world.transform:link(hut, chest)
    again()
    assert.equal(level:find "chest", world.transform:entity(world.transform:parent(level:find "hut")))
    assert.is_nil(world.transform:parent(level:find "chest"))
  end)

  it("treats entities that left the level as dead, and keeps references to them", function()
    local orc = level:find "orc"
    world.health:set_target(level:find "chest", orc)
    level:release(orc)
    again()
    assert.is_true(entities:alive(orc))
    assert.is_nil(level:find "orc")
    assert.equal(orc, world.health:target(level:find "chest"))
    entities:destroy(orc)
  end)

  it("reads a reference to an entity outside as nil when that entity has died", function()
    local other = entities:create()
    world.health:set_target(level:find "chest", other)
    local state = level:save()
    entities:destroy(other)
    level:unload()
    level = assert(world:spawn(resource, { state = state }))
    assert.is_nil(world.health:target(level:find "chest"))
  end)

  it("does not contain a reference to an entity that is dead already", function()
    local empty, other = level:save(), entities:create()
    world.health:set_target(level:find "chest", other)
    assert.is_true(#level:save() > #empty)
    entities:destroy(other)
    assert.equal(#empty, #level:save())
  end)

  it("has a state for each copy of spawn_many", function()
    level:unload()
    local poses = { positions = { 0, 0, 0, 5, 0, 0, 9, 0, 0 } }
    level = assert(world:spawn_many(resource, poses))
    assert.is_true(#level:save() < 64)
    world.health:set_hp(level:entity(6), 55)
    entities:destroy(level:entity(11))
    world.health:set_target(level:entity(2), level:entity(10))
    local state = level:save()
    level:unload()
    level = assert(world:spawn_many(resource, poses, { state = state }))
    assert.equal(55, world.health:hp(level:entity(6)))
    assert.equal(7, world.health:hp(level:entity(2)))
    assert.is_false(entities:alive(level:entity(11)))
    assert.equal(level:entity(10), world.health:target(level:entity(2)))
    assert.same({}, level:left())
    local one = assert(world:spawn(resource, { state = state }))
    assert.equal(2, #one:left())
    one:unload()
  end)

  it("keeps components of which an entity has several, by id and by order", function()
    world:define("item", { { "n", "int32" } }, { multiple = true })
    local given = { { n = 1 }, { id = "k", n = 2 }, { n = 3 }, { n = 4 } }
    local source = { entities = { { name = "a", components = { item = given } } } }
    local items = compile(world, source)
    local own = assert(world:spawn(items))
    local a = own:find "a"
    local ids = world.item:ids(a)
    world.item:destroy(world.item:lookup(a, ids[1]))
    world.item:write(world.item:lookup(a, ids[3]), "n", 30)
    world.item:write(world.item:lookup(a, "k"), "n", 20)
    world.item:create(a, { id = "new", n = 5 })
    world.item:create(a, { n = 6 }) -- has the number that the next spawn gives to the first item, in a new world
    local state = own:save()
    for _, target in ipairs { world, (new_world()) } do
      target:define("item", { { "n", "int32" } }, { multiple = true })
      for _ = 1, 3 do
        own = assert(target:spawn(compile(target, source), { state = state }))
        a = own:find "a"
        local found = {}
        for instance in target.item:instances(a) do found[#found + 1] = target.item:n(instance) end
        table.sort(found)
        assert.same({ 4, 5, 6, 20, 30 }, found)
        assert.equal(5, target.item:n(target.item:lookup(a, "new")))
        valid(target)
      end
    end
  end)

  it("has the values of components that a spawner adds, which are not added twice", function()
    world:define("item", { { "n", "int32" } }, { multiple = true })
    world:register_spawner("loot", function(lookup, count, index)
      for i = 1, count do
        local e = lookup[index[i] + 1]
        for n = 1, 3 do world.item:create(e, { n = n }) end
        world.item:create(e, { id = "map", n = 4 })
      end
    end)
    local compiler = cuttle.compiler(world)
    compiler:register("loot", function() return "x" end)
    local loot, own = {}, { { n = 50 }, { id = "k", n = 60 } }
    local filled = assert(cuttle.resource(assert(compiler:compile { entities = {
      { name = "a", components = { loot = loot } }, { name = "b", components = { loot = loot, item = own } } } })))
    local function items(e)
      local found = {}
      for instance in world.item:instances(e) do found[#found + 1] = world.item:n(instance) end
      return found
    end
    local function nth(e, n) return world.item:lookup(e, world.item:ids(e)[n]) end
    local chests = assert(world:spawn(filled, { overrides = { b = { item = { { n = 70 } } } } }))
    local a, b = chests:find "a", chests:find "b"
    local before = items(b)
    world.item:set_n(nth(a, 2), 20)
    world.item:create(a, { n = 7 })
    world.item:set_n(world.item:lookup(b, "map"), 40)
    local expected = { items(a), items(b) }
    assert.same({ 1, 20, 3, 4, 7 }, expected[1])
    for _ = 1, 3 do
      local state = chests:save()
      chests:unload()
      chests = assert(world:spawn(filled, { state = state, overrides = { b = { item = { { n = 70 } } } } }))
      assert.same(expected, { items(chests:find "a"), items(chests:find "b") })
      assert.equal(#before, #items(chests:find "b"))
    end
    -- A component that the game has removed and the spawner adds again stays.
    for n = 1, 3 do world.item:destroy(nth(chests:find "a", 4 - n)) end
    local state = chests:save()
    chests:unload()
    chests = assert(world:spawn(filled, { state = state, overrides = { b = { item = { { n = 70 } } } } }))
    assert.same({ 7, 2, 3, 4 }, items(chests:find "a"))
    chests:unload()
  end)

  it("is an option that a restart and a save of the level repeat", function()
    world.health:set_hp(level:find "chest", 3)
    again()
    world.health:set_hp(level:find "chest", 50)
    assert.equal(level, level:restart())
    assert.equal(3, world.health:hp(level:find "chest"))
    local save = assert(cuttle.snapshot(entities:snapshot():tostring()))
    assert.is_true(entities:restore(save, { resources = { hut = resource } }))
    level = world:levels()[1]
    world.health:set_hp(level:find "chest", 50)
    assert.equal(level, level:restart())
    assert.equal(3, world.health:hp(level:find "chest"))
  end)

  it("is read by another program, whose resource has another version", function()
    local chest = level:find "chest"
    world.health:set(chest, { hp = 3, mood = "cross", target = level:find "orc" })
    world.point_mass:create(level:find "orc", { mass = 2 })
    world.bag:create(chest, { things = { 1, { deep = true } } })
    world.grid:set_cell(level:find "floor", 1, 1, 4)
    local state = level:save()
    local other = new_world { { "hp", "float", 100 }, { "mood", "enum", { "calm", "sad" } }, { "target", "entity" } }
    local source = { entities = { { id = "floor", name = "floor", components = { grid = { width = 4, height = 4 } } },
      { id = "chest", name = "crate", components = { transform = {}, health = {} } } } }
    local version = compile(other, source)
    local own = assert(other:spawn(version, { state = state }))
    local left = own:left()
    table.sort(left)
    assert.same({
      "crate: health.hp: was int32, is float",
      "crate: health.mood: unknown label 'cross'",
      "crate: health.target: the entity does not exist",
      "floor: grid.cells: the size of the grid has changed",
      "orc: point_mass: the entity does not exist",
    }, left)
    assert.same({ 1, { deep = true } }, other.bag:things(own:find "crate"))
    valid(other)
    own:unload()
    assert.same({}, own:left())
  end)

  it("does not spawn what is new below a dead entity in another version", function()
    entities:destroy(level:find "chest")
    local state = level:save()
    level:unload()
    local source = { entities = { { id = "hut", name = "hut", components = { transform = {} }, children = {
      { id = "chest", name = "chest", components = { transform = {} }, children = {
        { id = "lid", name = "lid", components = { transform = {} } } } },
      { id = "bed", name = "bed", components = { transform = {} } } } } } }
    level = assert(world:spawn(compile(world, source), { state = state }))
    assert.is_nil(level:find "chest")
    assert.is_nil(level:find "lid")
    assert.is_truthy(level:find "bed")
  end)

  it("names components and fields that are not defined any more", function()
    world:define("lock", { { "open", "bool" } })
    world.lock:create(level:find "chest", { open = true })
    world.bag:create(level:find "chest", { things = 1 })
    local state = level:save()
    local other = cuttle.world(cuttle.entity_manager())
    other:define("health", HEALTH)
    other:define("bag", { { "items", "value" } })
    local own = assert(other:spawn(compile(other, HUT), { state = state }))
    local left = own:left()
    table.sort(left)
    assert.same({ "hut/chest: bag.things: the component has no such field",
      "hut/chest: lock: the component is not defined" }, left)
    own:unload()
  end)

  it("of an unloaded level, or one whose resource was not given, is nil and a message", function()
    local save = assert(cuttle.snapshot(entities:snapshot():tostring()))
    level:unload()
    assert.same({ nil, "the level is unloaded" }, { level:save() })
    assert.same({}, level:left())
    local other, others = new_world()
    assert.is_true(others:restore(save))
    local own = other:levels()[1]
    assert.same({ nil, "the level's resource 'hut' was not given" }, { own:save() })
    assert.same({}, own:left())
  end)

  it("refuses values that cannot be saved, and names their place", function()
    world.bag:create(level:find "chest", { things = { print } })
    raises("bag.things of entity(1:0): ", level.save, level)
    world.bag:set_things(level:find "chest", nil)
    assert.is_string(level:save())
  end)

  it("is refused as an option of another type, or if it is no state", function()
    raises("state: string expected, got number", world.spawn, world, resource, { state = 7 })
    assert.same({ nil, "hut: state: not the state of a level" }, { world:spawn(resource, { state = "" }) })
    local save = entities:snapshot():tostring()
    assert.same({ nil, "hut: state: not the state of a level" }, { world:spawn(resource, { state = save }) })
    assert.same({ nil, "hut: state: the state is truncated, or has bytes behind its end" },
      { world:spawn(resource, { state = level:save() .. "x" }) })
  end)

  it("has thousands of components of an entity in linear time", function() -- in quadratic time some seconds
    local item, count = world:define("item", { { "n", "int32" } }, { multiple = true }), slow and 300 or 6000
    local list = {}
    for i = 1, count do list[i] = { n = i, id = i % 5 == 0 and "id " .. i or nil } end
    resource = compile(world, { entities = { { name = "bag", components = { item = list } } } })
    level = assert(world:spawn(resource))
    local e, order = level:find "bag", {}
    local function items()
      local found = {}
      for i, id in ipairs(item:ids(level:find "bag")) do
        found[i] = (type(id) == "string" and id or "") .. "=" .. item:n(item:lookup(level:find "bag", id))
      end
      table.sort(found)
      return found
    end
    for i, id in ipairs(item:ids(e)) do order[i] = id end
    for i, id in ipairs(order) do
      if i % 3 == 0 then item:destroy(item:lookup(e, id)) end
      if i % 3 == 1 then item:set_n(item:lookup(e, id), -i) end
    end
    for i = 1, count / 4 do item:create(e, { n = i * 1000, id = i % 2 == 0 and "new " .. i or nil }) end
    local before = items()
    again()
    assert.same(before, items())
    assert.same({}, level:left())
  end)

  local starving = core.testing and it or pending
  starving("is written and applied completely or not at all if memory runs out", function()
    world.health:set_hp(level:find "chest", 3)
    world.point_mass:create(level:find "orc")
    world.actor:create(level:find "chest", { shape = "a long shape of a body" })
    world.grid:set_cell(level:find "floor", 1, 1, 4)
    world.transform:unlink(level:find "orc")
    local function starve(n, f, ...)
      core.testing.fail_in(n)
      local ok, got, message = pcall(f, ...)
      local failed = core.testing.fail_in(-1) > 0
      valid(world)
      if ok and got then return got, failed end
      assert.equal("not enough memory", tostring(ok and message or got):match "not enough memory")
      return nil, failed
    end
    local hash, n, failed, state = entities:hash(), -1, true, nil
    while failed do
      n = n + 1
      state, failed = starve(n, level.save, level)
      assert.equal(hash, entities:hash())
    end
    level:unload()
    world:gc "all"
    n, failed = -1, true
    while failed do
      n = n + 1
      local before = entities:hash()
      level, failed = starve(n, world.spawn, world, resource, { state = state })
      if not level then assert.equal(before, entities:hash()) end
      if level and failed then level:unload() end
    end
    assert.equal(3, world.health:hp(level:find "chest"))
  end)
end)
