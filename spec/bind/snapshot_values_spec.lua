-- Value fields in snapshots: a snapshot keeps which value each field held, not the contents of tables.

local collect = require "spec.support.collect"
local core = require "cuttle.core"
local cuttle = require "cuttle"
local valid = require "spec.support.valid"

local LEVEL = { entities = { { name = "box", components = { chest = { loot = { "coin", { 5 } } } } } } }

local function new_world(name)
  local entities = cuttle.entity_manager { minimum_free_indices = 2 }
  local world = cuttle.world(entities, { name = name or "world" })
  return world, entities, world:define("chest", { { "loot", "value" }, { "size", "int32" } })
end

describe("a value field in a snapshot", function()
  local world, entities, chest, e, kept

  -- A new table. kept[name] refers to it until it is collected.
  local function token(name)
    kept[name] = { name }
    return kept[name]
  end

  before_each(function()
    kept = setmetatable({}, { __mode = "v" })
    world, entities, chest = new_world()
    e = entities:create()
  end)

  after_each(function()
    if not tostring(world):find "destroyed" then valid(world) end
  end)

  it("is restored to the same value, of any type, any number of times", function()
    local thread = coroutine.create(function() end)
    local held = { {}, "text", 12.5, true, false, print, newproxy(), e, 0 / 0, thread, entities }
    local list = entities:create(12)
    for i = 1, 12 do chest:create(list[i], { loot = held[i] }) end
    local snapshot = entities:snapshot()
    for round = 1, 3 do
      for i = 1, 12 do
        if entities:alive(list[i]) then chest:set_loot(list[i], { "other", round }) end
      end
      entities:destroy(list[round])
      world:gc "all"
      chest:create(entities:create(), { loot = {} })
      assert.is_true(entities:restore(snapshot))
      for i = 1, 12 do
        local got = chest:loot(list[i])
        if held[i] == held[i] then assert.equal(held[i], got) else assert.is_true(got ~= got) end
      end
      valid(world)
    end
  end)

  it("is not rolled back inside: a table keeps later changes", function()
    local hoard = { gold = 1 }
    chest:create(e, { loot = hoard })
    local snapshot = entities:snapshot()
    hoard.gold = 2
    chest:set_loot(e, nil)
    entities:restore(snapshot)
    assert.equal(hoard, chest:loot(e))
    assert.equal(2, chest:loot(e).gold)
  end)

  it("refers to the same value as other fields after a restore too", function()
    local list = entities:create(3)
    chest:create_many(list, { loot = { { 1 }, false, { 2 } } })
    local shared = {}
    for _, each in ipairs { list[1], list[3] } do chest:set_loot(each, shared) end
    local snapshot = entities:snapshot()
    entities:destroy(cuttle.list(list))
    entities:restore(snapshot)
    assert.equal(shared, chest:loot(list[1]))
    assert.is_nil(chest:loot(list[2]))
    assert.equal(shared, chest:loot(list[3]))
  end)

  it("has its value kept alive by the snapshot", function()
    chest:create(e, { loot = token "old" })
    local snapshot = entities:snapshot()
    entities:destroy(e)
    world:gc "all"
    for i = 1, 20 do chest:create(entities:create(), { loot = { i } }) end
    collect()
    assert.equal("old", kept.old[1])
    entities:restore(snapshot)
    assert.equal(kept.old, chest:loot(e))
  end)

  it("has its value released with the snapshot, and when the snapshot is taken again", function()
    chest:create(e, { loot = token "first" })
    local snapshot = entities:snapshot()
    chest:set_loot(e, token "second")
    collect()
    assert.is_table(kept.first)
    entities:snapshot(snapshot)
    collect()
    assert.is_nil(kept.first)
    chest:set_loot(e, nil)
    collect()
    assert.is_table(kept.second)
    snapshot = nil -- luacheck: ignore
    collect()
    assert.is_nil(kept.second)
  end)

  it("releases values that were set after the snapshot", function()
    chest:create(e, { loot = token "old" })
    local snapshot = entities:snapshot()
    chest:set_loot(e, token "new")
    chest:create(entities:create(), { loot = token "newer" })
    entities:restore(snapshot)
    collect()
    assert.is_nil(kept.new)
    assert.is_nil(kept.newer)
    assert.is_table(kept.old)
    entities:destroy(e)
    snapshot = nil -- luacheck: ignore
    collect()
    assert.is_nil(kept.old)
  end)

  it("may refer to the snapshot itself, and is collected with it", function()
    local value = token "round"
    chest:create(e, { loot = value })
    value.snapshot = entities:snapshot()
    chest:set_loot(e, nil)
    entities:restore(value.snapshot)
    assert.equal(value, chest:loot(e))
    entities:destroy(e)
    value = nil -- luacheck: ignore
    collect()
    assert.is_nil(kept.round)
  end)

  it("may refer to the world itself", function()
    local value = token "world"
    value.world, value.entities = world, entities
    chest:create(e, { loot = value })
    value.snapshot = entities:snapshot()
    value, world, entities, chest = nil, nil, nil, nil -- luacheck: ignore
    collect()
    assert.is_nil(kept.world)
    world = new_world()
  end)

  it("is restored in another manager with the same worlds", function()
    local other, others, chests = new_world()
    local value = { "loot" }
    for i = 1, 9 do chests:create(others:create(), { loot = token("other" .. i) }) end
    chest:create(e, { loot = value })
    others:restore(entities:snapshot())
    assert.equal(value, chests:loot(e))
    collect()
    for i = 1, 9 do assert.is_nil(kept["other" .. i]) end
    chests:set_loot(e, "mine")
    assert.equal(value, chest:loot(e))
    valid(other)
  end)

  it("is restored in a world that was made again", function()
    chest:create(e, { loot = token "old" })
    local snapshot = entities:snapshot()
    world:destroy()
    world = cuttle.world(entities, { name = "world" })
    chest = world:define("chest", { { "loot", "value" }, { "size", "int32" } })
    collect()
    entities:restore(snapshot)
    assert.equal("old", chest:loot(e)[1])
  end)

  it("of one of several worlds is restored in its own world", function()
    local second = cuttle.world(entities, { name = "second" })
    local chests = second:define("chest", { { "loot", "value" }, { "size", "int32" } })
    chest:create(e, { loot = "first" })
    chests:create(e, { loot = "second" })
    local snapshot = entities:snapshot()
    chest:set_loot(e, nil)
    chests:set_loot(e, "changed")
    entities:restore(snapshot)
    assert.equal("first", chest:loot(e))
    assert.equal("second", chests:loot(e))
    valid(second)
  end)

  it("from a level has one value, read before the snapshot or after it", function()
    local resource = assert(cuttle.resource((assert(cuttle.compiler(world):compile(LEVEL)))))
    local read, unread = world:spawn(resource):entity(1), world:spawn(resource):entity(1)
    local value = chest:loot(read)
    local snapshot = entities:snapshot()
    local late = chest:loot(unread)
    late.more = "more"
    assert.not_equal(value, late)
    for _ = 1, 2 do
      entities:restore(snapshot)
      assert.equal(value, chest:loot(read))
      assert.equal(late, chest:loot(unread))
      assert.same({ "coin", { 5 }, more = "more" }, chest:loot(unread))
      world:spawn(resource)
      entities:destroy(unread)
    end
    entities:restore(snapshot)
    assert.same({ "coin", { 5 } }, chest:loot(world:spawn(resource):entity(1)))
  end)

  it("is not part of the hash", function()
    chest:create(e, { loot = "one" })
    local hash = entities:hash()
    chest:set_loot(e, "two")
    assert.equal(hash, entities:hash())
  end)

  it("can be read and set in on_restore, and read in on_spawn of bodies", function()
    world.actor:on_spawn(function() return {} end)
    chest:create(e, { loot = "old" })
    world.actor:create(e)
    local snapshot = entities:snapshot()
    local seen
    world.actor:on_spawn(function()
      seen = chest:loot(e)
      return {}
    end)
    entities:on_restore(function() chest:set_loot(e, "set") end)
    entities:destroy(e)
    entities:restore(snapshot)
    assert.equal("old", seen)
    assert.equal("set", chest:loot(e))
  end)

  if not core.testing then return end

  it("is unchanged when memory runs out in a restore", function()
    local resource = assert(cuttle.resource((assert(cuttle.compiler(world):compile(LEVEL)))))
    chest:create(e, { loot = token "old" })
    local spawned = world:spawn(resource):entity(1)
    local snapshot, failures = entities:snapshot(), 0
    local loot = chest:loot(spawned)
    for n = 0, 100 do
      local other, others, chests = new_world()
      local own = others:create()
      chests:create(own, { loot = "own" })
      core.testing.fail_in(n)
      local ran, message = pcall(others.restore, others, snapshot)
      core.testing.fail_in(-1)
      valid(other)
      if ran then
        assert.equal(kept.old, chests:loot(e))
        assert.equal(loot, chests:loot(spawned))
        assert.is_true(failures > 5)
        return
      end
      failures = failures + 1
      assert.matches("not enough memory", message)
      assert.equal("own", chests:loot(own))
    end
    error "the restore failed with every number of allocations"
  end)

  -- Calls fn with at most n allocations of Lua. Returns whether it succeeded.
  local function limited(n, fn, ...)
    collectgarbage()
    collectgarbage "stop"
    core.testing.fail_lua_in(n)
    local ran, message = pcall(fn, ...)
    core.testing.fail_lua_in(-1)
    collectgarbage "restart"
    if not ran then assert.matches("not enough memory", message) end
    return ran
  end

  -- Finds the smallest number of allocations with which a restore changes anything, and repeats with that number.
  it("is restored completely or not at all when memory runs out, for any number of worlds", function()
    chest:create(e, { loot = token "old" })
    local snapshot, first, held = entities:snapshot(), nil, {}
    local function restored_with(n)
      local other, others, chests = new_world()
      local own, another = others:create(), others:create()
      chests:create(own, { loot = "own" })
      limited(n, others.restore, others, snapshot)
      local restored = not others:alive(another)
      assert.equal(restored and kept.old or "own", chests:loot(own))
      held[#held + 1] = other
      return restored
    end
    for n = 0, 1000 do
      if restored_with(n) then first = n break end
    end
    for _ = 1, 40 do restored_with(first) end
  end)

  it("is unchanged or restored with all other data when Lua's memory runs out", function()
    local list = entities:create(20)
    for i, each in ipairs(list) do chest:create(each, { loot = i % 3 == 0 and i or { i } }) end
    world.actor:on_spawn(function(each) return { each } end)
    world.actor:create_many(list)
    local snapshot, before, late = entities:snapshot(), chest:read_many(list, "loot"), 0
    for n = 0, 1000 do
      local other, others, chests = new_world()
      local own = others:create()
      other.actor:on_spawn(function(each) return { each } end)
      chests:create(own, { loot = "own" })
      local ran = limited(n, others.restore, others, snapshot)
      valid(other)
      if not ran and others:count() == 1 then
        assert.equal("own", chests:loot(own))
      else
        assert.same(before, chests:read_many(list, "loot"))
        late = late + 1
      end
      if ran then break end
    end
    assert.is_true(late > 1)
    for n = 0, 1000 do
      chest:write_many(list, "loot", "changed")
      if limited(n, entities.snapshot, entities, snapshot) then break end
      entities:restore(snapshot)
      assert.same(before, chest:read_many(list, "loot"))
    end
    entities:restore(snapshot)
    assert.equal("changed", chest:loot(list[1]))
  end)

  it("can be restored from an old snapshot after memory for a new one ran out", function()
    chest:create(e, { loot = token "old" })
    local snapshot = entities:snapshot()
    chest:set_loot(e, "new")
    chest:create_many(entities:create_list(100))
    core.testing.fail_in(1)
    local ran = pcall(entities.snapshot, entities, snapshot)
    core.testing.fail_in(-1)
    assert.is_false(ran)
    collect()
    entities:restore(snapshot)
    assert.equal(kept.old, chest:loot(e))
  end)
end)
