// The memory of a manager: reserved, counted and trimmed.
#include "storage/manager.h"

size_t ct_manager_bytes(const ct_manager *manager) {
    size_t more = manager->type->bytes != NULL ? manager->type->bytes(manager) : 0;
    return manager->self_bytes + ct_store_bytes(&manager->store) +
           ct_timings_bytes(&manager->timings) + more;
}

void ct_manager_trim(ct_manager *manager) {
    ct_store_trim(&manager->store);
    if (manager->type->trim != NULL) manager->type->trim(manager);
}

ct_status ct_manager_reserve(ct_manager *manager, uint32_t count) {
    const ct_manager_type *type = manager->type;
    ct_status status = ct_store_reserve_rows(&manager->store, count);
    if (status != CT_OK || type->begin_writes == NULL) return status;
    // Makes room beside the store for changes of all rows that there is room for now.
    status = type->begin_writes(manager);
    return status == CT_OK ? type->end_writes(manager, NULL) : status;
}
