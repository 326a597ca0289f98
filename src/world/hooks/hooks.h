// Hooks: functions that are called when components of a manager are added and removed.
#ifndef CT_HOOKS_H
#define CT_HOOKS_H

#include "world/world.h"

CT_BEGIN_C

// The hooks of a manager are called once when a component is added and once when it is removed. A
// component is added when the call that creates it has created all its components. It is removed
// when its row is removed or its owner dies; everything of the owner can still be read then, and gc
// calls no hooks later. No hooks are called for a component that is removed before the hooks of its
// addition were called.
//
// Hooks may create, destroy, and add and remove hooks; they must not end the world. If a hook
// removes the component that is being removed, the remaining hooks run first.

/// The kinds of hooks. All hooks of CT_HOOK_REMOVE run, manager by manager in spawn order, before
/// the first of CT_HOOK_END, which is for data that the host keeps for components. CT_HOOK_END also
/// runs if the hooks of the addition did not, and may run again in a nested removal.
typedef enum ct_hook_kind { CT_HOOK_ADD, CT_HOOK_REMOVE, CT_HOOK_END, CT_HOOK_KINDS } ct_hook_kind;

typedef struct ct_hook_event {
    void *context;    ///< of the call that created or destroyed the component
    ct_reason reason; ///< the same for all hooks of a component that is removed
    ct_manager *manager;
    ct_entity entity;
    ct_row row;
} ct_hook_event;

/// Returns false when it failed; the host keeps the reason. A failed CT_HOOK_ADD undoes the call
/// that created. After other failures the remaining hooks run.
typedef bool (*ct_hook_fn)(void *user, const ct_hook_event *event);

/// Adds a hook to a manager of the world; *token, which is world->hook_token + 1, identifies it.
/// CT_OK or CT_ERR_MEMORY. Amortised O(1).
ct_status ct_hook_add(ct_world *world, ct_manager *manager, ct_hook_kind kind, ct_hook_fn fn,
                      void *user, uint32_t *token);

/// Removes a hook; returns whether the manager had it. O(log hooks), amortised.
bool ct_hook_remove(ct_world *world, ct_manager *manager, ct_hook_kind kind, uint32_t token);

/// Whether a manager has hooks of any kind.
bool ct_hooks_any(const ct_manager *manager);

/// Runs the hooks of a row and removes it. False, and nothing is done, while the hooks of all
/// components of the owner run, since it dies or the world is cleared.
/// *sound (may be NULL) becomes false when a hook failed.
bool ct_hooks_remove(ct_world *world, ct_manager *manager, ct_row row, ct_reason reason,
                     void *context, bool *sound);

/// The same for all components of an entity in a manager, with CT_REASON_REMOVE. Returns how many
/// were removed.
uint32_t ct_hooks_remove_all(ct_world *world, ct_manager *manager, ct_entity e, void *context,
                             bool *sound);

/// Runs the hooks of all components of the world, which the caller then removes: entity by entity,
/// managers in spawn order, then by row. Components cannot be found any more after their hooks ran.
/// The caller forbids creating meanwhile (ct_world.ending). Returns whether no hook failed.
/// O(rows); allocates nothing.
bool ct_hooks_clear(ct_world *world, ct_reason reason, void *context);

typedef struct ct_addition {
    ct_manager *manager;
    ct_entity entity; ///< CT_NOBODY: it was removed
    uint32_t id;
} ct_addition;

/// The components that one call creates, until their hooks have run. A local variable of the
/// caller, from ct_additions_begin to ct_additions_end.
typedef struct ct_additions {
    ct_world *world;
    const ct_allocator *allocator; ///< of the world, which may end before them
    struct ct_additions *outer;
    ct_addition *items; ///< those of managers with hooks
    uint32_t count;
    uint32_t capacity;
    ct_reason reason;
    uint32_t told;   ///< hooks ran for the items before it, or are running
    uint32_t undone; ///< hooks of removal ran for the items before it, in an undo
    ct_addition one; ///< room for the first
} ct_additions;

void ct_additions_begin(ct_additions *additions, ct_world *world, ct_reason reason);

/// Ends the call: from now on hooks run when its components are removed. Calls nest: the last that
/// began ends first.
void ct_additions_end(ct_additions *additions);

/// Notes the last 'count' rows of a manager, which this call created, if hooks have to run for
/// them. CT_OK or CT_ERR_MEMORY.
ct_status ct_additions_note(ct_additions *additions, ct_manager *manager, uint32_t count);

/// The same for rows that ct_manager_create created just now, with its status. After a failure of
/// either, the rows and the numbers issued since ct_store_keep_number are taken back, and
/// 'additions' ends. Returns the status of what failed.
ct_status ct_additions_note_new(ct_additions *additions, ct_manager *manager, uint32_t count,
                                ct_status status);

/// Runs the hooks when all components of the call exist: managers in spawn order, then by row.
/// False when one failed: the remaining hooks do not run, and the caller undoes the call.
bool ct_additions_tell(ct_additions *additions, void *context);

/// Begins to undo the call: runs the hooks of removal, with CT_REASON_UNDO, of components whose
/// hooks of addition ran. The components still exist; destroying them then runs only CT_HOOK_END.
void ct_additions_undo(ct_additions *additions, void *context);

/// Removes the remaining components after an undo, if their owners live on: the last first.
void ct_additions_rollback(ct_additions *additions, void *context);

/// The row of an item, or CT_NO_ROW if it was removed.
ct_row ct_additions_row(const ct_additions *additions, uint32_t item);

/// Moves the hooks of a manager to the one that replaces it.
void ct_hooks_move(ct_manager *to, ct_manager *from);

/// Frees the hooks of a manager. They ran for all its rows.
void ct_hooks_free(ct_world *world, ct_manager *manager);

CT_END_C

#endif
