--- Shapes of Tiled objects, in a layer or as collision shapes of a tile.
-- Does not depend on properties, tiles and positions.
-- @module cuttle.import.tiled_shapes

local fields = require "cuttle.import.tiled_fields"
local json = require "cuttle.json"

local is_null = json.is_null

local shapes = {}

--- The keys of an object that determine its shape. An object has at most one of them.
shapes.KEYS = { "gid", "point", "ellipse", "capsule", "polygon", "polyline", "text" }

local function read_points(cursor, data, key)
  local points = {}
  cursor:count_parts(#cursor:need(data, key, "array"))
  for index, item in cursor:each(data, key) do
    points[index] = { x = cursor:need(item, "x", "coordinate"), y = cursor:need(item, "y", "coordinate") }
  end
  if #points == 0 then cursor:fail(key, "expected points, got none") end
  return points
end

local function read_text(cursor, data)
  local text = cursor:need(data, "text", "object")
  cursor:enter("text")
  local result = { text = cursor:maybe(text, "text", "string", ""), color = fields.color(cursor, text, "color")
      or { 0, 0, 0, 1 }, font = cursor:maybe(text, "fontfamily", "string", "sans-serif"),
    size = cursor:maybe(text, "pixelsize", "number", 16), wrap = cursor:maybe(text, "wrap", "boolean", false),
    bold = cursor:maybe(text, "bold", "boolean", false), italic = cursor:maybe(text, "italic", "boolean", false),
    underline = cursor:maybe(text, "underline", "boolean", false),
    strikeout = cursor:maybe(text, "strikeout", "boolean", false),
    kerning = cursor:maybe(text, "kerning", "boolean", true),
    align_x = cursor:maybe(text, "halign", "string", "left"),
    align_y = cursor:maybe(text, "valign", "string", "top") }
  cursor:leave()
  return result
end

--- Returns whether an object is a tile; a gid of 0 means no tile.
function shapes.is_tile(data)
  return not is_null(data.gid) and data.gid ~= 0
end

local function kind_of(cursor, data)
  if shapes.is_tile(data) then return "tile" end
  for _, key in ipairs(shapes.KEYS) do
    if key ~= "gid" and not is_null(data[key]) then
      local named = key == "polygon" or key == "polyline" or key == "text"
      if named or cursor:need(data, key, "boolean") then return key end
    end
  end
  return "rectangle"
end

--- Returns x, y, width, height, rotation (degrees), angle (radians), shape, points and text of an object.
function shapes.read(cursor, data)
  local shape = { shape = kind_of(cursor, data), x = cursor:need(data, "x", "coordinate"),
    y = cursor:need(data, "y", "coordinate"), width = cursor:maybe(data, "width", "coordinate", 0),
    height = cursor:maybe(data, "height", "coordinate", 0),
    rotation = cursor:maybe(data, "rotation", "coordinate", 0), opacity = cursor:maybe(data, "opacity", "number", 1),
    visible = cursor:maybe(data, "visible", "boolean", true) }
  shape.angle = math.rad(shape.rotation)
  if shape.shape == "polygon" or shape.shape == "polyline" then
    shape.points = read_points(cursor, data, shape.shape)
  elseif shape.shape == "text" then
    shape.text = read_text(cursor, data)
  end
  return shape
end

return shapes
