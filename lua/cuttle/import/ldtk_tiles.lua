--- Conversion of the tiles and the int grid of an LDtk layer to entities of level source; descriptions of tilesets.
-- Does not depend on levels, entity instances and files.
-- @module cuttle.import.ldtk_tiles

local failure = require "cuttle.failure"
local fields = require "cuttle.import.ldtk_fields"
local source = require "cuttle.import.source"

local floor = math.floor

local tiles = {}

-- Reads custom data and enum tags by tile id: {[5] = "slow"} and {[5] = {"Water"}}.
local function read_tile_tags(cursor, data, tileset)
  for _, item in cursor:each(data, "customData") do
    tileset.data[cursor:need(item, "tileId", "integer")] = cursor:need(item, "data", "string")
  end
  for _, tag in cursor:each(data, "enumTags") do
    local name, ids = cursor:need(tag, "enumValueId", "string"), cursor:maybe(tag, "tileIds", "array", {})
    cursor:enter("tileIds")
    for index = 1, #ids do
      local id = cursor:need(ids, index, "integer")
      local names = tileset.tags[id] or {}
      names[#names + 1], tileset.tags[id] = name, names
    end
    cursor:leave()
  end
end

--- Describes `defs.tilesets` by uid: identifier, uid, path (of the image), tile_size, width, height (pixels), data
-- (custom data by tile id) and tags (names of the enum values by tile id).
-- @tparam cursor cursor at the root
-- @tparam table defs the object `defs`
function tiles.tilesets(cursor, defs)
  local tilesets = {}
  cursor:enter("defs")
  for _, data in cursor:each(defs, "tilesets") do
    local tileset = { identifier = cursor:maybe(data, "identifier", "string"),
      uid = cursor:need(data, "uid", "integer"), path = cursor:maybe(data, "relPath", "string"),
      tile_size = cursor:maybe(data, "tileGridSize", "coordinate"), width = cursor:maybe(data, "pxWid", "coordinate"),
      height = cursor:maybe(data, "pxHei", "coordinate"), data = {}, tags = {} }
    read_tile_tags(cursor, data, tileset)
    tilesets[tileset.uid] = tileset
  end
  cursor:leave()
  return tilesets
end

-- Makes the entity of a tile or cell from the result of its mapping; nil if the result is false.
local function place(cursor, subject, transform, returned, name, instance)
  if returned == false then return nil end
  local node = { name = name ~= nil and source.chosen_name(cursor, subject, nil, name) or nil,
    components = source.components(cursor, subject, transform, returned) }
  source.make_instance(cursor, subject, node, instance)
  return node
end

local function describe(cursor, data, layer, size, flip, auto)
  local px, src = data.px, cursor:numbers(data, "src", 2)
  local id, tileset = cursor:need(data, "t", "integer"), layer.tileset
  return { t = id, px = px, src = src, size = size, alpha = cursor:maybe(data, "a", "number", 1),
    cx = floor(px[1] / layer.grid_size), cy = floor(px[2] / layer.grid_size), flip_x = flip % 2 == 1,
    flip_y = flip >= 2, auto = auto, data = tileset and tileset.data[id],
    tags = tileset and tileset.tags[id] }
end

-- Returns the transform of a tile as the editor draws it, and its flip bits. A flip is a scale of -1 around the
-- position, which then is the opposite edge of the cell. The layer's pivot determines the position of tiles whose size
-- differs from the cell's. The editor ignores the size of tiles made by rules, and for painted tiles it also uses the
-- pivot in x in place of the cell's pivot in y.
local function transform_of(cursor, data, size, layer, auto)
  local px = cursor:numbers(data, "px", 2)
  local flip = cursor:maybe(data, "f", "integer", 0)
  local pivot_x, pivot_y, grid = layer.tile_pivot_x, layer.tile_pivot_y, layer.grid_size
  if flip == 0 and pivot_x == 0 and pivot_y == 0 then return { position = { px[1], px[2], 0 } }, 0 end
  if flip < 0 or flip > 3 then cursor:fail("f", "expected 0 to 3, got %s", failure.show(flip)) end
  local scale_x, scale_y = flip % 2 == 1 and -1 or 1, flip >= 2 and -1 or 1
  local x, y = px[1] + (scale_x < 0 and grid or 0), px[2] + (scale_y < 0 and grid or 0)
  if auto then
    x, y = x + pivot_x * grid, y + pivot_y * grid
  else
    x, y = x + pivot_x * (grid - scale_x * size), y + pivot_x * grid - scale_y * pivot_y * size
  end
  return { position = { x, y, 0 }, scale = flip ~= 0 and { scale_x, scale_y, 1 } or nil }, flip
end

--- Appends an entity for each tile of `data[key]`, in document order: back to front.
-- @tparam cursor cursor at the layer
-- @tparam table data the layer instance
-- @tparam string key `gridTiles` or `autoLayerTiles`
-- @tparam table layer the layer's description
-- @tparam function append function(node) -> whether only its position is stored
-- @tparam[opt] function mapping option `tile`
function tiles.append_tiles(cursor, data, key, layer, append, mapping)
  local size = layer.tileset and layer.tileset.tile_size or layer.grid_size
  local auto = key == "autoLayerTiles"
  for _, tile in cursor:each(data, key) do
    local transform, flip = transform_of(cursor, tile, size, layer, auto)
    local node = { components = { transform = transform } }
    if mapping then
      local described = describe(cursor, tile, layer, size, flip, auto)
      node = place(cursor, "a tile", transform, source.call(cursor, "a tile", mapping, described, layer))
    end
    cursor:count_tile_entity(node and append(node))
  end
end

--- Describes the values of an int grid, by value: {identifier=, color=, group=}.
-- @tparam cursor cursor at the layer definition
-- @tparam table definition the layer definition
function tiles.values(cursor, definition)
  local values = {}
  for _, item in cursor:each(definition, "intGridValues") do
    values[cursor:need(item, "value", "integer")] = { identifier = cursor:maybe(item, "identifier", "string"),
      color = fields.color(cursor, item, "color"), group = cursor:maybe(item, "groupUid", "integer") }
  end
  return values
end

--- Returns the checked `intGridCsv` of a layer, row by row from the upper left; nil if the layer has none.
function tiles.int_grid(cursor, data, layer)
  local csv = cursor:maybe(data, "intGridCsv", "array", {})
  if #csv == 0 then return nil end
  if #csv ~= layer.columns * layer.rows then
    cursor:fail("intGridCsv", "expected %.14g values (%.14g x %.14g), got %d", layer.columns * layer.rows,
      layer.columns, layer.rows, #csv)
  end
  cursor:enter("intGridCsv")
  for index = 1, #csv do cursor:need(csv, index, "integer") end
  cursor:leave()
  return csv
end

--- Returns the number of cells of the layer's int grid that are not 0.
function tiles.filled(layer)
  local count = 0
  for _, value in ipairs(layer.int_grid or {}) do
    if value ~= 0 then count = count + 1 end
  end
  return count
end

--- Appends an entity for each cell of the layer's int grid that is not 0.
-- @tparam cursor cursor at the layer
-- @tparam table layer the layer's description, with `int_grid`
-- @tparam function append function(node)
-- @tparam[opt] function mapping option `int_grid`, if it is a function
function tiles.append_cells(cursor, layer, append, mapping)
  local csv, columns, size = layer.int_grid or {}, layer.columns, layer.grid_size
  cursor:enter("intGridCsv", 0)
  for index = 1, #csv do
    local value = csv[index]
    if value ~= 0 then
      local cx, cy = (index - 1) % columns, floor((index - 1) / columns)
      local transform = { position = { cx * size, cy * size, 0 } }
      local returned, name, instance
      if mapping then
        cursor.keys[cursor.depth] = index
        local known = layer.values[value] or {}
        local cell = { value = value, cx = cx, cy = cy, x = cx * size, y = cy * size, size = size,
          identifier = known.identifier, color = known.color, group = known.group, layer = layer }
        returned, name, instance = source.call(cursor, "an int grid cell", mapping, value, cell)
      end
      local node = place(cursor, "an int grid cell", transform, returned, name, instance)
      cursor:count_tile_entity(node and append(node))
    end
  end
  cursor:leave(2)
end

return tiles
