// Runs in arrays of numbers, searches and repeats.
#ifndef CT_RUNS_H
#define CT_RUNS_H

#include "base/text.h"

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

/// Copies 'bytes' bytes 'count' times, one copy after another. Copies the filled part each time, so
/// that each step doubles it.
static inline void ct_bytes_repeat(void *to, const void *from, size_t bytes, size_t count) {
    size_t all = bytes * count;
    if (all == 0) return;
    memcpy(to, from, bytes);
    for (size_t done = bytes; done < all; done *= 2)
        memcpy((unsigned char *)to + done, to, done < all - done ? done : all - done);
}

/// Returns the position of the first of 'count' ascending numbers that is not below 'number'.
static inline uint32_t ct_u32_first_from(const uint32_t *numbers, uint32_t count, uint32_t number) {
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (numbers[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

#endif
