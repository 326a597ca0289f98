-- Spaces: arguments, lifetime, and what an update sees.

local core = require "cuttle.core"
local cuttle = require "cuttle"
local raises = require "spec.support.raises"
local slow = require "spec.support.slow"

local HUGE, NAN = math.huge, 0 / 0

-- A world with entities at 10, 20, 30 ... on the x axis, with radius 1 and the layers 1, 2, 4, 8 ...
local function fixture(count, options)
  local s = { entities = cuttle.entity_manager { minimum_free_indices = 0 } }
  s.world = cuttle.world(s.entities)
  s.transform = s.world.transform
  s.body = s.world:define("body", { { "r", "float", 1 }, { "layer", "uint32" }, { "v", "vec2" }, { "text", "string" },
    { "on", "bool" }, { "kind", "enum", { "a", "b" } } })
  s.list = s.entities:create(count or 5)
  for i, e in ipairs(s.list) do
    s.transform:create(e, { position = { 10 * i, 0, 5 * i } })
    s.body:create(e, { layer = 2 ^ ((i - 1) % 32) })
  end
  s.query = s.world:query("transform", "?body")
  s.space = s.query:space(options or { cell = 10, radius = "body.r", mask = "body.layer" })
  s.space:update()
  return s
end

local function places(s, list)
  local found = {}
  for i, e in ipairs(list:totable()) do
    for place, other in ipairs(s.list) do
      if e == other then found[i] = place end
    end
  end
  return found
end

describe("query:space", function()
  it("refuses wrong options by name", function()
    local s = fixture(1)
    local function refused(text, options) raises(text, s.query.space, s.query, options) end
    refused("table expected", nil)
    refused("cell: required", {})
    for _, cell in ipairs { 0, -1, NAN, HUGE, 1e-31, "8", true } do
      refused("cell: number in [1e-30, 1e30] expected, got", { cell = cell })
    end
    for _, radius in ipairs { -1, NAN, true } do
      refused('radius: number from 0 on or "component.field" expected, got', { cell = 1, radius = radius })
    end
    refused("dimensions: integer in [2, 3] expected, got 4", { cell = 1, dimensions = 4 })
    refused("unknown option 'radios' (did you mean 'radius'?)", { cell = 1, radios = 1 })
    refused("\"component.field\" expected, got 'r'", { cell = 1, radius = "r" })
    refused("unknown component of the query 'bodi' (did you mean 'body'?)", { cell = 1, radius = "bodi.r" })
    refused("unknown field 'rr' (did you mean 'r'?)", { cell = 1, radius = "body.rr" })
    refused("radius: body.v is not a field of one number", { cell = 1, radius = "body.v" })
    refused("radius: body.text is not a field of one number", { cell = 1, radius = "body.text" })
    refused("radius: body.on is not a field of one number", { cell = 1, radius = "body.on" })
    refused("radius: transform.world_matrix is not a field", { cell = 1, radius = "transform.world_matrix" })
    refused("mask: body.r is not a field of one integer", { cell = 1, mask = "body.r" })
    refused("mask: body.kind is not a field of one integer", { cell = 1, mask = "body.kind" })
  end)

  it("refuses a query without transforms, and a field of an excluded component", function()
    local s = fixture(1)
    local body = s.world:query "body"
    raises("the query must contain transform", body.space, body, { cell = 1 })
    local without = s.world:query("body", "!transform")
    raises("the query must contain transform", without.space, without, { cell = 1 })
    local query = s.world:query("transform", "!body")
    raises("unknown component of the query 'body'", query.space, query, { cell = 1, radius = "body.r" })
  end)

  it("accepts an optional transform, and finds no entity without one", function()
    local s = fixture(2)
    local space = s.world:query("body", "?transform"):space { cell = 4, radius = 1 }
    s.transform:destroy(s.list[1])
    assert.equal(2, space:update())
    assert.same({ s.list[2] }, space:within(0, 0, HUGE):totable())
    s.transform:create(s.list[1], { position = { 1, 0, 0 } })
    space:update()
    assert.same(s.list, space:within(0, 0, HUGE):totable())
    s.transform:destroy(s.list[2])
    space:update()
    assert.same({ s.list[1] }, space:within(0, 0, HUGE):totable())
  end)

  it("is a Space with its number of entries", function()
    assert.equal("Space (5 entities)", tostring(fixture(5).space))
  end)
end)

describe("questions to a space", function()
  it("refuse wrong arguments by number", function()
    local s = fixture(2)
    local space = s.space
    raises("bad argument #2 to '?' (finite number expected, got", space.within, space, NAN, 0, 1)
    raises("bad argument #3 to '?' (finite number expected, got inf", space.within, space, 0, HUGE, 1)
    raises("bad argument #4 to '?' (number expected, got no value)", space.within, space, 0, 0)
    raises("bad argument #4 to '?' (number from 0 on expected, got -1", space.within, space, 0, 0, -1)
    raises("bad argument #4 to '?' (number from 0 on expected, got", space.within, space, 0, 0, NAN)
    raises("bad argument #5 to '?' (cuttle.list expected, got table)", space.within, space, 0, 0, 1, {})
    raises("bad argument #6 to '?' (integer", space.within, space, 0, 0, 1, nil, 0.5)
    raises("bad argument #5 to '?' (finite number expected, got", space.box, space, 0, 0, 1, NAN)
    raises("bad argument #4 to '?' (number from 0 on expected, got -2", space.nearest, space, 0, 0, -2)
    raises("bad argument #5 to '?' (entity expected, got number", space.nearest, space, 0, 0, nil, 4)
    raises("bad argument #2 to '?' (integer", space.nearest_many, space, -1, 0, 0)
    raises("bad argument #6 to '?' (number from 0 on expected", space.ray, space, 0, 0, 1, 1, -1)
    raises("bad argument #4 to '?' (finite number expected, got inf", space.ray, space, 0, 0, HUGE, 1)
    raises("bad argument #2 to '?' (number from 0 on expected", space.pairs, space, -1)
    raises("bad argument #4 to '?' (Space expected, got table)", space.pairs, space, 0, nil, {})
    raises("bad argument #4 to '?' (another space of the same world expected)", space.pairs, space, 0, nil, space)
    raises("another space of the same world expected", space.pairs, space, 0, nil, fixture(1).space)
    raises("Space expected, got table (a method is called with ':')", space.update, {})
    raises("the space has no mask", s.query:space { cell = 1 }.within, s.query:space { cell = 1 }, 0, 0, 1, nil, 1)
  end)

  it("return entities in the order of the query, in the given list", function()
    local s = fixture(5)
    local out = cuttle.list { s.list[1] }
    local found = s.space:within(30, 0, 18.9, out)
    assert.equal(out, found)
    assert.same({ 2, 3, 4 }, places(s, found))
    assert.same({ 1, 2, 3, 4, 5 }, places(s, s.space:within(30, 0, 19, out)), "circles that touch in one point")
    assert.same({ 1, 2 }, places(s, s.space:box(0, -5, 20, 5, out)))
    assert.same({ 1, 2 }, places(s, s.space:box(20, 5, 0, -5)), "corners in any order")
    assert.same({ 4, 5 }, places(s, s.space:box(35, -HUGE, HUGE, HUGE)), "an infinite box")
  end)

  it("admit entities by mask, of either sign", function()
    local s = fixture(5)
    assert.same({ 1, 3 }, places(s, s.space:within(0, 0, HUGE, nil, 5)))
    assert.same({ 1, 2, 3, 4, 5 }, places(s, s.space:within(0, 0, HUGE, nil, -1)))
    assert.same({}, places(s, s.space:within(0, 0, HUGE, nil, 0)))
    assert.equal(s.list[4], (s.space:nearest(0, 0, nil, nil, 8)))
    assert.equal(s.list[3], (s.space:ray(0, 0, 100, 0, 0, s.list[1], 5)))
    s.body:set_layer(s.list[1], 2)
    s.space:update()
    assert.same({ 3 }, places(s, s.space:within(0, 0, HUGE, nil, 5)))
  end)

  it("find the nearest centre and its distance", function()
    local s = fixture(5)
    local e, distance = s.space:nearest(22, 0)
    assert.equal(s.list[2], e)
    assert.equal(2, distance)
    assert.equal(s.list[1], (s.space:nearest(15, 0)), "the earlier one of two")
    assert.equal(s.list[2], (s.space:nearest(15, 0, 5, s.list[1])))
    assert.is_nil(s.space:nearest(15, 0, 4.9))
    local list, distances = s.space:nearest_many(3, 38, 0)
    assert.same({ 4, 3, 5 }, places(s, list))
    assert.same({ 2, 8, 12 }, distances)
    assert.same({}, places(s, (s.space:nearest_many(0, 0, 0))))
    assert.same({ 5 }, places(s, (s.space:nearest_many(4e9, 50, 0, 3))))
  end)

  it("find what a ray touches first, with fraction, point and normal", function()
    local s = fixture(5)
    local e, fraction, x, y, nx, ny = s.space:ray(15, 0, 115, 0)
    assert.equal(s.list[2], e)
    assert.near(0.04, fraction, 1e-12)
    assert.near(19, x, 1e-9)
    assert.equal(0, y)
    assert.near(-1, nx, 1e-12)
    assert.equal(0, ny)
    assert.is_nil(s.space:ray(15, 1.5, 115, 1.5))
    assert.equal(s.list[2], (s.space:ray(15, 1.5, 115, 1.5, 0.5)))
    e, fraction, x, y, nx, ny = s.space:ray(10.5, 0, 30, 0)
    assert.same({ s.list[1], 0, 10.5, 0, 1, 0 }, { e, fraction, x, y, nx, ny }, "starts inside")
    assert.same({ s.list[1], 0, 10, 0, 0, 0 }, { s.space:ray(10, 0, 30, 0) }, "starts at the centre")
    assert.equal(s.list[1], (s.space:ray(0, 0, 1e30, 0)))
    assert.is_nil(s.space:ray(0, 5, 1e30, 5))
    assert.equal(s.list[3], (s.space:ray(30, 0, 30, 0)), "a segment without a length")
  end)

  it("find pairs, the earlier entity first, and pairs with another space", function()
    local s = fixture(4)
    assert.equal(0, (select(2, s.space:pairs())))
    local list, count = s.space:pairs(8)
    assert.equal(3, count)
    assert.same({ 1, 2, 2, 3, 3, 4 }, places(s, list))
    local spots = s.world:query("transform"):space { cell = 5 }
    spots:update()
    list, count = s.space:pairs(9, nil, spots)
    assert.same({ 1, 2, 2, 1, 2, 3, 3, 2, 3, 4, 4, 3 }, places(s, list))
    assert.equal(6, count)
  end)

  it("use z with three dimensions, and ignore it with two", function()
    local s = fixture(3, { cell = 10, radius = "body.r", dimensions = 3 })
    assert.same({ 1 }, places(s, s.space:within(10, 0, 5, 0.5)))
    assert.same({}, places(s, s.space:within(10, 0, 0, 0.5)))
    assert.same({ 2 }, places(s, s.space:box(15, -1, 5, 25, 1, 15)))
    local e, distance = s.space:nearest(20, 0, 0)
    assert.equal(s.list[2], e)
    assert.equal(10, distance)
    local results = { s.space:ray(20, 0, 0, 20, 0, 100) }
    assert.equal(8, #results)
    assert.equal(s.list[2], results[1])
    assert.same({ 20, 0, 9, 0, 0, -1 }, { unpack(results, 3) })
    local flat = s.query:space { cell = 10, radius = 1 }
    flat:update()
    assert.same({ 2 }, places(s, flat:within(20, 0, 0)))
  end)

  it("count a negative radius as 0, and touch nothing with a NaN as radius", function()
    local s = fixture(3)
    s.body:set_r(s.list[1], -5)
    s.body:set_r(s.list[2], NAN)
    s.body:set_r(s.list[3], HUGE)
    s.space:update()
    assert.same({ 3 }, places(s, s.space:within(10.5, 0, 0)))
    assert.same({ 1, 3 }, places(s, s.space:within(10, 0, 0)))
    assert.same({ 3 }, places(s, s.space:within(20, 0, 5)))
    assert.same({ 1, 3 }, places(s, (s.space:pairs())))
    assert.equal(s.list[2], (s.space:nearest(21, 0)))
    assert.equal(s.list[3], (s.space:ray(-1e6, 7, -2e6, 8)))
  end)

  it("never return positions that are not finite", function()
    local s = fixture(4)
    s.transform:set_local_position(s.list[1], NAN, 0, 0)
    s.transform:set_local_position(s.list[2], 0, HUGE, 0)
    s.transform:set_local_position(s.list[3], 0, 0, HUGE)
    assert.equal(4, s.space:update())
    assert.same({ 3, 4 }, places(s, s.space:within(0, 0, HUGE)))
    assert.same({ 3, 4 }, places(s, (s.space:nearest_many(9, 0, 0))))
    assert.same({ 3, 4 }, places(s, s.space:box(-HUGE, -HUGE, HUGE, HUGE)))
    assert.same({ 3, 4 }, places(s, (s.space:pairs(HUGE))))
    s.transform:set_local_position(s.list[1], 1, 0, 0)
    s.space:update()
    assert.same({ 1, 3, 4 }, places(s, s.space:within(0, 0, HUGE)))
  end)

  it("are right where floats have no fraction, and with tiny and huge cells", function()
    for _, cell in ipairs { 1e-30, 1e-3, 1, 1e30 } do
      local s = fixture(5)
      for i, e in ipairs(s.list) do s.transform:set_local_position(e, 10 ^ (6 * i), 3e38 * (i % 2), 0) end
      local space = s.query:space { cell = cell, radius = 1 }
      space:update()
      assert.same({ 2, 4 }, places(s, space:within(0, 0, 1e25)))
      assert.same({ 1, 2, 3, 4, 5 }, places(s, space:within(0, 0, 1e39)))
      assert.equal(s.list[4], (space:nearest(2e24, 1)))
      assert.equal(s.list[2], (space:ray(0, 0, 1e30, 0)))
      assert.same({ 1, 3, 2, 4 }, places(s, (space:pairs(1e25))))
    end
  end)

  it("allocate nothing in Lua if a list is given", function()
    if slow then return end
    local s = fixture(5)
    local out = cuttle.list()
    local function ask()
      for i = 1, 100 do
        s.transform:set_local_position(s.list[1], i, 0, 0)
        s.space:update()
        s.space:within(10, 0, 15, out)
        s.space:box(0, 0, 30, 0, out)
        s.space:pairs(5, out)
        s.space:nearest(20, 0)
        s.space:ray(0, 0, 100, 0)
      end
    end
    if rawget(_G, "jit") then jit.off(ask, true) end -- compiling a trace allocates
    ask()
    collectgarbage()
    collectgarbage "stop"
    local before = collectgarbage "count"
    ask()
    local after = collectgarbage "count"
    collectgarbage "restart"
    assert.is_true(after - before < 2, "garbage: " .. (after - before))
  end)
end)

describe("space:update", function()
  it("sees what moved, was added and removed, and changed fields", function()
    local s = fixture(3)
    s.transform:set_local_position(s.list[1], 100, 0, 0)
    assert.same({ 1 }, places(s, s.space:within(10, 0, 0)), "answers are as of the last update")
    assert.equal(3, s.space:update())
    assert.same({}, places(s, s.space:within(10, 0, 0)))
    assert.same({ 1 }, places(s, s.space:within(100, 0, 0)))
    s.body:set_r(s.list[2], 70)
    s.space:update()
    assert.same({ 1, 2 }, places(s, s.space:within(90, 0, 9)))
    s.list[4] = s.world:create { transform = { position = { 90, 0, 0 } } }
    assert.equal(4, s.space:update())
    assert.same({ 2, 4 }, places(s, s.space:within(90, 0, 0)))
    s.transform:destroy(s.list[2])
    assert.same({ 2, 4 }, places(s, s.space:within(90, 0, 0)), "an entity that lost its component")
    assert.equal(3, s.space:update())
    assert.same({ 4 }, places(s, s.space:within(90, 0, 0)))
    assert.equal(3, s.space:count())
  end)

  it("sees children of moved parents", function()
    local s = fixture(3)
    s.transform:link(s.list[2], s.list[1])
    s.space:update()
    s.transform:set_local_position(s.list[1], 1000, 0, 0)
    s.space:update()
    assert.same({ 2 }, places(s, s.space:within(1020, 0, 0)))
  end)

  it("takes entities that died out of answers at once", function()
    local s = fixture(4)
    s.entities:destroy(s.list[2])
    assert.same({ 1, 3, 4 }, places(s, s.space:within(0, 0, HUGE)))
    assert.same({ 3, 4 }, places(s, (s.space:pairs(8))))
    assert.equal(s.list[1], (s.space:nearest(15.1, 0)))
    assert.equal(s.list[3], (s.space:ray(12, 0, 100, 0)))
    assert.equal(4, s.space:count())
    local again = s.world:create { transform = { position = { 20, 0, 0 } } }
    assert.same({}, s.space:within(20, 0, 0):totable(), "the index of the dead entity is used again")
    s.space:update()
    assert.same({ again }, s.space:within(20, 0, 0):totable())
  end)

  it("excludes an entity in its own destroy callbacks", function()
    local s, seen = fixture(2), nil
    s.entities:on_destroy(function() seen = places(s, s.space:within(0, 0, HUGE)) end)
    s.entities:destroy(s.list[1])
    assert.same({ 2 }, seen)
  end)

  it("reads the poses that getters return, in deferred mode and in batches", function()
    local s = fixture(2)
    s.transform:set_mode "deferred"
    s.transform:set_local_position(s.list[1], 500, 0, 0)
    s.space:update()
    assert.same({ 1 }, places(s, s.space:within(10, 0, 0)))
    s.transform:propagate()
    s.space:update()
    assert.same({ 1 }, places(s, s.space:within(500, 0, 0)))
    s.transform:set_mode "immediate"
    s.transform:link(s.list[2], s.list[1])
    s.transform:batch(function()
      s.transform:set_local_position(s.list[1], 0, 300, 0)
      s.space:update()
      local x, y = s.transform:world_position(s.list[2])
      assert.same({ 2 }, places(s, s.space:within(x, y, 0)))
      assert.same({ 1 }, places(s, s.space:within(0, 300, 0)))
    end)
    s.space:update()
    assert.same({ 1 }, places(s, s.space:within(0, 300, 0)))
  end)

  it("takes each entity of a multiple component once", function()
    local s = fixture(2)
    local part = s.world:define("part", { { "r", "float", 2 } }, { multiple = true })
    for _ = 1, 3 do part:create_many { s.list[2], s.list[1] } end
    local space = s.world:query("part", "transform"):space { cell = 4, radius = "part.r" }
    assert.equal(2, space:update())
    assert.same({ 2, 1 }, places(s, space:within(0, 0, HUGE)))
    s.transform:set_local_position(s.list[1], 50, 0, 0)
    space:update()
    assert.same({ 1 }, places(s, space:within(53, 0, 1)))
  end)

  it("is needed after a restore, and allowed in on_restore", function()
    local s = fixture(3)
    local snapshot = s.entities:snapshot()
    s.transform:set_local_position(s.list[1], 70, 0, 0)
    s.space:update()
    s.entities:restore(snapshot)
    assert.equal(0, s.space:count())
    assert.same({}, places(s, s.space:within(0, 0, HUGE)))
    assert.is_nil(s.space:nearest(0, 0))
    assert.is_nil(s.space:ray(0, 0, 100, 0))
    assert.equal(0, (select(2, s.space:pairs(100))))
    s.entities:on_restore(function() s.space:update() end)
    s.entities:restore(snapshot)
    assert.same({ 1 }, places(s, s.space:within(10, 0, 0)))
    assert.same({ 1, 2, 3 }, places(s, s.space:within(0, 0, HUGE)))
  end)

  it("changes neither hash nor snapshots, and validates", function()
    local s = fixture(3)
    local hash, save = s.entities:hash(), s.entities:snapshot():tostring()
    s.space:update()
    s.space:pairs(50)
    assert.equal(hash, s.entities:hash())
    assert.equal(save, s.entities:snapshot():tostring())
    assert.is_true(s.world:validate())
  end)

  it("works in loops over the query", function()
    local s = fixture(3)
    local count = 0
    for e in s.query:each() do
      s.transform:set_local_position(e, 0, 0, 0)
      s.space:update()
      count = count + s.space:within(0, 0, 0):count()
    end
    assert.equal(6, count)
  end)

  it("is right after many small changes, and with several spaces", function()
    local s = fixture(40)
    local other = s.query:space { cell = 3 }
    for i = 1, 200 do
      s.transform:set_local_position(s.list[i * 7 % 40 + 1], i % 90, i % 7, 0)
      s.space:update()
      if i % 5 == 0 then other:update() end
    end
    other:update()
    local all = s.query:space { cell = 11, radius = "body.r" }
    all:update()
    for x = 0, 90, 9 do
      assert.same(places(s, all:within(x, 3, 4)), places(s, s.space:within(x, 3, 4)))
      assert.same(places(s, all:within(x, 3, 3)), places(s, other:within(x, 3, 4)))
    end
  end)
end)

describe("crowds in one cell", function()
  local COUNT = slow and 2000 or 20000

  local function crowd(width)
    local s = { entities = cuttle.entity_manager() }
    s.world = cuttle.world(s.entities)
    local list, positions = s.entities:create_list(COUNT), {}
    for i = 0, COUNT - 1 do
      positions[3 * i + 1], positions[3 * i + 2], positions[3 * i + 3] = i * width, 0, 0
    end
    s.world.transform:create_many(list)
    s.world.transform:write_many(list, "local_position", positions)
    s.space = s.world:query("transform"):space { cell = 1e6 }
    s.space:update()
    return s
  end

  it("are found in bounded time", function()
    local s = crowd(1)
    assert.equal(3, s.space:within(1000, 0, 1):count())
    assert.equal(COUNT, s.space:within(0, 0, 1e9):count())
    assert.equal(COUNT - 1, (select(2, s.space:pairs(1))))
    assert.equal(COUNT, s.space:update())
  end)

  it("raise if too many of them are pairs", function()
    if slow then return end
    local s = crowd(0)
    raises("pairs is full (33554432 pairs)", s.space.pairs, s.space, 3)
    assert.equal(COUNT, s.space:within(0, 0, 2):count())
  end)
end)

describe("a space", function()
  it("keeps its query and world alive", function()
    local s = fixture(2)
    local space, e = s.space, s.list[1]
    s = nil -- luacheck: ignore 311
    collectgarbage()
    collectgarbage()
    assert.equal(2, space:update())
    assert.equal(e, (space:nearest(9, 0)))
  end)

  it("raises when its world was destroyed or a component was defined again", function()
    local s = fixture(2)
    s.world:destroy()
    raises("world is destroyed", s.space.update, s.space)
    raises("world is destroyed", s.space.within, s.space, 0, 0, 1)
    raises("world is destroyed", s.space.memory, s.space)
    s = fixture(2)
    s.world:clear()
    s.space:update()
    s.world:define("body", { { "r", "double" } })
    raises("body was defined again", s.space.update, s.space)
    raises("body was defined again", s.space.nearest, s.space, 0, 0)
  end)

  it("raises in callbacks of a restore", function()
    local s, message = fixture(2), nil
    s.world.actor:on_destroy(function() message = select(2, pcall(s.space.count, s.space)) end)
    local snapshot = s.entities:snapshot()
    s.world.actor:create(s.list[1], { body = {} })
    s.entities:restore(snapshot)
    assert.truthy(message:find("the EntityManager is being restored", 1, true))
  end)

  it("raises if its environment was replaced", function()
    if not debug.setfenv then return end
    local s = fixture(2)
    debug.setfenv(s.space, {})
    raises("the environment of an object was replaced", s.space.update, s.space)
    assert.equal(2, s.space:count())
  end)

  it("is counted by world:memory, and frees what its entries do not need in world:trim", function()
    local s = fixture(200)
    local before = s.world:memory()
    local space = s.query:space { cell = 4 }
    space:update()
    assert.is_true(space:memory() > 200 * 20)
    space:pairs(500)
    assert.is_true(s.world:memory() - before >= space:memory())
    for i = 50, 200 do s.entities:destroy(s.list[i]) end
    space:update()
    local most, found = space:memory(), space:within(0, 0, HUGE):totable()
    s.world:trim()
    assert.is_true(space:memory() < most / 2)
    assert.same(found, space:within(0, 0, HUGE):totable())
    s.world:clear { entities = true }
    space:update()
    s.world:trim()
    assert.equal(0, space:memory())
    assert.equal(0, space:count())
  end)

  it("stays as it is if memory runs out", function()
    local testing = core.testing
    if not testing then return end
    local calls = {
      function(s) s.space:update() end,
      function(s) s.space:within(0, 0, HUGE) end,
      function(s) s.space:box(-HUGE, 0, HUGE, 0) end,
      function(s) s.space:nearest_many(9, 0, 0) end,
      function(s) s.space:pairs(100) end,
      function(s) s.space:pairs(1e6, nil, s.other) end,
    }
    for number, call in ipairs(calls) do
      for allocations = 0, 50 do
        local s = fixture(60)
        s.other = s.query:space { cell = 1 }
        s.other:update()
        for _ = 1, 30 do s.world:create { transform = {} } end
        testing.fail_in(allocations)
        local done, message = pcall(call, s)
        testing.fail_in(-1)
        if done then break end
        assert.truthy(tostring(message):find("not enough memory", 1, true), tostring(message))
        assert.is_true(allocations < 50)
        assert.equal(60, s.space:count())
        assert.same({ 1 }, places(s, s.space:within(10, 0, 0)))
        assert.equal(90, s.space:update(), "call " .. number)
        assert.equal(30, s.space:within(0, 0, 0):count())
      end
    end
  end)
end)

describe("transform:watch", function()
  local function watched(count)
    local s = fixture(count or 3)
    s.watch = s.transform:watch()
    return s
  end

  it("lists the entities that moved or were added since the last call", function()
    local s = watched()
    local list, all = s.watch:list()
    assert.equal(0, list:count())
    assert.is_false(all)
    s.transform:set_local_position(s.list[2], 1, 2, 3)
    s.transform:set_local_position(s.list[2], 4, 5, 6)
    local out = cuttle.list { s.list[1] }
    list, all = s.watch:list(out)
    assert.equal(out, list)
    assert.same({ s.list[2] }, list:totable())
    assert.is_false(all)
    assert.equal(0, s.watch:list():count())
    local made = s.world:create { transform = {} }
    s.world:create { body = {} }
    assert.same({ made }, s.watch:list():totable())
  end)

  it("lists children of moved parents, and neither dead entities nor those without a transform", function()
    local s = watched(4)
    s.transform:link(s.list[2], s.list[1])
    s.watch:list()
    s.transform:set_local_position(s.list[1], 1, 0, 0)
    s.transform:set_local_position(s.list[3], 1, 0, 0)
    s.transform:set_local_position(s.list[4], 1, 0, 0)
    s.entities:destroy(s.list[3])
    s.transform:destroy(s.list[4])
    local set = {}
    for _, e in ipairs(s.watch:list():totable()) do set[e] = true end
    assert.same({ [s.list[1]] = true, [s.list[2]] = true }, set)
  end)

  it("lists changes when their poses are computed", function()
    local s = watched()
    s.transform:set_mode "deferred"
    s.watch:list()
    s.transform:set_local_position(s.list[1], 1, 0, 0)
    assert.equal(0, s.watch:list():count())
    s.transform:propagate()
    assert.same({ s.list[1] }, s.watch:list():totable())
  end)

  it("says that everything may have changed after a restore, and lists all", function()
    local s = watched()
    local snapshot = s.entities:snapshot()
    s.entities:destroy(s.list[2])
    s.entities:restore(snapshot)
    local list, all = s.watch:list()
    assert.is_true(all)
    assert.same({ 1, 2, 3 }, places(s, list))
    list, all = s.watch:list()
    assert.is_false(all)
    assert.equal(0, list:count())
  end)

  it("counts separately for each watch", function()
    local s = watched()
    local other = s.transform:watch()
    s.transform:set_local_position(s.list[1], 1, 0, 0)
    assert.equal(1, s.watch:list():count())
    assert.equal(1, other:list():count())
    assert.equal(0, other:list():count())
  end)

  it("keeps its world, and raises when it was destroyed", function()
    local watch = watched().watch
    collectgarbage()
    collectgarbage()
    assert.equal(0, watch:list():count())
    local s = watched()
    raises("cuttle.list expected, got table", s.watch.list, s.watch, {})
    raises("Watch expected, got table", s.watch.list, {})
    s.world:destroy()
    raises("world is destroyed", s.watch.list, s.watch)
  end)
end)

describe("a space of a query with conditions", function()
  it("has the entities for which they were true at the update", function()
    local s = fixture(5)
    local query = s.query:where("body.r < limit", { limit = 2 })
    s.space = query:space { cell = 10, radius = "body.r" }
    s.body:set_r(s.list[2], 3)
    assert.equal(4, s.space:update())
    assert.same({ 1, 3, 4, 5 }, places(s, s.space:within(0, 0, HUGE)))
    s.body:set_r(s.list[3], 4)
    s.transform:set_local_position(s.list[4], 0, 0, 0)
    assert.equal(3, s.space:update())
    assert.same({ 1, 4, 5 }, places(s, s.space:within(0, 0, HUGE)))
    assert.same({ 4 }, places(s, s.space:within(0, 0, 1)))
    query:set("limit", 10)
    assert.equal(5, s.space:update())
    assert.same({ 2, 3 }, places(s, s.space:within(25, 0, 2)))
  end)

  it("sees others of the same number", function()
    local s = fixture(2)
    s.body:set_r(s.list[2], 2)
    s.space = s.query:where("body.r < 2"):space { cell = 10 }
    s.space:update()
    s.body:set_r(s.list[1], 2)
    s.body:set_r(s.list[2], 1)
    assert.equal(1, s.space:update())
    assert.equal(s.list[2], (s.space:nearest(0, 0)))
  end)

  it("sees rows that moved", function()
    local s = fixture(3)
    s.space = s.query:where("body.r < 2"):space { cell = 10 }
    s.space:update()
    s.entities:destroy(s.list[1])
    s.space:update()
    s.world:gc "all"
    s.space:update()
    s.transform:set_local_position(s.list[2], 26, 0)
    s.space:update()
    assert.equal(s.list[2], (s.space:nearest(26, 0)))
    assert.equal(s.list[3], (s.space:nearest(30, 0)))
  end)
end)
