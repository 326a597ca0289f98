// Mode of floating-point calculations, and elementary functions for one number.
#include "base/functions.h"

#if defined(__SSE2__) || defined(_M_X64)
#include <xmmintrin.h>
#endif

#if defined(__SSE2__) || defined(_M_X64)
// All exceptions masked, rounding to nearest, subnormal numbers are exact.
enum { PLAIN_MODE = 0x1F80 };
#define RAISED_FLAGS 0x3Fu

static uint64_t read_mode(void) { return _mm_getcsr(); }
static void write_mode(uint64_t mode) { _mm_setcsr((unsigned int)mode); }
#elif defined(__aarch64__) && defined(__GNUC__)
enum { PLAIN_MODE = 0 };
#define RAISED_FLAGS 0u

static uint64_t read_mode(void) {
    uint64_t mode;
    __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
    return mode;
}
static void write_mode(uint64_t mode) { __asm__ volatile("msr fpcr, %0" : : "r"(mode)); }
#elif defined(__arm__) && defined(__ARM_FP) && defined(__GNUC__)
enum { PLAIN_MODE = 0 };
#define RAISED_FLAGS 0xF000009Fu

static uint64_t read_mode(void) {
    uint32_t mode;
    __asm__ volatile("vmrs %0, fpscr" : "=r"(mode));
    return mode;
}
static void write_mode(uint64_t mode) {
    __asm__ volatile("vmsr fpscr, %0" : : "r"((uint32_t)mode));
}
#else
// Other processors are expected in this mode; WebAssembly has no other.
enum { PLAIN_MODE = 0 };
#define RAISED_FLAGS 0u

static uint64_t read_mode(void) { return PLAIN_MODE; }
static void write_mode(uint64_t mode) { (void)mode; }
#endif

// Writing the mode takes as long as several operations of a formula, and few hosts change it.
static bool is_plain(ct_float_mode mode) {
    return (mode.host & ~(uint64_t)RAISED_FLAGS) == PLAIN_MODE;
}

ct_float_mode ct_float_mode_begin(void) {
    ct_float_mode mode = {read_mode()};
    if (CT_UNLIKELY(!is_plain(mode))) write_mode(PLAIN_MODE);
    return mode;
}

void ct_float_mode_end(ct_float_mode mode) {
    if (CT_UNLIKELY(!is_plain(mode))) write_mode(mode.host);
}

static double sine(double x, double y) {
    (void)y;
    return ct_sin(x);
}
static double cosine(double x, double y) {
    (void)y;
    return ct_cos(x);
}
static double exponential(double x, double y) {
    (void)y;
    return ct_exp(x);
}
static double logarithm(double x, double y) {
    (void)y;
    return ct_log(x);
}
static double direction(double y, double x) { return ct_atan2(y, x); }

double ct_function_value(ct_function function, double x, double y) {
    // Called through a table, so that no compiler moves the calculation out of the mode.
    static double (*const functions[])(double, double) = {[CT_FUNCTION_SIN] = sine,
                                                          [CT_FUNCTION_COS] = cosine,
                                                          [CT_FUNCTION_ATAN2] = direction,
                                                          [CT_FUNCTION_EXP] = exponential,
                                                          [CT_FUNCTION_LOG] = logarithm};
    ct_float_mode mode = ct_float_mode_begin();
    double value = functions[function](x, y);
    ct_float_mode_end(mode);
    return ct_double_clean(value);
}
