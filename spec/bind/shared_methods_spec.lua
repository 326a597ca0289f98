-- Methods as shared function values: all objects of a class and all managers with the same fields have the same ones.
-- A call costs the same in each world, and a method accepts only objects of its class as self.

-- tags: machine

local calls = require "spec.support.calls"
local collect = require "spec.support.collect"
local cuttle = require "cuttle"
local files = require "cuttle.files"
local light_userdata = require "spec.support.light_userdata"
local methods = require "spec.support.methods"
local new_random = require "spec.support.random"
local seed = require "spec.support.seed"

local OBJECTS = { "entities", "world", "health", "part", "list", "query", "template", "compiler", "resource", "level",
  "snapshot", "recorder", "writer", "reader", "hp", "texts", "places", "cells", "formula", "space", "publisher", "peer",
  "subscriber" }

-- Functions that end objects which other calls need run last.
local LAST = { destroy = 2, clear = 1, unload = 1, restart = 1, restore = 1, rewind = 1, patch = 1, destroy_tree = 1 }

local function in_order(s)
  local all = {}
  for _, call in ipairs(calls.all(s)) do
    if call.object and call.arguments then all[#all + 1] = call end
  end
  table.sort(all, function(a, b)
    local first, second = LAST[a.name] or 0, LAST[b.name] or 0
    if first ~= second then return first < second end
    return a.title < b.title
  end)
  return all
end

-- A separate call site for each method, as in the source of a game.
local function line_of(call, count)
  local arguments = {}
  for i = 1, count do arguments[i] = ("a[%d]"):format(i) end
  local text = "local pcall, call = pcall, function(object, a) return object:%s(%s) end return function(object, a) "
    .. "return pcall(call, object, a) end"
  return assert(loadstring(text:format(call.name, table.concat(arguments, ", "))))()
end

describe("methods", function()
  local write = files.write
  before_each(function() files.write = function() return true end end)
  after_each(function() files.write = write end)

  it("of two worlds are the same values", function()
    local first, second = calls.scene(), calls.scene()
    local compared = 0
    for _, call in ipairs(in_order(first)) do
      local one, two = first[call.object] or first.world[call.object], second[call.object] or second.world[call.object]
      assert.is_true(rawequal(one[call.name], two[call.name]), call.title)
      compared = compared + 1
    end
    assert.is_true(compared > 400)
  end)

  it("of a component are the same values after it was defined again", function()
    local entities = cuttle.entity_manager()
    local FIELDS = { { "hp", "float" }, { "state", "enum", { "idle", "run" } } }
    local first, second = cuttle.world(entities), cuttle.world(entities)
    local hp = first:define("health", FIELDS).hp
    assert.equal(hp, first:define("health", { { "hp", "float", 5 }, { "state", "enum", { "idle", "run" } } }).hp)
    assert.equal(hp, second:define("health", FIELDS, { lookup = "array" }).hp)
    assert.are_not.equal(hp, second:define("armour", FIELDS).hp)
    local changed = second:define("health", { { "hp", "float" }, { "state", "enum", { "run", "idle" } } }).hp
    assert.are_not.equal(hp, changed)
    assert.equal(hp, second:define("health", FIELDS).hp)
  end)

  it("of one manager work on another with the same definition, and raise on one with another definition", function()
    local entities = cuttle.entity_manager()
    local first, second = cuttle.world(entities), cuttle.world(entities)
    local FIELDS = { { "hp", "float" }, { "pos", "vec3" } }
    local health, other = first:define("health", FIELDS), second:define("health", FIELDS)
    local armour = first:define("armour", FIELDS)
    local e = entities:create()
    health:create(e, { hp = 1 })
    other:create(e, { hp = 2 })
    armour:create(e, { hp = 3 })
    for _ = 1, 200 do
      assert.equal(2, health.hp(other, e))
      health.set_hp(other, e, 2)
    end
    for _, method in ipairs { "hp", "pos", "set_hp", "set_pos" } do
      for _ = 1, 100 do
        local ok, message = pcall(health[method], armour, e, 1, 2, 3)
        assert.is_false(ok)
        assert.matches("methods belong to one", message, 1, true)
      end
    end
    assert.equal(3, armour:hp(e))
  end)

  it("are hidden behind metatables that cannot be read or replaced", function()
    local s = calls.scene()
    for _, name in ipairs(OBJECTS) do
      local metatable = getmetatable(s[name])
      assert.equal("string", type(metatable), name)
      assert.is_false(pcall(setmetatable, s[name], {}), name)
    end
  end)

  it("make the same garbage in each of 64 worlds, seed " .. seed, function()
    if jit then require("jit.opt").start("hotloop=2", "hotexit=2") end
    local scenes, garbage = {}, {}
    for i = 1, 64 do scenes[i] = calls.scene(scenes[1] and scenes[1].blob) end
    collectgarbage()
    collectgarbage "stop"
    for _, call in ipairs(calls.sample(in_order(scenes[1]), new_random(seed))) do
      local line
      for i, s in ipairs(scenes) do
        local prepared, _, arguments = pcall(calls.prepare, s, call)
        if prepared then
          local object = table.remove(arguments, 1)
          line = line or line_of(call, arguments.n - 1)
          local before = collectgarbage "count"
          line(object, arguments)
          garbage[i] = collectgarbage "count" - before
        else
          garbage[i] = 0
        end
      end
      -- Table growth and LuaJIT traces add garbage at times: the smallest count is used, and LuaJIT, where only early
      -- worlds may run a trace that leaves out an allocation, gets a tolerance. Growth with each world is at least 8
      -- bytes, so at least 208 bytes from world 24 to world 50.
      local early, late = math.min(unpack(garbage, 8, 24)), math.min(unpack(garbage, 50, 64))
      local text = "%s: %.3f KB in an early world, %.3f in the last"
      assert.is_true(late - early < (jit and 208 / 1024 or 1e-9), text:format(call.title, early, late))
      if collectgarbage "count" > 2 ^ 19 then
        collectgarbage()
        collectgarbage "stop"
      end
    end
    collectgarbage "restart"
    if jit then require("jit.opt").start("hotloop=56", "hotexit=10") end
  end)
end)

describe("a self argument, seed " .. seed .. ",", function()
  local write = files.write
  before_each(function() files.write = function() return true end end)
  after_each(function() files.write = write end)

  local function foreign_values(s, other)
    local closed = io.tmpfile()
    closed:close()
    local values = { io.stdout, closed, newproxy(), newproxy(true), light_userdata.null(), s.one, 5, "world", {},
      true, type, coroutine.create(function() end), setmetatable({}, debug.getmetatable(s.health)),
      other.world.transform, other.armour }
    for _, name in ipairs(OBJECTS) do values[#values + 1] = s[name] end
    return values
  end

  it("that is not an object of the class raises, also in a compiled loop", function()
    local s, other = calls.scene(), calls.scene()
    other.armour = other.world:define("armour", { { "hp", "float" } })
    local values = foreign_values(s, other)
    for _, call in ipairs(calls.sample(in_order(s), new_random(seed))) do
      local object = s[call.object] or s.world[call.object]
      local method = object[call.name]
      local function is_foreign(value)
        if call.object == "hp" or call.object == "texts" or call.object == "places" then
          if value == s.hp or value == s.texts or value == s.places then return false end
        end
        if type(value) ~= "userdata" and type(value) ~= "cdata" then return true end
        local ok, found = pcall(function() return value[call.name] end)
        return not ok or found ~= method
      end
      for i, value in ipairs(values) do
        if is_foreign(value) then
          local ok, message = pcall(method, value, s.one, 1, 2, 3, 4)
          assert.is_false(ok, call.title .. " accepts value " .. i)
          assert.equal("string", type(message))
        end
      end
    end
    -- The methods that LuaJIT may compile, called on valid and invalid objects in turn.
    local compiled = {
      health = { "hp", "set_hp", "pos", "set_pos", "on", "state", "has", "lookup", "row_of_id", "create", "destroy" },
      transform = { "world_position", "pose_2d" }, entities = { "alive", "alive_id", "create", "destroy" },
      query = { "list", "read", "write" }, template = { "create" }, world = { "create" },
    }
    local victims = calls.scene()
    victims.transform = victims.world.transform
    for object, names in pairs(compiled) do
      for _, name in ipairs(names) do
        local valid = victims[object]
        local method = valid[name]
        for _, value in ipairs(values) do
          local raised = 0
          for i = 1, 60 do
            local self = i % 3 == 0 and value or valid
            if not pcall(method, self, victims.one, 1, 2, 3) and self == value then raised = raised + 1 end
          end
          local own = type(value) == "userdata" and pcall(function() assert(value[name] == method) end)
          assert.is_true(own or raised == 20, object .. ":" .. name)
        end
      end
    end
    assert(victims.world:validate())
    assert(s.world:validate())
  end)

  it("of a collected world raises", function()
    local kept
    local function lose_world()
      local s = calls.scene()
      local ghost, held = newproxy(true), { s.world, s.health, s.level, s.entities }
      getmetatable(ghost).__gc = function() kept = held end
    end
    lose_world()
    collect()
    local world, health, level, entities = unpack(kept)
    for _ = 1, 200 do
      for _, call in ipairs { { health, "hp" }, { health, "has" }, { health, "count" }, { world, "gc" },
        { level, "unload" } } do
        local ok, message = pcall(call[1][call[2]], call[1], cuttle.entity_from_id(1))
        if not ok then assert.equal("string", type(message)) end
      end
      pcall(entities.alive, entities, cuttle.entity_from_id(1))
    end
    -- LuaJIT may finalize a world only after the object that revived it is gone.
    local destroyed = tostring(world):find("destroyed", 1, true) ~= nil
    assert.equal(destroyed, not pcall(health.count, health))
  end)

  it("with the metatable of another class is refused by that class's methods", function()
    local s = calls.scene()
    for _, victim in ipairs(OBJECTS) do
      for _, class in ipairs(OBJECTS) do
        local one, other = s[victim], s[class]
        if victim ~= class and type(one) == "userdata" and type(other) == "userdata" then
          local own = debug.getmetatable(one)
          debug.setmetatable(one, debug.getmetatable(other))
          for name, method in pairs(methods.of(other)) do
            if methods.of(s[victim])[name] ~= method then pcall(method, one, s.one, 1, 2, 3) end
          end
          debug.setmetatable(one, own)
        end
      end
    end
    collectgarbage()
    assert(s.entities:validate())
  end)

  it("with a replaced environment raises or works", function()
    if not debug.setfenv then return pending "this Lua has no environments of userdata" end
    local all = in_order(calls.scene())
    for _, victim in ipairs(OBJECTS) do
      local s = calls.scene()
      if type(s[victim]) == "userdata" then
        debug.setfenv(s[victim], {})
        for _, call in ipairs(all) do
          local prepared, f, arguments = pcall(calls.prepare, s, call)
          if prepared and call.name ~= "destroy" then pcall(f, unpack(arguments, 1, arguments.n)) end
        end
        pcall(s.world.destroy, s.world)
        s = nil -- luacheck: ignore
        collectgarbage()
      end
    end
  end)
end)
