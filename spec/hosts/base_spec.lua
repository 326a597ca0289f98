-- The base layer in a program without Lua.

-- tags: once

local host_program = require "spec.support.host_program"

describe("a program without Lua", function()
  it("uses the base layer: memory, arenas, callbacks, hashes, messages, tables and writers", function()
    local output = host_program.output("spec/hosts/base.c")
    assert.equal([[
size: 1 17, overflow: 0 17, array: ok, no memory, same 1, trimmed to 3, then destroyed; 0 blocks
arena: first piece without memory 1, 0 unaligned, 0 changed, refused 1; 0 blocks
callbacks: 60 of 60, 0 wrong, 31 after a walk, the new one at 10, 0 wrong, 0 left; 0 blocks
table: refused 1, 500 left, 0 missing, 0 extra, then 0; 0 blocks
hashes: crc CBF43926, in parts 1, fnv BB86B11C, texts differ by seed 1, spread 1
message: 0 '4294967295 of them, 100%', 'abcd', truncated 1
]], output:match "^.-truncated %d\n")
    assert.equal([[
writer: 04 03 02 01 02 00 00 00 68 69 00 00 00 00 00 00 02 01 04 03, failed 1, no memory, 20 bytes
writer: 01 02 03 04 00 00 00 02 68 69 00 00 00 00 00 00 01 02 03 04, failed 1, no memory, 20 bytes
clock: forward 1; 0 blocks
]], output:match "\n(writer.*)$")
  end)
end)
