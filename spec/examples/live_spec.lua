-- The example of live editing: its watcher, and the program as a user runs it.

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

    it("nothing that cannot be spawned", function()
      assert.is_nil((watched:spawn(place:at "none.json")))
      save("level.json", '{"entities":[{"name":"cat"')
      assert.is_nil((watched:spawn(place:at "level.json")))
      assert.same({}, watched:poll())
    end)
  end)

  it("runs", function()
    local process = io.popen(("LUA_PATH='lua/?.lua;lua/?/init.lua;;' LUA_CPATH=%s %s examples/live/main.lua %s 20 2>&1")
      :format(quoted(build .. "/?.so;;"), command_line.interpreter(), quoted "examples/live/street.json"))
    local output = process:read "*a"
    process:close()
    assert.matches("street.json: 4 entities", output, 1, true)
    assert.matches("after 20 steps there are 4 entities, the cat is at x = 10", output, 1, true)
  end)
end)
