-- Reads of damaged samples, a few of each format (`make fuzz-import` runs many), and tests of the fuzzer itself.

local fuzz = require "spec.fuzz.fuzz"
local mutate = require "spec.fuzz.mutate"
local seed = require "spec.support.seed"
local slow = require "spec.support.slow"
local targets = require "spec.fuzz.targets"

describe("a damaged sample, seed " .. seed .. ",", function()
  for _, target in ipairs(targets) do
    it("is read or refused with a message: " .. target.name, function()
      fuzz.run(target, seed, slow and 15 or 60, function(input)
        error(("seed %d: %s\n%s"):format(input.seed, input.trouble, input.text), 0)
      end)
    end)

    it("is read before it is damaged: " .. target.name, function()
      math.randomseed(seed)
      for _, text in ipairs(target.texts) do assert.is_nil(target.check(text)) end
    end)
  end
end)

describe("the fuzzer", function()
  local texts = { "abcdefgh", "12345678" }

  -- The inputs that a check fails for.
  local function found(check)
    local list = {}
    fuzz.run({ name = "sample", texts = texts, check = check }, 7, 200, function(input) list[#list + 1] = input end)
    return list
  end

  it("finds errors and reported failures, with a seed that repeats them", function()
    local raised = found(function(text) return assert(not text:find("8$"), "it ends so") and nil end)
    assert.is_true(#raised > 0 and #raised < 200)
    assert.matches("^it raised .*it ends so", raised[1].trouble)
    fuzz.run({ texts = texts, check = function() return "failed" end }, raised[1].seed, 1, function(again)
      assert.same({ seed = raised[1].seed, text = raised[1].text, trouble = "failed" }, again)
    end)
  end)

  it("finds endless loops", function()
    local list = {}
    local function hang() while true do list[2] = nil end end
    local jit = rawget(_G, "jit")
    if jit then jit.off(hang) end -- compiled code cannot be stopped; make ends the process
    fuzz.run({ texts = texts, check = hang }, 1, 1, function(input) list[1] = input.trouble end, 1e5)
    assert.same({ "it does not end" }, list)
  end)

  it("refuses errors of Lua and messages without a place", function()
    assert.is_nil(fuzz.message_trouble("map.tmj: layers[1]: expected a string, got 5", "x"))
    assert.equal("x names no place: layers", fuzz.message_trouble("layers", "x"))
    assert.equal("x gave no message, but nil", fuzz.message_trouble(nil, "x"))
    for _, message in ipairs({ "lua/a.lua:5: bad", "map.tmj: attempt to index a nil value",
      "map.tmj: the mapping raised: lua/cuttle/a.lua:12: x" }) do
      assert.equal("x is an error of Lua: " .. message, fuzz.message_trouble(message, "x"))
    end
  end)

  it("damages texts in different ways, some of which remain valid JSON", function()
    local seen, count, accepted = {}, 0, 0
    for round = 1, 100 do
      math.randomseed(seed + round)
      local text = mutate(targets[2].texts[1], targets[2].texts)
      if not seen[text] then seen[text], count = true, count + 1 end
      if require("cuttle.json").check(text) then accepted = accepted + 1 end
    end
    assert.is_true(count > 50, count)
    assert.is_true(accepted > 10, accepted)
  end)
end)
