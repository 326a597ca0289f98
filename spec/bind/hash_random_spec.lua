-- Independence of entities:hash from operations that do not count. Two managers play the same steps; in one of them
-- such operations happen in between.

-- tags: ffi

local cuttle = require "cuttle"
local new_random = require "spec.support.random"
local seed = require "spec.support.seed"
local valid = require "spec.support.valid"

local STEPS = require "spec.support.rounds"(300, 150)

local NODES = { nodes = { { name = "hip" }, { name = "knee", parent = 1 }, { name = "foot", parent = 2 } } }

-- One side of the comparison. The other side makes its worlds and components in another order.
local function new_side(other)
  local self = { entities = cuttle.entity_manager { minimum_free_indices = 4 }, list = {} }
  local function open(name)
    local world = cuttle.world(self.entities, { name = name, seed = other and 99 or 1 })
    world:randomseed(1)
    local function health()
      world:define("health", { { "hp", "float", 10 }, { "title", "string" }, { "friend", "entity" } })
    end
    local function item()
      world:define("item", { { "kind", "string" }, { "state", "enum", { "new", "old" } } },
        { multiple = true, lookup = other and "array" or "hash" })
    end
    local function chest() world:define("chest", { { "loot", "value" }, { "size", "int32" } }) end
    for _, define in ipairs(other and { chest, item, health } or { health, item, chest }) do define() end
    world.model:define_resource("leg", NODES)
    self[name] = world
  end
  open(other and "sky" or "sea")
  open(other and "sea" or "sky")
  self.sea.actor:on_spawn(function() return other and {} or nil end)
  return self
end

local steps = {}

function steps.create(side, random)
  local parent = side:any(random)
  for _ = 1, random(4) do
    local with_transform = parent and side.sea.transform:has(parent) and parent or nil
    side.list[#side.list + 1] = side.sea:create {
      transform = { position = { random(9), random(9), 0 }, parent = with_transform, angle = random(6) },
      health = { hp = random(50), title = "title" .. random(6), friend = parent },
      item = { { kind = "kind" .. random(4) }, { id = "id" .. #side.list, state = "old" } },
      model = { resource = "leg" }, actor = { mass = random(5) }, chest = { size = random(9) } }
  end
end

function steps.destroy(side, random)
  for _ = 1, random(3) do
    local e = table.remove(side.list, random(math.max(#side.list, 1)))
    if e then side.entities:destroy(e) end
  end
end

function steps.remove(side, random)
  local e = side:any(random)
  if not e then return end
  local names = { "transform", "health", "item", "model", "actor", "chest" }
  side.sea[names[random(#names)]]:destroy(e)
end

function steps.add(side, random)
  local e = side:any(random)
  if not e then return end
  side.sea.item:create(e, { kind = "kind" .. random(5) })
  if not side.sky.debug_name:has(e) then side.sky.debug_name:create(e, { name = "name" .. random(9) }) end
end

function steps.set(side, random)
  local e = side:any(random)
  if e and side.sea.health:has(e) then side.sea.health:set_title(e, "title" .. random(9)) end
  if e and side.sea.transform:has(e) then side.sea.transform:set_local_position(e, random(9), 0, random(9)) end
  if e and side.sea.model:has(e) then side.sea.model:set_node_pose(e, 2, random(9), 0, 0, 0, 0, 0, 1, 1, 1, 1) end
end

function steps.link(side, random)
  local child, parent = side:any(random), side:any(random)
  local tf = side.sea.transform
  if child and tf:has(child) and tf:has(parent) then
    pcall(tf.link, tf, child, parent, { node = side.sea.model:has(parent) and random(3) or nil })
  end
end

function steps.write_columns(side, random)
  local e, tf = side:any(random), side.sea.transform
  if not e or not tf:has(e) then return end
  local x, angle = random(9), random(9)
  tf:batch(function()
    tf:column("local_position"):set(tf:row(e), x, 2, 3)
    tf:column("local_rotation"):set(tf:row(e), 0, 0, angle, 2)
  end)
end

-- Computing moves world poses, and the world pose of a child becomes its local pose when it loses its parent, so both
-- sides compute.
function steps.compute(side)
  side.sea.model:evaluate()
  side.sea.transform:propagate()
end

-- Saving computes poses too, so a save is taken when no changes are pending.
function steps.save(side)
  steps.compute(side)
  if side.busy then assert(side.entities:restore(assert(cuttle.snapshot(side.entities:snapshot():tostring())))) end
end

-- Operations that the hash does not depend on.
local neutral = {}

function neutral.gc(side, random) side.sea:gc(random(2) == 1 and "all" or nil) end
function neutral.gc_some(side, random) side.sea.transform:gc(random(9)) end
function neutral.sort(side) side.sea.transform:sort() end
function neutral.trim(side) side.sea:trim() end
function neutral.restore(side) side.entities:restore(side.entities:snapshot()) end

function neutral.keep(side, random)
  local e = side:any(random)
  if e and side.sea.chest:has(e) then side.sea.chest:set_loot(e, { random(9) }) end
  if e and side.sea.actor:has(e) then side.sea.actor:set_body(e, { random(9) }) end
end

local function any(self, random) return self.list[random(math.max(#self.list, 1))] end

local function sorted(of)
  local names = {}
  for name in pairs(of) do names[#names + 1] = name end
  table.sort(names)
  return names
end

-- The second seed gives entities whose parents died before them and that gc finds in another order.
for _, number in ipairs { seed, 1211607 } do
  describe("entities:hash of a random world, seed " .. number, function()
    for _, mode in ipairs { "immediate", "deferred" } do
      it("does not change by operations that do not count, in " .. mode .. " mode", function()
        local plain, busy = new_side(false), new_side(true)
        local names, others = sorted(steps), sorted(neutral)
      local random, disturb = new_random(number), new_random(number + 1)
        busy.busy = true
        for _, side in ipairs { plain, busy } do
          side.any = any
          side.sea.transform:set_mode(mode)
        end
        local function play(name, roll)
          steps[name](plain, new_random(roll))
          steps[name](busy, new_random(roll))
        end
        for step = 1, STEPS do
          local name, other = names[random(#names)], others[disturb(#others)]
          play(name, random(1000000))
          neutral[other](busy, disturb)
          assert.are.equal(plain.entities:hash(), busy.entities:hash(), ("step %d: %s, %s"):format(step, name, other))
          while #plain.list > 60 do play("destroy", random(1000000)) end
        end
        valid(plain.sea)
        valid(busy.sea)
      end)
    end
  end)
end
