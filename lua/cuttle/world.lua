--- World methods that loop over the managers (managers, memory, timings), level:entities and left.
-- Does not depend on any component type.

local argument = require "cuttle.argument"
local core = require "cuttle.core"

local manager_at, world_bytes = core.manager_at, core.world_bytes

local world_methods, level_methods = {}, {}

--- Returns an iterator over the managers in spawn order: name, manager.
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

--- Returns the bytes held, in total and by manager.
-- @param world a world
-- @treturn number
-- @treturn table
function world_methods.memory(world)
  argument.check_world(world, "memory")
  local bytes, by_manager = argument.call(world_bytes, world), {}
  for name, manager in world_methods.managers(world) do by_manager[name] = manager:memory() end
  return bytes, by_manager
end

--- Starts profiling of all managers, with all counters at 0, or stops it.
-- @param world a world
-- @tparam boolean on
function world_methods.profile(world, on)
  argument.check_world(world, "profile")
  if type(on) ~= "boolean" then argument.bad(1, "profile", "boolean expected, got %s", core.messages.type_name(on)) end
  argument.call(core.profile, world, on)
end

-- The profile of the manager at a place (0: the world): kind of work -> calls and time, or nil.
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

--- Returns the number of calls and the time in seconds of each kind of work since `profile(true)`.
-- @param world a world
-- @treturn table by manager name, and under `world` the totals: kind of work -> `calls` and `time`
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

--- Returns the spawned entities in the resource's order.
-- @param level a level
-- @treturn table
function level_methods.entities(level)
  argument.check_self(level, "Level", "entities")
  local list = argument.call(level.list, level)
  return list:totable()
end

--- Returns what the last spawn could not apply of the option `state`.
-- @param level a level
-- @treturn table texts
function level_methods.left(level)
  argument.check_self(level, "Level", "left")
  local left = {}
  for text in string.gmatch(argument.call(core.level_left, level), "%Z+") do left[#left + 1] = text end
  return left
end

core.add_methods("world", world_methods)
core.add_methods("Level", level_methods)

return world_methods
