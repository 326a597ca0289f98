-- Parts of newer Tiled files: lists, types of nested members, oblique maps, empty layers of infinite maps. Descriptions
-- for mappings are the same from all formats.

local json = require "cuttle.json"
local tiled = require "cuttle.import.tiled"

-- Only .tmx needs lua-expat.
local has_xml = pcall(require, "lxp")

local HEAD = '<map version="1.11" orientation="orthogonal" width="4" height="3" tilewidth="16" tileheight="16" '
  .. 'infinite="%d">'
local TILESET = '<tileset firstgid="1" name="G" tilewidth="16" tileheight="16" tilecount="4" columns="2">'
  .. '<image source="g.png" width="32" height="32"/>%s</tileset>'

local function tmx(layers, infinite, tiles)
  return HEAD:format(infinite and 1 or 0) .. TILESET:format(tiles or "") .. layers .. "</map>"
end

local function tmj(layers, parts)
  local map = { type = "map", version = "1.11", orientation = "orthogonal", width = 4, height = 3, tilewidth = 16,
    tileheight = 16, infinite = false, layers = layers, tilesets = { { firstgid = 1, name = "G", tilewidth = 16,
      tileheight = 16, tilecount = 4, columns = 2, image = "g.png", imagewidth = 32, imageheight = 32 } } }
  for key, value in pairs(parts or {}) do map[key] = value end
  return assert(json.encode(map))
end

-- The fields and references of the objects of a map, by name.
local function fields_of(text, options)
  local found, references = {}, {}
  local chosen = { components = { ["*"] = function(fields, object)
    found[object.name], references[object.name] = fields, object.references
  end } }
  for key, value in pairs(options or {}) do chosen[key] = value end
  assert(tiled(text, chosen))
  return found, references
end

local function xml(title, test)
  it(title, has_xml and test or function() pending "no lua-expat" end)
end

describe("an empty layer of an infinite Tiled map", function()
  local DATA = { "<data encoding='csv'></data>", "<data encoding='base64' compression='zlib'>\n  </data>",
    "<data encoding='base64' compression='zstd'/>", "<data/>", "" }

  xml("has no cells in XML, in any encoding", function()
    for _, data in ipairs(DATA) do
      local text = tmx('<layer id="1" name="L" width="4" height="3">' .. data .. "</layer>", true)
      for _, tiles in ipairs { true, "grid", false } do
        local level, warnings = assert(tiled(text, { tiles = tiles }))
        assert.same({}, warnings)
        assert.same({ transform = { position = { 0, 0, 0 } } }, level.entities[1].components)
        assert.is_nil(level.entities[1].children)
      end
      local _, warnings = assert(tiled(text))
      assert.same({}, warnings)
    end
  end)

  it("has no cells in JSON", function()
    for _, chunks in ipairs { { json.empty_array or {} }, {} } do
      local layer = { type = "tilelayer", id = 1, name = "L", width = 4, height = 3, chunks = chunks[1] }
      local level, warnings = assert(tiled(tmj({ layer }, { infinite = true }), { tiles = "grid" }))
      assert.same({}, warnings)
      assert.is_nil(level.entities[1].components.grid)
    end
  end)

  xml("is still refused in a map that is not infinite", function()
    local _, message = tiled(tmx('<layer id="1" name="L" width="4" height="3"><data encoding="csv"></data></layer>'),
      { tiles = true })
    assert.equal("Tiled text: layers[1].data: expected 12 cells (4 x 3), got 0", message)
  end)
end)

describe("a list of Tiled", function()
  local EXPECTED = { 3, "rope", { 1, 0, 0, 1 }, { "deep", { true } }, { hp = 5, tags = { "a", 2 } } }

  it("is an array of converted values in JSON", function()
    local loot = { { type = "int", value = 3 }, { type = "string", value = "rope" },
      { type = "color", value = "#ffff0000" },
      { type = "list", value = { { type = "string", value = "deep" },
        { type = "list", value = { { type = "bool", value = true } } } } },
      { type = "class", propertytype = "Stats", value = { hp = 5,
        tags = { { type = "string", value = "a" }, { type = "int", value = 2 } } } } }
    local found, references = fields_of(tmj { { type = "objectgroup", id = 1, name = "O", objects = {
      { id = 1, name = "chest", x = 0, y = 0, properties = { { name = "loot", type = "list", value = loot },
        { name = "friends", type = "list", value = { { type = "object", value = 1 }, { type = "object", value = 0 },
          { type = "object", value = 9 } } } } } } } })
    assert.same({ loot = EXPECTED, friends = { 1 } }, found.chest)
    assert.same({ { entity = 1, imported = true }, { entity = 9, imported = false } }, references.chest.friends)
  end)

  xml("is the same in XML", function()
    local found, references = fields_of(tmx [[<objectgroup id="1" name="O"><object id="1" name="chest" x="0" y="0">
      <properties><property name="loot" type="list">
        <item type="int" value="3"/><item value="rope"/><item type="color" value="#ffff0000"/>
        <item type="list"><item value="deep"/><item type="list"><item type="bool" value="true"/></item></item>
        <item type="class" propertytype="Stats"><properties>
          <property name="hp" type="int" value="5"/>
          <property name="tags" type="list"><item value="a"/><item type="int" value="2"/></property>
        </properties></item>
      </property>
      <property name="friends" type="list"><item type="object" value="1"/><item type="object" value="0"/>
        <item type="object" value="9"/></property>
      <property name="none" type="list"/></properties></object></objectgroup>]])
    assert.same({ loot = EXPECTED, friends = { 1 }, none = {} }, found.chest)
    assert.same({ { entity = 1, imported = true }, { entity = 9, imported = false } }, references.chest.friends)
  end)

  it("is the same in a Lua export, which has no types", function()
    local found = fields_of [[return { version = "1.11", luaversion = "5.1", orientation = "orthogonal", width = 4,
      height = 3, tilewidth = 16, tileheight = 16, tilesets = {}, layers = { { type = "objectgroup", id = 1, name = "O",
      objects = { { id = 1, name = "chest", x = 0, y = 0, width = 0, height = 0, shape = "rectangle",
        properties = { ["loot"] = { 3, "rope", { "deep", { true } } }, ["none"] = {} } } } } } }]]
    assert.same({ loot = { 3, "rope", { "deep", { true } } }, none = {} }, found.chest)
  end)

  it("is refused if an item has a value of another type", function()
    local _, message = tiled(tmj { { type = "objectgroup", id = 1, name = "O", objects = { { id = 1, x = 0, y = 0,
      properties = { { name = "loot", type = "list", value = { { type = "int", value = "x" } } } } } } } },
      { components = { ["*"] = function() end } })
    assert.equal('Tiled text: layers[1].objects[1].properties[1].value[1].value: expected an integer, got "x"', message)
  end)
end)

describe("the members of a class within a class", function()
  local OBJECTS = [[<objectgroup id="1" name="O"><object id="1" name="hero" x="0" y="0"><properties>
    <property name="kit" type="class" propertytype="Kit"><properties>
      <property name="tint" type="color" value="#80ff0000"/>
      <property name="inner" type="class" propertytype="Inner"><properties>
        <property name="sound" type="file" value="a/../b.ogg"/>
        <property name="target" type="object" value="1"/>
        <property name="gone" type="object" value="7"/>
        <property name="hp" type="int" value="4"/>
        <property name="glow" type="color" value="#00ff00"/>
      </properties></property>
    </properties></property></properties></object></objectgroup>]]
  local EXPECTED = { kit = { tint = { 1, 0, 0, 128 / 255 }, inner = { sound = "b.ogg", target = 1, hp = 4,
    glow = { 0, 1, 0, 1 } } } }

  xml("have their types in XML without a project", function()
    local found = fields_of(tmx(OBJECTS))
    assert.same(EXPECTED, found.hero)
  end)

  xml("have the types of a project first", function()
    local project = assert(json.encode { propertyTypes = {
      { type = "enum", name = "Kind", values = { "a", "b" }, valuesAsFlags = true },
      { type = "class", name = "Kit", members = {
        { name = "kind", type = "string", propertyType = "Kind", value = "a" } } } } })
    local found = fields_of(tmx [[<objectgroup id="1" name="O"><object id="1" name="hero" x="0" y="0"><properties>
      <property name="kit" type="class" propertytype="Kit"><properties>
        <property name="kind" propertytype="Kind" value="a,b"/><property name="tint" type="color" value="#ff0000"/>
      </properties></property></properties></object></objectgroup>]], { project = project })
    assert.same({ kit = { kind = { a = true, b = true }, tint = { 1, 0, 0, 1 } } }, found.hero)
  end)
end)

describe("an oblique map of Tiled", function()
  local function oblique(layers)
    return tmj(layers, { orientation = "oblique", skewx = 8, skewy = -4 })
  end
  local FLOOR = { type = "tilelayer", id = 1, name = "L", width = 4, height = 3, offsetx = 100,
    data = { 1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0 } }

  it("shifts tiles by the skew for each row and column", function()
    local level = assert(tiled(oblique { FLOOR }, { tiles = true }))
    assert.same({ position = { 0, 0, 0 } }, level.entities[1].children[1].components.transform)
    assert.same({ position = { 2 * 16 + 8, 16 - 2 * 4, 0 } }, level.entities[1].children[2].components.transform)
  end)

  it("has grids whose cells are parallelograms", function()
    local level, warnings = assert(tiled(oblique { FLOOR }, { tiles = "grid" }))
    assert.same({}, warnings)
    assert.same({ matrix = { 1, -0.25, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0, 100, 0, 0, 1 } },
      level.entities[1].components.transform)
  end)

  it("projects the positions and outlines of objects", function()
    local seen
    local level = assert(tiled(oblique { { type = "objectgroup", id = 1, name = "O", objects = {
      { id = 1, name = "box", x = 32, y = 16, width = 16, height = 32 } } } },
      { components = { ["*"] = function(_, object) seen = object end } }))
    assert.same({ 32 + 8, 16 - 8, 0 }, level.entities[1].children[1].components.transform.position)
    assert.same({ { x = 0, y = 0 }, { x = 16, y = -4 }, { x = 32, y = 28 }, { x = 16, y = 32 } }, seen.points)
  end)

  it("passes the skew to mappings", function()
    local map
    assert(tiled(oblique { FLOOR }, { tiles = false, map = function(_, described) map = described end }))
    assert.same({ "oblique", 8, -4 }, { map.orientation, map.skew_x, map.skew_y })
  end)

  xml("is read from XML", function()
    local text = tmx('<layer id="1" name="L" width="4" height="3"><data encoding="csv">1,0,0,0,0,0,2,0,0,0,0,0</data>'
      .. "</layer>")
    text = text:gsub('orientation="orthogonal"', 'orientation="oblique" skewx="8" skewy="-4"')
    local level = assert(tiled(text, { tiles = true }))
    assert.same({ position = { 40, 8, 0 } }, level.entities[1].children[2].components.transform)
  end)
end)

describe("an isometric grid of odd tile width", function()
  it("is where the objects of the same cells are", function()
    local layers = { { type = "tilelayer", id = 1, name = "L", width = 4, height = 3,
      data = { 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 } },
      { type = "objectgroup", id = 2, name = "O", objects = { { id = 1, x = 0, y = 0, point = true } } } }
    local level = assert(tiled(tmj(layers, { orientation = "isometric", tilewidth = 31, tileheight = 15 }),
      { tiles = "grid" }))
    local matrix = level.entities[1].components.transform.matrix
    assert.same(level.entities[2].children[1].components.transform.position, { matrix[13], matrix[14], 0 })
  end)
end)

describe("the description of a part for mappings", function()
  xml("has the same names of collision shapes in all formats", function()
    local from_xml, from_json
    local data = '<layer id="1" name="L" width="1" height="1"><data encoding="csv">1</data></layer>'
    local shape = '<tile id="0"><objectgroup><object id="1" x="0" y="0"/></objectgroup></tile>'
    assert(tiled(tmx(data, false, shape), { tile = function(tile) from_xml = tile.collision end }))
    local floor = { type = "tilelayer", id = 1, name = "L", width = 1, height = 1, data = { 1 } }
    assert(tiled(tmj({ floor }, { tilesets = { { firstgid = 1, name = "G", tilewidth = 16, tileheight = 16,
      tilecount = 4, columns = 2, image = "g.png", imagewidth = 32, imageheight = 32, tiles = { { id = 0,
        objectgroup = { objects = { { id = 1, name = "", x = 0, y = 0 } } } } } } } }),
      { tile = function(tile) from_json = tile.collision end }))
    assert.equal("", from_xml[1].name)
    assert.same(from_json, from_xml)
  end)

  xml("has the size of the chunks of a layer in all formats", function()
    local sizes = {}
    local function layer(one) sizes[#sizes + 1] = one.columns .. " x " .. one.rows end
    assert(tiled(tmx([[<layer id="1" name="L" width="4" height="3"><data encoding="csv">
      <chunk x="-2" y="0" width="2" height="1">1,2</chunk><chunk x="3" y="4" width="1" height="2">1,0</chunk>
      </data></layer><layer id="2" name="E" width="4" height="3"><data encoding="csv"/></layer>]], true),
      { layer = layer }))
    assert(tiled(tmj({ { type = "tilelayer", id = 1, name = "L", width = 32, height = 16, startx = -16, starty = 0,
      chunks = { { x = -2, y = 0, width = 2, height = 1, data = { 1, 2 } },
        { x = 3, y = 4, width = 1, height = 2, data = { 1, 0 } } } } }, { infinite = true }), { layer = layer }))
    assert.same({ "6 x 6", "0 x 0", "6 x 6" }, sizes)
  end)
end)

describe("the option draw_order", function()
  local function names(options, order)
    local level = assert(tiled(tmj { { type = "objectgroup", id = 1, name = "O", draworder = order, objects = {
      { id = 1, name = "a", x = 0, y = 9 }, { id = 2, name = "b", x = 0, y = 3 }, { id = 3, name = "c", x = 0, y = 9 },
      { id = 4, name = "d", x = 0, y = -1 } } } }, options))
    local list = {}
    for i, node in ipairs(level.entities[1].children) do list[i] = node.name .. node.id end
    return table.concat(list, " ")
  end

  it("sorts the objects of topdown layers by y", function()
    assert.equal("d4 b2 a1 c3", names({ draw_order = true }, "topdown"))
    assert.equal("d4 b2 a1 c3", names({ draw_order = true }))
    assert.equal("a1 b2 c3 d4", names({ draw_order = true }, "index"))
    assert.equal("a1 b2 c3 d4", names({}, "topdown"))
  end)
end)
