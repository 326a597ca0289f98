--- world:inspect and world:dump: what a world knows, for people who look for a bug.
-- Knows nothing of any one component but that transforms form trees and debug names name them.

local argument = require "cuttle.argument"
local core = require "cuttle.core"

local inspect = {}

-- So far the tree is indented; of what lies deeper the depth is told. In a long chain each line would be longer than
-- the one before it.
local DEEPEST_INDENT = 30

-- The components of an entity in a manager that may have several: an array of tables of fields, each with its id.
local function components_of(manager, e)
  local components = {}
  for instance in manager:instances(e) do
    local values, id = manager:get(instance), manager:id(instance)
    values.id = id
    components[#components + 1] = values
  end
  return components
end

--- What every manager that knows an entity keeps for it: component name -> field values, or an array of them, each
-- with its `id`, where an entity may have several. Empty for the dead; with `trace` the text `dead` tells which name it
-- had and where it was destroyed.
-- @param world a world
-- @param e an entity
-- @treturn table
function inspect.inspect(world, e)
  argument.check_world(world, "inspect")
  local known, managers = {}, world:managers()
  if not core.is_entity(e) then
    error(("bad argument #1 to 'inspect' (entity expected, got %s)"):format(core.messages.type_name(e)), 2)
  end
  local types = core.schema.component_types(world)
  for name, manager in managers do
    local kind = types[name] -- nil for what a finalizer has defined since
    if kind and manager:has(e) then known[name] = kind.multiple and components_of(manager, e) or manager:get(e) end
  end
  if next(known) == nil then known.dead = core.death_of(world, e) end
  return known
end

local function name_of(world, e)
  local name = world.debug_name:debug_name(e)
  return (name and ("%q "):format(name) or "") .. core.entity_tostring(e)
end

-- The next node of a tree in order of depth, children before siblings; its depth.
local function step(transform, node, depth)
  local child = transform:first_child(node)
  if child then return child, depth + 1 end
  while depth > 0 do
    local sibling = transform:next_sibling(node)
    if sibling then return sibling, depth end
    node, depth = transform:parent(node), depth - 1
  end
end

local function indent_of(depth)
  local blanks = ("  "):rep(math.min(depth, DEEPEST_INDENT) + 1)
  return depth > DEEPEST_INDENT and ("%s(%d deep) "):format(blanks, depth) or blanks
end

local function add_tree(lines, world, root)
  local transform = world:manager "transform"
  local node, depth = root, 0
  while node do
    local hung = transform:parent_node(node)
    lines[#lines + 1] = indent_of(depth) .. name_of(world, transform:entity(node))
      .. (hung and (" on node %d"):format(hung) or "")
    node, depth = step(transform, node, depth)
  end
end

local function add_forest(lines, world)
  local transform, roots = world:manager "transform", {}
  for _, instance in transform:each() do
    if not transform:parent(instance) then roots[#roots + 1] = instance end
  end
  lines[#lines + 1] = ("transforms, %d roots"):format(#roots)
  for _, root in ipairs(roots) do add_tree(lines, world, root) end
end

--- Managers with their rows and bytes, and the transform tree with names, as text.
-- @param world a world
-- @treturn string
function inspect.dump(world)
  argument.check_world(world, "dump")
  local bytes, by_manager = world:memory()
  local lines = { ("%s, %d entities alive, %d bytes"):format(tostring(world), world.entities:count(), bytes) }
  for name, manager in world:managers() do
    lines[#lines + 1] = ("  %-24s %8d rows %10d bytes"):format(name, manager:count(), by_manager[name])
  end
  add_forest(lines, world)
  lines[#lines + 1] = ""
  return table.concat(lines, "\n")
end

core.add_methods("world", { inspect = inspect.inspect, dump = inspect.dump })

return inspect
