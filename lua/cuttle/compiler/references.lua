--- Lookup of references to entities: by id, else by name, in a prefab first and then in the file that includes it.
-- Does not depend on components.
--
-- A document is one inclusion of a file: a prefab that is used twice has two. `by_id` and `by_name` hold its own
-- entities and the roots of the prefabs that it includes; a name of several entities has `false`. The document of a
-- prefab has the `node` of its root and `root_name`, the name of the root within the file.
-- @module cuttle.compiler.references

local each = require "cuttle.each"
local failure = require "cuttle.failure"

local find, gmatch, max, sort = string.find, string.gmatch, math.max, table.sort

local references = {}

--- Adds a node to a document under a name and an id (or false).
-- @treturn boolean whether the id was free; if not, also the node that has the id
function references.enter(document, node, name, id)
  local names = document.by_name
  if name then
    if names[name] == nil then names[name] = node elseif names[name] ~= node then names[name] = false end
  end
  if not id then return true end
  if document.by_id[id] then return false, document.by_id[id] end
  document.by_id[id] = node
  return true
end

-- By name, at any depth --------------------------------------------------------------------------------------------

local function is_within(document, inner)
  while inner and inner ~= document do inner = inner.outer end
  return inner == document
end

local function name_in(nodes, document, node)
  if node == document.node then return document.root_name end
  return nodes.names[node]
end

-- All entities of a document and of the prefabs that it includes: name -> list of nodes.
local function index_of(nodes, document)
  if document.index then return document.index end
  local index, root = {}, document.node
  for node = max(root, 1), root > 0 and nodes.last[root] or nodes.count do
    local name = name_in(nodes, document, node)
    if name and (node == root or is_within(document, nodes.document[node])) then
      local list = index[name]
      if list then list[#list + 1] = node else index[name] = { node } end
    end
  end
  document.index = index
  return index
end

-- Paths ------------------------------------------------------------------------------------------------------------

--- Splits a path: `lamp_7/bulb`.
function references.parts(path)
  local parts = {}
  for part in gmatch(path, "[^/]+") do parts[#parts + 1] = part end
  return parts
end

-- Returns whether the ancestors of a node, within the document, have the first `count` names.
local function matches_upwards(nodes, document, node, parts, count)
  for index = count, 1, -1 do
    if node == document.node then return false end
    node = nodes.parent[node]
    if node == 0 or name_in(nodes, document, node) ~= parts[index] then return false end
  end
  return true
end

local function children_of(nodes, parent)
  if not nodes.kids then
    local kids = {}
    for node = 1, nodes.count do
      local parent_node = nodes.parent[node]
      local list = kids[parent_node]
      if list then list[#list + 1] = node else kids[parent_node] = { node } end
    end
    nodes.kids = kids
  end
  return nodes.kids[parent] or {}
end

-- The descendants of a node, within the document, whose names continue the path after part `from`.
local function descendants(nodes, document, node, parts, from)
  local frontier = { node }
  for index = from + 1, #parts do
    local matches = {}
    for _, parent_node in ipairs(frontier) do
      for _, child in ipairs(children_of(nodes, parent_node)) do
        if nodes.names[child] == parts[index] and is_within(document, nodes.document[child]) then
          matches[#matches + 1] = child
        end
      end
    end
    frontier = matches
  end
  return frontier
end

--- Returns all entities that a path within a document and its prefabs matches. Needs `nodes.parent`.
-- Starts from the rarest name of the path, to test few candidates.
function references.find_all(nodes, document, parts)
  local index, rarest, found = index_of(nodes, document), 1, {}
  for place, name in ipairs(parts) do
    if not index[name] then return found end
    if #index[name] < #index[parts[rarest]] then rarest = place end
  end
  for _, node in ipairs(index[parts[rarest]] or {}) do
    if matches_upwards(nodes, document, node, parts, rarest - 1) then
      for _, last in ipairs(descendants(nodes, document, node, parts, rarest)) do found[#found + 1] = last end
    end
  end
  return found
end

-- Resolving --------------------------------------------------------------------------------------------------------

local function only_one(list)
  if not list or #list == 0 then return nil end
  return #list == 1 and list[1]
end

-- Returns the node of a reference within a document; false if it is ambiguous, nil if there is none.
local function look_up(nodes, document, reference)
  local found = document.by_id[reference]
  if found == nil then found = document.by_name[reference] end
  if found == nil and document.includes then found = only_one(index_of(nodes, document)[reference]) end
  if found == nil and nodes.parent and find(reference, "/", 1, true) then
    found = only_one(references.find_all(nodes, document, references.parts(reference)))
  end
  return found
end

--- Returns the sorted names in a document, as candidates for a misspelt one.
function references.names(nodes, document)
  local list = {}
  for name in each, index_of(nodes, document) do list[#list + 1] = name end
  sort(list)
  return list
end

-- Sorted ids and names, kept for the next mistake.
local function candidates(nodes, document, outwards)
  local kept, list = outwards and "candidates_outwards" or "candidates", {}
  if document[kept] then return document[kept] end
  document[kept] = list
  while document do
    for id in each, document.by_id do list[#list + 1] = id end
    for _, name in ipairs(references.names(nodes, document)) do list[#list + 1] = name end
    document = outwards and document.outer
  end
  sort(list)
  return list
end

-- A hint compares all names, so only the first mistakes of a level have one.
local MOST_HINTS = 100

--- Returns a hint for a misspelt name, like failure.hint, or an empty string after many hints.
-- @tparam table nodes
-- @tparam string name
-- @tparam function list function(nodes, document, outwards) -> the names
function references.hint(nodes, name, list, document, outwards)
  nodes.hints = (nodes.hints or 0) + 1
  return nodes.hints <= MOST_HINTS and failure.hint(name, list(nodes, document, outwards)) or ""
end

--- Returns the node that a reference within a document names; false if it is ambiguous, nil if there is none.
-- @tparam table nodes
-- @tparam table document
-- @tparam string reference
-- @tparam boolean outwards whether to continue in the files that include this one
function references.resolve(nodes, document, reference, outwards)
  local found
  while document and found == nil do
    found = look_up(nodes, document, reference)
    document = outwards and document.outer
  end
  return found
end

--- Returns the node that a reference within a document names, or nil and the error message. Parameters as above.
function references.find(nodes, document, reference, outwards)
  local found = references.resolve(nodes, document, reference, outwards)
  if found then return found end
  if found == false then
    return nil, string.format("%s is ambiguous, the name of several entities: refer to one by its id",
      failure.show(reference))
  end
  return nil, string.format("unknown entity %s%s", failure.show(reference),
    references.hint(nodes, reference, candidates, document, outwards))
end

return references
