-- The conversion of LDtk field values to Lua values.

local ldtk_sample = require "spec.support.ldtk_sample"
local changed = ldtk_sample.changed
local encode = ldtk_sample.encode
local failure = ldtk_sample.failure
local field = ldtk_sample.field
local level_source = ldtk_sample.level_source
local player = ldtk_sample.player

describe("an LDtk field", function()
  it("keeps values of type Int, Float, Bool, String, Multilines and FilePath", function()
    local values = player()
    assert.same({ 12, 1.5, true, "Eve", "one\ntwo", "a/b.ogg" },
      { values.hp, values.speed, values.boss, values.title, values.story, values.sound })
  end)

  it("returns an enum as the name of its value", function()
    local values = player()
    assert.same({ "Bow", "calm" }, { values.item, values.mood })
  end)

  it("returns a color as four numbers of 0 to 1", function()
    assert.same({ 0, 128 / 255, 1, 1 }, (player()).tint)
  end)

  it("returns a point as cell and pixel", function()
    assert.same({ cx = 2, cy = 3, x = 32, y = 48 }, (player()).home)
  end)

  it("returns a tile as a rectangle of its tileset", function()
    assert.same({ x = 1, y = 2, width = 3, height = 4, tileset_uid = 7, tileset = "Ground", path = "ground.png" },
      (player()).icon)
  end)

  it("returns a reference as the id of its target", function()
    assert.equal("door-1", (player()).target)
  end)

  it("is nil for a reference to an entity that is not imported", function()
    assert.is_nil((player()).gone)
  end)

  it("omits references to entities that are not imported from arrays", function()
    assert.same({ "door-1" }, (player()).targets)
  end)

  it("keeps complete references in a separate table", function()
    local _, described = player()
    assert.same({ entity = "elsewhere", layer = "layer-a", level = "level-a", world = "world", imported = false },
      described.references.gone)
    assert.equal("door-1", described.references.targets[2].entity)
  end)

  it("treats a reference into a level that is not chosen as not imported", function()
    local back
    level_source(nil, { levels = { "B" }, components = { Door = function(values) back = values.back end } })
    assert.is_nil(back)
  end)

  it("is nil for null", function()
    assert.is_nil((player()).nothing)
  end)

  it("returns arrays without holes", function()
    local values = player()
    assert.same({ "a", "c" }, values.words)
    assert.same({ { 1, 1, 1, 1 } }, values.tints)
    assert.same({ cx = 1, cy = 1, x = 16, y = 16 }, values.path[2])
  end)

  it("keeps values of an unknown type", function()
    assert.equal("kept", (player()).future)
  end)

  local wrong = { { "Int", "x" }, { "Int", 1.5 }, { "Int", 1e300 }, { "Float", true }, { "Bool", 1 }, { "String", 1 },
    { "Color", "red" }, { "Color", 3 }, { "LocalEnum.A", 1 }, { "Point", { cx = 1 } }, { "Point", 3 },
    { "EntityRef", "x" }, { "EntityRef", { a = 1 } }, { "Tile", { x = 1 } }, { "Array<Int>", 1 },
    { "Array<Int>", { 1, "x" } }, { "FilePath", {} }, { "Float", math.huge } }
  for _, case in ipairs(wrong) do
    it("refuses " .. encode(case[2]) .. " as " .. case[1], function()
      local document = changed(function(_, _, things)
        things.entityInstances[2].fieldInstances = { field("ok", "Int", 1), field("bad", case[1], case[2]) }
      end)
      assert.matches("^LDtk text: levels%[1%]%.layerInstances%[1%]%.entityInstances%[2%]%.fieldInstances%[2%]%.__value",
        failure(document))
    end)
  end
end)
