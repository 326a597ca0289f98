--- Conversion of the custom field values of an LDtk document to Lua values.
-- Does not depend on levels, layers and tiles, nor on level source.
-- @module cuttle.import.ldtk_fields

local failure = require "cuttle.failure"
local json = require "cuttle.json"
local source = require "cuttle.import.source"
local unpack = require "cuttle.compat".unpack

local is_null = json.is_null

local fields = {}

--- Returns the color `#rrggbb` at `holder[key]` as {r, g, b, 1}, each 0 to 1, in the form of a `color` field; nil if
-- absent.
function fields.color(cursor, holder, key)
  local text = cursor:maybe(holder, key, "string")
  if not text then return nil end
  local r, g, b = text:match("^#(%x%x)(%x%x)(%x%x)$")
  if not r then cursor:fail(key, "expected a color such as \"#40c0ff\", got %s", failure.show(text)) end
  return { tonumber(r, 16) / 255, tonumber(g, 16) / 255, tonumber(b, 16) / 255, 1 }
end

--- Returns the tileset rectangle at `holder[key]`: {x=, y=, width=, height=, tileset_uid=, tileset=, path=}; nil if
-- absent. The last two (identifier and image path of the tileset) are nil if the project does not contain them.
function fields.tile(cursor, holder, key, tilesets)
  local data = cursor:maybe(holder, key, "object")
  if not data then return nil end
  cursor:enter(key)
  local uid = cursor:maybe(data, "tilesetUid", "integer")
  local tileset = uid and tilesets[uid] or {}
  -- The first files of LDtk 1.0 have the rectangle as four numbers.
  if not is_null(data.srcRect) and is_null(data.x) then
    local rect = cursor:numbers(data, "srcRect", 4)
    data = { x = rect[1], y = rect[2], w = rect[3], h = rect[4] }
  end
  local rectangle = { tileset_uid = uid, tileset = tileset.identifier, path = tileset.path,
    x = cursor:need(data, "x", "coordinate"), y = cursor:need(data, "y", "coordinate"),
    width = cursor:need(data, "w", "coordinate"), height = cursor:need(data, "h", "coordinate") }
  cursor:leave()
  return rectangle
end

local function plain(kind)
  return function(cursor, holder, key) return cursor:need(holder, key, kind) end
end

local function point(cursor, holder, key, context)
  local data = cursor:need(holder, key, "object")
  cursor:enter(key)
  local cx, cy = cursor:need(data, "cx", "coordinate"), cursor:need(data, "cy", "coordinate")
  cursor:leave()
  return { cx = cx, cy = cy, x = cx * context.grid_size, y = cy * context.grid_size }
end

-- Returns the iid, or nil if its entity is not imported, and in both cases the whole reference.
local function reference(cursor, holder, key, context)
  local data = cursor:need(holder, key, "object")
  cursor:enter(key)
  local iid = cursor:need(data, "entityIid", "string")
  if context.duplicates[iid] then
    cursor:fail("entityIid", "%s is not unique: at %s and at %s", failure.show(iid),
      unpack(context.duplicates[iid]))
  end
  local whole = { entity = iid, layer = cursor:maybe(data, "layerIid", "string"),
    level = cursor:maybe(data, "levelIid", "string"), world = cursor:maybe(data, "worldIid", "string"),
    imported = context.imported[iid] == true }
  cursor:leave()
  return whole.imported and iid or nil, whole
end

local CONVERT = {
  Int = plain("integer"), Float = plain("number"), Bool = plain("boolean"), String = plain("string"),
  Multilines = plain("string"), Text = plain("string"), FilePath = plain("string"), Enum = plain("string"),
  Color = fields.color, Point = point, EntityRef = reference,
  Tile = function(cursor, holder, key, context) return fields.tile(cursor, holder, key, context.tilesets) end,
}

local function converter(kind)
  return CONVERT[kind] or (kind:find("^%a*Enum[.(]") and CONVERT.Enum)
    or function(_, holder, key) return holder[key] end
end

local function array(cursor, holder, key, convert, context)
  local list = cursor:need(holder, key, "array")
  cursor:enter(key)
  local values, wholes = source.items(#list, function(index)
    if not is_null(list[index]) then return convert(cursor, list, index, context) end
  end)
  cursor:leave()
  return values, wholes
end

--- Reads `holder.fieldInstances`.
-- @tparam cursor cursor at `holder`
-- @tparam table holder an entity instance or a level
-- @tparam table context `grid_size` in pixels, `imported` (set of entity iids), `duplicates` (places of iids that are
-- not unique), `tilesets` by uid
-- @treturn table values by field identifier; null becomes nil
-- @treturn table whole references of EntityRef fields by field identifier (an array of them for an array)
function fields.read(cursor, holder, context)
  local values, references = {}, {}
  for _, data in cursor:each(holder, "fieldInstances") do
    local name = cursor:need(data, "__identifier", "string")
    local kind = cursor:need(data, "__type", "string")
    if not is_null(data.__value) then
      local item = kind:match("^Array<(.*)>$")
      if item then
        values[name], references[name] = array(cursor, data, "__value", converter(item), context)
      else
        values[name], references[name] = converter(kind)(cursor, data, "__value", context)
      end
    end
  end
  return values, references
end

return fields
