-- Runs in arrays of numbers, in a small C program: every length of the array, and every length of the run.

-- tags: once unix

local file = require "spec.support.file"
local host_program = require "spec.support.host_program"

local PROGRAM = [[
#include "base/runs.h"

#include <stdio.h>

enum { MOST = 70 };

int main(void) {
    unsigned char bytes[MOST * 4 + 1];
    for (uint32_t count = 1; count <= MOST; ++count)
        for (uint32_t end = 1; end <= count; ++end)
            for (uint32_t step = 0; step <= 1; ++step)
                for (uint32_t odd = 0; odd <= 1; ++odd) { // also at unaligned addresses, and across 2^32
                    uint32_t start = odd ? 0xFFFFFFF0u : 7;
                    for (uint32_t i = 0; i < count; ++i) {
                        uint32_t number = start + i * step + (i >= end);
                        memcpy(bytes + odd + i * 4, &number, 4);
                    }
                    uint32_t run = ct_u32_run(bytes + odd, count, step);
                    if (run != end) printf("%u of %u in steps of %u: %u\n", end, count, step, run);
                }
    printf("done\n");
    return 0;
}
]]

describe("a run of numbers", function()
  it("ends before the first number that does not follow", function()
    local source = os.tmpname() .. ".c"
    file.write(source, PROGRAM)
    local program = host_program.compile(source, "-lm")
    os.remove(source)
    local _, output = host_program.run(program)
    os.remove(program)
    assert.equal("done\n", output)
  end)
end)
