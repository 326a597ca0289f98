--- Children of a layer as a list that holds two numbers for most tiles, and makes entries when they are asked for.
-- Knows nothing of a particular editor's format.
-- @module cuttle.import.places

local each = require "cuttle.each"
local lazy = require "cuttle.compiler.lazy"

local places = {}

local function is_number(value)
  return type(value) == "number"
end

-- The place of an entry that has no more than that; nil for any other.
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

--- A lazy list of entries, see cuttle.compiler.lazy.
-- @treturn function append(node) -> whether the node is kept as a place alone
-- @treturn table the list
function places.list()
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

return places
