--- Structure checks of documents and entries, key by key.
-- Does not depend on other files, on references, nor on the meaning of components.
-- @module cuttle.compiler.entries

local each = require "cuttle.each"
local failure = require "cuttle.failure"
local json = require "cuttle.json"
local lazy = require "cuttle.compiler.lazy"
local places = require "cuttle.compiler.places"

local fail, is_null, show, index_trouble = places.fail, json.is_null, failure.show, failure.index_trouble
local byte, find, format = string.byte, string.find, string.format

local entries = {}

local VERSION = 1

--- Returns whether a key is ignored: keys that begin with $ or _ are reserved for editors.
function entries.is_ignored(key)
  local first = type(key) == "string" and byte(key)
  return first == 36 or first == 95
end
local is_ignored = entries.is_ignored

-- Structure --------------------------------------------------------------------------------------------------------

--- Returns why a value is not a list (a table with the keys 1 to n only), or nil for a list.
function entries.list_trouble(list)
  if lazy.is(list) then return nil end
  if type(list) ~= "table" then return "expected an array, got " .. show(list) end
  local trouble = index_trouble(list)
  if trouble then return trouble end
  local count, length = 0, #list
  for place in each, list do
    if type(place) ~= "number" then
      return length > 0 and "expected an array, got one that also has keys" or "expected an array, got an object"
    end
    count = count + 1
    if place < 1 or place > length or place % 1 ~= 0 then return "the array has gaps" end
  end
  return count ~= length and "the array has gaps" or nil
end

--- Returns why a value is not an object, or nil for an object.
function entries.object_trouble(value)
  if type(value) ~= "table" then return "expected an object, got " .. show(value) end
  return index_trouble(value) or #value > 0 and "expected an object, got an array" or nil
end

local list_trouble, object_trouble = entries.list_trouble, entries.object_trouble

local function check_object(nodes, node, key, value)
  local trouble = object_trouble(value)
  if trouble then fail(nodes, node, key, "%s", trouble) end
  return value
end

-- Documents --------------------------------------------------------------------------------------------------------

local TOP_KEYS = { "version", "entities" }

local function version_trouble(version)
  if type(version) ~= "number" then return "expected a number, got " .. show(version) end
  if version > VERSION then
    return format("%s is newer than this compiler, which supports version %d", tostring(version), VERSION)
  end
  return version ~= VERSION and format("expected %d, got %s", VERSION, tostring(version)) or nil
end

--- Checks the top level of a decoded file and returns its entities.
function entries.of_document(name, document)
  local function check(key, trouble)
    if trouble then failure.raise("%s: %s%s", name, key ~= "" and key .. ": " or "", trouble) end
  end
  check("", object_trouble(document))
  for key in each, document do
    if type(key) ~= "string" then
      check("", "unknown key [" .. tostring(key) .. "]")
    elseif key ~= "version" and key ~= "entities" and not is_ignored(key) then
      check("", format("unknown key '%s'%s", key, failure.hint(key, TOP_KEYS)))
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

--- Converts an id or a reference to a string, or returns nil and an error message. Numbers are accepted, because some
-- editors number their objects.
function entries.reference_of(value)
  if type(value) == "number" and value == value then return tostring(value) end
  if type(value) == "string" then return value end
  return nil, "expected a string or number, got " .. show(value)
end

function read_key.id(nodes, node, value)
  local id, trouble = entries.reference_of(value)
  return id or fail(nodes, node, "id", "%s", trouble)
end

function read_key.parent(nodes, node, value)
  if nodes.up[node] > 0 then
    fail(nodes, node, "parent", "an entity in 'children' already has a parent")
  end
  local parent, trouble = entries.reference_of(value)
  return parent or fail(nodes, node, "parent", "%s", trouble)
end

function read_key.components(nodes, node, value)
  return check_object(nodes, node, "components", value)
end

function read_key.children(nodes, node, value)
  local trouble = list_trouble(value)
  if trouble then fail(nodes, node, "children", "%s", trouble) end
  return (#value > 0 or lazy.is(value)) and value or nil
end

function read_key.prefab(nodes, node, value)
  if type(value) ~= "string" or value == "" then
    fail(nodes, node, "prefab", "expected the path of a file, got %s", show(value))
  end
  return value
end

--- Returns the key of an override, for places.
function entries.override_key(path)
  return { path }
end

function read_key.overrides(nodes, node, value)
  check_object(nodes, node, "overrides", value)
  for path, components in each, value do
    if type(path) ~= "string" then fail(nodes, node, "overrides", "expected paths for keys, got %s", show(path)) end
    if not is_ignored(path) then check_object(nodes, node, entries.override_key(path), components) end
  end
  return value
end

--- Empties the table that an entry is read into. Raises if the entry is not an object, or contains itself.
function entries.begin(nodes, node, entry, into)
  into.name, into.id, into.parent, into.components, into.children = nil, nil, nil, nil, nil
  into.prefab, into.overrides = nil, nil
  check_object(nodes, node, "", entry)
  if nodes.open[entry] then fail(nodes, node, "", "the table contains itself") end
end

--- Reads one key of an entry.
function entries.read_pair(nodes, node, key, value, into)
  local reader = read_key[key]
  if reader then
    if not is_null(value) then into[key] = reader(nodes, node, value) end
  elseif type(key) ~= "string" then
    fail(nodes, node, "", "unknown key [%s]", tostring(key))
  elseif not is_ignored(key) then
    fail(nodes, node, "", "unknown key '%s'%s", key, failure.hint(key, ENTRY_KEYS))
  end
end

--- Checks that depend on several keys of an entry.
function entries.finish(nodes, node, into)
  if into.overrides and not into.prefab then
    fail(nodes, node, "overrides", "only an entry with a prefab can have overrides")
  end
end

local read_pair = entries.read_pair

--- Reads all keys of an entry into a table.
function entries.read(nodes, node, entry, into)
  entries.begin(nodes, node, entry, into)
  for key, value in each, entry do read_pair(nodes, node, key, value, into) end
  entries.finish(nodes, node, into)
  return into
end

return entries
