-- Integers and floats as results and arguments, which differ in Lua 5.3 and later.

-- tags: ffi

local cuttle = require "cuttle"
local raises = require "spec.support.raises"

-- Lua 5.3 and later have integers and floats; earlier versions have one kind of numbers.
local kind_of = math.type or function() return nil end
local INTEGER, FLOAT = kind_of(1), kind_of(1.5)

describe("an integer result", function()
  local entities, world, things, e

  before_each(function()
    entities = cuttle.entity_manager()
    world = cuttle.world(entities)
    things = world:define("thing", { { "hp", "int32", 7 }, { "mass", "float", 2 }, { "wide", "double", 3 },
      { "friend", "entity" }, { "bag", "value" } })
    e = entities:create()
  end)

  it("has the integer type, and prints without a fraction", function()
    local instance = things:create(e, { friend = e })
    local list = cuttle.list { e }
    local snapshot = entities:snapshot()
    local all = { cuttle.entity_id(e), cuttle.entity_index(e), cuttle.entity_generation(e), cuttle.MAX_ENTITIES,
      cuttle.NOBODY, cuttle.tag(e), entities:count(), entities:memory(), things:count(), things:row(e), instance,
      things:lookup(e), list:count(), snapshot:bytes(), world:gc(), things:hp(e), things:get(e).hp,
      things:column "hp"[0], things:column "friend"[0], things:column("hp"):count() }
    for place, number in ipairs(all) do
      assert.equal(INTEGER, kind_of(number), "number " .. place)
      assert.matches("^%d+$", tostring(number))
      assert.equal(tostring(number), ("%.0f"):format(number))
      -- Lua 5.1 converts %d to a C long, which has 32 bits on some machines.
      if INTEGER or number < 2 ^ 31 then assert.matches("^%d+$", ("%d"):format(number)) end
    end
  end)

  it("has the integer type in loops", function()
    things:create(e)
    for row in world:rows "thing" do assert.equal(INTEGER, kind_of(row)) end
    for _, instance in things:each() do assert.equal(INTEGER, kind_of(instance)) end
  end)

  it("is an ordinary table key", function()
    local instance = things:create(e)
    local by_instance, by_id = { [instance] = "instance" }, { [cuttle.entity_id(e) + 0.0] = "id" }
    assert.equal("instance", by_instance[things:lookup(e)])
    assert.equal("id", by_id[cuttle.entity_id(e)])
  end)

  it("is accepted back as integer and as float", function()
    local instance = things:create(e)
    assert.equal(e, things:entity(instance + 0.0))
    assert.equal(e, things:entity_at(0.0))
    assert.equal(e, cuttle.entity_from_id(cuttle.entity_id(e) + 0.0))
    things:set_hp(e, 2 ^ 31 - 1)
    assert.equal(2147483647, things:hp(e))
    assert.equal(2, #entities:create(2.0))
  end)

  it("is printed in messages as it would be written", function()
    things:create(e)
    raises("row 1 is outside thing (1 rows)", things.entity_at, things, 1.0)
    raises("integer in [0, 1073741823] expected, got -1", cuttle.entity_from_id, -1)
    raises("integer in [0, 1073741823] expected, got 1.5", cuttle.entity_from_id, 1.5)
    raises("expected an integer in [-2147483648, 2147483647], got 2147483648", things.set_hp, things, e, 2 ^ 31)
    raises("integer in [0, 1073741823] expected, got 1e+15", cuttle.entity_from_id, 1e15)
  end)

  it("is refused as an argument beyond 2^53", function()
    local instance = things:create(e)
    local huge = math.maxinteger or 2 ^ 63
    raises("got 9.22337203685", cuttle.entity_from_id, huge)
    raises("stale thing instance", things.hp, things, huge)
    raises("stale thing instance", things.hp, things, instance + 2 ^ 53)
    assert.equal(7, things:hp(instance))
  end)

  it("is a float in a field of floats", function()
    things:create(e, { mass = 5 })
    assert.equal(FLOAT, kind_of(things:mass(e)))
    assert.equal(FLOAT, kind_of(things:wide(e)))
    things:set_wide(e, math.maxinteger or 2 ^ 63)
    assert.equal(2 ^ 63, things:wide(e))
  end)

  it("keeps its type in a value field, and becomes an integer in levels and saves", function()
    local zero = -1 / math.huge -- LuaJIT on ARM64 reads the literal -0.0 as 0
    local level = { entities = { { components = { thing = { bag = { 1, 2.5, [8] = -3, n = 2 ^ 53, z = zero } } } } } }
    local blob = assert(cuttle.compiler(world):compile(level))
    local bag = things:bag(assert(world:spawn(assert(cuttle.resource(blob)))):entity(1))
    assert.same({ 1, 2.5, [8] = -3, n = 2 ^ 53, z = 0 }, bag)
    for _, key in ipairs { 1, 8, "n" } do assert.equal(INTEGER, kind_of(bag[key])) end
    assert.equal(FLOAT, kind_of(bag[2]))
    assert.equal(-math.huge, 1 / bag.z)
    things:create(e, { bag = 5.0 })
    assert.equal(kind_of(5.0), kind_of(things:bag(e)))
    entities:restore(assert(cuttle.snapshot(entities:snapshot():tostring())))
    assert.equal(INTEGER, kind_of(things:bag(e)))
  end)
end)

describe("a string of digits", function()
  local world, e

  before_each(function()
    world = cuttle.world(cuttle.entity_manager())
    e = world:create { transform = {}, grid = { width = 2, height = 2 } }
  end)

  local function refuses(call, object, ...)
    raises("number expected, got string", call, object, ...)
  end

  it("is no number for a space", function()
    local space = world:query("transform"):space { cell = 1 }
    space:update()
    refuses(space.within, space, "1", 2, 3)
    refuses(space.within, space, 1, 2, "3")
    refuses(space.box, space, 1, 2, 3, "4")
    refuses(space.nearest, space, "1", 2)
    refuses(space.nearest, space, 1, 2, "3")
    refuses(space.nearest_many, space, 1, 1, "2")
    refuses(space.ray, space, 1, 2, 3, 4, "5")
    refuses(space.pairs, space, "1")
  end)

  it("is no number for a grid", function()
    local grid = world.grid
    refuses(grid.cell, grid, e, 0, "-1")
    refuses(grid.cell_at, grid, e, "5", 5)
    refuses(grid.rectangle, grid, e, "5", 5, 6, 6)
    refuses(grid.ray, grid, e, 5, 5, 6, "6")
    refuses(grid.move, grid, e, "5", 5, 1, 1, 1, 1)
  end)

  it("is no number for the functions of formulas", function()
    for _, name in ipairs { "sin", "cos", "exp", "log" } do refuses(cuttle[name], "1") end
    refuses(cuttle.atan2, "1", 2)
    refuses(cuttle.atan2, 1, "2")
  end)
end)
