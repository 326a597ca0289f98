-- level_world(): a world with one component type that an entity can have once, and one that it can have several times.

local cuttle = require "cuttle"

return function()
  local world = cuttle.world(cuttle.entity_manager())
  world:define("health", { { "hp", "int32", 100 }, { "target", "entity" }, { "title", "string", "orc" } })
  world:define("wheel", { { "radius", "float", 1 }, { "axis", "vec3" } }, { multiple = true })
  return world
end
