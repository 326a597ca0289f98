-- The pictures, drawn once with LÖVE's shapes into one texture, so that a layer is one SpriteBatch. They are light
-- grey, and get their colour from a sprite's tint. Must not depend on cuttle.

local atlas = { CELL = 128, SCALE = 0.25 } -- drawn at four times the size, for smooth edges

local graphics = love.graphics
local drawn = {}

local function box(width, height, shade, alpha, round)
  graphics.setColor(shade, shade, shade, alpha or 1)
  graphics.rectangle("fill", -width / 2, -height / 2, width, height, round or 2, round or 2)
end

function drawn.shadow()
  for i = 6, 1, -1 do box(22 + 2 * i, 16 + 2 * i, 0, 0.12, 6) end
end

function drawn.hull()
  for _, side in ipairs { -1, 1 } do
    graphics.push()
    graphics.translate(0, side * 8)
    box(28, 6, 0.22, 1, 2)
    for i = -3, 3 do
      graphics.setColor(0.4, 0.4, 0.4)
      graphics.rectangle("fill", i * 4 - 0.8, -3, 1.6, 6)
    end
    graphics.pop()
  end
  box(25, 13, 0.55, 1, 3)
  box(22, 10, 0.8, 1, 3)
  graphics.setColor(0.6, 0.6, 0.6)
  graphics.rectangle("fill", -11, -3.5, 4, 7, 1, 1)
  graphics.setColor(1, 1, 1)
  graphics.rectangle("fill", 9, -4, 2, 2.5)
  graphics.rectangle("fill", 9, 1.5, 2, 2.5)
end

function drawn.turret()
  graphics.setColor(0.45, 0.45, 0.45)
  graphics.circle("fill", 0, 0, 7, 48)
  graphics.setColor(0.95, 0.95, 0.95)
  graphics.circle("fill", -0.4, -0.4, 5.8, 48)
  graphics.setColor(0.6, 0.6, 0.6)
  graphics.circle("fill", -1.5, 0, 2.4, 32)
end

function drawn.barrel()
  box(16, 4.6, 0.3, 1, 1.5)
  box(15, 3, 0.85, 1, 1)
  graphics.setColor(0.4, 0.4, 0.4)
  graphics.rectangle("fill", 5, -2.8, 3, 5.6, 1, 1)
end

function drawn.crate()
  graphics.setColor(0.36, 0.25, 0.14)
  graphics.rectangle("fill", -8.5, -8.5, 17, 17, 1.5, 1.5)
  graphics.setColor(0.82, 0.6, 0.34)
  graphics.rectangle("fill", -7.5, -7.5, 15, 15, 1, 1)
  graphics.setColor(0.62, 0.43, 0.23)
  for i = -1, 1 do graphics.rectangle("fill", -7.5, i * 5 - 0.5, 15, 1) end
  graphics.setLineWidth(2.6)
  graphics.setColor(0.7, 0.49, 0.27)
  graphics.line(-7, -7, 7, 7)
  graphics.line(-7, 7, 7, -7)
  graphics.setLineWidth(1.6)
  graphics.rectangle("line", -7, -7, 14, 14)
end

function drawn.mite()
  graphics.setColor(0.35, 0.35, 0.35)
  graphics.setLineWidth(1)
  for i = -1, 1 do graphics.line(i * 2 - 1, -4, i * 2 + 1, 4) end
  graphics.setColor(0.75, 0.75, 0.75)
  graphics.ellipse("fill", 0, 0, 4.2, 2.8, 24)
  graphics.setColor(1, 1, 1)
  graphics.circle("fill", 1.8, 0, 1.5, 16)
end

function drawn.bullet()
  graphics.setColor(1, 1, 1)
  graphics.ellipse("fill", 0, 0, 5, 1.7, 24)
end

function drawn.lantern()
  graphics.setColor(0.3, 0.22, 0.15)
  graphics.circle("fill", 0, 0, 4.4, 32)
  graphics.setColor(1, 0.9, 0.6)
  graphics.circle("fill", 0, 0, 3.2, 32)
  graphics.setColor(1, 1, 1)
  graphics.circle("fill", 0, 0, 1.6, 32)
end

function drawn.nest()
  for i = 1, 9 do
    local angle = i * 2 * math.pi / 9
    graphics.setColor(0.22, 0.1, 0.3)
    graphics.circle("fill", 8 * math.cos(angle), 8 * math.sin(angle), 4.5, 24)
  end
  graphics.setColor(0.4, 0.18, 0.52)
  graphics.circle("fill", 0, 0, 9.5, 48)
  graphics.setColor(0.1, 0.03, 0.15)
  graphics.circle("fill", 0, 0, 6, 32)
  graphics.setColor(0.9, 0.45, 1)
  graphics.circle("fill", 0, 0, 2.6, 24)
end

function drawn.lamp()
  graphics.setColor(0.2, 0.17, 0.16)
  graphics.circle("fill", 0, 0, 7, 8)
  graphics.setColor(0.5, 0.2, 0.08)
  graphics.circle("fill", 0, 0, 5.2, 24)
  graphics.setColor(1, 0.8, 0.4)
  graphics.circle("fill", 0, 0, 3, 24)
end

-- A soft round light.
local function glow_image()
  local data, size = love.image.newImageData(64, 64), 64
  data:mapPixel(function(x, y)
    local dx, dy = (x + 0.5) / size * 2 - 1, (y + 0.5) / size * 2 - 1
    local light = math.max(0, 1 - math.sqrt(dx * dx + dy * dy))
    return 1, 1, 1, light * light
  end)
  return graphics.newImage(data)
end

-- Returns `texture`, `quads` by picture, and `glow`, another texture.
function atlas.build(pictures)
  local cell = atlas.CELL
  local canvas, quads = graphics.newCanvas(cell * #pictures, cell), {}
  graphics.setCanvas(canvas)
  graphics.clear(0, 0, 0, 0)
  for i, picture in ipairs(pictures) do
    graphics.push()
    graphics.translate((i - 0.5) * cell, cell / 2)
    graphics.scale(1 / atlas.SCALE)
    drawn[picture]()
    graphics.pop()
    quads[picture] = graphics.newQuad((i - 1) * cell, 0, cell, cell, canvas:getDimensions())
  end
  graphics.setCanvas()
  return { texture = canvas, quads = quads, glow = glow_image() }
end

return atlas
