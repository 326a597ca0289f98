--- Going back in time. A recorder restores the world; data outside of the world is copied with each snapshot.
-- Must not depend on the content of a step.

local cuttle = require "cuttle"

local past = {}
past.__index = past

-- A snapshot per second, for ten seconds.
local EVERY, KEEP = 60, 11

--- @tparam table game before its first step
function past.new(game)
  local self = setmetatable({ game = game, recorder = cuttle.recorder(game.entities, { every = EVERY, keep = KEEP }),
    kept = {} }, past)
  self:record()
  return self
end

-- Copies one level of a table, which is the depth of the game's tables that change.
local function copy(from)
  local to = {}
  for key, value in pairs(from) do
    if type(value) == "table" then
      to[key] = {}
      for inner, number in pairs(value) do to[key][inner] = number end
    else
      to[key] = value
    end
  end
  return to
end

--- Records the state after a step.
function past:record()
  local game = self.game
  self.recorder:frame()
  if game.steps % EVERY > 0 then return end
  self.kept[game.steps] = { steps = game.steps, time = game.time, seed = game.random.state, peak = game.peak,
    winner = game.winner, tally = copy(game.tally), blasts = copy(game.blasts),
    -- For lists that only grow, the length is sufficient.
    events = game.chronicle.count, graves = #game.graves, levels = #game.levels }
end

-- Copies into the existing table, because systems hold it as an upvalue.
local function put_back(into, from)
  for key in pairs(into) do
    if from[key] == nil then into[key] = nil end
  end
  for key, value in pairs(from) do
    if type(value) == "table" and into[key] then
      put_back(into[key], value)
    else
      into[key] = type(value) == "table" and copy(value) or value
    end
  end
end

local function shorten(list, count)
  for index = #list, count + 1, -1 do list[index] = nil end
end

--- Goes back by `steps`, or to the nearest second before, or to the oldest snapshot.
-- @treturn number steps gone back
function past:back(steps)
  local game = self.game
  local gone = self.recorder:rewind(steps)
  local kept = self.kept[game.steps - gone]
  game.steps, game.time, game.random.state, game.peak, game.winner = kept.steps, kept.time, kept.seed, kept.peak,
    kept.winner
  put_back(game.tally, kept.tally)
  put_back(game.blasts, kept.blasts)
  game.chronicle:forget(kept.events)
  shorten(game.graves, kept.graves)
  -- Drops the levels of ships that do not exist yet; they are empty after the restore.
  shorten(game.levels, kept.levels)
  return gone
end

return past
