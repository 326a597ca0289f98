-- world:buffer, for changes that must wait.

local core = require "cuttle.core"
local cuttle = require "cuttle"
local new_random = require "spec.support.random"
local raises = require "spec.support.raises"
local seed = require "spec.support.seed"
local valid = require "spec.support.valid"

local fail_in = core.testing and core.testing.fail_in

describe("a buffer", function()
  local world, entities, health, buffer

  before_each(function()
    world = cuttle.world(cuttle.entity_manager { minimum_free_indices = 0 })
    entities = world.entities
    health = world:define("health", { { "hp", "float", 100 } })
    world:define("part", { { "size", "int32", 1 } }, { multiple = true })
    buffer = world:buffer()
  end)

  it("changes nothing before the flush, and then all in order", function()
    local e = entities:create()
    local done = {}
    buffer:add(e, "health", { hp = 5 })
    buffer:call(function(...) done[#done + 1] = { hp = health:hp(e), count = select("#", ...), ... } end, 1, nil, nil)
    buffer:remove(e, health)
    buffer:call(function() done[#done + 1] = health:has(e) end)
    buffer:create { health = { hp = 7 } }
    buffer:destroy(e)
    assert.equal(6, buffer:count())
    assert.is_false(health:has(e))
    assert.equal(6, buffer:flush())
    assert.are.same({ { 1, hp = 5, count = 3 }, false }, done)
    assert.equal(0, buffer:count())
    assert.is_false(entities:alive(e))
    assert.equal(1, entities:count())
    for _, instance in health:each() do assert.equal(7, health:hp(instance)) end
    assert.equal(0, buffer:flush())
    valid(world)
  end)

  it("is used inside loops, where removing other rows is not allowed", function()
    for _ = 1, 5 do world:create { health = {} } end
    local all = entities:create_list(0)
    for e in health:each() do all:add(e) end
    for _ in health:each() do
      for other in all:each() do buffer:remove(other, "health") end
    end
    assert.equal(25, buffer:flush())
    assert.equal(0, health:count())
  end)

  it("skips an entity that died meanwhile, and does not count it", function()
    local e, other = world:create { health = {} }, entities:create()
    buffer:destroy(e)
    buffer:destroy(e)
    buffer:add(e, "part")
    buffer:remove(e, "health")
    buffer:add(other, "part")
    entities:destroy(other)
    assert.equal(1, buffer:flush())
    buffer:destroy(e) -- it is dead already
    assert.equal(0, buffer:flush())
    valid(world)
  end)

  it("reads tables at the flush", function()
    local e, values = entities:create(), { hp = 1 }
    buffer:add(e, "health", values)
    values.hp = 2
    buffer:flush()
    assert.equal(2, health:hp(e))
  end)

  it("leaves commands that are added during a flush to the next one", function()
    local calls = 0
    local function again()
      calls = calls + 1
      buffer:call(again)
    end
    buffer:call(again)
    for i = 1, 5 do
      assert.equal(1, buffer:flush())
      assert.equal(i, calls)
      assert.equal(1, buffer:count())
    end
  end)

  it("runs each command once if a command flushes", function()
    local order = {}
    buffer:call(function()
      order[#order + 1] = 1
      buffer:call(table.insert, order, 4)
      assert.equal(3, buffer:flush())
    end)
    buffer:call(table.insert, order, 2)
    buffer:call(table.insert, order, 3)
    assert.equal(1, buffer:flush())
    assert.are.same({ 1, 2, 3, 4 }, order)
    assert.equal(0, buffer:count())
  end)

  it("forgets its commands when it is cleared, also during a flush", function()
    local calls = 0
    local function count() calls = calls + 1 end
    buffer:call(count)
    buffer:clear()
    assert.equal(0, buffer:flush())
    buffer:call(count)
    buffer:call(buffer.clear, buffer)
    buffer:call(count)
    assert.equal(2, buffer:flush())
    assert.equal(1, calls)
    assert.equal(0, buffer:count())
  end)

  it("stops at an error, and keeps the commands after it", function()
    local e = world:create { health = {} }
    buffer:add(e, "part")
    buffer:add(e, "health")
    buffer:remove(e, "part")
    buffer:destroy(e)
    raises("add: entity(0:0) already has a health", buffer.flush, buffer)
    assert.equal(2, buffer:count())
    assert.is_true(world.part:has(e))
    assert.equal(2, buffer:flush())
    assert.is_false(entities:alive(e))
  end)

  it("raises the errors of functions and hooks as they are", function()
    local problem = {}
    buffer:call(error, problem)
    buffer:call(error, "plain", 0)
    local _, raised = pcall(buffer.flush, buffer)
    assert.equal(problem, raised)
    assert.equal("plain", select(2, pcall(buffer.flush, buffer)))
    health:on_add(function() error "in a hook" end)
    buffer:create { health = {} }
    _, raised = pcall(buffer.flush, buffer)
    assert.matches("^[^:]*buffer_spec.lua:%d+: in a hook$", raised)
    assert.equal(0, entities:count())
  end)

  it("names the line of the flush and the command in errors", function()
    local flush = assert(loadstring("local buffer = ...\nbuffer:flush()\nreturn", "=script"))
    buffer:create { health = { hpp = 2 } }
    local _, message = pcall(flush, buffer)
    assert.equal("script:2: create: health: unknown field 'hpp' (did you mean 'hp'?)", message)
    buffer:add(entities:create(), "health", { hp = "x" })
    _, message = pcall(flush, buffer)
    assert.equal("script:2: add: hp: expected a number, got string", message)
  end)

  it("uses a component that was defined again", function()
    local e = entities:create()
    buffer:add(e, "health", { armour = 3 })
    world:define("health", { { "armour", "float" } })
    buffer:flush()
    assert.equal(3, world.health:armour(e))
    raises("health was defined again", buffer.add, buffer, e, health)
  end)

  it("refuses wrong arguments, and stays as it was", function()
    local e = entities:create()
    raises("bad argument #1 to 'create' (table expected, got nil)", buffer.create, buffer)
    raises("bad argument #1 to 'destroy' (entity expected, got number)", buffer.destroy, buffer, 3)
    raises("bad argument #1 to 'add' (entity expected, got nil)", buffer.add, buffer)
    raises("bad argument #2 to 'add' (unknown component 'helth' (did you mean 'health'?))", buffer.add, buffer, e,
      "helth")
    raises("bad argument #2 to 'add' (component manager of this world or its name expected, got nil)", buffer.add,
      buffer, e)
    local other = cuttle.world(entities).transform
    raises("component manager of this world or its name expected", buffer.add, buffer, e, other)
    raises("bad argument #3 to 'add' (table of values expected, got number)", buffer.add, buffer, e, "health", 5)
    raises("bad argument #2 to 'remove' (unknown component 'x')", buffer.remove, buffer, e, "x")
    raises("bad argument #1 to 'remove' (entity expected", buffer.remove, buffer, "e", "health")
    raises("bad argument #1 to 'call' (function expected, got string)", buffer.call, buffer, "f")
    raises("Buffer expected", buffer.flush, world)
    raises("world expected", world.buffer, buffer)
    assert.equal(0, buffer:count())
    assert.equal("Buffer (0 commands)", tostring(buffer))
  end)

  it("raises after its world was destroyed", function()
    buffer:create {}
    world:destroy()
    raises("world is destroyed", buffer.flush, buffer)
    raises("world is destroyed", buffer.create, buffer, {})
    raises("world is destroyed", buffer.call, buffer, print)
    raises("world is destroyed", world.buffer, world)
    raises("world is destroyed", buffer.count, buffer)
    raises("world is destroyed", buffer.clear, buffer)
  end)

  it("stops when a command destroys its world", function()
    buffer:call(world.destroy, world)
    buffer:create {}
    raises("world is destroyed", buffer.flush, buffer)
  end)

  it("keeps its commands when the flush runs out of memory", function()
    if not fail_in then return pending "only test builds make allocations fail" end
    local failures = 0
    for n = 0, 100 do
      local e = entities:create()
      buffer:add(e, "part")
      buffer:create { health = {}, part = { {}, {} } }
      fail_in(n)
      local ok, message = pcall(buffer.flush, buffer)
      fail_in(-1)
      if ok then break end
      failures = failures + 1
      assert.matches("not enough memory", message)
      buffer:clear()
      valid(world)
      world:clear { entities = true }
      world:trim()
    end
    assert.is_true(failures > 0 and failures < 100)
  end)

  it("gives the same world as the calls that it delays, seed " .. seed, function()
    local random = new_random(seed)
    local other = cuttle.world(cuttle.entity_manager { minimum_free_indices = 0 })
    other:define("health", { { "hp", "float", 100 } })
    other:define("part", { { "size", "int32", 1 } }, { multiple = true })
    local first = entities:create(8)
    other.entities:create(8)
    for _ = 1, 300 do
      local e, what = first[random(8)], random(5)
      local name = random(2) == 1 and "health" or "part"
      local alive = other.entities:alive(e)
      if what == 1 and alive and not (name == "health" and other.health:has(e)) then
        buffer:add(e, name)
        other:manager(name):create(e)
      elseif what == 2 and alive then
        buffer:remove(e, name)
        other:manager(name):destroy(e)
      elseif what == 3 and random(20) == 1 then
        buffer:destroy(e)
        other.entities:destroy(e)
      elseif what == 4 then
        buffer:create { health = { hp = random(9) } }
        other:create { health = { hp = 1 } }
      end
      if random(10) == 1 then buffer:flush() end
    end
    buffer:flush()
    for name, manager in world:managers() do assert.equal(other:manager(name):count(), manager:count(), name) end
    assert.equal(other.entities:count(), entities:count())
    valid(world)
  end)
end)
