-- Value fields in level source and in compiled levels.

local blob = require "spec.support.blob"
local collect = require "spec.support.collect"
local cuttle = require "cuttle"
local folder = require "spec.support.folder"
local new_random = require "spec.support.random"
local raises = require "spec.support.raises"
local rounds = require "spec.support.rounds"
local seed = require "spec.support.seed"


local function define(world)
  world:define("chest", { { "loot", "value" } })
  world:define("bag", { { "a", "value" }, { "size", "float", 2 }, { "b", "value" } }, { multiple = true })
  return world
end

local function new_world() return define(cuttle.world(cuttle.entity_manager())) end

-- Compiles and spawns a source.
local function spawn(world, source, options)
  local bytes = assert(cuttle.compiler(world):compile(source, options))
  return assert(world:spawn(assert(cuttle.resource(bytes))))
end

local function source_of(...)
  local source = { entities = {} }
  for place, loot in ipairs { ... } do source.entities[place] = { components = { chest = { loot = loot } } } end
  return source
end

local function nested(depth)
  local value = {}
  for _ = 2, depth do value = { value } end
  return value
end

describe("a value field of a level", function()
  local world

  before_each(function() world = new_world() end)

  after_each(function() assert.is_true(assert(world:validate())) end)

  it("keeps all keys of JSON; null means absent, and false in an array", function()
    local level = spawn(world, [[{ "entities": [
      { "components": { "chest": { "loot": {
        "$id": 1, "_note": ["a", null, null, 2.5, true], "none": null, "id": {} } } } },
      { "components": { "chest": { "loot": null } } }, { "components": { "chest": { "loot": [null] } } },
      { "components": { "chest": { "loot": "text" } } }, { "components": { "chest": { "loot": -7 } } },
      { "components": { "chest": { "loot": false } } }, { "components": { "chest": {} } },
      { "components": { "chest": { "$loot": 5 } } } ] }]])
    assert.same({ ["$id"] = 1, _note = { "a", false, false, 2.5, true }, id = {} }, world.chest:loot(level:entity(1)))
    assert.is_nil(world.chest:loot(level:entity(2)))
    assert.same({ false }, world.chest:loot(level:entity(3)))
    assert.equal("text", world.chest:loot(level:entity(4)))
    assert.equal(-7, world.chest:loot(level:entity(5)))
    assert.is_false(world.chest:loot(level:entity(6)))
    assert.is_nil(world.chest:loot(level:entity(7)))
    assert.is_nil(world.chest:loot(level:entity(8)))
  end)

  it("keeps tables of Lua with keys of any plain type", function()
    local loot = { 1, "two", { 3 }, [10] = "ten", [-1.5] = "less", [true] = "yes", ["a\0b"] = 0 / 0, x = { y = {} } }
    local level = spawn(world, source_of(loot, 1 / 0, 2 ^ 53 + 2, "", -1 / (1 / 0)))
    local read = world.chest:loot(level:entity(1))
    assert.not_equal(loot, read)
    assert.is_true(read["a\0b"] ~= read["a\0b"])
    read["a\0b"], loot["a\0b"] = nil, nil
    assert.same(loot, read)
    assert.equal(1 / 0, world.chest:loot(level:entity(2)))
    assert.equal(2 ^ 53 + 2, world.chest:loot(level:entity(3)))
    assert.equal("", world.chest:loot(level:entity(4)))
    assert.equal(-1 / 0, 1 / world.chest:loot(level:entity(5)))
  end)

  it("is a copy for each spawned entity, and the same value in every read", function()
    local resource = assert(cuttle.resource((assert(cuttle.compiler(world):compile(source_of({ { 1 } }, { { 1 } }))))))
    local level, other = assert(world:spawn(resource)), assert(world:spawn_many(resource, 10))
    local seen = {}
    for _, each in ipairs { level, other } do
      for _, e in ipairs(each:entities()) do
        local loot = world.chest:loot(e)
        assert.same({ { 1 } }, loot)
        assert.is_nil(seen[loot] or seen[loot[1]])
        seen[loot], seen[loot[1]] = true, true
        assert.equal(loot, world.chest:loot(e))
        assert.equal(loot, world.chest:get(e).loot)
        assert.equal(loot, world.chest:read_many({ e }, "loot")[1])
        loot[1] = "changed"
      end
    end
    assert.is_true(assert(level:restart()) ~= nil)
    assert.same({ { 1 } }, world.chest:loot(level:entity(1)))
  end)

  it("is separate in each of several components", function()
    local level = spawn(world, { entities = { { components = { bag = { { a = { 1 }, id = "x" }, { b = "b", size = 3 },
      { a = "a", b = { z = 1 }, id = 7 } } } } } })
    local e, found = level:entity(1), {}
    for instance in world.bag:instances(e) do found[#found + 1] = world.bag:get(instance) end
    assert.same({ { a = { 1 }, size = 2 }, { size = 3, b = "b" }, { a = "a", size = 2, b = { z = 1 } } }, found)
  end)

  it("is released with its component", function()
    local level, kept = spawn(world, source_of({ 1 }, { 2 }, { 3 })), setmetatable({}, { __mode = "v" })
    for i = 1, 2 do kept[i] = world.chest:loot(level:entity(i)) end
    world.entities:destroy(level:entity(1))
    world.chest:destroy(level:entity(2))
    collect()
    assert.same({}, kept)
    level:unload()
    world:gc "all"
    assert.equal(0, world.chest:count())
  end)

  it("may be read for the first time in on_remove", function()
    local level, seen, kept = spawn(world, source_of({ 1 }, { 2 }, { 3 })), {}, setmetatable({}, { __mode = "v" })
    world.chest:on_remove(function(e)
      local loot = world.chest:loot(e)
      seen[#seen + 1], kept[#seen + 1] = loot[1], loot
    end)
    world.entities:destroy(level:entity(1))
    world.chest:destroy(level:entity(2))
    world:clear()
    assert.same({ 1, 2, 3 }, seen)
    collect()
    assert.same({}, kept)
  end)

  it("refuses values that cannot be saved, with the place", function()
    local compiler = cuttle.compiler(world)
    local function refuses(message, loot)
      local compiled, trouble = compiler:compile(source_of(1, loot))
      assert.is_nil(compiled)
      assert.equal("source: entities[2].components.chest.loot: " .. message, trouble)
    end
    local expected = "expected booleans, numbers, strings and tables, got "
    refuses(expected .. "function", print)
    refuses(expected .. "function at [2].on[1]", { 1, { on = { print } } })
    refuses(expected .. "table at [table]", { [{}] = 1 })
    refuses(expected .. "userdata at [1]", { newproxy() })
    refuses("tables are nested too deep (limit is 100), or in a circle", nested(101))
    local circle = {}
    circle.circle = { circle }
    refuses("tables are nested too deep (limit is 100), or in a circle", circle)
    local doubled = { ("x"):rep(100000) } -- otherwise reaching the limit would take seconds
    for _ = 1, 30 do doubled = { doubled, doubled } end
    refuses("tables that occur in several places are too large when each is written (limit is 16777216 bytes)", doubled)
    local null = { cuttle.null, { cuttle.null } }
    assert.same({ { false, { false } }, { false, { false } } },
      world.chest:loot(spawn(world, source_of { null, null }):entity(1)))
    assert.same(nested(100), world.chest:loot(spawn(world, source_of(nested(100))):entity(1)))
  end)

  it("has the same bytes on every host, for any order of its keys", function()
    local loot = { 1, false, 2.5, "text", k = {} }
    local bytes = table.concat { "\5\4\0\0\0\1\0\0\0", "\3\1\0\0\0", "\0", "\2\0\0\0\0\0\0\4\64", "\4\4\0\0\0text",
      "\4\1\0\0\0k", "\5\0\0\0\0\0\0\0\0" }
    for _, endian in ipairs { "little", "big" } do
      local compiled = assert(cuttle.compiler(world):compile(source_of(loot), { endian = endian }))
      assert.is_not_nil(compiled:find(bytes, 1, true))
    end
    local one, other = {}, {}
    for i = 1, 100 do one["key" .. i], other["key" .. 101 - i] = i, 101 - i end
    for i = 1, 300 do other["x" .. i] = i end
    for i = 1, 300 do other["x" .. i] = nil end
    local compiler = cuttle.compiler(world)
    assert.equal((assert(compiler:compile(source_of(one)))), (assert(compiler:compile(source_of(other)))))
  end)

  it("can be given in a prefab, and is replaced completely by the entry that includes it", function()
    local files = folder.new()
    local path = files:write("box.json",
      [[{ "entities": [{ "components": { "chest": { "loot": { "a": 1, "b": 2 } } } }] }]])
    local level = spawn(world, { entities = { { prefab = path }, { prefab = path,
      components = { chest = { loot = { c = 3 } } } } } })
    files:remove()
    assert.same({ a = 1, b = 2 }, world.chest:loot(level:entity(1)))
    assert.same({ c = 3 }, world.chest:loot(level:entity(2)))
  end)

  it("is overridden at spawn by a copy for each entity, at a restart too", function()
    local source = source_of({ 1 }, { 2 })
    source.entities[1].name, source.entities[2].name = "one", "two"
    source.entities[3] = { name = "three" }
    local resource = assert(cuttle.resource((assert(cuttle.compiler(world):compile(source)))))
    local loot = { { "over" } }
    local overrides = { one = { chest = { loot = loot } }, three = { chest = { loot = "new" },
      bag = { { a = loot } } } }
    local level = assert(world:spawn_many(resource, 3, { overrides = overrides }))
    loot[1] = "changed later"
    local function check()
      local first = world.chest:loot(level:entity(1))
      assert.same({ { "over" } }, first)
      assert.same({ 2 }, world.chest:loot(level:entity(2)))
      assert.equal("new", world.chest:loot(level:entity(3)))
      assert.same({ { "over" } }, world.bag:a(level:entity(3)))
      assert.not_equal(first, world.chest:loot(level:entity(4)))
      first[1] = nil
      world.chest:set_loot(level:entity(2), print)
    end
    check()
    assert(level:restart())
    check()
    raises("overrides: one: chest: loot: expected booleans, numbers, strings and tables, got function at .f",
      world.spawn, world, resource, { overrides = { one = { chest = { loot = { f = print } } } } })
  end)

  it("is part of the schema, so other field types are refused", function()
    local compiled = assert(cuttle.compiler(world):compile(source_of({ 1 })))
    local other = cuttle.world(cuttle.entity_manager())
    other:define("chest", { { "loot", "string" } })
    local level, message = other:spawn(assert(cuttle.resource(compiled)))
    assert.is_nil(level)
    assert.matches("chest: the resource was compiled for other fields", message)
  end)
end)

describe("damaged values of a level, seed " .. seed, function()
  local function use(world, bytes)
    local resource = cuttle.resource(blob.seal(bytes))
    local level = resource and world:spawn(resource)
    if not level then return false end
    for _, e in ipairs(level:entities()) do world.chest:loot(e) end
    assert.is_true(assert(world:validate()))
    level:unload()
    world:gc "all"
    return true
  end

  it("are refused before anything is created, or are harmless", function()
    local random, world = new_random(seed), new_world()
    local compiled = assert(cuttle.compiler(world):compile(source_of({ 1, { a = { 2.5, "text" }, [true] = {} }, -1 },
      nested(100), "text", { { { {} } }, x = { y = { z = { "w" } } } })))
    local section = blob.read(compiled).sections.chest
    local first, size, refused, harmless = section.data + 16, section.size - 16, 0, 0
    for _ = 1, rounds(3000, 300) do
      local bytes = compiled
      for _ = 1, random(3) do
        local at = first + random(size) - 1
        local byte = random(2) == 1 and random(256) - 1 or random(7) - 1
        bytes = blob.put(bytes, at, string.char(random(4) == 1 and 255 or byte))
      end
      if use(world, bytes) then harmless = harmless + 1 else refused = refused + 1 end
    end
    assert.is_true(refused > 0 and harmless > 0)
  end)

  it("are refused if they are truncated, nested too deep, or have invalid keys", function()
    local world = new_world()
    local text = ("x"):rep(1200)
    local compiled = assert(cuttle.compiler(world):compile(source_of(text)))
    local at = compiled:find("\4\176\4\0\0xxx", 1, true) - 1
    local function try(bytes)
      return use(world, blob.put(compiled, at, bytes .. ("\0"):rep(1205 - #bytes)))
    end
    local open, filled = "\5\1\0\0\0\0\0\0\0", "\5\174\4\0\0\0\0\0\0"
    assert.is_true(use(world, compiled))
    assert.is_true(try("\4\176\4\0\0"))
    assert.is_false(try("\4\177\4\0\0"))
    assert.is_false(try("\4\255\255\255\255"))
    assert.is_false(try("\6"))
    assert.is_false(try("\0")) -- followed by the rest of the text
    assert.is_false(try("\5\255\255\255\255\255\255\255\255"))
    assert.is_false(try("\5\0\0\0\0\1\0\0\0" .. open))
    assert.is_false(try("\5\0\0\0\0\1\0\0\0\2\0\0\0\0\0\0\248\127"))
    assert.is_false(try(open:rep(101)))
    local function fill(depth)
      local rest = 1205 - (depth - 1) * 9 - 9
      return open:rep(depth - 1) .. "\5" .. string.char(rest % 256, math.floor(rest / 256)) .. "\0\0\0\0\0\0"
    end
    assert.is_true(try(fill(100)))
    assert.is_false(try(fill(101)))
    assert.is_true(#filled == 9)
  end)
end)
