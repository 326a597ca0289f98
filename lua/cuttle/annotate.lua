--- LuaCATS annotations of a project's components, for the Lua language server.
-- Does not depend on files, nor on the annotations of the library in lua/cuttle/meta.lua.
-- @module cuttle.annotate

local argument = require "cuttle.argument"
local core = require "cuttle.core"

local concat, format = table.concat, string.format

local TYPES = require "cuttle.field_types"
local OTHERS = { bool = "boolean", entity = "cuttle.entity|nil", string = "string", value = "any" }

-- The annotated type of a field's value, as `get` returns it and `create` takes it.
local function value_type(kind, labels)
  if kind == "enum" then
    local quoted = {}
    for place, label in ipairs(labels) do quoted[place] = format("%q", label):gsub("\\\n", "\\n") end
    return concat(quoted, "|")
  end
  if TYPES[kind].lanes > 1 then return "number[]" end
  return TYPES[kind].number or OTHERS[kind]
end

-- The types of a getter's results, and those of a setter's parameters after the target.
local function accessor_types(kind, labels)
  local parts, lanes = TYPES[kind].parts, TYPES[kind].lanes
  if not parts then
    local plain = value_type(kind, labels)
    if lanes > 1 then return ("number, "):rep(lanes - 1) .. "number", "...: number|number[]" end
    return plain, "value: " .. plain
  end
  local returned, taken = {}, {}
  for place = 1, #parts do returned[place], taken[place] = "number", parts:sub(place, place) .. ": number" end
  return concat(returned, ", "), concat(taken, ", ")
end

-- The annotated type of an item of a column: a number, a string, or the accessor of a vector.
local function item_type(kind)
  local parts = TYPES[kind].parts
  if not parts then
    if kind == "enum" or kind == "entity" then return "integer" end
    return value_type(kind)
  end
  local members = {}
  for place = 1, #parts do members[place] = parts:sub(place, place) .. ": number" end
  return "{ " .. concat(members, ", ") .. " }"
end

local function add_values(lines, name, fields, multiple)
  lines[#lines + 1] = format("---@class cuttle.values.%s", name)
  if multiple then lines[#lines + 1] = "---@field id? string|integer" end
  for _, field in ipairs(fields) do
    lines[#lines + 1] = format("---@field %s? %s", field[1], value_type(field[2], field[3]))
  end
  lines[#lines + 1] = ""
end

local function add_columns(lines, name, fields)
  for _, field in ipairs(fields) do
    if field[2] ~= "value" then
      lines[#lines + 1] = format("---@class cuttle.column.%s.%s : cuttle.column", name, field[1])
      lines[#lines + 1] = format("---@field [integer] %s", item_type(field[2]))
      lines[#lines + 1] = ""
    end
  end
end

local function add_accessors(lines, manager, name, fields)
  local self = "self: cuttle.component." .. name
  for _, field in ipairs(fields) do
    local getter, setter = field[1], "set_" .. field[1]
    local returned, taken = accessor_types(field[2], field[3])
    if manager[setter] then -- hidden fields have none
      lines[#lines + 1] = format("---@field %s fun(%s, target: cuttle.target): %s", getter, self, returned)
      lines[#lines + 1] = format("---@field %s fun(%s, target: cuttle.target, %s)", setter, self, taken)
    end
  end
end

local function add_manager(lines, manager, name, fields, multiple)
  local self, values = "self: cuttle.component." .. name, "cuttle.values." .. name
  local first = #lines + 1
  lines[first] = format("---@class cuttle.component.%s : cuttle.Manager", name)
  local own = {}
  add_accessors(own, manager, name, fields)
  own[#own + 1] = format("---@field create fun(%s, e: cuttle.entity, values?: %s): cuttle.instance", self, values)
  own[#own + 1] = format("---@field get fun(%s, target: cuttle.target): %s", self, values)
  own[#own + 1] = format("---@field set fun(%s, target: cuttle.target, values: %s)", self, values)
  for _, line in ipairs(own) do lines[#lines + 1] = line end
  local columns = {}
  for _, field in ipairs(fields) do
    if field[2] ~= "value" then
      columns[#columns + 1] = format("(fun(%s, field: %q): cuttle.column.%s.%s)", self, field[1], name, field[1])
    end
  end
  if #columns > 0 then lines[#lines + 1] = "---@field column " .. concat(columns, "|") end
  if multiple then table.insert(lines, first, "--- An entity may have several, each with its own id.") end
  lines[#lines + 1] = ""
end

local annotate = {}

--- Returns annotations for all script-defined components of a world: for each one a class of its manager with accessors
-- and columns, a class of its values, and a field of the world. Editors read the text together with
-- lua/cuttle/meta.lua; it is not executed. The same components give the same text.
-- @param world a world
-- @treturn string
function annotate.text(world)
  argument.check_world(world, "annotate")
  local lines = { "---@meta", "-- Written by `cuttle annotate`: this project's components, for editors.", "" }
  local names, types = {}, core.schema.component_types(world)
  for name, manager in world:managers() do
    if types[name].spawn_order >= 100 then
      local fields, multiple = manager:fields(), types[name].multiple
      names[#names + 1] = name
      add_values(lines, name, fields, multiple)
      add_columns(lines, name, fields)
      add_manager(lines, manager, name, fields, multiple)
    end
  end
  lines[#lines + 1] = "---@class cuttle.World"
  for _, name in ipairs(names) do lines[#lines + 1] = format("---@field %s cuttle.component.%s", name, name) end
  return concat(lines, "\n") .. "\n"
end

return annotate
