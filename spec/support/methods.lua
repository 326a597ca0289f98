-- Search for the methods of an object along its __index tables.

local each = require "cuttle.each" -- child processes run these loops hot

local methods = {}

--- The __index tables, the object's own first.
function methods.tables(object)
  local tables, metatable = {}, debug.getmetatable(object)
  while metatable and type(metatable.__index) == "table" do
    tables[#tables + 1] = metatable.__index
    metatable = debug.getmetatable(metatable.__index)
  end
  return tables
end

--- The methods of the object by name.
function methods.of(object)
  local found = {}
  for _, functions in ipairs(methods.tables(object)) do
    for name, value in each, functions do
      if type(value) == "function" and found[name] == nil then found[name] = value end
    end
  end
  return found
end

return methods
