-- Every method of every object, found at run time, called with every kind of wrong argument in every place. Errors are
-- strings, nothing crashes, and every invariant holds.

-- tags: ffi

local bytes = require "cuttle.bytes"
local core = require "cuttle.core"
local cuttle = require "cuttle"
local files = require "cuttle.files"
local light_userdata = require "spec.support.light_userdata"
local methods = require "spec.support.methods"
local raises = require "spec.support.raises"
local sample = require "spec.support.sample"

local function methods_of(object)
  local names, found = {}, methods.of(object)
  for name in pairs(found) do names[#names + 1] = name end
  table.sort(names)
  return names, found
end

local function setup()
  local s = {}
  s.entities = cuttle.entity_manager { minimum_free_indices = 0 }
  s.world = cuttle.world(s.entities)
  s.list = cuttle.list()
  s.alive, s.bare, s.dead = s.entities:create(), s.entities:create(), s.entities:create()
  s.health = s.world:define("health", { { "hp", "float" }, { "n", "uint8" }, { "text", "string" },
    { "friend", "entity" }, { "pos", "vec3" }, { "on", "bool" } })
  s.part = s.world:define("part", { { "size", "int16" } }, { multiple = true })
  for _, m in ipairs { s.health, s.part, s.world.transform, s.world.debug_name } do
    m:create(s.alive)
    m:create(s.dead)
  end
  s.world.model:define_resource("rig", { nodes = { { name = "root" }, { name = "hp", parent = 1 } } })
  for _, e in ipairs { s.alive, s.dead } do s.world.model:create(e, { resource = "rig" }) end
  s.stale = s.health:lookup(s.dead)
  s.entities:destroy(s.dead)
  s.instance = s.health:lookup(s.alive)
  s.list:add(s.alive)
  local compiler = cuttle.compiler(s.world)
  compiler:register("spikes", function() return "iron" end)
  s.world:register_spawner("spikes", function() end)
  s.resource = assert(cuttle.resource((assert(compiler:compile { entities = { { name = "health", components = {
    spikes = {}, health = {} } } } }))))
  s.level = assert(s.world:spawn(s.resource))
  s.objects = { s.entities, s.world, s.list, s.health, s.part, s.world.transform, s.world.debug_name, s.world.model,
    s.resource, s.level, bytes.writer(false), cuttle.reader(("x"):rep(1000)) }
  return s
end

-- Some values of every kind, most of them wrong most of the time.
local function all_values(s)
  local values = { 0, 1, -1, 0.5, 1e300, -1e300, 2^22 + 1, 2^31, 2^32, 2^53, math.huge, -math.huge, 0 / 0, "", "hp",
    "nil", "health", ("x"):rep(5000), "nul\0nul", true, false, {}, { 1, 2, 3 }, { {} }, { hp = {} }, { hp = 1 },
    { id = 1 }, { nodes = {} }, { nodes = { {} } }, { nodes = { { parent = 1 } } },
    { nodes = { {}, { parent = "b" } } },
    setmetatable({}, { __index = error, __newindex = error }), print, coroutine.create(function() end), io.stdout,
    s.alive, s.bare, s.dead, s.stale, s.instance, cuttle.entity_from_id(2^30 - 1), { s.alive, s.dead }, { s.bare, 5 },
    s.list, cuttle.list(), s.world, s.entities, s.health, s.part,
    s.resource, s.level, s.health:column "hp", newproxy(true) }
  values[#values + 1] = light_userdata.null()
  if core.testing then
    for tag = 0, 3 do values[#values + 1] = light_userdata.make(4000 + tag) end
    values[#values + 1] = light_userdata.make(1, 1)
  end
  return sample(values, 14)
end

local function check(s, name)
  assert.is_true(assert(s.entities:validate(), name))
  local ok, message = pcall(s.world.validate, s.world)
  assert.is_true(ok and message, name)
end

-- Methods that end or empty the object are called too, with a new set of objects afterwards.
local ENDS = { destroy = true, clear = true, unload = true, restart = true }

describe("a method", function()
  local wrong_selves = { 5, "self", true, {}, print, io.stdout, newproxy(true), cuttle.entity_from_id(5) }

  it("called on a wrong self raises a clear error", function()
    local s, other = setup(), setup()
    for place, object in ipairs(s.objects) do
      local names, found = methods_of(object)
      for _, name in ipairs(names) do
        local selves = { unpack(wrong_selves) }
        for i, other_object in ipairs(s.objects) do
          if i ~= place and methods.of(other_object)[name] ~= found[name] then selves[#selves + 1] = other_object end
        end
        for _, self in ipairs(selves) do
          local ok, message = pcall(found[name], self, 1, 2)
          assert.is_false(ok, name)
          assert.equal("string", type(message), name)
        end
        assert.is_false((pcall(found[name])), name)
      end
    end
    -- A method works on every object of its class, and a field's method on every manager with the same fields.
    assert.equal(other.health:count(), s.health.count(other.health))
    assert.equal("number", type(s.world.gc(other.world)))
    assert.equal(other.entities:count(), s.entities.count(other.entities))
    raises("expected, got userdata", s.world.transform.propagate, other.health)
    check(s, "wrong self")
    check(other, "wrong self")
  end)

  it("called with a dot raises an error that mentions the colon", function()
    local s = setup()
    raises("a method is called with ':'", function() s.health.hp(s.alive) end)
    raises("a method is called with ':'", function() s.world.gc() end)
    raises("a method is called with ':'", function() s.entities.create(5) end)
    raises("component manager expected, got userdata (another component manager: methods belong to one)", s.health.hp,
      s.part, s.alive)
    raises("a method is called with ':'", s.health.hp, s.world, s.alive)
  end)

  it("called without arguments raises a string or works", function()
    local s = setup()
    for _, object in ipairs(s.objects) do
      local names, found = methods_of(object)
      for _, name in ipairs(names) do
        if not ENDS[name] then
          local ok, message = pcall(found[name], object)
          assert.is_true(ok or type(message) == "string", name)
          check(s, name)
        end
      end
    end
  end)

  local kinds = { "an entity manager", "a world", "a list", "a manager of one", "a manager of several", "transforms",
    "debug names", "models", "a resource", "a level", "a writer", "a reader" }
  for place, kind in ipairs(kinds) do
    it("of " .. kind .. " with any arguments raises a string or works, and all objects stay valid", function()
      local s = setup()
      local names = methods_of(s.objects[place])
      for _, name in ipairs(names) do
        for number, value in ipairs(all_values(s)) do
          for argument = 1, 3 do
            local object = s.objects[place]
            local arguments = { s.alive, s.alive, s.alive }
            if argument > 1 and number % 2 == 0 then arguments[1] = s.instance end
            if argument == 3 then arguments[2] = "hp" end
            arguments[argument] = value
            local ok, message = pcall(object[name], object, unpack(arguments, 1, 3))
            assert.is_true(ok or type(message) == "string", name)
            if ENDS[name] then s = setup() end
          end
        end
        check(s, name)
        -- Changes by valid calls must not affect the next method.
        s = setup()
      end
    end)
  end

  it("with a wrong argument changes nothing", function()
    local s = setup()
    local function picture()
      return { s.world:inspect(s.alive), s.world:inspect(s.bare), s.entities:count(), s.health:count(), s.part:count(),
        s.list:totable() }
    end
    local before = picture()
    for _, object in ipairs(s.objects) do
      local names, found = methods_of(object)
      for _, name in ipairs(names) do
        -- Numbers and tables of some shapes are valid somewhere; these values are wrong for every checked argument.
        for _, value in ipairs { io.stdout, print, newproxy(true), coroutine.create(function() end) } do
          local takes_functions = name == "on_destroy" or name == "register_spawner"
          if not (takes_functions or ENDS[name] or name:find "gc$") then
            if pcall(found[name], object, value, value, value) then assert.same(before, picture(), name) end
          end
        end
        assert.same(before, picture(), name)
      end
    end
  end)
end)

describe("a function of the module", function()
  -- cuttle.report would otherwise write files with all these names.
  local write = files.write
  before_each(function() files.write = function() return true end end)
  after_each(function() files.write = write end)

  it("with any arguments raises a string or works", function()
    local s = setup()
    local names = {}
    for name, value in pairs(cuttle) do
      if type(value) == "function" and name ~= "pretty_entities" then names[#names + 1] = name end
    end
    table.sort(names)
    for _, name in ipairs(names) do
      for _, value in ipairs(all_values(s)) do
        for argument = 1, 2 do
          local arguments = { s.entities, {} }
          arguments[argument] = value
          local ok, message = pcall(cuttle[name], unpack(arguments, 1, 2))
          assert.is_true(ok or type(message) == "string", name)
        end
      end
      pcall(cuttle[name])
    end
    check(s, "module")
  end)
end)

describe("an iterator", function()
  it("with any arguments works or raises a string", function()
    local s = setup()
    for _, value in ipairs(all_values(s)) do
      for _, iterate in ipairs { s.entities:each(), s.world:managers(), s.list:each(), s.health:each(),
        s.part:instances(s.alive), s.world:join("health", "part"), s.world.transform:children(s.alive) } do
        local ok, message = pcall(iterate, value, value)
        assert.is_true(ok or type(message) == "string")
      end
    end
    check(s, "iterators")
  end)
end)

describe("a column view", function()
  it("with any arguments raises a string or works", function()
    local s = setup()
    for _, field in ipairs(s.health:fields()) do
      local view = s.health:column(field[1])
      for _, value in ipairs(all_values(s)) do
        for _, play in ipairs {
          function() return view[value] end, function() view[value] = value end, function() view[0] = value end,
          function() view:set(0, value) end, function() view:get(value) end, function() return view[0][value] end,
          function() view[0][value] = value end, function() view[0].x = value end, function() view.get(value, 0) end,
        } do
          local ok, message = pcall(play)
          assert.is_true(ok or type(message) == "string", field[1])
        end
      end
    end
    check(s, "views")
  end)
end)

describe("a schema", function()
  it("with any contents raises a string or works", function()
    local s = setup()
    for _, value in ipairs(all_values(s)) do
      for _, schema in ipairs { { value }, { { value } }, { { "a", value } }, { { "a", "float", value } },
        { { "a", "string", value } }, { { "a", "vec3", value } }, { { "a", "entity", value } } } do
        local ok, message = pcall(s.world.define, s.world, "odd", schema)
        assert.is_true(ok or type(message) == "string")
      end
    end
    check(s, "schemas")
  end)
end)

describe("an option of a spawn", function()
  it("with any value raises a string or works, and all objects stay valid", function()
    local s = setup()
    local function play(options)
      local ok, level, message = pcall(s.world.spawn, s.world, s.resource, options)
      if ok and level then level:unload() end
      assert.is_true(ok and (level ~= nil or type(message) == "string") or type(level) == "string")
    end
    for _, value in ipairs(all_values(s)) do
      for _, name in ipairs { "position", "rotation", "angle", "scale", "parent", "unknown", "overrides" } do
        play { [name] = value }
      end
      for _, name in ipairs { "health", "part", "transform", "debug_name", "model", "mesh", "actor", "spikes", "x" } do
        play { overrides = { health = { [name] = value } } }
        play { overrides = { health = { [name] = { value } } } }
        for _, field in ipairs { "hp", "text", "friend", "pos", "on", "id", "size", "position", "parent", "name",
          "resource", "mass", "body" } do
          play { overrides = { health = { [name] = { [field] = value } } } }
          play { overrides = { health = { [name] = { { [field] = value }, {} } } } }
        end
      end
      if value == value then play { overrides = { [value] = { health = {} } } } end
    end
    check(s, "spawn options")
    s.world:gc()
    check(s, "spawn options")
  end)
end)
