-- level:patch: parents, children and model nodes after a patch that failed because memory ran out.

local core = require "cuttle.core"
local cuttle = require "cuttle"
local valid = require "spec.support.valid"

local COPIES = 20

describe("when an allocation fails during a level:patch that links,", function()
  local fail_in = core.testing and core.testing.fail_in
  if not fail_in then
    it("parents and nodes are unchanged", function() pending "only test builds make allocations fail" end)
    return
  end

  local entities, world, compiler

  before_each(function()
    entities = cuttle.entity_manager { minimum_free_indices = 8 }
    world = cuttle.world(entities)
    world.model:define_resource("knight", { nodes = { { name = "base" }, { name = "hand", parent = "base" },
      { name = "foot" } } })
    compiler = cuttle.compiler(world)
  end)

  after_each(function() fail_in(-1) end)

  local function load(list) return assert(cuttle.resource((assert(compiler:compile { entities = list })))) end

  local function spawn(list)
    local positions = {}
    for i = 1, 3 * COPIES do positions[i] = i end
    return assert(world:spawn_many(load(list), { positions = positions }))
  end

  local function on(name, node, children)
    return { id = name, name = name, components = { transform = { parent_node = node } }, children = children }
  end

  local function model(name, children, resource)
    return { id = name, name = name, components = { transform = {}, model = { resource = resource or "knight" } },
      children = children }
  end

  -- Returns the parent and node of each entity, and its children in order.
  local function links()
    local result, transforms = {}, world.transform
    for e in entities:each() do
      local parent = transforms:parent(e)
      local children = { parent and transforms:entity(parent) or false, transforms:parent_node(e) or false }
      for child in transforms:children(e) do children[#children + 1] = child end
      result[e] = children
    end
    return result
  end

  -- Patches with the n-th allocation failing, until none fails, and returns the number of failures. Checks that a
  -- failed patch changes nothing.
  local function sweep(level, to)
    local hash, before, failed = entities:hash(), links(), 0
    while true do
      fail_in(failed)
      local result, message = level:patch(to)
      fail_in(-1)
      valid(world)
      if result then return failed end
      assert.equal("not enough memory", message)
      assert.same(before, links(), "allocation " .. failed)
      assert.equal(hash, entities:hash(), "allocation " .. failed)
      failed = failed + 1
    end
  end

  it("parents, nodes and the order of siblings are unchanged", function()
    local level = spawn { model("knight", { on "a", on("b", "hand"), on "c", on "d", on("e", "foot"), on "f" }),
      model("other", { on "g" }), on "h" }
    local to = load { model("knight", { on("a", "base"), on("b", "foot"), on "c", on "f", on("h", "hand") }),
      model("other", { on("g", "hand"), on("d", "foot"), on("e", "foot") }) }
    assert.is_true(sweep(level, to) > 10)
    local all = links()
    for copy = 1, COPIES do
      local function of(name) return all[level:entity(level:copy_range(copy) + name - 1)] end
      local nodes = {}
      for place = 1, 9 do nodes[place] = of(place)[2] end
      assert.same({ false, 1, 3, false, false, 2, false, 2, 3 }, nodes)
    end
  end)

  it("the nodes of models that get another resource are unchanged, with their attachments", function()
    local nodes = {}
    for i = 1, 9 do nodes[i] = { name = i == 3 and "hand" or "n" .. i } end
    world.model:define_resource("horse", { nodes = nodes })
    world:define("sign", { { "text", "string" } })
    local level = spawn { model("knight", { on("a", "hand"), on "b" }),
      { id = "s", name = "s", components = { transform = {}, sign = { text = "old" } } } }
    for copy = 1, COPIES do
      world.model:set_node_pose(level:entity(level:copy_range(copy)), "hand", copy, 0, 0, 0, 0, 0, 1, 1, 1, 1)
    end
    local to = load { model("knight", { on("a", "n5"), on "b" }, "horse"),
      { id = "s", name = "s", components = { transform = {}, sign = { text = "new, and not in the pool" } } } }
    assert.is_true(sweep(level, to) > 5)
    assert.equal(5, world.transform:parent_node(level:entity(2)))
    assert.equal("horse", world.model:resource(level:entity(1)))
  end)
end)
