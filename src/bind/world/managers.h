// How manager objects come and go in their world.
// Knows nothing of any one component.
#ifndef BIND_WORLD_MANAGERS_H
#define BIND_WORLD_MANAGERS_H

#include "bind/world/world.h"

/// Gives the new world object at index 'world' what the functions below need in its environment.
void ct_bind_prepare_managers(lua_State *L, int world);

/// From now on the lender of the world object at index 'world' leaves each block that it lends, a
/// userdata, on top of the stack of L; the stack below it stays as it is. Pushes one value.
ct_lender ct_bind_begin_lending(lua_State *L, int world);

/// Makes and links the objects of all managers that a world was made with, whose blocks are on top
/// of the stack in their order; pops these. False when anything raises, with that on top.
bool ct_bind_adopt_managers(lua_State *L, int world);

/// Makes, links and pushes the object of a manager that the world has just taken in; its block is
/// on top, and popped. False when anything raises (memory, a finalizer): the manager is removed
/// from the world again, and what was raised is pushed in its place.
bool ct_bind_adopt_manager(lua_State *L, int world, ct_manager *core);

/// Ends the manager of the object at index 'object', in whose place another was adopted, and
/// removes it from its world: calls raise that it was defined again. Allocates nothing.
void ct_bind_retire_manager(lua_State *L, int world, int object);

/// Adds 'manager_at' and 'world_bytes' to the module table on top.
void ct_bind_open_world_managers(lua_State *L);

#endif
