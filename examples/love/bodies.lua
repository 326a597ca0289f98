-- Bodies of love.physics in actors. on_spawn makes the body of a created, spawned or restored actor, and on_destroy
-- destroys it with the actor, so no body outlives its entity.
-- Shows: on_spawn, on_destroy, on_restore, and data outside of entities.

local walls = require "walls"

local bodies = {}

local SHAPES = {
  tank = { width = 26, height = 20, damping = 6 },
  crate = { width = 17, height = 17, damping = 4 },
}

local function make(physics, world, e, values)
  local shape = SHAPES[values.shape]
  local x, y, angle = world.transform:pose_2d(e)
  local body = love.physics.newBody(physics, x, y, "dynamic")
  body:setAngle(angle)
  body:setLinearDamping(shape.damping)
  body:setAngularDamping(shape.damping)
  local fixture = love.physics.newFixture(body, love.physics.newRectangleShape(shape.width, shape.height))
  fixture:setRestitution(0.2)
  body:setMass(values.mass)
  return body
end

-- Sets the state of the bodies from components after a restore, because snapshots do not contain the state of
-- love.physics.
local function place_all(world)
  for e, actor, motion in world:join("actor", "motion") do
    local body = world.actor:body(actor)
    local x, y, angle = world.transform:pose_2d(e)
    body:setPosition(x, y)
    body:setAngle(angle)
    body:setLinearVelocity(world.motion:x(motion), world.motion:y(motion))
    body:setAngularVelocity(world.motion:spin(motion))
  end
end

function bodies.new(world)
  love.physics.setMeter(20)
  local self = { physics = love.physics.newWorld(0, 0) }
  world.actor:on_spawn(function(e, values) return make(self.physics, world, e, values) end)
  world.actor:on_destroy(function(_, body) body:destroy() end)
  world.entities:on_restore(function() place_all(world) end)
  return self
end

-- Makes one body for all walls, with a box for each rectangle of solid cells.
function bodies.build_walls(self, map)
  if self.walls then self.walls:destroy() end
  self.walls = love.physics.newBody(self.physics, 0, 0, "static")
  local size, flat = walls.SIZE, map.grid:colliders(map.entity)
  for i = 1, #flat, 4 do
    local x, y, width, height = flat[i] * size, flat[i + 1] * size, flat[i + 2] * size, flat[i + 3] * size
    love.physics.newFixture(self.walls, love.physics.newRectangleShape(x + width / 2, y + height / 2, width, height))
  end
end

-- Steps the bodies, and copies their poses to the entities. The parent of these, the layer of the editor, is at 0, 0.
function bodies.step(self, world, dt)
  self.physics:update(dt)
  local transform, motions = world.transform, world.motion
  for e, actor, motion in world:join("actor", "motion") do
    local body = world.actor:body(actor)
    local x, y = body:getPosition()
    transform:set_local_pose_2d(e, x, y, body:getAngle())
    local vx, vy = body:getLinearVelocity()
    motions:set(motion, { x = vx, y = vy, spin = body:getAngularVelocity() })
  end
end

-- Pushes the bodies around a point.
function bodies.blast(world, x, y, radius, force)
  for _, actor in world.actor:each() do
    local body = world.actor:body(actor)
    local bx, by = body:getPosition()
    local dx, dy = bx - x, by - y
    local distance = math.sqrt(dx * dx + dy * dy) + 1
    if distance < radius then
      local push = force * (1 - distance / radius) / distance
      body:applyLinearImpulse(dx * push, dy * push)
    end
  end
end

return bodies
