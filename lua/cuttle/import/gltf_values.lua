--- Readers of common values in glTF documents: indices, names.
-- Does not depend on nodes, scenes or meshes.
-- @module cuttle.import.gltf_values

local failure = require "cuttle.failure"

local values = {}

--- Returns the index at `holder[key]`, which counts from 0. Raises unless it is less than `count`; `noun` names the
-- counted items.
function values.index(cursor, holder, key, count, noun)
  local index = cursor:need(holder, key, "integer")
  if index < 0 or index >= count then
    cursor:fail(key, "unknown %s %s (counted from 0, there are %d)", noun, failure.show(index), count)
  end
  return index + 0 -- a -0 becomes 0
end

--- Returns the indices of the array at `holder[key]`; empty if it is missing or null.
function values.indices(cursor, holder, key, count, noun)
  local list, indices = cursor:maybe(holder, key, "array", {}), {}
  cursor:enter(key)
  for place = 1, #list do indices[place] = values.index(cursor, list, place, count, noun) end
  cursor:leave()
  return indices
end

--- Returns the name of an object of the document; nil if it is empty.
function values.name(cursor, holder)
  local name = cursor:maybe(holder, "name", "string")
  return name ~= "" and name or nil
end

return values
