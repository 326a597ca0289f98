-- The script of the program `scripted`. It uses Lua as in any host; the module is part of the program.
local cuttle = require "cuttle"

local entities = cuttle.entity_manager()
local world = cuttle.world(entities)
world:define("fuel", { { "litres", "float", 40 } })
world:create({ transform = {}, fuel = {} }, 1000)

local litres = world.fuel:column "litres"
local sum = 0
for row in world:rows "fuel" do
  litres[row] = litres[row] - 1
  sum = sum + litres[row]
end
print(("%d entities, %d litres"):format(entities:count(), sum))

-- Two million transforms do not fit into the program's budget. The failed call changes nothing.
print(pcall(world.create, world, { transform = {} }, 2000000))
print(("%d entities, %s"):format(entities:count(), world:validate() and "valid" or "damaged"))
