-- Worlds with components of every type, for specs of snapshots and saves.

local blob = require "spec.support.blob"
local cuttle = require "cuttle"

local saves = {}

saves.NODES = { nodes = { { name = "hip" }, { name = "knee", parent = 1, position = { 0, 1, 0 } } } }
saves.HEALTH = { { "hp", "float", 10 }, { "title", "string", "none" }, { "target", "entity" } }

function saves.define_resources(world)
  world.mesh:define_resource("box", {})
  world.model:define_resource("leg", saves.NODES)
end

function saves.define(world)
  world:define("health", saves.HEALTH)
  world:define("item", { { "kind", "string" }, { "state", "enum", { "new", "old" } } }, { multiple = true })
  saves.define_resources(world)
end

function saves.new_world(name)
  local entities = cuttle.entity_manager { minimum_free_indices = 3 }
  local world = cuttle.world(entities, { name = name or "world" })
  saves.define(world)
  return world, entities
end

-- A save of one world without levels as version 1, which had no state of random numbers and ended after the worlds.
function saves.version_1(text)
  assert(text:sub(-12) == ("\0"):rep(12), "the save has levels")
  return blob.seal(blob.put_u32(text:sub(1, -21), 4, 1))
end

-- Creates an entity with a component of every type.
function saves.create(world, i, parent)
  return world:create {
    transform = { position = { i, 0, 0 }, angle = i, parent = parent },
    debug_name = { name = "name" .. i % 5 },
    mesh = { { id = "hat", resource = "box" }, { resource = "box", visible = i % 2 == 0 } },
    model = { resource = "leg" },
    point_mass = { mass = i, position = { i, i, i } },
    actor = { shape = "shape" .. i, mass = i },
    grid = { width = 2, height = 1 + i % 2, cell_size = i, tiles = "tiles" .. i % 3,
      cells = i % 2 == 0 and { i, 0 } or { 1, 2, 3, i * 1000 } },
    health = { hp = i, title = "title" .. i, target = parent },
    item = { { id = "item" .. i, kind = "sword" .. i % 3 }, { kind = "shield", state = "old" } },
  }
end

-- A tree of such entities, some of which are dead: the world, its entity manager, and a list of them.
function saves.filled(count)
  local world, entities = saves.new_world()
  local list = {}
  count = count or 40
  for i = 1, count do list[i] = saves.create(world, i, list[math.floor(i / 2)]) end
  for i = 3, count, 7 do entities:destroy(list[i]) end
  for i, e in ipairs(list) do
    if entities:alive(e) then
      world.model:set_node_pose(e, "knee", i, 2, 3, 0, 0, 0.6, 0.8, 1, 2, 1)
      if i % 4 == 0 then world.item:create(e, { kind = "late" }) end
      if i % 6 == 0 then world.item:destroy(world.item:lookup(e, "item" .. i)) end
    end
  end
  world.item:gc(3)
  return world, entities, list
end

saves.LONG = ("long"):rep(500)

-- A world of entities with long strings, some of them equal.
function saves.long_strings(count)
  local world, entities = saves.new_world()
  local long = saves.LONG
  world.mesh:define_resource(long, {})
  world.model:define_resource(long, saves.NODES)
  for i = 1, count do
    world:create { debug_name = { name = long }, mesh = { { id = long, resource = long }, { resource = "box" } },
      model = { resource = long }, actor = { shape = long .. i % 2 }, health = { title = ("x"):rep(64 + i % 2) },
      item = { { id = "own", kind = long }, { kind = "short" } } }
  end
  return world, entities
end

-- Converts a snapshot to a string and back, like another program.
function saves.reopen(entities)
  return assert(cuttle.snapshot(entities:snapshot():tostring()))
end

-- Numbers as in a save, the lowest byte first.
function saves.u32s(...)
  local bytes = {}
  for i = 1, select("#", ...) do
    local value = select(i, ...)
    for _ = 1, 4 do
      bytes[#bytes + 1] = string.char(value % 256)
      value = math.floor(value / 256)
    end
  end
  return table.concat(bytes)
end

return saves
