-- Positions of things between two received frames. Messages arrive 20 times a second, and late; drawing is 60 times a
-- second. So things are shown a little in the past, at a moment between two frames that have arrived.

local game = require "game"

local seen = {}
seen.__index = seen

local BEHIND = 4 -- recorded frames of the server, 20 a second: how far in the past things are shown
local KEPT = 40

-- Makes the memory of positions of the things in a world.
function seen.new(world)
  return setmetatable({ things = world:query("thing", "transform"), world = world, frames = {} }, seen)
end

-- Remembers where all things are at a frame that was just applied.
function seen:record(number)
  local frame = { number = number, things = self.things:entities(), x = {}, y = {} }
  local positions = self.things:read "transform.world_position"
  for place, e in ipairs(frame.things) do
    frame.x[e], frame.y[e] = positions[3 * place - 2], positions[3 * place - 1]
  end
  table.insert(self.frames, frame)
  if #self.frames > KEPT then table.remove(self.frames, 1) end
end

-- Moves the shown moment forward by a frame of the program: about as fast as the server, a little faster or slower if
-- it is not `BEHIND` frames in the past.
function seen:advance()
  local newest = self.frames[#self.frames]
  if not newest then return end
  local wanted = newest.number - BEHIND
  local off = wanted - (self.moment or wanted)
  if math.abs(off) > BEHIND then self.moment = wanted else self.moment = (self.moment or wanted) + 1 / game.EVERY end
  self.moment = math.min(self.moment + off * 0.02, newest.number)
end

-- The frames around the shown moment, and the fraction of the way between them.
local function around(self)
  local frames = self.frames
  for place = #frames, 2, -1 do
    local before, after = frames[place - 1], frames[place]
    if before.number <= self.moment then
      return before, after, (self.moment - before.number) / (after.number - before.number)
    end
  end
  return frames[1], frames[1], 0
end

-- Returns x, y, kind of everything but one entity, flat.
function seen:places(own)
  local places = {}
  if #self.frames == 0 then return places end
  local before, after, share = around(self)
  for _, e in ipairs(after.things) do
    if e ~= own and self.world.thing:has(e) then
      local x, y = after.x[e], after.y[e]
      local from_x, from_y = before.x[e] or x, before.y[e] or y -- a new thing does not move
      places[#places + 1] = from_x + (x - from_x) * share
      places[#places + 1] = from_y + (y - from_y) * share
      places[#places + 1] = self.world.thing:kind(e)
    end
  end
  return places
end

return seen
