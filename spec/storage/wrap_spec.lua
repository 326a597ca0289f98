-- tags: ffi

local cuttle = require "cuttle"
local collect = require "spec.support.collect"

-- An index lives 256 times before an id of it comes round again.
local function live_through(entities, lives)
  for _ = 1, lives do entities:destroy(entities:create()) end
end

for _, lookup in ipairs { "hash", "array" } do
  for _, multiple in ipairs { false, true } do
    describe(("an uncollected component (%s, multiple = %s)"):format(lookup, tostring(multiple)), function()
      local entities, world, health, stranger, instance

      before_each(function()
        entities = cuttle.entity_manager { minimum_free_indices = 0 }
        world = cuttle.world(entities)
        health = world:define("health", { { "hp", "float" } }, { multiple = multiple, lookup = lookup })
        local dead = entities:create()
        instance = health:create(dead, { hp = 7 })
        if multiple then health:create(dead, { hp = 8 }) end
        entities:destroy(dead)
        live_through(entities, 255)
        stranger = entities:create()
        assert.equal(dead, stranger)
      end)

      after_each(function() assert.is_true(assert(world:validate())) end)

      it("does not attach itself to a stranger when its id comes round again", function()
        assert.is_false(health:has(stranger))
        assert.is_nil(health:lookup(stranger))
        assert.is_nil(health:row_of_id(cuttle.entity_id(stranger)))
      end)

      it("is nobody's then", function()
        assert.is_nil(health:entity(instance))
      end)

      it("is handed out by no loop", function()
        for _ in health:each() do error "handed out" end
        for _ in world:join(health) do error "handed out" end
        for _ in world:rows(health) do error "handed out" end
        for _ in health:instances(stranger) do error "handed out" end
      end)

      it("leaves the stranger free to have one of its own", function()
        health:create(stranger, { hp = 1 })
        assert.equal(1, health:hp(stranger))
        assert.equal(multiple and 3 or 2, health:count())
      end)

      it("goes with the next sweep", function()
        assert.equal(multiple and 2 or 1, health:gc "all")
        assert.equal(0, health:count())
      end)
    end)
  end
end

describe("the first life after the generations went round", function()
  it("leaves components of the living alone", function()
    local entities = cuttle.entity_manager { minimum_free_indices = 0 }
    local world = cuttle.world(entities)
    local health = world:define("health", { { "hp", "float" } })
    local others = entities:create(5)
    health:create_many(others, { hp = { 1, 2, 3, 4, 5 } })
    live_through(entities, 1000)
    for i, e in ipairs(others) do assert.equal(i, health:hp(e)) end
    assert.is_true(assert(world:validate()))
  end)

  it("comes after worlds were destroyed and collected without harm", function()
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
