// Spawners that scripts register for opaque component types.
// Must not depend on levels.
#ifndef BIND_SPAWNERS_H
#define BIND_SPAWNERS_H

#include "bind/world/world.h"
#include "resource/resource.h"

/// Adds 'spawners' to the module table on top.
void ct_bind_open_spawners(lua_State *L);

/// Pushes a table with the spawners of the world object at index 'world' for the opaque sections
/// of the resource, by section number counted from 1; nil if there are none. Returns true if there
/// is a spawner. Creates no table for a resource without opaque sections.
bool ct_bind_push_spawners(lua_State *L, int world, const ct_resource *resource);

/// Arguments of a spawner call. The section and the entities outlive the call.
typedef struct ct_bind_spawner_call {
    const ct_section *section;
    const ct_entity *entities; ///< of the level, in the order of the resource, copy by copy
    uint32_t entity_count;     ///< in all copies
    uint32_t copies;
} ct_bind_spawner_call;

/// Function for lua_pcall: spawner, light userdata of a ct_bind_spawner_call -> nothing. Raises
/// the errors of the spawner.
int ct_bind_call_spawner(lua_State *L);

#endif
