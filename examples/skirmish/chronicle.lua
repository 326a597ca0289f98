--- The events of a game as sentences, with weights.
-- Must not depend on the game.

local chronicle = {}
chronicle.__index = chronicle

function chronicle.new()
  return setmetatable({ events = {}, count = 0 }, chronicle)
end

--- Records an event. Events with a larger weight are reported first.
function chronicle:record(time, weight, text, ...)
  self.count = self.count + 1
  self.events[self.count] = { time = time, weight = weight, order = self.count, text = text:format(...) }
end

--- Removes all events after the first `count`.
function chronicle:forget(count)
  for index = self.count, count + 1, -1 do self.events[index] = nil end
  self.count = count
end

--- Returns the `most` events with the largest weights, in order of time, and the number of the others.
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
