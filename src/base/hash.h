// Hashes, and a small seeded generator of random numbers.
#ifndef CT_HASH_H
#define CT_HASH_H

#include "base/base.h"

#include <string.h>

CT_BEGIN_C

#define CT_FNV1A_START 0x811C9DC5u

/// FNV-1a, 32 bits, of 'count' bytes, going on from 'start' (CT_FNV1A_START for
/// a new hash). Source: Fowler, Noll, Vo, http://www.isthe.com/chongo/tech/comp/fnv/
uint32_t ct_hash_fnv1a(uint32_t start, const void *bytes, size_t count);

/// CRC-32 as zlib's crc32() computes it (polynomial 0xEDB88320), going on from
/// 'start' (0 for a new one). About 3.5 GB a second from 16 KB on, 1.5 below, and some
/// microseconds.
uint32_t ct_hash_crc32(uint32_t start, const void *bytes, size_t count);

/// A hash of 64 bits goes on with a number: the same on every host. Source: Steele, Lea, Flood, as
/// base/hash.h.
static inline uint64_t ct_hash_mix(uint64_t hash, uint64_t number) {
    hash = (hash ^ number) + 0x9E3779B97F4A7C15u;
    hash = (hash ^ (hash >> 30)) * 0xBF58476D1CE4E5B9u;
    hash = (hash ^ (hash >> 27)) * 0x94D049BB133111EBu;
    return hash ^ (hash >> 31);
}

/// A seed that no file can know: of the time, and of where 'place' lies.
uint64_t ct_hash_seed(const void *place);

/// A hash of 'count' bytes for tables of what files hold: who does not know the seed cannot choose
/// texts that fall together, as one can with FNV-1a. Another on each host. About 1 ns for 8 bytes.
uint64_t ct_hash_text(uint64_t seed, const void *bytes, size_t count);

/// ct_hash_mix with 'count' floats, bit by bit.
static inline uint64_t ct_hash_mix_floats(uint64_t hash, const float *numbers, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t bits;
        memcpy(&bits, &numbers[i], sizeof bits);
        hash = ct_hash_mix(hash, bits);
    }
    return hash;
}

/// Spreads a 22-bit entity index over 32 bits. Consecutive indices land far
/// apart and evenly, so open addressing over the top bits sees no runs.
/// Source: Knuth, TAOCP vol. 3, 6.4, multiplicative (Fibonacci) hashing.
static inline uint32_t ct_hash_index(uint32_t index) { return index * 0x9E3779B1u; }

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

CT_END_C

#endif
