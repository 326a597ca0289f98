// Host of the worlds of the binding: spawners, attachments and destroy callbacks, which the core
// calls through a ct_host. Must not depend on Level objects.
#ifndef BIND_WORLD_HOST_H
#define BIND_WORLD_HOST_H

#include "bind/world/world.h"

/// Host of every world; its contexts are ct_bind_host_calls.
extern const ct_host ct_bind_host;

/// Prepares a spawn of 'level', or a patch to another resource, so that afterwards only functions
/// of scripts can fail in the binding. Pushes the two values that the call refers to. Raises if
/// callbacks are nested too deeply. May run finalizers.
void ct_bind_prepare_host(lua_State *L, int world, const ct_level *level,
                          const ct_resource *resource);

/// The same for a call that creates and removes components without a resource.
void ct_bind_prepare_changes(lua_State *L, int world);

/// Registers the functions that the host calls.
void ct_bind_open_host(lua_State *L);

#endif
