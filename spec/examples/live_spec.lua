-- The example of live editing: its watcher, and the program as a user runs it.

local collect = require "spec.support.collect"
local command_line = require "spec.support.command_line"
local cuttle = require "cuttle"
local folder = require "spec.support.folder"
local lfs = require "lfs"

local build = os.getenv "CUTTLE_BUILD" or "build/test"
local quoted = command_line.quoted

describe("the example of live editing", function()
  local place, saved

  before_each(function()
    place, saved = folder.new(), 1000000000
  end)

  after_each(function() place:remove() end)

  -- As an editor does, a second later each time.
  local function save(name, text)
    place:write(name, text)
    saved = saved + 1
    lfs.touch(place:at(name), saved, saved)
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

    it("a level and its prefabs, and patches what lives when one is saved", function()
      save("lamp.json", '{"entities":[{"components":{"transform":{"scale":1}}}]}')
      save("level.json", level_with(1, ',{"name":"lamp","prefab":"lamp.json"}'))
      local level = assert(watched:spawn(place:at "level.json"))
      local cat = level:find "cat"
      assert.same({}, watched:poll())
      save("lamp.json", '{"entities":[{"components":{"transform":{"scale":2}}}]}')
      local news = watched:poll()
      assert.same({ 1, 1 }, { #news, news[1].told.changed })
      assert.equal(2, (world.transform:local_scale(level:find "lamp")))
      save("level.json", level_with(5))
      assert.equal(place:at "level.json" .. ": 0 came, 1 went, 1 changed, 0 moved", watch.describe(watched:poll()[1]))
      assert.equal(cat, level:find "cat")
      assert.equal(5, (world.transform:local_position(cat)))
      save("lamp.json", "nobody looks at it any more")
      assert.same({}, watched:poll())
    end)

    it("files that are half written: the level is as it was until they are whole", function()
      save("level.json", level_with(1))
      local level = assert(watched:spawn(place:at "level.json"))
      local whole = level_with(2, ',{"name":"dog"}')
      for length = 0, #whole - 1, 7 do
        save("level.json", whole:sub(1, length))
        local news = watched:poll()
        assert.equal(1, #news)
        assert.matches("the level is as it was", watch.describe(news[1]))
        assert.same({}, watched:poll())
        assert.equal(1, level:count())
      end
      os.remove(place:at "level.json")
      assert.matches("No such file", watched:poll()[1].message)
      save("level.json", whole)
      assert.equal(1, watched:poll()[1].told.added)
      assert.equal(2, (world.transform:local_position(level:find "cat")))
    end)

    it("no level that was unloaded, until it lives again", function()
      save("level.json", level_with(1))
      local level = assert(watched:spawn(place:at "level.json"))
      local snapshot = world.entities:snapshot()
      level:unload()
      save("level.json", level_with(2))
      assert.same({}, watched:poll())
      world.entities:restore(snapshot)
      assert.equal(1, watched:poll()[1].told.changed)
      level:unload()
      snapshot, level = nil, nil -- luacheck: ignore 311
      collect()
      assert.same({}, watched:poll())
      assert.equal(0, #watched.entries)
    end)

    it("levels that lose and get their entities", function()
      save("level.json", '{"entities":[]}')
      assert(watched:spawn(place:at "level.json"))
      for x = 1, 2 do
        collect()
        save("level.json", level_with(x))
        assert.equal(1, watched:poll()[1].told.added)
        save("level.json", '{"entities":[]}')
        assert.equal(1, watched:poll()[1].told.removed)
      end
    end)

    it("all levels, when a hook raises", function()
      save("level.json", level_with(1, ',{"name":"dog","components":{"transform":{}}}'))
      for _ = 1, 2 do assert(watched:spawn(place:at "level.json")) end
      local token = world.transform:on_remove(function() error "no dog" end)
      save("level.json", level_with(2))
      local news = watched:poll()
      assert.same({ 2, true, true }, { #news, news[1].raised, news[2].raised })
      assert.matches("no dog %(the level has followed%)$", watch.describe(news[1]))
      assert.equal(2, world.entities:count())
      world.transform:off_remove(token)
      world.transform:on_add(function() error "no horse" end)
      save("level.json", level_with(2, ',{"name":"horse","components":{"transform":{}}}'))
      news = watched:poll()
      assert.equal(2, #news)
      assert.matches("no horse %(the level is as it was%)$", watch.describe(news[2]))
    end)

    it("nothing more when the world is destroyed", function()
      save("level.json", level_with(1))
      assert(watched:spawn(place:at "level.json"))
      world:destroy()
      save("level.json", level_with(2))
      assert.same({}, watched:poll())
      assert.equal(0, #watched.entries)
    end)

    it("nothing that cannot be spawned", function()
      assert.is_nil((watched:spawn(place:at "none.json")))
      save("level.json", '{"entities":[{"name":"cat"')
      assert.is_nil((watched:spawn(place:at "level.json")))
      assert.same({}, watched:poll())
    end)
  end)

  it("runs", function()
    local process = io.popen(("LUA_PATH='lua/?.lua;lua/?/init.lua;;' LUA_CPATH=%s %s examples/live/main.lua %s 20 2>&1")
      :format(quoted(build .. "/?.so;" .. (os.getenv "LUA_CPATH" or ";")), command_line.interpreter(),
      quoted "examples/live/street.json"))
    local output = process:read "*a"
    process:close()
    assert.matches("street.json: 4 entities", output, 1, true)
    assert.matches("after 20 steps there are 4 entities, the cat is at x = 10", output, 1, true)
  end)
end)
