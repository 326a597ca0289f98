-- world:create: component tables, cached names, messages about several mistakes.

local cuttle = require "cuttle"
local new_random = require "spec.support.random"
local raises = require "spec.support.raises"
local seed = require "spec.support.seed"
local valid = require "spec.support.valid"

-- Managers and fields that were looked up recently are cached by the address of the name string.
describe("world:create", function()
  local world, entities

  local function define(a_world)
    a_world:define("health", { { "hp", "float", 100 }, { "level", "uint8", 3 }, { "ally", "entity" } })
    a_world:define("place", { { "at", "vec3" }, { "on", "bool" } }, { hidden = { "at" }, lookup = "array" })
    return a_world
  end

  before_each(function()
    world = define(cuttle.world(cuttle.entity_manager()))
    entities = world.entities
  end)

  local function hp(components, n) return (world:manager "health":hp(world:create(components, n))) end

  describe("reads its table on each call", function()
    it("when values have changed", function()
      local health = { hp = 1 }
      local components = { health = health }
      assert.equal(1, hp(components))
      health.hp = 2
      assert.equal(2, hp(components))
      health.hp = nil
      assert.equal(100, hp(components))
      components.health = { hp = 4 }
      assert.equal(4, hp(components))
    end)

    it("when components were added to the table and removed from it", function()
      local components = { health = {} }
      local first = world:create(components)
      components.place = { at = { 1, 2, 3 } }
      local second = world:create(components)
      components.health = nil
      local third = world:create(components)
      local health, place = world:manager "health", world:manager "place"
      assert.same({ true, true, false }, { health:has(first), health:has(second), health:has(third) })
      assert.same({ false, true, true }, { place:has(first), place:has(second), place:has(third) })
      assert.same({ 1, 2, 3 }, place:get(second).at)
    end)

    it("when a value has another type than before", function()
      local components = { health = { hp = 1 }, place = {} }
      hp(components)
      components.health.hp = "1"
      local count = entities:count()
      raises("health: hp: expected a number, got string", world.create, world, components)
      components.health = 5
      raises("health: table of values expected, got number", world.create, world, components)
      components.health = {}
      components[1] = {}
      raises("component names must be strings", world.create, world, components)
      assert.equal(count, entities:count())
      assert.equal(1, world:manager "place":count())
      valid(world)
    end)
  end)

  describe("with a component whose name was used before", function()
    it("creates components of the manager that replaced the old one", function()
      local components, old = { health = { hp = 1 } }, world:manager "health"
      hp(components)
      world:clear()
      world:define("health", { { "points", "float", 7 }, { "hp", "int32", 8 } })
      local new = world:manager "health"
      local e = world:create(components)
      assert.same({ 1, 7 }, { new:hp(e), new:points(e) })
      raises("health: hp: expected an integer", world.create, world, { health = { hp = 1.5 } })
      raises("health: unknown field 'level'", world.create, world, { health = { level = 1 } })
      raises("health was defined again", old.has, old, e)
    end)

    it("creates components of the other world that has the same name", function()
      local other = define(cuttle.world(entities))
      local components = { health = { hp = 5 } }
      for _ = 1, 3 do
        local mine, its = world:create(components), other:create(components)
        assert.same({ true, false },
          { world:manager("health"):has(mine), other:manager("health"):has(mine) })
        assert.same({ false, true }, { world:manager("health"):has(its), other:manager("health"):has(its) })
      end
    end)

    it("raises when the world was destroyed", function()
      local components = { health = {} }
      local create = world.create
      world:create(components)
      world:destroy()
      raises("world is destroyed", create, world, components)
    end)

    it("creates components of a world that was made after another was collected", function()
      local components = { health = { hp = 2 } }
      for i = 1, 20 do
        local new = cuttle.world(entities)
        local manager = new:define("health", { { i % 2 == 0 and "hp" or "mp", "float", i }, { "hp" .. i, "float", i } })
        local e = new:create(i % 2 == 0 and components or { health = {} })
        assert.same(i % 2 == 0 and { hp = 2, ["hp" .. i] = i } or { mp = i, ["hp" .. i] = i }, manager:get(e))
        if i % 4 > 1 then new:destroy() end
        manager, new = nil, nil -- luacheck: ignore 311
        collectgarbage()
      end
    end)

    it("finds the component by a name string that was built anew", function()
      for i = 1, 40 do
        local components, letters = {}, { "h", "e", "a", "l", "t", "h" }
        components[table.concat(letters)] = { [table.concat { "h", "p" }] = i }
        assert.equal(i, hp(components))
        if i % 10 == 0 then collectgarbage() end
      end
    end)

    it("refuses names that only begin like the component's", function()
      local count = entities:count()
      hp { health = { hp = 1 } }
      for _, name in ipairs { "health\0", "healthy", "healt", "" } do
        raises("unknown component '", world.create, world, { [name] = {} })
      end
      for _, name in ipairs { "hp\0", "hpp", "h", "" } do
        raises("health: unknown field '", world.create, world, { health = { [name] = 1 } })
      end
      for _, key in ipairs { 1, 0.5, true, world, print } do
        raises("health: unknown field ", world.create, world, { health = { [key] = 1 } })
      end
      assert.equal(count + 1, entities:count())
      valid(world)
    end)
  end)

  it("reads the raw entries of tables and ignores their metatables", function()
    local called = false
    local function call() called = true end
    local event = { __pairs = call, __len = call }
    local components = setmetatable({ health = setmetatable({}, event) }, event)
    assert.equal(100, hp(components))
    components = { health = setmetatable({}, { __index = call }) }
    raises("health: table has __index in its metatable", world.create, world, components)
    assert.is_false(called)
    assert.equal(0, world:manager "place":count())
  end)

  it("accepts numbers that are NaN, infinite or out of the range of floats", function()
    assert.is_true(hp { health = { hp = 0 / 0 } } ~= hp { health = { hp = 0 / 0 } })
    assert.equal(math.huge, hp { health = { hp = math.huge } })
    assert.equal(-math.huge, hp { health = { hp = -1e300 } })
  end)

  describe("with several mistakes in one component names", function()
    -- Calls visit with tables of the same keys, inserted in every order.
    local function tables(pairs_of, visit)
      local function go(n, order)
        if n == 0 then
          local made = {}
          for _, place in ipairs(order) do made[pairs_of[place][1]] = pairs_of[place][2] end
          return visit(made)
        end
        for place = 1, #pairs_of do
          local free = true
          for _, used in ipairs(order) do free = free and used ~= place end
          if free then
            order[#order + 1] = place
            go(n - 1, order)
            order[#order] = nil
          end
        end
      end
      go(#pairs_of, {})
    end

    local function always(message, pairs_of)
      tables(pairs_of, function(made)
        raises("(health: " .. message, world.create, world, { health = made })
        raises(message, world.template, world, { health = made })
        raises("(" .. message, world.health.create, world.health, entities:create(), made)
        raises(message, world.health.create_many, world.health, entities:create(2), made)
      end)
      local e = world:create { health = {} }
      tables(pairs_of, function(made) raises("(" .. message, world.health.set, world.health, e, made) end)
      valid(world)
    end

    it("the first wrong field in order of declaration", function()
      always("hp: expected a number, got string", { { "level", "x" }, { "zzz", 1 }, { "hp", "y" }, { "ally", true } })
    end)

    it("the first unknown key in order of names, if there is one", function()
      always("unknown field 'aaa'", { { "zzz", 1 }, { "aaa", 1 }, { "mmm", 2 }, { "hp", 3 } })
    end)

    it("an unknown name before a key that is not a string", function()
      always("unknown field 'zzz'", { { "zzz", 1 }, { 1, 1 }, { true, 2 }, { "hp", 3 } })
    end)

    it("an error even if a finalizer replaces the component while the message is made", function()
      for _ = 1, 20 do
        local other = define(cuttle.world(entities))
        local trap = newproxy(true)
        getmetatable(trap).__gc = function() other:define("health", { { "mp", "float" } }) end
        trap = nil -- luacheck: ignore 311
        collectgarbage "restart"
        local ok = pcall(other.create, other, { health = { hp = ("x"):rep(10), level = {}, zzz = 1 } })
        assert.is_false(ok)
        collectgarbage()
        other:destroy()
      end
    end)
  end)

  it("creates nothing when the last field of the last component is wrong", function()
    local wrong = { { hp = {} }, { level = 256 }, { level = 0 / 0 }, { ally = 3 }, { hp = 1, level = -1 } }
    local e = world:create { health = { hp = 1 } }
    for _, health in ipairs(wrong) do
      raises("expected", world.create, world, { place = { on = true }, health = health })
    end
    world:define("unit", { { "state", "enum", { "idle", "walk" } } })
    for _, state in ipairs { "", "wal", "walk\0" } do
      raises("unit: state: unknown label '" .. state:sub(1, 4), world.create, world, { unit = { state = state } })
    end
    assert.equal(1, entities:count())
    assert.equal(0, world:manager "place":count())
    assert.equal(1, world:manager "health":hp(e))
    valid(world)
  end)

  -- Creating one entity and creating several use different code paths with the same results.
  it("gives one entity the same values as each of two, from random tables, seed " .. seed, function()
    local random = new_random(seed)
    local function value(field)
      if field == "hp" then return random(100) / 4 end
      if field == "level" then return random(256) - 1 end
      if field == "on" then return random(2) == 1 end
      if field == "at" then return { random(9), random(9), random(9) } end
      if field == "state" then return ({ "idle", "walk", "run" })[random(3)] end
    end
    local fields = { health = { "hp", "level" }, place = { "at", "on" }, unit = { "state" } }
    world:define("unit", { { "state", "enum", { "idle", "walk", "run" }, "walk" } })
    for _ = 1, 60 do
      local components = {}
      for name, all in pairs(fields) do
        if random(4) > 1 then
          components[name] = {}
          for _, field in ipairs(all) do
            if random(2) == 1 then components[name][field] = value(field) end
          end
        end
      end
      local one, two = world:create(components), world:create(components, 2)
      for name in pairs(fields) do
        local manager = world:manager(name)
        assert.equal(components[name] ~= nil, manager:has(one))
        if components[name] then assert.same(manager:get(two[2]), manager:get(one)) end
      end
    end
    valid(world)
  end)
end)
