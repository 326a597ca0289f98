-- Point masses and their simulation.

-- tags: ffi

local cuttle = require "cuttle"
local new_scene = require "spec.support.scene"
local raises = require "spec.support.raises"
local rounds = require "spec.support.rounds"
local seed = require "spec.support.seed"
local slow = require "spec.support.slow"
local valid = require "spec.support.valid"

local function scene() return new_scene "point_mass" end

-- The float nearest to a number, as the core stores it.
local function float_of(number)
  local masses, make = scene()
  return masses:mass(make { mass = number })
end

describe("a point mass", function()
  it("has no mass and rests at the origin by default", function()
    local masses, make = scene()
    local e = make()
    assert.equal(0, masses:mass(e))
    assert.are.same({ 0, 0, 0 }, { masses:position(e) })
    assert.are.same({ 0, 0, 0 }, { masses:velocity(e) })
    assert.are.same({ 0, 0, 0 }, { masses:acceleration(e) })
  end)

  it("has the values that it is created with", function()
    local masses, make = scene()
    local e = make { mass = 2, position = { 1, 2, 3 }, velocity = { 4, 5, 6 }, acceleration = { 7, 8, 9 } }
    assert.are.same({ mass = 2, position = { 1, 2, 3 }, velocity = { 4, 5, 6 }, acceleration = { 7, 8, 9 } },
      masses:get(e))
  end)

  it("lists its fields", function()
    assert.are.same({ { "mass", "float" }, { "position", "vec3" }, { "velocity", "vec3" }, { "acceleration", "vec3" } },
      (scene():fields()))
  end)

  it("exists once per entity", function()
    local masses, make = scene()
    local e = make()
    raises("entity(0:0) already has a point_mass", masses.create, masses, e)
  end)

  it("is read and written through columns", function()
    local masses, make, _, world = scene()
    local e = make { position = { 1, 2, 3 } }
    local row = masses:row(e)
    assert.equal(2, masses:column("position")[row].y)
    masses:column("velocity")[row].z = 5
    masses:column("mass")[row] = 7
    assert.are.same({ 0, 0, 5 }, { masses:velocity(e) })
    assert.equal(7, masses:mass(e))
    valid(world)
  end)

  it("comes after mesh and before actor in spawn order", function()
    local _, _, _, world = scene()
    local names = {}
    for name in world:managers() do names[#names + 1] = name end
    assert.matches("mesh point_mass actor", table.concat(names, " "), 1, true)
  end)
end)

describe("simulate", function()
  it("adds acceleration to velocity, then velocity to position", function()
    local masses, make = scene()
    local e = make { position = { 1, 2, 3 }, velocity = { 1, 0, 0 }, acceleration = { 0, -10, 2 } }
    masses:simulate(0.5)
    assert.are.same({ 1, -5, 1 }, { masses:velocity(e) })
    assert.are.same({ 1.5, -0.5, 3.5 }, { masses:position(e) })
    assert.are.same({ 0, -10, 2 }, { masses:acceleration(e) })
  end)

  it("does nothing without point masses", function()
    local masses, _, _, world = scene()
    masses:simulate(1)
    valid(world)
  end)

  it("accepts steps of 0 and negative steps", function()
    local masses, make = scene()
    local e = make { position = { 4, 0, 0 }, velocity = { 1, 0, 0 }, acceleration = { 1, 0, 0 } }
    masses:simulate(0)
    assert.are.same({ 4, 0, 0 }, { masses:position(e) })
    masses:simulate(-1)
    assert.are.same({ 0, 0, 0 }, { masses:velocity(e) })
    assert.are.same({ 4, 0, 0 }, { masses:position(e) })
  end)

  it("refuses a step that is not a finite number, and moves nothing", function()
    local masses, make = scene()
    local e = make { velocity = { 1, 0, 0 } }
    raises("bad argument #1 to 'simulate' (number expected, got no value)", function() masses:simulate() end)
    raises("number expected, got string", function() masses:simulate "0.1" end)
    raises("finite number of seconds expected", function() masses:simulate(0 / 0) end)
    raises("finite number of seconds expected", function() masses:simulate(math.huge) end)
    raises("finite number of seconds expected", function() masses:simulate(-math.huge) end)
    -- This number is infinite as a float.
    raises("finite number of seconds expected", function() masses:simulate(1e300) end)
    assert.are.same({ 0, 0, 0 }, { masses:position(e) })
  end)

  it("gives the same bits as a scalar step, for any number of rows", function()
    local masses, make, _, world = scene()
    math.randomseed(seed)
    local dt, rows = float_of(1 / 60), {}
    for i = 1, rounds(800, 40) do
      local function random() return float_of((math.random() - 0.5) * 10 ^ math.random(-3, 6)) end
      local row = { p = random(), v = random(), a = random() }
      row.e = make { position = { row.p, 0, 0 }, velocity = { row.v, 0, 0 }, acceleration = { row.a, 0, 0 } }
      rows[i] = row
    end
    masses:simulate(dt)
    local probe, e = masses, make()
    -- One operation at a time: the sum or product of two floats in doubles is exact enough to be rounded once.
    local function round(number)
      probe:set_mass(e, number)
      return probe:mass(e)
    end
    for _, row in ipairs(rows) do
      local v = round(row.v + round(row.a * dt))
      local p = round(row.p + round(v * dt))
      assert.equal(v, (masses:velocity(row.e)))
      assert.equal(p, (masses:position(row.e)))
    end
    valid(world)
  end)

  it("stores only the quiet NaN when infinities are added", function()
    for rows = 1, slow and 5 or 40 do
      local masses, make, _, world = scene()
      local last
      for _ = 1, rows do
        last = make {
          position = { math.huge, 1, 0 / 0 }, velocity = { -math.huge, math.huge, 1 },
          acceleration = { math.huge, -math.huge, 1 },
        }
      end
      masses:simulate(1)
      valid(world)
      local x, y, z = masses:position(last)
      assert.is_true(x ~= x and y ~= y and z ~= z)
      masses:simulate(0)
      valid(world)
    end
  end)

  it("does not spread a NaN to other rows", function()
    local masses, make, _, world = scene()
    local list = {}
    for i = 1, 1000 do list[i] = make { velocity = { i, i, i } } end
    masses:set_velocity(list[500], 0 / 0, 1, math.huge)
    masses:simulate(1)
    for i = 1, 1000 do
      local x, y, z = masses:position(list[i])
      if i == 500 then
        assert.is_true(x ~= x and y == 1 and z == math.huge)
      else
        assert.are.same({ i, i, i }, { x, y, z })
      end
    end
    valid(world)
  end)

  it("moves dead entities that were not collected, without harm", function()
    local masses, make, entities, world = scene()
    local e = make { velocity = { 1, 0, 0 } }
    entities:destroy(e)
    masses:simulate(1)
    assert.equal(1, masses:count())
    masses:gc "all"
    assert.equal(0, masses:count())
    valid(world)
  end)

  it("raises when its world is destroyed", function()
    local masses, _, _, world = scene()
    world:destroy()
    raises("world is destroyed", function() masses:simulate(1) end)
  end)
end)

describe("point masses spawned from a level", function()
  it("have the compiled values", function()
    local masses, _, _, world = scene()
    local blob = assert(cuttle.compiler(world):compile { entities = {
      { name = "a", components = { point_mass = { mass = 3, velocity = { 1, 2, 3 } } } }, { name = "b" },
      { name = "c", components = { point_mass = {} } },
    } })
    local level = assert(world:spawn(assert(cuttle.resource(blob))))
    masses:simulate(2)
    assert.are.same({ 2, 4, 6 }, { masses:position(level:find "a") })
    assert.is_false(masses:has(level:find "b"))
    assert.equal(0, masses:mass(level:find "c"))
    valid(world)
    level:unload()
    assert.equal(2, masses:gc "all")
  end)
end)

describe("point masses compared with a model, seed " .. seed, function()
  it("agree with a naive model", function()
    math.randomseed(seed)
    local masses, make, entities, world = scene()
    local model, list = {}, {}
    local function small() return math.random(-8, 8) end
    for _ = 1, rounds(1500, 100) do
      local dice = math.random(10)
      local e = list[math.random(#list + 1)]
      if dice <= 4 then
        local v = { small(), small(), small() }
        e = make { mass = small(), velocity = v, acceleration = { 1, 2, 4 } }
        model[e] = { p = { 0, 0, 0 }, v = v }
        list[#list + 1] = e
      elseif dice == 5 and e and entities:alive(e) then
        entities:destroy(e)
        model[e] = nil
      elseif dice == 6 and e and model[e] then
        masses:destroy(e)
        model[e] = nil
      elseif dice == 7 then
        masses:gc(math.random(2) == 1 and "all" or nil)
      elseif dice == 8 then
        masses:simulate(0.5)
        local a = { 1, 2, 4 }
        for _, m in pairs(model) do
          for k = 1, 3 do
            m.v[k] = m.v[k] + a[k] * 0.5
            m.p[k] = m.p[k] + m.v[k] * 0.5
          end
        end
      elseif e and model[e] then
        local v = { small(), small(), small() }
        masses:set_velocity(e, v[1], v[2], v[3])
        model[e].v = v
      end
      valid(world)
    end
    for e, m in pairs(model) do
      assert.are.same(m.p, { masses:position(e) })
      assert.are.same(m.v, { masses:velocity(e) })
    end
  end)
end)
