-- Hosts whose LuaJIT has no FFI, in interpreters of their own. `make test` also runs all specs without FFI.

-- tags: ffi luajit unix

local build = os.getenv "CUTTLE_BUILD" or "build/test"
local luajit = rawget(_G, "jit") ~= nil

-- The output of a script in an interpreter of its own, which runs `before` first.
local function printed(before, script)
  local path = os.tmpname()
  local file = assert(io.open(path, "w"))
  file:write(before, ([[
    package.path = "lua/?.lua;lua/?/init.lua;" .. package.path
    package.cpath = "%s/?.so;" .. package.cpath
  ]]):format(build), script)
  file:close()
  local pipe = io.popen(("%s %s 2>&1"):format(luajit and "luajit" or "lua5.1", path))
  local output = pipe:read "*a"
  pipe:close()
  os.remove(path)
  return output
end

local USE = [[
  local cuttle = require "cuttle"
  local entities = cuttle.entity_manager()
  local world = cuttle.world(entities)
  local made = world:create({ point_mass = { mass = { 1, 2, 3 } } }, 3)
  local mass, position = world.point_mass:column "mass", world.point_mass:column "position"
  for row in world:rows "point_mass" do mass[row] = mass[row] + 1 position[row].x = mass[row] end
  local x = 0
  for row = 0, 2 do x = x + position[row].x end
  local ffi = pcall(require, "ffi") and "with FFI" or "without FFI"
  print(ffi, type(mass), x, entities:alive_id(cuttle.entity_id(made[1])))
]]

local PRINTED = "without FFI\tuserdata\t9\ttrue\n"

describe("a host without FFI", function()
  it("can be simulated by tools/no_ffi.lua, which also turns the compiler off", function()
    assert.equal(PRINTED, printed("dofile 'tools/no_ffi.lua' assert(not jit or not jit.status())", USE))
  end)

  it("can have the compiler", function()
    assert.equal(PRINTED, printed("package.preload.ffi = nil ", USE))
  end)

  it("can have an FFI that does not load", function()
    assert.equal(PRINTED, printed("package.preload.ffi = function() error 'no FFI here' end ", USE))
  end)
end)
