// The memory of levels that the core owns, with a count of its users.
// Knows nothing of what a level does.
#include "level/level_internal.h"

#include "base/alloc.h"
#include "base/message.h"
#include "level/level_lent.h"

ct_level_memory *ct_level_memory_new(const ct_allocator *allocator, ct_resource *resource,
                                     size_t bytes) {
    size_t all;
    if (!ct_size_mul_add(bytes, 1, sizeof(ct_level_memory) + CT_BLOCK_ALIGNMENT, &all)) return NULL;
    ct_level_memory *memory = ct_alloc(allocator, all);
    if (memory == NULL) return NULL;
    ct_resource_hold(resource);
    *memory = (ct_level_memory){allocator, resource, all, 1};
    return memory;
}

ct_level_memory *ct_level_memory_hold(ct_level_memory *memory) {
    if (memory != NULL) memory->references++;
    return memory;
}

void ct_level_memory_release(void *block) {
    ct_level_memory *memory = block;
    if (memory == NULL || --memory->references > 0) return;
    ct_resource_release(memory->resource);
    ct_free(memory->allocator, memory, memory->bytes);
}

void ct_level_hold(ct_level *level) { ct_level_memory_hold(level->memory); }

void ct_level_release(ct_level *level) {
    if (level == NULL || level->memory == NULL) return;
    if (level->memory->references == 1) ct_level_memory_release(level->room);
    ct_level_memory_release(level->memory);
}

ct_status ct_level_new(ct_levels *levels, ct_resource *resource, const ct_spawn_options *options,
                       ct_level **out, ct_message *message) {
    ct_world *world = levels->world;
    *out = NULL;
    if (world->over || resource->over) {
        ct_message_set(message, world->over ? "world is destroyed" : "resource is gone");
        return CT_ERR_OVER;
    }
    ct_status status = ct_spawner_check_count(world, resource, options, message);
    if (status != CT_OK) return status;
    ct_level_memory *memory =
        ct_level_memory_new(world->allocator, resource, ct_level_bytes(resource, options));
    if (memory == NULL) {
        ct_message_set(message, "not enough memory");
        return CT_ERR_MEMORY;
    }
    *out = ct_level_init(ct_block_at(memory + 1), levels, resource, options);
    (*out)->memory = memory;
    return CT_OK;
}
