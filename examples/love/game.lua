-- One match: its world, the order of a step, rewinding, saving and loading.
-- Shows: fixed steps, deferred transforms, a recorder, saves in LÖVE's save directory.

local arm = require "arm"
local bodies = require "bodies"
local bullets = require "bullets"
local components = require "components"
local cuttle = require "cuttle"
local level = require "level"
local mites = require "mites"
local sparks = require "sparks"
local tanks = require "tanks"
local walls = require "walls"

local game = { STEP = 1 / 60, SAVE = "match.save", message_time = 0 }

-- Creates the entity that represents the match, unless it exists. A restart destroys it.
local function match_of(world)
  local following, state, start = world.match:each()
  return following(state, start) or world:create { match = { random = game.random:getState() } }
end

-- Makes the bodies and the picture of the walls again if the walls have changed.
local function refresh_walls()
  local version = game.world.match:walls(match_of(game.world))
  if version == game.version then return end
  game.map = walls.read(game.world)
  bodies.build_walls(game.bodies, game.map)
  game.version = version
end

function game.start(seed)
  game.random = love.math.newRandomGenerator(seed)
  game.entities = cuttle.entity_manager()
  game.world = cuttle.world(game.entities, { name = "yard", seed = seed })
  components.define(game.world)
  walls.define(game.world)
  arm.define(game.world)
  sparks.define(game.world)
  game.bodies = bodies.new(game.world)
  tanks.prepare(game.world, game.random)
  arm.prepare(game.world)
  bullets.prepare(game.world)
  mites.prepare(game.world)
  game.world.transform:set_mode "deferred"
  level.spawn(game.world)
  game.world.transform:propagate()
  match_of(game.world)
  walls.count_change(game.world)
  refresh_walls()
  -- Every second frame for ten seconds.
  game.recorder = cuttle.recorder(game.entities, { every = 2, keep = 300 })
  game.entities:on_restore(function()
    sparks.forget()
    tanks.exploded = {}
    game.random:setState(game.world.match:random(match_of(game.world)))
    refresh_walls()
  end)
end

function game.say(text)
  game.message, game.message_time = text, 1.5
end

local function play(world, input, dt)
  local match, random = match_of(world), game.random
  local step = world.match:step(match) + 1
  local x, y = tanks.step(world, game.map, input, dt)
  bodies.step(game.bodies, world, dt)
  mites.hatch(world, random, dt)
  mites.steer(world, game.map, x, y, step * dt, dt)
  world:add_scaled("velocity", "value", "transform", "local_position", dt)
  arm.step(world, step * dt)
  world.transform:propagate()
  mites.spread(world, dt)
  local score = bullets.step(world, game.map, random, dt)
  mites.bite(world, random, tanks.player(world))
  sparks.glow(world, random)
  sparks.step(world, dt)
  world:gc()
  refresh_walls()
  world.match:set(match, { step = step, score = world.match:score(match) + score, random = random:getState() })
end

-- Computes one step of 1/60 s, or goes back if the input has `rewind`.
function game.step(input)
  game.message_time = game.message_time - game.STEP
  if input.rewind then
    game.recorder:rewind(2)
  else
    play(game.world, input, game.STEP)
    game.recorder:frame()
  end
  local message = level.follow(game.world)
  if message then
    refresh_walls()
    game.say(message)
  end
end

function game.restart()
  level.restart(game.world)
  tanks.exploded = {} -- the old tanks were removed, but not shot
  game.world.transform:propagate()
  match_of(game.world)
  walls.count_change(game.world)
  refresh_walls()
  game.say "restarted"
end

function game.save()
  local written, trouble = love.filesystem.write(game.SAVE, game.entities:snapshot():tostring())
  game.say(written and "saved" or "not saved: " .. trouble)
end

function game.load()
  local text = love.filesystem.read(game.SAVE)
  if not text then return game.say "no save found" end
  local snapshot, message = cuttle.snapshot(text)
  if not snapshot then return game.say("not loaded: " .. message) end
  local done, trouble = game.entities:restore(snapshot)
  if done then level.find_again(game.world) end
  game.say(done and "loaded" or "not loaded: " .. trouble)
end

-- Returns the content of the bar.
function game.state(milliseconds)
  local world, player, match = game.world, tanks.player(game.world), match_of(game.world)
  return { step = world.match:step(match), score = world.match:score(match), past = game.recorder:count() / 300,
    hp = player and world.hull:hp(player) / 30 or 0, over = player == nil,
    objects = game.entities:count(), milliseconds = milliseconds }
end

return game
