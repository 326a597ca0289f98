--- Connection of a browser: reads requests, calls the server's answer function, and sends the replies, in small steps.
-- Does not depend on the requests.

local access = require "cuttle.inspector.access"
local http = require "cuttle.inspector.http"

local client = {}

-- The largest number of bytes that one step reads or sends.
local PIECE = 16384
-- Timeouts in seconds: for receiving a request or sending a reply, and for an idle connection.
local PATIENCE, IDLE = 10, 75

--- Makes the client of an accepted connection.
-- @param socket owned by the client from now on
-- @tparam table server `token`, `port`, `answer(request, body, pause)` and `failure(error)` -> status, content type,
-- list of strings
-- @tparam number now seconds
function client.new(socket, server, now)
  socket:settimeout(0)
  pcall(socket.setoption, socket, "tcp-nodelay", true)
  return { socket = socket, server = server, input = "", output = {}, at = 1, sent = 0, since = now, is_new = true }
end

local function reply(self, status, content_type, parts, keep)
  local length = 0
  for _, part in ipairs(parts) do length = length + #part end
  local output = { http.head(status, content_type, length, keep) }
  for _, part in ipairs(parts) do output[#output + 1] = part end
  self.output, self.at, self.sent, self.keep, self.job = output, 1, 0, keep, nil
end

-- Refuses a request without access. The reply is always the same and contains no information.
local function refuse(self)
  self.input = ""
  reply(self, 403, "text/plain", { "403\n" }, false)
end

-- Starts the job of a request: a coroutine, so that a long reply is made in several frames.
local function begin(self, request)
  local body = self.input:sub(request.body_at, request.body_at + request.length - 1)
  self.input = self.input:sub(request.body_at + request.length)
  self.keep, self.is_new = request.keep, false
  self.job = coroutine.create(self.server.answer)
  self.arguments = { request, body }
end

local function take_request(self)
  local request = http.parse(self.input)
  if request == nil then return false end
  if not request or not access.allows(request, self.server.token, self.server.port) then return true, refuse(self) end
  if request.length > http.MOST_BODY then
    self.input = ""
    return true, reply(self, 413, "text/plain", { "too large\n" }, false)
  end
  if #self.input < request.body_at + request.length - 1 then return false end
  begin(self, request)
  return true
end

-- Returns whether bytes were received. Further requests stay in the system's buffer.
local function read(self)
  if #self.input > http.MOST_HEAD + http.MOST_BODY then return false, refuse(self) end
  local bytes, trouble, part = self.socket:receive(PIECE)
  bytes = bytes or part or ""
  if bytes ~= "" then
    self.input = self.input .. bytes
    return true
  end
  if trouble ~= "timeout" then self.closed = true end
  return false
end

local function work(self, pause)
  local arguments = self.arguments
  local ok, status, content_type, parts
  if arguments then
    self.arguments = nil
    ok, status, content_type, parts = coroutine.resume(self.job, arguments[1], arguments[2], pause)
  else
    ok, status, content_type, parts = coroutine.resume(self.job)
  end
  if coroutine.status(self.job) == "suspended" then return end
  if not ok then status, content_type, parts = self.server.failure(status) end
  reply(self, status, content_type, parts, self.keep)
end

-- Returns whether bytes were sent.
local function send(self)
  local part = self.output[self.at]
  local last = math.min(self.sent + PIECE, #part)
  local to, trouble, partly = self.socket:send(part, self.sent + 1, last)
  to = to or partly or self.sent
  if trouble and trouble ~= "timeout" then self.closed = true end
  local moved = to > self.sent
  self.sent = to
  if self.sent >= #part then
    self.at, self.sent, moved = self.at + 1, 0, true
    if self.at > #self.output then
      self.output, self.at = {}, 1
      if not self.keep then self.closed = true end
    end
  end
  return moved
end

--- Does one small piece of work. Afterwards `closed` says whether the connection has ended.
-- @tparam function pause called by a job between pieces of work; yields when the time is up
-- @tparam number now seconds
-- @treturn boolean whether there may be more to do at once
function client.step(self, pause, now)
  local moved
  if self.job then
    work(self, pause)
    moved = true
  elseif self.output[self.at] then
    moved = send(self)
  else
    moved = take_request(self) or read(self)
  end
  if moved then self.since = now end
  -- The time limit applies to the whole request, so that sending it byte by byte cannot keep the connection.
  if moved and not self.job and #self.input > 0 and not self.output[self.at] then
    self.began = self.began or now
  else
    self.began = not self.job and #self.input > 0 and self.began or nil
  end
  local patience = (self.is_new or #self.input > 0 or self.output[self.at]) and PATIENCE or IDLE
  if now - self.since > patience or now < self.since - IDLE then self.closed = true end
  if self.began and now - self.began > PATIENCE then self.closed = true end
  return moved and not self.closed
end

--- Returns whether the connection is idle, so that it may be dropped.
function client.is_waiting(self) return not self.job and not self.output[self.at] end

function client.close(self)
  self.closed, self.job, self.output = true, nil, {}
  pcall(self.socket.close, self.socket)
end

return client
