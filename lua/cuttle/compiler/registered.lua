--- Compilation of registered component types by their functions (Bitsquid part 4, register_component_compiler).
-- Does not depend on the component types of the world.
-- @module cuttle.compiler.registered

local bytes = require "cuttle.bytes"
local core = require "cuttle.core"
local each = require "cuttle.each"
local entries = require "cuttle.compiler.entries"
local failure = require "cuttle.failure"
local json = require "cuttle.json"
local places = require "cuttle.compiler.places"
local source = require "cuttle.compiler.source"

local is_ignored, is_null = entries.is_ignored, json.is_null

local registered = {}

-- Copies the value of a component for the function, which may change it, because prefabs share their tables. Keys whose
-- value is null or that begin with $ or _ are left out, as in all source. In arrays null stays, as json.null.
local function config_of(value)
  if type(value) ~= "table" then return value end
  local top = {}
  local copies, list = { [value] = top }, { value }
  for place = 1, math.huge do
    local from = list[place]
    if from == nil then return top end
    local to, is_array = copies[from], #from > 0
    for key, item in each, from do
      if is_null(item) then
        to[key] = is_array and json.null or nil
      elseif type(item) == "table" then
        if not copies[item] and not is_ignored(key) then copies[item], list[#list + 1] = {}, item end
        if not is_ignored(key) then to[key] = copies[item] end
      elseif not is_ignored(key) then
        to[key] = item
      end
    end
  end
end

-- Makes the context of one call. Its `path` is formatted only when it is read.
local function context_of(work, bucket, instance)
  local nodes, node, origin = work.nodes, bucket.nodes[instance], bucket.origins[instance]
  local context = {
    writer = function() return bytes.writer(work.big_endian) end,
    entity = function(name)
      local target, trouble = source.find(nodes, node, name)
      if not target then places.fail_component(nodes, node, bucket.name, 0, origin, trouble) end
      return nodes.rank[target] - 1
    end,
  }
  return setmetatable(context, { __index = function(_, key)
    if key == "path" then return places.of_component(nodes, node, bucket.name, 0, origin) end
  end })
end

--- Compiles the components in a bucket. Returns the bytes of the section, 0 for its schema (which makes the section
-- opaque), and no fields. An error of the function is raised with the place of the component.
function registered.compile(work, bucket)
  local section, compile = bytes.writer(work.big_endian), bucket.known.compile
  for instance = 1, bucket.count do
    if instance % 1000 == 0 then work.progress("compiling " .. bucket.name, instance, bucket.count) end
    local ok, result = pcall(compile, config_of(bucket.tables[instance]), context_of(work, bucket, instance))
    local trouble
    if not ok then
      if failure.is(result) then error(result, 0) end
      trouble = core.messages.text_of(result) or "the compile function raised " .. failure.show(result)
    elseif type(result) ~= "string" then
      trouble = "the compile function must return a string, got " .. failure.show(result)
    end
    if trouble then
      places.fail_component(work.nodes, bucket.nodes[instance], bucket.name, 0, bucket.origins[instance], trouble)
    end
    section:string(result)
  end
  return section:tostring(), 0, false
end

return registered
