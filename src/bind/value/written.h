// Bytes that the core has written, as strings of Lua.
// Knows nothing of what they are.
#ifndef BIND_WRITTEN_H
#define BIND_WRITTEN_H

#include "base/writer.h"
#include "bind/value/object.h"

/// Pushes what ct_bind_push_written needs on top; before there is anything to lose, as it may
/// raise.
void ct_bind_prepare_written(lua_State *L);

/// Replaces that by a string of what was written, which is called 'what' in messages. The table at
/// 'strings', if that is not 0, has the strings that it was made of: they go before, where it is
/// large. Frees the writer, also where this raises: with a status of the writer other than CT_OK,
/// when memory runs out, and under LuaJIT, whose strings end there, from 2 GB on.
void ct_bind_push_written(lua_State *L, ct_writer *writer, ct_status status, const char *what,
                          int strings);

#endif
