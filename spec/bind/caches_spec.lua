-- Caches: data of an earlier call is not used after a change.

local cuttle = require "cuttle"
local valid = require "spec.support.valid"

local function new_world()
  local entities = cuttle.entity_manager()
  return cuttle.world(entities), entities
end

describe("a loop over a kept query", function()
  it("notices that a patch which fails has created and removed entities", function()
    local world = new_world()
    world:define("a", { { "x", "float" } })
    world:define("b", { { "y", "float" } })
    world:define("h", { { "hp", "int32", 10 } })
    local compiler = cuttle.compiler(world)
    local function resource(list) return cuttle.resource((assert(compiler:compile { entities = list }))) end
    local all = {}
    for i = 1, 6 do all[i] = world:create { a = {} } end
    for i = 6, 1, -1 do world.b:create(all[i]) end
    local level = assert(world:spawn(resource { { name = "n", components = { h = {} } } }))
    world:define("h", { { "hp", "string" } }, { migrate = true })
    local new = resource { { name = "n", components = { h = {} } }, { name = "m" } }
    local query, seen, result = world:query("a", "b"), {}, nil
    query:count()
    for e in query:each() do
      seen[#seen + 1] = e
      if #seen == 2 then result = level:patch(new) end
    end
    assert.is_nil(result)
    assert.same(all, seen)
    valid(world)
  end)
end)

describe("components that differ in the labels of enums", function()
  it("have their own items", function()
    local world = new_world()
    world:define("p", { { "x", "double", 7 } })
    world:define("q", { { "x", "enum", { "double" } } })
    world:define("r", { { "x", "enum", { "a", "b", "c" } } })
    world:define("s", { { "x", "enum", { "a\1b", "c" } } })
    for i = 1, 40 do world:create { p = { x = i }, q = {}, r = { x = "c" }, s = { x = "c" } } end
    for item in world:query("p"):items() do assert.is_number(item.x) end
    for _, name in ipairs { "q", "r", "s" } do
      for item in world:query(name):items() do
        assert.equal(name == "q" and "double" or "c", item.x)
        assert.is_false((pcall(function() item.x = -1.25e300 end)))
      end
    end
    valid(world)
  end)

  it("have their own methods", function()
    local one, other = new_world(), new_world()
    one:define("p", { { "k", "enum", { "a", "b" } }, { "c", "int32" }, { "d", "enum", { "z" } } })
    other:define("p", { { "k", "enum", { "a", "b", "c", "\6d", "\17z" } } })
    assert.is_nil(other.p.c)
    assert.is_nil(other.p.set_c)
  end)

  it("have their own snapshots", function()
    local world, entities = new_world()
    world:define("p", { { "k", "enum", { "a", "b", "float" } }, { "m", "enum", { "x" } }, { "c", "int32" } })
    for i = 1, 10 do world:create { p = { k = "float", c = i } } end
    local snapshot = entities:snapshot()
    for e in entities:each() do entities:destroy(e) end
    world:gc "all"
    world:define("p", { { "k", "enum", { "a" } }, { "b", "float" }, { "m", "enum", { "x", "c", "int32" } } })
    assert.has_error(function() entities:restore(snapshot) end,
      "component 'p' of world 'world1' was defined with other fields")
    valid(world)
  end)
end)

describe("a publisher", function()
  it("sees a text that has the number of a text which world:trim dropped", function()
    local server, client = new_world(), new_world()
    server:define("label", { { "text", "string" } })
    client:define("label", { { "text", "string" } })
    local out, sub = cuttle.publisher(server, { components = { "label" } }), cuttle.subscriber(client)
    local e = server:create { label = { text = "x" } }
    out:frame()
    assert(sub:apply(out:message(0)))
    server.label:set_text(e, "")
    server:trim()
    server.label:set_text(e, "y")
    assert(sub:apply(out:message(out:frame() - 1)))
    assert.equal("y", client.label:text(sub:entity(cuttle.entity_id(e))))
  end)
end)

describe("an expression", function()
  it("is compiled again after a component behind 'at' was defined again", function()
    local world = new_world()
    world:define("link", { { "target", "entity" } })
    world:define("health", { { "hp", "float", 7 } })
    world:create { link = { target = world:create { health = { hp = 5 } } } }
    local query = world:query "link"
    assert.equal(5, query:sum "at(link.target, health.hp)")
    world:define("health", { { "hp", "float", 7 }, { "max", "float" } }, { migrate = true })
    assert.equal(5, query:sum "at(link.target, health.hp)")
  end)

  it("has the present defaults of absent components", function()
    local world = new_world()
    world:define("a", { { "x", "float", 1 }, { "other", "entity" } })
    world:define("b", { { "y", "float", 10 } })
    local e = world:create { a = {} }
    world.a:set_other(e, e)
    local query = world:query("a", "?b")
    local set = query:formula "a.x = b.y + at(a.other, b.y)"
    local chosen = query:where "b.y == 10"
    assert.equal(1, chosen:count())
    assert.equal(10, query:sum "b.y")
    world:define("b", { { "y", "float", 20 } })
    assert.equal(20, query:sum "b.y")
    assert.equal(0, chosen:count())
    set()
    assert.equal(40, world.a:x(e))
  end)
end)

describe("world:create", function()
  it("tells long names of components apart", function()
    local world = new_world()
    local function name(letter) return letter:rep(50) end
    world:define(name "a", { { "x", "float" } })
    world:define(name "b", { { "x", "float" } })
    for i = 1, 20000 do
      local wanted = name(i % 2 == 0 and "a" or "b")
      local e = world:create { [wanted] = { x = i } }
      if not world:manager(wanted):has(e) then error("a wrong component at " .. i) end
      if i % 1000 == 0 then collectgarbage() end
    end
  end)
end)
