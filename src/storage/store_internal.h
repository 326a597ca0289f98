// What the files of the store tell one another: lists of several rows per entity.
// Knows nothing of what a component's own columns mean.
#ifndef CT_STORE_INTERNAL_H
#define CT_STORE_INTERNAL_H

#include "storage/store.h"

static inline uint32_t *ct_store_next_of(const ct_store *store) {
    return ct_store_u32(store, CT_COLUMN_NEXT);
}

static inline uint32_t *ct_store_prev_of(const ct_store *store) {
    return ct_store_u32(store, CT_COLUMN_PREV);
}

/// The rows from 'row' on of a dead predecessor under an index are orphaned, owned by CT_NOBODY,
/// from now on: only gc sees them.
void ct_store_orphan(ct_store *store, uint32_t row);

#endif
