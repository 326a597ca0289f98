--- world:inspect and world:dump: the state of a world, for debugging.
-- Does not depend on component types, except for the tree of transforms and the names of debug_name.

local argument = require "cuttle.argument"
local core = require "cuttle.core"

local inspect = {}

-- Deeper nodes are not indented further; their line contains the depth. Otherwise each line of a long chain would be
-- longer than the line before it.
local DEEPEST_INDENT = 30
local INDENTS = {}
for depth = 0, DEEPEST_INDENT do INDENTS[depth] = ("  "):rep(depth + 1) end

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

-- Adds a tree to the parts of the text. A line is several parts: the hash of long strings skips characters, so millions
-- of lines that differ in a few digits would collide.
local function add_tree(parts, world, root)
  local transform = world:manager "transform"
  local node, depth, count = root, 0, #parts
  while node do
    local attached = transform:parent_node(node)
    local deep = depth > DEEPEST_INDENT and ("(%d deep) "):format(depth) or ""
    parts[count + 1], parts[count + 2] = INDENTS[math.min(depth, DEEPEST_INDENT)], deep
    parts[count + 3] = name_of(world, transform:entity(node))
    parts[count + 4] = attached and (" on node %d\n"):format(attached) or "\n"
    node, depth = step(transform, node, depth)
    count = count + 4
  end
end

local function add_forest(parts, world)
  local transform, roots = world:manager "transform", {}
  for _, instance in transform:each() do
    if not transform:parent(instance) then roots[#roots + 1] = instance end
  end
  parts[#parts + 1] = ("transforms, %d roots\n"):format(#roots)
  for _, root in ipairs(roots) do add_tree(parts, world, root) end
end

--- Returns a text with the rows and bytes of each manager, and the tree of transforms with names.
-- @param world a world
-- @treturn string
function inspect.dump(world)
  argument.check_world(world, "dump")
  local bytes, by_manager = world:memory()
  local parts = { ("%s, %d entities alive, %d bytes\n"):format(tostring(world), world.entities:count(), bytes) }
  for name, manager in world:managers() do
    parts[#parts + 1] = ("  %-24s %8d rows %10d bytes\n"):format(name, manager:count(), by_manager[name])
  end
  add_forest(parts, world)
  return table.concat(parts)
end

core.add_methods("world", { inspect = inspect.inspect, dump = inspect.dump })

return inspect
