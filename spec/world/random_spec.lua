-- world:random: numbers of a generator that belongs to the state of the world.

local cuttle = require "cuttle"
local raises = require "spec.support.raises"

local LARGEST = 2 ^ 53 - 1

local function new_world(options)
  local entities = cuttle.entity_manager()
  return cuttle.world(entities, options), entities
end

local function draw(world, count)
  local numbers = {}
  for place = 1, count or 20 do numbers[place] = world:random(1000) end
  return numbers
end

describe("world:random", function()
  it("draws the same numbers on every host", function()
    local world = new_world { seed = 42 }
    assert.are.same({ 742, 279, 39, 219 }, draw(world, 4))
    world:randomseed(42)
    assert.are.equal("0.74156487876547272", ("%.17g"):format(world:random()))
  end)

  it("draws from the seed of the world, or of randomseed", function()
    local first, second, other = new_world { seed = 7 }, new_world { seed = 7 }, new_world()
    local numbers = draw(first)
    assert.are.same(numbers, draw(second))
    assert.are_not.same(numbers, draw(other))
    other:randomseed(7)
    assert.are.same(numbers, draw(other))
  end)

  it("draws numbers from 0 to 1, and integers of an interval", function()
    local world = new_world()
    local seen = {}
    for _ = 1, 500 do
      local number = world:random()
      assert.is_true(number >= 0 and number < 1)
      local side = world:random(6)
      assert.is_true(side % 1 == 0 and side >= 1 and side <= 6)
      seen[side] = true
      number = world:random(-3, 3)
      assert.is_true(number % 1 == 0 and number >= -3 and number <= 3)
      seen[number - 100] = true
      number = world:random(-LARGEST, -3)
      assert.is_true(number % 1 == 0 and number <= -3 and number >= -LARGEST)
    end
    for side = 1, 6 do assert.is_true(seen[side]) end
    for number = -3, 3 do assert.is_true(seen[number - 100]) end
    assert.are.equal(5, world:random(5, 5))
  end)

  it("spreads the numbers evenly", function()
    local world, counts = new_world(), {}
    for _ = 1, 10000 do
      local number = world:random(10)
      counts[number] = (counts[number] or 0) + 1
    end
    -- 1,000 each, with a deviation of 30; the seed is fixed.
    for number = 1, 10 do assert.is_true(math.abs(counts[number] - 1000) < 150) end
  end)

  it("continues where it was after a restore", function()
    local world, entities = new_world()
    draw(world, 3)
    local snapshot = entities:snapshot()
    local numbers = draw(world)
    entities:restore(snapshot)
    assert.are.same(numbers, draw(world))
    local recorder = cuttle.recorder(entities)
    recorder:frame()
    numbers = draw(world)
    recorder:frame()
    recorder:rewind(1)
    assert.are.same(numbers, draw(world))
  end)

  it("continues where it was after a save", function()
    local world, entities = new_world { name = "arena" }
    draw(world, 3)
    local save = entities:snapshot():tostring()
    local numbers = draw(world)
    local other, loaded = new_world { name = "arena", seed = 99 }
    assert.is_true((loaded:restore(assert(cuttle.snapshot(save)))))
    assert.are.same(numbers, draw(other))
  end)

  it("is part of the hash", function()
    local first, first_entities = new_world { name = "arena" }
    local second, second_entities = new_world { name = "arena" }
    assert.are.equal(first_entities:hash(), second_entities:hash())
    first:random()
    assert.are_not.equal(first_entities:hash(), second_entities:hash())
    second:random(3)
    assert.are.equal(first_entities:hash(), second_entities:hash())
  end)

  it("refuses wrong arguments, and draws nothing then", function()
    local world, entities = new_world()
    local before = entities:hash()
    raises("interval is empty", function() world:random(0) end)
    raises("interval is empty", function() world:random(3, 2) end)
    raises("interval is too large", function() world:random(-LARGEST, LARGEST) end)
    raises("integer in [1 - 2^53, 2^53 - 1] expected, got 1.5", function() world:random(1.5) end)
    raises("integer in [1 - 2^53, 2^53 - 1] expected, got 9.0", function() world:random(2 ^ 53) end)
    raises("integer in [0, 2^53 - 1] expected, got -1", function() world:randomseed(-1) end)
    raises("number expected, got string", function() world:random "6" end)
    raises("wrong number of arguments", function() world:random(1, 2, 3) end)
    raises("number expected", function() world:randomseed() end)
    assert.are.equal(before, entities:hash())
    world:destroy()
    raises("destroyed", function() world:random() end)
  end)

  it("cannot be drawn while the EntityManager is being restored", function()
    local world, entities = new_world()
    local calls = 0
    world.actor:on_spawn(function() return {} end)
    world.actor:on_destroy(function()
      raises("being restored", function() world:random() end)
      calls = calls + 1
    end)
    local snapshot = entities:snapshot()
    world:create { transform = {}, actor = {} }
    entities:restore(snapshot)
    assert.are.equal(1, calls)
  end)
end)
