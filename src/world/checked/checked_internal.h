// Checks that precede every call of a plugin.
#ifndef CT_CHECKED_INTERNAL_H
#define CT_CHECKED_INTERNAL_H

#include "world/checked/checked.h"

static inline bool ct_checked_has_row(const ct_manager *manager, ct_row row) {
    return row.i < ct_store_count(&manager->store);
}

/// Returns whether the manager has this type and this row.
static inline bool ct_checked_is(const ct_manager *manager, const ct_manager_type *type,
                                 ct_row row) {
    return manager != NULL && manager->type == type && ct_checked_has_row(manager, row);
}

/// Returns whether changes are allowed: not while the host updates its data after a restore, and
/// not in a callback of a component, which the core calls in the middle of its work.
static inline bool ct_checked_may_change(const ct_entity_manager *entities) {
    return !ct_entity_manager_is_frozen(entities) && entities->callbacks == 0;
}

#endif
