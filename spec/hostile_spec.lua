-- Harmful calls in finalizers, which run inside any allocation, in callbacks and in spawners: nothing crashes, and no
-- invariant breaks.

-- tags: interpreters unix

local command_line = require "spec.support.command_line"
local cuttle = require "cuttle"
local finalizer_errors = require "spec.support.finalizer_errors"
local haunted = require "spec.support.haunted"
local new_random = require "spec.support.random"
local rounds = require "spec.support.rounds"
local sample = require "spec.support.sample"
local seed = require "spec.support.seed"

local ROUNDS = 1

describe("a finalizer that", function()
  local numbers = {}
  for number in ipairs(haunted.names) do numbers[number] = number end
  for _, number in ipairs(sample(numbers, 2)) do
    it(haunted.names[number] .. " in the middle of any call does no harm", function()
      local text = command_line.run(("require('spec.support.haunted').run(%d, %d)"):format(number, ROUNDS))
      assert.matches("^in order, %d%d+ times\n$", text)
    end)
  end

  it("raises while worlds are made or components defined leaves nothing of them", function()
    local text, reported = finalizer_errors.without(command_line.run(([[
      if warn then warn "@on" end
      require("spec.support.haunted").run_raising(%d)
    ]]):format(rounds(100, 50))))
    local raised = text:match "^in order, (%d+) times\n$"
    assert(raised, text)
    assert.is_true(raised + reported >= 10)
  end)

  it("empties a schema while it is read changes neither names nor defaults", function()
    assert.equal("0 wrong\n",
      command_line.run(("require('spec.support.haunted').run_emptying(%d)"):format(rounds(48, 8))))
  end)

  it("frees spare memory while rows move to a redefined component does no harm", function()
    assert.equal("1000 rows\n", command_line.run(([[
      local cuttle = require "cuttle"
      local world = cuttle.world(cuttle.entity_manager())
      local fields = { { { "hp", "int32", 5 } }, { { "hp", "int32", 5 }, { "mana", "float" } } }
      world:define("health", fields[1])
      world:create({ health = {} }, 1000)
      local stop
      local function ghost()
        getmetatable(newproxy(true)).__gc = function()
          if not stop then world:trim() ghost() end
        end
      end
      ghost()
      ghost()
      collectgarbage("setpause", 1)
      collectgarbage("setstepmul", 100000)
      for i = 1, %d do world:define("health", fields[i %% 2 + 1], { migrate = true }) end
      stop = true
      assert(world:validate())
      print(world.health:count() .. " rows")
    ]]):format(rounds(12, 4))))
  end)

  it("changes the tables that are being read does no harm", function()
    local text = command_line.run(("require('spec.support.haunted').run_changing(%d)"):format(rounds(12, 3)))
    assert.matches("^in order, %d%d+ times\n$", text)
  end)
end)

describe("a destroy callback that", function()
  local actions = {
    { "destroys the world", function(s) s.world:destroy() end },
    { "destroys the world with its entities", function(s) s.world:destroy { entities = true } end },
    { "clears the world", function(s) s.world:clear { entities = true } end },
    { "collects garbage", function(s) s.world:gc(); s.world.health:gc "all"; collectgarbage() end },
    { "redefines a component", function(s) s.world:clear(); s.world:define("health", {}) end },
    { "creates and destroys", function(s) s.entities:destroy(s.entities:create(5)) end },
    { "removes components", function(s) for _, e in ipairs(s.list) do s.world.health:destroy(e) end end },
    { "raises", function() error {} end },
    { "yields", function() coroutine.yield() end },
    { "removes all callbacks", function(s) for token = 1, 20 do s.entities:off_destroy(token) end end },
    { "makes a world", function(s) s.renew() end },
    { "links and unlinks", function(s)
      s.world.transform:link(s.list[3], s.list[4])
      s.world.transform:unlink(s.list[3])
    end },
  }
  local occasions = {
    { "an entity dies", function(s) s.entities:destroy(s.list[2]) end },
    { "a list dies", function(s) s.entities:destroy(s.list) end },
    { "a cuttle.list dies", function(s) s.entities:destroy(cuttle.list(s.list)) end },
    { "the world is cleared", function(s) s.world:clear { entities = true } end },
    { "the world is destroyed", function(s) s.world:destroy { entities = true } end },
    { "a tree is destroyed", function(s)
      for i = 2, 20 do s.world.transform:link(s.list[i], s.list[i - 1]) end
      s.world.transform:destroy_tree(s.list[1])
    end },
    { "each of a loop dies", function(s) for e in s.world.health:each() do s.entities:destroy(e) end end },
    { "a coroutine destroys", function(s)
      local co = coroutine.wrap(function() s.entities:destroy(s.list) end)
      co()
      co()
    end },
  }
  for _, action in ipairs(actions) do
    for _, occasion in ipairs(sample(occasions, 4)) do
      it(("%s while %s does no harm"):format(action[1], occasion[1]), function()
        local s = haunted.setup()
        local depth = 0
        s.entities:on_destroy(function()
          if depth >= 3 then return end
          depth = depth + 1
          local ok, message = pcall(action[2], s)
          depth = depth - 1
          if not ok then error(message, 0) end
        end)
        pcall(occasion[2], s)
        assert.is_true(assert(s.entities:validate()))
        if pcall(s.world.gc, s.world) then assert.is_true(assert(s.world:validate())) end
      end)
    end
  end
end)

describe("a spawner that", function()
  local level
  local actions = {
    { "destroys entities of the level", function(s, lookup) s.entities:destroy { lookup[2], lookup[3] } end },
    { "destroys all entities", function(s) for e in s.entities:each() do s.entities:destroy(e) end end },
    { "destroys the world", function(s) s.world:destroy() end },
    { "clears the world", function(s) s.world:clear { entities = true } end },
    { "collects garbage", function(s) s.world:gc(); s.world.health:gc "all"; collectgarbage(); collectgarbage() end },
    { "redefines components", function(s) s.world:define("part", {}); s.world:define("health", {}) end },
    { "creates components that the level will create", function(s, lookup) s.world.part:create_many(lookup) end },
    { "removes a component of the level", function(s, lookup) s.world.transform:destroy(lookup[1]) end },
    { "links a parent below its child", function(s, lookup) s.world.transform:link(lookup[1], lookup[2]) end },
    { "spawns in itself", function(s) s.world:spawn(s.resource) end },
    { "unloads and restarts", function() if level then level:unload(); level:restart() end end },
    { "removes itself", function(s) s.world:register_spawner("spikes", nil) end },
    { "sorts and propagates", function(s)
      s.world.transform:sort()
      s.world.transform:set_mode "deferred"
      s.world.transform:propagate()
    end },
    { "raises", function() error {} end },
    { "yields", function() coroutine.yield() end },
    { "makes a world", function(s) s.renew() end },
  }
  local variants = {
    { "without overrides", nil },
    { "with overrides", { overrides = { pit = { transform = { angle = 1 }, point_mass = {} }, foe = { part = {} },
      bare = { transform = {}, actor = {} } }, position = { 1, 2, 3 } } },
  }
  for _, action in ipairs(actions) do
    for _, variant in ipairs(variants) do
      it(("%s, %s, does no harm"):format(action[1], variant[1]), function()
        local s, depth = haunted.setup(), 0
        local world, count = s.world, s.entities:count()
        world:register_spawner("spikes", function(lookup)
          depth = depth + 1
          local ok, message = true, nil
          if depth <= 3 then ok, message = pcall(action[2], s, lookup) end
          depth = depth - 1
          if not ok then error(message, 0) end
        end)
        local ok, spawned, message = pcall(world.spawn, world, s.resource, variant[2])
        assert.is_true(ok, spawned)
        assert.is_true(spawned ~= nil or type(message) == "string")
        level = spawned
        if level then level:restart() end
        if level then level:unload() end
        level = nil
        assert.is_true(s.entities:count() <= count + 40)
        assert.is_true(assert(s.entities:validate()))
        world:gc()
        assert.is_true(assert(world:validate()))
      end)
    end
  end
end)

describe("coroutines", function()
  it("may loop, destroy and be abandoned halfway, seed " .. seed, function()
    local s = haunted.setup()
    local random = new_random(seed)
    local threads = {}
    for i = 1, 200 do
      threads[random(10)] = coroutine.create(function()
        for e, instance in s.world:join("health", "part") do
          coroutine.yield(instance)
          if random(3) == 1 then s.entities:destroy(e) end
        end
        for _ in s.world.health:each() do coroutine.yield() end
      end)
      for _, thread in pairs(threads) do coroutine.resume(thread) end
      if i % 20 == 0 then
        s.world:gc()
        s.world:create({ health = {}, part = {} }, 10)
      end
      assert.is_true(assert(s.world:validate()))
    end
  end)
end)
