local host_program = require "spec.support.host_program"
local rounds = require "spec.support.rounds"
local seed = require "spec.support.seed"

describe("a program without Lua, seed " .. seed, function()
  it("gets every recorded snapshot back, byte for byte, also if memory runs out", function()
    local program = host_program.compile("spec/hosts/recorder.c", host_program.archives())
    local done, output = host_program.run(("%s %d %d"):format(program, seed, rounds(40, 4)))
    os.remove(program)
    assert.equal("0 blocks are left\n", output)
    assert.is_true(done)
  end)
end)
