// Runs in arrays of numbers: equal ones, and consecutive ones.
#ifndef CT_RUNS_H
#define CT_RUNS_H

#include "base/text.h"

CT_BEGIN_C

/// Returns how many of 'count' numbers, at least one, follow one another in steps of 'step': 0 for
/// equal numbers, 1 for consecutive ones. O(result); long runs are compared in vectors.
static inline uint32_t ct_u32_run(const void *numbers, uint32_t count, uint32_t step) {
    enum { FEW = 4, PART = 16 };
    uint32_t next = ct_u32_at(numbers, 0) + step, length = 1, differ = 0;
    while (length < count && length < FEW && ct_u32_at(numbers, length) == next)
        length++, next += step;
    if (length < FEW) return length;
    while (count - length >= PART) {
        for (uint32_t i = 0; i < PART; ++i)
            differ |= ct_u32_at(numbers, length + i) ^ (next + i * step);
        if (differ != 0) break;
        length += PART, next += PART * step;
    }
    while (length < count && ct_u32_at(numbers, length) == next)
        length++, next += step;
    return length;
}

CT_END_C

#endif
