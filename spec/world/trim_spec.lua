-- world:trim: frees spare memory and changes nothing that scripts read, except memory().

-- tags: ffi

local cuttle = require "cuttle"
local raises = require "spec.support.raises"

-- A world with every kind of component, which had 3000 entities and has `left` of them.
local function grown(left)
  local entities = cuttle.entity_manager { minimum_free_indices = 0 }
  local world = cuttle.world(entities)
  world:define("health", { { "hp", "double" }, { "text", "string" } }, { lookup = "array" })
  world:define("part", { { "size", "float" } }, { multiple = true })
  world.model:define_resource("rig", { nodes = { { name = "root" }, { name = "tip", parent = "root" } } })
  world.mesh:define_resource("crate", {})
  local list, names = entities:create(3000), {}
  for i = 1, #list do names[i] = "name " .. i end
  world.transform:create_many(list, { position = { 1, 2, 3 } })
  world.debug_name:create_many(list, { name = names })
  world.health:create_many(list, { hp = 5, text = names })
  world.part:create_many(list, { size = 1 })
  world.part:create_many(list, { size = 2 })
  world.point_mass:create_many(list, { mass = 4 })
  world.mesh:create_many(list, { resource = "crate" })
  world.model:create_many(list, { resource = "rig" })
  local stay = {}
  for _ = 1, left do stay[#stay + 1] = table.remove(list, (#list * 7) % #list + 1) end
  entities:destroy(list)
  world:gc "all"
  return world, entities, stay
end

describe("world:trim", function()
  local world, entities

  after_each(function()
    if not world then return end
    assert.is_true(assert(world:validate()))
    assert.is_true(assert(entities:validate()))
  end)

  it("frees most of the memory of a large level, returns its bytes, and frees none the second time", function()
    local stay
    world, entities, stay = grown(0)
    assert.equal(0, #stay)
    local before = world:memory() + entities:memory()
    local given = world:trim()
    assert.equal(before - given, world:memory() + entities:memory())
    assert.is_true(world:memory() < before / 20, ("%d of %d bytes are kept"):format(world:memory(), before))
    assert.equal(0, world:trim())
  end)

  it("keeps all values, rows and instances, and new components can be added", function()
    local stay
    world, entities, stay = grown(10)
    local before, rows, instances = {}, {}, {}
    for i, e in ipairs(stay) do
      before[i], rows[i] = world:inspect(e), world.part:row(e)
      instances[i] = world.health:lookup(e)
    end
    assert.is_true(world:trim() > 0)
    assert.is_true(assert(world:validate()))
    for i, e in ipairs(stay) do
      assert.same(before[i], world:inspect(e))
      assert.equal(rows[i], world.part:row(e))
      assert.equal(5, world.health:hp(instances[i]))
      assert.equal(e, world.debug_name:find(before[i].debug_name.name))
    end
    local more = entities:create(500)
    for i, e in ipairs(more) do
      world.health:create(e, { hp = i, text = "more " .. i % 7 })
      world.point_mass:create(e, { mass = i })
      world.debug_name:set_debug_name(e, "more " .. i)
      world.model:create(e, { resource = "rig" })
    end
    world.transform:create_many(more, { parent = stay[1] })
    for i, e in ipairs(more) do
      assert.equal(i, world.health:hp(e))
      assert.equal(i, world.point_mass:mass(e))
      assert.equal(e, world.debug_name:find("more " .. i))
    end
    for i, e in ipairs(stay) do assert.same(before[i].health, world:inspect(e).health) end
  end)

  it("does not stop the loops in which it is called", function()
    local stay
    world, entities, stay = grown(20)
    for _, loop in ipairs {
      function() return world.health:each() end,
      function() return world:join("health", "point_mass", "part") end,
      function() return world:rows("health", "mesh") end,
      function() return entities:each() end,
    } do
      local seen = 0
      for _ in loop() do
        world:trim()
        seen = seen + 1
      end
      assert.equal(#stay, seen)
    end
  end)

  it("may be called in callbacks, hooks and batches", function()
    local stay
    world, entities, stay = grown(20)
    local calls = 0
    local function trim()
      calls = calls + 1
      world:trim()
    end
    entities:on_destroy(trim)
    world.health:on_remove(trim)
    world.transform:on_add(trim)
    entities:destroy { stay[1], stay[2] }
    local list = world:create({ transform = { position = { 7, 8, 9 } }, health = { hp = 3 } }, 5)
    for _, e in ipairs(list) do assert.equal(7, (world.transform:local_position(e))) end
    world.transform:batch(function()
      world.transform:link(list[1], stay[3])
      trim()
      world.transform:create_many(entities:create(100), { parent = stay[3] })
      world.transform:set_local_position(stay[3], 100, 0, 0)
      trim()
    end)
    assert.equal(107, (world.transform:world_position(list[1])))
    assert.is_true(calls >= 11)
  end)

  it("keeps existing views valid", function()
    local stay
    world, entities, stay = grown(20)
    local hp, position = world.health:column "hp", world.transform:column "local_position"
    assert.equal(5, hp[0])
    world:trim()
    for i, e in ipairs(stay) do hp[world.health:row(e)] = i end
    assert.equal(2, position[world.transform:row(stay[1])].y)
    for i, e in ipairs(stay) do assert.equal(i, world.health:hp(e)) end
    world:clear()
    world:trim()
    raises("outside (0 rows)", function() return hp[0] end)
    local e = world:create { health = { hp = 8 } }
    assert.equal(8, hp[world.health:row(e)])
  end)

  it("keeps pending changes of deferred transforms", function()
    local stay
    world, entities, stay = grown(5)
    world.transform:set_mode "deferred"
    world.transform:set_local_position(stay[1], 9, 9, 9)
    world.transform:column("local_position"):set(world.transform:row(stay[2]), 8, 8, 8)
    world:trim()
    world.transform:create_many(entities:create(50))
    world.transform:propagate()
    assert.equal(9, (world.transform:world_position(stay[1])))
    assert.equal(8, (world.transform:world_position(stay[2])))
    world:trim()
  end)

  it("raises in a destroyed world", function()
    world, entities = grown(0)
    world:destroy()
    raises("world is destroyed", world.trim, world)
    world = nil
  end)
end)

describe("a bulk create", function()
  it("allocates little more than its rows need", function()
    local entities = cuttle.entity_manager()
    local world = cuttle.world(entities)
    local m = world:define("mass", { { "mass", "float" }, { "place", "vec3" } }, { lookup = "array" })
    local empty = m:memory()
    m:create_many(entities:create(10000))
    local written = 10000 * (4 + 16) -- with the owners
    assert.is_true(m:memory() - empty < 1.25 * written, ("%d bytes for %d"):format(m:memory() - empty, written))
  end)
end)
