-- Loops over lanes: the instruction sets give the same bits, in a small C program.

-- tags: once unix

local file = require "spec.support.file"
local host_program = require "spec.support.host_program"
local rounds = require "spec.support.rounds"
local seed = require "spec.support.seed"

local PROGRAM = [[
#include "base/hash.h"
#include "base/lanes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNT 203

static ct_random source;

static double number(void) {
    static const double special[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1, -1, 0.5, -0.5, 5e-324, 1e308, -1e308,
                                     4503599627370495.5, -4503599627370496.0, 9007199254740993.0, 1e-310};
    uint32_t bits = ct_random_next(&source);
    if (bits % 4 == 0) return special[ct_random_below(&source, 16)];
    return ((double)ct_random_next(&source) / 4294967296.0 - 0.5) * ldexp(1, (int)(bits / 4 % 40) - 10);
}

// Comparison of bits, in which all NaNs are equal.
static int differs(double a, double b) {
    return (a == a || b == b) && memcmp(&a, &b, sizeof a) != 0;
}

// The definitions, one number at a time.
static double defined(int operation, double a, double b, double c) {
    switch (operation) {
    case CT_LANE_NEG: return -a;
    case CT_LANE_NOT: return a == 0;
    case CT_LANE_ABS: return fabs(a);
    case CT_LANE_SIGN: return a > 0 ? 1 : a < 0 ? -1 : a;
    case CT_LANE_FLOOR: return floor(a);
    case CT_LANE_CEIL: return ceil(a);
    case CT_LANE_SQRT: return sqrt(a);
    case CT_LANE_SIN: return ct_sin(a);
    case CT_LANE_COS: return ct_cos(a);
    case CT_LANE_EXP: return ct_exp(a);
    case CT_LANE_LOG: return ct_log(a);
    case CT_LANE_ROUND: return (double)(float)a;
    case CT_LANE_ADD: return a + b;
    case CT_LANE_SUB: return a - b;
    case CT_LANE_MUL: return a * b;
    case CT_LANE_DIV: return a / b;
    case CT_LANE_MOD: return a - floor(a / b) * b;
    case CT_LANE_MIN: return b < a ? b : a;
    case CT_LANE_MAX: return b > a ? b : a;
    case CT_LANE_ATAN2: return ct_atan2(a, b);
    case CT_LANE_EQ: return a == b;
    case CT_LANE_NE: return a != b;
    case CT_LANE_LT: return a < b;
    case CT_LANE_LE: return a <= b;
    case CT_LANE_AND: return a != 0 && b != 0;
    case CT_LANE_OR: return a != 0 || b != 0;
    default: return a != 0 ? b : c;
    }
}

static bool is_quiet(double x) { return x == x || ct_double_bits(x) == 0x7FF8000000000000u; }

// With and without a mask, for a number of items that is no multiple of a vector.
static void compare_stores(const ct_lane_loops *loops) {
    static double from[COUNT], mask[COUNT], doubles[COUNT];
    static float floats[COUNT];
    uint32_t most = COUNT - 3, found = 0;
    for (uint32_t i = 0; i < COUNT; ++i) {
        from[i] = number();
        mask[i] = i % 3 == 0 ? 0 : number();
        found += i < most && mask[i] != 0;
    }
    if (loops->count_true(most, mask) != found) printf("count of %u\n", found);
    for (int masked = 0; masked < 2; ++masked) {
        for (uint32_t i = 0; i < COUNT; ++i)
            floats[i] = (float)(doubles[i] = -7);
        loops->store_floats(most, from, masked ? mask : NULL, floats);
        loops->store_doubles(most, from, masked ? mask : NULL, doubles);
        for (uint32_t i = 0; i < COUNT; ++i) {
            bool stored = i < most && (!masked || mask[i] != 0);
            if (differs(floats[i], stored ? (float)from[i] : -7)) printf("float %a of %a\n", floats[i], from[i]);
            if (differs(doubles[i], stored ? from[i] : -7)) printf("double %a of %a\n", doubles[i], from[i]);
            if (!is_quiet(doubles[i]) || !is_quiet(floats[i])) printf("NaN of other bits\n");
        }
    }
}

static void compare(const ct_lane_loops *loops) {
    static double a[COUNT], b[COUNT], c[COUNT], to[COUNT], lanes[4 * COUNT];
    static float vectors[4 * COUNT], again[4 * COUNT];
    for (int i = 0; i < COUNT; ++i) {
        a[i] = number();
        b[i] = number();
        c[i] = number();
    }
    for (int operation = 0; operation < CT_LANE_COUNT; ++operation) {
        loops->operations[operation](COUNT, to, a, b, c);
        for (int i = 0; i < COUNT; ++i)
            if (differs(to[i], defined(operation, a[i], b[i], c[i])))
                printf("operation %d of %a, %a, %a is %a\n", operation, a[i], b[i], c[i], to[i]);
        memcpy(to, a, sizeof a);
        loops->operations[operation](COUNT, to, to, b, c);
        for (int i = 0; i < COUNT; ++i)
            if (differs(to[i], defined(operation, a[i], b[i], c[i]))) printf("operation %d in place\n", operation);
    }
    for (uint32_t n = 1; n <= 4; ++n) {
        bool nan = false;
        for (uint32_t i = 0; i < COUNT * n; ++i) {
            vectors[i] = (float)number();
            nan = nan || vectors[i] != vectors[i];
        }
        for (uint32_t count = COUNT - 9; count <= COUNT; ++count) {
            loops->split[n](count, lanes, COUNT, vectors);
            for (uint32_t i = 0; i < count * n; ++i)
                if (differs(lanes[i % n * COUNT + i / n], vectors[i])) printf("split %u\n", n);
            memset(again, 0, sizeof again);
            if (!loops->join[n](count, lanes, COUNT, again) && count == COUNT && nan) printf("no nan %u\n", n);
            for (uint32_t i = 0; i < 4 * COUNT; ++i)
                if (differs(again[i], i < count * n ? vectors[i] : 0)) printf("join %u\n", n);
        }
    }
}

int main(int argc, char **argv) {
    ct_random_seed(&source, argc > 1 ? strtoul(argv[1], NULL, 10) : 0);
    for (int i = 0; i < (argc > 2 ? atoi(argv[2]) : 0); ++i) {
        compare(ct_lane_loops_plain());
        compare(ct_lane_loops_best());
        compare_stores(ct_lane_loops_plain());
        compare_stores(ct_lane_loops_best());
    }
    printf("done\n");
    return 0;
}
]]

describe("loops over lanes, seed " .. seed .. ",", function()
  local source

  setup(function()
    source = os.tmpname() .. ".c"
    file.write(source, PROGRAM)
  end)
  teardown(function() os.remove(source) end)

  local function run(program)
    local _, output = host_program.run(("%s %d %d"):format(program, seed % 2 ^ 31, rounds(300, 30)))
    os.remove(program)
    return output
  end

  it("give the defined bits with every instruction set", function()
    assert.are.equal("done\n", run(host_program.compile(source, host_program.archives())))
  end)

  it("give the same bits without vectors", function()
    if not rawget(_G, "jit") then return end -- the code is the same under every interpreter
    assert.are.equal("done\n", run(host_program.compile(source, "-DCT_NO_LANES src/base/lanes.c -lm")))
  end)
end)
