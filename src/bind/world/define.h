// world:define.
// Knows nothing of how records are stored.
#ifndef BIND_DEFINE_H
#define BIND_DEFINE_H

#include "bind/world/world.h"

/// Defines the component of a description that was checked, a plugin's or a script's, in the world
/// object at index 'world' (ct_world_define), and pushes the object of its manager. That of the one
/// before raises from then on. All or nothing; raises what the core says.
void ct_bind_define_manager(lua_State *L, int world, const ct_component *component, bool by_plugin);

/// Adds 'define' to the module table on top.
void ct_bind_open_define(lua_State *L);

#endif
