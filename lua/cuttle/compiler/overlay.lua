--- Merging of tables of components: those of a prefab, of the entry that includes it, of overrides.
-- Does not depend on files or entities.
-- @module cuttle.compiler.overlay

local each = require "cuttle.each"
local json = require "cuttle.json"

local is_null = json.is_null

local overlay = {}

local function is_object(value)
  return type(value) == "table" and #value == 0
end

-- Merges two tables of fields. A field removes the fields that it excludes. `sources` has the overlay of each field.
local function merge_fields(known, below, above, number)
  local values, sources, excludes = {}, {}, known.excludes or {}
  for key, value in each, below.values do values[key], sources[key] = value, below.sources[key] or below.number end
  for key, value in each, above do
    for _, other in ipairs(not is_null(value) and excludes[key] or {}) do
      if is_null(rawget(above, other)) then values[other] = nil end
    end
  end
  for key, value in each, above do values[key], sources[key] = value, number end
  return { values = values, sources = sources, number = number, position = 0 }
end

-- Makes an item whose fields are all from one table.
local function item_of(values, number, position)
  return { values = values, sources = {}, number = number, position = position }
end

-- Merges one component. A value that only the component's compile function understands replaces the lower one.
local function merge_one(known, below, values, number)
  if below and is_object(below.values) and is_object(values) then return merge_fields(known, below, values, number) end
  return item_of(values, number, 0)
end

local function id_of(item)
  local id = type(item.values) == "table" and rawget(item.values, "id")
  return (type(id) == "string" or (type(id) == "number" and id == id)) and id or nil
end

-- Merges several components: a component replaces the lower one with the same id, the others are appended. Two
-- components with the same id in one table are an error that is found later.
local function merge_many(below, values, number)
  local items, places = {}, {}
  for place, item in ipairs(below or {}) do
    items[place] = item
    local id = id_of(item)
    if id then places[id] = place end
  end
  local many = type(values) == "table" and #values > 0
  for position, value in ipairs(many and values or { values }) do
    local item = item_of(value, number, many and position or 0)
    local id = id_of(item)
    local place = id and places[id] or #items + 1
    items[place] = item
    if id then places[id] = nil end
  end
  return items
end

--- Merges tables of components.
-- @tparam table overlays tables with `components`, the lowest first
-- @tparam table types name -> `multiple`: an entity may have several; `excludes`: field -> fields that cannot be given
-- with it
-- @tparam function is_ignored function(key)
-- @tparam function check function(name, values, number) raises if a component has the wrong structure; it accepts null
-- @treturn table name -> one component, or a list of components if the type is `multiple`: `values`; `number` of the
-- overlay with its last value, `sources` (field -> number, for fields of other overlays); `position` in an array there
function overlay.merge(overlays, types, is_ignored, check)
  local merged = {}
  for number, layer in ipairs(overlays) do
    for name, values in each, layer.components do
      if types[name] or not is_ignored(name) then
        check(name, values, number)
        if is_null(values) then
          merged[name] = nil
        elseif types[name].multiple then
          merged[name] = merge_many(merged[name], values, number)
        else
          merged[name] = merge_one(types[name], merged[name], values, number)
        end
      end
    end
  end
  return merged
end

return overlay
