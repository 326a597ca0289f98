// Removal of entities from their level, without destroying them.
#include "level/level_internal.h"

#include "base/message.h"
#include "component/transform.h"

// Marks the entity at a place, and those below it in the resource. 'below' has room for a copy.
static void mark_lost_tree(ct_level *level, uint32_t place, bool *below) {
    const ct_resource *resource = level->resource;
    uint32_t first = place - place % resource->num_entities;
    for (uint32_t i = 0; i < resource->num_entities; ++i) {
        uint32_t parent = resource->parent_index[i];
        below[i] = first + i == place || (parent != CT_RESOURCE_NO_PARENT && below[parent]);
        if (below[i]) level->entities[first + i].id |= CT_LEVEL_LOST;
    }
}

// Allocates the marks of mark_lost_tree and the subtree of a transform (no row: nothing).
static void *take_subtree(const ct_level *level, ct_manager *transforms, ct_row row, uint32_t count,
                          size_t *bytes, ct_entity **subtree) {
    *bytes = count * sizeof **subtree + level->resource->num_entities + 1;
    void *block = ct_alloc(level->levels->world->allocator, *bytes);
    *subtree = block;
    if (block != NULL && count > 0) ct_transform_subtree(transforms, row, count, *subtree);
    return block;
}

ct_status ct_level_remove_entity(ct_level *level, ct_entity e, ct_message *message) {
    const ct_world *world = level->levels->world;
    ct_manager *transforms = ct_world_find(world, CT_TRANSFORM);
    ct_row row = {CT_NO_ROW};
    ct_entity *subtree;
    size_t bytes;
    ct_status status = ct_level_check_state(level, message);
    if (status != CT_OK) return status;
    uint32_t place = ct_level_place_of(level, e);
    if (place == CT_TABLE_NONE || !ct_entity_manager_alive(world->entities, e)) {
        ct_message_set(message, "entity(%u:%u) is not an entity of this level", ct_entity_index(e),
                       ct_entity_generation(e));
        return CT_ERR_DATA;
    }
    if (transforms != NULL) row = ct_store_find(&transforms->store, e);
    uint32_t count = row.i != CT_NO_ROW ? ct_transform_subtree(transforms, row, 0, NULL) : 0;
    void *block = take_subtree(level, transforms, row, count, &bytes, &subtree);
    if (block == NULL) return ct_message_out_of_memory(message);
    // Nothing below this line can fail.
    mark_lost_tree(level, place, (bool *)(subtree + count));
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t other = ct_level_place_of(level, subtree[i]);
        if (other != CT_TABLE_NONE) level->entities[other].id |= CT_LEVEL_LOST;
    }
    ct_free(world->allocator, block, bytes);
    return CT_OK;
}
