// A hash table of numbers: the caller keeps the keys, and gives the hashes.
// Must not depend on what the numbers mean.
#include "base/table.h"

#include <string.h>

enum { FEWEST_BITS = 4 };

static uint32_t mask_of(const ct_table *table) { return (1u << table->bits) - 1; }

void ct_table_add(ct_table *table, uint32_t hash, uint32_t number) {
    uint32_t at = hash >> (32 - table->bits);
    while (table->slots[at].number != 0)
        at = (at + 1) & mask_of(table);
    table->slots[at] = (ct_table_slot){hash, number + 1};
    table->used++;
}

bool ct_table_reserve(ct_table *table, const ct_allocator *allocator, uint32_t count) {
    ct_table grown = {NULL, table->slots != NULL ? table->bits : FEWEST_BITS, 0};
    while (((uint64_t)table->used + count) * 2 > (uint64_t)1 << grown.bits)
        grown.bits++;
    if (table->slots != NULL && grown.bits == table->bits) return true;
    if (grown.bits > 31) return false;
    grown.slots = ct_alloc_zero(allocator, sizeof *grown.slots << grown.bits);
    if (grown.slots == NULL) return false;
    for (size_t i = 0; i < ct_table_bytes(table) / sizeof *table->slots; ++i) {
        const ct_table_slot slot = table->slots[i];
        if (slot.number != 0) ct_table_add(&grown, slot.hash, slot.number - 1);
    }
    ct_table_free(table, allocator);
    *table = grown;
    return true;
}

// The slot of a number, or NULL.
static ct_table_slot *slot_of(const ct_table *table, uint32_t hash, uint32_t number) {
    uint32_t at = ct_table_home(table, hash);
    if (table->used == 0) return NULL;
    while (table->slots[at].number != 0 && table->slots[at].number != number + 1)
        at = (at + 1) & mask_of(table);
    return table->slots[at].number != 0 ? &table->slots[at] : NULL;
}

void ct_table_remove(ct_table *table, uint32_t hash, uint32_t number) {
    ct_table_slot *slots = table->slots, *slot = slot_of(table, hash, number);
    if (slot == NULL) return;
    // The slots behind it move over the gap unless that puts them before their home (Knuth, TAOCP
    // 6.4, algorithm R).
    uint32_t mask = mask_of(table), gap = (uint32_t)(slot - slots);
    for (uint32_t at = (gap + 1) & mask; slots[at].number != 0; at = (at + 1) & mask) {
        uint32_t home = slots[at].hash >> (32 - table->bits);
        if (((at - home) & mask) < ((at - gap) & mask)) continue;
        slots[gap] = slots[at];
        gap = at;
    }
    slots[gap].number = 0;
    table->used--;
}

void ct_table_replace(ct_table *table, uint32_t hash, uint32_t number, uint32_t by) {
    ct_table_slot *slot = slot_of(table, hash, number);
    if (slot != NULL) slot->number = by + 1;
}

void ct_table_free(ct_table *table, const ct_allocator *allocator) {
    ct_free(allocator, table->slots, ct_table_bytes(table));
    memset(table, 0, sizeof *table);
}
