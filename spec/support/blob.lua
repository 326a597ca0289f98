-- A reader of compiled resources, byte by byte, from the description in resource-format, without the core.

local blob = {}

-- The 32-bit number at an offset.
function blob.u32(bytes, offset, big)
  local a, b, c, d = bytes:byte(offset + 1, offset + 4)
  if big then a, b, c, d = d, c, b, a end
  return a + b * 256 + c * 65536 + d * 16777216
end

-- The float at an offset, if it is a finite number.
function blob.f32(bytes, offset, big)
  local bits = blob.u32(bytes, offset, big)
  local sign = bits >= 2^31 and -1 or 1
  local exponent = math.floor(bits / 2^23) % 256
  local mantissa = bits % 2^23
  if exponent == 0 then return sign * mantissa * 2^-149 end
  return sign * (1 + mantissa / 2^23) * 2^(exponent - 127)
end

function blob.name(bytes, offset)
  return bytes:match("^[^%z]*", offset + 1)
end

-- The string at an offset of a string block that begins at `block`.
function blob.text(bytes, block, offset, big)
  local length = blob.u32(bytes, block + offset, big)
  assert(bytes:byte(block + offset + 5 + length) == 0, "no NUL behind the string")
  return bytes:sub(block + offset + 5, block + offset + 4 + length)
end

-- The bytes with some of them replaced.
function blob.put(bytes, offset, other)
  return bytes:sub(1, offset) .. other .. bytes:sub(offset + #other + 1)
end

-- The byte order of a resource.
function blob.is_big(bytes)
  return bytes:sub(1, 4) == "RLTC"
end

-- Replaces a 32-bit number in the resource's byte order.
function blob.put_u32(bytes, offset, value)
  local parts = {}
  for i = 1, 4 do
    parts[i] = string.char(value % 256)
    value = math.floor(value / 256)
  end
  local little = table.concat(parts)
  return blob.put(bytes, offset, blob.is_big(bytes) and little:reverse() or little)
end

-- x ~ y for 32-bit numbers, without a bit library.
local function xor(x, y)
  local result, bit = 0, 1
  while x > 0 or y > 0 do
    if x % 2 ~= y % 2 then result = result + bit end
    x, y, bit = math.floor(x / 2), math.floor(y / 2), bit * 2
  end
  return result
end

-- Tables for the CRC-32 of Ethernet and zip by bytes, since plain Lua has no bit operations: XOR[a * 256 + b], and the
-- effect of each shifted-out byte on the four others.
local XOR, STEP = {}, { {}, {}, {}, {} }
for a = 0, 255 do
  for b = 0, 255 do XOR[a * 256 + b] = xor(a, b) end
end
for byte = 0, 255 do
  local state = { byte, 0, 0, 0 } -- lowest first
  for _ = 1, 8 do
    local odd = state[1] % 2 == 1
    for i = 1, 4 do state[i] = math.floor(state[i] / 2) + ((state[i + 1] or 0) % 2) * 128 end
    for i, polynomial in ipairs { 0x20, 0x83, 0xB8, 0xED } do
      if odd then state[i] = XOR[state[i] * 256 + polynomial] end
    end
  end
  for i = 1, 4 do STEP[i][byte] = state[i] end
end

-- The CRC-32 of the bytes from a place on, by default 1.
function blob.crc32(bytes, first)
  local a, b, c, d = 255, 255, 255, 255
  local step1, step2, step3, step4 = STEP[1], STEP[2], STEP[3], STEP[4]
  for place = first or 1, #bytes do
    local i = XOR[a * 256 + bytes:byte(place)]
    a, b, c, d = XOR[step1[i] * 256 + b], XOR[step2[i] * 256 + c], XOR[step3[i] * 256 + d], step4[i]
  end
  return (255 - a) + (255 - b) * 256 + (255 - c) * 65536 + (255 - d) * 16777216
end

-- A damaged resource with a valid length and checksum, so that the checks after them are reached.
function blob.seal(bytes)
  bytes = blob.put_u32(bytes, 8, #bytes)
  return blob.put_u32(bytes, 12, blob.crc32(bytes, 17))
end

local function padded(offset) return math.ceil(offset / 16) * 16 end

-- All contents of a resource of either byte order: header fields, parents, sections with offsets of their parts.
function blob.read(bytes)
  local big = blob.is_big(bytes)
  local function u32(offset) return blob.u32(bytes, offset, big) end
  local result = { magic = bytes:sub(1, 4), version = u32(4), bytes = u32(8), checksum = u32(12),
    num_entities = u32(16), num_component_types = u32(20), names = u32(24), entity_names = u32(28), parents = {},
    sections = {} }
  for i = 1, result.num_entities do result.parents[i] = u32(28 + i * 4) end
  local at = 32 + result.num_entities * 4
  for i = 1, result.num_component_types do
    at = padded(at)
    local section = { at = at, identifier = u32(at), name = blob.name(bytes, u32(at + 4)), schema = u32(at + 8),
      num_instances = u32(at + 12), size = u32(at + 16), entity_index = {} }
    for k = 1, section.num_instances do section.entity_index[k] = u32(at + 16 + k * 4) end
    section.data = padded(at + 20 + section.num_instances * 4)
    at = section.data + section.size
    result.sections[i], result.sections[section.name] = section, section
  end
  result.sections_end = at
  return result
end

function blob.fnv1a(text)
  local hash = 0x811C9DC5
  for i = 1, #text do
    hash = xor(hash, text:byte(i))
    -- hash x 0x01000193 in two parts, so that no product exceeds the 53 bits of a number.
    hash = (hash * 0x193 + (hash % 256) * 2^24) % 2^32
  end
  return hash
end

return blob
