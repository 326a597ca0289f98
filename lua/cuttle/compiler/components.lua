--- Gathers the components of all entities by type, and has each type compiled.
-- Knows nothing of JSON or files.
-- @module cuttle.compiler.components

local core = require "cuttle.core"
local failure = require "cuttle.compiler.failure"
local json = require "cuttle.json"
local overlay = require "cuttle.compiler.overlay"
local source = require "cuttle.compiler.source"

local is_null, is_ignored, show = json.is_null, source.is_ignored, failure.show
local entity_from_id = core.entity_from_id
local match, sort = string.match, table.sort

local components = {}

-- Places -----------------------------------------------------------------------------------------------------------

-- `level.json: entities[3].components.mesh[2]`. `origin` is an item of overlay.lay, or nil where a node has but one
-- table of components; `field` chooses among the tables that such an item was made from.
local function place_of(work, node, name, position, origin, field)
  local from = { node = node, layer = 1, key = ".components" }
  if origin then
    local number = field and origin.sources[field] or origin.number
    from = work.nodes.overlays[node][number]
    position = number == origin.number and origin.position or 0
  end
  return source.place(work.nodes, from.node, from.layer) .. from.key .. "." .. name
    .. (position > 0 and "[" .. position .. "]" or "")
end

local function fail(work, node, name, position, origin, message)
  -- A message that begins with a field's name goes on with the place.
  local field = match(message, "^([%a_][%w_]*): ")
  failure.raise("%s%s%s", place_of(work, node, name, position, origin, field), field and "." or ": ", message)
end

-- One component ----------------------------------------------------------------------------------------------------

-- Names of entities become entities: the number of one in the resource travels as an entity's index.
local function reference(work, node, name, position, origin, field, value)
  if name == "transform" then
    fail(work, node, name, position, origin,
      field .. ": the hierarchy is told by children, or by parent beside components")
  end
  if type(value) == "boolean" then return value end -- false is nobody; true is refused with the other values
  local target, trouble = source.find(work.nodes, node, value)
  if not target then fail(work, node, name, position, origin, field .. ": " .. trouble) end
  return entity_from_id(work.nodes.rank[target] - 1)
end

-- The values of one component as C takes them; the source's own table where nothing has to change.
local function clean(work, node, name, position, origin, values)
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
      if entities[key] then value = reference(work, node, name, position, origin, key, value) end
      copy[key] = value
    end
  end
  return copy
end

local function bucket_for(work, node, name, origin)
  local known = type(name) == "string" and work.types[name]
  if not known then
    local place = place_of(work, node, tostring(name), 0, origin)
    failure.raise("%s: unknown component '%s'%s", place:sub(1, -#tostring(name) - 2), tostring(name),
      failure.hint(name, work.type_names))
  end
  local bucket = work.buckets[name]
  if not bucket then
    bucket = { name = name, count = 0, nodes = {}, positions = {}, origins = {}, entities = {}, tables = {} }
    work.buckets[name] = bucket
  end
  return bucket
end

local function add(work, node, name, position, origin, values)
  local bucket = bucket_for(work, node, name, origin)
  if not work.types[name].compile and type(values) ~= "table" then
    fail(work, node, name, position, origin, "expected an object, got " .. show(values))
  end
  local count = bucket.count + 1
  bucket.count, bucket.nodes[count], bucket.positions[count] = count, node, position
  bucket.origins[count], bucket.entities[count] = origin or false, work.nodes.rank[node]
  if not work.types[name].compile then values = clean(work, node, name, position, origin, values) end
  bucket.tables[count] = values
end

-- What stands for one component, or for several in an array.
local function add_all(work, node, name, origin, values)
  local known = bucket_for(work, node, name, origin) and work.types[name]
  if known.compile or type(values) ~= "table" or #values == 0 then return add(work, node, name, 0, origin, values) end
  if not known.multiple then
    fail(work, node, name, 0, origin, "expected one component, got an array: an entity can have only one " .. name)
  end
  for position in next, values do
    if type(position) ~= "number" then fail(work, node, name, 0, origin, "expected an array or an object, got both") end
  end
  for position = 1, #values do add(work, node, name, position, origin, values[position]) end
end

-- One entity -------------------------------------------------------------------------------------------------------

-- The debug_name that an entity's name asks for, beside one that the source may give.
local function debug_name(work, node, origin, given)
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
    fail(work, node, "debug_name", 0, origin,
      "name: " .. show(own) .. " differs from the entity's name " .. show(name))
  end
  return given
end

local function gather_plain(work, node, given)
  for name, values in next, given or {} do
    if not is_ignored(name) and not is_null(values) and not (name == "debug_name" and work.nodes.names[node]) then
      add_all(work, node, name, nil, values)
    end
  end
  if work.nodes.names[node] then
    add_all(work, node, "debug_name", nil, debug_name(work, node, nil, given and rawget(given, "debug_name")))
  end
end

-- The root of a prefab, or what an override reaches. Names that a prefab gave have been replaced by the entry's.
local function gather_laid(work, node, overlays)
  local laid = overlay.lay(overlays, work.is_multiple, is_ignored)
  local named = work.nodes.names[node]
  for name, found in next, laid do
    if work.is_multiple(name) then
      for _, item in ipairs(found) do add(work, node, name, item.position, item, item.values) end
    elseif not (name == "debug_name" and named) then
      add_all(work, node, name, found, found.values)
    end
  end
  if named then add(work, node, "debug_name", 0, nil, { name = named }) end
end

local function gather(work)
  local nodes = work.nodes
  for place = 1, nodes.count do
    local node = nodes.order[place]
    local overlays = nodes.overlays[node]
    if overlays then gather_laid(work, node, overlays) else gather_plain(work, node, nodes.components[node] or nil) end
  end
end

-- Types ------------------------------------------------------------------------------------------------------------

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

--- The types that a compilation knows: name -> `spawn_order`; and `multiple`, `is_entity` (fields that name an entity)
-- of those of the world, `compile` of those that are registered.
-- @param world
-- @tparam table registered name -> `compile`, `spawn_order`
function components.types(world, registered)
  local types = core.compile.component_types(world)
  for _, known in next, types do
    known.is_entity = {}
    for _, field in ipairs(known.entities) do known.is_entity[field] = true end
  end
  for name, known in next, registered do types[name] = known end
  return types
end

-- What a registered function makes of each component: its bytes.
local function compile_opaque(work, compilation, bucket, big_endian)
  local strings, compile = {}, work.types[bucket.name].compile
  for instance = 1, bucket.count do
    local node, position = bucket.nodes[instance], bucket.positions[instance]
    local origin = bucket.origins[instance] or nil
    local context = {
      path = place_of(work, node, bucket.name, position, origin),
      writer = function() return core.compile.writer(big_endian) end,
      entity = function(name)
        local target, trouble = source.find(work.nodes, node, name)
        if not target then fail(work, node, bucket.name, position, origin, trouble) end
        return work.nodes.rank[target] - 1
      end,
    }
    local ok, bytes = pcall(compile, bucket.tables[instance], context)
    if not ok then
      if failure.is(bytes) then error(bytes, 0) end
      fail(work, node, bucket.name, position, origin,
        type(bytes) == "string" and bytes or "its compile function raised " .. show(bytes))
    elseif type(bytes) ~= "string" then
      fail(work, node, bucket.name, position, origin, "its compile function answered no string, but " .. show(bytes))
    end
    strings[instance] = bytes
  end
  compilation:opaque(bucket.name, strings, bucket.entities)
end

local function compile_columns(work, compilation, bucket, world)
  local ok, instance, message = compilation:columns(world, bucket.name, bucket.tables, bucket.entities)
  if ok then return end
  if not instance then failure.raise("%s: %s", work.nodes.name, message) end
  fail(work, bucket.nodes[instance], bucket.name, bucket.positions[instance], bucket.origins[instance] or nil, message)
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
  function work.is_multiple(name) return types[name] ~= nil and types[name].multiple == true end
  gather(work)
  local compilation = core.compile.compilation(big_endian, parents_of(nodes))
  for _, bucket in ipairs(sorted_buckets(work)) do
    if types[bucket.name].compile then
      compile_opaque(work, compilation, bucket, big_endian)
    else
      compile_columns(work, compilation, bucket, world)
    end
  end
  return compilation:finish(names_of(nodes))
end

return components
