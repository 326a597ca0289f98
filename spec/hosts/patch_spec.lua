-- Patches of levels in a program without Lua.

-- tags: once

local host_program = require "spec.support.host_program"

local function lamp(x, children)
  return { id = "lamp", name = "lamp", components = { transform = { position = { x, 0, 0 } } }, children = children }
end

describe("a program without Lua", function()
  it("patches levels, restores snapshots from before a patch, and runs out of memory during a patch", function()
    local old = host_program.level { entities = {
      lamp(1), { name = "post", components = { transform = {} } }, { name = "goes" } } }
    local changed = host_program.level { entities = { { name = "post", components = { transform = {} }, children = {
      lamp(2, { { name = "moth", components = { transform = {} } }, { name = "fly" } }) } } } }
    local output = host_program.output("spec/hosts/patch.c", old, changed)
    os.remove(old)
    os.remove(changed)
    assert.equal([[
3 alive, the lamp at 1, valid
memory ran out often
2 added, 1 removed, 1 changed, 1 moved
the same lamp
4 alive, the lamp at 2, valid
3 alive, the lamp at 1, valid
2 added, 1 removed, 1 changed, 1 moved
4 alive, the lamp at 2, valid
the level is unloaded
]], output)
  end)
end)
