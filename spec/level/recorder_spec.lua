-- cuttle.recorder: a ring of snapshots, one call a frame.

local core = require "cuttle.core"
local cuttle = require "cuttle"
local raises = require "spec.support.raises"
local valid = require "spec.support.valid"

-- A world with a counter that increases by one in each frame. play() plays frames and records them.
local function game(options)
  local entities = cuttle.entity_manager()
  local world = cuttle.world(entities, { name = "world" })
  local clock = world:define("clock", { { "frame", "int32" } })
  local e = entities:create()
  clock:create(e)
  local recorder = cuttle.recorder(entities, options)
  local g = { entities = entities, world = world, recorder = recorder }
  function g.now() return clock:frame(e) end
  function g.play(frames)
    for _ = 1, frames or 1 do
      clock:set_frame(e, g.now() + 1)
      recorder:frame()
    end
  end
  function g.rewind(frames)
    local back = recorder:rewind(frames)
    valid(world)
    return back
  end
  return g
end

describe("a recorder", function()
  it("goes back by the given number of frames", function()
    local g = game()
    g.play(10)
    assert.are.equal(3, g.rewind(3))
    assert.are.equal(7, g.now())
    assert.are.equal(4, g.rewind(4))
    assert.are.equal(3, g.now())
  end)

  it("goes back to the last recorded frame if the number is 0", function()
    local g = game()
    g.play(5)
    local e = g.entities:create()
    assert.are.equal(0, g.rewind(0))
    assert.is_false(g.entities:alive(e))
    assert.are.equal(5, g.now())
    assert.are.equal(5, g.recorder:count())
  end)

  it("goes back to the oldest kept frame if the number is larger", function()
    local g = game { keep = 4 }
    g.play(10)
    assert.are.equal(3, g.rewind(2 ^ 53))
    assert.are.equal(0, g.rewind(2 ^ 62))
    assert.are.equal(7, g.now())
    assert.are.equal(0, g.rewind(1))
    assert.are.equal(7, g.now())
  end)

  it("drops the frames after the one that it went back to", function()
    local g = game { keep = 4 }
    g.play(10)
    g.rewind(2)
    assert.are.equal(2, g.recorder:count())
    g.play(1)
    assert.are.equal(9, g.now())
    assert.are.equal(1, g.rewind(1))
    assert.are.equal(8, g.now())
    g.play(20)
    assert.are.equal(4, g.recorder:count())
    assert.are.equal(3, g.rewind(9))
    assert.are.equal(25, g.now())
  end)

  it("of every third frame goes back to the nearest kept frame at or before the requested one", function()
    for wanted = 0, 12 do
      local g = game { every = 3 }
      g.play(12) -- frames 1, 4, 7 and 10 are kept
      local target = math.max(12 - wanted, 1)
      local reached = target - (target - 1) % 3
      assert.are.equal(12 - reached, g.rewind(wanted))
      assert.are.equal(reached, g.now())
      g.play(3)
      assert.are.equal(3, g.rewind(3))
      assert.are.equal(0, g.rewind(0))
    end
  end)

  it("keeps the given number of snapshots, in as much memory after any number of frames", function()
    local g = game { keep = 5 }
    assert.are.equal(0, g.recorder:count())
    assert.are.equal(0, g.recorder:bytes())
    g.play(1)
    local one = g.entities:snapshot():bytes()
    assert.are.equal(one, g.recorder:bytes())
    g.play(21)
    local bytes = g.recorder:bytes()
    g.rewind(3)
    assert.is_true(g.recorder:bytes() <= bytes)
    g.play(9)
    assert.are.equal(5, g.recorder:count())
    assert.are.equal(bytes, g.recorder:bytes())
    assert.are.equal("Recorder (5 of 5 snapshots)", tostring(g.recorder))
  end)

  it("that keeps one snapshot takes no more memory than a snapshot", function()
    local g = game { keep = 1 }
    g.play(7)
    assert.are.equal(g.entities:snapshot():bytes(), g.recorder:bytes())
    assert.are.equal(0, g.rewind(3))
    assert.are.equal(7, g.now())
  end)

  it("keeps what has changed: a tenth of a game takes less than a quarter of the memory", function()
    local entities = cuttle.entity_manager()
    local world = cuttle.world(entities, { name = "world" })
    world.mesh:define_resource("box", {})
    world:define("health", { { "hp", "int32", 100 }, { "title", "string", "orc" } })
    local list = world:create({ transform = {}, mesh = { resource = "box" }, point_mass = {}, health = {} }, 500)
    local recorder = cuttle.recorder(entities, { keep = 100 })
    for frame = 1, 150 do
      for i = frame % 10 + 1, #list, 10 do
        world.transform:set_local_position(list[i], frame, i, 0)
        world.point_mass:set_velocity(list[i], frame, 0, 0)
      end
      -- The number of entities, and of their texts, changes in each frame.
      entities:destroy(world:create({ transform = {}, health = { title = "frame" .. frame } }))
      world:create({ point_mass = {} }, frame % 3)
      if frame % 5 == 0 then world:gc() end
      recorder:frame()
    end
    assert.are.equal(100, recorder:count())
    local whole = 100 * entities:snapshot():bytes()
    assert.is_true(recorder:bytes() < whole / 4, recorder:bytes() / whole)
    assert.are.equal(99, recorder:rewind(99))
    valid(world)
  end)

  it("keeps 600 frames by default, each of them", function()
    local g = game()
    g.play(610)
    assert.are.equal(600, g.recorder:count())
    assert.are.equal(599, g.rewind(1000))
  end)

  it("that has no frame yet goes back by none and changes nothing", function()
    local g = game()
    local e = g.entities:create()
    assert.are.equal(0, g.rewind(10))
    assert.is_true(g.entities:alive(e))
  end)

  it("agrees with a list of all frames in random plays and rewinds", function()
    local at = 0
    for every = 1, 3 do
      for keep = 1, 4 do
        local g, kept, since = game { every = every, keep = keep }, {}, 0
        for step = 1, 60 do
          at = (at * 7 + step) % 101
          if at % 4 > 0 then
            g.play(1)
            since = since + 1
            if #kept == 0 or since == every then
              kept[#kept + 1], since = g.now(), 0
              if #kept > keep then table.remove(kept, 1) end
            end
          elseif #kept > 0 then
            local wanted, before = at % 9, g.now()
            while #kept > 1 and before - wanted < kept[#kept] do table.remove(kept) end
            assert.are.equal(before - kept[#kept], g.recorder:rewind(wanted))
            assert.are.equal(kept[#kept], g.now())
            since = 0
          end
          assert.are.equal(#kept, g.recorder:count())
        end
      end
    end
  end)

  it("restores levels", function()
    local g = game()
    local blob = assert(cuttle.compiler(g.world):compile { entities = { { name = "lamp" } } })
    local level = assert(g.world:spawn(assert(cuttle.resource(blob))))
    local lamp = level:find "lamp"
    g.play(2)
    level:unload()
    g.play(1)
    assert.are.equal(2, g.rewind(2))
    assert.is_true(g.entities:alive(lamp))
    assert.are.equal(lamp, level:find "lamp")
    assert.are.equal(1, level:unload())
  end)

  it("raises a message if a frame cannot be restored, and keeps all frames", function()
    local g = game()
    g.play(5)
    local other = cuttle.world(g.entities, { name = "other" })
    raises("world 'other' was created after the snapshot", g.recorder.rewind, g.recorder, 2)
    assert.are.equal(5, g.recorder:count())
    g.play(1)
    assert.are.equal(0, g.rewind(0))
    other:destroy()
    raises("world 'other' was destroyed after the snapshot", g.recorder.rewind, g.recorder, 0)
    assert.are.equal(2, g.rewind(2))
    assert.are.equal(4, g.now())
  end)

  it("has gone back even if on_restore raises", function()
    local g = game()
    g.play(5)
    g.entities:on_restore(function() error "no index" end)
    raises("no index", g.recorder.rewind, g.recorder, 2)
    assert.are.equal(3, g.now())
    assert.are.equal(3, g.recorder:count())
  end)

  it("does not record or go back inside callbacks", function()
    local g = game()
    g.play(2)
    local message
    g.entities:on_restore(function()
      message = raises("the EntityManager is being restored", g.recorder.frame, g.recorder)
      raises("the EntityManager is being restored", g.recorder.rewind, g.recorder, 1)
    end)
    g.rewind(1)
    assert.is_truthy(message)
    assert.are.equal(1, g.recorder:count())
  end)

  it("keeps its EntityManager alive", function()
    local recorder = cuttle.recorder(cuttle.entity_manager())
    collectgarbage()
    collectgarbage()
    recorder:frame()
    assert.are.equal(0, recorder:rewind(1))
  end)

  it("records nothing after it was collected, for a finalizer that still has it", function()
    local message
    do
      local proxy, recorder = newproxy(true), cuttle.recorder(cuttle.entity_manager())
      -- Younger objects are finalized first.
      getmetatable(proxy).__gc = function() message = select(2, pcall(recorder.frame, recorder)) end
    end
    collectgarbage()
    collectgarbage()
    assert.equal("Recorder is over", message)
  end)

  it("refuses wrong arguments", function()
    local entities = cuttle.entity_manager()
    local recorder = cuttle.recorder(entities)
    raises("EntityManager expected, got nil", cuttle.recorder, nil)
    raises("table expected, got number", cuttle.recorder, entities, 60)
    raises("every: integer in [1, 1048576] expected, got 0", cuttle.recorder, entities, { every = 0 })
    raises("keep: integer in [1, 1048576] expected, got 1.5", cuttle.recorder, entities, { keep = 1.5 })
    raises("unknown option 'keeps' (did you mean 'keep'?)", cuttle.recorder, entities, { keeps = 1 })
    raises("expected, got -1", recorder.rewind, recorder, -1)
    raises("expected, got 1e+30", recorder.rewind, recorder, 1e30)
    raises("number expected, got no value", recorder.rewind, recorder)
    raises("Recorder expected, got userdata", recorder.frame, entities)
  end)
end)

describe("a recorder, when memory runs out,", function()
  if not core.testing then return end
  local fail_in = core.testing.fail_in

  after_each(function() fail_in(-1) end)

  it("is unchanged, and so are its frames", function()
    local g = game { keep = 3 }
    local function fails()
      fail_in(0)
      local ok, message = pcall(g.recorder.frame, g.recorder)
      fail_in(-1)
      assert.is_false(ok)
      assert.is_truthy(message:find("not enough memory", 1, true))
    end
    fails()
    assert.are.equal(0, g.recorder:count())
    g.play(4)
    g.entities:create(1000) -- the next snapshot does not fit into the memory of an old one
    fails()
    assert.are.equal(3, g.recorder:count())
    assert.are.equal(2, g.rewind(5))
    assert.are.equal(2, g.now())
    assert.are.equal(1, g.entities:count())
    g.play(5)
    assert.are.equal(2, g.rewind(5))
    assert.are.equal(5, g.now())
  end)
end)
