-- The source line in the error of a misused function, for the C and the Lua parts of the library.

-- tags: ffi

local bytes = require "cuttle.bytes"
local cuttle = require "cuttle"
local methods = require "spec.support.methods"

-- Calls f(...) from a known line.
local call = assert(loadstring("local f = ...\nlocal result = f(select(2, ...))\nreturn result", "=script"))
local LINE = "script:2: "

-- Returns an object of each kind, a level, and their world, which is destroyed if `is_destroyed` is set.
local function setup(is_destroyed)
  local entities = cuttle.entity_manager()
  local world = cuttle.world(entities)
  local plain = world:define("plain", { { "hp", "float" }, { "v", "vec3" }, { "bag", "value" } })
  world:define("tag", { { "n", "int32" } }, { multiple = true })
  local compiler = cuttle.compiler(world)
  local resource = assert(cuttle.resource((assert(compiler:compile { entities = { { name = "a",
    components = { transform = {}, plain = {}, tag = { {}, {} } } } } }))))
  local level = assert(world:spawn(resource))
  local objects = { EntityManager = entities, World = world, EntityCompiler = compiler, Resource = resource,
    Level = level, Buffer = world:buffer(), Query = world:query "plain", Template = world:template { plain = {} },
    Snapshot = entities:snapshot(), Recorder = cuttle.recorder(entities), list = cuttle.list { level:entity(1) },
    column = plain:column "hp",
    Writer = bytes.writer(false), Reader = cuttle.reader "" }
  for name, manager in world:managers() do objects["manager " .. name] = manager end
  if is_destroyed then world:destroy() end
  return objects, level, world
end

local function methods_of(object)
  local names, found = {}, methods.of(object)
  for name in pairs(found) do
    if not name:find "^__" and name ~= "destroy" and name ~= "clear" then
      names[#names + 1] = name
    end
  end
  table.sort(names)
  return names, found
end

-- Fails if f(...) raises an error that does not begin with the line of the call.
local function check(name, f, ...)
  local ok, message = pcall(call, f, ...)
  if not ok and tostring(message):sub(1, #LINE) ~= LINE then error(name .. ": " .. tostring(message), 0) end
  return not ok
end

for _, state in ipairs { "alive", "destroyed" } do
  describe("a world that is " .. state, function()
    local kinds = {}
    for kind in pairs((setup(false))) do kinds[#kinds + 1] = kind end
    table.sort(kinds)

    for _, kind in ipairs(kinds) do
      it("raises errors at the script's line in each method of " .. kind, function()
        local objects, level = setup(state == "destroyed")
        local object, count = objects[kind], 0
        local values = { 1, "x", {}, cuttle.entity_from_id(5), level, true }
        local names, found = methods_of(object)
        for _, name in ipairs(names) do
          local function try(...)
            if check(name, found[name], ...) then count = count + 1 end
          end
          try()
          try({})
          try(object)
          for _, first in ipairs(values) do
            try(object, first)
            for _, second in ipairs(values) do try(object, first, second) end
          end
        end
        assert.is_true(count >= #names, count)
      end)
    end
  end)
end

describe("define", function()
  it("raises errors about each of its arguments at the script's line", function()
    local _, _, world = setup(false)
    local schema = { { "x", "float" } }
    for _, arguments in ipairs { { 1, schema }, { "other", 1 }, { "other", { { "x" } } }, { "other", { { "x", "y" } } },
      { "other", schema, 1 }, { "other", schema, { hidden = { "y" } } }, { "other", schema, { hidden = 1 } },
      { "transform", schema }, { "plain", schema } } do
      local first, second, third = arguments[1], arguments[2], arguments[3]
      if first == "plain" then world.plain:create(world.entities:create()) end
      assert.is_true(check("define", world.define, world, first, second, third))
    end
  end)
end)

describe("a world that is destroyed in the meantime", function()
  it("is reported at the script's line at each stage of a compilation", function()
    for _, when in ipairs { "before", "reading", "compiling transform" } do
      local _, _, world = setup(false)
      local compiler = cuttle.compiler(world)
      local function destroy(task)
        if task == when and world then
          world:destroy()
          world = nil
        end
      end
      destroy "before"
      local list = {}
      for index = 1, 2000 do list[index] = { components = { transform = {} } } end
      local ok, message = pcall(call, compiler.compile, compiler, { entities = list }, { progress = destroy })
      assert.are.same({ false, LINE .. "world is destroyed" }, { ok, message })
    end
  end)

  it("is reported at the script's line by loops over it", function()
    local _, _, world = setup(false)
    local loops = { world:managers(), (world.transform:each()), (world:join "transform") }
    world:destroy()
    for _, step in ipairs(loops) do
      local ok, message = pcall(call, step)
      assert.are.same({ false, LINE .. "world is destroyed" }, { ok, message })
    end
  end)
end)
