-- Assertions of spec/support/quick_assert.lua: they pass and fail as those of luassert do, with the same messages.

-- tags: around

local luassert = require "luassert"

local CASES = {
  equal = { { 1, 1 }, { 1, 2 }, { "a", "a", "text" }, { "a", "b", "text" }, { nil, nil, n = 2 }, { nil, n = 1 }, {},
    { {}, {} }, { 0 / 0, 0 / 0 }, { false, false }, { false, nil, n = 2 } },
  same = { { { 1, { 2 } }, { 1, { 2 } } }, { { 1 }, { 2 } }, { 1, 1 }, { 1, "1" }, { {}, 1 }, { nil, nil, n = 2 }, {},
    { { a = 1 }, { a = 1, b = 2 }, "text" } },
  is_true = { { true }, { 1 }, { false, "text" }, { nil, n = 1 }, {} },
  is_false = { { false }, { nil, n = 1 }, { true, "text" }, {} },
  is_truthy = { { 0 }, { true, "text" }, { false, "text" }, { nil, n = 1 }, {} },
  is_nil = { { nil, n = 1 }, { false, "text" }, { nil, "text" }, {} },
}

local function packed(...) return { n = select("#", ...), ... } end

-- Tables are compared by their contents: messages contain their addresses.
local function outcome(assertion, case)
  local result = packed(pcall(assertion, unpack(case, 1, case.n or #case)))
  for i = 2, result.n do
    if type(result[i]) == "string" then result[i] = result[i]:gsub("0x%x+", "ADDRESS") end
  end
  return result
end

describe("an assertion", function()
  for name, cases in pairs(CASES) do
    it(name .. " passes and fails as in luassert", function()
      for _, case in ipairs(cases) do
        luassert.state().same(outcome(luassert.state()[name], case), outcome(assert[name], case))
      end
    end)
  end

  it("of a modifier passes and fails as in luassert", function()
    assert.are.equal(1, 1)
    assert.are.same({ 1 }, { 1 })
    assert.are.near(1, 1.5, 1)
    assert.are_not.equal(1, 2)
    assert.is_false((pcall(assert.are.equal, 1, 2)))
    assert.is_false((pcall(assert.are.near, 1, 2.5, 1)))
  end)

  it("fails with the line that calls it", function()
    local function fails() assert.equal(1, 2) end
    local line = debug.getinfo(fails, "S").linedefined
    local _, message = pcall(fails)
    assert.matches("quick_assert_spec.lua:" .. line .. ": Expected objects to be equal", message)
  end)
end)
