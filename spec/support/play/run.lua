-- A run: two hosts with the same worlds, of which one is played, and the state that is expected of it. What is done
-- stands in play/actions; here is what actions ask for.

local cuttle = require "cuttle"
local fields = require "spec.support.play.fields"
local new_state = require("spec.support.play.state").new
local poses = require "spec.support.play.poses"
local scenery = require "spec.support.play.scenery"

local Run = {}
Run.__index = Run

-- Raised by an action that makes no sense as things are: nothing was done then.
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

-- ---------------------------------------------------------------- what there is

-- The entity of a living name.
function Run:live(n)
  need(self.state.alive[n])
  return self.state.ids[n]
end

function Run:lives(names)
  local out, seen = {}, {}
  for i, n in ipairs(names) do
    need(not seen[n])
    out[i], seen[n] = self:live(n), true
  end
  return out
end

function Run:world(w) return self.host.worlds[w] end

function Run:manager(w, m)
  return self.host.worlds[w]:manager(m)
end

-- The fields of a component of a world.
function Run:fields(w, m) return scenery.fields(self.state.worlds[w], m) end

-- The i-th component of an entity, as expected, and what methods take for it.
function Run:component(w, m, n, i)
  local list = need(self.state:list(w, m, n))
  local component, manager, e = need(list[i]), self:manager(w, m), self:live(n)
  if i == 1 then return component, manager, e end
  local instance = manager:lookup(e)
  for _ = 2, i do instance = manager:next(instance) end
  return component, manager, instance
end

function Run:transform(w, n) return self:component(w, "transform", n, 1) end

-- Whether a transform of these values can be made.
function Run:check_parent(w, values)
  local world, parent = self.state.worlds[w], values.parent
  if not parent then return end
  self:transform(w, parent)
  need(poses.fits(world, nil, parent))
  need(not values.parent_node or poses.node(world, parent, values.parent_node))
end

-- ---------------------------------------------------------------- values

-- Values as the API takes them: entities in place of names.
function Run:values(w, m, values)
  if type(values) ~= "table" then return values end
  local out = fields.copy(values)
  for _, field in ipairs(self:fields(w, m)) do
    if field[2] == "value" then out[field[1]] = out[field[1]] or nil end
    if field[2] == "entity" and values[field[1]] ~= nil then
      out[field[1]] = values[field[1]] and self:live(values[field[1]]) or nil
    end
  end
  if m == "transform" and values.parent then out.parent = self:live(values.parent) end
  return scenery.given(m, out)
end

-- In create_many and write_many a table of a value field is one value each: the same for all.
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

-- What is given of several components, which is the form of world:create.
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

-- ---------------------------------------------------------------- taking part

-- Names from 'base' on that are to be given have not been.
function Run:unused(base, count)
  for n = base, base + count - 1 do need(self.state.ids[n] == nil) end
end

function Run:born(base, list)
  for i, e in ipairs(list) do self.state:born(base + i - 1, e) end
end

-- All that 'count' entities get of one create: kind by kind, and of each the first of all entities, then the second.
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

-- The next that a hook was told begins so.
function Run:expect_told(what)
  local told = table.remove(self.host.told, 1)
  Run.equal(what, told and told:sub(1, #what), "what hooks were told")
end

-- One field is expected to hold that. What hangs on nodes of a model follows when its resource changes.
function Run:put(w, m, n, component, field, value)
  if m == "model" and field == "resource" then
    local before, fresh = component.resource, poses.new_model(value)
    component.resource, component.posed, component.shown = value, fresh.posed, fresh.shown
    poses.rehang(self.state.worlds[w], n, before, value)
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

function Run.equal(expected, got, what)
  if expected == got then return end
  local function text(value) return type(value) == "userdata" and cuttle.is_entity(value)
    and cuttle.entity_tostring(value) or tostring(value) end
  error(("%s: expected %s, got %s"):format(what, text(expected), text(got)), 0)
end

return { new = new, need = need, SKIP = Run.SKIP }
