--- What an import does not make anything of: counted and told in warnings, or custom fields kept in a component.
-- Knows nothing of a particular editor's format.
-- @module cuttle.import.leftovers

local each = require "cuttle.each"
local failure = require "cuttle.failure"
local json = require "cuttle.json"
local source = require "cuttle.import.source"

local format, is_null = string.format, json.is_null

local leftovers = {}

--- A part of the document as plain Lua tables: null is nil, and in arrays is left out, so that the rest moves up.
-- Nothing of the document is shared. Depth follows the data, not the stack.
function leftovers.plain(value)
  if is_null(value) then return nil end
  if type(value) ~= "table" then return value end
  local result = {}
  -- A decoder of the script may give one table in several places, or within itself.
  local copies, waiting, count = { [value] = result }, { value }, 1

  local function taken(item)
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
      if not is_null(from[index]) then to[#to + 1] = taken(from[index]) end
    end
    for key, item in each, length == 0 and from or {} do
      if not is_null(item) then to[key] = taken(item) end
    end
  end
  return result
end

--- Checks the option `fields`: the name of a component that custom fields are kept in. Raises.
function leftovers.check_option(importer, number, name)
  if name == "" or name == "transform" or name == "grid" then
    source.bad_argument(importer, number, "option \"fields\": expected the name of a component with a value, got %s",
      failure.show(name))
  end
end

local Leftovers = {}
Leftovers.__index = Leftovers

--- The leftovers of one import.
-- @tparam string file what messages call the document
-- @tparam table options `fields` is used
function leftovers.new(file, options)
  return setmetatable({ file = file, keeper = options.fields, told = {}, tiles = 0, packed = 0, cells = 0, fields = 0,
    holders = 0, flips = 0, stacked = 0, astray = 0 }, Leftovers)
end

--- Tells a warning.
function Leftovers:warn(message, ...)
  self.told[#self.told + 1] = format("%s: %s", self.file, format(message, ...))
end

--- Counts what is left out: `tiles`, layers of `packed` tiles that nobody can count, `cells` of int grids; of grids
-- the `flips` of tiles, further tiles `stacked` in a cell, and those that are `astray`, not in one cell of their layer.
function Leftovers:count(kind, number)
  self[kind] = self[kind] + number
end

--- Counts the custom fields of something that becomes no entity of its own and has no mapping.
function Leftovers:drop(values)
  local count = 0
  for _ in each, values do count = count + 1 end
  if count == 0 then return end
  self.fields, self.holders = self.fields + count, self.holders + 1
end

--- The components of an entity without a mapping: its transform, and its custom fields if they are kept, else counted.
-- @tparam table transform
-- @param values custom fields: a table by name; with glTF, which has any JSON there, also something else, or nil
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

--- What a warning that names one of `count` says of the others: ", and so do 3 more".
function leftovers.more(count)
  if count < 2 then return "" end
  return count == 2 and ", and so does 1 more" or format(", and so do %d more", count - 1)
end

local function counted(number, noun)
  return format("%d %s%s", number, noun, number == 1 and "" or "s")
end

--- All warnings as a list of strings, each begins with the file; empty if there are none.
function Leftovers:list()
  local function be(number) return number == 1 and "is" or "are" end
  if self.tiles > 0 then
    self:warn("%s %s left out: option tiles makes entities or grids of them", counted(self.tiles, "tile"),
      be(self.tiles))
  end
  if self.packed > 0 then
    self:warn("the tiles of %s are left out: option tiles makes entities or grids of them",
      counted(self.packed, "packed layer"))
  end
  if self.cells > 0 then
    self:warn("%s %s left out: option int_grid makes entities of them", counted(self.cells, "int grid cell"),
      be(self.cells))
  end
  if self.flips > 0 then
    self:warn("%s %s in grids without being flipped or turned", counted(self.flips, "tile"), be(self.flips))
  end
  if self.stacked > 0 then
    self:warn("%s %s left out of grids, being stacked in a cell upon another", counted(self.stacked, "tile"),
      be(self.stacked))
  end
  if self.astray > 0 then
    self:warn("%s %s not in one cell: in grids %s in that of the upper left corner, if the layer has it",
      counted(self.astray, "tile"), be(self.astray), self.astray == 1 and "it is" or "they are")
  end
  if self.fields > 0 then
    self:warn("%s %s left out, of %d without a mapping: option components maps them, option fields keeps them",
      counted(self.fields, "custom field"), be(self.fields), self.holders)
  end
  return self.told
end

return leftovers
