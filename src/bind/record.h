// world:define.
// Knows nothing of how records are stored.
#ifndef BIND_RECORD_H
#define BIND_RECORD_H

#include "bind/bind.h"

extern const luaL_Reg ct_bind_define_methods[];

/// Whether a name consists of letters, digits and _, and does not begin with a digit.
bool ct_bind_is_identifier(const char *name, size_t length);

/// Makes, links and pushes the object of a manager that the world has just taken in.
/// When memory runs out the manager is removed from the world again and the error raised.
void ct_bind_adopt_manager(lua_State *L, int world, ct_manager *core);

/// Ends the manager object at index 'object', whose calls raise 'why' from now on, and
/// removes it from its world. 'why' lives as long as the object. Allocates nothing.
void ct_bind_retire_manager(lua_State *L, int world, int object, const char *why);

#endif
