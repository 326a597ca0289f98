--- Values of `value` fields in level source: any JSON value, with all keys.
-- Does not depend on components, nor on the binary encoding of values.
-- @module cuttle.compiler.values

local each = require "cuttle.each"
local failure = require "cuttle.failure"
local json = require "cuttle.json"

local index_trouble, is_null = failure.index_trouble, json.is_null

local values = {}

-- Deeper tables are copied by reference. The encoder refuses them, and tables that contain themselves or have __index.
local DEEPEST = 110

local function begin(stack, from, into)
  stack[#stack + 1] = { from = from, into = into, key = nil }
end

--- Copies a value without null: a key whose value is null is removed, and null in an array becomes `false`. A table
-- with several references is copied once.
function values.without_null(value)
  if type(value) ~= "table" or index_trouble(value) then return value end
  local copy, stack, copies = {}, {}, {}
  begin(stack, value, copy)
  while #stack > 0 do
    local top = stack[#stack]
    local key, item = each(top.from, top.key)
    top.key = key
    if key == nil then
      stack[#stack] = nil
    elseif is_null(item) then
      if type(key) == "number" then top.into[key] = false end
    elseif type(item) == "table" and copies[item] then
      top.into[key] = copies[item]
    elseif type(item) == "table" and #stack < DEEPEST and not index_trouble(item) then
      local inner = {}
      top.into[key], copies[item] = inner, inner
      begin(stack, item, inner)
    else
      top.into[key] = item
    end
  end
  return copy
end

return values
