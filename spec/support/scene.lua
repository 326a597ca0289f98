-- A world for specs of transforms: indices are reused at once. Answers the transforms, a function that makes an entity
-- with one, the entity manager and the world.

local cuttle = require "cuttle"

return function()
  local entities = cuttle.entity_manager { minimum_free_indices = 0 }
  local world = cuttle.world(entities)
  local tf = world.transform
  return tf, function(values)
    local e = entities:create()
    tf:create(e, values)
    return e
  end, entities, world
end
