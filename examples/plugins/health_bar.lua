-- Health bars in a plugin: damage, regeneration over time, and a count of the fallen.
local cuttle = require "cuttle"
local health_bar = require "health_bar"

local entities = cuttle.entity_manager()
local world = cuttle.world(entities)
local bars = health_bar.define(world)

-- Components of a plugin are compiled and spawned like all others.
local source = { entities = {} }
for i = 1, 100 do
  source.entities[i] = { components = { health_bar = { maximum = 50 + i, hp = 50, rate = 1 + i % 5 } } }
end
local level = assert(world:spawn(cuttle.resource(assert(cuttle.compiler(world):compile(source)))))

local seconds, hurt = 0
repeat
  seconds = seconds + 1
  for i = 1, level:count() do
    local orc = level:entity(i)
    if i % 7 == seconds % 7 and entities:alive(orc) and bars:damage(orc, 30) == 0 then entities:destroy(orc) end
  end
  bars:gc "all"
  hurt = bars:regenerate(1)
until hurt == 0 or seconds == 60

local fallen = bars:fallen()
print(("after %d s %d of %d have fallen, %d are hurt"):format(seconds, fallen, level:count(), hurt))
assert(fallen + bars:count() == level:count() and world:validate())
