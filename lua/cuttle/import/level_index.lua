--- Index of the levels of a project: their names, rectangles and neighbours, in the form that `cuttle.stage` takes.
-- Does not depend on the format of an editor.
-- @module cuttle.import.level_index

local failure = require "cuttle.failure"

local level_index = {}

--- The most pairs of levels that are compared, so that a project of any size is imported in seconds.
level_index.MOST_PAIRS = 2 ^ 22

-- Returns the keys of the axis on which the levels extend further.
local function long_axis(entries)
  local left, right, top, bottom = math.huge, -math.huge, math.huge, -math.huge
  for _, entry in ipairs(entries) do
    left, right = math.min(left, entry.x), math.max(right, entry.x + entry.w)
    top, bottom = math.min(top, entry.y), math.max(bottom, entry.y + entry.h)
  end
  if bottom - top > right - left then return "y", "h" end
  return "x", "w"
end

-- Calls visit(a, b) with the places of each two entries that touch or overlap on the long axis, in the order of their
-- positions on it. Returns false if there are too many of them.
local function each_pair(entries, visit)
  local position, size = long_axis(entries)
  local sorted, count = {}, 0
  for place = 1, #entries do sorted[place] = place end
  table.sort(sorted, function(a, b)
    if entries[a][position] ~= entries[b][position] then return entries[a][position] < entries[b][position] end
    return a < b
  end)
  for order = 1, #sorted do
    local place = sorted[order]
    local stop = entries[place][position] + entries[place][size]
    for later = order + 1, #sorted do
      local other = sorted[later]
      if entries[other][position] > stop then break end
      count = count + 1
      if count > level_index.MOST_PAIRS then return false end
      visit(place, other)
    end
  end
  return true
end

-- Returns the width and height of the area that two entries share; 0 if they touch, less if there is a gap.
local function common(a, b)
  return math.min(a.x + a.w, b.x + b.w) - math.max(a.x, b.x), math.min(a.y + a.h, b.y + b.h) - math.max(a.y, b.y)
end

-- Levels at other depths are neighbours only if they overlap.
local function are_neighbours(a, b)
  if a.world ~= b.world or math.abs(a.depth - b.depth) > 1 then return false end
  local width, height = common(a, b)
  if a.depth == b.depth then return width >= 0 and height >= 0 end
  return width > 0 and height > 0
end

--- Sets the neighbours of entries: the names of all levels in the same world that touch or overlap them at the same
-- depth, or that overlap them at the next depth, in the order of the entries. If too many levels are beside one
-- another, no entry has neighbours.
-- @tparam table entries an array of {name=, x=, y=, w=, h=, depth=, world=}
function level_index.find_neighbours(entries)
  local found = {}
  for place, entry in ipairs(entries) do found[place], entry.neighbours = {}, {} end
  local is_complete = each_pair(entries, function(a, b)
    if are_neighbours(entries[a], entries[b]) then
      table.insert(found[a], b)
      table.insert(found[b], a)
    end
  end)
  if not is_complete then return end
  for place, entry in ipairs(entries) do
    table.sort(found[place])
    for order, other in ipairs(found[place]) do entry.neighbours[order] = entries[other].name end
  end
end

--- Returns the number of pairs of levels in one world that overlap at different depths, and the first pair. If too many
-- levels are beside one another, not all pairs are counted.
-- @tparam table entries an array of {name=, x=, y=, w=, h=, depth=, world=}
function level_index.overlapping(entries)
  local count, first, second = 0, nil, nil
  each_pair(entries, function(place, other)
    local a, b = entries[place], entries[other]
    local width, height = common(a, b)
    if a.depth ~= b.depth and a.world == b.world and width > 0 and height > 0 then
      count = count + 1
      if not first then first, second = a, b end
    end
  end)
  return count, first, second
end

--- Raises an error at the cursor's key if a split level would have the name of an earlier one.
-- @tparam table sources the split levels by name
function level_index.check_name(cursor, key, sources, name)
  if not sources[name] then return end
  cursor:fail(key, "two levels are named %s: split levels need different names", failure.show(name))
end

return level_index
