-- Statements of formulas: assignments, locals, branches, and the order of stores.

local cuttle = require "cuttle"
local formula_world = require "spec.support.formula_world"
local raises = require "spec.support.raises"

-- A world with 20 entities in which `body.hp` is 1 to 20; `out.number` is the result.
local function new()
  local place = formula_world.new()
  local world = place.world
  place.list = {}
  for number = 1, 20 do
    place.list[number] = world:create { body = { hp = number }, out = {} }
  end
  function place.results(text, parameters, field)
    world:formula(text, parameters)(place.list)
    return world.out:read_many(place.list, field or "number")
  end
  return place
end

local function expect(compute)
  local list = {}
  for number = 1, 20 do list[number] = compute(number) end
  return list
end

describe("An assignment", function()
  local place = new()

  it("stores a field", function()
    assert.same(expect(function(n) return n * 2 end), place.results "out.number = body.hp * 2")
  end)

  it("is seen by later statements of the same entity", function()
    assert.same(expect(function(n) return (n + 1) * 3 end),
      place.results "out.number = body.hp + 1 out.number = out.number * 3")
  end)

  it("stores a rounded value, which later statements read", function()
    local f = place.results("body.x = 0.1 out.number = body.x", nil)
    assert.not_equal(0.1, f[1])
    assert.equal(place.world.body:x(place.list[1]), f[1])
  end)

  it("to a vector of doubles stores a value that later statements read without rounding", function()
    local number = 2 ^ 52 + 1
    for field, type in pairs { flat = "vec2", far = "vec3" } do
      local text = ("body.%s = %s(large) out.number = body.%s.y"):format(field, type, field)
      assert.equal(number, place.results(text, { large = number })[1])
    end
  end)

  it("keeps the value for later statements, and stores only the last one", function()
    local function operations(text) return place.world:formula(text):describe().operations end
    assert.equal(operations "out.number = body.hp + 1 + 2 + 4",
      operations "out.number = body.hp + 1 out.number += 2 out.number += 4")
    assert.same({ "out.number" }, place.world:formula("out.number = 1 out.number = body.hp"):describe().writes)
    assert.equal(operations "out.number = body.hp", operations "out.number = 1 out.number = body.hp")
  end)

  it("of one lane keeps the other lanes", function()
    local list = place.results("out.vec3 = vec3(1, 2, 3) out.vec3.y = 0.1 out.number = dot(out.vec3, vec3(1))")
    local x, y, z = place.world.out:vec3(place.list[1])
    assert.same({ 1, 3 }, { x, z })
    assert.not_equal(0.1, y)
    assert.equal(1 + y + 3, list[1])
  end)

  it("in a branch is seen in this branch, and after it by all entities", function()
    assert.same(expect(function(n) return n < 6 and 12 or n + 1 end), place.results [[
      out.number = body.hp
      if body.hp < 6 then
        out.number = 5
        out.number += 6
      end
      out.number += 1
    ]])
  end)

  it("to an absent component leaves the default, which later statements read", function()
    local store = "extra.a = 5 out.number = extra.a"
    place.world:query("out", "?extra"):formula(store)(place.list)
    assert.equal(2.5, place.world.out:number(place.list[1]))
    assert.equal(2.5, place.results(store .. " if has.extra then extra.a = 7 end")[1])
  end)

  it("has the operators += -= *= /=", function()
    assert.same(expect(function(n) return ((n + 3) * 2 - 1) / 4 end),
      place.results "out.number = body.hp out.number += 3 out.number *= 2 out.number -= 1 out.number /= 4")
  end)

  it("computes its whole right side before += applies", function()
    assert.same(expect(function(n) return n * (1 + 2) end), place.results "out.number = body.hp out.number *= 1 + 2")
    assert.same(expect(function(n) return n - (1 - 2) end), place.results "out.number = body.hp out.number -= 1 - 2")
  end)

  it("is separated by white space, or by ';'", function()
    assert.same(expect(function() return 3 end), place.results ";out.number = 1; out.number = 2;; out.number = 3;")
  end)

  it("stores booleans, entities and enums", function()
    place.results "body.on = body.hp > 10 body.target = body.hp > 10 and self or nobody body.state = 'run'"
    local body = place.world.body
    assert.is_false(body:on(place.list[10]))
    assert.is_true(body:on(place.list[11]))
    assert.is_nil(body:target(place.list[10]))
    assert.equal(place.list[11], body:target(place.list[11]))
    assert.equal("run", body:state(place.list[1]))
  end)
end)

describe("A local of a formula", function()
  local place = new()

  it("holds numbers, booleans, vectors and entities", function()
    assert.same(expect(function(n) return n > 3 and n + 1 or 3 end), place.results [[
      local a = body.hp
      local big = a > 3
      local v = vec2(a, 1)
      local me = self
      out.number = big and v.x + v.y or me == self and 3 or 4
    ]])
  end)

  it("can be assigned again", function()
    assert.same(expect(function(n) return n * 2 + 1 end),
      place.results "local a = body.hp a = a * 2 a += 1 out.number = a")
  end)

  it("ends with its block", function()
    assert.same(expect(function(n) return n end), place.results [[
      local a = body.hp
      if true then local a = 100 a = a + 1 end
      out.number = a
    ]])
  end)

  it("can have the name of an earlier local", function()
    assert.same(expect(function(n) return n + 1 end), place.results "local a = body.hp local a = a + 1 out.number = a")
  end)

  it("keeps its value when the local it was copied from changes", function()
    assert.same(expect(function(n) return n end), place.results [[
      local a = body.hp
      if body.hp > 10 then a = a + 100 end
      if body.hp > 0 then a = body.hp end
      local b = a
      if body.hp > 5 then a = 0 end
      out.number = b
    ]])
  end)

  it("exchanges lanes", function()
    assert.same(expect(function(n) return n > 10 and 20 or n * 10 end), place.results [[
      local v = vec2(body.hp, 2)
      if body.hp > 10 then v = vec2(v.y, v.x) end
      out.number = v.x * 10
    ]])
  end)

  it("hides a parameter", function()
    assert.same(expect(function() return 2 end), place.results("local a = 2 out.number = a", { a = 5 }))
  end)
end)

describe("A branch", function()
  local place = new()

  it("stores for the entities of its condition", function()
    assert.same(expect(function(n) return n < 5 and 1 or n < 10 and 2 or 3 end), place.results [[
      out.number = 0
      if body.hp < 5 then out.number = 1
      elseif body.hp < 10 then out.number = 2
      else out.number = 3 end
    ]])
  end)

  it("leaves the other entities unchanged", function()
    place.results "out.number = 7"
    assert.same(expect(function(n) return n > 18 and 1 or 7 end),
      place.results "if body.hp > 18 then out.number = 1 end")
    assert.same(expect(function(n) return n > 18 and 1 or 7 end),
      place.results "if body.hp > 99 then out.number = 1 end")
  end)

  it("tests each condition once, before its statements", function()
    assert.same(expect(function(n) return n < 5 and 50 or 1 end), place.results [[
      out.number = body.hp
      if out.number < 5 then out.number = 50 elseif out.number < 60 then out.number = 1 end
    ]])
  end)

  it("assigns a local for its entities", function()
    assert.same(expect(function(n) return (n < 5 and 1 or n < 10 and 2 or n) + (n == 7 and 100 or 0) end),
      place.results [[
      local a = body.hp
      if a < 5 then a = 1 elseif a < 10 then
        a = 2
        if body.hp == 7 then a += 100 end
      end
      out.number = a
    ]])
  end)

  it("uses values that were computed before it", function()
    assert.same(expect(function(n) return n * n + (n > 10 and n * n or 0) end), place.results [[
      local a = body.hp * body.hp
      if body.hp > 10 then out.number = body.hp * body.hp + a else out.number = a end
    ]])
  end)

  it("can be nested and empty", function()
    assert.same(expect(function(n) return n > 5 and (n > 10 and (n > 15 and 3 or 2) or 1) or 0 end), place.results [[
      out.number = 0
      if body.hp > 5 then
        if body.hp > 10 then
          if body.hp > 15 then out.number = 3 else out.number = 2 end
        elseif false then
        else
          out.number = 1
        end
      else end
    ]])
  end)
end)

describe("A value that does not fit", function()
  local place = new()
  local world = place.world

  it("raises with statement, entity, field and value, and nothing is written", function()
    local formula = world:formula [[
      out.number = body.hp
      body.level = body.hp * 20
    ]]
    local fault =
      ("line 2, statement 2: body.level of %s cannot hold 260"):format(cuttle.entity_tostring(place.list[13]))
    assert.matches("clamp", raises(fault, formula))
    assert.same(expect(function() return 0 end), world.out:read_many(place.list, "number"))
    assert.same(expect(function() return 0 end), world.body:read_many(place.list, "level"))
  end)

  it("raises at the line of the script", function()
    local formula = world:formula "body.level = 300"
    local message = raises("cannot hold 300", function() return (formula()) end)
    assert.matches("statements_spec.lua:%d+: line 1, statement 1", message)
  end)

  it("raises only for entities of the branch", function()
    assert.equal(21, world:formula "if body.hp < 13 then body.level = body.hp * 20 end"())
    assert.equal(240, world.body:level(place.list[12]))
  end)

  it("raises for a number that is not whole, and for NaN", function()
    raises("statement 1: body.hp of", world:formula "body.hp = body.hp + 0.5")
    raises("statement 1: body.hp of", world:formula "body.hp = 0 / 0")
  end)
end)
