-- Tiled's own file formats, Lua exports and worlds, compared with the JSON format.

local formats = require "spec.support.tiled_formats"
local importing = require "spec.support.importing"
local rounds = require "spec.support.rounds"
local seed = require "spec.support.seed"
local tiled = require "cuttle.import.tiled"

local HAS_EXPAT = pcall(require, "lxp")

-- Imports a text with all options. Returns the level, the warnings, and the arguments of mappings without file paths.
local function import(text, more)
  local seen = {}
  local options = { tiles = true, fields = "props", directory = "", name = "map", read = formats.reader(more),
    tile = function(tile) seen[#seen + 1] = { tile.id, tile.class, tile.fields, tile.animation, tile.collision } end,
    layer = function(one)
      seen[#seen + 1] = { one.name, one.visible, one.opacity, one.tint, one.color, one.draw_order, one.image,
        one.repeat_x, one.transparent_color }
    end,
    map = function(fields, map)
      seen[#seen + 1] = { fields, map.background_color, map.tilesets[1].tileset.transparent_color }
    end,
    components = { ["*"] = function(fields, one)
      seen[#seen + 1] = { fields, one.name, one.class, one.shape, one.points, one.text, one.gid, one.px, one.flip_x }
    end } }
  local result, warnings = tiled(text, options)
  return result, warnings, seen
end

local function assert_same(text)
  local expected, _, expected_seen = import(formats.JSON)
  local result, message, seen = import(text)
  assert.same(expected, (assert(result, message)))
  assert.same(expected_seen, seen)
end

describe("a Lua export of Tiled", function()
  it("is the same level as the JSON file", function()
    local expected, _, expected_seen = import(formats.JSON)
    local result, message, seen = import(formats.LUA)
    assert(result, message)
    assert.same(expected, result)
    -- A Lua export contains resolved templates, so it names no template files.
    assert.same(expected_seen, seen)
  end)

  it("may have chunks", function()
    local text = formats.LUA:gsub("data = { 1, 2147483650, 0, 6 }", "chunks = { { x = 0, y = 0, width = 2, height = 2, "
      .. "data = { 1, 2147483650, 0, 6 } } }")
    assert_same(text)
  end)

  it("is not executed", function()
    local _, message = tiled("return { version = os.exit(3) }", { name = "map.lua" })
    assert.equal("map.lua: line 1 column 20: expected data, got 'os'", message)
    _, message = tiled("return { version = function() end }")
    assert.matches("expected data, got 'function'", message)
    _, message = tiled("return { version = {} } os.exit(3)")
    assert.matches("line 1 column 25: expected the end, got 'os'", message)
    _, message = tiled("return { a = 1 + 2 }")
    assert.matches("expected ',' or '}', got '+'", message, 1, true)
  end)

  it("is reported with line and column if it is not valid", function()
    for text, expected in pairs({ ["return {\n  a = "] = "line 2 column 7: expected data, got the end",
      ["return { a = 'x"] = "line 1 column 14: a string does not end",
      ["return { a = [[x"] = "line 1 column 14: a string does not end",
      ["return { --[[ "] = "line 1 column 10: a comment does not end",
      ["return { ['a'] 5 }"] = "line 1 column 16: expected '=', got '5'",
      ["return { 'a\\999' }"] = "\\999 is greater than 255", ["return { a = nil }"] = "expected data, got 'nil'" }) do
      local _, message = tiled(text)
      assert.matches("Tiled text: ", message, 1, true)
      assert.matches(expected, message, 1, true)
    end
  end)

  it("may be nested as deep as the limit of layers", function()
    local _, message = tiled("return " .. ("{"):rep(30000) .. ("}"):rep(30000))
    assert.equal("Tiled text: not a Lua export of Tiled (it has no luaversion)", message)
    local inner = "{ type = 'group', layers = {"
    local text = "return { luaversion = '5.1', width = 1, height = 1, tilewidth = 1, tileheight = 1, layers = {"
      .. inner:rep(900) .. ("} }"):rep(900) .. "} }"
    assert.equal(1, #assert(tiled(text)).entities)
  end)

  it("is imported or refused with a message if it is damaged, seed " .. seed, function()
    math.randomseed(seed)
    for _ = 1, rounds(300, 40) do
      local from = math.random(#formats.LUA)
      local junk = ({ "", "}", "{", '"', "nil", "5", "x", ",", "-", "\\", "[", "=" })[math.random(12)]
      local text = formats.LUA:sub(1, from - 1) .. junk .. formats.LUA:sub(from + math.random(0, 12))
      local ok, result, message = pcall(import, text)
      assert.is_true(ok, result)
      if result then importing.assert_is_source(result.entities) else assert.matches("^[%w.]+: ", message) end
    end
  end)
end)

describe("a Tiled world", function()
  local SMALL = [[{"version":"1.10","width":1,"height":1,"tilewidth":8,"tileheight":8,"layers":[{"type":"objectgroup",
    "id":3,"name":"Things","objects":[{"id":1,"name":"door","x":4,"y":5,"properties":[{"name":"to","type":"object",
    "value":2}]},{"id":2,"name":"key","x":0,"y":0}]}],"properties":[{"name":"dark","type":"bool","value":true}]}]]
  local WORLD = [[{"type":"world","maps":[{"fileName":"cave.tmj","x":-100,"y":20,"width":8,"height":8},
    {"fileName":"deep/cave.2.tmj","x":300,"y":0}],"onlyShowAdjacentMaps":false}]]

  local function world(options, text)
    options = options or {}
    options.directory = options.directory or ""
    options.read = formats.reader({ ["cave.tmj"] = SMALL, ["deep/cave.2.tmj"] = SMALL })
    return tiled(text or WORLD, options)
  end

  it("has an entity for each map, at the map's position", function()
    local entities = assert(world()).entities
    assert.equal(2, #entities)
    assert.same({ "cave", "cave.tmj", { -100, 20, 0 } }, { entities[1].name, entities[1].id,
      entities[1].components.transform.position })
    assert.same({ "cave.2", "deep_cave.2.tmj", { 300, 0, 0 } }, { entities[2].name, entities[2].id,
      entities[2].components.transform.position })
    assert.equal("door", entities[2].children[1].children[1].name)
  end)

  it("keeps ids and references of its maps separate", function()
    local targets = {}
    local entities = assert(world({ components = { ["*"] = function(fields, one)
      if one.name == "door" then targets[#targets + 1] = { fields.to, one.references.to.imported } end
    end } })).entities
    assert.same({ "cave.tmj:layer 3", "cave.tmj:1" }, { entities[1].children[1].id,
      entities[1].children[1].children[1].id })
    assert.same({ { "cave.tmj:2", true }, { "deep_cave.2.tmj:2", true } }, targets)
  end)

  it("passes positions of maps and of objects in the world to mappings", function()
    local maps, doors = {}, {}
    local entities = assert(world({ map = function(fields, map)
      maps[#maps + 1] = { fields.dark, map.world.file, map.world.x, map.world.width }
      return { level = {} }, "room"
    end, components = { ["*"] = function(_, one) doors[#doors + 1] = one.world end } })).entities
    assert.same({ { true, "cave.tmj", -100, 8 }, { true, "deep/cave.2.tmj", 300 } }, maps)
    assert.same({ -96, 25 }, doors[1])
    assert.same({ "room", {} }, { entities[1].name, entities[1].components.level })
  end)

  it("keeps the properties of maps in the component of option fields", function()
    assert.same({ value = { dark = true } }, assert(world({ fields = "props" })).entities[1].components.props)
  end)

  it("imports layers by name from the maps that have them", function()
    assert.is_nil(assert(world({ layers = { "Sky" } })).entities[1].children)
  end)

  it("compiles", function()
    local cuttle = require "cuttle"
    local here = cuttle.world(cuttle.entity_manager())
    local blob = assert(cuttle.compiler(here):compile((assert(world()))))
    local level = assert(here:spawn(cuttle.resource(blob)))
    assert.same({ 304, 5, 0 }, { here.transform:world_position(level:find "cave.2/Things/door") })
  end)

  local wrong = {
    ['{"type":"world"}'] = "Tiled text: maps: expected an array, got no value",
    ['{"type":"world","maps":[{"fileName":"no.tmj"}]}'] = "Tiled text: maps[1].fileName: cannot read no.tmj: "
      .. "no such file",
    ['{"maps":[{"fileName":"cave.tmj"},{"fileName":"cave.tmj"}]}'] = 'Tiled text: maps[2].fileName: "cave.tmj" is '
      .. "also maps[1]",
    ['{"maps":[{"fileName":""}]}'] = 'Tiled text: maps[1].fileName: expected the path of a map, got ""',
    ['{"type":"world","maps":[],"patterns":[{"regexp":"x"}]}'] = "Tiled text: patterns: patterns of file names "
      .. "are not supported: list the files as maps",
    ['{"type":"world","maps":[{"fileName":"set.tsj"}]}'] = "set.tsj: not a Tiled map (it has no layers or no "
      .. "tilewidth)",
  }
  for text, expected in pairs(wrong) do
    it("is refused: " .. expected, function()
      assert.equal(expected, (select(2, world(nil, text))))
    end)
  end
end)

describe("XML of Tiled", function()
  it("is refused with the name of the missing library", function()
    local loaded, preloaded = package.loaded.lxp, package.preload.lxp
    package.loaded.lxp, package.preload.lxp = nil, function() error("gone") end
    local _, message = tiled("<map/>", { name = "map.tmx" })
    package.loaded.lxp, package.preload.lxp = loaded, preloaded
    assert.equal("map.tmx: this is XML, which needs lua-expat (the module lxp): install it, or save it as JSON in "
      .. "Tiled", message)
  end)

  if not HAS_EXPAT then return end

  it("has points as pairs of numbers", function()
    -- Quadratic time would take hours for the last one.
    for points, shown in pairs { ["0,0 4 1,2"] = '"4"', ["0,0 1,2,3"] = '"1,2,3"', ["0,0 1,"] = '"1,"',
      ["0,0 " .. ("1"):rep(2 ^ 20)] = '"' .. ("1"):rep(40) .. '..."' } do
      local _, message = tiled('<map version="1.10" width="1" height="1" tilewidth="8" tileheight="8"><objectgroup>'
        .. '<object><polygon points="' .. points .. '"/></object></objectgroup></map>')
      assert.equal("Tiled text: layers[1].objects[1].polygon[2].x: expected a number within 2^31, got " .. shown,
        message)
    end
  end)

  it("is the same level as the JSON file", function()
    assert_same(formats.TMX)
  end)

  it("may have single cells or chunks", function()
    assert_same((formats.TMX:gsub("<data.-</data>", '<data><tile gid="1"/><tile gid="2147483650"/><tile/>'
      .. '<tile gid="6"/></data>')))
    assert_same((formats.TMX:gsub("<data.-</data>", '<data encoding="csv"><chunk x="0" y="0" width="2" height="2">'
      .. "1,2147483650,0,6</chunk></data>")))
    assert_same((formats.TMX:gsub("<data.-</data>", '<data encoding="base64">\n  AQAAAAIAAIAAAAAABgAAAA==\n</data>')))
  end)

  it("may be of Tiled 1.0, whose layers have no ids", function()
    local text = formats.TMX:gsub('version="1.10"', 'version="1.0"'):gsub('nextlayerid="9" nextobjectid="9"', "")
    text = text:gsub('(<layer) id="1"', "%1"):gsub('(<group) id="2"', "%1"):gsub('(<objectgroup) id="3"', "%1")
      :gsub('(<imagelayer) id="4"', "%1")
    assert_same(text)
  end)

  it("is reported with line and column if it is not valid", function()
    local _, message = tiled("<map>\n<layer></map>", { name = "map.tmx" })
    assert.equal("map.tmx: line 2 column 10: mismatched tag", message)
    _, message = tiled('<map version="1.10" width="x" height="1" tilewidth="8" tileheight="8"/>')
    assert.equal('Tiled text: width: expected an integer, got "x"', message)
    _, message = import((formats.TMX:gsub('y="50"', 'y="far"')))
    assert.equal('map: layers[2].layers[1].objects[1].y: expected a number within 2^31, got "far"', message)
  end)

  it("is refused if it declares entities", function()
    local _, message = tiled('<!DOCTYPE map [<!ENTITY a "b">]><map>&a;</map>')
    assert.equal("Tiled text: document types with declarations are not supported", message)
  end)

  it("is refused if it is another document", function()
    assert.equal("Tiled text: not a file of Tiled (its root is <svg>)", (select(2, tiled("<svg/>"))))
    assert.matches("a tileset of Tiled: import the map that uses it", (select(2, tiled(formats.TSX))))
    assert.matches("an object template of Tiled: import the map", (select(2, tiled(formats.TX))))
  end)

  it("may be nested as deep as the limit of elements", function()
    local text = '<map version="1.10" width="1" height="1" tilewidth="8" tileheight="8">' .. ("<group>"):rep(900)
      .. ("</group>"):rep(900) .. "</map>"
    assert.equal(1, #assert(tiled(text)).entities)
  end)

  it("may have attributes with the names of elements", function()
    for _, name in ipairs({ "layers", "tilesets", "objects", "tiles", "animation", "wangsets", "chunks", "data", "text",
      "properties", "image", "objectgroup", "encoding" }) do
      local text = formats.TMX:gsub("<(%l+) ", "<%1 " .. name .. '="x" ')
      local ok, result, message = pcall(import, (text:gsub('(<%?xml) %l+="x"', "%1")))
      assert.is_true(ok, result)
      if not result then assert.is_string(message) end
    end
  end)

  it("is imported or refused with a message if it is damaged, seed " .. seed, function()
    math.randomseed(seed)
    local pieces = {}
    for piece in formats.TMX:gmatch("<[^>]*>[^<]*") do pieces[#pieces + 1] = piece end
    for _ = 1, rounds(300, 40) do
      local broken = {}
      for index, piece in ipairs(pieces) do broken[index] = piece end
      for _ = 1, math.random(3) do
        local at, way = math.random(#pieces), math.random(4)
        if way == 1 then broken[at] = pieces[math.random(#pieces)] end
        if way == 2 then broken[at] = "" end
        if way == 3 then broken[at] = broken[at]:gsub('"[^"]*"', '"5"', 1) end
        if way == 4 then broken[at] = broken[at]:gsub(' %l+="', ' id="', 1) end
      end
      local ok, result, message = pcall(import, table.concat(broken))
      assert.is_true(ok, result)
      if result then importing.assert_is_source(result.entities) else assert.matches("^[%w.]+: ", message) end
    end
  end)
end)
