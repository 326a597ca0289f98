--- Reads what stands everywhere in a glTF document: indices, names, extras.
-- Knows nothing of nodes, scenes or meshes.
-- @module cuttle.import.gltf_values

local each = require "cuttle.each"
local failure = require "cuttle.failure"
local json = require "cuttle.json"

local is_null = json.is_null

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

--- A part of the document as plain Lua tables: null is nil, and in arrays is left out, so that the rest moves up.
-- Nothing of the document is shared. Depth follows the data, not the stack.
function values.plain(value)
  if is_null(value) then return nil end
  if type(value) ~= "table" then return value end
  local result = {}
  -- A decoder of the script may give one table in several places, or within itself.
  local copies, waiting, count = { [value] = result }, { value }, 1

  local function taken(item)
    if type(item) ~= "table" then return item end
    if not copies[item] then
      count = count + 1
      copies[item], waiting[count] = {}, item
    end
    return copies[item]
  end

  while count > 0 do
    local from = waiting[count]
    local to, length = copies[from], #from
    count = count - 1
    for index = 1, length do
      if not is_null(from[index]) then to[#to + 1] = taken(from[index]) end
    end
    for key, item in each, length == 0 and from or {} do
      if not is_null(item) then to[key] = taken(item) end
    end
  end
  return result
end

return values
