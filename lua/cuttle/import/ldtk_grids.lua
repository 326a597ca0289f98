--- Conversion of LDtk's tile layers, auto layers and int grids to `grid` components of level source and tile
-- descriptions.
-- Does not depend on levels, entity instances and files.
-- @module cuttle.import.ldtk_grids

local each = require "cuttle.each"
local failure = require "cuttle.failure"
local grids = require "cuttle.import.grids"

local floor = math.floor

local ldtk_grids = {}

-- Cells are 32-bit numbers; 0 is empty.
local LARGEST_VALUE = 2 ^ 32 - 1

-- Tile descriptions ---------------------------------------------------------------------------------------------------

local function is_solid(name)
  return type(name) == "string" and name:lower() == "solid"
end

-- Describes a tile. Custom data and names of enumeration values are arbitrary texts.
local function describe(tileset, id, src)
  local tags, data = tileset.tags[id], tileset.data[id]
  local solid = is_solid(data)
  for _, tag in ipairs(tags or {}) do solid = solid or is_solid(tag) end
  return { id = id, tileset = tileset.identifier, image = tileset.path, src = src, width = tileset.tile_size,
    height = tileset.tile_size, tags = tags, data = data, solid = solid or nil }
end

-- Returns the name of a tileset's descriptions, and the descriptions: of tagged tiles, and of tiles in grids.
local function tiles_of(project, tileset)
  if not tileset or not tileset.identifier then return nil, {} end
  local known = project.tile_resources[tileset.identifier]
  if not known then
    known = {}
    project.tile_resources[tileset.identifier] = known
    for _, tagged in ipairs({ tileset.data, tileset.tags }) do
      for id in each, tagged do known[id + 1] = describe(tileset, id) end
    end
  end
  return tileset.identifier, known
end

-- Returns the name of an int grid's descriptions. A layer and a tileset may have the same name.
local function values_of(project, layer)
  local name = layer.identifier
  for _, tileset in each, project.tilesets do
    if tileset.identifier == name then name = layer.identifier .. " int grid" end
  end
  if not project.tile_resources[name] then
    local known = {}
    for value, one in each, layer.values do
      known[value] = { identifier = one.identifier, color = one.color, group = one.group,
        solid = is_solid(one.identifier) or nil }
    end
    project.tile_resources[name] = known
  end
  return name
end

-- Components ----------------------------------------------------------------------------------------------------------

local function component(layer, cells, name)
  return { width = layer.columns, height = layer.rows, cell_size = layer.grid_size, cells = cells, tiles = name }
end

local function int_grid(project, cursor, layer)
  local cells = layer.int_grid
  for index = 1, #cells do
    if cells[index] < 0 or cells[index] > LARGEST_VALUE then
      cursor:enter("intGridCsv")
      cursor:fail(index, "expected 0 to 2^32 - 1, got %s", failure.show(cells[index]))
    end
  end
  return component(layer, cells, values_of(project, layer))
end

-- Stores the tiles of `data[key]` in the cells. Of several tiles in one cell the first is stored, which is behind the
-- others: LDtk leaves out tiles behind an opaque one.
local function store_tiles(work, data, key)
  local cursor, layer, cells, known = work.cursor, work.layer, work.cells, work.known
  local grid, columns, rows, tileset = layer.grid_size, layer.columns, layer.rows, layer.tileset
  for _, tile in cursor:each(data, key) do
    local px, id = cursor:numbers(tile, "px", 2), cursor:need(tile, "t", "integer")
    if id < 0 or id >= LARGEST_VALUE then cursor:fail("t", "expected 0 to 2^32 - 2, got %s", failure.show(id)) end
    if cursor:maybe(tile, "f", "integer", 0) ~= 0 then work.flips = work.flips + 1 end
    local column, row = floor(px[1] / grid), floor(px[2] / grid)
    local is_inside = column >= 0 and row >= 0 and column < columns and row < rows
    if not is_inside or px[1] % grid ~= 0 or px[2] % grid ~= 0 then work.astray = work.astray + 1 end
    local place = row * columns + column + 1
    if is_inside and cells[place] ~= 0 then
      work.stacked = work.stacked + 1
    elseif is_inside then
      cells[place] = id + 1
    end
    if tileset and not (known[id + 1] and known[id + 1].src) then
      local src = cursor:numbers(tile, "src", 2)
      known[id + 1] = describe(tileset, id,
        { x = src[1], y = src[2], width = tileset.tile_size, height = tileset.tile_size })
    end
  end
end

local function tile_grid(project, cursor, data, layer)
  local name, known = tiles_of(project, layer.tileset)
  local work = { cursor = cursor, layer = layer, known = known, flips = 0, stacked = 0, astray = 0,
    cells = grids.empty(cursor, nil, layer.columns, layer.rows) }
  store_tiles(work, data, "gridTiles")
  store_tiles(work, data, "autoLayerTiles")
  for _, kind in ipairs({ "flips", "stacked", "astray" }) do project.leftovers:count(kind, work[kind]) end
  return component(layer, work.cells, name)
end

local HAS_TILES = { Tiles = true, AutoLayer = true }

--- Returns the grids of a layer: of its int grid, unless the option `int_grid` is given, and of its tiles.
-- @tparam table project
-- @tparam cursor cursor at the layer
-- @tparam table data the layer instance
-- @tparam table layer the layer's description
-- @treturn table the grid of the layer's entity; nil if it has none
-- @treturn table the grid of a child entity named "tiles", if the layer has both
function ldtk_grids.read(project, cursor, data, layer)
  if layer.columns * layer.rows == 0 then return nil end
  local count, values, tiles = 0, nil, nil
  for _, key in ipairs({ "gridTiles", "autoLayerTiles" }) do
    count = count + cursor:count(data, key)
  end
  if layer.int_grid and project.options.int_grid == nil then values = int_grid(project, cursor, layer) end
  if count > 0 or HAS_TILES[layer.type] then tiles = tile_grid(project, cursor, data, layer) end
  if values then return values, tiles end
  return tiles
end

return ldtk_grids
