--- A place in a document that an importer reads: checked access to its values, errors with their place, and bounds of
-- what is made of it.
-- Knows nothing of a particular editor's format, nor of files.
-- @module cuttle.import.cursor

local each = require "cuttle.each"
local failure = require "cuttle.failure"
local json = require "cuttle.json"
local lazy = require "cuttle.compiler.lazy"

local floor, is_null, show = math.floor, json.is_null, failure.show

local cursors = {}

-- `keys[1..depth]` is the place of the table being read; a key is a string or a number that counts from 1. Nothing is
-- put together before something fails, so that a document of 26,000 tiles costs no garbage for places.

local Cursor = {}
Cursor.__index = Cursor

--- A cursor at the root of the document of that name. `tally` (from cursors.tally, may be nil): of what is made.
function cursors.new(file, tally)
  return setmetatable({ file = file, keys = {}, depth = 0, tally = tally }, Cursor)
end

--- A cursor at the root of a file that the document at this cursor names. `is_named` is set: messages do not quote the
-- content of the file, which may be any file.
function Cursor:named(path)
  local other = cursors.new(path, self.tally)
  other.is_named = true
  return other
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
  local other = cursors.new(self.file, self.tally)
  other.is_named = self.is_named
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

-- What importers call the parts of a document together with their names.
local NAMED_PARTS = { entity = "an entity", layer = "a layer", level = "a level", object = "an object" }

-- Arguments of a message without what they quote: strings, and names behind the kind of what has them.
local function without_quotes(argument, ...)
  if type(argument) == "string" then
    argument = argument:gsub("\\.", ""):gsub('"[^"]*"', "a string"):gsub("^(%l+) .+", NAMED_PARTS)
  end
  if select("#", ...) == 0 then return argument end
  return argument, without_quotes(...)
end

--- Fails at the place, or at one key in it: `file: place: message`.
function Cursor:fail(key, message, ...)
  local place = self:place(key)
  local text = self.is_named and message:format(without_quotes(...)) or message:format(...)
  failure.raise("%s: %s%s", self.file, place == "" and "" or place .. ": ", text)
end

local NOUNS = { string = "a string", number = "a number", integer = "an integer", boolean = "true or false",
  array = "an array", object = "an object", coordinate = "a number within 2^31",
  float = "a number that single precision holds (to 3.4e38)" }

--- The largest number that single precision holds.
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

-- Bounds -------------------------------------------------------------------------------------------------------------

--- How many elements and cells a document may have, with all files that it names, unless the options `max_elements`
-- and `max_cells` are given. Elements are levels, layers, objects, nodes, instances, elements of XML and tiles of
-- tilesets: each takes up to 2 KB of memory. A cell takes 16 bytes; a tile that becomes an entity counts as four more.
cursors.MAX_ELEMENTS, cursors.MAX_CELLS = 1e6, 1e7

-- An entity that is made of a tile takes some 450 bytes.
local CELLS_OF_ENTITY = 4

-- So many properties or points take about as much memory as one element.
local PARTS_OF_ELEMENT = 16

--- How deep layers, and elements of XML, may be nested.
cursors.MAX_DEPTH = 1000

--- Counts what an import makes: against the bounds, and for option `progress`: function(task, done, count), called now
-- and then with what is done, and how far that is, `done` of `count` or so many entities.
function cursors.tally(options)
  return { tell = options.progress, made = 0, elements = 0, cells = 0,
    max_elements = options.max_elements or cursors.MAX_ELEMENTS, max_cells = options.max_cells or cursors.MAX_CELLS }
end

local TOO_MANY = { elements = "the document has more than %.14g elements (option max_elements)",
  cells = "the document has more than %.14g cells (option max_cells)" }

--- Fails at the key unless there may be `count` more "elements" or "cells".
function Cursor:room(key, kind, count)
  local tally = self.tally
  local most = tally and tally["max_" .. kind]
  if tally and tally[kind] + count > most then
    self:fail(key, TOO_MANY[kind], most)
  end
end

--- How many more "elements" or "cells" there may be.
function Cursor:left(kind)
  local tally = self.tally
  return tally and tally["max_" .. kind] - tally[kind] or math.huge
end

--- Counts elements or cells, before memory is taken for them. Fails at the key when there are too many.
function Cursor:count_in(key, kind, count)
  self:room(key, kind, count)
  if self.tally then self.tally[kind] = self.tally[kind] + count end
end

--- Counts the parts of something that may be used many times, such as the properties of a template: few are free.
function Cursor:copied(count)
  if count >= PARTS_OF_ELEMENT then self:count_in(nil, "elements", floor(count / PARTS_OF_ELEMENT)) end
end

--- Counts one more entity: an element, or so many cells.
function Cursor:made(cells)
  local tally = self.tally
  self:count_in(nil, cells and "cells" or "elements", cells or 1)
  if not tally or not tally.tell then return end
  tally.made = tally.made + 1
  if tally.made % 1000 == 0 then tally.tell("importing", tally.made) end
end

--- Counts one more entity that is made of a cell or a tile. As a place in a lazy list it takes less memory.
function Cursor:made_of_cell(is_place)
  self:made(is_place and 1 or CELLS_OF_ENTITY)
end

return cursors
