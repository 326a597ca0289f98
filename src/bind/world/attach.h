// How the tables that world:attach makes forget the dead.
// Knows nothing of components.
#ifndef BIND_ATTACH_H
#define BIND_ATTACH_H

#include "bind/world/world.h"

/// Adds 'attached' and 'new_entry' to the module table on top.
void ct_bind_open_attached(lua_State *L);

/// The entities of a world that is ending are not listened to any longer. Allocates nothing.
void ct_bind_end_attached(ct_bind_world *world);

/// Removes the entries of entities that are not alive, because a restore has removed them, from all
/// attached tables of a world. With 'all' removes all entries: the components go, too. Allocates
/// nothing.
void ct_bind_forget_attached(lua_State *L, const ct_bind_world *world, bool all);

#endif
