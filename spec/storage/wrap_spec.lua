-- Ids that repeat after 256 lives of an index.

-- tags: ffi

local cuttle = require "cuttle"
local collect = require "spec.support.collect"

-- An index has 256 lives before an id repeats.
local function live_through(entities, lives)
  for _ = 1, lives do entities:destroy(entities:create()) end
end

for _, lookup in ipairs { "hash", "array" } do
  for _, multiple in ipairs { false, true } do
    describe(("an uncollected component (%s, multiple = %s)"):format(lookup, tostring(multiple)), function()
      local entities, world, health, same_id, instance

      before_each(function()
        entities = cuttle.entity_manager { minimum_free_indices = 0 }
        world = cuttle.world(entities)
        health = world:define("health", { { "hp", "float" } }, { multiple = multiple, lookup = lookup })
        local dead = entities:create()
        instance = health:create(dead, { hp = 7 })
        if multiple then health:create(dead, { hp = 8 }) end
        entities:destroy(dead)
        live_through(entities, 255)
        same_id = entities:create()
        assert.equal(dead, same_id)
      end)

      after_each(function() assert.is_true(assert(world:validate())) end)

      it("does not belong to an entity whose id is the same again", function()
        assert.is_false(health:has(same_id))
        assert.is_nil(health:lookup(same_id))
        assert.is_nil(health:row_of_id(cuttle.entity_id(same_id)))
      end)

      it("has no owner then", function()
        assert.is_nil(health:entity(instance))
      end)

      it("is not visited by any loop", function()
        for _ in health:each() do error "visited" end
        for _ in world:join(health) do error "visited" end
        for _ in world:rows(health) do error "visited" end
        for _ in health:instances(same_id) do error "visited" end
      end)

      it("does not prevent the entity with the same id from having its own", function()
        health:create(same_id, { hp = 1 })
        assert.equal(1, health:hp(same_id))
        assert.equal(multiple and 3 or 2, health:count())
      end)

      it("is removed by the next sweep", function()
        assert.equal(multiple and 2 or 1, health:gc "all")
        assert.equal(0, health:count())
      end)
    end)
  end
end

describe("the first life after the generations wrapped around", function()
  it("does not change components of living entities", function()
    local entities = cuttle.entity_manager { minimum_free_indices = 0 }
    local world = cuttle.world(entities)
    local health = world:define("health", { { "hp", "float" } })
    local others = entities:create(5)
    health:create_many(others, { hp = { 1, 2, 3, 4, 5 } })
    live_through(entities, 1000)
    for i, e in ipairs(others) do assert.equal(i, health:hp(e)) end
    assert.is_true(assert(world:validate()))
  end)

  it("begins without harm after worlds were destroyed and collected", function()
    local entities = cuttle.entity_manager { minimum_free_indices = 0 }
    local worlds = {}
    for i = 1, 6 do worlds[i] = cuttle.world(entities) end
    local e = entities:create()
    for _, world in ipairs(worlds) do world.debug_name:set_debug_name(e, "x") end
    entities:destroy(e)
    worlds[3]:destroy()
    worlds[1]:destroy()
    worlds[6], worlds[2] = nil, nil
    collect()
    live_through(entities, 255)
    assert.equal(e, entities:create())
    assert.is_nil(worlds[4].debug_name:debug_name(e))
    assert.is_nil(worlds[5].debug_name:debug_name(e))
    assert.is_true(assert(worlds[4]:validate()))
  end)
end)
