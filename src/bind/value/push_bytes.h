// Bytes that the core wrote, as Lua strings.
#ifndef BIND_PUSH_BYTES_H
#define BIND_PUSH_BYTES_H

#include "base/writer.h"
#include "bind/value/object.h"

/// Pushes the written bytes, which messages call 'what', as a string. 'strings', if not 0, is the
/// index of a table with the source strings; it is cleared first if the result is large. Always
/// frees the writer. Raises for a status other than CT_OK, if memory runs out, and under LuaJIT for
/// 2 GB or more, the limit of its strings.
void ct_bind_push_bytes(lua_State *L, ct_writer *writer, ct_status status, const char *what,
                        int strings);

/// Writes texts, each followed by a zero byte, to the table at 'table', from position 1. May run
/// finalizers.
void ct_bind_fill_texts(lua_State *L, int table, const ct_writer *texts);

#endif
