--- Has the components of registered names compiled by their functions (Bitsquid part 4, register_component_compiler).
-- Knows nothing of the components that a world knows.
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

-- What the function gets: a copy, which it may change, since prefabs share their tables. Absent is what is absent in
-- all source: keys of null, or that begin with $ or _. In arrays, whose items have places, null stays, as json.null.
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

-- The context of one call. Its place is put together only for those who ask.
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

--- Compiles the components in a bucket: the bytes of their section, 0 for its schema, which makes it opaque, and no
-- fields. What a function raises fails at the component's place.
function registered.compile(work, bucket)
  local section, compile = bytes.writer(work.big_endian), bucket.known.compile
  for instance = 1, bucket.count do
    if instance % 1000 == 0 then work.progress("compiling " .. bucket.name, instance, bucket.count) end
    local ok, made = pcall(compile, config_of(bucket.tables[instance]), context_of(work, bucket, instance))
    local trouble
    if not ok then
      if failure.is(made) then error(made, 0) end
      trouble = core.messages.text_of(made) or "its compile function raised " .. failure.show(made)
    elseif type(made) ~= "string" then
      trouble = "its compile function answered " .. failure.show(made) .. ", not a string"
    end
    if trouble then
      places.fail_component(work.nodes, bucket.nodes[instance], bucket.name, 0, bucket.origins[instance], trouble)
    end
    section:string(made)
  end
  return section:tostring(), 0, false
end

return registered
