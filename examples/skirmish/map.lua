--- Drawing of a world from above, as lines of text.
-- Must not depend on the rules.

local map = {}

--- Returns the part of the world to draw: the area with entities, and a small margin.
-- @treturn table frame for `map.draw`
function map.frame(world, columns, rows)
  local transform, huge = world.transform, math.huge
  local x1, y1, x2, y2 = huge, huge, -huge, -huge
  for row in world:rows(transform) do
    local x, y = transform:world_position(transform:at(row))
    x1, y1, x2, y2 = math.min(x1, x), math.min(y1, y), math.max(x2, x), math.max(y2, y)
  end
  if x1 > x2 then x1, y1, x2, y2 = 0, 0, 1, 1 end
  -- A character is twice as high as wide. The longer side fills the frame.
  local cell = math.max((x2 - x1) / columns, (y2 - y1) / (2 * rows), 1e-6) * 1.02
  rows = math.min(rows, math.max(4, math.ceil((y2 - y1) / (2 * cell)) + 1))
  return { columns = columns, rows = rows, width = cell, height = 2 * cell,
    left = (x1 + x2 - columns * cell) / 2, top = (y1 + y2 - rows * 2 * cell) / 2 }
end

local function cell_of(frame, x, y)
  local column, row = math.floor((x - frame.left) / frame.width), math.floor((y - frame.top) / frame.height)
  if column < 0 or row < 0 or column >= frame.columns or row >= frame.rows then return nil end
  return row * frame.columns + column
end

--- @tparam battle game
-- @tparam table frame
-- @treturn table lines of equal width: side 1 in capitals, side 2 in small letters, `*` powder, `x` graves, `o` neutral
-- entities
function map.draw(game, frame)
  local world = game.world
  local transform, health = world.transform, world.health
  local ground, glyphs, weights = {}, {}, {}

  local function put(x, y, glyph, weight)
    local cell = cell_of(frame, x, y)
    if cell and weight > (weights[cell] or 0) then glyphs[cell], weights[cell] = glyph, weight end
  end

  for row in world:rows(transform, "!health", "!shot") do
    local x, y = transform:world_position(transform:at(row))
    local cell = cell_of(frame, x, y)
    if cell then ground[cell] = "." end
  end
  for s in world:rows("shot", transform) do
    local x, y = transform:world_position(world.shot:entity(world.shot:at(s)))
    put(x, y, "'", 1)
  end
  for _, grave in ipairs(game.graves) do put(grave.x, grave.y, "x", 2) end
  for e, h, _, fuse in world:join(health, transform, "?powder") do
    local x, y = transform:world_position(e)
    local letter = game:title(e):gsub("^the ", ""):match("%a") or "?"
    local side = health:side(h)
    local glyph = fuse and "*" or side == 0 and "o" or side == 1 and letter:upper() or letter:lower()
    put(x, y, glyph, 3 + health:hp(h) / 1e6)
  end

  local lines = {}
  for row = 0, frame.rows - 1 do
    local line = {}
    for column = 0, frame.columns - 1 do
      local cell = row * frame.columns + column
      line[#line + 1] = glyphs[cell] or ground[cell] or " "
    end
    lines[#lines + 1] = table.concat(line)
  end
  return lines
end

return map
