-- The bar below the yard: amounts, times and keys. Must not depend on cuttle.

local hud = { HEIGHT = 48 }

local graphics = love.graphics
local big, small

local KEYS = { { "WASD", "drive" }, { "mouse", "aim, fire" }, { "R", "hold: rewind" }, { "Tab", "restart" },
  { "F5", "save" }, { "F9", "load" }, { "F1", "inspect" } }

function hud.prepare()
  big, small = graphics.newFont(17), graphics.newFont(11)
end

local function label(font, text, x, y, r, g, b)
  graphics.setFont(font)
  graphics.setColor(r, g, b)
  graphics.print(text, x, y)
  return x + font:getWidth(text)
end

local function draw_key(x, y, name, meaning)
  local width = small:getWidth(name) + 10
  graphics.setColor(0.24, 0.29, 0.38)
  graphics.rectangle("fill", x, y, width, 18, 4, 4)
  graphics.setColor(0.36, 0.43, 0.54)
  graphics.rectangle("line", x + 0.5, y + 0.5, width - 1, 17, 4, 4)
  label(small, name, x + 5, y + 2, 1, 1, 1)
  return label(small, meaning, x + width + 5, y + 2, 0.62, 0.68, 0.78) + 8
end

local function draw_bar(x, y, width, share, r, g, b)
  graphics.setColor(0.2, 0.24, 0.32)
  graphics.rectangle("fill", x, y, width, 8, 3, 3)
  graphics.setColor(r, g, b)
  graphics.rectangle("fill", x, y, math.max(0, math.min(1, share)) * width, 8, 3, 3)
end

-- `state`: score, hp and past (shares of 1), objects, milliseconds, message (or nil), over.
function hud.draw(state, width, top)
  graphics.setColor(0.07, 0.085, 0.115)
  graphics.rectangle("fill", 0, top, width, hud.HEIGHT)
  graphics.setColor(0.16, 0.84, 0.76)
  graphics.rectangle("fill", 0, top, width, 2)
  label(big, ("%06d"):format(state.score), 14, top + 8, 1, 0.9, 0.55)
  label(small, "score", 14, top + 29, 0.5, 0.56, 0.66)
  label(small, "armour", 104, top + 8, 0.62, 0.68, 0.78)
  draw_bar(150, top + 12, 90, state.hp, 0.16, 0.84, 0.76)
  label(small, "past", 104, top + 26, 0.62, 0.68, 0.78)
  draw_bar(150, top + 30, 90, state.past, 0.45, 0.55, 1)
  local x = 256
  for _, key in ipairs(KEYS) do x = draw_key(x, top + 15, key[1], key[2]) end
  label(small, ("%d things"):format(state.objects), width - 104, top + 8, 1, 1, 1)
  label(small, ("%.1f ms a step"):format(state.milliseconds), width - 104, top + 25, 0.62, 0.68, 0.78)
end

-- Draws a line of text in the middle of the yard.
function hud.say(text, width, y)
  graphics.setFont(big)
  local wide = big:getWidth(text) + 28
  graphics.setColor(0.04, 0.05, 0.07, 0.8)
  graphics.rectangle("fill", (width - wide) / 2, y, wide, 30, 6, 6)
  graphics.setColor(1, 1, 1)
  graphics.print(text, (width - wide) / 2 + 14, y + 5)
end

return hud
