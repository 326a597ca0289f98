--- Reader of the binary glTF container (`.glb`): returns its JSON text and its binary data.
-- Does not depend on the contents of chunks.
--
-- A container is a header (magic, version, total length) and chunks (length, type, data), each a multiple of four
-- bytes; numbers are little-endian. The first chunk is the JSON, the second may be binary, others are skipped. Offsets
-- in messages count bytes from 0.
-- @module cuttle.import.gltf_binary

local failure = require "cuttle.failure"

local binary = {}

local MAGIC = "glTF"
local HEADER_BYTES, CHUNK_BYTES = 12, 8
local JSON_CHUNK, BINARY_CHUNK = "JSON", "BIN\0"

--- Returns whether the contents of a file are a container.
function binary.has_magic(bytes)
  return bytes:sub(1, 4) == MAGIC
end

--- Returns whether a string is a container and not a path. A path may begin with the magic, but has no control
-- characters, whereas the version consists of them.
function binary.is_container(text_or_path)
  local rest = text_or_path:sub(#MAGIC + 1, HEADER_BYTES)
  return binary.has_magic(text_or_path) and (rest == "" or rest:find("%c") ~= nil)
end

local function fail(name, offset, message, ...)
  failure.raise("%s: offset %s: %s", name, offset, string.format(message, ...))
end

local function number_at(bytes, offset)
  local a, b, c, d = bytes:byte(offset + 1, offset + 4)
  return a + b * 0x100 + c * 0x10000 + d * 0x1000000
end

local function check_header(name, bytes)
  if #bytes < HEADER_BYTES then
    fail(name, #bytes, "expected a header of %s bytes, the file ends after %s", HEADER_BYTES, #bytes)
  end
  local version, length = number_at(bytes, 4), number_at(bytes, 8)
  if version ~= 2 then
    fail(name, 4, "glTF %s.0 is %s than this importer supports (2.x): export it as glTF 2.0", version,
      version < 2 and "older" or "newer")
  end
  if length > #bytes then fail(name, 8, "the file is truncated: expected %s bytes, got %s", length, #bytes) end
  if length < #bytes then fail(name, 8, "expected a file of %s bytes, got %s", length, #bytes) end
end

-- Checks chunk number `place` at `offset`. Returns the offsets of the start and the end of its data.
local function chunk_at(name, bytes, offset, place)
  local left = #bytes - offset - CHUNK_BYTES
  if left < 0 then
    fail(name, offset, "expected the header of a chunk (%s bytes), %s are left", CHUNK_BYTES, left + CHUNK_BYTES)
  end
  local length, kind = number_at(bytes, offset), bytes:sub(offset + 5, offset + 8)
  if length > left then fail(name, offset, "a chunk of %s bytes, %s are left", length, left) end
  if length % 4 ~= 0 then fail(name, offset, "a chunk of %s bytes is not padded to a multiple of 4", length) end
  if (kind == JSON_CHUNK) ~= (place == 1) then
    fail(name, offset + 4, place == 1 and "expected the JSON chunk first, got %s" or "a second chunk of type %s",
      failure.show(kind))
  elseif kind == BINARY_CHUNK and place ~= 2 then
    fail(name, offset + 4, "the binary chunk must be the second, got it as chunk %s", place)
  end
  return offset + CHUNK_BYTES, offset + CHUNK_BYTES + length
end

--- Returns the JSON text of a container, and the bytes of its binary chunk (nil if it has none). Checks every length;
-- errors contain the offset.
-- @tparam string name of the file, for messages
-- @tparam string bytes
-- @treturn string
-- @treturn string
function binary.text(name, bytes)
  check_header(name, bytes)
  local offset, place, text, data = HEADER_BYTES, 0, nil, nil
  if #bytes == offset then fail(name, offset, "expected the JSON chunk, got the end of the file") end
  while offset < #bytes do
    place = place + 1
    local from, to = chunk_at(name, bytes, offset, place)
    if place == 1 then
      text = bytes:sub(from + 1, to)
    elseif bytes:sub(from - 3, from) == BINARY_CHUNK then
      data = bytes:sub(from + 1, to)
    end
    offset = to
  end
  if text:find("%z$") then
    fail(name, HEADER_BYTES + CHUNK_BYTES, "expected blanks as padding of the JSON chunk, got zero bytes")
  end
  return text, data
end

return binary
