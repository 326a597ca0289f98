-- Every operation with its first allocation of the core failing, its second, and so on: it raises, nothing has changed,
-- nothing leaks, and then it succeeds. Only test builds can make allocations fail.

-- tags: ffi

local core = require "cuttle.core"
local cuttle = require "cuttle"

local fail_in = core.testing and core.testing.fail_in

local function setup()
  local entities = cuttle.entity_manager { minimum_free_indices = 0 }
  local world = cuttle.world(entities)
  world:define("health", { { "hp", "float" }, { "text", "string" } }, { lookup = "array" })
  world:define("part", { { "size", "uint8" }, { "text", "string" } }, { multiple = true })
  local list = entities:create(5)
  world.health:create(list[1], { hp = 1, text = "one" })
  world.part:create(list[1], { size = 1, id = "lid" })
  world.debug_name:set_debug_name(list[1], "first")
  world.transform:create(list[1])
  world.model:define_resource("rig", { nodes = { { name = "root" }, { name = "tip", parent = "root" } } })
  world.model:define_resource("pole", { nodes = { {} } })
  world.model:create(list[1], { resource = "rig" })
  return { entities = entities, world = world, list = list, health = world.health, part = world.part,
    names = world.debug_name, transform = world.transform, model = world.model }
end

-- All that scripts can read of living entities.
local function readable_state(s)
  local out = { count = s.entities:count(), hash = s.entities:hash() }
  for name, manager in s.world:managers() do
    out[name] = { count = manager:count() }
    for e in s.entities:each() do
      if manager:has(e) then out[name][e] = s.world:inspect(e)[name] end
    end
  end
  return out
end

local function valid(s)
  assert.is_true(assert(s.entities:validate()))
  if pcall(s.world.gc, s.world) then assert.is_true(assert(s.world:validate())) end
end

-- Returns the number of failures before the operation succeeded. If `on` is set, all allocations after the first
-- failure fail, too: a method that LuaJIT compiles leaves a failed call to the method in C, which tries again.
local function sweep(operation, prepare, on)
  local failures = 0
  for n = 0, 500 do
    local s = setup()
    if prepare then prepare(s) end
    local before = readable_state(s)
    fail_in(n, on)
    local ok, message = pcall(operation, s)
    fail_in(-1)
    if ok then
      valid(s)
      return failures
    end
    assert.matches("not enough memory", message)
    assert.same(before, readable_state(s))
    valid(s)
    failures = failures + 1
    -- The failed operation works when memory is available.
    operation(s)
    valid(s)
  end
  error "the operation failed with every number of allocations"
end

local LONG = ("a name that is in no pool yet "):rep(20)

local function grid_resource(s, ...)
  return cuttle.resource(assert(cuttle.compiler(s.world):compile { entities = { { id = "map", components = {
    grid = { width = 2, height = 2, cells = { ... }, tiles = LONG } } } } }))
end

-- Two entities below a root. A patch moves the first one away before it changes the grid of the second.
local function moving_resource(s, parent, ...)
  local transform = { transform = {} }
  return cuttle.resource(assert(cuttle.compiler(s.world):compile { entities = {
    { id = "root", components = transform }, { id = "mover", parent = parent, components = transform },
    { id = "stays", parent = "root", components = { transform = {},
      grid = { width = 2, height = 2, cells = { ... } } } } } }))
end

local OPERATIONS = {
  { "a patch that moves an entity", function(s) assert(s.level:patch(s.resource)) end, function(s)
    s.level = assert(s.world:spawn(moving_resource(s, "root", 1, 2, 3, 4)))
    s.world.grid:set_cell(s.level:entity(3), 0, 0, 7)
    s.resource = moving_resource(s, nil, 5, 2, 3, 70000)
  end },
  { "grid:create", function(s)
    s.world.grid:create_many(s.more, { width = 2, height = 1, cells = { 1, 2 }, tiles = LONG })
  end, function(s) s.more = s.entities:create(9) end },
  { "grid:define_resource", function(s) s.world.grid:define_resource(LONG, { { solid = true }, { solid = true } })
  end },
  { "grid:set_cell of shared cells", function(s) s.world.grid:set_cell(s.maps[1], 0, 0, 7) end,
    function(s) s.maps = s.world:create({ grid = { width = 3, height = 2 } }, 2) end },
  { "a spawn with a grid", function(s) assert(s.world:spawn(s.resource)) end,
    function(s) s.resource = grid_resource(s, 1, 2, 3, 4) end },
  { "a spawn of components with numbers as ids", function(s) assert(s.world:spawn(s.resource)) end, function(s)
    local part = { part = { { text = LONG .. "1" }, { text = LONG .. "2" } } }
    s.world:define("tail", { { "text", "string" } })
    s.resource = cuttle.resource(assert(cuttle.compiler(s.world):compile { entities = { { components = part },
      { components = { tail = { text = LONG .. "3" } } } } }))
  end },
  { "a patch of cells", function(s) assert(s.level:patch(s.resource)) end, function(s)
    s.level = assert(s.world:spawn(grid_resource(s, 1, 2, 3, 4)))
    s.world.grid:set_cell(s.level:entity(1), 0, 0, 7)
    s.resource = grid_resource(s, 5, 2, 70000, 4)
  end },
  { "grid:set", function(s) s.world.grid:set(s.map, { width = 5, height = 2, tiles = LONG }) end,
    function(s) s.map = s.world:create { grid = { width = 3, height = 2 } } end },
  { "cuttle.world", function(s) return cuttle.world(s.entities) end },
  { "a hash map that becomes an array", function(s) s.world.point_mass:create_many(s.more) end,
    function(s)
      s.world.point_mass:create_many(s.entities:create(300))
      s.more = s.entities:create(1500)
    end },
  { "entities:create", function(s) s.entities:create() end, function(s) s.entities:create(3) end, true },
  { "entities:create(n)", function(s) s.entities:create(1000) end },
  { "entities:create_list", function(s) s.entities:create_list(1000) end },
  { "entities:on_destroy", function(s) for _ = 1, 9 do s.entities:on_destroy(function() end) end end },
  { "cuttle.list", function(s) cuttle.list(s.list) end },
  { "list:add", function(s)
    local list = cuttle.list()
    for _ = 1, 100 do list:add(s.list[1]) end
  end },
  { "define", function(s) s.world:define("extra", { { "a", "string", LONG }, { "b", "string", LONG .. "2" } }) end },
  { "define with the same fields", function(s)
    s.world:define("health", { { "hp", "float" }, { "text", "string", LONG } }, { lookup = "array" })
  end },
  { "define that replaces", function(s) s.world:define("old", { { "b", "string", LONG } }) end,
    function(s) s.world:define("old", { { "a", "string", "x" } }) end },
  { "create", function(s) s.health:create(s.list[2], { text = LONG }) end, nil, true },
  { "create in a full block", function(s) s.health:create(s.list[5], { text = LONG }) end,
    function(s) s.health:create_many { s.list[2], s.list[3], s.list[4] } end, true },
  { "create of several", function(s) s.part:create(s.list[1], { text = LONG, id = "new id" }) end },
  { "create_many", function(s) s.health:create_many({ s.list[2], s.list[3] }, { text = { LONG, LONG .. "2" } }) end },
  { "create_many of several", function(s)
    s.part:create_many({ s.list[1], s.list[2], s.list[1] }, { text = { "a", "b", LONG }, id = { "x", "y", "z" } })
  end },
  { "create of a debug_name", function(s) s.names:create(s.list[2], { name = LONG }) end },
  { "create_many of debug_names", function(s)
    s.names:create_many({ s.list[2], s.list[3], s.list[4], s.list[5] }, { name = { "b", "c", "d", LONG } })
  end },
  { "set_debug_name of a named entity", function(s) s.names:set_debug_name(s.list[1], LONG) end },
  { "create of a transform", function(s) s.transform:create(s.list[2], { parent = s.list[1] }) end,
    function(s) s.transform:create_many { s.list[3], s.list[4], s.list[5] } end },
  { "create_many of transforms", function(s)
    s.transform:create_many({ s.list[2], s.list[3], s.list[4], s.list[5] }, { parent = s.list[1] })
  end },
  { "create of a model", function(s) s.model:create(s.list[5], { resource = "rig" }) end,
    function(s) s.model:create_many({ s.list[2], s.list[3], s.list[4] }, { resource = "pole" }) end },
  { "create_many of models", function(s)
    s.model:create_many({ s.list[2], s.list[3], s.list[4] }, { resource = { "rig", "pole", "rig" } })
  end },
  { "another resource of a model", function(s) s.model:set_resource(s.list[2], "rig") end,
    function(s) s.model:create_many({ s.list[2], s.list[3] }, { resource = "pole" }) end },
  { "define_resource of a model", function(s)
    s.model:define_resource(LONG, { nodes = { { name = LONG .. "1" }, { name = LONG .. "2", parent = 1 } } })
  end },
  { "define_resource again", function(s)
    s.model:define_resource("rig", { nodes = { { name = LONG .. "1" }, { name = LONG .. "2", parent = 1 } } })
  end },
  { "define_resource with other nodes",
    function(s) s.model:define_resource("pole", { nodes = { {}, { name = LONG } } }) end,
    function(s)
      s.model:create(s.list[2], { resource = "pole" })
      s.entities:destroy(s.list[2])
    end },
  { "define_resource of a mesh", function(s) s.world.mesh:define_resource(LONG, {}) end },
  { "set of a string", function(s) s.health:set_text(s.list[1], LONG) end },
  { "write of a string", function(s) s.health:write(s.list[1], "text", LONG) end },
  { "set of several", function(s) s.health:set(s.list[1], { hp = 9, text = LONG }) end },
  { "a column's string", function(s) s.health:column("text"):set(0, LONG) end },
  { "world:create", function(s)
    s.world:create { health = { text = LONG }, part = { { id = "a" }, { id = "b", text = LONG .. "3" } },
      debug_name = { name = LONG .. "2" }, transform = { parent = s.list[1] } }
  end },
  { "world:create of many", function(s)
    s.world:create({ health = { text = { "x", "y", LONG } }, part = { id = "a" }, debug_name = { name = "n" },
      transform = {} }, 3)
  end },
  { "world:create into a list", function(s) s.world:create({ health = {} }, 20, cuttle.list()) end },
  { "world:attach", function(s) s.world:attach "notes" end },
}

-- Operations that cannot fail: they work without any memory.
local INFALLIBLE = {
  { "entities:destroy", function(s) assert.equal(5, s.entities:destroy(s.list)) end },
  { "m:destroy", function(s) assert.equal(1, s.health:destroy(s.list[1])) end },
  { "gc", function(s) s.entities:destroy(s.list); assert.equal(5, s.world:gc()) end },
  { "gc all", function(s) s.entities:destroy(s.list); assert.equal(1, s.part:gc "all") end },
  { "trim", function(s) s.entities:destroy(s.list[1]); s.world:gc(); s.world:trim() end },
  { "clear", function(s) s.world:clear() end },
  { "clear with entities", function(s) s.world:clear { entities = true } end },
  { "destroy", function(s) s.world:destroy() end },
  { "alive and lookups", function(s)
    assert.is_true(s.entities:alive(s.list[1]))
    assert.is_not_nil(s.health:lookup(s.list[1]))
    assert.equal("first", s.names:debug_name(s.list[1]))
    assert.equal(s.list[1], s.names:find "first")
    assert.is_nil(s.names:find(LONG))
  end },
  { "models", function(s)
    s.model:set_node_pose(s.list[1], "tip", 1, 2, 3, 0, 0, 0, 1, 1, 1, 1)
    s.model:evaluate()
    assert.equal(1, (select(13, s.model:node_matrix(s.list[1], 2))))
    s.model:destroy(s.list[1])
    s.model:evaluate()
  end },
  { "loops", function(s)
    for _ in s.health:each() do s.entities:count() end
    for _ in s.world:join("health", "part") do s.entities:count() end
  end },
  { "setters of numbers", function(s)
    s.health:set_hp(s.list[1], 5)
    s.health:set(s.list[1], { hp = 6 })
  end },
}

describe("when the core's memory runs out,", function()
  if not fail_in then
    it("operations fail without side effects", function() pending "only test builds make allocations fail" end)
    return
  end

  after_each(function() fail_in(-1) end)

  for _, case in ipairs(OPERATIONS) do
    it(case[1] .. " raises, changes nothing, and then succeeds", function()
      local failures = sweep(case[2], case[3], case[4])
      assert.is_true(failures > 0, "no allocation was seen to fail")
    end)
  end

  for _, case in ipairs(INFALLIBLE) do
    it(case[1] .. " works", function()
      local s = setup()
      fail_in(0)
      local ok, message = pcall(case[2], s)
      fail_in(-1)
      assert.is_true(ok, message)
      valid(s)
    end)
  end

  it("a world is trimmed as far as memory allows, and keeps its contents", function()
    for n = 0, 30 do
      local s = setup()
      s.world.model:create_many(s.entities:create(20), { resource = "pole" })
      local before = readable_state(s)
      fail_in(n)
      s.world:trim()
      fail_in(-1)
      assert.same(before, readable_state(s))
      valid(s)
    end
  end)

  it("cuttle.resource and cuttle.entity_manager raise without harm", function()
    local s = setup()
    for n = 0, 50 do
      fail_in(n)
      pcall(cuttle.resource, ("x"):rep(100))
      pcall(cuttle.entity_manager)
    end
    fail_in(-1)
    valid(s)
  end)
end)

describe("the memory of a world", function()
  it("is the same after components were created and destroyed repeatedly", function()
    local s = setup()
    local function cycle()
      local list = s.entities:create(200)
      s.health:create_many(list, { text = "some text" })
      s.part:create_many(list, { id = "an id" })
      s.names:create_many(list, { name = "a name" })
      s.transform:create_many(list)
      s.model:create_many(list, { resource = "rig" })
      s.entities:destroy(list)
      s.world:gc()
      for name, manager in s.world:managers() do
        manager:gc "all"
        assert.is_true(manager:count() <= 1, name)
      end
    end
    cycle()
    local before = s.world:memory()
    for _ = 1, 20 do cycle() end
    assert.equal(before, s.world:memory())
  end)
end)
