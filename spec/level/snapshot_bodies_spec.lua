-- Bodies of actors after entities:restore: order of the callbacks, which cannot change anything.

-- tags: ffi

local cuttle = require "cuttle"
local new_random = require "spec.support.random"
local valid = require "spec.support.valid"

local NODES = { nodes = { { name = "hip" }, { name = "knee", parent = 1 } } }

local function new_world()
  local entities = cuttle.entity_manager { minimum_free_indices = 3 }
  local world = cuttle.world(entities, { name = "world" })
  world:define("health", { { "hp", "float", 10 } })
  world.mesh:define_resource("box", {})
  world.model:define_resource("leg", NODES)
  return world, entities
end

describe("bodies after a restore", function()
  local function physical()
    local world, entities = new_world()
    local log, last = {}, 0
    world.actor:on_spawn(function(e, values)
      last = last + 1
      log[#log + 1] = "spawn " .. values.shape
      return { shape = values.shape, e = e, number = last }
    end)
    world.actor:on_destroy(function(_, body) log[#log + 1] = "destroy " .. body.shape end)
    return world, entities, log
  end

  it("are kept if they are the same", function()
    local world, entities, log = physical()
    local e = world:create { actor = { shape = "ball" } }
    local body = world.actor:body(e)
    local snapshot = entities:snapshot()
    world.actor:set_mass(e, 5)
    log[1] = nil
    entities:restore(snapshot)
    assert.are.same({}, log)
    assert.are.equal(body, world.actor:body(e))
    assert.are.equal(0, world.actor:mass(e))
    valid(world)
  end)

  it("are destroyed if they are new, and made again if they are missing", function()
    local world, entities, log = physical()
    local gone = world:create { actor = { shape = "gone" } }
    local snapshot = entities:snapshot()
    entities:destroy(gone)
    world:create { actor = { shape = "new" } }
    for i = #log, 1, -1 do log[i] = nil end
    entities:restore(snapshot)
    assert.are.same({ "destroy new", "spawn gone" }, log)
    assert.are.equal(2 + 1, world.actor:body(gone).number)
    valid(world)
    entities:destroy(gone)
    assert.are.equal("destroy gone", log[3])
    valid(world)
  end)

  it("that were replaced are compared by value", function()
    local world, entities, log = physical()
    local e = world:create { actor = { shape = "ball" } }
    local snapshot = entities:snapshot()
    world.actor:set_body(e, { shape = "other" })
    for i = #log, 1, -1 do log[i] = nil end
    entities:restore(snapshot)
    assert.are.same({ "destroy other", "spawn ball" }, log)
  end)

  it("are destroyed and made in the order of rows, on every host", function()
    local world, entities, log = physical()
    local random = new_random(5)
    local function shuffled(list)
      for i = #list, 2, -1 do
        local j = random(i)
        list[i], list[j] = list[j], list[i]
      end
      return list
    end
    local list = shuffled(entities:create(60))
    for i, e in ipairs(list) do world.actor:create(e, { shape = "old" .. i }) end
    for i = 1, 60, 3 do world.actor:destroy(list[i]) end
    world:gc "all"
    local function shapes(prefix)
      local out = {}
      for e in world.actor:each() do out[#out + 1] = prefix .. world.actor:shape(e) end
      return out
    end
    local expected = shapes "spawn "
    local snapshot = entities:snapshot()
    world:clear()
    for i, e in ipairs(shuffled(entities:create(40))) do world.actor:create(e, { shape = "new" .. i }) end
    for _, e in ipairs(shuffled(list)) do
      if #expected % 2 == 0 then world.actor:create(e, { shape = "again" }) end
    end
    local gone = shapes "destroy "
    for i = #log, 1, -1 do log[i] = nil end
    entities:restore(snapshot)
    for _, line in ipairs(expected) do gone[#gone + 1] = line end
    assert.are.same(gone, log)
    valid(world)
  end)

  describe("while they are made and destroyed", function()
    local world, entities, snapshot, e, level

    before_each(function()
      world, entities = physical()
      e = world:create { actor = { shape = "ball" }, transform = {}, health = {}, point_mass = {},
        model = { resource = "leg" } }
      level = assert(world:spawn(assert(cuttle.resource((assert(cuttle.compiler(world):compile {
        entities = { { components = { debug_name = { name = "x" } } } } }))))))
      snapshot = entities:snapshot()
    end)

    -- on_destroy would otherwise run when this world is collected, in a later test.
    after_each(function()
      if not tostring(world):find "destroyed" then world.actor:on_destroy(nil) end
    end)

    -- Returns the messages that `change` raises inside on_spawn and on_destroy of a restore.
    local function refused(change)
      local messages = {}
      local function try()
        local ran, message = pcall(change)
        messages[#messages + 1] = ran and "it did not raise" or tostring(message)
      end
      world.actor:on_destroy(nil)
      world.actor:set_body(e, { shape = "other" })
      world.actor:on_spawn(function()
        try()
        return { shape = "ball" }
      end)
      world.actor:on_destroy(try)
      entities:restore(snapshot)
      valid(world)
      return messages
    end

    local template, hp, velocity
    local CHANGES = {
      ["write a column"] = function() hp[0] = 5 end,
      ["write an item of a column"] = function() hp:set(0, 5) end,
      ["write a part of an item"] = function() velocity[0].x = 5 end,
      ["write a vector of a column"] = function() velocity:set(0, 1, 2, 3) end,
      ["fill a column"] = function() hp:fill(5) end,
      ["add to a column"] = function() velocity:add_scaled(velocity, 1) end,
      ["scale a column"] = function() velocity:scale(2) end,
      ["write a new view of a column"] = function() world.point_mass:column("mass")[0] = 3 end,
      ["patch"] = function()
        assert(level:patch(cuttle.resource(assert(cuttle.compiler(world):compile { entities = {} }))))
      end,
      ["create"] = function() entities:create() end,
      ["create a list"] = function() entities:create_list(2) end,
      ["destroy"] = function() entities:destroy(e) end,
      ["destroy an empty list"] = function() entities:destroy(cuttle.list()) end,
      ["create with components"] = function() world:create {} end,
      ["create from a template"] = function() template:create() end,
      ["create a component"] = function() world.mesh:create(e, { resource = "box" }) end,
      ["create components"] = function() world.mesh:create_many({ e }, { resource = "box" }) end,
      ["remove a component"] = function() world.health:destroy(e) end,
      ["set a field"] = function() world.health:set_hp(e, 5) end,
      ["write a field"] = function() world.health:write(e, "hp", 5) end,
      ["set several"] = function() world.health:set(e, { hp = 5 }) end,
      ["write many"] = function() world.health:write_many({ e }, "hp", 5) end,
      ["set a name"] = function() world.debug_name:set_debug_name(e, "name") end,
      ["copy a field"] = function() world:copy("health", "hp", "health", "hp") end,
      ["add a field"] = function() world:add_scaled("health", "hp", "health", "hp", 1) end,
      ["set a body"] = function() world.actor:set_body(e, {}) end,
      ["collect"] = function() world:gc() end,
      ["collect one manager"] = function() world.health:gc "all" end,
      ["trim"] = function() world:trim() end,
      ["clear"] = function() world:clear() end,
      ["destroy the world"] = function() world:destroy() end,
      ["make a world"] = function() cuttle.world(entities) end,
      ["define"] = function() world:define("more", { { "x", "float" } }) end,
      ["describe a model"] = function() world.model:define_resource("leg", NODES) end,
      ["describe a mesh"] = function() world.mesh:define_resource("box", {}) end,
      ["move"] = function() world.transform:set_local_position(e, 1, 2, 3) end,
      ["link"] = function() world.transform:unlink(e) end,
      ["batch"] = function() world.transform:batch(function() end) end,
      ["propagate"] = function() world.transform:propagate() end,
      ["sort"] = function() world.transform:sort() end,
      ["change the mode"] = function() world.transform:set_mode "deferred" end,
      ["destroy a tree"] = function() world.transform:destroy_tree(e) end,
      ["pose"] = function() world.model:set_node_pose(e, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1) end,
      ["evaluate"] = function() world.model:evaluate() end,
      ["simulate"] = function() world.point_mass:simulate(1) end,
      ["spawn"] = function() world:spawn(cuttle.resource(assert(cuttle.compiler(world):compile { entities = {} }))) end,
      ["unload"] = function() level:unload() end,
      ["restart"] = function() assert(level:restart()) end,
      ["restore"] = function() entities:restore(snapshot) end,
      ["take a snapshot"] = function() entities:snapshot() end,
    }
    for name, change in pairs(CHANGES) do
      it("callbacks cannot: " .. name, function()
        template = world:template { health = {} }
        hp, velocity = world.health:column "hp", world.point_mass:column "velocity"
        local messages = refused(change)
        assert.are.equal(2, #messages)
        for _, message in ipairs(messages) do
          assert.matches("^[^()]*the EntityManager is being restored$", message)
        end
        assert.are.equal("ball", world.actor:body(e).shape)
        change()
      end)
    end

    it("callbacks can read everything", function()
      velocity = world.point_mass:column "velocity"
      for _, message in ipairs(refused(function()
        assert.are.equal(10, world.health:hp(e))
        assert.are.equal(10, world.health:column("hp")[0])
        assert.are.equal(1, velocity:count())
        assert.are.equal(0, velocity[0].x + velocity:get(0))
        assert.are.equal(1, level:count())
        assert.is_string(entities:hash())
        assert.is_true(assert(world:validate()))
        for _ in world:join("health", "actor") do world:inspect(e) end
        error("read", 0)
      end)) do
        assert.are.equal("read", message)
      end
    end)
  end)

  it("that cannot be made do not prevent the others, and the first error is raised", function()
    local world, entities = physical()
    local list = world:create({ actor = { shape = "ball" } }, 3)
    local snapshot = entities:snapshot()
    for _, e in ipairs(list) do entities:destroy(e) end
    world.actor:on_spawn(function(e)
      if e ~= list[2] then error("no room for it", 0) end
      return "body"
    end)
    assert.has_error(function() entities:restore(snapshot) end, "no room for it")
    assert.are.equal("body", world.actor:body(list[2]))
    assert.is_nil(world.actor:body(list[1]))
    valid(world)
    local new = entities:create()
    assert.is_true(entities:alive(new))
  end)
end)
