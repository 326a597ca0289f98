// Removal of all components of a world, and optionally of their owners.
#include "world/clear.h"

#include "world/hooks/hooks.h"
#include "world/host.h"

size_t ct_world_rows(const ct_world *world) {
    size_t rows = 0;
    for (uint32_t i = 0; i < world->manager_count; ++i)
        rows += ct_store_count(&world->managers[i]->store);
    return rows;
}

static uint32_t copy_owners(const ct_world *world, const ct_owners *out) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < world->manager_count; ++i) {
        const ct_store *store = &world->managers[i]->store;
        for (uint32_t row = 0; row < ct_store_count(store) && count < out->capacity; ++row)
            out->items[count++] = ct_store_owners(store)[row];
    }
    return count;
}

bool ct_world_destroy_entities(ct_world *world, ct_reason reason, void *context, uint32_t count,
                               const ct_entity *entities, uint32_t *died) {
    const ct_host *host = world->host;
    if (host != NULL && host->destroy != NULL)
        return host->destroy(context, reason, count, entities, died);
    *died = ct_entity_manager_destroy_for(world->entities, reason, count, entities, context);
    return true;
}

bool ct_world_destroy_owners(ct_world *world, const ct_owners *owners, ct_reason reason,
                             void *context, uint32_t *died) {
    *died = 0;
    if (owners->items == NULL) return true;
    // An entity with several components is listed several times: its later items are dead.
    uint32_t count = copy_owners(world, owners);
    world->busy++;
    bool ok = ct_world_destroy_entities(world, reason, context, count, owners->items, died);
    world->busy--;
    return ok;
}

bool ct_world_clear(ct_world *world, const ct_owners *owners, void *context) {
    const ct_host *host = world->host;
    uint32_t died;
    bool ok = ct_world_destroy_owners(world, owners, CT_REASON_CLEAR, context, &died);
    if (!ok && died == 0) return false;
    world->ending = CT_WORLD_CLEARING;
    ok = ct_hooks_clear(world, CT_REASON_CLEAR, context) && ok;
    if (host != NULL && host->clearing != NULL) ok = host->clearing(context, false) && ok;
    world->ending = 0;
    for (uint32_t i = world->manager_count; i-- > 0;)
        ct_store_clear(&world->managers[i]->store);
    return ok;
}
