-- Mites: a swarm that leaves nests and attacks the player.
-- Shows: a template, rows over columns (compiled by LuaJIT), a space for neighbours, additions to many entities.

local cuttle = require "cuttle"
local sparks = require "sparks"
local walls = require "walls"

local mites = { LIMIT = 2000, VIOLET = { 0.9, 0.35, 1 } }

local sqrt = math.sqrt
local CROWDED = 6 -- mites that are nearer to each other move apart

local space
local found, near, places, pushes = cuttle.list(), cuttle.list(), {}, {}

function mites.prepare(world)
  mites.template = world:template { transform = {}, velocity = {}, mite = {},
    sprite = { picture = "mite", tint = { 0.92, 0.4, 1, 1 } } }
  space = world:query("mite", "transform"):space { cell = walls.SIZE }
end

-- Creates a mite at each nest at intervals.
function mites.hatch(world, random, dt)
  local nests, velocity = world.nest, world.velocity
  for e, nest in nests:each() do
    local wait = nests:wait(nest) - dt
    if wait <= 0 and world.mite:count() < mites.LIMIT then
      wait = wait + nests:every(nest)
      local x, y = world.transform:world_position(e)
      local angle = random:random() * 2 * math.pi
      local mite = mites.template:create()
      world.transform:set_local_position(mite, x + 6 * math.cos(angle), y + 6 * math.sin(angle))
      velocity:set_value(mite, 60 * math.cos(angle), 60 * math.sin(angle), 0)
      world.mite:set_phase(mite, angle)
    end
    nests:set_wait(nest, math.max(wait, 0))
  end
end

-- Steers all mites to a point and away from walls.
function mites.steer(world, map, goal_x, goal_y, time, dt)
  local position = world.transform:column "local_position"
  local velocity, phase = world.velocity:column "value", world.mite:column "phase"
  for i, j, k in world:rows("mite", "velocity", "transform") do
    local p, v = position[k], velocity[j]
    local x, y, vx, vy = p.x, p.y, v.x, v.y
    local dx, dy = goal_x - x, goal_y - y
    local pull = 130 / (sqrt(dx * dx + dy * dy) + 1)
    local turn = math.sin(time * 3 + phase[i]) * 90
    vx = vx + (dx * pull - dy * pull * turn / 130) * dt
    vy = vy + (dy * pull + dx * pull * turn / 130) * dt
    if walls.at(map, x + vx * 0.06, y) ~= 0 then vx = -vx * 0.8 end
    if walls.at(map, x, y + vy * 0.06) ~= 0 then vy = -vy * 0.8 end
    local speed = sqrt(vx * vx + vy * vy)
    if speed > 75 then vx, vy = vx * 75 / speed, vy * 75 / speed end
    v.x, v.y = vx, vy
  end
end

-- Brings the space up to date with the world poses, and pushes mites that are near each other apart.
function mites.spread(world, dt)
  space:update()
  local _, count = space:pairs(CROWDED, near)
  world.transform:read_many(near, "local_position", places)
  for i = #pushes, 6 * count + 1, -1 do pushes[i] = nil end
  for i = 1, 6 * count, 6 do -- two positions of three numbers
    local x, y = (places[i] - places[i + 3]) * 8 * dt, (places[i + 1] - places[i + 4]) * 8 * dt
    pushes[i], pushes[i + 1], pushes[i + 2] = x, y, 0
    pushes[i + 3], pushes[i + 4], pushes[i + 5] = -x, -y, 0
  end
  world.velocity:add_many(near, "value", pushes)
end

-- Returns the mite that is nearest to a point, or nil.
function mites.nearest(x, y) return (space:nearest(x, y)) end

-- Destroys the mites around a point, and returns their number.
function mites.kill(world, random, x, y, radius)
  for e in space:within(x, y, radius, found):each() do
    local mx, my = world.transform:local_position(e)
    local vx, vy = world.velocity:value(e)
    sparks.burst(random, mx, my, 9, 90, mites.VIOLET, vx * 0.5, vy * 0.5)
  end
  return world.entities:destroy(found)
end

-- Destroys the mites that have reached the player, and reduces its armour, which regenerates slowly.
function mites.bite(world, random, player)
  if not player then return end
  local x, y = world.transform:world_position(player)
  local hp = math.min(30, world.hull:hp(player) + 0.02) - 0.1 * mites.kill(world, random, x, y, 15)
  if hp > 0 then world.hull:set_hp(player, hp) else world.entities:destroy(player) end
end

return mites
