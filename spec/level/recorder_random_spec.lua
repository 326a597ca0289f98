-- A random history that is recorded: each rewind does what a restore of a snapshot of the same frame does.

local cuttle = require "cuttle"
local history = require "spec.support.history"
local new_random = require "spec.support.random"
local rounds = require "spec.support.rounds"
local seed = require "spec.support.seed"
local valid = require "spec.support.valid"

describe("a recorder of a random history, seed " .. seed, function()
  local random, h, recorder, frames, keep, step, other

  -- The state that Lua and the core hold: the text has values, rows in their order, and levels.
  local function state() return h.entities:hash() .. h.entities:snapshot():tostring() end

  local function record()
    recorder:frame()
    if #frames == keep then table.remove(frames, 1) end
    frames[#frames + 1] = { snapshot = h.entities:snapshot(), levels = #h.levels }
  end

  -- Restores with pcall; returns its results, and the state afterwards.
  local function attempt(restore)
    local ok, message = pcall(restore)
    return tostring(ok), not ok and message:gsub("^.-:%d+: ", "") or "", state()
  end

  local function forget_levels(taken)
    for i = #h.levels, taken.levels + 1, -1 do h.levels[i] = nil end
  end

  local function rewind()
    local back = random(#frames) - 1
    local taken = frames[#frames - back]
    local now = h.entities:snapshot()
    local wanted = { attempt(function() h.entities:restore(taken.snapshot) end) }
    h.entities:restore(now)
    local gone
    assert.are.same(wanted, { attempt(function() gone = recorder:rewind(back) end) })
    if wanted[1] == "true" then
      assert.are.equal(back, gone)
      for _ = 1, back do table.remove(frames) end
      forget_levels(taken)
    end
    assert.are.equal(#frames, recorder:count())
  end

  -- Adds or destroys a world with an entity; frames with and without it cannot restore each other.
  local function change_worlds()
    if other then
      other:destroy()
      other = nil
    else
      other = cuttle.world(h.entities, { name = "other" })
      other:define("note", { { "text", "string" } })
      other:create { note = { text = "note " .. step } }
    end
  end

  local function play(steps, changes)
    for _ = 1, steps do
      step = step + 1
      h.play(step)
      if changes and random(12) == 1 then change_worlds() end
      record()
      if random(5) == 1 then rewind() end
      if random(9) == 1 and pcall(h.entities.restore, h.entities, frames[#frames].snapshot) then
        forget_levels(frames[#frames])
      end
    end
    valid(h.world)
    valid(h.shadow)
  end

  local function begin(most)
    random = new_random(seed + most)
    h, frames, step, other = history.new(), {}, seed % 1000, nil
    keep = random(most)
    recorder = cuttle.recorder(h.entities, { keep = keep })
  end

  it("agrees with snapshots of all frames", function()
    for round = 1, rounds(12, 1) do
      begin(30 + round)
      play(60)
    end
  end)

  it("agrees with them if worlds are made and destroyed between frames", function()
    for round = 1, rounds(8, 1) do
      begin(12 + round)
      play(60, true)
    end
  end)
end)
