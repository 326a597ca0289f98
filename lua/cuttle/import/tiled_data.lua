--- Decoder of the cells of Tiled's tile layers: arrays, base64, and compressed base64.
-- Does not depend on tilesets and the meaning of global tile ids.
-- @module cuttle.import.tiled_data

local base64 = require "cuttle.import.base64"
local failure = require "cuttle.failure"
local inflate = require "cuttle.import.inflate"
local json = require "cuttle.json"
local tilesets = require "cuttle.import.tiled_tilesets"

local byte, floor, sub = string.byte, math.floor, string.sub

local data = {}

-- Checks the base64 text at `holder[key]`. Returns it without blanks, and its decoded size.
local function check_base64(cursor, holder, key)
  local text, length = base64.check(cursor:need(holder, key, "string"))
  if not text then cursor:fail(key, "%s", length) end
  return text, length
end

-- Decompression ----------------------------------------------------------------------------------------------------
--
-- Each inflater is function(bytes, kind, limit) -> bytes, and raises or returns nil for bad data. None decompresses
-- much more than `limit` bytes, the size of the layer.

-- lua-zlib detects zlib and gzip by itself. It decompresses in pieces, so the size can be checked.
local function over_lua_zlib(library)
  return function(bytes, _, limit)
    local stream, parts, total = library.inflate(), {}, 0
    for from = 1, #bytes, 4096 do
      local part, ended = stream(sub(bytes, from, from + 4095))
      parts[#parts + 1], total = part, total + #part
      if total > limit then return nil, "more data than the layer has cells" end
      if ended then return table.concat(parts) end
    end
    return nil, "the data ends early"
  end
end

-- A zstd frame may decompress to any size, and contains that size.
local function over_lua_zstd(library)
  return function(bytes, _, limit)
    local size, trouble = library.getFrameContentSize(bytes)
    if not size then return nil, trouble or "the data does not contain its size" end
    if size > limit then return nil, "more data than the layer has cells" end
    return library.decompress(bytes)
  end
end

local function has(holder, name)
  return type(holder) == "table" and type(holder[name]) == "function"
end

-- lua-zlib is used if it is installed, because it is faster.
local function find_inflater()
  local found, library = pcall(require, "zlib")
  if found and has(library, "inflate") then
    local fine, stream = pcall(library.inflate)
    if fine and type(stream) == "function" then return over_lua_zlib(library) end
  end
  return inflate.unpack
end

local function find_zstd()
  local found, library = pcall(require, "zstd")
  return found and has(library, "decompress") and has(library, "getFrameContentSize") and over_lua_zstd(library)
end

-- Functions that find an inflater, by compression.
local FINDERS = { zlib = find_inflater, gzip = find_inflater, zstd = find_zstd }

local function inflater_for(import, cursor, key, kind)
  if import.options.inflate then return import.options.inflate end
  local known = import.inflaters
  if known[kind] == nil then known[kind] = FINDERS[kind]() or false end
  if not known[kind] then
    cursor:fail(key, "%s needs lua-zstd: install it, pass option inflate, or save the map with the tile layer format "
      .. "CSV", kind)
  end
  return known[kind]
end

-- No deflate stream decompresses to more than 1032 times its length.
local RATIO = { zlib = 1032, gzip = 1032, zstd = math.huge }

local function unpack(import, cursor, key, text, length, kind, wanted)
  if not RATIO[kind] then
    cursor:fail("compression", "unknown value %s%s", failure.show(kind), failure.hint(kind, { "zlib", "gzip", "zstd" }))
  elseif length * RATIO[kind] < wanted then
    cursor:fail(key, "%d bytes of %s cannot hold the %.14g bytes of the layer", length, kind, wanted)
  end
  local inflater = inflater_for(import, cursor, key, kind)
  local fine, bytes, trouble = pcall(inflater, base64.decode(text), kind, wanted)
  if not fine then bytes, trouble = nil, bytes end
  if type(bytes) ~= "string" then
    cursor:fail(key, "cannot inflate: %s", tostring(trouble or "not " .. kind .. " data"))
  end
  return bytes
end

-- Blocks -----------------------------------------------------------------------------------------------------------

local function read_bytes(import, cursor, holder, layer, wanted)
  local kind = layer.compression
  local text, length = check_base64(cursor, holder, "data")
  if kind == "" then
    if length ~= wanted then cursor:fail("data", "expected %.14g bytes, got %d", wanted, length) end
    return base64.decode(text)
  end
  local bytes = unpack(import, cursor, "data", text, length, kind, wanted)
  if #bytes ~= wanted then cursor:fail("data", "expected %.14g bytes, got %d", wanted, #bytes) end
  return bytes
end

-- Calls `visit` with a block and function(index) -> global tile id, with the cursor at the block's data.
local function read_block(import, cursor, holder, layer, block, visit)
  local cells = block.width * block.height
  cursor:count_in("width", "cells", cells)
  local gid_at
  if layer.encoding == "base64" then
    local bytes = read_bytes(import, cursor, holder, layer, cells * 4)
    gid_at = function(index)
      local a, b, c, d = byte(bytes, index * 4 - 3, index * 4)
      return a + b * 256 + c * 65536 + d * 16777216
    end
  else
    local list = cursor:need(holder, "data", "array")
    if #list ~= cells then
      cursor:fail("data", "expected %.14g cells (%.14g x %.14g), got %d", cells, block.width, block.height, #list)
    end
    gid_at = function(index)
      local gid = list[index]
      if type(gid) ~= "number" or gid < 0 or gid >= 4294967296 or gid ~= floor(gid) then
        cursor:fail(index, "expected 0 to 2^32 - 1, got %s", failure.show(gid))
      end
      return gid
    end
  end
  cursor:enter("data")
  visit(block, gid_at)
  cursor:leave()
end

local function corner(cursor, holder, x, y)
  return cursor:maybe(holder, x, "coordinate", 0), cursor:maybe(holder, y, "coordinate", 0)
end

--- Calls visit(block, gid_at) for the cells of a tile layer: once, or once for each chunk of an infinite map. `block`:
-- x, y (the cell of its upper left corner), width, height; gid_at(1 .. width * height) returns the ids row by row.
-- @tparam table import uses `options.inflate`
-- @tparam cursor cursor at the layer; at a block's data while `visit` runs
-- @tparam table holder the layer
-- @tparam function visit
function data.each(import, cursor, holder, visit)
  local layer = { encoding = tilesets.one_of(cursor, holder, "encoding", { base64 = true, csv = true }, "csv"),
    compression = cursor:maybe(holder, "compression", "string", "") }
  local x, y = corner(cursor, holder, "x", "y")
  if import.map.infinite and json.is_null(holder.chunks) and json.is_null(holder.data) then return end
  if not json.is_null(holder.chunks) then
    for _, chunk in cursor:each(holder, "chunks") do
      local left, top = cursor:need(chunk, "x", "integer"), cursor:need(chunk, "y", "integer")
      corner(cursor, chunk, "x", "y") -- within 2^31
      local block = { x = x + left, y = y + top, width = tilesets.whole(cursor, chunk, "width", 0),
        height = tilesets.whole(cursor, chunk, "height", 0) }
      read_block(import, cursor, chunk, layer, block, visit)
    end
    return
  end
  local left, top = corner(cursor, holder, "startx", "starty")
  local block = { x = x + left, y = y + top, width = tilesets.whole(cursor, holder, "width", 0),
    height = tilesets.whole(cursor, holder, "height", 0) }
  read_block(import, cursor, holder, layer, block, visit)
end

return data
