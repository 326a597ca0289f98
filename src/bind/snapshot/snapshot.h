// Snapshot objects: what scripts hold of an EntityManager and its worlds as they were.
// Knows nothing of what is in them.
#ifndef BIND_SNAPSHOT_H
#define BIND_SNAPSHOT_H

#include "bind/value/object.h"

/// entities, old (nil: none) at stack indices 1 and 2 -> snapshot, which is at 2, too. What is at 3
/// is the caller's, and stays. From the moment the snapshot is taken nothing allocates.
int ct_bind_take_snapshot(lua_State *L);

/// entities, snapshot -> true; of a save true and a list, or nil, message. What is at stack index 3
/// is the caller's, and stays.
int ct_bind_restore_snapshot(lua_State *L);

/// The same; 'restored' is called once the state is back, before scripts are: one of them may
/// raise. It may not touch the stack.
int ct_bind_restore_told(lua_State *L, void (*restored)(void *context), void *context);

/// What entities:hash() tells of the EntityManager at 'index'.
uint64_t ct_bind_hash(lua_State *L, int index);

/// What snapshot:bytes() tells of the Snapshot at 'index'.
size_t ct_bind_snapshot_bytes(lua_State *L, int index);

/// Adds what snapshots need to the registry.
void ct_bind_open_snapshot(lua_State *L);

#endif
