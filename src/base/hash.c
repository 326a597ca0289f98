// FNV-1a, a seeded hash of texts, and CRC-32.
#include "base/hash.h"

#include "base/clock.h"

uint32_t ct_hash_fnv1a(uint32_t start, const void *bytes, size_t count) {
    const unsigned char *at = bytes;
    uint32_t hash = start;
    for (size_t i = 0; i < count; ++i)
        hash = (hash ^ at[i]) * 0x01000193u;
    return hash;
}

const unsigned char ct_hash_place = 0;

uint64_t ct_hash_seed(const void *place) { return ct_hash_mix(ct_clock_now(), (uintptr_t)place); }

uint64_t ct_hash_text(uint64_t seed, const void *bytes, size_t count) {
    const unsigned char *at = bytes;
    uint64_t hash = ct_hash_mix(seed, count), word = 0;
    for (; count > sizeof word; count -= sizeof word, at += sizeof word) {
        memcpy(&word, at, sizeof word);
        hash = ct_hash_mix(hash, word);
    }
    word = 0;
    if (count > 0) memcpy(&word, at, count);
    return ct_hash_mix(hash, word);
}

// Makes tables for 'count' bytes per step. They are on the stack, because the core has no mutable
// globals: 4 tables take about 4 microseconds, 16 take 10 and use 16 KB of the cache.
static void make_tables(uint32_t (*table)[256], uint32_t count) {
    for (uint32_t i = 0; i < 256; ++i) {
        uint32_t crc = i;
        for (int bit = 0; bit < 8; ++bit)
            crc = (crc >> 1) ^ (0xEDB88320u & (0u - (crc & 1u)));
        table[0][i] = crc;
    }
    for (uint32_t k = 1; k < count; ++k) {
        for (uint32_t i = 0; i < 256; ++i)
            table[k][i] = (table[k - 1][i] >> 8) ^ table[0][table[k - 1][i] & 0xFFu];
    }
}

static inline uint32_t word_at(const unsigned char *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

// CRC contribution of four bytes that are followed by n more in their step, with the tables from n
// on.
static inline uint32_t past(const uint32_t (*table)[256], uint32_t word) {
    return table[3][word & 0xFFu] ^ table[2][(word >> 8) & 0xFFu] ^ table[1][(word >> 16) & 0xFFu] ^
           table[0][word >> 24];
}

// Processes 'count' bytes, a multiple of 16. Only the first word of a step depends on the step
// before, so the lookups of the other words run in parallel.
static uint32_t by_sixteen(const uint32_t (*table)[256], uint32_t crc, const unsigned char *at,
                           size_t count) {
    for (; count > 0; count -= 16, at += 16)
        crc = past(table + 12, crc ^ word_at(at)) ^ past(table + 8, word_at(at + 4)) ^
              past(table + 4, word_at(at + 8)) ^ past(table, word_at(at + 12));
    return crc;
}

uint32_t ct_hash_crc32(uint32_t start, const void *bytes, size_t count) {
    enum { WORTH_SIXTEEN = 16384 };
    uint32_t table[16][256];
    const unsigned char *at = bytes;
    uint32_t crc = ~start;
    make_tables(table, count < WORTH_SIXTEEN ? 4 : 16);
    if (count >= WORTH_SIXTEEN) {
        size_t whole = count & ~(size_t)15;
        crc = by_sixteen((const uint32_t(*)[256])table, crc, at, whole);
        at += whole;
        count -= whole;
    }
    for (; count >= 4; count -= 4, at += 4)
        crc = past((const uint32_t(*)[256])table, crc ^ word_at(at));
    for (; count > 0; --count)
        crc = (crc >> 8) ^ table[0][(crc ^ *at++) & 0xFFu];
    return ~crc;
}
