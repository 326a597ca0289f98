-- Results of expressions in formulas: operators, precedence, lanes and functions.

local cuttle = require "cuttle"
local formula_world = require "spec.support.formula_world"

local place = formula_world.new()
local number, boolean = place.number, place.boolean

local nan, huge = 0 / 0, math.huge

local function same(expected, actual)
  if expected ~= expected then return assert.is_true(actual ~= actual) end
  assert.equal(expected, actual)
  if expected == 0 then assert.equal(1 / expected, 1 / actual) end
end

describe("The precedence of operators", function()
  it("is that of Lua", function()
    same(7, number "1 + 2 * 3")
    same(9, number "(1 + 2) * 3")
    same(-8, number "2 - 3 - 7")
    same(2, number "16 / 4 / 2")
    same(-4, number "-2^2")
    same(1 / 16, number "4^-2")
    same(8, number "2^3^1")
    same(5, number "2 + 9 % 6")
    same(-3, number "- 1 - 2")
    assert.is_true(boolean "1 + 1 == 2 and not (2 < 1)")
    assert.is_true(boolean "true or false and false")
    assert.is_false(boolean "not true == true")
    assert.is_true(boolean "not (1 > 2) and 1 < 2 == true")
  end)
end)

describe("Arithmetic in a formula", function()
  it("rounds each operation once", function()
    same(0.1 + 0.2, number("a + b", { a = 0.1, b = 0.2 }))
    same(0.1 * 3 - 0.3, number("a * 3 - b", { a = 0.1, b = 0.3 }))
    same(1 / 3 * 3, number "1 / 3 * 3")
  end)

  it("follows IEEE 754 for infinities, NaN and signed zeros", function()
    same(huge, number "1 / 0")
    same(-huge, number "-1 / 0")
    same(nan, number "0 / 0")
    same(-1 / huge, number "-0.0")
    same(-1 / huge, number "0 * -1")
    same(0, number "-0.0 + 0")
  end)

  it("divides by constant powers of two of any size, and by numbers near them", function()
    for _, divisor in ipairs { 2 ^ -1074, 2 ^ -1023, 2 ^ -1022, 1e-3, 0.5, 1, 1.1, 1.5, 3, 49, 64, 96, 2 ^ 31, 2 ^ 32,
      2 ^ 53, 2 ^ 54, 2 ^ 1023, -64 } do
      for _, x in ipairs { 0, -1 / huge, 1, 3, 5, -0.1, 0.7, 2 ^ -1074, 3 * 2 ^ -1074, 1e300, huge, nan } do
        same(x / divisor, number(("a / %.17g"):format(divisor), { a = x }))
      end
    end
  end)

  it("computes a % b as a - floor(a / b) * b", function()
    same(2, number "5 % 3")
    same(1, number "-5 % 3")
    same(-1, number "5 % -3")
    same(0.5, number "5.5 % 1")
    same(nan, number "5 % 0")
    same(nan, number("5 % a", { a = huge }))
  end)

  it("computes powers as products", function()
    local x = 1.1
    for exponent, expected in pairs { [0] = 1, x, x * x, x * x * x, (x * x) * (x * x), [-1] = 1 / x, [-2] = 1 / (x * x),
      [-3] = 1 / (x * x * x), [-4] = 1 / ((x * x) * (x * x)) } do
      same(expected, number("x ^ " .. exponent, { x = x }))
    end
    same(1, number("x ^ 0", { x = nan }))
    same(8, number "2 ^ (1 + 2)")
  end)

  it("works on vectors lane by lane, with vectors and numbers", function()
    assert.same({ 5, 7, 9 }, { place.vec3 "vec3(1, 2, 3) + vec3(4, 5, 6)" })
    assert.same({ 2, 4 }, { place.vec2 "2 * vec2(1, 2)" })
    assert.same({ 0.5, 1 }, { place.vec2 "vec2(1, 2) / 2" })
    assert.same({ 1, 0 }, { place.vec2 "1 - vec2(0, 1)" })
    assert.same({ -1, -2, -3, -4 }, { place.vec4 "-vec4(1, 2, 3, 4)" })
    assert.same({ 1, 4 }, { place.vec2 "vec2(1, 2) ^ 2" })
    assert.same({ 1, 0 }, { place.vec2 "vec2(5, 6) % vec2(2, 3)" })
  end)
end)

describe("Comparisons in a formula", function()
  it("are those of numbers", function()
    assert.is_true(boolean "1 < 2")
    assert.is_false(boolean "2 < 1")
    assert.is_true(boolean "2 > 1")
    assert.is_true(boolean "2 >= 2")
    assert.is_true(boolean "2 <= 2")
    assert.is_true(boolean "2 ~= 3")
    assert.is_true(boolean "-0.0 == 0")
  end)

  it("are false for NaN, except ~=", function()
    for _, sign in ipairs { "<", "<=", ">", ">=", "==" } do assert.is_false(boolean("n " .. sign .. " n",
      { n = nan })) end
    assert.is_true(boolean("n ~= n", { n = nan }))
  end)

  it("compare booleans, entities and enums", function()
    assert.is_true(boolean "true == (1 < 2)")
    assert.is_true(boolean "body.target == nobody")
    assert.is_true(boolean "self ~= nobody")
    assert.is_true(boolean("self == me", { me = place.entity }))
    assert.is_true(boolean "body.state == 'idle'")
    assert.is_true(boolean "'run' ~= body.state")
    assert.is_true(boolean "body.state == body.state")
  end)
end)

describe("Logic in a formula", function()
  it("is that of booleans", function()
    assert.is_true(boolean "true and not false")
    assert.is_false(boolean "false or false")
    assert.is_true(boolean("a or b", { a = false, b = true }))
  end)

  it("chooses values with c and a or b", function()
    same(1, number "1 < 2 and 1 or 2")
    same(2, number "1 > 2 and 1 or 2")
    same(3, number "1 > 2 and 1 or 2 > 3 and 2 or 3")
    same(2, number "1 > 2 and 1 or 2 < 3 and 2 or 3")
    same(5, number "true and false and 4 or 5")
    same(6, number "(1 < 2) and (6) or (7)")
    assert.same({ 1, 1 }, { place.vec2 "true and vec2(1) or vec2(2)" })
    assert.equal(place.entity, place.other "true and self or nobody")
    assert.is_nil(place.other "true and nobody or self")
    assert.is_false(boolean "true and false or false")
  end)

  it("chooses between strings for an enum", function()
    assert.equal("run", place.run("body.state = 1 < 2 and 'run' or 'dead'", nil, "body").state)
    assert.equal("dead", place.run("body.state = 1 > 2 and 'run' or 'dead'", nil, "body").state)
    assert.equal("idle", place.run("body.state = 1 > 2 and 'run' or 2 > 3 and 'dead' or 'idle'", nil, "body").state)
    assert.is_true(boolean "(1 > 2 and 'run' or 'idle') == body.state")
  end)
end)

describe("Lanes in a formula", function()
  it("are read by name", function()
    same(2, number "vec4(1, 2, 3, 4).y")
    same(4, number "vec4(1, 2, 3, 4).a")
    same(3, number "vec3(1, 2, 3).b")
    assert.same({ 1, 2 }, { place.vec2 "vec4(1, 2, 3, 4).xy" })
    assert.same({ 1, 2, 3 }, { place.vec3 "vec4(1, 2, 3, 4).xyz" })
    same(2, number "(vec2(1, 2) + vec2(0, 0)).xy.y")
  end)

  it("are written in fields and locals", function()
    assert.same({ 1, 5, 3 }, place.run("out.vec3 = vec3(1, 2, 3) out.vec3.y = 5").vec3)
    assert.same({ 2, 6, 3 }, place.run("out.vec3.xy += 1").vec3)
    assert.same({ 1, 4, 7 }, place.run("local v = vec3(1, 2, 3) v.z = 7 v.xy = v.xy * 2 v.x -= 1 out.vec3 = v").vec3)
    assert.same({ 2, 2 }, place.run("local v = vec2(1, 2) v.x = v.y out.vec2 = v").vec2)
  end)

  it("of one local do not change another", function()
    assert.same({ 1, 2 }, place.run("local a = vec2(1, 2) local b = a b.x = 9 out.vec2 = a").vec2)
  end)
end)

describe("The functions of a formula", function()
  it("compute lane by lane", function()
    same(2, number "abs(-2)")
    same(0, number "abs(-0.0)")
    assert.same({ 1, 2 }, { place.vec2 "abs(vec2(-1, 2))" })
    same(-2, number "floor(-1.5)")
    same(-1, number "ceil(-1.5)")
    same(-1 / huge, number "ceil(-0.5)")
    same(-1 / huge, number "floor(-0.0)")
    same(1.5, number "sqrt(2.25)")
    same(nan, number "sqrt(-1)")
  end)

  it("return the sign, and zeros and NaN as they are", function()
    same(1, number "sign(3)")
    same(-1, number "sign(-3)")
    same(-1 / huge, number "sign(-0.0)")
    same(nan, number("sign(a)", { a = nan }))
  end)

  it("compare in min, max and clamp as they are defined", function()
    local function minimum(a, b) return b < a and b or a end
    local function maximum(a, b) return b > a and b or a end
    for _, pair in ipairs { { 1, 2 }, { 2, 1 }, { nan, 1 }, { 1, nan }, { 0, -1 / huge }, { -1 / huge, 0 } } do
      local given = { a = pair[1], b = pair[2] }
      same(minimum(pair[1], pair[2]), number("min(a, b)", given))
      same(maximum(pair[1], pair[2]), number("max(a, b)", given))
    end
    same(1, number "min(3, 1, 2)")
    same(3, number "clamp(5, 1, 3)")
    same(1, number "clamp(-5, 1, 3)")
    same(nan, number("clamp(a, 1, 3)", { a = nan }))
    assert.same({ 1, 2 }, { place.vec2 "clamp(vec2(0, 2), 1, 3)" })
  end)

  it("are cuttle's own for sin, cos, atan2, exp and log", function()
    for _, x in ipairs { 0.5, -3, 100, 1e-9 } do
      same(cuttle.sin(x), number("sin(x)", { x = x }))
      same(cuttle.cos(x), number("cos(x)", { x = x }))
      same(cuttle.exp(x), number("exp(x)", { x = x }))
      same(cuttle.log(x), number("log(x)", { x = x }))
      same(cuttle.atan2(x, 2), number("atan2(x, 2)", { x = x }))
    end
  end)

  it("compose vectors", function()
    assert.same({ 1, 2 }, { place.vec2 "vec2(1, 2)" })
    assert.same({ 4, 4, 4 }, { place.vec3 "vec3(4)" })
    assert.same({ 1, 2, 3 }, { place.vec3 "vec3(vec2(1, 2), 3)" })
    assert.same({ 1, 2, 3, 4 }, { place.vec4 "vec4(1, vec2(2, 3), 4)" })
    assert.same({ 3, 1 }, { place.vec2 "vec2(vec3(1, 2, 3).z, 1)" })
  end)

  it("multiply vectors", function()
    same(11, number "dot(vec2(1, 2), vec2(3, 4))")
    same(70, number "dot(vec4(1, 2, 3, 4), vec4(5, 6, 7, 8))")
    same(5, number "length(vec2(3, 4))")
    assert.same({ 0, 0, 1 }, { place.vec3 "cross(vec3(1, 0, 0), vec3(0, 1, 0))" })
    same(1, number "cross(vec2(1, 0), vec2(0, 1))")
  end)

  it("normalize vectors, and return zero for zero", function()
    assert.same({ 0, 1 }, { place.vec2 "normalize(vec2(0, 3))" })
    assert.same({ 0, 0, 0 }, { place.vec3 "normalize(vec3(0))" })
  end)

  it("mix as a + (b - a) * t", function()
    same(0.1 + (0.7 - 0.1) * 0.3, number("mix(a, b, t)", { a = 0.1, b = 0.7, t = 0.3 }))
    assert.same({ 1, 3 }, { place.vec2 "mix(vec2(0, 2), vec2(2, 4), 0.5)" })
  end)

  it("rotate about z and keep the other lanes", function()
    local c, s = cuttle.cos(0.5), cuttle.sin(0.5)
    same(2 * c - 3 * s, number "rotate(vec2(2, 3), 0.5).x")
    same(2 * s + 3 * c, number "rotate(vec2(2, 3), 0.5).y")
    same(7, number "rotate(vec3(2, 3, 7), 0.5).z")
    same(8, number "rotate(vec4(2, 3, 7, 8), 0.5).w")
  end)
end)

describe("random() in a formula", function()
  it("is at least 0 and below 1, and differs by place, entity and seed", function()
    local many = place.world:create({ out = {} }, 50)
    local formula = place.world:formula("out.number = random() out.vec2 = vec2(random(), random())", { seed = 1 })
    local seen, count = {}, 0
    for seed = 1, 3 do
      formula.seed = seed
      formula()
      for _, e in ipairs(many) do
        for _, x in ipairs { place.world.out:read(e, "number"), place.world.out:read(e, "vec2") } do
          assert.is_true(x >= 0 and x <= 1)
          if not seen[x] then seen[x], count = true, count + 1 end
        end
      end
    end
    assert.is_true(count > 440)
  end)

  it("returns the same number again for the same entity, place and seed", function()
    same(number("random()", { seed = 7 }), number("random()", { seed = 7 }))
    same(number "random()", number("random()", { seed = 0 }))
  end)
end)

describe("A constant of a formula", function()
  it("is a number as Lua writes it", function()
    same(255, number "0xff")
    same(0.25, number ".25")
    same(2500, number "2.5e3")
    same(0.1, number "0.1")
  end)
end)
