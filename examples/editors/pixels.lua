-- The tiles of the example levels, as pixels, and PNG files of pixels.
-- Must not depend on levels.

local pixels = {}

--- The length of a tile's edge in pixels.
pixels.SIZE = 16

-- Each letter is a color, and is drawn as 2 x 2 pixels.
local COLORS = { g = "5a8f3c", G = "6fa64a", b = "7a6a5d", B = "5b4d43", w = "3f6fb0", W = "5b8fd0", y = "e0c050",
  k = "2b2b33", r = "c04040", s = "d8b090", o = "a0662e", O = "d09040" }

local PICTURES = {
  { "gggggggg", "gGgggggg", "ggggggGg", "gggggggg", "ggggGggg", "ggGggggg", "gggggggG", "gggggggg" }, -- grass
  { "bbbBbbbb", "bbbBbbbb", "bbbBbbbb", "BBBBBBBB", "bbbbbbbB", "bbbbbbbB", "bbbbbbbB", "BBBBBBBB" }, -- wall
  { "wwwwwwww", "wWWwwwww", "wwwwwwww", "wwwwwWWw", "wwwwwwww", "WWwwwwww", "wwwwWWww", "wwwwwwww" }, -- water
  { "gggggggg", "gggyyyyg", "ggggyyyg", "gggyyyyg", "ggyyygyg", "gyyygggg", "gyyggggg", "gggggggg" }, -- arrow
  { "gggggggg", "ggkggkgg", "ggkggkgg", "gkkgkkkg", "gkkgkkkg", "kkkkkkkk", "kkkkkkkk", "gggggggg" }, -- spikes
  { "..kkkk..", "..ssss..", "..sksk..", ".rrrrrr.", "s.rrrr.s", "..rrrr..", "..k..k..", "..k..k.." }, -- hero
  { "........", ".oooooo.", "oOOOOOOo", "oooyyooo", "oOOyyOOo", "oOOOOOOo", "oooooooo", "........" }, -- chest
  { ".kkkkkk.", ".kooook.", ".koOOok.", ".kooook.", ".kooyok.", ".koOOok.", ".kooook.", ".kkkkkk." }, -- door
}

--- The number of tiles.
pixels.COUNT = #PICTURES

--- Returns the runs of one color in a tile (counted from 0): {x=, y=, width=, height=, color="rrggbb"}, ...
function pixels.runs(tile)
  local runs = {}
  for row, line in ipairs(PICTURES[tile + 1]) do
    local from = 1
    while from <= #line do
      local letter = line:sub(from, from)
      local last = line:find("[^" .. letter .. "]", from) or #line + 1
      if COLORS[letter] then
        runs[#runs + 1] = { x = (from - 1) * 2, y = (row - 1) * 2, width = (last - from) * 2, height = 2,
          color = COLORS[letter] }
      end
      from = last
    end
  end
  return runs
end

-- PNG --------------------------------------------------------------------------------------------------------------

-- Operations on 32-bit numbers without a library.
local function xor(a, b)
  local result, bit = 0, 1
  while a > 0 or b > 0 do
    if a % 2 ~= b % 2 then result = result + bit end
    a, b, bit = math.floor(a / 2), math.floor(b / 2), bit * 2
  end
  return result
end

local crc_table
local function crc(bytes)
  if not crc_table then
    crc_table = {}
    for n = 0, 255 do
      local c = n
      for _ = 1, 8 do c = c % 2 == 1 and xor(math.floor(c / 2), 3988292384) or math.floor(c / 2) end
      crc_table[n] = c
    end
  end
  local c = 4294967295
  for index = 1, #bytes do c = xor(crc_table[xor(c % 256, bytes:byte(index))], math.floor(c / 256)) end
  return 4294967295 - c
end

local function adler(bytes)
  local a, b = 1, 0
  for index = 1, #bytes do
    a = (a + bytes:byte(index)) % 65521
    b = (b + a) % 65521
  end
  return b * 65536 + a
end

local function number(value)
  return string.char(math.floor(value / 16777216) % 256, math.floor(value / 65536) % 256,
    math.floor(value / 256) % 256, value % 256)
end

local function chunk(kind, data)
  return number(#data) .. kind .. data .. number(crc(kind .. data))
end

--- Returns a PNG file with all tiles in one row.
function pixels.png()
  local size, rows = pixels.SIZE, {}
  for y = 1, size do
    rows[y] = {}
    for x = 1, size * pixels.COUNT do rows[y][x] = "\0\0\0\0" end
  end
  for tile = 0, pixels.COUNT - 1 do
    for _, run in ipairs(pixels.runs(tile)) do
      local red, green, blue = run.color:match "(..)(..)(..)"
      local pixel = string.char(tonumber(red, 16), tonumber(green, 16), tonumber(blue, 16), 255)
      for y = run.y + 1, run.y + run.height do
        for x = run.x + 1, run.x + run.width do rows[y][tile * size + x] = pixel end
      end
    end
  end
  local lines = {}
  for y = 1, size do lines[y] = "\0" .. table.concat(rows[y]) end
  local data = table.concat(lines)
  local length = string.char(#data % 256, math.floor(#data / 256))
  local inverse = string.char(255 - #data % 256, 255 - math.floor(#data / 256))
  local stored = "\120\1\1" .. length .. inverse .. data .. number(adler(data))
  return "\137PNG\r\n\26\n" .. chunk("IHDR", number(size * pixels.COUNT) .. number(size) .. "\8\6\0\0\0")
    .. chunk("IDAT", stored) .. chunk("IEND", "")
end

return pixels
