-- tags: machine

local core = require "cuttle.core"
local cuttle = require "cuttle"
local light_userdata = require "spec.support.light_userdata"
local raises = require "spec.support.raises"

describe("options", function()
  local entities, world, resource

  before_each(function()
    entities = cuttle.entity_manager()
    world = cuttle.world(entities)
    resource = cuttle.resource((assert(cuttle.compiler(world):compile { entities = { { name = "a",
      components = { transform = {} } } } })))
  end)

  describe("with a metatable", function()
    local function inherited(from)
      return setmetatable({}, { __index = from })
    end

    it("are read through the metatable", function()
      local parent = entities:create()
      world.transform:create(parent)
      local level = assert(world:spawn(resource, inherited { position = { 1, 2, 3 }, parent = parent }))
      assert.are.same({ 1, 2, 3 }, { world.transform:local_position(level:entity(1)) })
      assert.equal(parent, world.transform:entity(world.transform:parent(level:entity(1))))
      assert.equal('world "arena"', tostring(cuttle.world(entities, inherited { name = "arena" })))
    end)

    it("are checked like others", function()
      raises("bad argument #2 to 'spawn' (scale: expected 3 numbers, got string)", function()
        world:spawn(resource, inherited { scale = "big" })
      end)
      raises("bad argument #2 to 'spawn' (parent: entity expected, got number)", function()
        world:spawn(resource, inherited { parent = 5 })
      end)
      raises("bad argument #3 to 'define' (multiple: boolean expected, got number)", world.define, world, "part", {},
        inherited { multiple = 1 })
    end)

    it("pass on errors of the metatable", function()
      raises("oops", function()
        world:spawn(resource, inherited(function() error "oops" end))
      end)
    end)

    it("may change between two reads", function()
      for _, values in ipairs { { { 1, 2, 3 }, 5 }, { {}, "x" }, { entities:create(), false } } do
        for _, name in ipairs { "position", "parent", "overrides", "unknown", "name", "seed" } do
          local calls = 0
          local function options()
            return inherited(function(_, key)
              if key ~= name then return nil end
              calls = calls + 1
              return values[calls] or values[1]
            end)
          end
          pcall(world.spawn, world, resource, options())
          pcall(cuttle.world, entities, options())
          assert.is_true(world:validate())
        end
      end
    end)
  end)

  describe("of core functions", function()
    after_each(function()
      dofile "lua/cuttle/options.lua" -- restores the original readers
    end)

    local function play(reader)
      local readers = {}
      for _, name in ipairs { "entity_manager", "world", "clear", "link", "spawn" } do
        readers[name] = reader
      end
      core.add_methods("options", readers)
      local a, b = entities:create(), entities:create()
      world.transform:create(a)
      world.transform:create(b)
      for _, f in ipairs {
        function() cuttle.entity_manager({}):create(10) end,
        function() cuttle.world(entities, {}):destroy() end,
        function() world.transform:link(a, b, {}) end,
        function() world.transform:unlink(a, {}) end,
        function() world:spawn(resource, {}):unload() end,
        function() world:clear {} end,
      } do
        local ok, message = pcall(f)
        assert.is_true(ok or type(message) == "string")
      end
    end

    it("may be read by a function that returns any value", function()
      local values = { 0, 1, -1, 0.5, 1e300, -1e300, 0 / 0, math.huge, "", "x", ("x"):rep(1000), "nul\0nul", true,
        false, {}, { 1, 2, 3 }, { a = {} }, pairs, io.stdout, entities:create(), world, entities,
        light_userdata.null() }
      for _, value in ipairs(values) do
        play(value)
        play(function() return value end)
        play(function() return nil, value, value, value, value, value, value, value, value end)
      end
      play(function() error "oops" end)
      play(function() end)
      assert.is_true(assert(world:validate()))
    end)

    it("may be read by a function that destroys their objects", function()
      play(function()
        world:destroy()
        return nil, true
      end)
      assert.is_true(assert(entities:validate()))
    end)
  end)

  it("are refused if their name is unknown, with the nearest name", function()
    raises("bad argument #1 to 'entity_manager' (unknown option 'trase' (did you mean 'trace'?))",
      function() cuttle.entity_manager { trase = true } end)
    raises("bad argument #1 to 'clear' (unknown option [1] (options are given by name))",
      function() world:clear { true } end)
    raises("bad argument #2 to 'spawn_many' (unknown option [1] (options are given by name))",
      function() world:spawn_many(resource, { { 1, 2, 0 } }) end)
    raises("bad argument #1 to 'clear' (unknown option [table] (options are given by name))",
      function() world:clear { [{}] = true } end)
    raises("bad argument #1 to 'destroy' (entities: boolean expected, got string)",
      function() world:destroy { entities = "yes" } end)
    raises("bad argument #2 to 'spawn' (table expected, got boolean)", function() world:spawn(resource, false) end)
    raises("bad argument #1 to 'destroy' (table expected, got entity)", function() world:destroy(entities:create()) end)
    raises("bad argument #2 to 'recorder' (table expected, got entity)",
      function() cuttle.recorder(entities, entities:create()) end)
    raises("bad argument #2 to 'rollback' (table expected, got entity)",
      function() cuttle.rollback(entities, entities:create()) end)
  end)

  it("refuse integers out of their range", function()
    raises("bad argument #1 to 'entity_manager' (minimum_free_indices: integer in [0, 4194303] expected, got 0.5)",
      function() cuttle.entity_manager { minimum_free_indices = 0.5 } end)
    raises("bad argument #2 to 'world' (seed: integer in [0, 2^53 - 1] expected, got -1)",
      function() cuttle.world(entities, { seed = -1 }) end)
    for _, case in ipairs { { 0, "0" }, { 2 ^ 20 + 1, "1048577" }, { "5", "string" } } do
      raises(("bad argument #2 to 'recorder' (keep: integer in [1, 1048576] expected, got %s)"):format(case[2]),
        function() cuttle.recorder(entities, { keep = case[1] }) end)
    end
    cuttle.recorder(entities, { keep = 2 ^ 20 })
  end)

  it("refuse unknown keywords", function()
    local transform, e = world.transform, entities:create()
    transform:create(e)
    raises([[bad argument #2 to 'unlink' (keep: "world" expected, got "local")]],
      function() transform:unlink(e, { keep = "local" }) end)
    raises([[bad argument #3 to 'link' (keep: "world" expected, got boolean)]],
      function() transform:link(e, e, { keep = true }) end)
  end)
end)
