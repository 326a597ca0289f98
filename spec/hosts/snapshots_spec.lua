-- Snapshots in a program without Lua.

-- tags: once

local host_program = require "spec.support.host_program"

local function compiled(count)
  local entities = {}
  for i = 1, count do entities[i] = { name = "lamp" .. i, components = { transform = {} } } end
  return host_program.level { entities = entities }
end

describe("a program without Lua", function()
  it("restores snapshots with values in their slots and levels in their blocks", function()
    local large, small = compiled(40), compiled(3)
    local output = host_program.output("spec/hosts/snapshots.c", large, small)
    os.remove(large)
    os.remove(small)
    assert.equal([[
back, 2 alive
bytes: same, kept: same
back, 2 alive
bytes: same, kept: same
back, 42 alive
40 in the level
a level was given another resource after the snapshot, 2 alive
back, 42 alive
]], output)
  end)
end)
