-- The option trace: messages about dead entities with their names and the places of their deaths.

local core = require "cuttle.core"
local cuttle = require "cuttle"
local raises = require "spec.support.raises"

local HERE = "spec/storage/death_trace_spec.lua:"

local function new(options)
  local entities = cuttle.entity_manager(options or { trace = true })
  local world = cuttle.world(entities)
  world:define("health", { { "hp", "float" }, { "target", "entity" } })
  return entities, world
end

describe("an entity manager with trace", function()
  local entities, world, orc

  before_each(function()
    entities, world = new()
    orc = world:create { debug_name = { name = "orc" }, transform = {}, health = {} }
  end)

  after_each(function()
    assert.is_true(assert(world:validate()))
    assert.is_true(assert(entities:validate()))
  end)

  local function dead_message(name, line) return ('%s is dead, destroyed at %s%d'):format(name, HERE, line) end

  it("adds the name and the place of a death to every message", function()
    local template = world:template { health = { target = orc } }
    local child = world:template { transform = { parent = orc } }
    local resource = assert(cuttle.resource((assert(cuttle.compiler(world):compile {
      entities = { { components = { transform = {} } } } }))))
    local level = assert(world:spawn(resource, { parent = orc }))
    local line = debug.getinfo(1, "l").currentline + 1
    entities:destroy(orc)
    local message = dead_message('entity(0:0) "orc"', line)
    local tf, health = world.transform, world.health
    local other = world:create { transform = {}, health = {} }
    for name, call in pairs {
      create = function() health:create(orc) end,
      create_many = function() health:create_many { orc } end,
      read = function() health:hp(orc) end,
      write = function() health:set_hp(orc, 1) end,
      field = function() health:read(orc, "hp") end,
      get = function() health:get(orc) end,
      set = function() health:set(orc, { hp = 1 }) end,
      write_many = function() health:write_many({ orc }, "hp", 1) end,
      id = function() world.mesh:id(orc) end,
      name = function() world.debug_name:set_debug_name(orc, "x") end,
      parent = function() tf:create(entities:create(), { parent = orc }) end,
      world_parent = function() world:create { transform = { parent = orc } } end,
      link = function() tf:link(other, orc) end,
      unlink = function() tf:unlink(orc) end,
      matrix = function() tf:world_matrix(orc) end,
      poses = function() tf:read_poses_2d({ orc }, {}) end,
      attach = function() world:attach("notes")[orc] = 1 end,
      template = function() template:create() end,
      child = function() child:create(2) end,
      spawn = function() world:spawn(resource, { parent = orc }) end,
      spawn_many = function() world:spawn_many(resource, 2, { parent = orc }) end,
      body = function() world.actor:set_body(orc, 1) end,
      point_mass = function() world.point_mass:mass(orc) end,
      model = function() world.model:node_count(orc) end,
    } do
      local ok, problem = pcall(call)
      assert.is_false(ok, name)
      assert(tostring(problem):find(message, 1, true), name .. ": " .. tostring(problem))
    end
    local _, problem = level:restart()
    assert.equal("parent: " .. message, problem)
    assert.equal(message, world:inspect(orc).dead)
    raises("[2]: " .. message, health.create_many, health, { entities:create(), orc })
  end)

  it("adds them to messages about instances with a dead owner", function()
    local instance = world.health:lookup(orc)
    entities:destroy(orc)
    raises('entity(0:0) "orc" is dead, destroyed at ' .. HERE, world.health.hp, world.health, instance)
  end)

  it("adds both names if the index was reused", function()
    entities, world = new { trace = true, minimum_free_indices = 0 }
    local first = world:create { debug_name = { name = "first" } }
    entities:destroy(first)
    local second = world:create { debug_name = { name = "second" } }
    entities:destroy(second)
    world:create { debug_name = { name = "third" } }
    raises(('entity(0:0) "first" is dead, destroyed at %s%d (index now entity(0:2) "third")'):format(HERE,
      debug.getinfo(1, "l").currentline - 5), world.health.create, world.health, first)
    raises('entity(0:1) "second" is dead', world.health.create, world.health, second)
  end)

  it("adds the name that an entity had when it died, in any world", function()
    local other = cuttle.world(entities)
    local e = entities:create()
    other.debug_name:set_debug_name(e, "before")
    other.debug_name:set_debug_name(e, "after")
    entities:destroy(e)
    raises('"after" is dead, destroyed at', world.health.create, world.health, e)
    other:destroy()
    raises('"after" is dead, destroyed at', world.health.create, world.health, e)
    local nameless = entities:create()
    entities:destroy(nameless)
    raises(cuttle.entity_tostring(nameless) .. " is dead, destroyed at", world.health.create, world.health, nameless)
  end)

  it("adds the place of an unload, destroy_tree or clear", function()
    local resource = assert(cuttle.resource((assert(cuttle.compiler(world):compile {
      entities = { { name = "lamp", components = { transform = {} } } } }))))
    local level = assert(world:spawn(resource))
    local lamp, line = level:entity(1), debug.getinfo(1, "l").currentline + 1
    level:unload()
    raises(dead_message(cuttle.entity_tostring(lamp) .. ' "lamp"', line), world.health.create, world.health, lamp)
    line = debug.getinfo(1, "l").currentline + 1
    world.transform:destroy_tree(orc)
    raises(dead_message('entity(0:0) "orc"', line), world.health.create, world.health, orc)
    local e = world:create { debug_name = { name = "last" } }
    line = debug.getinfo(1, "l").currentline + 1
    world:clear { entities = true }
    raises(dead_message(cuttle.entity_tostring(e) .. ' "last"', line), world.health.create, world.health, e)
  end)

  it("records the entities that a restore ended, and its place", function()
    local before = world:create { debug_name = { name = "before" } }
    entities:destroy(orc)
    local snapshot = entities:snapshot()
    local later = world:create { debug_name = { name = "later" } }
    entities:destroy(before)
    local line = debug.getinfo(1, "l").currentline + 1
    entities:restore(snapshot)
    assert.is_true(entities:alive(before))
    assert.same({ name = "before" }, world:inspect(before).debug_name)
    assert.equal(dead_message(cuttle.entity_tostring(later) .. ' "later"', line), world:inspect(later).dead)
    assert.matches('entity(0:0) "orc" is dead, destroyed at ' .. HERE, world:inspect(orc).dead, 1, true)
    entities:destroy(before)
    assert.equal(dead_message(cuttle.entity_tostring(before) .. ' "before"', debug.getinfo(1, "l").currentline - 1),
      world:inspect(before).dead)
  end)

  it("adds nothing to inspect for ids that were never issued, and for living and dying entities", function()
    assert.is_nil(world:inspect(cuttle.entity_from_id(4711)).dead)
    assert.is_nil(world:inspect(orc).dead)
    assert.is_nil(world:inspect(entities:create()).dead)
    local found
    entities:on_destroy(function(e) found = world:inspect(e) end)
    entities:destroy(orc)
    assert.is_nil(found.dead)
    assert.equal("orc", found.debug_name.name)
  end)

  it("counts the memory of its records", function()
    local bytes = entities:memory()
    entities:destroy(entities:create(1000))
    assert.is_true(entities:memory() > bytes + 8000)
  end)

  it("can destroy when memory for its records runs out", function()
    if not (core.testing and core.testing.fail_in) then return end
    local list = entities:create(100)
    core.testing.fail_in(0)
    local ok, count = pcall(entities.destroy, entities, list)
    core.testing.fail_in(-1)
    if ok then
      assert.equal(100, count)
      raises(cuttle.entity_tostring(list[1]) .. " is dead", world.health.create, world.health, list[1])
    end
  end)

  it("shortens long names and paths", function()
    world.debug_name:set_debug_name(orc, ("n"):rep(500))
    assert(loadstring("local e, o = ... e:destroy(o)", "@" .. ("p"):rep(300) .. ".lua"))(entities, orc)
    local message = world:inspect(orc).dead
    assert.matches('^entity%(0:0%) "' .. ("n"):rep(64) .. '" is dead, destroyed at %.%.%.p+%.lua:1$', message)
  end)

  it("keeps zero bytes in names", function()
    world.debug_name:set_debug_name(orc, "or\0c\0")
    entities:destroy(orc)
    raises('entity(0:0) "or\\0c\\0" is dead, destroyed at ' .. HERE, world.health.create, world.health, orc)
  end)
end)

describe("an entity manager without trace", function()
  it("adds no name and no place, and inspect of a dead entity is empty", function()
    local entities, world = new {}
    local e = world:create { debug_name = { name = "orc" } }
    entities:destroy(e)
    assert.same({}, world:inspect(e))
    local message = raises("entity(0:0) is dead", world.health.create, world.health, e)
    assert.is_nil(message:find("orc", 1, true))
    assert.is_nil(message:find("destroyed", 1, true))
  end)
end)
