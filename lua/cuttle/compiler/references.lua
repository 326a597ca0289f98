--- Which entity a reference means: by id, else by name, in a prefab first and then in the file that includes it.
-- Knows nothing of components.
-- @module cuttle.compiler.references

local failure = require "cuttle.compiler.failure"

local find, gmatch, sort = string.find, string.gmatch, table.sort

local references = {}

-- Indices ----------------------------------------------------------------------------------------------------------
--
-- A document is one reading of a file: a prefab used twice is two. `by_id` and `by_name` hold its own entities, the
-- roots of the prefabs that it includes among them; `false` for a name that several have.

local function add_name(names, name, node)
  if names[name] == nil then
    names[name] = node
  elseif names[name] ~= node then
    names[name] = false
  end
end

--- Enters a node into a document under a name and an id (or false).
-- @treturn boolean whether the id was free; if not, the node that has it
function references.enter(document, node, name, id)
  if name then add_name(document.by_name, name, node) end
  if not id then return true end
  if document.by_id[id] then return false, document.by_id[id] end
  document.by_id[id] = node
  return true
end

-- The names in the prefabs that a document includes, at any depth.
local function names_below(document)
  if document.below then return document.below end
  local below, stack = {}, { document }
  while #stack > 0 do
    local outer = table.remove(stack)
    for _, inner in ipairs(outer.inner) do
      for name, node in next, inner.by_name do
        if node then add_name(below, name, node) else below[name] = false end
      end
      stack[#stack + 1] = inner
    end
  end
  document.below = below
  return below
end

-- Paths ------------------------------------------------------------------------------------------------------------

--- The parts of `lamp_7/bulb`.
function references.parts(path)
  local parts = {}
  for part in gmatch(path, "[^/]+") do parts[#parts + 1] = part end
  return parts
end

local function is_called(nodes, node, name)
  if nodes.names[node] == name then return true end
  local aliases = nodes.aliases[node]
  return aliases ~= nil and aliases[name] == true
end

--- Whether a node, its parent, and so on upwards have the names of a path, the last one first.
function references.matches(nodes, node, parts)
  for index = #parts, 1, -1 do
    if node == 0 or not is_called(nodes, node, parts[index]) then return false end
    node = nodes.parent[node]
  end
  return true
end

local function is_within(document, inner)
  while inner and inner ~= document do inner = inner.outer end
  return inner == document
end

-- The one node of a document, or of a prefab in it, at the end of a path; false: several, nil: none.
local function find_path(nodes, document, path)
  local parts, found = references.parts(path), nil
  if #parts == 0 or not nodes.parent then return nil end
  for node = 1, nodes.count do
    if is_within(document, nodes.document[node]) and references.matches(nodes, node, parts) then
      if found then return false end
      found = node
    end
  end
  return found
end

-- Resolving --------------------------------------------------------------------------------------------------------

local function look_up(nodes, document, reference)
  local found = document.by_id[reference]
  if found == nil then found = document.by_name[reference] end
  if found == nil then found = names_below(document)[reference] end
  if found == nil and find(reference, "/", 1, true) then found = find_path(nodes, document, reference) end
  return found
end

-- The names and ids that a misspelt one may have meant.
local function known(document)
  local list = {}
  while document do
    for id in next, document.by_id do list[#list + 1] = id end
    for name in next, document.by_name do list[#list + 1] = name end
    for name in next, names_below(document) do list[#list + 1] = name end
    document = document.outer
  end
  sort(list)
  return list
end

--- The node that a reference means, seen from a document; or nil and what is wrong.
function references.find(nodes, document, reference)
  local from = document
  while document do
    local found = look_up(nodes, document, reference)
    if found then return found end
    if found == false then
      return nil, string.format("%s is the name of several entities: refer to one by its id", failure.show(reference))
    end
    document = document.outer
  end
  return nil, string.format("there is no entity %s%s", failure.show(reference), failure.hint(reference, known(from)))
end

return references
