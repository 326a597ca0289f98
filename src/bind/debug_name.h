// Methods of the debug_name manager beyond what all managers have.
// Knows nothing of other managers.
#ifndef BIND_DEBUG_NAME_H
#define BIND_DEBUG_NAME_H

#include "bind/bind.h"

extern const luaL_Reg ct_bind_debug_name_methods[];

#endif
