--- Reads level source and the prefabs that it includes: which entities there are, who is whose parent, and which
-- tables of components each has.
-- Knows nothing of what components mean, nor of blobs.
--
-- The source becomes a few arrays, by node (an entity, numbered depth first as written): nothing recurses, so that
-- depth follows the data and not the stack, and places are put together only for messages.
--
-- The root of a prefab instance is one node that is written in several places: in the entry that includes the prefab,
-- and in the file, whose root may be an instance itself. These are its layers, the outermost first.
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

-- Where entities are read from: the lists of entries that are not done, the innermost last. `via` is the layer of the
-- owner in which the list is written.
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

-- One more reading of a file that was opened. Whatever stands at its root looks for names in the innermost file first.
local function new_document(nodes, node, outer, opened)
  local document = { name = opened.path, path = opened.path, directory = opened.directory, outer = outer, by_id = {},
    by_name = {}, root = opened.root, node = node, named_in = #nodes.layers[node] }
  outer.includes = true
  nodes.inside[node] = document
  return document
end

-- Opens the file at the path that an entry of a document gives.
local function open_prefab(nodes, node, document, path)
  return prefabs.open(nodes.cache, document, path, function(...) fail(nodes, node, "prefab", ...) end,
    function(message) return places.in_file(nodes, node, message) end, nodes.way.document)
end

-- Reads the prefab that the outermost entry names, the one that its root may name, and so on.
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

-- What the layers say of the node. Its name is the outermost that is given, in each file that which is visible there.
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

-- The last list that is pushed is read first: the innermost children, then what stands beside that root, and outwards.
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

-- Takes in one entry as a new node; lists of entries below it are left pending.
local function read_node(nodes, pending, entry)
  local node, owner = nodes.count + 1, pending.owner
  if node > nodes.limit then failure.raise("%s: more than %d entities", nodes.name, nodes.limit) end
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

-- All entries, depth first as written. `open` holds the tables whose children are being read.
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
  local theirs = 1
  for place, layer in ipairs(nodes.layers[other] or {}) do
    if layer.document == document then theirs = place end
  end
  nodes.way.refuse(nodes, node, number, "id", "%s is the id of %s too", failure.show(id),
    places.inside(nodes, other, theirs))
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

--- The node that a reference of `node` means; nil and what is wrong when there is none, or several.
function source.find(nodes, node, reference)
  local text, trouble = entries.reference_of(reference)
  if not text then return nil, trouble end
  local found
  found, trouble = references.find(nodes, nodes.inside[node], text, true)
  if not found then nodes.missing = text end
  return found, trouble
end

-- A parent is in the same file: what a prefab holds does not hang on where it is included.
local function arrange(nodes)
  local function resolve(node)
    return references.find(nodes, nodes.document[node], nodes.parents[node], false)
  end
  repeat
    local circular = order.arrange(nodes, resolve, function(node, trouble)
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

--- How level source is read: the first mistake is raised. Another way may keep what is wrong and go on.
--   `document`: function(name, decoded) -> the entities of a file
--   `prefab`: function(nodes, node, document, path) -> the file that it opened, or nil
--   `entry`: function(nodes, node, entry, into) -> into, with the keys of the entry
--   `refuse`: function(nodes, node, number, key, message, ...) tells of a mistake at a key of a layer of a node; of a
--   reference to nobody, which is `nodes.missing` then
source.strict = { document = entries.of_document, prefab = open_prefab, entry = entries.read,
  refuse = places.fail_in }

-- The whole --------------------------------------------------------------------------------------------------------

--- What the entry of a node says of its components; nil or false if nothing.
function source.components(nodes, node)
  local given = nodes.components[node]
  return lazy.is(given) and given[nodes.position[node]].components or given
end

--- Reads a decoded level. Raises a failure that begins with the name of the source.
-- @tparam string name of the source, for messages
-- @param document the decoded source
-- @tparam number limit how many entities there may be
-- @tparam table cache from `prefabs.new_cache`
-- @tparam function progress function(task, done), called every thousand entities
-- @tparam table way how to read: `source.strict`, or what collects mistakes
-- @treturn table `count`; by node: `names`, `components` (or false, or the lazy list that the entry stands in: see
-- `source.components`), `overlays` (instead of components, where several tables lie over one another, the lowest first:
-- `components`; `node`, `layer` and `key` of its place; `name`, what
-- the entity is called there), `parent` (a node, or 0); `order` and `rank`
function source.read(name, document, limit, cache, progress, way)
  local top = { name = name, path = cache.path, directory = cache.directory, by_id = {}, by_name = {}, node = 0 }
  -- Before the first prefab all nodes stand, and look for names, in the top document: that is not noted of each.
  local in_top = { __index = function() return top end }
  local nodes = { name = name, limit = limit, progress = progress, cache = cache, way = way, top = top, reading = 1,
    read = {}, count = 0, up = {}, position = {}, via = {}, document = setmetatable({}, in_top),
    inside = setmetatable({}, in_top), layers = {}, names = {}, ids = {}, parents = {}, components = {}, overlays = {},
    overriding = {}, last = {}, open = {}, pending = {}, entries = {}, starts = {} }
  read_all(nodes, way.document(name, document))
  enter_all(nodes)
  arrange(nodes)
  -- Innermost first: what a file puts over the entities of a prefab lies above what the prefab says itself.
  for index = #nodes.overriding, 1, -1 do
    overrides.lay(nodes, nodes.overriding[index].node, nodes.overriding[index].layer)
  end
  return nodes
end

return source
