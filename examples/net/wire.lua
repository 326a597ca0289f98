-- UDP on the loopback interface, with a simulated link between the program and the socket.

local link = require "link"
local socket = require "socket"

local wire = {}
wire.__index = wire

local MOST_BYTES = 65507 -- of a packet

-- Random numbers from 0 to 1 by Park and Miller, so that the loss of a run can be repeated.
local function random_from(seed)
  local state = seed % 2147483646 + 1
  return function()
    state = state * 16807 % 2147483647
    return (state - 1) / 2147483646
  end
end

-- Opens a socket at a port of 127.0.0.1; 0 is any free port. Packets that this program sends pass the link.
function wire.open(port, options, seed)
  local udp = assert(socket.udp())
  assert(udp:setsockname("127.0.0.1", port))
  udp:settimeout(0)
  local _, own_port = udp:getsockname()
  return setmetatable({ udp = udp, port = tonumber(own_port), link = link.new(random_from(seed), options), sent = 0,
    bytes = 0, now = socket.gettime }, wire)
end

-- Sends a packet to an address. The link may lose or delay it; `flush` sends what is due.
function wire:send(packet, address, port)
  self.sent, self.bytes = self.sent + 1, self.bytes + #packet
  self.link:send(self.now(), { packet, address, port })
end

function wire:flush()
  for item in self.link:arrived(self.now()) do self.udp:sendto(item[1], item[2], item[3]) end
end

local function receive(self) return self.udp:receivefrom(MOST_BYTES) end

-- Iterates the packets that arrived: packet, address, port.
function wire:packets() return receive, self end

-- Sends what is due, until a time.
function wire:wait(time)
  repeat
    self:flush()
    local left = time - self.now()
    if left > 0 then socket.sleep(math.min(left, 0.002)) end
  until left <= 0
end

return wire
