-- tags: once

local host_program = require "spec.support.host_program"

describe("a program without Lua", function()
  it("keeps queries, whose matches are found again after changes", function()
    local program = host_program.compile("spec/hosts/query.c", host_program.archives())
    local done, output = host_program.run(program)
    os.remove(program)
    assert.equal([[
first: 1
in one order: status 0, 1000 matches, 1000 rows, 0 wrong, in few runs, not listed
stale: 1
in different orders: status 0, 1000 matches, 1000 rows, 0 wrong, in many, listed
trimmed: 1
first: 1
after deaths: status 0, 500 matches, 500 rows, 0 wrong, in many, listed
kept: 1
over: 1
]], output)
    assert.is_true(done)
  end)
end)
