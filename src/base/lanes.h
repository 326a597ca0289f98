// Operations on arrays of doubles: one lane of many entities at once.
#ifndef CT_LANES_H
#define CT_LANES_H

#include "base/functions.h"

/// Operations. Each is one double operation, or one function of base/functions.h, per item.
/// Comparisons and logic give 1 or 0, and any number except 0 counts as true.
typedef enum ct_lane_operation {
    CT_LANE_NEG,
    CT_LANE_NOT,
    CT_LANE_ABS,
    CT_LANE_SIGN, ///< 1, -1, or the number itself: 0, -0 and NaN
    CT_LANE_FLOOR,
    CT_LANE_CEIL,
    CT_LANE_SQRT,
    CT_LANE_SIN,
    CT_LANE_COS,
    CT_LANE_EXP,
    CT_LANE_LOG,
    CT_LANE_ROUND, ///< to a float; any NaN becomes the quiet NaN
    CT_LANE_ADD,
    CT_LANE_SUB,
    CT_LANE_MUL,
    CT_LANE_DIV,
    CT_LANE_MOD, ///< a - floor(a / b) * b
    CT_LANE_MIN, ///< b < a ? b : a
    CT_LANE_MAX, ///< b > a ? b : a
    CT_LANE_ATAN2,
    CT_LANE_EQ,
    CT_LANE_NE,
    CT_LANE_LT,
    CT_LANE_LE,
    CT_LANE_AND,
    CT_LANE_OR,
    CT_LANE_SELECT, ///< a != 0 ? b : c
    CT_LANE_COUNT
} ct_lane_operation;

/// Computes to[i] from a[i], b[i] and c[i] (those that the operation has). 'to' may be one of them.
typedef void (*ct_lane_kernel)(uint32_t count, double *to, const double *a, const double *b,
                               const double *c);

/// Splits 'count' vectors of floats, without gaps, into lanes: lane k of vector i becomes
/// to[k * pitch + i].
typedef void (*ct_lane_split)(uint32_t count, double *to, size_t pitch, const float *from);

/// Joins lanes to vectors of floats: the reverse of ct_lane_split. Returns whether a float may be
/// NaN, with any bits.
typedef bool (*ct_lane_join)(uint32_t count, const double *from, size_t pitch, float *to);

/// Stores the numbers for which 'mask' (NULL: all) is not 0 in an array of floats or doubles, any
/// NaN as the quiet NaN.
typedef void (*ct_lane_store)(uint32_t count, const double *from, const double *mask, void *to);

enum { CT_LANES_MOST = 4 }; ///< the most lanes of a vector

/// The loops for one instruction set.
typedef struct ct_lane_loops {
    ct_lane_kernel operations[CT_LANE_COUNT];
    ct_lane_split split[CT_LANES_MOST + 1]; ///< by the number of lanes, from 1
    ct_lane_join join[CT_LANES_MOST + 1];
    ct_lane_store store_floats, store_doubles;
    uint32_t (*count_true)(uint32_t count, const double *mask); ///< of numbers that are not 0
} ct_lane_loops;

/// Returns the number of operands of an operation.
uint32_t ct_lane_operands(ct_lane_operation operation);

/// Returns the loops for the instructions that every processor of this build has.
const ct_lane_loops *ct_lane_loops_plain(void);

/// Returns the fastest loops that this processor supports, tested at run time. The results have the
/// same bits as those of ct_lane_loops_plain.
const ct_lane_loops *ct_lane_loops_best(void);

#endif
