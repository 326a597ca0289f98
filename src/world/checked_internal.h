// What the files of checked functions ask first.
// Knows nothing of any one component.
#ifndef CT_CHECKED_INTERNAL_H
#define CT_CHECKED_INTERNAL_H

#include "world/checked.h"

static inline bool ct_checked_has_row(const ct_manager *manager, ct_row row) {
    return row.i < ct_store_count(&manager->store);
}

/// Not while the host puts in order what it keeps, after a restore, nor from a callback of a
/// component, which the core calls in the middle of its work.
static inline bool ct_checked_may_change(const ct_entity_manager *entities) {
    return !ct_entity_manager_is_frozen(entities) && entities->callbacks == 0;
}

#endif
