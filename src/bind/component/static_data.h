// define_resource and resource_data, as far as managers with static data have them in common.
// Knows nothing of what a resource is, nor of any one manager.
#ifndef BIND_STATIC_DATA_H
#define BIND_STATIC_DATA_H

#include "bind/world/world.h"
#include "storage/resource_names.h"

// What Lua keeps for the manager has the table 'resources': what was defined, by name.

/// Argument 'arg' as the name of a resource: a string that is not empty.
ct_text ct_bind_check_resource_name(lua_State *L, int arg);

/// Pushes the table of resources of the manager object at 1, which is made when it is first
/// asked for: a finalizer may run.
void ct_bind_push_resources(lua_State *L);

/// Keeps the table at 3 under the name at 2 in the table of resources on top, and pushes what
/// was there before. Calls nothing of the script's.
void ct_bind_keep_resource(lua_State *L);

/// Puts back what ct_bind_keep_resource has pushed. Cannot fail.
void ct_bind_put_resource_back(lua_State *L);

/// manager:resource_data(name), where these names are known: pushes the table that was defined,
/// or raises with the nearest name.
int ct_bind_resource_data(lua_State *L, const ct_resource_names *(*names)(const ct_manager *));

#endif
