--- Turns a Lua export of Tiled into what its JSON export holds.
-- Knows nothing of what the keys mean. What is of a wrong type stays, for whoever reads on to refuse.
--
-- A Lua export tells no types of properties: colors and files are strings there, a reference is `{id = 5}`.
-- @module cuttle.import.tiled_lua

local each = require "cuttle.each"
local lua_data = require "cuttle.import.lua_data"

local tiled_lua = {}

-- Keys whose values are colors as lists of bytes.
local COLORS = { "color", "backgroundcolor", "tintcolor" }

local function color_text(value)
  if type(value) ~= "table" then return value end
  local r, g, b, a = value[1], value[2], value[3], value[4] or 255
  for _, part in ipairs({ r or false, g or false, b or false, a }) do
    if type(part) ~= "number" or part < 0 or part > 255 or part % 1 ~= 0 then return value end
  end
  return ("#%02x%02x%02x%02x"):format(a, r, g, b)
end

-- Whether a property is a reference: its value is a table with nothing but a number called id.
local function is_reference(value)
  if type(value.id) ~= "number" then return false end
  for key in each, value do
    if key ~= "id" then return false end
  end
  return true
end

local function property(name, value)
  local kind = type(value)
  if kind == "table" then
    local reference = is_reference(value)
    return { name = name, type = reference and "object" or "class", value = reference and value.id or value }
  elseif kind == "number" then
    return { name = name, type = value % 1 == 0 and "int" or "float", value = value }
  end
  return { name = name, type = kind == "boolean" and "bool" or "string", value = value }
end

-- The properties of a table as a list, by name.
local function list_properties(data)
  local properties, names = {}, {}
  for name in each, data.properties do
    if type(name) == "string" then names[#names + 1] = name end
  end
  table.sort(names)
  for index, name in ipairs(names) do properties[index] = property(name, data.properties[name]) end
  data.properties = properties
end

-- What an object is, by the shape that is named; a text has its own keys among those of the object.
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

-- Every table but cells, points and the values of properties: as deep as groups go.
local PARTS = { "layers", "tilesets", "tiles", "objects", "wangsets", "colors", "text" }

--- Reads a document; what is wrong fails at the cursor.
-- @tparam cursor cursor
-- @tparam string text
-- @treturn table as the JSON of the same map or tileset is decoded
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
