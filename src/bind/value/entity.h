// cuttle.entity_id and its kin: pure arithmetic on ids.
// Knows nothing of who is alive.
#ifndef BIND_ENTITY_H
#define BIND_ENTITY_H

#include "bind/value/check.h"

/// Adds them to the module table on top.
void ct_bind_open_entity(lua_State *L);

#endif
