-- compile(world, entities): the resource that these entities of a level's source are compiled to for that world.

local cuttle = require "cuttle"

return function(world, entities)
  return assert(cuttle.resource(assert(cuttle.compiler(world):compile { entities = entities })))
end
