-- Damaged resources: they never crash, are never partly spawned, and leave the world valid.

local blob = require "spec.support.blob"
local counts = require "spec.support.counts"
local cuttle = require "cuttle"
local damage = require "spec.support.damage"
local new_random = require "spec.support.random"
local seed = require "spec.support.seed"
local valid = require "spec.support.valid"

local rounds = require "spec.support.rounds"
local ROUNDS = rounds(2000, 300)

local LEVEL = { entities = {
  { name = "car",
    components = {
      transform = { position = { 1, 2, 3 }, angle = 1 },
      wheel = { { id = "front", radius = 0.5 }, { radius = 2 }, { id = 9, kind = "spare" } },
      health = { hp = 50, target = "lamp", title = "hero" },
      grid = { width = 3, height = 2, cell_size = 8, cells = { 1, 0, 2, 300, 0, 3 }, tiles = "hero" },
    },
    children = { { name = "bulb", components = { transform = { scale = 2 }, health = { on = true } } }, {} } },
  { name = "lamp", components = { health = { title = "hero", target = "car" }, wheel = {} } },
  { components = { transform = { position = { 5, 0, 0 } }, debug_name = { name = "bulb" } } },
} }

local function define(world)
  world:define("health", { { "hp", "float", 100 }, { "target", "entity" }, { "title", "string" }, { "on", "bool" },
    { "where", "vec3" }, { "size", "double" } })
  world:define("wheel", { { "radius", "float", 1 }, { "kind", "string", "plain" } }, { multiple = true })
  return world
end

describe("damaged resources, seed " .. seed, function()
  local random, entities, world, bytes

  before_each(function()
    random = new_random(seed)
    entities = cuttle.entity_manager { minimum_free_indices = 8 }
    world = define(cuttle.world(entities))
    bytes = assert(cuttle.compiler(world):compile(LEVEL))
  end)

  local function use(level, resource)
    assert.equal(resource:entity_count(), level:count())
    level:find "car/bulb"
    level:roots()
    for e, instance in world.health:each() do
      world.health:title(e)
      world.health:target(instance)
    end
    for _, instance in world.wheel:each() do
      world.wheel:id(instance)
      world.wheel:kind(instance)
    end
    for e in world.grid:each() do
      world.grid:get(e)
      world.grid:set_cell(e, 0, 0, 1)
      world.grid:ray(e, -9, -9, 9, 9)
    end
    resource:describe()
  end

  it("are refused when they are loaded or spawned, or are harmless", function()
    local refused, failed, spawned = 0, 0, 0
    for _ = 1, ROUNDS do
      local resource, message = cuttle.resource(damage(bytes, random))
      if not resource then
        assert.equal("string", type(message))
        refused = refused + 1
      else
        local before = counts(world)
        local level, problem = world:spawn(resource)
        if level then
          spawned = spawned + 1
          use(level, resource)
          valid(world)
          level:unload()
          world:gc()
        else
          failed = failed + 1
          assert.equal("string", type(problem))
          assert.are.same(before, counts(world))
        end
      end
    end
    valid(world)
    assert.equal(0, entities:count())
    -- The damage must have produced all three outcomes.
    assert.is_true(refused > 0 and failed > 0 and spawned > 0, ("%d %d %d"):format(refused, failed, spawned))
  end)

  it("are refused if they are random bytes", function()
    for _ = 1, ROUNDS / 10 do
      local noise = {}
      for i = 1, 35 + random(300) do noise[i] = string.char(random(256) - 1) end
      assert.is_nil((cuttle.resource(blob.seal(bytes:sub(1, 8) .. table.concat(noise)))))
    end
  end)

  it("are refused if they are truncated at any byte", function()
    for length = 36, #bytes - 1 do
      assert.is_nil((cuttle.resource(blob.seal(bytes:sub(1, length)))), length)
    end
  end)

  it("are refused at the first spawn for a script-defined component, with the place of the damage", function()
    local at = blob.read(bytes).sections
    local function refused(text, offset, value)
      local resource = assert(cuttle.resource(blob.seal(blob.put_u32(bytes, offset, value))))
      local level, message = world:spawn(resource)
      assert.is_nil(level)
      assert.equal(text, message)
      assert.equal(0, entities:count())
    end
    local health, wheel = at.health.data, at.wheel.data
    refused("health: hp of instance 2 has a NaN other than the quiet NaN", health + 4, 0x7FC00001)
    refused("health: target of instance 1 is an entity that the resource does not have", health + 16, 5)
    refused("health: title of instance 3 is a string outside of the resource", health + 32 + 8, 100)
    refused("health: title of instance 1 is a string outside of the resource", health + 32, 2^32 - 1)
    refused("health: on of instance 2 is not a bool", health + 48, 0x20200)
    refused("wheel: id of instance 1 is above 1073741823", wheel, 2^30)
    refused("wheel: id of instance 1 is neither a number nor a string", wheel, 2^31 + 999)
    refused("wheel: id of instance 3 is also the id of another instance of the entity", wheel + 4, 9)
  end)

  it("are refused if strings are inside each other, which would take much more memory than the resource", function()
    local list = { { components = { health = { title = ("\0"):rep(40) } } } } -- contains empty strings
    for i = 2, 4 do list[i] = { components = { health = { title = "b" } } } end
    bytes = assert(cuttle.compiler(world):compile { entities = list })
    local titles = blob.read(bytes).sections.health.data + 32
    for i = 1, 3 do bytes = blob.put_u32(bytes, titles + 4 * i, 4 * i) end
    local level, message = world:spawn(assert(cuttle.resource(blob.seal(bytes))))
    assert.is_nil(level)
    assert.truthy(message:match "^health: title of instance [34] is a string that overlaps others$", message)
    bytes = assert(cuttle.compiler(world):compile { entities = { { components = {
      wheel = { { id = ("\0"):rep(40) }, { id = "b" }, { id = 3, kind = "b" } } } } } })
    local ids = blob.read(bytes).sections.wheel.data
    for i = 1, 2 do bytes = blob.put_u32(bytes, ids + 4 * i, 2^31 + 4 * i) end
    level, message = world:spawn(assert(cuttle.resource(blob.seal(bytes))))
    assert.is_nil(level)
    assert.truthy(message:match "^wheel: id of instance %d is a", message)
  end)

  it("are checked again for a world with other columns", function()
    local resource = assert(cuttle.resource(bytes))
    assert(world:spawn(resource))
    local other = cuttle.world(entities)
    other:define("health", { { "hp", "string" } })
    local level, message = other:spawn(resource)
    assert.is_nil(level)
    assert.equal("health: the resource was compiled for other fields (hp was float, is string): compile it again",
      message)
  end)
end)
