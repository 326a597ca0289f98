// Worlds like some others, over an entity manager of their own.
#include "level/mirror.h"

#include "world/define.h"

void ct_mirror_init(ct_mirror *mirror, const ct_allocator *allocator) {
    *mirror = (ct_mirror){.allocator = allocator};
    ct_entity_manager_init(&mirror->entities, allocator, 0);
    mirror->core.entities = &mirror->entities;
}

static size_t bytes_of(uint32_t count) {
    return count * (sizeof(ct_world) + sizeof(ct_levels) + sizeof(ct_snapshot_world)) + 1;
}

static ct_status make_world(ct_mirror *mirror, uint32_t i, const ct_snapshot_world *from) {
    ct_world *world = &mirror->worlds[i];
    ct_status status = ct_world_init(world, mirror->allocator, &mirror->entities, &mirror->epochs,
                                     from->world->seed);
    if (status != CT_OK) return status;
    ct_levels_init(&mirror->levels[i], world);
    // A snapshot has levels where its worlds have.
    ct_levels *levels = from->levels != NULL ? &mirror->levels[i] : NULL;
    mirror->items[i] = (ct_snapshot_world){from->name, world, levels, NULL};
    mirror->made++;
    return ct_world_resemble(world, from->world);
}

ct_status ct_mirror_resemble(ct_mirror *mirror, const ct_snapshot_worlds *worlds) {
    mirror->core.count = worlds->count;
    mirror->worlds = ct_alloc_zero(mirror->allocator, bytes_of(worlds->count));
    if (mirror->worlds == NULL) return CT_ERR_MEMORY;
    mirror->levels = (ct_levels *)(void *)(mirror->worlds + worlds->count);
    mirror->items = (ct_snapshot_world *)(void *)(mirror->levels + worlds->count);
    mirror->core.items = mirror->items;
    ct_status status = CT_OK;
    for (uint32_t i = 0; i < worlds->count && status == CT_OK; ++i)
        status = make_world(mirror, i, &worlds->items[i]);
    return status;
}

void ct_mirror_free(ct_mirror *mirror) {
    for (uint32_t i = 0; i < mirror->made; ++i) {
        ct_levels_end(&mirror->levels[i]);
        ct_world_free(&mirror->worlds[i]);
    }
    if (mirror->worlds != NULL)
        ct_free(mirror->allocator, mirror->worlds, bytes_of(mirror->core.count));
    ct_entity_manager_free(&mirror->entities);
}
