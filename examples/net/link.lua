-- A simulated link of one direction: packets are lost, doubled, delayed and reordered at random. Times are numbers of
-- the caller: frames or seconds. The caller supplies the random numbers, so a run can be repeated.

local link = {}
link.__index = link

-- Makes a link. `random()` returns a number from 0 to 1 (without 1). Options: `loss` and `duplicates` are shares from 0
-- to 1; each packet is delayed by `delay` and, at random, up to `jitter`. Packets overtake each other by their jitter.
function link.new(random, options)
  return setmetatable({ random = random, loss = options.loss or 0, duplicates = options.duplicates or 0,
    delay = options.delay or 0, jitter = options.jitter or 0, waiting = {}, sent = 0, lost = 0 }, link)
end

function link:send(now, packet)
  self.sent = self.sent + 1
  for _ = 1, self.random() < self.duplicates and 2 or 1 do
    if self.random() < self.loss then
      self.lost = self.lost + 1
    else
      local at, place = now + self.delay + self.jitter * self.random(), #self.waiting + 1
      while place > 1 and self.waiting[place - 1].at > at do place = place - 1 end
      table.insert(self.waiting, place, { at = at, packet = packet })
    end
  end
end

local function next_packet(self)
  local first = self.waiting[1]
  if first and first.at <= self.now then return table.remove(self.waiting, 1).packet end
end

-- Iterates the packets that have arrived at a time, in the order of their arrival.
function link:arrived(now)
  self.now = now
  return next_packet, self
end

return link
