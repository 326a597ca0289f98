// Shared parts of define_resource and resource_data of managers with static data.
#ifndef BIND_STATIC_DATA_H
#define BIND_STATIC_DATA_H

#include "bind/world/world.h"
#include "storage/resource_names.h"

// The table that Lua keeps for the manager has the field 'resources': definitions, by name.

/// Returns argument 'arg' as the name of a resource, a non-empty string.
ct_text ct_bind_check_resource_name(lua_State *L, int arg);

/// Pushes the table of resources of the manager object at 1; creates it the first time, which may
/// run a finalizer.
void ct_bind_push_resources(lua_State *L);

/// Stores the table at 3 under the name at 2 in the table of resources on top, and pushes the
/// previous value. Calls no function of the script.
void ct_bind_keep_resource(lua_State *L);

/// Restores the value that ct_bind_keep_resource pushed. Cannot fail.
void ct_bind_put_resource_back(lua_State *L);

/// manager:resource_data(name) for a manager with these names: pushes the defined table, or raises
/// with the nearest name.
int ct_bind_resource_data(lua_State *L, const ct_resource_names *(*names)(const ct_manager *));

#endif
