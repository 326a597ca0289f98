--- Movement: lanterns and cranes turn, ships steer, splinters drift.
-- Must not depend on guns and damage.

local cos, max, min, pi, sin, sqrt = math.cos, math.max, math.min, math.pi, math.sin, math.sqrt
local atan2 = math.atan2 or math.atan -- Lua 5.5 has one function for both

local movement = {}

--- Returns the shorter angle from `from` to `to`, -pi to pi.
function movement.turn_between(from, to)
  return (to - from + pi) % (2 * pi) - pi
end

-- A system is created once, with its columns as upvalues: views stay valid when rows move and memory grows. It loops
-- over rows, so it makes no light userdata and no lookups, and LuaJIT compiles it. It moves entities by writing the
-- column of positions; world poses are computed when the step propagates.

local function spinning(game)
  local world, transform, spin = game.world, game.world.transform, game.world.spin
  local rate, arc, phase = spin:column("rate"), spin:column("arc"), spin:column("phase")
  return function()
    for s, t in world:rows(spin, transform) do
      local angle = rate[s] * game.time + phase[s]
      if arc[s] > 0 then angle = arc[s] * sin(angle) end
      transform:set_local_angle(transform:at(t), angle)
    end
  end
end

local function steering(game)
  local world, roster = game.world, game.roster
  local transform, course, health = world.transform, world.course, world.health
  local matrix, side = transform:column("world_matrix"), health:column("side")
  local target, home = course:column("target"), course:column("home")
  local speed, turn, heading = course:column("speed"), course:column("turn"), course:column("heading")
  local keep_off = course:column("keep_off")

  -- Returns the destination: the target, otherwise the nearest enemy, which becomes the target, otherwise home.
  local function goal(c, h, x, y)
    local row = transform:row_of_id(target[c])
    if row then return matrix[row][13], matrix[row][14] end
    local enemy = roster:nearest_enemy(side[h], x, y, math.huge)
    if not enemy then return home[c].x, home[c].y end
    target[c] = health:entity(health:at(roster.row[enemy]))
    return roster.x[enemy], roster.y[enemy]
  end

  return function(dt)
    for c, t, h in world:rows(course, transform, health, "!anchored") do
      local pose = matrix[t]
      local x, y, z = pose[13], pose[14], pose[15]
      local goal_x, goal_y = goal(c, h, x, y)
      local dx, dy = goal_x - x, goal_y - y
      -- Far away it moves straight to the goal, at the distance to keep it circles, nearer it turns away.
      local near = min(keep_off[c] / max(sqrt(dx * dx + dy * dy), 0.001), 1.4)
      local wish = atan2(dy, dx) + near * near * pi / 2
      local most = turn[c] * dt
      local angle = heading[c] + max(-most, min(most, movement.turn_between(heading[c], wish)))
      local way = speed[c] * dt
      heading[c] = angle
      local instance = transform:at(t)
      transform:set_local_angle(instance, angle)
      transform:set_world_position(instance, x + cos(angle) * way, y + sin(angle) * way, z)
      game.tally.sailed = game.tally.sailed + way
    end
  end
end

local function drifting(game)
  local world, transform, drift = game.world, game.world.transform, game.world.drift
  local position, velocity, life = transform:column("local_position"), drift:column("velocity"), drift:column("life")
  return function(dt)
    for d, t in world:rows(drift, transform) do
      life[d] = life[d] - dt
      if life[d] > 0 then
        local p, v = position[t], velocity[d]
        p.x, p.y = p.x + v.x * dt, p.y + v.y * dt
      else
        -- Destroying inside the loop is allowed: gc removes the rows at the end of the step.
        game.entities:destroy(drift:entity(drift:at(d)))
      end
    end
  end
end

--- Returns the systems of this file, each a function of the time step.
function movement.systems(game)
  return spinning(game), steering(game), drifting(game)
end

return movement
