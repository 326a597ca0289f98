-- A run: two hosts with the same worlds, one of which is played, and its expected state. Actions are in play/actions;
-- this file has their helpers.

local cuttle = require "cuttle"
local fields = require "spec.support.play.fields"
local new_state = require("spec.support.play.state").new
local poses = require "spec.support.play.poses"
local scenery = require "spec.support.play.scenery"

local Run = {}
Run.__index = Run

-- An action that is not possible raises this, before it changes anything.
Run.SKIP = {}

local function new(minimum)
  return setmetatable({ host = scenery.open(minimum), other = scenery.open(minimum, true), state = new_state(),
    taken = {}, saves = {} }, Run)
end

function Run.need(condition)
  if not condition then error(Run.SKIP, 0) end
  return condition
end
local need = Run.need

-- ---------------------------------------------------------------- objects

-- The entity of a name, which must be alive.
function Run:entity(n)
  need(self.state.alive[n])
  return self.state.ids[n]
end

function Run:entities_of(names)
  local out, seen = {}, {}
  for i, n in ipairs(names) do
    need(not seen[n])
    out[i], seen[n] = self:entity(n), true
  end
  return out
end

function Run:world(w) return self.host.worlds[w] end

function Run:manager(w, m)
  return self.host.worlds[w]:manager(m)
end

-- The fields of a component in a world.
function Run:fields(w, m) return scenery.fields(self.state.worlds[w], m) end

-- The expected i-th component of an entity, its manager, and the target for its methods.
function Run:component(w, m, n, i)
  local list = need(self.state:list(w, m, n))
  local component, manager, e = need(list[i]), self:manager(w, m), self:entity(n)
  if i == 1 then return component, manager, e end
  local instance = manager:lookup(e)
  for _ = 2, i do instance = manager:next(instance) end
  return component, manager, instance
end

function Run:transform(w, n) return self:component(w, "transform", n, 1) end

-- Requires that a transform with these values can be created.
function Run:check_parent(w, values)
  local world, parent = self.state.worlds[w], values.parent
  if not parent then return end
  self:transform(w, parent)
  need(poses.fits(world, nil, parent))
  need(not values.parent_node or poses.node(world, parent, values.parent_node))
end

-- ---------------------------------------------------------------- values

-- Values for the API: with entities in place of names.
function Run:values(w, m, values)
  if type(values) ~= "table" then return values end
  local out = fields.copy(values)
  for _, field in ipairs(self:fields(w, m)) do
    if field[2] == "value" then out[field[1]] = out[field[1]] or nil end
    if field[2] == "entity" and values[field[1]] ~= nil then
      out[field[1]] = values[field[1]] and self:entity(values[field[1]]) or nil
    end
  end
  if m == "transform" and values.parent then out.parent = self:entity(values.parent) end
  return scenery.given(m, out)
end

-- In create_many and write_many, a table in a value field holds one value for each component: here the same.
function Run:repeat_values(w, m, values, count)
  for _, field in ipairs(self:fields(w, m)) do
    local value, all = values[field[1]], {}
    if field[2] == "value" and value ~= nil then
      for i = 1, count do all[i] = value end
      values[field[1]] = all
    end
  end
  return values
end

-- Values of several components for world:create.
function Run:components(w, components)
  local out = {}
  for m, values in pairs(components) do
    if scenery.COMPONENTS[m].multiple and values[1] then
      out[m] = {}
      for i, item in ipairs(values) do out[m][i] = self:values(w, m, item) end
    else
      out[m] = self:values(w, m, values)
    end
  end
  return out
end

-- ---------------------------------------------------------------- changes of the state

-- Requires that the names from `base` on are unused.
function Run:unused(base, count)
  for n = base, base + count - 1 do need(self.state.ids[n] == nil) end
end

function Run:created(base, list)
  for i, e in ipairs(list) do self.state:created(base + i - 1, e) end
end

-- Adds the components of a create to `count` entities, in its order: type by type, and first components before second
-- ones.
function Run:furnish(w, base, count, components)
  for _, m in ipairs(scenery.WORLDS[w]) do
    local values = components[m]
    local items = values and scenery.COMPONENTS[m].multiple and values[1] and values or { values }
    self.state:see_ids(w, m, items)
    for _, item in ipairs(items) do
      for n = base, base + count - 1 do self.state:add(w, m, n, item) end
    end
  end
end

-- Expects that the next event begins with a text.
function Run:expect_event(label)
  local event = table.remove(self.host.events, 1)
  Run.equal(label, event and event:sub(1, #label), "hook events")
end

-- Sets an expected field. Children on nodes of a model move to nodes of the new resource.
function Run:put(w, m, n, component, field, value)
  if m == "model" and field == "resource" then
    local before, new_values = component.resource, poses.new_model(value)
    component.resource, component.posed, component.shown = value, new_values.posed, new_values.shown
    poses.move_children_to_nodes(self.state.worlds[w], n, before, value)
  else
    component[field] = value
  end
end

function Run:forget(n)
  for _, noted in pairs(self.host.noted) do noted[self.state.ids[n]] = nil end
end

function Run:kill(n)
  if self.state:kill(n) then self:forget(n) end
end

function Run.equal(expected, got, label)
  if expected == got then return end
  local function text(value) return type(value) == "userdata" and cuttle.is_entity(value)
    and cuttle.entity_tostring(value) or tostring(value) end
  error(("%s: expected %s, got %s"):format(label, text(expected), text(got)), 0)
end

return { new = new, need = need, SKIP = Run.SKIP }
