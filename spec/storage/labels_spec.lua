-- Enum fields and their labels.

-- tags: ffi

local core = require "cuttle.core"
local cuttle = require "cuttle"
local kinds = require "spec.support.kinds"
local new_random = require "spec.support.random"
local raises = require "spec.support.raises"
local seed = require "spec.support.seed"

local STATES = { "idle", "run", "jump" }

local function define(world, labels, default)
  return world:define("hero", { { "state", "enum", labels or STATES, default }, { "hp", "float", 5 } })
end

local function compile(world, ...)
  local source = { entities = {} }
  for place, state in ipairs { ... } do
    source.entities[place] = { name = "h" .. place, components = { hero = { state = state } } }
  end
  return assert(cuttle.resource((assert(cuttle.compiler(world):compile(source)))))
end

for _, kind in ipairs(kinds) do
  describe(("an enum field (%s)"):format(kind.name), function()
    local entities, world, m, e

    before_each(function()
      entities = cuttle.entity_manager()
      world = cuttle.world(entities)
      m = define(world)
      e = entities:create()
    end)

    after_each(function() assert.is_true(assert(world:validate())) end)

    local function states(level)
      local found = {}
      for place, owner in ipairs(level:entities()) do found[place] = world.hero:state(owner) end
      return found
    end

    it("is read and written by its labels; the first is the default", function()
      m:create(e)
      assert.equal("idle", m:state(e))
      m:set_state(e, "run")
      assert.equal("run", m:state(e))
      m:write(e, "state", "jump")
      assert.equal("jump", m:read(e, "state"))
      m:set(e, { state = "run" })
      assert.same({ state = "run", hp = 5 }, m:get(e))
      local other = entities:create()
      m:create(other, { state = "jump" })
      assert.equal("jump", m:state(other))
      assert.equal("run", m:state(world:create { hero = { state = "run" } }))
    end)

    it("has the given default, as third item or by name", function()
      assert.equal(m, define(world, STATES, "jump"))
      m:create(e)
      assert.equal("jump", m:state(e))
      world:define("foe", { { "mood", "enum", { "calm", "angry" }, default = "angry" } })
      assert.equal("angry", world.foe:mood(world:create { foe = {} }))
    end)

    it("refuses other strings, with the nearest label, and values that are not strings", function()
      m:create(e, { state = "run" })
      for _, call in ipairs { function(v) m:set_state(e, v) end, function(v) m:write(e, "state", v) end,
        function(v) m:set(e, { hp = 9, state = v }) end, function(v) m:create(entities:create(), { state = v }) end,
        function(v) m:write_many({ e, e }, "state", { "jump", v }) end,
        function(v) m:create_many(entities:create(2), { state = { "jump", v } }) end,
        function(v) world:create { hero = { state = v } } end } do
        raises("unknown label 'jmp' (did you mean 'jump'?)", call, "jmp")
        raises("unknown label ''", call, "")
        raises("unknown label 'run'", call, "run\0")
        raises("expected a string, got number", call, 1)
        raises("expected a string, got boolean", call, true)
      end
      assert.same({ state = "run", hp = 5 }, m:get(e))
      assert.equal(1, m:count())
    end)

    it("is written and read in bulk", function()
      local list = entities:create(4)
      m:create_many(list, { state = { "run", "jump", "idle", "run" } })
      assert.same({ "run", "jump", "idle", "run" }, m:read_many(list, "state"))
      assert.equal(4, m:write_many(list, "state", "jump"))
      assert.equal(2, m:write_many({ list[1], list[4] }, "state", { "idle", "run" }))
      list[5] = e
      assert.same({ "idle", "jump", "jump", "run", false }, m:read_many(list, "state"))
    end)

    it("is a number from 0 in columns, which refuse numbers without a label", function()
      kind.with(function()
        local column = m:column "state"
        local list = entities:create(3)
        m:create_many(list, { state = { "run", "jump", "idle" } })
        assert.same({ 1, 2, 0 }, column:totable())
        assert.equal(1, column[0])
        assert.equal(2, column:get(1))
        column[0] = 2
        column:set(1, 0)
        assert.equal("jump", m:state(list[1]))
        assert.equal("idle", m:state(list[2]))
        for _, wrong in ipairs { 3, 255 } do
          raises("hero.state: expected the number of a label, an integer in [0, 2], got " .. wrong,
            function() column[0] = wrong end)
          raises("expected the number of a label", column.set, column, 0, wrong)
          raises("expected the number of a label, an integer in [0, 2]", column.fill, column, wrong)
          raises("[2]: expected the number of a label", column.fill, column, { 0, wrong, 0 })
        end
        for _, wrong in ipairs { -1, 256, 0.5, 0 / 0 } do
          raises("hero.state: expected an integer", function() column[0] = wrong end)
        end
        raises("hero.state: expected a number, got string", function() column[0] = "run" end)
        assert.same({ 2, 0, 0 }, column:totable())
        column:fill(1)
        assert.same({ 1, 1, 1 }, column:totable())
        column:fill { 2, 0, 1 }
        assert.same({ "jump", "idle", "run" }, m:read_many(list, "state"))
        raises("only float and double can be scaled", column.scale, column, 2)
      end)
    end)

    it("can be written in loops over columns", function()
      kind.with(function()
        local column, list = m:column "state", entities:create(300)
        m:create_many(list)
        for _ = 1, 3 do
          for row = 0, 299 do column[row] = (column[row] + row) % 3 end
        end
        for row = 0, 299 do assert.equal(row * 3 % 3, column[row]) end
        assert.is_false((pcall(function() for row = 0, 299 do column[row] = row % 4 end end)))
      end)
    end)

    it("is compiled in levels by its labels", function()
      local source = { entities = { { components = { hero = { state = "jump" } } }, { components = { hero = {} } },
        { components = { hero = { state = "run" } } } } }
      local blob = assert(cuttle.compiler(world):compile(source))
      assert.same({ "jump", "idle", "run" }, states(assert(world:spawn(assert(cuttle.resource(blob))))))
      local compiled, message = cuttle.compiler(world):compile(
        '{ "entities": [ {}, { "components": { "hero": { "state": "jmp" } } } ] }', { name = "level.json" })
      assert.is_nil(compiled)
      assert.equal("level.json: entities[2].components.hero.state: unknown label 'jmp' (did you mean 'jump'?)", message)
      compiled, message = cuttle.compiler(world):compile { entities = { { components = { hero = { state = 1 } } } } }
      assert.is_nil(compiled)
      assert.matches("state: expected a string, got number", message, 1, true)
    end)

    it("is spawned in many copies of a level", function()
      define(world, { "jump", "run", "sleep", "idle" })
      local level = assert(world:spawn_many(compile(world, "run", "idle", "jump"), 50))
      for place, state in ipairs(states(level)) do
        assert.equal(({ "run", "idle", "jump" })[(place - 1) % 3 + 1], state)
      end
      assert.equal(150, world.hero:count())
    end)

    it("is spawned from older levels after labels were added or reordered", function()
      local resource = compile(world, "jump", "run", "jump", "idle")
      m:destroy(e)
      m = define(world, { "sleep", "jump", "idle", "swim", "run" })
      assert.same({ "jump", "run", "jump", "idle" }, states(assert(world:spawn(resource))))
      local other = cuttle.world(entities)
      define(other, { "run", "idle", "jump" })
      local level = assert(other:spawn(resource))
      assert.equal("jump", other.hero:state(level:entity(1)))
      assert.equal(2, other.hero:column "state"[0])
      assert.is_true(assert(other:validate()))
    end)

    it("is refused in a level whose label was removed, but only if the level uses the label", function()
      local resource = compile(world, "run", "jump")
      local unused = compile(world, "run", "idle")
      define(world, { "idle", "run", "jumps" })
      local level, message = world:spawn(resource)
      assert.is_nil(level)
      assert.equal("hero: state of instance 2: unknown label 'jump' (did you mean 'jumps'?)", message)
      assert.equal(0, entities:count() - 1)
      assert.same({ "run", "idle" }, states(assert(world:spawn(unused))))
    end)

    it("is overridden at spawn by its label, also after its number changed", function()
      local resource = compile(world, "run", "run")
      local level = assert(world:spawn(resource, { overrides = { h2 = { hero = { state = "jump" } } } }))
      assert.same({ "run", "jump" }, states(level))
      raises("overrides: h2: hero: state: unknown label 'jum' (did you mean 'jump'?)", world.spawn, world, resource,
        { overrides = { h2 = { hero = { state = "jum" } } } })
      m:destroy(level:entity(1))
      m:destroy(level:entity(2))
      define(world, { "jump", "run", "idle" })
      level = assert(level:restart())
      assert.same({ "run", "jump" }, states(level))
      level:unload()
      world:gc()
      define(world, { "run", "idle" })
      level = assert(world:spawn(compile(world, "run")))
      assert.same({ "run" }, states(level))
    end)

    it("is refused at a restart if an override's label was removed, and the message names the label", function()
      local level = assert(world:spawn(compile(world, "run"), { overrides = { h1 = { hero = { state = "jump" } } } }))
      m:destroy(level:entity(1))
      define(world, { "run", "idle" })
      local again, message = level:restart()
      assert.is_nil(again)
      assert.matches("state: unknown label 'jump'", message, 1, true)
    end)

    it("has its label in inspect, fields and the schema of level source", function()
      m:create(e, { state = "jump" })
      assert.same({ hero = { state = "jump", hp = 5 } }, world:inspect(e))
      assert.same({ { "state", "enum", { "idle", "run", "jump" } }, { "hp", "float" } }, m:fields())
      local schema = cuttle.schema(world)
      assert.matches('"state": {%s*"type": %["string", "null"%],%s*"enum": %["idle", "run", "jump", null%],'
        .. '%s*"default": "idle"', schema)
    end)

    it("is copied between managers with the same labels only", function()
      local same = world:define("same", { { "mood", "enum", STATES } })
      world:define("turned", { { "mood", "enum", { "run", "idle", "jump" } }, { "byte", "uint8" } })
      m:create(e, { state = "jump" })
      same:create(e)
      world.turned:create(e)
      assert.equal(1, world:copy("hero", "state", "same", "mood"))
      assert.equal("jump", same:mood(e))
      raises("hero.state and turned.mood have different labels", world.copy, world, "hero", "state", "turned", "mood")
      raises("turned.byte is uint8, hero.state is enum", world.copy, world, "turned", "byte", "hero", "state")
      assert.equal("jump", m:state(e))
    end)

    it("counts as another field if its labels differ", function()
      m:create(e)
      raises("hero is defined with other fields and has 1 row", define, world, { "idle", "run" })
      raises("hero is defined with other fields and has 1 row", define, world, { "run", "idle", "jump" })
      assert.equal(m, define(world, { "idle", "run", "jump" }))
    end)
  end)
end

describe("the labels of an enum", function()
  local world

  before_each(function() world = cuttle.world(cuttle.entity_manager()) end)

  local wrong = {
    { "labels expected ({name, \"enum\", {label, ...}, default}), got nil", { "s", "enum" } },
    { "labels expected ({name, \"enum\", {label, ...}, default}), got string", { "s", "enum", "idle" } },
    { "labels expected", { "s", "enum", {} } },
    { "array of labels expected", { "s", "enum", { a = "idle" } } },
    { "label 2: string expected, got number", { "s", "enum", { "a", 5 } } },
    { "label 2: a label cannot be empty", { "s", "enum", { "a", "" } } },
    { "label 1: a label cannot hold a zero byte", { "s", "enum", { "a\0b" } } },
    { "label 2 is too long (limit is 63 bytes)", { "s", "enum", { "a", ("x"):rep(64) } } },
    { "duplicate label 'a'", { "s", "enum", { "a", "b", "a" } } },
    { "default: unknown label 'aa' (did you mean 'a'?)", { "s", "enum", { "a", "b" }, "aa" } },
    { "default: expected a string, got number", { "s", "enum", { "a", "b" }, 0 } },
    { "two defaults, by position and by name", { "s", "enum", { "a", "b" }, "a", default = "b" } },
    { "unknown key 'labels'", { "s", "enum", labels = { "a" } } },
    { '{name, "enum", {label, ...}, default} expected, got 5 values', { "s", "enum", { "a" }, "a", 1 } },
  }
  for number, case in ipairs(wrong) do
    it(("are refused if they are wrong: %d, %s"):format(number, case[1]), function()
      raises("s: " .. case[1], world.define, world, "thing", { { "hp", "float" }, case[2] })
      assert.is_nil(world:manager "thing")
    end)
  end

  it("can be 256 at most", function()
    local labels = {}
    for i = 1, 256 do labels[i] = "label " .. i end
    local m = world:define("thing", { { "s", "enum", labels, "label 256" }, { "t", "enum", { ("x"):rep(63) } } })
    local e = world:create { thing = {} }
    assert.equal("label 256", m:s(e))
    assert.equal(255, m:column "s"[0])
    m:column "s"[0] = 7
    assert.equal("label 8", m:s(e))
    labels[257] = "one more"
    raises("s: too many labels (limit is 256)", world.define, world, "more", { { "s", "enum", labels } })
  end)

  it("are read without metamethods, once, and copied", function()
    local labels = setmetatable({ "a", "b" }, { __index = function() error "touched" end })
    local m = world:define("thing", { { "s", "enum", labels } })
    labels[1], labels[2] = "c", nil
    collectgarbage()
    assert.equal("a", m:s(world:create { thing = {} }))
  end)

  it("are checked by the core function too", function()
    for _, text in ipairs { "", "a", "a\0b", "\0", "\0\0", 5, {}, true } do
      local manager, argument, trouble = core.define(world, "thing", { "s" }, { "enum" }, {}, { text }, {})
      assert.is_nil(manager)
      assert.equal(2, argument)
      assert.equal("s: labels expected", trouble)
    end
  end)

  it("are not defined if an allocation fails", function()
    if not core.testing then return pending "only test builds make allocations fail" end
    local schema = { { "s", "enum", STATES, "jump" }, { "text", "string", "dflt" }, { "t", "enum", { "x" } } }
    local failures, done = 0
    repeat
      local w = cuttle.world(cuttle.entity_manager())
      core.testing.fail_in(failures)
      local ok, trouble = pcall(function()
        local m = w:define("thing", schema)
        local blob = assert(cuttle.compiler(w):compile { entities = { { components = { thing = { s = "run" } } } } })
        local level = assert(w:spawn(assert(cuttle.resource(blob))))
        assert.equal("run", m:s(level:entity(1)))
      end)
      core.testing.fail_in(-1)
      assert.is_true(assert(w:validate()))
      if not ok then assert.matches("not enough memory", trouble) end
      failures, done = failures + 1, ok
    until done
    assert.is_true(failures > 5)
  end)
end)

-- Every way to write the field, compared with a plain table by every way to read it.
describe("enum fields after random operations, seed " .. seed, function()
  it("have the values of a plain table", function()
    local random = new_random(seed)
    local entities = cuttle.entity_manager { minimum_free_indices = 2 }
    local world = cuttle.world(entities)
    local m, labels = define(world), STATES
    local column, known, alive = m:column "state", {}, {}
    local function add(e, state)
      alive[#alive + 1] = e
      known[e] = state
    end
    for _ = 1, 400 do
      local e, state = alive[random(math.max(#alive, 1))], labels[random(#labels)]
      local action = random(8)
      if action == 1 or not e then
        add(world:create { hero = { state = state } }, state)
      elseif action == 2 then
        m:set_state(e, state)
        known[e] = state
      elseif action == 3 then
        local number = random(#labels)
        column[m:row(e)] = number - 1
        known[e] = labels[number]
      elseif action == 4 then
        m:write_many(alive, "state", state)
        for _, each in ipairs(alive) do known[each] = state end
      elseif action == 5 then
        local level = assert(world:spawn(compile(world, state, labels[1])))
        add(level:entity(1), state)
        add(level:entity(2), labels[1])
      elseif action == 6 then
        entities:destroy(table.remove(alive, random(#alive)))
        if random(3) == 1 then m:gc "all" end
      elseif action == 7 and random(10) == 1 then
        -- Other labels in another order, and a level with the old ones.
        local old = compile(world, unpack(labels))
        entities:destroy(alive)
        alive, known = {}, {}
        local new = {}
        for place, label in ipairs(labels) do new[#labels + 1 - place] = label end
        new[#new + 1] = "extra" .. #new
        m = define(world, new)
        column = m:column "state"
        local level = assert(world:spawn(old))
        for place, label in ipairs(labels) do add(level:entity(place), label) end
        labels = new
      end
      for place, each in ipairs(alive) do
        assert.equal(known[each], m:state(each))
        assert.equal(known[each], labels[column[m:row(each)] + 1])
        assert.equal(known[each], m:read_many(alive, "state")[place])
        if place > 10 then break end
      end
      assert.is_true(assert(world:validate()))
    end
  end)
end)
