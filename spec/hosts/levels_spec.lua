-- A program without Lua that is the host of its levels.

-- tags: once

local cuttle = require "cuttle"
local host_program = require "spec.support.host_program"

describe("a program without Lua", function()
  it("can be the host of its levels", function()
    local compiler = cuttle.compiler(cuttle.world(cuttle.entity_manager()))
    compiler:register("spikes", function() return "!" end)
    local level = host_program.level({ entities = { { name = "lamp", components = { transform = {}, spikes = {} },
      children = { { name = "bulb", components = { transform = {} } } } } } }, compiler)
    local output = host_program.output("spec/hosts/levels.c", level)
    os.remove(level)
    assert.equal([[
first: spikes, 1 of 2
first: created, 1 with a mass 1
first: done, 2 alive
again: the level is spawned already, 2 alive
bulb: found
bulb: dead, 1 alive
again: spikes, 1 of 2
again: created, 1 with a mass 1
again: 1 died (restart)
again: done, 2 alive
again: spikes, 1 of 2
again: created, 1 with a mass 1
again: 2 died (restart)
again: done, 2 alive
again: spikes, 1 of 2
again: created, 1 with a mass 1
again: undone
again: , 2 alive
again: spikes, 1 of 2
again: undone
again: , 2 alive
again: spikes, 1 of 2
again: created, 1 with a mass 1
again: undone
again: , 2 alive
again: spikes, 1 of 2
again: created, 1 with a mass 1
again: 2 died (restart)
again: done, 2 alive
end: 2 died (unload)
end: released
2 unloaded
0 the second time
four: spikes, 1 of 8 in 4 copies
four: created, 4 with a mass 1 3 5 7
four: done, 8 alive
4 copies, at 10 and 30
four: spikes, 1 of 8 in 4 copies
four: created, 4 with a mass 1 3 5 7
four: 8 died (restart)
four: done, 8 alive
root: 1, other: 0
four: 8 died (unload)
four: released
wrong: released
wrong: overrides: bulb: point_mass: mass: the field has type float now, the value has type int32, 0 alive
wrong: released
wrong: overrides: bulb: point_mass[2]: unknown field 'weight', 0 alive
wrong: released
wrong: overrides: blub: no entity of the resource is called 'blub' (did you mean 'bulb'?), 0 alive
one: spikes, 1 of 2
one: created, 0 with a mass
one: done, 2 alive
two: spikes, 1 of 2
two: created, 0 with a mass
two: done, 4 alive
oldest first: 1
all: 2 died (unload)
all: released
all: 2 died (unload)
all: released
two: spikes: 1 instance of a component type that the world has no spawner for, 0 alive
one: done, 2 alive
skipped: 1
sound: 1
keep: clearing
keep: done, 2 alive, 0 rows
clear: 2 died (clear)
clear: clearing
clear: done, 2 alive, 0 rows
clear: 2 died (clear)
clear: clearing
clear: a callback failed, 2 alive, 0 rows
clear: 2 died (clear)
clear: clearing
clear: a callback failed, 2 alive, 0 rows
end: spikes, 1 of 2
end: created, 0 with a mass
end: done, 6 alive
end: 2 died (world)
end: released
end: 2 died (world)
end: clearing for good
end: ended, 7 managers
end: a callback failed, 2 alive, over: 1
end: released
end: world is destroyed, 2 alive
]], output)
  end)
end)
