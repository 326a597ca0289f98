--- Gathers the components of all entities by type, and has each type compiled.
-- Knows nothing of JSON or files.
-- @module cuttle.compiler.components

local core = require "cuttle.core"
local failure = require "cuttle.compiler.failure"
local json = require "cuttle.json"
local source = require "cuttle.compiler.source"

local is_null, is_ignored, show = json.is_null, source.is_ignored, failure.show
local entity_from_id = core.entity_from_id
local find, sort = string.find, table.sort

local components = {}

-- `mesh`, or `mesh[2]` of an array.
local function key_of(name, position)
  return "components." .. name .. (position > 0 and "[" .. position .. "]" or "")
end

local function fail(work, node, name, position, message)
  -- A message that begins with a field's name goes on with the place.
  local joint = find(message, "^[%a_][%w_]*: ") and "." or ": "
  failure.raise("%s: %s.%s%s%s", work.nodes.name, source.place(work.nodes, node), key_of(name, position), joint,
    message)
end

-- Names of entities become entities: the number of one in the resource travels as an entity's index.
local function reference(work, node, name, position, field, value)
  if name == "transform" then
    fail(work, node, name, position, field .. ": the hierarchy is told by children, or by parent beside components")
  end
  if type(value) == "boolean" then return value end -- false is nobody; true is refused with the other values
  local target = source.resolve(work.nodes, node, key_of(name, position) .. "." .. field, value)
  return entity_from_id(work.nodes.rank[target] - 1)
end

-- The values of one component as C takes them; the source's own table where nothing has to change.
local function clean(work, node, name, position, values)
  local entities, copy = work.types[name].is_entity, nil
  for key, value in next, values do
    if is_ignored(key) or is_null(value) or entities[key] then
      copy = {}
      break
    end
  end
  if not copy then return values end
  for key, value in next, values do
    if not is_ignored(key) and not is_null(value) then
      if entities[key] then value = reference(work, node, name, position, key, value) end
      copy[key] = value
    end
  end
  return copy
end

local function add(work, node, name, position, values)
  if type(values) ~= "table" then
    fail(work, node, name, position, "expected an object, got " .. show(values))
  end
  local bucket = work.buckets[name]
  local count = bucket.count + 1
  bucket.count, bucket.nodes[count], bucket.positions[count] = count, node, position
  bucket.entities[count] = work.nodes.rank[node]
  bucket.tables[count] = clean(work, node, name, position, values)
end

local function bucket_for(work, node, name)
  local known = type(name) == "string" and work.types[name]
  if not known then
    failure.raise("%s: %s.components: unknown component '%s'%s", work.nodes.name, source.place(work.nodes, node),
      tostring(name), failure.hint(name, work.type_names))
  end
  local bucket = work.buckets[name]
  if not bucket then
    bucket = { name = name, count = 0, nodes = {}, positions = {}, entities = {}, tables = {} }
    work.buckets[name] = bucket
  end
  return known
end

local function add_all(work, node, name, values)
  local known = bucket_for(work, node, name)
  if type(values) ~= "table" or #values == 0 then return add(work, node, name, 0, values) end
  if not known.multiple then
    fail(work, node, name, 0, "expected one component, got an array: an entity can have only one " .. name)
  end
  for position in next, values do
    if type(position) ~= "number" then fail(work, node, name, 0, "expected an array or an object, got both") end
  end
  for position = 1, #values do add(work, node, name, position, values[position]) end
end

-- The debug_name that an entity's name asks for, beside one that the source may give.
local function debug_name(work, node, given)
  local name = work.nodes.names[node]
  if is_null(given) then return { name = name } end
  if type(given) ~= "table" then return given end
  local own = rawget(given, "name")
  if is_null(own) then
    local copy = {}
    for key, value in next, given do copy[key] = value end
    copy.name = name
    return copy
  end
  if own ~= name then
    fail(work, node, "debug_name", 0, "name: " .. show(own) .. " differs from the entity's name " .. show(name))
  end
  return given
end

local function gather(work)
  local nodes = work.nodes
  for place = 1, nodes.count do
    local node = nodes.order[place]
    local given = nodes.components[node] or nil
    for name, values in next, given or {} do
      if not is_ignored(name) and not is_null(values) and not (name == "debug_name" and nodes.names[node]) then
        add_all(work, node, name, values)
      end
    end
    if nodes.names[node] then
      add_all(work, node, "debug_name", debug_name(work, node, given and rawget(given, "debug_name")))
    end
  end
end

local function sorted_buckets(work)
  local list = {}
  for _, bucket in next, work.buckets do list[#list + 1] = bucket end
  sort(list, function(a, b)
    local first, second = work.types[a.name].spawn_order, work.types[b.name].spawn_order
    if first ~= second then return first < second end
    return a.name < b.name
  end)
  return list
end

local function parents_of(nodes)
  local parents = {}
  for place = 1, nodes.count do
    local parent = nodes.parent[nodes.order[place]]
    parents[place] = parent > 0 and nodes.rank[parent] or 0
  end
  return parents
end

local function names_of(nodes)
  local names = {}
  for place = 1, nodes.count do names[place] = nodes.names[nodes.order[place]] end
  return names
end

--- The types that a world knows: name -> `spawn_order`, `multiple`, `is_entity` (fields that name an entity).
function components.types(world)
  local types = core.compile.component_types(world)
  for _, known in next, types do
    known.is_entity = {}
    for _, field in ipairs(known.entities) do known.is_entity[field] = true end
  end
  return types
end

--- Compiles the nodes of a level for a world. Raises a failure with its place.
-- @tparam table nodes from `source.read`
-- @param world
-- @tparam table types from `components.types`
-- @tparam boolean big_endian
-- @treturn string the blob
function components.compile(nodes, world, types, big_endian)
  local work = { nodes = nodes, types = types, type_names = {}, buckets = {} }
  for name in next, types do work.type_names[#work.type_names + 1] = name end
  sort(work.type_names)
  gather(work)
  local compilation = core.compile.compilation(big_endian, parents_of(nodes))
  for _, bucket in ipairs(sorted_buckets(work)) do
    local ok, instance, message = compilation:columns(world, bucket.name, bucket.tables, bucket.entities)
    if not ok then
      if not instance then failure.raise("%s: %s", nodes.name, message) end
      fail(work, bucket.nodes[instance], bucket.name, bucket.positions[instance], message)
    end
  end
  return compilation:finish(names_of(nodes))
end

return components
