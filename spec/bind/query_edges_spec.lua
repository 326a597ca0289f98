-- Queries at their limits: no entities, dead owners, changes of the world between uses and inside loops, no memory.

local collect = require "spec.support.collect"
local core = require "cuttle.core"
local cuttle = require "cuttle"
local new_random = require "spec.support.random"
local raises = require "spec.support.raises"
local seed = require "spec.support.seed"
local valid = require "spec.support.valid"

local testing = core.testing

local function fixture(count)
  local entities = cuttle.entity_manager { minimum_free_indices = 0 }
  local world = cuttle.world(entities)
  world:define("body", { { "x", "float" }, { "v", "vec3" } })
  world:define("life", { { "hp", "float", 100 }, { "n", "int32" } })
  world:define("part", { { "n", "int32" } }, { multiple = true })
  world:define("frozen", {})
  local list = count > 0 and world:create({ body = {}, life = {}, transform = {} }, count) or {}
  return world, list, entities
end

local LOOPS = { "each", "rows", "items" }

describe("A query", function()
  it("works without entities and without rows", function()
    local world = fixture(0)
    for _, query in ipairs { world:query "body", world:query("body", "!life", "?part", "frozen") } do
      assert.equal(0, query:count())
      assert.is_nil(query:first())
      assert.equal(0, query:list():count())
      assert.are.same({}, query:entities())
      assert.are.same({ {}, 0 }, { query:read "body.x" })
      assert.equal(0, query:write("body.x", 3))
      assert.equal(0, query:write("body.v", {}))
      assert.equal(0, query:create("life", { hp = {} }))
      assert.equal(0, query:remove "body")
      assert.equal(0, query:destroy())
      for _, kind in ipairs(LOOPS) do
        for _ in query[kind](query) do error "no match" end
      end
    end
    valid(world)
  end)

  it("does not return dead owners whose rows were not collected", function()
    local world, list, entities = fixture(6)
    local query, bodies = world:query("body", "life"), world:query "body"
    assert.equal(6, query:count())
    entities:destroy(list[1])
    entities:destroy(list[4])
    assert.equal(6, world.body:count())
    assert.equal(4, query:count())
    assert.equal(list[2], query:first())
    assert.equal(4, query:write("life.hp", { 1, 2, 3, 4 }))
    assert.are.same({ 1, 2, 3, 4 }, (query:read "life.hp"))
    assert.equal(4, query:remove "life")
    assert.equal(2, world.life:count())
    local reused = entities:create(2) -- the indices of the dead
    world.life:create_many(reused)
    assert.equal(0, query:count())
    assert.equal(4, bodies:destroy())
    assert.equal(2, entities:count())
    valid(world)
  end)

  it("finds the first entity without the others, and after every change", function()
    local world, list, entities = fixture(5)
    local query = world:query("body", "!frozen")
    for i = 1, 5 do
      assert.equal(list[i], query:first())
      if i % 2 == 0 then assert.equal(6 - i, query:count()) end
      if i < 3 then entities:destroy(list[i]) else world.frozen:create(list[i]) end
    end
    assert.is_nil(query:first())
    assert.equal(0, query:count())
    assert.is_nil(query:first())
  end)

  it("takes each entity once, in whatever order a multiple manager is named", function()
    local world, list = fixture(3)
    for _, e in ipairs { list[2], list[1], list[2], list[1] } do world.part:create(e) end
    for _, query in ipairs { world:query("part", "body"), world:query("body", "part") } do
      local rows = tostring(query):find "%(part" and 4 or 2
      assert.equal(rows, query:count())
      assert.equal(2, query:list():count())
      assert.equal(2, query:create "frozen")
      assert.equal(2, query:remove "frozen")
      assert.equal(rows, query:write("part.n", 1))
    end
    assert.equal(4, world:query("part"):remove "part")
    world.part:create_many(list)
    assert.equal(3, world:query("part", "body"):destroy())
    valid(world)
  end)

  it("takes an entity of which only later components match a condition, once", function()
    local world, list, entities = fixture(3)
    for i, e in ipairs(list) do
      for n = 1, i + 1 do world.part:create(e, { n = 10 * i + n }) end
    end
    local query = world:query("part", "body", "transform"):where("part.n > low", { low = 0 })
    local function check(low, ...)
      local expected = { ... }
      query:set("low", low)
      assert.are.same(expected, query:entities())
      assert.are.same(expected, query:list():totable())
      assert.are.same(expected, query:sorted "part.n":totable())
      assert.equal(#expected, query:create "frozen")
      assert.equal(#expected, query:remove "frozen")
      local space = query:space { cell = 1 }
      assert.equal(#expected, space:update())
      assert.are.same(expected, space:within(0, 0, 1):totable())
    end
    check(0, list[1], list[2], list[3])
    check(11, list[1], list[2], list[3])
    check(21, list[2], list[3])
    check(33, list[3])
    check(34)
    world.part:destroy(world.part:lookup(list[1])) -- a later component is now in an earlier row
    query:set("low", 32)
    assert.equal(1, query:destroy())
    assert.equal(2, entities:count())
    valid(world)
  end)

  it("adds a component that it names itself, if the manager is multiple or the component was optional", function()
    local world, list = fixture(3)
    world.part:create_many(list)
    assert.equal(3, world:query("part"):create "part")
    assert.equal(6, world:query("part"):create("part", { n = { 1, 2, 3 } }) * 2)
    local query = world:query("body", "?frozen")
    world.frozen:create(list[2])
    raises("already has a frozen", query.create, query, "frozen")
    assert.equal(1, world.frozen:count())
    assert.equal(2, world:query("body", "!frozen"):create "frozen")
    raises("already has a body", query.create, query, "body")
    valid(world)
  end)

  it("runs hooks that create and destroy entities in the middle", function()
    local world, list, entities = fixture(4)
    local query, created = world:query "body", {}
    world.frozen:on_add(function(e)
      created[#created + 1] = world:create { body = {} }
      if e == list[1] then entities:destroy(list[2]) end
    end)
    assert.equal(4, query:create "frozen")
    assert.equal(3, #created)
    assert.equal(6, query:count())
    world.frozen:on_remove(function(e)
      if e == list[1] then world.frozen:destroy(list[3]) end
      world:create { body = {} }
    end)
    assert.equal(2, query:remove "frozen")
    assert.equal(9, query:count())
    world.body:on_remove(function() if entities:count() < 12 then world:create { body = {} } end end)
    assert.equal(9, query:destroy())
    valid(world)
  end)

  it("sees a gc, a sort, a define, a restore between uses", function()
    local world, list, entities = fixture(5)
    local query = world:query("transform", "body")
    local snapshot = entities:snapshot()
    world.transform:link(list[1], list[5])
    assert.equal(list[1], query:first())
    world.transform:sort()
    assert.equal(5, query:count())
    assert.equal(world.transform:entity_at(0), query:first())
    entities:destroy(query:first())
    world:gc "all"
    assert.equal(4, query:count())
    entities:restore(snapshot)
    assert.are.same(list, query:entities())
    world:define("body", { { "x", "float", 7 }, { "v", "vec3" } }) -- the same fields
    assert.equal(5, query:count())
    world:define("body", { { "y", "float" } }, { migrate = true })
    raises("body was defined again", query.count, query)
    raises("body was defined again", query.first, query)
    assert.equal(5, world:query("body"):count())
  end)

  it("ends its loops with an error after a sort, a gc, a restore, and the end of the world", function()
    for _, kind in ipairs(LOOPS) do
      local world, list, entities = fixture(5)
      local query = world:query("transform", "body")
      world.transform:link(list[1], list[5])
      raises("transform: rows moved during the loop", function()
        for _ in query[kind](query) do world.transform:sort() end
      end)
      raises("rows moved during the loop", function()
        for _ in query[kind](query) do
          entities:destroy(list[3])
          world:gc "all"
        end
      end)
      local snapshot = entities:snapshot()
      raises("rows moved during the loop", function()
        for _ in query[kind](query) do entities:restore(snapshot) end
      end)
      raises("world is destroyed", function()
        for _ in query[kind](query) do world:destroy() end
      end)
      raises("world is destroyed", query[kind], query)
    end
  end)

  it("is collected in the same cycle as its world, with loops and finalizers that use it", function()
    local used = 0
    for _ = 1, 20 do
      local world = fixture(3)
      local query = world:query("body", "life")
      local step, loop = query:items()
      assert(step(loop))
      local ghost = newproxy(true)
      getmetatable(ghost).__gc = function()
        used = used + 1
        pcall(query.count, query)
        pcall(query.destroy, query)
        pcall(function() for _ in query:each() do used = used + 1 end end)
        tostring(query)
      end
      query:count()
    end
    collect()
    collect()
    assert.is_true(used >= 20)
  end)

  it("works when finalizers change the world during each call", function()
    local world, _, entities = fixture(50)
    local query, stop, died, out = world:query("body", "life"), false, 0, cuttle.list()
    local function haunt()
      local ghost = newproxy(true)
      getmetatable(ghost).__gc = function()
        if stop then return end
        local e = query:first()
        if e then
          died = died + 1
          entities:destroy(e)
          world:create { body = {}, life = {} }
          world:gc "all"
        end
        haunt()
      end
    end
    haunt()
    collectgarbage "setpause"
    for _ = 1, 60 do
      collectgarbage "step"
      assert.equal(50, #query:entities())
      assert.equal(50, query:list():count())
      assert.equal(50, query:list(out):count())
      assert.equal(50, query:write("life.hp", 1))
      assert.equal(50, select(2, query:read("life.hp")))
      query:create("part", { n = 1 })
      query:remove "part"
    end
    stop = true
    valid(world)
  end)

  it("fills a list in hot loops, and raises there as elsewhere", function()
    local world, list, entities = fixture(20)
    local out, query = cuttle.list(), world:query("body", "life"):where("life.hp < limit", { limit = 0 })
    local plain = world:query("body", "?part")
    for i = 1, 100 do
      query:set("limit", i % 3 == 0 and 200 or 0)
      assert.equal(out, query:list(out))
      assert.equal(i % 3 == 0 and 20 or 0, out:count())
      assert.equal(20, plain:list(out):count())
    end
    world.part:create(list[2])
    world.part:create(list[2])
    assert.equal(1, world:query("part", "body"):list(out):count()) -- an entity once
    local function fails(message, ...)
      for _ = 1, 100 do raises(message, query.list, ...) end
    end
    fails("cuttle.list expected, got userdata", query, entities)
    fails("cuttle.list expected, got number", plain, 3)
    fails("Query expected, got", out, out)
    assert.equal(1, out:count())
    world:define("life", { { "hp", "float" } }, { migrate = true })
    fails("defined again", query, out)
    assert.equal(20, plain:list(out):count())
    world:destroy()
    fails("world is destroyed", plain, out)
    assert.equal(20, out:count())
  end)

  it("is unchanged when memory runs out, at each allocation", function()
    if not testing then return pending "only test builds make allocations fail" end
    local failures = 0
    for n = 0, 100 do
      local world, list = fixture(40)
      for i = 1, 40, 3 do -- rows in different orders
        world.life:destroy(list[i])
        world.life:create(list[i], { n = i })
      end
      local query = world:query("body", "life", "?part", "!frozen")
      testing.fail_in(n)
      local ok, message = pcall(function()
        assert(query:count() == 40)
        query:create("frozen")
      end)
      testing.fail_in(-1)
      if ok then break end
      failures = failures + 1
      assert.matches("not enough memory", message)
      assert.equal(0, world.frozen:count())
      assert.equal(40, query:count())
      valid(world)
    end
    assert.is_true(failures > 1 and failures < 100, failures)
  end)
end)

describe("m:destroy_many, seed " .. seed .. ",", function()
  it("removes the components of a list in any order", function()
    local random = new_random(seed)
    for round = 1, 60 do
      local world, list, entities = fixture(random(60))
      local names = { "body", "part", "frozen", "transform" }
      local name = names[random(#names)]
      local manager, kept = world:manager(name), {}
      for _, e in ipairs(list) do
        if random(3) > 1 and (name == "part" or not manager:has(e)) then manager:create(e) end
        if name == "part" and random(3) == 1 then manager:create(e) end
        if random(8) == 1 then entities:destroy(e) end
      end
      local chosen, expected, seen = {}, 0, {}
      for i, e in ipairs(list) do
        if random(4) > 1 then chosen[#chosen + 1] = e else kept[#kept + 1] = { e, manager:lookup(e) ~= nil } end
        if round % 3 == 0 and random(5) == 1 then chosen[#chosen + 1] = list[random(i)] end
      end
      if round % 2 == 0 then
        for i = #chosen, 2, -1 do
          local k = random(i)
          chosen[i], chosen[k] = chosen[k], chosen[i]
        end
      end
      for _, e in ipairs(chosen) do
        for _ in manager:instances(e) do expected = expected + (seen[e] and 0 or 1) end
        seen[e] = true
      end
      assert.equal(expected, manager:destroy_many(chosen))
      for _, e in ipairs(chosen) do assert.is_false(manager:has(e)) end
      for _, pair in ipairs(kept) do
        if not seen[pair[1]] then assert.equal(pair[2], manager:has(pair[1])) end
      end
      valid(world)
    end
  end)

  it("keeps the values of the other rows", function()
    local world, list = fixture(100)
    for i, e in ipairs(list) do world.life:set_n(e, i) end
    local some = {}
    for i = 11, 40 do some[#some + 1] = list[i] end
    assert.equal(30, world.life:destroy_many(some))
    for i, e in ipairs(list) do
      assert.equal(i < 11 or i > 40, world.life:has(e))
      if world.life:has(e) then assert.equal(i, world.life:n(e)) end
    end
    valid(world)
  end)
end)
