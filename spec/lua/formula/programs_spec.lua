-- Programs that are kept by their texts: an equal text in another world, query or with other parameters.

local cuttle = require "cuttle"
local programs = require "cuttle.formula.programs"
local raises = require "spec.support.raises"

local function new_world(fields)
  local world = cuttle.world(cuttle.entity_manager())
  world:define("body", fields or { { "x", "double" }, { "v", "vec2" }, { "state", "enum", { "idle", "run" } } })
  world:define("life", { { "hp", "float", 100 } })
  world:create({ body = {}, life = {} }, 3)
  return world
end

-- Runs a text in a world and returns body.x of the first entity.
local function result(world, text, parameters)
  world:formula(text, parameters)()
  return world.body:x(world:query("body"):first())
end

describe("The program of a text", function()
  it("computes with the parameters of each formula", function()
    local world = new_world()
    for i = 1, 3 do assert.equal(i, result(world, "body.x = a", { a = i })) end
    local one, other = world:formula("body.x += a", { a = 1 }), world:formula("body.x += a", { a = 10 })
    one()
    other()
    assert.equal(14, world.body:x(world:query("body"):first()))
    other.a = 5
    assert.equal(1, one.a)
  end)

  it("is another one for parameters of other types", function()
    local world = new_world()
    assert.equal(2, result(world, "body.x = a and 2 or 3", { a = true }))
    raises("boolean", world.formula, world, "body.x = a and 2 or 3", { a = 1 })
    world:formula("body.v = a", { a = { 1, 2 } })()
    raises("vec2 expected for 'body.v', got number", world.formula, world, "body.v = a", { a = 1 })
    raises("vec2 expected for 'body.v', got vec3", world.formula, world, "body.v = a", { a = { 1, 2, 3 } })
    raises("the parameter 'a': number expected at [2]", world.formula, world, "body.v = a", { a = { 1, "2" } })
    raises("a table of 5", world.formula, world, "body.v = a", { a = { 1, 2, 3, 4, 5 } })
    raises("no local, parameter, component or function 'a'", world.formula, world, "body.v = a")
    raises("the parameter 'body' is read-only", world.formula, world, "body.v = a", { a = { 1, 2 }, body = 1 })
    assert.is_truthy(world:formula("body.v = a", { a = { 3, 4 } }))
  end)

  it("is another one for other fields and labels", function()
    local TEXT = 'body.x = body.state == "run" and 1 or 0'
    assert.equal(0, result(new_world(), TEXT))
    local world = new_world { { "state", "enum", { "run", "idle" } }, { "x", "int8" } }
    assert.equal(1, result(world, TEXT))
    local other = new_world { { "x", "float" }, { "state", "enum", { "a" } } }
    raises("no label \"run\"", other.formula, other, TEXT)
    raises("no field 'state'", function() new_world { { "x", "float" } }:formula(TEXT) end)
    raises("no component 'body'", function()
      cuttle.world(cuttle.entity_manager()):formula(TEXT)
    end)
    assert.equal(0, result(new_world(), TEXT))
  end)

  it("is another one after a component was defined again", function()
    local world = new_world()
    assert.equal(7, result(world, "body.x = 7"))
    world:define("body", { { "v", "vec2" }, { "y", "float" } }, { migrate = true })
    raises("no field 'x'", world.formula, world, "body.x = 7")
    world:define("body", { { "x", "float" } }, { migrate = true })
    assert.equal(7, result(world, "body.x = 7"))
  end)

  it("is another one for a query in which components have other roles", function()
    local world, TEXT = new_world(), "body.x = has.life and life.hp or 1"
    world:query("body", "?life"):formula(TEXT)()
    raises("the query requires 'life'", function() world:query("body", "life"):formula(TEXT) end)
    raises("the query excludes the component 'life'", function() world:query("body", "!life"):formula(TEXT) end)
    raises("the query has no component 'life'", function() world:query("body"):formula(TEXT) end)
    assert.equal(3, world:query("body", "?life"):formula(TEXT)())
  end)

  it("is another one after a name became a component", function()
    local world = new_world()
    assert.equal(2, result(world, "body.x = abs(-2)"))
    local local_text = "local wind = 1 body.x = wind"
    assert.equal(1, result(world, local_text))
    world:define("wind", { { "x", "float" } })
    assert.equal(1, result(world, local_text))
    raises("has the name of a component", world.formula, world, local_text .. " body.x = at(self, wind.x)")
  end)

  it("is kept for a limited number of texts", function()
    local world = new_world()
    for round = 1, 2 do
      for i = 1, 200 do assert.equal(i + round, result(world, ("body.x = %d + a"):format(i), { a = round })) end
    end
  end)

  it("fits parameters of the same names and types", function()
    local kinds = programs.kinds { a = 1, b = true, c = { 1, 2 } }
    assert.is_true(programs.fits({ a = 2, b = false, c = { 0, 0 } }, kinds))
    for _, other in ipairs {
      { a = 2, b = false }, { a = 2, b = false, c = { 0, 0, 0 } }, { a = 2, b = 1, c = { 0, 0 } },
      { a = 2, b = false, c = { 0, 0 }, d = 1 }, { a = 2, b = false, c = { 0, "0" } },
    } do
      assert.is_false(programs.fits(other, kinds))
    end
    assert.is_true(programs.fits(nil, {}))
  end)
end)
