--- Milliseconds of processor time by name.
-- Must not depend on the game.

local stopwatch = {}
stopwatch.__index = stopwatch

function stopwatch.new()
  return setmetatable({ ms = {} }, stopwatch)
end

local function note(watch, name, start, ...)
  watch.ms[name] = (os.clock() - start) * 1000
  return ...
end

--- Calls `fn(...)` and returns its results. Collects earlier garbage first, so that it does not count.
function stopwatch:time(name, fn, ...)
  collectgarbage()
  return note(self, name, os.clock(), fn(...))
end

return stopwatch
