-- m:on_add and m:on_remove: when hooks run, for which components, and how often.
local cuttle = require "cuttle"
local core = require "cuttle.core"
local seed = require "spec.support.seed"
local slow = require "spec.support.slow"
local rounds = require "spec.support.rounds"

local function raises(text, fn, ...)
  local ok, message = pcall(fn, ...)
  assert.is_false(ok)
  assert.truthy(tostring(message):find(text, 1, true), tostring(message) .. " for " .. text)
end

local function fresh(options)
  local entities = cuttle.entity_manager(options)
  local world = cuttle.world(entities)
  local alpha = world:define("alpha", { { "n", "int32" } })
  local beta = world:define("beta", { { "n", "int32" } }, { multiple = true })
  return world, entities, alpha, beta
end

-- Logs the hook calls of these managers, as "NAME+index" and "NAME-index".
local function logging(...)
  local log = {}
  for _, m in ipairs { ... } do
    local name = m:name()
    m:on_add(function(e) log[#log + 1] = name .. "+" .. cuttle.entity_index(e) end)
    m:on_remove(function(e) log[#log + 1] = name .. "-" .. cuttle.entity_index(e) end)
  end
  return log
end

local function flush(log)
  local text = table.concat(log, " ")
  for i = #log, 1, -1 do log[i] = nil end
  return text
end

local function blob_of(world, entities)
  return cuttle.resource(assert(cuttle.compiler(world):compile { entities = entities }))
end

describe("on_add", function()
  it("may remove thousands of components that one call creates, in linear time", function() -- else some seconds
    local world, entities, alpha, beta = fresh()
    local count, calls, entries = slow and 300 or 20000, {}, {}
    local function count_calls(m, name)
      m:on_add(function() calls[name .. "+"] = (calls[name .. "+"] or 0) + 1 end)
      m:on_remove(function() calls[name .. "-"] = (calls[name .. "-"] or 0) + 1 end)
    end
    count_calls(alpha, "alpha")
    count_calls(beta, "beta")
    alpha:on_add(function(e)
      local place = cuttle.entity_index(e) % 4
      if place == 0 then alpha:destroy(e) end -- its own
      if place == 1 then beta:destroy(e) end -- one whose hooks have not run yet, so that none will
      if place == 2 then entities:destroy(world:create { alpha = { n = -1 } }) end -- another one
    end)
    local kept = 0
    alpha:on_add(function(e)
      if alpha:has(e) and alpha:n(e) >= 0 then kept = kept + 1 end
    end)
    for i = 1, count do entries[i] = { components = { alpha = { n = i }, beta = { n = i } } } end
    assert(world:spawn(blob_of(world, entries)))
    assert.equal(count, entities:count())
    world:gc "all"
    assert.is_true(world:validate())
    assert.equal(calls["alpha+"] - calls["alpha-"], alpha:count())
    assert.equal(calls["beta+"], beta:count())
    assert.is_nil(calls["beta-"])
    assert.is_true(kept > 0 and kept < count)
  end)

  it("that raises for the last of thousands of components undoes the others in linear time", function()
    local world, entities, alpha = fresh()
    local count, added, removed = slow and 300 or 20000, 0, 0
    alpha:on_add(function()
      added = added + 1
      if added == count then error "the last" end
    end)
    alpha:on_remove(function() removed = removed + 1 end)
    raises("the last", world.create, world, { alpha = {} }, count)
    assert.same({ count, count, 0, 0 }, { added, removed, alpha:count(), entities:count() })
    assert.is_true(world:validate())
  end)

  it("runs in every kind of create, with an instance that can be read", function()
    local world, entities, alpha = fresh()
    local seen = {}
    alpha:on_add(function(e, instance)
      assert.equal(e, alpha:entity(instance))
      seen[#seen + 1] = alpha:n(instance)
    end)
    local e = entities:create()
    assert.equal(e, alpha:entity(alpha:create(e, { n = 1 })))
    alpha:create_many(entities:create(2), { n = { 2, 3 } })
    world:create { alpha = { n = 4 } }
    world:create({ alpha = { n = { 5, 6 } } }, 2)
    local level = assert(world:spawn(blob_of(world, { { components = { alpha = { n = 7 } } } })))
    assert(level:restart())
    assert.are.same({ 1, 2, 3, 4, 5, 6, 7, 7 }, seen)
    assert(world:validate())
  end)

  it("runs for components that a template creates, and an error undoes that create", function()
    local world, entities, alpha = fresh()
    local template = world:template { alpha = { n = 3 }, transform = {} }
    local log = logging(alpha, world.transform)
    template:create()
    template:create(2)
    assert.equal("transform+0 alpha+0 transform+1 transform+2 alpha+1 alpha+2", flush(log))
    alpha:on_add(function() error("none", 0) end)
    raises("none", template.create, template)
    raises("none", template.create, template, 2)
    assert.are.same({ 3, 3 }, { entities:count(), alpha:count() })
  end)

  it("runs when set_debug_name creates the component", function()
    local world, entities = fresh()
    local log = logging(world.debug_name)
    local e = entities:create()
    world.debug_name:set_debug_name(e, "orc")
    world.debug_name:set_debug_name(e, "elf")
    assert.equal("debug_name+0", flush(log))
    world.debug_name:on_add(function() error("no names", 0) end)
    raises("no names", world.debug_name.set_debug_name, world.debug_name, entities:create(), "x")
    assert.equal(1, world.debug_name:count())
  end)

  it("runs when all components of the call exist, in spawn order, then by row", function()
    local world, _, alpha = fresh()
    local log = logging(alpha, world.transform)
    alpha:on_add(function(e) assert.equal(cuttle.entity_index(e) < 3, world.transform:has(e)) end)
    world.transform:on_add(function(e) assert.is_true(alpha:has(e)) end)
    world:create({ alpha = {}, transform = {} }, 2)
    assert.equal("transform+0 transform+1 alpha+0 alpha+1", flush(log))
    world:spawn(blob_of(world, { { components = { alpha = {}, transform = {} } }, { components = { alpha = {} } } }))
    assert.equal("transform+2 alpha+2 alpha+3", flush(log))
  end)

  it("runs for components that overrides add to a level", function()
    local world, _, alpha = fresh()
    local log = logging(alpha)
    local resource = blob_of(world, { { name = "a", components = { transform = {} } } })
    assert(world:spawn(resource, { overrides = { a = { alpha = { n = 3 } } } }))
    assert.equal("alpha+0", flush(log))
    log = logging(world.transform)
    alpha:on_add(function(e) log[#log + 1] = "alpha+" .. cuttle.entity_index(e) end)
    assert(world:spawn(resource, { overrides = { a = { alpha = { n = 3 } } } }))
    assert.equal("transform+1 alpha+1", flush(log))
  end)

  it("runs for each copy of a resource", function()
    local world, _, alpha = fresh()
    local log = logging(alpha)
    local resource = blob_of(world, { { components = { alpha = {} } }, { components = { alpha = {} } } })
    local level = assert(world:spawn_many(resource, 3))
    assert.equal("alpha+0 alpha+1 alpha+2 alpha+3 alpha+4 alpha+5", flush(log))
    level:unload()
    assert.equal("alpha-0 alpha-1 alpha-2 alpha-3 alpha-4 alpha-5", flush(log))
  end)

  it("runs once for components that a spawner creates itself", function()
    local world, entities, alpha = fresh()
    local log = logging(alpha)
    local compiler = cuttle.compiler(world)
    compiler:register("magic", function() return "x" end)
    local blob = assert(compiler:compile { entities = { { components = { magic = {}, alpha = {} } }, {} } })
    world:register_spawner("magic", function(list) alpha:create(list[2]) end)
    assert(world:spawn(cuttle.resource(blob)))
    local text = flush(log)
    assert.truthy(text == "alpha+1 alpha+0" or text == "alpha+0 alpha+1", text)
    assert.equal(2, entities:count())
  end)

  it("that raises undoes the call: on_remove for each component announced so far, then on_destroy", function()
    local world, entities, alpha, beta = fresh()
    local log = logging(alpha, beta)
    entities:on_destroy(function(e) log[#log + 1] = "dies" .. cuttle.entity_index(e) end)
    local bad = beta:on_add(function() error("no beta", 0) end)
    raises("no beta", world.create, world, { alpha = {}, beta = {} })
    assert.equal("alpha+0 beta+0 alpha-0 beta-0 dies0", flush(log))
    assert.are.same({ 0, 0, 0 }, { entities:count(), alpha:count(), beta:count() })
    raises("no beta", world.create, world, { alpha = {}, beta = {} }, 2)
    assert.equal("alpha+1 alpha+2 beta+1 alpha-1 alpha-2 beta-1 dies1 dies2", flush(log))
    local _, message = world:spawn(blob_of(world, { { components = { alpha = {}, beta = { {} } } } }))
    assert.truthy(message:find("no beta", 1, true))
    assert.equal("alpha+3 beta+3 alpha-3 beta-3 dies3", flush(log))
    local e = entities:create()
    beta:off_add(bad)
    beta:create(e, { id = 7 })
    flush(log)
    beta:on_add(function(_, instance) if beta:id(instance) == 9 then error("no nine", 0) end end)
    raises("no nine", beta.create_many, beta, { e, e, e }, { id = { 8, 9, 10 } })
    assert.equal("beta+4 beta+4 beta-4 beta-4", flush(log))
    assert.are.same({ 7 }, beta:ids(e))
    assert(world:validate())
  end)

  it("that raises a value without a message makes spawn return a message", function()
    local world, _, alpha = fresh()
    local resource = blob_of(world, { { components = { alpha = {} } } })
    for _, value in ipairs { "nil", "{}" } do
      local token = alpha:on_add(loadstring("error(" .. value .. ")"))
      local level, message = world:spawn(resource)
      assert.is_nil(level)
      assert.equal("string", type(message))
      alpha:off_add(token)
    end
    assert.equal(0, alpha:count())
  end)

  it("that destroys the new entity or component skips its later hooks, and create returns nil", function()
    for _, how in ipairs { "entity", "component" } do
      local world, entities, alpha, beta = fresh()
      local log = logging(alpha)
      alpha:on_add(function(e)
        if how == "entity" then entities:destroy(e) else alpha:destroy(e) end
      end)
      alpha:on_add(function() error "skipped" end)
      local late = logging(beta)
      assert.is_nil((alpha:create(entities:create())))
      assert.equal("alpha+0 alpha-0", flush(log))
      local e = world:create { alpha = {}, beta = {} }
      assert.equal(how == "component", entities:alive(e))
      assert.equal(how == "component" and "beta+1" or "", flush(late))
      assert.equal("alpha+1 alpha-1", flush(log))
      assert(world:validate())
    end
  end)

  it("runs once for components that hooks create, in the call that creates them", function()
    local world, _, alpha, beta = fresh()
    alpha:on_add(function(e) beta:create(e) end)
    local log = logging(beta)
    world:create({ alpha = {} }, 2)
    assert.equal("beta+0 beta+1", flush(log))
    world:create { alpha = {}, beta = {} }
    assert.equal("beta+2 beta+2", flush(log))
  end)

  it("does not run for a component that another hook put in the place of the created one", function()
    local world, _, alpha = fresh()
    world.transform:on_add(function(e)
      alpha:destroy(e)
      alpha:create(e, { n = 2 })
    end)
    local seen = {}
    alpha:on_add(function(_, i) seen[#seen + 1] = alpha:n(i) end)
    alpha:on_remove(function(_, i) seen[#seen + 1] = -alpha:n(i) end)
    local e = world:create { alpha = { n = 1 }, transform = {} }
    assert.are.same({ 2 }, seen)
    alpha:destroy(e)
    assert.are.same({ 2, -2 }, seen)
  end)

  it("nests no deeper than other callbacks", function()
    local _, entities, alpha = fresh()
    alpha:on_add(function() alpha:create(entities:create()) end)
    raises("nested callbacks", alpha.create, alpha, entities:create())
    assert.equal(0, alpha:count())
  end)

  it("runs when actors have their bodies", function()
    local world = fresh()
    local body
    world.actor:on_spawn(function() return "body" end)
    world.actor:on_add(function(e) body = world.actor:body(e) end)
    world:create { actor = {} }
    assert.equal("body", body)
  end)
end)

describe("on_remove", function()
  it("runs at once, while all components can still be read", function()
    local world, entities, alpha, beta = fresh()
    local count = 0
    for _, m in ipairs { alpha, beta, world.transform } do
      m:on_remove(function(e, instance)
        count = count + 1
        assert.equal(e, m:entity(instance))
        assert.are.same({ 5, 6, 1 }, { alpha:n(e), beta:n(e), (world.transform:world_position(e)) })
      end)
    end
    local function make()
      return world:create { alpha = { n = 5 }, beta = { n = 6 }, transform = { position = { 1, 2, 3 } } }
    end
    entities:destroy(make())
    assert.equal(3, count)
    make()
    make()
    world:clear()
    assert.equal(9, count)
    world:gc()
    make()
    world:clear { entities = true }
    assert.equal(12, count)
    make()
    world:destroy()
    assert.equal(15, count)
  end)

  it("runs in order: entity callbacks, hooks in spawn order, actors", function()
    local world, entities, alpha = fresh()
    local order = {}
    local function note(text) return function() order[#order + 1] = text end end
    alpha:on_remove(note "alpha")
    world.transform:on_remove(note "transform")
    world.actor:on_remove(note "actor")
    world.actor:on_destroy(note "body")
    entities:on_destroy(note "entity")
    local wanted = "transform actor alpha body"
    local e = world:create { alpha = {}, transform = {}, actor = { body = 1 } }
    entities:destroy(e)
    assert.equal("entity " .. wanted, flush(order))
    world:create { alpha = {}, transform = {}, actor = { body = 1 } }
    world:clear()
    assert.equal(wanted, flush(order))
    e = world:create { actor = { body = 1 } }
    world.actor:destroy(e)
    assert.equal("actor body", flush(order))
  end)

  it("runs once for each component, and not again in gc or for a reused index", function()
    local world, entities, alpha = fresh { minimum_free_indices = 0 }
    local log = logging(alpha)
    local e = world:create { alpha = {} }
    entities:destroy(e)
    local other = entities:create()
    assert.equal(cuttle.entity_index(e), cuttle.entity_index(other))
    alpha:create(other)
    alpha:gc "all"
    world:gc()
    alpha:destroy(other)
    assert.equal("alpha+0 alpha-0 alpha+0 alpha-0", flush(log))
  end)

  it("runs for each of several components of an entity, and for a single one", function()
    local world, entities, _, beta = fresh()
    local seen = {}
    beta:on_remove(function(_, instance) seen[#seen + 1] = beta:id(instance) end)
    local e = world:create { beta = { { id = "a" }, { id = "b" }, { id = "c" } } }
    assert.equal(1, beta:destroy(beta:lookup(e, "b")))
    assert.equal("b", flush(seen))
    assert.equal(2, beta:destroy(e))
    assert.equal("a c", flush(seen))
    e = world:create { beta = { { id = "a" }, { id = "b" } } }
    entities:destroy(e)
    assert.equal("a b", flush(seen))
  end)

  it("that raises stops nothing, and its error is raised at the end", function()
    local world, entities, alpha, beta = fresh()
    local log = logging(alpha, beta)
    alpha:on_remove(function() error("first", 0) end)
    beta:on_remove(function() error("second", 0) end)
    local level = assert(world:spawn(blob_of(world, { { components = { alpha = {}, beta = { {} } } } })))
    flush(log)
    raises("first", level.unload, level)
    assert.equal("alpha-0 beta-0", flush(log))
    local e = world:create { alpha = {}, beta = {} }
    raises("first", alpha.destroy, alpha, e)
    raises("second", beta.destroy, beta, e)
    assert.is_false(alpha:has(e))
    world:create { alpha = {}, beta = {} }
    flush(log)
    raises("first", world.clear, world)
    assert.equal("alpha-2 beta-2", flush(log))
    raises("first", entities.destroy, entities, world:create { alpha = {} })
    world:create { alpha = {} }
    raises("first", world.destroy, world)
    raises("world is destroyed", alpha.count, alpha)
  end)

  it("that removes its own component or destroys its owner runs the other hooks first, each once", function()
    for _, how in ipairs { "entity", "component" } do
      local world, entities, alpha, beta = fresh()
      alpha:on_remove(function(e)
        if how == "entity" then entities:destroy(e) else alpha:destroy(e) end
      end)
      local log = logging(alpha, beta)
      local e = world:create { alpha = {}, beta = {} }
      flush(log)
      alpha:destroy(e)
      assert.equal(how == "entity" and "alpha-0 beta-0" or "alpha-0", flush(log))
      assert.is_false(alpha:has(e))
      world:create { alpha = {}, beta = {} }
      flush(log)
      world:clear()
      assert.truthy(("alpha-1 beta-1 beta-0"):find(flush(log), 1, true))
      assert(world:validate())
    end
  end)

  it("cannot remove other components of a dying entity, but callbacks of the entity can", function()
    local world, entities, alpha, beta = fresh()
    local log = logging(alpha, beta)
    local token = alpha:on_remove(function(e) assert.equal(0, beta:destroy(e)) end)
    entities:destroy(world:create { alpha = {}, beta = {} })
    assert.equal("alpha+0 beta+0 alpha-0 beta-0", flush(log))
    alpha:off_remove(token)
    entities:on_destroy(function(e) beta:destroy(e) end)
    entities:destroy(world:create { alpha = {}, beta = {} })
    assert.equal("alpha+1 beta+1 beta-1 alpha-1", flush(log))
  end)

  it("runs when a callback of a dying entity clears the world", function()
    local world, entities, alpha = fresh()
    local log = logging(alpha)
    entities:on_destroy(function() world:clear() end)
    entities:destroy(world:create { alpha = {} })
    assert.equal("alpha+0 alpha-0", flush(log))
  end)

  it("runs when a world is collected, and its errors are dropped", function()
    local calls = 0
    do
      local world, _, alpha = fresh()
      alpha:on_remove(function(e)
        assert.is_true(alpha:has(e))
        calls = calls + 1
        error "dropped"
      end)
      world:create({ alpha = {} }, 3)
    end
    collectgarbage()
    collectgarbage()
    assert.equal(3, calls)
  end)

  it("cannot create, spawn, define or clear while the world is destroyed or cleared", function()
    for _, finish in ipairs { "destroy", "clear" } do
      local world, entities, alpha = fresh()
      local resource = blob_of(world, { { components = { alpha = {} } } })
      local level = assert(world:spawn(resource))
      local messages = {}
      alpha:on_remove(function()
        local function try(fn, ...)
          local ok, a, b = pcall(fn, ...)
          messages[#messages + 1] = tostring(ok and (b or "worked") or a)
        end
        try(alpha.create, alpha, entities:create())
        try(world.create, world, { alpha = {} })
        try(world.create, world, { alpha = {} }, 2)
        try(world.spawn, world, resource)
        try(level.restart, level)
        if finish == "destroy" then try(world.define, world, "gamma", {}) end
        if finish == "destroy" then
          try(world.debug_name.set_debug_name, world.debug_name, entities:create(), "x")
        end
        local ok, message = pcall(world.clear, world)
        assert.is_false(ok)
        assert.truthy(message:find("world is in use", 1, true))
      end)
      world[finish](world)
      assert.equal(finish == "destroy" and 7 or 5, #messages)
      for i, message in ipairs(messages) do
        local wanted = finish == "destroy" and "world is being destroyed" or "world is being cleared"
        if not (finish == "destroy" and i == 5) then assert.truthy(message:find(wanted, 1, true), message) end
      end
    end
  end)
end)

describe("hooks", function()
  it("are removed by their token, once, and only by the same manager and the same kind of hook", function()
    local _, entities, alpha, beta = fresh()
    local count = 0
    local token = alpha:on_add(function() count = count + 1 end)
    assert.is_false(alpha:off_remove(token))
    assert.is_false(beta:off_add(token))
    alpha:create(entities:create())
    assert.is_true(alpha:off_add(token))
    assert.is_false(alpha:off_add(token))
    alpha:create(entities:create())
    assert.equal(1, count)
    raises("function expected", alpha.on_add, alpha, 3)
    raises("number expected, got string", alpha.off_add, alpha, "x")
  end)

  it("may remove each other, and hooks added meanwhile run from the next component on", function()
    local _, entities, alpha = fresh()
    local log, token = {}, nil
    alpha:on_add(function()
      alpha:off_add(token)
      if #log == 0 then alpha:on_add(function() log[#log + 1] = "new" end) end
      log[#log + 1] = "first"
    end)
    token = alpha:on_add(function() log[#log + 1] = "removed" end)
    alpha:create(entities:create())
    assert.equal("first", table.concat(log, " "))
    alpha:create(entities:create())
    assert.equal("first first new", flush(log))
  end)

  it("that are removed while an entity dies do not prevent its body's on_destroy", function()
    local world, entities = fresh()
    local ended, token
    world.actor:on_destroy(function(_, body) ended = body end)
    token = world.actor:on_remove(function() world.actor:off_remove(token) end)
    entities:destroy(world:create { transform = {}, actor = { body = 5 } })
    assert.equal(5, ended)
  end)

  it("survive a define that replaces the manager", function()
    local world, entities, alpha = fresh()
    local log = logging(alpha)
    local gone = alpha:on_add(function() error "removed" end)
    local again = world:define("alpha", { { "other", "string" } })
    assert.is_true(again:off_add(gone))
    again:create(entities:create(), { other = "x" })
    world:clear()
    assert.equal("alpha+0 alpha-0", flush(log))
    assert(world:validate())
  end)

  it("run only for the components of their own world", function()
    local world, entities, alpha = fresh()
    local other = cuttle.world(entities)
    local other_alpha = other:define("alpha", {})
    local log = logging(alpha)
    local other_log = logging(other_alpha)
    local e = entities:create()
    alpha:create(e)
    assert.are.same({ "alpha+0", "" }, { flush(log), flush(other_log) })
    other_alpha:create(e)
    world:destroy()
    assert.are.same({ "alpha-0", "alpha+0" }, { flush(log), flush(other_log) })
    entities:destroy(e)
    assert.equal("alpha-0", flush(other_log))
  end)

  it("do not run again for components removed from a dying entity after its hooks ran", function()
    local world, entities, alpha = fresh()
    local other = cuttle.world(entities)
    local other_alpha = other:define("alpha", {})
    local log = logging(alpha)
    other_alpha:on_remove(function(e) assert.equal(1, alpha:destroy(e)) end)
    local e = world:create { alpha = {} }
    other_alpha:create(e)
    entities:destroy(e)
    assert.equal("alpha+0 alpha-0", flush(log))
    assert.equal(0, alpha:count())
  end)

  it("run in order of registration and can be removed in any order, in any number", function()
    local count = rounds(5000, 500)
    local world, entities, alpha = fresh()
    local calls
    for _, kind in ipairs { { entities, "on_destroy", "off_destroy" }, { alpha, "on_add", "off_add" } } do
      local tokens, expected, object = {}, {}, kind[1]
      for i = 1, count do tokens[i] = object[kind[2]](object, function() calls[#calls + 1] = i end) end
      for i = 1, count do
        local place = (i * 7919) % count + 1
        if place % 10 ~= 0 then assert.is_true(object[kind[3]](object, tokens[place])) end
      end
      for i = 10, count, 10 do expected[#expected + 1] = i end
      calls = {}
      local e = world:create { alpha = {} }
      if object == entities then calls = {} end
      entities:destroy(e)
      assert.same(expected, calls)
      for i = 1, count do assert.equal(i % 10 == 0, object[kind[3]](object, tokens[i])) end
    end
  end)

  it("leave every state valid when memory runs out", function()
    if not core.testing then return pending "only test builds make allocations fail" end
    for failing = 0, 300 do
      local world, entities, alpha, beta = fresh()
      local made = world:create { alpha = {}, beta = {} }
      core.testing.fail_in(failing)
      local ok = pcall(function()
        local log = logging(alpha, beta)
        for _ = 1, 6 do world:create({ alpha = {}, beta = { {}, {} } }, 5) end
        beta:create_many({ made, made, made })
        assert(#log > 0)
      end)
      core.testing.fail_in(-1)
      assert(world:validate())
      assert.equal(alpha:count(), entities:count())
      world:clear { entities = true }
      if ok then return end
    end
    error "the calls failed with every number of allocations"
  end)
end)

describe("hooks compared with a model, seed " .. seed, function()
  local function key_of(m, e, instance)
    local text = m:name() .. " " .. cuttle.entity_id(e)
    return m:name() == "beta" and text .. " " .. m:id(instance) or text
  end

  local ADD_REASONS = { create = true, spawn = true, restart = true }
  local REMOVE_REASONS = { remove = true, destroy = true, unload = true, restart = true, clear = true, undo = true,
    world = true }

  -- Every component is in 'known' from on_add to on_remove.
  local function game()
    local g = { known = {}, depth = 0, mischief = true }
    g.world, g.entities = fresh { minimum_free_indices = math.random(0, 1) * 3 }
    local world, entities = g.world, g.entities
    world.actor:on_spawn(function() return {} end)
    world.actor:on_destroy(function() g.misbehave() end)
    world:define("gamma", {})
    local names = { "alpha", "beta", "gamma", "transform", "debug_name", "actor" }
    local all, levels = {}, {}
    local function any_entity()
      for _ = 1, 4 do
        local e = #all > 0 and all[math.random(#all)]
        if e and entities:alive(e) then return e end
      end
      return entities:create()
    end
    local function random_components()
      local c = {}
      for _, name in ipairs(names) do
        if math.random(3) == 1 then c[name] = {} end
      end
      if c.debug_name then c.debug_name.name = "n" .. math.random(9) end
      if c.beta and math.random(2) == 1 then c.beta = { {}, {} } end
      return c
    end
    local function keep(e) all[#all + 1] = e end
    local resource = blob_of(world, {
      { name = "a", components = { alpha = {}, transform = {}, beta = { {}, {} }, actor = {} } },
      { name = "b", parent = "a", components = { transform = {}, gamma = {} } },
      { components = { alpha = {}, debug_name = { name = "x" } } } })
    local template = world:template { alpha = {}, transform = {}, beta = { {}, {} } }
    local steps = {
      function() keep(world:create(random_components())) end,
      function() keep(template:create()) end,
      function() for _, e in ipairs(template:create(3)) do keep(e) end end,
      function()
        local c = random_components()
        if type(c.beta) == "table" and c.beta[1] then c.beta = {} end
        for _, e in ipairs(world:create(c, math.random(0, 4))) do keep(e) end
      end,
      function()
        local m = world:manager(names[math.random(#names)])
        local e = any_entity()
        local instance = m:create(e, m:name() == "debug_name" and { name = "y" } or nil)
        if instance then keep(m:entity(instance)) end
      end,
      function()
        local m = world:manager(names[math.random(4)])
        m:create_many(entities:create(math.random(3)))
      end,
      function() world.debug_name:set_debug_name(any_entity(), "z" .. math.random(5)) end,
      function()
        local overrides = math.random(2) == 1 and { b = { alpha = {} } } or nil
        local level = world:spawn(resource, { overrides = overrides })
        if not level then return end
        levels[#levels + 1] = level
        for _, e in ipairs(level:list():totable()) do keep(e) end
      end,
      function() levels[#levels + 1] = world:spawn_many(resource, math.random(0, 3)) end,
      function() if levels[1] then levels[math.random(#levels)]:unload() end end,
      function() if levels[1] then levels[math.random(#levels)]:restart() end end,
      function() entities:destroy(any_entity()) end,
      function() entities:destroy { any_entity(), any_entity() } end,
      function() world:manager(names[math.random(#names)]):destroy(any_entity()) end,
      function()
        local m = world:manager(names[math.random(#names)])
        if m:count() == 0 then return end
        m:destroy(m:at(math.random(0, m:count() - 1)))
      end,
      function() world:gc() end,
      function() world:manager(names[math.random(#names)]):gc "all" end,
      function() if math.random(4) == 1 then world:clear { entities = math.random(2) == 1 } end end,
      function() world:define("gamma", { { "f" .. math.random(3), "float" } }) end,
      function() collectgarbage "step" end,
    }
    function g.step() pcall(steps[math.random(#steps)]) end
    function g.misbehave()
      if not g.mischief or g.depth > 3 then return end
      g.depth = g.depth + 1
      if math.random(3) == 1 then g.step() end
      g.depth = g.depth - 1
      if math.random(9) == 1 then error "mischief" end
    end
    local function hook(name)
      local m = world:manager(name)
      m:on_add(function(e, instance, reason)
        m = world:manager(name)
        g.wrong = g.wrong or not ADD_REASONS[reason] and "on_add got the reason " .. tostring(reason)
        local key = key_of(m, e, instance)
        g.wrong = g.wrong or g.known[key] and "on_add ran twice: " .. key
        g.known[key] = true
        g.wrong = g.wrong or not entities:alive(e) and "on_add ran for a dead entity: " .. key
        g.misbehave()
      end)
      m:on_add(function() g.misbehave() end)
      m:on_remove(function(e, instance, reason)
        m = world:manager(name)
        g.wrong = g.wrong or not REMOVE_REASONS[reason] and "on_remove got the reason " .. tostring(reason)
        if m:entity(instance) ~= e then g.wrong = g.wrong or "on_remove got an instance of another entity" end
        local key = key_of(m, e, instance)
        g.wrong = g.wrong or not g.known[key] and "on_remove ran twice, or without on_add: " .. key
        g.known[key] = nil
        g.misbehave()
      end)
      m:on_remove(function(e)
        g.wrong = g.wrong or not m:has(e) and "the component was removed before all hooks ran"
        g.misbehave()
      end)
    end
    for _, name in ipairs(names) do hook(name) end
    function g.check()
      assert(not g.wrong, g.wrong)
      assert(world:validate())
      local present = {}
      for _, name in ipairs(names) do
        local m = world:manager(name)
        for e, instance in m:each() do
          while instance do
            present[key_of(m, e, instance)] = true
            instance = m:next(instance)
          end
        end
      end
      for key in pairs(present) do assert(g.known[key], "on_add did not run: " .. key) end
      for key in pairs(g.known) do assert(present[key], "on_remove did not run: " .. key) end
    end
    return g
  end

  it("run once when a component is added, and once when it is removed", function()
    math.randomseed(seed)
    for _ = 1, rounds(10, 3) do
      local g = game()
      for _ = 1, 60 do
        g.step()
        g.check()
      end
      g.mischief = math.random(2) == 1
      pcall(g.world.destroy, g.world)
      assert(not g.wrong, g.wrong)
      assert.is_nil(next(g.known))
    end
  end)
end)
