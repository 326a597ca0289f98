// Access to rows by keys, for code that LuaJIT compiles.
#ifndef CT_MANAGER_KEYS_H
#define CT_MANAGER_KEYS_H

#include "storage/manager.h"

#include <math.h>

// A key is an instance, or a negative number for an entity. On failure, compiled code calls the
// method that is not compiled, which has the reason.

/// Key of a value that is neither: no row is found, and every function below fails.
enum { CT_KEY_OF_NOTHING = 0 };

/// Convert an entity to its key and back.
static inline int64_t ct_key_of_entity(ct_entity e) { return -1 - (int64_t)e.id; }
static inline ct_entity ct_entity_of_key(int64_t key) { return (ct_entity){(uint32_t)(-1 - key)}; }

/// Does the same as ct_manager_find_key for an instance.
bool ct_manager_find_instance_key(const ct_manager *manager, int64_t key, ct_row *row);

/// Stores the row of a key. Returns false if there is none, or its owner is dead. Inline: a call
/// with the address of 'row' would cost as much as the search.
static inline bool ct_manager_find_key(const ct_manager *manager, int64_t key, ct_row *row) {
    if (CT_UNLIKELY(key >= 0)) return ct_manager_find_instance_key(manager, key, row);
    *row = ct_store_find(&manager->store, ct_entity_of_key(key));
    return row->i != CT_NO_ROW;
}

/// Returns a field of one number, a bool or a label; NaN on failure.
double ct_manager_key_number(ct_manager *manager, uint32_t field, int64_t key);

/// Returns the same for a field that ct_manager_loads, by its column.
static inline double ct_manager_key_load(const ct_manager *manager, uint32_t column, ct_scalar lane,
                                         int64_t key) {
    ct_row row;
    if (!ct_manager_find_key(manager, key, &row)) return NAN;
    const void *item = ct_manager_item_in(manager, column, row);
    switch (lane) {
    case CT_SCALAR_FLOAT: return ct_float_clean(*(const float *)item);
    case CT_SCALAR_DOUBLE: return ct_double_clean(*(const double *)item);
    case CT_SCALAR_INT32: return *(const int32_t *)item;
    case CT_SCALAR_UINT8: // labels, too
    case CT_SCALAR_BOOL: return *(const uint8_t *)item;
    default: return ct_double_clean(ct_scalar_load(lane, item));
    }
}

/// Writes one number, bool or label of a field that ct_manager_stores, by its column. Returns 1, or
/// 0 on failure.
static inline int32_t ct_manager_key_store(const ct_manager *manager, uint32_t column,
                                           ct_scalar lane, int64_t key, double number) {
    ct_row row;
    if (!ct_manager_find_key(manager, key, &row) || manager->store.entities->guarded != 0) return 0;
    return ct_scalar_store(lane, number, ct_manager_item_in(manager, column, row));
}

/// Read and write all numbers of any such field, or of a vector. Return 1, or 0 on failure.
int32_t ct_manager_key_numbers(ct_manager *manager, uint32_t field, int64_t key, double *numbers);
int32_t ct_manager_key_write(ct_manager *manager, uint32_t field, int64_t key,
                             const double *numbers);

/// Returns 1 if the entity has the component, 0 if it has not; -1 on failure, also for an instance.
int32_t ct_manager_key_has(const ct_manager *manager, int64_t key);

/// Returns the instance of an entity, -1 if there is none, or -2 on failure, also for an instance.
double ct_manager_key_instance(ct_manager *manager, int64_t key);

/// Adds a component with these values (NULL: all defaults) to an entity. Returns the instance, or
/// -1 on failure and for managers with hooks, values of the host or rules about values.
double ct_manager_key_add(ct_manager *manager, int64_t key, const ct_values *values);

/// Removes the components of an entity. Returns their number, or -1 on failure, for an instance,
/// and for managers with hooks or values of the host.
int32_t ct_manager_key_remove(ct_manager *manager, int64_t key);

/// Returns the row of the entity with an id, -1 if it has none, or -2 if the manager has ended.
int32_t ct_manager_row_of_id(ct_manager *const *manager, uint32_t id);

#endif
