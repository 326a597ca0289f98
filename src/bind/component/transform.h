// What the files of the transform manager share.
// Knows nothing of other managers.
#ifndef BIND_TRANSFORM_H
#define BIND_TRANSFORM_H

#include "bind/world/world.h"

/// Raises why 'child' cannot be below 'parent', as ct_transform_link_message tells it.
int ct_bind_raise_link(lua_State *L, int arg, const ct_manager *transforms, ct_row child,
                       ct_row parent, ct_status status) CT_NORETURN;

#endif
