--- Progress line on a terminal: `compile 12/300 levels/harbour.json: decoding 37 %`.
-- Does not depend on the tasks.
-- @module cuttle.cli.progress

local PATIENCE, REDRAW, WIDTH = 1, 0.1, 79

local progress = {}

local Progress = {}
Progress.__index = Progress

-- Fits the line into the width of the terminal. The beginning of a long name is cut off.
local function fitted(head, name, tail)
  name = name:gsub("%c", "?")
  local room = WIDTH - #head - #tail
  if #name > room then name = "..." .. name:sub(-(room - 3)):gsub("^[\128-\191]+", "") end
  return head .. name .. tail
end

-- The progress of a task: a percentage if the total is known, else a number of entities.
local function task_text(task, done, count)
  if not done then return ": " .. task end
  if not count then return string.format(": %s %d entities", task, done) end
  return string.format(": %s %d %%", task, count > 0 and math.floor(100 * done / count) or 100)
end

--- Makes a line that is not shown yet. It is never shown if the stream is not a terminal; this is checked only after
-- the first second, because the check starts a process.
-- @tparam table streams `errors`, `is_terminal` and `clock`
function progress.new(streams)
  return setmetatable({ streams = streams, started = streams.clock(), drawn = 0, width = 0 }, Progress)
end

-- Draws the line, at most every REDRAW seconds.
function Progress:draw(task, done, count)
  local now = self.streams.clock()
  if self.silent or now - self.started < PATIENCE or now - self.drawn < REDRAW then return end
  if self.visible == nil then
    self.visible = self.streams.is_terminal()
    self.silent = not self.visible
    if self.silent then return end
  end
  self:clear()
  local line = fitted(self.head, self.name, task and task_text(task, done, count) or "")
  self.streams.errors:write("\r", line)
  self.streams.errors:flush()
  self.drawn, self.width = now, #line
end

--- Sets the current item: number `number` of `count`.
function Progress:show(verb, number, count, name)
  self.head, self.name = string.format("%s %d/%d ", verb, number, count), name
  self:draw()
end

--- Reports the progress of the current item: `done` of `count`, or `done` entities. Cheap enough to be called every
-- thousand entities.
function Progress:report(task, done, count)
  if self.head then self:draw(task, done, count) end
end

--- Erases the line, before other output and at the end.
function Progress:clear()
  if self.width == 0 then return end
  self.streams.errors:write("\r", (" "):rep(self.width), "\r")
  self.streams.errors:flush()
  self.width = 0
end

return progress
