-- Wang sets of a Tiled tileset in mappings.

local tiled = require "cuttle.import.tiled"
local tiled_sample = require "spec.support.tiled_sample"
local map = tiled_sample.map
local property = tiled_sample.property

local function wangsets(parts)
  return { tiled_sample.with({ name = "Ground", class = "Terrain", type = "mixed", tile = -1,
    properties = { property("wet", "bool", true) },
    colors = { { name = "grass", color = "#00ff00", tile = 2, probability = 0.5,
      properties = { property("slow", "int", 3) } }, { name = "sand", color = "#ffff00", tile = -1 } },
    wangtiles = { { tileid = 4, wangid = { 0, 1, 0, 2, 0, 1, 0, 2 } } } }, parts) }
end

local function wang_sets_of(sets)
  local tileset
  assert(tiled(tiled_sample.encode(map({}, { tilesets = { tiled_sample.tileset({ wangsets = sets }) } })),
    { map = function(_, one) tileset = one.tilesets[1].tileset end }))
  return tileset.wang_sets
end

describe("the Wang sets of a Tiled tileset", function()
  it("have name, class, type and properties", function()
    local set = wang_sets_of(wangsets())[1]
    assert.same({ "Ground", "Terrain", "mixed", { wet = true } }, { set.name, set.class, set.type, set.fields })
    assert.is_nil(set.tile)
  end)

  it("have terrains", function()
    local colors = wang_sets_of(wangsets())[1].colors
    assert.same({ name = "grass", color = { 0, 1, 0, 1 }, tile = 2, probability = 0.5, fields = { slow = 3 } },
      colors[1])
    assert.same({ name = "sand", color = { 1, 1, 0, 1 }, probability = 1, fields = {} }, colors[2])
  end)

  it("have the terrains at edges and corners of a tile", function()
    assert.same({ [4] = { 0, 1, 0, 2, 0, 1, 0, 2 } }, wang_sets_of(wangsets())[1].tiles)
  end)

  it("may be empty", function()
    assert.same({}, wang_sets_of(nil))
  end)

  it("omit tiles in the format before Tiled 1.5", function()
    assert.same({}, wang_sets_of(wangsets({ wangtiles = { { tileid = 4, wangid = { 131329 } } } }))[1].tiles)
  end)

  it("are reported with their place if they are wrong", function()
    local document = map({}, { tilesets = { tiled_sample.tileset({ wangsets = wangsets({
      wangtiles = { { tileid = 4, wangid = { 0, "x" } } } }) }) } })
    assert.equal('Tiled text: tilesets[1].wangsets[1].wangtiles[1].wangid[2]: expected an integer, got "x"',
      tiled_sample.failure(document))
  end)

  it("are also read from Lua exports and XML", function()
    local SETS = [[wangsets = { { name = "Ground", type = "corner", tile = -1, properties = { wet = true }, colors = { {
      name = "grass", color = { 0, 255, 0 }, probability = 0.5, tile = 2, properties = {} } },
      wangtiles = { { tileid = 4, wangid = { 0, 1, 0, 1, 0, 1, 0, 1 } } } } }]]
    local function sets_of(text)
      local sets
      assert(tiled(text, { map = function(_, one) sets = one.tilesets[1].tileset.wang_sets end }))
      return sets
    end
    local expected = { { name = "Ground", type = "corner", fields = { wet = true }, tiles = {
      [4] = { 0, 1, 0, 1, 0, 1, 0, 1 } }, colors = { { name = "grass", color = { 0, 1, 0, 1 }, probability = 0.5,
      tile = 2, fields = {} } } } }
    assert.same(expected, sets_of("return { luaversion = '5.1', width = 1, height = 1, tilewidth = 8, tileheight = 8, "
      .. "layers = {}, tilesets = { { firstgid = 1, name = 'a', tilewidth = 8, tileheight = 8, " .. SETS .. " } } }"))
    if not pcall(require, "lxp") then return end
    assert.same(expected, sets_of([[<map version="1.10" width="1" height="1" tilewidth="8" tileheight="8">
      <tileset firstgid="1" name="a" tilewidth="8" tileheight="8"><wangsets><wangset name="Ground" type="corner"
      tile="-1"><properties><property name="wet" type="bool" value="true"/></properties><wangcolor name="grass"
      color="#00ff00" tile="2" probability="0.5"/><wangtile tileid="4" wangid="0,1,0,1,0,1,0,1"/></wangset></wangsets>
      </tileset></map>]]))
  end)
end)
