// The bodies of actors: any Lua values, made and freed by two functions of the script.
// Knows nothing of fields, nor of how methods are called.
#ifndef BIND_BODIES_H
#define BIND_BODIES_H

#include "bind/world/attachment.h"

// A body lies in a Lua table under the number that its row has in the core. From the moment it
// lies there it is told to on_destroy exactly once: it is taken out before the function is called.
// The manager object is at stack index 'object' everywhere.

/// What actors keep.
extern const ct_bind_attachment ct_bind_bodies;

/// Takes the function at index 'function' (or nil) as on_spawn, or as on_destroy.
void ct_bind_bodies_set_function(lua_State *L, int object, bool spawn, int function);

/// Pushes the body of a row, or nil.
void ct_bind_bodies_push(lua_State *L, int object, ct_row row);

/// Raises unless the body of the living target at index 'target' can be replaced: not while it is
/// being made or freed. May run finalizers.
void ct_bind_bodies_check_replace(lua_State *L, int object, int target);

/// Puts the value on top in the place of the target's body, whose end is told first, and pops
/// it. Raises as ct_bind_bodies_check_replace, and the error of on_destroy when all is done.
void ct_bind_bodies_replace(lua_State *L, int object, int target);

/// Tells the end of a row's body, which may lie elsewhere afterwards: returns the row of that
/// component then, or CT_NO_ROW. The first error goes into 'error_slot' if that is nil. Does not
/// raise.
ct_row ct_bind_bodies_free(lua_State *L, int object, ct_row row, int error_slot);

#endif
