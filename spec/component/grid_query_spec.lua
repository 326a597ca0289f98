-- Queries of grids by point, box and ray.

local cuttle = require "cuttle"
local raises = require "spec.support.raises"
local random = require "spec.support.random"
local seed = require "spec.support.seed"

local floor, huge = math.floor, math.huge

describe("a query of a grid", function()
  local entities, world, grid

  before_each(function()
    entities = cuttle.entity_manager()
    world = cuttle.world(entities)
    grid = world.grid
  end)

  -- Makes a map from lines of text: a digit is a cell, a point is an empty cell.
  local function map(lines, cell_size, transform)
    local cells = {}
    for _, line in ipairs(lines) do
      for letter in line:gmatch "." do cells[#cells + 1] = tonumber(letter) or 0 end
    end
    return world:create { transform = transform,
      grid = { width = #lines[1], height = #lines, cell_size = cell_size, cells = cells, tiles = "tiles" } }
  end

  local function rectangle(...)
    local flat, count = grid:rectangle(...)
    assert.are.equal(#flat, 3 * count)
    return table.concat(flat, " ")
  end

  local MAP = { ".12.", "3..4", ".5.." }

  describe("for a point", function()
    it("returns the cell; its left and upper edges belong to it", function()
      local e = map(MAP, 16, { position = { 100, 200 } })
      assert.are.same({ 1, 0, 1 }, { grid:cell_at(e, 116, 200) })
      assert.are.same({ 2, 0, 2 }, { grid:cell_at(e, 132, 215.5) })
      assert.are.same({ 0, 0, 0 }, { grid:cell_at(e, 100, 200) })
    end)

    it("returns nil outside", function()
      local e = map(MAP, 16)
      for _, at in ipairs { { -0.1, 0 }, { 0, -0.1 }, { 64, 0 }, { 0, 48 }, { huge, 0 }, { 0 / 0, 0 } } do
        assert.is_nil((grid:cell_at(e, at[1], at[2])))
      end
    end)

    it("returns nil for a grid without area", function()
      for _, scale in ipairs { { 0, 1, 1 }, { 1, 0, 1 } } do
        local e = map(MAP, 16, { scale = scale })
        assert.is_nil((grid:cell_at(e, 1, 1)))
        assert.are.equal("", rectangle(e, -100, -100, 100, 100))
        assert.is_nil((grid:ray(e, 0, 0, 100, 100)))
      end
    end)

    it("works on a rotated and on a mirrored grid", function()
      local turned = map(MAP, 2, { angle = math.pi / 2 })
      assert.are.same({ 1, 0, 1 }, { grid:cell_at(turned, -1, 3) })
      local mirrored = map(MAP, { 2, 3 }, { scale = { -1, 2, 1 } })
      assert.are.same({ 3, 1, 4 }, { grid:cell_at(mirrored, -7, 7) })
    end)

    it("uses the last propagated pose", function()
      local e = map(MAP, 16, {})
      world.transform:set_mode "deferred"
      world.transform:set_local_position(e, 100, 0, 0)
      assert.are.same({ 1, 0, 1 }, { grid:cell_at(e, 16, 0) })
      world.transform:propagate()
      assert.is_nil((grid:cell_at(e, 16, 0)))
      assert.are.same({ 1, 0, 1 }, { grid:cell_at(e, 116, 0) })
    end)
  end)

  describe("for a box", function()
    it("returns the cells that are not empty, row by row", function()
      local e = map(MAP, 16)
      assert.are.equal("1 0 1 0 1 3", rectangle(e, 0, 0, 31, 31))
      assert.are.equal("1 0 1 2 0 2 0 1 3 3 1 4 1 2 5", rectangle(e, -huge, -huge, huge, huge))
      assert.are.equal("1 0 1", rectangle(e, 20, 4, 20, 4))
      assert.are.equal("1 0 1", rectangle(e, 31, 9, 17, 1))
      assert.are.equal("", rectangle(e, 64, 0, 100, 100))
      assert.are.equal("", rectangle(e, 0 / 0, 0, 100, 100))
    end)

    it("does not return cells that only the bounding box of a rotated grid touches", function()
      local e = map({ "1111", "1111", "1111", "1111" }, 1, { angle = math.pi / 4 })
      assert.are.equal("", rectangle(e, 2.5, 0, 3, 0.5))
      assert.are.equal("0 0 1", rectangle(e, -0.1, -5, 0.1, 0.1))
    end)

    it("fills a table, and keeps the entries behind the result", function()
      local e, out = map(MAP, 16), { 9, 9, 9, 9 }
      local same, count = grid:rectangle(e, 16, 0, 17, 1, out)
      assert.are.equal(out, same)
      assert.are.equal(1, count)
      assert.are.same({ 1, 0, 1, 9 }, out)
    end)
  end)

  describe("along a ray", function()
    it("returns the first cell and the point where the ray enters it", function()
      local e = map(MAP, 16)
      assert.are.same({ 0, 1, 3, 0, 20 }, { grid:ray(e, -100, 20, 100, 20) })
      assert.are.same({ 3, 1, 4, 64, 20 }, { grid:ray(e, 100, 20, -100, 20) })
      assert.are.same({ 1, 2, 5, 24, 32 }, { grid:ray(e, 24, 17, 24, 1000) })
      assert.is_nil((grid:ray(e, -100, 20, -1, 20)))
      assert.is_nil((grid:ray(e, 20, 20, 40, 20)))
    end)

    it("hits the cell in which it begins, also with length 0", function()
      local e = map(MAP, 16)
      assert.are.same({ 1, 0, 1, 20, 5 }, { grid:ray(e, 20, 5, 20, 5) })
      assert.are.same({ 1, 0, 1, 20, 5 }, { grid:ray(e, 20, 5, 900, 900) })
      assert.is_nil((grid:ray(e, 5, 5, 5, 5)))
      assert.is_nil((grid:ray(e, 0 / 0, 5, 5, 5)))
    end)

    it("passes between two diagonal cells, unless both cells beside the corner are solid", function()
      for _, ends in ipairs { { 0.5, 0.5, 1.5, 1.5 }, { 1.5, 1.5, 0.5, 0.5 } } do
        assert.is_nil((grid:ray(map({ ".1", ".." }, 1), unpack(ends))))
        assert.is_nil((grid:ray(map({ "..", "1." }, 1), unpack(ends))))
        assert.is_not_nil((grid:ray(map({ ".1", "2." }, 1), unpack(ends))))
      end
    end)

    it("hits a cell whose edge is its end", function()
      local e = map({ "..1" }, 1)
      assert.are.same({ 2, 0, 1, 2, 0.5 }, { grid:ray(e, 0, 0.5, 2, 0.5) })
      assert.is_nil((grid:ray(e, 4, 0.5, 3.001, 0.5)))
      assert.are.same({ 2, 0, 1, 3, 0.5 }, { grid:ray(e, 4, 0.5, 2.5, 0.5) })
    end)

    it("hits only solid tiles if tiles are defined", function()
      local e = map({ "1.23" }, 1)
      assert.are.equal(1, (select(3, grid:ray(e, -1, 0.5, 9, 0.5))))
      grid:define_resource("tiles", { [1] = {}, [3] = { solid = true }, [9] = { solid = true } })
      assert.are.same({ 3, 0, 3, 3, 0.5 }, { grid:ray(e, -1, 0.5, 9, 0.5) })
      grid:define_resource("tiles", { [2] = { solid = true } })
      assert.are.equal(2, (select(3, grid:ray(e, -1, 0.5, 9, 0.5))))
      grid:define_resource("tiles", {})
      assert.is_nil((grid:ray(e, -1, 0.5, 9, 0.5)))
    end)

    it("works from far away", function()
      local e = map(MAP, 16)
      local x, y = grid:ray(e, -1e9, 20, 1e9, 20)
      assert.are.same({ 0, 1 }, { x, y })
      for _, far in ipairs { 1e300, huge } do
        local _, row = grid:ray(e, -far, 20, 100, 20)
        assert.are.equal(1, row)
        grid:ray(map(MAP, 1e-30, { scale = 1e-6 }), far, far, -far, -far)
      end
    end)
  end)

  it("refuses arguments that are not numbers", function()
    local e = map(MAP, 16)
    raises("number expected", grid.cell_at, grid, e, 1, {})
    raises("number expected", grid.rectangle, grid, e, 1, 2, 3)
    raises("number expected", grid.ray, grid, e, 1, 2, 3, "x")
    entities:destroy(e)
    raises("is dead", grid.ray, grid, e, 1, 2, 3, 4)
  end)
end)

describe(("queries of random grids, seed %d,"):format(seed), function()
  local pick = random(seed)
  local world = cuttle.world(cuttle.entity_manager())
  local grid = world.grid

  local function real(low, high)
    return low + (high - low) * pick(2 ^ 30) / 2 ^ 30
  end

  local function new()
    local width, height, cells = pick(12), pick(12), {}
    for i = 1, width * height do cells[i] = pick(4) == 1 and pick(5) or 0 end
    local parent = world:create { transform = { angle = real(-4, 4), scale = { real(0.2, 3), real(-3, -0.2), 1 } } }
    local values = { width = width, height = height, cell_size = { real(0.5, 3), real(0.5, 3) }, cells = cells,
      tiles = pick(2) == 1 and "some" or nil }
    local e = world:create { grid = values, transform = { parent = pick(2) == 1 and parent or nil,
      position = { real(-9, 9), real(-9, 9) }, angle = pick(3) > 1 and real(-4, 4) or nil,
      scale = { real(0.2, 2) * (pick(2) * 2 - 3), real(0.2, 2), 1 } } }
    local m = world.transform:world_matrix(e, {})
    local w, h = grid:cell_size(e) -- as floats
    local ax, ay, bx, by = m[1] * w, m[2] * w, m[5] * h, m[6] * h
    values.ax, values.ay, values.bx, values.by, values.x, values.y = ax, ay, bx, by, m[13], m[14]
    return e, values
  end

  -- Converts a point of the world to cells.
  local function to_cells(g, x, y)
    local area = g.ax * g.by - g.bx * g.ay
    x, y = x - g.x, y - g.y
    return (x * g.by - y * g.bx) / area, (y * g.ax - x * g.ay) / area
  end

  -- Whether a box touches a cell: whether no axis of the box or of the grid separates them.
  local function touches(g, cx, cy, box)
    local corners = {}
    for i = 0, 3 do
      local u, v = cx + i % 2, cy + floor(i / 2)
      corners[#corners + 1] = { g.x + u * g.ax + v * g.bx, g.y + u * g.ay + v * g.by }
    end
    for _, d in ipairs { { 1, 0 }, { 0, 1 }, { -g.ay, g.ax }, { -g.by, g.bx } } do
      local low, high, box_low, box_high = huge, -huge, huge, -huge
      for i, corner in ipairs(corners) do
        local at = corner[1] * d[1] + corner[2] * d[2]
        low, high = math.min(low, at), math.max(high, at)
        at = box[i % 2 == 0 and 1 or 3] * d[1] + box[i > 2 and 2 or 4] * d[2]
        box_low, box_high = math.min(box_low, at), math.max(box_high, at)
      end
      if low > box_high or box_low > high then return false end
    end
    return true
  end

  local function each_cell(g, f)
    for i = 1, #g.cells do
      if g.cells[i] ~= 0 then f((i - 1) % g.width, floor((i - 1) / g.width), g.cells[i]) end
    end
  end

  local function naive_rectangle(g, box)
    local found = {}
    each_cell(g, function(x, y, value)
      if touches(g, x, y, box) then found[#found + 1] = ("%d %d %d"):format(x, y, value) end
    end)
    return table.concat(found, " ")
  end

  -- The fraction of a segment at which it enters a cell, or nil.
  local function enters(ax, ay, bx, by, x, y)
    local first, last = 0, 1
    for _, axis in ipairs { { ax, bx - ax, x }, { ay, by - ay, y } } do
      local t1, t2 = (axis[3] - axis[1]) / axis[2], (axis[3] + 1 - axis[1]) / axis[2]
      first, last = math.max(first, math.min(t1, t2)), math.min(last, math.max(t1, t2))
    end
    return first <= last and first or nil
  end

  local function naive_ray(g, x1, y1, x2, y2)
    local ax, ay = to_cells(g, x1, y1)
    local bx, by = to_cells(g, x2, y2)
    local best, at = huge, nil
    each_cell(g, function(x, y, value)
      if g.tiles and value % 2 == 0 then return end
      local t = enters(ax, ay, bx, by, x, y)
      if t and t < best then best, at = t, { x, y, value } end
    end)
    if at then at[4], at[5] = x1 + (x2 - x1) * best, y1 + (y2 - y1) * best end
    return at
  end

  it("return the same as a search of all cells", function()
    grid:define_resource("some", { { solid = true }, {}, { solid = true }, {}, { solid = true } })
    for _ = 1, 25 do
      local e, g = new()
      for _ = 1, 8 do
        local x1, y1, x2, y2 = real(-20, 20), real(-20, 20), real(-20, 20), real(-20, 20)
        local cx, cy = to_cells(g, x1, y1)
        cx, cy = floor(cx), floor(cy)
        local inside = cx >= 0 and cy >= 0 and cx < g.width and cy < g.height
        assert.are.same(inside and { cx, cy, g.cells[cy * g.width + cx + 1] } or {}, { grid:cell_at(e, x1, y1) })
        local box = { math.min(x1, x2), math.min(y1, y2), math.max(x1, x2), math.max(y1, y2) }
        assert.are.equal(naive_rectangle(g, box), table.concat(grid:rectangle(e, x1, y1, x2, y2), " "))
        local found, expected = { grid:ray(e, x1, y1, x2, y2) }, naive_ray(g, x1, y1, x2, y2) or {}
        for i = 1, 3 do assert.are.equal(expected[i], found[i]) end
        for i = 4, #expected do assert.is_true(math.abs(expected[i] - found[i]) < 1e-9) end
      end
    end
  end)
end)
