--- models:define_resource: reads a node hierarchy from a table. Error messages contain the place of the error.
-- Does not depend on instances.

local argument = require "cuttle.argument"
local core = require "cuttle.core"
local each = require "cuttle.each"
local failure = require "cuttle.failure"

local format = string.format
local define_model, type_name = core.define_model, core.messages.type_name

local models = {}

local MOST_NODES = 65535
local LONGEST_NAME = 2 ^ 31 - 1
local KEYS = { "name", "parent", "position", "rotation", "angle", "scale" }
local KNOWN = {}
-- The core converts these into a local pose.
local POSE = { "position", "rotation", "angle", "scale" }
for _, key in ipairs(KEYS) do KNOWN[key] = true end

local function expected(wanted, value)
  failure.raise("expected %s, got %s", wanted, type_name(value))
end

-- Names and parents ------------------------------------------------------------------------------------------------

local function read_name(_, name)
  if type(name) ~= "string" then expected("a string", name) end
  if #name == 0 or #name > LONGEST_NAME then failure.raise "expected 1 to 2147483647 bytes" end
  return name
end

-- The place of the first later node with this name.
local function find_later(reading, name)
  for place = reading.count + 1, #reading.nodes do
    local node = rawget(reading.nodes, place)
    if type(node) == "table" and rawget(node, "name") == name then return place end
  end
end

local function read_parent(reading, parent)
  local earlier = reading.count
  if type(parent) == "number" then
    if parent >= 1 and parent <= earlier and parent % 1 == 0 then return parent end
    if earlier == 0 then failure.raise "the first node has no earlier node" end
    failure.raise("expected the number of an earlier node, 1 to %d, got %.14g", earlier, parent)
  elseif type(parent) ~= "string" then
    expected("the number or name of an earlier node", parent)
  end
  local number = reading.numbers[parent]
  if number then return number end
  local later = find_later(reading, parent)
  if later then failure.raise("expected an earlier node, got '%s', which is nodes[%d]", parent, later) end
  local names = {}
  for _, name in ipairs(reading.names) do
    if name then names[#names + 1] = name end
  end
  failure.raise("no earlier node has the name '%s'%s", parent, failure.hint(parent, names))
end

-- Nodes ------------------------------------------------------------------------------------------------------------

local function fail_at(place, trouble)
  failure.raise("nodes[%d]%s", place, trouble)
end

local function check_keys(place, node)
  for key in each, node do
    if type(key) ~= "string" then
      fail_at(place, format(": expected names of values as keys, got a key of type %s", type(key)))
    elseif not KNOWN[key] then
      fail_at(place, format(": unknown field '%s'%s", key, failure.hint(key, KEYS)))
    end
  end
end

-- Applies `read` to a value of the node and returns its result, or `otherwise` if the value is nil.
local function read_value(reading, node, key, read, otherwise)
  local value = rawget(node, key)
  if value == nil then return otherwise end
  local result, trouble = failure.guard(read, reading, value)
  if not result then fail_at(reading.count + 1, format(".%s: %s", key, trouble)) end
  return result
end

local function read_node(reading, node)
  local place = reading.count + 1
  if type(node) ~= "table" then fail_at(place, ": table expected, got " .. type_name(node)) end
  check_keys(place, node)
  local name = read_value(reading, node, "name", read_name, false)
  reading.names[place] = name
  reading.parents[place] = read_value(reading, node, "parent", read_parent, 0)
  for i, key in ipairs(POSE) do reading.poses[reading.count * #POSE + i] = rawget(node, key) end
  if name and not reading.numbers[name] then reading.numbers[name] = place end
  reading.count = place
end

-- Checks that the description contains only the array of nodes, and returns it.
local function check_desc(desc)
  for key in each, desc do
    local name = type(key) == "string" and key or "?"
    if name ~= "nodes" then failure.raise("unknown field '%s'%s", name, failure.hint(name, { "nodes" })) end
  end
  local nodes = rawget(desc, "nodes")
  if type(nodes) ~= "table" then failure.raise("nodes: expected an array of nodes, got %s", type_name(nodes)) end
  if #nodes < 1 or #nodes > MOST_NODES then
    failure.raise("nodes: expected 1 to %d nodes, got %d", MOST_NODES, #nodes)
  end
  for key in each, nodes do
    if type(key) ~= "number" or key < 1 or key > #nodes or key % 1 ~= 0 then
      failure.raise "nodes: expected an array without other keys"
    end
  end
  return nodes
end

local function read(desc)
  local nodes = check_desc(desc)
  local reading = { nodes = nodes, count = 0, names = {}, parents = {}, poses = {}, numbers = {} }
  for place = 1, #nodes do read_node(reading, rawget(nodes, place)) end
  return reading
end

--- Defines the nodes of a model resource.
-- @param manager a world's manager of models
-- @tparam string name
-- @tparam table desc `nodes`: an array of `{name=, parent=, position=, rotation= or angle=, scale=}`; a parent is the
-- number or name of an earlier node
function models.define_resource(manager, name, desc)
  argument.check_self(manager, "cuttle", "define_resource", "component manager")
  if type(name) ~= "string" then
    argument.bad(1, "define_resource", "string expected, got %s", type(name))
  elseif #name == 0 or #name > LONGEST_NAME then
    argument.bad(1, "define_resource", "name of 1 to 2147483647 bytes expected")
  elseif type(desc) ~= "table" then
    argument.bad(2, "define_resource", "table expected, got %s", desc == nil and "nil" or type_name(desc))
  end
  local reading, trouble = failure.guard(read, desc)
  if not reading then argument.bad(2, "define_resource", "%s", trouble) end
  local defined, problem = argument.call(define_model, manager, name, desc, reading.parents, reading.names,
    reading.poses)
  if not defined then argument.bad(2, "define_resource", "%s", problem) end
end

core.add_methods("model", models)

return models
