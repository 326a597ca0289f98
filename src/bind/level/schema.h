// What a world's components look like, told to the compiler written in Lua.
// Knows nothing of source text, files or places in them.
#ifndef BIND_SCHEMA_H
#define BIND_SCHEMA_H

#include "bind/world/world.h"

/// Adds its functions to the module table on top, below 'compile'.
void ct_bind_open_schema(lua_State *L);

#endif
