-- A street that goes on while somebody edits its file: a cat walks, and what is saved meanwhile comes to the game, with
-- the cat where it has walked to.
--
-- usage: luajit examples/live/main.lua [LEVEL] [STEPS]

package.path = (arg[0]:match "^(.*)/" or ".") .. "/?.lua;" .. package.path
local cuttle = require "cuttle"
local watch = require "watch"

local has_socket, socket = pcall(require, "socket")

local entities = cuttle.entity_manager()
local world = cuttle.world(entities)
world:define("glow", { { "strength", "float", 1 } })
world:define("walk", { { "x", "float" }, { "y", "float" } })

local watched = watch.new(world, cuttle.compiler(world))
local path = arg[1] or (arg[0]:match "^(.*)/" or ".") .. "/street.json"
local level = assert(watched:spawn(path))
local steps = tonumber(arg[2]) or math.huge
print(("%s: %d entities; save it, and see"):format(path, level:count()))

local step = 0
while step < steps do
  step = step + 1
  for e, walk, place in world:join("walk", "transform") do
    local x, y, z = world.transform:local_position(place)
    world.transform:set_local_position(e, x + world.walk:x(walk), y + world.walk:y(walk), z)
  end
  for _, news in ipairs(watched:poll()) do print(watch.describe(news)) end
  world:gc()
  if has_socket and steps == math.huge then socket.sleep(0.1) end
end

local cat = level:find "cat"
print(("after %d steps there are %d entities"):format(step, entities:count())
  .. (cat and (", the cat is at x = %g"):format((world.transform:local_position(cat))) or ""))
assert(world:validate())
