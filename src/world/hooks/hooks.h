// Hooks: functions that are called when components of a manager are added and removed.
#ifndef CT_HOOKS_H
#define CT_HOOKS_H

#include "world/world.h"

// The hooks of a manager run once when a component is added and once when it is removed. A
// component is added when the call that creates it has created all its components. It is removed
// when its row is removed or its owner dies; all data of the owner can still be read then, and a
// later gc runs no hooks. If a component is removed before the hooks of its addition ran, no hooks
// run for it.
//
// Hooks may create, destroy, and add and remove hooks; they must not end the world. If a hook
// removes the component that is being removed, the remaining hooks run first.

/// The kinds of hooks. All hooks of CT_HOOK_REMOVE run, manager by manager in spawn order, before
/// the first of CT_HOOK_END, which is for data that the host keeps for components. CT_HOOK_END also
/// runs if the hooks of the addition did not run, and may run again in a nested removal.
typedef enum ct_hook_kind { CT_HOOK_ADD, CT_HOOK_REMOVE, CT_HOOK_END, CT_HOOK_KINDS } ct_hook_kind;

typedef struct ct_hook_event {
    void *context;    ///< of the call that created or destroyed the component
    ct_reason reason; ///< equal for all hooks of a component that is removed
    ct_manager *manager;
    ct_entity entity;
    ct_row row;
} ct_hook_event;

/// Returns false on failure; the host keeps the reason. A failed CT_HOOK_ADD undoes the creating
/// call. After other failures the remaining hooks run.
typedef bool (*ct_hook_fn)(void *user, const ct_hook_event *event);

/// Adds a hook to a manager of the world; *token, which is world->hook_token + 1, identifies it.
/// Returns CT_OK or CT_ERR_MEMORY. Amortized O(1).
ct_status ct_hook_add(ct_world *world, ct_manager *manager, ct_hook_kind kind, ct_hook_fn fn,
                      void *user, uint32_t *token);

/// Removes a hook. Returns whether the manager had it. Amortized O(log hooks).
bool ct_hook_remove(ct_world *world, ct_manager *manager, ct_hook_kind kind, uint32_t token);

/// Returns whether a manager has hooks of any kind.
bool ct_hooks_any(const ct_manager *manager);

/// Runs the hooks of a row and removes it. Does nothing and returns false while the hooks of all
/// components of the owner run, because it dies or the world is cleared. Sets *ok (may be NULL)
/// to false if a hook failed.
bool ct_hooks_remove(ct_world *world, ct_manager *manager, ct_row row, ct_reason reason,
                     void *context, bool *ok);

/// Removes all components of an entity in a manager like ct_hooks_remove, with CT_REASON_REMOVE.
/// Returns their number.
uint32_t ct_hooks_remove_all(ct_world *world, ct_manager *manager, ct_entity e, void *context,
                             bool *ok);

/// Runs the hooks of all components of the world, which the caller removes afterwards: entity by
/// entity, managers in spawn order, then by row. Components cannot be found after their hooks ran.
/// The caller must prevent creation meanwhile (ct_world.ending). Returns whether all hooks
/// succeeded. O(rows); allocates nothing.
bool ct_hooks_clear(ct_world *world, ct_reason reason, void *context);

typedef struct ct_addition {
    ct_manager *manager;
    ct_entity entity; ///< CT_NOBODY: the component was removed
    uint32_t id;
} ct_addition;

/// The components that one call creates, until their hooks have run. A local variable of the
/// caller, from ct_additions_begin to ct_additions_end.
typedef struct ct_additions {
    ct_world *world;
    const ct_allocator *allocator; ///< of the world, which may end earlier
    struct ct_additions *outer;
    ct_addition *items; ///< components of managers with hooks
    uint32_t count;
    uint32_t capacity;
    ct_reason reason;
    uint32_t notified; ///< hooks ran for the items below this index, or are running
    uint32_t undone;   ///< hooks of removal ran for the items below this index, in an undo
    ct_addition one;   ///< storage for the first item
    ct_table index;    ///< of many items, since the first search
} ct_additions;

void ct_additions_begin(ct_additions *additions, ct_world *world, ct_reason reason);

/// Ends the call: its components are then ordinary ones, and hooks run when they are removed. Calls
/// nest: the last one that began must end first.
void ct_additions_end(ct_additions *additions);

/// Records the last 'count' rows of a manager, which this call created, if hooks must run for them.
/// Returns CT_OK or CT_ERR_MEMORY.
ct_status ct_additions_note(ct_additions *additions, ct_manager *manager, uint32_t count);

/// Creates components like ct_manager_create_whole, in a call that begins 'additions' with
/// CT_REASON_CREATE. Returns its statuses; after a failure nothing is created and 'additions' has
/// ended.
ct_status ct_additions_create(ct_additions *additions, ct_world *world, ct_manager *manager,
                              const ct_entity *owners, uint32_t count, const ct_values *values,
                              const ct_component_id *ids, ct_row *first);

/// Runs the hooks when all components of the call exist: managers in spawn order, then by row.
/// Returns false if one failed: the remaining hooks do not run, and the caller must undo the call.
bool ct_additions_notify(ct_additions *additions, void *context);

/// Begins to undo the call: runs the hooks of removal, with CT_REASON_UNDO, for components with
/// hooks of addition that ran. The components still exist; destroying them later runs only
/// CT_HOOK_END.
void ct_additions_undo(ct_additions *additions, void *context);

/// Removes the remaining components after an undo, the last first, if their owners stay alive.
void ct_additions_rollback(ct_additions *additions, void *context);

/// Returns the row of an item, or CT_NO_ROW if it was removed.
ct_row ct_additions_row(const ct_additions *additions, uint32_t item);

/// Frees the hooks of a manager. They must have run for all its rows.
void ct_hooks_free(ct_world *world, ct_manager *manager);

#endif
