local blob = require "spec.support.blob"
local cuttle = require "cuttle"
local new_world = require "spec.support.level_world"
local raises = require "spec.support.raises"
local rounds = require "spec.support.rounds"

describe("the compiler", function()
  local world, compiler

  before_each(function()
    world = new_world()
    compiler = cuttle.compiler(world)
  end)

  local function spawn(source)
    return assert(world:spawn(assert(cuttle.resource((assert(compiler:compile(source)))))))
  end

  -- The names of a level's entities, in their order.
  local function order(source)
    local names = {}
    for _, e in ipairs(spawn(source):entities()) do names[#names + 1] = world.debug_name:debug_name(e) end
    return table.concat(names, " ")
  end

  local function refuses(text, source, options)
    local result, message = compiler:compile(source, options or { name = "level.json" })
    assert.is_nil(result)
    assert.equal(text, message)
  end

  describe("reads", function()
    it("JSON text and Lua tables with the same result", function()
      local text = [[ { "version": 1, "entities": [ { "name": "a", "components": { "health": { "hp": 5 } } } ] } ]]
      local as_table = { version = 1, entities = { { name = "a", components = { health = { hp = 5 } } } } }
      assert.equal((compiler:compile(text)), (compiler:compile(as_table)))
    end)

    it("a table without changing it", function()
      local health = { hp = 5, target = "a", _note = "x" }
      local entity = { name = "a", components = { health = health } }
      spawn { entities = { entity } }
      assert.are.same({ hp = 5, target = "a", _note = "x" }, health)
      assert.are.same({ name = "a", components = { health = health } }, entity)
    end)

    it("version 1, and a source without a version", function()
      assert.equal(1, spawn({ version = 1, entities = { {} } }):count())
      assert.equal(1, spawn({ entities = { {} } }):count())
    end)

    it("no keys that begin with $ or _", function()
      local level = spawn [[ { "$schema": "x", "_by": 1, "entities": [ { "$note": [], "_x": 1,
        "components": { "_off": {}, "$y": 1, "health": { "_hp": 1, "hp": 7 } } } ] } ]]
      assert.equal(7, world.health:hp(level:entity(1)))
    end)

    it("a component and a field of such a name", function()
      world:define("_mood", { { "_joy", "float" } })
      local level = spawn { entities = { { components = { _mood = { _joy = 5, _note = "x" } } } } }
      assert.equal(5, world._mood:_joy(level:entity(1)))
    end)

    it("null as absent", function()
      local level = spawn [[ { "version": null, "entities": [ { "name": null, "id": null, "parent": null,
        "children": null, "components": { "wheel": null, "health": { "hp": null, "target": null } } },
        { "components": null } ] } ]]
      assert.equal(100, world.health:hp(level:entity(1)))
      assert.is_false(world.wheel:has(level:entity(1)))
    end)

    it("an empty table as one component with defaults", function()
      local e = spawn({ entities = { { components = { health = {}, wheel = {} } } } }):entity(1)
      assert.equal(100, world.health:hp(e))
      assert.are.same({ 1 }, world.wheel:ids(e))
    end)

    it("an array as several components", function()
      local e = spawn([[ { "entities": [
        { "components": { "wheel": [ { "radius": 3 }, {}, { "id": "spare" } ] } } ] } ]]):entity(1)
      assert.are.same({ 1, 2, "spare" }, world.wheel:ids(e))
      assert.equal(3, world.wheel:radius(world.wheel:lookup(e, 1)))
    end)

    it("a single number as a scale, and an angle as a rotation", function()
      local e = spawn({ entities = { { components = { transform = { scale = 2, angle = math.pi } } } } }):entity(1)
      assert.are.same({ 2, 2, 2 }, { world.transform:read(e, "local_scale") })
      assert.near(1, select(3, world.transform:read(e, "local_rotation")), 1e-6)
    end)

    it("transforms in every form", function()
      local source = { entities = {} }
      local forms = { { position = { 1, 2, 3 } }, { angle = 1 }, { rotation = { 0, 0, 0, 1 }, scale = 3 }, {},
        { matrix = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 7, 8, 9, 1 } }, { position = { 4, 5, 6 } } }
      for i, form in ipairs(forms) do source.entities[i] = { components = { transform = form } } end
      local level = spawn(source)
      for i, form in ipairs(forms) do
        local direct = world:create { transform = form }
        for _, field in ipairs { "local_matrix", "local_rotation", "local_scale", "world_matrix" } do
          assert.are.same({ world.transform:read(direct, field) }, { world.transform:read(level:entity(i), field) })
        end
      end
    end)

    it("names as debug_name components", function()
      local level = spawn { entities = { { name = "a" }, { name = "a" }, {} } }
      assert.equal("a", world.debug_name:debug_name(level:entity(2)))
      assert.is_false(world.debug_name:has(level:entity(3)))
    end)

    it("a debug_name that repeats the name, replaces a missing name, or has no name itself", function()
      local level = spawn { entities = { { name = "a", components = { debug_name = { name = "a" } } },
        { components = { debug_name = { name = "b" } } }, { name = "c", components = { debug_name = {} } } } }
      assert.equal("a", world.debug_name:debug_name(level:entity(1)))
      assert.equal("b", world.debug_name:debug_name(level:entity(2)))
      assert.equal("c", world.debug_name:debug_name(level:entity(3)))
    end)

    it("text with the decoder that it was created with", function()
      local own = cuttle.compiler(world, { json = function(text)
        return { entities = { { name = text } } }
      end })
      local level = world:spawn(cuttle.resource((assert(own:compile "no json"))))
      assert.is_not_nil(level:find "no json")
    end)

    it("text that is no JSON, with the message of the decoder that refuses it", function()
      for _, decode in ipairs { function() error("no key", 0) end, function() return nil, "no key" end } do
        local _, message = cuttle.compiler(world, { json = decode }):compile("-- a comment", { name = "a.data" })
        assert.equal("a.data: no key", message)
      end
      local _, message = cuttle.compiler(world, { json = function() end }):compile("[ 1, 2", { name = "a.data" })
      assert.matches("^a%.data: line 1 column 7: ", message)
    end)

    it("components that were defined after the compiler was created", function()
      world:define("armour", { { "plates", "uint8" } })
      assert.equal(1, spawn({ entities = { { components = { armour = { plates = 3 } } } } }):count())
    end)

    it("children that are nested at any depth", function()
      local top, depth = { name = "top" }, rounds(100000, 25000)
      local deepest = top
      for _ = 1, depth do
        local child = {}
        deepest.children, deepest = { child }, child
      end
      deepest.name = "bottom"
      local level = spawn { entities = { top } }
      assert.equal(depth + 1, level:count())
      assert.equal(level:entity(depth + 1), level:find "bottom")
    end)
  end)

  describe("resolves a reference", function()
    it("to an earlier or later entity by its id, then by its name", function()
      local level = spawn [[ { "entities": [
        { "components": { "health": { "target": "x" } } },
        { "name": "x" }, { "id": "x" },
        { "components": { "health": { "target": "y" } } }, { "name": "y" } ] } ]]
      assert.equal(level:entity(3), world.health:target(level:entity(1)))
      assert.equal(level:entity(5), world.health:target(level:entity(4)))
    end)

    it("that is a number, as some editors write ids", function()
      local level = spawn [[ { "entities": [
        { "id": 7 }, { "components": { "health": { "target": 7 } }, "parent": 7 } ] } ]]
      assert.equal(level:entity(1), world.health:target(level:entity(2)))
    end)

    it("that is false to no entity", function()
      local level = spawn { entities = { { components = { health = { target = false } } } } }
      assert.is_nil(world.health:target(level:entity(1)))
    end)

    it("to a parent by its id or name", function()
      local level = spawn [[ { "entities": [
        { "name": "a", "components": { "transform": { "position": [1, 0, 0] } } },
        { "parent": "a", "components": { "transform": { "position": [0, 5, 0] } } } ] } ]]
      local matrix = { world.transform:read(level:entity(2), "world_matrix") }
      assert.are.same({ 1, 5, 0 }, { matrix[13], matrix[14], matrix[15] })
    end)
  end)

  describe("orders entities", function()
    it("depth first as written", function()
      assert.equal("a b c d e", order { entities = {
        { name = "a", children = { { name = "b", children = { { name = "c" } } }, { name = "d" } } },
        { name = "e" } } })
    end)

    it("as written, if their parent is written before them", function()
      assert.equal("a b c d", order { entities = {
        { name = "a", children = { { name = "b" } } }, { name = "c" }, { name = "d", parent = "a" } } })
    end)

    it("that are written before their parent after the parent's own children", function()
      assert.equal("p c1 c2 x x1 y q", order { entities = {
        { name = "x", parent = "p", children = { { name = "x1" } } }, { name = "y", parent = "p" },
        { name = "p", children = { { name = "c1" }, { name = "c2" } } }, { name = "q" } } })
    end)

    it("correctly for chains of parents that are written later", function()
      assert.equal("c d b a", order { entities = {
        { name = "a", parent = "b" }, { name = "b", parent = "c" }, { name = "c", children = { { name = "d" } } } } })
    end)

    it("that are written before a parent that is itself a child", function()
      assert.equal("p q r x", order { entities = { { name = "x", parent = "r" },
        { name = "p", children = { { name = "q", children = { { name = "r" } } } } } } })
    end)

    it("with each parent before its children", function()
      local found = blob.read((assert(compiler:compile({ entities = { { name = "x", parent = "p" }, { name = "p" } } },
        { endian = "little" }))))
      assert.are.same({ 2^32 - 1, 0 }, found.parents)
    end)
  end)

  describe("writes", function()
    it("the same bytes for the same source", function()
      local entities = {}
      for i = 1, 50 do
        entities[i] = { name = "n" .. i, components = { health = { hp = i }, wheel = {}, transform = { angle = i } } }
      end
      local other = cuttle.compiler(new_world())
      assert.equal((compiler:compile { entities = entities }), (other:compile { entities = entities }))
    end)

    it("the same bytes on every host", function()
      local bytes = assert(compiler:compile({ entities = {
        { name = "a", components = { transform = { position = { 0.1, -2, 1e9 }, angle = 0.7, scale = 1 / 3 } } },
        { parent = "a", components = { transform = { rotation = { 1, 2, 3, 4 } }, wheel = { { radius = 0.1 } } } },
      } }, { endian = "little" }))
      assert.equal(0xDDB657CE, blob.crc32(bytes))
    end)

    it("the host's byte order by default", function()
      local bytes = compiler:compile { entities = {} }
      assert.is_not_nil(cuttle.resource(bytes))
    end)

    it("no dependencies for a source that refers to no files", function()
      local _, files = compiler:compile { entities = {} }
      assert.are.same({}, files)
    end)
  end)

  describe("refuses, with the place of the error,", function()
    it("a wrong value", function()
      refuses("level.json: entities[3].components.transform.position: expected 3 numbers, got 1",
        [[ { "entities": [ {}, {}, { "components": { "transform": { "position": [1] } } } ] } ]])
      refuses("level.json: entities[1].children[2].components.health.hp: expected a number, got string",
        [[ { "entities": [ { "children": [ {}, { "components": { "health": { "hp": "5" } } } ] } ] } ]])
      refuses("level.json: entities[1].components.wheel[2].radius: expected a number, got boolean",
        [[ { "entities": [ { "components": { "wheel": [ {}, { "radius": true } ] } } ] } ]])
    end)

    it("a number outside its field's range", function()
      refuses("level.json: entities[1].components.health.hp: "
        .. "expected an integer in [-2147483648, 2147483647], got 1.5",
        { entities = { { components = { health = { hp = 1.5 } } } } })
    end)

    it("values that exclude each other", function()
      refuses("level.json: entities[2].components.transform.angle: not together with rotation",
        { entities = { { components = { transform = { angle = 1 } } },
          { components = { transform = { angle = 1, rotation = { 0, 0, 0, 1 } } } } } })
    end)

    it("a misspelt field", function()
      refuses("level.json: entities[1].components.health: unknown field 'hpp' (did you mean 'hp'?)",
        { entities = { { components = { health = { hpp = 1 } } } } })
    end)

    it("a misspelt component", function()
      refuses("level.json: entities[1].components: unknown component 'heath' (did you mean 'health'?)",
        { entities = { { components = { heath = {} } } } })
    end)

    it("a misspelt key", function()
      refuses("level.json: entities[1]: unknown key 'componets' (did you mean 'components'?)",
        { entities = { { componets = {} } } })
      refuses("level.json: unknown key 'entity' (did you mean 'entities'?)", { entity = {}, entities = {} })
    end)

    it("a key that is not a string", function()
      refuses("level.json: entities[1]: unknown key [true]", { entities = { { [true] = 1 } } })
    end)

    it("a source without entities", function()
      refuses("level.json: the key 'entities' is missing", {})
      refuses("level.json: the key 'entities' is missing", '{ "entities": null }')
      refuses("level.json: expected an object, got an array", "[1]")
    end)

    it("a value that is not a list of entities", function()
      refuses("level.json: entities: expected an array, got 5", { entities = 5 })
      refuses("level.json: entities: expected an array, got an object", { entities = { a = {} } })
      refuses("level.json: entities: the array has gaps", { entities = { [1] = {}, [3] = {} } })
      refuses("level.json: entities[2]: expected an object, got null", '{ "entities": [ {}, null ] }')
      refuses("level.json: entities[1].components.transform.position: expected 3 numbers, got null at 2",
        '{ "entities": [ { "components": { "transform": { "position": [1, null, 3] } } } ] }')
      refuses("level.json: entities[1].children: expected an array, got \"x\"", { entities = { { children = "x" } } })
    end)

    it("a component that is not an object", function()
      refuses("level.json: entities[1].components.health: expected an object, got 5",
        { entities = { { components = { health = 5 } } } })
      refuses("level.json: entities[1].components: expected an object, got an array",
        { entities = { { components = { {} } } } })
    end)

    it("several components where one is allowed", function()
      refuses("level.json: entities[1].components.health: expected one component, got an array: "
        .. "an entity can have only one health", { entities = { { components = { health = { {}, {} } } } } })
    end)

    it("two components of one entity with the same id", function()
      refuses("level.json: entities[1].components.wheel[2].id: another wheel of the entity has \"a\" too",
        { entities = { { components = { wheel = { { id = "a" }, { id = "a" } } } } } })
      refuses("level.json: entities[1].components.wheel[4].id: another wheel of the entity has 2 too",
        { entities = { { components = { wheel = { {}, { id = 2 }, {}, { id = 2 } } } } } })
    end)

    it("an empty name, and a name that contains a '/'", function()
      refuses("level.json: entities[1].name: a name cannot hold a '/', got \"a/b\"",
        { entities = { { name = "a/b" } } })
      refuses("level.json: entities[1].name: a name cannot be empty", { entities = { { name = "" } } })
      refuses("level.json: entities[1].name: expected a string, got 5", { entities = { { name = 5 } } })
    end)

    it("a debug_name that differs from the name", function()
      refuses("level.json: entities[1].components.debug_name.name: \"y\" differs from the entity's name \"x\"",
        { entities = { { name = "x", components = { debug_name = { name = "y" } } } } })
    end)

    it("an id that two entities share", function()
      refuses("level.json: entities[2].id: \"a\" is also the id of entities[1]",
        { entities = { { id = "a" }, { id = "a" } } })
    end)

    it("a reference to an entity that does not exist", function()
      refuses("level.json: entities[1].components.health.target: unknown entity \"lmap\" (did you mean 'lamp'?)",
        { entities = { { components = { health = { target = "lmap" } } }, { name = "lamp" } } })
      refuses("level.json: entities[1].parent: unknown entity \"x\"", { entities = { { parent = "x" } } })
    end)

    it("a reference to a name that several entities share", function()
      refuses("level.json: entities[3].parent: \"a\" is ambiguous, the name of several entities: "
        .. "refer to one by its id",
        { entities = { { name = "a" }, { name = "a" }, { parent = "a" } } })
    end)

    it("a reference that is neither an id nor a name", function()
      refuses("level.json: entities[1].components.health.target: entity expected, got boolean",
        { entities = { { components = { health = { target = true } } } } })
      refuses("level.json: entities[1].components.health.target: expected a string or number, got array",
        { entities = { { components = { health = { target = {} } } } } })
    end)

    it("parents that form a cycle", function()
      refuses("level.json: entities[1].parent: the parent would make a cycle",
        { entities = { { id = "a", parent = "b" }, { id = "b", parent = "a" } } })
      refuses("level.json: entities[1].parent: the parent would make a cycle",
        { entities = { { parent = "b", children = { { id = "b" } } } } })
      refuses("level.json: entities[1].parent: the parent would make a cycle",
        { entities = { { id = "a", parent = "a" } } })
    end)

    it("a parent for an entity in children", function()
      refuses("level.json: entities[2].children[1].parent: an entity in 'children' already has a parent",
        { entities = { { name = "a" }, { children = { { parent = "a" } } } } })
    end)

    it("a parent inside a transform", function()
      refuses("level.json: entities[1].components.transform.parent: "
        .. "the hierarchy is given by children, or by parent beside components",
        { entities = { { components = { transform = { parent = "a" } } } } })
    end)

    it("a table that contains itself", function()
      local loop = { name = "loop" }
      loop.children = { { children = { loop } } }
      refuses("level.json: entities[1].children[1].children[1]: the table contains itself", { entities = { loop } })
    end)

    it("an unknown version", function()
      refuses("level.json: version: 2 is newer than this compiler, which supports version 1",
        { version = 2, entities = {} })
      refuses("level.json: version: expected 1, got 0", { version = 0, entities = {} })
      refuses("level.json: version: expected a number, got \"1\"", { version = "1", entities = {} })
    end)

    it("a duplicate key", function()
      refuses('level.json: line 2 column 12: entities[1].name: duplicate key "name"',
        '{ "entities": [ { "name": "a",\n           "name": "b" } ] }')
    end)

    it("text that is not JSON, with line and column", function()
      refuses("level.json: line 1 column 17: entities[1]: expected a value, got the end of the text",
        '{ "entities": [ ')
    end)

    it("JSON that is nested too deep", function()
      local result, message = compiler:compile('{ "entities": [' .. ("["):rep(rounds(200000, 50000)), { name = "x" })
      assert.is_nil(result)
      assert.matches("^x: ", message)
    end)

    it("a source without a name, and calls it 'source'", function()
      refuses("source: the key 'entities' is missing", {}, {})
    end)

    it("errors at great depth, and shortens their path", function()
      local top = {}
      local deepest = top
      for _ = 1, 1000 do
        local child = {}
        deepest.children, deepest = { child }, child
      end
      deepest.nme = "x"
      local _, message = compiler:compile { entities = { top } }
      assert.is_true(#message < 800)
      assert.matches("%.%.%..*children%[1%]: unknown key 'nme'", message)
    end)
  end)

  describe("raises an error", function()
    it("for a source that is neither text nor table", function()
      raises("bad argument #1 to 'compile' (JSON text or a table expected, got nil)", function() compiler:compile() end)
    end)

    it("for unknown options", function()
      raises("bad argument #2 to 'compile' (unknown option 'endain' (did you mean 'endian'?))",
        function() compiler:compile({}, { endain = "big" }) end)
      raises("bad argument #2 to 'compile' (name: string expected, got number)",
        function() compiler:compile({}, { name = 5 }) end)
      raises("bad argument #2 to 'compile' (endian: \"little\" or \"big\" expected, got \"middle\")",
        function() compiler:compile({}, { endian = "middle" }) end)
      raises("bad argument #2 to 'compiler' (unknown option 'jsn' (did you mean 'json'?))",
        function() cuttle.compiler(world, { jsn = print }) end)
    end)

    it("for a world that is not a world", function()
      raises("bad argument #1 to 'compiler' (world expected, got nil)", function() cuttle.compiler(nil) end)
    end)

    it("after the world was destroyed", function()
      world:destroy()
      raises("world is destroyed", function() compiler:compile { entities = {} } end)
    end)

    it("when a method is called with a dot", function()
      raises("EntityCompiler expected, got table", function() compiler.compile({}, {}) end)
    end)
  end)

  describe("(compile_file)", function()
    local from, to

    before_each(function() from, to = os.tmpname(), os.tmpname() end)
    after_each(function()
      os.remove(from)
      os.remove(to)
    end)

    local function write(text)
      local file = assert(io.open(from, "wb"))
      file:write(text)
      file:close()
    end

    it("writes the bytes that compile returns", function()
      write '{ "entities": [ { "name": "a" } ] }'
      local bytes, files = assert(compiler:compile_file(from, to))
      assert.equal((compiler:compile { entities = { { name = "a" } } }), bytes)
      assert.are.same({ from }, files)
      assert.equal(1, cuttle.load(to):entity_count())
    end)

    it("names the file in messages", function()
      write '{ "entities": [ 5 ] }'
      local result, message = compiler:compile_file(from, to)
      assert.is_nil(result)
      assert.equal(from .. ": entities[1]: expected an object, got 5", message)
    end)

    it("does not overwrite the file, or a prefab, from which it compiles", function()
      local text = '{ "entities": [ { "name": "a" } ] }'
      write(text)
      local prefab, why = from, from .. ": the level is compiled from this file, which would be overwritten"
      assert.are.same({ nil, why }, { compiler:compile_file(from, from) })
      assert.are.same({ nil, from:gsub("([^/]+)$", "./%1") .. why:sub(#from + 1) },
        { compiler:compile_file(from, (from:gsub("([^/]+)$", "./%1"))) })
      from = os.tmpname()
      write('{ "entities": [ { "prefab": "' .. prefab:match "[^/]+$" .. '" } ] }')
      assert.are.same({ nil, why }, { compiler:compile_file(from, prefab) })
      local file = assert(io.open(prefab, "rb"))
      assert.equal(text, file:read "*a")
      file:close()
      os.remove(prefab)
    end)

    it("leaves an older output unchanged when the source is wrong", function()
      write '{ "entities": [ {} ] }'
      assert(compiler:compile_file(from, to))
      write "{"
      assert.is_nil((compiler:compile_file(from, to)))
      assert.equal(1, cuttle.load(to):entity_count())
    end)

    it("reports files that cannot be read or written", function()
      os.remove(from)
      local result, message = compiler:compile_file(from, to)
      assert.is_nil(result)
      assert.equal(from .. ": No such file or directory", message)
      write '{ "entities": [] }'
      result, message = compiler:compile_file(from, "no/such/folder/level")
      assert.is_nil(result)
      assert.matches("^no/such/folder/level", message)
    end)

    it("raises an error for paths that are not strings", function()
      raises("bad argument #1 to 'compile_file' (string expected, got nil)", function() compiler:compile_file() end)
      raises("bad argument #2 to 'compile_file' (string expected, got nil)", function() compiler:compile_file "a" end)
    end)
  end)
end)
