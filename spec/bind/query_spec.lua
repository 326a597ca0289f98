-- Queries: loops over, and operations on, all entities that have several components.

local collect = require "spec.support.collect"
local core = require "cuttle.core"
local cuttle = require "cuttle"
local kinds = require "spec.support.kinds"
local new_random = require "spec.support.random"
local raises = require "spec.support.raises"
local rounds = require "spec.support.rounds"
local seed = require "spec.support.seed"
local valid = require "spec.support.valid"

local function fixture(count)
  local entities = cuttle.entity_manager()
  local world = cuttle.world(entities)
  local body = world:define("body", { { "x", "float" }, { "v", "vec3", { 1, 2, 3 } }, { "text", "string", "a" },
    { "state", "enum", { "idle", "run" } }, { "target", "entity" }, { "on", "bool" }, { "loot", "value" },
    { "tiny", "int8" } })
  local life = world:define("life", { { "hp", "float", 100 } })
  world:define("frozen", {})
  world:define("part", { { "n", "int32" } }, { multiple = true })
  local list = entities:create(count or 5)
  body:create_many(list)
  life:create_many(list)
  return world, list, entities
end

local function set_of(list)
  local set = {}
  for _, e in ipairs(list) do set[e] = true end
  return set
end

describe("world:query", function()
  it("takes the arguments of join", function()
    local world, list = fixture()
    local query = world:query("body", world.life, "!frozen", "?part")
    assert.equal("Query (body, life, !frozen, ?part)", tostring(query))
    assert.equal(5, query:count())
    raises("unknown component 'bdy' (did you mean 'body'?)", world.query, world, "bdy")
    raises("the first manager is plain", world.query, world, "!body")
    raises("component manager or name expected", world.query, world)
    raises("component manager of this world or its name expected, got table", world.query, world, {})
    raises("too many managers", world.query, world, "body", "body", "body", "body", "body", "body", "body", "body",
      "body")
    assert.same(set_of(list), set_of(query:entities()))
  end)

  it("raises for a manager of another world", function()
    local world, other = fixture(), fixture()
    raises("component manager of this world", world.query, world, other.body)
  end)

  it("keeps its world alive", function()
    local query
    do
      local world = fixture()
      query = world:query "body"
    end
    collect()
    assert.equal(5, query:count())
  end)

  it("raises after its world was destroyed or a component was defined again", function()
    local world = fixture()
    local query, rest = world:query("life", "?frozen"), world:query "body"
    world.frozen:create(query:first())
    world:define("frozen", { { "n", "float" } }, { migrate = true })
    for _, name in ipairs { "count", "first", "list", "entities", "each", "rows", "items", "destroy" } do
      raises("frozen was defined again", query[name], query)
    end
    raises("frozen was defined again", query.read, query, "life.hp")
    raises("frozen was defined again", query.write, query, "life.hp", 1)
    raises("frozen was defined again", query.create, query, "part")
    raises("frozen was defined again", query.remove, query, "part")
    assert.equal(5, rest:count())
    world:destroy()
    raises("world is destroyed", rest.count, rest)
    raises("world is destroyed", query.count, query)
    assert.equal("Query (body)", tostring(rest))
  end)

  it("raises in on_destroy and on_spawn of a restore, and works in on_restore", function()
    local world, _, entities = fixture()
    local query, snapshot = world:query "body", entities:snapshot()
    world.actor:on_spawn(function() return {} end)
    local late = world:create { actor = {} }
    local refused, counted = {}, nil
    world.actor:on_destroy(function() refused[#refused + 1] = tostring(select(2, pcall(query.count, query))) end)
    entities:on_restore(function() counted = query:count() end)
    entities:restore(snapshot)
    assert.equal(1, #refused)
    assert.is_truthy(refused[1]:find("restore", 1, true))
    assert.equal(5, counted)
    assert.is_false(entities:alive(late))
  end)

  it("and its formulas are counted by world:memory until they are collected", function()
    local world = fixture()
    local before = world:memory()
    assert.is_true(world:query("body", "life") and world:memory() > before)
    collect()
    before = world:memory() -- the world keeps the query
    do
      local query = world:query("body", "life"):where("yes", { yes = true })
      local empty = world:memory()
      assert.is_true(empty > before)
      local formula = query:formula("body.x = life.hp * a", { a = 1 })
      local one = world:memory()
      assert.is_true(one > empty)
      local sum = query:sum "body.x + 1"
      assert.is_true(world:memory() > one)
      assert.is_truthy(formula and sum)
    end
    collect()
    collect()
    assert.equal(before, world:memory())
  end)

  it("is the same object for the same arguments until a component is defined again", function()
    local world = fixture()
    local query = world:query("body", "!life")
    assert.equal(query, world:query("body", "!life"))
    assert.not_equal(query, world:query("body", "?life"))
    assert.equal(query, world:query("body", "!life"))
    world:clear()
    world:define("life", { { "other", "float" } })
    assert.not_equal(query, world:query("body", "!life"))
    assert.equal(0, world:query("body", "!life"):count())
  end)

  it("with a condition without parameters is the same object for the same text", function()
    local world = fixture()
    local query = world:query "body"
    local where = query:where "body.x > 0"
    assert.not_equal(query, where)
    assert.equal(where, query:where "body.x > 0")
    assert.not_equal(where, query:where "body.x > 1")
    assert.not_equal(query:where("body.x > a", { a = 1 }), query:where("body.x > a", { a = 1 }))
    assert.not_equal(where:where "body.x < 9", query:where "body.x < 9")
    for i = 1, 100 do query:where("body.x > " .. i) end
    assert.not_equal(where, query:where "body.x > 0") -- the oldest are not kept
    local e = world:create { body = {} }
    assert.equal(where:count(), query:where("body.x > 0"):count())
    world.body:set_x(e, 5)
    assert.equal(where:count(), query:where("body.x > 0"):count())
  end)

  it("creates no garbage if a function makes it for each loop", function()
    local world = fixture()
    local function frame()
      for _ in world:query("body", "life"):items() do break end -- luacheck: ignore
    end
    assert.equal(0, kinds.interpreted_garbage(frame, 100))
  end)

  it("is counted by world:memory and freed by world:trim", function()
    local world, list = fixture(200)
    local query = world:query("life", "?part")
    local before = world:memory()
    for i = 1, 200, 3 do world.part:create(list[i]) end
    world:trim()
    local trimmed = world:memory()
    query:count()
    assert.is_true(world:memory() >= trimmed + 4 * 200)
    world:trim()
    assert.equal(trimmed, world:memory())
    assert.equal(200, query:count())
    assert.is_true(before > 0)
  end)

  it("counts and frees the list of rows that a loop follows", function()
    local world, list = fixture(200)
    for i = 1, 200, 3 do world.frozen:create(list[i]) end
    local query = world:query("life", "frozen")
    assert.equal(67, query:count())
    local found = world:memory()
    for _ = 1, 2 do for _ in query:items() do end end -- luacheck: ignore
    assert.is_true(world:memory() >= found + 2 * 4 * 67)
    for _ in query:items() do world:trim() end
    assert.is_true(world:memory() < found)
    valid(world)
  end)
end)

describe("The matches of a query", function()
  it("follow additions, removals, deaths, gc, sort, restore and rolled back creates", function()
    local world, list, entities = fixture()
    local query = world:query("body", "life", "!frozen")
    local function check(count) assert.equal(count, query:count()) end
    check(5)
    world.frozen:create(list[1])
    check(4)
    world.frozen:destroy(list[1])
    check(5)
    local snapshot = entities:snapshot()
    entities:destroy(list[2])
    check(4)
    world:gc "all"
    check(4)
    world:create { body = {}, life = {} }
    check(5)
    entities:restore(snapshot)
    check(5)
    assert.is_true(set_of(query:entities())[list[2]])
    raises("already has a body", world.body.create_many, world.body, { entities:create(), list[1] })
    check(5)
    local token = world.life:on_add(function() assert.equal(6, query:count()) error "refused" end)
    raises("refused", world.create, world, { body = {}, life = {} })
    world.life:off_add(token)
    check(5)
    world:create { body = {}, life = {} }
    check(6)
    world:clear()
    check(0)
    assert.is_nil(query:first())
    assert.same({}, query:entities())
    valid(world)
  end)

  it("follow components that are created one by one", function()
    local world, _, entities = fixture(1)
    local query, template = world:query("life", "!frozen"), world:template { life = { hp = 2 } }
    for i = 1, 5 do
      assert.equal(i * 3 - 2, query:count())
      world.life:create(entities:create(), { hp = 1 })
      assert.equal(i * 3 - 1, query:count())
      world:create { life = { hp = 3 } }
      assert.equal(i * 3, query:count())
      template:create()
    end
  end)

  it("are in row order of the first manager, whatever the order of the others", function()
    local world, list = fixture(50)
    local reversed = {}
    for i = 50, 1, -1 do reversed[#reversed + 1] = list[i] end
    world:define("late", { { "n", "int32" } })
    for i, e in ipairs(reversed) do world.late:create(e, { n = i }) end
    assert.same(list, world:query("body", "late"):entities())
    assert.same(reversed, world:query("late", "body"):entities())
    local values, count = world:query("body", "late"):read "late.n"
    assert.equal(50, count)
    for i = 1, 50 do assert.equal(51 - i, values[i]) end
  end)

  it("are all rows of a first manager that is multiple, and first instances of others", function()
    local world, list = fixture(3)
    for i = 1, 3 do world.part:create(list[1], { n = i }) end
    world.part:create(list[2], { n = 9 })
    local query = world:query("part", "body")
    assert.equal(4, query:count())
    assert.same({ 1, 2, 3, 9 }, (query:read "part.n"))
    assert.same({ list[1], list[2] }, query:entities())
    assert.equal(2, query:list():count())
    assert.same({ 1, 9 }, (world:query("body", "part"):read "part.n"))
    assert.equal(4, query:write("part.n", { 5, 6, 7, 8 }))
    assert.same({ 5, 6, 7, 8 }, (query:read "part.n"))
    assert.equal(2, query:create("frozen"))
    assert.equal(4, query:remove "part")
    assert.equal(0, query:count())
    valid(world)
  end)

  it("agree with a search over all entities, in random worlds, seed " .. seed, function()
    local random = new_random(seed)
    for _ = 1, rounds(20, 5) do
      local world, list, entities = fixture(random(60))
      local names = { "body", "life", "frozen", "part", "transform" }
      for _ = 1, 200 do
        local name, e = names[random(#names)], list[random(#list)]
        if not entities:alive(e) then
          list[random(#list)] = entities:create()
        elseif random(12) == 1 then
          entities:destroy(e)
        elseif random(3) == 1 then
          world[name]:destroy(e)
        elseif name == "part" or not world[name]:has(e) then
          world[name]:create(e)
        end
        if random(20) == 1 then world:gc() end
      end
      local arguments, roles = {}, { "", "!", "?" }
      for i = 1, random(4) do arguments[i] = (i == 1 and "" or roles[random(3)]) .. names[random(#names)] end
      local query, expected = world:query(unpack(arguments)), {}
      for e in entities:each() do
        local matches = true
        for _, argument in ipairs(arguments) do
          local sign, name = argument:match "^([!?]?)(.*)$"
          local has = world[name]:has(e)
          if sign == "" and not has or sign == "!" and has then matches = false end
        end
        if matches then expected[e] = true end
      end
      assert.same(expected, set_of(query:entities()), table.concat(arguments, " "))
      local joined = {}
      for e in world:join(unpack(arguments)) do joined[#joined + 1] = e end
      assert.equal(#joined, query:count())
      local i = 0
      for e in query:each() do
        i = i + 1
        assert.equal(joined[i], e)
      end
      assert.equal(#joined, i)
    end
  end)
end)

describe("query:list and query:entities", function()
  it("fill what they are given", function()
    local world, list = fixture(3)
    local query, out, table_ = world:query "body", cuttle.list { list[1], list[1], list[1], list[1] }, { 1, 2, 3, 4 }
    assert.equal(out, query:list(out))
    assert.same(list, out:totable())
    assert.equal(table_, query:entities(table_))
    assert.same({ list[1], list[2], list[3], 4 }, table_)
    raises("cuttle.list expected, got table", query.list, query, {})
    raises("table expected, got number", query.entities, query, 5)
  end)

  it("work when a finalizer destroys entities during the call", function()
    local world, list, entities = fixture(40)
    local query, destroyed = world:query "body", 0
    for i = 1, 20 do
      local ghost = newproxy(true)
      getmetatable(ghost).__gc = function()
        if entities:alive(list[i]) then destroyed = destroyed + 1 end
        entities:destroy(list[i])
      end
    end
    for _ = 1, 50 do
      for _, e in ipairs(query:entities()) do assert.is_true(cuttle.is_entity(e)) end
      query:read "body.text"
    end
    collect()
    assert.equal(20, destroyed)
    assert.equal(20, query:count())
    assert.same({ unpack(list, 21) }, query:entities())
  end)
end)

describe("query:read", function()
  it("returns a flat table and the number of matches", function()
    local world, list = fixture(2)
    local query, out = world:query("body", "?part"), { 9, 9, 9, 9, 9, 9, 9 }
    local values, count = query:read("body.v", out)
    assert.equal(out, values)
    assert.equal(2, count)
    assert.same({ 1, 2, 3, 1, 2, 3, 9 }, out)
    world.body:set(list[2], { text = "", state = "run", target = list[1], on = true })
    assert.same({ "a", "" }, (query:read "body.text"))
    assert.same({ "idle", "run" }, (query:read "body.state"))
    assert.same({ false, list[1] }, (query:read "body.target"))
    assert.same({ false, true }, (query:read "body.on"))
    world.part:create(list[2], { n = 4 })
    assert.same({ false, 4 }, (query:read "part.n"))
    assert.same({}, (world:query("frozen", "body"):read "body.text"))
  end)

  it("reads poses of transforms", function()
    local world = fixture(1)
    local root = world:create { transform = { position = { 1, 2, 3 }, angle = 0.5 } }
    local child = world:create { transform = { position = { 1, 0, 0 }, angle = 0.25, parent = root } }
    local query, tf = world:query "transform", world.transform
    local x, y, z = tf:world_position(child)
    assert.same({ 1, 2, 3, x, y, z }, (query:read "transform.world_position"))
    assert.same({ tf:world_angle(root), tf:world_angle(child) }, (query:read "transform.world_angle"))
    assert.same({ tf:local_angle(root), tf:local_angle(child) }, (query:read "transform.local_angle"))
    assert.same({ tf:local_angle(child) }, tf:read_many({ child }, "local_angle"))
    assert.same({ x, y, z }, tf:read_many({ child }, "world_position"))
  end)

  it("raises for names that are not in the query", function()
    local world = fixture()
    local query = world:query("body", "!frozen")
    raises("unknown field 'y' (did you mean 'x'?)", query.read, query, "body.y")
    raises("unknown component of the query 'bod' (did you mean 'body'?)", query.read, query, "bod.x")
    raises("unknown component of the query 'frozen'", query.read, query, "frozen.x")
    raises("\"component.field\" expected, got 'x'", query.read, query, "x")
    raises("string expected, got nil", query.read, query)
    raises("body.loot is a value field", query.read, query, "body.loot")
    raises("table expected, got number", query.read, query, "body.x", 5)
  end)
end)

describe("query:write", function()
  it("writes one value to all, or one each", function()
    local world, list = fixture(3)
    local query, body = world:query("body", "?part"), world.body
    assert.equal(3, query:write("body.x", 7))
    assert.equal(7, body:x(list[3]))
    assert.equal(3, query:write("body.x", { 1, 2, 3 }))
    assert.same({ 1, 2, 3 }, (query:read "body.x"))
    query:write("body.v", { 4, 5, 6 })
    assert.same({ 4, 5, 6, 4, 5, 6, 4, 5, 6 }, (query:read "body.v"))
    query:write("body.text", { "x", "y", "z" })
    assert.equal("y", body:text(list[2]))
    query:write("body.target", list[1])
    assert.equal(list[1], body:target(list[2]))
    query:write("body.target", false)
    assert.is_nil(body:target(list[2]))
    world.part:create(list[2])
    assert.equal(3, query:write("part.n", { 1, 2, 3 }))
    assert.equal(2, world.part:n(list[2]))
  end)

  it("writes nothing if it raises", function()
    local world = fixture(3)
    local query = world:query "body"
    raises("[2]", query.write, query, "body.tiny", { 1, 200, 3 })
    assert.same({ 0, 0, 0 }, (query:read "body.tiny"))
    raises("expected", query.write, query, "body.x", { 1, 2 })
    raises("transform.world_position is read-only", world:query("transform").write, world:query "transform",
      "transform.world_position", 1)
  end)

  local NUMBERS = { f = "float", d = "double", a = "int8", b = "uint8", g = "int16", h = "uint16", i = "int32",
    u = "uint32", v = "vec2", w = "vec3", q = "quat", c = "color", k = "dvec3" }

  local function digits(...)
    local texts = { ... }
    for i, number in ipairs(texts) do texts[i] = ("%.17g"):format(number) end
    return table.concat(texts, " ")
  end

  it("stores what setters store, for all types of numbers, rows in any order, seed " .. seed, function()
    local random, fields = new_random(seed), {}
    for name, type in pairs(NUMBERS) do fields[#fields + 1] = { name, type } end
    for round = 1, rounds(6, 3) do
      local world, list, entities = fixture(random(300))
      local all = world:define("all", fields)
      for place = #list, 2, -1 do
        local other = random(place)
        list[place], list[other] = list[other], list[place]
      end
      all:create_many(list)
      local query, twin = world:query("body", "all"), entities:create()
      all:create(twin)
      for name, type in pairs(NUMBERS) do
        local lanes, values = select("#", all[name](all, twin)), {}
        for i = 1, #list * lanes do
          local real = ({ random(1000) / 7, 0.1, -0, 0 / 0, 1e300, -1 / 0 })[random(6)]
          values[i] = type:find "int" and random(128) - 1 or real
        end
        assert.equal(#list, query:write("all." .. name, values))
        local read, count = query:read("all." .. name, round % 2 == 0 and {} or nil)
        assert.equal(#list, count)
        assert.equal(#values, #read)
        for i, e in ipairs(query:entities()) do
          all["set_" .. name](all, twin, unpack(values, (i - 1) * lanes + 1, i * lanes))
          local expected = digits(all[name](all, twin))
          assert.equal(expected, digits(all[name](all, e)))
          assert.equal(expected, digits(unpack(read, (i - 1) * lanes + 1, i * lanes)))
        end
      end
    end
  end)

  it("writes nothing if one of many values is invalid, and names the line of the script", function()
    local world = fixture(100)
    local query, values = world:query "body", {}
    for i = 1, 100 do values[i] = 1 end
    for _, wrong in ipairs { "tiny 200", "tiny 0.5", "x text" } do
      local name, value = wrong:match "(%S+) (%S+)"
      values[77] = tonumber(value) or value
      local ok, message = pcall(function()
        local count = query:write("body." .. name, values)
        return count
      end)
      assert.is_false(ok)
      assert.matches("^[^:]*query_spec.lua:%d+: .*%[?77%]?", message)
    end
    for i = 1, 100 do values[i] = 0 end
    assert.same(values, (query:read "body.tiny"))
    assert.same(values, (query:read "body.x"))
  end)

  it("uses no metamethods of tables", function()
    local world = fixture(3)
    local query = world:query "body"
    local guard = setmetatable({}, { __newindex = error })
    assert.equal(guard, (query:read("body.v", guard)))
    assert.equal(9, #guard)
    assert.equal(3, query:write("body.v", guard))
    raises("__index", query.write, query, "body.x", setmetatable({ 1, 2, 3 }, { __index = error }))
  end)

  it("may run in a finalizer of a read", function()
    local world = fixture(50)
    local query = world:query "body"
    query:write("body.x", 5)
    local others = 0
    for _ = 1, rounds(200, 50) do
      getmetatable(newproxy(true)).__gc = function()
        others = others + #query:read "body.v"
        query:write("body.v", { others, 2, 3 })
      end
      local values = query:read "body.x"
      for i = 1, 50 do assert.equal(5, values[i]) end
    end
    collect()
  end)

  it("sets transforms with one propagation at the end", function()
    local world = fixture(1)
    local root = world:create { transform = {} }
    local child = world:create { transform = { position = { 1, 0, 0 }, parent = root } }
    local query, tf = world:query "transform", world.transform
    assert.equal(2, query:write("transform.local_position", { 1, 2, 3, 10, 0, 0 }))
    assert.same({ 11, 2, 3 }, { tf:world_position(child) })
    assert.equal(2, query:write("transform.local_angle", { 0, math.pi / 2 }))
    assert.is_true(math.abs(tf:world_angle(child) - math.pi / 2) < 1e-6)
    tf:set_mode "deferred"
    query:write("transform.local_position", { 0, 0, 0 })
    assert.same({ 11, 2, 3 }, { tf:world_position(child) })
    tf:propagate()
    assert.same({ 0, 0, 0 }, { tf:world_position(child) })
  end)
end)

describe("query:create", function()
  it("adds a component to each match, all or nothing", function()
    local world, list = fixture(4)
    local query = world:query("body", "!frozen")
    local all = world:query "body"
    world.frozen:create(list[2])
    raises("already has a frozen", all.create, all, "frozen")
    assert.equal(1, world.frozen:count())
    assert.equal(3, query:create "frozen")
    assert.equal(0, query:create(world.frozen))
    assert.equal(4, world.frozen:count())
    assert.equal(4, all:create("part", { n = { 1, 2, 3, 4 } }))
    assert.equal(3, world.part:n(list[3]))
    assert.equal(4, all:create("part", { n = 5 }))
    assert.equal(8, world.part:count())
    raises("already has a body", all.create, all, "body")
    raises("unknown component 'bdy'", all.create, all, "bdy")
    raises("unknown field 'm'", all.create, all, "part", { m = 5 })
    valid(world)
  end)

  it("runs hooks, whose error undoes it", function()
    local world, list = fixture(3)
    local query, seen = world:query "body", {}
    local token = world.frozen:on_add(function(e, _, reason)
      seen[#seen + 1] = reason
      if e == list[2] then error "not this one" end
    end)
    raises("not this one", query.create, query, "frozen")
    assert.same({ "create", "create" }, seen)
    assert.equal(0, world:query("frozen"):count())
    world.frozen:off_add(token)
    world.frozen:on_add(function(e)
      if e == list[1] then world.entities:destroy(list[3]) end
    end)
    assert.equal(3, query:create "frozen")
    assert.equal(2, query:count())
    valid(world)
  end)
end)

describe("query:remove and query:destroy", function()
  it("remove all components of a manager, or the entities", function()
    local world, list, entities = fixture(4)
    local query, removed = world:query("body", "life"), {}
    world.part:create(list[1])
    world.part:create(list[1])
    assert.equal(2, query:remove "part")
    world.life:on_remove(function(e, _, reason) removed[#removed + 1] = { e, reason } end)
    assert.equal(4, query:remove(world.life))
    assert.equal(4, #removed)
    assert.same({ list[1], "remove" }, removed[1])
    assert.equal(0, query:count())
    assert.equal(0, query:remove "life")
    world.body:on_remove(function(_, _, reason)
      assert.equal("destroy", reason)
      if entities:alive(list[4]) then entities:destroy(list[4]) end
    end)
    assert.equal(3, world:query("body"):destroy())
    assert.equal(0, entities:count())
    valid(world)
  end)

  it("raise the first error of a hook at the end, with the work done", function()
    local world, _, entities = fixture(3)
    world.body:on_remove(function() error "late" end)
    local query = world:query "body"
    raises("late", query.remove, query, "body")
    assert.equal(0, query:count())
    query = world:query "life"
    query:create "body"
    raises("late", query.destroy, query)
    assert.equal(0, entities:count())
  end)
end)

describe("A loop over a query", function()
  it("may use the same query inside", function()
    local world = fixture(4)
    local query, pairs_ = world:query("body", "life"), 0
    for _ in query:each() do
      for _ in query:items() do
        for _ in query:rows() do pairs_ = pairs_ + 1 end
        assert.equal(4, query:count())
      end
    end
    assert.equal(64, pairs_)
  end)

  it("skips entities that stop matching, and does not visit new rows", function()
    local world, list, entities = fixture(6)
    local query, seen = world:query("body", "!frozen"), {}
    for e in query:each() do
      seen[#seen + 1] = e
      if e == list[1] then
        entities:destroy(list[2])
        world.frozen:create(list[3])
        world:create { body = {} }
      end
      if e == list[4] then world.body:destroy(e) end
    end
    assert.same(set_of { list[1], list[4], list[5], list[6] }, set_of(seen))
    assert.equal(4, #seen)
  end)

  it("ends with an error when rows moved", function()
    local world, list, entities = fixture(6)
    for _, kind in ipairs { "each", "rows", "items" } do
      local query = world:query "body"
      raises("body: rows moved during the loop", function()
        for _ in query[kind](query) do world.body:destroy(list[6]) world.body:create(list[6]) end
      end)
      raises("body: rows moved during the loop", function()
        for _ in query[kind](query) do
          local e = entities:create()
          world.body:create(e)
          entities:destroy(e)
          world:gc()
          entities:restore(entities:snapshot())
        end
      end)
      raises("body was defined again", function()
        for _ in query[kind](query) do world:define("body", {}, { migrate = true }) end
      end)
      world, list, entities = fixture(6)
    end
  end)

  it("allocates nothing when it begins again, also nested and after break", function()
    local world = fixture(8)
    local query = world:query("body", "life")
    local function first()
      for item in query:items() do return item.row end -- luacheck: ignore
    end
    local function frame()
      for item in query:items() do
        for other in query:items() do
          if other.row > item.row then break end
        end
        first()
      end
      for _ in query:each() do break end -- luacheck: ignore
    end
    assert.equal(0, kinds.interpreted_garbage(frame, 100))
  end)

  it("survives a replaced environment of its query", function()
    if not debug.setfenv then return pending "this Lua has no environments of userdata" end
    for _, kind in ipairs { "each", "rows", "items" } do
      local world = fixture(3)
      local query = world:query("body", "life")
      local iterator = query[kind](query)
      iterator()
      debug.setfenv(query, {})
      collect()
      iterator()
      if not jit then raises("the environment of an object was replaced", query[kind], query) end
      pcall(query[kind], query)
    end
  end)

  it("goes on in a coroutine while others begin and end", function()
    local world, list = fixture(5)
    local query, found = world:query "body", {}
    local step = coroutine.wrap(function()
      for item in query:items() do coroutine.yield(item.entity) end
    end)
    for i = 1, 5 do
      found[i] = step()
      for _ = 1, 40 do
        for _ in query:items() do break end -- luacheck: ignore
      end
    end
    assert.same(list, found)
  end)
end)

describe("An item", function()
  it("reads and writes the fields of the component", function()
    local world, list = fixture(3)
    local body = world.body
    for item, life in world:query("body", "life"):items() do
      assert.equal(life.row, item.row)
      assert.equal(life.entity, item.entity)
      item.x = item.x + 2
      item.v.x, item.v.y = item.v.y, 7
      item.text = item.text .. "b"
      item.state = "run"
      item.target = item.entity
      item.on = not item.on
      item.loot = { item.row }
      item.tiny = -5
      life.hp = life.hp - 1
      assert.same({ 2, 7, 3 }, { item.v:get() })
    end
    local e = list[2]
    assert.same({ 2, "ab", "run", e, true, -5, 99 }, { body:x(e), body:text(e), body:state(e), body:target(e),
      body:on(e), body:tiny(e), world.life:hp(e) })
    assert.same({ 2, 7, 3 }, { body:v(e) })
    assert.equal(1, body:loot(e)[1])
    for item in world:query("body"):items() do
      item.v:set(7, 8, 9)
      item.target = nil
      item.loot = nil
    end
    assert.same({ 7, 8, 9 }, { body:v(e) })
    assert.is_nil(body:target(e))
    assert.is_nil(body:loot(e))
  end)

  it("is nil for an absent optional component and counts as a set for transforms", function()
    local world = fixture(1)
    local root = world:create { transform = {} }
    local child = world:create { transform = { position = { 1, 0, 0 }, parent = root } }
    for transform, body in world:query("transform", "?body"):items() do
      assert.is_nil(body)
      transform.local_position.x = 5
      transform.local_position:set(5, 6, 7)
    end
    assert.same({ 10, 12, 14 }, { world.transform:world_position(child) })
    world.actor:on_spawn(function() return { "a body" } end)
    world:create { actor = {} }
    for actor in world:query("actor"):items() do
      assert.equal("a body", actor.body[1])
      actor.body = { "another" }
    end
    assert.equal("another", world.actor:body(world:query("actor"):first())[1])
  end)

  it("refuses wrong names and values", function()
    local world = fixture(1)
    for item in world:query("body"):items() do
      local function write(name, value) return function() item[name] = value end end
      raises("body.tiny: expected an integer in [-128, 127], got 200", write("tiny", 200))
      raises("body.x: expected a number, got string", write("x", "5"))
      raises("body.state: unknown label 'rum' (did you mean 'run'?)", write("state", "rum"))
      raises("body: unknown field 'y' (did you mean 'x'?)", write("y", 1))
      raises("body: name of a field expected, got number", write(1, 1))
      raises("body.entity cannot be written", write("entity", 1))
      raises("body.row cannot be written", write("row", 1))
      raises("body: unknown field 'z'", function() return item.z end)
      raises("body.v has no 'q'", function() return item.v.q end)
      raises("body.v: number expected, got string", function() item.v.x = "1" end)
      raises("number expected, got no value", function() item.v:set(1, 2) end)
      assert.equal("body item", tostring(item))
    end
  end)

  it("raises outside of its loop, for a dead entity, and after its row was removed or moved", function()
    local world, _, entities = fixture(3)
    local query, kept, vectors = world:query("body", "life"), nil, {} -- luacheck: ignore
    for item in query:items() do kept, vectors[1] = item, item.v end
    raises("body: the item is used outside of its loop", function() return kept.x end)
    raises("body: the item is used outside of its loop", function() return kept.entity end)
    raises("body: the item is used outside of its loop", function() vectors[1].x = 1 end) -- luacheck: ignore
    for item, life in query:items() do -- luacheck: ignore
      world.life:destroy(item.entity)
      raises("life: the row of the item was removed or moved", function() return life.hp end)
      item.x = 4
      entities:destroy(item.entity)
      raises("is dead", function() return item.x end)
      raises("is dead", function() item.x = 1 end)
      break
    end
    for item in query:items() do -- luacheck: ignore
      world:destroy()
      raises("world is destroyed", function() return item.x end)
      break
    end
  end)

  it("keeps working when other rows are added and removed", function()
    local world, list = fixture(5)
    for item in world:query("body"):items() do
      if item.entity == list[1] then
        world:create { body = {}, life = {} }
        world.life:destroy(list[3])
        item.x = 9
        world.entities:destroy(list[2])
        assert.equal(9, item.x)
      end
    end
    valid(world)
  end)
end)

describe("m:add_many", function()
  it("adds to a field, in list order, all or nothing", function()
    local world, list = fixture(3)
    local body = world.body
    assert.equal(3, body:add_many({ list[1], list[2], list[1] }, "x", { 1, 2, 4 }))
    assert.same({ 5, 2 }, { body:x(list[1]), body:x(list[2]) })
    assert.equal(3, body:add_many(cuttle.list(list), "v", { 1, 0, -1 }))
    assert.same({ 2, 2, 2 }, { body:v(list[3]) })
    assert.equal(2, body:add_many({ list[1], list[1] }, "tiny", { 100, 27 }))
    raises("[2]: body.tiny cannot hold the sum", body.add_many, body, { list[2], list[1] }, "tiny", { 5, 1 })
    assert.same({ 127, 0 }, { body:tiny(list[1]), body:tiny(list[2]) })
    raises("body.tiny cannot hold the sum", body.add_many, body, { list[1] }, "tiny", 0.5)
    assert.equal(0, body:add_many({}, "x", 5))
    world.entities:destroy(list[2])
    raises("[2]: entity(1:0) is dead", body.add_many, body, { list[1], list[2] }, "x", 1)
    raises("body.text is not a writable field of numbers", body.add_many, body, list, "text", 1)
    raises("body.on is not a writable field of numbers", body.add_many, body, list, "on", 1)
    raises("body.state is not a writable field of numbers", body.add_many, body, list, "state", 1)
    raises("expected a number, got string", body.add_many, body, { list[1] }, "x", "a")
    assert.equal(5, body:x(list[1]))
  end)

  it("moves transforms with one propagation at the end", function()
    local world = fixture(1)
    local root = world:create { transform = { position = { 1, 1, 1 } } }
    local child = world:create { transform = { position = { 1, 0, 0 }, parent = root } }
    local tf = world.transform
    assert.equal(3, tf:add_many({ root, child, root }, "local_position", { 1, 2, 3 }))
    assert.same({ 5, 7, 10 }, { tf:world_position(child) })
    raises("transform.world_matrix is not a writable field of numbers", tf.add_many, tf, { root }, "world_matrix", 1)
  end)

  it("takes numbers back when memory runs out", function()
    if not core.testing then return pending "only test builds make allocations fail" end
    local world, list = fixture(3)
    for n = 0, 3 do
      core.testing.fail_in(n)
      local ok, message = pcall(world.body.add_many, world.body, list, "x", 1)
      local failed = core.testing.fail_in(-1)
      assert.equal(failed == 0, ok)
      if not ok then assert.is_truthy(message:find("not enough memory", 1, true)) end
      if ok then break end
      assert.equal(0, world.body:x(list[1]))
    end
  end)
end)
