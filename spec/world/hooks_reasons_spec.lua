-- The reason that hooks get as third argument.
local cuttle = require "cuttle"
local collect = require "spec.support.collect"

local NAMES = { "transform", "debug_name", "model", "mesh", "point_mass", "actor", "grid", "alpha", "beta" }

local function components()
  return {
    transform = {}, debug_name = { name = "orc" }, model = { resource = "m" }, mesh = { resource = "r" },
    point_mass = {}, actor = {}, grid = { width = 1, height = 1, cells = { 1 } }, alpha = {}, beta = {},
  }
end

local function fresh()
  local entities = cuttle.entity_manager()
  local world = cuttle.world(entities)
  world:define("alpha", { { "n", "int32" } })
  world:define("beta", { { "n", "int32" } }, { multiple = true })
  world.mesh:define_resource("r", {})
  world.model:define_resource("m", { nodes = { { name = "a" } } })
  return world, entities
end

-- Returns a table that collects "NAME+reason" and "NAME-reason" of all managers of a world.
local function listen(world, names)
  local log = {}
  for _, name in ipairs(names or NAMES) do
    local manager = world:manager(name)
    manager:on_add(function(_, _, reason) log[#log + 1] = name .. "+" .. reason end)
    manager:on_remove(function(_, _, reason, ...)
      assert.equal(0, select("#", ...))
      log[#log + 1] = name .. "-" .. reason
    end)
  end
  return log
end

-- Checks that every manager logged these events ("+create" ...) once, in this order, and no others.
local function check_each(log, ...)
  local expected, got = {}, {}
  for _, name in ipairs(NAMES) do expected[name], got[name] = { ... }, {} end
  for _, event in ipairs(log) do
    local name, event_reason = event:match "^([%a_]+)(.*)$"
    table.insert(got[name], event_reason)
  end
  assert.are.same(expected, got)
  for i = #log, 1, -1 do log[i] = nil end
end

local function flush(log)
  local text = table.concat(log, " ")
  for i = #log, 1, -1 do log[i] = nil end
  return text
end

local function resource_of(world, list)
  return assert(cuttle.resource(assert(cuttle.compiler(world):compile { entities = list })))
end

describe("the reason that a hook gets", function()
  it("is create or destroy for entities that are created and destroyed", function()
    local world, entities = fresh()
    local log = listen(world)
    local e = world:create(components())
    check_each(log, "+create")
    entities:destroy(e)
    check_each(log, "-destroy")
    entities:destroy(world:create(components(), 1))
    check_each(log, "+create", "-destroy")
    entities:destroy(world:template(components()):create())
    check_each(log, "+create", "-destroy")
    world.transform:destroy_tree(world:create(components()))
    check_each(log, "+create", "-destroy")
    assert(world:validate())
  end)

  it("is create or remove for a single component", function()
    local world, entities = fresh()
    local log = listen(world)
    local all, e = components(), entities:create()
    for _, name in ipairs(NAMES) do world:manager(name):create(e, all[name]) end
    check_each(log, "+create")
    for _, name in ipairs(NAMES) do world:manager(name):destroy(e) end
    check_each(log, "-remove")
    for _, name in ipairs(NAMES) do
      local manager = world:manager(name)
      manager:destroy(manager:create_many({ e }, all[name]))
    end
    check_each(log, "+create", "-remove")
    world.debug_name:set_debug_name(e, "elf")
    assert.equal("debug_name+create", flush(log))
  end)

  it("is spawn or unload for a level", function()
    local world = fresh()
    local log = listen(world)
    local resource = resource_of(world, { { components = components() } })
    local level = assert(world:spawn(resource))
    check_each(log, "+spawn")
    level:unload()
    check_each(log, "-unload")
    level = assert(world:spawn_many(resource, 2))
    check_each(log, "+spawn", "+spawn")
    level:unload()
    check_each(log, "-unload", "-unload")
    assert(world:spawn(resource_of(world, { { name = "a" } }), { overrides = { a = { alpha = { n = 3 } } } }))
    assert.equal("debug_name+spawn alpha+spawn", flush(log))
  end)

  it("is restart for the old and the new entities of a restart", function()
    local world = fresh()
    local log = listen(world)
    local level = assert(world:spawn(resource_of(world, { { components = components() } })))
    world.alpha:destroy(level:entity(1))
    world.alpha:create(level:entity(1))
    flush(log)
    assert(level:restart())
    check_each(log, "+restart", "-restart")
    level:unload()
    check_each(log, "-unload")
    assert(level:restart())
    check_each(log, "+restart")
  end)

  it("is patch for components that a patch adds or removes", function()
    local world = fresh()
    local log = listen(world)
    local all = components()
    all.debug_name = nil
    local bare = { { id = "a", name = "a", components = { transform = {} } } }
    local full = { { id = "a", name = "a", components = all } }
    local more = { bare[1], { id = "b", name = "b", components = all } }
    local level = assert(world:spawn(resource_of(world, bare)))
    flush(log)
    local function patch(list)
      assert(level:patch(resource_of(world, list)))
      table.sort(log)
      return flush(log)
    end
    local function all_but(prefix, reason)
      local list = {}
      for _, name in ipairs(NAMES) do
        if not prefix[name] then list[#list + 1] = name .. reason end
      end
      table.sort(list)
      return table.concat(list, " ")
    end
    local kept = { transform = true, debug_name = true }
    assert.equal(all_but(kept, "+patch"), patch(full))
    assert.equal(all_but(kept, "-patch"), patch(bare))
    assert.equal(all_but({}, "+patch"), patch(more))
    assert.equal(all_but({}, "-patch"), patch(bare))
  end)

  it("is clear, with and without the entities option", function()
    for _, options in ipairs { {}, { entities = true } } do
      local world = fresh()
      local log = listen(world)
      world:create(components())
      assert(world:spawn(resource_of(world, { { components = components() } })))
      flush(log)
      world:clear(options)
      check_each(log, "-clear", "-clear")
    end
  end)

  it("is world when the world is destroyed or collected, for levels too", function()
    local function made()
      local world = fresh()
      local log = listen(world)
      world:create(components())
      assert(world:spawn(resource_of(world, { { components = components() } })))
      flush(log)
      return log, world
    end
    for _, options in ipairs { {}, { entities = true } } do
      local log, world = made()
      world:destroy(options)
      check_each(log, "-world", "-world")
    end
    local log = made()
    flush(made()) -- overwrites references to the first world that are left on the stack
    collect()
    check_each(log, "-world", "-world")
  end)

  it("is undo when a create fails", function()
    local world, entities = fresh()
    local log = listen(world)
    world.beta:on_add(function() error("no beta", 0) end)
    assert.is_false(pcall(world.create, world, components()))
    check_each(log, "+create", "-undo")
    assert.is_false(pcall(world.create, world, components(), 2))
    for i = #log, 1, -1 do
      if log[i]:find "^beta" then table.remove(log, i) end
    end
    assert.equal(32, #log)
    for i, event in ipairs(log) do assert.truthy(event:find(i <= 16 and "+create" or "-undo", 1, true)) end
    flush(log)
    local template = world:template(components())
    assert.is_false(pcall(template.create, template))
    check_each(log, "+create", "-undo")
    local e = entities:create()
    assert.is_false(pcall(world.beta.create, world.beta, e))
    assert.equal("beta+create beta-undo", flush(log))
    assert.is_false(pcall(world.beta.create_many, world.beta, { e, e }))
    assert.equal("beta+create beta-undo", flush(log))
    assert(world:validate())
  end)

  it("is undo when a spawn, restart or patch fails", function()
    local world, entities = fresh()
    local log = listen(world)
    local resource = resource_of(world, { { id = "a", components = components() } })
    local level = assert(world:spawn(resource_of(world, { { id = "a" } })))
    local other = assert(world:spawn(resource_of(world, { { components = { beta = {} } } })))
    flush(log)
    world.beta:on_add(function() error("no beta", 0) end)
    assert.is_nil((world:spawn(resource)))
    check_each(log, "+spawn", "-undo")
    assert.is_nil((level:patch(resource)))
    check_each(log, "+patch", "-undo")
    assert.is_nil((other:restart()))
    assert.equal("beta+restart beta-undo", flush(log))
    assert.equal(2, entities:count())
    assert(world:validate())
  end)

  it("is undo for components that hooks added to the entities of a failed call", function()
    local world = fresh()
    world.alpha:on_add(function(e) world.point_mass:create(e) end)
    world.beta:on_add(function() error("no beta", 0) end)
    local log = listen(world, { "point_mass" })
    assert.is_false(pcall(world.create, world, { alpha = {}, beta = {} }))
    assert.equal("point_mass+create point_mass-undo", flush(log))
    assert.is_nil((world:spawn(resource_of(world, { { components = { alpha = {}, beta = {} } } }))))
    assert.equal("point_mass+create point_mass-undo", flush(log))
  end)

  it("is that of a nested operation during it, and that of the outer operation after it", function()
    local world, entities = fresh()
    local victims = world:create({ point_mass = {} }, 4)
    local inner = assert(world:spawn(resource_of(world, { { components = { grid = components().grid } } })))
    local level = assert(world:spawn(resource_of(world, {
      { components = { alpha = {}, beta = {} } }, { components = { alpha = {}, beta = {} } } })))
    local made
    entities:on_destroy(function(e)
      if e == level:entity(1) then entities:destroy(victims[1]) end
    end)
    world.alpha:on_remove(function(e)
      if e ~= level:entity(1) then return end
      entities:destroy { victims[2], victims[3] }
      world.point_mass:destroy(victims[4])
      made = world:create { mesh = { resource = "r" } }
      inner:unload()
    end)
    local log = listen(world)
    level:unload()
    assert.equal("point_mass-destroy point_mass-destroy point_mass-destroy point_mass-remove mesh+create "
      .. "grid-unload alpha-unload beta-unload alpha-unload beta-unload", flush(log))
    assert.is_true(entities:alive(made))
  end)

  it("is unload for an unload inside world:destroy", function()
    local world = fresh()
    local level = assert(world:spawn(resource_of(world, { { components = { alpha = {} } } })))
    local other = world:spawn(resource_of(world, { { components = { beta = {} } } }))
    world.beta:on_remove(function() level:unload() end)
    local log = listen(world)
    assert.is_not_nil(other)
    world:destroy()
    assert.equal("alpha-unload beta-world", flush(log))
  end)

  it("is the same for all hooks of one component", function()
    local world, entities = fresh()
    local e = world:create { alpha = {}, beta = {} }
    local once = true
    world.alpha:on_remove(function()
      if once then
        once = false
        entities:destroy(e)
      end
    end)
    local log = listen(world)
    world.alpha:destroy(e)
    assert.equal("alpha-remove beta-destroy", flush(log))
  end)

  it("is that of the operation in other worlds of the same entities too", function()
    local world, entities = fresh()
    local other = cuttle.world(entities)
    other:define("alpha", {})
    local log = listen(other, { "alpha" })
    local level = assert(world:spawn(resource_of(world, { { components = { alpha = {} } } })))
    other.alpha:create(level:entity(1))
    level:unload()
    assert.equal("alpha+create alpha-unload", flush(log))
  end)
end)
