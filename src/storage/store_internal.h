// Shared by the files of the store: lists of several rows per entity.
#ifndef CT_STORE_INTERNAL_H
#define CT_STORE_INTERNAL_H

#include "storage/store.h"

static inline uint32_t *ct_store_next_of(const ct_store *store) {
    return ct_store_u32(store, CT_COLUMN_NEXT);
}

static inline uint32_t *ct_store_prev_of(const ct_store *store) {
    return ct_store_u32(store, CT_COLUMN_PREV);
}

/// A row that loses its owner or its place is found by its id no more.
void ct_store_drop_id(ct_store *store, uint32_t row);

static inline void ct_store_leave_ids(ct_store *store, uint32_t row) {
    if (CT_UNLIKELY(store->ids.used > 0)) ct_store_drop_id(store, row);
}

/// The row 'from', whose columns were copied to 'to', is found there from now on.
void ct_store_move_id(ct_store *store, uint32_t to, uint32_t from);

/// The rows from 'row' on of a dead predecessor under an index are orphaned, owned by CT_NOBODY,
/// from now on: only gc sees them.
void ct_store_orphan(ct_store *store, uint32_t row);

#endif
