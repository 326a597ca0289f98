--- The inspector: a page in the browser that shows what lives, and changes it.
-- Knows nothing of what the page looks like.
-- @module cuttle.inspector

local argument = require "cuttle.argument"
local core = require "cuttle.core"
local json = require "cuttle.json"

local inspector = {}

local Inspector = {}
Inspector.__index = Inspector
Inspector.__metatable = "Inspector"
Inspector.__tostring = function(self) return self.server.listener and "Inspector" or "Inspector (closed)" end

-- A browser opens six at most.
local MOST_CLIENTS = 12
local NEW_CLIENTS = 4 -- taken at once
-- Who is not taken yet waits in the system. Who finds no place there asks again after a second, and then after two.
local MOST_WAITING = 512
local PERIODS = 16 -- of small pieces of work, between two looks at the clock

local function check_port(port)
  if type(port) ~= "number" or port % 1 ~= 0 or port < 0 or port > 65535 then
    return "integer in [0, 65535] expected"
  end
end

local function check_recorder(recorder)
  if getmetatable(recorder) ~= "Recorder" then return "Recorder expected" end
end

local OPTIONS = argument.option_list { { "port", check_port }, { "recorder", check_recorder },
  { "reload", "function" } }

-- A socket that listens on this machine alone, and its port; or nil and a message.
local function open(socket, port)
  -- What LuaSocket 3 gives for tcp() is no socket yet, and takes no option.
  local listener, trouble = (socket.tcp4 or socket.tcp)()
  if not listener then return nil, trouble end
  -- Connections that were closed hold the port for a minute otherwise; on Windows two programs could have one port.
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

--- Begins to listen: `inspector:url()` is the address for a browser on this machine, `inspector:poll()` once a frame
-- serves it.
-- @param entities an EntityManager; all its worlds are shown
-- @tparam[opt] table options `port` (8070 unless told; 0: any), `recorder` (whose frames can be looked at), `reload`
-- (function(level) -> Resource, or nil and a message: what a level's file says now; else the path is loaded that its
-- resource was loaded from)
-- @treturn[1] Inspector
-- @treturn[2] nil
-- @treturn[2] string no luasocket, or the port is taken
function inspector.listen(entities, options)
  argument.call(core.schema.worlds, entities)
  options = argument.options(options, 2, "listen", OPTIONS)
  local found, socket = pcall(require, "socket")
  if not found then return nil, "the inspector needs luasocket (Debian: lua-socket), which is not here" end
  local listener, port = open(socket, options.port or 8070)
  if not listener then return nil, port end
  local access, client, routes = require "cuttle.inspector.access", require "cuttle.inspector.client",
    require "cuttle.inspector.routes"
  local server = { entities = entities, recorder = options.recorder, reload = options.reload, listener = listener,
    port = port, clock = socket.gettime, token = access.new_token(socket.gettime), decode = json.decoder(),
    outlines = {}, serial = 0, rate = 0, failure = routes.failure }
  function server.answer(request, body, pause) return routes.answer(server, request, body, pause) end
  return setmetatable({ server = server, client = client, clients = {}, turn = 0, polls = 0,
    counted = socket.gettime() }, Inspector)
end

local function check_self(self, name)
  if type(self) ~= "table" or getmetatable(self) ~= "Inspector" then argument.raise_self(self, "Inspector", name) end
end

--- The address, with the token in it: who has it may look and change.
-- @treturn string
function Inspector:url()
  check_self(self, "url")
  return ("http://127.0.0.1:%d/?token=%s"):format(self.server.port, self.server.token)
end

local function drop(self, place)
  self.client.close(self.clients[place])
  table.remove(self.clients, place)
end

-- A full house lets go of who has waited longest: those who only hold a connection keep nobody out.
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

-- Takes some of those who wait; whether there were any.
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

-- Polls a second, which is what the page takes for frames.
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
    if self.clients[place].over then drop(self, place) end
  end
end

-- One step of each in turn, until there is nothing to do, nobody waits for whom there is a place, or time is up.
local function serve(self, seconds, started)
  local clock, left = self.server.clock, PERIODS
  local function is_over()
    local now = clock()
    return now - started >= seconds or now < started
  end
  local function pause()
    left = left - 1
    if left > 0 then return end
    left = PERIODS
    if is_over() then coroutine.yield() end
  end
  self.pause = self.pause or function() return self.pause_now() end
  self.pause_now = pause
  repeat
    local moved, count = false, #self.clients
    for _ = 1, count do
      self.turn = self.turn % count + 1
      local client = self.clients[self.turn]
      local ok, more = pcall(self.client.step, client, self.pause, clock())
      client.over = client.over or not ok
      moved = moved or more
      if is_over() then return end
    end
    if not moved then
      drop_ended(self)
      moved = accept(self, clock(), MOST_CLIENTS - #self.clients)
    end
  until not moved
end

--- Serves what the browser has asked, for about so long; what is not ready goes on in the next call. Raises nothing
-- because of what a browser sends. Not from inside callbacks and batches: what the page writes would be refused.
-- @tparam[opt] number seconds 0.001 unless told
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
  if not ok then error(trouble, 0) end -- memory ran out, say
end

--- Ends it: nobody is answered any more, and the port is free. Safe twice.
function Inspector:close()
  check_self(self, "close")
  if not self.server.listener then return end
  for place = #self.clients, 1, -1 do drop(self, place) end
  self.server.listener:close()
  self.server.listener, self.server.past, self.server.outlines = nil, nil, {}
end

return inspector
