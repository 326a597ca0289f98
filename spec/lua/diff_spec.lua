-- cuttle.diff: text about the first difference between two EntityManagers.

local cuttle = require "cuttle"
local new_random = require "spec.support.random"
local raises = require "spec.support.raises"
local rounds = require "spec.support.rounds"
local seed = require "spec.support.seed"

local NODES = { nodes = { { name = "root" }, { name = "tip", parent = 1 } } }

-- Two entities with a component of every kind; the second has no name.
local function new_side(name)
  local side = { entities = cuttle.entity_manager { minimum_free_indices = 4 } }
  local world = cuttle.world(side.entities, { name = name or "arena" })
  world.model:define_resource("rig", NODES)
  world:define("health", { { "hp", "int32", 10 }, { "foe", "entity" }, { "loot", "value" }, { "speed", "vec2" } })
  world:define("item", { { "kind", "string" } }, { multiple = true })
  side.world = world
  side.boss = world:create { debug_name = { name = "boss" }, transform = {}, model = { resource = "rig" }, health = {},
    grid = { width = 6, height = 5 }, item = { { id = "a" }, { kind = "key" } } }
  side.imp = world:create { transform = {}, health = {} }
  return side
end

local function check(expected, change)
  local first, second = new_side(), new_side()
  assert.is_nil(cuttle.diff(first.entities, second.entities))
  change(second, second.world, first, first.world)
  assert.are.equal(expected, cuttle.diff(first.entities, second.entities))
  assert.is_nil(cuttle.diff(second.entities, second.entities))
end

local BOSS = 'entity(0:0) "boss" in world "arena": '
local IMP = 'entity(1:0) in world "arena": '

describe("cuttle.diff", function()
  it("is nil for states that are equal in the sense of the hash", function()
    check(nil, function(side, world)
      world.health:set_loot(side.boss, { 1, 2 }) -- values are not compared
      world.health:set_hp(side.imp, 3)
      world.health:set_hp(side.imp, 10)
    end)
  end)

  it("names entity, world, component and field, with both values", function()
    check(IMP .. "health.hp is 10 in the first and 12 in the second; 1 field of 1 entity differ",
      function(side, world) world.health:set_hp(side.imp, 12) end)
    check(IMP .. "health.foe is nil in the first and entity(0:0) in the second; 1 field of 1 entity differ",
      function(side, world) world.health:set_foe(side.imp, side.boss) end)
    check(BOSS .. "health.speed is {0, 0} in the first and {0, 0.5} in the second; 1 field of 1 entity differ",
      function(side, world) world.health:set_speed(side.boss, 0, 0.5) end)
  end)

  it("counts the fields and entities that differ", function()
    check(BOSS .. "health.hp is 10 in the first and 1 in the second; 3 fields of 2 entities differ",
      function(side, world)
        world.health:set_hp(side.imp, 1)
        world.health:set_hp(side.boss, 1)
        world.transform:set_local_position(side.imp, 1, 2, 3)
      end)
  end)

  it("finds a negative zero", function()
    check(IMP .. "health.speed is {0, 0} in the first and {-0, 0} in the second; 1 field of 1 entity differ",
      function(side, world)
        local zero = tonumber "0.0" -- Lua 5.1 keeps one constant for 0 and -0
        world.health:set_speed(side.imp, -zero, zero)
      end)
  end)

  it("finds components that one side lacks", function()
    check(IMP .. "health is present in the first and missing in the second; 1 field of 1 entity differ",
      function(side, world) world.health:destroy(side.imp) end)
    check(IMP .. "mesh is missing in the first and present in the second; 1 field of 1 entity differ",
      function(side, world, other, other_world)
        for _, one in ipairs { world, other_world } do one.mesh:define_resource("crate", {}) end
        world.mesh:create(side.imp, { resource = "crate" })
        assert.is_truthy(other)
      end)
  end)

  it("finds cells of a grid", function()
    check(BOSS .. "grid.cells[9] is 0 in the first and 7 in the second; 1 field of 1 entity differ",
      function(side, world) world.grid:set_cell(side.boss, 2, 1, 7) end)
  end)

  it("finds poses of nodes", function()
    local pose = "{0, 0, 0, 0, 0, 0, 1, 1, 1, 1}"
    check(BOSS .. "model.node_poses is {" .. pose .. ", " .. pose .. "} in the first and {" .. pose
      .. ", {5, 0, 0, 0, 0, 0, 1, 1, 1, 1}} in the second; 1 field of 1 entity differ",
      function(side, world) world.model:set_node_pose(side.boss, 2, 5, 0, 0, 0, 0, 0, 1, 1, 1, 1) end)
  end)

  it("finds links and their order", function()
    check(BOSS .. "transform.children is {} in the first and {entity(1:0)} in the second; 2 fields of 2 entities "
      .. "differ",
      function(side, world) world.transform:link(side.imp, side.boss) end)
    check(BOSS .. "transform.children is {entity(1:0), entity(2:0)} in the first and {entity(2:0), entity(1:0)} in "
      .. "the second; 1 field of 1 entity differ", function(side, world, other, other_world)
      local function link(one, one_world, new_first)
        local e = one_world:create { transform = {} }
        for _, child in ipairs(new_first and { e, one.imp } or { one.imp, e }) do
          one_world.transform:link(child, one.boss)
        end
      end
      link(side, world, true)
      link(other, other_world, false)
    end)
  end)

  it("compares the components of a multiple manager in order of creation", function()
    check(BOSS .. 'item[2].kind is "key" in the first and "lock" in the second; 1 field of 1 entity differ',
      function(side, world)
        local item = world.item
        item:set_kind(item:next(item:lookup(side.boss)), "lock")
      end)
    check(BOSS .. 'item[3] is missing in the first and present in the second; 1 field of 1 entity differ',
      function(side, world) world.item:create(side.boss, { id = "z" }) end)
  end)

  it("finds entities that are alive on one side", function()
    check("entity(1:0) is alive in the first EntityManager only; 0 fields of 1 entity differ",
      function(side) side.entities:destroy(side.imp) end)
    check("entity(2:0) is alive in the second EntityManager only; 0 fields of 1 entity differ",
      function(side) side.entities:create() end)
  end)

  it("says so if only ids of the future differ", function()
    check("all entities and fields are equal; free entity ids, counters of component ids or random states differ",
      function(side)
        side.entities:destroy(side.entities:create(2))
      end)
  end)

  it("finds worlds and components that one side lacks", function()
    local first, second = new_side "arena", new_side "lobby"
    assert.are.equal('world "arena" exists only in the first EntityManager',
      cuttle.diff(first.entities, second.entities))
    check("component 'unused' of world \"arena\" exists only in the second EntityManager",
      function(_, world) world:define("unused", { { "n", "float" } }) end)
    check(IMP .. "extra is missing in the first and present in the second; 1 field of 1 entity differ",
      function(side, world) world:define("extra", { { "n", "float" } }):create(side.imp) end)
  end)

  it("refuses other arguments", function()
    local entities = cuttle.entity_manager()
    raises("bad argument #1 to 'diff' (EntityManager expected, got nil)", function() cuttle.diff() end)
    raises("bad argument #2 to 'diff' (EntityManager expected, got number)", function() cuttle.diff(entities, 5) end)
  end)
end)

describe("cuttle.diff after random changes, seed " .. seed, function()
  it("finds a difference exactly if the hashes differ", function()
    local random = new_random(seed)
    for _ = 1, rounds(40, 10) do
      local first, second = new_side(), new_side()
      local function change(side, what, value)
        local world, e = side.world, what % 2 == 0 and side.boss or side.imp
        if what < 4 then world.health:set_hp(e, value) end
        if what >= 4 and what < 7 then world.transform:set_local_position(e, value, 0, 0) end
        if what == 7 then world.grid:set_cell(side.boss, value % 6, value % 5, value) end
        if what == 8 then world.item:create(side.boss, { kind = "k" .. value }) end
      end
      for _ = 1, 6 do
        local what, value = random(8), random(3)
        change(first, what, value)
        if random(6) > 1 then change(second, what, value) end
        local text = cuttle.diff(first.entities, second.entities)
        assert.are.equal(first.entities:hash() == second.entities:hash(), text == nil)
        if text then assert.is_nil(text:match "^all entities", text) end
      end
    end
  end)
end)
