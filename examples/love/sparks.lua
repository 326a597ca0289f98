-- Sparks: thousands of entities at a time, always processed in bulk.
-- Shows: bulk create with flat tables, a system as a formula, destroying what meets a condition.

local EMBER = { 1, 0.5, 0.18 }

local sparks = { LIMIT = 8000 }

local waiting = { count = 0, position = {}, velocity = {}, rate = {}, size = {}, tint = {} }

-- Requests `count` sparks at a point, which the next step creates. Their velocities are around `vx`, `vy`, and they
-- exist `life` times as long.
function sparks.burst(random, x, y, count, speed, tint, vx, vy, life)
  local w = waiting
  for _ = 1, count do
    local i, angle, fast = w.count, random:random() * 2 * math.pi, speed * (0.15 + random:random())
    w.count = i + 1
    w.position[2 * i + 1], w.position[2 * i + 2] = x, y
    w.velocity[2 * i + 1] = math.cos(angle) * fast + (vx or 0)
    w.velocity[2 * i + 2] = math.sin(angle) * fast + (vy or 0)
    w.rate[i + 1], w.size[i + 1] = (0.6 + random:random() * 1.6) / (life or 1), 0.7 + random:random()
    local shade = 0.7 + 0.3 * random:random()
    w.tint[4 * i + 1], w.tint[4 * i + 2], w.tint[4 * i + 3], w.tint[4 * i + 4] =
      tint[1] * shade, tint[2] * shade, tint[3] * shade, 1
  end
end

-- Creates embers above every brazier.
function sparks.glow(world, random)
  for e in world:join("brazier", "transform") do
    local x, y = world.transform:world_position(e)
    sparks.burst(random, x + 6 * random:random() - 3, y - 2, 2, 60, EMBER, 8, -26, 4)
  end
end

local function create_waiting(world)
  local count = math.min(waiting.count, sparks.LIMIT - world.spark:count())
  if count > 0 then
    for name, width in pairs { position = 2, velocity = 2, rate = 1, size = 1, tint = 4 } do
      local values = waiting[name]
      for i = #values, count * width + 1, -1 do values[i] = nil end
    end
    local born = world.entities:create_list(count)
    world.spark:create_many(born, { position = waiting.position, velocity = waiting.velocity, rate = waiting.rate,
      size = waiting.size, tint = waiting.tint })
  end
  waiting.count = 0
end

local fly, burnt

function sparks.define(world)
  fly = world:formula([[
    spark.position += spark.velocity * dt
    spark.velocity *= 0.955
    spark.age += spark.rate * dt
  ]], { dt = 0 })
  burnt = world:query("spark"):where "spark.age >= 1"
end

function sparks.step(world, dt)
  create_waiting(world)
  fly.dt = dt
  fly()
  burnt:destroy()
end

-- Drops the requests after a rewind, because they belong to an abandoned time.
function sparks.forget() waiting.count = 0 end

return sparks
