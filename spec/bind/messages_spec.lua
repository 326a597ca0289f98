-- Messages about arguments and tables of values: what was passed, and what was expected.
local cuttle = require "cuttle"
local raises = require "spec.support.raises"

describe("the message", function()
  local entities, world, e

  before_each(function()
    entities = cuttle.entity_manager()
    world = cuttle.world(entities)
    world:define("thing", { { "two", "vec2" }, { "three", "vec3" }, { "four", "vec4" }, { "turn", "quat" },
      { "tint", "color" }, { "all", "mat4" }, { "wide", "dvec2" }, { "wider", "dvec3" } })
    e = world:create { transform = {}, thing = {}, point_mass = {} }
  end)

  describe("about a vector with named fields", function()
    local TYPES = { two = "vec2", three = "vec3", four = "vec4", turn = "quat", tint = "color", all = "mat4",
      wide = "dvec2", wider = "dvec3" }
    local FORMS = { two = "{x, y}", three = "{x, y, z}", four = "{x, y, z, w}", turn = "{x, y, z, w}",
      tint = "{r, g, b, a}", all = "an array of 16 numbers", wide = "{x, y}", wider = "{x, y, z}" }

    it("describes the expected form, in every call that takes values", function()
      for name, form in pairs(FORMS) do
        local text = name .. ": expected " .. form .. ", got a table with names"
        local values = { [name] = { x = 1, y = 2 } }
        raises(text, world.create, world, { thing = values })
        raises(text, world.create, world, { thing = values }, 2)
        raises(text, world.template, world, { thing = values })
        raises(text, world.thing.create, world.thing, entities:create(), values)
        raises(text, world.thing.create_many, world.thing, { entities:create() }, values)
        raises(text, world.thing.set, world.thing, e, values)
        raises(text, world.thing.write_many, world.thing, { e }, name, { x = 1 })
        raises("expected " .. form .. ", got a table with names", world.thing.write, world.thing, e, name, { x = 1 })
        raises(name .. ": default: expected " .. form, world.define, world, "other",
          { { name, TYPES[name], { x = 1 } } })
      end
    end)

    it("describes the two or three numbers that a transform takes", function()
      local position = "position: expected {x, y[, z]}, got a table with names"
      local scale = "scale: expected a number or {x, y[, z]}, got a table with names"
      raises(position, world.create, world, { transform = { position = { x = 1, y = 2 } } })
      raises(position, world.create, world, { transform = { position = { x = 1, y = 2 } } }, 2)
      raises(scale, world.transform.set, world.transform, e, { scale = { x = 1, y = 2 } })
      raises("rotation: expected {x, y, z, w}", world.create, world, { transform = { rotation = { x = 1 } } })
      raises("cell_size: expected a number or {x, y}, got a table with names", world.create, world,
        { grid = { width = 1, height = 1, cell_size = { w = 1 } } })
    end)

    it("names the place in level source, and the option of a spawn", function()
      local compiler = cuttle.compiler(world)
      local _, message = compiler:compile([[{ "entities": [
        { "components": { "transform": { "position": { "x": 1, "y": 2 } } } } ] }]], { name = "level.json" })
      assert.equal("level.json: entities[1].components.transform.position: expected {x, y[, z]}, "
        .. "got a table with names", message)
      local resource = assert(cuttle.resource(assert(compiler:compile { entities = { { name = "a" } } })))
      raises("position: expected {x, y, z}, got a table with names", world.spawn, world, resource,
        { position = { x = 1, y = 2 } })
      raises("scale: expected a number or {x, y, z}", world.spawn, world, resource, { scale = { x = 1, y = 2 } })
      raises("position: expected {x, y[, z]}", world.spawn, world, resource,
        { overrides = { a = { transform = { position = { x = 1 } } } } })
    end)

    it("counts the numbers of a table without names", function()
      raises("position: expected 3 numbers, got 0", world.create, world, { transform = { position = {} } })
      raises("three: expected 3 numbers, got 2", world.create, world, { thing = { three = { 1, 2 } } })
      raises("three: expected 3 numbers, got 1", world.create, world, { thing = { three = { 1, y = 2 } } })
    end)
  end)

  it("about an unknown field suggests a name that begins with it or contains it", function()
    raises("unknown field 'pos' (did you mean 'position'?)", world.create, world, { transform = { pos = { 1, 2 } } })
    raises("unknown field 'rot' (did you mean 'rotation'?)", world.create, world, { transform = { rot = 1 } })
    raises("unknown field 'vel' (did you mean 'velocity'?)", world.point_mass.set, world.point_mass, e, { vel = 1 })
    raises("unknown field 'position' (did you mean 'local_position'?)", world.transform.column, world.transform,
      "position")
    local _, message = cuttle.compiler(world):compile { entities = { { components = { transform = { pos = 1 } } } } }
    assert.truthy(message:find("unknown field 'pos' (did you mean 'position'?)", 1, true), message)
  end)

  it("about a number that was never an instance says that it is not an instance", function()
    local transform = world.transform
    for _, number in ipairs { 5, 0, -1, 1.5, 2 ^ 22 - 1, 2 ^ 22 + 0.5, 2 ^ 53, math.huge, -math.huge } do
      local text = ("stale transform instance (%.14g is a row or another number, not an instance)"):format(number)
      raises(text, transform.local_position, transform, number)
      raises(text, transform.set_local_position, transform, number, 1, 2, 3)
      raises(text, transform.entity, transform, number)
      raises(text, transform.destroy, transform, number)
      raises(text, transform.read, transform, number, "local_position")
    end
    raises("stale transform instance (", transform.local_position, transform, 0 / 0)
    raises("stale thing instance (5 is", world.thing.two, world.thing, 5)
    raises("stale thing instance (5 is", world.thing.set_two, world.thing, 5, 1, 2)
    raises("stale thing instance (5 is", world.thing.next, world.thing, 5)
  end)

  it("about a stale instance, or one of another manager, has no such explanation", function()
    local old = world.thing:lookup(e)
    local other = world.transform:lookup(e)
    world.thing:destroy(e)
    world.thing:create(e)
    for _, instance in ipairs { old, other } do
      local _, message = pcall(world.thing.two, world.thing, instance)
      assert.truthy(message:find "stale thing instance%)$", message)
    end
  end)
end)
