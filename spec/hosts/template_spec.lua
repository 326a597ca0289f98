-- Templates in a program without Lua.

-- tags: once

local host_program = require "spec.support.host_program"

describe("a program without Lua", function()
  it("creates entities from a template, which copies all values", function()
    local output = host_program.output("spec/hosts/template.c")
    assert.equal([[
2 alive, the last is a bullet of 7
5 alive, the last is a bullet of 7
transform: parent: entity(0:0) is dead
sound: 1
]], output)
  end)
end)
