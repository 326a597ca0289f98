-- Random loops over rows, compared with a model in plain Lua that knows which components must be visited. Inside the
-- loops, changes that are allowed happen, and rarely one that is not.

-- tags: ffi

local cuttle = require "cuttle"
local kinds = require "spec.support.kinds"
local new_random = require "spec.support.random"
local seed = require "spec.support.seed"
local rounds = require "spec.support.rounds"

local ROUNDS = rounds(150, 40)
local MANAGERS = 8 -- the limit of a join

-- Managers whose components each have a number that identifies them in the model, and entities that have some of them.
local function scene(random)
  local s = { random = random, made = 0, owner = {}, managers = {}, views = {} }
  s.entities = cuttle.entity_manager { minimum_free_indices = random(3) - 1 }
  s.world = cuttle.world(s.entities)
  for i = 1, MANAGERS do
    s.managers[i] = s.world:define("m" .. i, { { "n", "double" } },
      { multiple = random(4) == 1, lookup = random(2) == 1 and "hash" or "array" })
    s.views[i] = s.managers[i]:column "n"
  end
  s.list = s.entities:create(random(4) == 1 and 40 + random(400) or random(40))
  return s
end

local function add(s, i, e)
  s.made = s.made + 1
  if pcall(s.managers[i].create, s.managers[i], e, { n = s.made }) then s.owner[s.made] = e end
end

local function fill(s)
  local wide = s.random(2) == 1 -- most entities have most components, so that joins of many managers find some
  for i in ipairs(s.managers) do
    local shuffled, rarely = s.random(3) == 1, wide and s.random(3) or s.random(10)
    for k = 1, #s.list do
      local e = s.list[shuffled and #s.list - k + 1 or k]
      if s.random(10) >= rarely then add(s, i, e) end
      if s.random(20) == 1 then add(s, i, e) end
    end
  end
  for _ = 1, s.random(5) - 1 do s.entities:destroy(s.list[s.random(#s.list)]) end
end

-- The number of the last component, and of an entity's first component.
local function last_of(s, i) return s.views[i][s.managers[i]:count() - 1] end

local function first_of(s, i, e)
  local row = s.managers[i]:row(e)
  return row and s.views[i][row]
end

-- Whether the component may be removed by destroy: components of dead entities are removed only by gc.
local function is_removable(s, n) return s.entities:alive(s.owner[n]) end

-- ------------------------------------------------------------------------------------------------ the model

local Model = {}
Model.__index = Model

-- Begins a loop over the managers of these parts. The rows of the first manager are pending, in order.
local function begin(s, parts)
  local model = setmetatable({ s = s, parts = parts, old = {}, moved = {}, pending = {} }, Model)
  for _, part in ipairs(parts) do
    for row = 0, s.managers[part.i]:count() - 1 do
      local n = s.views[part.i][row]
      model.old[n] = true
      if part == parts[1] then table.insert(model.pending, n) end
    end
  end
  return model
end

-- Called before a visited component is removed: the last component takes its place.
function Model:removing(part, n)
  local last = last_of(self.s, part.i)
  if last == n then return end
  if not self.old[last] then
    self.moved[last] = true
  elseif part == self.parts[1] then
    assert.equal(last, table.remove(self.pending))
    table.insert(self.pending, 1, last)
  end
end

-- Whether the component of the first manager must be visited now: true, false, or nil if it may be.
function Model:judge(n)
  local e, must_visit = self.s.owner[n], true
  if not self.s.entities:alive(e) then return false end
  for k = 2, #self.parts do
    local part = self.parts[k]
    local other = first_of(self.s, part.i, e)
    if part.role == "!" and other then return false end
    if part.role == "" and not self.old[other] then
      if not self.moved[other] then return false end
      must_visit = nil
    end
  end
  return must_visit
end

-- Called when the loop visits the component, or ends (nil). Checks that it skipped no component that it must visit.
function Model:visit(n)
  while #self.pending > 0 do
    local next_one = table.remove(self.pending, 1)
    local must_visit = self:judge(next_one)
    if next_one == n then return assert.is_true(must_visit ~= false) end
    assert.is_true(not must_visit)
  end
  assert.is_nil(n)
end

-- ------------------------------------------------------------------------------------------------ changes

-- An allowed change. `handed`: the visited rows by part; `gone`: the parts whose component was removed in this step.
local function change(s, model, handed, gone)
  local random, action = s.random, s.random(8)
  local k = random(#model.parts)
  local part = model.parts[k]
  local manager = s.managers[part.i]
  if action <= 3 then
    if part.role == "!" then
      local row = random(manager:count() + 1) - 1
      if row < manager:count() and is_removable(s, s.views[part.i][row]) then manager:destroy(manager:at(row)) end
    elseif handed[k] and not gone[k] and is_removable(s, handed[k].n) then
      gone[k] = true
      model:removing(part, handed[k].n)
      manager:destroy(manager:at(handed[k].row))
    end
  elseif action <= 5 then
    local e = s.list[random(#s.list)]
    if s.entities:alive(e) then add(s, random(MANAGERS), e) end
  elseif action == 6 then
    local e = s.entities:create()
    table.insert(s.list, e)
    for i = 1, MANAGERS do if random(3) > 1 then add(s, i, e) end end
  elseif action == 7 then
    s.entities:destroy(s.list[random(#s.list)])
  else
    s.entities:alive(s.list[1])
  end
end

-- Makes a change that is not allowed. Returns the name of the manager, or nil if there was none to make.
local function disturb(s, model, handed)
  local k = s.random(#model.parts)
  local part = model.parts[k]
  local manager = s.managers[part.i]
  if part.role == "!" or manager:count() == 0 then return end
  local row = s.random(manager:count()) - 1
  if handed[k] and row == handed[k].row or not is_removable(s, s.views[part.i][row]) then return end
  manager:destroy(manager:at(row))
  return manager:name()
end

local function choose_parts(s)
  local parts, order = {}, {}
  for i = 1, MANAGERS do order[i] = i end
  local plain = s.random(3) -- the rarity of managers without ! and ?
  for k = 1, s.random(s.random(2) == 1 and 4 or MANAGERS) do
    local role = k > 1 and s.random(3) <= plain and ({ "!", "?" })[s.random(2)] or ""
    parts[k] = { i = table.remove(order, s.random(#order)), role = role }
  end
  return parts
end

local function pack(...) return { count = select("#", ...), ... } end

-- Returns the rows and numbers that a step returned, by part.
local function read(s, parts, by_row, values)
  local handed, place = {}, by_row and 0 or 1
  for k, part in ipairs(parts) do
    if part.role ~= "!" then
      place = place + 1
      local value = values[place]
      local row = by_row and value or value and s.managers[part.i]:row(value)
      if row then handed[k] = { row = row, n = s.views[part.i][row] } end
    end
  end
  assert.equal(place, values.count)
  if not by_row then assert.equal(values[1], s.owner[handed[1].n]) end
  return handed
end

local function play(kind, number)
  local s = scene(new_random((seed + number * 7919) % 2 ^ 31))
  fill(s)
  local parts, by_row, rate = choose_parts(s), s.random(3) > 1, s.random(60)
  local names = {}
  for k, part in ipairs(parts) do names[k] = part.role .. "m" .. part.i end
  local model = begin(s, parts)
  local step, state, control = kind.with(by_row and s.world.rows or s.world.join, s.world, unpack(names))
  while true do
    local values = pack(step(state, control))
    control = values[1]
    if control == nil then break end
    local handed = read(s, parts, by_row, values)
    model:visit(handed[1].n)
    for k, part in ipairs(parts) do
      if part.role ~= "!" then
        assert.equal(k == 1 and handed[1].n or first_of(s, part.i, s.owner[handed[1].n]), handed[k] and handed[k].n)
      end
    end
    local gone = {}
    while s.random(rate) == 1 and s.random(3) > 1 do change(s, model, handed, gone) end
    if s.random(500) == 1 and next(gone) == nil then
      local name = disturb(s, model, handed)
      if name then
        local ok, message = pcall(step, state, control)
        assert.is_false(ok)
        assert.truthy(message:find(name .. ": rows moved during the loop", 1, true))
        assert.is_true(assert(s.world:validate()))
        return
      end
    end
  end
  model:visit(nil)
  assert.is_nil((step(state, nil)))
  assert.is_true(assert(s.world:validate()))
end

for _, kind in ipairs(kinds) do
  describe("a join (" .. kind.name .. "), seed " .. seed .. ",", function()
    it("visits the components that the model expects, in loops with random changes", function()
      for number = 1, ROUNDS do play(kind, number) end
    end)
  end)
end

-- ------------------------------------------------------------------------------------------------ one entity

describe("a loop over instances, seed " .. seed .. ",", function()
  it("visits the components that existed when it began, in creation order", function()
    for number = 1, ROUNDS do
      local random = new_random((seed + number * 104729) % 2 ^ 31)
      local world = cuttle.world(cuttle.entity_manager())
      local many = world:define("many", { { "n", "double" } }, { multiple = true })
      local list, expected, i = world.entities:create(3), {}, 0
      for n = 1, random(30) do
        local e = list[random(3)]
        many:create(e, { n = n })
        if e == list[1] then table.insert(expected, n) end
      end
      for instance in many:instances(list[1]) do
        i = i + 1
        assert.equal(expected[i], many:n(instance))
        local before = random(3) == 1
        if before then many:create(list[random(3)], { n = -1 }) end
        if random(2) == 1 then many:destroy(before and many:at(many:row(instance)) or instance) end
        if random(3) == 1 then many:create(list[random(3)], { n = -1 }) end
      end
      assert.equal(#expected, i)
      assert.is_true(assert(world:validate()))
    end
  end)
end)
