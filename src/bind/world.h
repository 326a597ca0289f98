// What the files of the binding that make up world objects tell one another.
// Knows nothing of any one component.
#ifndef BIND_WORLD_H
#define BIND_WORLD_H

#include "bind/bind.h"

/// manager and managers.
extern const luaL_Reg ct_bind_manager_methods[];

/// Pushes the table of manager objects by name of the world object at index 'world'.
void ct_bind_push_managers(lua_State *L, int world);

/// world:create for one entity when nothing is the matter: reads the table at index 2 of the world
/// object at index 1 and creates the entity. False, with nothing created, for the long way to
/// find out why not. Allocates nothing in Lua when it succeeds.
bool ct_bind_create_one(lua_State *L, ct_bind_world *world, ct_entity *out);

/// world:create.
extern const luaL_Reg ct_bind_create_methods[];

/// self of a world's method; raises when it is destroyed.
ct_bind_world *ct_bind_world_self(lua_State *L);

/// What ct_bind_adopt_manager calls; the world's environment keeps it ready under "adopt".
int ct_bind_adopt(lua_State *L);

/// Whether the value at 'index' is a world object, destroyed or not.
bool ct_bind_is_world(lua_State *L, int index);

/// Calls 'body' with all that is on the stack while the world is busy: no finalizer can destroy it,
/// or define a component anew, between two looks at a manager. Answers how many results there are.
int ct_bind_call_busy(lua_State *L, ct_bind_world *world, lua_CFunction body);

/// Pushes "unknown component 'NAME' (did you mean ...)".
void ct_bind_push_unknown_component(lua_State *L, const ct_world *world, const char *name);

#endif
