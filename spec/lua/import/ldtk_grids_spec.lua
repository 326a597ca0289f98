-- Tile layers, auto layers and int grids of LDtk projects as grids, each in one component of one entity.

local ldtk = require "cuttle.import.ldtk"
local ldtk_sample = require "spec.support.ldtk_sample"
local raises = require "spec.support.raises"
local changed, encode, sample = ldtk_sample.changed, ldtk_sample.encode, ldtk_sample.sample

local function import(document, options)
  local chosen = { tiles = "grid", levels = { "A" }, fields = "props" }
  for key, value in pairs(options or {}) do chosen[key] = value end
  return ldtk(encode(document or sample()), chosen)
end

-- The layers of level A by name, the warnings, and the tiles by grid name.
local function layers(document, options)
  local level, warnings, tiles_by_name = assert(import(document, options))
  local by_name = {}
  for _, layer in ipairs(level.entities[1].children) do by_name[layer.name] = layer end
  return by_name, warnings, tiles_by_name
end

-- The sample with a changed layer "Walls".
local function changed_walls(change)
  return changed(function(_, level) change(level.layerInstances[2], level) end)
end

describe("an LDtk layer as a grid", function()
  it("has its tiles as cells of tile id + 1", function()
    local all, warnings = layers(changed(function(_, level)
      level.layerInstances[3].gridTiles[1].f = 0
      level.layerInstances[2].autoLayerTiles = {}
    end))
    assert.same({ name = "Floor", id = "layer-f", components = { transform = { position = { 0, -8, 0 } },
      grid = { width = 3, height = 2, cell_size = 16, cells = { 0, 0, 0, 0, 2, 0 } } } }, all.Floor)
    assert.same({}, warnings)
  end)

  it("has its int grid, and its tiles in a child", function()
    local walls = layers().Walls
    assert.same({ width = 3, height = 2, cell_size = 16, cells = { 0, 2, 0, 0, 0, 1 }, tiles = "Walls" },
      walls.components.grid)
    assert.same({ { name = "tiles", components = { transform = { position = { 0, 0, 0 } },
      grid = { width = 3, height = 2, cell_size = 16, cells = { 6, 2, 0, 0, 0, 2 }, flips = { 0, 1, 0, 0, 0, 2 },
        tiles = "Ground" } } } },
      walls.children)
  end)

  it("has its tiles where tile entities are", function()
    local as_entities = assert(import(nil, { tiles = true })).entities[1].children[2]
    local grid = layers().Walls.children[1].components.grid
    local cells = {}
    for index = 1, 6 do cells[index] = 0 end
    for _, tile in ipairs(as_entities.children) do
      local transform = tile.components.transform
      local scale = transform.scale or { 1, 1 }
      local x = transform.position[1] - (scale[1] < 0 and 16 or 0)
      local y = transform.position[2] - (scale[2] < 0 and 16 or 0)
      cells[y / 16 * 3 + x / 16 + 1] = 1
    end
    for index = 1, 6 do assert.equal(cells[index] > 0, grid.cells[index] > 0, index) end
  end)

  it("has only an int grid if it has no tiles", function()
    local walls = layers(changed_walls(function(one) one.autoLayerTiles = {} end)).Walls
    assert.is_nil(walls.children)
    assert.equal("Walls", walls.components.grid.tiles)
  end)

  it("has no int grid if the option int_grid is set", function()
    local walls = layers(nil, { int_grid = false }).Walls
    assert.equal("Ground", walls.components.grid.tiles)
    assert.is_nil(walls.children)
    walls = layers(nil, { int_grid = true }).Walls
    assert.equal("Ground", walls.components.grid.tiles)
    assert.equal(2, #walls.children)
  end)

  it("has a further child for each depth of stacked tiles, from back to front, and their flips", function()
    local all = layers(changed(function(_, level)
      local walls, floor = level.layerInstances[2], level.layerInstances[3]
      local function tile(x, y, t, f) return { px = { x * 16, y * 16 }, src = { 0, 0 }, t = t, f = f, a = 1 } end
      walls.autoLayerTiles = { tile(0, 0, 1, 0), tile(1, 0, 2, 1), tile(0, 0, 3, 3), tile(0, 0, 4, 0),
        tile(2, 1, 5, 2) }
      floor.gridTiles = { tile(0, 0, 1, 0), tile(0, 0, 2, 1) }
    end))
    local function shown(nodes)
      local lines = {}
      for i, node in ipairs(nodes) do
        local grid = node.components.grid
        lines[i] = ("%s: %s %s %s"):format(node.name, table.concat(grid.cells), table.concat(grid.flips or {}),
          grid.tiles)
        assert.same({ position = { 0, 0, 0 } }, node.components.transform)
      end
      return lines
    end
    assert.same({ "tiles: 230006 010002 Ground", "tiles 2: 400000 300000 Ground", "tiles 3: 500000  Ground" },
      shown(all.Walls.children))
    assert.same("200000", table.concat(all.Floor.components.grid.cells))
    assert.is_nil(all.Floor.components.grid.flips)
    assert.equal(1, #all.Floor.children)
    assert.equal("tiles 2", all.Floor.children[1].name)
    assert.same({ 3, 0, 0, 0, 0, 0 }, all.Floor.children[1].components.grid.cells)
    assert.same({ 1, 0, 0, 0, 0, 0 }, all.Floor.children[1].components.grid.flips)
  end)

  it("has thousands of tiles of a cell in their order", function() -- in quadratic time some seconds
    local count = 3000
    local all = layers(changed(function(_, level)
      local floor = level.layerInstances[3]
      floor.gridTiles = {}
      for i = 1, count do
        floor.gridTiles[i] = { px = { i % 3 == 0 and 16 or 0, 0 }, src = { 0, 0 }, t = i, f = 0, a = 1 }
      end
    end))
    local floor = all.Floor
    assert.equal(count / 3 * 2 - 1, #floor.children)
    assert.same({ 2, 4 }, { floor.components.grid.cells[1], floor.components.grid.cells[2] })
    assert.same({ 3000, 0 }, { floor.children[count / 3 * 2 - 1].components.grid.cells[1],
      floor.children[count / 3 * 2 - 1].components.grid.cells[2] })
    assert.same({ 1500, 3001 }, { floor.children[999].components.grid.cells[1],
      floor.children[999].components.grid.cells[2] })
  end)

  it("is refused if the flips of a tile are not 0 to 3", function()
    local level, message = import(changed_walls(function(one) one.autoLayerTiles[1].f = 4 end))
    assert.is_nil(level)
    assert.equal("LDtk text: levels[1].layerInstances[2].autoLayerTiles[1].f: expected 0 to 3, got 4", message)
  end)

  it("has misaligned tiles in the cell of their corner, and counts them in a warning", function()
    local walls, warnings = layers(changed_walls(function(one)
      local tiles = one.autoLayerTiles
      tiles[2].px, tiles[3].px = { 3, 0 }, { 48, 0 }
    end))
    assert.same({ 6, 0, 0, 0, 0, 0 }, walls.Walls.children[1].components.grid.cells)
    assert.same({ 2, 0, 0, 0, 0, 0 }, walls.Walls.children[2].components.grid.cells)
    assert.same({ "LDtk text: 2 tiles are not in one cell: grids have them in the cell of the upper left corner, if "
      .. "the layer has it" }, warnings)
  end)

  it("may be an empty tile layer, but not an entity layer", function()
    local all = layers(changed(function(_, level) level.layerInstances[3].gridTiles = {} end))
    assert.same({ 0, 0, 0, 0, 0, 0 }, all.Floor.components.grid.cells)
    assert.is_nil(all.Things.components.grid)
    assert.equal(2, #all.Things.children)
  end)

  it("is overridden by the result of the layer's mapping", function()
    local walls = layers(nil, { layer = function(layer)
      return layer.identifier == "Walls" and { grid = { tiles = "mine", cell_size = 8 } } or nil
    end }).Walls
    assert.same({ width = 3, height = 2, cell_size = 8, cells = { 0, 2, 0, 0, 0, 1 }, tiles = "mine" },
      walls.components.grid)
  end)

  it("is refused if a number does not fit in a cell", function()
    local level, message = import(changed_walls(function(one) one.intGridCsv[3] = -1 end))
    assert.is_nil(level)
    assert.equal("LDtk text: levels[1].layerInstances[2].intGridCsv[3]: expected 0 to 2^32 - 1, got -1", message)
    level, message = import(changed_walls(function(one) one.autoLayerTiles[2].t = -1 end))
    assert.is_nil(level)
    assert.equal("LDtk text: levels[1].layerInstances[2].autoLayerTiles[2].t: expected 0 to 2^32 - 2, got -1", message)
  end)

  it("is refused before memory is allocated if its size is too large", function()
    local level, message = import(changed_walls(function(one) one.intGridCsv, one.__cWid = {}, 2 ^ 30 end))
    assert.is_nil(level)
    assert.equal("LDtk text: levels[1].layerInstances[2]: the document has more than 10000000 cells "
      .. "(option max_cells)", message)
  end)

  it("needs the exact value of option tiles", function()
    raises('bad argument #2 to \'ldtk\' (option "tiles": expected true, false or "grid", got "gird")', ldtk, "{}",
      { tiles = "gird" })
  end)
end)

describe("the tile properties of LDtk grids", function()
  it("hold int grid values by layer, and tagged or used tiles by tileset", function()
    local _, _, tiles_by_name = layers()
    assert.same({ [2] = { identifier = "brick", color = { 1, 0, 0, 1 }, group = 0 } }, tiles_by_name.Walls)
    local ground = tiles_by_name.Ground
    assert.same({ id = 1, tileset = "Ground", image = "ground.png", src = { x = 16, y = 0, width = 16, height = 16 },
      width = 16, height = 16 }, ground[2])
    assert.same({ "Water" }, ground[6].tags)
    assert.equal("slow", ground[6].data)
    assert.same({ "Water" }, ground[7].tags)
    assert.is_nil(ground[7].src)
    assert.is_nil(ground[1])
  end)

  it("are solid if a tag, the data or the value's name is \"solid\"", function()
    local _, _, tiles_by_name = layers(changed(function(project)
      local defs = project.defs
      defs.layers[1].intGridValues[1].identifier = "solid"
      defs.tilesets[1].enumTags[2] = { enumValueId = "Solid", tileIds = { 6 } }
      defs.tilesets[1].customData[2] = { tileId = 9, data = "SOLID" }
    end))
    assert.is_true(tiles_by_name.Walls[2].solid)
    assert.is_nil(tiles_by_name.Ground[6].solid)
    assert.is_true(tiles_by_name.Ground[7].solid)
    assert.is_true(tiles_by_name.Ground[10].solid)
  end)

  it("have another name if a tileset has the layer's name", function()
    local walls, _, tiles_by_name = layers(changed(function(project) project.defs.tilesets[1].identifier = "Walls" end))
    assert.equal("Walls int grid", walls.Walls.components.grid.tiles)
    assert.equal("Walls", walls.Walls.children[1].components.grid.tiles)
    assert.equal("brick", tiles_by_name["Walls int grid"][2].identifier)
    assert.equal(5, tiles_by_name.Walls[6].id)
  end)

  it("are empty without grids", function()
    assert.same({}, (select(3, assert(import(nil, { tiles = true })))))
  end)
end)
