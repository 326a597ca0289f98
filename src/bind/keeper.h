// Managers whose components keep something outside of the core: how they hear of births and ends.
// Knows nothing of what they keep.
#ifndef BIND_KEEPER_H
#define BIND_KEEPER_H

#include "bind/bind.h"

/// Components that were created just now, one each.
typedef struct ct_bind_newborn {
    const ct_entity *entities;
    const uint32_t *places; ///< the owner of component i is entities[places[i]]; NULL: entities[i]
    uint32_t count;
    bool many; ///< what was given along with the values may be a table with one for each
} ct_bind_newborn;

typedef struct ct_bind_keeper {
    const char *name; ///< of the component type

    /// The values on top of the stack, as a script wrote them for 'count' components, are replaced
    /// by a table of inputs only, and what is kept outside is pushed (nil: nothing was given).
    /// False with the reason on top.
    bool (*split)(lua_State *L, uint32_t count, bool many);

    /// Whether components have to be furnished for which nothing was given. Does not raise.
    bool (*wanted)(const ct_bind_manager *manager);

    /// Before components are created: whether 'furnish' has to be called. The manager object is at
    /// 'object'. May raise, and run finalizers.
    bool (*prepare)(lua_State *L, int object, bool given);

    /// Makes what new components keep; what 'split' pushed is at index 'given' (0: nothing was).
    /// Runs protected: it may raise, and call functions of the script. Whoever created the
    /// components then destroys them.
    void (*furnish)(lua_State *L, int object, const ct_bind_newborn *newborn, int given);

    /// Ends all that is kept, before all components of a world go; with 'last' for good. The first
    /// error of a callback goes into 'error_slot' if that is nil. Does not raise.
    void (*empty)(lua_State *L, int object, int error_slot, bool last);
} ct_bind_keeper;

extern const ct_bind_keeper *const ct_bind_keepers[]; // manager_types.c; ends with NULL

/// The keeper of a manager, or NULL.
const ct_bind_keeper *ct_bind_keeper_of(const ct_manager *core);

/// Raises when callbacks of keepers are nested too deep: the C stack is the host's, and how deep
/// callbacks create and destroy is the script's choice.
void ct_bind_check_nesting(lua_State *L);

/// lua_pcall of a function that furnishes, on top with its arguments; counts it as nested.
int ct_bind_call_furnish(lua_State *L, int arguments);

/// Calls 'empty' of all keepers of the living world object at index 'world', which may be dead
/// afterwards.
void ct_bind_empty_keepers(lua_State *L, int world, int error_slot, bool last);

/// Undoes a create whose 'furnish' failed: destroys what is alive of these entities, dropping
/// errors of callbacks, and removes their components from the world object at index 'world'. The
/// stack is left as it was, and has room for LUA_MINSTACK more. Cannot fail.
void ct_bind_undo_entities(lua_State *L, int world, uint32_t count, const ct_entity *entities);

#endif
