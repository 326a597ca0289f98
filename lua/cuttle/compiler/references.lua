--- Which entity a reference means: by id, else by name, in a prefab first and then in the file that includes it.
-- Knows nothing of components.
--
-- A document is one reading of a file: a prefab used twice is two. `by_id` and `by_name` hold its own entities, the
-- roots of the prefabs that it includes among them; `false` for a name that several have. Of a prefab, `node` is the
-- root and `root_name` what the file itself calls it.
-- @module cuttle.compiler.references

local each = require "cuttle.each"
local failure = require "cuttle.failure"

local find, gmatch, max, sort = string.find, string.gmatch, math.max, table.sort

local references = {}

--- Enters a node into a document under a name and an id (or false).
-- @treturn boolean whether the id was free; if not, the node that has it
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

-- All entities of a document and of the prefabs that it includes by name: name -> list of nodes.
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

--- The parts of `lamp_7/bulb`.
function references.parts(path)
  local parts = {}
  for part in gmatch(path, "[^/]+") do parts[#parts + 1] = part end
  return parts
end

-- Whether the ancestors of a node, within the document, have the first `count` names.
local function hangs_below(nodes, document, node, parts, count)
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
      local above = nodes.parent[node]
      local list = kids[above]
      if list then list[#list + 1] = node else kids[above] = { node } end
    end
    nodes.kids = kids
  end
  return nodes.kids[parent] or {}
end

-- The descendants of a node, within the document, whose names go on with the parts behind `from`.
local function descendants(nodes, document, node, parts, from)
  local frontier = { node }
  for index = from + 1, #parts do
    local below = {}
    for _, above in ipairs(frontier) do
      for _, child in ipairs(children_of(nodes, above)) do
        if nodes.names[child] == parts[index] and is_within(document, nodes.document[child]) then
          below[#below + 1] = child
        end
      end
    end
    frontier = below
  end
  return frontier
end

--- All entities at the end of a path that lies within a document and the prefabs in it. Needs `parent`.
-- Goes from the rarest of the names, so that it is quick where one of them tells few entities.
function references.find_all(nodes, document, parts)
  local index, rarest, found = index_of(nodes, document), 1, {}
  for place, name in ipairs(parts) do
    if not index[name] then return found end
    if #index[name] < #index[parts[rarest]] then rarest = place end
  end
  for _, node in ipairs(index[parts[rarest]] or {}) do
    if hangs_below(nodes, document, node, parts, rarest - 1) then
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

-- The one that is meant; false: several, nil: none.
local function look_up(nodes, document, reference)
  local found = document.by_id[reference]
  if found == nil then found = document.by_name[reference] end
  if found == nil and document.includes then found = only_one(index_of(nodes, document)[reference]) end
  if found == nil and nodes.parent and find(reference, "/", 1, true) then
    found = only_one(references.find_all(nodes, document, references.parts(reference)))
  end
  return found
end

--- The names in a document that a misspelt one may have meant, sorted.
function references.names(nodes, document)
  local list = {}
  for name in each, index_of(nodes, document) do list[#list + 1] = name end
  sort(list)
  return list
end

local function known(nodes, document, outwards)
  local list = {}
  while document do
    for id in each, document.by_id do list[#list + 1] = id end
    for _, name in ipairs(references.names(nodes, document)) do list[#list + 1] = name end
    document = outwards and document.outer
  end
  sort(list)
  return list
end

--- The node that a reference means, seen from a document.
-- @tparam table nodes
-- @tparam table document
-- @tparam string reference
-- @tparam boolean outwards whether to go on in the files that include this one
-- @treturn[1] number
-- @treturn[2] nil
-- @treturn[2] string what is wrong
function references.find(nodes, document, reference, outwards)
  local from = document
  while document do
    local found = look_up(nodes, document, reference)
    if found then return found end
    if found == false then
      return nil, string.format("%s is ambiguous, the name of several entities: refer to one by its id",
        failure.show(reference))
    end
    document = outwards and document.outer
  end
  return nil, string.format("there is no entity %s%s", failure.show(reference),
    failure.hint(reference, known(nodes, from, outwards)))
end

return references
