-- Tables with __index in their metatables: their fields are not read, so calls that take components refuse them.

-- tags: ffi

local cuttle = require "cuttle"
local raises = require "spec.support.raises"

local REFUSED = "table has __index in its metatable, which is not read: copy its values into a plain table"

-- Returns a table whose metatable yields the values.
local function behind(values, own)
  return setmetatable(own or {}, { __index = values })
end

describe("a table with __index", function()
  local entities, world, e

  before_each(function()
    entities = cuttle.entity_manager()
    world = cuttle.world(entities)
    world:define("health", { { "hp", "float", 100 }, { "place", "vec3" }, { "tint", "color" }, { "kept", "value" },
      { "target", "entity" } })
    world:define("item", { { "amount", "int32", 1 } }, { multiple = true })
    e = entities:create()
  end)

  -- Asserts that a call raises for its argument, names the place, and creates nothing.
  local function refused(number, name, place, fn, ...)
    local before = { entities:count(), world.health:count(), world.item:count() }
    raises(("bad argument #%d to '%s' (%s%s)"):format(number, name, place, REFUSED), fn, ...)
    assert.same(before, { entities:count(), world.health:count(), world.item:count() })
    assert.is_true(world:validate())
  end

  it("is refused by world:create and world:template, at each depth", function()
    for name, call in pairs {
      create = function(components)
        local made = world:create(components)
        return made
      end,
      template = function(components)
        local made = world:template(components)
        return made
      end,
    } do
      refused(1, name, "", call, behind { health = { hp = 1 } })
      refused(1, name, "", call, behind({ health = { hp = 1 } }, { item = {} }))
      refused(1, name, "health: ", call, { health = behind { hp = 1 } })
      refused(1, name, "health: ", call, { health = behind({ place = { 1, 2, 3 } }, { hp = 1 }) })
      refused(1, name, "health: place: ", call, { health = { place = behind { 1, 2, 3 } } })
      refused(1, name, "health: place: ", call, { health = { place = behind({}, { 1, 2, 3 }) } })
      refused(1, name, "item: ", call, { item = behind({}, { { amount = 2 } }) })
      refused(1, name, "item[2]: ", call, { item = { { amount = 2 }, behind { amount = 3 } } })
      refused(1, name, "transform: position: ", call, { transform = { position = behind({}, { 1, 2, 3 }) } })
    end
  end)

  it("is refused by world:create of several entities", function()
    local function create(components)
      local made = world:create(components, 2)
      return made
    end
    refused(1, "create", "health: ", create, { health = behind { hp = 1 } })
    refused(1, "create", "health: hp: ", create, { health = { hp = behind({}, { 1, 2 }) } })
    refused(1, "create", "health: place[2]: ", create, { health = { place = { { 1, 2, 3 }, behind { 1, 2, 3 } } } })
  end)

  it("is refused by create, create_many and set of a manager", function()
    local health, item = world.health, world.item
    local function create(values)
      local made = health:create(e, values)
      return made
    end
    refused(2, "create", "", create, behind { hp = 1 })
    refused(2, "create", "place: ", create, { place = behind { 1, 2, 3 } })
    refused(2, "create", "id: ", function() item:create(e, { id = behind { "a" } }) end)
    local owners = { entities:create(), e }
    local function many(values)
      local made = health:create_many(owners, values)
      return made
    end
    refused(2, "create_many", "", many, behind { hp = 1 })
    refused(2, "create_many", "hp: ", many, { hp = behind({}, { 1, 2 }) })
    refused(2, "create_many", "kept: ", many, { kept = behind({}, { 1, 2 }) })
    refused(2, "create_many", "place[1]: ", many, { place = { behind { 1, 2, 3 }, { 1, 2, 3 } } })
    health:create(e, { hp = 5 })
    refused(2, "set", "", function() health:set(e, behind { hp = 1 }) end)
    refused(2, "set", "place: ", function() health:set(e, { place = behind { 1, 2, 3 } }) end)
    refused(2, "set_place", "", function() health:set_place(e, behind { 1, 2, 3 }) end)
    refused(3, "write_many", "place[1]: ", function()
      health:write_many({ e }, "place", { behind { 1, 2, 3 } })
    end)
    assert.equal(5, health:hp(e))
  end)

  it("is refused by columns", function()
    world.health:create(e)
    refused(1, "fill", "hp: ", function() world.health:column("hp"):fill(behind({}, { 1 })) end)
    refused(1, "fill", "", function() world.health:column("target"):fill(behind({}, { false })) end)
  end)

  it("is refused in the overrides of a spawn", function()
    local compiler = cuttle.compiler(world)
    local resource = assert(cuttle.resource(assert(compiler:compile {
      entities = { { name = "a", components = { health = {}, item = { { id = "x" } } } } } })))
    local function spawn(overrides)
      local made = world:spawn(resource, { overrides = overrides })
      return made
    end
    refused(2, "spawn", "overrides: ", spawn, behind { a = { health = { hp = 1 } } })
    refused(2, "spawn", "overrides: a: ", spawn, { a = behind { health = { hp = 1 } } })
    refused(2, "spawn", "overrides: a: health: ", spawn, { a = { health = behind { hp = 1 } } })
    refused(2, "spawn", "overrides: a: item: ", spawn, { a = { item = behind({}, { { id = "x", amount = 2 } }) } })
  end)

  it("is kept as it is by a value field", function()
    local object = behind { name = "hero" }
    world.health:create(e, { kept = object })
    assert.equal(object, world.health:kept(e))
    assert.equal("hero", world.health:kept(world:create { health = { kept = object } }).name)
    assert.equal(object, world.health:kept(world:template({ health = { kept = object } }):create()))
  end)

  it("differs from a table with other metatable fields, which is accepted", function()
    local marked = setmetatable({ hp = 7, place = setmetatable({ 1, 2, 3 }, { __name = "vector" }) },
      { __jsontype = "object" })
    world.health:create(e, marked)
    assert.equal(7, world.health:hp(e))
    assert.equal(7, world.health:hp(world:create(setmetatable({ health = marked }, { __mode = "k" }))))
  end)

  it("is refused as level source, with its place", function()
    local compiler = cuttle.compiler(world)
    local function refuses(place, source)
      local blob, message = compiler:compile(source, { name = "level" })
      assert.is_nil(blob)
      assert.equal("level: " .. place .. REFUSED, message)
    end
    local function entry(components) return { entities = { { name = "a" }, { components = components } } } end
    refuses("", behind { entities = {} })
    refuses("entities: ", { entities = behind({}, { { name = "a" } }) })
    refuses("entities[1]: ", { entities = { behind { name = "a" } } })
    refuses("entities[1].children: ", { entities = { { children = behind { { name = "a" } } } } })
    refuses("entities[1].children[2]: ", { entities = { { children = { {}, behind { name = "a" } } } } })
    refuses("entities[2].components: ", entry(behind { health = { hp = 1 } }))
    refuses("entities[2].components.health: ", entry { health = behind { hp = 1 } })
    refuses("entities[2].components.health: ", entry { health = behind({ hp = 1 }, { target = "a" }) })
    refuses("entities[2].components.health.place: ", entry { health = { place = behind { 1, 2, 3 } } })
    refuses("entities[2].components.health.place: ", entry { health = { target = "a",
      place = behind({}, { 1, 2, 3 }) } })
    refuses("entities[2].components.item: ", entry { item = behind({}, { { amount = 2 } }) })
    refuses("entities[2].components.item[1]: ", entry { item = { behind { amount = 2 } } })
    refuses("entities[2].components.debug_name: ", entry { debug_name = behind { name = "x" } })
    refuses("entities[1].components.debug_name: ", { entities = { { name = "a",
      components = { debug_name = behind { name = "a" } } } } })
    local blob, message = compiler:compile(entry { health = { kept = behind { 1 } } }, { name = "level" })
    assert.is_nil(blob)
    assert.matches("^level: entities%[2%]%.components%.health%.kept: .*a table with __index", message)
  end)

  it("is refused in overrides of a prefab", function()
    local compiler = cuttle.compiler(world)
    local function read()
      return '{"entities":[{"name":"p","components":{"health":{"hp":3}},"children":[{"name":"c"}]}]}'
    end
    local function compile(entry)
      entry.prefab = "p"
      return compiler:compile({ entities = { entry } }, { read = read })
    end
    for place, overrides in pairs {
      ["overrides: "] = behind { c = {} },
      ['overrides["c"]: '] = { c = behind { health = { hp = 1 } } },
      ['overrides["c"].health: '] = { c = { health = behind { hp = 1 } } },
    } do
      local blob, message = compile { overrides = overrides }
      assert.is_nil(blob)
      assert.equal("source: entities[1]." .. place .. REFUSED, message)
    end
    local blob, message = compile { components = { health = behind { hp = 1 } } }
    assert.is_nil(blob)
    assert.equal("source: entities[1].components.health: " .. REFUSED, message)
  end)
end)
