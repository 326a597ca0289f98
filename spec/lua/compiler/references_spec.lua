-- References between the entities of a level: fields of type entity, and parents.

-- tags: pure_lua

local cuttle = require "cuttle"
local folder = require "spec.support.folder"
local json = require "cuttle.json"
local level_files = require "spec.support.level_files"
local rounds = require "spec.support.rounds"

describe("a reference", function()
  local world, compiler, files

  before_each(function()
    world = cuttle.world(cuttle.entity_manager())
    world:define("aim", { { "target", "entity" }, { "second", "entity" } })
    compiler = cuttle.compiler(world)
    files = folder.new()
  end)
  after_each(function() files:remove() end)

  local function write(name, entities)
    files:write(name, assert(json.encode({ entities = entities }, { arrays = { entities = true } })))
  end

  local compile, spawn, refuses = level_files(function() return compiler, world, files end)

  local function aim(target) return { aim = { target = target } } end

  -- The target of the entity at a path.
  local function target(level, path) return world.aim:target(assert(level:find(path), path)) end

  describe("in a file", function()
    it("prefers an id to a name", function()
      local level = spawn { { name = "x" }, { id = "x", name = "y" }, { name = "gun", components = aim "x" } }
      assert.equal(level:find "y", target(level, "gun"))
    end)

    it("finds an entity that is written earlier, later, above or below, and the entity itself", function()
      local level = spawn { { name = "top", components = aim "gun", children = {
        { name = "gun", components = aim "late" }, { name = "self", components = aim "self" } } },
        { name = "late", components = aim "top" } }
      assert.equal(level:find "gun", target(level, "top"))
      assert.equal(level:find "late", target(level, "gun"))
      assert.equal(level:find "self", target(level, "self"))
      assert.equal(level:find "top", target(level, "late"))
    end)

    it("may be a path", function()
      local level = spawn { { name = "a", children = { { name = "lamp", children = { { name = "bulb" } } } } },
        { name = "b", children = { { name = "lamp", children = { { name = "bulb" } } } } },
        { name = "gun", components = aim "b/lamp/bulb" }, { name = "other", components = aim "a/lamp" } }
      assert.equal(level:find "b/lamp/bulb", target(level, "gun"))
      assert.equal(level:find "a/lamp", target(level, "other"))
    end)

    it("may be one of thousands of parents that are given as paths", function() -- in quadratic time a minute
      local entries, count = {}, rounds(8000, 500)
      for i = 1, count do
        entries[2 * i - 1] = { name = "a" .. i, children = { { name = "b" } } }
        entries[2 * i] = { name = "c" .. i, parent = "a" .. i .. "/b" }
      end
      local level = spawn(entries)
      assert.equal(3 * count, level:count())
      assert.is_truthy(level:find("a" .. count .. "/b/c" .. count))
    end)

    it("may be a path through parents that are given by name", function()
      local level = spawn { { name = "lamp" }, { name = "bulb", parent = "lamp" }, { name = "bulb" },
        { name = "gun", components = aim "lamp/bulb" } }
      assert.equal(level:find "lamp/bulb", target(level, "gun"))
    end)

    it("may be an id that looks like a path", function()
      local level = spawn { { id = "a/b", name = "x" }, { name = "gun", components = aim "a/b" } }
      assert.equal(level:find "x", target(level, "gun"))
    end)

    it("may be a number", function()
      local level = spawn { { id = 12, name = "x" }, { name = "gun", components = aim(12) },
        { name = "other", components = aim "12" } }
      assert.equal(level:find "x", target(level, "gun"))
      assert.equal(level:find "x", target(level, "other"))
    end)

    it("is empty if it is false or null", function()
      local level = spawn { { name = "gun", components = { aim = { target = false, second = json.null } } } }
      assert.is_nil(target(level, "gun"))
      assert.is_nil(world.aim:second(level:find "gun"))
    end)

    it("is refused if no entity has the name or id, with the nearest one", function()
      refuses("level.json: entities[2].components.aim.target: unknown entity \"lapm\" (did you mean 'lamp'?)",
        { { name = "lamp" }, { components = aim "lapm" } })
      refuses("level.json: entities[2].components.aim.target: unknown entity \"lamp_8\" (did you mean 'lamp_7'?)",
        { { id = "lamp_7" }, { components = aim "lamp_8" } })
      refuses("level.json: entities[1].components.aim.target: unknown entity \"anything\"",
        { { components = aim "anything" } })
    end)

    it("finds the nearest name among thousands", function()
      local entities = {}
      for i = 1, 3000 do entities[i] = { name = ("n%04d"):format(i) } end
      entities[2900].name = "generator"
      entities[3001] = { components = aim "generatro" }
      refuses("level.json: entities[3001].components.aim.target: unknown entity \"generatro\" "
        .. "(did you mean 'generator'?)", entities)
    end)

    it("is refused if several entities have the name", function()
      refuses("level.json: entities[3].components.aim.target: \"lamp\" is ambiguous, the name of several entities: "
        .. "refer to one by its id", { { name = "lamp" }, { name = "lamp" }, { components = aim "lamp" } })
    end)

    it("is refused if a path leads to several entities", function()
      refuses("level.json: entities[3].components.aim.target: \"a/b\" is ambiguous, the name of several entities: "
        .. "refer to one by its id", { { name = "a", children = { { name = "b" } } },
          { name = "a", children = { { name = "b" } } }, { components = aim "a/b" } })
    end)

    it("is refused if it is neither a string nor a number", function()
      refuses("level.json: entities[1].components.aim.target: expected a string or number, got object",
        { { components = aim { x = 1 } } })
      assert.is_nil((compile { { components = aim(true) } }))
    end)

    it("is refused in the field parent of a transform", function()
      refuses("level.json: entities[2].components.transform.parent: the hierarchy is given by children, or by parent "
        .. "beside components", { { name = "a" }, { components = { transform = { parent = "a" } } } })
    end)
  end)

  describe("from inside a prefab", function()
    before_each(function()
      write("lamp.json", { { name = "lamp", id = "root", components = { aim = { target = "bulb", second = "switch" } },
        children = { { name = "bulb", id = 1, components = { aim = { target = "root", second = "lamp" } } } } } })
    end)

    it("prefers an entity inside to one outside", function()
      local level = spawn { { name = "bulb" }, { id = 1, name = "root" }, { name = "switch" },
        { prefab = "lamp.json", name = "l" } }
      assert.equal(level:find "l/bulb", target(level, "l"))
      assert.equal(level:find "l", target(level, "l/bulb"))
    end)

    it("finds the entity of its own instance", function()
      local level = spawn { { name = "switch" }, { prefab = "lamp.json", name = "a" },
        { prefab = "lamp.json", name = "b" } }
      assert.equal(level:find "a/bulb", target(level, "a"))
      assert.equal(level:find "b/bulb", target(level, "b"))
      assert.equal(level:find "b", target(level, "b/bulb"))
    end)

    it("finds the root by the name in its file, even if the entry has another name", function()
      local level = spawn { { name = "switch" }, { prefab = "lamp.json", name = "l" } }
      assert.equal(level:find "l", world.aim:second(level:find "l/bulb"))
    end)

    it("finds an entity outside if none inside has the name", function()
      local level = spawn { { prefab = "lamp.json", name = "l" },
        { name = "hall", children = { { name = "switch" } } } }
      assert.equal(level:find "hall/switch", world.aim:second(level:find "l"))
    end)

    it("is looked up from the inner file to the outer files", function()
      write("room.json", { { name = "room", children = { { prefab = "lamp.json" }, { name = "switch" } } } })
      local level = spawn { { name = "switch" }, { prefab = "room.json" } }
      assert.equal(level:find "room/switch", world.aim:second(level:find "room/lamp"))
    end)

    it("may be a path inside", function()
      write("room.json", { { name = "room", components = aim "left/bulb", children = {
        { name = "left", children = { { name = "bulb" } } }, { name = "right", children = { { name = "bulb",
          components = aim "room/left" } } } } } })
      local level = spawn { { name = "left", children = { { name = "bulb" } } }, { prefab = "room.json", name = "r" } }
      assert.equal(level:find "r/left/bulb", target(level, "r"))
      assert.equal(level:find "r/left", target(level, "r/right/bulb"))
    end)

    it("is refused with the prefab's file if no entity has the name", function()
      refuses("level.json: entities[2].prefab: folder/lamp.json: entities[1].components.aim.second: "
        .. "unknown entity \"switch\" (did you mean 'swatch'?)", { { name = "swatch" }, { prefab = "lamp.json" } })
    end)

    it("prefers an entity inside also in a component of the entry", function()
      local level = spawn { { name = "bulb" }, { name = "switch" },
        { prefab = "lamp.json", name = "l", components = { aim = { target = "switch", second = "bulb" } },
          overrides = { bulb = { aim = { second = "switch" } } } } }
      assert.equal(level:find "switch", target(level, "l"))
      assert.equal(level:find "l/bulb", world.aim:second(level:find "l"))
      assert.equal(level:find "switch", world.aim:second(level:find "l/bulb"))
    end)

    it("prefers an entity inside also in an appended child", function()
      local level = spawn { { name = "bulb" }, { name = "switch" }, { prefab = "lamp.json", name = "l", children = {
        { name = "moth", components = aim "bulb", children = { { name = "egg", components = aim "bulb" } } } } } }
      assert.equal(level:find "l/bulb", target(level, "l/moth"))
      assert.equal(level:find "l/bulb", target(level, "l/moth/egg"))
    end)

    it("prefers an entity inside also in a child that a file appends to its own root", function()
      write("tall.json", { { prefab = "lamp.json", name = "tall", children = {
        { name = "moth", components = aim "bulb" } } } })
      local level = spawn { { name = "bulb" }, { name = "switch" }, { prefab = "tall.json" } }
      assert.equal(level:find "tall/bulb", target(level, "tall/moth"))
    end)
  end)

  describe("into a prefab", function()
    before_each(function()
      write("lamp.json", { { name = "lamp", id = "root", children = { { name = "bulb", id = "inner" } } } })
    end)

    it("finds the instance by the entry's name or id", function()
      local level = spawn { { prefab = "lamp.json", name = "l", id = 5 }, { name = "gun", components = aim "l" },
        { name = "other", components = aim(5) } }
      assert.equal(level:find "l", target(level, "gun"))
      assert.equal(level:find "l", target(level, "other"))
    end)

    it("finds the instance by the prefab's name if the entry has none", function()
      local level = spawn { { prefab = "lamp.json" }, { name = "gun", components = aim "lamp" } }
      assert.equal(level:find "lamp", target(level, "gun"))
    end)

    it("finds an inner entity by a name that no other entity has", function()
      local level = spawn { { prefab = "lamp.json" }, { name = "gun", components = aim "bulb" } }
      assert.equal(level:find "lamp/bulb", target(level, "gun"))
    end)

    it("prefers an entity of the file itself to an inner one", function()
      local level = spawn { { prefab = "lamp.json" }, { name = "bulb" }, { name = "gun", components = aim "bulb" } }
      assert.are_not.equal(level:find "lamp/bulb", target(level, "gun"))
      assert.is_not_nil(target(level, "gun"))
    end)

    it("is refused if several instances have the name", function()
      refuses("level.json: entities[3].components.aim.target: \"bulb\" is ambiguous, the name of several entities: "
        .. "refer to one by its id",
        { { prefab = "lamp.json", name = "a" }, { prefab = "lamp.json", name = "b" }, { components = aim "bulb" } })
    end)

    it("may be a path", function()
      local level = spawn { { prefab = "lamp.json", name = "a" }, { prefab = "lamp.json", name = "b" },
        { name = "gun", components = aim "b/bulb" } }
      assert.equal(level:find "b/bulb", target(level, "gun"))
    end)

    it("cannot use an id of the prefab, which belongs to its file", function()
      refuses("level.json: entities[2].components.aim.target: unknown entity \"inner\"",
        { { prefab = "lamp.json" }, { components = aim "inner" } })
      refuses("level.json: entities[2].components.aim.target: unknown entity \"root\"",
        { { prefab = "lamp.json" }, { components = aim "root" } })
    end)

    it("cannot use a name that the entry replaced", function()
      refuses("level.json: entities[2].components.aim.target: unknown entity \"lamp\"",
        { { prefab = "lamp.json", name = "other" }, { components = aim "lamp" } })
    end)
  end)

  describe("as a parent", function()
    it("prefers an id to a name, earlier or later", function()
      local level = spawn { { name = "x", parent = "p" }, { name = "p" }, { id = "p", name = "q" } }
      assert.is_not_nil(level:find "q/x")
    end)

    it("finds an instance of a prefab and an entity inside", function()
      write("lamp.json", { { name = "lamp", children = { { name = "bulb" } } } })
      local level = spawn { { name = "x", parent = "lamp" }, { prefab = "lamp.json" }, { name = "y", parent = "bulb" } }
      assert.is_not_nil(level:find "lamp/x")
      assert.is_not_nil(level:find "lamp/bulb/y")
    end)

    it("may be a path through entities and prefabs in any order", function()
      write("lamp.json", { { name = "lamp", children = { { name = "arm", children = { { name = "bulb" } } } } } })
      local level = spawn {
        { name = "moth", parent = "lamp_2/arm/bulb" },
        { name = "wing", parent = "lamp_2/arm/bulb/moth" },
        { prefab = "lamp.json", name = "lamp_1" }, { prefab = "lamp.json", name = "lamp_2" },
        { name = "fly", parent = "lamp_1/arm" },
      }
      assert.is_not_nil(level:find "lamp_2/arm/bulb/moth/wing")
      assert.is_not_nil(level:find "lamp_1/arm/fly")
      assert.equal(level:find "lamp_2/arm/bulb", world.transform:has(level:find "moth")
        and world.transform:parent(level:find "moth") or level:find "lamp_2/arm/bulb")
    end)

    it("is refused if its path leads to no entity, to several, or to a cycle", function()
      write("lamp.json", { { name = "lamp", children = { { name = "bulb" }, { name = "bulb" } } } })
      refuses('level.json: entities[1].parent: unknown entity "lamp_1/bolt"',
        { { name = "x", parent = "lamp_1/bolt" }, { prefab = "lamp.json", name = "lamp_1" } })
      refuses('level.json: entities[1].parent: "lamp_1/bulb" is ambiguous, the name of several '
        .. "entities: refer to one by its id",
        { { name = "x", parent = "lamp_1/bulb" }, { prefab = "lamp.json", name = "lamp_1" } })
      refuses([[level.json: entities[1].parent: unknown entity "b/a" (did you mean 'a'?)]],
        { { name = "a", parent = "b/a" }, { name = "b", parent = "a/b" } })
    end)

    it("stays in its file: a prefab cannot have a parent outside", function()
      write("lamp.json", { { name = "lamp" }, { name = "bulb", parent = "street" } })
      refuses("level.json: entities[2].prefab: folder/lamp.json: entities[2].parent: unknown entity \"street\"",
        { { name = "street" }, { prefab = "lamp.json" } })
    end)

    it("is refused if it is the entity itself or a descendant", function()
      refuses("level.json: entities[1].parent: the parent would make a cycle",
        { { name = "a", parent = "b" }, { name = "b", parent = "a" } })
    end)
  end)

  it("is found in linear time among thousands of instances", function()
    write("lamp.json", { { name = "lamp", children = { { name = "arm", components = { aim = { target = "player",
      second = "arm/bulb" } }, children = { { name = "bulb", components = aim "lamp" } } } } } })
    local entities, count = { { name = "player" } }, rounds(10000, 1000)
    for i = 1, count do
      entities[#entities + 1] = { prefab = "lamp.json", name = "lamp_" .. i, components = {
        transform = { position = { i, 0, 0 } } }, overrides = { ["arm/bulb"] = { debug_name = {} } } }
      entities[#entities + 1] = { name = "gun", components = aim("lamp_" .. i .. "/arm/bulb") }
    end
    assert.equal(1 + 4 * count, cuttle.resource((assert(compile(entities)))):entity_count())
  end)

  it("is found at any nesting depth", function()
    local top, depth = { name = "top" }, rounds(100000, 25000)
    local deepest = top
    for _ = 1, depth do
      local child = { components = aim "top" }
      deepest.children, deepest = { child }, child
    end
    write("lamp.json", { { name = "lamp", components = aim "top" } })
    deepest.children = { { prefab = "lamp.json" } }
    local level = spawn { top }
    assert.equal(level:entity(1), world.aim:target(level:entity(depth + 2)))
  end)
end)
