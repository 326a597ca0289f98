-- The expected state of a run, as plain tables that can be copied: living entities and their components in each world.
-- Entities are numbers, which a run uses as names and does not reuse.

local fields = require "spec.support.play.fields"
local poses = require "spec.support.play.poses"
local scenery = require "spec.support.play.scenery"

local State = {}
State.__index = State

-- Creates a world.
function State:renew(w)
  local world = { deferred = false, model = { of = {} } }
  for _, component in ipairs(scenery.WORLDS[w]) do world[component] = { of = {}, last = 0, version = 1 } end
  self.worlds[w], self.own[w] = world, {}
end

-- ids: name -> entity, including dead ones. worlds: world -> component -> { of = { name -> list }, last = highest id }.
-- own: world -> names of entities of levels that a run does not keep.
local function new()
  local state = setmetatable({ ids = {}, alive = {}, worlds = {}, levels = {}, own = {}, events = {} }, State)
  for w in pairs(scenery.WORLDS) do state:renew(w) end
  return state
end

function State:copy()
  local events = self.events
  self.events = {}
  local copy = setmetatable(fields.copy(self), State)
  self.events = events
  return copy
end

-- Numeric ids of a create count before any id is issued.
function State:see_ids(w, m, items)
  local manager = self.worlds[w][m]
  for _, item in ipairs(items) do
    if type(item.id) == "number" then manager.last = math.max(manager.last, item.id) end
  end
end

-- The components of an entity of a type, or nil.
function State:list(w, m, n)
  return self.worlds[w][m].of[n]
end

-- ---------------------------------------------------------------- additions

-- The given id, or the next of the manager.
local function number(manager, id)
  if id == nil then id = manager.last + 1 end
  if type(id) == "number" and id > manager.last then manager.last = id end
  return id
end

-- A component with the values of create, without an owner.
function State:new_component(w, m, values)
  if m == "transform" then return poses.new(values) end
  if m == "model" then return poses.new_model(values.resource) end
  return fields.fill(scenery.fields(self.worlds[w], m), values)
end

function State:record(event, w, m, n) self.events[#self.events + 1] = { ("%s %s.%s"):format(event, w, m), n } end

-- Adds a component with the values of create.
function State:add(w, m, n, values)
  local world = self.worlds[w]
  local manager, component = world[m], self:new_component(w, m, values)
  if scenery.COMPONENTS[m].multiple then component.id = number(manager, values.id) end
  manager.of[n] = manager.of[n] or {}
  table.insert(manager.of[n], component)
  if m == "transform" then poses.added(world, n, values) end
  self:record("add", w, m, n)
  return component
end

function State:created(n, e)
  self.ids[n], self.alive[n] = e, true
end

-- ---------------------------------------------------------------- removals

function State:remove(w, m, n, i)
  local world = self.worlds[w]
  local of = world[m].of
  if m == "transform" then poses.removing(world, n) end
  if m == "model" then poses.move_children_to_nodes(world, n, of[n][1].resource, nil) end
  table.remove(of[n], i)
  if #of[n] == 0 then of[n] = nil end
  self:record("remove", w, m, n)
end

function State:remove_all(w, m, n)
  local count = #(self:list(w, m, n) or {})
  for i = count, 1, -1 do self:remove(w, m, n, i) end
  return count
end

-- Removes transforms first, so that children keep their world pose.
function State:remove_components(w, n)
  for _, m in ipairs(scenery.WORLDS[w]) do self:remove_all(w, m, n) end
end

function State:kill(n)
  if not self.alive[n] then return false end
  for w in pairs(self.worlds) do self:remove_components(w, n) end
  self.alive[n] = nil
  self.events[#self.events + 1] = { "destroy", n }
  return true
end

function State:clear(w, entities)
  local owners = {}
  for _, m in ipairs(scenery.WORLDS[w]) do
    for n in pairs(self.worlds[w][m].of) do owners[n] = true end
  end
  for n in pairs(owners) do
    if entities then self:kill(n) else self:remove_components(w, n) end
  end
end

-- ---------------------------------------------------------------- reading

function State:count()
  local count = 0
  for _ in pairs(self.alive) do count = count + 1 end
  return count
end

-- The names of living entities in order.
function State:living()
  local names = {}
  for n in pairs(self.alive) do names[#names + 1] = n end
  table.sort(names)
  return names
end

return { new = new }
