-- level:patch of grids.

local cuttle = require "cuttle"
local valid = require "spec.support.valid"

describe("a patch of a level with a grid", function()
  local world, grid

  before_each(function()
    world = cuttle.world(cuttle.entity_manager())
    grid = world.grid
  end)

  local function resource(values)
    local components = values and { grid = values } or {}
    local blob = assert(cuttle.compiler(world):compile { entities = { { id = "map", components = components } } })
    return assert(cuttle.resource(blob))
  end

  local function of(...)
    return { width = 2, height = 2, cells = { ... } }
  end

  local function spawn(values)
    local level = assert(world:spawn(resource(values)))
    return level, level:entity(1)
  end

  it("writes the cells that differ, except those that a script changed", function()
    local level, map = spawn(of(1, 2, 3, 4))
    grid:set_cell(map, 0, 0, 10)
    grid:set_cell(map, 1, 1, 40)
    assert.are.equal(1, assert(level:patch(resource(of(1, 20, 3, 400)))).changed)
    assert.are.same({ 10, 20, 3, 40 }, grid:get(map).cells)
    valid(world)
  end)

  it("counts no change if a script changed all cells that differ", function()
    local level, map = spawn(of(1, 2, 3, 4))
    grid:set_cell(map, 0, 0, 10)
    assert.are.equal(0, assert(level:patch(resource(of(5, 2, 3, 4)))).changed)
    assert.are.same({ 10, 2, 3, 4 }, grid:get(map).cells)
  end)

  it("changes the size only if no cell was changed by a script", function()
    local wider = { width = 3, height = 1, cells = { 7, 8, 9 } }
    local level, map = spawn(of(1, 2, 3, 4))
    local other_level, other = spawn(of(1, 2, 3, 4))
    grid:set_cell(other, 0, 0, 10)
    assert.are.equal(1, assert(level:patch(resource(wider))).changed)
    assert.are.equal(0, assert(other_level:patch(resource(wider))).changed)
    assert.are.same({ 7, 8, 9 }, grid:get(map).cells)
    assert.are.same({ 3, 1 }, { grid:size(map) })
    assert.are.same({ 10, 2, 3, 4 }, grid:get(other).cells)
    valid(world)
  end)

  it("keeps a grid whose size a script changed", function()
    local level, map = spawn(of(1, 2, 3, 4))
    grid:set(map, { width = 1 })
    assert.are.equal(0, assert(level:patch(resource(of(5, 6, 7, 8)))).changed)
    assert.are.same({ 1, 3 }, grid:get(map).cells)
  end)

  it("writes tiles and the cell size besides the cells", function()
    local level, map = spawn(of(1, 2, 3, 4))
    local values = of(1, 2, 3, 5)
    values.tiles, values.cell_size = "ground", { 8, 4 }
    assert(level:patch(resource(values)))
    assert.are.same(values, grid:get(map))
    valid(world)
  end)

  it("adds a grid with its cells, and removes one", function()
    local level, map = spawn()
    assert(level:patch(resource(of(1, 2, 3, 4))))
    assert.are.same({ 1, 2, 3, 4 }, grid:get(map).cells)
    assert(level:patch(resource()))
    assert.is_false(grid:has(map))
    valid(world)
  end)
end)
