-- Analysis of a screenshot with four bytes for each pixel, in rows.

local screenshot = {}

local Screenshot = {}
Screenshot.__index = Screenshot

function screenshot.new(bytes, width, height)
  assert(#bytes == 4 * width * height, "a screenshot of another size")
  return setmetatable({ bytes = bytes, width = width, height = height }, Screenshot)
end

-- Red, green and blue of a pixel, 0 to 255; x and y begin at 0.
function Screenshot:at(x, y)
  local place = 4 * (y * self.width + x)
  return self.bytes:byte(place + 1, place + 3)
end

-- The number of pixels in a box that `accepts(r, g, b)` accepts, and of squares of `size` pixels with such a pixel.
function Screenshot:count(accepts, x1, y1, x2, y2, size)
  local pixels, squares, seen = 0, 0, {}
  for y = math.max(y1, 0), math.min(y2, self.height) - 1 do
    for x = math.max(x1, 0), math.min(x2, self.width) - 1 do
      if accepts(self:at(x, y)) then
        pixels = pixels + 1
        local square = math.floor(y / size) * self.width + math.floor(x / size)
        if not seen[square] then squares = squares + 1 end
        seen[square] = true
      end
    end
  end
  return pixels, squares
end

-- The number of colors.
function Screenshot:colors()
  local seen, count = {}, 0
  for place = 1, #self.bytes, 4 do
    local r, g, b = self.bytes:byte(place, place + 2)
    local color = r * 65536 + g * 256 + b
    if not seen[color] then count = count + 1 end
    seen[color] = true
  end
  return count
end

return screenshot
