// Memory and timings of a manager.
#include "storage/manager.h"

size_t ct_manager_block_bytes(const ct_manager_shape *shape) {
    return ct_padded(shape->bytes) +
           ct_store_places(shape->layout.multiple, ct_manager_own_columns(shape));
}

void *ct_manager_block(const ct_manager_setup *setup, const ct_manager_shape *shape) {
    size_t bytes = ct_manager_block_bytes(shape);
    return setup->lender != NULL ? setup->lender->lend(setup->lender->user, bytes)
                                 : ct_alloc_zero(setup->allocator, bytes);
}

void ct_manager_drop_block(const ct_manager_setup *setup, void *block,
                           const ct_manager_shape *shape) {
    if (setup->lender == NULL) ct_free(setup->allocator, block, ct_manager_block_bytes(shape));
}

ct_status ct_manager_profile(ct_manager *manager, bool on) {
    ct_status status = ct_timings_set(&manager->timings, manager->store.allocator, on);
    manager->fast_copy = !ct_timings_are_on(&manager->timings) && manager->fast_copy_untimed;
    return status;
}

void ct_manager_remove(ct_manager *manager, ct_row row) {
    if (!ct_timings_are_on(&manager->timings)) {
        ct_store_remove(&manager->store, row);
        return;
    }
    uint64_t begun = ct_work_begin(&manager->timings);
    ct_store_remove(&manager->store, row);
    ct_work_end(&manager->timings, CT_WORK_REMOVE, begun);
}

uint32_t ct_manager_remove_all(ct_manager *manager, ct_entity e) {
    if (!ct_timings_are_on(&manager->timings)) return ct_store_remove_all(&manager->store, e);
    uint64_t begun = ct_work_begin(&manager->timings);
    uint32_t removed = ct_store_remove_all(&manager->store, e);
    ct_work_end(&manager->timings, CT_WORK_REMOVE, begun);
    return removed;
}

// Returns how many of the entities, from the last one on, are alive and have consecutive rows that
// end with 'row'.
static uint32_t run_before(const ct_store *store, ct_row row, uint32_t count,
                           const ct_entity *entities) {
    const ct_entity *owners = ct_store_owners(store);
    uint32_t length = 1, most = count < row.i + 1 ? count : row.i + 1;
    while (length < most && owners[row.i - length].id == entities[count - 1 - length].id &&
           ct_entity_manager_alive(store->entities, entities[count - 1 - length]))
        length++;
    return length;
}

uint32_t ct_manager_remove_many(ct_manager *manager, uint32_t count, const ct_entity *entities) {
    ct_store *store = &manager->store;
    bool runs = manager->type->removing == NULL && !ct_timings_are_on(&manager->timings);
    uint32_t removed = 0;
    for (uint32_t length; count > 0; count -= length) {
        ct_row row = ct_store_find(store, entities[count - 1]);
        length = 1;
        if (row.i == CT_NO_ROW) continue; // dead, or without a component
        if (store->multiple) {
            removed += ct_manager_remove_all(manager, entities[count - 1]);
            continue;
        }
        if (runs) length = run_before(store, row, count, entities);
        if (length > 1)
            ct_store_remove_rows(store, (ct_row){row.i + 1 - length}, length);
        else
            ct_manager_remove(manager, row);
        removed += length;
    }
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
    if (!manager->lent) ct_free(allocator, manager, ct_manager_block_bytes(manager->shape));
}

size_t ct_manager_bytes(const ct_manager *manager) {
    ct_manager *counted = (ct_manager *)(uintptr_t)manager; // counting does not change the manager
    return ct_manager_block_bytes(manager->shape) + ct_store_bytes(&manager->store) +
           ct_timings_bytes(&manager->timings) + memory(counted, CT_MEMORY_COUNT);
}

void ct_manager_trim(ct_manager *manager) {
    ct_store_trim(&manager->store);
    memory(manager, CT_MEMORY_TRIM);
}

ct_status ct_manager_reserve(ct_manager *manager, uint32_t count) {
    ct_status status = ct_store_reserve_rows(&manager->store, count);
    // A batch reserves memory to record changes of all rows up to the capacity.
    if (status == CT_OK) status = ct_manager_begin_batch(manager);
    return status == CT_OK ? ct_manager_end_batch(manager, NULL) : status;
}
