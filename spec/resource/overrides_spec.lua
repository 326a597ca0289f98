-- The option overrides of a spawn.

-- tags: ffi machine

local core = require "cuttle.core"
local cuttle = require "cuttle"
local near = require "spec.support.near"
local new_random = require "spec.support.random"
local raises = require "spec.support.raises"
local rounds = require "spec.support.rounds"
local seed = require "spec.support.seed"
local valid = require "spec.support.valid"

local LEVEL = { entities = {
  { name = "car", components = { transform = { position = { 1, 0, 0 } }, health = { hp = 5, title = "red" },
      wheel = { { id = "front", radius = 2, kind = "steel" }, { radius = 3 } } },
    children = {
      { name = "seat", children = {
        { name = "driver", components = { transform = { position = { 0, 1, 0 } } } } } },
      { name = "bulb", components = { transform = { position = { 0, 0, 1 } } } },
    } },
  { name = "lamp", components = { transform = { position = { 4, 0, 0 } }, actor = { shape = "box" } },
    children = { { name = "bulb", components = { transform = { scale = 2 }, health = {} } } } },
} }

describe("overrides of a spawn", function()
  local entities, world

  local function define(w)
    w:define("health", { { "hp", "float", 100 }, { "title", "string", "orc" }, { "target", "entity" } })
    w:define("wheel", { { "radius", "float", 1 }, { "kind", "string", "plain" } }, { multiple = true })
    w.model:define_resource("crane", { nodes = { { name = "base" } } })
    w.mesh:define_resource("body", {})
    return w
  end

  before_each(function()
    entities = cuttle.entity_manager()
    world = define(cuttle.world(entities))
  end)

  local function load(source)
    return assert(cuttle.resource((assert(cuttle.compiler(world):compile(source or LEVEL)))))
  end

  local function spawn(overrides, options)
    options = options or {}
    options.overrides = overrides
    return assert(world:spawn(load(), options))
  end

  local function position(e) return { world.transform:world_position(e) } end

  local function column_position(e)
    local column, row = world.transform:column "world_matrix", world.transform:row(e)
    local m = { column:get(row) }
    return { m[13], m[14], m[15] }
  end

  describe("set", function()
    it("the given fields, and other fields keep the resource's values", function()
      local level = spawn { car = { health = { hp = 9 } } }
      assert.equal(9, world.health:hp(level:find "car"))
      assert.equal("red", world.health:title(level:find "car"))
      valid(world)
    end)

    it("fields of every entity that matches the path", function()
      local level = spawn { bulb = { health = { hp = 1 } } }
      assert.equal(1, world.health:hp(level:find "car/bulb"))
      assert.equal(1, world.health:hp(level:find "lamp/bulb"))
    end)

    it("only fields of entities below the parents that the path names", function()
      local level = spawn { ["lamp/bulb"] = { health = { title = "lit" } } }
      assert.equal("lit", world.health:title(level:find "lamp/bulb"))
      assert.is_false(world.health:has(level:find "car/bulb"))
    end)

    it("entities and strings", function()
      local foe = entities:create()
      local level = spawn { car = { health = { target = foe, title = "" } } }
      assert.equal(foe, world.health:target(level:find "car"))
      assert.equal("", world.health:title(level:find "car"))
    end)

    it("the values of the alphabetically last path, if several match an entity", function()
      local level = spawn { bulb = { health = { hp = 1, title = "b" } }, ["car/bulb"] = { health = { hp = 2 } },
        ["lamp/bulb"] = { health = { hp = 3 } } }
      assert.equal(2, world.health:hp(level:find "car/bulb"))
      assert.equal(3, world.health:hp(level:find "lamp/bulb"))
      assert.equal("b", world.health:title(level:find "lamp/bulb"))
    end)

    it("nothing if they are empty", function()
      local level = spawn { car = {}, lamp = { actor = {} } }
      assert.equal(5, world.health:hp(level:find "car"))
      assert.equal(6, entities:count())
    end)

    it("names of entities, which paths do not use", function()
      local level = spawn { car = { debug_name = { name = "truck" } } }
      assert.equal("truck", world.debug_name:debug_name(level:find "car"))
    end)
  end)

  describe("create", function()
    it("a component that the entity does not have", function()
      local level = spawn { ["car/seat"] = { health = { hp = 7 }, model = { resource = "crane" }, point_mass = {} } }
      local seat = level:find "seat"
      assert.equal(7, world.health:hp(seat))
      assert.equal("orc", world.health:title(seat))
      assert.equal("crane", world.model:resource(seat))
      assert.is_true(world.point_mass:has(seat))
      valid(world)
    end)

    it("components of types that the resource does not have", function()
      local level = spawn({ lamp = { mesh = { { id = "a", resource = "body" }, { resource = "body" } } } },
        { unknown = "error" })
      assert.are.same({ "a", 1 }, world.mesh:ids(level:find "lamp"))
      valid(world)
    end)

    it("actors, for which on_spawn runs once, with the overridden values", function()
      local calls = {}
      world.actor:on_spawn(function(e, values)
        calls[#calls + 1] = { world.debug_name:debug_name(e), values.shape }
      end)
      spawn { lamp = { actor = { shape = "cone" } }, car = { actor = { shape = "ball" } },
        ["car/bulb"] = { actor = {} }, bulb = { actor = { shape = "dot" } } }
      assert.are.same({ { "car", "ball" }, { "bulb", "dot" }, { "lamp", "cone" }, { "bulb", "dot" } }, calls)
    end)
  end)

  describe("of a component that is multiple", function()
    it("replace the component with the same id, whose other fields are defaults then", function()
      local level = spawn { car = { wheel = { { id = "front", radius = 9 } } } }
      local car = level:find "car"
      assert.are.same({ "front", 1 }, world.wheel:ids(car))
      assert.equal(9, world.wheel:radius(world.wheel:lookup(car, "front")))
      assert.equal("plain", world.wheel:kind(world.wheel:lookup(car, "front")))
      assert.equal(3, world.wheel:radius(world.wheel:lookup(car, 1)))
      valid(world)
    end)

    it("append the others, in order", function()
      local level = spawn { car = { wheel = { { id = "spare" }, { radius = 4 }, { id = 1, radius = 5 } } } }
      local car = level:find "car"
      assert.are.same({ "front", 1, "spare", 2 }, world.wheel:ids(car))
      assert.equal(5, world.wheel:radius(world.wheel:lookup(car, 1)))
      assert.equal(4, world.wheel:radius(world.wheel:lookup(car, 2)))
    end)

    it("accept one table for one component", function()
      local level = spawn { car = { wheel = { radius = 4 } }, lamp = { wheel = {} } }
      assert.equal(3, #world.wheel:ids(level:find "car"))
      assert.are.same({ 3 }, world.wheel:ids(level:find "lamp"))
    end)

    it("may have thousands of ids, which other entities may have, too", function()
      local wheels = {}
      for i = 1, 2000 do wheels[i] = { id = "wheel" .. i, radius = i } end
      local level = spawn { car = { wheel = wheels }, lamp = { wheel = wheels } }
      for _, name in ipairs { "car", "lamp" } do
        local e = level:find(name)
        assert.equal(2000, world.wheel:radius(world.wheel:lookup(e, "wheel2000")))
      end
      wheels[2001] = { id = "wheel1" }
      raises("overrides: lamp: wheel[2001]: id: duplicate", function() spawn { lamp = { wheel = wheels } } end)
      valid(world)
    end)

    it("raise if two items have the same id", function()
      raises("overrides: car: wheel[3]: id: duplicate",
        function() spawn { car = { wheel = { { id = "a" }, {}, { id = "a" } } } } end)
      assert.are.same({ "front", 1, "1" }, world.wheel:ids(spawn { car = { wheel = { { id = 1 }, { id = "1" } } } }
        :find "car"))
    end)
  end)

  describe("of transforms", function()
    it("change the local pose, and move descendants", function()
      local level = spawn { car = { transform = { position = { 10, 0, 0 } } } }
      assert.are.same({ 10, 0, 0 }, position(level:find "car"))
      assert.are.same({ 10, 1, 0 }, position(level:find "driver"))
      assert.are.same({ 10, 1, 0 }, column_position(level:find "driver"))
      valid(world)
    end)

    it("keep the parts that are not given", function()
      local level = spawn { ["lamp/bulb"] = { transform = { position = { 0, 3, 0 } } } }
      assert.are.same({ 2, 2, 2 }, { world.transform:local_scale(level:find "lamp/bulb") })
      assert.are.same({ 4, 3, 0 }, position(level:find "lamp/bulb"))
    end)

    it("are applied before the pose of the spawn, which is composed with each root's", function()
      local options = { position = { 100, 0, 0 }, scale = 2 }
      local level = spawn({ car = { transform = { position = { 10, 0, 0 } } },
        driver = { transform = { position = { 0, 0, 5 } } } }, options)
      assert.are.same({ 120, 0, 0 }, position(level:find "car"))
      assert.are.same({ 120, 0, 10 }, position(level:find "driver"))
      assert.are.same({ 108, 0, 0 }, position(level:find "lamp"))
      assert.are.same({ 2, 2, 2 }, { world.transform:local_scale(level:find "lamp") })
      assert.are.same({ 120, 0, 10 }, column_position(level:find "driver"))
      valid(world)
    end)

    it("are relative to the spawn's parent", function()
      local parent = world:create { transform = { position = { 0, 0, 7 } } }
      local level = spawn({ car = { transform = { position = { 10, 0, 0 } } } },
        { parent = parent, position = { 1, 0, 0 } })
      assert.are.same({ 11, 0, 7 }, position(level:find "car"))
      assert.are.same({ 11, 1, 7 }, position(level:find "driver"))
      assert.are.same({ 5, 0, 7 }, position(level:find "lamp"))
      local order = {}
      for e in world.transform:children(parent) do order[#order + 1] = world.debug_name:debug_name(e) end
      assert.are.same({ "car", "lamp" }, order)
      valid(world)
    end)

    it("give the same result as a resource compiled with these values", function()
      local options = { position = { 3, -2, 1 }, angle = 0.5, scale = { 2, 2, 2 } }
      local here = spawn({ car = { transform = { angle = 1, scale = { 1, 3, 1 } } } }, options)
      local source = { entities = { { name = "car", components = { transform = { position = { 1, 0, 0 }, angle = 1,
        scale = { 1, 3, 1 } } }, children = LEVEL.entities[1].children } } }
      options.overrides = nil
      local there = assert(world:spawn(load(source), options))
      for _, path in ipairs { "car", "driver", "car/bulb" } do
        near({ world.transform:world_matrix(there:find(path)) }, { world.transform:world_matrix(here:find(path)) })
      end
    end)

    it("that are new are linked to the nearest ancestor, and become parents of their descendants", function()
      local level = spawn({ ["car/seat"] = { transform = { position = { 0, 0, 9 } } } }, { position = { 5, 0, 0 } })
      local t, seat, driver = world.transform, level:find "seat", level:find "driver"
      assert.equal(level:find "car", t:entity(t:parent(seat)))
      assert.equal(seat, t:entity(t:parent(driver)))
      assert.are.same({ 6, 0, 9 }, position(seat))
      assert.are.same({ 6, 1, 9 }, position(driver))
      assert.are.same({ 6, 1, 9 }, column_position(driver))
      valid(world)
    end)

    it("that are new in a level without transforms are placed like others", function()
      local parent = world:create { transform = { position = { 0, 0, 7 } } }
      local resource = load { entities = {
        { name = "a", children = { { name = "b", children = { { name = "c" } } } } } } }
      local level = assert(world:spawn(resource, { parent = parent, position = { 1, 0, 0 }, overrides = {
        a = { transform = { position = { 0, 1, 0 } } }, c = { transform = { position = { 0, 1, 0 } } } } }))
      assert.are.same({ 1, 1, 7 }, position(level:find "a"))
      assert.are.same({ 1, 2, 7 }, position(level:find "c"))
      assert.is_false(world.transform:has(level:find "b"))
      valid(world)
    end)

    it("give current poses in a batch, and after it", function()
      local level
      world.transform:batch(function()
        level = spawn({ car = { transform = { position = { 10, 0, 0 } } } }, { position = { 1, 0, 0 } })
        assert.are.same({ 11, 1, 0 }, position(level:find "driver"))
        assert.are.same({ 11, 1, 0 }, column_position(level:find "driver"))
      end)
      assert.are.same({ 11, 1, 0 }, column_position(level:find "driver"))
      valid(world)
    end)

    it("give current poses in deferred mode, before and after propagate", function()
      world.transform:set_mode "deferred"
      local level = spawn({ car = { transform = { position = { 10, 0, 0 } } }, seat = { transform = {} } },
        { position = { 1, 0, 0 } })
      assert.are.same({ 11, 1, 0 }, position(level:find "driver"))
      assert.are.same({ 11, 1, 0 }, column_position(level:find "driver"))
      world.transform:propagate()
      assert.are.same({ 11, 1, 0 }, position(level:find "driver"))
      valid(world)
    end)

    it("are applied to every node of a deep chain, half of which are new", function()
      local source, depth = { entities = {} }, 3000
      for i = 1, depth do
        source.entities[i] = { id = i .. "", name = "link", parent = i > 1 and i - 1 .. "" or nil,
          components = i % 2 == 0 and { transform = { position = { 1, 0, 0 } } } or nil }
      end
      local level = assert(world:spawn(load(source), { position = { 0, 1, 0 },
        overrides = { link = { transform = { position = { 2, 0, 0 } } } } }))
      assert.are.same({ 2 * depth, 1, 0 }, position(level:entity(depth)))
      assert.equal(depth - 1, world.transform:depth(level:entity(depth)))
      valid(world)
    end)

    it("cannot change the hierarchy", function()
      local e = world:create { transform = {} }
      raises("overrides: car: transform: parent: an override cannot change the hierarchy of the resource",
        function() spawn { car = { transform = { parent = e } } } end)
    end)
  end)

  describe("raise, and nothing is spawned,", function()
    local function refused(text, overrides)
      raises("bad argument #2 to 'spawn' (overrides: " .. text,
        function() world:spawn(load(), { overrides = overrides }) end)
      assert.equal(0, entities:count())
      for name, manager in world:managers() do assert.equal(0, manager:count(), name) end
    end

    it("if they are not a table of components by path", function()
      raises("overrides: table expected, got string", function() world:spawn(load(), { overrides = "car" }) end)
      refused("paths expected for keys, got number", { { health = {} } })
      refused("car: table of components expected, got number", { car = 5 })
      refused("car: component names must be strings", { car = { {} } })
      refused("car: unknown component 'health'", { car = { ["health\0"] = {} } })
      refused("car: health: table of values expected, got number", { car = { health = 5 } })
      refused("car: wheel[2]: table of values expected, got string", { car = { wheel = { {}, "x" } } })
      refused("car: health: table of values expected, got boolean (an override cannot remove a component)",
        { car = { health = false } })
    end)

    it("for a path without entities, and suggest the nearest name", function()
      refused("lamp/blub: no entity of the resource is called 'blub' (did you mean 'bulb'?)", { ["lamp/blub"] = {} })
      refused("lmap/bulb: no entity of the resource is called 'lmap' (did you mean 'lamp'?)", { ["lmap/bulb"] = {} })
      refused("lamp/driver: no entity of the resource has this path", { ["lamp/driver"] = {} })
      refused("dragonfly: no entity of the resource is called 'dragonfly')", { dragonfly = {} })
      refused(": no entity of the resource has this path", { [""] = {} })
      refused("car/: no entity of the resource has this path", { ["car/"] = {} })
    end)

    it("for an unknown component, and suggest the nearest name", function()
      refused("car: unknown component 'helth' (did you mean 'health'?)", { car = { helth = {} } })
    end)

    it("for an unknown field or a wrong value, with path, component and field", function()
      refused("car: health: unknown field 'hpp' (did you mean 'hp'?)", { car = { health = { hpp = 1 } } })
      refused("car: health: hp: expected a number, got string", { car = { health = { hp = "1" } } })
      refused("car: wheel[1]: radius: expected a number, got boolean", { car = { wheel = { { radius = true } } } })
      refused("car: wheel: id: expected a string or an integer", { car = { wheel = { id = 0 } } })
      refused("car: health: unknown field 'id'", { car = { health = { id = 1 } } })
      refused("car: transform: angle: not together with rotation",
        { car = { transform = { angle = 1, rotation = { 0, 0, 0, 1 } } } })
      refused("car: mesh: resource: unknown mesh resource 'bdoy' (did you mean 'body'?)",
        { car = { mesh = { resource = "bdoy" } } })
    end)

    it("for a required field that is missing in a new component", function()
      refused("car: mesh[1]: resource: required", { car = { mesh = { { visible = false } } } })
      refused("car: model: resource: required", { car = { model = {} } })
    end)

    it("for a body, which on_spawn makes", function()
      refused("lamp: actor: body: not in an override, on_spawn makes it", { lamp = { actor = { body = {} } } })
    end)

    it("if the world is destroyed meanwhile", function()
      local resource = load()
      local options = setmetatable({}, { __index = function(_, key)
        if key == "overrides" then world:destroy() end
      end })
      raises("world is destroyed", function() world:spawn(resource, options) end)
    end)
  end)

  it("need not give required fields that the resource has", function()
    local resource = load { entities = { { name = "a", components = { model = { resource = "crane" } } } } }
    local level = assert(world:spawn(resource, { overrides = { a = { model = {} } } }))
    assert.equal("crane", world.model:resource(level:find "a"))
  end)

  describe("and spawners:", function()
    local compiler

    before_each(function()
      compiler = cuttle.compiler(world)
      compiler:register("spikes", function() return "" end, 2)
    end)

    local function load_with(components)
      local source = { entities = { { name = "a", components = components } } }
      return assert(cuttle.resource((assert(compiler:compile(source)))))
    end

    it("spawners see overrides of earlier types, and of types that the resource does not have", function()
      local seen
      world:register_spawner("spikes", function(lookup)
        seen = { world.health:hp(lookup[1]), unpack(position(lookup[1])) }
      end)
      assert(world:spawn(load_with { spikes = {}, transform = {} }, { position = { 1, 0, 0 },
        overrides = { a = { health = { hp = 3 }, transform = { position = { 0, 1, 0 } } } } }))
      assert.are.same({ 3, 1, 1, 0 }, seen)
    end)

    it("components that spawners created are overridden too", function()
      compiler:register("health", function() return "" end)
      world:register_spawner("health", function(lookup) world.health:create(lookup[1], { hp = 1, title = "made" }) end)
      local level = assert(world:spawn(load_with { health = {} }, { overrides = { a = { health = { hp = 2 } } } }))
      assert.equal(2, world.health:hp(level:find "a"))
      assert.equal("made", world.health:title(level:find "a"))
    end)

    it("a spawner that destroys an entity before its overrides makes the spawn fail", function()
      compiler:register("health", function() return "" end)
      world:register_spawner("health", function(lookup) entities:destroy(lookup[1]) end)
      local level, message = world:spawn(load_with { health = {} }, { overrides = { a = { health = { hp = 2 } } } })
      assert.is_nil(level)
      assert.equal("health: an entity that is overridden died while the level was spawned", message)
      assert.equal(0, entities:count())
      valid(world)
    end)

    it("a spawner that raises leaves nothing of the overrides", function()
      world:register_spawner("spikes", function() error("stop", 0) end)
      local level, message = world:spawn(load_with { spikes = {} }, { overrides = { a = { wheel = { {}, {} },
        transform = {} } } })
      assert.is_nil(level)
      assert.equal("spikes: stop", message)
      assert.equal(0, entities:count())
      world:gc()
      assert.equal(0, world.wheel:count() + world.transform:count())
    end)
  end)

  describe("at a restart", function()
    it("are the same as at the spawn, even if the tables changed", function()
      local vector, item = { 10, 0, 0 }, { id = "front", radius = 7 }
      local overrides = { car = { transform = { position = vector }, wheel = { item }, health = { hp = 3 } } }
      local level = spawn(overrides)
      vector[1], item.radius, overrides.car.health.hp, overrides.lamp = 99, 99, 99, 5
      overrides.car.wheel[2] = { radius = 1 }
      assert.equal(level, level:restart())
      local car = level:find "car"
      assert.are.same({ 10, 0, 0 }, position(car))
      assert.equal(3, world.health:hp(car))
      assert.equal(7, world.wheel:radius(world.wheel:lookup(car, "front")))
      assert.equal(2, #world.wheel:ids(car))
      valid(world)
    end)

    it("return nil and a message if they no longer fit, and nothing changes", function()
      world:define("armour", { { "plates", "int32" } })
      local level = spawn { car = { armour = { plates = 2 } } }
      local car = level:find "car"
      world.armour:destroy(car)
      world:define("armour", { { "weight", "float" } })
      local result, message = level:restart()
      assert.is_nil(result)
      assert.equal("overrides: car: armour: unknown field 'plates'", message)
      assert.equal(car, level:find "car")
    end)

    it("give grids their cells even if callbacks restart another level", function()
      local grid = { width = 1, height = 1, cells = { 7 } }
      local source = load { entities = { { name = "one", components = { grid = grid } },
        { name = "other", components = { grid = grid } } } }
      local overrides = { one = { grid = { width = 2, height = 2 } }, other = { grid = { width = 3, height = 2 } } }
      local level = assert(world:spawn_many(source, 3, { overrides = overrides }))
      local inner = assert(world:spawn_many(source, 2, { overrides = overrides }))
      local restarted
      entities:on_destroy(function()
        if restarted then return end
        restarted = true
        assert(inner:restart())
      end)
      assert.equal(level, level:restart())
      assert.is_true(restarted)
      for _, one in ipairs { level, inner } do
        for i = 1, one:count() do
          assert.are.same(i % 2 == 1 and { 2, 2 } or { 3, 2 }, { world.grid:size(one:entity(i)) })
        end
      end
      valid(world)
    end)

    -- A search through all others for each entity would take minutes.
    it("take time in proportion to the number of entities that they match", function()
      local many = rounds(25000, 500)
      local components = { grid = { width = 1, height = 1 }, model = { resource = "crane" } }
      local list = {}
      for i = 1, 2 * many do list[i] = { name = i % 2 == 1 and "one" or "other", components = components } end
      local overrides = {
        one = { grid = { width = 2, height = 2 }, model = { resource = "crane" } },
        other = { grid = { width = 3, height = 2 }, model = { resource = "crane" } },
      }
      local level = assert(world:spawn(load { entities = list }, { overrides = overrides }))
      assert.equal(level, level:restart())
      assert.are.same({ 2, 2 }, { world.grid:size(level:entity(2 * many - 1)) })
      assert.are.same({ 3, 2 }, { world.grid:size(level:entity(2 * many)) })
    end)
  end)

  it("may be a table that contains itself", function()
    local overrides = { car = { health = {} } }
    overrides.car.health.hp = overrides
    raises("hp: expected a number, got table", function() spawn(overrides) end)
  end)

  it("leave nothing if any allocation fails", function()
    if not core.testing then return pending "only test builds make allocations fail" end
    local fail_in, failures, done = core.testing.fail_in, 0
    local resource = load()
    local LONG = ("long "):rep(20)
    local overrides = { car = { health = { title = LONG .. 1 }, wheel = { { id = "front", kind = LONG .. 2 },
      { id = LONG .. 3 } } }, seat = { transform = {}, mesh = { { id = LONG .. 4, resource = "body" } } },
      bulb = { health = { title = LONG .. 5 }, debug_name = { name = LONG .. 6 } } }
    repeat
      local own_entities = cuttle.entity_manager()
      local w = define(cuttle.world(own_entities))
      fail_in(failures)
      local ok, level, message = pcall(w.spawn, w, resource, { overrides = overrides, position = { 1, 2, 3 } })
      fail_in(-1)
      if not ok then level, message = nil, level end
      if not level then
        assert.matches("not enough memory", message)
        assert.equal(0, own_entities:count())
        for name, manager in w:managers() do assert.equal(0, manager:count(), name) end
      end
      valid(w)
      failures, done = failures + 1, level ~= nil
    until done
    assert.is_true(failures > 15, failures)
  end)
end)

-- Random overrides, compared with the resource spawned without overrides and then changed by calls.
describe("random overrides, seed " .. seed, function()
  local random = new_random(seed)

  -- All components, without the numbers that were assigned as ids.
  local function look(world, e)
    local found = world:inspect(e)
    for _, wheel in ipairs(found.wheel or {}) do
      if type(wheel.id) == "number" then wheel.id = nil end
    end
    return found
  end

  it("give the same components as calls with these values", function()
    local entities = cuttle.entity_manager { minimum_free_indices = 4 }
    local world = cuttle.world(entities)
    world:define("health", { { "hp", "float", 100 }, { "title", "string", "orc" } })
    world:define("wheel", { { "radius", "float", 1 }, { "kind", "string", "plain" } }, { multiple = true })
    local NAMES = { "a", "b", "c", "d" }
    for _ = 1, 60 do
      local source, count = { entities = {} }, random(12)
      for i = 1, count do
        local parent = random(i + 1) - 1
        source.entities[i] = { name = NAMES[random(4)], id = "e" .. i,
          parent = parent > 0 and parent < i and "e" .. parent or nil, components = {
            health = random(2) == 1 and { hp = i } or nil,
            wheel = random(2) == 1 and { { id = "x", radius = i }, { kind = "k" .. i } } or nil } }
      end
      local resource = assert(cuttle.resource((assert(cuttle.compiler(world):compile(source)))))
      local plain, overrides, paths = assert(world:spawn(resource)), {}, {}
      local found = {}
      for _, name in ipairs(NAMES) do
        found[name] = {}
        for i, e in ipairs(plain:entities()) do
          if world.debug_name:debug_name(e) == name then found[name][#found[name] + 1] = i end
        end
        if #found[name] > 0 and random(2) == 1 then
          paths[#paths + 1] = name
          overrides[name] = {
            health = random(2) == 1 and { hp = random(9), title = random(2) == 1 and "t" .. random(3) or nil } or nil,
            wheel = random(2) == 1 and { { id = "x", kind = "n" .. random(3) }, { radius = random(9) } } or nil }
        end
      end
      for _, name in ipairs(paths) do
        for _, i in ipairs(found[name]) do
          local e, values = plain:entity(i), overrides[name]
          if values.health then
            if not world.health:has(e) then world.health:create(e) end
            world.health:set(e, values.health)
          end
          for _, item in ipairs(values.wheel or {}) do
            local old = item.id and world.wheel:lookup(e, item.id)
            if old then
              world.wheel:set(old, { radius = item.radius or 1, kind = item.kind or "plain" })
            else
              world.wheel:create(e, item)
            end
          end
        end
      end
      local level = assert(world:spawn(resource, { overrides = overrides }))
      for i = 1, plain:count() do
        assert.are.same(look(world, plain:entity(i)), look(world, level:entity(i)))
      end
      valid(world)
      plain:unload()
      level:unload()
      world:gc()
    end
  end)
end)
