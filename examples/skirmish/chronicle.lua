--- What happened, in sentences, and which of them are worth reading.
-- Knows nothing of the game: it is told.

local chronicle = {}
chronicle.__index = chronicle

function chronicle.new()
  return setmetatable({ events = {}, count = 0 }, chronicle)
end

--- Notes an event; a larger weight is more worth telling.
function chronicle:tell(time, weight, text, ...)
  self.count = self.count + 1
  self.events[self.count] = { time = time, weight = weight, order = self.count, text = text:format(...) }
end

--- Forgets all but the first `count` events.
function chronicle:forget(count)
  for index = self.count, count + 1, -1 do self.events[index] = nil end
  self.count = count
end

--- The `most` weightiest events, in the order in which they happened, and how many are left out.
function chronicle:highlights(most)
  local chosen = {}
  for index, event in ipairs(self.events) do chosen[index] = event end
  table.sort(chosen, function(a, b)
    if a.weight ~= b.weight then return a.weight > b.weight end
    return a.order < b.order
  end)
  for index = #chosen, most + 1, -1 do chosen[index] = nil end
  table.sort(chosen, function(a, b) return a.order < b.order end)
  return chosen, self.count - #chosen
end

return chronicle
