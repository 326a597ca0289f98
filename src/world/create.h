// Entities with components of several types in one call, all or nothing.
// Knows nothing of what stands above a world: who wants to be told is told by the caller.
#ifndef CT_WORLD_CREATE_H
#define CT_WORLD_CREATE_H

#include "world/hooks/hooks.h"

CT_BEGIN_C

/// Components of one type, one for each of the entities. In a 'multiple' manager several batches
/// may name it.
typedef struct ct_component_batch {
    ct_manager *manager;
    const ct_values *values;    ///< for each of all inputs, as in ct_manager_create_whole
    const ct_component_id *ids; ///< or NULL
} ct_component_batch;

/// Creates 'count' entities into out[0 .. count - 1], then their components, batch after batch:
/// give them in spawn order, so that a mesh may look for its entity's transform. CT_OK, or the
/// status of what failed: *failed is the batch at fault, or 'batch_count' for the entities
/// themselves. All or nothing; loops and instances do not notice a failure. Moves no row but at the
/// limit of rows. Hooks are not told: the caller does that, once all is there that it keeps for the
/// components (ct_additions_tell); 'additions', which has begun, notes them. NULL: nobody is told
/// that they come.
ct_status ct_world_create(ct_world *world, uint32_t count, const ct_component_batch *batches,
                          uint32_t batch_count, ct_entity *out, ct_additions *additions,
                          uint32_t *failed);

/// Takes back what ct_world_create has made just now, as if it had never been. Cannot fail.
void ct_world_rollback(ct_world *world, uint32_t count, const ct_component_batch *batches,
                       uint32_t batch_count, const ct_entity *entities);

/// Removes all components that these entities have in the world, the youngest first: what came last
/// is taken back without a trace. Cannot fail. O(entities x managers).
void ct_world_strip(ct_world *world, uint32_t count, const ct_entity *entities);

CT_END_C

#endif
