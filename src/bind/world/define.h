// world:define.
// Knows nothing of how records are stored.
#ifndef BIND_DEFINE_H
#define BIND_DEFINE_H

#include "bind/world/world.h"

/// Defines the component of a description that was checked, a plugin's or a script's, in the world
/// object at index 'world' (ct_world_define; with 'migrate' ct_world_redefine), and pushes a list
/// of what was dropped, and the object of its manager. That of the one before raises from then on.
/// All or nothing; raises what the core says.
void ct_bind_define_manager(lua_State *L, int world, const ct_component *component, bool by_plugin,
                            bool migrate);

/// Adds 'define' to the module table on top.
void ct_bind_open_define(lua_State *L);

#endif
