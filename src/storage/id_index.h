// From an entity and a component id to the row: for entities that have many components of one type.
// Knows nothing of lists and maps; owners and ids of the rows are lent to it at each call.
#ifndef CT_ID_INDEX_H
#define CT_ID_INDEX_H

#include "base/alloc.h"

CT_BEGIN_C

/// Open addressing, 4 bytes a slot, at most half full. It may be dropped at any time: whoever has
/// none walks instead.
typedef struct ct_id_index {
    uint32_t *slots; // 0 is empty; else as those of ct_entity_map
    uint32_t slot_bits;
    uint32_t used;
} ct_id_index;

/// What tells the rows apart: columns of a store.
typedef struct ct_id_columns {
    const ct_entity *owners;
    const uint32_t *ids;
} ct_id_columns;

/// The row of an owner with an id, or CT_NO_ROW. O(1).
uint32_t ct_id_index_find(const ct_id_index *index, const ct_id_columns *columns, ct_entity owner,
                          uint32_t id);

/// Room for 'count' more rows. False when memory runs out; what is found is the same either way.
bool ct_id_index_reserve(ct_id_index *index, const ct_allocator *allocator,
                         const ct_id_columns *columns, uint32_t count);

/// Enters a row. Room was reserved; it is not in yet.
void ct_id_index_enter(ct_id_index *index, const ct_id_columns *columns, uint32_t row);

/// Removes a row, if it is in. Owner and id of all that are in still stand in the columns.
void ct_id_index_erase(ct_id_index *index, const ct_id_columns *columns, uint32_t row);

/// The row 'from', if it is in, is at 'to' from now on. Owner and id stand at 'from' still.
void ct_id_index_move(ct_id_index *index, const ct_id_columns *columns, uint32_t to, uint32_t from);

/// Forgets all, gives the memory back.
void ct_id_index_drop(ct_id_index *index, const ct_allocator *allocator);

static inline size_t ct_id_index_bytes(const ct_id_index *index) {
    return index->slots != NULL ? sizeof(uint32_t) << index->slot_bits : 0;
}

CT_END_C

#endif
