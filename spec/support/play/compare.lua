-- Comparison of the managers with the expected state of a run.

local cuttle = require "cuttle"
local fields = require "spec.support.play.fields"
local levels = require "spec.support.play.levels"
local poses = require "spec.support.play.poses"
local scenery = require "spec.support.play.scenery"

local compare = {}

local function fail(run, w, m, n, label, expected, got)
  local function text(value)
    if cuttle.is_entity(value) then return cuttle.entity_tostring(value) end
    return type(value) == "userdata" and "userdata" or fields.text(value)
  end
  error(("%s.%s of %d, %s: %s: expected %s, got %s"):format(w, m, n, cuttle.entity_tostring(run.state.ids[n]), label,
    text(expected), text(got)), 0)
end

local function check(run, w, m, n, label, expected, got)
  if not fields.same(expected, got) then fail(run, w, m, n, label, expected, got) end
end

-- ---------------------------------------------------------------- transforms

-- Numbers are exact, except for the parts of a sheared matrix.
local function check_matrix(run, w, n, label, expected, got)
  local largest = 1
  for i = 1, 16 do largest = math.max(largest, math.abs(expected[i])) end
  for i = 1, 16 do
    local off = math.abs(expected[i] - got[i])
    if off > 1e-5 * largest or off ~= off then
      fail(run, w, "transform", n, label, expected, got)
    end
  end
end

-- If the manager computed parts from a matrix, these parts are expected from now on.
local function take_parts(run, w, n, t, manager, e)
  local m = t.matrix
  check_matrix(run, w, n, "local matrix", m, { manager:local_matrix(e) })
  local values = manager:get(e)
  if values.matrix then return end
  poses.set_parts(t, values.position, values.rotation, values.scale)
  check_matrix(run, w, n, "the matrix of its parts", m, poses.matrix(t))
end

local function compare_transform(run, w, n, manager, e)
  local world, ids = run.state.worlds[w], run.state.ids
  local t = run.state:list(w, "transform", n)[1]
  local function expect(label, expected, got) check(run, w, "transform", n, label, expected, got) end
  local function owner(instance) return instance and manager:entity(instance) end
  if t.matrix then take_parts(run, w, n, t, manager, e) end
  check_matrix(run, w, n, "world matrix", poses.world(world, n), { manager:world_matrix(e) })
  if t.position then
    expect("local position", t.position, { manager:local_position(e) })
    expect("local rotation", t.rotation, { manager:local_rotation(e) })
    expect("local scale", t.scale, { manager:local_scale(e) })
  end
  expect("parent", t.parent and ids[t.parent] or nil, owner(manager:parent(e)))
  expect("parent_node", t.parent_node or nil, manager:parent_node(e))
  local children = {}
  for child in manager:children(e) do children[#children + 1] = child end
  for i, child in ipairs(t.children) do expect("child " .. i, ids[child], children[i]) end
  expect("children", #t.children, #children)
end

-- ---------------------------------------------------------------- other components

local function compare_fields(run, w, m, n, component, values)
  for _, field in ipairs(run:fields(w, m)) do
    local expected = component[field[1]]
    if field[2] == "entity" then expected = expected and run.state.ids[expected] or nil end
    if field[2] == "value" then expected = expected or nil end
    check(run, w, m, n, field[1], expected, values[field[1]])
  end
end

local function compare_model(run, n, component, manager, e)
  for i, position in ipairs(component.posed) do
    check(run, "field", "model", n, "pose of node " .. i, position, { unpack({ manager:node_pose(e, i) }, 1, 3) })
  end
end

local function compare_list(run, w, m, n)
  local list, manager, e = run.state:list(w, m, n) or {}, run:manager(w, m), run.state.ids[n]
  check(run, w, m, n, "has", #list > 0, manager:has(e))
  if #list == 0 then return end
  if m == "transform" then return compare_transform(run, w, n, manager, e) end
  local i = 0
  for instance in manager:instances(e) do
    i = i + 1
    if not list[i] then break end
    check(run, w, m, n, "owner", e, manager:entity(instance))
    compare_fields(run, w, m, n, list[i], scenery.from_manager(m, manager:get(instance)))
    if scenery.COMPONENTS[m].multiple then
      check(run, w, m, n, "id", list[i].id, manager:id(instance))
      check(run, w, m, n, "found by id", instance, manager:lookup(e, list[i].id))
    end
  end
  check(run, w, m, n, "components", #list, i)
  if m == "model" then compare_model(run, n, list[1], manager, e) end
  if m == "actor" then check(run, w, m, n, "owner of its body", e, run.host.bodies[manager:body(e)]) end
end

-- Compares everything about one entity.
function compare.entity(run, n)
  local e = run.state.ids[n]
  run.equal(true, run.host.entities:alive(e), "alive")
  for w, components in pairs(scenery.WORLDS) do
    for _, m in ipairs(components) do compare_list(run, w, m, n) end
    run.equal(run.host.noted[w][e], run.host.notes[w][e], "attached to " .. n)
  end
end

-- Queries whose results are compared with the state.
local QUERIES = { { "transform", "?model" }, { "item", "!flag" }, { "flag" }, { "stats", "!transform", "?item" },
  { "tag", "item" }, { "debug_name", "!actor" }, { "mesh", "transform" }, { "point_mass", "?flag", "!tag" } }

function compare.query(run, number)
  local query = QUERIES[number % #QUERIES + 1]
  local expected, found, worlds = {}, 0, run.state.worlds
  for n in pairs(run.state.alive) do
    local has = true
    for _, name in ipairs(query) do
      local sign, m = name:match "^([!?]?)(.*)$"
      local list = worlds.field[m].of[n]
      if sign == "" and not list or sign == "!" and list then has = false end
    end
    if has then expected[run.state.ids[n]] = #worlds.field[query[1]].of[n] end
  end
  for e in run:world("field"):join(unpack(query)) do
    expected[e] = (expected[e] or 0) - 1
    found = found + 1
  end
  local rows = 0
  for _ in run:world("field"):rows(unpack(query)) do rows = rows + 1 end
  run.equal(found, rows, "rows against join of " .. table.concat(query, ", "))
  for e, left in pairs(expected) do
    run.equal(0, left, "join of " .. table.concat(query, ", ") .. ", missing " .. cuttle.entity_tostring(e))
  end
end

-- Compares the events of hooks since the last call.
function compare.events(run)
  local expected, actual = {}, run.host.events
  for i, entry in ipairs(run.state.events) do
    expected[i] = entry[1] .. " " .. cuttle.entity_tostring(run.state.ids[entry[2]])
  end
  run.state.events, run.host.events = {}, {}
  table.sort(expected)
  table.sort(actual)
  for i = 1, math.max(#expected, #actual) do run.equal(expected[i], actual[i], "hook events") end
end

-- A level without living entities may have dead ones or none.
local function compare_level(run, name, entry)
  local level, living, ids = run.host.levels[name], 0, run.state.ids
  for _, n in ipairs(entry.names) do living = living + (run.state.alive[n] and 1 or 0) end
  local released = false
  for _, n in ipairs(entry.names) do released = released or n == levels.RELEASED end
  if living > 0 then run.equal(#entry.names, level:count(), "entities of level " .. name) end
  for i = 1, level:count() do
    local n = living > 0 and entry.names[i]
    if n and n ~= levels.RELEASED then run.equal(ids[n], level:entity(i), "entity of level " .. name) end
    -- An entity that a patch did not create, below one that was released, has the id of that one.
    if n and n ~= levels.RELEASED or not released then
      run.equal(n and run.state.alive[n] or false, run.host.entities:alive(level:entity(i)),
        "entity " .. i .. " of level " .. name .. " is alive")
    end
  end
end

local function compare_levels(run)
  for name, entry in pairs(run.state.levels) do compare_level(run, name, entry) end
end

local function compare_bodies(run)
  local living, open = 0, 0
  for _ in pairs(run.state.worlds.field.actor.of) do living = living + 1 end
  for _ in pairs(run.host.bodies) do open = open + 1 end
  run.equal(living, open, "open bodies")
end

-- Makes the cheap comparisons.
function compare.quick(run, step)
  local entities = run.host.entities
  assert(entities:validate())
  for _, world in pairs(run.host.worlds) do assert(world:validate()) end
  run.equal(run.state:count(), entities:count(), "entities")
  compare.events(run)
  compare_bodies(run)
  local names = run.state:living()
  if #names > 0 then compare.entity(run, names[step % #names + 1]) end
end

function compare.all(run, step)
  compare.quick(run, step)
  compare_levels(run)
  for n in pairs(run.state.alive) do compare.entity(run, n) end
  compare.query(run, step)
end

return compare
