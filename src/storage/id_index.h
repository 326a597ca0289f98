// Lookup of rows by owner and component id, for entities with many components of one type.
// Must not depend on stores; their columns are passed in.
#ifndef CT_ID_INDEX_H
#define CT_ID_INDEX_H

#include "base/hash.h"
#include "base/table.h"

/// Columns of a store with the keys of the table.
typedef struct ct_id_columns {
    const ct_entity *owners;
    const uint32_t *ids;
} ct_id_columns;

static inline uint32_t ct_id_hash(ct_entity owner, uint32_t id) {
    uint32_t hash = ct_hash_index(owner.id) ^ id;
    hash = (hash ^ hash >> 16) * 0x85EBCA6Bu; // Murmur3's finalizer
    hash = (hash ^ hash >> 13) * 0xC2B2AE35u;
    return hash ^ hash >> 16;
}

/// Hash function for ct_table; 'columns' is a ct_id_columns.
static inline uint32_t ct_id_hash_row(const void *columns, uint32_t row) {
    const ct_id_columns *keys = (const ct_id_columns *)columns;
    return ct_id_hash(keys->owners[row], keys->ids[row]);
}

/// Returns the row of an owner with an id, or CT_NO_ROW. O(1).
static inline uint32_t ct_id_index_find(const ct_table *table, const ct_id_columns *columns,
                                        ct_entity owner, uint32_t id) {
    uint32_t hash = ct_id_hash(owner, id), at = ct_table_home(table, hash), row;
    do
        row = ct_table_next(table, hash, &at);
    while (row != CT_NO_ROW && (columns->owners[row].id != owner.id || columns->ids[row] != id));
    return row;
}

#endif
