--- Methods of worlds that go through their managers: managers and memory; level:entities, from a list.
-- Knows nothing of any one component.

local argument = require "cuttle.argument"
local core = require "cuttle.core"

local manager_at, world_bytes = core.manager_at, core.world_bytes

local world_methods, level_methods = {}, {}

--- Goes through the managers in spawn order: name, manager.
-- @param world a world
function world_methods.managers(world)
  argument.check_world(world, "managers")
  local place = 0
  return function()
    place = place + 1
    local name, manager = argument.call(manager_at, world, place)
    return name, manager
  end
end

--- Bytes held, in all and by manager.
-- @param world a world
-- @treturn number
-- @treturn table
function world_methods.memory(world)
  argument.check_world(world, "memory")
  local bytes, by_manager = argument.call(world_bytes, world), {}
  for name, manager in world_methods.managers(world) do by_manager[name] = manager:memory() end
  return bytes, by_manager
end

--- Begins to time the work of all managers, from 0 on, or ends it.
-- @param world a world
-- @tparam boolean on
function world_methods.profile(world, on)
  argument.check_world(world, "profile")
  if type(on) ~= "boolean" then argument.bad(1, "profile", "boolean expected, got %s", core.messages.type_name(on)) end
  argument.call(core.profile, world, on)
end

-- What a manager, or at place 0 the world, has done: kind of work -> calls and time, or nil.
local function timings_at(world, place)
  local found
  for kind = 1, math.huge do
    local name, calls, seconds = argument.call(core.timing, world, place, kind)
    if not name then return found end
    if calls > 0 then
      found = found or {}
      found[name] = { calls = calls, time = seconds }
    end
  end
end

--- How often work was done since `profile(true)`, and how long it took, in seconds.
-- @param world a world
-- @treturn table by manager, and under `world` for all of them: kind of work -> `calls` and `time`
function world_methods.timings(world)
  argument.check_world(world, "timings")
  local timings, place = {}, 0
  for name in world_methods.managers(world) do
    place = place + 1
    timings[name] = timings_at(world, place)
  end
  for kind, spent in pairs(timings_at(world, 0) or {}) do
    timings.world = timings.world or {}
    timings.world[kind] = timings.world[kind] or spent
  end
  return timings
end

--- What was spawned, in the resource's order.
-- @param level a level
-- @treturn table
function level_methods.entities(level)
  argument.check_self(level, "Level", "entities")
  local list = argument.call(level.list, level)
  return list:totable()
end

core.add_methods("world", world_methods)
core.add_methods("Level", level_methods)

return world_methods
