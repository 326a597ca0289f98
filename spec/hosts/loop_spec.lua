-- Loops over rows in a program without Lua.

-- tags: once

local host_program = require "spec.support.host_program"

describe("a program without Lua", function()
  it("joins managers, and iterates over children and living entities, with removals", function()
    local output = host_program.output("spec/hosts/loop.c")
    assert.equal([[
required: 667 rows, 0 wrong
excluded: 333 rows, 0 wrong
optional: 1000 rows, 0 wrong
by runs: 667 rows, 0 wrong, in few
with removals: 667 rows, 445 left
rows moved of manager 1
room for 9: too little
5 children visited of 10, 0 left
1000 living visited of 1000
]], output)
  end)
end)
