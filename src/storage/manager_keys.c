// Access to rows by keys, for code that LuaJIT compiles.
#include "storage/manager_keys.h"

#include "storage/manager_access.h"

#include <math.h>

static bool has_ended(const ct_manager *manager) {
    return manager->store.allocator == &ct_allocator_destroyed;
}

bool ct_manager_find_key(const ct_manager *manager, double key, ct_row *row) {
    const ct_store *store = &manager->store;
    if (CT_LIKELY(key < 0)) {
        const ct_entity e = {(uint32_t)(-1 - key)};
        *row = ct_store_find(store, e);
        return row->i != CT_NO_ROW;
    }
    return ct_store_find_instance(store, key, row) &&
           ct_entity_manager_alive_or_dying(store->entities, ct_store_owners(store)[row->i]);
}

double ct_manager_key_number(ct_manager *const *manager, uint32_t field, double key) {
    ct_row row;
    double number = NAN;
    if (ct_manager_find_key(*manager, key, &row))
        ct_manager_read_numbers(*manager, field, row, &number);
    return number;
}

int32_t ct_manager_key_numbers(ct_manager *const *manager, uint32_t field, double key,
                               double *numbers) {
    ct_row row;
    if (!ct_manager_find_key(*manager, key, &row)) return 0;
    ct_manager_read_numbers(*manager, field, row, numbers);
    return 1;
}

int32_t ct_manager_key_write(ct_manager *const *manager, uint32_t field, double key, double x,
                             double y, double z, double w) {
    const double numbers[] = {x, y, z, w};
    ct_row row;
    return ct_manager_find_key(*manager, key, &row) && (*manager)->store.entities->guarded == 0 &&
           ct_manager_write_numbers(*manager, field, row, numbers) == CT_OK;
}

int32_t ct_manager_key_has(ct_manager *const *manager, double key) {
    ct_row row;
    if (ct_manager_find_key(*manager, key, &row)) return 1;
    return !has_ended(*manager) && key < 0 ? 0 : -1;
}

double ct_manager_key_instance(ct_manager *const *manager, double key) {
    ct_row row;
    if (ct_manager_find_key(*manager, key, &row)) return ct_store_instance(&(*manager)->store, row);
    return !has_ended(*manager) && key < 0 ? -1 : -2;
}

int32_t ct_manager_row_of_id(ct_manager *const *manager, uint32_t id) {
    const ct_entity e = {id};
    return has_ended(*manager) ? -2 : (int32_t)ct_store_find(&(*manager)->store, e).i;
}
