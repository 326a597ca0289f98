-- scene(name): creates a world whose indices are reused at once. Returns the manager of the name, by default
-- transforms, a function that creates an entity with its component, the entity manager and the world.

local cuttle = require "cuttle"

return function(name)
  local entities = cuttle.entity_manager { minimum_free_indices = 0 }
  local world = cuttle.world(entities)
  local manager = world[name or "transform"]
  return manager, function(values)
    local e = entities:create()
    manager:create(e, values)
    return e
  end, entities, world
end
