// Functions that the files of the transform manager share.
#ifndef BIND_TRANSFORM_H
#define BIND_TRANSFORM_H

#include "bind/world/world.h"

/// Raises why 'child' cannot be a child of 'parent' (ct_transform_link_message).
int ct_bind_raise_link(lua_State *L, int arg, const ct_manager *transforms, ct_row child,
                       ct_row parent, ct_status status) CT_NORETURN;

#endif
