// Methods of the model manager beyond what all managers have.
// Knows nothing of other managers.
#ifndef BIND_MODEL_H
#define BIND_MODEL_H

#include "bind/world/world.h"

extern const luaL_Reg ct_bind_model_methods[];

/// The one in model_define.c, for the table above.
int ct_bind_model_define(lua_State *L);

#endif
