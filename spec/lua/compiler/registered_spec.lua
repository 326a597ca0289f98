-- Component compilers registered from Lua: their arguments, results and errors.

local blob = require "spec.support.blob"
local cuttle = require "cuttle"
local folder = require "spec.support.folder"
local raises = require "spec.support.raises"

local null = cuttle.null

describe("a registered component compiler", function()
  local world, compiler

  before_each(function()
    world = cuttle.world(cuttle.entity_manager())
    compiler = cuttle.compiler(world)
  end)

  local function compile(entities, options)
    options = options or {}
    options.name = "level.json"
    return compiler:compile({ entities = entities }, options)
  end

  -- Compiles and spawns. Returns the level and the calls of the spawners of the given names, in order.
  local function spawn(entities, names)
    local got = {}
    for _, name in ipairs(names or {}) do
      world:register_spawner(name, function(lookup, count, index, data)
        for i = 1, count do got[#got + 1] = { name = name, entity = lookup[index[i] + 1], bytes = data[i] } end
      end)
    end
    local level = assert(world:spawn(assert(cuttle.resource((assert(compile(entities)))))))
    return level, got
  end

  local function refuses(text, entities)
    local result, message = compile(entities)
    assert.is_nil(result)
    assert.equal(text, message)
  end

  describe("receives", function()
    -- The argument of the function for a value in the source.
    local function config(value)
      local got
      compiler:register("spikes", function(given)
        got = given
        return ""
      end)
      assert(compile { { components = { spikes = value } } })
      return got
    end

    it("the value in the source, of any type", function()
      assert.are.same({ length = 2, kinds = { "a", "b" } }, config { length = 2, kinds = { "a", "b" } })
      assert.are.same({ 1, { 2 }, { x = 3 } }, config { 1, { 2 }, { x = 3 } })
      assert.are.same({}, config {})
      assert.equal("text", config "text")
      assert.equal(5, config(5))
      assert.is_false(config(false))
    end)

    it("a value without keys of null, $ and _, at any depth", function()
      assert.are.same({ a = 1, b = { c = { { d = 2 } } } },
        config { a = 1, n = null, _x = 1, b = { ["$y"] = {}, c = { { d = 2, e = null, _f = 1 } } } })
    end)

    it("a null in an array as cuttle.null", function()
      assert.are.same({ 1, null, { null } }, config { 1, null, { null } })
      local got
      compiler:register("spikes", function(given)
        got = given
        return ""
      end)
      assert(compiler:compile '{ "entities": [ { "components": { "spikes": { "a": [ null, 1 ], "b": null } } } ] }')
      assert.are.same({ a = { null, 1 } }, got)
    end)

    it("a copy, which it may change", function()
      compiler:register("spikes", function(given)
        given.length, given.inner.x, given.inner.y = 7, 8, 9
        return ""
      end)
      local given = { length = 2, inner = { x = 1 } }
      assert(compile { { components = { spikes = given } }, { components = { spikes = given } } })
      assert.are.same({ length = 2, inner = { x = 1 } }, given)
    end)

    it("a copy that contains itself if the value does", function()
      local given = { 1 }
      given[2] = given
      local got = config(given)
      assert.equal(got, got[2])
      assert.are_not.equal(given, got)
    end)

    it("an array as one component", function()
      local calls = 0
      compiler:register("spikes", function()
        calls = calls + 1
        return ""
      end)
      assert(compile { { components = { spikes = { 1, 2, 3 } } } })
      assert.equal(1, calls)
    end)

    it("no call for null", function()
      compiler:register("spikes", function() error "called" end)
      assert(compile { { components = { spikes = null } } })
    end)

    it("the path of the component in the source", function()
      local paths = {}
      compiler:register("spikes", function(_, context)
        paths[#paths + 1] = context.path
        return ""
      end)
      assert(compile { {}, { components = { spikes = {} }, children = { { components = { spikes = 1 } } } } })
      assert.are.same({ "level.json: entities[2].components.spikes",
        "level.json: entities[2].children[1].components.spikes" }, paths)
    end)

    it("the index of an entity by id, name or path", function()
      compiler:register("spikes", function(given, context)
        return context.writer():u32(context.entity(given)):tostring()
      end)
      local level, got = spawn({ { name = "late", parent = "top", components = { spikes = "top" } },
        { id = 5, components = { spikes = 5 } }, { name = "top", components = { spikes = "top/late" } } }, { "spikes" })
      local numbers = {}
      for place, one in ipairs(got) do numbers[place] = level:entity(cuttle.reader(one.bytes):u32() + 1) end
      assert.are.same({ level:entity(1), level:find "top/late", level:find "top" }, numbers)
    end)

    it("writers in the target's byte order", function()
      compiler:register("spikes", function(_, context)
        local writer = context.writer():u16(258):f32(1):string("ab")
        return writer:tostring() .. context.writer():u8(255):tostring()
      end)
      local function bytes(endian)
        local found = assert(compile({ { components = { spikes = {} } } }, { endian = endian }))
        return found:match "\1\2.*\255" or found:match "\2\1.*\255"
      end
      assert.equal("\1\2\63\128\0\0\0\0\0\2ab\255", bytes "big")
      assert.equal("\2\1\0\0\128\63\2\0\0\0ab\255", bytes "little")
    end)

    it("the combined fields of a prefab and its entry", function()
      local files = folder.new()
      files:write("trap.json", [[ { "entities": [ { "components": {
        "spikes": { "length": 2, "kind": "old", "gone": 1 }, "list": [ 1, 2 ], "word": "a" } } ] } ]])
      local got = {}
      for _, name in ipairs { "spikes", "list", "word" } do
        compiler:register(name, function(given, context)
          got[name], got[name .. "_path"] = given, context.path
          return ""
        end)
      end
      local ok, message = compile({ { prefab = "trap.json", components = { spikes = { kind = "new", gone = null },
        list = { 3 } } } }, { directory = files.path })
      files:remove()
      assert(ok, message)
      assert.are.same({ length = 2, kind = "new" }, got.spikes)
      assert.are.same({ 3 }, got.list)
      assert.equal("a", got.word)
      assert.equal("level.json: entities[1].components.spikes", got.spikes_path)
      assert.equal(files.path .. "/trap.json: entities[1].components.word", got.word_path)
    end)
  end)

  describe("is called", function()
    local function register(name, order)
      compiler:register(name, function(given) return name .. tostring(given) end, order)
    end

    it("for every component of its name, and its result is passed to the spawner", function()
      register "spikes"
      local level, got = spawn({ { components = { spikes = "a" } }, {}, { components = { spikes = "" } } },
        { "spikes" })
      assert.are.same({ { name = "spikes", entity = level:entity(1), bytes = "spikesa" },
        { name = "spikes", entity = level:entity(3), bytes = "spikes" } }, got)
    end)

    it("besides components with a schema, which need no function", function()
      world:define("health", { { "hp", "float", 7 } })
      register "spikes"
      local level = spawn({ { components = { spikes = "a", health = {} } } }, { "spikes" })
      assert.equal(7, world.health:hp(level:entity(1)))
    end)

    it("in place of a component of the world", function()
      world:define("health", { { "hp", "float", 7 } })
      register "health"
      local found = blob.read((assert(compile({ { components = { health = "x" } } }, { endian = "little" }))))
      assert.equal(0, found.sections[1].schema)
    end)

    it("in place of debug_name, also for names", function()
      local got
      compiler:register("debug_name", function(given)
        got = given
        return ""
      end)
      assert(compile { { name = "a" } })
      assert.are.same({ name = "a" }, got)
    end)

    it("in the order of spawn_order, by default 1000, then by name", function()
      world:define("health", { { "hp", "float" } })
      register("late", 2000)
      register "b"
      register "a"
      register("first", 0)
      register("between", 1)
      local found = blob.read((assert(compile({ { components = { late = 1, b = 1, a = 1, first = 1, between = 1,
        health = {}, transform = {}, actor = {} } } }, { endian = "little" }))))
      local names = {}
      for _, section in ipairs(found.sections) do names[#names + 1] = section.name end
      assert.are.same({ "first", "between", "transform", "actor", "health", "a", "b", "late" }, names)
    end)

    it("until another is registered with its name", function()
      register("spikes", 5)
      compiler:register("spikes", function() return "new" end)
      local _, got = spawn({ { components = { spikes = "a" } } }, { "spikes" })
      assert.equal("new", got[1].bytes)
    end)

    it("only by its own compiler", function()
      register "spikes"
      local result, message = cuttle.compiler(world):compile({ entities = { { components = { spikes = 1 } } } })
      assert.is_nil(result)
      assert.equal("source: entities[1].components: unknown component 'spikes'", message)
    end)

    it("and may return a result of any length, including none", function()
      compiler:register("spikes", function(given) return ("x"):rep(given) end)
      local _, got = spawn({ { components = { spikes = 0 } }, { components = { spikes = 100001 } } }, { "spikes" })
      assert.are.same({ 0, 100001 }, { #got[1].bytes, #got[2].bytes })
    end)

    it("again in a second compilation, which produces the same bytes", function()
      register "spikes"
      local entities = { { components = { spikes = 1 } }, { components = { spikes = 2 } } }
      assert.equal(compile(entities), compile(entities))
    end)

    it("inside another compilation", function()
      compiler:register("spikes", function(given)
        if given == 0 then return "end" end
        return (assert(compiler:compile { entities = { { components = { spikes = given - 1 } } } }))
      end)
      local _, got = spawn({ { components = { spikes = 3 } } }, { "spikes" })
      assert.matches("end", got[1].bytes)
    end)
  end)

  describe("ends the compilation, with the path in the source,", function()
    local function failing(fn, text)
      compiler:register("spikes", fn)
      refuses(text, { {}, { components = { spikes = { length = 5 } } } })
    end

    it("if it raises a message", function()
      failing(function() error("no spikes today", 0) end,
        "level.json: entities[2].components.spikes: no spikes today")
    end)

    it("if it raises a message with its own position, which is kept", function()
      compiler:register("spikes", function() error "no spikes today" end)
      local _, message = compile { { components = { spikes = 1 } } }
      assert.matches("^level%.json: entities%[1%]%.components%.spikes: .*registered_spec%.lua:%d+: no spikes "
        .. "today$", message)
    end)

    it("if it names a field", function()
      failing(function() error("length: expected at most 3", 0) end,
        "level.json: entities[2].components.spikes.length: expected at most 3")
    end)

    it("if it raises a value that is not a message", function()
      failing(function() error {} end,
        "level.json: entities[2].components.spikes: the compile function raised array")
      failing(function() error() end, "level.json: entities[2].components.spikes: the compile function raised null")
    end)

    it("if it raises an object, with the text of its __tostring", function()
      local told = setmetatable({}, { __tostring = function() return "length: expected at most 3" end })
      failing(function() error(told) end, "level.json: entities[2].components.spikes.length: expected at most 3")
      local dumb = setmetatable({}, { __tostring = function() error "no words" end })
      failing(function() error(dumb) end,
        "level.json: entities[2].components.spikes: the compile function raised array")
    end)

    it("if it compiles debug_name, whatever the component besides a name is", function()
      compiler:register("debug_name", function(config) error("got " .. tostring(config.name), 0) end)
      refuses("level.json: entities[1].components.debug_name: got a",
        { { name = "a", components = { debug_name = 5 } } })
    end)

    it("if it returns no string", function()
      failing(function() return 5 end,
        "level.json: entities[2].components.spikes: the compile function must return a string, got 5")
      failing(function() end,
        "level.json: entities[2].components.spikes: the compile function must return a string, got null")
    end)

    it("if it looks up an entity that does not exist", function()
      failing(function(_, context) return context.entity "nobody" end,
        "level.json: entities[2].components.spikes: unknown entity \"nobody\"")
    end)

    it("if it writes a number out of range", function()
      compiler:register("spikes", function(_, context) return context.writer():u8(256):tostring() end)
      local _, message = compile { { components = { spikes = 1 } } }
      assert.matches("^level%.json: entities%[1%]%.components%.spikes: .*256", message)
    end)

    it("unless it catches the error itself", function()
      compiler:register("spikes", function(_, context)
        local ok, trouble = pcall(context.entity, "nobody")
        return tostring(ok) .. " " .. tostring(trouble)
      end)
      local _, got = spawn({ { components = { spikes = 1 } } }, { "spikes" })
      assert.equal("false source: entities[1].components.spikes: unknown entity \"nobody\"",
        (got[1].bytes:gsub("level%.json", "source")))
    end)

    it("and does not change the compiler", function()
      local fail = true
      compiler:register("spikes", function() return not fail and "" or nil end)
      assert.is_nil((compile { { components = { spikes = 1 } } }))
      fail = false
      assert(compile { { components = { spikes = 1 } } })
    end)
  end)

  describe("cannot corrupt the compilation", function()
    it("by defining components", function()
      compiler:register("spikes", function()
        world:define("armour", { { "plates", "uint8" } })
        world:define("health", { { "hp", "double" }, { "x", "string" } })
        return ""
      end, 0)
      world:define("health", { { "hp", "float" } })
      local result, message = compile { { components = { spikes = 1, health = { hp = 3 } } } }
      assert.is_true(result ~= nil or type(message) == "string")
      assert.is_true(world:validate())
    end)

    it("by destroying the world", function()
      compiler:register("spikes", function()
        world:destroy()
        return ""
      end, 0)
      raises("world is destroyed", compile, { { components = { spikes = 1, point_mass = {} } } })
    end)

    it("by keeping its context", function()
      local kept
      compiler:register("spikes", function(_, context)
        kept = context
        return ""
      end)
      assert(compile { { name = "a", components = { spikes = 1 } } })
      assert.equal(0, kept.entity "a")
      assert.equal("level.json: entities[1].components.spikes", kept.path)
      assert.equal("\5", kept.writer():u8(5):tostring())
    end)
  end)

  -- The FNV-1a hash of both names is 5E4DAA9D.
  describe("is refused if its name has the hash of the name of", function()
    local function fn() return "" end
    local trouble = "component names 'liquid' and 'costarring' have one hash: choose another"

    it("another compiler", function()
      compiler:register("costarring", fn)
      compiler:register("costarring", fn)
      raises("bad argument #1 to 'register' (" .. trouble .. ")", compiler.register, compiler, "liquid", fn)
    end)

    it("a component of the world", function()
      world:define("costarring", {})
      compiler:register("costarring", fn)
      raises("bad argument #1 to 'register' (" .. trouble .. ")", cuttle.compiler(world).register,
        cuttle.compiler(world), "liquid", fn)
    end)

    it("a component that was defined later; nothing is compiled then", function()
      compiler:register("liquid", fn)
      world:define("costarring", {})
      refuses("level.json: " .. trouble, { {} })
    end)
  end)

  it("is refused with wrong arguments", function()
    local function fn() return "" end
    raises("bad argument #1 to 'register' (string expected, got nil)", compiler.register, compiler)
    raises("bad argument #1 to 'register' (identifier expected, got \"a b\")", compiler.register, compiler, "a b", fn)
    raises("bad argument #2 to 'register' (function expected, got nil)", compiler.register, compiler, "a")
    raises("bad argument #3 to 'register' (number expected, got string)", compiler.register, compiler, "a", fn, "1")
    for _, order in ipairs { -1, 1.5, 2 ^ 32, 0 / 0, math.huge } do
      raises("bad argument #3 to 'register' (integer in [0, 4294967295] expected, got ", compiler.register,
        compiler, "a", fn, order)
    end
    raises("EntityCompiler expected, got table", compiler.register, {}, "a", fn)
  end)
end)
