// Spawned levels: lookup by path, spawn, removal of entities, unload.
#include "level/level_internal.h"
#include "level/level_state_internal.h"

#include "base/message.h"
#include "component/transform.h"
#include "resource/path.h"
#include "world/create.h"

#include <string.h>

// ---------------------------------------------------------------- lookup

uint32_t ct_level_count(const ct_level *level) { return level->count; }

ct_entity ct_level_entity_at(const ct_level *level, uint32_t i) {
    return i < level->count ? ct_level_entity(level, i) : (ct_entity){CT_NOBODY};
}

ct_text ct_level_name(const ct_level *level) {
    if (level->options.name.bytes != NULL) return level->options.name;
    return level->resource->freed ? (ct_text){"", 0} : level->resource->name;
}

uint32_t ct_level_copies(const ct_level *level) {
    return level->count > 0 ? ct_spawner_copies(&level->options) : 0;
}

// Finds the first living entity with a path in the copy that begins at entity 'from'.
static ct_entity find_in_copy(const ct_level *level, ct_text path, uint32_t from) {
    const ct_entity_manager *entities = level->levels->world->entities;
    uint32_t i = CT_PATH_NONE;
    while ((i = ct_path_find(level->resource, path, i)) != CT_PATH_NONE) {
        if (ct_entity_manager_alive(entities, level->entities[from + i]))
            return level->entities[from + i];
    }
    return (ct_entity){CT_NOBODY};
}

ct_status ct_level_find(const ct_level *level, ct_text path, ct_entity *out) {
    *out = (ct_entity){CT_NOBODY};
    if (level->resource->freed) return CT_OK;
    if (path.bytes == NULL) path.bytes = ""; // an empty text
    ct_status status = ct_path_index(level->resource, path);
    if (status != CT_OK) return status;
    uint32_t step = level->resource->num_entities;
    for (uint32_t from = 0; from < level->count && out->id == CT_NOBODY; from += step)
        *out = find_in_copy(level, path, from);
    return CT_OK;
}

static uint32_t count_owners(const ct_level *level, const char *component) {
    const ct_resource *resource = level->resource;
    uint32_t count = 0;
    for (uint32_t i = 0; i < resource->num_component_types; ++i) {
        const ct_section *section = &resource->sections[i];
        if (section->schema != 0 && strcmp(section->name, component) == 0)
            count += section->num_instances;
    }
    for (uint32_t i = 0; i < level->options.override_count; ++i) {
        if (ct_override_is_for(&level->options.overrides[i], component)) count++;
    }
    return ct_spawner_count(resource, &level->options) > 0 ? count : 0;
}

uint32_t ct_level_owners(const ct_level *level, const char *component, uint32_t *owners) {
    const ct_resource *resource = level->resource;
    if (owners == NULL) return count_owners(level, component);
    // Mark each owner in the first copy, then copy the marks to the others and collect the
    // numbers.
    uint32_t count = 0, step = resource->num_entities;
    memset(owners, 0, level->count * sizeof *owners);
    for (uint32_t s = 0; s < resource->num_component_types; ++s) {
        const ct_section *section = &resource->sections[s];
        if (section->schema == 0 || strcmp(section->name, component) != 0) continue;
        for (uint32_t i = 0; i < section->num_instances; ++i)
            owners[section->entity_index[i]] = 1;
    }
    for (uint32_t o = 0; o < level->options.override_count; ++o) {
        const ct_override *override = &level->options.overrides[o];
        uint32_t i = CT_PATH_NONE;
        if (!ct_override_is_for(override, component)) continue;
        while ((i = ct_path_find(resource, override->path, i)) != CT_PATH_NONE)
            owners[i] = 1;
    }
    for (uint32_t i = step; i < level->count; ++i)
        owners[i] = owners[i - step];
    for (uint32_t i = 0; i < level->count; ++i) {
        if (owners[i] != 0) owners[count++] = i;
    }
    return count;
}

// ---------------------------------------------------------------- spawning

ct_status ct_level_check_state(const ct_level *level, ct_message *message) {
    const char *reason = NULL;
    ct_status status = CT_ERR_OVER;
    if (level->levels->world->destroyed)
        reason = "world is destroyed";
    else if (ct_world_refuses(level->levels->world) != NULL)
        reason = ct_world_refuses(level->levels->world);
    else if (level->resource->freed)
        reason = "resource is gone";
    else if (level->spawning || level->patching || level->unloading)
        status = CT_ERR_EXISTS;
    else
        return CT_OK;
    if (level->spawning) reason = "the level is being spawned";
    if (level->patching) reason = "the level is being patched";
    if (level->unloading) reason = "the level is being unloaded";
    ct_message_set(message, "%s", reason);
    return status;
}

ct_status ct_level_check_spawned(const ct_level *level, ct_message *message) {
    if (level->resource->names_only) {
        ct_message_set(message,
                       level->other != NULL ? "the level was spawned from another version of '%s'"
                                            : "the level's resource '%s' was not given",
                       level->resource->name.bytes);
        return CT_ERR_OVER;
    }
    if (level->count > 0 || ct_spawner_count(level->resource, &level->options) == 0) return CT_OK;
    ct_message_set(message, "the level is unloaded");
    return CT_ERR_DATA;
}

static void mark_skipped(ct_level *level, void *context) {
    const ct_resource *resource = level->resource;
    for (uint32_t i = 0; i < resource->num_component_types; ++i)
        level->skipped[i] = ct_spawner_skips(level->levels->world, &resource->sections[i], context);
}

// Notifies the host and hooks, when all entities exist with their components. Rolls the spawn back
// and returns false if a callback failed.
static bool notify(ct_level *level, ct_additions *additions, void *context) {
    ct_world *world = level->levels->world;
    const ct_host *host = world->host;
    bool ok = host == NULL || host->created == NULL || host->created(context, level);
    if (ok && ct_additions_notify(additions, context)) return true;
    ct_additions_undo(additions, context);
    ct_spawner_undo(world, context, level->count, level->entities);
    return false;
}

static ct_status spawn_and_notify(ct_level *level, ct_reason reason, void *context,
                                  ct_message *message) {
    ct_world *world = level->levels->world;
    ct_additions additions;
    const ct_spawn_call call = {.context = context,
                                .created = &level->count,
                                .wrong_option = &level->wrong_option,
                                .additions = &additions,
                                .finish = ct_level_state_apply,
                                .user = level};
    ct_additions_begin(&additions, world, reason);
    level->wrong_option = false;
    ct_status status =
        ct_spawner_spawn(world, level->resource, &level->options, &call, level->entities, message);
    if (status == CT_OK && !notify(level, &additions, context)) {
        message->text[0] = '\0';
        status = CT_ERR_DATA;
    }
    ct_additions_end(&additions);
    return status;
}

static ct_status spawn(ct_level *level, ct_reason reason, void *context, ct_message *message) {
    ct_world *world = level->levels->world;
    ct_status status = ct_spawner_check_options(world, level->resource, &level->options, message);
    if (status != CT_OK) return status;
    ct_message problem;
    if (level->options.state.bytes != NULL &&
        !ct_level_state_check(level->options.state, &problem)) {
        ct_message_set(message, "state: %s", problem.text);
        return CT_ERR_DATA;
    }
    // A linked level is notified of reissued ids while the host runs.
    if (ct_spawner_count(level->resource, &level->options) > 0 && !level->linked)
        ct_levels_add(level, context);
    mark_skipped(level, context);
    status = spawn_and_notify(level, reason, context, message);
    if (status != CT_OK) level->count = 0;
    return status;
}

ct_status ct_level_spawn_for(ct_level *level, ct_reason reason, void *context,
                             ct_message *message) {
    ct_world *world = level->levels->world;
    level->spawning = true;
    uint64_t begun = ct_work_begin(&world->timings);
    ct_status status = spawn(level, reason, context, message);
    ct_work_end(&world->timings, CT_WORK_SPAWN, begun);
    level->spawning = false;
    return status;
}

static ct_status spawn_empty(ct_level *level, void *context, ct_message *message) {
    ct_status status = ct_level_spawn_for(level, CT_REASON_SPAWN, context, message);
    if (status != CT_OK) ct_levels_remove(level);
    return status;
}

// Releases a level that is not in the list, because its spawn failed or it has no entities.
static ct_status finish(ct_level *level, void *context, ct_status status) {
    if (!level->linked) ct_levels_release(level, context);
    ct_level_release(level);
    return status;
}

ct_status ct_level_act(ct_level *level, ct_level_act_fn act, void *context, ct_message *message) {
    ct_world *world = level->levels->world;
    ct_resource *resource = level->resource;
    ct_level_hold(level); // a callback may release the level
    ct_status status = ct_level_check_state(level, message);
    if (status != CT_OK) return finish(level, context, status);
    world->busy++;
    ct_resource_hold(resource);
    status = act(level, context, message);
    ct_resource_release(resource);
    world->busy--;
    return finish(level, context, status);
}

ct_status ct_level_spawn(ct_level *level, void *context, ct_message *message) {
    if (level->count > 0 && !level->spawning && !level->patching && !level->unloading) {
        ct_message_set(message, "the level is spawned already");
        return CT_ERR_EXISTS;
    }
    return ct_level_act(level, spawn_empty, context, message);
}

// ---------------------------------------------------------------- removal of entities

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

// ---------------------------------------------------------------- unloading

bool ct_level_destroy(ct_world *world, ct_reason reason, void *context, uint32_t count,
                      const ct_entity *entities, uint32_t *died, bool *ok) {
    uint64_t begun = ct_work_begin(&world->timings);
    uint32_t i = 0;
    *ok = ct_world_destroy_entities(world, reason, context, count, entities, died);
    ct_work_end(&world->timings, CT_WORK_UNLOAD, begun);
    while (!*ok && i < count && !ct_entity_manager_alive(world->entities, entities[i]))
        i++;
    return *ok || i == count;
}

// Destroys the entities of a level. The level stays in the list if the host could not begin.
static ct_status unload(ct_level *level, ct_reason reason, void *context, uint32_t *died) {
    ct_world *world = level->levels->world;
    bool ok;
    level->unloading = true;
    world->busy++;
    bool dead = ct_level_destroy(world, reason, context, level->count, level->entities, died, &ok);
    world->busy--;
    level->unloading = false;
    if (!dead) return CT_ERR_DATA;
    level->count = 0;
    ct_levels_remove(level);
    return ok ? CT_OK : CT_ERR_DATA;
}

static ct_status unload_for(ct_level *level, ct_reason reason, void *context, uint32_t *died) {
    uint32_t ignored;
    if (died == NULL) died = &ignored;
    *died = 0;
    if (level->count == 0 || level->spawning || level->patching || level->unloading) return CT_OK;
    ct_level_hold(level);
    return finish(level, context, unload(level, reason, context, died));
}

ct_status ct_level_unload(ct_level *level, void *context, uint32_t *died) {
    return unload_for(level, CT_REASON_UNLOAD, context, died);
}

// Returns the youngest level with at most this serial, or NULL.
static ct_level *next_to_unload(const ct_levels *levels, uint32_t serial) {
    ct_level *level = levels->youngest;
    while (level != NULL && level->serial > serial)
        level = level->older;
    return level;
}

bool ct_levels_unload(ct_levels *levels, ct_reason reason, void *context) {
    uint32_t youngest = levels->serial;
    bool ok = true;
    for (ct_level *level; (level = next_to_unload(levels, youngest)) != NULL;) {
        ct_level_hold(level);
        if (unload_for(level, reason, context, NULL) != CT_OK) ok = false;
        if (level->linked)
            ct_levels_release(level, context); // its entities may be alive, but it leaves the list
        ct_level_release(level);
    }
    return ok;
}

// Frees the world, unless a callback closed the Lua state and its finalizers have freed the world.
static void free_world(ct_levels *levels, void *context) {
    ct_world *world = levels->world;
    const ct_host *host = world->host;
    if (world->destroyed) return;
    ct_levels_end(levels);
    if (host != NULL && host->ended != NULL) host->ended(context);
    ct_world_free(world);
}

bool ct_world_end(ct_levels *levels, const ct_owners *owners, void *context) {
    ct_world *world = levels->world;
    const ct_host *host = world->host;
    uint32_t died;
    world->ending = CT_WORLD_ENDING;
    bool ok = ct_levels_unload(levels, CT_REASON_WORLD, context);
    ok = ct_world_destroy_owners(world, owners, CT_REASON_WORLD, context, &died) && ok;
    ok = ct_hooks_clear(world, CT_REASON_WORLD, context) && ok;
    if (host != NULL && host->clearing != NULL) ok = host->clearing(context, true) && ok;
    free_world(levels, context);
    return ok;
}
