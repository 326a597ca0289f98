--- Recorded frames: restores a frame of a recorder in shadow worlds.
-- Does not depend on requests.
--
-- A snapshot is restored in a second EntityManager whose worlds have the same names, components and resources, but no
-- callbacks, so the game is not affected. The shadow worlds take as much memory as the worlds, until they are dropped.

local core = require "cuttle.core"
local worlds = require "cuttle.worlds"

local schema = core.schema

local history = {}

-- Defines the script-defined components of a world in its shadow. Built-in and plugin components already exist.
local function define(world, original)
  local types = schema.component_types(original)
  for name, manager in original:managers() do
    if not world:manager(name) then
      local fields, hidden = manager:fields(), {}
      for _, field in ipairs(fields) do
        if not manager["set_" .. field[1]] then hidden[#hidden + 1] = field[1] end
      end
      world:define(name, fields, { multiple = types[name].multiple, hidden = hidden })
    end
  end
end

--- Makes an empty EntityManager with shadows of another one's worlds.
function history.new_shadow(entities)
  local shadow = core.entity_manager()
  local shadows = {}
  for place, original in ipairs(worlds.of(entities)) do
    local world = core.world(shadow, { name = worlds.name(original) })
    shadows[place] = world
    schema.copy(world, original)
    define(world, original)
  end
  -- Returned together, because an EntityManager does not keep its worlds alive.
  return { entities = shadow, worlds = shadows }
end

--- Returns the number of recorded frames.
function history.depth(recorder)
  return core.recorded(recorder, 2 ^ 53 - 1) or 0
end

--- Restores the state of `frames` frames ago in shadow worlds; returns nil if nothing is recorded. Costs one restore,
-- about the time to copy the bytes. Raises the errors of `restore`.
-- @tparam[opt] table shadow the result of an earlier call: used again unless worlds or components changed
-- @tparam function pause called between making new shadow worlds and the restore
-- @treturn table the shadow: `entities`, `worlds`
-- @treturn number frames; if that frame has no snapshot, the number of the nearest earlier frame that has one
function history.restore(entities, recorder, frames, shadow, pause)
  if not core.recorded(recorder, frames) then return nil end
  if shadow then
    local restored, back = pcall(core.recorded, recorder, frames, shadow.entities)
    if restored then return shadow, back end
  end
  shadow = history.new_shadow(entities)
  pause()
  return shadow, core.recorded(recorder, frames, shadow.entities)
end

return history
