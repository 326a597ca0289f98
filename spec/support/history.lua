-- A world with pseudo-random changes, the same on every host: step n is determined by the number n. It covers all
-- managers, two worlds, levels, hierarchies, hooks and gc. Numbers are integers or eighths, and rotations keep products
-- exact. `levels`, a growing list, is its only state outside the managers, so that snapshots can be restored.

local cuttle = require "cuttle"
local new_random = require "spec.support.random"

local MOST = 90

-- Products of these rotations are exact, unlike those of quarter turns.
local ROTATIONS = { { 0, 0, 0, 1 }, { 0, 0, 1, 0 }, { 1, 0, 0, 0 }, { 0.5, 0.5, 0.5, 0.5 }, { -0.5, 0.5, -0.5, 0.5 } }

local FIELDS = {
  { "a", "float", 0.5 }, { "b", "double" }, { "c", "int8", -1 }, { "d", "uint8" }, { "e", "int16" }, { "f", "uint16" },
  { "g", "int32" }, { "h", "uint32" }, { "i", "bool" }, { "j", "vec2" }, { "k", "vec3" }, { "l", "vec4" },
  { "m", "quat" }, { "n", "mat4" }, { "o", "color" }, { "p", "entity" }, { "q", "string", "none" },
  { "r", "enum", { "calm", "angry", "gone" } }, { "s", "value" },
}

local LEVEL = { entities = {
  { name = "ship", components = { transform = { position = { 1, 2, 3 } }, model = { resource = "arm" },
    thing = { p = "gun", q = "ship", r = "angry" } } },
  { name = "gun", parent = "ship", components = { transform = { position = { 0, 1, 0 } }, actor = { shape = "gun" },
    item = { { id = "ball", n = 3 }, { n = 4 } } } },
  { name = "flag", parent = "gun", components = { transform = { scale = 2 }, mesh = { { resource = "box" } },
    point_mass = { velocity = { 1, 0.5, 0 } } } } } }

local function eighths(pick) return (pick(129) - 65) / 8 end

local function place(pick) return { eighths(pick), eighths(pick), eighths(pick) } end

local function pose(pick)
  local p, q, s = place(pick), ROTATIONS[pick(#ROTATIONS)], ({ 1, 1, 1, 2, 0.5 })[pick(5)]
  return p[1], p[2], p[3], q[1], q[2], q[3], q[4], s, s, s
end

local function values(h, pick)
  return { a = eighths(pick), b = eighths(pick) / 1024, c = pick(256) - 129, d = pick(256) - 1, e = pick(9999),
    f = pick(65536) - 1, g = -pick(2 ^ 30), h = pick(2 ^ 30) * 4 - 1, i = pick(2) == 1, k = place(pick),
    m = ROTATIONS[pick(#ROTATIONS)], p = h.any_entity(pick), q = "text" .. pick(20),
    r = FIELDS[18][3][pick(3)], s = { pick(9) } }
end

local actions = {}

function actions.create(h, pick)
  local parent = pick(3) > 1 and h.one_with(h.world.transform, pick) or nil
  h.world:create { transform = { position = place(pick), parent = parent },
    thing = values(h, pick), debug_name = { name = "name" .. pick(6) }, point_mass = { velocity = place(pick) },
    mesh = pick(2) == 1 and { { id = "hat", resource = "box" }, { resource = "ball" } } or nil,
    model = pick(2) == 1 and { resource = pick(2) == 1 and "arm" or "leg" } or nil,
    actor = pick(3) == 1 and { shape = "box", mass = pick(8) } or nil,
    item = pick(2) == 1 and { { id = "key", n = pick(9) }, { n = 1 } } or nil }
end

function actions.create_many(h, pick)
  local list = h.entities:create(pick(6))
  h.world.transform:create_many(list, {})
  h.world.thing:create_many(list, { a = eighths(pick), q = "many" })
  if pick(2) == 1 then h.world.item:create_many(list, { n = pick(9) }) end
  if pick(2) == 1 then h.shadow.mark:create_many(list, { n = pick(9) }) end
end

function actions.template(h, pick) h.template:create(pick(4)) end

function actions.destroy(h, pick)
  for _ = 1, pick(6) do
    local e = h.any_entity(pick)
    if e then h.entities:destroy(e) end
  end
end

function actions.destroy_tree(h, pick)
  local e = h.one_with(h.world.transform, pick)
  if e then h.world.transform:destroy_tree(e) end
end

function actions.thin(h, pick)
  local count = h.entities:count()
  while count > MOST do
    h.entities:destroy(h.any_entity(pick))
    count = count - 1
  end
end

local function link(h, pick)
  local transform = h.world.transform
  local child, parent = h.one_with(transform, pick), h.one_with(pick(3) == 1 and h.world.model or transform, pick)
  if not child or not parent or not transform:has(parent) then return end
  local ancestor = parent -- a link that would make a cycle raises
  while ancestor and ancestor ~= child do
    local instance = transform:parent(ancestor)
    ancestor = instance and transform:entity(instance)
  end
  if ancestor or transform:depth(parent) > 6 then return end
  local node = h.world.model:has(parent) and pick(2) or nil
  transform:link(child, parent, { keep = not node and pick(2) == 1 and "world" or nil, node = node })
end

function actions.link(h, pick)
  for _ = 1, 3 do link(h, pick) end
end

function actions.unlink(h, pick)
  local e = h.one_with(h.world.transform, pick)
  if e then h.world.transform:unlink(e, { keep = pick(2) == 1 and "world" or nil }) end
end

function actions.pose(h, pick)
  local e = h.one_with(h.world.transform, pick)
  if e then h.world.transform:set_local_pose(e, pose(pick)) end
end

function actions.batch(h, pick)
  h.world.transform:batch(function()
    for _ = 1, 4 do actions.pose(h, pick) end
  end)
end

function actions.mode(h, pick) h.world.transform:set_mode(pick(3) == 1 and "immediate" or "deferred") end

function actions.propagate(h) h.world.transform:propagate() end

function actions.column(h, pick)
  local transform = h.world.transform
  transform:set_mode "deferred"
  local view = transform:column "local_position"
  for _ = 1, 5 do
    local e = h.one_with(transform, pick)
    local row = e and transform:row(e)
    if row then view[row].x = eighths(pick) end
  end
  h.world.thing:column("c"):fill(pick(100))
end

function actions.simulate(h, pick)
  local masses = h.world.point_mass
  local e = h.one_with(masses, pick)
  if e then masses:set(e, { velocity = place(pick), acceleration = place(pick), position = place(pick) }) end
  masses:simulate(0.5)
  h.world:copy(masses, "velocity", h.world.thing, "k")
end

function actions.name(h, pick)
  local e = h.any_entity(pick)
  if e then h.world.debug_name:set_debug_name(e, "called" .. pick(9)) end
end

function actions.mesh(h, pick)
  local mesh = h.world.mesh
  local e = h.one_with(mesh, pick)
  if not e then return end
  if pick(3) == 1 then mesh:destroy(mesh:lookup(e)) end
  mesh:create(e, { resource = "ball", visible = pick(2) == 1, color = { 1, 0.5, 0.25, 1 } })
end

function actions.model(h, pick)
  local model = h.world.model
  local e = h.one_with(model, pick)
  if not e then return end
  model:set_node_pose(e, pick(2), pose(pick))
  if pick(4) == 1 then model:set_resource(e, pick(2) == 1 and "arm" or "leg") end
  if pick(3) == 1 then model:evaluate() end
end

function actions.actor(h, pick)
  local actor = h.world.actor
  local e = h.any_entity(pick)
  if e and actor:has(e) then
    actor:destroy(e)
  elseif e then
    actor:create(e, { shape = "shape" .. pick(4), mass = pick(16) / 4 })
  end
end

function actions.thing(h, pick)
  local thing = h.world.thing
  local e = h.one_with(thing, pick)
  if not e then return end
  if pick(5) == 1 then thing:destroy(e) else thing:set(e, values(h, pick)) end
end

function actions.item(h, pick)
  local item = h.world.item
  local e = h.any_entity(pick)
  if not e then return end
  local first = item:lookup(e)
  if first and pick(2) == 1 then item:destroy(first) end
  local id = "id" .. pick(99)
  item:create(e, { id = not item:lookup(e, id) and id or nil, n = pick(99), text = "item" .. pick(5) })
end

function actions.shadow(h, pick)
  local e = h.any_entity(pick)
  if not e then return end
  if h.shadow.mark:has(e) then h.shadow.mark:destroy(e) else h.shadow.mark:create(e, { n = pick(99) }) end
end

function actions.spawn(h, pick)
  local poses = { positions = { 1, 2, 3, 4, 5, 6 } }
  h.levels[#h.levels + 1] = pick(2) == 1 and h.world:spawn_many(h.resource, poses)
    or h.world:spawn(h.resource, { position = place(pick), parent = h.one_with(h.world.transform, pick),
      overrides = pick(2) == 1 and { ship = { thing = { a = pick(9) } } } or nil })
end

function actions.level(h, pick)
  local level = h.levels[pick(#h.levels + 1)]
  if not level then return end
  if pick(2) == 1 then level:unload() else level:restart() end
end

function actions.gc(h, pick)
  local how = pick(4)
  if how == 1 then h.world:gc "all" elseif how == 2 then h.world:gc(3) else h.world:gc() end
  if how == 4 then h.shadow:gc() end
end

function actions.tidy(h, pick)
  if pick(3) == 1 then h.world:trim() else h.world.transform:sort() end
end

local ORDER = {}
for name in pairs(actions) do ORDER[#ORDER + 1] = name end
table.sort(ORDER)

-- ------------------------------------------------------------------------------------------------------------------

local function define(h)
  local world = h.world
  world:define("thing", FIELDS)
  world:define("item", { { "n", "int32" }, { "serial", "uint32" }, { "text", "string" } }, { multiple = true })
  world:define("ledger", { { "items", "uint32" }, { "gone", "uint32" } })
  h.shadow:define("mark", { { "n", "int16" } })
  world.mesh:define_resource("box", {})
  world.mesh:define_resource("ball", {})
  world.model:define_resource("arm", { nodes = { { name = "shoulder" }, { name = "hand", parent = 1,
    position = { 0, 1, 0 } } } })
  world.model:define_resource("leg", { nodes = { { name = "foot" }, { name = "hip" }, { name = "shoulder",
    parent = 2 } } })
end

-- Hooks that write: their counters are in a component, so that snapshots include them.
local function listen(h)
  local ledger, item = h.world.ledger, h.world.item
  item:on_add(function(_, instance)
    local n = ledger:items(h.keeper) + 1
    ledger:set_items(h.keeper, n)
    item:set_serial(instance, n)
  end)
  h.world.thing:on_remove(function() ledger:set_gone(h.keeper, ledger:gone(h.keeper) + 1) end)
  h.world.actor:on_spawn(function(_, given) return { given.shape } end)
end

local history = {}

--- Returns a world at step 0, with `entities`, `levels` and play(step).
function history.new()
  local h = { entities = cuttle.entity_manager { minimum_free_indices = 8 }, levels = {} }
  h.world = cuttle.world(h.entities, { name = "world" })
  h.shadow = cuttle.world(h.entities, { name = "shadow" })
  define(h)
  h.keeper = h.world:create { ledger = {} }
  h.template = h.world:template { transform = {}, thing = { q = "shot" }, point_mass = {} }
  h.resource = assert(cuttle.resource((assert(cuttle.compiler(h.world):compile(LEVEL)))))
  listen(h)

  -- A random living entity, with a component of the manager if one is given, or nil.
  local function choose(pick, manager)
    local all = {}
    for e in h.entities:each() do
      if e ~= h.keeper and (not manager or manager:has(e)) then all[#all + 1] = e end
    end
    return #all > 0 and all[pick(#all)] or nil
  end
  function h.any_entity(pick) return choose(pick) end
  function h.one_with(manager, pick) return choose(pick, manager) end

  function h.play(step)
    local pick = new_random(step * 7919)
    for _ = 1, 3 do pick(2) end
    if h.entities:count() < 20 then actions.create(h, pick) end
    actions.thin(h, pick)
    for _ = 1, pick(3) do actions[ORDER[pick(#ORDER)]](h, pick) end
  end
  return h
end

local PATH = "spec/level/history.txt"

--- The recorded hashes by step.
function history.hashes()
  local hashes = {}
  for line in io.lines(PATH) do hashes[#hashes + 1] = line end
  return hashes
end

--- Records the hashes with this host and this build.
function history.record(steps)
  local h, file = history.new(), assert(io.open(PATH, "w"))
  for step = 1, steps do
    h.play(step)
    file:write(h.entities:hash(), "\n")
  end
  file:close()
end

return history
