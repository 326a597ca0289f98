// Matrix products with registers of eight floats (AVX).
#ifndef CT_WIDE_H
#define CT_WIDE_H

#include "base/math.h"

// The support is tested at run time: one build runs on all processors, with the same bits. Each
// half of a register does the work of the four lanes of base/math.h, for one column. Not with gcc
// on Windows, which does not align such registers on the stack.
#if defined(CT_HAS_LANES) && (defined(__x86_64__) || defined(__i386__)) &&                         \
    (defined(__clang__) || !defined(_WIN32))
#define CT_HAS_WIDE 1

#include <immintrin.h>

/// Attribute of every function that uses the functions below.
#define CT_WIDE __attribute__((target("avx")))

/// Returns whether the processor and the operating system support such functions.
static inline bool ct_wide_is_supported(void) { return __builtin_cpu_supports("avx") != 0; }

/// Left operand of products: each axis twice, and the position after negative zeros, which do not
/// change a sum.
typedef struct ct_wide_columns {
    __m256 axis[3], position;
} ct_wide_columns;

CT_WIDE static inline ct_wide_columns ct_wide_load(const float *m) {
    ct_wide_columns a;
    for (int j = 0; j < 3; ++j)
        a.axis[j] = _mm256_broadcast_ps((const __m128 *)(const void *)(m + 4 * j));
    a.position = _mm256_insertf128_ps(_mm256_set1_ps(-0.0f), _mm_loadu_ps(m + 12), 1);
    return a;
}

/// Computes out = a x b, with the same bits as ct_mat4_product_parts, and returns it as the left
/// operand of further products. Reads four numbers from 'p' and ignores the fourth.
CT_WIDE static inline ct_wide_columns ct_wide_product(const ct_wide_columns *a, const float *b,
                                                      const float *p, float *out) {
    const __m256 zero = _mm256_setzero_ps(), last = _mm256_setr_ps(0, 0, 0, 0, 0, 0, 0, 1);
    __m256 b01 = _mm256_loadu_ps(b);
    __m256 b23 = _mm256_set_m128(_mm_loadu_ps(p), _mm_loadu_ps(b + 8));
    __m256 x01 = _mm256_mul_ps(a->axis[0], _mm256_permute_ps(b01, 0x00));
    __m256 x23 = _mm256_mul_ps(a->axis[0], _mm256_permute_ps(b23, 0x00));
    __m256 y01 = _mm256_mul_ps(a->axis[1], _mm256_permute_ps(b01, 0x55));
    __m256 y23 = _mm256_mul_ps(a->axis[1], _mm256_permute_ps(b23, 0x55));
    __m256 z01 = _mm256_mul_ps(a->axis[2], _mm256_permute_ps(b01, 0xAA));
    __m256 z23 = _mm256_mul_ps(a->axis[2], _mm256_permute_ps(b23, 0xAA));
    z23 = _mm256_add_ps(z23, a->position);
    __m256 r01 = _mm256_add_ps(_mm256_add_ps(x01, y01), z01);
    __m256 r23 = _mm256_add_ps(_mm256_add_ps(x23, y23), z23);
    // 0 times infinity would give NaN in the last row: it is written, not computed.
    __m256 c01 = _mm256_blend_ps(r01, zero, 0x88), c23 = _mm256_blend_ps(r23, last, 0x88);
    _mm256_storeu_ps(out, c01);
    _mm256_storeu_ps(out + 8, c23);
    // A NaN in any column makes the sum NaN. Two infinities may do so too, which is harmless.
    __m256 sum = _mm256_add_ps(c01, c23);
    if (CT_UNLIKELY(_mm256_movemask_ps(_mm256_cmp_ps(sum, sum, _CMP_UNORD_Q)) != 0)) {
        ct_floats_clean(out, 16);
        return ct_wide_load(out);
    }
    return (ct_wide_columns){{_mm256_permute2f128_ps(r01, r01, 0x00),
                              _mm256_permute2f128_ps(r01, r01, 0x11),
                              _mm256_permute2f128_ps(r23, r23, 0x00)},
                             _mm256_blend_ps(_mm256_set1_ps(-0.0f), r23, 0xF0)};
}
#endif

#endif
