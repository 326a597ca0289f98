-- snapshot:tostring and cuttle.snapshot: the state of all living entities as a string, restored in any program.

-- tags: ffi

local blob = require "spec.support.blob"
local core = require "cuttle.core"
local cuttle = require "cuttle"
local raises = require "spec.support.raises"
local saves = require "spec.support.saves"
local valid = require "spec.support.valid"

local filled, new_world, reopen = saves.filled, saves.new_world, saves.reopen

describe("a save", function()
  it("is restored in another program's worlds, with the same hash, any number of times", function()
    local _, entities = filled()
    local save = reopen(entities)
    local other, others = new_world()
    for _ = 1, 3 do
      saves.create(other, 99)
      assert.are.same({ true, {} }, { others:restore(save) })
      assert.are.equal(entities:hash(), others:hash())
      valid(other)
      assert.is_true(others:validate())
    end
  end)

  it("is the same string for the same state, also after it was read from a string", function()
    local _, entities = filled()
    local text = entities:snapshot():tostring()
    local save = assert(cuttle.snapshot(text))
    assert.are.equal(text, save:tostring())
    assert.are.equal(#text, save:bytes())
    assert.are.equal(("Snapshot (%d bytes)"):format(#text), tostring(save))
    local _, others = new_world()
    others:restore(save)
    assert.are.equal(text, others:snapshot():tostring())
  end)

  it("is the same string on every host", function()
    local _, entities = filled()
    local text = entities:snapshot():tostring()
    assert.are.equal("CTSV\2\0\0\0", text:sub(1, 8))
    assert.are.equal(#text, blob.u32(text, 8))
    -- The checksum of the same save in version 1, which has neither the state of random numbers nor the three empty
    -- lists of levels at the end.
    assert.are.equal(("\0"):rep(12), text:sub(-12))
    assert.are.equal(2814321501, blob.u32(saves.version_1(text), 12))
  end)

  it("contains the state of its snapshot, without later changes", function()
    local world, entities, list = filled()
    local snapshot, hash = entities:snapshot(), entities:hash()
    local text = snapshot:tostring()
    for i = 1, 20 do entities:destroy(list[i]) end
    world.health:destroy(list[22])
    saves.create(world, 7)
    world:gc "all"
    local now = entities:hash()
    assert.are.equal(text, snapshot:tostring())
    assert.are.equal(now, entities:hash())
    entities:restore(cuttle.snapshot(text))
    assert.are.equal(hash, entities:hash())
  end)

  it("restores ids, numbers and random states, so that later results are the same", function()
    local world, entities, list = filled()
    for _, e in ipairs(entities:create(30)) do entities:destroy(e) end
    world:gc "all"
    local other, others = new_world()
    others:restore(reopen(entities))
    for i = 1, 20 do
      local e, its = saves.create(world, i), saves.create(other, i)
      assert.are.equal(e, its)
      assert.are.same(world.item:ids(e), other.item:ids(its))
      if i % 3 == 0 then
        entities:destroy(list[i])
        others:destroy(list[i])
        assert.are.equal(world:gc(), other:gc())
      end
    end
    assert.are.equal(entities:hash(), others:hash())
  end)

  it("keeps the order of rows, and leaves out rows of dead entities", function()
    local world, entities, list = filled()
    world.health:destroy(list[2])
    entities:destroy(list[11])
    local other, others = new_world()
    others:restore(reopen(entities))
    local order, its = {}, {}
    for e in world.health:each() do order[#order + 1] = e end
    for e in other.health:each() do its[#its + 1] = e end
    assert.are.same(order, its)
    assert.are.equal(#order, other.health:count())
  end)

  it("has world matrices computed from local ones, and children in order", function()
    local world, entities, list = filled()
    world.transform:propagate()
    local other, others = new_world()
    others:restore(reopen(entities))
    for _, e in ipairs(list) do
      if entities:alive(e) then
        assert.are.same({ world.transform:world_matrix(e) }, { other.transform:world_matrix(e) })
        assert.are.equal(world.transform:depth(e), other.transform:depth(e))
        local children, its = {}, {}
        for child in world.transform:children(e) do children[#children + 1] = child end
        for child in other.transform:children(e) do its[#its + 1] = child end
        assert.are.same(children, its)
      end
    end
  end)

  it("has sheared matrices, links to nodes and poses of models", function()
    local world, entities, list = filled()
    local sheared = { 1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0, 4, 5, 6, 1 }
    world.transform:set_local_matrix(list[1], sheared)
    world.transform:link(list[6], list[1], { node = "knee" })
    world.model:evaluate()
    local other, others = new_world()
    others:restore(reopen(entities))
    assert.are.same(sheared, { other.transform:local_matrix(list[1]) })
    assert.are.equal(2, other.transform:parent_node(list[6]))
    assert.are.same({ world.transform:world_matrix(list[6]) }, { other.transform:world_matrix(list[6]) })
    assert.are.same({ world.model:node_pose(list[2], "knee") }, { other.model:node_pose(list[2], "knee") })
    valid(other)
    other.model:set_node_pose(list[1], "knee", 3, 0, 0, 0, 0, 0, 1, 1, 1, 1)
    other.model:evaluate()
    valid(other)
  end)

  it("has the mode of transforms, and values written in place", function()
    local world, entities, list = filled()
    world.transform:set_mode "deferred"
    world.transform:propagate()
    world.transform:column "local_position":set(world.transform:row(list[1]), 7, 8, 9)
    world.transform:column "local_rotation":set(world.transform:row(list[1]), 0, 0, 3, 4)
    local other, others = new_world()
    others:restore(reopen(entities))
    assert.are.equal(entities:hash(), others:hash())
    assert.are.equal(0, other.transform:dirty_count())
    other.transform:set_local_position(list[2], 1, 1, 1)
    assert.are.equal(1, other.transform:dirty_count())
    assert.are.same({ 7, 8, 9 }, { other.transform:local_position(list[1]) })
    valid(other)
  end)

  it("has several worlds over one EntityManager, in any order", function()
    local a, entities = new_world "a"
    local b = cuttle.world(entities, { name = "b" })
    local e = a:create { health = { hp = 3 }, transform = {} }
    b.transform:create(e, { position = { 4, 5, 6 } })
    local save = reopen(entities)
    local others = cuttle.entity_manager()
    local its_b = cuttle.world(others, { name = "b" })
    local its_a = cuttle.world(others, { name = "a" })
    saves.define(its_a)
    assert.is_true(others:restore(save))
    assert.are.equal(entities:hash(), others:hash())
    assert.are.same({ 4, 5, 6 }, { its_b.transform:local_position(e) })
    valid(its_a)
  end)

  it("of an empty EntityManager can be restored", function()
    local entities = cuttle.entity_manager()
    local others = cuttle.entity_manager()
    local e = others:create()
    assert.are.same({ true, {} }, { others:restore(reopen(entities)) })
    assert.is_false(others:alive(e))
    assert.are.equal(0, others:count())
  end)

  it("has strings with any bytes, and none that no row uses", function()
    local world, entities = new_world()
    local e = world:create { health = { title = "a\0b\255" }, item = { { id = "i\0d" } } }
    for i = 1, 100 do entities:destroy((world:create { health = { title = "gone" .. i } })) end
    local text = entities:snapshot():tostring()
    assert.is_nil(text:find("gone", 1, true))
    local other, others = new_world()
    others:restore(cuttle.snapshot(text))
    assert.are.equal("a\0b\255", other.health:title(e))
    assert.are.same({ "i\0d" }, other.item:ids(e))
  end)

  it("has each long string once, in several components too", function()
    local world, entities = saves.long_strings(30)
    local text = entities:snapshot():tostring()
    assert.are.equal(3, select(2, text:gsub(saves.LONG, "")))
    local other, others = saves.long_strings(1)
    assert.are.same({ true, {} }, { others:restore(assert(cuttle.snapshot(text))) })
    assert.are.equal(entities:hash(), others:hash())
    for e in entities:each() do assert.are.same(world:inspect(e), other:inspect(e)) end
    valid(other)
    others:destroy(others:create_list(3))
    other:clear { entities = true }
    assert.is_nil(other.debug_name:find(saves.LONG))
    valid(other)
  end)

  it("of version 1 has no levels: spawned levels are empty after its restore", function()
    local world, entities = new_world()
    local bytes = assert(cuttle.compiler(world):compile { entities = { { name = "a", components = { health = {} } } } })
    local e = world:create { health = {} }
    local save = assert(cuttle.snapshot(saves.version_1(entities:snapshot():tostring())))
    local level = assert(world:spawn(assert(cuttle.resource(bytes))))
    assert.is_true(entities:restore(save))
    assert.is_true(entities:alive(e))
    assert.are.equal(0, level:count())
    assert.are.same({}, world:levels())
  end)

  it("has no bodies: on_spawn makes new ones, and on_destroy gets the old ones", function()
    local world, entities = new_world()
    local list, bodies, freed = {}, {}, {}
    for i = 1, 3 do list[i] = world:create { actor = { shape = "s" .. i, body = "old" .. i } } end
    local save = reopen(entities)
    world.actor:on_spawn(function(e, values)
      bodies[#bodies + 1] = values.shape
      return e
    end)
    world.actor:on_destroy(function(_, body) freed[#freed + 1] = body end)
    assert.is_true(entities:restore(save))
    table.sort(freed)
    assert.are.same({ "s1", "s2", "s3" }, bodies)
    assert.are.same({ "old1", "old2", "old3" }, freed)
    assert.are.equal(list[2], world.actor:body(list[2]))
    valid(world)
  end)

  it("calls on_restore, and makes instances stale", function()
    local world, entities, list = filled()
    local save, calls = reopen(entities), 0
    entities:on_restore(function() calls = calls + 1 end)
    local instance = world.health:lookup(list[1])
    entities:restore(save)
    assert.are.equal(1, calls)
    raises("stale health instance", function() world.health:hp(instance) end)
  end)

  it("can be passed to entities:snapshot, which reuses the object", function()
    local _, entities = filled()
    local save = reopen(entities)
    assert.are.equal(save, entities:snapshot(save))
    assert.are.equal(1, select("#", entities:restore(save)))
  end)

  it("of an empty world removes the rows of components that were defined later", function()
    local world, entities = new_world()
    local save = reopen(entities)
    world:define("later", { { "x", "float" } })
    world.later:create(entities:create(), {})
    assert.are.same({ true, {} }, { entities:restore(save) })
    assert.are.equal(0, world.later:count())
  end)
end)

describe("a save with value fields", function()
  local function new_bag()
    local entities = cuttle.entity_manager()
    local world = cuttle.world(entities, { name = "world" })
    world:define("bag", { { "n", "int32" }, { "things", "value" } })
    return world, entities
  end

  local function save_of(value)
    local world, entities = new_bag()
    local e = world:create { bag = { n = 1, things = value } }
    local other, others = new_bag()
    assert.are.same({ true, {} }, { others:restore(saves.reopen(entities)) })
    valid(other)
    assert.are.equal(1, other.bag:n(e))
    return other.bag:things(e)
  end

  it("has copies of values that are plain data", function()
    for _, value in ipairs { true, 1.5, -7, "a\0b", { 1, { x = "y" }, [2.5] = false }, {} } do
      assert.are.same(value, save_of(value))
    end
    assert.is_nil(save_of(nil))
    local shared = { "shared" }
    local got = save_of { shared, shared }
    assert.are.same({ { "shared" }, { "shared" } }, got)
    assert.are_not.equal(got[1], shared)
  end)

  it("has values of unread level data, and values as they were at the snapshot", function()
    local world, entities = new_bag()
    local list = {}
    for i = 1, 20 do list[i] = world:create { bag = { n = i, things = { i } } } end
    for i = 1, 20, 3 do world.bag:set_things(list[i], nil) end
    for i = 2, 20, 3 do entities:destroy(list[i]) end
    local snapshot = entities:snapshot()
    for i = 3, 20, 3 do world.bag:set_things(list[i], print) end
    local text = snapshot:tostring()
    assert.is_true(entities:restore(assert(cuttle.snapshot(text))))
    for i = 3, 20, 3 do assert.are.same({ i }, world.bag:things(list[i])) end
    for i = 1, 20, 3 do assert.is_nil(world.bag:things(list[i])) end
    valid(world)
    assert.are.equal(text, entities:snapshot():tostring())
  end)

  it("cannot be made from a value that is not plain data, and the message names its place", function()
    local cycle, doubled = {}, { "x" }
    cycle[1] = cycle
    for _ = 1, 30 do doubled = { doubled, doubled } end
    for message, value in pairs {
      ["world.bag.things of entity(1:0): expected booleans, numbers, strings and tables, got function"] = print,
      ["got userdata"] = io.stdout,
      ["got function at .a[2]"] = { a = { 1, print } },
      ["tables are nested too deep (limit is 100), or in a circle"] = cycle,
      ["got a table with __index"] = setmetatable({}, { __index = { gold = 7 } }),
      ["tables that occur in several places are too large when each is written (limit is 16777216 bytes)"] = doubled,
    } do
      local world, entities = new_bag()
      local next_world = cuttle.world(entities, { name = "next" })
      next_world:define("bag", { { "things", "value" } })
      world:create { bag = { things = { 1 } } }
      world:create { bag = { things = value } }
      local snapshot, hash = entities:snapshot(), entities:hash()
      raises(message, function() snapshot:tostring() end)
      assert.are.equal(hash, entities:hash())
      assert.is_true(entities:restore(snapshot))
      assert.are.equal(value, world.bag:things((cuttle.entity_from_id(1))))
      valid(next_world) -- keeps next_world from being collected before this line
    end
  end)
end)

describe("a save of worlds with other definitions", function()
  local function restored(define)
    local _, entities = filled()
    local others = cuttle.entity_manager()
    local other = cuttle.world(others, { name = "world" })
    saves.define_resources(other)
    define(other)
    local before = others:hash()
    local ok, notes = others:restore(reopen(entities))
    if not ok then assert.are.equal(before, others:hash()) end
    valid(other)
    return ok, notes, other
  end

  local ITEM = { { "kind", "string" }, { "state", "enum", { "new", "old" } } }
  local MULTIPLE = { multiple = true }

  it("gives new fields their defaults, drops old fields, and lists both", function()
    local ok, notes, other = restored(function(world)
      world:define("health", { { "mana", "double", 7 }, { "name", "string", "none" }, { "hp", "float" } },
        { hidden = { "name" } })
      world:define("item", ITEM, MULTIPLE)
    end)
    assert.is_true(ok)
    table.sort(notes)
    assert.are.same({
      "world.health.mana: is not in the save, has its default",
      "world.health.name: is not in the save, has its default",
      "world.health.target: is not defined any more, dropped",
      "world.health.title: is not defined any more, dropped",
    }, notes)
    local e = other.health:each()()
    assert.are.same({ 7, "none", 1 }, { other.health:mana(e), other.health:read(e, "name"), other.health:hp(e) })
  end)

  it("drops components that are not defined, and lists them", function()
    local ok, notes = restored(function(world)
      world:define("item", ITEM, MULTIPLE)
    end)
    assert.is_true(ok)
    assert.are.same({ "world.health: is not defined any more, dropped" }, notes)
  end)

  it("finds labels by name, and is refused if a used label no longer exists", function()
    local function health(world) world:define("health", saves.HEALTH) end
    local ok, _, other = restored(function(world)
      health(world)
      world:define("item", { { "kind", "string" }, { "state", "enum", { "lost", "old", "new" } } }, MULTIPLE)
    end)
    assert.is_true(ok)
    local states = {}
    for _, instance in other.item:each() do states[other.item:state(instance)] = true end
    assert.are.same({ new = true, old = true }, states)
    local message
    ok, message = restored(function(world)
      health(world)
      world:define("item", { { "kind", "string" }, { "state", "enum", { "new", "lost" } } }, MULTIPLE)
    end)
    assert.is_nil(ok)
    assert.are.equal("world.item.state: unknown label 'old'", message)
  end)

  local function refused(difference, message, define)
    it("is refused for " .. difference, function()
      local ok, got = restored(define)
      assert.is_nil(ok)
      assert.are.equal(message, got)
    end)
  end

  refused("a field of another type", "world.health.hp: saved as float, defined as double now", function(world)
    world:define("health", { { "hp", "double" } })
    world:define("item", ITEM, MULTIPLE)
  end)
  refused("one component instead of several", "world.item: saved as one that an entity may have several times",
    function(world)
      world:define("health", saves.HEALTH)
      world:define("item", ITEM)
    end)
  refused("several instead of one", "world.health: saved as one that an entity may have once", function(world)
    world:define("health", saves.HEALTH, MULTIPLE)
  end)
end)

describe("a save in other worlds", function()
  local function refused(message, save, entities)
    local before = entities:hash()
    assert.are.same({ nil, message }, { entities:restore(save) })
    assert.are.equal(before, entities:hash())
  end

  it("is refused when a world exists on one side only", function()
    local _, entities = filled()
    local save = reopen(entities)
    refused("world 'world' is only in the save", save, cuttle.entity_manager())
    local _, others = new_world "other"
    refused("world 'world' is only in the save", save, others)
    local more, mores = new_world()
    saves.create(more, 1)
    local another = cuttle.world(mores, { name = "more" })
    refused("world 'more' is not in the save", save, mores)
    valid(another)
  end)

  it("is refused when a resource is not defined, or has other nodes", function()
    local _, entities = filled()
    local save = reopen(entities)
    local others = cuttle.entity_manager()
    local other = cuttle.world(others, { name = "world" })
    other.mesh:define_resource("bax", {})
    other.model:define_resource("leg", { nodes = { { name = "a" }, { name = "b" } } })
    refused("world.mesh: resource: unknown mesh resource 'box' (did you mean 'bax'?)", save, others)
    other.mesh:define_resource("box", {})
    refused("model resource 'leg' was defined with other nodes after the snapshot", save, others)
    other.model:define_resource("leg", saves.NODES)
    assert.is_true(others:restore(save))
  end)

  it("cannot be restored in callbacks, and only a Snapshot is accepted", function()
    local world, entities = filled()
    local save = reopen(entities)
    local hook = world.health:on_add(function() entities:restore(save) end)
    raises("world 'world' is in use", function() saves.create(world, 1) end)
    world.health:off_add(hook)
    raises("Snapshot expected, got string", function() entities:restore(save:tostring()) end)
    raises("string expected, got", function() cuttle.snapshot(12) end)
    raises("string expected", function() cuttle.snapshot() end)
    assert.is_true(entities:restore(save))
  end)

  it("cannot be made when worlds or components differ from those of the snapshot", function()
    local world, entities = new_world()
    local snapshot = entities:snapshot()
    local more = cuttle.world(entities, { name = "more" })
    raises("world 'more' was created after the snapshot", function() snapshot:tostring() end)
    more:destroy()
    world:define("later", { { "x", "float" } })
    raises("component 'later' of world 'world' was not defined", function() snapshot:tostring() end)
    world:destroy()
    raises("world 'world' was destroyed after the snapshot", function() snapshot:tostring() end)
  end)
end)

describe("a save, when memory runs out,", function()
  if not core.testing then return end
  local fail_in, fail_lua_in = core.testing.fail_in, core.testing.fail_lua_in

  after_each(function()
    fail_in(-1)
    fail_lua_in(-1)
  end)

  -- Calls fn with at most n allocations of Lua. Returns whether it succeeded.
  local function limited(n, fn, ...)
    collectgarbage()
    collectgarbage "stop"
    fail_lua_in(n)
    local ran, message = pcall(fn, ...)
    fail_lua_in(-1)
    collectgarbage "restart"
    if not ran then assert.matches("not enough memory", message) end
    return ran
  end

  -- Runs fn with its nth allocation failing, for all n, until none fails. Calls check after each failure. Returns the
  -- number of failures.
  local function with_failures(fn, check)
    for n = 0, 2000 do
      fail_in(n)
      local ran, message = pcall(fn)
      fail_in(-1)
      if ran then return n end
      assert.is_truthy(tostring(message):find("not enough memory", 1, true), message)
      check()
    end
    error "the call failed with every number of allocations"
  end

  local function small()
    local world, entities = new_world()
    for i = 1, 3 do saves.create(world, i) end
    return world, entities
  end

  it("is not written, and nothing has changed", function()
    local world, entities = small()
    local snapshot, hash = entities:snapshot(), entities:hash()
    assert.is_true(with_failures(function() snapshot:tostring() end, function()
      assert.are.equal(hash, entities:hash())
      valid(world)
    end) > 20)
  end)

  it("is not restored, and nothing has changed", function()
    local _, entities = small()
    local save = reopen(entities)
    local other, others = new_world()
    saves.create(other, 5)
    local hash = others:hash()
    assert.is_true(with_failures(function() others:restore(save) end, function()
      assert.are.equal(hash, others:hash())
      valid(other)
    end) > 20)
    assert.are.equal(entities:hash(), others:hash())
    valid(other)
  end)

  it("with long strings is not restored, and nothing has changed", function()
    local _, entities = saves.long_strings(3)
    local save, other, others = reopen(entities), saves.long_strings(1)
    local hash = others:hash()
    assert.is_true(with_failures(function() others:restore(save) end, function()
      assert.are.equal(hash, others:hash())
      valid(other)
    end) > 20)
    assert.are.equal(entities:hash(), others:hash())
    valid(other)
  end)

  it("in Lua is not restored, and either nothing or everything has changed", function()
    local world, entities = small()
    world:define("gone", { { "x", "float" } })
    local save, late = reopen(entities), 0
    for n = 0, 500 do
      local other, others = new_world()
      other:define("come", { { "y", "float" } })
      saves.create(other, 5)
      local hash = others:hash()
      local ran = limited(n, others.restore, others, save)
      valid(other)
      if others:hash() ~= hash then
        assert.are.equal(3, others:count())
        late = late + 1
      end
      if ran then break end
    end
    assert.is_true(late > 0)
    local snapshot, text, hash = entities:snapshot(), nil, entities:hash()
    for n = 0, 500 do
      if limited(n, function() text = snapshot:tostring() end) then break end
      assert.are.equal(hash, entities:hash())
    end
    assert.are.equal(save:tostring(), text)
  end)
end)
