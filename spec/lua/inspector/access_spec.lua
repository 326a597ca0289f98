-- Access control of the inspector, and its responses to malformed requests.

local inspecting = require "spec.support.inspecting"
local json = require "cuttle.json"
local raises = require "spec.support.raises"
local seed = require "spec.support.seed"

describe("an HTTP request", function()
  local http = require "cuttle.inspector.http"

  it("has header values without surrounding blanks", function()
    for given, value in pairs { [" a"] = "a", ["a b \t "] = "a b", ["  "] = "", [""] = "" } do
      assert.equal(value, http.parse("GET / HTTP/1.1\r\nHost:" .. given .. "\r\n\r\n").headers.host)
    end
  end)

  it("has a query of names and values", function()
    local request = http.parse("GET /?a=1=2&b=&x&=y&c+d=%26&a=3 HTTP/1.1\r\n\r\n")
    assert.same({ a = "1=2", b = "", ["c d"] = "&" }, request.query)
  end)

  it("is parsed in linear time", function() -- quadratic time would take a minute
    for _ = 1, 100 do
      assert(http.parse("GET /?" .. ("a"):rep(8000) .. " HTTP/1.1\r\n\r\n"))
      assert(http.parse("GET / HTTP/1.1\r\nA: b" .. (" "):rep(8000) .. "c\r\n\r\n"))
    end
  end)
end)

describe("inspector.listen", function()
  local inspector = require "cuttle.inspector"
  local cuttle = require "cuttle"

  it("returns nil and a message without luasocket", function()
    local loaded, preload = package.loaded.socket, package.preload.socket
    package.loaded.socket, package.preload.socket = nil, function() error "none" end
    local listening, message = inspector.listen(cuttle.entity_manager())
    package.loaded.socket, package.preload.socket = loaded, preload
    assert.is_nil(listening)
    assert.matches("luasocket", message)
  end)

  it("raises for a value that is not an EntityManager, and for wrong options", function()
    local entities = cuttle.entity_manager()
    raises("bad argument #1", inspector.listen, {})
    raises("port: integer in [0, 65535] expected, got 70000", inspector.listen, entities, { port = 70000 })
    raises("port: integer in [0, 65535] expected, got string", inspector.listen, entities, { port = "8070" })
    raises("Recorder expected", inspector.listen, entities, { recorder = {} })
    raises("prot", inspector.listen, entities, { prot = 1 })
  end)

  if inspecting.missing then return pending("the rest needs what is missing: " .. inspecting.missing) end

  it("returns nil and a message if the port is in use", function()
    local game = inspecting.game()
    local other, message = inspector.listen(game.entities, { port = tonumber(game.port) })
    assert.is_nil(other)
    assert.matches("^port " .. game.port .. ": ", message)
    game:close()
  end)

  it("frees the port when it is closed, and can be closed twice", function()
    local game = inspecting.game()
    game:close()
    game:close()
    game.inspector:poll()
    local again = assert(inspector.listen(game.entities, { port = tonumber(game.port) }))
    again:close()
  end)

  it("frees the port at once after it has closed connections", function()
    local game = inspecting.game()
    assert.equal(403, (game:send("GET / HTTP/1.1\r\nHost: 127.0.0.1:" .. game.port .. "\r\n\r\n")))
    game:close()
    assert(inspector.listen(game.entities, { port = tonumber(game.port) })):close()
  end)

  it("creates a new token each time", function()
    local one, other = inspecting.game(), inspecting.game()
    assert.are_not.equal(one.token, other.token)
    assert.are.equal(32, #one.token)
    one:close()
    other:close()
  end)

  it("checks the argument of poll", function()
    local game = inspecting.game()
    raises("number of seconds expected", game.inspector.poll, game.inspector, -1)
    raises("number of seconds expected", game.inspector.poll, game.inspector, "soon")
    raises("Inspector expected", game.inspector.poll)
    game:close()
  end)
end)

if inspecting.missing then return end

describe("the inspector", function()
  local game

  before_each(function() game = inspecting.game() end)
  after_each(function() game:close() end)

  local function status_of(...) return (game:send(game:request(...))) end

  it("serves requests with the token in the address or in a header", function()
    assert.are.equal(200, status_of("GET", "/worlds"))
    assert.are.equal(200, status_of("GET", "/?token=" .. game.token, nil, { ["X-Cuttle-Token"] = false }))
    assert.are.equal(200, status_of("GET", "/worlds", nil, { Origin = "http://127.0.0.1:" .. game.port }))
    assert.are.equal(200, status_of("GET", "/worlds", nil, { Host = "localhost:" .. game.port }))
    assert.are.equal(200, status_of("GET", "/worlds", nil, { ["Sec-Fetch-Site"] = "same-origin" }))
  end)

  it("serves port 80, which browsers leave out", function()
    local access, token = require "cuttle.inspector.access", ("0"):rep(32)
    local function allows(host, port)
      local headers = { host = host, origin = "http://" .. host, ["x-cuttle-token"] = token }
      return access.allows({ headers = headers, query = {} }, token, port)
    end
    assert.is_true(allows("localhost", 80) and allows("127.0.0.1", 80) and allows("localhost:81", 81))
    assert.is_false(allows("localhost", 81) or allows("localhost:81", 80))
  end)

  it("refuses all other requests with 403 and no details", function()
    local port, wrong = game.port, ("0"):rep(32)
    local refused = {
      { "GET", "/" }, { "GET", "/nowhere" }, { "DELETE", "/" },
      { "GET", "/?token=" .. wrong }, { "GET", "/?token=" }, { "GET", "/?token=" .. game.token:sub(1, 31) },
      { "GET", "/worlds", nil, { ["X-Cuttle-Token"] = wrong } },
      { "POST", "/write", "{}", { ["X-Cuttle-Token"] = wrong } },
    }
    for _, request in ipairs(refused) do
      request[4] = request[4] or { ["X-Cuttle-Token"] = false }
    end
    local with_token = {
      { Origin = "http://evil.example" }, { Origin = "null" }, { Origin = "http://127.0.0.1:1" },
      { Origin = "https://127.0.0.1:" .. port }, { Host = "evil.example:" .. port }, { Host = "127.0.0.1" },
      { Host = false }, { Host = "localhost:" .. port, Origin = "http://127.0.0.1:" .. port },
      { ["Sec-Fetch-Site"] = "cross-site" }, { ["Sec-Fetch-Site"] = "same-site" },
    }
    for _, headers in ipairs(with_token) do refused[#refused + 1] = { "GET", "/worlds", nil, headers } end
    local first
    for number, request in ipairs(refused) do
      local status, body, rest, head = game:send(game:request(request[1], request[2], request[3], request[4]))
      assert.are.equal(403, status, "request " .. number)
      first = first or head .. body
      assert.are.equal(first, head .. body .. rest, "request " .. number)
    end
    assert.matches("Connection: close", first)
  end)

  it("reports errors to requests with the token", function()
    assert.are.equal(404, status_of("GET", "/nowhere"))
    assert.are.equal(405, status_of("DELETE", "/worlds"))
    assert.are.equal(400, status_of("POST", "/write", "no JSON"))
    assert.are.equal(413, status_of("POST", "/write", nil, { ["Content-Length"] = "70000" }))
    assert.are.equal("unknown world 'mars'", game:get("/outline?world=mars").error)
    assert.are.equal("invalid entity id", game:get("/entity?id=-1").error)
    assert.are.equal("invalid entity id", game:get("/entity?id=lamp").error)
    assert.matches("no component 'wings'", game:get("/owners?world=game&component=wings").error)
  end)

  it("keeps a connection, answers pipelined requests in order, and closes on request", function()
    local client = game:connect()
    local close = game:request("GET", "/nowhere", nil, { Connection = "close" })
    client:send(game:request("GET", "/worlds") .. game:request("POST", "/write", "no JSON") .. close)
    local status, _, rest = game:response(client)
    assert.are.equal(200, status)
    status, _, rest = game:response(client, rest)
    assert.are.equal(400, status)
    status, _, rest = game:response(client, rest)
    assert.are.equal(404, status)
    assert.is_nil((game:response(client, rest)))
    client:close()
  end)

  it("restricts the page in the headers of its responses", function()
    local _, _, _, head = game:send(game:request("GET", "/"))
    assert.matches("connect%-src 'self'", head)
    assert.matches("Cache%-Control: no%-store", head)
    assert.matches("Referrer%-Policy: no%-referrer", head)
    assert.matches("X%-Frame%-Options: DENY", head)
  end)

  -- A clock that the spec advances.
  local function with_clock()
    local now = 1000
    game.inspector.server.clock = function() return now end
    game.inspector:poll()
    return function(seconds)
      now = now + seconds
      game.inspector:poll()
    end
  end

  it("closes connections that send half a request, or one byte at a time", function()
    local pass = with_clock()
    local silent, slow = game:connect(), game:connect()
    silent:send("GET / HT")
    pass(1)
    local text = game:request("GET", "/worlds")
    for at = 1, 12 do
      slow:send(text:sub(at, at))
      pass(1)
    end
    pass(1)
    assert.are.equal(0, #game.inspector.clients)
    silent:close()
    slow:close()
  end)

  it("closes connections that do not read the response", function()
    local pass = with_clock()
    local unread = game:connect()
    unread:send(game:request("GET", "/"):rep(200))
    for _ = 1, 400 do pass(0) end
    assert.are.equal(1, #game.inspector.clients)
    pass(11)
    pass(11)
    assert.are.equal(0, #game.inspector.clients)
    unread:close()
  end)

  it("serves requests while many connections are idle", function()
    local idle = {}
    for place = 1, 60 do
      idle[place] = game:connect()
      game.inspector:poll()
    end
    assert.are.equal(200, status_of("GET", "/worlds"))
    assert.is_true(#game.inspector.clients <= 12)
    for _, client in ipairs(idle) do client:close() end
    for _ = 1, 100 do game.inspector:poll() end
    assert.are.equal(0, #game.inspector.clients)
  end)

  -- Twelve connections are allowed at a time. Sent data may not have arrived at the first poll.
  it("refuses all waiting connections within two polls if the time limit allows it", function()
    local crowd = {}
    for place = 1, 40 do
      crowd[place] = game:connect()
      crowd[place]:send("no request\r\n\r\n")
      crowd[place]:settimeout(0.1)
    end
    for _ = 1, 3 do
      game.inspector:poll(60)
      for place = #crowd, 1, -1 do
        local answer, trouble = crowd[place]:receive(12)
        if trouble ~= "timeout" then
          assert.are.equal("HTTP/1.1 403", answer)
          table.remove(crowd, place):close()
        end
      end
    end
    assert.are.equal(0, #crowd)
  end)

  it("builds a long response in pieces over several polls", function()
    game.entities:create(5000)
    local now = 0
    game.inspector.server.clock = function()
      now = now + 0.0004
      return now
    end
    local client = game:connect()
    client:send(game:request("GET", "/outline?world=game"))
    local polls = 0
    repeat
      game.inspector:poll()
      polls = polls + 1
      local _, _, part = client:receive(65536)
    until (part and part ~= "") or polls > 5000
    assert.is_true(polls > 20 and polls < 5000, polls .. " polls")
    client:close()
  end)
end)

-- Malformed requests ---------------------------------------------------------------------------------------------

describe("the inspector, for malformed requests, seed " .. seed .. ",", function()
  local game

  setup(function() game = inspecting.game() end)
  teardown(function() game:close() end)

  local function refuses(name, bytes)
    it("refuses " .. name, function()
      assert.are.equal(403, (game:send(type(bytes) == "function" and bytes() or bytes)))
    end)
  end

  refuses("a long line", "GET /" .. ("a"):rep(20000))
  refuses("many headers", function()
    return (game:request("GET", "/worlds"):gsub("\r\n\r\n", "\r\n" .. ("A: b\r\n"):rep(100) .. "\r\n"))
  end)
  refuses("another protocol", "HELO there\r\n\r\n")
  refuses("another version", function() return (game:request("GET", "/worlds"):gsub("HTTP/1.1", "HTTP/2.0")) end)
  refuses("a repeated header", function()
    return (game:request("GET", "/worlds"):gsub("Host:", "Host: evil.example\r\nHost:"))
  end)
  refuses("a header without a name", function() return (game:request("GET", "/worlds"):gsub("Host:", ":")) end)
  refuses("a header that continues in the next line", function()
    return (game:request("GET", "/worlds"):gsub("Host: ", "Host:\r\n "))
  end)
  refuses("lines without carriage returns", function() return (game:request("GET", "/worlds"):gsub("\r\nX", "\nX")) end)
  refuses("zero bytes", function() return (game:request("GET", "/worlds"):gsub("/worlds", "/wor\0lds")) end)
  refuses("a body in chunks", function()
    return game:request("POST", "/write", nil, { ["Transfer-Encoding"] = "chunked" })
  end)
  for _, length in ipairs { "-1", "1e3", "0x10", "12345678901234567890", "1,1", "" } do
    refuses("a body of " .. length .. " bytes", function()
      return game:request("POST", "/write", nil, { ["Content-Length"] = length })
    end)
  end

  it("responds to bodies with unexpected JSON with 200 or 400, and stays valid", function()
    for _, body in ipairs { "[]", "{}", "1", '""', "null", ("["):rep(30000), '{"world":[]}', '{"world":"game"}',
      '{"world":"game","component":"health","id":{}}', '{"world":"game","component":{},"id":1,"field":[],"value":{}}',
      '{"frames":1e300}', '{"frames":-5}', '{"world":"game","level":{}}', '{"world":"game","level":1e300}' } do
      for _, path in ipairs { "/write", "/profile", "/past", "/preview" } do
        local status = game:send(game:request("POST", path, body))
        assert.is_true(status == 200 or status == 400, path .. " " .. body:sub(1, 40))
      end
    end
    assert.is_true(game.world:validate())
  end)

  it("never returns its token for random bytes, and keeps running", function()
    local random = require "spec.support.random"(seed)
    local parts = { "GET ", "POST ", "/", "worlds", "?token=", "&", "=", "%", "%41", " HTTP/1.1", "\r\n", "\r\n\r\n",
      "Host: ", "127.0.0.1:" .. game.port, "Content-Length: ", "7", "99999", ": ", "\0", "\255", "{}", "Origin: x" }
    for _ = 1, 120 do
      local text = {}
      for place = 1, random(30) do text[place] = parts[random(#parts)] end
      local client = game:connect()
      client:send(table.concat(text))
      for _ = 1, 3 do game.inspector:poll() end
      local _, _, part = client:receive(65536)
      if part and part ~= "" then assert.matches("^HTTP/1%.1 403 ", part) end
      client:close()
    end
    for _ = 1, 60 do
      local text = game:request("POST", "/write", assert(json.encode { world = "game" }))
      local at = random(#text)
      text = text:sub(1, at - 1) .. string.char(random(256) - 1) .. text:sub(at + random(3) - 1)
      local client = game:connect()
      client:send(text)
      for _ = 1, 3 do game.inspector:poll() end
      client:close()
    end
    for _ = 1, 20 do game.inspector:poll() end
    assert.are.equal(0, #game.inspector.clients)
    assert.are.equal(200, (game:send(game:request("GET", "/worlds"))))
    assert.is_true(game.world:validate())
  end)
end)
