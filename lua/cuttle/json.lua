--- JSON reader: selects a decoder, and reports syntax errors and duplicate keys with their place, at any nesting depth.
-- Does not depend on files, levels or entities.
--
-- A library (lua-cjson, dkjson, json) is used first, because it is faster. Text that it refuses is read again by the
-- reader below, which does not recurse: either it finds the error with line and column, or the text is only nested too
-- deep for the library. lua-cjson keeps its default limit of 1000 levels, because each level costs C stack and a
-- coroutine may have little of it.
--
-- Lines and columns count from 1, columns in UTF-8 characters. The writer is cuttle/json/encoder.lua.
-- @module cuttle.json

local compat = require "cuttle.compat"
local core = require "cuttle.core"
local each = require "cuttle.each"

local byte, char, find, gsub, sub = string.byte, string.char, string.find, string.gsub, string.sub
local floor = math.floor

local json = {}

--- The value of `null` in decoded documents, from the reader of this module and from libraries that support it. Use
-- `is_null` to test for it, because other decoders have other values.
json.null = core.new_userdata {
  __tostring = function() return "null" end,
  __name = "null", -- for the core's messages
  __metatable = false,
}

local null = json.null
local nulls = { [null] = true }

--- Returns whether a decoded value is null: nil, `json.null`, the null of lua-cjson (a light userdata with address 0),
-- of dkjson or of the selected `json` library.
function json.is_null(value)
  if value == nil or nulls[value] then return true end
  if type(value) ~= "userdata" then return false end
  local text = tostring(value)
  if text == "userdata: NULL" or text == "userdata: (nil)" or find(text, "^userdata: 0?x?0*$") then
    nulls[value] = true
    return true
  end
  return false
end

--- Returns the JSON name of a decoded value's type, for messages: null, boolean, number, string, array, object.
function json.type_name(value)
  if json.is_null(value) then return "null" end
  if type(value) ~= "table" then return type(value) end
  if #value == 0 and each(value) ~= nil then return "object" end
  return "array"
end

-- Reader ---------------------------------------------------------------------------------------------------------
--
-- There is one reader object for each document. `depth` is the number of open containers. For each depth, `opened` is
-- "[" or "{", `keys` the current key or index, `tables` the value under construction (nil in a check), `seen` a table
-- from key -> serial number of the last object with that key. All objects of one depth share one `seen` table, so that
-- a check creates no garbage per object.

-- Returns line and column. Continues from the last reported position, because positions only grow.
local function where(reader, position)
  local text, line, start = reader.text, reader.line, reader.line_start
  while true do
    local stop = find(text, "\n", start, true)
    if not stop or stop >= position then break end
    line, start = line + 1, stop + 1
  end
  reader.line, reader.line_start = line, start
  if line == 1 and find(text, "^\239\187\191") then start = 4 end
  local from, column = reader.reported, reader.column
  if from < start or from > position then from, column = start, 1 end
  column = column + #gsub(sub(text, from, position - 1), "[\128-\191]+", "")
  reader.reported, reader.column = position, column
  return line, column
end

-- Formats the current place, as in `entities[3].components`. The middle of a very long place is left out.
local function path_of(reader)
  local parts, deep = {}, reader.depth > 30
  for depth = 1, reader.depth do
    local key = reader.keys[depth]
    if deep and depth > 20 and depth <= reader.depth - 5 then
      if depth == 21 then parts[#parts + 1] = "..." end
    elseif type(key) == "number" then
      parts[#parts + 1] = "[" .. key .. "]"
    elseif key and find(key, "^[%a_][%w_]*$") then
      parts[#parts + 1] = (depth > 1 and "." or "") .. sub(key, 1, 60)
    elseif key then
      parts[#parts + 1] = string.format("[%q]", sub(key, 1, 60))
    end
  end
  return table.concat(parts)
end

local function trouble_at(reader, position, message)
  local line, column = where(reader, position)
  local path = path_of(reader)
  local place = path == "" and "" or path .. ": "
  return { line = line, column = column, path = path, position = position,
    message = string.format("line %d column %d: %s%s", line, column, place, message) }
end

-- Raises an error as a table, which `read` catches.
local function refuse(reader, position, message)
  error(trouble_at(reader, position, message), 0)
end

local function shown(text, position)
  local word = string.match(text, "^[%w_+%-.]+", position) or string.match(text, "^[%z\1-\127\194-\244][\128-\191]*",
    position)
  if not word then
    if position > #text then return "the end of the text" end
    word = sub(text, position, position)
  end
  return "'" .. gsub(sub(word, 1, 20), "[%c\127]", "?") .. "'"
end

local ESCAPES = { b = "\b", f = "\f", n = "\n", r = "\r", t = "\t", ['"'] = '"', ["\\"] = "\\", ["/"] = "/" }

local function utf8(code)
  if code < 0x80 then return char(code) end
  if code < 0x800 then return char(0xC0 + floor(code / 0x40), 0x80 + code % 0x40) end
  local low, middle = 0x80 + code % 0x40, 0x80 + floor(code / 0x40) % 0x40
  if code < 0x10000 then return char(0xE0 + floor(code / 0x1000), middle, low) end
  return char(0xF0 + floor(code / 0x40000), 0x80 + floor(code / 0x1000) % 0x40, middle, low)
end

-- Decodes the escape \uXXXX whose backslash is at `position`. Returns the character and the position after the escape.
local function unicode_escape(reader, position)
  local text = reader.text
  local digits = string.match(text, "^%x%x%x%x", position + 2)
  if not digits then refuse(reader, position, "expected four hexadecimal digits after \\u") end
  local code = tonumber(digits, 16)
  if code < 0xD800 or code > 0xDFFF then return utf8(code), position + 6 end
  local low = tonumber(string.match(text, "^\\u([dD][c-fC-F]%x%x)", position + 6) or "0", 16)
  if code > 0xDBFF or low == 0 then refuse(reader, position, "half of a surrogate pair") end
  return utf8(0x10000 + (code - 0xD800) * 0x400 + low - 0xDC00), position + 12
end

-- Returns the string whose opening quote is at `position`, and the position after it.
local function string_at(reader, position)
  local text, from = reader.text, position + 1
  local stop = find(text, '["\\%z\1-\31]', from)
  if stop and byte(text, stop) == 34 then return sub(text, from, stop - 1), stop + 1 end
  local parts = {}
  while stop and byte(text, stop) ~= 34 do
    if byte(text, stop) ~= 92 then refuse(reader, stop, "unescaped control character in a string") end
    parts[#parts + 1] = sub(text, from, stop - 1)
    local letter = sub(text, stop + 1, stop + 1)
    if letter == "u" then
      parts[#parts + 1], from = unicode_escape(reader, stop)
    elseif ESCAPES[letter] then
      parts[#parts + 1], from = ESCAPES[letter], stop + 2
    else
      refuse(reader, stop, "unknown escape " .. shown(text, stop + 1) .. " in a string")
    end
    stop = find(text, '["\\%z\1-\31]', from)
  end
  if not stop then refuse(reader, position, "string without a closing quote") end
  parts[#parts + 1] = sub(text, from, stop - 1)
  return table.concat(parts), stop + 1
end

local WORDS = { ["true"] = true, ["false"] = false, ["null"] = null }

-- Returns the number or word at `position`, and the position after it.
local function scalar_at(reader, position)
  local text = reader.text
  local _, stop = find(text, "^-?%d+%.?%d*[eE]?[+-]?%d*", position)
  if stop then
    local digits = sub(text, position, stop)
    local fine = not find(digits, "^-?0%d") and not find(digits, "%.[^%d]") and not find(digits, "[^%d]$")
      and not find(digits, "%d[+-]") and not find(text, "^[%w_.+-]", stop + 1)
    if not fine then refuse(reader, position, "malformed number " .. shown(text, position)) end
    return tonumber(digits), stop + 1
  end
  local word = string.match(text, "^%a+", position)
  local value = WORDS[word or ""]
  if value == nil then refuse(reader, position, "expected a value, got " .. shown(text, position)) end
  return value, position + #word
end

-- Reads `"key" :` in the current object. Returns the position of the value.
local function key_at(reader, position)
  local text, depth = reader.text, reader.depth
  if byte(text, position) ~= 34 then
    reader.keys[depth] = false
    refuse(reader, position, "expected a key in double quotes, got " .. shown(text, position))
  end
  local key, after = string_at(reader, position)
  local seen, serial = reader.seen[depth], reader.serials[depth]
  reader.keys[depth] = key
  if seen[key] == serial and not reader.lenient then
    local trouble = trouble_at(reader, position, string.format("duplicate key %q", sub(key, 1, 60)))
    if not reader.places then error(trouble, 0) end
    reader.duplicates[#reader.duplicates + 1] = trouble
  end
  seen[key] = serial
  local colon = find(text, "[^ \t\r\n]", after)
  if not colon or byte(text, colon) ~= 58 then
    refuse(reader, colon or #text + 1, "expected ':' after a key, got " .. shown(text, colon or #text + 1))
  end
  return colon + 1
end

local function put(reader, value, position)
  local depth = reader.depth
  if depth == 0 then
    reader.result = value
  elseif reader.tables then
    local container, key = reader.tables[depth], reader.keys[depth]
    if reader.places then
      if container[key] ~= nil then return table.insert(reader.hidden, value) end
      reader.places[container][key] = position
    end
    container[key] = value
  end
end

local function open(reader, opening, position)
  local value = reader.tables and {}
  if reader.places then reader.places[value] = {} end
  put(reader, value, position)
  local depth = reader.depth + 1
  reader.depth = depth
  reader.opened[depth], reader.keys[depth] = opening, opening == 91 and 1 or false
  if value then reader.tables[depth] = value end
  if opening == 123 then
    reader.serial = reader.serial + 1
    reader.serials[depth] = reader.serial
    reader.seen[depth] = reader.seen[depth] or {}
  end
end

-- Closes containers and skips the comma after a value. Returns the position of the next value, or nil at the end.
local function next_value(reader, position)
  local text = reader.text
  while reader.depth > 0 do
    local at = find(text, "[^ \t\r\n]", position) or #text + 1
    local mark, depth = byte(text, at), reader.depth
    local opening = reader.opened[depth]
    if mark == 44 then
      if opening == 123 then return key_at(reader, find(text, "[^ \t\r\n]", at + 1) or #text + 1) end
      reader.keys[depth] = reader.keys[depth] + 1
      return at + 1
    elseif mark ~= opening + 2 then -- "]" is "[" + 2, "}" is "{" + 2
      refuse(reader, at, "expected ',' or '" .. char(opening + 2) .. "', got " .. shown(text, at))
    end
    reader.depth = depth - 1
    position = at + 1
  end
  local rest = find(text, "[^ \t\r\n]", position)
  if rest then refuse(reader, rest, "expected the end of the text, got " .. shown(text, rest)) end
  return nil
end

-- Number of bytes between two calls of the progress function.
local STEP = 2 ^ 16

local function read_document(reader)
  local text = reader.text
  local position = find(text, "^\239\187\191") and 4 or 1
  local due = reader.progress and STEP or math.huge
  while position do
    if position > due then
      due = position + STEP
      reader.progress(position, #text)
    end
    local at = find(text, "[^ \t\r\n]", position) or #text + 1
    local first = byte(text, at)
    if first == 123 or first == 91 then
      open(reader, first, at)
      local inner = find(text, "[^ \t\r\n]", at + 1) or #text + 1
      if byte(text, inner) == first + 2 then
        position = next_value(reader, inner)
      else
        position = first == 123 and key_at(reader, inner) or inner
      end
    else
      local value
      value, position = (first == 34 and string_at or scalar_at)(reader, at)
      put(reader, value, at)
      position = next_value(reader, position)
    end
  end
end

local function read(text, build, lenient, progress, places)
  local reader = { progress = progress, text = text, depth = 0, opened = {}, keys = {}, seen = {}, serial = 0,
    serials = {}, tables = build and {} or nil, lenient = lenient, places = places, hidden = {}, duplicates = {},
    line = 1, line_start = 1, reported = 0, column = 1 }
  local ok, trouble = pcall(read_document, reader)
  if ok then return true, reader.result, reader end
  if type(trouble) ~= "table" or not trouble.message then error(trouble, 0) end
  return false, trouble
end

--- Checks that `text` is one JSON document without duplicate keys (compared after unescaping). Takes linear time and
-- builds no values.
-- @tparam string text
-- @tparam[opt] function progress function(position, bytes), called every 65,536 bytes
-- @treturn[1] boolean true
-- @treturn[2] nil
-- @treturn[2] string for example `line 3 column 7: entities[2].components.mesh: duplicate key "mesh"`
-- @treturn[2] number line
-- @treturn[2] number column
-- @treturn[2] string path, `entities[2].components.mesh`; empty at the root
function json.check(text, progress)
  local ok, trouble = read(text, false, false, progress)
  if ok then return true end
  return nil, trouble.message, trouble.line, trouble.column, trouble.path
end

--- Removes quoted text from a message of `check` or of a decoder.
function json.without_quotes(message)
  return (string.match(message, "^line %d+ column %d+: ") or "")
    .. (find(message, "duplicate key", 1, true) and "an object has a duplicate key" or "this is not JSON")
end

--- Decodes `text` with the reader of this module: any depth, `json.null` for null, the last duplicate of a key is used.
-- `progress` as for `check`.
-- @treturn[1] value
-- @treturn[2] nil
-- @treturn[2] string the error message, with line and column
function json.decode(text, progress)
  local ok, result = read(text, true, true, progress)
  if ok then return result end
  return nil, result.message
end

--- Decodes `text` as `decode` does, and fills `places`: table -> key -> position of the value in bytes. The first
-- duplicate of a key is used.
-- @treturn[1] value
-- @treturn[1] table `hidden`: the values of further duplicates; `duplicates`: their `position` and `message`
-- @treturn[2] nil if the text is not JSON
function json.locate(text, places)
  local ok, result, reader = read(text, true, false, nil, places)
  if ok then return result, reader end
end

-- Libraries ------------------------------------------------------------------------------------------------------
--
-- Each is converted to function(text) -> true, value, or false. The reader above reads refused text again.

-- One instance for each library. A new instance inside a finalizer of a closing Lua state would crash: LuaJIT finalizes
-- it after it has unloaded the library.
local instances = {}

local function over_cjson(library)
  local own = instances[library]
  if not own then
    own = type(library.new) == "function" and library.new() or library
    if own ~= library and own.decode_invalid_numbers then own.decode_invalid_numbers(false) end
    instances[library] = own
  end
  return function(text)
    local ok, value = pcall(own.decode, text)
    return ok, compat.integers(value)
  end
end

local function over_dkjson(library)
  if library.null ~= nil then nulls[library.null] = true end
  return function(text)
    local ok, value, position, message = pcall(library.decode, text, 1, null, nil, nil)
    if not ok or message or (type(position) == "number" and find(text, "[^ \t\r\n]", position)) then return false end
    return true, value
  end
end

local function over_json(library)
  local util = type(library.util) == "table" and library.util or {}
  local library_null = library.null or util.null
  if library_null ~= nil and type(library_null) ~= "boolean" then nulls[library_null] = true end
  return function(text)
    local ok, value = pcall(library.decode, text)
    return ok and value ~= nil, value
  end
end

local LIBRARIES = { { "cjson", over_cjson }, { "dkjson", over_dkjson }, { "json", over_json } }

local function library_decode()
  for _, entry in ipairs(LIBRARIES) do
    local ok, library = pcall(require, entry[1])
    if ok and type(library) == "table" and type(library.decode) == "function" then return entry[2](library) end
  end
  return function() return false end
end

-- Decoder of a script. It may raise an error, or return nil and a message as any of its further results.
local function over_function(decode)
  return function(text)
    local results = { pcall(decode, text) }
    if results[1] and results[2] ~= nil then return results[2] end
    for index = 2, 4 do
      if type(results[index]) == "string" then return nil, results[index] end
    end
    local fine, message = json.check(text)
    return nil, not fine and message or "the decoder of option json returned no value"
  end
end

--- Selects a decoder: `decode` if given, else lua-cjson (with its own instance and settings), else dkjson, else `json`,
-- else the reader of this module.
-- @tparam[opt] function decode function(text) -> value
-- @treturn function function(text, progress) -> value, or nil and a message with line and column; only the reader of
-- this module calls `progress`
function json.decoder(decode)
  if decode ~= nil then return over_function(decode) end
  local try = library_decode()
  return function(text, progress)
    if find(text, "^\239\187\191") then text = sub(text, 4) end
    local ok, value = try(text)
    if ok then return value end
    return json.decode(text, progress)
  end
end

-- Writer ---------------------------------------------------------------------------------------------------------

--- Encodes a value as JSON; see `encode` of cuttle/json/encoder.lua.
function json.encode(value, options)
  return require("cuttle.json.encoder").encode(value, options)
end

return json
