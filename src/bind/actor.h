// Methods of the actor manager beyond what all managers have, and in the place of some.
// Knows nothing of other managers.
#ifndef BIND_ACTOR_H
#define BIND_ACTOR_H

#include "bind/bind.h"

extern const luaL_Reg ct_bind_actor_methods[];

#endif
