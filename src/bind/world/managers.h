// How manager objects come and go in their world.
// Knows nothing of any one component.
#ifndef BIND_WORLD_MANAGERS_H
#define BIND_WORLD_MANAGERS_H

#include "bind/world/world.h"

/// From now on the lender of the world object at index 'world' leaves each block that it lends, a
/// userdata, on top of the stack of L; the stack below it stays as it is. Pushes one value.
ct_lender ct_bind_begin_lending(lua_State *L, int world);

/// Makes and enters the objects of 'count' managers that the world has just taken in; their blocks
/// are on top, and popped. Pushes the object of the last. False when anything raises (memory, a
/// finalizer): what was raised is pushed in its place, and the managers are the caller's to remove.
bool ct_bind_adopt_managers(lua_State *L, int world, uint32_t count);

/// Ends the manager of the object at index 'object', in whose place another was adopted, and
/// removes it from its world: calls raise that it was defined again. Allocates nothing.
void ct_bind_retire_manager(lua_State *L, int world, int object);

/// Adds 'manager_at' and 'world_bytes' to the module table on top; makes what is needed above.
void ct_bind_open_world_managers(lua_State *L);

#endif
