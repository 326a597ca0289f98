--- What the inspector tells of an EntityManager and its worlds, as JSON.
-- Knows nothing of sockets and pages.
--
-- Every function takes `pause`, which is called between small pieces of work, and may come back frames later: so
-- nothing but entities, names and numbers is kept across it, and rows may have moved. What is found over several
-- frames may miss one who moved meanwhile; the next look finds it.

local core = require "cuttle.core"
local text = require "cuttle.inspector.text"
local values = require "cuttle.inspector.values"

local concat = table.concat
local entity_id = core.entity_id
local schema = core.schema

local view = {}

--- The worlds of an EntityManager, the oldest first.
function view.worlds_of(entities)
  local worlds, found = {}, { schema.worlds(entities) }
  for place, world in ipairs(found) do worlds[#found + 1 - place] = world end
  return worlds
end

--- The name of a world.
function view.name_of(world) return tostring(world):match '^world "(.*)"$' end

--- The world of a name, or nil.
function view.world(entities, name)
  for _, world in ipairs(view.worlds_of(entities)) do
    if view.name_of(world) == name then return world end
  end
end

-- Getters that are shown like fields but cannot be written, by component.
local COMPUTED = { transform = { { "world_position", "vec3", computed = true },
  { "world_rotation", "quat", computed = true } } }

-- The fields of a manager, then its computed ones.
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

-- In worlds that were made to look back, room is not that of the game.
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

--- The worlds: managers with rows, room (0: not told) and bytes, levels. A few microseconds for each manager.
function view.worlds(entities, pause, with_room)
  local found = text.array {}
  for _, world in ipairs(view.worlds_of(entities)) do
    found[#found + 1] = { name = view.name_of(world), bytes = (world:memory()),
      managers = managers_of(world, with_room), levels = levels_of(world) }
    pause()
  end
  return { entities = entities:count(), bytes = entities:memory(), worlds = found }
end

-- Lists that grow piece by piece: so many items become one string.
local PIECE = 512

local function new_column() return { pieces = {}, items = {}, count = 0 } end

local function put(column, item)
  local count = column.count + 1
  -- Behind another piece. Done later, all of them would have to be copied at once.
  if count == 1 and column.pieces[1] then item = "," .. item end
  column.items[count], column.count = item, count
  if count == PIECE then
    column.pieces[#column.pieces + 1] = concat(column.items, ",", 1, count)
    column.count = 0
  end
end

-- Appends `"name":[...]` to the answer.
local function close(column, out, name)
  if column.count > 0 then column.pieces[#column.pieces + 1] = concat(column.items, ",", 1, column.count) end
  out[#out + 1] = '"' .. name .. '":['
  for _, piece in ipairs(column.pieces) do out[#out + 1] = piece end
  out[#out + 1] = "]"
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

--- The tree of a world, in columns: `ids`, `parents` and `nexts` (the next sibling) as ids, -1 for none, and `names`.
-- All entities that have something in the world. About a microsecond an entity. Gives a list of strings, which is the
-- answer when they are joined.
function view.outline(entities, world, pause)
  local transform, names = world:manager "transform", world:manager "debug_name"
  local alone = #view.worlds_of(entities) == 1
  local ids, parents, nexts, texts = new_column(), new_column(), new_column(), new_column()
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
  local out = { "{" }
  close(ids, out, "ids")
  out[#out + 1] = ","
  close(parents, out, "parents")
  out[#out + 1] = ","
  close(nexts, out, "nexts")
  out[#out + 1] = ","
  close(texts, out, "names")
  out[#out + 1] = "}"
  return out
end

--- The ids of those who have a component, as a list of strings.
function view.owners(entities, world, name, pause)
  local manager = world:manager(name)
  local ids, row = new_column(), 0
  while row < manager:count() do
    local owner = manager:entity(manager:at(row))
    if owner and entities:alive(owner) then put(ids, ("%d"):format(entity_id(owner))) end
    row = row + 1
    pause()
  end
  local out = { "{" }
  close(ids, out, "ids")
  out[#out + 1] = "}"
  return out
end

--- The names of the components that an entity has in a world, as one text. The transform is the last, since most
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

-- Of an entity that has very many components of a type, the first are told.
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

--- All components of an entity in all worlds, with the values of their fields: each `[value, whether it is editable]`.
function view.entity(entities, id, pause)
  local e = core.entity_from_id(id)
  local told = { id = id, text = core.entity_tostring(e), alive = entities:alive(e), worlds = text.array {} }
  for _, world in ipairs(view.worlds_of(entities)) do
    local name = world:manager("debug_name"):debug_name(e)
    told.name = told.name or name
    told.worlds[#told.worlds + 1] = { name = view.name_of(world), components = components_of(world, e) }
    pause()
  end
  return told
end

-- What a manager holds, in columns: owners, ids where there may be several, and each field.
local function manager_columns(name, manager, multiple, out, pause)
  local fields, owners, items, columns = shown_fields(name, manager), new_column(), new_column(), {}
  for place in ipairs(fields) do columns[place] = new_column() end
  for e, instance in manager:each() do
    put(owners, ("%d"):format(entity_id(e)))
    if multiple then put(items, text.scalar(manager:id(instance))) end
    for place, field in ipairs(fields) do
      put(columns[place], values.encode(field[2], read(manager, instance, field)))
    end
    pause()
  end
  out[#out + 1] = "{"
  close(owners, out, "owners")
  out[#out + 1] = ","
  close(items, out, "ids")
  out[#out + 1] = ',"fields":{'
  for place, field in ipairs(fields) do
    if place > 1 then out[#out + 1] = "," end
    close(columns[place], out, field[1])
  end
  out[#out + 1] = "}}"
end

--- All components of a world, in columns, as a list of strings. May not be interrupted: rows must stay.
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
