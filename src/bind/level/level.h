// Level objects: what one spawn of a resource brought to life, as scripts see it.
// Knows nothing of how entities are created or destroyed.
#ifndef BIND_LEVEL_H
#define BIND_LEVEL_H

#include "bind/level/world_host.h"
#include "level/level_lent.h"
#include "resource/override.h"

/// The payload of a Level object. Its environment table keeps 'world' and 'resource'.
typedef struct ct_bind_level {
    ct_bind_header header;
    ct_bind_world *world;
    ct_level *core; ///< in the block behind this struct
    double spawned; ///< the number of its last spawn among all of the Lua state
} ct_bind_level;

/// Pushes a new Level object with room for a level of 'bytes' bytes, which the caller makes with
/// ct_level_init; world and Resource objects are at these indices.
ct_bind_level *ct_bind_level_new(lua_State *L, int world, int resource, size_t bytes);

/// Argument 'arg' as a Level; raises otherwise, and when its world is destroyed.
ct_level *ct_bind_check_level(lua_State *L, int arg);

/// Pushes the world object of the Level at index 'level'.
void ct_bind_push_level_world(lua_State *L, int level);

/// Spawns or restarts (as 'action' says: ct_level_spawn, ct_level_restart) the Level at 'level',
/// with what the host needs for it on the stack above. True with the stack as it was; else with
/// the message pushed. Raises the first error of a callback that a restart called for an old
/// entity; the level has the new ones then.
typedef ct_status ct_bind_level_action(ct_level *level, void *context, ct_message *message);
bool ct_bind_level_act(lua_State *L, int level, ct_bind_level_action *action);

/// Pushes what a call for the Level at 'level' needs, that spawns of a resource: three values.
/// False with the message on top instead, and nothing changed.
bool ct_bind_level_push_needs(lua_State *L, int level, ct_resource *resource,
                              ct_bind_host_call *call);

/// Pushes why it failed; the Resource object is at index 'resource'.
void ct_bind_level_push_reason(lua_State *L, int level, int resource, const ct_bind_host_call *call,
                               ct_status status, const ct_message *message);

/// Pushes what a callback raised that failed.
void ct_bind_level_push_problem(const ct_bind_host_call *call);

/// Brings the Level at 'level' to the Resource at 'resource', both absolute. True with the counts
/// in *result, which is to be given back, and with the old Resource object pushed; unless *sound,
/// what a callback raised that heard of what goes is pushed, too. False with the message pushed.
bool ct_bind_level_follow(lua_State *L, int level, int resource, ct_patch_result *result,
                          bool *sound);

/// What is told of a patch.
typedef struct ct_bind_patched {
    const ct_patch_result *result;
    const ct_resource *old;
    const ct_resource *fresh;
} ct_bind_patched;

/// Pushes the table that level:patch returns, with nothing told yet.
void ct_bind_push_counts(lua_State *L);

/// For lua_pcall: that table, light userdata of a ct_bind_patched -> nothing. The counts are told
/// without memory from Lua.
int ct_bind_tell_patched(lua_State *L);

/// Unloads the Level at 'level' and returns how many died. Raises the first error of a callback.
uint32_t ct_bind_level_unload(lua_State *L, int level);

/// Gathers the table at 'index' (or nil: none): sorted by path, in the arena until 'g' ends. Raises
/// bad argument #arg for what is no override; whether it fits is the core's to say.
const ct_override *ct_bind_gather_overrides(const ct_bind_gather *g, int index, int arg,
                                            const ct_world *world, uint32_t *count); // overrides.c

/// Makes the class of levels; the second function also adds spawn, spawn_many and levels to worlds.
void ct_bind_open_level(lua_State *L);
void ct_bind_open_spawn(lua_State *L);

#endif
