-- The walls: a grid of the level, with queries by point, box and ray. Bricks break, steel does not.
-- Shows: the grid component, the resource for its numbers, reading and writing cells, rays and boxes in the world.

local walls = { BRICK = 1, STEEL = 2, SIZE = 20, COLUMNS = 48, ROWS = 27 }

local SIZE, COLUMNS, ROWS = walls.SIZE, walls.COLUMNS, walls.ROWS
local floor, sqrt = math.floor, math.sqrt

-- "Walls" is the name of the layer in the editor. This resource describes its numbers.
function walls.define(world)
  world.grid:define_resource("Walls", {
    [walls.BRICK] = { solid = true, breaks = true },
    [walls.STEEL] = { solid = true },
  })
end

-- Returns the grid's entity, and a reader of its cells for loops over thousands of points, which LuaJIT compiles.
function walls.read(world)
  local following, state, start = world.grid:each()
  local e = following(state, start)
  return { grid = world.grid, entity = e, cells = world.grid:reader(e) }
end

-- Returns the cell at a point. The area around the yard is steel.
function walls.at(map, x, y)
  local column, row = floor(x / SIZE), floor(y / SIZE)
  if column < 0 or row < 0 or column >= COLUMNS or row >= ROWS then return walls.STEEL end
  return map.cells[row * COLUMNS + column]
end

-- Gives the walls a new version number, with which their bodies and their picture are compared. A number is never used
-- twice, so after a rewind or a load the same number means the same walls.
local number = os.time()

function walls.count_change(world)
  number = number + 1
  for _, match in world.match:each() do world.match:set_walls(match, number) end
end

-- Breaks the bricks in a box, and returns their number.
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

-- Returns the distance to the first wall between two points; nil if there is none.
function walls.distance(map, x1, y1, x2, y2)
  local _, _, value, x, y = map.grid:ray(map.entity, x1, y1, x2, y2)
  return value and sqrt((x - x1) ^ 2 + (y - y1) ^ 2)
end

return walls
