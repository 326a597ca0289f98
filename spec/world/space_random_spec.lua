-- Spaces in random worlds, compared with plain loops over all entities.

local cuttle = require "cuttle"
local model = require "spec.support.space_model"
local new_random = require "spec.support.random"
local rounds = require "spec.support.rounds"
local seed = require "spec.support.seed"
local valid = require "spec.support.valid"

-- Lua that computes with the x87 rounds twice, to 64 bits and then to 53: its distances have other bits than those of a
-- space.
if 1 + (2 ^ -53 + 2 ^ -65) == 1 then return end

local RADIUS_TYPES = { "float", "double", "int8", "uint8", "int16", "uint16", "int32", "uint32" }

-- Random numbers of a run.
local function new_run(number)
  local random = new_random(number)
  local run = { random = random, dimensions = random(2) + 1, extent = 10 ^ (random(13) - 7) }
  function run.share() return (random(1000001) - 1) / 1000000 end
  function run.chance(n) return random(n) == 1 end
  -- In an even run, cells have about one entity each, and a few entities leave the others.
  run.even = run.chance(3)
  -- A coordinate: mostly anywhere, sometimes in a cluster or on a lattice, where distances are equal.
  function run.coordinate()
    local kind = run.even and 4 or random(8)
    if run.even and run.chance(40) then return (run.share() * 2 - 1) * run.extent * 2 end
    if kind == 1 then return run.share() * run.extent * 0.001 end
    if kind <= 3 then return math.floor(run.share() * 8) * run.extent / 8 end
    return (run.share() * 2 - 1) * run.extent
  end
  function run.point()
    return { run.coordinate(), run.coordinate(), run.dimensions == 3 and run.coordinate() or 0 }
  end
  function run.length() return run.share() ^ 4 * run.extent * (run.chance(10) and 100 or 1) end
  return run
end

-- Arguments of a call: the coordinates that the space has, then others; false is nil.
local function arguments(run, ...)
  local all, count = {}, 0
  for i = 1, select("#", ...) do
    local value = select(i, ...)
    if type(value) == "table" then
      for lane = 1, run.dimensions do all[count + lane] = value[lane] end
      count = count + run.dimensions
    else
      count = count + 1
      all[count] = value or nil
    end
  end
  return unpack(all, 1, count)
end

local function radius_value(run, type)
  if type == "float" or type == "double" then return run.length() * (run.even and 0.02 or 0.2) end
  local most = type:find "8" and 127 or type:find "16" and 32767 or 2 ^ 30
  return math.floor(math.min(run.extent * 0.1, most) * run.share())
end

local function add(run, count)
  local made = run.world.entities:create(count)
  for _, e in ipairs(made) do
    local p = run.point()
    if run.chance(30) then p[run.random(2)] = ({ 0 / 0, 1 / 0, -1 / 0 })[run.random(3)] end
    run.world.transform:create(e, { position = p })
    if not run.chance(10) then
      run.body:create(e, { r = radius_value(run, run.type), layer = run.random(8) - 1 })
    end
    if run.chance(20) then run.world:manager("ghost"):create(e) end
    run.list[#run.list + 1] = e
  end
end

-- The entries of a query as they are now.
local function entries_of(run, space)
  local entries, transform = {}, run.world.transform
  for _, e in ipairs(space.query:entities()) do
    local x, y, z = transform:world_position(e)
    local r = space.radius
    if r == "body.r" then r = run.body:has(e) and math.max(0, run.body:r(e)) or 0 end
    local mask = space.mask and run.body:has(e) and run.body:layer(e) or 0
    entries[#entries + 1] = { e = e, x = x, y = y, z = run.dimensions == 3 and z or 0, r = r or 0, mask = mask }
  end
  return entries
end

local function new_space(run, query, radius, mask)
  local space = { query = query, radius = radius, mask = mask, entries = {} }
  local cells = run.even and run.random(8) / 20 or 10 ^ (run.random(7) - 4)
  space.space = query:space { cell = run.extent * cells, radius = radius, mask = mask,
    dimensions = run.dimensions }
  return space
end

local function open(number)
  local run = new_run(number)
  run.world, run.list = cuttle.world(cuttle.entity_manager { minimum_free_indices = 0 }), {}
  run.type = RADIUS_TYPES[run.random(#RADIUS_TYPES)]
  run.body = run.world:define("body", { { "r", run.type }, { "layer", "uint8" } })
  run.world:define("ghost", {})
  if run.chance(3) then run.world.transform:set_mode "deferred" end
  add(run, run.even and 100 + run.random(60) or run.random(60))
  local radius = ({ "body.r", run.length() * 0.1, 0 })[run.random(3)]
  run.spaces = {
    new_space(run, run.world:query("transform", "?body", "!ghost"), radius, "body.layer"),
    new_space(run, run.world:query("body", "transform"), "body.r", nil),
    new_space(run, run.world:query("transform", "body"):where("body.layer < 4"), "body.r", nil),
  }
  function run.alive(e) return run.world.entities:alive(e) end
  return run
end

local function any(run) return run.list[run.random(#run.list)] end

-- Changes the world, mostly a little.
local function change(run)
  local transform, kind = run.world.transform, run.random(8)
  local count = run.chance(4) and run.random(#run.list) or run.random(3)
  if kind == 1 then add(run, run.random(5)) end
  if kind == 2 and run.chance(2) then run.world:gc "all" end
  for _ = 1, count do
    local e = any(run)
    if run.alive(e) then
      if kind == 2 and run.chance(2) then run.world.entities:destroy(e) end
      if kind == 3 and run.chance(2) then transform:destroy(e) end
      if kind == 4 and run.body:has(e) then run.body:set_r(e, radius_value(run, run.type)) end
      if kind == 5 and run.body:has(e) then run.body:set_layer(e, run.random(8) - 1) end
      if kind >= 6 and transform:has(e) then
        local p = run.chance(2) and run.point() or { transform:local_position(e) }
        if not run.chance(20) then p[1] = p[1] + run.extent * 0.001 end
        transform:set_local_position(e, p[1], p[2], p[3])
      end
    end
  end
end

local function check_near(run, space, except, mask)
  local entries, p, label = space.entries, run.point(), "nearest"
  local max = run.chance(3) and run.length() or nil
  local entities, distances = model.nearest(entries, run.alive, p, 5, max, except, mask)
  local e, distance = space.space:nearest(arguments(run, p, max or false, except or false, mask or false))
  assert.are.equal(entities[1], e, label)
  assert.are.equal(distances[1], distance, label)
  local list, got = space.space:nearest_many(5, arguments(run, p, max or false, except or false, mask or false))
  assert.are.same(entities, list:totable())
  assert.are.same(distances, got)
end

local function check_ray(run, space, except, mask)
  local p, q, radius = run.point(), run.point(), run.chance(2) and run.length() * 0.1 or 0
  local expected, fraction = model.ray(space.entries, run.alive, p, q, radius, except, mask)
  local e, at, x, y = space.space:ray(arguments(run, p, q, radius, except or false, mask or false))
  assert.are.equal(expected and expected.e, e)
  if not expected then return end
  assert.are.equal(fraction, at)
  assert.is_true(math.abs(x - (p[1] + (q[1] - p[1]) * at)) <= run.extent * 1e-9)
  assert.are.equal("number", type(y))
end

local function check(run)
  for place, space in ipairs(run.spaces) do
    local mask, except = space.mask and run.chance(2) and run.random(7) or nil, run.chance(2) and any(run) or nil
    local reach, p, q = run.length(), run.point(), run.point()
    assert.are.same(model.within(space.entries, run.alive, p, reach, mask),
      space.space:within(arguments(run, p, reach, run.out, mask or false)):totable())
    assert.are.same(model.box(space.entries, run.alive, p, q, mask),
      space.space:box(arguments(run, p, q, run.out, mask or false)):totable())
    check_near(run, space, except, mask)
    check_ray(run, space, except, mask)
    reach = run.chance(2) and 0 or reach * 0.2
    local list, count = space.space:pairs(reach, run.out)
    local expected = model.pairs(space.entries, run.alive, reach)
    assert.are.same(expected, list:totable())
    assert.are.equal(#expected / 2, count)
    local other = run.spaces[place % #run.spaces + 1]
    expected = model.pairs(space.entries, run.alive, reach, other.entries)
    assert.are.same(expected, (space.space:pairs(reach, nil, other.space)):totable())
  end
end

local function play(number)
  local run = open(number)
  run.out = cuttle.list()
  for _ = 1, 12 do
    change(run)
    if run.chance(6) then run.world:gc() end
    if run.chance(10) then run.world:trim() end
    if run.chance(2) then run.world.transform:propagate() end
    for _, space in ipairs(run.spaces) do
      space.entries = entries_of(run, space)
      assert.are.equal(#space.entries, space.space:update())
    end
    check(run)
    if run.chance(3) then
      change(run)
      check(run)
    end
  end
  valid(run.world)
end

describe("spaces of random worlds, seed " .. seed, function()
  for round = 1, rounds(40, 4) do
    it("answer like plain loops over all entities, round " .. round, function() play(seed + round * 7919) end)
  end
end)
