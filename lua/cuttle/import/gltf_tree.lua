--- Finds the scene of a glTF document, and holds its nodes to what glTF wants of them: a strict tree.
-- Knows nothing of what a node is besides its children.
--
-- Nodes go by their places in the file, from 1 on. Messages that show an index show the file's own, from 0 on.
-- @module cuttle.import.gltf_tree

local failure = require "cuttle.failure"
local json = require "cuttle.json"
local leftovers = require "cuttle.import.leftovers"
local values = require "cuttle.import.gltf_values"

local is_null = json.is_null

local tree = {}

-- How many nodes of a cycle a message shows.
local SHOWN = 8

--- `node 3 "wheel"`, for messages.
function tree.label(nodes, place)
  -- What stands at a place that was not read yet may be anything.
  local name = type(nodes[place]) == "table" and nodes[place].name
  return string.format("node %d", place - 1) .. (type(name) == "string" and " " .. failure.show(name) or "")
end

-- With one parent each, nodes form a cycle or reach a root: every node is passed once.
local function check_cycles(cursor, nodes, parents)
  local passed = {}
  for first = 1, #nodes do
    local place = first
    while place and not passed[place] do
      passed[place] = first
      place = parents[place]
    end
    if place and passed[place] == first then
      local chain, above = { place - 1 }, place
      repeat
        above = parents[above]
        table.insert(chain, 1, #chain > SHOWN and "..." or above - 1)
      until above == place or #chain > SHOWN + 1
      cursor:fail("nodes", "%s is its own ancestor (cycle: %s, counted from 0)", tree.label(nodes, place),
        table.concat(chain, " > "))
    end
  end
end

--- The whole forest of the file.
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
        cursor:fail(at, "%s is a child of %s already (counted from 0)", tree.label(nodes, child),
          tree.label(nodes, parents[child]))
      end
      parents[child], indices[at] = place, child
    end
    children[place] = indices
  end
  check_cycles(cursor, nodes, parents)
  return { nodes = nodes, parents = parents, children = children }
end

-- The place of the scene of that name.
local function scene_named(cursor, document, wanted)
  local found, offered = nil, {}
  for place, scene in cursor:each(document, "scenes") do
    local name = values.name(cursor, scene)
    offered[#offered + 1] = name
    if name == wanted then
      if found then
        cursor:fail("name", "%s is also the name of scenes[%d]: tell option scene as a number", failure.show(name),
          found)
      end
      found = place
    end
  end
  if not found then cursor:fail(nil, "no scene is named %s%s", failure.show(wanted), failure.hint(wanted, offered)) end
  return found
end

-- The place of the scene that is wanted, nil when the file has none and none was asked for.
local function scene_place(cursor, document, wanted)
  local count = #cursor:maybe(document, "scenes", "array", {})
  if type(wanted) == "string" then return scene_named(cursor, document, wanted) end
  if wanted then
    if wanted < count then return wanted + 1 end
    cursor:fail(nil, "there is no scene %s (counted from 0, there are %d)", failure.show(wanted), count)
  end
  if not is_null(document.scene) then return values.index(cursor, document, "scene", count, "scene") + 1 end
  return count > 0 and 1 or nil
end

-- Whether a node above that at `place` is among `listed`. `clear` are nodes that have none above them, noted here.
local function is_below(parents, listed, clear, place)
  local passed, above = {}, parents[place]
  while above and not clear[above] do
    if listed[above] then return true end
    passed[#passed + 1] = above
    above = parents[above]
  end
  for _, other in ipairs(passed) do clear[other] = true end
  return false
end

-- Holds the nodes that a scene lists to be roots, or to stand below nodes that the scene does not have.
local function check_roots(cursor, forest, roots, left)
  local listed, clear, stray, first = {}, {}, 0, nil
  for at, node in ipairs(roots) do
    if listed[node] then
      cursor:fail(at, "%s stands in the scene already (counted from 0)", tree.label(forest.nodes, node))
    end
    listed[node] = true
  end
  for at, node in ipairs(roots) do
    if is_below(forest.parents, listed, clear, node) then
      cursor:fail(at, "%s is a child of %s, a scene holds roots (counted from 0)", tree.label(forest.nodes, node),
        tree.label(forest.nodes, forest.parents[node]))
    elseif forest.parents[node] then
      stray, first = stray + 1, first or node
    end
  end
  if first then
    left:warn("%s stands in the scene without %s, its parent%s (counted from 0)", tree.label(forest.nodes, first),
      tree.label(forest.nodes, forest.parents[first]), leftovers.more(stray))
  end
end

--- The scene to import: the wanted one (its index from 0 on, or name), else the file's default, else the first, else
-- all roots. A node that the scene lists and whose parent it does not have is a root.
-- @tparam cursor cursor at the root
-- @tparam table document
-- @tparam table forest from `tree.read`
-- @param wanted number, string or nil
-- @tparam table left of the import
-- @treturn table its roots: places of nodes
-- @treturn table description: `index` from 0 on, `name`, `extras`; nil when the file has no scenes
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
