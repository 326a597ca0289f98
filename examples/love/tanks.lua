-- Tanks: a hull with a turret and a barrel. A hook creates turret and barrel for every hull, from the level, a patch or
-- a script.
-- Shows: templates, on_add and on_remove, a transform hierarchy of three, destroy_tree.

local bullets = require "bullets"
local sparks = require "sparks"
local walls = require "walls"

local tanks = { exploded = {} } -- the positions of tanks destroyed since the last step

local SMOKE = { 1, 0.55, 0.2 }

function tanks.prepare(world, random)
  local turret = world:template { transform = {}, sprite = { picture = "turret", layer = 4 } }
  local barrel = world:template { transform = { position = { 11, 0 } }, sprite = { picture = "barrel", layer = 3 } }
  local hull, transform, sprite = world.hull, world.transform, world.sprite

  hull:on_add(function(e)
    local top, gun = turret:create(), barrel:create()
    transform:link(top, e)
    transform:link(gun, top)
    local r, g, b = sprite:tint(e)
    sprite:set_tint(top, r * 1.1, g * 1.1, b * 1.1, 1)
    sprite:set_tint(gun, r * 0.8, g * 0.8, b * 0.8, 1)
    hull:set(e, { turret = top, barrel = gun })
  end)

  -- All components of the hull can still be read, and its children are still linked.
  hull:on_remove(function(e, instance)
    local x, y = transform:world_position(e)
    sparks.burst(random, x, y, 160, 190, SMOKE)
    tanks.exploded[#tanks.exploded + 1] = { x, y }
    local top = hull:turret(instance)
    if top and world.entities:alive(top) then transform:destroy_tree(top) end
  end)
end

function tanks.player(world)
  for e, hull in world.hull:each() do
    if world.hull:side(hull) == "player" then return e end
  end
end

local function turn_to(from, to, most)
  local difference = (to - from + math.pi) % (2 * math.pi) - math.pi
  return from + math.max(-most, math.min(most, difference))
end

-- Steers the body. The transform is copied from the body.
local function drive(world, e, hull, throttle, turn, dt)
  local body = world.actor:body(e)
  local angle, speed = body:getAngle(), world.hull:speed(hull) * throttle
  local vx, vy = body:getLinearVelocity()
  local blend = math.min(1, 10 * dt)
  body:setLinearVelocity(vx + (math.cos(angle) * speed - vx) * blend, vy + (math.sin(angle) * speed - vy) * blend)
  body:setAngularVelocity(turn)
end

-- Turns the turret to a point in the world, and fires if it is loaded.
local function aim(world, e, hull, x, y, fire, interval, dt)
  local hulls, transform = world.hull, world.transform
  local turret, barrel = hulls:turret(hull), hulls:barrel(hull)
  if not turret or not barrel then return end
  local tx, ty = transform:world_position(e)
  local _, _, hull_angle = transform:pose_2d(e)
  local angle = turn_to(transform:local_angle(turret), math.atan2(y - ty, x - tx) - hull_angle, 4 * dt)
  transform:set_local_angle(turret, angle)
  local recoil = hulls:recoil(hull) * math.max(0, 1 - 12 * dt)
  local reload = math.max(0, hulls:reload(hull) - dt)
  if fire and reload == 0 then
    reload, recoil = interval, 5
    local mx, my, heading = transform:pose_2d(barrel)
    bullets.fire(mx + 12 * math.cos(heading), my + 12 * math.sin(heading), heading, hulls:side(hull))
  end
  transform:set_local_position(barrel, 11 - recoil, 0)
  hulls:set(hull, { recoil = recoil, reload = reload })
end

-- Drives ahead until a wall is near, then turns. The gun follows the player while no wall is between them.
local function think(world, map, e, hull, goal_x, goal_y, dt)
  local x, y, angle = world.transform:pose_2d(e)
  local wall = walls.distance(map, x, y, x + 46 * math.cos(angle), y + 46 * math.sin(angle))
  local turn = world.hull:turn(hull)
  local bearing = math.atan2(goal_y - y, goal_x - x) - angle
  if not wall then
    turn = turn * 0.95 + math.sin(bearing) * 0.06
  elseif turn == 0 or math.abs(turn) < 0.5 then
    local left = walls.distance(map, x, y, x + 60 * math.cos(angle - 1), y + 60 * math.sin(angle - 1)) or 60
    local right = walls.distance(map, x, y, x + 60 * math.cos(angle + 1), y + 60 * math.sin(angle + 1)) or 60
    turn = left > right and -1.8 or 1.8
  end
  world.hull:set_turn(hull, turn)
  drive(world, e, hull, wall and 0.15 or 1, turn, dt)
  local sees = (goal_x - x) ^ 2 + (goal_y - y) ^ 2 < 330 ^ 2 and not walls.distance(map, x, y, goal_x, goal_y)
  aim(world, e, hull, sees and goal_x or x + 40 * math.cos(angle), sees and goal_y or y + 40 * math.sin(angle), sees,
    0.9, dt)
end

-- `input`: throttle and turn from -1 to 1, x and y of the point to aim at, fire.
function tanks.step(world, map, input, dt)
  local player = tanks.player(world)
  local x, y = 480, 270
  if player then x, y = world.transform:world_position(player) end
  for e, hull in world.hull:each() do
    if e == player then
      drive(world, e, hull, input.throttle, 3.2 * input.turn, dt)
      aim(world, e, hull, input.x, input.y, input.fire, 0.07, dt)
    else
      think(world, map, e, hull, x, y, dt)
    end
  end
  for i, place in ipairs(tanks.exploded) do
    walls.shatter(world, map, place[1] - 30, place[2] - 30, place[1] + 30, place[2] + 30)
    tanks.exploded[i] = nil
  end
  return x, y
end

return tanks
