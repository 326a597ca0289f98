-- Spaces: updates and questions, for entities at random places with one neighbour each on average. The limit of an
-- update is the copy of positions and radii. Items are entries; for questions, the questions.

local cuttle = require "cuttle"

local MOVED, ASKED = 100, 1000

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

local function updates(bench, s)
  local transform = s.world.transform
  local function case(name, setup, items)
    bench.case { name = name, items = items or s.count, expect = s.count, setup = setup,
      run = function() return s.space:update() end, bytes = function() return s.space:memory() end }
  end
  case("update, all moved", function() transform:write_many(s.list, "local_position", s.places) end)
  local step = 0
  case(("update, %d of %d moved"):format(MOVED, s.count), function()
    step = (step + 0.07) % 1
    for _, e in ipairs(s.some) do
      local x, y = transform:local_position(e)
      transform:set_local_position(e, math.floor(x) + step, y)
    end
  end, MOVED)
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
  bench.case { name = "pairs, one neighbour each", items = s.count,
    check = function(count) return count > 0.4 * s.count and count < 0.6 * s.count end,
    run = function() return (select(2, space:pairs(0, out))) end }
end

-- The same in Lua, without a space: a table of tables by cell.
local function buckets(bench, s)
  local places, cells = s.places, nil
  local function key(x, y) return math.floor(x / 0.75) + math.floor(y / 0.75) * 65536 end
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
  bench.case { name = "the same in Lua: build tables of cells", items = s.count, expect = s.count, run = build }
  build()
  local reach = math.sqrt(10 / math.pi)
  bench.case { name = ("the same in Lua: within, 10 found, %d entries"):format(s.count), items = ASKED,
    check = function(sum) return sum >= 7 * ASKED and sum <= 13 * ASKED end,
    run = function()
      local sum = 0
      for n = 1, ASKED do
        local x, y, found = places[3 * n - 2], places[3 * n - 1], {}
        for cy = math.floor((y - reach) / 0.75), math.floor((y + reach) / 0.75) do
          for cx = math.floor((x - reach) / 0.75), math.floor((x + reach) / 0.75) do
            for _, i in ipairs(cells[cx + cy * 65536] or {}) do
              local dx, dy = places[3 * i - 2] - x, places[3 * i - 1] - y
              if dx * dx + dy * dy <= reach * reach then found[#found + 1] = i end
            end
          end
        end
        sum = sum + #found
      end
      return sum
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
