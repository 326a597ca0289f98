--- Guns find targets, turn to them and fire; cannon balls fly and hit.
-- Must not depend on deaths and steering.

local turn_between = require("skirmish.movement").turn_between

local cos, max, min, sin = math.cos, math.max, math.min, math.sin
local atan2 = math.atan2 or math.atan -- Lua 5.5 has one function for both

-- The speed of a cannon ball, in steps on foot (`game.scale`) per second.
local BALL_SPEED = 70

local gunnery = {}

local function turning(game)
  local world, transform, cannon, turret = game.world, game.world.transform, game.world.cannon, game.world.turret
  local matrix, target, turn = transform:column("world_matrix"), cannon:column("target"), turret:column("turn")
  return function(dt)
    -- A turret follows the first of its guns.
    for u, c, t in world:rows(turret, cannon, transform) do
      local goal = transform:row_of_id(target[c])
      if goal then
        local pose, other = matrix[t], matrix[goal]
        local instance, most = transform:at(t), turn[u] * dt
        local wish = atan2(other[14] - pose[14], other[13] - pose[13])
        local step = turn_between(transform:world_angle(instance), wish)
        transform:set_local_angle(instance, transform:local_angle(instance) + max(-most, min(most, step)))
      end
    end
  end
end

-- The shots of this step, as flat arrays for one bulk create.
local function new_salvo()
  return { count = 0, position = {}, velocity = {}, damage = {}, life = {}, side = {}, from = {} }
end

local function add_ball(salvo, x, y, z, angle, speed, range)
  local n = salvo.count
  salvo.count = n + 1
  salvo.position[3 * n + 1], salvo.position[3 * n + 2], salvo.position[3 * n + 3] = x, y, z
  salvo.velocity[3 * n + 1] = cos(angle) * speed
  salvo.velocity[3 * n + 2] = sin(angle) * speed
  salvo.velocity[3 * n + 3] = 0
  salvo.life[n + 1] = 1.2 * range / speed
  return n + 1
end

-- Creates all balls of a step with three calls.
local function launch(game, salvo)
  local world, tally = game.world, game.tally
  local balls = game.entities:create_list(salvo.count)
  world.transform:create_many(balls, { position = salvo.position })
  world.shot:create_many(balls, { velocity = salvo.velocity, damage = salvo.damage, life = salvo.life,
    side = salvo.side, from = salvo.from })
  tally.spawned = tally.spawned + salvo.count
end

local function firing(game)
  local world, roster, tally = game.world, game.roster, game.tally
  local transform, cannon, health = world.transform, world.cannon, world.health
  local matrix = transform:column("world_matrix")
  local wait, reload, range = cannon:column("wait"), cannon:column("reload"), cannon:column("range")
  local side, target, muzzle = cannon:column("side"), cannon:column("target"), cannon:column("muzzle")
  local fired, damage = cannon:column("fired"), cannon:column("damage")

  -- Finds the target: the current one while it is alive and near enough, otherwise the nearest enemy, if any.
  local function aim(c, x, y)
    local row = transform:row_of_id(target[c])
    if row then
      local dx, dy = matrix[row][13] - x, matrix[row][14] - y
      if dx * dx + dy * dy <= range[c] * range[c] then return dx, dy end
    end
    local enemy = roster:nearest_enemy(side[c], x, y, range[c])
    if not enemy then return nil end
    target[c] = health:entity(health:at(roster.row[enemy]))
    return roster.x[enemy] - x, roster.y[enemy] - y
  end

  return function(dt)
    local salvo = new_salvo()
    -- Each gun of a gun deck is a separate row.
    for c, t in world:rows(cannon, transform) do
      wait[c] = max(0, wait[c] - dt)
      if wait[c] == 0 then
        local m, barrel = matrix[t], muzzle[c]
        local x = m[1] * barrel.x + m[5] * barrel.y + m[13]
        local y = m[2] * barrel.x + m[6] * barrel.y + m[14]
        local dx, dy = aim(c, x, y)
        if dx then
          local angle = atan2(dy, dx) + game.random(-0.12, 0.12)
          local n = add_ball(salvo, x, y, m[15], angle, BALL_SPEED * game.scale, range[c])
          salvo.damage[n], salvo.side[n], salvo.from[n] = damage[c], side[c], cannon:entity(cannon:at(c))
          wait[c] = reload[c] * game.random(0.9, 1.1)
          fired[c] = fired[c] + 1
          tally.fired[side[c]] = (tally.fired[side[c]] or 0) + 1
        end
      end
    end
    if salvo.count > 0 then launch(game, salvo) end
  end
end

local function flying(game)
  local world, roster, tally = game.world, game.roster, game.tally
  local transform, shot, health = world.transform, world.shot, world.health
  local position, velocity, life = transform:column("local_position"), shot:column("velocity"), shot:column("life")
  local side, damage, from = shot:column("side"), shot:column("damage"), shot:column("from")
  local hp, armour, blame = health:column("hp"), health:column("armour"), health:column("blame")

  return function(dt)
    for s, t in world:rows(shot, transform) do
      local p, v = position[t], velocity[s]
      local x, y = p.x + v.x * dt, p.y + v.y * dt
      local hit = roster:hit(side[s], x, y)
      life[s] = life[s] - dt
      if hit then
        hp[hit] = hp[hit] - max(1, damage[s] - armour[hit])
        blame[hit] = from[s]
        tally.hits[side[s]] = (tally.hits[side[s]] or 0) + 1
      end
      if hit or life[s] <= 0 then
        game.entities:destroy(shot:entity(shot:at(s)))
      else
        p.x, p.y = x, y
      end
    end
  end
end

--- Returns the systems of this file, each a function of the time step.
function gunnery.systems(game)
  return turning(game), firing(game), flying(game)
end

return gunnery
