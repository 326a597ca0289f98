--- Cursor: a place in an imported document, with checked access to values, errors with their place, and limits on the
-- size of the result.
-- Does not depend on the format of an editor, nor on files.
-- @module cuttle.import.cursor

local each = require "cuttle.each"
local failure = require "cuttle.failure"
local json = require "cuttle.json"
local lazy = require "cuttle.compiler.lazy"

local floor, is_null, show = math.floor, json.is_null, failure.show

local cursors = {}

-- `keys[1..depth]` is the place of the current table; a key is a string, or a number that counts from 1. Places are
-- formatted only for errors, so that a document of 26,000 tiles creates no garbage for them.

local Cursor = {}
Cursor.__index = Cursor

--- Makes a cursor at the root of a document. `file` is its name; `tally` (from cursors.tally, may be nil) counts the
-- result.
function cursors.new(file, tally)
  return setmetatable({ file = file, keys = {}, depth = 0, tally = tally }, Cursor)
end

--- Makes a cursor at the root of a file that this document names. Sets `is_named`: messages do not quote the contents
-- of the file, because the document may name any file.
function Cursor:named(path)
  local other = cursors.new(path, self.tally)
  other.is_named = true
  return other
end

--- Moves one or more keys down.
function Cursor:enter(...)
  for index = 1, select("#", ...) do
    self.depth = self.depth + 1
    self.keys[self.depth] = (select(index, ...))
  end
end

--- Moves `count` keys up (1 by default).
function Cursor:leave(count)
  self.depth = self.depth - (count or 1)
end

--- Copies the cursor.
function Cursor:fork()
  local other = cursors.new(self.file, self.tally)
  other.is_named = self.is_named
  for depth = 1, self.depth do other.keys[depth] = self.keys[depth] end
  other.depth = self.depth
  return other
end

--- Formats the current place, or the place of a key in it: `levels[3].layerInstances[2]`.
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

-- Replacements for the named parts of a document in messages that must not quote it.
local NAMED_PARTS = { entity = "an entity", layer = "a layer", level = "a level", object = "an object" }

-- Removes quotes of the document from arguments of a message: strings, and names after the kind of a part.
local function without_quotes(argument, ...)
  if type(argument) == "string" then
    argument = argument:gsub("\\.", ""):gsub('"[^"]*"', "a string"):gsub("^(%l+) .+", NAMED_PARTS)
  end
  if select("#", ...) == 0 then return argument end
  return argument, without_quotes(...)
end

--- Raises an error at the current place, or at a key in it: `file: place: message`.
function Cursor:fail(key, message, ...)
  local place = self:place(key)
  local text = self.is_named and message:format(without_quotes(...)) or message:format(...)
  failure.raise("%s: %s%s", self.file, place == "" and "" or place .. ": ", text)
end

local NOUNS = { string = "a string", number = "a number", integer = "an integer", boolean = "true or false",
  array = "an array", object = "an object", coordinate = "a number within 2^31",
  float = "a number that single precision holds (to 3.4e38)" }

--- The largest finite number of single precision.
cursors.LARGEST_FLOAT = 3.4028234663852886e38

local function is_kind(value, kind)
  if kind == "number" then return type(value) == "number" and value - value == 0 end
  if kind == "coordinate" then return type(value) == "number" and value < 2147483648 and value > -2147483648 end
  if kind == "float" then
    return type(value) == "number" and value <= cursors.LARGEST_FLOAT and value >= -cursors.LARGEST_FLOAT
  end
  if kind == "integer" then
    return type(value) == "number" and floor(value) == value and value <= 2 ^ 53 and value >= -2 ^ 53
  end
  if kind == "array" then return type(value) == "table" and (#value > 0 or each(value) == nil) end
  if kind == "object" then return type(value) == "table" and #value == 0 end
  return type(value) == kind
end

--- Returns `holder[key]`. Raises unless it is a string, number (finite), coordinate (a number within 2^31, so that sums
-- stay finite), float (finite in single precision), integer (exact: within 2^53), boolean, array or object.
function Cursor:need(holder, key, kind)
  local value = holder[key]
  if not is_kind(value, kind) then
    self:fail(key, "expected %s, got %s", NOUNS[kind], value == nil and "no value" or show(value))
  end
  return value
end

--- Like `need`, but returns `default` if the value is missing or null.
function Cursor:maybe(holder, key, kind, default)
  if is_null(holder[key]) then return default end
  return self:need(holder, key, kind)
end

--- Returns the length of an array, 0 if it is missing or null.
function Cursor:count(holder, key)
  return lazy.length(self:maybe(holder, key, "array", {}))
end

--- Returns an array of `count` numbers, coordinates by default. Raises if it is anything else.
function Cursor:numbers(holder, key, count, kind)
  kind = kind or "coordinate"
  local list = holder[key]
  if not is_kind(list, "array") then
    self:fail(key, "expected %d numbers, got %s", count, list == nil and "no value" or show(list))
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

--- Returns an iterator over the objects of an array: index and object. Moves the cursor to each object. A missing or
-- null array is empty. The loop must run to its end.
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

-- Limits -------------------------------------------------------------------------------------------------------------

--- Default limits on the elements and cells of a document with all files that it names (options `max_elements` and
-- `max_cells`). Elements are levels, layers, objects, nodes, instances, XML elements and tiles of tilesets: each takes
-- up to 2 KB of memory. A cell takes 16 bytes; a tile that becomes an entity counts as four more cells.
cursors.MAX_ELEMENTS, cursors.MAX_CELLS = 1e6, 1e7

-- An entity made from a tile takes about 450 bytes.
local CELLS_OF_ENTITY = 4

-- This many properties or points take about as much memory as one element.
local PARTS_OF_ELEMENT = 16

--- The largest nesting depth of layers and XML elements.
cursors.MAX_DEPTH = 1000

--- Makes the counters of an import, for its limits and for the option `progress`: function(task, done, count), called
-- at intervals with the name of the current task and its progress (`done` of `count`, or a number of entities).
function cursors.tally(options)
  return { progress = options.progress, entities = 0, elements = 0, cells = 0,
    max_elements = options.max_elements or cursors.MAX_ELEMENTS, max_cells = options.max_cells or cursors.MAX_CELLS }
end

local TOO_MANY = { elements = "the document has more than %.14g elements (option max_elements)",
  cells = "the document has more than %.14g cells (option max_cells)" }

--- Raises an error at the key if `count` more "elements" or "cells" would exceed their limit.
function Cursor:check_limit(key, kind, count)
  local tally = self.tally
  local most = tally and tally["max_" .. kind]
  if tally and tally[kind] + count > most then
    self:fail(key, TOO_MANY[kind], most)
  end
end

--- Returns how many more "elements" or "cells" fit into the limit.
function Cursor:remaining(kind)
  local tally = self.tally
  return tally and tally["max_" .. kind] - tally[kind] or math.huge
end

--- Counts elements or cells, before their memory is allocated. Raises an error at the key if there are too many.
function Cursor:count_in(key, kind, count)
  self:check_limit(key, kind, count)
  if self.tally then self.tally[kind] = self.tally[kind] + count end
end

--- Counts the parts of something that may be copied many times, such as the properties of a template. Few parts are
-- free.
function Cursor:count_parts(count)
  if count >= PARTS_OF_ELEMENT then self:count_in(nil, "elements", floor(count / PARTS_OF_ELEMENT)) end
end

--- Counts one more entity: as an element, or as a number of cells.
function Cursor:count_entity(cells)
  local tally = self.tally
  self:count_in(nil, cells and "cells" or "elements", cells or 1)
  if not tally or not tally.progress then return end
  tally.entities = tally.entities + 1
  if tally.entities % 1000 == 0 then tally.progress("importing", tally.entities) end
end

--- Counts one more entity made from a cell or a tile. A place in a compact list takes less memory.
function Cursor:count_tile_entity(is_place)
  self:count_entity(is_place and 1 or CELLS_OF_ENTITY)
end

return cursors
