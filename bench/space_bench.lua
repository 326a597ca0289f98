-- Spaces: updates and questions, for entities at random places with one neighbour each on average. Items are entries;
-- for questions, the questions. The same work with tables of cells in Lua has the space as its limit, so that its ratio
-- tells how many times as long it takes.

local cuttle = require "cuttle"
local each = require "cuttle.each"

local MOVED, ASKED, PAIRS = 100, 1000, "pairs, one neighbour each"

-- `count` entities, about one in each unit of area; with a radius of 0.28 each touches one other.
local function new_scene(count)
  local s = { world = cuttle.world(cuttle.entity_manager()), out = cuttle.list(), count = count }
  s.side = math.sqrt(count)
  s.list = s.world.entities:create_list(count)
  s.world.transform:create_many(s.list)
  s.body = s.world:define("body", { { "r", "float", 0.28 } })
  s.body:create_many(s.list)
  local seed = 1
  local function share()
    seed = seed * 16807 % 2147483647
    return seed / 2147483647
  end
  s.places = {}
  for i = 1, 3 * count, 3 do
    s.places[i], s.places[i + 1], s.places[i + 2] = share() * s.side, share() * s.side, 0
  end
  s.world.transform:write_many(s.list, "local_position", s.places)
  s.some = {}
  for i = 1, MOVED do s.some[i] = s.list:get(math.floor(share() * count) + 1) end
  s.space = s.world:query("transform", "body"):space { cell = 0.75, radius = "body.r" }
  s.space:update()
  return s
end

-- Positions change in each run, because an update without changes takes almost no time. The limit is the change alone.
local function updates(bench, s)
  local transform, step = s.world.transform, 0
  local function cases(name, items, move)
    local limit = ("limit: %s of %d move"):format(name, s.count)
    bench.case { name = limit, items = items, expect = true, run = move }
    bench.case { name = ("%s of %d move, update"):format(name, s.count), items = items, expect = s.count, limit = limit,
      run = function()
        move()
        return s.space:update()
      end,
      bytes = function() return s.space:memory() end }
  end
  cases(MOVED, MOVED, function()
    step = (step + 0.07) % 1
    for _, e in ipairs(s.some) do
      local x, y = transform:local_position(e)
      transform:set_local_position(e, math.floor(x) + step, y)
    end
    return true
  end)
  cases("all", s.count, function() return transform:write_many(s.list, "local_position", s.places) == s.count end)
end

local function questions(bench, s)
  local space, places, out = s.space, s.places, s.out
  local function case(name, ask, least, most)
    bench.case { name = ("%s, %d entries"):format(name, s.count), items = ASKED,
      check = function(sum) return sum >= least * ASKED and sum <= most * ASKED end,
      run = function()
        local sum = 0
        for i = 1, ASKED do sum = sum + ask(places[3 * i - 2], places[3 * i - 1], i) end
        return sum
      end }
  end
  local reach = math.sqrt(10 / math.pi) - 0.28
  case("within, 10 found", function(x, y) return space:within(x, y, reach, out):count() end, 7, 13)
  case("box, 10 found", function(x, y) return space:box(x - 1.4, y - 1.4, x + 1.4, y + 1.4, out):count() end, 7, 13)
  case("nearest", function(x, y) return space:nearest(x, y, nil, s.some[1]) and 1 or 0 end, 1, 1)
  case("nearest_many, 10", function(x, y) return space:nearest_many(10, x, y):count() end, 10, 10)
  local points = s.world:query "transform":space { cell = 1 }
  points:update()
  local long = math.min(100, s.side)
  case("ray through 100 cells", function(_, y) return points:ray(0, y, long, y) and 1 or 0 end, 0, 0)
  case("ray through 100 cells, diagonal", function(x)
    return points:ray(x * 0.1, 0, x * 0.1 + long * 0.7, long * 0.7) and 1 or 0
  end, 0, 0)
  case("ray to the next circle", function(x, y, i)
    return space:ray(x, y, x + 50, y + 50, 0, s.list:get(i)) and 1 or 0
  end, 0, 1)
  bench.case { name = PAIRS, items = s.count,
    check = function(count) return count > 0.4 * s.count and count < 0.6 * s.count end,
    run = function() return (select(2, space:pairs(0, out))) end }
end

-- The same in Lua, without a space: a table of entries for each cell.
local function buckets(bench, s)
  local places, cells = s.places, nil
  local STRIDE, CELL = 65536, 0.75
  local function key(x, y) return math.floor(x / CELL) + math.floor(y / CELL) * STRIDE end
  local function build()
    cells = {}
    for i = 1, s.count do
      local k = key(places[3 * i - 2], places[3 * i - 1])
      local cell = cells[k]
      if not cell then
        cell = {}
        cells[k] = cell
      end
      cell[#cell + 1] = i
    end
    return s.count
  end
  bench.case { name = "the same in Lua: build tables of cells", items = s.count, expect = s.count, run = build,
    limit = ("all of %d move, update"):format(s.count) }
  build()
  local reach = math.sqrt(10 / math.pi)
  local asked = ("within, 10 found, %d entries"):format(s.count)
  bench.case { name = "the same in Lua: " .. asked, items = ASKED, limit = asked,
    check = function(sum) return sum >= 7 * ASKED and sum <= 13 * ASKED end,
    run = function()
      local sum = 0
      for n = 1, ASKED do
        local x, y, found = places[3 * n - 2], places[3 * n - 1], {}
        for cy = math.floor((y - reach) / CELL), math.floor((y + reach) / CELL) do
          for cx = math.floor((x - reach) / CELL), math.floor((x + reach) / CELL) do
            for _, i in ipairs(cells[cx + cy * STRIDE] or {}) do
              local dx, dy = places[3 * i - 2] - x, places[3 * i - 1] - y
              if dx * dx + dy * dy <= reach * reach then found[#found + 1] = i end
            end
          end
        end
        sum = sum + #found
      end
      return sum
    end }
  -- Each cell with itself and with half of its neighbours.
  local function add_pairs(found, cell, other, first)
    for a = 1, #cell do
      local i = cell[a]
      for b = first or a + 1, #other do
        local k = other[b]
        local dx, dy = places[3 * i - 2] - places[3 * k - 2], places[3 * i - 1] - places[3 * k - 1]
        if dx * dx + dy * dy <= 0.56 * 0.56 then
          found[#found + 1] = i
          found[#found + 1] = k
        end
      end
    end
  end
  local NEIGHBOURS = { 1, STRIDE - 1, STRIDE, STRIDE + 1 }
  bench.case { name = "the same in Lua: " .. PAIRS, items = s.count, limit = PAIRS,
    check = function(found) return math.abs(#found / 2 - select(2, s.space:pairs(0, s.out))) <= 2 end,
    run = function()
      local found = {}
      for k, cell in each, cells do
        add_pairs(found, cell, cell)
        for n = 1, #NEIGHBOURS do
          local other = cells[k + NEIGHBOURS[n]]
          if other then add_pairs(found, cell, other, 1) end
        end
      end
      return found
    end }
end

return function(bench)
  for _, count in ipairs(bench.sizes({ 10000, 1000000 }, 2000)) do
    local s = new_scene(count)
    updates(bench, s)
    questions(bench, s)
    if count <= 10000 then buckets(bench, s) end
    s.world:destroy()
  end
end
