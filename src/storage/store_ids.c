// Component ids: setting, finding, removing. The rows of an entity are searched linearly if there
// are few, else indexed.
#include "storage/store_internal.h"

// Up to this number of rows per entity, a linear search is used.
#define FEW_ROWS (CT_FIRST_CAPACITY / 2)

static ct_id_columns columns_of(const ct_store *store) {
    return (ct_id_columns){ct_store_owners(store), ct_store_u32(store, CT_COLUMN_ID)};
}

void ct_store_drop_id(ct_store *store, uint32_t row) {
    const ct_id_columns columns = columns_of(store);
    ct_table_remove(&store->ids, row, ct_id_hash_row, &columns);
}

void ct_store_move_id(ct_store *store, uint32_t to, uint32_t from) {
    const ct_id_columns columns = columns_of(store);
    ct_table_replace(&store->ids, ct_id_hash_row(&columns, from), from, to);
}

// Returns whether the rows of the entity with this first row are in the index: all are, or none.
static bool is_indexed(const ct_store *store, uint32_t first) {
    const ct_id_columns columns = columns_of(store);
    return ct_id_index_find(&store->ids, &columns, columns.owners[first], columns.ids[first]) !=
           CT_NO_ROW;
}

static bool enter(ct_store *store, uint32_t row) {
    const ct_id_columns columns = columns_of(store);
    if (!ct_table_reserve(&store->ids, store->allocator, 1, ct_id_hash_row, &columns)) {
        ct_table_free(&store->ids, store->allocator);
        return false;
    }
    ct_table_add(&store->ids, ct_id_hash_row(&columns, row), row);
    return true;
}

// Adds the rows of a list. Rows without an id are added when they get one.
static void index_list(ct_store *store, uint32_t first) {
    const uint32_t *ids = ct_store_u32(store, CT_COLUMN_ID), *next = ct_store_next_of(store);
    for (uint32_t row = first; row != CT_NO_ROW; row = next[row]) {
        if (ids[row] != 0 && !enter(store, row)) return;
    }
}

void ct_store_set_id(ct_store *store, ct_row row, uint32_t id) {
    ct_store_u32(store, CT_COLUMN_ID)[row.i] = id;
    if (store->ids.used == 0 || id == 0) return;
    uint32_t first = ct_store_find_index(store, ct_entity_index(ct_store_owners(store)[row.i]));
    if (first != row.i && is_indexed(store, first)) enter(store, row.i);
}

ct_row ct_store_find_id(ct_store *store, ct_entity e, uint32_t id) {
    if (!store->multiple) return (ct_row){CT_NO_ROW}; // the store has no ids
    const ct_id_columns columns = columns_of(store);
    ct_row first = ct_store_find(store, e), row = first;
    if (first.i == CT_NO_ROW) return first;
    if (store->ids.used > 0) {
        uint32_t found = ct_id_index_find(&store->ids, &columns, e, id);
        if (found != CT_NO_ROW || is_indexed(store, first.i)) return (ct_row){found};
    }
    uint32_t length = 0;
    for (; row.i != CT_NO_ROW && columns.ids[row.i] != id; ++length)
        row = ct_store_next(store, row);
    if (length > FEW_ROWS && columns.ids[first.i] != 0) index_list(store, first.i);
    return row;
}
