-- Random operations on entities, worlds and managers, compared with a naive model in Lua tables.

local cuttle = require "cuttle"
local new_random = require "spec.support.random"
local seed = require "spec.support.seed"

local rounds = require "spec.support.rounds"
local STEPS = rounds(1000, 300)

local Model = {}
Model.__index = Model

local KINDS = {
  { name = "single_hash", options = {} },
  { name = "single_array", options = { lookup = "array" } },
  { name = "many_hash", options = { multiple = true } },
  { name = "many_array", options = { multiple = true, lookup = "array" } },
}
local SCHEMA = { { "n", "int32", -1 }, { "text", "string", "none" }, { "friend", "entity" }, { "pos", "vec3" } }

local function new_model(random, minimum)
  local self = setmetatable({ random = random, alive = {}, dead = {}, worlds = {}, attached = {} }, Model)
  self.entities = cuttle.entity_manager { minimum_free_indices = minimum }
  for _ = 1, 2 do self:add_world() end
  return self
end

function Model:add_world()
  local world = cuttle.world(self.entities, { seed = self.random(1000) })
  local entry = { world = world, notes = world:attach "notes", noted = {}, names = {}, managers = {} }
  for i, kind in ipairs(KINDS) do
    entry.managers[i] = { m = world:define(kind.name, SCHEMA, kind.options), multiple = kind.options.multiple, of = {} }
  end
  self.worlds[#self.worlds + 1] = entry
end

function Model:any_alive()
  return #self.alive > 0 and self.alive[self.random(#self.alive)] or nil
end

function Model:born(e)
  for _, other in ipairs(self.alive) do assert(other ~= e, "a living id was issued") end
  self.alive[#self.alive + 1] = e
  self.dead[e] = nil
end

function Model:died(e)
  for i, other in ipairs(self.alive) do
    if other == e then
      table.remove(self.alive, i)
      break
    end
  end
  self.dead[e] = true
  for _, w in ipairs(self.worlds) do
    w.names[e], w.noted[e] = nil, nil
    for _, manager in ipairs(w.managers) do manager.of[e] = nil end
  end
end

function Model:values(e)
  return { n = self.random(1000), text = "t" .. self.random(9), friend = self:any_alive() or e,
    pos = { self.random(9), self.random(9), self.random(9) } }
end

local steps = {}

function steps.create(self)
  self:born(self.entities:create())
end

function steps.create_many(self)
  for _, e in ipairs(self.entities:create(self.random(20))) do self:born(e) end
end

function steps.destroy(self)
  local e = self:any_alive()
  if not e then return end
  assert.is_true(self.entities:destroy(e))
  self:died(e)
  assert.is_false(self.entities:destroy(e))
end

function steps.destroy_list(self)
  local list = cuttle.list()
  local destroyed = {}
  for _ = 1, self.random(8) do
    local e = self:any_alive()
    if e then
      list:add(e)
      destroyed[e] = true
    end
  end
  local count = 0
  for e in pairs(destroyed) do
    self:died(e)
    count = count + 1
  end
  assert.equal(count, self.entities:destroy(list))
end

local function next_id(manager)
  manager.last = (manager.last or 0) + 1
  return manager.last
end

function steps.component(self, w, manager)
  local e = self:any_alive()
  if not e then return end
  local values = self:values(e)
  local list = manager.of[e] or {}
  if list[1] and not manager.multiple then
    assert.is_false((pcall(manager.m.create, manager.m, e, values)))
    return
  end
  if manager.multiple and self.random(3) == 1 then
    values.id = "s" .. self.random(4)
    for _, component in ipairs(list) do
      if component.id == values.id then
        assert.is_false((pcall(manager.m.create, manager.m, e, values)))
        return
      end
    end
  end
  local component = { n = values.n, text = values.text, friend = values.friend, pos = values.pos, id = values.id }
  if manager.multiple then component.id = values.id or next_id(manager) end
  manager.m:create(e, values)
  list[#list + 1] = component
  manager.of[e] = list
  return w
end

function steps.components(self, _, manager)
  local list, numbers, chosen = {}, {}, {}
  for _ = 1, self.random(10) do
    local e = self:any_alive()
    if e and (manager.multiple or not (chosen[e] or manager.of[e])) then
      chosen[e] = true
      list[#list + 1] = e
      numbers[#numbers + 1] = self.random(100)
    end
  end
  manager.m:create_many(list, { n = numbers, text = "bulk" })
  for i, e in ipairs(list) do
    local of = manager.of[e] or {}
    local id = manager.multiple and next_id(manager) or nil
    of[#of + 1] = { n = numbers[i], text = "bulk", pos = { 0, 0, 0 }, id = id }
    manager.of[e] = of
  end
end

function steps.remove_one(self, _, manager)
  local e = self:any_alive()
  local list = e and manager.of[e]
  if not list then return end
  local place = self.random(#list)
  local i = manager.m:lookup(e)
  for _ = 2, place do i = manager.m:next(i) end
  assert.equal(1, manager.m:destroy(i))
  table.remove(list, place)
  if #list == 0 then manager.of[e] = nil end
end

function steps.remove_all(self, _, manager)
  local e = self:any_alive()
  if not e then return end
  assert.equal(#(manager.of[e] or {}), manager.m:destroy(e))
  manager.of[e] = nil
end

function steps.write(self, _, manager)
  local e = self:any_alive()
  local list = e and manager.of[e]
  if not list then return end
  local values = self:values(e)
  manager.m:set(e, values)
  for field, value in pairs(values) do list[1][field] = value end
  local last = manager.m:lookup(e, list[#list].id)
  manager.m:set_n(last, 7)
  list[#list].n = 7
end

function steps.name(self, w)
  local e = self:any_alive()
  if not e then return end
  local name = "name" .. self.random(6)
  w.world.debug_name:set_debug_name(e, name)
  w.names[e] = name
end

function steps.note(self, w)
  local e = self:any_alive()
  if not e then return end
  w.notes[e], w.noted[e] = self.random(100), nil
  w.noted[e] = w.notes[e]
end

function steps.gc(_, w, manager)
  manager.m:gc()
  return w
end

function steps.sweep(_, _, manager)
  manager.m:gc "all"
  local count = 0
  for _, list in pairs(manager.of) do count = count + #list end
  assert.equal(count, manager.m:count())
end

function steps.trim(_, w)
  assert.is_true(w.world:trim() >= 0)
end

function steps.world_create(self, w)
  local n = self.random(5)
  local components = { single_hash = { n = 5 }, many_array = { { id = "x" }, {} }, debug_name = { name = "made" } }
  local list = w.world:create(components, n)
  for _, e in ipairs(list) do
    self:born(e)
    w.names[e] = "made"
    w.managers[1].of[e] = { { n = 5, text = "none", pos = { 0, 0, 0 } } }
    w.managers[4].of[e] = { { n = -1, text = "none", pos = { 0, 0, 0 }, id = "x" },
      { n = -1, text = "none", pos = { 0, 0, 0 }, id = next_id(w.managers[4]) } }
  end
end

function steps.clear(self, w)
  if self.random(30) > 1 then return end
  w.world:clear()
  w.names, w.noted = {}, {}
  for _, manager in ipairs(w.managers) do manager.of = {} end
end

function steps.replace_world(self)
  if self.random(30) > 1 then return end
  table.remove(self.worlds, self.random(#self.worlds)).world:destroy()
  self:add_world()
end

-- Compares one entity of one manager, in every call that returns its components.
local function compare_entity(manager, e)
  local list, m = manager.of[e] or {}, manager.m
  assert.equal(#list > 0, m:has(e))
  local place = 0
  for i in m:instances(e) do
    place = place + 1
    local expected = list[place]
    assert.equal(e, m:entity(i))
    assert.same({ n = expected.n, text = expected.text, friend = expected.friend, pos = expected.pos }, m:get(i))
    if manager.multiple then
      assert.equal(expected.id, m:id(i))
      assert.equal(i, m:lookup(e, expected.id))
    end
  end
  assert.equal(#list, place)
end

function Model:compare()
  assert.is_true(assert(self.entities:validate()))
  assert.equal(#self.alive, self.entities:count())
  local e = self:any_alive()
  for _, w in ipairs(self.worlds) do
    assert.is_true(assert(w.world:validate()))
    if e then
      assert.equal(w.names[e], w.world.debug_name:debug_name(e))
      for _, manager in ipairs(w.managers) do compare_entity(manager, e) end
    end
    local dead = next(self.dead)
    if dead then for _, manager in ipairs(w.managers) do assert.is_false(manager.m:has(dead)) end end
  end
end

function Model:compare_all()
  for _, w in ipairs(self.worlds) do
    for _, e in ipairs(self.alive) do
      for _, manager in ipairs(w.managers) do compare_entity(manager, e) end
    end
    for _, manager in ipairs(w.managers) do
      local expected, seen = 0, 0
      for _, list in pairs(manager.of) do expected = expected + #list end
      for e in manager.m:each() do
        assert.is_not_nil(manager.of[e])
        seen = seen + 1
      end
      assert.equal(expected, seen)
    end
    assert.same(w.noted, w.notes)
    local found = {}
    for k = 1, 6 do
      for _, e in ipairs(w.world.debug_name:find_all("name" .. k)) do found[e] = "name" .. k end
    end
    for _, e in ipairs(w.world.debug_name:find_all "made") do found[e] = "made" end
    assert.same(w.names, found)
  end
end

local NAMES = {}
for name in pairs(steps) do NAMES[#NAMES + 1] = name end
table.sort(NAMES)

describe("random operations compared with a naive model, seed " .. seed .. ",", function()
  for round, minimum in ipairs { 0, 3, 1024 } do
    it(("give the same results with %d minimum_free_indices"):format(minimum), function()
      local random = new_random(seed + round)
      local model = new_model(random, minimum)
      for step = 1, STEPS do
        -- The number of entities rises and falls, so that growth and death are both tested.
        local name = NAMES[random(#NAMES)]
        if #model.alive > 120 and random(2) == 1 then name = "destroy_list" end
        local w = model.worlds[random(#model.worlds)]
        steps[name](model, w, w.managers[random(#w.managers)])
        local ok, message = pcall(model.compare, model)
        if not ok then error(("step %d, %s: %s"):format(step, name, tostring(message)), 0) end
        if step % 250 == 0 then model:compare_all() end
      end
      model:compare_all()
    end)
  end
end)
