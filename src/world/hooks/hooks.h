// Hooks: functions that are called when components of a manager are added and removed.
#ifndef CT_HOOKS_H
#define CT_HOOKS_H

#include "world/world.h"

CT_BEGIN_C

// Each component is told once of its coming and once of its going: to the hooks that its manager
// has then. It comes when the call that made it has made all its components; it goes when it is
// removed or its owner dies, at once, while everything of the owner can still be read. Rows that
// wait for gc were told long ago. A component that goes before its coming was told is told of
// neither.
//
// Hooks may do anything but end the world: create, destroy, and add and take off hooks. Who ends a
// component, while its hooks hear that it goes, has the rest of them told before it is gone.

/// What a hook is of. All of CT_HOOK_REMOVE are told, manager after manager in spawn order, before
/// the first of CT_HOOK_END: that is for what the host keeps for components, and is also told of
/// one whose coming was not, and again of one that is ended once more while it is told.
typedef enum ct_hook_kind { CT_HOOK_ADD, CT_HOOK_REMOVE, CT_HOOK_END, CT_HOOK_KINDS } ct_hook_kind;

typedef struct ct_hook_event {
    void *context;    ///< of the call that made or destroyed the component
    ct_reason reason; ///< the same for all hooks of a component that is removed
    ct_manager *manager;
    ct_entity entity;
    ct_row row;
} ct_hook_event;

/// False: it failed, of which the host keeps the account. A failed CT_HOOK_ADD undoes the call that
/// created; of the others all are told nevertheless.
typedef bool (*ct_hook_fn)(void *user, const ct_hook_event *event);

/// From now on 'fn' is told of the components of a manager of the world; *token, which is
/// world->hook_token + 1, takes it off again. CT_OK or CT_ERR_MEMORY. Amortised O(1).
ct_status ct_hook_add(ct_world *world, ct_manager *manager, ct_hook_kind kind, ct_hook_fn fn,
                      void *user, uint32_t *token);

/// Whether that hook was there; it no longer is. O(log hooks), amortised.
bool ct_hook_remove(ct_world *world, ct_manager *manager, ct_hook_kind kind, uint32_t token);

/// Whether a manager has hooks of any kind.
bool ct_hooks_any(const ct_manager *manager);

/// Removes a row for a reason, and tells hooks of it. False, and nothing was done, when all
/// components of the owner are being told just now that it dies, or that the world is cleared.
/// *sound (may be NULL) becomes false when a hook failed.
bool ct_hooks_remove(ct_world *world, ct_manager *manager, ct_row row, ct_reason reason,
                     void *context, bool *sound);

/// The same for all components of an entity, one after another, in a manager, with
/// CT_REASON_REMOVE. Returns how many were removed.
uint32_t ct_hooks_remove_all(ct_world *world, ct_manager *manager, ct_entity e, void *context,
                             bool *sound);

/// Tells hooks that all components of the world go: entity after entity, managers in spawn order,
/// then by row. What was told cannot be found any more. The caller forbids to create meanwhile
/// (ct_world.ending), and then removes all. Whether no hook failed. O(rows); allocates nothing.
bool ct_hooks_clear(ct_world *world, ct_reason reason, void *context);

typedef struct ct_addition {
    ct_manager *manager;
    ct_entity entity; ///< CT_NOBODY: it has gone
    uint32_t id;
} ct_addition;

/// The components that one call makes, until their hooks have been told. Lies in the caller's
/// frame, from ct_additions_begin to ct_additions_end.
typedef struct ct_additions {
    ct_world *world;
    const ct_allocator *allocator; ///< of the world, which may end before them
    struct ct_additions *outer;
    ct_addition *items; ///< those of managers with hooks
    uint32_t count;
    uint32_t capacity;
    ct_reason reason;
    uint32_t told;   ///< items before it have been told of, or are being
    uint32_t undone; ///< items before it have been told that they go, in an undo
    ct_addition one; ///< lends its place to the first
} ct_additions;

void ct_additions_begin(ct_additions *additions, ct_world *world, ct_reason reason);

/// Forgets about them: what goes from now on is told that it goes. Calls nest: the last that began
/// ends first.
void ct_additions_end(ct_additions *additions);

/// The last 'count' rows of a manager were made by this call: notes those of which hooks have to be
/// told. CT_OK or CT_ERR_MEMORY.
ct_status ct_additions_note(ct_additions *additions, ct_manager *manager, uint32_t count);

/// The same for what ct_manager_create has made just now, with the status that it had: unless that
/// and this are CT_OK the rows are taken back, with the numbers that were issued since
/// ct_store_keep_number, and 'additions' ends. The status of what failed.
ct_status ct_additions_note_new(ct_additions *additions, ct_manager *manager, uint32_t count,
                                ct_status status);

/// Tells the hooks, once all components of the call are there: managers in spawn order, then by
/// row. False when one failed: the rest is
/// not told, and the caller undoes the call.
bool ct_additions_tell(ct_additions *additions, void *context);

/// The beginning of that: tells that they go, with CT_REASON_UNDO, to those who were told that they
/// came. They are
/// still there; who destroys them now tells nobody but CT_HOOK_END.
void ct_additions_undo(ct_additions *additions, void *context);

/// Removes those that are there yet, after an undo, where their owners live on: the last first.
void ct_additions_rollback(ct_additions *additions, void *context);

/// The row of an item, or CT_NO_ROW when it has gone.
ct_row ct_additions_row(const ct_additions *additions, uint32_t item);

/// A manager that takes the place of another takes its hooks over.
void ct_hooks_move(ct_manager *to, ct_manager *from);

/// Frees the hooks of a manager, whose rows have all been told.
void ct_hooks_free(ct_world *world, ct_manager *manager);

CT_END_C

#endif
