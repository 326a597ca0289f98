-- Transforms attached to nodes of models.

-- tags: machine

local cuttle = require "cuttle"
local near = require "spec.support.near"
local raises = require "spec.support.raises"
local runs = require "spec.support.transform_run"
local seed = require "spec.support.seed"
local valid = require "spec.support.valid"

local rounds = require "spec.support.rounds"

local KNIGHT = { nodes = {
  { name = "base", position = { 1, 0, 0 } },
  { name = "hand", parent = "base", position = { 0, 2, 0 } },
  { name = "#3", position = { 0, 0, 9 } },
  { position = { 0, 0, 7 } },
  { name = "2", position = { 0, 0, 5 } } } }

describe("a transform on a node", function()
  local entities, world, tf, models, knight, sword

  local function at(e, ...) near({ ... }, { tf:world_position(e) }) end

  before_each(function()
    entities = cuttle.entity_manager { minimum_free_indices = 0 }
    world = cuttle.world(entities)
    tf, models = world.transform, world.model
    models:define_resource("knight", KNIGHT)
    models:define_resource("knave", { nodes = { {}, { name = "hat" }, { name = "hand", position = { 0, 3, 0 } } } })
    models:define_resource("ball", { nodes = { { name = "skin" } } })
    knight = world:create { transform = { position = { 10, 0, 0 } }, model = { resource = "knight" } }
    sword = world:create { transform = { position = { 0, 0, 1 } } }
  end)

  after_each(function() valid(world) end)

  -- Sets the pose of the hand. It takes effect at the next evaluate.
  local function pose_hand(...)
    local x, y, z = ...
    models:set_node_pose(knight, "hand", x, y, z, 0, 0, 0, 1, 1, 1, 1)
  end

  describe("linked to it", function()
    it("has the world matrix: parent's world x the node's matrix x its local matrix", function()
      tf:link(sword, knight, { node = "hand" })
      at(sword, 11, 2, 1)
      tf:set_local_angle(knight, math.pi / 2)
      at(sword, 8, 1, 1)
      assert.equal(tf:lookup(knight), tf:parent(sword))
    end)

    it("accepts a node's name or number, and returns the number", function()
      for node, number in pairs { hand = 2, ["#3"] = 3, ["2"] = 5, [1] = 1, [4] = 4 } do
        tf:link(sword, knight, { node = node })
        assert.equal(number, tf:parent_node(sword))
      end
      tf:link(sword, knight)
      assert.is_nil(tf:parent_node(sword))
      assert.is_nil(tf:parent_node(knight))
    end)

    it("raises for an unknown node and for a parent without a model, and nothing changes", function()
      local function refused(text, node) raises(text, tf.link, tf, sword, knight, { node = node }) end
      refused("node: knight has no node 'hnad' (did you mean 'hand'?)", "hnad")
      refused("node: knight has no node ''", "")
      refused("node: knight has 5 nodes, got 6", 6)
      refused("node: number or name of a node expected, got 0", 0)
      refused("node: number or name of a node expected, got 1.5", 1.5)
      refused("node: number or name of a node expected, got ", 0 / 0)
      refused("node: number or name of a node expected, got boolean", true)
      raises(("node: %s has no model"):format(cuttle.entity_tostring(sword)), tf.link, tf, knight, sword, { node = 1 })
      assert.is_nil(tf:parent(sword))
      tf:link(sword, knight, { node = 1 })
      models:create(sword, { resource = "ball" })
      raises("cycle", tf.link, tf, knight, sword, { node = 1 })
      raises("unknown option 'node'", tf.unlink, tf, sword, { node = 1 })
    end)

    it('keeps its world pose with keep = "world", if a local pose gives it', function()
      tf:link(sword, knight, { node = "hand", keep = "world" })
      at(sword, 0, 0, 1)
      near({ -11, -2, 1 }, { tf:local_position(sword) })
      tf:unlink(sword, { keep = "world" })
      at(sword, 0, 0, 1)
      models:set_node_pose(knight, "hand", 0, 0, 0, 0, 0, 0, 1, 0, 1, 1)
      models:evaluate()
      raises("scale of 0", tf.link, tf, sword, knight, { node = "hand", keep = "world" })
      assert.is_nil(tf:parent(sword))
    end)

    it("keeps its place among the children, in link order", function()
      local first, last = world:create { transform = { parent = knight } }, entities:create()
      tf:link(sword, knight, { node = "hand" })
      tf:create(last, { parent = knight })
      local order = {}
      for e in tf:children(knight) do order[#order + 1] = e end
      assert.same({ first, sword, last }, order)
      tf:set(sword, { parent_node = 1 })
      assert.equal(tf:lookup(last), tf:next_sibling(sword))
    end)

    it("can be set to a world pose", function()
      models:set_node_pose(knight, "hand", 0, 2, 0, 0, 0, 1, 1, 2, 2, 2)
      models:evaluate()
      tf:link(sword, knight, { node = "hand" })
      tf:set_world_position(sword, 3, 4, 5)
      at(sword, 3, 4, 5)
      tf:set_world_pose(sword, 1, 2, 3, 0, 0, 0, 1, 1, 1, 1)
      near({ 1, 2, 3, 0, 1, 1 }, { tf:pose_2d(sword), select(2, tf:pose_2d(sword)), 3, select(3, tf:pose_2d(sword)) })
      near({ 0.5, 0.5, 0.5 }, { tf:local_scale(sword) })
    end)
  end)

  describe("follows the model", function()
    before_each(function() tf:link(sword, knight, { node = "hand" }) end)

    it("in evaluate, with its descendants", function()
      local gem = world:create { transform = { parent = sword, position = { 1, 0, 0 } } }
      pose_hand(0, 5, 0)
      at(gem, 12, 2, 1)
      models:evaluate()
      at(gem, 12, 5, 1)
      at(sword, 11, 5, 1)
    end)

    it("if the model's own entity is attached to a node", function()
      models:create(sword, { resource = "knight" })
      local gem = world:create { transform = { parent = sword, parent_node = "hand" } }
      at(gem, 12, 4, 1)
      pose_hand(0, 5, 0)
      models:set_node_pose(sword, "base", 0, 0, 0, 0, 0, 0, 1, 1, 1, 1)
      models:evaluate()
      at(gem, 11, 7, 1)
    end)

    it("at the end of a batch, and getters return the new pose before that", function()
      tf:batch(function()
        pose_hand(0, 5, 0)
        models:evaluate()
        at(sword, 11, 5, 1)
        tf:set_local_position(knight, 20, 0, 0)
        at(sword, 21, 5, 1)
      end)
      at(sword, 21, 5, 1)
    end)

    it("in the next propagate in deferred mode", function()
      tf:set_mode "deferred"
      pose_hand(0, 5, 0)
      models:evaluate()
      assert.equal(1, tf:dirty_count())
      at(sword, 11, 2, 1)
      tf:propagate()
      at(sword, 11, 5, 1)
      models:evaluate()
      assert.equal(0, tf:dirty_count(), "no node has moved")
    end)

    it("after rows moved", function()
      local others = entities:create(20)
      tf:create_many(others, { parent = sword })
      models:create_many(others, { resource = "knight" })
      tf:sort()
      entities:destroy { others[1], others[3] }
      world:gc "all"
      pose_hand(0, 5, 0)
      models:evaluate()
      at(others[7], 11, 5, 1)
      assert.equal(2, tf:parent_node(sword))
    end)
  end)

  describe("becomes an ordinary child and keeps its local pose", function()
    before_each(function() tf:link(sword, knight, { node = "hand" }) end)

    local function check_plain_child()
      assert.is_nil(tf:parent_node(sword))
      assert.equal(tf:lookup(knight), tf:parent(sword))
      at(sword, 10, 0, 1)
      pose_hand(0, 9, 0)
      models:evaluate()
      at(sword, 10, 0, 1)
    end

    it("when the model is destroyed", function()
      models:destroy(knight)
      assert.is_nil(tf:parent_node(sword))
      at(sword, 10, 0, 1)
      models:create(knight, { resource = "knight" })
      check_plain_child()
    end)

    it("when a new resource has no such node", function()
      models:set_resource(knight, "ball")
      at(sword, 10, 0, 1)
      models:set_resource(knight, "knight")
      check_plain_child()
    end)

    it("when the resource is defined again without the name", function()
      KNIGHT.nodes[2].name = "fist"
      models:define_resource("knight", KNIGHT)
      KNIGHT.nodes[2].name = "hand"
      models:define_resource("knight", KNIGHT)
      check_plain_child()
    end)

    it("in the next propagate in deferred mode", function()
      tf:set_mode "deferred"
      models:destroy(knight)
      assert.is_nil(tf:parent_node(sword))
      at(sword, 11, 2, 1)
      tf:propagate()
      at(sword, 10, 0, 1)
    end)

    it("or is removed with its model when the world is cleared", function()
      local other = cuttle.world(entities)
      world:clear()
      assert.equal(0, tf:count())
      valid(other)
    end)
  end)

  it("finds its node by name under another number, and one without a name by number", function()
    tf:link(sword, knight, { node = "hand" })
    local shield = world:create { transform = { parent = knight, parent_node = 4 } }
    models:set_resource(knight, "knave")
    assert.equal(3, tf:parent_node(sword))
    at(sword, 10, 3, 1)
    assert.is_nil(tf:parent_node(shield), "the new resource has no fourth node")
    tf:link(shield, knight, { node = 1 })
    models:define_resource("knave", { nodes = { {}, { name = "hand" }, { name = "hat" } } })
    assert.equal(2, tf:parent_node(sword))
    assert.equal(1, tf:parent_node(shield))
  end)

  it("becomes a root with its world pose when the parent dies, even if the model was collected by then", function()
    for _, change in ipairs { function() end, function() models:gc "all" end, function() entities:create(3) end } do
      local parent = world:create { transform = { position = { 4, 0, 0 } }, model = { resource = "knight" } }
      tf:batch(function()
        tf:link(sword, parent, { node = "hand" })
        tf:set_local_position(parent, 5, 0, 0)
        entities:destroy(parent)
        change()
        at(sword, 6, 2, 1)
      end)
      at(sword, 6, 2, 1)
      assert.is_nil(tf:parent(sword))
      assert.is_nil(tf:parent_node(sword))
      tf:set_local_position(sword, 0, 0, 1)
    end
  end)

  it("counts the memory of its attachment", function()
    local before = tf:memory()
    tf:link(sword, knight, { node = "hand" })
    assert.is_true(tf:memory() > before)
  end)

  describe("given by parent_node", function()
    local function child(values)
      values.parent = knight
      return world:create { transform = values }
    end

    it("is attached when it is created, by name or number, and get returns the number", function()
      at(child { parent_node = "hand" }, 11, 2, 0)
      at(child { parent_node = 2, position = { 0, 1, 0 } }, 11, 3, 0)
      local e = child { parent_node = "#3" }
      assert.equal(3, tf:get(e).parent_node)
      assert.equal(3, world:inspect(e).transform.parent_node)
      assert.is_nil(tf:get(knight).parent_node)
      assert.matches("on node 3", world:dump())
      local copy = entities:create()
      tf:create(copy, tf:get(e))
      assert.equal(3, tf:parent_node(copy))
    end)

    it("raises without such a parent or node, and nothing is created", function()
      local count, rows = entities:count(), tf:count()
      local function refused(text, values) raises(text, world.create, world, { transform = values }) end
      refused("transform: parent_node: there is no parent", { parent_node = "hand" })
      refused("transform: parent_node: knight has no node 'hnad' (did you mean 'hand'?)",
        { parent = knight, parent_node = "hnad" })
      refused("transform: parent_node: knight has 5 nodes, got 6", { parent = knight, parent_node = 6 })
      refused("has no model", { parent = sword, parent_node = "hand" })
      refused("transform: parent_node: expected a name or an integer from 1 on, got table",
        { parent = knight, parent_node = {} })
      local e = entities:create()
      raises("parent_node: knight has no node 'x'", tf.create, tf, e, { parent = knight, parent_node = "x" })
      assert.equal(count + 1, entities:count())
      assert.equal(rows, tf:count())
    end)

    it("can be set alone or with a parent, and is removed by a parent without it", function()
      raises("parent_node: there is no parent", tf.set, tf, sword, { parent_node = "hand" })
      tf:set(sword, { parent = knight, parent_node = "hand" })
      at(sword, 11, 2, 1)
      tf:set(sword, { parent_node = "base", position = { 0, 0, 3 } })
      at(sword, 11, 0, 3)
      raises("parent_node: knight has no node 'no'", tf.set, tf, sword, { parent_node = "no", position = { 9, 9, 9 } })
      at(sword, 11, 0, 3)
      tf:set(sword, { parent = knight })
      at(sword, 10, 0, 3)
      tf:set(sword, { parent_node = 1 })
      tf:set(sword, { parent = false })
      assert.is_nil(tf:parent_node(sword))
    end)

    it("is one for all or one each in create_many", function()
      local list = entities:create(3)
      tf:create_many(list, { parent = knight, parent_node = { "hand", 1, "2" } })
      for i, number in ipairs { 2, 1, 5 } do assert.equal(number, tf:parent_node(list[i])) end
      local more = world:create({ transform = { parent = knight, parent_node = "hand" } }, 4)
      for i = 1, 4 do at(more[i], 11, 2, 0) end
    end)

    it("is part of templates, which look up the node in each create", function()
      local template = world:template { transform = { parent = knight, parent_node = "hand" } }
      at(template:create(), 11, 2, 0)
      models:set_resource(knight, "knave")
      assert.equal(3, tf:parent_node(template:create(2)[2]))
      models:destroy(knight)
      raises("has no model", template.create, template)
    end)

    it("works in deferred mode and in a batch like any creation", function()
      tf:set_mode "deferred"
      local e = child { parent_node = "hand" }
      at(e, 11, 2, 0)
      tf:propagate()
      at(e, 11, 2, 0)
      tf:set_mode "immediate"
      tf:batch(function()
        tf:set_local_position(knight, 20, 0, 0)
        e = child { parent_node = "hand" }
        at(e, 21, 2, 0)
      end)
      at(e, 21, 2, 0)
    end)
  end)
end)

describe("random transforms on nodes, seed " .. seed, function()
  it("agree with a plain model", function() runs.immediate_nodes(seed, rounds(400, 150)) end)

  it("agree with a plain model in deferred mode", function() runs.deferred_nodes(seed, rounds(400, 150)) end)
end)
