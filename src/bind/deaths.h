// What destroying and the EntityManager object tell one another.
// Knows nothing of components.
#ifndef BIND_DEATHS_H
#define BIND_DEATHS_H

#include "bind/bind.h"

/// destroy, on_destroy and off_destroy of EntityManager objects.
extern const luaL_Reg ct_bind_death_methods[];

/// Pushes the EntityManager object, or nil when it is being collected.
void ct_bind_push_entities(lua_State *L, const ct_bind_entities *entities);

/// Frees the manager's memory for good: it takes none again, whatever finalizers ask of it.
void ct_bind_end_entities(ct_bind_entities *entities);

#endif
