-- Transforms and models of one world of a run, as plain tables. Their numbers are such that floats hold every result
-- exactly: turns are those of a tetrahedron, axes are -2 to 2 long, positions are quarters, and trees are not deep.
-- A transform has position, rotation, scale, or 'matrix' where the manager has to find them; parent (a name, or
-- false), hung (a node of the parent's model, or false), children, and told: the world matrix as of the last
-- propagate. A model has a resource, and positions of nodes: posed, and shown, as of the last evaluate.
-- Knows nothing of managers.

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

-- ---------------------------------------------------------------- where things are

local function below_node(world, base, t)
  local model = world.model.of[t.parent][1]
  local parents, way, number = scenery.MODELS[model.resource].parents, {}, t.hung
  while number do
    table.insert(way, 1, number)
    number = parents[number]
  end
  for _, node in ipairs(way) do
    base = matrices.multiply(base, matrices.compose(model.shown[node], { 0, 0, 0, 1 }, { 1, 1, 1 }))
  end
  return base
end

-- What the local pose is relative to.
local function base_of(world, t, pose_of)
  if not t.parent then return ROOT end
  local base = pose_of(world, t.parent)
  return t.hung and below_node(world, base, t) or base
end

local function compute(world, n)
  local t = transform(world, n)
  return matrices.multiply(base_of(world, t, compute), poses.matrix(t))
end

-- The world matrix that getters tell.
function poses.world(world, n)
  if world.deferred then return transform(world, n).told end
  return compute(world, n)
end

function poses.base(world, t) return base_of(world, t, poses.world) end

function poses.propagate(world)
  for n, list in pairs(world.transform.of) do list[1].told = compute(world, n) end
end

-- Whether what is below this can be found exactly from what is wanted in the world.
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

-- Whether n (or nobody yet, 'rows' high) may stand below that parent.
function poses.fits(world, n, parent, rows)
  return poses.depth(world, parent) + (n and height(world, n) or rows or 1) <= DEEPEST
end

-- ---------------------------------------------------------------- changes

function poses.leave(world, n)
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
  t.parent, t.hung = false, false
end

function poses.link(world, n, parent, hung)
  poses.leave(world, n)
  local t = transform(world, n)
  t.parent, t.hung = parent, hung or false
  table.insert(transform(world, parent).children, n)
end

-- The local matrix becomes one that the manager finds.
function poses.set_matrix(t, matrix)
  t.matrix, t.position, t.rotation, t.scale = matrix, nil, nil, nil
end

function poses.set_parts(t, position, rotation, scale)
  t.matrix, t.position, t.rotation, t.scale = nil, position, rotation, scale
end

-- A component as create makes it of values.
function poses.new(values)
  local scale = values.scale or { 1, 1, 1 }
  if type(scale) == "number" then scale = { scale, scale, scale } end
  return { position = values.position or { 0, 0, 0 }, rotation = values.rotation or { 0, 0, 0, 1 }, scale = scale,
    parent = false, hung = false, children = {}, matrix = values.matrix }
end

function poses.added(world, n, values)
  local node = values.parent_node and poses.node(world, values.parent, values.parent_node)
  if values.parent then poses.link(world, n, values.parent, node) end
  local t = transform(world, n)
  t.told = matrices.multiply(poses.base(world, t), poses.matrix(t))
end

-- Children of what goes are roots where they stand.
function poses.removing(world, n)
  local t = transform(world, n)
  local stand = {}
  for i, child in ipairs(t.children) do stand[i] = poses.world(world, child) end
  for i, child in ipairs(t.children) do
    local c = transform(world, child)
    poses.set_matrix(c, stand[i])
    c.parent, c.hung = false, false
  end
  poses.leave(world, n)
end

-- ---------------------------------------------------------------- models

function poses.new_model(resource)
  local model = { resource = resource, posed = {}, shown = {} }
  for i in ipairs(scenery.MODELS[resource].parents) do
    model.posed[i], model.shown[i] = scenery.rest(i), scenery.rest(i)
  end
  return model
end

-- The number of a node of an entity's model, by number or name, or nil.
function poses.node(world, n, node)
  local list = world.model.of[n]
  for i, name in ipairs(list and scenery.MODELS[list[1].resource].names or {}) do
    if name == node or i == node then return i end
  end
end

-- What hangs on nodes of an entity's model finds those of another model by name; without any it is linked plainly.
function poses.rehang(world, n, before, after)
  local t = transform(world, n)
  for _, child in ipairs(t and t.children or {}) do
    local c = transform(world, child)
    local name, hung = c.hung and scenery.MODELS[before].names[c.hung], false
    for i, other in ipairs(after and scenery.MODELS[after].names or {}) do
      if other == name then hung = i end
    end
    c.hung = hung
  end
end

function poses.evaluate(world)
  for _, list in pairs(world.model.of) do
    for i, position in ipairs(list[1].posed) do list[1].shown[i] = position end
  end
end

return poses
