// Copies of worlds without rows, over a separate entity manager.
#include "level/shadow_worlds.h"

#include "world/define.h"

void ct_shadow_worlds_init(ct_shadow_worlds *shadows, const ct_allocator *allocator) {
    *shadows = (ct_shadow_worlds){.allocator = allocator};
    ct_entity_manager_init(&shadows->entities, allocator, 0);
    shadows->core.entities = &shadows->entities;
}

static size_t bytes_of(uint32_t count) {
    return count * (sizeof(ct_world) + sizeof(ct_levels) + sizeof(ct_snapshot_world)) + 1;
}

static ct_status make_world(ct_shadow_worlds *shadows, uint32_t i, const ct_snapshot_world *from) {
    ct_world *world = &shadows->worlds[i];
    ct_status status = ct_world_init(world, shadows->allocator, &shadows->entities,
                                     &shadows->epochs, from->world->seed);
    if (status != CT_OK) return status;
    ct_levels_init(&shadows->levels[i], world);
    // Snapshots contain levels only for worlds with 'levels', so the copy must have a list if the
    // original has one.
    ct_levels *levels = from->levels != NULL ? &shadows->levels[i] : NULL;
    shadows->items[i] = (ct_snapshot_world){from->name, world, levels, NULL};
    shadows->made++;
    return ct_world_copy_schema(world, from->world);
}

ct_status ct_shadow_worlds_copy(ct_shadow_worlds *shadows, const ct_snapshot_worlds *worlds) {
    shadows->core.count = worlds->count;
    shadows->worlds = ct_alloc_zero(shadows->allocator, bytes_of(worlds->count));
    if (shadows->worlds == NULL) return CT_ERR_MEMORY;
    shadows->levels = (ct_levels *)(void *)(shadows->worlds + worlds->count);
    shadows->items = (ct_snapshot_world *)(void *)(shadows->levels + worlds->count);
    shadows->core.items = shadows->items;
    ct_status status = CT_OK;
    for (uint32_t i = 0; i < worlds->count && status == CT_OK; ++i)
        status = make_world(shadows, i, &worlds->items[i]);
    return status;
}

void ct_shadow_worlds_free(ct_shadow_worlds *shadows) {
    for (uint32_t i = 0; i < shadows->made; ++i) {
        ct_levels_end(&shadows->levels[i]);
        ct_world_free(&shadows->worlds[i]);
    }
    if (shadows->worlds != NULL)
        ct_free(shadows->allocator, shadows->worlds, bytes_of(shadows->core.count));
    ct_entity_manager_free(&shadows->entities);
}
