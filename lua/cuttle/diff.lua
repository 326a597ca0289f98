--- cuttle.diff: the first difference between the states of two EntityManagers.
-- Does not depend on component types, except for transform and model, whose links and node poses are not fields.

local argument = require "cuttle.argument"
local core = require "cuttle.core"
local each = require "cuttle.each"
local failure = require "cuttle.failure"
local worlds = require "cuttle.worlds"

local format = string.format
local schema = core.schema

-- Values that stand for a component or list item, and for a field that is nil.
local PRESENT, MISSING, NIL = {}, {}, {}
local WORDS = { [PRESENT] = "present", [MISSING] = "missing", [NIL] = "nil" }

-- Texts --------------------------------------------------------------------------------------------------------------

local function show(value)
  if WORDS[value] then return WORDS[value] end
  if core.is_entity(value) then return core.entity_tostring(value) end
  if type(value) == "number" then return format("%.17g", value) end
  if type(value) ~= "table" then return failure.show(value) end
  local parts = {}
  for place, item in ipairs(value) do parts[place] = show(item) end
  return "{" .. table.concat(parts, ", ") .. "}"
end

local function show_entity(matched, e)
  for _, pair in ipairs(matched) do
    for side = 1, 2 do
      local names = pair[side].debug_name
      local name = names:has(e) and names:debug_name(e)
      if name then return format("%s %q", core.entity_tostring(e), name) end
    end
  end
  return core.entity_tostring(e)
end

-- Comparison ---------------------------------------------------------------------------------------------------------

-- Returns whether two values of a field have the same bits, where any NaN equals any NaN.
local function same(x, y)
  if type(x) == "table" and type(y) == "table" then
    if #x ~= #y then return false end
    for place, item in ipairs(x) do
      if not same(item, y[place]) then return false end
    end
    return true
  end
  if x ~= y then return x ~= x and y ~= y end
  return x ~= 0 or 1 / x == 1 / y
end

-- Counts a difference and keeps the first one. Long lists are described by their first item that differs.
local function add(found, name, x, y)
  found.here = found.here + 1
  if found.first then return end
  if type(x) == "table" and type(y) == "table" and math.max(#x, #y) > 16 then
    local place = 1
    while x[place] ~= nil and same(x[place], y[place]) do place = place + 1 end
    name = format("%s[%d]", name, place)
    x, y = x[place] == nil and MISSING or x[place], y[place] == nil and MISSING or y[place]
  end
  found.first = format("%s in world \"%s\": %s is %s in the first and %s in the second",
    show_entity(found.worlds, found.entity), found.world, name, show(x), show(y))
end

-- The values of a component that are compared, and their names in order: fields, then the other values that `create`
-- accepts.
local function values_of(manager, target)
  local values, names, known, others = manager:get(target), {}, {}, {}
  for _, field in ipairs(manager:fields()) do
    known[field[1]] = true
    if field[2] ~= "value" then names[#names + 1] = field[1] end
  end
  for name in each, values do
    if not known[name] then others[#others + 1] = name end
  end
  table.sort(others)
  for _, name in ipairs(others) do names[#names + 1] = name end
  return values, names
end

-- Values that belong to an entity and are not returned by get.
local LINKS = {
  transform = function(transform, values, names, e)
    local children = {}
    for child in transform:children(e) do children[#children + 1] = child end
    values.children = children
    names[#names + 1] = "children"
  end,
  model = function(model, values, names, e)
    values.node_poses = {}
    for node = 1, model:node_count(e) do values.node_poses[node] = { model:node_pose(e, node) } end
    names[#names + 1] = "node_poses"
  end,
}

local function compare_component(found, name, first, second, x, y)
  local a, names = values_of(first, x)
  local b, other_names = values_of(second, y)
  local link = LINKS[name]
  if link then
    link(first, a, names, x)
    link(second, b, other_names, y)
  end
  local known = {}
  for _, field in ipairs(names) do known[field] = true end
  for _, field in ipairs(other_names) do
    if not known[field] then names[#names + 1] = field end
  end
  for _, field in ipairs(names) do
    local p, q = a[field], b[field]
    if p == nil then p = NIL end
    if q == nil then q = NIL end
    if not same(p, q) then add(found, name .. "." .. field, p, q) end
  end
end

local function instances_of(manager, e)
  local instances = {}
  for instance in manager:instances(e) do instances[#instances + 1] = instance end
  return instances
end

local function compare_instances(found, name, first, second, e)
  local xs, ys = instances_of(first, e), instances_of(second, e)
  for place = 1, math.max(#xs, #ys) do
    local x, y, label = xs[place], ys[place], format("%s[%d]", name, place)
    if not x or not y then
      add(found, label, x and PRESENT or MISSING, y and PRESENT or MISSING)
    elseif first:id(x) ~= second:id(y) then
      add(found, label .. ".id", first:id(x), second:id(y))
    else
      compare_component(found, label, first, second, x, y)
    end
  end
end

local function compare_manager(found, name, first, second, multiple)
  local e = found.entity
  local p, q = first ~= nil and first:has(e), second ~= nil and second:has(e)
  if p ~= q then
    add(found, name, p and PRESENT or MISSING, q and PRESENT or MISSING)
  elseif p and multiple then
    compare_instances(found, name, first, second, e)
  elseif p then
    compare_component(found, name, first, second, e, e)
  end
end

-- Adds the names of the components of either world: those of the first world in spawn order, then the others.
local function add_components(pair)
  local names = {}
  for name in pair[1]:managers() do names[#names + 1] = name end
  for name in pair[2]:managers() do
    if not pair[1]:manager(name) then names[#names + 1] = name end
  end
  pair.components = names
end

-- Describes a component that is defined in one of the worlds only, or returns nil.
local function definition_trouble(matched)
  for _, pair in ipairs(matched) do
    for _, name in ipairs(pair.components) do
      local first = pair[1]:manager(name)
      if not first or not pair[2]:manager(name) then
        return format("component '%s' of world \"%s\" exists only in the %s EntityManager", name, pair.name,
          first and "first" or "second")
      end
    end
  end
end

local function compare_entity(found, e)
  found.entity, found.here = e, 0
  for _, pair in ipairs(found.worlds) do
    found.world = pair.name
    for _, name in ipairs(pair.components) do
      compare_manager(found, name, pair[1]:manager(name), pair[2]:manager(name), pair.multiple[name])
    end
  end
  found.fields = found.fields + found.here
  if found.here > 0 then found.entities = found.entities + 1 end
end

-- Managers -----------------------------------------------------------------------------------------------------------

-- Pairs the worlds by name, in order of name. Returns nil and a text if one is missing.
local function pair_worlds(a, b)
  local first, second, names, pairs_of_worlds = worlds.by_name(a), worlds.by_name(b), {}, {}
  for name in each, first do names[#names + 1] = name end
  for name in each, second do
    if not first[name] then names[#names + 1] = name end
  end
  table.sort(names)
  for place, name in ipairs(names) do
    local x, y = first[name], second[name]
    if not x or not y then
      return nil, format("world %q exists only in the %s EntityManager", name, x and "first" or "second")
    end
    local multiple = {}
    for component, kind in each, schema.component_types(x) do multiple[component] = kind.multiple end
    pairs_of_worlds[place] = { x, y, name = name, multiple = multiple }
    add_components(pairs_of_worlds[place])
  end
  return pairs_of_worlds
end

-- Adds an entity that is alive on one side only.
local function add_alive(found, e, first)
  found.entities = found.entities + 1
  found.first = found.first or format("%s is alive in the %s EntityManager only", show_entity(found.worlds, e),
    first and "first" or "second")
end

-- Compares the entities of both managers in order of their indices.
local function compare_entities(found, a, b)
  local mine, theirs = {}, {}
  for e in a:each() do mine[#mine + 1] = e end
  for e in b:each() do theirs[#theirs + 1] = e end
  local i, j = 1, 1
  while mine[i] or theirs[j] do
    local x, y = mine[i], theirs[j]
    local p, q = x and core.entity_index(x) or math.huge, y and core.entity_index(y) or math.huge
    if x == y then
      compare_entity(found, x)
    else
      if p <= q then add_alive(found, x, true) end
      if q <= p then add_alive(found, y, false) end
    end
    if p <= q then i = i + 1 end
    if q <= p then j = j + 1 end
  end
end

local function count(number, one, many) return format("%d %s", number, number == 1 and one or many) end

--- Describes the first difference between two EntityManagers: of the first entity by index, the first component and
-- field, with both values; then how many fields and entities differ. For finding why two machines disagree. Compares
-- what `entities:hash` covers. Takes some microseconds per component.
-- @param a an EntityManager
-- @param b an EntityManager
-- @treturn string|nil nil if their hashes are equal
return function(a, b)
  argument.check_entities(a, 1, "diff")
  argument.check_entities(b, 2, "diff")
  if argument.call(a.hash, a) == argument.call(b.hash, b) then return nil end
  local matched, trouble = pair_worlds(a, b)
  if not matched then return trouble end
  local found = { worlds = matched, fields = 0, entities = 0 }
  compare_entities(found, a, b)
  if not found.first then
    return definition_trouble(matched)
      or "all entities and fields are equal; free entity ids, counters of component ids or random states differ"
  end
  return format("%s; %s of %s differ", found.first, count(found.fields, "field", "fields"),
    count(found.entities, "entity", "entities"))
end
