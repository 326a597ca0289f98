// Internals of hooks: lists of hooks, and components that are being added.
#ifndef CT_HOOKS_INTERNAL_H
#define CT_HOOKS_INTERNAL_H

#include "base/callbacks.h"
#include "world/hooks/hooks.h"

struct ct_hooks {
    ct_callbacks of[CT_HOOK_KINDS]; // one ct_hook_fn each, in order of their tokens
};

/// Returns the row of a component, or CT_NO_ROW.
static inline ct_row ct_hooks_find_row(ct_manager *manager, ct_entity e, uint32_t id) {
    ct_store *store = &manager->store;
    return store->multiple ? ct_store_find_id(store, e, id) : ct_store_find(store, e);
}

/// Calls one hook. The world must not end meanwhile.
bool ct_hooks_call(ct_world *world, const ct_callback *hook, const ct_hook_event *event);

/// Returns the first hook of a kind with a token above 'last' and at most 'youngest', or NULL.
const ct_callback *ct_hooks_next(const ct_manager *manager, uint32_t kind, uint32_t last,
                                 uint32_t youngest);

/// Finds the item of a component among all creating calls, or NULL. Sets *quiet if no hooks run for
/// its removal, because the hooks of its addition did not run, or its removal hooks ran already.
ct_addition *ct_additions_find(const ct_world *world, const ct_manager *manager, ct_entity e,
                               uint32_t id, bool *quiet);

/// Marks a component as removed.
static inline void ct_addition_drop(ct_addition *item) { item->entity.id = CT_NOBODY; }

#endif
