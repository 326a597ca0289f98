// Elementary functions in doubles, with the same bits on every host.
// Longer than 150 lines: the functions must be inlined into loops.
#ifndef CT_FUNCTIONS_H
#define CT_FUNCTIONS_H

#include "base/base.h"

#include <string.h>

// Each function is a fixed sequence of additions, products, divisions and comparisons, without
// branches, so that compilers can vectorize it, and without fused products (-ffp-contract=off). The
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
    double whole = ct_with_sign((size + 4503599627370496.0) - 4503599627370496.0, x);
    whole = whole > x ? whole - 1 : whole;
    return size < 4503599627370496.0 ? whole : x;
}

/// Returns sin(x + quarter * pi / 2).
static inline double ct_sin_shifted(double x, double quarter) {
    static const double s[6] = {-0.16666666666666666,    0.008333333333330948,
                                -0.00019841269836756774, 2.7557316101617874e-06,
                                -2.505113165023518e-08,  1.5918115263265974e-10};
    static const double c[6] = {0.041666666666666664,  -0.0013888888888887398,
                                2.480158729876456e-05, -2.7557317271145144e-07,
                                2.087614614655861e-09, -1.1382623647474604e-11};
    // x = n * pi / 2 + r. The first two parts of pi / 2 have 33 bits: their products with n are
    // exact up to 2^20. For larger numbers r is limited, so that the result is between -1 and 1.
    double n = ct_floor(x * 0.6366197723675814 + 0.5);
    double r =
        ((x - n * 1.5707963267341256) - n * 6.077100506303966e-11) - n * 2.0222662487959506e-21;
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
    static const double a[11] = {-0.3333333333333333,  0.19999999999995516,  -0.14285714284665682,
                                 0.11111111015187018,  -0.0909090457530649,  0.07692183125376892,
                                 -0.06664510525508936, 0.05858140904866328,  -0.050854078345894844,
                                 0.03923044778479309,  -0.019175404711104935};
    double ax = ct_fabs(x), ay = ct_fabs(y);
    double low = ay > ax ? ax : ay, high = ay > ax ? ay : ax;
    double scale = high > 1.0715086071862673e+301 ? 8.673617379884035e-19
                                                  : 1; // the sum below must not overflow
    low = low * scale;
    high = high * scale;
    bool both = low > 8.98846567431158e+307; // infinite
    low = both ? 1 : low;
    high = both ? 1 : high;
    high = high > 0 ? high : 1;
    // atan(low / high) = pi / 4 + atan((low - high) / (low + high))
    bool far = low > high * 0.41421356237309503; // tan(pi / 8)
    double t = (far ? low - high : low) / (far ? low + high : high);
    double z = t * t;
    double p = a[6] + z * (a[7] + z * (a[8] + z * (a[9] + z * a[10])));
    p = CT_POLYNOMIAL_6(a, z) + (z * z) * (z * z) * (z * z) * p;
    double angle = t + t * z * p;
    angle = far ? 0.7853981633974483 + (angle + 3.061616997868383e-17) : angle;
    // Beyond 45 degrees the angle is pi / 2 minus (left: plus) this one; else, on the left, pi
    // minus it.
    bool steep = ay > ax, left = ct_with_sign(1, x) < 0;
    double upright = left ? angle + 6.123233995736766e-17 : 6.123233995736766e-17 - angle;
    double flat = left ? 3.141592653589793 - (angle - 1.2246467991473532e-16) : angle;
    angle = ct_with_sign(steep ? 1.5707963267948966 + upright : flat, y);
    double sum = x + y; // NaN if one of them is NaN; infinities of opposite signs are no NaN here
    return ax == ax && ay == ay ? angle : sum; // NOLINT(misc-redundant-expression)
}

/// Returns e^x. Overflow gives infinity, underflow a subnormal number or 0.
static inline double ct_exp(double x) {
    static const double e[10] = {0.5000000000000001,     0.16666666666666669,
                                 0.04166666666662413,    0.008333333333330062,
                                 0.0013888888917213717,  0.00019841269863053618,
                                 2.4801521295954376e-05, 2.7557268459997064e-06,
                                 2.7620088445409746e-07, 2.510038549551032e-08};
    double given = x;
    x = x > 720 ? 720 : x;
    x = x < -760 ? -760 : x;
    double n = ct_floor(x * 1.4426950408889634 + 0.5);
    double r = (x - n * 0.6931471803691238) - n * 1.9082149292705877e-10;
    double p = e[6] + r * (e[7] + r * (e[8] + r * e[9]));
    p = CT_POLYNOMIAL_6(e, r) + (r * r) * (r * r) * (r * r) * p;
    p = 1 + (r + r * r * p);
    // p * 2^n in two steps, because 2^n alone may not be a normal number. The bits of
    // 2^52 + 2^51 + m end with m.
    double half = ct_floor(n * 0.5);
    double one = ct_double_of((ct_double_bits(half + 6755399441055744.0) + 1023) << 52);
    double other = ct_double_of((ct_double_bits((n - half) + 6755399441055744.0) + 1023) << 52);
    p = p * one * other;
    return given == given ? p : given; // NOLINT(misc-redundant-expression)
}

/// Returns the natural logarithm: -infinity for 0, NaN for negative numbers.
static inline double ct_log(double x) {
    static const double l[7] = {0.666666666666667,   0.39999999999899444, 0.2857142862600327,
                                0.22222211130259878, 0.18182889455674947, 0.15331710618210773,
                                0.14616585424888623};
    bool tiny = x < 2.2250738585072014e-308; // subnormal
    double normal = tiny ? x * 18014398509481984.0 : x;
    uint64_t bits = ct_double_bits(normal);
    // The exponent as a number: 2^52 + exponent is a double whose bits end with the exponent.
    double n = ct_double_of((bits >> 52) | 0x4330000000000000u) - (4503599627370496.0 + 1023);
    double m = ct_double_of((bits & 0xFFFFFFFFFFFFFu) | 0x3FF0000000000000u); // 1 <= m < 2
    bool upper = m > 1.4142135623730951;                                      // sqrt(2)
    m = upper ? 0.5 * m : m;
    n = upper ? n + 1 : n;
    n = tiny ? n - 54 : n;
    double f = m - 1, s = f / (m + 1), z = s * s;
    double p = CT_POLYNOMIAL_6(l, z) + (z * z) * (z * z) * (z * z) * l[6];
    // log(m) = 2 s + s z p, and 2 s = f - s f
    double result = n * 0.6931471803691238 + (f - (s * (f - z * p) - n * 1.9082149292705877e-10));
    result = x == 0 ? -ct_double_of(0x7FF0000000000000u) : result;
    result = x < 0 ? ct_double_of(0x7FF8000000000000u) : result;
    return x > 1.7976931348623157e+308 || !(x == x) ? x
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

#endif
