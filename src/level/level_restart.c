// Restart of spawned levels: spawns the new entities, then destroys the old ones.
#include "level/level_internal.h"
#include "level/level_lent.h"

#include "base/message.h"

#include <string.h>

// The old entities of a level while the host spawns the new ones.
typedef struct replaced {
    size_t skipped; // bytes before the entities, for ct_level.skipped
    size_t bytes;
    unsigned char *block;
    bool linked;
    ct_resource *resource;
    ct_entity *at;
    bool *skipped_at;
} replaced;

// Makes the level use its other resource, if the present one has only names, in the spare block.
static void use_other(ct_level *level) {
    unsigned char *spare = level->spare;
    const ct_resource *other = level->other;
    if (!level->resource->names_only) return;
    CT_ASSERT(spare != NULL && other != NULL);
    size_t bytes = ct_patch_bytes(level, other), types = other->num_component_types;
    level->resource = level->other;
    level->other = NULL;
    level->entities = (ct_entity *)(void *)spare;
    level->skipped = (bool *)(spare + bytes - types - 1);
    memset(level->skipped, 0, types);
}

// Makes the level use its first resource and block again.
static void use_first(ct_level *level, const replaced *old) {
    if (level->resource != old->resource) level->other = level->resource;
    level->resource = old->resource;
    level->entities = old->at;
    level->skipped = old->skipped_at;
}

static ct_status begin_replacing(ct_level *level, replaced *old) {
    size_t entities = level->count * sizeof *level->entities;
    old->skipped = ct_padded(level->resource->num_component_types);
    old->bytes = old->skipped + entities + 1;
    old->block = ct_alloc(level->levels->world->allocator, old->bytes);
    old->linked = level->linked;
    if (old->block == NULL) return CT_ERR_MEMORY;
    memcpy(old->block, level->skipped, level->resource->num_component_types);
    memcpy(old->block + old->skipped, level->entities, entities);
    ct_level_forget_places(level);
    level->replaced = (ct_entity *)(void *)(old->block + old->skipped);
    level->replaced_count = level->count;
    level->count = 0;
    old->resource = level->resource;
    old->at = level->entities;
    old->skipped_at = level->skipped;
    use_other(level);
    return CT_OK;
}

// Ends a restart. After a failure the level has its old entities again. Otherwise it becomes the
// youngest of its world, as after a spawn.
static void end_replacing(ct_level *level, const replaced *old, bool failed, void *context) {
    if (failed) {
        ct_level_forget_places(level);
        use_first(level, old);
        level->count = level->replaced_count;
        memcpy(level->skipped, old->block, level->resource->num_component_types);
        memcpy(level->entities, level->replaced, level->count * sizeof *level->entities);
    }
    level->replaced = NULL;
    level->replaced_count = 0;
    ct_table_free(&level->replaced_places, level->levels->world->allocator);
    ct_free(level->levels->world->allocator, old->block, old->bytes);
    bool moves = old->linked && !failed && level->linked;
    if (moves || (failed && !old->linked)) ct_levels_remove(level);
    if (moves) ct_levels_add(level, context);
}

// Destroys the old entities. If the host cannot begin, the new ones are destroyed instead.
static bool unload_replaced(ct_level *level, void *context) {
    ct_world *world = level->levels->world;
    uint32_t died;
    bool ok;
    if (level->replaced_count == 0) return true;
    level->unloading = true;
    bool dead = ct_level_destroy(world, CT_REASON_RESTART, context, level->replaced_count,
                                 level->replaced, &died, &ok);
    if (!dead) ct_spawner_undo(world, context, level->count, level->entities);
    level->unloading = false;
    return dead;
}

static ct_status restart(ct_level *level, void *context, ct_message *message) {
    replaced old;
    ct_resource *source = ct_level_source(level);
    if (source == NULL) {
        ct_message_set(message, "the level's resource '%s' was not given",
                       level->resource->name.bytes);
        return CT_ERR_OVER;
    }
    ct_status status = begin_replacing(level, &old);
    if (status != CT_OK) return ct_message_out_of_memory(message);
    ct_resource_hold(source);
    status = ct_level_spawn_for(level, CT_REASON_RESTART, context, message);
    if (status == CT_OK && !unload_replaced(level, context)) {
        message->text[0] = '\0';
        status = CT_ERR_DATA;
    }
    end_replacing(level, &old, status != CT_OK, context);
    ct_resource_release(source);
    return status;
}

ct_status ct_level_restart_lent(ct_level *level, void *room, void *context, ct_message *message) {
    ct_level_hold(level); // a callback may release the level
    level->spare = room;
    ct_status status = ct_level_act(level, restart, context, message);
    level->spare = NULL;
    ct_level_release(level);
    return status;
}

ct_status ct_level_restart(ct_level *level, void *context, ct_message *message) {
    ct_level_memory *own = NULL, *before = level->room;
    if (!level->resource->names_only || level->other == NULL)
        return ct_level_restart_lent(level, NULL, context, message);
    ct_status status =
        ct_spawner_check_count(level->levels->world, level->other, &level->options, message);
    if (status != CT_OK) return status;
    own = ct_level_memory_new(level->levels->world->allocator, level->other,
                              ct_patch_bytes(level, level->other));
    if (own == NULL) return ct_message_out_of_memory(message);
    ct_level_hold(level);
    status = ct_level_restart_lent(level, ct_block_at(own + 1), context, message);
    if (status == CT_OK) level->room = own;
    ct_level_memory_release(status == CT_OK ? before : own);
    ct_level_release(level);
    return status;
}
