// The checked functions that change a world, with the reason of each failure.
#ifndef CT_EXPLAINED_H
#define CT_EXPLAINED_H

#include "world/world.h"

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

// These functions do the same as those of checked.h with the same names, and write the reason to
// 'message' unless they return CT_OK.

/// Writes the reason for a status that needs no other: "not enough memory", "world is destroyed".
/// Returns the status.
ct_status ct_explained_status(ct_status status, ct_message *message);

/// Returns whether changes are allowed: not while the host updates its data after a restore, and
/// not in a callback of a component.
bool ct_explained_may_change(const ct_entity_manager *entities, ct_message *message);

/// Returns whether the manager has this row, or this field.
bool ct_explained_has_row(const ct_manager *manager, ct_row row, ct_message *message);
bool ct_explained_has_field(const ct_manager *manager, uint32_t field, ct_message *message);

/// Returns whether a row can be a parent. A living child of a dead parent would stay linked until
/// gc.
bool ct_explained_can_be_parent(const ct_manager *transforms, ct_row row, ct_message *message);

ct_status ct_explained_create(ct_entity_manager *entities, uint32_t count, ct_entity *out,
                              ct_message *message);

/// Returns whether 'values', one for each of all inputs, late ones included, are valid for 'count'
/// new components.
bool ct_explained_check_values(const ct_manager *manager, uint32_t count, const ct_values *values,
                               ct_message *message);

/// Adds components with such values.
ct_status ct_explained_add(ct_manager *manager, uint32_t count, const ct_entity *owners,
                           const ct_values *values, ct_row *first, ct_message *message);
ct_status ct_explained_remove(ct_manager *manager, ct_row row, ct_message *message);
ct_status ct_explained_write(ct_manager *manager, uint32_t field, ct_row row, const void *item,
                             ct_message *message);
ct_status ct_explained_link(ct_manager *transforms, ct_row child, ct_row parent, bool keep_world,
                            ct_message *message);
ct_status ct_explained_query(ct_world *world, uint32_t count, ct_manager *const *managers,
                             const ct_query_role *roles, ct_query **query, ct_message *message);

#endif
