-- The debug_name manager.

local cuttle = require "cuttle"
local raises = require "spec.support.raises"
local valid = require "spec.support.valid"

describe("the debug_name manager", function()
  local entities, world, names, a, b, c

  before_each(function()
    entities = cuttle.entity_manager { minimum_free_indices = 0 }
    world = cuttle.world(entities)
    names = world.debug_name
    a, b, c = entities:create(), entities:create(), entities:create()
  end)

  after_each(function() assert.is_true(assert(world:validate())) end)

  it("creates the component of an entity when it names it", function()
    names:set_debug_name(a, "car")
    assert.equal("car", names:debug_name(a))
    assert.is_true(names:has(a))
    assert.equal(1, names:count())
  end)

  it("renames an entity", function()
    names:set_debug_name(a, "car")
    names:set_debug_name(a, "wreck")
    assert.equal("wreck", names:debug_name(a))
    assert.equal(1, names:count())
    assert.is_nil(names:find "car")
  end)

  it("returns nil for an entity without a name", function()
    assert.is_nil(names:debug_name(a))
    names:set_debug_name(a, "car")
    entities:destroy(a)
    assert.is_nil(names:debug_name(a))
    assert.is_nil(names:debug_name(cuttle.entity_from_id(12345)))
  end)

  it("has one field, name, which works like any other", function()
    names:create(a, { name = "car" })
    assert.equal("car", names:read(a, "name"))
    names:write(a, "name", "bus")
    assert.equal("bus", names:debug_name(a))
    names:set_name(a, "van")
    assert.same({ name = "van" }, names:get(a))
    names:set(a, { name = "tram" })
    assert.equal(a, names:find "tram")
    assert.same({ { "name", "string" } }, names:fields())
  end)

  it("has the name debug_name", function()
    assert.equal("debug_name", names:name())
  end)

  it("allows one name for an entity", function()
    names:create(a, { name = "car" })
    raises("entity(0:0) already has a debug_name", names.create, names, a, { name = "bus" })
    assert.equal("car", names:debug_name(a))
  end)

  it("uses the empty name by default", function()
    names:create(a)
    assert.equal("", names:debug_name(a))
    assert.equal(a, names:find "")
  end)

  it("keeps every byte of a name", function()
    local odd = "nul \0 and \255 and\n" .. ("x"):rep(1000)
    names:set_debug_name(a, odd)
    assert.equal(odd, names:debug_name(a))
    assert.equal(a, names:find(odd))
  end)

  it("finds a living entity by name, or returns nil", function()
    names:set_debug_name(a, "car")
    names:set_debug_name(b, "bus")
    assert.equal(b, names:find "bus")
    assert.is_nil(names:find "tram")
    assert.is_nil(names:find "")
  end)

  it("finds all entities of a name, in order of naming", function()
    names:set_debug_name(c, "lamp")
    names:set_debug_name(a, "lamp")
    names:set_debug_name(b, "lamp")
    assert.same({ c, a, b }, names:find_all "lamp")
    names:set_debug_name(c, "x")
    names:set_debug_name(c, "lamp")
    assert.same({ a, b, c }, names:find_all "lamp")
    assert.same({}, names:find_all "none")
  end)

  it("does not find dead entities, collected or not", function()
    names:set_debug_name(a, "lamp")
    names:set_debug_name(b, "lamp")
    entities:destroy(a)
    assert.equal(b, names:find "lamp")
    assert.same({ b }, names:find_all "lamp")
    assert.equal(1, names:gc())
    assert.equal(b, names:find "lamp")
    entities:destroy(b)
    assert.is_nil(names:find "lamp")
  end)

  it("finds entities in order of naming while others of the name die", function()
    local all = entities:create(9)
    for _, e in ipairs(all) do names:set_debug_name(e, "twin") end
    for i, e in ipairs { all[1], all[2], all[5], all[3] } do
      entities:destroy(e)
      local left = {}
      for _, other in ipairs(all) do
        if entities:alive(other) then left[#left + 1] = other end
      end
      assert.are.equal(left[1], names:find "twin")
      assert.are.same(left, names:find_all "twin")
      valid(world)
      if i == 2 then
        all[#all + 1] = entities:create()
        names:set_debug_name(all[#all], "twin")
      end
    end
    world:gc "all"
    assert.are.equal(all[4], names:find "twin")
    assert.are.same({ all[4], all[6], all[7], all[8], all[9], all[10] }, names:find_all "twin")
    valid(world)
    for i = 4, 10 do entities:destroy(all[i]) end
    assert.is_nil(names:find "twin")
    local last = entities:create()
    names:set_debug_name(last, "twin")
    assert.are.equal(last, names:find "twin")
    assert.are.same({ last }, names:find_all "twin")
    valid(world)
  end)

  it("does not find an entity that only reuses the index of a dead one", function()
    names:set_debug_name(a, "lamp")
    entities:destroy(a)
    local successor = entities:create()
    assert.equal(cuttle.entity_index(a), cuttle.entity_index(successor))
    assert.is_nil(names:find "lamp")
    names:set_debug_name(successor, "successor")
    assert.is_nil(names:find "lamp")
    assert.same({ successor }, names:find_all "successor")
  end)

  it("removes a name with its component", function()
    names:set_debug_name(a, "car")
    assert.equal(1, names:destroy(a))
    assert.is_nil(names:find "car")
    assert.is_nil(names:debug_name(a))
  end)

  it("names several entities in one call", function()
    names:create_many({ a, b, c }, { name = { "x", "y", "x" } })
    assert.same({ a, c }, names:find_all "x")
    assert.equal(b, names:find "y")
  end)

  it("stays consistent through many names, renamings and deaths", function()
    local list = entities:create(300)
    for i, e in ipairs(list) do names:set_debug_name(e, "n" .. i % 17) end
    for i = 1, 300, 3 do names:destroy(list[i]) end
    for i = 2, 300, 3 do names:set_debug_name(list[i], "n" .. i % 5) end
    for i = 3, 300, 7 do entities:destroy(list[i]) end
    assert.is_true(assert(world:validate()))
    world:gc()
    for k = 0, 17 do
      local expected = {}
      for i, e in ipairs(list) do
        if entities:alive(e) and names:debug_name(e) == "n" .. k then expected[#expected + 1] = i end
      end
      assert.equal(#expected, #names:find_all("n" .. k))
    end
  end)

  it("adds the name of the entity that now has the index to the message about a dead entity", function()
    local successor
    names:set_debug_name(a, "orc_11")
    entities:destroy(a)
    successor = entities:create()
    names:set_debug_name(successor, "orc_12")
    raises('entity(0:0) is dead (index now entity(0:1) "orc_12")', names.set_debug_name, names, a, "x")
    raises('entity(0:0) is dead (index now entity(0:1) "orc_12")', names.read, names, a, "name")
  end)

  it("adds no name to the message about a dead entity if the index has none", function()
    entities:destroy(a)
    local message = raises("entity(0:0) is dead", names.set_debug_name, names, a, "x")
    assert.is_nil(message:find("index now", 1, true))
    entities:create()
    raises("entity(0:0) is dead (index now entity(0:1))", names.set_debug_name, names, a, "x")
  end)

  it("refuses a name that is not a string", function()
    raises("string expected, got number", names.set_debug_name, names, a, 5)
    raises("string expected, got no value", names.set_debug_name, names, a)
    raises("string expected, got nil", names.find, names, nil)
    raises("string expected, got table", names.find_all, names, {})
    raises("name: expected a string, got number", names.create, names, a, { name = 5 })
    assert.equal(0, names:count())
  end)

  it("refuses a target that is not an entity", function()
    raises("entity expected, got string", names.set_debug_name, names, "car", "car")
    raises("entity expected, got number", names.debug_name, names, 5)
  end)

  it("is independent in each world", function()
    local other = cuttle.world(entities)
    names:set_debug_name(a, "here")
    other.debug_name:set_debug_name(a, "there")
    assert.equal("here", names:debug_name(a))
    assert.equal("there", other.debug_name:debug_name(a))
  end)
end)
