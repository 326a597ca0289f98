-- The import of a Tiled map as a level: layers, groups, choice of layers, mappings, and spawning.

-- tags: machine

local cuttle = require "cuttle"
local near = require "spec.support.near"
local tiled_sample = require "spec.support.tiled_sample"
local changed = tiled_sample.changed
local failure = tiled_sample.failure
local group = tiled_sample.group
local level_source = tiled_sample.level_source
local map = tiled_sample.map
local property = tiled_sample.property
local seen = tiled_sample.seen
local things = tiled_sample.things

describe("the hierarchy of a Tiled map", function()
  it("is a level of version 1 with an entity for each layer, in the document's order", function()
    local result = level_source()
    assert.equal(1, result.version)
    assert.same({ "Floor", "Town", "Sky" }, { result.entities[1].name, result.entities[2].name,
      result.entities[3].name })
  end)

  it("has a layer at its offset, with an id that differs from those of objects", function()
    local sky = level_source().entities[3]
    assert.same({ name = "Sky", id = "layer 4", components = { transform = { position = { -3, 0, 0 } } } }, sky)
  end)

  it("has layers below their group", function()
    local town = level_source().entities[2]
    assert.equal("Things", town.children[1].name)
    assert.same({ 10, 20, 0 }, town.components.transform.position)
    assert.same({ 1, 2, 0 }, town.children[1].components.transform.position)
  end)

  it("has objects below their layer, rotated clockwise around their position", function()
    local hero = level_source().entities[2].children[1].children[1]
    assert.same({ name = "hero", id = 1,
      components = { transform = { position = { 40, 50, 0 }, angle = math.pi / 2 } } }, hero)
  end)

  it("has names without slashes", function()
    local document = changed(function(_, floor, _, objects)
      floor.name, objects.objects[1].name = "up/down", "he/ro"
    end)
    local entities = level_source(document).entities
    assert.same({ "up_down", "he_ro" }, { entities[1].name, entities[2].children[1].children[1].name })
  end)

  it("has no empty names", function()
    local document = changed(function(_, floor, _, objects) floor.name, objects.objects[1].name = "", nil end)
    local entities = level_source(document).entities
    assert.is_nil(entities[1].name)
    assert.is_nil(entities[2].children[1].children[1].name)
  end)

  it("may be empty", function()
    assert.same({ version = 1, entities = {} }, level_source(map({})))
  end)

  it("may have nested groups", function()
    local inner = things(3000, "Deepest", {})
    for id = 1, 900 do inner = group(id, "g", { inner }, { offsetx = 1 }) end
    local deepest, depth
    level_source(map({ inner }), { layer = function(one)
      if one.name == "Deepest" then deepest, depth = one, one.total.x end
    end })
    assert.equal("objectgroup", deepest.type)
    assert.equal(900, depth)
  end)

  it("may omit optional values", function()
    local entities = level_source({ layers = { { type = "group", layers = {} } }, tilewidth = 8, tileheight = 8,
      width = 1, height = 1 }).entities
    assert.same({ { components = { transform = { position = { 0, 0, 0 } } } } }, entities)
  end)
end)

describe("the option layers of the Tiled importer", function()
  local function names(options)
    local list = {}
    for index, one in ipairs(level_source(nil, options).entities) do list[index] = one.name end
    return list
  end

  it("chooses layers by name", function()
    assert.same({ "Floor", "Sky" }, names({ layers = { "Sky", "Floor" } }))
  end)

  it("keeps the groups around a chosen layer", function()
    local entities = level_source(nil, { layers = { "Things" } }).entities
    assert.same({ "Town", "Things" }, { entities[1].name, entities[1].children[1].name })
    assert.equal(3, #entities[1].children[1].children)
  end)

  it("includes all layers of a chosen group", function()
    assert.equal(3, #level_source(nil, { layers = { "Town" } }).entities[1].children[1].children)
  end)

  it("chooses layers by function", function()
    assert.same({ "Town", "Sky" }, names({ layers = function(one) return one.type ~= "tilelayer" end }))
  end)

  it("excludes the layers of a group that the function excludes", function()
    local visited = {}
    names({ layers = function(one)
      visited[#visited + 1] = one.name
      return one.type ~= "group"
    end })
    assert.same({ "Floor", "Town", "Sky" }, visited)
  end)

  it("is refused if no layer has the name", function()
    assert.equal("Tiled text: unknown layer \"Thinsg\" (did you mean 'Things'?)",
      failure(nil, { layers = { "Thinsg" } }))
  end)

  it("prevents reading objects of other layers", function()
    local document = changed(function(_, _, _, objects) objects.objects[1].x = "broken" end)
    assert.equal(1, #level_source(document, { layers = { "Sky" } }).entities)
  end)

  it("treats references into other layers as not imported", function()
    local document = map({ things(1, "A", { tiled_sample.object(1, "a", "", 0, 0,
      { properties = { property("to", "object", 2) } }) }), things(2, "B", { tiled_sample.object(2, "b", "", 0, 0) }) })
    local values, one = seen("a", { layers = { "A" } }, document)
    assert.is_nil(values.to)
    assert.same({ to = { entity = 2, imported = false } }, one.references)
  end)
end)

describe("the mapping of a Tiled layer", function()
  local function layers(document)
    local list = {}
    level_source(document, { layer = function(one) list[one.name] = one end })
    return list
  end

  it("receives the layer", function()
    local floor = layers().Floor
    assert.same({ "tilelayer", "layer 1", 0.5, true, 3, 2, 1, 1 }, { floor.type, floor.id, floor.opacity,
      floor.visible, floor.columns, floor.rows, floor.index, floor.parallax_x })
    assert.equal(16, floor.map.tile_width)
  end)

  it("receives the combined effect of groups", function()
    local one = layers().Things
    assert.equal("Town", one.parent.name)
    local gray = 128 / 255
    assert.same({ x = 11, y = 22, opacity = 0.5, visible = false, parallax_x = 0.5, parallax_y = 1,
      tint = { gray, gray, gray, 1 } }, one.total)
    assert.is_true(one.visible)
  end)

  it("receives multiplied tints and opacities", function()
    local document = changed(function(_, _, _, objects) objects.opacity, objects.tintcolor = 0.5, "#ff0000" end)
    local total = layers(document).Things.total
    assert.equal(0.25, total.opacity)
    assert.same({ 128 / 255, 0, 0, 1 }, total.tint)
  end)

  it("receives the image of an image layer, with a path relative to the current folder", function()
    local sky
    level_source(nil, { directory = "maps/", layer = function(one) sky = one.image and one or sky end })
    assert.same({ "maps/sky.png", true, false, 0 }, { sky.image, sky.repeat_x, sky.repeat_y, sky.parallax_y })
  end)

  it("receives class and properties", function()
    local document = changed(function(_, floor)
      floor.class, floor.properties = "Ground", { property("wet", "bool", true) }
    end)
    local floor = layers(document).Floor
    assert.same({ "Ground", { wet = true } }, { floor.class, floor.fields })
  end)

  it("receives a function that returns the cells", function()
    local blocks = layers().Floor.cells()
    assert.same({ { x = 0, y = 0, width = 3, height = 2,
      gids = { 1, 2 + 2 ^ 31, 0, 3 + 2 ^ 30, 0, 6 + 2 ^ 29 } } }, blocks)
  end)

  it("receives a function cells that returns an error if the cells are wrong", function()
    local document = changed(function(_, floor) floor.data[4] = -1 end)
    local _, message = layers(document).Floor.cells()
    assert.equal("Tiled text: layers[1].data[4]: expected 0 to 2^32 - 1, got -1", message)
  end)

  it("returns components and a name", function()
    local result = level_source(nil, { layer = function(one)
      return { depth = { z = one.index } }, "L" .. one.index
    end })
    assert.same({ name = "L1", id = "layer 1",
      components = { transform = { position = { 0, 0, 0 } }, depth = { z = 1 } } }, result.entities[1])
  end)

  it("is named in the error if it raises", function()
    assert.matches("^Tiled text: layers%[2%]%.layers%[1%]: the mapping of layer Things raised: .*oops",
      failure(nil, { layer = function(one) if one.parent then error("oops") end end }))
  end)
end)

describe("the mapping of a Tiled map", function()
  it("creates an entity above all layers", function()
    local result = level_source(nil, { map = function() return { level = {} }, "town" end })
    assert.equal(1, #result.entities)
    assert.equal("town", result.entities[1].name)
    assert.same({ transform = { position = { 0, 0, 0 } }, level = {} }, result.entities[1].components)
    assert.equal(3, #result.entities[1].children)
  end)

  it("receives properties and map", function()
    local document = changed(function(whole)
      whole.class, whole.backgroundcolor = "Cave", "#102030"
      whole.properties = { property("music", "string", "theme.ogg") }
    end)
    local values, described
    level_source(document, { map = function(...) values, described = ... end })
    assert.same({ music = "theme.ogg" }, values)
    assert.same({ "Cave", "orthogonal", 3, 2, 16, 16, "1.10" }, { described.class, described.orientation,
      described.width, described.height, described.tile_width, described.tile_height, described.version })
    assert.same({ 1, "Ground" }, { described.tilesets[1].first_gid, described.tilesets[1].tileset.name })
  end)
end)

describe("the mapping of a Tiled object", function()
  it("is chosen by class", function()
    local function player(values) return { health = { hp = values.hp } } end
    local result = level_source(nil, { components = { Player = player } })
    assert.same({ hp = 12 }, result.entities[2].children[1].children[1].components.health)
    assert.is_nil(result.entities[2].children[1].children[2].components.health)
  end)

  it("is chosen by the class of its tile if it has no class", function()
    local names = {}
    level_source(nil, { components = { Wall = function(_, one) names[#names + 1] = one.name end } })
    assert.same({ "wall" }, names)
  end)

  it("is chosen by the class in the format of Tiled 1.9", function()
    local document = changed(function(_, _, _, objects)
      objects.objects[1].class, objects.objects[1].type = "Player", nil
    end)
    local _, hero = seen("hero", nil, document)
    assert.equal("Player", hero.class)
  end)

  it("may be the mapping \"*\" of all others", function()
    local names = {}
    local function rest(_, one) names[#names + 1] = one.name end
    level_source(nil, { components = { Player = function() end, ["*"] = rest } })
    assert.same({ "door", "wall" }, names)
  end)

  it("receives its context", function()
    local _, _, context = seen("hero", { name = "map.tmj", directory = "maps" })
    assert.same({ "map.tmj", "layers[2].layers[1].objects[1]", "maps", "1.10", 16 },
      { context.file, context.place, context.directory, context.version, context.map.tile_width })
  end)

  it("overrides fields of the editor's transform, and may return another name", function()
    local result = level_source(nil, { components = { Player = function()
      return { transform = { scale = 2 } }, "he/ro"
    end } })
    local hero = result.entities[2].children[1].children[1]
    assert.same({ "he_ro", { position = { 40, 50, 0 }, angle = math.pi / 2, scale = 2 } },
      { hero.name, hero.components.transform })
  end)

  it("is named in the error if it raises", function()
    local message = failure(nil, { components = { Player = function() error("no such thing") end } })
    assert.matches("Tiled text: layers[2].layers[1].objects[1]: the mapping of object Player raised: ", message, 1,
      true)
    assert.matches("no such thing", message)
  end)

  it("is refused if it does not return a table", function()
    assert.equal("Tiled text: layers[2].layers[1].objects[1]: the mapping of object Player: expected a table of "
      .. "components or nil, got number", failure(nil, { components = { Player = function() return 5 end } }))
  end)
end)

describe("a Tiled map", function()
  local function spawned(document, options)
    local world = cuttle.world(cuttle.entity_manager())
    world:define("aim", { { "target", "entity" } })
    local blob = assert(cuttle.compiler(world):compile(level_source(document, options)))
    return assert(world:spawn(cuttle.resource(blob))), world
  end

  it("compiles and spawns with every entity at its place", function()
    local level, world = spawned(nil, { tiles = true })
    near({ 51, 72, 0 }, { world.transform:world_position(level:find "Town/Things/hero") }, 1e-4)
    near({ math.pi / 2 }, { world.transform:world_angle(level:find "hero") }, 1e-4)
    near({ 19, 31, 0 }, { world.transform:world_position(level:find "door") }, 1e-4)
    assert.equal(1 + 4 + 1 + 1 + 3 + 1, level:count())
  end)

  it("spawns references between its objects", function()
    local level, world = spawned(nil, { components = { Player = function(values)
      return { aim = { target = values.target } }
    end } })
    assert.equal(level:find "door", world.aim:target(level:find "hero"))
  end)

  it("moves as a whole if it has an entity of its own", function()
    local level, world = spawned(nil, { map = function() return nil, "map" end })
    world.transform:set_local_position(level:find "map", 100, 0, 0)
    near({ 151, 72, 0 }, { world.transform:world_position(level:find "hero") }, 1e-4)
  end)
end)
