-- world:template.

local collect = require "spec.support.collect"
local core = require "cuttle.core"
local cuttle = require "cuttle"
local new_random = require "spec.support.random"
local raises = require "spec.support.raises"
local seed = require "spec.support.seed"
local valid = require "spec.support.valid"

local fail_in = core.testing and core.testing.fail_in

local function make_world()
  local world = cuttle.world(cuttle.entity_manager { minimum_free_indices = 0 })
  world:define("health", { { "hp", "float", 100 }, { "title", "string", "orc" }, { "target", "entity" } })
  world:define("part", { { "size", "int32", 1 }, { "label", "string" } }, { multiple = true })
  world.mesh:define_resource("crate", {})
  return world
end

describe("a template", function()
  local world, entities

  before_each(function()
    world = make_world()
    entities = world.entities
  end)

  local function unchanged(call, ...)
    local count = entities:count()
    local message = raises(...)
    assert.equal(count, entities:count())
    if call then call() end
    valid(world)
    return message
  end

  describe("creates", function()
    it("an entity with its components, any number of times", function()
      local orc = world:template { transform = { position = { 1, 2, 3 } }, health = { hp = 5, title = "chief" },
        part = { { id = "helmet", size = 3 }, { size = 4, label = "boot" } }, mesh = { { resource = "crate" } } }
      local first, second = orc:create(), orc:create()
      assert.are_not.equal(first, second)
      for _, e in ipairs { first, second } do
        assert.are.same({ 1, 2, 3 }, { world.transform:world_position(e) })
        assert.equal("chief", world.health:title(e))
        assert.equal(3, world.part:size(world.part:lookup(e, "helmet")))
        assert.equal("boot", world.part:label(world.part:next(world.part:lookup(e))))
      end
      assert.equal(2, entities:count())
      valid(world)
    end)

    it("several entities, into a new table, a given one, or a list", function()
      local orc = world:template { health = { hp = 5 }, part = { { id = "a" }, { id = 7, size = 2 } } }
      local new = orc:create(3)
      assert.equal(3, #new)
      local out = { 1, 2, 3, "left alone" }
      assert.equal(out, orc:create(3, out))
      assert.equal("left alone", out[4])
      local list = cuttle.list(new)
      assert.equal(list, orc:create(20, list))
      assert.equal(20, list:count())
      for e in list:each() do
        assert.equal(5, world.health:hp(e))
        assert.are.same({ "a", 7 }, world.part:ids(e))
      end
      assert.are.same({}, orc:create(0))
      assert.equal(26, entities:count())
      valid(world)
    end)

    it("entities with the values that its tables had when it was made", function()
      local health = { hp = 5, title = "chief" }
      local components = { health = health }
      local orc = world:template(components)
      health.hp, health.title = 9, "dead"
      components.part = {}
      collect()
      local e = orc:create()
      assert.equal(5, world.health:hp(e))
      assert.equal("chief", world.health:title(e))
      assert.is_false(world.part:has(e))
    end)

    it("entities without components, if it has none", function()
      local e = world:template({}):create()
      assert.is_true(entities:alive(e))
      assert.are.same({}, world:inspect(e))
    end)

    it("children of one parent", function()
      local parent = world:create { transform = { position = { 10, 0, 0 } } }
      local list = world:template({ transform = { position = { 1, 0, 0 }, parent = parent } }):create(3)
      local children = {}
      for e in world.transform:children(parent) do children[#children + 1] = e end
      assert.are.same(list, children)
      assert.are.same({ 11, 0, 0 }, { world.transform:world_position(list[3]) })
    end)
  end)

  describe("creates with other values", function()
    it("an entity in which the given fields replace the template's", function()
      local boss = entities:create()
      local orc = world:template { transform = { position = { 1, 2, 3 }, scale = 2 },
        health = { hp = 5, title = "chief", target = boss } }
      local e = orc:create_with { health = { hp = 6 }, transform = { position = { 7, 8 } } }
      assert.are.same({ 6, "chief", boss }, { world.health:hp(e), world.health:title(e), world.health:target(e) })
      assert.are.same({ 7, 8, 0 }, { world.transform:local_position(e) })
      assert.are.same({ 2, 2, 2 }, { world.transform:local_scale(e) })
      assert.equal(5, world.health:hp(orc:create()))
      assert.equal(5, world.health:hp(orc:create_with {}))
      assert.equal(4, entities:count())
      valid(world)
    end)

    it("an entity with a component that the template does not have", function()
      local orc = world:template { health = { hp = 5 } }
      local e = orc:create_with { debug_name = { name = "grim" }, transform = {} }
      assert.equal("grim", world.debug_name:debug_name(e))
      assert.is_true(world.transform:has(e))
      assert.equal(5, world.health:hp(e))
      assert.is_false(world.transform:has(orc:create()))
    end)

    it("components of a 'multiple' manager: one replaces that with its id, others are appended", function()
      local orc = world:template { part = { { id = "a", size = 3, label = "left" }, { size = 4 } } }
      local e = orc:create_with { part = { { id = "a", size = 9 }, { id = "b", size = 8 }, { size = 7 } } }
      local sizes = {}
      for i in world.part:instances(e) do sizes[#sizes + 1] = world.part:size(i) end
      assert.are.same({ 9, 4, 8, 7 }, sizes)
      assert.equal("", world.part:label(world.part:lookup(e, "a")))
      e = orc:create_with { part = { size = 5 } }
      assert.equal(3, #world.part:ids(e))
      unchanged(nil, "part: duplicate component id", orc.create_with, orc, { part = { { id = "b" }, { id = "b" } } })
    end)

    it("a pose in which a rotation, an angle and a matrix exclude each other", function()
      local matrix = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1 }
      local turned, placed = world:template { transform = { rotation = { 0, 0, 1, 0 } } },
        world:template { transform = { matrix = matrix } }
      assert.near(0.5, world.transform:local_angle(turned:create_with { transform = { angle = 0.5 } }), 1e-6)
      assert.are.same({ 5, 6, 7 },
        { world.transform:local_position(turned:create_with { transform = { matrix = matrix } }) })
      assert.are.same({ 0, 0, 0 },
        { world.transform:local_position(placed:create_with { transform = { angle = 0 } }) })
      unchanged(nil, "transform: angle: not together with rotation", turned.create_with, turned,
        { transform = { angle = 0, rotation = { 0, 0, 0, 1 } } })
      valid(world)
    end)

    it("a body, and values of value fields, by reference", function()
      local bag, other, body = { 1 }, { 2 }, {}
      world:define("chest", { { "loot", "value" }, { "more", "value" } })
      local box = world:template { actor = { shape = "box", body = body }, chest = { loot = bag, more = bag } }
      local e = box:create_with { chest = { loot = other } }
      assert.are.same({ other, bag, body }, { world.chest:loot(e), world.chest:more(e), world.actor:body(e) })
      assert.equal(other, world.chest:loot(e))
      assert.equal(bag, world.chest:more(e))
      e = box:create_with { actor = { body = other } }
      assert.equal(other, world.actor:body(e))
      assert.equal("box", world.actor:shape(e))
      assert.equal(other, world.actor:body(world:template({}):create_with { actor = { body = other } }))
      world.actor:on_spawn(function(_, values) return values.shape end)
      assert.equal("ball", world.actor:body(world:template({}):create_with { actor = { shape = "ball" } }))
      assert.equal("ball", world.actor:body(world:template({ actor = {} }):create_with { actor = { shape = "ball" } }))
      valid(world)
    end)

    it("an entity and nothing if a hook raises", function()
      local orc, seen = world:template { health = {} }, {}
      world.part:on_add(function(e) seen[#seen + 1] = e end)
      assert.are.same({ orc:create_with { part = {} } }, seen)
      world.health:on_add(function(_, i) if world.health:hp(i) == 3 then error "three" end end)
      unchanged(nil, "three", orc.create_with, orc, { health = { hp = 3 } })
      valid(world)
    end)

    it("nothing if a value is wrong", function()
      local dead = entities:create()
      entities:destroy(dead)
      local orc = world:template { health = { target = entities:create() },
        mesh = { { id = "m", resource = "crate" } } }
      local function refuses(message, values) unchanged(nil, message, orc.create_with, orc, values) end
      refuses("health: hp: expected a number, got string", { health = { hp = "5" } })
      refuses("health: unknown field 'hpp' (did you mean 'hp'?)", { health = { hpp = 5 } })
      refuses("unknown component 'helth' (did you mean 'health'?)", { helth = {} })
      refuses("component names must be strings", { {} })
      refuses("table of values expected, got boolean", { health = false })
      refuses("mesh[1]: resource: required", { mesh = { { id = "m" } } })
      refuses("health: target: entity(0:0) is dead", { health = { target = dead } })
      refuses("transform: parent: entity(1:0) has no transform", { transform = { parent = orc:create() } })
      raises("table expected, got no value", orc.create_with, orc)
      raises("Template expected", orc.create_with, world, {})
    end)

    it("an entity, unless the template's own entities are dead or its components defined again", function()
      local boss = entities:create()
      local orc = world:template { health = { target = boss } }
      entities:destroy(boss)
      unchanged(nil, "health: target: entity(0:0) is dead", orc.create_with, orc, { health = { hp = 3 } })
      boss = entities:create()
      assert.equal(boss, world.health:target(orc:create_with { health = { target = boss } }))
      world:clear { entities = true }
      world:define("health", { { "armour", "float" } })
      unchanged(nil, "health was defined again", orc.create_with, orc, {})
      world:destroy()
      raises("world is destroyed", orc.create_with, orc, {})
    end)

    it("nothing if memory runs out", function()
      if not fail_in then return pending "only test builds make allocations fail" end
      local failures = 0
      for n = 0, 200 do
        world = make_world()
        entities = world.entities
        local orc = world:template { transform = {}, health = { title = "a new title" }, part = { { id = "left" } } }
        fail_in(n)
        local ok, message = pcall(orc.create_with, orc, { health = { title = "another" }, part = { {}, {} },
          debug_name = { name = "grim" } })
        fail_in(-1)
        if ok then break end
        assert.matches("not enough memory", message)
        failures = failures + 1
        assert.equal(0, entities:count())
        for name, manager in world:managers() do assert.equal(0, manager:count(), name) end
        valid(world)
      end
      assert.is_true(failures > 5 and failures < 200, failures)
    end)
  end)

  describe("of actors", function()
    it("gives all actors one body, by reference", function()
      local freed = 0
      world.actor:on_destroy(function() freed = freed + 1 end)
      local body = { 1, 2, 3 }
      local box = world:template { actor = { shape = "box", body = body } }
      local list = box:create(3)
      assert.equal(body, world.actor:body(list[1]))
      assert.equal(body, world.actor:body(list[3]))
      assert.equal(body, world.actor:body(box:create()))
      entities:destroy(list)
      assert.equal(3, freed)
    end)

    it("keeps its body alive", function()
      local box = world:template { actor = { body = { 1, 2, 3 } } }
      collect()
      assert.are.same({ 1, 2, 3 }, world.actor:body(box:create()))
    end)

    it("calls on_spawn for each actor if it has no body", function()
      local seen = {}
      world.actor:on_spawn(function(e, values)
        seen[#seen + 1] = e
        return values.shape
      end)
      local box = world:template { actor = { shape = "box" } }
      local list = box:create(2)
      assert.are.same(list, seen)
      assert.equal("box", world.actor:body(list[2]))
      assert.equal("box", world.actor:body(box:create()))
      assert.equal(3, #seen)
    end)

    it("creates nothing if on_spawn raises", function()
      local made, freed = 0, 0
      world.actor:on_destroy(function() freed = freed + 1 end)
      world.actor:on_spawn(function()
        made = made + 1
        if made == 3 then error "no room" end
        return true
      end)
      local box = world:template { actor = {}, health = {} }
      unchanged(nil, "no room", box.create, box, 5)
      assert.equal(2, freed)
      made = 2
      unchanged(nil, "no room", box.create, box)
      assert.equal(0, world.actor:count())
      assert.equal(0, world.health:count())
    end)
  end)

  describe("calls hooks", function()
    it("for each component, after all exist", function()
      local calls = {}
      local orc = world:template { health = { hp = 3 }, transform = {} }
      world.health:on_add(function(e, instance)
        calls[#calls + 1] = e
        assert.equal(3, world.health:hp(instance))
        assert.is_true(world.transform:has(e))
      end)
      local list = orc:create(2)
      assert.are.same(list, calls)
      assert.equal(orc:create(), calls[3])
      assert.equal(3, #calls)
    end)

    it("and creates nothing if one raises", function()
      local orc, gone = world:template { health = {}, transform = {} }, 0
      local calls = 0
      world.health:on_remove(function() gone = gone + 1 end)
      world.health:on_add(function()
        calls = calls + 1
        if calls == 2 then error "not this one" end
      end)
      unchanged(nil, "not this one", orc.create, orc, 3)
      assert.equal(2, gone)
      assert.equal(0, world.health:count())
      calls = 1
      unchanged(nil, "not this one", orc.create, orc)
      assert.equal(0, world.transform:count())
    end)
  end)

  describe("raises", function()
    it("for components that world:create refuses", function()
      raises("unknown component 'helth' (did you mean 'health'?)", world.template, world, { helth = {} })
      raises("health: hp: expected a number, got string", world.template, world, { health = { hp = "5" } })
      raises("health: unknown field 'hpp'", world.template, world, { health = { hpp = 5 } })
      raises("part[2]: size: expected", world.template, world, { part = { {}, { size = 0.5 } } })
      raises("mesh: resource: required", world.template, world, { mesh = {} })
      raises("table of values expected, got number", world.template, world, { health = 5 })
      raises("table expected, got no value", world.template, world)
      raises("component names must be strings", world.template, world, { { hp = 1 } })
      raises("Template expected", world:template({}).create, world)
    end)

    it("for a number or an out argument that is not valid", function()
      local orc = world:template { health = {} }
      unchanged(nil, "integer in [0, 4194304] expected, got 1.5", orc.create, orc, 1.5)
      unchanged(nil, "number expected, got string", orc.create, orc, "many")
      unchanged(nil, "got number", orc.create, orc, 2, 5)
    end)

    it("when an entity in its values is dead, and not before", function()
      local boss = entities:create()
      local orc = world:template { health = { target = boss } }
      assert.equal(boss, world.health:target(orc:create()))
      entities:destroy(boss)
      unchanged(nil, "health: target: entity(0:0) is dead", orc.create, orc)
      unchanged(nil, "health: target: entity(0:0) is dead", orc.create, orc, 3)
    end)

    it("when a parent is dead or has no transform any more", function()
      local parent = world:create { transform = {} }
      local child = world:template { health = {}, transform = { parent = parent } }
      child:create()
      world.transform:destroy(parent)
      unchanged(nil, "transform: parent: entity(0:0) has no transform", child.create, child)
      world.transform:create(parent)
      child:create(2)
      entities:destroy(parent)
      unchanged(nil, "transform: parent: entity(0:0) is dead", child.create, child)
    end)

    it("when a component was defined again, unless with the same fields", function()
      local orc = world:template { health = { hp = 3 } }
      world:define("health", { { "hp", "float", 1 }, { "title", "string", "elf" }, { "target", "entity" } })
      assert.equal("elf", world.health:title(orc:create()))
      world:clear { entities = true }
      world:define("health", { { "armour", "float" } })
      collect()
      unchanged(nil, "health was defined again", orc.create, orc)
      unchanged(nil, "health was defined again", orc.create, orc, 10)
      assert.is_true(world.health:has(world:template({ health = {} }):create()))
    end)

    it("when two components of one entity have the same id", function()
      local orc = world:template { health = {}, part = { { id = "a" }, { id = "a" } } }
      unchanged(nil, "part: duplicate component id", orc.create, orc)
      unchanged(nil, "part: duplicate component id", orc.create, orc, 2)
      assert.equal(0, world.part:count())
    end)

    it("when the world is destroyed, or is being destroyed", function()
      local orc = world:template { health = {} }
      local message
      entities:on_destroy(function() message = select(2, pcall(orc.create, orc)) end)
      orc:create()
      world:destroy { entities = true }
      assert.matches("world is being destroyed", message)
      raises("world is destroyed", orc.create, orc)
      raises("world is destroyed", orc.create, orc, 2)
      raises("world is destroyed", function() world:template {} end)
    end)

    it("when memory runs out, with nothing created, and works afterwards", function()
      if not fail_in then return pending "only test builds make allocations fail" end
      local failures = 0
      for n = 0, 200 do
        world = make_world()
        entities = world.entities
        local orc = world:template { transform = {}, health = { title = "a new title" }, debug_name = { name = "grim" },
          part = { { id = "left" }, { label = "long" } } }
        fail_in(n)
        local ok, message = pcall(orc.create, orc, 20)
        fail_in(-1)
        if ok then break end
        assert.matches("not enough memory", message)
        failures = failures + 1
        assert.equal(0, entities:count())
        for name, manager in world:managers() do assert.equal(0, manager:count(), name) end
        valid(world)
        assert.equal(20, #orc:create(20))
        valid(world)
      end
      assert.is_true(failures > 5 and failures < 200, failures)
    end)
  end)

  it("keeps its world alive, and is collected with it", function()
    local weak = setmetatable({}, { __mode = "v" })
    local held = { orc = world:template { health = { title = "last" } } }
    weak.world, weak.template = world, held.orc
    world, entities = nil, nil
    collect()
    assert.is_not_nil(weak.world)
    assert.equal("last", weak.world.health:title(held.orc:create()))
    held.orc = nil
    collect()
    assert.is_nil(weak.template)
    assert.is_nil(weak.world)
    world = make_world()
    entities = world.entities
  end)

  it("has a text with the number of its components", function()
    assert.equal("Template (0 components)", tostring(world:template {}))
    assert.equal("Template (1 component)", tostring(world:template { health = {} }))
  end)

  it("may be made and used by finalizers, while others are made", function()
    local orc = world:template { health = { title = "ghostly" } }
    local haunt, made, stop = nil, 0, false
    haunt = function()
      local ghost = newproxy(true)
      getmetatable(ghost).__gc = function()
        if stop then return end
        orc:create()
        world:template { part = { { label = "x" .. made } } }
        made = made + 1
        haunt()
      end
    end
    haunt()
    for i = 1, 200 do
      local template = world:template { health = { title = "title " .. i }, part = { { id = "id " .. i } } }
      local e = template:create(2)[2]
      assert.equal("title " .. i, world.health:title(e))
      if i % 20 == 0 then collectgarbage() end
    end
    stop = true
    assert.is_true(made > 0)
    valid(world)
  end)
end)

-- Compared with world:create in a world with the same entities.
describe("a template, seed " .. seed, function()
  local random = new_random(seed)

  local function chance(n) return random(n) == 1 end
  local function number() return random(2001) / 100 - 10 end

  local function components(entities)
    local c = {}
    if chance(2) then
      c.transform = { position = { number(), number(), number() }, angle = chance(2) and number() or nil,
        scale = chance(3) and number() or nil, parent = chance(2) and entities.parent or nil }
    end
    if chance(2) then c.health = { hp = chance(2) and number() or nil, title = chance(2) and "t" .. random(5) or nil,
      target = chance(3) and entities.target or nil } end
    if chance(2) then
      c.part = {}
      for i = 1, random(4) do
        c.part[i] = { id = chance(2) and "p" .. i or nil, size = random(9),
          label = chance(2) and "l" .. random(3) or nil }
      end
    end
    if chance(3) then c.mesh = { { resource = "crate", color = { number(), 0, 0, 1 } } } end
    if chance(3) then c.actor = { shape = "s" .. random(3), body = chance(2) and "body" or nil } end
    if chance(3) then c.debug_name = { name = "n" .. random(4) } end
    if chance(3) then c.point_mass = { mass = number() } end
    return c
  end

  it("creates the same as world:create", function()
    for _ = 1, 60 do
      local world, other = make_world(), make_world()
      local named = { parent = world:create { transform = { position = { 1, 2, 3 } } },
        target = world.entities:create() }
      other:create { transform = { position = { 1, 2, 3 } } }
      other.entities:create()
      local given = components(named)
      local template = world:template(given)
      for _ = 1, random(5) do
        local n = chance(2) and random(6) or nil
        local ours, theirs = template:create(n), other:create(given, n)
        assert.same(theirs, ours)
        for _, e in ipairs(n and ours or { ours }) do
          assert.same(other:inspect(e), world:inspect(e))
          if given.transform then
            assert.same({ other.transform:world_matrix(e) }, { world.transform:world_matrix(e) })
          end
        end
        if chance(3) then
          local e = n and ours[1] or ours
          world.entities:destroy(e)
          other.entities:destroy(e)
        end
        if chance(4) then world:gc "all"; other:gc "all" end
      end
      valid(world)
    end
  end)
end)
