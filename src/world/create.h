// Creates entities with components of several types in one call, from values or a template.
// Must not depend on levels and scripts: the caller notifies listeners.
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
/// components (ct_additions_tell); 'additions', which has begun, notes them. NULL: no hooks are
/// called.
ct_status ct_world_create(ct_world *world, uint32_t count, const ct_component_batch *batches,
                          uint32_t batch_count, ct_entity *out, ct_additions *additions,
                          uint32_t *failed);

/// Takes back what ct_world_create has made just now, as if it had never been. Cannot fail.
void ct_world_rollback(ct_world *world, uint32_t count, const ct_component_batch *batches,
                       uint32_t batch_count, const ct_entity *entities);

/// Removes all components that these entities have in the world, the youngest first: what came last
/// is taken back without a trace. Cannot fail. O(entities x managers).
void ct_world_remove_entities(ct_world *world, uint32_t count, const ct_entity *entities);

/// In a block that its caller owns; depends on nothing but the world and the managers. A template
/// may be used as long as none of these has ended; managers whose blocks are lent may have
/// (ct_lender), and then creating says CT_ERR_OVER. Open for reading.
typedef struct ct_template {
    ct_world *world;
    uint32_t batch_count;
    uint32_t id_count;                 ///< of batches that have an id
    bool names_entities;               ///< some value is an entity, which has to live
    const ct_component_batch *batches; ///< each with values for one entity
} ct_template;

/// Bytes of the block for these components, which hold values for one entity each.
size_t ct_template_bytes(const ct_component_batch *batches, uint32_t batch_count);

/// A template in 'block', which is aligned to 16 and has as many bytes: values, strings and ids are
/// copied into it. Batches are in spawn order, and were checked as for ct_world_create. Allocates
/// nothing; to give it up, give up the block.
ct_template *ct_template_init(void *block, ct_world *world, const ct_component_batch *batches,
                              uint32_t batch_count);

/// Creates 'count' entities with the components, as ct_world_create does; all are alike. All or
/// nothing. Statuses and *failed as there; besides CT_ERR_DATA, with the reason in 'message', when
/// an entity that the values name has died meanwhile, or lost what it is needed for (a parent its
/// transform). Allocates for a moment where there are ids, for more than one entity.
ct_status ct_template_create(const ct_template *t, uint32_t count, ct_entity *out,
                             ct_additions *additions, uint32_t *failed, ct_message *message);

CT_END_C

#endif
