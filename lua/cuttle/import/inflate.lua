--- Decompression of zlib and gzip data (RFC 1950 to 1952), up to a given size.
-- Does not depend on the meaning of the bytes.
-- @module cuttle.import.inflate

local compat = require "cuttle.compat"

local byte, char, find, floor, min, sub = string.byte, string.char, string.find, math.floor, math.min, string.sub
local unpack = compat.unpack

local inflate = {}

local TRUNCATED, DAMAGED, TOO_LARGE = "the data ends early", "the data is damaged", "more data than the layer has cells"

local POWERS = {}
for exponent = 0, 32 do POWERS[exponent] = 2 ^ exponent end

-- The farthest distance of a copy, the longest code in bits, and the number of bytes that are converted to a string at
-- once.
local WINDOW, LONGEST_CODE, AT_ONCE = 32768, 15, 4096

-- Lengths and distances of copies, by symbol: the base value, and the number of extra bits.
local LENGTHS, LENGTH_BITS, DISTANCES, DISTANCE_BITS = {}, {}, {}, {}

local function fill_copies()
  local length, distance = 3, 1
  for symbol = 257, 284 do
    local bits = symbol < 265 and 0 or floor((symbol - 261) / 4)
    LENGTHS[symbol], LENGTH_BITS[symbol], length = length, bits, length + POWERS[bits]
  end
  LENGTHS[285], LENGTH_BITS[285] = 258, 0
  for symbol = 0, 29 do
    local bits = symbol < 4 and 0 or floor(symbol / 2) - 1
    DISTANCES[symbol], DISTANCE_BITS[symbol], distance = distance, bits, distance + POWERS[bits]
  end
end
fill_copies()

-- The order of code length codes in the header of a block.
local ORDER = { 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15 }

local Stream = {}
Stream.__index = Stream

-- Input ------------------------------------------------------------------------------------------------------------

-- Returns the next bits as a number, least significant bit first.
function Stream:bits(count)
  local hold, held = self.hold, self.held
  while held < count do
    local more = byte(self.bytes, self.at)
    if not more then error(TRUNCATED, 0) end
    hold, held, self.at = hold + more * POWERS[held], held + 8, self.at + 1
  end
  local value = hold % POWERS[count]
  self.hold, self.held = (hold - value) / POWERS[count], held - count
  return value
end

-- Makes a canonical Huffman code: the number of symbols of each length, and the symbols in order. `lengths` counts from
-- 0.
local function new_code(lengths, from, count)
  local counts, offsets, symbols, left = {}, { 0 }, {}, 1
  for length = 0, LONGEST_CODE do counts[length] = 0 end
  for index = from, from + count - 1 do counts[lengths[index]] = counts[lengths[index]] + 1 end
  for length = 1, LONGEST_CODE do
    left, offsets[length + 1] = left * 2 - counts[length], offsets[length] + counts[length]
    if left < 0 then error(DAMAGED, 0) end
  end
  for index = from, from + count - 1 do
    local length = lengths[index]
    if length > 0 then
      symbols[offsets[length]], offsets[length] = index - from, offsets[length] + 1
    end
  end
  return { counts = counts, symbols = symbols }
end

-- Reads the next symbol of a code.
function Stream:symbol(code)
  local counts, value, first, index = code.counts, 0, 0, 0
  for length = 1, LONGEST_CODE do
    value = value * 2 + self:bits(1)
    local count = counts[length]
    if value - first < count then return code.symbols[index + value - first] end
    index, first = index + count, (first + count) * 2
  end
  error(DAMAGED, 0)
end

-- Output -----------------------------------------------------------------------------------------------------------

-- Converts the first `count` bytes of `out` to strings, and moves the others to the front.
function Stream:flush(count)
  local out, parts, total = self.out, self.parts, self.count
  for from = 1, count, AT_ONCE do
    parts[#parts + 1] = char(unpack(out, from, min(from + AT_ONCE - 1, count)))
  end
  for index = count + 1, total do out[index - count] = out[index] end
  self.count, self.flushed = total - count, self.flushed + count
end

function Stream:put(value)
  local count = self.count + 1
  if self.flushed + count > self.limit then error(TOO_LARGE, 0) end
  self.out[count], self.count = value, count
  if count == 2 * WINDOW then self:flush(WINDOW) end
end

-- Blocks -----------------------------------------------------------------------------------------------------------

local function stored(stream)
  stream.hold, stream.held = 0, 0
  local length, complement = stream:bits(16), stream:bits(16)
  if length + complement ~= 65535 then error(DAMAGED, 0) end
  for _ = 1, length do stream:put(stream:bits(8)) end
end

local function packed(stream, literals, distances)
  while true do
    local symbol = stream:symbol(literals)
    if symbol < 256 then
      stream:put(symbol)
    elseif symbol == 256 then
      return
    else
      if not LENGTHS[symbol] then error(DAMAGED, 0) end
      local length = LENGTHS[symbol] + stream:bits(LENGTH_BITS[symbol])
      local far = stream:symbol(distances)
      if not DISTANCES[far] then error(DAMAGED, 0) end
      local distance = DISTANCES[far] + stream:bits(DISTANCE_BITS[far])
      if distance > stream.count then error(DAMAGED, 0) end
      for _ = 1, length do stream:put(stream.out[stream.count + 1 - distance]) end
    end
  end
end

local function fixed_codes()
  local lengths = {}
  for symbol = 0, 287 do
    lengths[symbol] = symbol < 144 and 8 or symbol < 256 and 9 or symbol < 280 and 7 or 8
  end
  for symbol = 288, 317 do lengths[symbol] = 5 end
  return new_code(lengths, 0, 288), new_code(lengths, 288, 30)
end

local function read_codes(stream)
  local literals, distances, count = stream:bits(5) + 257, stream:bits(5) + 1, stream:bits(4) + 4
  local lengths, place = {}, 0
  for index = 0, 18 do lengths[index] = 0 end
  for index = 1, count do lengths[ORDER[index]] = stream:bits(3) end
  local code = new_code(lengths, 0, 19)
  lengths = {}
  while place < literals + distances do
    local symbol, length, times = stream:symbol(code), 0, 1
    if symbol < 16 then
      length = symbol
    elseif symbol == 16 then
      if place == 0 then error(DAMAGED, 0) end
      length, times = lengths[place - 1], 3 + stream:bits(2)
    else
      times = symbol == 17 and 3 + stream:bits(3) or 11 + stream:bits(7)
    end
    if place + times > literals + distances then error(DAMAGED, 0) end
    for _ = 1, times do lengths[place], place = length, place + 1 end
  end
  return new_code(lengths, 0, literals), new_code(lengths, literals, distances)
end

-- Decompresses the deflate stream at a position. Returns the bytes, and the position after the stream.
local function read_stream(bytes, at, limit)
  local stream = setmetatable({ bytes = bytes, at = at, hold = 0, held = 0, limit = limit, out = {}, count = 0,
    parts = {}, flushed = 0 }, Stream)
  repeat
    local is_last, kind = stream:bits(1) == 1, stream:bits(2)
    if kind == 3 then error(DAMAGED, 0) end
    if kind == 0 then stored(stream) elseif kind == 1 then packed(stream, fixed_codes()) else
      packed(stream, read_codes(stream))
    end
  until is_last
  stream:flush(stream.count)
  return table.concat(stream.parts), stream.at
end

-- Containers -------------------------------------------------------------------------------------------------------

local function adler32(bytes)
  local low, high = 1, 0
  for index = 1, #bytes do
    low = (low + byte(bytes, index)) % 65521
    high = (high + low) % 65521
  end
  return high * 65536 + low
end

-- Returns the start of the deflate stream of zlib data, or nil.
local function zlib_start(bytes)
  local method, flags = byte(bytes, 1, 2)
  local is_sound = flags and method % 16 == 8 and (method * 256 + flags) % 31 == 0 and floor(flags / 32) % 2 == 0
  return is_sound and 3 or nil
end

-- Returns the start of the deflate stream of gzip data, or nil.
local function gzip_start(bytes)
  local flags, from = byte(bytes, 4) or 0, 11
  if sub(bytes, 1, 3) ~= "\31\139\8" or flags > 31 then return nil end
  if floor(flags / 4) % 2 == 1 then from = from + 2 + (byte(bytes, 11) or 0) + (byte(bytes, 12) or 0) * 256 end
  for bit = 3, 4 do -- name and comment, each ends with a zero byte
    if floor(flags / 2 ^ bit) % 2 == 1 then from = (find(bytes, "%z", from) or #bytes) + 1 end
  end
  return floor(flags / 2) % 2 == 1 and from + 2 or from
end

--- Decompresses data of the kind "zlib" or "gzip" (with one member). Raises if the data is damaged, ends early, or has
-- more than `limit` bytes. Checks the checksum of zlib, and the size in gzip data.
-- @tparam string bytes
-- @tparam string kind
-- @tparam number limit
-- @treturn string
function inflate.unpack(bytes, kind, limit)
  local from = (kind == "zlib" and zlib_start or gzip_start)(bytes)
  if not from then error("not " .. kind .. " data", 0) end
  local text, after = read_stream(bytes, from, limit)
  if kind == "gzip" then after = after + 4 end
  local a, b, c, d = byte(bytes, after, after + 3)
  if not d then error(TRUNCATED, 0) end
  if kind == "gzip" then a, b, c, d = d, c, b, a end
  if ((a * 256 + b) * 256 + c) * 256 + d ~= (kind == "zlib" and adler32(text) or #text % 2 ^ 32) then
    error(DAMAGED, 0)
  end
  return text
end

return inflate
