--- Check for duplicate keys in a decoded document. Decoders silently keep only one of two equal keys.
-- Does not depend on the decoder, nor on the meaning of keys.
--
-- Checking the text takes several times as long as decoding it in C. Therefore strings are counted first: if no key was
-- lost, the decoded document has as many strings (keys and values) as the text. Only otherwise is the text checked.

local each = require "cuttle.each"
local json = require "cuttle.json"

local byte, find, gsub = string.byte, string.find, string.gsub

local unique = {}

-- Returns whether a quote is escaped, that is whether it follows an odd number of backslashes.
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

-- Fast check for the common case of a list of objects that all have the same keys and no strings as values.
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

--- Returns the place of a duplicate key in a text, or nil.
-- @tparam string text
-- @param value the decoded document
-- @tparam[opt] function progress as for `json.check`
-- @treturn string for example `line 3 column 7: layers[2]: duplicate key "name"`
function unique.trouble(text, value, progress)
  if are_alike(text, value) or count_in_text(text) == count_in_value(value) then return nil end
  local fine, message = json.check(text, progress)
  return not fine and message:find("duplicate key", 1, true) and message or nil
end

return unique
