-- Recorded frames in shadow worlds, and the use of one shadow for several frames.

local cuttle = require "cuttle"
local history = require "cuttle.inspector.history"

describe("a recorded frame", function()
  local entities, world, recorder, pauses

  before_each(function()
    entities = cuttle.entity_manager()
    world = cuttle.world(entities, { name = "field" })
    world:define("health", { { "hp", "float" } })
    world:define("part", {}, { multiple = true })
    world:define("stack", { { "count", "int32" }, { "size", "int32" } }, { hidden = { "count" } })
    recorder, pauses = cuttle.recorder(entities, { keep = 4 }), 0
    for hp = 1, 3 do
      world:create { health = { hp = hp }, part = { {}, {} } }
      recorder:frame()
    end
  end)

  local function restore(frames, shadow)
    return history.restore(entities, recorder, frames, shadow, function() pauses = pauses + 1 end)
  end

  it("is restored in worlds of its own, which change nothing in the game", function()
    local hash = entities:hash()
    assert.equal(2, history.depth(recorder))
    local shadow, frames = restore(1)
    assert.equal(1, frames)
    assert.equal(2, shadow.entities:count())
    local health = shadow.worlds[1].health
    assert.same({ 1, 2 }, { health:hp(health:at(0)), health:hp(health:at(1)) })
    assert.equal(4, shadow.worlds[1].part:count())
    assert.equal(hash, entities:hash())
    assert.equal(1, pauses)
  end)

  it("is restored in the shadow of another frame without a pause", function()
    local shadow = restore(2)
    assert.equal(1, shadow.entities:count())
    local same, frames = restore(0, shadow)
    assert.is_true(rawequal(shadow, same))
    assert.equal(0, frames)
    assert.equal(3, shadow.entities:count())
    assert.equal(1, pauses)
  end)

  it("is restored in a new shadow if the components have changed", function()
    local shadow = restore(0)
    world:define("mana", { { "n", "int32" } })
    world:create { mana = { n = 7 } }
    recorder:frame()
    local other, frames = restore(0, shadow)
    assert.is_false(rawequal(shadow, other))
    assert.equal(0, frames)
    assert.equal(7, other.worlds[1].mana:n(other.worlds[1].mana:at(0)))
    assert.equal(2, pauses)
  end)

  it("is nil if nothing is recorded", function()
    recorder = cuttle.recorder(entities)
    assert.is_nil((restore(0)))
    assert.equal(0, history.depth(recorder))
  end)
end)
