-- Operation lists from any source: random ones raise or run, and whatever they do, every invariant holds. Failing
-- allocations change nothing.

local core = require "cuttle.core"
local cuttle = require "cuttle"
local lists = require "spec.support.formula_lists"
local new_random = require "spec.support.random"
local raises = require "spec.support.raises"
local rounds = require "spec.support.rounds"
local seed = require "spec.support.seed"

local FIELDS = { "transform", "local_position", "transform", "local_rotation", "transform", "local_scale",
  "transform", "local_angle", "transform", "world_position", "transform", "world_angle", "body", "v", "body", "hp",
  "body", "on", "body", "mood", "body", "target", "body", "d", "extra", "n" }

local function scene()
  local entities = cuttle.entity_manager()
  local world = cuttle.world(entities)
  world:define("body", { { "v", "vec3" }, { "hp", "uint8" }, { "on", "bool" }, { "mood", "enum", { "a", "b", "c" } },
    { "target", "entity" }, { "d", "dvec2" } })
  world:define("extra", { { "n", "int16" } })
  local all = {}
  for i = 1, 25 do
    local pose = { position = { i, 0, 0 }, parent = all[i - 3] }
    all[i] = world:create { transform = pose, body = { hp = i, v = { i, 1, 2 } } }
    world.body:set_target(all[i], all[i % 7 + 1] or all[i])
    if i % 3 == 0 then world.extra:create(all[i], { n = i }) end
  end
  entities:destroy(all[6])
  return entities, world, all
end

describe("a list of operations, seed " .. seed .. ",", function()
  it("raises or runs, and every object stays valid", function()
    local random, kinds, made, ran = new_random(seed), {}, 0, 0
    for name, number in pairs(core.formula.operations) do kinds[#kinds + 1] = { name, number } end
    table.sort(kinds, function(a, b) return a[2] < b[2] end)
    for _ = 1, rounds(8, 2) do
      local entities, world, all = scene()
      local query = world:query("transform", "body", "?extra")
      for _ = 1, 250 do
        -- Most operations read registers that are written, so that many lists are accepted.
        local list, written, open = {}, { 0, 1, 2 }, 0
        local function register() return random(12) == 1 and random(40) - 1 or written[random(#written)] end
        for _ = 1, random(30) do
          local name, to = kinds[random(#kinds)][1], random(25) + 1
          local operation = { name, to, register(), register(), register(), register() }
          if name == "LOAD" or name == "LOAD_AT" then
            operation[3], operation[4], operation[5] = random(#FIELDS / 2) - 1, 0, random(3)
          elseif name == "STORE" then
            operation[2], operation[4], operation[5] = random(#FIELDS / 2) - 1, random(2) - 1, random(3)
          elseif name == "FIND" or name == "HAS" then
            operation[3] = random(2) - 1
          elseif name == "MOVE" then
            operation[5] = 1
          elseif name == "IF" then
            open = open + 1
          elseif name == "END" then
            open = open - 1
          end
          list[#list + 1] = operation
          if to < 20 then written[#written + 1] = to end
        end
        for _ = 1, open do list[#list + 1] = { "END" } end
        list.constants, list.parameters = { random(300) - 50, 0.5 }, { "p", random(9) }
        list.fields, list.components, list.registers = FIELDS, { "extra", "body" }, 30
        if random(3) == 1 then list.result = { register(), random(2) } end
        local ok, formula = pcall(lists.formula, query, list)
        if ok then
          made = made + 1
          for _, call in ipairs { function() return formula() end, function() return formula(all) end,
            function() return core.formula.sum(formula) end, function() return core.formula.sorted(formula) end,
            function() return core.formula.where(query, formula):count() end } do
            if pcall(call) then ran = ran + 1 end
          end
        end
      end
      assert(world:validate())
      assert(entities:validate())
    end
    assert.is_true(made > 20 and ran > 20, ("%d made, %d ran"):format(made, ran))
  end)

  it("is refused with the number of the first wrong operation", function()
    local _, world = scene()
    local query = world:query("body", "!extra")
    local function refused(message, ...)
      raises(message, lists.formula, query, { constants = { 1 }, fields = { "body", "v", "body", "hp", "extra", "n",
        "transform", "world_position" }, components = { "extra" }, registers = 10, ... })
    end
    refused("operation 1: register 10 does not exist", { "ADD", 10, 0, 0 })
    refused("operation 1: register 5 is not written", { "ADD", 1, 0, 5 })
    refused("operation 2: register 0 is an input", { "ADD", 1, 0, 0 }, { "NEG", 0, 0 })
    refused("operation 1: field 9 does not exist", { "LOAD", 1, 9, 0, 1 })
    refused("operation 1: lane 2 does not exist", { "LOAD", 1, 0, 2, 2 })
    refused("operation 1: field 2 is not in the query", { "STORE", 2, 0, 0, 1 })
    refused("operation 1: field 3 is not in the query", { "LOAD", 1, 3, 0, 1 })
    refused("operation 1: component 1 does not exist", { "HAS", 1, 1 })
    refused("operation 1: component 0 is not in the query", { "HAS", 1, 0 })
    refused("operation 1: ELSE without IF", { "ELSE" })
    refused("operation 2: ELSE_IF without IF", { "IF", 0, 0 }, { "ELSE_IF", 0, 0 })
    refused("IF without END", { "IF", 0, 0 })
    refused("operation 4: register 1 is not written", { "IF", 0, 0 }, { "SELF", 1 }, { "END" }, { "ALIVE", 2, 1 })
    local deep = {}
    for i = 1, 33 do deep[i] = { "IF", 0, 0 } end
    refused("operation 33: more than 32 branches", unpack(deep))
    raises("named.text is a string field", function()
      world:define("named", { { "text", "string" } })
      lists.formula(world:query "named", { fields = { "named", "text" } })
    end)
    raises("no component 'nothing'", lists.formula, query, { fields = { "nothing", "x" } })
    raises("program without 'constants'", core.formula.new, query, {})
  end)

  if core.testing then
    it("changes nothing if an allocation fails", function()
      local _, world, all = scene()
      local query = world:query("transform", "body")
      -- With many registers a run needs more memory than the arena has.
      local formula = lists.formula(query, { constants = { 5 }, registers = 200,
        fields = { "transform", "local_position", "body", "hp",
        "transform", "world_angle", "transform", "local_angle" }, { "LOAD", 1, 0, 0, 3 }, { "ADD", 1, 1, 0 },
        { "STORE", 0, 1, 0, 3 }, { "LOAD", 4, 1, 0, 1 }, { "ADD", 4, 4, 0 }, { "STORE", 1, 4, 0, 1 },
        { "LOAD", 5, 2, 0, 1 }, { "STORE", 3, 5, 0, 1 } })
      local function fails(call)
        for allocations = 0, 100 do
          world:trim()
          local before = world.entities:hash()
          core.testing.fail_in(allocations, true) -- a call tries again after a failure
          local ok, message = pcall(call)
          core.testing.fail_in(-1)
          if ok then return allocations end
          assert.matches("not enough memory", message)
          assert.are.equal(before, world.entities:hash())
          assert(world:validate())
        end
      end
      assert.is_true(fails(formula) > 1)
      assert.is_true(fails(function() formula(all) end) > 1)
      local over = lists.formula(query, { constants = { 20 }, fields = { "body", "hp" }, result = { 2, 1 },
        { "LOAD", 1, 0, 0, 1 }, { "LT", 2, 0, 1 } })
      local chosen = core.formula.where(query, over)
      assert.is_true(fails(function() chosen:count() end) > 0)
      assert.is_true(fails(function() core.formula.sorted(over) end) > 0)
      assert.is_true(fails(function() core.formula.sum(over) end) > 0)
      assert.is_true(fails(function() chosen:each() end) > 0)
    end)
  end
end)
