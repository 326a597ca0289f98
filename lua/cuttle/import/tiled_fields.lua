--- Turns the custom properties of a Tiled document into Lua values.
-- Knows nothing of layers, objects and tiles, nor of level source.
--
-- Properties come in sets that are laid over one another: those of a class, then those of a tile, of a template, of the
-- object itself. A set has `values`, `references` (whole references of object properties) and `classes` (which class
-- a value is of, so that one lays its members over another's).
-- @module cuttle.import.tiled_fields

local each = require "cuttle.each"
local failure = require "cuttle.failure"
local files = require "cuttle.import.tiled_files"
local json = require "cuttle.json"

local floor, is_null = math.floor, json.is_null

local fields = {}

--- The color `#rrggbb` or `#aarrggbb` at `holder[key]` as {r, g, b, a}, each 0 to 1: the form of a `color` field. Nil
-- if absent or empty.
function fields.color(cursor, holder, key)
  local text = cursor:maybe(holder, key, "string", "")
  if text == "" then return nil end
  local alpha, r, g, b = text:match("^#?(%x?%x?)(%x%x)(%x%x)(%x%x)$")
  if not r or #alpha == 1 then
    cursor:fail(key, "expected a color such as \"#ff40c0ff\", got %s", failure.show(text))
  end
  return { tonumber(r, 16) / 255, tonumber(g, 16) / 255, tonumber(b, 16) / 255,
    alpha == "" and 1 or tonumber(alpha, 16) / 255 }
end

--- The class of an object, a tile, a layer: `class`, or `type` as most versions call it. Nil for none.
function fields.class(cursor, data, key)
  local class = cursor:maybe(data, "class", "string", "")
  if class == "" and key then class = cursor:maybe(data, key, "string", "") end
  return class ~= "" and class or nil
end

-- Values -----------------------------------------------------------------------------------------------------------

local function plain(kind)
  return function(cursor, holder, key) return cursor:need(holder, key, kind) end
end

local CONVERT = {
  string = plain("string"), int = plain("integer"), float = plain("number"), bool = plain("boolean"),
  color = fields.color,
}

function CONVERT.file(cursor, holder, key, _, directory)
  return files.resolve(directory, cursor:need(holder, key, "string"))
end

--- The id that level source has for what has a number in the map: that number, in a world together with the map.
function fields.id(import, number)
  return import.prefix and import.prefix .. number or number
end

-- The id, or nil when its object is not imported; then the whole reference. 0 is nobody.
function CONVERT.object(cursor, holder, key, import)
  local number = cursor:need(holder, key, "integer")
  if number == 0 then return nil end
  local id = fields.id(import, number)
  local whole = { entity = id, imported = import.imported[number] == true }
  return whole.imported and id or nil, whole
end

-- The flags of an enumeration as a set of names.
local function flags(cursor, holder, key, enumeration)
  local value, set = holder[key], {}
  if type(value) == "string" then
    for name in value:gmatch("[^,]+") do set[name] = true end
    return set
  end
  local bits = cursor:need(holder, key, "integer")
  for index, name in ipairs(enumeration.values) do
    if floor(bits / 2 ^ (index - 1)) % 2 == 1 then set[name] = true end
  end
  return set
end

local convert

-- The members of `holder[key]` laid over `base`: by their definitions, or as they were decoded where there are none.
local function lay_class(import, cursor, holder, key, class, base, directory)
  local raw, values = cursor:need(holder, key, "object"), base or {}
  cursor:enter(key)
  local count = 0
  for name, value in each, raw do
    count = count + 1
    local member = class and class.by_name[name]
    if is_null(value) then
      values[name] = nil
    elseif member then
      values[name] = convert(import, cursor, raw, name, member, values[name], directory)
    else
      values[name] = value
    end
  end
  cursor:leave()
  cursor:copied(count)
  return values
end

-- A new value of a class: the defaults of its members. Its depth and size were measured when the project was read.
local function fresh(import, class)
  local values = {}
  for _, member in ipairs(class.members) do
    local inner = member.kind == "class" and import.types[member.type_name]
    if not is_null(member.data.value) then
      values[member.name] = convert(import, member.cursor, member.data, "value", member, nil, class.directory)
    elseif inner and inner.members then
      values[member.name] = fresh(import, inner)
    end
  end
  return values
end

-- The value at `holder[key]`, and the whole reference for one of an object. `base` is the value of the same class
-- that it is laid over, `as` tells the type: `kind`, and `type_name` of a class or an enumeration.
function convert(import, cursor, holder, key, as, base, directory)
  local custom = as.type_name and import.types[as.type_name] or {}
  if as.kind == "class" then
    local class = custom.members and custom
    if class and type(base) ~= "table" then base = fresh(import, class) end
    return lay_class(import, cursor, holder, key, class, base, directory)
  elseif custom.values and (as.kind == "string" or as.kind == "int") then
    if custom.flags then return flags(cursor, holder, key, custom) end
    return cursor:need(holder, key, type(holder[key]) == "string" and "string" or "integer")
  end
  local converter = CONVERT[as.kind]
  if converter then return converter(cursor, holder, key, import, directory) end
  return holder[key]
end

-- Sets -------------------------------------------------------------------------------------------------------------

--- A new set with the defaults that the project gives to a class.
-- @tparam table import its `types` and `imported` are used
-- @tparam[opt] string class
-- @tparam string use what the class is of: `object`, `tile`, `layer`, `map`, `tileset`
-- @tparam[opt] string also another such
function fields.defaults(import, class, use, also)
  local set = { values = {}, references = {}, classes = {} }
  local known = class and import.types[class]
  if not known or not known.members then return set end
  if known.uses and not known.uses[use] and not known.uses[also or use] then return set end
  set.values = fresh(import, known)
  for _, member in ipairs(known.members) do
    if member.kind == "class" then set.classes[member.name] = member.type_name or "" end
  end
  return set
end

--- Lays `holder.properties` over a set; returns the set. Null is no value.
-- @tparam table import its `types` and `imported` are used
-- @tparam cursor cursor at `holder`
-- @tparam table holder
-- @tparam table set of `fields.defaults`
-- @tparam[opt] string directory of the file that the cursor is in, for file properties
function fields.lay(import, cursor, holder, set, directory)
  cursor:copied(cursor:count(holder, "properties"))
  for _, data in cursor:each(holder, "properties") do
    local name, values = cursor:need(data, "name", "string"), set.values
    local as = { kind = cursor:maybe(data, "type", "string", "string"),
      type_name = cursor:maybe(data, "propertytype", "string") }
    local class = as.kind == "class" and (as.type_name or "") or nil
    if is_null(data.value) then
      values[name], set.references[name] = nil, nil
    else
      local base = class and set.classes[name] == class and values[name] or nil
      values[name], set.references[name] = convert(import, cursor, data, "value", as, base, directory)
    end
    set.classes[name] = class
  end
  return set
end

--- The properties of something of a class: values, and whole references by name.
function fields.read(import, cursor, holder, class, use, directory)
  local set = fields.lay(import, cursor, holder, fields.defaults(import, class, use), directory)
  return set.values, set.references
end

return fields
