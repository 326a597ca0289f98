-- Components in a level that depend on other components: transforms attached to nodes of models.

-- tags: machine

local core = require "cuttle.core"
local cuttle = require "cuttle"
local damage = require "spec.support.damage"
local folder = require "spec.support.folder"
local near = require "spec.support.near"
local new_random = require "spec.support.random"
local raises = require "spec.support.raises"
local seed = require "spec.support.seed"
local valid = require "spec.support.valid"

local SLOW = require "spec.support.slow"
local rounds = require "spec.support.rounds"

local function sword()
  return { name = "sword", components = { transform = { position = { 0, 0, 1 }, parent_node = "hand" } },
    children = { { name = "gem", components = { transform = { position = { 0, 1, 0 } } } } } }
end

local function level() return { entities = {
  { name = "knight", components = { transform = { position = { 10, 0, 0 } }, model = { resource = "knight" } },
    children = { sword(), { name = "boot", components = { transform = { parent_node = 3 } } },
      { name = "tail", components = { transform = {} } } } } } } end

describe("parent_node in a level", function()
  local entities, world, tf, compiler

  before_each(function()
    entities = cuttle.entity_manager { minimum_free_indices = 8 }
    world = cuttle.world(entities)
    tf = world.transform
    world.model:define_resource("knight", { nodes = { { name = "base", position = { 1, 0, 0 } },
      { name = "hand", parent = "base", position = { 0, 2, 0 } }, { name = "foot" } } })
    world.model:define_resource("ball", { nodes = { {} } })
    compiler = cuttle.compiler(world)
  end)

  after_each(function() valid(world) end)

  local function load(source) return assert(cuttle.resource(assert(compiler:compile(source or level())))) end

  local function at(e, ...) near({ ... }, { tf:world_position(e) }) end

  local function nodes(spawned, ...)
    local out = {}
    for i, name in ipairs { ... } do out[i] = tf:parent_node(spawned:find(name)) or false end
    return out
  end

  it("attaches a spawned entity to the node of its parent, with its descendants", function()
    local spawned = assert(world:spawn(load(), { position = { 100, 0, 0 }, unknown = "error" }))
    assert.same({ 2, false, 3, false }, nodes(spawned, "sword", "gem", "boot", "tail"))
    at(spawned:find "gem", 111, 3, 1)
    assert.same({}, spawned:skipped())
    assert(spawned:restart())
    at(spawned:find "gem", 11 + 100, 3, 1)
  end)

  it("works in deferred mode, in a batch and for many copies", function()
    local resource = load()
    tf:set_mode "deferred"
    local spawned = assert(world:spawn(resource))
    at(spawned:find "gem", 11, 3, 1)
    tf:propagate()
    at(spawned:find "gem", 11, 3, 1)
    tf:set_mode "immediate"
    tf:batch(function() at(assert(world:spawn(resource)):find "gem", 11, 3, 1) end)
    local copies = assert(world:spawn_many(resource, { positions = { 0, 0, 0, 5, 0, 0, 9, 0, 0 } }))
    for copy, x in ipairs { 11, 16, 20 } do at(copies:entity(copies:copy_range(copy) + 2), x, 3, 1) end
  end)

  it("can be changed and added by overrides", function()
    local resource = load()
    local spawned = assert(world:spawn(resource, { overrides = { sword = { transform = { parent_node = "foot" } },
      tail = { transform = { parent_node = 1, position = { 0, 0, 9 } } } } }))
    assert.same({ 3, 1 }, nodes(spawned, "sword", "tail"))
    at(spawned:find "tail", 11, 0, 9)
    local count = entities:count()
    local wrong = { overrides = { sword = { transform = { parent_node = "fot" } } } }
    raises("(overrides: sword: transform: parent_node: knight has no node 'fot' (did you mean 'foot'?))",
      world.spawn, world, resource, wrong)
    raises("(overrides: sword: transform: parent_node: knight has no node 'fot' (did you mean 'foot'?))",
      world.spawn_many, world, resource, 3, wrong)
    assert.equal(count, entities:count())
    local none, message = world:spawn(resource, { overrides = { knight = { model = { resource = "ball" } } } })
    assert.is_nil(none)
    assert.matches('"sword": parent_node: ball has no node \'hand\'', message)
  end)

  it("attaches roots to nodes of the spawn's parent, and the spawn option does so for other roots", function()
    local resource = load { entities = { sword(), { name = "boot", components = { transform = {} } } } }
    local none, message = world:spawn(resource)
    assert.is_nil(none)
    assert.matches("parent_node: there is no parent", message)
    local knight = world:create { transform = {}, model = { resource = "knight" } }
    local spawned = assert(world:spawn(resource, { parent = knight, parent_node = "foot", position = { 0, 0, 5 } }))
    assert.same({ 2, 3 }, nodes(spawned, "sword", "boot"))
    at(spawned:find "sword", 1, 2, 6)
    assert(spawned:restart())
    assert.same({ 2, 3 }, nodes(spawned, "sword", "boot"))
    raises("parent_node: knight has no node 'x'", world.spawn, world, resource, { parent = knight, parent_node = "x" })
    raises("parent_node: there is no parent", world.spawn, world, resource, { parent_node = "foot" })
    raises("parent_node: number or name of a node expected, got table", world.spawn, world, resource,
      { parent = knight, parent_node = {} })
    world.model:destroy(knight)
    local again, problem = spawned:restart()
    assert.is_nil(again)
    assert.matches("parent_node: .* has no model", problem)
    assert.is_true(entities:alive(spawned:find "sword"))
  end)

  it("can be given in prefabs, and replaced or removed in the entry that includes them", function()
    local files = folder.new()
    files:write("sword.json",
      '{"entities": [{"name": "sword", "components": {"transform": {"parent_node": "hand"}}}]}')
    local blob = assert(compiler:compile([[{"entities": [{
      "components": {"transform": {}, "model": {"resource": "knight"}},
      "children": [
        {"prefab": "sword.json"},
        {"prefab": "sword.json", "components": {"transform": {"parent_node": 3}}},
        {"prefab": "sword.json", "components": {"transform": {"parent_node": null}}}]}]}]], { directory = files.path }))
    files:remove()
    local spawned = assert(world:spawn(assert(cuttle.resource(blob))))
    assert.same({ 2, 3 }, { tf:parent_node(spawned:entity(2)), tf:parent_node(spawned:entity(3)) })
    assert.is_nil(tf:parent_node(spawned:entity(4)))
  end)

  it("is part of describe and of the schema for editors", function()
    local resource = load()
    assert.matches("transform%.parent_node: 2 instances", resource:describe())
    assert.matches("sword: transform, transform%.parent_node", resource:describe())
    assert.same({ "transform", "debug_name", "model" }, resource:component_types())
    assert.matches('"parent_node"', cuttle.schema(world))
  end)

  it("adds no bytes to a level without it", function()
    local plain, named = level(), level()
    plain.entities[1].children, named.entities[1].children = {}, {}
    named.entities[1].children[1] = { components = { transform = {} } }
    assert.is_nil(assert(compiler:compile(named)):find("parent_node", 1, true))
    assert.equal(compiler:compile(plain), compiler:compile(plain))
    assert.equal(compiler:compile(level()), compiler:compile(level()))
  end)

  it("is refused by the compiler if it is not a name or number", function()
    local source = level()
    source.entities[1].children[1].components.transform.parent_node = true
    local none, message = compiler:compile(source)
    assert.is_nil(none)
    assert.matches("entities%[1%]%.children%[1%]%.components%.transform%.parent_node: expected a name", message)
  end)

  it("does no harm in damaged resources, seed " .. seed, function()
    local random, bytes = new_random(seed), assert(compiler:compile(level()))
    local refused, failed, spawned = 0, 0, 0
    -- More rounds follow until the damage has produced all three outcomes.
    local round, least = 0, rounds(1500, 150)
    while round < least or (not SLOW and round < 20 * least and (failed == 0 or spawned == 0)) do
      round = round + 1
      local resource = cuttle.resource(damage(bytes, random))
      local made = resource and world:spawn(resource)
      if not resource then
        refused = refused + 1
      elseif not made then
        failed = failed + 1
      else
        spawned = spawned + 1
        world.model:evaluate()
        made:unload()
      end
      if random(40) == 1 then valid(world) end
      world:gc "all"
    end
    assert.is_true(refused > 0 and (SLOW or failed > 0 and spawned > 0), ("%d %d %d"):format(refused, failed, spawned))
    assert.equal(0, entities:count())
  end)

  if core.testing then
    it("is applied completely or not at all if any allocation fails", function()
      local knight = world:create { transform = {}, model = { resource = "knight" } }
      local resource = load { entities = { sword() } }
      for _, act in ipairs {
        function() return world:create({ transform = { parent = knight, parent_node = "hand" } }, 9) end,
        function() return assert(world:spawn(resource, { parent = knight })) end,
        function()
          local e = world:create { transform = {} }
          tf:link(e, knight, { node = "hand" })
        end,
      } do
        local ok, n = false, 0
        while not ok do
          local count, rows = entities:count(), tf:count()
          core.testing.fail_in(n)
          local message
          ok, message = pcall(act)
          core.testing.fail_in(-1)
          valid(world)
          if not ok then
            assert.matches("not enough memory", message)
            assert.is_true(entities:count() - count == tf:count() - rows)
          end
          n = n + 1
        end
      end
    end)
  end
end)
