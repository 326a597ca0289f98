-- Hashes of a thousand recorded steps, replayed with restores and rewinds: spec/level/history.txt holds the same values
-- for every host, interpreter and build. After an intended change of behaviour, record them again, on any host, with
--
--     LUA_PATH='./?.lua;lua/?.lua;lua/?/init.lua;;' LUA_CPATH='build/?.so;;' luajit \
--       -e 'require("spec.support.history").record(1000)'

local cuttle = require "cuttle"
local history = require "spec.support.history"
local valid = require "spec.support.valid"

local STEPS = 1000

describe("the recorded history", function()
  local hashes = history.hashes()

  -- Starts a new history; to(step) plays up to a step, gone_to(step) records that it was taken back to a step.
  local function begin()
    local h, now, levels = history.new(), 0, {}
    local function check()
      local hash = h.entities:hash()
      if hash ~= hashes[now] then error(("step %d: %s, not %s"):format(now, hash, hashes[now]), 3) end
    end
    function h.to(step, played)
      while now < step do
        now = now + 1
        h.play(now)
        levels[now] = #h.levels
        check()
        if played then played() end
      end
    end
    function h.gone_to(step)
      now = step
      for i = #h.levels, levels[now] + 1, -1 do h.levels[i] = nil end
      check()
    end
    function h.now() return now end
    function h.check()
      valid(h.world)
      valid(h.shadow)
    end
    return h
  end

  it("has as many hashes as there are steps", function()
    assert.are.equal(STEPS, #hashes)
  end)

  it("repeats the recorded hashes, also after each restore", function()
    local h, snapshot = begin(), nil
    for step = 20, STEPS - 40, 70 do
      h.to(step)
      snapshot = h.entities:snapshot(snapshot)
      h.to(step + 40)
      assert.is_true(h.entities:restore(snapshot))
      h.gone_to(step)
      h.check()
    end
    h.to(STEPS)
    h.check()
  end)

  it("repeats the recorded hashes, also after each rewind", function()
    local h = begin()
    local recorder = cuttle.recorder(h.entities, { every = 4, keep = 8 })
    local function played() recorder:frame() end
    for i = 1, 8 do
      h.to(40 * i, played)
      h.gone_to(h.now() - recorder:rewind(i * 5))
      h.check()
    end
    h.to(360, played)
  end)

  it("has the same hash in another EntityManager that restores its snapshot", function()
    local h, other = begin(), begin()
    h.to(150)
    local snapshot = h.entities:snapshot()
    other.to(60)
    other.entities:restore(snapshot)
    assert.are.equal(hashes[150], other.entities:hash())
    other.check()
  end)
end)
