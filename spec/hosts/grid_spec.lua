-- Grids in a program without Lua.

-- tags: once

local host_program = require "spec.support.host_program"

describe("a program without Lua", function()
  it("creates, changes, restores, moves and queries a grid", function()
    local output = host_program.output("spec/hosts/grid.c")
    assert.equal([[
made: 0100 0120 0021, cells of 16 x 8
here: point in 1 (1, 1), 3 in the box, ray stopped by 2 at 132, 12
dug: 0100 0120 0789, cells of 16 x 8
restored: 0100 0120 0021, cells of 16 x 8
1 is solid, 0 is not
of half the size: point in 1 (2, 2), 5 in the box, nothing stops the ray
11 of 11 wrong calls refused
]], output)
  end)
end)
