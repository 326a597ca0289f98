// What the parts written in Lua need for messages.
// Knows nothing of what the messages are about.
#ifndef BIND_MESSAGES_H
#define BIND_MESSAGES_H

#include "bind/value/compat.h"

/// Adds 'messages' to the module table on top.
void ct_bind_open_messages(lua_State *L);

#endif
