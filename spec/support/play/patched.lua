-- The effect of a patch, computed from the values that spawns of both versions write: patched(run, entry, next, base)
-- changes the state of a run, and returns names and counts. Entities have ids, which are their unique names in a level.

local fields = require "spec.support.play.fields"
local levels = require "spec.support.play.levels"
local poses = require "spec.support.play.poses"
local scenery = require "spec.support.play.scenery"
local spawned = require "spec.support.play.spawned"

local Patch = {}
Patch.__index = Patch

local W = "field"

-- ---------------------------------------------------------------- matching

local function places(flat)
  local out = {}
  for place, entity in ipairs(flat) do out[entity.name] = place end
  return out
end

-- Sets the names of one copy in the new version, or false for entities that are not created because their parent was
-- destroyed.
function Patch:identify(copy, base)
  local old_places = places(self.old)
  for place, entity in ipairs(self.next) do
    local at, old = copy * #self.next + place, old_places[entity.name]
    local ancestor = entity.parent and copy * #self.next + entity.parent
    local exists = not ancestor or self.made[ancestor] or self.run.state.alive[self.names[ancestor]]
    self.made[at] = not old and exists or false
    self.old_of[at] = old
    if old then
      self.names[at] = self.entry.names[copy * #self.old + old]
    else
      self.names[at] = exists and base + at - 1 or false
    end
  end
end

function Patch:find_removed(copy)
  local next_places = places(self.next)
  for place, entity in ipairs(self.old) do
    local n = self.entry.names[copy * #self.old + place]
    if not next_places[entity.name] and self.run.state.alive[n] then self.removed[#self.removed + 1] = n end
  end
end

-- ---------------------------------------------------------------- components

-- The rank of an item among the items without an id.
local function rank_of(list, item)
  local rank = 0
  for _, other in ipairs(list) do
    if other == item then return rank end
    if other.id == nil then rank = rank + 1 end
  end
end

-- The corresponding component in another version.
local function like(list, item, among)
  local rank = item.id == nil and rank_of(among, item)
  for _, other in ipairs(list or {}) do
    if other.id == item.id and (item.id ~= nil or rank_of(list, other) == rank) then return other end
  end
end

-- The current id of a component of the old version: its own id, or the numeric id of its rank.
function Patch:id_here(m, n, item, among)
  if item.id ~= nil or not scenery.COMPONENTS[m].multiple then return item.id end
  local rank = rank_of(among, item)
  for _, component in ipairs(self.run.state:list(W, m, n) or {}) do
    if type(component.id) == "number" then
      if rank == 0 then return component.id end
      rank = rank - 1
    end
  end
  return false
end

function Patch:find(m, n, id)
  for i, component in ipairs(self.run.state.alive[n] and self.run.state:list(W, m, n) or {}) do
    if component.id == id then return component, i end
  end
end

local function parts(values)
  local t = poses.new(values)
  return { position = t.position, rotation = t.rotation, scale = t.scale }
end

function Patch:whole(m, values)
  return m == "transform" and parts(values) or self.run.state:new_component(W, m, values)
end

local PARTS = { { "position" }, { "rotation" }, { "scale" } }
local RESOURCE = { { "resource" } }

local function fields_of(run, m)
  if m == "transform" then return PARTS end
  return m == "model" and RESOURCE or run:fields(W, m)
end

-- Writes fields that differ between the versions, if they still have the old value.
function Patch:set(m, n, id, before, after)
  local old, new = self:whole(m, before), self:whole(m, after)
  local component = self:find(m, n, id)
  if not component then return end
  for _, field in ipairs(fields_of(self.run, m)) do
    local name = field[1]
    local held = component[name] ~= nil and fields.same(old[name], component[name])
    if held and not fields.same(old[name], new[name]) then
      self.run:put(W, m, n, component, name, new[name])
      self.changed[n] = true
    end
  end
end

-- ---------------------------------------------------------------- links

function Patch:has_transform(n)
  return n and self.run.state.alive[n] and self.run.state:list(W, "transform", n) ~= nil
end

-- The parent of a place: its nearest ancestor that has a transform now or after the patch.
function Patch:parent_of(copy, place)
  local ancestor = spawned.ancestor(self.next, place)
  while ancestor do
    local at = copy * #self.next + ancestor
    local n, old = self.names[at], self.old_of[at]
    if self.made[at] or self:has_transform(n) then return n end
    if old and not self.old[old].components.transform and self.run.state.alive[n] then return n end
    ancestor = spawned.ancestor(self.next, ancestor)
  end
  return self.entry.options.parent or false
end

function Patch:plan_link(copy, place)
  local at = copy * #self.next + place
  local ancestor = spawned.ancestor(self.next, place)
  local before = spawned.ancestor(self.old, self.old_of[at])
  local same = ancestor and self.old_of[copy * #self.next + ancestor]
  if ancestor and same and same == before or not ancestor and not before then return end
  local n, old = self.names[at], before and self.entry.names[copy * #self.old + before] or self.entry.options.parent
  local new = self:parent_of(copy, place)
  self.writes[#self.writes + 1] = function()
    local world, t = self.run.state.worlds[W], self:find("transform", n)
    if not t or (new and not self:has_transform(new)) or t.parent ~= (old or false) then return end
    if new and poses.is_below(world, new, n) then return end
    self.moved[n] = true
    if new == t.parent then return end -- the order of siblings does not change
    if new then poses.link(world, n, new) else poses.unlink(world, n) end
  end
end

-- ---------------------------------------------------------------- plans

function Patch:plan_add(m, copy, place, values)
  local n = self.names[copy * #self.next + place]
  local parent = m == "transform" and self:parent_of(copy, place)
  self.adds[#self.adds + 1] = function()
    values.parent = parent and self:has_transform(parent) and parent or nil
    self.run.state:add(W, m, n, values)
    if not self.made[copy * #self.next + place] then self.changed[n] = true end
  end
end

local function has_match(run, m, n, item)
  local list = run.state:list(W, m, n)
  if not scenery.COMPONENTS[m].multiple then return list ~= nil end
  for _, component in ipairs(item.id ~= nil and list or {}) do
    if component.id == item.id then return true end
  end
end

function Patch:plan_matched(m, copy, place, before, after)
  local n = self.names[copy * #self.next + place]
  for _, item in ipairs(after or {}) do
    local old = like(before, item, after)
    if old then
      local id = self:id_here(m, n, old, before)
      if id ~= false then self.writes[#self.writes + 1] = function() self:set(m, n, id, old, item) end end
      if m == "transform" then self:plan_link(copy, place) end
    elseif not has_match(self.run, m, n, item) then
      self:plan_add(m, copy, place, item)
    end
  end
  for _, item in ipairs(before or {}) do
    local id = not like(after, item, before) and self:id_here(m, n, item, before)
    if id ~= false and not like(after, item, before) then
      self.removes[#self.removes + 1] = function()
        local _, i = self:find(m, n, id)
        if not i then return end
        self.run.state:remove(W, m, n, i)
        self.changed[n] = true
      end
    end
  end
end

function Patch:plan(copy)
  for _, m in ipairs(scenery.WORLDS[W]) do
    for place in ipairs(self.next) do
      local at = copy * #self.next + place
      local old, n = self.old_of[at], self.names[at]
      local after = spawned.written(self.next, place, copy, self.names, self.entry.options)[m]
      if self.made[at] then
        for _, item in ipairs(after or {}) do self:plan_add(m, copy, place, item) end
      elseif old and self.run.state.alive[n] then
        local before = spawned.written(self.old, old, copy, self.entry.names, self.entry.options)[m]
        self:plan_matched(m, copy, place, before, after)
      end
    end
  end
end

local function play(steps)
  for _, step in ipairs(steps) do step() end
end

local function count(set)
  local n = 0
  for _ in pairs(set) do n = n + 1 end
  return n
end

-- Created entities have names from `base` on; `created` is called with each name, in the order of the new version.
return function(run, entry, version, base, created)
  local patch = setmetatable({ run = run, entry = entry, old = levels.flat(entry.k, entry.v),
    next = levels.flat(entry.k, version), names = {}, made = {}, old_of = {}, removed = {}, adds = {}, writes = {},
    removes = {}, changed = {}, moved = {} }, Patch)
  local copies, added = spawned.copies(entry.options), 0
  for copy = 0, copies - 1 do
    patch:identify(copy, base)
    patch:find_removed(copy)
  end
  for copy = 0, copies - 1 do patch:plan(copy) end
  for at, made in ipairs(patch.made) do
    if made then
      created(patch.names[at], at)
      added = added + 1
    end
  end
  play(patch.adds)
  play(patch.writes)
  play(patch.removes)
  for _, n in ipairs(patch.removed) do run:kill(n) end
  return patch.names, { added = added, removed = #patch.removed, changed = count(patch.changed),
    moved = count(patch.moved) }
end
