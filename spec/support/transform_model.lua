-- A transform hierarchy as plainly as can be written, in Lua tables and doubles, that tells what the manager has to
-- tell. It knows two modes: immediate, where each pose is worked out from all above whenever it is asked for, and
-- deferred, where it is what the last propagate, which works out all, has left.
--
-- Tolerance: each number of a world matrix may be off by 2e-5 of its size, which is the product of the longest axes on
-- the way down for the axes, and the sum of all steps of the way for the position. (Floats have 7 digits, and trees
-- here are some ten deep.) Rotations may be off by 1e-3, local rotations and scales by 1e-4.
-- What the manager has divided to get (a local pose from a wanted world pose) is compared with what the division gives
-- in doubles, allowing for the size of the divisor, and then taken over: the numbers would drift apart otherwise.

local cuttle = require "cuttle"
local matrices = require "spec.support.matrices"
local model_nodes = require "spec.support.model_nodes"

-- busted gives its assert to spec files only.
local assert = require "luassert"

local TOLERANCE = 2e-5

local multiply, compose, inverse, largest = matrices.multiply, matrices.compose, matrices.inverse, matrices.largest

local IDENTITY = compose({ 0, 0, 0 }, { 0, 0, 0, 1 }, { 1, 1, 1 })
local ROOT = { matrix = IDENTITY, span = 1, reach = 0, turn = { 0, 0, 0, 1 }, even = true }

local Model = {}
Model.__index = Model

-- The model of what 'tf' holds from now on. A node has e, parent, children, matrix (local) and parts: position,
-- rotation and scale, or nil where they are the manager's to choose, because a matrix was given; 'hung', the node of
-- its parent's model that it hangs on, if it does; and 'model', if its entity has one (model_nodes).
local function new(tf) return setmetatable({ tf = tf, nodes = {}, deferred = false, version = 0 }, Model) end

-- World pose under another. span and reach are sizes of numbers; turn is the rotation, where scales above are even and
-- not mirrored, so that it is the product of rotations; hidden, when a matrix alone does not tell it, because an axis
-- has no length or is mirrored.
local function derive(above, node)
  local m, scale = node.matrix, node.parts and node.parts[3]
  local longest, step = matrices.lengths(m)
  local pose = {
    matrix = multiply(above.matrix, m),
    span = above.span * math.max(longest, 1e-3),
    reach = above.reach + above.span * step,
    turn = above.even and node.parts and matrices.turn(above.turn, node.parts[2]),
    hidden = above.hidden or (scale ~= nil and (scale[1] <= 0 or scale[2] <= 0 or scale[3] <= 0)),
  }
  pose.even = pose.turn and scale[1] == scale[2] and scale[2] == scale[3] and scale[1] >= 0
  return pose
end

-- What the local pose of a node is relative to: its parent's world pose, or that of a node of the parent's model, as
-- the last evaluate has left it. None for a root.
function Model:base(node)
  if not node.parent then return nil end
  local pose = self:pose(node.parent)
  if not node.hung then return pose end
  for _, joint in ipairs(model_nodes.way(node.parent.model, node.hung)) do pose = derive(pose, joint) end
  return pose
end

-- What getters tell of the world pose.
function Model:pose(node)
  if not self.deferred and node.version ~= self.version then
    node.told = derive(self:base(node) or ROOT, node)
    node.version = self.version
  end
  return node.told
end

-- Works out every pose anew.
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

-- Made from parts, or with a matrix that the manager has worked out.
function Model:add(e, parent, parts, matrix)
  local node = { e = e, parent = parent, children = {}, parts = parts, matrix = matrix or compose(unpack(parts)) }
  node.rounded = matrix and 100
  if parent then table.insert(parent.children, node) end
  self.nodes[e] = node
  node.told = derive(parent and self:pose(parent) or ROOT, node)
  self:changed(node)
  return node
end

function Model:set_parts(node, position, rotation, scale)
  node.parts, node.matrix = { position, rotation, scale }, compose(position, rotation, scale)
  node.rounded = nil
  self:changed(node)
end

function Model.leave(_, node)
  if not node.parent then return end
  for i, child in ipairs(node.parent.children) do
    if child == node then
      table.remove(node.parent.children, i)
      break
    end
  end
  node.parent, node.hung = nil, nil
end

function Model:unlink(node)
  if not node.parent then return end
  self:leave(node)
  self:changed(node)
end

function Model:link(node, parent, hung)
  self:leave(node)
  node.parent, node.hung = parent, hung
  table.insert(parent.children, node)
  self:changed(node)
end

-- Local becomes world, which the manager has rounded: 'rounded' is how large the numbers were.
function Model:stay(node)
  local pose = self:pose(node)
  node.matrix, node.parts, node.rounded = pose.matrix, nil, pose.span + pose.reach
  self.version = self.version + 1
end

-- Children of what goes are roots where they stand.
function Model:vanish(node)
  for _, child in ipairs(node.children) do self:stay(child) end
  for _, child in ipairs(node.children) do child.parent, child.hung = nil, nil end
  self:leave(node)
  self.nodes[node.e] = nil
  self.version = self.version + 1
end

-- ---------------------------------------------------------------- questions

function Model.is_below(node, other)
  while node do
    if node == other then return true end
    node = node.parent
  end
  return false
end

-- Whether numbers below this pose, or none, are good enough to be divided by.
function Model.is_solid(_, base)
  if not base then return true end
  local m = base.matrix
  return math.abs(matrices.volume(m)) > 1e-3 and largest(inverse(m)) < 50 and largest(m) < 200
end

-- The local matrix that gives this world matrix below a solid pose, or none.
function Model.local_for(_, base, world) return base and multiply(inverse(base.matrix), world) or world end

local function near(what, node, expected, told, axes, position)
  for i = 1, 16 do
    local off = math.abs(expected[i] - told[i])
    if off > TOLERANCE * (i > 12 and position or axes) or off ~= off then
      error(("%s matrix of %s, number %d: expected %.9g, got %.9g"):format(
        what, cuttle.entity_tostring(node.e), i, expected[i], told[i]))
    end
  end
end

-- The manager has worked out a local matrix that is near this one.
function Model:take_over(node, expected, size)
  local told = { self.tf:local_matrix(node.e) }
  near("local", node, expected, told, size, size)
  node.matrix, node.parts, node.rounded = told, nil, nil
  self.version = self.version + 1
end

-- The same of a position that stays a part.
function Model:take_over_position(node, parts, size)
  local told = { self.tf:local_position(node.e) }
  for i = 1, 3 do assert.is_true(math.abs(told[i] - parts[1][i]) <= TOLERANCE * size) end
  self:set_parts(node, told, parts[2], parts[3])
end

-- How large numbers are in the division by such a pose.
function Model.size_below(_, base, world)
  if not base then return largest(world) end
  return largest(inverse(base.matrix)) * (base.span + base.reach + largest(world)) * math.max(1, largest(world))
end

-- The parts that the manager has.
function Model:parts_of(node)
  local tf, e = self.tf, node.e
  local told = { { tf:local_position(e) }, { tf:local_rotation(e) }, { tf:local_scale(e) } }
  if node.parts then
    assert.is_true(matrices.is_same_turn(node.parts[2], told[2], 1e-4))
    for i, x in ipairs(node.parts[3]) do assert.is_true(math.abs(x - told[3][i]) < 1e-4) end
  end
  return told
end

function Model:check_pose(node)
  if node.rounded then self:take_over(node, node.matrix, node.rounded) end
  local tf, pose = self.tf, self:pose(node)
  near("world", node, pose.matrix, { tf:world_matrix(node.e) }, pose.span, pose.span + pose.reach)
  self:parts_of(node)
  -- In deferred mode nothing remembers what the last propagate hid.
  if pose.turn and not (self.deferred and pose.hidden) then
    assert.is_true(matrices.is_same_turn(pose.turn, { tf:world_rotation(node.e) }, 1e-3))
  end
end

local function entity(node) return node and node.e end

function Model:check_family(node)
  local tf, e = self.tf, node.e
  local function owner(instance) return instance and tf:entity(instance) end
  assert.equal(entity(node.parent), owner(tf:parent(e)))
  assert.equal(node.hung, tf:parent_node(e))
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
