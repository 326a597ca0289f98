// Methods of the point_mass manager beyond what all managers have.
// Knows nothing of other managers.
#ifndef BIND_POINT_MASS_H
#define BIND_POINT_MASS_H

#include "bind/bind.h"

extern const luaL_Reg ct_bind_point_mass_methods[];

#endif
