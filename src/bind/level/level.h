// Level objects: what one spawn of a resource brought to life, as scripts see it.
// Knows nothing of how entities are created or destroyed.
#ifndef BIND_LEVEL_H
#define BIND_LEVEL_H

#include "bind/level/world_host.h"

/// The payload of a Level object. Its environment table keeps 'world' and 'resource'.
typedef struct ct_bind_level {
    ct_bind_world *world;
    ct_level *core; ///< in the block behind this struct
} ct_bind_level;

/// Pushes a new Level object with room for a level of 'bytes' bytes, which the caller makes with
/// ct_level_init; world and Resource objects are at these indices.
ct_bind_level *ct_bind_level_new(lua_State *L, int world, int resource, size_t bytes);

/// Argument 'arg' as a Level; raises otherwise, and when its world is destroyed.
ct_level *ct_bind_check_level(lua_State *L, int arg);

/// Spawns or restarts (as 'action' says: ct_level_spawn, ct_level_restart) the Level at 'level',
/// with what the host needs for it on the stack above. True with the stack as it was; else with
/// the message pushed.
typedef ct_status ct_bind_level_action(ct_level *level, void *context, ct_message *message);
bool ct_bind_level_act(lua_State *L, int level, ct_bind_level_action *action);

/// Unloads the Level at 'level' and returns how many died. Raises the first error of a callback.
uint32_t ct_bind_level_unload(lua_State *L, int level);

/// Adds what levels need to the registry.
void ct_bind_open_level(lua_State *L);

/// world:spawn.
extern const luaL_Reg ct_bind_level_methods[];

#endif
