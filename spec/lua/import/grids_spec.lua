-- Grids of imported maps in a world: they cover the same places as tile entities, and their tiles have properties.

local cuttle = require "cuttle"
local ldtk_sample = require "spec.support.ldtk_sample"
local tiled_sample = require "spec.support.tiled_sample"
local floor, map, property = tiled_sample.floor, tiled_sample.map, tiled_sample.property

-- Imports, defines the tile resources, compiles and spawns. Returns the world and the level.
local function spawned(importer, text, options)
  local world = cuttle.world(cuttle.entity_manager())
  local level, _, tiles_by_name = assert(importer(text, options))
  for name, tiles in pairs(tiles_by_name) do world.grid:define_resource(name, tiles) end
  local blob = assert(cuttle.compiler(world):compile(level))
  return world, assert(world:spawn(assert(cuttle.resource(blob))))
end

local function tileset()
  return { firstgid = 1, name = "Ground", tilewidth = 32, tileheight = 16, tilecount = 4, columns = 2, margin = 0,
    spacing = 0, image = "ground.png", imagewidth = 64, imageheight = 32, tiles = {
      { id = 1, type = "Wall", properties = { property("solid", "bool", true) } } } }
end

describe("a grid of a Tiled map", function()
  local CHUNKS = { { x = -2, y = 0, width = 2, height = 2, data = { 1, 2, 3, 4 } },
    { x = 1, y = -1, width = 1, height = 1, data = { 2 } } }

  for _, orientation in ipairs({ "orthogonal", "isometric" }) do
    it("has each tile where the tile entity is: " .. orientation, function()
      local document = map({ floor(1, "Ground", 2, 2, nil, { offsetx = 3, offsety = -5, chunks = CHUNKS }) },
        { orientation = orientation, tilewidth = 32, tilesets = { tileset() }, infinite = true })
      local text = tiled_sample.encode(document)
      local world, level = spawned(cuttle.import.tiled, text, { tiles = "grid" })
      local ground = level:find "Ground"
      local others, tiles = spawned(cuttle.import.tiled, text, { tiles = true })
      local count = 0
      for e in others.transform:children(tiles:find "Ground") do
        local x, y = others.transform:world_position(e)
        local cx, cy, value = world.grid:cell_at(ground, x + 16, y + 8)
        count = count + 1
        assert.same({ ({ 0, 1, 0, 1, 3 })[count], ({ 1, 1, 2, 2, 0 })[count], ({ 1, 2, 3, 4, 2 })[count] },
          { cx, cy, value })
      end
      assert.equal(5, count)
      assert.same({ 4, 3 }, { world.grid:size(ground) })
    end)
  end

  it("has tile properties by number, and solid tiles", function()
    local document = map({ floor(1, "Ground", 3, 1, { 1, 2, 0 }) }, { tilewidth = 32, tilesets = { tileset() } })
    local world, level = spawned(cuttle.import.tiled, tiled_sample.encode(document),
      { tiles = "grid", name = "maps/cave.tmj" })
    local ground = level:find "Ground"
    assert.equal("Wall", world.grid:tile(ground, 2).class)
    assert.equal("cave", world.grid:tiles(ground))
    local x, _, value = world.grid:ray(ground, 1, 8, 90, 8)
    assert.same({ 1, 2 }, { x, value })
  end)
end)

describe("the grids of an LDtk project", function()
  it("have an entity for the int grid and a child for its tiles", function()
    local world, level = spawned(cuttle.import.ldtk, ldtk_sample.encode(ldtk_sample.sample()), { tiles = "grid" })
    local walls, tiles = level:find "A/Walls", level:find "A/Walls/tiles"
    assert.equal("brick", world.grid:tile(walls, world.grid:cell(walls, 1, 0)).identifier)
    -- Level A is at (100, 200), and its layers are 8 higher.
    assert.same({ 1, 0, 2 }, { world.grid:cell_at(walls, 100 + 20, 192 + 3) })
    assert.same({ "Water" }, world.grid:tile(tiles, world.grid:cell(tiles, 0, 0)).tags)
    assert.same({ 1, 1, 2 }, { world.grid:cell_at(level:find "A/Floor", 100 + 20, 192 + 20) })
  end)
end)
