// Hash table of numbers: the caller keeps the keys and passes the hashes.
#ifndef CT_TABLE_H
#define CT_TABLE_H

#include "base/alloc.h"

#define CT_TABLE_NUMBERS (1u << 22) ///< numbers must be below it
#define CT_TABLE_NONE UINT32_MAX

// A slot; 0 is empty. The top bits of the hash are the home slot, the low bits the fingerprint,
// which rejects most misses without a comparison of keys.
//
//      31  30              22 21                                         0
//     [ 1 ][   fingerprint   ][                  number                  ]

/// Hash table with open addressing, at most half full. Zeroed: an empty table.
typedef struct ct_table {
    uint32_t *slots;
    uint32_t used;
    uint8_t bits; // 2^bits slots; 0: none
    bool dense;   // at most three quarters full, and starts with fewer slots
} ct_table;

/// Returns the hash with which a number was added to the table.
typedef uint32_t (*ct_table_hash)(const void *keys, uint32_t number);

static inline uint32_t ct_table_slot(uint32_t hash, uint32_t number) {
    return 0x80000000u | (hash & 0x1FFu) << 22 | number;
}

static inline uint32_t ct_table_number(uint32_t slot) { return slot & (CT_TABLE_NUMBERS - 1); }

static inline uint32_t ct_table_mask(const ct_table *table) { return (1u << table->bits) - 1; }

/// Returns the slot index at which the search for a hash begins.
static inline uint32_t ct_table_home(const ct_table *table, uint32_t hash) {
    return table->bits > 0 ? hash >> (32 - table->bits) : 0;
}

/// Returns the next number that may have the hash, from slot *at on, or CT_TABLE_NONE. Start with
/// *at at the home slot. The caller must compare the keys.
static inline uint32_t ct_table_next(const ct_table *table, uint32_t hash, uint32_t *at) {
    const uint32_t wanted = ct_table_slot(hash, 0);
    if (CT_UNLIKELY(table->bits == 0)) return CT_TABLE_NONE;
    for (;;) {
        uint32_t slot = table->slots[*at], number = slot ^ wanted;
        *at = (*at + 1) & ct_table_mask(table);
        if (number < CT_TABLE_NUMBERS) return number;
        if (slot == 0) return CT_TABLE_NONE;
    }
}

/// Returns whether a table with 2^bits slots is too small for 'count' numbers.
static inline bool ct_table_is_short(const ct_table *table, uint32_t bits, uint32_t count) {
    uint64_t slots = UINT64_C(1) << bits;
    return table->dense ? (uint64_t)count * 4 > 3 * slots : (uint64_t)count * 2 > slots;
}

/// Reserves memory for 'count' more numbers. Calls 'hash' for the numbers in the table; it may be
/// NULL if there are none. Returns false and changes nothing if memory runs out or there would be
/// too many numbers.
bool ct_table_reserve(ct_table *table, const ct_allocator *allocator, uint32_t count,
                      ct_table_hash hash, const void *keys);

/// Frees slots that are not needed, if memory for the move suffices.
void ct_table_trim(ct_table *table, const ct_allocator *allocator, ct_table_hash hash,
                   const void *keys);

/// Adds a number. Memory must be reserved.
static inline void ct_table_add(ct_table *table, uint32_t hash, uint32_t number) {
    uint32_t at = hash >> (32 - table->bits);
    while (table->slots[at] != 0)
        at = (at + 1) & ct_table_mask(table);
    table->slots[at] = ct_table_slot(hash, number);
    table->used++;
}

/// Returns the slot index of a number, or CT_TABLE_NONE.
static inline uint32_t ct_table_place(const ct_table *table, uint32_t hash, uint32_t number) {
    const uint32_t wanted = ct_table_slot(hash, number), mask = ct_table_mask(table);
    const uint32_t *slots = table->slots;
    if (CT_UNLIKELY(table->bits == 0)) return CT_TABLE_NONE;
    for (uint32_t at = hash >> (32 - table->bits);; at = (at + 1) & mask) {
        if (slots[at] == wanted) return at;
        if (slots[at] == 0) return CT_TABLE_NONE;
    }
}

/// Replaces a number, if it is in the table, by another one with the same hash.
static inline void ct_table_replace(ct_table *table, uint32_t hash, uint32_t number, uint32_t by) {
    uint32_t at = ct_table_place(table, hash, number);
    if (at != CT_TABLE_NONE) table->slots[at] = ct_table_slot(hash, by);
}

/// Removes a number, if it is in the table. The keys of all numbers must still be valid.
static inline void ct_table_remove(ct_table *table, uint32_t number, ct_table_hash hash,
                                   const void *keys) {
    uint32_t *slots = table->slots, mask = ct_table_mask(table);
    uint32_t gap = ct_table_place(table, hash(keys, number), number);
    if (gap == CT_TABLE_NONE) return;
    // Following slots move into the gap unless that would put them before their home (Knuth, TAOCP
    // 6.4, algorithm R).
    for (uint32_t at = (gap + 1) & mask; slots[at] != 0; at = (at + 1) & mask) {
        uint32_t home = hash(keys, ct_table_number(slots[at])) >> (32 - table->bits);
        if (((at - home) & mask) < ((at - gap) & mask)) continue;
        slots[gap] = slots[at];
        gap = at;
    }
    slots[gap] = 0;
    table->used--;
}

/// Frees the memory. The table is empty afterwards.
void ct_table_free(ct_table *table, const ct_allocator *allocator);

static inline size_t ct_table_bytes(const ct_table *table) {
    return table->slots != NULL ? sizeof *table->slots << table->bits : 0;
}

#endif
