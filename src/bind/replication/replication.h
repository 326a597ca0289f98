// Publishers, peers and subscribers of scripts.
// Must not depend on the format of messages.
#ifndef BIND_REPLICATION_H
#define BIND_REPLICATION_H

#include "bind/world/world.h"

/// Adds 'subscriber' to the module table on top.
void ct_bind_open_subscriber(lua_State *L);

/// Adds 'publisher' and 'subscriber' to the module table on top.
void ct_bind_open_replication(lua_State *L);

#endif
