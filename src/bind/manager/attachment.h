// Values that the binding keeps for components outside of the core: created when components are
// added, ended when they are removed. Must not depend on the kind of value.
#ifndef BIND_ATTACHMENT_H
#define BIND_ATTACHMENT_H

#include "bind/manager/manager.h"
#include "world/hooks/hooks.h"

/// Operations on the kept values of the manager type with a 'hosted' input. An entity has at most
/// one row of such a type.
typedef struct ct_bind_attachment {
    const char *refused; ///< message of an attempt to create a value while the world ends

    /// Keeps the value at index 'given' for the component of an entity, or if 'given' is 0 the
    /// result of the script's function. Does nothing if the component was removed or already has a
    /// value. Runs protected: may raise, and may call functions of the script.
    void (*attach)(lua_State *L, ct_bind_manager *manager, ct_entity e, int given);

    /// Ends the kept value of a row. Returns the row of the same component afterwards, which may
    /// have moved, or CT_NO_ROW. Stores the first error of a callback in 'error_slot' if that is
    /// nil. Does not raise.
    ct_row (*detach)(lua_State *L, ct_bind_manager *manager, ct_row row, int error_slot);

    /// Ends all kept values that are left when the world ends: those of entities that a restore
    /// removed while the world waited for its finalizer. Otherwise like 'detach'.
    void (*detach_all)(lua_State *L, ct_bind_manager *manager, int error_slot);

    // For snapshots, which detect changes by ct_bind_state.lua_value_changes:

    /// Pushes a new table of the kept values, by the ids of their owners. May run finalizers.
    void (*collect)(lua_State *L, const ct_bind_manager *manager);

    /// Pushes a new list of the current values that are not in such a table at 'saved': for each
    /// the id of the owner, then the value, in the order of rows. May run finalizers.
    void (*collect_missing)(lua_State *L, const ct_bind_manager *manager, int saved);

    /// Called after a snapshot has restored the rows: keeps the values of the table at 'saved',
    /// ends those in the list at 'lost', in its order, and creates the missing values, in the
    /// order of rows. If 'saved' is 0, creates them for all rows. Runs protected.
    void (*restored)(lua_State *L, ct_bind_manager *manager, int saved, int lost, int error_slot);

    // For methods: the manager object is at stack index 1, the target at 2.

    /// Pushes the kept value of a row, or nil.
    void (*push)(lua_State *L, const ct_bind_manager *manager, ct_row row);

    /// Returns the row of the target, which must be alive. Raises unless its value can be replaced
    /// now.
    ct_row (*check_replace)(lua_State *L, ct_bind_manager *manager);

    /// Ends the kept value of the target, then keeps the value on top, which is popped. Raises like
    /// 'check_replace'; raises an error of a callback at the end.
    void (*replace)(lua_State *L, ct_bind_manager *manager);
} ct_bind_attachment;

/// Components that are being created, one per entity.
typedef struct ct_bind_created {
    ct_bind_manager *manager; ///< their manager, which has an attachment
    const ct_entity *entities;
    const uint32_t *places; ///< the owner of component i is entities[places[i]]; NULL: entities[i]
    uint32_t count;
    bool many; ///< the given value may be a table with one value for each
} ct_bind_created;

/// Pushes the field for the kept value from the table (or nil) at index 'values', or nil. Returns
/// whether it is not nil. May run finalizers.
bool ct_bind_push_given(lua_State *L, const ct_bind_manager *manager, int values);

/// Called before components are created. Returns 0 if no value will be created for them. Otherwise
/// pushes the given value (from the table or nil at index 'values') and returns its stack index.
/// Raises bad argument #arg for an invalid value, with 'of' before the
/// message. May run finalizers.
int ct_bind_prepare_attachment(lua_State *L, const ct_bind_created *created, int values, int arg,
                               const char *of);

/// Called after the creation: creates the kept values from the value at index 'given'. Runs
/// protected and may raise; the caller then removes the components.
void ct_bind_make_attachments(lua_State *L, const ct_bind_created *created, int given);

/// Called after the creation: creates the kept values if 'given', the prepared index, is not 0
/// (else 'created' may be NULL), and runs the on_add hooks. If something raises, returns false with
/// the error on top, after running on_remove hooks for each component with on_add calls; the caller
/// then removes the components.
bool ct_bind_notify_added(lua_State *L, ct_additions *additions, const ct_bind_created *created,
                          int given);

/// Raises unless a value can be created or replaced now. Registers the hook that ends values with
/// their components.
void ct_bind_check_making(lua_State *L, ct_bind_manager *manager);

#endif
