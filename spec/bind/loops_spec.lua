-- Garbage of loops, in a process of its own.

-- tags: ffi unix

local command_line = require "spec.support.command_line"

describe("Loops over a kept query", function()
  -- LuaJIT decides by random numbers when it gives up a trace. In about one of 300 processes it gives up one of these
  -- loops for ever, and the interpreter's accesses of items make garbage: then three further processes must make none.
  it("start again without garbage, also nested and after break", function()
    local function measure() return command_line.run "require('spec.support.loop_garbage').print()" end
    if measure() == "none\n" then return end
    for _ = 1, 3 do assert.equal("none\n", measure()) end
  end)
end)
