--- Decoder of LDtk projects of which only some levels are imported: the layers of all levels stay text, and those of
-- the chosen levels are decoded later. Layers are nearly all of a project's text.
-- Does not depend on the contents of layers.
--
-- The list of layers of each level is found by its key and replaced in the text by a string; then the rest of the text
-- is decoded. The end of a list is the bracket that matches its first one. A bracket in a string can make this wrong.
-- Then the rest of the text is not JSON, because it has an odd number of quotes or unmatched brackets, or the list
-- reaches into a later level and contains keys which each level has and no layer has. In these cases, and if a chosen
-- list is not JSON, the caller decodes the whole text. Lists of other levels are not checked.
-- @module cuttle.import.ldtk_outline

local pieces = require "cuttle.import.ldtk_pieces"

local byte, find, match, sub = string.byte, string.find, string.match, string.sub

local outline = {}

local KEY, NAME = '"layerInstances"', '"identifier"'

-- The text that replaces a list, followed by its number.
local MARK = "cuttle: layers "

-- Returns the text with its lists of layers replaced, and the texts of the lists. Returns nil if a list has no end or
-- contains a level.
local function cut(text)
  local parts, lists, from = {}, {}, 1
  local first, last = find(text, KEY, 1, true)
  while first do
    local opening = match(text, "^%s*:%s*()%[", last + 1)
    if opening and byte(text, first - 1) ~= 92 then
      local after = match(text, "^%b[]()", opening)
      local list = after and sub(text, opening, after - 1)
      if not list or find(list, NAME, 1, true) or find(list, KEY, 1, true) then return nil end
      lists[#lists + 1] = list
      parts[#parts + 1] = sub(text, from, opening - 1) .. '"' .. MARK .. #lists .. '"'
      from, last = after, after - 1
    end
    first, last = find(text, KEY, last + 1, true)
  end
  parts[#parts + 1] = sub(text, from)
  return table.concat(parts), lists
end

--- Decodes a project. The layers of its levels are strings until they are loaded.
-- @tparam string text
-- @tparam function decode function(text) -> value, or nil if a text is not JSON or has a duplicate key
-- @treturn table the document; nil if the caller must decode the whole text
-- @treturn function function(level): decodes the layers of a level of the document. Returns false if its list is not
-- JSON; then the caller must decode the whole text
function outline.decode(text, decode)
  if find(text, MARK, 1, true) then return nil end
  local rest, lists = cut(text)
  local document = rest and #lists > 0 and decode(rest)
  if not document then return nil end
  local waiting, count = {}, 0
  for number, list in ipairs(lists) do waiting[MARK .. number] = list end
  pieces.each_level(document, function(level)
    if waiting[level.layerInstances] then count = count + 1 end
  end)
  if count ~= #lists then return nil end
  return document, function(level)
    local list = waiting[level.layerInstances]
    if not list then return true end
    list = '{"layerInstances":' .. list .. "}"
    local decoded = pieces.decode(list, decode) or decode(list)
    if not decoded then return false end
    level.layerInstances = decoded.layerInstances
    return true
  end
end

return outline
