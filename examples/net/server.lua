-- The server: 2,000 things of which some move, and a ship for each client. A client receives what is near its ship.
--
-- usage: luajit examples/net/server.lua [--port 7000] [--things 2000] [--loss 0.1] [--delay 0.05] ...
-- The first line of its output is the port. It ends when its last client has left.

package.path = (arg[0]:match "^(.*)/" or ".") .. "/?.lua;" .. package.path
local cuttle = require "cuttle"
local game = require "game"
local options = require("options").read(arg)
local wire = require("wire").open(options.port, options, options.seed + 1)

io.stdout:setvbuf "line" -- the client reads each line at once
print(wire.port)

local REACH = 45 -- a client sees as far
local MOST_INPUTS = 4 -- inputs of one client in one frame, after some were late
local SILENCE = 20 -- seconds after which a client has left

-- The world ---------------------------------------------------------------------------------------------------------

local world = game.new_world()
local entities, transform = world.entities, world.transform
world:define("drift", { { "v", "vec2" }, { "turn", "float" } }) -- only the server has this
transform:set_mode "deferred"
world:randomseed(options.seed)

local function somewhere() return (world:random() - 0.5) * game.SIZE end

local function new_rock()
  local e = world:create { transform = { position = { somewhere(), somewhere() } }, thing = { kind = "rock" } }
  if world:random(8) == 1 then
    world.drift:create(e, { v = { (world:random() - 0.5) / 4, (world:random() - 0.5) / 4 } })
  end
end

-- A freighter with four pods, which are its children and turn with it.
local function new_freighter()
  local hull = world:create { transform = { position = { somewhere(), somewhere() } }, thing = { kind = "freighter" },
    drift = { v = { 0.1, 0.05 }, turn = 0.01 } }
  for side = 0, 3 do
    world:create { transform = { position = { 3 - 6 * (side % 2), 3 - 3 * (side - side % 2) }, parent = hull },
      thing = { kind = "pod" } }
  end
end

for _ = 1, math.floor(options.things / 100) do new_freighter() end
while entities:count() < options.things do new_rock() end

local fly = world:formula([[
  transform.local_position.xy += drift.v
  transform.local_angle += drift.turn
  if abs(transform.local_position.x) > border then
    drift.v.x = abs(drift.v.x) * -sign(transform.local_position.x)
  end
  if abs(transform.local_position.y) > border then
    drift.v.y = abs(drift.v.y) * -sign(transform.local_position.y)
  end
]], { border = game.SIZE / 2 })

-- Rocks and ships near a point. The index is of everything, because clients see everything.
local around = world:query("thing", "transform"):space { cell = REACH }

-- Clients -----------------------------------------------------------------------------------------------------------

local publisher = cuttle.publisher(world, { components = game.COMPONENTS, steps = game.STEPS })
local clients, client_of = {}, {} -- a list, and address:port -> client

local function new_client(key, address, port)
  local ship = world:create { thing = { kind = "ship", hp = 100 }, ship = {},
    transform = { position = { 10 * world:random(9) - 50, 0 } } }
  local client = { key = key, address = address, port = port, ship = ship, peer = publisher:peer(), inputs = {},
    done = 0, list = cuttle.list(), active = wire.now() }
  clients[#clients + 1], client_of[key] = client, client
end

-- Packets of a client are "in ACKNOWLEDGED FIRST INPUTS", "end ACKNOWLEDGED" and "bye". Inputs are letters with the
-- numbers FIRST, FIRST + 1 ...; each one is sent until its effect was received, so most have arrived before.
local function read(client, packet)
  client.active = packet == "bye" and -math.huge or math.max(client.active, wire.now())
  local acknowledged, first, inputs = packet:match "^in (%d+) (%d+) ([lrt-]*)$"
  if inputs then
    for place = 1, #inputs do
      local number = tonumber(first) + place - 1
      if number > client.done and number <= client.done + 1000 then client.inputs[number] = inputs:sub(place, place) end
    end
  else
    acknowledged = packet:match "^end (%d+)$"
    if acknowledged then client.leaves = true end
  end
  if acknowledged then client.peer:acknowledge(tonumber(acknowledged)) end
end

local function read_packets()
  for packet, address, port in wire:packets() do
    local key = address .. ":" .. port
    if not client_of[key] and packet:find "^in " then new_client(key, address, port) end
    if client_of[key] then read(client_of[key], packet) end
  end
end

local function forget_clients()
  for place = #clients, 1, -1 do
    local client = clients[place]
    if wire.now() - client.active > SILENCE then
      entities:destroy(client.ship)
      client_of[client.key] = nil
      table.remove(clients, place)
    end
  end
end

-- Sends a client what is near its ship; or everything, and the sum of it, when it is about to leave.
local function send(client, frame)
  local list
  if not client.leaves then
    local x, y = transform:local_position(client.ship)
    list = around:within(x, y, REACH, client.list)
  end
  local message = client.peer:message(list, client.leaves and 16 * options.limit or options.limit)
  local sum, count = 0, 0
  if client.leaves and client.peer:waiting() == 0 then sum, count = game.sum(world, cuttle.entity_id) end
  wire:send(("%d %d %d %d\n"):format(frame, cuttle.entity_id(client.ship), sum, count) .. message, client.address,
    client.port)
end

-- A frame -----------------------------------------------------------------------------------------------------------

-- A laser melts the nearest rock. Each melted rock makes room for a new one.
local function melt(client)
  local ship = world.ship
  local x, y = transform:local_position(client.ship)
  local target = ship:target(client.ship)
  if not target or not entities:alive(target) or world:random(20) == 1 then
    target = nil
    for e in around:within(x, y, 15):each() do
      if entities:alive(e) and world.thing:kind(e) == "rock" then target = e end
    end
    ship:set_target(client.ship, target)
  end
  if not target then return end
  local hp = world.thing:hp(target) - 1
  if hp > 0 then return world.thing:set_hp(target, hp) end
  entities:destroy(target)
  ship:set_melted(client.ship, ship:melted(client.ship) + 1)
  new_rock()
end

local function steer(client)
  for _ = 1, MOST_INPUTS do
    local input = client.inputs[client.done + 1]
    if not input then return end
    client.done = client.done + 1
    client.inputs[client.done] = nil
    game.steer(world, client.ship, input)
  end
end

-- Nothing moves while a client leaves, so that even with a small limit a message without waiting entities is reached.
local function play(frame)
  local leaves = false
  for _, client in ipairs(clients) do leaves = leaves or client.leaves end
  if leaves then return end
  fly()
  for _, client in ipairs(clients) do
    steer(client)
    if frame % 10 == 0 then melt(client) end
  end
  world:gc()
end

local frame, started, time_of_publisher = 0, wire.now(), 0
local had_clients = false
repeat
  read_packets()
  forget_clients()
  play(frame)
  frame = frame + 1
  if frame % game.EVERY == 0 then
    transform:propagate()
    around:update()
    local begun = os.clock()
    local number = publisher:frame()
    for _, client in ipairs(clients) do send(client, number) end
    time_of_publisher = time_of_publisher + os.clock() - begun
  end
  wire:wait(started + frame / game.RATE)
  had_clients = had_clients or #clients > 0
  local alone = #clients == 0 and (had_clients or wire.now() - started > SILENCE)
until alone

print(("server: %d frames with %d things, %d packets of %.0f bytes, %.2f ms to record and write one"):format(frame,
  entities:count(), wire.sent, wire.bytes / math.max(wire.sent, 1), 1000 * time_of_publisher / math.max(wire.sent, 1)))
