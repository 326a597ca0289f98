-- Drawings of spawned levels as SVG: entities with a `picture`, by their world poses.
-- Must not depend on editors.

local cuttle = require "cuttle"
local pixels = require "examples.editors.pixels"

local draw = {}

-- Two decimal places are a fifth of the visible resolution.
local function digits(value)
  return (("%.2f"):format(value):gsub("%.?0+$", ""):gsub("^%-0$", "0"))
end

local function svg(width, height, scale, lines)
  local head = '<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %s %s" stroke="none">'
  return head:format(width * scale, height * scale, digits(width), digits(height)) .. "\n"
    .. table.concat(lines, "\n") .. "\n</svg>\n"
end

-- Returns a world with the level and the component for drawing.
local function spawn(level, fields)
  local world = cuttle.world(cuttle.entity_manager())
  local picture = world:define("picture", fields)
  local blob = assert(cuttle.compiler(world):compile(level))
  assert(world:spawn(assert(cuttle.resource(blob))))
  return world, picture
end

--- Draws tiles. Each picture has the number of its `tile`; its `layer`, 0 or 1, where layer 1 is drawn over layer 0;
-- its `scale`; and the `offset` of its upper left corner from the entity's position. `width` and `height` are the size
-- of the drawing in pixels.
function draw.tiles(level, width, height)
  local world, picture = spawn(level, { { "tile", "int32" }, { "layer", "int32" }, { "scale", "float", 1 },
    { "offset", "vec2" } })
  local lines, order = { '<g shape-rendering="crispEdges">', "<defs>" }, {}
  for tile = 0, pixels.COUNT - 1 do
    lines[#lines + 1] = ('<g id="t%d">'):format(tile)
    for _, run in ipairs(pixels.runs(tile)) do
      lines[#lines + 1] = ('<path fill="#%s" d="M%d %dh%dv%dh-%dz"/>'):format(run.color, run.x, run.y, run.width,
        run.height, run.width)
    end
    lines[#lines + 1] = "</g>"
  end
  lines[#lines + 1] = "</defs>"
  for layer = 0, 1 do
    for e in world:join("transform", "picture") do
      if picture:layer(e) == layer then order[#order + 1] = e end
    end
  end
  for _, e in ipairs(order) do
    local m, scale = world.transform:world_matrix(e, {}), picture:scale(e)
    local parts = {}
    for index, at in ipairs { 1, 2, 5, 6 } do parts[index] = digits(m[at] * scale) end
    local x, y = picture:offset(e)
    parts[5], parts[6] = digits(m[1] * x + m[5] * y + m[13]), digits(m[2] * x + m[6] * y + m[14])
    lines[#lines + 1] = ('<use href="#t%d" transform="matrix(%s)"/>'):format(picture:tile(e), table.concat(parts, " "))
  end
  lines[#lines + 1] = "</g>"
  return svg(width, height, 2, lines)
end

--- Draws boxes from above. Each picture has a `width`, a `depth` and a `color`.
function draw.footprints(level, width, depth)
  local world, picture = spawn(level, { { "color", "string" }, { "width", "float" }, { "depth", "float" } })
  local lines = { ('<rect width="%s" height="%s" fill="#3f6fb0"/>'):format(digits(width), digits(depth)) }
  for e in world:join("transform", "picture") do
    local m, corners = world.transform:world_matrix(e, {}), {}
    for index, corner in ipairs { { -0.5, -0.5 }, { 0.5, -0.5 }, { 0.5, 0.5 }, { -0.5, 0.5 } } do
      local x, z = corner[1] * picture:width(e), corner[2] * picture:depth(e)
      corners[index] = digits(m[1] * x + m[9] * z + m[13]) .. "," .. digits(m[3] * x + m[11] * z + m[15])
    end
    lines[#lines + 1] = ('<polygon fill="%s" points="%s"/>'):format(picture:color(e), table.concat(corners, " "))
  end
  return svg(width, depth, 16, lines)
end

return draw
