-- Garbage of loops, in a process of its own.

-- tags: ffi unix

local command_line = require "spec.support.command_line"

describe("Loops over a kept query", function()
  it("start again without garbage, also nested and after break", function()
    assert.equal("none\n", command_line.run "require('spec.support.loop_garbage').print()")
  end)
end)
