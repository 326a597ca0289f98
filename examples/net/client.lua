-- The client: shows what the server sent, between two frames, and its own ship without delay.
--
-- usage: luajit examples/net/client.lua [--seconds 10] [--loss 0.1] [--delay 0.05] [--server ADDRESS:PORT] ...
-- Without --server it starts examples/net/server.lua itself.

local folder = arg[0]:match "^(.*)/" or "."
io.stdout:setvbuf "line"
package.path = folder .. "/?.lua;" .. package.path
local cuttle = require "cuttle"
local game = require "game"
local options = require("options").read(arg)
local view = require "view"
local wire = require("wire").open(0, options, options.seed + 2)

-- The server --------------------------------------------------------------------------------------------------------

-- Starts the server with the same options, and returns its output. Its first line is the port.
local function start_server()
  local interpreter = 0
  while arg[interpreter - 1] do interpreter = interpreter - 1 end
  local numbers = require("options").to_text(options, { "things", "loss", "duplicates", "delay", "jitter", "limit",
    "seed" })
  return assert(io.popen(("%s %s/server.lua %s"):format(table.concat(arg, " ", interpreter, -1), folder, numbers)))
end

local server, address, port = nil, options.server:match "^(.*):(%d+)$"
if not address then
  server = start_server()
  address, port = "127.0.0.1", assert(server:read "*l", "the server did not start")
end
port = tonumber(port)

-- The world ---------------------------------------------------------------------------------------------------------

local world = game.new_world()
local subscriber = cuttle.subscriber(world)
local seen = require("seen").new(world)
local at, own = 0, nil -- the frame of the world, and the own ship
local counts = { applied = 0, refused = 0, corrections = 0, off = 0 }

-- Inputs that the received state does not contain yet, from the number `first` on.
local inputs, first = {}, 1

-- Where the own ship was shown last.
local shown_x, shown_y

local function steer(input)
  game.steer(world, own, input)
  shown_x, shown_y = world.transform:local_position(own)
end

-- Predicts the own ship: from the received state, with all later inputs again. Counts predictions that differ from the
-- one before, unless the ship is new.
local function predict(is_new)
  local x, y = shown_x, shown_y
  subscriber:put_back { own }
  while first <= world.ship:input(own) do
    table.remove(inputs, 1)
    first = first + 1
  end
  shown_x, shown_y = world.transform:local_position(own)
  for _, input in ipairs(inputs) do steer(input) end
  if is_new then return end
  local off = math.max(math.abs(shown_x - x), math.abs(shown_y - y))
  if off > 0.1 then counts.corrections = counts.corrections + 1 end
  counts.off = math.max(counts.off, off)
end

-- A packet is "FRAME SHIP SUM COUNT", a line break and a message. COUNT is 0 until the end. Returns whether both sides
-- are equal, if the server sent its sum.
local function read(packet)
  local ship, sum, count, message = packet:match "^%d+ (%d+) (%d+) (%d+)\n(.*)$"
  if not ship then return end
  local newest, problem = subscriber:apply(message)
  if not newest then
    counts.refused, counts.problem = counts.refused + 1, problem
    return
  end
  if newest == at then return end
  at, counts.applied = newest, counts.applied + 1
  world:gc()
  local before = own
  own = subscriber:entity(tonumber(ship))
  seen:record(at)
  if own then predict(own ~= before) end
  if tonumber(count) == 0 then return end
  subscriber:put_back()
  local own_sum, own_count = game.sum(world, function(e) return subscriber:id(e) end)
  return own_sum == tonumber(sum) and own_count == tonumber(count), own_count
end

-- The player --------------------------------------------------------------------------------------------------------

-- A pilot of few ideas: circles to the left, then to the right.
local function pilot(tick)
  if tick % 3 == 0 then return "t" end
  if tick % 7 == 0 then return tick % 600 < 300 and "l" or "r" end
  return "-"
end

local function show()
  if not own then return print "the ship has not arrived" end
  local x, y = world.transform:local_position(own)
  print(view.map(x, y, world.ship:heading(own), seen:places(own)))
  local target = world.ship:target(own)
  print(("frame %d: %d things known; melted %d%s; %d inputs ahead of the server"):format(at, world.thing:count(),
    world.ship:melted(own), target and (", now a rock with hp %d"):format(world.thing:hp(target)) or "", #inputs))
end

local function send_inputs()
  wire:send(("in %d %d %s"):format(at, first, table.concat(inputs)), address, port)
end

-- The program -------------------------------------------------------------------------------------------------------

local started, tick = wire.now(), 0

-- Runs one frame. Returns the result of `read` for a packet with a sum.
local function run_frame(playing)
  local equal, count
  for packet in wire:packets() do
    local result, number = read(packet)
    if result ~= nil then equal, count = result, number end
  end
  tick = tick + 1
  if playing and #inputs < 200 then
    inputs[#inputs + 1] = pilot(tick)
    if own then steer(inputs[#inputs]) end
  end
  seen:advance()
  if tick % 2 == 0 then
    if playing then send_inputs() else wire:send(("end %d"):format(at), address, port) end
  end
  wire:wait(started + tick / game.RATE)
  return equal, count
end

local ticks = math.floor(options.seconds * game.RATE)
for number = 1, ticks do
  run_frame(true)
  if options.pictures > 0 and number % math.ceil(ticks / options.pictures) == 0 then show() end
end

local equal, count
local last = tick + 60 * game.RATE
repeat equal, count = run_frame(false) until equal ~= nil or tick == last
for _ = 1, 20 do
  wire:send("bye", address, port)
  wire:wait(wire.now() + 0.01)
end
wire:wait(wire.now() + options.delay + options.jitter)

print(("client: %d messages applied, %d refused%s; prediction: %d corrections, at most %.3f"):format(counts.applied,
  counts.refused, counts.problem and " (" .. counts.problem .. ")" or "", counts.corrections, counts.off))
if server then
  print(server:read "*l" or "the server ended without a report")
  server:close()
end
if equal == nil then error "the server did not send its sum" end
print(equal and ("both sides are equal: %d things"):format(count) or "the sides differ")
os.exit(equal and 0 or 1)
