-- The parts of an LDtk project that an import omits, which are reported in warnings or kept.

local cuttle = require "cuttle"
local json = require "cuttle.json"
local ldtk = require "cuttle.import.ldtk"
local ldtk_sample = require "spec.support.ldtk_sample"
local changed = ldtk_sample.changed
local encode = ldtk_sample.encode
local raises = require "spec.support.raises"
local sample = ldtk_sample.sample

local function warnings(document, options)
  return select(2, assert(ldtk(encode(document or sample()), options)))
end

-- Asserts that one of the warnings contains the text.
local function assert_warned(text, list)
  assert.is_truthy(table.concat(list, "\n"):find("LDtk text: " .. text, 1, true), table.concat(list, "\n"))
end

local EVERYTHING = { tiles = true, int_grid = true, fields = "props" }

describe("the warnings of an LDtk import", function()
  it("are empty if every option is set", function()
    assert.same({}, warnings(nil, EVERYTHING))
  end)

  it("count omitted tiles, cells and custom fields", function()
    assert.same({ "LDtk text: 4 tiles are left out: option tiles converts them to entities or grids",
      "LDtk text: 2 int grid cells are left out: option int_grid converts them to entities",
      "LDtk text: 19 custom fields are left out (3 parts without a mapping): option components maps them, option "
        .. "fields keeps them" }, warnings())
  end)

  it("do not count parts that an option declined or a mapping received", function()
    local function nothing() return nil end
    assert.same({}, warnings(nil, { tiles = false, int_grid = false, level = nothing,
      components = { ["*"] = nothing } }))
    assert.same({}, warnings(nil, { tiles = false, layer = nothing, level = nothing,
      components = { Player = nothing, Door = nothing } }))
  end)

  it("count only fields of imported levels and entities", function()
    assert.same({ "LDtk text: 18 custom fields are left out (2 parts without a mapping): option components maps them, "
      .. "option fields keeps them" }, warnings(nil, { levels = { "A" }, tiles = false, int_grid = false }))
    assert.same({}, warnings(nil, { levels = { "B" } }))
  end)

  it("report a repeated iid", function()
    local document = changed(function(whole) whole.levels[2].layerInstances[1].iid = "layer-a" end)
    assert_warned('1 iid is not unique, such as "layer-a" of levels[1].layerInstances[1] and '
      .. "levels[2].layerInstances[1]: these parts have no id", warnings(document))
  end)

  it("report levels that overlap at different depths", function()
    local document = changed(function(whole) whole.levels[2].worldX, whole.levels[2].worldDepth = 130, 0 end)
    assert.same({ 'LDtk text: levels "A" and "B" overlap at depths 1 and 0: option depth converts the depth to z' },
      warnings(document, EVERYTHING))
  end)

  it("report the number of further overlapping levels", function()
    local document = changed(function(whole)
      whole.levels[2].worldX, whole.levels[2].worldDepth = 130, 0
      local third = sample().levels[2]
      third.identifier, third.iid, third.layerInstances, third.worldDepth = "C", "level-c", {}, 2
      third.worldX = 120
      whole.levels[3] = third
    end)
    assert.same({ 'LDtk text: levels "A" and "C" overlap at depths 1 and 2 (and 2 more): option depth '
      .. "converts the depth to z" }, warnings(document, EVERYTHING))
  end)

  it("do not report levels that do not overlap, or have the same depth", function()
    assert.same({}, warnings(changed(function(whole) whole.levels[2].worldDepth = 0 end), EVERYTHING))
    assert.same({}, warnings(changed(function(whole) whole.levels[2].worldX = 130 end), EVERYTHING))
  end)
end)

describe("a repeated iid in an LDtk project", function()
  local function twice()
    return changed(function(whole) whole.levels[2].layerInstances[1].iid = "layer-a" end)
  end

  it("is not used as an id", function()
    local entities = ldtk_sample.level_source(twice()).entities
    assert.is_nil(entities[1].children[1].id)
    assert.is_nil(entities[2].children[1].id)
    assert.equal("layer-w", entities[1].children[2].id)
  end)

  it("is passed to mappings", function()
    local iids = {}
    ldtk_sample.level_source(twice(), { layer = function(one) iids[#iids + 1] = one.iid end })
    assert.same({ "layer-a", "layer-w", "layer-f", "layer-a" }, iids)
  end)

  it("is allowed for an entity without references to it", function()
    local document = changed(function(whole)
      local things = whole.levels[2].layerInstances[1].entityInstances
      things[2] = sample().levels[2].layerInstances[1].entityInstances[1]
    end)
    local doors = ldtk_sample.level_source(document).entities[2].children[1].children
    assert.same({ "Door", "Door" }, { doors[1].name, doors[2].name })
    assert.is_nil(doors[1].id)
    assert.is_nil(doors[2].id)
  end)
end)

describe("custom fields of LDtk in a component", function()
  local function props(options)
    options = options or { fields = "props" }
    local entities = ldtk_sample.level_source(nil, options).entities
    return entities[1].children[1].children[1].components, entities
  end

  it("are its value", function()
    local components = props()
    local value = components.props.value
    assert.same({ 12, 1.5, true, "Bow", "door-1" }, { value.hp, value.speed, value.boss, value.item, value.target })
    assert.same({ { cx = 0, cy = 1, x = 0, y = 16 }, { cx = 1, cy = 1, x = 16, y = 16 } }, value.path)
    assert.is_nil(value.nothing)
  end)

  it("include fields of levels", function()
    local _, entities = props()
    assert.same({ value = { music = "theme.ogg" } }, entities[1].components.props)
  end)

  it("exclude entities with a mapping, and entities without fields", function()
    local components, entities = props({ fields = "props", components = { Player = function() end } })
    assert.is_nil(components.props)
    assert.is_nil(entities[1].children[1].children[2].components.props)
  end)

  it("are in the spawned level after a conversion to JSON", function()
    local world = cuttle.world(cuttle.entity_manager())
    world:define("props", { { "value", "value" } })
    local text = assert(json.encode(ldtk_sample.level_source(nil, { fields = "props" })))
    local level = assert(world:spawn(cuttle.resource(assert(cuttle.compiler(world):compile(text)))))
    local value = world.props:value(level:find "Player")
    assert.equal("one\ntwo", value.story)
    assert.same({ "a", "c" }, value.words)
  end)

  it("need a name that no other component has", function()
    raises('option "fields": expected the name of a component with a value, got "transform"', ldtk, "{}",
      { fields = "transform" })
    raises('option "fields": expected the name of a component with a value, got ""', ldtk, "{}", { fields = "" })
  end)
end)

describe("the depth of LDtk levels", function()
  local function heights(depth)
    local list = {}
    local document = changed(function(whole) whole.levels[2].worldDepth = -2 end)
    for index, node in ipairs(ldtk_sample.level_source(document, { depth = depth }).entities) do
      list[index] = node.components.transform.position[3]
    end
    return list
  end

  it("is ignored by default", function()
    assert.same({ 0, 0 }, heights())
    assert.same({ 0, 0 }, heights(false))
  end)

  it("becomes z", function()
    assert.same({ 1, -2 }, heights(true))
  end)

  it("becomes z times the option depth", function()
    assert.same({ 10, -20 }, heights(10))
  end)
end)

describe("the definitions of an LDtk project", function()
  local function project()
    return changed(function(whole)
      whole.defs.enums = { { identifier = "Item", uid = 30, tags = { "loot" }, values = {
        { id = "Bow", color = 0xff8000, tileRect = { tilesetUid = 7, x = 0, y = 0, w = 16, h = 16 } },
        { id = "Key" } } } }
      whole.defs.externalEnums = { { identifier = "Mood", externalRelPath = "moods.hx", values = { { id = "calm" } } } }
      whole.defs.entities = { { identifier = "Player", uid = 3, width = 16, height = 24, pivotX = 0.5, pivotY = 1,
        color = "#ff8000", tags = { "actor" }, doc = "The hero.", renderMode = "Tile", tileRenderMode = "NineSlice",
        nineSliceBorders = { 1, 2, 3, 4 }, fieldDefs = { { identifier = "hp", __type = "Int", doc = "Health." } } } }
      whole.toc = { { identifier = "Player", instancesData = { { iids = { entityIid = "player-1",
        layerIid = "layer-a", levelIid = "level-a", worldIid = "w" }, worldX = 108, worldY = 216, widPx = 16,
        heiPx = 24, fields = {} } } }, { identifier = "Door", instances = { { entityIid = "door-1" } } } }
    end)
  end

  it("are passed to the mapping of an entity", function()
    local _, entity, context = ldtk_sample.player(project())
    assert.same({ "The hero.", "Tile", "NineSlice", { 0.5, 1 }, { up = 1, right = 2, down = 3, left = 4 } },
      { entity.definition.doc, entity.definition.render_mode, entity.definition.tile_render_mode,
        entity.definition.pivot, entity.definition.nine_slice })
    assert.same({ hp = { type = "Int", doc = "Health." } }, entity.definition.fields)
    assert.equal(entity.definition, context.project.entities.Player)
  end)

  it("hold enumerations with their values, including external ones", function()
    local _, _, context = ldtk_sample.player(project())
    local item = context.project.enums.Item
    assert.same({ "Item", 30, { "loot" } }, { item.identifier, item.uid, item.tags })
    assert.same({ id = "Bow", color = { 1, 128 / 255, 0, 1 }, tile = { tileset_uid = 7, tileset = "Ground",
      path = "ground.png", x = 0, y = 0, width = 16, height = 16 } }, item.values[1])
    assert.equal("Key", item.values[2].id)
    assert.equal("moods.hx", context.project.enums.Mood.path)
  end)

  it("hold the table of contents, also of old versions", function()
    local _, _, context = ldtk_sample.player(project())
    assert.same({ Player = { { entity = "player-1", layer = "layer-a", level = "level-a", world = "w", x = 108,
      y = 216, width = 16, height = 24 } }, Door = { { entity = "door-1" } } }, context.project.contents)
  end)

  it("are passed to the mapping of a level", function()
    local seen
    ldtk_sample.level_source(project(), { level = function(_, level) seen = level.project end })
    assert.equal("Mood", seen.enums.Mood.identifier)
  end)

  it("are reported with their place if they are wrong", function()
    local document = project()
    document.defs.enums[1].values[2].id = 5
    assert.equal("LDtk text: defs.enums[1].values[2].id: expected a string, got 5", ldtk_sample.failure(document))
    document = project()
    document.toc[1].instancesData[1].iids.entityIid = false
    assert.equal("LDtk text: toc[1].instancesData[1].iids.entityIid: expected a string, got false",
      ldtk_sample.failure(document))
  end)
end)
