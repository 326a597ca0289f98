--- The inspector: a web page that shows the entities and components of a running game, and edits them.
-- Does not depend on the appearance of the page.
-- @module cuttle.inspector

local argument = require "cuttle.argument"
local json = require "cuttle.json"

local inspector = {}

local Inspector = {}
Inspector.__index = Inspector
Inspector.__metatable = "Inspector"
Inspector.__tostring = function(self) return self.server.listener and "Inspector" or "Inspector (closed)" end

-- A browser opens at most six connections.
local MOST_CLIENTS = 12
local NEW_CLIENTS = 4 -- accepted in one poll
-- Backlog of the listening socket. A browser that finds it full tries again after one second, then after two.
local MOST_WAITING = 512
local PERIODS = 16 -- calls of `pause` between two reads of the clock

local function check_recorder(recorder)
  if getmetatable(recorder) ~= "Recorder" then return "Recorder expected" end
end

local OPTIONS = argument.option_list { { "port", argument.integer(0, 65535) }, { "recorder", check_recorder },
  { "reload", "function" } }

-- Opens a socket that accepts only connections from this machine. Returns it and its port, or nil and a message.
local function open(socket, port)
  -- LuaSocket 3 returns an unopened object for tcp(), which does not accept options.
  local listener, trouble = (socket.tcp4 or socket.tcp)()
  if not listener then return nil, trouble end
  -- Otherwise closed connections block the port for a minute. Not on Windows, where two programs could share the port.
  if package.config:sub(1, 1) == "/" then listener:setoption("reuseaddr", true) end
  local ok
  ok, trouble = listener:bind("127.0.0.1", port)
  if ok then ok, trouble = listener:listen(MOST_WAITING) end
  if not ok then
    listener:close()
    return nil, ("port %d: %s"):format(port, tostring(trouble))
  end
  listener:settimeout(0)
  local _, own = listener:getsockname()
  return listener, tonumber(own)
end

--- Starts listening. `inspector:url()` is the address for a browser on this machine; call `inspector:poll()` once a
-- frame to serve it.
-- @param entities an EntityManager; all its worlds are shown
-- @tparam[opt] table options `port` (8070 by default; 0: any free port), `recorder` (the page can show its frames),
-- `reload` (function(level) -> Resource, or nil and a message: loads the current version of a level's file; by default
-- loads the path from which the level's resource was loaded)
-- @treturn[1] Inspector
-- @treturn[2] nil
-- @treturn[2] string an error message: luasocket is missing, or the port is in use
function inspector.listen(entities, options)
  argument.check_entities(entities, 1, "listen")
  options = argument.options(options, 2, "listen", OPTIONS)
  local found, socket = pcall(require, "socket")
  if not found then return nil, "the inspector needs luasocket (Debian: lua-socket): it is not installed" end
  local listener, port = open(socket, options.port or 8070)
  if not listener then return nil, port end
  local access, client, routes = require "cuttle.inspector.access", require "cuttle.inspector.client",
    require "cuttle.inspector.routes"
  local server = { entities = entities, recorder = options.recorder, reload = options.reload, listener = listener,
    port = port, clock = socket.gettime, token = access.new_token(socket.gettime), decode = json.decoder(),
    outlines = {}, serial = 0, rate = 0, pausable = false, paused = false, steps = 0, failure = routes.failure }
  function server.answer(request, body, pause) return routes.answer(server, request, body, pause) end
  return setmetatable({ server = server, client = client, clients = {}, turn = 0, polls = 0,
    counted = socket.gettime() }, Inspector)
end

local function check_self(self, name)
  if type(self) ~= "table" or getmetatable(self) ~= "Inspector" then argument.raise_self(self, "Inspector", name) end
end

--- Returns the address with its token. Every program that has the address can read and change the game.
-- @treturn string
function Inspector:url()
  check_self(self, "url")
  return ("http://127.0.0.1:%d/?token=%s"):format(self.server.port, self.server.token)
end

local function drop(self, place)
  self.client.close(self.clients[place])
  table.remove(self.clients, place)
end

-- If all places are taken, drops the connection that has been idle longest, so that idle ones cannot block new ones.
local function make_place(self)
  local oldest
  for place, client in ipairs(self.clients) do
    if self.client.is_waiting(client) and (not oldest or client.since < self.clients[oldest].since) then
      oldest = place
    end
  end
  if oldest then drop(self, oldest) end
  return oldest ~= nil
end

-- Accepts some of the waiting connections. Returns whether there were any.
local function accept(self, now, most)
  for count = 1, most do
    local socket = self.server.listener:accept()
    if not socket then return count > 1 end
    if #self.clients < MOST_CLIENTS or make_place(self) then
      self.clients[#self.clients + 1] = self.client.new(socket, self.server, now)
    else
      socket:close()
    end
  end
  return most > 0
end

-- Measures polls per second, which the page uses as the frame rate.
local function count_poll(self, now)
  self.polls = self.polls + 1
  local seconds = now - self.counted
  if seconds >= 1 or seconds < 0 then
    self.server.rate = seconds > 0 and math.floor(self.polls / seconds + 0.5) or 0
    self.polls, self.counted = 0, now
  end
end

local function drop_ended(self)
  for place = #self.clients, 1, -1 do
    if self.clients[place].closed then drop(self, place) end
  end
end

-- Serves the clients in turn, one step each, until there is nothing to do or the time is up.
local function serve(self, seconds, started)
  local clock, left = self.server.clock, PERIODS
  local function is_time_up()
    local now = clock()
    return now - started >= seconds or now < started
  end
  local function pause()
    left = left - 1
    if left > 0 then return end
    left = PERIODS
    if is_time_up() then coroutine.yield() end
  end
  self.pause = self.pause or function() return self.pause_now() end
  self.pause_now = pause
  repeat
    local moved, count = false, #self.clients
    for _ = 1, count do
      self.turn = self.turn % count + 1
      local client = self.clients[self.turn]
      local ok, more = pcall(self.client.step, client, self.pause, clock())
      client.closed = client.closed or not ok
      if not self.server.listener then return end -- a hook closed the inspector
      moved = moved or more
      if is_time_up() then return end
    end
    if not moved then
      drop_ended(self)
      moved = accept(self, clock(), MOST_CLIENTS - #self.clients)
    end
  until not moved
end

--- Serves the browser's requests for about the given time; unfinished work continues in the next call. Requests cannot
-- cause errors here. Do not call it inside callbacks and batches, where writes of the page would be refused.
-- @tparam[opt] number seconds 0.001 by default
function Inspector:poll(seconds)
  check_self(self, "poll")
  if seconds == nil then seconds = 0.001 end
  if type(seconds) ~= "number" or seconds ~= seconds or seconds < 0 then
    argument.bad(1, "poll", "number of seconds expected, got %s", tostring(seconds))
  end
  if not self.server.listener or self.polling then return end
  self.polling = true
  local now = self.server.clock()
  count_poll(self, now)
  local ok, trouble = pcall(accept, self, now, NEW_CLIENTS)
  if ok then ok, trouble = pcall(serve, self, seconds, now) end
  drop_ended(self)
  self.polling = false
  if not ok then error(trouble, 0) end -- for example, out of memory
end

--- Returns whether the page asked the game to pause. The page shows its buttons for this after the first call. A game
-- that pauses still calls `poll`.
-- @treturn boolean
function Inspector:paused()
  check_self(self, "paused")
  self.server.pausable = self.server.listener ~= nil
  return self.server.paused
end

--- Returns true once for each step that the page asked for while the game is paused.
-- @treturn boolean
function Inspector:step()
  check_self(self, "step")
  local steps = self.server.steps
  self.server.steps = math.max(steps - 1, 0)
  return steps > 0
end

--- Closes all connections and frees the port. A paused game continues. A second call does nothing.
function Inspector:close()
  check_self(self, "close")
  if not self.server.listener then return end
  for place = #self.clients, 1, -1 do drop(self, place) end
  self.server.listener:close()
  self.server.listener, self.server.shown_frame, self.server.outlines = nil, nil, {}
  self.server.pausable, self.server.paused, self.server.steps = false, false, 0
end

return inspector
