// Internals that the files of the store share: lists of rows per entity, and ids.
#ifndef CT_STORE_INTERNAL_H
#define CT_STORE_INTERNAL_H

#include "storage/store.h"

static inline uint32_t *ct_store_next_of(const ct_store *store) {
    return ct_store_u32(store, CT_COLUMN_NEXT);
}

static inline uint32_t *ct_store_prev_of(const ct_store *store) {
    return ct_store_u32(store, CT_COLUMN_PREV);
}

/// Removes a row from the index of ids, before it loses its owner or its place.
void ct_store_drop_id(ct_store *store, uint32_t row);

static inline void ct_store_unindex_ids(ct_store *store, uint32_t row) {
    if (CT_UNLIKELY(store->ids.used > 0)) ct_store_drop_id(store, row);
}

/// Updates the index of ids after the columns of row 'from' were copied to 'to'.
void ct_store_move_id(ct_store *store, uint32_t to, uint32_t from);

/// Orphans the rows from 'row' on of a dead entity: sets their owner to CT_NOBODY, so only gc uses
/// them.
void ct_store_orphan(ct_store *store, uint32_t row);

#endif
