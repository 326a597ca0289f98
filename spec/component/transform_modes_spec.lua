-- Batches and deferred mode, in which world poses are computed later, and sort, which orders rows.

-- tags: ffi machine

local core = require "cuttle.core"
local cuttle = require "cuttle"
local near = require "spec.support.near"
local raises = require "spec.support.raises"
local runs = require "spec.support.transform_run"
local scene = require "spec.support.scene"
local rounds = require "spec.support.rounds"
local seed = require "spec.support.seed"
local slow = require "spec.support.slow"
local valid = require "spec.support.valid"

local fail_in = core.testing and core.testing.fail_in

-- A chain in which each node has x = 1 relative to its parent.
local function chain(make, count, root)
  local list = { root or make { position = { 1, 0, 0 } } }
  for i = 2, count do list[i] = make { position = { 1, 0, 0 }, parent = list[i - 1] } end
  return list
end

local function deferred()
  local tf, make, entities, world = scene()
  tf:set_mode "deferred"
  return tf, make, entities, world
end

-- The position in the world_matrix column.
local function column_position(tf, e) return { select(13, tf:column("world_matrix"):get(tf:row(e))) } end

local function owner(tf, instance) return instance and tf:entity(instance) end

local function owners(tf)
  local list = {}
  for e in tf:each() do list[#list + 1] = e end
  return list
end

local SHEARED = { 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1 }
local R = math.sqrt(0.5)

describe("a batch", function()
  it("returns the results of its function", function()
    local tf = scene()
    assert.same({ 1, nil, "three" }, { tf:batch(function() return 1, nil, "three" end) })
    assert.equal(0, select("#", tf:batch(function() end)))
  end)

  it("calls its function once, without arguments", function()
    local tf, calls = scene(), {}
    tf:batch(function(...) calls[#calls + 1] = select("#", ...) end)
    assert.same({ 0 }, calls)
  end)

  it("accepts only a function", function()
    local tf = scene()
    raises("function expected, got nil", tf.batch, tf, nil)
    raises("function expected, got table", tf.batch, tf, {})
    raises("function expected, got no value", tf.batch, tf)
  end)

  it("gives current world poses to getters at once, and to the column at its end", function()
    local tf, make, _, world = scene()
    local list = chain(make, 3)
    tf:batch(function()
      tf:set_local_position(list[1], 10, 0, 0)
      tf:set_local_position(list[2], 0, 5, 0)
      near({ 10, 5, 0 }, { tf:world_position(list[2]) })
      near({ 11, 5, 0 }, { tf:world_position(list[3]) })
      near({ 1, 0, 0, 1 }, column_position(tf, list[1]))
      near({ 3, 0, 0, 1 }, column_position(tf, list[3]))
      valid(world)
    end)
    near({ 10, 0, 0, 1 }, column_position(tf, list[1]))
    near({ 11, 5, 0, 1 }, column_position(tf, list[3]))
    valid(world)
  end)

  it("gives current rotation, scale, angle and matrix below a changed parent", function()
    local tf, make = scene()
    local top = make()
    local e = make { parent = make { parent = top }, position = { 1, 0, 0 } }
    tf:batch(function()
      tf:set_local_pose(top, 0, 0, 1, 0, 0, R, R, 2, 2, 2)
      near({ 0, 0, R, R }, { tf:world_rotation(e) })
      near({ math.pi / 2 }, { tf:world_angle(e) })
      near({ 2, 2, 2 }, { tf:world_scale(e) })
      near({ 0, 2, 0, 0, -2, 0, 0, 0, 0, 0, 2, 0, 0, 2, 1, 1 }, { tf:world_matrix(e) })
      near({ tf:world_matrix(e) }, { tf:read(e, "world_matrix") }, 0)
    end)
    near({ 0, 2, 1 }, { tf:world_position(e) })
  end)

  it("gives the same bits as the same calls outside of a batch", function()
    local function play(batched)
      local tf, make = scene()
      local list = chain(make, 20)
      local function change()
        for i, e in ipairs(list) do tf:set_local_pose(e, i, 0.1, 0, 0.1 * i, 0, 0.2, 0.9, 1, 1.1, 0.9) end
      end
      if not batched then change() else tf:batch(change) end
      return { tf:world_matrix(list[20]) }
    end
    near(play(false), play(true), 0)
  end)

  it("can be nested, and only the outermost computes", function()
    local tf, make, _, world = scene()
    local list = chain(make, 2)
    tf:batch(function()
      tf:batch(function() tf:set_local_position(list[1], 5, 0, 0) end)
      near({ 2, 0, 0, 1 }, column_position(tf, list[2]))
      near({ 6, 0, 0 }, { tf:world_position(list[2]) })
      tf:set_local_position(list[2], 2, 0, 0)
    end)
    near({ 7, 0, 0, 1 }, column_position(tf, list[2]))
    valid(world)
  end)

  it("passes errors on unchanged, and poses are current afterwards", function()
    local tf, make, _, world = scene()
    local list = chain(make, 2)
    local reason = {}
    local ok, problem = pcall(tf.batch, tf, function()
      tf:batch(function()
        tf:set_local_position(list[1], 5, 0, 0)
        error(reason)
      end)
    end)
    assert.is_false(ok)
    assert.equal(reason, problem)
    near({ 6, 0, 0, 1 }, column_position(tf, list[2]))
    valid(world)
  end)

  it("continues after an error that is caught inside", function()
    local tf, make = scene()
    local list = chain(make, 2)
    tf:batch(function()
      pcall(tf.batch, tf, error)
      tf:set_local_position(list[1], 5, 0, 0)
      near({ 2, 0, 0, 1 }, column_position(tf, list[2]))
    end)
    near({ 6, 0, 0, 1 }, column_position(tf, list[2]))
  end)

  it("cannot be left by a yield, and the manager stays valid", function()
    local tf, make, _, world = scene()
    local list = chain(make, 2)
    local co = coroutine.create(function()
      tf:batch(function()
        tf:set_local_position(list[1], 5, 0, 0)
        coroutine.yield()
      end)
    end)
    local ok, problem = coroutine.resume(co)
    assert.is_false(ok)
    assert.matches("attempt to yield across", problem)
    near({ 6, 0, 0, 1 }, column_position(tf, list[2]))
    tf:set_local_position(list[1], 1, 0, 0)
    near({ 2, 0, 0, 1 }, column_position(tf, list[2]))
    valid(world)
  end)

  it("treats link and unlink like sets", function()
    local tf, make, _, world = scene()
    local list, other = chain(make, 3), make { position = { 0, 100, 0 } }
    tf:batch(function()
      tf:link(list[2], other)
      near({ 1, 100, 0 }, { tf:world_position(list[2]) })
      near({ 2, 100, 0 }, { tf:world_position(list[3]) })
      tf:set_local_position(other, 0, 50, 0)
      near({ 2, 50, 0 }, { tf:world_position(list[3]) })
      tf:unlink(list[3])
      near({ 1, 0, 0 }, { tf:world_position(list[3]) })
      near({ 3, 0, 0, 1 }, column_position(tf, list[3]))
    end)
    near({ 1, 50, 0, 1 }, column_position(tf, list[2]))
    near({ 1, 0, 0, 1 }, column_position(tf, list[3]))
    valid(world)
  end)

  it('keeps the current world pose with keep = "world"', function()
    local tf, make, _, world = scene()
    local list, other = chain(make, 3), make()
    tf:batch(function()
      tf:set_local_position(list[1], 10, 0, 0)
      tf:set_local_position(other, 0, 7, 0)
      tf:link(list[3], other, { keep = "world" })
      near({ 12, 0, 0 }, { tf:world_position(list[3]) })
      near({ 12, -7, 0 }, { tf:local_position(list[3]) })
      tf:unlink(list[2], { keep = "world" })
      near({ 11, 0, 0 }, { tf:local_position(list[2]) })
    end)
    near({ 12, 0, 0 }, { tf:world_position(list[3]) })
    near({ 11, 0, 0, 1 }, column_position(tf, list[2]))
    valid(world)
  end)

  it("sets world poses below a changed parent", function()
    local tf, make, _, world = scene()
    local top = make { scale = 2 }
    local e = make { parent = make { parent = top } }
    tf:batch(function()
      tf:set_local_pose(top, 1, 2, 3, 0, 0, R, R, 4, 4, 4)
      tf:set_world_position(e, 5, 6, 7)
      near({ 5, 6, 7 }, { tf:world_position(e) })
      tf:set_world_rotation(e, 0, 0, 0, 1)
      near({ 0, 0, 0, 1 }, { tf:world_rotation(e) })
      near({ 5, 6, 7 }, { tf:world_position(e) })
      tf:set_world_matrix(e, SHEARED)
    end)
    near(SHEARED, { tf:world_matrix(e) })
    valid(world)
  end)

  it("leaves children at the pose that was current when their parent died", function()
    for _, removed in ipairs { "entity", "component" } do
      local tf, make, entities, world = scene()
      local list = chain(make, 4)
      tf:batch(function()
        tf:set_local_position(list[1], 10, 0, 0)
        if removed == "entity" then entities:destroy(list[2]) else tf:destroy(list[2]) end
        tf:set_local_position(list[1], 20, 0, 0)
        assert.is_nil(tf:parent(list[3]))
        near({ 12, 0, 0 }, { tf:local_position(list[3]) })
        near({ 12, 0, 0 }, { tf:world_position(list[3]) })
        near({ 13, 0, 0 }, { tf:world_position(list[4]) })
      end)
      near({ 12, 0, 0, 1 }, column_position(tf, list[3]))
      near({ 13, 0, 0, 1 }, column_position(tf, list[4]))
      valid(world)
    end
  end)

  it("leaves all children of a dying parent at their world poses, whether moved or flat", function()
    -- All that getters return of world poses, before the death and after it. Matrices must have equal bits. A rotation
    -- may be given by the opposite quaternion.
    local function world_poses(tf, list)
      local all = {}
      for i, e in ipairs(list) do
        all[i] = { { tf:world_matrix(e) }, { tf:world_rotation(e) }, { tf:world_scale(e) } }
      end
      return all
    end
    for _, scale in ipairs { 1.25, 0, -0.5 } do
      for _, change in ipairs { "top", "parent", "child", "none" } do
        local tf, make, entities, world = scene()
        local list = chain(make, 4, make { position = { 1, 2, 3 }, angle = 0.3, scale = scale })
        for i = 2, 4 do tf:set_local_angle(list[i], i / 7) end
        local children = {}
        for i = 1, 5 do
          children[i] = make { parent = list[4], position = { i, 1, 0 }, rotation = { i, 1, 2, 3 }, scale = i - 2 }
        end
        local changed = { top = list[1], parent = list[4], child = children[2] }
        tf:batch(function()
          if changed[change] then tf:set_local_position(changed[change], 7, 8, 9) end
          local before = world_poses(tf, children)
          entities:destroy(list[4])
          assert.is_nil(tf:parent(children[1]))
          for i, after in ipairs(world_poses(tf, children)) do
            assert.same(before[i][1], after[1])
            local sign = before[i][2][4] * after[2][4] < 0 and -1 or 1
            for k = 1, 4 do after[2][k] = sign * after[2][k] end
            near(before[i][2], after[2])
            near(before[i][3], after[3])
          end
        end)
        valid(world)
      end
    end
  end)

  it("leaves children at their world poses when several ancestors die at once", function()
    local tf, make, entities, world = scene()
    local list = chain(make, 5)
    tf:batch(function()
      tf:set_local_position(list[1], 10, 0, 0)
      entities:destroy { list[2], list[1], list[3] }
      near({ 13, 0, 0 }, { tf:world_position(list[4]) })
      tf:gc "all"
      near({ 13, 0, 0 }, { tf:local_position(list[4]) })
      near({ 14, 0, 0 }, { tf:world_position(list[5]) })
    end)
    near({ 14, 0, 0, 1 }, column_position(tf, list[5]))
    assert.equal(2, tf:count())
    valid(world)
  end)

  it("computes poses of transforms created below a moved parent", function()
    local tf, make, entities, world = scene()
    local list = chain(make, 2)
    local made, many
    tf:batch(function()
      tf:set_local_position(list[1], 10, 0, 0)
      made = make { parent = list[2], position = { 0, 1, 0 } }
      near({ 11, 1, 0 }, { tf:world_position(made) })
      many = entities:create(500)
      tf:create_many(many, { parent = list[2], position = { 0, 2, 0 } })
      near({ 11, 2, 0 }, { tf:world_position(many[500]) })
      tf:set_local_position(many[500], 0, 3, 0)
    end)
    near({ 11, 1, 0, 1 }, column_position(tf, made))
    near({ 11, 2, 0, 1 }, column_position(tf, many[1]))
    near({ 11, 3, 0, 1 }, column_position(tf, many[500]))
    valid(world)
  end)

  it("computes poses of transforms spawned below a moved parent", function()
    local tf, make, _, world = scene()
    local list = chain(make, 2)
    local blob = assert(cuttle.compiler(world):compile { entities = { {
      components = { transform = { position = { 0, 1, 0 } } },
      children = { { components = { transform = { position = { 0, 1, 0 } } } } } } } })
    local resource, level = assert(cuttle.resource(blob)), nil
    tf:batch(function()
      tf:set_local_position(list[1], 10, 0, 0)
      level = assert(world:spawn(resource, { parent = list[2] }))
      near({ 11, 2, 0 }, { tf:world_position(level:entity(2)) })
    end)
    near({ 11, 2, 0, 1 }, column_position(tf, level:entity(2)))
    valid(world)
  end)

  it("allows gc and sort inside", function()
    local tf, make, entities, world = scene()
    local others = entities:create(20)
    tf:create_many(others)
    local list = chain(make, 10)
    tf:batch(function()
      for i = 10, 1, -1 do tf:set_local_position(list[i], 2, 0, 0) end
      entities:destroy(others)
      tf:gc()
      near({ 20, 0, 0 }, { tf:world_position(list[10]) })
      tf:sort()
      tf:gc "all"
      near({ 20, 0, 0 }, { tf:world_position(list[10]) })
      valid(world)
    end)
    near({ 20, 0, 0, 1 }, column_position(tf, list[10]))
    valid(world)
  end)

  it("counts the changed rows in dirty_count", function()
    local tf, make = scene()
    local list = chain(make, 3)
    tf:batch(function()
      assert.equal(0, tf:dirty_count())
      tf:set_local_position(list[1], 2, 0, 0)
      tf:set_local_position(list[1], 3, 0, 0)
      tf:set_local_angle(list[3], 1)
      assert.equal(2, tf:dirty_count())
    end)
    assert.equal(0, tf:dirty_count())
  end)

  it("refuses set_mode", function()
    local tf = scene()
    tf:batch(function()
      raises("set_mode: not inside a batch", tf.set_mode, tf, "deferred")
      raises("set_mode: not inside a batch", tf.set_mode, tf, "immediate")
    end)
    tf:set_mode "deferred"
  end)

  it("refuses to destroy or clear its world", function()
    local tf, make, _, world = scene()
    make()
    tf:batch(function()
      raises("world is in use", world.destroy, world)
      raises("world is in use", world.clear, world)
    end)
    world:clear()
    world:destroy()
    raises("world is destroyed", tf.batch, tf, function() end)
  end)

  it("allows other worlds to be destroyed", function()
    local tf, make, entities = scene()
    local other = cuttle.world(entities)
    local e = make()
    tf:batch(function()
      other:destroy()
      tf:set_local_position(e, 1, 2, 3)
    end)
    near({ 1, 2, 3, 1 }, column_position(tf, e))
  end)

  it("computes a chain of thousands of rows that all moved, in any order", function()
    local count = rounds(100000, 5000)
    for _, order in ipairs { "down", "up" } do
      local tf, _, entities, world = scene()
      local list = entities:create(count)
      tf:create_many(list)
      tf:batch(function()
        for i = 2, count do tf:link(list[i], list[i - 1]) end
        local from, to, step = 1, count, 1
        if order == "up" then from, to, step = count, 1, -1 end
        for i = from, to, step do tf:set_local_position(list[i], 1, 0, 0) end
      end)
      near({ count, 0, 0, 1 }, column_position(tf, list[count]))
      near({ count / 2, 0, 0, 1 }, column_position(tf, list[count / 2]))
      valid(world)
    end
  end)
end)

describe("the mode", function()
  it("is immediate or deferred, and the message contains a wrong value", function()
    local tf = scene()
    raises('"immediate" or "deferred" expected, got "lazy"', tf.set_mode, tf, "lazy")
    raises('"immediate" or "deferred" expected, got number', tf.set_mode, tf, 1)
    raises('"immediate" or "deferred" expected, got nil', tf.set_mode, tf, nil)
  end)

  it("is unchanged if it cannot be set", function()
    local tf, make = scene()
    local e = make()
    pcall(tf.set_mode, tf, "lazy")
    tf:set_local_position(e, 1, 0, 0)
    near({ 1, 0, 0 }, { tf:world_position(e) })
  end)

  it("has nothing to propagate while it is immediate", function()
    local tf, make = scene()
    local e = make()
    local instance, n = tf:lookup(e), 0
    for _ in tf:each() do
      tf:propagate()
      n = n + 1
    end
    assert.equal(1, n)
    assert.equal(e, tf:entity(instance))
    assert.equal(0, tf:dirty_count())
  end)

  it("propagates pending changes when it becomes immediate", function()
    local tf, make, _, world = deferred()
    local list = chain(make, 3)
    tf:set_local_position(list[1], 5, 0, 0)
    tf:set_mode "immediate"
    near({ 7, 0, 0 }, { tf:world_position(list[3]) })
    assert.equal(0, tf:dirty_count())
    tf:set_local_position(list[1], 6, 0, 0)
    near({ 8, 0, 0 }, { tf:world_position(list[3]) })
    valid(world)
  end)

  it("keeps pending changes when it is set to deferred again", function()
    local tf, make = deferred()
    local e = make()
    tf:set_local_position(e, 5, 0, 0)
    tf:set_mode "deferred"
    near({ 0, 0, 0 }, { tf:world_position(e) })
    for _ = 1, 3 do tf:propagate() end
    near({ 5, 0, 0 }, { tf:world_position(e) })
    assert.equal(0, tf:dirty_count())
  end)
end)

describe("in deferred mode", function()
  it("world poses are those of the last propagate", function()
    local tf, make, _, world = scene()
    local list = chain(make, 3)
    tf:set_mode "deferred"
    tf:set_local_position(list[1], 10, 0, 0)
    near({ 10, 0, 0 }, { tf:local_position(list[1]) })
    near({ 1, 0, 0 }, { tf:world_position(list[1]) })
    near({ 3, 0, 0 }, { tf:world_position(list[3]) })
    near({ 3, 0, 0, 1 }, { select(13, tf:read(list[3], "world_matrix")) })
    tf:propagate()
    near({ 10, 0, 0 }, { tf:world_position(list[1]) })
    near({ 12, 0, 0 }, { tf:world_position(list[3]) })
    valid(world)
  end)

  it("rotation, angle and scale are those of the last propagate, of roots too", function()
    local tf, make = scene()
    local root = make { angle = 0.25, scale = 2 }
    local child = make { parent = root }
    tf:set_mode "deferred"
    tf:set_local_pose(root, 1, 2, 3, 0, 0, R, R, 3, 3, 3)
    for _, e in ipairs { root, child } do
      near({ 0.25 }, { tf:world_angle(e) })
      near({ 0, 0, math.sin(0.125), math.cos(0.125) }, { tf:world_rotation(e) })
      near({ 2, 2, 2 }, { tf:world_scale(e) })
    end
    tf:propagate()
    near({ math.pi / 2 }, { tf:world_angle(root) })
    near({ 3, 3, 3 }, { tf:world_scale(child) })
  end)

  it("a scale of -1 on two axes has no effect on world poses before propagate", function()
    local tf, make = deferred()
    local e = make { angle = 0.25 }
    tf:propagate()
    tf:set_local_scale(e, -1, -1, 1)
    near({ 0.25 }, { tf:world_angle(e) })
    near({ 1, 1, 1 }, { tf:world_scale(e) })
    tf:propagate()
    near({ -1, -1, 1 }, { tf:world_scale(e) })
    near({ 0.25 }, { tf:world_angle(e) })
  end)

  it("a root that was unlinked keeps its world pose until propagate", function()
    local tf, make = scene()
    local e = make { parent = make { position = { 5, 0, 0 }, angle = 1 }, angle = 0.5 }
    tf:set_mode "deferred"
    tf:unlink(e)
    near({ 5, 0, 0 }, { tf:world_position(e) })
    near({ 1.5 }, { tf:world_angle(e) })
    tf:propagate()
    near({ 0.5 }, { tf:world_angle(e) })
  end)

  it("the pose of a new node is computed from its parent's last propagated pose", function()
    local tf, make, _, world = scene()
    local parent = make { position = { 1, 0, 0 } }
    tf:set_mode "deferred"
    tf:set_local_position(parent, 10, 0, 0)
    local e = make { parent = parent, position = { 0, 1, 0 } }
    near({ 1, 1, 0 }, { tf:world_position(e) })
    local below = make { parent = e, position = { 0, 1, 0 } }
    near({ 1, 2, 0 }, { tf:world_position(below) })
    tf:propagate()
    near({ 10, 2, 0 }, { tf:world_position(below) })
    valid(world)
  end)

  it("the pose of a spawned node is computed from its parent's last propagated pose", function()
    local tf, make, _, world = scene()
    local blob = assert(cuttle.compiler(world):compile { entities = { {
      components = { transform = { position = { 0, 1, 0 } } },
      children = { { components = { transform = { position = { 0, 1, 0 } } } } } } } })
    local resource = assert(cuttle.resource(blob))
    local parent = make { position = { 1, 0, 0 } }
    tf:set_mode "deferred"
    tf:set_local_position(parent, 10, 0, 0)
    local level = assert(world:spawn(resource, { parent = parent }))
    near({ 1, 2, 0 }, { tf:world_position(level:entity(2)) })
    valid(world)
    tf:propagate()
    near({ 10, 2, 0 }, { tf:world_position(level:entity(2)) })
    valid(world)
  end)

  it("world setters use the parent's last propagated pose", function()
    local tf, make = scene()
    local parent = make { position = { 1, 0, 0 } }
    local e = make { parent = parent }
    tf:set_mode "deferred"
    tf:set_local_position(parent, 10, 0, 0)
    tf:set_world_position(e, 3, 0, 0)
    near({ 2, 0, 0 }, { tf:local_position(e) })
    near({ 1, 0, 0 }, { tf:world_position(e) })
    tf:propagate()
    near({ 12, 0, 0 }, { tf:world_position(e) })
  end)

  it("a world rotation keeps the mirrored axis of a node that moved after propagate", function()
    local tf, make = scene()
    local e = make { parent = make(), scale = { 1, -1, 1 } }
    tf:set_mode "deferred"
    tf:set_local_position(e, 5, 0, 0)
    tf:set_world_rotation(e, 0, 0, 0, 1)
    near({ 0, 0, 0, 1 }, { tf:local_rotation(e) })
    near({ 1, -1, 1 }, { tf:local_scale(e) })
    tf:propagate()
    near({ 0, 0, 0, 1 }, { tf:world_rotation(e) })
  end)

  it("keep = 'world' keeps the pose that getters return", function()
    local tf, make, _, world = scene()
    local parent, e = make { position = { 1, 0, 0 } }, make { position = { 5, 0, 0 } }
    local other = make { parent = parent, position = { 1, 0, 0 } }
    tf:set_mode "deferred"
    tf:set_local_position(parent, 10, 0, 0)
    tf:set_local_position(e, 50, 0, 0)
    tf:link(e, parent, { keep = "world" })
    near({ 4, 0, 0 }, { tf:local_position(e) })
    tf:unlink(other, { keep = "world" })
    near({ 2, 0, 0 }, { tf:local_position(other) })
    tf:propagate()
    near({ 14, 0, 0 }, { tf:world_position(e) })
    near({ 2, 0, 0 }, { tf:world_position(other) })
    valid(world)
  end)

  it("the children of a dying parent keep their last propagated poses", function()
    for _, removed in ipairs { "entity", "component" } do
      local tf, make, entities, world = scene()
      local list = chain(make, 4)
      tf:set_mode "deferred"
      tf:set_local_position(list[1], 10, 0, 0)
      tf:set_local_position(list[3], 10, 0, 0)
      if removed == "entity" then entities:destroy(list[2]) else tf:destroy(list[2]) end
      assert.is_nil(tf:parent(list[3]))
      near({ 3, 0, 0 }, { tf:local_position(list[3]) })
      near({ 3, 0, 0 }, { tf:world_position(list[3]) })
      tf:propagate()
      near({ 3, 0, 0 }, { tf:world_position(list[3]) })
      near({ 4, 0, 0 }, { tf:world_position(list[4]) })
      valid(world)
    end
  end)

  it("a batch has no effect of its own", function()
    local tf, make, _, world = deferred()
    local list = chain(make, 2)
    tf:propagate()
    assert.equal("done", tf:batch(function()
      tf:set_local_position(list[1], 5, 0, 0)
      near({ 2, 0, 0 }, { tf:world_position(list[2]) })
      tf:batch(function() tf:set_local_angle(list[2], 1) end)
      return "done"
    end))
    near({ 2, 0, 0 }, { tf:world_position(list[2]) })
    tf:propagate()
    near({ 6, 0, 0 }, { tf:world_position(list[2]) })
    valid(world)
  end)

  it("propagate may be called in a batch", function()
    local tf, make, entities, world = deferred()
    local list = chain(make, 4)
    tf:batch(function()
      tf:set_local_position(list[1], 5, 0, 0)
      tf:propagate()
      near({ 8, 0, 0 }, { tf:world_position(list[4]) })
      tf:set_local_position(list[1], 6, 0, 0)
      entities:destroy(list[2])
      tf:propagate()
    end)
    near({ 7, 0, 0 }, { tf:world_position(list[3]) })
    valid(world)
  end)

  it("sheared and flattened matrices are propagated", function()
    local tf, make, _, world = deferred()
    local root = make()
    local e = make { parent = root, position = { 1, 0, 0 } }
    tf:set_local_matrix(root, SHEARED)
    tf:propagate()
    near({ 6, 6, 7 }, { tf:world_position(e) })
    tf:set_local_scale(root, 0)
    tf:propagate()
    near({ 5, 6, 7 }, { tf:world_position(e) })
    near({ 0, 0, 0 }, { tf:world_scale(e) })
    valid(world)
  end)
end)

describe("propagate", function()
  it("computes changed rows and their descendants, and moves no row", function()
    local tf, make, _, world = scene()
    local top = make()
    local list = chain(make, 5, top)
    for _ = 1, 20 do make() end
    tf:set_mode "deferred"
    assert.equal(0, tf:dirty_count())
    local order, instance = owners(tf), tf:lookup(list[4])
    tf:set_local_position(list[3], 5, 0, 0)
    tf:set_local_position(list[3], 6, 0, 0)
    tf:set_local_position(list[5], 2, 0, 0)
    assert.equal(2, tf:dirty_count())
    tf:propagate()
    assert.equal(0, tf:dirty_count())
    near({ 1 + 6 + 1 + 2, 0, 0 }, { tf:world_position(list[5]) })
    assert.same(order, owners(tf))
    assert.equal(list[4], tf:entity(instance))
    valid(world)
  end)

  it("includes rows that were created, linked or orphaned", function()
    local tf, make, entities, world = deferred()
    local list = {}
    for i = 1, 6 do list[i] = make { position = { 1, 0, 0 } } end
    tf:propagate()
    for i = 5, 1, -1 do tf:link(list[i], list[i + 1]) end
    valid(world)
    assert.equal(5, tf:dirty_count())
    tf:propagate()
    near({ 6, 0, 0 }, { tf:world_position(list[1]) })
    entities:destroy(list[3])
    tf:set_local_position(list[4], 7, 0, 0)
    tf:propagate()
    near({ 4 + 1 + 1 - 1 + 0, 0, 0 }, { tf:world_position(list[2]) })
    near({ 9, 0, 0 }, { tf:world_position(list[4]) })
    valid(world)
  end)

  it("works after changed or unchanged rows were removed, with gc too", function()
    for gone = 1, 8 do
      local tf, make, entities, world = scene()
      local quiet, list = chain(make, 4), chain(make, 4)
      tf:set_mode "deferred"
      tf:set_local_position(list[1], 5, 0, 0)
      local doomed = gone <= 4 and quiet[gone] or list[gone - 4]
      if gone % 2 == 0 then
        tf:destroy(doomed)
      else
        entities:destroy(doomed)
        tf:gc "all"
      end
      valid(world)
      tf:set_local_position(quiet[gone == 1 and 2 or 1], 7, 0, 0)
      tf:propagate()
      valid(world)
      assert.equal(0, tf:dirty_count())
      -- A node that loses its parent before a propagate keeps its last propagated pose.
      if gone < 8 then near({ gone <= 4 and 8 or 4, 0, 0 }, { tf:world_position(list[4]) }) end
    end
  end)

  it("works after all rows were removed", function()
    local tf, make, entities, world = deferred()
    local list = chain(make, 10)
    tf:propagate()
    tf:set_local_position(list[1], 5, 0, 0)
    tf:column("local_position"):set(1, 1, 2, 3)
    entities:destroy(list)
    assert.equal(10, tf:gc "all")
    assert.equal(0, tf:dirty_count())
    tf:propagate()
    local again = chain(make, 3)
    tf:column("local_position"):set(1, 1, 2, 3)
    world:clear()
    assert.equal(0, tf:dirty_count())
    valid(world)
    assert.is_false(entities:alive(list[1]) or tf:has(again[1]))
    tf:propagate()
    near({ 1, 0, 0 }, { tf:world_position(make { position = { 1, 0, 0 } }) })
    valid(world)
  end)

  local SHAPES = {
    stars = function() return 1 end,
    chains = function(i) return i - 1 end,
    ["binary trees"] = function(i) return math.floor(i / 2) end,
    brooms = function(i) return math.min(i - 1, 30) end,
    combs = function(i) return i % 2 == 0 and i - 1 or math.max(i - 2, 1) end,
  }

  for name, parent_of in pairs(SHAPES) do
    it("computes " .. name .. " whose roots have the last rows, set in any order", function()
      local count = slow and 200 or 2000
      local tf, _, entities, world = scene()
      local list = entities:create(count)
      tf:create_many(list, { position = { 1, 0, 0 } })
      local function node(i) return list[count + 1 - i] end
      for i = 2, count do tf:link(node(i), node(parent_of(i))) end
      tf:set_mode "deferred"
      for i = 1, count do tf:set_local_position(list[i * 7 % count + 1], 2, 0, 0) end
      assert.equal(count, tf:dirty_count())
      tf:propagate()
      local depth = { 1 }
      near({ 2, 0, 0 }, { tf:world_position(node(1)) })
      for i = 2, count do
        depth[i] = depth[parent_of(i)] + 1
        near({ 2 * depth[i], 0, 0 }, { tf:world_position(node(i)) })
      end
      valid(world)
    end)
  end

  local LOOPS = {
    each = function(tf) return tf:each() end,
    rows = function(_, world) return world:rows "transform" end,
    join = function(_, world) return world:join "transform" end,
    children = function(tf, _, list) return tf:children(list[1]) end,
  }

  for name, loop in pairs(LOOPS) do
    it("does not stop a loop over " .. name, function()
      local tf, make, _, world = scene()
      local list = { make() }
      for i = 2, 4 do list[i] = make { parent = list[1] } end
      tf:set_mode "deferred"
      local step, state, start = loop(tf, world, list)
      local first = step(state, start)
      tf:set_local_position(list[2], 1, 0, 0)
      tf:propagate()
      assert.is_not_nil((step(state, first)))
      valid(world)
    end)
  end
end)

describe("columns of local poses", function()
  -- Each runs `act` in deferred mode or inside a batch, and computes world poses afterwards.
  local MODES = {
    ["deferred mode"] = function(tf, act)
      tf:set_mode "deferred"
      act()
      tf:propagate()
    end,
    ["a batch"] = function(tf, act) tf:batch(act) end,
  }

  it("cannot be written in immediate mode, and the message names the ways to write them", function()
    local tf, make, _, world = scene()
    local row = tf:row(make())
    for _, name in ipairs { "local_position", "local_rotation", "local_scale" } do
      local column = tf:column(name)
      for _, word in ipairs { "transform." .. name, "deferred", "batch" } do
        raises(word, function() column[row].x = 2 end)
        raises(word, function() column:set(row, 1, 2, 3, name == "local_rotation" and 4 or nil) end)
      end
    end
    tf:batch(function() tf:column("local_position")[row].x = 5 end)
    raises("deferred", function() tf:column("local_position")[row].x = 2 end)
    near({ 5, 0, 0 }, { tf:world_position(tf:at(row)) })
    valid(world)
  end)

  it("of matrices are always read-only", function()
    local tf, make = deferred()
    local row = tf:row(make())
    for _, name in ipairs { "local_matrix", "world_matrix" } do
      raises("read-only", function() tf:column(name)[row][1] = 2 end)
      raises("read-only", function() tf:column(name):set(row, unpack(SHEARED)) end)
    end
  end)

  for mode, within in pairs(MODES) do
    it("written in " .. mode .. " act like setters", function()
      local tf, make, _, world = scene()
      local parent = make { position = { 1, 2, 3 } }
      local child, other = make { parent = parent, position = { 1, 0, 0 } }, make()
      within(tf, function()
        local position, rotation, scale =
          tf:column "local_position", tf:column "local_rotation", tf:column "local_scale"
        position[tf:row(parent)].y = 7
        position:set(tf:lookup(other), 4, 5, 6)
        rotation:set(tf:row(parent), 0, 0, R, R)
        scale[tf:row(other)].z = 2
        assert.equal(2, tf:dirty_count())
        near({ 1, 7, 3 }, { tf:local_position(parent) })
        near({ 4, 5, 6, 1 }, { select(13, tf:local_matrix(other)) })
        near({ 1, 1, 2 }, { tf:local_scale(other) })
        valid(world)
      end)
      assert.equal(0, tf:dirty_count())
      near({ 1, 8, 3 }, { tf:world_position(child) })
      near({ 4, 5, 6, 1 }, column_position(tf, other))
      near({ 1, 1, 2 }, { tf:world_scale(other) })
      valid(world)
    end)

    it("written in " .. mode .. " normalize rotations, and zero gives no rotation", function()
      local tf, make, _, world = scene()
      local e, other = make(), make()
      within(tf, function()
        local rotation = tf:column "local_rotation"
        rotation:set(tf:row(e), 0, 0, 3, 3)
        rotation:set(tf:row(other), 0, 0, 0, 0)
      end)
      near({ 0, 0, R, R }, { tf:local_rotation(e) })
      near({ 0, 0, 0, 1 }, { tf:world_rotation(other) })
      valid(world)
    end)

    it("written in " .. mode .. " replace a sheared matrix by the nearest pose", function()
      local tf, make, _, world = scene()
      local e, same = make { matrix = SHEARED }, make { matrix = SHEARED }
      tf:set_local_position(same, 1, 1, 1)
      within(tf, function() tf:column("local_position"):set(tf:row(e), 1, 1, 1) end)
      assert.same({ tf:local_matrix(same) }, { tf:local_matrix(e) })
      assert.same({ tf:world_matrix(same) }, { tf:world_matrix(e) })
      valid(world)
    end)

    it("written in " .. mode .. " stay correct through link, destroy, sort and create", function()
      local tf, make, entities, world = scene()
      local list = {}
      for i = 1, 100 do list[i] = make { position = { i, 0, 0 } } end
      within(tf, function()
        local position = tf:column "local_position"
        for i = 1, 100, 3 do position[tf:row(list[i])].y = i end
        tf:link(list[50], list[49])
        for i = 2, 40, 2 do tf:destroy(list[i]) end
        valid(world)
        for i = 1, 100, 7 do
          if tf:has(list[i]) then position[tf:row(list[i])].z = i end
        end
        tf:sort()
        entities:destroy(list[99])
        tf:gc "all"
        make()
        valid(world)
      end)
      near({ 49 + 50, 49, 50 }, { tf:world_position(list[50]) })
      near({ 85, 85, 85 }, { tf:world_position(list[85]) })
      near({ 25, 25, 0 }, { tf:world_position(list[25]) })
      valid(world)
    end)
  end

  it("written in a batch affect world getters at once, also of descendants", function()
    local tf, make = scene()
    local list = chain(make, 4)
    tf:batch(function()
      tf:column("local_position")[tf:row(list[2])].y = 5
      near({ 4, 5, 0 }, { tf:world_position(list[4]) })
      near({ 4, 0, 0, 1 }, column_position(tf, list[4]))
    end)
    near({ 4, 5, 0, 1 }, column_position(tf, list[4]))
  end)

  it("written in deferred mode affect world getters after propagate", function()
    local tf, make, _, world = deferred()
    local list = chain(make, 4)
    tf:propagate()
    tf:column("local_position")[tf:row(list[2])].y = 5
    near({ 4, 0, 0 }, { tf:world_position(list[4]) })
    tf:set_world_position(list[3], 9, 9, 9)
    valid(world)
    tf:propagate()
    near({ 9, 9 + 5, 9 }, { tf:world_position(list[3]) })
    tf:column("local_position")[tf:row(list[2])].y = 6
    tf:set_mode "immediate"
    near({ 9, 9 + 6, 9 }, { tf:world_position(list[3]) })
    valid(world)
  end)

  it("written in deferred mode do not change world getters before propagate", function()
    local tf, make = deferred()
    local e = make()
    tf:propagate()
    tf:column("local_rotation"):set(tf:row(e), 0, 0, 1, 1)
    tf:column("local_scale"):set(tf:row(e), 3, 3, 3)
    near({ 0, 0, 0, 1 }, { tf:world_rotation(e) })
    near({ 1, 1, 1 }, { tf:world_scale(e) })
    near({ 0, 0, R, R }, { tf:local_rotation(e) })
    tf:propagate()
    near({ 0, 0, R, R }, { tf:world_rotation(e) })
    near({ 3, 3, 3 }, { tf:world_scale(e) })
  end)

  it("written before a setter are replaced by the setter", function()
    for _, setter in ipairs { "set_world_pose", "set_local_pose" } do
      local tf, make, _, world = deferred()
      local e = make { parent = make { position = { 1, 1, 1 } } }
      tf:propagate()
      for _, name in ipairs { "local_position", "local_scale" } do tf:column(name):set(tf:row(e), 9, 9, 9) end
      tf:column("local_rotation"):set(tf:row(e), 1, 0, 0, 0)
      tf[setter](tf, e, 4, 5, 6, 0, 0, 1, 0, 2, 2, 2)
      tf:propagate()
      near(setter == "set_world_pose" and { 4, 5, 6 } or { 5, 6, 7 }, { tf:world_position(e) })
      near({ 0, 0, 1, 0 }, { tf:world_rotation(e) })
      near({ 2, 2, 2 }, { tf:local_scale(e) })
      valid(world)
    end
  end)

  it("store NaN as every setter does", function()
    local tf, make, _, world = deferred()
    local e = make()
    tf:column("local_position")[tf:row(e)].x = 0 / 0
    tf:column("local_scale"):set(tf:row(e), 0 / 0, 1, 1)
    tf:propagate()
    valid(world)
  end)

  it("refuse rows out of range and values that are not numbers", function()
    local tf, make = deferred()
    make()
    local column = tf:column "local_position"
    raises("outside", function() column[1].x = 1 end)
    raises("outside", function() column:set(7, 1, 2, 3) end)
    raises("expected", function() column[0].x = "1" end)
    raises("has no 'w'", function() column[0].w = 1 end)
  end)
end)

describe("sort", function()
  -- Three families with mixed rows. Each list is a family, parents before children.
  local function mixed()
    local tf, make, entities, world = scene()
    local all = {}
    for i = 1, 15 do all[i] = make { position = { 1, 0, 0 } } end
    local families = { {}, {}, {} }
    -- The rows of a family are in reverse order, so that parents have later rows than their children.
    for i = 15, 1, -1 do table.insert(families[i % 3 + 1], all[i]) end
    for _, family in ipairs(families) do
      tf:link(family[2], family[1])
      tf:link(family[3], family[1])
      tf:link(family[4], family[2])
      tf:link(family[5], family[4])
    end
    return tf, families, world, entities, make
  end

  it("groups families, parents first, children in link order, and roots in their previous order", function()
    local tf, families, world = mixed()
    assert.equal(0, select("#", tf:sort()))
    local expected = {}
    for _, family in ipairs { families[2], families[3], families[1] } do
      for _, i in ipairs { 1, 2, 4, 5, 3 } do expected[#expected + 1] = family[i] end
    end
    assert.same(expected, owners(tf))
    valid(world)
  end)

  it("changes no pose and no link", function()
    local tf, families, world = mixed()
    tf:sort()
    for _, family in ipairs(families) do
      near({ 4, 0, 0 }, { tf:world_position(family[5]) })
      assert.equal(family[3], owner(tf, tf:next_sibling(family[2])))
      assert.equal(family[4], owner(tf, tf:parent(family[5])))
      tf:set_local_position(family[1], 3, 0, 0)
      near({ 6, 0, 0 }, { tf:world_position(family[5]) })
    end
    valid(world)
  end)

  it("first makes roots of the children of dead parents", function()
    local tf, families, world, entities = mixed()
    entities:destroy(families[2][1])
    tf:sort()
    assert.is_nil(tf:parent(families[2][2]))
    near({ 4, 0, 0 }, { tf:world_position(families[2][5]) })
    valid(world)
    tf:gc "all"
    valid(world)
  end)

  it("stops loops and makes instances stale if rows moved", function()
    for name in pairs { each = 1, children = 2 } do
      local tf, families = mixed()
      local instance = tf:lookup(families[1][1])
      local step, state, start = tf[name](tf, name == "children" and families[1][1] or nil)
      local first = step(state, start)
      tf:sort()
      raises("transform: rows moved during the loop", step, state, first)
      raises("stale transform instance", tf.entity, tf, instance)
    end
  end)

  it("does not stop loops and keeps instances if no row moved", function()
    local tf, families = mixed()
    tf:sort()
    local instance, n = tf:lookup(families[1][1]), 0
    for _ in tf:each() do
      tf:sort()
      n = n + 1
    end
    assert.equal(15, n)
    assert.equal(families[1][1], tf:entity(instance))
  end)

  it("keeps pending changes in deferred mode", function()
    local tf, families, world = mixed()
    tf:set_mode "deferred"
    tf:set_local_position(families[1][1], 5, 0, 0)
    tf:propagate()
    tf:set_local_position(families[3][4], 7, 0, 0)
    assert.equal(1, tf:dirty_count())
    tf:sort()
    assert.equal(1, tf:dirty_count())
    near({ 4, 0, 0 }, { tf:world_position(families[3][5]) })
    valid(world)
    tf:propagate()
    near({ 8, 0, 0 }, { tf:world_position(families[1][5]) })
    near({ 10, 0, 0 }, { tf:world_position(families[3][5]) })
    valid(world)
  end)

  it("does nothing without rows", function()
    local tf, _, _, world = scene()
    tf:sort()
    valid(world)
  end)

  it("sorts a chain of thousands of rows whose root has the last row", function()
    local count = rounds(1000000, 20000)
    local tf, _, entities, world = scene()
    local list = entities:create(count)
    tf:create_many(list)
    for i = count - 1, 1, -1 do tf:link(list[i], list[i + 1]) end
    tf:sort()
    assert.equal(0, tf:row(list[count]))
    assert.equal(count - 1, tf:row(list[1]))
    tf:set_local_position(list[count], 0, 3, 0)
    near({ 0, 3, 0 }, { tf:world_position(list[1]) })
    valid(world)
  end)
end)

describe("transforms, when memory runs out,", function()
  if not fail_in then
    it("stay unchanged", function() pending "only test builds make allocations fail" end)
    return
  end

  after_each(function() fail_in(-1) end)

  -- Calls act with the n-th allocation failing, until none fails. After each failure all is unchanged, and act works.
  local function sweep(prepare, act)
    for n = 0, 100 do
      local tf, make, entities, world = scene()
      local list = chain(make, 4)
      prepare(tf, list, entities)
      local before = { tf:count(), tf:dirty_count(), tf:world_position(list[4]) }
      local order = owners(tf)
      fail_in(n)
      local ok, message = pcall(act, tf, list, entities)
      fail_in(-1)
      if ok then
        assert.is_true(n > 0, "no allocation was seen to fail")
        return valid(world)
      end
      assert.matches("not enough memory", message)
      assert.same(before, { tf:count(), tf:dirty_count(), tf:world_position(list[4]) })
      assert.same(order, owners(tf))
      valid(world)
      act(tf, list, entities)
      tf:propagate()
      valid(world)
    end
    error "the call failed with every number of allocations"
  end

  local function nothing() end

  it("begin no batch", function()
    sweep(nothing, function(tf, list)
      local called = false
      local ok, message = pcall(tf.batch, tf, function()
        called = true
        tf:set_local_position(list[1], 2, 0, 0)
      end)
      assert.equal(ok, called)
      assert(ok, message)
    end)
  end)

  it("keep their mode", function()
    sweep(nothing, function(tf) tf:set_mode "deferred" end)
  end)

  it("are not sorted", function()
    sweep(function(tf, list)
      tf:unlink(list[4])
      tf:link(list[1], list[4])
    end, function(tf) tf:sort() end)
  end)

  it("are not created, deferred or in a batch", function()
    local function create(tf, list, entities)
      tf:create_many(entities:create(100), { parent = list[4], position = { 1, 1, 1 } })
    end
    sweep(function(tf, list)
      tf:set_mode "deferred"
      tf:set_local_position(list[1], 7, 0, 0)
    end, create)
    sweep(nothing, function(tf, list, entities)
      tf:batch(function()
        local ok, message = pcall(create, tf, list, entities)
        tf:set_local_position(list[1], 1, 0, 0)
        assert(ok, message)
      end)
    end)
  end)

  it("are propagated without allocations", function()
    local tf, make, _, world = deferred()
    local list = chain(make, 40)
    tf:propagate()
    for i = 40, 1, -2 do tf:set_local_position(list[i], 2, 0, 0) end
    tf:unlink(list[20])
    fail_in(0)
    local ok = pcall(tf.propagate, tf)
    fail_in(-1)
    assert.is_true(ok)
    near({ 2 + 10 * 2 + 10, 0, 0 }, { tf:world_position(list[40]) })
    valid(world)
  end)
end)

describe("random transforms in deferred mode, seed " .. seed, function()
  it("agree with a plain model in doubles", function()
    runs.deferred(seed, rounds(500, 200))
  end)
end)
