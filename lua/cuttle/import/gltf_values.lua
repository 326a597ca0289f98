--- Reads what stands everywhere in a glTF document: indices, names, extras.
-- Knows nothing of nodes, scenes or meshes.
-- @module cuttle.import.gltf_values

local failure = require "cuttle.failure"

local values = {}

--- The index at `holder[key]`, as the file has it, from 0 on. Fails when it is not below `count`; `noun` names what is
-- counted.
function values.index(cursor, holder, key, count, noun)
  local index = cursor:need(holder, key, "integer")
  if index < 0 or index >= count then
    cursor:fail(key, "there is no %s %s (counted from 0, there are %d)", noun, failure.show(index), count)
  end
  return index + 0 -- a -0 becomes 0
end

--- The indices of the array at `holder[key]`; what is missing or null is empty.
function values.indices(cursor, holder, key, count, noun)
  local list, indices = cursor:maybe(holder, key, "array", {}), {}
  cursor:enter(key)
  for place = 1, #list do indices[place] = values.index(cursor, list, place, count, noun) end
  cursor:leave()
  return indices
end

--- The name of an object of the document; an empty one is none.
function values.name(cursor, holder)
  local name = cursor:maybe(holder, "name", "string")
  return name ~= "" and name or nil
end

return values
