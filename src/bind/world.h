// What the files of the binding that make up world objects tell one another.
// Knows nothing of any one component.
#ifndef BIND_WORLD_H
#define BIND_WORLD_H

#include "bind/bind.h"

/// world:create.
extern const luaL_Reg bind_create_methods[];

/// Whether the userdata at 'index' is a world object, destroyed or not.
bool bind_is_world(lua_State *L, int index);

/// Pushes "unknown component 'NAME' (did you mean ...)".
void bind_push_unknown_component(lua_State *L, const ct_world *world, const char *name);

#endif
