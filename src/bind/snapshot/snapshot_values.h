// Values that Lua keeps for worlds, in a snapshot: Level objects, bodies, values of fields.
// Must not depend on the data that the core saves.
#ifndef BIND_SNAPSHOT_VALUES_H
#define BIND_SNAPSHOT_VALUES_H

#include "bind/snapshot/all_worlds.h"
#include "bind/value/parse_values.h"
#include "level/save_levels.h"
#include "storage/manager_save.h"

// The environment of a snapshot object has the Level objects by the addresses of their levels, and
// a table for each world by its name: item 1 is the data of its actors (manager/attachment.h),
// item 2 the values of its value fields (value/lua_values.h). The environment is replaced but never
// changed.

/// Fills the table at index 'own' in this way. May run finalizers.
void ct_bind_collect_lua_values(lua_State *L, const ct_bind_worlds *w, int own);

/// Fills the table for a save, which has none of these values.
void ct_bind_collect_nothing(lua_State *L, const ct_bind_worlds *w, int own);

/// Returns true if the table has all levels of the worlds; ct_bind_are_all_worlds checks bodies
/// and values. Allocates nothing.
bool ct_bind_lua_values_taken(lua_State *L, const ct_bind_worlds *w, int own);

/// Pushes the table of the values of a world by slot, from the table at 'own', or nil. Allocates
/// nothing.
void ct_bind_push_saved_values(lua_State *L, int own, const ct_bind_world *world);

/// Converts the values in the table (or nil) on top, which is popped, to bytes; if 'marks' is not
/// NULL, only those of slots with a mark. Returns false if the value in *slot cannot be converted:
/// the message is on top, and the parsed memory is invalid.
bool ct_bind_encode_values(const ct_bind_parse *g, const unsigned char *marks, ct_save_values *out,
                           uint32_t *slot);

/// State of a restore, with the stack indices of its tables.
typedef struct ct_bind_restoration {
    ct_bind_worlds worlds;
    int saved;      ///< the environment of the snapshot
    int prepared;   ///< by name of world: 1 bodies that are not in the snapshot, 2 values
    bool from_save; ///< there are no saved bodies: all missing ones are created
    double spawns;  ///< level spawns before the snapshot; 0: it has none of the current levels
    int error_slot; ///< receives the first error of a callback
} ct_bind_restoration;

/// Prepares a restore: fills the table at 'prepared', and adds saved levels to the levels that
/// their worlds keep. May run finalizers.
void ct_bind_prepare_lua_values(lua_State *L, const ct_bind_restoration *back);

/// Returns true if all saved levels are still kept. Allocates nothing.
bool ct_bind_lua_values_prepared(lua_State *L, const ct_bind_restoration *back);

/// Undoes the preparation: removes levels that are not in the list of their world.
void ct_bind_unprepare_lua_values(lua_State *L, const ct_bind_restoration *back);

/// Empties the levels that were spawned later. Called after the core was restored. Allocates
/// nothing.
void ct_bind_empty_levels(lua_State *L, const ct_bind_restoration *back);

/// Restores the values of value fields. Called after the core was restored. Allocates nothing.
void ct_bind_restore_values(lua_State *L, const ct_bind_restoration *back);

/// Restores the bodies of actors. Called last. Runs callbacks of scripts, which may not change
/// anything.
void ct_bind_restore_bodies(lua_State *L, const ct_bind_restoration *back);

// Levels (save_levels.c)

/// Creates a Level object for each level of a save, before the state is restored, and adds it to
/// the table 'saved' and to the levels that its world keeps. A resource is looked up by its name in
/// the table at 'resources', unless that is not a table, then among the levels of the worlds.
/// Returns CT_OK, or the status of ct_saved_resource_make with the reason in 'message'. May run
/// finalizers.
ct_status ct_bind_make_levels(lua_State *L, const ct_bind_restoration *back,
                              ct_saved_levels *levels, int resources, ct_message *message);

#endif
