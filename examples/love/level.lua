-- The level: an LDtk project that is imported, spawned, and watched while the game runs.
-- Shows: an import with mappings and a grid, failures as `nil, message`, level:patch, restart.
-- LÖVE searches the save directory before the game, so a level.ldtk there is played, also in a .love.

local cuttle = require "cuttle"
local walls = require "walls"

local level = { path = "level.ldtk" }

local TEAL, RUST = { 0.16, 0.84, 0.76, 1 }, { 1, 0.45, 0.28, 1 }

-- The mappings of entities of the editor to components. The importer adds transform, name and id.
local COMPONENTS = {}

function COMPONENTS.Player()
  return { hull = { side = "player", hp = 30, speed = 120 }, sprite = { picture = "hull", tint = TEAL }, motion = {},
    actor = { shape = "tank", mass = 6 }, model = { resource = "arm" } }
end

function COMPONENTS.Tank(fields)
  return { hull = { side = "enemy", hp = fields.hp }, sprite = { picture = "hull", tint = RUST }, motion = {},
    actor = { shape = "tank", mass = 6 } }
end

function COMPONENTS.Crate()
  return { sprite = { picture = "crate" }, actor = { shape = "crate", mass = 1 }, motion = {} }
end

function COMPONENTS.Nest(fields)
  return { nest = { hp = fields.hp, every = fields.every }, sprite = { picture = "nest", layer = 1 },
    glow = { radius = 90, tint = { 0.75, 0.25, 1, 0.5 } } }
end

function COMPONENTS.Lamp()
  return { sprite = { picture = "lamp", layer = 1 }, brazier = {},
    glow = { radius = 130, tint = { 1, 0.6, 0.3, 0.35 } } }
end

-- Returns a resource of the current file, or nil and a message.
local function load(world)
  local source, warnings = cuttle.import.ldtk(level.path, { components = COMPONENTS, tiles = "grid" })
  if not source then return nil, warnings end
  local blob, message = cuttle.compiler(world):compile(source, { name = level.path })
  if not blob then return nil, message end
  return cuttle.resource(blob, level.path)
end

local function changed_at()
  local found = love.filesystem.getInfo(level.path)
  return found and found.modtime .. " " .. found.size
end

-- Spawns the level, and begins to watch its file.
function level.spawn(world)
  level.stamp = changed_at()
  level.current = assert(world:spawn(assert(load(world))))
end

-- Finds the level again after a save was loaded. It has the resource of the level before, which has the same name.
function level.find_again(world) level.current = world:levels()[1] or level.current end

-- Starts again, with the newest version of the file.
function level.restart(world)
  world:clear { entities = true } -- entities of scripts belong to no level
  assert(level.current:restart())
end

-- Patches the level if the modification time of its file has changed. Values that the game has changed are kept.
-- Returns the result as text, or nil. A wrong file changes nothing.
function level.follow(world)
  local stamp = changed_at()
  if stamp == level.stamp then return nil end
  level.stamp = stamp
  local resource, message = load(world)
  if not resource then return "not patched: " .. message end
  local counts, trouble = level.current:patch(resource)
  if not counts then return "not patched: " .. trouble end
  walls.count_change(world)
  return ("patched: %d added, %d removed, %d changed"):format(counts.added, counts.removed, counts.changed)
end

return level
