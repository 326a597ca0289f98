-- tags: once

local host_program = require "spec.support.host_program"

describe("a program without Lua", function()
  it("creates entities from a template, which copies all values", function()
    local program = host_program.compile("spec/hosts/template.c", host_program.archives())
    local done, output = host_program.run(program)
    os.remove(program)
    assert.equal([[
2 alive, the last is a bullet of 7
5 alive, the last is a bullet of 7
transform: parent: entity(0:0) is dead
sound: 1
]], output)
    assert.is_true(done)
  end)
end)
