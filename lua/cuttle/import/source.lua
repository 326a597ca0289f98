--- What every importer needs: reading text or path, checked access to a document, errors with their place, mappings.
-- Knows nothing of a particular editor's format.
-- @module cuttle.import.source

local each = require "cuttle.each"
local failure = require "cuttle.failure"
local files = require "cuttle.files"
local json = require "cuttle.json"
local lazy = require "cuttle.compiler.lazy"

local floor, is_null, show = math.floor, json.is_null, failure.show

local source = {}

-- Arguments of the script ------------------------------------------------------------------------------------------

--- Raises a script's mistake as a bad argument of the importer, at the line that called it: for checks that the
-- importer calls, not for the importer itself.
function source.bad_argument(importer, number, message, ...)
  error(string.format("bad argument #%d to '%s' (%s)", number, importer, string.format(message, ...)), 4)
end

local function is_one_of(kind, wanted)
  return ("|" .. wanted .. "|"):find("|" .. kind .. "|", 1, true) ~= nil
end

--- Checks the options against `known` (name -> accepted types, `"boolean|function"`). Raises; returns a copy.
function source.options(importer, number, options, known)
  if options ~= nil and type(options) ~= "table" then
    source.bad_argument(importer, number, "options table expected, got %s", type(options))
  end
  local names, copy = {}, {}
  for name in each, known do names[#names + 1] = name end
  table.sort(names)
  for name, value in each, options or {} do
    if type(name) ~= "string" or not known[name] then
      source.bad_argument(importer, number, "unknown option '%s'%s", tostring(name), failure.hint(name, names))
    end
    local wanted = known[name]
    if not is_one_of(type(value), wanted) then
      wanted = wanted:gsub("|", " or ")
      source.bad_argument(importer, number, "option %q: expected %s, got %s", name, wanted, type(value))
    end
    copy[name] = value
  end
  return copy
end

--- Checks that a table of mappings goes from names to functions. Raises.
function source.check_mappings(importer, number, option, mappings)
  for name, mapping in each, mappings or {} do
    if type(name) ~= "string" or type(mapping) ~= "function" then
      source.bad_argument(importer, number, "option %q: expected functions by name, got %s at %q", option,
        type(mapping), tostring(name))
    end
  end
end

--- Checks the first argument of an importer. Raises.
function source.check_text(importer, text_or_path)
  if type(text_or_path) ~= "string" then
    source.bad_argument(importer, 1, "text or path expected, got %s", type(text_or_path))
  end
end

--- Checks that a table is an array of names; what is no table (a function, nothing) passes. Raises.
function source.check_names(importer, number, option, names)
  for key, name in each, type(names) == "table" and names or {} do
    if type(key) ~= "number" or type(name) ~= "string" then
      source.bad_argument(importer, number, "option %q: expected an array of names, got %s", option, type(name))
    end
  end
end

-- Files ------------------------------------------------------------------------------------------------------------

--- What kind of document a string is, by its first non-blank after a byte order mark: "JSON" (`{` or `[`), "XML" (`<`),
-- "Lua" (`return`, then a table). Nil for a path.
function source.kind_of(text_or_path)
  local first = text_or_path:match("^\239?\187?\191?%s*([{%[<r])")
  if first == "{" or first == "[" then return "JSON" end
  if first == "<" then return "XML" end
  return first and text_or_path:find("^\239?\187?\191?%s*return%s*{") and "Lua" or nil
end

--- The directory of a path, and a path seen from a directory: see cuttle.files.
source.directory_of, source.join = files.directory_of, files.join

--- The content of a file, through the option `read` (function(path) -> text, or nil and a message) or from disk; of
-- `limit` bytes at most.
-- @treturn[1] string
-- @treturn[2] nil
-- @treturn[2] string why not, without the path
function source.read(path, options)
  local text, trouble = files.read(path, options.read, options.limit)
  if text then return text end
  return nil, trouble:sub(#path + 3)
end

--- A document that came as text. Files that it names are looked for in the option `directory`; without one only the
-- script's own `read` can know where they are: it is told the paths as they stand in the document.
-- @treturn table as source.open
function source.given(text, options, kind)
  return { text = text, name = options.name or kind, directory = options.directory or options.read and "" }
end

--- Opens what an importer was given.
-- @tparam string text_or_path
-- @tparam table options `name`, `directory`, `read`, `limit` are used
-- @tparam string kind the name of a text that has none, "LDtk text"
-- @treturn table `text`, `name` (for messages), `directory` (nil if unknown)
function source.open(text_or_path, options, kind)
  if source.kind_of(text_or_path) then return source.given(text_or_path, options, kind) end
  local text, trouble = source.read(text_or_path, options)
  local name = options.name or text_or_path
  if not text then failure.raise("%s: cannot read: %s", name, trouble) end
  return { text = text, name = name, directory = options.directory or source.directory_of(text_or_path) }
end

-- A cursor: where we are in the document ---------------------------------------------------------------------------
--
-- `keys[1..depth]` is the place of the table being read; a key is a string or a number that counts from 1. Nothing is
-- put together before something fails, so that a document of 26,000 tiles costs no garbage for places.

local Cursor = {}
Cursor.__index = Cursor

--- A cursor at the root of the document of that name. `tally` (from source.tally, may be nil): of what is made.
function source.cursor(file, tally)
  return setmetatable({ file = file, keys = {}, depth = 0, tally = tally }, Cursor)
end

--- Goes one or more keys down.
function Cursor:enter(...)
  for index = 1, select("#", ...) do
    self.depth = self.depth + 1
    self.keys[self.depth] = (select(index, ...))
  end
end

--- Goes `count` keys up, 1 unless told.
function Cursor:leave(count)
  self.depth = self.depth - (count or 1)
end

--- Another cursor at the same place.
function Cursor:fork()
  local other = source.cursor(self.file, self.tally)
  for depth = 1, self.depth do other.keys[depth] = self.keys[depth] end
  other.depth = self.depth
  return other
end

--- `levels[3].layerInstances[2]`, of the place or of one key in it.
function Cursor:place(key)
  local parts = {}
  for depth = 1, self.depth + 1 do
    local part = self.keys[depth]
    if depth > self.depth then part = key end
    if type(part) == "number" then
      parts[#parts + 1] = "[" .. part .. "]"
    elseif part ~= nil then
      parts[#parts + 1] = (#parts > 0 and "." or "") .. tostring(part)
    end
  end
  return table.concat(parts)
end

--- Fails at the place, or at one key in it: `file: place: message`.
function Cursor:fail(key, message, ...)
  local place = self:place(key)
  failure.raise("%s: %s%s", self.file, place == "" and "" or place .. ": ", string.format(message, ...))
end

local NOUNS = { string = "a string", number = "a number", integer = "an integer", boolean = "true or false",
  array = "an array", object = "an object", coordinate = "a number within 2^31",
  float = "a number that single precision holds (to 3.4e38)" }

--- The largest number that single precision holds.
source.LARGEST_FLOAT = 3.4028234663852886e38

local function is_kind(value, kind)
  if kind == "number" then return type(value) == "number" and value - value == 0 end
  if kind == "coordinate" then return type(value) == "number" and value < 2147483648 and value > -2147483648 end
  if kind == "float" then
    return type(value) == "number" and value <= source.LARGEST_FLOAT and value >= -source.LARGEST_FLOAT
  end
  if kind == "integer" then
    return type(value) == "number" and floor(value) == value and value <= 2 ^ 53 and value >= -2 ^ 53
  end
  if kind == "array" then return type(value) == "table" and (#value > 0 or each(value) == nil) end
  if kind == "object" then return type(value) == "table" and #value == 0 end
  return type(value) == kind
end

--- Requires that `holder[key]` is a string, number (finite), coordinate (a number within 2^31, so that sums of them
-- stay finite), float (finite in single precision), integer (exact: within 2^53), boolean, array or object.
function Cursor:need(holder, key, kind)
  local value = holder[key]
  if not is_kind(value, kind) then
    self:fail(key, "expected %s, got %s", NOUNS[kind], value == nil and "nothing" or show(value))
  end
  return value
end

--- The same, but what is missing or null gives `default`.
function Cursor:maybe(holder, key, kind, default)
  if is_null(holder[key]) then return default end
  return self:need(holder, key, kind)
end

--- How many items an array has; a missing or null one has none.
function Cursor:count(holder, key)
  return lazy.length(self:maybe(holder, key, "array", {}))
end

--- Requires an array of `count` numbers, coordinates unless told; returns it.
function Cursor:numbers(holder, key, count, kind)
  kind = kind or "coordinate"
  local list = holder[key]
  if not is_kind(list, "array") then
    self:fail(key, "expected %d numbers, got %s", count, list == nil and "nothing" or show(list))
  end
  if #list ~= count then self:fail(key, "expected %d numbers, got %d", count, #list) end
  for index = 1, count do
    if not is_kind(list[index], kind) then
      self:enter(key)
      self:need(list, index, kind)
    end
  end
  return list
end

--- Iterates over the objects of an array, index and object, with the cursor in each. A missing or null array is
-- empty. The loop must run to its end.
function Cursor:each(holder, key)
  local list = self:maybe(holder, key, "array", {})
  self:enter(key, 0)
  local depth, index, count = self.depth, 0, lazy.length(list)
  return function()
    index = index + 1
    if index > count then
      self.depth = depth - 2
      return nil
    end
    self.keys[depth] = index
    local value = list[index]
    if type(value) ~= "table" or #value > 0 then
      self.depth = depth - 1
      self:need(list, index, "object")
    end
    return index, value
  end
end

-- What comes out ---------------------------------------------------------------------------------------------------

--- Counts what an import makes, for option `progress`: function(task, done, count), called now and then with what is
-- done, and how far that is, `done` of `count` or so many entities. Nil without the option.
function source.tally(options)
  return options.progress and { tell = options.progress, made = 0 } or nil
end

--- Counts one more entity.
function Cursor:made()
  local tally = self.tally
  if not tally then return end
  tally.made = tally.made + 1
  if tally.made % 1000 == 0 then tally.tell("importing", tally.made) end
end

--- A name as level source takes it: `/` becomes `_`, an empty one is none.
function source.name(text)
  if text == nil or text == "" then return nil end
  return (text:gsub("/", "_"))
end

--- Calls a mapping of the script. What it raises fails at the cursor's place, naming `what`.
function source.call(cursor, what, mapping, ...)
  local ok, first, second = pcall(mapping, ...)
  if ok then return first, second end
  if failure.is(first) then error(first, 0) end
  return cursor:fail(nil, "the mapping of %s raised: %s", what, tostring(first))
end

-- What one part of a transform takes the place of.
local REPLACES = { rotation = { "angle" }, angle = { "rotation" },
  matrix = { "position", "rotation", "angle", "scale" } }

local function merged_transform(editors, mappings)
  local transform = {}
  for key, value in each, editors do transform[key] = value end
  for key in each, mappings do
    for _, replaced in ipairs(REPLACES[key] or {}) do transform[replaced] = nil end
  end
  for key, value in each, mappings do transform[key] = value end
  return transform
end

--- Lays what a mapping returned (components, or nil) over the editor's transform. A `transform` of the mapping is
-- merged field by field. Nothing that the mapping returned is changed. A wrong type fails, naming `what`.
function source.components(cursor, what, transform, returned)
  if returned == nil then return { transform = transform } end
  if type(returned) ~= "table" then
    cursor:fail(nil, "the mapping of %s: expected a table of components or nil, got %s", what, type(returned))
  end
  local components = { transform = transform }
  for name, values in each, returned do
    if type(name) ~= "string" then
      cursor:fail(nil, "the mapping of %s: expected components by name, got the key %s", what, show(name))
    elseif not is_null(values) and type(values) ~= "table" then
      cursor:fail(nil, "the mapping of %s: component %s: expected a table, got %s", what, name, type(values))
    end
    if not is_null(values) then
      components[name] = name == "transform" and merged_transform(transform, values) or values
    end
  end
  return components
end

--- The name of an entity: what the mapping gave as its second result, else the editor's.
function source.chosen_name(cursor, what, editors, mappings)
  if mappings == nil then return source.name(editors) end
  if type(mappings) ~= "string" then
    cursor:fail(nil, "the mapping of %s: expected a string as name, got %s", what, type(mappings))
  end
  return source.name(mappings)
end

return source
