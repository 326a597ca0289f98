-- Bad LDtk data, which is reported with its place, and wrong arguments, which raise errors.

local ldtk = require "cuttle.import.ldtk"
local ldtk_sample = require "spec.support.ldtk_sample"
local rounds = require "spec.support.rounds"
local seed = require "spec.support.seed"
local folder = require "spec.support.folder"
local importing = require "spec.support.importing"
local raises = require "spec.support.raises"
local changed = ldtk_sample.changed
local encode = ldtk_sample.encode
local failure = ldtk_sample.failure
local level_source = ldtk_sample.level_source
local sample = ldtk_sample.sample
local NULL = ldtk_sample.NULL

local files
before_each(function() files = folder.new() end)
after_each(function() files:remove() end)

describe("a bad LDtk project", function()
  it("is reported with file and place", function()
    local document = changed(function(_, _, things) things.entityInstances[2].px = { 1 } end)
    assert.equal("map.ldtk: levels[1].layerInstances[1].entityInstances[2].px: expected 2 numbers, got 1",
      failure(document, { name = "map.ldtk" }))
  end)

  it("is reported with the path of its file", function()
    local path = files:write("map.ldtk", '{"jsonVersion": "1.5.3"}')
    local _, message = ldtk(path)
    assert.equal(path .. ": levels: expected an array, got no value", message)
  end)

  it("is refused if it has a duplicate key", function()
    local _, message = ldtk('{"jsonVersion": "1.5.3",\n "levels": [], "levels": []}')
    assert.equal('LDtk text: line 2 column 16: levels: duplicate key "levels"', message)
  end)

  it("is refused if a level file has a duplicate key", function()
    local text = '{"jsonVersion": "1.5.3", "levels": [{"identifier": "A", "iid": "a", "uid": 1, "worldX": 0, '
      .. '"worldY": 0, "pxWid": 16, "pxHei": 16, "layerInstances": null, "externalRelPath": "a.ldtkl"}]}'
    local _, message = ldtk(text, { directory = "maps", read = function()
      return '{"layerInstances": [], "layerInstances": []}'
    end })
    assert.equal('maps/a.ldtkl: line 1 column 24: an object has a duplicate key', message)
  end)

  it("is refused if it has a duplicate key that a given decoder does not report", function()
    local _, message = ldtk('{"jsonVersion": "1.5.3", "jsonVersion": "1.5.3"}', { json = function() return {} end })
    assert.matches('duplicate key "jsonVersion"', message, 1, true)
  end)

  it("is reported if its file is missing", function()
    local _, message = ldtk("no/such/map.ldtk")
    assert.equal("no/such/map.ldtk: cannot read: No such file or directory", message)
  end)

  it("is refused if its path is not possible", function()
    assert.is_nil((ldtk("a\0b")))
    assert.is_nil((ldtk("")))
  end)

  it("is reported with line and column if it is not JSON", function()
    local _, message = ldtk('{"jsonVersion": "1.5.3",\n "levels": [}')
    assert.equal("LDtk text: line 2 column 13: levels[1]: expected a value, got '}'", message)
  end)

  it("is refused if it is XML or Lua", function()
    assert.equal("LDtk text: this is XML, not JSON: use the tiled importer for maps of Tiled in this format",
      (select(2, ldtk('<?xml version="1.0"?><map/>'))))
    assert.equal("LDtk text: this is Lua, not JSON: use the tiled importer for maps of Tiled in this format",
      (select(2, ldtk("return {\n}"))))
  end)

  it("is refused if it is JSON of another format", function()
    for _, text in ipairs({ "{}", '{"levels":[]}', "[]", "[1,2]", '{"jsonVersion":null}' }) do
      local _, message = ldtk(text)
      assert.matches("not an LDtk project", message)
    end
  end)

  it("is refused if its version is newer", function()
    local message = failure(changed(function(whole) whole.jsonVersion = "2.0.0" end))
    assert.matches("jsonVersion: LDtk 2.0.0 is newer than this importer supports (1.x)", message, 1, true)
  end)

  it("is refused if its version is older", function()
    local message = failure(changed(function(whole) whole.jsonVersion = "0.9.3" end))
    assert.matches("jsonVersion: LDtk 0.9.3 is older .*: open and save it in LDtk 1.x", message)
  end)

  it("is refused if it is from a beta with a number as version, or without one", function()
    local message = failure(changed(function(whole) whole.jsonVersion = 1 end))
    assert.matches("jsonVersion: LDtk 1 is older than this importer supports (1.x): open and save it", message, 1, true)
    assert.equal("LDtk text: this project of an LDtk beta, without jsonVersion, is older than this importer supports "
      .. "(1.x): open and save it in LDtk 1.x", failure(changed(function(whole) whole.jsonVersion = nil end)))
  end)

  it("is refused if its version is not a version", function()
    assert.matches('jsonVersion: expected a version such as "1.5.3", got "new"',
      failure(changed(function(whole) whole.jsonVersion = "new" end)), 1, true)
  end)

  it("is accepted if its version is any 1.x", function()
    for _, version in ipairs({ "1.0.0", "1.12.1", "1.6.0-beta" }) do
      assert.is_table(level_source(changed(function(whole) whole.jsonVersion = version end)))
    end
  end)

  it("is refused if it refers to a repeated iid", function()
    local document = changed(function(_, _, things) things.entityInstances[2].iid = "player-1" end)
    assert.equal("LDtk text: levels[2].layerInstances[1].entityInstances[1].fieldInstances[1].__value.entityIid: "
      .. '"player-1" is not unique: at levels[1].layerInstances[1].entityInstances[1] and at '
      .. "levels[1].layerInstances[1].entityInstances[2]", failure(document))
  end)

  it("is accepted with a byte order mark", function()
    assert.is_table(ldtk("\239\187\191 \n" .. encode(sample())))
  end)

  it("is refused if it is nested to any depth", function()
    local _, message = ldtk('{"jsonVersion":"1.5.3","levels":' .. ("["):rep(50000) .. ("]"):rep(50000) .. "}")
    assert.equal("LDtk text: levels[1]: expected an object, got array", message)
  end)

  local numbers = { math.huge, 1e300, -1e300 }
  for _, number in ipairs(numbers) do
    it("is refused if a position is as large as " .. number, function()
      local message = failure(changed(function(_, first) first.worldX = number end))
      assert.matches("levels[1].worldX: expected a number within 2^31", message, 1, true)
    end)
  end
end)

describe("a wrong argument of the LDtk importer", function()
  importing.refuses(ldtk, "ldtk", {
    misspelt = { "tilse", "tiles" },
    types = { components = 5, fields = 5, depth = "x", tiles = "yes", tile = true, int_grid = 1, layer = {},
      level = {}, levels = "A", split = 1,
      worlds = 1, directory = 1, name = 1, read = "x", json = {} },
    contents = { { fields = "" }, { depth = 1 / 0 }, { depth = 0 / 0 }, { levels = { 5 } }, { worlds = { 5 } } },
  })

  it("raises if a level name is not a string", function()
    raises('option "levels": expected an array of names, got number', ldtk, "{}", { levels = { 5 } })
  end)

  it("raises if a world name is not a string", function()
    raises('option "worlds": expected an array of names, got number', ldtk, "{}", { worlds = { 5 } })
  end)
end)

describe("a decoder given as an option", function()
  it("reads any text", function()
    local result = ldtk("[whatever]", { json = function() return sample() end })
    assert.equal(2, #result.entities)
  end)

  it("may raise an error", function()
    local _, message = ldtk("{}", { json = function() error("cannot") end })
    assert.matches("LDtk text: .*cannot", message)
  end)
end)

describe("a damaged document, seed " .. seed .. ",", function()
  local function junk()
    local all = { NULL, 0, -1, 1.5, 1e300, math.huge, "", "x", "#ff", true, false, {}, { 1 }, { { {} } },
      { x = 1 }, { NULL }, "Array<Point>", "Array<EntityRef>", "Tile", "LinearHorizontal" }
    return all[math.random(#all)]
  end

  local options = { tiles = true, tile = function() return {} end, int_grid = function() return {} end,
    layer = function() return {} end, level = function() return {} end, name = "damaged",
    components = { ["*"] = function() return {} end } }

  local function check(given)
    math.randomseed(seed)
    for _ = 1, rounds(250, 70) do
      local text = encode(importing.damage(sample(), junk))
      local ok, result, message = pcall(ldtk, text, given)
      assert.is_true(ok, tostring(result) .. "\n" .. text)
      if result then
        importing.assert_is_source(result.entities)
      else
        assert.matches("^damaged: ", message)
      end
    end
  end

  it("is imported or refused with a message, and never raises", function()
    check(options)
  end)

  it("is imported or refused with a message with few options", function()
    check({ name = "damaged", depth = 2 })
    check({ name = "damaged", fields = "props" })
  end)
end)
