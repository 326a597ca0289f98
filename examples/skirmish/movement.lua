--- Movement: lanterns and cranes turn, ships steer, splinters drift.
-- Must not depend on guns and damage.

local cos, max, min, pi, sin, sqrt = math.cos, math.max, math.min, math.pi, math.sin, math.sqrt
local atan2 = math.atan2 or math.atan -- Lua 5.5 has one function for both

local movement = {}

--- Returns the shorter angle from `from` to `to`, -pi to pi.
function movement.turn_between(from, to)
  return (to - from + pi) % (2 * pi) - pi
end

-- A system that computes the same for each entity is a formula: one call, on every host as fast as a compiled loop.
-- World poses are computed when the step propagates.

local function spinning(game)
  local spin = game.world:formula([[
    local angle = spin.rate * time + spin.phase
    if spin.arc > 0 then angle = spin.arc * sin(angle) end
    transform.local_angle = angle
  ]], { time = 0 })
  return function()
    spin.time = game.time
    spin()
  end
end

-- A system that decides more is a loop in Lua. It is created once, with its columns as upvalues: views stay valid when
-- rows move and memory grows. It loops over rows, so it makes no light userdata and no lookups, and LuaJIT compiles it.

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
  local drift = game.world:formula([[
    drift.life -= dt
    transform.local_position.xy += drift.velocity.xy * dt
  ]], { dt = 0 })
  local spent = game.world:query("drift", "transform"):where "drift.life <= 0"
  return function(dt)
    drift.dt = dt
    drift()
    spent:destroy() -- gc removes the rows at the end of the step
  end
end

--- Returns the systems of this file, each a function of the time step.
function movement.systems(game)
  return spinning(game), steering(game), drifting(game)
end

return movement
