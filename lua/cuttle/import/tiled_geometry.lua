--- Geometry of Tiled maps: cells of the four orientations, flipped and rotated tiles, positions of isometric objects.
-- Does not depend on documents; uses only numbers.
-- @module cuttle.import.tiled_geometry

local cos, floor, pi, sin = math.cos, math.floor, math.pi, math.sin

local jit = rawget(_G, "jit")

-- Not compiled on ARM64, where LuaJIT would use fused multiply-add, so that results would differ from other hosts.
if jit and jit.arch == "arm64" then jit.off(true, true) end

local geometry = {}

--- Integer division by 2 that rounds towards 0, as in the editor.
function geometry.half(number)
  return number >= 0 and floor(number / 2) or -floor(-number / 2)
end

local half = geometry.half

-- Cells ------------------------------------------------------------------------------------------------------------

local CORNERS = {}

function CORNERS.orthogonal(map)
  return function(x, y) return x * map.tile_width, (y + 1) * map.tile_height end
end

function CORNERS.isometric(map)
  local width, height = map.tile_width, map.tile_height
  local origin = half(map.height * width) - half(width)
  return function(x, y) return (x - y) * width / 2 + origin, (x + y) * height / 2 + height end
end

-- Each row and each column of an oblique map is shifted by the skew.
function CORNERS.oblique(map)
  return function(x, y)
    return x * map.tile_width + y * map.skew_x, (y + 1) * map.tile_height + x * map.skew_y
  end
end

-- A staggered map is a hexagonal map with side length 0. Every other row or column is shifted.
function CORNERS.hexagonal(map)
  local width, height = map.tile_width - map.tile_width % 2, map.tile_height - map.tile_height % 2
  local by_column, shifted = map.stagger_axis == "x", map.stagger_index == "even" and 0 or 1
  local side_x = by_column and map.hex_side_length or 0
  local side_y = by_column and 0 or map.hex_side_length
  local column, row = half(width - side_x) + side_x, half(height - side_y) + side_y
  return function(x, y)
    local left, top
    if by_column then
      left, top = x * column, y * (height + side_y) + (x % 2 == shifted and row or 0)
    else
      left, top = x * (width + side_x) + (y % 2 == shifted and column or 0), y * row
    end
    return left, top + height
  end
end

CORNERS.staggered = CORNERS.hexagonal

--- The set of supported orientations.
geometry.ORIENTATIONS = { orthogonal = true, isometric = true, oblique = true, staggered = true, hexagonal = true }

--- Returns function(x, y) -> the pixel of a cell's lower left corner, to which tiles of any size are aligned.
-- @tparam table map orientation, tile_width, tile_height, height; stagger_axis, stagger_index, hex_side_length;
-- skew_x, skew_y
function geometry.cell_corner(map)
  return CORNERS[map.orientation](map)
end

--- Returns the width and height in pixels of the box around all cells of a map.
-- @tparam table map as for `cell_corner`, and width
function geometry.size(map)
  local corner, left, top, right, bottom = geometry.cell_corner(map), math.huge, math.huge, -math.huge, -math.huge
  -- In staggered maps, every other row and column is shifted.
  for _, x in ipairs({ 0, 1, map.width - 2, map.width - 1 }) do
    for _, y in ipairs({ 0, 1, map.height - 2, map.height - 1 }) do
      if x >= 0 and y >= 0 and x < map.width and y < map.height then
        local cell_left, cell_bottom = corner(x, y)
        left, right = math.min(left, cell_left), math.max(right, cell_left + map.tile_width)
        top, bottom = math.min(top, cell_bottom - map.tile_height), math.max(bottom, cell_bottom)
      end
    end
  end
  if right < left then return 0, 0 end
  return right - left, bottom - top
end

-- Flips ------------------------------------------------------------------------------------------------------------

--- Returns a global tile id without flags, and the flags in its four upper bits. `flags` is 0 to 15: 8 flipped in x, 4
-- in y, 2 along the diagonal (in hexagonal maps: rotated by 60 degrees), 1 rotated by 120 degrees.
function geometry.split(gid)
  local flags = floor(gid / 268435456)
  return gid - flags * 268435456, flags
end

--- Returns the flags as booleans: flip_x, flip_y, flip_diagonal, rotate_120.
function geometry.flags(flags)
  return flags >= 8, floor(flags / 4) % 2 == 1, floor(flags / 2) % 2 == 1, flags % 2 == 1
end

-- Returns the rotation and mirroring of an image around its centre: angle, its cosine and sine, mirroring in x and in
-- y, and whether width and height are exchanged.
local function orient(flags, hexagonal)
  local flip_x, flip_y, diagonal, rotate = geometry.flags(flags)
  if hexagonal then
    local angle = ((diagonal and 60 or 0) + (rotate and 120 or 0)) * pi / 180
    return angle, cos(angle), sin(angle), flip_x and -1 or 1, flip_y and -1 or 1, false
  elseif diagonal then
    return pi / 2, 0, 1, flip_y and -1 or 1, flip_x and 1 or -1, true
  end
  return 0, 1, 0, flip_x and -1 or 1, flip_y and -1 or 1, false
end

--- Returns the transform that draws an image (0, 0 to width, height) where Tiled draws the tile.
-- @tparam number x the left of the tile's box
-- @tparam number y the bottom of the tile's box
-- @tparam table tile width, height, and a tileset with render_size, fill_mode, offset_x, offset_y
-- @tparam number flags
-- @tparam table map orientation, tile_width, tile_height
function geometry.tile_transform(x, y, tile, flags, map)
  local tileset, width, height = tile.tileset, tile.width, tile.height
  local scale_x, scale_y = 1, 1
  if tileset.render_size == "grid" and width > 0 and height > 0 then
    scale_x, scale_y = map.tile_width / width, map.tile_height / height
    width, height = map.tile_width, map.tile_height
    if tileset.fill_mode == "preserve-aspect-fit" then
      scale_x = math.min(scale_x, scale_y)
      scale_y = scale_x
    end
  end
  local offset_x, offset_y = tileset.offset_x * scale_x, tileset.offset_y * scale_y
  if flags == 0 and scale_x == 1 and scale_y == 1 then
    return { position = { x + offset_x, y - height + offset_y, 0 } }
  end
  local angle, c, s, mirror_x, mirror_y, across = orient(flags, map.orientation == "hexagonal")
  local shift = across and (height - width) / 2 or 0
  local centre_x, centre_y = x + width / 2 + offset_x + shift, y - height / 2 + offset_y + shift
  scale_x, scale_y = scale_x * mirror_x, scale_y * mirror_y
  local half_x, half_y = scale_x * tile.width / 2, scale_y * tile.height / 2
  return { position = { centre_x - c * half_x + s * half_y, centre_y - s * half_x - c * half_y, 0 },
    angle = angle ~= 0 and angle or nil,
    scale = (scale_x ~= 1 or scale_y ~= 1) and { scale_x, scale_y, 1 } or nil }
end

-- Objects ----------------------------------------------------------------------------------------------------------

--- Returns function(x, y) -> the drawn position of a position in the document. They differ only in isometric and
-- oblique maps, whose objects have pixels of the unprojected plane.
function geometry.projection(map)
  if map.orientation == "oblique" then
    local shear_x, shear_y = map.skew_x / map.tile_height, map.skew_y / map.tile_width
    return function(x, y) return x + y * shear_x, y + x * shear_y end
  end
  if map.orientation ~= "isometric" then return function(x, y) return x, y end end
  local ratio, origin = map.tile_width / map.tile_height / 2, half(map.height * map.tile_width)
  return function(x, y) return (x - y) * ratio + origin, (x + y) / 2 end
end

--- Returns the transform of an object whose position is an anchor in its box, and the centre of the box.
-- @tparam number x the drawn position of the anchor
-- @tparam number y
-- @tparam number centre_x the centre of the box relative to the anchor, before rotation
-- @tparam number centre_y
-- @tparam number angle the rotation of the object around its anchor
-- @tparam[opt] table tile width, height of the box, flags, hexagonal; a flipped tile covers the same box
-- @treturn table transform
-- @treturn table {x=, y=}
function geometry.object_transform(x, y, centre_x, centre_y, angle, tile)
  local cosine, sine = cos(angle), sin(angle)
  local centre = { x = x + cosine * centre_x - sine * centre_y, y = y + sine * centre_x + cosine * centre_y }
  local transform = { position = { x, y, 0 }, angle = angle ~= 0 and angle or nil }
  if tile and tile.flags ~= 0 then
    local turn, c, s, mirror_x, mirror_y, across = orient(tile.flags, tile.hexagonal)
    local shift = across and (tile.height - tile.width) / 2 or 0
    local right = centre_x + shift - c * mirror_x * centre_x + s * mirror_y * centre_y
    local down = centre_y + shift - s * mirror_x * centre_x - c * mirror_y * centre_y
    transform.position = { x + cosine * right - sine * down, y + sine * right + cosine * down, 0 }
    transform.angle = angle + turn ~= 0 and angle + turn or nil
    if mirror_x ~= 1 or mirror_y ~= 1 then transform.scale = { mirror_x, mirror_y, 1 } end
    centre.x, centre.y = centre.x + (cosine - sine) * shift, centre.y + (sine + cosine) * shift
  end
  return transform, centre
end

return geometry
