-- Grids: cells, size, tiles, levels, snapshots, readers.

local blob = require "spec.support.blob"
local collect = require "spec.support.collect"
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
    for x, y, value in grid:cells(e) do all[#all + 1] = ("%d,%d=%.0f"):format(x, y, value) end
    return table.concat(all, " ")
  end

  describe("when it is created", function()
    it("has the given cells, row by row", function()
      local e = small()
      assert.are.same({ 3, 2 }, { grid:size(e) })
      assert.are.same({ 0, 1, 4294967295 }, { grid:cell(e, 0, 0), grid:cell(e, 1, 0), grid:cell(e, 2, 1) })
      assert.are.equal("1,0=1 2,0=2 0,1=300 1,1=70000 2,1=4294967295", found(e))
      valid(world)
    end)

    it("is empty by default", function()
      local e = new { width = 5, height = 4 }
      assert.are.equal(0, grid:cell(e, 4, 3))
      assert.are.equal("", found(e))
      assert.are.same({ 16, 16 }, { grid:cell_size(e) })
    end)

    for _, case in ipairs {
      { "no width", { height = 1 }, "width: required" },
      { "a width of 0", { width = 0, height = 1 }, "width: expected an integer from 1 on, got 0" },
      { "too few cells", { width = 2, height = 2, cells = { 1, 2, 3 } }, "cells: expected 4 numbers (2 x 2), got 3" },
      { "a negative cell", { width = 1, height = 2, cells = { 1, -1 } },
        "cells: expected an integer in [0, 4294967295], got -1 at 2" },
      { "a fraction as a cell", { width = 1, height = 1, cells = { 0.5 } },
        "cells: expected an integer in [0, 4294967295], got 0.5 at 1" },
      { "a string among the cells", { width = 1, height = 1, cells = { "1" } },
        "cells: expected numbers, got string at 1" },
      { "a number as cells", { width = 1, height = 1, cells = 1 }, "cells: expected a list of numbers, got number" },
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

    it("is independent of other grids created with the same values", function()
      local list = world:create({ grid = { width = 2, height = 1, cells = { 7, 8 } } }, 5)
      grid:set_cell(list[3], 0, 0, 9)
      for i = 1, 5 do assert.are.same({ i == 3 and 9 or 7, 8 }, grid:get(list[i]).cells) end
      valid(world)
    end)

    it("can have its own cells in create_many", function()
      local list = entities:create(2)
      grid:create_many(list, { width = 2, height = 1, cells = { { 1, 2 }, { 3, 4 } } })
      assert.are.same({ 1, 2 }, grid:get(list[1]).cells)
      assert.are.same({ 3, 4 }, grid:get(list[2]).cells)
    end)
  end)

  describe("in grid:cell", function()
    it("returns nil outside", function()
      local e = small()
      for _, at in ipairs { { -1, 0 }, { 0, -1 }, { 3, 0 }, { 0, 2 }, { 2 ^ 40, 0 } } do
        assert.is_nil(grid:cell(e, at[1], at[2]))
      end
    end)

    it("refuses coordinates that are not whole numbers", function()
      raises("integer expected, got 0.5", grid.cell, grid, small(), 0.5, 0)
      raises("integer expected, got", grid.cell, grid, small(), 0, 0 / 0)
    end)
  end)

  describe("in grid:set_cell", function()
    it("changes only its own cell", function()
      local bytes = assert(cuttle.compiler(world):compile { entities = {
        { components = { grid = { width = 2, height = 2, cells = { 1, 2, 3, 4 } } } } } })
      local resource = assert(cuttle.resource(bytes))
      local a, b = assert(world:spawn(resource)):entity(1), assert(world:spawn(resource)):entity(1)
      grid:set_cell(a, 1, 1, 70000)
      assert.are.same({ 1, 2, 3, 70000 }, grid:get(a).cells)
      assert.are.same({ 1, 2, 3, 4 }, grid:get(b).cells)
      valid(world)
    end)

    it("raises outside of the grid, and for a value that is not a cell", function()
      local e = small()
      raises("cell 3, 0 is outside of 3 x 2", grid.set_cell, grid, e, 3, 0, 1)
      raises("got 4294967296", grid.set_cell, grid, e, 0, 0, 2 ^ 32)
      assert.are.equal(0, grid:cell(e, 0, 0))
    end)
  end)

  describe("in grid:set", function()
    it("changes the size and keeps the cells that are in both", function()
      local e = small()
      grid:set(e, { width = 2, height = 3 })
      assert.are.same({ 0, 1, 300, 70000, 0, 0 }, grid:get(e).cells)
      valid(world)
    end)

    it("replaces the cells", function()
      local e = small()
      grid:set(e, { width = 1, height = 1, cells = { 5 }, tiles = "t", cell_size = { 2, 3 } })
      assert.are.same({ width = 1, height = 1, cells = { 5 }, tiles = "t", cell_size = { 2, 3 } }, grid:get(e))
    end)

    it("changes nothing if the cells do not fit", function()
      local e = small()
      raises("bad argument #2 to 'set' (cells: expected 6 numbers (3 x 2), got 1)", function()
        grid:set(e, { cells = { 1 }, tiles = "t" })
      end)
      raises("(cells: expected 2 numbers (1 x 2), got 3)", grid.set, grid, e, { width = 1, cells = { 1, 2, 3 } })
      raises("are more than 67108864 cells", grid.set, grid, e, { width = 2^32 - 1 })
      assert.are.equal("", grid:tiles(e))
      raises("is changed by 'set'", grid.write, grid, e, "width", 2)
      assert.are.same({ 3, 2 }, { grid:size(e) })
    end)
  end)

  it("maps cell values to the definitions of its tiles", function()
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

  it("ends its loops with an error after its entity died or its size changed", function()
    local e = small()
    local step = grid:cells(e)
    step()
    entities:destroy(e)
    world:gc()
    raises("grid: the component was removed during the loop", step)
    raises("is dead", grid.cell, grid, e, 0, 0)
    valid(world)
    local other = small()
    step = grid:cells(other)
    grid:set(other, { width = 1 })
    raises("grid: the size changed during the loop", step)
    world:destroy()
    raises("world is destroyed", step)
  end)

  describe("in a resource", function()
    local bytes

    before_each(function()
      bytes = assert(cuttle.compiler(world):compile { entities = { { components = { grid = { width = 2, height = 2,
        cell_size = 8, cells = { 1, 2, 3, 4 }, tiles = "ground" } } } } })
    end)

    it("uses as many bytes per cell as the largest value needs", function()
      local function size_of(number)
        local cells = {}
        for i = 1, 1000 do cells[i] = number end
        return #assert(cuttle.compiler(world):compile { entities = { { components = { grid = { width = 100, height = 10,
          cells = cells } } } } })
      end
      local one = size_of(255)
      assert.are.same({ one + 1000, one + 3000, one + 3000 }, { size_of(256), size_of(65536), size_of(2 ^ 32 - 1) })
    end)

    it("is spawned with all its values", function()
      local level = assert(world:spawn(assert(cuttle.resource(bytes))))
      assert.are.same({ width = 2, height = 2, cell_size = { 8, 8 }, cells = { 1, 2, 3, 4 }, tiles = "ground" },
        grid:get(level:entity(1)))
    end)

    it("is overridden in a spawn", function()
      local options = { overrides = { map = { grid = { cells = { 5, 6, 7, 8 }, tiles = "sea" } } } }
      local named = assert(cuttle.compiler(world):compile { entities = { { name = "map", components = {
        grid = { width = 2, height = 2, cells = { 1, 2, 3, 4 } } } } } })
      local resource = assert(cuttle.resource(named))
      local map = assert(world:spawn(resource, options)):find "map"
      assert.are.same({ 5, 6, 7, 8 }, grid:get(map).cells)
      assert.are.equal("sea", grid:tiles(map))
      options.overrides.map.grid = { cells = { 1 } }
      local level, message = world:spawn(resource, options)
      assert.is_nil(level)
      assert.is_truthy(message:find("grid: cells: expected 4 numbers (2 x 2), got 1", 1, true), message)
      valid(world)
    end)

    it("is refused by the compiler with the place of the error", function()
      local _, message = cuttle.compiler(world):compile({ entities = { { components = {
        grid = { width = 2, height = 2, cells = { 1 } } } } } }, { name = "map.json" })
      assert.are.equal("map.json: entities[1].components.grid.cells: expected 4 numbers (2 x 2), got 1", message)
    end)

    it("is empty by default", function()
      local level = assert(world:spawn(assert(cuttle.resource(assert(cuttle.compiler(world):compile { entities = {
        { components = { grid = { width = 3, height = 5 } } } } })))))
      assert.are.equal(0, grid:cell(level:entity(1), 2, 4))
      assert.are.equal("", found(level:entity(1)))
    end)

    it("is refused if the size does not match the cells, or the cells are damaged", function()
      local at = blob.read(bytes).sections.grid.data
      for _, case in ipairs {
        { 0, 3, "grid: instance 1: cells: expected 6 numbers (3 x 2), got 4" },
        { 0, 0, "grid: instance 1: width: expected an integer from 1 on, got 0" },
        { 0, 2 ^ 31, "grid: instance 1: 2147483648 x 2 are more than 67108864 cells" },
        { 16, 2 ^ 31 + 1, "grid: instance 1: 2 x 2147483649 are more than 67108864 cells" },
        { 32, 0, "grid: instance 1: cell_size: expected numbers above 0" },
        { 36, 0x7F800000, "grid: instance 1: cell_size: expected numbers above 0" },
        { 64, 0x7FFFFFFC, "grid: cells of instance 1 is a string outside of the resource" },
        { 64, 0, "grid: instance 1: cells: invalid bytes of cells" },
      } do
        local resource, message = cuttle.resource(blob.seal(blob.put_u32(bytes, at + case[1], case[2])))
        assert.is_nil(resource)
        assert.are.equal(case[3], message)
      end
    end)

    it("shares its cells between all spawned grids, until one is written", function()
      local cells = {}
      for i = 1, 10000 do cells[i] = i end
      local resource = assert(cuttle.resource(assert(cuttle.compiler(world):compile { entities = { { components = {
        grid = { width = 100, height = 100, cells = cells } } } } })))
      local first = assert(world:spawn(resource)):entity(1)
      local before = grid:memory()
      for _ = 1, 10 do assert(world:spawn(resource)) end
      assert(world:spawn_many(resource, 10))
      assert.is_true(grid:memory() < before + 40000)
      grid:set_cell(first, 0, 0, 1) -- is 1 already
      assert.is_true(grid:memory() < before + 40000)
      grid:set_cell(first, 0, 0, 2)
      assert.is_true(grid:memory() >= before + 40000)
      valid(world)
    end)
  end)

  describe("in a snapshot", function()
    it("shares its cells until one is written", function()
      local e = new { width = 100, height = 100 }
      local snapshot = entities:snapshot()
      assert.is_true(snapshot:bytes() < 20000)
      grid:set_cell(e, 5, 5, 1)
      local hash = entities:hash()
      entities:restore(snapshot)
      assert.are.equal(0, grid:cell(e, 5, 5))
      assert.are_not.equal(hash, entities:hash())
      grid:set_cell(e, 5, 5, 1)
      assert.are.equal(hash, entities:hash())
      entities:destroy(e)
      entities:restore(snapshot)
      assert.are.equal(0, grid:cell(e, 5, 5))
      valid(world)
    end)

    it("outlives its world", function()
      local e = new { width = 2, height = 1, cells = { 3, 4 } }
      local snapshot = entities:snapshot()
      world:destroy { entities = true }
      local others = cuttle.entity_manager()
      local other = cuttle.world(others)
      others:restore(snapshot)
      assert.are.same({ 3, 4 }, other.grid:get(e).cells)
      other.grid:set_cell(e, 0, 0, 5)
      others:snapshot(snapshot)
      others:restore(snapshot)
      assert.are.same({ 5, 4 }, other.grid:get(e).cells)
      valid(other)
    end)
  end)

  describe("with a reader", function()
    it("reads cells by their number, and is read-only", function()
      local r = grid:reader(small())
      assert.are.same({ 0, 1, 4294967295 }, { r[0], r[1], r[5] })
      for _, place in ipairs { -1, 6, 0.5, 2 ^ 40, 0 / 0, "x" } do assert.is_nil(r[place]) end
      raises("cannot write them: call set_cell", function() r[0] = 1 end)
    end)

    it("reads the current cells of the grid", function()
      local e = small()
      local r, snapshot = grid:reader(e), entities:snapshot()
      grid:set_cell(e, 0, 0, 7)
      assert.are.equal(7, r[0])
      entities:restore(snapshot)
      assert.are.equal(0, r[0])
      grid:set(e, { width = 1, height = 1, cells = { 9 } })
      assert.are.same({ 9 }, { r[0], r[1] })
      for _ = 1, 20 do entities:destroy(small()) end
      world:gc "all"
      assert.are.equal(9, r[0])
    end)

    it("can read while the entity dies, and raises afterwards", function()
      local e, seen = small()
      local r = grid:reader(e)
      entities:on_destroy(function() seen = r[1] end)
      entities:destroy(e)
      assert.are.equal(1, seen)
      raises("is dead: its grid cannot be read", function() return r[1] end)
    end)

    it("raises when the component or the world is destroyed", function()
      local e, other = small(), small()
      local r, r2 = grid:reader(e), grid:reader(other)
      grid:destroy(e)
      raises("has no grid any more", function() return r[1] end)
      assert.are.equal(1, r2[1])
      world:destroy()
      raises("world is destroyed", function() return r2[1] end)
    end)

    it("keeps its world alive", function()
      local r
      do
        local others = cuttle.entity_manager()
        local other = cuttle.world(others)
        r = other.grid:reader(other:create { grid = { width = 1, height = 1, cells = { 5 } } })
      end
      collect()
      assert.are.equal(5, r[0])
      assert.matches("^GridReader of entity", tostring(r))
    end)
  end)
end)
