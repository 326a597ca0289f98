--- JSON Schema (draft 7) of level source, for editors: which values the components of a world take.
-- Does not depend on the compiler.
--
-- Every level that the compiler accepts is valid. Checks that need the whole level (references to existing entities,
-- unique ids, contents of prefabs) are left to the compiler.
-- @module cuttle.schema

local argument = require "cuttle.argument"
local core = require "cuttle.core"
local each = require "cuttle.each"
local json = require "cuttle.json"
local unpack = require "cuttle.compat".unpack

local format, sort = string.format, table.sort

local DRAFT = "http://json-schema.org/draft-07/schema#"

-- Small parts ------------------------------------------------------------------------------------------------------

local IGNORED = { ["^[$_]"] = {} }

-- An empty table of Lua may become an object or an array in JSON, so either is accepted for the other if it is empty.

local function object(properties, rest)
  return { type = { "object", "array" }, maxItems = 0, properties = properties, patternProperties = IGNORED,
    additionalProperties = rest or false }
end

local function array(items)
  return { type = { "array", "object" }, maxProperties = 0, items = items }
end

local function or_null(schema)
  table.insert(schema.type, "null")
  return schema
end

local function described(schema, description)
  schema.description = description
  return schema
end

local function ref(name) return { ["$ref"] = "#/definitions/" .. name } end

local TYPES = require "cuttle.field_types"
local OTHERS = { bool = "boolean", string = "string" }

-- Descriptions of field types that need an explanation.
local MEANINGS = { quat = "x, y, z, w", mat4 = "16 numbers, column-major", color = "r, g, b, a, usually 0 to 1",
  entity = "Another entity of the level: its id or name; false means no entity.", uint8 = "0 to 255",
  value = "Any value; each entity gets its own copy." }

-- Removes the digits beyond float precision from numbers of the core.
local function short(value, type_name)
  if type(value) == "table" then
    local list = {}
    for place, item in ipairs(value) do list[place] = short(item, type_name) end
    return list
  end
  if type(value) ~= "number" or TYPES[type_name].lane ~= "float" then return value end
  return tonumber(format("%.7g", value))
end

local function numbers(count, least)
  return { type = "array", items = { type = "number" }, minItems = least or count, maxItems = count }
end

-- The schema of a field's value. Null means absent, and is not allowed for a required field.
local function field_schema(field, required)
  local info = TYPES[field.type]
  local found
  if field.type == "value" then return { description = MEANINGS.value } end
  if field.type == "entity" then
    found = { anyOf = { ref "reference", { enum = { false } } } }
  elseif field.type == "enum" then
    found = { type = "string", enum = { unpack(field.labels) } }
    if not required then found.enum[#found.enum + 1] = json.null end
  elseif info.lanes > 1 then
    found = numbers(info.lanes, field.planar and 2 or nil)
    if field.uniform then found = { anyOf = { found, { type = "number" } } } end
  else
    found = { type = info.number or OTHERS[field.type], minimum = info.low, maximum = info.high }
  end
  if field.cells then
    local largest = field.flips and 7 or 2 ^ 32 - 1
    found = { type = "array", items = { type = "integer", minimum = 0, maximum = largest } }
  end
  if field.numbered then found = { anyOf = { { type = "string" }, { type = "integer", minimum = 1 } } } end
  if found.anyOf and not required then
    found.anyOf[#found.anyOf + 1] = { type = "null" }
  elseif not required then
    found.type = { found.type, "null" }
  end
  found.description = MEANINGS[field.type]
  if not required and not field.cells then found.default = short(field.default, field.type) end
  return found
end

-- Components -------------------------------------------------------------------------------------------------------

local DESCRIPTIONS = {
  transform = "Position, rotation and scale relative to the nearest ancestor that has a transform.",
  debug_name = "The name of the entity; usually given by the entity's key 'name'.",
  point_mass = "A mass that moves: simulate(dt) integrates it.",
  mesh = "A drawable resource.",
  model = "A hierarchy of nodes.",
  actor = "A physics body.",
  grid = "The cells of a map: numbers, row by row; 0 is an empty cell.",
}

local FIELD_DESCRIPTIONS = {
  transform = { angle = "Radians about z, instead of a rotation.", scale = "x, y, z, or one number for all",
    matrix = "16 numbers, column-major, instead of all other fields." },
  mesh = { resource = "The name of a resource that was defined with mesh:define_resource." },
  grid = { cell_size = "Width and height of a cell, or one number for both.",
    flips = "Flips of the cells: the sum of 1 horizontal, 2 vertical and 4 diagonal.",
    tiles = "The name of a resource that was defined with grid:define_resource.",
    cells = "width x height numbers, the first row first." },
  model = { resource = "The name of a resource that was defined with model:define_resource." },
}

-- Excludes pairs of fields that cannot be given together; null counts as absent.
local function not_together(fields)
  local all = {}
  for _, field in ipairs(fields) do
    for _, other in ipairs(field.excludes or {}) do
      local given = { ["not"] = { type = "null" } }
      all[#all + 1] = { ["not"] = { type = "object", required = { other, field.name },
        properties = { [other] = given, [field.name] = given } } }
    end
  end
  return #all > 0 and all or nil
end

local function component_id()
  return { description = "Identifies one of several components of the entity; a unique number by default.", anyOf = {
    { type = "string" }, { type = "integer", minimum = 1, maximum = 2 ^ 30 - 1 }, { type = "null" } } }
end

-- The schema of one component that is not null. An entry that includes a prefab has no required fields: the prefab may
-- have them.
local function one_component(name, known, fields, merged)
  local properties, required = {}, {}
  for _, field in ipairs(fields) do
    if name == "transform" and field.type == "entity" then
      -- The hierarchy is given by `children`, or by `parent` beside `components`.
      properties[field.name] = { type = "null" }
    else
      local needed = field.required and not merged
      properties[field.name] = field_schema(field, needed)
      local description = (FIELD_DESCRIPTIONS[name] or {})[field.name]
      properties[field.name].description = description or properties[field.name].description
      if needed then required[#required + 1] = field.name end
    end
  end
  if known.multiple then properties.id = component_id() end
  local found = described(object(properties), DESCRIPTIONS[name])
  found.allOf = not_together(fields)
  if #required > 0 then found.type, found.maxItems, found.required = { "object" }, nil, required end
  return found
end

local function component(name, known, fields, merged)
  local one = one_component(name, known, fields, merged)
  if not known.multiple then return or_null(one) end
  return { description = one.description,
    anyOf = { one, { type = "array", items = one, minItems = 1 }, { type = "null" } } }
end

-- Entities ---------------------------------------------------------------------------------------------------------

local function entity()
  local found = object {
    name = { type = { "string", "null" }, pattern = "^[^/]+$",
      description = "The name of the entity; several entities may have the same name." },
    id = { type = { "string", "number", "null" }, description = "Unique in the file; for references only." },
    parent = { description = "The id or name of the parent, for an entity that is not listed in the parent's children.",
      anyOf = { ref "reference", { type = "null" } } },
    components = { description = "Component type -> its values; null: none." },
    children = described(or_null(array(ref "child")), "Entities below this one."),
    prefab = { type = { "string", "null" }, minLength = 1,
      description = "The file to include, relative to this one. It has exactly one root, which this entry changes." },
    overrides = described(or_null(object(nil, ref "merged")),
      "Path of an entity inside the prefab -> changed values of its components."),
  }
  found["if"] = { required = { "prefab" }, properties = { prefab = { type = "string" } } }
  found["then"] = { properties = { components = { anyOf = { ref "merged", { type = "null" } } } } }
  found["else"] = { properties = { components = { anyOf = { ref "components", { type = "null" } } },
    overrides = { type = "null" } } }
  return found
end

-- The sorted names of all component types.
local function names_of(types, registered)
  local names = {}
  for name in each, types do names[#names + 1] = name end
  for name in each, registered do
    if not types[name] then names[#names + 1] = name end
  end
  sort(names)
  return names
end

local function definitions(world, registered)
  local types = core.schema.component_types(world)
  local found = {
    reference = { type = { "string", "number" }, description = "An entity of the level: its id, else its name." },
    entity = entity(),
    child = { allOf = { ref "entity" }, properties = { parent = { type = "null" } } },
    components = object {},
    merged = object {},
  }
  for _, name in ipairs(names_of(types, registered)) do
    local strict, merged = "component." .. name, "merged." .. name
    if registered[name] then
      found[strict], merged = { description = "Compiled by a function of the script." }, strict
    else
      local fields = core.schema.component_fields(world, name) or {}
      found[strict] = component(name, types[name], fields, false)
      found[merged] = component(name, types[name], fields, true)
    end
    found.components.properties[name], found.merged.properties[name] = ref(strict), ref(merged)
  end
  return found
end

-- Schema ------------------------------------------------------------------------------------------------------------

local ORDER = { "$schema", "title", "description", "$ref", "type", "enum", "required", "properties",
  "patternProperties", "additionalProperties", "items", "definitions" }

local function check_compiler(compiler)
  if getmetatable(compiler) ~= "EntityCompiler" then return "EntityCompiler expected, got " .. type(compiler) end
end

local OPTIONS = argument.option_list { { "compiler", check_compiler }, { "title", "string" } }

--- Returns the JSON Schema of level source for the components that a world currently has.
-- @param world
-- @tparam[opt] table options `compiler`: an EntityCompiler (components with its registered names may hold any value);
-- `title`
-- @treturn string JSON text, the same for the same components
return function(world, options)
  local ok, trouble = pcall(core.schema.component_types, world)
  if not ok then error((trouble:gsub("'[^']*'", "'schema'", 1)), 2) end
  options = argument.options(options, 2, "schema", OPTIONS)
  return assert(json.encode({
    ["$schema"] = DRAFT,
    title = options.title or "cuttle level",
    type = "object",
    required = { "entities" },
    properties = {
      ["$schema"] = { description = "Path or URL of this schema, for the editor." },
      version = { enum = { 1, json.null }, default = 1, description = "Version of the format." },
      entities = described(array(ref "entity"), "Entities, in spawn order."),
    },
    patternProperties = IGNORED,
    additionalProperties = false,
    definitions = definitions(world, options.compiler and options.compiler.registered or {}),
  }, { indent = 2, order = ORDER })) .. "\n"
end
