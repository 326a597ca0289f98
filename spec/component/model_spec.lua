-- Models: nodes, poses, matrices, model resources.

-- tags: ffi machine

local cuttle = require "cuttle"
local compile = require "spec.support.compile"
local core = require "cuttle.core"
local matrices = require "spec.support.matrices"
local near = require "spec.support.near"
local new_scene = require "spec.support.scene"
local raises = require "spec.support.raises"
local seed = require "spec.support.seed"
local rounds = require "spec.support.rounds"
local valid = require "spec.support.valid"

local IDENTITY = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 }
local STILL = { 0, 0, 0, 0, 0, 0, 1, 1, 1, 1 }

-- A hip with two legs, the left one with a foot.
local BIPED = { nodes = {
  { name = "hip", position = { 0, 10, 0 } },
  { name = "left leg", parent = "hip", position = { -1, 0, 0 } },
  { name = "right leg", parent = 1, position = { 1, 0, 0 } },
  { name = "foot", parent = "left leg", position = { 0, -4, 0 } },
} }

local CRANE = { nodes = { { name = "mast" }, { name = "arm", parent = "mast", position = { 3, 0, 0 } } } }

-- A world with two resources, its models, and a function that makes a model.
local function scene()
  local models, make, entities, world = new_scene "model"
  models:define_resource("biped", BIPED)
  models:define_resource("crane", CRANE)
  return models, function(resource) return make { resource = resource or "biped" } end, entities, world
end

local function place_of(models, e, node)
  local m = { models:node_matrix(e, node) }
  return { m[13], m[14], m[15] }
end

local function move(models, e, node, x, y, z)
  models:set_node_pose(e, node, x, y, z, 0, 0, 0, 1, 1, 1, 1)
end

describe("a model", function()
  it("has the nodes of its resource in their rest poses when it is created", function()
    local models, make, _, world = scene()
    local e = make()
    assert.equal(4, models:node_count(e))
    assert.are.same({ 0, 10, 0 }, place_of(models, e, "hip"))
    assert.are.same({ -1, 10, 0 }, place_of(models, e, "left leg"))
    assert.are.same({ 1, 10, 0 }, place_of(models, e, "right leg"))
    assert.are.same({ -1, 6, 0 }, place_of(models, e, "foot"))
    assert.are.same({ 0, -4, 0, 0, 0, 0, 1, 1, 1, 1 }, { models:node_pose(e, "foot") })
    valid(world)
  end)

  it("has one field", function()
    local models, make = scene()
    assert.are.same({ { "resource", "string" } }, models:fields())
    assert.are.same({ resource = "crane" }, models:get(make "crane"))
  end)

  it("needs a resource", function()
    local models, _, entities, world = scene()
    raises("resource: required", function() models:create(entities:create()) end)
    raises("resource: required", function() models:create(entities:create(), {}) end)
    raises("model: resource: required", function() world:create { model = {} } end)
    assert.equal(0, models:count())
  end)

  it("exists once per entity", function()
    local models, make = scene()
    local e = make()
    raises("has a model", models.create, models, e, { resource = "crane" })
    assert.equal(4, models:node_count(e))
  end)

  it("comes after debug_name and before mesh in spawn order", function()
    local _, _, _, world = scene()
    local names = {}
    for name in world:managers() do names[#names + 1] = name end
    assert.matches("debug_name model mesh", table.concat(names, " "), 1, true)
  end)

  it("is created in create_many with its own resource", function()
    local models, _, entities, world = scene()
    local list = entities:create(5)
    models:create_many(list, { resource = { "biped", "crane", "crane", "biped", "crane" } })
    local counts = {}
    for i, e in ipairs(list) do counts[i] = models:node_count(e) end
    assert.are.same({ 4, 2, 2, 4, 2 }, counts)
    local more = world:create({ model = { resource = "crane" }, transform = {} }, 3)
    assert.are.same({ 3, 0, 0 }, place_of(models, more[3], "arm"))
    valid(world)
  end)

  it("is part of inspect and dump, and its nodes are counted as memory", function()
    local models, make, _, world = scene()
    local e = make()
    assert.are.same({ resource = "biped" }, world:inspect(e).model)
    assert.matches("model%s+1 rows", world:dump())
    local before = models:memory()
    models:define_resource("worm", { nodes = { {}, {}, {}, {}, {}, {}, {}, {} } })
    assert.is_true(models:memory() >= before + 8 * 156)
    before = models:memory()
    for _ = 1, 100 do make "worm" end
    assert.is_true(models:memory() >= before + 100 * 8 * 156)
    local _, by_manager = world:memory()
    assert.equal(models:memory(), by_manager.model)
  end)

  it("gets the rest poses of a new resource", function()
    local models, make, _, world = scene()
    local a, b, c = make(), make(), make "crane"
    move(models, b, "hip", 5, 5, 5)
    models:evaluate()
    models:set_resource(b, "crane")
    assert.equal(2, models:node_count(b))
    assert.are.same({ 3, 0, 0 }, place_of(models, b, "arm"))
    valid(world)
    models:set(b, { resource = "biped" })
    assert.are.same({ 0, 10, 0 }, place_of(models, b, "hip"))
    models:write(c, "resource", "biped")
    assert.are.same({ -1, 6, 0 }, place_of(models, c, "foot"))
    assert.are.same({ -1, 6, 0 }, place_of(models, a, "foot"))
    assert.equal("biped", models:read(c, "resource"))
    valid(world)
  end)

  it("returns to its rest poses when its resource is set again", function()
    local models, make, _, world = scene()
    local e = make()
    move(models, e, "hip", 5, 5, 5)
    models:set_resource(e, "biped")
    assert.are.same({ 0, 10, 0, 0, 0, 0, 1, 1, 1, 1 }, { models:node_pose(e, "hip") })
    valid(world)
  end)

  it("has its resource in a read-only column", function()
    local models, make = scene()
    local row = models:row(make())
    assert.equal("biped", models:column("resource")[row])
    raises("model.resource is read-only", function() models:column("resource")[row] = "crane" end)
    raises("model.resource is read-only", function() models:column("resource"):set(row, "crane") end)
  end)
end)

describe("poses of nodes", function()
  it("are read as they were set", function()
    local models, make = scene()
    local e = make()
    models:set_node_pose(e, 2, 1, 2, 3, 0, 0.5, 0, 0, 2, -3, 0)
    assert.are.same({ 1, 2, 3, 0, 1, 0, 0, 2, -3, 0 }, { models:node_pose(e, 2) })
    assert.are.same({ 1, 2, 3, 0, 1, 0, 0, 2, -3, 0 }, { models:node_pose(e, "left leg") })
    assert.are.same({ 1, 2, 3, 0, 1, 0, 0, 2, -3, 0 }, { models:node_pose(models:lookup(e), 2) })
  end)

  it("belong to one instance", function()
    local models, make = scene()
    local a, b = make(), make()
    move(models, a, "hip", 1, 2, 3)
    models:evaluate()
    assert.are.same({ 0, 10, 0 }, place_of(models, b, "hip"))
    assert.are.same({ 0, -2, 3 }, place_of(models, a, "foot"))
    assert.are.same({ 0, 10, 0 }, place_of(models, make(), "hip"))
  end)

  it("change no matrix before evaluate", function()
    local models, make = scene()
    local e = make()
    move(models, e, "hip", 0, 20, 0)
    assert.are.same({ -1, 6, 0 }, place_of(models, e, "foot"))
    models:evaluate()
    assert.are.same({ -1, 16, 0 }, place_of(models, e, "foot"))
    models:evaluate()
    assert.are.same({ -1, 16, 0 }, place_of(models, e, "foot"))
  end)

  it("rotate and scale the nodes below", function()
    local models, make = scene()
    local e = make()
    local h = math.sqrt(0.5)
    models:set_node_pose(e, "hip", 0, 0, 0, 0, 0, h, h, 2, 2, 2)
    models:evaluate()
    -- The foot is twice as far away, and rotated by a quarter turn.
    near({ 0, 2, 0, 0, -2, 0, 0, 0, 0, 0, 2, 0, 8, -2, 0, 1 }, { models:node_matrix(e, "foot") })
  end)

  it("keep scales of zero and negative scales", function()
    local models, make, _, world = scene()
    local e = make()
    models:set_node_pose(e, "hip", 0, 0, 0, 0, 0, 0, 1, 0, -1, 1)
    models:evaluate()
    assert.are.same({ 0, 4, 0 }, place_of(models, e, "foot"))
    assert.are.same({ 0, 0, 0, 0, 0, 0, 1, 0, -1, 1 }, { models:node_pose(e, "hip") })
    valid(world)
  end)

  it("with a rotation of zero do not rotate", function()
    local models, make = scene()
    local e = make()
    models:set_node_pose(e, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1)
    assert.are.same(STILL, { models:node_pose(e, 1) })
  end)

  it("may hold NaNs and infinities, which affect only the nodes below", function()
    local models, make, _, world = scene()
    for _, odd in ipairs { 0 / 0, math.huge, -math.huge, 1e300 } do
      for argument = 1, 10 do
        local e, other = make(), make()
        local pose = { 0, 1, 2, 0, 0, 0, 1, 1, 1, 1 }
        pose[argument] = odd
        models:set_node_pose(e, "left leg", unpack(pose))
        models:evaluate()
        valid(world)
        assert.are.same({ 1, 10, 0 }, place_of(models, e, "right leg"))
        assert.are.same({ -1, 6, 0 }, place_of(models, other, "foot"))
      end
    end
  end)

  it("can be read while their entity dies, but not set", function()
    local models, make, entities = scene()
    local e = make()
    local values, message
    entities:on_destroy(function()
      values = { place_of(models, e, "foot"), models:node_count(e), #models:node_matrices(e) }
      message = select(2, pcall(move, models, e, 1, 0, 0, 0))
    end)
    entities:destroy(e)
    assert.are.same({ { -1, 6, 0 }, 4, 64 }, values)
    assert.matches("is being destroyed", message)
    raises("is dead", models.node_pose, models, e, 1)
  end)
end)

describe("a node", function()
  it("is identified by its number, which is whole and in range", function()
    local models, make = scene()
    local e = make()
    for _, wrong in ipairs { 0, 5, -1, 1.5, 2^32 + 1, 1e300, math.huge, 0 / 0 } do
      local text = ("biped has 4 nodes, got %.14g"):format(wrong)
      raises(text, models.node_pose, models, e, wrong)
      raises(text, models.node_matrix, models, e, wrong)
      raises(text, models.node_world_matrix, models, e, wrong)
      raises(text, models.set_node_pose, models, e, wrong, unpack(STILL))
    end
    raises("bad argument #2 to 'node_pose' (biped has 4 nodes, got 21)", function() models:node_pose(e, 21) end)
  end)

  it("is identified by its name, and a similar name is suggested for an unknown one", function()
    local models, make = scene()
    local e = make()
    raises("biped has no node 'foto' (did you mean 'foot'?)", models.node_pose, models, e, "foto")
    raises("biped has no node 'propeller'", models.node_matrix, models, e, "propeller")
    raises("biped has no node ''", models.node_matrix, models, e, "")
    raises("biped has no node 'biped'", models.node_matrix, models, e, "biped")
    raises("biped has no node '1'", models.node_matrix, models, e, "1")
    raises("crane has no node 'hip'", models.node_pose, models, make "crane", "hip")
    local message = raises("biped has no node 'yyyy", models.node_matrix, models, e, ("y"):rep(100000))
    assert.is_true(#message < 300)
  end)

  it("is not identified by values of other types", function()
    local models, make = scene()
    local e = make()
    raises("number or name of a node expected, got nil", models.node_pose, models, e, nil)
    raises("number or name of a node expected, got no value", models.node_pose, models, e)
    raises("number or name of a node expected, got entity", models.node_pose, models, e, e)
    raises("number or name of a node expected, got table", models.set_node_pose, models, e, {}, unpack(STILL))
  end)

  it("may have a name of any bytes, or none", function()
    local models, make = scene()
    models:define_resource("odd", { nodes = { { name = "a\0b" }, { name = "a\0c", position = { 1, 0, 0 } }, {},
      { name = ("x"):rep(1000) }, { name = "%s%n" }, { name = "7" } } })
    local e = make "odd"
    assert.are.same({ 1, 0, 0 }, place_of(models, e, "a\0c"))
    assert.are.same({ 0, 0, 0 }, place_of(models, e, ("x"):rep(1000)))
    assert.are.same({ 0, 0, 0 }, place_of(models, e, "7"))
    raises("odd has 6 nodes, got 7", models.node_pose, models, e, 7)
    raises("odd has no node", models.node_pose, models, e, "a\0d")
  end)

  it("takes ten numbers for a pose", function()
    local models, make = scene()
    local e = make()
    raises("number expected, got no value", function() models:set_node_pose(e, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1) end)
    raises("number expected, got string", function() models:set_node_pose(e, 1, 0, 0, "0", 0, 0, 0, 1, 1, 1, 1) end)
    raises("number expected, got table", function() models:set_node_pose(e, 1, { 0, 0, 0 }) end)
    assert.are.same({ 0, 10, 0, 0, 0, 0, 1, 1, 1, 1 }, { models:node_pose(e, 1) })
  end)
end)

describe("matrices of nodes", function()
  it("are returned as numbers, or fill a table", function()
    local models, make = scene()
    local e = make()
    local out = { n = "kept", [17] = "kept" }
    assert.equal(out, models:node_matrix(e, "hip", out))
    assert.are.same({ models:node_matrix(e, "hip") }, { unpack(out, 1, 16) })
    assert.equal("kept", out[17])
    assert.equal("kept", out.n)
    raises("table expected, got number", models.node_matrix, models, e, 1, 5)
  end)

  it("are returned all at once in one array", function()
    local models, make = scene()
    local e = make()
    local all = models:node_matrices(e)
    assert.equal(64, #all)
    for node = 1, 4 do
      assert.are.same({ models:node_matrix(e, node) }, { unpack(all, 16 * node - 15, 16 * node) })
    end
    local out = {}
    for i = 1, 70 do out[i] = i end
    assert.equal(out, models:node_matrices(e, out))
    assert.are.same(all, { unpack(out, 1, 64) })
    assert.are.same({ 65, 66, 67, 68, 69, 70 }, { unpack(out, 65) })
    raises("table expected, got string", models.node_matrices, models, e, "out")
  end)

  it("in the world follow the entity's transform", function()
    local models, make, _, world = scene()
    local e = make()
    raises(cuttle.entity_tostring(e) .. " has no transform", models.node_world_matrix, models, e, "foot")
    world.transform:create(e, { position = { 100, 0, 0 }, scale = 2 })
    local m = { models:node_world_matrix(e, "foot") }
    assert.are.same({ 98, 12, 0 }, { m[13], m[14], m[15] })
    world.transform:set_local_position(e, 0, 0, 50)
    local out = {}
    assert.equal(out, models:node_world_matrix(e, 4, out))
    assert.are.same({ -2, 12, 50 }, { out[13], out[14], out[15] })
    assert.are.same({ -1, 6, 0 }, place_of(models, e, "foot"))
  end)

  it("in the world use the transform of the same world", function()
    local models, make, entities = scene()
    local e = make()
    cuttle.world(entities).transform:create(e)
    raises("has no transform", models.node_world_matrix, models, e, 1)
  end)
end)

describe("a model resource", function()
  it("is the same table that was defined", function()
    local models = scene()
    assert.equal(BIPED, models:resource_data "biped")
    raises("unknown model resource 'bipped' (did you mean 'biped'?)", models.resource_data, models, "bipped")
  end)

  it("has rotations as quaternions or angles, and scales of one number or three", function()
    local models, make = scene()
    models:define_resource("odd", { nodes = { { rotation = { 0, 0, 2, 0 } }, { angle = math.pi / 2 },
      { scale = 3 }, { scale = { 1, 2, 3 } } } })
    local e = make "odd"
    assert.are.same({ 0, 0, 0, 0, 0, 1, 0, 1, 1, 1 }, { models:node_pose(e, 1) })
    local pose = { models:node_pose(e, 2) }
    assert.is_near(math.sqrt(0.5), pose[6], 1e-6)
    assert.is_near(math.sqrt(0.5), pose[7], 1e-6)
    assert.are.same({ 0, 0, 0, 0, 0, 0, 1, 3, 3, 3 }, { models:node_pose(e, 3) })
    assert.are.same({ 0, 0, 0, 0, 0, 0, 1, 1, 2, 3 }, { models:node_pose(e, 4) })
  end)

  it("may have several roots", function()
    local models, make = scene()
    local nodes = { { position = { 1, 0, 0 } }, { position = { 0, 1, 0 } }, { parent = 1 } }
    models:define_resource("pair", { nodes = nodes })
    local e = make "pair"
    assert.are.same({ 0, 1, 0 }, place_of(models, e, 2))
    assert.are.same({ 1, 0, 0 }, place_of(models, e, 3))
  end)

  local function refuses(text, nodes, more)
    local models, make, _, world = scene()
    local e = make()
    local desc = { nodes = nodes }
    for key, value in pairs(more or {}) do desc[key] = value end
    raises(text, models.define_resource, models, "new", desc)
    raises("unknown model resource 'new'", models.resource_data, models, "new")
    raises(text, models.define_resource, models, "biped", desc)
    assert.equal(BIPED, models:resource_data "biped")
    assert.are.same({ -1, 6, 0 }, place_of(models, e, "foot"))
    valid(world)
  end

  it("needs a list of nodes", function()
    refuses("nodes: expected an array of nodes, got nil", nil)
    refuses("nodes: expected an array of nodes, got string", "hip")
    refuses("nodes: expected 1 to 65535 nodes, got 0", {})
    refuses("nodes: expected 1 to 65535 nodes, got 0", { hip = {} })
    refuses("nodes: expected an array without other keys", { {}, hip = {} })
    refuses("nodes: expected an array without other keys", { {}, [0] = {} })
    refuses("nodes[2]: table expected, got boolean", { {}, false, {} })
    refuses("nodes[1]: table expected, got string", { "hip" })
  end)

  it("has no unknown keys", function()
    refuses("unknown field 'node' (did you mean 'nodes'?)", { {} }, { node = {} })
    refuses("unknown field '?'", { {} }, { 5 })
    refuses("nodes[2]: unknown field 'postion' (did you mean 'position'?)", { {}, { postion = { 1, 2, 3 } } })
    refuses("nodes[1]: expected names of values as keys, got a key of type number", { { 5 } })
  end)

  it("has parents that stand before their children", function()
    refuses("nodes[1].parent: the first node has no earlier node", { { parent = 1 } })
    refuses("nodes[2].parent: expected the number of an earlier node, 1 to 1, got 2", { {}, { parent = 2 } })
    refuses("nodes[3].parent: expected the number of an earlier node, 1 to 2, got 0", { {}, {}, { parent = 0 } })
    refuses("nodes[3].parent: expected the number of an earlier node, 1 to 2, got 1.5", { {}, {}, { parent = 1.5 } })
    refuses("nodes[2].parent: expected the number of an earlier node, 1 to 1", { {}, { parent = 0 / 0 } })
    refuses("nodes[2].parent: expected the number of an earlier node, 1 to 1", { {}, { parent = 2^32 + 1 } })
    refuses("nodes[1].parent: expected an earlier node, got 'b', which is nodes[2]",
      { { parent = "b" }, { name = "b" } })
    refuses("nodes[1].parent: expected an earlier node, got 'a', which is nodes[1]", { { name = "a", parent = "a" } })
    refuses("nodes[2].parent: no earlier node has the name 'hpi' (did you mean 'hip'?)",
      { { name = "hip" }, { parent = "hpi" } })
    refuses("nodes[2].parent: no earlier node has the name 'zeppelin'", { { name = "hip" }, { parent = "zeppelin" } })
    refuses("nodes[1].parent: expected the number or name of an earlier node, got table", { { parent = {} } })
  end)

  it("has unique names", function()
    refuses("nodes[3].name: nodes[1] is called 'arm' already", { { name = "arm" }, {}, { name = "arm" } })
    refuses("nodes[1].name: expected a string, got number", { { name = 5 } })
    refuses("nodes[1].name: expected 1 to 2147483647 bytes", { { name = "" } })
  end)

  it("has poses of numbers", function()
    refuses("nodes[1].position: expected 3 numbers, got 2", { { position = { 1, 2 } } })
    refuses("nodes[1].position: expected 3 numbers, got string at 2", { { position = { 1, "2", 3 } } })
    refuses("nodes[1].position: expected 3 numbers, got number", { { position = 5 } })
    refuses("nodes[1].rotation: expected 4 numbers, got 3", { { rotation = { 1, 2, 3 } } })
    refuses("nodes[1].angle: expected a number, got table", { { angle = {} } })
    refuses("nodes[1].scale: expected 3 numbers, got boolean", { { scale = true } })
    refuses("nodes[1].angle: not together with rotation", { { angle = 1, rotation = { 0, 0, 0, 1 } } })
  end)

  it("needs a name and a table", function()
    local models = scene()
    raises("string expected, got number", function() models:define_resource(1, CRANE) end)
    raises("name of 1 to", function() models:define_resource("", CRANE) end)
    raises("table expected, got nil", function() models:define_resource("new", nil) end)
  end)

  it("belongs to its world", function()
    local _, _, entities = scene()
    local other = cuttle.world(entities).model
    raises("unknown model resource 'biped'", other.resource_data, other, "biped")
    raises("unknown model resource 'biped'", other.create, other, entities:create(), { resource = "biped" })
  end)
end)

describe("a model resource that is defined again", function()
  it("changes rest poses and names, and instances keep their poses", function()
    local models, make, _, world = scene()
    local old = make()
    move(models, old, "hip", 0, 1, 0)
    local pelvis = { name = "pelvis", position = { 0, 7, 0 } }
    local desc = { nodes = { pelvis, { parent = 1 }, { parent = 1 }, { parent = 2 } } }
    models:define_resource("biped", desc)
    assert.equal(desc, models:resource_data "biped")
    assert.are.same({ 0, 1, 0, 0, 0, 0, 1, 1, 1, 1 }, { models:node_pose(old, "pelvis") })
    assert.are.same({ -1, 6, 0 }, place_of(models, old, 4))
    raises("biped has no node 'hip'", models.node_pose, models, old, "hip")
    assert.are.same({ 0, 7, 0 }, place_of(models, make(), "pelvis"))
    models:evaluate()
    assert.are.same({ -1, -3, 0 }, place_of(models, old, 4))
    valid(world)
  end)

  it("with other nodes is refused while living instances use it", function()
    local models, make, entities, world = scene()
    local a, b = make(), make()
    local text = "model resource 'biped' cannot get other nodes or parents (living instances: 2)"
    raises(text, models.define_resource, models, "biped", CRANE)
    local parents = { nodes = { {}, { parent = 1 }, { parent = 1 }, { parent = 1 } } }
    raises(text, models.define_resource, models, "biped", parents)
    assert.equal(BIPED, models:resource_data "biped")
    assert.are.same({ -1, 6, 0 }, place_of(models, a, "foot"))
    entities:destroy(a)
    raises("(living instances: 1)", models.define_resource, models, "biped", CRANE)
    valid(world)
    models:destroy(b)
    models:define_resource("biped", CRANE)
    assert.equal(2, models:node_count(make()))
    valid(world)
  end)

  it("with other nodes replaces one that no model uses", function()
    local models, make, _, world = scene()
    models:define_resource("biped", CRANE)
    assert.equal(CRANE, models:resource_data "biped")
    local e = make()
    assert.are.same({ 3, 0, 0 }, place_of(models, e, "arm"))
    valid(world)
  end)

  it("with other nodes leaves the rows of dead entities unchanged until they are collected", function()
    local models, make, entities, world = scene()
    local dead, living = { make(), make(), make() }, make "crane"
    entities:destroy(dead)
    models:define_resource("biped", CRANE)
    valid(world)
    local new = make()
    models:define_resource("crane", CRANE)
    for i = 1, 20 do
      entities:destroy(new)
      models:define_resource("biped", i % 2 == 0 and CRANE or BIPED)
      new = make()
      valid(world)
    end
    assert.equal(25, models:count())
    assert.equal(23, models:gc "all")
    valid(world)
    assert.are.same({ 3, 0, 0 }, place_of(models, living, "arm"))
    assert.equal(2, models:node_count(new))
  end)

  it("frees the memory of its old nodes", function()
    local models, make, entities, world = scene()
    local function cycle(i)
      local e = make()
      entities:destroy(e)
      models:define_resource("biped", { nodes = { { name = "a" .. i % 7 }, { name = "b", parent = "a" .. i % 7 } } })
      models:define_resource("biped", BIPED)
      models:gc "all"
    end
    for i = 1, 10 do cycle(i) end
    local before = world:memory()
    for i = 1, 100 do cycle(i) end
    assert.equal(before, world:memory())
    valid(world)
  end)
end)

describe("an unknown model resource", function()
  it("is refused with the most similar known name", function()
    local models, make, entities, world = scene()
    local e = make()
    local text = "resource: unknown model resource 'bipde' (did you mean 'biped'?)"
    raises(text, make, "bipde")
    raises(text, models.set_resource, models, e, "bipde")
    raises(text, models.set, models, e, { resource = "bipde" })
    raises(text, models.write, models, e, "resource", "bipde")
    raises(text, models.create_many, models, entities:create(3), { resource = { "biped", "bipde", "crane" } })
    raises("model: " .. text, world.create, world, { model = { resource = "bipde" } })
    assert.equal(1, models:count())
    assert.are.same({ -1, 6, 0 }, place_of(models, e, "foot"))
    valid(world)
  end)

  it("is also a name that only a mesh resource has", function()
    local _, make, _, world = scene()
    world.mesh:define_resource("body", {})
    raises("unknown model resource 'body'", make, "body")
    raises("unknown mesh resource 'biped'", world.mesh.resource_data, world.mesh, "biped")
  end)

  it("is refused at spawn before anything is created", function()
    local models, _, entities, world = scene()
    local resource = compile(world, {
      { components = { model = { resource = "biped" }, transform = {} } },
      { components = { model = { resource = "bipde" } } } })
    local level, message = world:spawn(resource)
    assert.is_nil(level)
    assert.equal("model: resource of instance 2: unknown model resource 'bipde' (did you mean 'biped'?)", message)
    assert.equal(0, entities:count())
    assert.equal(0, models:count())
    models:define_resource("bipde", CRANE)
    level = assert(world:spawn(resource))
    assert.equal(2, models:node_count(level:entity(2)))
    valid(world)
  end)
end)

describe("models spawned from a level", function()
  it("have the rest poses of the resource as it is defined at the spawn", function()
    local models, _, entities, world = scene()
    local resource = compile(world, {
      { name = "walker", components = { model = { resource = "biped" }, transform = { position = { 0, 0, 9 } } } },
      { name = "crane", components = { model = { resource = "crane" } } } })
    local level = assert(world:spawn(resource))
    local m = { models:node_world_matrix(level:find "walker", "foot") }
    assert.are.same({ -1, 6, 9 }, { m[13], m[14], m[15] })
    assert.are.same({ 3, 0, 0 }, place_of(models, level:find "crane", "arm"))
    move(models, level:find "walker", 1, 1, 1, 1)
    level:unload()
    models:define_resource("biped", CRANE)
    level = assert(world:spawn(resource))
    assert.are.same({ 3, 0, 0 }, place_of(models, level:find "walker", "arm"))
    assert.equal(4, models:count())
    valid(world)
    level:restart()
    assert.equal(2, entities:count())
    models:gc "all"
    assert.equal(2, models:count())
    valid(world)
  end)
end)

describe("the pool of nodes", function()
  local function arms(n)
    local nodes = {}
    for i = 1, n do nodes[i] = { parent = i > 1 and i - 1 or nil, position = { 1, 0, 0 } } end
    return { nodes = nodes }
  end

  -- Models of several sizes, each at a position given by its number.
  local function crowd()
    local models, make, entities, world = scene()
    for n = 1, 5 do models:define_resource("arm" .. n, arms(n)) end
    local list = {}
    local function add(i)
      local e = make("arm" .. i % 5 + 1)
      move(models, e, 1, i, 0, 0)
      list[#list + 1] = { e = e, x = i, n = i % 5 + 1 }
    end
    local function check()
      valid(world)
      for _, one in ipairs(list) do
        assert.are.same({ one.x + one.n - 1, 0, 0 }, place_of(models, one.e, one.n))
      end
    end
    return models, list, add, check, entities
  end

  it("keeps the poses of instances when it grows", function()
    local models, _, add, check = crowd()
    for i = 1, 100 do
      add(i)
      models:evaluate()
      if i % 10 == 0 then check() end
    end
    check()
  end)

  it("keeps the poses of instances when gaps are filled and left", function()
    local models, list, add, check, entities = crowd()
    for i = 1, 60 do add(i) end
    models:evaluate()
    for step = 1, 60 do
      local one = table.remove(list, step * 7 % #list + 1)
      if step % 3 == 0 then
        models:destroy(one.e)
      else
        entities:destroy(one.e)
        if step % 2 == 0 then models:gc "all" end
      end
      check()
      if step % 4 ~= 0 then
        add(step * 100)
        models:evaluate()
        check()
      end
    end
  end)

  it("does not grow while instances are created and destroyed in turn", function()
    local models, list, add, check = crowd()
    local function churn(from)
      for i = from, from + 500 do
        models:destroy(table.remove(list, i * 13 % #list + 1).e)
        add(i)
      end
    end
    for i = 1, 50 do add(i) end
    churn(1)
    local before = models:memory()
    churn(1000)
    churn(2000)
    churn(3000)
    assert.equal(before, models:memory())
    models:evaluate()
    check()
  end)

  it("reuses its memory after all instances were destroyed", function()
    local models, list, add, check = crowd()
    for i = 1, 30 do add(i) end
    local before = models:memory()
    for i = #list, 1, -1 do
      models:destroy(list[i].e)
      list[i] = nil
    end
    check()
    for i = 1, 30 do add(i) end
    models:evaluate()
    check()
    assert.equal(before, models:memory())
  end)

  it("is evaluated without instances", function()
    local models, make, entities, world = scene()
    models:evaluate()
    entities:destroy(make())
    models:evaluate()
    models:gc "all"
    models:evaluate()
    world:clear()
    models:evaluate()
    assert.are.same({ -1, 6, 0 }, place_of(models, make(), "foot"))
    valid(world)
  end)
end)

describe("models of a destroyed world", function()
  it("raise in every method", function()
    local models, make, _, world = scene()
    local e = make()
    world:destroy()
    for _, call in ipairs { "evaluate", "node_count", "node_pose", "set_node_pose", "node_matrix", "node_matrices",
      "node_world_matrix" } do
      raises("world is destroyed", models[call], models, e, 1, unpack(STILL))
    end
    raises("world is destroyed", models.define_resource, models, "biped", BIPED)
    raises("world is destroyed", models.resource_data, models, "biped")
  end)

  it("are freed with it, and so are rows of dead entities", function()
    local models, make, entities, world = scene()
    for _ = 1, 10 do
      entities:destroy(make())
      models:define_resource("biped", CRANE)
      make()
      models:set_resource(make "crane", "biped")
      world:clear()
      models:define_resource("biped", BIPED)
    end
    make()
    world:destroy()
    raises("world is destroyed", models.count, models)
  end)
end)

describe("models, when memory runs out,", function()
  local fail_in = core.testing and core.testing.fail_in
  if not fail_in then return end
  after_each(function() fail_in(-1) end)

  -- Calls f with the n-th allocation failing, until none fails. Calls check after each failure.
  local function sweep(f, check)
    local n = 0
    repeat
      fail_in(n)
      local ok, message = pcall(f)
      fail_in(-1)
      if not ok then
        assert.matches("not enough memory", message)
        check()
      end
      n = n + 1
    until ok
    return n - 1
  end

  it("define a resource completely or not at all", function()
    local models, make, _, world = scene()
    for i = 1, 20 do
      local name, desc = "part" .. i, { nodes = { { name = "first" .. i }, { name = "second" .. i, parent = 1 } } }
      local failures = sweep(function() models:define_resource(name, desc) end, function()
        raises("unknown model resource", models.resource_data, models, name)
        raises("unknown model resource", make, name)
        valid(world)
      end)
      assert.is_true(failures > 0)
      assert.equal(desc, models:resource_data(name))
      assert.equal(2, models:node_count(make(name)))
    end
  end)

  it("keep the resource that was defined before", function()
    local models, make, entities, world = scene()
    local e = make "crane"
    for i = 1, 20 do
      entities:destroy(make())
      local last = models:resource_data "biped"
      local desc = { nodes = { { name = "n" .. i, position = { i, 0, 0 } } } }
      if i % 2 == 0 then desc.nodes[2] = { name = "m" .. i } end
      sweep(function() models:define_resource("biped", desc) end, function()
        assert.equal(last, models:resource_data "biped")
        valid(world)
      end)
      desc = { nodes = { { name = "mast" .. i }, { parent = 1, name = "arm" .. i, position = { i, 0, 0 } } } }
      sweep(function() models:define_resource("crane", desc) end, function() valid(world) end)
      assert.are.same({ 3, 0, 0, 0, 0, 0, 1, 1, 1, 1 }, { models:node_pose(e, "arm" .. i) })
      if i % 5 == 0 then models:gc "all" end
      valid(world)
    end
  end)

  it("change their resource completely or not at all", function()
    local models, make, _, world = scene()
    local list = {}
    for i = 1, 20 do list[i] = make "crane" end
    for _, e in ipairs(list) do
      move(models, e, 1, 1, 1, 1)
      sweep(function() models:set_resource(e, "biped") end, function()
        assert.equal("crane", models:resource(e))
        assert.are.same({ 1, 1, 1, 0, 0, 0, 1, 1, 1, 1 }, { models:node_pose(e, 1) })
        valid(world)
      end)
      assert.equal(4, models:node_count(e))
      valid(world)
    end
  end)

  it("are spawned completely or not at all", function()
    local models, make, entities, world = scene()
    local resource = compile(world, { { components = { model = { resource = "biped" } } },
      { components = { model = { resource = "crane" }, transform = {} } } })
    local e = make()
    for _ = 1, 10 do
      local n, level, message = 0
      repeat
        local count, rows = entities:count(), models:count()
        fail_in(n)
        level, message = world:spawn(resource)
        fail_in(-1)
        if not level then
          assert.equal("not enough memory", message)
          assert.are.same({ count, rows }, { entities:count(), models:count() })
        end
        valid(world)
        n = n + 1
      until level
    end
    assert.are.same({ -1, 6, 0 }, place_of(models, e, "foot"))
  end)

  it("are removed and evaluated without allocations", function()
    local models, make, entities, world = scene()
    local list = {}
    for i = 1, 20 do
      list[i] = make(i % 3 == 0 and "crane" or "biped")
      move(models, list[i], 1, i, 0, 0)
    end
    fail_in(0)
    entities:destroy(list[3])
    models:destroy(list[7])
    models:gc "all"
    models:evaluate()
    move(models, list[1], 1, 0, 0, 0)
    fail_in(-1)
    assert.are.same({ 5, 0, 0 }, place_of(models, list[5], 1))
    valid(world)
  end)
end)

-- A naive implementation in tables and doubles. A float has 7 digits, and each product down the hierarchy loses some of
-- the last one: a number may differ by TOLERANCE times the sum of the largest numbers down to the node.
local TOLERANCE = 2e-6

-- The matrix of a pose; the rotation may have any length.
local function compose(px, py, pz, x, y, z, w, sx, sy, sz)
  local length = math.sqrt(x * x + y * y + z * z + w * w)
  return matrices.compose({ px, py, pz }, { x / length, y / length, z / length, w / length }, { sx, sy, sz })
end

-- Returns the matrices of all nodes, and the sums of the largest numbers down to each node.
local function evaluate(parents, poses)
  local found, sizes = {}, {}
  for i, pose in ipairs(poses) do
    local own, above = compose(unpack(pose)), parents[i]
    found[i] = above and matrices.multiply(found[above], own) or own
    sizes[i] = (above and sizes[above] or 0) + math.max(1, matrices.largest(own), matrices.largest(found[i]))
  end
  return found, sizes
end

local function random_pose()
  local pose = {}
  for i = 1, 10 do pose[i] = math.random() * 2 - 1 end
  if math.random(20) == 1 then pose[math.random(8, 10)] = 0 end
  return pose
end

-- Makes a random resource, with the given parents if there are any.
local function random_resource(most, parents)
  local resource = { desc = { nodes = {} }, parents = {}, poses = {} }
  local nodes = resource.desc.nodes
  for i = 1, parents and #parents or math.random(most) do
    local pose = random_pose()
    local parent = i > 1 and math.random(8) > 1 and math.random(math.max(1, i - 3), i - 1)
    if parents then parent = parents[i] end
    resource.parents[i], resource.poses[i] = parent, pose
    nodes[i] = { name = math.random(2) == 1 and "node" .. i or nil, position = { pose[1], pose[2], pose[3] },
      rotation = { pose[4], pose[5], pose[6], pose[7] }, scale = { pose[8], pose[9], pose[10] },
      parent = parent and (nodes[parent].name or parent) or nil }
  end
  return resource
end

local function same_parents(a, b)
  if #a.parents ~= #b.parents then return false end
  for i, parent in ipairs(a.parents) do
    if parent ~= b.parents[i] then return false end
  end
  return true
end

-- Random calls, compared with a naive model.
local function random_run(steps)
  local models, _, entities, world = scene()
  local resources, names, list = {}, {}, {}

  local function rest(one, name)
    local resource = resources[name]
    one.name, one.poses = name, {}
    for i, pose in ipairs(resource.poses) do one.poses[i] = pose end
    one.found, one.sizes = evaluate(resource.parents, one.poses)
  end

  local function uses(name)
    for _, one in ipairs(list) do
      if one.name == name then return true end
    end
  end

  local function define()
    local name = "resource" .. math.random(6)
    local old = resources[name]
    local resource = random_resource(12, old and math.random(2) == 1 and old.parents or nil)
    if old and uses(name) and not same_parents(old, resource) then
      raises("cannot get other nodes or parents", models.define_resource, models, name, resource.desc)
      return
    end
    models:define_resource(name, resource.desc)
    if not old then names[#names + 1] = name end
    resources[name] = resource
  end

  local function remove(place, by)
    local one = table.remove(list, place)
    if by == 1 then models:destroy(one.e) else entities:destroy(one.e) end
  end

  local function check(one)
    local numbers = models:node_matrices(one.e)
    assert.equal(16 * #one.poses, #numbers)
    for node, matrix in ipairs(one.found) do
      local tolerance = TOLERANCE * one.sizes[node]
      for i = 1, 16 do
        local off = math.abs(numbers[16 * node - 16 + i] - matrix[i])
        assert.is_true(off <= tolerance, ("node %d: number %d is off by %g"):format(node, i, off))
      end
    end
  end

  local function evaluate_all()
    models:evaluate()
    for _, one in ipairs(list) do one.found, one.sizes = evaluate(resources[one.name].parents, one.poses) end
  end

  define()
  for _ = 1, steps do
    local dice, place = math.random(20), math.random(#list + 1)
    local one = list[place]
    if #names == 0 or dice == 1 then
      define()
    elseif dice <= 5 or not one then
      one = { e = entities:create() }
      rest(one, names[math.random(#names)])
      models:create(one.e, { resource = one.name })
      list[#list + 1] = one
    elseif dice <= 9 then
      remove(place, dice % 2)
    elseif dice == 10 then
      models:gc(math.random(2) == 1 and "all" or nil)
    elseif dice == 11 then
      rest(one, names[math.random(#names)])
      models:set_resource(one.e, one.name)
    elseif dice <= 16 then
      for _ = 1, 5 do
        local node = math.random(#one.poses)
        one.poses[node] = random_pose()
        models:set_node_pose(one.e, node, unpack(one.poses[node]))
      end
    else
      evaluate_all()
    end
    valid(world)
    one = list[math.random(#list + 1)]
    if one then check(one) end
  end
  evaluate_all()
  for _, one in ipairs(list) do check(one) end
end

describe("models compared with a naive implementation, seed " .. seed, function()
  it("have the same poses", function()
    math.randomseed(seed)
    random_run(rounds(700, 200))
  end)

  it("have unit matrices at rest by default", function()
    local models, make = scene()
    models:define_resource("plain", { nodes = { {} } })
    assert.are.same(IDENTITY, { models:node_matrix(make "plain", 1) })
  end)
end)
