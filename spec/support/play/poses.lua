-- Transforms and models of one world of a run, as plain tables. Their numbers let floats hold every result exactly:
-- rotations of a tetrahedron, scales from -2 to 2, positions in quarters, limited depth. A transform has position,
-- rotation and scale, or `matrix` if the manager has to compute them; parent (a name or false), parent_node (a node of
-- the parent's model or false), children, and propagated: the world matrix of the last propagate. A model has a
-- resource, and positions of nodes: `posed`, and `shown` at the last evaluate.

local matrices = require "spec.support.matrices"
local scenery = require "spec.support.play.scenery"

local poses = {}

local DEEPEST = 5
local ROOT = matrices.compose({ 0, 0, 0 }, { 0, 0, 0, 1 }, { 1, 1, 1 })

poses.TURNS = { { 0, 0, 0, 1 }, { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 }, { 0.5, 0.5, 0.5, 0.5 },
  { -0.5, 0.5, 0.5, 0.5 }, { 0.5, -0.5, 0.5, 0.5 }, { 0.5, 0.5, -0.5, 0.5 } }
poses.SCALES = { { 1, 1, 1 }, { 1, 1, 1 }, { 1, 1, 1 }, { 1, 1, 1 }, { -1, 1, 1 }, { 1, -1, -1 }, { 2, 2, 2 },
  { 1, 2, 1 }, { 0, 0, 0 }, { 1, 0, 1 } }

local function transform(world, n)
  local list = world.transform.of[n]
  return list and list[1]
end

function poses.matrix(t) return t.matrix or matrices.compose(t.position, t.rotation, t.scale) end

-- ---------------------------------------------------------------- world poses

local function below_node(world, base, t)
  local model = world.model.of[t.parent][1]
  local parents, path, number = scenery.MODELS[model.resource].parents, {}, t.parent_node
  while number do
    table.insert(path, 1, number)
    number = parents[number]
  end
  for _, node in ipairs(path) do
    base = matrices.multiply(base, matrices.compose(model.shown[node], { 0, 0, 0, 1 }, { 1, 1, 1 }))
  end
  return base
end

-- The matrix that the local pose is relative to.
local function base_of(world, t, pose_of)
  if not t.parent then return ROOT end
  local base = pose_of(world, t.parent)
  return t.parent_node and below_node(world, base, t) or base
end

local function compute(world, n)
  local t = transform(world, n)
  return matrices.multiply(base_of(world, t, compute), poses.matrix(t))
end

-- The world matrix of the getters.
function poses.world(world, n)
  if world.deferred then return transform(world, n).propagated end
  return compute(world, n)
end

function poses.base(world, t) return base_of(world, t, poses.world) end

function poses.propagate(world)
  for n, list in pairs(world.transform.of) do list[1].propagated = compute(world, n) end
end

-- Tests if a local matrix below this one can be computed exactly from a world matrix.
function poses.is_solid(m)
  for i = 1, 12 do
    if m[i] ~= 0 and m[i] ~= 1 and m[i] ~= -1 then return false end
  end
  return math.abs(matrices.volume(m)) == 1
end

function poses.is_below(world, n, other)
  while n do
    if n == other then return true end
    n = transform(world, n).parent
  end
  return false
end

function poses.depth(world, n)
  local depth = 0
  while n do
    depth, n = depth + 1, transform(world, n).parent
  end
  return depth
end

local function height(world, n)
  local most = 0
  for _, child in ipairs(transform(world, n).children) do most = math.max(most, height(world, child)) end
  return most + 1
end

-- Tests if n, or a new entity with a tree of height `rows`, fits below a parent.
function poses.fits(world, n, parent, rows)
  return poses.depth(world, parent) + (n and height(world, n) or rows or 1) <= DEEPEST
end

-- ---------------------------------------------------------------- changes

function poses.unlink(world, n)
  local t = transform(world, n)
  if t.parent then
    local siblings = transform(world, t.parent).children
    for i, child in ipairs(siblings) do
      if child == n then
        table.remove(siblings, i)
        break
      end
    end
  end
  t.parent, t.parent_node = false, false
end

function poses.link(world, n, parent, parent_node)
  poses.unlink(world, n)
  local t = transform(world, n)
  t.parent, t.parent_node = parent, parent_node or false
  table.insert(transform(world, parent).children, n)
end

-- Sets a local matrix whose parts the manager has to compute.
function poses.set_matrix(t, matrix)
  t.matrix, t.position, t.rotation, t.scale = matrix, nil, nil, nil
end

function poses.set_parts(t, position, rotation, scale)
  t.matrix, t.position, t.rotation, t.scale = nil, position, rotation, scale
end

-- A new component with the values of create.
function poses.new(values)
  local scale = values.scale or { 1, 1, 1 }
  if type(scale) == "number" then scale = { scale, scale, scale } end
  return { position = values.position or { 0, 0, 0 }, rotation = values.rotation or { 0, 0, 0, 1 }, scale = scale,
    parent = false, parent_node = false, children = {}, matrix = values.matrix }
end

function poses.added(world, n, values)
  local node = values.parent_node and poses.node(world, values.parent, values.parent_node)
  if values.parent then poses.link(world, n, values.parent, node) end
  local t = transform(world, n)
  t.propagated = matrices.multiply(poses.base(world, t), poses.matrix(t))
end

-- Children of a removed transform become roots with their world pose.
function poses.removing(world, n)
  local t = transform(world, n)
  local world_matrices = {}
  for i, child in ipairs(t.children) do world_matrices[i] = poses.world(world, child) end
  for i, child in ipairs(t.children) do
    local c = transform(world, child)
    poses.set_matrix(c, world_matrices[i])
    c.parent, c.parent_node = false, false
  end
  poses.unlink(world, n)
end

-- ---------------------------------------------------------------- models

function poses.new_model(resource)
  local model = { resource = resource, posed = {}, shown = {} }
  for i in ipairs(scenery.MODELS[resource].parents) do
    model.posed[i], model.shown[i] = scenery.rest(i), scenery.rest(i)
  end
  return model
end

-- Returns the number of a node of an entity's model by number or name, or nil.
function poses.node(world, n, node)
  local list = world.model.of[n]
  for i, name in ipairs(list and scenery.MODELS[list[1].resource].names or {}) do
    if name == node or i == node then return i end
  end
end

-- Children on nodes of an entity's model move to the nodes of the same names, or to the entity itself.
function poses.move_children_to_nodes(world, n, before, after)
  local t = transform(world, n)
  for _, child in ipairs(t and t.children or {}) do
    local c = transform(world, child)
    local name, parent_node = c.parent_node and scenery.MODELS[before].names[c.parent_node], false
    for i, other in ipairs(after and scenery.MODELS[after].names or {}) do
      if other == name then parent_node = i end
    end
    c.parent_node = parent_node
  end
end

function poses.evaluate(world)
  for _, list in pairs(world.model.of) do
    for i, position in ipairs(list[1].posed) do list[1].shown[i] = position end
  end
end

return poses
