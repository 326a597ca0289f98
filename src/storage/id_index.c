// From an entity and a component id to the row: for entities that have many components of one type.
// Knows nothing of lists and maps; owners and ids of the rows are lent to it at each call.
#include "storage/id_index.h"

#include "storage/entity_map.h"

#include <string.h>

enum { FEWEST_BITS = 6 };

static uint32_t hash_of(ct_entity owner, uint32_t id) {
    uint32_t hash = ct_hash_index(owner.id) ^ id;
    hash = (hash ^ hash >> 16) * 0x85EBCA6Bu; // Murmur3's finalizer
    hash = (hash ^ hash >> 13) * 0xC2B2AE35u;
    return hash ^ hash >> 16;
}

static uint32_t hash_of_row(const ct_id_columns *columns, uint32_t row) {
    return hash_of(columns->owners[row], columns->ids[row]);
}

static uint32_t mask_of(const ct_id_index *index) { return (1u << index->slot_bits) - 1; }

static uint32_t place_of(const ct_id_index *index, uint32_t hash) {
    return hash >> (32 - index->slot_bits);
}

static uint32_t row_in(uint32_t slot) { return slot & (CT_MAX_ROWS - 1); }

uint32_t ct_id_index_find(const ct_id_index *index, const ct_id_columns *columns, ct_entity owner,
                          uint32_t id) {
    if (index->used == 0) return CT_NO_ROW;
    uint32_t hash = hash_of(owner, id), wanted = ct_entity_map_slot(hash, 0);
    for (uint32_t place = place_of(index, hash);; place = (place + 1) & mask_of(index)) {
        uint32_t slot = index->slots[place], row = slot ^ wanted;
        if (row < CT_MAX_ROWS && columns->owners[row].id == owner.id && columns->ids[row] == id)
            return row;
        if (slot == 0) return CT_NO_ROW;
    }
}

static void insert(ct_id_index *index, uint32_t hash, uint32_t row) {
    uint32_t place = place_of(index, hash);
    while (index->slots[place] != 0)
        place = (place + 1) & mask_of(index);
    index->slots[place] = ct_entity_map_slot(hash, row);
}

bool ct_id_index_reserve(ct_id_index *index, const ct_allocator *allocator,
                         const ct_id_columns *columns, uint32_t count) {
    uint32_t bits = index->slots != NULL ? index->slot_bits : FEWEST_BITS;
    // As many rows as there may be fit into 2^23 slots.
    while ((uint64_t)(index->used + count) * 2 > (uint64_t)1 << bits)
        bits++;
    if (index->slots != NULL && bits == index->slot_bits) return true;
    ct_id_index grown = {ct_alloc_zero(allocator, sizeof(uint32_t) << bits), bits, index->used};
    if (grown.slots == NULL) return false;
    for (uint32_t place = 0; index->slots != NULL && place <= mask_of(index); ++place) {
        uint32_t row = row_in(index->slots[place]);
        if (index->slots[place] != 0) insert(&grown, hash_of_row(columns, row), row);
    }
    ct_free(allocator, index->slots, ct_id_index_bytes(index));
    *index = grown;
    return true;
}

void ct_id_index_enter(ct_id_index *index, const ct_id_columns *columns, uint32_t row) {
    insert(index, hash_of_row(columns, row), row);
    index->used++;
}

// The slot of a row, or NULL.
static uint32_t *slot_of(const ct_id_index *index, const ct_id_columns *columns, uint32_t row) {
    if (index->used == 0) return NULL;
    uint32_t hash = hash_of_row(columns, row), wanted = ct_entity_map_slot(hash, row);
    uint32_t place = place_of(index, hash);
    while (index->slots[place] != wanted && index->slots[place] != 0)
        place = (place + 1) & mask_of(index);
    return index->slots[place] != 0 ? &index->slots[place] : NULL;
}

void ct_id_index_erase(ct_id_index *index, const ct_id_columns *columns, uint32_t row) {
    uint32_t *slot = slot_of(index, columns, row);
    if (slot == NULL) return;
    // Those behind it that may come closer to where they belong do so: no gap is left on the way to
    // any of them.
    uint32_t mask = mask_of(index), gap = (uint32_t)(slot - index->slots);
    for (uint32_t at = (gap + 1) & mask; index->slots[at] != 0; at = (at + 1) & mask) {
        uint32_t home = place_of(index, hash_of_row(columns, row_in(index->slots[at])));
        if (((at - home) & mask) < ((at - gap) & mask)) continue;
        index->slots[gap] = index->slots[at];
        gap = at;
    }
    index->slots[gap] = 0;
    index->used--;
}

void ct_id_index_move(ct_id_index *index, const ct_id_columns *columns, uint32_t to,
                      uint32_t from) {
    uint32_t *slot = slot_of(index, columns, from);
    if (slot != NULL) *slot = ct_entity_map_slot(hash_of_row(columns, from), to);
}

void ct_id_index_drop(ct_id_index *index, const ct_allocator *allocator) {
    ct_free(allocator, index->slots, ct_id_index_bytes(index));
    memset(index, 0, sizeof *index);
}
