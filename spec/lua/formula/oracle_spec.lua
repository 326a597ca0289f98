-- Random formulas, run by the core and by their translation to Lua: the same bits, and the same errors.
--
-- Two worlds over the same entities have equal components, in different row order. The formula runs in one of them,
-- the translation (spec/support/formula_oracle.lua) in the other. There are two such pairs: with entities for several
-- blocks of a test build, and with so few that formulas use their own registers. With CUTTLE_LONG=1 and
-- CUTTLE_ROUNDS=12, as in a step of `make soak`, LuaJIT compares a million statements, each for all matches.

local cuttle = require "cuttle"
local formula_texts = require "spec.support.formula_texts"
local formula_world = require "spec.support.formula_world"
local oracle = require "spec.support.formula_oracle"
local random = require "spec.support.random"
local rounds = require "spec.support.rounds"
local seed = require "spec.support.seed"

-- Lua that computes with the x87 rounds twice, to 64 bits and then to 53: its loops have other bits than formulas.
if 1 + (2 ^ -53 + 2 ^ -65) == 1 then return end

local NUMBERS = { 0, 1, -1, 0.5, -0.5, 2, 3, 100, -7.25, 1e10, -1e-10, 1e38, -1 / math.huge, math.huge, -math.huge,
  0 / 0,
  1 / 3, 12345.678, 1e-40 }
local TYPES = { float = "number", double = "number", vec2 = "vec2", vec3 = "vec3", color = "vec4", quat = "vec4",
  dvec2 = "vec2", dvec3 = "vec3", int32 = "number", uint8 = "number", int16 = "number", bool = "boolean",
  entity = "entity", enum = "enum" }
-- The range in which texts keep the values of integer fields.
local RANGES = { int32 = { -1000, 100000 }, uint8 = { 0, 255 }, int16 = { -300, 300 } }
local COMPONENTS = { "body", "extra", "loot" }
local ENTITIES = 13
local FEW_ENTITIES = 3 -- below CT_FORMULA_FEW of a test build

local PARAMETERS = { { name = "dt", type = "number" }, { name = "wind", type = "vec2" }, { name = "fast",
  type = "boolean" },
  { name = "boss", type = "entity" }, { name = "deep", type = "vec4" } }

local pick = random(seed)

local function one_number() return NUMBERS[pick(#NUMBERS)] end

-- The pair that a test uses.
local shaped, translated, list

local VALUES = {
  float = one_number, double = one_number,
  vec2 = function() return { one_number(), one_number() } end,
  vec3 = function() return { one_number(), one_number(), one_number() } end,
  color = function() return { one_number(), one_number(), one_number(), one_number() } end,
  int32 = function() return pick(2000) - 1000 end,
  uint8 = function() return pick(256) - 1 end,
  bool = function() return pick(2) == 1 end,
  entity = function() return list[pick(#list + 2)] end,
  enum = function(labels) return labels[pick(#labels)] end,
}
VALUES.quat, VALUES.int16, VALUES.dvec2, VALUES.dvec3 = VALUES.color, VALUES.int32, VALUES.vec2, VALUES.vec3

local function write(world, component, e, field, value)
  local manager = world:manager(component)
  if type(value) == "table" then manager:write(e, field, unpack(value)) else manager:write(e, field, value) end
end

-- Gives each field of each entity a random value, the same in both worlds.
local function fill()
  for _, e in ipairs(list) do
    for _, component in ipairs(COMPONENTS) do
      for _, field in ipairs(shaped:manager(component):has(e) and formula_world.SCHEMAS[component] or {}) do
        local value = VALUES[field[2]](field[3])
        write(shaped, component, e, field[1], value)
        write(translated, component, e, field[1], value)
      end
    end
    local x, y, z = pick(9), pick(9), pick(9)
    shaped.transform:set_local_position(e, x, y, z)
    translated.transform:set_local_position(e, x, y, z)
    shaped.transform:set_local_scale(e, 1, 2, 1)
    translated.transform:set_local_scale(e, 1, 2, 1)
  end
end

local function create(count)
  local entities = cuttle.entity_manager()
  shaped, translated = formula_world.define(cuttle.world(entities)), formula_world.define(cuttle.world(entities))
  list = entities:create(count)
  for number = 1, count do
    local e, other = list[number], list[count + 1 - number]
    translated.transform:create(e, {})
    shaped.transform:create(other, {})
    for _, world in ipairs { shaped, translated } do
      world.body:create(e, {})
      if number % 2 == 0 then world.extra:create(e, {}) end
      if number % 3 > 0 then world.loot:create(e, {}) end
    end
  end
  for number = 2, count, 2 do
    shaped.transform:link(list[number], list[number - 1])
    translated.transform:link(list[number], list[number - 1])
  end
end

local function fields()
  local found = {}
  for _, component in ipairs(COMPONENTS) do
    for _, field in ipairs(formula_world.SCHEMAS[component]) do
      local range = RANGES[field[2]] or {}
      found[#found + 1] = { path = component .. "." .. field[1], type = TYPES[field[2]], labels = field[3],
        access = component == "loot" and "at" or "write", low = range[1], high = range[2] }
    end
  end
  found[#found + 1] = { path = "transform.local_position", type = "vec3", access = "write" }
  found[#found + 1] = { path = "transform.local_scale", type = "vec3", access = "write" }
  found[#found + 1] = { path = "transform.world_position", type = "vec3", access = "read" }
  return found
end

local function show(...)
  local parts = { ... }
  for number, value in ipairs(parts) do
    if type(value) == "number" then
      parts[number] = value ~= value and "nan" or value == 0 and 1 / value < 0 and "-0" or ("%.17g"):format(value)
    else
      parts[number] = tostring(value)
    end
  end
  return table.concat(parts, " ")
end

-- All values of a world, a line each.
local function dump(world)
  local lines = {}
  for number, e in ipairs(list) do
    for _, component in ipairs(COMPONENTS) do
      local manager = world:manager(component)
      for _, field in ipairs(manager:has(e) and formula_world.SCHEMAS[component] or {}) do
        lines[#lines + 1] = ("%d %s.%s %s"):format(number, component, field[1], show(manager:read(e, field[1])))
      end
    end
    lines[#lines + 1] = number .. " local_position " .. show(world.transform:local_position(e))
    lines[#lines + 1] = number .. " local_scale " .. show(world.transform:local_scale(e))
    lines[#lines + 1] = number .. " world_position " .. show(world.transform:world_position(e))
  end
  return lines
end

-- Raises, with the text, if two lists of lines differ.
local function compare(expected, actual, text, what)
  for number, line in ipairs(expected) do
    if line ~= actual[number] then
      error(("%s:\n%s\nexpected %s\ngot      %s"):format(what, text, line, actual[number]), 2)
    end
  end
end

local generator = formula_texts.new(pick, fields(), PARAMETERS, { "extra" })

local function parameters()
  return { dt = 1 / 60, wind = { 1, -2.5 }, seed = pick(1000), fast = pick(2) == 1, boss = list[3], deep = { 1, 2, 3,
    4 } }
end

-- Runs one random text in both worlds and returns the number of its statements.
local function compare_one(query)
  fill()
  local text, statements = generator.text(6)
  local given = parameters()
  local formula, run = query:formula(text, given), oracle.new(translated, text, given)
  local before, matches = dump(shaped), query:entities()
  local ok, message = pcall(formula)
  local fault = run(matches)
  if fault then
    local expected = ("line %d, statement %d: %s of %s"):format(fault.line, fault.statement, fault.path,
      cuttle.entity_tostring(fault.entity))
    if ok or not tostring(message):find(expected, 1, true) then
      error(("the error differs:\n%s\nexpected %s\ngot      %s"):format(text, expected, tostring(message)))
    end
    compare(before, dump(shaped), text, "a formula that failed changed a field")
  else
    if not ok then error(text .. "\n" .. tostring(message)) end
    compare(dump(translated), dump(shaped), text, "the results differ")
  end
  return statements
end

local function describe_pair(count)
  setup(function() create(count) end)

  it("computes the bits of its translation to Lua, or fails as it does", function()
    local has_jit, all = rawget(_G, "jit") ~= nil, 500
    if os.getenv "CUTTLE_LONG" == "1" then all = has_jit and 42500 or 15000 end
    local query = shaped:query("body", "transform", "?extra")
    local done, wanted = 0, rounds(all, 85) -- statements
    while done < wanted do done = done + compare_one(query) end
  end)

  it("computes the sums of its translation", function()
    local query = shaped:query("transform", "body", "?extra")
    for _ = 1, rounds(50, 5) do
      fill()
      local kind = ({ "number", "vec2", "vec3", "vec4" })[pick(4)]
      local text, given = generator.expression(kind, 3), parameters()
      local _, results = oracle.new(translated, text, given, true)(query:entities())
      local sum = { 0, 0, 0, 0 }
      for _, result in ipairs(results) do
        for lane, number in ipairs(result) do sum[lane] = sum[lane] + number end
      end
      compare({ show(unpack(sum, 1, #results[1])) }, { show(query:sum(text, given)) }, text, "the sums differ")
    end
  end)

  it("admits the entities for which its translation is true", function()
    local query = shaped:query("transform", "body", "?extra")
    for _ = 1, rounds(50, 5) do
      fill()
      local text, given = generator.expression("boolean", 3), parameters()
      local _, results = oracle.new(translated, text, given, true)(query:entities())
      local expected = {}
      for number, e in ipairs(query:entities()) do
        if results[number] then expected[#expected + 1] = tostring(e) end
      end
      local found = {}
      for _, e in ipairs(query:where(text, given):entities()) do found[#found + 1] = tostring(e) end
      compare({ show(unpack(expected)) }, { show(unpack(found)) }, text, "the matches differ")
    end
  end)
end

describe("A random formula for " .. ENTITIES .. " entities, seed " .. seed, function() describe_pair(ENTITIES) end)
describe("A random formula for " .. FEW_ENTITIES .. " entities, seed " .. seed,
  function() describe_pair(FEW_ENTITIES) end)
