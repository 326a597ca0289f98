-- level_world(): a world that knows, beside the built-in components, one of which an entity has one and one of which it
-- may have several.

local cuttle = require "cuttle"

return function()
  local world = cuttle.world(cuttle.entity_manager())
  world:define("health", { { "hp", "int32", 100 }, { "target", "entity" }, { "title", "string", "orc" } })
  world:define("wheel", { { "radius", "float", 1 }, { "axis", "vec3" } }, { multiple = true })
  return world
end
