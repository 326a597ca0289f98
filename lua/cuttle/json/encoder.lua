--- JSON writer. Equal values give equal text, regardless of the order in which their tables were filled.
-- Does not depend on the reader, nor on the meaning of values.
--
-- Keys are sorted, so that files can be compared and kept in version control. The writer does not recurse, so depth is
-- limited only by the value. Numbers have as many digits as needed to read them back exactly.
-- @module cuttle.json.encoder

local each = require "cuttle.each"
local json = require "cuttle.json"
local lazy = require "cuttle.compiler.lazy"

local is_null = json.is_null
local concat, find, format, gsub, rep, sort = table.concat, string.find, string.format, string.gsub, string.rep,
  table.sort

local encoder = {}

-- Deeper containers are not indented further; otherwise the size of a text would grow with the square of its depth.
local DEEPEST_INDENT = 40

-- Scalars ----------------------------------------------------------------------------------------------------------

local ESCAPES = { ['"'] = '\\"', ["\\"] = "\\\\", ["\b"] = "\\b", ["\f"] = "\\f", ["\n"] = "\\n", ["\r"] = "\\r",
  ["\t"] = "\\t" }

local function escape(character)
  return ESCAPES[character] or format("\\u%04x", character:byte())
end

local function string_text(value)
  if find(value, '[%c"\\]') then value = gsub(value, '[%c"\\]', escape) end
  return '"' .. value .. '"'
end

-- Formats a finite number.
local function number_text(value)
  if value == 0 then return 1 / value < 0 and "-0" or "0" end
  if value % 1 == 0 and value > -2 ^ 53 and value < 2 ^ 53 then return format("%.0f", value) end
  local text
  for digits = 14, 17 do
    text = format("%." .. digits .. "g", value)
    if tonumber(text) == value then break end
  end
  return (gsub(text, ",", ".")) -- some locales write a comma
end

-- Returns the text of a scalar, or nil and the kind of a value that JSON cannot represent.
local function scalar_text(value)
  if is_null(value) then return "null" end
  local kind = type(value)
  if kind == "string" then return string_text(value) end
  if kind == "boolean" then return tostring(value) end
  if kind ~= "number" then return nil, kind end
  if value ~= value then return nil, "NaN" end
  if value - value ~= 0 then return nil, "infinite number" end
  return number_text(value)
end

-- Containers -------------------------------------------------------------------------------------------------------
--
-- `stack` holds the open containers, the innermost last: `value`, its `key` in its parent, `cursor` and `count` of its
-- items, the sorted `keys` of an object, and `flat` for an array that is written in one line.

-- Formats a place, `entities[1].components`. The middle of a very long place is left out.
local function place_of(work, key)
  local parts, depth = {}, #work.stack
  for level = 1, depth + 1 do
    local part = key
    if level <= depth then part = work.stack[level].key end
    if depth > 30 and level > 20 and level <= depth - 5 then
      if level == 21 then parts[#parts + 1] = "..." end
    elseif part ~= nil then
      parts[#parts + 1] = type(part) == "number" and "[" .. part .. "]" or (#parts > 0 and "." or "") .. part
    end
  end
  return concat(parts)
end

local Failure = {}

local function fail(work, key, message, ...)
  local place = place_of(work, key)
  error(setmetatable({ message = (place ~= "" and place .. ": " or "") .. format(message, ...) }, Failure), 0)
end

-- An empty table is an array or an object according to __jsontype in its metatable, which dkjson sets.
local function is_array(work, value, key)
  if #value > 0 or lazy.is(value) then return true end
  if each(value) ~= nil then return false end
  local metatable = getmetatable(value)
  local json_type = type(metatable) == "table" and rawget(metatable, "__jsontype")
  return json_type == "array" or (not json_type and work.arrays[key] == true)
end

-- Checks that an array has only the keys 1 to n. Returns whether it contains no tables, so that it is written in one
-- line.
local function check_array(work, value, key)
  if lazy.is(value) then return false end
  local count, flat = 0, true
  for place, item in each, value do
    if type(place) ~= "number" then fail(work, key, "expected an array or an object, got a table that is both") end
    if type(item) == "table" then flat = false end
    count = count + 1
  end
  if count ~= #value then fail(work, key, "the array has gaps") end
  return flat
end

local function sorted_keys(work, value, key)
  local keys, first = {}, work.first
  for inner in each, value do
    if type(inner) == "number" then fail(work, key, "the array has gaps") end
    if type(inner) ~= "string" then fail(work, key, "expected strings as keys of an object, got a %s", type(inner)) end
    keys[#keys + 1] = inner
  end
  sort(keys, function(a, b)
    local rank, other = first[a] or math.huge, first[b] or math.huge
    if rank ~= other then return rank < other end
    return a < b
  end)
  return keys
end

local function open(work, value, key)
  if work.open[value] then fail(work, key, "the table contains itself") end
  local frame = { value = value, key = key, cursor = 0, count = lazy.length(value) }
  if is_array(work, value, key) then
    frame.flat = check_array(work, value, key)
  else
    frame.keys = sorted_keys(work, value, key)
    frame.count = #frame.keys
  end
  work.open[value] = true
  work.out[#work.out + 1] = frame.keys and "{" or "["
  work.stack[#work.stack + 1] = frame
end

local function new_line(work)
  if work.indent then work.out[#work.out + 1] = "\n" .. rep(work.indent, math.min(#work.stack, DEEPEST_INDENT)) end
end

local function close(work)
  local frame = table.remove(work.stack)
  work.open[frame.value] = nil
  if frame.count > 0 and not frame.flat then new_line(work) end
  work.out[#work.out + 1] = frame.keys and "}" or "]"
end

local function put(work, value, key)
  if type(value) == "table" and not is_null(value) then return open(work, value, key) end
  local text, kind = scalar_text(value)
  if not text then fail(work, key, "expected a JSON value, got %s", kind) end
  work.out[#work.out + 1] = text
end

-- Writes the next item of the innermost container.
local function step(work)
  local frame, out = work.stack[#work.stack], work.out
  frame.cursor = frame.cursor + 1
  if frame.cursor > frame.count then return close(work) end
  if frame.cursor > 1 then out[#out + 1] = frame.flat and work.indent and ", " or "," end
  if not frame.flat then new_line(work) end
  local key = frame.cursor
  if frame.keys then
    key = frame.keys[key]
    out[#out + 1] = string_text(key) .. (work.indent and ": " or ":")
  end
  put(work, frame.value[key], key)
end

-- Number of steps between two calls of option `progress`. The output of these steps is joined into one string.
local STEPS = 2 ^ 14

-- The written share of the value, 0 to 1, estimated from the items of the outermost containers.
local function share_of(work)
  local share, part = 0, 1
  for depth = 1, math.min(#work.stack, 8) do
    local frame = work.stack[depth]
    part = part / math.max(frame.count, 1)
    share = share + math.max(frame.cursor - 1, 0) * part
  end
  return share
end

local function write(value, options)
  local indent = options.indent
  if type(indent) == "number" then indent = rep(" ", indent) end
  local work = { out = {}, stack = {}, open = {}, first = {}, arrays = options.arrays or {}, indent = indent }
  for rank, key in ipairs(options.order or {}) do work.first[key] = rank end
  put(work, value, nil)
  local steps, progress, written = 0, options.progress, {}
  while #work.stack > 0 do
    step(work)
    steps = steps + 1
    if steps % STEPS == 0 then
      written[#written + 1], work.out = concat(work.out), {}
      if progress then progress(share_of(work)) end
    end
  end
  written[#written + 1] = concat(work.out)
  return concat(written)
end

--- Encodes a value as JSON.
-- @param value null of any library; tables with the keys 1 to n (or lists of cuttle.compiler.lazy) are arrays, other
-- tables need strings as keys
-- @tparam[opt] table options `indent` (a string, or a number of blanks; everything is in one line by default), `order`
-- (a list of keys that precede all others, in this order), `arrays` (key -> true: an empty table under this key is an
-- array, not an object), `progress` (function(share), called at intervals with the written share, 0 to 1)
-- @treturn[1] string
-- @treturn[2] nil
-- @treturn[2] string the error message with its place
function encoder.encode(value, options)
  local ok, result = pcall(write, value, options or {})
  if ok then return result end
  if getmetatable(result) == Failure then return nil, result.message end
  error(result, 0)
end

return encoder
