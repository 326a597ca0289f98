--- Conversion of field values to JSON for the browser, and back.
-- Does not depend on sockets, nor on the requests.

local core = require "cuttle.core"
local json = require "cuttle.json"
local text = require "cuttle.inspector.text"
local unpack = require "cuttle.compat".unpack

local concat = table.concat

local values = {}

local TYPES = require "cuttle.field_types"

-- Longer strings are cut off and cannot be edited.
local LONGEST_STRING = 4000

--- Returns the number of lanes of a numeric field type, nil for other types.
function values.lanes(field_type) return TYPES[field_type].number and TYPES[field_type].lanes end

--- Returns whether a field with this type and value can be edited.
function values.is_editable(field_type, value)
  if field_type == "string" then
    return #value <= LONGEST_STRING and text.utf8(value) == value and not value:find "[\r\n]" -- an input has one line
  end
  return values.lanes(field_type) ~= nil or field_type == "bool" or field_type == "enum" or field_type == "entity"
end

--- Encodes the results of a manager's `read`: arrays for several numbers, ids for entities, a display text for `value`
-- fields.
function values.encode(field_type, ...)
  local lanes = values.lanes(field_type)
  if lanes then
    local digits = TYPES[field_type].lane == "float" and 9 or 17
    if lanes == 1 then return text.number((...), digits) end
    local parts = { ... }
    for lane = 1, lanes do parts[lane] = text.number(parts[lane], digits) end
    return "[" .. concat(parts, ",") .. "]"
  end
  local value = ...
  if field_type == "string" then return text.string(value:sub(1, LONGEST_STRING)) end
  if field_type == "bool" or field_type == "enum" or field_type == "entity" then return text.scalar(value) end
  return text.string(text.shown(value))
end

local SPECIAL = { nan = 0 / 0, inf = math.huge, ["-inf"] = -math.huge }

local function number_of(value)
  if type(value) == "number" then return value end
  return SPECIAL[value] or error("number expected, got " .. json.type_name(value), 0)
end

-- Converts a value of the browser to arguments of `write`. Returns them and their number.
local function decode(field_type, value)
  local lanes = values.lanes(field_type)
  if lanes == 1 then return { number_of(value) }, 1 end
  if lanes then
    if type(value) ~= "table" or #value ~= lanes then error(("%d numbers expected"):format(lanes), 0) end
    local numbers = {}
    for lane = 1, lanes do numbers[lane] = number_of(value[lane]) end
    return numbers, lanes
  end
  if field_type == "entity" then
    if json.is_null(value) then return {}, 1 end
    return { core.entity_from_id(number_of(value)) }, 1
  end
  if field_type == "value" then error("the inspector cannot edit value fields", 0) end
  return { value }, 1
end

--- Writes a field. Raises the errors of its setter.
function values.write(manager, instance, field, field_type, value)
  local arguments, count = decode(field_type, value)
  manager:write(instance, field, unpack(arguments, 1, count))
end

--- Removes the source position and the argument number from the message of a setter.
function values.reason(message)
  message = tostring(message):gsub("^[^\n]-:%d+: ", "")
  return message:match "^bad argument #%d+ to '[^']*' %((.*)%)$" or message
end

return values
