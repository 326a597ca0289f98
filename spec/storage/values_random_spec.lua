-- Random operations on value fields, compared with a model in plain Lua: values are the same, and each value is
-- released as soon as no field and no snapshot refers to it.

local collect = require "spec.support.collect"
local cuttle = require "cuttle"
local new_random = require "spec.support.random"
local seed = require "spec.support.seed"

local rounds = require "spec.support.rounds"
local STEPS = rounds(1500, 300)

local Model = {}
Model.__index = Model

-- `owners`: entity -> { value } (box) in the single manager; `several`: entity -> list of { id, box }.
local function new_model(random)
  local self = setmetatable({ random = random, alive = {}, owners = {}, several = {}, levels = {}, snapshots = {},
    made = 0 }, Model)
  self.weak = setmetatable({}, { __mode = "k" })
  self.entities = cuttle.entity_manager { minimum_free_indices = 8 }
  self.world = cuttle.world(self.entities)
  self.one = self.world:define("one", { { "v", "value" }, { "n", "int32" } })
  self.many = self.world:define("many", { { "v", "value" } }, { multiple = true, lookup = "array" })
  local source = { entities = {
    { name = "a", components = { one = { v = { 1, { k = "a" } } } } },
    { name = "b", components = { one = { n = 3 }, many = { { id = "x", v = { "x" } }, { id = "y", v = 5 } } } },
    { name = "c", components = { one = { v = "text" } } } } }
  self.resource = assert(cuttle.resource((assert(cuttle.compiler(self.world):compile(source)))))
  return self
end

-- Returns a table that is tracked, a plain value, or nil.
function Model:value()
  local kind = self.random(6)
  if kind == 1 then return nil end
  if kind == 2 then return self.random(100) end
  if kind == 3 then return "s" .. self.random(5) end
  self.made = self.made + 1
  local value = { number = self.made, world = kind == 4 and self.world or nil }
  self.weak[value] = true
  return value
end

local function or_false(value)
  if value == nil then return false end
  return value
end

function Model:any() return self.alive[self.random(math.max(#self.alive, 1))] end

function Model:any_with(of)
  for _ = 1, 5 do
    local e = self:any()
    if e and of[e] then return e end
  end
end

function Model:died(e)
  self.owners[e], self.several[e] = nil, nil
  for i, other in ipairs(self.alive) do
    if other == e then return table.remove(self.alive, i) end
  end
end

local steps = {}

function steps.create(self)
  for _, e in ipairs(self.entities:create(self.random(5))) do
    self.alive[#self.alive + 1] = e
    if self.random(3) > 1 then
      local value = self:value()
      self.one:create(e, { v = value })
      self.owners[e] = { value }
    end
  end
end

function steps.create_many(self)
  local list, values = self.entities:create(self.random(6)), {}
  for i, e in ipairs(list) do
    local value = self:value()
    self.alive[#self.alive + 1], self.owners[e] = e, { value }
    values[i] = or_false(value)
  end
  self.one:create_many(list, { v = values })
end

function steps.world_create(self)
  local v, w = self:value(), self:value()
  local e = self.world:create { one = { v = v }, many = { { v = w, id = "w" }, {} } }
  self.alive[#self.alive + 1], self.owners[e], self.several[e] = e, { v }, { { "w", w }, { 0 } }
  self.several[e][2][1] = self.many:id(self.many:next(self.many:lookup(e)))
end

function steps.template(self)
  local v, w = self:value(), self:value()
  local template = self.world:template { one = { v = v }, many = { id = "t", v = w } }
  for _, e in ipairs(template:create(self.random(4))) do
    self.alive[#self.alive + 1], self.owners[e], self.several[e] = e, { v }, { { "t", w } }
  end
end

function steps.several(self)
  local e = self:any()
  if not e then return end
  local value, list = self:value(), self.several[e] or {}
  list[#list + 1] = { self.many:id(self.many:create(e, { v = value })), value }
  self.several[e] = list
end

function steps.set(self)
  local e = self:any_with(self.owners)
  if not e then return end
  local value = self:value()
  local how = self.random(3)
  if how == 1 then self.one:set_v(e, value) end
  if how == 2 then self.one:write(e, "v", value) end
  if how == 3 then
    if value == nil then value = self.owners[e][1] end
    self.one:set(e, { v = value, n = 2 })
  end
  self.owners[e] = { value }
end

function steps.set_several(self)
  local e = self:any_with(self.several)
  if not e then return end
  local item, value = self.several[e][self.random(#self.several[e])], self:value()
  self.many:set_v(self.many:lookup(e, item[1]), value)
  item[2] = value
end

function steps.write_many(self)
  local list, values = {}, {}
  for i = 1, self.random(6) do
    local e = self:any_with(self.owners)
    if not e then break end
    local value = self:value()
    list[i], values[i] = e, or_false(value)
    self.owners[e] = { value }
  end
  self.one:write_many(list, "v", values)
end

function steps.copy(self)
  local from, to = self:any_with(self.owners), self:any_with(self.owners)
  if not from then return end
  self.one:set_v(to or from, self.one:v(from))
  self.owners[to or from] = { self.owners[from][1] }
end

function steps.destroy(self)
  local e = self:any()
  if not e then return end
  self.entities:destroy(e)
  self:died(e)
end

function steps.destroy_list(self)
  local list = cuttle.list()
  for _ = 1, self.random(6) do
    local e = self:any()
    if not e then break end
    list:add(e)
    self:died(e)
  end
  self.entities:destroy(list)
end

function steps.remove(self)
  local e = self:any_with(self.owners)
  if not e then return end
  assert.equal(1, self.one:destroy(e))
  self.owners[e] = nil
end

function steps.remove_several(self)
  local e = self:any_with(self.several)
  if not e then return end
  local list = self.several[e]
  local item = table.remove(list, self.random(#list))
  assert.equal(1, self.many:destroy(self.many:lookup(e, item[1])))
  if #list == 0 then self.several[e] = nil end
end

-- Records spawned components. Values from level data are made by the first read, which this is.
function Model:record_spawned(e)
  local v = self.one:v(e)
  if type(v) == "table" then self.weak[v] = true end
  self.alive[#self.alive + 1], self.owners[e] = e, { v }
  for instance in self.many:instances(e) do
    local item = { self.many:id(instance), self.many:v(instance) }
    if type(item[2]) == "table" then self.weak[item[2]] = true end
    self.several[e] = self.several[e] or {}
    table.insert(self.several[e], item)
  end
end

function steps.spawn(self)
  local level = assert(self.world:spawn_many(self.resource, self.random(3),
    { overrides = { a = { one = { v = { "over" } } },
      b = self.random(2) == 1 and { many = { { id = "x" } } } or nil } }))
  self.levels[#self.levels + 1] = level
  for i = 1, level:count() do
    if self.random(3) > 1 then self:record_spawned(level:entity(i)) end
  end
end

function steps.unload(self)
  local level = table.remove(self.levels, self.random(math.max(#self.levels, 1)))
  if not level then return end
  for _, e in ipairs(level:entities()) do self:died(e) end
  level:unload()
end

local function copy(list)
  local out = {}
  for i, item in ipairs(list) do out[i] = item end
  return out
end

-- Returns a copy of the model's state.
function Model:saved()
  local now = { alive = copy(self.alive), levels = copy(self.levels), owners = {}, several = {} }
  for e, box in pairs(self.owners) do now.owners[e] = { box[1] } end
  for e, list in pairs(self.several) do
    now.several[e] = {}
    for i, item in ipairs(list) do now.several[e][i] = { item[1], item[2] } end
  end
  return now
end

function steps.snapshot(self)
  local place = self.random(3)
  local old = self.snapshots[place]
  if not old and #self.snapshots < place then place = #self.snapshots + 1 end
  local snapshot = self.entities:snapshot(old and self.random(2) == 1 and old.snapshot or nil)
  self.snapshots[place] = self:saved()
  self.snapshots[place].snapshot = snapshot
end

function steps.restore(self)
  local saved = self.snapshots[self.random(3)]
  if not saved then return end
  self.entities:restore(saved.snapshot)
  local now = Model.saved(saved)
  self.alive, self.levels, self.owners, self.several = now.alive, now.levels, now.owners, now.several
end

function steps.drop_snapshot(self) table.remove(self.snapshots, self.random(#self.snapshots + 1)) end

function steps.gc(self) self.world:gc(self.random(2) == 1 and "all" or nil) end

function steps.trim(self) self.world:trim() end

function steps.clear(self)
  if self.random(20) > 1 then return end
  self.world:clear()
  self.owners, self.several = {}, {}
end

function Model:check()
  local expected = {}
  local function expect(value)
    if type(value) == "table" then expected[value] = true end
  end
  for e, box in pairs(self.owners) do
    assert.equal(box[1], self.one:v(e))
    expect(box[1])
  end
  for e, list in pairs(self.several) do
    local place = 0
    for instance in self.many:instances(e) do
      place = place + 1
      assert.equal(list[place][2], self.many:v(instance))
    end
    assert.equal(#list, place)
    for _, item in ipairs(list) do expect(item[2]) end
  end
  for _, saved in ipairs(self.snapshots) do
    for _, box in pairs(saved.owners) do expect(box[1]) end
    for _, list in pairs(saved.several) do
      for _, item in ipairs(list) do expect(item[2]) end
    end
  end
  assert.is_true(assert(self.world:validate()))
  collect()
  for value in pairs(self.weak) do assert.is_true(expected[value]) end
end

describe("value fields after random operations, seed " .. seed, function()
  it("have the values of a model in plain Lua, and release values when the model does", function()
    local random = new_random(seed)
    local model, names = new_model(random), {}
    for name in pairs(steps) do names[#names + 1] = name end
    table.sort(names)
    for step = 1, STEPS do
      steps[names[random(#names)]](model)
      if #model.alive > 60 then steps.destroy_list(model) end
      if step % 25 == 0 then model:check() end
    end
    model:check()
    local weak, other = model.weak, new_model(random)
    steps.snapshot(model)
    other.entities:restore(model.snapshots[1].snapshot)
    other.owners, other.several = model.snapshots[1].owners, model.snapshots[1].several
    other:check()
    other.entities:destroy(other.entities:create())
    other.world:destroy()
    model:check()
    other = nil -- luacheck: ignore
    model.world:destroy()
    model = nil -- luacheck: ignore
    collect()
    assert.is_nil(next(weak))
  end)
end)
