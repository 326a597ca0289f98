--- Conversion of the custom properties of a Tiled document to Lua values.
-- Does not depend on layers, objects and tiles, nor on level source.
--
-- Properties are merged in sets: first those of a class, then those of a tile, of a template, and of the object. A set
-- has `values`, `references` (whole references of object properties) and `classes` (the class of each value, because
-- values of the same class are merged by member).
-- @module cuttle.import.tiled_fields

local each = require "cuttle.each"
local failure = require "cuttle.failure"
local files = require "cuttle.import.tiled_files"
local json = require "cuttle.json"
local source = require "cuttle.import.source"
local MEMBERS = require("cuttle.import.tiled_xml").MEMBERS

local floor, is_null = math.floor, json.is_null

local fields = {}

--- Returns the color `#rrggbb` or `#aarrggbb` at `holder[key]` as {r, g, b, a}, each 0 to 1, in the form of a `color`
-- field; nil if absent or empty.
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

--- Returns the class of an object, tile or layer: `class`, or the key `type` of other versions; nil if it has none.
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

--- Returns the id for level source of a numbered part of the map: the number, in a world with the map as prefix.
function fields.id(import, number)
  return import.prefix and import.prefix .. number or number
end

-- Returns the id, or nil if the object is not imported, and the whole reference. 0 means no object.
function CONVERT.object(cursor, holder, key, import)
  local number = cursor:need(holder, key, "integer")
  if number == 0 then return nil end
  local id = fields.id(import, number)
  local whole = { entity = id, imported = import.imported[number] == true }
  return whole.imported and id or nil, whole
end

-- Converts the flags of an enumeration to a set of names.
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

-- Returns the type of a property or of an item of a list.
local function type_of(cursor, data)
  return { kind = cursor:maybe(data, "type", "string", "string"),
    type_name = cursor:maybe(data, "propertytype", "string"), [MEMBERS] = data[MEMBERS] }
end

local convert

-- Returns whether a value is a list: an array of objects that have a type and a value.
local function is_list(value)
  if type(value) ~= "table" or #value == 0 then return false end
  for _, item in ipairs(value) do
    if type(item) ~= "table" or type(item.type) ~= "string" or item.value == nil then return false end
  end
  return true
end

local function convert_list(import, cursor, holder, key, directory)
  local list = cursor:need(holder, key, "array")
  cursor:count_parts(#list)
  cursor:enter(key)
  local values, wholes = source.items(#list, function(index)
    local item = cursor:need(list, index, "object")
    if is_null(item.value) then return nil end
    cursor:enter(index)
    local value, whole = convert(import, cursor, item, "value", type_of(cursor, item), nil, directory)
    cursor:leave()
    return value, whole
  end)
  cursor:leave()
  return values, wholes
end

-- Merges the members of `holder[key]` into `base`, converted by their definitions: those of the class, or else those
-- that the document has. Members without a definition are unchanged, except lists.
local function merge_class(import, cursor, holder, key, class, own, base, directory)
  local raw, values = cursor:need(holder, key, "object"), base or {}
  cursor:enter(key)
  local count = 0
  for name, value in each, raw do
    count = count + 1
    local known, stored = class and class.by_name[name], own and own[name]
    local member = known or stored
    if known and stored then
      member = { kind = known.kind, type_name = known.type_name, [MEMBERS] = stored[MEMBERS] }
    end
    if is_null(value) then
      values[name] = nil
    elseif member then
      values[name] = convert(import, cursor, raw, name, member, values[name], directory)
    elseif is_list(value) then
      values[name] = convert_list(import, cursor, raw, name, directory)
    else
      values[name] = value
    end
  end
  cursor:leave()
  cursor:count_parts(count)
  return values
end

-- Makes a value of a class with the defaults of its members. Depth and size were checked when the project was read.
local function new_value(import, class)
  local values = {}
  for _, member in ipairs(class.members) do
    local inner = member.kind == "class" and import.types[member.type_name]
    if not is_null(member.data.value) then
      values[member.name] = convert(import, member.cursor, member.data, "value", member, nil, class.directory)
    elseif inner and inner.members then
      values[member.name] = new_value(import, inner)
    end
  end
  return values
end

-- Returns the value at `holder[key]`, and for an object also the whole reference. `base` is a value of the same class
-- to merge into. `as` is the type: `kind`, and `type_name` of a class or an enumeration.
function convert(import, cursor, holder, key, as, base, directory)
  local custom = as.type_name and import.types[as.type_name] or {}
  if as.kind == "class" then
    local class = custom.members and custom
    if class and type(base) ~= "table" then base = new_value(import, class) end
    return merge_class(import, cursor, holder, key, class, as[MEMBERS], base, directory)
  elseif as.kind == "list" then
    return convert_list(import, cursor, holder, key, directory)
  elseif custom.values and (as.kind == "string" or as.kind == "int") then
    if custom.flags then return flags(cursor, holder, key, custom) end
    return cursor:need(holder, key, type(holder[key]) == "string" and "string" or "integer")
  end
  local converter = CONVERT[as.kind]
  if converter then return converter(cursor, holder, key, import, directory) end
  return holder[key]
end

-- Sets -------------------------------------------------------------------------------------------------------------

--- Makes a set with the project's defaults of a class.
-- @tparam table import uses `types` and `imported`
-- @tparam[opt] string class
-- @tparam string use the part that has the class: `object`, `tile`, `layer`, `map`, `tileset`
-- @tparam[opt] string also a second accepted use
function fields.defaults(import, class, use, also)
  local set = { values = {}, references = {}, classes = {} }
  local known = class and import.types[class]
  if not known or not known.members then return set end
  if known.uses and not known.uses[use] and not known.uses[also or use] then return set end
  set.values = new_value(import, known)
  for _, member in ipairs(known.members) do
    if member.kind == "class" then set.classes[member.name] = member.type_name or "" end
  end
  return set
end

--- Merges `holder.properties` into a set and returns the set. Null removes a value.
-- @tparam table import uses `types` and `imported`
-- @tparam cursor cursor at `holder`
-- @tparam table holder
-- @tparam table set from `fields.defaults`
-- @tparam[opt] string directory of the file that the cursor is in, for file properties
function fields.merge(import, cursor, holder, set, directory)
  cursor:count_parts(cursor:count(holder, "properties"))
  for _, data in cursor:each(holder, "properties") do
    local name, values = cursor:need(data, "name", "string"), set.values
    local as = type_of(cursor, data)
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

--- Returns the properties of a part with a class: values, and whole references by name.
function fields.read(import, cursor, holder, class, use, directory)
  local set = fields.merge(import, cursor, holder, fields.defaults(import, class, use), directory)
  return set.values, set.references
end

return fields
