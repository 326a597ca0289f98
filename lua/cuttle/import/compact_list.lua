--- Compact list for the children of a layer: stores two numbers for most tiles, and makes entries on demand.
-- Does not depend on the format of an editor.
-- @module cuttle.import.compact_list

local each = require "cuttle.each"
local lazy = require "cuttle.compiler.lazy"

local compact_list = {}

local function is_number(value)
  return type(value) == "number"
end

-- Returns the position of an entry that has only a position with z = 0, or nil.
local function place_of(node)
  if each(node) ~= "components" or each(node, "components") ~= nil then return nil end
  local components = node.components
  if each(components) ~= "transform" or each(components, "transform") ~= nil then return nil end
  local transform = components.transform
  if each(transform) ~= "position" or each(transform, "position") ~= nil then return nil end
  local position = transform.position
  local is_place = type(position) == "table" and #position == 3 and is_number(position[1]) and is_number(position[2])
    and position[3] == 0
  return is_place and position or nil
end

--- Makes a lazy list of entries, see cuttle.compiler.lazy.
-- @treturn function append(node) -> whether only the position of the node is stored
-- @treturn table the list
function compact_list.list()
  local xs, ys, others, count = {}, {}, {}, 0
  local function append(node)
    local place = place_of(node)
    count = count + 1
    xs[count], ys[count] = place and place[1] or 0, place and place[2] or 0
    if not place then others[count] = node end
    return place ~= nil
  end
  local function place(index)
    if index <= count and not others[index] then return xs[index], ys[index] end
  end
  local function entry(index)
    local x, y = place(index)
    return x and { components = { transform = { position = { x, y, 0 } } } } or others[index]
  end
  return append, lazy.list(entry, function() return count end, place)
end

return compact_list
