-- tags: once

local host_program = require "spec.support.host_program"
local seed = require "spec.support.seed"

describe("a program without Lua (seed " .. seed .. ")", function()
  it("is notified of all changed poses, also if memory runs out", function()
    local program = host_program.compile("spec/hosts/poses.c", host_program.archives())
    local done, output = host_program.run(("%s %.0f"):format(program, seed))
    os.remove(program)
    assert.equal("the index matches, mostly by lists\n0 blocks left\n", output)
    assert.is_true(done)
  end)
end)
