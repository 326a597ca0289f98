-- Levels of runs: source(k, v) is version v of level k, always the same. Versions of a level share some entities and
-- fields, and differ in others. The id of every entity is its name.

local fields = require "spec.support.play.fields"
local new_random = require "spec.support.random"
local poses = require "spec.support.play.poses"
local scenery = require "spec.support.play.scenery"

-- RELEASED is the name, in a level, of entities that left it.
local levels = { LEVELS = 12, VERSIONS = 4, RELEASED = -1 }

local KINDS = { "transform", "transform", "point_mass", "mesh", "actor", "model", "stats", "item", "flag", "tag",
  "mood", "grid" }

local function position(random) return { random(9) - 5, random(9) - 5, random(5) - 3 } end

-- Random values of a component. Entity fields refer to entities of the level.
local function values(random, m, name)
  local out = {}
  for _, field in ipairs(scenery.COMPONENTS[m]) do
    if field[1] == scenery.COMPONENTS[m].required or random(4) == 1 then
      local value = fields.random(field, random, name)
      if value ~= false or field[2] ~= "entity" and field[2] ~= "value" then out[field[1]] = value end
    end
  end
  return out
end

local function component(random, m, name)
  if m == "transform" then
    local pose = { position = position(random) }
    if random(3) == 1 then pose.rotation = poses.TURNS[random(#poses.TURNS)] end
    return pose
  end
  if not scenery.COMPONENTS[m].multiple then return values(random, m, name) end
  local list = {}
  for i = 1, random(2) do
    list[i] = values(random, m, name)
    if random(2) == 1 then list[i].id = "part" .. i end
  end
  return list
end

local function components(random, name)
  local out = { transform = random(5) > 1 and component(random, "transform", name) or nil }
  for _ = 1, random(4) do
    local m = KINDS[random(#KINDS)]
    out[m] = component(random, m, name)
  end
  return out
end

-- A version changes some values of the first, removes some entities and adds others.
local function entities(k, v)
  local base, list = new_random(k * 1000), {}
  for i = 1, base(5) do
    local random = new_random(k * 1000 + i)
    list[i] = { name = "e" .. i, parent = i > 1 and random(2) == 1 and random(i - 1) or nil,
      components = components(random, function() return "e1" end) }
  end
  local change = new_random(k * 1000 + v * 100)
  for i, entity in ipairs(list) do
    if v > 1 and change(3) == 1 then
      entity.components = components(change, function() return "e1" end)
    elseif v > 1 and entity.components.transform and change(3) == 1 then
      entity.components.transform.position = position(change)
    end
    if v > 1 and i > 1 and change(4) == 1 then entity.parent = change(i) > 1 and change(i - 1) or nil end
    if v > 1 and i > 1 and change(6) == 1 then entity.removed = true end
  end
  if v > 1 and change(3) == 1 then
    list[#list + 1] = { name = "new" .. v, parent = change(2) == 1 and 1 or nil,
      components = components(change, function() return "e1" end) }
  end
  return list
end

-- Entities without their parent become roots. The depth is limited to 2: deeper entities move up.
local function parent_of(list, entity)
  local parent = list[entity.parent]
  while parent and (parent.removed or parent.parent and list[parent.parent] and not list[parent.parent].removed) do
    parent = list[parent.parent]
  end
  return parent
end

-- The contents of a compiled level in its order: { name =, parent = place or nil, components = }.
function levels.flat(k, v)
  local list, out = entities(k, v), {}
  local function put(entity, place)
    out[#out + 1] = { name = entity.name, parent = place, components = entity.components }
    local at = #out
    for _, other in ipairs(list) do
      if not other.removed and parent_of(list, other) == entity then put(other, at) end
    end
  end
  for _, entity in ipairs(list) do
    if not entity.removed and not parent_of(list, entity) then put(entity, nil) end
  end
  return out
end

local function given(all)
  local out = {}
  for m, one in pairs(all) do out[m] = scenery.given(m, one) end
  return out
end

-- The level as a table for the compiler.
function levels.source(k, v)
  local made, roots = {}, {}
  for i, entity in ipairs(levels.flat(k, v)) do
    made[i] = { id = entity.name, name = entity.name, components = given(entity.components), children = {} }
    table.insert(entity.parent and made[entity.parent].children or roots, made[i])
  end
  return { entities = roots }
end

return levels
