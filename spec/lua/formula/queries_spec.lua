-- Conditions and expressions of queries: where, set, sum, min, max, lowest, highest, sorted.

local formula_world = require "spec.support.formula_world"
local raises = require "spec.support.raises"

local place = formula_world.new()
local world = place.world
local list = {}
for number = 1, 10 do
  list[number] = world:create { extra = { a = number % 4, k = { number, 2 * number, 0 }, n = number } }
end
local query = world:query "extra"

local function numbers(of) -- of the entities of a query or list
  local found = {}
  for _, e in ipairs(of.entities and of:entities() or of:totable()) do found[#found + 1] = world.extra:n(e) end
  return found
end

describe("query:where", function()
  it("returns the matches for which the condition is true", function()
    assert.same({ 3, 7 }, numbers(query:where "extra.a == 3"))
    assert.same({}, numbers(query:where "extra.a > 3"))
  end)

  it("tests at the time of use", function()
    local large = query:where "extra.k.x > 9"
    assert.equal(1, large:count())
    world.extra:set_k(list[1], 20, 0, 0)
    assert.same({ 1, 10 }, numbers(large))
    world.extra:set_k(list[1], 1, 2, 0)
    assert.equal(1, large:count())
  end)

  it("takes parameters, which set changes", function()
    local few = query:where("extra.n <= most and extra.n >= least", { most = 3, least = 2 })
    assert.same({ 2, 3 }, numbers(few))
    few:set("most", 5)
    assert.same({ 2, 3, 4, 5 }, numbers(few))
    raises("did you mean 'most'?", few.set, few, "mots", 1)
    raises("most", few.set, few, "most", true)
  end)

  it("can be used again on its result", function()
    assert.same({ 4, 8 }, numbers(query:where("extra.a == rest", { rest = 0 }):where "extra.n < 10"))
  end)

  it("restricts all other calls", function()
    local odd = query:where "extra.n % 2 == 1"
    assert.equal(5, odd:count())
    assert.equal(list[1], odd:first())
    assert.equal(25, odd:sum "extra.n")
    assert.equal(5, odd:formula "extra.k.z = 1"())
    assert.equal(5, query:sum "extra.k.z")
    assert.equal(5, odd:write("extra.k", { 0, 0, 0 }))
    assert.equal(0, query:sum "extra.k.z")
    for number, e in ipairs(list) do world.extra:set_k(e, number, 2 * number, 0) end
  end)

  it("has mistakes with their place in the condition", function()
    raises("line 1: no field 'q' in extra, column 7", query.where, query, "extra.q > 1")
    raises("line 1: expected an expression of type boolean, got number, column 1", query.where, query, "extra.n")
    raises("line 1: expected an operator or the end of the text, got '=', column 9 (did you mean '=='?)", query.where,
      query, "extra.n = 1")
    raises("bad argument #1 to 'where' (condition expected as a string, got nil)", query.where, query)
    raises("line 1: expression expected, got the end of the text, column 1", query.where, query, "")
  end)
end)

describe("query:sum, min and max", function()
  it("evaluate an expression over all matches", function()
    assert.equal(55, query:sum "extra.n")
    assert.equal(1, query:min "extra.n")
    assert.equal(20, query:max("extra.n * factor", { factor = 2 }))
    assert.equal(30, query:max("extra.n * factor", { factor = 3 }))
    assert.equal(10, query:sum "1")
  end)

  it("return a number for each lane of a vector", function()
    assert.same({ 55, 110, 0 }, { query:sum "extra.k" })
    assert.same({ 1, 2 }, { query:min "extra.k.xy" })
  end)

  it("return 0 and nil without matches", function()
    local none = query:where "false"
    assert.equal(0, none:sum "extra.n")
    assert.is_nil(none:min "extra.n")
    assert.is_nil(none:max "extra.n")
  end)

  it("take other parameters at each call", function()
    assert.equal(10, query:sum("c", { c = 1 }))
    assert.same({ 10, 20 }, { query:sum("c", { c = { 1, 2 } }) })
    assert.equal(20, query:sum("c + d", { c = 1, d = 1 }))
    raises("no local, parameter, component or function 'c'", query.sum, query, "c")
    for number = 1, 200 do assert.equal(10 * number, query:sum(tostring(number))) end
  end)

  it("refuse other types", function()
    raises("expected an expression of type number or vector, got boolean", query.sum, query, "extra.n > 1")
    raises("expected an expression of type number or vector, got entity", query.max, query, "self")
    raises("bad argument #1 to 'sum' (expression expected as a string, got number)", query.sum, query, 5)
    raises("bad argument #2 to 'min' (table of parameters expected, got number)", query.min, query, "1", 5)
  end)
end)

describe("query:lowest and highest", function()
  it("return the entity and the value, the earlier one if equal", function()
    assert.same({ list[4], 0 }, { query:lowest "extra.a" })
    assert.same({ list[3], 3 }, { query:highest "extra.a" })
    assert.same({ list[10], 5 }, { query:highest("extra.n / by", { by = 2 }) })
  end)

  it("ignore NaN, and return nil without matches", function()
    assert.same({ list[6], 6 }, { query:lowest "extra.n > 5 and extra.n or 0 / 0" })
    assert.is_nil(query:lowest "0 / 0")
    assert.is_nil(query:where("false"):highest "extra.n")
  end)

  it("refuse vectors", function()
    raises("expected an expression of type number, got vec3", query.lowest, query, "extra.k")
  end)
end)

describe("query:sorted", function()
  it("returns a list in ascending order, equal values in the order of the query", function()
    assert.same({ 4, 8, 1, 5, 9, 2, 6, 10, 3, 7 }, numbers(query:sorted "extra.a"))
    assert.same({ 10, 9, 8, 7, 6, 5, 4, 3, 2, 1 }, numbers(query:sorted "-extra.n"))
  end)

  it("puts NaN last", function()
    assert.same({ 2, 3, 4, 5, 6, 7, 8, 9, 10, 1 }, numbers(query:sorted "extra.n == 1 and 0 / 0 or extra.n"))
  end)

  it("fills a list", function()
    local out = query:list()
    assert.equal(out, query:sorted("-extra.n", out))
    assert.equal(list[10], out:get(1))
    raises("bad argument #2 to 'sorted' (cuttle.list expected, got table)", query.sorted, query, "extra.n", {})
  end)
end)
