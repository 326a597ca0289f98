-- Prefabs: files with one root that a level includes, and the changes that an entry makes to them.

local blob = require "spec.support.blob"
local cuttle = require "cuttle"
local folder = require "spec.support.folder"
local json = require "cuttle.json"
local level_files = require "spec.support.level_files"
local new_world = require "spec.support.level_world"
local slow = require "spec.support.slow"

local LAMP = { entities = { { name = "lamp", components = { health = { hp = 5, title = "lamp" } }, children = {
  { name = "bulb", components = { health = { hp = 1 } } } } } } }

describe("a prefab", function()
  local world, compiler, files

  before_each(function()
    world = new_world()
    compiler = cuttle.compiler(world)
    files = folder.new()
  end)
  after_each(function() files:remove() end)

  -- Content is text, or a table that is written as JSON.
  local function write(name, content)
    return files:write(name, type(content) == "table" and assert(json.encode(content)) or content)
  end

  local compile, spawn, refuses = level_files(function() return compiler, world, files end)

  -- Expects an error in the file that the first entry includes.
  local function refuses_inside(text, entities) refuses("level.json: entities[1].prefab: " .. text, entities) end

  local function names(level)
    local list = {}
    for _, e in ipairs(level:entities()) do list[#list + 1] = world.debug_name:debug_name(e) or "-" end
    return table.concat(list, " ")
  end

  local function hp(level, path) return world.health:hp(assert(level:find(path), path)) end

  describe("is included", function()
    it("with its root in place of the entry, and with all descendants", function()
      write("lamp.json", LAMP)
      local level = spawn { { name = "a" }, { prefab = "lamp.json" }, { name = "b" } }
      assert.equal("a lamp bulb b", names(level))
      assert.equal(5, hp(level, "lamp"))
      assert.equal(1, hp(level, "lamp/bulb"))
    end)

    it("from JSON text and Lua tables with the same result", function()
      write("lamp.json", LAMP)
      local text = compiler:compile('{ "entities": [ { "prefab": "lamp.json" } ] }', { directory = files.path })
      assert.equal(compile { { prefab = "lamp.json" } }, text)
    end)

    it("at every entry that names it", function()
      write("lamp.json", LAMP)
      local level = spawn { { prefab = "lamp.json", name = "x" }, { prefab = "lamp.json", name = "y" } }
      assert.equal("x bulb y bulb", names(level))
      assert.are_not.equal(level:find "x/bulb", level:find "y/bulb")
    end)

    it("in children, below a parent", function()
      write("lamp.json", LAMP)
      local level = spawn { { name = "street", children = { { prefab = "lamp.json" } } } }
      assert.is_not_nil(level:find "street/lamp/bulb")
    end)

    it("below a parent that is given by name", function()
      write("lamp.json", LAMP)
      local level = spawn { { prefab = "lamp.json", parent = "street" }, { name = "street" } }
      assert.is_not_nil(level:find "street/lamp/bulb")
    end)

    it("linked to the nearest transform outside", function()
      write("lamp.json", { entities = {
        { name = "lamp", components = { transform = { position = { 0, 1, 0 } } } } } })
      local level = spawn { { components = { transform = { position = { 5, 0, 0 } } },
        children = { { children = { { prefab = "lamp.json" } } } } } }
      local matrix = { world.transform:read(level:find "lamp", "world_matrix") }
      assert.are.same({ 5, 1, 0 }, { matrix[13], matrix[14], matrix[15] })
    end)

    it("with several entries if only one has no parent in the file", function()
      write("car.json", { entities = {
        { name = "bolt", parent = "wheel" }, { name = "wheel", parent = "car" }, { name = "car" },
        { name = "door", parent = "car" } } })
      local level = spawn { { name = "a" }, { prefab = "car.json" }, { name = "b" } }
      assert.equal("a car wheel bolt door b", names(level))
    end)

    it("by a path relative to the file that names it", function()
      files:make "parts"
      files:make "cars"
      write("parts/bolt.json", { entities = { { name = "bolt" } } })
      write("parts/wheel.json", { entities = { { name = "wheel", children = { { prefab = "bolt.json" } } } } })
      write("cars/car.json", { entities = {
        { name = "car", children = { { prefab = "../parts/wheel.json" } } } } })
      assert.equal("car wheel bolt", names(spawn { { prefab = "cars/car.json" } }))
    end)

    it("by a path relative to the source file of compile_file", function()
      files:make "sub"
      write("sub/lamp.json", LAMP)
      local from = write("sub/level.json", { entities = { { prefab = "lamp.json" } } })
      local bytes = assert(compiler:compile_file(from, files:at "level.bin"))
      assert.equal(2, cuttle.resource(bytes):entity_count())
    end)

    it("from files below the option root", function()
      files:make "parts"
      files:make "cars"
      write("parts/wheel.json", LAMP)
      write("cars/car.json", { entities = { { name = "car", children = { { prefab = "../parts/wheel.json" } } } } })
      local source = { entities = { { prefab = "cars/car.json" } } }
      local options = { directory = files.path, root = files.path }
      assert(compiler:compile(source, options))
      options.root = files:at "cars"
      local compiled, message = compiler:compile(source, options)
      assert.is_nil(compiled)
      assert.is_truthy(message:find(("%s is outside of %s, which prefabs must not leave"):format(
        files:at "parts/wheel.json", files:at "cars"), 1, true), message)
    end)

    it("from a file within the option limit", function()
      write("lamp.json", LAMP)
      local source = { entities = { { prefab = "lamp.json" } } }
      assert(compiler:compile(source, { directory = files.path, limit = 2 ^ 20 }))
      local compiled, message = compiler:compile(source, { directory = files.path, limit = 9 })
      assert.is_nil(compiled)
      assert.is_truthy(message:find("but the limit is 9 (option limit)", 1, true), message)
    end)

    it("by an absolute path", function()
      write("lamp.json", LAMP)
      assert.equal("lamp bulb", names(spawn { { prefab = files:at "lamp.json" } }))
    end)

    it("without its keys of $ and _, and with its version checked", function()
      write("lamp.json", { version = 1, _editor = {}, entities = { { ["$x"] = 1, name = "lamp" } } })
      assert.equal("lamp", names(spawn { { prefab = "lamp.json" } }))
    end)

    it("with the decoder of the compiler", function()
      write("lamp.txt", "lamp")
      compiler = cuttle.compiler(world, { json = function(text) return { entities = { { name = text } } } end })
      assert.equal("lamp", names(spawn { { prefab = "lamp.txt" } }))
    end)

    it("at a nesting depth of a thousand", function()
      for i = 1, 1000 do
        write(i .. ".json", { entities = { { name = "n" .. i, children = { i < 1000
          and { prefab = i + 1 .. ".json" } or nil } } } })
      end
      assert.equal(1000, spawn({ { prefab = "1.json" } }):count())
    end)
  end)

  describe("is changed by", function()
    before_each(function() write("lamp.json", LAMP) end)

    it("the entry's name", function()
      local level = spawn { { prefab = "lamp.json", name = "lamp_7" } }
      assert.equal("lamp_7 bulb", names(level))
      assert.is_nil(level:find "lamp")
    end)

    it("the entry's fields, and keeps its other fields", function()
      local e = spawn({ { prefab = "lamp.json", components = { health = { hp = 9 } } } }):entity(1)
      assert.equal(9, world.health:hp(e))
      assert.equal("lamp", world.health:title(e))
    end)

    it("the entry's components, and keeps its other components", function()
      local e = spawn({ { prefab = "lamp.json", components = { point_mass = { mass = 2 } } } }):entity(1)
      assert.equal(2, world.point_mass:mass(e))
      assert.equal(5, world.health:hp(e))
    end)

    it("null for a component, which removes it", function()
      local e = spawn({ { prefab = "lamp.json", components = { health = json.null } } }):entity(1)
      assert.is_false(world.health:has(e))
    end)

    it("null for a field, which restores the default", function()
      local e = spawn({ { prefab = "lamp.json", components = { health = { hp = json.null } } } }):entity(1)
      assert.equal(100, world.health:hp(e))
      assert.equal("lamp", world.health:title(e))
    end)

    it("an empty table, which changes nothing", function()
      local e = spawn({ { prefab = "lamp.json", components = { health = {} } } }):entity(1)
      assert.equal(5, world.health:hp(e))
    end)

    it("the entry's children, which follow its own", function()
      local level = spawn { { prefab = "lamp.json", children = { { name = "moth" }, { name = "dust" } } } }
      assert.equal("lamp bulb moth dust", names(level))
      assert.is_not_nil(level:find "lamp/moth")
    end)

    it("one entry without an effect on other instances", function()
      local level = spawn { { prefab = "lamp.json", name = "a", components = { health = { hp = 9 } } },
        { prefab = "lamp.json", name = "b" } }
      assert.equal(9, hp(level, "a"))
      assert.equal(5, hp(level, "b"))
    end)
  end)

  describe("with a transform is changed by", function()
    local function transform(below, above)
      write("x.json", { entities = { { components = { transform = below } } } })
      local e = spawn({ { prefab = "x.json", components = { transform = above } } }):entity(1)
      local direct = world:create { transform = {} }
      return function(expected)
        world.transform:destroy(direct)
        world.transform:create(direct, expected)
        for _, field in ipairs { "local_matrix", "local_rotation", "local_scale" } do
          assert.are.same({ world.transform:read(direct, field) }, { world.transform:read(e, field) })
        end
      end
    end
    local matrix = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 7, 8, 9, 1 }

    it("a position, and keeps rotation and scale", function()
      transform({ position = { 1, 1, 1 }, angle = 1, scale = 2 }, { position = { 4, 0, 2 } }) {
        position = { 4, 0, 2 }, angle = 1, scale = 2 }
    end)

    it("an angle, which replaces a rotation", function()
      transform({ rotation = { 1, 0, 0, 0 }, scale = 2 }, { angle = 1 }) { angle = 1, scale = 2 }
    end)

    it("a rotation, which replaces an angle", function()
      transform({ angle = 1 }, { rotation = { 1, 0, 0, 0 } }) { rotation = { 1, 0, 0, 0 } }
    end)

    it("a matrix, which replaces all other fields", function()
      transform({ position = { 1, 1, 1 }, angle = 1, scale = 2 }, { matrix = matrix }) { matrix = matrix }
    end)

    it("a position, which replaces a matrix", function()
      transform({ matrix = matrix }, { position = { 1, 2, 3 } }) { position = { 1, 2, 3 } }
    end)

    it("null, which replaces no other field", function()
      transform({ angle = 1, position = { 1, 2, 3 } }, { rotation = json.null, matrix = json.null }) {
        angle = 1, position = { 1, 2, 3 } }
    end)
  end)

  describe("with several components of a type is changed by", function()
    local function wheels(below, above)
      write("car.json", { entities = { { components = { wheel = below } } } })
      local e = spawn({ { prefab = "car.json", components = { wheel = above } } }):entity(1)
      local list = {}
      for instance in world.wheel:instances(e) do
        list[#list + 1] = ("%s:%g"):format(world.wheel:id(instance), world.wheel:radius(instance))
      end
      return table.concat(list, " ")
    end

    it("a component with the id of an existing one, which replaces it in its place", function()
      assert.equal("a:1 b:2", wheels({ { id = "a", radius = 7, axis = { 1, 2, 3 } }, { id = "b", radius = 2 } },
        { { id = "a" } }))
    end)

    it("other components, which are appended", function()
      assert.equal("a:7 1:3 c:4", wheels({ { id = "a", radius = 7 } }, { { radius = 3 }, { id = "c", radius = 4 } }))
    end)

    it("a single component, which is appended or replaces one", function()
      assert.equal("a:7 1:3", wheels({ id = "a", radius = 7 }, { radius = 3 }))
      assert.equal("a:3", wheels({ id = "a", radius = 7 }, { id = "a", radius = 3 }))
    end)

    it("null, which removes all", function()
      assert.equal("", wheels({ { id = "a" }, {} }, json.null))
    end)

    it("components with numbers as ids", function()
      assert.equal("7:3", wheels({ { id = 7 } }, { { id = 7, radius = 3 } }))
    end)
  end)

  describe("with a prefab as its root", function()
    before_each(function()
      write("lamp.json", LAMP)
      write("tall.json", { entities = { { prefab = "lamp.json", name = "tall",
        components = { health = { title = "tall" }, point_mass = { mass = 1 } }, children = { { name = "moth" } } } } })
    end)

    it("is one entity with the values of all files, in which the outermost has precedence", function()
      local level = spawn { { prefab = "tall.json", components = { health = { hp = 7 } } } }
      assert.equal("tall bulb moth", names(level))
      local e = level:entity(1)
      assert.are.same({ 7, "tall", 1 }, { world.health:hp(e), world.health:title(e), world.point_mass:mass(e) })
    end)

    it("has the innermost children first", function()
      local level = spawn { { prefab = "tall.json", children = { { name = "x" } } }, { name = "y" } }
      assert.equal("tall bulb moth x y", names(level))
    end)

    it("can lose a component in one file and gain it in an outer one", function()
      write("dark.json", { entities = { { prefab = "tall.json", components = { health = json.null } } } })
      local e = spawn({ { prefab = "dark.json", components = { health = {} } } }):entity(1)
      assert.are.same({ 100, "orc" }, { world.health:hp(e), world.health:title(e) })
    end)
  end)

  describe("takes its name", function()
    it("from its root, unless the entry has one", function()
      write("lamp.json", LAMP)
      assert.equal("lamp bulb x bulb", names(spawn { { prefab = "lamp.json" }, { prefab = "lamp.json", name = "x" } }))
    end)

    it("from a name with an equal debug_name in either file", function()
      write("lamp.json", { entities = { { name = "lamp", components = { debug_name = { name = "lamp" } } } } })
      assert.equal("lamp x", names(spawn { { prefab = "lamp.json" }, { prefab = "lamp.json", name = "x" } }))
      assert.equal("x", names(spawn { { prefab = "lamp.json", name = "x",
        components = { debug_name = { name = "x" } } } }))
    end)

    it("from the entry, over a debug_name of a root without a name", function()
      write("lamp.json", { entities = { { components = { debug_name = { name = "lamp" } } } } })
      assert.equal("lamp x", names(spawn { { prefab = "lamp.json" }, { prefab = "lamp.json", name = "x" } }))
    end)

    it("and refuses a debug_name that differs from the name in the same file", function()
      write("lamp.json", { entities = { { name = "lamp", components = { debug_name = { name = "bulb" } } } } })
      refuses_inside('folder/lamp.json: entities[1].components.debug_name.name: '
        .. '"bulb" differs from the entity\'s name "lamp"',
        { { prefab = "lamp.json", name = "x" } })
    end)

    it("and refuses a debug_name that differs from the name in the inner file", function()
      write("lamp.json", LAMP)
      refuses('level.json: entities[1].components.debug_name.name: "x" differs from the entity\'s name "lamp"',
        { { prefab = "lamp.json", components = { debug_name = { name = "x" } } } })
      refuses('level.json: entities[1].overrides["bulb"].debug_name.name: "x" differs from the entity\'s name "bulb"',
        { { prefab = "lamp.json", overrides = { bulb = { debug_name = { name = "x" } } } } })
    end)
  end)

  describe("is overridden", function()
    before_each(function()
      write("lamp.json", { entities = { { name = "lamp", children = {
        { name = "left", children = { { name = "bulb", components = { health = { hp = 1, title = "a" } } } } },
        { name = "right", children = { { name = "bulb", components = { health = { hp = 2 } } } } } } } } })
    end)

    local function bulbs(overrides)
      local level = spawn { { prefab = "lamp.json", overrides = overrides } }
      return hp(level, "left/bulb") .. " " .. hp(level, "right/bulb")
    end

    it("by name, at every entity of the name", function()
      assert.equal("7 7", bulbs { bulb = { health = { hp = 7 } } })
    end)

    it("by path", function()
      assert.equal("1 7", bulbs { ["right/bulb"] = { health = { hp = 7 } } })
      assert.equal("7 2", bulbs { ["lamp/left/bulb"] = { health = { hp = 7 } } })
    end)

    it("field by field", function()
      local level = spawn { { prefab = "lamp.json", overrides = { ["left/bulb"] = { health = { hp = 7 } } } } }
      assert.equal("a", world.health:title(level:find "left/bulb"))
    end)

    it("with null, which removes a component", function()
      local level = spawn { { prefab = "lamp.json", overrides = { ["left/bulb"] = { health = json.null } } } }
      assert.is_false(world.health:has(level:find "left/bulb"))
    end)

    it("with components that the entity did not have", function()
      local level = spawn { { prefab = "lamp.json", overrides = { left = { health = { hp = 3 } } } } }
      assert.equal(3, hp(level, "left"))
    end)

    it("by several paths, of which the longest has precedence", function()
      assert.equal("8 7", bulbs { bulb = { health = { hp = 7 } }, ["left/bulb"] = { health = { hp = 8 } } })
    end)

    it("without keys of $ and _", function()
      assert.equal("1 2", bulbs { _bulb = 5, ["$bulb"] = { health = { hp = 3 } } })
    end)

    it("by a key of _ that is the name of an entity", function()
      write("lamp.json", { entities = { { name = "lamp", children = { { name = "_bulb" } } } } })
      local level = spawn { { prefab = "lamp.json", overrides = { _bulb = { health = { hp = 7 } }, _ = {} } } }
      assert.equal(7, hp(level, "_bulb"))
    end)

    it("inside a prefab that it includes, where the outer file has precedence", function()
      write("street.json", { entities = { { name = "street", children = {
        { prefab = "lamp.json", name = "l1", overrides = { bulb = { health = { hp = 10, title = "street" } } } },
        { prefab = "lamp.json", name = "l2" } } } } })
      local level = spawn { { prefab = "street.json", overrides = { ["l1/left/bulb"] = { health = { hp = 11 } },
        ["l2/right/bulb"] = { health = { hp = 12 } }, l2 = { health = { hp = 13 } } } } }
      assert.are.same({ 11, 10, 1, 12, 13 }, { hp(level, "l1/left/bulb"), hp(level, "l1/right/bulb"),
        hp(level, "l2/left/bulb"), hp(level, "l2/right/bulb"), hp(level, "l2") })
      assert.equal("street", world.health:title(level:find "l1/left/bulb"))
    end)

    it("inside the prefab of its root", function()
      write("tall.json", { entities = { { prefab = "lamp.json", name = "tall",
        overrides = { bulb = { health = { hp = 5 } } } } } })
      local level = spawn { { prefab = "tall.json", overrides = { ["right/bulb"] = { health = { hp = 6 } } } } }
      assert.are.same({ 5, 6 }, { hp(level, "left/bulb"), hp(level, "right/bulb") })
    end)

    it("only inside the instance of the entry", function()
      local level = spawn { { prefab = "lamp.json", name = "a", overrides = { bulb = { health = { hp = 7 } } },
        children = { { name = "bulb", components = { health = { hp = 4 } } } } }, { prefab = "lamp.json", name = "b" } }
      assert.are.same({ 7, 4, 1 }, { hp(level, "a/left/bulb"), hp(level, "a/bulb"), hp(level, "b/left/bulb") })
    end)

    it("only where an entity exists, and the error names the nearest one", function()
      refuses([[level.json: entities[1].overrides["left/blub"]: no such entity in folder/lamp.json ]]
        .. "(did you mean 'bulb'?)", { { prefab = "lamp.json", overrides = { ["left/blub"] = {} } } })
      refuses([[level.json: entities[1].overrides["bulb/left"]: no such entity in folder/lamp.json ]]
        .. "(did you mean 'left'?)", { { prefab = "lamp.json", overrides = { ["bulb/left"] = {} } } })
      refuses([[level.json: entities[1].overrides["/"]: no such entity in folder/lamp.json]],
        { { prefab = "lamp.json", overrides = { ["/"] = {} } } })
    end)

    it("but not at its root, which the entry itself changes", function()
      refuses([[level.json: entities[1].overrides["lamp"]: this is the root of folder/lamp.json: ]]
        .. "set its components in the entry itself", { { prefab = "lamp.json", overrides = { lamp = {} } } })
    end)
  end)

  describe("is refused", function()
    it("unless it has exactly one root", function()
      write("none.json", { entities = { { name = "a", parent = "b" }, { name = "b", parent = "a" } } })
      write("two.json", { entities = { { name = "a" }, { name = "b", parent = "a" }, { name = "c" } } })
      write("empty.json", '{ "entities": [] }')
      refuses_inside("folder/none.json: entities: a prefab has exactly one root, this file has none",
        { { prefab = "none.json" } })
      refuses_inside("folder/two.json: entities: a prefab has exactly one root, but [1] and [3] have no parent",
        { { prefab = "two.json" } })
      refuses_inside("folder/empty.json: entities: a prefab has exactly one root, this file has none",
        { { prefab = "empty.json" } })
    end)

    it("inside itself", function()
      write("a.json", { entities = { { prefab = "b.json" } } })
      write("b.json", { entities = { { children = { { prefab = "./a.json" } } } } })
      refuses_inside("folder/b.json: entities[1].children[1].prefab: prefabs form a cycle: "
        .. "folder/a.json -> folder/b.json -> folder/a.json", { { prefab = "a.json" } })
    end)

    it("inside itself after other prefabs, which the message leaves out of the cycle", function()
      for n = 1, 30 do write(n .. ".json", { entities = { { prefab = (n + 1) .. ".json" } } }) end
      write("31.json", { entities = { { prefab = "30.json" } } })
      refuses_inside("folder/31.json: entities[1].prefab: prefabs form a cycle: "
        .. "folder/30.json -> folder/31.json -> folder/30.json", { { prefab = "1.json" } })
    end)

    it("inside itself by paths that grow without end", function()
      if slow or not rawget(_G, "jit") then return end
      local bytes, message = compiler:compile({ entities = { { prefab = "p" } } },
        { read = function() return '{ "entities": [ { "prefab": "a/p" } ] }' end })
      assert.is_nil(bytes)
      assert.equal("entities[1].prefab: prefabs are nested too deep (limit is 1000)", message:sub(-63))
    end)

    it("directly inside itself", function()
      write("a.json", { entities = { { prefab = "a.json" } } })
      refuses_inside("folder/a.json: entities[1].prefab: prefabs form a cycle: "
        .. "folder/a.json -> folder/a.json", { { prefab = "a.json" } })
    end)

    it("inside itself through the source file", function()
      write("b.json", { entities = { { prefab = "x/../level.json" } } })
      local from = write("level.json", { entities = { { prefab = "b.json" } } })
      local result, message = compiler:compile_file(from, files:at "level.bin", { name = "NAME" })
      assert.is_nil(result)
      assert.equal("NAME: entities[1].prefab: ROOT/b.json: entities[1].prefab: prefabs form a cycle: "
        .. "ROOT/level.json -> ROOT/b.json -> ROOT/level.json", (message:gsub(files.path:gsub("%p", "%%%0"), "ROOT")))
    end)

    it("if its file is missing or its path is wrong", function()
      refuses("level.json: entities[1].prefab: cannot read folder/no.json: No such file or directory",
        { { prefab = "no.json" } })
      refuses("level.json: entities[1].prefab: cannot read folder/a?b: a path cannot hold a zero byte",
        { { prefab = "a\0b" } })
      refuses("level.json: entities[1].prefab: expected the path of a file, got 5", { { prefab = 5 } })
      refuses('level.json: entities[1].prefab: expected the path of a file, got ""', { { prefab = "" } })
    end)

    it("if its text is wrong, with file, line and column", function()
      write("lamp.json", '{ "entities": [\n  { "name": "a", "name": "b" } ] }')
      refuses_inside('folder/lamp.json: line 2 column 18: entities[1].name: duplicate key "name"',
        { { prefab = "lamp.json" } })
    end)

    it("if its document is wrong", function()
      write("lamp.json", '{ "entity": [] }')
      refuses_inside("folder/lamp.json: unknown key 'entity' (did you mean 'entities'?)", { { prefab = "lamp.json" } })
      write("lamp.json", '{ "version": 2, "entities": [] }')
      refuses_inside("folder/lamp.json: version: 2 is newer than this compiler, which supports version 1",
        { { prefab = "lamp.json" } })
    end)
  end)

  describe("is named as the place of", function()
    local function lamp(root)
      write("lamp.json", { entities = { root } })
    end

    it("an error after the place where the source includes it, without the files in between", function()
      lamp { name = "lamp", components = { health = { hp = "x" } } }
      write("post.json", { entities = { { prefab = "lamp.json" } } })
      write("road.json", { entities = { { name = "road", children = { { prefab = "post.json" } } } } })
      refuses("level.json: entities[2].children[1].prefab: folder/lamp.json: entities[1].components.health.hp: "
        .. "expected a number, got string", { { name = "a" }, { children = { { prefab = "road.json" } } } })
      refuses("level.json: entities[2].prefab: folder/lamp.json: entities[1].components.health.hp: "
        .. "expected a number, got string", { { name = "a" }, { prefab = "road.json" } })
      write("lamp.json", "{")
      local result, message = compile { { children = { { prefab = "road.json" } } } }
      assert.is_nil(result)
      local place = "level.json: entities[1].children[1].prefab: " .. files:at "lamp.json" .. ": line 1"
      assert.equal(place, message:sub(1, #place))
      assert(os.remove(files:at "lamp.json"))
      refuses("level.json: entities[1].prefab: folder/post.json: entities[1].prefab: cannot read folder/lamp.json: "
        .. "No such file or directory", { { prefab = "road.json" } })
    end)

    it("a wrong key", function()
      lamp { children = { { nam = "x" } } }
      refuses_inside("folder/lamp.json: entities[1].children[1]: unknown key 'nam' (did you mean 'name'?)",
        { { prefab = "lamp.json" } })
    end)

    it("a wrong value in the prefab", function()
      lamp { components = { health = { hp = "x" } } }
      refuses_inside("folder/lamp.json: entities[1].components.health.hp: expected a number, got string",
        { { prefab = "lamp.json", components = { health = { title = "x" } } } })
    end)

    it("a wrong value, unless it is in the entry", function()
      lamp { components = { health = { hp = 1 } } }
      refuses("level.json: entities[2].components.health.hp: expected a number, got string",
        { {}, { prefab = "lamp.json", components = { health = { hp = "x" } } } })
    end)

    it("a wrong value, unless it is in an override", function()
      lamp { name = "lamp", children = { { name = "bulb", components = { health = {} } } } }
      refuses('level.json: entities[1].overrides["bulb"].health.hp: expected a number, got string',
        { { prefab = "lamp.json", overrides = { bulb = { health = { hp = "x" } } } } })
    end)

    it("a wrong value in one of several components", function()
      lamp { components = { wheel = { {}, { radius = "x" } } } }
      refuses_inside("folder/lamp.json: entities[1].components.wheel[2].radius: expected a number, got string",
        { { prefab = "lamp.json", components = { wheel = { {} } } } })
      lamp { components = { wheel = { {}, {} } } }
      refuses("level.json: entities[1].components.wheel[1].radius: expected a number, got string",
        { { prefab = "lamp.json", components = { wheel = { { radius = "x" } } } } })
    end)

    it("a misspelt field that other fields extend", function()
      lamp { components = { health = { hpp = 1 } } }
      refuses_inside("folder/lamp.json: entities[1].components.health: unknown field 'hpp' (did you mean 'hp'?)",
        { { prefab = "lamp.json", components = { health = { title = "x" } } } })
    end)

    it("a misspelt component", function()
      lamp { components = { heath = {} } }
      refuses_inside("folder/lamp.json: entities[1].components: unknown component 'heath' (did you mean 'health'?)",
        { { prefab = "lamp.json" } })
    end)

    it("a misspelt component, unless the entry removes it", function()
      lamp { components = { health = {} } }
      refuses("level.json: entities[1].components: unknown component 'heath' (did you mean 'health'?)",
        { { prefab = "lamp.json", components = { heath = json.null } } })
    end)

    it("a misspelt field, unless the entry removes it", function()
      lamp { components = { health = { hp = 3 } } }
      refuses("level.json: entities[1].components.health: unknown field 'hpp' (did you mean 'hp'?)",
        { { prefab = "lamp.json", components = { health = { hpp = json.null } } } })
    end)

    it("a component of the wrong shape, even if the entry changes it", function()
      lamp { components = { health = 5 } }
      refuses_inside("folder/lamp.json: entities[1].components.health: expected an object, got 5",
        { { prefab = "lamp.json", components = { health = {} } } })
      lamp { components = { health = { { hp = 5 } } } }
      refuses_inside("folder/lamp.json: entities[1].components.health: expected one component, got an array: "
        .. "an entity can have only one health", { { prefab = "lamp.json", components = { health = {} } } })
    end)

    it("an id that two components of one array share", function()
      lamp { components = { wheel = { { id = "a" } } } }
      refuses('level.json: entities[1].components.wheel[2].id: another wheel of the entity has "a" too',
        { { prefab = "lamp.json", components = { wheel = { { id = "a" }, { id = "a" } } } } })
      lamp { components = { wheel = { { id = "a" }, { id = "a" } } } }
      refuses_inside('folder/lamp.json: entities[1].components.wheel[2].id: another wheel of the entity has "a" too',
        { { prefab = "lamp.json" } })
    end)

    it("an array with gaps or keys, unless it is in the entry", function()
      lamp { name = "lamp", children = { { name = "bulb" } } }
      refuses('level.json: entities[1].overrides["bulb"].wheel: expected an array, got one that also has keys',
        { { prefab = "lamp.json", overrides = { bulb = { wheel = { {}, radius = 3 } } } } })
      refuses("level.json: entities[1].components.wheel: the array has gaps",
        { { prefab = "lamp.json", components = { wheel = { {}, [5] = {} } } } })
    end)

    it("an id that two entities of one file share", function()
      lamp { id = 7, children = { { id = 7 } } }
      refuses_inside('folder/lamp.json: entities[1].children[1].id: "7" is also the id of entities[1]',
        { { prefab = "lamp.json" } })
    end)

    it("a reference to no entity", function()
      lamp { name = "lamp", components = { health = { target = "blub" } }, children = { { name = "bulb" } } }
      refuses_inside('folder/lamp.json: entities[1].components.health.target: unknown entity "blub" '
        .. "(did you mean 'bulb'?)", { { prefab = "lamp.json" } })
    end)

    it("a wrong value, unless it is in overrides, which need a prefab and an object", function()
      refuses("level.json: entities[1].overrides: only an entry with a prefab can have overrides",
        { { overrides = {} } })
      lamp { name = "lamp" }
      refuses("level.json: entities[1].overrides: expected an object, got 5",
        { { prefab = "lamp.json", overrides = 5 } })
      refuses('level.json: entities[1].overrides["a"]: expected an object, got 5',
        { { prefab = "lamp.json", overrides = { a = 5 } } })
    end)
  end)

  it("is refused if prefabs that include others twice have too many entities, before they are read", function()
    for i = 1, 40 do -- 2^40 entities
      local inner = { prefab = "p" .. i + 1 .. ".json" }
      write("p" .. i .. ".json", { entities = { { children = i < 40 and { inner, inner } or nil } } })
    end
    refuses("level.json: more than 4194304 entities", { { name = "a" }, { prefab = "p1.json" } })
  end)

  it("compiles to the same bytes on every host, in either byte order", function()
    write("lamp.json", { entities = { { name = "lamp", components = { health = { hp = 5, target = "bulb" },
      wheel = { { id = "a", radius = 0.1 }, { axis = { 1, 2, 3 } } }, transform = { angle = 0.7 } },
      children = { { name = "bulb", components = { transform = { position = { 0.1, 0, 1e9 } } } } } } } })
    local source = {}
    for i = 1, 20 do
      source[i] = { prefab = "lamp.json", name = "lamp_" .. i, components = { health = { title = "t" .. i % 3 },
        wheel = { { id = "a", radius = i / 3 } }, point_mass = { mass = i } },
        overrides = { bulb = { transform = { scale = 1 / i }, debug_name = {} } } }
    end
    local checksums = {}
    for place, endian in ipairs { "little", "big" } do
      checksums[place] = blob.crc32((assert(compiler:compile({ entities = source },
        { directory = files.path, endian = endian }))))
    end
    assert.are.same({ 3679735363, 3786463226 }, checksums)
  end)

  describe("as a dependency", function()
    before_each(function()
      write("a.json", { entities = { { children = { { prefab = "sub/../b.json" }, { prefab = "c.json" } } } } })
      write("b.json", { entities = { { prefab = "c.json" } } })
      write("c.json", { entities = { {} } })
    end)

    it("is listed once, in the order of first use", function()
      local _, needed = assert(compile { { prefab = "b.json" }, { prefab = "a.json" }, { prefab = "./b.json" } })
      assert.are.same({ files:at "b.json", files:at "c.json", files:at "a.json" }, needed)
    end)

    it("follows the source file", function()
      local from = write("level.json", { entities = { { prefab = "a.json" } } })
      local _, needed = assert(compiler:compile_file(from, files:at "level.bin"))
      assert.are.same({ from, files:at "a.json", files:at "b.json", files:at "c.json" }, needed)
    end)

    it("is read again by each compilation", function()
      assert.equal(1, spawn({ { prefab = "b.json" } }):count())
      write("c.json", { entities = { { children = { {} } } } })
      assert.equal(2, spawn({ { prefab = "b.json" } }):count())
    end)
  end)
end)
