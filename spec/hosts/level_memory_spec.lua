-- The memory of levels in a program without Lua.

-- tags: once

local host_program = require "spec.support.host_program"

local function compiled(count)
  local entities = {}
  for i = 1, count do entities[i] = { name = "lamp" .. i, components = { transform = {} } } end
  return host_program.level { entities = entities }
end

describe("a program without Lua", function()
  it("releases levels at any time, and frees their memory after the last use", function()
    local old, changed = compiled(40), compiled(50)
    local output = host_program.output("spec/hosts/level_memory.c", old, changed)
    os.remove(old)
    os.remove(changed)
    assert.equal([[
released: 0 alive, 0 in the first level, 1 and 0 hold the resources
back: 40 alive, 40 in the first level, 1 and 0 hold the resources
back again: 40 alive, 40 in the first level, 1 and 0 hold the resources
without snapshot: 40 alive, 40 in the first level, 1 and 0 hold the resources
unloaded: 0 alive, 0 in the first level, 0 and 0 hold the resources
patched: 50 alive, 50 in the first level, 1 and 1 hold the resources
before the patch: 40 alive, 40 in the first level, 1 and 0 hold the resources
patched once: 50 alive, 50 in the first level, 1 and 1 hold the resources
unloaded: 0 alive, 0 in the first level, 0 and 0 hold the resources
released while it is unloaded: 0 alive, 0 in the first level, 0 and 0 hold the resources
released while it is restarted: 40 alive, 40 in the first level, 1 and 0 hold the resources
released while it is patched: 50 alive, 50 in the first level, 1 and 1 hold the resources
unloaded: 0 alive, 0 in the first level, 0 and 0 hold the resources
few of 200 are left
0 blocks are left
]], output)
  end)
end)
