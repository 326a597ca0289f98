// Snapshot objects: what scripts hold of an EntityManager and its worlds as they were.
// Knows nothing of what is in them.
#ifndef BIND_SNAPSHOT_H
#define BIND_SNAPSHOT_H

#include "bind/value/object.h"

/// snapshot, restore, on_restore and off_restore of EntityManager objects.
extern const luaL_Reg ct_bind_snapshot_methods[];

/// entities, old (nil: none) at stack indices 1 and 2 -> snapshot
int ct_bind_take_snapshot(lua_State *L);

/// entities, snapshot -> true
int ct_bind_restore_snapshot(lua_State *L);

/// Adds what snapshots need to the registry.
void ct_bind_open_snapshot(lua_State *L);

#endif
