-- The actions of a random run: every call that changes transforms, made to the manager and to the model.

local matrices = require "spec.support.matrices"
local model_nodes = require "spec.support.model_nodes"

-- busted provides its assert only to spec files.
local assert = require "luassert"

local compose, multiply = matrices.compose, matrices.multiply

local actions = {}

-- ---------------------------------------------------------------- creation

function actions.create(run)
  local parent, parts = run.random(3) > 1 and run:pick() or nil, { run:position(), run:rotation(), run:scale() }
  local values = { position = parts[1], rotation = parts[2], scale = parts[3], parent = parent and parent.e }
  local e
  if run.random(2) == 1 then
    e = run.world:create { transform = values, debug_name = { name = "made" } }
  else
    e = run.entities:create()
    run.tf:create(e, values)
  end
  run:add(e, parent, parts)
end

function actions.create_many(run)
  local count, parents, positions, parent_nodes = run.random(6), {}, {}, {}
  for i = 1, count do
    parent_nodes[i] = run:pick() or false
    parents[i], positions[i] = parent_nodes[i] and parent_nodes[i].e, run:position()
  end
  local list = run.entities:create(count)
  run.tf:create_many(list, { position = positions, parent = parents })
  for i = 1, count do run:add(list[i], parent_nodes[i] or nil, { positions[i], { 0, 0, 0, 1 }, { 1, 1, 1 } }) end
end

function actions.spawn(run, node)
  local parent = run.random(2) == 1 and node or nil
  local p, q, s = run:position(), run:rotation(), run.random(2)
  local options = { position = p, rotation = q, scale = s, parent = parent and parent.e }
  local level = assert(run.world:spawn(run.resource, options))
  local parts = run.level_parts
  local matrix = multiply(compose(p, q, { s, s, s }), compose(unpack(parts[1])))
  local root = run:add(level:entity(1), parent, nil, matrix)
  run:add(level:entity(2), root, parts[2])
  run:add(level:entity(4), root, parts[3])
end

-- ---------------------------------------------------------------- local poses

local function set_part(part, value, setter)
  return function(run, node)
    local parts = run.model:parts_of(node)
    parts[part] = run[value](run)
    run.tf[setter](run.tf, node.e, unpack(parts[part]))
    run.model:set_parts(node, unpack(parts))
  end
end

actions.set_local_position = set_part(1, "position", "set_local_position")
actions.set_local_rotation = set_part(2, "rotation", "set_local_rotation")
actions.set_local_scale = set_part(3, "scale", "set_local_scale")

local COLUMNS = { { "local_position", "position" }, { "local_rotation", "rotation" }, { "local_scale", "scale" } }
local NUMBERS = { "x", "y", "z", "w" }

-- Writes a column as a whole or number by number.
function actions.write_column(run, node)
  local part = run.random(3)
  local column, value = run.tf:column(COLUMNS[part][1]), run[COLUMNS[part][2]](run)
  local row = run.random(2) == 1 and run.tf:row(node.e) or run.tf:lookup(node.e)
  if run.batches == 0 and not run.model.deferred then
    assert.is_false((pcall(column.set, column, row, unpack(value))))
    return
  end
  local parts = run.model:parts_of(node)
  parts[part] = value
  if run.random(2) == 1 then
    column:set(row, unpack(value))
  else
    for i, number in ipairs(value) do column[row][NUMBERS[i]] = number end
  end
  run.model:set_parts(node, unpack(parts))
end

function actions.set_local_pose(run, node)
  local p, q, s = run:position(), run:rotation(), run:scale()
  run.tf:set_local_pose(node.e, p[1], p[2], p[3], q[1], q[2], q[3], q[4], unpack(s))
  run.model:set_parts(node, p, q, s)
end

function actions.set_local_matrix(run, node)
  local matrix = run:matrix()
  run.tf:set_local_matrix(node.e, matrix)
  run.model:take_over(node, matrix, 1)
  run.model:changed(node)
end

function actions.set(run, node, other)
  if run.model.is_below(other, node) then return end
  local parts = run.model:parts_of(node)
  parts[1], parts[3] = run:position(), run:scale()
  run.tf:set(node.e, { position = parts[1], scale = parts[3], parent = other.e })
  run.model:link(node, other)
  run.model:set_parts(node, unpack(parts))
end

-- ---------------------------------------------------------------- world poses

-- Tests if an axis has length 0, so that the manager must refuse to divide.
local function is_flat(m)
  for axis = 1, 9, 4 do
    if m[axis] == 0 and m[axis + 1] == 0 and m[axis + 2] == 0 then return true end
  end
  return false
end

-- Tests if the world pose of a node can be set. This is refused directly below a scale of 0.
local function can_be_set(run, node)
  local base = run.model:base(node)
  if run.model:is_solid(base) then return true end
  if is_flat(base.matrix) then
    local ok, message = pcall(run.tf.set_world_position, run.tf, node.e, 1, 2, 3)
    assert.is_true(not ok and message:find("has a scale of 0", 1, true) ~= nil)
  end
  return false
end

local function expect_world(run, node, world, keep_position)
  local base = run.model:base(node)
  local wanted = { unpack(run.model:local_for(base, world)) }
  for i = 13, 15 do wanted[i] = keep_position and node.matrix[i] or wanted[i] end
  run.model:take_over(node, wanted, run.model:size_below(base, world))
  run.model:changed(node)
end

function actions.set_world_matrix(run, node)
  if not can_be_set(run, node) then return end
  local world = run:matrix()
  run.tf:set_world_matrix(node.e, world)
  expect_world(run, node, world)
end

function actions.set_world_pose(run, node)
  if not can_be_set(run, node) then return end
  local p, q, s = run:position(), run:rotation(), run:scale()
  run.tf:set_world_pose(node.e, p[1], p[2], p[3], q[1], q[2], q[3], q[4], unpack(s))
  if node.parent then return expect_world(run, node, compose(p, q, s)) end
  run.model:set_parts(node, p, q, s)
end

-- In deferred mode, the mirrored axes of a node that moved since the last propagate are those of its kept scale. They
-- differ from those of the getters by an even number, unless an axis has almost no length, so that rounding decides.
local function mirrored_as_kept(run, node, q, scale)
  local wanted = run.model:local_for(run.model:base(node), compose({ 0, 0, 0 }, q, scale))
  local actual, flips = { run.tf:local_matrix(node.e) }, 0
  for axis = 1, 3 do
    local along = 0
    for i = 4 * axis - 3, 4 * axis - 1 do along = along + wanted[i] * actual[i] end
    if along < 0 then scale[axis], flips = -scale[axis], flips + 1 end
  end
  local x, y, z = math.abs(scale[1]), math.abs(scale[2]), math.abs(scale[3])
  assert.is_true(flips % 2 == 0 or math.min(x, y, z) <= 1e-6 * math.max(x, y, z))
end

function actions.set_world_rotation(run, node)
  if not can_be_set(run, node) then return end
  local parts, q, scale = run.model:parts_of(node), run:rotation(), { run.tf:world_scale(node.e) }
  run.tf:set_world_rotation(node.e, unpack(q))
  if node.parent and run.model.deferred then mirrored_as_kept(run, node, q, scale) end
  if node.parent then return expect_world(run, node, compose({ 0, 0, 0 }, q, scale), true) end
  run.model:set_parts(node, parts[1], q, parts[3])
end

function actions.set_world_position(run, node)
  if not can_be_set(run, node) then return end
  local parts, p = run.model:parts_of(node), run:position()
  run.tf:set_world_position(node.e, unpack(p))
  local world = compose(p, { 0, 0, 0, 1 }, { 1, 1, 1 })
  local base = run.model:base(node)
  parts[1] = { unpack(run.model:local_for(base, world), 13, 15) }
  run.model:take_over_position(node, parts, run.model:size_below(base, world))
end

-- ---------------------------------------------------------------- links

function actions.link(run, node, other)
  if run.model.is_below(other, node) then
    local ok, message = pcall(run.tf.link, run.tf, node.e, other.e)
    assert.is_true(not ok and message:find("cycle", 1, true) ~= nil)
    return
  end
  run.tf:link(node.e, other.e)
  run.model:link(node, other)
end

function actions.link_and_keep(run, node, other)
  if run.model.is_below(other, node) or not run.model:is_solid(run.model:pose(other)) then return end
  local world = run.model:pose(node).matrix
  run.tf:link(node.e, other.e, { keep = "world" })
  run.model:link(node, other)
  expect_world(run, node, world)
end

function actions.unlink(run, node)
  run.tf:unlink(node.e)
  run.model:unlink(node)
end

function actions.unlink_and_keep(run, node)
  run.tf:unlink(node.e, { keep = "world" })
  if node.parent then run.model:keep_world(node) end
  run.model:unlink(node)
end

-- ---------------------------------------------------------------- nodes of models

-- A node with a model: the node, its parent, or another that gets one.
local function with_model(run, node)
  if node.parent and node.parent.model then node = node.parent end
  if not node.model then node.model = model_nodes.create(run, node.e) end
  return node
end

function actions.link_to_node(run, node, other)
  other = with_model(run, other)
  if run.model.is_below(other, node) then return end
  local parent_node, name = model_nodes.pick(run, other.model)
  run.tf:link(node.e, other.e, { node = name })
  run.model:link(node, other, parent_node)
end

function actions.link_to_node_and_keep(run, node, other)
  other = with_model(run, other)
  local parent_node, name = model_nodes.pick(run, other.model)
  local base = run.model:base { parent = other, parent_node = parent_node }
  if run.model.is_below(other, node) or not run.model:is_solid(base) then return end
  local world = run.model:pose(node).matrix
  run.tf:link(node.e, other.e, { keep = "world", node = name })
  run.model:link(node, other, parent_node)
  expect_world(run, node, world)
end

function actions.pose_node(run, node)
  node = with_model(run, node)
  model_nodes.pose(run, node.e, node.model)
end

function actions.evaluate(run)
  run.world.model:evaluate()
  for _, node in pairs(run.model.nodes) do
    if node.model then model_nodes.evaluate(node.model) end
  end
  run.model:changed()
end

-- Updates the nodes of children: new number by the old one.
local function renumber(run, node, numbers)
  for _, child in ipairs(node.children) do child.parent_node = child.parent_node and numbers[child.parent_node] end
  run.model:changed()
end

function actions.set_model_resource(run, node)
  node = with_model(run, node)
  renumber(run, node, model_nodes.set_resource(run, node.e, node.model))
end

function actions.define_model(run)
  local changes = model_nodes.define(run)
  for _, node in pairs(run.model.nodes) do
    if node.model and node.model.resource == "puppet" then renumber(run, node, changes) end
  end
end

function actions.destroy_model(run, node)
  if node.parent and node.parent.model then node = node.parent end
  assert.equal(node.model and 1 or 0, run.world.model:destroy(node.e))
  node.model = nil
  renumber(run, node, {})
end

function actions.gc_models(run)
  run.world.model:gc(run.random(2) == 1 and "all" or nil)
end

-- Changes children inside a loop over them: it visits those that are still children at their turn.
function actions.change_children(run, node, other)
  local expected, i = { unpack(node.children) }, 0
  local function is_child(child) return run.model.nodes[child.e] == child and child.parent == node end
  local function skip()
    repeat i = i + 1 until not expected[i] or is_child(expected[i])
  end
  for e in run.tf:children(node.e) do
    skip()
    assert.equal(expected[i].e, e)
    local change, child = run.random(9), expected[run.random(2) == 1 and i or run.random(#expected)]
    if change == 1 then actions.create(run) end
    if change == 2 then actions.destroy_component(run, expected[i]) end
    if is_child(child) then
      if change == 3 then actions.destroy_entity(run, child) end
      if change == 4 then actions.unlink(run, child) end
      local links = change == 5 and run.model.nodes[other.e] == other and not run.model.is_below(other, child)
      if links then actions.link(run, child, other) end
      if change == 6 then actions.link(run, child, node) end
    end
  end
  skip()
  assert.is_nil(expected[i])
end

-- ---------------------------------------------------------------- removal

function actions.destroy_entity(run, node)
  run.entities:destroy(node.e)
  run.model:remove(node)
end

function actions.destroy_several(run)
  local nodes, list = {}, {}
  for i = 1, run.random(8) do
    local node = run:pick()
    if not node then return end
    nodes[i], list[i] = node, node.e
  end
  run.entities:destroy(list)
  for _, node in ipairs(nodes) do
    if run.model.nodes[node.e] == node then run.model:remove(node) end
  end
end

function actions.destroy_component(run, node)
  assert.equal(1, run.tf:destroy(node.e))
  run.model:remove(node)
end

function actions.destroy_tree(run, node)
  if #node.children > 4 then return end
  run.model:detach(node)
  local function remove_tree(tree)
    local count = 1
    for _, child in ipairs(tree.children) do count = count + remove_tree(child) end
    run.model.nodes[tree.e] = nil
    return count
  end
  local expected = remove_tree(node)
  assert.equal(expected, run.tf:destroy_tree(node.e))
end

-- Adds or removes another component, which has no effect on transforms.
function actions.change_name(run, node)
  if run.world.debug_name:destroy(node.e) == 0 then run.world.debug_name:set_debug_name(node.e, "named") end
end

function actions.gc(run)
  run.tf:gc()
end

function actions.trim(run)
  run.world:trim()
end

function actions.gc_all(run)
  if run.random(5) > 1 then return end
  run.world.transform:gc "all"
  assert.equal(run:count(), run.tf:count())
end

function actions.clear(run)
  if run.random(60) > 1 or run.batches > 0 then return end
  run.world:clear { entities = run.random(2) == 1 }
  run.model.nodes = {}
end

-- ---------------------------------------------------------------- sorting

-- The order of rows: parents precede children, and the trees do not overlap.
function actions.sort(run)
  run.tf:sort()
  local seen, family = {}, nil
  for e in run.tf:each() do
    local node = run.model.nodes[e]
    assert.is_true(node.parent == nil or run.tf:row(node.parent.e) < run.tf:row(e))
    while node.parent do node = node.parent end
    assert.is_true(node == family or not seen[node])
    family, seen[node] = node, true
  end
end

return actions
