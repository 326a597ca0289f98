// The rows of a manager as they are removed, and its memory and timings.
#include "storage/manager.h"

void ct_manager_release_items(ct_manager *manager, const ct_field *field, ct_row first,
                              uint32_t count) {
    const void *items = ct_manager_item(manager, field, first);
    if (field->type == CT_FIELD_STRING) ct_string_pool_release_all(manager->strings, items, count);
    const ct_value *values = items;
    for (uint32_t i = 0; field->type == CT_FIELD_VALUE && i < count; ++i)
        ct_value_pool_release(manager->values, values[i]);
}

bool ct_manager_release_values(ct_manager *manager, ct_entity e) {
    bool any = false;
    for (uint32_t f = 0; f < manager->field_count; ++f) {
        if (manager->fields[f].type != CT_FIELD_VALUE) continue;
        ct_row row = ct_store_find(&manager->store, e);
        for (; row.i != CT_NO_ROW; row = ct_store_next(&manager->store, row)) {
            ct_value *value = ct_manager_item(manager, &manager->fields[f], row);
            any = any || value->slot != 0;
            ct_value_pool_release(manager->values, *value);
            *value = (ct_value){0};
        }
    }
    return any;
}

void ct_manager_release_rows(ct_manager *manager, ct_row first, uint32_t count) {
    for (uint32_t f = 0; f < manager->field_count; ++f) {
        if (ct_field_is_text(manager->fields[f].type))
            ct_manager_release_items(manager, &manager->fields[f], first, count);
    }
    for (ct_row row = first; row.i < first.i + count && manager->store.multiple; ++row.i) {
        uint32_t id = ct_store_id(&manager->store, row);
        if ((id & CT_ID_IS_STRING) != 0)
            ct_string_pool_release(manager->strings, (ct_string){id & ~CT_ID_IS_STRING});
    }
}

void ct_manager_rows_removing(ct_manager *manager, ct_row first, uint32_t count) {
    if (manager->type->removing != NULL) manager->type->removing(manager, first, count);
    ct_manager_release_rows(manager, first, count);
}

ct_status ct_manager_profile(ct_manager *manager, bool on) {
    ct_status status = ct_timings_set(&manager->timings, manager->store.allocator, on);
    manager->fast_copy = !manager->timings.on && manager->fast_copy_untimed;
    return status;
}

void ct_manager_remove(ct_manager *manager, ct_row row) {
    if (CT_LIKELY(!manager->timings.on)) {
        ct_store_remove(&manager->store, row);
        return;
    }
    uint64_t begun = ct_work_begin(&manager->timings);
    ct_store_remove(&manager->store, row);
    ct_work_end(&manager->timings, CT_WORK_REMOVE, begun);
}

uint32_t ct_manager_remove_all(ct_manager *manager, ct_entity e) {
    if (CT_LIKELY(!manager->timings.on)) return ct_store_remove_all(&manager->store, e);
    uint64_t begun = ct_work_begin(&manager->timings);
    uint32_t removed = ct_store_remove_all(&manager->store, e);
    ct_work_end(&manager->timings, CT_WORK_REMOVE, begun);
    return removed;
}

static size_t memory(ct_manager *manager, ct_memory_task task) {
    return manager->type->memory != NULL ? manager->type->memory(manager, task) : 0;
}

void ct_manager_destroy(ct_manager *manager) {
    const ct_allocator *allocator = manager->store.allocator;
    ct_store_clear(&manager->store);
    memory(manager, CT_MEMORY_FREE);
    ct_store_free(&manager->store);
    ct_timings_free(&manager->timings, allocator);
    if (!manager->lent) ct_free(allocator, manager, manager->self_bytes);
}

size_t ct_manager_bytes(const ct_manager *manager) {
    ct_manager *counted = (ct_manager *)(uintptr_t)manager; // counting changes nothing
    return manager->self_bytes + ct_store_bytes(&manager->store) +
           ct_timings_bytes(&manager->timings) + memory(counted, CT_MEMORY_COUNT);
}

void ct_manager_trim(ct_manager *manager) {
    ct_store_trim(&manager->store);
    memory(manager, CT_MEMORY_TRIM);
}

ct_status ct_manager_reserve(ct_manager *manager, uint32_t count) {
    ct_status status = ct_store_reserve_rows(&manager->store, count);
    // A batch has room to note changes of all rows for which there is room.
    if (status == CT_OK) status = ct_manager_begin_batch(manager);
    return status == CT_OK ? ct_manager_end_batch(manager, NULL) : status;
}
