-- tags: machine

local cuttle = require "cuttle"
local light_userdata = require "spec.support.light_userdata"
local raises = require "spec.support.raises"

local function lines(text)
  local out = {}
  for line in text:gmatch "([^\n]*)\n" do out[#out + 1] = line end
  return out
end

describe("world:inspect", function()
  local entities, world, e

  before_each(function()
    entities = cuttle.entity_manager()
    world = cuttle.world(entities)
    world:define("health", { { "hp", "float", 100 }, { "target", "entity" } })
    world:define("part", { { "size", "uint8" } }, { multiple = true })
    e = entities:create()
  end)

  it("is empty for an entity without components", function()
    assert.same({}, world:inspect(e))
  end)

  it("is empty for a dead entity", function()
    world.health:create(e)
    entities:destroy(e)
    assert.same({}, world:inspect(e))
  end)

  it("returns the field values of every component of the entity", function()
    world.health:create(e, { hp = 5, target = e })
    world.debug_name:set_debug_name(e, "car")
    assert.same({ health = { hp = 5, target = e }, debug_name = { name = "car" } }, world:inspect(e))
  end)

  it("returns several components of a type as an array with their ids", function()
    world.part:create(e, { size = 3 })
    assert.same({ part = { { id = 1, size = 3 } } }, world:inspect(e))
    world.part:create(e, { id = "lid", size = 4 })
    assert.same({ part = { { id = 1, size = 3 }, { id = "lid", size = 4 } } }, world:inspect(e))
  end)

  it("returns a transform in the form that create takes", function()
    world.transform:create(e, { position = { 1, 2, 3 } })
    assert.same({ 1, 2, 3 }, world:inspect(e).transform.position)
  end)

  it("works inside destroy callbacks", function()
    world.health:create(e, { hp = 7 })
    local seen
    entities:on_destroy(function(dying) seen = world:inspect(dying) end)
    entities:destroy(e)
    assert.same({ health = { hp = 7 } }, seen)
  end)

  it("returns components in creation order, even after a removal", function()
    for size = 1, 5 do world.part:create(e, { size = size }) end
    world.part:destroy(world.part:lookup(e, 2))
    world.part:create(e, { size = 6 })
    local sizes = {}
    for i, part in ipairs(world:inspect(e).part) do sizes[i] = part.size end
    assert.same({ 1, 3, 4, 5, 6 }, sizes)
  end)

  it("returns several components of a type inside destroy callbacks", function()
    world.part:create(e, { id = "lid", size = 4 })
    local seen
    entities:on_destroy(function(dying) seen = world:inspect(dying) end)
    entities:destroy(e)
    assert.same({ part = { { id = "lid", size = 4 } } }, seen)
  end)

  it("refuses a value that is not an entity", function()
    raises("bad argument #1 to 'inspect' (entity expected, got number)", world.inspect, world, 5)
    raises("entity expected, got nil", world.inspect, world)
  end)

  it("names a wrong value as all other functions do", function()
    local values = { false, "e", {}, print, world, light_userdata.null() }
    for tag = 0, 3 do
      -- Pointers of 32 bits have no bits above an entity's.
      for above = 0, 1 do
        local value = light_userdata.make(4000 + tag, above)
        if not cuttle.is_entity(value) then values[#values + 1] = value end
      end
    end
    for _, value in ipairs(values) do
      local _, others = pcall(world.health.has, world.health, value)
      raises(others:match "entity expected, got [^)]+", world.inspect, world, value)
    end
  end)

  it("refuses a destroyed world and a value that is not a world", function()
    world:destroy()
    raises("world is destroyed", world.inspect, world, e)
    assert.is_false((pcall(world.inspect, {}, e)))
    assert.is_false((pcall(world.inspect)))
  end)
end)

describe("world:dump", function()
  local entities, world

  before_each(function()
    entities = cuttle.entity_manager()
    world = cuttle.world(entities, { name = "arena" })
  end)

  it("begins with the world, its living entities and its bytes", function()
    entities:create(3)
    assert.matches('^world "arena", 3 entities alive, %d+ bytes\n', world:dump())
  end)

  it("lists every manager with its rows and bytes", function()
    local health = world:define("health", { { "hp", "float" } })
    health:create_many(entities:create(12))
    assert.matches(("\n  health +12 rows +%d bytes\n"):format(health:memory()), world:dump())
    for name in world:managers() do assert.matches("\n  " .. name .. " +%d+ rows", world:dump()) end
  end)

  it("shows the transform tree with names", function()
    local car = world:create { transform = {}, debug_name = { name = "car" } }
    local wheel = world:create { transform = { parent = car }, debug_name = { name = "wheel" } }
    world:create { transform = { parent = wheel } }
    world:create { transform = { parent = car }, debug_name = { name = "door" } }
    world:create { transform = {}, debug_name = { name = "lamp" } }
    local drawn = lines(world:dump())
    local tree = {}
    for i = #drawn - 5, #drawn do tree[#tree + 1] = drawn[i] end
    assert.same({
      "transforms, 2 roots",
      '  "car" entity(0:0)',
      '    "wheel" entity(1:0)',
      "      entity(2:0)",
      '    "door" entity(3:0)',
      '  "lamp" entity(4:0)',
    }, tree)
  end)

  it("shows children of a dead entity as roots", function()
    local car = world:create { transform = {} }
    world:create { transform = { parent = car }, debug_name = { name = "wheel" } }
    entities:destroy(car)
    assert.matches('transforms, 1 roots\n  "wheel" entity%(1:0%)\n$', world:dump())
  end)

  local function draw_chain(length)
    local parent
    for _, e in ipairs(entities:create(length)) do
      world.transform:create(e, { parent = parent })
      parent = e
    end
    return lines(world:dump())
  end

  it("shows a chain of any depth", function()
    local drawn = draw_chain(3000)
    assert.equal(("  "):rep(31) .. "(2999 deep) entity(2999:0)", drawn[#drawn])
  end)

  it("indents thirty levels, and prints the depth of deeper ones", function()
    local drawn = draw_chain(32)
    assert.equal(("  "):rep(31) .. "entity(30:0)", drawn[#drawn - 1])
    assert.equal(("  "):rep(31) .. "(31 deep) entity(31:0)", drawn[#drawn])
  end)

  it("raises for a destroyed world", function()
    world:destroy()
    raises("world is destroyed", world.dump, world)
  end)
end)
