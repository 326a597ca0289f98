// What components keep with the binding, outside of the core: made when they come, ended when they
// go. Knows nothing of what is kept.
#ifndef BIND_ATTACHMENT_H
#define BIND_ATTACHMENT_H

#include "bind/world/world.h"

/// Components that were created just now, one each.
typedef struct ct_bind_created {
    const ct_entity *entities;
    const uint32_t *places; ///< the owner of component i is entities[places[i]]; NULL: entities[i]
    uint32_t count;
    bool many; ///< what was given along with the values may be a table with one for each
} ct_bind_created;

/// Of the manager type with 'hosted': the values of a component may have a field of that name.
typedef struct ct_bind_attachment {
    /// Whether something has to be made for components for which nothing is given. Does not raise.
    bool (*wanted)(const ct_bind_manager *manager);

    /// Before components are created: whether 'attach' has to be called. The manager object is at
    /// 'object', what is given at 'given' (nil or 0: nothing is), for 'count' components if 'many'.
    /// Raises bad argument #arg, whose message begins with 'prefix', for what cannot be. May run
    /// finalizers.
    bool (*prepare)(lua_State *L, int object, int given, int arg, const char *prefix,
                    uint32_t count, bool many);

    /// Makes what new components keep; what was given is at index 'given' (0: nothing was).
    /// Runs protected: it may raise, and call functions of the script. Whoever created the
    /// components then destroys them.
    void (*attach)(lua_State *L, int object, const ct_bind_created *created, int given);

    /// Ends all that is kept, before all components of a world go; with 'last' for good. The first
    /// error of a callback goes into 'error_slot' if that is nil. Does not raise.
    void (*detach_all)(lua_State *L, int object, int error_slot, bool last);
} ct_bind_attachment;

/// The one there is: the bodies of actors.
static inline const ct_bind_attachment *ct_bind_attachment_of(lua_State *L) {
    return ct_bind_state_of(L)->above->attachment;
}

/// The manager object of the world whose components it is for, or NULL: never made, or over.
ct_bind_manager *ct_bind_hosted_manager(const ct_bind_world *world);

/// Calls its 'detach_all' for the living world object at index 'world', which may be over
/// afterwards.
void ct_bind_detach_all(lua_State *L, int world, int error_slot, bool last);

/// Undoes a create whose 'attach' failed: destroys what is alive of these entities, dropping
/// errors of callbacks, and removes their components from the world object at index 'world'. The
/// stack is left as it was, and has room for LUA_MINSTACK more. Cannot fail.
void ct_bind_undo_entities(lua_State *L, int world, uint32_t count, const ct_entity *entities);

#endif
