-- The EntityManager: create, destroy, alive, reuse of indices, destroy callbacks.

-- tags: machine

local cuttle = require "cuttle"
local collect = require "spec.support.collect"
local light_userdata = require "spec.support.light_userdata"
local raises = require "spec.support.raises"

local function manager(options)
  return cuttle.entity_manager(options)
end

-- Returns a manager that reuses an index as soon as it is free.
local function eager()
  return manager { minimum_free_indices = 0 }
end

local function names(list)
  local out = {}
  for i, e in ipairs(list) do out[i] = cuttle.entity_tostring(e) end
  return table.concat(out, " ")
end

local function living(entities)
  local out = {}
  for e in entities:each() do out[#out + 1] = e end
  return out
end

local function valid(entities)
  assert.is_true(assert(entities:validate()))
end

describe("an entity manager", function()
  it("has no living entities when it is made", function()
    local entities = manager()
    assert.equal(0, entities:count())
    assert.same({}, living(entities))
    valid(entities)
  end)

  it("takes options in a table", function()
    assert.equal(0, manager({ minimum_free_indices = 4194303, trace = true }):count())
    assert.equal(0, manager({}):count())
  end)

  for _, bad in ipairs { -1, 4194304, 1.5, 0 / 0, math.huge } do
    it("refuses a minimum_free_indices of " .. bad, function()
      raises("minimum_free_indices: integer in [0, 4194303] expected", manager, { minimum_free_indices = bad })
    end)
  end

  it("refuses a minimum_free_indices that is not a number", function()
    raises("minimum_free_indices: integer in [0, 4194303] expected", manager, { minimum_free_indices = "10" })
  end)

  it("refuses a trace that is not a boolean", function()
    raises("trace: boolean expected", manager, { trace = 1 })
  end)

  it("refuses an unknown option, and suggests a similar one", function()
    raises("unknown option 'colour'", function() manager { colour = 3 } end)
    raises("(did you mean 'trace'?)", function() manager { trase = true } end)
  end)

  it("refuses options that are not a table", function()
    raises("table expected, got number", manager, 1024)
  end)

  it("has a text with its class and its count", function()
    local entities = manager()
    entities:create(3)
    assert.equal("EntityManager (3 alive)", tostring(entities))
  end)

  it("hides its metatable", function()
    assert.equal("string", type(getmetatable(manager())))
  end)
end)

describe("create", function()
  it("returns a living entity", function()
    local entities = manager()
    local e = entities:create()
    assert.is_true(cuttle.is_entity(e))
    assert.is_true(entities:alive(e))
    assert.equal(1, entities:count())
  end)

  it("begins with index 0 and generation 0, and ascends", function()
    local entities = manager()
    assert.equal(0, cuttle.entity_id(entities:create()))
    assert.equal(1, cuttle.entity_id(entities:create()))
    assert.equal(2, cuttle.entity_id(entities:create()))
  end)

  it("returns a table of n entities", function()
    local entities = manager()
    local list = entities:create(5)
    assert.equal("entity(0:0) entity(1:0) entity(2:0) entity(3:0) entity(4:0)", names(list))
    assert.equal(5, #list)
    assert.equal(5, entities:count())
    valid(entities)
  end)

  it("returns an empty table for n = 0", function()
    assert.same({}, manager():create(0))
  end)

  it("returns a table of 1 entity for n = 1", function()
    assert.equal("entity(0:0)", names(manager():create(1)))
  end)

  it("fills a given table from index 1, and keeps later entries", function()
    local entities = manager()
    local out = { "a", "b", "c", "d", x = "kept" }
    assert.equal(out, entities:create(2, out))
    assert.same({ cuttle.entity_from_id(0), cuttle.entity_from_id(1), "c", "d", x = "kept" }, out)
  end)

  it("writes into the table itself, without metamethods", function()
    local out = setmetatable({}, { __newindex = function() error "touched" end })
    assert.equal("entity(0:0) entity(1:0)", names(manager():create(2, out)))
  end)

  for _, bad in ipairs { -1, 0.5, 4194305, 2^53, 0 / 0, math.huge, -math.huge } do
    it(("refuses the number %s, and creates nothing"):format(bad), function()
      local entities = manager()
      raises("integer in [0, 4194304] expected, got", entities.create, entities, bad)
      assert.equal(0, entities:count())
    end)
  end

  it("refuses an argument that is not a number", function()
    local entities = manager()
    raises("number expected, got string", entities.create, entities, "3")
    raises("number expected, got nil", entities.create, entities, nil)
  end)

  it("refuses an out argument that is not a table, and creates nothing", function()
    local entities = manager()
    raises("table expected, got string", entities.create, entities, 3, "out")
    raises("table expected, got userdata", entities.create, entities, 3, cuttle.list())
    assert.equal(0, entities:count())
  end)
end)

describe("create_list", function()
  it("returns a cuttle.list of n entities", function()
    local entities = manager()
    local list = entities:create_list(3)
    assert.equal(3, list:count())
    assert.equal("entity(0:0) entity(1:0) entity(2:0)", names(list:totable()))
    assert.equal(3, entities:count())
  end)

  it("returns an empty list for n = 0", function()
    assert.equal(0, manager():create_list(0):count())
  end)

  it("refuses a wrong number", function()
    local entities = manager()
    raises("integer in [0, 4194304] expected", entities.create_list, entities, -1)
    raises("number expected, got no value", entities.create_list, entities)
  end)
end)

describe("destroy", function()
  it("kills an entity and returns true", function()
    local entities = manager()
    local e = entities:create()
    assert.is_true(entities:destroy(e))
    assert.is_false(entities:alive(e))
    assert.equal(0, entities:count())
    valid(entities)
  end)

  it("returns false for a dead entity, and changes nothing", function()
    local entities = eager()
    local e = entities:create()
    entities:destroy(e)
    assert.is_false(entities:destroy(e))
    assert.is_false(entities:destroy(e))
    assert.equal("entity(0:1) entity(1:0)", names(entities:create(2)))
    valid(entities)
  end)

  it("returns false for an id that was never issued", function()
    local entities = manager()
    assert.is_false(entities:destroy(cuttle.entity_from_id(12345)))
    assert.is_false(entities:destroy(cuttle.entity_from_id(2^30 - 1)))
    valid(entities)
  end)

  it("does not kill the entity that has the same index now", function()
    local entities = eager()
    local old = entities:create()
    entities:destroy(old)
    local new = entities:create()
    assert.equal(cuttle.entity_index(old), cuttle.entity_index(new))
    assert.is_false(entities:destroy(old))
    assert.is_true(entities:alive(new))
  end)

  it("takes a table, and returns the number of entities that it killed", function()
    local entities = manager()
    local list = entities:create(5)
    entities:destroy(list[2])
    assert.equal(4, entities:destroy(list))
    assert.equal(0, entities:destroy(list))
    assert.equal(0, entities:count())
    valid(entities)
  end)

  it("takes a cuttle.list", function()
    local entities = manager()
    local list = entities:create_list(5)
    assert.equal(5, entities:destroy(list))
    assert.equal(5, list:count())
    assert.equal(0, entities:count())
  end)

  it("kills an entity once that occurs twice in a list", function()
    local entities = manager()
    local a, b = entities:create(), entities:create()
    assert.equal(2, entities:destroy { a, b, a, a, b })
    valid(entities)
  end)

  it("accepts an empty list", function()
    local entities = manager()
    assert.equal(0, entities:destroy {})
    assert.equal(0, entities:destroy(cuttle.list()))
  end)

  it("names the place of a value that is not an entity, and kills nothing", function()
    local entities = manager()
    local list = entities:create(3)
    list[3] = "car"
    raises("[3]: entity expected, got string", entities.destroy, entities, list)
    assert.equal(3, entities:count())
  end)

  it("names other values that it refuses", function()
    local entities = manager()
    raises("entity expected, got nil", entities.destroy, entities, nil)
    raises("entity expected, got no value", entities.destroy, entities)
    raises("entity expected, got number", entities.destroy, entities, 5)
    raises("entity expected, got userdata", entities.destroy, entities, io.stdout)
  end)

  it("refuses a light userdata that is not an entity", function()
    local null = light_userdata.null()
    if null == nil then return pending "no light userdata at hand" end
    local entities = manager()
    raises("entity expected, got light userdata with tag 0", entities.destroy, entities, null)
  end)

  it("cannot detect an entity of another manager", function()
    local one, other = manager(), manager()
    local e = one:create()
    assert.is_false(other:alive(e))
    assert.equal(e, other:create())
    assert.is_true(other:destroy(e))
    assert.is_true(one:alive(e))
  end)
end)

describe("alive", function()
  it("is false for any id that was never issued", function()
    local entities = manager()
    entities:create(3)
    assert.is_false(entities:alive(cuttle.entity_from_id(3)))
    assert.is_false(entities:alive(cuttle.entity_from_id(4194303)))
    assert.is_false(entities:alive(cuttle.entity_from_id(2^30 - 1)))
    assert.is_false(entities:alive(cuttle.entity_from_id(2^22)))
  end)

  it("is false for the next generation of a free index", function()
    local entities = manager()
    entities:destroy(entities:create())
    for generation = 0, 255 do
      assert.is_false(entities:alive(cuttle.entity_from_id(2^22 * generation)))
    end
  end)

  it("is false in an empty manager", function()
    assert.is_false(manager():alive(cuttle.entity_from_id(0)))
  end)

  it("refuses a value that is not an entity", function()
    local entities = manager()
    raises("entity expected, got number", entities.alive, entities, 0)
    raises("entity expected, got nil", entities.alive, entities, nil)
  end)
end)

describe("alive_id", function()
  it("returns for an id what alive returns for the entity", function()
    local entities = eager()
    local list = entities:create(20)
    for i = 1, 20, 3 do entities:destroy(list[i]) end
    for i = 1, 20 do
      assert.equal(entities:alive(list[i]), entities:alive_id(cuttle.entity_id(list[i])))
    end
  end)

  it("is false for NOBODY", function()
    local entities = manager()
    entities:create(3)
    assert.is_false(entities:alive_id(cuttle.NOBODY))
  end)

  it("is false for ids that were never issued", function()
    local entities = manager()
    entities:create(3)
    assert.is_false(entities:alive_id(3))
    assert.is_false(entities:alive_id(2^22))
    assert.is_false(entities:alive_id(2^30 - 1))
  end)

  it("is false for every number above 30 bits, for free and for used indices", function()
    local entities = eager()
    local dead, alive = entities:create(), entities:create()
    entities:destroy(dead)
    for _, e in ipairs { dead, alive } do
      for high = 256, 1023 do
        assert.is_false(entities:alive_id(cuttle.entity_index(e) + 2^22 * high))
      end
    end
  end)

  for _, bad in ipairs { -1, 0.5, 2^32, 2^53, 0 / 0, math.huge, -math.huge } do
    it("raises for " .. bad, function()
      local entities = manager()
      raises("integer in [0, 4294967295] expected, got", entities.alive_id, entities, bad)
    end)
  end

  it("raises for a value that is not a number", function()
    local entities = manager()
    raises("userdata", entities.alive_id, entities, entities:create())
    raises("number expected, got string", entities.alive_id, entities, "1")
    raises("number expected, got no value", entities.alive_id, entities)
  end)
end)

describe("each", function()
  it("visits exactly the living entities", function()
    local entities = manager()
    local list = entities:create(6)
    entities:destroy { list[1], list[4] }
    assert.equal("entity(1:0) entity(2:0) entity(4:0) entity(5:0)", names(living(entities)))
  end)

  it("allows destroying the current entity", function()
    local entities = manager()
    entities:create(10)
    local seen = 0
    for e in entities:each() do
      seen = seen + 1
      entities:destroy(e)
    end
    assert.equal(10, seen)
    assert.equal(0, entities:count())
  end)

  it("skips entities that died during the loop", function()
    local entities = manager()
    local list = entities:create(3)
    local seen = {}
    for e in entities:each() do
      seen[#seen + 1] = e
      entities:destroy(list[2])
    end
    assert.same({ list[1], list[3] }, seen)
  end)

  it("ends if each step creates entities, and does not visit new ones", function()
    local entities = manager()
    local list, seen = entities:create(10), {}
    for e in entities:each() do
      seen[#seen + 1] = e
      entities:create(2)
    end
    assert.same(list, seen)
    assert.equal(30, entities:count())
  end)

  it("does not visit an entity that was created at the index of a dead one", function()
    local entities = eager()
    local list, seen = entities:create(6), {}
    entities:destroy(list[5])
    for e in entities:each() do
      seen[#seen + 1] = e
      if e == list[2] then
        entities:destroy(list[4])
        for _ = 1, 2 do assert.is_true(cuttle.entity_generation(entities:create()) == 1) end
      end
    end
    assert.same({ list[1], list[2], list[3], list[6] }, seen)
  end)

  it("keeps its manager alive", function()
    local iterate
    do
      local entities = manager()
      entities:create(3)
      iterate = entities:each()
    end
    collect()
    assert.equal("entity(0:0)", cuttle.entity_tostring(iterate()))
  end)
end)

describe("reuse of indices", function()
  it("waits until more than minimum_free_indices are free", function()
    local entities = manager { minimum_free_indices = 3 }
    local list = entities:create(4)
    entities:destroy { list[1], list[2], list[3] }
    assert.equal("entity(4:0)", cuttle.entity_tostring(entities:create()))
    entities:destroy(list[4])
    assert.equal("entity(0:1)", cuttle.entity_tostring(entities:create()))
    assert.equal("entity(5:0)", cuttle.entity_tostring(entities:create()))
  end)

  it("waits for 1024 free indices by default", function()
    local entities = manager()
    local list = entities:create(1025)
    for i = 1, 1024 do entities:destroy(list[i]) end
    assert.equal("entity(1025:0)", cuttle.entity_tostring(entities:create()))
    entities:destroy(list[1025])
    assert.equal("entity(0:1)", cuttle.entity_tostring(entities:create()))
    assert.equal("entity(1026:0)", cuttle.entity_tostring(entities:create()))
  end)

  it("takes the oldest index first", function()
    local entities = eager()
    local list = entities:create(4)
    for _, i in ipairs { 3, 1, 4, 2 } do entities:destroy(list[i]) end
    local order = {}
    for i = 1, 5 do order[i] = entities:create() end
    assert.equal("entity(2:1) entity(0:1) entity(3:1) entity(1:1) entity(4:0)", names(order))
  end)

  it("takes the surplus, oldest first, then fresh indices ascending, in bulk", function()
    local entities = manager { minimum_free_indices = 2 }
    local list = entities:create(6)
    entities:destroy { list[5], list[1], list[3], list[2] }
    assert.equal("entity(4:1) entity(0:1) entity(6:0) entity(7:0)", names(entities:create(4)))
    valid(entities)
  end)

  it("follows list order after a list was destroyed", function()
    local entities = eager()
    local list = entities:create_list(4)
    local shuffled = cuttle.list { list:get(4), list:get(2), list:get(3), list:get(1) }
    entities:destroy(shuffled)
    assert.equal("entity(3:1) entity(1:1) entity(2:1) entity(0:1)", names(entities:create(4)))
  end)

  it("is the same for create, create(n) and create_list", function()
    local function played(create)
      local entities = manager { minimum_free_indices = 5 }
      local list = entities:create(20)
      for i = 20, 2, -2 do entities:destroy(list[i]) end
      return names(create(entities, 8))
    end
    local bulk = played(function(entities, n) return entities:create(n) end)
    assert.equal(bulk, played(function(entities, n) return entities:create_list(n):totable() end))
    assert.equal(bulk, played(function(entities, n)
      local out = {}
      for i = 1, n do out[i] = entities:create() end
      return out
    end))
  end)

  it("increments the generation, which wraps around after 256 lives", function()
    local entities = eager()
    local first = entities:create()
    local e = first
    for generation = 1, 255 do
      entities:destroy(e)
      e = entities:create()
      assert.equal(generation, cuttle.entity_generation(e))
      assert.equal(0, cuttle.entity_index(e))
    end
    entities:destroy(e)
    assert.is_false(entities:alive(first))
    assert.equal(first, entities:create())
    assert.is_true(entities:alive(first))
    valid(entities)
  end)

  it("repeats no id before 256 x minimum_free_indices lives", function()
    local entities = manager { minimum_free_indices = 3 }
    local seen, lives = {}, 0
    while true do
      local e = entities:create()
      if seen[e] then break end
      seen[e] = true
      lives = lives + 1
      entities:destroy(e)
    end
    assert.is_true(lives >= 256 * 3, lives .. " lives")
  end)
end)

describe("on_destroy", function()
  it("returns a token, and runs the callback inside destroy for each death", function()
    local entities = manager()
    local dead = {}
    local token = entities:on_destroy(function(e) dead[#dead + 1] = e end)
    assert.equal("number", type(token))
    local a, b = entities:create(), entities:create()
    entities:destroy(b)
    assert.same({ b }, dead)
    entities:destroy(a)
    assert.same({ b, a }, dead)
  end)

  it("does not run for an entity that is dead already", function()
    local entities = manager()
    local calls = 0
    entities:on_destroy(function() calls = calls + 1 end)
    local e = entities:create()
    entities:destroy(e)
    entities:destroy(e)
    entities:destroy { e, e }
    assert.equal(1, calls)
  end)

  it("passes only the entity", function()
    local entities = manager()
    local given
    entities:on_destroy(function(...) given = { n = select("#", ...), ... } end)
    local e = entities:create()
    entities:destroy(e)
    assert.same({ n = 1, e }, given)
  end)

  it("runs when the entity is no longer alive", function()
    local entities = manager()
    local inside, counted
    entities:on_destroy(function(e) inside, counted = entities:alive(e), entities:count() end)
    entities:create()
    entities:destroy(entities:create())
    assert.is_false(inside)
    assert.equal(1, counted)
  end)

  it("runs callbacks in order of registration", function()
    local entities = manager()
    local order = {}
    for i = 1, 5 do entities:on_destroy(function() order[#order + 1] = i end) end
    entities:destroy(entities:create())
    assert.same({ 1, 2, 3, 4, 5 }, order)
  end)

  it("runs for each entity of a list before the next one dies", function()
    local entities = manager()
    local list = entities:create(3)
    local alive = {}
    entities:on_destroy(function()
      local now = {}
      for i, e in ipairs(list) do now[i] = tostring(entities:alive(e)) end
      alive[#alive + 1] = table.concat(now, " ")
    end)
    assert.equal(3, entities:destroy(list))
    assert.same({ "false true true", "false false true", "false false false" }, alive)
  end)

  it("runs before the index is queued for reuse", function()
    local entities = eager()
    local inside
    entities:on_destroy(function() inside = inside or entities:create() end)
    local e = entities:create()
    entities:destroy(e)
    assert.equal("entity(1:0)", cuttle.entity_tostring(inside))
    assert.equal("entity(0:1)", cuttle.entity_tostring(entities:create()))
    valid(entities)
  end)

  it("allows a callback to create", function()
    local entities = eager()
    entities:on_destroy(function() if entities:count() < 50 then entities:create(20) end end)
    entities:destroy(entities:create(10))
    assert.equal(60, entities:count())
    valid(entities)
  end)

  it("allows a callback to destroy others, which then die once", function()
    local entities = manager()
    local list, dead = entities:create(4), {}
    entities:on_destroy(function(e)
      dead[#dead + 1] = e
      if e == list[1] then entities:destroy(list[3]) end
    end)
    assert.equal(3, entities:destroy(list))
    assert.same({ list[1], list[3], list[2], list[4] }, dead)
    valid(entities)
  end)

  it("allows a callback to destroy the same entity again, which returns false", function()
    local entities = manager()
    local result
    entities:on_destroy(function(e) result = entities:destroy(e) end)
    assert.is_true(entities:destroy(entities:create()))
    assert.is_false(result)
    valid(entities)
  end)

  it("works in a chain of nested destroys", function()
    local entities = manager()
    local list, place = entities:create(50), {}
    for i, e in ipairs(list) do place[e] = i end
    local order = {}
    entities:on_destroy(function(e)
      if list[place[e] + 1] then entities:destroy(list[place[e] + 1]) end
      order[#order + 1] = place[e]
      valid(entities)
    end)
    entities:destroy(list[1])
    assert.equal(0, entities:count())
    assert.equal(50, order[1])
    assert.equal(1, order[50])
    valid(entities)
  end)

  it("queues the indices of inner destroys first", function()
    local entities = eager()
    local a, b = entities:create(), entities:create()
    entities:on_destroy(function(e) if e == a then entities:destroy(b) end end)
    entities:destroy(a)
    assert.equal("entity(1:1) entity(0:1)", names(entities:create(2)))
  end)

  it("ends endless nested destroys with an error", function()
    local entities = manager()
    entities:on_destroy(function() entities:destroy(entities:create()) end)
    local ok, message = pcall(entities.destroy, entities, entities:create())
    assert.is_false(ok)
    assert.is_true(message:find("too many nested destroy callbacks (limit is 180)", 1, true) ~= nil
      or message:find "C stack overflow" ~= nil, message)
    valid(entities)
  end)

  it("runs a callback that was registered meanwhile from the next death on", function()
    local entities = manager()
    local late = {}
    entities:on_destroy(function()
      if not late.token then late.token = entities:on_destroy(function(e) late[#late + 1] = e end) end
    end)
    local a, b = entities:create(), entities:create()
    entities:destroy { a, b }
    assert.same({ b, token = late.token }, late)
  end)

  it("does not run a callback that another one removed before", function()
    local entities = manager()
    local ran, token = {}, nil
    entities:on_destroy(function() ran[#ran + 1] = "first"; entities:off_destroy(token) end)
    token = entities:on_destroy(function() ran[#ran + 1] = "second" end)
    entities:on_destroy(function() ran[#ran + 1] = "third" end)
    entities:destroy(entities:create())
    assert.same({ "first", "third" }, ran)
  end)

  it("allows a callback to remove itself", function()
    local entities = manager()
    local ran, token = 0, nil
    token = entities:on_destroy(function()
      ran = ran + 1
      assert.is_true(entities:off_destroy(token))
      collectgarbage()
    end)
    entities:destroy(entities:create(3))
    assert.equal(1, ran)
  end)

  it("allows a callback to register and remove many", function()
    local entities = manager()
    local tokens = {}
    entities:on_destroy(function()
      for _ = 1, 20 do tokens[#tokens + 1] = entities:on_destroy(function() end) end
      for _ = 1, 10 do entities:off_destroy(table.remove(tokens)) end
    end)
    entities:destroy(entities:create(10))
    valid(entities)
  end)

  it("raises the first error after all have run, and the entity is dead", function()
    local entities = manager()
    local ran = 0
    entities:on_destroy(function() error("first trouble", 0) end)
    entities:on_destroy(function() ran = ran + 1 end)
    entities:on_destroy(function() error("second trouble", 0) end)
    entities:on_destroy(function() ran = ran + 1 end)
    local e = entities:create()
    local ok, message = pcall(entities.destroy, entities, e)
    assert.is_false(ok)
    assert.equal("first trouble", message)
    assert.equal(2, ran)
    assert.is_false(entities:alive(e))
    valid(entities)
  end)

  it("kills the whole list before it raises", function()
    local entities = manager()
    entities:on_destroy(function(e) error("trouble with " .. cuttle.entity_tostring(e), 0) end)
    local list = entities:create(3)
    local _, message = pcall(entities.destroy, entities, list)
    assert.equal("trouble with entity(0:0)", message)
    assert.equal(0, entities:count())
  end)

  it("raises an error that is not a string unchanged", function()
    local entities = manager()
    local trouble = { "a table" }
    entities:on_destroy(function() error(trouble) end)
    local _, message = pcall(entities.destroy, entities, entities:create())
    assert.equal(trouble, message)
  end)

  it("raises an error of nil and of false", function()
    for _, trouble in ipairs { "nil", "false" } do
      local entities = manager()
      entities:on_destroy(function() error(trouble == "false" and false or nil) end)
      local e = entities:create()
      assert.is_false((pcall(entities.destroy, entities, e)), trouble)
      assert.is_false(entities:alive(e))
    end
  end)

  it("raises an error of an inner destroy in the callback that called it", function()
    local entities = manager()
    local a, b = entities:create(), entities:create()
    local inner
    entities:on_destroy(function(e)
      if e == b then error("b is sad", 0) end
      inner = select(2, pcall(entities.destroy, entities, b))
    end)
    assert.is_true(entities:destroy(a))
    assert.equal("b is sad", inner)
  end)

  it("runs on the coroutine that destroys", function()
    local entities = manager()
    local threads = {}
    entities:on_destroy(function() threads[#threads + 1] = coroutine.running() end)
    local co = coroutine.create(function() entities:destroy(entities:create(2)) end)
    assert.is_true(coroutine.resume(co))
    assert.same({ co, co }, threads)
  end)

  it("turns a yield in a callback into an error of that callback", function()
    local entities = manager()
    entities:on_destroy(function() coroutine.yield() end)
    local ran = 0
    entities:on_destroy(function() ran = ran + 1 end)
    local e = entities:create()
    local ok = coroutine.resume(coroutine.create(function() entities:destroy(e) end))
    assert.is_false(ok)
    assert.equal(1, ran)
    assert.is_false(entities:alive(e))
    valid(entities)
  end)

  it("accepts the same function twice", function()
    local entities = manager()
    local ran = 0
    local function count() ran = ran + 1 end
    local first, second = entities:on_destroy(count), entities:on_destroy(count)
    assert.are_not.equal(first, second)
    entities:destroy(entities:create())
    assert.equal(2, ran)
    entities:off_destroy(first)
    entities:destroy(entities:create())
    assert.equal(3, ran)
  end)

  it("keeps its function alive", function()
    local entities = manager()
    local ran = 0
    entities:on_destroy(function() ran = ran + 1 end)
    collect()
    entities:destroy(entities:create())
    assert.equal(1, ran)
  end)

  it("refuses a value that is not a function", function()
    local entities = manager()
    raises("function expected, got table", entities.on_destroy, entities, {})
    raises("function expected, got no value", entities.on_destroy, entities)
  end)
end)

describe("off_destroy", function()
  it("returns whether the token was registered", function()
    local entities = manager()
    local token = entities:on_destroy(function() end)
    assert.is_true(entities:off_destroy(token))
    assert.is_false(entities:off_destroy(token))
    assert.is_false(entities:off_destroy(12345))
  end)

  it("ends the calls", function()
    local entities = manager()
    local ran = 0
    local token = entities:on_destroy(function() ran = ran + 1 end)
    entities:off_destroy(token)
    entities:destroy(entities:create())
    assert.equal(0, ran)
  end)

  it("releases the function", function()
    local entities = manager()
    local weak = setmetatable({ function() return entities end }, { __mode = "v" })
    entities:off_destroy(entities:on_destroy(weak[1]))
    collect()
    assert.is_nil(weak[1])
  end)

  it("never removes a newer callback by an old token", function()
    local entities = manager()
    local token = entities:on_destroy(function() end)
    entities:off_destroy(token)
    local newer = entities:on_destroy(function() end)
    assert.are_not.equal(token, newer)
    assert.is_false(entities:off_destroy(token))
    assert.is_true(entities:off_destroy(newer))
  end)

  it("refuses a value that is not a token", function()
    local entities = manager()
    raises("number expected, got string", entities.off_destroy, entities, "1")
    raises("number expected, got no value", entities.off_destroy, entities)
    raises("integer in [1, 2147483647] expected", entities.off_destroy, entities, 1.5)
  end)
end)

describe("destroy callbacks and components", function()
  local entities, world, health
  before_each(function()
    entities = eager()
    world = cuttle.world(entities)
    health = world:define("health", { { "hp", "float", 100 }, { "name", "string" } }, { hidden = { "name" } })
  end)

  it("can read all components of a dying entity", function()
    local e = entities:create()
    local i = health:create(e, { hp = 7, name = "orc" })
    local seen = {}
    entities:on_destroy(function(dying)
      seen.lookup, seen.has = health:lookup(dying), health:has(dying)
      seen.hp, seen.name, seen.entity = health:hp(dying), health:read(i, "name"), health:entity(i)
      seen.row, seen.get = health:row(dying), health:get(dying)
    end)
    entities:destroy(e)
    assert.same({ lookup = i, has = true, hp = 7, name = "orc", entity = e, row = 0,
      get = { hp = 7, name = "orc" } }, seen)
    assert.is_false(health:has(e))
    assert.is_nil(health:lookup(e))
  end)

  it("cannot set components of a dying entity", function()
    local e = entities:create()
    local i = health:create(e)
    local messages = {}
    entities:on_destroy(function(dying)
      for k, target in ipairs { dying, i } do
        messages[k] = raises("entity(0:0) is being destroyed", health.set_hp, health, target, 1)
        raises("entity(0:0) is being destroyed", health.write, health, target, "hp", 1)
        raises("entity(0:0) is being destroyed", health.set, health, target, { hp = 1 })
      end
    end)
    entities:destroy(e)
    assert.equal(2, #messages)
  end)

  it("cannot create components for a dying entity", function()
    local other = world:define("other", {})
    local ran
    entities:on_destroy(function(dying)
      raises("entity(0:0) is being destroyed", other.create, other, dying)
      raises("entity(0:0) is being destroyed", other.create_many, other, { dying })
      raises("entity(0:0) is being destroyed", world.debug_name.set_debug_name, world.debug_name, dying, "x")
      ran = true
    end)
    entities:destroy(entities:create())
    assert.is_true(ran)
    assert.equal(0, other:count())
  end)

  it("can read components of an entity whose destroy called them", function()
    local list = entities:create(2)
    health:create_many(list, { hp = { 1, 2 } })
    local seen = {}
    entities:on_destroy(function(e)
      if e == list[1] then entities:destroy(list[2]) else
        seen = { health:hp(list[1]), health:hp(list[2]) }
      end
    end)
    entities:destroy(list[1])
    assert.same({ 1, 2 }, seen)
    assert.is_false(health:has(list[1]))
  end)

  it("can read components of a dying entity after a gc", function()
    local e = entities:create()
    health:create(e, { hp = 3 })
    local hp
    entities:on_destroy(function(dying)
      health:gc()
      health:gc "all"
      world:gc()
      hp = health:hp(dying)
    end)
    entities:destroy(e)
    assert.equal(3, hp)
    assert.equal(1, health:gc())
  end)

  it("may destroy components of a dying entity", function()
    local e = entities:create()
    health:create(e)
    entities:on_destroy(function(dying) health:destroy(dying) end)
    entities:destroy(e)
    assert.equal(0, health:count())
    assert.is_true(assert(world:validate()))
  end)
end)

describe("a death that was overwritten in the log of a smaller entity manager", function()
  local entities, world, health, child, parent

  -- The parent dies, its index is reused, and many later deaths overwrite it in the log. Then the log grows.
  before_each(function()
    entities = cuttle.entity_manager { minimum_free_indices = 0 }
    world = cuttle.world(entities)
    health = world:define("health", { { "hp", "float" } })
    local few = entities:create(4)
    child, parent = few[2], few[4]
    health:create(parent)
    for _, e in ipairs(few) do world.transform:create(e, { position = { 1, 0, 0 } }) end
    world.transform:link(child, parent)
    entities:destroy(parent)
    entities:create()
    for _ = 1, 200 do entities:destroy(entities:create()) end
    health:create_many(entities:create(3000))
    world.transform:create_many(entities:create(3000))
  end)

  it("is found by gc", function()
    assert.equal(1, health:gc())
    assert.equal(3000, health:count())
  end)

  it("is found by gc with a limit", function()
    for _ = 1, 400 do health:gc(1) end
    assert.equal(3000, health:count())
  end)

  it("is found by gc after a restore", function()
    entities:restore(entities:snapshot())
    assert.equal(1, health:gc())
  end)

  it("makes the children roots", function()
    assert.equal(0, world.transform:depth(child))
    assert.equal(2, (world.transform:world_position(child)))
    assert.equal(2, (world.transform:local_position(child)))
    assert.is_true(world:validate())
  end)
end)

describe("trace", function()
  it("adds to errors where an entity was destroyed", function()
    local entities = manager { trace = true }
    local world = cuttle.world(entities)
    local health = world:define("health", { { "hp", "float" } })
    local e = entities:create()
    entities:destroy(e)
    raises("entity(0:0) is dead, destroyed at spec/entity/entity_manager_spec.lua:", health.create, health, e)
  end)

  it("adds where a world was cleared or destroyed", function()
    local entities = manager { trace = true }
    local other = cuttle.world(entities)
    for _, verb in ipairs { "clear", "destroy" } do
      local world = cuttle.world(entities)
      local e = world:create { transform = {} }
      world[verb](world, { entities = true })
      raises("is dead, destroyed at spec/entity/entity_manager_spec.lua:", other.transform.create, other.transform, e)
    end
  end)

  it("is off by default", function()
    local entities = manager()
    local health = cuttle.world(entities):define("health", { { "hp", "float" } })
    local e = entities:create()
    entities:destroy(e)
    local message = raises("entity(0:0) is dead", health.create, health, e)
    assert.is_nil(message:find("destroyed", 1, true))
  end)

  it("records the places of destroyed lists", function()
    local entities = manager { trace = true }
    local health = cuttle.world(entities):define("health", { { "hp", "float" } })
    local list = entities:create_list(3)
    entities:destroy(list)
    raises("entity(2:0) is dead, destroyed at spec/entity", health.create, health, list:get(3))
  end)

  it("works in a coroutine, and callbacks still run", function()
    local entities = manager { trace = true }
    local health = cuttle.world(entities):define("health", { { "hp", "float" } })
    local dead
    entities:on_destroy(function(e) dead = e end)
    local e = entities:create()
    coroutine.wrap(function() entities:destroy(e) end)()
    assert.equal(e, dead)
    raises("destroyed at spec/entity", health.create, health, e)
  end)
end)

describe("forged ids", function()
  it("do no harm in any call that takes an entity", function()
    local entities = eager()
    local list = entities:create(10)
    entities:destroy { list[2], list[5] }
    local random = 12345
    for _ = 1, 2000 do
      random = (random * 69069 + 1) % 2^31
      local forged = cuttle.entity_from_id(random % 2^30)
      if not entities:alive(forged) then assert.is_false(entities:destroy(forged)) end
    end
    assert.equal(8, entities:count())
    valid(entities)
  end)
end)

describe("the methods of an entity manager", function()
  it("refuse a self that is not an EntityManager", function()
    local entities = manager()
    raises("EntityManager expected, got no value", entities.count)
    raises("EntityManager expected, got table", entities.count, {})
    raises("a method is called with ':'", entities.alive, entities:create())
  end)

  it("work on every entity manager", function()
    local entities, other = manager(), manager()
    entities.create(other, 3)
    assert.equal(0, entities:count())
    assert.equal(3, entities.count(other))
    assert.is_true(rawequal(entities.count, other.count))
  end)
end)

describe("the memory of an entity manager", function()
  it("grows with its entities, and is given in bytes", function()
    local entities = manager()
    local before = entities:memory()
    entities:create(10000)
    assert.is_true(entities:memory() > before + 10000)
  end)
end)
