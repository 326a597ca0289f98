-- Drawing from columns: one call fills a table with all poses, and sprite batches are filled from the table.
-- Shows: read_poses_2d, column views, drawing thousands of entities without a table for each.

local atlas = require "atlas"
local components = require "components"
local cuttle = require "cuttle"
local picture = require "picture"

local draw = {}

local graphics = love.graphics
local LAYERS, SCALE, HALF = 5, atlas.SCALE, atlas.CELL / 2

local list, poses = cuttle.list(), {}
local batches, lights, pictures, ground, ground_version

-- A dark frame around the yard: a mesh with colours from transparent to black.
local function new_vignette(width, height)
  local vertices = { { width / 2, height / 2, 0, 0, 0, 0, 0, 0 } }
  for i = 0, 32 do
    local angle = i * 2 * math.pi / 32
    local x, y = width * (0.5 + 0.72 * math.cos(angle)), height * (0.5 + 0.85 * math.sin(angle))
    vertices[#vertices + 1] = { x, y, 0, 0, 0, 0, 0, 0.75 }
  end
  return graphics.newMesh(vertices, "fan", "static")
end

function draw.prepare(width, height)
  pictures = atlas.build(components.PICTURES)
  batches = {}
  for layer = 0, LAYERS do batches[layer] = graphics.newSpriteBatch(pictures.texture, 1000, "stream") end
  lights = graphics.newSpriteBatch(pictures.glow, 4000, "stream")
  draw.vignette = new_vignette(width, height)
end

-- Draws the canvas of the walls again if their version has changed.
local function refresh_ground(map, version)
  if version == ground_version then return end
  ground, ground_version = picture.draw(map, ground), version
end

local function gather_sprites(world)
  list:clear()
  for e in world.sprite:each() do list:add(e) end
  world.transform:read_poses_2d(list, poses)
  local sprite, quads, at = world.sprite, pictures.quads, 0
  local layers, tints = sprite:column "layer", sprite:column "tint"
  local shapes = sprite:column "picture"
  for _, i in sprite:each() do
    local x, y, angle = poses[at + 1], poses[at + 2], poses[at + 3]
    local name, tint = components.PICTURES[shapes[i] + 1], tints[i]
    local layer = layers[i]
    local batch = batches[layer]
    batch:setColor(tint.r, tint.g, tint.b, tint.a)
    batch:add(quads[name], x, y, angle, SCALE * poses[at + 4], SCALE * poses[at + 5], HALF, HALF)
    if layer == 2 and name ~= "mite" then
      batches[0]:add(quads.shadow, x + 4, y + 5, angle, SCALE, SCALE, HALF, HALF)
    end
    at = at + 5
  end
end

local function gather_lights(world)
  list:clear()
  for e in world.glow:each() do list:add(e) end
  world.transform:read_poses_2d(list, poses)
  local radii, tints, at = world.glow:column "radius", world.glow:column "tint", 0
  for _, i in world.glow:each() do
    local tint, size = tints[i], radii[i] / 32
    lights:setColor(tint.r, tint.g, tint.b, tint.a)
    lights:add(poses[at + 1], poses[at + 2], 0, size, size, 32, 32)
    at = at + 5
  end
end

-- Draws sparks as lines along their velocity. Older sparks are fainter.
local function gather_sparks(world)
  local spark = world.spark
  local position, velocity = spark:column "position", spark:column "velocity"
  local age, size, tint = spark:column "age", spark:column "size", spark:column "tint"
  for i in world:rows "spark" do
    local p, v, t, rest = position[i], velocity[i], tint[i], 1 - age[i]
    local speed = math.sqrt(v.x * v.x + v.y * v.y)
    lights:setColor(t.r, t.g, t.b, rest)
    lights:add(p.x, p.y, math.atan2(v.y, v.x), (0.11 + speed * 0.0026) * size[i], 0.11 * size[i], 32, 32)
  end
end

-- Draws the arm from the matrices of its nodes.
local function draw_arms(world)
  graphics.setLineWidth(3)
  graphics.setColor(0.1, 0.45, 0.42)
  for e in world.model:each() do
    local points = {}
    for node = 1, world.model:node_count(e) do
      local m = { world.model:node_world_matrix(e, node) }
      points[#points + 1], points[#points + 2] = m[13], m[14]
    end
    graphics.line(points)
  end
end

function draw.world(world, map, version)
  refresh_ground(map, version)
  for layer = 0, LAYERS do
    batches[layer]:clear()
    batches[layer]:setColor(1, 1, 1, 1)
  end
  lights:clear()
  gather_sprites(world)
  gather_lights(world)
  gather_sparks(world)
  graphics.setColor(1, 1, 1)
  graphics.draw(ground)
  for layer = 0, LAYERS do
    graphics.setColor(1, 1, 1)
    graphics.draw(batches[layer])
    if layer == 2 then draw_arms(world) end
  end
  graphics.setColor(1, 1, 1)
  graphics.setBlendMode "add"
  graphics.draw(lights)
  graphics.setBlendMode "alpha"
  graphics.draw(draw.vignette)
end

return draw
