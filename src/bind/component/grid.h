// Readers of grids, beside the methods of their manager.
// Knows nothing of other managers.
#ifndef BIND_GRID_H
#define BIND_GRID_H

#include "bind/world/world.h"

/// Makes the class of readers, and enters what compiled ones leave to C.
void ct_bind_open_grids(lua_State *L);

#endif
