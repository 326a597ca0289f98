--- Conversion of Tiled's Lua export to the structure of its JSON export.
-- Does not depend on the meaning of keys. Values of a wrong type stay unchanged; later checks refuse them.
--
-- A Lua export does not contain the types of properties: colors and files are strings, a reference is `{id = 5}`.
-- @module cuttle.import.tiled_lua

local each = require "cuttle.each"
local lua_data = require "cuttle.import.lua_data"

local tiled_lua = {}

-- Keys of colors, which are lists of bytes.
local COLORS = { "color", "backgroundcolor", "tintcolor" }

local function color_text(value)
  if type(value) ~= "table" then return value end
  local r, g, b, a = value[1], value[2], value[3], value[4] or 255
  for _, part in ipairs({ r or false, g or false, b or false, a }) do
    if type(part) ~= "number" or part < 0 or part > 255 or part % 1 ~= 0 then return value end
  end
  return ("#%02x%02x%02x%02x"):format(a, r, g, b)
end

-- Returns whether a property is a reference: a table that contains only a number with the key id.
local function is_reference(value)
  if type(value.id) ~= "number" then return false end
  for key in each, value do
    if key ~= "id" then return false end
  end
  return true
end

local property

-- Converts an array to the items of a list.
local function list_of(name, value)
  local items = {}
  for index, item in ipairs(value) do items[index] = property(nil, item) end
  return { name = name, type = "list", value = items }
end

function property(name, value)
  local kind = type(value)
  if kind == "table" and #value > 0 then return list_of(name, value) end
  if kind == "table" then
    local reference = is_reference(value)
    return { name = name, type = reference and "object" or "class", value = reference and value.id or value }
  elseif kind == "number" then
    return { name = name, type = value % 1 == 0 and "int" or "float", value = value }
  end
  return { name = name, type = kind == "boolean" and "bool" or "string", value = value }
end

-- Converts the properties of a table to a list, sorted by name.
local function list_properties(data)
  local properties, names = {}, {}
  for name in each, data.properties do
    if type(name) == "string" then names[#names + 1] = name end
  end
  table.sort(names)
  for index, name in ipairs(names) do properties[index] = property(name, data.properties[name]) end
  data.properties = properties
end

-- Converts the key `shape` of an object. The keys of a text are among those of its object.
local function shape_object(data)
  local shape = data.shape
  if shape == "ellipse" or shape == "point" or shape == "capsule" then data[shape] = true end
  if shape == "text" then
    data.text = { text = data.text, fontfamily = data.fontfamily, pixelsize = data.pixelsize, wrap = data.wrap,
      color = data.color, bold = data.bold, italic = data.italic, underline = data.underline,
      strikeout = data.strikeout, kerning = data.kerning, halign = data.halign, valign = data.valign }
  end
end

local function convert(data)
  if type(data.properties) == "table" then list_properties(data) end
  for _, key in ipairs(COLORS) do data[key] = color_text(data[key]) end
  if type(data.shape) == "string" then shape_object(data) end
  if data.encoding == "lua" then data.encoding = "csv" end
  if data.objectGroup then data.objectgroup = data.objectGroup end
  if type(data.filename) == "string" then data.source = data.exportfilename or data.filename end
end

-- Keys of nested tables that are converted. Cells, points and the values of properties are not.
local PARTS = { "layers", "tilesets", "tiles", "objects", "wangsets", "colors", "text" }

--- Decodes a document. Raises errors at the cursor.
-- @tparam cursor cursor
-- @tparam string text
-- @treturn table the same as the decoded JSON export of the map or tileset
function tiled_lua.decode(cursor, text)
  local document = lua_data.decode(cursor, text)
  local waiting = { document }
  while #waiting > 0 do
    local data = table.remove(waiting)
    convert(data)
    for _, key in ipairs(PARTS) do
      local part = data[key]
      if type(part) == "table" and key == "text" then
        waiting[#waiting + 1] = part
      else
        for _, item in ipairs(type(part) == "table" and part or {}) do
          if type(item) == "table" then waiting[#waiting + 1] = item end
        end
      end
    end
    if type(data.objectgroup) == "table" then waiting[#waiting + 1] = data.objectgroup end
  end
  if document.luaversion == nil and document.tilewidth == nil then
    cursor:fail(nil, "not a Lua export of Tiled (it has no luaversion)")
  end
  if type(document.layers) == "table" then document.type = "map" end
  return document
end

return tiled_lua
