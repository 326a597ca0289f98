--- world:inspect and world:dump: the state of a world, for debugging.
-- Does not depend on component types, except for the tree of transforms and the names of debug_name.

local argument = require "cuttle.argument"
local core = require "cuttle.core"

local inspect = {}

-- Deeper nodes are not indented further; their line contains the depth. Otherwise each line of a long chain would be
-- longer than the line before it.
local DEEPEST_INDENT = 30

-- The components of an entity in a `multiple` manager: an array of tables of field values, each with its id.
local function components_of(manager, e)
  local components = {}
  for instance in manager:instances(e) do
    local values, id = manager:get(instance), manager:id(instance)
    values.id = id
    components[#components + 1] = values
  end
  return components
end

--- Returns the components of an entity: component name -> field values, or for a `multiple` manager an array of field
-- values, each with its `id`. Empty for a dead entity; with `trace`, `dead` is a text with the name of the entity and
-- the place where it was destroyed.
-- @param world a world
-- @param e an entity
-- @treturn table
function inspect.inspect(world, e)
  argument.check_world(world, "inspect")
  local found, managers = {}, world:managers()
  if not core.is_entity(e) then
    error(("bad argument #1 to 'inspect' (entity expected, got %s)"):format(core.messages.type_name(e)), 2)
  end
  local types = core.schema.component_types(world)
  for name, manager in managers do
    local kind = types[name] -- nil for a type that a finalizer has defined since
    if kind and manager:has(e) then found[name] = kind.multiple and components_of(manager, e) or manager:get(e) end
  end
  if next(found) == nil then found.dead = core.death_of(world, e) end
  return found
end

local function name_of(world, e)
  local name = world.debug_name:debug_name(e)
  return (name and ("%q "):format(name) or "") .. core.entity_tostring(e)
end

-- The node after this one in depth-first order, and its depth.
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
    local attached = transform:parent_node(node)
    lines[#lines + 1] = indent_of(depth) .. name_of(world, transform:entity(node))
      .. (attached and (" on node %d"):format(attached) or "")
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

--- Returns a text with the rows and bytes of each manager, and the tree of transforms with names.
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
