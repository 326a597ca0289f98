// world:define, and the definition of components for plugins.
#ifndef BIND_DEFINE_H
#define BIND_DEFINE_H

#include "bind/world/world.h"

/// Defines the component of a checked description, of a plugin or a script, in the world object at
/// index 'world' (ct_world_define; if 'migrate', ct_world_redefine). Pushes a list of the dropped
/// fields and the object of the manager; calls of its predecessor raise from now on. All or
/// nothing: raises the error of the core.
void ct_bind_define_manager(lua_State *L, int world, const ct_component *component, bool by_plugin,
                            bool migrate);

/// Adds 'define' to the module table on top.
void ct_bind_open_define(lua_State *L);

#endif
