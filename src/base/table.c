// A hash table of numbers: the caller keeps the keys, and gives the hashes.
#include "base/table.h"

#include <string.h>

enum { FEWEST_BITS = 6 };

static uint32_t mask_of(const ct_table *table) { return (1u << table->bits) - 1; }

static uint32_t number_in(uint32_t slot) { return slot & (CT_TABLE_NUMBERS - 1); }

void ct_table_add(ct_table *table, uint32_t hash, uint32_t number) {
    uint32_t at = hash >> (32 - table->bits);
    while (table->slots[at] != 0)
        at = (at + 1) & mask_of(table);
    table->slots[at] = ct_table_slot(hash, number);
    table->used++;
}

bool ct_table_reserve(ct_table *table, const ct_allocator *allocator, uint32_t count,
                      ct_table_hash hash, const void *keys) {
    ct_table grown = {NULL, table->slots != NULL ? table->bits : FEWEST_BITS, 0};
    if (count > CT_TABLE_NUMBERS - table->used) return false;
    while ((table->used + count) * 2 > 1u << grown.bits)
        grown.bits++;
    if (table->slots != NULL && grown.bits == table->bits) return true;
    grown.slots = ct_alloc_zero(allocator, sizeof *grown.slots << grown.bits);
    if (grown.slots == NULL) return false;
    for (uint32_t at = 0; table->slots != NULL && at <= mask_of(table); ++at) {
        uint32_t number = number_in(table->slots[at]);
        if (table->slots[at] != 0) ct_table_add(&grown, hash(keys, number), number);
    }
    ct_table_free(table, allocator);
    *table = grown;
    return true;
}

// The place of a number, or CT_TABLE_NONE.
static uint32_t place_of(const ct_table *table, uint32_t hash, uint32_t number) {
    const uint32_t wanted = ct_table_slot(hash, number);
    if (table->used == 0) return CT_TABLE_NONE;
    uint32_t at = ct_table_home(table, hash);
    while (table->slots[at] != wanted && table->slots[at] != 0)
        at = (at + 1) & mask_of(table);
    return table->slots[at] != 0 ? at : CT_TABLE_NONE;
}

void ct_table_remove(ct_table *table, uint32_t number, ct_table_hash hash, const void *keys) {
    uint32_t *slots = table->slots, mask = mask_of(table);
    uint32_t gap = place_of(table, hash(keys, number), number);
    if (gap == CT_TABLE_NONE) return;
    // The slots behind it move over the gap unless that puts them before their home (Knuth, TAOCP
    // 6.4, algorithm R).
    for (uint32_t at = (gap + 1) & mask; slots[at] != 0; at = (at + 1) & mask) {
        uint32_t home = hash(keys, number_in(slots[at])) >> (32 - table->bits);
        if (((at - home) & mask) < ((at - gap) & mask)) continue;
        slots[gap] = slots[at];
        gap = at;
    }
    slots[gap] = 0;
    table->used--;
}

void ct_table_replace(ct_table *table, uint32_t hash, uint32_t number, uint32_t by) {
    uint32_t at = place_of(table, hash, number);
    if (at != CT_TABLE_NONE) table->slots[at] = ct_table_slot(hash, by);
}

void ct_table_free(ct_table *table, const ct_allocator *allocator) {
    ct_free(allocator, table->slots, ct_table_bytes(table));
    memset(table, 0, sizeof *table);
}
