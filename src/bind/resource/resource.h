// Resource objects, as the rooms of the binding that use them see them.
// Knows nothing of spawning.
#ifndef BIND_RESOURCE_H
#define BIND_RESOURCE_H

#include "bind/world/world.h"
#include "resource/resource.h"

typedef struct ct_bind_resource {
    ct_bind_header header;
    ct_resource core;
} ct_bind_resource;

/// The value at 'index', which is a Resource.
ct_resource *ct_bind_resource_at(lua_State *L, int index);

/// Argument 'arg' as a Resource; raises otherwise, and where its finalizer has run. Its environment
/// has 'name': the path it was loaded from, or nil.
ct_resource *ct_bind_check_resource(lua_State *L, int arg);

/// Returns what body(resource, argument) returns, one value, for the Resource at argument 1, which
/// is held meanwhile.
int ct_bind_call_held(lua_State *L, lua_CFunction body, lua_Number argument);

/// Pushes the Resource that these bytes are, called as the value at 'name' says (nil: not at all).
/// False with the message in its place. Raises "not enough memory".
bool ct_bind_push_resource(lua_State *L, const void *bytes, size_t count, int name);

/// The message on top gets "NAME: " before it, where the Resource at 'index' has a name.
void ct_bind_name_resource(lua_State *L, int index);

/// Adds 'resource' to the module table on top; what resource:describe needs.
void ct_bind_open_resource(lua_State *L);
void ct_bind_open_summary(lua_State *L);

#endif
