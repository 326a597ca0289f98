-- Saves in other programs: one without Lua, and another interpreter.

local cuttle = require "cuttle"
local file = require "spec.support.file"
local host_program = require "spec.support.host_program"
local plugins = require "spec.support.plugins"

local function new_world(fields)
  local entities = cuttle.entity_manager { minimum_free_indices = 2 }
  local world = cuttle.world(entities, { name = "game" })
  world:define("health", fields)
  return world, entities
end

describe("a save", function()
  it("continues in a program without Lua, also if memory runs out, and comes back", function()
    local world, entities = new_world { { "hp", "float" }, { "armour", "int32" }, { "bag", "value" } }
    local list = {}
    for i = 1, 6 do
      list[i] = world:create { transform = { position = { i, 0, 0 }, parent = list[1] },
        debug_name = { name = "n" .. i }, health = { hp = i, bag = { i, "two" } } }
    end
    entities:destroy(list[3])
    local path, out = os.tmpname(), os.tmpname()
    file.write(path, entities:snapshot():tostring())
    local program = host_program.compile("spec/hosts/saves.c", host_program.archives())
    local done, output = host_program.run(("%s %s %s"):format(program, path, out))
    local text = file.read(out)
    for _, name in ipairs { program, path, out } do os.remove(name) end
    local other, others = new_world { { "hp", "float" }, { "mana", "float", 7 }, { "bag", "value" } }
    assert.is_true(done, output)
    assert.are.same({ true, {} }, { others:restore(assert(cuttle.snapshot(text))) })
    assert.equal(([[
the save is truncated, or has bytes behind its end
game.health.armour: is not defined any more, dropped
game.health.mana: is not in the save, has its default
5 alive, %s
0 blocks left
]]):format(others:hash()), output)
    assert.are.same({ 6, "two" }, other.health:bag(list[6]))
    assert.are.same({ 5, 7 }, { other.health:hp(list[5]), other.health:mana(list[5]) })
  end)

  it("continues in another interpreter with the same result", function()
    local path, script = os.tmpname(), os.tmpname()
    file.write(script, [[
      local cuttle = require "cuttle"
      local entities = cuttle.entity_manager()
      local world = cuttle.world(entities, { name = "game" })
      world:define("health", { { "hp", "float" } })
      local file = assert(io.open("]] .. path .. [[", "rb"))
      assert(entities:restore(assert(cuttle.snapshot(file:read "*a"))))
      file:close()
      for i = 1, 20 do
        local e = world:create { health = { hp = i }, transform = { parent = world.transform:each()() } }
        if i % 3 == 0 then entities:destroy(e) end
      end
      io.write(entities:hash())
    ]])
    local world, entities = new_world { { "hp", "float" } }
    for i = 1, 10 do world:create { health = { hp = i }, transform = { position = { i, i, i } } } end
    file.write(path, entities:snapshot():tostring())
    for i = 1, 20 do
      local e = world:create { health = { hp = i }, transform = { parent = world.transform:each()() } }
      if i % 3 == 0 then entities:destroy(e) end
    end
    local done, output = plugins.run(".", script)
    os.remove(path)
    os.remove(script)
    assert.is_true(done, output)
    assert.equal(entities:hash(), output)
  end)
end)
