// Removal of dead entities from the tables that world:attach creates.
#ifndef BIND_ATTACH_H
#define BIND_ATTACH_H

#include "bind/world/world.h"

/// Adds 'attached' and 'new_entry' to the module table on top.
void ct_bind_open_attached(lua_State *L);

/// Stops listening to the entities of a world that is ending. Allocates nothing.
void ct_bind_end_attached(ct_bind_world *world);

/// Removes the entries of entities that a restore has removed from all attached tables of a world.
/// If 'all' is true, removes all entries, because the components are removed, too. Allocates
/// nothing.
void ct_bind_forget_attached(lua_State *L, const ct_bind_world *world, bool all);

#endif
