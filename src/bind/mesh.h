// Methods of the mesh manager beyond what all managers have.
// Knows nothing of other managers.
#ifndef BIND_MESH_H
#define BIND_MESH_H

#include "bind/bind.h"

extern const luaL_Reg ct_bind_mesh_methods[];

#endif
