--- Conversion of Tiled's own files (`.tmx`, `.tsx`, `.tx`) to the structure of its JSON files, with lua-expat.
-- Does not depend on the meaning of keys. A text in the place of a number stays text; later checks refuse it.
-- @module cuttle.import.tiled_xml

local cursors = require "cuttle.import.cursor"

local gmatch, match = string.gmatch, string.match

local xml = {}

-- Attributes that are numbers or booleans in all elements; all others are text.
local NUMBERS, BOOLEANS = {}, {}
for name in gmatch("width height tilewidth tileheight hexsidelength skewx skewy parallaxoriginx parallaxoriginy "
  .. "nextlayerid nextobjectid compressionlevel firstgid spacing margin tilecount columns id x y offsetx offsety "
  .. "parallaxx parallaxy opacity gid rotation pixelsize probability tileid duration tile", "%w+") do
  NUMBERS[name] = true
end
for name in gmatch("infinite visible locked repeatx repeaty wrap bold italic underline strikeout kerning", "%w+") do
  BOOLEANS[name] = true
end

local FLAGS = { ["0"] = false, ["1"] = true, ["false"] = false, ["true"] = true }

local function value_of(name, text)
  if NUMBERS[name] then return tonumber(text) or text end
  if BOOLEANS[name] and FLAGS[text] ~= nil then return FLAGS[text] end
  return text
end

local function numbers_of(text)
  local list, count = {}, 0
  for number in gmatch(text, "[^,%s]+") do
    count = count + 1
    list[count] = tonumber(number) or number
  end
  return list
end

local function append(holder, key, value)
  local list = holder[key]
  if type(list) ~= "table" then list = {} end -- an attribute may have the same name
  list[#list + 1] = value
  holder[key] = list
end

-- Ends of elements -------------------------------------------------------------------------------------------------
--
-- Each is function(json, frame, parent, root): the element's JSON, its frame, the frame of the parent element, and the
-- JSON of the root. A frame has name, json, text.

local CLOSE = {}

local function layer_of(kind)
  return function(json, _, parent)
    json.type = kind
    append(parent.json, "layers", json)
  end
end

CLOSE.layer, CLOSE.imagelayer, CLOSE.group = layer_of "tilelayer", layer_of "imagelayer", layer_of "group"

function CLOSE.objectgroup(json, _, parent)
  json.type, json.objects = "objectgroup", json.objects or {}
  if parent.name == "tile" then parent.json.objectgroup = json else append(parent.json, "layers", json) end
end

function CLOSE.object(json, _, parent)
  if parent.name == "template" then
    parent.json.object = json
  else
    json.x, json.y = json.x or 0, json.y or 0
    append(parent.json, "objects", json)
  end
end

local TYPED = { int = tonumber, float = tonumber, object = tonumber,
  bool = function(text) return FLAGS[text] end }

--- Key of the types of a class value's members in a property, by name: {kind=, type_name=, [xml.MEMBERS]=}. JSON files
-- do not contain them. It is a table, so no document has this key.
xml.MEMBERS = {}

-- Sets the value of a property or of an item of a list, by its type. The value of a class is an object with its
-- members, that of a list an array of items.
local function set_value(json, frame)
  local value = json.value or frame.text
  if json.type == "list" then
    value = frame.items or {}
  elseif frame.members or json.type == "class" then
    local types = {}
    value = {}
    for _, member in ipairs(frame.members or {}) do
      local name = member.name or ""
      value[name] = member.value
      types[name] = { kind = member.type, type_name = member.propertytype, [xml.MEMBERS] = member[xml.MEMBERS] }
    end
    json[xml.MEMBERS] = types
  elseif TYPED[json.type] then
    local typed = TYPED[json.type](value)
    if typed ~= nil then value = typed end
  end
  json.value, json.type = value, json.type or "string"
end

function CLOSE.property(json, frame, parent)
  set_value(json, frame)
  parent.members[#parent.members + 1] = json
end

function CLOSE.item(json, frame, parent)
  if parent.name ~= "property" and parent.name ~= "item" then return end
  set_value(json, frame)
  append(parent, "items", json)
end

function CLOSE.properties(_, frame, parent)
  if parent.name == "property" or parent.name == "item" then
    parent.members = frame.members
  else
    parent.json.properties = frame.members
  end
end

function CLOSE.tileset(json, _, parent)
  if parent.name == "template" then parent.json.tileset = json else append(parent.json, "tilesets", json) end
end

-- A tile of a tileset, or a cell of a layer whose cells are elements.
function CLOSE.tile(json, _, parent)
  if parent.name == "data" or parent.name == "chunk" then
    append(parent, "cells", json.gid or 0)
  else
    append(parent.json, "tiles", json)
  end
end

function CLOSE.image(json, _, parent)
  local into, color = parent.json, json.trans
  into.image, into.imagewidth, into.imageheight = json.source, json.width, json.height
  into.transparentcolor = color and (color:find("^#") and color or "#" .. color)
end

-- Returns the cells of a block by its encoding; without an encoding the cells are elements.
local function cells_of(frame, encoding)
  if encoding == "csv" then return numbers_of(frame.text) end
  return encoding and frame.text or frame.cells or {}
end

function CLOSE.data(json, frame, parent, root)
  if parent.name ~= "layer" then return end
  local layer = parent.json
  -- An empty layer of an infinite map has no chunks.
  if root.infinite == true and not frame.cells and not frame.text:find("%S") then json.chunks = json.chunks or {} end
  layer.encoding, layer.compression, layer.chunks = json.encoding, json.compression, json.chunks
  if not json.chunks then layer.data = cells_of(frame, json.encoding) end
end

function CLOSE.chunk(json, frame, parent)
  json.data = cells_of(frame, parent.json.encoding)
  append(parent.json, "chunks", json)
end

local function flag(name)
  return function(_, _, parent) parent.json[name] = true end
end

CLOSE.ellipse, CLOSE.point, CLOSE.capsule = flag "ellipse", flag "point", flag "capsule"

local function points(name)
  return function(json, _, parent)
    local list = {}
    for point in gmatch(json.points or "", "%S+") do
      local x, y = match(point, "^([^,]+),([^,]+)$")
      list[#list + 1] = { x = tonumber(x) or x or point, y = tonumber(y) or y }
    end
    parent.json[name] = list
  end
end

CLOSE.polygon, CLOSE.polyline = points "polygon", points "polyline"

function CLOSE.text(json, frame, parent)
  json.text, parent.json.text = frame.text, json
end

local function part(name)
  return function(json, _, parent) parent.json[name] = json end
end

CLOSE.tileoffset, CLOSE.grid = part "tileoffset", part "grid"

local function item(list)
  return function(json, _, parent) append(parent.json, list, json) end
end

CLOSE.frame, CLOSE.wangset = item "animation", item "wangsets"
CLOSE.wangcolor = item "colors"

-- These elements enclose a list that belongs to their parent.
function CLOSE.animation(json, _, parent) parent.json.animation = json.animation end
function CLOSE.wangsets(json, _, parent) parent.json.wangsets = json.wangsets end

function CLOSE.wangtile(json, _, parent)
  json.wangid = numbers_of(json.wangid or "")
  append(parent.json, "wangtiles", json)
end

-- Parser -----------------------------------------------------------------------------------------------------------

local ROOTS = { map = "map", tileset = "tileset", template = "template" }

-- The elements that contain cells as elements.
local CELLS_IN = { data = true, chunk = true }

-- Elements that are numbered within a map, and the key of the map that newer versions write. In maps of older versions
-- they are numbered here in file order, as the editor does when it opens the file.
local NUMBERED = { layer = "nextlayerid", objectgroup = "nextlayerid", imagelayer = "nextlayerid",
  group = "nextlayerid", object = "nextobjectid" }

local function number(reading, frame, parent)
  local key = NUMBERED[frame.name]
  -- Collision shapes of tiles are not objects of the map.
  frame.is_of_tile = parent.name == "tile" or parent.is_of_tile
  if not key or frame.is_of_tile or reading.json[key] or frame.json.id then return end
  reading[key] = (reading[key] or 0) + 1
  frame.json.id = reading[key]
end

-- Returns the callbacks of a parser, which collect the document in `reading`. They never raise, because expat calls
-- them.
local function callbacks(reading, cursor)
  local stack = { { name = "", json = {}, pieces = {} } }
  local function count(kind)
    reading[kind] = reading[kind] + 1
    if reading[kind] > cursor:remaining(kind) then reading.is_full = true end
  end
  return {
    StartElement = function(parser, name, attributes)
      local is_cell = CELLS_IN[stack[#stack].name] and name == "tile"
      count(is_cell and "cells" or "elements")
      if #stack > cursors.MAX_DEPTH then
        reading.trouble = ("elements are nested too deep (limit is %d)"):format(cursors.MAX_DEPTH)
      end
      if reading.is_full or reading.trouble then return parser:stop() end
      local json = {}
      for _, key in ipairs(attributes) do json[key] = value_of(key, attributes[key]) end
      local frame, parent = { name = name, json = json, pieces = {} }, stack[#stack]
      if name == "properties" then frame.members = {} end
      if not reading.root then reading.root, reading.json = name, json end
      if reading.root == "map" then number(reading, frame, parent) end
      stack[#stack + 1] = frame
    end,
    EndElement = function(_, name)
      local frame, parent = stack[#stack], stack[#stack - 1]
      stack[#stack], frame.text = nil, table.concat(frame.pieces)
      -- Misplaced elements are ignored.
      if #stack > 1 and CLOSE[name] and (name ~= "property" or parent.members) then
        CLOSE[name](frame.json, frame, parent, reading.json)
      end
    end,
    CharacterData = function(_, text)
      local pieces = stack[#stack].pieces
      pieces[#pieces + 1] = text
    end,
    StartDoctypeDecl = function(parser, _, _, _, has_subset)
      if not has_subset then return end
      reading.trouble = "document types with declarations are not supported"
      parser:stop()
    end,
  }
end

--- Decodes a document. Raises errors at the cursor.
-- @tparam cursor cursor
-- @tparam string text
-- @treturn table the same as the decoded JSON of the map, tileset or template
function xml.decode(cursor, text)
  local found, lxp = pcall(require, "lxp")
  if not found or type(lxp) ~= "table" or type(lxp.new) ~= "function" then
    cursor:fail(nil, "this is XML, which needs lua-expat (the module lxp): install it, or save it as JSON in Tiled")
  end
  local reading = { elements = 0, cells = 0 }
  local parser = lxp.new(callbacks(reading, cursor))
  local fine, trouble, line, column = parser:parse(text)
  if fine then fine, trouble, line, column = parser:parse() end
  cursor:count_in(nil, "elements", reading.elements)
  cursor:count_in(nil, "cells", reading.cells)
  if reading.trouble then cursor:fail(nil, "%s", reading.trouble) end
  if not fine then cursor:fail(nil, "line %d column %d: %s", line, column, trouble) end
  parser:close()
  local kind = ROOTS[reading.root]
  if not kind then
    cursor:fail(nil, "not a file of Tiled (its root is %s)",
      cursor.is_named and "another element" or "<" .. reading.root:sub(1, 40):gsub("%c", "?") .. ">")
  end
  reading.json.type = kind
  if kind == "map" then
    reading.json.layers, reading.json.tilesets = reading.json.layers or {}, reading.json.tilesets or {}
  end
  return reading.json
end

return xml
