-- The questions of a space as plain loops over all entries. `entries` is a table of { e, x, y, z, r, mask } in the
-- order of the query, as of the last update; `alive(e)` is true for entities that may be in answers.

local band = require("spec.support.bits").band

local model = {}

local function finite(n) return n - n == 0 end

local function there(entry, alive, except, mask)
  return alive(entry.e) and finite(entry.x) and finite(entry.y) and finite(entry.z) and entry.e ~= except
    and (mask == nil or band(entry.mask, mask) ~= 0)
end

local function square(dx, dy, dz) return dx * dx + dy * dy + dz * dz end

function model.within(entries, alive, p, reach, mask)
  local found = {}
  for _, n in ipairs(entries) do
    local r = n.r + reach
    if there(n, alive, nil, mask) and square(n.x - p[1], n.y - p[2], n.z - p[3]) <= r * r then
      found[#found + 1] = n.e
    end
  end
  return found
end

local function outside(x, a, b)
  local low, high = math.min(a, b), math.max(a, b)
  return x < low and low - x or x > high and x - high or 0
end

function model.box(entries, alive, p, q, mask)
  local found = {}
  for _, n in ipairs(entries) do
    local d = square(outside(n.x, p[1], q[1]), outside(n.y, p[2], q[2]), outside(n.z, p[3], q[3]))
    if there(n, alive, nil, mask) and d <= n.r * n.r then found[#found + 1] = n.e end
  end
  return found
end

-- Entities and distances, nearest first; at most `count`.
function model.nearest(entries, alive, p, count, max, except, mask)
  local found, entities, distances = {}, {}, {}
  for order, n in ipairs(entries) do
    local d = square(n.x - p[1], n.y - p[2], n.z - p[3])
    if there(n, alive, except, mask) and (max == nil or d <= max * max) then
      found[#found + 1] = { d = d, order = order, e = n.e }
    end
  end
  table.sort(found, function(a, b) return a.d < b.d or a.d == b.d and a.order < b.order end)
  for i = 1, math.min(count, #found) do entities[i], distances[i] = found[i].e, math.sqrt(found[i].d) end
  return entities, distances
end

-- The fraction at which a circle of a radius around p, on its way to q, touches the circle of an entry; nil if it does
-- not.
function model.touch(n, p, q, radius)
  local r = n.r + radius
  local tx, ty, tz = n.x - p[1], n.y - p[2], n.z - p[3]
  local sx, sy, sz = q[1] - p[1], q[2] - p[2], q[3] - p[3]
  if tx * tx + ty * ty + tz * tz <= r * r then return 0 end
  local length = math.sqrt(sx * sx + sy * sy + sz * sz)
  if length == 0 then return nil end
  local ux, uy, uz = sx / length, sy / length, sz / length
  local ahead = tx * ux + ty * uy + tz * uz
  local nx, ny, nz = tx - ahead * ux, ty - ahead * uy, tz - ahead * uz
  local left = r * r - (nx * nx + ny * ny + nz * nz)
  if not (ahead > 0 and left >= 0) then return nil end
  local fraction = math.max(0, (ahead - math.sqrt(left)) / length)
  if fraction <= 1 then return fraction end
  return square(tx - sx, ty - sy, tz - sz) <= r * r and 1 or nil
end

function model.ray(entries, alive, p, q, radius, except, mask)
  local best, found = math.huge, nil
  for _, n in ipairs(entries) do
    local fraction = there(n, alive, except, mask) and model.touch(n, p, q, radius)
    if fraction and fraction < best then best, found = fraction, n end
  end
  return found, best
end

function model.pairs(entries, alive, reach, others)
  local found = {}
  for i, a in ipairs(entries) do
    for j = others and 1 or i + 1, #(others or entries) do
      local b = (others or entries)[j]
      local r = a.r + b.r + reach
      if a.e ~= b.e and there(a, alive) and there(b, alive) and square(b.x - a.x, b.y - a.y, b.z - a.z) <= r * r then
        found[#found + 1] = a.e
        found[#found + 1] = b.e
      end
    end
  end
  return found
end

return model
