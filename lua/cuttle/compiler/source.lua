--- Reads level source: which entities there are, who is whose parent, and in which order they will stand.
-- Knows nothing of what components mean, nor of blobs.
--
-- The source becomes a few arrays, by node (an entity, numbered depth first as written): nothing recurses, so that
-- depth follows the data and not the stack, and places are put together only for messages.
-- @module cuttle.compiler.source

local failure = require "cuttle.compiler.failure"
local json = require "cuttle.json"

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

--- `entities[3].children[1]`; of a very deep one the two ends.
function source.place(nodes, node)
  local parts, up = {}, nodes.up
  while node > 0 do
    parts[#parts + 1] = (up[node] > 0 and ".children[" or "entities[") .. nodes.position[node] .. "]"
    node = up[node]
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

local function fail(nodes, node, key, message, ...)
  local place = source.place(nodes, node)
  if key ~= "" then place = place .. (place ~= "" and "." or "") .. key end
  failure.raise("%s: %s%s", nodes.name, place ~= "" and place .. ": " or "", string.format(message, ...))
end
source.fail = fail

-- Checks of shape --------------------------------------------------------------------------------------------------

-- A list has the keys 1 to n and no others.
local function check_list(nodes, node, key, list)
  if type(list) ~= "table" then fail(nodes, node, key, "expected an array, got %s", show(list)) end
  local count, length = 0, #list
  for place in next, list do
    if type(place) ~= "number" then fail(nodes, node, key, "expected an array, got an object") end
    count = count + 1
    if place < 1 or place > length or place % 1 ~= 0 then fail(nodes, node, key, "the array has gaps") end
  end
  if count ~= length then fail(nodes, node, key, "the array has gaps") end
  return list
end

local function check_object(nodes, node, key, value)
  if type(value) ~= "table" then fail(nodes, node, key, "expected an object, got %s", show(value)) end
  if #value > 0 then fail(nodes, node, key, "expected an object, got an array") end
  return value
end

local function unknown_key(nodes, node, key, known)
  if type(key) ~= "string" then fail(nodes, node, "", "unknown key [%s]", tostring(key)) end
  fail(nodes, node, "", "unknown key '%s'%s", key, failure.hint(key, known))
end

-- Entries ----------------------------------------------------------------------------------------------------------

local ENTRY_KEYS = { "name", "id", "parent", "components", "children" }

local read_key = {}

function read_key.name(nodes, node, value)
  if type(value) ~= "string" then fail(nodes, node, "name", "expected a string, got %s", show(value)) end
  if value == "" then fail(nodes, node, "name", "a name cannot be empty") end
  if find(value, "/", 1, true) then fail(nodes, node, "name", "a name cannot hold a '/', got %s", show(value)) end
  nodes.names[node] = value
end

-- Ids and references may be numbers, as some editors number their objects.
local function read_reference(nodes, node, key, value)
  if type(value) == "number" and value == value then return tostring(value) end
  if type(value) ~= "string" then fail(nodes, node, key, "expected a string or number, got %s", show(value)) end
  return value
end

function read_key.id(nodes, node, value)
  nodes.ids[node] = read_reference(nodes, node, "id", value)
end

function read_key.parent(nodes, node, value)
  if nodes.up[node] > 0 then
    fail(nodes, node, "parent", "an entity that stands in children has its parent already")
  end
  nodes.parents[node] = read_reference(nodes, node, "parent", value)
end

function read_key.components(nodes, node, value)
  nodes.components[node] = check_object(nodes, node, "components", value)
end

function read_key.children(nodes, node, value)
  nodes.children = check_list(nodes, node, "children", value)
end

-- Takes in one entry as a new node; its children, if any, are left in nodes.children.
local function read_entry(nodes, entry, up, position)
  local node = nodes.count + 1
  if node > nodes.limit then failure.raise("%s: more than %d entities", nodes.name, nodes.limit) end
  nodes.count, nodes.up[node], nodes.position[node] = node, up, position
  nodes.names[node], nodes.ids[node], nodes.parents[node], nodes.components[node] = false, false, false, false
  nodes.children = nil
  check_object(nodes, node, "", entry)
  if nodes.open[entry] then fail(nodes, node, "", "the table contains itself") end
  for key, value in next, entry do
    if not is_ignored(key) then
      local read = read_key[key]
      if not read then unknown_key(nodes, node, key, ENTRY_KEYS) end
      if not is_null(value) then read(nodes, node, value) end
    end
  end
  return node
end

-- All entries, depth first as written. `open` holds the tables whose children are being read.
local function read_entries(nodes, entities)
  local lists, positions, owners, entries, depth = { entities }, { 0 }, { 0 }, {}, 1
  while depth > 0 do
    local position = positions[depth] + 1
    local entry = lists[depth][position]
    positions[depth] = position
    if entry == nil then
      if entries[depth] then nodes.open[entries[depth]] = nil end
      depth = depth - 1
    else
      local node = read_entry(nodes, entry, owners[depth], position)
      local children = nodes.children
      if children and #children > 0 then
        depth = depth + 1
        lists[depth], positions[depth], owners[depth], entries[depth] = children, 0, node, entry
        nodes.open[entry] = true
      end
    end
  end
end

-- References -------------------------------------------------------------------------------------------------------

local function index_names(nodes)
  local by_id, by_name = nodes.by_id, nodes.by_name
  for node = 1, nodes.count do
    local id, name = nodes.ids[node], nodes.names[node]
    if id then
      if by_id[id] then
        fail(nodes, node, "id", "%s is the id of %s too", show(id), source.place(nodes, by_id[id]))
      end
      by_id[id] = node
    end
    -- `false`: several have it.
    if name then by_name[name] = by_name[name] == nil and node end
  end
end

-- The names and ids that a misspelt one may have meant.
local function known_references(nodes)
  local known = {}
  for id in next, nodes.by_id do known[#known + 1] = id end
  for name in next, nodes.by_name do known[#known + 1] = name end
  sort(known)
  return known
end

--- The node that a reference of `node` names: by id, else by name. Fails at `key` when there is none, or several.
function source.resolve(nodes, node, key, reference)
  reference = read_reference(nodes, node, key, reference)
  local found = nodes.by_id[reference]
  if found == nil then found = nodes.by_name[reference] end
  if found == false then
    fail(nodes, node, key, "%s is the name of several entities: refer to one by its id", show(reference))
  elseif found == nil then
    fail(nodes, node, key, "there is no entity %s%s", show(reference),
      failure.hint(reference, known_references(nodes)))
  end
  return found
end

-- Order ------------------------------------------------------------------------------------------------------------

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

-- Fills `order` (place -> node), `rank` (node -> place) and `parent` (node -> node or 0).
local function order_nodes(nodes)
  local up, waits = {}, false
  for node = 1, nodes.count do
    up[node] = nodes.up[node]
    if nodes.parents[node] then
      up[node] = source.resolve(nodes, node, "parent", nodes.parents[node])
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
    if placed and not placed[node] and nodes.parents[node] then
      fail(nodes, node, "parent", "the entity would be its own ancestor")
    end
  end
  local rank = {}
  for place = 1, #order do rank[order[place]] = place end
  nodes.order, nodes.rank, nodes.parent = order, rank, up
end

-- The whole --------------------------------------------------------------------------------------------------------

local TOP_KEYS = { "version", "entities" }

local function check_version(nodes, version)
  if type(version) ~= "number" then fail(nodes, 0, "version", "expected a number, got %s", show(version)) end
  if version > VERSION then
    fail(nodes, 0, "version", "%s is newer than this compiler, which knows version %d", tostring(version), VERSION)
  end
  if version ~= VERSION then fail(nodes, 0, "version", "expected %d, got %s", VERSION, tostring(version)) end
end

--- Reads a decoded level. Raises a failure that begins with `name`.
-- @tparam string name of the file, for messages
-- @param document the decoded source
-- @tparam number limit how many entities there may be
-- @treturn table by node: `names`, `ids` and `components` (or false), `parent` (a node, or 0); `order` and `rank`
function source.read(name, document, limit)
  local nodes = { name = name, limit = limit, count = 0, up = {}, position = {}, names = {}, ids = {}, parents = {},
    components = {}, open = {}, by_id = {}, by_name = {} }
  check_object(nodes, 0, "", document)
  for key in next, document do
    if key ~= "version" and key ~= "entities" and not is_ignored(key) then unknown_key(nodes, 0, key, TOP_KEYS) end
  end
  local version, entities = rawget(document, "version"), rawget(document, "entities")
  if not is_null(version) then check_version(nodes, version) end
  if is_null(entities) then fail(nodes, 0, "", "the key 'entities' is missing") end
  read_entries(nodes, check_list(nodes, 0, "entities", entities))
  index_names(nodes)
  order_nodes(nodes)
  return nodes
end

return source
