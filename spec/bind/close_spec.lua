-- Closing of a Lua state, and cuttle.core without the Lua part of cuttle, each in a process of its own.

-- tags: ffi unix

local command_line = require "spec.support.command_line"
local finalizer_errors = require "spec.support.finalizer_errors"

local build = os.getenv "CUTTLE_BUILD" or "build/test"

local function survives(script, before)
  local path = os.tmpname()
  local file = assert(io.open(path, "w"))
  file:write(([[
    package.path = "lua/?.lua;lua/?/init.lua;./?.lua;" .. package.path
    package.cpath = "%s/?.so;" .. package.cpath
    local collect = require "spec.support.collect"
  ]]):format(build), script, ' print "reached the end"')
  file:close()
  local pipe = io.popen((before or "") .. command_line.interpreter() .. " " .. path .. " 2>&1; echo status $?")
  local output = pipe:read "*a"
  pipe:close()
  os.remove(path)
  assert.equal("reached the end\nstatus 0\n", (finalizer_errors.without(output)))
end

-- A world with many kinds of objects, and a function that uses all of them and ignores errors.
local WORLD = [[
  local cuttle = require "cuttle"
  local entities = cuttle.entity_manager()
  local world = cuttle.world(entities)
  local health = world:define("health", { { "hp", "float" }, { "pos", "vec3" } })
  health:create_many(entities:create(100))
  local hp, pos, step = health:column "hp", health:column "pos", world:rows "health"
  local part = pos[1]
  step()
  function use()
    pcall(function() hp[1] = hp[1] + 1 end)
    pcall(function() part.x = part.x + 1 end)
    pcall(function() pos:set(1, 1, 2, 3) end)
    pcall(step)
    pcall(entities.alive_id, entities, 1)
    pcall(health.row_of_id, health, 1)
    pcall(function() health:create(entities:create()) end)
    pcall(function() for row in world:rows "health" do hp[row] = 1 end end)
    pcall(world.destroy, world)
    pcall(function() hp[1] = 1 end)
    pcall(step)
  end
]]

describe("a state that closes", function()
  it("frees the objects that scripts hold", function()
    survives(WORLD)
  end)

  it("survives finalizers that are younger than the world", function()
    survives(WORLD .. "last = newproxy(true) getmetatable(last).__gc = use")
  end)

  it("survives finalizers that are older than the world", function()
    survives('require "cuttle" first = newproxy(true)' .. WORLD .. "getmetatable(first).__gc = use")
  end)

  -- Lua unloads modules before it runs the finalizers of objects that are older than the modules. A linker flag would
  -- not keep the module loaded in builds with other flags, for example those of LuaRocks.
  it("survives finalizers that are older than the module", function()
    survives("first = newproxy(true)" .. WORLD .. "getmetatable(first).__gc = use")
  end)

  it("survives create and gc in finalizers that are older than the module", function()
    survives [[
      first = newproxy(true)
      getmetatable(first).__gc = function()
        entities:destroy(entities:create())
        world:gc()
        world:create { transform = {} }
      end
      local cuttle = require "cuttle"
      entities = cuttle.entity_manager()
      world = cuttle.world(entities)
    ]]
  end)

  it("survives a compiler that a finalizer makes", function()
    survives [[
      local cuttle = require "cuttle"
      local world = cuttle.world(cuttle.entity_manager())
      cuttle.compiler(world)
      last = newproxy(true)
      getmetatable(last).__gc = function() assert(cuttle.compiler(world):compile '{ "entities": [] }') end
    ]]
  end)

  it("survives values that refer to their world, in finalizers of any age", function()
    local values = [[
      local cuttle = require "cuttle"
      local entities = cuttle.entity_manager()
      local world = cuttle.world(entities)
      local chest = world:define("chest", { { "loot", "value" } })
      local level = assert(world:spawn(assert(cuttle.resource((assert(cuttle.compiler(world):compile { entities = {
        { components = { chest = { loot = { { "gold" } } } } }, { components = { chest = { loot = { 1 } } } } } }))))))
      local template = world:template { chest = { loot = { world } } }
      local list = template:create(5)
      function use()
        pcall(chest.loot, chest, level:entity(1))
        pcall(chest.set_loot, chest, list[1], { world })
        pcall(chest.destroy, chest, list[2])
        pcall(entities.destroy, entities, list[3])
        pcall(template.create, template, 3)
        pcall(world.clear, world)
        pcall(chest.create, chest, entities:create(), { loot = { chest } })
      end
      for i, e in ipairs(list) do
        local proxy = newproxy(true)
        getmetatable(proxy).__gc = use
        chest:set_loot(e, { proxy, world, entities, list })
      end
    ]]
    survives(values)
    survives(values .. "last = newproxy(true) getmetatable(last).__gc = use")
    survives('require "cuttle" first = newproxy(true)' .. values .. "getmetatable(first).__gc = use")
    survives("first = newproxy(true)" .. values .. "getmetatable(first).__gc = use")
  end)

  -- A resource with components that only spawners read; the finalizer may run in the middle of a spawn.
  local SPAWN = [[
    local compiler = cuttle.compiler(world)
    compiler:register("spikes", function() return "iron" end, 2)
    local source = { entities = {} }
    for i = 1, 50 do
      source.entities[i] = { name = "e" .. i,
        components = { transform = {}, spikes = {}, health = { hp = i }, actor = {} } }
    end
    local resource = assert(cuttle.resource((assert(compiler:compile(source)))))
    world:register_spawner("spikes", function(lookup, count, index, data)
      for _ = 1, 3 do collectgarbage() end
      local w = cuttle.reader(data[count]):left()
      for i = 1, count do world.point_mass:create(lookup[index[i] + 1], { mass = w }) end
    end)
    world.actor:on_spawn(function(e) collectgarbage() return { e } end)
    local level
    function spawn()
      local overrides = { e7 = { health = { hp = 1 }, transform = { angle = 1 } } }
      pcall(function() level = world:spawn(resource, { overrides = overrides }) end)
      pcall(function() level:restart() end)
      pcall(function() resource:describe() end)
      use()
    end
  ]]

  it("survives levels spawned by finalizers that are younger than all other objects", function()
    survives(WORLD .. SPAWN .. "last = newproxy(true) getmetatable(last).__gc = spawn")
  end)

  it("survives levels spawned by finalizers that are older than all other objects", function()
    survives('require "cuttle" first = newproxy(true)' .. WORLD .. SPAWN .. "getmetatable(first).__gc = spawn")
  end)

  it("survives levels spawned by finalizers that are younger than the world and older than the resource", function()
    survives(WORLD .. "last = newproxy(true)" .. SPAWN .. "getmetatable(last).__gc = spawn")
  end)

  -- Lua finalizes the younger of two objects first, and the level reads its resource.
  it("survives levels that outlive their resource", function()
    survives [[
      local cuttle = require "cuttle"
      function play()
        local world = cuttle.world(cuttle.entity_manager())
        local blob = assert(cuttle.compiler(world):compile { entities = { { name = "a" }, { name = "b" } } })
        local proxy, level = newproxy(true)
        getmetatable(proxy).__gc = function()
        results = { level:count(), select(2, pcall(level.copy_range, level, 2)),
          select(2, pcall(level.roots, level)) }
        end
        level = assert(world:spawn_many(assert(cuttle.resource(blob)), 3))
      end
      play()
      collect()
      assert(results[1] == 6 and results[2] == "resource is gone" and results[3] == "resource is gone", results[2])
    ]]
  end)

  -- A collected EntityManager would never free what it is given.
  it("refuses arguments to an EntityManager that was collected", function()
    survives [[
      local cuttle = require "cuttle"
      local function play()
        local proxy, entities = newproxy(true)
        getmetatable(proxy).__gc = function()
          results = { select(2, pcall(cuttle.world, entities)), (select(2, pcall(cuttle.recorder, entities))) }
          for name, argument in pairs { create = 1, create_list = 3, on_destroy = print, on_restore = print,
            restore = saved } do
            results[name] = select(2, pcall(entities[name], entities, argument))
          end
          for _, name in ipairs { "create", "snapshot", "hash" } do
            results[#results + 1] = select(2, pcall(entities[name], entities))
          end
        end
        entities = cuttle.entity_manager()
      end
      saved = cuttle.entity_manager():snapshot() -- of another manager: it stays usable
      play()
      collect()
      for name, message in pairs(results) do
        assert(message == "EntityManager was collected", ("%s: %s"):format(name, message))
      end
      assert(results.restore and results[5])
    ]]
  end)

  it("destroys each body once, also in a world that is finalized while on_destroy runs", function()
    local ways = { "entities:destroy(list)", "world.actor:destroy(list[1])", "world:clear()", "level:unload()" }
    for _, how in ipairs(ways) do
      survives(([[
        local cuttle = require "cuttle"
        local entities = cuttle.entity_manager()
        local world = cuttle.world(entities)
        world.actor:on_spawn(function(e) return { e } end)
        local calls = {}
        world.actor:on_destroy(function(e)
          calls[e] = (calls[e] or 0) + 1
          if calls[e] > 1 then print "destroyed twice" end
          collectgarbage()
        end)
        local list = world:create({ actor = {} }, 3)
        local level = world:spawn((assert(cuttle.resource((assert(cuttle.compiler(world):compile {
          entities = { { components = { actor = {} } }, { components = { actor = {} } } } }))))))
        last = newproxy(true)
        getmetatable(last).__gc = function() pcall(function() %s end) end
      ]]):format(how))
    end
  end)

  -- Callbacks of games often spawn an explosion when an entity dies.
  local EXPLOSIONS = [[
    local cuttle = require "cuttle"
    local entities = cuttle.entity_manager()
    local resource = assert(cuttle.resource((assert(cuttle.compiler(cuttle.world(entities)):compile {
      entities = { { name = "blast", components = { transform = {}, debug_name = {} } } } }))))
    log = {}
    local function play()
    local world = cuttle.world(entities)
    local health = world:define("health", { { "hp", "float" } })
    world.actor:on_spawn(function() return {} end)
    world.actor:on_destroy(function(e)
      log[#log + 1] = world.transform:has(e)
      -- Each call is tried separately, so that an error in one does not skip the others.
      for _, blast in ipairs {
        function() world:create { transform = {} } end,
        function() world:create({ transform = {}, health = { hp = 1 }, actor = {} }, 3) end,
        function() world.transform:create(e) end,
        function() health:create_many(entities:create(3)) end,
        function() world:spawn(resource) end,
        function() world:spawn(resource, { overrides = { blast = { transform = {}, health = { hp = 2 } } } }) end,
        function() world:define("more", { { "x", "float" } }) end,
        function() world:define("health", { { "x", "float" } }) end,
        function() world.debug_name:set_debug_name(e, "blast") end,
        function() world.transform:batch(function() world.transform:set_local_position(e, 1, 2, 3) end) end,
        function() for _ in world:join("transform", "health") do collectgarbage() end end,
        function() world.model:define_resource("m", { nodes = { {} } }) end,
        function() world.mesh:define_resource("m", {}) end,
        function() world:attach "notes"[e] = 1 end,
        function() world:dump() end,
        function() world:inspect(e) end,
        function() world:clear() end,
        function() world:destroy() end,
        function() world:gc() end,
      } do
        local ok, message = pcall(blast)
        if not ok then log[#log + 1] = message end
      end
    end)
    for _ = 1, 3 do world:create { actor = {}, transform = {} } end
    return world
    end
  ]]

  it("survives an on_destroy that creates while the state closes", function()
    survives(EXPLOSIONS .. "kept = play()")
  end)

  it("survives an on_destroy that creates while its world is collected, and the creates raise", function()
    survives(EXPLOSIONS .. [[
      play()
      collect()
      assert(log[1] == true)
      local refused = 0
      for _, message in ipairs(log) do
        local text = tostring(message)
        if text:find("world is being destroyed", 1, true) then refused = refused + 1 end
      end
      assert(refused >= 3 * 8, refused)
    ]])
  end)

  it("runs every callback when a world is collected, even if callbacks run the collector", function()
    survives [[
      local cuttle = require "cuttle"
      local log = {}
      local function play()
        local world = cuttle.world(cuttle.entity_manager())
        world:define("health", { { "hp", "float" } })
        world.actor:on_spawn(function() return {} end)
        local function note(text, e)
          log[#log + 1] = text .. cuttle.entity_tostring(e)
          collectgarbage()
        end
        world.actor:on_destroy(function(e) note("body of ", e) end)
        world.health:on_remove(function(e) note("health of ", e) end)
        world:create({ actor = {}, health = {} }, 3)
      end
      play()
      collect()
      table.sort(log)
      assert(table.concat(log, ", ") == "body of entity(0:0), body of entity(1:0), body of entity(2:0), "
        .. "health of entity(0:0), health of entity(1:0), health of entity(2:0)", table.concat(log, ", "))
    ]]
  end)

  -- Lua 5.1 and LuaJIT run these finalizers also in the middle of a collection (src/bind/value/class.c).
  it("keeps objects that tables refer to, if callbacks step the collector", function()
    survives [[
      local cuttle = require "cuttle"
      local objects, known, tokens, stepping = {}, setmetatable({}, { __mode = "k" }), {}, false
      local function keep(object)
        objects[#objects + 1] = object
        known[object] = true
      end
      -- The finalizer of the world calls the callback, after those of the younger objects.
      local function add_world(callback)
        local world = cuttle.world(cuttle.entity_manager())
        tokens[#tokens + 1] = world:define("health", { { "hp", "float" } }):on_remove(callback)
        world:create { health = {} }
        return world
      end
      local function step()
        if stepping then return end
        stepping = true
        collectgarbage "step"
        stepping = false
      end
      oldest = add_world(function()
        for i, object in ipairs(objects) do
          if not known[object] then return print("freed an object", i) end
          tostring(object)
        end
      end)
      for _ = 1, 200 do
        local world = add_world(step)
        keep(world)
        keep(world.entities)
        keep(world:query "health")
        keep(world.entities:snapshot())
        keep(cuttle.list())
      end
      collectgarbage("setstepmul", 1000)
      collectgarbage()
    ]]
  end)

  it("survives a script that took the tables of compiled code before cuttle was loaded", function()
    survives [[
      local core = require "cuttle.core"
      local taken = core.take_compiled()
      local cuttle = require "cuttle"
      local world = cuttle.world(cuttle.entity_manager())
      local health = world:define("health", { { "hp", "float" } })
      health:create(world.entities:create())
      local view = health:column "hp"
      for name in pairs(taken) do taken[name] = nil end
      view[0] = view[0] + 1
      for row in world:rows "health" do view[row] = row end
      assert(health:row_of_id(0) == 0 and world.entities:alive_id(0))
      world:destroy()
      assert(not pcall(function() return view[0] end))
    ]]
  end)

  it("survives finalizers that spawn while older levels exist", function()
    survives(WORLD .. SPAWN .. "level = world:spawn(resource) last = newproxy(true) getmetatable(last).__gc = spawn")
  end)
end)

describe("a world that waits for its finalizer", function()
  it("frees the bodies of entities that a restore removed", function()
    survives [[
      local cuttle = require "cuttle"
      local entities, freed, restored = cuttle.entity_manager(), 0, nil
      local function play()
        local world = cuttle.world(entities)
        world.actor:on_spawn(function() return {} end)
        world.actor:on_destroy(function() freed = freed + 1 end)
        local trap = newproxy(true)
        getmetatable(trap).__gc = function()
          local snapshot = entities:snapshot() -- of no world: it belongs to the same cycle
          world:create({ actor = {} }, 3)
          restored = entities:restore(snapshot)
        end
      end
      play()
      for _ = 1, 3 do collectgarbage() end
      assert(restored and freed == 3 and entities:count() == 0, freed)
    ]]
  end)
end)

describe("the core module", function()
  it("survives a patch in a finalizer that runs while the world is closed", function()
    survives [[
      local cuttle = require "cuttle"
      local world = cuttle.world(cuttle.entity_manager())
      world:define("health", { { "title", "string" } })
      local function load(text)
        local list = {}
        for i = 1, #text do list[i] = { name = "n" .. i, components = { health = { title = text .. i } } } end
        return assert(cuttle.resource((assert(cuttle.compiler(world):compile { entities = list }))))
      end
      local level, newer = world:spawn(load "abc"), load "defgh"
      world.health:on_add(function() for _ = 1, 2000 do local _ = {} end collectgarbage() end)
      traps = {}
      for i = 1, 3 do
        traps[i] = newproxy(true)
        getmetatable(traps[i]).__gc = function() pcall(level.patch, level, newer) end
      end
    ]]
  end)

  it("survives a message in a finalizer that runs while the world is closed", function()
    survives [[
      local cuttle = require "cuttle"
      local function new_world()
        local world = cuttle.world(cuttle.entity_manager())
        world:define("health", { { "hp", "float" }, { "title", "string" }, { "bag", "value" } })
        return world
      end
      local server, world = new_world(), new_world()
      local out, sub = cuttle.publisher(server, { components = { "health", "transform" } }), cuttle.subscriber(world)
      local list = server:create({ health = { title = "a", bag = { 1 } }, transform = {} }, 5)
      out:frame()
      sub:apply(out:message(0))
      for i, e in ipairs(list) do server.health:set_hp(e, i) server.health:set_bag(e, { i }) end
      server.entities:destroy(list[2])
      server.transform:link(list[3], list[4])
      server:create({ health = { title = "b", bag = { 2 } }, transform = { parent = list[1] } }, 5)
      out:frame()
      local message = out:message(1)
      world.health:on_add(function() for _ = 1, 2000 do local _ = {} end collectgarbage() end)
      traps = {}
      for i = 1, 3 do
        traps[i] = newproxy(true)
        getmetatable(traps[i]).__gc = function() pcall(sub.apply, sub, message) end
      end
    ]]
  end)

  it("survives the end of a world with levels in a finalizer that runs while the world is closed", function()
    survives [[
      local cuttle = require "cuttle"
      local entities = cuttle.entity_manager()
      local world = cuttle.world(entities)
      world:define("health", { { "hp", "float" } })
      local function churn() for _ = 1, 3 do collectgarbage() end end
      world.actor:on_spawn(function() return {} end)
      local list = {}
      for i = 1, 5 do list[i] = { components = { health = {}, actor = {} } } end
      assert(world:spawn((assert(cuttle.resource((assert(cuttle.compiler(world):compile { entities = list })))))))
      traps = {}
      for i = 1, 3 do
        traps[i] = newproxy(true)
        getmetatable(traps[i]).__gc = function()
          pcall(world.health.on_remove, world.health, churn)
          pcall(world.actor.on_destroy, world.actor, churn)
          pcall(world.destroy, world)
        end
      end
    ]]
  end)

  it("refuses options without the Lua part of cuttle, which reads them", function()
    local script = 'package.path, package.cpath = "", %q local core = require "cuttle.core" '
      .. 'core.world(core.entity_manager()) print(select(2, pcall(core.entity_manager, {})))'
    local pipe = io.popen(("%s -e %s 2>&1"):format(command_line.interpreter(),
      command_line.quoted(script:format(build .. "/?.so"))))
    local output = pipe:read "*a"
    pipe:close()
    assert.equal('options need require "cuttle"\n', output)
  end)
end)

if require "cuttle.core".testing then
  describe("the test build", function()
    it("aborts when a function allocates in Lua while it parses values", function()
      local command = ("%s -e 'package.cpath = %q require \"cuttle.core\".testing.careless()' 2>&1; echo status $?")
        :format(command_line.interpreter(), build .. "/?.so")
      local pipe = io.popen(command)
      local output = pipe:read "*a"
      pipe:close()
      assert.matches("lua_allocations.* failed", output)
      assert.not_matches("status 0", output)
    end)
  end)
end

describe("a running state", function()
  -- The stack size of a Windows program. Sanitizers make stack frames several times as large.
  it("survives nested batches on a stack of 1 MB", function()
    local sanitized = os.getenv "CUTTLE_SANITIZER" == "1" and 8 or 1
    survives([[
      local cuttle = require "cuttle"
      local transform, deep = cuttle.world(cuttle.entity_manager()).transform, 0
      local function nest()
        deep = deep + 1
        transform:batch(nest)
      end
      local ok, message = pcall(nest)
      assert(not ok and (message:find "too many nested callbacks" or message:find "C stack overflow"), message)
      assert(deep > 50)
      transform:batch(function() end)
    ]], ("ulimit -s %d; "):format(1024 * sanitized))
  end)

  -- A failed spawn destroys the entities that it created, and the destroy callbacks may spawn.
  it("survives spawns in the destroy callbacks of failed spawns", function()
    survives [[
      local cuttle = require "cuttle"
      local entities = cuttle.entity_manager()
      local world = cuttle.world(entities)
      local resource = cuttle.resource(assert(cuttle.compiler(world):compile { entities = { { components = {
        transform = {} } } } }))
      local deep, deepest = 0, 0
      local function nest()
        deep = deep + 1
        deepest = math.max(deepest, deep)
        local _, message = world:spawn(resource)
        deep = deep - 1
        error(message, 0)
      end
      entities:on_destroy(nest)
      world.transform:on_add(function() error "not this one" end)
      local level, message = world:spawn(resource)
      assert(not level and message:find "not this one", message)
      assert(deepest > 50 and deepest <= 100 and entities:count() == 0)
      assert(entities:validate() and world:validate())
    ]]
  end)

  -- A trace holds the functions that it calls until it is flushed. Compiled methods remember the ids of up to 65,536
  -- entities.
  it("releases the memory of destroyed worlds, even if compiled code used them", function()
    survives [[
      local cuttle = require "cuttle"
      local entities = cuttle.entity_manager()
      local function use()
        local world = cuttle.world(entities)
        local health = world:define("health", { { "hp", "float" } })
        local list = entities:create(100)
        health:create_many(list)
        for i = 1, 100 do
          health:row_of_id(i)
          health:set_hp(list[i], 3)
          world.transform:has(list[i])
        end
        local hp = health:column "hp"
        for row in world:rows "health" do hp[row] = row end
        world:destroy()
        entities:destroy(list)
      end
      local function measure(count)
        for _ = 1, count do use() end
        collectgarbage()
        collectgarbage()
        return collectgarbage "count"
      end
      -- The time at which finalizers and traces are collected varies, so the smallest of several rounds counts.
      local before, held = measure(800), math.huge
      for _ = 1, 4 do
        local now = measure(200)
        held, before = math.min(held, (now - before) / 200), now
      end
      assert(held < 2.5, held .. " KB a world")
    ]]
  end)
end)
