-- world:capture: living entities as a compiled resource.

local core = require "cuttle.core"
local cuttle = require "cuttle"
local new_random = require "spec.support.random"
local raises = require "spec.support.raises"
local rounds = require "spec.support.rounds"
local seed = require "spec.support.seed"
local valid = require "spec.support.valid"

local function new_world()
  local entities = cuttle.entity_manager()
  local world = cuttle.world(entities)
  world:define("health", { { "hp", "int32", 100 }, { "target", "entity" }, { "title", "string" }, { "bag", "value" },
    { "mood", "enum", { "calm", "cross" } } })
  world:define("wheel", { { "radius", "float" }, { "goal", "entity" } }, { multiple = true })
  world.model:define_resource("hand", { nodes = { { name = "wrist" }, { name = "palm", parent = "wrist" } } })
  world.mesh:define_resource("body", {})
  return world, entities
end

local function spawn(world, blob, options) return assert(world:spawn(assert(cuttle.resource(blob)), options)) end

describe("world:capture", function()
  local world, entities

  before_each(function() world, entities = new_world() end)

  after_each(function() valid(world) end)

  it("returns a resource with all components of the entities", function()
    local a, b = entities:create(), entities:create()
    world.debug_name:set_debug_name(a, "a")
    world.debug_name:set_debug_name(b, "b/c")
    world.transform:create(a, { position = { 1, 2, 3 }, angle = 1, scale = { 1, 2, 1 } })
    world.health:create(a, { hp = 7, target = b, title = "x", bag = { 1, { y = true } }, mood = "cross" })
    world.health:create(b, { target = a, bag = "text" })
    world.wheel:create(b, { radius = 1, id = "front", goal = b })
    world.wheel:create(b, { radius = 2 })
    world.mesh:create(b, { resource = "body", color = { 1, 0, 0, 1 } })
    world.actor:create(b, { shape = "box", mass = 2 })
    world.grid:create(a, { width = 3, height = 2, cells = { 1, 2, 70000, 4, 5, 6 }, flips = { 0, 1, 2, 0, 0, 7 } })
    local blob = world:capture { a, b }
    assert.equal(2, assert(cuttle.resource(blob)):entity_count())
    local other = new_world()
    local level = spawn(other, blob)
    local c, d = level:entity(1), level:entity(2)
    assert.equal(c, level:find "a")
    assert.equal("b/c", other.debug_name:debug_name(d))
    assert.same(world.transform:get(a), other.transform:get(c))
    assert.same({ 7, d, "x", "cross" }, { other.health:hp(c), other.health:target(c), other.health:title(c),
      other.health:mood(c) })
    assert.same({ 1, { y = true } }, other.health:bag(c))
    assert.equal("text", other.health:bag(d))
    assert.equal(d, other.wheel:goal(other.wheel:lookup(d, "front")))
    assert.same(world.wheel:ids(b), other.wheel:ids(d))
    assert.same({ 1, 0, 0, 1 }, { other.mesh:color(d) })
    assert.same({ "box", 2 }, { other.actor:shape(d), other.actor:mass(d) })
    assert.same({ 70000, 7 }, { other.grid:cell(c, 2, 0), (function(h, v, x)
      return (h and 1 or 0) + (v and 2 or 0) + (x and 4 or 0) end)(other.grid:flips(c, 2, 1)) })
    valid(other)
    -- Nothing has changed, and a second capture is the same.
    assert.equal(blob, world:capture(cuttle.list { a, b, a }))
  end)

  it("keeps parents within the list, in the order of siblings, and the world pose of roots", function()
    local e = entities:create(6)
    for i = 1, 6 do world.transform:create(e[i], { position = { i, 0, 0 }, angle = i == 1 and 1 or nil }) end
    world.transform:link(e[2], e[1])
    world.transform:link(e[3], e[2])
    world.transform:link(e[6], e[2])
    world.transform:link(e[5], e[4])
    local level = spawn(world, world:capture { e[6], e[5], e[2], e[3] })
    local found = level:entities()
    -- 5 has lost its parent, and 2 too: the list has the roots 5 and 2, then the children of 2 in their order.
    assert.equal(2, #level:roots())
    local order = { e[5], e[2], e[3], e[6] }
    for i, old in ipairs(order) do
      local x, y = world.transform:world_position(old)
      local nx, ny = world.transform:world_position(found[i])
      assert.is_true(math.abs(x - nx) < 1e-5 and math.abs(y - ny) < 1e-5)
    end
    assert.equal(found[2], world.transform:entity(world.transform:parent(found[3])))
    assert.equal(found[2], world.transform:entity(world.transform:parent(found[4])))
    local children = {}
    for child in world.transform:children(found[2]) do children[#children + 1] = child end
    assert.same({ found[3], found[4] }, children)
  end)

  it("keeps nodes of models to which children are attached", function()
    local a, b, c = entities:create(), entities:create(), entities:create()
    for _, e in ipairs { a, b, c } do world.transform:create(e) end
    world.model:create(a, { resource = "hand" })
    world.transform:link(b, a, { node = "palm" })
    world.transform:link(c, b)
    local found = spawn(world, world:capture { a, b, c }):entities()
    assert.equal(2, world.transform:parent_node(found[2]))
    assert.is_nil(world.transform:parent_node(found[3]))
    assert.is_nil(world.transform:parent_node(spawn(world, world:capture { b }):entity(1)))
  end)

  it("raises for a reference to an entity outside of the list, or captures none", function()
    local a, b = entities:create(), entities:create()
    world.health:create(a, { target = b })
    raises("health.target of entity(0:0): entity(1:0) is not in the list", world.capture, world, { a })
    raises("is not in the list", world.capture, world, { a }, { references = "error" })
    local level = spawn(world, world:capture({ a }, { references = "nobody" }))
    assert.is_nil(world.health:target(level:entity(1)))
    assert.equal(b, world.health:target(a))
  end)

  it("checks its arguments", function()
    local a = entities:create()
    raises("entity expected, got number", world.capture, world, { a, 7 })
    raises("list of entities expected, got nil", world.capture, world, nil)
    raises('references: "error" or "nobody" expected, got "none"', world.capture, world, { a }, { references = "none" })
    raises("unknown option 'reference'", world.capture, world, { a }, { reference = "error" })
    world.health:create(a, { bag = { print } })
    raises("health.bag of entity(0:0): ", world.capture, world, { a })
    entities:destroy(a)
    raises("entity(0:0) is dead", world.capture, world, { a })
    assert.equal(0, spawn(world, world:capture {}):count())
  end)

  it("captures copies that are captured again", function()
    local random = new_random(seed)
    for round = 1, rounds(30, 6) do
      local list = entities:create(random(12))
      for i, e in ipairs(list) do
        if random(3) > 1 then
          world.transform:create(e, { position = { random(9), random(9), 0 } })
          local parent = list[random(#list)]
          if i > 1 and world.transform:has(parent) then pcall(world.transform.link, world.transform, e, parent) end
        end
        if random(2) == 1 then world.debug_name:set_debug_name(e, "n" .. random(3)) end
        if random(2) == 1 then world.health:create(e, { target = list[random(#list)], bag = { random(5) } }) end
        for _ = 1, random(3) - 1 do world.wheel:create(e, { radius = random(5), goal = list[random(#list)] }) end
        if random(4) == 1 then world.grid:create(e, { width = 2, height = 1, cells = { random(9), 0 } }) end
      end
      local blob = world:capture(list)
      local level = spawn(world, blob)
      assert.equal(#list, level:count())
      assert.equal(blob, world:capture(level:list()), ("seed %d, round %d"):format(seed, round))
      valid(world)
    end
  end)

  local starving = core.testing and it or pending
  starving("frees everything if memory runs out", function()
    local a, b = entities:create(), entities:create()
    world.transform:create(a)
    world.transform:create(b, { parent = a })
    world.health:create(a, { target = b, bag = { "x" }, title = "a title that is longer than a word" })
    world.grid:create(b, { width = 9, height = 9 })
    local hash, n, failed = entities:hash(), -1, true
    while failed do
      n = n + 1
      core.testing.fail_in(n)
      local ok, got = pcall(world.capture, world, { a, b })
      failed = core.testing.fail_in(-1) > 0
      if not ok then assert.truthy(got:find("not enough memory", 1, true)) end
      assert.equal(hash, entities:hash())
    end
    assert.is_true(n > 3)
  end)
end)
