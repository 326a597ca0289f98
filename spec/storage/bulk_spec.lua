-- One field of several entities in one call: write_many, read_many, world:copy, world:add_scaled, whole columns.

-- tags: ffi machine

local core = require "cuttle.core"
local cuttle = require "cuttle"
local kinds = require "spec.support.kinds"
local near = require "spec.support.near"
local new_random = require "spec.support.random"
local raises = require "spec.support.raises"
local rounds = require "spec.support.rounds"
local seed = require "spec.support.seed"
local valid = require "spec.support.valid"

local fail_in = core.testing and core.testing.fail_in

local R = math.sqrt(0.5)

local SCHEMA = {
  { "hp", "float", 100 }, { "wide", "double", 2 }, { "small", "uint8", 3 }, { "alive", "bool" },
  { "text", "string", "a" },
  { "target", "entity" }, { "pos", "vec3", { 1, 2, 3 } }, { "vel", "vec3", { 1, 1, 1 } }, { "turn", "quat" },
}

local function fixture(count)
  local entities = cuttle.entity_manager()
  local world = cuttle.world(entities)
  local thing = world:define("thing", SCHEMA)
  local list = entities:create(count or 5)
  thing:create_many(list)
  world.transform:create_many(list)
  return thing, list, world, entities
end

describe("destroy_many", function()
  it("removes all components of the listed entities and returns their number", function()
    local thing, list, world = fixture()
    assert.equal(2, thing:destroy_many { list[2], list[4] })
    assert.equal(1, thing:destroy_many(cuttle.list { list[5] }))
    assert.same({ true, false, true, false, false }, { thing:has(list[1]), thing:has(list[2]), thing:has(list[3]),
      thing:has(list[4]), thing:has(list[5]) })
    assert.equal(0, thing:destroy_many {})
    local part = world:define("part", {}, { multiple = true })
    for _ = 1, 3 do part:create(list[1]) end
    part:create(list[2])
    assert.equal(4, part:destroy_many { list[2], list[1] })
    valid(world)
  end)

  it("skips dead entities, entities without a component, and repetitions", function()
    local thing, list, world, entities = fixture()
    local bare = entities:create()
    entities:destroy(list[2])
    assert.equal(1, thing:destroy_many { list[2], bare, list[1], list[1] })
    assert.equal(3, thing:count() - 1) -- the row of the dead entity waits for gc
    valid(world)
  end)

  it("checks the whole list before it removes anything", function()
    local thing, list = fixture(2)
    raises("[2]: entity expected, got number", thing.destroy_many, thing, { list[1], 5 })
    raises("list of entities expected, got number", thing.destroy_many, thing, 5)
    assert.equal(2, thing:count())
  end)

  it("runs on_remove for each component, and raises the first error at the end", function()
    local thing, list, world = fixture(4)
    local removed = {}
    thing:on_remove(function(e)
      removed[#removed + 1] = e
      if #removed < 3 then error("hook " .. #removed, 0) end
    end)
    raises("hook 1", thing.destroy_many, thing, { list[3], list[1], list[2] })
    assert.same({ list[3], list[1], list[2] }, removed)
    assert.equal(1, thing:count())
    valid(world)
  end)

  it("continues if a hook destroys the next entity, or the world", function()
    local thing, list, world, entities = fixture(4)
    local token = thing:on_remove(function(e) if e == list[1] then entities:destroy(list[2]) end end)
    assert.equal(2, thing:destroy_many { list[1], list[2], list[3] })
    thing:off_remove(token)
    valid(world)
    thing:on_remove(function() pcall(world.destroy, world) end)
    thing:destroy_many(list)
  end)
end)

describe("write_many", function()
  it("takes values in the forms of create_many, and returns the number of entities", function()
    local thing, list, world = fixture()
    assert.equal(5, thing:write_many(list, "hp", 7))
    assert.same({ 7, 7, 7, 7, 7 }, thing:read_many(list, "hp"))
    assert.equal(5, thing:write_many(cuttle.list(list), "hp", { 1, 2, 3, 4, 5 }))
    assert.same({ 1, 2, 3, 4, 5 }, thing:read_many(list, "hp"))
    thing:write_many({ list[2], list[4] }, "pos", { 1, 2, 3, 4, 5, 6 })
    assert.same({ 1, 2, 3, 4, 5, 6 }, thing:read_many({ list[2], list[4] }, "pos"))
    thing:write_many({ list[2], list[4] }, "pos", { { 7, 8, 9 }, { 10, 11, 12 } })
    assert.same({ 10, 11, 12 }, { thing:pos(list[4]) })
    thing:write_many({ list[2], list[4] }, "pos", { 0, 0, 0 })
    assert.same({ 0, 0, 0, 0, 0, 0 }, thing:read_many({ list[2], list[4] }, "pos"))
    thing:write_many(list, "text", { "v", "w", "x", "y", "z" })
    assert.same({ "v", "w", "x", "y", "z" }, thing:read_many(list, "text"))
    thing:write_many(list, "alive", true)
    assert.same({ true, true, true, true, true }, thing:read_many(list, "alive"))
    valid(world)
  end)

  it("takes false for no entity, and accepts dead entities", function()
    local thing, list, _, entities = fixture(3)
    local other = entities:create()
    entities:destroy(other)
    thing:write_many(list, "target", { list[3], false, other })
    assert.same({ list[3], false, other }, thing:read_many(list, "target"))
    thing:write_many(list, "target", false)
    assert.is_nil(thing:target(list[1]))
    raises("hp[2]: expected a number, got boolean", thing.write_many, thing, list, "hp", { 1, false, 3 })
  end)

  it("writes an entity twice that occurs twice, in order, and counts it twice", function()
    local thing, list = fixture(2)
    assert.equal(3, thing:write_many({ list[1], list[2], list[1] }, "hp", { 1, 2, 3 }))
    assert.same({ 3, 2 }, thing:read_many(list, "hp"))
  end)

  it("changes nothing if an argument is wrong, and names it", function()
    local thing, list, world, entities = fixture()
    local bare = entities:create()
    entities:destroy(list[2])
    raises("([2]: entity(1:0) is dead)", thing.write_many, thing, list, "hp", 1)
    raises("[2]: entity(5:0) has no thing", thing.write_many, thing, { list[1], bare }, "hp", 1)
    local living = { list[1], list[3], list[4], list[5] }
    raises("hp[3]: expected a number, got string", thing.write_many, thing, living, "hp", { 1, 2, "x", 4 })
    raises("hp: expected 4 values, got 3", thing.write_many, thing, living, "hp", { 1, 2, 3 })
    raises("pos: expected 3 numbers for all or 12 for each, got 4", thing.write_many, thing, living, "pos",
      { 1, 2, 3, 4 })
    raises("small[2]: expected an integer in [0, 255], got 256", thing.write_many, thing, living, "small",
      { 1, 256, 3, 4 })
    raises("unknown field 'hpp' (did you mean 'hp'?)", thing.write_many, thing, living, "hpp", 1)
    raises("expected a number, got nil", thing.write_many, thing, living, "hp")
    raises("list of entities expected, got nil", thing.write_many, thing, nil, "hp", 1)
    assert.same({ 100, 100, 100, 100 }, thing:read_many(living, "hp"))
    assert.same({ 3, 3, 3, 3 }, thing:read_many(living, "small"))
    assert.equal(0, thing:write_many({}, "hp", 1))
    valid(world)
  end)

  it("checks all values before it writes the first, in managers that restrict values", function()
    local _, list, world = fixture(2)
    world.mesh:define_resource("box", {})
    world.mesh:create_many(list, { resource = "box" })
    raises("[2]: ", world.mesh.write_many, world.mesh, list, "resource", { "box", "bix" })
    raises("did you mean 'box'", world.mesh.write_many, world.mesh, list, "resource", "bix")
    assert.same({ "box", "box" }, world.mesh:read_many(list, "resource"))
    world.mesh:write_many(list, "color", { 1, 0, 0, 1 })
    assert.same({ 1, 0, 0, 1, 1, 0, 0, 1 }, world.mesh:read_many(list, "color"))
    valid(world)
  end)

  it("acts like a setter for each transform, in every mode", function()
    local _, list, world, entities = fixture(4)
    local tf = world.transform
    tf:link(list[2], list[1])
    tf:write_many(list, "local_position", { 1, 0, 0 })
    near({ 2, 0, 0 }, { tf:world_position(list[2]) })
    tf:write_many(list, "local_rotation", { 0, 0, 1, 1 })
    near({ 0, 0, R, R }, { tf:local_rotation(list[3]) })
    tf:write_many({ list[3] }, "local_matrix", { { 2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1 } })
    near({ 5, 6, 7 }, { tf:world_position(list[3]) })
    raises("numbers 4, 8, 12 and 16", tf.write_many, tf, list, "local_matrix",
      { 1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 })
    raises("world_matrix cannot be written in one call", tf.write_many, tf, list, "world_matrix",
      { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 })
    tf:set_mode "deferred"
    tf:write_many(list, "local_position", { 3, 0, 0 })
    near({ 5, 6, 7 }, { tf:world_position(list[3]) })
    assert.equal(4, tf:dirty_count())
    tf:propagate()
    near({ 3, 0, 0 }, { tf:world_position(list[3]) })
    entities:destroy(list)
    valid(world)
  end)

  it("is refused in a destroy callback of one of its entities", function()
    local thing, list, _, entities = fixture(2)
    local message
    entities:on_destroy(function() message = select(2, pcall(thing.write_many, thing, list, "hp", 1)) end)
    entities:destroy(list[1])
    assert.matches("%[1%]: entity%(0:0%) is being destroyed", message)
  end)
end)

describe("read_many", function()
  it("returns false for a missing component, once for each number", function()
    local thing, list, world, entities = fixture(3)
    entities:destroy(list[2])
    assert.same({ 1, 2, 3, false, false, false, 1, 2, 3 }, thing:read_many(list, "pos"))
    assert.same({ "a", false, "a" }, thing:read_many(cuttle.list(list), "text"))
    assert.same({ false, false, false }, thing:read_many(list, "target"))
    assert.same({}, thing:read_many({}, "hp"))
    valid(world)
  end)

  it("fills a table from index 1, and keeps the rest", function()
    local thing, list = fixture(2)
    local out = { 9, 9, 9, 9 }
    assert.equal(out, thing:read_many(list, "hp", out))
    assert.same({ 100, 100, 9, 9 }, out)
    raises("table expected, got number", thing.read_many, thing, list, "hp", 5)
  end)

  it("returns the same values as getters", function()
    local _, list, world = fixture(2)
    local tf = world.transform
    tf:link(list[2], list[1])
    tf:batch(function()
      tf:set_local_position(list[1], 5, 0, 0)
      assert.same({ tf:world_matrix(list[2]) }, tf:read_many({ list[2] }, "world_matrix"))
    end)
    assert.same({ tf:local_matrix(list[1]) }, tf:read_many({ list[1] }, "local_matrix"))
  end)
end)

describe("world:copy and world:add_scaled", function()
  it("change every living entity that has both components, and no others", function()
    local thing, list, world, entities = fixture(6)
    local other = world:define("other", { { "pos", "vec3", { 9, 9, 9 } } })
    for i = 6, 2, -1 do other:create(list[i]) end
    entities:destroy(list[4])
    assert.equal(4, world:copy("other", "pos", thing, "pos"))
    assert.same({ 1, 2, 3, 9, 9, 9, 9, 9, 9 }, thing:read_many({ list[1], list[2], list[6] }, "pos"))
    assert.equal(4, world:add_scaled(thing, "vel", other, "pos", 0.5))
    assert.same({ 9.5, 9.5, 9.5 }, { other:pos(list[3]) })
    valid(world)
  end)

  it("accept one manager and one field on both sides", function()
    local thing, list, world = fixture(3)
    assert.equal(3, world:copy("thing", "pos", "thing", "pos"))
    assert.equal(3, world:add_scaled("thing", "pos", "thing", "pos", 1))
    assert.same({ 2, 4, 6 }, { thing:pos(list[2]) })
    assert.equal(3, world:copy("thing", "vel", "thing", "pos"))
    assert.same({ 1, 1, 1 }, { thing:pos(list[2]) })
  end)

  it("convert between float and double, and calculate in doubles", function()
    local thing, list, world = fixture(2)
    thing:write_many(list, "wide", 1 / 3)
    assert.equal(2, world:copy("thing", "wide", "thing", "hp"))
    local rounded = thing:hp(list[1])
    near({ 1 / 3 }, { rounded })
    world:copy("thing", "hp", "thing", "wide")
    assert.equal(rounded, thing:wide(list[2]))
    world:add_scaled("thing", "wide", "thing", "wide", 0.1)
    assert.equal(rounded + 0.1 * rounded, thing:wide(list[2]))
    world:copy("thing", "small", "thing", "small")
  end)

  it("use the first of several components", function()
    local thing, list, world = fixture(2)
    local many = world:define("many", { { "hp", "float" } }, { multiple = true })
    many:create(list[1], { hp = 1 })
    many:create(list[2], { hp = 2 })
    local second = many:create(list[1], { hp = 3 })
    assert.equal(2, world:copy("many", "hp", "thing", "hp"))
    assert.same({ 1, 2 }, thing:read_many(list, "hp"))
    thing:write_many(list, "hp", 7)
    assert.equal(2, world:copy("thing", "hp", "many", "hp"))
    assert.same({ 7, 7, 3 }, { many:hp(list[1]), many:hp(list[2]), many:hp(second) })
  end)

  it("move transforms with their descendants, in every mode", function()
    local thing, list, world = fixture(3)
    local tf = world.transform
    tf:link(list[3], list[1])
    assert.equal(3, world:add_scaled("thing", "vel", "transform", "local_position", 2))
    near({ 4, 4, 4 }, { tf:world_position(list[3]) })
    tf:batch(function()
      world:copy(thing, "pos", tf, "local_position")
      near({ 2, 4, 6 }, { tf:world_position(list[3]) })
    end)
    tf:set_mode "deferred"
    world:copy(thing, "vel", tf, "local_scale")
    world:add_scaled(thing, "pos", tf, "local_position", 1)
    near({ 2, 4, 6 }, { tf:world_position(list[3]) })
    tf:propagate()
    near({ 4, 8, 12 }, { tf:world_position(list[3]) })
    assert.equal(3, world:copy("transform", "local_position", "thing", "pos"))
    near({ 2, 4, 6 }, { thing:pos(list[2]) })
    valid(world)
  end)

  it("refuse fields that do not match, and name them", function()
    local thing, _, world = fixture(1)
    raises("thing.pos is vec3, thing.hp is float", world.copy, world, "thing", "pos", "thing", "hp")
    raises("thing.small is uint8, thing.hp is float", world.copy, world, "thing", "small", "thing", "hp")
    raises("thing.small is uint8: only float and double can be scaled", world.add_scaled, world, "thing", "small",
      "thing", "small", 1)
    raises("thing.text is not a column of numbers", world.copy, world, "thing", "text", "thing", "hp")
    raises("thing.target is not a writable column of numbers", world.copy, world, "thing", "hp", "thing", "target")
    raises("transform.world_matrix is not a writable column of numbers", world.copy, world, "transform",
      "world_matrix", "transform", "world_matrix")
    raises("unknown component 'thang' (did you mean 'thing'?)", world.copy, world, "thang", "hp", "thing", "hp")
    raises("unknown field 'hpp' (did you mean 'hp'?)", world.copy, world, "thing", "hpp", "thing", "hp")
    raises("number expected, got no value", world.add_scaled, world, "thing", "hp", "thing", "hp")
    raises("number expected, got string", world.add_scaled, world, "thing", "hp", "thing", "hp", "2")
    assert.equal(1, world:copy(thing, "hp", thing, "hp"))
    local other = cuttle.world(cuttle.entity_manager())
    assert.is_false((pcall(world.copy, world, other.transform, "local_position", "transform", "local_position")))
    world:destroy()
    raises("world is destroyed", world.copy, world, "thing", "hp", "thing", "hp")
  end)

  it("give the same bits as a loop, also with NaN and infinities", function()
    local thing, list, world = fixture(70)
    thing:write_many({ list[3], list[68] }, "hp", { 0 / 0, math.huge })
    world:add_scaled("thing", "hp", "thing", "wide", -math.huge)
    world:copy("thing", "wide", "thing", "hp")
    local hp = thing:read_many(list, "hp")
    assert.is_true(hp[3] ~= hp[3])
    assert.equal(-math.huge, hp[68])
    assert.equal(-math.huge, hp[1])
    valid(world)
  end)
end)

for _, kind in ipairs(kinds) do
  describe("a whole column (" .. kind.name .. ")", function()
    local function column(manager, field)
      return kind.with(function() return manager:column(field) end)
    end

    it("is read by totable, and written back by fill", function()
      local thing, list, world = fixture(3)
      thing:write_many(list, "target", { list[2], false, list[1] })
      thing:write_many(list, "alive", { true, false, true })
      for _, row in ipairs(SCHEMA) do
        local view = column(thing, row[1])
        local values = view:totable()
        view:fill(values)
        assert.same(values, view:totable())
      end
      assert.same({ cuttle.entity_id(list[2]), cuttle.NOBODY, cuttle.entity_id(list[1]) },
        column(thing, "target"):totable())
      assert.same({ list[2], false, list[1] }, thing:read_many(list, "target"))
      assert.same({ true, false, true }, column(thing, "alive"):totable())
      local out = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 7 }
      assert.equal(out, column(thing, "pos"):totable(out))
      assert.same({ 1, 2, 3, 1, 2, 3, 1, 2, 3, 7 }, out)
      valid(world)
    end)

    it("is filled with one value, or one for each row", function()
      local thing, list = fixture(2)
      column(thing, "hp"):fill(5)
      column(thing, "pos"):fill { 1, 1, 1 }
      column(thing, "target"):fill(list[1])
      column(thing, "text"):fill "x"
      assert.same({ 5, 5 }, thing:read_many(list, "hp"))
      assert.same({ 1, 1, 1, 1, 1, 1 }, thing:read_many(list, "pos"))
      assert.same({ "x", "x", list[1], list[1] },
        { thing:text(list[1]), thing:text(list[2]), thing:target(list[1]), thing:target(list[2]) })
      column(thing, "target"):fill(cuttle.entity_id(list[2]))
      assert.same({ list[2], list[2] }, thing:read_many(list, "target"))
      column(thing, "target"):fill(cuttle.NOBODY)
      assert.same({ false, false }, thing:read_many(list, "target"))
      raises("entity id expected, got 1073741824", column(thing, "target").fill, column(thing, "target"), 2 ^ 30)
      column(thing, "pos"):fill { 1, 2, 3, 4, 5, 6 }
      assert.same({ 4, 5, 6 }, { thing:pos(list[2]) })
      raises("expected 2 values, got 3", column(thing, "hp").fill, column(thing, "hp"), { 1, 2, 3 })
      raises("expected a number, got nil", column(thing, "hp").fill, column(thing, "hp"))
      raises("[2]: entity id expected, got string", column(thing, "target").fill, column(thing, "target"), { 1, "a" })
      assert.same({ 5, 5 }, thing:read_many(list, "hp"))
    end)

    it("is changed by add_scaled and scale", function()
      local thing, list, world = fixture(3)
      local pos, vel, hp, wide = column(thing, "pos"), column(thing, "vel"), column(thing, "hp"), column(thing, "wide")
      pos:add_scaled(vel, 2)
      assert.same({ 3, 4, 5 }, { thing:pos(list[3]) })
      pos:add_scaled(pos, -1)
      assert.same({ 0, 0, 0 }, { thing:pos(list[3]) })
      hp:add_scaled(wide, 0.5)
      wide:scale(-3)
      assert.same({ 101, -6 }, { thing:hp(list[1]), thing:wide(list[2]) })
      hp:fill(math.huge)
      hp:scale(0.5)
      assert.equal(math.huge, thing:hp(list[1]))
      raises("column expected, got number", pos.add_scaled, pos, 1, 1)
      raises("thing.hp is float, thing.pos is vec3", pos.add_scaled, pos, hp, 1)
      raises("number expected, got no value", pos.add_scaled, pos, vel)
      raises("number expected, got string", pos.scale, pos, "2")
      local small = column(thing, "small")
      raises("only float and double can be scaled", small.scale, small, 2)
      local other = column(world.transform, "local_position")
      raises("column of another manager", pos.add_scaled, pos, other, 1)
      raises("deferred", other.scale, other, 2)
      raises("deferred", other.fill, other, 2)
      raises("deferred", other.add_scaled, other, other, 2)
      local matrix = column(world.transform, "world_matrix")
      raises("read-only", matrix.fill, matrix, 1)
      assert.equal(48, #matrix:totable())
      valid(world)
    end)

    it("of transforms acts like setters where it may be written", function()
      local _, list, world = fixture(3)
      local tf = world.transform
      tf:link(list[2], list[1])
      local position = column(tf, "local_position")
      tf:batch(function()
        position:fill { 1, 2, 3 }
        position:add_scaled(column(tf, "local_scale"), 2)
        position:scale(2)
      end)
      near({ 12, 16, 20 }, { tf:world_position(list[2]) })
      valid(world)
    end)

    it("raises when its world is destroyed", function()
      local thing, _, world = fixture(1)
      local hp = column(thing, "hp")
      world:destroy()
      for _, name in ipairs { "totable", "fill", "scale", "add_scaled" } do
        raises("world is destroyed", function() hp[name](hp, 1, 1) end)
      end
    end)
  end)
end

describe("bulk calls, when memory runs out,", function()
  if not fail_in then
    it("change nothing", function() pending "only test builds make allocations fail" end)
    return
  end

  after_each(function() fail_in(-1) end)

  it("change nothing", function()
    local failures = 0
    for n = 0, 40 do
      local thing, list, world = fixture(40)
      local texts = {}
      for i = 1, 40 do texts[i] = ("text %d"):format(i) end
      for _, act in ipairs {
        function() thing:write_many(list, "text", texts) end,
        function() world:copy("thing", "pos", "transform", "local_position") end,
        function() world.transform:write_many(list, "local_position", { 1, 2, 3 }) end,
      } do
        local before = { thing:text(list[40]), world.transform:world_position(list[40]) }
        fail_in(n)
        local ok, message = pcall(act)
        fail_in(-1)
        if not ok then
          failures = failures + 1
          assert.matches("not enough memory", message)
          assert.same(before, { thing:text(list[40]), world.transform:world_position(list[40]) })
        end
        valid(world)
      end
    end
    assert.is_true(failures > 5)
  end)
end)

describe("random bulk calls, seed " .. seed, function()
  -- The values are small integers and powers of two, which are exact in floats.
  it("agree with a plain model", function()
    local random = new_random(seed)
    local entities = cuttle.entity_manager { minimum_free_indices = 0 }
    local world = cuttle.world(entities)
    local FIELDS = { { "a", "vec3" }, { "b", "vec3" } }
    local names = { "one", "two", "three" }
    world:define("one", FIELDS)
    world:define("two", FIELDS, { lookup = "array" })
    world:define("three", FIELDS)
    local model, order = {}, {} -- entity -> manager -> field -> numbers

    local function vector() return { random(9) - 5, random(9) - 5, random(9) - 5 } end

    local function some()
      local list = {}
      for _ = 1, random(6) do
        local e = order[random(#order)]
        if model[e] then list[#list + 1] = e end
      end
      return list
    end

    local actions = {
      function()
        local e = entities:create()
        model[e] = {}
        order[#order + 1] = e
        for _, name in ipairs(names) do
          if random(3) > 1 then
            local a, b = vector(), vector()
            world[name]:create(e, { a = a, b = b })
            model[e][name] = { a = a, b = b }
          end
        end
      end,
      function()
        local e = order[random(#order)]
        if random(3) == 1 then entities:destroy(e) model[e] = nil end
        if random(4) == 1 then world:gc() end
      end,
      function()
        local e, name = order[random(#order)], names[random(3)]
        world[name]:destroy(e)
        if model[e] then model[e][name] = nil end
      end,
      function()
        local name, field, list, values = names[random(3)], random(2) == 1 and "a" or "b", some(), {}
        for i = #list, 1, -1 do
          if not model[list[i]][name] then table.remove(list, i) end
        end
        for i in ipairs(list) do values[i] = vector() end
        assert.equal(#list, world[name]:write_many(list, field, values))
        for i, e in ipairs(list) do model[e][name][field] = values[i] end
      end,
      function()
        local from, to = names[random(3)], names[random(3)]
        local source, target = random(2) == 1 and "a" or "b", random(2) == 1 and "a" or "b"
        local scaled, k, count = random(2) == 1, random(3) - 2, 0
        for _, managers in pairs(model) do
          if managers[from] and managers[to] then
            local f, t, new = managers[from][source], managers[to][target], {}
            for i = 1, 3 do new[i] = scaled and t[i] + k * f[i] or f[i] end
            managers[to][target], count = new, count + 1
          end
        end
        if scaled then
          assert.equal(count, world:add_scaled(from, source, to, target, k))
        else
          assert.equal(count, world:copy(from, source, world[to], target))
        end
      end,
    }
    actions[1]()
    for step = 1, rounds(3000, 300) do
      actions[random(#actions)]()
      if step % 20 == 0 then
        for _, name in ipairs(names) do
          for _, field in ipairs { "a", "b" } do
            local expected = {}
            for _, e in ipairs(order) do
              local values = model[e] and model[e][name]
              for i = 1, 3 do expected[#expected + 1] = values and values[field][i] or false end
            end
            assert.same(expected, world[name]:read_many(order, field))
          end
        end
        valid(world)
      end
      if step % 500 == 0 then
        for name in pairs { one = 1, two = 1, three = 1 } do world[name]:gc "all" end
      end
    end
  end)
end)
