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

local failure = require "cuttle.compiler.failure"
local json = require "cuttle.json"
local order = require "cuttle.compiler.order"
local prefabs = require "cuttle.compiler.prefabs"
local references = require "cuttle.compiler.references"

local is_null, show = json.is_null, failure.show
local byte, concat, find, sort = string.byte, table.concat, string.find, table.sort

local source = {}

local VERSION = 1

-- Keys that begin with $ or _ are the editor's own business.
local function is_ignored(key)
  local first = type(key) == "string" and byte(key)
  return first == 36 or first == 95
end
source.is_ignored = is_ignored

-- Places -----------------------------------------------------------------------------------------------------------

-- A layer of a node that is no prefab's root: where it stands is told by `up` and `position`.
local function layer_of(nodes, node, number)
  local layers = nodes.layers[node]
  return layers and layers[number]
end

local function document_of(nodes, node, number)
  local layer = layer_of(nodes, node, number)
  return layer and layer.document or nodes.document[node]
end

-- `entities[3].children[1]`; of a very deep one the two ends.
local function place_of(nodes, node, number)
  local parts, up = {}, nodes.up
  while node > 0 do
    local layer = layer_of(nodes, node, number)
    local in_children = up[node] > 0 and not (layer and layer.position)
    parts[#parts + 1] = (in_children and ".children[" or "entities[")
      .. (layer and layer.position or nodes.position[node]) .. "]"
    number = nodes.via[node] or 1
    node = in_children and up[node] or 0
  end
  local shown = {}
  for index = #parts, 1, -1 do
    local from_top = #parts - index
    if #parts <= 40 or from_top < 20 or index <= 10 then
      shown[#shown + 1] = parts[index]
    elseif from_top == 20 then
      shown[#shown + 1] = "..."
    end
  end
  return concat(shown)
end

--- `level.json: entities[3].children[1]`: the file in which a layer of a node (the outermost, unless told) is written,
-- and the place there.
function source.place(nodes, node, number)
  return document_of(nodes, node, number or 1).name .. ": " .. place_of(nodes, node, number or 1)
end

-- Of the node, or of the document as a whole when the node is 0.
local function fail_in(nodes, document, node, number, key, message, ...)
  local place = node > 0 and place_of(nodes, node, number) or ""
  if key ~= "" then place = place .. (place ~= "" and "." or "") .. key end
  failure.raise("%s: %s%s", document.name, place ~= "" and place .. ": " or "", string.format(message, ...))
end

-- Entries are read one layer after another: `reading` says of which one a mistake is.
local function fail(nodes, node, key, message, ...)
  fail_in(nodes, document_of(nodes, node, nodes.reading), node, nodes.reading, key, message, ...)
end

-- Checks of shape --------------------------------------------------------------------------------------------------

-- Why a value is no list, which has the keys 1 to n and no others; nil for a list.
local function list_trouble(list)
  if type(list) ~= "table" then return "expected an array, got " .. show(list) end
  local count, length = 0, #list
  for place in next, list do
    if type(place) ~= "number" then return "expected an array, got an object" end
    count = count + 1
    if place < 1 or place > length or place % 1 ~= 0 then return "the array has gaps" end
  end
  return count ~= length and "the array has gaps" or nil
end

local function object_trouble(value)
  if type(value) ~= "table" then return "expected an object, got " .. show(value) end
  return #value > 0 and "expected an object, got an array" or nil
end

local function check_object(nodes, node, key, value)
  local trouble = object_trouble(value)
  if trouble then fail(nodes, node, key, "%s", trouble) end
  return value
end

local TOP_KEYS = { "version", "entities" }

local function version_trouble(version)
  if type(version) ~= "number" then return "expected a number, got " .. show(version) end
  if version > VERSION then
    return string.format("%s is newer than this compiler, which knows version %d", tostring(version), VERSION)
  end
  return version ~= VERSION and string.format("expected %d, got %s", VERSION, tostring(version)) or nil
end

-- The entities of a decoded file, whose outermost shape is right.
local function entities_of(name, document)
  local function check(key, trouble)
    if trouble then failure.raise("%s: %s%s", name, key ~= "" and key .. ": " or "", trouble) end
  end
  check("", object_trouble(document))
  for key in next, document do
    if type(key) ~= "string" then
      check("", "unknown key [" .. tostring(key) .. "]")
    elseif key ~= "version" and key ~= "entities" and not is_ignored(key) then
      check("", string.format("unknown key '%s'%s", key, failure.hint(key, TOP_KEYS)))
    end
  end
  local version, entities = rawget(document, "version"), rawget(document, "entities")
  if not is_null(version) then check("version", version_trouble(version)) end
  if is_null(entities) then check("", "the key 'entities' is missing") end
  check("entities", list_trouble(entities))
  return entities
end

-- Entries ----------------------------------------------------------------------------------------------------------

local ENTRY_KEYS = { "name", "id", "parent", "components", "children", "prefab", "overrides" }

local read_key = {}

function read_key.name(nodes, node, value)
  if type(value) ~= "string" then fail(nodes, node, "name", "expected a string, got %s", show(value)) end
  if value == "" then fail(nodes, node, "name", "a name cannot be empty") end
  if find(value, "/", 1, true) then fail(nodes, node, "name", "a name cannot hold a '/', got %s", show(value)) end
  return value
end

-- Ids and references may be numbers, as some editors number their objects.
local function reference_of(value)
  if type(value) == "number" and value == value then return tostring(value) end
  if type(value) == "string" then return value end
  return nil, "expected a string or number, got " .. show(value)
end

function read_key.id(nodes, node, value)
  local id, trouble = reference_of(value)
  return id or fail(nodes, node, "id", "%s", trouble)
end

function read_key.parent(nodes, node, value)
  if nodes.up[node] > 0 then
    fail(nodes, node, "parent", "an entity that stands in children has its parent already")
  end
  local parent, trouble = reference_of(value)
  return parent or fail(nodes, node, "parent", "%s", trouble)
end

function read_key.components(nodes, node, value)
  return check_object(nodes, node, "components", value)
end

function read_key.children(nodes, node, value)
  local trouble = list_trouble(value)
  if trouble then fail(nodes, node, "children", "%s", trouble) end
  return #value > 0 and value or nil
end

function read_key.prefab(nodes, node, value)
  if type(value) ~= "string" or value == "" then
    fail(nodes, node, "prefab", "expected the path of a file, got %s", show(value))
  end
  return value
end

function read_key.overrides(nodes, node, value)
  check_object(nodes, node, "overrides", value)
  for path, components in next, value do
    if type(path) ~= "string" then fail(nodes, node, "overrides", "expected paths for keys, got %s", show(path)) end
    if not is_ignored(path) then check_object(nodes, node, string.format("overrides[%q]", path), components) end
  end
  return value
end

-- The keys of one entry, read into a table.
local function read_entry(nodes, node, entry)
  check_object(nodes, node, "", entry)
  if nodes.open[entry] then fail(nodes, node, "", "the table contains itself") end
  local read = {}
  for key, value in next, entry do
    if not is_ignored(key) then
      local reader = read_key[key]
      if type(key) ~= "string" then fail(nodes, node, "", "unknown key [%s]", tostring(key)) end
      if not reader then fail(nodes, node, "", "unknown key '%s'%s", key, failure.hint(key, ENTRY_KEYS)) end
      if not is_null(value) then read[key] = reader(nodes, node, value) end
    end
  end
  if read.overrides and not read.prefab then
    fail(nodes, node, "overrides", "only an entry with a prefab has inner entities to override")
  end
  return read
end

-- Where entities are read from: the lists of entries that are not done, the innermost last.
local function push(nodes, list, document, owner, via, entry)
  nodes.pending[#nodes.pending + 1] =
    { list = list, cursor = 0, document = document, owner = owner, via = via, entry = entry }
  if entry then nodes.open[entry] = true end
end

local function new_document(path, outer, opened)
  local document = { name = path, path = path, directory = opened.directory, outer = outer, inner = {}, by_id = {},
    by_name = {}, root = opened.root }
  outer.inner[#outer.inner + 1] = document
  return document
end

-- Reads the prefab that the outermost entry names, the one that its root may name, and so on.
local function read_layers(nodes, node, entry, read)
  local document = nodes.document[node]
  local layers = { { document = document, entry = entry, read = read } }
  nodes.layers[node] = layers
  while read.prefab do
    local outer = document
    local opened = prefabs.open(nodes.library, outer, read.prefab, function(...)
      fail(nodes, node, "prefab", ...)
    end, entities_of)
    document = new_document(opened.path, outer, opened)
    entry = opened.entities[opened.root]
    layers[#layers + 1] = { document = document, entry = entry, position = opened.root, entities = opened.entities }
    nodes.reading = #layers
    read = read_entry(nodes, node, entry)
    layers[#layers].read = read
  end
  nodes.reading = 1
  return layers
end

-- Its name is the outermost that is given, in each file that which is visible there.
local function settle_layers(nodes, node, layers)
  local overlays, aliases, name = {}, {}, nil
  for number = #layers, 1, -1 do
    local layer = layers[number]
    local read = layer.read
    name = read.name or name
    layer.name, layer.id = name, read.id
    if name then aliases[name] = true end
    if read.components then
      overlays[#overlays + 1] = { components = read.components, node = node, layer = number, key = ".components" }
    end
  end
  nodes.names[node], nodes.aliases[node], nodes.overlays[node] = name or false, aliases, overlays
  -- The last one pushed is read first: the innermost children, then what stands beside that root, and outwards.
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

-- Takes in one entry as a new node; lists of entries below it are left pending.
local function read_node(nodes, pending, entry)
  local node = nodes.count + 1
  if node > nodes.limit then failure.raise("%s: more than %d entities", nodes.name, nodes.limit) end
  nodes.count, nodes.up[node], nodes.position[node] = node, pending.owner, pending.cursor
  nodes.document[node], nodes.via[node] = pending.document, pending.via
  local read = read_entry(nodes, node, entry)
  nodes.names[node], nodes.ids[node] = read.name or false, read.id or false
  nodes.parents[node], nodes.components[node] = read.parent or false, read.components or false
  if read.prefab then
    settle_layers(nodes, node, read_layers(nodes, node, entry, read))
  elseif read.children then
    push(nodes, read.children, pending.document, node, 1, entry)
  end
end

-- All entries, depth first as written. `open` holds the tables whose children are being read.
local function read_all(nodes, entities)
  push(nodes, entities, nodes.top, 0, nil, nil)
  while #nodes.pending > 0 do
    local pending = nodes.pending[#nodes.pending]
    pending.cursor = pending.cursor + 1
    -- The root of a prefab was read when it was included.
    if pending.owner == 0 and pending.cursor == pending.document.root then pending.cursor = pending.cursor + 1 end
    local entry = pending.list[pending.cursor]
    if entry == nil then
      if pending.entry then nodes.open[pending.entry] = nil end
      if pending.instance then nodes.last[pending.instance] = nodes.count end
      nodes.pending[#nodes.pending] = nil
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
  fail_in(nodes, document, node, number, "id", "%s is the id of %s too", show(id), place_of(nodes, other, theirs))
end

local function enter_all(nodes)
  for node = 1, nodes.count do
    local layers = nodes.layers[node]
    if layers then
      for number, layer in ipairs(layers) do
        enter(nodes, layer.document, node, number, layer.name, layer.id)
      end
    else
      enter(nodes, nodes.document[node], node, 1, nodes.names[node], nodes.ids[node])
    end
  end
end

-- Where a node looks first: inside the prefab that it is the root of, or stands in, or was appended to.
local function first_document(nodes, node)
  local document = nodes.document[node]
  while node > 0 and nodes.document[node] == document do
    local layers = nodes.layers[node]
    if layers then return layers[#layers].document end
    node = nodes.up[node]
  end
  return document
end

--- The node that a reference of `node` means; nil and what is wrong when there is none, or several.
function source.find(nodes, node, reference)
  local text, trouble = reference_of(reference)
  if not text then return nil, trouble end
  return references.find(nodes, first_document(nodes, node), text)
end

local function arrange(nodes)
  local circular = order.arrange(nodes, function(node)
    local found, trouble = references.find(nodes, nodes.document[node], nodes.parents[node])
    return found or fail(nodes, node, "parent", "%s", trouble)
  end)
  if circular then fail(nodes, circular, "parent", "the entity would be its own ancestor") end
end

-- Overrides --------------------------------------------------------------------------------------------------------

local function is_inside(nodes, node, document)
  local inner = nodes.document[node]
  while inner and inner ~= document do inner = inner.outer end
  return inner ~= nil
end

local function add_overlay(nodes, node, overlay)
  local overlays = nodes.overlays[node]
  if not overlays then
    overlays = {}
    if nodes.components[node] then
      overlays[1] = { components = nodes.components[node], node = node, layer = 1, key = ".components" }
    end
    nodes.overlays[node] = overlays
  end
  overlays[#overlays + 1] = overlay
end

-- What the entry that included a prefab puts over entities inside it.
local function override(nodes, root, number)
  local layers = nodes.layers[root]
  local overrides, inner = layers[number].read.overrides, layers[number + 1].document
  local paths = {}
  for path in next, overrides do
    if not is_ignored(path) then paths[#paths + 1] = path end
  end
  sort(paths)
  for _, path in ipairs(paths) do
    local parts, found, names = references.parts(path), false, {}
    for node = root + 1, nodes.last[root] do
      if is_inside(nodes, node, inner) then
        names[#names + 1] = nodes.names[node] or nil
        if #parts > 0 and references.matches(nodes, node, parts) then
          found = true
          add_overlay(nodes, node, { components = overrides[path], node = root, layer = number,
            key = string.format(".overrides[%q]", path) })
        end
      end
    end
    if not found then
      fail_in(nodes, layers[number].document, root, number, string.format("overrides[%q]", path),
        "there is no such entity in %s%s", inner.name, failure.hint(parts[#parts] or path, names))
    end
  end
end

-- The whole --------------------------------------------------------------------------------------------------------

--- Reads a decoded level. Raises a failure that begins with the name of the file at fault.
-- @tparam string name of the source, for messages
-- @param document the decoded source
-- @tparam number limit how many entities there may be
-- @tparam table library from `prefabs.library`
-- @treturn table by node: `names` and `components` (or false), `overlays` (instead of components, where several tables
-- lie over one another, the lowest first: `components`, and `node`, `layer`, `key` of its place), `parent` (a node, or
-- 0); `order` and `rank`
function source.read(name, document, limit, library)
  local top = { name = name, path = library.path, directory = library.directory, inner = {}, by_id = {}, by_name = {} }
  local nodes = { name = name, limit = limit, library = library, top = top, reading = 1, count = 0, up = {},
    position = {}, via = {}, document = {}, layers = {}, names = {}, aliases = {}, ids = {}, parents = {},
    components = {}, overlays = {}, overriding = {}, last = {}, open = {}, pending = {} }
  read_all(nodes, entities_of(name, document))
  enter_all(nodes)
  arrange(nodes)
  -- Innermost first: what a file puts over the entities of a prefab lies above what the prefab says itself.
  for index = #nodes.overriding, 1, -1 do
    override(nodes, nodes.overriding[index].node, nodes.overriding[index].layer)
  end
  return nodes
end

return source
