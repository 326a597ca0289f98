// All worlds of an EntityManager.
// Must not depend on what is done with them.
#ifndef BIND_ALL_WORLDS_H
#define BIND_ALL_WORLDS_H

#include "bind/world/world.h"
#include "level/snapshot.h"

/// World objects on the stack, from 'first' on. A world whose object is being collected is left
/// out.
typedef struct ct_bind_worlds {
    ct_snapshot_worlds core;
    ct_snapshot_world *items;
    ct_bind_host_call *calls; ///< the context of each item
    int first;
    uint64_t changes; ///< of what Lua keeps for them, so far
} ct_bind_worlds;

/// Pushes them. May run finalizers: if ct_bind_are_all_worlds is false, call it again.
void ct_bind_push_worlds(lua_State *L, ct_bind_entities *entities, ct_bind_worlds *w);

/// Whether these are still all worlds, and Lua keeps the same bodies and values for them. Allocates
/// nothing.
bool ct_bind_are_all_worlds(lua_State *L, const ct_bind_entities *entities,
                            const ct_bind_worlds *w);

/// World i of them.
static inline ct_bind_world *ct_bind_world_at(lua_State *L, const ct_bind_worlds *w, uint32_t i) {
    return ct_bind_world_of(L, w->first + (int)i);
}

#endif
