-- The live editing example: its watcher and its program.

local collect = require "spec.support.collect"
local command_line = require "spec.support.command_line"
local cuttle = require "cuttle"
local folder = require "spec.support.folder"
local json = require "cuttle.json"
local lfs = require "lfs"
local tree = require "spec.support.tree"

local has_socket, socket = pcall(require, "socket")

local build = os.getenv "CUTTLE_BUILD" or "build/test"
local quoted = command_line.quoted

describe("the example of live editing", function()
  local place, saved

  before_each(function()
    place, saved = folder.new(), 1000000000
  end)

  after_each(function() place:remove() end)

  -- Saves a file like an editor, a second later each time. A concurrent poll gets the old file or the new one.
  local function save(name, text)
    place:write("unsaved", text)
    saved = saved + 1
    lfs.touch(place:at "unsaved", saved, saved)
    assert(os.rename(place:at "unsaved", place:at(name)))
  end

  describe("watches", function()
    local world, watch, watched

    before_each(function()
      watch = dofile "examples/live/watch.lua"
      world = cuttle.world(cuttle.entity_manager())
      watched = watch.new(world, cuttle.compiler(world))
    end)

    local function level_with(x, more)
      return ('{"entities":[{"name":"cat","components":{"transform":{"position":[%d,0,0]}}}%s]}'):format(x, more or "")
    end

    it("a level and its prefabs, and patches the level when one is saved", function()
      save("lamp.json", '{"entities":[{"components":{"transform":{"scale":1}}}]}')
      save("level.json", level_with(1, ',{"name":"lamp","prefab":"lamp.json"}'))
      local level = assert(watched:spawn(place:at "level.json"))
      local cat = level:find "cat"
      assert.same({}, watched:poll())
      save("lamp.json", '{"entities":[{"components":{"transform":{"scale":2}}}]}')
      local changes = watched:poll()
      assert.same({ 1, 1 }, { #changes, changes[1].counts.changed })
      assert.equal(2, (world.transform:local_scale(level:find "lamp")))
      save("level.json", level_with(5))
      local line = watch.describe(watched:poll()[1])
      assert.equal(place:at "level.json" .. ": 0 added, 1 removed, 1 changed, 0 moved", line)
      assert.equal(cat, level:find "cat")
      assert.equal(5, (world.transform:local_position(cat)))
      save("lamp.json", "this file is no longer read")
      assert.same({}, watched:poll())
    end)

    it("a file that is saved twice in one second with the same size", function()
      local time = os.time
      finally(function() rawset(os, "time", time) end)
      rawset(os, "time", function() return saved end)
      save("level.json", level_with(1))
      local level = assert(watched:spawn(place:at "level.json"))
      saved = saved - 1
      save("level.json", level_with(2))
      assert.same({}, watched:poll())
      rawset(os, "time", function() return saved + 1 end)
      assert.equal(1, watched:poll()[1].counts.changed)
      assert.equal(2, (world.transform:local_position(level:find "cat")))
      assert.same({}, watched:poll())
    end)

    it("half-written files, and keeps the level until they are complete", function()
      save("level.json", level_with(1))
      local level = assert(watched:spawn(place:at "level.json"))
      local whole = level_with(2, ',{"name":"dog"}')
      for length = 0, #whole - 1, 7 do
        save("level.json", whole:sub(1, length))
        local changes = watched:poll()
        assert.equal(1, #changes)
        assert.matches("the level is unchanged", watch.describe(changes[1]))
        assert.same({}, watched:poll())
        assert.equal(1, level:count())
      end
      os.remove(place:at "level.json")
      assert.matches("No such file", watched:poll()[1].message)
      save("level.json", whole)
      assert.equal(1, watched:poll()[1].counts.added)
      assert.equal(2, (world.transform:local_position(level:find "cat")))
    end)

    it("a prefab that a level names before it exists, until it is right", function()
      save("level.json", level_with(1))
      local level = assert(watched:spawn(place:at "level.json"))
      save("level.json", level_with(1, ',{"name":"lamp","prefab":"lamp.json"}'))
      assert.matches("lamp%.json: No such file", watched:poll()[1].message)
      assert.same({}, watched:poll())
      save("lamp.json", '{"entities":[{"prefab":"bulb.json"}]}')
      assert.matches("bulb%.json: No such file", watched:poll()[1].message)
      save("bulb.json", '{"entities":[')
      assert.matches("bulb%.json: line 1", watched:poll()[1].message)
      save("bulb.json", '{"entities":[{}]}')
      assert.equal(1, watched:poll()[1].counts.added)
      assert.equal(2, level:count())
      assert.same({}, watched:poll())
    end)

    it("no unloaded level, until it is restored", function()
      save("level.json", level_with(1))
      local level = assert(watched:spawn(place:at "level.json"))
      local snapshot = world.entities:snapshot()
      level:unload()
      save("level.json", level_with(2))
      assert.same({}, watched:poll())
      world.entities:restore(snapshot)
      assert.equal(1, watched:poll()[1].counts.changed)
      level:unload()
      snapshot, level = nil, nil -- luacheck: ignore 311
      collect()
      assert.same({}, watched:poll())
      assert.equal(0, #watched.entries)
    end)

    it("levels that lose all entities and gain new ones", function()
      save("level.json", '{"entities":[]}')
      assert(watched:spawn(place:at "level.json"))
      for x = 1, 2 do
        collect()
        save("level.json", level_with(x))
        assert.equal(1, watched:poll()[1].counts.added)
        save("level.json", '{"entities":[]}')
        assert.equal(1, watched:poll()[1].counts.removed)
      end
    end)

    it("all levels, even if a hook raises", function()
      save("level.json", level_with(1, ',{"name":"dog","components":{"transform":{}}}'))
      for _ = 1, 2 do assert(watched:spawn(place:at "level.json")) end
      local token = world.transform:on_remove(function() error "no dog" end)
      save("level.json", level_with(2))
      local changes = watched:poll()
      assert.same({ 2, true, true }, { #changes, changes[1].raised, changes[2].raised })
      assert.matches("no dog %(the level was patched%)$", watch.describe(changes[1]))
      assert.equal(2, world.entities:count())
      world.transform:off_remove(token)
      world.transform:on_add(function() error "no horse" end)
      save("level.json", level_with(2, ',{"name":"horse","components":{"transform":{}}}'))
      changes = watched:poll()
      assert.equal(2, #changes)
      assert.matches("no horse %(the level is unchanged%)$", watch.describe(changes[2]))
    end)

    it("nothing after the world was destroyed", function()
      save("level.json", level_with(1))
      assert(watched:spawn(place:at "level.json"))
      world:destroy()
      save("level.json", level_with(2))
      assert.same({}, watched:poll())
      assert.equal(0, #watched.entries)
    end)

    it("no file that cannot be spawned", function()
      assert.is_nil((watched:spawn(place:at "none.json")))
      save("level.json", '{"entities":[{"name":"cat"')
      assert.is_nil((watched:spawn(place:at "level.json")))
      assert.same({}, watched:poll())
    end)
  end)

  -- Starts the program like a user. The first line of its output is the number of its process.
  local function start(words)
    local places = quoted(build .. "/?.so;" .. (os.getenv "LUA_CPATH" or ";"))
    return io.popen(("echo $$; LUA_PATH=%s LUA_CPATH=%s exec %s examples/live/main.lua %s 2>&1"):format(
      quoted("lua/?.lua;lua/?/init.lua;" .. (os.getenv "LUA_PATH" or ";")), places, command_line.interpreter(), words))
  end

  it("runs", function()
    local process = start(quoted "examples/live/street.json" .. " 20")
    local output = process:read "*a"
    process:close()
    assert.matches("street.json: 4 entities", output, 1, true)
    assert.matches("after 20 steps there are 4 entities, the cat is at x = 10", output, 1, true)
  end)

  if not has_socket then
    pending "runs with --inspect (luasocket is missing)"
    return
  end

  describe("with --inspect", function()
    local process, number, port, token

    before_each(function()
      save("street.json", tree.read "examples/live/street.json")
      process = start("--inspect " .. quoted(place:at "street.json"))
      number = assert(tonumber(process:read "*l"))
      assert.matches("street.json: 4 entities", process:read "*l", 1, true)
      port, token = process:read "*l":match "^http://127%.0%.0%.1:(%d+)/%?token=(%x+)$"
      assert.is_string(token)
    end)

    after_each(function()
      os.execute("kill " .. number)
      process:close()
    end)

    -- Returns the status and the body of a response.
    local function send(path, given, with)
      local body = given and json.encode(given) or ""
      local client = assert(socket.tcp())
      client:settimeout(30)
      assert(client:connect("127.0.0.1", tonumber(port)))
      local head = (given and "POST " or "GET ") .. path .. " HTTP/1.1"
      assert(client:send(table.concat({ head, "Host: 127.0.0.1:" .. port,
        "X-Cuttle-Token: " .. (with or token), "Content-Length: " .. #body, "Connection: close", "", body }, "\r\n")))
      local answer = assert(client:receive "*a")
      client:close()
      return tonumber(answer:match "^HTTP/1%.1 (%d+)"), answer:match "\r\n\r\n(.*)$"
    end

    local function get(path, given)
      local status, body = send(path, given)
      assert.equal(200, status)
      return (assert(json.decode(body)))
    end

    it("shows the street in a browser, and reads changes from the browser and from the file", function()
      local status, text = send("/?token=" .. token)
      assert.equal(200, status)
      assert.matches("<!doctype html>", text:lower(), 1, true)
      assert.equal(403, (send("/worlds", nil, ("0"):rep(#token))))

      local worlds = get "/worlds"
      local name = worlds.worlds[1].name
      assert.equal(4, worlds.worlds[1].levels[1].entities)
      -- Waits for recorded frames.
      for _ = 1, 200 do
        if worlds.depth > 0 then break end
        socket.sleep(0.05)
        worlds = get "/worlds"
      end
      assert.is_true(worlds.depth > 0)
      assert.equal(0, get("/preview", { world = name, level = 1 }).changed)

      local outline, lamp = get("/outline?world=" .. name).outline, nil
      for index, id in ipairs(outline.ids) do
        if outline.names[index] == "lamp" then lamp = lamp or id end
      end
      local change = { world = name, id = lamp, component = "glow", field = "strength", value = 9 }
      assert.is_true(get("/write", change).ok)
      assert.matches('"strength":[[]9,true]', (select(2, send("/entity?id=" .. lamp))))

      save("street.json", (tree.read "examples/live/street.json":gsub('"x": 0.5', '"x": 0.25')))
      assert.matches("street.json: 0 added, 0 removed, 1 changed", process:read "*l", 1, true)
      -- Changes of the browser are kept.
      assert.matches('"strength":[[]9,true]', (select(2, send("/entity?id=" .. lamp))))
    end)
  end)
end)
