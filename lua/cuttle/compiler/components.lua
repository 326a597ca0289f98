--- Compilation of components: collects the components of all entities by type, and compiles each type.
-- Does not depend on JSON or files.
-- @module cuttle.compiler.components

local core = require "cuttle.core"
local each = require "cuttle.each"
local entries = require "cuttle.compiler.entries"
local failure = require "cuttle.failure"
local json = require "cuttle.json"
local lazy = require "cuttle.compiler.lazy"
local overlay = require "cuttle.compiler.overlay"
local places = require "cuttle.compiler.places"
local registered = require "cuttle.compiler.registered"
local source = require "cuttle.compiler.source"
local without_null = require("cuttle.compiler.values").without_null

local is_null, is_ignored, show = json.is_null, entries.is_ignored, failure.show
local entity_from_id = core.entity_from_id
local sort = table.sort

local components = {}

local function fail(work, node, name, position, origin, message)
  places.fail_component(work.nodes, node, name, position, origin, message)
end

-- Types ------------------------------------------------------------------------------------------------------------

local function fail_unknown(work, node, name, origin)
  fail(work, node, nil, 0, origin, type(name) ~= "string" and "unknown key [" .. tostring(name) .. "]"
    or string.format("unknown component '%s'%s", name, failure.hint(name, work.type_names)))
end

--- Returns why a value is neither one component nor an array of components, or nil if it is.
function components.value_trouble(values)
  if type(values) ~= "table" then return "expected an object, got " .. show(values) end
  return failure.index_trouble(values)
end

-- The fields of a component type, by name. Loaded only for a null field, and for a key that may be a note.
local function fields_of(work, name)
  local known = work.types[name]
  if not known.fields then
    known.fields, known.field_names = {}, {}
    for _, field in ipairs(core.schema.component_fields(work.world, name) or {}) do
      known.fields[field.name] = true
      known.field_names[#known.field_names + 1] = field.name
    end
    if known.multiple then known.fields.id = true end
  end
  return known.fields, known.field_names
end

-- One component ----------------------------------------------------------------------------------------------------

-- Converts a reference to an entity whose index is the 0-based number of the target in the resource.
local function reference(work, node, name, position, origin, field, value)
  if name == "transform" then
    fail(work, node, name, position, origin,
      field .. ": the hierarchy is given by children, or by parent beside components")
  end
  if type(value) == "boolean" then return value end -- false means no entity; true is refused with the other values
  local target, trouble = source.find(work.nodes, node, value)
  if not target then fail(work, node, name, position, origin, field .. ": " .. trouble) end
  return entity_from_id(work.nodes.rank[target] - 1)
end

-- Returns whether a key is a note, and not the name of a field.
local function is_note(work, name, key)
  return is_ignored(key) and not fields_of(work, name)[key]
end

--- Converts the values of one component for the core. Returns the source's own table if no value has to change.
function components.clean(work, node, name, position, origin, values, known)
  local copy, entities, any = nil, known.is_entity, known.is_value
  for key, value in each, values do
    if entities[key] or any[key] or is_null(value) or is_note(work, name, key) then
      copy = {}
      break
    end
  end
  if not copy then return values end
  for key, value in each, values do
    if is_null(value) then
      -- Null has no value, but its field must exist.
      local fields, names = fields_of(work, name)
      if not fields[key] and not is_ignored(key) then
        fail(work, node, name, position, origin,
          string.format("unknown field '%s'%s", tostring(key), failure.hint(key, names)))
      end
    elseif not is_note(work, name, key) then
      if entities[key] then value = reference(work, node, name, position, origin, key, value) end
      if any[key] then value = without_null(value) end
      copy[key] = value
    end
  end
  return copy
end

local function bucket_for(work, name, known)
  local nodes, is_in_order = {}, work.nodes.rank == work.nodes.order
  local bucket = { name = name, known = known, count = 0, nodes = nodes, positions = {}, origins = {},
    entities = is_in_order and nodes or {}, tables = {} }
  work.buckets[name] = bucket
  return bucket
end

-- Appends a transform that has only x and y. Returns its index among the pairs of `bucket.places`, which replaces a
-- table.
local function add_place(bucket, x, y)
  local list = bucket.places or { count = 0 }
  local count = list.count
  bucket.places, list.count = list, count + 1
  list[count * 2 + 1], list[count * 2 + 2] = x, y
  return count + 1
end

-- Appends one component to a bucket. Entities are numbered as in the resource.
local function put(work, bucket, node, values)
  local count = bucket.count + 1
  bucket.count, bucket.nodes[count], bucket.entities[count] = count, node, work.nodes.rank[node]
  bucket.tables[count] = values
end

local function add(work, node, name, known, position, origin, values)
  local bucket = work.buckets[name] or bucket_for(work, name, known)
  if not known.compile then
    local trouble = components.value_trouble(values)
    if trouble then fail(work, node, name, position, origin, trouble) end
    values = components.clean(work, node, name, position, origin, values, known)
  end
  put(work, bucket, node, values)
  bucket.origins[bucket.count] = origin
  if position > 0 then bucket.positions[bucket.count] = position end
end

-- Raises unless a value can be one component, or several in an array if the type is `multiple`.
local function check_shape(work, node, name, known, origin, values)
  if known.compile or is_null(values) then return end
  local wrong = components.value_trouble(values)
  if wrong then
    fail(work, node, name, 0, origin, wrong)
  elseif #values > 0 then
    if not known.multiple then
      fail(work, node, name, 0, origin, "expected one component, got an array: an entity can have only one " .. name)
    end
    local trouble = entries.list_trouble(values)
    if trouble then fail(work, node, name, 0, origin, trouble) end
  end
end

-- One entity -------------------------------------------------------------------------------------------------------

-- Checks that an entity's name equals the name in its debug_name component.
local function check_debug_name(work, node, origin, given, name)
  local own = type(given) == "table" and rawget(given, "name")
  if not is_null(own) and own and name and own ~= name then
    fail(work, node, "debug_name", 0, origin,
      "name: " .. show(own) .. " differs from the entity's name " .. show(name))
  end
end

-- The debug_name component of a named entity, with any other fields of the source.
local function debug_name(name, given)
  local values = { name = name }
  if type(given) == "table" then
    for key, value in each, given do values[key] = key == "name" and name or value end
  end
  return values
end

--- Passes the components in one table to `work.add`.
function components.gather_plain(work, node, given)
  local named, types = work.nodes.names[node], work.types
  for name, values in each, given or {} do
    local known = types[name]
    if not known then
      if not is_ignored(name) then fail_unknown(work, node, name, nil) end
    elseif named and name == "debug_name" then
      check_shape(work, node, name, known, nil, values)
      check_debug_name(work, node, nil, values, named)
    elseif known.compile or (type(values) == "table" and #values == 0) then
      if not is_null(values) then work.add(work, node, name, known, 0, nil, values) end
    elseif not is_null(values) then
      check_shape(work, node, name, known, nil, values)
      for position = 1, #values do work.add(work, node, name, known, position, nil, values[position]) end
    end
  end
  if named then
    local own = given and rawget(given, "debug_name")
    work.add(work, node, "debug_name", types.debug_name, 0, nil, debug_name(named, own))
  end
end

--- Raises if the value of a component in one of a node's overlays has the wrong structure.
function components.check_overlay(work, node, overlays, number, name, values)
  local origin = { sources = {}, number = number, position = 0 }
  local known = work.types[name]
  if not known then fail_unknown(work, node, name, origin) end
  check_shape(work, node, name, known, origin, values)
  if name == "debug_name" then check_debug_name(work, node, origin, values, overlays[number].name) end
end

--- Merges the overlays of a node (a prefab root, or an entity with overrides), and passes the components to `work.add`.
function components.gather_overlays(work, node, overlays)
  local merged = overlay.merge(overlays, work.types, is_ignored, function(name, values, number)
    components.check_overlay(work, node, overlays, number, name, values)
  end)
  local named = work.nodes.names[node]
  if named then
    merged.debug_name = merged.debug_name or { sources = {}, number = 1, position = 0 }
    merged.debug_name.values = debug_name(named, merged.debug_name.values)
  end
  for name, found in each, merged do
    local known = work.types[name]
    if known.multiple then
      for _, item in ipairs(found) do work.add(work, node, name, known, item.position, item, item.values) end
    else
      work.add(work, node, name, known, 0, found, found.values)
    end
  end
end

-- If a node of a lazy list has only a place, adds the place to its bucket and returns true.
local function gather_place(work, node)
  local x, y = lazy.place(work.nodes.components[node], work.nodes.position[node])
  local known = x and work.types.transform
  if not known or known.compile then return false end
  local bucket = work.buckets.transform or bucket_for(work, "transform", known)
  put(work, bucket, node, add_place(bucket, x, y))
  return true
end

local function gather(work)
  local nodes = work.nodes
  for place = 1, nodes.count do
    if place % 1000 == 0 then work.progress("compiling", place, nodes.count) end
    local node = nodes.order[place]
    local overlays = nodes.overlays[node]
    if overlays then
      components.gather_overlays(work, node, overlays)
    elseif not gather_place(work, node) then
      components.gather_plain(work, node, source.components(nodes, node))
    end
  end
end

-- Level ------------------------------------------------------------------------------------------------------------

local function sorted_buckets(work)
  local list = {}
  for _, bucket in each, work.buckets do list[#list + 1] = bucket end
  sort(list, function(a, b)
    local first, second = a.known.spawn_order, b.known.spawn_order
    if first ~= second then return first < second end
    return a.name < b.name
  end)
  return list
end

local function parents_of(nodes)
  if nodes.rank == nodes.order then return nodes.parent end
  local parents = {}
  for place = 1, nodes.count do
    local parent = nodes.parent[nodes.order[place]]
    parents[place] = parent > 0 and nodes.rank[parent] or 0
  end
  return parents
end

local function names_of(nodes)
  if nodes.rank == nodes.order then return nodes.names end
  local names = {}
  for place = 1, nodes.count do names[place] = nodes.names[nodes.order[place]] end
  return names
end

--- Returns an error message if the hash of a name equals that of another key of a table, or nil.
function components.collision(name, types)
  for other in each, types do
    local trouble = type(other) == "string" and core.schema.collision(name, other)
    if trouble then return trouble end
  end
end

--- Returns the component types of a compilation: name -> `spawn_order`; for types of the world also `multiple`,
-- `is_entity` (fields that name an entity), `is_value` (fields that hold any value), `excludes` (by field, the fields
-- that cannot be given with it), `late` (names of late fields) and `late_name`; for registered types also `compile`.
-- Names that source ignores are left out.
-- @param world
-- @tparam table functions registered name -> `compile`, `spawn_order`
-- @treturn[1] table
-- @treturn[2] nil
-- @treturn[2] string a message with two names whose hashes are equal: one may have been defined after the other was
-- registered
function components.types(world, functions)
  local ok, types = pcall(core.schema.component_types, world)
  if not ok then error(types, 0) end -- the world is destroyed
  for name, known in each, types do
    known.is_entity, known.is_value, known.late, known.excludes = {}, {}, {}, {}
    for _, field in ipairs(core.schema.component_fields(world, name) or {}) do
      if field.type == "entity" then known.is_entity[field.name] = true end
      if field.type == "value" then known.is_value[field.name] = true end
      known.excludes[field.name] = field.excludes or {}
      for _, other in ipairs(field.excludes or {}) do table.insert(known.excludes[other], field.name) end
      if field.late then known.late[#known.late + 1] = field.name end
    end
  end
  for name, known in each, functions do
    local trouble = components.collision(name, types)
    if trouble then return nil, trouble end
    types[name] = known
  end
  return types
end

local function compile_section(work, bucket)
  work.progress("compiling " .. bucket.name)
  local bytes, schema, message_or_fields =
    core.compile.section(work.big_endian, work.world, bucket.name, bucket.tables, bucket.entities, work.parents,
      bucket.is_late, bucket.places)
  if bytes then return bytes, schema, message_or_fields end
  local instance, message = schema, message_or_fields
  if not instance then failure.raise("%s: %s", work.nodes.name, message) end
  fail(work, bucket.nodes[instance], bucket.name, bucket.positions[instance] or 0, bucket.origins[instance], message)
end

-- Returns the components of a bucket that have late fields, which get their own section, or nil.
local function late_bucket(bucket)
  local found = { name = bucket.name, known = bucket.known, is_late = true, count = 0, nodes = {}, positions = {},
    origins = {}, entities = {}, tables = {} }
  for i = 1, bucket.known.late_name and bucket.count or 0 do
    local values, is_late = bucket.tables[i], false
    for _, field in ipairs(type(values) == "table" and bucket.known.late or {}) do
      is_late = is_late or rawget(values, field) ~= nil
    end
    if is_late then
      local count = found.count + 1
      found.count, found.tables[count], found.entities[count] = count, values, bucket.entities[i]
      found.nodes[count], found.positions[count], found.origins[count] = bucket.nodes[i], bucket.positions[i],
        bucket.origins[i]
    end
  end
  return found.count > 0 and found or nil
end

-- Returns the source ids, with which level:patch matches entities, or nil if no entity has one. An id is unique within
-- its file, that is within one instance of a prefab.
local function ids_of(nodes)
  local found = { ids = {}, scopes = {}, entities = {} }
  for place = 1, nodes.count do
    local node = nodes.order[place]
    local id = nodes.ids[node]
    if id then
      local count, root = #found.ids + 1, nodes.document[node].node
      found.ids[count], found.scopes[count], found.entities[count] = id, root > 0 and nodes.rank[root] or 0, place
    end
  end
  return found.ids[1] and found or nil
end

--- Makes the state of a compilation. The caller sets `add`: function(work, node, name, known, position, origin, values)
-- adds one component.
function components.new_work(nodes, world, types, big_endian, progress)
  local work = { nodes = nodes, world = world, types = types, type_names = {}, buckets = {}, big_endian = big_endian,
    progress = progress }
  for name in each, types do work.type_names[#work.type_names + 1] = name end
  sort(work.type_names)
  return work
end

--- Compiles the nodes of a level for a world. Raises a data error with its place.
-- @tparam table nodes from `source.read`
-- @param world
-- @tparam table types from `components.types`
-- @tparam boolean big_endian
-- @tparam function progress function(task, done, count), called every thousand entities
-- @treturn string the blob
function components.compile(nodes, world, types, big_endian, progress)
  local work = components.new_work(nodes, world, types, big_endian, progress)
  work.add = add
  gather(work)
  work.parents = parents_of(nodes)
  local names, schemas, bytes, entities, fields = {}, {}, {}, {}, {}
  local function add_section(name, bucket)
    local compile, i = bucket.known.compile and registered.compile or compile_section, #names + 1
    bytes[i], schemas[i], fields[i] = compile(work, bucket)
    names[i], entities[i] = name, bucket.entities
  end
  local is_large = false
  for _, bucket in ipairs(sorted_buckets(work)) do
    is_large = is_large or bucket.places ~= nil
    if bucket.places then collectgarbage() end -- frees the entries of lazy lists
    add_section(bucket.name, bucket)
    local late = late_bucket(bucket)
    if late then add_section(bucket.known.late_name, late) end
    bucket.tables, bucket.places, bucket.nodes = nil, nil, nil
  end
  local found, last = ids_of(nodes), #names + 1
  if found then
    bytes[last], schemas[last] = core.compile.ids(big_endian, found.ids, found.scopes)
    names[last], entities[last] = "entity.id", found.entities
  end
  local entity_names, parents = names_of(nodes), work.parents
  if is_large then
    for _, list in ipairs { "up", "position", "names", "components", "order", "rank", "parent" } do
      nodes[list] = nil
    end
    collectgarbage()
  end
  return core.compile.resource(big_endian, parents, entity_names, names, schemas, bytes, entities, fields)
end

return components
