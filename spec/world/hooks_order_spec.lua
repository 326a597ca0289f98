-- Calls of hooks and their order, compared with a model in plain Lua that counts the components of each entity, for
-- every way in which components are added and removed.

local cuttle = require "cuttle"
local new_random = require "spec.support.random"
local seed = require "spec.support.seed"
local rounds = require "spec.support.rounds"
local valid = require "spec.support.valid"

-- In spawn order. An entity may have several beta components.
local NAMES = { "transform", "debug_name", "alpha", "beta", "gamma", "delta" }
local LEVEL = { entities = {
  { name = "a", components = { transform = {}, alpha = {}, beta = { {}, {} } },
    children = { { components = { transform = {}, gamma = {} } } } },
  { components = { beta = {} } },
} }
-- Components of each entity of LEVEL: name -> count.
local SPAWNED = { { transform = 1, debug_name = 1, alpha = 1, beta = 2 }, { transform = 1, gamma = 1 }, { beta = 1 } }

-- The scene ----------------------------------------------------------------------------------------------------------

-- `has`: entity -> name -> count; `events`: calls of hooks, as text; `fuse`: calls until a hook raises, or nil.
local function scene(random)
  local s = { random = random, has = {}, events = {}, list = {}, levels = {} }
  s.entities = cuttle.entity_manager { minimum_free_indices = random(3) - 1 }
  s.world = cuttle.world(s.entities)
  for _, name in ipairs { "alpha", "beta", "gamma", "delta" } do
    local lookup = random(2) == 1 and "hash" or "array"
    s.world:define(name, { { "n", "float" } }, { multiple = name == "beta", lookup = lookup })
  end
  s.compiled = cuttle.resource((assert(cuttle.compiler(s.world):compile(LEVEL))))
  local function burn()
    if s.fuse then
      s.fuse = s.fuse - 1
      if s.fuse == 0 then error("fuse", 0) end
    end
  end
  for _, name in ipairs(NAMES) do
    local m = s.world:manager(name)
    m:on_add(function(e, instance)
      assert(s.world:manager(name):entity(instance) == e)
      s.events[#s.events + 1] = "+" .. name .. " " .. cuttle.entity_id(e)
    end)
    m:on_add(burn)
    m:on_remove(function(e, instance)
      assert(s.world:manager(name):entity(instance) == e)
      s.events[#s.events + 1] = "-" .. name .. " " .. cuttle.entity_id(e)
    end)
    m:on_remove(burn)
  end
  s.entities:on_destroy(function(e) s.events[#s.events + 1] = "dead " .. cuttle.entity_id(e) end)
  return s
end

local function append(expected, sign, name, e, times)
  for _ = 1, times or 1 do expected[#expected + 1] = sign .. name .. " " .. cuttle.entity_id(e) end
end

-- Expects the calls for entities created in one call: by manager in spawn order, then by row.
local function expect_created(s, expected, list, counts_of)
  for _, name in ipairs(NAMES) do
    for place, e in ipairs(list) do append(expected, "+", name, e, counts_of(place)[name] or 0) end
  end
  for place, e in ipairs(list) do
    s.has[e], s.list[#s.list + 1] = {}, e
    for name, count in pairs(counts_of(place)) do s.has[e][name] = count end
  end
end

-- Expects the calls for entities that die one after another: the callbacks of each, then its components.
local function expect_destroyed(s, expected, list)
  for _, e in ipairs(list) do
    if s.has[e] then
      expected[#expected + 1] = "dead " .. cuttle.entity_id(e)
      for _, name in ipairs(NAMES) do append(expected, "-", name, e, s.has[e][name] or 0) end
      s.has[e] = nil
    end
  end
end

local function some_counts(s)
  local counts, components = {}, {}
  for _, name in ipairs(NAMES) do
    if s.random(2) == 1 then counts[name], components[name] = 1, name == "debug_name" and { name = "x" } or {} end
  end
  return counts, components
end

local function any_entity(s)
  for _ = 1, 5 do
    local e = s.list[s.random(math.max(#s.list, 1))]
    if s.has[e] then return e end
  end
end

-- Operations ---------------------------------------------------------------------------------------------------------
--
-- Each performs something and returns the expected calls in order, and true if the order is not specified.

local ways = {}

function ways.create(s)
  local counts, components = some_counts(s)
  local expected, e = {}, s.world:create(components)
  expect_created(s, expected, { e }, function() return counts end)
  return expected
end

function ways.create_several(s)
  local counts, components = some_counts(s)
  local expected, count = {}, s.random(6) - 1
  local out = s.random(2) == 1 and cuttle.list() or {}
  local made = s.world:create(components, count, out)
  if type(made) ~= "table" then made = made:totable() end
  expect_created(s, expected, made, function() return counts end)
  return expected
end

function ways.template(s)
  local counts, components = some_counts(s)
  local expected = {}
  local made = s.world:template(components):create(s.random(5))
  expect_created(s, expected, made, function() return counts end)
  return expected
end

function ways.create_one_component(s)
  local e, name = any_entity(s), NAMES[s.random(#NAMES)]
  if not e or s.has[e][name] and name ~= "beta" then return {} end
  s.world:manager(name):create(e, name == "debug_name" and { name = "y" } or nil)
  s.has[e][name] = (s.has[e][name] or 0) + 1
  return { "+" .. name .. " " .. cuttle.entity_id(e) }
end

function ways.create_many(s)
  local expected, name = {}, NAMES[s.random(#NAMES)]
  local list = s.entities:create(s.random(5))
  s.world:manager(name):create_many(list, name == "debug_name" and { name = "z" } or nil)
  expect_created(s, expected, list, function() return { [name] = 1 } end)
  return expected
end

function ways.set_debug_name(s)
  local e = any_entity(s)
  if not e then return {} end
  local expected = s.has[e].debug_name and {} or { "+debug_name " .. cuttle.entity_id(e) }
  s.world.debug_name:set_debug_name(e, "w" .. s.random(9))
  s.has[e].debug_name = 1
  return expected
end

function ways.spawn(s)
  local expected, level = {}, assert(s.world:spawn(s.compiled))
  s.levels[#s.levels + 1] = level
  expect_created(s, expected, level:entities(), function(place) return SPAWNED[place] end)
  return expected
end

function ways.spawn_many(s)
  local expected, level = {}, assert(s.world:spawn_many(s.compiled, s.random(4) - 1))
  s.levels[#s.levels + 1] = level
  expect_created(s, expected, level:entities(), function(place) return SPAWNED[(place - 1) % #SPAWNED + 1] end)
  return expected
end

function ways.unload(s)
  local level = table.remove(s.levels, s.random(math.max(#s.levels, 1)))
  if not level then return {} end
  local expected = {}
  expect_destroyed(s, expected, level:entities())
  level:unload()
  return expected
end

function ways.restart(s)
  local level = s.levels[s.random(math.max(#s.levels, 1))]
  if not level then return {} end
  local expected = {}
  local old = level:entities()
  assert(level:restart())
  expect_created(s, expected, level:entities(), function(place) return SPAWNED[(place - 1) % #SPAWNED + 1] end)
  expect_destroyed(s, expected, old)
  return expected
end

function ways.destroy(s)
  local e, expected = any_entity(s), {}
  if not e then return expected end
  expect_destroyed(s, expected, { e })
  assert.is_true(s.entities:destroy(e))
  assert.is_false(s.entities:destroy(e))
  return expected
end

function ways.destroy_list(s)
  local list, expected = {}, {}
  for place = 1, s.random(4) do list[place] = s.list[s.random(#s.list)] end
  expect_destroyed(s, expected, list)
  s.entities:destroy(s.random(2) == 1 and list or cuttle.list(list))
  return expected
end

function ways.destroy_components(s)
  local e, name = any_entity(s), NAMES[s.random(#NAMES)]
  if not e then return {} end
  local expected = {}
  append(expected, "-", name, e, s.has[e][name] or 0)
  assert.equal(s.has[e][name] or 0, s.world:manager(name):destroy(e))
  s.has[e][name] = nil
  return expected
end

function ways.destroy_instance(s)
  local e, name = any_entity(s), NAMES[s.random(#NAMES)]
  local instance = e and s.world:manager(name):lookup(e)
  if not instance then return {} end
  assert.equal(1, s.world:manager(name):destroy(instance))
  s.has[e][name] = s.has[e][name] > 1 and s.has[e][name] - 1 or nil
  return { "-" .. name .. " " .. cuttle.entity_id(e) }
end

-- Hooks ran when the entities died, so gc runs none.
function ways.gc(s)
  s.world:gc(({ "all", s.random(5) })[s.random(3)])
  s.world:manager(NAMES[s.random(#NAMES)]):gc(({ "all", s.random(5) })[s.random(3)])
  return {}
end

function ways.clear(s)
  if s.random(5) > 1 then return {} end
  local expected = {}
  for e, counts in pairs(s.has) do
    for name, count in pairs(counts) do append(expected, "-", name, e, count) end
    s.has[e] = {}
  end
  s.world:clear()
  return expected, true
end

-- Hooks survive a replacing define: they are called for the components of the new manager.
function ways.define(s)
  for _, counts in pairs(s.has) do
    if counts.delta then return {} end
  end
  s.world:gc "all"
  s.world:define("delta", { { "m" .. s.random(9), "float" } })
  return {}
end

-- A hook that raises in on_add undoes the call: on_remove runs for every component added so far, then entities die.
local function fails(s)
  local counts, components = some_counts(s)
  local total, count = 0, s.random(3)
  for _ in pairs(counts) do total = total + count end
  if total == 0 then return end
  s.events, s.fuse = {}, s.random(total)
  local began = s.fuse
  local ok, message = pcall(s.world.create, s.world, components, count)
  s.fuse = nil
  assert.is_false(ok)
  assert.equal("fuse", message)
  local added, removed, dead = {}, {}, 0
  for _, event in ipairs(s.events) do
    if event:sub(1, 1) == "+" then
      assert.equal(0, #removed)
      added[#added + 1] = event:sub(2)
    elseif event:sub(1, 1) == "-" then
      assert.equal(0, dead)
      removed[#removed + 1] = event:sub(2)
    else
      dead = dead + 1
    end
  end
  assert.equal(began, #added)
  assert.equal(count, dead)
  table.sort(added)
  table.sort(removed)
  assert.same(added, removed)
end

-- An on_remove hook that raises does not stop the other hooks.
local function fails_at_death(s)
  local e, expected = any_entity(s), {}
  if not e then return end
  local total = 0
  for _, count in pairs(s.has[e]) do total = total + count end
  expect_destroyed(s, expected, { e })
  s.events, s.fuse = {}, s.random(total + 1)
  local ok, message = pcall(s.entities.destroy, s.entities, e)
  assert.equal(s.fuse > 0, ok)
  assert.is_true(ok or message == "fuse")
  s.fuse = nil
  assert.same(expected, s.events)
end

-- Checks -------------------------------------------------------------------------------------------------------------

local function check(s)
  for _, name in ipairs(NAMES) do
    local m, seen = s.world:manager(name), {}
    for e in m:each() do seen[e] = (seen[e] or 0) + 1 end
    for e, counts in pairs(s.has) do
      assert.equal(counts[name], seen[e])
      seen[e] = nil
    end
    assert.is_nil(next(seen))
  end
  valid(s.world)
end

local function sorted(list)
  table.sort(list)
  return list
end

describe("calls of hooks, seed " .. seed .. ",", function()
  it("happen once for each component that is added or removed, in order", function()
    local names = {}
    for name in pairs(ways) do names[#names + 1] = name end
    table.sort(names)
    for round = 1, rounds(5, 2) do
      local random = new_random((seed + round * 7919) % 2 ^ 31)
      local s = scene(random)
      ways.create(s)
      for _ = 1, 80 do
        local name = names[random(#names)]
        s.events = {}
        local expected, any_order = ways[name](s)
        if any_order then sorted(expected) sorted(s.events) end
        assert.same(expected, s.events, name)
        if random(8) == 1 then fails(s) end
        if random(8) == 1 then fails_at_death(s) end
        check(s)
      end
      s.events = {}
      local expected = {}
      for e, counts in pairs(s.has) do
        for name, count in pairs(counts) do append(expected, "-", name, e, count) end
      end
      local deaths = {}
      s.world:destroy()
      for _, event in ipairs(s.events) do
        if event:sub(1, 1) == "-" then deaths[#deaths + 1] = event end
      end
      assert.same(sorted(expected), sorted(deaths))
    end
  end)
end)
