-- Loads of doubles without gaps, which copy nothing: each text gives the same numbers as for entities whose rows have
-- gaps, where loads copy.

local cuttle = require "cuttle"
local lists = require "spec.support.formula_lists"
local new_random = require "spec.support.random"
local rounds = require "spec.support.rounds"
local seed = require "spec.support.seed"

local TEXTS = {
  "a.x = a.x + a.y / 4 a.y = a.y * a.x",
  -- A local keeps the number from before the store.
  "local before = a.x a.x = before + 1 a.y = before",
  "local before = a.x a.x = 7 a.x = a.x + before",
  "local x = a.x local y = a.y a.x = y a.y = x",
  "local before = a.x if a.y > 2 then a.x = 9 end a.y = before",
  "local before = a.x if a.y > 2 then a.x = 9 else a.y = before end",
  -- A local that changes, in a branch and outside.
  "local number = a.x if a.y > 2 then number = 5 end a.y = number",
  "local number = a.x number = number * 2 a.y = number",
  "local number = a.x if a.y > 2 then number = a.y elseif a.y > 1 then number = a.x + 1 else a.x = 0 end a.y = number",
  "if a.y > 2 then local number = a.x a.x = 1 a.y = number else local number = a.y a.y = a.x a.x = number end",
  -- Lanes together.
  "a.v = vec2(a.x, a.y) a.x = a.v.y",
  "local v = vec2(a.x, a.y) a.x = 0 a.v = v * 2",
  -- A store of the number itself, and NaN of any kind.
  "a.x = a.x a.y = -a.x",
  "a.x = a.x * (0 / 0) local before = a.x a.x = 1 a.y = before",
  -- Conditions, functions and entities.
  "if a.x > 2 then a.x = sqrt(a.x) a.y = floor(a.x) end",
  "a.y = min(a.x, random()) + at(self, a.x)",
}

-- Makes a query of `count` entities. 'gaps': other entities have rows between theirs. Returns the query, and a function
-- that returns the numbers of the entities as texts.
local function scene(count, gaps)
  local entities = cuttle.entity_manager()
  local world = cuttle.world(entities)
  world:define("a", { { "x", "double" }, { "y", "double" }, { "v", "vec2" } })
  world:define("b", {})
  local list = {}
  for i = 1, count do
    list[i] = world:create { a = { x = i, y = i % 4, v = { i, -i } }, b = {} }
    if gaps then world:create { a = {} } end
  end
  return world:query("a", "b"), function()
    local numbers = {}
    for i, e in ipairs(list) do
      local vx, vy = world.a:v(e)
      numbers[i] = ("%.17g %.17g %.17g %.17g"):format(world.a:x(e), world.a:y(e), vx, vy)
    end
    return numbers
  end
end

-- Returns the numbers of `count` entities after a formula ran twice.
local function run(make, source, count, gaps)
  local query, numbers = scene(count, gaps)
  local formula = make(query, source)
  formula()
  formula()
  return numbers()
end

local function of_text(query, text) return query:formula(text) end

-- Returns a list of operations that the core accepts or refuses.
local function random_operations(random)
  local list, written, open = {}, { 0, 1, 2 }, 0
  local function register() return written[random(#written)] end
  local binary = { "ADD", "SUB", "MUL", "MIN", "LT", "SELECT", "LE" }
  for _ = 1, 4 + random(24) do
    local kind, to = random(12), 2 + random(4)
    if kind <= 4 then
      list[#list + 1] = { "LOAD", to, random(2) - 1, 0, 1 }
    elseif kind <= 6 then
      list[#list + 1] = { binary[random(#binary)], to, register(), register(), register() }
    elseif kind == 7 then
      list[#list + 1] = { "MOVE", to, register(), 0, 1 }
    elseif kind == 8 and open < 3 then
      list[#list + 1] = { "IF", 0, register() }
      open = open + 1
    elseif kind == 9 and open > 0 then
      list[#list + 1] = { random(2) == 1 and "ELSE" or "END" }
      if list[#list][1] == "END" then open = open - 1 end
    elseif kind == 10 then
      list[#list + 1] = { "STORE", 2, 1 + random(5), 0, 2 }
    else
      list[#list + 1] = { "STORE", random(2) - 1, register(), 0, 1 }
    end
    if kind <= 7 then written[#written + 1] = to end
  end
  for _ = 1, open do list[#list + 1] = { "END" } end
  list.constants, list.fields, list.registers = { 0, 2, 0.5 }, { "a", "x", "a", "y", "a", "v" }, 12
  return list
end

describe("A formula over doubles without gaps", function()
  for _, count in ipairs { 3, 19, 1000 } do
    for _, text in ipairs(TEXTS) do
      it(("computes for %d entities what loads that copy compute: %s"):format(count, text), function()
        local straight = run(of_text, text, count, false)
        if not text:find "random" then assert.same(run(of_text, text, count, true), straight) end
        -- The first entity has the numbers that it has alone.
        assert.same(run(of_text, text, 1, true)[1], straight[1])
      end)
    end
  end

  it("keeps the loaded numbers of the matches that a branch with a MOVE leaves out", function()
    local operations = { constants = { 0, 2 }, fields = { "a", "x", "a", "y" }, registers = 6, { "LOAD", 3, 1, 0, 1 },
      { "LOAD", 2, 0, 0, 1 }, { "LT", 4, 3, 1 }, { "IF", 0, 4 }, { "MOVE", 2, 0, 0, 1 }, { "END" },
      { "STORE", 1, 2, 0, 1 } }
    for _, count in ipairs { 3, 19 } do
      assert.same(run(lists.formula, operations, count, true), run(lists.formula, operations, count, false))
    end
  end)

  it("computes the same for any list of operations, seed " .. seed, function()
    local random, accepted = new_random(seed), 0
    for _ = 1, rounds(4000, 400) do
      local operations = random_operations(random)
      local count = random(12)
      local ok, straight = pcall(run, lists.formula, operations, count, false)
      if ok then
        accepted = accepted + 1
        assert.same(run(lists.formula, operations, count, true), straight)
      end
    end
    assert.is_true(accepted > 20, accepted .. " lists were accepted")
  end)
end)
