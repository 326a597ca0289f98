// Level objects: what one spawn of a resource brought to life, as scripts see it.
// Knows nothing of how entities are created or destroyed.
#ifndef BIND_LEVEL_H
#define BIND_LEVEL_H

#include "bind/level/host.h"

/// The payload of a Level object. Its environment table keeps 'world' and 'resource'.
typedef struct ct_bind_level {
    ct_bind_world *world;
    ct_level *core; ///< in the block behind this struct
} ct_bind_level;

/// Pushes a new Level object with room for a level of 'bytes' bytes, which the caller makes with
/// ct_level_init; world and Resource objects are at these indices.
ct_bind_level *ct_bind_level_new(lua_State *L, int world, int resource, size_t bytes);

/// Prepares a call that spawns the level whose object is at 'level'; its world object is at
/// 'world', and keeps it from now on. The call uses the stack above until the caller is done. False
/// with the message on top, and nothing changed.
bool ct_bind_level_prepare(lua_State *L, int level, int world, ct_bind_host_call *call);

/// What a method returns after that call: the Level object, or nil and why it was not spawned.
int ct_bind_level_answer(lua_State *L, int level, const ct_bind_host_call *call, ct_status status,
                         const ct_message *message);

/// Adds what levels need to the registry.
void ct_bind_open_level(lua_State *L);

/// world:spawn and world:register_spawner.
extern const luaL_Reg ct_bind_level_methods[];

#endif
