// Spawners that scripts register for component types that only they understand.
// Knows nothing of levels but their entities.
#ifndef BIND_SPAWNERS_H
#define BIND_SPAWNERS_H

#include "bind/world/world.h"
#include "resource/resource.h"

/// Adds 'spawners' to the module table on top.
void ct_bind_open_spawners(lua_State *L);

/// Pushes a table with the spawner of each opaque section that has one in the world object at index
/// 'world', under the section's number counted from 1; or nil when there is none. Returns whether
/// there is one. Makes no table for a resource without opaque sections.
bool ct_bind_push_spawners(lua_State *L, int world, const ct_resource *resource);

/// A section on its way to its spawner. Both outlive the call.
typedef struct ct_bind_spawner_call {
    const ct_section *section;
    const ct_entity *entities; ///< of the level, in the resource's order, copy by copy
    uint32_t entity_count;     ///< of all copies
    uint32_t copies;
} ct_bind_spawner_call;

/// For lua_pcall: function and light userdata of a ct_bind_spawner_call -> nothing. Raises what
/// the spawner raises.
int ct_bind_call_spawner(lua_State *L);

#endif
