-- Every field type in every kind of access, from the core's table of types, and the lists that repeat this table.

-- tags: ffi

local annotate = require "cuttle.annotate"
local blob = require "spec.support.blob"
local core = require "cuttle.core"
local cuttle = require "cuttle"
local field_types = require "cuttle.field_types"
local is_valid = require "spec.support.json_schema"
local json = require "cuttle.json"
local kinds = require "spec.support.kinds"
local new_random = require "spec.support.random"
local raises = require "spec.support.raises"
local seed = require "spec.support.seed"
local samples = require "spec.support.field_types"
local valid = require "spec.support.valid"
local values = require "cuttle.inspector.values"

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "*a"
  file:close()
  return text
end

-- The set of names that match a pattern in a text.
local function names_in(text, pattern)
  local found = {}
  for name in text:gmatch(pattern) do found[name] = true end
  return found
end

-- The sorted names that one set has and the other lacks.
local function missing(wanted, found)
  local names = {}
  for name in pairs(wanted) do
    if found[name] == nil then names[#names + 1] = name end
  end
  table.sort(names)
  return names
end

describe("the list of field types", function()
  -- Path -> function that returns the set of types in the file's text.
  local function upper(text)
    local found = {}
    for name in pairs(names_in(text, "CT_FIELD_(%u[%u%d]*)")) do found[name:lower()] = true end
    return found
  end
  local LISTS = {
    ["src/cuttle.h"] = function(text)
      return upper(text:match "typedef enum ct_field_type {(.-)CT_FIELD_TYPE_COUNT")
    end,
    ["docs/components.md"] = function(text)
      local found = {}
      for cell in text:match("| type | in Lua |(.-)\n\n"):gmatch "\n| ([^|]*)|" do
        for name in pairs(names_in(cell, "`(%w+)`")) do found[name] = true end
      end
      return found
    end,
    ["lua/cuttle/meta.lua"] = function(text) return names_in(text:match "Types:([^.]*)%.", "%w+") end,
    ["spec/bind/plugin_layout_spec.lua"] = upper,
    ["spec/support/field_types.lua"] = function()
      local found = { entity = true }
      for name in pairs(samples) do found[name] = true end
      return found
    end,
  }
  for path, list in pairs(LISTS) do
    it("in " .. path .. " equals that of the core", function()
      local found = list(read(path))
      assert.are.same({}, missing(field_types, found), "types that the list lacks")
      assert.are.same({}, missing(found, field_types), "types that the core does not have")
    end)
  end

  it("in README.md has the right length", function()
    local count = 0
    for _ in pairs(field_types) do count = count + 1 end
    assert.are.equal(count, tonumber(read("README.md"):match "with (%d+) types of fields"))
  end)
end)

local function pack(...) return select("#", ...) > 1 and { ... } or (...) end


-- A world with the component `all`, with the fields `plain` without a default and `preset` with one; and `other`, with
-- `plain`.
local function new_world(kind, sample)
  local world = cuttle.world(cuttle.entity_manager(), { name = "w" })
  local function field(name, default)
    return { name, kind, sample.labels or default, default = sample.labels and default }
  end
  local preset = kind ~= "value" and sample[1] or nil
  world:define("all", { field "plain", field("preset", preset), { "n", "int32" } })
  world:define("other", { field "plain" })
  return world
end

local function compile(world, level)
  return assert(cuttle.resource((assert(cuttle.compiler(world):compile(level)))))
end

-- The result of a getter, as an array if an item has several numbers.
local function get(manager, target, field) return pack(manager[field or "plain"](manager, target)) end

for _, way in ipairs(kinds) do
  for kind, info in pairs(field_types) do
    local sample = samples[kind] or {}
    local none = sample[2] or false -- false in a list: no entity, or nil as value

    describe(("a field of type %s (%s)"):format(kind, way.name), function()
      local world, all, list, given

      local function numbers(value) return info.lanes > 1 and value or { value } end

      before_each(function()
        world = way.with(new_world, kind, sample)
        all, list = world.all, world.entities:create(3)
        given = kind == "entity" and list[3] or sample[1]
      end)

      after_each(function() valid(world) end)

      it("has its default", function()
        all:create(list[1])
        assert.are.same(sample[2], get(all, list[1]))
        if kind ~= "entity" and kind ~= "value" then assert.are.same(given, get(all, list[1], "preset")) end
      end)

      it("is created, set and read one by one", function()
        all:create(list[1], { plain = given })
        assert.are.same(given, get(all, list[1]))
        assert.are.same(given, all:get(list[1]).plain)
        for _, target in ipairs { list[2], world.entities:create() } do
          local instance = all:create(target)
          all:set_plain(instance, unpack(numbers(given)))
          assert.are.same(given, pack(all:read(target, "plain")))
          all:set(target, { plain = none })
          assert.are.same(none, get(all, instance) or false)
          all:write(target, "plain", given)
          assert.are.same(given, get(all, instance))
        end
      end)

      it("is created, written and read in bulk", function()
        all:create_many({ list[1], list[2] }, { plain = { given, none } })
        assert.are.same(numbers(given), all:read_many({ list[1] }, "plain"))
        assert.are.same(given, get(all, list[1]))
        all:write_many({ list[1], list[2] }, "plain", { none, given })
        assert.are.same(given, get(all, list[2]))
        if info.lanes > 1 then
          local flat = all:read_many({ list[2], list[2] }, "plain")
          assert.are.equal(2 * info.lanes, #flat)
          all:write_many({ list[1], list[2] }, "plain", flat)
          assert.are.same(given, get(all, list[1]))
        end
        all:create_many(world.entities:create(2), { plain = kind ~= "value" and given or { given, given } })
        assert.are.same(given, get(all, all:at(3)))
      end)

      it("is accessible as a column", function()
        if kind == "value" then return end
        all:create_many({ list[1], list[2] }, { plain = { given, none } })
        local column = way.with(all.column, all, "plain")
        local first = kind == "enum" and 1 or kind == "entity" and cuttle.entity_id(given) or given
        assert.are.same(first, pack(column:get(0)))
        for i = 1, info.lanes > 1 and info.lanes or 0 do
          local part = info.parts and info.parts:sub(i, i) or i
          assert.are.equal(given[i], column[0][part])
          column[1][part] = given[i]
        end
        if info.lanes == 1 then column[1] = first end
        assert.are.same(given, get(all, list[2]))
        column:set(1, unpack(numbers(pack(column:get(0)))))
        assert.are.same(given, get(all, list[2]))
        local table_of_all = column:totable()
        assert.are.equal(2 * info.lanes, #table_of_all)
        column:fill(table_of_all)
        assert.are.same(given, get(all, list[1]))
      end)

      it("is copied between components", function()
        if not info.number then return end
        all:create(list[1], { plain = given })
        world.other:create(list[1])
        assert.are.equal(1, world:copy("all", "plain", "other", "plain"))
        assert.are.same(given, get(world.other, list[1]))
      end)

      it("is copied by a formula", function()
        if kind == "string" or kind == "value" or info.lanes > 4 then return end
        local run = world:formula "other.plain = all.plain"
        all:create(list[1], { plain = given })
        world.other:create(list[1])
        assert.are.equal(1, run())
        assert.are.same(given, get(world.other, list[1]))
      end)

      it("works in world:create, templates, compiled levels and overrides", function()
        local other = kind == "entity" and "me" or given
        local level = { entities = { { name = "me", components = { all = { plain = other } } },
          { name = "bare", components = { all = {} } } } }
        local function is(e, wanted) assert.are.same(wanted == nil and given or wanted, get(all, e)) end
        is(world:create { all = { plain = given } })
        is(world:template({ all = { plain = given } }):create())
        if kind == "string" then level.entities[1].components.all.plain = "text" end
        local text = assert(json.encode(level))
        for _, source in ipairs { level, text } do
          local spawned = assert(world:spawn(compile(world, source)))
          local wanted = kind == "entity" and spawned:find "me" or kind == "string" and "text" or nil
          is(spawned:find "me", wanted)
          if sample[2] ~= nil then is(spawned:find "bare", sample[2]) end
          level.entities[1].components.all.plain = nil
          if kind ~= "entity" then
            assert(spawned:patch(compile(world, level)))
            if sample[2] ~= nil then is(spawned:find "me", sample[2]) end
          end
          level.entities[1].components.all.plain = other
        end
        is(world:spawn(compile(world, level), { overrides = { bare = { all = { plain = given } } } }):find "bare")
      end)

      it("is part of hashes, snapshots and saves", function()
        all:create(list[1], { plain = given })
        local hash, snapshot = world.entities:hash(), world.entities:snapshot()
        all:set(list[1], { plain = none })
        if kind ~= "value" then assert.are_not.equal(hash, world.entities:hash()) end
        world.entities:restore(snapshot)
        assert.are.equal(hash, world.entities:hash())
        assert.are.same(given, get(all, list[1]))
        local other = new_world(kind, sample)
        assert.are.same({ true, {} }, { other.entities:restore(assert(cuttle.snapshot(snapshot:tostring()))) })
        assert.are.equal(hash, other.entities:hash())
        assert.are.same(given, get(other.all, list[1]))
      end)

      it("is kept by a migration to the same type, and has its default after a migration to another", function()
        all:create(list[1], { plain = given, n = 5 })
        local wanted = { plain = { kind, sample.labels }, later = { kind == "bool" and "string" or "bool" } }
        world:define("all", { { "n", "int32" }, { "plain", wanted.plain[1], wanted.plain[2] } }, { migrate = true })
        assert.are.same(given, get(world.all, list[1]))
        world:define("all", { { "plain", wanted.later[1] } }, { migrate = true })
        assert.are.equal(kind == "bool" and "" or false, get(world.all, list[1]))
      end)

      it("is described for editors, and shown by the inspector", function()
        local e = world:create { all = { plain = given } }
        local schema = assert(json.decode(cuttle.schema(world)))
        local plain = kind == "entity" and "a" or given
        local function fits(value)
          return is_valid(schema, { entities = { { name = "a", components = { all = { plain = value } } } } })
        end
        assert.is_true(fits(plain))
        if kind ~= "value" then assert.is_false(fits { { {} } }) end
        local annotated = annotate.text(world)
        assert.is_string(annotated:match "%-%-%-@field plain%? (%S+)")
        if kind == "value" then return end
        local encoded = json.decode(values.encode(kind, all:plain(e)))
        if kind == "string" then return assert.is_string(encoded) end
        assert.is_true(values.is_editable(kind, given))
        all:set(e, { plain = none })
        values.write(all, e, "plain", kind, encoded)
        assert.are.same(given, get(all, e))
      end)

      it("has a name and a type for plugins", function()
        assert.are.same({ "plain", kind }, { all:fields()[1][1], all:fields()[1][2] })
        assert.are.equal(kind, core.schema.component_fields(world, "all")[1].type)
      end)
    end)
  end
end

describe("a vector of doubles", function()
  local SCHEMA = { { "place", "dvec3" }, { "spot", "dvec2" }, { "near", "vec3" }, { "flat", "vec2" },
    { "way", "vec4" } }
  local world, thing, list

  before_each(function()
    world = cuttle.world(cuttle.entity_manager())
    thing, list = world:define("thing", SCHEMA), world.entities:create(200)
    thing:create_many(list)
    world.transform:create_many(list)
  end)

  after_each(function() valid(world) end)

  local function random_number(random)
    return (random(2 ^ 30) + random(2 ^ 23) / 2 ^ 23) * 2 ^ (random(600) - 300) * (random(2) == 1 and 1 or -1)
  end

  it(("keeps all bits in JSON levels, table levels, saves and snapshots, seed %d"):format(seed), function()
    local random, entries = new_random(seed), {}
    for i = 1, 200 do
      local place = { random_number(random), random_number(random), i == 1 and -1 / math.huge or random_number(random) }
      entries[i] = { name = "e" .. i, components = { thing = { place = place, spot = { place[2], place[1] } } } }
    end
    local function check(level, in_world)
      for i, entry in ipairs(entries) do
        local x, y, z = in_world.thing:place(level(i))
        assert.are.same(entry.components.thing.place, { x, y, z })
        assert.are.equal(1 / entry.components.thing.place[3], 1 / z)
        assert.are.same(entry.components.thing.spot, { in_world.thing:spot(level(i)) })
      end
    end
    local text = assert(json.encode { entities = entries })
    for _, source in ipairs { { entities = entries }, text } do
      local level = assert(world:spawn(compile(world, source)))
      check(function(i) return level:entity(i) end, world)
    end
    local level = assert(world:spawn(compile(world, text)))
    local found, save = {}, cuttle.snapshot(world.entities:snapshot():tostring())
    for i in ipairs(entries) do found[i] = level:entity(i) end
    thing:column("place"):fill { 0, 0, 0 }
    world.entities:restore(save)
    check(function(i) return found[i] end, world)
  end)

  it("is copied and added to and from vectors of floats with the same number of lanes", function()
    thing:column("place"):fill { 0.1, 1e30, -3 }
    assert.are.equal(200, world:copy("thing", "place", "thing", "near"))
    assert.are_not.equal(0.1, (thing:near(list[1])))
    assert.is_true(math.abs(thing:near(list[1]) - 0.1) < 1e-8)
    local single = thing:near(list[7])
    world:copy(thing, "near", thing, "place")
    assert.are.equal(single, (thing:place(list[7])))
    thing:column("spot"):fill { 0.1, 0.2 }
    thing:column("spot"):add_scaled(thing:column "spot", 0.5)
    assert.are.same({ 0.1 + 0.5 * 0.1, 0.2 + 0.5 * 0.2 }, { thing:spot(list[200]) })
    thing:column("spot"):scale(3)
    assert.are.same({ (0.1 + 0.5 * 0.1) * 3, (0.2 + 0.5 * 0.2) * 3 }, { thing:spot(list[1]) })
    thing:column("place"):fill { 1, 2, 3 }
    world:add_scaled("thing", "place", "transform", "local_position", 2)
    assert.are.same({ 2, 4, 6 }, { world.transform:world_position(list[9]) })
    world:add_scaled("transform", "local_position", "thing", "place", 0.1)
    assert.are.same({ 1 + 0.1 * 2, 2 + 0.1 * 4, 3 + 0.1 * 6 }, { thing:place(list[9]) })
    thing:column("flat"):add_scaled(thing:column "spot", 1)
    assert.is_true(thing:flat(list[1]) > 0.44)
  end)

  it("cannot be copied to and from scalars and vectors with other numbers of lanes", function()
    raises("thing.place is dvec3, thing.spot is dvec2", world.copy, world, "thing", "place", "thing", "spot")
    raises("thing.place is dvec3, thing.flat is vec2", world.copy, world, "thing", "place", "thing", "flat")
    raises("thing.way is vec4, transform.local_rotation is quat", world.copy, world, "thing", "way", "transform",
      "local_rotation")
    raises("place: expected 3 numbers, got 2", thing.create, thing, world.entities:create(), { place = { 1, 2 } })
    raises("expected 2 numbers, got 3", thing.set_spot, thing, list[1], 1, 2, 3)
    raises("number expected, got string", thing.set_spot, thing, list[1], 1, "2")
    raises("thing.spot has no 'z'", function() return thing:column("spot")[0].z end)
  end)

  it("stores only the quiet NaN, in whole columns too", function()
    local huge = math.huge
    thing:column("place"):fill { huge, 1, 2 }
    thing:column("place"):add_scaled(thing:column "place", -1)
    local x, y = thing:place(list[1])
    assert.is_true(x ~= x and y == 0)
    thing:set_spot(list[1], huge - huge, -(huge - huge))
    thing:column("spot")[1].x = huge - huge
    valid(world)
    local bytes = assert(cuttle.compiler(world):compile { entities = { { components = { thing = {} } } } })
    local at = blob.read(bytes).sections.thing.data
    for _, offset in ipairs { at, at + 8, at + 16 } do
      local forged = blob.put_u32(blob.put_u32(bytes, offset, 0x7FF80001), offset + 4, 0x7FF80001)
      local level, message = world:spawn(assert(cuttle.resource(blob.seal(forged))))
      assert.is_nil(level)
      assert.equal("thing: place of instance 1 has a NaN other than the quiet NaN", message)
    end
  end)

  it("has another type than a vector of floats for migrations and saves", function()
    thing:set_place(list[1], 1, 2, 3)
    local save = cuttle.snapshot(world.entities:snapshot():tostring())
    local now, dropped = world:define("thing", { { "place", "vec3" }, { "spot", "dvec2" } }, { migrate = true })
    assert.are.equal("thing.place was dvec3, is vec3", dropped[1])
    assert.are.same({ 0, 0, 0 }, { now:place(list[1]) })
    local restored, message = world.entities:restore(save)
    assert.is_nil(restored)
    assert.matches("thing%.place.*dvec3.*vec3", message)
  end)
end)
