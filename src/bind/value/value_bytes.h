// Encoding of Lua values as the bytes that levels store.
#ifndef BIND_VALUE_BYTES_H
#define BIND_VALUE_BYTES_H

#include "base/arena.h"
#include "bind/value/check.h"

/// Encodes the value at 'index' as in storage/value_bytes.h, in the state's arena: nil, booleans,
/// numbers, strings, and tables of these; metatables are ignored. Returns false if a value cannot
/// be encoded: the message with its position is on top, and the stack is higher than before. Raises
/// "not enough memory". May be called while parsing: allocates in Lua only on failure.
bool ct_bind_value_to_bytes(lua_State *L, ct_bind_state *state, int index, ct_text *out);

#endif
