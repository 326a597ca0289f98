// Hash functions, and a small seeded random number generator.
#ifndef CT_HASH_H
#define CT_HASH_H

#include "base/base.h"

#include <string.h>

#define CT_FNV1A_START 0x811C9DC5u

/// Returns the 32-bit FNV-1a hash of 'count' bytes, continued from 'start' (CT_FNV1A_START for a
/// new hash). Source: Fowler, Noll, Vo, http://www.isthe.com/chongo/tech/comp/fnv/
uint32_t ct_hash_fnv1a(uint32_t start, const void *bytes, size_t count);

/// Returns the CRC-32 of zlib's crc32() (polynomial 0xEDB88320), continued from 'start' (0 for a
/// new one). About 3.5 GB/s for 16 KB and more, else 1.5 GB/s, plus some microseconds.
uint32_t ct_hash_crc32(uint32_t start, const void *bytes, size_t count);

/// Continues a 64-bit hash with a number. Equal on every host. Source: SplitMix64, see
/// ct_random_next.
static inline uint64_t ct_hash_mix(uint64_t hash, uint64_t number) {
    hash = (hash ^ number) + 0x9E3779B97F4A7C15u;
    hash = (hash ^ (hash >> 30)) * 0xBF58476D1CE4E5B9u;
    hash = (hash ^ (hash >> 27)) * 0x94D049BB133111EBu;
    return hash ^ (hash >> 31);
}

/// Returns a seed that a file cannot predict, from the time and the address 'place'.
uint64_t ct_hash_seed(const void *place);

/// Returns a hash of 'count' bytes for tables of untrusted texts: without the seed, texts with
/// colliding hashes cannot be constructed, unlike with FNV-1a. Differs between hosts. About 1 ns
/// for 8 bytes.
uint64_t ct_hash_text(uint64_t seed, const void *bytes, size_t count);

/// Hash of a sequence of numbers, at first zeroed: the sum of a mix of each number and its place.
/// Equal on every host. Unlike calls of ct_hash_mix, the steps do not wait for one another, so a
/// processor computes several at the same time. Mix the sum before it is added to others.
typedef struct ct_hash_sum {
    uint64_t sum;
    uint64_t place;
} ct_hash_sum;

static inline void ct_hash_add(ct_hash_sum *hash, uint64_t number) {
    hash->place += 0x9E3779B97F4A7C15u; // differs from other places in the upper bits
    hash->sum += ct_hash_mix(hash->place, number);
}

/// Adds 'count' numbers of four bytes, two at a time, by value.
static inline void ct_hash_add_words(ct_hash_sum *hash, const void *numbers, uint32_t count) {
    const unsigned char *at = numbers;
    uint32_t words[2];
    for (; count >= 2; count -= 2, at += sizeof words) {
        memcpy(words, at, sizeof words);
        ct_hash_add(hash, words[0] | (uint64_t)words[1] << 32);
    }
    if (count == 0) return;
    memcpy(words, at, sizeof *words);
    ct_hash_add(hash, words[0]);
}

/// Its address is the seed of ct_hash_index.
extern const unsigned char ct_hash_place;

/// Spreads a 22-bit entity index over 32 bits. Consecutive indices get distant, evenly spaced
/// hashes, so open addressing with the top bits has no clusters. Differs between processes if the
/// host loads code at random addresses: saves and messages cannot contain entities whose hashes
/// collide. Source: Knuth, TAOCP vol. 3, 6.4, multiplicative (Fibonacci) hashing.
static inline uint32_t ct_hash_index(uint32_t index) {
    // The upper bits of a product, because an address that is not random has few bits set.
    uint32_t seed = (uint32_t)((uintptr_t)&ct_hash_place >> 12) * 0x85EBCA6Bu >> 10;
    return (index ^ seed) * 0x9E3779B1u;
}

typedef struct ct_random {
    uint64_t state;
} ct_random;

/// Sets the seed. Any seed is valid, including 0; different seeds give different sequences.
static inline void ct_random_seed(ct_random *random, uint64_t seed) { random->state = seed; }

/// Returns the next 32 bits. Source: Steele, Lea, Flood, "Fast splittable pseudorandom number
/// generators" (SplitMix64), OOPSLA 2014.
static inline uint32_t ct_random_next(ct_random *random) {
    uint64_t z = random->state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (uint32_t)((z ^ (z >> 31)) >> 32);
}

/// Returns a number in [0, 1), a multiple of 2^-53.
static inline double ct_random_fraction(ct_random *random) {
    uint64_t high = ct_random_next(random);
    return (double)((high << 32 | ct_random_next(random)) >> 11) * 1.1102230246251565e-16;
}

/// Returns a number in 0 .. count - 1, count > 0. Source: Lemire, "Fast random integer generation
/// in an interval", 2019, without the rejection step: the bias is below count / 2^32, which is
/// sufficient here.
static inline uint32_t ct_random_below(ct_random *random, uint32_t count) {
    return (uint32_t)(((uint64_t)ct_random_next(random) * count) >> 32);
}

#endif
