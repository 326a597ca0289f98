--- cuttle.publisher and cuttle.subscriber: options of replications.
-- Does not depend on the format of messages.
-- @module cuttle.replication

local argument = require "cuttle.argument"
local core = require "cuttle.core"
local each = require "cuttle.each"

local format = string.format
local type_name = core.messages.type_name

local replication = {}

local function names_trouble(value)
  if type(value) ~= "table" then return "table expected, got " .. type_name(value) end
  for place = 1, #value do
    if type(value[place]) ~= "string" then
      return format("[%d]: string expected, got %s", place, type_name(value[place]))
    end
  end
end

local function steps_trouble(value)
  if type(value) ~= "table" then return "table expected, got " .. type_name(value) end
  local first
  for path, step in each, value do
    local trouble
    if type(path) ~= "string" or not path:find "^[^.]+%.[^.]+$" then
      local got = type(path) == "string" and path or type_name(path)
      trouble = format('"component.field" expected as a key, got %s', got)
    elseif type(step) ~= "number" or not (step > 0 and step < math.huge) then
      trouble = format("%s: number above 0 expected, got %s", path,
        type(step) == "number" and tostring(step) or type_name(step))
    end
    if trouble and (not first or trouble < first) then first = trouble end
  end
  return first
end

local function query_trouble(value)
  if getmetatable(value) ~= "Query" then return "Query expected, got " .. type_name(value) end
end

local PUBLISHER = argument.option_list {
  { "components", names_trouble }, { "keep", argument.integer(1, 1000000) }, { "steps", steps_trouble },
  { "where", query_trouble },
}
local SUBSCRIBER = argument.option_list {
  { "components", names_trouble }, { "max_bytes", argument.integer(1, 2147483647) },
  { "max_entities", argument.integer(0, core.MAX_ENTITIES) },
}

--- `cuttle.publisher(world, options)`.
function replication.publisher(world, options)
  argument.check_world(world, "publisher")
  local given = argument.options(options, 2, "publisher", PUBLISHER)
  if given.components == nil then argument.bad(2, "publisher", "components: required") end
  local paths, components, fields, steps = {}, {}, {}, {}
  for path in each, given.steps or {} do paths[#paths + 1] = path end
  table.sort(paths)
  for place, path in ipairs(paths) do
    components[place], fields[place] = path:match "^([^.]+)%.([^.]+)$"
    steps[place] = given.steps[path]
  end
  local made, trouble = argument.call(core.publisher, world, given.components, given.keep, components, fields, steps,
    given.where)
  if not made then argument.bad(2, "publisher", "%s", trouble) end
  return made
end

--- `cuttle.subscriber(world [, options])`.
function replication.subscriber(world, options)
  argument.check_world(world, "subscriber")
  local given = argument.options(options, 2, "subscriber", SUBSCRIBER)
  local made = argument.call(core.subscriber, world, given.max_bytes, given.max_entities, given.components)
  return made
end

return replication
