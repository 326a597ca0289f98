-- Models as plain tables for random runs: the nodes of a resource, their poses, and their poses at the last evaluation.

local matrices = require "spec.support.matrices"

local model_nodes = {}

-- Names, false for none, and parents of each resource. "puppet" is redefined in every run.
local RESOURCES = {
  knight = { names = { "base", "arm", "hand" }, parents = { false, 1, 2 } },
  knave = { names = { "base", "hand" }, parents = { false, 1 } },
  blob = { names = { false, false }, parents = { false, 1 } },
  puppet = { names = { "hand", "arm", "#3" }, parents = { false, false, 1 } },
}
local ORDER = { "knight", "knave", "blob", "puppet" }

local SCALES = { { 1, -1, 1 }, { 0.5, 1, 1.5 }, { 2, 2, 2 } }

local function joint(parts) return { parts = parts, matrix = matrices.compose(unpack(parts)) } end

local function rest(i) return joint { { i, 0.5, -i }, { 0, 0, 0, 1 }, { 1, 1, 1 } } end

local function describe(world, name, names)
  local nodes = {}
  for i, parent in ipairs(RESOURCES[name].parents) do
    nodes[i] = { name = names[i] or nil, parent = parent or nil, position = { i, 0.5, -i } }
  end
  world.model:define_resource(name, { nodes = nodes })
end

--- Defines all resources in a world.
function model_nodes.open(world)
  for _, name in ipairs(ORDER) do describe(world, name, RESOURCES[name].names) end
end

local function names_of(run, resource)
  return resource == "puppet" and run.puppet or RESOURCES[resource].names
end

-- Resets all nodes to their rest pose.
local function reset(model, resource)
  model.resource, model.posed, model.shown = resource, {}, {}
  for i in ipairs(RESOURCES[resource].parents) do model.posed[i], model.shown[i] = rest(i), rest(i) end
  return model
end

function model_nodes.create(run, e)
  local resource = ORDER[run.random(#ORDER)]
  run.world.model:create(e, { resource = resource })
  return reset({}, resource)
end

--- A random node: its number, and a key for it, the number or the name.
function model_nodes.pick(run, model)
  local number = run.random(#model.posed)
  local name = names_of(run, model.resource)[number]
  return number, run.random(2) == 1 and name or number
end

function model_nodes.pose(run, e, model)
  local number = run.random(#model.posed)
  local p, q, s = run:position(), run:rotation(), SCALES[run.random(8)] or { 1, 1, 1 }
  run.world.model:set_node_pose(e, number, p[1], p[2], p[3], q[1], q[2], q[3], q[4], unpack(s))
  model.posed[number] = joint { p, q, s }
end

function model_nodes.evaluate(model)
  for i, posed in ipairs(model.posed) do model.shown[i] = posed end
end

--- The nodes from the root to one, with the poses of the last evaluation.
function model_nodes.path_to(model, number)
  local nodes, parents = {}, RESOURCES[model.resource].parents
  while number do
    table.insert(nodes, 1, model.shown[number])
    number = parents[number]
  end
  return nodes
end

-- The number of each of these nodes among others.
local function changes_of(before, after)
  local numbers, by_name = {}, {}
  for i, name in ipairs(after) do
    if name then by_name[name] = i end
  end
  for i, name in ipairs(before) do
    if name then numbers[i] = by_name[name] else numbers[i] = after[i] ~= nil and i or nil end
  end
  return numbers
end

--- Sets another resource, or the same. Returns new numbers of nodes by old ones.
function model_nodes.set_resource(run, e, model)
  local before, resource = names_of(run, model.resource), ORDER[run.random(#ORDER)]
  run.world.model:set_resource(e, resource)
  reset(model, resource)
  return changes_of(before, names_of(run, resource))
end

--- Renames the nodes of "puppet". Returns new numbers by old ones.
function model_nodes.define(run)
  local before, names = run.puppet, { "hand", "arm", "#3", "foot" }
  for i = #names, 2, -1 do
    local j = run.random(i)
    names[i], names[j] = names[j], names[i]
  end
  names[4] = nil
  if run.random(3) == 1 then names[run.random(3)] = false end
  describe(run.world, "puppet", names)
  run.puppet = names
  return changes_of(before, names)
end

--- The first names of "puppet".
model_nodes.PUPPET = RESOURCES.puppet.names

return model_nodes
