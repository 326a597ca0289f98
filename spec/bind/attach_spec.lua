-- world:attach: tables of scripts keyed by entity.

local cuttle = require "cuttle"
local collect = require "spec.support.collect"
local raises = require "spec.support.raises"
local seed = require "spec.support.seed"


local function size(t)
  local n = 0
  for _ in pairs(t) do n = n + 1 end
  return n
end

describe("world:attach", function()
  local entities, world, notes

  before_each(function()
    entities = cuttle.entity_manager { minimum_free_indices = 0 }
    world = cuttle.world(entities)
    notes = world:attach "notes"
  end)

  it("returns a plain table", function()
    assert.equal("table", type(notes))
    assert.is_nil(next(notes))
  end)

  it("returns the same table for the same name", function()
    assert.equal(notes, world:attach "notes")
    assert.are_not.equal(notes, world:attach "paths")
    assert.are_not.equal(notes, cuttle.world(entities):attach "notes")
  end)

  it("stores any value under a living entity", function()
    local a, b = entities:create(), entities:create()
    local thing = {}
    notes[a], notes[b] = thing, false
    assert.equal(thing, notes[a])
    assert.is_false(notes[b])
    notes[a] = 5
    assert.equal(5, notes[a])
    notes[a] = nil
    assert.is_nil(notes[a])
    notes[a] = 6
    assert.equal(6, notes[a])
  end)

  it("returns a table that pairs and next walk", function()
    local expected = {}
    for i, e in ipairs(entities:create(20)) do
      notes[e] = i
      expected[e] = i
    end
    local seen = {}
    for e, i in pairs(notes) do seen[e] = i end
    assert.same(expected, seen)
    assert.is_not_nil(next(notes))
  end)

  it("allows removing entries while pairs walks the table, by nil or by death", function()
    for i, e in ipairs(entities:create(20)) do notes[e] = i end
    local steps = 0
    for e, i in pairs(notes) do
      steps = steps + 1
      if i % 2 == 0 then notes[e] = nil else entities:destroy(e) end
    end
    assert.equal(20, steps)
    assert.is_nil(next(notes))
  end)

  it("accepts an entity without components as a key", function()
    notes[entities:create()] = "bare"
    assert.equal(1, size(notes))
  end)

  it("refuses a dead entity as a new key", function()
    local e = entities:create()
    entities:destroy(e)
    raises("notes: entity(0:0) is dead", function() notes[e] = 1 end)
    entities:create()
    raises("notes: entity(0:0) is dead (index now entity(0:1))", function() notes[e] = 1 end)
    raises("notes: entity(77:0) is dead", function() notes[cuttle.entity_from_id(77)] = 1 end)
    assert.is_nil(next(notes))
  end)

  it("refuses a key that is not an entity", function()
    for _, key in ipairs { 1, "car", true, {}, print } do
      raises("notes: entity expected as key, got " .. type(key), function() notes[key] = 1 end)
    end
    assert.is_nil(next(notes))
  end)

  it("allows setting the entry of a dead entity to nil", function()
    local e = entities:create()
    entities:destroy(e)
    notes[e] = nil
    assert.is_nil(next(notes))
  end)

  it("removes the entry of a destroyed entity at once, in every table", function()
    local paths = world:attach "paths"
    local a, b = entities:create(), entities:create()
    notes[a], notes[b], paths[a] = 1, 2, 3
    entities:destroy(a)
    assert.is_nil(notes[a])
    assert.is_nil(paths[a])
    assert.equal(2, notes[b])
    assert.equal(1, size(notes))
  end)

  it("removes the entries of a destroyed list", function()
    local list = entities:create_list(1000)
    for e in list:each() do notes[e] = true end
    entities:destroy(list)
    assert.is_nil(next(notes))
  end)

  it("does not pass an entry on to the next entity of the same index", function()
    local e = entities:create()
    notes[e] = 1
    entities:destroy(e)
    assert.is_nil(notes[entities:create()])
    for _ = 1, 300 do
      local other = entities:create()
      assert.is_nil(notes[other])
      notes[other] = "mine"
      entities:destroy(other)
    end
  end)

  it("releases the value of a destroyed entity", function()
    local weak = setmetatable({ {} }, { __mode = "v" })
    local e = entities:create()
    notes[e] = weak[1]
    collect()
    assert.is_not_nil(weak[1])
    entities:destroy(e)
    collect()
    assert.is_nil(weak[1])
  end)

  it("still has the entry of a dying entity in destroy callbacks", function()
    local seen
    entities:on_destroy(function(e) seen = notes[e] end)
    local e = entities:create()
    notes[e] = "a bomb"
    entities:destroy(e)
    assert.equal("a bomb", seen)
    assert.is_nil(notes[e])
  end)

  it("refuses a new key that is being destroyed", function()
    local message
    entities:on_destroy(function(e) message = raises("is being destroyed", function() notes[e] = 1 end) end)
    entities:destroy(entities:create())
    assert.is_not_nil(message)
    assert.is_nil(next(notes))
  end)

  it("removes the entry of a destroyed entity even if a callback raises", function()
    entities:on_destroy(function() error "trouble" end)
    local e = entities:create()
    notes[e] = 1
    pcall(entities.destroy, entities, e)
    assert.is_nil(notes[e])
  end)

  it("called for the first time in a destroy callback removes entries from the next death on", function()
    local other = cuttle.world(entities)
    local list, late = entities:create(2), nil
    entities:on_destroy(function(e)
      if e ~= list[1] then return end
      late = other:attach "late"
      late[list[2]] = 1
    end)
    entities:destroy(list)
    assert.is_nil(next(late))
  end)

  it("keeps the entry of an entity that loses its components", function()
    local e = world:create { debug_name = {} }
    notes[e] = 1
    world.debug_name:destroy(e)
    assert.equal(1, notes[e])
  end)

  it("keeps returning the table that world:clear emptied", function()
    local e = entities:create()
    notes[e] = 1
    world:clear()
    assert.is_nil(next(notes))
    assert.equal(notes, world:attach "notes")
    notes[e] = 2
    entities:destroy(e)
    assert.is_nil(next(notes))
  end)

  it("returns a table that world:destroy empties and that refuses new keys then", function()
    local e = entities:create()
    notes[e] = 1
    world:destroy()
    assert.is_nil(next(notes))
    raises("world is destroyed", function() notes[e] = 1 end)
    raises("world is destroyed", world.attach, world, "notes")
    entities:destroy(e)
  end)

  it("keeps the world alive while its table is used", function()
    local e = entities:create()
    notes[e] = 1
    world = nil
    collect()
    assert.equal(1, notes[e])
    entities:destroy(e)
    assert.is_nil(notes[e])
  end)

  it("allows the world and its table to be collected together", function()
    local weak = setmetatable({ {} }, { __mode = "v" })
    local e = entities:create()
    notes[e] = weak[1]
    world, notes = nil, nil
    collect()
    collect()
    assert.is_nil(weak[1])
    entities:destroy(e)
  end)

  it("refuses a name that is not a string", function()
    raises("string expected, got number", world.attach, world, 5)
    raises("string expected, got no value", world.attach, world)
  end)

  it("hides the metatable of its table", function()
    assert.equal("attached", getmetatable(notes))
    assert.is_false((pcall(setmetatable, notes, {})))
  end)

  it("removes the entries of exactly the dead entities, seed " .. seed, function()
    math.randomseed(seed)
    local all = { [notes] = {}, [world:attach "paths"] = {}, [cuttle.world(entities):attach "notes"] = {} }
    local living, token = {}, nil
    for _ = 1, 2000 do
      local dice = math.random(20)
      if dice <= 8 then
        living[#living + 1] = entities:create()
      elseif dice <= 12 and #living > 0 then
        local e = living[math.random(#living)]
        for t, model in pairs(all) do
          if math.random(2) == 1 then
            t[e] = dice
            model[e] = dice
          end
        end
      elseif dice == 13 then
        if token then entities:off_destroy(token) end
        token = not token and entities:on_destroy(function() end) or nil
      elseif #living > 0 then
        local dead = { table.remove(living, math.random(#living)) }
        dead[2] = table.remove(living)
        entities:destroy(dice < 17 and dead or cuttle.list(dead))
        for _, model in pairs(all) do
          for _, e in ipairs(dead) do model[e] = nil end
        end
      end
      for t, model in pairs(all) do
        for e, value in pairs(t) do assert.equal(model[e], value) end
        assert.equal(size(model), size(t))
      end
    end
  end)
end)
