-- Recorders in a program without Lua.

-- tags: once

local host_program = require "spec.support.host_program"
local rounds = require "spec.support.rounds"
local seed = require "spec.support.seed"

describe("a program without Lua, seed " .. seed, function()
  it("gets every recorded snapshot back, byte for byte, also if memory runs out", function()
    local output = host_program.output("spec/hosts/recorder.c", ("%d %d"):format(seed, rounds(40, 4)))
    assert.equal("0 blocks are left\n", output)
  end)
end)
