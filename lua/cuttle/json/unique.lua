--- Finds out whether the keys of a document's objects are unique: decoders let one of two win silently.
-- Knows nothing of decoding, nor of what the keys mean.
--
-- A check of the text takes several times as long as a decoder in C. So strings are counted: as many as the text has
-- are in what was decoded, as keys or as values, unless one of two keys was lost. Only then is the text checked.
-- @module cuttle.json.unique

local each = require "cuttle.each"
local json = require "cuttle.json"

local byte, find, gsub = string.byte, string.find, string.gsub

local unique = {}

-- Whether the quote at a position is escaped: by one backslash, but not by two.
local function is_escaped(text, position)
  local first = position
  while byte(text, first - 1) == 92 do first = first - 1 end
  return (position - first) % 2 == 1
end

local function count_in_text(text)
  local has_escaped = find(text, '\\"', 1, true) ~= nil
  local quotes, position = 0, find(text, '"', 1, true)
  while position do
    if not has_escaped or not is_escaped(text, position) then quotes = quotes + 1 end
    position = find(text, '"', position + 1, true)
  end
  return quotes / 2
end

local function count_in_value(value)
  local count, stack, depth = 0, { { value } }, 1
  while depth > 0 do
    local container = stack[depth]
    depth = depth - 1
    if #container > 0 then
      for place = 1, #container do
        local item = container[place]
        local kind = type(item)
        if kind == "string" then count = count + 1 end
        if kind == "table" then
          depth = depth + 1
          stack[depth] = item
        end
      end
    else
      for _, item in each, container do
        local kind = type(item)
        count = count + (kind == "string" and 2 or 1)
        if kind == "table" then
          depth = depth + 1
          stack[depth] = item
        end
      end
    end
  end
  return count
end

-- Whether a value is a list of objects with the same keys, and the text has no more strings than these: a quick check.
local function are_alike(text, list)
  local first = type(list) == "table" and list[1]
  if type(first) ~= "table" or first[1] ~= nil then return false end
  local keys, count = {}, 0
  for key in each, first do count, keys[count + 1] = count + 1, key end
  local _, quotes = gsub(text, '"', "")
  if quotes ~= 2 * count * #list then return false end
  for place = 1, #list do
    local item = list[place]
    if type(item) ~= "table" then return false end
    for number = 1, count do
      if item[keys[number]] == nil then return false end
    end
  end
  return true
end

--- Where a text has a key twice, nil if nowhere.
-- @tparam string text
-- @param value what this library decoded it to
-- @tparam[opt] function tell as for `json.check`
-- @treturn string such as `line 3 column 7: layers[2]: duplicate key "name"`
function unique.trouble(text, value, tell)
  if are_alike(text, value) or count_in_text(text) == count_in_value(value) then return nil end
  local fine, message = json.check(text, tell)
  return not fine and message:find("duplicate key", 1, true) and message or nil
end

return unique
