-- Tile layers of Tiled maps as grids, each in one component of one entity.

local raises = require "spec.support.raises"
local tiled = require "cuttle.import.tiled"
local tiled_sample = require "spec.support.tiled_sample"
local encode, floor, map, property, with = tiled_sample.encode, tiled_sample.floor, tiled_sample.map,
  tiled_sample.property, tiled_sample.with
local FLIP_X, FLIP_DIAGONAL = tiled_sample.FLIP_X, tiled_sample.FLIP_DIAGONAL

local function import(document, options)
  return tiled(encode(document), with({ tiles = "grid", name = "maps/cave.tmj" }, options))
end

local function square(parts)
  return tiled_sample.tileset(with({ tilewidth = 16, tileheight = 16, imagewidth = 54, imageheight = 36 }, parts))
end

-- The entity of the first layer, its warnings, and the tiles by grid name.
local function first(document, options)
  local level, warnings, tiles_by_name = assert(import(document, options))
  return level.entities[1], warnings, tiles_by_name
end

describe("a Tiled tile layer as a grid", function()
  it("is a component of the layer's entity, in rows, without children", function()
    local layer, warnings = first(map({ floor(1, "Floor", 3, 2, { 1, 2, 0, 3, 0, 6 }, { offsetx = 5 }) }))
    assert.same({ name = "Floor", id = "layer 1", components = { transform = { position = { 5, 0, 0 } },
      grid = { width = 3, height = 2, cell_size = { 16, 16 }, cells = { 1, 2, 0, 3, 0, 6 }, tiles = "cave" } } }, layer)
    assert.same({}, warnings)
  end)

  it("covers the places of its tile entities", function()
    local data = { 1, 2, 0, 3, 0, 6 }
    for _, orientation in ipairs({ "orthogonal", "isometric" }) do
      local document = map({ floor(1, "Floor", 3, 2, data, { offsetx = 5, offsety = 7, x = 0 }) },
        { orientation = orientation, tilewidth = 32, tilesets = { square({ tilewidth = 32 }) } })
      local tiles = assert(tiled(encode(document), { tiles = true })).entities[1]
      local entity = first(document)
      local transform, number = entity.components.transform, 0
      for index, gid in ipairs(data) do
        if gid > 0 then
          number = number + 1
          local x, y = (index - 1) % 3 * 32, math.floor((index - 1) / 3) * 16
          local there = tiles.children[number].components.transform.position
          local left, top
          if transform.matrix then
            local m = transform.matrix
            -- The first corner of the cell is the top of the diamond, half a width right of the image's left edge.
            left, top = m[1] * x + m[5] * y + m[13] - 16, m[2] * x + m[6] * y + m[14]
          else
            left, top = x + transform.position[1], y + transform.position[2]
          end
          assert.same({ 5 + there[1], 7 + there[2] }, { left, top }, orientation .. " cell " .. index)
        end
      end
    end
  end)

  it("has the flips of its tiles, also of chunks", function()
    local cells = { 2 + FLIP_X, 3, 3 + FLIP_X + FLIP_DIAGONAL, 2 ^ 30 + 1 }
    local layer, warnings = first(map({ floor(1, "Floor", 4, 1, cells) }))
    assert.same({ 2, 3, 3, 1 }, layer.components.grid.cells)
    assert.same({ 1, 0, 5, 2 }, layer.components.grid.flips)
    assert.same({}, warnings)
    layer = first(map({ floor(1, "Floor", 4, 1, nil, { chunks = {
      { x = 0, y = 0, width = 4, height = 1, data = cells },
      { x = 0, y = 1, width = 1, height = 1, data = { 1 } } } }) }, { infinite = true }))
    assert.same({ 2, 3, 3, 1, 1, 0, 0, 0 }, layer.components.grid.cells)
    assert.same({ 1, 0, 5, 2, 0, 0, 0, 0 }, layer.components.grid.flips)
    assert.is_nil(first(map({ floor(1, "Floor", 2, 1, { 2, 3 }) })).components.grid.flips)
  end)

  it("has no rotations by 120 degrees, which a warning counts", function()
    local layer, warnings = first(map({ floor(1, "Floor", 2, 1, { 2 + 2 ^ 28, 3 + FLIP_X }) },
      { orientation = "hexagonal", hexsidelength = 8, staggeraxis = "x", staggerindex = "odd" }))
    assert.same({ 2, 3 }, layer.components.grid.cells)
    assert.same({ 0, 1 }, layer.components.grid.flips)
    assert.equal("maps/cave.tmj: rotations by 120 degrees of 1 tile are left out of grids", warnings[#warnings])
  end)

  it("covers all chunks of an infinite map, beginning at the upper left one", function()
    local layer = first(map({ floor(1, "Floor", 2, 2, nil, { offsetx = 1, chunks = {
      { x = -2, y = 0, width = 2, height = 2, data = { 1, 2, 3, 4 } },
      { x = 1, y = -1, width = 1, height = 1, data = { 5 } } } }) }, { infinite = true }))
    assert.same({ position = { 1 - 32, -16, 0 } }, layer.components.transform)
    assert.same({ 0, 0, 0, 5, 1, 2, 0, 0, 3, 4, 0, 0 }, layer.components.grid.cells)
    assert.equal(4, layer.components.grid.width)
    assert.equal(3, layer.components.grid.height)
  end)

  it("keeps the first of stacked tiles from several chunks, and counts the others in a warning", function()
    local layer, warnings = first(map({ floor(1, "Floor", 1, 1, nil, { chunks = {
      { x = 0, y = 0, width = 1, height = 1, data = { 1 } },
      { x = 0, y = 0, width = 1, height = 1, data = { 2 } } } }) }))
    assert.same({ 1 }, layer.components.grid.cells)
    assert.same({ "maps/cave.tmj: 1 tile is left out of grids: another tile is in the same cell" }, warnings)
  end)

  it("is missing if the layer has no cells", function()
    local layer = first(map({ floor(1, "Floor", 0, 0, nil, { chunks = {} }) }, { infinite = true }))
    assert.is_nil(layer.components.grid)
    assert.is_nil(first(map({ floor(1, "Floor", 0, 2, {}) })).components.grid)
  end)

  it("is refused if chunks are too far apart", function()
    local near, far = { x = 0, y = 0, width = 1, height = 1, data = { 1 } },
      { x = 1e9, y = 5, width = 1, height = 1, data = { 2 } }
    local level, message = import(map({ floor(1, "Floor", 1, 1, nil, { chunks = { near, far } }) }))
    assert.is_nil(level)
    assert.equal("maps/cave.tmj: layers[1].chunks: the document has more than 10000000 cells "
      .. "(option max_cells)", message)
  end)

  it("has a warning for staggered and hexagonal maps, because their rows are shifted", function()
    local document = map({ floor(1, "Floor", 1, 1, { 1 }), floor(2, "Roof", 1, 1, { 1 }) },
      { orientation = "staggered" })
    local layer, warnings = first(document)
    assert.same({ 1 }, layer.components.grid.cells)
    assert.same({ "maps/cave.tmj: grids of staggered tile layers have the right numbers, "
      .. "but not the positions of their cells: the cells of a grid are rectangles in rows" }, warnings)
  end)

  it("is overridden by the result of the layer's mapping", function()
    local layer = first(map({ floor(1, "Floor", 1, 1, { 1 }) }), { layer = function()
      return { grid = { tiles = "mine" }, model = { resource = "m" } }
    end })
    assert.same({ width = 1, height = 1, cell_size = { 16, 16 }, cells = { 1 }, tiles = "mine" }, layer.components.grid)
    assert.same({ resource = "m" }, layer.components.model)
  end)

  it("is refused if no tileset has a tile", function()
    local level, message = import(map({ floor(1, "Floor", 1, 1, { 7 }) }))
    assert.is_nil(level)
    assert.equal('maps/cave.tmj: layers[1].data[1]: tileset "Ground" has no tile 6 (global id 7)', message)
  end)

  it("calls no mapping for tiles", function()
    local layer = first(map({ floor(1, "Floor", 1, 1, { 1 }) }), { tile = function() error("called") end })
    assert.is_nil(layer.children)
  end)

  it("needs the exact value of option tiles", function()
    raises('bad argument #2 to \'tiled\' (option "tiles": expected true, false or "grid", got "grids")', tiled, "{}",
      { tiles = "grids" })
  end)
end)

describe("the tile properties of Tiled grids", function()
  it("hold used tiles and tiles with properties, by global id", function()
    local other = square({ firstgid = 7, name = "Other", class = "Things", tiles = { { id = 0, type = "Spike",
      properties = { property("solid", "bool", true), property("hp", "int", 3) },
      objectgroup = { type = "objectgroup", objects = {} } } } })
    local floors = { floor(1, "Floor", 2, 1, { 1 + FLIP_X, 0 }) }
    local _, _, tiles_by_name = first(map(floors, { tilesets = { square(), other } }))
    local cave = tiles_by_name.cave
    local gids = {}
    for gid in pairs(cave) do gids[#gids + 1] = gid end
    table.sort(gids)
    assert.same({ 1, 2, 7 }, gids)
    assert.same({ id = 0, tileset = "Ground", image = "img/ground.png", src = { x = 1, y = 1, width = 16, height = 16 },
      width = 16, height = 16, fields = {} }, cave[1])
    assert.equal("Wall", cave[2].class)
    assert.same({ hard = true, hp = 5 }, cave[2].fields)
    assert.is_nil(cave[2].solid)
    assert.equal(2, #cave[2].animation)
    assert.equal("Box", cave[2].collision[1].class)
    assert.is_true(cave[7].solid)
    assert.equal("Other", cave[7].tileset)
    assert.equal("Spike", cave[7].class)
  end)

  it("hold the terrains of tiles", function()
    local set = square({ wangsets = { { name = "Shore", type = "corner", colors = { { name = "sand" } },
      wangtiles = { { tileid = 0, wangid = { 0, 1, 0, 0, 0, 1, 0, 0 } } } } } })
    local _, _, tiles_by_name = first(map({ floor(1, "Floor", 1, 1, { 1 }) }, { tilesets = { set } }))
    assert.same({ Shore = { 0, 1, 0, 0, 0, 1, 0, 0 } }, tiles_by_name.cave[1].wang)
  end)

  it("are empty without grids", function()
    assert.same({}, (select(3, assert(tiled(encode(map({ floor(1, "Floor", 1, 1, { 1 }) })), { tiles = true })))))
    assert.same({}, (select(3, assert(import(map({}))))))
  end)

  it("are separate for each map of a world", function()
    local function cave(gid) return map({ floor(1, "Floor", 1, 1, { gid }) }) end
    local files = { ["deep/cave.tmj"] = cave(1), ["cave.tmj"] = cave(2), ["cave.json"] = cave(3) }
    local level, _, tiles_by_name = assert(tiled(encode({ type = "world", maps = {
      { fileName = "deep/cave.tmj", x = 0, y = 0 }, { fileName = "cave.tmj", x = 0, y = 0 },
      { fileName = "cave.json", x = 50, y = 0 } } }),
      { tiles = "grid", directory = "", read = tiled_sample.reader(files) }))
    local names = {}
    for index, one in ipairs(level.entities) do names[index] = one.children[1].components.grid.tiles end
    assert.same({ "deep/cave", "cave", "cave.json" }, names)
    for index, name in ipairs(names) do assert.is_table(tiles_by_name[name][index]) end
  end)
end)
