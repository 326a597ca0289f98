// Access to rows by keys, for code that LuaJIT compiles.
#include "storage/manager_keys.h"

#include "storage/manager_access.h"

static bool has_ended(const ct_manager *manager) {
    return manager->store.allocator == &ct_allocator_destroyed;
}

bool ct_manager_find_instance_key(const ct_manager *manager, int64_t key, ct_row *row) {
    const ct_store *store = &manager->store;
    return ct_store_find_instance(store, (double)key, row) &&
           ct_entity_manager_alive_or_dying(store->entities, ct_store_owners(store)[row->i]);
}

double ct_manager_key_number(ct_manager *manager, uint32_t field, int64_t key) {
    ct_row row;
    if (!ct_manager_find_key(manager, key, &row)) return NAN;
    ct_scalar lane = ct_field_info_of(manager->fields[field].type)->lane;
    return ct_double_clean(ct_scalar_load(lane, ct_manager_read(manager, field, row)));
}

int32_t ct_manager_key_numbers(ct_manager *manager, uint32_t field, int64_t key, double *numbers) {
    ct_row row;
    if (!ct_manager_find_key(manager, key, &row)) return 0;
    ct_manager_read_numbers(manager, field, row, numbers);
    return 1;
}

int32_t ct_manager_key_write(ct_manager *manager, uint32_t field, int64_t key,
                             const double *numbers) {
    ct_row row;
    return ct_manager_find_key(manager, key, &row) && manager->store.entities->guarded == 0 &&
           ct_manager_write_numbers(manager, field, row, numbers) == CT_OK;
}

int32_t ct_manager_key_has(const ct_manager *manager, int64_t key) {
    ct_row row;
    if (CT_UNLIKELY(key >= 0)) return -1;
    if (ct_manager_find_key(manager, key, &row)) return 1;
    return has_ended(manager) ? -1 : 0;
}

double ct_manager_key_instance(ct_manager *manager, int64_t key) {
    ct_row row;
    if (CT_UNLIKELY(key >= 0)) return -2;
    if (ct_manager_find_key(manager, key, &row)) return ct_store_instance(&manager->store, row);
    return has_ended(manager) ? -2 : -1;
}

// Returns whether the components of an entity can change without a call of the host.
static bool is_plain(const ct_manager *manager, int64_t key) {
    return key < 0 && !has_ended(manager) && manager->hooks == NULL &&
           manager->shape->hosted == NULL && manager->store.entities->guarded == 0;
}

double ct_manager_key_add(ct_manager *manager, int64_t key, const ct_values *values) {
    const ct_entity e = ct_entity_of_key(key);
    ct_row row;
    if (!manager->unchecked || !is_plain(manager, key) ||
        !ct_entity_manager_alive(manager->store.entities, e) ||
        ct_manager_create(manager, &e, 1, values, NULL, &row) != CT_OK)
        return -1;
    return ct_store_instance(&manager->store, row);
}

int32_t ct_manager_key_remove(ct_manager *manager, int64_t key) {
    const ct_entity e = ct_entity_of_key(key);
    if (manager->has_values || !is_plain(manager, key)) return -1;
    return (int32_t)ct_manager_remove_many(manager, 1, &e);
}

int32_t ct_manager_row_of_id(ct_manager *const *manager, uint32_t id) {
    const ct_entity e = {id};
    return has_ended(*manager) ? -2 : (int32_t)ct_store_find(&(*manager)->store, e).i;
}
