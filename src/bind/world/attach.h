// world:attach: Lua tables keyed by entity, which forget the dead.
// Knows nothing of components.
#ifndef BIND_ATTACH_H
#define BIND_ATTACH_H

#include "bind/world/world.h"

extern const luaL_Reg ct_bind_attach_methods[];

/// Empties all attached tables of the world object at index 'world': what was attached goes when
/// the components go. Allocates nothing.
void ct_bind_clear_attached(lua_State *L, int world);

/// The same for a world that is ending, whose entities are not listened to any longer.
void ct_bind_end_attached(lua_State *L, int world);

#endif
