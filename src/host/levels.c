// Resources and levels for hosts.
#include "host/host_internal.h"

#include "level/capture.h"
#include "level/level_state.h"
#include "level/patch.h"
#include "resource/spawner.h"
#include "storage/death_trace.h"

// ---------------------------------------------------------------- resources

// Copies and checks the bytes of a resource.
static ct_status fill(ct_host_entities *host, ct_slot_resource *resource, const void *bytes,
                      size_t count, const char *name) {
    ct_builtin_layout layouts[CT_MAX_BUILTINS + 1];
    ct_status status = ct_resource_init(&resource->core, &host->allocator, (uint32_t)count);
    if (status != CT_OK) return ct_slot_status(host, status);
    memcpy(resource->core.blob, bytes, count);
    ct_spawner_builtin_layouts(layouts);
    status = ct_resource_check(&resource->core, layouts, &host->message);
    if (status == CT_OK && name != NULL)
        status = ct_resource_set_name(&resource->core, ct_slot_text(name));
    return ct_slot_status(host, status);
}

ct_status ct_host_load(ct_host_entities *host, const void *bytes, size_t count, const char *name,
                       ct_host_resource *out) {
    out->id = 0;
    if (!ct_slots_may_change(host)) return CT_ERR_DATA;
    const uint64_t size = count; // compared without a warning where size_t has 32 bits
    if (bytes == NULL || size == 0 || size > UINT32_MAX)
        return ct_slot_fail(host, "the resource is empty, or has more than 4 GB");
    ct_slot_resource *resource = ct_slot_alloc(host, sizeof *resource);
    if (resource == NULL) return CT_ERR_MEMORY;
    ct_status status = fill(host, resource, bytes, count, name);
    if (status != CT_OK) {
        ct_resource_free(&resource->core);
        ct_free(&host->allocator, resource, sizeof *resource);
        return status;
    }
    resource->named = true;
    resource->next = host->resources;
    host->resources = resource;
    return ct_slot_new(host, CT_SLOT_RESOURCE, 0, resource, &out->id);
}

// ---------------------------------------------------------------- spawning

void ct_host_spawn_options_init(ct_host_spawn_options *options, uint32_t size) {
    static const ct_host_spawn_options defaults = {
        .size = sizeof defaults, .parent = {CT_NOBODY}, .copies = 1};
    ct_options_init(options, size, &defaults, sizeof defaults);
}

// Spawns a level. Its handle exists before its hooks run, which may make others.
static ct_status spawn(ct_host_entities *host, ct_slot_world *world, ct_resource *resource,
                       const ct_host_spawn_options *o, ct_host_level *out) {
    const ct_copies copies = {o->copies, o->poses};
    const ct_spawn_options options = {.pose = o->pose,
                                      .copies = o->copies != 1 || o->poses ? &copies : NULL,
                                      .parent = o->parent,
                                      .parent_node = ct_slot_text(o->parent_node),
                                      .refuse_unknown = o->refuse_unknown,
                                      .overrides = o->overrides,
                                      .override_count = o->override_count,
                                      .state = {o->state, o->state_bytes},
                                      .name = ct_slot_text(o->name)};
    ct_level *level;
    uint64_t id;
    ct_status status = ct_level_new(&world->levels, resource, &options, &level, &host->message);
    if (status != CT_OK) return status;
    status = ct_slot_new(host, CT_SLOT_LEVEL, world->slot, level, &id);
    if (status != CT_OK) {
        ct_level_release(level);
        return status;
    }
    status = ct_slot_status(host, ct_level_spawn(level, NULL, &host->message));
    if (status == CT_OK) out->id = id;
    if (status != CT_OK && ct_host_is_valid(host, id)) (void)ct_host_release(host, id);
    return status;
}

ct_status ct_host_spawn(ct_host_entities *host, ct_host_world world, ct_host_resource resource,
                        const ct_host_spawn_options *options, ct_host_level *out) {
    ct_host_spawn_options o;
    out->id = 0;
    ct_host_spawn_options_init(&o, sizeof o);
    if (!ct_slots_may_change(host) ||
        !ct_slot_options(options, &o, sizeof o, "ct_host_spawn_options_init", &host->message))
        return CT_ERR_DATA;
    ct_slot_world *object = ct_slot_world_of(host, world);
    ct_slot_resource *loaded =
        object != NULL ? ct_slot_read(host, resource.id, CT_SLOT_RESOURCE) : NULL;
    if (loaded == NULL) return CT_ERR_DATA;
    if (o.pose != NULL && o.poses != NULL)
        return ct_slot_fail(host, "pose: not together with poses");
    return spawn(host, object, &loaded->core, &o, out);
}

// ---------------------------------------------------------------- levels

ct_status ct_host_level_entities(ct_host_entities *host, ct_host_level level, uint32_t capacity,
                                 ct_entity *out, uint32_t *count) {
    const ct_level *object = ct_slot_read(host, level.id, CT_SLOT_LEVEL);
    if (object == NULL) return CT_ERR_DATA;
    for (uint32_t i = 0; i < object->count && i < capacity; ++i)
        out[i] = ct_level_entity(object, i);
    *count = object->count;
    return CT_OK;
}

ct_status ct_host_level_find(ct_host_entities *host, ct_host_level level, const char *path,
                             ct_entity *out) {
    const ct_level *object = ct_slot_read(host, level.id, CT_SLOT_LEVEL);
    if (object == NULL) return CT_ERR_DATA;
    if (path == NULL) return ct_slot_fail(host, "path: a text expected, got NULL");
    return ct_slot_status(host, ct_level_find(object, ct_slot_text(path), out));
}

ct_status ct_host_level_info_of(ct_host_entities *host, ct_host_level level,
                                ct_host_level_info *out) {
    const ct_level *object = ct_slot_read(host, level.id, CT_SLOT_LEVEL);
    if (object == NULL) return CT_ERR_DATA;
    const ct_host_level_info result = {.count = object->count,
                                       .alive = ct_level_alive(object),
                                       .copies = ct_level_copies(object),
                                       .name = ct_level_name(object)};
    return ct_slot_result(host, out, &result, sizeof result);
}

ct_status ct_host_level_save(ct_host_entities *host, ct_host_level level, const void **bytes,
                             size_t *count) {
    ct_level *object = ct_slot_change(host, level.id, CT_SLOT_LEVEL);
    if (object == NULL) return CT_ERR_DATA;
    ct_slot_begin_text(host);
    ct_status status = ct_level_save(object, NULL, &host->saved, &host->message);
    return ct_slot_end_text(host, status, bytes, count);
}

ct_status ct_host_level_left(ct_host_entities *host, ct_host_level level, const void **texts,
                             size_t *count) {
    const ct_level *object = ct_slot_read(host, level.id, CT_SLOT_LEVEL);
    if (object == NULL) return CT_ERR_DATA;
    ct_slot_begin_text(host);
    return ct_slot_end_text(host, ct_level_left(object, &host->saved), texts, count);
}

ct_status ct_host_level_leave(ct_host_entities *host, ct_host_level level, ct_entity e) {
    ct_level *object = ct_slot_change(host, level.id, CT_SLOT_LEVEL);
    if (object == NULL) return CT_ERR_DATA;
    return ct_slot_status(host, ct_level_remove_entity(object, e, &host->message));
}

ct_status ct_host_capture(ct_host_entities *host, ct_host_world world, uint32_t count,
                          const ct_entity *entities, bool lenient, const void **bytes,
                          size_t *size) {
    ct_slot_world *object = ct_slot_change(host, world.id, CT_SLOT_WORLD);
    if (object == NULL) return CT_ERR_DATA;
    for (uint32_t i = 0; i < count; ++i) {
        if (ct_entity_manager_alive(&host->core, entities[i])) continue;
        ct_dead_message(NULL, &host->core, entities[i], &host->message);
        return CT_ERR_DATA;
    }
    ct_slot_begin_text(host);
    ct_status status =
        ct_capture(&object->core, entities, count, lenient, NULL, &host->saved, &host->message);
    return ct_slot_end_text(host, status, bytes, size);
}

ct_status ct_host_restart(ct_host_entities *host, ct_host_level level) {
    ct_level *object = ct_slot_change(host, level.id, CT_SLOT_LEVEL);
    if (object == NULL) return CT_ERR_DATA;
    return ct_slot_status(host, ct_level_restart(object, NULL, &host->message));
}

ct_status ct_host_unload(ct_host_entities *host, ct_host_level level, uint32_t *destroyed) {
    uint32_t died = 0;
    ct_level *object = ct_slot_change(host, level.id, CT_SLOT_LEVEL);
    if (object == NULL) return CT_ERR_DATA;
    (void)ct_level_unload(object, NULL, &died); // there is no host that could fail
    if (destroyed != NULL) *destroyed = died;
    return CT_OK;
}

ct_status ct_host_patch(ct_host_entities *host, ct_host_level level, ct_host_resource resource,
                        ct_host_patch_counts *counts) {
    ct_patch_result result;
    ct_host_patch_counts numbers = {0, 0, 0, 0, 0, 0};
    bool ok;
    ct_level *object = ct_slot_change(host, level.id, CT_SLOT_LEVEL);
    ct_slot_resource *next =
        object != NULL ? ct_slot_read(host, resource.id, CT_SLOT_RESOURCE) : NULL;
    if (next == NULL ||
        (counts != NULL && ct_slot_result(host, counts, &numbers, sizeof numbers) != CT_OK))
        return CT_ERR_DATA;
    ct_world *world = object->levels->world; // callbacks may release the level
    ct_status status = ct_level_patch(object, &next->core, NULL, &result, &ok, &host->message);
    if (status != CT_OK) return ct_slot_status(host, status);
    numbers.added = result.added;
    numbers.removed = result.removed;
    numbers.changed = result.changed;
    numbers.moved = result.moved;
    numbers.left = result.left_count;
    ct_patch_result_free(world, &result);
    if (counts != NULL) (void)ct_slot_result(host, counts, &numbers, sizeof numbers);
    ct_slot_sweep_resources(host);
    return CT_OK;
}

ct_status ct_host_levels(ct_host_entities *host, ct_host_world world, uint32_t capacity,
                         ct_host_level *out, uint32_t *count) {
    const ct_slot_world *object = ct_slot_world_of(host, world);
    if (object == NULL) return CT_ERR_DATA;
    uint32_t found = 0;
    for (ct_level *level = ct_levels_next(&object->levels, NULL); level != NULL;
         level = ct_levels_next(&object->levels, level)) {
        if (found >= capacity) {
            found++;
            continue;
        }
        out[found].id = ct_slot_id(host, level);
        if (out[found].id == 0) {
            ct_status status =
                ct_slot_new(host, CT_SLOT_LEVEL, object->slot, level, &out[found].id);
            if (status != CT_OK) return status;
            ct_level_hold(level);
        }
        found++;
    }
    *count = found;
    return CT_OK;
}
