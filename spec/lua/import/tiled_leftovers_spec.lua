-- The parts of a Tiled map that an import omits, which are reported in warnings or kept.

local cuttle = require "cuttle"
local json = require "cuttle.json"
local raises = require "spec.support.raises"
local tiled = require "cuttle.import.tiled"
local tiled_sample = require "spec.support.tiled_sample"
local changed = tiled_sample.changed
local encode = require("spec.support.ldtk_sample").encode
local floor = tiled_sample.floor
local level_source = tiled_sample.level_source
local map = tiled_sample.map
local property = tiled_sample.property

local function warnings(document, options)
  return select(2, assert(tiled(encode(document or tiled_sample.sample()), options)))
end

local TILES = "Tiled text: %d tiles are left out: option tiles converts them to entities or grids"
local FIELDS = "Tiled text: %d custom fields are left out (%d parts without a mapping): option components maps them, "
  .. "option fields keeps them"

describe("the warnings of a Tiled import", function()
  it("are empty if every option is set", function()
    assert.same({}, warnings(nil, { tiles = true, fields = "props" }))
  end)

  it("count omitted tiles and properties", function()
    assert.same({ TILES:format(4), FIELDS:format(9, 2) }, warnings())
  end)

  it("do not count parts that an option declined or a mapping received", function()
    local function nothing() return nil end
    assert.same({}, warnings(nil, { tiles = false, components = { ["*"] = nothing } }))
    assert.same({}, warnings(nil, { fields = "props", layer = function(one)
      if one.cells then one.cells() end
    end }))
  end)

  it("count only tiles of imported layers", function()
    assert.same({}, warnings(nil, { layers = { "Sky" } }))
  end)

  it("count properties of tiles, layers and the map itself", function()
    local document = changed(function(whole, ground)
      whole.properties = { property("music", "string", "theme.ogg") }
      ground.properties = { property("wet", "bool", true) }
    end)
    assert.same({ FIELDS:format(13, 5) }, warnings(document, { tiles = true }))
    assert.same({ "Tiled text: 1 custom field is left out (1 part without a mapping): option components maps them, "
      .. "option fields keeps them" }, warnings(document, { tiles = true, fields = "props" }))
    assert.same({}, warnings(document, { tiles = true, fields = "props", map = function() end }))
  end)

  it("count layers whose tiles cannot be decoded", function()
    local document = map({ floor(1, "Floor", 2, 1, "????", { encoding = "base64" }), floor(2, "Roof", 1, 1, { 1 }) })
    assert.same({ "Tiled text: 1 tile is left out: option tiles converts them to entities or grids",
      "Tiled text: the tiles of 1 packed layer are left out: option tiles converts them to entities or grids" },
      warnings(document))
  end)
end)

describe("properties of Tiled in a component", function()
  it("are its value", function()
    local hero = level_source(nil, { fields = "props" }).entities[2].children[1].children[1]
    local value = hero.components.props.value
    assert.same({ 12, 1.5, true, "Eve", 2 }, { value.hp, value.speed, value.boss, value.title, value.target })
    assert.is_nil(value.gone)
  end)

  it("include properties of layers and tiles", function()
    local document = changed(function(_, ground) ground.properties = { property("wet", "bool", true) } end)
    local entity = level_source(document, { fields = "props", tiles = true }).entities[1]
    assert.same({ value = { wet = true } }, entity.components.props)
    assert.is_nil(entity.children[1].components.props)
    assert.same({ value = { hard = true, hp = 5 } }, entity.children[2].components.props)
  end)

  it("are in the spawned level after a conversion to JSON", function()
    local world = cuttle.world(cuttle.entity_manager())
    world:define("props", { { "value", "value" } })
    local text = assert(json.encode(level_source(nil, { fields = "props" })))
    local level = assert(world:spawn(cuttle.resource(assert(cuttle.compiler(world):compile(text)))))
    assert.equal("Eve", world.props:value(level:find "hero").title)
  end)

  it("need a name that no other component has", function()
    raises('option "fields": expected the name of a component with a value, got "transform"', tiled, "{}",
      { fields = "transform" })
  end)
end)

describe("an empty tileset of a Tiled map", function()
  local function empty(first, parts)
    local set = { firstgid = first, name = "Empty", tilewidth = 16, tileheight = 16, tilecount = 0, columns = 0 }
    for key, value in pairs(parts or {}) do set[key] = value end
    return set
  end

  -- The tileset of id 2, in a map with given tilesets before and after the sample's.
  local function tileset_of_id_2(before, after)
    local document = map({ floor(1, "Floor", 1, 1, { 2 }) }, { tilesets = { before, tiled_sample.tileset(), after } })
    local name
    level_source(document, { tile = function(tile) name = tile.tileset.name end })
    return name
  end

  it("may have the first id of the next tileset", function()
    assert.equal("Ground", tileset_of_id_2(empty(1)))
  end)

  it("may have a missing image", function()
    assert.equal("Ground", tileset_of_id_2(empty(1, { image = "gone.png", imagewidth = 0, imageheight = 0 })))
  end)

  it("may follow a tileset with the same first id", function()
    assert.equal("Ground", tileset_of_id_2(empty(1), empty(1)))
  end)

  it("is passed to the mapping of the map", function()
    local document = map({}, { tilesets = { empty(1), tiled_sample.tileset() } })
    local names = {}
    level_source(document, { map = function(_, one)
      for index, range in ipairs(one.tilesets) do names[index] = range.tileset.name end
    end })
    assert.same({ "Empty", "Ground" }, names)
  end)

  it("is refused with a repeated first id if it is not empty", function()
    local document = map({}, { tilesets = { tiled_sample.tileset(), tiled_sample.tileset() } })
    assert.equal("Tiled text: tilesets[2].firstgid: 1 is also the firstgid of tilesets[1]",
      tiled_sample.failure(document))
  end)
end)
