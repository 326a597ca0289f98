// What the files of the binding that make up world objects tell one another.
// Knows nothing of any one component.
#ifndef BIND_WORLD_H
#define BIND_WORLD_H

#include "bind/bind.h"

/// manager and managers.
extern const luaL_Reg bind_manager_methods[];

/// Pushes the table of manager objects by name of the world object at index 'world'.
void bind_push_managers(lua_State *L, int world);

/// world:create for one entity when nothing is the matter: reads the table at index 2 of the world
/// object at index 1 and creates the entity. False, with nothing created, for the long way to
/// find out why not. Allocates nothing in Lua when it succeeds.
bool bind_create_one(lua_State *L, bind_world *world, ct_entity *out);

/// world:create.
extern const luaL_Reg bind_create_methods[];

/// self of a world's method; raises when it is destroyed.
bind_world *bind_world_self(lua_State *L);

/// What bind_adopt_manager calls; the world's environment keeps it ready under "adopt".
int bind_adopt(lua_State *L);

/// Whether the userdata at 'index' is a world object, destroyed or not.
bool bind_is_world(lua_State *L, int index);

/// Pushes "unknown component 'NAME' (did you mean ...)".
void bind_push_unknown_component(lua_State *L, const ct_world *world, const char *name);

#endif
