local cuttle = require "cuttle"
local raises = require "spec.support.raises"
local valid = require "spec.support.valid"

describe("a grid", function()
  local entities, world, grid

  before_each(function()
    entities = cuttle.entity_manager()
    world = cuttle.world(entities)
    grid = world.grid
  end)

  local function new(values)
    local e = entities:create()
    grid:create(e, values)
    return e
  end

  local function small()
    return new { width = 3, height = 2, cell_size = 16, cells = { 0, 1, 2, 300, 70000, 4294967295 } }
  end

  local function found(e)
    local all = {}
    for x, y, value in grid:cells(e) do all[#all + 1] = ("%d,%d=%d"):format(x, y, value) end
    return table.concat(all, " ")
  end

  describe("when it is created", function()
    it("has the cells it was given, by rows", function()
      local e = small()
      assert.are.same({ 3, 2 }, { grid:size(e) })
      assert.are.same({ 0, 1, 4294967295 }, { grid:cell(e, 0, 0), grid:cell(e, 1, 0), grid:cell(e, 2, 1) })
      assert.are.equal("1,0=1 2,0=2 0,1=300 1,1=70000 2,1=4294967295", found(e))
      valid(world)
    end)

    it("is empty unless told", function()
      local e = new { width = 5, height = 4 }
      assert.are.equal(0, grid:cell(e, 4, 3))
      assert.are.equal("", found(e))
      assert.are.same({ 1, 1 }, { grid:cell_size(e) })
    end)

    for _, case in ipairs {
      { "no width", { height = 1 }, "width: required" },
      { "a width of 0", { width = 0, height = 1 }, "width: expected an integer from 1 on, got 0" },
      { "too few cells", { width = 2, height = 2, cells = { 1, 2, 3 } }, "cells: expected 4 numbers (2 x 2), got 3" },
      { "a negative cell", { width = 1, height = 2, cells = { 1, -1 } },
        "cells: expected an integer in [0, 4294967295], got -1 at 2" },
      { "half a cell", { width = 1, height = 1, cells = { 0.5 } },
        "cells: expected an integer in [0, 4294967295], got 0.5 at 1" },
      { "a string among the cells", { width = 1, height = 1, cells = { "1" } },
        "cells: expected numbers, got string at 1" },
      { "no list", { width = 1, height = 1, cells = 1 }, "cells: expected a list of numbers, got number" },
      { "a size that overflows", { width = 2 ^ 31, height = 2 ^ 31 },
        "2147483648 x 2147483648 are more than 67108864 cells" },
      { "a cell size of 0", { width = 1, height = 1, cell_size = 0 }, "cell_size: expected numbers above 0" },
      { "an infinite cell size", { width = 1, height = 1, cell_size = { 1, math.huge } },
        "cell_size: expected numbers above 0" },
    } do
      it("refuses " .. case[1], function()
        local e = entities:create()
        raises(case[3], grid.create, grid, e, case[2])
        assert.is_false(grid:has(e))
        valid(world)
      end)
    end

    it("is one of many with the same values", function()
      local list = world:create({ grid = { width = 2, height = 1, cells = { 7, 8 } } }, 5)
      grid:set_cell(list[3], 0, 0, 9)
      for i = 1, 5 do assert.are.same({ i == 3 and 9 or 7, 8 }, grid:get(list[i]).cells) end
      valid(world)
    end)

    it("is one of many with cells of their own", function()
      local list = entities:create(2)
      grid:create_many(list, { width = 2, height = 1, cells = { { 1, 2 }, { 3, 4 } } })
      assert.are.same({ 1, 2 }, grid:get(list[1]).cells)
      assert.are.same({ 3, 4 }, grid:get(list[2]).cells)
    end)
  end)

  describe("cell", function()
    it("is nil outside", function()
      local e = small()
      for _, at in ipairs { { -1, 0 }, { 0, -1 }, { 3, 0 }, { 0, 2 }, { 2 ^ 40, 0 } } do
        assert.is_nil(grid:cell(e, at[1], at[2]))
      end
    end)

    it("refuses what is no whole number", function()
      raises("integer expected, got 0.5", grid.cell, grid, small(), 0.5, 0)
      raises("integer expected, got", grid.cell, grid, small(), 0, 0 / 0)
    end)
  end)

  describe("set_cell", function()
    it("writes a cell of this grid alone", function()
      local blob = assert(cuttle.compiler(world):compile { entities = {
        { components = { grid = { width = 2, height = 2, cells = { 1, 2, 3, 4 } } } } } })
      local resource = assert(cuttle.resource(blob))
      local a, b = assert(world:spawn(resource)):entity(1), assert(world:spawn(resource)):entity(1)
      grid:set_cell(a, 1, 1, 70000)
      assert.are.same({ 1, 2, 3, 70000 }, grid:get(a).cells)
      assert.are.same({ 1, 2, 3, 4 }, grid:get(b).cells)
      valid(world)
    end)

    it("raises outside, and for what is no cell", function()
      local e = small()
      raises("cell 3, 0 is outside of 3 x 2", grid.set_cell, grid, e, 3, 0, 1)
      raises("got 4294967296", grid.set_cell, grid, e, 0, 0, 2 ^ 32)
      assert.are.equal(0, grid:cell(e, 0, 0))
    end)
  end)

  describe("set", function()
    it("gives it another size, with the cells that are in both", function()
      local e = small()
      grid:set(e, { width = 2, height = 3 })
      assert.are.same({ 0, 1, 300, 70000, 0, 0 }, grid:get(e).cells)
      valid(world)
    end)

    it("gives it other cells", function()
      local e = small()
      grid:set(e, { width = 1, height = 1, cells = { 5 }, tiles = "t", cell_size = { 2, 3 } })
      assert.are.same({ width = 1, height = 1, cells = { 5 }, tiles = "t", cell_size = { 2, 3 } }, grid:get(e))
    end)

    it("changes nothing where the cells do not fit", function()
      local e = small()
      raises("not a value for", grid.set, grid, e, { cells = { 1 }, tiles = "t" })
      assert.are.equal("", grid:tiles(e))
      raises("is changed by 'set'", grid.write, grid, e, "width", 2)
      assert.are.same({ 3, 2 }, { grid:size(e) })
    end)
  end)

  it("tells what a number means by the name of its tiles", function()
    local e = small()
    grid:set_tiles(e, "ground")
    assert.is_nil(grid:tile(e, 1))
    local wall = { solid = true }
    grid:define_resource("ground", { [1] = wall, name = "x" })
    assert.are.equal(wall, grid:tile(e, 1))
    assert.is_nil(grid:tile(e, 2))
    raises("[1.5]", grid.define_resource, grid, "ground", { [1.5] = {} })
    raises("[2]: table expected, got boolean", grid.define_resource, grid, "ground", { [2] = true })
    assert.are.equal(wall, grid:tile(e, 1))
  end)

  it("is gone with its entity, and its loop says so", function()
    local e = small()
    local step = grid:cells(e)
    step()
    entities:destroy(e)
    world:gc()
    raises("grid: the component went during the loop", step)
    raises("is dead", grid.cell, grid, e, 0, 0)
    valid(world)
    local other = small()
    step = grid:cells(other)
    grid:set(other, { width = 1 })
    raises("grid: the size changed during the loop", step)
    world:destroy()
    raises("world is destroyed", step)
  end)
end)
