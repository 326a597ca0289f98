// Lua values as the bytes that levels hold of them.
// Knows nothing of what the bytes are for.
#ifndef BIND_VALUE_BYTES_H
#define BIND_VALUE_BYTES_H

#include "base/arena.h"
#include "bind/value/check.h"

/// The value at 'index' as bytes of storage/value_bytes.h, in the state's arena: nil, booleans,
/// numbers, strings, and tables of these, metatables apart. False with the message on top, and the
/// stack higher than it was: what cannot be, and where it is. Raises "not enough memory". For while
/// something is gathered: allocates in Lua on failure alone.
bool ct_bind_value_to_bytes(lua_State *L, ct_bind_state *state, int index, ct_text *out);

#endif
