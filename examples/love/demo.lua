-- A demo without a player, the same each time: one fixed step per frame, a fixed seed, and all functions of the keys.
-- The specs run it, and `make love-picture` takes the picture of the manual from it.
--
-- usage: love examples/love --demo FRAMES [PICTURE]    writes PICTURE.png and PICTURE.rgba to the save directory

local level = require "level"
local mites = require "mites"
local tanks = require "tanks"
local walls = require "walls"

local demo = {}
local Demo = {}
Demo.__index = Demo

function demo.new(game, arguments)
  love.filesystem.remove(level.path) -- the file of an earlier run
  return setmetatable({ game = game, frame = 0, frames = tonumber(arguments[2]) or 300, picture = arguments[3],
    most = 0 }, Demo)
end

local function report(...) print("demo:", ...) end

-- Frame -> the action in this frame.
local SCRIPT = {}

SCRIPT[60] = function(self)
  self.game.save()
  self.saved = self.game.entities:hash()
end

SCRIPT[100] = function(self)
  self.game.load()
  report("load", self.game.entities:hash() == self.saved)
  self.game.restart()
  report("restart", self.game.entities:count() < 300)
end

-- Saves the level as an editor would, without one crate.
SCRIPT[150] = function()
  local text = love.filesystem.read(level.path)
  local start, stop = text:find('{\n[^{}]*"__identifier": "Crate".-"fieldInstances": %[%]\n[^\n]*},?\n')
  assert(start, "the level has no crate")
  love.filesystem.write(level.path, text:sub(1, start - 1) .. text:sub(stop + 1))
end

SCRIPT[151] = function(self) report("patch", self.game.message) end

SCRIPT[160] = function(self) self.rewound_from = self.game.state(0).step end

-- Goes back twenty times, two frames of the recorder each.
SCRIPT[181] = function(self)
  report("rewind", self.rewound_from - self.game.state(0).step == 40)
end

-- Moves the player in free directions, and aims at the nearest target.
function Demo:play(input)
  self.frame = self.frame + 1
  local script = SCRIPT[self.frame]
  if script then script(self) end
  local game, angle = self.game, self.frame / 25
  input.rewind = self.frame > 160 and self.frame <= 180
  local player = tanks.player(game.world)
  if not player then return end
  local x, y, heading = game.world.transform:pose_2d(player)
  local wall = walls.distance(game.map, x, y, x + 60 * math.cos(heading), y + 60 * math.sin(heading))
  input.throttle, input.turn = wall and 0.1 or 0.8, wall and 1 or math.sin(angle) * 0.4
  input.x, input.y, input.fire = x + 100 * math.cos(angle), y + 100 * math.sin(angle), true
  local mite = mites.nearest(x, y)
  if mite then input.x, input.y = game.world.transform:world_position(mite) end
end

local function smaller(image, scale)
  local canvas = love.graphics.newCanvas(image:getWidth() * scale, image:getHeight() * scale)
  love.graphics.setCanvas(canvas)
  love.graphics.setColor(1, 1, 1)
  love.graphics.draw(love.graphics.newImage(image), 0, 0, 0, scale)
  love.graphics.setCanvas()
  return canvas:newImageData()
end

-- Saves the window as bytes, and as a smaller picture.
local function take_picture(name)
  love.graphics.captureScreenshot(function(image)
    smaller(image, 0.75):encode("png", name .. ".png")
    love.filesystem.write(name .. ".rgba", image:getString())
    report("picture", image:getDimensions())
  end)
end

function Demo:after_draw()
  local world = self.game.world
  self.most = math.max(self.most, self.game.entities:count())
  if self.frame == self.frames - 1 and self.picture then take_picture(self.picture) end
  if self.frame < self.frames then return end
  for e in world:join("hull", "transform") do report(world.hull:side(e), world.transform:world_position(e)) end
  report("mites", world.mite:count())
  report("most", self.most)
  assert(world:validate())
  report("frames", self.frame)
  love.event.quit(0)
end

return demo
