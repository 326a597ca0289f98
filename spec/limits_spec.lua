-- One spec for each hard limit. Tests with four million rows are heavy, and are left out under sanitizers and collector
-- torture.

-- tags: once

local cuttle = require "cuttle"
local collect = require "spec.support.collect"
local core = require "cuttle.core"
local raises = require "spec.support.raises"

local FULL = 4194304
local SLOW = require "spec.support.slow"

local function heavy()
  if SLOW then pending "heavy" end
end

-- Collects the memory of a heavy test before the next one.
after_each(function()
  if not SLOW then
    collect()
  end
end)

describe("an entity manager", function()
  it("holds 4,194,304 entities, is full then, and can be filled again after all died", function()
    heavy()
    local entities = cuttle.entity_manager()
    local list = entities:create_list(FULL)
    assert.equal(FULL, entities:count())
    local text = "entity manager is full (4194304 alive)"
    raises(text, entities.create, entities)
    raises(text, entities.create, entities, 1)
    raises(text, entities.create_list, entities, 1)
    assert.equal(FULL, entities:count())
    assert.equal(FULL - 1, cuttle.entity_index(list:get(FULL)))

    assert.is_true(entities:destroy(list:get(77)))
    assert.equal(cuttle.entity_from_id(76 + 2^22), entities:create())
    raises(text, entities.create, entities)

    assert.equal(FULL - 1, entities:destroy(list))
    assert.is_true(entities:destroy(cuttle.entity_from_id(76 + 2^22)))
    assert.equal(0, entities:count())

    list = entities:create_list(FULL)
    assert.equal(FULL, entities:count())
    raises(text, entities.create, entities)
    assert.is_true(assert(entities:validate()))
    assert.is_true(entities:alive(list:get(1)))
    assert.equal(1, cuttle.entity_generation(list:get(1)))
  end)

  it("ignores minimum_free_indices when no fresh index is left", function()
    heavy()
    local entities = cuttle.entity_manager { minimum_free_indices = 4194303 }
    local list = entities:create_list(FULL)
    entities:destroy(list:get(5))
    entities:destroy(list:get(3))
    assert.equal(cuttle.entity_from_id(4 + 2^22), entities:create())
    assert.equal(cuttle.entity_from_id(2 + 2^22), entities:create())
    raises("entity manager is full", entities.create, entities)
    entities:destroy(list:get(9))
    raises("entity manager is full", entities.create, entities, 2)
    assert.equal(FULL - 1, entities:count())
  end)

  it("refuses to create more than 4,194,304 entities in one call", function()
    local entities = cuttle.entity_manager()
    raises("integer in [0, 4194304] expected", entities.create, entities, FULL + 1)
    raises("integer in [0, 4194304] expected", entities.create_list, entities, FULL + 1)
  end)
end)

describe("a manager", function()
  it("holds 4,194,304 rows, and collects dead rows at the limit", function()
    heavy()
    local entities = cuttle.entity_manager()
    local world = cuttle.world(entities)
    local m = world:define("part", {})
    local owners = entities:create_list(FULL)
    m:create_many(owners)
    assert.equal(FULL, m:count())
    local dead = owners:get(7)
    local iterate = m:each()
    iterate()
    -- The index is reused at once, while the dead entity's row still exists.
    entities:destroy(dead)
    local e = entities:create()
    assert.equal(cuttle.entity_index(dead), cuttle.entity_index(e))
    assert.is_false(m:has(e))
    m:create(e)
    assert.equal(FULL, m:count())
    assert.is_true(m:has(e))
    raises("part: rows moved during the loop", iterate)
  end)

  it("collects dead rows for many copies of a level at the limit, before the first copy", function()
    heavy()
    local entities = cuttle.entity_manager { minimum_free_indices = 0 }
    local world = cuttle.world(entities)
    local tag = world:define("tag", { { "n", "uint8" } })
    local source = { entities = { { components = { tag = { n = 3 } } } } }
    local resource = assert(cuttle.resource((assert(cuttle.compiler(world):compile(source)))))
    local list = world:create({ tag = { n = 1 } }, FULL - 1000, cuttle.list())
    local dead = cuttle.list()
    for i = 1, 5000 do dead:add(list:get(i * 7)) end
    entities:destroy(dead)
    local level = assert(world:spawn_many(resource, 5500))
    assert.equal(FULL - 500, tag:count())
    for _, i in ipairs { 1, 700, 5500 } do assert.equal(3, tag:n(level:entity(i))) end
    level:unload()
    assert.equal(level, level:restart())
    assert.equal(FULL - 500, tag:count())
    assert.is_true(world:validate())
    local level_or_nil, message = world:spawn_many(resource, 501)
    assert.is_nil(level_or_nil)
    assert.equal("entity manager is full (4193804 alive): 500 fit, 501 copies of 1 do not", message)
  end)

  it("raises and changes nothing if all rows at the limit are living", function()
    heavy()
    local entities = cuttle.entity_manager()
    local world = cuttle.world(entities)
    local m = world:define("part", {}, { multiple = true })
    local owners = entities:create_list(FULL / 2)
    m:create_many(owners)
    m:create_many(owners)
    local e = owners:get(1)
    raises("part is full (4194304 rows)", m.create, m, e)
    raises("part is full (4194304 rows)", m.create_many, m, { e, e })
    raises("part is full (4194304 rows)", world.create, world, { part = {} })
    assert.equal(FULL, m:count())
    assert.equal(FULL / 2, entities:count())
    assert.equal(2, #m:ids(e))
  end)

  it("has at most 60 fields", function()
    local world = cuttle.world(cuttle.entity_manager())
    local schema = {}
    for i = 1, 61 do schema[i] = { "f" .. i, "float" } end
    raises("too many fields (limit is 60)", world.define, world, "thing", schema)
    schema[61] = nil
    assert.equal(60, #world:define("thing", schema):fields())
  end)
end)

describe("a join", function()
  it("has at most 8 managers", function()
    local world = cuttle.world(cuttle.entity_manager())
    local names = {}
    for i = 1, 9 do names[i] = world:define("m" .. i, {}) end
    raises("too many managers in a join (9, limit is 8)", world.join, world, unpack(names))
    names[9] = nil
    assert.is_nil((world:join(unpack(names))()))
  end)
end)

describe("a world", function()
  it("has as many component types as memory allows, and can create with all of them", function()
    -- This is more than fits on Lua's stack of a C function.
    local world = cuttle.world(cuttle.entity_manager())
    local all = {}
    for i = 1, 4200 do
      world:define("c" .. i, { { "v", "float" } })
      all["c" .. i] = { v = i }
    end
    assert.equal(2, #world:create({ c1 = { v = 1 }, c4200 = { v = { 5, 6 } } }, 2))
    assert.equal(1, #world:create(all, 1))
    assert.equal(1, world.c77:count())
    assert.equal(3, world.c4200:count())
    assert.equal(4200, world.c4200:v(world.c4200:at(2)))
  end)
end)

describe("names", function()
  it("of components, fields and worlds have at most 63 letters", function()
    local entities = cuttle.entity_manager()
    local world = cuttle.world(entities)
    local long, longer = ("n"):rep(63), ("n"):rep(64)
    assert.equal(long, world:define(long, { { long, "float" } }):name())
    raises("limit is 63", world.define, world, longer, {})
    raises("at most 63 letters", world.define, world, "thing", { { longer, "float" } })
    cuttle.world(entities, { name = long })
    raises("1 to 63 characters", cuttle.world, entities, { name = longer })
  end)
end)

describe("component ids", function()
  it("are at most 2^30 - 1 if they are given, and at most 2^31 - 1 if they are assigned", function()
    local entities = cuttle.entity_manager()
    local world = cuttle.world(entities)
    local m = world:define("part", {}, { multiple = true })
    local e = entities:create()
    m:create(e, { id = 1073741823 })
    raises("integer in [1, 1073741823]", m.create, m, e, { id = 1073741824 })
    assert.equal(1073741824, m:id(m:create(e)))
    if not core.testing then return pending "only test builds can set the last number" end
    core.testing.number_seen(m, 2147483646)
    local last = m:create(e)
    assert.equal(2147483647, m:id(last))
    assert.equal(last, m:lookup(e, 2147483647))
    raises("part is full (2147483647 ids)", m.create, m, e)
    raises("part is full (2147483647 ids)", m.create_many, m, { e, e })
    m:destroy(e)
    raises("part is full (2147483647 ids)", m.create, m, e)
    raises("part is full (2147483647 ids)", world.create, world, { part = {} })
    m:create(e, { id = 5 })
    m:create(e, { id = "x" })
    local blob = assert(cuttle.compiler(world):compile { entities = { { components = { part = {} } } } })
    local level, message = world:spawn(assert(cuttle.resource(blob)))
    assert.is_nil(level)
    assert.equal("part is full (2147483647 ids)", message)
    assert.same({ 5, "x" }, m:ids(e))
    assert.is_true(assert(world:validate()))
  end)
end)
