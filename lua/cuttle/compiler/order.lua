--- In which order the nodes of a level stand: depth first as written, parents before their children.
-- Knows nothing of documents or components.
-- @module cuttle.compiler.order

local source_order = {}

local function append(lists, key, value)
  local list = lists[key]
  if list then list[#list + 1] = value else lists[key] = { value } end
end

-- A node whose parent is not placed yet waits in `late`, and comes behind that parent's own children.
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
      local nextnode = cursor <= own and kids[node][cursor] or late[node] and late[node][cursor - own]
      cursors[depth] = cursor
      if nextnode then
        depth = depth + 1
        stack[depth], cursors[depth] = nextnode, 0
        order[#order + 1], placed[nextnode] = nextnode, true
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

--- Fills `order` (place -> node), `rank` (node -> place) and `parent` (node -> node or 0).
-- @tparam table nodes
-- @tparam function resolve function(node) -> the node that its key `parent` means
-- @treturn[opt] number a node that would be its own ancestor: then nothing is filled in
function source_order.arrange(nodes, resolve)
  local up, waits = {}, false
  for node = 1, nodes.count do
    up[node] = nodes.up[node]
    if nodes.parents[node] then
      up[node] = resolve(node)
      waits = waits or up[node] >= node
    end
  end
  local order, placed = {}, nil
  if waits then
    order, placed = place_with_late(nodes, up)
  else
    for node = 1, nodes.count do order[node] = node end
  end
  for node = 1, nodes.count do
    if placed and not placed[node] and nodes.parents[node] then return node end
  end
  local rank = {}
  for place = 1, #order do rank[order[place]] = place end
  nodes.order, nodes.rank, nodes.parent = order, rank, up
end

return source_order
