--- The transform tree with names, as lines of text with a maximum number.
-- Must not depend on the game: a function returns the label of an entity.

local tree = {}

local MOST_CHILDREN = 9

-- Returns the children in order as groups. Leaves with equal labels are one group, and so are leaves without a name.
local function groups_of(world, children, label_of)
  local groups, leaves = {}, {}
  for _, e in ipairs(children) do
    local leaf, label = not world.transform:first_child(e), label_of(e)
    local known = leaf and leaves[label]
    if known then
      known.count = known.count + 1
    else
      local group = { entity = e, label = label, count = 1 }
      groups[#groups + 1] = group
      if leaf then leaves[label] = group end
    end
  end
  return groups
end

local function children_of(world, e)
  local children = {}
  for child in world.transform:children(e) do children[#children + 1] = child end
  return children
end

--- @tparam world world
-- @tparam entity root one with a transform
-- @tparam function label_of function(entity) -> text
-- @tparam number most the maximum number of lines, at least 2
-- @treturn table lines
function tree.lines(world, root, label_of, most)
  local lines = {}

  -- A chain of only children is one line.
  local function text_of(group)
    local text, below = group.label, children_of(world, group.entity)
    if group.count > 1 then return text .. " x " .. group.count, {} end
    while #below == 1 and #text < 60 do
      text = text .. " / " .. label_of(below[1])
      below = children_of(world, below[1])
    end
    return text, below
  end

  local function append(group, first, rest)
    local text, below = text_of(group)
    lines[#lines + 1] = first .. text
    local groups = groups_of(world, below, label_of)
    for index, child in ipairs(groups) do
      local left = #groups - index + 1
      if left > 1 and (#lines >= most - 1 or index > MOST_CHILDREN) then
        lines[#lines + 1] = ("%s`-- ... and %d more"):format(rest, left)
        return
      end
      append(child, rest .. (left == 1 and "`-- " or "|-- "), rest .. (left == 1 and "    " or "|   "))
    end
  end

  append({ entity = root, label = label_of(root), count = 1 }, "", "")
  return lines
end

return tree
