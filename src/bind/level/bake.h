// Values of components whose layout in a resource is not what their inputs are.
// Knows nothing of blobs.
#ifndef BIND_BAKE_H
#define BIND_BAKE_H

#include "bind/world/world.h"

/// Who owns the instances of one type, and who is whose parent.
typedef struct ct_bind_hierarchy {
    const uint32_t *parent_index;
    uint32_t num_entities;
    const uint32_t *entity_index;
    uint32_t num_instances;
} ct_bind_hierarchy;

/// Whether the type's layout has to be computed from its inputs.
bool ct_bind_is_baked(const ct_manager *manager);

/// Computes the columns of the layout from the array of tables at 'index', one per instance.
/// The items lie in userdata left on the stack. On failure pushes the message, puts
/// the instance into *instance and answers false.
bool ct_bind_bake(lua_State *L, int index, const ct_manager *manager,
                  const ct_bind_hierarchy *hierarchy, ct_values *columns, uint32_t *instance);

#endif
