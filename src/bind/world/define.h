// world:define.
// Knows nothing of how records are stored.
#ifndef BIND_DEFINE_H
#define BIND_DEFINE_H

#include "bind/world/world.h"

/// Makes a manager from a description that was checked, a plugin's or a script's, in the world
/// object at index 'world', in place of 'old' if that is not NULL, and pushes its object. Calls of
/// the old object raise from then on the string at index 'why'. All or nothing; raises when memory
/// runs out, where the old one has rows of the living, and "world is in use" where it cannot end
/// now.
void ct_bind_install_manager(lua_State *L, int world, int why, ct_manager *old,
                             const ct_component *component, bool plugin);

/// Adds 'define' to the module table on top.
void ct_bind_open_define(lua_State *L);

#endif
