--- The worlds of an EntityManager and their names.
-- Does not depend on any component type.
-- @module cuttle.worlds

local core = require "cuttle.core"

local worlds = {}

--- Returns the worlds of an EntityManager, oldest first.
-- @param entities
-- @treturn table
function worlds.of(entities)
  local list, found = {}, { core.schema.worlds(entities) }
  for place, world in ipairs(found) do list[#found + 1 - place] = world end
  return list
end

--- Returns the name of a world.
-- @param world
-- @treturn string
function worlds.name(world) return tostring(world):match '^world "(.*)"$' end

--- Returns the worlds of an EntityManager by name.
-- @param entities
-- @treturn table
function worlds.by_name(entities)
  local found = {}
  for _, world in ipairs(worlds.of(entities)) do found[worlds.name(world)] = world end
  return found
end

return worlds
