-- Queries in a program without Lua.

-- tags: once

local host_program = require "spec.support.host_program"

describe("a program without Lua", function()
  it("keeps queries, whose matches are found again after changes", function()
    local output = host_program.output("spec/hosts/query.c")
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
  end)
end)
