// Elementary functions in doubles, with the same bits on every host.
// Longer than 150 lines: the functions must be inlined into loops.
#ifndef CT_FUNCTIONS_H
#define CT_FUNCTIONS_H

#include "base/base.h"

#include <string.h>

CT_BEGIN_C

// Each function is a fixed sequence of additions, products, divisions and comparisons, without
// branches, so that compilers can vectorise it, and without fused products (-ffp-contract=off). The
// polynomials are Chebyshev approximations, computed with 60 digits. The results are exact to about
// 10^-15 of their value.

/// Evaluates c[0] + c[1] z + ... for a constant number of coefficients.
#define CT_POLYNOMIAL_6(c, z)                                                                      \
    ((c)[0] + (z) * ((c)[1] + (z) * ((c)[2] + (z) * ((c)[3] + (z) * ((c)[4] + (z) * (c)[5])))))

static inline uint64_t ct_double_bits(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double ct_double_of(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline double ct_fabs(double x) { return ct_double_of(ct_double_bits(x) & ~(1ULL << 63)); }

/// Returns 'x' with the sign of 'sign'.
static inline double ct_with_sign(double x, double sign) {
    return ct_double_of((ct_double_bits(x) & ~(1ULL << 63)) |
                        (ct_double_bits(sign) & (1ULL << 63)));
}

/// Returns the largest whole number that is not above 'x'; floor of the C library, without a call.
static inline double ct_floor(double x) {
    double size = ct_fabs(x);
    double whole = ct_with_sign((size + 0x1p52) - 0x1p52, x);
    whole = whole > x ? whole - 1 : whole;
    return size < 0x1p52 ? whole : x;
}

/// Returns sin(x + quarter * pi / 2).
static inline double ct_sin_shifted(double x, double quarter) {
    static const double s[6] = {-0x1.5555555555555p-3,  0x1.1111111110bb2p-7,
                                -0x1.a01a019e83816p-13, 0x1.71de379654304p-19,
                                -0x1.ae600aca92c64p-26, 0x1.5e0b05bff20f2p-33};
    static const double c[6] = {0x1.5555555555555p-5,  -0x1.6c16c16c16967p-10,
                                0x1.a01a019f4e9b4p-16, -0x1.27e4fa17bf139p-22,
                                0x1.1eeb68cd22f56p-29, -0x1.907d8f29fe831p-37};
    // x = n * pi / 2 + r. The first two parts of pi / 2 have 33 bits: their products with n are
    // exact up to 2^20. For larger numbers r is limited, so that the result is between -1 and 1.
    double n = ct_floor(x * 0x1.45f306dc9c883p-1 + 0.5);
    double r = ((x - n * 0x1.921fb544p+0) - n * 0x1.0b4611a6p-34) - n * 0x1.3198a2e037073p-69;
    r = r > 0.8 ? 0.8 : r;
    r = r < -0.8 ? -0.8 : r;
    n = n + quarter;
    double turn = n - 4 * ct_floor(n * 0.25); // 0 to 3
    double odd = turn - 2 * ct_floor(turn * 0.5);
    double z = r * r;
    double sine = r + r * z * CT_POLYNOMIAL_6(s, z);
    double cosine = (1 - 0.5 * z) + z * z * CT_POLYNOMIAL_6(c, z);
    double value = odd != 0 ? cosine : sine;
    return turn >= 2 ? -value : value;
}

/// Returns the sine of an angle in radians. Exact up to 2^20 in magnitude; beyond that a number
/// from -1 to 1 that is the same on every host. NaN for infinities.
static inline double ct_sin(double x) { return x == 0 ? x : ct_sin_shifted(x, 0); }

/// Returns the cosine of an angle in radians, with the limits of ct_sin.
static inline double ct_cos(double x) { return ct_sin_shifted(x, 1); }

/// Returns the angle of the direction x, y, from -pi to pi, with the special values of C99.
static inline double ct_atan2(double y, double x) {
    static const double a[11] = {
        -0x1.5555555555555p-2, 0x1.999999999934ap-3, -0x1.24924924360cbp-3, 0x1.c71c7185314cbp-4,
        -0x1.745d0b26b83e7p-4, 0x1.3b1262d95579ep-4, -0x1.10fa75382537fp-4, 0x1.dfe61e80903d2p-5,
        -0x1.a098bb6ba4941p-5, 0x1.41603647c7a7cp-5, -0x1.3a2b7a07caea9p-6};
    double ax = ct_fabs(x), ay = ct_fabs(y);
    double low = ay > ax ? ax : ay, high = ay > ax ? ay : ax;
    double scale = high > 0x1p1000 ? 0x1p-60 : 1; // the sum below must not overflow
    low = low * scale;
    high = high * scale;
    bool both = low > 0x1p1023; // infinite
    low = both ? 1 : low;
    high = both ? 1 : high;
    high = high > 0 ? high : 1;
    // atan(low / high) = pi / 4 + atan((low - high) / (low + high))
    bool far = low > high * 0x1.a827999fcef32p-2; // tan(pi / 8)
    double t = (far ? low - high : low) / (far ? low + high : high);
    double z = t * t;
    double p = a[6] + z * (a[7] + z * (a[8] + z * (a[9] + z * a[10])));
    p = CT_POLYNOMIAL_6(a, z) + (z * z) * (z * z) * (z * z) * p;
    double angle = t + t * z * p;
    angle = far ? 0x1.921fb54442d18p-1 + (angle + 0x1.1a62633145c07p-55) : angle;
    // Beyond 45 degrees the angle is pi / 2 minus (left: plus) this one; else, on the left, pi
    // minus it.
    bool steep = ay > ax, left = ct_with_sign(1, x) < 0;
    double upright = left ? angle + 0x1.1a62633145c07p-54 : 0x1.1a62633145c07p-54 - angle;
    double flat = left ? 0x1.921fb54442d18p+1 - (angle - 0x1.1a62633145c07p-53) : angle;
    angle = ct_with_sign(steep ? 0x1.921fb54442d18p+0 + upright : flat, y);
    double sum = x + y; // NaN if one of them is NaN; infinities of opposite signs are no NaN here
    return ax == ax && ay == ay ? angle : sum; // NOLINT(misc-redundant-expression)
}

/// Returns e^x. Overflow gives infinity, underflow a subnormal number or 0.
static inline double ct_exp(double x) {
    static const double e[10] = {
        0x1.0000000000001p-1,  0x1.5555555555556p-3,  0x1.5555555553d63p-5,  0x1.11111111109b3p-7,
        0x1.6c16c1788bd90p-10, 0x1.a01a01a7c41d5p-13, 0x1.a019b90d2ae7ap-16, 0x1.71de0dae63bb3p-19,
        0x1.289185613a3d6p-22, 0x1.af38a9b0ec855p-26};
    double given = x;
    x = x > 720 ? 720 : x;
    x = x < -760 ? -760 : x;
    double n = ct_floor(x * 0x1.71547652b82fep+0 + 0.5);
    double r = (x - n * 0x1.62e42feep-1) - n * 0x1.a39ef35793c76p-33;
    double p = e[6] + r * (e[7] + r * (e[8] + r * e[9]));
    p = CT_POLYNOMIAL_6(e, r) + (r * r) * (r * r) * (r * r) * p;
    p = 1 + (r + r * r * p);
    // p * 2^n in two steps, because 2^n alone may not be a normal number. The bits of
    // 2^52 + 2^51 + m end with m.
    double half = ct_floor(n * 0.5);
    double one = ct_double_of((ct_double_bits(half + 0x1.8p52) + 1023) << 52);
    double other = ct_double_of((ct_double_bits((n - half) + 0x1.8p52) + 1023) << 52);
    p = p * one * other;
    return given == given ? p : given; // NOLINT(misc-redundant-expression)
}

/// Returns the natural logarithm: -infinity for 0, NaN for negative numbers.
static inline double ct_log(double x) {
    static const double l[7] = {0x1.5555555555558p-1, 0x1.99999999952d7p-2, 0x1.2492492df281ap-2,
                                0x1.c71c62e3f11e6p-3, 0x1.7462b51cb66b1p-3, 0x1.39fe51a7c18f9p-3,
                                0x1.2b5900de53b32p-3};
    bool tiny = x < 0x1p-1022; // subnormal
    double normal = tiny ? x * 0x1p54 : x;
    uint64_t bits = ct_double_bits(normal);
    // The exponent as a number: 2^52 + exponent is a double whose bits end with the exponent.
    double n = ct_double_of((bits >> 52) | 0x4330000000000000u) - (0x1p52 + 1023);
    double m = ct_double_of((bits & 0xFFFFFFFFFFFFFu) | 0x3FF0000000000000u); // 1 <= m < 2
    bool upper = m > 0x1.6a09e667f3bcdp+0;                                    // sqrt(2)
    m = upper ? 0.5 * m : m;
    n = upper ? n + 1 : n;
    n = tiny ? n - 54 : n;
    double f = m - 1, s = f / (m + 1), z = s * s;
    double p = CT_POLYNOMIAL_6(l, z) + (z * z) * (z * z) * (z * z) * l[6];
    // log(m) = 2 s + s z p, and 2 s = f - s f
    double result = n * 0x1.62e42feep-1 + (f - (s * (f - z * p) - n * 0x1.a39ef35793c76p-33));
    result = x == 0 ? -ct_double_of(0x7FF0000000000000u) : result;
    result = x < 0 ? ct_double_of(0x7FF8000000000000u) : result;
    return x > 0x1.fffffffffffffp1023 || !(x == x) ? x
                                                   : result; // NOLINT(misc-redundant-expression)
}

/// Rounding mode and treatment of subnormal numbers of the host.
typedef struct ct_float_mode {
    uint64_t host;
} ct_float_mode;

/// Sets rounding to nearest and exact subnormal numbers, on x86 and ARM, for a calculation whose
/// bits must be the same on every host. Returns the mode of the host.
ct_float_mode ct_float_mode_begin(void);

/// Sets the mode of the host again.
void ct_float_mode_end(ct_float_mode mode);

typedef enum ct_function {
    CT_FUNCTION_SIN,
    CT_FUNCTION_COS,
    CT_FUNCTION_ATAN2, ///< of y, x
    CT_FUNCTION_EXP,
    CT_FUNCTION_LOG
} ct_function;

/// Returns a function of 'x' (and 'y', of two numbers) in that mode. Any NaN is the quiet NaN.
double ct_function_value(ct_function function, double x, double y);

CT_END_C

#endif
