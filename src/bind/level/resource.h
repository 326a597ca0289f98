// Resource objects, as the rooms of the binding that use them see them.
// Knows nothing of spawning.
#ifndef BIND_RESOURCE_H
#define BIND_RESOURCE_H

#include "bind/world/world.h"
#include "resource/resource.h"

/// Argument 'arg' as a Resource; raises otherwise, and where its finalizer has run. Its environment
/// has 'name': the path it was loaded from, or nil.
ct_resource *ct_bind_check_resource(lua_State *L, int arg);

/// Whether its finalizer has run: when the state closes, others' may still use it.
bool ct_bind_resource_gone(const ct_resource *resource);

/// While somebody holds a resource its memory stays, even when the state closes and its finalizer
/// runs in a callback. Cannot fail.
void ct_bind_resource_hold(ct_resource *resource);
void ct_bind_resource_release(ct_resource *resource);

/// Answers what body(resource, argument) answers, one value, for the Resource at argument 1, which
/// is held meanwhile.
int ct_bind_call_held(lua_State *L, lua_CFunction body, lua_Number argument);

/// The message on top gets "NAME: " before it, where the Resource at 'index' has a name.
void ct_bind_name_resource(lua_State *L, int index);

/// Adds 'resource' to the module table on top; describe.summary, tree and entity.
void ct_bind_open_resource(lua_State *L);
void ct_bind_open_summary(lua_State *L);

#endif
