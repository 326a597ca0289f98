-- world:spawn_many.

local core = require "cuttle.core"
local counts = require "spec.support.counts"
local cuttle = require "cuttle"
local level_world = require "spec.support.level_world"
local new_random = require "spec.support.random"
local raises = require "spec.support.raises"
local rounds = require "spec.support.rounds"
local seed = require "spec.support.seed"
local valid = require "spec.support.valid"

local fail_in = core.testing and core.testing.fail_in

local CAR = { entities = { { name = "car", components = { transform = { position = { 1, 0, 0 } },
  health = { hp = 5, target = "wheel" }, actor = { shape = "box", mass = 2 } }, children = {
    { name = "wheel", components = { transform = { position = { 0, 1, 0 } },
      wheel = { { id = "rim", radius = 2 }, { radius = 3 } } } } } } } }

describe("many copies of a level", function()
  local world, entities

  before_each(function()
    world = level_world()
    entities = world.entities
  end)

  local function load(source, compiler)
    return assert(cuttle.resource((assert((compiler or cuttle.compiler(world)):compile(source or CAR)))))
  end

  local function position(e) return { world.transform:world_position(e) } end

  local function untouched(call, ...)
    local before = counts(world)
    local results = { call(...) }
    world:gc()
    for name, manager in world:managers() do manager:gc "all"; assert.equal(before[name], manager:count(), name) end
    assert.equal(before.entities, entities:count())
    valid(world)
    return unpack(results, 1, 3)
  end

  describe("have in each copy", function()
    it("its pose, components, names and references", function()
      local level = assert(world:spawn_many(load(), { positions = { 0, 0, 0, 10, 0, 0, 20, 0, 0 },
        angles = { 0, math.pi / 2, 0 }, scales = { 1, 1, 2 } }))
      assert.equal(6, level:count())
      assert.are.same({ 1, 0, 0 }, position(level:entity(1)))
      assert.are.same({ 1, 1, 0 }, position(level:entity(2)))
      local x, y = world.transform:world_position(level:entity(4))
      assert.is_true(math.abs(x - 9) < 1e-6 and math.abs(y - 1) < 1e-6)
      assert.are.same({ 22, 2, 0 }, position(level:entity(6)))
      for copy = 1, 3 do
        local first, count = level:copy_range(copy)
        assert.equal(2 * copy - 1, first)
        assert.equal(2, count)
        assert.equal(level:entity(first + 1), world.health:target(level:entity(first)))
        assert.equal("wheel", world.debug_name:debug_name(level:entity(first + 1)))
        assert.equal(2, world.wheel:radius(world.wheel:lookup(level:entity(first + 1), "rim")))
      end
      assert.are.same({ level:entity(1), level:entity(3), level:entity(5) }, level:roots())
      valid(world)
    end)

    it("the same paths, and find returns the first living entity", function()
      local level = assert(world:spawn_many(load(), 3))
      assert.equal(level:entity(2), level:find "car/wheel")
      entities:destroy(level:entity(2))
      assert.equal(level:entity(4), level:find "car/wheel")
      entities:destroy(level:list())
      assert.is_nil(level:find "wheel")
    end)

    it("the pose of the options, if the poses are a number", function()
      local level = assert(world:spawn_many(load(), 20, { position = { 0, 0, 5 }, scale = 2 }))
      for i = 1, 40, 2 do assert.are.same({ 2, 0, 5 }, position(level:entity(i))) end
      assert.equal(40, level:count())
    end)

    it("no entities if there are no copies", function()
      for _, poses in ipairs { 0, { positions = {} } } do
        local level = assert(world:spawn_many(load(), poses))
        assert.equal(0, level:count())
        assert.is_nil(level:copy_range(1))
        assert.is_nil(level:find "car")
        assert.equal(level, level:restart())
        assert.equal(0, level:unload())
      end
    end)

    it("a copy_range, which a single level has once and an unloaded one not at all", function()
      local level = assert(world:spawn(load()))
      assert.are.same({ 1, 2 }, { level:copy_range(1) })
      for _, copy in ipairs { 0, 2, -1, 1e15 } do assert.is_nil(level:copy_range(copy)) end
      raises("integer", level.copy_range, level, 1.5)
      level:unload()
      assert.is_nil(level:copy_range(1))
    end)
  end)

  it("are children of the parent, in each copy", function()
    local parent = world:create { transform = { position = { 100, 0, 0 } } }
    local level = assert(world:spawn_many(load(), { positions = { 0, 0, 0, 0, 7, 0 } }, { parent = parent }))
    local children = {}
    for e in world.transform:children(parent) do children[#children + 1] = e end
    assert.are.same(level:roots(), children)
    assert.are.same({ 101, 7, 0 }, position(level:entity(3)))
    entities:destroy(parent)
    world:gc()
    local again, message = untouched(level.restart, level)
    assert.is_nil(again)
    assert.matches("parent: entity%(.-%) is dead", message)
  end)

  it("have the overrides in each copy", function()
    local level = assert(world:spawn_many(load(), { positions = { 0, 0, 0, 5, 0, 0 } }, { overrides = {
      ["car/wheel"] = { health = { hp = 9 }, wheel = { { id = "rim", radius = 8 } } },
      car = { transform = { position = { 0, 0, 3 } } } } }))
    for copy = 1, 2 do
      local car, wheel = level:entity(2 * copy - 1), level:entity(2 * copy)
      assert.equal(9, world.health:hp(wheel))
      assert.equal(8, world.wheel:radius(world.wheel:lookup(wheel, "rim")))
      assert.are.same({ 5 * (copy - 1), 0, 3 }, position(car))
      assert.are.same({ 5 * (copy - 1), 1, 3 }, position(wheel))
    end
    valid(world)
  end)

  it("are restarted at the poses of the spawn, even if the tables changed", function()
    local positions = { 0, 0, 0, 10, 0, 0 }
    local level = assert(world:spawn_many(load(), { positions = positions }))
    positions[4] = 99
    world.transform:set_local_position(level:entity(3), 0, 0, 0)
    entities:destroy(level:entity(1))
    assert.equal(level, level:restart())
    assert.equal(4, level:count())
    assert.equal(4, entities:count())
    assert.are.same({ 11, 0, 0 }, position(level:entity(3)))
    assert.are.same({ 3, 2 }, { level:copy_range(2) })
    valid(world)
  end)

  it("are unloaded together", function()
    local level = assert(world:spawn_many(load(), 5))
    entities:destroy(level:entity(1))
    assert.equal(9, level:unload())
    assert.equal(0, level:count())
    assert.is_nil(level:find "car")
  end)

  it("report what was skipped in all of them", function()
    local other = cuttle.world(cuttle.entity_manager())
    local level = assert(other:spawn_many(load(), 3))
    assert.are.same({ health = 3, wheel = 6 }, level:skipped())
  end)

  describe("call", function()
    local function spiky()
      local compiler = cuttle.compiler(world)
      compiler:register("spikes", function(config) return config.kind end, 2)
      return load({ entities = {
        { name = "pit", components = { spikes = { kind = "iron" }, health = {}, actor = {} } }, { name = "way" },
        { name = "den", components = { spikes = { kind = "wood" } } } } }, compiler)
    end

    it("a spawner once for all copies", function()
      local calls = {}
      world:register_spawner("spikes", function(...) calls[#calls + 1] = { ... } end)
      local level = assert(world:spawn_many(spiky(), 3))
      assert.equal(1, #calls)
      local lookup, count, index, data = unpack(calls[1])
      assert.are.same(level:entities(), lookup)
      assert.equal(6, count)
      assert.are.same({ 0, 2, 3, 5, 6, 8 }, index)
      assert.are.same({ "iron", "wood", "iron", "wood", "iron", "wood" }, data)
    end)

    it("no spawner for zero copies", function()
      world:register_spawner("spikes", function() error "called" end)
      assert.equal(0, assert(world:spawn_many(spiky(), 0)):count())
    end)

    it("on_spawn for each actor, in order, after all entities exist", function()
      local seen = {}
      world.actor:on_spawn(function(e, values)
        seen[#seen + 1] = e
        assert.equal("box", values.shape)
        assert.equal(3, world.transform:count() / 2)
        return "body " .. #seen
      end)
      local level = assert(world:spawn_many(load(), 3))
      assert.are.same(level:roots(), seen)
      assert.equal("body 3", world.actor:body(level:entity(5)))
    end)

    it("a spawner that raises, and leave nothing", function()
      world:register_spawner("spikes", function(lookup, _, index)
        entities:destroy(lookup[index[2] + 1])
        error "too sharp"
      end)
      local level, message = untouched(world.spawn_many, world, spiky(), 3)
      assert.is_nil(level)
      assert.matches("spikes: .*too sharp", message)
    end)

    it("a spawner that destroys an entity of the second copy before its components exist, and leave nothing", function()
      world:register_spawner("spikes", function(lookup) entities:destroy(lookup[4]) end)
      local level, message = untouched(world.spawn_many, world, spiky(), 3)
      assert.is_nil(level)
      assert.matches('actor: entity%(.-%) "pit" died while the level was spawned', message)
    end)

    it("hooks for each component, copy by copy, after all exist", function()
      local calls = {}
      world.wheel:on_add(function(e, instance)
        calls[#calls + 1] = e
        assert.equal(world.wheel:entity(instance), e)
        assert.equal(20, world.debug_name:count())
      end)
      local level = assert(world:spawn_many(load(), 10))
      assert.equal(20, #calls)
      for i = 1, 20 do assert.equal(level:entity(2 * math.ceil(i / 2)), calls[i]) end
    end)

    it("a hook that raises in a later copy, and leave nothing", function()
      local added, removed = 0, 0
      world.health:on_remove(function() removed = removed + 1 end)
      world.health:on_add(function()
        added = added + 1
        if added == 7 then error "no more" end
      end)
      local level, message = untouched(world.spawn_many, world, load(), 20)
      assert.is_nil(level)
      assert.matches("no more", message)
      assert.equal(7, removed)
    end)

    it("on_spawn that raises for the third body, and free the bodies", function()
      local made, freed = 0, 0
      world.actor:on_spawn(function()
        made = made + 1
        if made == 3 then error "no room" end
        return {}
      end)
      world.actor:on_destroy(function() freed = freed + 1 end)
      local level, message = untouched(world.spawn_many, world, load(), 4)
      assert.is_nil(level)
      assert.matches("no room", message)
      assert.equal(2, freed)
    end)

    it("a spawner that cannot destroy the world", function()
      world:register_spawner("spikes", function() raises("world is in use", world.destroy, world) end)
      assert(world:spawn_many(spiky(), 2))
    end)
  end)

  describe("are refused", function()
    local function refuse(text, poses, options)
      untouched(raises, text, world.spawn_many, world, load(), poses, options)
    end

    it("for poses that are not valid", function()
      refuse("table of poses or number of copies expected, got nil", nil)
      refuse("table of poses or number of copies expected, got string", "three")
      refuse("integer in [0, 4194304] expected, got 1.5", 1.5)
      refuse("integer in [0, 4194304] expected, got -1", -1)
      refuse("positions: required", {})
      refuse("unknown option 'position' (did you mean 'positions'?)", { position = { 0, 0, 0 } })
      refuse("positions: table expected, got number", { positions = 3 })
      refuse("positions: expected 3 numbers per copy, got 4", { positions = { 1, 2, 3, 4 } })
      refuse("positions: expected numbers, got string at 5", { positions = { 1, 2, 3, 4, "5", 6 } })
      refuse("angles: expected 2 numbers, got 1", { positions = { 1, 2, 3, 4, 5, 6 }, angles = { 1 } })
      refuse("rotations: expected 8 numbers, got 4", { positions = { 1, 2, 3, 4, 5, 6 }, rotations = { 0, 0, 0, 1 } })
      refuse("scales: expected 1 number, got 3", { positions = { 1, 2, 3 }, scales = { 1, 1, 1 } })
      refuse("scales[1]: expected a number, got boolean", { positions = { 1, 2, 3 }, scales = { true } })
      refuse("angles: not together with rotations",
        { positions = { 1, 2, 3 }, angles = { 1 }, rotations = { 0, 0, 0, 1 } })
    end)

    it("for options that are not valid", function()
      local poses = { positions = { 1, 2, 3 } }
      for _, name in ipairs { "position", "rotation", "angle", "scale" } do
        refuse(name .. ": not together with a table of poses", poses, { [name] = 1 })
      end
      refuse("position: expected 3 numbers", 2, { position = { 1 } })
      refuse("unknown option 'over'", poses, { over = {} })
      refuse("overrides: bus: no entity of the resource is called 'bus'", poses, { overrides = { bus = {} } })
      refuse("parent: entity expected, got string", poses, { parent = "car" })
      raises("argument #3", function() world:spawn_many(load(), poses, { parent = "car" }) end)
      local dead = entities:create()
      entities:destroy(dead)
      refuse("is dead", poses, { parent = dead })
    end)

    it("if there is no room for the entities or the rows", function()
      local level, message = untouched(world.spawn_many, world, load(), 2 ^ 22)
      assert.is_nil(level)
      assert.equal("entity manager is full (0 alive): 4194304 fit, 4194304 copies of 2 do not", message)
      local wheels = {}
      for i = 1, 5 do wheels[i] = { radius = i } end
      local resource = load { entities = { { components = { wheel = wheels } } } }
      level, message = untouched(world.spawn_many, world, resource, 2 ^ 20)
      assert.is_nil(level)
      assert.equal("wheel is full (4194304 rows)", message)
    end)

    it('with unknown = "error", and nothing is created', function()
      world = cuttle.world(cuttle.entity_manager())
      entities = world.entities
      local blob = assert(cuttle.compiler(level_world()):compile(CAR))
      local level, message = untouched(world.spawn_many, world, cuttle.resource(blob), 2, { unknown = "error" })
      assert.is_nil(level)
      assert.matches("health: 1 instance of a component type", message)
    end)

    it("when memory runs out, and are spawned afterwards", function()
      if not fail_in then return pending "only test builds make allocations fail" end
      local positions = {}
      for i = 1, 60 do positions[i] = i end
      local failures = 0
      for n = 0, 500 do
        world = level_world()
        entities = world.entities
        local resource = load()
        fail_in(n)
        local ok, level, message = pcall(world.spawn_many, world, resource, { positions = positions },
          { overrides = { wheel = { health = { title = "flat" } } } })
        fail_in(-1)
        if ok and level then break end
        assert.matches("not enough memory", ok and message or level)
        untouched(function() end)
        assert.equal(0, entities:count())
        assert.equal(0, world.transform:count())
        failures = failures + 1
        assert.is_table({ assert(world:spawn_many(resource, { positions = positions })) })
        valid(world)
      end
      assert.is_true(failures > 10 and failures < 500, failures)
    end)
  end)
end)

-- Compared with one spawn after another in a world with the same entities.
describe("many copies, seed " .. seed, function()
  local random = new_random(seed)

  local function chance(n) return random(n) == 1 end
  local function number() return random(2001) / 100 - 10 end
  local function numbers(n)
    local list = {}
    for i = 1, n do list[i] = number() end
    return list
  end

  local function transform()
    return { position = numbers(3), angle = chance(2) and number() or nil,
      scale = chance(3) and number() or chance(3) and numbers(3) or nil }
  end

  local function entity(i)
    local components = {}
    if not chance(4) then components.transform = transform() end
    if chance(2) then
      components.health = { hp = random(1000), title = chance(2) and "title " .. random(3) or nil,
        target = chance(2) and "e" .. random(i) or nil }
    end
    if chance(2) then
      components.wheel = { { id = "a", radius = number() }, { axis = numbers(3) }, chance(2) and { id = 7 } or nil }
    end
    if chance(3) then components.model = { resource = "crane" } end
    if chance(3) then components.actor = { shape = "s" .. random(3), mass = number() } end
    return { name = "e" .. i, components = components, parent = i > 1 and chance(2) and "e" .. random(i - 1) or nil }
  end

  local function make_world()
    local world = level_world()
    world.model:define_resource("crane", { nodes = { { name = "base" } } })
    return world
  end

  local function source()
    local list = {}
    for i = 1, random(12) do list[i] = entity(i) end
    return { entities = list }
  end

  local function make_poses(count)
    local poses = { positions = numbers(3 * count) }
    if chance(2) then poses.scales = numbers(count) end
    if chance(3) then poses.angles = numbers(count) elseif chance(2) then poses.rotations = numbers(4 * count) end
    return poses
  end

  local function pose_of(poses, i)
    local p, r = poses.positions, poses.rotations
    return { position = { p[3 * i - 2], p[3 * i - 1], p[3 * i] }, angle = poses.angles and poses.angles[i],
      scale = poses.scales and poses.scales[i],
      rotation = r and { r[4 * i - 3], r[4 * i - 2], r[4 * i - 1], r[4 * i] } }
  end

  local function same(many, world, levels, other, names)
    local i = 0
    for copy, level in ipairs(levels) do
      local first, count = many:copy_range(copy)
      assert.equal(i + 1, first)
      assert.equal(level:count(), count)
      for j = 1, count do
        i = i + 1
        local e, f = many:entity(i), level:entity(j)
        assert.equal(f, e)
        assert.same(other:inspect(f), world:inspect(e))
        if world.transform:has(e) then
          assert.same({ other.transform:world_matrix(f) }, { world.transform:world_matrix(e) })
          local ours, theirs = {}, {}
          for child in world.transform:children(e) do ours[#ours + 1] = child end
          for child in other.transform:children(f) do theirs[#theirs + 1] = child end
          assert.same(theirs, ours)
        end
      end
    end
    assert.equal(i, many:count())
    for name, manager in world:managers() do assert.equal(other:manager(name):count(), manager:count(), name) end
    for _, name in ipairs(names) do
      local found
      for _, level in ipairs(levels) do found = found or level:find(name) end
      assert.equal(found, many:find(name))
    end
    valid(world)
  end

  local function options_for(world, given)
    local parent = given.parent and world:create { transform = given.parent } or nil
    return { parent = parent, overrides = given.overrides }
  end

  it("have the same bits as separate spawns", function()
    for _ = 1, rounds(40, 5) do
      local world, other = make_world(), make_world()
      local resource = assert(cuttle.resource((assert(cuttle.compiler(world):compile(source())))))
      local count, size = random(30), resource:entity_count()
      local poses = make_poses(count)
      local given = { parent = chance(3) and transform() or nil }
      if chance(3) then
        given.overrides = {
          ["e" .. random(size)] = { health = { hp = random(50) }, wheel = { { id = "a", radius = 1 } } },
          ["e" .. size] = { transform = chance(2) and { position = numbers(3) } or nil } }
      end
      if chance(4) then world.transform:set_mode "deferred"; other.transform:set_mode "deferred" end
      local options = options_for(world, given)
      local many = assert(world:spawn_many(resource, poses, options))
      local theirs, levels = options_for(other, given), {}
      for i = 1, count do
        local pose = pose_of(poses, i)
        pose.parent, pose.overrides = theirs.parent, theirs.overrides
        levels[i] = assert(other:spawn(resource, pose))
      end
      local names = {}
      for i = 1, size do names[i] = "e" .. i end
      same(many, world, levels, other, names)

      -- Some entities die in both worlds.
      for _ = 1, random(count) do
        local place = random(many:count())
        other.entities:destroy(levels[math.floor((place - 1) / size) + 1]:entity((place - 1) % size + 1))
        world.entities:destroy(many:entity(place))
      end
      for _, name in ipairs(names) do
        local found
        for _, level in ipairs(levels) do found = found or level:find(name) end
        assert.equal(found, many:find(name))
      end
      local alive = world.entities:count()
      assert.equal(other.entities:count(), alive)

      -- Both worlds collect, then the levels restart.
      if chance(2) then world:gc(); other:gc() end
      assert.equal(many, many:restart())
      assert.equal(count * size, many:count())
      valid(world)
      assert.equal(count * size, many:unload())
      assert.equal(given.parent and 1 or 0, world.entities:count())
      world:gc()
      valid(world)
    end
  end)
end)
