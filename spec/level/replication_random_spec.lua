-- Replication over a simulated link: after every applied message, the receiver has the state that the publisher had at
-- the frame of the message.

local cuttle = require "cuttle"
local new_random = require "spec.support.random"
local rounds = require "spec.support.rounds"
local seed = require "spec.support.seed"
local valid = require "spec.support.valid"

local COMPONENTS = { "transform", "debug_name", "grid", "health", "item" }

local function new_world()
  local world = cuttle.world(cuttle.entity_manager())
  world:define("health", {
    { "hp", "float", 100 }, { "aim", "vec3" }, { "target", "entity" }, { "title", "string" },
    { "state", "enum", { "idle", "run", "hide" } }, { "bag", "value" }, { "level", "int16" }, { "on", "bool" },
  })
  world:define("item", { { "amount", "uint32" }, { "owner", "entity" } }, { multiple = true })
  world:define("tag", {})
  return world
end

-- Changes -----------------------------------------------------------------------------------------------------------

local TITLES = { "", "a", "orc", ("long"):rep(20), "\0zero" }

local function bag_of(random)
  local kind = random(5)
  if kind == 1 then return nil end
  if kind == 2 then return random(3) end
  if kind == 3 then return "text" .. random(3) end
  return { random(3), { deep = random(2) == 1 }, name = "x" }
end

local changes = {}

function changes.create(run)
  local random, world = run.random, run.world
  if #run.alive >= 30 then return end
  local parent = run.any()
  local e = world:create {
    transform = { position = { random(9), random(9), 0 }, angle = random(6) / 2,
      parent = parent and world.transform:has(parent) and random(2) == 1 and parent or nil },
  }
  if random(2) == 1 then world.health:create(e, { hp = random(100), target = run.any(), bag = bag_of(random) }) end
  if random(4) == 1 then
    world.grid:create(e, { width = 3, height = 2, cells = { 1, 2, 3, 4, 5, random(9) }, tiles = "stone" })
  end
  if random(3) == 1 then world.item:create(e, { amount = random(9) }) end
  if random(2) == 1 then world.tag:create(e) end
  run.alive[#run.alive + 1] = e
end

function changes.destroy(run)
  if #run.alive == 0 then return end
  run.world.entities:destroy(table.remove(run.alive, run.random(#run.alive)))
end

function changes.gc(run) run.world:gc() end

function changes.move(run)
  local e, random, transform = run.any(), run.random, run.world.transform
  if not e or not transform:has(e) then return end
  local kind = random(4)
  if kind == 1 then transform:set_local_position(e, random(1000) / 7, -random(1000) / 9, random(3)) end
  if kind == 2 then transform:set_local_angle(e, random(100) / 10) end
  if kind == 3 then transform:set_local_scale(e, random(3), random(3), 1) end
  if kind == 4 then
    transform:set_local_matrix(e, 1, random(2) / 4, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, random(9), 2, 3, 1)
  end
end

function changes.link(run)
  local e, parent, transform = run.any(), run.any(), run.world.transform
  if not e or not transform:has(e) then return end
  if run.random(3) == 1 then
    transform:unlink(e)
  elseif transform:has(parent) then
    pcall(transform.link, transform, e, parent)
  end
end

function changes.sort(run) run.world.transform:sort() end

function changes.write(run)
  local e, random, health = run.any(), run.random, run.world.health
  if not e or not health:has(e) then return end
  local kind = random(8)
  if kind == 1 then health:set_hp(e, random(1000) / 3) end
  if kind == 2 then health:set_aim(e, random(5), random(5), 0 / 0) end
  if kind == 3 then health:set_target(e, random(3) > 1 and run.any() or nil) end
  if kind == 4 then health:set_title(e, TITLES[random(#TITLES)]) end
  if kind == 5 then health:set_state(e, ({ "idle", "run", "hide" })[random(3)]) end
  if kind == 6 then health:set_bag(e, bag_of(random)) end
  if kind == 7 then health:set_level(e, random(100) - 50) end
  if kind == 8 then health:set_on(e, random(2) == 1) end
end

function changes.component(run)
  local e, random, world = run.any(), run.random, run.world
  if not e then return end
  local manager = world:manager(({ "transform", "health", "tag" })[random(3)])
  if manager:has(e) then manager:destroy(e) else manager:create(e) end
end

function changes.items(run)
  local e, random, item = run.any(), run.random, run.world.item
  if not e then return end
  local kind, ids = random(4), item:ids(e)
  if kind == 1 then item:create(e, { amount = random(9), owner = run.any() }) end
  if kind == 2 and not item:lookup(e, "sword") then item:create(e, { id = "sword", amount = random(9) }) end
  if #ids == 0 then return end
  local instance = item:lookup(e, ids[random(#ids)])
  if kind == 3 then item:destroy(instance) end
  if kind == 4 then item:set_amount(instance, random(1000)) end
end

-- Creates or destroys many components of one entity.
function changes.hoard(run)
  local e, random, item = run.any(), run.random, run.world.item
  if not e or random(4) > 1 then return end
  local ids = item:ids(e)
  if #ids > 20 then
    for i = 1, #ids do
      if random(3) > 1 then item:destroy(item:lookup(e, ids[i])) end
    end
  else
    for _ = 1, random(150) do item:create(e, { amount = random(9), owner = run.any() }) end
  end
end

function changes.cells(run)
  local e, random, grid = run.any(), run.random, run.world.grid
  if not e or not grid:has(e) then return end
  local kind = random(4)
  if kind == 1 then
    local width = random(4)
    local cells = {}
    for i = 1, width do cells[i] = random(300) end
    grid:set(e, { width = width, height = 1, cells = cells })
  elseif kind == 2 then
    grid:set_flips(e, 0, 0, random(2) == 1, false, false)
  else
    local width, height = grid:size(e)
    grid:set_cell(e, random(width) - 1, random(height) - 1, random(100000))
  end
end

function changes.name(run)
  local e = run.any()
  if e then run.world:manager("debug_name"):set_debug_name(e, "n" .. run.random(4)) end
end

local NAMES = {}
for name in pairs(changes) do NAMES[#NAMES + 1] = name end
table.sort(NAMES)

-- States ------------------------------------------------------------------------------------------------------------

local function numbers(...) return { ... } end

-- The published state of an entity: texts by component, and what refers to other entities.
local function state_of(world, e)
  local state = { texts = {}, refers = {} }
  for _, name in ipairs(COMPONENTS) do
    local manager = world:manager(name)
    if name == "item" then
      local found = {}
      for _, id in ipairs(manager:ids(e)) do
        local item = manager:lookup(e, id)
        found[#found + 1] = type(id) .. id .. "=" .. manager:amount(item)
        state.refers["item" .. id] = manager:owner(item)
      end
      table.sort(found)
      if #found > 0 then state.texts.item = table.concat(found, " ") end
    elseif manager:has(e) then
      state.texts[name] = true
    end
  end
  return state
end

local function flat(value)
  if type(value) ~= "table" then return type(value) .. tostring(value) end
  local keys, texts = {}, {}
  for key in pairs(value) do keys[#keys + 1] = key end
  table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
  for i, key in ipairs(keys) do texts[i] = tostring(key) .. ":" .. flat(value[key]) end
  return "{" .. table.concat(texts, ",") .. "}"
end

local function describe_health(world, e, state)
  local health = world.health:get(e)
  state.refers.target, health.target = health.target, nil
  state.texts.health = flat(health)
end

local function describe_grid(world, e, state)
  local grid, text = world.grid, {}
  local width, height = grid:size(e)
  for y = 0, height - 1 do
    for x = 0, width - 1 do text[#text + 1] = grid:cell(e, x, y) .. flat(numbers(grid:flips(e, x, y))) end
  end
  state.texts.grid = width .. "x" .. height .. grid:tiles(e) .. table.concat(text, " ")
end

local function describe_transform(world, e, state)
  local transform = world.transform
  local parent = transform:parent(e)
  state.parent = parent and transform:entity(parent)
  state.pose = { transform:local_matrix(e) }
  state.world = { transform:world_matrix(e) }
end

local function capture(world, e)
  local state = state_of(world, e)
  if state.texts.health then describe_health(world, e, state) end
  if state.texts.grid then describe_grid(world, e, state) end
  if state.texts.debug_name then state.texts.debug_name = world:manager("debug_name"):debug_name(e) end
  if state.texts.transform then describe_transform(world, e, state) end
  return next(state.texts) and state
end

local function capture_all(run)
  local states = {}
  for _, e in ipairs(run.alive) do
    if not run.where or run.world.tag:has(e) then states[cuttle.entity_id(e)] = capture(run.world, e) or nil end
  end
  return states
end

-- Comparison --------------------------------------------------------------------------------------------------------

local function near(a, b, what)
  for i = 1, 16 do
    local scale = math.max(1, math.abs(a[i]))
    if math.abs(a[i] - b[i]) > 1e-3 * scale then
      error(("%s: number %d is %g, not %g"):format(what, i, b[i], a[i]))
    end
  end
end

-- Checks that an entity of the receiver has a state. Positions are multiples of the step.
local function check_pose(receiver, wanted, local_entity, states)
  local found = {}
  describe_transform(receiver.world, local_entity, found)
  local parent = wanted.parent and cuttle.entity_id(wanted.parent)
  local mapped = parent and states[parent] and states[parent].texts.transform and receiver.sub:entity(parent) or nil
  if found.parent ~= mapped then error "another parent" end
  if parent and not mapped then
    near(wanted.world, found.pose, "pose of a root")
  else
    near(wanted.pose, found.pose, "local pose")
  end
end

local function check(receiver, states, list)
  local count = 0
  local shown = {}
  for id, wanted in pairs(states) do
    if not list or list[id] then shown[id] = wanted end
  end
  for id, wanted in pairs(shown) do
    local e = receiver.sub:entity(id)
    if not e then error("entity " .. id .. " is missing") end
    if receiver.sub:id(e) ~= id then error "another id" end
    local found = capture(receiver.world, e)
    count = count + 1
    for _, name in ipairs(COMPONENTS) do
      local a, b = wanted.texts[name], found and found.texts[name]
      if a ~= b then error(("%s of %d: %s, not %s"):format(name, id, tostring(b), tostring(a))) end
    end
    for name, target in pairs(wanted.refers) do
      local mapped = shown[cuttle.entity_id(target)] and receiver.sub:entity(cuttle.entity_id(target))
      local got = found.refers[name]
      if got and not receiver.world.entities:alive(got) then got = nil end
      if got ~= (mapped or nil) then error("another " .. name) end
    end
    if wanted.texts.transform then check_pose(receiver, wanted, e, shown) end
  end
  assert(receiver.world.entities:count() == count, "other entities remain")
end

-- The link ----------------------------------------------------------------------------------------------------------

-- Messages arrive after a random delay, in any order, some never, some twice.
local function new_link(random, delay)
  local link, now = { queue = {} }, 0
  function link.send(item)
    for _ = 1, random(5) == 1 and 2 or 1 do
      if random(10) > 3 then link.queue[#link.queue + 1] = { at = now + random(delay), item = item } end
    end
  end
  function link.receive()
    now = now + 1
    local arrived = {}
    for i = #link.queue, 1, -1 do
      if link.queue[i].at <= now then arrived[#arrived + 1] = table.remove(link.queue, i).item end
    end
    return arrived
  end
  return link
end

local function new_run(number, options)
  local random = new_random(number)
  local run = { random = random, world = new_world(), alive = {}, where = options.where }
  function run.any() return #run.alive > 0 and run.alive[random(#run.alive)] or nil end
  local query = options.where and run.world:query "tag"
  run.out = cuttle.publisher(run.world, { components = COMPONENTS, keep = options.keep or 16, where = query })
  return run
end

local function new_receiver(run, delay)
  local world = new_world()
  return { world = world, sub = cuttle.subscriber(world), peer = run.out:peer(), down = new_link(run.random, delay),
    up = new_link(run.random, delay), at = 0 }
end

local function list_of(run)
  local list, ids = {}, {}
  for _, e in ipairs(run.alive) do
    if run.random(3) > 1 then
      list[#list + 1] = e
      ids[cuttle.entity_id(e)] = true
    end
  end
  return list, ids
end

local function deliver(run, receiver)
  for _, item in ipairs(receiver.down.receive()) do
    local at, message = receiver.sub:apply(item.bytes)
    if not at then
      assert(message:find "stale" or message:find "must be full", message)
    else
      if at ~= receiver.at and at == item.frame and item.waiting == 0 then
        check(receiver, run.states[at], item.ids)
        valid(receiver.world)
      end
      receiver.at = at
      receiver.up.send(at)
    end
  end
  for _, frame in ipairs(receiver.up.receive()) do receiver.peer:acknowledge(frame) end
end

local function step(run, receivers, options)
  local random = run.random
  for _ = 1, random(6) do changes[NAMES[random(#NAMES)]](run) end
  local frame = run.out:frame()
  run.states[frame] = capture_all(run)
  for _, receiver in ipairs(receivers) do
    local list, ids
    if options.lists and random(8) > 1 then list, ids = list_of(run) end
    local bytes = receiver.peer:message(list, options.limit and 40 + random(options.limit) or nil)
    receiver.down.send { bytes = bytes, frame = frame, ids = ids, waiting = receiver.peer:waiting() }
    deliver(run, receiver)
  end
end

local function simulate(number, options)
  local run = new_run(number, options)
  run.states = {}
  local receivers = { new_receiver(run, 1), new_receiver(run, 4), new_receiver(run, 30) }
  for i = 1, options.frames do
    local ok, message = pcall(step, run, receivers, options)
    if not ok then error(("run %d, frame %d: %s"):format(number, i, tostring(message)), 0) end
  end
  valid(run.world)
end

describe("replication in random worlds, seed " .. seed, function()
  local function it_follows(title, options)
    it(title, function()
      for round = 1, rounds(8, 2) do simulate(seed + round, options) end
    end)
  end

  it_follows("has the published state after every message", { frames = 120 })
  it_follows("has the published state of the entities in a changing list", { frames = 120, lists = true })
  it_follows("has the published state when all entities had room", { frames = 120, limit = 400 })
  it_follows("has the published state of a changing list with limits", { frames = 120, lists = true, limit = 400 })
  it_follows("has the published state of the matches of a query", { frames = 120, where = true })
  it_follows("has the published state if few frames are kept", { frames = 120, keep = 3, lists = true })
end)
