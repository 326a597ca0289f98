--- State of an EntityManager and its worlds as JSON, for the inspector.
-- Does not depend on sockets and pages.
--
-- Every function takes `pause` and calls it between small pieces of work. `pause` may return several frames later, when
-- rows may have moved. Therefore only entities, names and numbers are kept across it. A result that takes several
-- frames may miss an entity that moved meanwhile; the next request finds it.

local core = require "cuttle.core"
local formula = require "cuttle.formula"
local text = require "cuttle.inspector.text"
local values = require "cuttle.inspector.values"
local worlds = require "cuttle.worlds"

local concat = table.concat
local entity_id = core.entity_id
local schema = core.schema

local view = {}

-- Getters that are shown as read-only fields, by component.
local COMPUTED = { transform = { { "world_position", "vec3", computed = true },
  { "world_rotation", "quat", computed = true } } }

-- Returns the fields of a manager, followed by its computed ones.
local function shown_fields(name, manager)
  local fields = manager:fields()
  for _, field in ipairs(COMPUTED[name] or {}) do fields[#fields + 1] = field end
  return fields
end

local function read(manager, instance, field)
  if field.computed then return manager[field[1]](manager, instance) end
  return manager:read(instance, field[1])
end

local function fields_of(name, manager)
  local fields = text.array {}
  for place, field in ipairs(shown_fields(name, manager)) do
    fields[place] = { name = field[1], type = field[2], labels = field[3] and text.array(field[3]) }
  end
  return fields
end

-- The capacity of shadow worlds is not that of the game, so it is reported as 0.
local function managers_of(world, with_room)
  local managers, types = text.array {}, schema.component_types(world)
  for name, manager in world:managers() do
    local kind = types[name] or {}
    managers[#managers + 1] = { name = name, rows = manager:count(), bytes = manager:memory(),
      capacity = with_room and kind.capacity or 0, multiple = kind.multiple or false,
      fields = fields_of(name, manager) }
  end
  return managers
end

local function levels_of(world)
  local levels = text.array {}
  for place, level in ipairs(world:levels()) do
    local resource, path = schema.source(level)
    levels[place] = { entities = level:count(), path = path or false, bytes = resource:bytes() }
  end
  return levels
end

--- Returns the worlds with their levels and their managers: rows, capacity (0: unknown) and bytes. Takes a few
-- microseconds for each manager.
function view.worlds(entities, pause, with_room)
  local found = text.array {}
  for _, world in ipairs(worlds.of(entities)) do
    found[#found + 1] = { name = worlds.name(world), bytes = (world:memory()),
      managers = managers_of(world, with_room), levels = levels_of(world) }
    pause()
  end
  return { entities = entities:count(), bytes = entities:memory(), worlds = found }
end

-- Columns that grow in pieces: PIECE items are joined into one string.
local PIECE = 512

local function new_column(name) return { name = name, pieces = {}, items = {}, count = 0 } end

local function put(column, item)
  local count = column.count + 1
  -- The comma between two pieces is added here. Later it would need a copy of the whole piece.
  if count == 1 and column.pieces[1] then item = "," .. item end
  column.items[count], column.count = item, count
  if count == PIECE then
    column.pieces[#column.pieces + 1] = concat(column.items, ",", 1, count)
    column.count = 0
  end
end

-- Appends columns to a list of strings, as `"name":[...],...`.
local function append(out, columns)
  for place, column in ipairs(columns) do
    if column.count > 0 then column.pieces[#column.pieces + 1] = concat(column.items, ",", 1, column.count) end
    out[#out + 1] = (place > 1 and ',"' or '"') .. column.name .. '":['
    for _, piece in ipairs(column.pieces) do out[#out + 1] = piece end
    out[#out + 1] = "]"
  end
end

-- Returns a list of strings that form an object of columns.
local function object(...)
  local out = { "{" }
  append(out, { ... })
  out[#out + 1] = "}"
  return out
end

local function has_any(world, e)
  for _, manager in world:managers() do
    if manager:has(e) then return true end
  end
  return false
end

local function id_of(transform, instance)
  local owner = instance and transform:entity(instance)
  return owner and ("%d"):format(entity_id(owner)) or "-1"
end

--- Returns the tree of a world in columns: `ids`, `parents` and `nexts` (the next sibling) as ids (-1: none), and
-- `names`. Contains all entities that have a component in the world. Takes about a microsecond for each entity. The
-- result is a list of strings that form JSON when joined.
function view.outline(entities, world, pause)
  local transform, names = world:manager "transform", world:manager "debug_name"
  local alone = #worlds.of(entities) == 1
  local ids, parents, nexts, texts = new_column "ids", new_column "parents", new_column "nexts", new_column "names"
  for e in entities:each() do
    local instance = transform:lookup(e)
    if instance or alone or has_any(world, e) then
      local name = names:debug_name(e)
      put(ids, ("%d"):format(entity_id(e)))
      put(parents, instance and id_of(transform, transform:parent(instance)) or "-1")
      put(nexts, instance and id_of(transform, transform:next_sibling(instance)) or "-1")
      put(texts, name and text.string(name) or '""')
    end
    pause()
  end
  return object(ids, parents, nexts, texts)
end

--- Returns the ids of the entities that have a component, as a list of strings.
function view.owners(entities, world, name, pause)
  local manager = world:manager(name)
  local ids, row = new_column "ids", 0
  while row < manager:count() do
    local owner = manager:entity(manager:at(row))
    if owner and entities:alive(owner) then put(ids, ("%d"):format(entity_id(owner))) end
    row = row + 1
    pause()
  end
  return object(ids)
end

--- Returns the ids of the entities that meet a condition of the formula language, as a list of strings.
function view.matches(world, condition, pause)
  local ids = new_column "ids"
  for e in formula.matching(world, condition):list():each() do
    put(ids, ("%d"):format(entity_id(e)))
    pause()
  end
  return object(ids)
end

--- Returns the world positions of all entities with a transform in columns, `ids`, `x` and `y`, as a list of strings.
function view.positions(world, pause)
  local transform, row = world:manager "transform", 0
  local ids, xs, ys = new_column "ids", new_column "x", new_column "y"
  while row < transform:count() do
    local instance = transform:at(row)
    local owner = transform:entity(instance)
    if owner and world.entities:alive(owner) then
      local x, y = transform:world_position(instance)
      put(ids, ("%d"):format(entity_id(owner)))
      put(xs, text.number(x, 7))
      put(ys, text.number(y, 7))
    end
    row = row + 1
    pause()
  end
  return object(ids, xs, ys)
end

--- Returns the names of the components that an entity has in a world, as one text. The transform is last, because most
-- entities have one.
function view.kind(world, id)
  local e, found, last = core.entity_from_id(id), {}, nil
  for name, manager in world:managers() do
    if manager:has(e) then
      if name == "transform" then last = name else found[#found + 1] = name end
    end
  end
  found[#found + 1] = last
  return concat(found, ", ")
end

-- The largest number of components of one type that are shown for an entity.
local MOST_ITEMS = 50

local function field_value(manager, instance, field)
  local json = values.encode(field[2], read(manager, instance, field))
  local editable = not field.computed and values.is_editable(field[2], (read(manager, instance, field)))
  return text.array { text.raw(json), editable }
end

local function item_of(manager, instance, fields, multiple)
  local item = { fields = {} }
  if multiple then item.id = manager:id(instance) end
  for _, field in ipairs(fields) do
    item.fields[field[1]] = field_value(manager, instance, field)
  end
  return item
end

local function components_of(world, e)
  local components, types = text.array {}, schema.component_types(world)
  for name, manager in world:managers() do
    if manager:has(e) then
      local component = { name = name, items = text.array {}, more = 0 }
      local fields, multiple = shown_fields(name, manager), (types[name] or {}).multiple
      for instance in manager:instances(e) do
        if #component.items < MOST_ITEMS then
          component.items[#component.items + 1] = item_of(manager, instance, fields, multiple)
        else
          component.more = component.more + 1
        end
      end
      components[#components + 1] = component
    end
  end
  return components
end

--- Returns all components of an entity in all worlds, with the values of their fields as `[value, whether it is
-- editable]`.
function view.entity(entities, id, pause)
  local e = core.entity_from_id(id)
  local shown = { id = id, text = core.entity_tostring(e), alive = entities:alive(e), worlds = text.array {} }
  for _, world in ipairs(worlds.of(entities)) do
    local name = world:manager("debug_name"):debug_name(e)
    shown.name = shown.name or name
    shown.worlds[#shown.worlds + 1] = { name = worlds.name(world), components = components_of(world, e) }
    pause()
  end
  return shown
end

-- Appends the contents of a manager in columns: owners, ids if it is `multiple`, and each field.
local function manager_columns(name, manager, multiple, out, pause)
  local fields, owners, items, columns = shown_fields(name, manager), new_column "owners", new_column "ids", {}
  for place, field in ipairs(fields) do columns[place] = new_column(field[1]) end
  for e, instance in manager:each() do
    put(owners, ("%d"):format(entity_id(e)))
    if multiple then put(items, text.scalar(manager:id(instance))) end
    for place, field in ipairs(fields) do
      put(columns[place], values.encode(field[2], read(manager, instance, field)))
    end
    pause()
  end
  out[#out + 1] = "{"
  append(out, { owners, items })
  out[#out + 1] = ',"fields":{'
  append(out, columns)
  out[#out + 1] = "}}"
end

--- Returns all components of a world in columns, as a list of strings. Does not pause, because rows must not move.
function view.components(world)
  local out, types, first = { "{" }, schema.component_types(world), true
  for name, manager in world:managers() do
    out[#out + 1] = (first and "" or ",") .. text.string(name) .. ":"
    manager_columns(name, manager, types[name].multiple, out, function() end)
    first = false
  end
  out[#out + 1] = "}"
  return out
end

return view
