// Resource objects, for the other folders of the binding.
// Must not depend on spawning.
#ifndef BIND_RESOURCE_H
#define BIND_RESOURCE_H

#include "bind/world/world.h"
#include "resource/resource.h"

typedef struct ct_bind_resource {
    ct_bind_header header;
    ct_resource core;
} ct_bind_resource;

/// Returns the resource of the value at 'index', which is a Resource.
ct_resource *ct_bind_resource_at(lua_State *L, int index);

/// Returns argument 'arg' as a resource. Raises if it is not a Resource or its finalizer has run.
/// The environment of a Resource has 'name': the path that it was loaded from, or nil.
ct_resource *ct_bind_check_resource(lua_State *L, int arg);

/// Calls body(resource, argument) for the Resource at argument 1, which is held meanwhile, and
/// returns its one result.
int ct_bind_call_held(lua_State *L, lua_CFunction body, lua_Number argument);

/// Pushes a new object, whose resource the caller initializes. Its 'name' is the value at 'path';
/// 0: none.
ct_bind_resource *ct_bind_resource_new(lua_State *L, int path);

/// Returns the resource of the value at 'index', or NULL if it is not a Resource that can be used.
const ct_resource *ct_bind_test_resource(lua_State *L, int index);

/// Pushes a new Resource from these bytes. The value at 'path' is the name for messages, that at
/// 'name' the name for saves (nil: none). Returns false with the message pushed instead. Raises
/// "not enough memory".
bool ct_bind_push_resource(lua_State *L, const void *bytes, size_t count, int path, int name);

/// Inserts "NAME: " before the message on top, if the Resource at 'index' has a name.
void ct_bind_name_resource(lua_State *L, int index);

/// Adds 'resource' to the module table on top. The second function adds 'describe', for
/// resource:describe.
void ct_bind_open_resource(lua_State *L);
void ct_bind_open_summary(lua_State *L);

/// Add the tables of their names, for the compiler in Lua, to the module table on top.
void ct_bind_open_compile(lua_State *L);
void ct_bind_open_schema(lua_State *L); // schema.c
void ct_bind_open_bytes(lua_State *L);  // bytes.c

#endif
