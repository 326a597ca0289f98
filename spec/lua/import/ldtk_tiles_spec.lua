-- LDtk tiles and int grid cells as entities.

local ldtk_sample = require "spec.support.ldtk_sample"
local changed = ldtk_sample.changed
local encode = ldtk_sample.encode
local failure = ldtk_sample.failure
local level_source = ldtk_sample.level_source
local NULL = ldtk_sample.NULL

describe("LDtk tiles", function()
  local function tiles(options, index)
    return level_source(nil, options).entities[1].children[index or 2].children
  end

  it("are omitted by default", function()
    assert.is_nil(tiles({}))
  end)

  it("become entities without name and id", function()
    assert.same({ components = { transform = { position = { 0, 0, 0 } } } }, tiles({ tiles = true })[1])
  end)

  it("cover the same cell if they are flipped in x", function()
    assert.same({ position = { 32, 0, 0 }, scale = { -1, 1, 1 } }, tiles({ tiles = true })[2].components.transform)
  end)

  it("cover the same cell if they are flipped in y", function()
    assert.same({ position = { 32, 32, 0 }, scale = { 1, -1, 1 } }, tiles({ tiles = true })[3].components.transform)
  end)

  it("are also read from tile layers", function()
    assert.same({ position = { 32, 32, 0 }, scale = { -1, -1, 1 } }, tiles({ tiles = true }, 3)[1].components.transform)
  end)

  describe("of another size than the cells", function()
    -- The positions of the tiles of a layer: 2, made by rules, or 3, painted.
    local function positions(layer, pivot_x, pivot_y)
      local document = changed(function(whole)
        whole.defs.tilesets[1].tileGridSize = 8
        whole.defs.layers[1].tilePivotX, whole.defs.layers[1].tilePivotY = pivot_x, pivot_y
        whole.levels[1].layerInstances[3].__tilesetDefUid = 7
        table.insert(whole.levels[1].layerInstances[3].gridTiles, 1, { px = { 0, 16 }, src = { 0, 0 }, t = 1 })
      end)
      local found = {}
      for index, node in ipairs(level_source(document, { tiles = true }).entities[1].children[layer].children) do
        local position = node.components.transform.position
        found[index] = { position[1], position[2] }
      end
      return found
    end

    it("flip around their cell, not around themselves", function()
      assert.same({ { 0, 0 }, { 32, 0 }, { 32, 32 } }, positions(2, 0, 0))
      assert.same({ { 0, 16 }, { 32, 32 } }, positions(3, 0, 0))
    end)

    it("are placed in their cell by the layer's pivot if they are painted", function()
      assert.same({ 4, 20 }, positions(3, 0.5, 0.5)[1], "centred")
      assert.same({ 8, 24 }, positions(3, 1, 1)[1], "at the lower right")
    end)

    it("are placed as in the editor if the pivot differs in y", function()
      -- The editor uses the pivot in x for the cell, and the pivot in y for the tile.
      assert.same({ 4, 16 }, positions(3, 0.5, 1)[1])
    end)

    -- The editor first moves a tile by the pivot, then mirrors it around the other edge of the cell.
    it("leave their cell as in the editor if they are also flipped", function()
      assert.same({ 44, 44 }, positions(3, 0.5, 0.5)[2])
      assert.same({ 44, 48 }, positions(3, 0.5, 1)[2])
    end)

    it("begin at the pivot of their cell if rules made them", function()
      assert.same({ { 8, 16 }, { 40, 16 }, { 40, 48 } }, positions(2, 0.5, 1))
    end)
  end)

  it("are passed to their mapping", function()
    local seen = {}
    tiles({ tile = function(one, its_layer) seen[#seen + 1] = { one, its_layer } end })
    local first = seen[1][1]
    assert.same({ t = 5, px = { 0, 0 }, src = { 16, 0 }, size = 16, alpha = 0.75, cx = 0, cy = 0, flip_x = false,
      flip_y = false, auto = true, data = "slow", tags = { "Water" } }, first)
    assert.equal("Walls", seen[1][2].identifier)
    assert.is_true(seen[2][1].flip_x)
    assert.is_false(seen[4][1].auto)
  end)

  it("have the components and the name that their mapping returns", function()
    local node = tiles({ tile = function(one) return { sprite = { id = one.t } }, "grass" end })[1]
    assert.same({ name = "grass", components = { transform = { position = { 0, 0, 0 } }, sprite = { id = 5 } } }, node)
  end)

  it("are omitted if their mapping returns false", function()
    assert.equal(1, #tiles({ tile = function(one) return one.t == 5 and {} or false end }))
  end)

  it("are omitted if tiles is false, even with a mapping", function()
    assert.is_nil(tiles({ tiles = false, tile = function() error("called") end }))
  end)

  it("have full alpha by default", function()
    local document = changed(function(_, first) first.layerInstances[2].autoLayerTiles[1].a = nil end)
    local alpha = {}
    level_source(document, { tile = function(one) alpha[#alpha + 1] = one.alpha end })
    assert.equal(1, alpha[1])
  end)

  it("are reported with their place if their mapping raises", function()
    local function third(one) if one.px[2] == 16 then error("bad tile") end end
    assert.matches("^LDtk text: levels%[1%]%.layerInstances%[2%]%.autoLayerTiles%[3%]: the mapping of a tile raised: ",
      failure(nil, { tile = third }))
  end)

  local wrong = { { "px", { 1 }, "expected 2 numbers, got 1" }, { "px", NULL, "expected 2 numbers, got null" },
    { "f", 4, "expected 0 to 3, got 4" }, { "f", -1, "expected 0 to 3, got -1" },
    { "f", "x", "expected an integer" } }
  for _, case in ipairs(wrong) do
    it("refuse " .. encode(case[2]) .. " as " .. case[1], function()
      local document = changed(function(_, first) first.layerInstances[2].autoLayerTiles[2][case[1]] = case[2] end)
      assert.matches("levels[1].layerInstances[2].autoLayerTiles[2]." .. case[1] .. ": " .. case[3],
        failure(document, { tiles = true }), 1, true)
    end)
  end
end)

describe("LDtk int grid cells", function()
  local function cells(options)
    return level_source(nil, options).entities[1].children[2].children
  end

  it("are omitted by default", function()
    assert.is_nil(cells({ int_grid = false }))
  end)

  it("become entities if they are not 0", function()
    assert.same({ { components = { transform = { position = { 16, 0, 0 } } } },
      { components = { transform = { position = { 32, 16, 0 } } } } }, cells({ int_grid = true }))
  end)

  it("are passed to their mapping", function()
    local seen = {}
    cells({ int_grid = function(value, cell) seen[#seen + 1] = { value, cell } end })
    local value, cell = unpack(seen[1])
    assert.equal(2, value)
    assert.same({ 2, 1, 0, 16, 0, 16, "brick", 0 },
      { cell.value, cell.cx, cell.cy, cell.x, cell.y, cell.size, cell.identifier, cell.group })
    assert.equal("Walls", cell.layer.identifier)
  end)

  it("have the components and the name that their mapping returns, or are omitted", function()
    local list = cells({ int_grid = function(value) return value == 2 and { wall = {} }, "w" end })
    assert.equal(1, #list)
    assert.same({ name = "w", components = { transform = { position = { 16, 0, 0 } }, wall = {} } }, list[1])
  end)

  it("are refused if their number is wrong", function()
    local document = changed(function(_, first) first.layerInstances[2].intGridCsv = { 1, 2 } end)
    assert.equal("LDtk text: levels[1].layerInstances[2].intGridCsv: expected 6 values (3 x 2), got 2",
      failure(document))
  end)

  it("are reported with their place if their mapping raises", function()
    assert.matches("levels[1].layerInstances[2].intGridCsv[2]: the mapping of an int grid cell raised: ",
      failure(nil, { int_grid = function() error("x") end }), 1, true)
  end)
end)
