-- Bullets: created from a template, moved with all entities that have a velocity, destroyed by walls, tanks, nests and
-- time.
-- Shows: destroying in a loop over rows, finding the entity that was hit.

local bodies = require "bodies"
local mites = require "mites"
local sparks = require "sparks"
local walls = require "walls"

local bullets = {}

local YELLOW, ORANGE, BRICK = { 1, 0.9, 0.45 }, { 1, 0.5, 0.25 }, { 0.85, 0.45, 0.3 }
local SPEED = { player = 480, enemy = 230 }

local templates, velocity, transform = {}, nil, nil

function bullets.prepare(world)
  velocity, transform = world.velocity, world.transform
  for side, tint in pairs { player = YELLOW, enemy = ORANGE } do
    templates[side] = world:template { transform = {}, velocity = {}, bullet = { side = side },
      sprite = { picture = "bullet", layer = 5, tint = { tint[1], tint[2], tint[3], 1 } },
      glow = { radius = 22, tint = { tint[1], tint[2], tint[3], 0.55 } } }
  end
end

function bullets.fire(x, y, angle, side)
  local e = templates[side]:create()
  transform:set_local_pose_2d(e, x, y, angle)
  velocity:set_value(e, SPEED[side] * math.cos(angle), SPEED[side] * math.sin(angle), 0)
end

-- Returns the first entity with the component `name` that is nearer than `radius`, except tanks of one side.
local function hit(world, name, x, y, radius, friend)
  for e in world:join(name, "transform") do
    local ex, ey = transform:world_position(e)
    if (ex - x) ^ 2 + (ey - y) ^ 2 < radius * radius and not (friend and world.hull:side(e) == friend) then return e end
  end
end

-- Reduces the hp of an entity, and destroys it if none are left.
local function damage(world, manager, e, amount)
  local hp = manager:hp(e) - amount
  if hp > 0 then manager:set_hp(e, hp) else world.entities:destroy(e) end
end

-- Applies the effect of a bullet at a point. Returns the score, or nil if the bullet continues.
local function strike(world, map, random, x, y, side)
  if walls.at(map, x, y) ~= 0 then
    local broken = side == "player" and walls.shatter(world, map, x, y, x, y) > 0
    sparks.burst(random, x, y, broken and 26 or 8, broken and 110 or 70, broken and BRICK or YELLOW)
    return 0
  end
  local tank = hit(world, "hull", x, y, 14, side)
  if tank then
    sparks.burst(random, x, y, 24, 130, ORANGE)
    bodies.blast(world, x, y, 60, 160)
    damage(world, world.hull, tank, 1)
    return side == "player" and 25 or 0
  end
  if side ~= "player" then return nil end
  local nest = hit(world, "nest", x, y, 13)
  if nest then
    sparks.burst(random, x, y, 16, 120, mites.VIOLET)
    damage(world, world.nest, nest, 1)
    return 10
  end
  local killed = mites.kill(world, random, x, y, 11)
  return killed > 0 and killed or nil
end

-- Returns the score.
function bullets.step(world, map, random, dt)
  local scored, life = 0, world.bullet:column "life"
  for e, bullet, place in world:join("bullet", "transform") do
    local x, y = transform:local_position(place)
    local points = strike(world, map, random, x, y, world.bullet:side(bullet))
    life[bullet] = life[bullet] - dt
    if points or life[bullet] < 0 then world.entities:destroy(e) end
    scored = scored + (points or 0)
  end
  return scored
end

return bullets
