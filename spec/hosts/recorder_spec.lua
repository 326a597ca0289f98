local host_program = require "spec.support.host_program"

describe("a program without Lua", function()
  it("records its world and goes back", function()
    local program = host_program.compile("spec/hosts/recorder.c", host_program.archives())
    local done, output = host_program.run(program)
    os.remove(program)
    assert.equal([[
0 back of 1: done, 0 alive, 0 left
2 back of 1: done, 7 alive, 2 left
2 back of 1: done, 5 alive, 1 left
1 bytes for 3 snapshots
1, then 1 without memory
0 back of 0: no memory, 11 alive, 3 left
0 back of 1: world 'sea' was destroyed since, 11 alive, 3 left
5 back of 99: done, 5 alive, 1 left
0 blocks left
]], output)
    assert.is_true(done)
  end)
end)
