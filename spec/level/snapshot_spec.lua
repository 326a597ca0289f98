-- entities:snapshot and entities:restore: all data and all ids as they were.

-- tags: ffi

local core = require "cuttle.core"
local cuttle = require "cuttle"
local new_random = require "spec.support.random"
local collect = require "spec.support.collect"
local file = require "spec.support.file"
local raises = require "spec.support.raises"
local seed = require "spec.support.seed"
local saves = require "spec.support.saves"
local valid = require "spec.support.valid"

-- Returns all that scripts can read from a world as text, without sizes in bytes.
local function text_of(world)
  local out = { (world:dump():gsub(" *%d+ bytes", "")) }
  for e in world.entities:each() do
    local all = world:inspect(e)
    local names = {}
    for name in pairs(all) do names[#names + 1] = name end
    table.sort(names)
    for _, name in ipairs(names) do
      local manager = world:manager(name)
      if manager then
        for instance in manager:instances(e) do
          local values = manager:get(instance)
          local keys = {}
          for key in pairs(values) do keys[#keys + 1] = key end
          table.sort(keys)
          for _, key in ipairs(keys) do
            local value = values[key]
            if type(value) == "table" then value = table.concat(value, " ") end
            out[#out + 1] = ("%s %s.%s %s"):format(cuttle.entity_tostring(e), name, key, tostring(value))
          end
        end
      end
    end
  end
  return table.concat(out, "\n")
end

-- Raises with the first differing lines unless two such texts are equal.
local function same(expected, got)
  if expected == got then return end
  local other = got:gmatch "[^\n]*"
  for line in expected:gmatch "[^\n]*" do
    local its = other()
    if line ~= its then error(("expected: %s\ngot: %s"):format(line, tostring(its)), 2) end
  end
  error("got more lines than expected", 2)
end

local new_world, create = saves.new_world, saves.create

local function filled()
  local world, entities = new_world()
  local list = {}
  for i = 1, 40 do list[i] = create(world, i, list[math.floor(i / 2)]) end
  for i = 3, 40, 7 do entities:destroy(list[i]) end
  for _, e in ipairs(list) do
    if entities:alive(e) then world.model:set_node_pose(e, "knee", 1, 2, 3, 0, 0, 0.6, 0.8, 1, 1, 1) end
  end
  return world, entities, list
end

-- Changes all managers.
local function disturb(world, list)
  local entities = world.entities
  for i = 1, 40, 2 do entities:destroy(list[i]) end
  for i = 2, 40, 4 do
    if entities:alive(list[i]) then
      world.transform:set_local_position(list[i], -i, -i, -i)
      world.health:set_title(list[i], "changed" .. i)
      world.item:destroy(list[i])
      world.mesh:destroy(list[i])
    end
  end
  world:gc "all"
  for i = 1, 60 do create(world, 1000 + i) end
  world.transform:sort()
end

describe("a snapshot", function()
  it("restores all managers, with the same ids, any number of times", function()
    local world, entities, list = filled()
    local before = text_of(world)
    local snapshot = entities:snapshot()
    for _ = 1, 3 do
      disturb(world, list)
      assert.are_not.equal(before, text_of(world))
      valid(world)
      assert.is_true(entities:restore(snapshot))
      valid(world)
      same(before, text_of(world))
    end
  end)

  it("restores rows of dead entities, which gc finds", function()
    local world, entities, list = filled()
    local rows = world.health:count()
    local snapshot = entities:snapshot()
    world:gc "all"
    local collected = world.health:count()
    assert.is_true(collected < rows)
    disturb(world, list)
    entities:restore(snapshot)
    assert.are.equal(rows, world.health:count())
    world:gc()
    valid(world)
    world:gc "all"
    assert.are.equal(collected, world.health:count())
  end)

  it("restores the queue of free indices, so that the same ids are issued", function()
    local world, entities, list = filled()
    local snapshot = entities:snapshot()
    local first = entities:create(100)
    for _, e in ipairs(first) do entities:destroy(e) end
    disturb(world, list)
    entities:restore(snapshot)
    assert.are.same(first, entities:create(100))
  end)

  it("restores counters of component ids", function()
    local world, entities = new_world()
    local e = entities:create()
    world.item:create(e, {})
    local snapshot = entities:snapshot()
    world.item:create(e, {})
    entities:restore(snapshot)
    assert.are.same({ 1 }, world.item:ids(e))
    assert.are.equal(2, world.item:id(world.item:create(e, {})))
  end)

  it("restores the order of an entity's components, also when each row has its old owner", function()
    local world, entities = new_world()
    local e, other = entities:create(), entities:create()
    for id = 1, 3 do world.item:create(e, { id = id }) end
    world.item:create(other, {})
    local snapshot = entities:snapshot()
    world.item:destroy(world.item:lookup(e, 1))
    world.item:destroy(world.item:lookup(other))
    world.item:create(e, { id = 9 })
    world.item:create(other, {})
    assert.are.same({ 2, 3, 9 }, world.item:ids(e))
    entities:restore(snapshot)
    assert.are.same({ 1, 2, 3 }, world.item:ids(e))
    valid(world)
    entities:restore(snapshot)
    assert.are.same({ 1, 2, 3 }, world.item:ids(e))
    valid(world)
  end)

  it("of an empty EntityManager is restored", function()
    local world, entities = new_world()
    local snapshot = entities:snapshot()
    create(world, 1)
    entities:restore(snapshot)
    assert.are.equal(0, entities:count())
    assert.are.equal(0, world.transform:count())
    valid(world)
  end)

  it("can be taken into the memory of an old one, which is returned", function()
    local world, entities, list = filled()
    local old = entities:snapshot()
    local bytes = old:bytes()
    assert.is_true(bytes > 0)
    entities:destroy(list[2])
    assert.are.equal(old, entities:snapshot(old))
    assert.are.equal(bytes, old:bytes())
    local e = entities:create()
    entities:restore(old)
    assert.is_false(entities:alive(list[2]))
    assert.is_false(entities:alive(e))
    valid(world)
  end)

  it("of one manager is restored into another with the same worlds", function()
    local world, entities, list = filled()
    local other, others = new_world()
    other.health:create(others:create(), { title = "another" })
    others:restore(entities:snapshot())
    same(text_of(world), text_of(other))
    valid(other)
    assert.are.equal(entities:alive(list[1]), others:alive(list[1]))
  end)

  it("is refused by a manager whose world lacks a component", function()
    local _, entities = new_world()
    local others = cuttle.entity_manager()
    cuttle.world(others, { name = "world" })
    raises("component 'health' of world 'world' is not defined", others.restore, others, entities:snapshot())
  end)

  it("makes instances stale when it is restored", function()
    local world, entities, list = filled()
    local instance = world.health:lookup(list[1])
    local snapshot = entities:snapshot()
    entities:restore(snapshot)
    raises("stale health instance", world.health.hp, world.health, instance)
    assert.are.equal(1, world.health:hp(list[1]))
  end)

  it("stops running loops when it is restored", function()
    local world, entities = filled()
    local snapshot = entities:snapshot()
    assert.has_error(function()
      for _ in world.health:each() do entities:restore(snapshot) end
    end, "health: rows moved during the loop")
    assert.has_error(function()
      for _ in world:join("transform", "health") do entities:restore(snapshot) end
    end, "transform: rows moved during the loop")
    local visited = 0
    for _ in entities:each() do
      if visited == 0 then entities:restore(snapshot) end
      visited = visited + 1
    end
    assert.are.equal(entities:count(), visited)
  end)

  it("leaves column views valid when it is restored", function()
    local world, entities, list = filled()
    local hp = world.health:column "hp"
    local row = world.health:row(list[1])
    local snapshot = entities:snapshot()
    hp[row] = 77
    disturb(world, list)
    entities:restore(snapshot)
    assert.are.equal(1, hp[world.health:row(list[1])])
  end)

  it("keeps callbacks and hooks registered, and does not call them when it is restored", function()
    local world, entities, list = filled()
    local calls = 0
    local function count() calls = calls + 1 end
    entities:on_destroy(count)
    world.health:on_add(count)
    world.health:on_remove(count)
    local snapshot = entities:snapshot()
    entities:restore(snapshot)
    assert.are.equal(0, calls)
    entities:destroy(list[1])
    assert.are.equal(2, calls)
    entities:restore(snapshot)
    assert.are.equal(2, calls)
    world.health:create(entities:create())
    assert.are.equal(3, calls)
  end)

  it("restores a body that is NaN", function()
    local entities = cuttle.entity_manager()
    local world = cuttle.world(entities)
    local e = world:create { actor = { body = 0 / 0 } }
    entities:restore(entities:snapshot())
    local body = world.actor:body(e)
    assert.are_not.equal(body, body)
  end)

  it("that was collected is not taken again by a finalizer, because its memory would never be freed", function()
    local message, bytes
    local entities = cuttle.entity_manager()
    do
      local ghost, snapshot = newproxy(true), entities:snapshot()
      -- Younger objects are finalized first.
      getmetatable(ghost).__gc = function()
        message, bytes = select(2, pcall(entities.snapshot, entities, snapshot)), snapshot:bytes()
      end
    end
    collect()
    assert.equal("Snapshot was collected", message)
    assert.equal(0, bytes)
  end)

  it("can only be made and restored from objects of the right class", function()
    local _, entities = new_world()
    raises("Snapshot expected, got nil", entities.restore, entities, nil)
    raises("Snapshot expected, got table", entities.snapshot, entities, {})
    raises("Snapshot expected, got userdata", entities.restore, entities, entities)
  end)
end)

describe("a snapshot of transforms", function()
  for _, mode in ipairs { "immediate", "deferred" } do
    it("restores links, dirty rows, marks and mode in " .. mode .. " mode", function()
      local world, entities, list = filled()
      local tf = world.transform
      tf:set_mode(mode)
      tf:set_local_position(list[1], 5, 5, 5)
      if mode == "deferred" then
        tf:column("local_position")[tf:row(list[2])].x = 3
      end
      local before = text_of(world)
      local snapshot = entities:snapshot()
      local dirty = tf:dirty_count()
      tf:set_mode(mode == "deferred" and "immediate" or "deferred")
      disturb(world, list)
      entities:restore(snapshot)
      valid(world)
      same(before, text_of(world))
      assert.are.equal(dirty, tf:dirty_count())
      tf:propagate()
      valid(world)
      local x = tf:world_position(list[1])
      assert.are.equal(5, x)
    end)
  end
end)

describe("entities:hash", function()
  it("is 16 hexadecimal digits, equal for equal states", function()
    local _, entities = filled()
    local _, others = filled()
    assert.matches("^%x%x%x%x%x%x%x%x%x%x%x%x%x%x%x%x$", entities:hash())
    assert.are.equal(16, #entities:hash())
    assert.are.equal(entities:hash(), others:hash())
    assert.are.equal(entities:hash(), entities:hash())
  end)

  it("is the same on every host", function()
    local entities = cuttle.entity_manager()
    local world = cuttle.world(entities, { name = "w" })
    world:define("thing", { { "a", "int8", -1 }, { "b", "uint16", 515 }, { "c", "double", 0.1 },
      { "d", "string", "text" }, { "e", "enum", { "x", "y" }, default = "y" }, { "f", "vec3" }, { "g", "bool", true } })
    world:create { thing = {}, transform = { position = { 1, 2, 3 } }, point_mass = { mass = 2 } }
    assert.are.equal("7eb088837582595e", entities:hash())
  end)

  it("is not changed by gc, sort, propagate, snapshots and trim", function()
    local world, entities = filled()
    local hash = entities:hash()
    world.transform:sort()
    assert.are.equal(hash, entities:hash())
    world:gc "all"
    assert.are.equal(hash, entities:hash())
    entities:restore(entities:snapshot())
    assert.are.equal(hash, entities:hash())
    world.transform:set_mode "deferred"
    world.transform:propagate()
    world:trim()
    assert.are.equal(hash, entities:hash())
    assert.is_true(world.transform:count() > 0)
    valid(world)
  end)

  it("is the same after a restore, in another manager too", function()
    local world, entities, list = filled()
    local hash, snapshot = entities:hash(), entities:snapshot()
    disturb(world, list)
    assert.are_not.equal(hash, entities:hash())
    entities:restore(snapshot)
    assert.are.equal(hash, entities:hash())
    local _, others = new_world()
    others:restore(snapshot)
    assert.are.equal(hash, others:hash())
  end)

  local changes = {
    ["a created entity"] = function(_, entities) entities:create() end,
    ["a destroyed entity"] = function(_, entities, list) entities:destroy(list[40]) end,
    ["a number"] = function(world, _, list) world.health:set_hp(list[1], 3) end,
    ["a string"] = function(world, _, list) world.health:set_title(list[1], "other") end,
    ["an entity in a field"] = function(world, _, list) world.health:set_target(list[1], list[2]) end,
    ["a label"] = function(world, _, list) world.item:set_state(list[1], "old") end,
    ["a removed component"] = function(world, _, list) world.item:destroy(world.item:lookup(list[1])) end,
    ["a position"] = function(world, _, list) world.transform:set_local_position(list[1], 0, 0, 1) end,
    ["a link"] = function(world, _, list) world.transform:unlink(list[2]) end,
    ["the order of children"] = function(world, _, list)
      local e = list[4]
      local parent = world.transform:parent(e)
      world.transform:unlink(e)
      world.transform:link(e, parent)
    end,
    ["a pose of a model"] = function(world, _, list)
      world.model:set_node_pose(list[1], "hip", 0, 0, 1, 0, 0, 0, 1, 1, 1, 1)
    end,
  }
  for name, change in pairs(changes) do
    it("changes with " .. name, function()
      local world, entities, list = filled()
      local hash = entities:hash()
      change(world, entities, list)
      assert.are_not.equal(hash, entities:hash())
      valid(world)
    end)
  end

  it("includes values written into columns of transforms, propagated or not", function()
    local world, entities, list = filled()
    local tf = world.transform
    tf:set_mode "deferred"
    local hash = entities:hash()
    tf:column("local_position")[tf:row(list[1])].x = 50
    local written = entities:hash()
    assert.are_not.equal(hash, written)
    tf:propagate()
    assert.are.equal(written, entities:hash())
    valid(world)
  end)
end)

describe("a world that is being collected", function()
  it("is left out by hash and report in finalizers that run before its own", function()
    local entities, seen, path = cuttle.entity_manager(), {}, os.tmpname()
    local without = entities:hash()
    cuttle.world(entities, { name = "dropped" })
    getmetatable(newproxy(true)).__gc = function() -- of the younger object, so it runs first
      seen.hash, seen.written = entities:hash(), cuttle.report(entities, path)
    end
    collect()
    assert.are.equal(without, seen.hash)
    assert.is_true(seen.written)
    assert.is_nil(file.read(path):find("dropped", 1, true))
    os.remove(path)
  end)
end)

describe("levels after a restore", function()
  local LEVEL = { entities = { { name = "a", components = { transform = {} }, children = { { name = "b" } } } } }

  local function spawned()
    local world, entities = new_world()
    local resource = cuttle.resource(assert(cuttle.compiler(world):compile(LEVEL)))
    return world, entities, resource, assert(world:spawn(resource))
  end

  it("have the same entities as before", function()
    local world, entities, _, level = spawned()
    local b = level:find "a/b"
    local snapshot = entities:snapshot()
    level:unload()
    world:gc "all"
    collectgarbage()
    assert.is_nil(level:find "a/b")
    entities:restore(snapshot)
    assert.are.equal(2, level:count())
    assert.are.equal(b, level:find "a/b")
    assert.are.equal(2, level:unload())
    entities:restore(snapshot)
    assert.are.equal(level, level:restart())
    assert.is_false(entities:alive(b))
    assert.is_not_nil(level:find "b")
    valid(world)
  end)

  it("are kept alive by the snapshot", function()
    local world, entities, _, level = spawned()
    local snapshot = entities:snapshot()
    level:unload()
    level = nil -- luacheck: ignore
    collectgarbage()
    collectgarbage()
    assert.is_true(entities:restore(snapshot))
    snapshot = nil -- luacheck: ignore
    collectgarbage()
    collectgarbage()
    valid(world)
    world:destroy()
    assert.are.equal(0, entities:count())
  end)

  it("are empty if they were spawned after the snapshot", function()
    local world, entities, resource, level = spawned()
    local snapshot = entities:snapshot()
    local other = assert(world:spawn(resource))
    entities:restore(snapshot)
    assert.are.equal(0, other:count())
    assert.is_nil(other:find "a")
    assert.are.equal(0, other:unload())
    assert.are.equal(other, other:restart())
    assert.are.equal(2, other:count())
    assert.are.equal(2, level:count())
    entities:restore(snapshot)
    assert.are.equal(0, other:count())
  end)

  it("are empty if they were spawned after the snapshot and all their entities died long ago", function()
    local world, entities, resource = spawned()
    local early, snapshot, late = {}, nil, {}
    for _, some in ipairs { early, late } do
      for i = 1, 40 do
        some[i] = assert(world:spawn(resource))
        entities:destroy(some[i]:list())
      end
      snapshot = snapshot or entities:snapshot()
    end
    assert(late[1]:restart())
    entities:destroy(late[1]:list())
    for i = 1, 40 do assert.are.equal(2, late[i]:count()) end
    for _ = 1, 2 do
      entities:restore(snapshot)
      for i = 1, 40 do
        assert.are.equal(2, early[i]:count())
        assert.is_nil(early[i]:find "a")
        assert.are.equal(0, late[i]:count())
        assert.is_nil(late[i]:entity(1))
      end
      assert.are.equal(late[2], late[2]:restart())
      assert.are.equal(2, late[2]:count())
      valid(world)
    end
    assert.are.equal(2, late[2]:count())
    assert.is_true(entities:alive(late[2]:entity(1)))
    entities:restore(snapshot)
    assert.are.equal(0, late[2]:count())
  end)

  it("are empty if the save or snapshot is not of this manager and their entities died long ago", function()
    for _, way in ipairs { "save", "another" } do
      local world, entities, resource = spawned()
      local _, others = spawned()
      local old = entities:snapshot()
      local given = way == "save" and cuttle.snapshot(old:tostring()) or others:snapshot()
      local some = {}
      for i = 1, 40 do
        some[i] = assert(world:spawn(resource))
        entities:destroy(some[i]:list())
      end
      entities:restore(given)
      for i = 1, 40 do assert.are.equal(0, some[i]:count()) end
    end
  end)

  it("are empty if the snapshot is of another manager", function()
    local _, entities = spawned()
    local other, others, _, level = spawned()
    others:restore(entities:snapshot())
    assert.are.equal(0, level:count())
    assert.are.equal(2, others:count())
    valid(other)
  end)
end)

describe("on_restore", function()
  it("runs after each restore, until it is removed", function()
    local world, entities, list = filled()
    local snapshot = entities:snapshot()
    local runs = {}
    local first = entities:on_restore(function() runs[#runs + 1] = entities:alive(list[1]) end)
    local second = entities:on_restore(function() world.health:set_hp(list[1], 99) end)
    entities:destroy(list[1])
    entities:restore(snapshot)
    assert.are.same({ true }, runs)
    assert.are.equal(99, world.health:hp(list[1]))
    assert.is_true(entities:off_restore(first))
    assert.is_false(entities:off_restore(first))
    assert.is_true(entities:off_restore(second))
    entities:restore(snapshot)
    assert.are.equal(1, #runs)
  end)

  it("raises the first error after all callbacks have run", function()
    local _, entities = filled()
    local snapshot = entities:snapshot()
    local ran = 0
    entities:on_restore(function() error("first", 0) end)
    entities:on_restore(function() ran = ran + 1 end)
    assert.has_error(function() entities:restore(snapshot) end, "first")
    assert.are.equal(1, ran)
  end)

  it("may create and destroy, but not restore", function()
    local _, entities, list = filled()
    local snapshot = entities:snapshot()
    local ran, message
    local token = entities:on_restore(function()
      entities:destroy(list[1])
      ran, message = pcall(entities.restore, entities, snapshot)
    end)
    entities:restore(snapshot)
    assert.is_false(ran)
    assert.are.equal("the EntityManager is being restored", message)
    assert.is_false(entities:alive(list[1]))
    entities:off_restore(token)
    entities:restore(snapshot)
    assert.is_true(entities:alive(list[1]))
  end)
end)

describe("attached tables after a restore", function()
  it("lose entries whose keys are not alive and keep the others", function()
    local world, entities = new_world()
    local notes = world:attach "notes"
    local old = entities:create()
    notes[old] = "before"
    local snapshot = entities:snapshot()
    notes[old] = "after"
    local new = entities:create()
    notes[new] = "new"
    entities:restore(snapshot)
    assert.are.same({ [old] = "after" }, notes)
    assert.are.equal(new, entities:create())
    assert.is_nil(notes[new])
    entities:destroy(old)
    assert.are.same({}, notes)
  end)
end)

describe("a restore refuses", function()
  local world, entities, snapshot

  before_each(function()
    local list
    world, entities, list = filled()
    snapshot = entities:snapshot()
    entities:destroy(list[1])
    world:random()
  end)

  local function refused(message, fn)
    local before, hash = text_of(world), entities:hash()
    assert.has_error(fn or function() entities:restore(snapshot) end, message)
    same(before, text_of(world))
    assert.equal(hash, entities:hash())
    valid(world)
  end

  it("a world that was made after the snapshot", function()
    local other = cuttle.world(entities, { name = "newer" })
    refused "world 'newer' was created after the snapshot"
    other:destroy()
    assert.is_true(entities:restore(snapshot))
  end)

  it("a world that was destroyed after the snapshot", function()
    local other = cuttle.world(entities, { name = "older" })
    local two = entities:snapshot()
    other:destroy()
    refused("world 'older' was destroyed after the snapshot", function() entities:restore(two) end)
    cuttle.world(entities, { name = "older" })
    assert.is_true(entities:restore(two))
  end)

  it("a component that was defined after the snapshot", function()
    world:define("mana", { { "points", "float" } })
    refused "component 'mana' of world 'world' was not defined when the snapshot was taken"
  end)

  it("a component that was defined with other fields", function()
    for e in world.health:each() do world.health:destroy(e) end
    world:gc "all"
    world:define("health", { { "points", "float" } })
    refused "component 'health' of world 'world' was defined with other fields"
  end)

  it("a model resource that was defined with other nodes", function()
    for e in world.model:each() do world.model:destroy(e) end
    world:gc "all"
    world.model:define_resource("leg", { nodes = { { name = "hip" } } })
    refused "model resource 'leg' was defined with other nodes after the snapshot"
    world.model:define_resource("leg", saves.NODES)
    assert.is_true(entities:restore(snapshot))
    valid(world)
  end)

  it("a model resource whose nodes have other names or another order", function()
    local function described(nodes) world.model:define_resource("leg", { nodes = nodes }) end
    local both = { { name = "hip" }, { name = "left", parent = 1 }, { name = "right", parent = 1 } }
    for e in world.model:each() do world.model:destroy(e) end
    world.model:define_resource("leg", { nodes = both })
    local e = world:create { model = { resource = "leg" }, transform = {} }
    local hand = world:create { transform = {} }
    world.transform:link(hand, e, { node = "right" })
    world.model:set_node_pose(e, "right", 1, 2, 3, 0, 0, 0, 1, 1, 1, 1)
    snapshot = entities:snapshot()
    for _, nodes in ipairs { { both[1], both[3], both[2] }, { { name = "pelvis" }, both[2], both[3] },
      { {}, both[2], both[3] } } do
      described(nodes)
      refused "model resource 'leg' was defined with other nodes after the snapshot"
    end
    described { { name = "hip", position = { 5, 5, 5 } }, both[2], both[3] }
    entities:destroy(e)
    assert.is_true(entities:restore(snapshot))
    assert.are.equal(1, (world.model:node_pose(e, "right")))
    assert.are.equal(3, world.transform:parent_node(hand))
    valid(world)
  end)

  it("a mesh resource that is not defined in another manager", function()
    local others = cuttle.entity_manager()
    local other = cuttle.world(others, { name = "world" })
    other:define("health", { { "hp", "float", 10 }, { "title", "string", "none" }, { "target", "entity" } })
    other:define("item", { { "kind", "string" }, { "state", "enum", { "new", "old" } } }, { multiple = true })
    other.model:define_resource("leg", saves.NODES)
    refused("mesh resource 'box' is not defined", function() others:restore(snapshot) end)
    assert.are.equal(0, others:count())
    valid(other)
  end)

  it("to run in callbacks, batches and spawns", function()
    local ran, message
    local function try()
      ran, message = pcall(entities.restore, entities, snapshot)
      assert.is_false(ran)
      assert.is_false((pcall(entities.snapshot, entities)))
    end
    local token = entities:on_destroy(try)
    entities:destroy(create(world, 2))
    assert.are.equal("an entity is being destroyed", message)
    entities:off_destroy(token)
    world.transform:batch(try)
    assert.are.equal("world 'world' is in use", message)
    local hook = world.health:on_add(try)
    create(world, 3)
    assert.are.equal("world 'world' is in use", message)
    world.health:off_add(hook)
    assert.is_true(entities:restore(snapshot))
  end)
end)

describe("a snapshot, when memory runs out,", function()
  if not core.testing then return end
  local fail_in = core.testing.fail_in

  after_each(function() fail_in(-1) end)

  -- Runs fn with its nth allocation failing, for all n, until none fails. Calls check after each failure. Returns the
  -- number of failures.
  local function with_failures(fn, check)
    local failures = 0
    for n = 0, 200 do
      fail_in(n)
      local ran, message = pcall(fn)
      fail_in(-1)
      if ran then return failures end
      assert.is_truthy(tostring(message):find("not enough memory", 1, true), message)
      failures = failures + 1
      check()
    end
    error "the call failed with every number of allocations"
  end

  it("is not taken, and an old one is unchanged", function()
    local world, entities, list = filled()
    local old = entities:snapshot()
    local before = text_of(world)
    for i = 1, 100 do create(world, 2000 + i) end
    local later = text_of(world)
    assert.is_true(with_failures(function() entities:snapshot(old) end, function()
      entities:restore(old)
      same(before, text_of(world))
      for i = 1, 100 do create(world, 2000 + i) end
    end) > 0)
    disturb(world, list)
    entities:restore(old)
    same(later, text_of(world))
  end)

  it("is not restored, and nothing has changed", function()
    local world, entities = filled()
    local before = text_of(world)
    local snapshot = entities:snapshot()
    local other, others = new_world()
    local spare = create(other, 7)
    local unchanged = text_of(other)
    local failures = with_failures(function() others:restore(snapshot) end, function()
      same(unchanged, text_of(other))
      assert.is_true(others:alive(spare))
      valid(other)
    end)
    assert.is_true(failures > 10, failures)
    same(before, text_of(other))
    valid(other)
  end)
end)

describe("random steps after a restore, seed " .. seed, function()
  -- Plays steps that depend on the random numbers only. Returns hashes, and at times the text of the world.
  local function play(world, random, steps)
    local entities, tf, history = world.entities, world.transform, {}
    local function any()
      local n, found = random(math.max(entities:count(), 1)), nil
      for e in entities:each() do
        n = n - 1
        found = e
        if n == 0 then break end
      end
      return found
    end
    for step = 1, steps do
      local kind, e, other = random(12), any(), any()
      if kind <= 3 or not e then
        create(world, random(50), e and tf:has(e) and e or nil)
      elseif kind <= 5 then
        entities:destroy(e)
      elseif kind == 6 and tf:has(e) then
        tf:set_local_position(e, random(9), random(9), random(9))
      elseif kind == 7 and tf:has(e) and tf:has(other) and e ~= other then
        pcall(tf.link, tf, e, other)
      elseif kind == 8 then
        world:gc()
      elseif kind == 9 then
        if world.health:has(e) then world.health:set_title(e, "t" .. random(20)) end
        world.item:create(e, { kind = "k" .. random(5) })
      elseif kind == 10 then
        world.mesh:destroy(e)
        tf:propagate()
      elseif kind == 11 then
        tf:destroy(e)
      else
        world.model:destroy(e)
        world:gc(5)
      end
      history[#history + 1] = entities:hash()
      if step % 50 == 0 then history[#history + 1] = text_of(world) end
    end
    return table.concat(history, "\n")
  end

  for _, mode in ipairs { "immediate", "deferred" } do
    it("have the same results in " .. mode .. " mode", function()
      local world, entities = new_world()
      world.transform:set_mode(mode)
      play(world, new_random(seed), 200)
      local snapshot = entities:snapshot()
      local first = play(world, new_random(seed + 1), 300)
      for _ = 1, 2 do
        entities:restore(snapshot)
        valid(world)
        same(first, play(world, new_random(seed + 1), 300))
        valid(world)
      end
      local other, others = new_world()
      others:restore(snapshot)
      same(first, play(other, new_random(seed + 1), 300))
      valid(other)
    end)
  end
end)
