--- Types of values in formulas.
-- Does not depend on operations.
-- @module cuttle.formula.types

local FIELD_TYPES = require "cuttle.field_types"

local types = {}

-- A type has `name` for messages, `lanes`, the number of doubles that a value takes, and `is_numeric`, whether it is a
-- number or a vector of numbers.
local function new(name, lanes, is_numeric) return { name = name, lanes = lanes, is_numeric = is_numeric or false } end

types.number = new("number", 1, true)
types.boolean = new("boolean", 1)
types.entity = new("entity", 1)
types.text = new("string", 1)

--- The vector types by their number of lanes. A number is the vector of one lane.
types.vectors = { types.number, new("vec2", 2, true), new("vec3", 3, true), new("vec4", 4, true) }

-- Names of lanes -> first lane (from 0) and number of lanes.
local LANES = {
  x = { 0, 1 }, y = { 1, 1 }, z = { 2, 1 }, w = { 3, 1 },
  r = { 0, 1 }, g = { 1, 1 }, b = { 2, 1 }, a = { 3, 1 },
  xy = { 0, 2 }, xyz = { 0, 3 },
}

--- Returns the first lane (from 0) and the number of lanes of a name such as `x`, `a` or `xy` in a type; nil if the
-- type does not have it.
function types.lanes(type, name)
  local found = LANES[name]
  if not found or not type.is_numeric or type.lanes == 1 then return nil end
  if found[1] + found[2] > type.lanes then return nil end
  return found[1], found[2]
end

--- Returns the names of all lanes of a type, for messages.
function types.lane_names(type)
  local names = {}
  for _, name in ipairs { "x", "y", "z", "w", "r", "g", "b", "a", "xy", "xyz" } do
    if types.lanes(type, name) then names[#names + 1] = name end
  end
  return names
end

--- Returns the type of an enum with these labels. Types of equal labels are equal in `types.same`.
function types.enum(labels)
  local numbers = {}
  for place, label in ipairs(labels) do numbers[label] = place - 1 end
  return { name = "enum", lanes = 1, is_numeric = false, labels = labels, numbers = numbers }
end

--- Returns whether values of two types can be compared, assigned and chosen between.
function types.same(a, b)
  if a == b then return true end
  if not (a.labels and b.labels) or #a.labels ~= #b.labels then return false end
  for place, label in ipairs(a.labels) do
    if b.labels[place] ~= label then return false end
  end
  return true
end

--- Returns the name of a type with its article, for messages.
function types.shown(type) return (type.name:find "^e" and "an " or "a ") .. type.name end

--- Returns what distinguishes two different types if their names are equal, for messages.
function types.difference(a, b) return a.labels and b.labels and " of other labels" or "" end

local OTHERS = { bool = types.boolean, entity = types.entity }
local REFUSED = { string = true, value = true, mat4 = true }

--- Returns the type of a field, or nil if formulas do not have its type.
-- @tparam string name the field's type in a schema
-- @tparam[opt] table labels of an enum
function types.of_field(name, labels)
  if REFUSED[name] then return nil end
  if name == "enum" then return types.enum(labels) end
  return OTHERS[name] or types.vectors[FIELD_TYPES[name].lanes]
end

return types
