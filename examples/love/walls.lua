-- The walls: cells of the level, asked for boxes and rays. Bricks (1) break, steel (2) does not.

local walls = { BRICK = 1, STEEL = 2, SIZE = 20, COLUMNS = 48, ROWS = 27 }

local SIZE, COLUMNS, ROWS = walls.SIZE, walls.COLUMNS, walls.ROWS
local floor, abs, huge = math.floor, math.abs, math.huge

function walls.define(world)
  world:define("walls", { { "cells", "value" } })
end

-- For the import: an int grid of the editor becomes a component of its layer's entity.
function walls.components(layer)
  if layer.int_grid then return { walls = { cells = layer.int_grid } } end
end

function walls.find(world)
  local following, state, start = world.walls:each()
  return world.walls:cells((following(state, start)))
end

-- The cell at a point: 0 if there is none.
function walls.at(cells, x, y)
  local column, row = floor(x / SIZE), floor(y / SIZE)
  if column < 0 or row < 0 or column >= COLUMNS or row >= ROWS then return walls.STEEL end
  return cells[row * COLUMNS + column + 1]
end

-- What a drawing of the walls is compared with: see picture.lua.
function walls.count_change(world)
  for _, match in world.match:each() do world.match:set_walls(match, world.match:walls(match) + 1) end
end

function walls.break_at(world, cells, x, y)
  local at = floor(y / SIZE) * COLUMNS + floor(x / SIZE) + 1
  if cells[at] ~= walls.BRICK then return false end
  cells[at] = 0
  walls.count_change(world)
  return true
end

-- Whether a straight line from here to there is free of walls, and else how far.
function walls.ray(cells, x1, y1, x2, y2)
  local dx, dy = x2 - x1, y2 - y1
  local steps = floor(math.max(abs(dx), abs(dy)) / 8) + 1
  for i = 1, steps do
    if walls.at(cells, x1 + dx * i / steps, y1 + dy * i / steps) ~= 0 then return i / steps end
  end
  return huge
end

return walls
