-- Ember Yard, a game about a tank in a yard full of mites: LÖVE's callbacks for input, fixed steps and drawing.
-- Run it with `make love`, or with `love examples/love` if cuttle is installed. `--demo` needs no player: see demo.lua.

local draw = require "draw"
local game = require "game"
local hud = require "hud"
local inspect = require "inspect"

local width, height = love.graphics.getDimensions()
local yard_height = height - hud.HEIGHT
local waiting, milliseconds, demo = 0, 0, nil
local input = { throttle = 0, turn = 0, x = 0, y = 0, fire = false, rewind = false }

function love.load(arguments)
  if arguments[1] == "--demo" then demo = require "demo".new(game, arguments) end
  game.start(demo and 1 or os.time())
  draw.prepare(width, yard_height)
  hud.prepare()
end

local function axis(less, more)
  return (love.keyboard.isDown(more) and 1 or 0) - (love.keyboard.isDown(less) and 1 or 0)
end

local function read_input()
  input.throttle, input.turn = axis("s", "w"), axis("a", "d")
  input.x, input.y = love.mouse.getPosition()
  input.fire, input.rewind = love.mouse.isDown(1), love.keyboard.isDown "r"
end

local function step()
  local began = love.timer.getTime()
  game.step(input)
  milliseconds = milliseconds * 0.95 + (love.timer.getTime() - began) * 1000 * 0.05
end

-- The game has steps of 1/60 s at any frame rate. On a machine that is too slow, the game slows down.
function love.update(dt)
  if demo then
    demo:play(input)
    return step()
  end
  read_input()
  inspect.poll()
  waiting = math.min(waiting + dt, 0.1)
  while waiting >= game.STEP do
    waiting = waiting - game.STEP
    step()
  end
end

function love.draw()
  draw.world(game.world, game.map, game.version)
  local state = game.state(milliseconds)
  hud.draw(state, width, yard_height)
  if input.rewind then
    hud.say("<< rewind", width, 24)
  elseif state.over then
    hud.say("Tab restarts, R rewinds", width, 24)
  elseif game.message_time > 0 then
    hud.say(game.message, width, 24)
  end
  if demo then demo:after_draw() end
end

local KEYS = { tab = game.restart, f5 = game.save, f9 = game.load, f1 = function() inspect.open(game) end,
  escape = function() love.event.quit() end }

function love.keypressed(key)
  if KEYS[key] then KEYS[key]() end
end
