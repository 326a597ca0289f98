-- Components that scripts define: types, setters, getters, hidden fields, define.

-- tags: ffi

local cuttle = require "cuttle"
local raises = require "spec.support.raises"

local NAN = 0 / 0
local WHOLE = {
  int8 = { -128, 127 }, uint8 = { 0, 255 }, int16 = { -32768, 32767 }, uint16 = { 0, 65535 },
  int32 = { -2147483648, 2147483647 }, uint32 = { 0, 4294967295 },
}
local VECTORS = { vec2 = 2, vec3 = 3, dvec2 = 2, dvec3 = 3, vec4 = 4, quat = 4, mat4 = 16, color = 4 }

local function sequence(n, first)
  local out = {}
  for i = 1, n do out[i] = (first or 0) + i end
  return out
end

local function is_nan(x) return x ~= x end

describe("a script-defined component", function()
  local entities, world, e

  before_each(function()
    entities = cuttle.entity_manager()
    world = cuttle.world(entities)
    e = entities:create()
  end)

  after_each(function() assert.is_true(assert(world:validate())) end)

  local function define(kind, default, options)
    return world:define("thing", { { "value", kind, default } }, options)
  end

  it("is a field of the world and found by name", function()
    local health = world:define("health", { { "hp", "float", 100 } })
    assert.equal(health, world.health)
    assert.equal(health, world:manager "health")
    assert.equal("health", health:name())
  end)

  it("has its fields in the order of declaration", function()
    local m = world:define("thing", { { "b", "float" }, { "a", "vec3" }, { "c", "string" } })
    assert.same({ { "b", "float" }, { "a", "vec3" }, { "c", "string" } }, m:fields())
  end)

  it("may have no fields", function()
    local tag = world:define("tag", {})
    tag:create(e)
    assert.is_true(tag:has(e))
    assert.same({}, tag:get(e))
    assert.same({}, tag:fields())
  end)

  describe("has defaults that", function()
    local zero = { float = 0, double = 0, bool = false, string = "" }
    for name in pairs(WHOLE) do zero[name] = 0 end
    for name, value in pairs(zero) do
      it("are zero, false or empty for " .. name, function()
        local m = define(name)
        m:create(e)
        assert.equal(value, m:value(e))
      end)
    end

    it("are NOBODY for entity", function()
      local m = define "entity"
      m:create(e)
      assert.is_nil(m:value(e))
      assert.equal(cuttle.NOBODY, m:column("value")[0])
    end)

    local vectors = { vec2 = { 0, 0 }, vec3 = { 0, 0, 0 }, dvec2 = { 0, 0 }, dvec3 = { 0, 0, 0 },
      vec4 = { 0, 0, 0, 0 }, quat = { 0, 0, 0, 1 }, color = { 1, 1, 1, 1 },
      mat4 = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 } }
    for name, value in pairs(vectors) do
      it("are the neutral value for " .. name, function()
        local m = define(name)
        m:create(e)
        assert.same(value, { m:value(e) })
      end)
    end

    it("may be declared for every type", function()
      local other = entities:create()
      local declared = { float = 1.5, double = 0.1, bool = true, string = "text", entity = other, int8 = -3 }
      for name, value in pairs(declared) do
        local m = world:define("of_" .. name, { { "value", name, value } })
        m:create(e)
        assert.equal(value, m:value(e))
      end
      for name, lanes in pairs(VECTORS) do
        local m = world:define("of_" .. name, { { "value", name, sequence(lanes) } })
        m:create(e)
        assert.same(sequence(lanes), { m:value(e) })
      end
    end)

    it("must fit their type", function()
      raises("value: default: expected an integer in [0, 255], got 256", define, "uint8", 256)
      raises("value: default: expected a number, got string", define, "float", "5")
      raises("value: default: expected 3 numbers, got 2", define, "vec3", { 1, 2 })
      raises("value: default: expected a boolean, got number", define, "bool", 0)
      raises("value: default: expected a string, got table", define, "string", {})
      raises("value: default: entity expected, got number", define, "entity", 5)
      assert.is_nil(world:manager "thing")
    end)

    it("are taken from the latest definition", function()
      local m = define("string", "first")
      assert.equal(m, define("string", "second"))
      m:create(e)
      assert.equal("second", m:value(e))
      assert.equal(m, define "string")
      local other = entities:create()
      m:create(other)
      assert.equal("", m:value(other))
      assert.equal("second", m:value(e))
    end)
  end)

  for name, range in pairs(WHOLE) do
    describe("with a field of type " .. name, function()
      it("stores both ends of its range", function()
        local m = define(name)
        for _, value in ipairs(range) do
          local target = entities:create()
          m:create(target, { value = value })
          assert.equal(value, m:value(target))
          m:set_value(target, 0)
          m:set_value(target, value)
          assert.equal(value, m:read(target, "value"))
        end
      end)

      for _, bad in ipairs { range[1] - 1, range[2] + 1, 0.5, 1e300, -1e300, math.huge, -math.huge, NAN } do
        it("refuses " .. bad .. " in every setter", function()
          local m = define(name)
          local text = ("expected an integer in [%.14g, %.14g], got"):format(range[1], range[2])
          raises("value: " .. text, m.create, m, e, { value = bad })
          raises("value[1]: " .. text, m.create_many, m, { e }, { value = { bad } })
          assert.equal(0, m:count())
          m:create(e, { value = 1 })
          raises(text, m.set_value, m, e, bad)
          raises(text, m.write, m, e, "value", bad)
          raises("value: " .. text, m.set, m, e, { value = bad })
          raises("expected an integer in [", function() m:column("value")[0] = bad end)
          raises("expected an integer in [", function() m:column("value"):set(0, bad) end)
          assert.equal(1, m:value(e))
        end)
      end
    end)
  end

  describe("with a field of type float", function()
    it("rounds to single precision", function()
      local m = define "float"
      m:create(e, { value = 0.1 })
      assert.are_not.equal(0.1, m:value(e))
      assert.is_true(math.abs(m:value(e) - 0.1) < 1e-8)
    end)

    it("accepts any number", function()
      local m = define "float"
      m:create(e)
      for value, expected in pairs { [1e300] = math.huge, [-1e300] = -math.huge, [-2.5] = -2.5, [2^24] = 2^24 } do
        m:set_value(e, value)
        assert.equal(expected, m:value(e))
      end
    end)
  end)

  describe("with a field of type double", function()
    it("keeps every bit of a number", function()
      local m = define "double"
      for _, value in ipairs { 0.1, 2^53 - 1, 1e300, math.huge, -0.1, 5e-324 } do
        m:set_value(m:has(e) and e or m:create(e), value)
        assert.equal(value, m:value(e))
      end
    end)
  end)

  describe("with a NaN", function()
    it("stores the quiet NaN in every setter of float and double", function()
      for _, kind in ipairs { "float", "double" } do
        local m = world:define("nan_" .. kind, { { "value", kind } })
        m:create(e, { value = -NAN })
        assert.is_true(is_nan(m:value(e)))
        assert.is_true(assert(world:validate()))
        for _, nan in ipairs { NAN, -NAN, math.huge - math.huge } do
          m:set_value(e, nan)
          m:write(e, "value", nan)
          m:set(e, { value = nan })
          m:column("value")[0] = nan
          m:column("value"):set(0, nan)
          assert.is_true(is_nan(m:value(e)))
          assert.is_true(assert(world:validate()))
        end
      end
    end)

    it("stores the quiet NaN in vectors too", function()
      for name, lanes in pairs(VECTORS) do
        local nans = {}
        for i = 1, lanes do nans[i] = -NAN end
        local m = world:define("nan_" .. name, { { "value", name, nans } })
        m:create(e)
        assert.is_true(assert(world:validate()))
        m:set_value(e, unpack(nans))
        m:set(e, { value = nans })
        m:write(e, "value", nans)
        local other = entities:create(2)
        m:create_many(other, { value = nans })
        assert.is_true(assert(world:validate()))
        for _, x in ipairs { m:value(e) } do assert.is_true(is_nan(x)) end
      end
    end)
  end)

  for name, lanes in pairs(VECTORS) do
    describe("with a field of type " .. name, function()
      it("reads and writes it as plain numbers", function()
        local m = define(name)
        m:create(e)
        m:set_value(e, unpack(sequence(lanes)))
        assert.same(sequence(lanes), { m:value(e) })
        m:write(e, "value", unpack(sequence(lanes, 10)))
        assert.same(sequence(lanes, 10), { m:read(e, "value") })
      end)

      it("takes an array in constructor tables", function()
        local m = define(name)
        m:create(e, { value = sequence(lanes) })
        assert.same({ value = sequence(lanes) }, m:get(e))
        m:set(e, { value = sequence(lanes, 5) })
        assert.same(sequence(lanes, 5), { m:value(e) })
      end)

      it("can set it from an array", function()
        local m = define(name)
        m:create(e)
        m:set_value(e, sequence(lanes))
        assert.same(sequence(lanes), { m:value(e) })
      end)

      it("refuses a wrong number of numbers", function()
        local m = define(name)
        raises(("value: expected %d numbers, got %d"):format(lanes, lanes - 1), m.create, m, e,
          { value = sequence(lanes - 1) })
        raises(("value: expected %d numbers, got %d"):format(lanes, lanes + 1), m.create, m, e,
          { value = sequence(lanes + 1) })
        raises(("value: expected %d numbers, got 0"):format(lanes), m.create, m, e, { value = {} })
        raises(("value: expected %d numbers, got number"):format(lanes), m.create, m, e, { value = 5 })
        assert.equal(0, m:count())
        m:create(e, { value = sequence(lanes) })
        raises(("expected %d numbers, got %d"):format(lanes, lanes + 1), m.set_value, m, e,
          unpack(sequence(lanes + 1)))
        assert.is_false((pcall(m.set_value, m, e, unpack(sequence(lanes - 1)))))
        assert.same(sequence(lanes), { m:value(e) })
      end)

      it("refuses elements that are not numbers", function()
        local m = define(name)
        local values = sequence(lanes)
        values[lanes] = "1"
        local text = ("value: expected %d numbers, got string at %d"):format(lanes, lanes)
        raises(text, m.create, m, e, { value = values })
        m:create(e, { value = sequence(lanes) })
        assert.is_false((pcall(m.set_value, m, e, unpack(values))))
        assert.same(sequence(lanes), { m:value(e) })
      end)
    end)
  end

  describe("with a field of type bool", function()
    it("stores only true and false", function()
      local m = define "bool"
      m:create(e, { value = true })
      assert.is_true(m:value(e))
      m:set_value(e, false)
      assert.is_false(m:value(e))
      for _, bad in ipairs { 0, 1, "true", {} } do
        raises("expected a boolean, got", m.set_value, m, e, bad)
      end
      raises("expected a boolean, got nil", m.set_value, m, e, nil)
      raises("value expected", m.set_value, m, e)
      assert.is_false(m:value(e))
    end)
  end)

  describe("with a field of type string", function()
    it("keeps every byte", function()
      local m = define "string"
      local odd = "nul \0 and \255" .. ("long "):rep(1000)
      m:create(e, { value = odd })
      assert.equal(odd, m:value(e))
      m:set_value(e, "")
      assert.equal("", m:value(e))
    end)

    it("does not accept a number as string", function()
      local m = define "string"
      raises("value: expected a string, got number", m.create, m, e, { value = 5 })
      m:create(e, { value = "x" })
      raises("expected a string, got number", m.set_value, m, e, 5)
      assert.equal("x", m:value(e))
    end)

    it("can set it to its own value", function()
      local m = define "string"
      m:create(e, { value = "same" })
      m:set_value(e, m:value(e))
      assert.equal("same", m:value(e))
    end)
  end)

  describe("with a field of type entity", function()
    it("stores an entity, dead or alive", function()
      local m = define "entity"
      local other = entities:create()
      m:create(e, { value = other })
      assert.equal(other, m:value(e))
      entities:destroy(other)
      assert.equal(other, m:value(e))
      assert.equal(other, m:get(e).value)
    end)

    it("stores no entity for nil", function()
      local m = define("entity", e)
      m:create(e)
      assert.equal(e, m:value(e))
      m:set_value(e, nil)
      assert.is_nil(m:value(e))
      m:set_value(e, e)
      m:write(e, "value", nil)
      assert.is_nil(m:read(e, "value"))
    end)

    it("refuses a value that is not an entity", function()
      local m = define "entity"
      m:create(e, { value = e })
      raises("entity expected, got number", m.set_value, m, e, 5)
      raises("entity expected, got string", m.set_value, m, e, "car")
      raises("value: entity expected, got table", m.set, m, e, { value = {} })
      assert.equal(e, m:value(e))
    end)
  end)

  describe("in get, set, read and write", function()
    it("uses all fields in the form that create takes", function()
      local m = world:define("thing", { { "hp", "float", 3 }, { "pos", "vec2" }, { "owner", "entity" },
        { "text", "string" } })
      m:create(e, { hp = 5, pos = { 1, 2 }, owner = e, text = "x" })
      local other = entities:create()
      m:create(other, m:get(e))
      assert.same(m:get(e), m:get(other))
    end)

    it("keeps fields that were not given", function()
      local m = world:define("thing", { { "a", "float" }, { "b", "float" } })
      m:create(e, { a = 1, b = 2 })
      m:set(e, { b = 3 })
      assert.same({ a = 1, b = 3 }, m:get(e))
      m:set(e, {})
      assert.same({ a = 1, b = 3 }, m:get(e))
    end)

    it("sets all given fields or none", function()
      local m = world:define("thing", { { "a", "uint8" }, { "b", "uint8" }, { "c", "string" } })
      m:create(e, { a = 1, b = 2, c = "x" })
      raises("b: expected an integer", m.set, m, e, { a = 5, b = 256, c = "y" })
      assert.same({ a = 1, b = 2, c = "x" }, m:get(e))
    end)

    it("refuses an unknown field, and suggests a similar one", function()
      local m = world:define("thing", { { "hp", "float" } })
      raises("unknown field 'hpp' (did you mean 'hp'?)", m.create, m, e, { hpp = 1 })
      m:create(e)
      raises("unknown field 'hpp' (did you mean 'hp'?)", m.set, m, e, { hpp = 1 })
      raises("unknown field [1]", m.set, m, e, { 5 })
      raises("unknown field 'id'", m.set, m, e, { id = 5 })
      raises("unknown field 'xyz'", m.read, m, e, "xyz")
      raises("unknown field 'h' (did you mean 'hp'?)", m.write, m, e, "h", 5)
      raises("unknown field 'wombat'", m.column, m, "wombat")
    end)

    it("refuses the name of a field followed by a NUL", function()
      local m = world:define("thing", { { "hp", "float" } })
      raises("unknown field 'hp\\0...'", m.create, m, e, { ["hp\0"] = 1 })
      raises("thing: unknown field 'hp\\0...'", world.create, world, { thing = { ["hp\0x"] = 1 } })
    end)

    it("refuses values that are not a table", function()
      local m = define "float"
      raises("table of values expected, got number", m.create, m, e, 5)
      raises("table of values expected, got string", m.create, m, e, "x")
      assert.equal(0, m:count())
      m:create(e)
      raises("table expected, got number", m.set, m, e, 5)
      raises("table expected, got nil", m.set, m, e)
    end)

    it("reads tables without metamethods", function()
      local m = define("float", 7)
      local function touched() error "touched" end
      raises("table has __index in its metatable", m.create, m, e, setmetatable({}, { __index = touched }))
      m:create(e, setmetatable({}, { __len = touched, __pairs = touched }))
      assert.equal(7, m:value(e))
    end)

    it("accepts an instance or an entity", function()
      local m = define "float"
      local i = m:create(e, { value = 1 })
      m:set_value(i, 2)
      assert.equal(2, m:value(i))
      assert.same({ value = 2 }, m:get(i))
      m:write(i, "value", 3)
      assert.equal(3, m:read(i, "value"))
    end)
  end)

  describe("with hidden fields", function()
    local SCHEMA = { { "count", "float", 3 }, { "get", "float", 4 }, { "hp", "float", 5 }, { "mp", "float", 6 } }

    it("has no methods for them, but read, write, get, set, columns and lists work", function()
      local m = world:define("thing", SCHEMA, { hidden = { "count", "get", "hp" } })
      m:create(e)
      assert.equal(1, m:count())
      assert.same({ count = 3, get = 4, hp = 5, mp = 6 }, m:get(e))
      for _, name in ipairs { "set_count", "set_get", "hp", "set_hp" } do assert.is_nil(m[name]) end
      m:set_mp(e, 7)
      assert.equal(7, m:mp(e))
      m:write(e, "count", 8)
      m:set(e, { hp = 9 })
      m:column("get")[0] = 10
      m:write_many({ e }, "mp", 11)
      assert.same({ 8, 10, 9, 11 }, { m:read(e, "count"), m:read(e, "get"), m:read(e, "hp"), m:read(e, "mp") })
      assert.same({ 8 }, m:read_many({ e }, "count"))
      assert.same({ "count", "float" }, m:fields()[1])
      assert.same({ count = 8, get = 10, hp = 9, mp = 11 }, world:inspect(e).thing)
    end)

    it("changes only its methods when define hides other fields", function()
      local m = world:define("thing", SCHEMA, { hidden = { "count", "get", "hp" } })
      m:create(e)
      for _ = 1, 3 do
        assert.equal(m, world:define("thing", SCHEMA, { hidden = { "mp", "get", "count" } }))
        assert.same({ 1, 5 }, { m:count(), m:hp(e) })
        m:set_hp(e, 5)
        assert.is_nil(m.mp)
        assert.is_nil(m.set_mp)
        assert.equal("function", type(m.get))
        assert.equal(m, world:define("thing", SCHEMA, { hidden = { "count", "hp", "get" } }))
        m:set_mp(e, 6)
        assert.same({ 1, 6 }, { m:count(), m:mp(e) })
        assert.is_nil(m.hp)
      end
      raises("field 'count' has the name of a method of managers", world.define, world, "thing", SCHEMA)
      assert.same({ 1, 6 }, { m:count(), m:mp(e) })
      local other, dropped = world:define("thing", { { "hp", "float" }, { "count", "float", 1 } },
        { hidden = { "count" }, migrate = true })
      assert.same({ 5, 3, 1 }, { other:hp(e), other:read(e, "count"), other:count() })
      assert.equal(2, #dropped)
    end)

    it("has them in levels, patches, snapshots, saves and templates", function()
      local m = world:define("thing", SCHEMA, { hidden = { "count", "get" } })
      local function resource(count)
        return assert(cuttle.resource(assert(cuttle.compiler(world):compile {
          entities = { { id = "a", name = "a", components = { thing = { count = count } } } } })))
      end
      local level = assert(world:spawn(resource(20)))
      local a = level:entity(1)
      assert.equal(20, m:read(a, "count"))
      local saved = assert(entities:snapshot():tostring())
      assert(level:patch(resource(21)))
      assert.equal(21, m:read(a, "count"))
      assert(entities:restore(assert(cuttle.snapshot(saved))))
      assert.equal(20, m:read(a, "count"))
      assert.equal(22, m:read(world:template({ thing = { count = 22 } }):create(), "count"))
      local placed = assert(world:spawn(resource(1), { overrides = { a = { thing = { count = 23 } } } }))
      assert.equal(23, m:read(placed:entity(1), "count"))
    end)
  end)
end)

describe("define", function()
  local entities, world

  before_each(function()
    entities = cuttle.entity_manager()
    world = cuttle.world(entities)
  end)

  after_each(function() assert.is_true(assert(world:validate())) end)

  local function managers()
    local out = {}
    for name in world:managers() do out[#out + 1] = name end
    return table.concat(out, " ")
  end

  local function refuses(text, ...)
    local before = managers()
    raises(text, world.define, world, ...)
    assert.equal(before, managers())
  end

  it("refuses an unknown type, and suggests a similar one", function()
    refuses("pos: unknown type 'vec33' (did you mean 'vec3'?)", "thing", { { "pos", "vec33" } })
    refuses("pos: unknown type 'wombat'", "thing", { { "pos", "wombat" } })
  end)

  it("refuses a field without a type", function()
    refuses("pos: type expected, got nil", "thing", { { "pos" } })
    refuses("pos: type expected, got number", "thing", { { "pos", 5 } })
  end)

  it("refuses a duplicate field, and names it", function()
    refuses("duplicate field 'hp'", "thing", { { "hp", "float" }, { "x", "float" }, { "hp", "float" } })
  end)

  it("refuses a field with the name of a method, and a list of hidden fields that is not valid", function()
    local found = 0
    for line in io.lines "lua/cuttle/meta.lua" do
      local name = line:match "^function Manager:([%w_]+)"
      if name and name ~= "id" and name ~= "entity" then
        found = found + 1
        refuses(("bad argument #2 to 'define' (field '%s' has the name of a method of managers; rename it, or pass "
          .. '{hidden = {"%s"}} and use read and write)'):format(name, name), "thing", { { name, "float" } })
      end
    end
    assert.is_true(found > 25)
    for _, name in ipairs { "add_many", "destroy_many", "reserve" } do -- methods of later versions
      refuses("has the name of a method of managers", "thing", { { "hp", "float" }, { name, "float" } },
        { hidden = { "hp" } })
      assert.is_nil(world:define("thing", { { name, "float" } }, { hidden = { name } })["set_" .. name])
    end
    local function hides(text, hidden)
      refuses("bad argument #3 to 'define' (hidden: " .. text, "other", { { "hp", "float" } }, { hidden = hidden })
    end
    hides("no field 'hq' (did you mean 'hp'?))", { "hp", "hq" })
    hides("array of field names expected, got string)", "hp")
    hides("array of field names expected)", { hp = "hp" })
    hides("name of a field expected, got number)", { 1 })
  end)

  it("refuses field names of all methods of managers", function()
    local m = world:define("thing", {})
    local names = {}
    for line in io.lines "src/component/record_check.c" do
      for name in (line:match '^    "[%w_", ]+,$' or ""):gmatch '"([%w_]+)"' do names[name] = true end
    end
    for line in io.lines "lua/cuttle/meta.lua" do
      local name = line:match "^function [%w_]+:([%w_]+)"
      if name and m[name] then assert.is_true(names[name], name) end
    end
    for name in pairs(names) do assert.is_nil(name:match "^set_") end
  end)

  it("refuses the reserved names id and entity", function()
    refuses("'id' is a reserved name", "thing", { { "id", "float" } })
    refuses("'entity' is a reserved name", "thing", { { "entity", "float" } })
  end)

  for _, name in ipairs { "", "a b", "1st", "a-b", "a.b", "h\0p", "ünter" } do
    it(("refuses the field name %q"):format(name), function()
      refuses("is not a valid field name", "thing", { { name, "float" } })
    end)

    it(("refuses the component name %q"):format(name), function()
      refuses("is not a valid component name (letters, digits, _)", name, {})
    end)
  end

  it("accepts names of at most 63 letters", function()
    local longest = ("a"):rep(63)
    local m = world:define(longest, { { longest, "float", 5 } })
    local e = entities:create()
    m:create(e)
    assert.equal(5, m[longest](m, e))
    refuses("component name is too long (limit is 63)", longest .. "a", {})
    refuses("is not a valid field name (at most 63 letters, digits, _)", "thing", { { longest .. "a", "float" } })
  end)

  it("refuses field names that are not strings", function()
    refuses("field 1: name expected", "thing", { { 5, "float" } })
    refuses("field 2: name expected", "thing", { { "a", "float" }, {} })
    refuses("field 1: {name, type, default} expected", "thing", { "hp" })
    refuses("{name, type, default} expected, got 4 values", "thing", { { "hp", "float", 1, 2 } })
  end)

  it("refuses a field and another with the name of its setter", function()
    refuses("'hp' and 'set_hp' cannot both be fields", "thing", { { "hp", "float" }, { "set_hp", "float" } })
    refuses("'set_hp' and 'hp' cannot both be fields", "thing",
      { { "set_hp", "float" }, { "a", "float" }, { "hp", "bool" } })
    local m = world:define("thing", { { "set_hp", "float", 3 } })
    local e = entities:create()
    m:create(e)
    m:set_set_hp(e, 4)
    assert.equal(4, m:set_hp(e))
  end)

  it("accepts a default by its name", function()
    local m = world:define("thing", { { "hp", "float", default = 100 }, { "on", "bool", default = false },
      { "pos", "vec2", default = { 1, 2 } }, { "title", "string", default = "orc" },
      { "n", "int8", nil, default = 3 } })
    local e = entities:create()
    m:create(e)
    assert.same({ hp = 100, on = false, pos = { 1, 2 }, title = "orc", n = 3 }, m:get(e))
    refuses("hp: default: expected a number, got string", "thing", { { "hp", "float", default = "x" } })
  end)

  it("refuses two defaults of one field", function()
    refuses("hp: two defaults, by position and by name", "thing", { { "hp", "float", 1, default = 1 } })
    refuses("on: two defaults, by position and by name", "thing", { { "on", "bool", false, default = true } })
  end)

  it("refuses other keys in the row of a field, and suggests a similar one", function()
    refuses("hp: unknown key 'defualt' (did you mean 'default'?)", "thing", { { "hp", "float", defualt = 100 } })
    refuses("hp: unknown key 'min'", "thing", { { "hp", "float", 1, min = 0 } })
    refuses("hp: unknown key 'true'", "thing", { { "hp", "float", [true] = 0 } })
    refuses("hp: {name, type, default} expected, got a value at [0]", "thing", { { "hp", "float", [0] = 1 } })
    refuses("hp: {name, type, default} expected, got a value at [5]", "thing", { { "hp", "float", [5] = 1 } })
  end)

  it("refuses a schema that is not an array", function()
    refuses("array of {name, type, default} expected", "thing", { hp = "float" })
    refuses("array of {name, type, default} expected", "thing", { { "hp", "float" }, x = 1 })
    refuses("table expected, got nil", "thing", nil)
    refuses("table expected, got string", "thing", "float")
    refuses("string expected, got nil", nil, {})
    refuses("string expected, got number", 5, {})
  end)

  for name in cuttle.world(cuttle.entity_manager()):managers() do
    it("refuses the name of the built-in component " .. name, function()
      refuses(name .. " is a built-in component", name, {})
    end)
  end

  it("refuses a component whose name has the hash of another", function()
    -- The 32-bit FNV-1a hash of both names is 5E4DAA9D.
    world:define("costarring", {})
    refuses("component names 'liquid' and 'costarring' have one hash", "liquid", {})
    assert.is_nil(world:manager "liquid")
    raises("unknown component 'liquid'", world.create, world, { liquid = {} })
  end)

  it("takes options in a table", function()
    refuses("unknown option 'multipel' (did you mean 'multiple'?)", "thing", {}, { multipel = true })
    refuses("multiple: boolean expected", "thing", {}, { multiple = 1 })
    refuses('lookup: "hash" or "array" expected', "thing", {}, { lookup = "tree" })
    refuses('lookup: "hash" or "array" expected', "thing", {}, { lookup = 5 })
    refuses("table expected, got boolean", "thing", {}, true)
    assert.equal("thing", world:define("thing", {}, { multiple = true, lookup = "array" }):name())
  end)

  it("accepts at most 60 fields", function()
    local schema, values = {}, {}
    for i = 1, 60 do
      schema[i] = { "field_" .. i, i % 2 == 0 and "float" or "string" }
      values["field_" .. i] = i % 2 == 0 and i or "text " .. i
    end
    for _, multiple in ipairs { false, true } do
      local m = world:define("wide_" .. tostring(multiple), schema, { multiple = multiple })
      local e = entities:create()
      m:create(e, values)
      assert.same(values, m:get(e))
    end
    schema[61] = { "one_more", "float" }
    refuses("too many fields (limit is 60)", "wide", schema)
  end)

  it("returns the existing manager if the fields are the same", function()
    local m = world:define("thing", { { "a", "float" } })
    m:create(entities:create())
    assert.equal(m, world:define("thing", { { "a", "float", 5 } }))
    assert.equal(m, world:define("thing", { { "a", "float", 5 } }, { multiple = false, lookup = "array" }))
    assert.equal(1, m:count())
  end)

  local changed = {
    ["another name"] = { { { "b", "float" } } },
    ["another type"] = { { { "a", "double" } } },
    ["one more field"] = { { { "a", "float" }, { "b", "float" } } },
    ["one field less"] = { {} },
    ["another multiple"] = { { { "a", "float" } }, { multiple = true } },
  }
  for difference, arguments in pairs(changed) do
    it("raises for " .. difference .. " while there are rows", function()
      local m = world:define("thing", { { "a", "float" } })
      local e = entities:create()
      m:create(e, { a = 3 })
      raises("thing is defined with other fields and has 1 row: destroy the components first",
        world.define, world, "thing", unpack(arguments))
      assert.equal(3, m:a(e))
      assert.equal(m, world.thing)
    end)

    it("replaces the manager for " .. difference .. " when it has no rows", function()
      local old = world:define("thing", { { "a", "float" } })
      local view = old:column "a"
      local new = world:define("thing", arguments[1], arguments[2])
      assert.are_not.equal(old, new)
      assert.equal(new, world.thing)
      assert.equal(new, world:manager "thing")
      raises("thing was defined again", old.count, old)
      raises("thing was defined again", old.create, old, entities:create())
      raises("thing was defined again", function() return view:count() end)
      raises("thing was defined again", function() return view[0] end)
      new:create(entities:create())
      assert.equal(1, new:count())
    end)
  end

  it("replaces a manager whose rows belong to dead entities", function()
    local m = world:define("thing", { { "a", "float" } })
    local e = entities:create()
    m:create(e)
    entities:destroy(e)
    assert.are_not.equal(m, world:define("thing", { { "b", "float" } }))
  end)

  it("keeps the place in spawn order when it replaces a manager", function()
    world:define("one", {})
    world:define("two", {})
    local before = managers()
    world:define("one", { { "x", "float" } })
    assert.equal(before, managers())
  end)

  it("defines components for each world separately", function()
    local other = cuttle.world(entities)
    local here = world:define("thing", { { "a", "float" } })
    local there = other:define("thing", { { "b", "string" } })
    local e = entities:create()
    here:create(e, { a = 1 })
    there:create(e, { b = "x" })
    assert.same({ a = 1 }, here:get(e))
    assert.same({ b = "x" }, there:get(e))
  end)

  it("ends a loop over a replaced manager with an error", function()
    local m = world:define("thing", { { "a", "float" } })
    local iterate = m:each()
    world:define("thing", {})
    raises("thing was defined again", iterate)
  end)
end)
