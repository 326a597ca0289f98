// Status codes, assertions, sizes and the version.
#ifndef CT_BASE_H
#define CT_BASE_H

#include <float.h>

#include "cuttle.h" // ct_status, and other types and constants that plugins use too

// 16: only _Float16, which is not used here, is evaluated in a wider type (gcc for AVX-512).
#if FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 16
#error "the compiler evaluates floats in a wider type: tools/float.sh prints the flags against it"
#endif

#define CT_VERSION "1.0.0"

/// Checks for programming errors in cuttle; active in test builds only. No input from a script can
/// make an assertion false.
#if defined(CT_TEST) && CT_TEST
#include <assert.h>
#define CT_ASSERT(condition) assert(condition)
#else
#define CT_ASSERT(condition) ((void)0)
#endif

/// First capacity of growing arrays. Small in test builds, so that all specs test growth.
#if defined(CT_TEST) && CT_TEST
#define CT_FIRST_CAPACITY 4u
#else
#define CT_FIRST_CAPACITY 64u
#endif

/// CT_NEVER(value) follows a call that does not return, at the end of a function: compilers without
/// CT_NORETURN require a return value there.
#if defined(__GNUC__)
#define CT_LIKELY(x) __builtin_expect(!!(x), 1)
#define CT_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define CT_PREFETCH(address) __builtin_prefetch(address)
#define CT_PRINTF(text, first) __attribute__((format(printf, text, first)))
#define CT_NORETURN __attribute__((noreturn))
#define CT_NEVER(value) ((void)0)
#define CT_NOINLINE __attribute__((noinline))
#define CT_ALWAYS_INLINE inline __attribute__((always_inline))
#else
#define CT_LIKELY(x) (x)
#define CT_UNLIKELY(x) (x)
#define CT_PREFETCH(address) ((void)(address))
#define CT_PRINTF(text, first)
#define CT_NORETURN
#define CT_NEVER(value) return value
#define CT_NOINLINE
#define CT_ALWAYS_INLINE inline
#endif

/// Returns whether this host is big-endian.
static inline bool ct_host_is_big_endian(void) {
    const uint16_t one = 1;
    return *(const unsigned char *)&one == 0;
}

/// One line of explanation, written by checks and validation.
typedef struct ct_message {
    char text[240];
} ct_message;

#endif
