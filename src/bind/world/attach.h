// How the tables that world:attach makes forget the dead.
// Knows nothing of components.
#ifndef BIND_ATTACH_H
#define BIND_ATTACH_H

#include "bind/world/world.h"

/// Adds 'attached' and 'new_entry' to the module table on top.
void ct_bind_open_attached(lua_State *L);

/// Empties all attached tables of a world: what was attached goes when the components go. Allocates
/// nothing.
void ct_bind_clear_attached(lua_State *L, const ct_bind_world *world);

/// The entities of a world that is ending are not listened to any longer. Allocates nothing.
void ct_bind_end_attached(ct_bind_world *world);

/// Entries go whose entities are not alive: they went with a restore, of which nobody is told.
/// Allocates nothing.
void ct_bind_forget_attached(lua_State *L, const ct_bind_world *world);

#endif
