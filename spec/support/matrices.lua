-- Matrices and quaternions in doubles, in the simplest form: tables of 16 numbers, column-major, for column vectors,
-- and of x, y, z, w.

local matrices = {}

function matrices.multiply(a, b)
  local out = {}
  for j = 0, 3 do
    for i = 1, 4 do
      local sum = 0
      for k = 0, 3 do sum = sum + a[i + 4 * k] * b[4 * j + k + 1] end
      out[4 * j + i] = sum
    end
  end
  return out
end

function matrices.compose(p, q, s)
  local x, y, z, w = q[1], q[2], q[3], q[4]
  return {
    (1 - 2 * (y * y + z * z)) * s[1], 2 * (x * y + z * w) * s[1], 2 * (x * z - y * w) * s[1], 0,
    2 * (x * y - z * w) * s[2], (1 - 2 * (x * x + z * z)) * s[2], 2 * (y * z + x * w) * s[2], 0,
    2 * (x * z + y * w) * s[3], 2 * (y * z - x * w) * s[3], (1 - 2 * (x * x + y * y)) * s[3], 0,
    p[1], p[2], p[3], 1,
  }
end

local function cofactors(m)
  local function c(a, b, d, e) return m[a] * m[b] - m[d] * m[e] end
  return {
    c(6, 11, 7, 10), c(3, 10, 2, 11), c(2, 7, 3, 6), 0,
    c(7, 9, 5, 11), c(1, 11, 3, 9), c(3, 5, 1, 7), 0,
    c(5, 10, 6, 9), c(2, 9, 1, 10), c(1, 6, 2, 5), 0,
    0, 0, 0, 1,
  }
end

function matrices.volume(m)
  local c = cofactors(m)
  return m[1] * c[1] + m[5] * c[2] + m[9] * c[3]
end

-- The inverse of a matrix whose volume is not 0.
function matrices.inverse(m)
  local out, volume = cofactors(m), matrices.volume(m)
  for i = 1, 11 do out[i] = out[i] / volume end
  for i = 1, 3 do out[12 + i] = -(out[i] * m[13] + out[i + 4] * m[14] + out[i + 8] * m[15]) end
  return out
end

function matrices.largest(m)
  local most = 0
  for i = 1, 16 do most = math.max(most, math.abs(m[i])) end
  return most
end

-- The length of the longest axis, and of the position.
function matrices.lengths(m)
  local function length(i) return math.sqrt(m[i] ^ 2 + m[i + 1] ^ 2 + m[i + 2] ^ 2) end
  return math.max(length(1), length(5), length(9)), length(13)
end

-- Rotates by b, then by a.
function matrices.turn(a, b)
  return {
    a[4] * b[1] + a[1] * b[4] + a[2] * b[3] - a[3] * b[2],
    a[4] * b[2] + a[2] * b[4] + a[3] * b[1] - a[1] * b[3],
    a[4] * b[3] + a[3] * b[4] + a[1] * b[2] - a[2] * b[1],
    a[4] * b[4] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
  }
end

-- Tests if two unit quaternions are the same rotation, like q and -q.
function matrices.is_same_turn(a, b, tolerance)
  local dot = a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4]
  local sign, off = dot < 0 and -1 or 1, 0
  for i = 1, 4 do off = math.max(off, math.abs(a[i] - sign * b[i])) end
  return dot == dot and off <= tolerance
end

return matrices
