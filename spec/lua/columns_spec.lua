-- tags: ffi

local cuttle = require "cuttle"
local collect = require "spec.support.collect"
local kinds = require "spec.support.kinds"
local new_random = require "spec.support.random"
local raises = require "spec.support.raises"

local NAN, INFINITY = 0 / 0, math.huge

-- Integer type -> smallest and largest value.
local WHOLE = {
  int8 = { -128, 127 }, uint8 = { 0, 255 }, int16 = { -32768, 32767 }, uint16 = { 0, 65535 },
  int32 = { -2147483648, 2147483647 }, uint32 = { 0, 4294967295 },
}

local SCHEMA = {
  { "float", "float", 0.5 }, { "double", "double" }, { "bool", "bool" }, { "target", "entity" },
  { "text", "string", "a" },
  { "vec2", "vec2" }, { "vec3", "vec3", { 1, 2, 3 } }, { "vec4", "vec4" }, { "quat", "quat" }, { "color", "color" },
  { "mat4", "mat4" }, { "dvec2", "dvec2" }, { "dvec3", "dvec3" },
}
for name in pairs(WHOLE) do SCHEMA[#SCHEMA + 1] = { name, name } end

-- Views do not keep their world alive: this table keeps the world of the current test.
local kept = {}

local function fixture(rows)
  local entities = cuttle.entity_manager()
  local world = cuttle.world(entities)
  local health = world:define("health", SCHEMA)
  local list = entities:create(rows or 5)
  health:create_many(list)
  kept.world = world
  return health, list, kept.world, entities
end

for _, kind in ipairs(kinds) do
  local function column(manager, field)
    return kind.with(manager.column, manager, field)
  end

  describe("a column view (" .. kind.name .. ")", function()
    it("has the type of its kind", function()
      local health = fixture()
      assert.equal(kind.compiled and "cdata" or "userdata", type(column(health, "float")))
      assert.equal("userdata", type(column(health, "text")))
    end)

    it("reads and writes by row", function()
      local health, list = fixture()
      local float = column(health, "float")
      float[3] = 2.25
      assert.equal(2.25, float[3])
      assert.equal(2.25, health:float(list[4]))
      assert.equal(0.5, float[0])
    end)

    it("reads and writes by instance", function()
      local health, list = fixture()
      local float = column(health, "float")
      float[health:lookup(list[2])] = 7
      assert.equal(7, float[health:lookup(list[2])])
      assert.equal(7, float[1])
    end)

    it("has get, set and count", function()
      local health = fixture()
      local float = column(health, "float")
      float:set(2, 9)
      assert.equal(9, float:get(2))
      assert.equal(9, float:get(health:at(2)))
      assert.equal(5, float:count())
    end)

    it("names its component and field in tostring", function()
      assert.equal("column health.float", tostring(column(fixture(), "float")))
    end)

    it("equals another view of the same column only", function()
      local health, _, world = fixture()
      local float = column(health, "float")
      assert.is_true(float == column(health, "float"))
      assert.is_false(float == column(health, "double"))
      assert.is_false(float == column(world:define("other", { { "float", "float" } }), "float"))
      assert.is_false(float == 1)
      assert.is_false(float == nil)
    end)

    it("has no other methods", function()
      assert.is_nil(column(fixture(), "float").foo)
      assert.is_nil(column(fixture(), "vec3").foo)
    end)

    it("refuses assignments to string keys", function()
      local health = fixture()
      for _, name in ipairs { "float", "vec3" } do
        local view = column(health, name)
        raises("row or instance expected, got string", function() view.n = 9 end)
      end
    end)

    for _, place in ipairs { -1, 5, 1.5, 4194303, -INFINITY, INFINITY } do
      it("refuses the row " .. place, function()
        local health = fixture()
        local float, vec3 = column(health, "float"), column(health, "vec3")
        local text = ("row %s is outside (5 rows)"):format(place)
        raises("health.float: " .. text, function() return float[place] end)
        raises("health.float: " .. text, function() float[place] = 1 end)
        raises("health.float: " .. text, function() return float:get(place) end)
        raises("health.float: " .. text, function() float:set(place, 1) end)
        raises("health.vec3: " .. text, function() return vec3[place] end)
        raises("health.vec3: " .. text, function() return vec3:get(place) end)
        raises("health.vec3: " .. text, function() vec3:set(place, 1, 2, 3) end)
      end)
    end

    it("refuses the row NaN", function()
      local float = column(fixture(), "float")
      raises("is outside (5 rows)", function() return float[NAN] end)
      raises("is outside (5 rows)", function() float[NAN] = 1 end)
    end)

    it("refuses a row that is not a number", function()
      local float = column(fixture(), "float")
      raises("health.float: row or instance expected, got table", function() return float[{}] end)
      raises("health.float: row or instance expected, got boolean", function() return float[true] end)
      raises("health.float: row or instance expected, got string", function() float["1"] = 1 end)
      raises("health.float: row or instance expected, got string", function() return float:get("1") end)
      raises("health.float: row or instance expected, got no value", function() return float:get() end)
    end)

    it("refuses stale instances and instances of other managers", function()
      local health, list, world = fixture()
      local float = column(health, "float")
      local other = world:define("other", { { "x", "float" } })
      local old, foreign = health:at(2), other:create(list[1])
      health:destroy(list[5])
      for _, place in ipairs { old, foreign, health:at(2) + 0.5, health:at(2) + 4194304, 2 ^ 53 } do
        raises("stale health instance", function() return float[place] end)
        raises("stale health instance", function() float[place] = 1 end)
      end
      assert.equal(0.5, float[health:at(2)])
    end)

    it("refuses an instance whose row was removed", function()
      local health, list = fixture()
      local float = column(health, "float")
      local last = health:at(4)
      health:destroy(list[5])
      raises("stale health instance", function() return float[last] end)
    end)

    it("names the line of the script in errors", function()
      local float, vec3 = column(fixture(), "float"), column(fixture(), "vec3")
      for _, f in ipairs {
        function() local x = float[9] return x end, function() float[9] = 1 end, function() float:set(1, "x") end,
        function() local x = vec3[9] return x end, function() vec3[1].q = 1 end, function() vec3:set(1) end,
      } do
        assert.truthy(raises("", f):find("columns_spec.lua:", 1, true))
      end
    end)

    -- ---------------------------------------------------------------- values

    for name, range in pairs(WHOLE) do
      it("stores the bounds of " .. name, function()
        local health, list = fixture()
        local view = column(health, name)
        for _, value in ipairs { range[1], range[2], 1, 0 } do
          view[1] = value
          assert.equal(value, view[1])
          assert.equal(value, health:read(list[2], name))
          view:set(2, value)
          assert.equal(value, view:get(2))
        end
      end)

      it("refuses a value out of the range of " .. name, function()
        local view = column(fixture(), name)
        view[1] = 1
        local text = ("health.%s: expected an integer in [%.0f, %.0f], got "):format(name, range[1], range[2])
        for _, value in ipairs { range[1] - 1, range[2] + 1, 0.5, 1e300, INFINITY, -INFINITY, NAN } do
          raises(text, function() view[1] = value end)
          raises(text, function() view:set(1, value) end)
        end
        raises(("health.%s: expected a number, got string"):format(name), function() view[1] = "1" end)
        raises(("health.%s: expected a number, got nil"):format(name), function() view[1] = nil end)
        assert.equal(1, view[1])
      end)
    end

    it("stores floats as floats and doubles as doubles", function()
      local health = fixture()
      local float, double = column(health, "float"), column(health, "double")
      float[0], double[0] = 0.1, 0.1
      assert.is_true(math.abs(float[0] - 0.1) < 1e-8 and float[0] ~= 0.1)
      assert.equal(0.1, double[0])
      float[0], double[0] = 1e300, 1e300
      assert.equal(INFINITY, float[0])
      assert.equal(1e300, double[0])
    end)

    it("stores every NaN as the one quiet NaN", function()
      local health, _, world = fixture()
      local float, double, vec3 = column(health, "float"), column(health, "double"), column(health, "vec3")
      for _, nan in ipairs { 0 / 0, -(0 / 0), INFINITY - INFINITY } do
        float[1], double[1], vec3[1].y = nan, nan, nan
        vec3:set(2, nan, nan, nan)
        assert.is_true(float[1] ~= float[1] and double[1] ~= double[1] and vec3[1].y ~= vec3[1].y)
        assert.is_true(assert(world:validate()))
      end
    end)

    it("reads a NaN that a loop has just written instead of the value before it", function()
      local health = fixture()
      local float, double = column(health, "float"), column(health, "double")
      local wrong = 0
      for i = 1, 400 do
        local value = i % 2 == 0 and 0 / 0 or i
        float[1], double[1] = i, i
        local before = float[1] + double[1]
        float[1], double[1] = value, value
        local a, b = float[1], double[1]
        if before ~= 2 * i or (a == a) ~= (value == value) or (b == b) ~= (value == value) then wrong = wrong + 1 end
      end
      assert.equal(0, wrong)
    end)

    it("refuses a value that is not a number in a float column", function()
      local float = column(fixture(), "float")
      raises("health.float: expected a number, got string", function() float[1] = "1" end)
      raises("health.float: expected a number, got boolean", function() float:set(1, true) end)
      raises("health.float: expected a number, got nil", function() float[1] = nil end)
    end)

    it("stores only booleans in a bool column", function()
      local health, list = fixture()
      local bool = column(health, "bool")
      bool[1] = true
      assert.is_true(bool[1])
      assert.is_false(bool[2])
      assert.is_true(bool:get(1))
      assert.is_true(health:bool(list[2]))
      raises("health.bool: expected a boolean, got number", function() bool[1] = 1 end)
      raises("health.bool: expected a boolean, got nil", function() bool[1] = nil end)
    end)

    it("stores ids in an entity column", function()
      local health, list = fixture()
      local target = column(health, "target")
      assert.equal(cuttle.NOBODY, target[0])
      target[1] = list[3]
      assert.equal(cuttle.entity_id(list[3]), target[1])
      assert.equal(list[3], health:target(list[2]))
      target[2] = cuttle.entity_id(list[4])
      assert.equal(list[4], health:target(list[3]))
      target[3] = 2 ^ 30 - 1
      assert.equal(2 ^ 30 - 1, target:get(3))
      target[1], target[2] = cuttle.NOBODY, nil
      assert.is_nil(health:target(list[2]))
      assert.equal(cuttle.NOBODY, target[2])
    end)

    it("refuses a value that is not an entity in an entity column", function()
      local target = column(fixture(), "target")
      for _, id in ipairs { -1, 0.5, 2 ^ 30, 2 ^ 32 - 2, 2 ^ 32, INFINITY, NAN } do
        raises("health.target: entity id expected, got ", function() target[1] = id end)
      end
      raises("health.target: entity expected, got string", function() target[1] = "1" end)
      raises("health.target: entity expected, got userdata", function() target[1] = cuttle.list() end)
      assert.equal(cuttle.NOBODY, target[1])
    end)

    it("stores strings in a string column", function()
      local health, list = fixture()
      local text = column(health, "text")
      text[1] = "lamp"
      assert.equal("lamp", text[1])
      assert.equal("lamp", health:text(list[2]))
      raises("health.text: expected a string, got number", function() text[1] = 1 end)
    end)

    -- ---------------------------------------------------------------- vectors

    for name, parts in pairs { vec2 = "xy", vec3 = "xyz", dvec2 = "xy", dvec3 = "xyz", vec4 = "xyzw", quat = "xyzw",
      color = "rgba" } do
      it("reads and writes the parts of a " .. name, function()
        local health, list = fixture()
        local view = column(health, name)
        local values = {}
        for i = 1, #parts do
          view[2][parts:sub(i, i)] = i * 1.5
          values[i] = i * 1.5
        end
        for i = 1, #parts do assert.equal(values[i], view[2][parts:sub(i, i)]) end
        assert.same(values, { view:get(2) })
        assert.same(values, { health:read(list[3], name) })
        values[1] = 9
        view:set(3, unpack(values))
        assert.same(values, { health:read(list[4], name) })
        view:set(4, values)
        assert.same(values, { view:get(health:at(4)) })
        local wrong = name == "color" and "x" or #parts < 4 and "w" or "r"
        local text = ("health.%s has no '%s'"):format(name, wrong)
        raises(text, function() return view[1][wrong] end)
        raises(text, function() view[1][wrong] = 1 end)
        raises(("health.%s has no '1'"):format(name), function() return view[1][1] end)
      end)
    end

    it("reads and writes the parts of a matrix by number", function()
      local health, list = fixture()
      local view = column(health, "mat4")
      local values = {}
      for i = 1, 16 do
        view[1][i] = i
        values[i] = i
      end
      assert.equal(16, view[1][16])
      assert.same(values, { view:get(1) })
      assert.same(values, { health:mat4(list[2]) })
      view:set(2, unpack(values))
      assert.same(values, { view:get(2) })
      for _, part in ipairs { 0, 17, 1.5, "x", true } do
        raises("health.mat4 has no '", function() return view[1][part] end)
        raises("health.mat4 has no '", function() view[1][part] = 1 end)
      end
    end)

    it("refuses wrong vectors", function()
      local health = fixture()
      local vec3 = column(health, "vec3")
      raises("a vector is written by its parts (column[i].x = 1) or column:set", function() vec3[1] = 1 end)
      raises("health.vec3: expected a number, got string", function() vec3[1].x = "1" end)
      raises("health.vec3: expected a number, got nil", function() vec3[1].x = nil end)
      raises("number expected, got no value", function() vec3:set(1, 2, 3) end)
      raises("expected 3 numbers, got 4", function() vec3:set(1, 2, 3, 4, 5) end)
      raises("number expected, got string", function() vec3:set(1, 2, 3, "4") end)
      assert.same({ 1, 2, 3 }, { vec3:get(1) })
    end)

    it("returns accessors that raise after their row was removed", function()
      local health, list = fixture()
      local vec3 = column(health, "vec3")
      local part = vec3[4]
      assert.equal(2, part.y)
      health:destroy(list[5])
      raises("health.vec3: row 4 is outside (4 rows)", function() return part.y end)
      raises("health.vec3: row 4 is outside (4 rows)", function() part.y = 1 end)
    end)

    it("returns equal accessors for equal rows", function()
      local vec3 = column(fixture(), "vec3")
      assert.is_true(vec3[1] == vec3[1])
      assert.is_false(vec3[1] == vec3[2])
      assert.is_false(vec3[1] == 1)
    end)

    -- ---------------------------------------------------------------- special columns

    it("finds a position inside a matrix", function()
      local _, list, world = fixture()
      local transform = world.transform
      transform:create(list[1], { position = { 9, 9, 9 } })
      transform:create(list[2], { position = { 1, 2, 3 } })
      assert.same({ 1, 2, 3 }, { column(transform, "local_position"):get(1) })
      local matrix = column(transform, "world_matrix")
      assert.equal(2, matrix[1][14])
    end)

    it("refuses to write a read-only field", function()
      local _, list, world = fixture()
      local transform = world.transform
      transform:create(list[1])
      local matrix, composed = column(transform, "world_matrix"), transform:column "local_matrix"
      raises("transform.world_matrix is read-only", function() matrix[0][1] = 2 end)
      raises("transform.world_matrix is read-only", function() matrix:set(0, 1) end)
      raises("transform.local_matrix is read-only", function() composed[0][1] = 2 end)
      raises("transform.local_matrix is read-only", function() composed:set(0, 1) end)
      raises("transform.local_matrix is read-only", function() composed[0] = 1 end)
      assert.equal(1, matrix[0][1])
    end)

    it("calls the manager to write a field with an index", function()
      local _, list, world = fixture()
      world.debug_name:create(list[1], { name = "a" })
      local name = column(world.debug_name, "name")
      name[0] = "b"
      assert.equal(list[1], world.debug_name:find("b"))
      assert.is_nil(world.debug_name:find("a"))
    end)

    it("refuses any other object in metamethods that were taken with the debug library", function()
      local metatable = debug.getmetatable(column(fixture(2), "float"))
      if type(metatable) ~= "table" or type(metatable.__index) ~= "function" then return end -- compiled views
      for _, self in ipairs { 1, "x", ("x"):rep(24), {}, io.stdout, cuttle.list(), cuttle.entity_from_id(5) } do
        assert.is_false((pcall(metatable.__index, self, 0)))
        assert.is_false((pcall(metatable.__newindex, self, 0, 1)))
      end
    end)

    it("reads the first argument, whatever follows, in hot loops", function()
      local health, list = fixture(10)
      local views = {}
      for number, field in ipairs { "int8", "float", "bool", "target" } do views[number] = column(health, field) end
      local values = { 0, 1, 5, 7, 127, -1, 0.5, INFINITY, list[1], list[2], "x", true, false, {}, print }
      local random = new_random(1)
      local function pick() return values[random(#values)] end
      local function get(...) return ... end
      -- Loops of their own for each view and number of arguments, so that each gets traces of its own.
      local function new_loops()
        local loops = {}
        for number = 1, 4 do
          for count = 0, 4 do
            loops[number * 5 + count] = assert((loadstring or load)(([[return function(get, view, times, a, b, c, d)
              local value
              for _ = 1, times do value = view:get($) end
              return get(view:get($))
            end]]):gsub("%$", (("a, b, c, d"):sub(1, math.max(3 * count - 2, 0))))))()
          end
        end
        return loops
      end
      for _ = 1, 20 do
        if jit then jit.flush() end -- which loops become traces is random
        local loops = new_loops()
        for _ = 1, 300 do
          local number, count, row = random(4), random(5) - 1, random(3) == 1 and pick() or list[random(10)]
          local ok = pcall(loops[number * 5 + count], get, views[number], random(3) == 1 and 0 or 70, row, pick(),
            pick(), pick())
          assert.equal(count > 0 and type(row) == "number" and row >= 0 and row <= 7 and row % 1 == 0, ok)
        end
      end
    end)

    it("refuses methods that are called on any other object", function()
      local health = fixture(2)
      local float, vec3, mat4 = column(health, "float"), column(health, "vec3"), column(health, "mat4")
      for _, self in ipairs { 1, "x", {}, health } do
        raises("column expected, got " .. type(self), float.get, self, 0)
        raises("column expected, got " .. type(self), float.set, self, 0, 1)
        raises("column expected, got " .. type(self), vec3.get, self, 0)
        raises("column expected, got " .. type(self), vec3.set, self, 0, 1, 2, 3)
        raises("column expected, got " .. type(self), float.count, self)
      end
      -- A method of a wide column must not write beyond the end of a narrow one.
      for _, f in ipairs {
        function() return mat4.get(float, 1) end, function() return vec3.get(float, 1) end,
        function() vec3.set(float, 1, 7, 7, 7) end,
      } do pcall(f) end
      assert.equal(0.5, float[0])
    end)

    -- ---------------------------------------------------------------- changes of the manager

    it("follows the data when it is reallocated", function()
      local health, _, _, entities = fixture()
      local float = column(health, "float")
      float[4] = 44
      health:create_many(entities:create(5000))
      assert.equal(44, float[4])
      assert.equal(0.5, float[5004])
      assert.equal(5005, float:count())
      float[5004] = 45
      assert.equal(45, health:float(health:at(5004)))
    end)

    it("follows the data when it is reallocated inside a loop over it", function()
      local health, _, _, entities = fixture(1)
      local float, int32 = column(health, "float"), column(health, "int32")
      for i = 1, 2000 do
        health:create(entities:create())
        float[i] = i
        int32[i - 1] = float[i]
      end
      for i = 1, 2000 do assert.equal(i, float[i]) end
      for i = 0, 1999 do assert.equal(i + 1, int32[i]) end
    end)

    it("follows the data when rows move", function()
      local health, list, _, entities = fixture()
      local float = column(health, "float")
      for i = 0, 4 do float[i] = i end
      entities:destroy(list[2])
      health:gc("all")
      assert.equal(4, float:count())
      assert.equal(4, float[1])
      raises("health.float: row 4 is outside (4 rows)", function() return float[4] end)
    end)

    it("is empty after its manager was cleared", function()
      local health, _, world = fixture()
      local float, vec3 = column(health, "float"), column(health, "vec3")
      local part = vec3[0]
      world:clear()
      assert.equal(0, float:count())
      raises("health.float: row 0 is outside (0 rows)", function() return float[0] end)
      raises("health.vec3: row 0 is outside (0 rows)", function() part.x = 1 end)
    end)

    it("raises after the world was destroyed", function()
      local health, _, world = fixture()
      local float, vec3, text = column(health, "float"), column(health, "vec3"), column(health, "text")
      local part = vec3[1]
      local place = health:at(1)
      world:destroy()
      for _, f in ipairs {
        function() return float[1] end, function() float[1] = 1 end, function() return float:get(1) end,
        function() float:set(1, 1) end, function() return float:count() end, function() return tostring(float) end,
        function() return float[place] end, function() return vec3[1] end, function() vec3[1] = 1 end,
        function() return vec3:get(1) end, function() vec3:set(1, 1, 2, 3) end, function() return part.x end,
        function() part.x = 1 end, function() return text[1] end, function() text[1] = "x" end,
      } do raises("world is destroyed", f) end
    end)

    it("raises in a hot loop when the world is destroyed inside it", function()
      local health, _, world = fixture(200)
      local float = column(health, "float")
      local reached = 0
      raises("world is destroyed", function()
        for i = 0, 199 do
          reached = i
          if i == 150 then world:destroy() end
          float[i] = float[i] + 1
        end
      end)
      assert.equal(150, reached)
    end)

    -- Calls f with a view of a component "mana" that has no other reference, and lets the first allocation run a whole
    -- collection cycle. Messages are matched by patterns, because a literal would keep its parts alive.
    local function raised_by(f, finish)
      collectgarbage()
      collectgarbage "stop"
      local world = cuttle.world(cuttle.entity_manager())
      local view = column(world:define("mana", { { "a", "vec2" } }), "a")
      world = finish and finish(world)
      local multiplier = collectgarbage("setstepmul", 1e7)
      local _, message = pcall(function()
        collectgarbage "restart"
        return f(view)
      end)
      collectgarbage("setstepmul", multiplier)
      return message, world
    end

    it("names the reason in an error when a collection in the error path frees its manager", function()
      assert.matches("mana was defined again$", (raised_by(function(view) return view[0] end, function(world)
        world:define("mana", { { "b", "float" } })
        return world
      end)))
    end)

    it("names the mistake in an error when a collection in the error path frees its manager", function()
      for pattern, f in pairs {
        ["mana%.a: row 5 is outside %(0 rows%)$"] = function(view) return view[5] end,
        ["mana%.a: row 6 is outside %(0 rows%)$"] = function(view) view:set(6, 1, 2) end,
        ["stale mana instance$"] = function(view) return view:get(2 ^ 40) end,
        ["mana%.a: row or instance expected, got nil$"] = function(view) view[nil] = 1 end,
      } do
        local message = raised_by(f)
        -- The world may also have been collected before.
        if not message:find "world is destroyed$" then assert.matches(pattern, message) end
      end
    end)

    it("raises after its component was defined again", function()
      local function make()
        local health, _, world = fixture()
        return column(health, "float"), column(health, "vec3")[1], setmetatable({ health }, { __mode = "v" }), world
      end
      local float, part, health, world = make()
      local function check()
        for _, f in ipairs {
          function() return float[1] end, function() float[1] = 1 end, function() return float:count() end,
          function() return part.x end,
        } do raises("health was defined again", f) end
      end
      world:clear()
      local other = world:define("health", { { "float", "float" } })
      check()
      collect()
      assert.is_nil(health[1])
      check()
      assert.equal(0, column(other, "float"):count())
    end)

    it("keeps nothing alive, and raises after the world was collected", function()
      local views = {}
      local function make()
        local health, _, world = fixture()
        views.float, views.vec3 = column(health, "float"), column(health, "vec3")
        views.part = views.vec3[1]
        views.world = setmetatable({ world }, { __mode = "v" })
        kept.world = nil
      end
      make()
      collect()
      assert.is_nil(views.world[1])
      raises("world is destroyed", function() return views.float[1] end)
      raises("world is destroyed", function() views.float[1] = 1 end)
      raises("world is destroyed", function() return views.part.x end)
      raises("world is destroyed", function() views.part.x = 1 end)
    end)

    it("works or raises an error in finalizers of the same collection", function()
      local done = 0
      local function make()
        local before = newproxy(true)
        local health, _, world = fixture()
        local after = newproxy(true)
        local float, vec3 = column(health, "float"), column(health, "vec3")
        local part = vec3[1]
        local function use()
          pcall(function() float[1] = 3 return float[1] end)
          pcall(function() part.x = 3 return part.x end)
          pcall(function() vec3:set(1, 1, 2, 3) end)
          pcall(function() health:create(world.entities:create()) end)
          pcall(function() return column(health, "double")[0] end)
          pcall(world.destroy, world)
          pcall(function() float[1] = 3 return float[1] end)
          pcall(function() part.x = 3 return part.x end)
          done = done + 1
        end
        getmetatable(before).__gc, getmetatable(after).__gc = use, use
        kept.world = nil
      end
      for _ = 1, 20 do make() end
      collect()
      assert.is_true(done >= 38)
    end)

    it("works in destroy callbacks", function()
      local health, list, world, entities = fixture()
      local float = column(health, "float")
      local seen
      entities:on_destroy(function()
        seen = float[1]
        float[2] = 8
        world:destroy()
      end)
      entities:destroy(list[2])
      assert.equal(0.5, seen)
      raises("world is destroyed", function() return float[2] end)
    end)

    it("works in coroutines", function()
      local float = column(fixture(), "float")
      local read = coroutine.wrap(function()
        for i = 0, 4 do coroutine.yield(float[i]) end
      end)
      assert.equal(0.5, read())
      assert.equal(0.5, read())
    end)

    if kind.compiled then
      it("creates no garbage in a compiled loop", function()
        if os.getenv "CUTTLE_TORTURE" == "1" then pending "the collector interrupts the compiler" end
        local health = fixture(1000)
        local float, vec3 = column(health, "float"), column(health, "vec3")
        local function pass()
          for i = 0, 999 do
            local v = vec3[i]
            float[i] = float[i] + v.x
            v.y = v.y + v.z
            vec3:set(i, v.x, v.y, v.z)
          end
        end
        local kilobytes = kinds.garbage(pass)
        assert.is_true(kilobytes < 1, kilobytes .. " KB")
      end)

      it("returns the address of the data", function()
        local health, list, world = fixture()
        local pointer = column(health, "float"):pointer()
        pointer[1] = 3
        assert.equal(3, health:float(list[2]))
        column(health, "target"):pointer()[0] = 0xFFFFFFFF
        assert.equal(0xFFFFFFFF, column(health, "target"):pointer()[0])
        world.transform:create(list[1], { position = { 4, 5, 6 } })
        assert.equal(4, column(world.transform, "local_position"):pointer()[0])
      end)
    else
      it("has no address without the compiler", function()
        raises("pointer needs LuaJIT with its compiler on", function() column(fixture(), "float"):pointer() end)
      end)
    end
  end)
end

describe("the table that the core shares with compiled code", function()
  it("cannot be reached by scripts", function()
    assert.is_nil(cuttle.take_compiled)
    assert.is_nil(require("cuttle.core").take_compiled())
  end)
end)
