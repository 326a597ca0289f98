// Hash table of numbers: the caller keeps the keys and passes the hashes.
#include "base/table.h"

static uint32_t fewest_bits(const ct_table *table) { return table->dense ? 3 : 6; }

static bool resize(ct_table *table, const ct_allocator *allocator, uint32_t bits,
                   ct_table_hash hash, const void *keys) {
    ct_table other = {ct_alloc_zero(allocator, sizeof *other.slots << bits), 0, (uint8_t)bits,
                      table->dense};
    if (other.slots == NULL) return false;
    for (uint32_t at = 0; table->slots != NULL && at <= ct_table_mask(table); ++at) {
        uint32_t number = ct_table_number(table->slots[at]);
        if (table->slots[at] != 0) ct_table_add(&other, hash(keys, number), number);
    }
    ct_table_free(table, allocator);
    *table = other;
    return true;
}

bool ct_table_reserve(ct_table *table, const ct_allocator *allocator, uint32_t count,
                      ct_table_hash hash, const void *keys) {
    uint32_t bits = table->slots != NULL ? table->bits : fewest_bits(table);
    if (count > CT_TABLE_NUMBERS - table->used) return false;
    while (ct_table_is_short(table, bits, table->used + count))
        bits++;
    return (table->slots != NULL && bits == table->bits) ||
           resize(table, allocator, bits, hash, keys);
}

void ct_table_trim(ct_table *table, const ct_allocator *allocator, ct_table_hash hash,
                   const void *keys) {
    uint32_t bits = table->bits;
    if (table->used == 0) {
        ct_table_free(table, allocator);
        return;
    }
    while (bits > fewest_bits(table) && !ct_table_is_short(table, bits - 1, table->used))
        bits--;
    if (bits < table->bits) (void)resize(table, allocator, bits, hash, keys);
}

void ct_table_free(ct_table *table, const ct_allocator *allocator) {
    ct_free(allocator, table->slots, ct_table_bytes(table));
    *table = (ct_table){.dense = table->dense};
}
