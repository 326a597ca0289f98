// The binding as host of its worlds: spawners, attachments and destroy callbacks, which the core
// calls through a ct_host. Knows nothing of Level objects.
#ifndef BIND_WORLD_HOST_H
#define BIND_WORLD_HOST_H

#include "bind/world/world.h"

/// The host of every world; its contexts are ct_bind_host_calls.
extern const ct_host ct_bind_host;

/// Prepares what a spawn of 'level' needs, or a patch to another resource, so that afterwards
/// nothing of the binding's can fail but functions of scripts: pushes the two values that the call
/// refers to. Raises when callbacks are nested too deep. May run finalizers.
void ct_bind_prepare_host(lua_State *L, int world, const ct_level *level,
                          const ct_resource *resource);

/// Makes what the host needs.
void ct_bind_open_host(lua_State *L);

#endif
