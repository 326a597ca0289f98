--- Milliseconds of processor time by name.
-- Knows nothing of what is measured.

local stopwatch = {}
stopwatch.__index = stopwatch

function stopwatch.new()
  return setmetatable({ ms = {} }, stopwatch)
end

local function note(watch, name, start, ...)
  watch.ms[name] = (os.clock() - start) * 1000
  return ...
end

--- Calls `fn(...)` and returns its results. What was thrown away before is collected first, so that nobody else pays.
function stopwatch:time(name, fn, ...)
  collectgarbage()
  return note(self, name, os.clock(), fn(...))
end

return stopwatch
