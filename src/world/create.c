// Entities with components of several types in one call, all or nothing.
#include "world/create.h"

#include "storage/manager_check.h"
#include "storage/manager_one.h"

static ct_status create(ct_world *world, uint32_t count, const ct_component_batch *batches,
                        uint32_t batch_count, ct_entity *out, ct_additions *additions,
                        uint32_t *failed) {
    *failed = batch_count;
    if (world->over) return CT_ERR_OVER;
    ct_status status = ct_entity_manager_create(world->entities, count, out);
    for (uint32_t i = 0; i < batch_count; ++i)
        ct_store_keep_number(&batches[i].manager->store);
    for (uint32_t i = 0; i < batch_count && status == CT_OK; ++i)
        if (batches[i].ids != NULL) ct_manager_see_ids(batches[i].manager, batches[i].ids, count);
    for (uint32_t i = 0; i < batch_count && status == CT_OK; ++i) {
        const ct_component_batch *batch = &batches[i];
        ct_row first;
        if (count != 1 || !ct_manager_create_one(batch->manager, *out, batch->values, &first))
            status = ct_manager_create_whole(batch->manager, out, count, batch->values, batch->ids,
                                             &first);
        uint32_t made = i + (status == CT_OK);
        if (status == CT_OK && additions != NULL)
            status = ct_additions_note(additions, batch->manager, count);
        if (status == CT_OK) continue;
        *failed = i;
        ct_world_rollback(world, count, batches, made, out);
        for (uint32_t b = 0; b < batch_count; ++b)
            ct_store_restore_number(&batches[b].manager->store);
    }
    return status;
}

ct_status ct_world_create(ct_world *world, uint32_t count, const ct_component_batch *batches,
                          uint32_t batch_count, ct_entity *out, ct_additions *additions,
                          uint32_t *failed) {
    uint64_t begun = ct_work_begin(&world->timings);
    ct_status status = create(world, count, batches, batch_count, out, additions, failed);
    ct_work_end(&world->timings, CT_WORK_CREATE, begun);
    return status;
}

void ct_world_rollback(ct_world *world, uint32_t count, const ct_component_batch *batches,
                       uint32_t batch_count, const ct_entity *entities) {
    // Last batch first: its rows are the last ones of its manager, nothing else moves.
    while (batch_count-- > 0)
        ct_manager_rollback(batches[batch_count].manager, count);
    ct_entity_manager_rollback(world->entities, count, entities);
}

void ct_world_strip(ct_world *world, uint32_t count, const ct_entity *entities) {
    for (uint32_t m = 0; m < world->manager_count; ++m)
        ct_manager_strip(world->managers[m], count, entities);
}
