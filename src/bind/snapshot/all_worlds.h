// All worlds of an EntityManager.
#ifndef BIND_ALL_WORLDS_H
#define BIND_ALL_WORLDS_H

#include "bind/world/world.h"
#include "level/snapshot.h"

/// World objects on the stack, from 'first' on. A world is left out if its object is being
/// collected.
typedef struct ct_bind_worlds {
    ct_snapshot_worlds core;
    ct_snapshot_world *items;
    ct_bind_host_call *calls; ///< the context of each item
    int first;
    uint64_t changes; ///< counter of the changes of bodies and values that Lua keeps
} ct_bind_worlds;

/// Pushes the worlds. May run finalizers: if ct_bind_are_all_worlds returns false, call it again.
void ct_bind_push_worlds(lua_State *L, ct_bind_entities *entities, ct_bind_worlds *w);

/// Returns true if these are still all worlds, and Lua keeps the same bodies and values for them.
/// Allocates nothing.
bool ct_bind_are_all_worlds(lua_State *L, const ct_bind_entities *entities,
                            const ct_bind_worlds *w);

/// Returns world i.
static inline ct_bind_world *ct_bind_world_at(lua_State *L, const ct_bind_worlds *w, uint32_t i) {
    return ct_bind_world_of(L, w->first + (int)i);
}

#endif
