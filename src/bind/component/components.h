// Table of the built-in managers with additional methods.
#ifndef BIND_COMPONENTS_H
#define BIND_COMPONENTS_H

#include "bind/manager/manager.h"

extern const ct_bind_builtin ct_bind_builtins[]; ///< ends with a name of NULL

/// Attachment of the one type with 'hosted': the bodies of actors.
extern const struct ct_bind_attachment ct_bind_bodies;
void ct_bind_open_bodies(lua_State *L);

/// Creates the class of grid readers, and registers the functions that compiled ones call
/// (grid_reader.c).
void ct_bind_open_grids(lua_State *L);

/// Adds the C part of define_resource (lua/cuttle/models.lua) to the module table on top
/// (model_define.c).
void ct_bind_open_models(lua_State *L);

/// Registers the functions that loops over children call, and the class of watches.
void ct_bind_open_transforms(lua_State *L);

/// Creates the class of watches (transform_watch.c).
void ct_bind_open_watches(lua_State *L);

#endif
