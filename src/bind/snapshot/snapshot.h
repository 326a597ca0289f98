// Snapshot objects: saved states of an EntityManager and its worlds.
#ifndef BIND_SNAPSHOT_H
#define BIND_SNAPSHOT_H

#include "bind/value/object.h"
#include "level/snapshot.h"

/// entities, old snapshot (nil: none) at stack indices 1 and 2 -> snapshot, which is at 2, too.
/// The value at 3 belongs to the caller and stays. Nothing allocates after the snapshot is taken.
int ct_bind_take_snapshot(lua_State *L);

/// Saves the state of worlds in the core.
typedef ct_status (*ct_bind_taker)(void *context, const ct_snapshot_worlds *worlds,
                                   ct_message *message);

/// Prepares a snapshot of the EntityManager at index 1, calls 'take', and pushes the table with the
/// Lua values of the snapshot (snapshot_values.h). Nothing allocates after 'take'. Raises if it
/// fails.
void ct_bind_take(lua_State *L, ct_bind_taker take, void *context);

/// entities, snapshot -> true; for a save true and a list, or nil, message. The value at stack
/// index 3 belongs to the caller and stays; if it is a table, it has Resources for the levels of a
/// save by name.
int ct_bind_restore_snapshot(lua_State *L);

/// A saved state outside of Snapshot objects.
typedef struct ct_bind_source {
    /// Pushes the table of its Lua values. Allocates nothing.
    void (*push_values)(lua_State *L, const struct ct_bind_source *source);
    /// Restores it in the core, or changes nothing.
    ct_status (*restore)(const struct ct_bind_source *source, const ct_snapshot_worlds *worlds,
                         ct_message *message);
} ct_bind_source;

/// Restores such a state for the EntityManager at index 1; the values at 2 and 3 belong to the
/// caller and stay. Raises the errors of the restore, or after it those of callbacks of scripts.
void ct_bind_restore(lua_State *L, const ct_bind_source *source);

/// Returns the number of entities:hash() for the EntityManager at 'index'.
uint64_t ct_bind_hash(lua_State *L, int index);

/// Registers the classes and functions of snapshots.
void ct_bind_open_snapshot(lua_State *L);

#endif
