-- A restart with each of the core's allocations failing, its first, its second, and so on: it succeeds, or the level is
-- unchanged.

local cuttle = require "cuttle"
local core = require "cuttle.core"
local collect = require "spec.support.collect"
local kinds = require "spec.support.kinds"
local new_random = require "spec.support.random"
local rounds = require "spec.support.rounds"
local seed = require "spec.support.seed"

local testing = core.testing

-- Longer than strings that are found by their contents instead of their address.
local LONG = ("a text that no other row has "):rep(3)

local function kid(random, i)
  local components = { transform = { position = { i, 0, 0 } } }
  if random(2) == 1 then components.part = { { id = "a" }, { text = LONG .. i }, { id = i, size = 3 } } end
  if random(2) == 1 then components.health = { text = LONG .. random(6), loot = { i, { 2 } }, friend = "pit" } end
  if random(3) == 1 then components.point_mass = { velocity = { 1, 2, 3 } } end
  if random(3) == 1 then components.mesh = { resource = "crate" } end
  if random(4) == 1 then components.grid = { width = 2, height = 2, cells = { i % 3, 2, 3, 4 }, tiles = "stone" } end
  if random(4) == 1 then components.transform = nil end
  return { name = random(3) > 1 and LONG .. i or nil, components = components }
end

-- The source of a level with every kind of component, and with attachments to nodes.
local function source(random)
  local children = {}
  for i = 1, random(12) do children[i] = kid(random, i) end
  for i = 1, random(3) - 1 do
    children[#children + 1] = {
      name = "rigged",
      components = { transform = {}, model = { resource = i == 1 and "rig" or "arm" } },
      children = { { name = "attached", components = { transform = { parent_node = "tip" } } } },
    }
  end
  local pit = { transform = {}, health = { text = LONG }, actor = {} }
  return { entities = {
    { name = "pit", id = "pit", components = pit, children = children },
    { name = "map", components = { transform = {}, grid = { width = 3, height = 2, cells = { 1, 2, 3, 4, 5, 6 } } } },
    { name = "bare", components = {} },
  } }
end

-- Random overrides for components that the entities have, and for others.
local function overrides(random)
  local all = {
    pit = { health = { text = LONG .. "over", loot = { 5 } }, mesh = { resource = "crate" },
      transform = { angle = 1 } },
    map = { grid = random(2) == 1 and { width = 2, height = 2 } or { cells = { 6, 5, 4, 3, 2, 1 } },
      debug_name = { name = LONG .. "called" }, part = { { id = LONG, text = LONG .. "part" }, { size = 2 } } },
    bare = { model = { resource = "arm" }, transform = { position = { 1, 1, 1 } },
      grid = { width = 2, height = 2, cells = { 9, 9, 9, 9 } } },
  }
  local some = {}
  for path, values in pairs(all) do
    if random(2) == 1 then some[path] = values end
  end
  return some
end

-- Destroys some entities and components of a level, sometimes all components of one type.
local function damage(s, random)
  local gone = ({ "health", "part", "model", "grid", "debug_name", "transform" })[random(12)]
  for i = 1, s.level:count() do
    local e = s.level:entity(i)
    if random(6) == 1 then s.entities:destroy(e) end
    local name = gone or ({ "health", "part", "mesh", "grid" })[random(8)]
    local manager = name and s.world[name]
    while manager and s.entities:alive(e) and manager:has(e) do manager:destroy(manager:lookup(e)) end
  end
  if random(2) == 1 then s.world:gc "all" end
  if random(2) == 1 then s.world:trim() end
end

-- A level after some use. The same number gives the same level.
local function scene(number)
  local random = new_random(number)
  local s = { entities = cuttle.entity_manager { minimum_free_indices = random(2) == 1 and 0 or 20 } }
  local world = cuttle.world(s.entities)
  s.world = world
  world:define("health", { { "hp", "float" }, { "text", "string", LONG }, { "friend", "entity" }, { "loot", "value" },
    { "state", "enum", { "idle", "run" } } })
  world:define("part", { { "size", "int16" }, { "text", "string", LONG .. "part" } }, { multiple = true })
  world.mesh:define_resource("crate", {})
  local root, tip = { name = "root" }, { name = "tip", parent = 1 }
  world.model:define_resource("rig", { nodes = { root, tip } })
  world.model:define_resource("arm", { nodes = { root, tip, { name = "end", parent = 2 } } })
  world.grid:define_resource("stone", { solid = { 1 } })
  local blob = assert(cuttle.compiler(world):compile(source(random)))
  local resource = assert(cuttle.resource(blob))
  local more = {} -- other entities, before and after the level
  local function crowd()
    for _ = 1, random(30) do
      more[#more + 1] = world:create { transform = {}, health = { text = LONG .. random(9) },
        debug_name = { name = "x" .. random(9) } }
    end
  end
  crowd()
  if random(2) == 1 then world.health:on_add(function() end) end
  if random(2) == 1 then world.part:on_add(function() end) end
  if random(3) == 1 then
    s.level = assert(world:spawn_many(resource, { positions = { 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3 } }))
  else
    local options = {}
    if random(2) == 1 then options.position = { 1, 2, 3 } end
    if random(3) == 1 then options.parent = more[1] end
    if random(2) == 1 then options.overrides = overrides(random) end
    s.level = assert(world:spawn(resource, options))
  end
  crowd()
  if random(2) == 1 then world.transform:set_mode "deferred" end
  for i = 2, #more do
    if random(2) == 1 then s.entities:destroy(more[i]) end
  end
  damage(s, random)
  if random(2) == 1 then assert(s.level:restart()) end
  if random(2) == 1 then damage(s, random) end
  return s
end

-- A level whose ids are reused on a map page that was freed meanwhile; other entities are on further pages.
local function paged_scene()
  local s = { entities = cuttle.entity_manager { minimum_free_indices = 0 } }
  s.world = cuttle.world(s.entities)
  s.world:define("health", { { "hp", "float" } })
  local blob = assert(cuttle.compiler(s.world):compile { entities = { { components = { health = {} } }, {} } })
  s.level = assert(s.world:spawn(assert(cuttle.resource(blob))))
  local others = s.world:create({ health = {} }, 2100)
  s.world.health:destroy(s.level:entity(1))
  for i = 1, 1100 do s.world.health:destroy(others[i]) end
  s.world:gc "all"
  s.world:trim()
  return s
end

describe("a restart, when memory runs out, seed " .. seed .. ",", function()
  if not testing then
    it("leaves the level unchanged", function() pending "only test builds make allocations fail" end)
    return
  end

  after_each(function()
    testing.fail_in(-1)
    collectgarbage "restart"
  end)

  -- Returns whether allocation n or, with 'on', a later one failed, and whether the restart failed.
  local function attempt(s, n, on)
    local before, count, alive = s.entities:hash(), s.level:count(), s.entities:count()
    collectgarbage "stop"
    testing.fail_in(n, on)
    local level, message = s.level:restart()
    local failed = testing.fail_in(-1) > 0
    collectgarbage "restart"
    assert.is_true(s.world:validate())
    assert.is_true(s.entities:validate())
    if level then return failed, false end
    assert.equal("not enough memory", message)
    assert.same({ before, count, alive }, { s.entities:hash(), s.level:count(), s.entities:count() })
    return failed, true
  end

  -- Returns the number of failed restarts, with each allocation failing in turn.
  local function sweep(new, number, on)
    local refused, n = 0, 0
    while true do
      local ran, failed, none = pcall(attempt, new(number), n, on)
      if not ran then
        error(("scene %d, allocation %d%s: %s"):format(number, n, on and " and on" or "", tostring(failed)), 0)
      end
      if not failed then return refused end
      if none then refused = refused + 1 end
      n = n + 1
    end
  end

  it("succeeds or leaves the level unchanged", function()
    local random, refused = new_random(seed), 0
    for _ = 1, rounds(6, 2) do refused = refused + sweep(scene, random(2 ^ 30), random(2) == 1) end
    assert.is_true(refused > 0)
  end)

  it("reuses the map pages of reused ids", function()
    assert.is_true(sweep(paged_scene, 0, false) > 0)
    assert.is_true(sweep(paged_scene, 0, true) > 0)
  end)

  it("holds no more memory than a restart without failures", function()
    kinds[1].with(function()
      collect()
      local held = testing.held_bytes()
      for n = 0, 8 do attempt(scene(7), n, true) end
      collect()
      assert.equal(held, testing.held_bytes())
    end)
  end)
end)
