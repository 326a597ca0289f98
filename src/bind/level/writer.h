// What turns numbers into bytes and back, for what registered compilers and spawners are given.
// Knows nothing of resources.
#ifndef BIND_WRITER_H
#define BIND_WRITER_H

#include "bind/world/world.h"

/// Adds 'bytes' to the module table on top of the stack.
void ct_bind_open_writer(lua_State *L);

#endif
