// Vectors, quaternions and matrices: the longer functions.
#include "base/math.h"

#include <float.h>
#include <math.h>
#include <string.h>

void ct_floats_clean(float *numbers, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i)
        numbers[i] = ct_float_clean(numbers[i]);
}

// ---------------------------------------------------------------- quaternions

void ct_quat_product(const float *a, const float *b, float *out) {
    float x = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
    float y = a[3] * b[1] + a[1] * b[3] + a[2] * b[0] - a[0] * b[2];
    float z = a[3] * b[2] + a[2] * b[3] + a[0] * b[1] - a[1] * b[0];
    float w = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
    out[0] = ct_float_clean(x);
    out[1] = ct_float_clean(y);
    out[2] = ct_float_clean(z);
    out[3] = ct_float_clean(w);
}

void ct_quat_normalize(const float *q, float *out) {
    // Squares of floats neither overflow nor underflow in double.
    double x = q[0], y = q[1], z = q[2], w = q[3];
    double square = x * x + y * y + z * z + w * w;
    if (fabs(square - 1) <= 1e-6) {
        memmove(out, q, sizeof ct_quat_identity);
    } else if (square == 0) {
        memcpy(out, ct_quat_identity, sizeof ct_quat_identity);
    } else {
        double length = sqrt(square);
        double keep = length - length; // 0, or NaN if a number is infinite
        for (int i = 0; i < 4; ++i)
            out[i] = ct_float_clean((float)(q[i] / length + keep));
    }
}

// Evaluates a series in xx, lowest term first. The even and odd terms are independent chains.
static double nine_terms(const double *terms, double xx) {
    double even = terms[8], odd = terms[7], xxxx = xx * xx;
    for (int k = 6; k >= 2; k -= 2) {
        even = terms[k] + xxxx * even;
        odd = terms[k - 1] + xxxx * odd;
    }
    return terms[0] + xx * (odd + xx * even);
}

// Computes sine and cosine as series, because C libraries differ in the last bits. The angle is
// first reduced to -pi/4 .. pi/4, where nine terms are exact to a double.
static void sine_cosine(double a, double *sine, double *cosine) {
    // -1/3!, 1/5!, -1/7! ... and -1/2!, 1/4!, -1/6! ...
    static const double of_sine[9] = {-1 / 6.0,
                                      1 / 120.0,
                                      -1 / 5040.0,
                                      1 / 362880.0,
                                      -1 / 39916800.0,
                                      1 / 6227020800.0,
                                      -1 / 1307674368000.0,
                                      1 / 355687428096000.0,
                                      -1 / 121645100408832000.0};
    static const double of_cosine[9] = {-1 / 2.0,
                                        1 / 24.0,
                                        -1 / 720.0,
                                        1 / 40320.0,
                                        -1 / 3628800.0,
                                        1 / 479001600.0,
                                        -1 / 87178291200.0,
                                        1 / 20922789888000.0,
                                        -1 / 6402373705728000.0};
    const double quarter = 1.5707963267948966; // and the difference to pi/2:
    const double rest = 6.123233995736766e-17;
    // Such large angles have no exact fraction.
    if (fabs(a) > 1e6) a = fmod(a, 4 * quarter);
    double turns = floor(a / quarter + 0.5);
    double x = (a - turns * quarter) - turns * rest;
    double xx = x * x;
    double s = x + x * (xx * nine_terms(of_sine, xx)), c = 1 + xx * nine_terms(of_cosine, xx);
    double rest4 = turns - 4 * floor(turns / 4);
    *sine = rest4 == 0 ? s : rest4 == 1 ? c : rest4 == 2 ? -s : -c;
    *cosine = rest4 == 0 ? c : rest4 == 1 ? -s : rest4 == 2 ? -c : s;
}

void ct_quat_from_angle(float angle, float *out) {
    double sine, cosine;
    sine_cosine((double)angle / 2, &sine, &cosine);
    // A NaN angle gives no rotation, but NaN.
    float none = angle - angle;
    out[0] = ct_float_clean(none);
    out[1] = ct_float_clean(none);
    out[2] = ct_float_clean((float)sine);
    out[3] = ct_float_clean((float)cosine);
}

// Computes the arc tangent for 0 <= t <= 1, to 10^-11. Even and odd terms are independent chains.
static double arc_tangent(double t) {
    double more = 0;
    if (t > 0.41421356237309503) { // tan(pi/8)
        t = (t - 1) / (t + 1);
        more = 0.78539816339744828;
    }
    double even = 0, odd = 0, tt = t * t, tttt = tt * tt;
    for (int k = 25; k >= 5; k -= 4) {
        even = 1.0 / k + tttt * even;
        odd = 1.0 / (k - 2) + tttt * odd;
    }
    even = 1 + tttt * even;
    return more + t * (even - tt * odd);
}

// Returns the angle from the positive x axis to a direction, for 'x' not negative: -pi/2 to pi/2. 0
// for 0, 0; NaN for NaN.
static double angle_in_half(double y, double x) {
    double side = fabs(y);
    if (!(side + x > 0)) return side + x;
    double angle = side <= x ? arc_tangent(side / x) : 1.5707963267948966 - arc_tangent(x / side);
    return y < 0 ? -angle : angle;
}

float ct_angle_of(float y, float x) {
    static const double half_turn = 3.1415926535897931;
    if (y == 0 && x > 0) return 0; // most objects are not rotated
    if (!(x < 0)) return ct_float_clean((float)angle_in_half(y, x));
    double angle = angle_in_half(-(double)y, -(double)x);
    return ct_float_clean((float)(y < 0 ? angle - half_turn : angle + half_turn));
}

float ct_quat_angle(const float *q) {
    double sign = q[3] < 0 ? -1 : 1;
    return ct_float_clean((float)(2 * angle_in_half(sign * q[2], sign * q[3])));
}

// ---------------------------------------------------------------- matrices

void ct_mat4_compose(const float *position, const float *rotation, const float *scale, float *out) {
    float x = rotation[0], y = rotation[1], z = rotation[2], w = rotation[3];
    float sx = scale[0], sy = scale[1], sz = scale[2];
    float axes[12] = {
        (1 - 2 * (y * y + z * z)) * sx,
        2 * (x * y + z * w) * sx,
        2 * (x * z - y * w) * sx,
        2 * (x * y - z * w) * sy,
        (1 - 2 * (x * x + z * z)) * sy,
        2 * (y * z + x * w) * sy,
        2 * (x * z + y * w) * sz,
        2 * (y * z - x * w) * sz,
        (1 - 2 * (x * x + y * y)) * sz,
        position[0],
        position[1],
        position[2],
    };
    for (size_t j = 0; j < 4; ++j) {
        memcpy(out + 4 * j, axes + 3 * j, 3 * sizeof *out);
        out[4 * j + 3] = j < 3 ? 0.0f : 1.0f;
    }
    // A NaN in the result comes from a NaN or infinity in the input, which makes this sum NaN or
    // infinite.
    float probe =
        ((x + y) + (z + w)) + ((sx + sy) + sz) + ((position[0] + position[1]) + position[2]);
    if (CT_UNLIKELY(!(probe - probe == 0))) ct_floats_clean(out, 16);
}

typedef struct triple {
    double v[3];
} triple;

static triple axis_of(const float *m, int j) {
    return (triple){{m[4 * j], m[4 * j + 1], m[4 * j + 2]}};
}

static double dot(triple a, triple b) {
    return a.v[0] * b.v[0] + a.v[1] * b.v[1] + a.v[2] * b.v[2];
}

static triple cross(triple a, triple b) {
    return (triple){{a.v[1] * b.v[2] - a.v[2] * b.v[1], a.v[2] * b.v[0] - a.v[0] * b.v[2],
                     a.v[0] * b.v[1] - a.v[1] * b.v[0]}};
}

// a * s + b * t
static triple mix(triple a, double s, triple b, double t) {
    return (triple){{a.v[0] * s + b.v[0] * t, a.v[1] * s + b.v[1] * t, a.v[2] * s + b.v[2] * t}};
}

// Computes the rows of the inverse of the 3 x 3 part. Returns false if there is none.
static bool invert(const float *a, triple *rows) {
    triple x = axis_of(a, 0), y = axis_of(a, 1), z = axis_of(a, 2);
    triple yz = cross(y, z);
    double volume = dot(x, yz);
    double most = sqrt(dot(x, x)) * sqrt(dot(y, y)) * sqrt(dot(z, z));
    // A NaN makes the first comparison false; an infinity makes most - most NaN.
    if (!(fabs(volume) > 1e-7 * most) || most - most != 0) return false;
    triple none = {{0, 0, 0}};
    rows[0] = mix(yz, 1 / volume, none, 0);
    rows[1] = mix(cross(z, x), 1 / volume, none, 0);
    rows[2] = mix(cross(x, y), 1 / volume, none, 0);
    return true;
}

// Returns whether all numbers are small enough for a pose; the limit allows for scales, which are
// lengths of three of them.
static bool fit(const float *numbers, int count) {
    bool all = true;
    for (int i = 0; i < count; ++i)
        all &= fabsf(numbers[i]) <= FLT_MAX / 2;
    return all;
}

bool ct_mat4_solve(const float *a, const float *b, float *out) {
    triple rows[3];
    if (!invert(a, rows)) return false;
    float result[16];
    for (int j = 0; j < 4; ++j) {
        triple column = axis_of(b, j);
        if (j == 3) column = mix(column, 1, axis_of(a, 3), -1);
        for (int i = 0; i < 3; ++i)
            result[4 * j + i] = ct_float_clean((float)dot(rows[i], column));
        result[4 * j + 3] = j < 3 ? 0.0f : 1.0f;
    }
    if (!fit(result, 16) && fit(b, 16)) return false;
    memcpy(out, result, sizeof result);
    return true;
}

bool ct_mat4_solve_point(const float *a, const float *point, float *out) {
    triple rows[3];
    if (!invert(a, rows)) return false;
    triple from = mix((triple){{point[0], point[1], point[2]}}, 1, axis_of(a, 3), -1);
    float result[3];
    for (int i = 0; i < 3; ++i)
        result[i] = ct_float_clean((float)dot(rows[i], from));
    if (!fit(result, 3) && fit(point, 3)) return false;
    memcpy(out, result, sizeof result);
    return true;
}

// ---------------------------------------------------------------- decomposition

// Returns a direction perpendicular to 'a', which has length 1, as near to 'like' as possible.
static triple across(triple a, triple like) {
    for (int i = 0; i < 4; ++i) {
        triple side = mix(like, 1, a, -dot(like, a));
        double length = sqrt(dot(side, side));
        if (length > 1e-6) return mix(side, 1 / length, side, 0);
        like = (triple){{i == 0, i == 1, i == 2}};
    }
    return (triple){{0, 0, 1}};
}

// Makes orthogonal axes near to the axes of 'm': keeps the longest, then the projection of the next
// one; the third follows. Signs were already applied to 'axis'.
static void square_up(const triple *axis, const double *length, triple *r) {
    int first = length[1] > length[0] ? 1 : 0;
    if (length[2] > length[first]) first = 2;
    int second = (first + 1) % 3, third = (first + 2) % 3;
    if (length[third] > length[second]) {
        int swap = second;
        second = third;
        third = swap;
    }
    r[first] = axis[first];
    r[second] = across(axis[first], axis[second]);
    r[third] = cross(r[(third + 1) % 3], r[(third + 2) % 3]);
}

// Rotates axes j and k in their plane to the best fit to 'm'. For orthogonal axes r, the squared
// error of the best scales is |m|^2 - sum (r_j . m_j)^2, and for two axes the largest sum has a
// closed form, as in Jacobi's eigenvalue method. Returns the sine of the angle.
static double turn_pair(const triple *m, triple *r, int j, int k) {
    double a = dot(r[j], m[j]), b = dot(r[k], m[j]), d = dot(r[j], m[k]), e = dot(r[k], m[k]);
    double x = a * a + e * e - b * b - d * d, y = 2 * (a * b - d * e);
    double h = sqrt(x * x + y * y);
    if (!(h > 0) || y == 0) return 0;
    double c = sqrt((1 + x / h) / 2);
    double s = c > 1e-9 ? y / (2 * h * c) : 1;
    triple was = r[j];
    r[j] = mix(was, c, r[k], s);
    r[k] = mix(r[k], c, was, -s);
    return fabs(s);
}

static void axes_to_quat(const triple *r, float *q) {
    double xx = r[0].v[0], yy = r[1].v[1], zz = r[2].v[2];
    double v[4] = {r[1].v[2] - r[2].v[1], r[2].v[0] - r[0].v[2], r[0].v[1] - r[1].v[0],
                   1 + xx + yy + zz};
    // Shepperd's method: the largest component is computed by a square root, and the others by
    // dividing by it.
    if (xx + yy + zz <= 0) {
        int i = yy > xx ? 1 : 0;
        if (zz > r[i].v[i]) i = 2;
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double w = v[i];
        v[i] = 1 + r[i].v[i] - r[j].v[j] - r[k].v[k];
        v[j] = r[i].v[j] + r[j].v[i];
        v[k] = r[i].v[k] + r[k].v[i];
        v[3] = w;
    }
    double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3]);
    if (v[3] < 0) length = -length;
    for (int i = 0; i < 4; ++i)
        q[i] = ct_float_clean((float)(v[i] / length));
}

static void quat_to_axes(const float *q, triple *r) {
    static const float zero[3] = {0, 0, 0}, one[3] = {1, 1, 1};
    float m[16];
    ct_mat4_compose(zero, q, one, m);
    for (int j = 0; j < 3; ++j)
        r[j] = axis_of(m, j);
}

void ct_mat4_decompose(const float *m, const float *like_rotation, const float *like_scale,
                       float *rotation, float *scale) {
    triple column[3], axis[3], r[3] = {{{1, 0, 0}}, {{0, 1, 0}}, {{0, 0, 1}}};
    double length[3], sign[3];
    if (like_rotation != NULL) quat_to_axes(like_rotation, r);
    for (int j = 0; j < 3; ++j) {
        column[j] = axis_of(m, j);
        length[j] = sqrt(dot(column[j], column[j]));
        sign[j] = like_scale != NULL && like_scale[j] < 0 ? -1 : 1;
    }
    double all = length[0] + length[1] + length[2];
    if (!(all - all == 0)) {
        for (int j = 0; j < 3; ++j)
            scale[j] = ct_float_clean((float)length[j]);
        for (int i = 0; i < 4; ++i)
            rotation[i] = ct_float_clean((float)(all - all));
        return;
    }
    double volume = dot(column[0], cross(column[1], column[2]));
    if (volume * sign[0] * sign[1] * sign[2] < 0) sign[0] = -sign[0];
    for (int j = 0; j < 3; ++j)
        axis[j] = length[j] > 0 ? mix(column[j], sign[j] / length[j], r[j], 0) : r[j];
    if (all > 0) square_up(axis, length, r);
    for (int sweep = 0; sweep < 24; ++sweep) {
        double turned = turn_pair(column, r, 0, 1);
        turned += turn_pair(column, r, 1, 2);
        turned += turn_pair(column, r, 2, 0);
        if (turned < 1e-9) break;
    }
    axes_to_quat(r, rotation);
    for (int j = 0; j < 3; ++j)
        scale[j] = ct_float_clean((float)(dot(r[j], column[j]) + 0.0)); // no -0
}

bool ct_mat4_is_sheared(const float *m, const float *rotation, const float *scale) {
    float whole[16];
    ct_mat4_compose(m + 12, rotation, scale, whole);
    for (int j = 0; j < 3; ++j) {
        double off = 0, length = 0;
        for (int i = 4 * j; i < 4 * j + 3; ++i) {
            // NaN equals NaN, and equal infinities are equal.
            bool has_nan = m[i] != m[i] && whole[i] != whole[i];
            double d = has_nan || m[i] == whole[i] ? 0 : (double)m[i] - whole[i];
            off += d * d;
            length += (double)m[i] * m[i];
        }
        if (off != 0 && !(off <= 1e-10 * length)) return true;
    }
    return false;
}
