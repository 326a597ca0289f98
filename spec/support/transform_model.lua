-- A transform hierarchy in its simplest form, in Lua tables and doubles, with the expected results of the manager. It
-- has two modes: in immediate mode each pose is computed from its ancestors when it is read, and in deferred mode it is
-- the result of the last propagate, which computes all poses.
--
-- Tolerance: each number of a world matrix may differ by 2e-5 of its size. The size is the product of the longest axes
-- on the path for axes, and the sum of all steps on the path for positions. (Floats have 7 digits, and trees here are
-- about ten deep.) Rotations may differ by 1e-3, local rotations and scales by 1e-4. A result of a division in the
-- manager (a local pose from a given world pose) is compared with the division in doubles, with a tolerance for the
-- size of the divisor, and is then adopted, because the numbers would drift apart otherwise.

local cuttle = require "cuttle"
local matrices = require "spec.support.matrices"
local model_nodes = require "spec.support.model_nodes"

-- busted provides its assert only to spec files.
local assert = require "luassert"

local TOLERANCE = 2e-5

local multiply, compose, inverse, largest = matrices.multiply, matrices.compose, matrices.inverse, matrices.largest

local IDENTITY = compose({ 0, 0, 0 }, { 0, 0, 0, 1 }, { 1, 1, 1 })
local ROOT = { matrix = IDENTITY, span = 1, reach = 0, turn = { 0, 0, 0, 1 }, even = true }

local Model = {}
Model.__index = Model

-- Creates a model of the manager `tf`. A node has e, parent, children, matrix (local) and parts: position, rotation and
-- scale, or nil if the manager chooses them, because a matrix was given; `parent_node`, the node of its parent's model
-- that it is linked to, or nil; and `model`, if its entity has one (model_nodes).
local function new(tf) return setmetatable({ tf = tf, nodes = {}, deferred = false, version = 0 }, Model) end

-- The world pose of a node below a base. `span` and `reach` are sizes of numbers. `turn` is the rotation as a product
-- of rotations, if all scales base are even and not mirrored. `hidden` is set if a matrix does not determine the
-- rotation, because an axis has length 0 or is mirrored.
local function derive(base, node)
  local m, scale = node.matrix, node.parts and node.parts[3]
  local longest, step = matrices.lengths(m)
  local pose = {
    matrix = multiply(base.matrix, m),
    span = base.span * math.max(longest, 1e-3),
    reach = base.reach + base.span * step,
    turn = base.even and node.parts and matrices.turn(base.turn, node.parts[2]),
    hidden = base.hidden or (scale ~= nil and (scale[1] <= 0 or scale[2] <= 0 or scale[3] <= 0)),
  }
  pose.even = pose.turn and scale[1] == scale[2] and scale[2] == scale[3] and scale[1] >= 0
  return pose
end

-- The base of a local pose: the parent's world pose, or that of a node of the parent's model at the last evaluate.
-- Returns nil for a root.
function Model:base(node)
  if not node.parent then return nil end
  local pose = self:pose(node.parent)
  if not node.parent_node then return pose end
  for _, joint in ipairs(model_nodes.path_to(node.parent.model, node.parent_node)) do pose = derive(pose, joint) end
  return pose
end

-- The expected world pose.
function Model:pose(node)
  if not self.deferred and node.version ~= self.version then
    node.world_pose = derive(self:base(node) or ROOT, node)
    node.version = self.version
  end
  return node.world_pose
end

-- Computes every pose again.
function Model:propagate()
  local deferred = self.deferred
  self.deferred, self.version = false, self.version + 1
  for _, node in pairs(self.nodes) do self:pose(node) end
  self.deferred = deferred
end

function Model:set_deferred(deferred)
  self:propagate()
  self.deferred = deferred
end

function Model:changed() self.version = self.version + 1 end

-- ---------------------------------------------------------------- changes

-- Adds a node with parts, or with a matrix that the manager computed.
function Model:add(e, parent, parts, matrix)
  local node = { e = e, parent = parent, children = {}, parts = parts, matrix = matrix or compose(unpack(parts)) }
  node.rounded = matrix and 100
  if parent then table.insert(parent.children, node) end
  self.nodes[e] = node
  node.world_pose = derive(parent and self:pose(parent) or ROOT, node)
  self:changed(node)
  return node
end

function Model:set_parts(node, position, rotation, scale)
  node.parts, node.matrix = { position, rotation, scale }, compose(position, rotation, scale)
  node.rounded = nil
  self:changed(node)
end

function Model.detach(_, node)
  if not node.parent then return end
  for i, child in ipairs(node.parent.children) do
    if child == node then
      table.remove(node.parent.children, i)
      break
    end
  end
  node.parent, node.parent_node = nil, nil
end

function Model:unlink(node)
  if not node.parent then return end
  self:detach(node)
  self:changed(node)
end

function Model:link(node, parent, parent_node)
  self:detach(node)
  node.parent, node.parent_node = parent, parent_node
  table.insert(parent.children, node)
  self:changed(node)
end

-- Makes the world matrix the local one, with the manager's rounding: `rounded` is the size of the numbers.
function Model:keep_world(node)
  local pose = self:pose(node)
  node.matrix, node.parts, node.rounded = pose.matrix, nil, pose.span + pose.reach
  self.version = self.version + 1
end

-- Children of a removed node become roots with their world pose.
function Model:remove(node)
  for _, child in ipairs(node.children) do self:keep_world(child) end
  for _, child in ipairs(node.children) do child.parent, child.parent_node = nil, nil end
  self:detach(node)
  self.nodes[node.e] = nil
  self.version = self.version + 1
end

-- ---------------------------------------------------------------- reading

function Model.is_below(node, other)
  while node do
    if node == other then return true end
    node = node.parent
  end
  return false
end

-- Tests if this pose, or none, can be inverted with enough precision.
function Model.is_solid(_, base)
  if not base then return true end
  local m = base.matrix
  return math.abs(matrices.volume(m)) > 1e-3 and largest(inverse(m)) < 50 and largest(m) < 200
end

-- The local matrix of a world matrix below a solid pose, or below none.
function Model.local_for(_, base, world) return base and multiply(inverse(base.matrix), world) or world end

local function near(name, node, expected, actual, axes, position)
  for i = 1, 16 do
    local off = math.abs(expected[i] - actual[i])
    if off > TOLERANCE * (i > 12 and position or axes) or off ~= off then
      error(("%s matrix of %s, number %d: expected %.9g, got %.9g"):format(
        name, cuttle.entity_tostring(node.e), i, expected[i], actual[i]))
    end
  end
end

-- Adopts a local matrix of the manager that must be near the expected one.
function Model:take_over(node, expected, size)
  local actual = { self.tf:local_matrix(node.e) }
  near("local", node, expected, actual, size, size)
  node.matrix, node.parts, node.rounded = actual, nil, nil
  self.version = self.version + 1
end

-- Adopts a position that remains a separate part.
function Model:take_over_position(node, parts, size)
  local actual = { self.tf:local_position(node.e) }
  for i = 1, 3 do assert.is_true(math.abs(actual[i] - parts[1][i]) <= TOLERANCE * size) end
  self:set_parts(node, actual, parts[2], parts[3])
end

-- The size of numbers in a division by a pose.
function Model.size_below(_, base, world)
  if not base then return largest(world) end
  return largest(inverse(base.matrix)) * (base.span + base.reach + largest(world)) * math.max(1, largest(world))
end

-- The parts in the manager.
function Model:parts_of(node)
  local tf, e = self.tf, node.e
  local actual = { { tf:local_position(e) }, { tf:local_rotation(e) }, { tf:local_scale(e) } }
  if node.parts then
    assert.is_true(matrices.is_same_turn(node.parts[2], actual[2], 1e-4))
    for i, x in ipairs(node.parts[3]) do assert.is_true(math.abs(x - actual[3][i]) < 1e-4) end
  end
  return actual
end

function Model:check_pose(node)
  if node.rounded then self:take_over(node, node.matrix, node.rounded) end
  local tf, pose = self.tf, self:pose(node)
  near("world", node, pose.matrix, { tf:world_matrix(node.e) }, pose.span, pose.span + pose.reach)
  self:parts_of(node)
  -- In deferred mode, the manager has only the matrix of the last propagate.
  if pose.turn and not (self.deferred and pose.hidden) then
    assert.is_true(matrices.is_same_turn(pose.turn, { tf:world_rotation(node.e) }, 1e-3))
  end
end

local function entity(node) return node and node.e end

function Model:check_family(node)
  local tf, e = self.tf, node.e
  local function owner(instance) return instance and tf:entity(instance) end
  assert.equal(entity(node.parent), owner(tf:parent(e)))
  assert.equal(node.parent_node, tf:parent_node(e))
  assert.equal(entity(node.children[1]), owner(tf:first_child(e)))
  local i, last = 0, nil
  for child in tf:children(e) do
    i = i + 1
    assert.equal(node.children[i].e, child)
    assert.equal(last, owner(tf:prev_sibling(child)))
    assert.equal(entity(node.children[i + 1]), owner(tf:next_sibling(child)))
    last = child
  end
  assert.equal(#node.children, i)
end

function Model:check()
  for _, node in pairs(self.nodes) do
    self:check_pose(node)
    self:check_family(node)
  end
end

return { new = new }
