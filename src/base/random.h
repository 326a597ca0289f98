// A small seeded generator, so that a run can be replayed.
// Knows nothing of what the numbers decide.
#ifndef CT_RANDOM_H
#define CT_RANDOM_H

#include "base/base.h"

typedef struct ct_random {
    uint64_t state;
} ct_random;

/// Any seed will do, 0 included; different seeds give different sequences.
static inline void ct_random_seed(ct_random *random, uint64_t seed) { random->state = seed; }

/// The next 32 bits. Source: Steele, Lea, Flood, "Fast splittable pseudorandom
/// number generators" (SplitMix64), OOPSLA 2014.
static inline uint32_t ct_random_next(ct_random *random) {
    uint64_t z = random->state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (uint32_t)((z ^ (z >> 31)) >> 32);
}

/// A number in 0 .. count - 1, count > 0. Source: Lemire, "Fast random integer
/// generation in an interval", 2019, without the rejection step: the bias is
/// below count / 2^32 and nothing here needs less.
static inline uint32_t ct_random_below(ct_random *random, uint32_t count) {
    return (uint32_t)(((uint64_t)ct_random_next(random) * count) >> 32);
}

#endif
