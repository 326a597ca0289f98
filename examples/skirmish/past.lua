--- Goes back in time. A recorder brings the world back; what the game keeps outside the world is kept beside it.
-- Knows nothing of what a step does.

local cuttle = require "cuttle"

local past = {}
past.__index = past

-- A snapshot a second, for ten seconds.
local EVERY, KEEP = 60, 11

--- @tparam table game before its first step
function past.new(game)
  local self = setmetatable({ game = game, recorder = cuttle.recorder(game.entities, { every = EVERY, keep = KEEP }),
    kept = {} }, past)
  self:record()
  return self
end

-- One level deep: that is how deep the tables of the game are that change.
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

--- Notes how things stand after a step.
function past:record()
  local game = self.game
  self.recorder:frame()
  if game.steps % EVERY > 0 then return end
  self.kept[game.steps] = { steps = game.steps, time = game.time, seed = game.random.state, peak = game.peak,
    winner = game.winner, tally = copy(game.tally), blasts = copy(game.blasts),
    -- Of lists that only grow their lengths will do.
    events = game.chronicle.count, graves = #game.graves, levels = #game.levels }
end

-- Into the table that is there: systems hold it.
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

--- Goes back by `steps`, or to the nearest second before, or as far as there is.
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
  -- Ships that have not come yet: their levels are empty after the restore.
  shorten(game.levels, kept.levels)
  return gone
end

return past
