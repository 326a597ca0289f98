-- Boxes that move in a grid and slide along its solid cells.

local cuttle = require "cuttle"
local raises = require "spec.support.raises"
local random = require "spec.support.random"
local seed = require "spec.support.seed"

local huge = math.huge

local entities = cuttle.entity_manager()
local world = cuttle.world(entities)
local grid = world.grid

-- Makes a map from lines of text: a digit is a cell, a point is an empty cell.
local function map(lines, cell_size, transform, tiles)
  local cells = {}
  for _, line in ipairs(lines) do
    for letter in line:gmatch "." do cells[#cells + 1] = tonumber(letter) or 0 end
  end
  return world:create { transform = transform,
    grid = { width = #lines[1], height = #lines, cell_size = cell_size, cells = cells, tiles = tiles } }
end

local function moved(...) return { grid:move(...) } end

describe("grid:move", function()
  local ROOM = map({ "11111", "1...1", "1.1.1", "1...1", "11111" }, 10)

  it("moves a box without an obstacle by the whole step", function()
    assert.are.same({ 27.25, 14, 0, 0 }, moved(ROOM, 15, 15, 4, 4, 12.25, -1))
    assert.are.same({ 15, 15, 0, 0 }, moved(ROOM, 15, 15, 4, 4, 0, 0))
    assert.are.same({ -90, 500, 0, 0 }, moved(ROOM, -100, -100, 4, 4, 10, 600))
  end)

  it("stops at the edge of a wall and returns the direction of the wall", function()
    assert.are.same({ 36, 15, 1, 0 }, moved(ROOM, 15, 15, 4, 4, 100, 0))
    assert.are.same({ 14, 15, -1, 0 }, moved(ROOM, 25, 15, 4, 4, -100, 0))
    assert.are.same({ 15, 36, 0, 1 }, moved(ROOM, 15, 15, 4, 4, 0, 100))
    assert.are.same({ 15, 14, 0, -1 }, moved(ROOM, 15, 25, 4, 4, 0, -100))
    assert.are.same({ -4, 15, 1, 0 }, moved(ROOM, -50, 15, 4, 4, 100, 0))
  end)

  it("does not hit a wall that the box only touches", function()
    assert.are.same({ 36, 15, 0, 0 }, moved(ROOM, 15, 15, 4, 4, 21, 0))
    assert.are.same({ 36, 25, 0, 0 }, moved(ROOM, 36, 15, 4, 4, 0, 10))
    assert.are.same({ 36, 36, 1, 1 }, moved(ROOM, 36, 36, 4, 4, 1e-3, 1e-3))
  end)

  it("slides along a wall with the rest of the step", function()
    assert.are.same({ 36, 30, 1, 0 }, moved(ROOM, 35, 15, 4, 4, 8, 15))
    assert.are.same({ 36, 36, 1, 1 }, moved(ROOM, 35, 15, 4, 4, 900, 900))
    assert.are.same({ 14, 14, -1, -1 }, moved(ROOM, 35, 15, 4, 4, -900, -90))
  end)

  it("fits exactly through a gap of its size", function()
    local gap = map({ "1.1", "1.1" }, 0.1)
    local x, y, hit_x, hit_y = grid:move(gap, 0.15, -1, 0.05, 0.05, 0, 10)
    assert.are.same({ 0.15, 9, 0, 0 }, { x, y, hit_x, hit_y })
    assert.are.same({ 0.15, -0.05, 0, 1 }, moved(gap, 0.15, -1, 0.051, 0.05, 0, 10))
  end)

  it("does not pass through a wall of one cell, however long the step is", function()
    local width, cells = 1000, {}
    for x = 1, width do cells[x] = x == 700 and 1 or 0 end
    local e = world:create { grid = { width = width, height = 1, cell_size = 16, cells = cells } }
    for _, step in ipairs { 16e6, 16e12, 1e30, 1e300 } do
      assert.are.same({ 699 * 16 - 5, 8, 1, 0 }, moved(e, 8, 8, 5, 5, step, 0))
      assert.are.same({ 700 * 16 + 5, 8, -1, 0 }, moved(e, 15000, 8, 5, 5, -step, 0))
      assert.are.same({ 699 * 16 - 5, 8, 1, 0 }, moved(e, -1e9, 8, 5, 5, step + 2e9, 0))
    end
    local x, y, hit_x, hit_y = grid:move(e, 8, -8e6, 5, 5, 11e6, 16e6) -- only a corner of the wall is on the way
    assert.are.same({ 11e6 + 8, 8e6, 0, 0 }, { x, y, hit_x, hit_y })
  end)

  it("lands on a corner that the corner of the box meets", function()
    local one = map({ "1" }, 10)
    assert.are.same({ 10, -2, 0, 1 }, moved(one, -10, -10, 2, 2, 20, 20))
    assert.are.same({ 0, 12, 0, -1 }, moved(one, 20, 20, 2, 2, -20, -20))
    -- Two cells that touch in a corner leave no gap.
    local two = map({ ".1", "1." }, 10)
    assert.are.same({ 8, 8, 1, 1 }, moved(two, 3, 3, 2, 2, 40, 40))
  end)

  it("works for a box that is larger than cells", function()
    local walls = map({ "1....1", "......", "...1..", "......" }, 10)
    assert.are.same({ 15, 15, 1, 0 }, moved(walls, 15, 15, 15, 14, 100, 0))
    assert.are.same({ 20, -25, 0, 1 }, moved(walls, 20, -40, 25, 25, 0, 100))
    assert.are.same({ -1e6, 5, 1, 0 }, moved(walls, -3e6, 5, 1e6, 1e6, 9e6, 0))
  end)

  it("uses the position of the grid, and only the solid tiles", function()
    grid:define_resource("move tiles", { {}, { solid = true } })
    local parent = world:create { transform = { position = { 1000, 0 } } }
    local e = map({ ".12" }, 10, { parent = parent, position = { 0, 500, 9 } }, "move tiles")
    assert.are.same({ 1018, 505, 1, 0 }, moved(e, 1001, 505, 2, 2, 100, 0))
  end)

  it("continues from a position that was rounded to a float", function()
    local floor_map = map({ "......", "111111" }, 10, { position = { 0.1, 0.7 } })
    local hero = world:create { transform = { position = { 20000.3, 0 } } }
    world.transform:set_local_position(floor_map, 20000.1, 0.7)
    for _ = 1, 40 do
      local x, y = world.transform:local_position(hero)
      local nx, ny, hit_x, hit_y = grid:move(floor_map, x, y, 3.3, 3.3, 0.7, 2)
      assert.are.equal(0, hit_x)
      assert.is_true(ny <= 7.4 + 1e-5)
      if y > 7 then assert.are.equal(1, hit_y) end
      world.transform:set_local_position(hero, nx, ny, 0)
    end
    assert.is_true(world.transform:local_position(hero) > 20028)
  end)

  describe("for a box that begins in a wall", function()
    local wall = map({ "......", "..111.", "..111.", "..111.", "......" }, 10)

    it("lets it leave, but not move deeper", function()
      assert.are.same({ 9, 25, 0, 0 }, moved(wall, 19, 25, 4, 4, -10, 0))
      assert.are.same({ 19, 25, 1, 0 }, moved(wall, 19, 25, 4, 4, 10, 0))
      assert.are.same({ 19, 25, 1, 0 }, moved(wall, 19, 25, 4, 4, 1e6, 0))
      assert.are.same({ 35, 52, 0, 0 }, moved(wall, 35, 42, 4, 4, 0, 10))
      assert.are.same({ 35, 42, 0, -1 }, moved(wall, 35, 42, 4, 4, 0, -10))
    end)

    it("lets it leave when it is inside completely, by the nearer end", function()
      assert.are.same({ 0, 25, 0, 0 }, moved(wall, 27, 25, 3, 3, -27, 0))
      assert.are.same({ 27, 25, 1, 0 }, moved(wall, 27, 25, 3, 3, 50, 0))
      assert.are.same({ 27, 5, 0, 0 }, moved(wall, 27, 23, 3, 3, 0, -18))
      assert.are.same({ 27, 23, 0, 1 }, moved(wall, 27, 23, 3, 3, 0, 50))
      assert.are.same({ 85, 25, 0, 0 }, moved(wall, 35, 25, 3, 3, 50, 0)) -- both ends are equally near
    end)

    it("slides along the wall as deep as it is", function()
      assert.are.same({ 40, 9, 0, 1 }, moved(wall, 30, 9, 4, 4, 10, 3))
      assert.are.same({ 40, 7, 0, 0 }, moved(wall, 30, 9, 4, 4, 10, -2))
    end)
  end)

  it("lets a box that has sunk into the floor walk, and stops it at walls", function()
    local e = map({ ".....1", "......", "111111" }, 10)
    assert.are.same({ 40, 18, 0, 0 }, moved(e, 10, 18, 4, 4, 30, 0))
    assert.are.same({ 10, 18, 0, 1 }, moved(e, 10, 18, 4, 4, 0, 3))
    assert.are.same({ 46, 9, 1, 0 }, moved(e, 10, 18, 4, 8, 90, -9))
  end)

  describe("with where", function()
    local calls
    local function where(answer)
      calls = {}
      return function(value, nx, ny, ...)
        assert.are.equal(0, select("#", ...))
        calls[#calls + 1] = ("%d %d %d"):format(value, nx, ny)
        return answer(value, nx, ny)
      end
    end

    it("asks for the side that the box enters, and never for empty cells", function()
      local e = map({ ".2.", "3.4", ".5." }, 10)
      local cases = { { 100, 0, "4 -1 0" }, { -100, 0, "3 1 0" }, { 0, 100, "5 0 -1" }, { 0, -100, "2 0 1" } }
      for _, case in ipairs(cases) do
        local free = where(function() return false end)
        assert.are.same({ 15 + case[1], 15 + case[2], 0, 0 }, moved(e, 15, 15, 4, 4, case[1], case[2], free))
        assert.are.same({ case[3] }, calls)
      end
      assert.are.same({ 16, 15, 1, 0 }, moved(e, 15, 15, 4, 4, 100, 0, function() return 1 end))
    end)

    it("makes one-way platforms", function()
      local e = map({ "....", ".22.", "....", "1111" }, 10)
      local function platforms(value, _, ny) return value == 1 or ny == -1 end
      assert.are.same({ 15, 6, 0, 1 }, moved(e, 15, 0, 4, 4, 0, 20, platforms)) -- lands on it
      assert.are.same({ 15, 5, 0, 0 }, moved(e, 15, 25, 4, 4, 0, -20, platforms)) -- jumps through it
      assert.are.same({ 5, 15, 0, 0 }, moved(e, 30, 15, 4, 4, -25, 0, platforms)) -- passes from the side
      assert.are.same({ 15, 26, 0, 1 }, moved(e, 15, 11, 4, 4, 0, 20, platforms)) -- falls out of it again
      assert.are.same({ 40, 26, 0, 1 }, moved(e, 15, 26, 4, 4, 25, 5, platforms))
    end)

    it("decides instead of the tiles", function()
      grid:define_resource("soft", { {} })
      local e = map({ ".1" }, 10, nil, "soft")
      assert.are.same({ 105, 5, 0, 0 }, moved(e, 5, 5, 4, 4, 100, 0))
      assert.are.same({ 6, 5, 1, 0 }, moved(e, 5, 5, 4, 4, 100, 0, function() return true end))
    end)

    it("may write cells and destroy the grid: the move uses the cells as they were", function()
      local e = map({ ".111" }, 10)
      local function destructive()
        grid:fill(e, 0, 0, 3, 0, 0)
        return false
      end
      assert.are.same({ 105, 5, 0, 0 }, moved(e, 5, 5, 4, 4, 100, 0, destructive))
      assert.are.equal(0, grid:cell(e, 1, 0))
      local other = map({ ".1.1" }, 10)
      assert.are.same({ 26, 5, 1, 0 }, moved(other, 5, 5, 4, 4, 100, 0, function()
        if not entities:alive(other) then return true end
        entities:destroy(other)
        world:gc()
        return false
      end))
    end)

    it("raises its error", function()
      local e = map({ ".111" }, 10)
      local problem = {}
      local ok, raised = pcall(grid.move, grid, e, 5, 5, 4, 4, 100, 0, function() error(problem) end)
      assert.is_false(ok)
      assert.are.equal(problem, raised)
      grid:set_cell(e, 0, 0, 5)
      assert.is_true(world:validate())
    end)
  end)

  it("refuses a grid that is rotated, mirrored or scaled, or at no finite position", function()
    local poses = { { angle = 0.1 }, { scale = { 2, 1, 1 } }, { scale = { 1, -1, 1 } }, { scale = { 0, 1, 1 } },
      { position = { 0 / 0, 0 } }, { position = { 0, huge } } }
    for _, pose in ipairs(poses) do
      local e = map({ "1" }, 10, pose)
      raises("the grid is rotated, mirrored or scaled, or its position is not finite",
        grid.move, grid, e, 1, 2, 3, 4, 5, 6)
    end
  end)

  it("refuses numbers that are not finite, negative sizes and other values", function()
    for arg = 3, 8 do
      for _, bad in ipairs { 0 / 0, huge, -huge } do
        local numbers = { 1, 2, 3, 4, 5, 6 }
        numbers[arg - 2] = bad
        raises("finite number expected, got", grid.move, grid, ROOM, unpack(numbers))
      end
    end
    raises("number from 0 on expected, got -1", grid.move, grid, ROOM, 1, 2, -1, 4, 5, 6)
    raises("number from 0 on expected, got -0.5", grid.move, grid, ROOM, 1, 2, 3, -0.5, 5, 6)
    raises("number expected, got no value", grid.move, grid, ROOM, 1, 2, 3, 4, 5)
    raises("function expected, got number", grid.move, grid, ROOM, 1, 2, 3, 4, 5, 6, 7)
    raises("has no grid", grid.move, grid, world:create { transform = {} }, 1, 2, 3, 4, 5, 6)
  end)

  it("returns for numbers of any size", function()
    for _, size in ipairs { 1e-38, 1e-30, 1, 1e30 } do
      local e = map({ "1.1", "...", "1.1" }, size)
      for _, at in ipairs { 0, 1e-300, 1.5 * size, 1e30, 1.7e308 } do
        for _, half in ipairs { 0, 1e-320, size / 3, 1e30, 1.7e308 } do
          for _, step in ipairs { 1e-320, size, 1e30, 1.7e308 } do
            for sign = -1, 1, 2 do
              local x, y, hit_x, hit_y = grid:move(e, at, -at, half, half, step * sign, -step)
              assert.is_true(x == x and y == y and math.abs(hit_x) <= 1 and math.abs(hit_y) <= 1)
            end
          end
        end
      end
    end
  end)
end)

describe(("random boxes in grids, seed %d,"):format(seed), function()
  local pick = random(seed)

  -- Sixteenths keep all sums exact.
  local function number(low, high) return low + (pick((high - low) * 16) - 1) / 16 end

  local function new()
    local width, height, cells = pick(10), pick(10), {}
    for i = 1, width * height do cells[i] = pick(4) == 1 and 1 or 0 end
    local g = { width = width, height = height, cells = cells, w = ({ 1, 2, 0.5 })[pick(3)], h = ({ 1, 4 })[pick(2)],
      x = pick(9) - 5, y = pick(9) - 5 }
    g.entity = world:create { transform = { position = { g.x, g.y } },
      grid = { width = width, height = height, cell_size = { g.w, g.h }, cells = cells } }
    return g
  end

  local function each_solid(g, f)
    for i = 1, #g.cells do
      if g.cells[i] ~= 0 then
        local x, y = g.x + (i - 1) % g.width * g.w, g.y + math.floor((i - 1) / g.width) * g.h
        f(x, y, x + g.w, y + g.h)
      end
    end
  end

  local function overlap(g, b)
    local area = 0
    each_solid(g, function(x1, y1, x2, y2)
      local w, h = math.min(b.x + b.w, x2) - math.max(b.x - b.w, x1), math.min(b.y + b.h, y2) - math.max(b.y - b.h, y1)
      area = area + math.max(w, 0) * math.max(h, 0)
    end)
    return area
  end

  -- The times at which a moving interval begins and ceases to overlap a resting one.
  local function times(low, high, step, from, to)
    if step > 0 then return (from - high) / step, (to - low) / step end
    if step < 0 then return (low - to) / -step, (high - from) / -step end
    if low < to and high > from then return -huge, huge end
    return huge, -huge
  end

  -- Sweeps against every solid cell. The times are fractions of the whole step.
  local function reference(g, b, dx, dy)
    local x, y, hit_x, hit_y, begin = b.x, b.y, 0, 0, 0
    for _ = 1, 3 do
      local first, sideways, edge = huge, nil, nil
      each_solid(g, function(x1, y1, x2, y2)
        local in_x, out_x = times(x - b.w, x + b.w, dx, x1, x2)
        local in_y, out_y = times(y - b.h, y + b.h, dy, y1, y2)
        local t = math.max(in_x, in_y)
        if t < begin or t >= 1 or t >= math.min(out_x, out_y) then return end
        -- At the same time, a wall of x stops first; a corner is the floor.
        if t > first or (t == first and in_x <= in_y) then return end
        first, sideways = t, in_x > in_y
        if sideways then edge = dx > 0 and x1 - b.w or x2 + b.w else edge = dy > 0 and y1 - b.h or y2 + b.h end
      end)
      if first == huge then break end
      begin = first
      if sideways then
        x, hit_x, dx = edge, dx > 0 and 1 or -1, 0
      else
        y, hit_y, dy = edge, dy > 0 and 1 or -1, 0
      end
    end
    return x + dx, y + dy, hit_x, hit_y
  end

  local function step()
    local kind = pick(6)
    return kind == 1 and 0 or kind == 2 and number(-100, 100) or number(-6, 6)
  end

  it("end where a sweep against all cells ends", function()
    for _ = 1, 60 do
      local g = new()
      for _ = 1, 20 do
        local b = { x = number(-9, 15), y = number(-9, 15), w = number(0, 3) + 1 / 16, h = number(0, 3) + 1 / 16 }
        if overlap(g, b) == 0 then
          local dx, dy = step(), step()
          local expected = { reference(g, b, dx, dy) }
          local found = { grid:move(g.entity, b.x, b.y, b.w, b.h, dx, dy) }
          for i = 1, 4 do
            assert(math.abs(expected[i] - found[i]) < 1e-9, ("%g %g %g %g by %g %g: expected %s, got %s"):format(b.x,
              b.y, b.w, b.h, dx, dy, table.concat(expected, " "), table.concat(found, " ")))
          end
        end
      end
    end
  end)

  it("never overlap more of the solid cells than before", function()
    for _ = 1, 60 do
      local g = new()
      for _ = 1, 20 do
        local b = { x = number(-3, 9), y = number(-3, 12), w = number(0, 4) + 1 / 16, h = number(0, 4) + 1 / 16 }
        local area, axis = overlap(g, b), pick(2)
        local dx, dy = axis == 1 and step() or 0, axis == 2 and step() or 0
        local x, y = grid:move(g.entity, b.x, b.y, b.w, b.h, dx, dy)
        assert.is_true((x - b.x) * dx >= 0 and math.abs(x - b.x) <= math.abs(dx))
        assert.is_true((y - b.y) * dy >= 0 and math.abs(y - b.y) <= math.abs(dy))
        assert.is_true(overlap(g, { x = x, y = y, w = b.w, h = b.h }) <= area + 1e-9)
      end
    end
  end)
end)
