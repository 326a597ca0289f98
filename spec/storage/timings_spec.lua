-- world:profile and world:timings.

local cuttle = require "cuttle"
local raises = require "spec.support.raises"

describe("world:timings", function()
  local entities, world

  before_each(function()
    entities = cuttle.entity_manager()
    world = cuttle.world(entities)
    world:define("health", { { "hp", "float" } })
  end)

  after_each(function() assert.is_true(assert(world:validate())) end)

  -- Returns the numbers of calls: manager -> kind -> count.
  local function calls()
    local found = {}
    for name, kinds in pairs(world:timings()) do
      found[name] = {}
      for kind, spent in pairs(kinds) do
        assert.is_true(spent.time >= 0)
        assert.equal("number", type(spent.time))
        found[name][kind] = spent.calls
      end
    end
    return found
  end

  it("is empty unless profiling is on", function()
    world:create { health = {} }
    world:gc "all"
    assert.same({}, world:timings())
  end)

  it("counts creates, removals and collections, by manager", function()
    world:profile(true)
    local e = world:create { health = {}, transform = {} }
    world:create({ health = {} }, 100)
    local list = entities:create(3)
    world.health:create(list[1])
    world.health:create_many { list[2], list[3] }
    world.health:destroy(e)
    world.health:destroy(world.health:lookup(list[1]))
    world.health:destroy(list[1]) -- no component is left
    world.health:gc()
    assert.same({ health = { create = 4, remove = 2, gc = 1 }, transform = { create = 1 }, world = { create = 2 } },
      calls())
    world:gc()
    world:gc "all"
    world:gc(5)
    local found = calls()
    assert.equal(4, found.health.gc)
    assert.equal(3, found.transform.gc)
  end)

  it("counts spawns, restarts and unloads of levels", function()
    local resource = assert(cuttle.resource((assert(cuttle.compiler(world):compile {
      entities = { { components = { transform = {}, health = {} } }, { components = { health = {} } } } }))))
    world:profile(true)
    local level = assert(world:spawn(resource))
    assert.same({ transform = { spawn = 1 }, health = { spawn = 1 }, world = { spawn = 1 } }, calls())
    assert(level:restart())
    assert.same({ spawn = 2, unload = 1 }, calls().world)
    level:unload()
    level:unload()
    assert(world:spawn_many(resource, 3))
    assert.same({ spawn = 3, unload = 2 }, calls().world)
  end)

  it("counts operations that only some managers have", function()
    world.model:define_resource("rig", { nodes = { {} } })
    world:create { transform = {}, model = { resource = "rig" }, point_mass = {} }
    world:profile(true)
    world.point_mass:simulate(0.1)
    world.model:evaluate()
    world.transform:sort()
    world.transform:propagate()
    world.transform:set_mode "deferred"
    world.transform:propagate()
    world.transform:propagate()
    assert.same({ transform = { sort = 1, propagate = 3 }, model = { evaluate = 1 }, point_mass = { simulate = 1 } },
      calls())
  end)

  it("counts each call of a hook", function()
    world.health:on_add(function() end)
    world.health:on_add(function() end)
    world.health:on_remove(function() end)
    world:profile(true)
    local e = world:create { health = {} }
    assert.equal(2, calls().health.hooks)
    entities:destroy(e)
    assert.equal(3, calls().health.hooks)
  end)

  it("counts each call of a destroy callback, whatever components the entity has", function()
    local run = 0
    entities:on_destroy(function() run = run + 1 end)
    world:profile(true)
    world.health:on_remove(function() end)
    entities:destroy(entities:create())
    assert.same({ world = { on_destroy = 1 } }, calls())
    local token = entities:on_destroy(function() end)
    entities:destroy(entities:create(3))
    assert.same({ world = { on_destroy = 7 } }, calls())
    local other = cuttle.world(entities)
    other:profile(true)
    assert.same({}, other:timings())
    entities:off_destroy(token)
    entities:destroy(world:create { health = {} })
    assert.equal(8, calls().world.on_destroy)
    assert.equal(1, other:timings().world.on_destroy.calls)
    assert.is_true(other:timings().world.on_destroy.time <= world:timings().world.on_destroy.time)
    other:destroy()
    world:profile(false)
    entities:destroy(entities:create())
    assert.equal(8, calls().world.on_destroy)
    assert.equal(6, run)
    world:profile(true)
    assert.same({}, calls())
    world:profile(true)
    entities:destroy(entities:create())
    assert.same({ world = { on_destroy = 1 } }, calls())
  end)

  it("is cleared when profiling is turned on, and kept when it is turned off", function()
    world:profile(true)
    world:create { health = {} }
    world:profile(false)
    world:create { health = {} }
    assert.same({ health = { create = 1 }, world = { create = 1 } }, calls())
    world:profile(true)
    assert.same({}, calls())
    world:create { health = {} }
    assert.equal(1, calls().health.create)
  end)

  it("counts for components that are defined later or again", function()
    world:profile(true)
    world:define("other", { { "x", "float" } })
    world:create { other = {} }
    world:define("other", { { "y", "float" } }, { migrate = true })
    world:create { other = {} }
    assert.equal(2, calls().other.create)
    world:profile(false)
    world:define("last", { { "x", "float" } })
    world:create { last = {} }
    assert.is_nil(calls().last)
  end)

  it("allows switching it on and off inside hooks", function()
    world.health:on_add(function() world:profile(false) end)
    world.health:on_remove(function() world:profile(true) end)
    world:profile(true)
    local e = world:create { health = {} }
    world.health:destroy(e)
    assert.same({}, calls().hooks or {})
  end)

  it("counts for one world only, and is not restored with snapshots", function()
    local other = cuttle.world(entities)
    world:profile(true)
    other:create { transform = {} }
    local snapshot = entities:snapshot()
    world:create { health = {} }
    entities:restore(snapshot)
    assert.equal(1, calls().health.create)
    assert.same({}, other:timings())
  end)

  it("refuses a call of profile without a boolean", function()
    raises("bad argument #1 to 'profile' (boolean expected, got nil)", world.profile, world)
    raises("bad argument #1 to 'profile' (boolean expected, got number)", world.profile, world, 1)
    raises("world expected", world.profile, {}, true)
    local other = cuttle.world(entities)
    other:destroy()
    raises("world is destroyed", other.profile, other, true)
    raises("world is destroyed", other.timings, other)
  end)
end)
