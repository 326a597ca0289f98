-- The import of an LDtk project as a level: hierarchy, worlds, choice of levels, mappings, real files.

local ldtk = require "cuttle.import.ldtk"
local ldtk_sample = require "spec.support.ldtk_sample"
local changed = ldtk_sample.changed
local failure = ldtk_sample.failure
local level_source = ldtk_sample.level_source
local player = ldtk_sample.player
local project = ldtk_sample.project
local sample = ldtk_sample.sample
local NULL = ldtk_sample.NULL

describe("the hierarchy of an LDtk project", function()
  it("is a level of version 1 with one root for each LDtk level", function()
    local result = level_source()
    assert.equal(1, result.version)
    assert.same({ "A", "B" }, { result.entities[1].name, result.entities[2].name })
  end)

  it("has a level at its place in the world, with its iid as id", function()
    local root = level_source().entities[1]
    assert.equal("level-a", root.id)
    assert.same({ transform = { position = { 100, 200, 0 } } }, root.components)
  end)

  it("has layers below their level, in the editor's order, at their total offset", function()
    local layers = level_source().entities[1].children
    assert.same({ "Things", "Walls", "Floor" }, { layers[1].name, layers[2].name, layers[3].name })
    assert.equal("layer-a", layers[1].id)
    assert.same({ transform = { position = { 0, -8, 0 } } }, layers[1].components)
  end)

  it("has entities below their layer, at their pivot", function()
    local node = level_source().entities[1].children[1].children[1]
    assert.same({ name = "Player", id = "player-1", components = { transform = { position = { 8, 16, 0 } } } }, node)
  end)

  it("has no empty children", function()
    assert.is_nil(level_source().entities[1].children[3].children)
  end)

  it("has names without slashes", function()
    local document = changed(function(_, first) first.identifier = "up/down" end)
    assert.equal("up_down", level_source(document).entities[1].name)
  end)

  it("may be empty", function()
    assert.same({ version = 1, entities = {} }, level_source(project({})))
  end)

  it("may have a layer of an unknown type", function()
    local document = changed(function(_, _, things) things.__type = "Hologram" end)
    assert.equal(2, #level_source(document).entities[1].children[1].children)
  end)

  it("may be of an older version 1.x with fewer fields", function()
    local document = changed(function(_, first, things)
      first.worldDepth, first.__bgColor, first.__neighbours = nil, nil, nil
      things.entityInstances[1].__smartColor, things.entityInstances[1].__tags = nil, nil
    end)
    assert.equal("Player", level_source(document).entities[1].children[1].children[1].name)
  end)
end)

describe("the position of an LDtk level", function()
  local function placed(layout)
    local document = changed(function(whole)
      whole.worldLayout = layout
      for _, one in ipairs(whole.levels) do one.worldX, one.worldY = -1, -1 end
    end)
    local first, second = unpack(level_source(document).entities)
    return { first.components.transform.position, second.components.transform.position }
  end

  it("is to the right of the level before it in a horizontal layout", function()
    assert.same({ { 0, 0, 0 }, { 48, 0, 0 } }, placed("LinearHorizontal"))
  end)

  it("is below the level before it in a vertical layout", function()
    assert.same({ { 0, 0, 0 }, { 0, 32, 0 } }, placed("LinearVertical"))
  end)

  it("does not depend on the chosen levels", function()
    local document = changed(function(whole) whole.worldLayout = "LinearHorizontal" end)
    local only = level_source(document, { levels = { "B" } }).entities[1]
    assert.same({ 48, 0, 0 }, only.components.transform.position)
  end)
end)

describe("an LDtk project with several worlds", function()
  local function worlds()
    local whole = sample()
    local second = { whole.levels[2] }
    whole.worlds = { { identifier = "Over", iid = "w1", worldLayout = "Free", levels = { whole.levels[1] } },
      { identifier = "Under", iid = "w2", worldLayout = "LinearVertical", levels = second } }
    whole.levels, whole.worldLayout = {}, NULL
    return whole
  end

  it("imports the levels of all worlds", function()
    local entities = level_source(worlds()).entities
    assert.same({ "A", "B" }, { entities[1].name, entities[2].name })
  end)

  it("keeps the coordinates of each world", function()
    assert.same({ 0, 0, 0 }, level_source(worlds()).entities[2].components.transform.position)
  end)

  it("imports only the chosen worlds", function()
    local entities = level_source(worlds(), { worlds = { "Under" } }).entities
    assert.same({ 1, "B" }, { #entities, entities[1].name })
  end)

  it("is reported with the world in the place of bad data", function()
    local document = worlds()
    document.worlds[2].levels[1].identifier = 5
    assert.equal("LDtk text: worlds[2].levels[1].identifier: expected a string, got 5", failure(document))
  end)
end)

describe("the option levels of the LDtk importer", function()
  it("chooses levels by name", function()
    assert.equal(1, #level_source(nil, { levels = { "B" } }).entities)
  end)

  it("chooses levels by iid", function()
    assert.equal("B", level_source(nil, { levels = { "level-b" } }).entities[1].name)
  end)

  it("chooses levels by function", function()
    local function on_the_left(one) return one.x < 120 end
    assert.equal("A", level_source(nil, { levels = on_the_left }).entities[1].name)
  end)

  it("is refused if no level has the name", function()
    local message = failure(changed(function(_, first) first.identifier = "Entrance" end), { levels = { "Entrence" } })
    assert.equal("LDtk text: unknown level \"Entrence\" (did you mean 'Entrance'?)", message)
  end)

  it("prevents reading other levels", function()
    local document = changed(function(_, first) first.layerInstances = "broken" end)
    assert.equal(1, #level_source(document, { levels = { "B" } }).entities)
  end)

  it("is reported with the place if the function raises", function()
    assert.matches("LDtk text: levels%[1%]: .*option levels raised: .*oops",
      failure(nil, { levels = function() error("oops") end }))
  end)
end)

describe("the mapping of an LDtk entity", function()
  it("receives the entity's other properties", function()
    local _, described = player()
    assert.same({ "Player", "player-1", 16, 24 },
      { described.identifier, described.iid, described.width, described.height })
    assert.same({ 8, 16 }, described.px)
    assert.same({ 108, 208 }, described.world)
    assert.same({ 0.5, 1 }, described.pivot)
    assert.same({ "actor" }, described.tags)
    assert.same({ cx = 0, cy = 1 }, described.grid)
    assert.same({ 1, 128 / 255, 0, 1 }, described.color)
    assert.same({ x = 16, y = 32, width = 16, height = 24, tileset_uid = 7, tileset = "Ground", path = "ground.png" },
      described.tile)
    assert.same({ "Things", "A" }, { described.layer.identifier, described.level.identifier })
  end)

  it("receives its context", function()
    local _, _, context = player(nil, { name = "map.ldtk" })
    assert.same({ "map.ldtk", "levels[1].layerInstances[1].entityInstances[1]", "1.5.3" },
      { context.file, context.place, context.version })
  end)

  local function mapped(answer, ...)
    local rest = { ... }
    local result = level_source(nil, { components = { Player = function() return answer, unpack(rest) end } })
    return result.entities[1].children[1].children[1]
  end

  it("adds components", function()
    assert.same({ transform = { position = { 8, 16, 0 } }, health = { hp = 3 } },
      mapped({ health = { hp = 3 } }).components)
  end)

  it("overrides fields of the editor's transform", function()
    assert.same({ position = { 8, 16, 0 }, angle = 2 }, mapped({ transform = { angle = 2 } }).components.transform)
    assert.same({ position = { 1, 2, 3 } }, mapped({ transform = { position = { 1, 2, 3 } } }).components.transform)
  end)

  it("replaces the editor's position by a matrix", function()
    assert.same({ matrix = { 1 } }, mapped({ transform = { matrix = { 1 } } }).components.transform)
  end)

  it("returns a table that the importer does not change", function()
    local answer = { transform = { angle = 1 } }
    mapped(answer)
    assert.same({ transform = { angle = 1 } }, answer)
  end)

  it("may return another name", function()
    assert.equal("he_ro", mapped(nil, "he/ro").name)
  end)

  it("may return nothing", function()
    assert.same({ transform = { position = { 8, 16, 0 } } }, mapped(nil).components)
  end)

  it("may be the mapping \"*\" of all others", function()
    local names = {}
    level_source(nil, { components = { Player = function() end,
      ["*"] = function(_, one) names[#names + 1] = one.iid end } })
    assert.same({ "door-1", "door-2" }, names)
  end)

  local place = "LDtk text: levels[1].layerInstances[1].entityInstances[1]: the mapping of entity Player"
  local function complaint(mapping)
    return failure(nil, { components = { Player = mapping } })
  end

  it("is named in the error if it raises", function()
    local message = complaint(function() error("no such thing") end)
    assert.matches(place .. " raised: ", message, 1, true)
    assert.matches("no such thing", message)
  end)

  it("is named in the error if it raises a value that is not a string", function()
    assert.matches(place .. " raised: table", complaint(function() error({}) end), 1, true)
  end)

  local wrong = { { 5, ": expected a table of components or nil, got number" },
    { false, ": expected a table of components or nil, got boolean" },
    { { 5 }, ": expected components by name, got the key 1" },
    { { health = 5 }, ": component health: expected a table, got number" } }
  for _, case in ipairs(wrong) do
    it("is refused" .. case[2], function()
      assert.equal(place .. case[2], complaint(function() return case[1] end))
    end)
  end

  it("is refused if it returns a name that is not a string", function()
    assert.equal(place .. ": expected a string as name, got number", complaint(function() return nil, 5 end))
  end)
end)

describe("the mapping of an LDtk level", function()
  it("receives the fields and the level", function()
    local values, described
    level_source(nil, { levels = { "A" }, level = function(...) values, described = ... end })
    assert.same({ music = "theme.ogg" }, values)
    assert.same({ "A", 100, 200, 48, 32, 1 }, { described.identifier, described.x, described.y, described.width,
      described.height, described.depth })
    assert.same({ { iid = "level-b", direction = "e" } }, described.neighbours)
  end)

  it("receives the background", function()
    local document = changed(function(_, first)
      first.bgRelPath = "sky.png"
      first.__bgPos = { topLeftPx = { 1, 2 }, scale = { 3, 4 }, cropRect = { 5, 6, 7, 8 } }
    end)
    local image
    level_source(document, { levels = { "A" }, level = function(_, described) image = described.background end })
    assert.same({ path = "sky.png", x = 1, y = 2, scale_x = 3, scale_y = 4,
      crop = { x = 5, y = 6, width = 7, height = 8 } }, image)
  end)

  it("returns components", function()
    local result = level_source(nil, { level = function(values) return { music = { file = values.music } } end })
    assert.same({ file = "theme.ogg" }, result.entities[1].components.music)
  end)

  it("is named in the error if it raises", function()
    assert.matches("^LDtk text: levels%[1%]: the mapping of level A raised: ",
      failure(nil, { level = function() error("x") end }))
  end)
end)

describe("the mapping of an LDtk layer", function()
  local function walls()
    local seen
    level_source(nil, { layer = function(one) if one.identifier == "Walls" then seen = one end end })
    return seen
  end

  it("receives the layer", function()
    local seen = walls()
    assert.same({ "IntGrid", 0, -8, 16, 3, 2, 0.5, true, 0.25, 2 }, { seen.type, seen.x, seen.y, seen.grid_size,
      seen.columns, seen.rows, seen.opacity, seen.visible, seen.parallax_x, seen.index })
  end)

  it("receives the int grid and the names of its values", function()
    local seen = walls()
    assert.same({ 0, 2, 0, 0, 0, 1 }, seen.int_grid)
    assert.same({ [2] = { identifier = "brick", color = { 1, 0, 0, 1 }, group = 0 } }, seen.values)
  end)

  it("receives the tileset", function()
    local seen = walls().tileset
    assert.same({ "Ground", "ground.png", 16, 64 }, { seen.identifier, seen.path, seen.tile_size, seen.width })
    assert.same({ [5] = "slow" }, seen.data)
    assert.same({ [5] = { "Water" }, [6] = { "Water" } }, seen.tags)
  end)

  it("returns components", function()
    local result = level_source(nil, { layer = function(one) return { grid = { cells = one.columns * one.rows } } end })
    assert.same({ cells = 6 }, result.entities[1].children[2].components.grid)
  end)
end)

local function real(name)
  local path = (os.getenv("CUTTLE_LEVELS") or "../shared/levels") .. "/" .. name
  local file = io.open(path)
  if file then file:close() end
  return file and path
end

local function with_real(sentence, name, body)
  local path = real(name)
  if path then
    it(sentence, function() body(path) end)
  else
    pending(sentence .. " (" .. name .. " is missing)")
  end
end

local function count(entities)
  local n = #entities
  for _, node in ipairs(entities) do n = n + count(node.children or {}) end
  return n
end

describe("a real LDtk project", function()
  local GRID = "WorldMap_GridVania_layout.ldtk"

  with_real("has 21 levels and 77 entities", GRID, function(path)
    local seen = 0
    local result = assert(ldtk(path, { components = { ["*"] = function() seen = seen + 1 end } }))
    assert.same({ 21, 77 }, { #result.entities, seen })
  end)

  with_real("is imported with all its tiles", GRID, function(path)
    local result = assert(ldtk(path, { tiles = true }))
    local layers = 0
    for _, root in ipairs(result.entities) do layers = layers + #root.children end
    assert.equal(21 + layers + 77 + 25958, count(result.entities))
  end)

  with_real("is imported with unique ids", GRID, function(path)
    local ids = {}
    local function walk(entities)
      for _, node in ipairs(entities) do
        if node.id then
          assert.is_nil(ids[node.id])
          ids[node.id] = true
        end
        walk(node.children or {})
      end
    end
    walk(assert(ldtk(path)).entities)
  end)

  with_real("is imported with the targets of its teleporters", GRID, function(path)
    local targets = {}
    local function teleport(values) targets[#targets + 1] = values.destination end
    assert(ldtk(path, { components = { Teleport = teleport } }))
    assert.is_true(#targets > 0)
  end)

  with_real("is imported with the targets of its buttons", "Typical_TopDown_example.ldtk", function(path)
    local targets = 0
    local function button(values) targets = targets + #values.targets end
    assert.equal(3, #assert(ldtk(path, { components = { Button = button } })).entities)
    assert.is_true(targets > 0)
  end)
end)
