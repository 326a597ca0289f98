// FNV-1a and CRC-32.
// Knows nothing of what is hashed.
#include "base/hash.h"

uint32_t ct_hash_fnv1a(uint32_t start, const void *bytes, size_t count) {
    const unsigned char *at = bytes;
    uint32_t hash = start;
    for (size_t i = 0; i < count; ++i)
        hash = (hash ^ at[i]) * 0x01000193u;
    return hash;
}

// Eight tables would be 8 KB that every checksum pulls through the cache; four
// keep the loop at a word a step and are made on the stack, since the core has
// no globals that change. Making them costs some 4 microseconds.
static void make_tables(uint32_t table[4][256]) {
    for (uint32_t i = 0; i < 256; ++i) {
        uint32_t crc = i;
        for (int bit = 0; bit < 8; ++bit)
            crc = (crc >> 1) ^ (0xEDB88320u & (0u - (crc & 1u)));
        table[0][i] = crc;
    }
    for (uint32_t i = 0; i < 256; ++i) {
        for (int k = 1; k < 4; ++k)
            table[k][i] = (table[k - 1][i] >> 8) ^ table[0][table[k - 1][i] & 0xFFu];
    }
}

uint32_t ct_hash_crc32(uint32_t start, const void *bytes, size_t count) {
    uint32_t table[4][256];
    make_tables(table);
    const unsigned char *at = bytes;
    uint32_t crc = ~start;
    for (; count >= 4; count -= 4, at += 4) {
        crc ^=
            (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
        crc = table[3][crc & 0xFFu] ^ table[2][(crc >> 8) & 0xFFu] ^ table[1][(crc >> 16) & 0xFFu] ^
              table[0][crc >> 24];
    }
    for (; count > 0; --count)
        crc = (crc >> 8) ^ table[0][(crc ^ *at++) & 0xFFu];
    return ~crc;
}
