--- Scenes and node hierarchy of a glTF document. Checks that the nodes form a forest.
-- Does not depend on data of nodes other than children and names.
--
-- Nodes are identified by their places in the file, from 1. Indices in messages are the file's own, from 0.
-- @module cuttle.import.gltf_tree

local failure = require "cuttle.failure"
local json = require "cuttle.json"
local leftovers = require "cuttle.import.leftovers"
local values = require "cuttle.import.gltf_values"

local is_null = json.is_null

local tree = {}

-- The largest number of nodes of a cycle in a message.
local SHOWN = 8

--- Formats a node for messages: `node 3 "wheel"`.
function tree.label(nodes, place)
  -- A node that was not read yet may have any type.
  local name = type(nodes[place]) == "table" and nodes[place].name
  return string.format("node %d", place - 1) .. (type(name) == "string" and " " .. failure.show(name) or "")
end

-- Checks for cycles. Each node has at most one parent, so every node is visited once.
local function check_cycles(cursor, nodes, parents)
  local passed = {}
  for first = 1, #nodes do
    local place = first
    while place and not passed[place] do
      passed[place] = first
      place = parents[place]
    end
    if place and passed[place] == first then
      local chain, ancestor = { place - 1 }, place
      repeat
        ancestor = parents[ancestor]
        table.insert(chain, 1, #chain > SHOWN and "..." or ancestor - 1)
      until ancestor == place or #chain > SHOWN + 1
      cursor:fail("nodes", "%s is its own ancestor (cycle: %s, counted from 0)", tree.label(nodes, place),
        table.concat(chain, " > "))
    end
  end
end

--- Reads the hierarchy of all nodes.
-- @tparam cursor cursor at the root
-- @tparam table document
-- @treturn table `nodes`; by place `parents` (nil for roots) and `children` (places, as in the file)
function tree.read(cursor, document)
  local nodes = cursor:maybe(document, "nodes", "array", {})
  local parents, children = {}, {}
  for place, node in cursor:each(document, "nodes") do
    local indices = values.indices(cursor, node, "children", #nodes, "node")
    for at, index in ipairs(indices) do
      local child = index + 1
      if parents[child] then
        cursor:enter("children")
        cursor:fail(at, "%s is already a child of %s (counted from 0)", tree.label(nodes, child),
          tree.label(nodes, parents[child]))
      end
      parents[child], indices[at] = place, child
    end
    children[place] = indices
  end
  check_cycles(cursor, nodes, parents)
  return { nodes = nodes, parents = parents, children = children }
end

-- Returns the place of the scene with a name.
local function scene_named(cursor, document, wanted)
  local found, offered = nil, {}
  for place, scene in cursor:each(document, "scenes") do
    local name = values.name(cursor, scene)
    offered[#offered + 1] = name
    if name == wanted then
      if found then
        cursor:fail("name", "%s is also the name of scenes[%d]: pass option scene as a number", failure.show(name),
          found)
      end
      found = place
    end
  end
  if not found then cursor:fail(nil, "unknown scene %s%s", failure.show(wanted), failure.hint(wanted, offered)) end
  return found
end

-- Returns the place of the requested scene; nil if none is requested and the file has none.
local function scene_place(cursor, document, wanted)
  local count = #cursor:maybe(document, "scenes", "array", {})
  if type(wanted) == "string" then return scene_named(cursor, document, wanted) end
  if wanted then
    if wanted < count then return wanted + 1 end
    cursor:fail(nil, "unknown scene %s (counted from 0, there are %d)", failure.show(wanted), count)
  end
  if not is_null(document.scene) then return values.index(cursor, document, "scene", count, "scene") + 1 end
  return count > 0 and 1 or nil
end

-- Returns whether an ancestor of a node is in `listed`. `clear` is a cache of nodes without such an ancestor.
local function is_below(parents, listed, clear, place)
  local passed, ancestor = {}, parents[place]
  while ancestor and not clear[ancestor] do
    if listed[ancestor] then return true end
    passed[#passed + 1] = ancestor
    ancestor = parents[ancestor]
  end
  for _, other in ipairs(passed) do clear[other] = true end
  return false
end

-- Checks that the nodes that a scene lists are roots, or that their ancestors are not in the scene.
local function check_roots(cursor, forest, roots, left)
  local listed, clear, stray, first = {}, {}, 0, nil
  for at, node in ipairs(roots) do
    if listed[node] then
      cursor:fail(at, "%s is already in the scene (counted from 0)", tree.label(forest.nodes, node))
    end
    listed[node] = true
  end
  for at, node in ipairs(roots) do
    if is_below(forest.parents, listed, clear, node) then
      cursor:fail(at, "expected a root, got %s, a child of %s (counted from 0)", tree.label(forest.nodes, node),
        tree.label(forest.nodes, forest.parents[node]))
    elseif forest.parents[node] then
      stray, first = stray + 1, first or node
    end
  end
  if first then
    left:warn("%s is in the scene without its parent, %s%s (counted from 0)", tree.label(forest.nodes, first),
      tree.label(forest.nodes, forest.parents[first]), leftovers.more(stray))
  end
end

--- Finds the scene to import: the requested one (its index from 0, or its name), else the file's default, else the
-- first, else all roots. A listed node whose parent is not in the scene is a root.
-- @tparam cursor cursor at the root
-- @tparam table document
-- @tparam table forest from `tree.read`
-- @param wanted number, string or nil
-- @tparam table left the leftovers of the import
-- @treturn table its roots: places of nodes
-- @treturn table description: `index` from 0, `name`, `extras`; nil if the file has no scenes
function tree.scene(cursor, document, forest, wanted, left)
  local place, roots = scene_place(cursor, document, wanted), {}
  if not place then
    for node = 1, #forest.nodes do
      if not forest.parents[node] then roots[#roots + 1] = node end
    end
    return roots, nil
  end
  cursor:enter("scenes")
  local scene = cursor:need(document.scenes, place, "object")
  cursor:enter(place)
  local indices = values.indices(cursor, scene, "nodes", #forest.nodes, "node")
  for at, index in ipairs(indices) do roots[at] = index + 1 end
  cursor:enter("nodes")
  check_roots(cursor, forest, roots, left)
  cursor:leave()
  local description = { index = place - 1, name = values.name(cursor, scene), extras = leftovers.plain(scene.extras) }
  cursor:leave(2)
  return roots, description
end

return tree
