-- Meshes and mesh resources.

-- tags: ffi

local cuttle = require "cuttle"
local compile = require "spec.support.compile"
local core = require "cuttle.core"
local new_scene = require "spec.support.scene"
local raises = require "spec.support.raises"
local rounds = require "spec.support.rounds"
local seed = require "spec.support.seed"
local valid = require "spec.support.valid"

-- A world with two resources, its meshes, and a function that makes a mesh.
local function scene()
  local meshes, make, entities, world = new_scene "mesh"
  meshes:define_resource("body", { triangles = 12 })
  meshes:define_resource("glass", { triangles = 2 })
  return meshes, function(values) return make(values or { resource = "body" }) end, entities, world
end

describe("a mesh", function()
  it("is white and visible by default", function()
    local meshes, make = scene()
    local e = make { resource = "glass" }
    assert.are.same({ resource = "glass", color = { 1, 1, 1, 1 }, visible = true }, meshes:get(e))
  end)

  it("has the values that it is created with", function()
    local meshes, make = scene()
    local e = make { resource = "glass", color = { 0, 0.5, 1, 0.25 }, visible = false }
    assert.are.same({ resource = "glass", color = { 0, 0.5, 1, 0.25 }, visible = false }, meshes:get(e))
  end)

  it("lists its fields", function()
    assert.are.same({ { "resource", "string" }, { "color", "color" }, { "visible", "bool" } }, (scene():fields()))
  end)

  it("needs a resource", function()
    local meshes, _, entities, world = scene()
    raises("resource: required", function() meshes:create(entities:create()) end)
    raises("resource: required", function() meshes:create(entities:create(), { visible = true }) end)
    raises("mesh: resource: required", function() world:create { mesh = {} } end)
    assert.equal(0, meshes:count())
  end)

  it("may be one of several on an entity, distinguished by ids", function()
    local meshes, make, _, world = scene()
    local e = make { id = "hull", resource = "body" }
    meshes:create(e, { id = "window", resource = "glass" })
    meshes:create(e, { resource = "glass", visible = false })
    assert.are.same({ "hull", "window", 1 }, meshes:ids(e))
    assert.equal("glass", meshes:resource(meshes:lookup(e, "window")))
    assert.is_false(meshes:visible(meshes:lookup(e, 1)))
    local count = 0
    for instance in meshes:instances(e) do
      count = count + 1
      assert.equal(e, meshes:entity(instance))
    end
    assert.equal(3, count)
    valid(world)
  end)

  it("is changed field by field", function()
    local meshes, make, _, world = scene()
    local e = make()
    meshes:set_resource(e, "glass")
    meshes:set_color(e, 0, 0, 1, 1)
    meshes:set_visible(e, false)
    assert.are.same({ resource = "glass", color = { 0, 0, 1, 1 }, visible = false }, meshes:get(e))
    meshes:write(e, "resource", "body")
    assert.equal("body", meshes:read(e, "resource"))
    valid(world)
  end)

  it("is changed through columns, except for its resource", function()
    local meshes, make, _, world = scene()
    local row = meshes:row(make())
    meshes:column("visible")[row] = false
    meshes:column("color")[row].g = 0.5
    assert.is_false(meshes:column("visible")[row])
    assert.equal(0.5, meshes:column("color")[row].g)
    assert.equal("body", meshes:column("resource")[row])
    raises("mesh.resource is read-only", function() meshes:column("resource")[row] = "glass" end)
    raises("mesh.resource is read-only", function() meshes:column("resource"):set(row, "none") end)
    valid(world)
  end)
end)

describe("a mesh resource", function()
  it("is the same table that was defined", function()
    local meshes = scene()
    local desc = { vertices = { 1, 2, 3 } }
    meshes:define_resource("car", desc)
    assert.equal(desc, meshes:resource_data "car")
  end)

  it("is shared by all instances", function()
    local meshes, make = scene()
    local a, b = make(), make()
    assert.equal(meshes:resource_data(meshes:resource(a)), meshes:resource_data(meshes:resource(b)))
  end)

  it("is replaced when it is defined again, for existing instances too", function()
    local meshes, make, _, world = scene()
    local e = make()
    meshes:define_resource("body", { triangles = 99 })
    assert.equal(99, meshes:resource_data(meshes:resource(e)).triangles)
    valid(world)
  end)

  it("stays defined when its last instance is removed", function()
    local meshes, make, entities, world = scene()
    entities:destroy(make { resource = "glass" })
    meshes:gc "all"
    assert.equal(2, meshes:resource_data "glass".triangles)
    world:clear()
    make { resource = "glass" }
    valid(world)
  end)

  it("belongs to its world", function()
    local _, _, entities = scene()
    local other = cuttle.world(entities).mesh
    raises("unknown mesh resource 'body'", other.resource_data, other, "body")
    raises("unknown mesh resource 'body'", other.create, other, entities:create(), { resource = "body" })
  end)

  it("needs a name and a table", function()
    local meshes = scene()
    raises("string expected, got number", function() meshes:define_resource(1, {}) end)
    raises("name of 1 to", function() meshes:define_resource("", {}) end)
    raises("table expected, got nil", function() meshes:define_resource("car", nil) end)
    raises("unknown mesh resource 'car'", function() meshes:resource_data "car" end)
    raises("string expected, got no value", function() meshes:resource_data() end)
  end)

  it("may have a name of any bytes", function()
    local meshes, make = scene()
    for _, name in ipairs { "a\0b", "a\0c", ("x"):rep(1000), "%s%n" } do
      meshes:define_resource(name, { name })
      assert.equal(name, meshes:resource(make { resource = name }))
      assert.equal(name, meshes:resource_data(name)[1])
    end
    raises("unknown mesh resource", make, { resource = "a\0d" })
  end)
end)

describe("an unknown mesh resource", function()
  it("is refused with the most similar known name", function()
    local meshes, make, _, world = scene()
    local e = make()
    local text = "unknown mesh resource 'glas' (did you mean 'glass'?)"
    raises("resource: " .. text, make, { resource = "glas" })
    raises("resource: " .. text, function() meshes:set_resource(e, "glas") end)
    raises("resource: " .. text, function() meshes:write(e, "resource", "glas") end)
    raises("resource: " .. text, function() meshes:set(e, { resource = "glas", visible = false }) end)
    raises("mesh: resource: " .. text, function() world:create { mesh = { resource = "glas" } } end)
    raises(text, function() meshes:resource_data "glas" end)
    assert.are.same({ resource = "body", color = { 1, 1, 1, 1 }, visible = true }, meshes:get(e))
    assert.equal(1, meshes:count())
    valid(world)
  end)

  it("is refused without a suggestion if no name is similar", function()
    local _, make = scene()
    local message = raises("unknown mesh resource 'zeppelin'", make, { resource = "zeppelin" })
    assert.is_nil(message:find "mean")
    raises("unknown mesh resource ''", make, { resource = "" })
    raises("unknown mesh resource 'yyy", make, { resource = ("y"):rep(5000) })
  end)

  it("is refused in create_many and world:create, and nothing is created", function()
    local meshes, _, entities, world = scene()
    local list = entities:create(3)
    raises("unknown mesh resource 'boby' (did you mean 'body'?)", meshes.create_many, meshes, list,
      { resource = { "body", "boby", "glass" } })
    raises("unknown mesh resource", world.create, world, { mesh = { resource = { "body", "no" } } }, 2)
    assert.equal(0, meshes:count())
    assert.equal(3, entities:count())
    meshes:create_many(list, { resource = { "body", "glass", "glass" } })
    assert.equal("glass", meshes:resource(list[3]))
    valid(world)
  end)

  it("is also a name that is used only in another component", function()
    local _, make, _, world = scene()
    world.debug_name:set_debug_name(make(), "orc")
    raises("unknown mesh resource 'orc'", make, { resource = "orc" })
  end)

  it("is refused at spawn before anything is created", function()
    local meshes, _, entities, world = scene()
    local resource = compile(world, {
      { components = { mesh = { { resource = "body" }, { resource = "glass" } }, transform = {} } },
      { components = { mesh = { resource = "glas" } } } })
    local level, message = world:spawn(resource)
    assert.is_nil(level)
    assert.equal("mesh: resource of instance 3: unknown mesh resource 'glas' (did you mean 'glass'?)", message)
    assert.equal(0, entities:count())
    assert.equal(0, meshes:count())
    meshes:define_resource("glas", {})
    level = assert(world:spawn(resource))
    assert.equal("glas", meshes:resource(level:entity(2)))
    valid(world)
  end)
end)

describe("meshes spawned from a level", function()
  it("have the compiled values and ids", function()
    local meshes, _, _, world = scene()
    local level = assert(world:spawn(compile(world, {
      { name = "car", components = { mesh = {
        { id = "hull", resource = "body", color = { 1, 0, 0, 1 } }, { resource = "glass", visible = false } } } } })))
    local car = level:find "car"
    assert.are.same({ "hull", 1 }, meshes:ids(car))
    assert.are.same({ resource = "body", color = { 1, 0, 0, 1 }, visible = true },
      meshes:get(meshes:lookup(car, "hull")))
    assert.is_false(meshes:visible(meshes:lookup(car, 1)))
    valid(world)
    level:restart()
    assert.equal(2, #meshes:ids(level:find "car"))
    level:unload()
    assert.equal(4, meshes:gc "all")
    valid(world)
  end)

  it("may use more resources than a spawn caches", function()
    local meshes, _, _, world = scene()
    local entities = {}
    for i = 1, 300 do
      meshes:define_resource("part" .. i, { i })
      entities[i] = { components = { mesh = { resource = "part" .. i } } }
    end
    local level = assert(world:spawn(compile(world, entities)))
    for i = 1, 300 do assert.equal("part" .. i, meshes:resource(level:entity(i))) end
    valid(world)
  end)
end)

describe("meshes, when memory runs out,", function()
  local fail_in = core.testing and core.testing.fail_in
  if not fail_in then return end
  after_each(function() fail_in(-1) end)

  it("define a resource completely or not at all", function()
    local meshes, make, _, world = scene()
    for i = 1, 100 do
      local name, n, ok = "part" .. i, 0
      repeat
        fail_in(n)
        ok = pcall(meshes.define_resource, meshes, name, {})
        fail_in(-1)
        if not ok then
          raises("unknown mesh resource", meshes.resource_data, meshes, name)
          raises("unknown mesh resource", make, { resource = name })
        end
        n = n + 1
      until ok
      assert.equal(name, meshes:resource(make { resource = name }))
    end
    valid(world)
  end)

  it("are created completely or not at all", function()
    local meshes, _, entities, world = scene()
    for i = 1, 20 do
      local e, n, ok = entities:create(), 0
      repeat
        fail_in(n)
        ok = pcall(meshes.create, meshes, e, { id = "id" .. i, resource = "body" })
        fail_in(-1)
        assert.equal(ok, meshes:has(e))
        valid(world)
        n = n + 1
      until ok
    end
  end)
end)

describe("meshes compared with a model, seed " .. seed, function()
  it("agree with a naive model", function()
    math.randomseed(seed)
    local meshes, _, entities, world = scene()
    local names = { "body", "glass" }
    local model, list = {}, {}
    for _ = 1, rounds(2000, 150) do
      local dice = math.random(12)
      local e = list[math.random(#list + 1)]
      if dice <= 2 or not e then
        e = entities:create()
        list[#list + 1], model[e] = e, {}
      elseif not entities:alive(e) then
        raises("is dead", meshes.create, meshes, e, { resource = "body" })
      elseif dice <= 6 then
        local name = names[math.random(#names)]
        meshes:create(e, { resource = name })
        table.insert(model[e], name)
      elseif dice == 7 and #model[e] > 0 then
        local place = math.random(#model[e])
        meshes:destroy(meshes:lookup(e, meshes:ids(e)[place]))
        table.remove(model[e], place)
      elseif dice == 8 then
        entities:destroy(e)
        model[e] = {}
      elseif dice == 9 then
        meshes:gc(math.random(2) == 1 and "all" or nil)
      elseif dice == 10 then
        names[#names + 1] = "part" .. #names
        meshes:define_resource(names[#names], {})
      elseif dice == 11 and #model[e] > 0 then
        local name = names[math.random(#names)]
        meshes:set_resource(e, name)
        model[e][1] = name
      else
        assert.equal(#model[e], meshes:destroy(e))
        model[e] = {}
      end
      valid(world)
      if e then
        local found = {}
        for instance in meshes:instances(e) do found[#found + 1] = meshes:resource(instance) end
        assert.are.same(model[e], found)
      end
    end
  end)
end)
