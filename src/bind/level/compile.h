// What the compiler written in Lua leaves to C.
// Knows nothing of source text, files or places in them.
#ifndef BIND_COMPILE_H
#define BIND_COMPILE_H

#include "bind/world/world.h"

/// Adds its functions to the module table on top, below 'compile'.
void ct_bind_open_compile(lua_State *L);

#endif
