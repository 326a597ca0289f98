-- What happens when the Lua state closes, tried in interpreters of their own.

local build = os.getenv "CUTTLE_BUILD" or "build/test"

-- The interpreter that runs the specs, with its options.
local function interpreter()
  local first = 0
  while arg[first - 1] do first = first - 1 end
  local words = {}
  for i = first, -1 do
    if arg[i] == "-e" then break end
    words[#words + 1] = arg[i]
  end
  return #words > 0 and table.concat(words, " ") or (jit and "luajit" or "lua5.1")
end

local function survives(script)
  local path = os.tmpname()
  local file = assert(io.open(path, "w"))
  file:write(([[
    package.path = "lua/?.lua;lua/?/init.lua;" .. package.path
    package.cpath = "%s/?.so;" .. package.cpath
  ]]):format(build), script, ' print "reached the end"')
  file:close()
  local pipe = io.popen(interpreter() .. " " .. path .. " 2>&1; echo status $?")
  local output = pipe:read "*a"
  pipe:close()
  os.remove(path)
  assert.equal("reached the end\nstatus 0\n", output)
end

-- A world in full use, and a function that uses all of it whatever it raises.
local WORLD = [[
  local cuttle = require "cuttle"
  local entities = cuttle.entity_manager()
  local world = cuttle.world(entities)
  local health = world:define("health", { { "hp", "float" }, { "pos", "vec3" } })
  health:create_many(entities:create(100))
  local hp, pos, step = health:column "hp", health:column "pos", world:rows "health"
  local part = pos[1]
  step()
  function use()
    pcall(function() hp[1] = hp[1] + 1 end)
    pcall(function() part.x = part.x + 1 end)
    pcall(function() pos:set(1, 1, 2, 3) end)
    pcall(step)
    pcall(entities.alive_id, entities, 1)
    pcall(health.row_of_id, health, 1)
    pcall(function() health:create(entities:create()) end)
    pcall(function() for row in world:rows "health" do hp[row] = 1 end end)
    pcall(world.destroy, world)
    pcall(function() hp[1] = 1 end)
    pcall(step)
  end
]]

describe("a state that closes", function()
  it("frees what scripts hold", function()
    survives(WORLD)
  end)

  it("survives finalizers younger than the world", function()
    survives(WORLD .. "last = newproxy(true) getmetatable(last).__gc = use")
  end)

  it("survives finalizers older than the world", function()
    survives('require "cuttle" first = newproxy(true)' .. WORLD .. "getmetatable(first).__gc = use")
  end)

  it("survives finalizers older than the module", function()
    survives("first = newproxy(true)" .. WORLD .. "getmetatable(first).__gc = use")
  end)
end)
