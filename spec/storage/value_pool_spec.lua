-- Value fields.

local collect = require "spec.support.collect"
local core = require "cuttle.core"
local cuttle = require "cuttle"
local kinds = require "spec.support.kinds"
local raises = require "spec.support.raises"

local function compile(world, source)
  return assert(cuttle.resource((assert(cuttle.compiler(world):compile(source)))))
end

describe("a value field", function()
  local entities, world, m, e, kept, count

  -- Returns a new table. kept[number] refers to it until it is collected.
  local function token()
    count = count + 1
    kept[count] = { count }
    return kept[count]
  end

  local function assert_collected(...)
    collect()
    for _, number in ipairs { ... } do assert.is_nil(kept[number]) end
  end

  before_each(function()
    kept, count = setmetatable({}, { __mode = "v" }), 0
    entities = cuttle.entity_manager()
    world = cuttle.world(entities)
    m = world:define("chest", { { "loot", "value" }, { "locked", "bool", true } })
    e = entities:create()
  end)

  after_each(function()
    if not tostring(world):find "destroyed" then assert.is_true(assert(world:validate())) end
  end)

  it("holds any Lua value, and is nil by default", function()
    m:create(e)
    assert.is_nil(m:loot(e))
    local thread = coroutine.create(function() end)
    for _, value in ipairs { true, 12.5, "text", {}, print, thread, newproxy(), e, world, entities } do
      m:set_loot(e, value)
      assert.equal(value, m:loot(e))
      m:write(e, "loot", value)
      assert.equal(value, m:read(e, "loot"))
      m:set(e, { loot = value })
      assert.equal(value, m:get(e).loot)
      local other = entities:create()
      m:create(other, { loot = value })
      assert.equal(value, m:loot(other))
      assert.equal(value, m:loot(world:create { chest = { loot = value } }))
    end
    m:set_loot(e, false)
    assert.is_false(m:loot(e))
    m:set_loot(e, nil)
    assert.is_nil(m:loot(e))
    assert.same({ locked = true }, m:get(e))
  end)

  it("keeps the table itself that it was given", function()
    local loot = token()
    m:create(e, { loot = loot })
    loot.more = 1
    assert.equal(loot, m:loot(m:lookup(e)))
    assert.equal(loot, world:inspect(e).chest.loot)
    m:set(e, { locked = false })
    assert.equal(loot, m:loot(e))
  end)

  it("is listed in fields, and has no column", function()
    assert.same({ { "loot", "value" }, { "locked", "bool" } }, m:fields())
    raises("chest.loot is a value: it has no column", m.column, m, "loot")
    for _, kind in ipairs(kinds) do
      kind.with(function() raises("chest.loot is a value: it has no column", m.column, m, "loot") end)
    end
    raises("chest.loot is not a writable column of numbers", world.copy, world, "chest", "loot", "chest", "loot")
    raises("chest.loot is not a writable column of numbers", world.add_scaled, world, "chest", "loot", "chest", "loot",
      1)
  end)

  it("has no default", function()
    for _, schema in ipairs { { { "loot", "value", 1 } }, { { "loot", "value", default = {} } },
      { { "loot", "value", false } } } do
      raises("loot: a value has no default (it is nil unless given)", world.define, world, "bag", schema)
    end
    assert.is_nil(world:manager "bag")
  end)

  it("takes exactly one value", function()
    m:create(e, { loot = 1 })
    raises("value expected", m.set_loot, m, e)
    raises("value expected", m.write, m, e, "loot")
    raises("one value expected", m.set_loot, m, e, 2, 3)
    assert.equal(1, m:loot(e))
  end)

  it("is unchanged, and holds no new value, after calls that fail", function()
    m:create(e, { loot = token() })
    assert.is_false(pcall(m.set, m, e, { loot = token(), locked = 5 }))
    assert.is_false(pcall(m.create, m, e, { loot = token() }))
    assert.is_false(pcall(m.create_many, m, entities:create(2), { loot = { token(), token() }, locked = 7 }))
    assert.is_false(pcall(m.write_many, m, { e, e }, "loot", { token(), token(), token() }))
    assert.is_false(pcall(world.create, world, { chest = { loot = token() }, transform = { scale = "x" } }))
    assert.is_false(pcall(world.create, world, { chest = { loot = { token(), token() }, locked = 5 } }, 3))
    assert.is_false(pcall(world.template, world, { chest = { loot = token(), locked = 1 } }))
    assert_collected(2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)
    assert.equal(kept[1], m:loot(e))
    assert.equal(1, m:count())
  end)

  it("releases its value if a later component of the same create fails", function()
    world:define("bag", { { "loot", "value" } }, { multiple = true })
    local components = { chest = { loot = token() }, bag = { { id = "a", loot = token() }, { id = "a" } } }
    raises("duplicate component id", world.create, world, components)
    components.chest.loot, components.bag[1].loot = nil, nil
    for i = 1, 9 do m:create(entities:create(), { loot = { i } }) end
    assert_collected(1, 2)
    local seen = 0
    for owner in m:each() do
      seen = seen + 1
      assert.same({ seen }, m:loot(owner))
    end
    local template = world:template { chest = { loot = token() }, bag = { { id = 1, loot = token() }, { id = 1 } } }
    raises("duplicate component id", template.create, template, 2)
    m:create(e, { loot = token() })
    template = nil -- luacheck: ignore
    assert_collected(3, 4)
    assert.equal(kept[5], m:loot(e))
  end)

  it("takes one value for each of a list, or one for all that is not a table", function()
    local list = entities:create(3)
    local a, c = token(), token()
    m:create_many(list, { loot = { a, false, c } })
    assert.same({ a, false, c }, m:read_many(list, "loot"))
    assert.equal(a, m:loot(list[1]))
    assert.is_nil(m:loot(list[2]))
    assert.equal(3, m:write_many(list, "loot", { false, "b", a }))
    assert.equal(a, m:loot(list[3]))
    assert.is_nil(m:loot(list[1]))
    assert.equal(3, m:write_many(cuttle.list(list), "loot", print))
    assert.same({ print, print, print }, m:read_many(list, "loot"))
    assert.equal(2, m:write_many({ list[1], list[1] }, "loot", { 1, 2 }))
    assert.equal(2, m:loot(list[1]))
    m:write_many(list, "loot", false)
    assert.same({ false, false, false, false }, m:read_many({ list[1], list[2], list[3], e }, "loot"))
    raises("loot: expected 3 values, got 2", m.write_many, m, list, "loot", { 1, 2 })
  end)

  it("has one value for all entities of world:create, by reference", function()
    local loot = { token(), false, token() }
    local list = world:create({ chest = { loot = loot } }, 3)
    for i = 1, 3 do assert.equal(loot, m:loot(list[i])) end
    assert.is_false(m:loot(world:create({ chest = { loot = false } }, 2)[2]))
  end)

  it("has one value for all entities of a template, by reference", function()
    local loot = token()
    local template = world:template { chest = { loot = loot }, debug_name = { name = "box" } }
    local list = template:create(3)
    list[4] = template:create()
    for i = 1, 4 do assert.equal(loot, m:loot(list[i])) end
    loot = nil
    entities:destroy(cuttle.list(list))
    collect()
    assert.equal(kept[1], m:loot(template:create()))
    local other = world:define("bag", { { "a", "value" }, { "b", "value" }, { "c", "value" } }, { multiple = true })
    local made = world:template { chest = {}, bag = { { a = 1, c = loot }, { b = print } } }:create()
    assert.is_nil(m:loot(made))
    assert.same({ a = 1 }, other:get(other:lookup(made)))
    assert.same({ b = print }, other:get(other:next(other:lookup(made))))
    template = nil -- luacheck: ignore
    entities:destroy(e)
    world:clear()
    assert_collected(1)
  end)

  it("has a value of its own in each of several components of an entity", function()
    local bag = world:define("bag", { { "loot", "value" } }, { multiple = true })
    local first, second = bag:create(e, { id = "a", loot = token() }), bag:create(e, { loot = token() })
    bag:create(e, { id = "c", loot = token() })
    assert.equal(kept[1], bag:loot(first))
    assert.equal(kept[2], bag:loot(second))
    assert.equal(1, bag:destroy(first))
    assert_collected(1)
    assert.equal(kept[3], bag:loot(bag:lookup(e, "c")))
    assert.equal(2, bag:destroy(e))
    assert_collected(2, 3)
  end)

  describe("releases its value at once", function()
    it("when another value replaces it", function()
      m:create(e, { loot = token() })
      m:set_loot(e, token())
      assert_collected(1)
      m:set(e, { loot = token() })
      assert_collected(2)
      m:write_many({ e }, "loot", { token() })
      assert_collected(3)
      m:set_loot(e, nil)
      assert_collected(4)
    end)

    it("when the component is destroyed", function()
      m:create(e, { loot = token() })
      assert.equal(1, m:destroy(e))
      assert_collected(1)
      m:create(e, { loot = token() })
      assert.equal(1, m:destroy(m:lookup(e)))
      assert_collected(2)
    end)

    it("when the entity is destroyed, before gc", function()
      m:create(e, { loot = token() })
      entities:destroy(e)
      assert_collected(1)
      assert.equal(1, m:count())
      local list = world:create({ chest = { loot = { token(), token() } } }, 2)
      entities:destroy(cuttle.list(list))
      assert_collected(2, 3)
      world:gc "all"
      assert.equal(0, m:count())
    end)

    it("when the last field that shares it is destroyed", function()
      local list = world:template({ chest = { loot = token() } }):create(3)
      entities:destroy(list[1])
      m:destroy(list[2])
      collect()
      assert.equal(kept[1], m:loot(list[3]))
      m:set_loot(list[3], 1)
      assert_collected(1)
    end)

    it("when the world is cleared, with its entities or without", function()
      m:create(e, { loot = token() })
      world:clear()
      assert_collected(1)
      m:create(e, { loot = token() })
      world:clear { entities = true }
      assert_collected(2)
    end)

    it("when the world is destroyed or collected", function()
      m:create(e, { loot = token() })
      world:destroy()
      assert_collected(1)
      world = cuttle.world(entities)
      m = world:define("chest", { { "loot", "value" } })
      e = entities:create()
      m:create(e, { loot = token() })
      world, m = nil, nil
      assert_collected(2)
      world = cuttle.world(entities)
    end)

    it("when a level is unloaded", function()
      local source = { entities = { { components = { chest = { loot = { 1 } } } } } }
      local level = assert(world:spawn(compile(world, source)))
      kept[1] = m:loot(level:entity(1))
      m:set_loot(level:entity(1), setmetatable(token(), { __index = kept[1] }))
      assert_collected(2)
      level:unload()
      assert_collected(1)
    end)

    it("when a hook undoes a create", function()
      local hook = m:on_add(function() error("no", 0) end)
      assert.is_false(pcall(m.create, m, e, { loot = token() }))
      assert.is_false(pcall(m.create_many, m, { e }, { loot = { token() } }))
      assert.is_false(pcall(world.create, world, { chest = { loot = token() } }))
      assert.is_false(pcall(world.create, world, { chest = { loot = token() } }, 0 + 1, 5))
      local template = world:template { chest = { loot = token() } }
      assert.is_false(pcall(template.create, template, 3))
      template = nil -- luacheck: ignore
      assert_collected(1, 2, 3, 4, 5)
      assert.is_true(m:off_add(hook))
    end)
  end)

  it("does not keep its world alive if its value refers to the world", function()
    local worlds = setmetatable({}, { __mode = "v" })
    for i = 1, 3 do
      local own = i < 3 and entities or cuttle.entity_manager()
      local w = cuttle.world(own)
      local bag = w:define("bag", { { "loot", "value" } })
      local loot = { w, own, bag, token() }
      bag:create(own:create(), { loot = loot })
      loot.template = w:template { bag = { loot = loot } }
      loot.template:create()
      loot.callback = coroutine.wrap(function() return loot, w end)
      worlds[i] = w
    end
    assert_collected(1, 2, 3)
    assert.same({}, worlds)
  end)

  it("can be read in callbacks of its component's end, but not written in those of its owner's", function()
    local seen = {}
    local function note(prefix) return function(owner) seen[#seen + 1] = prefix .. tostring(m:loot(owner)) end end
    m:on_remove(note "hook ")
    local own = entities:on_destroy(function(owner)
      note "entity "(owner)
      raises("is being destroyed", m.set_loot, m, owner, 5)
    end)
    m:create(e, { loot = "gold" })
    m:destroy(e)
    m:create(e, { loot = "silver" })
    entities:destroy(e)
    e = world:create { chest = { loot = "iron" }, actor = {} }
    world.actor:on_destroy(function(owner) note "actor "(owner) end)
    world.actor:set_body(e, 1)
    world:clear()
    assert.same({ "hook gold", "entity silver", "hook silver", "hook iron", "actor iron" }, seen)
    entities:off_destroy(own)
  end)

  it("may be written in on_remove of its component, and the new value is released too", function()
    m:on_remove(function(owner) m:set_loot(owner, token()) end)
    m:create(e, { loot = token() })
    m:destroy(e)
    assert_collected(1, 2)
  end)

  it("survives changes by finalizers, coroutines and callbacks", function()
    local own = entities:on_destroy(function() collectgarbage() end)
    for round = 1, 20 do
      local w = cuttle.world(entities)
      local bag = w:define("bag", { { "loot", "value" } })
      local list = w:create({ bag = { loot = round } }, 5)
      for i, owner in ipairs(list) do
        local proxy = newproxy(true)
        getmetatable(proxy).__gc = function()
          pcall(entities.destroy, entities, list[i % 5 + 1])
          pcall(bag.set_loot, bag, list[(i + 1) % 5 + 1], {})
          pcall(bag.loot, bag, list[(i + 2) % 5 + 1])
          if round % 3 == 0 then pcall(w.destroy, w) end
          if round % 3 == 1 then pcall(w.clear, w) end
        end
        bag:set_loot(owner, { proxy, w })
      end
      bag:on_remove(function(owner) return pcall(bag.set_loot, bag, owner, { owner }) end)
      local step = coroutine.wrap(function()
        for _, owner in ipairs(list) do coroutine.yield(pcall(bag.set_loot, bag, owner, { list })) end
      end)
      for _ = 1, 3 do step() end
      entities:destroy(list[1])
      collectgarbage()
      if round % 2 == 0 and not tostring(w):find "destroyed" then
        assert.is_true(assert(w:validate()))
        w:destroy { entities = true }
      end
    end
    entities:off_destroy(own)
    collect()
    assert.is_true(assert(entities:validate()))
  end)

  it("is removed with its component when that is defined again", function()
    m:create(e, { loot = token() })
    assert.equal(m, world:define("chest", { { "loot", "value" }, { "locked", "bool", false } }))
    raises("has 1 row", world.define, world, "chest", { { "loot", "float" } })
    assert.equal(kept[1], m:loot(e))
    m:destroy(e)
    local anew = world:define("chest", { { "loot", "float", 3 } })
    anew:create(e)
    assert.equal(3, anew:loot(e))
    assert_collected(1)
    anew:destroy(e)
    world:define("chest", { { "loot", "value" } }):create(e, { loot = token() })
    assert.equal(kept[2], world.chest:loot(e))
    entities:destroy(e)
    assert_collected(2)
  end)

  it("moves with its component when rows move", function()
    local list = entities:create(100)
    for i, owner in ipairs(list) do m:create(owner, { loot = { i } }) end
    for i = 1, 100, 3 do entities:destroy(list[i]) end
    for i = 2, 100, 3 do m:destroy(list[i]) end
    world:gc "all"
    for i = 3, 100, 3 do assert.same({ i }, m:loot(list[i])) end
    assert.equal(33, m:count())
  end)

  it("keeps its value when spare memory is freed", function()
    local list = entities:create(100)
    for i, owner in ipairs(list) do m:create(owner, { loot = { i } }) end
    for i = 1, 100 do
      if i ~= 30 then entities:destroy(list[i]) end
    end
    world:gc "all"
    assert.is_true(world:trim() > 0)
    assert.same({ 30 }, m:loot(list[30]))
    m:create(e, { loot = token() })
    assert.equal(kept[1], m:loot(e))
    world:clear()
    world:trim()
    assert.is_true(assert(world:validate()))
    m:create(e, { loot = "again" })
    assert.equal("again", m:loot(e))
  end)

  it("is unchanged when memory runs out", function()
    local fail_in = core.testing and core.testing.fail_in
    if not fail_in then return end
    m:create(e, { loot = "old" })
    local resource = compile(world, { entities = { { name = "a", components = { chest = { loot = { "new" } } } } } })
    local list = entities:create(3)
    local calls = {
      function() m:set_loot(e, token()) end,
      function() m:set(e, { loot = token(), locked = false }) end,
      function() m:write_many({ e, e }, "loot", { token(), token() }) end,
      function() m:create_many(list, { loot = { 1, 2, 3 } }) end,
      function() world:create({ chest = { loot = { 1, 2, 3, 4, 5, 6, 7, 8, 9 } } }, 9) end,
      function() world:template({ chest = { loot = token() } }):create(9) end,
      function()
        local level, message = world:spawn_many(resource, 9, { overrides = { a = { chest = { loot = { "over" } } } } })
        if not level then error(message, 0) end
      end,
    }
    for _, call in ipairs(calls) do
      for n = 0, 100 do
        local rows, before = m:count(), m:loot(e)
        fail_in(n)
        local ok, message = pcall(call)
        fail_in(-1)
        if ok then break end
        assert.matches("not enough memory", message)
        assert.equal(before, m:loot(e))
        assert.equal(rows, m:count())
        assert.is_true(assert(world:validate()))
      end
    end
  end)
end)
