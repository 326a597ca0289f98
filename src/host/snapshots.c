// Snapshots and saves for hosts.
#include "host/host_internal.h"

#include "level/save.h"

// ---------------------------------------------------------------- snapshots

// Makes an empty snapshot and its handle.
static ct_slot_snapshot *new_snapshot(ct_host_entities *host, ct_host_snapshot *out) {
    ct_slot_snapshot *object = ct_alloc_zero(&host->allocator, sizeof *object);
    ct_status status =
        object != NULL ? ct_slot_new(host, CT_SLOT_SNAPSHOT, 0, object, &out->id) : CT_ERR_MEMORY;
    if (status == CT_OK) {
        ct_snapshot_init(&object->core, &host->allocator);
        return object;
    }
    (void)ct_slot_status(host, status);
    ct_free(&host->allocator, object, sizeof *object);
    return NULL;
}

ct_status ct_host_take(ct_host_entities *host, ct_host_snapshot *snapshot) {
    ct_host_snapshot made = {0};
    if (!ct_slots_may_change(host)) return CT_ERR_DATA;
    ct_slot_snapshot *object = NULL;
    if (snapshot->id != 0) {
        object = ct_slot_read(host, snapshot->id, CT_SLOT_SNAPSHOT);
        if (object == NULL) return CT_ERR_DATA;
    } else {
        object = new_snapshot(host, &made);
        if (object == NULL) return CT_ERR_MEMORY;
    }
    const ct_snapshot_worlds worlds = ct_slot_worlds(host);
    ct_status status = ct_snapshot_take(&object->core, &worlds, &host->message);
    if (status != CT_OK) {
        if (made.id != 0) (void)ct_host_release(host, made.id);
        return ct_slot_status(host, status);
    }
    ct_free(&host->allocator, object->save, object->save_bytes);
    object->save = NULL;
    object->save_bytes = 0;
    if (made.id != 0) *snapshot = made;
    return CT_OK;
}

// ---------------------------------------------------------------- levels of saves

// Returns a loaded resource of that name, if possible of the saved version, or NULL.
static ct_resource *given_resource(ct_host_entities *host, const ct_saved_resource *saved) {
    ct_resource *other = NULL;
    for (ct_slot_resource *r = host->resources; r != NULL; r = r->next) {
        bool same_name = r->core.name.length == saved->name.length &&
                         (saved->name.length == 0 ||
                          memcmp(r->core.name.bytes, saved->name.bytes, saved->name.length) == 0);
        if (r->core.names_only || !same_name) continue;
        if (ct_saved_resource_is(saved, &r->core)) return &r->core;
        if (other == NULL && saved->name.length > 0) other = &r->core;
    }
    return other;
}

// Makes a resource with the names of a saved one, which ends with the last level that holds it.
static ct_resource *names_of(ct_host_entities *host, const ct_saved_resource *saved,
                             ct_status *status) {
    ct_slot_resource *names = ct_alloc_zero(&host->allocator, sizeof *names);
    *status = CT_ERR_MEMORY;
    if (names != NULL)
        *status = ct_saved_resource_make(saved, &host->allocator, &names->core, &host->message);
    if (*status != CT_OK) {
        ct_free(&host->allocator, names, sizeof *names);
        return NULL;
    }
    names->next = host->resources;
    host->resources = names;
    return &names->core;
}

// Makes the levels of one resource of a save. Each gets one reference.
static ct_status make_levels_of(ct_host_entities *host, ct_saved_levels *saved, uint32_t resource) {
    const ct_saved_resource *source = &saved->resources[resource];
    ct_status status = CT_OK;
    ct_resource *given = given_resource(host, source), *other = NULL;
    if (given == NULL || !ct_saved_resource_is(source, given)) {
        other = given;
        given = names_of(host, source, &status);
    }
    for (uint32_t i = 0; i < saved->count && status == CT_OK; ++i) {
        ct_saved_level *item = &saved->items[i];
        if (item->resource != resource) continue;
        ct_levels *levels = host->worlds[item->world].levels;
        if (ct_saved_level_new(item, levels, given, other) == NULL) status = CT_ERR_MEMORY;
    }
    return status;
}

static void release_levels(ct_saved_levels *saved) {
    for (uint32_t i = 0; i < saved->count; ++i)
        ct_level_release(saved->items[i].level);
}

// ---------------------------------------------------------------- restoring

// Restores a state with the levels of a save, which may be none.
static ct_status restore(ct_host_entities *host, const ct_snapshot *core, ct_saved_levels *levels) {
    const ct_snapshot_worlds worlds = ct_slot_worlds(host);
    ct_status status = CT_OK;
    for (uint32_t i = 0; i < levels->resource_count && status == CT_OK; ++i)
        status = make_levels_of(host, levels, i);
    if (status == CT_OK) status = ct_snapshot_restore(core, &worlds, &host->message);
    if (status == CT_OK) ct_saved_levels_enter(levels);
    release_levels(levels);
    return status;
}

// Reads a save and restores it.
static ct_status restore_save(ct_host_entities *host, const ct_slot_snapshot *object) {
    const ct_snapshot_worlds worlds = ct_slot_worlds(host);
    ct_snapshot read;
    ct_saved_levels levels;
    ct_snapshot_init(&read, &host->allocator);
    ct_saved_levels_init(&levels, &host->allocator);
    ct_status status = ct_save_read(object->save, object->save_bytes, &worlds, &read, &levels,
                                    &host->notes, &host->message);
    if (status == CT_OK) status = restore(host, &read, &levels);
    ct_saved_levels_free(&levels);
    ct_snapshot_free(&read);
    return status;
}

ct_status ct_host_restore(ct_host_entities *host, ct_host_snapshot snapshot) {
    const ct_slot_snapshot *object = ct_slot_change(host, snapshot.id, CT_SLOT_SNAPSHOT);
    if (object == NULL) return CT_ERR_DATA;
    const ct_snapshot_worlds worlds = ct_slot_worlds(host);
    ct_writer_free(&host->notes);
    ct_save_writer(&host->notes, &host->allocator);
    ct_status status = object->save != NULL
                           ? restore_save(host, object)
                           : ct_snapshot_restore(&object->core, &worlds, &host->message);
    ct_slot_sweep_resources(host);
    return ct_slot_status(host, status);
}

const char *ct_host_notes(const ct_host_entities *host, uint32_t *bytes) {
    bool any = ct_slots_exist(host) && host->notes.count > 0;
    *bytes = any ? host->notes.count : 0;
    return any ? (const char *)host->notes.bytes : "";
}

// ---------------------------------------------------------------- saves

void ct_slot_begin_text(ct_host_entities *host) {
    ct_writer_free(&host->saved);
    ct_save_writer(&host->saved, &host->allocator);
}

ct_status ct_slot_end_text(ct_host_entities *host, ct_status status, const void **bytes,
                           size_t *count) {
    if (status == CT_OK) status = host->saved.status;
    if (status == CT_ERR_FULL) ct_message_set(&host->message, "the result has more than 4 GB");
    if (status != CT_OK) return ct_slot_status(host, status);
    *bytes = host->saved.bytes;
    *count = host->saved.count;
    return CT_OK;
}

ct_status ct_host_save(ct_host_entities *host, ct_host_snapshot snapshot, const void **bytes,
                       size_t *count) {
    const ct_slot_snapshot *object = ct_slot_read(host, snapshot.id, CT_SLOT_SNAPSHOT);
    if (object == NULL) return CT_ERR_DATA;
    if (object->save != NULL) {
        *bytes = object->save;
        *count = object->save_bytes;
        return CT_OK;
    }
    const ct_snapshot_worlds worlds = ct_slot_worlds(host);
    ct_slot_begin_text(host);
    ct_status status = ct_save_write(&object->core, &worlds, NULL, &host->saved, &host->message);
    return ct_slot_end_text(host, status, bytes, count);
}

ct_status ct_host_read_save(ct_host_entities *host, const void *bytes, size_t count,
                            ct_host_snapshot *out) {
    out->id = 0;
    if (!ct_slots_may_change(host)) return CT_ERR_DATA;
    if (!ct_save_check(bytes, count, &host->message)) return CT_ERR_DATA;
    void *copy = ct_alloc(&host->allocator, count);
    if (copy == NULL) return ct_slot_status(host, CT_ERR_MEMORY);
    ct_slot_snapshot *object = new_snapshot(host, out);
    if (object == NULL) {
        ct_free(&host->allocator, copy, count);
        return CT_ERR_MEMORY;
    }
    object->save = memcpy(copy, bytes, count);
    object->save_bytes = count;
    return CT_OK;
}
