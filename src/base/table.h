// A hash table of numbers: the caller keeps the keys, and gives the hashes.
// Must not depend on what the numbers mean.
#ifndef CT_TABLE_H
#define CT_TABLE_H

#include "base/alloc.h"

CT_BEGIN_C

#define CT_TABLE_NUMBERS (1u << 22) ///< numbers are below it
#define CT_TABLE_NONE UINT32_MAX

// A slot; 0 is empty. The top bits of the hash are its home, the low ones the fingerprint.
//
//      31  30              22 21                                         0
//     [ 1 ][   fingerprint   ][                  number                  ]

/// Open addressing, at most half full. Zeroed: an empty one.
typedef struct ct_table {
    uint32_t *slots;
    uint32_t bits; // 2^bits slots
    uint32_t used;
} ct_table;

/// Returns the hash that a number of the table was added with.
typedef uint32_t (*ct_table_hash)(const void *keys, uint32_t number);

static inline uint32_t ct_table_slot(uint32_t hash, uint32_t number) {
    return 0x80000000u | (hash & 0x1FFu) << 22 | number;
}

/// The place where a search for a hash begins.
static inline uint32_t ct_table_home(const ct_table *table, uint32_t hash) {
    return table->used > 0 ? hash >> (32 - table->bits) : 0;
}

/// The next number that may have the hash, from *at on, or CT_TABLE_NONE. Begin with *at at its
/// home. The caller compares the keys.
static inline uint32_t ct_table_next(const ct_table *table, uint32_t hash, uint32_t *at) {
    const uint32_t wanted = ct_table_slot(hash, 0);
    if (table->used == 0) return CT_TABLE_NONE;
    for (;;) {
        uint32_t slot = table->slots[*at], number = slot ^ wanted;
        *at = (*at + 1) & ((1u << table->bits) - 1);
        if (number < CT_TABLE_NUMBERS) return number;
        if (slot == 0) return CT_TABLE_NONE;
    }
}

/// Makes room for 'count' more numbers. 'hash' is called for those in the table, and may be NULL if
/// there are none. False, with nothing changed, when memory runs out or there would be too many.
bool ct_table_reserve(ct_table *table, const ct_allocator *allocator, uint32_t count,
                      ct_table_hash hash, const void *keys);

/// Adds a number, for which room was reserved.
void ct_table_add(ct_table *table, uint32_t hash, uint32_t number);

/// Removes a number, if the table has it. The keys of all its numbers are still in place.
void ct_table_remove(ct_table *table, uint32_t number, ct_table_hash hash, const void *keys);

/// Replaces a number, if the table has it, by another one of the same hash.
void ct_table_replace(ct_table *table, uint32_t hash, uint32_t number, uint32_t by);

/// Frees the memory. The table is empty afterwards.
void ct_table_free(ct_table *table, const ct_allocator *allocator);

static inline size_t ct_table_bytes(const ct_table *table) {
    return table->slots != NULL ? sizeof *table->slots << table->bits : 0;
}

CT_END_C

#endif
