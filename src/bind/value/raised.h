// What functions of scripts raise, as a message.
// Knows nothing of who called them.
#ifndef BIND_RAISED_H
#define BIND_RAISED_H

#include "bind/value/compat.h"

#include <stdbool.h>

/// Replaces what was raised, on top of the stack, by a string: itself, a number, or what its
/// __tostring says, which may run any script; by 'otherwise' (NULL: nil) for all else, also where
/// that raises. Returns whether it said anything.
bool ct_bind_raised_message(lua_State *L, const char *otherwise);

/// Adds 'messages', for the parts written in Lua, to the module table on top (messages.c).
void ct_bind_open_messages(lua_State *L);

#endif
