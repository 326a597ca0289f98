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

local function component(layer, cells, name, flips)
  return { width = layer.columns, height = layer.rows, cell_size = layer.grid_size, cells = cells, flips = flips,
    tiles = name }
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

-- Stores a tile in the first grid, of those from back to front, whose cell is empty.
local function store(work, place, value, flips)
  local layer, depth = work.layer, work.deep[place] or 1
  while work.grids[depth] and work.grids[depth].cells[place] ~= 0 do depth = depth + 1 end
  local grid = work.grids[depth]
  if not grid then
    grid = { cells = grids.empty(work.cursor, nil, layer.columns, layer.rows) }
    work.grids[depth] = grid
  end
  if depth > 8 then work.deep[place] = depth end
  grid.cells[place] = value
  grids.flip(grid, place, flips)
end

-- Stores the tiles of `data[key]`, which are ordered from back to front.
local function store_tiles(work, data, key)
  local cursor, layer, known = work.cursor, work.layer, work.known
  local grid, columns, rows, tileset = layer.grid_size, layer.columns, layer.rows, layer.tileset
  for _, tile in cursor:each(data, key) do
    local px, id = cursor:numbers(tile, "px", 2), cursor:need(tile, "t", "integer")
    if id < 0 or id >= LARGEST_VALUE then cursor:fail("t", "expected 0 to 2^32 - 2, got %s", failure.show(id)) end
    local flips = cursor:maybe(tile, "f", "integer", 0)
    if flips < 0 or flips > 3 then cursor:fail("f", "expected 0 to 3, got %s", failure.show(flips)) end
    local column, row = floor(px[1] / grid), floor(px[2] / grid)
    local is_inside = column >= 0 and row >= 0 and column < columns and row < rows
    if not is_inside or px[1] % grid ~= 0 or px[2] % grid ~= 0 then work.astray = work.astray + 1 end
    if is_inside then store(work, row * columns + column + 1, id + 1, flips) end
    if tileset and not (known[id + 1] and known[id + 1].src) then
      local src = cursor:numbers(tile, "src", 2)
      known[id + 1] = describe(tileset, id,
        { x = src[1], y = src[2], width = tileset.tile_size, height = tileset.tile_size })
    end
  end
end

-- Returns the grids of a layer's tiles from back to front: one, and one more for each further depth of stacked tiles.
local function tile_grids(project, cursor, data, layer)
  local name, known = tiles_of(project, layer.tileset)
  local work = { cursor = cursor, layer = layer, known = known, astray = 0, deep = {}, -- place -> depth, if many
    grids = { { cells = grids.empty(cursor, nil, layer.columns, layer.rows) } } }
  store_tiles(work, data, "gridTiles")
  store_tiles(work, data, "autoLayerTiles")
  project.leftovers:count("astray", work.astray)
  local components = {}
  for depth, grid in ipairs(work.grids) do components[depth] = component(layer, grid.cells, name, grid.flips) end
  return components
end

local HAS_TILES = { Tiles = true, AutoLayer = true }

--- Returns the grids of a layer: of its int grid, unless the option `int_grid` is given, and of its tiles.
-- @tparam table project
-- @tparam cursor cursor at the layer
-- @tparam table data the layer instance
-- @tparam table layer the layer's description
-- @treturn table the grid of the layer's entity; nil if it has none
-- @treturn table a list of the grids of child entities, from back to front: {name=, grid=}. "tiles" is the grid of the
-- tiles if the layer's entity has the int grid; "tiles 2", "tiles 3" and so on have further tiles of the same cells
function ldtk_grids.read(project, cursor, data, layer)
  if layer.columns * layer.rows == 0 then return nil, {} end
  local count, own, tiles, below = 0, nil, {}, {}
  for _, key in ipairs({ "gridTiles", "autoLayerTiles" }) do
    count = count + cursor:count(data, key)
  end
  if layer.int_grid and project.options.int_grid == nil then own = int_grid(project, cursor, layer) end
  if count > 0 or HAS_TILES[layer.type] then tiles = tile_grids(project, cursor, data, layer) end
  for depth, grid in ipairs(tiles) do
    if not own then
      own = grid
    else
      below[#below + 1] = { name = depth == 1 and "tiles" or "tiles " .. depth, grid = grid }
    end
  end
  return own, below
end

return ldtk_grids
