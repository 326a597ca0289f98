--- Order of the nodes of a level: depth first in source order, parents before their children.
-- Does not depend on documents or components.
-- @module cuttle.compiler.order

local each = require "cuttle.each"

local find = string.find

local source_order = {}

local function append(lists, key, value)
  local list = lists[key]
  if list then list[#list + 1] = value else lists[key] = { value } end
end

-- A node whose parent is not placed yet waits in `late`, and is placed after that parent's own children.
local function place_with_late(nodes, up)
  local order, placed, kids, late = {}, {}, {}, {}
  for node = 1, nodes.count do
    if nodes.up[node] > 0 then append(kids, nodes.up[node], node) end
  end

  local function place_subtree(root)
    local stack, cursors, depth = { root }, { 0 }, 1
    order[#order + 1], placed[root] = root, true
    while depth > 0 do
      local node, cursor = stack[depth], cursors[depth] + 1
      local own = kids[node] and #kids[node] or 0
      local next_node = cursor <= own and kids[node][cursor] or late[node] and late[node][cursor - own]
      cursors[depth] = cursor
      if next_node then
        depth = depth + 1
        stack[depth], cursors[depth] = next_node, 0
        order[#order + 1], placed[next_node] = next_node, true
      else
        depth = depth - 1
      end
    end
  end

  for node = 1, nodes.count do
    if not placed[node] and nodes.up[node] == 0 then
      if up[node] > 0 and not placed[up[node]] then append(late, up[node], node) else place_subtree(node) end
    end
  end
  return order, placed
end

-- Resolves parents that are given as paths. A path is followed through parents, which may themselves be given as paths,
-- so unresolved ones are tried again after the others. Paths that cannot be resolved are refused.
local function follow_paths(nodes, up, paths, resolve, refuse)
  nodes.parent = up -- incomplete; needed to resolve paths
  while #paths > 0 do
    local waiting = {}
    for _, node in ipairs(paths) do
      local found = resolve(node)
      if found then
        up[node] = found
        if nodes.kids then append(nodes.kids, found, node) end
      else
        waiting[#waiting + 1] = node
      end
    end
    if #waiting == #paths then
      for _, node in ipairs(waiting) do refuse(node) end
      break
    end
    paths = waiting
  end
  nodes.parent, nodes.kids = nil, nil
end

-- The nodes with a given parent that are their own ancestors.
local function find_circular(nodes, up, placed)
  local circular, walk = {}, {} -- walk: node -> the node from which it was first reached
  for from = 1, nodes.count do
    local node = from
    while not placed[node] and not walk[node] do
      walk[node] = from
      node = up[node]
    end
    local first = node
    if walk[first] == from then
      repeat
        if nodes.parents[node] then circular[#circular + 1] = node end
        node = up[node]
      until node == first
    end
  end
  return circular
end

--- Fills `order` (place -> node), `rank` (node -> place) and `parent` (node -> node or 0). The first two are the same
-- table if nodes are already in order.
-- @tparam table nodes
-- @tparam function resolve function(node) -> the node that its key `parent` names; false or nil if there is not one
-- @tparam function refuse function(node): reports a parent that is not found; if it returns, the node is a root
-- @treturn table the nodes that would be their own ancestors; if there are any, nothing is filled in
function source_order.arrange(nodes, resolve, refuse)
  local up, paths, waits = each(nodes.parents) == nil and nodes.up or {}, {}, false
  for node = 1, up ~= nodes.up and nodes.count or 0 do
    local parent = nodes.parents[node]
    up[node] = parent and 0 or nodes.up[node]
    if parent then
      local found = resolve(node)
      if found then
        up[node] = found
      elseif find(parent, "/", 1, true) then
        paths[#paths + 1] = node
      else
        refuse(node)
      end
    end
  end
  follow_paths(nodes, up, paths, resolve, refuse)
  for node = 1, nodes.count do waits = waits or nodes.parents[node] and up[node] >= node end
  local order, placed = {}, nil
  if waits then
    order, placed = place_with_late(nodes, up)
  else
    for node = 1, nodes.count do order[node] = node end
  end
  if #order < nodes.count then return find_circular(nodes, up, placed) end
  local rank = waits and {} or order
  for place = 1, waits and #order or 0 do rank[order[place]] = place end
  nodes.order, nodes.rank, nodes.parent = order, rank, up
  return {}
end

return source_order
