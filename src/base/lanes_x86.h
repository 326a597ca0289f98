// Splitting and joining vectors of floats with the instructions of x86; compilers find worse code.
// For base/lanes.c.
#ifndef CT_LANES_X86_H
#define CT_LANES_X86_H

#include "base/base.h"

// As in base/wide.h: not with gcc on Windows, which does not align AVX registers on the stack.
#if defined(__GNUC__) && !defined(CT_NO_LANES) && defined(__SSE2__) &&                             \
    (defined(__clang__) || !defined(_WIN32))
#define CT_HAS_X86_LANES 1

#include <immintrin.h>

#define CT_AVX2 __attribute__((target("avx2")))

/// Each of these functions converts the first vectors of an array, a multiple of two or four, and
/// returns their number. *has_nan is set if a float may be NaN.
static inline uint32_t ct_split_3_sse2(uint32_t count, double *to, size_t pitch,
                                       const float *from) {
    uint32_t i = 0;
    for (; i + 2 <= count; i += 2, from += 6) {
        __m128d xy = _mm_cvtps_pd(_mm_castpd_ps(_mm_load_sd((const double *)(const void *)from)));
        __m128d zx =
            _mm_cvtps_pd(_mm_castpd_ps(_mm_load_sd((const double *)(const void *)(from + 2))));
        __m128d yz =
            _mm_cvtps_pd(_mm_castpd_ps(_mm_load_sd((const double *)(const void *)(from + 4))));
        _mm_storeu_pd(to + i, _mm_shuffle_pd(xy, zx, 2));
        _mm_storeu_pd(to + pitch + i, _mm_shuffle_pd(xy, yz, 1));
        _mm_storeu_pd(to + 2 * pitch + i, _mm_shuffle_pd(zx, yz, 2));
    }
    return i;
}

static inline uint32_t ct_join_3_sse2(uint32_t count, const double *from, size_t pitch, float *to,
                                      bool *has_nan) {
    uint32_t i = 0;
    __m128d any = _mm_setzero_pd();
    for (; i + 2 <= count; i += 2, to += 6) {
        __m128d x = _mm_loadu_pd(from + i), y = _mm_loadu_pd(from + pitch + i);
        __m128d z = _mm_loadu_pd(from + 2 * pitch + i);
        any = _mm_or_pd(any, _mm_or_pd(_mm_cmpunord_pd(x, y), _mm_cmpunord_pd(z, z)));
        __m128 xy = _mm_cvtpd_ps(_mm_unpacklo_pd(x, y)), zx = _mm_cvtpd_ps(_mm_shuffle_pd(z, x, 2));
        __m128 yz = _mm_cvtpd_ps(_mm_unpackhi_pd(y, z));
        _mm_storeu_ps(to, _mm_movelh_ps(xy, zx));
        _mm_storel_pi((__m64 *)(void *)(to + 4), yz);
    }
    *has_nan = _mm_movemask_pd(any) != 0;
    return i;
}

CT_AVX2 static inline uint32_t ct_split_3_avx2(uint32_t count, double *to, size_t pitch,
                                               const float *from) {
    uint32_t i = 0;
    for (; i + 4 <= count; i += 4, from += 12) {
        __m256d a = _mm256_cvtps_pd(_mm_loadu_ps(from));             // x0 y0 z0 x1
        __m256d b = _mm256_cvtps_pd(_mm_loadu_ps(from + 4));         // y1 z1 x2 y2
        __m256d c = _mm256_cvtps_pd(_mm_loadu_ps(from + 8));         // z2 x3 y3 z3
        __m256d x = _mm256_blend_pd(_mm256_blend_pd(a, b, 4), c, 2); // x0 x3 x2 x1
        __m256d y = _mm256_blend_pd(_mm256_blend_pd(b, a, 2), c, 4); // y1 y0 y3 y2
        __m256d z = _mm256_blend_pd(_mm256_blend_pd(c, b, 2), a, 4); // z2 z1 z0 z3
        _mm256_storeu_pd(to + i, _mm256_permute4x64_pd(x, 0x6C));
        _mm256_storeu_pd(to + pitch + i, _mm256_permute_pd(y, 5));
        _mm256_storeu_pd(to + 2 * pitch + i, _mm256_permute4x64_pd(z, 0xC6));
    }
    return i;
}

CT_AVX2 static inline uint32_t ct_join_3_avx2(uint32_t count, const double *from, size_t pitch,
                                              float *to, bool *has_nan) {
    uint32_t i = 0;
    __m256d any = _mm256_setzero_pd();
    for (; i + 4 <= count; i += 4, to += 12) {
        __m256d x = _mm256_loadu_pd(from + i), y = _mm256_loadu_pd(from + pitch + i);
        __m256d z = _mm256_loadu_pd(from + 2 * pitch + i);
        any = _mm256_or_pd(any, _mm256_or_pd(_mm256_cmp_pd(x, y, _CMP_UNORD_Q),
                                             _mm256_cmp_pd(z, z, _CMP_UNORD_Q)));
        x = _mm256_permute4x64_pd(x, 0x6C); // x0 x3 x2 x1
        y = _mm256_permute_pd(y, 5);        // y1 y0 y3 y2
        z = _mm256_permute4x64_pd(z, 0xC6); // z2 z1 z0 z3
        __m256d a = _mm256_blend_pd(_mm256_blend_pd(x, y, 2), z, 4);
        __m256d b = _mm256_blend_pd(_mm256_blend_pd(y, z, 2), x, 4);
        __m256d c = _mm256_blend_pd(_mm256_blend_pd(z, x, 2), y, 4);
        _mm_storeu_ps(to, _mm256_cvtpd_ps(a));
        _mm_storeu_ps(to + 4, _mm256_cvtpd_ps(b));
        _mm_storeu_ps(to + 8, _mm256_cvtpd_ps(c));
    }
    *has_nan = _mm256_movemask_pd(any) != 0;
    return i;
}
#endif

#endif
