-- A small game with an inspector, and requests to it from the same process.

local cuttle = require "cuttle"
local json = require "cuttle.json"

local inspecting = {}

local found, socket = pcall(require, "socket")

--- The reason why no inspector is possible, or nil.
inspecting.missing = not found and "luasocket (Debian: lua-socket) is not installed" or nil

local inspector = require "cuttle.inspector"
local decode = json.decoder()

-- A limit that ends a spec on any machine.
local MOST_POLLS = 5000

local Game = {}
Game.__index = Game

--- Creates a world with a tank and its turret, and an inspector; options are passed to `listen`.
function inspecting.game(options)
  local game = setmetatable({ entities = cuttle.entity_manager() }, Game)
  local world = cuttle.world(game.entities, { name = "game" })
  game.world = world
  world:define("health", { { "hp", "uint8", 100 }, { "speed", "float" }, { "state", "enum", { "idle", "run" } },
    { "target", "entity" }, { "boss", "bool" }, { "note", "string" }, { "aim", "vec3" }, { "bag", "value" } })
  world:define("tag", { { "text", "string" } }, { multiple = true })
  world:define("frozen", {})
  game.tank = world:create { transform = { position = { 1, 2, 3 } }, debug_name = { name = "tank" }, health = {} }
  game.turret = world:create { transform = { parent = game.tank }, debug_name = { name = "turret" } }
  options = options or {}
  options.port = options.port or 0
  game.inspector = assert(inspector.listen(game.entities, options))
  game.port, game.token = game.inspector:url():match "^http://127%.0%.0%.1:(%d+)/%?token=(%x+)$"
  return game
end

function Game:close() self.inspector:close() end

--- Opens a non-blocking connection to the game.
function Game:connect()
  local client = assert(socket.tcp())
  assert(client:connect("127.0.0.1", tonumber(self.port)))
  client:settimeout(0)
  return client
end

-- The first complete response in the bytes: status, body, rest, head; or nil.
local function response_in(bytes)
  local head, rest = bytes:match "^(.-\r\n\r\n)(.*)$"
  if not head then return nil end
  local length = tonumber(head:match "Content%-Length: (%d+)")
  if #rest < length then return nil end
  return tonumber(head:match "^HTTP/1%.1 (%d+)"), rest:sub(1, length), rest:sub(length + 1), head
end

--- Polls until a response is complete: status, body, rest, head. Returns nil if the connection was closed.
function Game:response(client, got)
  got = got or ""
  for _ = 1, MOST_POLLS do
    self.inspector:poll()
    local bytes, trouble, part = client:receive(65536)
    got = got .. (bytes or part or "")
    local status, body, rest, head = response_in(got)
    if status then return status, body, rest, head end
    if trouble == "closed" then return nil, got end
    socket.sleep(0.0005)
  end
  error("no response came: " .. got:sub(1, 200))
end

--- Sends raw bytes over a new connection. Returns the results of `response`.
function Game:send(bytes)
  local client = self:connect()
  local at = 0
  for _ = 1, MOST_POLLS do
    if at >= #bytes then break end
    local to, trouble, partly = client:send(bytes, at + 1)
    at = to or partly or at
    if trouble == "closed" then break end
    self.inspector:poll()
  end
  local status, body, rest, head = self:response(client)
  client:close()
  return status, body, rest, head
end

--- The text of a request; `headers` replace those of a browser.
function Game:request(method, path, body, headers)
  local all = { Host = "127.0.0.1:" .. self.port, ["X-Cuttle-Token"] = self.token }
  if body then all["Content-Length"] = tostring(#body) end
  for name, value in pairs(headers or {}) do all[name] = value or nil end
  local lines = { method .. " " .. path .. " HTTP/1.1" }
  for name, value in pairs(all) do lines[#lines + 1] = name .. ": " .. value end
  return table.concat(lines, "\r\n") .. "\r\n\r\n" .. (body or "")
end

--- Sends a GET request and decodes its response.
function Game:get(path)
  local status, body = self:send(self:request("GET", path))
  assert(status == 200, path .. ": " .. tostring(status))
  return (assert(decode(body)))
end

--- Sends a POST request and decodes its response.
function Game:post(path, value)
  local status, body = self:send(self:request("POST", path, assert(json.encode(value))))
  assert(status == 200, path .. ": " .. tostring(status))
  return (assert(decode(body)))
end

--- Writes a field of an entity. Returns an error or nil.
function Game:write(e, component, field, value, item)
  return self:post("/write", { world = "game", id = cuttle.entity_id(e), component = component, field = field,
    value = value, item = item }).error
end

return inspecting
