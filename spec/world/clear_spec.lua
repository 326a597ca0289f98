-- Managers after gc or clear removed all their rows at once.
local cuttle = require "cuttle"
local raises = require "spec.support.raises"

describe("a manager whose owners are all dead", function()
  local entities, world

  before_each(function()
    entities = cuttle.entity_manager { minimum_free_indices = 0 }
    world = cuttle.world(entities)
  end)

  after_each(function() assert.is_true(assert(world:validate())) end)

  for _, lookup in ipairs { "hash", "array" } do
    for _, multiple in ipairs { false, true } do
      it(("is empty after gc, and takes rows of the same indices again (%s%s)")
        :format(lookup, multiple and ", multiple" or ""), function()
        local m = world:define("health", { { "hp", "double" }, { "tag", "string" } },
          { lookup = lookup, multiple = multiple })
        -- Large and small numbers of rows in turn, because the map is cleared in two ways.
        for _, count in ipairs { 300, 3, 1, 200, 2 } do
          local list = entities:create(count)
          m:create_many(list, { hp = 1, tag = "of " .. count })
          if multiple then m:create_many(list, { hp = 2 }) end
          entities:destroy(list)
          assert.equal(multiple and 2 * count or count, world:gc())
          assert.equal(0, m:count())
          assert.is_false(m:has(list[1]))
          assert.is_true(assert(world:validate()))
          local again = entities:create(count)
          m:create_many(again, { hp = 3 })
          for _, e in ipairs(again) do assert.equal(3, m:hp(e)) end
          entities:destroy(again)
          world:gc("all")
        end
      end)
    end
  end

  it("is emptied if some of its rows are orphaned", function()
    local m = world:define("health", { { "hp", "double" } }, { lookup = "array" })
    local list = entities:create(8)
    m:create_many(list)
    entities:destroy(list)
    local again = entities:create(8)
    m:create_many(again, { hp = 5 })
    entities:destroy(again)
    assert.equal(16, world:gc())
    assert.equal(0, m:count())
  end)

  it("keeps the component of one living entity among many dead ones", function()
    for _, lookup in ipairs { "hash", "array" } do
      local m = world:define("by_" .. lookup, { { "hp", "double" } }, { lookup = lookup })
      for _, place in ipairs { 1, 50, 100 } do
        local list = entities:create(100)
        m:create_many(list, { hp = 7 })
        local survivor = table.remove(list, place)
        entities:destroy(list)
        world:gc()
        assert.equal(1, m:count())
        assert.equal(7, m:hp(survivor))
        entities:destroy(survivor)
        world:gc()
      end
    end
  end)

  it("releases strings and names, which can be used again", function()
    local list = entities:create(20)
    local names = {}
    for i = 1, 20 do names[i] = "name " .. i % 3 end
    world.debug_name:create_many(list, { name = names })
    entities:destroy(list)
    world:gc()
    assert.is_nil(world.debug_name:find("name 1"))
    local again = entities:create(2)
    world.debug_name:create_many(again, { name = { "name 1", "name 1" } })
    assert.equal(again[1], world.debug_name:find("name 1"))
  end)

  it("drops links and pending poses, in a batch and in deferred mode", function()
    local transform = world.transform
    for _, mode in ipairs { "batch", "deferred" } do
      local list = entities:create(12)
      transform:create_many(list)
      for i = 2, 12 do transform:link(list[i], list[i % 3 == 0 and 1 or i - 1]) end
      local function move()
        for _, e in ipairs(list) do transform:set_local_position(e, 1, 2, 3) end
        entities:destroy(list)
        world:gc()
        assert.equal(0, transform:count())
        local new = entities:create()
        transform:create(new, { position = { 4, 5, 6 } })
        assert.is_true(assert(world:validate()))
        entities:destroy(new)
      end
      if mode == "batch" then
        transform:batch(move)
      else
        transform:set_mode("deferred")
        move()
        transform:propagate()
        transform:set_mode("immediate")
      end
      world:gc()
    end
  end)

  it("stops a loop over it, and makes its instances stale", function()
    local m = world:define("health", { { "hp", "double" } })
    local list = entities:create(3)
    m:create_many(list)
    local instance = m:lookup(list[1])
    raises("health: rows moved during the loop", function()
      for _ in m:each() do
        entities:destroy(list)
        world:gc()
      end
    end)
    raises("stale health instance", m.hp, m, instance)
  end)

  it("ends a loop whose only row was removed", function()
    local m = world:define("health", { { "hp", "double" } })
    m:create(entities:create())
    local seen = 0
    for e in m:each() do
      entities:destroy(e)
      world:gc()
      seen = seen + 1
    end
    assert.equal(1, seen)
  end)
end)
