-- Projects of several levels: the index of their levels, and the option `split`.

local formats = require "spec.support.tiled_formats"
local json = require "cuttle.json"
local ldtk = require "cuttle.import.ldtk"
local ldtk_sample = require "spec.support.ldtk_sample"
local level_index = require "cuttle.import.level_index"
local seed = require "spec.support.seed"
local tiled = require "cuttle.import.tiled"

local changed, encode, sample = ldtk_sample.changed, ldtk_sample.encode, ldtk_sample.sample

local function index_of(document, options)
  return (select(4, assert(ldtk(encode(document), options))))
end

-- The names and neighbours of an index as text.
local function shown(index)
  local parts = {}
  for place, entry in ipairs(index) do parts[place] = entry.name .. ": " .. table.concat(entry.neighbours, " ") end
  return table.concat(parts, ", ")
end

describe("the index of an LDtk project", function()
  it("has name, rectangle, depth and neighbours of each level", function()
    assert.same({ { name = "A", x = 100, y = 200, w = 48, h = 32, depth = 1, neighbours = { "B" } },
      { name = "B", x = 148, y = 200, w = 48, h = 32, depth = 1, neighbours = {} } }, index_of(sample()))
  end)

  it("has all levels, also those that are not imported", function()
    for _, names in ipairs({ {}, { "B" } }) do
      local source, _, _, index = assert(ldtk(encode(sample()), { levels = names }))
      assert.same({ #names, 2 }, { #source.entities, #index })
    end
  end)

  it("has a neighbour once, and not the level itself or levels that are missing", function()
    local document = changed(function(_, level)
      level.__neighbours = { { levelIid = "level-b", dir = "e" }, { levelIid = "level-b", dir = "ne" },
        { levelIid = "level-a", dir = "o" }, { levelIid = "gone", dir = "n" }, { dir = "n" } }
    end)
    assert.equal("A: B, B: ", shown(index_of(document)))
  end)

  it("has the neighbours that touch a level if the project lists none, as in linear layouts", function()
    local document = changed(function(whole)
      whole.worldLayout = "LinearHorizontal"
      for _, one in ipairs(whole.levels) do one.__neighbours = {} end
    end)
    assert.same({ { name = "A", x = 0, y = 0, w = 48, h = 32, depth = 1, neighbours = { "B" } },
      { name = "B", x = 48, y = 0, w = 48, h = 32, depth = 1, neighbours = { "A" } } }, index_of(document))
  end)

  it("names the world of each level, and has those of the chosen worlds", function()
    local whole = sample()
    whole.worlds = { { identifier = "Over", iid = "w1", worldLayout = "Free", levels = { whole.levels[1] } },
      { identifier = "Under", iid = "w2", worldLayout = "Free", levels = { whole.levels[2] } } }
    whole.levels = {}
    local index = index_of(whole)
    assert.same({ "Over", "Under" }, { index[1].world, index[2].world })
    assert.equal("B: ", shown(index_of(whole, { worlds = { "Under" } })))
  end)
end)

describe("the neighbours of a rectangle", function()
  local function found(...)
    local index = {}
    for place, one in ipairs({ ... }) do
      index[place] = { name = string.char(96 + place), x = one[1], y = one[2], w = one[3], h = one[4],
        depth = one[5] or 0, world = one[6] }
    end
    level_index.find_neighbours(index)
    return shown(index)
  end

  it("touch it at an edge or at a corner", function()
    assert.equal("a: b c, b: a c, c: a b d, d: c", found({ 0, 0, 10, 10 }, { 10, 0, 10, 10 }, { 10, 10, 5, 5 },
      { 15, 12, 1, 1 }))
    assert.equal("a: , b: ", found({ 0, 0, 10, 10 }, { 11, 0, 10, 10 }))
    assert.equal("a: , b: ", found({ 0, 0, 10, 10 }, { 0, 11, 10, 10 }))
  end)

  it("overlap it if they are at the next depth", function()
    assert.equal("a: b, b: a c, c: b, d: ", found({ 0, 0, 10, 10, 0 }, { 5, 5, 10, 10, 1 }, { 5, 5, 10, 10, 2 },
      { 10, 0, 5, 5, -1 }))
  end)

  it("are in the same world", function()
    assert.equal("a: c, b: , c: a", found({ 0, 0, 10, 10, 0, "x" }, { 0, 0, 10, 10, 0, "y" }, { 0, 0, 9, 9, 0, "x" }))
  end)

  it("are found if all levels are above one another or beside one another", function()
    for _, key in ipairs({ "x", "y" }) do
      local index = {}
      for place = 1, 3000 do
        index[place] = { name = "n" .. place, x = 0, y = 0, w = 10, h = 10, depth = 0 }
        index[place][key] = 10 * place
      end
      level_index.find_neighbours(index)
      assert.same({ { "n2" }, { "n1", "n3" }, { "n2999" } },
        { index[1].neighbours, index[2].neighbours, index[3000].neighbours })
    end
  end)

  it("are left out if too many levels overlap", function()
    local index, most = {}, level_index.MOST_PAIRS
    for place = 1, 20 do index[place] = { name = "n" .. place, x = 0, y = 0, w = 1, h = 1, depth = place % 2 } end
    level_index.MOST_PAIRS = 100
    level_index.find_neighbours(index)
    local count = level_index.overlapping(index)
    level_index.MOST_PAIRS = most
    for _, entry in ipairs(index) do assert.same({}, entry.neighbours) end
    assert.is_true(count > 0 and count <= 100)
    level_index.find_neighbours(index)
    assert.equal(19, #index[1].neighbours)
    assert.equal(100, (level_index.overlapping(index)))
  end)

  it("are the same as those that a comparison of all pairs finds, seed " .. seed, function()
    math.randomseed(seed)
    for _ = 1, 40 do
      local index, expected = {}, {}
      for place = 1, math.random(12) do
        index[place] = { name = "n" .. place, x = math.random(6), y = math.random(9), w = math.random(0, 3),
          h = math.random(0, 3), depth = math.random(3) }
      end
      for place, a in ipairs(index) do
        expected[place] = {}
        for _, b in ipairs(index) do
          local gap = math.max(b.x - (a.x + a.w), a.x - (b.x + b.w), b.y - (a.y + a.h), a.y - (b.y + b.h))
          local is_near = a.depth == b.depth and gap <= 0 or math.abs(a.depth - b.depth) == 1 and gap < 0
          if a ~= b and is_near and (a.depth == b.depth or (a.w > 0 and a.h > 0 and b.w > 0 and b.h > 0)) then
            table.insert(expected[place], b.name)
          end
        end
      end
      level_index.find_neighbours(index)
      for place, entry in ipairs(index) do assert.same(expected[place], entry.neighbours) end
    end
  end)

  it("are in the order of the index", function()
    assert.equal("a: b c, b: a c, c: a b", found({ 10, 0, 10, 10 }, { 20, 0, 10, 10 }, { 0, 0, 20, 20 }))
    assert.equal("", found())
  end)
end)

describe("the option split", function()
  it("makes a level source for each level of an LDtk project", function()
    local options = { split = true, tiles = "grid", int_grid = true, fields = "props" }
    local sources, warnings, tiles, index = assert(ldtk(encode(sample()), options))
    assert.same({}, warnings)
    assert.is_truthy(tiles.Ground)
    assert.equal("A: B, B: ", shown(index))
    options.split = nil
    for _, name in ipairs({ "A", "B" }) do
      options.levels = { name }
      assert.same(assert(ldtk(encode(sample()), options)), sources[name])
    end
    assert.same({ 148, 200, 0 }, sources.B.entities[1].components.transform.position)
  end)

  it("removes references to entities of other levels", function()
    local seen = {}
    local function door(fields, entity)
      if entity.references.back then seen[#seen + 1] = { fields.back or "nil", entity.references.back.entity } end
    end
    assert(ldtk(encode(sample()), { split = true, components = { Door = door } }))
    assert.same({ { "nil", "player-1" } }, seen)
  end)

  it("makes level sources of the chosen levels only", function()
    local sources = assert(ldtk(encode(sample()), { split = true, levels = { "B" } }))
    assert.is_nil(sources.A)
    assert.equal("B", sources.B.entities[1].name)
  end)

  it("refuses two levels of the same name", function()
    local document = changed(function(whole) whole.levels[2].identifier = "A" end)
    assert.equal('LDtk text: levels[2].identifier: two levels are named "A": split levels need different names',
      ldtk_sample.failure(document, { split = true }))
    assert.is_truthy(ldtk(encode(document)))
  end)
end)

describe("a world of Tiled", function()
  local SMALL = [[{"version":"1.10","width":4,"height":3,"tilewidth":8,"tileheight":8,"layers":[{"type":"objectgroup",
    "id":3,"name":"Things","objects":[{"id":1,"name":"door","x":4,"y":5}]}]}]]

  local function world(maps, options)
    options = options or {}
    options.directory = ""
    options.read = options.read or formats.reader({ ["cave.tmj"] = SMALL, ["deep/hall.tmj"] = SMALL,
      ["deep/cave.tmj"] = SMALL, ["iso.tmj"] = SMALL:gsub('"width"', '"orientation":"isometric","width"', 1),
      ["hex.tmj"] = SMALL:gsub('"width"', '"orientation":"hexagonal","hexsidelength":4,"width"', 1) })
    return tiled(assert(json.encode({ type = "world", maps = maps })), options)
  end

  local MAPS = { { fileName = "cave.tmj", x = -32, y = 0, width = 32, height = 24 },
    { fileName = "deep/hall.tmj", x = 0, y = 0, width = 32, height = 24 } }

  it("has an index with the rectangles of its maps", function()
    assert.same({ { name = "cave", x = -32, y = 0, w = 32, h = 24, depth = 0, neighbours = { "hall" } },
      { name = "hall", x = 0, y = 0, w = 32, h = 24, depth = 0, neighbours = { "cave" } } },
      (select(4, assert(world(MAPS)))))
  end)

  it("is imported in part with the option levels, without reading the other maps", function()
    for _, chosen in ipairs({ { "hall" }, { "deep/hall.tmj" }, function(map) return map.x == 0 end }) do
      local source, _, _, index = assert(world(MAPS, { levels = chosen,
        read = formats.reader({ ["deep/hall.tmj"] = SMALL }) }))
      assert.same({ 1, "hall", 2 }, { #source.entities, source.entities[1].name, #index })
    end
    assert.equal('Tiled text: unknown level "hal" (did you mean \'hall\'?)',
      (select(2, world(MAPS, { levels = { "hal" } }))))
  end)

  it("has sizes that are read from its maps if a person wrote it", function()
    local index = select(4, assert(world({ { fileName = "cave.tmj" }, { fileName = "iso.tmj", x = 8 },
      { fileName = "hex.tmj", x = 16 } }, { levels = {} })))
    assert.same({ 0, 32, 24 }, { index[1].x, index[1].w, index[1].h })
    assert.same({ 28, 28 }, { index[2].w, index[2].h })
    assert.same({ 36, 20 }, { index[3].w, index[3].h })
  end)

  it("is split into its maps", function()
    local sources, warnings, tiles, index = assert(world(MAPS, { split = true }))
    assert.same({ {}, {}, 2 }, { warnings, tiles, #index })
    assert.same({ -32, 0, 0 }, sources.cave.entities[1].components.transform.position)
    assert.same(assert(world(MAPS, { levels = { "hall" } })), sources.hall)
  end)

  it("is not split if two maps have the same name", function()
    local maps = { MAPS[1], { fileName = "deep/cave.tmj", width = 1, height = 1 } }
    assert.equal('Tiled text: maps[2].fileName: two levels are named "cave": split levels need different names',
      (select(2, world(maps, { split = true }))))
  end)

  it("is needed for the options levels and split", function()
    for _, options in ipairs({ { levels = { "a" } }, { split = true } }) do
      assert.equal("Tiled text: this is one map: the options levels and split are for worlds (.world)",
        (select(2, tiled(SMALL, options))))
    end
    assert.is_nil((select(4, assert(tiled(SMALL)))))
  end)
end)
