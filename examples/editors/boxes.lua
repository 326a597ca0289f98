-- Boxes in glTF: a mesh and a material for each, with the vertices of all in one buffer.
-- Must not depend on nodes and scenes.

local bytes = require "examples.editors.bytes"

local boxes = {}

-- The number of a corner, 0 to 7, contains 1 if the corner is at the upper end in x, 2 in y, 4 in z. Each side has two
-- triangles, counterclockwise seen from outside.
local TRIANGLES = string.char(0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4, 2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1,
  4, 5, 7, 4, 7, 6)
local UNSIGNED_BYTE, FLOAT = 5121, 5126
local INDICES, VERTICES = 34963, 34962 -- the purpose of a part of the buffer

local function corners(width, height, depth)
  local made = {}
  for corner = 0, 7 do
    local x, y, z = corner % 2 - 0.5, math.floor(corner / 2) % 2 - 0.5, math.floor(corner / 4) - 0.5
    made[corner + 1] = bytes.floats(x * width, y * height, z * depth)
  end
  return table.concat(made)
end

-- Converts "#3f6fb0" to linear light and opacity, as glTF requires.
local function light(color)
  local made = { 0, 0, 0, 1 }
  for index, digits in ipairs { color:match "#(..)(..)(..)" } do
    local share = ((tonumber(digits, 16) / 255 + 0.055) / 1.055) ^ 2.4
    made[index] = math.floor(share * 1e4 + 0.5) / 1e4
  end
  return made
end

--- Adds to `document` the meshes of `list`: each box has a `name`, a `size` of width, height and depth around the
-- middle, and a `color` such as "#3f6fb0".
function boxes.add(document, list)
  local vertices = {}
  document.meshes, document.materials = {}, {}
  document.accessors = { { bufferView = 0, componentType = UNSIGNED_BYTE, count = #TRIANGLES, type = "SCALAR" } }
  for place, box in ipairs(list) do
    local x, y, z = box.size[1] / 2, box.size[2] / 2, box.size[3] / 2
    document.accessors[place + 1] = { bufferView = 1, byteOffset = #table.concat(vertices), componentType = FLOAT,
      count = 8, type = "VEC3", min = { -x, -y, -z }, max = { x, y, z } }
    vertices[place] = corners(box.size[1], box.size[2], box.size[3])
    document.materials[place] = { name = box.name,
      pbrMetallicRoughness = { baseColorFactor = light(box.color), metallicFactor = 0 } }
    document.meshes[place] = { name = box.name,
      primitives = { { attributes = { POSITION = place }, indices = 0, material = place - 1 } } }
  end
  local all = TRIANGLES .. table.concat(vertices)
  document.bufferViews = { { buffer = 0, byteOffset = 0, byteLength = #TRIANGLES, target = INDICES },
    { buffer = 0, byteOffset = #TRIANGLES, byteLength = #all - #TRIANGLES, byteStride = 12,
      target = VERTICES } }
  document.buffers = { { byteLength = #all, uri = "data:application/octet-stream;base64," .. bytes.base64(all) } }
end

return boxes
