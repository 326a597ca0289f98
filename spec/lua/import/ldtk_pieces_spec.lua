-- Long lists of tiles, which are decoded in pieces, compared with the decoded document.

local cuttle = require "cuttle"
local lazy = require "cuttle.compiler.lazy"
local ldtk = require "cuttle.import.ldtk"
local ldtk_sample = require "spec.support.ldtk_sample"
local json = require "cuttle.json"
local mutate = require "spec.fuzz.mutate"
local pieces = require "cuttle.import.ldtk_pieces"
local rounds = require "spec.support.rounds"
local seed = require "spec.support.seed"

local LEAST, BYTES = pieces.least, pieces.bytes

-- Calls fn() with a size of pieces and a minimum length of lists.
local function with(least, bytes, fn)
  pieces.least, pieces.bytes = least, bytes
  local results = { pcall(fn) }
  pieces.least, pieces.bytes = LEAST, BYTES
  if not results[1] then error(results[2], 0) end
  return unpack(results, 2, 4)
end

local function whole(fn) return with(math.huge, BYTES, fn) end

local function document(count) return ldtk_sample.encode(ldtk_sample.tiled(count)) end

-- The text with extra blanks.
local function spread(text)
  return (text:gsub("[{,]", "%0\n\t "):gsub("[%]}:]", " %0 "))
end

-- The result of an import as text.
local function made(text, options)
  local source, warnings, tiles_by_name = ldtk(text, options)
  if not source then return warnings end
  return assert(json.encode({ source, warnings })), tiles_by_name
end

local function decoded(text, least)
  return with(least or 0, BYTES, function()
    return pieces.decode(text, function(part) return (json.decode(part)) end)
  end)
end

describe("long lists of tiles", function()
  it("are decoded when they are read", function()
    local layers = decoded(document(120)).levels[1].layerInstances
    for index, key in ipairs({ "autoLayerTiles", "gridTiles" }) do
      local list = layers[index + 1][key]
      assert.is_true(lazy.is(list))
      assert.equal(120, lazy.length(list))
      for _, place in ipairs({ 120, 1, 2, 60 }) do assert.equal(place % 9, list[place].t) end
      assert.is_nil(list[0] or list[121])
    end
    assert.is_false(lazy.is(layers[2].gridTiles))
  end)

  it("give the same result for any layout of the text", function()
    local text = document(120)
    for _, options in ipairs({ {}, { tiles = true }, { tiles = "grid" }, { tiles = true, int_grid = true,
      tile = function(tile) return tile.t ~= 3 and { health = { hp = tile.px[1] + tile.src[1] } } end } }) do
      local expected, tiles_by_name = whole(function() return made(text, options) end)
      for _, other in ipairs({ text, spread(text), "\239\187\191" .. text }) do
        for _, bytes in ipairs({ BYTES, 200, 1000 }) do
          local result, known = with(0, bytes, function() return made(other, options) end)
          assert.equal(expected, result)
          assert.same(tiles_by_name, known)
        end
      end
    end
  end)

  it("may be in separate files and in worlds", function()
    local text = document(120)
    local level = assert(json.decode(text)).levels[1]
    local own = assert(json.encode(level))
    local outer = ldtk_sample.sample()
    outer.levels[1].layerInstances, outer.levels[1].externalRelPath = json.null, "a.ldtkl"
    outer = ldtk_sample.encode(outer)
    local worlds = ldtk_sample.sample()
    worlds.worlds = { { identifier = "W", worldLayout = "Free", levels = { level } } }
    worlds = ldtk_sample.encode(worlds)
    local function read(path) return path == "a.ldtkl" and own or nil end
    for _, other in ipairs({ outer, worlds }) do
      local function import() return made(other, { tiles = true, read = read }) end
      assert.equal(whole(import), (import()))
    end
    assert.is_true(lazy.is(decoded(own).layerInstances[2].autoLayerTiles))
    assert.is_true(lazy.is(decoded(worlds).worlds[1].levels[1].layerInstances[3].gridTiles))
  end)

  it("are refused with the same message as the whole text", function()
    local text = document(120)
    local cases = {
      { '"t":4', '"t":4 4', "expected ',' or '}', got '4'" },
      { '"t":4', '"t":4,"f":1,"t":4', "duplicate key" },
      { '"px":%[16,0%]', '"px":[16,0', "expected ',' or ']', got '" },
      { '"t":4', '"t":"4"', 'expected an integer, got "4"' },
      { '"px":%[16,0%]', '"px":[[16,0]]', "expected 2 numbers, got 1" },
      { ",{[^{}]*}", ",4", "expected an object, got 4" },
    }
    for _, case in ipairs(cases) do
      local pattern, replaced, expected = unpack(case)
      local first = text:find(pattern, math.floor(#text / 2))
      local broken = text:sub(1, first - 1) .. text:sub(first):gsub(pattern, replaced, 1)
      local function import() return (select(2, ldtk(broken, { tile = function() end }))) end
      local message = whole(import)
      assert.is_string(message)
      assert.matches(expected, message, 1, true)
      assert.equal(message, (with(0, 200, import)))
    end
  end)

  it("are left in the text if their place in the document is not certain", function()
    local long = document(120)
    local list = long:match('"gridTiles":(%[{.-}%])')
    for _, text in ipairs({
      '{"gridTiles":' .. list .. "}",
      '{"levels":[{"layerInstances":[{"fields":{"gridTiles":' .. list .. "}}]}]}",
      '{"layerInstances":[{"gridTiles":' .. list .. ',"gridTiles":' .. list .. "}]}",
      '{"layerInstances":[{"a\\"gridTiles":' .. list .. "}]}",
      long .. long,
      long .. "cuttle: a list of tiles ",
    }) do
      assert.is_nil(decoded(text))
    end
    assert.is_nil(decoded '{"layerInstances":[{"gridTiles":[{},[{}],{}]}]}')
    local text = '{"layerInstances":[{"gridTiles":' .. list .. "}]}"
    assert.is_true(lazy.is(decoded(text).layerInstances[1].gridTiles))
  end)

  it("are found in one pass if many begin and none ends", function()
    local looked, text = 0, "{" .. ('"gridTiles":[{},'):rep(400)
    pieces.bytes = nil
    setmetatable(pieces, { __index = function()
      looked = looked + 1
      return 64
    end })
    local ran, result = pcall(pieces.decode, text, function(part) return (json.decode(part)) end)
    setmetatable(pieces, nil).bytes = BYTES
    assert.is_true(ran)
    assert.is_nil(result)
    assert.is_true(looked > 0 and looked < #text / 64 * 3, looked)
  end)

  it("compile as lazy children to the same bytes", function()
    local world = cuttle.world(cuttle.entity_manager())
    local function compile(more)
      return assert(cuttle.compiler(world):compile((assert(ldtk(document(120), { tiles = true, lazy = more })))))
    end
    assert.equal(compile(false), compile(true))
    local source = assert(ldtk(document(120), { tiles = true, lazy = true }))
    assert.is_true(lazy.is(source.entities[1].children[2].children))
    assert.is_nil(source.entities[2].children[1].children[2])
  end)
end)

describe("damaged lists of tiles, seed " .. seed, function()
  it("give the same result as the whole text", function()
    math.randomseed(seed)
    local text, cut = document(12), 0
    for _ = 1, rounds(150, 40) do
      local damaged = mutate(text, { text })
      local options = { tiles = ({ true, false, "grid" })[math.random(4)], directory = "" }
      local function import() return made(damaged, options) end
      local least, bytes = math.random(0, 300), math.random(80, 600)
      if decoded(damaged, least) then cut = cut + 1 end
      local expected, result = whole(import), with(least, bytes, import)
      if expected ~= result then error("another result of: " .. damaged) end
    end
    assert.is_true(cut > 0)
  end)
end)
