// A hash table of numbers: the caller keeps the keys, and gives the hashes.
// Must not depend on what the numbers mean.
#ifndef CT_TABLE_H
#define CT_TABLE_H

#include "base/alloc.h"

CT_BEGIN_C

#define CT_TABLE_NONE UINT32_MAX

typedef struct ct_table_slot {
    uint32_t hash;
    uint32_t number; // + 1; 0: the slot is empty
} ct_table_slot;

/// Open addressing by the top bits of the hash, at most half full. Zeroed: an empty one.
typedef struct ct_table {
    ct_table_slot *slots;
    uint32_t bits; // 2^bits slots
    uint32_t used;
} ct_table;

/// Where to look for a hash first.
static inline uint32_t ct_table_home(const ct_table *table, uint32_t hash) {
    return table->used > 0 ? hash >> (32 - table->bits) : 0;
}

/// The next number with the hash, from *at on, or CT_TABLE_NONE. Begin with *at at its home.
static inline uint32_t ct_table_next(const ct_table *table, uint32_t hash, uint32_t *at) {
    if (table->used == 0) return CT_TABLE_NONE;
    for (;;) {
        const ct_table_slot slot = table->slots[*at];
        if (slot.number == 0) return CT_TABLE_NONE;
        *at = (*at + 1) & ((1u << table->bits) - 1);
        if (slot.hash == hash) return slot.number - 1;
    }
}

/// Makes room for 'count' more numbers. False, with nothing changed, when memory runs out.
bool ct_table_reserve(ct_table *table, const ct_allocator *allocator, uint32_t count);

/// Adds a number, for which room was reserved.
void ct_table_add(ct_table *table, uint32_t hash, uint32_t number);

/// Removes a number, if the table has it.
void ct_table_remove(ct_table *table, uint32_t hash, uint32_t number);

/// Replaces a number, if the table has it, by another one of the same hash.
void ct_table_replace(ct_table *table, uint32_t hash, uint32_t number, uint32_t by);

/// Frees the memory. The table is empty afterwards.
void ct_table_free(ct_table *table, const ct_allocator *allocator);

static inline size_t ct_table_bytes(const ct_table *table) {
    return table->slots != NULL ? sizeof *table->slots << table->bits : 0;
}

CT_END_C

#endif
