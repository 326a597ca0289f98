-- Several Lua states in one process, each in its own thread. `make tsan` runs this under the thread sanitizer.

-- tags: threads

local host_program = require "spec.support.host_program"
local plugins = require "spec.support.plugins"
local rounds = require "spec.support.rounds"

local build = os.getenv "CUTTLE_BUILD" or "build/test"
local SLOW = os.getenv "CUTTLE_SANITIZER" == "1" or build:find "tsan$" ~= nil

-- The work of one thread. Odd and even threads define the same component with different fields.
local SCRIPT = [[
  local number = ...
  local cuttle = require "cuttle"
  local entities = cuttle.entity_manager { minimum_free_indices = 16 }
  for round = 1, %d do
    local world = cuttle.world(entities)
    local health = world:define("health", number %% 2 == 0 and { { "hp", "float", number } } or
      { { "armour", "int32" }, { "hp", "float", number }, { "title", "string" } })
    local blob = assert(cuttle.compiler(world):compile { entities = { { name = "a",
      components = { transform = {}, health = {}, mesh = { resource = "m" } },
      children = { { name = "b", components = { transform = { position = { round, 0, 0 } } } } } } } })
    world.mesh:define_resource("m", { thread = number })
    local resource, levels = cuttle.resource(blob), {}
    for i = 1, 20 do levels[i] = assert(world:spawn(resource, { position = { number, 0, 0 } })) end
    local hp = health:column "hp"
    for row in world:rows "health" do
      assert(hp[row] == number)
      hp[row] = hp[row] + round
    end
    assert(world.transform:world_position(levels[7]:find "a/b") == number + round)
    for i = 1, 20, 2 do levels[i]:unload() end
    world:create({ point_mass = { velocity = { 1, 0, 0 } } }, 500)
    world.point_mass:simulate(1)
    entities:destroy(entities:create_list(300))
    world:gc "all"
    assert(world:validate() and entities:validate())
    if round %% 2 == 0 then world:destroy { entities = true } end
    collectgarbage()
  end
]]

-- Many objects, with finalizers that use them, which are alive when all states close.
local LEFT = [[
  local number = ...
  local function user()
    local metatable = { __gc = function() use() end }
    if not newproxy then return setmetatable({}, metatable) end
    local proxy = newproxy(true)
    getmetatable(proxy).__gc = metatable.__gc
    return proxy
  end
  first = user()
  local cuttle = require "cuttle"
  entities = cuttle.entity_manager()
  world = cuttle.world(entities)
  world:define("health", { { "hp", "float" }, { "bag", "value" } })
  world.actor:on_spawn(function(e) return { e } end)
  function use()
    pcall(function() world:create({ health = {}, actor = {} }, number) end)
    pcall(function() level:restart() end)
    pcall(function() entities:restore(snapshot) end)
    pcall(function() entities:destroy(list) end)
  end
  world.actor:on_destroy(function() pcall(function() world:create { transform = {} } end) end)
  list = world:create({ transform = {}, health = { bag = { world } }, actor = {} }, 200)
  level = assert(world:spawn(assert(cuttle.resource((assert(cuttle.compiler(world):compile { entities = { {
    components = { transform = {}, actor = {} } } } }))))))
  snapshot = entities:snapshot()
  last = user()
]]

-- The work of SCRIPT with plugins.
local WITH_PLUGINS = [[
  local number = ...
  local cuttle, health_bar = require "cuttle", require "health_bar"
  local grid = HAS_GRID and require "grid"
  local entities = cuttle.entity_manager { minimum_free_indices = 16 }
  for round = 1, 5 do
    local world = cuttle.world(entities)
    local bars, members = health_bar.define(world), grid and grid.define(world)
    local list = world:create({ transform = {}, health_bar = { hp = number }, grid_member = grid and {} or nil }, 100)
    assert(bars:regenerate(1) == 100 and bars:hp(list[1]) == number + 1)
    entities:destroy(list[1])
    assert(bars:fallen() == 1)
    if grid then
      assert(members:rebuild(number) == 99)
      assert(select(2, members:within(0, 0, 0, 1)) == 99)
    end
    assert(world:validate())
    if round % 2 == 0 then world:destroy { entities = true } end
    collectgarbage()
  end
]]

describe("Lua states in threads of their own", function()
  local library = host_program.lua_library "shared"
  if not library then
    pending "need a library of the interpreter"
    return
  end

  local folder, program

  setup(function()
    folder = plugins.new_folder()
    program = host_program.compile("spec/hosts/threads.c", library .. " -pthread")
  end)

  teardown(function()
    plugins.remove_folder(folder)
    os.remove(program)
  end)

  local function run_in_threads(text)
    local script = host_program.script(text)
    local done, output = host_program.run(("%s 6 %s"):format(program, script))
    os.remove(script)
    assert.equal("6 threads, 0 failed\n", output)
    assert.is_true(done)
  end

  it("run at the same time and share nothing", function()
    run_in_threads(SCRIPT:format(SLOW and 3 or rounds(15, 3)))
  end)

  it("close at the same time with all objects alive", function()
    for _ = 1, SLOW and 2 or rounds(5, 2) do run_in_threads(LEFT) end
  end)

  it("open the same plugins at the same time", function()
    local flags = build:find "tsan$" and "-g -fsanitize=thread" or ""
    plugins.build(folder, "health_bar", "examples/plugins/health_bar.c", flags)
    if plugins.has_cxx() then plugins.build(folder, "grid", "examples/plugins/grid.cpp", flags) end
    run_in_threads(("package.cpath = %q .. package.cpath local HAS_GRID = %s "):format(folder .. "/?.so;",
      tostring(plugins.has_cxx())) .. WITH_PLUGINS)
  end)
end)

-- A sanitizer adds its own data.
if not os.getenv "CUTTLE_SANITIZER" and not SLOW then
  describe("the module", function()
    -- All data is constant, except for the object cookie (src/bind/value/object.h), 8 bytes that the first thread
    -- writes.
    it("has no mutable data", function()
      if os.getenv "CUTTLE_EMULATED" == "1" then return pending "gcc for s390x puts its own constants into .data" end
      local found, sections = {}, 0
      for _, archive in ipairs { "libcuttle.a", "libcuttle_lua.a" } do
        local done, output = host_program.run(("size -A %s/%s"):format(build, archive))
        assert.is_true(done, output)
        local member
        for line in output:gmatch "[^\n]+" do
          member = line:match "^(%S+%.o) " or member
          local section, bytes = line:match "^(%S+)%s+(%d+)%s+%d+$"
          if section then sections = sections + 1 end
          local const = section and section:find "^%.data%.rel%.ro"
          local data = section and (section:find "^%.t?data" or section:find "^%.t?bss" or section == "COMMON")
          local cookie = member == "object.o" and section == ".bss" and bytes == "8"
          if data and not const and not cookie and tonumber(bytes) > 0 then
            found[#found + 1] = member .. " " .. section
          end
        end
      end
      assert.is_true(sections > 100)
      assert.are.same({}, found)
    end)
  end)
end
