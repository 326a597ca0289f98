-- compile(world, entities): the resource compiled from a list of entities.

local cuttle = require "cuttle"

return function(world, entities)
  return assert(cuttle.resource(assert(cuttle.compiler(world):compile { entities = entities })))
end
