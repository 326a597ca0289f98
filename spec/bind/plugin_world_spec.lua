-- C API for plugins: changed poses, world poses, children, cells of grids, fields of other components.

-- tags: unix

local core = require "cuttle.core"
local cuttle = require "cuttle"
local plugins = require "spec.support.plugins"
local runs = require "spec.support.transform_run"
local seed = require "spec.support.seed"
local SLOW = require "spec.support.slow"
local valid = require "spec.support.valid"

local fail_in = core.testing and core.testing.fail_in

local OK, MEMORY, DATA, OVER = 0, 1, 5, 6

describe("a plugin (seed " .. seed .. ")", function()
  local folder, probe, entities, world, tf

  setup(function()
    folder = plugins.new_folder()
    plugins.build(folder, "probe_world", "spec/support/probe_world.c")
    probe = plugins.load(folder, "probe_world")
  end)

  teardown(function()
    plugins.remove_folder(folder)
  end)

  before_each(function()
    entities = cuttle.entity_manager { minimum_free_indices = 0 }
    world = cuttle.world(entities)
    tf = world.transform
  end)

  it("asks a space that a script made", function()
    local list = {}
    for i = 1, 4 do list[i] = world:create { transform = { position = { 10 * i, 0, 0 } } } end
    local space = world:query "transform":space { cell = 8, radius = 1 }
    local entries, near, status, box, box_status, pairs, pairs_status = probe.space_near(space, 20, 0, 9, list[2])
    assert.same({ 4, OK, OK, OK }, { entries, status, box_status, pairs_status })
    assert.same({ list[1], list[3] }, near)
    assert.same({ list[1], list[2], list[3] }, box)
    assert.same({ list[1], list[2], list[2], list[3], list[3], list[4] }, pairs)
    assert.same({ list[1], 10, 3, list[3], 0.009 }, { probe.space_nearest(space, 20, 0, 10, list[2]) })
    near, status = select(2, probe.space_near(space, 0 / 0, 0, 9, list[2]))
    assert.same({ 0, DATA }, { #near, status })
    assert.has_error(function() probe.space_near({}, 0, 0, 1, list[1]) end)
    world:destroy()
    assert.has_error(function() probe.space_near(space, 0, 0, 1, list[1]) end)
  end)

  describe("with a space of its own", function()
    local body, list

    before_each(function()
      body = world:define("body", { { "title", "string" }, { "r", "float", 1 }, { "layer", "uint8", 1 } })
      world:define("frozen", {})
      list = {}
      for i = 1, 4 do
        list[i] = world:create { transform = { position = { 10 * i, 0, 0 } }, body = { r = i, layer = i } }
      end
    end)

    after_each(function() probe.free_space() end)

    local function make(roles, options, radius, mask, ...)
      return probe.make_space(world, roles, options, radius and radius[1], radius and radius[2], mask and mask[1],
        mask and mask[2], ...)
    end

    it("finds what a script finds", function()
      assert.equal(OK, make("++", { dimensions = 2, cell = 8 }, { "body", 1 }, { "body", 2 }, "transform", "body"))
      assert.same({ OK, 4, { list[2], list[3] }, OK }, { probe.ask_space(20, 0, 7) })
      assert.same({ list[2], list[3] }, (select(3, probe.ask_space(20, 0, 8, 2))))
      tf:set_local_position(list[4], 20, 1)
      entities:destroy(list[1])
      assert.same({ OK, 3, { list[2], list[3], list[4] }, OK }, { probe.ask_space(20, 0, 8) })
    end)

    it("has one radius, and roles", function()
      assert.equal(OK, make("+?!", { dimensions = 3, cell = 8, radius = 5 }, nil, { "body", 2 }, "transform", "body",
        "frozen"))
      world:manager "frozen":create(list[2])
      assert.same({ OK, 3, { list[1], list[3] }, OK }, { probe.ask_space(20, 0, 5) })
      body:destroy(list[1])
      assert.same({ list[3] }, (select(3, probe.ask_space(20, 0, 5, 255))))
    end)

    it("is refused with wrong arguments", function()
      local right = { dimensions = 2, cell = 8 }
      assert.equal(DATA, make("+", right, nil, nil, "body"))
      assert.equal(DATA, make("+!", right, nil, nil, "body", "transform"))
      assert.equal(DATA, make("!", right, nil, nil, "transform"))
      assert.equal(DATA, make("+", right, { "body", 1 }, nil, "transform"))
      assert.equal(DATA, make("+!", right, { "body", 1 }, nil, "transform", "body"))
      assert.equal(DATA, make("++", right, { "body", 0 }, nil, "transform", "body"))
      assert.equal(DATA, make("++", right, { "body", 3 }, nil, "transform", "body"))
      assert.equal(DATA, make("++", right, nil, { "body", 1 }, "transform", "body"))
      for _, wrong in ipairs { { cell = 8 }, { dimensions = 4, cell = 8 }, { dimensions = 2 },
        { dimensions = 2, cell = 1e-31 }, { dimensions = 2, cell = 0 / 0 }, { dimensions = 2, cell = 8, radius = -1 },
        { dimensions = 2, cell = 8, radius = 0 / 0 } } do
        assert.equal(DATA, make("+", wrong, nil, nil, "transform"))
      end
      assert.is_true(world:validate())
    end)

    it("ends with a manager or its world", function()
      assert.equal(OK, make("++", { dimensions = 2, cell = 8 }, { "body", 1 }, nil, "transform", "body"))
      assert.equal(OK, (probe.ask_space(0, 0, 1)))
      world:define("body", { { "r", "double" } }, { migrate = true })
      assert.equal(OVER, (probe.ask_space(0, 0, 1)))
      world:destroy()
      assert.is_true(entities:validate())
      world = cuttle.world(entities)
      assert.equal(OK, make("+", { dimensions = 2, cell = 8 }, nil, nil, "transform")) -- the other has ended
    end)

    it("is empty after a restore until the next update", function()
      assert.equal(OK, make("+", { dimensions = 2, cell = 8 }, nil, nil, "transform"))
      probe.ask_space(0, 0, 1)
      local snapshot = entities:snapshot()
      entities:destroy(list[1])
      entities:restore(snapshot)
      assert.same({ OK, 4, { list[1] }, OK }, { probe.ask_space(10, 0, 1) })
    end)

    it("is neither freed nor updated if it is a script's", function()
      local space = world:query "transform":space { cell = 8 }
      space:update()
      assert.equal(DATA, probe.free_space(space))
      assert.equal(4, space:count())
    end)
  end)

  local function watch()
    local status, number = probe.watch(world, "transform")
    assert.equal(OK, status)
    return number
  end

  -- Returns the set of entities that a watch lists as changed, or "all".
  local function changed(number)
    local status, all, list = probe.changed(world, "transform", number)
    assert.equal(OK, status)
    if all then
      assert.same({}, list)
      return "all"
    end
    local set = {}
    for _, e in ipairs(list) do
      assert.is_nil(set[e], "listed twice")
      set[e] = true
    end
    return set
  end

  describe("with a query", function()
    local MOVED, END = 2, 1
    local made

    before_each(function()
      world:define("velocity", { { "v", "vec3" } })
      world:define("frozen", {})
      made = world:create({ transform = {}, velocity = {} }, 10)
    end)

    after_each(function() probe.free_query() end)

    local function query(...) assert.equal(OK, probe.query(world, ...)) end

    -- Returns the runs that are found.
    local function find_runs(count)
      local status, matches, step, found = probe.runs()
      assert.are.same({ OK, count, END }, { status, matches, step })
      return found
    end

    it("gets one run of rows in the same order, again and again", function()
      query("++!", "transform", "velocity", "frozen")
      for _ = 1, 3 do assert.are.same({ { 10, 0, 0, -1 } }, find_runs(10)) end
      query("", "transform", "velocity")
      assert.are.same({ { 10, 0, 0, 0 } }, find_runs(10))
    end)

    it("gets the matches after components were added and removed, and entities died", function()
      query("++!", "transform", "velocity", "frozen")
      world.frozen:create(made[1])
      assert.are.same({ { 9, 1, 1, -1 } }, find_runs(9))
      entities:destroy(made[4])
      assert.are.same({ { 2, 1, 1, -1 }, { 6, 4, 4, -1 } }, find_runs(8))
      world.velocity:destroy(made[2]) -- the last row moves there
      assert.are.same({ { 1, 2, 2, -1 }, { 5, 4, 4, -1 }, { 1, 9, 1, -1 } }, find_runs(7))
      world:clear()
      assert.are.same({}, find_runs(0))
    end)

    it("gets no rows of absent optional components", function()
      query("+?", "velocity", "frozen")
      world.frozen:create_many { made[3], made[4], made[6] }
      local found = find_runs(10)
      for _, run in ipairs(found) do run[4] = nil end
      assert.are.same({ { 2, 0, -1 }, { 2, 2, 0 }, { 1, 4, -1 }, { 1, 5, 2 }, { 4, 6, -1 } }, found)
    end)

    it("is told of a death in the loop", function()
      query("++!", "transform", "velocity", "frozen")
      world.frozen:create(made[5])
      local status, matches, step, found = probe.runs(world, made[9])
      assert.are.same({ OK, 9, MOVED, 1 }, { status, matches, step, #found })
    end)

    it("is told of a component that was defined again, and of the end of the world", function()
      query("++", "velocity", "frozen")
      world.frozen:create_many(made)
      assert.equal(1, #find_runs(10))
      world:clear()
      world:define("frozen", { { "since", "float" } })
      assert.are.same({ OVER, 0, MOVED, {} }, { probe.runs() })
      query("+", "transform")
      local memory = world:memory()
      world:destroy()
      assert.is_true(memory > 0)
      world = cuttle.world(entities)
      assert.equal(OK, probe.query(world, "+", "transform")) -- the other has ended with its world
    end)

    it("is refused for wrong arguments", function()
      query("+", "transform")
      assert.equal(DATA, probe.query(world, ""))
      assert.equal(DATA, probe.query(world, "!+", "transform", "velocity"))
      assert.equal(DATA, probe.query(world, "++", "transform", "missing"))
      assert.equal(DATA, probe.query(world, "", "mesh", "mesh", "mesh", "mesh", "mesh", "mesh", "mesh", "mesh", "mesh"))
    end)

    it("is refused without memory, and its matches too", function()
      if not fail_in then return pending "only test builds make allocations fail" end
      query("+!", "transform", "frozen")
      fail_in(0)
      local status = probe.query(world, "+", "transform")
      fail_in(-1)
      assert.equal(MEMORY, status)
      world.frozen:create(made[5])
      fail_in(0)
      local refreshed, matches = probe.runs()
      fail_in(-1)
      assert.are.same({ MEMORY, 0 }, { refreshed, matches })
      assert.are.same({ { 4, 0, -1 }, { 5, 5, -1 } }, (function()
        local found = find_runs(9)
        for _, run in ipairs(found) do run[4] = nil end
        return found
      end)())
    end)
  end)

  describe("that watches poses gets", function()
    local parent, child, alone, number

    before_each(function()
      parent = world:create { transform = {} }
      child = world:create { transform = { parent = parent } }
      alone = world:create { transform = {} }
      number = watch()
    end)

    it("all entities at first, and none while nothing changes", function()
      assert.equal("all", changed(number))
      assert.same({}, changed(number))
      tf:world_position(alone)
      assert.same({}, changed(number))
    end)

    it("each changed entity once, with its descendants", function()
      changed(number)
      for i = 1, 3 do tf:set_local_position(parent, i, 0, 0) end
      assert.same({ [parent] = true, [child] = true }, changed(number))
      tf:set_local_position(child, 1, 0, 0)
      assert.same({ [child] = true }, changed(number))
      tf:link(alone, child)
      assert.same({ [alone] = true }, changed(number))
      tf:unlink(alone, { keep = "world" })
      assert.same({}, changed(number))
    end)

    it("changes once world poses are computed: at the end of a batch, or by propagate in deferred mode", function()
      changed(number)
      tf:batch(function()
        tf:set_local_position(parent, 1, 0, 0)
        tf:set_local_position(child, 1, 0, 0)
        assert.same({}, changed(number))
      end)
      assert.same({ [parent] = true, [child] = true }, changed(number))
      tf:set_mode "deferred"
      tf:column "local_position"[tf:row(alone)].x = 7
      tf:set_local_angle(child, 1)
      assert.same({}, changed(number))
      tf:propagate()
      assert.same({ [alone] = true, [child] = true }, changed(number))
    end)

    it("added and removed transforms, and dead owners before or after gc", function()
      changed(number)
      local new = world:create { transform = {} }
      assert.same({ [new] = true }, changed(number))
      tf:destroy(new)
      assert.same({ [new] = true }, changed(number))
      assert.is_nil(tf:lookup(new))
      entities:destroy(alone)
      assert.same({ [alone] = true }, changed(number))
      tf:gc "all"
      assert.same({}, changed(number))
      entities:destroy(parent)
      tf:gc "all"
      assert.same({ [parent] = true }, changed(number))
      assert.same({ 0, 0, 0 }, { tf:world_position(child) })
    end)

    it("the new owner of a reused index", function()
      changed(number)
      entities:destroy(alone)
      local next_one = world:create { transform = {} }
      assert.equal(cuttle.entity_index(alone), cuttle.entity_index(next_one))
      assert.same({ [alone] = true, [next_one] = true }, changed(number))
      valid(world)
    end)

    it("the entities of a level when it is spawned and when it is unloaded", function()
      changed(number)
      local blob = assert(cuttle.compiler(world):compile { entities = { { components = { transform = {} }, children = {
        { components = { transform = { position = { 1, 0, 0 } } } }, { name = "nowhere" } } } } })
      local level = assert(world:spawn(cuttle.resource(blob), { position = { 5, 0, 0 } }))
      local both = { [level:entity(1)] = true, [level:entity(2)] = true }
      assert.same(both, changed(number))
      level:unload()
      assert.same(both, changed(number))
    end)

    it("all entities after a restore, after a clear, and when the list would be too long", function()
      changed(number)
      local snapshot = entities:snapshot()
      assert.same({}, changed(number))
      entities:restore(snapshot)
      assert.equal("all", changed(number))
      world:clear()
      assert.equal("all", changed(number))
      assert.same({}, changed(number))
      for _ = 1, 40 do
        local list = world:create({ transform = {} }, 100)
        entities:destroy(list)
        tf:gc "all"
      end
      assert.equal("all", changed(number))
      assert.same({}, changed(number))
    end)

    it("its own changes for each watch, until it ends the watch", function()
      local second = watch()
      assert.is_true(second ~= number)
      changed(number)
      tf:set_local_position(alone, 1, 0, 0)
      assert.equal("all", changed(second))
      assert.same({ [alone] = true }, changed(number))
      assert.is_true(probe.unwatch(world, "transform", number))
      assert.is_false(probe.unwatch(world, "transform", number))
      assert.same({ DATA, false, {} }, { probe.changed(world, "transform", number) })
      tf:set_local_position(parent, 1, 0, 0)
      assert.same({ [parent] = true, [child] = true }, changed(second))
    end)

    it("changes of transforms only", function()
      assert.same({ DATA, 0 }, { probe.watch(world, "mesh") })
      assert.same({ DATA, false, {} }, { probe.changed(world, "mesh", number) })
      assert.is_false(probe.unwatch(world, "mesh", number))
      assert.same({ DATA, false, {} }, { probe.changed(world, "transform", 99) })
      world:destroy()
      assert.is_true(entities:validate())
    end)

    it("lists of bounded memory", function()
      local before = tf:memory()
      local list = world:create({ transform = {} }, 1000)
      changed(number)
      local rows = tf:memory()
      for i = 1, 1000 do tf:set_local_position(list[i], 1, 0, 0) end
      assert.is_true(tf:memory() >= rows + 8000 and tf:memory() > before)
      changed(number)
      for i = 1, 1000 do tf:set_local_position(list[i], 1, 0, 0) end
      assert.is_true(tf:memory() <= rows + 16000)
      probe.unwatch(world, "transform", number)
      assert.is_true(tf:memory() <= rows)
    end)

    if fail_in then
      it("all entities if there is no memory for the list", function()
        changed(number)
        local list = world:create({ transform = {} }, 200)
        changed(number)
        fail_in(0)
        local moved = pcall(tf.set_local_position, tf, list[150], 1, 2, 3)
        fail_in(-1)
        assert.is_true(moved)
        assert.same({ 1, 2, 3 }, { tf:world_position(list[150]) })
        assert.equal("all", changed(number))
        fail_in(0)
        local status = probe.watch(world, "transform")
        fail_in(-1)
        assert.equal(MEMORY, status)
        valid(world)
      end)
    end
  end)

  describe("with copies of world matrices", function()
    local N = SLOW and 30 or 100

    -- Copies of the world matrices by entity, kept up to date by one watch.
    local function new_copy(run)
      local status, number = probe.watch(run.world, "transform")
      assert.equal(OK, status)
      return { run = run, number = number, known = {}, lists = 0 }
    end

    local function update(copy)
      local run, known = copy.run, copy.known
      local status, all, list = probe.changed(run.world, "transform", copy.number)
      assert.equal(OK, status)
      if all then
        known = {}
        copy.known, list = known, {}
        for e in pairs(run.model.nodes) do list[#list + 1] = e end
      else
        copy.lists = copy.lists + #list
      end
      for _, e in ipairs(list) do
        known[e] = run.tf:has(e) and table.concat(run.tf:world_matrix(e, {}), " ") or nil
      end
      local count = 0
      for e in pairs(run.model.nodes) do
        count = count + 1
        assert.equal(table.concat(run.tf:world_matrix(e, {}), " "), known[e])
      end
      for _ in pairs(known) do count = count - 1 end
      assert.equal(0, count)
    end

    for _, name in ipairs { "immediate", "deferred", "immediate_nodes", "deferred_nodes" } do
      it("keeps all of them up to date through random operations: " .. name, function()
        local copies, step, lists = nil, 0, 0
        runs[name](seed, N, function(run)
          step = step + 1
          if not copies then
            copies = { new_copy(run), new_copy(run), new_copy(run) } -- the third is never read
          end
          update(copies[1])
          if step % 23 == 0 then update(copies[2]) end
          lists = copies[1].lists
        end)
        assert.is_true(lists > 0) -- otherwise every answer was "all"
      end)
    end
  end)

  -- Checks that numbers are equal up to the precision of floats.
  local function near(expected, ...)
    local given = { ... }
    assert.equal(#expected, #given)
    for i, number in ipairs(expected) do assert.near(number, given[i], 1e-5) end
  end

  describe("sets world poses", function()
    local parent, child, flat, under

    before_each(function()
      parent = world:create { transform = { position = { 10, 0, 0 }, scale = 2 } }
      child = world:create { transform = { parent = parent } }
      flat = world:create { transform = { scale = 0 } }
      under = world:create { transform = { position = { 1, 2, 3 }, parent = flat } }
    end)

    it("one by one, as scripts do", function()
      assert.equal(OK, probe.set_position(world, child, 4, 5, 6))
      assert.same({ -3, 2.5, 3 }, { tf:local_position(child) })
      assert.equal(OK, probe.set_rotation(world, child, 0, 0, 3, 3))
      near({ math.pi / 2 }, tf:world_angle(child))
      assert.equal(OK, probe.set_pose(world, child, 1, 2, 3, 0, 0, 0, 1, 4, 4, 4))
      assert.same({ 1, 2, 3, 0, 0, 0, 1, 4, 4, 4 }, { probe.pose(world, child) })
      assert.same({ 2, 2, 2 }, { tf:local_scale(child) })
    end)

    it("or gets an error if the world pose cannot be reached, or the row is invalid", function()
      assert.equal(DATA, probe.set_position(world, under, 1, 1, 1))
      assert.equal(DATA, probe.set_rotation(world, under, 0, 0, 0, 1))
      assert.equal(DATA, probe.set_pose(world, under, 1, 2, 3, 0, 0, 0, 1, 4, 4, 4))
      assert.same({ 1, 2, 3 }, { tf:local_position(under) })
      for _, target in ipairs { entities:create(), 4, 2 ^ 32 - 1 } do
        assert.equal(DATA, probe.set_position(world, target, 1, 1, 1))
        assert.equal(DATA, probe.set_rotation(world, target, 0, 0, 0, 1))
        assert.equal(DATA, probe.set_pose(world, target, 1, 2, 3, 0, 0, 0, 1, 4, 4, 4))
        assert.equal(DATA, probe.pose(world, target))
      end
    end)

    it("of several entities in order, and computes each once", function()
      local number = watch()
      changed(number)
      assert.same({ OK, 0 }, { probe.set_many(world, "position", { parent, child }, { 0, 0, 0, 7, 0, 0 }) })
      assert.same({ 7, 0, 0 }, { tf:world_position(child) })
      assert.same({ 3.5, 0, 0 }, { tf:local_position(child) })
      assert.same({ [parent] = true, [child] = true }, changed(number))
      assert.same({ OK, 0 }, { probe.set_many(world, "rotation", { parent, child }, { 0, 0, 2, 0 }, true) })
      near({ math.pi, math.pi }, math.abs(tf:world_angle(parent)), math.abs(tf:world_angle(child)))
      local pose = { 1, 1, 1, 0, 0, 0, 1, 3, 3, 3 }
      assert.same({ OK, 0 }, { probe.set_many(world, "pose", { child, parent }, pose, true) })
      assert.same(pose, { probe.pose(world, parent) })
      assert.same({ OK, 7 }, { probe.set_many(world, "local_pose", { child }, pose) })
      near({ 4, 4, 4 }, tf:world_position(child))
      assert.same({ OK, 0 }, { probe.set_many(world, "pose", {}, pose) })
      valid(world)
    end)

    it("of several entities except those below a scale of zero, and of none if a row is invalid", function()
      assert.same({ OK, 1 }, { probe.set_many(world, "position", { under, child }, { 9, 9, 9 }, true) })
      assert.same({ 1, 2, 3 }, { tf:local_position(under) })
      assert.same({ 9, 9, 9 }, { tf:world_position(child) })
      assert.same({ DATA, 0 }, { probe.set_many(world, "position", { child, parent }, { 5, 5, 5 }, true, tf:count()) })
      assert.same({ DATA, 0 }, { probe.set_many(world, "position", { child }, {}) })
      assert.same({ 9, 9, 9 }, { tf:world_position(child) })
    end)

    it("of several entities, and skips entities without transform", function()
      local without = entities:create()
      assert.same({ OK, 0 }, { probe.set_many(world, "position", { without, child }, { 1, 1, 1, 5, 5, 5 }) })
      assert.same({ 5, 5, 5 }, { tf:world_position(child) })
    end)

    it("in batches and in deferred mode", function()
      tf:batch(function()
        assert.same({ OK, 0 }, { probe.set_many(world, "position", { parent, child }, { 1, 0, 0, 2, 0, 0 }) })
        assert.same({ 2, 0, 0 }, { tf:world_position(child) })
      end)
      assert.same({ 2, 0, 0 }, { tf:world_position(child) })
      tf:set_mode "deferred"
      assert.same({ OK, 0 }, { probe.set_many(world, "position", { parent }, { 3, 0, 0 }) })
      assert.same({ 1, 0, 0 }, { tf:world_position(parent) })
      tf:propagate()
      assert.same({ 3, 0, 0 }, { tf:world_position(parent) })
      valid(world)
    end)

    it("without storing a NaN that is a forged value", function()
      assert.equal(OK, probe.set_position(world, parent, 0 / 0, 1, 1))
      probe.set_pose(world, child, 0 / 0, 2, 3, 0, 0 / 0, 0, 1, 4, 0 / 0, 4)
      probe.set_many(world, "pose", { parent, child }, { 0 / 0, 1 / 0, 0, 0 / 0, 0, 0, 1, 1 / 0, 1, 1 }, true)
      probe.set_many(world, "rotation", { parent, child }, { 0 / 0, 1 / 0, 0, 0 }, true)
      valid(world)
    end)

    if fail_in then
      it("of several entities or of none, when memory runs out", function()
        fail_in(0)
        local status = probe.set_many(world, "position", { child }, { 5, 5, 5 })
        fail_in(-1)
        assert.equal(MEMORY, status)
        assert.same({ 10, 0, 0 }, { tf:world_position(child) })
        valid(world)
      end)
    end
  end)

  it("gets children in order, without dead entities", function()
    local parent = world:create { transform = {} }
    local list = world:create({ transform = { parent = parent } }, 4)
    local function children(e) return { probe.children(world, e) } end
    assert.same({ { list[1], list[2], list[3], list[4] }, 4 }, children(parent))
    entities:destroy { list[1], list[3] }
    assert.same({ { list[2], list[4] }, 2 }, children(parent))
    assert.same({ {}, 0 }, children(list[2]))
    for _, target in ipairs { entities:create(), 99, 2 ^ 32 - 1 } do assert.same({ {}, 0 }, children(target)) end
  end)

  it("cannot link below a row of a dead entity", function()
    local parent, child = world:create { transform = {} }, world:create { transform = {} }
    local row = tf:row(parent)
    assert.equal(OK, probe.link(world, child, row))
    tf:unlink(child)
    entities:destroy(parent)
    assert.equal(DATA, probe.link(world, child, row))
    valid(world)
  end)

  describe("reads and writes grids", function()
    local map

    before_each(function()
      world.grid:define_resource("rock", { [2] = { solid = true } })
      map = world:create { transform = { position = { 100, 0, 0 } },
        grid = { width = 3, height = 2, cell_size = 10, cells = { 0, 1, 2, 3, 0, 0 }, tiles = "rock" } }
    end)

    it("cell by cell, and all at once", function()
      assert.same({ { 0, 1, 2, 3, 0, 0 }, 3, 2, 10, 10 }, { probe.cells(world, map) })
      assert.same({ 2, true }, { probe.cell(world, map, 2, 0) })
      assert.same({ 3, false }, { probe.cell(world, map, 0, 1) })
      assert.same({ 0, false }, { probe.cell(world, map, 3, 0) })
      assert.same({ 0, false }, { probe.cell(world, map, 0, 2) })
      assert.equal(OK, probe.set_cells(world, map, 1, 1, 8, 9))
      assert.equal(OK, probe.set_cells(world, map, 3, 1))
      assert.same({ 0, 1, 2, 3, 8, 9 }, (probe.cells(world, map)))
    end)

    it("without changing other holders of the same cells", function()
      local snapshot = entities:snapshot()
      assert.equal(OK, probe.set_cells(world, map, 0, 0, 7, 7, 7))
      entities:restore(snapshot)
      assert.equal(1, world.grid:cell(map, 1, 0))
      if fail_in then
        fail_in(0)
        local status = probe.set_cells(world, map, 0, 0, 7, 7, 7)
        fail_in(-1)
        assert.equal(MEMORY, status)
        assert.same({ 0, 1, 2, 3, 0, 0 }, (probe.cells(world, map)))
      end
      assert.is_not_nil(snapshot)
    end)

    it("by points, boxes and rays in world coordinates", function()
      assert.same({ 2, 0, 2 }, { probe.cell_at(world, map, 125, 5) })
      assert.same({}, { probe.cell_at(world, map, 25, 5) })
      assert.same({ 3, { 1, 0, 1, 2, 0, 2, 0, 1, 3 } }, { probe.box(world, map, 100, 0, 130, 20, 16) })
      assert.same({ 3, { 1, 0, 1 } }, { probe.box(world, map, 100, 0, 130, 20, 1) })
      assert.same({ 2, 0, 2, 120, 5 }, { probe.ray(world, map, 90, 5, 200, 5) })
      assert.same({}, { probe.ray(world, map, 90, 15, 200, 15) })
      tf:set_local_scale(map, 0)
      assert.same({}, { probe.cell_at(world, map, 100, 0) })
      assert.same({ 0, {} }, { probe.box(world, map, 100, 0, 130, 20, 16) })
    end)

    it("for boxes that move", function()
      assert.same({ 118, 5, 1, 0 }, { probe.move(world, map, 0, 105, 5, 2, 2, 90, 0) })
      assert.same({ 108, 5, 1, 0 }, { probe.move(world, map, 1, 105, 5, 2, 2, 90, 0) })
      assert.same({ 195, 5, 0, 0 }, { probe.move(world, map, 9, 105, 5, 2, 2, 90, 0) })
      for _, bad in ipairs { { 0 / 0, 5, 2, 2, 90, 0 }, { 105, 5, -1, 2, 90, 0 }, { 105, 5, 2, 2, math.huge, 0 } } do
        assert.same({}, { probe.move(world, map, 0, unpack(bad)) })
      end
      tf:set_local_scale(map, 2)
      assert.same({}, { probe.move(world, map, 0, 105, 5, 2, 2, 90, 0) })
    end)

    it("as rectangles and outlines of solid cells", function()
      assert.same({ OK, 1, { 2, 0, 1, 1 } }, { probe.colliders(world, map, 0, 8) })
      assert.same({ OK, 2, { 1, 0, 2, 1, 0, 1, 1, 1 } }, { probe.colliders(world, map, 1, 8) })
      assert.same({ OK, 2, { 1, 0, 2, 1 } }, { probe.colliders(world, map, 1, 1) })
      assert.same({ OK, 4, { 2, 0, 0, 3, 0, 0, 3, 1, 0, 2, 1, 0 } }, { probe.outlines(world, map, 0, 16) })
      assert.same({ OK, 8, { 1, 0, 0, 3, 0, 0, 3, 1, 0, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 2, 1, 0, 2, 1 } },
        { probe.outlines(world, map, 1, 16) })
      if fail_in then
        fail_in(0)
        local status = probe.colliders(world, map, 0, 8)
        fail_in(-1)
        assert.equal(MEMORY, status)
      end
    end)

    it("in blocks of cells", function()
      assert.equal(OK, probe.fill(world, map, 1, 0, 2, 2, 7))
      assert.equal(OK, probe.fill(world, map, 3, 2, 0, 0, 9))
      assert.same({ 0, 7, 7, 3, 7, 7 }, (probe.cells(world, map)))
      for _, block in ipairs { { 2, 0, 2, 1 }, { 4, 0, 0, 0 }, { 0, 1, 1, 2 }, { 2 ^ 32 - 1, 0, 1, 1 } } do
        assert.equal(DATA, probe.fill(world, map, block[1], block[2], block[3], block[4], 5))
      end
      assert.same({ 0, 7, 7, 3, 7, 7 }, (probe.cells(world, map)))
    end)

    it("with the flips of cells", function()
      assert.equal(OK, probe.set_flips(world, map, 2, 1, 6))
      assert.same({ false, true, true }, { world.grid:flips(map, 2, 1) })
      assert.equal(6, probe.flips(world, map, 2, 1))
      assert.equal(0, probe.flips(world, map, 0, 0))
      assert.equal(0, probe.flips(world, map, 3, 0))
      assert.equal(DATA, probe.set_flips(world, map, 3, 1, 1))
      assert.equal(DATA, probe.set_flips(world, map, 0, 2, 1))
      assert.equal(DATA, probe.set_flips(world, map, 0, 0, 8))
      assert.equal(OK, probe.set_cells(world, map, 2, 1, 0))
      assert.equal(0, probe.flips(world, map, 2, 1))
      assert.equal(DATA, probe.set_flips(world, 1, 0, 0, 1))
      assert.equal(0, probe.flips(world, 1, 0, 0))
    end)

    it("without access to rows and cells that do not exist", function()
      for _, target in ipairs { entities:create(), 1, 2 ^ 32 - 1 } do
        assert.same({ true }, { probe.cells(world, target) })
        assert.same({ 0, false }, { probe.cell(world, target, 0, 0) })
        assert.equal(DATA, probe.set_cells(world, target, 0, 0, 1))
        assert.same({}, { probe.cell_at(world, target, 125, 5) })
        assert.same({ 0, {} }, { probe.box(world, target, 100, 0, 130, 20, 16) })
        assert.same({}, { probe.ray(world, target, 90, 5, 200, 5) })
        assert.same({}, { probe.move(world, target, 0, 105, 5, 2, 2, 90, 0) })
        assert.same({ DATA, 0, {} }, { probe.colliders(world, target, 0, 8) })
        assert.same({ DATA, 0, {} }, { probe.outlines(world, target, 0, 8) })
        assert.equal(DATA, probe.fill(world, target, 0, 0, 1, 1, 5))
      end
      for _, place in ipairs { { 2, 0, 1, 1 }, { 4, 0 }, { 0, 2, 1 }, { 2 ^ 32 - 1, 0, 1, 1 } } do
        assert.equal(DATA, probe.set_cells(world, map, unpack(place)))
      end
      assert.same({ 0, 1, 2, 3, 0, 0 }, (probe.cells(world, map)))
    end)
  end)

  describe("with a component that is not its own", function()
    local FLOAT, INT32, UINT32, VEC2, VEC3, QUAT, MAT4, STRING, ENTITY = 0, 6, 7, 9, 10, 12, 13, 16, 15
    local NO_FIELD, EXISTS, e = 2 ^ 32 - 1, 3, nil

    before_each(function()
      e = entities:create()
    end)

    it("reads the types of its fields", function()
      world:define("health", { { "hp", "float" }, { "level", "int32" }, { "mark", "uint32" }, { "target", "entity" },
        { "title", "string" }, { "last", "value" }, { "wide", "dvec3" } })
      assert.same({ FLOAT, INT32, UINT32, ENTITY, STRING, 18, 20, NO_FIELD }, { probe.field_types(world, "health") })
      assert.same({ VEC3, QUAT, VEC3, MAT4, MAT4, NO_FIELD }, { probe.field_types(world, "transform") })
      assert.same({ UINT32, UINT32, VEC2, STRING, NO_FIELD }, { probe.field_types(world, "grid") })
    end)

    it("adds it with the number of values that it passes", function()
      local health = world:define("health", { { "hp", "float" }, { "armour", "float", default = 3 } })
      assert.equal(DATA, probe.add_values(world, "health", e, 3, 7))
      assert.is_nil(health:lookup(e))
      assert.equal(OK, probe.add_values(world, "health", e, 1, 7))
      assert.same({ 7, 3 }, { health:hp(e), health:armour(e) })
      assert.equal(EXISTS, probe.add_values(world, "health", e, 0, 7))
      local other = entities:create()
      assert.equal(OK, probe.add_values(world, "health", other, 0, 7))
      assert.same({ 0, 3 }, { health:hp(other), health:armour(other) })
    end)

    it("cannot add it without the value of a required field, nor add an actor", function()
      assert.equal(DATA, probe.add_values(world, "mesh", e, 0, 7))
      assert.equal(DATA, probe.add_values(world, "actor", e, 0, 7))
    end)

    -- An array has no length: a script may have added a field since the plugin was compiled.
    it("cannot add a script's component with values whose number it does not pass", function()
      local health = world:define("health", { { "hp", "float" } })
      assert.equal(DATA, probe.add(world, "health", e, 7))
      assert.equal(0, health:count())
      assert.equal(OK, probe.add(world, "health", e))
      assert.equal(0, health:hp(e))
    end)

    it("adds built-in components with values whose number it does not pass", function()
      assert.equal(OK, probe.add(world, "point_mass", e, 7))
      assert.equal(7, world.point_mass:mass(e))
      assert.equal(DATA, probe.add(world, "actor", e, 7))
    end)
  end)

  it("can change nothing in its callbacks, which run during operations of the core", function()
    local manager = probe.define(world)
    assert.same({ 1, 0 }, { probe.meddled() })
    local list = entities:create(3)
    manager:create_many(list, {})
    manager:set_number(list[1], 5)
    manager:column "number"[0] = 6
    manager:destroy(list[1])
    entities:destroy(list[2])
    manager:gc "all"
    assert.equal(1, manager:count())
    valid(world)
    world:memory()
    local snapshot = entities:snapshot()
    local save = snapshot:tostring()
    entities:restore(snapshot)
    entities:restore(cuttle.snapshot(save))
    world:destroy()
    local refused, allowed = probe.meddled()
    assert.equal(0, allowed)
    assert.is_true(refused > 20)
    assert.equal(2, entities:count())
  end)
end)
