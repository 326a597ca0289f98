--- Tables of named options: checked here for functions written in Lua, and for functions of the core, which receive the
-- options as plain values.
-- Does not depend on the functions that take the options.
-- @module cuttle.options

local core = require "cuttle.core"
local each = require "cuttle.each"
local failure = require "cuttle.failure"

local find, format, getmetatable, ipairs, type = string.find, string.format, getmetatable, ipairs, type
local is_entity, type_name = core.is_entity, core.messages.type_name

local options = {}

--- Makes the list of a function's options from an array of `{name, wanted}`. `wanted` is the name of a type, a function
-- that returns an error message or nil for a value, or `true` if the caller checks the value itself.
function options.list(entries)
  local list = { names = {}, wanted = {} }
  for place, entry in ipairs(entries) do
    list.names[place] = entry[1]
    list.wanted[entry[1]] = entry[2]
  end
  return list
end

-- Returns an error message or nil for a value. `kind` is the `wanted` of the option, nil if the option does not exist.
local function trouble_of(name, value, kind, list)
  if kind == nil then
    if type(name) == "string" then return format("unknown option '%s'%s", name, failure.hint(name, list.names)) end
    name = type(name) == "number" and format("%.14g", name) or type_name(name)
    return format("unknown option [%s] (options are given by name)", name)
  end
  local trouble
  if type(kind) == "function" then
    trouble = kind(value)
  elseif type(value) ~= kind then
    trouble = format("%s expected, got %s", kind, type_name(value))
  end
  return trouble and format("%s: %s", name, trouble)
end

-- Checks values that the table inherits through its metatable.
local function check_inherited(given, list)
  for _, name in ipairs(list.names) do
    local value, kind = given[name], list.wanted[name]
    local trouble = value ~= nil and kind ~= true and trouble_of(name, value, kind, list)
    if trouble then return trouble end
  end
end

-- Returns an error message for a table of options, or nil.
local function check(given, list)
  local wanted = list.wanted
  for name, value in each, given do
    local kind = wanted[name]
    local trouble = kind ~= true and trouble_of(name, value, kind, list)
    if trouble then return trouble end
  end
  return getmetatable(given) ~= nil and check_inherited(given, list) or nil
end

--- Returns a copy of a table of options, or nil and an error message.
function options.read(given, list)
  local trouble = check(given, list)
  if trouble then return nil, trouble end
  local copy = {}
  for _, name in ipairs(list.names) do copy[name] = given[name] end
  return copy
end

-- Kinds of values --------------------------------------------------------------------------------------------------

--- Makes the `wanted` of an option that is an integer in a range. `expected` names the range in messages.
function options.integer(low, high, expected)
  expected = expected or format("integer in [%.14g, %.14g]", low, high)
  return function(value)
    local is_number = type(value) == "number"
    if is_number and value >= low and value <= high and value % 1 == 0 then return nil end
    return format("%s expected, got %s", expected, is_number and format("%.14g", value) or type_name(value))
  end
end

local function one_of(words, expected)
  return function(value)
    if words[value] then return nil end
    return format("%s expected, got %s", expected, type(value) == "string" and '"' .. value .. '"' or type_name(value))
  end
end

local function entity(value)
  if not is_entity(value) then return "entity expected, got " .. type_name(value) end
end

local LONGEST_NAME = 63

local function world_name(value)
  if type(value) ~= "string" then return "string expected, got " .. type_name(value) end
  if #value < 1 or #value > LONGEST_NAME or find(value, "%z") then
    return format("1 to %d characters expected, got string", LONGEST_NAME)
  end
end

-- Functions of the core --------------------------------------------------------------------------------------------

-- Readers of options, by function: a reader returns an error message or nil, then the values (nil if not given). The
-- core checks each value again, because a metatable may return another one on the second read.
local readers = {}

local ENTITY_MANAGER = options.list {
  { "minimum_free_indices", options.integer(0, core.MAX_ENTITIES - 1) },
  { "trace", "boolean" },
}

function readers.entity_manager(given)
  return check(given, ENTITY_MANAGER), given.minimum_free_indices, given.trace
end

local WORLD = options.list {
  { "name", world_name }, { "seed", options.integer(0, 2 ^ 53 - 1, "integer in [0, 2^53 - 1]") },
}

function readers.world(given) return check(given, WORLD), given.name, given.seed end

local RECORDER = options.list { { "every", options.integer(1, 2 ^ 20) }, { "keep", options.integer(1, 2 ^ 20) } }

function readers.recorder(given) return check(given, RECORDER), given.every, given.keep end

local function resources(value)
  if type(value) ~= "table" then return "table expected, got " .. type_name(value) end
  for name, resource in each, value do
    if type(name) ~= "string" then return "names expected as keys, got " .. type_name(name) end
    if getmetatable(resource) ~= "Resource" then
      return format("%s: Resource expected, got %s", name, type_name(resource))
    end
  end
end

local RESTORE = options.list { { "resources", resources } }

function readers.restore(given) return check(given, RESTORE), given.resources end

local CAPTURE = options.list { { "references", one_of({ error = true, ["nobody"] = true }, '"error" or "nobody"') } }

function readers.capture(given) return check(given, CAPTURE), given.references == "nobody" end

local CLEAR = options.list { { "entities", "boolean" } }

function readers.clear(given) return check(given, CLEAR), given.entities end

-- Checks the name or number of a node.
local function node(value)
  if type(value) == "string" then return nil end
  if type(value) ~= "number" then return "number or name of a node expected, got " .. type_name(value) end
  if value % 1 ~= 0 or not (value >= 1 and value <= 65535) then
    return format("number or name of a node expected, got %.14g", value)
  end
end

-- Encodes a node for the core as text: "hand", "#2". A name that begins with # gets another #.
local function node_text(value)
  if type(value) == "number" then return format("#%.14g", value) end
  return type(value) == "string" and value:gsub("^#", "##") or nil
end

local KEEP = one_of({ world = true }, '"world"')
local LINK = options.list { { "keep", KEEP }, { "node", node } }

function readers.link(given) return check(given, LINK), given.keep ~= nil, node_text(given.node) end

local UNLINK = options.list { { "keep", KEEP } }

function readers.unlink(given) return check(given, UNLINK), given.keep ~= nil end

-- The options of a spawn. `pose` is the `wanted` of the options of the pose.
local function spawn_list(pose)
  return options.list {
    { "position", pose }, { "rotation", pose }, { "angle", pose }, { "scale", pose },
    { "parent", entity },
    { "parent_node", node },
    { "unknown", one_of({ skip = true, error = true }, '"skip" or "error"') },
    { "overrides", "table" },
    { "state", "string" },
    { "name", "string" },
  }
end

local SPAWN = spawn_list(true)

function readers.spawn(given)
  return check(given, SPAWN), given.overrides, node_text(given.parent_node), given.state, given.name, given.parent,
    given.unknown == "error", given.position, given.rotation, given.angle, given.scale
end

local SPAWN_AT_POSES = spawn_list(function() return "not together with a table of poses" end)

function readers.spawn_at_poses(given)
  return check(given, SPAWN_AT_POSES), given.overrides, node_text(given.parent_node), given.state, given.name,
    given.parent, given.unknown == "error"
end

local POSES = options.list {
  { "positions", "table" }, { "rotations", "table" }, { "angles", "table" }, { "scales", "table" },
}

-- The count of numbers that each table has for one copy.
local POSE_NUMBERS = { { "positions", 3 }, { "rotations", 4 }, { "angles", 1 }, { "scales", 1 } }

-- Returns an error message if the length of a flat table does not fit the number of positions.
local function poses_trouble(given)
  local positions = given.positions
  if positions == nil then return "positions: required" end
  if given.rotations ~= nil and given.angles ~= nil then return "angles: not together with rotations" end
  local copies = math.floor(#positions / 3)
  for _, entry in ipairs(POSE_NUMBERS) do
    local name, values, wanted = entry[1], given[entry[1]], copies * entry[2]
    if values ~= nil and #values ~= wanted then
      local expected = format(wanted == 1 and "%d number" or "%d numbers", wanted)
      if name == "positions" then expected = "3 numbers per copy" end
      return format("%s: expected %s, got %d", name, expected, #values)
    end
  end
end

function readers.poses(given)
  return check(given, POSES) or poses_trouble(given), given.positions, given.rotations, given.angles, given.scales
end

local function cell(value)
  if type(value) == "number" and value >= 1e-30 and value <= 1e30 then return nil end
  local got = type(value) == "number" and format("%.14g", value) or type_name(value)
  return "number in [1e-30, 1e30] expected, got " .. got
end

local function radius(value)
  if type(value) == "string" or type(value) == "number" and value >= 0 then return nil end
  local got = type(value) == "number" and format("%.14g", value) or type_name(value)
  return 'number from 0 on or "component.field" expected, got ' .. got
end

local SPACE = options.list {
  { "cell", cell }, { "radius", radius }, { "mask", "string" }, { "dimensions", options.integer(2, 3) },
}

function readers.space(given)
  local size = given.radius
  return check(given, SPACE) or given.cell == nil and "cell: required" or nil, given.cell, given.dimensions,
    type(size) == "number" and size or nil, type(size) == "string" and size or nil, given.mask
end

local RESET = options.list { { "destroy", "boolean" } }

function readers.reset(given)
  return check(given, RESET), given.destroy
end

core.add_methods("options", readers)

return options
