-- Random actions as plain data, whose arguments usually exist.

local fields = require "spec.support.play.fields"
local poses = require "spec.support.play.poses"
local scenery = require "spec.support.play.scenery"

local Random = {}
Random.__index = Random

-- Issues names from 1 on, and never reuses one.
local function new(random, actions, run)
  local self = setmetatable({ random = random, actions = actions, run = run, next = 1, names = {}, sum = 0 }, Random)
  for name in pairs(actions) do self.names[#self.names + 1] = name end
  table.sort(self.names)
  for _, name in ipairs(self.names) do self.sum = self.sum + actions[name].weight end
  return self
end

function Random:new_names(count)
  self.next = self.next + count
  return self.next - count
end

function Random:world() return self.random(4) == 1 and "attic" or "field" end

-- A random component of a world, except for one.
function Random:kind(w, but)
  local kinds = scenery.WORLDS[w]
  repeat
    local m = kinds[self.random(#kinds)]
    if m ~= but then return m end
  until false
end

local function any(self, names) return #names > 0 and names[self.random(#names)] or 0 end

-- Returns 0 if there is no living entity.
function Random:living() return any(self, self.run.state:living()) end

local function owners(self, w, m)
  local names = {}
  for n in pairs(self.run.state.worlds[w][m].of) do names[#names + 1] = n end
  table.sort(names)
  return names
end

-- A random entity with a component, and the number of one of its components.
function Random:owner(w, m)
  local n = any(self, w and owners(self, w, m) or {})
  return n, n == 0 and 1 or self.random(#self.run.state:list(w, m, n))
end

local function several(self, names, most)
  local out = {}
  for i = 1, math.min(#names, self.random(most)) do
    local j = i + self.random(#names - i + 1) - 1
    names[i], names[j] = names[j], names[i]
    out[i] = names[i]
  end
  return out
end

function Random:several(most) return several(self, self.run.state:living(), most) end

function Random:owners(w, m, most) return several(self, owners(self, w, m), most) end

function Random:level()
  local names = {}
  for name in pairs(self.run.state.levels) do names[#names + 1] = name end
  table.sort(names)
  return any(self, names)
end

-- A node of an entity's model, by number or name, or false.
function Random:node(w, n)
  local list = n ~= 0 and self.run.state:list(w, "model", n)
  if not list then return false end
  local names = scenery.MODELS[list[1].resource].names
  local number = self.random(#names)
  return self.random(2) == 1 and names[number] or number
end

function Random:pose()
  local function step() return (self.random(33) - 17) / 4 end
  return { position = { step(), step(), step() }, rotation = poses.TURNS[self.random(#poses.TURNS)],
    scale = poses.SCALES[self.random(#poses.SCALES)] }
end

local function transform_values(self, w)
  local values = self:pose()
  if self.random(3) == 1 then values.rotation, values.scale = nil, nil end
  if self.random(2) == 1 then values.parent = self:owner(w, "transform") end
  if values.parent == 0 then values.parent = nil end
  if values.parent and self.random(3) == 1 then
    local node = self:node(w, values.parent)
    values.parent_node = node and self.run.state:list(w, "model", values.parent) and node or nil
  end
  return values
end

-- Random values for create.
function Random:values(w, m)
  if m == "transform" then return transform_values(self, w) end
  local schema, values = scenery.COMPONENTS[m], {}
  for _, field in ipairs(self.run:fields(w, m)) do
    if field[1] == schema.required or self.random(3) == 1 then
      local value = fields.random(field, self.random, function() return self:living() end)
      if value then values[field[1]] = value end
    end
  end
  if schema.multiple and self.random(3) == 1 then
    values.id = self.random(2) == 1 and "part" .. self.random(3) or self.random(40)
  end
  return values
end

-- Random components for world:create.
function Random:components(w)
  local components = {}
  if self.random(3) > 1 then components.transform = self:values(w, "transform") end
  for _ = 1, self.random(3) do
    local m = self:kind(w, "transform")
    if scenery.COMPONENTS[m].multiple and self.random(2) == 1 then
      local first, second = self:values(w, m), self:values(w, m)
      if first.id == second.id then second.id = nil end
      components[m] = { first, second }
    else
      components[m] = self:values(w, m)
    end
  end
  return components
end

local function pack(name, ...)
  local action = { name, ... }
  for i = 1, select("#", ...) do
    if action[i + 1] == nil then return nil end
  end
  return action
end

-- A random action of a name, or nil if it is not possible.
function Random:action(name) return pack(name, self.actions[name].make(self)) end

-- Any action, with a probability proportional to its weight.
function Random:any()
  local at = (self.random(1000000) - 1) / 1000000 * self.sum
  for _, name in ipairs(self.names) do
    at = at - self.actions[name].weight
    if at < 0 then return self:action(name) end
  end
end

return { new = new }
