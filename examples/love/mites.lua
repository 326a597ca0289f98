-- Mites: a swarm that leaves nests and attacks the player.
-- Shows: a template, rows over columns (compiled by LuaJIT), the neighbours of a point without a loop over all mites.

local sparks = require "sparks"
local walls = require "walls"

local mites = { LIMIT = 2000, VIOLET = { 0.9, 0.35, 1 } }

local SIZE, COLUMNS = walls.SIZE, walls.COLUMNS
local floor, sqrt = math.floor, math.sqrt

-- Cell -> the row of a mite there; row of a mite -> the next one in its cell.
local first, following = {}, {}

function mites.prepare(world)
  mites.template = world:template { transform = {}, velocity = {}, mite = {},
    sprite = { picture = "mite", tint = { 0.92, 0.4, 1, 1 } } }
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

-- Steers all mites to a point, around each other and away from walls, and puts them into cells.
function mites.steer(world, map, goal_x, goal_y, time, dt)
  local position = world.transform:column "local_position"
  local velocity, phase = world.velocity:column "value", world.mite:column "phase"
  for cell in pairs(first) do first[cell] = nil end
  for i, j, k in world:rows("mite", "velocity", "transform") do
    local p, v = position[k], velocity[j]
    local x, y, vx, vy = p.x, p.y, v.x, v.y
    local dx, dy = goal_x - x, goal_y - y
    local pull = 130 / (sqrt(dx * dx + dy * dy) + 1)
    local turn = math.sin(time * 3 + phase[i]) * 90
    vx = vx + (dx * pull - dy * pull * turn / 130) * dt
    vy = vy + (dy * pull + dx * pull * turn / 130) * dt
    local cell = floor(y / SIZE) * COLUMNS + floor(x / SIZE)
    local crowd = first[cell]
    if crowd then -- away from the previous mite in this cell
      local other = position[crowd]
      vx, vy = vx + (x - other.x) * 12 * dt, vy + (y - other.y) * 12 * dt
    end
    if walls.at(map, x + vx * 0.06, y) ~= 0 then vx = -vx * 0.8 end
    if walls.at(map, x, y + vy * 0.06) ~= 0 then vy = -vy * 0.8 end
    local speed = sqrt(vx * vx + vy * vy)
    if speed > 75 then vx, vy = vx * 75 / speed, vy * 75 / speed end
    v.x, v.y = vx, vy
    following[k], first[cell] = crowd or false, k
  end
end

-- Destroys the mites around a point, and returns their number.
function mites.kill(world, random, x, y, radius)
  local transform, killed = world.transform, 0
  for row = floor((y - radius) / SIZE), floor((y + radius) / SIZE) do
    for column = floor((x - radius) / SIZE), floor((x + radius) / SIZE) do
      local k = first[row * COLUMNS + column]
      while k do
        local e = transform:entity(transform:at(k))
        if world.entities:alive(e) then
          local mx, my = transform:local_position(e)
          local vx, vy = world.velocity:value(e)
          if (mx - x) ^ 2 + (my - y) ^ 2 < radius * radius then
            sparks.burst(random, mx, my, 9, 90, mites.VIOLET, vx * 0.5, vy * 0.5)
            world.entities:destroy(e)
            killed = killed + 1
          end
        end
        k = following[k]
      end
    end
  end
  return killed
end

-- Destroys the mites that have reached the player, and reduces its armour, which regenerates slowly.
function mites.bite(world, random, player)
  if not player then return end
  local x, y = world.transform:world_position(player)
  local hp = math.min(30, world.hull:hp(player) + 0.02) - 0.1 * mites.kill(world, random, x, y, 15)
  if hp > 0 then world.hull:set_hp(player, hp) else world.entities:destroy(player) end
end

return mites
