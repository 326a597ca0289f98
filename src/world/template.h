// Components whose values were prepared once, to create entities with them again and again.
// Knows nothing of where the values came from.
#ifndef CT_TEMPLATE_H
#define CT_TEMPLATE_H

#include "world/create.h"

CT_BEGIN_C

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
