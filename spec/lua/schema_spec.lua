-- The JSON Schema of levels: accepted documents, refused documents, and information for editors.

-- tags: pure_lua

local cuttle = require "cuttle"
local is_valid = require "spec.support.json_schema"
local json = require "cuttle.json"
local raises = require "spec.support.raises"
local rounds = require "spec.support.rounds"
local seed = require "spec.support.seed"

local null = json.null

local function new_world()
  local world = cuttle.world(cuttle.entity_manager())
  world:define("health", { { "hp", "int32", 100 }, { "target", "entity" }, { "title", "string", "orc" },
    { "speed", "float", 0.1 }, { "level", "uint8" }, { "armed", "bool", true } })
  world:define("wheel", { { "radius", "float", 1 }, { "axis", "vec3" } }, { multiple = true })
  world:define("chest", { { "loot", "value" } })
  return world
end

-- Accepted entities of a level.
local GOOD = {
  { "two numbers for a position", { components = { transform = { position = { 1, 2 }, scale = { 2, 2 } } } } },
  { "an empty entity", {} },
  { "names and ids", { name = "a", id = 7 } },
  { "ids that are strings", { id = "x y" } },
  { "null for every key", { name = null, id = null, parent = null, components = null, children = null, prefab = null,
    overrides = null } },
  { "keys of $ and _", { _x = 5, ["$y"] = { a = 1 }, components = { _z = 1, health = { ["$w"] = 1 } } } },
  { "children at any depth", { children = { { children = { { name = "x" } } } } } },
  { "an empty component", { components = { health = {}, wheel = {}, transform = {}, debug_name = {} } } },
  { "several components, some of them empty", { components = { wheel = { {}, { radius = 1 }, {} } } } },
  { "a name beside an empty debug_name", { name = "b", components = { debug_name = {} } } },
  { "empty children and components", { components = {}, children = {} } },
  { "an empty child", { children = { {} } } },
  { "null for a component or a field",
    { components = { mesh = null, transform = null, health = { hp = null, target = null } } } },
  { "every kind of field", { components = { health = { hp = -5, target = "a", title = "x", speed = 1.5, level = 255,
    armed = false } } } },
  { "no entity, and a number that is an id", { components = { health = { target = false } },
    children = { { components = { health = { target = 5 } } } } } },
  { "any JSON in a value field", { components = { chest = { loot = { 1, null, { ["$x"] = { _y = "z" } } } } },
    children = { { components = { chest = { loot = false } } }, { components = { chest = { loot = null } } } } } },
  { "a single component of a type that allows several", { components = { wheel = { radius = 1 } } } },
  { "several components with ids", { components = { wheel = { { id = "a" }, { id = 3 }, { axis = { 1, 2, 3 } } } } } },
  { "a required field", { components = { mesh = { resource = "x", color = { 1, 1, 1, 1 } } } } },
  { "transforms in every form", { components = { transform = { position = { 1, 2, 3 }, angle = 1, scale = 2 } },
    children = { { components = { transform = { rotation = { 0, 0, 0, 1 }, scale = { 1, 2, 3 } } } },
      { components = { transform = { matrix = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 } } } } } } },
  { "null for fields that exclude each other",
    { components = { transform = { angle = 1, rotation = null, matrix = null } } } },
}

-- Refused entities of a level.
local BAD = {
  { "a misspelt key", { nam = "x" } },
  { "a misspelt component", { components = { heath = {} } } },
  { "a misspelt field", { components = { health = { hpp = 1 } } } },
  { "a name with a slash", { name = "a/b" } },
  { "an empty name", { name = "" } },
  { "a name that is not a string", { name = 5 } },
  { "an id that is not a string or number", { id = true } },
  { "a parent in children", { name = "p", children = { { parent = "p" } } } },
  { "overrides without a prefab", { overrides = {} } },
  { "an empty path of a prefab", { prefab = "" } },
  { "children that are not an array", { children = { name = "x" } } },
  { "components that are an array", { components = { { 1 } } } },
  { "a component that is not an object", { components = { health = 5 } } },
  { "several components of a type that allows one", { components = { health = { { hp = 1 } } } } },
  { "a required field that is missing", { components = { mesh = {} } } },
  { "a required field that is missing in one of several", { components = { mesh = { { resource = "x" }, {} } } } },
  { "null among several components", { components = { mesh = { { resource = "x" }, null } } } },
  { "null among several components without required fields", { components = { wheel = { null } } } },
  { "null among children", { children = { null } } },
  { "an empty vector", { components = { transform = { position = {} } } } },
  { "an empty scalar", { components = { health = { hp = {} } } } },
  { "an empty name", { name = {} } },
  { "a required field that is null", { components = { mesh = { resource = null } } } },
  { "a string for a number", { components = { health = { hp = "5" } } } },
  { "a fraction for an integer", { components = { health = { hp = 1.5 } } } },
  { "a number out of range", { components = { health = { level = 256 } } } },
  { "a number below the range", { components = { health = { hp = -2147483649 } } } },
  { "a number for a boolean", { components = { health = { armed = 1 } } } },
  { "a number for a string", { components = { health = { title = 1 } } } },
  { "true for an entity", { components = { health = { target = true } } } },
  { "too few numbers", { components = { transform = { position = { 1 } } } } },
  { "too many numbers", { components = { wheel = { { axis = { 1, 2, 3, 4 } } } } } },
  { "a parent in a transform", { components = { transform = { parent = "x" } } } },
  { "an angle beside a rotation", { components = { transform = { angle = 1, rotation = { 0, 0, 0, 1 } } } } },
  { "a matrix beside a position", { components = { transform = { position = { 1, 2, 3 },
    matrix = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 } } } } },
  { "an id that is zero", { components = { wheel = { { id = 0 } } } } },
}

describe("the schema of level source", function()
  local world, compiler, schema

  before_each(function()
    world = new_world()
    compiler = cuttle.compiler(world)
    schema = assert(json.decode(cuttle.schema(world)))
  end)

  local function level(entity)
    -- The entities that the samples refer to.
    return { entities = { { name = "a" }, { id = 5 }, entity } }
  end

  describe("accepts, like the compiler,", function()
    for _, case in ipairs(GOOD) do
      it(case[1], function()
        assert.is_true(is_valid(schema, level(case[2])))
        assert(compiler:compile(level(case[2])))
      end)
    end

    it("version 1, null or no version, and any schema name", function()
      for _, document in ipairs { { version = 1, entities = {} }, { version = null, entities = {} },
        { ["$schema"] = "level.schema.json", _by = 5, entities = {} }, { ["$schema"] = 5, entities = {} },
        { ["$schema"] = { a = 1 }, ["$x"] = {}, entities = { {} } } } do
        assert.is_true(is_valid(schema, document))
        assert(compiler:compile(document))
      end
    end)
  end)

  describe("refuses, like the compiler,", function()
    for _, case in ipairs(BAD) do
      it(case[1], function()
        assert.is_false(is_valid(schema, level(case[2])))
        assert.is_nil((compiler:compile(level(case[2]))))
      end)
    end

    it("other documents", function()
      for _, document in ipairs { {}, { entities = { a = 1 } }, { entities = null }, { version = 2, entities = {} },
        { entities = {}, level = 1 } } do
        assert.is_false(is_valid(schema, document))
        assert.is_nil((compiler:compile(document)))
      end
    end)
  end)

  describe("for an entry with a prefab", function()
    local function entry(fields)
      fields.prefab = "lamp.json"
      return { entities = { fields } }
    end

    it("requires no fields, because the prefab may have them", function()
      assert.is_true(is_valid(schema, entry { components = { mesh = { visible = false } } }))
      assert.is_true(is_valid(schema, entry { overrides = {
        ["a/b"] = { mesh = { { visible = false } }, health = null } } }))
    end)

    it("accepts empty components and overrides", function()
      assert.is_true(is_valid(schema, entry { components = {}, overrides = {}, children = {} }))
      assert.is_true(is_valid(schema, entry { overrides = { a = {} } }))
      assert.is_true(is_valid(schema, entry { components = { mesh = {}, transform = {} },
        overrides = { a = { mesh = { {}, {} } } } }))
    end)

    it("checks the types of fields", function()
      assert.is_false(is_valid(schema, entry { components = { mesh = { visible = 5 } } }))
      assert.is_false(is_valid(schema, entry { overrides = { ["a/b"] = { health = { hpp = 5 } } } }))
      assert.is_false(is_valid(schema, entry { overrides = { a = null } }))
    end)

    it("ignores overrides of $ and _", function()
      assert.is_true(is_valid(schema, entry { overrides = { _a = 5 } }))
    end)
  end)

  it("holds the components that the world has when it is created", function()
    world:define("armour", { { "plates", "uint8" } })
    local document = { entities = { { components = { armour = { plates = 3 } } } } }
    assert.is_false(is_valid(schema, document))
    assert.is_true(is_valid(json.decode(cuttle.schema(world)), document))
  end)

  it("accepts any value for components that a registered function compiles", function()
    compiler:register("spikes", function() return "" end)
    compiler:register("mesh", function() return "" end)
    schema = json.decode(cuttle.schema(world, { compiler = compiler }))
    assert.is_true(is_valid(schema, { entities = { { components = { spikes = { 1, 2 }, mesh = "x" } } } }))
    assert.is_false(is_valid(schema, { entities = { { components = { spike = { 1, 2 } } } } }))
  end)

  it("has defaults, ranges and descriptions for editors", function()
    local health = schema.definitions["component.health"].properties
    assert.equal(100, health.hp.default)
    assert.equal(0.1, health.speed.default)
    assert.equal("orc", health.title.default)
    assert.are.same({ 0, 255 }, { health.level.minimum, health.level.maximum })
    assert.matches("id or name", health.target.description)
    assert.matches("Radians", schema.definitions["component.transform"].properties.angle.description)
  end)

  it("names its draft and has a title", function()
    assert.equal("http://json-schema.org/draft-07/schema#", schema["$schema"])
    assert.equal("cuttle level", schema.title)
    assert.equal("My game", json.decode(cuttle.schema(world, { title = "My game" })).title)
  end)

  it("is the same text for the same components in any order of definition", function()
    local other = cuttle.world(cuttle.entity_manager())
    other:define("chest", { { "loot", "value" } })
    other:define("wheel", { { "radius", "float", 1 }, { "axis", "vec3" } }, { multiple = true })
    other:define("health", { { "hp", "int32", 100 }, { "target", "entity" }, { "title", "string", "orc" },
      { "speed", "float", 0.1 }, { "level", "uint8" }, { "armed", "bool", true } })
    assert.equal(cuttle.schema(world), cuttle.schema(other))
  end)

  it("raises for wrong arguments", function()
    raises("bad argument #1 to 'schema' (", cuttle.schema, 5)
    raises("bad argument #2 to 'schema' (table expected, got number)", cuttle.schema, world, 5)
    raises("bad argument #2 to 'schema' (unknown option 'titel' (did you mean 'title'?))", cuttle.schema, world,
      { titel = "x" })
    raises("bad argument #2 to 'schema' (compiler: EntityCompiler expected, got table)", cuttle.schema, world,
      { compiler = {} })
    raises("bad argument #2 to 'schema' (title: string expected, got number)", cuttle.schema, world, { title = 5 })
    world:destroy()
    raises("world is destroyed", cuttle.schema, world)
  end)

  -- An independent validator, if it is installed.
  it("accepts the same documents in Python", function()
    if not rawget(_G, "jit") then return end -- the schema is the same text everywhere, so one interpreter is enough
    if os.execute("python3 -c 'import jsonschema' >/dev/null 2>&1") ~= 0 then return end
    local path, good, bad = os.tmpname(), {}, {}
    -- Writes all empty tables as arrays, then as objects.
    for _, empty in ipairs({ true, false }) do
      local options = { arrays = setmetatable({}, { __index = function() return empty end }) }
      for _, case in ipairs(GOOD) do good[#good + 1] = assert(json.encode(level(case[2]), options)) end
      for _, case in ipairs(BAD) do bad[#bad + 1] = assert(json.encode(level(case[2]), options)) end
    end
    local file = assert(io.open(path, "wb"))
    file:write(('{ "schema": %s, "good": [%s], "bad": [%s] }'):format(cuttle.schema(world), table.concat(good, ","),
      table.concat(bad, ",")))
    file:close()
    local pipe = assert(io.popen([[python3 -W ignore -c "
import json, jsonschema, sys
data = json.load(open(sys.argv[1]))
validator = jsonschema.Draft7Validator
validator.check_schema(data['schema'])
check = validator(data['schema'])
wrong = ['good %d' % (i + 1) for i, level in enumerate(data['good']) if not check.is_valid(level)]
wrong += ['bad %d' % (i + 1) for i, level in enumerate(data['bad']) if check.is_valid(level)]
print(' '.join(wrong) or 'all right')
" ]] .. path))
    local answer = pipe:read "*a"
    pipe:close()
    os.remove(path)
    assert.equal("all right\n", answer)
  end)

  describe("and the compiler, seed " .. seed .. ",", function()
    local random = math.random
    local VALUES = { 0, 1, -1, 1.5, 300, "a", "b/c", "", true, false, null, {}, { 1 }, { 1, 2, 3 }, { 1, 2, 3, 4 },
      { radius = 1 }, { { radius = 2 }, {} }, { hp = 1 }, { resource = "x" }, { angle = 1 }, { {} }, { null },
      { { resource = "x" } }, { { resource = "x" }, null }, { {}, null } }
    local FIELDS = { "hp", "target", "title", "level", "armed", "radius", "axis", "id", "resource", "color", "_x", "$x",
      "position", "angle", "rotation", "scale", "parent", "visible" }
    local NAMES = { "health", "wheel", "mesh", "transform", "debug_name", "_note", "$note", "armour" }

    local function any() return VALUES[random(#VALUES)] end

    local function maybe(value)
      if random(3) == 1 then return value() end
      return random(12) == 1 and any() or nil
    end

    local function components()
      local list = {}
      for _ = 1, random(0, 2) do
        local values = {}
        for _ = 1, random(0, 2) do values[FIELDS[random(#FIELDS)]] = any() end
        list[NAMES[random(#NAMES)]] = random(6) == 1 and any() or values
      end
      return list
    end

    local function children()
      local list = {}
      for place = 1, random(0, 2) do list[place] = { components = maybe(components), name = maybe(any) } end
      return list
    end

    local function document()
      return { ["$schema"] = maybe(any), version = random(9) == 1 and any() or nil, entities = random(20) == 1 and any()
        or { { name = "a" }, { id = 1, components = maybe(components), children = maybe(children),
          overrides = random(30) == 1 and any() or nil } } }
    end

    it("accept the same levels", function()
      math.randomseed(seed)
      local taken, stopped = 0, 0
      for _ = 1, rounds(1500, 500) do
        local level_source = document()
        local blob, message = compiler:compile(level_source)
        if blob then
          taken = taken + 1
          if not is_valid(schema, level_source) then error("stopped: " .. json.encode(level_source)) end
        elseif not message:find("unknown entity", 1, true) then -- a check that needs the whole level
          stopped = stopped + 1
          if is_valid(schema, level_source) then error(message .. ": let through: " .. json.encode(level_source)) end
        end
      end
      assert.is_true(taken > 20)
      assert.is_true(stopped > 20)
    end)
  end)
end)
