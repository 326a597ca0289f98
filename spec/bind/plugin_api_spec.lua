-- The C API for plugins, tested by a plugin that records the calls of its callbacks.

-- tags: machine unix

local blob_of = require "spec.support.blob"
local core = require "cuttle.core"
local cuttle = require "cuttle"
local collect = require "spec.support.collect"
local file = require "spec.support.file"
local finalizer_errors = require "spec.support.finalizer_errors"
local light_userdata = require "spec.support.light_userdata"
local plugins = require "spec.support.plugins"
local raises = require "spec.support.raises"
local rounds = require "spec.support.rounds"
local sample = require "spec.support.sample"
local valid = require "spec.support.valid"

local fail_in = core.testing and core.testing.fail_in

describe("a plugin", function()
  local folder, probe, entities, world, manager

  setup(function()
    folder = plugins.new_folder()
    plugins.build(folder, "probe", "spec/support/probe.c")
    probe = plugins.load(folder, "probe")
  end)

  teardown(function()
    plugins.remove_folder(folder)
  end)

  before_each(function()
    probe.refuse(-1)
    entities, world, manager = nil, nil, nil
    collect() -- otherwise worlds of earlier tests could run their closing callbacks during this test
    entities = cuttle.entity_manager { minimum_free_indices = 0 }
    world = cuttle.world(entities)
    probe.story()
    manager = probe.define(world)
  end)

  describe("in a snapshot", function()
    it("has its own data saved and restored, consistent with the rows", function()
      local list = entities:create(3)
      manager:add(list, { "a", "b", "c" }, 1)
      local snapshot = probe.snapshot(entities)
      assert.equal(snapshot, probe.snapshot(entities, snapshot))
      entities:destroy(list[2])
      world:gc "all"
      valid(world)
      probe.story()
      probe.restore(entities, snapshot)
      assert.equal("reserved, restored", probe.story())
      assert.equal(3, manager:count())
      valid(world)
    end)

    it("is recorded and restored frame by frame", function()
      local recorder = cuttle.recorder(entities)
      for i = 1, 4 do
        manager:add(entities:create(1), { "n" .. i }, 1)
        probe.record(recorder)
      end
      assert.equal(2, probe.rewind(recorder, 2))
      assert.equal(2, manager:count())
      raises("Recorder expected, got userdata", probe.record, entities)
      raises("Recorder expected, got userdata", probe.rewind, entities, 1)
      valid(world)
    end)

    it("leaves all data unchanged if a restore gets no memory", function()
      manager:add(entities:create(3), { "a", "b", "c" }, 1)
      local snapshot = entities:snapshot()
      manager:add(entities:create(2), { "d", "e" }, 1)
      probe.refuse(0)
      raises("not enough memory", entities.restore, entities, snapshot)
      assert.equal(5, manager:count())
      valid(world)
    end)

    it("is refused with the name of the component if its own data cannot be saved", function()
      probe.define_unsaved(world)
      raises("unsaved has data of its own that its plugin cannot save", entities.snapshot, entities)
    end)

    it("is restored only into a component of the type that saved it, not into another of its name", function()
      local definitions = { -- of "unwritten", which has no fields
        function() probe.define_unwritten(world) end,
        function() probe.define_unwritten(world, true) end,
        function() world:define("unwritten", {}) end,
      }
      for i, define in ipairs(definitions) do
        define()
        local snapshot = entities:snapshot()
        for j, define_again in ipairs(definitions) do
          define_again()
          if i ~= j then
            raises("component 'unwritten' of world 'world1' was defined by a script or another plugin",
              entities.restore, entities, snapshot)
          end
        end
        define()
        entities:restore(snapshot)
        valid(world)
      end
    end)
  end)

  describe("in a save", function()
    local function filled()
      local list = entities:create(4)
      manager:add(list, { "a", "b", "c", "d" }, 1)
      manager:add({ list[1] }, { "e" }, 2)
      entities:destroy(list[2])
      world:gc "all"
      entities:destroy(list[3])
      return probe.save(entities:snapshot())
    end

    it("has its own data as bytes, for the rows that are saved", function()
      local text = filled()
      local hash = entities:hash()
      manager:add(entities:create(1), { "later" }, 3)
      local sound, save = probe.read_save(text)
      assert.is_true(sound)
      probe.restore(entities, save)
      assert.equal(hash, entities:hash())
      assert.equal(3, manager:count())
      valid(world)
      assert.equal(text, save:tostring())
    end)

    it("refuses damaged data, and data that does not fit, with a message", function()
      local text = filled()
      assert.same({ false, "not a save" }, { probe.read_save "wombat" })
      local _, save = probe.read_save(text)
      local more = cuttle.world(entities, { name = "more" })
      raises("world 'more' is not in the save", probe.restore, entities, save)
      more:destroy()
      probe.refuse(2) -- opened, created; not own data
      assert.same({ nil, "probe: its data in the save was refused" }, { entities:restore(save) })
      probe.refuse(-1)
      local at = assert(text:find("\5\0\0\0\1\3\0\0\0", 1, true))
      for message, bytes in pairs { ["of another version"] = "\2\3", ["its data in the save was refused"] = "\1\4" } do
        local damaged = blob_of.seal(blob_of.put(text, at + 3, bytes))
        assert.same({ nil, "probe: " .. message }, { entities:restore(cuttle.snapshot(damaged)) })
      end
      valid(world)
      assert.is_true(entities:restore(save))
    end)

    it("is refused with the name of the component if its own data cannot be written", function()
      probe.define_unwritten(world)
      local snapshot = entities:snapshot()
      raises("unwritten has data of its own that its plugin cannot write to a save", snapshot.tostring, snapshot)
    end)
  end)

  describe("defines a component type", function()
    it("that the world returns like any other", function()
      assert.equal(manager, world.probe)
      assert.equal(manager, world:manager "probe")
      assert.equal("opened", probe.story())
      assert.same({ { "text", "string" }, { "number", "int32" }, { "friend", "entity" }, { "place", "vec3" } },
        manager:fields())
    end)

    it("once: a second define returns the same manager", function()
      manager:add(entities:create(2), { "a", "b" }, 1)
      assert.equal(manager, probe.define(world))
      assert.equal(2, manager:count())
      assert.not_matches("closed", probe.story())
    end)

    it("in several worlds", function()
      local second = cuttle.world(entities)
      assert.not_equal(manager, probe.define(second))
      second:destroy()
      assert.equal("opened, opened, closed 0", probe.story())
      valid(world)
    end)

    it("in place of another of that name without rows, but not of one with rows", function()
      manager:add(entities:create(1), { "a" }, 1)
      raises("probe is defined by a plugin and has 1 row: destroy the components first", probe.define_other, world)
      raises("probe is defined by a plugin and has 1 row: destroy the components first",
        world.define, world, "probe", { { "x", "float" } })
      world:clear()
      probe.story()
      local other = probe.define_other(world)
      assert.equal("closed 0", probe.story())
      raises("probe was defined again", manager.count, manager)
      assert.same({ { "big", "double" } }, other:fields())
      other:create(entities:create(), { big = 5 })
      valid(world)
    end)

    it("in place of one that a script defined", function()
      local scripted = world:define("small", { { "x", "float" } })
      local e = entities:create()
      scripted:create(e)
      raises("small is defined by a script and has 1 row: destroy the components first", probe.small, world)
      scripted:destroy(e)
      probe.small(world):create(e, { big = 7 })
      assert.equal(7, world.small:big(e))
      valid(world)
    end)

    it("that a script does not get for a define with the same fields", function()
      local plugin = probe.small(world)
      local scripted = world:define("small", { { "big", "double" } })
      assert.not_equal(plugin, scripted)
      raises("small was defined again", plugin.count, plugin)
    end)

    it("that scripts cannot replace while it has rows, even with the same fields", function()
      probe.small(world):create(entities:create())
      raises("small is defined by a plugin and has 1 row: destroy the components first",
        world.define, world, "small", { { "big", "double" } })
    end)

    it("with a description of an older header, and later members count as 0", function()
      probe.story()
      local small = probe.small(world)
      small:create(entities:create(), { big = 1 })
      assert.equal("", probe.story())
      valid(world)
    end)

    it("only if it opens: nothing is defined if opened fails", function()
      local second = cuttle.world(entities)
      probe.refuse(0)
      raises("not enough memory", probe.define, second)
      assert.is_nil(second:manager "probe")
      assert.equal("opened", probe.story())
      probe.define(second)
    end)

    it("only in a world", function()
      raises("world expected, got no value", probe.define)
      raises("world expected, got userdata", probe.define, entities)
      raises("world expected, got userdata", probe.define, manager)
      world:destroy()
      raises("world is destroyed", probe.define, world)
    end)

    for number, message in ipairs({
      "bad: field 1 has no name", "bad: field 1: 'a b' is not a valid field name (at most 63 letters, digits, _)",
      "bad: field 1: 'id' is a reserved name", "bad: field 2: duplicate field 'b'", "bad: a: unknown type 21",
      "bad: a: its default is not a value of its type", "bad: a: its default is not a value of its type",
      "bad: a: labels expected", "bad: a: its default is not a value of its type",
      "bad: field 'count' has the name of a method of managers; rename it, or pass {hidden = {\"count\"}} and use "
        .. "read and write",
      "component description has size 4: sizeof(ct_component) expected", "component description has no name",
      "'not good' is not a valid component name (letters, digits, _)", "transform is a built-in component",
      "bad: unknown flags, or reserved members that are not 0",
      "bad: unknown flags, or reserved members that are not 0",
      "bad: too many fields (limit is 60)", "bad: its fields are NULL", "bad: method 'f' is NULL",
      "component description expected, got NULL", "bad: own_bytes is 4294967295 (limit is 1073741824)",
      "bad: hidden: 'nothing' is not a field",
    }) do
      it("not from the wrong description " .. number .. ": " .. message, function()
        raises(message, probe.define_bad, world, number)
        assert.is_nil(world:manager "bad")
        valid(world)
      end)
    end

    it("with hidden fields, which have no methods", function()
      for _ = 1, 2 do
        local hiding = probe.define_migrate(world, 4)
        local e = world:create { plain = { count = 7 } }
        assert.is_nil(hiding.set_count)
        hiding:write(e, "count", hiding:read(e, "count") + hiding:count())
        assert.equal(7 + hiding:count(), hiding:read(e, "count"))
      end
      valid(world)
    end)
  end)

  describe("gets a callback", function()
    it("for rows that a script creates, once for all of them, after they are filled", function()
      probe.story()
      manager:create_many(entities:create(3), { text = { "a", "b", "c" }, number = 1 })
      assert.equal("created 0 3abc", probe.story())
      manager:create(entities:create(), { number = 2 })
      assert.equal("created 3 1nothing", probe.story())
      world:create({ probe = { { text = "d", number = 1 }, { text = "e", number = 1 } } })
      assert.equal("created 4 1d, created 5 1e", probe.story())
      valid(world)
    end)

    it("for removed rows, and for rows that move to their places", function()
      local list = entities:create(3)
      manager:add(list, { "a", "b", "c" }, 1)
      probe.story()
      manager:destroy(list[1])
      assert.equal("removing 0a, moved 0 2", probe.story())
      manager:remove(list[2])
      assert.equal("removing 1b", probe.story())
      valid(world)
    end)

    it("for neighbours whose entities died, one after another", function()
      local list = entities:create(5)
      manager:add(list, { "a", "b", "c", "d", "e" }, 1)
      entities:destroy(list[2])
      entities:destroy(list[3])
      probe.story()
      assert.equal(2, manager:collect(true))
      assert.equal("removing 2c, moved 2 4, removing 1b, moved 1 3", probe.story())
      valid(world)
    end)

    it("for a living row only once, not for every dead row before it", function()
      -- Rows: `before` living ones, `dead` ones that die newest first, and one living row.
      local function moves(before, dead, collect_them)
        local list = entities:create(before + dead + 1)
        manager:add(list, {}, 1)
        for i = before + dead, before + 1, -1 do entities:destroy(list[i]) end
        probe.story()
        assert.equal(dead, collect_them())
        local _, count = probe.story():gsub("moved", "")
        assert.equal(before + 1, manager:count())
        assert.equal(before + 1, (manager:sum()))
        world:clear()
        valid(world)
        return count
      end
      assert.equal(1, moves(0, 20, function() return manager:collect(true) end))
      assert.equal(1, moves(5, 20, function() return manager:gc() end))
      assert.equal(1, moves(100, 20, function() return manager:gc() end))
    end)

    it("for deaths at once, and for the rows of dead entities when they are collected", function()
      local list = entities:create(2)
      manager:add(list, { "a", "b" }, 1)
      probe.story()
      entities:destroy(list[1])
      assert.equal("died " .. cuttle.entity_index(list[1]), probe.story())
      assert.same({ 2, 1 }, { manager:sum() })
      assert.equal(1, manager:collect(true))
      assert.equal("removing 0a, moved 0 1", probe.story())
      entities:destroy(list[2])
      assert.equal(1, manager:gc())
      valid(world)
    end)

    it("for each field that scripts write, by every method", function()
      local e = entities:create()
      local instance = manager:create(e, { number = 1 })
      probe.story()
      manager:set_number(e, 2)
      manager:write(instance, "text", "new")
      manager:set(e, { friend = e, place = { 1, 2, 3 } })
      manager:put(e, 5)
      assert.equal("written 0 1, written 0 0, written 0 2, written 0 3, written 0 1", probe.story())
      manager:column "number"[0] = 6
      manager:column("place"):set(0, 4, 5, 6)
      manager:column("place")[0].y = 7
      manager:column "friend"[instance] = cuttle.NOBODY
      assert.equal("written 0 1, written 0 3, written 0 3, written 0 2", probe.story())
      assert.same({ text = "new", number = 6, place = { 4, 7, 6 } }, manager:get(instance))
      valid(world)
    end)

    it("for every row when all owners are dead, from the last to the first", function()
      local list = entities:create(2)
      manager:add(list, { "a", "b" }, 1)
      entities:destroy(list)
      probe.story()
      assert.equal(2, manager:gc())
      assert.equal("removing 1b, removing 0a", probe.story())
      valid(world)
    end)

    it("for every row when the world is cleared, from the last to the first", function()
      manager:add(entities:create(2), { "a", "b" }, 1)
      probe.story()
      world:clear()
      assert.equal("removing 1b, removing 0a", probe.story())
      valid(world)
    end)

    it("for the end of the world, by destroy and by the collector", function()
      manager:add(entities:create(2), { "a", "b" }, 1)
      probe.story()
      world:destroy()
      assert.equal("removing 1b, removing 0a, closed 0", probe.story())
      raises("world is destroyed", manager.sum, manager)
      world = cuttle.world(entities)
      manager = probe.define(world)
      probe.story()
      world, manager = nil, nil
      collect()
      assert.equal("closed 0", probe.story())
      entities:destroy(entities:create())
      assert.equal("", probe.story())
    end)

    it("for a creation, may refuse it, and nothing is created then", function()
      local list = entities:create(3)
      probe.story()
      probe.refuse(0)
      raises("not enough memory", manager.create_many, manager, list, { text = "refused", number = 1 })
      assert.equal(0, manager:count())
      probe.refuse(1)
      raises("not enough memory", world.create, world, { probe = { { number = 1 }, { number = 2 } } }, 2)
      assert.equal("created 0 2nothingnothing, removing 1nothing, removing 0nothing", probe.story())
      assert.equal(3, entities:count())
      probe.refuse(0)
      raises("not enough memory", manager.add, manager, list, { "a", "b", "c" }, 1)
      assert.equal(0, manager:count())
      valid(world)
    end)
  end)

  describe("that spawns compiled levels", function()
    local resource

    before_each(function()
      local source = { entities = {} }
      for i = 1, 4 do
        source.entities[i] = { name = "e" .. i, components = { probe = {
          { id = "first", text = "text " .. i, number = i, friend = "e" .. 5 - i }, { number = -i } } } }
      end
      resource = assert(cuttle.resource(assert(cuttle.compiler(world):compile(source))))
      probe.story()
    end)

    it("gets one callback for many copies", function()
      local level = assert(world:spawn_many(resource, 5))
      assert.matches("^created 0 40text 1nothing", probe.story())
      assert.equal(level:entity(20), manager:friend(level:entity(17)))
      probe.refuse(0)
      local nothing, message = world:spawn_many(resource, 5)
      assert.is_nil(nothing)
      assert.equal("not enough memory", message)
      assert.equal("", probe.story())
      assert.equal(40, manager:count())
      valid(world)
    end)

    it("has its values spawned, and gets one callback", function()
      local level = assert(world:spawn(resource))
      assert.equal("created 0 8text 1nothingtext 2nothingtext 3nothingtext 4nothing", probe.story())
      assert.equal(level:entity(4), manager:friend(level:entity(1)))
      assert.same({ "first", 2 }, manager:ids(level:entity(2)))
      assert.equal(2, manager:how_many(level:entity(3)))
      valid(world)
    end)

    it("needs the size of its options", function()
      assert.same({ false, "options: size is 0: sizeof(ct_level_options) expected" },
        { probe.spawn_level(world, resource, 0) })
      assert.equal(0, entities:count())
      local spawned, level = probe.spawn_level(world, resource, 1000)
      assert.is_true(spawned)
      assert.equal(4, level:count())
    end)

    it("finds entities by their paths, and none by an empty text", function()
      local level = assert(world:spawn(resource))
      assert.equal(level:entity(3), probe.find_path(level, "e3"))
      assert.is_nil(probe.find_path(level, "e3/e4"))
      assert.is_nil(probe.find_path(level, ""))
      assert.is_nil(probe.find_path(level))
    end)

    it("has its values again when the level restarts", function()
      local level = assert(world:spawn(resource))
      assert(level:restart())
      assert.equal("text 3", manager:text(level:entity(3)))
      manager:gc "all"
      assert.equal(8, manager:count())
      valid(world)
    end)

    it("spawns nothing if it refuses", function()
      probe.refuse(0)
      assert.same({ nil, "not enough memory" }, { world:spawn(resource) })
      assert.equal("", probe.story())
      assert.equal(0, manager:count())
      assert.equal(0, entities:count())
      valid(world)
    end)

    it("gets an error from the compiler if a required field is missing", function()
      local blob, message = cuttle.compiler(world):compile({ entities = { { components = { probe = {} } } } })
      assert.is_nil(blob)
      assert.matches("number: required", message)
    end)
  end)

  describe("reads and writes", function()
    it("columns, owners and texts", function()
      local list = entities:create(3)
      local first = manager:add(cuttle.list(list), { "a", "", ("long "):rep(100) }, 7)
      assert.equal(list[1], manager:entity(first))
      assert.same({ 21, 3 }, { manager:sum() })
      assert.equal(("long "):rep(100), manager:text(list[3]))
      valid(world)
    end)

    it("transforms: poses, links, world matrices", function()
      local parent, child = world:create({ transform = { position = { 1, 2, 3 } } }), world:create({ transform = {} })
      manager:create(child, { number = 1 })
      assert.is_true(manager:link(child, parent))
      assert.same({ 1, 2, 8 }, { manager:lift(child, 5) })
      assert.same({ 1, 2, 4 }, { manager:lift(parent, 1) })
      assert.same({ 1, 2, 9 }, { world.transform:world_position(child) })
      raises("transform: the parent would make a cycle", manager.link, manager, parent, child)
      assert.is_false(manager:link(child))
      raises("entity(7:0)", manager.lift, manager, cuttle.entity_from_id(7), 1)
      valid(world)
    end)

    it("no pose of a manager that has none", function()
      manager:create(entities:create(), { number = 1 })
      assert.is_true(manager:wrong_manager())
    end)

    it("no row and no field that does not exist", function()
      manager:create(entities:create(), { number = 1 })
      assert.is_true(manager:wrong_rows())
      assert.equal(4, select("#", manager:wrong_pushes()))
      assert.same({}, { manager:wrong_pushes() })
      valid(world)
    end)

    it("no NaN that is a forged value", function()
      assert.equal(5, manager:add_nan(entities:create()))
      assert.equal(0, manager:count())
    end)

    it("no rows for entities that are dead", function()
      local list = entities:create(2)
      entities:destroy(list[2])
      raises("probe: invalid value", manager.add, manager, list, { "a", "b" }, 1)
      assert.equal(0, manager:count())
    end)

    it("entities: creates and destroys them, and returns whether they are alive", function()
      local list = probe.create(world, 5)
      assert.equal(5, list:count())
      assert.equal(list, probe.create(world, 3, list))
      assert.equal(3, list:count())
      assert.is_true(probe.alive(entities, list:get(1)))
      assert.equal(2, probe.destroy(world, { list:get(1), list:get(2) }))
      assert.equal(1, probe.destroy(entities, list))
      assert.is_false(probe.alive(entities, list:get(1)))
      valid(world)
    end)

    it("entities, and gets the first error of a destroy callback after all have died", function()
      local list = entities:create(3)
      entities:on_destroy(function() error("no way", 0) end)
      raises("no way", probe.destroy, world, list)
      assert.equal(0, entities:count())
      valid(world)
    end)
  end)

  it("raises the message of a status", function()
    probe.check_status(0, "wombat")
    local messages = { "not enough memory", "wombat: a limit is reached", "wombat: there is one already",
      "wombat: the parent would make a cycle", "wombat: invalid value", "wombat is over" }
    for status, message in ipairs(messages) do raises(message, probe.check_status, status, "wombat") end
  end)

  describe("refuses", function()
    it("a value that is not an entity, and names the argument", function()
      raises("entity expected, got no value", manager.how_many, manager)
      raises("entity expected, got number", manager.how_many, manager, 5)
      raises("entity expected, got table", probe.alive, entities, {})
      raises("EntityManager expected, got userdata", probe.alive, world, entities:create())
      raises("[2]: entity expected, got string", probe.destroy, world, { entities:create(), "x" })
      raises("list of entities expected, got no value", probe.destroy, world)
      raises("cuttle.list or nothing expected, got table", probe.create, world, 1, {})
      raises("EntityManager expected, got table", probe.destroy, {}, {})
      local foreign = light_userdata.make(2)
      if foreign then raises("entity expected, got light userdata with tag 2", manager.how_many, manager, foreign) end
      assert.is_nil(probe.echo(foreign))
      local e = entities:create()
      assert.equal(e, probe.echo(e))
    end)

    it("targets that have no component, are dead or stale, with the messages of every manager", function()
      local e, other = entities:create(), entities:create()
      local instance = manager:create(e, { number = 1 })
      raises(cuttle.entity_tostring(other) .. " has no probe", manager.put, manager, other, 1)
      raises("entity expected, got string", manager.put, manager, "x", 1)
      raises("stale probe instance", manager.put, manager, 0, 1)
      raises("stale probe instance", manager.put, manager, instance + 1, 1)
      manager:put(instance, 1)
      entities:destroy(e)
      raises(cuttle.entity_tostring(e) .. " is dead", manager.put, manager, e, 1)
      raises(cuttle.entity_tostring(e) .. " is dead", manager.remove, manager, instance)
      valid(world)
    end)

    it("to write to an entity during its destroy callbacks", function()
      local e = entities:create()
      manager:create(e, { number = 1 })
      local ok, message, many
      entities:on_destroy(function(dying)
        ok, message = pcall(manager.put, manager, dying, 2)
        many = manager:how_many(dying)
      end)
      entities:destroy(e)
      assert.is_false(ok)
      assert.matches("is being destroyed", message, 1, true)
      assert.equal(1, many)
    end)

    it("a method call without its manager", function()
      raises("component manager expected, got no value", manager.sum)
      raises("component manager expected, got userdata", manager.sum, world)
      raises("component manager expected, got userdata", manager.sum, world.transform)
      raises("this function is not a method of a component manager", probe.no_method)
      raises("this function is not a method of a component manager", probe.no_method, manager)
    end)
  end)

  it("has its own data inspected, counted as memory and validated", function()
    local e = entities:create()
    manager:create(e, { text = "seen", number = 3 })
    assert.equal("seen", world:inspect(e).probe[1].text)
    assert.is_true(manager:memory() > 1000000)
    assert.matches("probe", world:dump())
    manager:break_it()
    assert.same({ nil, "probe: it was told to be broken" }, { world:validate() })
  end)

  it("takes part in joins and rows", function()
    local list = world:create({ transform = {}, probe = { number = 4 } }, 3)
    manager:destroy(list[2])
    local seen = {}
    for e in world:join("transform", manager) do seen[#seen + 1] = e end
    assert.same({ list[1], list[3] }, seen)
    local numbers, total = manager:column "number", 0
    for row in world:rows "probe" do total = total + numbers[row] end
    assert.equal(8, total)
  end)

  if fail_in then
    it("leaves all data unchanged if any allocation fails", function()
      local operations = {
        function(s) s.second = cuttle.world(s.entities) probe.define(s.second) end,
        function(s) s.manager:add(s.list, { "one", "two", "three" }, 5) end,
        function(s) s.manager:create_many(s.list, { text = { "four", "five", "six" }, number = 1 }) end,
        function(s) s.manager:set(s.one, { text = "another", number = 7 }) end,
        function(s) s.world:create({ probe = { text = "new", number = 1 } }, 20) end,
        function(s) probe.create(s.world, 100) end,
        function(s) assert(s.world:spawn(s.resource)) end,
      }
      for _, operation in ipairs(operations) do
        local n, ok = -1, false
        while not ok do
          local message
          n = n + 1
          local s = { entities = cuttle.entity_manager { minimum_free_indices = 0 } }
          s.world = cuttle.world(s.entities)
          s.manager, s.list, s.one = probe.define(s.world), s.entities:create(3), s.entities:create()
          s.manager:create(s.one, { text = "mine", number = 2 })
          s.resource = assert(cuttle.resource(assert(cuttle.compiler(s.world):compile { entities = {
            { components = { probe = { text = "compiled", number = 1 } } } } })))
          fail_in(n)
          ok, message = pcall(operation, s)
          fail_in(-1)
          if not ok then
            assert.matches("not enough memory", message)
            assert.equal(1, s.manager:count())
            assert.equal("mine", s.manager:text(s.one))
            assert.equal(4, s.entities:count())
          end
          valid(s.world)
        end
        assert.is_true(n > 0, "nothing was allocated")
      end
    end)
  end

  describe("when a Lua state closes", function()
    local USE = [[
      function use()
        pcall(manager.create, manager, entities:create(), { number = 1 })
        pcall(manager.sum, manager)
        pcall(world.gc, world)
        pcall(world.destroy, world)
      end
    ]]

    it("is still loaded for a world that is older than its module", function()
      assert.same({ true, "reached the end\n" }, { plugins.run_text(folder, [[
        local cuttle = require "cuttle"
        entities = cuttle.entity_manager()
        world = cuttle.world(entities)
        manager = require "probe".define(world)
        manager:create(entities:create(), { number = 1 })
        print "reached the end"
      ]]) })
    end)

    it("is still loaded if only a callback points into its library", function()
      assert.same({ true, "reached the end\n" }, { plugins.run_text(folder, [[
        local cuttle = require "cuttle"
        world = cuttle.world(cuttle.entity_manager())
        require "probe".heap(world)
        print "reached the end"
      ]]) })
    end)

    it("is still loaded for finalizers that are older than all other objects", function()
      local ok, output = plugins.run_text(folder, [[
        first = newproxy(true)
        local cuttle = require "cuttle"
        entities = cuttle.entity_manager()
        world = cuttle.world(entities)
        manager = require "probe".define(world)
        manager:create(entities:create(), { number = 1 })
      ]] .. USE .. [[ getmetatable(first).__gc = use print "reached the end" ]])
      assert.same({ true, "reached the end\n" }, { ok, (finalizer_errors.without(output)) })
    end)

    it("survives finalizers that destroy the world during its calls", function()
      assert.same({ true, "in order\n" }, { plugins.run_text(folder, [[
        local cuttle, probe = require "cuttle", require "probe"
        local entities, world, manager
        local function renew()
          entities = cuttle.entity_manager()
          world = cuttle.world(entities)
          manager = probe.define(world)
        end
        renew()
        local ROUNDS, stop, calls = ]] .. rounds(30, 15) .. [[, false, 0
        local function ghost()
          local proxy = newproxy(true) -- held until it has its finalizer
          getmetatable(proxy).__gc = function()
            if stop then return end
            calls = calls + 1
            pcall(world.destroy, world)
          end
        end
        collectgarbage("setpause", 1)
        collectgarbage("setstepmul", 1e8)
        collectgarbage() -- the pause counts from the end of a cycle
        for round = 1, ROUNDS do
          ghost()
          pcall(function() manager:add(entities:create(5), { "a", "b", "c", "d", "e" .. round }, 1) end)
          ghost()
          pcall(function() probe.create(world, 10) end)
          ghost()
          pcall(function() probe.destroy(world, entities:create(3)) end)
          ghost()
          pcall(function() manager:create(entities:create(), { number = "x" .. round }) end)
          ghost()
          pcall(probe.define, world)
          if not pcall(world.gc, world) or not pcall(manager.count, manager) then renew() end
          assert(world:validate())
        end
        stop = true
        print(calls > 10 and "in order" or calls)
      ]]) })
    end)
  end)

  describe("as the manual shows it", function()
    local other

    before_each(function() other = plugins.new_folder() end)
    after_each(function() plugins.remove_folder(other) end)

    it("is built without a warning, and works", function()
      local source = {}
      for line in io.lines "src/cuttle.h" do
        if line:find "^//     %-%- in Lua" then break end
        if line:find "^//     " then source[#source + 1] = line:sub(8) end
        if line == "//" and #source > 0 then source[#source + 1] = "" end
        if line:find "^#include" then break end
      end
      file.write(other .. "/mana.c", table.concat(source, "\n") .. "\n")
      plugins.build(other, "mana", other .. "/mana.c")
      local module = plugins.load(other, "mana")
      local mana, e = module.define(world), entities:create()
      mana:create(e, { points = 10 })
      assert.equal(7, mana:spend(e, 3))
      assert.equal(7, mana:column "points"[0])
      valid(world)

      local compiler = cuttle.compiler(world)
      compiler:register("potion", module.compile_potion)
      local function compile(potion)
        return compiler:compile { entities = { { name = "a" }, { name = "b", components = { potion = potion } } } }
      end
      local level = assert(world:spawn(cuttle.resource(assert(compile { strength = 200 }))))
      assert.equal(200, mana:points(level:find "b"))
      assert.equal(2, mana:count())
      assert.matches("entities[2].components.potion.strength: expected a number from 1 to 255",
        select(2, compile { strength = 256 }), 1, true)
      assert.matches("table expected, got number", select(2, compile(5)), 1, true)
      valid(world)
    end)

    it("begins with a header that compiles alone, as C and as C++", function()
      file.write(other .. "/alone.c", '#include "cuttle.h"\n')
      plugins.build(other, "alone", other .. "/alone.c")
      if not plugins.has_cxx() then return end
      file.write(other .. "/alone.cpp", '#include "cuttle.h"\n')
      plugins.build(other, "alone", other .. "/alone.cpp")
    end)
  end)

  describe("that defines its component again", function()
    it("keeps the rows and fields that fit, of a script or its own, and gets a list of what was dropped", function()
      local first = world:define("plain", { { "number", "float" }, { "text", "string" } })
      local list = entities:create(3)
      first:create_many(list, { text = { "a", "b", "c" }, number = 4 })
      local middle, dropped = probe.define_migrate(world, 1)
      assert.same({ "plain.number was float, is int32" }, dropped)
      assert.equal("b", middle:text(list[2]))
      raises("plain was defined again", first.text, first, list[1])
      middle:set_number(list[3], 7)
      local last
      last, dropped = probe.define_migrate(world, 2)
      assert.equal(2, #dropped)
      assert.same({ entity = nil, text = "c", size = 0 }, last:get(list[3]))
      assert.same({ last, {} }, { probe.define_migrate(world, 2) })
      raises("plain is defined by a plugin and has 3 rows", world.define, world, "plain", {}, { migrate = true })
      valid(world)
    end)

    it("cannot drop rows for which a plugin keeps data", function()
      local list = entities:create(2)
      manager:add(list, { "a", "b" }, 1)
      raises("probe: its plugin has data of its own for 2 rows, which cannot be migrated: destroy the components",
        probe.define_migrate, world, 0)
      probe.define_migrate(world, 1):create(list[1])
      raises("plain: its plugin has data of its own for 1 row,", probe.define_migrate, world, 3)
      entities:destroy(cuttle.list(list))
      assert.equal(0, probe.define_migrate(world, 0):count())
      assert.equal(0, probe.define_migrate(world, 3):count())
      valid(world)
    end)

    it("leaves all data unchanged when memory runs out", function()
      if not fail_in then return end
      local list = entities:create(3)
      local first = probe.define_migrate(world, 1)
      first:create_many(list, { text = "a" })
      for n = 0, 200 do
        fail_in(n)
        local fine, message = pcall(probe.define_migrate, world, 2)
        fail_in(-1)
        if fine then break end
        assert.matches("not enough memory", message)
        assert.equal("a", first:text(list[3]))
        valid(world)
      end
      assert.equal("a", world.plain:text(list[3]))
    end)
  end)

  it("gets the same hash as entities:hash()", function()
    manager:add(entities:create(2), { "a", "b" }, 1)
    assert.equal(entities:hash(), ("%08x%08x"):format(probe.hash(entities)))
  end)

  it("turns on profiling and reads timings, as world:profile and world:timings do", function()
    probe.profile(world, true)
    manager:add(entities:create(2), { "a", "b" }, 1)
    world:create({ debug_name = {} }, 3)
    assert.equal(1, probe.timings(world, "probe").create[1])
    assert.equal(world:timings().probe.create.calls, probe.timings(world, "probe").create[1])
    assert.is_true(probe.timings(world, "probe").create[2] > 0)
    assert.equal(1, probe.timings(world).create[1])
    probe.profile(world, false)
    world:create {}
    assert.equal(1, probe.timings(world).create[1])
  end)

  it("can change nothing while on_destroy of actors runs in a restore", function()
    local list = entities:create(2)
    manager:add(list, { "a", "b" }, 1)
    world:create { actor = { body = "ball" }, transform = {} }
    local snapshot = entities:snapshot()
    local actor = world:create { actor = { body = "later" } }
    local refused = {}
    world.actor:on_destroy(function()
      for name, change in pairs {
        add = function() manager:add({ actor }, { "c" }, 1) end,
        remove = function() manager:remove(list[1]) end,
        put = function() manager:put(list[1], 5) end,
        lift = function() manager:lift(list[1], 1) end,
        create = function() probe.create(world, 1) end,
        destroy = function() probe.destroy(world, list) end,
        define = function() probe.define_migrate(world, 1) end,
      } do
        refused[name] = not pcall(change)
      end
      refused.collect = manager:collect(true) == 0
    end)
    local hash = entities:hash()
    entities:restore(snapshot)
    assert.same({ add = true, remove = true, put = true, lift = true, create = true, destroy = true, define = true,
      collect = true }, refused)
    assert.not_equal(hash, entities:hash())
    assert.equal(2, manager:count())
    manager:remove(list[1])
    assert.equal(1, manager:count())
    valid(world)
  end)

  it("can register its functions as compilers and spawners, as scripts do", function()
    local compiler = cuttle.compiler(world)
    compiler:register("blip", probe.compile, 500)
    world:register_spawner("blip", probe.spawn)
    local blob = assert(compiler:compile { entities = {
      { components = { blip = { size = 3 } } }, {}, { components = { blip = { size = 4 } } } } })
    probe.story()
    local level = assert(world:spawn(assert(cuttle.resource(blob))))
    assert.equal(("blip %d 3, blip %d 4"):format(cuttle.entity_index(level:entity(1)),
      cuttle.entity_index(level:entity(3))), probe.story())
  end)

  describe("loaded with a cuttle.core", function()
    local other

    before_each(function() other = plugins.new_folder() end)
    after_each(function() plugins.remove_folder(other) end)

    local minor = tonumber(file.read("src/cuttle.h"):match "define CT_API_MINOR (%d+)")
    local versions = {}
    function versions.older()
      plugins.build(other, "probe", "spec/support/probe.c", "-O0 -DCT_API_MINOR=99")
      raises(("this plugin was built for version 1.99 of cuttle's C API, the cuttle.core that is loaded has 1.%d: "
        .. "install that cuttle, or build the plugin with the cuttle.h of this one"):format(minor), plugins.load, other,
        "probe")
    end

    function versions.newer()
      plugins.build(other, "probe", "spec/support/probe.c", "-O0 -DCT_API_MINOR=0")
      local older = plugins.load(other, "probe")
      local manager_of_it = older.define(cuttle.world(entities))
      manager_of_it:add(entities:create(2), { "a", "b" }, 3)
      assert.same({ 6, 2 }, { manager_of_it:sum() })
    end

    function versions.other()
      plugins.build(other, "probe", "spec/support/probe.c", "-O0 -DCT_API_MAJOR=2")
      raises(("built for version 2.%d of cuttle's C API, the cuttle.core that is loaded has 1.%d"):format(minor, minor),
        plugins.load, other, "probe")
    end

    for _, case in ipairs(sample({
      { "that is older than its header, and says so with both versions", versions.older },
      { "that is newer than its header, and works", versions.newer },
      { "of another major version", versions.other },
    }, 1)) do it(case[1], case[2]) end

    it("other than the one that it uses already raises", function()
      assert.same({ true, "done\n" }, { plugins.run_text(folder, ([[
        local core, probe = require "cuttle.core", require "probe"
        local file = assert(io.open(assert(package.cpath:match "^[^;]+"):gsub("?", "cuttle/core"), "rb"))
        local copy = assert(io.open("%s/core.so", "wb"))
        copy:write(file:read "*a")
        copy:close()
        package.loaded.probe = nil
        assert(require "probe" ~= probe)
        assert(package.loadlib("%s/core.so", "luaopen_cuttle_core"))()
        package.loaded.probe = nil
        local ok, message = pcall(require, "probe")
        assert(not ok and message:find("this plugin is bound to another cuttle.core, which is loaded already", 1, true))
        print "done"
      ]]):format(other, other)) })
    end)

    it("that is not loaded yet loads it", function()
      assert.same({ true, "loaded\n" },
        { plugins.run_text(folder, [[require "probe" print(package.loaded["cuttle.core"] and "loaded")]]) })
    end)

    it("that cannot be found raises a message that contains what to do", function()
      local ok, output = plugins.run_text(folder, [[package.preload["cuttle.core"] = function() error "none here" end
        package.loaded["cuttle.core"] = nil print(select(2, pcall(require, "probe")))]])
      assert.is_true(ok)
      assert.matches('cuttle.core is not loaded, require "cuttle" first', output, 1, true)
      assert.matches("none here", output, 1, true)
    end)
  end)
end)
