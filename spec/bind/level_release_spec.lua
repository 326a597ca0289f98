-- level:release: entities that leave their level.

local core = require "cuttle.core"
local cuttle = require "cuttle"
local raises = require "spec.support.raises"
local valid = require "spec.support.valid"

local function new_world()
  local entities = cuttle.entity_manager()
  local world = cuttle.world(entities, { name = "world" })
  world:define("health", { { "hp", "float", 100 } })
  return world, entities
end

local function part(name, children)
  return { name = name, components = { transform = {}, health = {} }, children = children }
end

local ROOM = { entities = {
  part("player", { part("sword"), { name = "bag", children = { part("coin") } } }), part("chest", { part("gem") }) } }

local function spawned(source)
  local world, entities = new_world()
  local resource = assert(cuttle.resource(assert(cuttle.compiler(world):compile(source or ROOM)), "room"))
  return world, entities, assert(world:spawn(resource)), resource
end

local function alive(entities, list)
  local out = {}
  for i, e in ipairs(list) do out[i] = entities:alive(e) end
  return out
end

describe("level:release", function()
  it("keeps the entity, and what the level has below it, when the level is unloaded", function()
    local world, entities, level = spawned()
    local list = level:entities() -- player, sword, bag, coin, chest, gem
    assert.are.equal(level, level:release(level:find "player"))
    assert.are.same(list, level:entities())
    for _, name in ipairs { "player", "player/sword", "bag", "coin" } do assert.is_nil(level:find(name)) end
    assert.are.equal(list[6], level:find "chest/gem")
    assert.are.equal(2, level:unload())
    assert.are.same({ true, true, true, true, false, false }, alive(entities, list))
    assert.are.equal(list[1], world.transform:entity(world.transform:parent(list[2])))
    valid(world)
  end)

  it("also keeps children of its transform that were linked later, and nothing else", function()
    local world, entities, level = spawned()
    local player, gem = level:find "player", level:find "gem"
    world.transform:link(gem, level:find "sword")
    world.transform:unlink(level:find "sword")
    world.transform:link(level:find "sword", player)
    local own = world:create { transform = { parent = player } }
    level:release(player)
    assert.are.equal(1, level:unload())
    assert.is_true(entities:alive(gem) and entities:alive(own))
    valid(world)
  end)

  it("keeps an entity without a transform, and one inside of another", function()
    local world, entities, level = spawned()
    local bag, coin = level:find "bag", level:find "coin"
    level:release(bag)
    assert.are.equal(4, level:unload())
    assert.are.same({ true, true }, alive(entities, { bag, coin }))
    assert.is_nil(world.transform:parent(coin))
    valid(world)
  end)

  it("spawns a new one at a restart, and a patch leaves it alone", function()
    local world, entities, level = spawned()
    local player = level:find "player"
    level:release(player)
    local newer = { entities = { part("chest"), part("door") } }
    local resource = assert(cuttle.resource(assert(cuttle.compiler(world):compile(newer))))
    local counts = assert(level:patch(resource))
    assert.are.same({ 1, 1 }, { counts.added, counts.removed }) -- the door, the gem
    assert.is_true(entities:alive(player))
    assert.are.equal(2, level:count())
    level:release(level:find "door")
    assert(level:restart())
    assert.are.equal(2 + 4 + 1, entities:count())
    assert.is_truthy(level:find "door")
    valid(world)
  end)

  it("concerns one copy only", function()
    local world, entities, _, resource = spawned()
    local many = assert(world:spawn_many(resource, 100))
    local first = many:copy_range(50)
    many:release(many:entity(first))
    assert.are.equal(100 * 6 - 4, many:unload())
    assert.is_true(entities:alive(many:entity(1) or world:levels()[1]:entity(1)))
    valid(world)
  end)

  it("stays after snapshots and saves", function()
    local world, entities, level, resource = spawned()
    local player = level:find "player"
    local before = entities:snapshot()
    level:release(player)
    local after = entities:snapshot()
    local save = assert(cuttle.snapshot(after:tostring()))
    entities:restore(before)
    assert.are.equal(player, level:find "player")
    entities:restore(after)
    assert.is_nil(level:find "player")
    assert.is_true(entities:restore(save, { resources = { room = resource } }))
    assert.is_nil(world:levels()[1]:find "player")
    assert.are.equal(2, world:levels()[1]:unload())
    assert.is_true(entities:alive(player))
  end)

  it("empties a level whose last entities leave", function()
    local world, _, level = spawned()
    level:release(level:find "chest"):release(level:find "player")
    assert.are.same({}, world:levels())
    assert.are.equal(0, level:unload())
    valid(world)
  end)

  it("raises for other entities, dead ones, and while the level is in use", function()
    local world, entities, level = spawned()
    local other, gem = world:create { transform = {} }, level:find "gem"
    assert.has_error(function() level:release(other) end,
      "bad argument #1 to 'release' (entity(6:0) is not an entity of this level)")
    level:release(gem)
    raises("is not an entity of this level", level.release, level, gem)
    entities:destroy(level:find "chest")
    raises("is dead", level.release, level, level:entity(5))
    raises("entity expected, got nil", level.release, level, nil)
    local messages, sword = {}, level:entity(2)
    world.health:on_remove(function() messages[#messages + 1] = select(2, pcall(level.release, level, sword)) end)
    level:unload()
    assert.matches("the level is being unloaded", messages[1])
    raises("is dead", level.release, level, sword)
  end)

  it("changes nothing when memory runs out", function()
    if not core.testing then return end
    local _, _, level = spawned()
    local player = level:find "player"
    core.testing.fail_in(0)
    local done, message = pcall(level.release, level, player)
    core.testing.fail_in(-1)
    assert.is_false(done)
    assert.matches("not enough memory", message)
    assert.are.equal(player, level:find "player")
  end)
end)
