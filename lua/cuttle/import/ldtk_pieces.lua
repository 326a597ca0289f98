--- Decoder of LDtk documents whose layers have long lists of tiles: the lists stay text, and are decoded in pieces
-- during iteration. A million tiles as tables take 600 MB.
-- Does not depend on the contents of tiles.
--
-- Each list is found by its key and replaced in the text by a string; then the rest of the text is decoded. A wrong
-- match is impossible: each piece of the list must be JSON by itself, the rest must be JSON, and the string must be
-- decoded as the value of a layer's tile list. Then the whole text is JSON as well, and the list ends where it was
-- assumed to end. In every other case, for example broken text, the caller decodes the whole text.
-- @module cuttle.import.ldtk_pieces

local lazy = require "cuttle.compiler.lazy"

local byte, find, match, sub = string.byte, string.find, string.match, string.sub

local pieces = {}

local KEYS = { "gridTiles", "autoLayerTiles" }

-- The text that replaces a list, followed by its number.
local MARK = "cuttle: a list of tiles "

-- Size of a piece in bytes, without its last tile, and the smallest size of a list that is replaced.
pieces.bytes, pieces.least = 2 ^ 15, 2 ^ 13

-- Replacing lists --------------------------------------------------------------------------------------------------

-- Finds the pieces of the list that opens at a position, and the position after it. Returns nil if the list is short or
-- does not consist of objects. The second result then is a position before which no list ends, if it is known.
local function list_at(text, opening)
  local list, from = { begins = {}, ends = {} }, opening + 1
  while true do
    local window = sub(text, from, from + pieces.bytes - 1)
    local last = find(window, "}%s*%]")
    local comma = not last and match(window, "^.*}()%s*,")
    if not last and not comma then return nil, from + pieces.bytes end
    local count = #list.begins + 1
    list.begins[count], list.ends[count] = from, from + (last or comma - 1) - 1
    if last then
      list.after = find(text, "]", from + last, true) + 1
      return list.after - opening >= pieces.least and list or nil
    end
    from = find(text, ",", from + comma - 1, true) + 1
  end
end

-- Returns the next list of a key from a position; its `first` is its position. Returns nil after the last.
local function next_list(text, key, from)
  local quoted, none_before = '"' .. key .. '"', 1
  while true do
    local position, stop = find(text, quoted, from, true)
    if not position then return nil end
    from = stop + 1
    local opening = match(text, "^%s*:%s*()%[%s*{", from)
    if opening and opening >= none_before and byte(text, position - 1) ~= 92 then
      local list, none = list_at(text, opening)
      if list then
        list.first = opening
        return list
      end
      none_before = none or none_before
    end
  end
end

-- Returns the text with its long lists replaced, and the lists in order.
local function cut(text)
  local parts, lists, from, ahead = {}, {}, 1, {}
  for index, key in ipairs(KEYS) do ahead[index] = next_list(text, key, 1) or false end
  while true do
    local nearest
    for index, list in ipairs(ahead) do
      if list and list.first < from then
        list = next_list(text, KEYS[index], from) or false
        ahead[index] = list
      end
      if list and (not nearest or list.first < nearest.first) then nearest = list end
    end
    if not nearest then break end
    lists[#lists + 1] = nearest
    parts[#parts + 1] = sub(text, from, nearest.first - 1) .. '"' .. MARK .. #lists .. '"'
    from = nearest.after
  end
  parts[#parts + 1] = sub(text, from)
  return table.concat(parts), lists
end

-- Decoding ---------------------------------------------------------------------------------------------------------

local function decode_piece(text, list, piece, decode)
  return decode("[" .. sub(text, list.begins[piece], list.ends[piece]) .. "]")
end

-- Returns whether all pieces can be decoded. Records the index of the last tile of each piece.
local function check(text, list, decode)
  local count = 0
  list.lasts = {}
  for piece = 1, #list.begins do
    local tiles = decode_piece(text, list, piece, decode)
    if not tiles then return false end
    count = count + #tiles
    list.lasts[piece] = count
  end
  return true
end

-- Returns the piece that contains a tile. Usually it is the same piece as before, or the next one.
local function piece_of(list, index, piece)
  local lasts = list.lasts
  if index <= (lasts[piece - 1] or 0) then piece = 1 end
  while lasts[piece] < index do piece = piece + 1 end
  return piece
end

-- Makes the lazy list of a list. One piece of all lists stays decoded, in `shown`.
local function lazy_list(text, list, decode, shown)
  local first, last, piece = 0, -1, 1
  local count = list.lasts[#list.lasts]
  return lazy.list(function(index)
    if shown.list ~= list or index < first or index > last then
      if index < 1 or index > count then return nil end
      piece = piece_of(list, index, piece)
      shown.list, shown.tiles = list, decode_piece(text, list, piece, decode)
      first, last = (list.lasts[piece - 1] or 0) + 1, list.lasts[piece]
    end
    return shown.tiles[index - first + 1]
  end, function() return count end)
end

local function items(holder, key)
  local list = type(holder) == "table" and holder[key]
  return type(list) == "table" and list or {}
end

--- Calls visit(level) for each level in the places where the importer expects levels.
function pieces.each_level(document, visit)
  local function in_levels(holder)
    for _, level in ipairs(items(holder, "levels")) do
      if type(level) == "table" then visit(level) end
    end
  end
  in_levels(document)
  for _, world in ipairs(items(document, "worlds")) do in_levels(world) end
end

-- Calls visit(layer) for each layer of all levels, and of a separate level file.
local function each_layer(document, visit)
  local function in_level(level)
    for _, layer in ipairs(items(level, "layerInstances")) do
      if type(layer) == "table" then visit(layer) end
    end
  end
  in_level(document)
  pieces.each_level(document, in_level)
end

--- Decodes a document. Long lists of tiles in its layers become lazy lists.
-- @tparam string text
-- @tparam function decode function(text) -> value, or nil if a text is not JSON or has a duplicate key
-- @treturn table the document; nil if the caller must decode the whole text
function pieces.decode(text, decode)
  if find(text, MARK, 1, true) then return nil end
  local rest, lists = cut(text)
  if #lists == 0 then return nil end
  local document = decode(rest)
  if not document then return nil end
  local waiting, shown, count = {}, {}, 0
  for number, list in ipairs(lists) do
    if not check(text, list, decode) then return nil end
    waiting[MARK .. number] = list
  end
  each_layer(document, function(layer)
    for _, key in ipairs(KEYS) do
      local list = waiting[layer[key]]
      if list then layer[key], count = lazy_list(text, list, decode, shown), count + 1 end
    end
  end)
  return count == #lists and document or nil
end

return pieces
