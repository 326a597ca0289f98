// Snapshot objects: saved states of an EntityManager and its worlds.
#ifndef BIND_SNAPSHOT_H
#define BIND_SNAPSHOT_H

#include "bind/value/object.h"

/// entities, old snapshot (nil: none) at stack indices 1 and 2 -> snapshot, which is at 2, too.
/// The value at 3 belongs to the caller and stays. Nothing allocates after the snapshot is taken.
int ct_bind_take_snapshot(lua_State *L);

/// entities, snapshot -> true; for a save true and a list, or nil, message. The value at stack
/// index 3 belongs to the caller and stays; if it is a table, it has Resources for the levels of a
/// save by name.
int ct_bind_restore_snapshot(lua_State *L);

/// Restores in the same way, and calls 'restored' after the state is restored and before callbacks
/// of scripts, which may raise. 'restored' must not use the stack.
int ct_bind_restore_notified(lua_State *L, void (*restored)(void *context), void *context);

/// Returns the number of entities:hash() for the EntityManager at 'index'.
uint64_t ct_bind_hash(lua_State *L, int index);

/// Returns the number of snapshot:bytes() for the Snapshot at 'index'.
size_t ct_bind_snapshot_bytes(lua_State *L, int index);

/// Registers the classes and functions of snapshots.
void ct_bind_open_snapshot(lua_State *L);

#endif
