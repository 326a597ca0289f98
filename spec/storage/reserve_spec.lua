-- reserve: creating rows in reserved memory does not allocate.

local core = require "cuttle.core"
local cuttle = require "cuttle"
local valid = require "spec.support.valid"

local ROWS = 3000
local VALUES = { mesh = { resource = "box" }, debug_name = { name = "box" }, actor = { shape = "box" } }

local function new_world()
  local entities = cuttle.entity_manager()
  local world = cuttle.world(entities)
  world.mesh:define_resource("box", {})
  world:define("part", { { "x", "float" } }, { multiple = true })
  world:define("tag", {})
  world:define("body", { { "v", "vec3" }, { "hp", "int32" } })
  return world, entities
end

local function new_entities(entities)
  local list = {}
  for i = 1, ROWS do list[i] = entities:create() end
  return list
end

-- Creates components for all entities while every allocation of the core fails.
local function create_without_memory(m, list, values)
  core.testing.fail_in(0)
  local ok, message = pcall(function()
    for i = 1, #list do m:create(list[i], values) end
  end)
  core.testing.fail_in(-1)
  assert.is_true(ok, message)
end

describe("reserve", function()
  if not core.testing then return end

  for _, name in ipairs { "transform", "mesh", "debug_name", "point_mass", "actor", "part", "tag", "body" } do
    for _, mode in ipairs(name == "transform" and { "immediate", "deferred" } or { "immediate" }) do
      it("allows " .. name .. " to create components without allocations, in " .. mode .. " mode", function()
        local world, entities = new_world()
        world.transform:set_mode(mode)
        local m, list = world[name], new_entities(entities)
        m:create(entities:create(), VALUES[name]) -- also interns the strings
        m:reserve(ROWS + 1)
        create_without_memory(m, list, VALUES[name])
        assert.equal(ROWS + 1, m:count())
        valid(world)
      end)
    end
  end

  for _, name in ipairs { "transform", "part", "tag" } do
    it("allows " .. name .. " to create components of later entities, if others have none", function()
      local world, entities = new_world()
      local m = world[name]
      entities:create(2 * ROWS)
      m:reserve(ROWS)
      create_without_memory(m, new_entities(entities), VALUES[name])
      m:reserve(2 * ROWS)
      create_without_memory(m, new_entities(entities), VALUES[name])
      valid(world)
    end)
  end

  it("of a world reserves rows in every manager that has rows, and entities", function()
    local world, entities = new_world()
    world:create { transform = {}, tag = {} }
    local by_manager = select(2, world:memory())
    world:reserve(ROWS)
    local after = select(2, world:memory())
    assert.is_true(after.transform > by_manager.transform and after.tag > by_manager.tag)
    assert.equal(by_manager.body, after.body)
    core.testing.fail_in(0)
    local ok, message = pcall(function()
      for _ = 2, ROWS do world.tag:create(entities:create()) end
    end)
    core.testing.fail_in(-1)
    assert.is_true(ok, message)
    valid(world)
  end)

  it("of a world covers later entities beside entities without components", function()
    for _, others in ipairs { 100, 1000, 5000 } do
      local world, entities = new_world()
      world:create({ transform = {} }, 500)
      entities:create(others)
      world:reserve(1000)
      core.testing.fail_in(0)
      local ok, message = pcall(function()
        for _ = 1, 500 do world:create { transform = {} } end
      end)
      core.testing.fail_in(-1)
      assert.is_true(ok, message)
      valid(world)
    end
  end)

  it("changes nothing and raises when memory runs out", function()
    local failures = 0
    for allocation = 0, 30 do
      local world, entities = new_world()
      world.body:create(entities:create(), { v = { 1, 2, 3 }, hp = 4 })
      local before = entities:hash()
      core.testing.fail_in(allocation)
      local ok, message = pcall(world.body.reserve, world.body, ROWS)
      core.testing.fail_in(-1)
      if not ok then
        assert.matches("not enough memory", message, 1, true)
        failures = failures + 1
      end
      assert.equal(before, entities:hash())
      valid(world)
    end
    assert.is_true(failures > 1)
  end)

  it("keeps instances valid and does not stop loops", function()
    local world, entities = new_world()
    local list, seen = new_entities(entities), 0
    for i = 1, 10 do world.body:create(list[i], { hp = i }) end
    local instance = world.body:lookup(list[3])
    for _ in world.body:each() do
      seen = seen + 1
      world.body:reserve(100 * seen)
    end
    assert.equal(10, seen)
    assert.equal(3, world.body:hp(instance))
  end)

  it("refuses numbers that are not a count of rows", function()
    local world = new_world()
    for _, call in ipairs { { world, "reserve" }, { world.body, "reserve" } } do
      local object, method = call[1], call[2]
      for _, n in ipairs { -1, 0.5, 4194305, 0 / 0, 1 / 0 } do
        assert.error_matches(function() object[method](object, n) end, "integer in [0, 4194304] expected", 1, true)
      end
      assert.error_matches(function() object[method](object) end, "number expected, got no value", 1, true)
    end
    world.body:reserve(0)
  end)
end)

describe("growth", function()
  it("reallocates few of the columns at a time", function()
    local world = new_world()
    local fields = {}
    for i = 1, 30 do fields[i] = { "field" .. i, "int32" } end
    local wide, longest, grown = world:define("wide", fields), 0, 0
    local function bytes() return select(2, world:memory()).wide end
    for i = 1, 3 * ROWS do wide:create(world.entities:create(), { field1 = i, field30 = -i }) end
    local before = bytes()
    local first = before
    for _ = 1, 6 * ROWS do
      wide:create(world.entities:create())
      local after = bytes()
      if after > before then grown = grown + 1 end
      longest, before = math.max(longest, after - before), after
    end
    assert.is_true(grown > 30)
    assert.is_true(longest < first / 8, ("%d of %d bytes"):format(longest, first))
    world:trim()
    assert.is_true(bytes() < before)
    local sum = 0
    for instance in wide:each() do sum = sum + wide:field1(instance) - wide:field30(instance) end
    assert.equal(3 * ROWS * (3 * ROWS + 1), sum)
    valid(world)
  end)
end)
