-- Components and fields in formulas: field types, optional and excluded components, transforms, other entities, names
-- that are keywords, and the query that a text makes.

local cuttle = require "cuttle"
local formula_world = require "spec.support.formula_world"
local raises = require "spec.support.raises"

describe("A field of a formula", function()
  local place = formula_world.new()
  local world = place.world

  it("has the lanes of its type", function()
    local body = place.run([[
      body.x = 1.5
      body.m = 0.1
      body.v = vec2(1, 2)
      body.p = vec3(3)
      body.c = vec4(0.25, 0.5, 0.75, 1)
      body.c.a = 0
      body.q = body.c
      body.hp = -7
      body.level = 200
      body.on = true
      body.target = self
      body.state = "dead"
      body.flat = vec2(0.1, 2)
      body.far = vec3(0.1, 2, 3)
    ]], nil, "body")
    assert.same({ x = 1.5, m = 0.1, v = { 1, 2 }, p = { 3, 3, 3 }, c = { 0.25, 0.5, 0.75, 0 },
      q = { 0.25, 0.5, 0.75, 0 },
      hp = -7, level = 200, on = true, target = place.entity, state = "dead",
      w = 0, flat = { 0.1, 2 }, far = { 0.1, 2, 3 } }, body)
  end)

  it("with a keyword as its name is written with _", function()
    place.run '_("end").x = 4 odd._("end") = _("end").x + 1'
    assert.equal(4, world:manager("end"):x(place.entity))
    assert.equal(5, world.odd:read(place.entity, "end"))
    assert.equal(6, place.number '_("odd")._("end") + 1')
  end)

  it("stores any NaN as the one quiet NaN", function()
    place.run "body.x = 0 / 0 body.m = -(0 / 0)"
    local x, m = world.body:x(place.entity), world.body:m(place.entity)
    assert.is_true(x ~= x and m ~= m)
    world.body:set_x(place.entity, 0)
  end)
end)

describe("An optional component of a formula", function()
  local place = formula_world.new()
  local world = place.world
  local without = place.entity
  local with = world:create { out = {}, extra = { a = 4, k = { 1, 2, 3 }, mode = "y", n = 9 } }

  it("is one that `has` names", function()
    assert.equal(2, world:formula "out.boolean = has.extra"())
    assert.is_true(world.out:boolean(with))
    assert.is_false(world.out:boolean(without))
  end)

  it("has the defaults of its fields where it is absent", function()
    world:formula [[
      if has.extra or not has.extra then
        out.number = extra.a out.vec3 = extra.k out.integer = extra.n out.boolean = extra.mode == "x"
      end
    ]]()
    assert.same({ 4, 9, false }, { world.out:number(with), world.out:integer(with), world.out:boolean(with) })
    assert.same({ 1, 2, 3 }, { world.out:vec3(with) })
    assert.same({ 2.5, 7, true }, { world.out:number(without), world.out:integer(without), world.out:boolean(without) })
    assert.same({ 0, 0, 0 }, { world.out:vec3(without) })
  end)

  it("is not written where it is absent", function()
    assert.equal(2, world:formula "out.number = 1 if has.extra then extra.a = 1 end extra.n += 1"())
    assert.equal(10, world.extra:n(with))
    assert.equal(1, world.extra:a(with))
    assert.is_false(world.extra:has(without))
  end)

  it("may be the first that the text names", function()
    assert.equal(2, world:formula "if has.extra then out.number = 5 end"())
    assert.equal(5, world.out:number(with))
    assert.equal(1, world.out:number(without))
  end)
end)

describe("A formula over a query", function()
  local place = formula_world.new()
  local world = place.world
  local other = world:create { out = {}, frozen = {} }

  it("runs for the matches of the query", function()
    assert.equal(1, world:query("out", "!frozen"):formula "out.number = 3"())
    assert.equal(3, world.out:number(place.entity))
    assert.equal(0, world.out:number(other))
  end)

  it("refuses components that the query does not have, or excludes", function()
    local query = world:query("out", "!frozen", "?extra")
    raises("line 1: the query has no component 'body', column 14", query.formula, query, "out.number = body.x")
    raises("line 1: the query excludes the component 'frozen' ('!frozen'), column 8", query.formula, query,
      "if has.frozen then out.number = 1 end")
    raises("line 1: the query requires 'out': 'has' is for optional components ('?out')", query.formula, query,
      "out.boolean = has.out")
    assert.equal(1, query:formula "out.boolean = has.extra"())
  end)

  it("reads components of other entities that the query does not have", function()
    world.body:set_target(place.entity, other)
    local query = world:query("out", "body")
    assert.equal(1, query:formula "out.number = at(body.target, extra.a)"())
    assert.equal(2.5, world.out:number(place.entity))
  end)
end)

describe("The query of world:formula", function()
  local place = formula_world.new()
  local world = place.world

  it("requires the components that the text names, but not those of `at`", function()
    world:create { out = {} }
    world:create { out = {}, body = {} }
    assert.equal(3, world:formula "out.number = 1"())
    assert.equal(2, world:formula "out.number = body.x"())
    assert.equal(2, world:formula "out.number = at(body.target, loot.value)"())
  end)

  it("has the row order of the first component that is named and required", function()
    local a, b = world:create { extra = {} }, world:create { extra = {} }
    world.frozen:create(b)
    world.frozen:create(a)
    local order = {}
    for e in world:query("extra", "frozen"):each() do order[#order + 1] = e end
    assert.same({ a, b }, order)
    local message = raises("statement 1", world:formula "extra.n = 1e9")
    assert.is_truthy(message:find(cuttle.entity_tostring(a), 1, true))
  end)
end)

describe("at() in a formula", function()
  local place = formula_world.new()
  local world = place.world
  local rich, poor = world:create { loot = { value = 70, origin = { 1, 2, 3 } } }, world:create { out = {} }

  local function read(target, field)
    world.body:set_target(place.entity, target)
    return place.number("at(body.target, " .. field .. ")")
  end

  it("reads a field of another entity", function()
    assert.equal(70, read(rich, "loot.value"))
    assert.same({ 1, 2, 3 }, { place.vec3 "at(body.target, loot.origin)" })
  end)

  it("reads the default for nobody, the dead, and entities without the component", function()
    assert.equal(9, read(nil, "loot.value"))
    assert.equal(9, read(poor, "loot.value"))
    local dead = world:create { loot = { value = 5 } }
    world.body:set_target(place.entity, dead)
    world.entities:destroy(dead)
    assert.equal(9, place.number "at(body.target, loot.value)")
    assert.is_false(place.boolean "alive(body.target)")
  end)

  it("reads the scale 1 where there is no transform, like an absent optional one", function()
    assert.same({ 1, 1, 1 }, { place.vec3 "at(nobody, transform.local_scale)" })
    world:query("out", "?transform"):formula "out.vec3 = transform.local_scale"()
    assert.same({ 1, 1, 1 }, { world.out:vec3(poor) })
  end)

  it("takes parameters, self, and results of at", function()
    assert.equal(70, place.number("at(e, loot.value)", { e = rich }))
    world.loot:set_owner(rich, place.entity)
    assert.equal(world.body:m(place.entity), place.number("at(at(e, loot.owner), body.m)", { e = rich }))
    assert.equal(0, place.number "at(self, body.hp)")
  end)
end)

describe("A transform in a formula", function()
  local place = formula_world.new()
  local world = place.world
  local transform = world.transform
  local parent = world:create { transform = { position = { 10, 20, 0 } } }
  local child = world:create { transform = { position = { 1, 2, 3 }, parent = parent }, out = {}, point_mass = {} }

  local function run(text) return world:query("transform", "out", "point_mass"):formula(text)() end

  it("has local values that are written as by a set", function()
    run "transform.local_position = vec3(4, 5, 6)"
    assert.same({ 4, 5, 6 }, { transform:local_position(child) })
    assert.same({ 14, 25, 6 }, { transform:world_position(child) })
    run "transform.local_scale *= 2 transform.local_position.z = 0"
    assert.same({ 2, 2, 2 }, { transform:local_scale(child) })
    assert.same({ 14, 25, 0 }, { transform:world_position(child) })
  end)

  it("has world values from before the call", function()
    run "transform.local_position = vec3(0) out.vec3 = transform.world_position"
    assert.same({ 14, 25, 0 }, { world.out:vec3(child) })
    assert.same({ 10, 20, 0 }, { transform:world_position(child) })
  end)

  it("has an angle about z", function()
    run "transform.local_angle = 0.5"
    local _, _, angle = transform:pose_2d(child)
    assert.is_true(math.abs(angle - 0.5) < 1e-6)
    run "transform.local_angle += 0.25 out.number = transform.world_angle"
    _, _, angle = transform:pose_2d(child)
    assert.is_true(math.abs(angle - 0.75) < 1e-6)
    assert.is_true(math.abs(world.out:number(child) - 0.5) < 1e-6)
  end)

  it("is computed later in deferred mode", function()
    transform:set_mode "deferred"
    run "transform.local_position.x = 100"
    transform:propagate()
    assert.same({ 110, 20, 0 }, { transform:world_position(child) })
    transform:set_mode "immediate"
  end)
end)

describe("formula:describe()", function()
  local place = formula_world.new()

  it("returns the fields, and the numbers of operations and temporaries", function()
    local found = place.world:formula([[
      out.number = body.x * dt + at(body.target, loot.value)
      if has.extra then extra.a = body.x end
    ]], { dt = 1 }):describe()
    assert.same({ "body.target", "body.x", "loot.value" }, found.reads)
    assert.same({ "extra.a", "out.number" }, found.writes)
    assert.is_true(found.operations > 5 and found.operations < 20)
    assert.is_true(found.temporaries > 1 and found.temporaries < 12)
  end)

  it("counts common parts once, and computes constants when the text is compiled", function()
    local function operations(text) return place.world:formula(text):describe().operations end
    assert.equal(operations "out.number = 6", operations "out.number = 2 * 3")
    assert.equal(operations "out.number = body.x * body.m",
      operations "out.number = body.x * body.m local a = body.x / 2")
    assert.equal(operations "local a = body.x * body.m out.number = a + a",
      operations "out.number = body.x * body.m + body.x * body.m")
  end)
end)
