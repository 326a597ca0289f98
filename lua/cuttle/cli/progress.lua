--- A line on a terminal that tells how far long work is: `compile 12/300 levels/harbour.json: decoding 37 %`.
-- Knows nothing of the work.
-- @module cuttle.cli.progress

local PATIENCE, REDRAW, WIDTH = 1, 0.1, 79

local progress = {}

local Progress = {}
Progress.__index = Progress

-- What fits one line of a terminal; of a long name its end.
local function fitted(head, name, tail)
  name = name:gsub("%c", "?")
  local room = WIDTH - #head - #tail
  if #name > room then name = "..." .. name:sub(-(room - 3)):gsub("^[\128-\191]+", "") end
  return head .. name .. tail
end

-- What is done just now: with a count of the whole as a share of it, without one as a number of entities.
local function task_text(task, done, count)
  if not done then return ": " .. task end
  if not count then return string.format(": %s %d entities", task, done) end
  return string.format(": %s %d %%", task, count > 0 and math.floor(100 * done / count) or 100)
end

--- A line that is not shown yet, nor ever when the stream is no terminal. Asking that starts a process, so it is only
-- asked after the first second.
-- @tparam table streams `errors`, `is_terminal` and `clock`
function progress.new(streams)
  return setmetatable({ streams = streams, started = streams.clock(), drawn = 0, width = 0 }, Progress)
end

-- Draws the line when it is time to.
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

--- Tells which of how many things is next.
function Progress:show(verb, number, count, name)
  self.head, self.name = string.format("%s %d/%d ", verb, number, count), name
  self:draw()
end

--- Tells what is done to it just now, and how far that is: `done` of `count`, or so many entities. Cheap enough to be
-- called every thousand entities.
function Progress:tell(task, done, count)
  if self.head then self:draw(task, done, count) end
end

--- Takes the line away, before something else is printed and at the end.
function Progress:clear()
  if self.width == 0 then return end
  self.streams.errors:write("\r", (" "):rep(self.width), "\r")
  self.streams.errors:flush()
  self.width = 0
end

return progress
