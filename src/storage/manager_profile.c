// What is timed of a manager, and what is timed alone.
#include "storage/manager.h"

ct_status ct_manager_profile(ct_manager *manager, bool on) {
    ct_status status = ct_timings_set(&manager->timings, manager->store.allocator, on);
    manager->plain = !manager->timings.on && manager->untimed_plain;
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
