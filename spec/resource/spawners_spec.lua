-- Spawners that scripts register.

local core = require "cuttle.core"
local cuttle = require "cuttle"
local counts = require "spec.support.counts"
local raises = require "spec.support.raises"
local valid = require "spec.support.valid"

-- Spikes are spawned second, after transforms, and traps after all other types.
local LEVEL = { entities = {
  { name = "pit", components = { transform = { position = { 1, 0, 0 } }, spikes = { length = 2, kind = "iron" } },
    children = { { name = "wall" }, { name = "edge", components = { spikes = { length = 3, kind = "wood" } } } } },
  { name = "door", components = { health = { hp = 5 }, trap = { foe = "pit" } } },
} }

describe("a spawner that a script registers", function()
  local entities, world, compiler

  local function define(w)
    w:define("health", { { "hp", "float", 100 } })
    w:define("note", { { "text", "string" } })
    return w
  end

  before_each(function()
    entities = cuttle.entity_manager()
    world = define(cuttle.world(entities))
    compiler = cuttle.compiler(world)
    compiler:register("spikes", function(config, context)
      return context.writer():f32(config.length):string(config.kind):tostring()
    end, 2)
    compiler:register("trap", function(config, context)
      return context.writer():u32(context.entity(config.foe)):tostring()
    end)
  end)

  local function load(source) return assert(cuttle.resource((assert(compiler:compile(source or LEVEL))))) end

  local function refused(text, resource, options)
    local before = counts(world)
    local level, message = world:spawn(resource, options)
    assert.is_nil(level)
    assert.equal("string", type(message))
    assert.is_truthy(message:find(text, 1, true), message)
    world:gc()
    for name, manager in world:managers() do manager:gc "all"; assert.equal(before[name], manager:count(), name) end
    assert.equal(before.entities, entities:count())
    valid(world)
    return message
  end

  describe("is called", function()
    it("with the level's entities, the number of instances, their owners, and the bytes of each", function()
      local calls = {}
      world:register_spawner("spikes", function(...) calls[#calls + 1] = { n = select("#", ...), ... } end)
      local level = assert(world:spawn(load()))
      assert.equal(1, #calls)
      local lookup, count, index, data = unpack(calls[1])
      assert.equal(4, calls[1].n)
      assert.are.same(level:entities(), lookup)
      assert.equal(2, count)
      assert.are.same({ 0, 2 }, index)
      assert.equal(2, #data)
      local r = cuttle.reader(data[2])
      assert.equal(3, r:f32())
      assert.equal("wood", r:string())
      assert.equal(0, r:left())
      assert.equal(level:find "pit/edge", lookup[index[2] + 1])
    end)

    it("once for each type in spawn order, after components of earlier types exist and before later ones", function()
      local seen = {}
      local function spy(name)
        return function(lookup)
          seen[#seen + 1] = { name, world.transform:has(lookup[1]), world.debug_name:has(lookup[1]),
            world.health:has(lookup[4]) }
        end
      end
      world:register_spawner("trap", spy "trap")
      world:register_spawner("spikes", spy "spikes")
      local first = compiler:register("early", function() return "" end, 0)
      assert.is_nil(first)
      world:register_spawner("early", spy "early")
      compiler:register("late", function() return "" end, 50)
      world:register_spawner("late", spy "late")
      local source = { entities = { { name = "a", components = { transform = {}, early = {}, late = {}, spikes =
        { length = 1, kind = "" }, trap = { foe = "a" } } }, {}, {}, { components = { health = {} } } } }
      assert(world:spawn(load(source)))
      assert.are.same({ { "early", false, false, false }, { "spikes", true, true, false },
        { "late", true, true, false }, { "trap", true, true, true } }, seen)
    end)

    it("with tables that it may change", function()
      world:register_spawner("spikes", function(lookup, _, index, data)
        for i = 1, #lookup do lookup[i] = nil end
        index[1], data[1] = nil, nil
      end)
      local seen
      world:register_spawner("trap", function(lookup) seen = #lookup end)
      local level = assert(world:spawn(load()))
      assert.equal(4, seen)
      assert.equal(4, level:count())
    end)

    it("before on_spawn of actors", function()
      local order = {}
      world.actor:on_spawn(function() order[#order + 1] = "actor" end)
      world:register_spawner("trap", function() order[#order + 1] = "trap" end)
      assert(world:spawn(load { entities = { { name = "a", components = { actor = {}, trap = { foe = "a" } } } } }))
      assert.are.same({ "trap", "actor" }, order)
    end)

    it("again at each spawn, in its own world only", function()
      local calls, other = 0, define(cuttle.world(entities))
      world:register_spawner("spikes", function() calls = calls + 1 end)
      local resource = load()
      world:spawn(resource)
      world:spawn(resource)
      local level = other:spawn(resource)
      assert.equal(2, calls)
      assert.are.same({ spikes = 2, trap = 1 }, level:skipped())
    end)

    it("in a coroutine", function()
      world:register_spawner("spikes", function(lookup) world.note:create(lookup[1]) end)
      local resource, level = load()
      assert(coroutine.resume(coroutine.create(function() level = world:spawn(resource) end)))
      assert.is_true(world.note:has(level:find "pit"))
    end)

    it("only if there are instances of its type", function()
      world:register_spawner("spikes", function() error "called" end)
      assert(world:spawn(load { entities = { {} } }))
    end)

    it("with bytes of any values and length", function()
      local texts = { "", "\0", ("x"):rep(100000), "a\0b\255" }
      compiler:register("bytes", function(config) return texts[config.n] end)
      local seen
      world:register_spawner("bytes", function(_, _, _, data) seen = data end)
      local source = { entities = {} }
      for i = 1, 4 do source.entities[i] = { components = { bytes = { n = i } } } end
      assert(world:spawn(load(source)))
      assert.are.same(texts, seen)
    end)
  end)

  describe("replaces", function()
    it("one of the same name, and nil removes it", function()
      local calls = {}
      world:register_spawner("spikes", function() calls[#calls + 1] = "old" end)
      world:register_spawner("spikes", function() calls[#calls + 1] = "new" end)
      local resource = load()
      world:spawn(resource)
      world:register_spawner("spikes", nil)
      assert.are.same({ spikes = 2, trap = 1 }, world:spawn(resource):skipped())
      assert.are.same({ "new" }, calls)
    end)

    it("none in a spawn that has begun, which calls the spawners registered at its beginning", function()
      local calls = {}
      world:register_spawner("spikes", function()
        world:register_spawner("trap", function() calls[#calls + 1] = "new" end)
      end)
      world:register_spawner("trap", function() calls[#calls + 1] = "old" end)
      world:spawn(load())
      assert.are.same({ "old" }, calls)
    end)
  end)

  describe("raises", function()
    it("for a wrong name or function", function()
      raises("bad argument #1 to 'register_spawner' (string expected, got nil)",
        function() world:register_spawner(nil, print) end)
      for _, name in ipairs { "a b", "" } do
        raises(("'%s' is not a valid component name (letters, digits, _)"):format(name),
          function() world:register_spawner(name, print) end)
      end
      raises("bad argument #2 to 'register_spawner' (function expected, got string)",
        function() world:register_spawner("a", "b") end)
      raises("function expected, got no value", function() world:register_spawner "a" end)
      raises("world expected, got table", world.register_spawner, {}, "a", print)
    end)

    it("for a name that has the hash of a component's name or of another spawner's", function()
      -- The 32-bit FNV-1a hash of both names is 5E4DAA9D.
      local trouble = "bad argument #1 to 'register_spawner' (component names 'liquid' and 'costarring' have one hash: "
        .. "choose another)"
      world:register_spawner("costarring", print)
      world:register_spawner("costarring", print)
      raises(trouble, function() world:register_spawner("liquid", print) end)
      world:register_spawner("costarring", nil)
      world:register_spawner("liquid", print)
      world:register_spawner("liquid", nil)
      world:define("costarring", {})
      raises(trouble, function() world:register_spawner("liquid", print) end)
    end)

    it("if the world is destroyed", function()
      world:destroy()
      raises("world is destroyed", function() world:register_spawner("spikes", print) end)
    end)
  end)

  describe("for a type, if it is missing,", function()
    it("has its instances skipped and counted", function()
      local level = assert(world:spawn(load()))
      assert.are.same({ spikes = 2, trap = 1 }, level:skipped())
    end)

    it('makes the spawn fail with unknown = "error"', function()
      refused("spikes: 2 instances of a component type that the world has no spawner for", load(),
        { unknown = "error" })
    end)

    it("has no instances skipped after it was registered", function()
      world:register_spawner("spikes", function() end)
      world:register_spawner("trap", function() end)
      assert.are.same({}, assert(world:spawn(load(), { unknown = "error" })):skipped())
    end)

    it("has its instances skipped if it is registered, or the type is defined, during the spawn", function()
      local bytes = assert(compiler:compile(LEVEL))
      world = cuttle.world(entities)
      world:register_spawner("spikes", function()
        world:register_spawner("trap", function() error "not now" end)
        define(world)
      end)
      local level = assert(world:spawn(cuttle.resource(bytes)))
      assert.are.same({ health = 1, trap = 1 }, level:skipped())
      assert.equal(0, world.health:count())
    end)
  end)

  describe("for a type that is defined in the world", function()
    local function resource_of_health()
      compiler:register("health", function(config, context) return context.writer():u8(config.hp):tostring() end)
      return load { entities = { { name = "orc", components = { health = { hp = 7 } } } } }
    end

    it("is called, and may create the components", function()
      world:register_spawner("health", function(lookup, count, index, data)
        for i = 1, count do world.health:create(lookup[index[i] + 1], { hp = cuttle.reader(data[i]):u8() }) end
      end)
      local level = assert(world:spawn(resource_of_health()))
      assert.equal(7, world.health:hp(level:find "orc"))
    end)

    it("is required for data of a registered compiler", function()
      refused("health: the resource has the output of a registered compiler, the world has fields for it: "
        .. "register a spawner or compile it again", resource_of_health())
    end)

    it("is not called for data that was compiled from fields", function()
      world:register_spawner("health", function() error "called" end)
      local level = assert(world:spawn(load { entities = { { components = { health = { hp = 3 } } } } }))
      assert.equal(3, world.health:hp(level:entity(1)))
    end)

    it("does not make data known that was compiled from fields", function()
      local bytes = assert(compiler:compile { entities = { { components = { health = { hp = 3 } } } } })
      world = cuttle.world(entities)
      world:register_spawner("health", function() error "called" end)
      assert.are.same({ health = 1 }, world:spawn(cuttle.resource(bytes)):skipped())
    end)
  end)

  describe("can", function()
    it("create components and entities, link, collect and define", function()
      world:register_spawner("spikes", function(lookup)
        world.note:create_many(lookup, { text = "seen" })
        world.transform:create(lookup[2])
        world.transform:link(lookup[2], lookup[1])
        world:create { note = { text = "other" } }
        world:define("extra", { { "x", "int32" } }):create(lookup[3])
        world:gc()
        world.note:gc "all"
        world.transform:sort()
        collectgarbage()
      end)
      local level = assert(world:spawn(load()))
      assert.equal("seen", world.note:text(level:find "door"))
      assert.is_true(world.extra:has(level:find "pit/edge"))
      assert.equal(5, entities:count())
      valid(world)
    end)

    it("spawn and unload other levels, of the same resource too", function()
      local resource, depth, inner = load(), 0, {}
      world:register_spawner("spikes", function()
        depth = depth + 1
        if depth < 4 then inner[depth] = assert(world:spawn(resource)) end
        depth = depth - 1
        if inner[depth + 2] then inner[depth + 2]:unload() end
      end)
      local level = assert(world:spawn(resource))
      assert.equal(4, level:count())
      level:unload()
      for _, other in pairs(inner) do other:unload() end
      assert.equal(0, entities:count())
      valid(world)
    end)

    it("not be nested too deep", function()
      local resource, message = load()
      world:register_spawner("spikes", function()
        local ok, level, trouble = pcall(world.spawn, world, resource)
        if not ok then trouble = level end
        message = message or trouble
      end)
      assert(world:spawn(resource))
      -- Lua 5.1 also limits its own C calls, and may reach that limit first.
      assert.is_true(message == "too many nested callbacks (limit is 100)" or message:find "C stack overflow" ~= nil)
      valid(world)
    end)

    it("not destroy or clear the world", function()
      local messages = {}
      world:register_spawner("spikes", function()
        messages[1] = select(2, pcall(world.destroy, world))
        messages[2] = select(2, pcall(world.clear, world))
        messages[3] = select(2, pcall(world.clear, world, { entities = true }))
      end)
      assert(world:spawn(load()))
      for i = 1, 3 do assert.equal("world is in use", messages[i]) end
    end)

    it("destroy entities of the level that get no more components", function()
      world:register_spawner("spikes", function(lookup) entities:destroy(lookup[2]) end)
      local level = assert(world:spawn(load()))
      assert.equal(4, level:count())
      assert.is_nil(level:find "wall")
      assert.equal(3, entities:count())
      valid(world)
    end)
  end)

  describe("makes the spawn fail, and nothing is left,", function()
    it("if it raises; the message has its type and the place in the source", function()
      world:register_spawner("trap", function() error "no room" end)
      local message = refused("no room", load())
      assert.matches("^trap: .*spawners_spec%.lua:%d+: no room$", message)
      world:register_spawner("trap", function(lookup) return lookup.x.y end)
      assert.matches("^trap: .*spawners_spec%.lua:%d+: attempt to index", refused("trap: ", load()))
    end)

    it("if it raises; the message begins with the name of the resource", function()
      local path = os.tmpname()
      local file = assert(io.open(path, "wb"))
      file:write((assert(compiler:compile(LEVEL))))
      file:close()
      local resource = assert(cuttle.load(path))
      os.remove(path)
      world:register_spawner("spikes", function() error("broken", 0) end)
      assert.equal(path .. ": spikes: broken", refused("broken", resource))
    end)

    it("if it raises a value without a message", function()
      for _, value in ipairs { {}, true, print } do
        world:register_spawner("spikes", function() error(value) end)
        assert.equal("spikes: a spawner raised no message", refused("spikes", load()))
      end
      world:register_spawner("spikes", function() error(nil) end)
      assert.equal("spikes: a spawner raised no message", refused("spikes", load()))
    end)

    it("if it yields", function()
      world:register_spawner("spikes", function() coroutine.yield() end)
      local resource, level, message = load()
      assert(coroutine.resume(coroutine.create(function() level, message = world:spawn(resource) end)))
      assert.is_nil(level)
      assert.matches("^spikes: .*attempt to yield", message)
      assert.equal(0, entities:count())
    end)

    it("if it destroys an entity before all its components exist", function()
      world:register_spawner("spikes", function(lookup) entities:destroy(lookup[4]) end)
      assert.equal('health: entity(3:0) "door" died while the level was spawned', refused("health", load()))
    end)

    it("if it creates a component that the level will create", function()
      world:register_spawner("spikes", function(lookup) world.health:create(lookup[4]) end)
      assert.equal('health: entity(3:0) "door" was given one while the level was spawned', refused("health", load()))
    end)

    it("if it redefines a component that the level will create", function()
      world:register_spawner("spikes", function() world:define("health", { { "hp", "double" } }) end)
      assert.matches("^spikes: .*world is in use", refused("spikes", load()))
    end)

    it("if it destroys the parent before the transforms exist", function()
      compiler:register("early", function() return "" end, 0)
      local parent = world:create { transform = {} }
      world:register_spawner("early", function() entities:destroy(parent) end)
      local resource = load { entities = { { components = { transform = {}, early = {} } } } }
      local level, message = world:spawn(resource, { parent = parent })
      assert.is_nil(level)
      assert.equal("parent: it lost its transform while the level was spawned", message)
      assert.equal(0, entities:count())
      valid(world)
    end)

    it("if a later spawner raises, including what earlier spawners added to the level's entities", function()
      local freed = {}
      world.actor:on_destroy(function(_, body) freed[#freed + 1] = body end)
      world:register_spawner("spikes", function(lookup)
        world.note:create_many(lookup)
        world.actor:create(lookup[1], { body = "crate" })
        world:attach "plan"[lookup[2]] = "gone soon"
      end)
      world:register_spawner("trap", function() error("stop", 0) end)
      refused("trap: stop", load())
      assert.are.same({ "crate" }, freed)
      assert.is_nil(next(world:attach "plan"))
    end)

    it("if on_spawn raises after it", function()
      local freed = 0
      world:register_spawner("trap", function(lookup) world.actor:create(lookup[1], { body = 1 }) end)
      world.actor:on_destroy(function() freed = freed + 1 end)
      world.actor:on_spawn(function() error("not today", 0) end)
      refused("not today", load { entities = { { name = "a", components = { trap = { foe = "a" } } },
        { components = { actor = {} } } } })
      assert.equal(1, freed)
    end)

    it("if it raises for lack of free entities", function()
      world:register_spawner("spikes", function() entities:create_list(cuttle.MAX_ENTITIES) end)
      refused("spikes: ", load())
    end)
  end)

  it("may set an on_spawn that runs in the same spawn", function()
    local calls = 0
    world:register_spawner("trap", function() world.actor:on_spawn(function() calls = calls + 1 end) end)
    assert(world:spawn(load { entities = { { name = "a", components = { trap = { foe = "a" }, actor = {} } } } }))
    assert.equal(1, calls)
  end)

  it("is not called if there are not enough free entities", function()
    world:register_spawner("spikes", function() error "called" end)
    local resource = load()
    local list = entities:create_list(cuttle.MAX_ENTITIES - 3)
    local level, message = world:spawn(resource)
    assert.is_nil(level)
    assert.equal("entity manager is full (4194301 alive): 3 of 4 fit", message)
    list:clear()
  end)

  it("cannot make the level accept an entity with a reused id", function()
    entities = cuttle.entity_manager { minimum_free_indices = 0 }
    world = define(cuttle.world(entities))
    local reused
    world:register_spawner("spikes", function(lookup)
      local old = lookup[4]
      entities:destroy(old)
      repeat
        if reused then entities:destroy(reused) end
        reused = entities:create()
      until reused == old
    end)
    local level, message = world:spawn(load())
    assert.is_nil(level)
    assert.matches('^health: entity%(3:0%) "door" died', message)
    assert.is_true(entities:alive(reused))
    assert.equal(1, entities:count())
    valid(world)
  end)

  it("leaves no entity in a reference to an entity that it destroyed, even if the id is reused", function()
    entities = cuttle.entity_manager { minimum_free_indices = 0 }
    world = cuttle.world(entities)
    world:define("aim", { { "foe", "entity" } })
    compiler = cuttle.compiler(world)
    compiler:register("first", function() return "" end, 2)
    local resource = load { entities = { { components = { first = {}, aim = { foe = "foe" } } }, { name = "foe" } } }
    world:register_spawner("first", function(lookup)
      local foe, other = lookup[2]
      entities:destroy(foe)
      repeat
        if other then entities:destroy(other) end
        other = entities:create()
      until other == foe
    end)
    local level = assert(world:spawn(resource))
    assert.is_nil(world.aim:foe(level:entity(1)))
    valid(world)
  end)

  describe("at a restart", function()
    it("is called again", function()
      local calls = 0
      world:register_spawner("spikes", function(lookup)
        calls = calls + 1
        world.note:create(lookup[1], { text = "n" .. calls })
      end)
      local level = assert(world:spawn(load()))
      assert.equal(level, level:restart())
      assert.equal("n2", world.note:text(level:find "pit"))
      assert.equal(4, entities:count())
      valid(world)
    end)

    it("is looked up before anything changes", function()
      world:register_spawner("spikes", function() end)
      world:register_spawner("trap", function() end)
      local level = assert(world:spawn(load(), { unknown = "error" }))
      local pit = level:find "pit"
      world:register_spawner("trap", nil)
      local result, message = level:restart()
      assert.is_nil(result)
      assert.equal("trap: 1 instance of a component type that the world has no spawner for", message)
      assert.equal(pit, level:find "pit")
    end)

    it("that raises keeps the old entities, and the level can be restarted later", function()
      local fail = false
      world:register_spawner("spikes", function() if fail then error("stop", 0) end end)
      local level = assert(world:spawn(load()))
      local pit = level:find "pit"
      fail = true
      local result, message = level:restart()
      assert.is_nil(result)
      assert.equal("spikes: stop", message)
      assert.equal(4, level:count())
      assert.equal(4, entities:count())
      assert.equal(pit, level:find "pit")
      fail = false
      assert.equal(level, level:restart())
      assert.equal(4, level:count())
      assert.is_false(entities:alive(pit))
    end)

    it("cannot unload or restart the level that is being spawned", function()
      local level, results
      world:register_spawner("spikes", function()
        if level then results = { level:unload(), select(2, level:restart()) } end
      end)
      level = assert(world:spawn(load()))
      assert.equal(level, level:restart())
      assert.are.same({ 0, "the level is being spawned" }, results)
      assert.equal(4, entities:count())
    end)
  end)

  it("leaves nothing if any allocation fails", function()
    if not core.testing then return pending "only test builds make allocations fail" end
    local resource = load()
    local fail_in, failures, done = core.testing.fail_in, 0
    repeat
      entities = cuttle.entity_manager()
      world = define(cuttle.world(entities))
      local w = world
      world:register_spawner("spikes", function(lookup)
        w.note:create_many(lookup, { text = ("long "):rep(20) })
        w:create { note = {}, transform = {} }
      end)
      world:register_spawner("trap", function(lookup) w.health:create(lookup[1]) end)
      fail_in(failures)
      local level, message = world:spawn(resource)
      fail_in(-1)
      if not level then
        assert.matches("not enough memory", message)
        assert.is_true(entities:count() <= 1)
        for name, manager in world:managers() do assert.is_true(manager:count() <= 1, name) end
      end
      valid(world)
      failures, done = failures + 1, level ~= nil
    until done
    assert.is_true(failures > 8)
  end)
end)
