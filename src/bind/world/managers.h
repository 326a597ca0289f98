// Definition of components, and creation and removal of the manager objects of a world.
// Must not depend on any one component.
#ifndef BIND_WORLD_MANAGERS_H
#define BIND_WORLD_MANAGERS_H

#include "bind/world/world.h"

/// Returns the lender of a world. If 'unused' is not NULL, it lends pieces of that memory.
/// Otherwise it creates a block for each call and leaves it on top of the stack of L; the stack
/// below the block is unchanged.
ct_lender ct_bind_begin_lending(lua_State *L, ct_bind_world *world, unsigned char *unused);

/// Bytes of all built-in managers in the block of a world.
size_t ct_bind_builtin_bytes(void);

/// Creates the object of a manager that the world has just added, or if 'one' is NULL the objects
/// of all built-in managers, and replaces the block on top of the stack by the last object. If
/// anything raises (memory, a finalizer), the function returns false with the error in the place of
/// the object, and the caller removes the managers.
bool ct_bind_adopt_managers(lua_State *L, int world, ct_manager *one);

/// Ends the manager of the object at index 'object' after another manager has replaced it, and
/// removes it from its world: calls raise that it was defined again. Allocates nothing.
void ct_bind_retire_manager(lua_State *L, int world, int object);

/// Adds 'manager_at', 'world_bytes' and others to the module table on top.
void ct_bind_open_world_managers(lua_State *L);

// Definition (define.c)

/// Defines the component of a checked description, of a plugin or a script, in the world object at
/// index 'world' (ct_world_define). Pushes a list of the dropped
/// fields and the object of the manager; calls of its predecessor raise from now on. All or
/// nothing: raises the error of the core.
void ct_bind_define_manager(lua_State *L, int world, const ct_component *component, bool by_plugin,
                            bool migrate);

/// Adds 'define' to the module table on top.
void ct_bind_open_define(lua_State *L);

#endif
