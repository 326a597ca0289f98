-- cuttle.sin, cos, atan2, exp, log: accuracy, special values, and the same bits on every host.

local cuttle = require "cuttle"
local new_random = require "spec.support.random"
local raises = require "spec.support.raises"

-- Function, result to 17 digits, arguments.
local KNOWN = {
  { "sin", 0.479425538604203, { 0.5 } },
  { "cos", 0.8775825618903728, { 0.5 } },
  { "sin", 0.8414709848078965, { 1 } },
  { "cos", 0.5403023058681398, { 1 } },
  { "sin", -0.9092974268256817, { -2 } },
  { "cos", -0.4161468365471424, { -2 } },
  { "sin", 0.1411200080598672, { 3 } },
  { "cos", -0.9899924966004454, { 3 } },
  { "sin", -0.5440211108893698, { 10 } },
  { "cos", -0.8390715290764524, { 10 } },
  { "sin", -0.2772828564548513, { 100.25 } },
  { "cos", 0.9607883312760612, { 100.25 } },
  { "sin", -0.9952739571052135, { -1000.5 } },
  { "cos", 0.09710690144438526, { -1000.5 } },
  { "sin", -0.1624508310778367, { 1048575.5 } },
  { "cos", 0.9867166399134658, { 1048575.5 } },
  { "sin", 1e-08, { 1e-08 } },
  { "cos", 1.0, { 1e-08 } },
  { "sin", 1.2246467991473532e-16, { 3.141592653589793 } },
  { "cos", -1.0, { 3.141592653589793 } },
  { "exp", 1.0, { 0 } },
  { "exp", 2.718281828459045, { 1 } },
  { "exp", 0.36787944117144233, { -1 } },
  { "exp", 1.1051709180756477, { 0.1 } },
  { "exp", 22026.465794806718, { 10 } },
  { "exp", 1.2501528663867426e-09, { -20.5 } },
  { "exp", 1.0142320547350045e+304, { 700 } },
  { "exp", 9.85967654375977e-305, { -700 } },
  { "exp", 1.000000001, { 1e-09 } },
  { "log", 0.0, { 1 } },
  { "log", 0.6931471805599453, { 2 } },
  { "log", 2.302585092994046, { 10 } },
  { "log", -2.3025850929940455, { 0.1 } },
  { "log", -690.7755278982137, { 1e-300 } },
  { "log", 690.7755278982137, { 1e+300 } },
  { "log", 9.999999505838704e-08, { 1.0000001 } },
  { "log", -0.00010000500033334732, { 0.9999 } },
  { "atan2", 0.7853981633974483, { 1, 1 } },
  { "atan2", 2.356194490192345, { 1, -1 } },
  { "atan2", -2.356194490192345, { -1, -1 } },
  { "atan2", 0.16514867741462683, { 0.5, 3 } },
  { "atan2", -1.4876550949064553, { -3, 0.25 } },
  { "atan2", 1e-09, { 1e-09, 1 } },
  { "atan2", 1.5707963257948967, { 1, 1e-09 } },
  { "atan2", 0.7853981633974483, { 1e+300, 1e+300 } },
  { "atan2", -1.6207547225168393, { -2, -0.1 } },
  { "atan2", 0.2914567944778671, { 0.3, 1 } },
}

local INF, NAN = math.huge, 0 / 0
local NAMES = { "sin", "cos", "exp", "log", "atan2" }

-- A checksum of all digits of a number.
local function mix(sum, number)
  local text = ("%.17g"):format(number)
  if number ~= number then text = "nan" end
  for i = 1, #text do sum = (sum * 31 + text:byte(i)) % 2 ^ 31 end
  return sum
end

describe("a function of numbers", function()
  it("is exact to the last digits", function()
    for _, row in ipairs(KNOWN) do
      local got = cuttle[row[1]](unpack(row[3]))
      local step = math.max(math.abs(row[2]), 1e-300) * 2 ^ -50
      assert.is_true(math.abs(got - row[2]) <= step, ("%s(%s): %.17g"):format(row[1], tostring(row[3][1]), got))
    end
  end)

  it("has the bits of every other host", function()
    local random, sums = new_random(11), {}
    local function number(scale) return (random(2000001) - 1000001) / 1000000 * scale end
    for _, name in ipairs(NAMES) do
      local sum = 0
      for i = 1, 500 do
        local scale = 10 ^ (i % 7 - 1)
        local x, y = number(scale), number(scale)
        if name == "log" then x = math.abs(x) end
        sum = mix(sum, name == "atan2" and cuttle.atan2(y, x) or cuttle[name](x))
      end
      sums[name] = sum
    end
    assert.are.same({ sin = 429382367, cos = 992856602, exp = 565543636, log = 207678604, atan2 = 634361347 }, sums)
  end)

  it("has the special values of C", function()
    for _, name in ipairs { "sin", "cos" } do
      local nan = cuttle[name](INF)
      assert.is_true(nan ~= nan)
      nan = cuttle[name](NAN)
      assert.is_true(nan ~= nan)
    end
    assert.are.equal(-INF, 1 / cuttle.sin(-1 / INF))
    assert.are.equal(1, cuttle.cos(0))
    assert.are.equal(INF, cuttle.exp(710))
    assert.are.equal(0, cuttle.exp(-INF))
    assert.are.equal(5e-324, cuttle.exp(-744.5))
    assert.are.equal(-INF, cuttle.log(0))
    assert.are.equal(INF, cuttle.log(INF))
    local nan = cuttle.log(-1)
    assert.is_true(nan ~= nan)
    assert.are.equal(math.pi, cuttle.atan2(0, -1))
    assert.are.equal(-math.pi, cuttle.atan2(-1 / INF, -1))
    assert.are.equal(math.pi / 4, cuttle.atan2(INF, INF))
    assert.are.equal(math.pi / 2, cuttle.atan2(3, 0))
    assert.are.equal(0, cuttle.atan2(0, 0))
  end)

  it("gives a number from -1 to 1 for an angle of any size", function()
    for exponent = 20, 300 do
      local x = 2 ^ exponent * 1.37
      assert.is_true(math.abs(cuttle.sin(x)) <= 1 and math.abs(cuttle.cos(x)) <= 1)
    end
  end)

  it("takes only numbers", function()
    for _, name in ipairs(NAMES) do raises("number expected, got no value", cuttle[name]) end
    raises("bad argument #2 to", cuttle.atan2, 1)
  end)
end)
