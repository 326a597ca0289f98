// Memory layout and reference counting of levels.
#include "level/level_internal.h"

#include "base/alloc.h"
#include "base/message.h"
#include "level/level_lent.h"
#include "level/level_state.h"

#include <string.h>

// Offsets of the arrays that follow ct_level in the block.
typedef struct block_layout {
    size_t entities, skipped, poses, node, name, state, left, overrides, bytes;
} block_layout;

// Returns the number of poses of copies.
static size_t pose_count(const ct_spawn_options *options) {
    const ct_copies *copies = options->copies;
    return copies != NULL && copies->poses != NULL ? copies->count : 0;
}

static block_layout layout_of(const ct_resource *resource, const ct_spawn_options *options) {
    block_layout l;
    l.entities = ct_padded(sizeof(ct_level));
    size_t entities = (size_t)ct_spawner_count(resource, options);
    l.skipped = l.entities + ct_padded(entities * sizeof(ct_entity));
    l.poses = l.skipped + ct_padded(resource->num_component_types * sizeof(bool));
    l.node = l.poses + ct_padded(pose_count(options) * sizeof(ct_pose));
    l.name = l.node + ct_padded(options->parent_node.length);
    l.state = l.name + ct_padded(options->name.length);
    l.left = l.state + ct_padded(options->state.length);
    l.overrides = l.left + ct_padded(ct_level_state_marks(options->state));
    l.bytes = l.overrides + ct_override_bytes(options->overrides, options->override_count);
    return l;
}

size_t ct_level_bytes(const ct_resource *resource, const ct_spawn_options *options) {
    return layout_of(resource, options).bytes;
}

// Copies the poses of the options; 'room' has space for all poses of copies.
static void copy_poses(ct_level *level, const ct_spawn_options *options, ct_pose *room) {
    if (options->pose != NULL) {
        level->pose = *options->pose;
        level->options.pose = &level->pose;
    }
    if (options->copies == NULL) return;
    level->copies = *options->copies;
    level->options.copies = &level->copies;
    if (level->copies.poses == NULL) return;
    level->copies.poses = room;
    memcpy(room, options->copies->poses, pose_count(options) * sizeof *room);
}

static void copy_text(ct_text *text, void *room) {
    if (text->bytes != NULL) text->bytes = memcpy(room, text->bytes, text->length);
}

ct_level *ct_level_init(void *block, ct_levels *levels, ct_resource *resource,
                        const ct_spawn_options *options) {
    ct_level *level = block;
    unsigned char *start = block;
    block_layout l = layout_of(resource, options);
    memset(block, 0, l.poses);
    level->levels = levels;
    level->resource = resource;
    level->options = *options;
    level->entities = (ct_entity *)(void *)(start + l.entities);
    level->skipped = (bool *)(start + l.skipped);
    copy_poses(level, options, (ct_pose *)(void *)(start + l.poses));
    copy_text(&level->options.parent_node, start + l.node);
    copy_text(&level->options.name, start + l.name);
    copy_text(&level->options.state, start + l.state);
    level->left = memset(start + l.left, 0, ct_level_state_marks(options->state));
    level->options.overrides =
        ct_override_copy(options->overrides, options->override_count, start + l.overrides);
    return level;
}

ct_level_memory *ct_level_memory_new(const ct_allocator *allocator, ct_resource *resource,
                                     size_t bytes) {
    size_t all;
    if (!ct_size_mul_add(bytes, 1, sizeof(ct_level_memory) + CT_BLOCK_ALIGNMENT, &all)) return NULL;
    ct_level_memory *memory = ct_alloc(allocator, all);
    if (memory == NULL) return NULL;
    ct_resource_hold(resource);
    *memory = (ct_level_memory){allocator, resource, NULL, all, 1};
    return memory;
}

ct_level_memory *ct_level_memory_hold(ct_level_memory *memory) {
    if (memory != NULL) memory->references++;
    return memory;
}

void ct_level_memory_release(void *memory) {
    ct_level_memory *m = memory;
    if (m == NULL || --m->references > 0) return;
    ct_resource_release(m->resource);
    if (m->other != NULL) ct_resource_release(m->other);
    ct_free(m->allocator, m, m->bytes);
}

void ct_level_hold(ct_level *level) { ct_level_memory_hold(level->memory); }

void ct_level_release(ct_level *level) {
    if (level == NULL || level->memory == NULL) return;
    if (level->memory->references == 1) ct_level_memory_release(level->room);
    ct_level_memory_release(level->memory);
}

ct_level *ct_level_allocate(ct_levels *levels, ct_resource *resource,
                            const ct_spawn_options *options) {
    ct_level_memory *memory =
        ct_level_memory_new(levels->world->allocator, resource, ct_level_bytes(resource, options));
    if (memory == NULL) return NULL;
    ct_level *level = ct_level_init(ct_block_at(memory + 1), levels, resource, options);
    level->memory = memory;
    return level;
}

ct_status ct_level_new(ct_levels *levels, ct_resource *resource, const ct_spawn_options *options,
                       ct_level **out, ct_message *message) {
    ct_world *world = levels->world;
    *out = NULL;
    if (world->destroyed || resource->freed) {
        ct_message_set(message, world->destroyed ? "world is destroyed" : "resource is gone");
        return CT_ERR_OVER;
    }
    ct_status status = ct_spawner_check_count(world, resource, options, message);
    if (status != CT_OK) return status;
    *out = ct_level_allocate(levels, resource, options);
    if (*out != NULL) return CT_OK;
    return ct_message_out_of_memory(message);
}
