-- Component managers: lookup, ids, instances, create_many, gc.

-- tags: ffi

local cuttle = require "cuttle"
local core = require "cuttle.core"
local new_random = require "spec.support.random"
local raises = require "spec.support.raises"
local seed = require "spec.support.seed"

local SPAN = 2^22

-- The index of an entity with generation 0.
local function id(e) return cuttle.entity_id(e) end

for _, lookup in ipairs { "hash", "array" } do
  describe(("a manager with one component per entity (%s)"):format(lookup), function()
    local entities, world, m, list

    before_each(function()
      entities = cuttle.entity_manager { minimum_free_indices = 0 }
      world = cuttle.world(entities)
      m = world:define("health", { { "hp", "double" } }, { lookup = lookup })
      list = entities:create(10)
    end)

    after_each(function() assert.is_true(assert(world:validate())) end)

    it("finds a created component", function()
      local i = m:create(list[3], { hp = 3 })
      assert.equal(i, m:lookup(list[3]))
      assert.is_true(m:has(list[3]))
      assert.equal(list[3], m:entity(i))
      assert.equal(3, m:hp(i))
      assert.equal(1, m:count())
    end)

    it("finds none for other, dead and never created entities", function()
      m:create(list[3])
      for _, e in ipairs { list[1], cuttle.entity_from_id(500), cuttle.entity_from_id(2^30 - 1),
        cuttle.entity_from_id(id(list[3]) + SPAN) } do
        assert.is_nil(m:lookup(e))
        assert.is_false(m:has(e))
        assert.is_nil(m:row(e))
        assert.is_nil(m:row_of_id(id(e)))
      end
      assert.is_nil(m:row_of_id(cuttle.NOBODY))
    end)

    it("refuses a second component with the names of manager and entity, and changes nothing", function()
      m:create(list[1], { hp = 5 })
      raises("entity(0:0) already has a health", m.create, m, list[1], { hp = 6 })
      assert.equal(5, m:hp(list[1]))
      assert.equal(1, m:count())
    end)

    it("refuses to create for a dead entity, and explains why", function()
      entities:destroy(list[1])
      raises("entity(0:0) is dead", m.create, m, list[1])
      entities:create()
      raises("entity(0:0) is dead (index now entity(0:1))", m.create, m, list[1])
      raises("entity(77:0) is dead", m.create, m, cuttle.entity_from_id(77))
    end)

    it("moves the last row to the place of a removed one", function()
      m:create_many(list, { hp = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 } })
      assert.equal(1, m:destroy(list[3]))
      assert.equal(9, m:count())
      assert.equal(2, m:row(list[10]))
      assert.equal(10, m:hp(list[10]))
      assert.is_false(m:has(list[3]))
      for i, e in ipairs(list) do if i ~= 3 then assert.equal(i, m:hp(e)) end end
    end)

    it("removes by entity or instance, and returns the number of removed components", function()
      m:create_many(list)
      assert.equal(1, m:destroy(m:lookup(list[1])))
      assert.equal(1, m:destroy(list[2]))
      assert.equal(0, m:destroy(list[2]))
      assert.equal(0, m:destroy(cuttle.entity_from_id(77)))
      assert.equal(8, m:count())
    end)

    it("creates consecutive rows in create_many, and returns the first instance", function()
      m:create(list[10])
      local first = m:create_many({ list[4], list[2], list[7] }, { hp = { 4, 2, 7 } })
      assert.equal(1, m:row(first))
      assert.equal(list[4], m:entity(m:at(1)))
      assert.equal(list[2], m:entity(m:at(2)))
      assert.equal(list[7], m:entity(m:at(3)))
      assert.equal(7, m:hp(list[7]))
      assert.is_nil(m:create_many({}))
    end)

    it("creates from a cuttle.list", function()
      local first = m:create_many(cuttle.list(list), { hp = 3 })
      assert.equal(m:lookup(list[1]), first)
      for _, e in ipairs(list) do assert.equal(3, m:hp(e)) end
    end)

    it("creates all components in create_many, or none", function()
      m:create(list[5])
      raises("entity(4:0) already has a health", m.create_many, m, list)
      assert.equal(1, m:count())
      raises("entity(1:0) already has a health", m.create_many, m, { list[1], list[2], list[3], list[2] })
      assert.equal(1, m:count())
      entities:destroy(list[3])
      raises("[3]: entity(2:0) is dead", m.create_many, m, { list[1], list[2], list[3] })
      raises("[2]: entity expected, got number", m.create_many, m, { list[1], 5 })
      raises("hp: expected 2 values, got 3", m.create_many, m, { list[1], list[2] }, { hp = { 1, 2, 3 } })
      raises("hp[2]: expected a number, got string", m.create_many, m, { list[1], list[2] }, { hp = { 1, "2" } })
      raises("unknown field 'xyz'", m.create_many, m, { list[1], list[2] }, { xyz = 1 })
      raises("table of values expected, got number", m.create_many, m, { list[1] }, 5)
      assert.equal(1, m:count())
      assert.is_true(m:has(list[5]))
    end)

    it("looks up several entities, with false for those without component", function()
      m:create_many { list[1], list[3] }
      assert.same({ m:lookup(list[1]), false, m:lookup(list[3]) }, m:lookup_many { list[1], list[2], list[3] })
      local out = { 1, 2, 3, 4, 5 }
      assert.equal(out, m:lookup_many(cuttle.list { list[2], list[3] }, out))
      assert.same({ false, m:lookup(list[3]), 3, 4, 5 }, out)
      assert.same({}, m:lookup_many {})
      raises("table expected, got number", m.lookup_many, m, list, 5)
    end)

    it("converts between target, row and instance", function()
      m:create_many(list)
      for row = 0, 9 do
        local i = m:at(row)
        assert.equal(row, m:row(i))
        assert.equal(row, m:row(list[row + 1]))
        assert.equal(row, m:row_of_id(id(list[row + 1])))
        assert.equal(i, m:lookup(list[row + 1]))
        assert.equal(list[row + 1], m:entity_at(row))
      end
      entities:destroy(list[4])
      assert.is_nil(m:entity_at(3))
      assert.equal(list[5], m:entity_at(4))
    end)

    for _, bad in ipairs { -1, 10, 0.5, 2^22, 2^53, 0 / 0, math.huge } do
      it("has no row " .. bad, function()
        m:create_many(list)
        assert.is_false((pcall(m.at, m, bad)))
        assert.is_false((pcall(m.entity_at, m, bad)))
      end)
    end

    it("names a row that does not exist", function()
      m:create_many(list)
      raises("row 10 is outside health (10 rows)", m.at, m, 10)
    end)

    it("has no next instances and no ids", function()
      local i = m:create(list[1])
      assert.is_nil(m:next(i))
      raises("health has no component ids (one per entity)", m.id, m, i)
      raises("health has no component ids (one per entity)", m.ids, m, list[1])
      raises("unknown field 'id'", m.create, m, list[2], { id = 3 })
      local seen = {}
      for instance in m:instances(list[1]) do seen[#seen + 1] = instance end
      assert.same({ i }, seen)
    end)

    it("creates a component for an entity that reuses the index of a dead one, before gc", function()
      m:create(list[1], { hp = 1 })
      local old = m:lookup(list[1])
      entities:destroy(list[1])
      local successor = entities:create()
      assert.is_false(m:has(successor))
      assert.equal(list[1], m:entity(old))
      m:create(successor, { hp = 2 })
      assert.equal(2, m:hp(successor))
      assert.is_nil(m:lookup(list[1]))
      assert.is_nil(m:entity(old))
      assert.equal(2, m:count())
      raises("stale health instance", m.hp, m, old)
      assert.equal(1, m:gc "all")
      assert.equal(2, m:hp(successor))
    end)

    it("works through many lives of one index without gc", function()
      local e = entities:create()
      for i = 1, 600 do
        m:create(e, { hp = i })
        assert.equal(i, m:hp(e))
        entities:destroy(e)
        e = entities:create()
        assert.is_false(m:has(e))
      end
      assert.equal(600, m:count())
      assert.is_true(assert(world:validate()))
      assert.equal(600, m:gc "all")
    end)
  end)

  describe(("a manager that is multiple (%s)"):format(lookup), function()
    local entities, world, m, a, b

    before_each(function()
      entities = cuttle.entity_manager { minimum_free_indices = 0 }
      world = cuttle.world(entities)
      m = world:define("part", { { "size", "int32" }, { "text", "string" } }, { multiple = true, lookup = lookup })
      a, b = entities:create(), entities:create()
    end)

    after_each(function() assert.is_true(assert(world:validate())) end)

    local function sizes(e)
      local out = {}
      for i in m:instances(e) do out[#out + 1] = m:size(i) end
      return out
    end

    it("keeps the components of an entity in the order of creation", function()
      for size = 1, 5 do
        m:create(a, { size = size })
        m:create(b, { size = size * 10 })
      end
      assert.same({ 1, 2, 3, 4, 5 }, sizes(a))
      assert.same({ 10, 20, 30, 40, 50 }, sizes(b))
      assert.same({ 1, 3, 5, 7, 9 }, m:ids(a))
    end)

    it("finds the first component, and one by its id", function()
      m:create(a, { size = 1 })
      m:create(a, { size = 2, id = "lid" })
      m:create(a, { size = 3, id = 77 })
      assert.equal(1, m:size(a))
      assert.equal(2, m:size(m:lookup(a, "lid")))
      assert.equal(3, m:size(m:lookup(a, 77)))
      assert.equal(1, m:size(m:lookup(a, 1)))
      assert.is_nil(m:lookup(a, "nil"))
      assert.is_nil(m:lookup(a, 2))
      assert.is_nil(m:lookup(b, "lid"))
      for _, odd in ipairs { 0, -1, 1.5, 2^31, 2^32 + 77, 0 / 0 } do assert.is_nil(m:lookup(a, odd)) end
      raises("component id expected, got table", m.lookup, m, a, {})
      raises("component id expected, got boolean", m.lookup, m, a, false)
    end)

    it("gives components without id a number above all numbers so far", function()
      m:create(a)
      m:create(a, { id = 41 })
      local i = m:create(a)
      assert.same({ 1, 41, 42 }, m:ids(a))
      m:destroy(i)
      m:create(a, { id = "x" })
      m:create(a)
      assert.same({ 1, 41, "x", 43 }, m:ids(a))
      m:create(b)
      assert.same({ 44 }, m:ids(b))
    end)

    it("gives no number twice, even after components were removed", function()
      m:create_many { a, a, b }
      m:destroy(a)
      entities:destroy(b)
      m:gc "all"
      assert.equal(4, m:id(m:create(a)))
      world:clear()
      assert.equal(5, m:id(m:create(a)))
      m:create(a, { id = 100 })
      m:destroy(m:lookup(a, 100))
      assert.equal(101, m:id(m:create(a)))
    end)

    it("gives no number that occurs later in the same call", function()
      local e = world:create { part = { {}, { id = 3 }, {}, { id = 1 }, {} } }
      assert.same({ 4, 3, 5, 1, 6 }, m:ids(e))
      local made = world:create({ part = { {}, { id = 9 } } }, 5)
      for place = 1, 5 do assert.same({ 9 + place, 9 }, m:ids(made[place])) end
    end)

    it("gives no numbers in a create that raises", function()
      m:create(a, { id = "x" })
      raises("already has a part with id 'x'", m.create_many, m, { a, b, a }, { id = { 70, 80, "x" } })
      m:create(b)
      assert.same({ 1 }, m:ids(b))
    end)

    it("gives these numbers in random operations too, seed " .. seed, function()
      local random = seed
      local function below(n)
        random = (random * 16807 + 11) % 2147483647
        return random % n
      end
      local last = 0
      local known = { [a] = {}, [b] = {} }
      local function next_number()
        last = last + 1
        return last
      end
      local function has(e, given)
        for _, other in ipairs(known[e]) do if other == given then return true end end
      end
      local function create(e, given)
        if given and has(e, given) then
          raises("already has a part with id", m.create, m, e, { id = given })
          return
        end
        local i = m:create(e, { id = given })
        if type(given) == "number" then last = math.max(last, given) end
        given = given or next_number()
        table.insert(known[e], given)
        assert.equal(i, m:lookup(e, given))
      end
      for step = 1, 600 do
        local e, action = below(2) == 0 and a or b, below(10)
        if action < 3 then
          create(e)
        elseif action == 3 then
          create(e, last + 1 + below(3))
        elseif action == 4 then
          create(e, last > 0 and 1 + below(last) or 1)
        elseif action == 5 then
          create(e, "s" .. below(step))
        elseif action == 6 then
          m:create_many { e, e, a, b, e }
          for _, owner in ipairs { e, e, a, b, e } do table.insert(known[owner], next_number()) end
        elseif #known[e] > 0 then
          local place = below(4) == 0 and #known[e] or 1 + below(#known[e])
          m:destroy(m:lookup(e, table.remove(known[e], place)))
        end
        if step % 150 == 0 then
          m:destroy(a)
          m:destroy(b)
          known = { [a] = {}, [b] = {} }
        end
        assert.same(known[a], m:ids(a))
        assert.same(known[b], m:ids(b))
        for _, given in ipairs(known[e]) do assert.equal(given, m:id(m:lookup(e, given))) end
        assert.is_nil(m:lookup(e, "never"))
        assert.is_nil(m:lookup(e, last + 1))
        if step % 50 == 0 then assert.is_true(assert(world:validate())) end
      end
    end)

    it("gives numbers at spawn to components of a level without id", function()
      local compiler = cuttle.compiler(world)
      local function resource(...)
        local parts = {}
        for i, given in ipairs { ... } do parts[i] = { id = given or nil } end
        local blob = assert(compiler:compile { entities = { { components = { part = parts } } } })
        return assert(cuttle.resource(blob))
      end
      local function ids(level) return m:ids(level:entity(1)) end
      local mixed = assert(world:spawn(resource("x", false, 9, false, 3)))
      assert.same({ "x", 10, 9, 11, 3 }, ids(mixed))
      assert.same({ 12, "y" }, ids(assert(world:spawn(resource(false, "y")))))
      mixed = assert(mixed:restart())
      assert.same({ "x", 13, 9, 14, 3 }, ids(mixed))
      m:create(mixed:entity(1))
      assert.same({ "x", 13, 9, 14, 3, 15 }, ids(mixed))
      m:create(mixed:entity(1), { id = 12 })
      assert.equal(12, m:id(m:lookup(mixed:entity(1), 12)))
    end)

    it("finds each of many components by its id after removals, moves and deaths", function()
      local ids = {}
      for i = 1, 60 do
        ids[i] = i % 3 == 0 and 200 - i or "n" .. i
        m:create(i % 2 == 0 and a or b, { id = ids[i], size = i })
      end
      local function check(e, parity, first, last)
        for i = 1, 60 do
          local found = m:lookup(e, ids[i])
          if i % 2 == parity and i >= first and i <= last then
            assert.equal(i, m:size(found))
          else
            assert.is_nil(found)
          end
        end
        assert.is_true(assert(world:validate()))
      end
      check(a, 0, 1, 60)
      check(b, 1, 1, 60)
      for i = 2, 20, 2 do m:destroy(m:lookup(a, ids[i])) end
      check(a, 0, 21, 60)
      check(b, 1, 1, 60)
      entities:destroy(b)
      local c = entities:create()
      m:create(c)
      assert.is_nil(m:lookup(c, ids[1]))
      m:gc "all"
      check(a, 0, 21, 60)
      for i = 2, 20, 2 do m:create(a, { id = ids[i], size = i }) end
      check(a, 0, 1, 60)
      world:clear()
      check(a, 0, 1, 0)
    end)

    it("finds components of a level by id, and later ones too", function()
      local parts = {}
      for i = 1, 20 do parts[i] = { id = "p" .. i, size = i } end
      local blob = assert(cuttle.compiler(world):compile { entities = { { components = { part = parts } } } })
      local e = assert(world:spawn(assert(cuttle.resource(blob)))):entity(1)
      for i = 1, 20 do m:create(e, { id = "e" .. 21 - i, size = 100 + i }) end
      assert.is_true(assert(world:validate()))
      for i = 1, 20 do
        assert.equal(i, m:size(m:lookup(e, "p" .. i)))
        assert.equal(121 - i, m:size(m:lookup(e, "e" .. i)))
      end
    end)

    it("gives new numbers to each of many copies of a level", function()
      local parts = { { id = "x" }, {}, { id = 4 }, {} }
      local blob = assert(cuttle.compiler(world):compile { entities = { { components = { part = parts } } } })
      local level = assert(world:spawn_many(assert(cuttle.resource(blob)), 30))
      local seen = {}
      for _, e in ipairs(level:entities()) do
        local ids = m:ids(e)
        assert.same({ "x", ids[2], 4, ids[4] }, ids)
        for _, number in ipairs { ids[2], ids[4] } do
          assert.is_true(number > 4 and not seen[number])
          seen[number] = true
        end
      end
    end)

    it("finds components of an entity with a reused index, not those of its dead predecessor", function()
      local few = cuttle.entity_manager { minimum_free_indices = 0 }
      local part = cuttle.world(few):define("part", {}, { multiple = true })
      local first = few:create()
      for i = 1, 20 do part:create(first, { id = "n" .. i }) end
      few:destroy(first)
      local second = few:create()
      assert.equal(cuttle.entity_index(first), cuttle.entity_index(second))
      for i = 20, 2, -1 do part:create(second, { id = "n" .. i }) end
      for i = 2, 20 do assert.equal("n" .. i, part:id(part:lookup(second, "n" .. i))) end
      assert.is_nil(part:lookup(second, "n1"))
      assert.equal(20, part:gc "all")
      for i = 2, 20 do assert.equal("n" .. i, part:id(part:lookup(second, "n" .. i))) end
    end)

    it("finds components by id if there is no memory for a search index", function()
      if not core.testing then return pending "only test builds make allocations fail" end
      for _ = 1, 30 do m:create(a) end
      for failures = 0, 3 do
        core.testing.fail_in(failures)
        for number = 1, 30 do assert.equal(number, m:id(m:lookup(a, number))) end
        assert.is_nil(m:lookup(a, 31))
        core.testing.fail_in(-1)
        for number = 1, 30 do assert.equal(number, m:id(m:lookup(a, number))) end
        assert.is_true(assert(world:validate()))
      end
    end)

    it("returns the id of an instance after rows moved", function()
      for i = 1, 10 do m:create(i % 2 == 0 and a or b, { id = "n" .. i, size = i }) end
      for _, i in ipairs { 1, 4, 7 } do m:destroy(m:lookup(i % 2 == 0 and a or b, "n" .. i)) end
      assert.same({ "n2", "n6", "n8", "n10" }, m:ids(a))
      assert.same({ "n3", "n5", "n9" }, m:ids(b))
      for instance in m:instances(a) do assert.equal("n" .. m:size(instance), m:id(instance)) end
    end)

    it("refuses an id that the entity has already", function()
      m:create(a, { id = "lid" })
      m:create(a, { id = 5 })
      raises("entity(0:0) already has a part with id 'lid'", m.create, m, a, { id = "lid" })
      raises("entity(0:0) already has a part with id 5", m.create, m, a, { id = 5 })
      assert.equal(2, m:count())
      m:create(b, { id = "lid" })
    end)

    for _, bad in ipairs { 0, -1, 1.5, 2^30, 2^31, 0 / 0, true } do
      it("refuses the id " .. tostring(bad), function()
        raises("id: expected a string or an integer in [1, 1073741823]", m.create, m, a, { id = bad })
        assert.equal(0, m:count())
      end)
    end

    it("accepts the empty string as an id", function()
      m:create(a, { id = "", size = 4 })
      assert.equal(4, m:size(m:lookup(a, "")))
      raises("already has a part with id ''", m.create, m, a, { id = "" })
    end)

    -- Returns m:ids(a), and runs 'mischief' in a finalizer meanwhile: each string that is made runs the collector.
    local function haunted_ids(mischief)
      local calls = 0
      local function ghost()
        local proxy = newproxy(true)
        getmetatable(proxy).__gc = function()
          calls = calls + 1
          if calls == 8 then mischief() else ghost() end
        end
      end
      local pause, step = collectgarbage("setpause", 1), collectgarbage("setstepmul", 1e8)
      collectgarbage()
      ghost()
      local list = m:ids(a)
      collectgarbage("setpause", pause)
      collectgarbage("setstepmul", step)
      assert.is_true(calls >= 8)
      return list
    end

    -- Each id takes a complete cycle of the collector.
    local ID, COUNT = ("an id that no pool has "):rep(30), 24

    it("lists all ids even if a finalizer moves rows meanwhile", function()
      m:create_many(entities:create(COUNT))
      for i = 1, COUNT do m:create(a, { id = ID .. i }) end
      local list = haunted_ids(function()
        for row = COUNT - 1, 0, -1 do m:destroy(m:at(row)) end
        m:create_many(entities:create(COUNT))
      end)
      assert.equal(COUNT, #list)
      for i = 1, COUNT do assert.equal(ID .. i, list[i]) end
    end)

    it("ends the list of ids if the entity dies meanwhile", function()
      for i = 1, COUNT do m:create(a, { id = ID .. i }) end
      local list = haunted_ids(function() entities:destroy(a) end)
      assert.is_true(#list < COUNT)
      for i = 1, #list do assert.equal(ID .. i, list[i]) end
    end)

    it("frees an id with its component", function()
      m:create(a, { id = "lid" })
      m:destroy(a)
      m:create(a, { id = "lid" })
      assert.equal(1, m:count())
    end)

    it("destroys one component by instance, and all by entity", function()
      for i = 1, 4 do m:create(a, { size = i }) end
      m:create(b, { size = 9 })
      assert.equal(1, m:destroy(m:lookup(a, 2)))
      assert.same({ 1, 3, 4 }, sizes(a))
      assert.equal(3, m:destroy(a))
      assert.is_false(m:has(a))
      assert.same({ 9 }, sizes(b))
    end)

    it("keeps the order when any component is removed", function()
      for gone = 1, 5 do
        local e = entities:create()
        local expected = {}
        for i = 1, 5 do
          m:create(e, { size = i, id = "n" .. i })
          m:create(b, { size = 100 + i })
          if i ~= gone then expected[#expected + 1] = i end
        end
        m:destroy(m:lookup(e, "n" .. gone))
        assert.same(expected, sizes(e))
        assert.equal(4, #m:ids(e))
      end
    end)

    it("returns the next instance", function()
      local first = m:create(a)
      m:create(b)
      local second = m:create(a)
      assert.equal(second, m:next(first))
      assert.is_nil(m:next(second))
    end)

    it("accepts an entity several times in create_many, with ids for each component", function()
      m:create_many({ a, b, a }, { size = { 1, 2, 3 }, id = { "x", "x", "y" } })
      assert.same({ "x", "y" }, m:ids(a))
      assert.same({ "x" }, m:ids(b))
      assert.same({ 1, 3 }, sizes(a))
    end)

    it("creates all components of a list or none if an id occurs twice", function()
      raises("already has a part with id 'x'", m.create_many, m, { a, b, a }, { id = { "x", "x", "x" } })
      raises("already has a part with id 5", m.create_many, m, { a, a }, { id = 5 })
      raises("id: expected 2 values, got 1", m.create_many, m, { a, b }, { id = { 1 } })
      assert.equal(0, m:count())
      m:create_many({ a, b }, { id = "same" })
      assert.same({ "same" }, m:ids(a))
    end)

    it("collects all components of a dead entity at once", function()
      for i = 1, 5 do m:create(a, { size = i, text = "t" .. i }) end
      m:create(b)
      entities:destroy(a)
      assert.equal(5, m:gc())
      assert.equal(1, m:count())
      assert.same({}, m:ids(a))
    end)

    it("collects components that are not adjacent, also if the last rows died first", function()
      local owners = entities:create(2000)
      local twice, last, other = owners[1], owners[2], owners[3]
      m:create(twice)
      for i = 4, 1000 do m:create(owners[i]) end
      m:create(twice)
      for i = 1001, 2000 do m:create(owners[i]) end
      m:create(last)
      m:create(other)
      entities:destroy(last)
      entities:destroy(twice)
      assert.equal(3, m:gc())
      assert.equal(1998, m:count())
      assert.is_true(assert(world:validate()))
      for row in world:rows "part" do assert.is_true(entities:alive(m:entity_at(row))) end
    end)

    it("does not pass components of a dead entity on to its successor", function()
      for i = 1, 3 do m:create(a, { size = i, id = "s" .. i, text = "t" }) end
      entities:destroy(a)
      local successor = entities:create()
      m:create(successor, { id = "s1", size = 8 })
      assert.same({ 8 }, sizes(successor))
      assert.equal(4, m:count())
      assert.is_true(assert(world:validate()))
      assert.equal(3, m:gc "all")
      assert.same({ "s1" }, m:ids(successor))
    end)
  end)
end

describe("a manager with a growing map, seed " .. seed .. ",", function()
  for _, lookup in ipairs { "hash", "array" } do
    -- A hash map becomes an array if almost all entities have the component, and stays a hash map if few have it.
    for _, share in ipairs { 1, 2, 50 } do
      it(("finds its components, which one in %d entities has (%s)"):format(share, lookup), function()
        local random = new_random(seed)
        local entities = cuttle.entity_manager { minimum_free_indices = 0 }
        local world = cuttle.world(entities)
        local fields = { { "hp", "double" }, { "armor", "vec3" }, { "alive", "bool" } }
        local m = world:define("health", fields, { lookup = lookup })
        local all, value = entities:create(3000), {}
        local function check()
          local count = 0
          for e, hp in pairs(value) do
            assert.equal(hp, m:hp(e))
            count = count + 1
          end
          assert.is_true(assert(world:validate()))
          world:gc "all"
          assert.equal(count, m:count())
        end
        for i = 1, #all, share do
          local e = all[i]
          m:create(e, { hp = i, armor = random(2) == 1 and { i, 2, 3 } or nil, alive = true })
          value[e] = i
          if random(4) == 1 then
            local other = all[random(#all)]
            assert.equal(value[other] and 1 or 0, m:destroy(other))
            value[other] = nil
          elseif random(10) == 1 and value[all[1]] then
            entities:destroy(all[1])
            value[all[1]] = nil
            all[1] = entities:create() -- reuses the index: the row of the dead entity is orphaned
            m:create(all[1], { hp = -i })
            value[all[1]] = -i
          end
        end
        check()
        for e in pairs(value) do entities:destroy(e) end
        value = {}
        world:gc()
        check()
        for i = 1, 5 do
          local e = entities:create()
          m:create(e, { hp = i })
          value[e] = i
        end
        check()
      end)
    end
  end

  for _, share in ipairs { 1, 2, 50 } do
    -- A hash map becomes an array at once if almost all of many entities get the component.
    it(("finds components that many entities get at once, one in %d of them"):format(share), function()
      local random = new_random(seed + share)
      for _, first in ipairs { 0, 3000 } do -- low indices, and only high ones
        local entities = cuttle.entity_manager { minimum_free_indices = 0 }
        local world = cuttle.world(entities)
        local m = world:define("health", { { "hp", "double" }, { "text", "string" }, { "any", "value" } })
        local all, list, value = entities:create(6000), {}, {}
        for i = first + 1, first + 3000, share do list[#list + 1] = all[i] end
        local function add(owners, hp)
          local any = {}
          for i, e in ipairs(owners) do any[i], value[e] = { hp }, hp end
          m:create_many(owners, { hp = hp, text = "number " .. hp, any = any })
        end
        local function check()
          for _, e in ipairs(all) do
            local hp = value[e]
            assert.equal(hp, m:has(e) and m:hp(e) or nil)
            if hp then assert.same({ "number " .. hp, { hp } }, { m:text(e), m:any(e) }) end
          end
          assert.is_true(assert(world:validate()))
        end
        add(list, 1)
        check()
        -- Removes runs of rows, with the texts and values that they hold.
        local removed = {}
        for i = 1, #list do
          if i % 100 > 10 then
            removed[#removed + 1] = list[i]
            value[list[i]] = nil
          end
        end
        assert.equal(#removed, m:destroy_many(removed))
        check()
        m:destroy_many(list)
        value = {}
        check()
        add({ list[random(#list)], all[6000] == list[#list] and all[1] or all[6000] }, 2)
        check()
        world:gc "all"
        check()
      end
    end)
  end

  it("refuses a second component for an entity, and gives fields without value their defaults", function()
    local entities = cuttle.entity_manager()
    local world = cuttle.world(entities)
    local m = world:define("health", { { "hp", "double", default = 7 }, { "turn", "quat" }, { "seen", "bool" } })
    local list = entities:create(20)
    for i, e in ipairs(list) do
      m:create(e, i % 2 == 0 and { seen = true } or nil)
      raises("already has a health", m.create, m, e, { hp = 1 })
      assert.equal(7, m:hp(e))
      assert.same({ 0, 0, 0, 1 }, { m:turn(e) })
      assert.equal(i % 2 == 0, m:seen(e))
    end
    assert.equal(20, m:count())
    assert.is_true(assert(world:validate()))
  end)
end)

describe("values in create_many", function()
  local entities, world, m, list

  before_each(function()
    entities = cuttle.entity_manager()
    world = cuttle.world(entities)
    m = world:define("thing", { { "n", "float" }, { "pos", "vec2" }, { "friend", "entity" }, { "on", "bool" },
      { "text", "string" }, { "matrix", "mat4" } })
    list = entities:create(3)
  end)

  after_each(function() assert.is_true(assert(world:validate())) end)

  it("are for all entities if they are scalars", function()
    m:create_many(list, { n = 5, on = true, text = "x", friend = list[1] })
    for _, e in ipairs(list) do
      assert.same({ 5, true, "x", list[1] }, { m:n(e), m:on(e), m:text(e), m:friend(e) })
    end
  end)

  it("are one each if they are tables of scalars", function()
    m:create_many(list, { n = { 1, 2, 3 }, on = { true, false, true }, text = { "a", "b", "c" },
      friend = { list[3], false, list[1] } })
    assert.same({ 2, false, "b" }, { m:n(list[2]), m:on(list[2]), m:text(list[2]) })
    assert.equal(list[3], m:friend(list[1]))
    assert.is_nil(m:friend(list[2]))
  end)

  it("may be a cuttle.list for an entity field", function()
    m:create_many(list, { friend = cuttle.list { list[2], list[3], list[1] } })
    assert.equal(list[2], m:friend(list[1]))
    raises("friend: expected 3 values, got 1", m.create_many, m, list, { friend = cuttle.list { list[1] } })
  end)

  it("of a vector are w numbers for all, w x n flat, or n tables", function()
    local more = entities:create(3)
    m:create_many(list, { pos = { 7, 8 } })
    assert.same({ 7, 8 }, { m:pos(list[3]) })
    m:create_many(more, { pos = { 1, 2, 3, 4, 5, 6 } })
    assert.same({ 3, 4 }, { m:pos(more[2]) })
    more = entities:create(3)
    m:create_many(more, { pos = { { 1, 2 }, { 3, 4 }, { 5, 6 } } })
    assert.same({ 5, 6 }, { m:pos(more[3]) })
  end)

  it("raise if their number is wrong, and nothing is created", function()
    raises("pos: expected 2 numbers for all or 6 for each, got 3", m.create_many, m, list, { pos = { 1, 2, 3 } })
    raises("pos: expected 3 tables, got 2", m.create_many, m, list, { pos = { { 1, 2 }, { 3, 4 } } })
    raises("pos[2]: expected 2 numbers, got 3", m.create_many, m, list, { pos = { { 1, 2 }, { 3, 4, 5 }, { 5, 6 } } })
    raises("pos: expected numbers, got string at 4", m.create_many, m, list, { pos = { 1, 2, 3, "4", 5, 6 } })
    raises("pos: expected 2 numbers, got number", m.create_many, m, list, { pos = 5 })
    raises("text: expected 3 values, got 2", m.create_many, m, list, { text = { "a", "b" } })
    raises("n: expected 3 values, got 0", m.create_many, m, list, { n = {} })
    assert.equal(0, m:count())
  end)

  it("are checked for an empty list too", function()
    assert.is_nil(m:create_many({}, { n = 5 }))
    raises("unknown field 'm'", m.create_many, m, {}, { m = 5 })
  end)
end)

describe("an instance", function()
  local entities, world, m, list

  before_each(function()
    entities = cuttle.entity_manager { minimum_free_indices = 0 }
    world = cuttle.world(entities)
    m = world:define("health", { { "hp", "float" } })
    list = entities:create(10)
    m:create_many(list, { hp = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 } })
  end)

  it("is the number row + 2^22 x epoch, and the epoch is never 0", function()
    local i = m:lookup(list[4])
    assert.equal(3, i % SPAN)
    assert.is_true(i >= SPAN)
  end)

  it("is stale after rows were removed", function()
    local i = m:lookup(list[4])
    m:destroy(list[7])
    for _, call in ipairs { m.hp, m.entity, m.row, m.next, m.get, m.destroy } do
      raises("stale health instance", call, m, i)
    end
    raises("stale health instance", m.set_hp, m, i, 5)
    raises("stale health instance", m.read, m, i, "hp")
    raises("stale health instance", m.write, m, i, "hp", 5)
    raises("stale health instance", m.set, m, i, { hp = 5 })
    raises("stale health instance", function() return m:column("hp")[i] end)
    assert.equal(4, m:hp(m:lookup(list[4])))
  end)

  it("stays valid while components are created and entities die", function()
    local i = m:lookup(list[4])
    for _, e in ipairs(entities:create(1000)) do m:create(e) end
    entities:destroy(list[5])
    assert.equal(4, m:hp(i))
    assert.equal(list[4], m:entity(i))
  end)

  it("stays valid after a gc that removed no row", function()
    local i = m:lookup(list[4])
    m:gc()
    m:gc "all"
    world:gc()
    assert.equal(4, m:hp(i))
  end)

  it("is stale after a gc that removed rows", function()
    local i = m:lookup(list[4])
    entities:destroy(list[9])
    m:gc()
    raises("stale health instance", m.hp, m, i)
  end)

  it("is refused by another manager", function()
    local other = world:define("other", { { "hp", "float" } })
    other:create_many(list)
    raises("stale other instance", other.hp, other, m:lookup(list[4]))
    raises("stale health instance", m.hp, m, other:lookup(list[4]))
  end)

  it("cannot be a bare row", function()
    for _, row in ipairs { 0, 3, 9, SPAN - 1 } do raises("stale health instance", m.hp, m, row) end
  end)

  for _, bad in ipairs { -1, 0.5, -SPAN, 2^53, 2^60, 1e300, 0 / 0, math.huge, -math.huge } do
    it("cannot be " .. bad, function()
      raises("stale health instance", m.hp, m, bad)
      raises("stale health instance", m.hp, m, m:lookup(list[1]) + bad)
    end)
  end

  it("cannot be forged by adding to a row or an epoch", function()
    local i = m:lookup(list[10])
    for _, forged in ipairs { i + 1, i + SPAN, i - SPAN, i + 0.5, i + 1e6 } do
      raises("stale health instance", m.hp, m, forged)
    end
  end)

  it("with a dead owner is refused like a dead entity, but m:entity returns the owner", function()
    local i = m:lookup(list[4])
    entities:destroy(list[4])
    raises("entity(3:0) is dead", m.hp, m, i)
    raises("entity(3:0) is dead", m.set_hp, m, i, 1)
    raises("entity(3:0) is dead", m.row, m, i)
    raises("entity(3:0) is dead", m.destroy, m, i)
    assert.equal(list[4], m:entity(i))
  end)

  it("of an orphaned row has no owner", function()
    local i = m:lookup(list[4])
    entities:destroy(list[4])
    m:create(entities:create())
    assert.is_nil(m:entity(i))
  end)

  it("is not a string with the same digits", function()
    raises("entity expected, got string", m.hp, m, tostring(m:lookup(list[1])))
    raises("health instance expected, got entity", m.entity, m, list[1])
    raises("health instance expected, got nil", m.entity, m, nil)
  end)

  it("is not found for an entity without component, which the message names", function()
    local e = entities:create()
    raises("bad argument #1 to 'set_hp' (entity(10:0) has no health)", function() m:set_hp(e, 1) end)
    raises("entity(10:0) has no health", m.hp, m, e)
  end)
end)

describe("gc", function()
  local entities, world, m

  before_each(function()
    entities = cuttle.entity_manager { minimum_free_indices = 0 }
    world = cuttle.world(entities)
    m = world:define("health", { { "hp", "float" } })
  end)

  after_each(function() assert.is_true(assert(world:validate())) end)

  it("removes the components of all entities that died since its last call", function()
    local list = entities:create(1000)
    m:create_many(list)
    local dead = 0
    for i = 1, 1000, 7 do
      entities:destroy(list[i])
      dead = dead + 1
    end
    assert.equal(1000, m:count())
    assert.equal(dead, m:gc())
    assert.equal(1000 - dead, m:count())
    assert.equal(0, m:gc())
  end)

  it("removes them even if indices were reused in between", function()
    local list = entities:create(200)
    m:create_many(list)
    for i = 1, 200, 2 do entities:destroy(list[i]) end
    for _ = 1, 5000 do entities:destroy(entities:create()) end
    assert.equal(100, m:gc() + m:gc "all")
    assert.equal(100, m:count())
  end)

  it("continues correctly after the entity manager grew", function()
    local list = entities:create(10)
    m:create_many(list)
    entities:destroy { list[2], list[3] }
    entities:create(5000)
    assert.equal(2, m:gc())
  end)

  it("continues correctly after the log of deaths was moved to a larger block", function()
    local list = entities:create(128)
    m:create_many(list)
    for i = 1, 10 do entities:destroy(list[i * 7]) end
    entities:create(10)
    entities:create() -- exceeds the capacity, so the log of deaths moves to a larger block
    assert.equal(10, m:gc())
  end)

  it("works in managers that were made later", function()
    local list = entities:create(10)
    entities:destroy { list[1] }
    local late = world:define("late", {})
    late:create_many { list[2], list[3] }
    entities:destroy { list[2] }
    assert.equal(1, late:gc())
  end)

  describe("with as many orphaned rows, which the log of deaths does not contain, as living ones", function()
    local COUNT = 500

    -- Adds rows that are orphaned because their owner's index is reused.
    local function add_orphaned(entities_here, parts)
      local one, many = entities_here:create(), {}
      for i = 1, COUNT do many[i] = one end
      parts:create_many(many)
      entities_here:destroy(one)
      parts:create(entities_here:create())
    end

    local function half_orphaned(world_seed, dead)
      local entities_here = cuttle.entity_manager { minimum_free_indices = 0 }
      local here = cuttle.world(entities_here, { seed = world_seed })
      local parts = here:define("parts", {}, { multiple = true })
      if dead then
        local list = entities_here:create(dead)
        parts:create_many(list)
        entities_here:destroy(list)
        assert.equal(dead, parts:gc "all")
        entities_here:create(dead) -- so that no index is free
      end
      parts:create_many(entities_here:create(COUNT - 1))
      add_orphaned(entities_here, parts)
      assert.equal(2 * COUNT, parts:count())
      return parts
    end

    it("probes until it found four living rows in sequence", function()
      -- With a chance of 1/2 for each row, 2^4 - 1 dead rows precede these, on average.
      local removed, rounds = 0, 100
      for world_seed = 1, rounds do removed = removed + half_orphaned(world_seed):gc() end
      assert.is_true(removed / rounds > 12 and removed / rounds < 18, removed / rounds)
    end)

    it("begins after the deaths that a sweep has already seen", function()
      for world_seed = 1, 10 do
        assert.is_true(half_orphaned(world_seed, 2 * COUNT):gc() < COUNT)
      end
    end)
  end)

  it("removes no component of a living entity", function()
    m:create_many(entities:create(100))
    for _ = 1, 100 do assert.equal(0, m:gc()) end
    assert.equal(100, m:count())
  end)

  it("does nothing in an empty manager", function()
    assert.equal(0, m:gc())
    assert.equal(0, m:gc "all")
  end)

  it("finds orphaned rows by random probes", function()
    local list = entities:create(50)
    m:create_many(list)
    for _, e in ipairs(list) do
      entities:destroy(e)
      m:create(entities:create())
    end
    assert.equal(100, m:count())
    for _ = 1, 2000 do m:gc() end
    assert.equal(50, m:count())
  end)

  it('removes with "all" every component of dead entities', function()
    local list = entities:create(100)
    m:create_many(list)
    for i = 1, 100, 2 do entities:destroy(list[i]) end
    assert.equal(50, m:gc "all")
    assert.equal(50, m:count())
    for i = 2, 100, 2 do assert.is_true(m:has(list[i])) end
  end)

  it("refuses other arguments", function()
    for _, wrong in ipairs { "some", "5", true, -1, 0.5, 0 / 0, math.huge, {} } do
      raises('nothing, "all" or a limit (an integer from 0 on) expected', m.gc, m, wrong)
      raises('nothing, "all" or a limit (an integer from 0 on) expected', world.gc, world, wrong)
    end
  end)

  it("with a limit removes a part in each call, and all in the end, oldest deaths first", function()
    local list = entities:create(1000)
    m:create_many(list)
    for i = 1, 1000, 2 do entities:destroy(list[i]) end
    assert.equal(0, m:gc(0))
    local calls = 0
    while m:count() > 500 do
      local before = m:count()
      local removed = m:gc(10)
      assert.equal(before - removed, m:count())
      assert.is_true(removed > 0 and removed <= 10)
      calls = calls + 1
    end
    assert.equal(50, calls)
    assert.equal(0, m:gc(10))
    for i = 2, 1000, 2 do assert.is_true(m:has(list[i])) end
  end)

  it("with a limit removes orphaned rows in a number of calls that is proportional to the rows", function()
    local manager = cuttle.entity_manager { minimum_free_indices = 0 }
    local here = cuttle.world(manager)
    for _, options in ipairs { { multiple = true }, {} } do
      local parts = here:define(options.multiple and "parts" or "part", { { "n", "int32" } }, options)
      local list = manager:create(1000)
      parts:create_many(list)
      for round = 1, 3 do
        manager:destroy(list)
        list = manager:create(1000)
        parts:create_many(list)
        for _ = 1, 5 do assert.is_true(parts:gc(100) <= 100) end
        manager:destroy(manager:create(10))
        assert.equal(500 * round + 1000, parts:count())
      end
      for i, e in ipairs(list) do parts:set_n(parts:lookup(e), i) end
      for _ = 1, 20 do parts:gc(100) end
      assert.equal(1000, parts:count())
      for i, e in ipairs(list) do assert.equal(i, parts:n(parts:lookup(e))) end
      manager:destroy(list)
      assert.equal(1000, parts:gc "all")
    end
  end)

  it("with a limit removes deaths that the log has overwritten, and later ones", function()
    local list = entities:create(3000)
    m:create_many(list)
    for i = 1, 1500 do entities:destroy(list[i]) end
    for _ = 1, 20 do entities:destroy(entities:create(1000)) end -- the log is a ring buffer
    local removed = 0
    for i = 1501, 2500 do
      if i % 2 == 0 then entities:destroy(list[i]) end
      if i % 3 == 0 then m:create(entities:create()) end
      removed = removed + m:gc(5)
    end
    for _ = 1, 1000 do removed = removed + m:gc(5) end
    assert.equal(2000, removed)
    for i = 2501, 3000 do assert.is_true(m:has(list[i])) end
    assert.equal(0, m:gc "all")
  end)

  it("without a limit completes what calls with a limit began", function()
    local list = entities:create(2000)
    m:create_many(list)
    entities:destroy(list)
    for _ = 1, 20 do entities:destroy(entities:create(1000)) end
    assert.is_true(m:gc(7) <= 7)
    m:gc()
    assert.equal(0, m:count())
  end)

  it("shares a limit among all managers of a world in turn", function()
    local others = {}
    for i = 1, 4 do others[i] = world:define("other" .. i, {}) end
    local list = entities:create(100)
    m:create_many(list)
    for _, other in ipairs(others) do other:create_many(list) end
    entities:destroy(list)
    for _ = 1, 20 do assert.is_true(world:gc(10) <= 10) end
    assert.equal(300, m:count() + others[1]:count() + others[2]:count() + others[3]:count() + others[4]:count())
    for _, other in ipairs(others) do assert.is_true(other:count() < 100) end
    for _ = 1, 40 do world:gc(10) end
    assert.equal(0, m:count() + others[1]:count() + others[4]:count())
    m:create_many(entities:create(10))
    entities:destroy(entities:create(5))
    assert.equal(0, world:gc "all")
  end)

  it("removes the same rows for the same seed of a world, seed " .. seed, function()
    local function played(world_seed)
      local manager = cuttle.entity_manager { minimum_free_indices = 0 }
      local here = cuttle.world(manager, { seed = world_seed })
      local health = here:define("health", {})
      local log, random = {}, new_random(seed)
      local list = manager:create(300)
      health:create_many(list)
      for i = 1, 300 do
        local place = random(300)
        manager:destroy(list[place])
        list[place] = manager:create()
        health:create(list[place])
        if i % 3 == 0 then log[#log + 1] = health:gc() end
      end
      for row = 0, health:count() - 1 do log[#log + 1] = tostring(health:entity(health:at(row))) end
      return table.concat(log, " ")
    end
    assert.equal(played(42), played(42))
    assert.equal(played(1), played(nil))
  end)
end)
