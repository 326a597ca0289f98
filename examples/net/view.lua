-- The world as text: a map around the own ship.

local game = require "game"

local WIDTH, HEIGHT = 72, 21
local UNIT_X, UNIT_Y = 1, 2 -- a letter is twice as high as wide
local LETTERS = { rock = "o", freighter = "F", pod = "p", ship = "A" }

-- Returns the map as text. `places` has x, y and the kind of each thing: a flat table.
local function map(x, y, heading, places)
  local rows = {}
  for row = 1, HEIGHT do
    rows[row] = {}
    for column = 1, WIDTH do rows[row][column] = " " end
  end
  local function put(px, py, letter)
    local column, row = math.floor((px - x) / UNIT_X + WIDTH / 2) + 1, math.floor((y - py) / UNIT_Y + HEIGHT / 2) + 1
    if rows[row] and rows[row][column] then rows[row][column] = letter end
  end
  for place = 1, #places, 3 do put(places[place], places[place + 1], LETTERS[places[place + 2]]) end
  put(x + 3 * math.cos(heading), y + 3 * math.sin(heading), "+")
  put(x, y, "@")
  for row = 1, HEIGHT do rows[row] = "|" .. table.concat(rows[row]) .. "|" end
  local line = "+" .. ("-"):rep(WIDTH) .. "+"
  return line .. "\n" .. table.concat(rows, "\n") .. "\n" .. line
end

return { map = map, SIZE = game.SIZE }
