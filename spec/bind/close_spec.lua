-- What happens when the Lua state closes, tried in interpreters of their own.

local command_line = require "spec.support.command_line"

local build = os.getenv "CUTTLE_BUILD" or "build/test"

local function survives(script)
  local path = os.tmpname()
  local file = assert(io.open(path, "w"))
  file:write(([[
    package.path = "lua/?.lua;lua/?/init.lua;" .. package.path
    package.cpath = "%s/?.so;" .. package.cpath
  ]]):format(build), script, ' print "reached the end"')
  file:close()
  local pipe = io.popen(command_line.interpreter() .. " " .. path .. " 2>&1; echo status $?")
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

  -- Lua unloads modules before it runs the finalizers of objects that are older than they are. No flag of the linker
  -- holds the module: whoever builds it may have flags of their own, as LuaRocks has.
  it("survives finalizers older than the module", function()
    survives("first = newproxy(true)" .. WORLD .. "getmetatable(first).__gc = use")
  end)

  it("survives creating and collecting in finalizers older than the module", function()
    survives [[
      first = newproxy(true)
      getmetatable(first).__gc = function()
        entities:destroy(entities:create())
        world:gc()
        world:create { transform = {} }
      end
      local cuttle = require "cuttle"
      entities = cuttle.entity_manager()
      world = cuttle.world(entities)
    ]]
  end)

  -- A resource with what only spawners read, whose finalizer may run in the middle of a spawn.
  local SPAWN = [[
    local compiler = cuttle.compiler(world)
    compiler:register("spikes", function() return "iron" end, 2)
    local source = { entities = {} }
    for i = 1, 50 do
      source.entities[i] = { name = "e" .. i,
        components = { transform = {}, spikes = {}, health = { hp = i }, actor = {} } }
    end
    local resource = assert(cuttle.resource((assert(compiler:compile(source)))))
    world:register_spawner("spikes", function(lookup, count, index, data)
      for _ = 1, 3 do collectgarbage() end
      local w = cuttle.reader(data[count]):left()
      for i = 1, count do world.point_mass:create(lookup[index[i] + 1], { mass = w }) end
    end)
    world.actor:on_spawn(function(e) collectgarbage() return { e } end)
    local level
    function spawn()
      local overrides = { e7 = { health = { hp = 1 }, transform = { angle = 1 } } }
      pcall(function() level = world:spawn(resource, { overrides = overrides }) end)
      pcall(function() level:restart() end)
      pcall(function() resource:describe() end)
      use()
    end
  ]]

  it("survives levels that are spawned by finalizers younger than all", function()
    survives(WORLD .. SPAWN .. "last = newproxy(true) getmetatable(last).__gc = spawn")
  end)

  it("survives levels that are spawned by finalizers older than all", function()
    survives('require "cuttle" first = newproxy(true)' .. WORLD .. SPAWN .. "getmetatable(first).__gc = spawn")
  end)

  it("survives levels that are spawned by finalizers between them", function()
    survives(WORLD .. "last = newproxy(true)" .. SPAWN .. "getmetatable(last).__gc = spawn")
  end)

  it("survives levels that were spawned", function()
    survives(WORLD .. SPAWN .. "level = world:spawn(resource) last = newproxy(true) getmetatable(last).__gc = spawn")
  end)
end)
