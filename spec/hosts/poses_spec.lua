-- Changed poses in a program without Lua, which keeps an index of them.

-- tags: once

local host_program = require "spec.support.host_program"
local seed = require "spec.support.seed"

describe("a program without Lua (seed " .. seed .. ")", function()
  it("is notified of all changed poses, also if memory runs out", function()
    local output = host_program.output("spec/hosts/poses.c", ("%.0f"):format(seed))
    assert.equal("the index matches, mostly by lists\n0 blocks left\n", output)
  end)
end)
