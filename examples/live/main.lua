-- A street that follows its file: a cat walks, and each saved change of the file appears in the running game, while the
-- cat keeps its position.
--
-- usage: luajit examples/live/main.lua [--inspect] [LEVEL] [STEPS]
-- With --inspect it prints an address, at which a browser shows the street and can change it.

package.path = (arg[0]:match "^(.*)/" or ".") .. "/?.lua;" .. package.path
io.stdout:setvbuf "line" -- a reader of a pipe gets each line at once
local cuttle = require "cuttle"
local watch = require "watch"

local has_socket, socket = pcall(require, "socket")

local inspects = arg[1] == "--inspect"
if inspects then table.remove(arg, 1) end

local entities = cuttle.entity_manager()
local world = cuttle.world(entities)
world:define("glow", { { "strength", "float", 1 } })
world:define("walk", { { "x", "float" }, { "y", "float" } })

local watched = watch.new(world, cuttle.compiler(world))
local path = arg[1] or (arg[0]:match "^(.*)/" or ".") .. "/street.json"
local level = assert(watched:spawn(path))
local steps = tonumber(arg[2]) or math.huge
print(("%s: %d entities; edit and save it"):format(path, level:count()))

-- Starts the inspector; each frame also calls its poll. The recorder is for looking back. Port 0 is any free port: the
-- address is printed.
local recorder = inspects and cuttle.recorder(entities, { keep = 600 })
local inspector = inspects and assert(require("cuttle.inspector").listen(entities, { port = 0, recorder = recorder,
  reload = function() return watched:read(path) end }))
if inspector then print(inspector:url()) end

local step = 0
while step < steps do
  step = step + 1
  for e, walk, place in world:join("walk", "transform") do
    local x, y, z = world.transform:local_position(place)
    world.transform:set_local_position(e, x + world.walk:x(walk), y + world.walk:y(walk), z)
  end
  for _, change in ipairs(watched:poll()) do print(watch.describe(change)) end
  world:gc()
  if inspector then
    recorder:frame()
    inspector:poll()
  end
  if has_socket and steps == math.huge then socket.sleep(0.05) end
end

local cat = level:find "cat"
print(("after %d steps there are %d entities"):format(step, entities:count())
  .. (cat and (", the cat is at x = %g"):format((world.transform:local_position(cat))) or ""))
assert(world:validate())
