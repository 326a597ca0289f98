-- Lists of operations, run by the core: loads, stores, branches, errors. The language has specs of its own.

local core = require "cuttle.core"
local cuttle = require "cuttle"
local lists = require "spec.support.formula_lists"
local raises = require "spec.support.raises"

local formula = lists.formula
local NOBODY = 4294967295

describe("a formula", function()
  local entities, world, bodies

  before_each(function()
    entities = cuttle.entity_manager()
    world = cuttle.world(entities)
    world:define("body", { { "v", "vec3" }, { "d", "dvec2" }, { "hp", "uint8", 10 }, { "on", "bool" }, { "x", "float" },
      { "mood", "enum", { "calm", "angry" } }, { "target", "entity" }, { "big", "int32" } })
    world:define("extra", { { "n", "float", 7 } })
    bodies = {}
    for i = 1, 30 do
      bodies[i] = world:create { transform = { position = { i, 0, 0 } }, body = { v = { i, 2 * i, 3 }, x = i } }
    end
  end)

  local function query(...) return world:query(...) end

  it("loads, computes and stores, and returns the number of matches", function()
    local f = formula(query("transform", "body"), {
      parameters = { "dt", 2 }, fields = { "transform", "local_position", "body", "v" },
      { "LOAD", 1, 1, 0, 3 }, { "MUL", 1, 1, 0 }, { "MUL", 2, 2, 0 }, { "MUL", 3, 3, 0 }, { "LOAD", 4, 0, 0, 3 },
      { "ADD", 4, 4, 1 }, { "ADD", 5, 5, 2 }, { "ADD", 6, 6, 3 }, { "STORE", 0, 4, 0, 3 } })
    assert.are.equal(30, f())
    assert.are.same({ 15, 20, 6 }, { world.transform:world_position(bodies[5]) })
    f.dt = 3
    assert.are.equal(3, f.dt)
    assert.are.equal(2, f { bodies[1], bodies[2] })
    assert.are.same({ 6, 10, 15 }, { world.transform:world_position(bodies[1]) })
    assert.is_true(world:validate())
  end)

  it("gives the same results in rows of another order", function()
    local other = cuttle.world(entities)
    other:define("a", { { "n", "float" } })
    other:define("b", { { "v", "vec3" }, { "w", "vec2" }, { "c", "color" }, { "on", "bool" }, { "small", "int16" } })
    for i = 1, #bodies do other.a:create(bodies[i], { n = i }) end
    for i = #bodies, 1, -1 do
      local e = bodies[i * 7 % #bodies + 1]
      other.b:create(e, { v = { i, i + 1, i + 2 }, w = { i, -i }, on = i % 2 == 0, small = -i })
    end
    local f = formula(other:query("a", "b"), {
      fields = { "b", "v", "b", "w", "b", "c", "b", "on", "b", "small", "a", "n" },
      { "LOAD", 0, 0, 0, 3 }, { "LOAD", 3, 1, 0, 2 }, { "ADD", 0, 0, 3 }, { "STORE", 0, 0, 0, 3 },
      { "LOAD", 5, 5, 0, 1 }, { "STORE", 2, 5, 3, 1 }, { "LOAD", 6, 3, 0, 1 }, { "NOT", 6, 6 }, { "STORE", 3, 6, 0, 1 },
      { "LOAD", 7, 4, 0, 1 }, { "NEG", 7, 7 }, { "STORE", 4, 7, 0, 1 }, { "STORE", 1, 1, 0, 2 } })
    assert.are.equal(30, f())
    for i = 1, #bodies do
      local e = bodies[i * 7 % #bodies + 1]
      assert.are.same({ 2 * i, i + 1, i + 2 }, { other.b:v(e) })
      assert.are.same({ i + 1, i + 2 }, { other.b:w(e) })
      assert.are.equal(other.a:n(e), select(4, other.b:c(e)))
      assert.are.equal(i % 2 ~= 0, other.b:on(e))
      assert.are.equal(i, other.b:small(e))
    end
    assert.is_true(other:validate())
  end)

  it("takes branches for some, all and none of the entities", function()
    local f = formula(query "body", {
      constants = { 10, 20, 1, 2, 3, 0 }, fields = { "body", "x" }, registers = 20,
      { "LOAD", 6, 0, 0, 1 }, { "MOVE", 9, 5, 0, 1 },
      { "LT", 7, 6, 0 }, { "IF", 0, 7 }, { "MOVE", 9, 2, 0, 1 },
      { "ELSE" }, { "LT", 7, 6, 1 }, { "ELSE_IF", 0, 7 }, { "MOVE", 9, 3, 0, 1 },
      { "LT", 8, 0, 6 }, { "IF", 0, 8 }, { "ADD", 10, 9, 9 }, { "MOVE", 9, 10, 0, 1 }, { "END" },
      { "ELSE" }, { "STORE", 0, 4, 0, 1 }, { "MOVE", 9, 4, 0, 1 }, { "END" },
      { "STORE", 0, 9, 0, 1 } })
    f()
    for i = 1, 30 do
      local expected = i < 10 and 1 or i == 10 and 2 or i < 20 and 4 or 3
      assert.are.equal(expected, world.body:x(bodies[i]))
    end
  end)

  it("raises for a value that a field cannot hold, and then nothing is written", function()
    local f = formula(query("transform", "body"), {
      constants = { 20 }, fields = { "body", "hp", "body", "x", "transform", "local_position" }, registers = 5,
      { "STATEMENT", 0, 1, 1 }, { "LOAD", 1, 1, 0, 1 }, { "MUL", 1, 1, 0 }, { "STORE", 1, 1, 0, 1 },
      { "STORE", 2, 1, 0, 1 }, { "STATEMENT", 0, 2, 4 }, { "STORE", 0, 1, 0, 1 } })
    world.transform:set_mode "deferred"
    world.transform:propagate()
    raises(("line 4, statement 2: body.hp of %s cannot hold 260 (whole numbers from 0 to 255"):format(
      cuttle.entity_tostring(bodies[13])), f)
    for i = 1, 30 do
      assert.are.equal(10, world.body:hp(bodies[i]))
      assert.are.equal(i, world.body:x(bodies[i]))
      assert.are.equal(i, (world.transform:local_position(bodies[i])))
    end
    assert.are.equal(0, world.transform:dirty_count())
    local list = { bodies[1], bodies[2], bodies[12] }
    assert.are.equal(3, f(list))
    assert.are.equal(240, world.body:hp(bodies[12]))
    assert.are.equal(3, world.transform:dirty_count())
    assert.are.equal(240, (world.transform:local_position(bodies[12])))
    raises("cannot hold 400", f, list)
    assert.are.equal(20, world.body:hp(bodies[1]))
  end)

  it("raises for a number that is not whole, and for an enum without a label", function()
    local q = query "body"
    local half = formula(q, { constants = { 0.5 }, fields = { "body", "big" }, { "STORE", 0, 0, 0, 1 } })
    raises("body.big of entity(0:0) cannot hold 0.5", half)
    local mood = formula(q, { constants = { 2 }, fields = { "body", "mood" }, { "STORE", 0, 0, 0, 1 } })
    raises("body.mood of entity(0:0) has no label 2", mood)
    local nan = formula(q, { constants = { 0 }, fields = { "body", "hp" }, { "DIV", 1, 0, 0 },
      { "STORE", 0, 1, 0, 1 } })
    raises("body.hp of entity(0:0) cannot hold ", nan)
  end)

  it("stores any NaN as the quiet one, and numbers that are no entities as no entity", function()
    local f = formula(query "body", {
      constants = { 0, -1, 1e300, 7.5 }, fields = { "body", "v", "body", "d", "body", "target" }, registers = 10,
      { "SQRT", 4, 1 }, { "DIV", 5, 0, 0 }, { "NEG", 6, 5 }, { "STORE", 0, 4, 0, 3 }, { "STORE", 1, 5, 0, 2 },
      { "STORE", 2, 3, 0, 1 } })
    assert.are.equal(30, f())
    assert.is_true(world:validate())
    assert.is_nil(world.body:target(bodies[1]))
  end)

  it("reads components of other entities, and defaults where there are none", function()
    for i = 1, 29 do world.body:set_target(bodies[i], bodies[i + 1]) end
    world.extra:create(bodies[3], { n = 3 })
    entities:destroy(bodies[10])
    local f = formula(query("body", "?extra"), {
      fields = { "body", "target", "extra", "n", "body", "x", "body", "v" }, components = { "extra" }, registers = 20,
      { "LOAD", 0, 0, 0, 1 }, { "FIND", 1, 0, 0 }, { "LOAD_AT", 2, 1, 0, 1, 1 }, { "ALIVE", 3, 0 }, { "HAS", 4, 0 },
      { "SELF", 5 }, { "STORE", 2, 2, 0, 1 }, { "STORE", 3, 3, 0, 3 } })
    f()
    assert.are.equal(3, world.body:x(bodies[2]))
    assert.are.equal(7, world.body:x(bodies[1]))
    assert.are.same({ 1, 0, cuttle.entity_id(bodies[2]) }, { world.body:v(bodies[2]) })
    assert.are.same({ 1, 1, cuttle.entity_id(bodies[3]) }, { world.body:v(bodies[3]) })
    assert.are.same({ 0, 0, cuttle.entity_id(bodies[9]) }, { world.body:v(bodies[9]) })
    assert.are.same({ 0, 0, cuttle.entity_id(bodies[30]) }, { world.body:v(bodies[30]) })
  end)

  it("does not write an absent optional component, and reads its default", function()
    world.extra:create(bodies[4], { n = 1 })
    local f = formula(query("body", "?extra"), {
      fields = { "extra", "n", "body", "x" }, { "LOAD", 0, 0, 0, 1 }, { "ADD", 1, 0, 0 }, { "STORE", 0, 1, 0, 1 },
      { "STORE", 1, 0, 0, 1 } })
    assert.are.equal(30, f())
    assert.are.equal(2, world.extra:n(bodies[4]))
    assert.are.equal(1, world.extra:count())
    assert.are.equal(1, world.body:x(bodies[4]))
    assert.are.equal(7, world.body:x(bodies[5]))
  end)

  it("reads world poses from before the call, in every mode", function()
    local function follow(mode)
      local w = cuttle.world(entities)
      w:define("child", { { "of", "entity" } })
      local parent = w:create { transform = { position = { 1, 0, 0 }, angle = 0.5 } }
      local child = w:create { transform = { position = { 1, 0, 0 }, parent = parent }, child = { of = parent } }
      w.child:create(parent, { of = child })
      local f = formula(w:query("transform", "child"), {
        fields = { "transform", "local_position", "transform", "world_position", "child", "of",
          "transform", "local_angle", "transform", "world_angle" },
        components = { "transform" }, registers = 20, constants = { 10 },
        { "LOAD", 1, 1, 0, 3 }, { "LOAD", 4, 2, 0, 1 }, { "FIND", 5, 0, 4 }, { "LOAD_AT", 6, 1, 0, 3, 5 },
        { "LOAD_AT", 9, 4, 0, 1, 5 }, { "STORE", 3, 9, 0, 1 },
        { "ADD", 1, 1, 6 }, { "STORE", 0, 1, 0, 3 }, { "LOAD", 1, 1, 0, 3 }, { "LOAD", 10, 0, 0, 1 },
        { "ADD", 1, 1, 10 }, { "STORE", 0, 1, 0, 1 } })
      local t = w.transform
      local px, cx = t:world_position(parent), (t:world_position(child))
      local pa, ca = t:world_angle(parent), t:world_angle(child)
      if mode == "batch" then
        t:batch(function()
          t:set_local_position(parent, 5, 0, 0)
          px, cx = t:world_position(parent), (t:world_position(child))
          assert.are.equal(2, f())
        end)
      else
        if mode == "deferred" then t:set_mode "deferred" end
        assert.are.equal(2, f())
        if mode == "deferred" then t:propagate() end
      end
      local function float(x) return x + 0 end
      assert.is_true(math.abs(t:local_position(parent) - float(px + px + cx)) < 1e-5)
      assert.is_true(math.abs(t:local_position(child) - float(cx + px + cx)) < 1e-5)
      assert.is_true(math.abs(t:local_angle(parent) - ca) < 1e-6)
      assert.is_true(math.abs(t:local_angle(child) - pa) < 1e-6)
      assert.is_true(w:validate())
      w:destroy()
    end
    for _, mode in ipairs { "immediate", "deferred", "batch" } do follow(mode) end
  end)

  it("runs matches that share a row one after another", function()
    world:define("part", { { "weight", "float", 1 } }, { multiple = true })
    for i = 1, 3 do
      for k = 1, 20 do world.part:create(bodies[i], { weight = k }) end
    end
    local f = formula(query("part", "body"), {
      fields = { "part", "weight", "body", "x" }, { "LOAD", 0, 0, 0, 1 }, { "LOAD", 1, 1, 0, 1 }, { "ADD", 1, 1, 0 },
      { "STORE", 1, 1, 0, 1 } })
    assert.are.equal(60, f())
    assert.are.equal(212, world.body:x(bodies[2]))
    local add = formula(query "body", { constants = { 1 }, fields = { "body", "x" }, { "LOAD", 1, 0, 0, 1 },
      { "ADD", 1, 1, 0 }, { "STORE", 0, 1, 0, 1 } })
    assert.are.equal(3, add { bodies[7], bodies[7], bodies[7] })
    assert.are.equal(10, world.body:x(bodies[7]))
  end)

  it("has random numbers without state", function()
    local q = query "body"
    local f = formula(q, { constants = { 5 }, fields = { "body", "x", "body", "d" }, { "RANDOM", 1, 3, 0 },
      { "STORE", 0, 1, 0, 1 }, { "RANDOM", 2, 4, 0 }, { "RANDOM", 3, 4, 1 }, { "STORE", 1, 2, 0, 2 } })
    f()
    local first = q:read "body.d"
    f()
    assert.are.same(first, q:read "body.d")
    assert.are_not.equal(first[1], first[3])
    for i = 1, #first do assert.is_true(first[i] >= 0 and first[i] < 1) end
    assert.are.equal(core.formula.random(cuttle.entity_id(q:first()), 4, 5), first[1])
  end)

  it("keeps its parameters, of every type", function()
    local f = formula(query "body", { parameters = { "a", 1, "b", true, "c", { 1, 2, 3 }, "e", bodies[1] } })
    assert.are.same({ 1, true, { 1, 2, 3 }, bodies[1] }, { f.a, f.b, f.c, f.e })
    f.a, f.b, f.c, f.e = 2, false, { 4, 5, 6 }, nil
    assert.are.same({ 2, false, { 4, 5, 6 } }, { f.a, f.b, f.c, f.e })
    raises("unknown parameter 'aa' (did you mean 'a'?)", function() f.aa = 1 end)
    raises("unknown parameter 'z'", function() return f.z end)
    raises("parameter 'a': number expected, got string", function() f.a = "1" end)
    raises("parameter 'b': boolean expected, got nil", function() f.b = nil end)
    raises("parameter 'c': table of 3 numbers expected, got a table of other items", function() f.c = { 1, 2 } end)
    raises("parameter 'e': entity expected, got number", function() f.e = 5 end)
    raises("bad argument #1 to", f, { 5 })
    raises("[1]: entity expected, got number", f, { 5 })
    raises("name of a parameter expected, got number", function() f[1] = 5 end)
    assert.are.same({ 4, 5, 6 }, f.c)
  end)

  it("raises after its component was defined again, and after its world ended", function()
    local q = query "body"
    local f = formula(q, { components = { "extra" }, constants = { NOBODY }, { "FIND", 1, 0, 0 } })
    local chosen = core.formula.where(q, formula(q, { components = { "extra" }, constants = { NOBODY },
      result = { 1, 1 }, { "FIND", 1, 0, 0 } }))
    assert.are.equal(30, f())
    assert.are.equal(30, chosen:count())
    world:define("extra", { { "m", "vec2" } })
    raises("extra was defined again", f)
    raises("extra was defined again", chosen.count, chosen)
    world:destroy()
    raises("world is destroyed", f)
  end)

  it("runs in hooks, batches and loops", function()
    local f = formula(query "body", { constants = { 1 }, fields = { "body", "x" }, { "LOAD", 1, 0, 0, 1 },
      { "ADD", 1, 1, 0 }, { "STORE", 0, 1, 0, 1 } })
    local runs = 0
    world.extra:on_add(function() runs = runs + f() end)
    world.extra:create(bodies[1])
    entities:on_destroy(function() runs = runs + f() end)
    entities:destroy(bodies[2])
    assert.are.equal(59, runs)
    local q = query "body"
    for e in q:each() do
      f()
      if e == bodies[5] then break end
    end
    assert.are.equal(7, world.body:x(bodies[1]))
  end)

  it("computes for every number of matches up to some blocks, in branches too", function()
    world:define("item", { { "n", "float" }, { "v", "vec2" } })
    local q = query("item")
    local f = formula(q, { constants = { 3, 2 }, fields = { "item", "n", "item", "v" },
      { "LOAD", 2, 0, 0, 1 }, { "LT", 3, 2, 0 }, { "IF", 0, 3 }, { "MUL", 4, 2, 1 }, { "STORE", 0, 4, 0, 1 },
      { "ELSE" }, { "LOAD", 5, 1, 0, 2 }, { "ADD", 5, 5, 2 }, { "STORE", 1, 5, 0, 2 }, { "END" } })
    for count = 0, 26 do
      assert.are.equal(count, f())
      local values, vectors = q:read "item.n", q:read "item.v"
      for i = 1, count do
        assert.are.equal(i < 3 and 2 * i or i, values[i])
        assert.are.equal(i < 3 and 0 or i, vectors[2 * i - 1])
        assert.are.equal(0, vectors[2 * i])
      end
      world.item:create(entities:create(), { n = count + 1 })
      for i = 1, count + 1 do
        local instance = world.item:lookup(world.item:entity_at(i - 1))
        world.item:set_n(instance, i)
        world.item:set_v(instance, 0, 0)
      end
    end
  end)

  it("raises at the line of the script, also where LuaJIT compiled the call", function()
    world:define("item", { { "n", "float" } })
    world.item:create_many(bodies)
    local f = formula(query "item", { constants = { 1 }, fields = { "item", "n" }, { "LOAD", 1, 0, 0, 1 },
      { "ADD", 1, 1, 0 }, { "STORE", 0, 1, 0, 1 } })
    local function run(count)
      for _ = 1, count do f() end
    end
    run(300)
    assert.are.equal(300, world.item:n(bodies[1]))
    world:destroy()
    local line = debug.getinfo(run, "S").linedefined + 1
    local message = raises("destroyed", run, 1)
    assert.truthy(message:find(("formula_spec.lua:%d:"):format(line), 1, true), message)
  end)

  it("keeps its query, also if its environment is replaced", function()
    if not debug.setfenv then return end
    world:define("item", { { "n", "float" } })
    world.item:create_many(bodies)
    local f = formula(query "item", { constants = { 1 }, fields = { "item", "n" }, { "LOAD", 1, 0, 0, 1 },
      { "ADD", 1, 1, 0 }, { "STORE", 0, 1, 0, 1 } })
    debug.setfenv(f, {})
    collectgarbage()
    collectgarbage()
    assert.are.equal(30, f())
    assert.are.equal(1, world.item:n(bodies[1]))
  end)
end)

describe("results of a formula", function()
  local entities, world, q, list

  local function expression(name)
    return formula(q, { fields = { "item", name }, result = { 0, 1 }, { "LOAD", 0, 0, 0, 1 } })
  end

  before_each(function()
    entities = cuttle.entity_manager()
    world = cuttle.world(entities)
    world:define("item", { { "n", "double" }, { "v", "vec2" } })
    list = {}
    for i, n in ipairs { 5, 3, 0 / 0, 8, 3, -1, 8, 1 } do list[i] = world:create { item = { n = n, v = { i, -i } } } end
    q = world:query "item"
  end)

  it("are sums and extremes of each lane", function()
    local v = formula(q, { fields = { "item", "v" }, result = { 0, 2 }, { "LOAD", 0, 0, 0, 2 } })
    assert.are.same({ 36, -36 }, { core.formula.sum(v) })
    assert.are.same({ 1, -8 }, { core.formula.min(v) })
    assert.are.same({ 8, -1 }, { core.formula.max(v) })
    local sum = core.formula.sum(expression "n")
    assert.is_true(sum ~= sum)
    world:clear()
    assert.are.same({ 0, 0 }, { core.formula.sum(v) })
    assert.is_nil(core.formula.min(v))
    assert.is_nil(core.formula.max(v))
    assert.is_nil(core.formula.lowest(expression "n"))
  end)

  it("are the entities with the lowest and highest value, the earlier one if equal", function()
    assert.are.same({ list[6], -1 }, { core.formula.lowest(expression "n") })
    assert.are.same({ list[4], 8 }, { core.formula.highest(expression "n") })
  end)

  it("sort entities, with NaN last", function()
    local sorted = core.formula.sorted(expression "n"):totable()
    assert.are.same({ list[6], list[8], list[2], list[5], list[1], list[4], list[7], list[3] }, sorted)
    local out = cuttle.list()
    assert.are.equal(out, core.formula.sorted(expression "n", out))
    assert.are.same(sorted, out:totable())
    raises("cuttle.list expected", core.formula.sorted, expression "n", {})
  end)

  it("choose rows for a loop that stay chosen when they move", function()
    local chosen = core.formula.where(q, formula(q, { constants = { 1, 0 }, fields = { "item", "n" },
      result = { 4, 1 }, { "LOAD", 2, 0, 0, 1 }, { "EQ", 3, 2, 0 }, { "LT", 4, 2, 1 }, { "OR", 4, 4, 3 } }))
    local visited = {}
    for row in chosen:rows() do
      local e = world.item:entity_at(row)
      visited[#visited + 1] = e
      world.item:destroy(e)
    end
    assert.are.same({ list[6], list[8] }, visited)
    assert.are.equal(6, world.item:count())
    assert.are.equal(0, chosen:count())
  end)

  it("choose the matches of a query, of which each call works", function()
    local function at_least(source, limit)
      return core.formula.where(source, formula(source, { parameters = { "limit", limit }, fields = { "item", "n" },
        result = { 2, 1 }, { "LOAD", 1, 0, 0, 1 }, { "LE", 2, 0, 1 } }))
    end
    local chosen = at_least(q, 3)
    assert.are.equal(5, chosen:count())
    assert.are.same({ list[1], list[2], list[4], list[5], list[7] }, chosen:entities())
    assert.are.equal(list[1], chosen:first())
    local visited = {}
    for e in chosen:each() do
      visited[#visited + 1] = e
      if e == list[2] then
        world.item:set_n(list[4], 0)
        world.item:destroy(list[2])
      end
    end
    assert.are.same({ list[1], list[2], list[4], list[5], list[7] }, visited)
    assert.are.equal(3, chosen:count())
    local high = at_least(chosen, 8)
    assert.are.same({ list[7] }, high:entities())
    core.formula.set(high, "limit", 4)
    assert.are.equal(2, high:count())
    assert.are.same({ 5, 8 }, (function()
      local values = high:read "item.n"
      table.sort(values)
      return values
    end)())
    raises("unknown parameter 'limits' (did you mean 'limit'?)", core.formula.set, high, "limits", 1)
    raises("the query has no condition", core.formula.set, q, "limit", 1)
    assert.are.equal(2, high:destroy())
    assert.are.equal(1, chosen:count())
    collectgarbage()
    collectgarbage()
    assert.are.equal(1, chosen:count())
    local raise = formula(chosen, { constants = { 1 }, fields = { "item", "n" }, { "LOAD", 1, 0, 0, 1 },
      { "ADD", 1, 1, 0 }, { "STORE", 0, 1, 0, 1 } })
    assert.are.equal(1, raise())
    assert.are.equal(1, raise { list[5], list[6], list[8] })
    assert.are.equal(5, world.item:n(list[5]))
    assert.is_true(world:validate())
  end)
end)
