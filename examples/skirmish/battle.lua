--- The game: its state, and the order of systems in a fixed step.
-- Must not depend on files and output.

local chronicle = require "skirmish.chronicle"
local damage = require "skirmish.damage"
local gunnery = require "skirmish.gunnery"
local harbour = require "skirmish.harbour"
local movement = require "skirmish.movement"
local random = require "skirmish.random"
local roster = require "skirmish.roster"
local waves = require "skirmish.waves"

local battle = {}
battle.__index = battle

--- Makes a game of the entities in a world.
-- @tparam world world with the components of this game
-- @tparam table options `sides` (names of side 1 and 2), `seed`, `scale` (length of a step on foot: 1 metre, or some
-- pixels), `foreign` (names repeat, so texts contain the place), `ship` (the resource of reinforcements)
function battle.new(world, options)
  local game = setmetatable({ world = world, entities = world.entities, sides = options.sides, scale = options.scale,
    foreign = options.foreign, random = random(options.seed), chronicle = chronicle.new(), roster = roster.new(world),
    time = 0, dt = 1 / 60, steps = 0, blasts = {}, graves = {}, levels = {}, peak = world.entities:count(),
    tally = { fired = {}, hits = {}, lost = {}, bounty = {}, spawned = 0, died = 0, blasts = 0, collected = 0,
      sailed = 0 } }, battle)
  game.stop_listening = damage.listen(game)
  local spin, steer, drift = movement.systems(game)
  local turn, fire, fly = gunnery.systems(game)
  local reap, blast = damage.systems(game)
  -- Deferred mode: world poses are computed before they are read, each changed node once.
  world.transform:set_mode "deferred"
  local function propagate() world.transform:propagate() end
  game.systems = { game.roster.gather, waves(game, options.ship), spin, steer, harbour(game), propagate, turn,
    propagate, fire, fly, drift, propagate, blast, reap }
  game.roster.gather()
  return game
end

--- Computes one fixed step.
function battle:step()
  local dt = self.dt
  self.steps = self.steps + 1
  self.time = self.steps * dt
  for _, system in ipairs(self.systems) do system(dt) end
  -- Rows move only here, and no system keeps rows from one step to the next.
  self.tally.collected = self.tally.collected + self.world:gc()
  self:watch()
end

--- Records, once, that a side has no entities left.
function battle:watch()
  local alive = self.roster.alive
  for side = 1, 2 do
    if alive[side] == 0 and alive[3 - side] > 0 and not self.winner then
      self.winner = 3 - side
      self:record(20, "Nothing is left of %s. The day belongs to %s", self.sides[side], self.sides[3 - side])
    end
  end
end

--- Records an event in the chronicle.
function battle:record(weight, text, ...)
  text = text:format(...)
  self.chronicle:record(self.time, weight, "%s", text:sub(1, 1):upper() .. text:sub(2))
end

--- Returns the name of a living or dying entity, and in a level with repeated names also its place.
-- @treturn string its name
-- @treturn string " of" and the place, or ""
function battle:title(e)
  local names, transform = self.world.debug_name, self.world.transform
  local name = names:debug_name(e) or "something nameless"
  local top = self.foreign and transform:lookup(e) and transform:root(e)
  local place = top and names:debug_name(transform:entity(top))
  return name, place and place ~= name and " of " .. place or ""
end

--- Returns the nearest ancestor of a gun, or the gun itself, that can be hit; nil if there is none any more.
function battle:carrier(e)
  local transform = self.world.transform
  local instance = e and transform:lookup(e)
  while instance do
    local owner = transform:entity(instance)
    if self.world.health:has(owner) then return owner end
    instance = transform:parent(instance)
  end
  return nil
end

--- Ends the game: deaths are no longer recorded, and reinforcements are unloaded.
function battle:close()
  self.stop_listening()
  for _, level in ipairs(self.levels) do level:unload() end
end

return battle
