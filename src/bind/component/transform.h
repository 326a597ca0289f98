// What the files of the transform manager share.
// Knows nothing of other managers.
#ifndef BIND_TRANSFORM_H
#define BIND_TRANSFORM_H

#include "bind/world/world.h"

/// Raises that no local pose gives the wanted world pose below this parent.
int ct_bind_raise_no_inverse(lua_State *L, int arg, ct_entity parent) CT_NORETURN;

#endif
