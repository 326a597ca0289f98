--- What was, for whoever looks back: a frame of a recorder in worlds of its own.
-- Knows nothing of who asks.
--
-- A snapshot is restored in a second EntityManager whose worlds have the same names, components and resources, and no
-- callbacks: what lives does not notice. It takes as much memory as the worlds, until it is let go of.

local core = require "cuttle.core"
local view = require "cuttle.inspector.view"

local schema = core.schema

local past = {}

-- Defines what scripts have defined in a world: built-ins are there, and what plugins have.
local function define(world, like)
  local types = schema.component_types(like)
  for name, manager in like:managers() do
    if not world:manager(name) then
      world:define(name, manager:fields(), { multiple = types[name].multiple })
    end
  end
end

--- An empty EntityManager with worlds like those of another.
function past.mirror(entities)
  local mirror = core.entity_manager()
  local worlds = {}
  for place, like in ipairs(view.worlds_of(entities)) do
    local world = core.world(mirror, { name = view.name_of(like) })
    worlds[place] = world
    schema.resemble(world, like)
    define(world, like)
  end
  -- An EntityManager does not keep its worlds.
  return { entities = mirror, worlds = worlds }
end

--- How many frames one can look back.
function past.depth(recorder)
  local _, depth = core.recorded(recorder, 2 ^ 53 - 1)
  return depth or 0
end

--- What was `frames` frames ago, in a mirror; nil if nothing is recorded. Costs a restore: about what copying the bytes
-- takes. Raises what `restore` raises.
-- @tparam[opt] table mirror of an earlier look: it is used again, unless worlds or components are others by now
-- @tparam function pause is called between the making of a new mirror and the restore
-- @treturn table the mirror: `entities`, `worlds`
-- @treturn number frames: where that frame has no snapshot, those to the nearest before it
function past.look(entities, recorder, frames, mirror, pause)
  local snapshot, back = core.recorded(recorder, frames)
  if not snapshot then return nil end
  if mirror and pcall(mirror.entities.restore, mirror.entities, snapshot) then return mirror, back end
  mirror = past.mirror(entities)
  pause()
  snapshot, back = core.recorded(recorder, frames)
  mirror.entities:restore(snapshot)
  return mirror, back
end

return past
