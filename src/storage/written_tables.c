// Which tables of a value have been written, and how many bytes each took.
// Knows nothing of what tables are.
#include "storage/written_tables.h"

#include "base/hash.h"

#include <string.h>

// The slot of a table, which may be empty.
static ct_written_table *slot_of(const ct_written_tables *tables, const void *table) {
    uint32_t mask = tables->slot_count - 1;
    uint32_t at = (uint32_t)ct_hash_mix(0, (uintptr_t)table) & mask;
    while (tables->slots[at].table != NULL && tables->slots[at].table != table)
        at = (at + 1) & mask;
    return &tables->slots[at];
}

uint32_t ct_written_tables_find(const ct_written_tables *tables, const void *table) {
    return tables->used > 0 ? slot_of(tables, table)->bytes : 0;
}

static bool reserve(ct_written_tables *tables) {
    const ct_written_tables old = *tables;
    if (old.used * 2 < old.slot_count) return true;
    uint32_t count = old.slot_count > 0 ? old.slot_count * 2 : 16;
    ct_written_table *slots = ct_arena_take(old.arena, count * sizeof *slots);
    if (slots == NULL) return false;
    memset(slots, 0, count * sizeof *slots);
    tables->slots = slots;
    tables->slot_count = count;
    for (uint32_t i = 0; i < old.slot_count; ++i)
        if (old.slots[i].table != NULL) *slot_of(tables, old.slots[i].table) = old.slots[i];
    return true;
}

bool ct_written_tables_note(ct_written_tables *tables, const void *table, uint32_t bytes) {
    if (!reserve(tables)) return false;
    *slot_of(tables, table) = (ct_written_table){table, bytes};
    tables->used++;
    return true;
}
