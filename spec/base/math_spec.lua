-- Matrix products in every SIMD width, computed by a small C program and compared.

-- tags: once

local rounds = require "spec.support.rounds"
local seed = require "spec.support.seed"

local PROGRAM = [[
#include "base/math.h"
#include "base/hash.h"
#include "base/wide.h"

#include <stdio.h>
#include <stdlib.h>

static ct_random source;

// One number in eight is a special value: zeros, infinities, NaNs with a payload, subnormal numbers, and numbers so
// large that they overflow.
static float number(void) {
    static const uint32_t special[] = {0x00000000u, 0x80000000u, 0x7F800000u, 0xFF800000u, 0x7FC00000u, 0xFFF00001u,
                                       0x7F800001u, 0x00000001u, 0x807FFFFFu, 0x7F7FFFFFu, 0xFF7FFFFFu, 0x00800000u};
    uint32_t bits = ct_random_next(&source);
    float x;
    if (bits % 8 == 0)
        bits = special[ct_random_below(&source, 12)];
    else
        bits = (bits & 0x80FFFFFFu) | (0x38u + bits % 15) << 24; // from about 10^-5 to about 10^3
    memcpy(&x, &bits, 4);
    return x;
}

static uint64_t hash = 14695981039346656037u;

static void add(const float *m) {
    for (int i = 0; i < 16; ++i) {
        uint32_t bits;
        memcpy(&bits, m + i, 4);
        hash = (hash ^ bits) * 1099511628211u;
    }
}

static void matrix(float *m, int plain) {
    for (int i = 0; i < 16; ++i) {
        do {
            m[i] = i % 4 == 3 ? (float)(i == 15) : number();
        } while (plain && !(m[i] - m[i] == 0));
    }
}

#ifdef CT_HAS_WIDE
CT_WIDE static void wide(const float *a, const float *b, float *out) {
    ct_wide_columns left = ct_wide_load(a);
    ct_wide_product(&left, b, b + 12, out);
}
#endif

int main(int argc, char **argv) {
    int eight = 0, count = argc > 2 ? atoi(argv[2]) : 0;
    ct_random_seed(&source, argc > 1 ? strtoul(argv[1], NULL, 10) : 0);
#ifdef CT_HAS_WIDE
    eight = argc > 3 && ct_wide_is_supported();
#endif
    for (int i = 0; i < count; ++i) {
        float a[16], b[16], c[16], d[16];
        matrix(a, i % 2);
        matrix(b, i % 2);
        if (eight) {
#ifdef CT_HAS_WIDE
            wide(a, b, c);
            wide(c, b, d);
            wide(a, b, b);
#endif
        } else {
            ct_mat4_columns left = ct_mat4_load(a), next;
            next = ct_mat4_product_loaded(&left, b, c);
            ct_mat4_product_loaded(&next, b, d);
            ct_mat4_product(a, b, b);
        }
        add(c);
        add(d);
        add(b);
    }
    printf("%08x%08x\n", (unsigned)(hash >> 32), (unsigned)hash);
    return 0;
}
]]

local function output_of(command)
  local path = os.tmpname()
  local status = os.execute(("(%s) >%s 2>&1 </dev/null"):format(command, path))
  local file = assert(io.open(path, "rb"))
  local text = file:read "*a"
  file:close()
  os.remove(path)
  return text, status == 0 or status == true
end

-- The program is built without the sanitizer's runtime, so it is not run under sanitizers.
if os.getenv "CUTTLE_SANITIZER" ~= "1" then
  describe("matrix products, seed " .. seed, function()
    local folder

    setup(function()
      folder = os.tmpname()
      os.remove(folder)
      assert(select(2, output_of("mkdir " .. folder)))
      local file = assert(io.open(folder .. "/products.c", "wb"))
      assert(file:write(PROGRAM))
      assert(file:close())
    end)

    teardown(function() output_of("rm -rf " .. folder) end)

    -- The flags of the Makefile.
    local FLAGS = "-std=c99 -ffp-contract=off $(tools/float.sh)"
    local programs = {}

    local function program(flags)
      local path = folder .. "/products" .. flags:gsub("%W", "")
      if not programs[path] then
        local text, built = output_of(("${CC:-cc} %s %s -Isrc %s/products.c src/base/math.c -lm -o %s"):format(FLAGS,
          flags, folder, path))
        assert.is_true(built, text)
        programs[path] = true
      end
      return path
    end

    -- The output of a build for that many random products, by default from the seed of the spec. With `wide`, it uses
    -- eight lanes if this processor has them.
    local function hash_of(flags, wide, number, count)
      return (output_of(("$CUTTLE_RUN %s %d %d %s"):format(program(flags), number or seed % 2 ^ 31,
        count or rounds(200000, 20000), wide and "wide" or "")))
    end

    it("have the same bits in plain C, with four lanes and with eight", function()
      local plain = hash_of "-O1 -DCT_NO_LANES"
      assert.matches("^%x+\n$", plain)
      assert.are.equal(plain, hash_of "-O3")
      assert.are.equal(plain, hash_of("-O3", true))
    end)

    it("have the same bits on every machine", function()
      assert.are.equal("96729d01d4a00fba\n", hash_of("-O3", false, 7, 200000))
    end)

    it("use no vector types on 32-bit ARM, whose vector unit flushes subnormal numbers", function()
      local count = 0
      for path in output_of("grep -rl vector_size src"):gmatch "%S+" do
        local text, preprocessed = output_of(("${CC:-cc} %s -D__arm__ -Isrc -E -x c %s"):format(FLAGS, path))
        assert.is_true(preprocessed, text)
        assert.is_nil(text:find("vector_size", 1, true), path)
        count = count + 1
      end
      assert.is_true(count > 1)
    end)

    it("have the same bits without optimization", function()
      assert.are.equal(hash_of "-O3", hash_of "-O0")
    end)
  end)
end
