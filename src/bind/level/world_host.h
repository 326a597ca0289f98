// Host of the worlds of the binding: spawners, attachments and destroy callbacks, which the core
// calls through a ct_host. Must not depend on Level objects.
#ifndef BIND_WORLD_HOST_H
#define BIND_WORLD_HOST_H

#include "bind/world/world.h"
#include "resource/resource.h"

/// Host of every world; its contexts are ct_bind_host_calls.
extern const ct_host ct_bind_host;

/// Prepares a spawn of 'level', or a patch to another resource, so that afterwards only functions
/// of scripts can fail in the binding. Pushes the two values that the call refers to. Raises if
/// callbacks are nested too deeply. May run finalizers.
void ct_bind_prepare_host(lua_State *L, int world, const ct_level *level,
                          const ct_resource *resource);

/// The same for a call that creates and removes components without a resource.
void ct_bind_prepare_changes(lua_State *L, int world);

// Spawners (spawners.c)

// Functions that scripts register for opaque component types.

/// Adds 'spawners' to the module table on top.
void ct_bind_open_spawners(lua_State *L);

/// Pushes a table with the spawners of the world object at index 'world' for the opaque sections
/// of the resource, by section number counted from 1; nil if there are none. Returns true if there
/// is a spawner. Creates no table for a resource without opaque sections.
bool ct_bind_push_spawners(lua_State *L, int world, const ct_resource *resource);

/// Arguments of a spawner call. The section and the entities outlive the call.
typedef struct ct_bind_spawner_call {
    const ct_section *section;
    const ct_entity *entities; ///< of the level, in the order of the resource, copy by copy
    uint32_t entity_count;     ///< in all copies
    uint32_t copies;
} ct_bind_spawner_call;

/// Function for lua_pcall: spawner, light userdata of a ct_bind_spawner_call -> nothing. Raises
/// the errors of the spawner.
int ct_bind_call_spawner(lua_State *L);

#endif
