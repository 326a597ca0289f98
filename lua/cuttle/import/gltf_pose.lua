--- Conversion of a glTF node's translation, rotation and scale, or its matrix, to a transform of level source.
-- Does not depend on the hierarchy, nor on other data of nodes.
-- @module cuttle.import.gltf_pose

local json = require "cuttle.json"
local source = require "cuttle.import.source"

local is_null = json.is_null
local abs, sqrt = math.abs, math.sqrt

local jit = rawget(_G, "jit")

-- Not compiled on ARM64, where LuaJIT would use fused multiply-add, so that results would differ from other hosts.
if jit and jit.arch == "arm64" then jit.off(true, true) end

local pose = {}

-- Largest cosine between two axes that count as orthogonal: the accuracy of single precision.
local SQUARE = 1e-6
-- Largest difference of the last row of a matrix from 0 0 0 1.
local AFFINE = 1e-6
-- A shorter rotation quaternion has no reliable direction in single precision.
local LEAST_LENGTH = 1e-6

local PARTS = { "translation", "rotation", "scale" }

local function copy(list)
  local numbers = {}
  for index = 1, #list do numbers[index] = list[index] * 1.0 end -- floats, because products of integers would overflow
  return numbers
end

-- Decomposition ----------------------------------------------------------------------------------------------------
--
-- `r` holds three axes in sequence: r[1..3], r[4..6], r[7..9].

local function dot(r, a, b)
  return r[a] * r[b] + r[a + 1] * r[b + 1] + r[a + 2] * r[b + 2]
end

local function volume(r)
  return r[1] * (r[5] * r[9] - r[6] * r[8]) + r[2] * (r[6] * r[7] - r[4] * r[9]) + r[3] * (r[4] * r[8] - r[5] * r[7])
end

-- Returns the axes of a matrix with length 1, and their lengths. Returns nil if an axis has length 0: its direction is
-- arbitrary, and the core chooses a suitable one.
local function axes_of(matrix)
  local r, scale = {}, {}
  for axis = 0, 2 do
    local x, y, z = matrix[4 * axis + 1], matrix[4 * axis + 2], matrix[4 * axis + 3]
    local length = sqrt(x * x + y * y + z * z)
    if length == 0 then return nil end
    r[3 * axis + 1], r[3 * axis + 2], r[3 * axis + 3], scale[axis + 1] = x / length, y / length, z / length, length
  end
  return r, scale
end

-- Makes a mirrored matrix a rotation by negating one axis: the one that gives the smallest rotation.
local function unmirror(r, scale)
  local axis = 1
  for other = 2, 3 do
    if r[4 * other - 3] < r[4 * axis - 3] then axis = other end
  end
  scale[axis] = -scale[axis]
  for index = 3 * axis - 2, 3 * axis do r[index] = -r[index] end
end

-- Shepperd's method: computes the largest component with a square root and divides by it to get the others.
local function rotation_of(r)
  local trace = r[1] + r[5] + r[9]
  local q = { r[6] - r[8], r[7] - r[3], r[2] - r[4], 1 + trace }
  if trace <= 0 then
    local i = r[5] > r[1] and 2 or 1
    if r[9] > r[4 * i - 3] then i = 3 end
    local j, k = i % 3 + 1, (i + 1) % 3 + 1
    q[i], q[4] = 1 + r[4 * i - 3] - r[4 * j - 3] - r[4 * k - 3], q[i]
    q[j] = r[3 * (i - 1) + j] + r[3 * (j - 1) + i]
    q[k] = r[3 * (i - 1) + k] + r[3 * (k - 1) + i]
  end
  local length = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3] + q[4] * q[4])
  for index = 1, 4 do q[index] = q[index] / length + 0 end -- a -0 becomes 0
  return q
end

-- Returns rotation and scale of a matrix, or nil if it is sheared or flat.
local function decompose(matrix)
  local r, scale = axes_of(matrix)
  if not r or abs(dot(r, 1, 4)) > SQUARE or abs(dot(r, 4, 7)) > SQUARE or abs(dot(r, 7, 1)) > SQUARE then return nil end
  if math.max(scale[1], scale[2], scale[3]) > source.LARGEST_FLOAT then return nil end
  if volume(r) < 0 then unmirror(r, scale) end
  return rotation_of(r), scale
end

-- Reading ----------------------------------------------------------------------------------------------------------

local function from_matrix(cursor, node)
  for _, key in ipairs(PARTS) do
    if not is_null(node[key]) then cursor:fail(key, "not together with matrix: a node has one or the other") end
  end
  local matrix = copy(cursor:numbers(node, "matrix", 16, "float"))
  for place = 4, 16, 4 do
    local wanted = place == 16 and 1 or 0
    if abs(matrix[place] - wanted) > AFFINE then
      cursor:enter("matrix")
      cursor:fail(place, "expected %d: the last row of a matrix is 0 0 0 1, got %.14g", wanted, matrix[place])
    end
    matrix[place] = wanted
  end
  local rotation, scale = decompose(matrix)
  if not rotation then return { matrix = matrix } end
  return { position = { matrix[13], matrix[14], matrix[15] }, rotation = rotation, scale = scale }
end

local function from_parts(cursor, node)
  local transform = { position = { 0, 0, 0 } }
  if not is_null(node.translation) then transform.position = copy(cursor:numbers(node, "translation", 3, "float")) end
  if not is_null(node.scale) then transform.scale = copy(cursor:numbers(node, "scale", 3, "float")) end
  if is_null(node.rotation) then return transform end
  local q = copy(cursor:numbers(node, "rotation", 4))
  local length = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3] + q[4] * q[4])
  if length < LEAST_LENGTH then
    cursor:fail("rotation", "expected a quaternion of length 1, got length %.14g", length)
  end
  transform.rotation = q
  return transform
end

--- Returns the transform of a node: position, and rotation and scale if the node has them; or `matrix`, if the node's
-- matrix is sheared or flat.
-- @tparam cursor cursor at the node
-- @tparam table node
-- @treturn table a copy that shares nothing with the node
function pose.read(cursor, node)
  if not is_null(node.matrix) then return from_matrix(cursor, node) end
  return from_parts(cursor, node)
end

return pose
