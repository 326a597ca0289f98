-- Tiles of Tiled layers as entities: positions, flips, sizes, the four kinds of maps, tilesets.

-- tags: machine

local near = require "spec.support.near"
local tiled_sample = require "spec.support.tiled_sample"
local changed = tiled_sample.changed
local failure = tiled_sample.failure
local floor = tiled_sample.floor
local level_source = tiled_sample.level_source
local map = tiled_sample.map
local moved = tiled_sample.moved
local property = tiled_sample.property
local reader = tiled_sample.reader
local tileset = tiled_sample.tileset
local with = tiled_sample.with

-- The transforms of a layer's tiles.
local function transforms(document, options)
  local list = {}
  for index, node in ipairs(level_source(document, with({ tiles = true }, options)).entities[1].children) do
    list[index] = node.components.transform
  end
  return list
end

-- A map with one tile in the cell at column 2, row 3.
local function one_tile(gid, parts, set)
  local data = {}
  for index = 1, 20 do data[index] = index == 18 and gid or 0 end
  return map({ floor(1, "Floor", 5, 4, data) }, with({ width = 5, height = 4, tilesets = { tileset(set) } }, parts))
end

describe("Tiled tiles", function()
  it("are omitted by default", function()
    assert.is_nil(level_source().entities[1].children)
  end)

  it("become entities without name and id, except for empty cells", function()
    local children = level_source(nil, { tiles = true }).entities[1].children
    assert.equal(4, #children)
    assert.same({ components = { transform = { position = { 0, 4, 0 } } } }, children[1])
  end)

  it("are placed on the lower left corner of their cell for any size", function()
    assert.same({ { position = { 32, 52, 0 } } }, transforms(one_tile(1)))
  end)

  it("are moved by the offset of their tileset", function()
    assert.same({ { position = { 35, 50, 0 } } }, transforms(one_tile(1, nil, { tileoffset = { x = 3, y = -2 } })))
  end)

  -- A second implementation of the flags: the diagonal flip first, which swaps the axes, then left and right, then top
  -- and bottom. The box keeps its lower left corner.
  local function flipped(flags, u, v)
    local width, height = 8, 12
    if math.floor(flags / 2) % 2 == 1 then u, v, width, height = v, u, height, width end
    if flags >= 8 then u = width - u end
    if math.floor(flags / 4) % 2 == 1 then v = height - v end
    return 32 + u, 64 - height + v
  end

  for flags = 0, 14, 2 do
    local names = (flags >= 8 and "x " or "") .. (math.floor(flags / 4) % 2 == 1 and "y " or "")
      .. (math.floor(flags / 2) % 2 == 1 and "diagonal " or "")
    it("show each pixel where Tiled shows it, flipped by: " .. (names == "" and "no axis" or names), function()
      local transform = transforms(one_tile(1 + flags * 2 ^ 28))[1]
      for _, pixel in ipairs({ { 0, 0 }, { 8, 0 }, { 0, 12 }, { 8, 12 }, { 3, 4 } }) do
        near({ flipped(flags, pixel[1], pixel[2]) }, { moved(transform, pixel[1], pixel[2]) }, 1e-9)
      end
    end)
  end

  it("have only a position if they are not flipped", function()
    assert.same({ position = { 32, 52, 0 } }, transforms(one_tile(1 + 2 ^ 28))[1])
  end)

  it("are stretched to the grid if their tileset says so", function()
    local transform = transforms(one_tile(1, nil, { tilerendersize = "grid" }))[1]
    near({ 32, 48, 48, 64 }, { transform.position[1], transform.position[2], moved(transform, 8, 12) }, 1e-9)
  end)

  it("keep their aspect ratio in the grid if their tileset says so", function()
    local transform = transforms(one_tile(1, nil, { tilerendersize = "grid", fillmode = "preserve-aspect-fit" }))[1]
    assert.same({ 16 / 12, 16 / 12, 1 }, transform.scale)
    near({ 40, 56 }, { moved(transform, 4, 6) }, 1e-9) -- the center of the cell
  end)

  it("can be flipped and stretched", function()
    local transform = transforms(one_tile(1 + 2 ^ 31, nil, { tilerendersize = "grid" }))[1]
    near({ 48, 48 }, { moved(transform, 0, 0) }, 1e-9)
    near({ 32, 64 }, { moved(transform, 8, 12) }, 1e-9)
  end)

  it("are read from the chunks of an infinite map at any place", function()
    local layer = floor(1, "Floor", 32, 32, nil, { startx = -16, starty = 0, chunks = {
      { x = -16, y = 0, width = 2, height = 2, data = { 0, 0, 0, 1 } },
      { x = 4, y = -8, width = 1, height = 1, data = { 2 } } } })
    assert.same({ { position = { -240, 20, 0 } }, { position = { 64, -124, 0 } } },
      transforms(map({ layer }, { infinite = true })))
  end)

  it("are passed to their mapping", function()
    local list, layer = {}, nil
    level_source(nil, { directory = "maps", tile = function(one, its_layer)
      list[#list + 1], layer = one, its_layer
    end })
    local second = list[2]
    assert.same({ 1, 2, 1, 0, true, false, false, "Wall", 8, 12, "maps/img/ground.png" }, { second.id, second.gid,
      second.cx, second.cy, second.flip_x, second.flip_y, second.flip_diagonal, second.class, second.width,
      second.height, second.image })
    assert.same({ x = 11, y = 1, width = 8, height = 12 }, second.src)
    assert.same({ hard = true, hp = 5 }, second.fields)
    assert.same({ 24, 4 }, second.px)
    assert.same({ { tile = 1, duration = 100 }, { tile = 2, duration = 50 } }, second.animation)
    assert.equal("Floor", layer.name)
    assert.same({ x = 21, y = 15, width = 8, height = 12 }, list[4].src)
  end)

  it("are passed with their collision shapes", function()
    local shapes
    level_source(nil, { tile = function(one) shapes = one.collision or shapes end })
    assert.same({ "rectangle", "Box", 1, 2, 3, 4 }, { shapes[1].shape, shapes[1].class, shapes[1].x, shapes[1].y,
      shapes[1].width, shapes[1].height })
  end)

  it("have the components and the name that their mapping returns, or are omitted", function()
    local children = level_source(nil, { tile = function(one)
      return one.class == "Wall" and { solid = {} }, "brick"
    end }).entities[1].children
    assert.equal(1, #children)
    assert.same({ "brick", {} }, { children[1].name, children[1].components.solid })
  end)

  it("are omitted if tiles is false, even with a mapping", function()
    assert.is_nil(level_source(nil, { tiles = false, tile = function() error("called") end }).entities[1].children)
  end)

  it("are reported with their place if their mapping raises", function()
    assert.matches("^Tiled text: layers%[1%].data%[4%]: the mapping of a tile raised: ",
      failure(nil, { tile = function(one) if one.cy == 1 then error("x") end end }))
  end)

  it("are refused if no tileset has them", function()
    local document = changed(function(_, layer) layer.data[4] = 7 end)
    assert.equal('Tiled text: layers[1].data[4]: tileset "Ground" has no tile 6 (global id 7)',
      failure(document, { tiles = true }))
  end)

  it("are refused if their number is not the number of cells", function()
    local document = changed(function(_, layer) layer.data[7] = 1 end)
    assert.equal("Tiled text: layers[1].data: expected 6 cells (3 x 2), got 7", failure(document, { tiles = true }))
  end)

  for _, wrong in ipairs({ -1, 1.5, 2 ^ 32, "1", true }) do
    it("are refused as " .. tostring(wrong), function()
      local document = changed(function(_, layer) layer.data[2] = wrong end)
      assert.matches("Tiled text: layers[1].data[2]: expected 0 to 2^32 - 1, got ", failure(document, { tiles = true }),
        1, true)
    end)
  end
end)

describe("the cells of a Tiled map", function()
  -- Upper left corners of tiles with the size of a cell, at columns and rows.
  local function corners(parts, cells)
    local width, height, data = 4, 4, {}
    for index = 1, width * height do data[index] = 0 end
    for _, cell in ipairs(cells) do data[cell[2] * width + cell[1] + 1] = 1 end
    local list = {}
    for index, transform in ipairs(transforms(map({ floor(1, "Floor", width, height, data) }, with({ width = width,
      height = height, tilesets = { tileset({ tilewidth = 32, tileheight = 16 }) } }, parts)))) do
      list[index] = { transform.position[1], transform.position[2] }
    end
    return list
  end

  it("are diamonds below the top one in an isometric map", function()
    assert.same({ { 48, 0 }, { 64, 8 }, { 32, 8 }, { 48, 16 } }, corners({ orientation = "isometric", tilewidth = 32,
      tileheight = 16 }, { { 0, 0 }, { 1, 0 }, { 0, 1 }, { 1, 1 } }))
  end)

  local SIZE = { tilewidth = 32, tileheight = 16 }

  it("are shifted in every other row of a staggered map", function()
    local parts = with({ orientation = "staggered", staggeraxis = "y", staggerindex = "odd" }, SIZE)
    assert.same({ { 0, 0 }, { 32, 0 }, { 16, 8 }, { 0, 16 } }, corners(parts,
      { { 0, 0 }, { 1, 0 }, { 0, 1 }, { 0, 2 } }))
    parts.staggerindex = "even"
    assert.same({ { 16, 0 }, { 0, 8 } }, corners(parts, { { 0, 0 }, { 0, 1 } }))
  end)

  it("are shifted in every other column of a staggered map along x", function()
    local parts = with({ orientation = "staggered", staggeraxis = "x", staggerindex = "odd" }, SIZE)
    assert.same({ { 0, 0 }, { 16, 8 }, { 32, 0 }, { 0, 16 } }, corners(parts,
      { { 0, 0 }, { 1, 0 }, { 2, 0 }, { 0, 1 } }))
  end)

  it("are hexagons in a hexagonal map", function()
    local parts = with({ orientation = "hexagonal", staggeraxis = "y", staggerindex = "odd", hexsidelength = 8 }, SIZE)
    assert.same({ { 0, 0 }, { 16, 12 }, { 0, 24 } }, corners(parts, { { 0, 0 }, { 0, 1 }, { 0, 2 } }))
    parts.staggeraxis = "x"
    assert.same({ { 0, 0 }, { 20, 8 }, { 0, 16 } }, corners(parts, { { 0, 0 }, { 1, 0 }, { 0, 1 } }))
  end)

  for turns = 1, 3 do
    it("may have tiles rotated by " .. turns * 60 .. " degrees in a hexagonal map", function()
      local gid = 1 + (turns % 2 == 1 and 2 ^ 29 or 0) + (turns >= 2 and 2 ^ 28 or 0)
      local transform = transforms(one_tile(gid, { orientation = "hexagonal", hexsidelength = 8 }))[1]
      near({ turns * math.pi / 3 }, { transform.angle }, 1e-9)
      local plain = transforms(one_tile(1, { orientation = "hexagonal", hexsidelength = 8 }))[1]
      local x, y = moved(plain, 4, 6)
      near({ x, y }, { moved(transform, 4, 6) }, 1e-9) -- around the tile's center
    end)
  end

  it("are refused in an unknown orientation", function()
    assert.equal("Tiled text: orientation: unknown value \"hexagon\" (did you mean 'hexagonal'?)",
      failure(map({}, { orientation = "hexagon" })))
  end)
end)

describe("a Tiled tileset", function()
  it("may be one of several", function()
    local list = {}
    local document = one_tile(8, { tilesets = { tileset(), tileset({ name = "Roof", firstgid = 7 }) } })
    level_source(document, { tile = function(one) list[1] = { one.tileset.name, one.id, one.gid } end })
    assert.same({ { "Roof", 1, 8 } }, list)
  end)

  local ROCKS = { type = "tileset", name = "Rocks", tilewidth = 40, tileheight = 50, tilecount = 2, columns = 0,
    tiles = { { id = 0, image = "a.png", imagewidth = 40, imageheight = 30 },
      { id = 5, image = "b.png", imagewidth = 99, imageheight = 99, x = 2, y = 3, width = 10, height = 20 } } }

  local function rocks(gid, options)
    local document = one_tile(gid, { tilesets = { { firstgid = 1, source = "../sets/rocks.tsj" } } })
    return tiled_sample.import(document, with({ directory = "game/maps", root = "game",
      read = reader({ ["game/sets/rocks.tsj"] = ROCKS }) }, options))
  end

  it("may be a separate file and a collection of images", function()
    local list = {}
    local result = assert(rocks(1, { tile = function(one) list[#list + 1] = one end }))
    assert.same({ 32, 34, 0 }, result.entities[1].children[1].components.transform.position)
    assert.same({ "Rocks", "game/sets/rocks.tsj", "game/sets/a.png", 40, 30 }, { list[1].tileset.name,
      list[1].tileset.path, list[1].image, list[1].width, list[1].height })
  end)

  it("may use a part of an image", function()
    local one
    assert(rocks(6, { tile = function(tile) one = tile end }))
    assert.same({ { x = 2, y = 3, width = 10, height = 20 }, 10, 20 }, { one.src, one.width, one.height })
  end)

  it("has only the tiles that it lists if it is a collection", function()
    local _, message = rocks(3, { tiles = true })
    assert.equal('Tiled text: layers[1].data[18]: tileset "Rocks" has no tile 2 (global id 3)', message)
  end)

  it("is named with the place of bad data", function()
    local bad = with(with({}, ROCKS), { tiles = { { id = "x" } } })
    local message = failure(one_tile(1, { tilesets = { { firstgid = 1, source = "r.tsj" } } }), { directory = "maps",
      read = reader({ ["maps/r.tsj"] = bad }) })
    assert.equal("maps/r.tsj: tiles[1].id: expected an integer, got a string", message)
  end)

  it("is named if it is another document", function()
    local message = failure(one_tile(1, { tilesets = { { firstgid = 1, source = "r.tsj" } } }), { directory = "maps",
      read = reader({ ["maps/r.tsj"] = "{}" }) })
    assert.matches("^maps/r.tsj: ", message)
  end)

  it("is refused if its first id is used twice", function()
    assert.equal("Tiled text: tilesets[2].firstgid: 1 is also the firstgid of tilesets[1]",
      failure(one_tile(1, { tilesets = { tileset(), tileset() } })))
  end)

  it("passes a computed number of columns if the document has none", function()
    local found
    local document = one_tile(1, { tilesets = { tileset({ columns = 0 }) } })
    level_source(document, { tile = function(one) found = one.tileset.columns end })
    assert.equal(3, found)
  end)

  it("accepts any tile if Tiled did not find its image and counted no tiles", function()
    local document = one_tile(400, { tilesets = { tileset({ imagewidth = 0, imageheight = 0, tilecount = 0 }) } })
    assert.equal(1, #transforms(document))
  end)

  it("has its class and properties", function()
    local found
    local set = { class = "Set", properties = { property("biome", "string", "ice") } }
    level_source(one_tile(1, nil, set), { tile = function(one) found = one.tileset end })
    assert.same({ "Set", { biome = "ice" } }, { found.class, found.fields })
  end)

  local wrong = { { { firstgid = 0 }, "firstgid: expected 1 to 2^31 - 1, got 0" },
    { { tilewidth = 0 }, "tilewidth: expected 1 to 2^31 - 1, got 0" },
    { { tileheight = 1.5 }, "tileheight: expected an integer" }, { { margin = -1 }, "margin: expected 0 to" },
    { { spacing = 2 ^ 40 }, "spacing: expected 0 to" }, { { objectalignment = "middle" }, "objectalignment: unknown" },
    { { tileoffset = { x = "a" } }, "tileoffset.x: expected a number" }, { { tiles = 5 }, "tiles: expected an array" },
    { { tiles = { { id = -1 } } }, "tiles[1].id: expected 0 to" },
    { { tiles = { { id = 1, animation = { { duration = 1 } } } } },
      "tiles[1].animation[1].tileid: expected an integer" } }
  for _, case in ipairs(wrong) do
    it("is refused: " .. case[2], function()
      assert.matches("Tiled text: tilesets[1]." .. case[2], failure(one_tile(1, nil, case[1])), 1, true)
    end)
  end
end)
