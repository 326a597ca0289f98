--- Tilesets of a Tiled map, and lookup of tiles by global id.
-- Does not depend on layers, objects and the positions of tiles.
-- @module cuttle.import.tiled_tilesets

local each = require "cuttle.each"
local failure = require "cuttle.failure"
local fields = require "cuttle.import.tiled_fields"
local files = require "cuttle.import.tiled_files"
local json = require "cuttle.json"
local shapes = require "cuttle.import.tiled_shapes"
local wang = require "cuttle.import.tiled_wang"

local floor = math.floor

local tilesets = {}

-- Object alignments: the position of a tile object within its box, as fractions of width and height.
local ANCHORS = {
  topleft = { 0, 0 }, top = { 0.5, 0 }, topright = { 1, 0 }, left = { 0, 0.5 }, center = { 0.5, 0.5 },
  right = { 1, 0.5 }, bottomleft = { 0, 1 }, bottom = { 0.5, 1 }, bottomright = { 1, 1 },
}

local function whole(cursor, data, key, least, default)
  local number = cursor:maybe(data, key, "integer", default)
  if number == nil then cursor:need(data, key, "integer") end
  if number < least or number >= 2 ^ 31 then
    cursor:fail(key, "expected %d to 2^31 - 1, got %s", least, failure.show(number))
  end
  return number
end

--- Returns an integer from `least` to 2^31 - 1. If it is missing, returns `default`, or raises if that is nil.
tilesets.whole = whole

--- Returns the path of the image at `holder[key]`, nil if absent.
function tilesets.image(cursor, holder, key, directory)
  local path = cursor:maybe(holder, key, "string")
  return path and files.resolve(directory, path)
end

-- Tiles ------------------------------------------------------------------------------------------------------------

local function read_collision(import, cursor, data, directory)
  local group = cursor:maybe(data, "objectgroup", "object")
  if not group then return nil end
  local list = {}
  cursor:enter("objectgroup")
  for index, item in cursor:each(group, "objects") do
    local shape = shapes.read(cursor, item)
    shape.id, shape.name = cursor:maybe(item, "id", "integer"), cursor:maybe(item, "name", "string", "")
    shape.class = fields.class(cursor, item, "type")
    shape.fields = fields.read(import, cursor, item, shape.class, "object", directory)
    list[index] = shape
  end
  cursor:leave()
  return list
end

local function read_animation(cursor, data)
  local frames = {}
  for index, item in cursor:each(data, "animation") do
    frames[index] = { tile = whole(cursor, item, "tileid", 0), duration = cursor:need(item, "duration", "number") }
  end
  return #frames > 0 and frames or nil
end

-- Reads the tiles that have data of their own, by id. Records where their properties are, for objects of the tile.
local function read_tiles(import, cursor, data, tileset, directory)
  for _, item in cursor:each(data, "tiles") do
    cursor:count_in(nil, "elements", 1)
    local id = whole(cursor, item, "id", 0)
    local tile = { id = id, tileset = tileset, class = fields.class(cursor, item, "type"),
      image = tilesets.image(cursor, item, "image", directory), animation = read_animation(cursor, item),
      collision = read_collision(import, cursor, item, directory),
      probability = cursor:maybe(item, "probability", "number", 1) }
    if tile.image then
      local width = whole(cursor, item, "imagewidth", 0, tileset.tile_width)
      local height = whole(cursor, item, "imageheight", 0, tileset.tile_height)
      tile.src = { x = whole(cursor, item, "x", 0, 0), y = whole(cursor, item, "y", 0, 0),
        width = whole(cursor, item, "width", 0, width), height = whole(cursor, item, "height", 0, height) }
    end
    tile.fields, tile.references = fields.read(import, cursor, item, tile.class, "tile", directory)
    tileset.tiles[id] = tile
    tileset.limit = math.max(tileset.limit, id + 1)
    if not json.is_null(item.properties) then
      import.origins[tile] = { data = item, cursor = cursor:fork(), directory = directory }
    end
  end
end

-- Tilesets ---------------------------------------------------------------------------------------------------------

local function read_pair(cursor, data, key, x, y, default)
  local pair = cursor:maybe(data, key, "object")
  if not pair then return default, default end
  cursor:enter(key)
  local first, second = cursor:maybe(pair, x, "coordinate", 0), cursor:maybe(pair, y, "coordinate", 0)
  cursor:leave()
  return first, second
end

local function one_of(cursor, data, key, accepted, default)
  local value = cursor:maybe(data, key, "string", default)
  if value ~= default and not accepted[value] then
    local names = {}
    for name in each, accepted do names[#names + 1] = name end
    cursor:fail(key, "unknown value %s%s", failure.show(value), failure.hint(value, names))
  end
  return value
end

tilesets.one_of = one_of

-- Sets the number of columns, and the limit of valid ids: the tiles that the image contains.
local function measure(cursor, data, tileset)
  local step_x, step_y = tileset.tile_width + tileset.spacing, tileset.tile_height + tileset.spacing
  local columns = whole(cursor, data, "columns", 0, 0)
  if columns == 0 then columns = floor((tileset.image_width - tileset.margin + tileset.spacing) / step_x) end
  local rows = floor((tileset.image_height - tileset.margin + tileset.spacing) / step_y)
  tileset.columns = columns
  -- If the size of the image is unknown, all ids are valid: Tiled writes a tile count of 0 if it did not find the
  -- image.
  local known = tileset.tile_count and tileset.image_width > 0 and tileset.image_height > 0
  tileset.limit = known and math.max(tileset.tile_count, columns * rows) or math.huge
end

local function describe(import, cursor, data, directory, path)
  local tileset = { name = cursor:maybe(data, "name", "string", ""), path = path,
    class = fields.class(cursor, data), tile_width = whole(cursor, data, "tilewidth", 1),
    tile_height = whole(cursor, data, "tileheight", 1), margin = whole(cursor, data, "margin", 0, 0),
    spacing = whole(cursor, data, "spacing", 0, 0), image = tilesets.image(cursor, data, "image", directory),
    image_width = whole(cursor, data, "imagewidth", 0, 0), image_height = whole(cursor, data, "imageheight", 0, 0),
    transparent_color = fields.color(cursor, data, "transparentcolor"),
    background_color = fields.color(cursor, data, "backgroundcolor"),
    object_alignment = one_of(cursor, data, "objectalignment", ANCHORS, "unspecified"),
    render_size = one_of(cursor, data, "tilerendersize", { tile = true, grid = true }, "tile"),
    fill_mode = one_of(cursor, data, "fillmode", { stretch = true, ["preserve-aspect-fit"] = true }, "stretch"),
    tile_count = cursor:maybe(data, "tilecount", "integer"), limit = 0, tiles = {} }
  tileset.offset_x, tileset.offset_y = read_pair(cursor, data, "tileoffset", "x", "y", 0)
  tileset.grid_width, tileset.grid_height = read_pair(cursor, data, "grid", "width", "height")
  tileset.wang_sets = wang.read(import, cursor, data, directory)
  tileset.fields = fields.read(import, cursor, data, tileset.class, "tileset", directory)
  if tileset.image then measure(cursor, data, tileset) end
  read_tiles(import, cursor, data, tileset, directory)
  return tileset
end

--- Returns the tileset at the cursor: embedded, or from a separate file, which is read once.
-- @tparam table import
-- @tparam cursor cursor at `data`
-- @tparam table data
-- @tparam string directory of the file that the cursor is in, nil if unknown
function tilesets.read(import, cursor, data, directory)
  if json.is_null(data.source) then return describe(import, cursor, data, directory) end
  local file = files.open(import, cursor, data, "source", directory)
  if not file.tileset then
    if json.is_null(file.document.tilewidth) then
      file.cursor:fail(nil, "not a tileset of Tiled (it has no tilewidth)")
    end
    file.tileset = describe(import, file.cursor, file.document, file.directory, file.path)
  end
  return file.tileset
end

-- Returns whether a tileset uses no ids of the map, because it is empty or its image was missing.
local function is_empty(tileset)
  return (tileset.tile_count or 0) == 0 and (tileset.image_width == 0 or tileset.image_height == 0)
    and each(tileset.tiles) == nil
end

--- Returns the tilesets of a map in the order of their first global ids: {first=, tileset=}. An empty one has the same
-- first id as its successor, and precedes it.
function tilesets.read_all(import, cursor, document, directory)
  local ranges, places = {}, {}
  for index, data in cursor:each(document, "tilesets") do
    local range = { first = whole(cursor, data, "firstgid", 1), index = index,
      tileset = tilesets.read(import, cursor, data, directory) }
    ranges[index], range.empty = range, is_empty(range.tileset)
    if not range.empty and places[range.first] then
      cursor:fail("firstgid", "%d is also the firstgid of %s", range.first, places[range.first])
    elseif not range.empty then
      places[range.first] = cursor:place()
    end
  end
  table.sort(ranges, function(a, b)
    if a.first ~= b.first then return a.first < b.first end
    if a.empty ~= b.empty then return a.empty end
    return a.index < b.index
  end)
  return ranges
end

-- Tiles of global ids ----------------------------------------------------------------------------------------------

local function source_of(tileset, id)
  if not tileset.columns or tileset.columns < 1 then return nil end
  return { x = tileset.margin + id % tileset.columns * (tileset.tile_width + tileset.spacing),
    y = tileset.margin + floor(id / tileset.columns) * (tileset.tile_height + tileset.spacing),
    width = tileset.tile_width, height = tileset.tile_height }
end

--- Returns the tile with an id in a tileset: id, tileset, class, image (path), src {x=, y=, width=, height=} in it,
-- width, height, fields, references, animation, collision, probability. Nil if the tileset has no such tile.
function tilesets.tile(tileset, id)
  local tile = tileset.tiles[id]
  if id >= tileset.limit or (not tileset.image and not tile) then return nil end
  if not tile then
    tile = { id = id, tileset = tileset, fields = {}, references = {}, probability = 1 }
    tileset.tiles[id] = tile
  end
  if not tile.width then
    tile.image = tile.image or tileset.image
    tile.src = tile.src or source_of(tileset, id)
    tile.width = tile.src and tile.src.width or tileset.tile_width
    tile.height = tile.src and tile.src.height or tileset.tile_height
  end
  return tile
end

-- Returns the last range whose first id is not greater than `gid`.
local function range_of(ranges, gid)
  local low, high = 0, #ranges
  while low < high do
    local middle = floor((low + high + 1) / 2)
    if ranges[middle].first <= gid then low = middle else high = middle - 1 end
  end
  return ranges[low]
end

--- Returns the tile with a global id (without flip flags). Raises an error at the cursor's `key` if there is none.
-- @tparam table ranges from `tilesets.read_all`
-- @tparam table known cache of tiles by global id
function tilesets.find(ranges, known, cursor, key, gid)
  local tile = known[gid]
  if tile then return tile end
  local range = range_of(ranges, gid)
  if not range then cursor:fail(key, "no tileset has the global tile id %.14g", gid) end
  tile = tilesets.tile(range.tileset, gid - range.first)
  if not tile then
    cursor:fail(key, "tileset %s has no tile %.14g (global id %.14g)", failure.show(range.tileset.name),
      gid - range.first, gid)
  end
  known[gid] = tile
  return tile
end

--- Returns the global id of a tile among `ranges`, nil if its tileset is not there.
function tilesets.gid_of(ranges, tile)
  for _, range in ipairs(ranges) do
    if range.tileset == tile.tileset then return range.first + tile.id end
  end
end

--- Returns the position of a tile object within its box, as fractions of width and height.
function tilesets.anchor(tileset, orientation)
  local name = tileset.object_alignment
  if name == "unspecified" then name = orientation == "isometric" and "bottom" or "bottomleft" end
  return ANCHORS[name][1], ANCHORS[name][2]
end

return tilesets
