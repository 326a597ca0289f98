--- Reader of level source and of the prefabs that it includes: finds the entities, their parents and their tables of
-- components.
-- Does not depend on the meaning of components, nor on blobs.
--
-- The source becomes a few arrays, indexed by node. A node is an entity; nodes are numbered depth first in source
-- order. Nothing recurses, so the depth of a level is not limited by the stack. Places are formatted only for messages.
--
-- The root of a prefab instance is one node that is written in several places: in the entry that includes the prefab,
-- and in the file, whose root may itself be an instance. These places are the layers of the node, the outermost first.
-- @module cuttle.compiler.source

local entries = require "cuttle.compiler.entries"
local failure = require "cuttle.failure"
local lazy = require "cuttle.compiler.lazy"
local order = require "cuttle.compiler.order"
local overrides = require "cuttle.compiler.overrides"
local places = require "cuttle.compiler.places"
local prefabs = require "cuttle.compiler.prefabs"
local references = require "cuttle.compiler.references"

local fail = places.fail

local source = {}

-- Starts reading a list of entries. `nodes.pending` is the stack of unfinished lists. `via` is the layer of the owner
-- in which the list is written.
local function push(nodes, list, document, owner, via, entry)
  nodes.pending[#nodes.pending + 1] =
    { list = list, cursor = 0, document = document, owner = owner, via = via, entry = entry }
  if entry then nodes.open[entry] = true end
end

-- Prefabs ----------------------------------------------------------------------------------------------------------

local function copy_of(read)
  return { name = read.name, id = read.id, parent = read.parent, components = read.components,
    children = read.children, prefab = read.prefab, overrides = read.overrides }
end

-- Makes the document of one inclusion of a file. References at its root are resolved in the innermost file first.
local function new_document(nodes, node, outer, opened)
  local document = { name = opened.path, path = opened.path, directory = opened.directory, outer = outer, by_id = {},
    by_name = {}, root = opened.root, node = node, named_in = #nodes.layers[node] }
  outer.includes = true
  nodes.inside[node] = document
  return document
end

-- Opens the prefab file at a path that is written in `document`.
local function open_prefab(nodes, node, document, path)
  return prefabs.open(nodes.cache, document, path, function(...) fail(nodes, node, "prefab", ...) end,
    function(message) return places.in_file(nodes, node, message) end, nodes.way.document)
end

-- Reads the prefab that the outermost entry includes, then the prefab that its root may include, and so on.
local function read_layers(nodes, node, entry, read)
  local document = nodes.document[node]
  local layers = { { document = document, entry = entry, read = read } }
  nodes.layers[node] = layers
  while read.prefab do
    local opened = nodes.way.prefab(nodes, node, document, read.prefab)
    if not opened then
      read.overrides = nil
      break
    end
    document = new_document(nodes, node, document, opened)
    entry, read = opened.entities[opened.root], {}
    layers[#layers + 1] =
      { document = document, entry = entry, read = read, position = opened.root, entities = opened.entities }
    nodes.reading = #layers
    nodes.way.entry(nodes, node, entry, read)
  end
  nodes.reading = 1
  return layers
end

-- Combines the layers of a node. The outermost name is the name of the node; each file uses the name that it can see.
local function settle_layers(nodes, node, layers)
  local overlays, name = {}, nil
  for number = #layers, 1, -1 do
    local layer = layers[number]
    local read = layer.read
    name = read.name or name
    layer.name, layer.id = name, read.id
    if number > 1 then layer.document.root_name = name end
    if read.components then
      overlays[#overlays + 1] =
        { components = read.components, node = node, layer = number, key = "components", name = name }
    end
  end
  nodes.names[node], nodes.overlays[node] = name or false, overlays
end

-- Pushes the lists of all layers. The last one is read first: the innermost children, then the entries beside that
-- root, then the outer layers.
local function push_layers(nodes, node, layers)
  local depth = #nodes.pending
  for number = 1, #layers do
    local layer = layers[number]
    if layer.read.overrides then nodes.overriding[#nodes.overriding + 1] = { node = node, layer = number } end
    if layer.entities and #layer.entities > 1 then push(nodes, layer.entities, layer.document, 0, nil, nil) end
    if layer.read.children then push(nodes, layer.read.children, layer.document, node, number, layer.entry) end
  end
  nodes.last[node] = node
  if nodes.pending[depth + 1] then nodes.pending[depth + 1].instance = node end
end

-- Entries ----------------------------------------------------------------------------------------------------------

local function fail_many(nodes)
  failure.raise("%s: more than %d entities", nodes.name, nodes.limit)
end

-- Refuses prefabs with too many entities before all are read, which would take minutes and gigabytes. Runs when 10,000
-- entities were read, and each time that their number has doubled.
local function check_prefabs(nodes)
  local counts = {}
  nodes.check_at = 2 * nodes.check_at
  for _, pending in ipairs(nodes.pending) do
    local opened = nodes.cache.opened[pending.document.path]
    if opened and prefabs.count(nodes.cache, opened, counts) > nodes.limit then fail_many(nodes) end
  end
end

-- Reads one entry as a new node. Lists of entries below it are pushed, not read.
local function read_node(nodes, pending, entry)
  local node, owner = nodes.count + 1, pending.owner
  if node > nodes.limit then fail_many(nodes) end
  if node == nodes.check_at then check_prefabs(nodes) end
  if node % 1000 == 0 then nodes.progress("reading", node) end
  nodes.count, nodes.up[node], nodes.position[node] = node, owner, pending.cursor
  if nodes.has_prefabs then
    nodes.document[node], nodes.via[node] = pending.document, pending.via
    nodes.inside[node] = owner > 0 and nodes.inside[owner] or pending.document
  end
  local read = nodes.way.entry(nodes, node, entry, nodes.read)
  local components = lazy.is(pending.list) and pending.list or read.components
  nodes.names[node], nodes.components[node] = read.name or false, components or false
  if read.id then nodes.ids[node] = read.id end
  if read.parent then nodes.parents[node] = read.parent end
  if read.prefab then
    nodes.has_prefabs = true
    local layers = read_layers(nodes, node, entry, copy_of(read))
    settle_layers(nodes, node, layers)
    push_layers(nodes, node, layers)
  elseif read.children then
    push(nodes, read.children, pending.document, node, 1, entry)
  end
end

-- Reads all entries, depth first in source order. `open` holds the tables whose children are being read.
local function read_all(nodes, list)
  local stack = nodes.pending
  push(nodes, list, nodes.top, 0, nil, nil)
  while #stack > 0 do
    local pending = stack[#stack]
    pending.cursor = pending.cursor + 1
    -- The root of a prefab was read when it was included.
    if pending.owner == 0 and pending.cursor == pending.document.root then pending.cursor = pending.cursor + 1 end
    local entry = lazy.outline(pending.list, pending.cursor)
    if entry == nil then
      if pending.entry then nodes.open[pending.entry] = nil end
      if pending.instance then nodes.last[pending.instance] = nodes.count end
      stack[#stack] = nil
    else
      read_node(nodes, pending, entry)
    end
  end
end

-- References -------------------------------------------------------------------------------------------------------

local function enter(nodes, document, node, number, name, id)
  local free, other = references.enter(document, node, name, id)
  if free then return end
  local other_layer = 1
  for place, layer in ipairs(nodes.layers[other] or {}) do
    if layer.document == document then other_layer = place end
  end
  nodes.way.refuse(nodes, node, number, "id", "%s is also the id of %s", failure.show(id),
    places.inside(nodes, other, other_layer))
end

local function enter_all(nodes)
  for node = 1, nodes.count do
    local layers, name, id = nodes.layers[node], nodes.names[node], nodes.ids[node]
    if layers then
      for number, layer in ipairs(layers) do
        enter(nodes, layer.document, node, number, layer.name, layer.id)
      end
    elseif name or id then
      enter(nodes, nodes.document[node], node, 1, name, id)
    end
  end
end

--- Returns the node that a reference of `node` names, or nil and an error message if there is no such node, or several.
function source.find(nodes, node, reference)
  local text, trouble = entries.reference_of(reference)
  if not text then return nil, trouble end
  local found
  found, trouble = references.find(nodes, nodes.inside[node], text, true)
  if not found then nodes.missing = text end
  return found, trouble
end

-- Resolves the references to parents, and orders the nodes. A parent must be in the same file, so that the contents of
-- a prefab do not depend on the file that includes it.
local function arrange(nodes)
  local function resolve(node)
    return references.resolve(nodes, nodes.document[node], nodes.parents[node], false)
  end
  repeat
    local circular = order.arrange(nodes, resolve, function(node)
      local _, trouble = references.find(nodes, nodes.document[node], nodes.parents[node], false)
      nodes.missing = nodes.parents[node]
      nodes.way.refuse(nodes, node, 1, "parent", "%s", trouble)
      nodes.parents[node] = nil
    end)
    for _, node in ipairs(circular) do
      nodes.way.refuse(nodes, node, 1, "parent", "the parent would make a cycle")
      nodes.parents[node] = nil
    end
  until #circular == 0
end

--- Reading mode that raises the first error. Another mode may record errors and continue. Its functions:
--   `document`: function(name, decoded) -> the entities of a file
--   `prefab`: function(nodes, node, document, path) -> the opened file, or nil
--   `entry`: function(nodes, node, entry, into) -> into, filled with the keys of the entry
--   `refuse`: function(nodes, node, number, key, message, ...) reports an error at a key of a layer of a node. If the
--   error is an unresolved reference, `nodes.missing` is that reference
source.strict = { document = entries.of_document, prefab = open_prefab, entry = entries.read,
  refuse = places.fail_in }

-- Levels -----------------------------------------------------------------------------------------------------------

--- Returns the components table in the entry of a node; nil or false if it has none.
function source.components(nodes, node)
  local given = nodes.components[node]
  return lazy.is(given) and given[nodes.position[node]].components or given
end

--- Reads a decoded level. Raises a data error that begins with the name of the source.
-- @tparam string name the name of the source, for messages
-- @param document the decoded source
-- @tparam number limit the largest number of entities
-- @tparam table cache from `prefabs.new_cache`
-- @tparam function progress function(task, done), called every thousand entities
-- @tparam table way the reading mode: `source.strict`, or a mode that records errors
-- @treturn table `count`; by node: `names`, `components` (or false, or the lazy list that contains the entry: see
-- `source.components`), `overlays` (instead of components, if several tables are merged, the lowest first:
-- `components`; `node`, `layer` and `key` of its place; `name`, the name of the entity there), `parent` (a node, or 0);
-- `order` and `rank`
function source.read(name, document, limit, cache, progress, way)
  local top = { name = name, path = cache.path, directory = cache.directory, by_id = {}, by_name = {}, node = 0 }
  -- Until the first prefab all nodes are in the top document, so it is not stored for each node.
  local in_top = { __index = function() return top end }
  local nodes = { name = name, limit = limit, progress = progress, cache = cache, way = way, top = top, reading = 1,
    check_at = 10000, read = {}, count = 0, up = {}, position = {}, via = {}, document = setmetatable({}, in_top),
    inside = setmetatable({}, in_top), layers = {}, names = {}, ids = {}, parents = {}, components = {}, overlays = {},
    overriding = {}, last = {}, open = {}, pending = {}, entries = {}, starts = {} }
  read_all(nodes, way.document(name, document))
  enter_all(nodes)
  arrange(nodes)
  -- Innermost first: the overrides of a file are applied after those inside its prefabs.
  for index = #nodes.overriding, 1, -1 do
    overrides.apply(nodes, nodes.overriding[index].node, nodes.overriding[index].layer)
  end
  return nodes
end

return source
