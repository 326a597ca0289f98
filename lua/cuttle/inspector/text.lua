--- JSON encoding that is safe in replies and inside an HTML page.
-- Does not depend on the fields of entities, nor on the reader.
--
-- Strings come from scripts and may contain any bytes. Bytes that are not UTF-8 become U+FFFD, and `<`, `>` and `&` are
-- escaped, so that no value can end the script element that contains it. Numbers that JSON cannot represent become
-- strings: "nan", "inf", "-inf".

local core = require "cuttle.core"
local each = require "cuttle.each"

local byte, concat, find, format, gsub, sub = string.byte, table.concat, string.find, string.format, string.gsub,
  string.sub

local text = {}

local REPLACEMENT = "\239\191\189"

-- Returns the pattern of a UTF-8 sequence with this first byte. Excludes overlong forms, surrogates, and code points
-- above U+10FFFF.
local function sequence_pattern(first)
  if first >= 0xC2 and first <= 0xDF then return "^.[\128-\191]" end
  if first == 0xE0 then return "^.[\160-\191][\128-\191]" end
  if first == 0xED then return "^.[\128-\159][\128-\191]" end
  if first >= 0xE1 and first <= 0xEF then return "^.[\128-\191][\128-\191]" end
  if first == 0xF0 then return "^.[\144-\191][\128-\191][\128-\191]" end
  if first == 0xF4 then return "^.[\128-\143][\128-\191][\128-\191]" end
  if first >= 0xF1 and first <= 0xF3 then return "^.[\128-\191][\128-\191][\128-\191]" end
  return nil
end

--- Replaces each byte that is not part of valid UTF-8 by U+FFFD.
function text.utf8(value)
  local at = find(value, "[\128-\255]")
  if not at then return value end
  local parts, from = {}, 1
  while at do
    local pattern = sequence_pattern(byte(value, at))
    local _, stop = nil, nil
    if pattern then _, stop = find(value, pattern, at) end
    if not stop then
      parts[#parts + 1] = sub(value, from, at - 1) .. REPLACEMENT
      from, stop = at + 1, at
    end
    at = find(value, "[\128-\255]", stop + 1)
  end
  parts[#parts + 1] = sub(value, from)
  return concat(parts)
end

local function escape(character) return format("\\u%04x", byte(character)) end

--- Encodes a string.
function text.string(value)
  if find(value, '[%c"\\<>&\128-\255]') then value = gsub(text.utf8(value), '[%z\1-\31\127"\\<>&]', escape) end
  return '"' .. value .. '"'
end

local FORMATS = { [7] = "%.7g", [9] = "%.9g", [17] = "%.17g" }

--- Encodes a number. `digits` (7, 9 or 17, by default 17) applies to numbers that are not whole.
function text.number(value, digits)
  if value ~= value then return '"nan"' end
  if value == math.huge then return '"inf"' end
  if value == -math.huge then return '"-inf"' end
  if value % 1 == 0 and value > -2 ^ 53 and value < 2 ^ 53 then
    return value == 0 and 1 / value < 0 and "-0" or format("%.0f", value)
  end
  return (gsub(format(FORMATS[digits or 17], value), ",", ".")) -- some locales write a comma
end

--- Encodes a scalar: a string, number or boolean, an entity as its id; any other value as null.
function text.scalar(value)
  local kind = type(value)
  if kind == "number" then return text.number(value) end
  if kind == "string" then return text.string(value) end
  if kind == "boolean" then return tostring(value) end
  if core.is_entity(value) then return text.number(core.entity_id(value)) end
  return "null"
end

--- Encodes a small tree of tables. Tables with the keys 1 to n become arrays, others objects. `text.array` marks an
-- empty array, `text.raw` marks a string that is already JSON.
function text.value(value)
  if type(value) ~= "table" then return text.scalar(value) end
  if value[text] then return value.json end
  local parts = {}
  if #value > 0 or getmetatable(value) == text then
    for place = 1, #value do parts[place] = text.value(value[place]) end
    return "[" .. concat(parts, ",") .. "]"
  end
  for key, inner in each, value do parts[#parts + 1] = text.string(key) .. ":" .. text.value(inner) end
  table.sort(parts)
  return "{" .. concat(parts, ",") .. "}"
end

--- Marks a table as an array, even if it is empty.
function text.array(value) return setmetatable(value, text) end

--- Marks a string that is already JSON.
function text.raw(json) return { [text] = true, json = json } end

-- Limits for displayed values: characters, and depth of tables.
local LONGEST, DEEPEST = 400, 4

local add_shown

local function add_table(parts, value, depth, left)
  parts[#parts + 1] = "{"
  for key, inner in each, value do
    if left <= 0 then break end
    local name = type(key) == "string" and sub(key, 1, left) or "[" .. text.plain(key) .. "]"
    parts[#parts + 1] = " " .. name .. " = "
    left = add_shown(parts, inner, depth + 1, left - #name - 4)
    parts[#parts + 1] = ","
  end
  parts[#parts + 1] = " }"
  return left
end

-- Appends a displayed value. Returns the number of characters left.
function add_shown(parts, value, depth, left)
  if type(value) == "table" and depth < DEEPEST then return add_table(parts, value, depth, left - 1) end
  local piece = type(value) == "table" and "{...}" or text.plain(value)
  parts[#parts + 1] = sub(piece, 1, math.max(left, 0))
  return left - #piece
end

--- Formats a scalar for display. Of other values only the type is shown, because they may have a `__tostring`.
function text.plain(value)
  local kind = type(value)
  if kind == "string" then return format("%q", sub(value, 1, LONGEST)) end
  if kind == "number" or kind == "boolean" or kind == "nil" then return tostring(value) end
  return core.is_entity(value) and core.entity_tostring(value) or kind
end

--- Formats any Lua value for display, cut off after about LONGEST characters. Calls no metamethods.
function text.shown(value)
  local parts = {}
  local left = add_shown(parts, value, 0, LONGEST)
  return concat(parts) .. (left <= 0 and " ..." or "")
end

return text
