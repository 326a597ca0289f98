--- Parts of a document that an import leaves out: counted and reported in warnings; custom fields may be kept.
-- Does not depend on the format of an editor.
-- @module cuttle.import.leftovers

local each = require "cuttle.each"
local failure = require "cuttle.failure"
local json = require "cuttle.json"
local source = require "cuttle.import.source"

local format, is_null = string.format, json.is_null

local leftovers = {}

--- Copies a part of the document into plain Lua tables: null becomes nil, and is removed from arrays, so that later
-- items move up. The copy shares nothing with the document. Does not recurse.
function leftovers.plain(value)
  if is_null(value) then return nil end
  if type(value) ~= "table" then return value end
  local result = {}
  -- A decoder of a script may return a table with several references to one table, or a table that contains itself.
  local copies, waiting, count = { [value] = result }, { value }, 1

  local function copied(item)
    if type(item) ~= "table" then return item end
    if not copies[item] then
      count = count + 1
      copies[item], waiting[count] = {}, item
    end
    return copies[item]
  end

  while count > 0 do
    local from = waiting[count]
    local to, length = copies[from], #from
    count = count - 1
    for index = 1, length do
      if not is_null(from[index]) then to[#to + 1] = copied(from[index]) end
    end
    for key, item in each, length == 0 and from or {} do
      if not is_null(item) then to[key] = copied(item) end
    end
  end
  return result
end

--- Checks the option `fields`: the name of the component that keeps custom fields. Raises.
function leftovers.check_option(importer, number, name)
  if name == "" or name == "transform" or name == "grid" then
    source.bad_argument(importer, number, "option \"fields\": expected the name of a component with a value, got %s",
      failure.show(name))
  end
end

local Leftovers = {}
Leftovers.__index = Leftovers

--- Makes the counters of one import.
-- @tparam string file the name of the document in messages
-- @tparam table options uses `fields`
function leftovers.new(file, options)
  return setmetatable({ file = file, keeper = options.fields, warnings = {}, tiles = 0, packed = 0, cells = 0,
    fields = 0, holders = 0, rotated = 0, stacked = 0, astray = 0 }, Leftovers)
end

--- Adds a warning.
function Leftovers:warn(message, ...)
  self.warnings[#self.warnings + 1] = format("%s: %s", self.file, format(message, ...))
end

--- Counts parts that are left out: `tiles`, layers with an unknown number of `packed` tiles, `cells` of int grids; and
-- in grids: tiles `rotated` by 120 degrees, further tiles `stacked` in a cell, and `astray` tiles, which do not fit one
-- cell of their layer.
function Leftovers:count(kind, number)
  self[kind] = self[kind] + number
end

--- Counts the custom fields of a part that does not become an entity and has no mapping.
function Leftovers:drop(values)
  local count = 0
  for _ in each, values do count = count + 1 end
  if count == 0 then return end
  self.fields, self.holders = self.fields + count, self.holders + 1
end

--- Returns the components of an entity without a mapping: its transform, and its custom fields if the option `fields`
-- is set. Otherwise counts the custom fields.
-- @tparam table transform
-- @param values custom fields by name; from glTF, which allows any JSON value there, also another value or nil
function Leftovers:components(transform, values)
  local components = { transform = transform }
  if values == nil or (type(values) == "table" and each(values) == nil) then return components end
  if self.keeper then
    components[self.keeper] = { value = leftovers.plain(values) }
  else
    self:drop(type(values) == "table" and values or { values })
  end
  return components
end

--- Returns the part of a warning about further cases than the one it names: " (and 3 more)".
function leftovers.more(count)
  if count < 2 then return "" end
  return format(" (and %d more)", count - 1)
end

local function counted(number, noun)
  return format("%d %s%s", number, noun, number == 1 and "" or "s")
end

--- Returns all warnings as a list of strings that begin with the file.
function Leftovers:list()
  local function be(number) return number == 1 and "is" or "are" end
  if self.tiles > 0 then
    self:warn("%s %s left out: option tiles converts them to entities or grids", counted(self.tiles, "tile"),
      be(self.tiles))
  end
  if self.packed > 0 then
    self:warn("the tiles of %s are left out: option tiles converts them to entities or grids",
      counted(self.packed, "packed layer"))
  end
  if self.cells > 0 then
    self:warn("%s %s left out: option int_grid converts them to entities", counted(self.cells, "int grid cell"),
      be(self.cells))
  end
  if self.rotated > 0 then
    self:warn("rotations by 120 degrees of %s are left out of grids", counted(self.rotated, "tile"))
  end
  if self.stacked > 0 then
    self:warn("%s %s left out of grids: another tile is in the same cell", counted(self.stacked, "tile"),
      be(self.stacked))
  end
  if self.astray > 0 then
    self:warn("%s %s not in one cell: grids have %s in the cell of the upper left corner, if the layer has it",
      counted(self.astray, "tile"), be(self.astray), self.astray == 1 and "it" or "them")
  end
  if self.fields > 0 then
    self:warn("%s %s left out (%s without a mapping): option components maps them, option fields keeps them",
      counted(self.fields, "custom field"), be(self.fields), counted(self.holders, "part"))
  end
  return self.warnings
end

return leftovers
