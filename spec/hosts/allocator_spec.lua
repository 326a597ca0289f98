-- A host with an allocator that checks every size.

local host_program = require "spec.support.host_program"

-- Creates components of all types, a level, columns and garbage; the globals are freed when the state closes.
local USE = [[
  local cuttle = require "cuttle"
  local entities = cuttle.entity_manager()
  local world = cuttle.world(entities)
  world:define("note", { { "text", "string" }, { "target", "entity" } }, { multiple = true })
  local level = { entities = {} }
  for i = 1, 500 do
    level.entities[i] = { name = "n" .. i, components = { transform = { position = { i, 0, 0 } },
      note = { { text = "a" .. i }, { text = "b" } } }, children = { { components = { point_mass = {} } } } }
  end
  local blob = assert(cuttle.compiler(world):compile(level))
  local spawned = {}
  for i = 1, 10 do spawned[i] = assert(world:spawn(cuttle.resource(blob))) end
  for i = 1, 10, 2 do spawned[i]:unload() end
  world:gc "all"
  world:create({ transform = {}, point_mass = {} }, 20000)
  world.transform:sort()
  assert(world:validate())
  kept, other = world, cuttle.world(entities)
  other:destroy()
]]

describe("the allocator of a host", function()
  local library = host_program.lua_library "shared"
  if not library then
    pending "is tried where there is a library of the interpreter"
    return
  end

  local program, script

  setup(function()
    program = host_program.compile("spec/hosts/allocator.c", host_program.archives(true) .. " " .. library)
    script = host_program.script(USE)
  end)

  teardown(function()
    os.remove(program)
    os.remove(script)
  end)

  local function run(mode)
    local _, output = host_program.run(("%s %s %s"):format(program, mode, script))
    return output
  end

  it("receives every block again, with its size", function()
    assert.equal([[
own: over a megabyte, 0 blocks, 0 bytes left, 0 wrong sizes
of Lua: nothing, 0 blocks, 0 bytes left, 0 wrong sizes
]], run "own")
  end)

  it("may be the allocator of the Lua state", function()
    assert.matches("^own: nothing, 0 blocks, 0 bytes left, 0 wrong sizes\n", run "lua")
    -- A LuaJIT that does not accept an allocator has used its own.
    local lua = run("lua"):match "of Lua: (.-)\n"
    assert.is_true(lua == "over a megabyte, 0 blocks, 0 bytes left, 0 wrong sizes" or lua:find "^nothing" ~= nil, lua)
  end)

  it("is refused if it is not a ct_allocator", function()
    for _, mode in ipairs { "light", "short" } do
      assert.matches("error: .*registry value 'cuttle.allocator' is not a ct_allocator\nown: nothing", run(mode))
    end
  end)
end)
