-- A world that changes at random, for a publisher; copies of its published part as plain tables; and the comparison of
-- such a copy with the world of a receiver. Copies are made by the methods of managers, so nothing of the publisher is
-- used to check it.

local cuttle = require "cuttle"

local published = {}

-- The components that are published. "secret" is not.
published.COMPONENTS = { "transform", "thing", "part", "mark", "point_mass", "debug_name", "grid", "mesh" }
-- Lua that computes with the x87 has more bits in a quotient than the core, so there the steps are powers of two.
local X87 = 1 + (2 ^ -53 + 2 ^ -65) == 1
-- Quantized fields. The receiver has the nearest multiple of the step.
published.STEPS = { ["transform.local_position"] = 0.25, ["thing.coarse"] = X87 and 1 / 128 or 0.01,
  ["thing.level"] = 8, ["point_mass.velocity"] = 0.5 }

local FIELDS = {
  { "float", "float", 0.5 }, { "double", "double" }, { "int8", "int8", -1 }, { "uint8", "uint8" }, { "int16", "int16" },
  { "uint16", "uint16" }, { "int32", "int32" }, { "uint32", "uint32" }, { "bool", "bool" }, { "vec2", "vec2" },
  { "vec3", "vec3" }, { "vec4", "vec4" }, { "quat", "quat" }, { "mat4", "mat4" }, { "color", "color" },
  { "dvec2", "dvec2" }, { "dvec3", "dvec3" }, { "target", "entity" }, { "text", "string", "none" },
  { "mood", "enum", { "calm", "angry", "gone" } }, { "data", "value" }, { "coarse", "vec2" }, { "level", "double" },
}
-- A field that `redefine` adds and removes.
local MORE = { "more", "int32", 5 }
local PART = { { "size", "int16" }, { "owner", "entity" }, { "label", "string" } }
local RESOURCES = { "hull", "sail", "mast" }
-- Products of these rotations are exact.
local ROTATIONS = { { 0, 0, 0, 1 }, { 0, 0, 1, 0 }, { 1, 0, 0, 0 }, { 0.5, 0.5, 0.5, 0.5 } }
local SPECIAL = { 0 / 0, 1 / 0, -1 / 0, -1 / math.huge, 2 ^ 24, 1e-40 }

-- The order of fields and labels differs at the receiver if `other` is true, and so do fields that only one side has.
function published.define(world, other)
  local fields = {}
  for place, field in ipairs(FIELDS) do fields[place] = field end
  if other then
    for place = 1, #fields do fields[place] = FIELDS[#FIELDS + 1 - place] end
    for place = #fields, 1, -1 do
      local name = fields[place][1]
      if name == "int16" then table.remove(fields, place) end
      if name == "mood" then fields[place] = { "mood", "enum", { "gone", "new", "calm", "angry" }, "calm" } end
    end
    table.insert(fields, 3, { "own", "int32", 77 })
  end
  world:define("thing", fields)
  world:define("part", PART, { multiple = true })
  world:define("mark", {})
  world:define("secret", { { "n", "int32" } })
  for _, name in ipairs(RESOURCES) do world.mesh:define_resource(name, {}) end
  return world
end

-- Defines a component of a running publisher again, with one field more or less.
function published.redefine(run)
  local fields = {}
  for place, field in ipairs(FIELDS) do fields[place] = field end
  run.has_more = not run.has_more
  if run.has_more then fields[#fields + 1] = MORE end
  run.world:define("thing", fields, { migrate = true })
end

-- Random values -----------------------------------------------------------------------------------------------------

-- Adds random choices to a run, which has `random` and `world`.
local function chance(run, n) return run.random(n) == 1 end

local function eighths(run)
  if chance(run, 40) then return SPECIAL[run.random(#SPECIAL)] end
  return (run.random(4001) - 2001) / 8
end

local function numbers(run, count)
  local list = {}
  for i = 1, count do list[i] = eighths(run) end
  return list
end

-- Multiples of a power of two: their sums are exact, also where a compiler fuses the product and the sum.
local function whole(low, high)
  local step = high - low < 100 and 0 or 1
  while step > 0 and step * 200 <= high - low do step = step * 2 end
  return function(run)
    local kind = run.random(5)
    return kind == 1 and low or kind == 2 and high or low + (run.random(100) - 1) * step
  end
end

local function vector(count) return function(run) return numbers(run, count) end end

local function any(run) return run.living[run.random(#run.living)] end

local function tree(run, depth)
  local kind = run.random(depth > 2 and 3 or 5)
  if kind == 1 then return run.random(100) / 4 end
  if kind == 2 then return ("text"):rep(run.random(4) - 1) end
  if kind == 3 then return chance(run, 2) end
  local made = {}
  for i = 1, run.random(3) - 1 do made[i] = tree(run, depth + 1) end
  if kind == 5 then made["key " .. run.random(3)] = tree(run, depth + 1) end
  return made
end

local VALUES = {
  float = eighths, double = function(run) return eighths(run) + 2 ^ -40 end, int8 = whole(-128, 127),
  uint8 = whole(0, 255), int16 = whole(-32768, 32767), uint16 = whole(0, 65535), int32 = whole(-2 ^ 31, 2 ^ 31 - 1),
  uint32 = whole(0, 2 ^ 32 - 1), bool = function(run) return chance(run, 2) end, vec2 = vector(2), vec3 = vector(3),
  vec4 = vector(4), quat = vector(4), mat4 = vector(16), color = vector(4), dvec2 = vector(2), dvec3 = vector(3),
  entity = function(run) return not chance(run, 4) and #run.living > 0 and any(run) or nil end,
  string = function(run) return ("a\0\195\164"):rep(run.random(5) - 1) .. run.random(3) end,
  enum = function(run) return ({ "calm", "angry", "gone" })[run.random(3)] end,
  value = function(run) if not chance(run, 4) then return tree(run, 1) end end,
}

local function random_value(run, type) return VALUES[type](run) end

local function values_of(run, fields)
  local values = {}
  for _, field in ipairs(fields) do
    if chance(run, 3) then values[field[1]] = random_value(run, field[2]) end
  end
  return values
end

local function pose(run)
  return { position = { run.random(41) - 21, (run.random(161) - 81) / 4, (run.random(320) - 160) / 16 },
    rotation = ROTATIONS[run.random(#ROTATIONS)], scale = 2 ^ (run.random(3) - 2) }
end

-- Changes -----------------------------------------------------------------------------------------------------------

local ADD = {
  transform = function(run)
    local values = pose(run)
    local parent = #run.living > 0 and any(run)
    if parent and run.world.transform:has(parent) and chance(run, 2) then values.parent = parent end
    return values
  end,
  thing = function(run) return values_of(run, FIELDS) end,
  part = function(run)
    local values = values_of(run, PART)
    if chance(run, 3) then values.id = chance(run, 2) and run.random(50) or "p" .. run.random(50) end
    return values
  end,
  mark = function() return {} end,
  secret = function(run) return { n = run.random(100) } end,
  point_mass = function(run) return { mass = run.random(9), velocity = numbers(run, 3) } end,
  debug_name = function(run) return { name = "name " .. run.random(9) } end,
  mesh = function(run) return { resource = RESOURCES[run.random(3)], visible = chance(run, 2) } end,
  grid = function(run)
    local width, height, cells = run.random(9), run.random(9), {}
    for i = 1, width * height do cells[i] = chance(run, 3) and run.random(2 ^ 20) or 0 end
    return { width = width, height = height, cells = cells, cell_size = { run.random(20), 16 },
      tiles = chance(run, 2) and "ground" or "" }
  end,
}

local NAMES = { "transform", "thing", "part", "mark", "point_mass", "debug_name", "grid", "mesh", "secret" }
local MULTIPLE = { part = true, mesh = true }

local function add(run, e, name)
  local manager = run.world:manager(name)
  if MULTIPLE[name] or not manager:has(e) then
    local values = ADD[name](run)
    local id = values.id
    if id == nil or not manager:lookup(e, id) then manager:create(e, values) end
  end
end

local function create(run)
  local e = run.world.entities:create()
  for _, name in ipairs(NAMES) do
    if chance(run, 3) or name == "thing" and chance(run, 2) then add(run, e, name) end
  end
  run.living[#run.living + 1] = e
end

local function destroy(run)
  local e = table.remove(run.living, run.random(#run.living))
  if chance(run, 3) and run.world.transform:has(e) then
    run.world.transform:destroy_tree(e)
    for place = #run.living, 1, -1 do
      if not run.world.entities:alive(run.living[place]) then table.remove(run.living, place) end
    end
  else
    run.world.entities:destroy(e)
  end
end

local function set_field(run, name, fields, e)
  local manager = run.world:manager(name)
  local instance = manager:lookup(e)
  if MULTIPLE[name] then
    local others = {}
    for other in manager:instances(e) do others[#others + 1] = other end
    instance = others[run.random(#others)]
  end
  local field = fields[run.random(#fields)]
  local value = random_value(run, field[2])
  if type(value) == "table" and field[2] ~= "value" then
    manager:write(instance, field[1], unpack(value))
  else
    manager:write(instance, field[1], value)
  end
end

local function move(run, e)
  local transform, kind = run.world.transform, run.random(4)
  local values = pose(run)
  if kind <= 2 then transform:set_local_position(e, unpack(values.position)) end
  if kind == 3 then transform:set(e, values) end
  if kind == 4 then
    local parent = any(run)
    if transform:has(parent) and not chance(run, 3) then
      pcall(transform.link, transform, e, parent) -- raises for a cycle
    else
      transform:unlink(e)
    end
  end
end

local CHANGE = {
  transform = move,
  thing = function(run, e) set_field(run, "thing", FIELDS, e) end,
  part = function(run, e) set_field(run, "part", PART, e) end,
  secret = function(run, e) run.world.secret:set_n(e, run.random(1000)) end,
  point_mass = function(run, e) run.world.point_mass:set_velocity(e, unpack(numbers(run, 3))) end,
  debug_name = function(run, e) run.world.debug_name:set_debug_name(e, "other " .. run.random(9)) end,
  mesh = function(run, e) run.world.mesh:set_visible(e, chance(run, 2)) end,
  grid = function(run, e)
    local grid = run.world.grid
    local width, height = grid:size(e)
    local x, y = run.random(width) - 1, run.random(height) - 1
    local kind = run.random(4)
    if kind == 1 then grid:fill(e, x, y, width, height, run.random(5) - 1) end
    if kind == 2 then grid:set_flips(e, x, y, chance(run, 2), chance(run, 2), chance(run, 2)) end
    if kind >= 3 then grid:set_cell(e, x, y, run.random(9) - 1) end
  end,
}

-- Changes a component of a random entity, or adds or removes one.
local function change_component(run)
  local e, name = any(run), NAMES[run.random(#NAMES)]
  local manager = run.world:manager(name)
  if not manager:has(e) then
    if chance(run, 3) then add(run, e, name) end
  elseif chance(run, 8) then
    manager:destroy(MULTIPLE[name] and chance(run, 2) and manager:lookup(e) or e)
  elseif MULTIPLE[name] and chance(run, 4) then
    add(run, e, name)
  elseif CHANGE[name] then
    CHANGE[name](run, e)
  end
end

-- Makes a run: a world of its own, with entities.
function published.new_run(random)
  local run = { random = random, living = {}, world = cuttle.world(cuttle.entity_manager { minimum_free_indices = 2 }) }
  published.define(run.world)
  if chance(run, 4) then run.world.transform:set_mode "deferred" end
  for _ = 1, random(12) do create(run) end
  return run
end

function published.change(run)
  for _ = 1, run.random(6) - 1 do
    local kind = run.random(12)
    if kind == 1 and #run.living < 40 or #run.living == 0 then
      create(run)
    elseif kind == 2 and #run.living > 3 then
      destroy(run)
    else
      change_component(run)
    end
  end
  if chance(run, 5) then run.world:gc() end
  run.world.transform:propagate()
end

-- Finds the living entities again, after a restore.
function published.find_living(run)
  run.living = {}
  for e in run.world.entities:each() do run.living[#run.living + 1] = e end
end

-- Copies ------------------------------------------------------------------------------------------------------------

-- Values with the ids of entities in place of entities: { id = n }.
local function plain(values)
  local made = {}
  for field, value in pairs(values) do
    made[field] = cuttle.is_entity(value) and { id = cuttle.entity_id(value) } or value
  end
  return made
end

local function cells_of(grid, e)
  local flips, width, height = {}, grid:size(e)
  for y = 0, height - 1 do
    for x = 0, width - 1 do
      local h, v, d = grid:flips(e, x, y)
      flips[#flips + 1] = (h and 1 or 0) + (v and 2 or 0) + (d and 4 or 0)
    end
  end
  return flips
end

local function world_pose(transform, e)
  return { position = { transform:world_position(e) }, rotation = { transform:world_rotation(e) },
    scale = { transform:world_scale(e) } }
end

local function copy_component(world, manager, name, e)
  local list = {}
  for instance in manager:instances(e) do
    local values = plain(manager:get(instance))
    list[#list + 1] = values
    if MULTIPLE[name] then values.id = manager:id(instance) end
    if name == "transform" then values.world = world_pose(manager, e) end
    if name == "grid" then values.flips = cells_of(world.grid, e) end
  end
  return list
end

-- Returns id -> component -> list of values, for living entities that have a published component. `admits(e)` is the
-- condition of the publisher, or nil.
function published.copy(world, admits)
  local state = {}
  for e in world.entities:each() do
    local components
    for _, name in ipairs(published.COMPONENTS) do
      local manager = world:manager(name)
      if manager:has(e) and (not admits or admits(e)) then
        components = components or {}
        components[name] = copy_component(world, manager, name, e)
      end
    end
    state[cuttle.entity_id(e)] = components
  end
  return state
end

-- Comparison --------------------------------------------------------------------------------------------------------

local scratch = cuttle.world(cuttle.entity_manager())
scratch:define("scratch", { { "number", "float" } })
local a_float = scratch:create { scratch = {} }

-- The nearest float to a number.
local function as_float(n)
  scratch.scratch:set_number(a_float, n)
  return scratch.scratch:number(a_float)
end

-- The number of steps in a number, ties to even; nil if it is not finite or needs more than 53 bits.
local function steps_of(n, step)
  local quotient = n / step
  if quotient - quotient ~= 0 or math.abs(quotient) >= 2 ^ 53 then return nil end
  local low = quotient - quotient % 1
  local rest = quotient - low
  return (rest > 0.5 or rest == 0.5 and low % 2 == 1) and low + 1 or low
end

-- A number or a vector as the receiver has it: multiples of the step, unless a lane has none.
local function quantized(value, step, is_double)
  local lanes, made = type(value) == "table" and value or { value }, {}
  for lane, n in ipairs(lanes) do
    local count = steps_of(n, step)
    if not count then return value end
    made[lane] = is_double and count * step or as_float(count * step)
  end
  return type(value) == "table" and made or made[1]
end

local function same_number(a, b) return a == b or a ~= a and b ~= b end

local function is_near(a, b, tolerance)
  for lane = 1, #a do
    local lane_is_near = math.abs(a[lane] - b[lane]) <= tolerance -- false for NaN
    if not lane_is_near and not same_number(a[lane], b[lane]) then return false end
  end
  return true
end

local function show(value)
  if type(value) ~= "table" then return type(value) == "number" and ("%.17g"):format(value) or tostring(value) end
  local parts = {}
  for key, item in pairs(value) do parts[#parts + 1] = tostring(key) .. "=" .. show(item) end
  table.sort(parts)
  return "{" .. table.concat(parts, " ") .. "}"
end

-- Compares values, which may be tables. NaN equals NaN, and -0 differs from 0 unless `steps` is true.
local function same(expected, found, steps)
  if type(expected) == "number" and type(found) == "number" then
    return same_number(expected, found) and (steps or expected ~= 0 or 1 / expected == 1 / found)
  end
  if type(expected) ~= "table" or type(found) ~= "table" then return expected == found end
  for key, value in pairs(expected) do
    if not same(value, found[key], steps) then return false end
  end
  for key in pairs(found) do
    if expected[key] == nil then return false end
  end
  return true
end

local function same_field(expected, found, step, is_double)
  if step and expected ~= nil then return same(quantized(expected, step, is_double), found, true) end
  return same(expected, found)
end

local ALIAS = { position = "local_position", rotation = "local_rotation", scale = "local_scale" }

local function difference(fault, e, name, field, expected, found)
  fault(("entity %s: %s.%s: expected %s, got %s"):format(e, name, field, show(expected), show(found)))
end

-- Whether a field that names an entity is right. The entity must be the local one of the same id; a field that names
-- an entity without a local one names none that lives.
local function same_entity(receiver, expected, found, state)
  if expected and state[expected.id] then
    return found ~= nil and found.id == cuttle.entity_id(receiver.sub:entity(expected.id))
  end
  return found == nil or not receiver.world.entities:alive_id(found.id)
end

-- World poses of roots are computed from positions of all ancestors, which are multiples of the step.
local POSE_STEPS = 16

-- Checks the pose of an entity. If its parent is not at the receiver, it is a root there with its world pose.
local function check_pose(receiver, id, expected, found, state, fault)
  local step = receiver.steps["transform.local_position"]
  local parent = expected.parent
  if parent and not state[parent.id] then
    if found.parent ~= nil then difference(fault, id, "transform", "parent", nil, found.parent) end
    for _, field in ipairs { "position", "rotation", "scale" } do
      local tolerance = field == "position" and step and POSE_STEPS * step or 1e-3
      if not is_near(expected.world[field], found[field], tolerance) then
        difference(fault, id, "transform", "world " .. field, expected.world[field], found[field])
      end
    end
    return
  end
  if not same_entity(receiver, parent, found.parent, state) or (parent == nil) ~= (found.parent == nil) then
    difference(fault, id, "transform", "parent", parent, found.parent)
  end
  for field, alias in pairs(ALIAS) do
    if not same_field(expected[field], found[field], receiver.steps["transform." .. alias]) then
      difference(fault, id, "transform", field, expected[field], found[field])
    end
  end
end

local TYPES = {}
for _, field in ipairs(FIELDS) do TYPES[field[1]] = field[2] end

local function check_fields(receiver, id, name, expected, found, state, fault)
  local present = {}
  for field in pairs(expected) do present[field] = true end
  for field in pairs(found) do present[field] = true end
  for field in pairs(present) do
    local left, right = expected[field], found[field]
    local step = receiver.steps[name .. "." .. field]
    if name == "thing" and (field == "own" or field == "int16") and receiver.differs then
      if field == "own" and right ~= 77 then difference(fault, id, name, field, 77, right) end
    elseif name == "thing" and field == MORE[1] then
      if right ~= nil then difference(fault, id, name, field, nil, right) end
    elseif name == "thing" and field == "target" or name == "part" and field == "owner" then
      if not same_entity(receiver, left, right, state) then difference(fault, id, name, field, left, right) end
    elseif not same_field(left, right, step, name == "thing" and TYPES[field] == "double") then
      difference(fault, id, name, field, left, right)
    end
  end
end

local function by_id(list)
  local made = {}
  for place, values in ipairs(list) do made[values.id or place] = values end
  return made
end

local function check_component(receiver, id, name, expected, found, state, fault)
  expected, found = by_id(expected), by_id(found)
  for key, values in pairs(expected) do
    if not found[key] then
      fault(("entity %s: %s %s is missing"):format(id, name, tostring(key)))
    elseif name == "transform" then
      check_pose(receiver, id, values, found[key], state, fault)
    else
      check_fields(receiver, id, name, values, found[key], state, fault)
    end
  end
  for key in pairs(found) do
    if not expected[key] then fault(("entity %s: %s %s is too much"):format(id, name, tostring(key))) end
  end
end

-- Compares the world of a receiver with a copy. `receiver` has `world`, `sub`, `steps`, `own` (a set of the ids of
-- entities that its scripts created), and `differs` if the schemas differ. Returns a text of the first differences, or
-- nil.
function published.compare(receiver, state)
  local faults, local_ids = {}, {}
  local function fault(text) faults[#faults + 1] = text end
  local found = published.copy(receiver.world)
  for id, components in pairs(state) do
    local e = receiver.sub:entity(id)
    if not e or not receiver.world.entities:alive(e) then
      fault(("entity %s is missing"):format(id))
    else
      if receiver.sub:id(e) ~= id then fault(("entity %s has the id %s"):format(id, tostring(receiver.sub:id(e)))) end
      local here = cuttle.entity_id(e)
      local_ids[here] = true
      for _, name in ipairs(published.COMPONENTS) do
        local there = found[here] and found[here][name] or {}
        check_component(receiver, id, name, components[name] or {}, there, state, fault)
      end
      if receiver.world.secret:has(e) then fault(("entity %s has a component that is not published"):format(id)) end
    end
  end
  for id in pairs(found) do
    if not local_ids[id] and not receiver.own[id] then
      fault(("the receiver has an entity %d that the publisher did not send"):format(id))
    end
  end
  if #faults > 0 then return table.concat(faults, "\n", 1, math.min(#faults, 8)) end
end

return published
