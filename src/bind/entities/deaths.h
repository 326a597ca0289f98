// What destroying and the EntityManager object tell one another.
// Knows nothing of components.
#ifndef BIND_DEATHS_H
#define BIND_DEATHS_H

#include "bind/entities/entities.h"

/// destroy, on_destroy and off_destroy of EntityManager objects.
extern const luaL_Reg ct_bind_death_methods[];

#endif
