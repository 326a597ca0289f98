-- Damaged resources with data for spawners of scripts: they never crash, are never partly spawned, and leave the world
-- valid.

local blob = require "spec.support.blob"
local cuttle = require "cuttle"
local damage = require "spec.support.damage"
local new_random = require "spec.support.random"
local seed = require "spec.support.seed"

local rounds = require "spec.support.rounds"
local ROUNDS = rounds(1500, 600)

local LEVEL = { entities = {
  { name = "pit", components = { transform = { position = { 1, 2, 3 } }, spikes = { "iron", "wood", "bone" } },
    children = { { name = "edge", components = { transform = {}, spikes = {}, health = { hp = 2 } } } } },
  { name = "door", components = { transform = {}, trap = { 1, 2, 3 }, health = { title = "hero" } } },
} }

describe("damaged data of registered compilers, seed " .. seed, function()
  local entities, world, bytes, random

  before_each(function()
    entities = cuttle.entity_manager { minimum_free_indices = 8 }
    world = cuttle.world(entities)
    world:define("health", { { "hp", "float", 100 }, { "title", "string" } })
    local compiler = cuttle.compiler(world)
    compiler:register("spikes", function(config, context)
      local w = context.writer():u16(#config)
      for i = 1, #config do w:string(config[i]):f32(i) end
      return w:tostring()
    end, 2)
    compiler:register("trap", function(config, context)
      local w = context.writer():u8(#config)
      for i = 1, #config do w:i32(config[i]) end
      return w:tostring()
    end)
    bytes = assert(compiler:compile(LEVEL))
    random = new_random(seed)
  end)

  local function register()
    world:register_spawner("spikes", function(lookup, count, index, data)
      for i = 1, count do
        local r = cuttle.reader(data[i])
        for _ = 1, r:u16() do
          r:string()
          r:f32()
        end
        world.point_mass:create(lookup[index[i] + 1])
      end
    end)
    world:register_spawner("trap", function(lookup, count, index, data)
      for i = 1, count do
        local r = cuttle.reader(data[i])
        for _ = 1, r:u8() do r:i32() end
        if r:left() > 0 then error "too much" end
        world.transform:link(lookup[index[i] + 1], lookup[1])
      end
    end)
  end

  it("is refused when it is loaded, spawned or read by the spawner, or is harmless", function()
    local refused, failed, spawned = 0, 0, 0
    register()
    for _ = 1, ROUNDS do
      -- Some resources are undamaged, which shows that earlier ones left nothing behind.
      local resource, message = cuttle.resource(random(8) == 1 and bytes or damage(bytes, random))
      if not resource then
        assert.equal("string", type(message))
        refused = refused + 1
      else
        resource:describe { tree = "all" }
        local ok, level, problem = pcall(world.spawn, world, resource,
          random(2) == 1 and { overrides = { edge = { health = { hp = 1 }, transform = { angle = 1 } } } } or nil)
        if ok and level then
          spawned = spawned + 1
          assert.equal(resource:entity_count(), level:count())
          level:unload()
        else
          failed = failed + 1
          assert.equal("string", type(ok and problem or level))
        end
        assert.equal(0, entities:count())
        assert(entities:validate())
        world:gc()
        assert(world:validate())
      end
    end
    assert.is_true(refused > 0 and failed > 0 and spawned > 0, ("%d %d %d"):format(refused, failed, spawned))
  end)

  it("never reaches a spawner if the sizes do not match", function()
    local section = blob.read(bytes).sections.spikes
    local first = blob.u32(bytes, section.data, blob.is_big(bytes))
    for _, size in ipairs { 0, first - 1, first + 1, first + 4, 2^31, 2^32 - 1, 2^32 - 4 } do
      local resource, message = cuttle.resource(blob.seal(blob.put_u32(bytes, section.data, size)))
      assert.is_nil(resource, size)
      assert.matches("^spikes: ", message)
    end
  end)
end)
