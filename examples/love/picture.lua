-- The picture of the yard: floor and walls, drawn onto a canvas when the walls have changed.
-- Must not depend on entities other than the cells.

local walls = require "walls"

local picture = {}

local graphics = love.graphics
local SIZE, COLUMNS, ROWS, RISE = walls.SIZE, walls.COLUMNS, walls.ROWS, 6

local COLORS = {
  [walls.BRICK] = { top = { 0.72, 0.39, 0.27 }, front = { 0.42, 0.2, 0.15 }, line = { 0.55, 0.28, 0.2 } },
  [walls.STEEL] = { top = { 0.36, 0.43, 0.55 }, front = { 0.2, 0.24, 0.33 }, line = { 0.45, 0.53, 0.66 } },
}

local function draw_floor()
  graphics.clear(0.15, 0.175, 0.225)
  for row = 0, ROWS - 1 do
    for column = 0, COLUMNS - 1 do
      local shade = ((column * 7 + row * 13) % 5) * 0.004 + ((math.floor(column / 4) + math.floor(row / 4)) % 2) * 0.014
      graphics.setColor(0.15 + shade, 0.175 + shade, 0.225 + shade * 1.2)
      graphics.rectangle("fill", column * SIZE, row * SIZE, SIZE, SIZE)
    end
  end
  graphics.setColor(1, 1, 1, 0.035)
  for column = 0, COLUMNS, 4 do graphics.rectangle("fill", column * SIZE, 0, 1, ROWS * SIZE) end
  for row = 0, ROWS, 4 do graphics.rectangle("fill", 0, row * SIZE, COLUMNS * SIZE, 1) end
end

local function draw_block(x, y, value, open_below)
  local color = COLORS[value] or COLORS[walls.STEEL]
  graphics.setColor(color.top)
  graphics.rectangle("fill", x, y - RISE, SIZE, SIZE)
  graphics.setColor(color.line)
  if value == walls.BRICK then
    for i = 0, 3 do
      graphics.rectangle("fill", x, y - RISE + i * 5, SIZE, 1)
      graphics.rectangle("fill", x + (i % 2 == 0 and 5 or 15), y - RISE + i * 5, 1, 5)
    end
  else
    graphics.rectangle("line", x + 2.5, y - RISE + 2.5, SIZE - 5, SIZE - 5)
  end
  graphics.setColor(1, 1, 1, 0.12)
  graphics.rectangle("fill", x, y - RISE, SIZE, 1)
  if open_below then
    graphics.setColor(color.front)
    graphics.rectangle("fill", x, y + SIZE - RISE, SIZE, RISE)
  end
end

-- Draws `map` (of `walls.read`) onto `canvas`, or onto a new one, and returns it.
function picture.draw(map, canvas)
  canvas = canvas or graphics.newCanvas(COLUMNS * SIZE, ROWS * SIZE)
  local function at(column, row) return row < ROWS and map.cells[row * COLUMNS + column] or 0 end
  graphics.setCanvas(canvas)
  graphics.setLineWidth(1)
  draw_floor()
  graphics.setColor(0, 0, 0, 0.4)
  for row = 0, ROWS - 1 do
    for column = 0, COLUMNS - 1 do
      if at(column, row) ~= 0 then graphics.rectangle("fill", column * SIZE + 5, row * SIZE + 6, SIZE, SIZE) end
    end
  end
  for row = 0, ROWS - 1 do
    for column = 0, COLUMNS - 1 do
      local value = at(column, row)
      if value ~= 0 then draw_block(column * SIZE, row * SIZE, value, at(column, row + 1) == 0) end
    end
  end
  graphics.setCanvas()
  return canvas
end

return picture
