-- Truncated and damaged saves with a corrected checksum: a restore either changes nothing or leaves a valid state.

local blob = require "spec.support.blob"
local cuttle = require "cuttle"
local damage = require "spec.support.damage"
local new_random = require "spec.support.random"
local rounds = require "spec.support.rounds"
local saves = require "spec.support.saves"
local seed = require "spec.support.seed"
local valid = require "spec.support.valid"

local function new_world()
  local world, entities = saves.new_world()
  world:define("bag", { { "things", "value" } })
  return world, entities
end

local LEVEL = { entities = { { name = "hut", components = { transform = {}, bag = {} },
  children = { { name = "door", components = { transform = {}, health = {} } } } } } }

-- Spawns levels with every option. Returns the resource.
local function spawn_levels(world, parent)
  local resource = assert(cuttle.resource(assert(cuttle.compiler(world):compile(LEVEL)), "village"))
  assert(world:spawn(resource, { position = { 1, 2, 3 }, parent = parent, parent_node = "knee", unknown = "error",
    overrides = { hut = { bag = { things = { 1, "two" } } },
      ["hut/door"] = { health = { hp = 2.5, title = "door", target = parent },
        item = { { id = "key", state = "old" }, { id = 7 } } } } }))
  assert(world:spawn_many(resource, { positions = { 1, 2, 3, 4, 5, 6 }, angles = { 1, 2 } }))
  assert(world:spawn_many(resource, 2, { angle = 1 }))
  return resource
end

-- A small save that contains something of every kind, and the resource of its levels.
local function small()
  local world, entities = new_world()
  local list = {}
  for i = 1, 4 do list[i] = saves.create(world, i, list[1]) end
  world.transform:link(list[4], list[3], { node = "knee" })
  world.bag:create(list[2], { things = { 1, "two", { three = 3.5 } } })
  world.transform:set_local_matrix(list[2], 1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0, 4, 5, 6, 1)
  entities:destroy(list[1])
  for _, e in ipairs(entities:create(5)) do entities:destroy(e) end
  local resource = spawn_levels(world, list[3])
  return entities:snapshot():tostring(), resource
end

-- A world with other contents.
local function filled()
  local world = new_world()
  for i = 1, 5 do saves.create(world, i) end
  return world
end

-- Uses the levels of a world in every way.
local function use_levels(world, resource)
  for i, level in ipairs(world:levels()) do
    assert.are.equal(level:count(), level:list():count())
    for _, path in ipairs { "hut", "hut/door", "a/b/c" } do level:find(path) end
    level:copy_range(2)
    level:roots()
    level:skipped()
    if i % 2 == 0 and resource then level:patch(resource) end
    if i % 3 == 0 then level:restart() end
    valid(world)
    level:unload()
  end
  valid(world)
end

-- Restores the bytes into a world. Checks that the world is unchanged or valid. Returns whether they were accepted.
local function try(world, bytes, resource)
  local entities = world.entities
  local before = entities:hash()
  local save = cuttle.snapshot(bytes)
  if not save then return false end
  local ok, message = entities:restore(save, { resources = { village = resource } })
  if ok then
    use_levels(world, resource)
    assert.is_true(entities:validate())
    valid(world)
    -- The restored state can be used.
    local e = saves.create(world, 9)
    world.transform:propagate()
    world.model:evaluate()
    entities:destroy(e)
    world:gc "all"
    valid(world)
    return true
  end
  assert.is_nil(ok)
  assert.is_string(message)
  assert.are.equal(before, entities:hash())
  return false
end

describe("a hostile save", function()
  it("is refused when it is truncated anywhere or has extra bytes", function()
    local text = small()
    for length = 0, #text - 1 do
      local save, message = cuttle.snapshot(text:sub(1, length))
      assert.is_nil(save)
      assert.is_string(message)
    end
    assert.are.same({ nil, "the save is truncated, or has bytes behind its end" }, { cuttle.snapshot(text .. "\0") })
    assert.are.same({ nil, "not a save" }, { cuttle.snapshot "" })
    assert.are.same({ nil, "not a save" }, { cuttle.snapshot("x" .. text:sub(2)) })
    assert.are.same({ nil, "the save has version 3, this is version 2" }, { cuttle.snapshot(blob.put_u32(text, 4, 3)) })
    assert.are.same({ nil, "the save has version 0, this is version 2" }, { cuttle.snapshot(blob.put_u32(text, 4, 0)) })
  end)

  it("is refused when any byte has changed", function()
    local text = small()
    for at = 16, #text - 1, 7 do
      local byte = text:byte(at + 1)
      local save, message = cuttle.snapshot(blob.put(text, at, string.char((byte + 1) % 256)))
      assert.is_nil(save)
      assert.are.equal("the save is damaged: its checksum differs", message)
    end
  end)

  it("is refused when it is truncated anywhere and has a valid checksum", function()
    local text, resource = small()
    local world, random = filled(), new_random(seed)
    for _ = 1, rounds(#text / 11, #text / 41) do
      assert.is_false(try(world, blob.seal(text:sub(1, 15 + random(#text - 16))), resource))
    end
    assert.is_false(try(world, blob.seal(text .. "\0"), resource))
    assert.is_true(try(world, text, resource))
  end)

  it("does no harm with any number replaced by any other", function()
    local text, resource = small()
    local world = filled()
    local random = new_random(seed)
    local numbers = { 0, 1, 2, 7, 2^22 - 1, 2^22, 2^30, 2^31, 2^31 + 1, 2^32 - 1, 0x7FC00001, 0xFF800001, #text }
    for _ = 1, rounds(#text / 5, #text / 29) do
      try(world, blob.seal(blob.put_u32(text, 15 + random(#text - 19), numbers[random(#numbers)])), resource)
    end
  end)

  it("does no harm with random damage, seed " .. seed, function()
    local text, resource = small()
    local world = filled()
    local random = new_random(seed)
    local accepted = 0
    for _ = 1, rounds(400, 60) do
      if try(world, damage(text, random), resource) then accepted = accepted + 1 end
    end
    assert.is_true(accepted > 0)
  end)

  it("does no harm with random damage of its levels, seed " .. seed, function()
    local text, resource = small()
    local world, random, accepted = filled(), new_random(seed), 0
    local first = assert(text:find("village", 1, true)) - 5 -- the number of resources before the first
    local numbers = { 0, 1, 2, 3, 4, 31, 2^22 - 1, 2^22, 2^30, 2^31, 2^31 + 1, 2^32 - 1, 0x7FC00001, 0xFF800001 }
    for _ = 1, rounds(1500, 200) do
      local at = first + random(#text - first - 4)
      local bytes = random(2) == 1 and blob.put(text, at, string.char(random(256) - 1))
        or blob.put_u32(text, at, numbers[random(#numbers)])
      local given = random(2) == 1 and resource or nil
      if try(world, blob.seal(bytes), given) then accepted = accepted + 1 end
    end
    assert.is_true(accepted > 0)
  end)

  it("cannot make an entity its own ancestor", function()
    local world, entities = new_world()
    local list = {}
    for i = 1, 3 do list[i] = world:create { transform = {} } end
    world.transform:link(list[2], list[1])
    world.transform:link(list[3], list[2])
    local text = entities:snapshot():tostring()
    local links = saves.u32s(1, 0, 0, 2, 1, 0)
    local at = assert(text:find(links, 1, true))
    for _, other in ipairs { { 1, 0, 0, 0, 1, 0 }, { 1, 1, 0, 2, 1, 0 }, { 1, 0, 0, 1, 2, 0 }, { 1, 2, 0, 2, 1, 0 },
      { 1, 0, 0, 1, 0, 0 }, { 1, 3, 0, 2, 1, 0 }, { 1, 0, 1, 2, 1, 0 } } do
      local bytes = blob.seal(blob.put(text, at - 1, saves.u32s(unpack(other))))
      assert.are.same({ nil, "transform: the save is damaged" }, { entities:restore(cuttle.snapshot(bytes)) })
    end
    assert.is_true(entities:restore(cuttle.snapshot(blob.seal(blob.put(text, at - 1, saves.u32s(2, 0, 0, 1, 0, 0))))))
    assert.are.same({ list[3], list[2] }, { world.transform:entity(world.transform:first_child(list[1])),
      world.transform:entity(world.transform:next_sibling(world.transform:first_child(list[1]))) })
  end)

  it("cannot forge a NaN, a bool, an id or a label", function()
    local world, entities = new_world()
    world:define("odd", { { "x", "float" }, { "flag", "bool" }, { "owner", "entity" },
      { "label", "enum", { "a", "b" } } })
    world:create { odd = { x = 1234.5, flag = true, owner = entities:create(), label = "b" } }
    local text = entities:snapshot():tostring()
    local function refused(name, bytes, offset)
      local at = assert(text:find(name .. "%z", 1))
      local items = assert(text:find(saves.u32s(#bytes), at, true)) + 3
      local changed = blob.seal(blob.put(text, items + (offset or 0), bytes))
      assert.are.same({ nil, "the save is damaged" }, { entities:restore(assert(cuttle.snapshot(changed))) })
    end
    refused("x", "\1\0\192\127")
    refused("flag", "\2")
    refused("owner", "\0\0\0\64")
    refused("label", "\2", 12) -- after two labels
  end)
end)
