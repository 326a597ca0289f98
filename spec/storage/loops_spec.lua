-- The loops each, instances, join and rows, with changes inside.

-- tags: ffi

local cuttle = require "cuttle"
local collect = require "spec.support.collect"
local raises = require "spec.support.raises"

describe("the loop", function()
  local entities, world, a, b, c, list

  before_each(function()
    entities = cuttle.entity_manager { minimum_free_indices = 0 }
    world = cuttle.world(entities)
    a = world:define("a", { { "n", "double" } })
    b = world:define("b", { { "n", "double" } }, { lookup = "array" })
    c = world:define("c", { { "n", "double" } }, { multiple = true })
    list = entities:create(20)
    for i, e in ipairs(list) do
      a:create(e, { n = i })
      if i % 2 == 0 then b:create(e, { n = i }) end
    end
  end)

  after_each(function() assert.is_true(assert(world:validate())) end)

  -- Returns the visited entities as a set of numbers, and the number of steps. 'change' runs in every step.
  local function visited_by(iterate, change)
    local seen, steps = {}, 0
    for e in iterate do
      steps = steps + 1
      local i = cuttle.entity_index(e) + 1
      assert.is_nil(seen[i], i .. " was visited twice")
      seen[i] = true
      if change then change(e, i, steps) end
    end
    return seen, steps
  end

  local function all(step)
    local set = {}
    for i = step, 20, step do set[i] = true end
    return set
  end

  describe("each", function()
    it("returns entity and instance in row order", function()
      local row = 0
      for e, i in a:each() do
        assert.equal(list[row + 1], e)
        assert.equal(row, a:row(i))
        assert.equal(row + 1, a:n(i))
        row = row + 1
      end
      assert.equal(20, row)
    end)

    it("skips dead entities", function()
      entities:destroy { list[1], list[7], list[20] }
      local seen, steps = visited_by(a:each())
      assert.equal(17, steps)
      assert.is_nil(seen[7])
    end)

    it("returns nil again after its end", function()
      local iterate = world:define("empty", {}):each()
      assert.is_nil(iterate())
      assert.is_nil(iterate())
    end)

    it("allows reading and writing", function()
      assert.same(all(1), (visited_by(a:each(), function(e) a:set_n(e, a:n(e) * 2) end)))
      assert.equal(40, a:n(list[20]))
    end)

    it("ends even if each step creates, and visits no new components", function()
      assert.same(all(1), (visited_by(a:each(), function() a:create(entities:create()) end)))
      assert.equal(40, a:count())
    end)

    it("does not visit new components that removals move forward, in any order of calls", function()
      for round = 1, 4 do
        a:destroy(list[20])
        for i, e in ipairs(list) do if not a:has(e) then a:create(e, { n = i }) end end
        world:gc()
        assert.same(all(1), (visited_by(a:each(), function(e, i)
          local odd = i % 2 == 1
          if round > 1 or odd then a:create(entities:create()) end
          if round < 3 or odd then a:destroy(e) end
          if round % 2 == 0 or not odd then a:create(entities:create()) end
        end)))
        for e in a:each() do if cuttle.entity_index(e) >= 20 then entities:destroy(e) end end
      end
    end)

    it("allows destroying entities before and after the current one", function()
      local seen = visited_by(a:each(), function(_, i)
        if i == 5 then entities:destroy { list[2], list[5], list[6], list[20] } end
      end)
      assert.is_true(seen[2])
      assert.is_nil(seen[6])
      assert.is_nil(seen[20])
      assert.is_true(seen[7])
    end)

    it("allows destroying every entity", function()
      assert.same(all(1), (visited_by(a:each(), function(e) entities:destroy(e) end)))
      assert.equal(0, entities:count())
    end)

    it("visits every other row once if the current component is removed", function()
      assert.same(all(1), (visited_by(a:each(), function(e) a:destroy(e) end)))
      assert.equal(0, a:count())
    end)

    it("visits every other row once if some of the current components are removed", function()
      for keep = 1, 4 do
        for i, e in ipairs(list) do if not a:has(e) then a:create(e, { n = i }) end end
        assert.same(all(1), (visited_by(a:each(), function(e, i) if i % keep ~= 0 then a:destroy(e) end end)))
      end
    end)

    it("allows a removal and a creation in one step", function()
      local seen = visited_by(a:each(), function(e, i)
        if i == 3 then
          a:destroy(e)
          local new = entities:create()
          a:create(new)
        end
      end)
      for i = 1, 20 do assert.is_true(seen[i]) end
    end)

    local disturbances = {
      ["removing another component"] = function(e, other) return other ~= e and a:destroy(other) end,
      ["removing it by instance"] = function(e, other) return other ~= e and a:destroy(a:lookup(other)) end,
      ["removing it and another one"] = function(e, other) a:destroy(e); a:destroy(other) end,
      ["a gc that moved rows"] = function(_, other) entities:destroy(other); a:gc() end,
      ["a sweep that moved rows"] = function(_, other) entities:destroy(other); a:gc "all" end,
      ["a gc that replaced the returned row"] = function(e) entities:destroy(e); a:gc() end,
      ["a gc with a limit that replaced the returned row"] = function(e) entities:destroy(e); a:gc(1) end,
      ["a sweep that replaced the returned row"] = function(e) entities:destroy(e); a:gc "all" end,
      ["world:gc"] = function(_, other) entities:destroy(other); world:gc() end,
      ["world:clear"] = function() world:clear() end,
    }
    for name, disturb in pairs(disturbances) do
      it("raises at the next step after " .. name, function()
        local steps = 0
        raises("a: rows moved during the loop", function()
          for e in a:each() do
            steps = steps + 1
            disturb(e, list[10])
          end
        end)
        assert.equal(1, steps)
      end)
    end

    it("raises at the first step if rows moved before it", function()
      local t = world.transform
      t:create_many(list)
      local parent, child = list[20], list[1]
      for _, begin in ipairs { function() return t:each() end, function() return world:join("transform", "a") end,
        function() return world:join("a", "transform") end, function() return world:rows "transform" end,
        function() return world:rows("a", "transform") end } do
        t:link(child, parent)
        local iterate = begin()
        t:sort() -- moves the parent's row before the child's
        raises("transform: rows moved during the loop", iterate)
        t:unlink(child)
        parent, child = child, parent
      end
    end)

    it("is not stopped by a gc that removes no row", function()
      assert.same(all(1), (visited_by(a:each(), function() a:gc(); a:gc "all"; world:gc() end)))
    end)

    it("is not stopped by a gc that removes the returned row and moves no other", function()
      assert.same(all(1), (visited_by(a:each(), function(e, i)
        if i == 20 then
          entities:destroy(e)
          a:gc "all"
        end
      end)))
    end)

    it("is not stopped when rows of another manager move", function()
      assert.same(all(1), (visited_by(a:each(), function(_, i) if i == 1 then b:destroy(list[10]) end end)))
    end)

    it("may be nested", function()
      local steps = 0
      for _ in a:each() do for _ in a:each() do steps = steps + 1 end end
      assert.equal(400, steps)
    end)

    it("keeps its manager alive", function()
      local iterate
      do
        local m = cuttle.world(entities):define("lonely", {})
        m:create(list[1])
        iterate = m:each()
      end
      collect()
      assert.equal(list[1], (iterate()))
    end)
  end)

  describe("instances", function()
    before_each(function()
      for n = 1, 5 do
        c:create(list[1], { n = n })
        c:create(list[2], { n = n * 10 })
      end
    end)

    local function numbers(e, change)
      local out = {}
      for i in c:instances(e) do
        out[#out + 1] = c:n(i)
        if change then change(i, #out) end
      end
      return out
    end

    it("returns all components of an entity in creation order", function()
      assert.same({ 1, 2, 3, 4, 5 }, numbers(list[1]))
      assert.same({ 10, 20, 30, 40, 50 }, numbers(list[2]))
      assert.same({}, numbers(list[3]))
    end)

    it("returns none for a dead entity", function()
      entities:destroy(list[1])
      assert.same({}, numbers(list[1]))
    end)

    it("allows removing the current component", function()
      assert.same({ 1, 2, 3, 4, 5 }, numbers(list[1], function(i) c:destroy(i) end))
      assert.is_false(c:has(list[1]))
      assert.same({ 10, 20, 30, 40, 50 }, numbers(list[2], function(i, n) if n % 2 == 1 then c:destroy(i) end end))
      assert.same({ 20, 40 }, numbers(list[2]))
    end)

    it("ends when the entity dies", function()
      assert.same({ 1 }, numbers(list[1], function() entities:destroy(list[1]) end))
    end)

    it("ends even if each step creates another component of the entity", function()
      assert.same({ 1, 2, 3, 4, 5 }, numbers(list[1], function(i, n)
        c:create(list[3])
        c:create(list[1], { n = 100 + n })
        if n % 2 == 0 then c:destroy(i) end
      end))
      assert.same({ 1, 3, 5, 101, 102, 103, 104, 105 }, numbers(list[1]))
    end)

    it("raises at the next step after another component was removed", function()
      raises("c: rows moved during the loop", numbers, list[1], function() c:destroy(c:lookup(list[2])) end)
      raises("c: rows moved during the loop", numbers, list[1], function() c:destroy(c:lookup(list[1], 3)) end)
    end)
  end)

  describe("join", function()
    it("returns entity and instances of living entities that have all components", function()
      local steps = 0
      for e, i, j in world:join("a", "b") do
        steps = steps + 1
        assert.equal(e, a:entity(i))
        assert.equal(e, b:entity(j))
        assert.equal(a:n(i), b:n(j))
      end
      assert.equal(10, steps)
    end)

    it("uses the row order of the first manager", function()
      local order = {}
      b:destroy(list[2])
      b:create(list[2])
      for e in world:join(b, a) do order[#order + 1] = cuttle.entity_index(e) + 1 end
      local rows = {}
      for row = 0, b:count() - 1 do rows[#rows + 1] = cuttle.entity_index(b:entity(b:at(row))) + 1 end
      assert.same(rows, order)
    end)

    it("returns the first instance of the other managers", function()
      for n = 1, 3 do c:create(list[4], { n = n }) end
      local steps = 0
      for e, _, j in world:join("a", "c") do
        steps = steps + 1
        assert.equal(list[4], e)
        assert.equal(1, c:n(j))
      end
      assert.equal(1, steps)
    end)

    it("visits every row of a first manager that is multiple", function()
      for n = 1, 3 do c:create(list[4], { n = n }) end
      local numbers = {}
      for _, i in world:join("c", "a") do numbers[#numbers + 1] = c:n(i) end
      assert.same({ 1, 2, 3 }, numbers)
    end)

    it("takes managers and names, from one to eight", function()
      local names = { "a" }
      for k = 2, 8 do
        names[k] = "extra" .. k
        world:define(names[k], {}):create_many(list)
      end
      for count = 1, 8 do
        local steps = 0
        for _ in world:join(unpack(names, 1, count)) do steps = steps + 1 end
        assert.equal(20, steps)
      end
      raises("too many managers in a join (9, limit is 8)", world.join, world, "a", unpack(names))
      raises("too many managers in a join (9, limit is 8)", world.rows, world, "a", unpack(names))
    end)

    it("accepts one manager twice", function()
      local steps = 0
      for _, i, j in world:join("a", a) do
        assert.equal(i, j)
        steps = steps + 1
      end
      assert.equal(20, steps)
    end)

    it("refuses a value that is not a manager of this world", function()
      raises("unknown component 'aa' (did you mean 'a'?)", world.join, world, "aa")
      raises("component manager or name expected", world.join, world)
      local other = cuttle.world(entities):define("a", {})
      raises("component manager of this world or its name expected, got userdata", world.join, world, "a", other)
      raises("component manager of this world or its name expected, got nil", world.rows, world, "a", nil)
      local old = world:define("old", { { "x", "float" } })
      world:define("old", { { "y", "float" } })
      raises("old was defined again", world.join, world, "a", old)
      raises("component manager of this world or its name expected, got entity", world.rows, world, list[1])
    end)

    it("skips entities with a component of a ! manager, which adds no result", function()
      local steps = 0
      for e, i, k in world:join("a", "!b", "a") do
        steps = steps + 1
        assert.is_false(b:has(e))
        assert.equal(i, k)
      end
      assert.equal(10, steps)
      local step = world:join("a", "!c", "b", "!transform")
      assert.equal(3, select("#", step()))
    end)

    it("allows removing and creating rows of a ! manager", function()
      local seen, steps = visited_by(world:join("a", "!b"), function(_, i)
        if i == 1 then
          b:destroy(list[20])
          b:destroy(list[2])
          b:create(list[3])
          world:gc "all"
        end
      end)
      assert.equal(11, steps)
      assert.is_true(seen[2] and seen[20])
      assert.is_nil(seen[3])
    end)

    it("returns nil for a ? manager without component", function()
      local steps = 0
      for e, i, j, k in world:join("a", "?b", "a") do
        steps = steps + 1
        assert.equal(b:lookup(e), j)
        assert.equal(i, k)
      end
      assert.equal(20, steps)
    end)

    it("returns the current component of a ? manager in each step", function()
      local out = {}
      for e, _, j in world:join("a", "?b") do
        local i = cuttle.entity_index(e) + 1
        out[i] = j ~= nil
        if i % 4 == 1 then b:create(list[i + 2]) end
        if j and i % 4 == 0 then b:destroy(j) end
      end
      for i = 1, 20 do assert.equal(i % 4 ~= 1, out[i]) end
      raises("b: rows moved during the loop", visited_by, world:join("a", "?b"), function() b:destroy(list[10]) end)
    end)

    it("allows ! and ? before names only, and not in the first argument", function()
      raises("bad argument #1 to 'join' (the first manager is plain: no '!a')", function() world:join("!a", "b") end)
      raises("bad argument #1 to 'rows' (the first manager is plain: no '?a')", function() world:rows "?a" end)
      raises("bad argument #2 to 'join' (unknown component 'bb' (did you mean 'b'?))",
        function() world:join("a", "!bb") end)
      raises("unknown component '!b'", world.join, world, "a", "?!b")
      raises("unknown component ''", world.join, world, "a", "!")
      raises("too many managers in a join (9, limit is 8)", world.rows, world, "a", "!b", "?b", "!b", "?b", "!b", "?b",
        "!b", "?b")
    end)

    it("visits every other row once if the current components are removed", function()
      assert.same(all(2), (visited_by(world:join("a", "b"), function(e) a:destroy(e); b:destroy(e) end)))
      assert.equal(0, b:count())
      assert.equal(10, a:count())
    end)

    it("visits every other row once if components of the second manager are removed", function()
      assert.same(all(2), (visited_by(world:join("a", "b"), function(e) b:destroy(e) end)))
    end)

    it("skips entities that died during the loop", function()
      local seen = visited_by(world:join("a", "b"), function(_, i)
        if i == 2 then entities:destroy { list[4], list[6] } end
      end)
      assert.is_nil(seen[4])
      assert.is_nil(seen[6])
      assert.is_true(seen[8])
    end)

    it("does not visit entities that got their components during the loop", function()
      assert.same(all(2), (visited_by(world:join("a", "b"), function(_, i)
        local new = entities:create()
        a:create(new)
        b:create(new)
        for k = i - 1, i + 1, 2 do
          if k <= 20 and not b:has(list[k]) then b:create(list[k]) end
        end
      end)))
      assert.same({}, (visited_by(world:join("a", "transform"), error)))
      world.transform:create(list[1])
      local visited = {}
      for e in world:join("a", "transform") do
        visited[#visited + 1] = e
        local next_one = list[cuttle.entity_index(e) + 2]
        if next_one then world.transform:create(next_one) end
      end
      assert.same({ list[1] }, visited)
    end)

    it("raises if another component of one of its managers is removed", function()
      raises("a: rows moved during the loop", visited_by, world:join("a", "b"), function() a:destroy(list[7]) end)
      raises("b: rows moved during the loop", visited_by, world:join("a", "b"), function() b:destroy(list[10]) end)
    end)

    it("is not stopped when rows of other managers move", function()
      c:create(list[3])
      assert.same(all(2), (visited_by(world:join("a", "b"), function() c:destroy(list[3]) end)))
    end)
  end)

  describe("rows", function()
    it("returns bare rows for columns", function()
      local column_a, column_b, steps = a:column "n", b:column "n", 0
      for i, j in world:rows("a", "b") do
        steps = steps + 1
        assert.equal(column_a[i], column_b[j])
      end
      assert.equal(10, steps)
    end)

    it("returns valid rows, even if its iterator is called with other values", function()
      local wrong = { -1, -2, -100, 0.5, 2 ^ 31, -2 ^ 31, 2 ^ 32, 2 ^ 53, 1e300, 0 / 0, math.huge, -math.huge, "x", {},
        true, list[1], a, print }
      for _, names in ipairs { { "a" }, { "a", "b" }, { "a", "?b" }, { "a", "!c" } } do
        for i = 1, #wrong do
          local step = world:rows(unpack(names))
          step()
          for _ = 1, 3 do
            local row = step(wrong[i], wrong[i])
            assert.is_true(row >= 0 and row < a:count() and row % 1 == 0)
          end
        end
      end
    end)

    it("skips dead entities", function()
      entities:destroy { list[2], list[3] }
      local steps = 0
      for row in world:rows "a" do
        assert.is_true(row ~= 1 and row ~= 2)
        steps = steps + 1
      end
      assert.equal(18, steps)
    end)

    it("visits every other row once if the current component is removed", function()
      local seen, column = {}, a:column "n"
      for row in world:rows(a) do
        local n = column[row]
        assert.is_nil(seen[n])
        seen[n] = true
        a:destroy(a:at(row))
      end
      assert.same(all(1), seen)
    end)

    it("skips entities that died during the loop", function()
      local seen, column = {}, a:column "n"
      for row in world:rows "a" do
        seen[column[row]] = true
        if row == 4 then entities:destroy { list[9], list[10] } end
      end
      assert.is_nil(seen[9])
      assert.is_nil(seen[10])
      assert.is_true(seen[11])
    end)

    it("raises at the next step after another component was removed", function()
      raises("a: rows moved during the loop", function()
        for _ in world:rows "a" do a:destroy(list[20]); a:destroy(list[19]) end
      end)
      raises("b: rows moved during the loop", function()
        for _ in world:rows("a", "b") do b:destroy(list[10]) end
      end)
    end)

    it("raises after a disturbance in any step", function()
      for when = 1, 9 do
        local steps = 0
        raises("b: rows moved during the loop", function()
          for _ in world:rows "b" do
            steps = steps + 1
            if steps == when then b:destroy(b:at((steps + 3) % b:count())) end
          end
        end)
        assert.equal(when, steps)
        b:create_many(entities:create(1))
      end
    end)

    it("ends even if each step creates", function()
      local steps = 0
      for _ in world:rows("a", "b") do
        steps = steps + 1
        local new = entities:create()
        a:create(new)
        b:create(new)
      end
      assert.equal(10, steps)
    end)

    it("raises when the manager was replaced", function()
      local m = world:define("thing", {})
      m:create_many(list)
      local iterate = world:rows "thing"
      iterate()
      world:clear()
      world:define("thing", { { "n", "float" } })
      raises("thing was defined again", iterate)
    end)
  end)
end)
