// What Lua keeps for worlds, and what a snapshot has of it: Level objects, bodies, values.
// Must not depend on what the core saves.
#ifndef BIND_SNAPSHOT_VALUES_H
#define BIND_SNAPSHOT_VALUES_H

#include "bind/snapshot/all_worlds.h"

// The environment of a snapshot object has the Level objects by the addresses of their levels, and
// a table for each world by its name: 1 is what its actors keep (manager/attachment.h), 2 is what
// its value fields hold (value/kept.h). The environment is replaced but never changed.

/// Fills the table at index 'own' in this way. May run finalizers.
void ct_bind_collect_kept(lua_State *L, const ct_bind_worlds *w, int own);

/// The same for a save, which has none of them.
void ct_bind_collect_nothing(lua_State *L, const ct_bind_worlds *w, int own);

/// Whether the levels are still the same; ct_bind_are_all_worlds tells the rest. Allocates nothing.
bool ct_bind_is_kept_collected(lua_State *L, const ct_bind_worlds *w, int own);

/// Pushes the table of the values of a world by slot, from the table at 'own', or nil. Allocates
/// nothing.
void ct_bind_push_saved_values(lua_State *L, int own, const ct_bind_world *world);

/// A restore, and where its tables are on the stack.
typedef struct ct_bind_going_back {
    ct_bind_worlds worlds;
    int saved;      ///< the environment of the snapshot
    int prepared;   ///< by name of world: 1 what its actors keep that was not saved, 2 its values
    bool from_save; ///< it has no bodies: all that are missing are made
    double spawns;  ///< of levels before it was taken; 0: it has none of these
    int error_slot; ///< receives the first error of a callback
} ct_bind_going_back;

/// Prepares a restore: fills the table at 'prepared', and adds saved levels to the levels that
/// their worlds keep. May run finalizers.
void ct_bind_prepare_kept(lua_State *L, const ct_bind_going_back *back);

/// Whether that is still right for the levels. Allocates nothing.
bool ct_bind_is_kept_prepared(lua_State *L, const ct_bind_going_back *back);

/// Undoes the preparation: removes levels that are in no list.
void ct_bind_unprepare_kept(lua_State *L, const ct_bind_going_back *back);

/// After the core was restored: empties the levels that were spawned later. Allocates nothing.
void ct_bind_empty_levels(lua_State *L, const ct_bind_going_back *back);

/// After the core was restored: puts the values of value fields back. Allocates nothing.
void ct_bind_restore_values(lua_State *L, const ct_bind_going_back *back);

/// Last, restores the bodies of actors. Callbacks of scripts run, which may not change anything.
void ct_bind_restore_bodies(lua_State *L, const ct_bind_going_back *back);

#endif
