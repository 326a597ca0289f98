-- Actors and their bodies. A body can end in many ways, and on_destroy runs exactly once for each.

local cuttle = require "cuttle"
local collect = require "spec.support.collect"
local compile = require "spec.support.compile"
local core = require "cuttle.core"
local raises = require "spec.support.raises"
local rounds = require "spec.support.rounds"
local seed = require "spec.support.seed"
local valid = require "spec.support.valid"

-- A world that reuses indices at once, its actors, and the bodies for which on_destroy ran, in order.
local function scene()
  local entities = cuttle.entity_manager { minimum_free_indices = 0 }
  local world = cuttle.world(entities)
  local freed = {}
  world.actor:on_destroy(function(_, body) freed[#freed + 1] = body end)
  return world.actor, entities, world, freed
end

-- Makes on_spawn give every actor a body of its own, which refers to its entity. Returns the list of bodies.
local function make_bodies(actors)
  local made = {}
  actors:on_spawn(function(e, values)
    local body = { entity = e, shape = values.shape }
    made[#made + 1] = body
    return body
  end)
  return made
end

local function level_of(world, n)
  local entities = {}
  for i = 1, n do
    entities[i] = {
      name = "e" .. i, components = { transform = { position = { i, 0, 0 } }, actor = { shape = "s" .. i } } }
  end
  return compile(world, entities)
end

-- Checks that on_destroy ran once for each body of `made`, in any order, and for no others.
local function all_freed(made, freed)
  local times = {}
  for _, body in ipairs(freed) do times[body] = (times[body] or 0) + 1 end
  for _, body in ipairs(made) do
    assert.equal(1, times[body])
    times[body] = nil
  end
  assert.is_nil(next(times))
end

describe("an actor", function()
  it("has no shape, mass or body by default", function()
    local actors, entities = scene()
    local e = entities:create()
    actors:create(e)
    assert.are.same({ shape = "", mass = 0 }, actors:get(e))
    assert.is_nil(actors:body(e))
  end)

  it("has the values that it is created with", function()
    local actors, entities, world = scene()
    local e, body = entities:create(), {}
    local instance = actors:create(e, { shape = "box", mass = 3, body = body })
    assert.equal("box", actors:shape(e))
    assert.equal(3, actors:mass(instance))
    assert.equal(body, actors:body(instance))
    valid(world)
  end)

  it("exists once per entity", function()
    local actors, entities, _, freed = scene()
    local e = entities:create()
    actors:create(e, { body = "kept" })
    raises("entity(0:0) already has a actor", actors.create, actors, e, { body = "new" })
    assert.equal("kept", actors:body(e))
    assert.are.same({}, freed)
  end)

  it("is not created with a dead entity or an unknown field", function()
    local actors, entities, _, freed = scene()
    local e = entities:create()
    raises("unknown field 'shap' (did you mean 'shape'?)", actors.create, actors, e, { shap = "", body = 1 })
    raises("mass: expected a number", actors.create, actors, e, { mass = "heavy", body = 1 })
    entities:destroy(e)
    raises("entity(0:0) is dead", actors.create, actors, e, { body = 1 })
    raises("[2]: entity(0:0) is dead", actors.create_many, actors, { entities:create(), e }, { body = 1 })
    assert.equal(0, actors:count())
    assert.are.same({}, freed)
  end)

  it("lists its fields without the body", function()
    local actors = scene()
    assert.are.same({ { "shape", "string" }, { "mass", "float" } }, actors:fields())
    raises("unknown field 'body'", actors.column, actors, "body")
  end)

  it("is changed field by field, and several fields at once", function()
    local actors, entities, world = scene()
    local e = entities:create()
    actors:create(e)
    actors:set_shape(e, "box")
    actors:write(e, "mass", 2)
    assert.equal("box", actors:read(e, "shape"))
    actors:set(e, { shape = "ball", body = "b" })
    assert.are.same({ shape = "ball", mass = 2, body = "b" }, actors:get(e))
    raises("unknown field 'bodi'", actors.set, actors, e, { bodi = 1 })
    valid(world)
  end)
end)

describe("a body", function()
  it("may be any Lua value", function()
    local actors, entities = scene()
    local thread = coroutine.create(function() end)
    for _, value in ipairs { "text", 1, true, {}, print, io.stdout, thread, entities:create() } do
      local e = entities:create()
      actors:create(e, { body = value })
      assert.equal(value, actors:body(e))
    end
    local e = entities:create()
    actors:create(e, { body = false })
    assert.equal(false, actors:body(e))
  end)

  it("is kept alive as long as its component lives", function()
    local actors, entities = scene()
    local weak = setmetatable({}, { __mode = "v" })
    local e = entities:create()
    actors:on_destroy(nil)
    weak[1] = {}
    actors:create(e, { body = weak[1] })
    collect()
    assert.is_table(weak[1])
    actors:destroy(e)
    collect()
    assert.is_nil(weak[1])
  end)

  it("stays with its actor when rows move", function()
    local actors, entities, world = scene()
    local list = entities:create(10)
    for i, e in ipairs(list) do actors:create(e, { body = i }) end
    for i = 1, 10, 3 do actors:destroy(list[i]) end
    for i, e in ipairs(list) do
      if i % 3 ~= 1 then assert.equal(i, actors:body(e)) end
    end
    valid(world)
  end)

  it("is read and written like a field", function()
    local actors, entities, _, freed = scene()
    local e = entities:create()
    actors:create(e)
    actors:write(e, "body", "first")
    assert.equal("first", actors:read(e, "body"))
    actors:write(e, "body", "second")
    assert.are.same({ "first" }, freed)
    raises("value expected", actors.write, actors, e, "body")
    raises("value expected", actors.set_body, actors, e)
  end)

  it("that is replaced is passed to on_destroy before the new one is set", function()
    local actors, entities, world = scene()
    local e, seen = entities:create(), nil
    actors:create(e, { body = "old" })
    actors:on_destroy(function(owner, body) seen = { owner, body, actors:body(owner) } end)
    actors:set_body(e, "new")
    assert.are.same({ e, "old" }, seen)
    assert.equal("new", actors:body(e))
    valid(world)
  end)

  it("is removed by nil, and on_destroy runs only if there was a body", function()
    local actors, entities, world, freed = scene()
    local e = entities:create()
    actors:create(e, { body = "b" })
    actors:set_body(e, nil)
    assert.is_nil(actors:body(e))
    actors:set_body(e, nil)
    entities:destroy(e)
    assert.are.same({ "b" }, freed)
    valid(world)
  end)

  it("is not replaced by itself", function()
    local actors, entities, _, freed = scene()
    local e, body = entities:create(), {}
    actors:create(e, { body = body })
    actors:set_body(e, body)
    actors:set(e, actors:get(e))
    assert.are.same({}, freed)
    assert.equal(body, actors:body(e))
  end)

  it("is replaced even if on_destroy raises, and the error is raised", function()
    local actors, entities, world = scene()
    local e = entities:create()
    actors:create(e, { body = "old" })
    actors:on_destroy(function() error "no" end)
    raises("no", actors.set_body, actors, e, "new")
    assert.equal("new", actors:body(e))
    valid(world)
  end)

  it("cannot be set for a dead or dying entity, or one without actor", function()
    local actors, entities, _, freed = scene()
    local e = entities:create()
    raises("has no actor", actors.set_body, actors, e, 1)
    raises("has no actor", actors.body, actors, e)
    actors:create(e)
    local message
    entities:on_destroy(function(dying) message = select(2, pcall(actors.set_body, actors, dying, 1)) end)
    entities:destroy(e)
    assert.truthy(message:find("is being destroyed", 1, true))
    raises("is dead", actors.set_body, actors, e, 1)
    assert.are.same({}, freed)
  end)

  it("is given to several actors at once: one for all, or one for each", function()
    local actors, entities, world, freed = scene()
    local a, b = entities:create(3), entities:create(3)
    actors:create_many(a, { mass = { 1, 2, 3 }, body = { "x", false, "z" } })
    assert.equal("x", actors:body(a[1]))
    assert.is_nil(actors:body(a[2]))
    assert.equal("z", actors:body(a[3]))
    actors:create_many(b, { body = "same" })
    assert.equal("same", actors:body(b[1]))
    raises("body: expected 2 values, got 3", actors.create_many, actors, entities:create(2), { body = { 1, 2, 3 } })
    assert.is_nil(actors:create_many({}, { body = {} }))
    entities:destroy(a)
    entities:destroy(b)
    assert.equal("x z same same same", table.concat(freed, " "))
    valid(world)
  end)

  it("is given by world:create", function()
    local actors, _, world = scene()
    local e = world:create { actor = { shape = "box", body = "b" }, transform = {} }
    assert.equal("b", actors:body(e))
    local body = { "x", "y" }
    for _, count in ipairs { 1, 2, 3 } do
      local list = world:create({ actor = { body = body } }, count)
      assert.equal(body, actors:body(list[1]))
      assert.equal(body, actors:body(list[count]))
    end
    local list = world:create({ actor = { shape = "s" } }, 2, cuttle.list())
    assert.is_nil(actors:body(list:get(1)))
    valid(world)
  end)

  it("cannot be part of a level", function()
    local _, _, world = scene()
    local blob, message = cuttle.compiler(world):compile { entities = { { components = { actor = { body = "b" } } } } }
    assert.is_nil(blob)
    assert.truthy(message:find("body", 1, true))
  end)
end)

describe("on_spawn", function()
  it("makes the body of a new actor from its values", function()
    local actors, entities = scene()
    local e, seen = entities:create(), nil
    actors:on_spawn(function(...)
      seen = { n = select("#", ...), ... }
      return "made"
    end)
    actors:create(e, { shape = "box" })
    assert.are.same({ n = 2, e, { shape = "box", mass = 0 } }, seen)
    assert.equal("made", actors:body(e))
  end)

  it("can read the new component and the other components of its entity", function()
    local actors, _, world = scene()
    local x, mass
    actors:on_spawn(function(e)
      x, mass = world.transform:world_position(e), actors:mass(e)
      return 1
    end)
    world:create { actor = { mass = 2 }, transform = { position = { 7, 0, 0 } } }
    assert.are.same({ 7, 2 }, { x, mass })
  end)

  it("may return nothing", function()
    local actors, entities, world, freed = scene()
    actors:on_spawn(function() end)
    local e = entities:create()
    actors:create(e)
    assert.is_nil(actors:body(e))
    entities:destroy(e)
    assert.are.same({}, freed)
    valid(world)
  end)

  it("is not called if a body is given", function()
    local actors, entities = scene()
    local calls = 0
    actors:on_spawn(function()
      calls = calls + 1
      return "made"
    end)
    local list = entities:create(3)
    actors:create(list[1], { body = "given" })
    actors:create_many({ list[2], list[3] }, { body = { "given", false } })
    assert.equal("given given made", actors:body(list[1]) .. " " .. actors:body(list[2]) .. " " .. actors:body(list[3]))
    assert.equal(1, calls)
  end)

  it("is replaced by a newer one, and removed by nil", function()
    local actors, entities = scene()
    local list = entities:create(3)
    actors:on_spawn(function() return "first" end)
    actors:create(list[1])
    actors:on_spawn(function() return "second" end)
    actors:create(list[2])
    actors:on_spawn(nil)
    actors:create(list[3])
    assert.equal("first", actors:body(list[1]))
    assert.equal("second", actors:body(list[2]))
    assert.is_nil(actors:body(list[3]))
    raises("function or nil expected, got string", actors.on_spawn, actors, "f")
    raises("value expected", actors.on_spawn, actors)
    raises("function or nil expected, got table", actors.on_destroy, actors, {})
  end)

  it("that raises in create leaves no actor, and the error is raised", function()
    local actors, entities, world, freed = scene()
    local e = entities:create()
    actors:on_spawn(function() error("no room", 0) end)
    local ok, message = pcall(actors.create, actors, e)
    assert.are.same({ false, "no room" }, { ok, message })
    assert.is_false(actors:has(e))
    assert.equal(0, actors:count())
    assert.is_true(entities:alive(e))
    assert.are.same({}, freed)
    valid(world)
  end)

  it("that raises in create_many frees the bodies that were made", function()
    local actors, entities, world, freed = scene()
    local list, n = entities:create(5), 0
    actors:on_spawn(function()
      n = n + 1
      if n == 4 then error "no room" end
      return n
    end)
    raises("no room", actors.create_many, actors, list)
    table.sort(freed)
    assert.are.same({ 1, 2, 3 }, freed)
    assert.equal(0, actors:count())
    assert.equal(5, entities:count())
    valid(world)
  end)

  it("that raises in world:create frees bodies and entities", function()
    local actors, entities, world, freed = scene()
    local n, out = 0, { "untouched" }
    actors:on_spawn(function()
      n = n + 1
      if n == 3 then error "no room" end
      return n
    end)
    raises("no room", world.create, world, { actor = {}, transform = {} }, 4, out)
    table.sort(freed)
    assert.are.same({ 1, 2 }, freed)
    assert.are.same({ "untouched" }, out)
    assert.equal(0, entities:count())
    assert.equal(0, actors:count())
    assert.equal(0, world.transform:count())
    valid(world)
  end)

  it("that raises does not stop a loop", function()
    local actors, entities, world = scene()
    for _ = 1, 3 do actors:create(entities:create()) end
    actors:on_spawn(function() error "no" end)
    local seen = 0
    for _ in actors:each() do
      seen = seen + 1
      pcall(world.create, world, { actor = {} })
      pcall(actors.create, actors, entities:create())
    end
    assert.equal(3, seen)
  end)

  it("cannot call world:destroy and world:clear", function()
    local actors, entities, world = scene()
    local messages = {}
    actors:on_spawn(function()
      messages[1] = select(2, pcall(world.destroy, world))
      messages[2] = select(2, pcall(world.clear, world))
      return 1
    end)
    actors:create(entities:create())
    assert.are.same({ "world is in use", "world is in use" }, messages)
    valid(world)
  end)

  it("cannot set the body that it makes", function()
    local actors, entities = scene()
    actors:on_spawn(function(e) actors:set_body(e, "set") end)
    local e = entities:create()
    raises("the body of entity(0:0) is being created or freed", actors.create, actors, e)
    assert.is_false(actors:has(e))
  end)

  it("may destroy its entity or component, and the body is freed at once then", function()
    local actors, entities, world, freed = scene()
    actors:on_spawn(function(e)
      entities:destroy(e)
      return "orphan"
    end)
    local e = entities:create()
    assert.is_nil(actors:create(e))
    assert.are.same({ "orphan" }, freed)
    actors:on_spawn(function(owner)
      actors:destroy(owner)
      return "second"
    end)
    e = entities:create()
    assert.is_nil(actors:create(e))
    assert.is_true(entities:alive(e))
    assert.are.same({ "orphan", "second" }, freed)
    valid(world)
  end)

  it("may put another actor in the place of its own", function()
    local actors, entities, world, freed = scene()
    local nested = false
    actors:on_spawn(function(e)
      if nested then return "inner" end
      nested = true
      actors:destroy(e)
      actors:create(e)
      return "outer"
    end)
    local e = entities:create()
    actors:create(e)
    assert.equal("inner", actors:body(e))
    assert.are.same({ "outer" }, freed)
    valid(world)
  end)

  it("may create, destroy and collect other actors", function()
    local actors, entities, world, freed = scene()
    local depth, made = 0, 0
    actors:on_spawn(function()
      made = made + 1
      local body = made
      if depth < 4 then
        depth = depth + 1
        for _ = 1, 3 do
          local e = entities:create()
          actors:create(e)
          if math.random(2) == 1 then entities:destroy(e) end
        end
        actors:gc "all"
        depth = depth - 1
      end
      return body
    end)
    local list = entities:create(2)
    actors:create_many(list)
    valid(world)
    world:clear { entities = true }
    assert.equal(made, #freed)
    valid(world)
  end)

  it("may not yield", function()
    local actors, entities = scene()
    actors:on_spawn(function() coroutine.yield() end)
    local e = entities:create()
    local run = coroutine.wrap(function() return pcall(actors.create, actors, e) end)
    assert.is_false((run()))
    assert.is_false(actors:has(e))
  end)

  it("runs in the coroutine that creates", function()
    local actors, entities = scene()
    local seen
    actors:on_spawn(function() seen = coroutine.running() end)
    local thread = coroutine.create(function() actors:create(entities:create()) end)
    assert(coroutine.resume(thread))
    assert.equal(thread, seen)
  end)
end)

describe("on_destroy", function()
  it("runs at once when an entity dies, and not in gc", function()
    local actors, entities, world, freed = scene()
    local e = entities:create()
    actors:create(e, { body = "b" })
    entities:destroy(e)
    assert.are.same({ "b" }, freed)
    assert.equal(1, actors:count())
    actors:gc "all"
    world:gc()
    assert.are.same({ "b" }, freed)
    valid(world)
  end)

  it("gets the entity, which is being destroyed and can still be read", function()
    local actors, entities, world = scene()
    local seen
    actors:on_destroy(function(e, body)
      seen = { e, body, entities:alive(e), actors:shape(e), actors:body(e) == nil, world.transform:world_position(e) }
    end)
    local e = world:create { actor = { shape = "box", body = "b" }, transform = { position = { 3, 0, 0 } } }
    entities:destroy(e)
    assert.are.same({ e, "b", false, "box", true, 3, 0, 0 }, seen)
  end)

  it("runs after the callbacks of the entity manager, registered before or after it", function()
    local actors, entities = scene()
    local order = {}
    actors:on_destroy(function() order[#order + 1] = "actor" end)
    entities:on_destroy(function(e) order[#order + 1] = "before " .. tostring(actors:body(e)) end)
    local e = entities:create()
    actors:create(e, { body = "b" })
    entities:on_destroy(function(owner) order[#order + 1] = "after " .. tostring(actors:body(owner)) end)
    entities:destroy(e)
    assert.are.same({ "before b", "after b", "actor" }, order)
  end)

  it("runs before the component is removed when the component is destroyed", function()
    local actors, entities, world = scene()
    local e, seen = entities:create(), {}
    actors:on_destroy(function(owner, body)
      seen[#seen + 1] = body
      seen[#seen + 1] = actors:shape(owner)
    end)
    local instance = actors:create(e, { shape = "box", body = "b" })
    assert.equal(1, actors:destroy(instance))
    assert.are.same({ "b", "box" }, seen)
    assert.is_false(actors:has(e))
    assert.equal(0, actors:destroy(e))
    actors:create(e, { body = "c" })
    assert.equal(1, actors:destroy(e))
    assert.equal("c", seen[3])
    valid(world)
  end)

  it("that raises does not keep the component from being removed", function()
    local actors, entities, world = scene()
    local e = entities:create()
    actors:on_destroy(function() error("no", 0) end)
    actors:create(e, { body = "b" })
    assert.are.same({ false, "no" }, { pcall(actors.destroy, actors, e) })
    assert.is_false(actors:has(e))
    assert.is_true(entities:alive(e))
    valid(world)
  end)

  it("that raises stops neither other deaths nor its calls for other bodies", function()
    local actors, entities, world = scene()
    local calls = 0
    actors:on_destroy(function(_, body)
      calls = calls + 1
      error("end of " .. body, 0)
    end)
    local list = entities:create(3)
    for i, e in ipairs(list) do actors:create(e, { body = i }) end
    assert.are.same({ false, "end of 1" }, { pcall(entities.destroy, entities, list) })
    assert.equal(3, calls)
    assert.equal(0, entities:count())
    valid(world)
  end)

  it("is replaced by a newer one, and removed by nil", function()
    local actors, entities, _, freed = scene()
    local list, other = entities:create(3), {}
    actors:create_many(list, { body = { "a", "b", "c" } })
    entities:destroy(list[1])
    actors:on_destroy(function(_, body) other[#other + 1] = body end)
    entities:destroy(list[2])
    actors:on_destroy(nil)
    entities:destroy(list[3])
    assert.are.same({ { "a" }, { "b" } }, { freed, other })
  end)

  it("runs for bodies that existed before it was set", function()
    local entities = cuttle.entity_manager()
    local actors = cuttle.world(entities).actor
    local e, freed = entities:create(), nil
    actors:create(e, { body = "b" })
    actors:on_destroy(function(_, body) freed = body end)
    entities:destroy(e)
    assert.equal("b", freed)
  end)

  it("cannot call world:destroy and world:clear", function()
    local actors, entities, world = scene()
    local messages = {}
    actors:on_destroy(function()
      messages[#messages + 1] = select(2, pcall(world.destroy, world))
      messages[#messages + 1] = select(2, pcall(world.clear, world))
    end)
    for _, finish in ipairs {
      function(e) entities:destroy(e) end, function(e) actors:destroy(e) end,
      function(e) actors:set_body(e, 2) end, function() world:clear() end, function() world:destroy() end,
    } do
      messages = {}
      local e = entities:create()
      actors:create(e, { body = 1 })
      finish(e)
      assert.equal("world is in use", messages[1])
      assert.equal("world is in use", messages[2])
      if entities:alive(e) and pcall(actors.has, actors, e) and actors:has(e) then actors:set_body(e, nil) end
    end
  end)

  it("may destroy its entity and its component again", function()
    local actors, entities, world = scene()
    local freed = {}
    actors:on_destroy(function(e, body)
      freed[#freed + 1] = body
      entities:destroy(e)
      actors:destroy(e)
      actors:gc "all"
    end)
    for i, finish in ipairs { entities.destroy, actors.destroy } do
      local e = entities:create()
      actors:create(e, { body = i })
      finish(i == 1 and entities or actors, e)
      assert.is_false(entities:alive(e))
    end
    assert.are.same({ 1, 2 }, freed)
    actors:gc "all"
    assert.equal(0, actors:count())
    valid(world)
  end)

  it("may destroy other actors, for each of which it runs once", function()
    local actors, entities, world = scene()
    local list, freed = entities:create(100), {}
    for i, e in ipairs(list) do actors:create(e, { body = i }) end
    actors:on_destroy(function(_, body)
      freed[#freed + 1] = body
      for _ = 1, 2 do
        local other = list[math.random(#list)]
        if math.random(2) == 1 then
          entities:destroy(other)
        else
          actors:destroy(other)
        end
      end
    end)
    actors:destroy(list[1])
    entities:destroy(list)
    table.sort(freed)
    assert.equal(100, #freed)
    for i = 1, 100 do assert.equal(i, freed[i]) end
    valid(world)
  end)

  it("may give the entity another actor when the component is destroyed", function()
    local actors, entities, world, freed = scene()
    local e = entities:create()
    actors:create(e, { body = "a" })
    actors:on_destroy(function(owner, body)
      freed[#freed + 1] = body
      if body == "a" then
        actors:destroy(owner)
        actors:create(owner, { body = "b" })
      end
    end)
    assert.equal(1, actors:destroy(e))
    assert.equal("b", actors:body(e))
    entities:destroy(e)
    assert.are.same({ "a", "b" }, freed)
    valid(world)
  end)

  it("cannot replace the body that is being freed", function()
    local actors, entities = scene()
    local e = entities:create()
    actors:create(e, { body = "a" })
    actors:on_destroy(function(owner) actors:set_body(owner, "again") end)
    raises("the body of entity(0:0) is being created or freed", actors.destroy, actors, e)
    assert.is_false(actors:has(e))
  end)

  it("may destroy the entity during set_body, which raises and leaves the new body to the script", function()
    local actors, entities, world, freed = scene()
    local e = entities:create()
    actors:create(e, { body = "a" })
    actors:on_destroy(function(owner, body)
      freed[#freed + 1] = body
      entities:destroy(owner)
    end)
    raises("the component was removed while its old body was freed", actors.set_body, actors, e, "b")
    assert.are.same({ "a" }, freed)
    valid(world)
  end)
end)

describe("the end of a world", function()
  local function many(n)
    local actors, entities, world, freed = scene()
    local made = make_bodies(actors)
    actors:create_many(entities:create(n))
    return actors, entities, world, freed, made
  end

  it("by clear frees every body, and leaves the entities alive", function()
    local actors, entities, world, freed, made = many(20)
    world:clear()
    all_freed(made, freed)
    assert.equal(0, actors:count())
    assert.equal(20, entities:count())
    valid(world)
    actors:create(entities:create())
    world:clear { entities = true }
    all_freed(made, freed)
    assert.equal(20, entities:count())
    valid(world)
  end)

  it("by destroy frees every body", function()
    for _, options in ipairs { {}, { entities = true } } do
      local _, entities, world, freed, made = many(20)
      world:destroy(options)
      all_freed(made, freed)
      assert.is_true(entities:validate())
      collect()
      all_freed(made, freed)
    end
  end)

  it("raises the first error after every body was freed", function()
    for _, finish in ipairs { "clear", "destroy" } do
      local actors, _, world, freed, made = many(5)
      actors:on_destroy(function(_, body)
        freed[#freed + 1] = body
        error("end " .. #freed, 0)
      end)
      assert.are.same({ false, "end 1" }, { pcall(world[finish], world) })
      all_freed(made, freed)
      if finish == "destroy" then raises("world is destroyed", actors.count, actors) end
    end
  end)

  it("makes no new bodies", function()
    for _, finish in ipairs { "clear", "destroy" } do
      local actors, entities, world, freed, made = many(3)
      local messages = {}
      actors:on_destroy(function(_, body)
        freed[#freed + 1] = body
        messages[#messages + 1] = select(2, pcall(actors.create, actors, entities:create()))
        messages[#messages + 1] = select(2, pcall(world.create, world, { actor = { body = 1 } }))
      end)
      world[finish](world)
      all_freed(made, freed)
      assert.equal(6, #messages)
      local wanted = finish == "clear" and "bodies cannot be created while the world frees them"
        or "world is being destroyed"
      for _, message in ipairs(messages) do assert.truthy(message:find(wanted, 1, true)) end
    end
  end)

  it("tolerates callbacks that destroy, collect and create", function()
    local actors, entities, world, freed, made = many(50)
    local all = {}
    for e in entities:each() do all[#all + 1] = e end
    actors:on_destroy(function(_, body)
      freed[#freed + 1] = body
      entities:destroy(all[math.random(#all)])
      actors:destroy(all[math.random(#all)])
      actors:gc "all"
      collectgarbage()
    end)
    world:clear()
    all_freed(made, freed)
    valid(world)
  end)

  it("by the collector frees every body, and drops errors", function()
    local freed = {}
    do
      local entities = cuttle.entity_manager()
      local world = cuttle.world(entities)
      world.actor:on_destroy(function(_, body)
        freed[#freed + 1] = body
        error "dropped"
      end)
      world.actor:create_many(entities:create(10), { body = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 } })
    end
    collect()
    table.sort(freed)
    assert.are.same({ 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 }, freed)
  end)

  it("by the collector comes if only its own bodies refer to the world", function()
    local freed = {}
    do
      local entities = cuttle.entity_manager()
      local world = cuttle.world(entities)
      local actors = world.actor
      actors:on_destroy(function(e, body) freed[#freed + 1] = { body.world, body.actors, e } end)
      actors:create(entities:create(), { body = { world = world, actors = actors, entities = entities } })
    end
    collect()
    assert.equal(1, #freed)
    collect()
    assert.equal(1, #freed)
    raises("world is destroyed", freed[1][2].count, freed[1][2])
  end)

  it("does not change other worlds of the same entities", function()
    local actors, entities, world, freed = scene()
    local other, other_freed = cuttle.world(entities), {}
    other.actor:on_destroy(function(_, body) other_freed[#other_freed + 1] = body end)
    local a, b = entities:create(), entities:create()
    for i, e in ipairs { a, b } do
      actors:create(e, { body = "here" .. i })
      other.actor:create(e, { body = "there" .. i })
    end
    entities:destroy(a)
    assert.are.same({ { "here1" }, { "there1" } }, { freed, other_freed })
    world:destroy()
    assert.equal("there2", other.actor:body(b))
    entities:destroy(b)
    assert.are.same({ { "here1", "here2" }, { "there1", "there2" } }, { freed, other_freed })
    valid(other)
  end)

  it("may come in a callback of another world", function()
    local actors, entities, world, freed = scene()
    local other, other_freed = cuttle.world(entities), {}
    other.actor:on_destroy(function(_, body)
      other_freed[#other_freed + 1] = body
      if entities then world:destroy() end
    end)
    local e = entities:create()
    other.actor:create(e, { body = "first" })
    actors:create(e, { body = "second" })
    entities:destroy(e)
    assert.are.same({ { "second" }, { "first" } }, { freed, other_freed })
    raises("world is destroyed", actors.count, actors)
    valid(other)
  end)
end)

describe("callbacks inside callbacks", function()
  local function depth_of(start, again)
    local depth, deepest, message = 0, 0, nil
    local function callback()
      depth = depth + 1
      deepest = math.max(deepest, depth)
      local ok, problem = pcall(again)
      if not ok then message = message or problem end
      depth = depth - 1
      return 1
    end
    start(callback)
    return deepest, message
  end

  -- PUC Lua has its own limit, which is lower.
  local function refused(deepest, message)
    assert.is_true(deepest <= 100)
    assert.truthy(message:find "too many nested callbacks %(limit is 100%)" or message:find "stack overflow")
  end

  it("create at most a hundred deep", function()
    local actors, entities, world = scene()
    for _, again in ipairs {
      function() actors:create(entities:create()) end, function() actors:create_many(entities:create(1)) end,
      function() world:create { actor = {} } end,
    } do
      refused(depth_of(function(callback)
        actors:on_spawn(callback)
        actors:create(entities:create())
      end, again))
      valid(world)
    end
  end)

  it("spawn at most a hundred deep", function()
    local actors, _, world = scene()
    local resource = level_of(world, 1)
    refused(depth_of(function(callback)
      actors:on_spawn(callback)
      world:spawn(resource)
    end, function()
      local level, message = world:spawn(resource)
      if not level then error(message) end
    end))
    valid(world)
  end)

  it("destroy and replace at most a hundred deep, and lose no body", function()
    for _, how in ipairs { "destroy", "set_body" } do
      local actors, entities, world = scene()
      local list, i = entities:create(1000), 1
      actors:create_many(list, { body = "b" })
      refused(depth_of(function(callback)
        actors:on_destroy(callback)
        actors[how](actors, list[1], nil)
      end, function()
        i = i + 1
        if list[i] then actors[how](actors, list[i], nil) end
      end))
      local freed, left = 0, 0
      for e in actors:each() do
        if actors:body(e) then left = left + 1 end
      end
      actors:on_destroy(function() freed = freed + 1 end)
      world:destroy()
      assert.equal(left, freed)
    end
  end)
end)

describe("actors spawned from a level", function()
  it("get their bodies after all components of the level exist", function()
    local actors, _, world, freed = scene()
    local made = make_bodies(actors)
    local resource, seen = level_of(world, 3), {}
    local spawn = actors.on_spawn
    spawn(actors, function(e, values)
      local x, name = world.transform:world_position(e), world.debug_name:debug_name(e)
      seen[#seen + 1] = { values.shape, x, name, actors:count() }
      local body = { values.shape }
      made[#made + 1] = body
      return body
    end)
    local level = assert(world:spawn(resource))
    assert.are.same({ { "s1", 1, "e1", 3 }, { "s2", 2, "e2", 3 }, { "s3", 3, "e3", 3 } }, seen)
    assert.are.same({ "s2" }, actors:body(level:find "e2"))
    valid(world)
    level:unload()
    all_freed(made, freed)
    level:unload()
    all_freed(made, freed)
    world:gc()
    valid(world)
  end)

  it("have no bodies without on_spawn", function()
    local actors, _, world, freed = scene()
    local level = assert(world:spawn(level_of(world, 2)))
    assert.is_nil(actors:body(level:entity(1)))
    assert.equal("s1", actors:shape(level:entity(1)))
    level:unload()
    assert.are.same({}, freed)
  end)

  it("get new bodies when the level restarts", function()
    local actors, _, world, freed = scene()
    local made = make_bodies(actors)
    local level = assert(world:spawn(level_of(world, 3)))
    local first = { made[1], made[2], made[3] }
    assert.equal(level, level:restart())
    all_freed(first, freed)
    assert.equal(made[4], actors:body(level:entity(1)))
    world:destroy()
    all_freed(made, freed)
  end)

  it("are not spawned if on_spawn raises, and spawn returns nil and the message", function()
    local actors, entities, world, freed = scene()
    local resource, made = level_of(world, 4), {}
    actors:on_spawn(function(_, values)
      if values.shape == "s3" then error("no room for s3", 0) end
      made[#made + 1] = { values.shape }
      return made[#made]
    end)
    assert.are.same({ n = 2, nil, "no room for s3" }, { n = 2, world:spawn(resource) })
    assert.equal(2, #made)
    all_freed(made, freed)
    assert.equal(0, entities:count())
    for _, name in ipairs { "actor", "transform", "debug_name" } do assert.equal(0, world[name]:count()) end
    valid(world)
  end)

  it("are not spawned if on_spawn raises a value without a message", function()
    local actors, entities, world = scene()
    for _, problem in ipairs { {}, false, print } do
      actors:on_spawn(function() error(problem) end)
      local level, message = world:spawn(level_of(world, 1))
      assert.is_nil(level)
      assert.equal("a spawn callback raised no message", message)
    end
    assert.equal(0, entities:count())
  end)

  it("keep their bodies if on_spawn raises in a restart", function()
    local actors, entities, world, freed = scene()
    local made = make_bodies(actors)
    local level = assert(world:spawn(level_of(world, 3)))
    actors:on_spawn(function() error("no", 0) end)
    assert.are.same({ n = 2, nil, "no" }, { n = 2, level:restart() })
    assert.are.same({}, freed)
    assert.equal(made[1], actors:body(level:entity(1)))
    assert.equal(3, entities:count())
    actors:on_spawn(nil)
    assert.equal(level, level:restart())
    all_freed(made, freed)
    valid(world)
  end)

  it("cannot be unloaded or restarted in their own on_spawn", function()
    local actors, _, world = scene()
    local level = assert(world:spawn(level_of(world, 2)))
    local seen = {}
    actors:on_spawn(function()
      seen[#seen + 1] = level:unload()
      seen[#seen + 1] = select("#", level:restart())
      seen[#seen + 1] = select(2, pcall(world.destroy, world))
      return 1
    end)
    assert.equal(level, level:restart())
    assert.are.same({ 0, 2, "world is in use" }, { seen[1], seen[2], seen[3] })
    assert.equal(2, level:count())
    valid(world)
  end)

  it("may be destroyed by the on_spawn of other actors", function()
    local actors, entities, world, freed = scene()
    local made, list = {}, {}
    actors:on_spawn(function(e, values)
      list[#list + 1] = e
      local body = { values.shape }
      made[#made + 1] = body
      if #list % 3 == 0 then entities:destroy(list[#list - 1]) end
      if #list % 4 == 0 then entities:destroy(e) end
      actors:gc "all"
      return body
    end)
    local level = assert(world:spawn(level_of(world, 20)))
    valid(world)
    level:unload()
    assert.equal(20, #made)
    all_freed(made, freed)
    valid(world)
  end)

  it("may spawn levels in their on_spawn", function()
    local actors, _, world, freed = scene()
    local resource, depth, made = level_of(world, 2), 0, {}
    actors:on_spawn(function()
      if depth < 3 then
        depth = depth + 1
        assert(world:spawn(resource))
        depth = depth - 1
      end
      made[#made + 1] = {}
      return made[#made]
    end)
    assert(world:spawn(resource))
    assert.equal(30, #made)
    valid(world)
    world:destroy()
    all_freed(made, freed)
  end)
end)

describe("actors, when memory runs out,", function()
  local fail_in = core.testing and core.testing.fail_in
  if not fail_in then return end
  after_each(function() fail_in(-1) end)

  -- Calls f with the n-th allocation failing, until none fails. Calls check after each failure.
  local function sweep(f, check)
    local n, ok = 0
    repeat
      fail_in(n)
      ok = pcall(f)
      fail_in(-1)
      if not ok then check() end
      n = n + 1
    until ok
    return n
  end

  it("are created with their bodies or not at all", function()
    for _, how in ipairs { "create", "create_many", "world", "given" } do
      local actors, entities, world, freed = scene()
      local made = how ~= "given" and make_bodies(actors) or {}
      local function check()
        assert.equal(0, actors:count())
        all_freed(made, freed)
        valid(world)
      end
      local list = entities:create(3)
      local n = sweep(({
        create = function() actors:create(list[1], { shape = "one" }) end,
        create_many = function() actors:create_many(list, { shape = { "one", "two", "three" } }) end,
        world = function() world:create({ actor = { shape = "one" }, transform = {} }, 5) end,
        given = function() actors:create(list[1], { shape = "one", body = "b" }) end,
      })[how], check)
      assert.is_true(n > 1)
      valid(world)
      world:clear { entities = true }
      if how == "given" then assert.are.same({ "b" }, freed) else all_freed(made, freed) end
    end
  end)

  it("are spawned with their bodies or not at all", function()
    local actors, entities, world, freed = scene()
    local resource = level_of(world, 10)
    local made = make_bodies(actors)
    local level
    sweep(function() level = assert(world:spawn(resource)) end, function()
      assert.equal(0, entities:count())
      all_freed(made, freed)
      valid(world)
    end)
    level:unload()
    all_freed(made, freed)
  end)

  it("get a new body or keep the old one", function()
    local actors, entities, world, freed = scene()
    local e = entities:create()
    actors:create(e)
    sweep(function() actors:set_body(e, "new") end, function() assert.is_nil(actors:body(e)) end)
    assert.equal("new", actors:body(e))
    entities:destroy(e)
    assert.are.same({ "new" }, freed)
    valid(world)
  end)
end)

describe("actors compared with a model, seed " .. seed, function()
  it("free every body once in random callbacks", function()
    math.randomseed(seed)
    local entities = cuttle.entity_manager { minimum_free_indices = 0 }
    local world = cuttle.world(entities)
    local actors = world.actor
    local resource = level_of(world, 5)
    local alive, ends, serial, depth, calm = {}, {}, 0, 0, false
    local list, levels = {}, {}
    local step

    local function new_body()
      serial = serial + 1
      local body = { serial }
      alive[body] = true
      return body
    end

    local function mischief()
      if calm or depth > 2 then return end
      depth = depth + 1
      if math.random(3) == 1 then step() end
      depth = depth - 1
      if math.random(12) == 1 then error "mischief" end
    end

    actors:on_spawn(function(e)
      list[#list + 1] = e
      mischief()
      if math.random(5) > 1 then return new_body() end
    end)
    actors:on_destroy(function(_, body)
      assert(alive[body], "an unknown body was freed")
      alive[body] = nil
      ends[#ends + 1] = body
      mischief()
    end)

    -- Passes a new body. If the call fails before the body belongs to an actor, the body stays the script's.
    local function pass_body(f)
      local body = new_body()
      local ok = pcall(f, body)
      if not ok and alive[body] then
        for e in actors:each() do
          if actors:body(e) == body then return end
        end
        alive[body] = nil
      end
    end

    function step()
      local dice, e = math.random(16), list[math.random(#list + 1)]
      if dice <= 3 then
        e = entities:create()
        list[#list + 1] = e
        if math.random(2) == 1 then
          pcall(actors.create, actors, e)
        else
          pass_body(function(body) actors:create(e, { body = body }) end)
        end
      elseif dice == 4 then
        pcall(actors.create_many, actors, entities:create(4))
      elseif dice == 5 then
        pcall(world.create, world, { actor = { shape = "w" } }, 3)
      elseif dice == 6 then
        local ok, level = pcall(world.spawn, world, resource)
        if ok and level then levels[#levels + 1] = level end
      elseif dice == 7 and #levels > 0 then
        pcall(levels[1].unload, table.remove(levels, math.random(#levels)))
      elseif dice == 8 and #levels > 0 then
        pcall(levels[1].restart, levels[math.random(#levels)])
      elseif dice <= 11 and e then
        pcall(entities.destroy, entities, e)
      elseif dice == 12 and e then
        pcall(actors.destroy, actors, e)
      elseif dice == 13 and e then
        pass_body(function(body) actors:set_body(e, body) end)
      elseif dice == 14 then
        actors:gc(math.random(2) == 1 and "all" or nil)
      elseif dice == 15 and math.random(20) == 1 then
        pcall(world.clear, world, { entities = math.random(2) == 1 })
      elseif dice == 16 then
        collectgarbage("step", 10)
      end
    end

    local count = rounds(3000, 150)
    for _ = 1, count do
      step()
      valid(world)
      if #list > 60 then list = {} end
      local kept = 0
      for e in actors:each() do
        local body = actors:body(e)
        if body ~= nil then
          kept = kept + 1
          assert(alive[body], "an actor has a body that was freed")
        end
      end
      local living = 0
      for _ in pairs(alive) do living = living + 1 end
      assert.equal(living, kept)
      if kept > 200 then pcall(world.clear, world, { entities = true }) end
    end
    calm = true
    world:destroy()
    assert.is_nil(next(alive))
    assert.is_true(serial > count / 3)
    assert.is_true(entities:validate())
  end)
end)
