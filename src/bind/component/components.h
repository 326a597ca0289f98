// The table of built-in managers with methods of their own.
// Knows nothing of what the methods do.
#ifndef BIND_COMPONENTS_H
#define BIND_COMPONENTS_H

#include "bind/manager/manager.h"

extern const ct_bind_builtin ct_bind_builtins[]; ///< ends with a name of NULL

/// What the one type with 'hosted' keeps: actors their bodies.
extern const struct ct_bind_attachment ct_bind_bodies;
void ct_bind_open_bodies(lua_State *L);

/// Makes the class of grid readers, and enters what compiled ones leave to C (grid_reader.c).
void ct_bind_open_grids(lua_State *L);

/// Adds to the module table on top what define_resource, in lua/cuttle/models.lua, is made of
/// (model_define.c).
void ct_bind_open_models(lua_State *L);

/// Enters what loops over children call.
void ct_bind_open_transforms(lua_State *L);

#endif
