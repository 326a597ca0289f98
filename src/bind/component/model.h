// Methods of the model manager beyond what all managers have.
// Knows nothing of other managers.
#ifndef BIND_MODEL_H
#define BIND_MODEL_H

#include "bind/world/world.h"

/// Adds to the module table on top what define_resource, in lua/cuttle/models.lua, is made of
/// (model_define.c).
void ct_bind_open_models(lua_State *L);

#endif
