-- Waves of enemies that a plugin spawns, weighs, restarts, patches and clears.
local cuttle = require "cuttle"
local waves = require "waves"

local entities = cuttle.entity_manager()
local world = cuttle.world(entities)
local camp = { name = "camp", components = { transform = {} }, children = {
  { name = "chief", components = { transform = { position = { 0, 2, 0 } }, point_mass = { mass = 80 } } } } }
for i = 1, 9 do
  camp.children[#camp.children + 1] = { name = "orc", components = { transform = { position = { i, 0, 0 } },
    point_mass = { mass = 60 } } }
end
local resource = assert(waves.load(assert(cuttle.compiler(world):compile { entities = { camp } })))

local spawned = {}
for number = 1, 3 do spawned[number] = assert(waves.spawn(world, resource, number)) end
local mass, middle = waves.weigh(world)
print(("%d enemies of %d kg are around x = %.1f"):format(world.point_mass:count(), mass, middle))

world:define("armour", { { "colour", "string", default = "black" }, { "strength", "float" } })
waves.arm(world, waves.chief(spawned[1]), 12)
assert(world.armour:strength(waves.chief(spawned[1])) == 12)
assert(world.armour:colour(waves.chief(spawned[1])) == "black")

entities:destroy(waves.chief(spawned[3]))
assert(waves.chief(spawned[3]) == nil)
print(("without the third chief they weigh %d kg"):format((waves.weigh(world))))
assert(waves.again(spawned[3]))
assert(world.point_mass:mass(waves.chief(spawned[3])) == 300)

-- A newer file of the camp: one more orc, and a heavier one.
camp.children[11] = { name = "orc",
  components = { transform = { position = { 10, 0, 0 } }, point_mass = { mass = 70 } } }
camp.children[2].components.point_mass.mass = 65
local newer = assert(waves.load(assert(cuttle.compiler(world):compile { entities = { camp } })))
for _, level in ipairs(spawned) do
  local came, changed, went = waves.follow(level, newer)
  assert(came == 1 and changed == 1 and went == 0)
end

local died = 0
for _, level in ipairs(spawned) do died = died + waves.clear(level) end
print(("%d were left at the end"):format(died))
assert(died == 36 and world:validate())
