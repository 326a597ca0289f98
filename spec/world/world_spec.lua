-- Worlds: names, managers, create, gc, clear, destroy.

-- tags: ffi

local cuttle = require "cuttle"
local collect = require "spec.support.collect"
local methods = require "spec.support.methods"
local raises = require "spec.support.raises"
local valid = require "spec.support.valid"

local function setup(options)
  local entities = cuttle.entity_manager { minimum_free_indices = 0 }
  return entities, cuttle.world(entities, options)
end

describe("a world", function()
  it("belongs to an entity manager", function()
    local entities, world = setup()
    assert.equal(entities, world.entities)
    valid(world)
  end)

  it("cannot be made without an entity manager", function()
    raises("EntityManager expected, got no value", cuttle.world)
    raises("EntityManager expected, got table", cuttle.world, {})
    raises("EntityManager expected, got userdata", cuttle.world, io.stdout)
    local _, world = setup()
    raises("EntityManager expected, got userdata", cuttle.world, world)
  end)

  it("is named world1, world2 and so on by default", function()
    local entities, world = setup()
    assert.equal('world "world1"', tostring(world))
    assert.equal('world "world2"', tostring(cuttle.world(entities)))
    assert.equal('world "arena"', tostring(cuttle.world(entities, { name = "arena" })))
  end)

  it("has a name that no other world of its entity manager has", function()
    local entities, world = setup { name = "arena" } -- a collected world frees its name
    raises("there is a world 'arena' already", cuttle.world, entities, { name = "arena" })
    assert.equal('world "arena"', tostring(world))
    assert.equal('world "arena"', tostring(select(2, setup { name = "arena" })))
  end)

  it("gets no default name that another world was given", function()
    local entities = cuttle.entity_manager()
    local worlds = { cuttle.world(entities, { name = "world1" }), cuttle.world(entities, { name = "world2" }) }
    worlds[3] = cuttle.world(entities)
    assert.equal('world "world3"', tostring(worlds[3]))
  end)

  it("frees its name when it is destroyed", function()
    local entities, world = setup { name = "arena" }
    world:destroy()
    assert.equal('world "arena" (destroyed)', tostring(world))
    assert.equal('world "arena"', tostring(cuttle.world(entities, { name = "arena" })))
  end)

  it("frees its name when it is collected", function()
    local entities = setup { name = "arena" }
    collect()
    assert.equal('world "arena"', tostring(cuttle.world(entities, { name = "arena" })))
  end)

  it("refuses wrong options", function()
    local entities = cuttle.entity_manager()
    raises("unknown option 'nmae' (did you mean 'name'?)", cuttle.world, entities, { nmae = "x" })
    raises("name: string expected", cuttle.world, entities, { name = 5 })
    raises("name: 1 to 63 characters expected", cuttle.world, entities, { name = "" })
    raises("name: 1 to 63 characters expected", cuttle.world, entities, { name = ("x"):rep(64) })
    raises("name: 1 to 63 characters expected", cuttle.world, entities, { name = "a\0b" })
    for _, seed in ipairs { -1, 0.5, 2^53, 0 / 0, math.huge, "1" } do
      raises("seed: integer in [0, 2^53 - 1] expected", cuttle.world, entities, { seed = seed })
    end
    raises("table expected, got string", cuttle.world, entities, "arena")
    assert.equal('world "world1"', tostring(cuttle.world(entities)))
  end)

  it("accepts names of 63 characters and seeds up to 2^53 - 1", function()
    local name = ("x"):rep(63)
    assert.equal(('world "%s"'):format(name), tostring(select(2, setup { name = name, seed = 2^53 - 1 })))
  end)

  it("has its own managers", function()
    local _, world = setup()
    assert.equal("transform", world.transform:name())
    assert.equal("debug_name", world.debug_name:name())
    assert.equal(world.transform, world:manager "transform")
  end)

  it("shares its entities with other worlds, but no components", function()
    local entities, one = setup()
    local other = cuttle.world(entities)
    local e = entities:create()
    one:define("health", { { "hp", "float" } }):create(e, { hp = 1 })
    other:define("health", { { "hp", "float" } }):create(e, { hp = 2 })
    assert.equal(1, one.health:hp(e))
    assert.equal(2, other.health:hp(e))
    one.health:destroy(e)
    assert.is_true(other.health:has(e))
    entities:destroy(e)
    assert.is_false(other.health:has(e))
  end)

  it("refuses instances of another world", function()
    local entities, one = setup()
    local other = cuttle.world(entities)
    local list = entities:create(10)
    local here = one:define("health", { { "hp", "float" } })
    local there = other:define("health", { { "hp", "float" } })
    here:create_many(list)
    there:create_many(list)
    raises("stale health instance", there.hp, there, here:lookup(list[5]))
  end)

  it("keeps its entity manager alive, and its managers keep it alive", function()
    local health
    do
      local _, world = setup()
      health = world:define("health", { { "hp", "float" } })
    end
    collect()
    local e = cuttle.entity_from_id(0)
    raises("entity(0:0) is dead", health.create, health, e)
    assert.equal(0, health:count())
  end)
end)

describe("world:manager", function()
  it("returns the manager or nil", function()
    local _, world = setup()
    assert.is_nil(world:manager "health")
    local health = world:define("health", {})
    assert.equal(health, world:manager "health")
  end)

  it("refuses a name that is not a string", function()
    local _, world = setup()
    raises("string expected, got nil", world.manager, world, nil)
    raises("string expected, got table", world.manager, world, {})
  end)
end)

describe("world:managers", function()
  it("iterates in spawn order: built-in managers first, then components in order of definition", function()
    local _, world = setup()
    world:define("zebra", {})
    world:define("ant", {})
    local order = {}
    for name, manager in world:managers() do
      assert.equal(manager, world:manager(name))
      assert.equal(name, manager:name())
      order[#order + 1] = name
    end
    assert.equal("transform", order[1])
    assert.equal("debug_name", order[2])
    assert.equal("zebra", order[#order - 1])
    assert.equal("ant", order[#order])
  end)

  it("allows definitions during the loop", function()
    local _, world = setup()
    local steps = 0
    for _ in world:managers() do
      steps = steps + 1
      if steps < 50 then world:define("extra_" .. steps, {}) end
    end
    assert.is_true(steps >= 50)
  end)

  it("raises if the world was destroyed during the loop", function()
    local _, world = setup()
    local iterate = world:managers()
    iterate()
    world:destroy()
    raises("world is destroyed", iterate)
  end)
end)

describe("a component's name as a field of the world", function()
  it("is hidden by a method of that name", function()
    local _, world = setup()
    for _, name in ipairs { "create", "gc", "join", "define", "manager", "validate" } do
      local method = world[name]
      local manager = world:define(name, { { "x", "float" } })
      assert.equal("function", type(method), name)
      assert.equal(method, world[name])
      assert.equal(manager, world:manager(name))
      assert.equal(name, manager:name())
    end
    valid(world)
  end)

  it("is hidden by the field entities", function()
    local entities, world = setup()
    local manager = world:define("entities", {})
    assert.equal(entities, world.entities)
    assert.equal(manager, world:manager "entities")
  end)
end)

describe("world:create", function()
  local entities, world, health, part

  before_each(function()
    entities, world = setup()
    health = world:define("health", { { "hp", "float", 100 }, { "target", "entity" }, { "pos", "vec2" } })
    part = world:define("part", { { "size", "uint8", 1 } }, { multiple = true })
  end)

  after_each(function() valid(world) end)

  -- Checks that a create that raises leaves nothing.
  local function refuses(text, ...)
    local before, rows = entities:count(), health:count() + part:count() + world.debug_name:count()
    raises(text, world.create, world, ...)
    assert.equal(before, entities:count())
    assert.equal(rows, health:count() + part:count() + world.debug_name:count())
  end

  it("makes an entity with its components", function()
    local e = world:create { health = { hp = 5 }, debug_name = { name = "car" } }
    assert.is_true(entities:alive(e))
    assert.equal(5, health:hp(e))
    assert.equal("car", world.debug_name:debug_name(e))
    assert.is_false(part:has(e))
  end)

  it("makes an entity without components from an empty table", function()
    local e = world:create {}
    assert.is_true(entities:alive(e))
    assert.equal(0, health:count())
  end)

  it("takes an empty table for a component with defaults", function()
    local e = world:create { health = {}, part = {} }
    assert.same({ hp = 100, pos = { 0, 0 } }, health:get(e))
    assert.same({ 1 }, part:ids(e))
  end)

  it("takes an array of components if the component is multiple", function()
    local e = world:create { part = { { size = 3 }, { id = "lid", size = 4 }, {} } }
    assert.same({ 1, "lid", 2 }, part:ids(e))
    assert.equal(4, part:size(part:lookup(e, "lid")))
    assert.equal(3, part:count())
  end)

  it("refuses an array if the component is not multiple", function()
    refuses("health: unknown field [1]", { health = { { hp = 1 }, { hp = 2 } } })
  end)

  it("returns a table of n entities", function()
    local list = world:create({ health = { hp = 5 } }, 4)
    assert.equal(4, #list)
    for _, e in ipairs(list) do assert.equal(5, health:hp(e)) end
    assert.equal(4, entities:count())
    assert.same({}, world:create({ health = {} }, 0))
  end)

  it("takes values for each of n entities", function()
    local list = world:create({ health = { hp = { 1, 2, 3 }, pos = { 1, 1, 2, 2, 3, 3 } }, part = { size = 9 } }, 3)
    for i, e in ipairs(list) do
      assert.equal(i, health:hp(e))
      assert.same({ i, i }, { health:pos(e) })
      assert.equal(9, part:size(e))
    end
  end)

  it("takes several components for each of n entities", function()
    local list = world:create({ part = { { size = { 1, 2 } }, { id = "lid", size = 7 } } }, 2)
    assert.equal(1, part:size(list[1]))
    assert.equal(2, part:size(list[2]))
    assert.equal(7, part:size(part:lookup(list[2], "lid")))
  end)

  it("fills a given table", function()
    local out = { "a", "b", "c", "d" }
    assert.equal(out, world:create({ health = {} }, 2, out))
    assert.is_true(health:has(out[1]) and health:has(out[2]))
    assert.equal("c", out[3])
  end)

  it("replaces the contents of a given cuttle.list", function()
    local list = entities:create_list(10)
    assert.equal(list, world:create({ health = {} }, 2, list))
    assert.equal(2, list:count())
    assert.is_true(health:has(list:get(1)) and health:has(list:get(2)))
  end)

  it("reports the first of several mistakes by name, independent of the order in which the table was filled", function()
    for more = 1, 12 do
      local components = {}
      for number = 1, more * 3 do components["gone" .. number] = {} end
      for number = 1, more * 3 do components["gone" .. number] = nil end
      components.wombat, components.transform, components[1] = {}, { position = "x" }, {}
      components.point_mass, components.actor = { mass = "x" }, { mass = 1 }
      for _, call in ipairs {
        function() world:create(components) end,
        function() world:create(components, 3) end,
        function() world:template(components) end,
      } do
        components.debug_name = { name = 5 }
        raises("debug_name: name: expected a string, got number", call)
        components.debug_name = { name = "fine" }
        raises("point_mass: mass: expected a number, got string", call)
      end
      components.point_mass = nil
      raises("transform: position: expected 3 numbers, got string", world.create, world, components)
      components.transform = nil
      raises("unknown component 'wombat'", world.create, world, components)
      components.wombat = nil
      raises("component names must be strings", world.create, world, components)
      assert.equal(0, entities:count())
    end
  end)

  it("refuses an unknown component, and suggests a similar one", function()
    refuses("unknown component 'helth' (did you mean 'health'?)", { helth = {} })
    refuses("unknown component 'wombat'", { wombat = {} })
    refuses("component names must be strings", { { hp = 1 } })
  end)

  it("refuses an unknown field with the component's name, and suggests a similar one", function()
    refuses("health: unknown field 'hpp' (did you mean 'hp'?)", { health = { hpp = 5 } })
  end)

  it("refuses wrong values, and names component, place and field", function()
    refuses("health: hp: expected a number, got string", { health = { hp = "5" } })
    refuses("part[2]: size: expected an integer in [0, 255], got 256", { part = { {}, { size = 256 } } })
    refuses("health: table of values expected, got number", { health = 5 })
    refuses("part[2]: table of values expected, got boolean", { part = { {}, true } })
    refuses("health: hp: expected 3 values, got 2", { health = { hp = { 1, 2 } } }, 3)

  end)

  it("refuses one id for two components, and creates nothing", function()
    refuses("part: duplicate component id", { health = {}, part = { { id = "a" }, { id = "a" } } })
    refuses("part: duplicate component id", { debug_name = { name = "x" }, part = { { id = 7 }, {}, { id = 7 } } }, 5)
  end)

  it("keeps instances and loops valid when it fails halfway", function()
    local e = world:create { health = { hp = 1 } }
    local i = health:lookup(e)
    local steps = 0
    for _ in health:each() do
      steps = steps + 1
      refuses("duplicate component id", { health = {}, part = { { id = "a" }, { id = "a" } } })
    end
    assert.equal(1, steps)
    assert.equal(1, health:hp(i))
  end)

  it("refuses wrong arguments", function()
    refuses("table expected, got nil", nil)
    refuses("table expected, got string", "health")
    refuses("integer in [0, 4194304] expected, got -1", {}, -1)
    refuses("integer in [0, 4194304] expected, got 1.5", {}, 1.5)
    refuses("number expected, got string", {}, "3")
    refuses("table or cuttle.list expected, got string", {}, 3, "out")
    refuses("table or cuttle.list expected, got userdata", {}, 3, world)
  end)

  it("makes entities that refer to others", function()
    local a = world:create { health = {} }
    local b = world:create { health = { target = a } }
    assert.equal(a, health:target(b))
  end)
end)

describe("world:gc", function()
  it("runs gc of every manager and returns the number of removed components", function()
    local entities, world = setup()
    local health = world:define("health", {})
    local list = entities:create(10)
    health:create_many(list)
    world.debug_name:create_many(list)
    entities:destroy { list[1], list[2], list[3] }
    assert.equal(6, world:gc())
    assert.equal(0, world:gc())
    assert.equal(7, health:count())
    valid(world)
  end)
end)

describe("world:clear", function()
  local entities, world, health, list

  before_each(function()
    entities, world = setup()
    health = world:define("health", { { "text", "string" } })
    list = entities:create(10)
    health:create_many(list, { text = "x" })
    world.debug_name:create_many({ list[1] }, { name = "first" })
  end)

  after_each(function() valid(world) end)

  it("removes all components, and keeps the entities and the memory", function()
    local before = health:memory()
    world:clear()
    assert.equal(0, health:count())
    assert.equal(0, world.debug_name:count())
    assert.equal(10, entities:count())
    assert.equal(before, health:memory())
    assert.is_nil(world.debug_name:find "first")
    health:create_many(list)
    assert.equal(10, health:count())
  end)

  it("makes instances stale, and loops raise", function()
    local i = health:lookup(list[1])
    local iterate = health:each()
    iterate()
    world:clear()
    raises("stale health instance", health.text, health, i)
    raises("health: rows moved during the loop", iterate)
  end)

  it("destroys every entity that has a component in this world, with entities = true", function()
    local other_entity = entities:create()
    local other = cuttle.world(entities)
    other.debug_name:create(other_entity)
    world:clear { entities = true }
    assert.equal(1, entities:count())
    assert.is_true(entities:alive(other_entity))
    assert.equal(0, health:count())
  end)

  it("runs destroy callbacks once for each entity, and its components can be read there", function()
    local texts = {}
    entities:on_destroy(function(e) texts[#texts + 1] = health:text(e) end)
    world:clear { entities = true }
    assert.equal(("x"):rep(10), table.concat(texts))
  end)

  it("removes all components even if a callback raises, and raises that error", function()
    entities:on_destroy(function() error("trouble", 0) end)
    raises("trouble", world.clear, world, { entities = true })
    assert.equal(0, health:count())
    assert.equal(0, entities:count())
    world:clear()
  end)

  it("cannot be called again in its own callbacks", function()
    local messages = 0
    entities:on_destroy(function()
      raises("world is in use", world.clear, world)
      raises("world is in use", world.destroy, world)
      messages = messages + 1
    end)
    world:clear { entities = true }
    assert.equal(10, messages)
    assert.equal(0, health:count())
  end)

  it("refuses wrong options", function()
    raises("unknown option 'entity' (did you mean 'entities'?)", world.clear, world, { entity = true })
    raises("entities: boolean expected", world.clear, world, { entities = 1 })
    raises("table expected, got boolean", world.clear, world, true)
    assert.equal(10, health:count())
  end)
end)

describe("world:destroy", function()
  it("keeps the entities alive by default", function()
    local entities, world = setup()
    local e = world:create { debug_name = {} }
    world:destroy()
    assert.is_true(entities:alive(e))
    assert.is_true(assert(entities:validate()))
  end)

  it("destroys the entities that have a component in this world, with entities = true", function()
    local entities, world = setup()
    world:create({ debug_name = {} }, 5)
    entities:create()
    world:destroy { entities = true }
    assert.equal(1, entities:count())
  end)

  it("ends the world even if a callback raises, and raises that error", function()
    local entities, world = setup()
    world:create({ debug_name = {} }, 5)
    entities:on_destroy(function() error("trouble", 0) end)
    raises("trouble", world.destroy, world, { entities = true })
    raises("world is destroyed", world.gc, world)
    assert.equal(0, entities:count())
  end)

  it("makes every method of the world raise", function()
    local _, world = setup()
    local names = {}
    for name in pairs(methods.of(world)) do names[#names + 1] = name end
    assert.is_true(#names > 8)
    world:destroy()
    for _, name in ipairs(names) do raises("world is destroyed", world[name], world, "x", {}) end
  end)

  it("makes every method of its managers raise", function()
    local entities, world = setup()
    local health = world:define("health", { { "hp", "float" } })
    local e = entities:create()
    local i = health:create(e)
    local managers, all = { health, world.transform, world.debug_name }, {}
    for _, manager in ipairs(managers) do
      all[manager] = methods.of(manager)
    end
    world:destroy()
    for _, manager in ipairs(managers) do
      for name, method in pairs(all[manager]) do
        raises("world is destroyed", method, manager, i, {})
        raises("world is destroyed", manager[name], manager, i, {})
      end
    end
  end)

  it("makes managers raise that are taken from the destroyed world", function()
    local _, world = setup()
    world:define("health", { { "hp", "float" } })
    local transforms = world.transform
    world:destroy()
    raises("world is destroyed", function() return world.transform:count() end)
    raises("world is destroyed", function() return world.health:hp(0) end)
    raises("world is destroyed", transforms.count, transforms)
    assert.equal('world "world1" (destroyed)', tostring(world))
    assert.equal("component manager (world is destroyed)", tostring(transforms))
  end)

  it("makes views and loops raise", function()
    local entities, world = setup()
    local health = world:define("health", { { "hp", "float" }, { "pos", "vec3" } })
    health:create(entities:create())
    local view, vectors = health:column "hp", health:column "pos"
    local accessor = vectors[0]
    local loops = { health:each(), world:join(health), world:rows("health"),
      health:instances(cuttle.entity_from_id(0)) }
    world:destroy()
    raises("world is destroyed", function() return view[0] end)
    raises("world is destroyed", function() view[0] = 1 end)
    raises("world is destroyed", function() return view:count() end)
    raises("world is destroyed", function() return view:get(0) end)
    raises("world is destroyed", function() view:set(0, 1) end)
    raises("world is destroyed", function() return accessor.x end)
    raises("world is destroyed", function() accessor.x = 1 end)
    raises("world is destroyed", function() return vectors[0].x end)
    for _, iterate in ipairs(loops) do raises("world is destroyed", iterate) end
  end)

  it("is allowed inside a loop, whose next step raises", function()
    local entities, world = setup()
    local health = world:define("health", {})
    health:create_many(entities:create(3))
    raises("world is destroyed", function() for _ in health:each() do world:destroy() end end)
  end)

  it("raises the second time", function()
    local _, world = setup()
    world:destroy()
    raises("world is destroyed", world.destroy, world)
  end)

  it("does not change other worlds of the entity manager", function()
    local entities, one = setup()
    local two, three = cuttle.world(entities), cuttle.world(entities)
    local e = entities:create()
    for _, world in ipairs { one, two, three } do world.debug_name:set_debug_name(e, "x") end
    two:destroy()
    assert.equal("x", one.debug_name:debug_name(e))
    assert.equal("x", three.debug_name:debug_name(e))
    one:destroy()
    assert.equal("x", three.debug_name:debug_name(e))
    valid(three)
  end)

  it("may be called in a destroy callback of the entity manager", function()
    local entities, world = setup()
    local e = world:create { debug_name = { name = "x" } }
    entities:on_destroy(function() world:destroy() end)
    assert.is_true(entities:destroy(e))
    raises("world is destroyed", world.gc, world)
  end)
end)

describe("a collected world", function()
  it("does not change the entities and the other worlds", function()
    local entities, world = setup()
    local e = entities:create()
    for _ = 1, 5 do
      local other = cuttle.world(entities)
      other:define("health", { { "text", "string" } }):create(e, { text = "x" })
    end
    collect()
    world.debug_name:set_debug_name(e, "here")
    entities:destroy(e)
    valid(world)
  end)

  it("leaves views that raise", function()
    local view, accessor
    do
      local entities, world = setup()
      local health = world:define("health", { { "hp", "float" }, { "pos", "vec2" } })
      health:create(entities:create())
      view, accessor = health:column "hp", health:column("pos")[0]
    end
    collect()
    raises("world is destroyed", function() return view[0] end)
    raises("world is destroyed", function() return accessor.x end)
    raises("world is destroyed", function() return view:count() end)
  end)

  it("may be collected in one cycle with its entity manager, its managers and its loops", function()
    for _ = 1, 20 do
      local entities, world = setup()
      local health = world:define("health", { { "text", "string" } })
      health:create_many(entities:create(20), { text = "x" })
      world.debug_name:create_many(entities:create(20), { name = "y" })
      entities:on_destroy(function() return world, health end)
    end
    collect()
  end)
end)

describe("the memory of a world", function()
  it("takes at most 6 KB of Lua, before it has components", function()
    local entities, worlds, count = cuttle.entity_manager(), {}, 400
    for i = 1, count do worlds[i] = false end
    setup()
    collect()
    local before = collectgarbage "count"
    for i = 1, count do worlds[i] = cuttle.world(entities) end
    collect()
    local each = (collectgarbage "count" - before) / count
    assert.is_true(each <= 6, ("%.2f KB"):format(each))
    for i = 1, count do worlds[i]:destroy() end
  end)

  it("does not grow when components are defined again", function()
    local _, world = setup()
    local function define_again(count)
      for i = 1, count do world:define("alternating", { { "field_" .. i % 2, "float" } }) end
      collect()
      return collectgarbage "count"
    end
    local before = define_again(100)
    local grown = define_again(1000) - before
    assert.is_true(grown < 20, ("%.1f KB"):format(grown))
  end)

  it("is given in total and by manager", function()
    local _, world = setup()
    world:define("health", { { "hp", "float" } })
    local all, by_manager = world:memory()
    local sum = 0
    for name, manager in world:managers() do
      assert.equal(manager:memory(), by_manager[name])
      sum = sum + by_manager[name]
    end
    assert.is_true(all >= sum)
  end)

  it("grows with the number of components, not with the number of creates", function()
    local entities, world = setup()
    local health = world:define("health", { { "text", "string" } })
    local e = entities:create()
    local before
    for i = 1, 3000 do
      health:create(e, { text = "text " .. i })
      health:destroy(e)
      if i == 1000 then before = world:memory() end
    end
    assert.is_true(world:memory() <= before + 64)
  end)
end)

describe("world:validate", function()
  it("is true for a valid world", function()
    local _, world = setup()
    assert.is_true(world:validate())
  end)
end)

describe("the methods of a world", function()
  it("refuse a self that is not a world", function()
    local _, world = setup()
    raises("world expected, got no value", world.gc)
    raises("world expected, got table", world.create, {}, {})
    raises("world expected, got userdata", world.gc, world.entities)
    raises("a method is called with ':'", world.manager, "health")
  end)
end)
