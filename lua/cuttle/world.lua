--- Methods of worlds that go through their managers: managers and memory; level:entities, from a list.
-- Knows nothing of any one component.

local argument = require "cuttle.argument"
local core = require "cuttle.core"

local manager_at, world_bytes = core.manager_at, core.world_bytes

local world_methods, level_methods = {}, {}

--- Goes through the managers in spawn order: name, manager.
-- @param world a world
function world_methods.managers(world)
  argument.check_self(world, "cuttle", "managers", "world")
  argument.call(manager_at, world, 1)
  local place = 0
  return function()
    place = place + 1
    return argument.call(manager_at, world, place)
  end
end

--- Bytes held, in all and by manager.
-- @param world a world
-- @treturn number
-- @treturn table
function world_methods.memory(world)
  argument.check_self(world, "cuttle", "memory", "world")
  local bytes, by_manager = argument.call(world_bytes, world), {}
  for name, manager in world_methods.managers(world) do by_manager[name] = manager:memory() end
  return bytes, by_manager
end

--- What was spawned, in the resource's order.
-- @param level a level
-- @treturn table
function level_methods.entities(level)
  argument.check_self(level, "Level", "entities")
  return argument.call(level.list, level):totable()
end

core.add_methods("world", world_methods)
core.add_methods("Level", level_methods)

return world_methods
