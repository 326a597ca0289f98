// Operations on arrays of doubles: in portable C, and with the instructions of AVX2.
#include "base/lanes.h"

#include "base/lanes_x86.h"

#include <math.h>

// Items do not depend on each other: 'to' is an operand or a different array.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed" // builds without optimization use no vectors
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__) && defined(__OPTIMIZE__) &&                                                \
    (defined(__x86_64__) || defined(__i386__) || defined(__aarch64__))
#define INDEPENDENT _Pragma("GCC ivdep") // gcc warns where it uses no vectors
#else
#define INDEPENDENT
#endif

#define PLAIN

// Both operands are computed, so that the loop needs no branch.
static inline double pick(bool condition, double yes, double no) { return condition ? yes : no; }
static inline double truth(bool condition) { return condition ? 1.0 : 0.0; }

static inline double quiet(double x) {
    return x == x ? x : ct_double_of(0x7FF8000000000000u); // NOLINT(misc-redundant-expression)
}

static inline double rounded(double x) { return quiet((float)x); }

// ---------------------------------------------------------------- loops

#define KERNEL(NAME, KIND, EXPRESSION)                                                             \
    KIND static void NAME(uint32_t count, double *to, const double *a, const double *b,            \
                          const double *c) {                                                       \
        (void)b;                                                                                   \
        (void)c;                                                                                   \
        INDEPENDENT                                                                                \
        for (uint32_t i = 0; i < count; ++i)                                                       \
            to[i] = (EXPRESSION);                                                                  \
    }

// All operations, in the order of the enum.
#define OPERATIONS(DO, SET, KIND)                                                                  \
    DO(neg##SET, KIND, -a[i])                                                                      \
    DO(not ##SET, KIND, truth(a[i] == 0))                                                          \
    DO(abs##SET, KIND, ct_fabs(a[i]))                                                              \
    DO(sign##SET, KIND, pick(a[i] > 0, 1, pick(a[i] < 0, -1, a[i])))                               \
    DO(floor##SET, KIND, ct_floor(a[i]))                                                           \
    DO(ceil##SET, KIND, -ct_floor(-a[i]))                                                          \
    DO(sqrt##SET, KIND, sqrt(a[i]))                                                                \
    DO(sin##SET, KIND, ct_sin(a[i]))                                                               \
    DO(cos##SET, KIND, ct_cos(a[i]))                                                               \
    DO(exp##SET, KIND, ct_exp(a[i]))                                                               \
    DO(log##SET, KIND, ct_log(a[i]))                                                               \
    DO(round##SET, KIND, rounded(a[i]))                                                            \
    DO(add##SET, KIND, a[i] + b[i])                                                                \
    DO(sub##SET, KIND, a[i] - b[i])                                                                \
    DO(mul##SET, KIND, a[i] * b[i])                                                                \
    DO(div##SET, KIND, a[i] / b[i])                                                                \
    DO(mod##SET, KIND, a[i] - ct_floor(a[i] / b[i]) * b[i])                                        \
    DO(min##SET, KIND, pick(b[i] < a[i], b[i], a[i]))                                              \
    DO(max##SET, KIND, pick(b[i] > a[i], b[i], a[i]))                                              \
    DO(atan2##SET, KIND, ct_atan2(a[i], b[i]))                                                     \
    DO(eq##SET, KIND, truth(a[i] == b[i]))                                                         \
    DO(ne##SET, KIND, truth(a[i] != b[i]))                                                         \
    DO(lt##SET, KIND, truth(a[i] < b[i]))                                                          \
    DO(le##SET, KIND, truth(a[i] <= b[i]))                                                         \
    DO(and##SET, KIND, truth((a[i] != 0) & (b[i] != 0)))                                           \
    DO(or ##SET, KIND, truth((a[i] != 0) | (b[i] != 0)))                                           \
    DO(select##SET, KIND, pick(a[i] != 0, b[i], c[i]))

// Vectors of N floats: each lane is an array of doubles.
#define COLUMNS(N, SET, KIND)                                                                      \
    KIND static void split_##N##SET(uint32_t count, double *to, size_t pitch, const float *from) { \
        INDEPENDENT                                                                                \
        for (uint32_t i = 0; i < count; ++i)                                                       \
            for (uint32_t k = 0; k < (N); ++k)                                                     \
                to[k * pitch + i] = from[(size_t)i * (N) + k];                                     \
    }                                                                                              \
    /* NOLINTNEXTLINE(bugprone-macro-parentheses) */                                               \
    KIND static bool join_##N##SET(uint32_t count, const double *from, size_t pitch, float *to) {  \
        uint32_t has_nan = 0;                                                                      \
        INDEPENDENT                                                                                \
        for (uint32_t i = 0; i < count; ++i) {                                                     \
            for (uint32_t k = 0; k < (N); ++k) {                                                   \
                float item = (float)from[k * pitch + i];                                           \
                has_nan |= item != item; /* NOLINT(misc-redundant-expression) */                   \
                to[(size_t)i * (N) + k] = item;                                                    \
            }                                                                                      \
        }                                                                                          \
        return has_nan != 0;                                                                       \
    }

#define STORE(NAME, TYPE, CLEAN, KIND)                                                             \
    KIND static void NAME(uint32_t count, const double *from, const double *mask, void *items) {   \
        TYPE *to = items; /* NOLINT(bugprone-macro-parentheses) */                                 \
        INDEPENDENT                                                                                \
        for (uint32_t i = 0; mask == NULL && i < count; ++i)                                       \
            to[i] = CLEAN(from[i]);                                                                \
        INDEPENDENT                                                                                \
        for (uint32_t i = 0; mask != NULL && i < count; ++i)                                       \
            to[i] = mask[i] != 0 ? CLEAN(from[i]) : to[i];                                         \
    }

// The sum is as wide as the numbers, so that compilers vectorize the loop.
#define COUNT(NAME, KIND)                                                                          \
    KIND static uint32_t NAME(uint32_t count, const double *mask) {                                \
        uint64_t found = 0;                                                                        \
        for (uint32_t i = 0; i < count; ++i)                                                       \
            found += mask[i] != 0;                                                                 \
        return (uint32_t)found;                                                                    \
    }

// The functions of lanes_x86.h convert most vectors, and the loops above convert the rest.
#define SHUFFLED(N, SET, KIND)                                                                     \
    KIND static void shuffled_split_##N##_##SET(uint32_t count, double *to, size_t pitch,          \
                                                const float *from) {                               \
        uint32_t done = ct_split_##N##_##SET(count, to, pitch, from);                              \
        split_##N##_plain(count - done, to + done, pitch, from + (size_t)done * (N));              \
    }                                                                                              \
    /* NOLINTNEXTLINE(bugprone-macro-parentheses) */                                               \
    KIND static bool shuffled_join_##N##_##SET(uint32_t count, const double *from, size_t pitch,   \
                                               float *to) {                                        \
        bool has_nan;                                                                              \
        uint32_t done = ct_join_##N##_##SET(count, from, pitch, to, &has_nan);                     \
        return join_##N##_plain(count - done, from + done, pitch, to + (size_t)done * (N)) ||      \
               has_nan;                                                                            \
    }

#define NAMED(NAME, KIND, EXPRESSION) NAME,

#define LOOPS(SET, KIND)                                                                           \
    OPERATIONS(KERNEL, SET, KIND)                                                                  \
    COLUMNS(1, SET, KIND)                                                                          \
    COLUMNS(2, SET, KIND)                                                                          \
    COLUMNS(4, SET, KIND)                                                                          \
    STORE(store_floats##SET, float, (float)rounded, KIND)                                          \
    STORE(store_doubles##SET, double, quiet, KIND)                                                 \
    COUNT(count_true##SET, KIND)

LOOPS(_plain, PLAIN)
COLUMNS(3, _plain, PLAIN)

#if defined(CT_HAS_X86_LANES)
SHUFFLED(3, sse2, PLAIN)
SHUFFLED(3, avx2, CT_AVX2)
LOOPS(_avx2, CT_AVX2)

static const ct_lane_loops lanes_avx2 = {
    {OPERATIONS(NAMED, _avx2, CT_AVX2)},
    {NULL, split_1_avx2, split_2_avx2, shuffled_split_3_avx2, split_4_avx2},
    {NULL, join_1_avx2, join_2_avx2, shuffled_join_3_avx2, join_4_avx2},
    store_floats_avx2,
    store_doubles_avx2,
    count_true_avx2};

#define SPLIT_3 shuffled_split_3_sse2
#define JOIN_3 shuffled_join_3_sse2
#else
#define SPLIT_3 split_3_plain
#define JOIN_3 join_3_plain
#endif

static const ct_lane_loops lanes_plain = {
    {OPERATIONS(NAMED, _plain, PLAIN)},
    {NULL, split_1_plain, split_2_plain, SPLIT_3, split_4_plain},
    {NULL, join_1_plain, join_2_plain, JOIN_3, join_4_plain},
    store_floats_plain,
    store_doubles_plain,
    count_true_plain};

// ---------------------------------------------------------------- choice

uint32_t ct_lane_operands(ct_lane_operation operation) {
    if (operation == CT_LANE_SELECT) return 3;
    return operation >= CT_LANE_ADD ? 2 : 1;
}

const ct_lane_loops *ct_lane_loops_plain(void) { return &lanes_plain; }

const ct_lane_loops *ct_lane_loops_best(void) {
#if defined(CT_HAS_X86_LANES)
    if (__builtin_cpu_supports("avx2") != 0) return &lanes_avx2;
#endif
    return &lanes_plain;
}
