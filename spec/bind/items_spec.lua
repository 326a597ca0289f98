-- Loops over a query and the items that they return, in C and compiled, cold and hot.

-- tags: ffi

local collect = require "spec.support.collect"
local cuttle = require "cuttle"
local kinds = require "spec.support.kinds"
local new_random = require "spec.support.random"
local raises = require "spec.support.raises"
local rounds = require "spec.support.rounds"
local seed = require "spec.support.seed"
local valid = require "spec.support.valid"

-- Number of steps after which LuaJIT has compiled a loop.
local HOT = 300

local FIELDS = {
  { "f", "float" }, { "d", "double" }, { "i8", "int8" }, { "u8", "uint8" }, { "i16", "int16" }, { "u16", "uint16" },
  { "i32", "int32" }, { "u32", "uint32" }, { "on", "bool" }, { "state", "enum", { "idle", "run" } },
  { "target", "entity" }, { "text", "string" }, { "any", "value" }, { "v2", "vec2" }, { "v3", "vec3" },
  { "v4", "vec4" }, { "turn", "quat" }, { "tint", "color" }, { "m", "mat4" }, { "w2", "dvec2" }, { "w3", "dvec3" },
}

for _, kind in ipairs(kinds) do
  describe("Items, " .. kind.name .. ",", function()
    local entities, world, all, body, life, list, query

    -- Calls f with the items of the query, in a function that was created once for this call.
    local function loop(f, ...)
      return kind.with(function(...)
        for a, b in query:items() do f(a, b, ...) end
      end, ...)
    end

    before_each(function()
      entities = cuttle.entity_manager()
      world = cuttle.world(entities)
      all = world:define("all", FIELDS)
      body = world:define("body", { { "x", "float" }, { "v", "vec2", { 1, 2 } }, { "n", "int32" } })
      life = world:define("life", { { "hp", "double", 100 } })
      world:define("frozen", {})
      list = entities:create(HOT)
      body:create_many(list)
      life:create_many(list)
      query = world:query("body", "life")
    end)

    after_each(function() valid(world) end)

    it("read and write every type of field like the methods of the manager", function()
      all:create_many(list)
      query = world:query "all"
      local values = { f = { 1.5, -0.25 }, d = { 1e300, -1 }, i8 = { -128, 127 }, u8 = { 0, 255 }, i16 = { -32768, 5 },
        u16 = { 65535, 1 }, i32 = { -2 ^ 31, 2 ^ 31 - 1 }, u32 = { 2 ^ 32 - 1, 0 }, on = { true, false },
        state = { "run", "idle" }, target = { list[1], list[2] }, text = { "a", "" }, any = { "b", 7 } }
      for name, pair in pairs(values) do
        local at = 0
        loop(function(item)
          at = at + 1
          local value = pair[at % 2 + 1]
          item[name] = value
          assert.equal(value, item[name])
          assert.equal(value, all:read(list[at], name))
        end)
        assert.equal(HOT, at)
      end
      loop(function(item)
        item.target, item.any = nil, nil
        assert.is_nil(item.target)
        assert.is_nil(item.any)
      end)
    end)

    if kind.compiled then it("create no garbage in a loop that LuaJIT cannot compile", function()
      all:create_many(list)
      query = world:query("all", "life")
      local names = world:query "all"
      local resume = coroutine.wrap(function() while true do coroutine.yield() end end)
      local function in_steps()
        for a, b in query:items() do
          resume()
          b.hp = b.hp + a.d
        end
      end
      local function of_strings()
        for a in names:items() do a.text = a.text .. "" end
      end
      local function of_getters()
        for e in query:each() do
          resume()
          life:set_hp(e, life:hp(e))
        end
      end
      for _, f in ipairs { in_steps, of_strings, of_getters } do
        assert.is_true(kinds.garbage(f) < 4)
      end
    end) end

    it("read and write vectors by part and as a whole", function()
      all:create_many(list)
      query = world:query "all"
      local parts = { v2 = "xy", v3 = "xyz", v4 = "xyzw", turn = "xyzw", tint = "rgba", w2 = "xy", w3 = "xyz" }
      for name, letters in pairs(parts) do
        local at = 0
        loop(function(item)
          at = at + 1
          local vector, numbers = item[name], {}
          for i = 1, #letters do
            vector[letters:sub(i, i)] = at + i
            numbers[i] = vector[letters:sub(i, i)]
          end
          assert.same(numbers, { vector:get() })
          assert.same(numbers, { all:read(list[at], name) })
          for i = 1, #numbers do numbers[i] = -i end
          vector:set(unpack(numbers))
          assert.same(numbers, { all:read(list[at], name) })
          raises("has no 'q'", function() return vector.q end)
          raises("number expected", function() vector[letters:sub(1, 1)] = "1" end)
          raises("number", vector.set, vector, 1)
        end)
      end
      local at = 0
      loop(function(item)
        at = at + 1
        item.m[16] = at
        assert.equal(at, item.m[16])
        assert.equal(at, (select(16, item.m:get())))
        assert.equal(at, (select(16, all:m(list[at]))))
      end)
    end)

    it("refuse what does not fit, with nothing written", function()
      all:create_many(list)
      query = world:query "all"
      local wrong = { i8 = { 128, -129, 0.5, "1", 0 / 0, 1e300 }, u8 = { -1, 256 }, i16 = { 40000 }, u16 = { -1 },
        i32 = { 2 ^ 31 }, u32 = { -1, 2 ^ 32 }, on = { 1, "true" }, state = { "walk", 1 }, f = { "1", true },
        d = { {} } }
      loop(function(item)
        for name, bad in pairs(wrong) do
          local before = item[name]
          for _, value in ipairs(bad) do
            assert.is_false(pcall(function() item[name] = value end))
            assert.equal(before, item[name])
          end
        end
        raises("unknown field 'ff' (did you mean 'f'?)", function() item.ff = 1 end)
        raises("unknown field 'ff'", function() return item.ff end)
        raises("name of a field expected, got number", function() return item[1] end)
        raises("row cannot be written", function() item.row = 1 end)
      end)
    end)

    it("store NaN as the one quiet NaN", function()
      all:create_many(list)
      query = world:query "all"
      local nan = 0 / 0
      loop(function(item)
        item.f, item.d, item.v3.y = nan, -nan, nan
        item.w2:set(nan, 1)
        assert.is_true(item.f ~= item.f and item.d ~= item.d and item.v3.y ~= item.v3.y)
      end)
      valid(world)
    end)

    it("have the entity and the row of the step", function()
      local at = 0
      loop(function(item, other)
        at = at + 1
        assert.equal(list[at], item.entity)
        assert.equal(list[at], other.entity)
        assert.equal(at - 1, item.row)
        assert.equal(body:at(at - 1), body:lookup(item.entity))
      end)
      assert.equal(HOT, at)
    end)

    it("differ in nested loops of the same query", function()
      for i = 1, HOT do if i > 20 then entities:destroy(list[i]) end end
      world:gc "all"
      local pairs_ = 0
      loop(function(outer)
        loop(function(inner)
          loop(function(innermost)
            innermost.n = innermost.n + 1
            if outer.row == inner.row then assert.equal(outer.entity, inner.entity) end
          end)
          assert.is_true(outer.row == inner.row or outer.entity ~= inner.entity)
          pairs_ = pairs_ + 1
        end)
      end)
      assert.equal(400, pairs_)
      for i = 1, 20 do assert.equal(400, body:n(list[i])) end
    end)

    it("belong to one loop each, also after loops that break, return or an error left", function()
      local function leave(how)
        for item in query:items() do -- luacheck: ignore
          if how == 1 then break end
          if how == 2 then return item.row end
          error "left"
        end
      end
      kind.with(function()
        local at = 0
        for outer in query:items() do
          at = at + 1
          pcall(leave, at % 3 + 1)
          for inner in query:items() do -- luacheck: ignore
            pcall(leave, at % 3 + 1)
            inner.x = 5
            break
          end
          assert.equal(list[at], outer.entity)
          outer.n = at
        end
        assert.equal(HOT, at)
      end)
      for i = 1, HOT do assert.equal(i, body:n(list[i])) end
      assert.equal(5, body:x(list[1]))
    end)

    it("belong to the loop of their coroutine", function()
      local threads, at = {}, 0
      kind.with(function()
        for t = 1, 40 do
          threads[t] = coroutine.wrap(function()
            for item in query:items() do
              coroutine.yield(item.entity)
              if item.row == t then break end
            end
          end)
        end
        for step = 1, 20 do
          for t = step, 40 do assert.equal(list[step], threads[t]()) end
          for _ in query:items() do -- luacheck: ignore
            at = at + 1
            break
          end
        end
      end)
      assert.equal(20, at)
    end)

    it("raise in a loop that goes on when their own row was removed, and not when others were", function()
      local at = 0
      raises("body: rows moved during the loop", function()
        loop(function(item, other)
          at = at + 1
          other.hp = at
          if at == HOT - 10 then
            life:destroy(list[at])
            raises("life: the row of the item was removed or moved", function() return other.hp end)
            raises("life: the row of the item was removed or moved", function() other.hp = 1 end)
          end
          item.n = at
          if at == HOT - 5 then
            body:destroy(list[1])
            body:destroy(list[2])
            item.n = 77
            assert.equal(77, item.n)
          end
        end)
      end)
      assert.equal(HOT - 5, at)
      assert.equal(77, body:n(list[at]))
    end)

    it("raise when their row moved", function()
      local last
      raises("body: rows moved during the loop", function()
        loop(function(item)
          last = item.row
          if last == HOT - 1 then
            body:destroy(list[1])
            raises("body: the row of the item was removed or moved", function() return item.n end)
            raises("body: the row of the item was removed or moved", function() item.v.x = 1 end)
          end
        end)
        error "body: rows moved during the loop" -- the last step ends the loop
      end)
      assert.equal(HOT - 1, last)
    end)

    it("raise outside of their loop", function()
      local kept, vector
      loop(function(item) kept, vector = item, item.v end)
      raises("body: the item is used outside of its loop", function() return kept.x end)
      raises("body: the item is used outside of its loop", function() kept.x = 1 end)
      raises("body: the item is used outside of its loop", function() return kept.row end)
      raises("body: the item is used outside of its loop", function() return vector.x end)
      raises("body: the item is used outside of its loop", function() vector.x = 1 end)
      raises("body: the item is used outside of its loop", function() vector:set(1, 2) end)
      raises("body: the item is used outside of its loop", vector.get, vector)
      raises("vector of an item expected, got n", vector.get)
      assert.equal("body item", tostring(kept))
    end)

    it("stay safe after their world and query were collected", function()
      local kept, vector
      loop(function(item)
        kept, vector = item, item.v
        assert.equal(1, vector.x)
      end)
      world, query, entities, all, body, life = nil, nil, nil, nil, nil, nil
      collect()
      assert.is_false(pcall(function() return kept.x end))
      assert.is_false(pcall(function() vector.x = 1 end))
      world = cuttle.world(cuttle.entity_manager())
    end)

    it("see gc, sort, define, restore and the end of the world inside the loop", function()
      local function run(change, message)
        local at = 0
        local ok, caught = pcall(loop, function(item)
          at = at + 1
          item.n = at
          if at == HOT - 20 then
            change()
            pcall(function() item.n = item.n + 1 end)
          end
        end)
        if message then
          assert.is_false(ok)
          assert.is_truthy(tostring(caught):find(message, 1, true), caught)
        else
          assert.is_true(ok, caught)
        end
      end
      run(function() world:gc() end)
      run(function() world:trim() end)
      local snapshot = entities:snapshot()
      run(function() entities:restore(snapshot) end, "rows moved during the loop")
      run(function() life:create(entities:create()) end)
      run(function()
        entities:destroy(list[1])
        world:gc "all"
      end, "rows moved during the loop")
      run(function() world:define("life", {}, { migrate = true }) end, "life was defined again")
      query = world:query("body", "?life")
      run(function() world:destroy() end, "world is destroyed")
      world = cuttle.world(entities)
    end)

    it("stay valid when finalizers destroy entities and free memory during the loop", function()
      local destroyed = 0
      for i = 1, HOT, 10 do
        local ghost = newproxy(true)
        getmetatable(ghost).__gc = function()
          if entities:destroy(list[i]) then destroyed = destroyed + 1 end
          world:trim()
        end
      end
      for _ = 1, 20 do
        local sum = 0
        loop(function(item)
          pcall(function() -- a finalizer may destroy the owner at each allocation
            local garbage = { item.x, item.v.x }
            item.x = garbage[1] + 1
            item.v:set(garbage[2], 3)
            sum = sum + item.x
          end)
        end)
        if _ % 5 == 0 then collect() end
      end
      assert.equal(HOT / 10, destroyed)
      assert.equal(HOT - HOT / 10, query:count())
    end)

    it("are written before the owner dies, and only read in its callbacks", function()
      local seen = 0
      loop(function(item)
        local token = entities:on_destroy(function()
          seen = seen + item.v.y
          raises("is being destroyed", function() item.x = 1 end)
          raises("is being destroyed", function() item.v.x = 1 end)
        end)
        entities:destroy(item.entity)
        entities:off_destroy(token)
        raises("is dead", function() return item.x end)
      end)
      assert.equal(2 * HOT, seen)
      assert.equal(0, query:count())
    end)

    it("move transforms with their children, in both modes", function()
      local tf = world.transform
      for i = 1, HOT do tf:create(list[i], i % 2 == 0 and { parent = list[i - 1] } or nil) end
      query = world:query("transform", "body")
      for round, mode in ipairs { "immediate", "deferred" } do
        tf:set_mode(mode)
        loop(function(item, b)
          local p = item.local_position
          p.x = p.x + b.v.x
          p:set(p.x, p.y + b.v.y, 0)
          item.local_scale.z = 2
        end)
        tf:propagate()
        assert.same({ round, 2 * round, 0 }, { tf:world_position(list[1]) })
        assert.same({ 2 * round, 4 * round, 0 }, { tf:world_position(list[2]) })
        loop(function(item)
          assert.is_true(item.world_matrix[13] >= round)
        end)
      end
    end)

    it("are nil for absent optional components", function()
      query = world:query("body", "?life")
      for i = 1, HOT, 3 do life:destroy(list[i]) end
      local at, present, kept = 0, 0, nil
      loop(function(_, other)
        at = at + 1
        if kept and not other then
          raises("life: the item is used outside of its loop", function() return kept.hp end)
        end
        if other then
          present, kept = present + 1, other
          assert.equal(list[at], other.entity)
        end
      end)
      assert.equal(HOT, at)
      assert.equal(HOT * 2 / 3, present)
    end)

    it("belong to the rows of a first manager that is multiple", function()
      local part = world:define("part", { { "n", "int32" } }, { multiple = true })
      for i = 1, 10 do for n = 1, 10 do part:create(list[i], { n = n }) end end
      query = world:query("part", "body")
      local at = 0
      loop(function(item, b)
        at = at + 1
        item.n = item.n * 2
        b.n = b.n + item.n
        if at == 50 then
          part:destroy(part:at(item.row))
          raises("part: the row of the item was removed or moved", function() return item.n end)
        end
      end)
      assert.equal(100, at)
      assert.equal(110, body:n(list[1]))
    end)

    it("of two definitions do not mix", function()
      local other = cuttle.world(cuttle.entity_manager())
      other:define("body", { { "y", "float" }, { "x", "string" }, { "v", "vec3" } })
      other:create({ body = { x = "a" } }, HOT)
      local queries = { query, other:query "body" }
      kind.with(function()
        for _ = 1, 3 do
          for i = 1, 2 do
            for item in queries[i]:items() do
              if i == 1 then item.x = item.x + 1 else item.x = item.x .. "b" end
              item.v.x = i
            end
          end
        end
      end)
      assert.equal(3, body:x(list[HOT]))
      for item in queries[2]:items() do
        assert.equal("abbb", item.x)
        for mine in query:items() do -- luacheck: ignore
          raises("expected", item.v.get, mine)
          break
        end
      end
    end)

    it("give the same results as the methods in random loops with changes, seed " .. seed, function()
      local random = new_random(seed)
      for round = 1, rounds(30, 6) do
        local model = {}
        for e in life:each() do model[e] = life:hp(e) end
        query = world:query("life", "!frozen", round % 2 == 0 and "body" or "?body")
        for _ = 1, 4 do
          local ok, message = pcall(loop, function(item, other)
            local e, choice = item.entity, random(200)
            assert.equal(model[e], item.hp)
            assert.equal(e, other and other.entity or e)
            item.hp = item.hp + 1
            model[e] = model[e] + 1
            if choice == 1 then
              entities:destroy(e)
            elseif choice == 2 then
              life:destroy(e)
            elseif choice == 3 then
              world.frozen:create(e)
            elseif choice == 4 then
              local new = entities:create()
              life:create(new)
              model[new] = 100
            elseif choice == 5 then
              entities:destroy(list[random(HOT)])
            elseif choice == 6 then
              world:trim()
            elseif choice == 7 and other then
              body:destroy(e)
            elseif choice == 8 and not other then
              body:create(e)
            end
          end)
          if not ok then assert.is_truthy(tostring(message):find("rows moved", 1, true), message) end
        end
        for e in life:each() do assert.equal(model[e], life:hp(e)) end
        valid(world)
        world:gc()
      end
    end)
  end)
end

describe("Loops over a kept query", function()
  -- The entities that two loops visit in a random world, in order, while entities and components come and go.
  local function visit(start, seed_, changes)
    local random, visited = new_random(seed_), {}
    local entities = cuttle.entity_manager()
    local world = cuttle.world(entities)
    for _, name in ipairs { "body", "life", "frozen" } do world:define(name, {}) end
    local share = random(4)
    for _ = 1, random(200) do
      local e = entities:create()
      if random(4) <= share then world.body:create(e) end
      if random(4) > 1 then world.life:create(e) end
      if random(8) == 1 then world.frozen:create(e) end
    end
    local begin = start(world)
    for round = 1, 4 do
      pcall(function()
        for e in begin() do
          visited[#visited + 1] = e
          local choice = changes and round > 1 and random(60) or 0
          if choice == 1 then entities:destroy(e) end
          if choice == 2 then world.body:destroy(e) end
          if choice == 3 then world.frozen:create(e) end
          if choice == 4 then world:create { body = {}, life = {} } end
          if choice == 5 then world:trim() end
          if choice == 6 and round == 3 then break end
          assert.is_true(#visited < 2000)
        end
      end)
      visited[#visited + 1] = "end"
      if changes and round == 2 then world:gc() end
    end
    return visited
  end

  local STARTS = {
    each = function(query) return function() return query:each() end end,
    items = function(query)
      return function()
        local step = query:items()
        return function()
          local item = step()
          return item and item.entity
        end
      end
    end,
    rows = function(query, world)
      return function()
        local step = query:rows()
        return function()
          local i, j = step()
          if not i then return nil end
          assert.equal(world.body:entity_at(i), world.life:entity_at(j))
          return world.body:entity_at(i)
        end
      end
    end,
    ["items in a loop"] = function(query)
      local list = {}
      return function()
        for i = #list, 1, -1 do list[i] = nil end
        for body, life in query:items() do
          assert.equal(body.entity, life.entity)
          list[#list + 1] = body.entity
        end
        local i = 0
        return function()
          i = i + 1
          return list[i]
        end
      end
    end,
  }

  it("visit the entities of a join, whatever the gaps between their rows, seed " .. seed, function()
    for round = 1, rounds(60, 15) do
      local from, changes = seed + round, round % 3 ~= 0
      local expected = visit(function(world)
        return function() return world:join("body", "life", "!frozen") end
      end, from, changes)
      for name, start in pairs(STARTS) do
        if not changes or name ~= "items in a loop" then
          local function begin(world) return start(world:query("body", "life", "!frozen"), world) end
          local got = visit(begin, from, changes)
          assert.same(expected, got, ("%s, seed %d"):format(name, from))
        end
      end
    end
  end)

  it("end and begin in any order when their iterators are called by hand", function()
    local world = cuttle.world(cuttle.entity_manager())
    world:define("body", {})
    local list = world:create({ body = {} }, 3)
    local query = world:query "body"
    local held = {}
    for i = 1, 50 do held[i] = query:each() end
    for step = 1, 3 do
      for i = 1, 50 do assert.equal(list[step], (held[i]())) end
      for _ = 1, 40 do for _ in query:each() do break end end -- luacheck: ignore
    end
    for i = 1, 50 do
      assert.is_nil(held[i]())
      assert.is_nil(held[i]())
    end
    local count = 0
    for _ in query:each() do count = count + 1 end
    assert.equal(3, count)
  end)
end)
