-- The default allocator in a program without Lua.

-- tags: once

local host_program = require "spec.support.host_program"

-- AddressSanitizer ends the program instead of refusing memory. Only Linux limits the memory of data, and emulators do
-- not.
local refuses = os.getenv "CUTTLE_SANITIZER" ~= "1" and not os.getenv "CUTTLE_RUN" and io.open "/proc/self/statm" ~= nil

describe("the default allocator", function()
  it("resizes blocks of all sizes, and keeps them if memory runs out", function()
    local output = host_program.output("spec/hosts/large_blocks.c", refuses and "refuse" or nil)
    assert.equal([[
resized: all 1, 0 words changed, 0 blocks unaligned
]] .. (refuses and ("refused: 5, 0 words changed\n"):rep(2) or ""), output)
  end)
end)
