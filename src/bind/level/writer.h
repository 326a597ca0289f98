// Writers and readers of the bytes that a registered compiler makes and a registered spawner gets.
// Knows nothing of resources.
#ifndef BIND_WRITER_H
#define BIND_WRITER_H

#include "bind/world/world.h"

/// Both add to the module table on top of the stack: compile.writer (so the table 'compile' is
/// there already), and reader.
void ct_bind_open_writer(lua_State *L);
void ct_bind_open_reader(lua_State *L);

#endif
