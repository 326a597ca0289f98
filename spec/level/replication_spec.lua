local blob = require "spec.support.blob"
local cuttle = require "cuttle"
local slow = require "spec.support.slow"
local valid = require "spec.support.valid"

local id_of = cuttle.entity_id

local function new_world()
  local world = cuttle.world(cuttle.entity_manager())
  world:define("health", { { "hp", "float", 100 }, { "target", "entity" }, { "state", "enum", { "idle", "run" } } })
  world:define("item", { { "amount", "int32" } }, { multiple = true })
  world:define("note", { { "text", "value" } })
  world:define("pocket", { { "content", "value" } }, { multiple = true })
  return world
end

-- A publisher and a subscriber that receives each message.
local function new_pair(options)
  local pair = { world = new_world(), remote = new_world() }
  options = options or {}
  options.components = options.components or { "transform", "health", "item", "note", "grid", "debug_name" }
  if options.where then options.where = pair.world:query(options.where) end
  pair.out = cuttle.publisher(pair.world, options)
  pair.sub = cuttle.subscriber(pair.remote)
  pair.peer = pair.out:peer()
  function pair.send(...)
    local frame = pair.out:frame()
    assert.are.equal(frame, pair.sub:apply(pair.peer:message(...)))
    pair.peer:acknowledge(frame)
    valid(pair.remote)
    return frame
  end
  function pair.of(e) return pair.sub:entity(e) end
  return pair
end

describe("replication", function()
  it("creates the published components at the receiver", function()
    local pair = new_pair()
    local e = pair.world:create { health = { hp = 50, state = "run" }, transform = { position = { 1, 2, 3 } } }
    pair.send()
    local found = pair.of(e)
    assert.are.equal(50, pair.remote.health:hp(found))
    assert.are.equal("run", pair.remote.health:state(found))
    assert.are.same({ 1, 2, 3 }, { pair.remote.transform:local_position(found) })
    assert.are.equal(id_of(e), pair.sub:id(found))
  end)

  it("writes, removes and destroys what changed", function()
    local pair = new_pair()
    local a, b = unpack(pair.world:create({ health = {}, note = { text = { 1 } } }, 2))
    pair.send()
    local first, second = pair.of(a), pair.of(b)
    pair.world.health:set_hp(a, 5)
    pair.world.note:destroy(a)
    pair.world.entities:destroy(b)
    pair.send()
    assert.are.equal(5, pair.remote.health:hp(first))
    assert.is_false(pair.remote.note:has(first))
    assert.is_false(pair.remote.entities:alive(second))
    assert.is_nil(pair.sub:entity(b))
  end)

  it("translates references, also to entities that arrive later", function()
    local pair = new_pair()
    local a, b = unpack(pair.world:create({ health = {}, transform = {} }, 2))
    pair.world.health:set_target(a, b)
    pair.send { a }
    assert.is_nil(pair.remote.health:target(pair.of(a)))
    pair.send { a, b }
    assert.are.equal(pair.of(b), pair.remote.health:target(pair.of(a)))
  end)

  it("links transforms, and sends world poses without the parent", function()
    local pair = new_pair()
    local a = pair.world:create { transform = { position = { 10, 0, 0 } } }
    local b = pair.world:create { transform = { position = { 1, 0, 0 }, parent = a } }
    pair.send { b }
    assert.are.same({ 11, 0, 0 }, { pair.remote.transform:local_position(pair.of(b)) })
    pair.world.transform:set_local_position(a, 20, 0, 0)
    pair.send { b }
    assert.are.same({ 21, 0, 0 }, { pair.remote.transform:local_position(pair.of(b)) })
    pair.send { a, b }
    assert.are.same({ 1, 0, 0 }, { pair.remote.transform:local_position(pair.of(b)) })
    assert.are.same({ 21, 0, 0 }, { pair.remote.transform:world_position(pair.of(b)) })
  end)

  it("exchanges parent and child", function()
    local pair = new_pair()
    local a, b = unpack(pair.world:create({ transform = {} }, 2))
    pair.world.transform:link(a, b)
    pair.send()
    pair.world.transform:unlink(a)
    pair.world.transform:link(b, a)
    pair.send()
    local transform = pair.remote.transform
    assert.are.equal(pair.of(a), transform:entity(transform:parent(pair.of(b))))
    assert.is_nil(transform:parent(pair.of(a)))
  end)

  it("attaches transforms to nodes of models", function()
    local pair = new_pair { components = { "transform", "model" } }
    for _, world in ipairs { pair.world, pair.remote } do
      world.model:define_resource("rig", { nodes = { { name = "root" },
        { name = "hand", parent = 1, position = { 5, 0, 0 } },
        { name = "foot", parent = 1, position = { 0, 7, 0 } } } })
    end
    local a = pair.world:create { transform = {}, model = { resource = "rig" } }
    local b = pair.world:create { transform = {} }
    pair.world.transform:link(b, a, { node = "hand" })
    pair.send()
    assert.are.equal(2, pair.remote.transform:parent_node(pair.of(b)))
    assert.are.same({ 5, 0, 0 }, { pair.remote.transform:world_position(pair.of(b)) })
    pair.world.transform:link(b, a, { node = "foot" })
    pair.send()
    assert.are.equal(3, pair.remote.transform:parent_node(pair.of(b)))
    pair.world.transform:link(b, a)
    pair.send()
    assert.is_nil(pair.remote.transform:parent_node(pair.of(b)))
  end)

  describe("with a transform that is attached to a node, sends a root with its world pose", function()
    local function new_scene(options)
      local pair = new_pair(options)
      for _, world in ipairs { pair.world, pair.remote } do
        world.model:define_resource("arm", { nodes = { { name = "root", position = { 1, 0, 0 } },
          { name = "hand", parent = 1, position = { 5, 0, 0 } } } })
      end
      pair.body = pair.world:create { transform = { position = { 100, 0, 0 } }, model = { resource = "arm" } }
      pair.sword = pair.world:create {
        transform = { position = { 0, 3, 0 }, parent = pair.body, parent_node = "hand" },
      }
      pair.gem = pair.world:create { transform = { position = { 0, 0, 2 }, parent = pair.sword } }
      function pair.check(e, parent)
        local transform, here = pair.remote.transform, pair.of(e)
        local above = transform:parent(here)
        assert.are.equal(parent and pair.of(parent), above and transform:entity(above))
        assert.are.same({ pair.world.transform:world_position(e) }, { transform:world_position(here) })
      end
      return pair
    end

    it("if the parent is not in the list", function()
      local pair = new_scene { components = { "transform", "model" } }
      pair.send { pair.sword, pair.gem }
      pair.check(pair.sword)
      pair.check(pair.gem, pair.sword)
      pair.world.model:set_node_pose(pair.body, "root", 2, 0, 0, 0, 0, 0, 1, 1, 1, 1)
      pair.send { pair.gem }
      pair.check(pair.gem)
      pair.world.transform:link(pair.sword, pair.body)
      pair.send { pair.gem }
      pair.check(pair.gem)
    end)

    it("if the component 'model' is not published", function()
      local pair = new_scene { components = { "transform" } }
      pair.send()
      pair.check(pair.sword)
      pair.check(pair.gem, pair.sword)
      pair.world.transform:set_local_position(pair.body, 7, 7, 7)
      pair.send()
      pair.check(pair.sword)
      pair.world.transform:link(pair.sword, pair.body)
      pair.send()
      pair.check(pair.sword, pair.body)
    end)
  end)

  it("sends only the cells that changed", function()
    local pair = new_pair()
    local cells = {}
    for i = 1, 10000 do cells[i] = i end
    local e = pair.world:create { grid = { width = 100, height = 100, cells = cells } }
    pair.send()
    pair.world.grid:set_cell(e, 50, 50, 7)
    pair.world.grid:set_flips(e, 99, 99, true, false, true)
    pair.remote.grid:set_cell(pair.of(e), 0, 0, 999)
    pair.out:frame()
    local message = pair.peer:message()
    assert.is_true(#message < 120)
    assert(pair.sub:apply(message))
    assert.are.equal(7, pair.remote.grid:cell(pair.of(e), 50, 50))
    assert.are.equal(999, pair.remote.grid:cell(pair.of(e), 0, 0))
    assert.are.same({ true, false, true }, { pair.remote.grid:flips(pair.of(e), 99, 99) })
    pair.world.grid:set(e, { width = 1, height = 1, cells = { 3 } })
    pair.send()
    assert.are.same({ 1, 1 }, { pair.remote.grid:size(pair.of(e)) })
  end)

  it("keeps the ids of components of which an entity has several", function()
    local pair = new_pair()
    local e = pair.world:create { item = { { id = "sword", amount = 1 }, { amount = 2 }, { id = 77, amount = 3 } } }
    pair.send()
    assert.are.same(pair.world.item:ids(e), pair.remote.item:ids(pair.of(e)))
    pair.world.item:destroy(pair.world.item:lookup(e, "sword"))
    pair.world.item:set_amount(pair.world.item:lookup(e, 77), 9)
    pair.send()
    local item = pair.remote.item
    assert.are.same(pair.world.item:ids(e), item:ids(pair.of(e)))
    assert.are.equal(9, item:amount(item:lookup(pair.of(e), 77)))
  end)

  it("sends thousands of components of an entity in linear time", function() -- in quadratic time some minutes
    local pair, count = new_pair { components = { "item", "health", "pocket" } }, slow and 500 or 5000
    local item, one, other = pair.world.item, pair.world.entities:create(), pair.world.entities:create()
    local function same()
      pair.send()
      for _, e in ipairs { one, other } do
        local ids, received = item:ids(e), pair.remote.item
        assert.are.same(ids, received:ids(pair.of(e)))
        for _, id in ipairs(ids) do
          assert.are.equal(item:amount(item:lookup(e, id)), received:amount(received:lookup(pair.of(e), id)))
        end
      end
    end
    for i = 1, count do
      item:create(one, { id = i, amount = i })
      item:create(other, { id = i % 2 == 0 and i or "item " .. i, amount = -i })
      pair.world.pocket:create(one, { content = i })
    end
    pair.world.health:create(other)
    same()
    for i = 1, count do item:set_amount(item:lookup(one, i), i + 1) end
    same()
    for i = 2, count, 2 do
      item:destroy(item:lookup(one, i))
      item:destroy(item:lookup(other, i))
    end
    same()
    item:create(one, { id = 2, amount = 7 }) -- again
    item:create(other, { amount = 8 })
    same()
    pair.sub:reset()
    pair.peer = pair.out:peer()
    for i = 1, count, 2 do item:destroy(item:lookup(other, "item " .. i)) end
    same()
    assert.is_true(pair.remote.health:has(pair.of(other)))
    assert.are.equal(count, #pair.remote.pocket:ids(pair.of(one)))
  end)

  it("removes a component once that was created and removed often", function()
    local pair = new_pair { components = { "item" }, keep = 300 }
    local item, e = pair.world.item, pair.world:create { item = { { id = "often", amount = 1 }, { id = 2 } } }
    local base = pair.send()
    for i = 1, 100 do
      item:destroy(item:lookup(e, "often"))
      pair.out:frame()
      if i < 100 then item:create(e, { id = "often" }) end
      pair.out:frame()
    end
    assert.are.equal(pair.out:frame(), pair.sub:apply(pair.out:message(base)))
    assert.are.same({ 2 }, pair.remote.item:ids(pair.of(e)))
  end)

  it("removes a component of each of thousands of entities in linear time", function()
    local pair, count = new_pair(), slow and 1000 or 20000
    local list = pair.world:create({ health = {}, note = {} }, count)
    pair.send()
    for i = 1, count do pair.world.note:destroy(list[i]) end
    pair.send()
    assert.are.equal(0, pair.remote.note:count())
    pair.world.note:create(list[3], { text = "again" })
    pair.world.health:destroy(list[3])
    pair.send()
    assert.are.equal("again", pair.remote.note:text(pair.of(list[3])))
    assert.are.equal(count - 1, pair.remote.health:count())
  end)

  it("sends steps, and exact values that have none", function()
    local pair = new_pair { steps = { ["health.hp"] = 0.25, ["transform.local_position"] = 0.5 } }
    local e = pair.world:create { health = { hp = 1.1 }, transform = { position = { 0.75, -0.75, 1e30 } } }
    pair.send()
    assert.are.equal(1, pair.remote.health:hp(pair.of(e)))
    local x, y = pair.remote.transform:local_position(pair.of(e))
    assert.are.same({ 0.75, -0.75 }, { x, y })
    pair.world.transform:set_local_position(e, 0.75, 1.25, -100.3)
    pair.send()
    assert.are.same({ 1, 1, -100.5 }, { pair.remote.transform:local_position(pair.of(e)) })
    local bytes = #pair.peer:message()
    pair.world.health:set_hp(e, 1.05)
    pair.out:frame()
    assert.are.equal(bytes, #pair.peer:message())
    pair.world.health:set_hp(e, 1 / 0)
    pair.send()
    assert.are.equal(1 / 0, pair.remote.health:hp(pair.of(e)))
    assert.are.equal(1 / 0, pair.world.health:hp(e))
  end)

  it("publishes the matches of a query", function()
    local pair = new_pair { where = "item" }
    local a, b = unpack(pair.world:create({ health = {} }, 2))
    pair.world.item:create(a)
    pair.send()
    assert.is_nil(pair.of(b))
    pair.world.item:destroy(a)
    pair.world.item:create(b)
    pair.send()
    assert.is_nil(pair.of(a))
    assert.is_true(pair.remote.health:has(pair.of(b)))
  end)

  it("gives the same message to all receivers at one frame", function()
    local pair = new_pair()
    pair.world:create({ health = {} }, 5)
    pair.send()
    pair.world:create { health = {} }
    pair.out:frame()
    assert.are.equal(pair.out:message(1), pair.peer:message())
    assert.are.equal(pair.out:message(0), pair.out:peer():message())
    assert.are.equal(pair.out:message(0), pair.out:message(99))
  end)

  it("applies a message at any frame from its base on", function()
    local pair = new_pair { keep = 3 }
    local e = pair.world:create { health = { hp = 1 } }
    pair.send()
    local old = {}
    for frame = 2, 3 do
      pair.world.health:set_hp(e, frame)
      pair.out:frame()
      old[frame] = pair.peer:message()
    end
    assert.are.equal(3, pair.sub:apply(old[3]))
    assert.are.equal(3, pair.sub:apply(old[2]))
    assert.are.equal(3, pair.remote.health:hp(pair.of(e)))
    local other = cuttle.subscriber(new_world())
    assert.are.same({ nil, "the first message must be full: its base is 1" }, { other:apply(old[2]) })
    assert.are.equal(3, other:apply(pair.out:message(0)))
    pair.out:frame()
    pair.out:frame()
    assert.are.same({ nil, "stale: at 3, message from 4" }, { other:apply(pair.out:message(4)) })
  end)

  it("sends a full message without acknowledgements for the kept frames", function()
    local pair = new_pair { keep = 2 }
    local e = pair.world:create { health = {} }
    pair.send()
    for _ = 1, 3 do pair.out:frame() end
    pair.world.entities:destroy(e)
    pair.out:frame()
    local full = pair.peer:message()
    assert.are.equal(pair.out:message(0), full)
    local found = pair.of(e)
    assert(pair.sub:apply(full))
    assert.is_false(pair.remote.entities:alive(found))
  end)

  it("tells which frames a peer had", function()
    local pair = new_pair()
    pair.out:frame()
    assert.is_false(pair.peer:acknowledge(1))
    pair.peer:message()
    assert.is_true(pair.peer:acknowledge(1))
    assert.is_false(pair.peer:acknowledge(2))
  end)

  it("lets entities wait that do not fit", function()
    local pair = new_pair()
    local all = pair.world:create({ health = {} }, 20)
    pair.out:frame()
    local message = pair.peer:message(nil, 1)
    assert.are.equal(19, pair.peer:waiting())
    assert(pair.sub:apply(message))
    assert.are.equal(1, pair.remote.entities:count())
    for _ = 1, 30 do
      pair.peer:acknowledge(pair.out:frame() - 1)
      local bytes = pair.peer:message(nil, 400)
      assert.is_true(#bytes <= 400)
      assert(pair.sub:apply(bytes))
    end
    assert.are.equal(0, pair.peer:waiting())
    assert.are.equal(20, pair.remote.entities:count())
    for _, e in ipairs(all) do assert.is_true(pair.remote.health:has(pair.of(e))) end
  end)

  it("starts again with another session", function()
    local pair = new_pair()
    pair.world:create { health = {} }
    pair.send()
    local kept = pair.remote:create { health = {} }
    local other = cuttle.publisher(pair.world, { components = { "health" } })
    other:frame()
    other:frame()
    assert.are.same({ nil, "a message of another session must be full: its base is 1" },
      { pair.sub:apply(other:message(1)) })
    assert.are.equal(2, pair.sub:apply(other:message(0)))
    assert.are.equal(2, pair.remote.entities:count())
    assert.is_true(pair.remote.entities:alive(kept))
  end)

  it("keeps what the receiver added", function()
    local pair = new_pair()
    local e = pair.world:create { health = {} }
    pair.send()
    pair.remote.transform:create(pair.of(e), { position = { 1, 1, 1 } })
    pair.remote.health:set_hp(pair.of(e), 7)
    pair.world.health:set_state(e, "run")
    pair.send()
    assert.is_true(pair.remote.transform:has(pair.of(e)))
    assert.are.equal(7, pair.remote.health:hp(pair.of(e)))
  end)

  it("puts received values back", function()
    local pair = new_pair()
    local components = { health = { hp = 3 }, transform = { angle = 1 }, note = { text = { 5 } } }
    local a, b = unpack(pair.world:create(components, 2))
    pair.world.transform:link(b, a)
    pair.world.health:set_target(a, b)
    pair.send()
    assert.are.equal(0, pair.sub:put_back())
    local found = pair.of(a)
    pair.remote.health:set_hp(found, 9)
    pair.remote.transform:set_local_position(found, 9, 9, 9)
    assert.are.equal(0, pair.sub:put_back { pair.of(b) })
    assert.are.equal(2, pair.sub:put_back { found })
    assert.are.equal(3, pair.remote.health:hp(found))
    pair.remote.transform:unlink(pair.of(b))
    pair.remote.note:set_text(found, "other")
    assert.are.equal(2, pair.sub:put_back())
    assert.are.same({ 5 }, pair.remote.note:text(found))
    pair.remote.entities:destroy(pair.of(b))
    assert.is_true(pair.sub:put_back() > 0)
    assert.are.equal(pair.of(b), pair.remote.health:target(found))
    assert.are.equal(3, pair.remote.health:hp(pair.of(b)))
    valid(pair.remote)
  end)

  it("raises the error of a hook as it is if values are put back", function()
    local pair = new_pair()
    local problem
    local e = pair.world:create { health = {} }
    pair.send()
    pair.remote.health:on_add(function() error(problem, 0) end)
    pair.remote.entities:destroy(pair.sub:entity(cuttle.entity_id(e)))
    for _, value in ipairs { "a text", { "a table" } } do
      problem = value
      local ok, got = pcall(pair.sub.put_back, pair.sub)
      assert.is_false(ok)
      assert.are.equal(value, got)
    end
    assert.are.equal(0, pair.remote.entities:count())
  end)

  it("creates entities again with any index", function()
    local pair = new_pair()
    local list = pair.world:create({ transform = {} }, 100)
    pair.send()
    pair.world:create({ transform = {} }, 3000) -- the map of local entities grows
    pair.send()
    local first = pair.of(list[1])
    pair.remote:create({ transform = {} }, 6000)
    pair.remote.entities:destroy(first)
    assert.are.equal(0, pair.sub:put_back { pair.of(list[2]) })
    assert.are.equal(3, pair.sub:put_back())
    local again = pair.of(list[1])
    assert.is_true(cuttle.entity_index(again) > 9000)
    assert.are.equal(id_of(list[1]), pair.sub:id(again))
    assert.is_nil(pair.sub:id(first))
    valid(pair.remote)
  end)

  it("forgets everything in a reset", function()
    local pair = new_pair()
    local e = pair.world:create { health = {} }
    pair.send()
    local found = pair.of(e)
    pair.sub:reset()
    assert.is_nil(pair.sub:entity(e))
    assert.is_true(pair.remote.entities:alive(found))
    assert(pair.sub:apply(pair.out:message(0)))
    assert.are.equal(2, pair.remote.entities:count())
    pair.sub:reset { destroy = true }
    assert.are.equal(1, pair.remote.entities:count())
  end)

  it("needs a reset after a restore of the receiver", function()
    local pair = new_pair()
    pair.world:create { health = {} }
    local snapshot = pair.remote.entities:snapshot()
    pair.send()
    pair.remote.entities:restore(snapshot)
    pair.out:frame()
    assert.are.same({ nil, "entities were restored" }, { pair.sub:apply(pair.peer:message()) })
    assert.has_error(function() pair.sub:put_back() end, "entities were restored")
    pair.sub:reset()
    assert(pair.sub:apply(pair.out:message(0)))
    assert.are.equal(1, pair.remote.entities:count())
  end)

  it("publishes the differences after a restore of the publisher's world", function()
    local pair = new_pair()
    local e = pair.world:create { health = { hp = 1 }, debug_name = { name = "one" } }
    local snapshot = pair.world.entities:snapshot()
    pair.send()
    pair.world.health:set_hp(e, 2)
    pair.world.debug_name:set_debug_name(e, "two")
    local other = pair.world:create { health = {} }
    pair.send()
    pair.world.entities:restore(snapshot)
    pair.send()
    assert.are.equal(1, pair.remote.health:hp(pair.of(e)))
    assert.are.equal("one", pair.remote.debug_name:debug_name(pair.of(e)))
    assert.is_nil(pair.sub:entity(other))
  end)

  it("publishes an entity that lives again after a restore", function()
    local pair = new_pair()
    local list = pair.world:create({ health = { hp = 5 }, transform = { position = { 1, 2, 3 } } }, 3)
    pair.send()
    local before = pair.world.entities:snapshot()
    pair.world.entities:destroy(list[2])
    pair.send()
    assert.is_nil(pair.of(list[2]))
    pair.world.entities:restore(before)
    pair.send()
    assert.are.equal(5, pair.remote.health:hp(pair.of(list[2])))
    assert.are.same({ 1, 2, 3 }, { pair.remote.transform:local_position(pair.of(list[2])) })
  end)

  it("removes an entity that was created after the restored snapshot", function()
    local pair = new_pair()
    local before = pair.world.entities:snapshot()
    local e = pair.world:create { health = {} }
    pair.send()
    pair.world.entities:restore(before)
    pair.send()
    assert.is_nil(pair.of(e))
    assert.are.equal(0, pair.remote.entities:count())
  end)

  -- The receiver acknowledges each message three frames later, so four messages are on their way.
  it("sends everything with a limit and late acknowledgements", function()
    local pair = new_pair()
    pair.world:create({ health = { hp = 7 }, transform = {} }, 60)
    local frames = {}
    repeat
      frames[#frames + 1] = pair.out:frame()
      assert.are.equal(#frames, pair.sub:apply(pair.peer:message(nil, 400)))
      if frames[#frames - 3] then assert.is_true(pair.peer:acknowledge(frames[#frames - 3])) end
    until pair.peer:waiting() == 0 or #frames == 200
    assert.are.equal(0, pair.peer:waiting())
    assert.are.equal(60, pair.remote.entities:count())
  end)

  it("runs hooks with the reason 'apply'", function()
    local pair = new_pair()
    local log = {}
    pair.remote.health:on_add(function(e, _, reason) log[#log + 1] = "add " .. reason .. tostring(e ~= nil) end)
    pair.remote.health:on_remove(function(_, _, reason) log[#log + 1] = "remove " .. reason end)
    local a, b = unpack(pair.world:create({ health = {}, transform = {} }, 2))
    pair.send()
    pair.world.health:destroy(a)
    pair.world.entities:destroy(b)
    pair.send()
    assert.are.same({ "add applytrue", "add applytrue", "remove apply", "remove apply" }, log)
  end)

  it("changes nothing if a hook raises", function()
    local pair = new_pair()
    local e = pair.world:create { health = { hp = 1 } }
    pair.send()
    local token = pair.remote.health:on_add(function() error("no", 0) end)
    pair.world.health:set_hp(e, 2)
    pair.world:create { health = {} }
    pair.out:frame()
    local message = pair.peer:message()
    assert.are.same({ nil, "no" }, { pair.sub:apply(message) })
    assert.are.equal(1, pair.remote.health:hp(pair.of(e)))
    assert.are.equal(1, pair.remote.entities:count())
    pair.remote.health:off_add(token)
    assert.are.equal(2, pair.sub:apply(message))
    assert.are.equal(2, pair.remote.health:hp(pair.of(e)))
  end)

  it("changes no numbers of components that exist if a hook raises", function()
    local pair = new_pair()
    local e = pair.world:create { health = { hp = 1 }, transform = { position = { 1, 2, 3 } } }
    pair.send()
    pair.world.health:set_hp(e, 2)
    pair.world.transform:set_local_position(e, 4, 5, 6)
    pair.world:create { health = {} }
    local message = pair.out:message(pair.out:frame() - 1)
    local token = pair.remote.health:on_add(function() error "no" end)
    assert.is_nil(pair.sub:apply(message))
    local found = pair.of(e)
    assert.are.equal(1, pair.remote.health:hp(found))
    assert.are.same({ 1, 2, 3 }, { pair.remote.transform:local_position(found) })
    assert.are.equal(0, pair.sub:put_back())
    pair.remote.health:off_add(token)
    assert.are.equal(2, pair.sub:apply(message))
    assert.are.equal(2, pair.remote.health:hp(found))
    assert.are.same({ 4, 5, 6, 1 }, { select(13, pair.remote.transform:world_matrix(found)) })
    valid(pair.remote)
  end)

  it("writes the numbers of the right rows after hooks moved them", function()
    local pair = new_pair()
    local list = pair.world:create({ health = {}, transform = {} }, 4)
    pair.send()
    for i = 1, 4 do
      pair.world.health:set_hp(list[i], i)
      pair.world.transform:set_local_position(list[i], i, 0, 0)
    end
    pair.world:create { item = {} }
    pair.remote.item:on_add(function()
      pair.remote.entities:destroy(pair.of(list[1]))
      pair.remote.health:destroy(pair.of(list[2]))
      pair.remote:gc "all"
    end)
    pair.send()
    assert.is_nil(pair.of(list[1]))
    assert.is_false(pair.remote.health:has(pair.of(list[2])))
    for i = 2, 4 do assert.are.equal(i, (pair.remote.transform:local_position(pair.of(list[i])))) end
    for i = 3, 4 do assert.are.equal(i, pair.remote.health:hp(pair.of(list[i]))) end
    assert.are.equal(9, pair.sub:put_back()) -- three fields of each of three components
    for i = 1, 4 do assert.are.equal(i, pair.remote.health:hp(pair.of(list[i]))) end
    valid(pair.remote)
  end)

  it("moves children of a transform whose numbers changed", function()
    local pair = new_pair { steps = { ["transform.local_position"] = 0.5 } }
    local parent = pair.world:create { transform = { position = { 1, 0, 0 } } }
    local child = pair.world:create { transform = { position = { 1, 0, 0 }, parent = parent } }
    pair.send()
    pair.world.transform:set_local_position(parent, 5.2, 0, 0)
    pair.world.transform:set_local_angle(parent, math.pi)
    pair.send()
    assert.are.equal(5, (pair.remote.transform:local_position(pair.of(parent))))
    assert.is_true(math.abs(pair.remote.transform:world_position(pair.of(child)) - 4) < 1e-5)
  end)

  it("creates the bodies of actors", function()
    local pair = new_pair { components = { "actor" } }
    local bodies = 0
    pair.remote.actor:on_spawn(function() bodies = bodies + 1 return {} end)
    pair.world:create { actor = { mass = 2 } }
    pair.send()
    assert.are.equal(1, bodies)
  end)

  it("raises inside callbacks, batches and restores", function()
    local pair = new_pair()
    local message = (function() pair.out:frame() return pair.out:message(0) end)()
    local function refused(fn) return not pcall(fn) end
    local function check()
      assert.is_true(refused(function() pair.out:frame() end))
      return true
    end
    local checked = 0
    pair.world.entities:on_destroy(function() checked = checked + (check() and 1 or 0) end)
    pair.world.transform:on_add(function() checked = checked + (check() and 1 or 0) end)
    pair.world.entities:destroy(pair.world:create { transform = {} })
    pair.world.transform:batch(function() checked = checked + (check() and 1 or 0) end)
    local snapshot = pair.world.entities:snapshot()
    pair.world.entities:on_restore(function() checked = checked + (check() and 1 or 0) end)
    pair.world.entities:restore(snapshot)
    pair.remote.transform:batch(function()
      assert.is_true(refused(function() pair.sub:apply(message) end))
      assert.is_true(refused(function() pair.sub:put_back() end))
      assert.is_true(refused(function() pair.sub:reset() end))
    end)
    assert.are.equal(4, checked)
  end)

  it("publishes again in full after a component was defined again", function()
    local pair = new_pair()
    local e = pair.world:create { note = { text = 1 }, health = {} }
    pair.send()
    for _, world in ipairs { pair.world, pair.remote } do
      world:define("note", { { "text", "value" }, { "size", "int8" } }, { migrate = true })
    end
    pair.world.note:set_size(e, 5)
    local frame = pair.out:frame()
    local message = pair.peer:message()
    assert.are.equal(pair.out:message(0), message)
    local found = pair.of(e)
    assert.are.equal(frame, pair.sub:apply(message))
    assert.are.equal(found, pair.of(e))
    assert.are.equal(5, pair.remote.note:size(found))
    pair.peer:acknowledge(frame)
    pair.world.note:set_size(e, 6)
    pair.send()
    assert.are.equal(6, pair.remote.note:size(found))
  end)
end)

describe("components that differ", function()
  local function received(define, options)
    local world, remote = cuttle.world(cuttle.entity_manager()), cuttle.world(cuttle.entity_manager())
    world:define("health", { { "hp", "float", 100 }, { "armour", "int8", 3 }, { "state", "enum", { "idle", "run" } } })
    world:define("extra", { { "x", "float" } })
    define(remote)
    local out = cuttle.publisher(world, { components = { "health", "extra" } })
    local e = world:create { health = { hp = 5, state = "run" }, extra = {} }
    out:frame()
    local sub = cuttle.subscriber(remote, options)
    local frame, message = sub:apply(out:message(0))
    return frame, message, sub, frame and remote.health:get(sub:entity(e)), remote
  end

  it("are reported, and the common fields are applied", function()
    local frame, _, sub, health = received(function(remote)
      remote:define("health",
        { { "hp", "float", 1 }, { "shield", "float", 9 }, { "state", "enum", { "run", "idle" } } })
    end)
    assert.are.equal(1, frame)
    assert.are.same({ hp = 5, shield = 9, state = "run" }, health)
    assert.are.same({ "health.armour: is not defined here, dropped", "health.shield: is not published, has its default",
      "extra: is not defined here, dropped" }, sub:fields())
  end)

  it("are refused if a field has another type", function()
    local _, message, _, _, remote = received(function(remote)
      remote:define("health", { { "hp", "int32" } })
    end)
    assert.are.equal("health.hp: published as float, defined as int32 here", message)
    assert.are.equal(0, remote.entities:count())
  end)

  it("are refused if a label is not defined", function()
    local _, message = received(function(remote)
      remote:define("health", { { "state", "enum", { "idle" } } })
    end)
    assert.are.equal("health.state: label 'run' is not defined here", message)
  end)

  it("are refused if they are not admitted", function()
    local _, message = received(function(remote) remote:define("health", { { "hp", "float" } }) end,
      { components = { "health" } })
    assert.are.equal("the message has the component 'extra', which is not admitted", message)
  end)

  it("are refused if a resource is not defined", function()
    local world, remote = new_world(), new_world()
    world.mesh:define_resource("crate", {})
    world:create { mesh = { resource = "crate" } }
    local out, sub = cuttle.publisher(world, { components = { "mesh" } }), cuttle.subscriber(remote)
    out:frame()
    local frame, message = sub:apply(out:message(0))
    assert.is_nil(frame)
    assert.matches("crate", message)
    assert.are.equal(0, remote.entities:count())
  end)
end)

describe("messages", function()
  it("are refused beyond the limits", function()
    local pair = new_pair()
    pair.world:create({ health = {} }, 3)
    pair.out:frame()
    local message = pair.out:message(0)
    local sub = cuttle.subscriber(pair.remote, { max_bytes = 50 })
    assert.are.same({ nil, ("the message has %d bytes, the limit is 50"):format(#message) }, { sub:apply(message) })
    sub = cuttle.subscriber(pair.remote, { max_entities = 2 })
    assert.are.same({ nil, "the message has 3 entities, the limit is 2" }, { sub:apply(message) })
    assert.are.equal(0, pair.remote.entities:count())
  end)

  it("are refused if any byte is damaged", function()
    local pair = new_pair()
    pair.world:create({ health = {}, item = { {}, { id = "x" } }, note = { text = { 1, x = "y" } } }, 2)
    pair.out:frame()
    local message = pair.out:message(0)
    for at = 1, #message do
      local damaged = message:sub(1, at - 1) .. string.char((message:byte(at) + 1) % 256) .. message:sub(at + 1)
      local reason = at == 4 and "the message has version 2, this is version 1" or "the message is damaged"
      assert.are.same({ nil, reason }, { pair.sub:apply(damaged) })
      assert.is_nil(pair.sub:apply(message:sub(1, at - 1)))
    end
    assert.are.equal(0, pair.remote.entities:count())
    assert.are.equal(1, pair.sub:apply(message))
  end)

  it("are refused if they have an entity twice", function()
    local pair = new_pair { components = { "health" } }
    local list = pair.world:create({ health = { hp = 1 } }, 3)
    local base = pair.send()
    local function refuses(message, from_end, bytes)
      local place = #message - from_end
      local forged = message:sub(1, place - 1) .. bytes .. message:sub(place + #bytes)
      forged = blob.put_u32(forged, 4, blob.crc32(forged, 9))
      assert.are.same({ nil, "the message is damaged" }, { pair.sub:apply(forged) })
    end
    for i = 1, 3 do pair.world.health:set_hp(list[i], 10 + i) end
    pair.out:frame()
    local changes = pair.out:message(base) -- the second and third record are 8, and a float
    refuses(changes, 4, "\0")
    refuses(changes, 9, "\0")
    pair.world:create({ health = {} }, 2)
    pair.out:frame()
    local created = pair.out:message(base) -- the last records are 10, the generation, and 9 bytes of a component
    local last = 10
    assert.are.equal(10, created:byte(#created - last))
    refuses(created, last, "\2")
    refuses(created, last, "\2\1")
    refuses(created, 2 * last + 1, "\2")
    refuses(created, 2 * last + 1, "\2\1")
    assert.are.equal(1, pair.remote.health:hp(pair.of(list[3])))
    assert.is_number(pair.sub:apply(created))
    assert.are.equal(13, pair.remote.health:hp(pair.of(list[3])))
    assert.are.equal(5, pair.remote.entities:count())
  end)

  it("are refused if an entity has a component twice", function()
    for _, count in ipairs { 2, 63, 64, 65, 200 } do
      local pair = new_pair { components = { "item" } }
      local e = pair.world.entities:create()
      for i = 1, count do pair.world.item:create(e, { id = ("item %03d"):format(i) }) end
      local message = pair.send() and pair.out:message(0)
      pair.sub:reset()
      for _, place in ipairs { 1, count - 1 } do
        local forged = message:gsub(("item %03d"):format(count), ("item %03d"):format(place))
        forged = blob.put_u32(forged, 4, blob.crc32(forged, 9))
        assert.are.same({ nil, "the message is damaged" }, { pair.sub:apply(forged) })
      end
      assert.are.equal(pair.out:frame() - 1, pair.sub:apply(message))
    end
  end)

  it("are applied or refused if a byte is forged, whatever the receiver defines", function()
    local world = new_world()
    local e = world:create { health = { hp = 1 }, item = { {} }, note = {}, debug_name = { name = "a" } }
    local out = cuttle.publisher(world, { components = { "health", "item", "note", "debug_name" } })
    local base = out:frame()
    local whole = out:message(0)
    world.health:set_hp(e, 2)
    world.note:destroy(e)
    world.item:create(e)
    out:frame()
    local changes = out:message(base)
    local function apply(define, forged)
      local remote = cuttle.world(cuttle.entity_manager())
      define(remote)
      local sub = cuttle.subscriber(remote)
      assert.are.equal(base, sub:apply(whole))
      sub:apply(blob.put_u32(forged, 4, blob.crc32(forged, 9)))
      valid(remote)
    end
    local receivers = { function() end, function(remote) remote:define("note", { { "text", "value" } }) end,
      function(remote) remote:define("health", { { "hp", "float" }, { "armor", "float" } }) end }
    for at = 29, #changes do
      for _, byte in ipairs { 0, 1, 2, 3, 4, 5, 6, 127, 255 } do
        local forged = changes:sub(1, at - 1) .. string.char(byte) .. changes:sub(at + 1)
        for _, define in ipairs(receivers) do apply(define, forged) end
      end
    end
  end)

  it("are refused by a subscriber of another version", function()
    local pair = new_pair()
    pair.world:create { health = {} }
    pair.out:frame()
    local message = pair.out:message(0)
    for digit, reason in pairs { ["0"] = "has version 0, this is version 1", ["9"] = "has version 9, this is version 1",
      ["/"] = "is damaged", [":"] = "is damaged", ["\0"] = "is damaged", ["\255"] = "is damaged" } do
      assert.are.same({ nil, "the message " .. reason }, { pair.sub:apply("CTR" .. digit .. message:sub(5)) })
      assert.is_nil(pair.sub:apply("CTR" .. digit))
    end
    assert.are.same({ nil, "the message is damaged" }, { pair.sub:apply "CTR" })
    assert.are.equal(0, pair.remote.entities:count())
    assert.are.equal(1, pair.sub:apply(message))
  end)
end)

describe("publishers", function()
  it("refuse wrong options", function()
    local world = new_world()
    local function refuses(message, options)
      local ok, got = pcall(cuttle.publisher, world, options)
      assert.is_false(ok)
      assert.matches(message, got, 1, true)
    end
    refuses("components: required", {})
    refuses("bad argument #2 to 'publisher' (unknown component 'helth' (did you mean 'health'?))",
      { components = { "helth" } })
    refuses("components: 'health' is listed twice", { components = { "health", "health" } })
    refuses("steps: 'item' is not a published component",
      { components = { "health" }, steps = { ["item.amount"] = 1 } })
    refuses("steps: item.amount is not a published field of floats or doubles",
      { components = { "item" }, steps = { ["item.amount"] = 1 } })
    refuses("steps: health.hp: number above 0 expected, got 0",
      { components = { "health" }, steps = { ["health.hp"] = 0 } })
    refuses("keep: integer in [1, 1000000] expected, got 0", { components = { "health" }, keep = 0 })
    refuses("where: Query expected, got string", { components = { "health" }, where = "health" })
    refuses("where: a query of this world expected", { components = { "health" }, where = new_world():query "health" })
    refuses("unknown option 'kep' (did you mean 'keep'?)", { components = { "health" }, kep = 1 })
  end)

  it("name the line of the script in errors of the core", function()
    local world = new_world()
    local ok, message = pcall(function()
      local out = cuttle.publisher(world, { components = { "helth" } })
      return out
    end)
    assert.is_false(ok)
    assert.matches("replication_spec%.lua:%d+: bad argument #2", message)
  end)

  it("take any number for a frame, because receivers send it", function()
    local pair = new_pair()
    pair.out:frame()
    for _, number in ipairs { -1, 0.5, 2, 2 ^ 32 + 1, 2 ^ 60, 1 / 0, 0 / 0 } do
      assert.are.equal(pair.out:message(0), pair.out:message(number))
      assert.is_false(pair.out:peer():acknowledge(number))
    end
    assert.is_false(pcall(pair.out.message, pair.out, "1"))
  end)

  it("raise for messages before the first frame", function()
    local out = cuttle.publisher(new_world(), { components = { "health" } })
    assert.has_error(function() out:message(0) end, "no frame was recorded")
    assert.has_error(function() out:peer():message() end, "no frame was recorded")
  end)

  it("raise for values that are no plain trees, and record nothing", function()
    local pair = new_pair()
    local e = pair.world:create { note = { text = { f = print } }, health = {} }
    local ok, message = pcall(pair.out.frame, pair.out)
    assert.is_false(ok)
    assert.matches("note.text of entity%(0:0%)", message)
    pair.world.note:set_text(e, nil)
    assert.are.equal(1, pair.out:frame())
  end)

  it("end with their world", function()
    local pair = new_pair()
    pair.send()
    pair.world:destroy()
    pair.remote:destroy()
    assert.has_error(function() pair.out:frame() end, "world is destroyed")
    assert.has_error(function() pair.peer:message() end, "world is destroyed")
    assert.has_error(function() pair.sub:apply "" end, "world is destroyed")
    assert.has_error(function() pair.sub:reset() end, "world is destroyed")
  end)
end)

describe("subscribers", function()
  it("do not take an entity of the game, whose id was issued again, for one that the game destroyed", function()
    local server = cuttle.world(cuttle.entity_manager())
    local client = cuttle.world(cuttle.entity_manager { minimum_free_indices = 0 })
    for _, world in ipairs { server, client } do world:define("health", { { "hp", "int32" } }) end
    local out, sub = cuttle.publisher(server, { components = { "health" } }), cuttle.subscriber(client)
    local e = server:create { health = { hp = 1 } }
    out:frame()
    assert(sub:apply(out:message(0)))
    local copy, mine = sub:entity(e), nil
    client.entities:destroy(copy)
    for _ = 1, 256 do -- lives of an index
      mine = client.entities:create()
      if mine == copy then break end
      client.entities:destroy(mine)
    end
    assert.equal(copy, mine)
    client.health:create(mine, { hp = 100 })
    server.health:set_hp(e, 2)
    assert(sub:apply(out:message(out:frame() - 1)))
    assert.equal(100, client.health:hp(mine))
    assert.is_nil(sub:id(mine))
    sub:reset { destroy = true }
    assert.is_true(client.entities:alive(mine))
    valid(client)
  end)
end)
