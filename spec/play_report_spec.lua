-- The report of a failing run of random play (spec/play_spec.lua): the few actions that lead to the fault.

-- tags: once

local fields = require "spec.support.play.fields"
local play = require "spec.support.play"
local sample = require "spec.support.sample"
local seed = require "spec.support.seed"
local shrink = require "spec.support.play.shrink"

-- Returns all actions. The named one does something wrong after it ran.
local function with_fault(name, fault)
  local actions = {}
  for key, action in pairs(play.actions) do actions[key] = action end
  local original = play.actions[name]
  actions[name] = { weight = original.weight, make = original.make, play = function(run, ...)
    original.play(run, ...)
    fault(run, ...)
  end }
  return actions
end

-- Runs until one run fails. Returns the number of actions that its report contains, and the report.
local function failing_run(actions)
  local options = { steps = 120, actions = actions }
  for attempt = 1, 20 do
    options.seed = seed + attempt
    local ok, message = pcall(play.random, options)
    if not ok then
      local script = message:match "\n(require.*)$"
      assert(script, message)
      local count = -1
      for _ in script:gmatch "\n" do count = count + 1 end
      return count - 1, message, script
    end
  end
  error "no run failed"
end

describe("a failing run, seed " .. seed .. ",", function()
  -- The report must contain the actions that lead to the fault: the creates, a snapshot and the restore. Of 120 actions
  -- two or three are left in most cases, but shrinking one run does not always reach the minimum.
  local MOST_LEFT = 12
  local faults = {
    { "a restore that loses a string", "restore", function(run)
      for n in pairs(run.state.worlds.field.stats.of) do
        run:manager("field", "stats"):set_text(run.state.ids[n], "lost")
      end
    end },
    { "an unload that leaves an entity", "unload", function(run) run.host.entities:create() end },
  }
  for _, fault in ipairs(sample(faults, 1)) do
    local what, name, misbehave = unpack(fault)
    it("is told in a few lines: " .. what, function()
      local actions = with_fault(name, misbehave)
      local count, message, script = failing_run(actions)
      assert.is_true(count <= MOST_LEFT, message)
      assert.is_truthy(script:find('{ "' .. name .. '"', 1, true), message)
      -- The script in the report can be run, and does not fail without the fault.
      assert(loadstring(script))()
    end)
  end
end)

describe("shrinking", function()
  it("keeps the necessary actions in order, and simplifies their arguments", function()
    local list = {}
    for i = 1, 200 do list[i] = { "step" .. i % 50, i, { x = i, list = { 7, 8 } } } end
    local calls = 0
    local function fails(part)
      calls = calls + 1
      local first
      for i, action in ipairs(part) do
        if action[1] == "step7" and action[3].list then first = first or i end
        if action[1] == "step9" and action[2] > 0 and first and i > first then return "wrong at " .. i end
      end
    end
    local small, reason = shrink(list, fails)
    assert.are.equal('{ { "step7", 1, { list = {} } }, { "step9", 1, {} } }', fields.text(small))
    assert.are.equal("wrong at 2", reason)
    assert.is_true(calls < 1000, calls)
  end)

  it("keeps the first error", function()
    local function fails(part)
      if #part == 4 then return "one mistake in 4" end
      if #part < 4 then return "another mistake" end
      return "one mistake in " .. #part
    end
    assert.are.equal(4, #(shrink({ { "a" }, { "b" }, { "c" }, { "d" }, { "e" }, { "f" } }, fails)))
  end)
end)
