-- The player's arm: a model with nodes inside one entity, posed each step, and a lantern in its hand.
-- Shows: model resources, node poses, a transform linked to a node.

local arm = {}

function arm.define(world)
  world.model:define_resource("arm", { nodes = {
    { name = "shoulder", position = { -5, 9, 0 } },
    { name = "elbow", parent = "shoulder", position = { 11, 0, 0 } },
    { name = "hand", parent = "elbow", position = { 10, 0, 0 } },
  } })
end

-- Gives each entity with an arm a lantern.
function arm.prepare(world)
  local lantern = world:template { transform = {}, sprite = { picture = "lantern", layer = 5 },
    glow = { radius = 150, tint = { 1, 0.8, 0.45, 0.55 } } }
  world.model:on_add(function(e)
    world.transform:link(lantern:create(), e, { node = "hand" })
  end)
  world.model:on_remove(function(e)
    for child in world.transform:children(e) do
      if world.transform:parent_node(child) then world.entities:destroy(child) end
    end
  end)
end

local function turn(model, e, node, x, y, angle)
  model:set_node_pose(e, node, x, y, 0, 0, 0, math.sin(angle / 2), math.cos(angle / 2), 1, 1, 1)
end

function arm.step(world, time)
  local model = world.model
  for e in model:each() do
    turn(model, e, "shoulder", -5, 9, 1 + 0.35 * math.sin(time * 2.1))
    turn(model, e, "elbow", 11, 0, -0.5 + 0.5 * math.sin(time * 2.7))
  end
  model:evaluate() -- the next propagate updates the lantern
end

return arm
