-- Tiled objects as entities: shapes, positions, tile objects, isometric maps, templates.

-- tags: machine

local near = require "spec.support.near"
local tiled_sample = require "spec.support.tiled_sample"
local failure = tiled_sample.failure
local level_source = tiled_sample.level_source
local map = tiled_sample.map
local moved = tiled_sample.moved
local object = tiled_sample.object
local property = tiled_sample.property
local reader = tiled_sample.reader
local seen = tiled_sample.seen
local things = tiled_sample.things
local tileset = tiled_sample.tileset
local with = tiled_sample.with

local function transform_of(one, parts)
  return level_source(map({ things(1, "Things", { one }) }, parts)).entities[1].children[1].components.transform
end

describe("the shape of a Tiled object", function()
  local function shape(parts)
    local _, one = seen(object(1, "x", "", 5, 6, parts))
    return one
  end

  it("is a rectangle by default", function()
    local one = shape()
    assert.same({ "rectangle", 5, 6, 10, 20, 0 }, { one.shape, one.x, one.y, one.width, one.height, one.rotation })
    assert.same({ x = 10, y = 16 }, one.center)
  end)

  it("may be an ellipse, a capsule or a point", function()
    assert.equal("ellipse", shape({ ellipse = true }).shape)
    assert.equal("capsule", shape({ capsule = true }).shape)
    assert.same({ x = 5, y = 6 }, shape({ point = true, width = 0, height = 0 }).center)
  end)

  it("may be a polygon or a polyline with points relative to its position", function()
    local points = { { x = 0, y = 0 }, { x = 4, y = 2 }, { x = 0, y = 8 } }
    local one = shape({ polygon = points, width = 0, height = 0 })
    assert.same({ "polygon", points, { x = 7, y = 10 } }, { one.shape, one.points, one.center })
    assert.equal("polyline", shape({ polyline = points }).shape)
  end)

  it("may be a text, with Tiled's defaults for omitted fields", function()
    local one = shape({ text = { text = "Hello", wrap = true, color = "#ff0000", halign = "center" } })
    assert.same({ text = "Hello", wrap = true, color = { 1, 0, 0, 1 }, align_x = "center", align_y = "top",
      font = "sans-serif", size = 16, bold = false, italic = false, underline = false, strikeout = false,
      kerning = true }, one.text)
  end)

  it("has its center, also when it is rotated", function()
    local one = shape({ rotation = 90 })
    near({ -5, 11 }, { one.center.x, one.center.y }, 1e-9)
    near({ math.pi / 2 }, { one.angle }, 1e-9)
  end)

  it("is also passed if it is not visible", function()
    assert.is_false(shape({ visible = false }).visible)
  end)

  local wrong = { { { x = "a" }, 'x: expected a number within 2^31, got "a"' },
    { { y = 1e300 }, "y: expected a number within 2^31" }, { { width = {} }, "width: expected a number" },
    { { rotation = "left" }, "rotation: expected a number" },
    { { polygon = {} }, "polygon: expected points, got none" },
    { { polygon = { { x = 1 } } }, "polygon[1].y: expected a number within 2^31, got no value" },
    { { polyline = 5 }, "polyline: expected an array, got 5" }, { { text = 5 }, "text: expected an object, got 5" },
    { { text = { a = 1, color = "red" } }, 'text.color: expected a color such as "#ff40c0ff", got "red"' },
    { { ellipse = 5 }, "ellipse: expected true or false, got 5" }, { { id = 1.5 }, "id: expected an integer" },
    { { name = 5 }, "name: expected a string" }, { { type = 5 }, "type: expected a string" } }
  for _, case in ipairs(wrong) do
    it("is refused: " .. case[2], function()
      local message = failure(map({ things(1, "Things", { object(1, "x", "", 0, 0, case[1]) }) }))
      assert.matches("Tiled text: layers[1].objects[1]." .. case[2], message, 1, true)
    end)
  end
end)

describe("the id of a Tiled object", function()
  it("must be unique", function()
    local document = map({ things(1, "A", { object(5, "a", "", 0, 0) }),
      things(2, "B", { object(4, "b", "", 0, 0), object(5, "c", "", 0, 0) }) })
    assert.equal('Tiled text: layers[2].objects[2].id: 5 is also the id of objects[1] in layer "A"', failure(document))
  end)

  it("is ignored if it is 0", function()
    local document = map({ things(1, "A", { object(0, "a", "", 0, 0), object(0, "b", "", 0, 0) }) })
    assert.is_nil(level_source(document).entities[1].children[2].id)
  end)
end)

describe("a tile object", function()
  local function tile(parts)
    return object(1, "x", "", 100, 50, with({ gid = 2, width = 16, height = 24 }, parts))
  end

  it("has its tile's properties", function()
    local values, one = seen(tile())
    assert.same({ "tile", "Wall", 1 }, { one.shape, one.class, one.tile.id })
    assert.same({ x = 11, y = 1, width = 8, height = 12 }, one.tile.src)
    assert.equal("img/ground.png", one.tile.image)
    assert.same({ hard = true, hp = 5 }, values)
  end)

  it("overrides properties of its tile", function()
    local values = seen(tile({ properties = { property("hp", "int", 9) } }))
    assert.same({ hard = true, hp = 9 }, values)
  end)

  it("has its lower left corner as its position and anchor", function()
    assert.same({ position = { 100, 50, 0 } }, transform_of(tile()))
    local _, one = seen(tile())
    assert.same({ { 0, 1 }, { x = 108, y = 38 } }, { one.anchor, one.center })
  end)

  it("has the size of its tile by default", function()
    local _, one = seen(tile({ width = 0, height = 0 }))
    assert.same({ 8, 12 }, { one.width, one.height })
  end)

  it("has the middle of its lower edge as its anchor in an isometric map", function()
    local _, one = seen("x", nil, map({ things(1, "Things", { tile() }) }, { orientation = "isometric" }))
    assert.same({ 0.5, 1 }, one.anchor)
  end)

  local ANCHORS = { topleft = { 0, 0 }, top = { 0.5, 0 }, topright = { 1, 0 }, left = { 0, 0.5 }, center = { 0.5, 0.5 },
    right = { 1, 0.5 }, bottomleft = { 0, 1 }, bottom = { 0.5, 1 }, bottomright = { 1, 1 } }
  for name, anchor in pairs(ANCHORS) do
    it("has the anchor of its tileset: " .. name, function()
      local document = map({ things(1, "Things", { tile() }) }, { tilesets = { tileset({ objectalignment = name }) } })
      local _, one = seen("x", nil, document)
      assert.same(anchor, one.anchor)
      assert.same({ x = 100 + (0.5 - anchor[1]) * 16, y = 50 + (0.5 - anchor[2]) * 24 }, one.center)
    end)

    -- The box begins at the anchor, and a flip mirrors its pixels: (u, v) moves to (width - u, v).
    it("covers the same box if it is flipped, rotated or not: " .. name, function()
      local parts = { tilesets = { tileset({ objectalignment = name }) } }
      for flags = 0, 3 do
        local flip_x, flip_y = flags % 2 == 1, flags >= 2
        local gid = 2 + (flip_x and 2 ^ 31 or 0) + (flip_y and 2 ^ 30 or 0)
        local plain = transform_of(tile({ rotation = 30 }), parts)
        local flipped = transform_of(tile({ rotation = 30, gid = gid }), parts)
        for _, point in ipairs({ { 0, 0 }, { 16, 0 }, { 3, 20 } }) do
          local left, top = -anchor[1] * 16, -anchor[2] * 24
          local x, y = moved(plain, left + (flip_x and 16 - point[1] or point[1]),
            top + (flip_y and 24 - point[2] or point[2]))
          near({ x, y }, { moved(flipped, left + point[1], top + point[2]) }, 1e-9)
        end
      end
    end)
  end

  it("has a negative scale and flags if it is flipped", function()
    local transform = transform_of(tile({ gid = 2 + 2 ^ 31 }))
    assert.same({ position = { 116, 50, 0 }, scale = { -1, 1, 1 } }, transform)
    local _, one = seen(tile({ gid = 2 + 2 ^ 31 }))
    assert.same({ true, false, false, 100, 50 }, { one.flip_x, one.flip_y, one.flip_diagonal, one.x, one.y })
  end)

  it("is turned around the same corner if it is flipped along the diagonal", function()
    local transform = transform_of(tile({ gid = 2 + 2 ^ 29 }))
    near({ 100, 50 }, { moved(transform, 16, -24) }, 1e-9) -- its upper right corner is now the lower left one
    near({ 124, 34 }, { moved(transform, 0, 0) }, 1e-9)
  end)

  it("is a plain object if its gid is 0", function()
    local _, one = seen(tile({ gid = 0 }))
    assert.equal("rectangle", one.shape)
  end)

  it("is refused if no tileset has its gid", function()
    local message = failure(map({ things(1, "T", { tile({ gid = 99 }) }) }))
    assert.equal('Tiled text: layers[1].objects[1].gid: tileset "Ground" has no tile 98 (global id 99)', message)
    assert.equal("Tiled text: layers[1].objects[1].gid: no tileset has the global tile id 2",
      failure(map({ things(1, "T", { tile() }) }, { tilesets = {} })))
  end)

  for _, gid in ipairs({ -1, 1.5, 2 ^ 32, 1e300 }) do
    it("is refused with the gid " .. gid, function()
      assert.matches("^Tiled text: layers%[1%].objects%[1%].gid: expected ",
        failure(map({ things(1, "T", { tile({ gid = gid }) }) })))
    end)
  end
end)

describe("an object of an isometric map", function()
  local ISOMETRIC = { orientation = "isometric", width = 4, height = 3, tilewidth = 32, tileheight = 16 }

  local function isometric(parts)
    local _, one = seen("x", nil, map({ things(1, "T", { object(1, "x", "", 16, 32, parts) }) }, ISOMETRIC))
    return one
  end

  -- A cell of 16 x 16 pixels is drawn as a diamond of 32 x 16; the top of the first one is at (48, 0).
  it("is at its drawn position", function()
    assert.same({ position = { 32, 24, 0 } }, transform_of(object(1, "x", "", 16, 32), ISOMETRIC))
    local one = isometric()
    assert.same({ 16, 32, { 32, 24 } }, { one.x, one.y, one.px })
  end)

  it("has its drawn outline", function()
    local one = isometric({ width = 16, height = 32 })
    assert.same({ { x = 0, y = 0 }, { x = 16, y = 8 }, { x = -16, y = 24 }, { x = -32, y = 16 } }, one.points)
    assert.same({ x = 24, y = 36 }, one.center)
  end)

  it("has projected points", function()
    local one = isometric({ polygon = { { x = 0, y = 0 }, { x = 16, y = 16 }, { x = 16, y = 0 } } })
    assert.same({ { x = 0, y = 0 }, { x = 0, y = 16 }, { x = 16, y = 8 } }, one.points)
  end)
end)

describe("a Tiled template", function()
  local function orc(parts)
    return { type = "template", object = with({ name = "orc", type = "Monster", width = 7, height = 8, rotation = 0,
      visible = true, properties = { property("hp", "int", 3), property("angry", "bool", true),
        property("icon", "file", "orc.png") } }, parts) }
  end

  local function instance(parts)
    return with({ id = 1, x = 30, y = 40, template = "kinds/orc.tj" }, parts)
  end

  local function import(one, files, parts, options)
    local document = map({ things(1, "T", { one }) }, parts)
    local found
    local result, message = tiled_sample.import(document, with({ directory = "maps", read = reader(files),
      components = { ["*"] = function(values, described) found = { values, described } end } }, options))
    if not result then return nil, message end
    return found[1], found[2], result.entities[1].children[1]
  end

  local ORC = "maps/kinds/orc.tj"

  it("provides the values that its instance omits", function()
    local values, one, node = import(instance(), { [ORC] = orc() })
    assert.same({ "orc", "Monster", 7, 8, 30, 40, ORC }, { one.name, one.class, one.width, one.height, one.x, one.y,
      one.template })
    assert.same({ hp = 3, angry = true, icon = "maps/kinds/orc.png" }, values)
    assert.same({ name = "orc", id = 1, components = { transform = { position = { 30, 40, 0 } } } }, node)
  end)

  it("is overridden by its instance", function()
    local values, one = import(instance({ name = "Bob", rotation = 90, width = 20, height = 30,
      properties = { property("hp", "int", 9) } }), { [ORC] = orc() })
    assert.same({ "Bob", 90, 20 }, { one.name, one.rotation, one.width })
    assert.same({ hp = 9, angry = true, icon = "maps/kinds/orc.png" }, values)
  end)

  it("is read once for all instances", function()
    local reads = 0
    local document = map({ things(1, "T", { instance(), instance({ id = 2 }) }) })
    level_source(document, { directory = "maps", read = function()
      reads = reads + 1
      return tiled_sample.encode(orc())
    end })
    assert.equal(1, reads)
  end)

  it("provides a shape, unless its instance has one", function()
    local files = { [ORC] = orc({ ellipse = true }) }
    assert.equal("ellipse", select(2, import(instance(), files)).shape)
    assert.equal("point", select(2, import(instance({ point = true }), files)).shape)
  end)

  it("finds its tile in its own tileset, with the id of the map", function()
    local files = { ["maps/kinds/orc.tj"] = orc({ gid = 3 + 2 ^ 31, width = 8, height = 12 }),
      ["maps/sets/mobs.tsj"] = tileset({ name = "Mobs", type = "tileset" }) }
    files["maps/kinds/orc.tj"].tileset = { firstgid = 2, source = "../sets/mobs.tsj" }
    local values, one = import(instance(), files, { tilesets = { tileset(),
      { firstgid = 7, source = "sets/mobs.tsj" } } })
    assert.same({ 1, 8, "Mobs", true }, { one.tile.id, one.gid, one.tile.tileset.name, one.flip_x })
    assert.same({ hp = 3, hard = true, angry = true, icon = "maps/kinds/orc.png" }, values)
  end)

  it("may not use another template", function()
    local _, message = import(instance(), { [ORC] = orc({ template = "orc.tj" }) })
    assert.equal("maps/kinds/orc.tj: object.template: a template cannot have a template", message)
  end)

  it("is named with the place of bad data", function()
    local _, message = import(instance(), { [ORC] = orc({ width = "wide" }) })
    assert.equal("maps/kinds/orc.tj: object.width: expected a number within 2^31, got a string", message)
    _, message = import(instance(), { [ORC] = orc({ properties = { property("hp", "int", "x") } }) })
    assert.equal("maps/kinds/orc.tj: object.properties[1].value: expected an integer, got a string", message)
    _, message = import(instance(), { [ORC] = { type = "template" } })
    assert.equal("maps/kinds/orc.tj: object: expected an object, got no value", message)
    _, message = import(instance(), { [ORC] = orc({ gid = 3 }) })
    assert.equal("maps/kinds/orc.tj: tileset: expected an object, got no value", message)
  end)

  it("is named if it is missing or not valid", function()
    local _, message = import(instance(), {})
    assert.equal("Tiled text: layers[1].objects[1].template: cannot read maps/kinds/orc.tj: no such file", message)
    _, message = import(instance(), { [ORC] = "{" })
    assert.matches("^maps/kinds/orc%.tj: line 1 column 2: ", message)
    _, message = import(instance(), { [ORC] = "[1]" })
    assert.equal("maps/kinds/orc.tj: expected an object, got array", message)
  end)

  it("is read with the option read by its plain path if a text has no directory", function()
    local read = reader({ ["kinds/orc.tj"] = orc() })
    local result = level_source(map({ things(1, "T", { instance() }) }), { read = read })
    assert.equal("orc", result.entities[1].children[1].name)
  end)

  it("needs a directory if the map is a text", function()
    assert.equal('Tiled text: layers[1].objects[1].template: "kinds/orc.tj" is a separate file: pass option '
      .. "directory, or import by path", failure(map({ things(1, "T", { instance() }) })))
  end)
end)
