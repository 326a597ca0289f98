-- Bad data in Tiled maps, which is reported with its place, and wrong arguments, which raise errors.

local seed = require "spec.support.seed"
local rounds = require "spec.support.rounds"
local tiled = require "cuttle.import.tiled"
local tiled_sample = require "spec.support.tiled_sample"
local importing = require "spec.support.importing"
local raises = require "spec.support.raises"
local changed = tiled_sample.changed
local encode = tiled_sample.encode
local failure = tiled_sample.failure
local level_source = tiled_sample.level_source
local map = tiled_sample.map
local sample = tiled_sample.sample
local NULL = tiled_sample.NULL

describe("a bad Tiled map", function()
  it("is reported with file and place", function()
    local document = changed(function(_, _, _, objects) objects.objects[2].x = "5" end)
    assert.equal('map.tmj: layers[2].layers[1].objects[2].x: expected a number within 2^31, got "5"',
      failure(document, { name = "map.tmj" }))
  end)

  it("is reported with the path of its file", function()
    local path = os.tmpname()
    local file = assert(io.open(path, "wb"))
    file:write '{"layers": 5, "tilewidth": 1, "tileheight": 1, "width": 1, "height": 1}'
    file:close()
    local _, message = tiled(path)
    os.remove(path)
    assert.equal(path .. ": layers: expected an array, got 5", message)
  end)

  it("is refused if it has a duplicate key", function()
    local _, message = tiled('{"layers": [],\n "tilewidth": 16, "tilewidth": 8}')
    assert.equal('Tiled text: line 2 column 19: tilewidth: duplicate key "tilewidth"', message)
  end)

  it("is refused if a file that it names has a duplicate key", function()
    local document = map({}, { tilesets = { { firstgid = 1, source = "set.tsj" } } })
    local _, message = tiled(encode(document), { directory = "maps", read = function()
      return '{"name": "a", "name": "b"}'
    end })
    assert.equal('maps/set.tsj: line 1 column 15: an object has a duplicate key', message)
  end)

  it("is refused if its project has a duplicate key", function()
    local _, message = tiled(encode(sample()), { project = '{"propertyTypes": [], "propertyTypes": []}' })
    assert.equal('Tiled project text: line 1 column 23: propertyTypes: duplicate key "propertyTypes"', message)
  end)

  it("is reported if its file is missing", function()
    local _, message = tiled("no/such/map.tmj")
    assert.equal("no/such/map.tmj: cannot read: No such file or directory", message)
  end)

  it("is reported with line and column if it is not JSON", function()
    local _, message = tiled('{"type": "map",\n "layers": [}')
    assert.equal("Tiled text: line 2 column 13: layers[1]: expected a value, got '}'", message)
  end)

  it("is refused if it is JSON of another format", function()
    for _, text in ipairs({ "{}", '{"layers":[]}', "[]", "[1,2]", '{"type":5}' }) do
      local _, message = tiled(text)
      assert.matches("not a Tiled map", message)
    end
    for kind, hint in pairs({ tileset = "a tileset", template = "an object template" }) do
      local _, message = tiled('{"type":"' .. kind .. '"}')
      assert.matches("^Tiled text: " .. hint .. " of Tiled: import ", message)
    end
  end)

  for version, text in pairs({
    ["2.0"] = "Tiled 2.0 is newer than this importer supports (1.x): export for version 1.10",
    ["1.1"] = "Tiled 1.1 is older than this importer supports (1.2): open and save the map in Tiled 1.8 or later",
    new = 'expected a version such as "1.10", got "new"' }) do
    it("is refused if its version is " .. version, function()
      assert.equal("Tiled text: version: " .. text, failure(map({}, { version = version })))
    end)
  end

  it("is accepted if its version is any 1.x, a number or missing", function()
    for _, version in ipairs({ "1.2", "1.8", "1.11", 1.2, 1.6, NULL }) do
      assert.is_table(level_source(map({}, { version = version })))
    end
  end)

  it("is refused if a layer has an unknown type", function()
    local document = changed(function(_, floor) floor.type = "tileslayer" end)
    assert.equal("Tiled text: layers[1].type: unknown layer type \"tileslayer\" (did you mean 'tilelayer'?)",
      failure(document))
  end)

  it("is refused if two layers have the same id", function()
    local document = changed(function(_, _, _, objects) objects.id = 1 end)
    assert.equal('Tiled text: layers[2].layers[1].id: 1 is also the id of layer "Floor"', failure(document))
  end)

  it("is refused if it is nested to any depth", function()
    local text = '{"type":"group","id":0,"layers":['
    local _, message = tiled('{"tilewidth":1,"tileheight":1,"width":1,"height":1,"layers":['
      .. text:rep(900) .. "5" .. ("]}"):rep(900) .. "]}")
    assert.matches("layers%[1%]: expected an object, got 5$", message)
  end)

  it("is accepted with a byte order mark", function()
    assert.is_table(tiled("\239\187\191 \n" .. encode(sample())))
  end)
end)

describe("a wrong argument of the Tiled importer", function()
  importing.refuses(tiled, "tiled", {
    misspelt = { "tilse", "tiles" },
    types = { components = 5, fields = 5, tiles = "yes", tile = true, layer = {}, map = {}, layers = "A", project = {},
      levels = "A", split = 1, inflate = "zlib", directory = 1, name = 1, read = "x", json = {} },
    contents = { { fields = "" }, { layers = { 5 } }, { levels = { 5 } } },
  })

  it("raises if a layer name is not a string", function()
    raises('option "layers": expected an array of names, got number', tiled, "{}", { layers = { 5 } })
  end)
end)

describe("a damaged Tiled map (seed " .. seed .. ")", function()
  local function junk()
    local all = { NULL, 0, -1, 1.5, 1e300, math.huge, 2 ^ 31, 2 ^ 32 - 1, "", "x", "#ff", true, false, {}, { 1 },
      { { {} } }, { x = 1 }, { NULL }, "base64", "zlib", "isometric", "hexagonal", "x", "even", "class", "object",
      "group", "tilelayer", "objectgroup", "AAAA", "kind.tj", "set.tsj" }
    return all[math.random(#all)]
  end

  local function damage(document)
    return importing.damage(document, junk)
  end

  -- The sample with a template, a tileset, a class, base64 data and chunks.
  local function whole()
    local document = sample()
    local property = tiled_sample.property
    local objects = document.layers[2].layers[1].objects
    objects[4] = { id = 9, x = 1, y = 2, template = "kind.tj", properties = {
      property("stats", "class", { hp = 3 }, "Stats") } }
    objects[5] = tiled_sample.object(10, "p", "Stats", 0, 0, { polygon = { { x = 0, y = 0 }, { x = 5, y = 5 } } })
    objects[6] = tiled_sample.object(11, "t", "", 0, 0, { text = { text = "x", color = "#ffffff" } })
    document.layers[4] = tiled_sample.floor(7, "Coded", 1, 1, "AQAAAA==", { encoding = "base64" })
    document.layers[5] = tiled_sample.floor(8, "Chunks", 2, 1, nil, { chunks = {
      { x = -1, y = 0, width = 1, height = 1, data = { 8 } } } })
    document.tilesets[2] = { firstgid = 7, source = "set.tsj" }
    local set = tiled_sample.tileset({ name = "Other", tileoffset = { x = 1, y = 1 }, tilerendersize = "grid" })
    return document, { ["maps/set.tsj"] = set,
      ["maps/kind.tj"] = { object = { name = "k", type = "Stats", gid = 2, width = 8, height = 8,
        properties = { property("stats", "class", { hp = 2 }, "Stats") } },
        tileset = { firstgid = 1, source = "set.tsj" } } },
      { propertyTypes = { { type = "class", name = "Stats", members = { { name = "hp", type = "int", value = 1 },
        { name = "flags", type = "string", value = "a", propertyType = "Flags" } } },
        { type = "enum", name = "Flags", values = { "a", "b" }, valuesAsFlags = true } } }
  end

  local function empty() return {} end

  -- Imports with all options, or if `is_quiet` is set with none, so that all parts are counted or kept.
  local function import(document, files, project, is_quiet)
    local options = { directory = "maps", name = "damaged", read = tiled_sample.reader(files),
      project = encode(project), fields = math.random(2) == 1 and "props" or nil }
    if not is_quiet then
      options.tiles, options.tile, options.map, options.components = true, empty, empty, { ["*"] = empty }
      options.layer = function(one) return one.cells and one.cells() and {} or {} end
    end
    return pcall(tiled, encode(document), options)
  end

  it("is imported before it is damaged", function()
    local ok, result, message = import(whole())
    assert.is_true(ok, result)
    importing.assert_is_source(assert(result, message).entities)
  end)

  it("is imported or refused with a message, and never raises", function()
    math.randomseed(seed % 2 ^ 31)
    for _ = 1, rounds(600, 200) do
      local document, files, project = whole()
      local which = math.random(6)
      if which == 1 then
        damage(files)
      elseif which == 2 then
        damage(project)
      else
        damage(document)
      end
      local ok, result, message = import(document, files, project, math.random(3) == 1)
      assert.is_true(ok, "seed " .. seed .. ": " .. tostring(result) .. "\n" .. encode(document))
      if result then
        importing.assert_is_source(result.entities)
      else
        assert.is_string(message)
        assert.matches("^[%w ./]+: ", message)
      end
    end
  end)

  it("is refused if its text was cut off at any length", function()
    local text = encode(sample())
    math.randomseed(seed % 2 ^ 31)
    for _ = 1, rounds(100, 50) do
      local ok, result, message = pcall(tiled, text:sub(1, math.random(#text - 1)))
      assert.is_true(ok, result)
      assert.is_nil(result)
      assert.is_string(message)
    end
  end)
end)
