// Level objects of scripts: the entities of one spawn of a resource.
#ifndef BIND_LEVEL_H
#define BIND_LEVEL_H

#include "bind/level/world_host.h"
#include "level/level_lent.h"
#include "resource/override.h"

/// Payload of a Level object. Its environment table has 'world' and 'resource'; for a level of a
/// save also 'other', the Resource of ct_level.other.
typedef struct ct_bind_level {
    ct_bind_header header;
    ct_bind_world *world;
    ct_level *core; ///< in the block after this struct
    double spawned; ///< number of its last spawn, counted per Lua state
} ct_bind_level;

/// Pushes a new Level object with memory for a level of 'bytes' bytes, which the caller
/// initializes by ct_level_init. The world and Resource objects are at the given indices.
ct_bind_level *ct_bind_level_new(lua_State *L, int world, int resource, size_t bytes);

/// Returns argument 'arg' as a level. Raises if it is not a Level or its world is destroyed.
ct_level *ct_bind_check_level(lua_State *L, int arg);

/// Adds the Level at 'object' to two tables of the environment of the world at 'world': 'levels'
/// has each level in the list of the world; 'all_levels', which is weak, has every level that is
/// referenced. Both indices are absolute.
void ct_bind_level_anchor(lua_State *L, int world, const ct_level *level, int object);

/// Pushes the world object of the Level at index 'level'.
void ct_bind_push_level_world(lua_State *L, int level);

/// Spawns or restarts the Level at 'level' ('action' is ct_level_spawn or ct_level_restart);
/// pushes the values for the host meanwhile. Returns true with the stack unchanged, or false with
/// the message pushed. Raises the first error of a callback that a restart called for an old
/// entity; the level has the new entities then.
typedef ct_status ct_bind_level_action(ct_level *level, void *context, ct_message *message);
bool ct_bind_level_act(lua_State *L, int level, ct_bind_level_action *action);

/// Pushes the three values that a core call for the Level at 'level' needs, for a spawn or patch
/// with a resource, and fills 'call'. Returns false with the message on top and nothing changed.
bool ct_bind_level_push_needs(lua_State *L, int level, ct_resource *resource,
                              ct_bind_host_call *call);

/// Pushes the message of a failed call; the Resource object is at index 'resource'.
void ct_bind_level_push_reason(lua_State *L, int level, int resource, const ct_bind_host_call *call,
                               ct_status status, const ct_message *message);

/// Pushes the error of the callback that failed.
void ct_bind_level_push_problem(const ct_bind_host_call *call);

/// Patches the Level at 'level' to the Resource at 'resource'; both indices are absolute. Returns
/// true with the counts in *result (freed by ct_patch_result_free) and the old Resource object
/// pushed; if *ok is false, the error of a callback for a removal is pushed above it. Returns
/// false with the message pushed.
bool ct_bind_level_follow(lua_State *L, int level, int resource, ct_patch_result *result, bool *ok);

/// Adds the method patch of Levels (patch.c).
void ct_bind_open_patches(lua_State *L);

/// Unloads the Level at 'level' and returns the number of destroyed entities. Raises the first
/// error of a callback.
uint32_t ct_bind_level_unload(lua_State *L, int level);

/// Converts the table at 'index' (or nil: none) to overrides, sorted by path, in the arena until
/// 'g' ends. Raises "bad argument #arg" for an invalid override; the core checks that it fits.
const ct_override *ct_bind_parse_overrides(const ct_bind_parse *g, int index, int arg,
                                           const ct_world *world, uint32_t *count); // overrides.c

/// Creates the class of levels; the second function also adds spawn, spawn_many, levels and capture
/// to worlds.
void ct_bind_open_level(lua_State *L);
void ct_bind_open_spawn(lua_State *L);

// Patches (patch_blocks.c)

// Memory blocks of patched Levels, besides the block of the Level object. A room is a full userdata
// with the block that a patch gave a level; its environment has the 'resource' that the level uses
// with this block. The environment of a patched Level has 'rooms': a set of the rooms that the
// level may use, including the current one. The first block of the Level belongs to the 'resource'
// in the environment of the Level.

/// Pushes the current Resource object of the Level at 'level'. Allocates nothing.
void ct_bind_push_level_resource(lua_State *L, int level);

/// Pushes a new room of 'bytes' bytes for the Resource at 'resource', and a set with this room
/// only, for ct_bind_take_room. Returns the block.
void *ct_bind_new_room(lua_State *L, int level, int resource, size_t bytes);

/// Replaces the rooms of the Level by the set at index 'rooms', which ct_bind_new_room pushed.
/// Allocates nothing.
void ct_bind_take_room(lua_State *L, int level, int rooms);

// Functions for snapshots. The table at 'own' has Levels by address, and the Level of each room.

/// Adds the current room of the Level on top to the table.
void ct_bind_collect_room(lua_State *L, int own);

/// Returns true if the table has the current room, or the Level has none. Allocates nothing.
bool ct_bind_is_room_collected(lua_State *L, int own);

/// Adds the room below the Level on top to the rooms of the Level.
void ct_bind_add_room(lua_State *L);

/// Returns true if the Level has that room. Allocates nothing.
bool ct_bind_has_room(lua_State *L);

#endif
