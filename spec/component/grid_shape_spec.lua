-- Rectangles and outlines of the solid cells of grids, and blocks of cells that are written.

local cuttle = require "cuttle"
local files = require "cuttle.files"
local ldtk = require "cuttle.import.ldtk"
local raises = require "spec.support.raises"
local random = require "spec.support.random"
local seed = require "spec.support.seed"
local tiled = require "cuttle.import.tiled"

local entities = cuttle.entity_manager()
local world = cuttle.world(entities)
local grid = world.grid

local function map(lines, tiles)
  local cells = {}
  for _, line in ipairs(lines) do
    for letter in line:gmatch "." do cells[#cells + 1] = tonumber(letter) or 0 end
  end
  return world:create { grid = { width = #lines[1], height = #lines, cells = cells, tiles = tiles } }
end

local function text(loops)
  local lines = {}
  for i, loop in ipairs(loops) do lines[i] = table.concat(loop, " ") end
  return table.concat(lines, " / ")
end

describe("grid:colliders", function()
  it("returns rectangles: cells of a row, then as many rows below", function()
    assert.are.same({ 1, 0, 2, 2, 4, 0, 1, 1, 0, 1, 1, 1 }, grid:colliders(map { ".11.1", "111.." }))
    assert.are.same({ 0, 0, 3, 2 }, grid:colliders(map { "123", "456" }))
    assert.are.same({}, grid:colliders(map { "..." }))
  end)

  it("uses the solid tiles, or where", function()
    grid:define_resource("shape tiles", { {}, { solid = true } })
    local e = map({ "112", "211" }, "shape tiles")
    assert.are.same({ 2, 0, 1, 1, 0, 1, 1, 1 }, grid:colliders(e))
    local values = {}
    assert.are.same({ 0, 0, 2, 1, 1, 1, 2, 1 }, grid:colliders(e, function(value, nx, ny)
      values[value] = ("%d %d"):format(nx, ny)
      return value == 1
    end))
    assert.are.same({ "0 0", "0 0" }, values)
  end)
end)

describe("grid:outlines", function()
  it("returns corners clockwise with y down, and counterclockwise for holes", function()
    assert.are.equal("0 0 2 0 2 1 0 1", text(grid:outlines(map { "11" })))
    assert.are.equal("1 0 2 0 2 1 3 1 3 2 0 2 0 1 1 1", text(grid:outlines(map { ".1.", "111" })))
    assert.are.equal("0 0 3 0 3 3 0 3 / 1 2 2 2 2 1 1 1", text(grid:outlines(map { "111", "1.1", "111" })))
    assert.are.same({}, grid:outlines(map { "." }))
  end)

  it("keeps outlines that meet in a corner apart", function()
    assert.are.equal("0 0 1 0 1 1 0 1 / 1 1 2 1 2 2 1 2", text(grid:outlines(map { "1.", ".1" })))
    assert.are.equal("1 0 2 0 2 1 1 1 / 0 1 1 1 1 2 0 2", text(grid:outlines(map { ".1", "1." })))
  end)

  it("uses where", function()
    assert.are.equal("1 0 2 0 2 1 1 1", text(grid:outlines(map { "123" }, function(value) return value == 2 end)))
  end)
end)

for _, name in ipairs { "colliders", "outlines" } do
  describe("grid:" .. name, function()
    it("raises the error of where", function()
      local e = map { "1" }
      raises("no such tile", grid[name], grid, e, function() error "no such tile" end)
      raises("function expected, got table", grid[name], grid, e, {})
      grid:set_cell(e, 0, 0, 2)
      assert.is_true(world:validate())
    end)

    it("uses the cells as they were if where changes them, or destroys the grid", function()
      local e = map { "12", "34" }
      local shapes = grid[name](grid, e, function(value)
        grid:fill(e, 0, 0, 1, 1, 0)
        if value == 4 then entities:destroy(e) end
        world:gc()
        return true
      end)
      assert.are.same(name == "colliders" and { 0, 0, 2, 2 } or { { 0, 0, 2, 0, 2, 2, 0, 2 } }, shapes)
      raises("is dead", grid[name], grid, e)
    end)
  end)
end

describe("grid:fill", function()
  local function rows(e)
    return table.concat(grid:get(e).cells)
  end

  it("writes a block and returns the number of its cells", function()
    local e = map { "1111", "1111", "1111" }
    assert.are.equal(4, grid:fill(e, 1, 0, 2, 1, 5))
    assert.are.equal("155115511111", rows(e))
    assert.are.equal(1, grid:fill(e, 3, 2, 3, 2, 2 ^ 32 - 1))
    assert.are.equal(2 ^ 32 - 1, grid:cell(e, 3, 2))
  end)

  it("takes corners in any order, and clips them to the grid", function()
    local e = map { "111", "111" }
    assert.are.equal(4, grid:fill(e, 2, 1, 1, -7, 3))
    assert.are.equal("133133", rows(e))
    assert.are.equal(6, grid:fill(e, -2 ^ 53, -2 ^ 53, 2 ^ 53, 2 ^ 53, 0))
    for _, corners in ipairs { { -3, 0, -1, 1 }, { 3, 0, 9, 1 }, { 0, 2, 2, 9 } } do
      assert.are.equal(0, grid:fill(e, corners[1], corners[2], corners[3], corners[4], 9))
    end
    assert.are.equal("000000", rows(e))
  end)

  it("copies shared cells once", function()
    local e = map { "11" }
    local snapshot = entities:snapshot()
    grid:fill(e, 0, 0, 1, 0, 7)
    assert.are.equal("77", rows(e))
    entities:restore(snapshot)
    assert.are.equal("11", rows(e))
  end)

  it("refuses fractions and other values", function()
    local e = map { "11" }
    raises("integer", grid.fill, grid, e, 0.5, 0, 1, 0, 1)
    raises("integer", grid.fill, grid, e, 0, 0, 0 / 0, 0, 1)
    raises("integer", grid.fill, grid, e, 0, 0, math.huge, 0, 1)
    raises("integer in [0, 4294967295] expected", grid.fill, grid, e, 0, 0, 1, 0, -1)
    raises("number expected", grid.fill, grid, e, 0, 0, 1, 0)
    assert.are.equal("11", rows(e))
  end)
end)

-- Checks that the shapes of the cells for which `where` is true cover exactly these.
local function check_cover(e, width, height, where)
  local flat, covered = grid:colliders(e, where), {}
  for i = 1, #flat, 4 do
    for y = flat[i + 1], flat[i + 1] + flat[i + 3] - 1 do
      for x = flat[i], flat[i] + flat[i + 2] - 1 do
        local at = y * width + x
        assert.is_nil(covered[at])
        covered[at] = true
      end
    end
  end
  -- A point is inside if it has an outline's vertical edge to its left once more downwards than upwards.
  local winding, corners = {}, 0
  for _, loop in ipairs(grid:outlines(e, where)) do
    for i = 1, #loop, 2 do
      local x1, y1, x2, y2 = loop[i], loop[i + 1], loop[i + 2] or loop[1], loop[i + 3] or loop[2]
      corners = corners + 1
      assert.is_true((x1 == x2) ~= (y1 == y2))
      assert.are_not.equal(x1 == (loop[i - 2] or loop[#loop - 1]), x1 == x2) -- every corner turns
      for y = math.min(y1, y2), math.max(y1, y2) - 1 do
        for x = x1, width - 1 do
          winding[y * width + x] = (winding[y * width + x] or 0) + (y2 > y1 and -1 or 1)
        end
      end
    end
  end
  for y = 0, height - 1 do
    for x = 0, width - 1 do
      local at, value = y * width + x, grid:cell(e, x, y)
      local solid = value ~= 0 and where(value)
      assert.are.equal(solid, covered[at] == true)
      assert.are.equal(solid and 1 or 0, winding[at] or 0)
    end
  end
end

describe(("shapes of random grids, seed %d,"):format(seed), function()
  local pick = random(seed)

  local function new()
    local width, height, filled, lines = pick(14), pick(14), pick(5), {}
    for y = 1, height do
      local line = {}
      for x = 1, width do line[x] = pick(6) <= filled and pick(3) or "." end
      lines[y] = table.concat(line)
    end
    return map(lines), width, height
  end

  it("cover exactly the solid cells", function()
    local function where(value) return value ~= 2 end
    for _ = 1, 150 do
      local e, width, height = new()
      check_cover(e, width, height, where)
    end
  end)
end)

describe("shapes of imported maps", function()
  local function check(level)
    local checked = 0
    local function visit(entity)
      local values = entity.components and entity.components.grid
      if values then
        local e = world:create { grid = values }
        local most = 0
        for _, value in ipairs(values.cells) do most = math.max(most, value) end
        check_cover(e, values.width, values.height, function() return true end)
        check_cover(e, values.width, values.height, function(value) return value == most end)
        entities:destroy(e)
        checked = checked + 1
      end
      for _, child in ipairs(entity.children or {}) do visit(child) end
    end
    for _, entity in ipairs(level.entities) do visit(entity) end
    assert.is_true(checked > 0)
  end

  it("cover exactly the solid cells of an LDtk project", function()
    for _, path in ipairs { "examples/love/level.ldtk", "examples/editors/cave.ldtk" } do
      check(assert(ldtk(assert(files.read(path)), { tiles = "grid", fields = "props" })))
    end
  end)

  it("cover exactly the solid cells of a Tiled map", function()
    check(assert(tiled(assert(files.read "examples/editors/cave.tmj"), { tiles = "grid" })))
  end)
end)
