// Updates of spawned levels to a newer version of their resource.
#include "level/patch.h"

#include "base/message.h"
#include "level/level_internal.h"
#include "level/level_lent.h"
#include "level/patch_internal.h"
#include "resource/path.h"

#include <string.h>

static size_t entity_bytes(const ct_level *level, const ct_resource *resource) {
    return ct_padded((size_t)ct_spawner_count(resource, &level->options) * sizeof(ct_entity));
}

size_t ct_patch_bytes(const ct_level *level, const ct_resource *resource) {
    return entity_bytes(level, resource) + resource->num_component_types + 1;
}

void ct_patch_result_free(const ct_world *world, ct_patch_result *result) {
    ct_free(world->allocator, result->left, result->left_capacity * sizeof *result->left);
    result->left = NULL;
    result->left_count = result->left_capacity = 0;
}

void ct_patch_write_left(const ct_patch_result *result, const ct_resource *old,
                         const ct_resource *next, ct_writer *out) {
    for (uint32_t i = 0; i < result->left_count; ++i) {
        const ct_patch_left *left = &result->left[i];
        const ct_resource *of = (left->section & CT_PATCH_LEFT_OLD) != 0 ? old : next;
        const char *name = of->sections[left->section & ~CT_PATCH_LEFT_OLD].name;
        uint32_t begin = out->count;
        ct_path_write(next, left->entity, out);
        ct_writer_bytes(out, ": ", 2);
        ct_writer_bytes(out, name, (uint32_t)strlen(name) + 1);
        if (out->status != CT_OK) out->count = begin;
    }
}

// Checks the level, the new version and the options, before the patch allocates.
static ct_status check(ct_patch *patch) {
    const ct_level *level = patch->level;
    ct_status status = ct_level_check_state(level, patch->message);
    if (status != CT_OK) return status;
    if (patch->next->freed) {
        ct_message_set(patch->message, "resource is gone");
        return CT_ERR_OVER;
    }
    status = ct_level_check_spawned(level, patch->message);
    if (status != CT_OK) return status;
    if (ct_spawner_count(patch->next, &patch->options) > CT_MAX_ENTITIES) {
        ct_message_set(patch->message, "more than %u entities", CT_MAX_ENTITIES);
        return CT_ERR_FULL;
    }
    if (patch->old->num_entities > CT_MAX_ENTITIES - patch->next->num_entities) {
        ct_message_set(patch->message, "both versions together have more than %u entities",
                       CT_MAX_ENTITIES);
        return CT_ERR_FULL;
    }
    // The level of a save was not spawned here, so its overrides may not fit the old version.
    status = ct_spawner_check_options(patch->world, patch->old, &patch->options, patch->message);
    if (status == CT_OK)
        status =
            ct_spawner_check_options(patch->world, patch->next, &patch->options, patch->message);
    if (status != CT_OK) return status;
    return ct_spawner_check_types(patch->world, patch->next, &patch->options, patch->context,
                                  patch->message);
}

static ct_status take_block(ct_patch *patch) {
    size_t old = patch->old->num_entities, next = patch->next->num_entities;
    size_t all = next * patch->copies, types = patch->next->num_component_types;
    size_t entities = ct_padded(all * sizeof(ct_entity));
    size_t removed = ct_padded(old * patch->copies * sizeof(ct_entity));
    patch->block_bytes = 2 * entities + removed + 3 * all + types + 16;
    unsigned char *at = patch->block = ct_alloc_zero(patch->allocator, patch->block_bytes);
    if (at == NULL) return ct_message_out_of_memory(patch->message);
    patch->entities = (ct_entity *)(void *)at;
    patch->created = (ct_entity *)(void *)(at += entities);
    patch->removed = (ct_entity *)(void *)(at += entities);
    patch->made = (bool *)(at += removed);
    patch->changed = (bool *)(at += all);
    patch->moved = (bool *)(at += all);
    patch->spawned_opaque = (bool *)(at + all);
    return CT_OK;
}

// Puts the new version into the level. The ids of matched entities are copied from the level
// again, because it marks reissued ids.
static void follow(ct_patch *patch, unsigned char *room) {
    ct_level *level = patch->level;
    uint32_t old = patch->old->num_entities, next = patch->next->num_entities;
    ct_entity *entities = (ct_entity *)(void *)room;
    memcpy(entities, patch->entities, (size_t)next * patch->copies * sizeof *entities);
    for (uint32_t copy = 0; copy < patch->copies && level->count > 0; ++copy) {
        for (uint32_t j = 0; j < next; ++j) {
            uint32_t i = patch->match.old_of[j];
            if (i != CT_MATCH_NONE) entities[copy * next + j] = level->entities[copy * old + i];
        }
    }
    ct_level_forget_places(level);
    level->entities = entities;
    level->skipped = (bool *)(room + entity_bytes(level, patch->next));
    level->resource = patch->next;
    level->count = next * patch->copies;
    for (uint32_t s = 0; s < patch->next->num_component_types; ++s)
        level->skipped[s] =
            ct_spawner_skips(patch->world, &patch->next->sections[s], patch->context);
    if (level->count > 0 && !level->linked) ct_levels_add(level, patch->context);
    if (level->count == 0) ct_levels_remove(level); // the caller releases the level at the end
}

// Counts the matched entities that steps changed, each once.
static void count_result(ct_patch *patch) {
    ct_patch_result *result = patch->result;
    result->added = patch->created_count;
    for (uint32_t s = 0; s < patch->step_count; ++s) {
        const ct_patch_step *step = &patch->steps[s];
        if (!step->done || step->is_created) continue;
        bool *marks = step->kind == CT_PATCH_LINK ? patch->moved : patch->changed;
        if (!marks[step->place])
            ++*(step->kind == CT_PATCH_LINK ? &result->moved : &result->changed);
        marks[step->place] = true;
    }
}

static ct_status run(ct_patch *patch, void *room, bool *ok) {
    ct_status status = ct_patch_plan(patch);
    if (status == CT_OK) status = ct_patch_make(patch);
    if (status != CT_OK) return status;
    status = ct_patch_write(patch);
    if (status != CT_OK) {
        ct_patch_unmake(patch);
        return status;
    }
    // Nothing below this line can fail.
    ct_additions_end(&patch->additions);
    follow(patch, room);
    if (!ct_patch_remove(patch)) *ok = false;
    count_result(patch);
    return CT_OK;
}

static ct_status patch_checked(ct_patch *patch, void *room, bool *ok) {
    ct_status status = ct_match_init(&patch->match, patch->old, patch->next, patch->allocator);
    ct_arena_init(&patch->arena, patch->allocator);
    if (status != CT_OK) return ct_message_out_of_memory(patch->message);
    status = take_block(patch);
    if (status == CT_OK) status = run(patch, room, ok);
    ct_patch_free_steps(patch);
    ct_match_free(&patch->match, patch->allocator);
    ct_free(patch->allocator, patch->block, patch->block_bytes);
    if (status != CT_OK) ct_patch_result_free(patch->world, patch->result);
    return status;
}

// Patches the level in the lent memory, or in new memory that the level then owns.
static ct_status patch_in_room(ct_patch *patch, void *room, bool *ok) {
    ct_level *level = patch->level;
    ct_level_memory *own = NULL, *replaced = level->room;
    if (room == NULL) {
        own =
            ct_level_memory_new(patch->allocator, patch->next, ct_patch_bytes(level, patch->next));
        if (own == NULL) return ct_message_out_of_memory(patch->message);
        room = ct_block_at(own + 1);
    }
    ct_status status = patch_checked(patch, room, ok);
    if (status == CT_OK) level->room = own;
    ct_level_memory_release(status == CT_OK ? replaced : own);
    return status;
}

static ct_status patch_level(ct_level *level, ct_resource *resource, void *room, void *context,
                             ct_patch_result *result, bool *ok, ct_message *message) {
    ct_patch patch = {.level = level,
                      .world = level->levels->world,
                      .allocator = level->levels->world->allocator,
                      .old = level->resource,
                      .next = resource,
                      .context = context,
                      .message = message,
                      .options = level->options,
                      .copies = ct_spawner_copies(&level->options),
                      .result = result,
                      .reason = CT_REASON_PATCH};
    memset(result, 0, sizeof *result);
    ct_status status = check(&patch);
    if (status != CT_OK) return status;
    patch.options.copies = NULL;
    level->patching = true;
    patch.world->busy++;
    ct_resource_hold(patch.old);
    ct_resource_hold(patch.next);
    status = patch_in_room(&patch, room, ok);
    ct_resource_release(patch.next);
    ct_resource_release(patch.old);
    patch.world->busy--;
    level->patching = false;
    return status;
}

ct_status ct_level_patch_lent(ct_level *level, ct_resource *resource, void *room, void *context,
                              ct_patch_result *result, bool *ok, ct_message *message) {
    CT_ASSERT((room == NULL) == (level->memory != NULL));
    ct_level_hold(level); // a callback may release the level
    ct_status status = patch_level(level, resource, room, context, result, ok, message);
    // A level that is empty or was unloaded is not in the list.
    if (!level->linked && !level->spawning && !level->patching && !level->unloading)
        ct_levels_release(level, context);
    ct_level_release(level);
    return status;
}

ct_status ct_level_patch(ct_level *level, ct_resource *resource, void *context,
                         ct_patch_result *result, bool *ok, ct_message *message) {
    return ct_level_patch_lent(level, resource, NULL, context, result, ok, message);
}
