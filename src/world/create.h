// Creation of entities with components of several types in one call, from values or a template.
#ifndef CT_WORLD_CREATE_H
#define CT_WORLD_CREATE_H

#include "base/arena.h"
#include "world/hooks/hooks.h"

/// Components of one type, one for each entity. Several batches may use the same 'multiple'
/// manager.
typedef struct ct_component_batch {
    ct_manager *manager;
    const ct_values *values;    ///< one for each of all inputs, as in ct_manager_create_whole
    const ct_component_id *ids; ///< one for each entity, or NULL
} ct_component_batch;

/// Inserts a batch at its position in spawn order, behind batches of the same manager. The array
/// has room for it. O(count).
static inline void ct_component_batch_insert(ct_component_batch *batches, uint32_t *count,
                                             ct_component_batch batch) {
    uint32_t place = (*count)++;
    for (; place > 0; --place) {
        if (batches[place - 1].manager->spawn_order <= batch.manager->spawn_order) break;
        batches[place] = batches[place - 1];
    }
    batches[place] = batch;
}

/// Creates 'count' entities into out[0 .. count - 1], then their components, batch by batch. The
/// batches must be in spawn order, because a component may need an earlier one (a mesh its
/// transform). Returns CT_OK, or the status of the failure; *failed is then the index of the failed
/// batch, or 'batch_count' if the entities failed. All or nothing: loops and instances do not
/// notice a failure. Moves rows only at the row limit. Does not run hooks: if the world
/// has hooks, the call begins 'additions' with CT_REASON_CREATE, which records the components, and
/// the caller runs ct_additions_notify when its own data for them exists. Otherwise, and after a
/// failure, additions->world is NULL. If 'additions' is NULL, no hooks run.
ct_status ct_world_create(ct_world *world, uint32_t count, const ct_component_batch *batches,
                          uint32_t batch_count, ct_entity *out, ct_additions *additions,
                          uint32_t *failed);

/// Removes all components of these entities, the youngest first, so that components that were added
/// last leave no trace. Cannot fail. O(entities x managers).
void ct_world_remove_entities(ct_world *world, uint32_t count, const ct_entity *entities);

/// Values for entities with equal components, in a block that the caller owns. Depends only on the
/// world and the managers, and is valid until one of these is destroyed. If the blocks of managers
/// are lent (ct_lender), managers may end earlier: then creating returns CT_ERR_OVER. Members
/// may be read.
typedef struct ct_template {
    ct_world *world;
    uint32_t batch_count;
    uint32_t id_count;   ///< number of batches that have an id
    bool names_entities; ///< a value is an entity, which must be alive
    bool merged;         ///< made by ct_template_merge: values are checked at each use
    const ct_component_batch *batches; ///< each has values for one entity
} ct_template;

/// Returns the size of the block for these components. Each batch has values for one entity.
size_t ct_template_bytes(const ct_component_batch *batches, uint32_t batch_count);

/// Initializes a template in 'block', which must be aligned to 16 and have ct_template_bytes bytes.
/// Copies values, strings and ids into it. The batches must be in spawn order and checked as for
/// ct_world_create. Allocates nothing; freeing the block frees the template.
ct_template *ct_template_init(void *block, ct_world *world, const ct_component_batch *batches,
                              uint32_t batch_count);

/// Returns whether a manager of the template has hooks.
bool ct_template_has_hooks(const ct_template *t);

/// Returns whether the template has a component of a manager.
bool ct_template_has(const ct_template *t, const ct_manager *manager);

/// Returns the item of the next given value field, from input *input of batch *batch on, and
/// advances both; NULL at the end. The caller may write the item, which is in the block.
ct_text *ct_template_next_value(const ct_template *t, uint32_t *batch, uint32_t *input);

/// Creates 'count' entities with equal components, like ct_world_create. All or nothing. Statuses
/// and *failed as there. Also returns CT_ERR_DATA, with the reason in 'message', if an entity in
/// the values is dead or lost a component that it must have (a parent its transform). Allocates
/// temporary memory if there are ids and more than one entity.
ct_status ct_template_create(const ct_template *t, uint32_t count, ct_entity *out,
                             ct_additions *additions, uint32_t *failed, ct_message *message);

/// Merges components, each with values for one entity, into those of a template. Values that are
/// given replace those of the template, and remove values that cannot be combined with them; in a
/// 'multiple' manager, a component replaces the one with the same id. Other components are added.
/// The changes must be checked like values of ct_manager_assign; ct_template_create checks the
/// result. *merged is valid as long as the template, the changes and the pieces of the arena.
/// Returns CT_OK or CT_ERR_MEMORY.
ct_status ct_template_merge(const ct_template *t, const ct_component_batch *changes, uint32_t count,
                            ct_arena *arena, ct_template *merged);

#endif
