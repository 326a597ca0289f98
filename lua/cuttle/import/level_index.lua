--- Index of the levels of a project: their names, rectangles and neighbours, in the form that `cuttle.stage` takes.
-- Does not depend on the format of an editor.
-- @module cuttle.import.level_index

local failure = require "cuttle.failure"

local level_index = {}

-- Levels at other depths are neighbours only if they overlap.
local function are_neighbours(a, b)
  if a.world ~= b.world or math.abs(a.depth - b.depth) > 1 then return false end
  local x = math.min(a.x + a.w, b.x + b.w) - math.max(a.x, b.x)
  local y = math.min(a.y + a.h, b.y + b.h) - math.max(a.y, b.y)
  if a.depth == b.depth then return x >= 0 and y >= 0 end
  return x > 0 and y > 0
end

--- Sets the neighbours of entries: the names of all levels in the same world that touch or overlap them at the same
-- depth, or that overlap them at the next depth, in the order of the entries.
-- @tparam table entries an array of {name=, x=, y=, w=, h=, depth=, world=}
function level_index.find_neighbours(entries)
  local sorted, found = {}, {}
  for place = 1, #entries do sorted[place], found[place] = place, {} end
  table.sort(sorted, function(a, b)
    if entries[a].x ~= entries[b].x then return entries[a].x < entries[b].x end
    return a < b
  end)
  for order = 1, #sorted do
    local place = sorted[order]
    local entry = entries[place]
    for later = order + 1, #sorted do
      local other = sorted[later]
      if entries[other].x > entry.x + entry.w then break end
      if are_neighbours(entry, entries[other]) then
        table.insert(found[place], other)
        table.insert(found[other], place)
      end
    end
  end
  for place, entry in ipairs(entries) do
    table.sort(found[place])
    entry.neighbours = {}
    for order, other in ipairs(found[place]) do entry.neighbours[order] = entries[other].name end
  end
end

--- Raises an error at the cursor's key if a split level would have the name of an earlier one.
-- @tparam table sources the split levels by name
function level_index.check_name(cursor, key, sources, name)
  if not sources[name] then return end
  cursor:fail(key, "two levels are named %s: split levels need different names", failure.show(name))
end

return level_index
