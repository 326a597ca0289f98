-- The walls: a grid of the level, asked for points, boxes and rays. Bricks break, steel does not.
-- Shows: the grid component, what its numbers mean, cells that are read and written, rays and boxes in the world.

local walls = { BRICK = 1, STEEL = 2, SIZE = 20, COLUMNS = 48, ROWS = 27 }

local SIZE, COLUMNS, ROWS = walls.SIZE, walls.COLUMNS, walls.ROWS
local floor, sqrt = math.floor, math.sqrt

-- "Walls" is the name of the layer in the editor. What its numbers mean to the game is said here.
function walls.define(world)
  world.grid:define_resource("Walls", {
    [walls.BRICK] = { solid = true, breaks = true },
    [walls.STEEL] = { solid = true },
  })
end

-- The grid's entity, and a reader of its cells: for loops that ask for thousands of points, which LuaJIT compiles.
function walls.read(world)
  local following, state, start = world.grid:each()
  local e = following(state, start)
  return { grid = world.grid, entity = e, cells = world.grid:reader(e) }
end

-- What is at a point; around the yard there is steel.
function walls.at(map, x, y)
  local column, row = floor(x / SIZE), floor(y / SIZE)
  if column < 0 or row < 0 or column >= COLUMNS or row >= ROWS then return walls.STEEL end
  return map.cells[row * COLUMNS + column]
end

-- Numbers the walls anew: their bodies and their picture are compared with that. A number never comes twice, so that
-- after a rewind, or a save of yesterday, the same number means the same walls.
local number = os.time()

function walls.count_change(world)
  number = number + 1
  for _, match in world.match:each() do world.match:set_walls(match, number) end
end

-- Breaks what breaks in a box; how many bricks went.
function walls.shatter(world, map, x1, y1, x2, y2)
  local grid, e, broken = map.grid, map.entity, 0
  local found, count = grid:rectangle(e, x1, y1, x2, y2)
  for i = 1, 3 * count, 3 do
    local tile = grid:tile(e, found[i + 2])
    if tile and tile.breaks then
      grid:set_cell(e, found[i], found[i + 1], 0)
      broken = broken + 1
    end
  end
  if broken > 0 then walls.count_change(world) end
  return broken
end

-- How far it is to the first wall on the way from here to there; nil if nothing is between.
function walls.distance(map, x1, y1, x2, y2)
  local _, _, value, x, y = map.grid:ray(map.entity, x1, y1, x2, y2)
  return value and sqrt((x - x1) ^ 2 + (y - y1) ^ 2)
end

return walls
