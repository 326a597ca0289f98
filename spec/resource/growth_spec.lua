-- Spawns of resources whose components got other fields after the compilation.

local blob = require "spec.support.blob"
local core = require "cuttle.core"
local cuttle = require "cuttle"
local new_random = require "spec.support.random"
local raises = require "spec.support.raises"
local rounds = require "spec.support.rounds"
local seed = require "spec.support.seed"

local OLD = { { "hp", "float", 5 }, { "target", "entity" }, { "title", "string", "none" },
  { "state", "enum", { "idle", "run" } }, { "place", "vec3" } }

-- Every type with a default, as a spawn into a component with the new fields must read it.
local NEW = {
  { "f", "float", 1.5 }, { "d", "double", 0.1 }, { "i8", "int8", -3 }, { "u8", "uint8", 200 }, { "i16", "int16", -300 },
  { "u16", "uint16", 60000 }, { "i32", "int32", -70000 }, { "u32", "uint32", 4000000000 }, { "b", "bool", true },
  { "v2", "vec2", { 1, 2 } }, { "v3", "vec3", { 1, 2, 3 } }, { "v4", "vec4", { 1, 2, 3, 4 } },
  { "q", "quat", { 0, 1, 0, 0 } }, { "m", "mat4" }, { "c", "color", { 1, 0, 0, 1 } }, { "e", "entity" },
  { "s", "string", "hello" }, { "n", "enum", { "low", "high" }, "high" }, { "v", "value" },
  { "d2", "dvec2", { 0.1, 0.2 } }, { "d3", "dvec3" },
}

local LEVEL = { entities = {
  { name = "lamp", components = { transform = {} } },
  { name = "one", components = {
    health = { hp = 7, target = "lamp", title = "first", state = "run", place = { 1, 2, 3 } } } },
  { name = "two", components = { health = {} } },
  { name = "three", components = { health = { title = "third", target = "one" } } },
} }

local function world_of(fields, options, name)
  local world = cuttle.world(cuttle.entity_manager())
  if fields then world:define(name or "health", fields, options) end
  return world
end

local function compile(world, level, options)
  return (assert(cuttle.compiler(world):compile(level or LEVEL, options)))
end

local function load(bytes) return assert(cuttle.resource(bytes)) end

-- OLD with more fields inserted at place 'at', by default at the end.
local function grown(more, at)
  local fields = {}
  for place = 1, #OLD + 1 do
    if place == (at or #OLD + 1) then
      for _, field in ipairs(more) do fields[#fields + 1] = field end
    end
    fields[#fields + 1] = OLD[place]
  end
  return fields
end

local function refused(world, resource)
  local before = world.entities:count()
  local level, message = world:spawn(resource)
  assert.is_nil(level)
  assert.equal(before, world.entities:count())
  assert.is_true(world:validate())
  return message
end

describe("a resource that was compiled before a field was added", function()
  local bytes, resource

  setup(function()
    bytes = compile(world_of(OLD))
    resource = load(bytes)
  end)

  local function check(world, level, from)
    local function entity(place) return level:entity((from or 0) + place) end
    local m = world.health
    assert.equal(7, m:hp(entity(2)))
    assert.equal(entity(1), m:target(entity(2)))
    assert.equal("first", m:title(entity(2)))
    assert.equal("run", m:state(entity(2)))
    assert.same({ 1, 2, 3 }, { m:place(entity(2)) })
    assert.same({ 5, "none", "idle" }, { m:hp(entity(3)), m:title(entity(3)), m:state(entity(3)) })
    assert.is_nil(m:target(entity(3)))
    assert.same({ entity(2), "third" }, { m:target(entity(4)), m:title(entity(4)) })
    assert.is_true(assert(world:validate()))
  end

  for place = 1, #OLD + 1, 2 do
    it("gives fields of every type that were inserted at place " .. place .. " their defaults", function()
      local world = world_of(grown(NEW, place))
      local level = assert(world:spawn(resource))
      check(world, level)
      local e = level:entity(4)
      for _, field in ipairs(NEW) do
        local default = world.health:get(world:create { health = {} })[field[1]]
        assert.same(default, world.health:get(e)[field[1]])
      end
      assert.same({ 1, 2 }, { world.health:v2(e) })
      assert.equal("hello", world.health:s(e))
      assert.equal("high", world.health:n(e))
      assert.is_nil(world.health:v(e))
      world.health:set_s(e, "other")
      world.health:set_v(e, { 1 })
      level:unload()
      world:gc "all"
      assert.is_true(assert(world:validate()))
    end)
  end

  it("uses the current defaults at each spawn", function()
    local world = world_of(grown { { "armor", "float", 1 }, { "kind", "string", "a" } })
    local first = assert(world:spawn(resource))
    world:define("health", grown { { "armor", "float", 2 }, { "kind", "string", "b" } })
    local second = assert(world:spawn(resource))
    local m = world.health
    assert.same({ 1, "a" }, { m:armor(first:entity(2)), m:kind(first:entity(2)) })
    assert.same({ 2, "b" }, { m:armor(second:entity(2)), m:kind(second:entity(2)) })
  end)

  it("accepts fields in another order", function()
    local world = world_of { OLD[5], OLD[3], OLD[1], OLD[4], OLD[2] }
    check(world, assert(world:spawn(resource)))
  end)

  it("can be spawned in worlds with different versions of the component", function()
    local worlds = { world_of(OLD), world_of(grown(NEW)), world_of(grown({ { "x", "int8", 4 } }, 2)), world_of(OLD) }
    for _ = 1, 2 do
      for _, world in ipairs(worlds) do check(world, assert(world:spawn(resource))) end
    end
  end)

  it("can be spawned in many copies", function()
    local world = world_of(grown(NEW, 3))
    local level = assert(world:spawn_many(resource, { positions = { 1, 0, 0, 2, 0, 0, 3, 0, 0 } }))
    for copy = 1, 3 do check(world, level, (copy - 1) * 4) end
    local large = assert(world:spawn_many(resource, 50))
    check(world, large, 49 * 4)
    assert.equal("hello", world.health:s(large:entity(200)))
  end)

  it("accepts overrides of old and new fields, and restarts with them", function()
    local world = world_of(grown(NEW, 1))
    local level = assert(world:spawn(resource, { overrides = { two = { health = { hp = 9, s = "own", v = { 1 } } },
      lamp = { health = { n = "low" } } } }))
    for _ = 1, 2 do
      local m, e = world.health, level:entity(3)
      assert.same({ 9, "own", { 1 }, "none" }, { m:hp(e), m:s(e), m:v(e), m:title(e) })
      assert.same({ "low", 5 }, { m:n(level:entity(1)), m:hp(level:entity(1)) })
      assert.equal("hello", m:s(level:entity(4)))
      level = assert(level:restart())
    end
  end)

  it("restarts after fields were added to its component", function()
    local world = world_of(OLD)
    local level = assert(world:spawn(resource))
    level:unload()
    world:gc "all"
    world:define("health", grown(NEW))
    check(world, assert(level:restart()))
  end)

  it("accepts labels that were added or reordered", function()
    local fields = grown(NEW)
    fields[4] = { "state", "enum", { "sleep", "run", "idle" } }
    local world = world_of(fields)
    check(world, assert(world:spawn(resource)))
    fields[4] = { "state", "enum", { "sleep", "idle" } }
    assert.equal("health: state of instance 1: unknown label 'run'", refused(world_of(fields), resource))
  end)

  it("can have several components per entity, with ids", function()
    local function define(fields) return world_of(fields, { multiple = true }, "tag") end
    local level = { entities = { { components = { tag = { { id = "a", x = 1 }, { x = 2 }, { id = 7, x = 3 } } } } } }
    local world = define { { "w", "string", "new" }, { "x", "float" } }
    local e = assert(world:spawn(load(compile(define { { "x", "float" } }, level)))):entity(1)
    assert.same({ "a", 8, 7 }, world.tag:ids(e))
    local found = {}
    for instance in world.tag:instances(e) do
      found[#found + 1] = ("%s%g"):format(world.tag:w(instance), world.tag:x(instance))
    end
    assert.same({ "new1", "new2", "new3" }, found)
  end)

  it("can have been compiled with no fields", function()
    local world = world_of({ { "x", "float", 4 } }, nil, "mark")
    local old = load(compile(world_of({}, nil, "mark"), { entities = { { components = { mark = {} } } } }))
    assert.equal(4, world.mark:x(assert(world:spawn(old)):entity(1)))
  end)

  it("has the names in the same form in the other byte order", function()
    local other = compile(world_of(OLD), nil, { endian = bytes:sub(1, 4) == "CTLR" and "big" or "little" })
    assert.equal(#bytes, #other)
    assert.truthy(other:find("one\0hp\0float\0target\0entity\0title\0string\0state\0enum\0place\0vec3\0\0", 1, true))
    assert.truthy(bytes:find("one\0hp\0float\0target\0entity\0title\0string\0state\0enum\0place\0vec3\0\0", 1, true))
  end)
end)

describe("a resource that was compiled for other fields is refused with the reason", function()
  local resource

  setup(function() resource = load(compile(world_of(OLD))) end)

  local function reason(fields, options)
    local message = refused(world_of(fields, options), resource)
    return message:match "^health: the resource was compiled for other fields %((.*)%): compile it again$"
  end

  it("that a field was removed", function()
    assert.equal("target is gone", reason { OLD[1], OLD[3], OLD[4], OLD[5] })
    assert.equal("hp is gone", reason {})
  end)

  it("that a field has another type", function()
    local fields = grown {}
    fields[1] = { "hp", "double", 5 }
    assert.equal("hp was float, is double", reason(fields))
    fields[1], fields[3] = OLD[1], { "title", "value" }
    assert.equal("title was string, is value", reason(fields))
  end)

  it("that an entity may have several components, or no longer", function()
    assert.equal("an entity may have several", reason(OLD, { multiple = true }))
    local many = load(compile(world_of({ { "x", "float" } }, { multiple = true }, "tag"),
      { entities = { { components = { tag = { {}, {} } } } } }))
    assert.equal("tag: the resource was compiled for other fields (an entity can no longer have several): "
      .. "compile it again", refused(world_of({ { "x", "float" } }, nil, "tag"), many))
  end)
end)

-- The offset and size of the fields of health in a blob.
local function table_of(bytes)
  local first, last = bytes:find "health%zone%z.-%z%z"
  return first + 6, last - first - 6
end

-- The offset of the schema of health.
local function schema_of(bytes) return blob.read(bytes, bytes:sub(1, 4) == "RLTC").sections.health.at + 8 end

-- Replaces the fields of a component and corrects their hash.
local function with_fields(bytes, text, first, schema)
  local hashed = text:match "^(....-%z)%z" or text
  return blob.seal(blob.put_u32(blob.put(bytes, first, text), schema, blob.fnv1a(hashed)))
end

describe("damaged fields in a resource", function()
  local bytes

  setup(function() bytes = compile(world_of(OLD)) end)

  it("are ignored if their hash does not match", function()
    local first = table_of(bytes)
    local damaged = blob.seal(blob.put(bytes, first + 4, "hq"))
    assert.equal("health: the resource was compiled for other fields than the world's: compile it again",
      refused(world_of(grown(NEW)), load(damaged)))
    assert.truthy(world_of(OLD):spawn(load(damaged)))
  end)

  it("may name other fields if their hash matches, and the data is checked accordingly", function()
    local function spawn(text, ...)
      return refused(world_of(...), load(with_fields(bytes, text, table_of(bytes), schema_of(bytes))))
    end
    assert.matches("(hp is gone)", spawn("one\0hp\0float\0\0", {}), 1, true)
    assert.matches("^health: %d+ bytes are not the size of 3 instances$", spawn("one\0hp\0float\0\0",
      { { "hp", "float" }, { "x", "float" } }))
    assert.matches("^health: ", spawn("one\0hp\0string\0\0", { { "hp", "string" }, { "x", "float" } }))
    assert.matches("^health: ", spawn("one\0hp\0value\0\0", { { "hp", "value" }, { "x", "float" } }))
    assert.matches("^health: .*other fields", spawn("many\0hp\0float\0\0", OLD))
    assert.matches("^health: .*other fields", spawn("one\0hp\0flint\0\0", OLD))
    assert.matches("^health: .*other fields", spawn("two\0hp\0float\0\0", OLD))
  end)

  it(("never crash, and never spawn a part of the level (seed %d)"):format(seed), function()
    local random = new_random(seed)
    local first, length = table_of(bytes)
    local schema = schema_of(bytes)
    local worlds = { world_of(grown(NEW, 2)), world_of(OLD),
      world_of { { "hp", "float" }, { "target", "entity" }, { "x", "string", "y" } } }
    for _ = 1, rounds(600, 60) do
      local damaged = bytes
      for _ = 1, random(3) do
        local at = random(4) == 1 and random(#bytes - 16) + 15 or first + random(length) - 1
        damaged = blob.put(damaged, at, string.char(random(256) - 1))
      end
      damaged = with_fields(damaged, damaged:sub(first + 1, first + length), first, schema)
      local resource = cuttle.resource(damaged)
      for _, world in ipairs(resource and worlds or {}) do
        local level = world:spawn(resource)
        if level then
          level:unload()
          world:gc "all"
        end
        assert.equal(0, world.entities:count())
        assert.is_true(assert(world:validate()))
      end
    end
  end)
end)

describe("a spawn with added fields, when memory runs out,", function()
  it("leaves nothing behind", function()
    if not (core.testing and core.testing.fail_in) then return end
    local resource = load(compile(world_of(OLD)))
    for allowed = 0, 200 do
      local world = world_of(grown(NEW, 2))
      core.testing.fail_in(allowed)
      local ok, level = pcall(world.spawn, world, resource)
      core.testing.fail_in(-1)
      assert.is_true(assert(world:validate()))
      if ok and level then
        assert.is_true(allowed > 5)
        return
      end
      assert.equal(0, world.entities:count())
    end
    error "the spawn failed with every number of allocations"
  end)
end)

describe("a spawn with added fields", function()
  it("refuses wrong values in overrides", function()
    raises("overrides: two: health: unknown field 'hpp'", function()
      local world = world_of(grown(NEW, 2))
      world:spawn(load(compile(world_of(OLD))), { overrides = { two = { health = { hpp = 9 } } } })
    end)
  end)
end)
