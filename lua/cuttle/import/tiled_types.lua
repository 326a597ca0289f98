--- Classes and enumerations of a Tiled project, by name.
-- Does not depend on maps, nor on values.
-- @module cuttle.import.tiled_types

local each = require "cuttle.each"
local failure = require "cuttle.failure"
local json = require "cuttle.json"
local source = require "cuttle.import.source"

local types = {}

-- Limits on classes that contain classes, because a value is always built completely.
local MAXIMUM_DEPTH, MAXIMUM_MEMBERS = 50, 10000

local function read_class(cursor, data, class)
  class.members, class.by_name = {}, {}
  for index, item in cursor:each(data, "members") do
    local member = { name = cursor:need(item, "name", "string"), data = item, cursor = cursor:fork(),
      kind = cursor:maybe(item, "type", "string", "string"),
      type_name = cursor:maybe(item, "propertyType", "string") }
    class.members[index], class.by_name[member.name] = member, member
  end
  local uses = cursor:maybe(data, "useAs", "array")
  if not uses then return end
  class.uses = {}
  for _, use in ipairs(uses) do class.uses[use] = true end
end

local function read_enumeration(cursor, data, enumeration)
  local values = cursor:need(data, "values", "array")
  enumeration.values, enumeration.flags = {}, cursor:maybe(data, "valuesAsFlags", "boolean", false)
  cursor:enter("values")
  for index = 1, #values do enumeration.values[index] = cursor:need(values, index, "string") end
  cursor:leave()
end

-- Returns the number of members of a class, including those of the classes in it.
local function measure(all, class, depth)
  if class.size then return class.size end
  local first = class.members[1]
  if class.measuring then first.cursor:fail(nil, "class %s contains itself", failure.show(class.name)) end
  if depth > MAXIMUM_DEPTH then first.cursor:fail(nil, "classes are nested too deep (limit is %d)", MAXIMUM_DEPTH) end
  class.measuring = true
  local size = #class.members
  for _, member in ipairs(class.members) do
    local inner = member.kind == "class" and all[member.type_name]
    if inner and inner.members and inner.members[1] then size = size + measure(all, inner, depth + 1) end
    if size > MAXIMUM_MEMBERS then
      member.cursor:fail(nil, "class %s has more than %d members", failure.show(class.name), MAXIMUM_MEMBERS)
    end
  end
  class.measuring, class.size = false, size
  return size
end

--- Reads the types of a project: the text or path of a `.tiled-project`, or of a file with exported types.
-- @tparam table import uses `decode` and `options`
-- @tparam[opt] string project
-- @treturn table by name, {name=, members=, by_name=, uses=} or {name=, values=, flags=}; empty without a project. A
-- member has name, kind, type_name, and data with a cursor at it
function types.read(import, project)
  local all = {}
  if not project then return all end
  local file = source.open(project, { read = import.options.read, limit = import.options.limit }, "Tiled project text")
  local cursor = source.cursor(file.name)
  local document = import.decode(cursor, file.text)
  if type(document) ~= "table" then
    cursor:fail(nil, "not a Tiled project (expected an object, got %s)", json.type_name(document))
  end
  local listed = document
  if #document > 0 then listed = { propertyTypes = document } end
  for _, data in cursor:each(listed, "propertyTypes") do
    local kind = cursor:maybe(data, "type", "string", "enum")
    local one = { name = cursor:need(data, "name", "string"), directory = file.directory }
    if kind == "class" then read_class(cursor, data, one) else read_enumeration(cursor, data, one) end
    all[one.name] = one
  end
  for _, one in each, all do
    if one.members and one.members[1] then measure(all, one, 1) end
  end
  return all
end

return types
