// The C part of the compiler.
// Must not depend on source text, files or places in them.
#ifndef BIND_COMPILE_H
#define BIND_COMPILE_H

#include "bind/world/world.h"

/// Each function adds the table of its name to the module table on top.
void ct_bind_open_compile(lua_State *L);
void ct_bind_open_schema(lua_State *L); // schema.c
void ct_bind_open_bytes(lua_State *L);  // bytes.c

#endif
