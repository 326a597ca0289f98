-- is_valid(schema, document): tests if a decoded document matches a decoded JSON Schema, for the keywords that our
-- schema uses. Decoders do not distinguish an empty array from an empty object, so the document must match with all of
-- them as arrays, and with all as objects.

local each = require "cuttle.each"
local json = require "cuttle.json"

local check
local empty_is -- "array" or "object"

local function is_type(value, name)
  if name == "null" then return json.is_null(value) end
  if json.is_null(value) then return false end
  if name == "object" or name == "array" then
    if type(value) ~= "table" then return false end
    if each(value) == nil then return name == empty_is end
    return (#value > 0) == (name == "array")
  end
  if name == "integer" then return type(value) == "number" and value % 1 == 0 end
  return type(value) == name
end

local PATTERNS = { ["^[$_]"] = "^[$_]", ["^[^/]+$"] = "^[^/]+$" }

local keywords = {}

keywords["$ref"] = function(root, name, value)
  return check(root, root.definitions[name:match "^#/definitions/(.+)$"], value)
end

function keywords.type(_, names, value)
  for _, name in ipairs(type(names) == "table" and names or { names }) do
    if is_type(value, name) then return true end
  end
  return false
end

function keywords.enum(_, values, value)
  for _, one in ipairs(values) do
    if one == value or (json.is_null(one) and json.is_null(value)) then return true end
  end
  return false
end

function keywords.required(_, names, value)
  if not is_type(value, "object") then return true end
  for _, name in ipairs(names) do
    if value[name] == nil then return false end
  end
  return true
end

local function property_fits(root, schema, key, value)
  local known = false
  if schema.properties and schema.properties[key] then
    known = true
    if not check(root, schema.properties[key], value) then return false end
  end
  for pattern, inner in each, schema.patternProperties or {} do
    if key:find(assert(PATTERNS[pattern])) then
      known = true
      if not check(root, inner, value) then return false end
    end
  end
  if known or schema.additionalProperties == nil then return true end
  return schema.additionalProperties and check(root, schema.additionalProperties, value)
end

function keywords.minItems(_, count, value) return not is_type(value, "array") or #value >= count end
function keywords.maxItems(_, count, value) return not is_type(value, "array") or #value <= count end
function keywords.maxProperties(_, count, value)
  if not is_type(value, "object") then return true end
  for _ in each, value do count = count - 1 end
  return count >= 0
end
function keywords.minLength(_, count, value) return type(value) ~= "string" or #value >= count end
function keywords.minimum(_, limit, value) return type(value) ~= "number" or value >= limit end
function keywords.maximum(_, limit, value) return type(value) ~= "number" or value <= limit end

function keywords.pattern(_, pattern, value)
  return type(value) ~= "string" or value:find(assert(PATTERNS[pattern])) ~= nil
end

function keywords.items(root, schema, value)
  if not is_type(value, "array") then return true end
  for _, item in ipairs(value) do
    if not check(root, schema, item) then return false end
  end
  return true
end

function keywords.anyOf(root, schemas, value)
  for _, schema in ipairs(schemas) do
    if check(root, schema, value) then return true end
  end
  return false
end

function keywords.allOf(root, schemas, value)
  for _, schema in ipairs(schemas) do
    if not check(root, schema, value) then return false end
  end
  return true
end

keywords["not"] = function(root, schema, value) return not check(root, schema, value) end

keywords["if"] = function(root, condition, value, schema)
  return check(root, check(root, condition, value) and schema["then"] or schema["else"] or {}, value)
end

local SILENT = { ["$schema"] = true, title = true, description = true, default = true, definitions = true,
  properties = true, patternProperties = true, additionalProperties = true, ["then"] = true, ["else"] = true }

function check(root, schema, value)
  for keyword, argument in each, schema do
    local test = keywords[keyword]
    if not test and not SILENT[keyword] then error("keyword " .. keyword .. " is not supported") end
    if test and not test(root, argument, value, schema) then return false end
  end
  if is_type(value, "object") and not is_type(value, "null") then
    for key, item in each, value do
      if not property_fits(root, schema, key, item) then return false end
    end
  end
  return true
end

return function(schema, document)
  for _, name in ipairs({ "array", "object" }) do
    empty_is = name
    if not check(schema, schema, document) then return false end
  end
  return true
end
