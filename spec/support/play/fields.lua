-- Fields of components as plain data: random values, defaults, and comparisons. Entities are numbers, the names of a
-- run, and false is no entity.

local fields = {}

-- Numbers that floats hold exactly.
local function quarters(random) return (random(65) - 33) / 4 end

-- Numbers that floats round.
local function sevenths(random) return random(100) / 7 end

local function lanes(count, number)
  return function(random)
    local out = {}
    for i = 1, count do out[i] = (number or quarters)(random) end
    return out
  end
end

local function whole(low, high)
  return function(random)
    if random(8) == 1 then return random(2) == 1 and low or high end
    return math.max(low, random(20) - 5)
  end
end

local TEXTS = { "", "a", "b", "sword", "a\0b", ("long"):rep(9), "name1", "name2" }
local VALUES = { 5, "text", true, { 1, 2, { 3 } }, { a = { b = 1 }, c = "d" } }
local IDENTITY = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 }

-- For each type: a function that returns a random value, and the default. A value field of false is nil.
local TYPES = {
  float = { quarters, 0 }, double = { sevenths, 0 },
  int8 = { whole(-128, 127), 0 }, uint8 = { whole(0, 255), 0 }, int16 = { whole(-32768, 32767), 0 },
  uint16 = { whole(0, 65535), 0 }, int32 = { whole(-2 ^ 31, 2 ^ 31 - 1), 0 }, uint32 = { whole(0, 2 ^ 32 - 1), 0 },
  bool = { function(random) return random(2) == 1 end, false },
  vec2 = { lanes(2), { 0, 0 } }, vec3 = { lanes(3), { 0, 0, 0 } }, vec4 = { lanes(4), { 0, 0, 0, 0 } },
  dvec2 = { lanes(2, sevenths), { 0, 0 } }, dvec3 = { lanes(3, sevenths), { 0, 0, 0 } },
  quat = { lanes(4), { 0, 0, 0, 1 } }, mat4 = { lanes(16), IDENTITY }, color = { lanes(4), { 1, 1, 1, 1 } },
  value = { function(random) return random(4) > 1 and VALUES[random(#VALUES)] end, false },
  string = { function(random) return TEXTS[random(#TEXTS)] end, "" },
}

-- A field is { name, type, default or labels }.

-- `entity` returns the name of an entity or false.
function fields.random(field, random, entity)
  if field[2] == "entity" then return random(5) > 1 and entity() or false end
  if field[2] == "enum" then return field[3][random(#field[3])] end
  if field.values then return field.values[random(#field.values)] end
  return TYPES[field[2]][1](random)
end

function fields.default(field)
  if field[2] == "entity" then return false end
  if field[2] == "enum" then return field[3][1] end
  if field[3] ~= nil then return field[3] end
  return TYPES[field[2]][2]
end

-- All fields of a component; fields that are not given have their defaults.
function fields.fill(schema, given)
  local component = {}
  for _, field in ipairs(schema) do
    local value = given[field[1]]
    if value == nil then value = fields.default(field) end
    component[field[1]] = value
  end
  return component
end

-- The number of values that read_many returns for the field.
function fields.width(field)
  local default = fields.default(field)
  return field[2] ~= "value" and type(default) == "table" and #default or 1
end

-- Tests if columns of the field hold numbers.
function fields.is_numeric(field) return field[2] ~= "enum" and field[2] ~= "string" and field[2] ~= "value" end

-- Compares values, and tables by their contents.
function fields.same(a, b)
  if type(a) ~= "table" or type(b) ~= "table" then return a == b end
  for key, value in pairs(a) do
    if not fields.same(value, b[key]) then return false end
  end
  for key in pairs(b) do
    if a[key] == nil then return false end
  end
  return true
end

local function compare_keys(a, b)
  if type(a) == type(b) then return a < b end
  return type(a) == "number"
end

local function quote(text)
  return '"' .. text:gsub('[%c"\\\128-\255]', function(c) return ("\\%03d"):format(c:byte()) end) .. '"'
end

-- Plain data as Lua source.
function fields.text(value)
  if type(value) == "string" then return quote(value) end
  if type(value) == "number" then return (("%.17g"):format(value)) end
  if type(value) ~= "table" then return tostring(value) end
  local out, keys = {}, {}
  for i, item in ipairs(value) do out[i] = fields.text(item) end
  for key in pairs(value) do
    if type(key) ~= "number" or key < 1 or key > #value then keys[#keys + 1] = key end
  end
  table.sort(keys, compare_keys)
  for _, key in ipairs(keys) do
    local name = type(key) == "string" and key:find "^[%a_][%w_]*$" and key or "[" .. fields.text(key) .. "]"
    out[#out + 1] = name .. " = " .. fields.text(value[key])
  end
  return #out == 0 and "{}" or "{ " .. table.concat(out, ", ") .. " }"
end

-- Returns a deep copy. Shared tables are shared in the copy, too.
function fields.copy(value, seen)
  if type(value) ~= "table" then return value end
  seen = seen or {}
  if not seen[value] then
    local out = {}
    seen[value] = out
    for key, item in pairs(value) do out[key] = fields.copy(item, seen) end
  end
  return seen[value]
end

return fields
