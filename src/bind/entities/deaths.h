// What destroying and the EntityManager object tell one another.
// Knows nothing of components.
#ifndef BIND_DEATHS_H
#define BIND_DEATHS_H

#include "bind/entities/entities.h"

extern const ct_bind_kind ct_bind_entities_kind;

/// destroy, on_destroy and off_destroy of EntityManager objects.
extern const luaL_Reg ct_bind_death_methods[];

/// Enters the new object on top, so that messages far from it can ask for its trace.
void ct_bind_register_entities(lua_State *L, const ct_bind_entities *entities);

/// Makes what these need.
void ct_bind_open_deaths(lua_State *L);

#endif
