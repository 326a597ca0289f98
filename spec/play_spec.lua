-- Random runs over the whole API, compared with a naive model (spec/support/play).
--
-- CUTTLE_PLAY       how many runs; a few unless set
-- CUTTLE_PLAY_LOG   a file that every action is written to before it is played, for what ends the interpreter

-- tags: ffi

local play = require "spec.support.play"
local rounds = require "spec.support.rounds"
local seed = require "spec.support.seed"

local RUNS = tonumber(os.getenv "CUTTLE_PLAY") or rounds(6, 3)
local STEPS = 150
local MINIMUMS = { 0, 3, 1024 }

describe("random play of the whole API, seed " .. seed .. ",", function()
  for i, minimum in ipairs(MINIMUMS) do
    local name = ("agrees with a naive model, and repeats exactly, with %d minimum_free_indices"):format(minimum)
    it(name, function()
      for run = i, RUNS, #MINIMUMS do
        local options = { seed = seed + run, steps = STEPS, minimum = minimum, log = os.getenv "CUTTLE_PLAY_LOG" }
        local list, hashes = play.random(options)
        assert.are.same(hashes, play.replay(list, { minimum = minimum, quick = true }))
      end
    end)
  end
end)
