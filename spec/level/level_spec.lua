-- Levels when memory runs out, callbacks raise or nest too deep, or the world is collected.

local collect = require "spec.support.collect"
local core = require "cuttle.core"
local counts = require "spec.support.counts"
local cuttle = require "cuttle"
local valid = require "spec.support.valid"

-- Adds components of all kinds to a new world, for LEVEL, which has one of each.
local function scene(entities)
  local world = cuttle.world(entities)
  world:define("health", { { "hp", "float", 100 } })
  world:define("wheel", { { "radius", "float" } }, { multiple = true })
  world.mesh:define_resource("body", {})
  world.actor:on_spawn(function() return {} end)
  world:register_spawner("spikes", function(lookup, _, index) world.health:create(lookup[index[1] + 1]) end)
  return world
end

local LEVEL = { entities = {
  { name = "car", components = { transform = {}, actor = { shape = "box" }, point_mass = { mass = 2 } },
    children = {
      { name = "seat", components = { transform = {}, mesh = { resource = "body" }, spikes = {}, wheel = { {} } } } } },
  { name = "lamp", components = { health = { hp = 5 } } },
} }

local OVERRIDES = { car = { transform = { scale = 2 }, actor = { shape = "ball" } }, ["car/seat"] = { wheel = { {} } },
  lamp = { actor = { shape = "post" } } }

local function load(world, source)
  local compiler = cuttle.compiler(world)
  compiler:register("spikes", function() return "" end)
  return assert(cuttle.resource((assert(compiler:compile(source or LEVEL)))))
end

-- A level of one entity with one component.
local function load_one(world, name) return load(world, { entities = { { components = { [name] = {} } } } }) end

describe("a level, when memory runs out,", function()
  local fail_in = core.testing and core.testing.fail_in
  if not fail_in then return end
  after_each(function() fail_in(-1) end)

  -- Calls fn(n) with the n-th allocation failing, until none fails. Returns the number of failures.
  local function sweep(make, try)
    for n = 0, 400 do
      local subject = make()
      fail_in(n)
      local fine, result, message = pcall(try, subject)
      fail_in(-1)
      assert(fine, result)
      if result then return n end
      assert.matches("not enough memory$", message)
      assert.is_nil(result)
      subject.unchanged()
      valid(subject.world)
    end
    error "the call failed with every number of allocations"
  end

  local function fresh()
    local entities = cuttle.entity_manager()
    local world = scene(entities)
    local parent = world:create { transform = {} }
    local subject = { world = world, parent = parent, resource = load(world) }
    local before = counts(world)
    function subject.unchanged() assert.are.same(before, counts(world)) end
    return subject
  end

  it("is not spawned, and spawn returns nil and a message, with all kinds of components", function()
    local failures = sweep(fresh, function(s)
      return s.world:spawn(s.resource, { parent = s.parent, overrides = OVERRIDES, position = { 1, 2, 3 } })
    end)
    assert.is_true(failures > 10, failures)
  end)

  it("is not spawned in a world that makes bodies for the first time", function()
    for n = 0, 3 do
      local world = cuttle.world(cuttle.entity_manager())
      world.actor:on_spawn(function() return {} end)
      local resource = load_one(world, "actor")
      fail_in(n)
      assert.are.same({ n = 2, nil, "not enough memory" }, { n = 2, world:spawn(resource) })
      fail_in(-1)
      assert.equal(0, world.entities:count())
    end
  end)

  it("is not spawned if the search for paths of overrides gets no memory", function()
    local world = scene(cuttle.entity_manager())
    local resource = load(world)
    fail_in(0)
    local level, message = world:spawn(resource, { overrides = { ["car/seat"] = { transform = {} } } })
    assert.is_nil(level)
    assert.equal("not enough memory", message)
  end)

  -- A level whose world makes no bodies at its spawn, but makes them at its restart.
  local function spawned()
    local subject = fresh()
    local world = subject.world
    world.actor:on_spawn(nil)
    local level = assert(world:spawn(subject.resource, { parent = subject.parent, overrides = OVERRIDES }))
    world.actor:on_spawn(function() return {} end)
    local list = level:entities()
    function subject.is_intact()
      return level:count() == #list and level:find "car/seat" == list[2] and world.entities:count() == #list + 1
    end
    function subject.unchanged() assert.is_true(subject.is_intact()) end
    subject.level = level
    return subject
  end

  it("is unchanged if the preparation of its restart gets no memory", function()
    local subject = spawned()
    fail_in(0)
    local result, message = subject.level:restart()
    assert.is_nil(result)
    assert.equal("not enough memory", message)
    assert.is_true(subject.is_intact())
  end)

  it("is restarted, or restart returns nil and a message", function()
    assert.is_true(sweep(spawned, function(s) return s.level:restart() end) > 0)
  end)
end)

describe("a level whose restart exceeds the limit of nested callbacks", function()
  it("is unchanged, and restart returns a message", function()
    local world = cuttle.world(cuttle.entity_manager())
    local resource = load_one(world, "spikes")
    local levels, depth, refused, message = {}, 0, nil, nil
    for i = 1, 150 do levels[i] = assert(world:spawn(resource)) end
    local before = {}
    for i, level in ipairs(levels) do before[i] = level:entity(1) end
    world:register_spawner("spikes", function()
      depth = depth + 1
      local own = depth
      if not levels[own] or refused then return end
      local result, trouble = levels[own]:restart()
      if not result and not refused then refused, message = own, trouble end
    end)
    assert(world:spawn(resource))
    -- Lua 5.1 also limits its own nested calls, and may reach that limit first.
    assert.is_true(message == "too many nested callbacks (limit is 100)" or message == "C stack overflow", message)
    assert.equal(before[refused], levels[refused]:entity(1))
    assert.is_true(world.entities:alive(before[refused]))
    for _, level in ipairs(levels) do assert.equal(1, level:count()) end
    valid(world)
  end)
end)

describe("a callback that raises an error object", function()
  local world, object

  before_each(function()
    world = cuttle.world(cuttle.entity_manager())
    local function words() return "the length must be positive" end
    object = setmetatable({}, { __tostring = words, __metatable = "hidden" })
  end)

  it("gives the object's text as message: in a spawner", function()
    world:register_spawner("spikes", function() error(object) end)
    local resource = load_one(world, "spikes")
    assert.are.same({ n = 2, nil, "spikes: the length must be positive" }, { n = 2, world:spawn(resource) })
  end)

  it("gives the object's text as message: in on_spawn", function()
    world.actor:on_spawn(function() error(object) end)
    assert.are.same({ n = 2, nil, "the length must be positive" }, { n = 2, world:spawn(load_one(world, "actor")) })
  end)

  it("gives the object's text as message: in on_destroy, in a restart", function()
    local level = assert(world:spawn(load_one(world, "actor")))
    world.entities:on_destroy(function() error(object) end)
    assert.are.same({ false, "the length must be positive" }, { pcall(level.restart, level) })
    assert.equal(1, level:count())
  end)

  it("gives a general message if __tostring raises or returns no string", function()
    for _, words in ipairs { function() error "no words" end, function() return 5 end, 7 } do
      local dumb = setmetatable({}, { __tostring = words })
      world:register_spawner("spikes", function() error(dumb) end)
      local level, message = world:spawn(load_one(world, "spikes"))
      assert.is_nil(level)
      assert.equal("spikes: a spawner raised no message", message)
    end
    world.entities:on_destroy(function() error {} end)
    local level = assert(world:spawn(load_one(world, "actor")))
    assert.are.same({ false, "a destroy callback raised an error" }, { pcall(level.restart, level) })
  end)
end)

describe("a level that is collected with its resource and its world", function()
  it("raises in copy_range and find in destroy callbacks", function()
    local copies, found = {}, {}
    do
      local entities = cuttle.entity_manager()
      local world = scene(entities)
      local level = assert(world:spawn_many(load(world), 2))
      entities:on_destroy(function()
        copies[#copies + 1] = select(2, pcall(level.copy_range, level, 2))
        found[#found + 1] = select(2, pcall(level.find, level, "lamp"))
      end)
    end
    collect()
    assert.equal(("resource is gone;"):rep(6), table.concat(copies, ";") .. ";")
    assert.same(copies, found)
  end)
end)
