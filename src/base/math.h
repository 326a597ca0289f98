// Vectors, quaternions and matrices as plain arrays of floats.
// Longer than 150 lines: two versions of the matrix product must be inlined into hot loops.
#ifndef CT_MATH_H
#define CT_MATH_H

#include "base/base.h"

#include <string.h>

// A vec3 is x, y, z; a quat x, y, z, w; a mat4 16 numbers, column-major, for column vectors, as in
// OpenGL:
//
//     0  4  8 12      x axis, y axis, z axis, position
//     1  5  9 13
//     2  6 10 14      Every mat4 here is affine: its last row is 0 0 0 1.
//     3  7 11 15
//
// Every function gives the same bits on every host: it uses float or double operations in a fixed
// order, without contraction, and only sqrt, floor and fmod from the C library, for which IEEE 754
// defines every bit. A NaN in a result is always the quiet NaN (0x7FC00000), independent of the
// processor.

static const float ct_quat_identity[4] = {0, 0, 0, 1};
static const float ct_mat4_identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
static const ct_pose ct_pose_identity = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};

/// Returns whether two matrices are equal bit by bit.
static inline bool ct_mat4_same_bits(const void *a, const void *b) {
    return memcmp(a, b, sizeof ct_mat4_identity) == 0;
}

/// Applies ct_float_clean to 'count' floats.
void ct_floats_clean(float *numbers, uint32_t count);

// Four lanes at once if the compiler supports vectors: one register on any machine with 128 bits.
// Lanes are independent, so the bits are those of the scalar loop. 32-bit ARM is excluded: its
// vector unit flushes subnormal numbers to zero.
#if defined(__GNUC__) && !defined(CT_NO_LANES) && !defined(__arm__)
#define CT_HAS_LANES 1

typedef float ct_lanes __attribute__((vector_size(16)));
typedef float ct_loose_lanes __attribute__((vector_size(16), aligned(4), may_alias));
typedef int32_t ct_lane_bits __attribute__((vector_size(16)));
typedef int64_t ct_lane_halves __attribute__((vector_size(16)));

/// Left operand of products, loaded once for many right operands.
typedef struct ct_mat4_columns {
    ct_lanes c[4];
} ct_mat4_columns;

/// Returns a x b in registers, and in *has_nan whether it may contain a NaN. 'b' is the axes of a
/// matrix, 'p' its position.
static inline ct_mat4_columns ct_mat4_times(const ct_mat4_columns *a, const float *b,
                                            const float *p, bool *has_nan) {
    // 0 times infinity would give NaN in the last row: the mask sets it to 0 0 0 1.
    const ct_lane_bits xyz = {-1, -1, -1, 0}, one = {0, 0, 0, 0x3F800000};
    ct_lanes r0 = (a->c[0] * b[0] + a->c[1] * b[1]) + a->c[2] * b[2];
    ct_lanes r1 = (a->c[0] * b[4] + a->c[1] * b[5]) + a->c[2] * b[6];
    ct_lanes r2 = (a->c[0] * b[8] + a->c[1] * b[9]) + a->c[2] * b[10];
    ct_lanes r3 = (a->c[0] * p[0] + a->c[1] * p[1]) + (a->c[2] * p[2] + a->c[3]);
    ct_mat4_columns r = {{
        (ct_lanes)((ct_lane_bits)r0 & xyz),
        (ct_lanes)((ct_lane_bits)r1 & xyz),
        (ct_lanes)((ct_lane_bits)r2 & xyz),
        (ct_lanes)(((ct_lane_bits)r3 & xyz) | one),
    }};
    // A NaN in any column makes the sum NaN. Two infinities may do so too, which is harmless.
    ct_lanes sum = (r.c[0] + r.c[1]) + (r.c[2] + r.c[3]);
    ct_lane_halves bits = (ct_lane_halves)(sum != sum); // NOLINT(misc-redundant-expression)
    *has_nan = (bits[0] | bits[1]) != 0;
    return r;
}
#else
typedef struct ct_mat4_columns {
    float c[16];
} ct_mat4_columns;

static inline ct_mat4_columns ct_mat4_times(const ct_mat4_columns *a, const float *b,
                                            const float *p, bool *has_nan) {
    ct_mat4_columns r;
    for (int j = 0; j < 16; j += 4, b = j < 12 ? b + 4 : p) {
        for (int i = 0; i < 3; ++i) {
            float z = a->c[8 + i] * b[2];
            r.c[j + i] = (a->c[i] * b[0] + a->c[4 + i] * b[1]) + (j < 12 ? z : z + a->c[12 + i]);
        }
        r.c[j + 3] = j < 12 ? 0.0f : 1.0f;
    }
    *has_nan = true; // may be NaN; not tested here
    return r;
}
#endif

/// Copies four numbers. Matrices are copied with this function instead of memcpy: memcpy may use
/// wider registers, and a wide load of data that was just written in narrower pieces stalls.
static inline void ct_copy_four(const float *from, float *to) {
#ifdef CT_HAS_LANES
    *(ct_loose_lanes *)to = *(const ct_loose_lanes *)from;
#else
    memcpy(to, from, 4 * sizeof *to);
#endif
}

/// Copies a point, and replaces each NaN by the quiet NaN. Reads one number at a time, because
/// callers often have just written them so.
static inline void ct_point_clean(const float *p, float *to) {
#ifdef CT_HAS_LANES
    const ct_lane_bits quiet = {0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000};
    ct_lanes numbers = {p[0], p[1], p[2], 0};
    ct_lane_bits ordered = numbers == numbers; // NOLINT(misc-redundant-expression)
    ct_lane_bits clean = ((ct_lane_bits)numbers & ordered) | (quiet & ~ordered);
    memcpy(to, &clean, 3 * sizeof *to);
#else
    for (int j = 0; j < 3; ++j)
        to[j] = ct_float_clean(p[j]);
#endif
}

/// Stores a point as the last column of a matrix, with one store, for the same reason.
static inline void ct_store_point(const float *p, float *to) {
#ifdef CT_HAS_LANES
    const ct_lanes column = {p[0], p[1], p[2], 1};
    *(ct_loose_lanes *)to = column;
#else
    const float column[4] = {p[0], p[1], p[2], 1};
    memcpy(to, column, sizeof column);
#endif
}

static inline ct_mat4_columns ct_mat4_load(const float *m) {
    ct_mat4_columns a;
#ifdef CT_HAS_LANES
    a.c[0] = *(const ct_loose_lanes *)m;
    a.c[1] = *(const ct_loose_lanes *)(m + 4);
    a.c[2] = *(const ct_loose_lanes *)(m + 8);
    a.c[3] = *(const ct_loose_lanes *)(m + 12);
#else
    memcpy(a.c, m, sizeof a.c);
#endif
    return a;
}

static inline void ct_mat4_store(const ct_mat4_columns *a, float *out) {
#ifdef CT_HAS_LANES
    *(ct_loose_lanes *)out = a->c[0];
    *(ct_loose_lanes *)(out + 4) = a->c[1];
    *(ct_loose_lanes *)(out + 8) = a->c[2];
    *(ct_loose_lanes *)(out + 12) = a->c[3];
#else
    memcpy(out, a->c, sizeof a->c);
#endif
}

/// Computes out = a x b, where 'b' points to the three axes, four numbers each, and 'p' to the
/// position. Also returns the result as the left operand of further products. 'out' may be b. About
/// 3 ns alone; a loop over arrays is limited by memory bandwidth.
static inline ct_mat4_columns ct_mat4_product_parts(const ct_mat4_columns *a, const float *b,
                                                    const float *p, float *out) {
    bool has_nan;
    ct_mat4_columns result = ct_mat4_times(a, b, p, &has_nan);
    ct_mat4_store(&result, out);
    if (CT_LIKELY(!has_nan)) return result;
    ct_floats_clean(out, 16);
    return ct_mat4_load(out);
}

/// Computes out = a x b. 'out' may be b.
static inline ct_mat4_columns ct_mat4_product_loaded(const ct_mat4_columns *a, const float *b,
                                                     float *out) {
    return ct_mat4_product_parts(a, b, b + 12, out);
}

/// Computes out = a x b. 'out' may be either.
static inline void ct_mat4_product(const float *a, const float *b, float *out) {
    ct_mat4_columns loaded = ct_mat4_load(a);
    ct_mat4_product_loaded(&loaded, b, out);
}

/// Returns whether a quaternion has length 1, or contains a NaN.
static inline bool ct_quat_is_unit(const float *q) {
    float square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    return !(square - 1 > 1e-4f || square - 1 < -1e-4f);
}

/// End of the message for a matrix that is not affine.
#define CT_AFFINE_MESSAGE "numbers 4, 8, 12 and 16 must be 0, 0, 0 and 1"

/// Returns whether the last row is 0 0 0 1.
static inline bool ct_mat4_is_affine(const float *m) {
    return m[3] == 0.0f && m[7] == 0.0f && m[11] == 0.0f && m[15] == 1.0f;
}

/// Composes a matrix that scales, then rotates, then translates. 'rotation' must have length 1.
void ct_mat4_compose(const float *position, const float *rotation, const float *scale, float *out);

/// Computes out = inverse(a) x b, in double. Returns false and writes nothing if 'a' is singular
/// (its volume is below 10^-7 of the product of its axes' lengths) or contains an infinity or NaN,
/// or if the result is too large for a pose and 'b' is not.
bool ct_mat4_solve(const float *a, const float *b, float *out);

/// Computes the point that 'a' maps to 'point'. Returns false in the same cases as ct_mat4_solve.
bool ct_mat4_solve_point(const float *a, const float *point, float *out);

/// Decomposes the 3 x 3 part of 'm' into the rotation and scale with the nearest product (least sum
/// of squared differences): exact for results of ct_mat4_compose, the best fit for sheared axes. A
/// mirroring matrix has one or three negative scales, which the matrix does not determine: they are
/// the negative ones of 'like_scale' if their number fits, else x is negated too. An axis of length
/// 0 has no direction: it follows 'like_rotation' as far as the other axes permit. NULL means 1, 1,
/// 1 and no rotation. An infinity or NaN gives a rotation of NaN.
void ct_mat4_decompose(const float *m, const float *like_rotation, const float *like_scale,
                       float *rotation, float *scale);

/// Returns whether 'm' differs from the composition of its position and these parts: an axis
/// differs by more than 10^-5 of its length.
bool ct_mat4_is_sheared(const float *m, const float *rotation, const float *scale);

/// Computes out = a x b: the rotation b, then a. 'out' may be either.
void ct_quat_product(const float *a, const float *b, float *out);

/// Normalizes a quaternion to length 1. If it already has length 1 (to 10^-6), its bits are
/// unchanged; 0 0 0 0 becomes no rotation; an infinity or NaN makes all four NaN. 'out' may be 'q'.
void ct_quat_normalize(const float *q, float *out);

/// Computes the rotation about z by an angle in radians, counterclockwise if y points up.
void ct_quat_from_angle(float angle, float *out);

/// Returns the angle from the x axis to the direction x, y, from -pi to pi; 0 for 0, 0. Accurate to
/// 10^-10.
float ct_angle_of(float y, float x);

/// Returns the part of a rotation that is about z, from -pi to pi.
float ct_quat_angle(const float *q);

#endif
