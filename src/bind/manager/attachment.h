// What the binding keeps for components outside of the core: made when components are added, ended
// when they are removed. Must not depend on what is kept.
#ifndef BIND_ATTACHMENT_H
#define BIND_ATTACHMENT_H

#include "bind/manager/manager.h"
#include "world/hooks/hooks.h"

/// Of the manager type with 'hosted': the values of a component may have a field of that name,
/// which is kept here. One row an entity.
typedef struct ct_bind_attachment {
    const char *refused; ///< the message if something would be made while the world ends

    /// Keeps the value at index 'given' for the component of an entity, or if 'given' is 0 the
    /// result of the script's function. Does nothing if the component was removed or keeps
    /// something already. Runs protected: may raise, and may call functions of the script.
    void (*attach)(lua_State *L, ct_bind_manager *manager, ct_entity e, int given);

    /// Ends what is kept for a row. Returns the row of the same component afterwards, which may
    /// have moved, or CT_NO_ROW. Stores the first error of a callback in 'error_slot' if that is
    /// nil. Does not raise.
    ct_row (*detach)(lua_State *L, ct_bind_manager *manager, ct_row row, int error_slot);

    // For snapshots, which find out by ct_bind_state.kept_changes whether something has changed:

    /// Pushes a new table of what components keep, by the ids of their owners. May run finalizers.
    void (*collect)(lua_State *L, const ct_bind_manager *manager);

    /// Pushes a new list of what is kept now and is not in such a table at 'saved': the id of an
    /// owner, then what is kept for it, in the order of rows. May run finalizers.
    void (*collect_gone)(lua_State *L, const ct_bind_manager *manager, int saved);

    /// Called when a snapshot has restored the rows: keeps what the table at 'saved' has, ends what
    /// is in the list at 'gone', in its order, and makes what is missing, in the order of rows.
    /// With 'saved' 0 makes it for all rows. Runs protected.
    void (*restored)(lua_State *L, ct_bind_manager *manager, int saved, int gone, int error_slot);

    // For methods: the manager object is at stack index 1, the target at 2.

    /// Pushes what is kept for a row, or nil.
    void (*push)(lua_State *L, const ct_bind_manager *manager, ct_row row);

    /// Returns the row of the target, which must be alive. Raises unless what is kept for it can be
    /// replaced now.
    ct_row (*check_replace)(lua_State *L, ct_bind_manager *manager);

    /// Ends what is kept for the target, then keeps the value on top, which is popped. Raises like
    /// 'check_replace'; an error of a callback is raised at the end.
    void (*replace)(lua_State *L, ct_bind_manager *manager);
} ct_bind_attachment;

/// Components that are being created, one an entity.
typedef struct ct_bind_created {
    ct_bind_manager *manager; ///< theirs, which has an attachment
    const ct_entity *entities;
    const uint32_t *places; ///< the owner of component i is entities[places[i]]; NULL: entities[i]
    uint32_t count;
    bool many; ///< what is given may be a table with one for each
} ct_bind_created;

/// Pushes what the table (or nil) at index 'values' gives for what a component keeps, or nil; false
/// then. May run finalizers.
bool ct_bind_push_given(lua_State *L, const ct_bind_manager *manager, int values);

/// Before they are created: 0 if nothing will have to be made for them; else pushes two values that
/// making it needs, and returns the stack index of the first, which is what the table (or nil) at
/// index 'values' gives. Raises bad argument #arg for what cannot be, with 'of' before the message.
/// May run finalizers.
int ct_bind_prepare_attachment(lua_State *L, const ct_bind_created *created, int values, int arg,
                               const char *of);

/// After they were created: makes what they keep of what is given at index 'given'. Runs protected,
/// may raise; whoever created them then takes them back.
void ct_bind_make_attachments(lua_State *L, const ct_bind_created *created, int given);

/// After components were created: makes what they keep, if 'given', which was prepared, is not 0
/// (else 'created' may be NULL), and tells the hooks. False when something raised, which is on top:
/// hooks were told that those go whose coming was told, and the caller takes all back.
bool ct_bind_tell_added(lua_State *L, ct_additions *additions, const ct_bind_created *created,
                        int given);

/// Raises unless something can be made or replaced now; from now on it is ended with components.
void ct_bind_check_making(lua_State *L, ct_bind_manager *manager);

#endif
