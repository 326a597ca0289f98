-- level:patch: updates of a living level to a new version of its resource.

-- tags: machine

local core = require "cuttle.core"
local cuttle = require "cuttle"
local folder = require "spec.support.folder"
local near = require "spec.support.near"
local raises = require "spec.support.raises"
local rounds = require "spec.support.rounds"
local valid = require "spec.support.valid"

describe("in level:patch,", function()
  local entities, world, compiler

  before_each(function()
    entities = cuttle.entity_manager { minimum_free_indices = 8 }
    world = cuttle.world(entities)
    world:define("health", { { "hp", "int32", 100 }, { "target", "entity" }, { "title", "string", "orc" },
      { "mood", "enum", { "calm", "angry" } }, { "bag", "value" } })
    world:define("wheel", { { "radius", "float", 1 } }, { multiple = true })
    for _, name in ipairs { "body", "glass", "roof" } do world.mesh:define_resource(name, {}) end
    world.model:define_resource("knight", { nodes = { { name = "base" },
      { name = "hand", parent = "base", position = { 0, 2, 0 } }, { name = "foot", position = { 0, -2, 0 } } } })
    compiler = cuttle.compiler(world)
  end)

  after_each(function()
    if world then valid(world) end
  end)

  local function load(list, options)
    return assert(cuttle.resource((assert(compiler:compile({ entities = list }, options)))))
  end

  local function spawn(list, options) return assert(world:spawn(load(list), options)) end

  local function patch(level, list) return assert(level:patch(load(list))) end

  -- Checks the counts that a patch returned; counts that are not named must be zero.
  local function counts(found, expected)
    local all = { added = 0, removed = 0, changed = 0, moved = 0, left = {} }
    for key, value in pairs(expected) do all[key] = value end
    assert.same(all, found)
  end

  local function at(name, x, extra)
    local entity = { name = name, components = { transform = { position = { x, 0, 0 } } } }
    for key, value in pairs(extra or {}) do entity[key] = value end
    return entity
  end

  local function with(name, components, children)
    return { name = name, components = components, children = children }
  end

  local function parent_of(e)
    local parent = world.transform:parent(e)
    return parent and world.transform:entity(parent)
  end

  local function x_of(e) return (world.transform:local_position(e)) end

  describe("changes in the resource", function()
    it("are applied: fields of every type, with the same entity ids", function()
      local level = spawn { with("orc", { transform = {}, health = { hp = 5, target = "lamp", bag = { 1, 2 } } }),
        at("lamp", 4), at("bulb", 5) }
      local orc, lamp = level:find "orc", level:find "lamp"
      counts(patch(level, { with("orc", { transform = { scale = 2 },
        health = { hp = 6, target = "bulb", title = "troll", mood = "angry", bag = { 1, { 2 } } } }), at("lamp", 4),
        at("bulb", 5) }), { changed = 1 })
      assert.equal(orc, level:find "orc")
      assert.equal(lamp, level:find "lamp")
      local health = world.health:get(orc)
      assert.same({ 6, level:find "bulb", "troll", "angry", { 1, { 2 } } },
        { health.hp, health.target, health.title, health.mood, health.bag })
      near({ 2, 2, 2 }, { world.transform:local_scale(orc) })
    end)

    it("are none if the new resource is equal", function()
      local list = { with("orc", { transform = {}, health = { hp = 5, target = "orc", bag = { 1 } }, wheel = { {},
        {} } }),
        at("lamp", 1, { children = { at("bulb", 2) } }) }
      counts(patch(spawn(list, { position = { 1, 2, 3 }, scale = 2 }), list), {})
    end)

    it("do not overwrite fields that a script changed", function()
      local level = spawn { with("orc", { health = { hp = 5, title = "a", bag = { 1 } } }) }
      local orc = level:find "orc"
      world.health:set_hp(orc, 50)
      world.health:bag(orc)[2] = "by a script"
      counts(patch(level, { with("orc", { health = { hp = 6, title = "b", bag = { 3 } } }) }), { changed = 1 })
      assert.equal(50, (world.health:hp(orc)))
      assert.equal("b", (world.health:title(orc)))
      assert.same({ 1, "by a script" }, world.health:bag(orc))
    end)

    it("do not include the sign of a zero, in values of scripts and of resources", function()
      local zero_and_minus = { 0, -1 / math.huge }
      world:define("speed", { { "f", "float" }, { "d", "double" }, { "v", "vec3" } })
      local function list(number, v, hp)
        return { with("orc", { transform = { position = v }, speed = { f = number, d = number, v = v },
          health = { hp = hp } }) }
      end
      local function all(e)
        local speed = world.speed:get(e)
        return { speed.f, speed.d, speed.v, { world.transform:local_position(e) } }
      end
      local function zeros(e)
        local values = all(e)
        return { 1 / values[1], 1 / values[2], 1 / values[3][2], 1 / values[4][2] }
      end
      local function set(e, number)
        world.speed:set(e, { f = number, d = number, v = { 1, number, 0 } })
        world.transform:set_local_position(e, 1, number, 0)
      end
      for i, zero in ipairs(zero_and_minus) do
        local other = zero_and_minus[3 - i]
        local level = spawn(list(other, { 1, other, 0 }, 1))
        local orc = level:find "orc"
        set(orc, zero)
        counts(patch(level, list(5, { 2, 3, 4 }, 1)), { changed = 1 })
        assert.same({ 5, 5, { 2, 3, 4 }, { 2, 3, 4 } }, all(orc))
        level = spawn(list(zero, { 1, zero, 0 }, 1))
        orc = level:find "orc"
        local was = zeros(orc)
        counts(patch(level, list(other, { 1, other, 0 }, 1)), {})
        counts(patch(level, list(zero, { 1, zero, 0 }, 2)), { changed = 1 })
        assert.same(was, zeros(orc))
        set(orc, 7)
        counts(patch(level, list(other, { 1, other, 0 }, 3)), { changed = 1 })
        assert.same({ 7, 7, { 1, 7, 0 }, { 1, 7, 0 } }, all(orc))
      end
    end)

    it("are applied to a value that a script only read", function()
      local level = spawn { with("orc", { health = { bag = { 1 } } }) }
      local orc = level:find "orc"
      assert.same({ 1 }, world.health:bag(orc))
      counts(patch(level, { with("orc", { health = { bag = { 2 } } }) }), { changed = 1 })
      assert.same({ 2 }, world.health:bag(orc))
    end)

    it("are applied to position, rotation and scale separately", function()
      local level = spawn { with("orc", { transform = { position = { 1, 0, 0 }, scale = 1 } }) }
      local orc = level:find "orc"
      world.transform:set_local_position(orc, 9, 9, 9)
      counts(patch(level, { with("orc", { transform = { position = { 2, 0, 0 }, scale = 3 } }) }), { changed = 1 })
      near({ 9, 9, 9 }, { world.transform:local_position(orc) })
      near({ 3, 3, 3 }, { world.transform:local_scale(orc) })
    end)

    it("move children with their parent, in deferred mode and in a batch too", function()
      local function list(x) return { at("a", x, { children = { at("b", 1, { children = { at("c", 1) } }) } }) } end
      local level = spawn(list(0))
      patch(level, list(5))
      near({ 7, 0, 0 }, { world.transform:world_position(level:find "c") })
      world.transform:batch(function() patch(level, list(6)) end)
      near({ 8, 0, 0 }, { world.transform:world_position(level:find "c") })
      world.transform:set_mode "deferred"
      patch(level, list(7))
      world.transform:propagate()
      near({ 9, 0, 0 }, { world.transform:world_position(level:find "c") })
    end)

    it("have the values that a spawn with the level's pose, parent and overrides would write", function()
      local ship = world:create { transform = { position = { 100, 0, 0 } } }
      local options = { position = { 10, 0, 0 }, parent = ship, overrides = { lamp = { health = { hp = 7 } } } }
      local function list(x, hp) return { at("lamp", x, { components = { transform = { position = { x, 0, 0 } },
        health = { hp = hp, title = "t" .. hp } } }) } end
      local level = spawn(list(1, 1), options)
      local lamp = level:find "lamp"
      counts(patch(level, list(2, 2)), { changed = 1 })
      near({ 112, 0, 0 }, { world.transform:world_position(lamp) })
      assert.same({ 7, "t2" }, { world.health:hp(lamp), world.health:title(lamp) })
      counts(patch(level, { at("lamp", 2, { components = { transform = { position = { 2, 0, 0 } } } }) }),
        { changed = 1 })
      assert.same({ 7, "orc" }, { world.health:hp(lamp), world.health:title(lamp) })
    end)
  end)

  describe("components", function()
    it("are added if they are new in the resource, and removed if they are no longer in it", function()
      local level = spawn { with("orc", { transform = {}, health = { hp = 1 } }) }
      local orc = level:find "orc"
      counts(patch(level, { with("orc", { transform = {}, point_mass = { mass = 3 } }) }), { changed = 1 })
      assert.is_false(world.health:has(orc))
      assert.equal(3, world.point_mass:mass(orc))
    end)

    it("are not restored if a script removed them, and kept if a script added them", function()
      local level = spawn { with("orc", { transform = {}, health = { hp = 1 } }), with("elf", { transform = {} }) }
      local orc, elf = level:find "orc", level:find "elf"
      world.health:destroy(orc)
      world.health:create(elf, { hp = 50 })
      counts(patch(level, { with("orc", { transform = {}, health = { hp = 2 } }),
        with("elf", { transform = {}, health = { hp = 3 } }) }), {})
      assert.is_false(world.health:has(orc))
      assert.equal(50, (world.health:hp(elf)))
    end)

    it("with ids are matched by id, those without by order", function()
      local level = spawn { with("car", { transform = {}, mesh = { { id = "b", resource = "body" },
        { resource = "glass" } },
        wheel = { { radius = 1 }, { radius = 2 }, { id = 7, radius = 3 } } }) }
      local car = level:find "car"
      local first = world.wheel:ids(car)
      counts(patch(level, { with("car", { transform = {},
        mesh = { { resource = "roof" }, { id = "c", resource = "body" }, { id = "b", resource = "glass" } },
        wheel = { { id = 7, radius = 4 }, { radius = 1 }, { radius = 5 }, { radius = 6 } } }) }), { changed = 1 })
      local meshes, wheels = {}, {}
      for item in world.mesh:instances(car) do meshes[world.mesh:id(item)] = world.mesh:resource(item) end
      for item in world.wheel:instances(car) do wheels[#wheels + 1] = world.wheel:radius(item) end
      assert.equal("glass", meshes.b)
      assert.equal("body", meshes.c)
      assert.equal(3, #world.mesh:ids(car))
      assert.same({ 1, 5, 4, 6 }, wheels)
      assert.same(first, { unpack(world.wheel:ids(car), 1, 3) })
    end)

    -- A search through all others for each instance would take hours.
    it("are patched by the thousand on one entity", function()
      local many = rounds(20000, 500)
      for _, ids in ipairs { function() end, function(i) return i end, function(i) return "w" .. i end } do
        local function car(radius)
          local wheels = {}
          for i = 1, many do wheels[i] = { id = ids(i), radius = radius } end
          return { with("car", { wheel = wheels }) }
        end
        local level = spawn(car(1))
        counts(patch(level, car(2)), { changed = 1 })
        local last
        for wheel in world.wheel:instances(level:entity(1)) do last = wheel end
        assert.equal(2, world.wheel:radius(last))
        counts(patch(level, { with("car", {}) }), { changed = 1 })
        assert.is_false(world.wheel:has(level:entity(1)))
      end
    end)

    it("keep their bodies if they are actors; new actors get one, and removed actors lose theirs", function()
      local made, freed = {}, {}
      world.actor:on_spawn(function(e, values)
        made[#made + 1] = values.shape
        return { of = e }
      end)
      world.actor:on_destroy(function(_, body) freed[#freed + 1] = body end)
      local level = spawn { with("a", { actor = { shape = "box" } }), with("b", { actor = { shape = "ball" } }),
        with "c" }
      local a, b = level:find "a", level:find "b"
      local kept, lost = world.actor:body(a), world.actor:body(b)
      patch(level, { with("a", { actor = { shape = "post" } }), with "b", with("c", { actor = { shape = "new" } }),
        with("d", { actor = { shape = "newer" } }) })
      assert.equal(kept, world.actor:body(a))
      assert.equal("post", world.actor:shape(a))
      assert.equal(1, #freed)
      assert.equal(lost, freed[1])
      assert.same({ "box", "ball", "new", "newer" }, made)
      assert.equal(level:find "d", world.actor:body(level:find "d").of)
    end)
  end)

  describe("entities", function()
    it("are created and destroyed", function()
      local level = spawn { at("a", 1, { children = { at("b", 2) } }), at("c", 3) }
      local a, b = level:find "a", level:find "b"
      counts(patch(level, { at("a", 1, { children = { at("d", 4, { children = { at("e", 5) } }) } }), at("c", 3) }),
        { added = 2, removed = 1 })
      assert.equal(a, level:find "a")
      assert.is_false(entities:alive(b))
      assert.is_nil(level:find "b")
      near({ 10, 0, 0 }, { world.transform:world_position(level:find "a/d/e") })
      assert.equal(4, level:count())
      assert.equal(level:find "e", level:entity(3))
      assert.equal(4, entities:count())
    end)

    it("without an id are matched by name and order under the same parent", function()
      local function row(...)
        local list = {}
        for i, x in ipairs { ... } do list[i] = at("orc", x) end
        return { at("camp", 0, { children = list }) }
      end
      local level = spawn(row(1, 2, 3))
      local first, second, third = level:entity(2), level:entity(3), level:entity(4)
      counts(patch(level, row(1, 5)), { changed = 1, removed = 1 })
      assert.same({ 1, 5, false }, { x_of(first), x_of(second), entities:alive(third) })
    end)

    it("with an id are matched under any parent and name", function()
      local level = spawn { at("a", 1, { children = { at("b", 2, { id = 7 }) } }), at("c", 3) }
      local b = level:find "b"
      counts(patch(level, { at("a", 1), at("c", 3, { children = { at("renamed", 2, { id = 7 }) } }) }),
        { changed = 1, moved = 1 })
      assert.equal(b, level:find "c/renamed")
      assert.equal(level:find "c", parent_of(b))
      near({ 5, 0, 0 }, { world.transform:world_position(b) })
    end)

    it("with an id inside a prefab are matched within the prefab's instance", function()
      local place = folder.new()
      local options = { directory = place.path }
      local level_source = { { name = "one", prefab = "lamp.json" }, { id = "two", name = "two",
        prefab = "lamp.json" } }
      place:write("lamp.json", '{"entities":[{"components":{"transform":{}},"children":[' ..
        '{"id":"bulb","name":"bulb","components":{"transform":{}}}]}]}')
      local level = assert(world:spawn(load(level_source, options)))
      local bulbs = { level:find "one/bulb", level:find "two/bulb" }
      place:write("lamp.json", '{"entities":[{"components":{"transform":{}},"children":[' ..
        '{"name":"arm","components":{"transform":{}},"children":[{"id":"bulb","name":"light","components":' ..
        '{"transform":{"position":[1,0,0]}}}]}]}]}')
      level_source[1], level_source[2] = level_source[2], level_source[1]
      level_source[1].name = "second"
      counts(assert(level:patch(load(level_source, options))), { added = 2, changed = 3, moved = 2 })
      assert.same(bulbs, { level:find "one/arm/light", level:find "second/arm/light" })
      place:remove()
    end)

    it("that a script destroyed are not created again, nor are new children of them", function()
      local level = spawn { at("a", 1, { children = { at("b", 2) } }), at("c", 3) }
      entities:destroy(level:find "a")
      counts(patch(level, { at("a", 9, { children = { at("b", 2, { children = { at("d", 4) } }),
        at("e", 5, { children = { at("f", 6) } }) } }), at("c", 3) }), { added = 1 })
      assert.is_nil(level:find "a")
      assert.is_nil(level:find "e")
      assert.is_nil(level:find "f")
      assert.is_true(entities:alive(level:find "d"))
      assert.equal(6, level:count())
      assert.equal(6, #level:entities())
      for _, e in ipairs(level:entities()) do assert.is_true(cuttle.is_entity(e)) end
      counts(patch(level, { at("c", 3) }), { removed = 2 })
    end)

    it("that a script added are kept", function()
      local level = spawn { at("a", 1) }
      local mine = world:create { transform = { parent = level:find "a" } }
      counts(patch(level, { at("b", 1) }), { added = 1, removed = 1 })
      assert.is_true(entities:alive(mine))
      assert.is_nil(world.transform:parent(mine))
    end)

    it("are added to an empty level, and all entities can be removed", function()
      local level = spawn {}
      counts(patch(level, { at("a", 1) }), { added = 1 })
      assert.equal(1, level:count())
      counts(patch(level, {}), { removed = 1 })
      assert.equal(0, entities:count())
    end)

    it("get references to each other, between new and old entities too", function()
      local level = spawn { with("a", { health = {} }) }
      patch(level, { with("a", { health = { target = "b" } }), with("b", { health = { target = "a" } }) })
      assert.equal(level:find "b", (world.health:target(level:find "a")))
      assert.equal(level:find "a", (world.health:target(level:find "b")))
    end)
  end)

  describe("parents", function()
    local function chain(a, b)
      return { at(a, 1, { id = a, children = { at(b, 2, { id = b }) } }), at("c", 3, { id = "c" }) }
    end

    it("and children can be exchanged", function()
      local level = spawn(chain("a", "b"))
      local a, b = level:find "a", level:find "b"
      counts(patch(level, { at("b", 2, { id = "b", children = { at("a", 1, { id = "a" }) } }),
        at("c", 3, { id = "c" }) }), { moved = 2 })
      assert.is_nil(world.transform:parent(b))
      assert.equal(b, parent_of(a))
    end)

    it("can be new entities above old roots", function()
      local level = spawn { at("b", 2, { id = "b" }) }
      local b = level:find "b"
      local children = { at("b", 2, { id = "b" }) }
      counts(patch(level, { at("a", 1, { id = "a", children = children }) }), { added = 1, moved = 1 })
      assert.equal(level:find "a", parent_of(b))
    end)

    it("keep their own components when links change", function()
      local parts = { health = { hp = 5 }, wheel = { { radius = 3 } } }
      local level = spawn { { id = "a", components = parts }, { id = "b", components = parts }, { id = "c" } }
      world.health:destroy(level:entity(1))
      counts(patch(level, { { id = "a", components = parts, children = { { id = "b", components = parts,
        children = { { id = "c" } } } } } }), {})
      assert.same({ 1 }, world.wheel:ids(level:entity(1)))
      assert.is_false(world.health:has(level:entity(1)))
      counts(patch(level, { { id = "c" }, { id = "b", components = parts }, { id = "a", components = parts } }), {})
      assert.same({ 2 }, world.wheel:ids(level:entity(2)))
    end)

    it("that a script changed are kept", function()
      local level = spawn(chain("a", "b"))
      local b, c = level:find "b", level:find "c"
      world.transform:link(b, c)
      counts(patch(level, { at("a", 1, { id = "a" }), at("b", 2, { id = "b" }), at("c", 3, { id = "c" }) }), {})
      assert.equal(c, parent_of(b))
    end)

    it("are not changed if that would close a cycle", function()
      local level = spawn { at("a", 1, { id = "a" }), at("b", 2, { id = "b" }), at("c", 3, { id = "c" }) }
      world.transform:link(level:find "b", level:find "a")
      counts(patch(level, { at("b", 2, { id = "b", children = { at("a", 1, { id = "a" }) } }), at("c", 3,
        { id = "c" }) }),
        {})
      assert.is_nil(world.transform:parent(level:find "a"))
    end)

    it("are the nearest ancestors with a transform, if transforms are added or removed above", function()
      local function list(components) return { at("a", 1, { children = { with("b", components, { at("c",
        3) }) } }) } end
      local level = spawn(list {})
      local c = level:find "c"
      assert.equal(level:find "a", parent_of(c))
      counts(patch(level, list { transform = {} }), { changed = 1, moved = 1 })
      assert.equal(level:find "b", parent_of(c))
      counts(patch(level, list {}), { changed = 1, moved = 1 })
      assert.equal(level:find "a", parent_of(c))
    end)

    it("can be nodes of models", function()
      local function list(node) return { with("knight", { transform = {}, model = { resource = "knight" } },
        { with("sword", { transform = { parent_node = node } }) }) } end
      local level = spawn(list "hand")
      local sword = level:find "sword"
      counts(patch(level, list "foot"), { moved = 1 })
      assert.equal(3, world.transform:parent_node(sword))
      counts(patch(level, list(nil)), { moved = 1 })
      assert.is_nil(world.transform:parent_node(sword))
      counts(patch(level, list(2)), { moved = 1 })
      assert.equal(2, world.transform:parent_node(sword))
      patch(level, { list(2)[1], with("horse", { transform = {}, model = { resource = "knight" } },
        { with("shoe", { transform = { parent_node = "foot" } }) }) })
      assert.equal(3, world.transform:parent_node(level:find "shoe"))
    end)

    it("can be nodes of a new model of the parent", function()
      world.model:define_resource("horse", { nodes = { { name = "tail" }, { name = "foot" } } })
      local function list(resource, node)
        return { with("rider", { transform = {}, model = { resource = resource } }, {
          with("shoe", { transform = { parent_node = "foot" } }), with("sword", { transform = { parent_node = node } }),
          with("whip", { transform = { parent_node = node } }) }) }
      end
      local level = spawn(list("knight", "hand"))
      local rider, shoe, sword, whip = unpack(level:entities())
      world.transform:link(whip, rider, { node = "foot" })
      counts(patch(level, list("horse", "tail")), { changed = 1, moved = 1 })
      local transforms, children = world.transform, {}
      for child in transforms:children(rider) do children[#children + 1] = child end
      assert.same({ 2, 1, 2 }, { transforms:parent_node(shoe), transforms:parent_node(sword),
        transforms:parent_node(whip) })
      assert.same({ shoe, whip, sword }, children)
    end)

    it("can be nodes of the entity that the level was spawned below, in overrides too", function()
      local holder, other, transforms = entities:create(), entities:create(), world.transform
      transforms:create(holder, { position = { 5, 0, 0 } })
      world.model:create(holder, { resource = "knight" })
      local level = spawn({ at("a", 1, { children = { at("c", 3) } }), at("b", 2) }, { parent = holder,
        parent_node = "hand", overrides = { a = { transform = { parent_node = "foot" }, health = { target = holder } },
          b = { health = { target = other } } } })
      local a, b = level:find "a", level:find "b"
      counts(patch(level, { at("a", 4), at("c", 3), with("b", { transform = { position = { 2, 0, 0 } },
        health = { target = "a" } }), with("d", { transform = {}, health = { target = "b" } }) }),
        { added = 2, removed = 1, changed = 1 })
      local c, d = level:find "c", level:find "d"
      local function links(e) return { parent_of(e), transforms:parent_node(e), world.health:target(e) or false } end
      world.health:create(c)
      assert.same({ { holder, 3, holder }, { holder, 2, other }, { holder, 2, false }, { holder, 2, b } },
        { links(a), links(b), links(c), links(d) })
      assert.equal(4, x_of(a))
    end)

    it("keep the node of a child that moves to another parent with a node of that name", function()
      local function knight(name, children)
        return { id = name, name = name, components = { transform = {}, model = { resource = "knight" } },
          children = children }
      end
      local sword = { id = "sword", name = "sword", components = { transform = { parent_node = "hand" } } }
      local level = spawn { knight("a", { sword }), knight "b" }
      counts(patch(level, { knight "a", knight("b", { sword }) }), { moved = 1 })
      assert.equal(level:find "b", parent_of(level:find "sword"))
      assert.equal(2, world.transform:parent_node(level:find "sword"))
    end)
  end)

  describe("many copies of a resource", function()
    it("are patched independently", function()
      local function list(x, more) return { at("a", x, { children = more }) } end
      local level = assert(world:spawn_many(load(list(1)), { positions = { 10, 0, 0, 20, 0, 0, 30, 0, 0 } }))
      local a, b, c = level:entity(1), level:entity(2), level:entity(3)
      world.transform:set_local_position(b, 0, 0, 0)
      entities:destroy(c)
      counts(patch(level, list(2, { at("d", 1) })), { changed = 1, added = 2 })
      near({ 12 }, { x_of(a) })
      near({ 0 }, { x_of(b) })
      assert.same({ 3, 2 }, { level:copy_range(2) })
      assert.same({ a, b }, { level:entity(1), level:entity(3) })
      assert.equal(b, parent_of(level:entity(4)))
      assert.is_false(entities:alive(level:entity(5)))
      assert.equal(6, level:count())
    end)
  end)

  describe("data of registered compilers", function()
    it("is passed to spawners for new entities, and matched entities are listed in left", function()
      compiler:register("engine", function(config) return config.kind end)
      local seen = {}
      world:register_spawner("engine", function(lookup, count, index, data)
        for i = 1, count do seen[#seen + 1] = { lookup[index[i] + 1], data[i] } end
      end)
      local level = spawn { at("a", 1, { components = { engine = { kind = "slow" } } }),
        at("b", 2, { components = { engine = { kind = "same" } } }) }
      seen = {}
      counts(patch(level, { at("a", 1, { components = { engine = { kind = "fast" } }, children = {
        at("c", 1, { components = { engine = { kind = "new" } } }) } }),
        at("b", 2, { components = { engine = { kind = "same" } } }) }), { added = 1, left = { "a: engine" } })
      assert.same({ { level:find "c", "new" } }, seen)
      counts(patch(level, { with "a", with "b" }), { removed = 1, left = { "a: engine", "b: engine" } })
    end)

    it("is listed in left for living entities only, even if the oldest entity is dead", function()
      compiler:register("engine", function(config) return config.kind end)
      world:register_spawner("engine", function() end)
      local function list(kind)
        local engine = { components = { engine = { kind = kind } } }
        return { at("a", 1, engine), at("b", 2, engine) }
      end
      local level = spawn(list "slow")
      entities:destroy(level:find "a")
      counts(patch(level, list "fast"), { left = { "b: engine" } })
    end)

    it("is patched beside a component of the same name with fields", function()
      world:define("engine", { { "power", "int32", 1 } })
      compiler:register("engine", function(config) return config.kind end)
      world:register_spawner("engine", function(lookup, count, index, data)
        for i = 1, count do world.engine:create(lookup[index[i] + 1], { power = #data[i] }) end
      end)
      local function list(kind, x) return { at("a", x, { components = { engine = { kind = kind }, transform = {
        position = { x, 0, 0 } } } }) } end
      local level = spawn(list("slow", 1), { overrides = { a = { health = { hp = 3 } } } })
      counts(patch(level, list("faster", 2)), { changed = 1, left = { "a: engine" } })
      assert.same({ 4, 2, 3 }, { (world.engine:power(level:find "a")), x_of(level:find "a"),
        (world.health:hp(level:find "a")) })
    end)

    it("gives the spawner's error as message, even if destroy callbacks spawn and patch before that", function()
      compiler:register("engine", function(config) return config.kind end)
      world:register_spawner("engine", function() error("no fuel", 0) end)
      local token = entities:on_destroy(function(e)
        local smoke = spawn { with("smoke", { health = {} }) }
        patch(smoke, { with("smoke", { health = { hp = 1 } }), with "b" })
        return world:inspect(e)
      end)
      local level = spawn { at("a", 1) }
      local engine = at("b", 1, { components = { engine = { kind = "new" } } })
      local result, message = level:patch(load { at("a", 1), engine })
      entities:off_destroy(token) -- otherwise it would run during the next test, when this world is collected
      assert.is_nil(result)
      assert.equal("engine: no fuel", message)
      assert.equal(1, level:count())
    end)
  end)

  describe("after a patch", function()
    it("find, entity and restart use the new resource", function()
      local level = spawn({ at("a", 1) }, { position = { 10, 0, 0 } })
      patch(level, { at("b", 2), at("c", 3) })
      assert(level:restart())
      assert.equal(2, level:count())
      near({ 12 }, { x_of(level:find "b") })
      assert.equal(2, level:unload())
      assert.equal(0, entities:count())
    end)

    it("the level can be patched again, and changes by scripts are still kept", function()
      local level = spawn { at("a", 1) }
      for x = 2, 20 do
        counts(patch(level, { at("a", x), at("n" .. x, x) }), { changed = 1, added = 1, removed = x > 2 and 1 or 0 })
        collectgarbage()
      end
      world.transform:set_local_position(level:find "a", 0, 0, 0)
      counts(patch(level, { at("a", 99) }), { removed = 1 })
    end)

    it("a restore of an earlier snapshot restores the old version of the level", function()
      local level = spawn { at("a", 1), at("b", 2) }
      local a = level:find "a"
      local before = entities:snapshot()
      patch(level, { at("a", 5), at("c", 3), at("d", 4) })
      local after = entities:snapshot()
      collectgarbage()
      entities:restore(before)
      assert.equal(2, level:count())
      assert.equal(1, x_of(level:find "a"))
      assert.is_truthy(level:find "b")
      entities:restore(after)
      assert.equal(3, level:count())
      assert.equal(a, level:find "a")
      assert.is_truthy(level:find "d")
      entities:restore(before)
      counts(patch(level, { at("a", 5), at("b", 2) }), { changed = 1 })
      assert(level:restart())
    end)
  end)

  describe("a patch that is not possible", function()
    it("returns nil and a message, and changes nothing", function()
      local level = spawn({ at("a", 1) }, { overrides = { a = { health = { hp = 3 } } } })
      local hash = entities:hash()
      local function fails(pattern, list)
        local result, message = level:patch(load(list))
        assert.is_nil(result)
        assert.matches(pattern, message)
        assert.equal(hash, entities:hash())
        assert.equal(1, level:count())
      end
      fails("overrides: a: no entity of the resource", { at("b", 1) })
      world.mesh:define_resource("gone", {})
      local other = cuttle.world(entities)
      other:define("health", { { "life", "float" } })
      local bytes = cuttle.compiler(other):compile { entities = { { name = "a", components = { health = {} } } } }
      local result, message = level:patch(assert(cuttle.resource(bytes, "other.json")))
      assert.is_nil(result)
      assert.matches("^other.json: health", message)
      assert.is_truthy(level:patch(load { at("a", 2) }))
    end)

    it("returns nil for an unloaded level, and raises if the world was destroyed", function()
      local level = spawn { at("a", 1) }
      local resource = load { at("a", 2) }
      level:unload()
      assert.same({ nil, "the level is unloaded" }, { level:patch(resource) })
      level = spawn { at("a", 1) }
      world:destroy()
      raises("world is destroyed", level.patch, level, resource)
      world = nil
    end)

    it("raises for an argument that is not a resource", function()
      local level = spawn { at("a", 1) }
      raises("bad argument #1 to 'patch' (Resource expected, got nil)", function() level:patch(nil) end)
      raises("bad argument #1 to 'patch' (Resource expected, got table)", function() level:patch {} end)
    end)

    it("returns nil if a component's fields no longer fit the old resource of the level", function()
      world:define("power", { { "watts", "int32" } })
      local level = spawn { with("lamp", { power = { watts = 5 } }) }
      world:define("power", { { "watts", "float" } }, { migrate = true })
      local counts_or_nil, message = level:patch(load { with("lamp", { power = { watts = 7.5 } }) })
      assert.is_nil(counts_or_nil)
      assert.equal("the old resource of the level does not match the world any more: unload the level and "
        .. "spawn it again (power: the resource was compiled for other fields (watts was int32, is float): "
        .. "compile it again)", message)
    end)

    it("returns nil if the parent of the level died", function()
      local ship = world:create { transform = {} }
      local level = spawn({ at("a", 1) }, { parent = ship })
      entities:destroy(ship)
      assert.same({ nil, "parent: entity(" .. cuttle.entity_index(ship) .. ":0) is dead" },
        { level:patch(load { at("a", 2) }) })
    end)
  end)

  describe("hooks", function()
    it("run for added and for removed components", function()
      local calls = {}
      world.health:on_add(function(e) calls[#calls + 1] = { "add", e } end)
      world.health:on_remove(function(e) calls[#calls + 1] = { "remove", e } end)
      local level = spawn { with("a", { health = {} }), with("b", {}), with("c", { health = {} }) }
      local a, b, c = level:find "a", level:find "b", level:find "c"
      calls = {}
      patch(level, { with("a", {}), with("b", { health = {} }), with("d", { health = {} }) })
      assert.same({ { "add", b }, { "add", level:find "d" }, { "remove", a }, { "remove", c } }, calls)
    end)

    it("that raise in on_add undo all additions, and nothing else is changed", function()
      local level = spawn { with("a", { health = { hp = 1 } }), with("b", {}) }
      local before = { entities:count(), world.health:count() }
      local resource = load { with("a", { health = { hp = 2 } }), with("b", { health = {} }), with("c",
        { health = {} }),
        with("d", { health = {} }) }
      local made, removed = 0, 0
      world.health:on_add(function()
        made = made + 1
        if made == 3 then error("no more", 0) end
      end)
      world.health:on_remove(function() removed = removed + 1 end)
      assert.same({ nil, "no more" }, { level:patch(resource) })
      world:gc "all"
      assert.same({ 3, 3 }, { made, removed })
      assert.same(before, { entities:count(), world.health:count() })
      assert.equal(1, (world.health:hp(level:find "a")))
      assert.equal(2, level:count())
      assert.is_nil(level:find "c")
      assert.equal(2, assert(level:patch(resource)).added)
    end)

    it("that raise in on_destroy do not stop the patch, which raises the error at its end", function()
      local level = spawn { at("a", 1), at("b", 2) }
      local token = entities:on_destroy(function() error("let me be", 0) end)
      raises("let me be", level.patch, level, load { at("a", 5) })
      entities:off_destroy(token)
      assert.equal(5, x_of(level:find "a"))
      assert.equal(1, level:count())
    end)

    it("may call methods of the level that is being patched, which refuses changes", function()
      local level = spawn { with("a", { health = {} }), with("b", { health = {} }) }
      local resource, other = load { with("a", { health = { hp = 7 } }), with("c", { health = {} }) }, load {}
      local results = {}
      world.health:on_add(function()
        results[#results + 1] = { level:unload(), level:restart() }
        results[#results + 1] = { level:patch(other) }
        raises("world is in use", world.destroy, world)
        raises("in use", entities.snapshot, entities)
        entities:destroy(level:find "a")
      end)
      counts(assert(level:patch(resource)), { added = 1, removed = 1 })
      assert.same({ { 0, nil, "the level is being patched" }, { nil, "the level is being patched" } }, results)
      assert.is_nil(level:find "a")
      assert.is_truthy(level:find "c")
    end)

    it("may destroy new entities", function()
      local level = spawn { with("a", { health = {} }) }
      world.health:on_add(function(e) entities:destroy(e) end)
      patch(level, { with("a", { health = { hp = 5 } }), with("c", { health = {} }) })
      assert.is_nil(level:find "c")
      assert.equal(5, (world.health:hp(level:find "a")))
    end)

    it("cannot redefine a component that the patch changes", function()
      local level = spawn { with("a", { wheel = { { radius = 1 } }, health = {} }) }
      world.transform:on_add(function()
        world.wheel:destroy(level:find "a")
        raises("world is in use", world.define, world, "wheel", { { "radius", "double", 7 } }, { multiple = true })
      end)
      counts(patch(level, { with("a", { wheel = { { radius = 2 } }, health = { hp = 3 } }), at("b", 1) }),
        { added = 1, changed = 1 })
      assert.is_false(world.wheel:has(level:find "a"))
    end)
  end)

  describe("entities:hash", function()
    local names = { "a", "b", "c", "d", "e" }

    local function row(x, from, to)
      local list = {}
      for i = from, to do
        list[#list + 1] = with(names[i],
          { transform = { position = { x, i, 0 } }, health = { hp = x }, wheel = { {}, {} } })
      end
      return list
    end

    local function leave_gaps()
      for _ = 1, 3 do entities:destroy(entities:create(20)) end
    end

    it("does not change if the resource is equal or has another order", function()
      local list = row(1, 1, 4)
      local level = spawn(list)
      leave_gaps()
      local hash = entities:hash()
      counts(patch(level, list), {})
      list[1], list[3] = list[3], list[1]
      counts(patch(level, list), {})
      assert.equal(hash, entities:hash())
      assert.is_true(world:gc() == 0)
      assert.equal(hash, entities:hash())
    end)

    it("is the same after changes there and back, and the next created entity is the same", function()
      local level = spawn(row(1, 1, 4))
      local script = spawn(row(1, 1, 4))
      leave_gaps()
      counts(patch(level, row(2, 1, 4)), { changed = 4 })
      local hash = entities:hash()
      local snapshot = entities:snapshot()
      local next_one = entities:create()
      entities:restore(snapshot)
      counts(patch(level, row(1, 1, 4)), { changed = 4 })
      counts(patch(level, row(2, 1, 4)), { changed = 4 })
      assert.equal(hash, entities:hash())
      assert.equal(next_one, entities:create())
      script:unload()
    end)

    it("does not change if a patch failed before any callback ran", function()
      local level = spawn(row(1, 1, 3), { overrides = { b = { health = { hp = 3 } } } })
      leave_gaps()
      local hash = entities:hash()
      assert.is_nil((level:patch(load(row(2, 3, 5)))))
      assert.equal(hash, entities:hash())
    end)
  end)

  describe("when memory runs out at any allocation,", function()
    local fail_in = core.testing and core.testing.fail_in
    if not fail_in then return end
    after_each(function() fail_in(-1) end)

    local function before(name)
      return { with(name, { transform = { position = { 1, 0, 0 } }, health = { hp = 1, title = "old title",
        bag = { 1 } },
        mesh = { { id = "m", resource = "body" }, { resource = "glass" } }, model = { resource = "knight" } },
        { with("sword", { transform = { parent_node = "hand" } }), at("gone", 3, { id = "gone" }) }),
        at("away", 7, { id = "away", children = { at("down", 8) } }), at("goes", 1) }
    end

    local function after(name)
      return { with(name, { transform = { position = { 2, 0, 0 }, scale = { 1, 2, 3 } },
        health = { hp = 2, title = "new title", target = "fresh", bag = { 2, { "text" } } },
        mesh = { { id = "n", resource = "glass" }, { resource = "roof" } }, model = { resource = "knight" },
        point_mass = {} },
        { with("sword", { transform = { parent_node = "foot" } }),
          with("fresh", { transform = { parent_node = "base" }, actor = { shape = "very new shape" },
            wheel = { { id = "left wheel" }, {} } }) }),
        at("down", 8, { id = "down" }) , at("top", 7, { children = { at("later", 3, { id = "away" }) } }) }
    end

    it("the hash is unchanged", function()
      local level, to = spawn(before "orc"), load(after "orc")
      entities:destroy(entities:create(20))
      local hash = entities:hash()
      for n = 0, 1000 do
        fail_in(n)
        local result = level:patch(to)
        fail_in(-1)
        if result then break end
        assert.equal(hash, entities:hash(), "allocation " .. n)
      end
      assert.not_equal(hash, entities:hash())
    end)

    it("a zero that a script has set keeps its sign", function()
      world:define("speed", { { "f", "float" } })
      world.model:define_resource("horse", { nodes = { { name = "a" }, { name = "b" }, { name = "c" },
        { name = "d" } } })
      local positions, minus = {}, -1 / math.huge
      for i = 1, 300 do positions[i] = 0 end
      local function list(x, model)
        return load { with("orc", { transform = {}, speed = { f = x }, health = { bag = x > 0 and { x } or nil },
          model = { resource = model } }) }
      end
      local level, to = assert(world:spawn_many(list(0, "knight"), { positions = positions })), list(5, "horse")
      for _, e in ipairs(level:entities()) do world.speed:set_f(e, minus) end
      local hash, failed = entities:hash(), 0
      while true do
        fail_in(failed)
        local result = level:patch(to)
        fail_in(-1)
        if result then break end
        assert.equal(hash, entities:hash(), "allocation " .. failed)
        failed = failed + 1
      end
      assert.is_true(failed > 10)
      assert.equal(5, (world.speed:f(level:entity(1))))
    end)

    it("every component is unchanged", function()
      world.health:on_add(function() end)
      world.actor:on_spawn(function() return {} end)
      local from, to = load(before "orc"), load(after "orc")
      local failed, level = 0, nil
      for n = 0, 1000 do
        if not level or failed == 0 or level:count() == 0 then
          level = assert(world:spawn(from, { position = { 1, 2, 3 },
            overrides = { orc = { health = { mood = "angry" } } } }))
        end
        local inspected = {}
        for i, e in ipairs(level:entities()) do inspected[i] = world:inspect(e) end
        fail_in(n)
        local fine, result, message = pcall(level.patch, level, to)
        fail_in(-1)
        assert(fine, result)
        if result then break end
        failed = failed + 1
        assert.matches("not enough memory$", message)
        for i, e in ipairs(level:entities()) do assert.same(inspected[i], world:inspect(e)) end
        assert.equal(#inspected, entities:count())
        valid(world)
      end
      assert.is_true(failed > 30)
      assert.equal("new title", (world.health:title(level:find "orc")))
    end)
  end)
end)
