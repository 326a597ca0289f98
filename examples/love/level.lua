-- The level: an LDtk project made into a resource, spawned, and followed while the game runs.
-- Shows: an import with mappings and a grid, what fails as `nil, message`, level:patch, restart.
-- LÖVE reads the save directory before the game: a level.ldtk there is the one that is played, in a .love, too.

local cuttle = require "cuttle"
local walls = require "walls"

local level = { path = "level.ldtk" }

local TEAL, RUST = { 0.16, 0.84, 0.76, 1 }, { 1, 0.45, 0.28, 1 }

-- What stands for an entity of the editor. Its transform, name and id come by themselves.
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

-- The level as it is in the file now: a resource, or nil and what is wrong with it.
local function load(world)
  local source, warnings = cuttle.import.ldtk(level.path, { components = COMPONENTS, tiles = "grid" })
  if not source then return nil, warnings end
  local blob, message = cuttle.compiler(world):compile(source, { name = level.path })
  if not blob then return nil, message end
  return cuttle.resource(blob)
end

local function changed_at()
  local found = love.filesystem.getInfo(level.path)
  return found and found.modtime .. " " .. found.size
end

-- Spawns the level and begins to watch its file.
function level.spawn(world)
  level.stamp = changed_at()
  level.current = assert(world:spawn(assert(load(world))))
end

-- Everything as at the beginning, in the newest version of the file.
function level.restart(world)
  world:clear { entities = true } -- what has come since, and what a save brought, belongs to no level
  assert(level.current:restart())
end

-- Asks for the time of the file's last change. When that is new, brings the living level to what the file says: what
-- the game has changed stays. Returns what was done, as text, or nil. A file that is wrong leaves all as it is.
function level.follow(world)
  local stamp = changed_at()
  if stamp == level.stamp then return nil end
  level.stamp = stamp
  local resource, message = load(world)
  if not resource then return "not patched: " .. message end
  local told, trouble = level.current:patch(resource)
  if not told then return "not patched: " .. trouble end
  walls.count_change(world)
  return ("patched: %d new, %d gone, %d changed"):format(told.added, told.removed, told.changed)
end

return level
